"""Recordings of a robot's motion and torques: npz and csv.

Time and motion in SI units and radians, one column a joint; or, in an npz, a regressor and its
torques. Nothing is resampled, filtered or repaired here.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from inertial_check.errors import DocumentError, UsageError
from inertial_check.formats.recordings import csv, npz
from inertial_check.formats.recordings.recording import Recording

__all__ = ["FORMATS", "Recording", "read_recording"]

FORMATS = ("csv", "npz")
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
_HEAD = 4096


def read_recording(
    path_or_bytes: str | os.PathLike[str] | bytes,
    format: str | None = None,
    *,
    path: str = "<bytes>",
    torques: bool = True,
) -> Recording:
    """Read a recording.

    Args:
        path_or_bytes: The file, or what is in it.
        format: One of FORMATS; where it is not given the first bytes decide.
        path: By which to name a recording that is given as bytes.
        torques: Whether it has to have torques; a trajectory alone has none.

    Raises:
        DocumentError: There is no such file, or it is no recording; names the array, or the line
            and column, what stands there and what was expected.
        UsageError: There is no such format.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}: known are {', '.join(FORMATS)}")
    if isinstance(path_or_bytes, bytes):
        return _read(partial(io.BytesIO, path_or_bytes), path, format, torques)
    path = os.fsdecode(path_or_bytes)
    if "\0" in path:
        raise DocumentError(path, "a path holds no NUL")
    try:
        return _read(lambda: open(path, "rb"), path, format, torques)
    except OSError as error:
        raise DocumentError(path, (error.strerror or str(error)).lower()) from None


def _read(
    opened: Callable[[], BinaryIO], path: str, format: str | None, torques: bool
) -> Recording:
    with opened() as stream:
        head = stream.read(_HEAD)
        is_archive = head.startswith(_ARCHIVES)
        if (format or ("npz" if is_archive else "csv")) == "npz":
            if not is_archive:
                raise DocumentError(path, "no npz archive: it does not begin as one")
            stream.seek(0)
            return npz.read(stream, path, torques)
    if b"\0" in head:
        raise DocumentError(path, "neither text nor an npz archive; recordings are csv or npz")
    return csv.read(lambda: io.TextIOWrapper(opened(), encoding="utf-8-sig"), path, torques)
