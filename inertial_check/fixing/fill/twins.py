"""Twins of measured bodies, and densities that another model gives.

A map from the frame of the measured body to that of its twin is taken where it maps the shapes of
one onto those of the other: a reflection in a plane between them at the zero pose, in one that
keeps the axes of their links, or a rotation. The cells of the twin then get the factors of least
relative entropy with which centre and tensor are the mapped ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from inertial_check.checking.evidence.twins import AGREEMENT, SIGNS, find_twins
from inertial_check.checking.shapes.priors import indices_of
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import Judgement, Model, judge
from inertial_check.errors import ParameterError
from inertial_check.fixing.diff import match_bodies
from inertial_check.fixing.fill.knowledge import Knowledge, Pair, Relation
from inertial_check.fixing.fill.overlaps import PieceReader, place_bodies, tilt
from inertial_check.fixing.fill.shapes import BodyPieces, Points, list_moments
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import homogeneous
from inertial_check.inertia.parameters import InertialParameters

_QUARTER_TURNS = np.array(
    [
        frame
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0))
        for signs in SIGNS
        if np.linalg.det(frame := np.eye(3)[list(order)] * signs[:, None]) > 0
    ]
)
"""(24, 3, 3) rotations that keep the axes of a frame, the identity first."""

_LEAST_CELLS = 10
"""Least number of cells of a body whose ten moments are to be met."""


def follow_twins(
    model: Model,
    filled: Mapping[int, BodyPieces],
    others: Mapping[int, BodyPieces],
    judgements: Sequence[Judgement],
    known: Knowledge,
) -> dict[int, BodyPieces]:
    """Distribute the matter of bodies as that of their measured twins.

    Args:
        model: The model.
        filled: Pieces of the bodies to fill, by index.
        others: Pieces of measured bodies, by index.
        judgements: Numbers of all bodies.
        known: Pairs and the bounds of densities.
    """
    found = dict(filled)
    poses, roots = place_bodies(model, {})
    for one, other, relation in _list_pairs(model, known):
        here, there = (one, other) if one in filled else (other, one)
        if here not in filled or there not in others or found[here].like:
            continue
        if not (filled[here].pieces and others[there].pieces):  # one of them has no usable shape
            continue
        twin = judgements[there]
        if twin.verdict != "consistent":
            continue
        together = roots[here] == roots[there]
        X = (poses[here], poses[there]) if together else None
        mapped = _find_map(filled[here], others[there], relation, X)
        if mapped is not None:
            followed = _distribute(found[here], others[there].body.name, twin, mapped, known)
            found[here] = followed or found[here]
    return found


def _list_pairs(model: Model, known: Knowledge) -> Iterator[tuple[int, int, Relation | None]]:
    """Pairs that are given, then those that names tell."""
    for pair in known.pairs:
        one, other, relation = Pair(*pair)
        first, second = indices_of(model, [one, other])
        yield first, second, relation
    if known.twins:
        for first, second in find_twins([body.name for body in model.bodies]):
            yield first, second, None


def _find_map(
    here: BodyPieces,
    there: BodyPieces,
    relation: Relation | None,
    poses: tuple[Floats, Floats] | None,
) -> Floats | None:
    """The (4, 4) map from the measured body to its twin that maps the shapes; None without one."""
    own, other = (InertialParameters.from_theta(each.unit) for each in (here, there))
    for mapped in _propose_maps(own, other, relation, poses):
        if _agree(own, mapped, other):
            return mapped
    return None


def _propose_maps(
    own: InertialParameters,
    other: InertialParameters,
    relation: Relation | None,
    poses: tuple[Floats, Floats] | None,
) -> Iterator[Floats]:
    if relation != "equal":
        # Reflections in planes between two bodies, then those that keep the axes of their links.
        if poses is not None:
            X_W1, X_W2 = poses
            one = X_W1[:3, :3] @ np.asarray(own.com) + X_W1[:3, 3]
            two = X_W2[:3, :3] @ np.asarray(other.com) + X_W2[:3, 3]
            between = one - two
            normals = [*np.eye(3)[np.argsort(-np.abs(between), kind="stable")]]
            if (length := float(np.linalg.norm(between))) > 0:
                normals.append(between / length)
            for n in normals:
                M = np.eye(4)
                M[:3, :3] -= 2 * np.outer(n, n)
                M[:3, 3] = n @ (one + two) * n
                yield np.asarray(np.linalg.solve(X_W1, M @ X_W2))
        for signs in SIGNS:
            if np.prod(signs) < 0:
                yield homogeneous(np.diag(signs), np.zeros(3))
    if relation != "mirrored":
        for turn in _QUARTER_TURNS:
            yield homogeneous(turn, np.zeros(3))


def _agree(own: InertialParameters, mapped: Floats, other: InertialParameters) -> bool:
    """Whether a map takes the shapes of one body to those of the other."""
    here = np.asarray(own.pseudo_inertia) / own.mass
    there = mapped @ (np.asarray(other.pseudo_inertia) / other.mass) @ mapped.T
    center = here[:3, 3]
    spread = here[:3, :3] - np.outer(center, center)
    size = float(np.sqrt(np.trace(spread)))
    off = there[:3, :3] - np.outer(there[:3, 3], there[:3, 3]) - spread
    apart = float(np.linalg.norm(there[:3, 3] - center)) / size
    return apart <= AGREEMENT and float(np.linalg.norm(off)) / size**2 <= AGREEMENT


def _distribute(
    own: BodyPieces, name: str, twin: Judgement, mapped: Floats, known: Knowledge
) -> BodyPieces | None:
    """A body whose cells have the mapped centre and tensor; None where its shape has no room."""
    points = np.concatenate([piece.points for piece in own.pieces])
    volumes = np.concatenate([piece.volumes for piece in own.pieces])
    if min(len(piece.volumes) for piece in own.pieces) < _LEAST_CELLS:
        return None
    stated = InertialParameters.from_com(twin.mass, twin.p_BoBcm_B, twin.I_BBcm_B)
    unit = mapped @ (np.asarray(stated.pseudo_inertia) / twin.mass) @ mapped.T
    tilted = tilt(Points(volumes, points), unit * own.volume)
    if tilted is None:
        return None
    density = twin.mass / own.volume * tilted.volumes / volumes
    low, high = known.density_range
    if not low <= np.min(density) <= np.max(density) <= high:
        return None
    ends = np.cumsum([len(piece.volumes) for piece in own.pieces])[:-1]
    pieces = tuple(
        piece._replace(volumes=part, moments=list_moments(part, piece.points))
        for piece, part in zip(own.pieces, np.split(tilted.volumes, ends), strict=True)
    )
    return replace(own, pieces=pieces, like=name)


def find_prior_densities(
    model: Model,
    pieces: Mapping[int, BodyPieces],
    prior: Model | str | os.PathLike[str],
    context: Context,
    thickness: float | None = None,
) -> tuple[dict[int, float], str]:
    """Find the mean densities that another model gives to bodies.

    Bodies are matched as `diff` matches them. The density is that of the prior's mass in the
    prior's own shapes of the same role, so that a part that is scaled keeps its density; where it
    has none, that of the prior's mass in the shapes to fill.

    Args:
        model: The model to fill.
        pieces: Pieces of the bodies to fill, by index.
        prior: The other model, or its path.
        context: Where its meshes and included files are, and what may be read.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.

    Returns:
        Densities by index [kg/m^3], and one line that says which bodies it leaves open.

    Raises:
        DocumentError: The other model cannot be read.
        ParameterError: None of its bodies is one of these and has a mass.
    """
    other = prior if isinstance(prior, Model) else load(prior, context=context)
    matches = match_bodies(model.bodies, other.bodies, {}, (model.source.path, other.source.path))
    judgements = judge(other)
    found: dict[int, float] = {}
    for at, own in pieces.items():
        index = matches.get(at)
        if index is None or not 0 < judgements[index].mass < float("inf"):
            continue
        volume = _find_volume(other, index, own, context, thickness)
        found[at] = judgements[index].mass / volume
    path = other.source.path
    if not found:
        raise ParameterError(
            f"no body of the prior {path} is one of the bodies to fill and has a mass: bodies are "
            "matched by their names, as diff matches them"
        )
    left = [model.bodies[at].name for at in pieces if at not in found]
    shown = ", ".join(left[:4]) + (", ..." if len(left) > 4 else "")
    note = f"the prior {path} gives the densities of {len(found)} of {len(pieces)} bodies"
    return found, note + (f"; not of {shown}" if left else "")


def _find_volume(
    other: Model, index: int, own: BodyPieces, context: Context, thickness: float | None
) -> float:
    """The volume [m^3] in which a body of the prior has its mass."""
    if own.role is None:
        return own.volume
    reader = PieceReader(other, context, roles=(own.role,), thickness=thickness)
    try:
        theirs = reader.read(other.bodies[index])
    except ParameterError:  # its mesh is in millimetres
        return own.volume
    return own.volume if theirs.guess or not theirs.pieces else theirs.volume
