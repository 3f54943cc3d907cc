"""`FromSolids`: `Grid.from_mesh`, `from_points`, `from_octomap` and `from_heights`."""

from __future__ import annotations

from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from noctule.files import MAX_CELLS, File
from noctule.worlds.formats.octomap import read_octomap
from noctule.worlds.voxels.solids import (
    Voxels,
    voxels_of_heights,
    voxels_of_mesh,
    voxels_of_points,
)


class FromSolids:
    """Cells that something else makes solid."""

    @classmethod
    def from_mesh(
        cls,
        vertices: Any,
        faces: ArrayLike | None = None,
        *,
        cell: float | None = None,
        solid: bool = False,
        margin: float = 0.0,
        bounds: ArrayLike | None = None,
        neighbours: int | None = None,
        max_cells: int = MAX_CELLS,
    ) -> Self:
        """Make a grid whose solid cells are those that a mesh meets.

        A cell is solid if its open cube meets a triangle. A triangle that lies between two cells
        makes the one behind it solid (the one that its normal points away from), so that nothing
        passes a surface. The test is exact up to rounding.

        Parameters
        ----------
        vertices : float array (n, 3), or an object with `vertices` and `faces`
            Corners of triangles in world units, or a mesh as of trimesh.
        faces : int array (m, 3), optional
            The triangles: numbers of vertices.
        cell : float
            Edge length of a cell in world units.
        solid : bool
            Whether the inside is solid, too: cells that meet the open volume of a closed mesh.
        margin : float
            Free room around the mesh, in world units.
        bounds : two points, optional
            Low and high corner of the grid; unless given, the box around the mesh.
        neighbours : int, optional
            As in `Grid`.
        max_cells : int
            Limit of the number of cells.

        Returns
        -------
        Grid
            The origin is a multiple of `cell`.

        Examples
        --------
        >>> import noctule as nt
        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        >>> nt.Grid.from_mesh(corners, faces, cell=0.25, solid=True).blocked.sum()
        np.int64(20)
        """
        if faces is None:
            if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
                raise ValueError("faces is missing; expected rows of three numbers of vertices")
            vertices, faces = vertices.vertices, vertices.faces
        return cls._of(
            voxels_of_mesh(
                vertices,
                faces,
                cell,
                solid=solid,
                margin=margin,
                bounds=bounds,
                max_cells=max_cells,
            ),
            neighbours,
        )

    @classmethod
    def from_points(
        cls,
        points: ArrayLike,
        *,
        cell: float | None = None,
        min_points: int = 1,
        point_radius: float = 0.0,
        margin: float = 0.0,
        bounds: ArrayLike | None = None,
        neighbours: int | None = None,
        max_cells: int = MAX_CELLS,
    ) -> Self:
        """Make a grid whose solid cells hold points, as of a laser scanner.

        Parameters
        ----------
        points : float array (n, 3)
            Points in world units.
        cell : float
            Edge length of a cell in world units.
        min_points : int
            How many points make a cell solid; more than one leaves out stray points.
        point_radius : float
            If above 0, each point is a ball of this radius (open), and a cell counts the balls that
            its cube meets. Choose half the spacing of the points, or the error of the scanner.
        margin : float
            Free room around the points, in world units.
        bounds : two points, optional
            Low and high corner of the grid; unless given, the box around the points.
        neighbours : int, optional
            As in `Grid`.
        max_cells : int
            Limit of the number of cells.

        Returns
        -------
        Grid
            The origin is a multiple of `cell`. A point between two cells is in the higher one.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid.from_points([(0.1, 0.1, 0.1), (0.9, 0.1, 0.1)], cell=0.25)
        >>> grid.shape, grid.blocked[:, 0, 0].tolist()
        ((4, 1, 1), [True, False, False, True])
        """
        found = voxels_of_points(
            points,
            cell,
            min_points=min_points,
            point_radius=point_radius,
            margin=margin,
            bounds=bounds,
            max_cells=max_cells,
        )
        return cls._of(found, neighbours)

    @classmethod
    def from_octomap(
        cls,
        file: File,
        *,
        cell: float | None = None,
        unknown: Literal["free", "solid"] | float = "solid",
        bounds: ArrayLike | None = None,
        neighbours: int | None = None,
        max_cells: int = MAX_CELLS,
    ) -> Self:
        """Make a grid from an OctoMap file, `.bt` or `.ot`.

        Parameters
        ----------
        file : path
            The file.
        cell : float, optional
            Edge length of a cell: a whole multiple of the file's, which is the default. A larger
            cell is solid if any part of it is, and else unknown if any part is.
        unknown : "free", "solid" or float
            What cells are that nobody has seen; a number is their cost (see `Grid`).
        bounds : two points, optional
            Low and high corner of the part to read; unless given, all known cells.
        neighbours : int, optional
            As in `Grid`.
        max_cells : int
            Limit of the number of cells, and of the bytes of the file.

        Returns
        -------
        Grid
            In the coordinates of the file.

        Raises
        ------
        FileError
            If the content violates the format, the map is too large, or no cell is free.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import noctule as nt
        >>> head = b"# Octomap OcTree binary file\\nid OcTree\\nsize 17\\nres 0.5\\ndata\\n"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "one.bt")
        ...     _ = file.write_bytes(head + b"\\x03\\x00" * 15 + b"\\x06\\x00")
        ...     nt.Grid.from_octomap(file).blocked.tolist()
        [[[True]], [[False]]]
        """
        return cls._of(read_octomap(file, cell, unknown, bounds, max_cells), neighbours)

    @classmethod
    def from_heights(
        cls,
        heights: ArrayLike,
        pixel: float,
        *,
        cell: float | None = None,
        origin: ArrayLike | None = None,
        height: float | None = None,
        neighbours: int | None = None,
        max_cells: int = MAX_CELLS,
    ) -> Self:
        """Make a grid that is solid below the ground.

        Parameters
        ----------
        heights : float array, 2-D
            Heights in world units, indexed [x, y]; each holds for a square of side `pixel`. NaN
            means nothing is known: the whole column is solid.
        pixel : float
            Side of a square in world units.
        cell : float, optional
            Edge length of a cell; unless given, `pixel`. A cell is solid if its open cube meets
            the ground under any square.
        origin : two floats, optional
            Low corner of the first square.
        height : float, optional
            Top of the world; unless given, ten cells above the highest ground.
        neighbours : int, optional
            As in `Grid`.
        max_cells : int
            Limit of the number of cells.

        Returns
        -------
        Grid
            Indexed [x, y, z]; z is up.

        Examples
        --------
        >>> import noctule as nt
        >>> grid = nt.Grid.from_heights([[0, 0], [3, 1.5]], pixel=1.0, height=4)
        >>> grid.blocked[1].tolist()
        [[True, True, True, False], [True, True, False, False]]
        """
        found = voxels_of_heights(
            heights, pixel, cell, origin=origin, height=height, max_cells=max_cells
        )
        return cls._of(found, neighbours)

    @classmethod
    def _of(cls, found: Voxels, neighbours: int | None = None, nodes: str = "centres") -> Self:
        make: Any = cls
        grid: Self = make(
            found.blocked, found.cell, found.origin, neighbours, nodes, cost=found.cost
        )
        return grid
