"""Bodies near a given one, each of which exists: domain randomisation of inertial parameters.

A body is its mass m, its centre of mass c, its radius of gyration k, the ratios of its principal
lengths (the standard deviations of its mass along its principal axes) and those axes. Every body
has such a description and every such description is a body, so each part is drawn on its own and
nothing has to be repaired: S_c' = m' V' diag(l'^2) V'^T is positive semidefinite as it is built.
Unlike a normal law on a Cholesky factor of Pi (Rucker and Wensing, Smooth Parameterization of
Rigid-Body Inertia, RA-L 2022) the law depends neither on the axes nor on the origin of the frame.

The examples of this module continue this session:

>>> import inertial_check as ic
"""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia.arrays import (
    EXPECTED,
    SIX_PLACES,
    Array,
    ArrayLike,
    Generator,
    Namespace,
    batch_shape,
    expect_shape,
    first_index,
    of_body,
    product,
    quiet,
    real_arrays,
    standard_normal,
)
from inertial_check.inertia.consistency import Consistency, as_theta, refuse_impossible
from inertial_check.inertia.derivatives import hold_constant
from inertial_check.inertia.eigen import columns, eigensystem
from inertial_check.inertia.frames import exponential, rotate_tensor, rotate_vector
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import (
    Order,
    Point,
    about_com,
    about_origin,
    find_form,
    inertia_from_second_moment,
    join,
    reorder,
    second_moment,
    state_form_of,
    symmetric,
)

NORMALS = 17
"""Standard normal numbers for one sample: mass 1, com 3, spread 1, ratios 3, axes 3, ties 6."""

# The parts of the noise; ties choose the axes of bodies whose axes are not unique.
_MASS, _COM, _SPREAD = 0, slice(1, 4), 4
_RATIOS, _AXES, _TIES = slice(5, 8), slice(8, 11), slice(11, 17)

# Which of the six are on the diagonal.
_DIAGONAL = (0, 3, 5)

# Beyond the largest eigenvalue of a random matrix with standard normal entries.
_APART = 100.0


