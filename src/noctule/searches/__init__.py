"""Searches: an open list, a best-first core, one file an algorithm, and their catalogue."""
