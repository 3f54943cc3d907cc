"""Exact line of sight through cells, for a point and for a ball.

May import `core` and `worlds`.
"""
