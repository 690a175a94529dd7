"""Recordings of a robot's motion and torques, read from npz and csv files.

Times and motions are in SI units and radians, one column a joint. An npz can hold a regressor and
its torques instead. Reading neither resamples nor filters nor repairs anything.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection
from typing import BinaryIO

from inertial_check.documents.files.access import open_regular
from inertial_check.errors import DocumentError, UsageError
from inertial_check.identification.recordings import bags, tables
from inertial_check.identification.recordings.recording import (
    ColumnMap,
    ReadingOptions,
    Recording,
    read_column_map,
)

__all__ = [
    "FORMATS",
    "ColumnMap",
    "ReadingOptions",
    "Recording",
    "read_column_map",
    "read_recording",
]

FORMATS = ("csv", "npz", "bag")
"""Names of the formats of recordings."""

_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of an npz archive; the second form is that of an empty one."""

_HEAD = 4096
"""Number of first bytes that decide about the format."""


def read_recording(  # noqa: PLR0913 - what may be missing, and all options
    path_or_bytes: str | os.PathLike[str] | bytes,
    format: str | None = None,
    *,
    path: str = "<bytes>",
    torques: bool = True,
    partial: bool = False,
    further: Collection[str] = (),
    how: ReadingOptions | None = None,
) -> Recording:
    """Read a recording.

    Args:
        path_or_bytes: The path of the file, or its content.
        format: One of FORMATS; without it the first bytes decide.
        path: The name in messages of a recording that is given as bytes.
        torques: Whether the recording must have torques; a trajectory alone has none.
        partial: Whether torques of some joints may be missing: no column, or only NaN.
        further: Names of columns or arrays to be read besides those of the joints. Those of a
            moving base and of wrenches, as names.is_surrounding has them, are always read.
        how: All options of the reading, in place of `torques`, `partial` and `further`.

    Raises:
        DocumentError: There is no such file, or it is no recording; names the array, or the line
            and column, what stands there and what was expected.
        UsageError: There is no such format.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}: known are {', '.join(FORMATS)}")
    needed = ("q", "tau") if torques else ("q",)
    how = how or ReadingOptions(needed=needed, partial=partial, further=further)
    if isinstance(path_or_bytes, bytes):
        return _read(io.BytesIO(path_or_bytes), path, format, how)
    path = os.fsdecode(path_or_bytes)
    if "\0" in path:
        raise DocumentError(path, "a path holds no NUL")
    try:
        if os.path.isdir(path):
            return bags.read_folder(path, how)
        with open_regular(path) as stream:
            return _read(stream, path, format, how)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None


def _read(stream: BinaryIO, path: str, format: str | None, how: ReadingOptions) -> Recording:
    head = stream.read(_HEAD)
    stream.seek(0)
    is_archive = head.startswith(_ARCHIVES)
    if (format or ("npz" if is_archive else "csv")) == "npz":
        if not is_archive:
            raise DocumentError(path, "no npz archive: it does not begin as one")
        return tables.read_npz(stream, path, how)
    if format == "bag" or (format is None and bags.is_bag(head)):
        return bags.read_file(stream, path, how)
    if b"\0" in head:
        raise DocumentError(
            path, "neither text nor an npz archive; recordings are csv, npz, mcap or db3"
        )
    return tables.read_csv(stream, path, how)
