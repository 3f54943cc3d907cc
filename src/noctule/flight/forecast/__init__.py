"""Where bodies near an agent are expected.

Motions of a scene are known; bodies that the caller places keep their velocity.
"""
