"""Other packages that find paths on grids, each called as fast as it allows.

A peer is built once per world and then plans from cell to cell. Movement rules differ: a `strict`
move needs all cells of its bounding box free, as ours do; `cuts corners` is an easier problem, with
shorter paths that touch or cross obstacles.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.graphs.grid.grid import Grid
from noctule.planning.planner import Planner

Cell = tuple[int, ...]
Query = Callable[[Cell, Cell], Any]  # returns the points of the path from start to goal, in cells
STRICT, CUTS, ANY_ANGLE, SIX = "strict", "cuts corners", "any angle", "six neighbours"
NO_CUTS = "only_when_no_obstacle"  # pathfinding3d's name of the strict rule


class Peer(NamedTuple):
    """A package and how to call it."""

    name: str
    package: str
    rule: str  # movement rule
    build: Callable[[NDArray[np.bool_]], Query]
    most_cells: float = np.inf  # largest world that it is run on
    dimension: int | None = None  # 2 or 3 if it supports only one


def peers_here() -> list[Peer]:
    """Return the peers whose package is installed."""
    return [peer for peer in PEERS if find_spec(peer.package) is not None]


def _noctule(algorithm: str, neighbours: int | None = None, **options: Any) -> Any:
    def build(blocked: NDArray[np.bool_]) -> Query:
        grid = Grid(blocked, neighbours=neighbours)
        planner = Planner(grid, algorithm, **options)
        return lambda s, t: planner.plan(grid.centre(s), grid.centre(t)).points - 0.5

    return build


def _dijkstra3d(connectivity: int, **options: Any) -> Any:
    def build(blocked: NDArray[np.bool_]) -> Query:
        import dijkstra3d

        field = np.where(blocked, np.inf, 1.0).astype(np.float32)
        how = {"connectivity": connectivity, **options}
        if connectivity == 26:
            how["anisotropy"] = (1.0, 1.0, 1.0)  # otherwise all moves cost the same
        return lambda s, t: dijkstra3d.dijkstra(field, s, t, **how)

    return build


def _dijkstra3d_binary(blocked: NDArray[np.bool_]) -> Query:
    import dijkstra3d

    free = ~blocked
    return lambda s, t: dijkstra3d.binary_dijkstra(free, s, t, connectivity=26)


def _scikit_image(blocked: NDArray[np.bool_]) -> Query:
    from skimage.graph import MCP_Geometric

    cost = np.where(blocked, np.inf, 1.0)

    def query(s: Cell, t: Cell) -> Any:
        finder = MCP_Geometric(cost, fully_connected=True)
        finder.find_costs([s], [t])
        return finder.traceback(t)

    return query


def _pathfinding3d(rule: str) -> Any:
    def build(blocked: NDArray[np.bool_]) -> Query:
        from pathfinding3d.core.diagonal_movement import DiagonalMovement
        from pathfinding3d.core.grid import Grid as PeerGrid
        from pathfinding3d.finder.a_star import AStarFinder

        grid = PeerGrid(matrix=(~blocked).astype(np.int8))

        def query(s: Cell, t: Cell) -> Any:
            grid.cleanup()
            finder = AStarFinder(diagonal_movement=getattr(DiagonalMovement, rule))
            path, _ = finder.find_path(grid.node(*s), grid.node(*t), grid)
            return [(node.x, node.y, node.z) for node in path]

        return query

    return build


def _tcod(blocked: NDArray[np.bool_]) -> Query:
    import tcod.path

    finder = tcod.path.AStar((~blocked).astype(np.int8), diagonal=float(np.sqrt(2.0)))
    return lambda s, t: [s, *finder.get_path(*s, *t)]


def strict_edges(blocked: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return all undirected strict moves: numbers of the two cells, and the length in cells."""
    free = np.pad(~blocked, 1)
    number = np.arange(blocked.size).reshape(blocked.shape)
    strides = np.array(number.strides) // number.itemsize
    moves = []
    for step in np.ndindex(*(3,) * blocked.ndim):
        move = np.array(step) - 1
        if tuple(move) <= (0,) * blocked.ndim:
            continue  # the opposite of another move
        legal = np.ones(blocked.shape, bool)
        for part in np.ndindex(*(np.abs(move) + 1)):
            low = 1 + np.array(part) * move
            legal &= free[tuple(map(slice, low, low + blocked.shape))]
        start = number[legal]
        length = np.full(len(start), float(np.linalg.norm(move)))
        moves.append((start, start + int(move @ strides), length))
    a, b, lengths = (np.concatenate(column) for column in zip(*moves, strict=True))
    return a, b, lengths


