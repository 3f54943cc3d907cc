"""Studies: published experiments, repeated and compared with what was published.

    study_files  ->  series  ->  tasks  ->  running  ->  summaries  ->  claims  ->  plots, page

A study is a file (TOML, in `library/`) that says what is run, measured, drawn and claimed.
"""
