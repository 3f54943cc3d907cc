"""Independent checks of finished paths. They use plain code and share nothing with the searches.

May import `core`, `worlds` and `graphs`.
"""
