"""Loads that a robot carries in some recordings: bodies beside its own, fitted in one problem.

A load is fixed to a body, and its ten parameters are about the origin of that body's frame, in its
axes. In recordings with the load, its columns of the regressor are those of the body that carries
it; in the others they are zero. A load that is known is no unknown: its torque is subtracted.

Loads that a robot carried in some recordings, from a TOML file; their prior and their report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.checking.toml import TomlFile
from inertial_check.documents.files.access import Access
from inertial_check.documents.spelling import suggest_name
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import Block, Samples
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.consistency import check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.projection.constraint import Constraint
from inertial_check.projection.constraints import FixedCom, FixedMass
from inertial_check.reports.identification_types import LoadValue, Remark

ROUNDS = 6
"""Largest number of fits that look for the size of a load of which nothing is expected."""

SAME_SIZE = 0.1
"""Relative change of a load's mass below which its expected size is kept."""

NARROW = 0.3
"""Least expected radius of gyration of a load, relative to the distance of its centre of mass from
the origin of the body that carries it, and to the radius of that body."""


@dataclass(frozen=True, eq=False)
class Load:
    """A body that a robot carries in some recordings.

    Attributes:
        name: Name of the load, as recordings refer to it.
        body: Index of the body that carries it, among those of the samples.
        known: (10,) its parameters in order "urdf", about the origin of that body in its axes;
            None for a load that is to be identified.
        link: Name of the link that carries it.
        recordings: Paths of the recordings in which it is carried, as on the command line.
        mass: Known mass; None where it is to be identified [kg].
        com: Known centre of mass in the axes of the link [m]; None where it is to be identified.
    """

    name: str
    body: int
    known: ArrayLike | None = None
    link: str = ""
    recordings: tuple[str, ...] = ()
    mass: float | None = None
    com: tuple[float, ...] | None = None


def carry_loads(samples: Samples, loads: Sequence[Load], carried: Collection[str]) -> Samples:
    """Add loads to the samples of a recording.

    Args:
        samples: Samples of the robot without loads.
        loads: All loads; those that are to be identified follow the robot's bodies, in this order.
        carried: Names of the loads that the robot carried.

    Returns:
        Samples of the robot's bodies and these loads.

    Raises:
        ParameterError: A load that is carried or a body that carries it does not exist.
    """
    names = [load.name for load in loads]
    # Refuse loads that do not exist, names that repeat, and bodies that there are not.
    for name in carried:
        if name not in names:
            raise ParameterError(f"{name!r} is no load; there are {', '.join(names) or 'none'}")
    for load in loads:
        if names.count(load.name) > 1:
            raise ParameterError(f"load {load.name!r} is given more than once")
        if not 0 <= load.body < samples.bodies:
            raise ParameterError(
                f"load {load.name!r} is carried by body {load.body}: there are bodies 0 to "
                f"{samples.bodies - 1}"
            )
    free = [load for load in loads if load.known is None]
    fixed = [load for load in loads if load.known is not None]
    order = [names.index(load.name) for load in (*free, *fixed)]
    there = np.array([names[place] in carried for place in order], dtype=bool)
    places = np.array([loads[place].body for place in order], dtype=np.intp)
    entries = (10 * places[:, None] + np.arange(10)).ravel()
    present = np.repeat(there.astype(np.float64), 10)

    def source() -> Iterator[Block]:
        for Y, F, tau in samples.source():
            yield np.concatenate([Y, Y[:, :, entries] * present], axis=2), F, tau

    return replace(
        samples,
        bodies=samples.bodies + len(free),
        source=source,
        known=_read_known(fixed, samples.order),
    )


