"""Planning again and again: `fallback` while a repair takes too long; `smoothing` in flight.

May import what `planning` may import.
"""
