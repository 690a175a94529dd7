"""Consistent bodies of a robot for published base parameters, and the files that hold these."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.documents.files.access import open_regular
from inertial_check.errors import DocumentError, InertialCheckError, UsageError
from inertial_check.fixing.result import Fix
from inertial_check.fixing.writing import write_parameters
from inertial_check.identification.command import read_prior
from inertial_check.identification.fit.base import BaseParameters, BaseTerm
from inertial_check.identification.fit.published import FromBase, identify_from_base
from inertial_check.identification.fit.result import MISFIT
from inertial_check.identification.gate import (
    THIN,
    check_written,
    describe_finding,
    judge_bodies,
)
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.robot import (
    Robot,
    list_numbers,
    read_robot,
    remark_on_merged,
    split_bodies,
)
from inertial_check.inertia.arrays import Floats
from inertial_check.reports.identification_types import THETA, MergedBody, Remark

LARGEST = 2**24
"""Largest size of a file of base parameters [bytes]: a thousand of them take a tenth."""

_NAMES = ("name", "parameter", "base parameter", "combination")
_VALUES = ("value", "estimate")
_DEVIATIONS = ("standard_deviation", "standard deviation", "deviation", "std", "sigma")
_TERM = re.compile(
    r"\s*([+-]?)\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)\s*[*·]?\s*)?"
    r"([A-Za-z]+)_?(?:\(((?:[^()]|\([^()]*\))*)\)|(\d+))\s*(?=$|[+-])"
)
"""Pattern of a term, such as "- 0.3 m3" or "Iyy(upper)"."""

_ENTRIES = {name.casefold(): place for place, name in enumerate(THETA)} | {
    **{own: place for place, own in enumerate(("mx", "my", "mz"), 1)},
    **{own: place for place, own in enumerate(("xx", "xy", "xz", "yy", "yz", "zz"), 4)},
}
"""Places of the ten numbers by their names, also those of Khalil and Dombre (XX, MX, M)."""


class BaseEntry(NamedTuple):
    """A published base parameter.

    Attributes:
        name: Combination in symbols, as "Izz1 + Iyy2 - 0.3 m3".
        value: Value [SI].
        deviation: Standard deviation; None if none is stated.
    """

    name: str
    value: float
    deviation: float | None


class BaseFile(NamedTuple):
    """A table of published base parameters.

    Attributes:
        base: The combinations, of the bodies that were named to `read_base_file`.
        entries: The rows that are used, in the order of `base`.
        covariance: (b, b) covariance, or None if no deviations are stated.
        left: Names of rows that have nothing of a body.
    """

    base: BaseParameters
    entries: tuple[BaseEntry, ...]
    covariance: Floats | None
    left: tuple[str, ...]


def read_base_file(path: str, bodies: Sequence[str]) -> BaseFile:
    """Read base parameters from csv, json, toml or yaml, also from a JSON report of `identify`.

    Args:
        path: Path of the file.
        bodies: Names of the bodies; a term with a number k is of the k-th.

    Raises:
        DocumentError: The file cannot be read, or a row is not understood.
        UsageError: A combination depends on the others, or only some have a deviation.
    """
    rows, covariance = _read_rows(path)
    entries = [_read_entry(path, *row) for row in rows]
    if not entries:
        raise DocumentError(path, "no base parameters; expected rows of name and value")
    terms = [_read_terms(path, entry.name, bodies) for entry in entries]
    used = [place for place, own in enumerate(terms) if any(isinstance(k, int) for k in own)]
    if not used:
        raise DocumentError(path, "no base parameter has a number of a body")
    further = sorted({k for place in used for k in terms[place] if isinstance(k, str)})
    count = 10 * len(bodies)
    columns = (*(f"{own}({body})" for body in bodies for own in THETA), *further)
    K = np.zeros((len(used), len(columns)))
    for row, place in enumerate(used):
        for key, coefficient in terms[place].items():
            K[row, key if isinstance(key, int) else count + further.index(key)] += coefficient
    kept = tuple(entries[place] for place in used)
    _refuse_dependent(path, K, kept)
    first = [next(int(k) for k in np.flatnonzero(own)) for own in K]
    base = BaseParameters(
        K,
        np.array(first, dtype=np.intp),
        tuple(entry.name for entry in kept),
        columns,
        np.asarray(~K.any(axis=0)),
        np.asarray(np.linalg.svd(K, compute_uv=False), dtype=np.float64),
        "urdf",
        len(further),
        tuple(tuple(BaseTerm(float(own[k]), int(k)) for k in np.flatnonzero(own)) for own in K),
    )
    left = tuple(entry.name for place, entry in enumerate(entries) if place not in used)
    if covariance is not None:
        return BaseFile(base, kept, covariance[np.ix_(used, used)], left)
    return BaseFile(base, kept, _read_deviations(path, kept), left)


def _read_deviations(path: str, entries: Sequence[BaseEntry]) -> Floats | None:
    """(b,) variances; None if no row states a deviation.

    Raises:
        UsageError: Only some rows state one, or one is not positive.
    """
    without = [entry.name for entry in entries if entry.deviation is None]
    if len(without) == len(entries):
        return None
    if without:
        raise UsageError(
            f"{path}: no standard deviation of {without[0]}, and others have one: give all or none"
        )
    found = np.array([entry.deviation for entry in entries], dtype=np.float64)
    if not np.all(found > 0):
        name = entries[int(np.argmin(found > 0))].name
        raise UsageError(f"{path}: the standard deviation of {name} is not above 0")
    return found**2


def _refuse_dependent(path: str, K: Floats, entries: Sequence[BaseEntry]) -> None:
    """Refuse combinations that follow from others: one of them would be said twice.

    Raises:
        UsageError: The message names the first that follows from those before.
    """
    scaled = K / np.linalg.norm(K, axis=1, keepdims=True)
    if np.linalg.matrix_rank(scaled) == len(K):
        return
    for row in range(1, len(K) + 1):
        if np.linalg.matrix_rank(scaled[:row]) < row:
            raise UsageError(
                f"{path}: {entries[row - 1].name} follows from the base parameters before it: "
                "expected each combination once"
            )


def _read_terms(path: str, name: str, bodies: Sequence[str]) -> dict[int | str, float]:
    """Read a combination: coefficients by the column of a body, or by the name of another number.

    Raises:
        DocumentError: It is no sum of such terms, or names an unknown body.
    """
    found: dict[int | str, float] = {}
    at = 0
    while at < len(name):
        term = _TERM.match(name, at)
        if term is None or (at > 0 and not term[1]):
            raise DocumentError(
                path,
                f"{name!r} is no sum of parameters from {name[at : at + 20]!r} on: expected terms "
                "such as Iyy(upper) + 0.16 m(lower), or Izz1 - 0.3 m2",
            )
        at = term.end()
        sign = -1.0 if term[1] == "-" else 1.0
        coefficient = sign * (1.0 if term[2] is None else float(term[2]))
        entry = _ENTRIES.get(term[3].casefold())
        key: int | str = f"{term[3]}{term[5] or term[4]}"
        if entry is not None:
            key = 10 * _find_body(path, name, term[4], term[5], bodies) + entry
        found[key] = found.get(key, 0.0) + coefficient
    return {key: own for key, own in found.items() if own != 0.0}


def _find_body(
    path: str, name: str, word: str | None, number: str | None, bodies: Sequence[str]
) -> int:
    """Find the index of the body of a term.

    Raises:
        DocumentError: There is no such body.
    """
    if word is not None and word in bodies:
        return bodies.index(word)
    if number is not None and 1 <= int(number) <= len(bodies):
        return int(number) - 1
    raise DocumentError(
        path,
        f"{name!r}: no identified body is {word or number}; there are {', '.join(bodies)}, or 1 to "
        f"{len(bodies)}",
    )


def _read_entry(path: str, name: object, value: object, deviation: object) -> BaseEntry:
    """Read a row.

    Raises:
        DocumentError: A name that is no text, or a number that is none.
    """
    if not isinstance(name, str) or not name.strip():
        raise DocumentError(path, f"{name!r} is no name of a base parameter")
    numbers: list[float | None] = []
    for what, own in (("value", value), ("standard deviation", deviation)):
        if what != "value" and (own is None or own == ""):
            numbers.append(None)
            continue
        try:
            number = float(own)  # type: ignore[arg-type]  # anything else is told below
        except (TypeError, ValueError):
            number = np.nan
        if isinstance(own, bool) or not isfinite(number):
            raise DocumentError(path, f"{name}: the {what} is {own!r}, expected a finite number")
        numbers.append(number)
    return BaseEntry(name.strip(), numbers[0] or 0.0, numbers[1])


def _read_rows(path: str) -> tuple[list[tuple[object, object, object]], Floats | None]:
    """Read the rows (name, value, deviation), and the covariance of a report.

    Raises:
        DocumentError: The file cannot be read as its suffix says.
    """
    try:
        with open_regular(path) as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None
    if len(data) > LARGEST:
        raise DocumentError(path, f"more than {LARGEST} bytes: that is no table of base parameters")
    try:
        text = data.decode("utf-8-sig")
        if path.endswith(".json"):
            return _read_tree(path, json.loads(text))
        if path.endswith(".toml"):
            return _read_tree(path, tomllib.loads(text))
        if path.endswith((".yaml", ".yml")):
            from yaml import YAMLError, safe_load  # not needed by other formats

            try:
                return _read_tree(path, safe_load(text))
            except YAMLError as error:
                raise ValueError(" ".join(str(error).split())) from None
        return _read_csv(path, text), None
    except (ValueError, RecursionError, csv.Error) as error:
        raise DocumentError(path, f"not read: {error}") from None
    except ImportError:
        raise DocumentError(
            path, "yaml needs PyYAML: pip install pyyaml, or give csv, json or toml"
        ) from None


def _read_csv(path: str, text: str) -> list[tuple[object, object, object]]:
    rows = [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#")]
    if not rows:
        return []
    header = [cell.strip().casefold() for cell in rows[0]]
    places = [
        next((header.index(each) for each in names if each in header), None)
        for names in (_NAMES, _VALUES, _DEVIATIONS)
    ]
    if places[0] is None or places[1] is None:
        raise DocumentError(
            path, f"the header has {', '.join(header)}; expected name,value,standard_deviation"
        )
    return [
        tuple(None if k is None or k >= len(row) else row[k] for k in places)  # type: ignore[misc]
        for row in rows[1:]
    ]


def _read_tree(
    path: str, tree: object
) -> tuple[list[tuple[object, object, object]], Floats | None]:
    covariance = None
    if isinstance(tree, Mapping) and isinstance(tree.get("base"), Mapping):
        tree = tree["base"]
    if isinstance(tree, Mapping) and isinstance(tree.get("parameters"), Sequence):
        if tree.get("covariance"):
            covariance = np.array(tree["covariance"], dtype=np.float64)
        tree = tree["parameters"]
    if isinstance(tree, Mapping):
        rows = [(name, *_split(own)) for name, own in tree.items()]
    elif isinstance(tree, Sequence) and not isinstance(tree, str):
        rows = [(_get(own, _NAMES), *_split(own)) for own in tree]
    else:
        raise DocumentError(path, "expected a list of name and value, or a mapping of names")
    if covariance is not None and covariance.shape != (len(rows), len(rows)):
        raise DocumentError(
            path, f"covariance has shape {covariance.shape}, expected {(len(rows), len(rows))}"
        )
    return rows, covariance


def _split(own: object) -> tuple[object, object]:
    """Value and deviation of a row: a number, or a mapping of both."""
    if isinstance(own, Mapping):
        return _get(own, _VALUES), _get(own, _DEVIATIONS)
    return own, None


def _get(own: object, names: Sequence[str]) -> object:
    if not isinstance(own, Mapping):
        return None
    return next((own[name] for name in names if name in own), None)


@dataclass(frozen=True, eq=False)
class BodiesFromBase:
    """Bodies of a robot for a file of base parameters.

    Attributes:
        options: Options of the identification.
        robot: Robot with these bodies.
        table: The base parameters.
        found: The bodies.
        remarks: Remarks on robot, prior, table and result; the worst first.
        merged: Bodies that were identified as one, with the numbers of their parts.
    """

    options: IdentifyOptions
    robot: Robot
    table: BaseFile
    found: FromBase
    remarks: tuple[Remark, ...]
    merged: tuple[MergedBody, ...] = ()

    @cached_property
    def fix(self) -> Fix:
        """The robot's file with these bodies, all of them or none; not written yet."""
        model = self.robot.model
        numbers = list_numbers(model, self.robot.bodies, self.found.theta, self.merged)
        return write_parameters(model, numbers, context=self.options.context)


