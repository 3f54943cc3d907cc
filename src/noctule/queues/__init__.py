"""Open lists: an indexed heap (the reference) and buckets (fast).

May import `core` and `graphs`.
"""
