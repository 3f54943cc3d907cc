"""Accelerators for special pairs of algorithm and graph; `table` selects them for a query.

| algorithms | graph | engine | speed |
| --- | --- | --- | --- |
| a*, dijkstra | cells, 4 or 6 neighbours | `FaceAStar` | 2.7 to 3.4 x `LatticeAStar` |
| jps | cells, 8 or 26 neighbours | `JumpPoints` | 2 to 6 x `LatticeAStar`, 0.8 x on noise |
| a*, dijkstra, jps | cells | `LatticeAStar` | 3.7 to 8.8 x reference |
| a*, dijkstra | hybrid graph | `HybridAStar` | 3.2 x reference |
| theta*, lazy-theta* | cells, corners | `LatticeTheta` | 1.6 to 2.7 x reference |
| theta*, lazy-theta* | hybrid graph | `LatticeTheta` | 1.2 to 1.5 x reference |
| a*, hierarchical | cells | `Hierarchical` | 17 to 32 x `LatticeAStar` indoors, not optimal |

The factors were measured before the engines had this interface and, for the hybrid graph, before
pruned long edges were dropped; measure again before relying on them.

The reference is `algorithms.best_first.BestFirst`, which every query falls back to. All engines
have its interface: `search` and `partial_path` of `SearchEngine`.

May import `core`, `worlds`, `graphs`, `queues` and `algorithms`.
"""
