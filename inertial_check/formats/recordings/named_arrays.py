"""Recordings as npz archives whose arrays are read column by column, by name.

They are those of mujoco.sysid, which lists the columns of its arrays in a signal mapping, and any
other archive for which a mapping file says what the columns mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.archives import Archive, as_float64
from inertial_check.formats.recordings.columns import NO_COLUMN, Header, choose_columns
from inertial_check.formats.recordings.names import read_logged_name
from inertial_check.formats.recordings.reading import ReadingOptions
from inertial_check.formats.recordings.recording import (
    EntryPlace,
    Recording,
    settle_samples,
)

_PARTS = ("", "sensordata_", "state_", "control_")
"""Prefixes of the arrays of a TimeSeries, and of the three in a SystemTrajectory."""

_LONGEST_MAPPING = 2**20
"""Largest length of a signal mapping [characters]."""

_MOST_COLUMNS = 10_000
"""Largest number of columns."""

_PICKLED = (
    "pickled Python objects, which are never read: mujoco.sysid from MuJoCo 4 on writes text in "
    "their place; or --columns FILE says what data[0], data[1], ... mean"
)


class _Table(NamedTuple):
    """Columns by name, of the same samples, and names of arrays that are not among them."""

    columns: dict[str, Floats]
    ignored: tuple[str, ...]


def is_sysid(archive: Archive) -> bool:
    """Tell whether an archive is a TimeSeries or a SystemTrajectory of mujoco.sysid."""
    return any({f"{part}times", f"{part}data"} <= {*archive.members} for part in _PARTS[:2])


def read_sysid(archive: Archive, how: ReadingOptions) -> Recording:
    """Read a TimeSeries or SystemTrajectory of mujoco.sysid.

    Sensors are measured; of the state only quantities are taken that no sensor has. Controls are
    columns NAME_ctrl, which mean torques only where a mapping file says so.

    Raises:
        DocumentError: An array is damaged, or its signal mapping cannot be read.
    """
    table: dict[str, Floats] = {}
    ignored: list[str] = ["initial_state"] if "initial_state" in archive.members else []
    clock: Floats | None = None
    for part in _PARTS:
        if not {f"{part}times", f"{part}data"} <= {*archive.members}:
            continue
        times, data = (_read(archive, f"{part}{name}") for name in ("times", "data"))
        if times.ndim != 1 or data.ndim != 2 or len(times) != len(data):
            shapes = f"{times.shape} and {data.shape}"
            reason = (
                f"{part}times and {part}data have the shapes {shapes}, expected (S,) and (S, k)"
            )
            raise DocumentError(archive.path, reason)
        if clock is None:
            clock = table["t"] = times
        elif not np.array_equal(clock, times):
            ignored.append(f"{part}data (other times)")
            continue
        names = _name_columns(archive, part, data.shape[1], how)
        known = {found.meaning.quantity for name in table if (found := read_logged_name(name))}
        for name, column in names.items():
            found = read_logged_name(name)
            if name in table or (found is not None and found.meaning.quantity in known):
                ignored.append(name)
            else:
                table[name] = data[:, column]
    return _build(archive.path, _Table(table, tuple(ignored)), how)


def read_mapped(archive: Archive, how: ReadingOptions) -> Recording:
    """Read an archive whose columns a mapping file names: `name`, or `name[0]` of several columns.

    Raises:
        DocumentError: An array is damaged, or too large.
    """
    table: dict[str, Floats] = {}
    ignored = []
    for name in archive.members:
        values = archive.read(name)
        if values.dtype.kind not in "fiu" or values.ndim not in (1, 2):
            ignored.append(name)
            continue
        numbers = as_float64(values)
        if numbers.ndim == 1:
            table[name] = numbers
        else:
            _refuse_columns(archive.path, len(table) + numbers.shape[1])
            table |= {f"{name}[{k}]": column for k, column in enumerate(numbers.T)}
    return _build(archive.path, _Table(table, tuple(ignored)), how)


def _read(archive: Archive, name: str) -> Floats:
    values = archive.read(name)
    if values.dtype.kind not in "fiu":
        raise DocumentError(archive.path, f"{name}: holds {values.dtype}, expected real numbers")
    return as_float64(values)


def _refuse_columns(path: str, count: int) -> None:
    if count > _MOST_COLUMNS:
        raise DocumentError(path, f"more than {_MOST_COLUMNS} columns")


def _name_columns(archive: Archive, part: str, width: int, how: ReadingOptions) -> dict[str, int]:
    """Name the columns of an array of mujoco.sysid: column by name.

    Raises:
        DocumentError: The signal mapping is pickled or damaged.
    """
    _refuse_columns(archive.path, width)
    unnamed = {f"{part}data[{k}]": k for k in range(width)}
    name = f"{part}signal_mapping"
    if name not in archive.members:
        return unnamed
    stream = archive.array_header(name)
    if stream.dtype.hasobject:
        if how.columns is not None:
            return unnamed
        raise DocumentError(archive.path, f"{name}: {_PICKLED}")
    text = archive.read(name)
    if text.dtype.kind != "U" or text.size != 1 or text.dtype.itemsize > 4 * _LONGEST_MAPPING:
        raise DocumentError(archive.path, f"{name}: expected a text of JSON")
    try:
        return _list_signals(json.loads(str(text.reshape(-1)[0])), width)
    except (ValueError, TypeError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise DocumentError(archive.path, f"{name}: no signal mapping: {reason}") from None


def _list_signals(mapping: object, width: int) -> dict[str, int]:
    """List the columns of a decoded mapping, name to type and indices.

    Raises:
        ValueError: It is no such mapping.
    """
    if not isinstance(mapping, Mapping):
        raise ValueError("expected an object of signals")
    found: dict[str, int] = {}
    for name, entry in mapping.items():
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
            raise ValueError(f"{name}: expected a type and indices")
        indices = entry[1]
        for k, index in enumerate(indices):
            if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < width:
                raise ValueError(f"{name}: index {index!r} of {width} columns")
            found[name if len(indices) == 1 else f"{name}[{k}]"] = index
    return found


def _build(path: str, table: _Table, how: ReadingOptions) -> Recording:
    """Build the recording of the columns of a table.

    Raises:
        DocumentError: Columns are missing, ambiguous, of other lengths, or not finite.
    """
    titles = list(table.columns)
    if how.columns is not None:
        how.columns.check_used(titles, path)
    header = Header(titles, lambda place, reason: DocumentError(path, reason))
    chosen = choose_columns(header, how)
    arrays: dict[str, Floats] = {}
    names: dict[str, list[str]] = {}
    for quantity, places in chosen.places.items():
        names[quantity] = ["" if place == NO_COLUMN else titles[place] for place in places]
        columns = [table.columns[name] for name in names[quantity] if name]
        lengths = {len(column) for column in columns} | {len(each) for each in arrays.values()}
        if len(lengths) > 1 or 0 in lengths:
            shown = ", ".join(map(str, sorted(lengths)))
            reason = f"{', '.join(names[quantity])}: {shown} samples, expected as many in all"
            raise DocumentError(path, reason)
        values = np.full((lengths.pop(), len(places)), np.nan)
        values[:, [place != NO_COLUMN for place in places]] = np.stack(columns, axis=1)
        arrays[quantity] = values * np.array(chosen.factors[quantity])
    if "t" in arrays:
        arrays["t"] = arrays["t"][:, 0]

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        title = names[name][index[1] if len(index) > 1 else 0]
        return EntryPlace(f"{title} in sample {index[0]}", None, None)

    about = Recording(
        path=path,
        joints=chosen.joints,
        ignored=(*chosen.ignored, *table.ignored),
        notes=chosen.notes,
        stated=chosen.stated,
        has_currents=chosen.has_currents,
    )
    return settle_samples(about, arrays, how, find_entry)
