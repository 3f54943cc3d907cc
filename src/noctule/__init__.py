"""Noctule: short, provably free paths for a flying body in a 3D world that keeps changing."""

from noctule.graphs.grid import Grid
from noctule.path import Path
from noctule.searches.catalogue import algorithms
from noctule.searches.planner import Planner, plan, plan_many

__version__ = "0.1.0"

__all__ = ["Grid", "Path", "Planner", "algorithms", "plan", "plan_many"]
