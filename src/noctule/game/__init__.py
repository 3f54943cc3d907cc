"""Lost in Space: a game among asteroids, with enemies that plan their way to the player."""
