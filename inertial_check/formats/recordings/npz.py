"""Recordings as npz archives: an array for each quantity, or a regressor and its torques."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import BinaryIO, NoReturn

from inertial_check.arrays.types import Floats
from inertial_check.errors import DocumentError
from inertial_check.formats.archives import Archive, as_float64, decode_texts
from inertial_check.formats.recordings.named_arrays import (
    is_sysid,
    read_mapped,
    read_sysid,
)
from inertial_check.formats.recordings.names import ALIASES, MEANING, is_surrounding
from inertial_check.formats.recordings.reading import ReadingOptions
from inertial_check.formats.recordings.recording import (
    SIGNALS,
    EntryPlace,
    Recording,
    refuse_unlike,
    settle_samples,
)

_REGRESSOR = ("Y", "F")
_JOINTS = ("joints", "joint_names")
_COLUMNS = ("columns", "names")
_COUNT = "n_joints"


def read(stream: BinaryIO, path: str, how: ReadingOptions) -> Recording:
    """Read the recording in an archive.

    Args:
        stream: The file; it must be seekable.
        path: The path that messages name.
        how: Options of the reading.

    Raises:
        DocumentError: Names the array, what it is and what was expected.
    """
    archive = Archive(stream, path)
    if is_sysid(archive):
        return read_sysid(archive, how)
    if how.columns is not None:
        return read_mapped(archive, how)
    roles = _find_roles(archive)
    arrays = {role: _read_numbers(archive, name) for role, name in roles.items()}
    called = {role: name for role, name in roles.items() if role != name}
    joints = _read_texts(archive, _JOINTS)
    beside: dict[str, Floats] = {}
    if "Y" in arrays:
        held, used = _check_equations(archive, arrays, joints)
    else:
        held = _check_motion(path, arrays, how.needed)
        beside = _read_further(archive, held, how.further)
        used = set(beside)

    def find_entry(name: str, index: tuple[int, ...]) -> EntryPlace:
        return EntryPlace(f"{called.get(name, name)}[{', '.join(map(str, index))}]", None, None)

    about = Recording(path=path, joints=joints, further=beside)
    recording = settle_samples(about, held, how, find_entry)
    columns = _read_texts(archive, _COLUMNS) if "F" in held else None
    _refuse_counts(path, held, joints, columns)
    used |= {roles[role] for role in held} | ({*_JOINTS} if joints else set())
    used |= {*_COLUMNS} if columns else set()
    ignored = tuple(name for name in archive.members if name not in used)
    return replace(recording, columns=columns, ignored=ignored)


def _read_further(
    archive: Archive, held: Mapping[str, Floats], wanted: Collection[str]
) -> dict[str, Floats]:
    """Read the arrays of a moving base and of wrenches, and those that are asked for.

    Raises:
        DocumentError: One has another shape than (S,) or (S, k).
    """
    found = {}
    for name in archive.members:
        if is_surrounding(name) or name in wanted:
            values = _read_numbers(archive, name)
            count = len(next(iter(held.values())))
            if values.ndim not in (1, 2) or len(values) != count:
                raise DocumentError(
                    archive.path,
                    f"{name} has shape {values.shape}, expected ({count},) or ({count}, columns)",
                )
            found[name] = values
    return found


def _find_roles(archive: Archive) -> dict[str, str]:
    """Find the name of the array of each quantity."""
    roles: dict[str, str] = {}
    for name in archive.members:
        role = name if name in _REGRESSOR else MEANING.get(name.casefold())
        if role in roles:
            raise DocumentError(
                archive.path, f"{roles[role]} and {name} both mean {role}: keep one"
            )
        if role is not None:
            roles[role] = name
    return roles


def _check_motion(path: str, arrays: dict[str, Floats], needed: Sequence[str]) -> dict[str, Floats]:
    """Check the motion and the torques, and give them in the order of SIGNALS."""
    for name in needed:
        if name not in arrays:
            _refuse_missing(path, name, arrays)
    for name in ("t", *SIGNALS):
        if name in arrays:
            arrays[name] = _check_shape(path, name, arrays[name], arrays.get("t"))
    refuse_unlike(path, arrays)
    return {name: arrays[name] for name in ("t", *SIGNALS) if name in arrays}


def _refuse_missing(path: str, name: str, arrays: dict[str, Floats]) -> NoReturn:
    has = ", ".join(arrays) or "nothing of that kind"
    if name == "tau":
        has += "; --columns FILE takes other arrays, such as ctrl where it is the torque"
    raise DocumentError(
        path,
        f"no {name}, also called {', '.join(ALIASES[name][1:])}; it has {has}; "
        "expected q and tau, with t or with u and du, or Y and tau"
        + (" (currents become torques by the drive gains)" if name == "tau" else ""),
    )


def _check_shape(path: str, name: str, array: Floats, t: Floats | None) -> Floats:
    """Give a signal (S, n), or the time (S,).

    Raises:
        DocumentError: The array has another shape, or is empty.
    """
    if name == "t":
        if array.ndim == 2 and 1 in array.shape:
            array = array.ravel()
        if array.ndim != 1:
            raise DocumentError(path, f"t has shape {array.shape}, expected (samples,)")
    elif array.ndim != 2:
        way = f": for one joint {name}[:, None]" if array.ndim == 1 else ""
        raise DocumentError(
            path, f"{name} has shape {array.shape}, expected (samples, joints){way}"
        )
    elif t is not None and len(array) != t.size and array.shape[1] == t.size:
        raise DocumentError(
            path,
            f"{name} has shape {array.shape} and t has {t.size} samples: "
            f"expected (samples, joints), so transpose {name}",
        )
    if not array.size:
        raise DocumentError(path, f"{name} is empty: shape {array.shape}")
    return array


def _check_equations(
    archive: Archive, arrays: dict[str, Floats], joints: tuple[str, ...] | None
) -> tuple[dict[str, Floats], set[str]]:
    """Give Y, tau and F in their full shapes, and the names of further arrays used for that."""
    path, Y, tau = archive.path, arrays["Y"], arrays.get("tau")
    if tau is None:
        _refuse_missing(path, "tau", {"Y": Y})
    if not Y.size or Y.ndim not in (2, 3) or Y.shape[-1] % 10:
        raise DocumentError(
            path,
            f"Y has shape {Y.shape}, expected (samples, joints, 10 bodies) or "
            "(samples times joints, 10 bodies)",
        )
    count, used = _count_joints(archive, Y, tau, joints)
    rows = Y.shape[0] * (Y.shape[1] if Y.ndim == 3 else 1)
    if tau.size != rows or rows % count or (tau.ndim == 2 and tau.shape[1] != count):
        raise DocumentError(
            path,
            f"Y has {rows} rows of {count} joints and tau has shape {tau.shape}: expected "
            f"({rows // count}, {count})",
        )
    held = {"tau": tau.reshape(-1, count), "Y": Y.reshape(-1, count, Y.shape[-1])}
    if (F := arrays.get("F")) is not None:
        if F.ndim not in (2, 3) or not F.size or F.size // F.shape[-1] != rows:
            raise DocumentError(
                path, f"F has shape {F.shape}, expected ({rows // count}, {count}, columns)"
            )
        held["F"] = F.reshape(-1, count, F.shape[-1])
    return held, used


def _count_joints(
    archive: Archive, Y: Floats, tau: Floats, joints: tuple[str, ...] | None
) -> tuple[int, set[str]]:
    """Count the joints that the rows of a regressor belong to; one where nothing tells."""
    if Y.ndim == 3:
        return Y.shape[1], set()
    if tau.ndim == 2:
        return max(tau.shape[1], 1), set()
    if joints:
        return len(joints), set()
    if _COUNT not in archive.members:
        return 1, set()
    stated = _read_numbers(archive, _COUNT)
    if stated.size != 1 or stated.item() < 1 or stated.item() % 1:
        raise DocumentError(archive.path, f"{_COUNT} is {stated.tolist()}, expected a count")
    return int(stated.item()), {_COUNT}


def _refuse_counts(
    path: str,
    held: dict[str, Floats],
    joints: tuple[str, ...] | None,
    columns: tuple[str, ...] | None,
) -> None:
    """Refuse names of joints or columns whose number is wrong."""
    shown = next((held[name] for name in ("Y", *SIGNALS) if name in held), None)
    count = 0 if shown is None else shown.shape[1]
    if joints is not None and len(joints) != count:
        raise DocumentError(path, f"{len(joints)} names of joints for {count} joints")
    if columns is not None and len(columns) != held["F"].shape[2]:
        raise DocumentError(
            path, f"{len(columns)} names of columns, and F has {held['F'].shape[2]}"
        )


def _read_numbers(archive: Archive, name: str) -> Floats:
    values = archive.read(name)
    if values.dtype.kind not in "fiu":
        raise DocumentError(archive.path, f"{name}: holds {values.dtype}, expected real numbers")
    return as_float64(values)


def _read_texts(archive: Archive, names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Read the texts in the first of these arrays that the archive has."""
    name = next((each for each in names if each in archive.members), None)
    if name is None:
        return None
    values = archive.read(name)
    if values.dtype.kind not in "US" or values.ndim != 1:
        raise DocumentError(
            archive.path, f"{name}: holds {values.dtype} of shape {values.shape}, expected names"
        )
    return tuple(decode_texts(values))
