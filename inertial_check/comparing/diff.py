"""Comparison of two models body by body, in the frame of each body, whatever their formats."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import hypot, inf, nan
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.comparing.added_mass import compare_added_mass
from inertial_check.comparing.conversions import MassProperties
from inertial_check.comparing.explaining import (
    deviations,
    explain,
    rank_by_model,
    rounding_floors,
    scales,
)
from inertial_check.comparing.lumping import lump
from inertial_check.comparing.matching import match_bodies
from inertial_check.errors import ParameterError, UsageError, expect
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
    MassProperty,
    PairStatus,
)
from inertial_check.model.judging import judge

MOST_EXPLAINED = 100
"""Largest number of bodies in which mistakes are looked for: converters repeat theirs."""

_NOTHING = MassProperties(0.0, np.zeros(3), np.eye(3), np.zeros((3, 3)))


@np.errstate(all="ignore")  # of numbers near the largest float64, which differ from any other
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
        a: A loaded model, a path, or the bytes of a document.
        b: The model to compare it with.
        names: Bodies of A -> bodies of B, by name or id, where their names differ.
        lump_fixed: Merge the bodies on fixed joints into those that carry them, in both models.
        tolerance: Largest deviation that counts as none, dimensionless; see Deviations.
        context: Folders in which the files that the documents refer to are found.

    Raises:
        DocumentError: A document cannot be read; names line and column.
        UsageError: A negative or infinite tolerance, or names that no body has.

    Example:
        >>> urdf, mjcf = "data/diff/gripper.urdf", "data/diff/gripper.xml"
        >>> print(ic.diff_models(urdf, mjcf, lump_fixed=True).equal)
        False
        >>> print(ic.diff_models(urdf, urdf).equal)
        True
    """
    expect(Model, "path", bytes, a=a, b=b)
    expect("mapping", "nothing", names=names)
    expect("flag", lump_fixed=lump_fixed)
    expect("number", tolerance=tolerance)
    if not 0 <= tolerance < inf:
        raise UsageError(f"tolerance is {tolerance!r}; it is relative, so 0 or positive")
    models = tuple(
        each if isinstance(each, Model) else load(each, context=context) for each in (a, b)
    )
    side_a, side_b = (_prepare_side(model, lump_fixed) for model in models)
    paths = models[0].source.path, models[1].source.path
    left, right = ([entry.body for entry in side.entries] for side in (side_a, side_b))
    matched = match_bodies(left, right, names or {}, paths)
    found = list(_compare_all(side_a.entries, side_b.entries, matched, tolerance))
    left_out = _explain(found, tolerance)
    notes = (*side_a.notes, *side_b.notes, *left_out)
    named = [ComparedModel(model.source.path, model.format, model.name) for model in models]
    bodies = tuple(one.difference for one in found)
    return Difference(named[0], named[1], tolerance, bodies, notes)


def _explain(found: list[_ComparedPair], tolerance: float) -> list[str]:
    """Add explanations to the bodies that differ; returns a note if some bodies were left out."""
    differ = [place for place, one in enumerate(found) if _rigid_differences(one)]
    looked_at = [found[place] for place in differ[:MOST_EXPLAINED]]
    explanations = [explain(*one.readings, _rigid_differences(one), tolerance) for one in looked_at]
    for place, own in zip(differ, rank_by_model(explanations), strict=False):
        difference = found[place].difference._replace(explanations=own)
        found[place] = found[place]._replace(difference=difference)
    if len(differ) <= MOST_EXPLAINED:
        return []
    count = f"{MOST_EXPLAINED} of the {len(differ)} bodies that differ"
    return [f"mistakes that explain a difference were looked for in the first {count}"]


def _rigid_differences(one: _ComparedPair) -> tuple[MassProperty, ...]:
    """The properties of the rigid body that differ: mistakes of converters explain no fluid."""
    return tuple(each for each in one.difference.differs if each in QUANTITIES)


class _ComparedPair(NamedTuple):
    """Difference of a pair of bodies, and the numbers behind it."""

    difference: BodyDifference
    readings: tuple[MassProperties, MassProperties] = (_NOTHING, _NOTHING)


class _SideBody(NamedTuple):
    """Body of one model as it is compared, with its numbers or the reason why it has none."""

    body: Body
    shown: ComparedBody
    reading: MassProperties
    reason: str


class _Side(NamedTuple):
    """Bodies of one model that are compared, and notes on those that could not be merged."""

    entries: Sequence[_SideBody]
    notes: Sequence[str]