def identify_base_file(options: IdentifyOptions, path: str) -> BodiesFromBase:
    """Find the consistent bodies that are nearest to published base parameters.

    Args:
        options: Options of the identification: robot, prior, weight and margin.
        path: Path of the file of base parameters.

    Raises:
        DocumentError: A file cannot be read.
        UsageError: The base parameters are not of this robot.
        ParameterError: Numbers cannot be used.
        ProjectionError: The problem has no certified answer.
    """
    robot = read_robot(options.model, options.context, options.robot)
    prior = read_prior(options, robot)
    table = read_base_file(path, robot.names)
    weight = options.fit.regularization
    found = identify_from_base(
        np.array([entry.value for entry in table.entries]),
        table.base,
        prior.parameters,
        covariance=table.covariance,
        regularization=1.0 if isinstance(weight, str) else weight,
        margin=options.fit.margin,
        bodies=robot.names,
    )
    remarks = [*robot.remarks, *prior.remarks]
    if table.left:
        message = f"{path}: nothing of a body, not used: {', '.join(table.left)}"
        remarks.append(Remark(Severity.NOTE, "not-used", message))
    remarks += [Remark(Severity.NOTE, "base", line) for line in found.identification.noted]
    if not found.realisable:
        way = "; give standard deviations, beside which the prior counts"
        message = found.doubt + (way if table.covariance is None else "")
        remarks.append(Remark(Severity.WARNING, "base", message))
    weighted = found.distance / np.sqrt(len(table.entries))
    if weighted > MISFIT:
        of = "of what the prior leaves open" if table.covariance is None else "of the values"
        worst = int(np.argmax(np.abs(found.deviations)))
        entry = table.entries[worst]
        message = (
            f"{path}: the bodies miss these base parameters by {weighted:.3g} deviations {of} in "
            f"the mean, expected about 1, most of all {entry.name}: {entry.value:.5g}, and of the "
            f"bodies {found.beta[worst]:.5g}; look at units, signs and frames of this robot"
        )
        remarks.append(Remark(Severity.ERROR, "misfit", message))
    remarks += judge_bodies(found.identification)
    merged = split_bodies(robot.model, robot.bodies, robot.groups, found.theta)
    remarks += remark_on_merged(merged)
    result = BodiesFromBase(options, robot, table, found, tuple(remarks), merged)
    try:
        findings = check_written(robot.model, result.fix, robot.part_names, options.context)
    except InertialCheckError:  # told where the document is to be written
        findings = ()
    margins = np.asarray(found.identification.consistency.margin).tolist()
    flat = {name for name, own in zip(robot.names, margins, strict=True) if own < THIN}
    said = [describe_finding(robot.model.source.path, each, flat) for each in findings]
    order = sorted([*remarks, *said], key=lambda remark: -remark.severity)
    return BodiesFromBase(options, robot, table, found, tuple(order), merged)
