"""Flights: following paths while world, agent and destination move."""
