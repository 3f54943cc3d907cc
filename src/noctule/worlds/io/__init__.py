"""Maps, scenarios and scenes in files.

May import `core` and `worlds`.
"""
