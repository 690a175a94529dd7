"""Comparison of two models body by body, in the frame of each body, whatever their formats.

Bodies are matched by a map, by name, or by the end of a scoped name. sdformat, MuJoCo's fusestatic
and Isaac's importers merge bodies on fixed joints into the bodies that carry them. Where one model
lacks such bodies, the sum of them and their carrier is compared if its mass is that of the other
model; on request all of them are merged first, in both models. Bodies fixed to a link called world
are not merged into it: sdformat stops there too.
"""

from __future__ import annotations

import csv
import json
import os
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import hypot, inf, isnan, nan
from typing import NamedTuple

import numpy as np

from inertial_check.checking.engines.usd import measure_disagreement
from inertial_check.checking.report import (
    QUANTITIES,
    Account,
    BodyDifference,
    ComparedBody,
    ComparedModel,
    Difference,
    MassProperty,
    PairStatus,
    UnjudgedInertial,
)
from inertial_check.checking.toml import refuse_deep_keys
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Limits, read_regular
from inertial_check.documents.inertials import count_model
from inertial_check.documents.load import load
from inertial_check.documents.mjcf import NAME as MJCF
from inertial_check.documents.mjcf import compile_bodies
from inertial_check.documents.model import ENTRIES, Body, Judgement, Model, judge
from inertial_check.documents.poses import is_finite
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError, expect
from inertial_check.fixing.converters import (
    MassProperties,
    deviations,
    explain,
    rank_by_model,
    rounding_floors,
    share,
)
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.frames import refuse_nonrotation
from inertial_check.inertia.intervals import half_units
from inertial_check.inertia.representations import six, symmetric

_DEEPEST = 8
"""Largest number of last parts of two names that are compared."""

_PARTS = re.compile(r"::|/")
_UNLIKELY = re.compile(r"[^0-9a-z]+")


def match_bodies(
    a: Sequence[Body], b: Sequence[Body], names: Mapping[str, str], paths: tuple[str, str]
) -> dict[int, int]:
    """Match the bodies of two models; returns the index in B by the index in A.

    The map decides first; then equal names; then names whose last parts agree, as many as possible
    (`model::link` and `link`, `/World/link` and `link`); then the same without regard to case and
    to characters that some formats replace. Only what is unambiguous among the bodies left is
    taken; bodies that share a name are taken in order, where both models have as many.

    Args:
        a: Bodies of the first model.
        b: Bodies of the second model.
        names: Names or ids in A -> names or ids in B.
        paths: Paths of the models, for messages.

    Raises:
        UsageError: The map has a name that no body has, or names one body twice.
    """
    found: dict[int, int] = {}
    for left, right in names.items():
        i, j = _find_body(left, a, paths[0]), _find_body(right, b, paths[1])
        if i in found or j in found.values():
            raise UsageError(f"the map {left!r} -> {right!r} names a body twice")
        found[i] = j
    _match(found, a, b, lambda body: body.name, in_order=True)
    for plain in (False, True):
        for last in range(_DEEPEST, 0, -1):

            def key(body: Body, plain: bool = plain, last: int = last) -> tuple[str, ...]:
                ends = _parts(body)[-last:]
                return tuple(_UNLIKELY.sub("_", end.lower()) for end in ends) if plain else ends

            _match(found, a, b, key)
    return dict(sorted(found.items()))


def _parts(body: Body) -> tuple[str, ...]:
    """Split a scoped name; a body without name has no parts and matches nothing."""
    return tuple(part for part in _PARTS.split(body.name) if part)


def _match(
    found: dict[int, int],
    a: Sequence[Body],
    b: Sequence[Body],
    key: Callable[[Body], Hashable],
    in_order: bool = False,
) -> None:
    """Add the pairs of bodies that share a key; where several do, in order if asked, else none."""
    taken = set(found.values())
    left, right = defaultdict[Hashable, list[int]](list), defaultdict[Hashable, list[int]](list)
    for bodies, known, grouped in ((a, set(found), left), (b, taken, right)):
        for index, body in enumerate(bodies):
            if index not in known:
                grouped[key(body)].append(index)
    for shared, indices in left.items():
        others = right.get(shared, [])
        if shared and len(indices) == len(others) and (in_order or len(others) == 1):
            found.update(zip(indices, others, strict=True))


