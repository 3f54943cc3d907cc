"""Worlds: where the solids are, and the files that say so."""