def _scipy(blocked: NDArray[np.bool_]) -> Query:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    a, b, length = strict_edges(blocked)
    graph = coo_matrix((length, (a, b)), shape=(blocked.size,) * 2).tocsr()

    def query(s: Cell, t: Cell) -> Any:
        start, at = (int(np.ravel_multi_index(cell, blocked.shape)) for cell in (s, t))
        _, before = dijkstra(graph, directed=False, indices=start, return_predecessors=True)
        path = [at]
        while path[-1] != start:
            path.append(int(before[path[-1]]))
        return np.stack(np.unravel_index(path[::-1], blocked.shape), axis=1)

    return query


def _graph_package(name: str) -> Any:
    def build(blocked: NDArray[np.bool_]) -> Query:
        edges = [column.tolist() for column in strict_edges(blocked)]
        place = np.stack(np.unravel_index(np.arange(blocked.size), blocked.shape), axis=1).tolist()
        if name == "networkx":
            import networkx

            graph = networkx.Graph()
            graph.add_weighted_edges_from(zip(*edges, strict=True))
        else:
            import rustworkx

            graph = rustworkx.PyGraph()
            graph.add_nodes_from(range(blocked.size))
            graph.add_edges_from(list(zip(*edges, strict=True)))

        def estimate(a: int, b: int) -> float:
            apart = sorted(abs(p - q) for p, q in zip(place[a], place[b], strict=True))
            low, middle, high = [0, *apart][-3:]
            return float(high + (2**0.5 - 1) * middle + (3**0.5 - 2**0.5) * low)

        def query(s: Cell, t: Cell) -> Any:
            start, goal = (int(np.ravel_multi_index(cell, blocked.shape)) for cell in (s, t))
            if name == "networkx":
                nodes = networkx.astar_path(graph, start, goal, estimate)
            else:
                is_goal, left = (lambda node: node == goal), (lambda node: estimate(node, goal))
                nodes = rustworkx.astar_shortest_path(graph, start, is_goal, float, left)
            return np.array([place[node] for node in nodes])

        return query

    return build


PEERS = (
    Peer("noctule jps", "noctule", STRICT, _noctule("jps")),
    Peer("noctule a*", "noctule", STRICT, _noctule("a*")),
    Peer("noctule a*, weight 1.5", "noctule", STRICT, _noctule("a*", weight=1.5)),
    Peer("noctule theta*", "noctule", ANY_ANGLE, _noctule("theta*")),
    Peer("noctule lazy-theta*", "noctule", ANY_ANGLE, _noctule("lazy-theta*")),
    Peer("noctule a*, six", "noctule", SIX, _noctule("a*", neighbours=6), dimension=3),
    Peer("dijkstra3d compass (A*)", "dijkstra3d", CUTS, _dijkstra3d(26, compass=True), dimension=3),
    Peer("dijkstra3d", "dijkstra3d", CUTS, _dijkstra3d(26), dimension=3),
    Peer("dijkstra3d binary", "dijkstra3d", CUTS, _dijkstra3d_binary, dimension=3),
    Peer("dijkstra3d compass, six", "dijkstra3d", SIX, _dijkstra3d(6, compass=True), dimension=3),
    Peer("scikit-image", "skimage", CUTS, _scikit_image, 2e6),
    Peer("tcod", "tcod", CUTS, _tcod, dimension=2),
    Peer("pathfinding3d", "pathfinding3d", CUTS, _pathfinding3d("always"), 2e6, 3),
    Peer("pathfinding3d strict", "pathfinding3d", STRICT, _pathfinding3d(NO_CUTS), 2e6, 3),
    Peer("scipy", "scipy", STRICT, _scipy, 2e6),
    Peer("rustworkx", "rustworkx", STRICT, _graph_package("rustworkx"), 1e5),
    Peer("networkx", "networkx", STRICT, _graph_package("networkx"), 1e5),
)
