"""Overlaps: volumes that several shapes of a body, or bodies at a joint, share count once.

A cell that lies inside another shape gets no volume. What is left keeps its cells, so that volume,
first and second moments are those of one rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats, Mask
from inertial_check.filling.shapes.cell_moments import list_moments, place_points
from inertial_check.filling.shapes.pieces import BodyPieces, Piece
from inertial_check.filling.shapes.poses import place_bodies
from inertial_check.filling.shapes.quadrature import fill_primitive
from inertial_check.model import Model

_FINENESS = 3
"""Factor of the points of a primitive along each direction where another shape cuts it: 18 layers
of a box, of which a cut takes one too many at most."""

_LEAST_LEFT = 0.5
"""Part of the volume of a body that its neighbours leave it at least: a body that would lose more
is drawn around them, as a housing, and its shape says little of where its mass ends."""


def remove_overlaps(pieces: Sequence[Piece], remarks: list[str]) -> list[Piece]:
    """Drop the cells that lie inside an earlier shape of the same body.

    Args:
        pieces: Pieces of the body.
        remarks: One line is added for each piece that loses cells.
    """
    kept: list[Piece] = []
    for at, piece in enumerate(pieces):
        cells, outside = _split(piece, pieces[:at])
        if np.all(outside):
            kept.append(piece)
            continue
        left = _take(cells, outside)
        share = 1 - left.volume / cells.volume
        remarks.append(f"{piece.label}: {share:.0%} of it lies inside another shape: counted once")
        if np.any(outside):
            kept.append(left)
    return kept


def _split(piece: Piece, others: Sequence[Piece], X_OB: Floats | None = None) -> tuple[Piece, Mask]:
    """The cells of a piece, finer where others cut it, and which of them lie outside all others.

    Args:
        piece: The piece.
        others: Pieces of its body, or of another one.
        X_OB: (4, 4) pose of the body in that other one; None for the same body.
    """
    if len(piece.volumes) == 1:  # a shape that is one cell is all inside or not to be told
        return piece, np.ones(1, dtype=bool)
    near = [one for one in others if one.enclosure is not None and _are_near(piece, one, X_OB)]
    outside = _find_outside(piece.points, near, X_OB)
    whole = bool(np.all(outside)) or not np.any(outside)
    if not near or (whole and (piece.enclosure is None or piece.enclosure.path is not None)):
        return piece, outside
    fine = _cut_finely(piece)
    if fine is not piece:
        cut = _find_outside(fine.points, near, X_OB)
        if not np.all(cut) and np.any(cut):
            return fine, cut
    return piece, outside


def _are_near(piece: Piece, other: Piece, X_OB: Floats | None) -> bool:
    """Whether the boxes around the cells overlap, widened by as much as cells end before a face."""
    points = _move(piece.points, X_OB)
    lower, upper = points.min(axis=0), points.max(axis=0)
    least, most = other.points.min(axis=0), other.points.max(axis=0)
    edge = (upper - lower + most - least) / 4
    return bool(np.all(lower - edge <= most) and np.all(least - edge <= upper))


def _move(points: Floats, X_OB: Floats | None) -> Floats:
    return points if X_OB is None else points @ X_OB[:3, :3].T + X_OB[:3, 3]


def _find_outside(points: Floats, others: Sequence[Piece], X_OB: Floats | None) -> Mask:
    placed = _move(points, X_OB)
    outside = np.ones(len(points), dtype=bool)
    for other in others:
        if other.enclosure is not None and np.any(outside):
            outside[outside] = ~other.enclosure.find_inside(placed[outside])
    return outside


def _cut_finely(piece: Piece) -> Piece:
    """The same primitive in more cells; a mesh as it is, whose cells are thousands."""
    enclosure = piece.enclosure
    if enclosure is None or enclosure.path is not None or piece.cut:
        return piece
    shape = enclosure.shape
    points = fill_primitive(shape.kind, shape.dimensions, _FINENESS)
    if points is None:
        return piece
    placed = place_points(points, shape)
    moments = list_moments(placed.volumes, placed.points)
    return piece._replace(volumes=placed.volumes, moments=moments, points=placed.points)


def _take(piece: Piece, kept: Mask) -> Piece:
    return piece._replace(
        volumes=piece.volumes[kept],
        moments=piece.moments[kept],
        points=piece.points[kept],
        cut=True,
    )


class Neighbours(NamedTuple):
    """Bodies that a joint connects, as indices, and their poses at the zero pose.

    Attributes:
        pairs: Pairs of indices.
        poses: (N, 4, 4) poses of all bodies in their roots.
    """

    pairs: Sequence[tuple[int, int]]
    poses: Floats


def share_with_neighbours(
    filled: Mapping[int, BodyPieces], others: Mapping[int, BodyPieces], neighbours: Neighbours
) -> dict[int, BodyPieces]:
    """Leave volumes that two neighbours share to the smaller of them.

    A bearing or a motor that is drawn inside a housing is a part of its own, and the housing is
    drawn around it: the larger body is the one whose shape says more than there is.

    Args:
        filled: Pieces of the bodies to fill, by index; only these lose cells.
        others: Pieces of measured bodies, by index.
        neighbours: The joints.
    """
    found = dict(filled)
    every = {**others, **filled}
    for one, other in neighbours.pairs:
        if one not in every or other not in every or every[one].guess or every[other].guess:
            continue
        smaller, larger = sorted((one, other), key=lambda at: (every[at].volume, -at))
        if larger in found:
            X_OB = np.linalg.solve(neighbours.poses[smaller], neighbours.poses[larger])
            found[larger] = _leave(found[larger], every[smaller], X_OB, every[larger].volume)
    return found


def _leave(own: BodyPieces, other: BodyPieces, X_OB: Floats, whole: float) -> BodyPieces:
    """A body without the cells inside another one; as it is where too little would be left."""
    if not np.all(np.isfinite(X_OB)):
        return own
    pieces, changed = [], False
    for piece in own.pieces:
        cells, outside = _split(piece, other.pieces, X_OB)
        if np.all(outside):
            pieces.append(piece)
            continue
        changed = True
        if np.any(outside):
            pieces.append(_take(cells, outside))
    if not changed:
        return own
    left = sum(piece.volume for piece in pieces)
    if left < _LEAST_LEFT * whole:
        return own
    name = other.body.name
    share = 1 - left / own.volume
    remark = f"{100 * share:.2g}% of its volume lies inside {name} too: counted once, there"
    return replace(
        own,
        pieces=tuple(pieces),
        remarks=(*own.remarks, remark),
        shared=(*own.shared, name),
    )


def find_neighbours(model: Model) -> Neighbours:
    """The bodies that joints of a model connect, at the zero pose."""
    places = {body.id: at for at, body in enumerate(model.bodies)}
    pairs = [
        (places[body.parent], at)
        for at, body in enumerate(model.bodies)
        if body.parent in places and body.X_PB is not None
    ]
    return Neighbours(pairs, place_bodies(model, {})[0])
