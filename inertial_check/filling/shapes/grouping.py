"""Groups of neighbouring cells, which stand for them where there are more than are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats, Integers
from inertial_check.filling.shapes.pieces import BodyPieces, Piece

_MOST_CELLS = 512
"""Largest number of cells of a primitive that another shape cuts: about twice those of a whole one,
so that densities can vary as finely."""


def merge_cells(bodies: Mapping[int, BodyPieces]) -> dict[int, BodyPieces]:
    """Merge the fine cells of primitives that were cut; all moments stay."""
    return {
        at: replace(own, pieces=tuple(_merge(piece) for piece in own.pieces))
        for at, own in bodies.items()
    }


def _merge(piece: Piece) -> Piece:
    primitive = piece.enclosure is not None and piece.enclosure.path is None
    if not (piece.cut and primitive) or len(piece.volumes) <= _MOST_CELLS:
        return piece
    group = group_points(piece.points, _MOST_CELLS)
    volumes: Floats = np.bincount(group, piece.volumes).astype(np.float64, copy=False)
    moments = np.array([np.bincount(group, row) for row in piece.moments.T]).T
    return piece._replace(volumes=volumes, moments=moments, points=moments[:, 1:4] / moments[:, :1])


def group_points(points: Floats, groups: int) -> Integers:
    """Groups of neighbouring points: halved along the longest edge of their box, again and again.

    Args:
        points: (N, 3) points [m].
        groups: Largest number of groups, a power of 2.
    """
    if len(points) <= groups:
        return np.arange(len(points))
    label = np.zeros(len(points), dtype=np.intp)
    waiting, count = [(np.arange(len(points)), groups)], 0
    while waiting:
        members, parts = waiting.pop()
        if parts == 1 or len(members) == 1:
            label[members], count = count, count + 1
            continue
        own = points[members]
        order = members[np.argsort(own[:, np.argmax(np.ptp(own, axis=0))], kind="stable")]
        half = len(order) // 2
        waiting += [(order[:half], parts // 2), (order[half:], parts // 2)]
    return label
