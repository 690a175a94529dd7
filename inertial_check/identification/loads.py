"""Loads that a robot carried in some recordings, from a TOML file; their prior and their report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.checking.toml import TomlFile
from inertial_check.documents.files.access import Access
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import UsageError
from inertial_check.identification.fit.loads import Load, find_inseparable
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.robot import Robot
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.projection.constraint import Constraint
from inertial_check.projection.constraints import FixedCom, FixedMass
from inertial_check.reports.identification_types import LoadValue, Remark

_KEYS = ("name", "link", "recordings", "mass", "com", "inertia")


@dataclass(frozen=True)
class Loads:
    """All loads of an identification.

    Attributes:
        entries: Loads in the order of the file.
    """

    entries: tuple[Load, ...] = ()

    @property
    def free(self) -> tuple[Load, ...]:
        """Loads that are to be identified, in the order of their columns."""
        return tuple(each for each in self.entries if each.known is None)

    def list_names(self, path: str) -> frozenset[str]:
        """Names of the loads that the robot carried in a recording."""
        return frozenset(each.name for each in self.entries if path in each.recordings)

    def constraints(self, bodies: int) -> list[Constraint]:
        """Constraints of what is known of loads that follow so many bodies."""
        found: list[Constraint] = []
        for place, each in enumerate(self.free):
            if each.mass is not None:
                found.append(FixedMass(each.mass, bodies=(bodies + place,)))
            if each.com is not None:
                found.append(FixedCom(each.com, bodies=(bodies + place,)))
        return found


def read_loads(options: IdentifyOptions, robot: Robot) -> Loads:
    """Read the file of loads that the options name.

    Raises:
        UsageError: It cannot be read, or an entry does not fit the robot and its recordings.
    """
    path = options.loads
    if path is None:
        return Loads()
    values = TomlFile(path, Access(follow_outside=True)).values
    tables = values.get("load")
    if set(values) != {"load"} or not isinstance(tables, list) or not tables:
        raise UsageError(f"--loads {path}: expected tables [[load]] and nothing else")
    paths = (*options.data, *options.recordings.validation)
    entries = tuple(
        _read_entry(f"--loads {path}: load {place}", table, robot, paths)
        for place, table in enumerate(tables, 1)
    )
    names = [each.name for each in entries]
    for name in names:
        if names.count(name) > 1 or name in robot.names:
            raise UsageError(f"--loads {path}: {name!r} is the name of several bodies")
    return Loads(entries)


def _read_entry(where: str, table: object, robot: Robot, paths: Sequence[str]) -> Load:
    """Read one load.

    Raises:
        UsageError: The message names the entry and the key.
    """
    if not isinstance(table, Mapping):
        raise UsageError(f"{where}: expected a table [[load]]")
    for key in table:
        if key not in _KEYS:
            raise UsageError(f"{where}: {key!r} is no key{suggest_name(key, _KEYS)}")
    name, link = (_read_word(where, table, key) for key in ("name", "link"))
    mass = _read_numbers(where, table, "mass", 1)
    com = _read_numbers(where, table, "com", 3)
    inertia = _read_numbers(where, table, "inertia", 6)
    if (com is not None and mass is None) or (inertia is not None and com is None):
        raise UsageError(f"{where}: com needs mass beside it, and inertia both")
    if mass is not None and not mass[0] > 0:
        raise UsageError(f"{where}: mass is {mass[0]:g} kg, expected more than 0")
    known = None
    if mass is not None and com is not None and inertia is not None:
        xx, xy, xz, yy, yz, zz = inertia
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        body = InertialParameters.from_com(mass[0], com, tensor)
        if not check(body).consistent:
            raise UsageError(f"{where}: no body has these mass, com and inertia")
        known = np.asarray(body.as_theta())
    return Load(
        name,
        robot.body(link, f"{where}: link"),
        known,
        link,
        _match_recordings(where, table.get("recordings"), paths),
        None if mass is None else mass[0],
        com,
    )


def _match_recordings(where: str, given: object, paths: Sequence[str]) -> tuple[str, ...]:
    """Find the recordings that a load names, by path or by file name.

    Raises:
        UsageError: One is not among the recordings of the command.
    """
    if not isinstance(given, list) or not given or not all(isinstance(each, str) for each in given):
        raise UsageError(f"{where}: recordings: expected a list of recordings of the command")
    found: list[str] = []
    for name in given:
        own = [path for path in paths if path == name]
        own = own or [path for path in paths if os.path.basename(path) == name]
        if len(own) != 1:
            what = "no recording of the command" if not own else "the name of several recordings"
            raise UsageError(f"{where}: recordings: {name!r} is {what}: {', '.join(paths)}")
        found += own
    return tuple(found)


def _read_word(where: str, table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where}: {key}: expected a text")
    return value


def _read_numbers(
    where: str, table: Mapping[str, object], key: str, count: int
) -> tuple[float, ...] | None:
    if key not in table:
        return None
    value = table[key]
    numbers = value if isinstance(value, list) else [value]
    real = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in numbers)
    try:
        found = tuple(map(float, numbers)) if real else ()
    except OverflowError:
        found = ()
    if len(found) != count or not np.all(np.isfinite(found)):
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        raise UsageError(f"{where}: {key}: expected {expected}")
    return found


def list_loads(loads: Loads, found: Identification, bodies: int) -> tuple[LoadValue, ...]:
    """List the loads of an identification, in the order of the file.

    Args:
        loads: Loads of the file.
        found: Result, in which loads follow the robot's bodies.
        bodies: Number of the robot's bodies.
    """
    decided, rows = found.identifiability, []
    free = [each.name for each in loads.free]
    for each in loads.entries:
        if each.known is None:
            place = bodies + free.index(each.name)
            theta, deviation = found.theta[place], decided.standard_deviation[place].copy()
            share = decided.share[place].copy()
            if each.mass is not None:
                deviation[0], share[0] = 0.0, 1.0
        else:
            theta, deviation, share = np.asarray(each.known), np.zeros(10), np.ones(10)
        own = InertialParameters.from_theta(theta)
        known: tuple[str, ...] = () if each.mass is None else ("mass",)
        known += () if each.com is None else ("com",)
        known += () if each.known is None else ("inertia",)
        rows.append(
            LoadValue(
                name=each.name,
                link=each.link,
                recordings=each.recordings,
                known=known,
                mass=float(own.mass),
                com=tuple(np.asarray(own.com).tolist()),
                inertia=tuple(np.asarray(own.as_theta(about="com"))[4:].tolist()),
                margin=float(check(theta).margin),
                theta=tuple(theta.tolist()),
                standard_deviation=tuple(deviation.tolist()),
                share=tuple(share.tolist()),
            )
        )
    return tuple(rows)


def judge_loads(loads: Loads, data: Sequence[str]) -> Iterator[Remark]:
    """Remark on loads that the recordings do not tell from their link or from other loads.

    Where mass or centre of mass of the link are open, its numbers are no result: an error.

    Args:
        loads: Loads of the file.
        data: Paths of the recordings that are fitted.
    """
    for load, others, with_link in find_inseparable(loads.free, [*map(loads.list_names, data)]):
        names = [f"load {each.name}" for each in others]
        names += [f"link {load.link}"] if with_link else []
        known = all(each.com is not None for each in (load, *others))
        yield Remark(
            Severity.ERROR if with_link and not known else Severity.WARNING,
            "load",
            f"load {load.name} and {' and '.join(names)} are told apart by no recording: only "
            "their sum is identified, and the prior splits it; add a recording that carries one "
            "without the other, or give mass, com and inertia of the load",
        )
