"""How a search ended; kernels return these codes."""

FOUND = 0  # the best path is known
EXHAUSTED = 1  # there is no path
STOPPED = 2  # the limit of its work was reached; it can be continued
GAVE_UP = 3  # it cannot answer this query well, another search should
FULL = 4  # its queue is full; it can be continued once the queue has grown
IMPROVABLE = 5  # a path is known; if continued, the search finds a shorter one or proves it
PREPARING = 6  # what the search needs is not ready; if continued, it goes on with that
