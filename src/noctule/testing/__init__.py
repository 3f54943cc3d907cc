"""Checks of algorithms and graphs, for the tests of other packages.

They raise AssertionError with the scenario and what is wrong, and use plain code wherever they can:
a Dijkstra in Python, and `verify`, which shares nothing with the searches.
"""

from noctule.testing.algorithm_checks import check_algorithm
from noctule.testing.graph_checks import check_graph

__all__ = ["check_algorithm", "check_graph"]
