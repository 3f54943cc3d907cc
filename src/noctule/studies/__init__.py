"""Studies: repeat published experiments and compare the results with the published ones.

    definition -> experiments -> tasks -> executors -> analysis -> report

A study is a TOML file (see `library/`) that defines runs, measures, plots and claims.
"""
