"""Safe-interval path planning: search in time among moving bodies.

May import everything up to `engines`.
"""
