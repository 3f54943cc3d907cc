"""Flights: follow paths while world, agent and destination move.

May import everything up to `planning`.
"""