@overload
def sample(
    theta: InertialParameters,
    shape: int | tuple[int, ...] = ...,
    *,
    mass: ArrayLike = ...,
    com: ArrayLike = ...,
    spread: ArrayLike = ...,
    ratios: ArrayLike = ...,
    axes: ArrayLike = ...,
    order: Order | None = ...,
    about: Point | None = ...,
    rng: Generator = ...,
    noise: ArrayLike = ...,
) -> InertialParameters: ...
@overload
def sample(
    theta: ArrayLike,
    shape: int | tuple[int, ...] = ...,
    *,
    mass: ArrayLike = ...,
    com: ArrayLike = ...,
    spread: ArrayLike = ...,
    ratios: ArrayLike = ...,
    axes: ArrayLike = ...,
    order: Order | None = ...,
    about: Point | None = ...,
    rng: Generator = ...,
    noise: ArrayLike = ...,
) -> Array: ...
@quiet
def sample(  # noqa: PLR0913 - one width for each thing that varies
    theta: ArrayLike | InertialParameters,
    shape: int | tuple[int, ...] = (),
    *,
    mass: ArrayLike = 0.0,
    com: ArrayLike = 0.0,
    spread: ArrayLike = 0.0,
    ratios: ArrayLike = 0.0,
    axes: ArrayLike = 0.0,
    order: Order | None = None,
    about: Point | None = None,
    rng: Generator = None,
    noise: ArrayLike | None = None,
) -> Array | InertialParameters:
    """Draw bodies near the given ones, all of which exist.

    The widths are standard deviations, (...,) or one number for all bodies; each moves one thing
    and leaves the others alone, and where it is 0 that thing stays. Bodies of which all five are 0
    come back bit for bit. Plates stay plates, rods rods, points points and frames without mass what
    they are. Differentiable with respect to theta and the widths where the array library is, for
    fixed noise.

    Args:
        theta: (..., 10) bodies, in `order` about `about`; or InertialParameters.
        shape: Of the samples of each body, before the axes of theta.
        mass: Of log m. The shape stays: the inertia grows with the mass.
        com: Of the centre of mass along each principal axis, as a share of the principal length
            sqrt(s_i / m); the root mean square of its way is this share of the radius of gyration.
        spread: Of log k, the radius of gyration: all lengths grow, the mass stays.
        ratios: Of the logarithm of the ratio of two principal lengths; k stays. Where spreads are
            equal and the axes not unique, they are drawn uniformly from those there are.
        axes: Of each component of the rotation vector that turns the body about its centre of
            mass [rad].
        order: Order of the last six: urdf, pinocchio, mujoco, wensing or ksl; None for theta's own.
        about: Point about which they are taken: "origin" or "com"; None for theta's own.
        rng: A seed or a numpy.random.Generator, with any array library; a torch.Generator or a JAX
            key, with its own.
        noise: (..., NORMALS) instead of rng and shape: numbers already drawn, standard normal for
            the widths to be standard deviations; leading axes are those of the samples and, last,
            of theta.

    Returns:
        (..., 10) behind the axes of `shape`, in the order and about the point of theta, in its
        array library; as InertialParameters if that is what theta was. Where a trace hides the
        values of bodies that would be refused, NaN.

    Raises:
        ParameterError: A body that does not exist, a width that is negative or not finite (naming
            the body), widths so wide that numbers overflow, shapes that do not fit, both or neither
            of rng and noise.

    Example:
        >>> link = [1.2, 0, 0, 0.12, 0.05, 0, 0, 0.05, 0, 0.01]
        >>> bodies = ic.sample(link, 1000, mass=0.1, spread=0.2, rng=0)
        >>> print(bodies.shape, bool(ic.check(bodies).consistent.all()))
        (1000, 10) True
    """
    order, about = find_form(theta, order, about)
    given, _ = as_theta(theta, order, about)
    if isinstance(theta, (list, tuple)):
        given = given.tolist()  # it takes the library of the noise
    asked = {"mass": mass, "com": com, "spread": spread, "ratios": ratios, "axes": axes}
    xp, given, widths, noise = _arguments(given, asked, shape, rng, noise)
    nominal_mass, first_moment, central = given[..., 0], given[..., 1:4], given[..., 4:]
    result = Consistency(hold_constant(given), about)
    refuse_impossible(result, "there is nothing near it to draw")
    if about == "origin":
        central = about_com(nominal_mass, first_moment, central)
    safe = xp.where(nominal_mass > 0, nominal_mass, xp.ones_like(nominal_mass))[..., None]
    covariance = second_moment(central) / safe
    size = xp.abs(hold_constant(covariance))
    size = size[..., 0] + size[..., 3] + size[..., 5]
    floor = result.tolerance
    zero = xp.where(xp.isfinite(floor), floor, xp.zeros_like(floor)) * size
    nominal = _Nominal(given, about, result.possible, central, covariance, zero)
    drawn, p_BcmScm_B = _draw(xp, nominal, widths, noise)
    # Refuse samples that left the range of the numbers: no body is that wide of its nominal.
    lost = xp.any(~xp.isfinite(drawn), axis=-1) | ((drawn[..., 0] == 0) & (given[..., 0] != 0))
    where = first_index(xp, lost)
    if where is not None:
        raise ParameterError(
            f"a sample{of_body(where)} leaves the range of {drawn.dtype}: make the widths smaller"
        )
    drawn = xp.where(nominal.possible[..., None], drawn, xp.full_like(drawn, xp.nan))
    if not isinstance(theta, InertialParameters):
        return state_form_of(theta, reorder(drawn, "urdf", order), order, about)
    if theta._com is None:
        return InertialParameters._fresh(drawn, about)
    com = _keep_rows(xp, widths["com"] == 0, theta._com, theta._com + p_BcmScm_B)
    return InertialParameters._fresh(drawn, about, com)


class _Nominal(NamedTuple):
    """The given bodies, taken apart.

    Attributes:
        theta: (..., 10) as given, about the point `about`.
        about: "origin" or "com".
        possible: (...,) whether a body has them.
        central: (..., 6) inertia about the centre of mass [kg m^2].
        covariance: (..., 6) of the mass; 0 for frames without any [m^2].
        zero: (...,) spreads up to which are rounding: the floor of the margin, as a length^2.
    """

    theta: Array
    about: Point
    possible: Array
    central: Array
    covariance: Array
    zero: Array


