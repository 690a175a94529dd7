"""The inertia of a body's own shapes, filled evenly with the mass that is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, log10
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.fixing.aims import Aims
from inertial_check.fixing.case import BROKEN, CENTER, Case, Proposal
from inertial_check.fixing.digits import FEWEST_DIGITS, formatted
from inertial_check.fixing.moving import Terms, moved_to
from inertial_check.fixing.obstacles import is_stated, why_not
from inertial_check.formats.resources import Packages
from inertial_check.geometry.shapes import ROLES, GeometryReader, Reading, ShapeUse, check_choices
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.tolerances import digits_margin
from inertial_check.model import Model, Role

_READINGS: tuple[Reading, ...] = ("solid", "flipped", "hull")
"""What a mesh may be taken for; what it was taken for is said."""


class _Solid(NamedTuple):
    """What the shapes of a body hold.

    Attributes:
        role: Whose shapes they are.
        unit: The body of unit density, in its own frame.
        remarks: What some of them were taken for, one line each.
    """

    role: Role
    unit: InertialParameters
    remarks: tuple[str, ...]


class Shapes:
    """Gives bodies the inertia of their shapes."""

    def __init__(
        self,
        model: Model,
        packages: Packages,
        roles: Sequence[Role],
        move_com: bool,
        terms: Terms,
        aims: Aims,
    ) -> None:
        """Choose the shapes.

        Args:
            model: Whose bodies they are.
            packages: Folders by package name, where meshes may lie.
            roles: Best first; empty for all.
            move_com: Whether the centre of mass goes to that of the shapes, too.
            terms: What is asked of every body.
            aims: The engines that shall take them.

        Raises:
            UsageError: An unknown role.
        """
        if roles:
            check_choices("shapes", roles, ROLES)
        self._reader = GeometryReader(model, "solid", _READINGS, packages)
        self._roles, self._move_com = tuple(roles) or ROLES, move_com
        self._terms, self._aims = terms, aims

    def proposal(self, case: Case, chosen: bool) -> Proposal:
        """The inertia of its shapes for a body that is broken, chosen, or refused by an engine.

        The tensor is that of the shapes about their own centre, at the mass that is written: what
        I_BBcm is to be if the shapes are right, wherever the centre of mass is written.

        Args:
            case: The body.
            chosen: Whether it takes the inertia of its shapes even if nothing is wrong.
        """
        if (untouchable := why_not(case)) is not None:
            return case.left(*untouchable)
        wanted = chosen or case.judgement.verdict in BROKEN
        if not (wanted or self._aims.refusal(case)) or not is_stated(case):
            return case.left("unchanged")
        if not case.judgement.mass > 0:
            return case.left("unchanged", "it has no mass that its shapes could hold")
        solid = self._solid(case)
        if isinstance(solid, str):
            return case.left("no-geometry", solid)
        share = case.judgement.mass / float(solid.unit.mass)
        tensor = _in_axes(case, share * np.asarray(solid.unit.inertia_com))
        center = np.asarray(solid.unit.com, dtype=float)
        reach = float(np.sqrt(np.trace(solid.unit.central_second_moment) / solid.unit.mass))
        texts = _center_texts(case, center, reach) if self._move_com else {}
        said = "; ".join(self._says(case, solid, center))
        found = moved_to(case, tensor, self._terms, self._aims, texts, said, "inertia")
        return replace(found, for_engine=not wanted)

    def objections(self, again: Model, moved: Mapping[str, Proposal]) -> dict[str, str]:
        """None: what its shapes hold passes as soon as it is written."""
        return {}

    def _solid(self, case: Case) -> _Solid | str:
        """The shapes of the first role of which every one is a solid; or why there is none."""
        reasons: list[str] = []
        for role in self._roles:
            geometry = self._reader.body(case.body, (role,))
            faulty = [use for use in geometry.shapes if use.reading is None]
            if geometry.unit is not None and not faulty:
                remarks = tuple(_taken(use) for use in geometry.shapes if use.reason is not None)
                return _Solid(role, geometry.unit, remarks)
            reasons += [f"{_named(use)}: {use.reason}" for use in faulty]
        told = "; ".join(dict.fromkeys(reasons))
        return told or f"it has no {' or '.join(self._roles)} shapes"

    def _says(self, case: Case, solid: _Solid, center: Floats) -> Iterator[str]:
        yield f"as its {solid.role} shapes hold {case.judgement.mass:.6g} kg evenly"
        yield from solid.remarks
        away = float(np.linalg.norm(center - np.array(case.judgement.p_BoBcm_B)))
        if away > 0:
            verb = "moves" if self._move_com else "stays"
            yield f"its centre of mass {verb}, {away:.3g} m from that of the shapes"


def _taken(use: ShapeUse) -> str:
    return f"{_named(use)} taken as {use.reading}: {use.reason}"


def _named(use: ShapeUse) -> str:
    what = f"{use.shape.role} {use.shape.kind or 'shape'}"
    return f"{what} {use.shape.uri}" if use.shape.uri else what


def _in_axes(case: Case, I_BBcm_B: Floats) -> Floats:
    """(6,) in the inertial's own axes and the document's units, without the crumbs of rounding.

    A product below the last digit that is written of the largest moment is none.
    """
    R_BBi = np.eye(3) if case.body.inertial is None else np.array(case.body.inertial.R_BBi)
    tensor: Floats = six_of(R_BBi.T @ I_BBcm_B @ R_BBi) / case.unit
    largest = float(np.max(np.abs(tensor)))
    return np.where(np.abs(tensor) < digits_margin(FEWEST_DIGITS) / 2 * largest, 0.0, tensor)


def _center_texts(case: Case, center: Floats, reach: float) -> dict[str, str]:
    """The centre of mass in the document's units, to the last written digit of the body's reach."""
    numbers, finest = case.numbers, reach * digits_margin(FEWEST_DIGITS)
    texts = {}
    for name, meters in zip(CENTER, center.tolist(), strict=True):
        number, value = numbers[name], meters / case.meters
        if abs(meters - number.value * case.meters) <= finest / 2:
            texts[name] = number.text
        elif abs(meters) <= finest / 2:
            texts[name] = "0"
        else:
            digits = max(1, 1 + floor(log10(abs(meters))) - floor(log10(finest)))
            texts[name] = formatted(value, digits, number.text)
    return texts
