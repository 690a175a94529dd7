"""Names of joints and ranges of numbers as the remarks on recordings write them."""

from __future__ import annotations

from collections.abc import Sequence

from inertial_check.arrays.types import Floats, Mask
from inertial_check.errors import ParameterError


def name_joints(joints: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of joints, or number them from 1.

    Raises:
        ParameterError: Their number is not that of the columns.
    """
    names = tuple(f"joint {k + 1}" for k in range(count)) if joints is None else tuple(joints)
    if len(names) != count:
        raise ParameterError(f"{len(names)} names of joints for {count} columns")
    return names


def list_joints(joints: tuple[str, ...], which: Mask) -> str:
    """List the names of some joints."""
    return ", ".join(name for name, own in zip(joints, which, strict=True) if own)


def format_range(values: Floats) -> str:
    """Format one number, or the least and the largest."""
    least, largest = f"{values.min():.3g}", f"{values.max():.3g}"
    return least if least == largest else f"{least} to {largest}"


def list_floats(values: Floats) -> tuple[float, ...]:
    """Convert an array to the floats of a remark."""
    return tuple(map(float, values))