def _prepare_side(model: Model, lump_fixed: bool) -> _Side:
    numbers = [_read_numbers(*each) for each in zip(model.bodies, judge(model), strict=True)]
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
        shown = _as_data(model, body, reading, reason, names if lump_fixed else ())
        entries.append(_SideBody(body, shown, reading, reason))
    return _Side(entries, lumped.notes if lump_fixed else ())


def _read_numbers(body: Body, judgement: Judgement) -> tuple[MassProperties, str]:
    """Read the numbers of a body in SI units, or find the reason why it has none."""
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
    reading = MassProperties(judgement.mass, center, axes, np.asarray(tensor))
    if not np.all(np.isfinite(reading.I_BBcm_B)):
        return _NOTHING, "its inertia is too large to be turned into the axes of the body"
    return replace(reading, digits=_open_digits(inertial, reading)), ""


def _open_digits(inertial: Inertial, reading: MassProperties) -> Deviations:
    """Find the deviation that half a unit of each last digit leaves open."""
    texts = [number.text for number in inertial.I_BBcm_Bi.values()]
    mass = half_units([inertial.mass.text])[0] if inertial.mass is not None else 0.0
    center = [half_units([number.text])[0] for number in inertial.p_BoBcm_B]
    kilograms, meters = inertial.kilograms_per_unit, inertial.meters_per_unit
    size = scales(reading)
    offset = hypot(*map(float, reading.p_BoBcm_B))  # never overflows on its way, unlike norm
    open_mass = _share(mass * kilograms, abs(reading.mass))
    open_center = hypot(*center) * meters
    open_inertia = hypot(*half_units(texts)) * kilograms * (meters * meters)
    # The tensor about the centre depends on m c^2, so that it is as open as m and twice c are.
    moved = open_mass + 2 * _share(open_center, offset)
    return Deviations(
        open_mass, _share(open_center, size.com), _share(open_inertia, size.inertia) + moved
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _theta(reading: MassProperties) -> Floats:
    """Collect the ten parameters about the centre of mass."""
    first_moment = reading.mass * reading.p_BoBcm_B
    return np.array([reading.mass, *first_moment, *six(reading.I_BBcm_B)])


def _of_theta(theta: Floats) -> MassProperties:
    mass = float(theta[0])
    center = theta[1:4] / mass if mass else np.zeros(3)
    return MassProperties(mass, center, np.eye(3), symmetric(theta[4:]))


def _as_data(
    model: Model, body: Body, reading: MassProperties, reason: str, merged: tuple[str, ...]
) -> ComparedBody:
    """Convert a body to the data that reports show."""
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
        _read_added_mass(body),
    )


def _read_added_mass(body: Body) -> tuple[tuple[float, ...], ...]:
    """The added mass of a body as numbers; () where none is stated."""
    if body.inertial is None:
        return ()
    return tuple(tuple(n.value for n in row) for row in body.inertial.fluid_added_mass)


def _compare_all(
    a: Sequence[_SideBody], b: Sequence[_SideBody], matched: Mapping[int, int], tolerance: float
) -> Iterator[_ComparedPair]:
    """Compare every body of A with its counterpart, then list the bodies that only B has."""
    for i, entry in enumerate(a):
        if i in matched:
            other = b[matched[i]]
            yield _ComparedPair(
                _compare_pair(entry, other, tolerance), (entry.reading, other.reading)
            )
        else:
            alone = BodyDifference("only-a", entry.shown, None, frame=_is_frame(entry))
            yield _ComparedPair(alone)
    taken = set(matched.values())
    for j, entry in enumerate(b):
        if j not in taken:
            yield _ComparedPair(BodyDifference("only-b", None, entry.shown, frame=_is_frame(entry)))


def _is_frame(entry: _SideBody) -> bool:
    reading = entry.reading
    return not entry.reason and reading.mass == 0 and not reading.I_BBcm_Bi.any()


def _compare_pair(a: _SideBody, b: _SideBody, tolerance: float) -> BodyDifference:
    both = (("A", a.reason), ("B", b.reason))
    reasons = "; ".join(f"in {which}, {reason}" for which, reason in both if reason)
    if reasons:
        return BodyDifference("incomparable", a.shown, b.shown, reason=reasons)
    found, rounding = deviations(a.reading, b.reading), rounding_floors(a.reading, b.reading)
    differs: tuple[MassProperty, ...] = tuple(
        quantity
        for quantity, deviation, floor in zip(QUANTITIES, found, rounding, strict=True)
        if deviation > max(tolerance, floor)
    )
    fluid = compare_added_mass(a.shown.added_mass, b.shown.added_mass)
    if not fluid <= tolerance:
        differs = (*differs, "added_mass")
    status: PairStatus = "differs" if differs else "equal"
    return BodyDifference(status, a.shown, b.shown, found, differs, added_mass=fluid)
