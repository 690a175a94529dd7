"""Wrenches on a robot from outside: contacts, a force plate; their columns, axes and points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.forces import generalized_forces
from inertial_check.dynamics.kinematics import poses
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import UsageError
from inertial_check.formats.recordings import Recording
from inertial_check.identifying.floating.contact_options import (
    EVERY_BODY,
    FORCES,
    MOMENTS,
    ContactOptions,
)
from inertial_check.identifying.robot.robot import Robot
from inertial_check.inertia.frames import homogeneous
from inertial_check.model import Severity
from inertial_check.model.identified import Remark
from inertial_check.spelling import suggest_name

_PREFIX = "wrench_"
"""Beginning of the names of columns and arrays of wrenches; the name of the body follows."""

_PLATE = "plate"
"""Name of the array, and beginning of the names of the columns, of a force plate."""

_ROWS = 4096
"""Number of samples whose poses are in memory at a time."""


class Wrench(NamedTuple):
    """Wrench of the surroundings on one body, as recorded but in the order force, moment.

    Attributes:
        name: Name of the body, or of the plate.
        body: Index of the body in the tree.
        values: (S, 6) force and moment [N and N m].
        in_world: Whether the components are in the axes of the world.
        point: (3,) point of the world about which moments are taken; None for the body's origin.
        columns: Names of its columns in the recording; one name for an array.
        only_base: Whether other bodies than this one may touch what measures it, so that only the
            equations of the base can take it.
        X_BF: (4, 4) pose in the body of the frame whose origin and axes are those of the wrench;
            None for the body's own frame.
    """

    name: str
    body: int
    values: Floats
    in_world: bool
    point: tuple[float, ...] | None
    columns: tuple[str, ...]
    only_base: bool = False
    X_BF: Floats | None = None


def read_wrenches(
    recording: Recording, options: ContactOptions, robot: Robot
) -> tuple[list[Wrench], list[Remark]]:
    """Read the wrenches of a recording.

    Raises:
        UsageError: A column that is lacking, or a wrench on a body that does not exist.
    """
    asked = dict(options.contact)
    for name in _list_frames(recording):
        taken = any(f"{_PREFIX}{name}" in each for each in asked.values())
        asked.setdefault(name, (f"{_PREFIX}{name}",)) if not taken else None
    found, remarks = [], []
    for name, columns in asked.items():
        body, X_BF = _find_frame(robot, name, f"{recording.path}: wrench on {name}")
        values, places = _collect(recording, name, columns)
        in_world = options.wrench_axes == "world"
        found.append(Wrench(name, body, values, in_world, None, places, X_BF=X_BF))
    if options.force_plate is not None:
        found.append(_read_plate(recording, options, robot))
    for place, wrench in enumerate(found):
        if wrench.values.shape[1] == 3:
            remarks.append(
                Remark(
                    Severity.NOTE,
                    "point-contact",
                    f"{recording.path}: {wrench.name}: three columns of forces; the moments about "
                    "its origin are taken for zero",
                )
            )
        found[place] = wrench._replace(values=_arrange(wrench, options))
    _refuse_unknown(options, [wrench.name for wrench in found])
    return found, remarks


def _refuse_unknown(options: ContactOptions, names: Sequence[str]) -> None:
    """Refuse to turn wrenches that do not exist.

    Raises:
        UsageError: The message names the wrench.
    """
    for name in options.reverse_wrench:
        if name not in names:
            hint = suggest_name(name, names, f"; there are {', '.join(names) or 'none'}")
            raise UsageError(f"--reverse-wrench: no wrench on {name!r}{hint}")


def _list_frames(recording: Recording) -> Iterator[str]:
    """List the bodies that the names of columns and arrays say wrenches act on."""
    seen = set()
    for key, values in recording.further.items():
        if not key.startswith(_PREFIX):
            continue
        name = key.removeprefix(_PREFIX)
        if values.ndim == 1 and name[-3:-2] == "_" and name[-2:] in (*FORCES, *MOMENTS):
            name = name[:-3]
        if name not in seen:
            seen.add(name)
            yield name


def _find_frame(robot: Robot, name: str, what: str) -> tuple[int, Floats | None]:
    """Find a body by its name or id, or a named frame: its body, and its pose there.

    Raises:
        UsageError: Nothing or several things have this name.
    """
    bodies = robot.model.bodies
    if any(name in (body.name, body.id) for body in bodies):
        return find_body(robot, name, what), None
    named = [frame for frame in robot.model.frames if frame.name == name and frame.body]
    if len(named) != 1:
        return find_body(robot, name, what), None  # which says what there is
    (frame,) = named
    places = [index for index, body in enumerate(bodies) if body.id == frame.body]
    return places[0], np.asarray(homogeneous(frame.X_BF.R_PB, frame.X_BF.p_PoBo_P))


def find_body(robot: Robot, name: str, what: str) -> int:
    """Find the index of a body by its name or id.

    Raises:
        UsageError: No body or several have it.
    """
    bodies = robot.model.bodies
    found = [index for index, body in enumerate(bodies) if name in (body.name, body.id)]
    if len(found) != 1:
        names = [body.name for body in bodies]
        hint = suggest_name(name, names, f"; there are {', '.join(names[:12])}")
        several = "several bodies are called so: give the id of one" if found else "no such body"
        raise UsageError(f"{what}: {several}{'' if found else hint}; --contact BODY=COLUMNS")
    return found[0]


def _collect(
    recording: Recording, name: str, columns: tuple[str, ...]
) -> tuple[Floats, tuple[str, ...]]:
    """Collect the columns of a wrench, (S, 3) or (S, 6), and their names.

    Raises:
        UsageError: A column is lacking, or an array has another shape.
    """
    held = recording.further
    if len(columns) == 1 and (whole := held.get(columns[0])) is not None and whole.ndim == 2:
        if whole.shape[1] not in (3, 6):
            raise UsageError(
                f"{recording.path}: {columns[0]} has {whole.shape[1]} columns, expected 6 or 3"
            )
        return whole, columns
    if len(columns) == 1:
        parts = [f"{columns[0]}_{part}" for part in (*FORCES, *MOMENTS)]
        has_moments = any(part in held for part in parts[3:])
        columns = tuple(parts if has_moments else parts[:3])
    lacking = [column for column in columns if column not in held or held[column].ndim != 1]
    if lacking:
        raise UsageError(f"{recording.path}: wrench on {name}: no column {', '.join(lacking)}")
    return np.stack([held[column] for column in columns], axis=1), columns


def _read_plate(recording: Recording, options: ContactOptions, robot: Robot) -> Wrench:
    """Read the wrench of a force plate.

    Raises:
        UsageError: Its columns are lacking, or the base does not float.
    """
    if robot.base is None:
        raise UsageError(
            "--force-plate measures what carries the base, and the base is fixed: give --base "
            "floating"
        )
    asked = options.force_plate or ""
    option = f"--force-plate {asked}"
    body = robot.base if asked in ("", EVERY_BODY) else find_body(robot, asked, option)
    values, columns = _collect(recording, "the force plate", (_PLATE,))
    if values.shape[1] != 6:
        raise UsageError(f"{recording.path}: the force plate has no moments: expected six columns")
    point = tuple(float(number) for number in options.plate_at)
    return Wrench(_PLATE, body, values, True, point, columns, asked == EVERY_BODY)


def _arrange(wrench: Wrench, options: ContactOptions) -> Floats:
    """(S, 6) force and moment on the robot, in that order."""
    values = wrench.values
    if values.shape[1] == 3:
        values = np.concatenate([values, np.zeros_like(values)], axis=1)
    elif options.wrench_order == "moment-first":
        values = exchange(values)
    return -values if wrench.name in options.reverse_wrench else values


def exchange(values: Floats) -> Floats:
    """Exchange force and moment of wrenches (..., 6)."""
    return np.concatenate([values[..., 3:], values[..., :3]], axis=-1)


def sum_forces(tree: Tree, q: Floats, wrenches: Sequence[Wrench]) -> Floats:
    """Sum of J^T w of wrenches: forces of the joints (S, n_u), at coordinates (S, n_q)."""
    total = np.zeros((len(q), tree.n_u))
    for start in range(0, len(q) if wrenches else 0, _ROWS):
        rows = slice(start, start + _ROWS)
        X_IB = np.asarray(poses(tree, q[rows]))
        for wrench in wrenches:
            own = X_IB[:, wrench.body]
            frame = own if wrench.X_BF is None else own @ wrench.X_BF
            force, moment = wrench.values[rows, :3], wrench.values[rows, 3:]
            if not wrench.in_world:
                force, moment = (
                    np.einsum("sij,sj->si", frame[:, :3, :3], w) for w in (force, moment)
                )
            origin = frame[:, :3, 3] if wrench.point is None else np.array(wrench.point)
            moment = moment + np.cross(origin - own[:, :3, 3], force)
            total[rows] += generalized_forces(tree, q[rows], wrench.body, force, moment)
    return total
