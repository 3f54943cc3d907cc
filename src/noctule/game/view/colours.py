"""The colours of the game: those of Okabe and Ito, which colour-blind people can tell apart."""

ENEMY = (0.84, 0.37, 0.0, 1.0)  # vermilion
SHIP = (0.34, 0.71, 0.91, 1.0)  # sky blue
GOOD = (0.0, 0.62, 0.45, 1.0)  # bluish green
WARNING = (0.94, 0.89, 0.26, 1.0)  # yellow
BAD = (0.84, 0.37, 0.0, 1.0)
PATH = (0.94, 0.89, 0.26, 1.0)
FORECAST = (0.80, 0.47, 0.65, 0.55)  # reddish purple
EXPANDED = (0.34, 0.71, 0.91, 0.7)
SHOTS = ((0.5, 0.85, 1.0, 1.0), (1.0, 0.75, 0.25, 1.0))
FIRE = (1.0, 0.62, 0.1, 1.0)
TEXT = (0.92, 0.95, 1.0, 1.0)
DIM = (0.55, 0.62, 0.72, 1.0)
SKY = (0.012, 0.014, 0.03, 1.0)
ROCK = (0.52, 0.48, 0.44)
FRAME = (0.07, 0.085, 0.11, 1.0)
