"""Sounds, synthesised by this code alone."""
