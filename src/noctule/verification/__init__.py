"""Proofs of finished paths, by plain code that shares nothing with the searches.

May import `core`, `worlds` and `graphs`.
"""
