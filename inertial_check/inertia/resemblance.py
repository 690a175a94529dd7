"""How much a body looks like its geometry: sizes, shapes, axes, densities, as numbers without unit.

The spread of a body is the covariance of its mass, C = S_c / m [m^2]; that of a geometry is the
covariance of its volume. Two spreads are compared by their size sqrt(tr C), their shape (the shares
of the principal spreads in the trace) and their axes. No measure changes with the units or with a
turn of both.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import resemblance
>>> long = np.diag([1.0, 1.0, 4.0])  # covariance of the mass [m^2], widest along z
>>> lying = np.diag([4.0, 1.0, 1.0])  # the same shape along x
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inertial_check.errors import expect
from inertial_check.inertia.arrays import ArrayLike, Floats, read_floats

if TYPE_CHECKING:
    import numpy.typing as npt


SEPARATED = 0.05
"""Principal spreads that differ by a smaller share of the trace leave their axes open: a box with
edges 10 : 9 differs by 0.1, and modelling a link's screws moves shares by some percent."""

_PRODUCTS = 2 * np.eye(3) - 1
_PLACES = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


def matrices(six: ArrayLike) -> Floats:
    """Symmetric matrices (..., 3, 3) from their entries (..., 6) xx, xy, xz, yy, yz, zz."""
    tensors: Floats = read_floats((6,), six=six)[0][..., _PLACES]
    return tensors


