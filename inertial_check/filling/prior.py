"""Densities of the bodies of another model: an earlier revision, or a sibling of other sizes."""

from __future__ import annotations

import os
from collections.abc import Mapping

from inertial_check.comparing.matching import match_bodies
from inertial_check.errors import ParameterError
from inertial_check.filling.shapes.piece_reader import PieceReader
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.formats import load
from inertial_check.formats.context import Context
from inertial_check.model import Model
from inertial_check.model.judging import judge


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
