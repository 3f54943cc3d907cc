"""Watch searches on maps: their order of expansion, their costs and parents, and change the map."""
