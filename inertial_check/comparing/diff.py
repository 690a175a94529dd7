"""Two models in, what differs out: body by body, in the body's own frame, whatever the formats."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.comparing.conversions import Reading
from inertial_check.comparing.explaining import deviations, explain, floors, scales, settled
from inertial_check.comparing.lumping import lump
from inertial_check.comparing.matching import pairs
from inertial_check.errors import ParameterError, UsageError
from inertial_check.formats import Context, load
from inertial_check.inertia import tolerances
from inertial_check.inertia.frames import refuse_nonrotation
from inertial_check.inertia.printed import half_units
from inertial_check.inertia.representations import six, symmetric
from inertial_check.model import Body, Inertial, Judgement, Model
from inertial_check.model.difference import (
    QUANTITIES,
    BodyDifference,
    ComparedBody,
    ComparedModel,
    Deviations,
    Difference,
)
from inertial_check.model.judging import judge

MOST_EXPLAINED = 100
"""In how many bodies a mistake is looked for: a converter makes it in all of them, or in none."""

_NOTHING = Reading(0.0, np.zeros(3), np.eye(3), np.zeros((3, 3)))


def diff_models(
    a: Model | str | os.PathLike[str] | bytes,
    b: Model | str | os.PathLike[str] | bytes,
    *,
    names: Mapping[str, str] | None = None,
    lump_fixed: bool = False,
    tolerance: float = tolerances.SAME_BODY,
    context: Context | None = None,
) -> Difference:
    """Compare two models body by body: mass, centre of mass and inertia in the body frame.

    Tensors are compared as such, so that the order and the signs of principal axes do not matter.

    Args:
        a: A loaded model, a path, or a document's bytes.
        b: The same.
        names: Bodies of A -> bodies of B, by name or id, where the names do not tell.
        lump_fixed: Merge the bodies on fixed joints into those that carry them, in both models.
        tolerance: Up to which a deviation counts as none; see Deviations. Dimensionless.
        context: Where what the documents refer to is found.

    Raises:
        DocumentError: A document cannot be read; names line and column.
        UsageError: A tolerance that is none, or names that no body has.
    """
    if not 0 <= tolerance < inf:
        raise UsageError(f"tolerance is {tolerance!r}; it is relative, so 0 or positive")
    models = tuple(
        each if isinstance(each, Model) else load(each, context=context) for each in (a, b)
    )
    side_a, side_b = (_side(model, lump_fixed) for model in models)
    paths = models[0].source.path, models[1].source.path
    left, right = ([entry.body for entry in side.entries] for side in (side_a, side_b))
    matched = pairs(left, right, names or {}, paths)
    found = list(_compared(side_a.entries, side_b.entries, matched, tolerance))
    left_out = _explain(found, tolerance)
    notes = (*side_a.notes, *side_b.notes, *left_out)
    named = [ComparedModel(model.source.path, model.format, model.name) for model in models]
    bodies = tuple(one.difference for one in found)
    return Difference(named[0], named[1], tolerance, bodies, notes)


def _explain(found: list[_Compared], tolerance: float) -> list[str]:
    """Add to every body that differs what explains it; returns a note where some were left out."""
    differ = [place for place, one in enumerate(found) if one.difference.status == "differs"]
    looked_at = [found[place] for place in differ[:MOST_EXPLAINED]]
    explanations = [explain(*one.readings, one.difference.differs, tolerance) for one in looked_at]
    for place, own in zip(differ, settled(explanations), strict=False):
        difference = found[place].difference._replace(explanations=own)
        found[place] = found[place]._replace(difference=difference)
    if len(differ) <= MOST_EXPLAINED:
        return []
    count = f"{MOST_EXPLAINED} of the {len(differ)} bodies that differ"
    return [f"mistakes that explain a difference were looked for in the first {count}"]


class _Compared(NamedTuple):
    """What is said of a pair, and the numbers behind it."""

    difference: BodyDifference
    readings: tuple[Reading, Reading] = (_NOTHING, _NOTHING)


class _Entry(NamedTuple):
    """A body as it is compared: itself, its numbers, or why there are none."""

    body: Body
    shown: ComparedBody
    reading: Reading
    reason: str


class _Side(NamedTuple):
    """One model: the bodies that are compared, and what could not be merged."""

    entries: Sequence[_Entry]
    notes: Sequence[str]


def _side(model: Model, lump_fixed: bool) -> _Side:
    numbers = [_numbers(*each) for each in zip(model.bodies, judge(model), strict=True)]
    thetas = np.array([_theta(reading) for reading, _ in numbers]).reshape(-1, 10)
    lumped = lump(model, thetas)
    entries = []
    for index, body in enumerate(model.bodies):
        if lump_fixed and lumped.carrier[index] != index:
            continue
        (reading, reason), parts = numbers[index], lumped.merged.get(index, ())
        names = tuple(model.bodies[part].name for part in parts)
        unknown = [part for part in parts if numbers[part][1]]
        whole = _of_theta(lumped.theta[index]) if parts and not unknown else None
        if not lump_fixed:
            reading = replace(reading, lumped=whole, merged=names)
        elif whole is not None and not reason:
            reading = whole
        elif unknown and not reason:
            reason = f"{model.bodies[unknown[0]].name}, merged into it: {numbers[unknown[0]][1]}"
        shown = _shown(model, body, reading, reason, names if lump_fixed else ())
        entries.append(_Entry(body, shown, reading, reason))
    return _Side(entries, lumped.notes if lump_fixed else ())


def _numbers(body: Body, judgement: Judgement) -> tuple[Reading, str]:
    """The numbers of a body in SI units; or why they cannot be told."""
    inertial = body.inertial
    if body.inertia_from == "geometry":
        return _NOTHING, "it takes its inertia from its geometry"
    if inertial is None:
        return _NOTHING, ""
    axes = np.array(inertial.R_BBi)
    tensor = symmetric(np.array(judgement.I_BBcm_Bi))
    center = np.array(judgement.p_BoBcm_B)
    for what, values in (
        ("mass", judgement.mass),
        ("centre of mass", center),
        ("inertia", tensor),
        ("rotation of the inertial", axes),
    ):
        if not np.all(np.isfinite(values)):
            return _NOTHING, f"its {what} is no number, or not finite"
    try:
        refuse_nonrotation(np, "the rotation of its inertial", axes)
    except ParameterError as error:
        return _NOTHING, str(error)
    reading = Reading(judgement.mass, center, axes, np.asarray(tensor))
    return replace(reading, digits=_digits(inertial, reading)), ""


def _digits(inertial: Inertial, reading: Reading) -> Deviations:
    """How far half a unit of each last digit leaves the quantities open."""
    texts = [number.text for number in inertial.I_BBcm_Bi.values()]
    mass = half_units([inertial.mass.text])[0] if inertial.mass is not None else 0.0
    center = np.array([half_units([number.text])[0] for number in inertial.p_BoBcm_B])
    kilograms, meters = inertial.kilograms_per_unit, inertial.meters_per_unit
    size = scales(reading)
    offset = float(np.linalg.norm(reading.p_BoBcm_B))
    open_mass = _share(mass * kilograms, abs(reading.mass))
    open_center = float(np.linalg.norm(center)) * meters
    open_inertia = float(np.linalg.norm(half_units(texts))) * kilograms * meters**2
    # What is moved by m c^2 is as open as m and c are.
    moved = open_mass + 2 * _share(open_center, offset)
    return Deviations(
        open_mass, _share(open_center, size.com), _share(open_inertia, size.inertia) + moved
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _theta(reading: Reading) -> Floats:
    """The ten numbers about the centre of mass."""
    first_moment = reading.mass * reading.p_BoBcm_B
    return np.array([reading.mass, *first_moment, *six(reading.I_BBcm_B)])


def _of_theta(theta: Floats) -> Reading:
    mass = float(theta[0])
    center = theta[1:4] / mass if mass else np.zeros(3)
    return Reading(mass, center, np.eye(3), symmetric(theta[4:]))


def _shown(
    model: Model, body: Body, reading: Reading, reason: str, merged: tuple[str, ...]
) -> ComparedBody:
    """A body as data."""
    place = model.place(body.span)
    known = not reason
    return ComparedBody(
        body.name,
        body.id,
        place.line,
        place.path,
        reading.mass if known else nan,
        tuple(reading.p_BoBcm_B.tolist()) if known else (nan,) * 3,
        tuple(six(reading.I_BBcm_B).tolist()) if known else (nan,) * 6,
        merged,
    )


def _compared(
    a: Sequence[_Entry], b: Sequence[_Entry], matched: Mapping[int, int], tolerance: float
) -> Iterator[_Compared]:
    """Every body of A with its counterpart, then what only B has."""
    for i, entry in enumerate(a):
        if i in matched:
            other = b[matched[i]]
            yield _Compared(_pair(entry, other, tolerance), (entry.reading, other.reading))
        else:
            alone = BodyDifference("only-a", entry.shown, None, frame=_is_frame(entry))
            yield _Compared(alone)
    taken = set(matched.values())
    for j, entry in enumerate(b):
        if j not in taken:
            yield _Compared(BodyDifference("only-b", None, entry.shown, frame=_is_frame(entry)))


def _is_frame(entry: _Entry) -> bool:
    reading = entry.reading
    return not entry.reason and reading.mass == 0 and not reading.I_BBcm_Bi.any()


def _pair(a: _Entry, b: _Entry, tolerance: float) -> BodyDifference:
    both = (("A", a.reason), ("B", b.reason))
    reasons = "; ".join(f"in {which}, {reason}" for which, reason in both if reason)
    if reasons:
        return BodyDifference("incomparable", a.shown, b.shown, reason=reasons)
    found, rounding = deviations(a.reading, b.reading), floors(a.reading, b.reading)
    differs = tuple(
        quantity
        for quantity, deviation, floor in zip(QUANTITIES, found, rounding, strict=True)
        if deviation > max(tolerance, floor)
    )
    return BodyDifference("differs" if differs else "equal", a.shown, b.shown, found, differs)
