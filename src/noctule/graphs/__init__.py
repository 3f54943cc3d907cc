"""Search graphs: what a search can ask (`protocol`), and the graphs that answer."""
