"""Safe-interval path planning: search in space and time among moving bodies.

May import everything up to `engines`.
"""
