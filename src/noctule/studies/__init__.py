"""Studies: published experiments, repeated and compared with the published results.

    definition -> experiments -> tasks -> executors -> analysis -> report

A study is a TOML file (see `library/`) that defines runs, measures, plots and claims.
"""
