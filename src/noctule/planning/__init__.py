"""From a query to a `Path`: options, endpoints, running a search, results, fallback.

May import everything up to `engines` and `sipp`.
"""
