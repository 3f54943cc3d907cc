"""What the incremental algorithms share: memory, repair or restart, and the anytime schedule.

May import what `algorithms` may import, but no algorithm.
"""