def _arguments(
    theta: ArrayLike,
    widths: dict[str, ArrayLike],
    shape: int | tuple[int, ...],
    rng: Generator,
    noise: ArrayLike | None,
) -> tuple[Namespace, Array, dict[str, Array], Array]:
    """The array namespace; theta, the widths and the noise as arrays of it that fit together."""
    if (rng is None) == (noise is None):
        given = "neither" if rng is None else "both"
        raise ParameterError(f"{given} of rng and noise given: give one; rng is {EXPECTED}")
    shape = _shape(shape)
    xp, (like, *values) = real_arrays(theta=theta, **widths)
    batches = {name: tuple(v.shape) for name, v in zip(widths, values, strict=True)}
    batch = batch_shape(theta=like.shape[:-1], **batches)
    if noise is None:
        noise = standard_normal(rng, (*shape, *batch, NORMALS), xp, like)
    elif shape:
        raise ParameterError(f"shape is {shape} beside noise, which has the axes of the samples")
    xp, (theta, noise, *values) = real_arrays(theta=theta, noise=noise, **widths)
    expect_shape("noise", noise, NORMALS)
    batch_shape(theta_and_widths=batch, noise=noise.shape[:-1])
    where = first_index(xp, ~xp.isfinite(noise))
    if where is not None:
        raise ParameterError(f"noise at {where} is {float(noise[where])!r}, expected a number")
    for name, width in zip(widths, values, strict=True):
        where = first_index(xp, ~(xp.isfinite(width) & (width >= 0)))
        if where is not None:
            raise ParameterError(
                f"{name}{of_body(where)} is {float(width[where])!r}, expected a standard "
                "deviation: 0 or a positive number"
            )
    return xp, theta, dict(zip(widths, values, strict=True)), noise


def _shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    axes = shape if isinstance(shape, tuple) else (shape,)
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in axes) or any(
        n < 0 for n in axes
    ):
        raise ParameterError(f"shape is {shape!r}, expected a number of samples or a tuple of such")
    return tuple(int(n) for n in axes)


def _draw(
    xp: Namespace, nominal: _Nominal, widths: dict[str, Array], noise: Array
) -> tuple[Array, Array]:
    """Theta (..., 10) of the samples, and the way (..., 3) of their centres of mass."""
    theta, still = nominal.theta, {name: width == 0 for name, width in widths.items()}
    V, spreads = _principal(xp, nominal, noise)
    # The square roots of the diagonal matrices, as six entries, with their slopes in every
    # direction: d(root)_ij = dS_ij / (root_i + root_j).
    lengths = [xp.sqrt(hold_constant(spreads[..., i])) for i in _DIAGONAL]
    change = spreads - hold_constant(spreads)
    entries = []
    for entry, (i, j) in enumerate(SIX_PLACES):
        sum_of_two = lengths[i] + lengths[j]
        flat = sum_of_two == 0
        slope = 1 / xp.where(flat, xp.ones_like(sum_of_two), sum_of_two)
        slope = xp.where(flat, xp.zeros_like(slope), slope)
        value = lengths[i] if i == j else xp.zeros_like(slope)
        entries.append(value + change[..., entry] * slope)
    roots = xp.stack(entries, axis=-1)
    along = rotate_vector(xp, xp.matrix_transpose(V), noise[..., _COM])
    way = rotate_vector(xp, V, rotate_vector(xp, symmetric(roots), along))
    way = widths["com"][..., None] * way

    # Spreads (..., 6) with principal lengths of other ratios and the same sum of squares.
    draws = widths["ratios"][..., None] * noise[..., _RATIOS]
    stretch = xp.exp(draws * 0.5**0.5)
    entries = [
        spreads[..., entry] * stretch[..., i] * stretch[..., j]
        for entry, (i, j) in enumerate(SIX_PLACES)
    ]
    before, after = (sum(six[i] for i in _DIAGONAL) for six in (columns(spreads), entries))
    some = after > 0
    scale = xp.where(some, before, xp.ones_like(after)) / xp.where(some, after, xp.ones_like(after))
    strained = scale[..., None] * xp.stack(entries, axis=-1)
    strained = strained * xp.exp(2 * widths["spread"] * noise[..., _SPREAD])[..., None]
    turn = exponential(xp, widths["axes"][..., None] * noise[..., _AXES])
    covariance = rotate_tensor(xp, product(xp, turn, V), strained)
    deformed = inertia_from_second_moment(theta[..., :1] * covariance) + 0.0  # no -0
    undeformed = still["spread"] & still["ratios"] & still["axes"]

    factor = xp.exp(widths["mass"] * noise[..., _MASS])
    mass = factor * theta[..., 0]
    central = _keep_rows(xp, undeformed, nominal.central, deformed) * factor[..., None]
    first_moment = factor[..., None] * theta[..., 1:4] + mass[..., None] * way
    inertia = central
    if nominal.about == "origin":
        inertia = about_origin(mass, first_moment, central)
    nothing = undeformed & still["mass"] & still["com"]
    return _keep_rows(xp, nothing, theta, join(mass, first_moment, inertia)), way


