"""Commands on maps: their start and goal, units, and files of scenarios."""