def expect_loads(
    prior: Floats, loads: Sequence[Load], fit: Callable[[Floats], Identification]
) -> Floats:
    """Find the prior of loads that are to be identified.

    A load is like the body that carries it at first, and then a ball of the mass and at the place
    that a fit gives it, in rounds: the prior decides only its shape.

    Args:
        prior: (L, 10) prior of the robot's bodies in order "urdf".
        loads: Loads that are to be identified.
        fit: Function that fits bodies and loads to the samples, given their prior (L + U, 10).

    Returns:
        (L + U, 10) prior of bodies and loads.
    """
    carriers = [prior[load.body] for load in loads]
    pairs = list(zip(carriers, loads, strict=True))
    guesses = [_make_ball(carrier, carrier, load.mass) for carrier, load in pairs]
    whole = np.concatenate([prior, np.reshape(guesses, (-1, 10))])
    for _ in range(ROUNDS if loads else 0):
        fitted = InertialParameters.from_theta(fit(whole).theta).as_theta()
        before = whole[len(prior) :, 0].copy()
        for place, (carrier, load) in enumerate(pairs, len(prior)):
            whole[place] = _make_ball(np.asarray(fitted)[place], carrier, load.mass)
        if np.all(np.abs(whole[len(prior) :, 0] / before - 1) < SAME_SIZE):
            break
    return whole


def find_inseparable(
    loads: Sequence[Load], recordings: Sequence[Collection[str]]
) -> Iterator[tuple[Load, tuple[Load, ...], bool]]:
    """Find loads that no recording tells from the body that carries them, or from other loads.

    A body and its loads are told apart by recordings with and without each of them: which of them
    a recording has is a row of ones and zeros, and a column that follows from others adds nothing.

    Args:
        loads: Loads that are to be identified.
        recordings: Names of the loads that the robot carried, for each recording.

    Yields:
        A load, the loads that it cannot be told from, and whether the body is one with them.
    """
    for place, load in enumerate(loads):
        others = [each for each in loads[:place] if each.body == load.body]
        columns = np.array(
            [
                [1.0, *(each.name in carried for each in others), load.name in carried]
                for carried in recordings
            ]
        )
        before, last = columns[:, :-1], columns[:, -1]
        if not last.any() or np.linalg.matrix_rank(columns) > np.linalg.matrix_rank(before):
            continue
        factors = np.linalg.lstsq(before, last, rcond=None)[0]
        body, *used = (np.abs(factors) > tolerances.RANK).tolist()
        yield load, tuple(each for each, own in zip(others, used, strict=True) if own), body


def _make_ball(theta: Floats, carrier: Floats, mass: float | None) -> Floats:
    """Make a ball (10,) of the mass, place and radius of gyration of a body, but no point mass."""
    own = InertialParameters.from_theta(theta)
    weight, com = float(own.mass), np.asarray(own.com)
    radius = _find_radius(theta)
    least = NARROW * max(float(np.linalg.norm(com)), _find_radius(carrier))
    new = weight if mass is None else mass
    inertia = 2 / 3 * new * max(radius, least) ** 2 * np.eye(3)
    return np.asarray(InertialParameters.from_com(new, com, inertia).as_theta())


def _find_radius(theta: Floats) -> float:
    """Find the radius of gyration of a body (10,): root of half the trace of its inertia by m."""
    own = np.asarray(InertialParameters.from_theta(theta).as_theta(about="com"))
    return float(np.sqrt(max(own[[4, 7, 9]].sum() / 2 / own[0], 0.0)))


def _read_known(loads: Sequence[Load], order: Order) -> Floats:
    """Read the parameters of known loads (K, 10) in an order.

    Raises:
        ParameterError: They are not ten finite numbers.
    """
    found = np.zeros((len(loads), 10))
    for place, load in enumerate(loads):
        theta = np.asarray(load.known, dtype=np.float64)
        if theta.shape != (10,) or not np.isfinite(theta).all():
            raise ParameterError(f"load {load.name!r}: expected ten finite numbers, got {theta!r}")
        found[place] = theta
    return np.asarray(reorder(found, "urdf", order))


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
        message = (
            f"load {load.name} and {' and '.join(names)} are told apart by no recording: only "
            "their sum is identified, and the prior splits it; add a recording that carries one "
            "without the other, or give mass, com and inertia of the load"
        )
        yield Remark(
            Severity.ERROR if with_link and not known else Severity.WARNING, "load", message
        )
