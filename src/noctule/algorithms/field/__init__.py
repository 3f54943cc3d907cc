"""Field D*: a path may cross an edge or a face of a cell anywhere, not only at its corners.

May import what `algorithms` may import.
"""
