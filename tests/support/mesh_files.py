"""A cube of triangles and the bytes of a mesh file, for tests."""

import struct

import numpy as np

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]),
        *([0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]),
        *([0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
CUBE = CORNERS[FACES]
"""The unit cube from the origin on, facing outwards."""


def box(edges, at=(0.0, 0.0, 0.0)):
    """Triangles of a box around a place."""
    return (CUBE - 0.5) * edges + np.asarray(at)


def binary_stl(triangles, header=b"made by a test"):
    data = [header.ljust(80, b"\0"), struct.pack("<I", len(triangles))]
    for triangle in triangles:
        data.append(struct.pack("<12fH", 0, 0, 0, *np.ravel(triangle), 0))
    return b"".join(data)