def _find_body(name: str, bodies: Sequence[Body], path: str) -> int:
    """Find the body that a map names.

    Raises:
        UsageError: No body has the name, or more than one.
    """
    wanted = tuple(part for part in _PARTS.split(name) if part)
    looks: tuple[Callable[[Body], bool], ...] = (
        lambda body: body.name == name,
        lambda body: body.id == name,
        lambda body: bool(wanted) and _parts(body)[-len(wanted) :] == wanted,
    )
    for look in looks:
        matches = [index for index, body in enumerate(bodies) if look(body)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(bodies[index].id for index in matches[:3])
            raise UsageError(f"{len(matches)} bodies of {path} are called {name!r}: say {ids}")
    hint = suggest_name(name, (body.name for body in bodies))
    raise UsageError(f"no body of {path} is called {name!r}, which the map names{hint}")


def read_name_maps(arguments: Sequence[str]) -> dict[str, str]:
    """Read a map of names from arguments: each A=B, or a csv, json or toml file.

    Raises:
        UsageError: An argument of another form, a file that cannot be read, a name given twice.
    """
    rows: list[tuple[str, str]] = []
    for argument in arguments:
        left, equals, right = argument.partition("=")
        if os.path.isfile(argument) or not equals:
            rows += _read_map_file(argument)
        elif left and right:
            rows.append((left, right))
        else:
            raise UsageError(f"--map {argument}: write A=B, names of bodies, or a file")
    repeated = [name for name, count in Counter(left for left, _ in rows).items() if count > 1]
    if repeated:
        raise UsageError(f"--map names {repeated[0]!r} twice")
    return dict(rows)


def _read_map_file(path: str) -> list[tuple[str, str]]:
    """Read pairs of names from a csv, json or toml file.

    Raises:
        UsageError: The file cannot be read, or holds anything else.
    """
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in (".json", ".toml", ".csv"):
        raise UsageError(f"--map {path}: write A=B, or name a .csv, .json or .toml file")
    try:
        text = read_regular(path, Limits.document).decode("utf-8-sig")
        if suffix == ".csv":
            rows = [row for row in csv.reader(text.splitlines(), strict=True) if row]
            for place, row in enumerate(rows, 1):
                if len(row) != 2:
                    columns = f"{len(row)} columns, expected name in A, name in B"
                    raise ValueError(f"row {place} has {columns}")
            return [(left.strip(), right.strip()) for left, right in rows]
        if suffix == ".json":
            items = json.loads(text, object_pairs_hook=list)
        else:
            refuse_deep_keys("--map", text.split("\n"))
            items = list(tomllib.loads(text).items())
        if not isinstance(items, list) or not all(
            isinstance(item, tuple) and isinstance(item[1], str) for item in items
        ):
            raise ValueError('expected names only, "name in A": "name in B"')
        return items
    except OSError as error:
        raise UsageError(f"--map {path}: {(error.strerror or str(error)).lower()}") from None
    except csv.Error as error:
        raise UsageError(f"--map {path}: no CSV: {error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--map {path}: {error}") from None


_AS_SUM = "compared as a sum of bodies on fixed joints"
_STILL = "it stands still, and MuJoCo's fusestatic merges such bodies into the world"
_FIXED = "fixed"
_WITH_PARENTS = frozenset(("urdf", "xacro", "mjcf", "sdf", "usd"))
"""Formats whose readers fill Body.parent."""


class LumpedModel(NamedTuple):
    """Parameters of the bodies of a model after merging.

    Attributes:
        theta: (n, 10) parameters of all bodies about their centres of mass, valid for carriers.
        merged: Indices of the bodies merged into each carrier, in order.
        carrier: Index of the body into which each body is merged; its own where into none.
        notes: Notes on the bodies that could not be merged.
    """

    theta: Floats
    merged: Mapping[int, Sequence[int]]
    carrier: Sequence[int]
    notes: Sequence[str]


def lump(model: Model, theta: Floats, some: Container[int] | None = None) -> LumpedModel:
    """Merge every body on a fixed joint into the body that carries it.

    Args:
        model: The model as read.
        theta: (n, 10) parameters of its bodies about their centres of mass, order "urdf"; a NaN
            makes the sum NaN.
        some: Indices of the bodies that may be merged; None for all.
    """
    parents, notes = _find_parents(model, range(len(model.bodies)) if some is None else some)
    places = _find_carriers(model.bodies, parents)
    total = np.array(theta)
    merged: dict[int, list[int]] = {}
    for index, (root, X_RB) in enumerate(places):
        if root != index:
            moved = frames.transform(theta[index], X_RB, "com")
            total[root] = frames.add(total[root], moved, "com")
            merged.setdefault(root, []).append(index)
    return LumpedModel(total, merged, [root for root, _ in places], notes)


def _find_parents(model: Model, some: Container[int]) -> tuple[dict[int, int], list[str]]:
    """Find the body into which each body is merged, and note those that cannot be."""
    bodies, path = model.bodies, model.source.path
    held = [index for index, body in enumerate(bodies) if body.joint == _FIXED and index in some]
    silent = model.format not in _WITH_PARENTS and all(body.parent is None for body in bodies)
    if held and silent:
        reason = f"the reader of {model.format} does not tell what they are fixed to"
        return {}, [f"{path}: bodies on fixed joints were not merged: {reason}"]
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents: dict[int, int] = {}
    notes: list[str] = []
    for index in held:
        body = bodies[index]
        parent = index_of.get(body.parent or "")
        if parent is None or bodies[parent].name == "world":
            continue
        if body.X_PB is None or not is_finite(body.X_PB):
            where = f"where it is fixed to {bodies[parent].name} cannot be read"
            notes.append(f"{path}: {body.name} was not merged: {where}")
        else:
            parents[index] = parent
    for index in _find_cycles(parents):
        notes.append(f"{path}: {bodies[index].name} was not merged: it is fixed to itself")
        del parents[index]
    return parents, notes


def _find_cycles(parents: Mapping[int, int]) -> list[int]:
    """Find bodies that carry themselves by way of others."""
    found: list[int] = []
    seen: dict[int, int] = {}
    for start in parents:
        index: int | None = start
        while index is not None and index not in seen:
            seen[index] = start
            index = parents.get(index)
        if index is not None and seen[index] == start:
            first = index
            while True:
                found.append(index)
                index = parents[index]
                if index == first:
                    break
    return sorted(found)


def _find_carriers(bodies: Sequence[Body], parents: Mapping[int, int]) -> list[tuple[int, Floats]]:
    """Find the carrier R of each body B, and X_RB; B itself where nothing carries it."""
    known: dict[int, tuple[int, Floats]] = {}
    for start in range(len(bodies)):
        chain = [start]
        while chain[-1] in parents and chain[-1] not in known:
            chain.append(parents[chain[-1]])
        for index in reversed(chain):
            if index in known:
                continue
            pose = bodies[index].X_PB
            if index not in parents or pose is None:
                known[index] = index, np.eye(4)
                continue
            root, X_RP = known[parents[index]]
            known[index] = root, X_RP @ frames.homogeneous(pose.R_PB, pose.p_PoBo_P)
    return [known[index] for index in range(len(bodies))]


Matrix = Sequence[Sequence[float]]


def compare_added_mass(a: Matrix, b: Matrix) -> float:
    """Norm of the difference of two added masses, relative to the larger one.

    The blocks of masses and of inertias are each divided by their norm, and the coupling by the
    root of both, so that no unit decides.

    Args:
        a: 6x6, or empty for none, which is one of zeros.
        b: The same.

    Returns:
        0 for equal ones; infinite where a number is not finite in one of them alone.
    """
    if not a and not b:
        return 0.0
    one, other = (np.array(each or np.zeros((6, 6)), dtype=np.float64) for each in (a, b))
    if np.array_equal(one, other, equal_nan=True):
        return 0.0
    if not np.all(np.isfinite([one, other])):
        return inf
    roots = np.repeat([_root(one[part, part], other[part, part]) for part in _BLOCKS], 3)
    scale = np.outer(roots, roots)
    size = max(float(np.linalg.norm(scale * each)) for each in (one, other))
    return float(np.linalg.norm(scale * (one - other))) / size


_BLOCKS = slice(0, 3), slice(3, 6)


def _root(one: Floats, other: Floats) -> float:
    size = max(float(np.linalg.norm(each)) for each in (one, other))
    return 1 / float(np.sqrt(size)) if size > 0 else 1.0


_TWICE = "newton:inertia states another tensor, which Newton builds: IC712"
"""Reason where one side has two tensors of a body."""

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
    judged = [judge(model) for model in models]
    found, merging = _compare_models(models, judged, names or {}, lump_fixed, tolerance)
    # Add explanations to the bodies that differ; returns a note if some bodies were left out.
    differ = [place for place, one in enumerate(found) if _rigid_differences(one)]
    looked_at = [found[place] for place in differ[:MOST_EXPLAINED]]
    explanations = [explain(*one.readings, _rigid_differences(one), tolerance) for one in looked_at]
    for place, own in zip(differ, rank_by_model(explanations), strict=False):
        difference = found[place].difference._replace(explanations=own)
        found[place] = found[place]._replace(difference=difference)
    if len(differ) <= MOST_EXPLAINED:
        left_out = []
    else:
        count = f"{MOST_EXPLAINED} of the {len(differ)} bodies that differ"
        left_out = [f"mistakes that explain a difference were looked for in the first {count}"]
    bodies = tuple(one.difference for one in found)
    # What an engine compiles otherwise than written is compared as written, which must be said.
    altered = (
        f"{model.source.path}: compared as written: {problem.message}"
        for model in models
        for problem in model.problems
        if problem.kind == "engine" or any(each.action == "alter" for each in problem.misreadings)
    )
    notes = (*merging, *dict.fromkeys(altered), *left_out)
    first, second = (_name_model(model) for model in models)
    compiled = None
    made = [compile_bodies(*each) for each in zip(models, judged, strict=True)]
    if any(model.format == MJCF for model in models) and any(each.note for each in made):
        said = zip(models, made, strict=True)
        notes += tuple(f"{model.source.path}: {one.note}" for model, one in said if one.note)
        if all(each.known for each in made):
            again_judged = [each.judgements for each in made]
            again, _ = _compare_models(models, again_judged, names or {}, lump_fixed, tolerance)
            pairs = tuple(one.difference for one in again)
            compiled = Difference(first, second, tolerance, pairs)
    return Difference(first, second, tolerance, bodies, notes, compiled)


def _compare_models(
    models: Sequence[Model],
    judged: Sequence[Sequence[Judgement]],
    names: Mapping[str, str],
    lump_fixed: bool,
    tolerance: float,
) -> tuple[list[_ComparedPair], Sequence[str]]:
    """Compare two models by these judgements; also returns notes on bodies that were not merged."""
    a, b = (_Side(*each) for each in zip(models, judged, strict=True))
    entries = [side.describe_all(lump_fixed) for side in (a, b)]
    left, right = ([entry.body for entry in own] for own in entries)
    matched = match_bodies(left, right, names, (a.path, b.path))
    if not lump_fixed:
        a.add_parts(matched)
        b.add_parts(matched.values())
    found = list(_compare_all(a, b, entries, matched, tolerance))
    return found, (*a.notes, *b.notes)


def _name_model(model: Model) -> ComparedModel:
    """Name a model, with the parts of its documents that could not be read."""
    unread = [
        UnjudgedInertial(place.path or model.source.path, place.line, problem.message)
        for problem in model.problems
        if problem.kind in ("reference", "unread")
        for place in [model.place(problem.span)]
    ]
    if model.format != "xacro":
        unread += Account.of(count_model(model)).unjudged
    return ComparedModel(model.source.path, model.format, model.name, tuple(unread))


def _rigid_differences(one: _ComparedPair) -> tuple[MassProperty, ...]:
    """The properties of the rigid body that differ by numbers that mistakes can explain."""
    return tuple(each for each in one.difference.differs if each in QUANTITIES and not one.twice)


class _ComparedPair(NamedTuple):
    """Difference of a pair of bodies, and the numbers behind it."""

    difference: BodyDifference
    readings: tuple[MassProperties, MassProperties] = (_NOTHING, _NOTHING)
    twice: bool = False

    def mass_beyond(self, tolerance: float) -> float:
        """The deviation of the masses, where it is less than the printed digits leave open.

        Returns:
            No less than the tolerance; infinite where the masses are others, or unknown.
        """
        found = self.difference.deviations
        open_to = tolerance + sum(reading.digits.mass for reading in self.readings)
        close = found is not None and found.mass <= open_to
        return max(found.mass, tolerance) if found is not None and close else inf


class _SideBody(NamedTuple):
    """Body of one model as it is compared, with its numbers or the reason why it has none."""

    body: Body
    shown: ComparedBody
    reading: MassProperties
    reason: str
    still: bool = False
    apart: float = 0.0


class _Side:
    """One of the models, with the numbers of its bodies."""

    def __init__(self, model: Model, judgements: Sequence[Judgement]) -> None:
        self.path = model.source.path
        self.fuses = model.format == "mjcf"
        self._rooted = self.fuses or model.format in ("urdf", "xacro")  # in the world, for MuJoCo
        self.notes: Sequence[str] = ()
        self.sums: dict[int, _SideBody] = {}
        self.parts: Mapping[int, Sequence[int]] = {}
        self._model = model
        bodies = list(zip(model.bodies, judgements, strict=True))
        self._numbers = [_read_numbers(*each) for each in bodies]
        self._apart = [measure_disagreement(*each) for each in bodies]
        rows = [[r.mass, *(r.mass * r.p_BoBcm_B), *six(r.I_BBcm_B)] for r, _ in self._numbers]
        self._thetas = np.array(rows).reshape(-1, 10)  # about the centres of mass

    def describe_all(self, lump_fixed: bool) -> list[_SideBody]:
        """Describe all bodies, or those that are left when all others are merged into them."""
        lumped, bodies = lump(self._model, self._thetas), self._model.bodies
        if lump_fixed:
            self.notes = lumped.notes
            left = [index for index, carrier in enumerate(lumped.carrier) if carrier == index]
            return [self._describe(index, lumped) for index in left]
        entries = []
        for index in range(len(self._numbers)):
            own, parts = self._describe(index, None), lumped.merged.get(index, ())
            whole = self._describe(index, lumped)
            known = whole.reading if parts and not whole.reason else None
            reading = replace(own.reading, lumped=known, merged=whole.shown.merged)
            still = bodies[lumped.carrier[index]].joint in (None, _FIXED) and self._rooted
            entries.append(own._replace(reading=reading, still=still))
        return entries

    def add_parts(self, matched: Collection[int]) -> None:
        """Merge the bodies on fixed joints that have no counterpart into those that carry them."""
        alone = set(range(len(self._numbers))).difference(matched)
        lumped = lump(self._model, self._thetas, alone)
        self.notes, self.parts = lumped.notes, lumped.merged
        self.sums = {index: self._describe(index, lumped) for index in lumped.merged}

    def _describe(self, index: int, lumped: LumpedModel | None) -> _SideBody:
        """Convert a body, with those merged into it, to the data that reports show."""
        body, (reading, reason) = self._model.bodies[index], self._numbers[index]
        parts = lumped.merged.get(index, ()) if lumped is not None else ()
        unknown = [part for part in parts if self._numbers[part][1]]
        if unknown and not reason:
            name, why = self._model.bodies[unknown[0]].name, self._numbers[unknown[0]][1]
            reason = f"{name}, merged into it: {why}"
        elif lumped is not None and parts and not reason:
            reading = _of_theta(lumped.theta[index])
        place = self._model.place(body.span)
        shown = ComparedBody(
            body.name,
            body.id,
            place.line,
            place.path,
            nan if reason else reading.mass,
            (nan,) * 3 if reason else tuple(reading.p_BoBcm_B.tolist()),
            (nan,) * 6 if reason else tuple(six(reading.I_BBcm_B).tolist()),
            tuple(self._model.bodies[part].name for part in parts),
            _read_added_mass(body),
        )
        return _SideBody(body, shown, reading, reason, apart=self._apart[index])


def _read_numbers(body: Body, judgement: Judgement) -> tuple[MassProperties, str]:
    """Read the numbers of a body in SI units, or find the reason why it has none."""
    inertial = body.inertial
    if body.inertia_from == "geometry":
        return _NOTHING, "it takes its inertia from its geometry"
    if inertial is None:  # MuJoCo's bounds may give it numbers
        ten = np.array([judgement.mass, 0.0, 0.0, 0.0, *judgement.I_BBcm_B])
        return (_NOTHING if isnan(judgement.mass) else _of_theta(ten)), ""
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
    texts = [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES]
    mass = half_units([inertial.mass.text])[0] if inertial.mass is not None else 0.0
    center_open = [half_units([number.text])[0] for number in inertial.p_BoBcm_B]
    kilograms, meters = inertial.kilograms_per_unit, inertial.meters_per_unit
    moments = np.multiply(half_units(texts), kilograms * (meters * meters))
    radii = np.array([mass * kilograms, *np.multiply(center_open, meters), *moments])
    quaternion = [number for number in inertial.quaternion or () if number.span is not None]
    turn = 2 * hypot(*(half_units([number.text])[0] for number in quaternion))
    turn = share(turn, hypot(*(number.value for number in quaternion)))
    reading = MassProperties(judgement.mass, center, axes, np.asarray(tensor), radii, turn)
    if not np.all(np.isfinite(reading.I_BBcm_B)):
        return _NOTHING, "its inertia is too large to be turned into the axes of the body"
    return reading, ""


def _of_theta(theta: Floats) -> MassProperties:
    mass = float(theta[0])
    center = theta[1:4] / mass if mass else np.zeros(3)
    return MassProperties(mass, center, np.eye(3), symmetric(theta[4:]))


def _read_added_mass(body: Body) -> tuple[tuple[float, ...], ...]:
    """The added mass of a body as numbers; () where none is stated."""
    if body.inertial is None:
        return ()
    return tuple(tuple(n.value for n in row) for row in body.inertial.fluid_added_mass)


def _compare_all(
    a: _Side,
    b: _Side,
    entries: Sequence[Sequence[_SideBody]],
    matched: Mapping[int, int],
    tolerance: float,
) -> Iterator[_ComparedPair]:
    """Compare every body of A with its counterpart, then list the bodies that only B has."""
    left, right = entries
    pairs: dict[int, _ComparedPair] = {}
    gone_a, gone_b = set[int](), set(matched.values())
    for i, j in matched.items():
        tried = [
            _compare_pair(one, other, tolerance)
            for one in (left[i], a.sums.get(i))
            for other in (right[j], b.sums.get(j))
            if one is not None and other is not None
        ]
        pairs[i] = best = min(tried, key=lambda pair: pair.mass_beyond(tolerance))
        if best is not tried[0]:
            pairs[i] = best._replace(difference=best.difference._replace(reason=_AS_SUM))
            gone_a.update(a.parts[i] if best.difference.a is not left[i].shown else ())
            gone_b.update(b.parts[j] if best.difference.b is not right[j].shown else ())
    for i, entry in enumerate(left):
        if i in pairs:
            yield pairs[i]
        elif i not in gone_a:
            why = _STILL if entry.still and b.fuses else ""
            alone = BodyDifference("only-a", entry.shown, None, frame=_is_frame(entry), reason=why)
            yield _ComparedPair(alone)
    for j, entry in enumerate(right):
        if j not in gone_b:
            why = _STILL if entry.still and a.fuses else ""
            alone = BodyDifference("only-b", None, entry.shown, frame=_is_frame(entry), reason=why)
            yield _ComparedPair(alone)


def _compare_pair(one: _SideBody, other: _SideBody, tolerance: float) -> _ComparedPair:
    both = (("A", one.reason), ("B", other.reason))
    reasons = "; ".join(f"in {which}, {reason}" for which, reason in both if reason)
    if reasons:
        return _ComparedPair(BodyDifference("incomparable", one.shown, other.shown, reason=reasons))
    readings = one.reading, other.reading
    found, rounding = deviations(*readings), rounding_floors(*readings)
    differs: tuple[MassProperty, ...] = tuple(
        quantity
        for quantity, deviation, floor in zip(QUANTITIES, found, rounding, strict=True)
        if deviation > max(tolerance, floor)
    )
    fluid = compare_added_mass(one.shown.added_mass, other.shown.added_mass)
    if not fluid <= tolerance:
        differs = (*differs, "added_mass")
    # A second spelling in USD, by which Newton builds another body than all other engines.
    twice = [
        name for name, side in (("A", one), ("B", other)) if side.apart > tolerances.SAME_SPELLING
    ]
    if twice:
        found = found._replace(inertia=max(found.inertia, one.apart, other.apart))
        differs = tuple(dict.fromkeys((*differs, "inertia")))
    status: PairStatus = "differs" if differs else "equal"
    why = f"in {' and '.join(twice)}, {_TWICE}" if twice else ""
    pair = BodyDifference(
        status, one.shown, other.shown, found, differs, reason=why, added_mass=fluid
    )
    return _ComparedPair(pair, readings, bool(twice))


def _is_frame(entry: _SideBody) -> bool:
    reading = entry.reading
    return not entry.reason and reading.mass == 0 and not reading.I_BBcm_Bi.any()
