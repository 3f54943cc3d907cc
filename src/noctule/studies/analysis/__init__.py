"""Analysis of results: statistics, summaries, claims.

May import `studies`.
"""
