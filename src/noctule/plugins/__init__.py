"""Algorithms of other packages: what they see of a graph, what they return, how they are run.

May import everything up to `algorithms`.
"""
