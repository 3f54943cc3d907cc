"""The rules of the game, without any picture or sound: the same seed and inputs, the same game."""
