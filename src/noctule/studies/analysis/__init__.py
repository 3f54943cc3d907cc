"""The numbers of a study: statistics, summaries, claims.

May import `studies`.
"""
