"""Files of other programs that hold worlds: meshes, point clouds, octrees, heights."""
