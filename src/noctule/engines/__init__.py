"""Accelerators for special pairs of algorithm and graph; `table` says which query takes which.

May import `core`, `worlds`, `graphs`, `queues` and `algorithms`.
"""
