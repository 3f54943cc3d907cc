"""One complete file an algorithm, with the procedure names of its paper, over any graph.

May import `core`, `worlds`, `graphs` and `queues`.
"""
