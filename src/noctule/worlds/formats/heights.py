"""Height maps and terrain: GeoTIFF and others, read by rasterio."""

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from noctule.extras import require
from noctule.files import File, FileError, check_size, reading


class Heights(NamedTuple):
    """Heights indexed [x, y], NaN where unknown; the side of a pixel, and the low corner."""

    values: NDArray[np.float64]
    pixel: float
    origin: tuple[float, float]


def read_heights(file: File, max_pixels: int) -> Heights:
    """Read the first band of a raster; x goes to the right, y up."""
    rasterio = require("rasterio", "geo", "height maps")
    import warnings

    with warnings.catch_warnings(), reading(file, "a raster of heights"):
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(os.fspath(file)) as raster:
            check_size(file, "pixels", raster.width * raster.height, max_pixels)
            if raster.crs is not None and raster.crs.is_geographic:
                raise FileError(
                    f"{os.fspath(file)}: its pixels are in degrees ({raster.crs}), not metres; "
                    f"gdalwarp -t_srs EPSG:326NN (your UTM zone) makes a file in metres"
                )
            to_world = raster.transform
            values = raster.read(1, masked=True).astype(np.float64).filled(np.nan)
            if raster.count > 2:
                raise FileError(f"{os.fspath(file)}: {raster.count} bands; expected one of heights")
    placed = to_world != rasterio.Affine.identity()
    width, height = to_world.a, -to_world.e if placed else 1.0
    if to_world.b or to_world.d or not (width > 0 and np.isclose(width, height, rtol=1e-6)):
        raise FileError(f"{os.fspath(file)}: expected square pixels with north up, got {to_world}")
    low = to_world.f - values.shape[0] * height if placed else 0.0
    return Heights(np.ascontiguousarray(values[::-1].T), width, (to_world.c, low))
