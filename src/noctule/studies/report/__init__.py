"""The page of a study: tables, plots, HTML.

May import `studies` and `studies.analysis`.
"""
