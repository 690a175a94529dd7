"""Checks of names, unit vectors, skew-symmetric matrices and Euler angles that callers pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inertial_check.arrays.broadcasting import expect_shape, first_index, of_body, quiet
from inertial_check.arrays.types import Array, Namespace
from inertial_check.errors import ParameterError, show_value
from inertial_check.inertia import tolerances


def refuse_unknown(what: str, given: str, known: Sequence[str]) -> None:
    """Refuse a name that is not among the known.

    Raises:
        ParameterError: Naming both.
    """
    if not isinstance(given, str):
        shown = show_value(given)
        raise ParameterError(f"{what}: its name is {shown}, expected one of {', '.join(known)}")
    if given not in known:
        raise ParameterError(f"unknown {what} {given!r}, expected one of {', '.join(known)}")


@quiet
def refuse_nonunit(
    xp: Namespace, name: str, array: Array, size: int, most: float | None = None
) -> None:
    """Refuse vectors whose length is not 1, by more than `most`, or half their digits.

    Raises:
        ParameterError: Wrong shape; a length that is not 1, and of which body. Values that a trace
            hides are not looked at.
    """
    expect_shape(name, array, size)
    square = xp.sum(array * array, axis=-1)
    floor = tolerances.rotation_floor(array.dtype, xp) if most is None else most
    body = first_index(xp, ~(xp.abs(square - 1) <= floor))
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is {float(square[body]) ** 0.5:.9g} long, expected 1 within "
            f"{floor / 2:.2g}; spatial.normalize_quaternion divides one by its length"
        )


@quiet
def refuse_nonskew(xp: Namespace, name: str, matrix: Array, way_out: str) -> None:
    """Refuse matrices that are not skew-symmetric to half their digits.

    Raises:
        ParameterError: By how much, of which body, and the way out.
    """
    error = xp.max(xp.abs(matrix + matrix.mT), axis=(-2, -1))
    size = xp.max(xp.abs(matrix), axis=(-2, -1))
    body = first_index(xp, error > tolerances.rotation_floor(matrix.dtype, xp) * size)
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)} is not skew-symmetric: max|A + A^T| is "
            f"{float(error[body]):.3g} beside max|A| = {float(size[body]):.3g}; {way_out}"
        )


def find_singular(xp: Namespace, singular: Array, describe: Callable[[], str]) -> Array:
    """Say which rows are singular, (...,), for the caller to make them NaN; refuse a single one.

    One row of a batch never refuses the others. A single rotation that has no answer is an error.

    Raises:
        ParameterError: What `describe` says, where there are no batch axes.
    """
    if singular.ndim == 0 and first_index(xp, singular) is not None:
        raise ParameterError(describe())
    return singular


def find_gimbal_lock(xp: Namespace, sequence: str, middle: Array, cosine: Array) -> Array:
    """Find Euler angles so near their singularity that half the digits of the others are lost.

    Raises:
        ParameterError: Naming the middle angle, where there are no batch axes.
    """
    singular = xp.abs(cosine) <= tolerances.rotation_floor(middle.dtype, xp)
    return find_singular(
        xp,
        singular,
        lambda: (
            f"Euler angles {sequence} are singular at y = {float(middle):.9g} rad: the first and "
            "the third turn are about one line; use quaternions or rotation vectors there"
        ),
    )


def blank(xp: Namespace, singular: Array, matrices: Array) -> Array:
    """Make the matrices (..., k, n) of singular rows NaN."""
    return xp.where(singular[..., None, None], xp.full_like(matrices, xp.nan), matrices)
