"""What everything else rests on: compiled kernels, checks of user input, memory, named scalars.

Imports nothing from the rest of the package.
"""
