"""The report of a study: tables, plots, HTML page.

May import `studies` and `studies.analysis`.
"""
