"""Benchmarks against other packages."""