def _principal(xp: Namespace, nominal: _Nominal, noise: Array) -> tuple[Array, Array]:
    """Principal axes R_BP (..., 3, 3), and the covariance (..., 6) in them.

    The values are the eigenvalues, without any rounding below zero or beside the diagonal; the
    slopes are those of V^T C V, so that nothing is divided by the difference of equal spreads.
    There the axes are held for derivatives: a turn of the body would draw others.
    """
    C, zero = nominal.covariance, nominal.zero
    values, axes = eigensystem(hold_constant(C))
    ties = [values[..., i + 1] - values[..., i] <= zero for i in range(2)]
    tied = ties[0] | ties[1]
    like = xp.zeros_like(C) + _six(xp, zero, -1.0, 0.0, 1.0)
    _, distinct = eigensystem(xp.where(tied[..., None], like, C))
    V = xp.where(tied[..., None, None], axes, distinct)
    V = _any_of(xp, V, ties, noise[..., _TIES])

    values = xp.where(values <= zero[..., None], xp.zeros_like(values), values)
    exact = _six(xp, zero, *(values[..., i] for i in range(3)))
    seen = rotate_tensor(xp, xp.matrix_transpose(V), C)
    return V, exact + (seen - hold_constant(seen))


def _any_of(xp: Namespace, V: Array, ties: list[Array], noise: Array) -> Array:
    """The axes V where they are unique, else some of those there are, all equally likely.

    They are the eigenvectors of a random matrix whose law no rotation changes, seen in the space of
    the equal spreads alone: which axes V held there drops out.
    """
    tied = ties[0] | ties[1]
    if xp is np and not xp.any(tied):
        return V
    part = 0.5**0.5
    scales = (1.0, part, part, 1.0, part, 1.0)
    isotropic = xp.stack([scales[i] * noise[..., i] for i in range(6)], axis=-1)
    inside = rotate_tensor(xp, xp.matrix_transpose(hold_constant(V)), isotropic)
    xx, xy, xz, yy, yz, zz = columns(inside)
    none = xp.zeros_like(xx)
    entries = [
        xp.where(ties[0], xx, none - _APART),
        xp.where(ties[0], xy, none),
        xp.where(ties[0] & ties[1], xz, none),
        xp.where(tied, yy, none),
        xp.where(ties[1], yz, none),
        xp.where(ties[1], zz, none + _APART),
    ]
    _, turn = eigensystem(hold_constant(xp.stack(entries, axis=-1)))
    return xp.where(tied[..., None, None], product(xp, V, turn), V)


def _six(xp: Namespace, like: Array, xx: ArrayLike, yy: ArrayLike, zz: ArrayLike) -> Array:
    """Diagonal matrices as (..., 6)."""
    zero = xp.zeros_like(like)
    return xp.stack([zero + xx, zero, zero, zero + yy, zero, zero + zz], axis=-1)


def _keep_rows(xp: Namespace, keep: Array, old: Array, new: Array) -> Array:
    """The bits of the old rows (..., n) where nothing moves them, with the slopes of the new."""
    if xp is not np:
        old = hold_constant(old) - (hold_constant(new) - new)
    return xp.where(keep[..., None], old, new)
