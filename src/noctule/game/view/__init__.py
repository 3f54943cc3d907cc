"""Pictures of the game with Panda3D; imported only when there are any."""