def entries(tensors: Floats) -> Floats:
    """The six entries (..., 6) xx, xy, xz, yy, yz, zz of symmetric matrices (..., 3, 3)."""
    six: Floats = tensors[..., [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    return six


def norm(differences: Floats, axis: int | tuple[int, int] = -1) -> Floats:
    """Euclidean norms of vectors, or Frobenius norms over two axes.

    They are those of np.linalg.norm to the bit; its checks take longer than a few norms.
    """
    norms: Floats = np.sqrt(np.add.reduce(differences * differences, axis=axis))
    return norms


def spread(mass: ArrayLike, I_BBcm: ArrayLike) -> Floats:
    """The covariance of the mass, C = (tr(I)/2 1 - I) / m.

    Args:
        mass: (...,) [kg].
        I_BBcm: (..., 3, 3) about the centre of mass, any axes [kg m^2].

    Returns:
        (..., 3, 3) in the same axes [m^2]; not finite where the mass is 0.

    Example:
        >>> print(resemblance.spread(2.0, np.diag([3.0, 3.0, 2.0])).diagonal())
        [0.5 0.5 1. ]
    """
    (mass,), (I_BBcm,) = read_floats((), mass=mass), read_floats((3, 3), I_BBcm=I_BBcm)
    half = I_BBcm.trace(0, -2, -1)[..., None, None] / 2
    with np.errstate(all="ignore"):
        C: Floats = (half * np.eye(3) - I_BBcm) / mass[..., None, None]
    return C


def inertia(mass: ArrayLike, C: ArrayLike) -> Floats:
    """The rotational inertia of a spread: I = m (tr(C) 1 - C), the inverse of `spread`.

    Args:
        mass: (...,) [kg].
        C: (..., 3, 3) [m^2].

    Returns:
        (..., 3, 3) about the centre of mass [kg m^2].

    Example:
        >>> print(resemblance.inertia(2.0, np.diag([0.5, 0.5, 1.0])).diagonal())
        [3. 3. 2.]
    """
    (mass,), (C,) = read_floats((), mass=mass), read_floats((3, 3), C=C)
    trace = C.trace(0, -2, -1)[..., None, None]
    I_BBcm: Floats = mass[..., None, None] * (trace * np.eye(3) - C)
    return I_BBcm


def size(C: ArrayLike) -> Floats:
    """The root mean square distance from the centre, sqrt(tr C) [m]; NaN where tr C < 0.

    Example:
        >>> print(resemblance.size(np.diag([1.0, 1.0, 2.0])))
        2.0
    """
    (C,) = read_floats((3, 3), C=C)
    with np.errstate(invalid="ignore"):
        root: Floats = np.sqrt(C.trace(0, -2, -1))
    return root


def size_ratio(C: ArrayLike, C_G: ArrayLike) -> Floats:
    """How many times as large the body is as its geometry: size(C) / size(C_G).

    Example:
        >>> print(resemblance.size_ratio(9 * long, long).round(9))
        3.0
    """
    C, C_G = read_floats((3, 3), C=C, C_G=C_G)
    with np.errstate(all="ignore"):
        ratio: Floats = np.sqrt(C.trace(0, -2, -1)) / np.sqrt(C_G.trace(0, -2, -1))
    return ratio


def shares(C: ArrayLike) -> Floats:
    """The principal spreads as shares of their sum.

    Args:
        C: (..., 3, 3) [m^2].

    Returns:
        (..., 3) ascending; they sum to 1. 1/3 each for a cube or a ball, 0 0 1 for a rod.

    Example:
        >>> print(resemblance.shares(lying).round(4))
        [0.1667 0.1667 0.6667]
    """
    (C,) = read_floats((3, 3), C=C)
    values = np.linalg.eigvalsh(C)
    with np.errstate(all="ignore"):
        result: Floats = values / np.sum(values, axis=-1, keepdims=True)
    return result


def shape_distance(C: ArrayLike, C_G: ArrayLike) -> Floats:
    """How far the shares of two spreads differ, whatever their axes and sizes.

    Returns:
        (...,) Euclidean distance of the shares: 0 for the same shape, 0.82 between a rod and a
        ball, sqrt(2) at most between bodies that exist.

    Example:
        >>> print(resemblance.shape_distance(long, lying).round(9))  # whatever the axes
        0.0
    """
    C, C_G = read_floats((3, 3), C=C, C_G=C_G)
    return norm(shares(C) - shares(C_G))


def form(C: ArrayLike) -> Floats:
    """A spread whatever its size, C / tr C; not finite where tr C is 0.

    Example:
        >>> print(resemblance.form(np.diag([1.0, 1.0, 2.0])).diagonal())
        [0.25 0.25 0.5 ]
    """
    (C,) = read_floats((3, 3), C=C)
    with np.errstate(all="ignore"):
        share: Floats = C / C.trace(0, -2, -1)[..., None, None]
    return share


def misfit(C: ArrayLike, C_G: ArrayLike) -> Floats:
    """How far two spreads differ in shape and axes, whatever their sizes.

    Returns:
        (...,) Frobenius distance of C / tr C and C_G / tr C_G. At least `shape_distance`; equal to
        it where the axes agree.

    Example:
        >>> print(resemblance.misfit(long, 9 * long).round(9))  # whatever the sizes
        0.0
        >>> print(resemblance.misfit(long, lying).round(4))
        0.7071
    """
    C, C_G = read_floats((3, 3), C=C, C_G=C_G)
    with np.errstate(all="ignore"):
        share, share_G = (each / each.trace(0, -2, -1)[..., None, None] for each in (C, C_G))
        return norm(share - share_G, axis=(-2, -1))


def discrepancy(C: ArrayLike, C_G: ArrayLike) -> Floats:
    """How far two spreads differ in size, shape and axes together: one number to rank readings by.

    Returns:
        (...,) sqrt(log(size ratio)^2 + misfit^2); NaN where a size does not exist.

    Example:
        >>> print(resemblance.discrepancy(long, long).round(9))
        0.0
        >>> print(resemblance.discrepancy(long, lying) > resemblance.discrepancy(long, 1.1 * long))
        True
    """
    C, C_G = read_floats((3, 3), C=C, C_G=C_G)
    with np.errstate(all="ignore"):
        distance: Floats = np.hypot(np.log(size_ratio(C, C_G)), misfit(C, C_G))
    return distance


def misalignment(C: ArrayLike, C_G: ArrayLike, separated: float = SEPARATED) -> Floats:
    """The largest angle between principal axes that belong together.

    Axes belong together by the order of their spreads. An axis counts only where its spread
    differs from both others by `separated` of the trace, in both matrices: the axes of a cube are
    anyone's choice, of a cylinder all but one are.

    Args:
        C: (..., 3, 3) [m^2].
        C_G: (..., 3, 3) [m^2], in the same axes.
        separated: Share of the trace.

    Returns:
        (...,) angle [rad] in [0, pi/2]; 0 where no axis counts.

    Example:
        >>> print(np.rad2deg(resemblance.misalignment(long, lying)).round(6))
        90.0
    """
    expect("number", separated=separated)
    C, C_G = read_floats((3, 3), C=C, C_G=C_G)
    (values, axes), (values_G, axes_G) = np.linalg.eigh(C), np.linalg.eigh(C_G)
    cosines = np.clip(np.abs(np.sum(axes * axes_G, axis=-2)), 0.0, 1.0)
    counts = _apart(values, separated) & _apart(values_G, separated)
    angle: Floats = np.max(np.where(counts, np.arccos(cosines), 0.0), axis=-1)
    return angle


def _apart(values: Floats, separated: float) -> npt.NDArray[np.bool_]:
    """Which of ascending values are apart from their neighbours by that share of the sum."""
    gaps = np.diff(values, axis=-1)
    wide = gaps > separated * np.sum(values, axis=-1, keepdims=True)
    low, high = wide[..., :1], wide[..., 1:]
    return np.concatenate([low, low & high, high], axis=-1)


def volume(C: ArrayLike) -> Floats:
    """The volume of the uniform box with this spread, prod sqrt(12 s_i).

    Returns:
        (...,) [m^3]; 0 for plates and rods, NaN where no box has the spread.

    Example:
        >>> print(resemblance.volume(np.diag([1.0, 4.0, 9.0]) / 12).round(9))  # edges 1, 2 and 3 m
        6.0
    """
    (C,) = read_floats((3, 3), C=C)
    values = np.linalg.eigvalsh(C)
    with np.errstate(invalid="ignore"):
        result: Floats = np.prod(np.sqrt(12 * values), axis=-1)
    return result


def equivalent_density(mass: ArrayLike, C: ArrayLike) -> Floats:
    """The density of the uniform box with this mass and spread.

    Args:
        mass: (...,) [kg].
        C: (..., 3, 3) [m^2].

    Returns:
        (...,) [kg/m^3]; a lower bound on the mean density of the space that a hollow or slender
        body takes up is not meant by it; infinite for plates.

    Example:
        >>> print(resemblance.equivalent_density(6.0, np.diag([1.0, 4.0, 9.0]) / 12).round(9))
        1.0
    """
    (mass,) = read_floats((), mass=mass)
    with np.errstate(all="ignore"):
        density: Floats = mass / volume(C)
    return density


def excess(
    point: ArrayLike, directions: ArrayLike, support: ArrayLike, extent: ArrayLike
) -> Floats:
    """How far a point lies outside a convex body, in parts of the body's extent.

    Args:
        point: (..., 3) [m].
        directions: (..., D, 3) unit vectors d.
        support: (..., D) the greatest d . p over the points p of the body [m].
        extent: (...,) the length that counts as one [m].

    Returns:
        (...,) max over d of d . point - h(d), divided by the extent; negative inside. With few
        directions it is a lower bound of the distance.

    Example:
        >>> # A cube of 2 m, and a point 0.5 m beyond its face
        >>> sides = np.vstack([np.eye(3), -np.eye(3)])
        >>> print(resemblance.excess([1.5, 0, 0], sides, np.ones(6), 2.0))
        0.25
    """
    (point,) = read_floats((3,), point=point)
    (directions,) = read_floats((3,), directions=directions)
    (support,) = read_floats(directions.shape[-2:-1], support=support)
    (extent,) = read_floats((), extent=extent)
    beyond = np.max(np.einsum("...di,...i->...d", directions, point) - support, axis=-1)
    with np.errstate(all="ignore"):
        share: Floats = beyond / extent
    return share


def rotate(R: ArrayLike, C: ArrayLike) -> Floats:
    """R C R^T: the spread, or inertia, in axes from which R leads to those of C's frame.

    Args:
        R: (..., 3, 3) R_AB.
        C: (..., 3, 3) in B's axes.

    Returns:
        (..., 3, 3) in A's axes.

    Example:
        >>> x_to_z = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
        >>> print(resemblance.rotate(x_to_z, long).diagonal())
        [4. 1. 1.]
    """
    R, C = read_floats((3, 3), R=R, C=C)
    result: Floats = R @ C @ np.swapaxes(R, -1, -2)
    return result


def flip_products(matrix: ArrayLike) -> Floats:
    """A symmetric matrix with its three products negated; of an inertia and of a spread alike.

    Example:
        >>> print(resemblance.flip_products([[3.0, 1, 0], [1, 2, 0], [0, 0, 1]])[:2, :2])
        [[ 3. -1.]
         [-1.  2.]]
    """
    (matrix,) = read_floats((3, 3), matrix=matrix)
    result: Floats = matrix * _PRODUCTS
    return result
