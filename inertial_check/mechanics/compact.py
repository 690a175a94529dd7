"""Spatial inertias as ten stored terms, as in KSL: moved, merged and assembled.

The terms are [m, m rx, m ry, m rz, Ixx, Iyy, Izz, Ixy, Iyz, Izx]: r from the origin of the
reference frame to the centre of mass, the inertia about the centre of mass, both in the axes of the
reference frame; InertialParameters.as_theta(order="ksl", about="com") gives them. For SIMD -m r may
stand behind them: thirteen terms, which every function here takes and returns alike.

The inertia stays about the centre of mass in every operation; M_ff is assembled where it is asked
for. KSL's 6x6 matrices are for twists [v, w], order "linear-angular"; the order is always said.

Source: "KSL": KSL documentation, Inertia; KSL, src/inertia.c. Its equations, what computes them and
their tests in tests/mechanics/test_compact.py and test_factor.py::

    (1) to (8)                   adjoint, coadjoint, spatial_inertia, m_ff; slips 1 to 6
                                 (TestSlipsOfTheDocument)
    (9) to (13), (16), (17)      m_ff; slips 7, 8 (test_eq_13_the_second_factor_is_r_not_t)
    (14), (15)                   product_of_skews (test_identity_14_as_printed)
    ten terms, thirteen          widen, narrow
    (SIMD)                       (test_thirteen_terms_carry_minus_m_r_through_every_operation)
    ksl_inertia(m, t, Ixx, ...)  from_com(m, t, I).as_theta(order="ksl", about="com")
    ksl_inertia_alloc(n)         numpy.zeros((n, 10))
    ksl_inertia_rotated,         rotate, translate, transform (TestMoving)
    _translated, _transformed
    ksl_inertia_merge, _factor   merge_, factor_ (test_against_the_points_of_both, TestEveryRank)
    ksl_inertiaf_...             the same functions on float32 (test_float32)

Where the printed form is not the right one, with r_fc from f to c in the axes of f, and
r_cf = -R_cf r_fc from c to f in the axes of c, ~r the skew matrix and Ic the inertia about c::

    1  (2) has p_f = M_cc v_c; it is p_c.
    2  (4) [Ad]^*-1_10 is [Ad]^*-1_cf = [Ad]^*_fc.
    3  (6), lower left: ~r_cf R_cf m R_cf is -m R_fc ~r_cf R_cf.
    4  (6), lower right: ~r_cf R_cf m ~r_cf R_cf + R_fc Ic R_cf is R_fc (Ic - m ~r_cf^2) R_cf.
    5  (7), lower right: Ic - m ~r_cf^2 lacks R_fc on the left and R_cf on the right.
    6  (8) holds with r and Ic in the axes of f, and with r from c to f.
    7  (10) gives Ic, 3x3, and not M_ff.
    8  (13) has ~t_temp ~t_fc; the second is ~r_fc, as in (16).
    9  ksl_inertia_merge calls t_ic_i an output, and the source does not write it; merge_ does.
       merge returns the vectors of both bodies to the shared centre of mass, each from its own
       origin in its own axes.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.mechanics import compact
>>> rod = np.array([2.0, 0, 0, 1.0, 0.3, 0.3, 0.1, 0, 0, 0])  # m, m r, Ixx, Iyy, Izz, Ixy, Iyz, Izx
>>> quarter = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # a quarter turn about x
>>> shift = np.eye(4)
>>> shift[:3, 3] = [0, 0, 0.5]
"""

from __future__ import annotations

from typing import NamedTuple, cast

from inertial_check.errors import ParameterError, expect
from inertial_check.inertia import frames, tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Namespace,
    batch_shape,
    copy_array,
    device_of,
    expect_shape,
    first_index,
    of_body,
    quiet,
    real_arrays,
)
from inertial_check.inertia.representations import SpatialOrder, about_origin, reorder
from inertial_check.inertia.representations import spatial_inertia as matrix_of
from inertial_check.mechanics import vectors

TERMS = 10
REDUNDANT_TERMS = 13


# Storage


@quiet
def widen(terms: ArrayLike) -> Array:
    """Write -m r behind ten terms (..., 10), which makes thirteen (..., 13).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(compact.widen(rod)[10:] + 0.0)  # -m r
        [ 0.  0. -1.]
    """
    xp, (terms,) = real_arrays(terms=terms)
    expect_shape("terms", terms, TERMS)
    return xp.concat([terms, -terms[..., 1:4]], axis=-1)


def narrow(terms: ArrayLike) -> Array:
    """Drop the last three of thirteen terms (..., 13), which are -m r; ten (..., 10) stay.

    Raises:
        ParameterError: Wrong shape, or last three that are not minus m r.

    Example:
        >>> print(compact.narrow(compact.widen(rod)))
        [2.  0.  0.  1.  0.3 0.3 0.1 0.  0.  0. ]
    """
    xp, (terms,) = real_arrays(terms=terms)
    expect_shape("terms", terms, REDUNDANT_TERMS)
    return _ten(xp, terms)


# Moving


def rotate(terms: ArrayLike, R_fc: ArrayLike) -> Array:
    """Rotate a body to axes f: m r and the inertia turn, [Ad*] M [Ad] of a rotation.

    Args:
        terms: (..., 10) or (..., 13) in axes c.
        R_fc: (..., 3, 3) rotations whose columns are the axes of c in f.

    Returns:
        As many terms in axes f, about the same origin; leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no rotation.

    Example:
        >>> print(compact.rotate(rod, quarter) + 0.0)
        [ 2.   0.  -1.   0.   0.3  0.1  0.3  0.   0.   0. ]
    """
    _, theta, width = read_terms(terms)
    xp, (theta, R_fc) = real_arrays(terms=theta, R_fc=R_fc)
    frames.refuse_nonrotation(xp, "R_fc", R_fc)
    return _store(frames.rotate(theta, R_fc), width)


def translate(terms: ArrayLike, t_fc: ArrayLike) -> Array:
    """Translate a body, so that it is measured from f: only m r changes, by m t.

    Args:
        terms: (..., 10) or (..., 13) measured from the origin of c.
        t_fc: (..., 3) from the origin of f to that of c [m].

    Returns:
        As many terms, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(compact.translate(rod, [0.5, 0, 0])[:4])  # m r grows by m t
        [2. 1. 0. 1.]
    """
    _, theta, width = read_terms(terms)
    _, (theta, t_fc) = real_arrays(terms=theta, t_fc=t_fc)
    expect_shape("t_fc", t_fc, 3)
    return _store(frames.translate(theta, t_fc, about="com"), width)


def transform(terms: ArrayLike, D_fc: ArrayLike) -> Array:
    """Transform a body to frame f: rotate by R_fc, then translate by t_fc.

    Args:
        terms: (..., 10) or (..., 13) in frame c.
        D_fc: (..., 4, 4) poses of c in f, [[R_fc, t_fc], [0, 1]].

    Returns:
        As many terms, leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, or a matrix that is no pose.

    Example:
        >>> print(compact.transform(rod, shift))
        [2.  0.  0.  2.  0.3 0.3 0.1 0.  0.  0. ]
    """
    return _transform(terms, D_fc, "D_fc")


def _transform(terms: ArrayLike, pose: ArrayLike, name: str) -> Array:
    """Transform terms by poses, which error messages call by this name."""
    _, theta, width = read_terms(terms)
    return _store(frames.transform(theta, pose, about="com", name=name), width)


def rotate_(terms: ArrayLike, R_fc: ArrayLike) -> Array:
    """Rotate like `rotate`, but write into the given array, which is returned.

    Args:
        terms: (..., 10) or (..., 13), a writable floating array; it keeps shape and precision.
        R_fc: (..., 3, 3) rotations; leading axes must not widen those of terms.

    Raises:
        ParameterError: As `rotate`; an array that cannot be written (JAX, read-only, a list).

    Example:
        >>> terms = rod.copy()
        >>> print(compact.rotate_(terms, quarter) is terms, terms[4:7])
        True [0.3 0.1 0.3]
    """
    return write_in_place("rotate", terms, rotate(terms, R_fc))


def translate_(terms: ArrayLike, t_fc: ArrayLike) -> Array:
    """Translate like `translate`, but write into the given array, which is returned.

    Args:
        terms: (..., 10) or (..., 13), a writable floating array; it keeps shape and precision.
        t_fc: (..., 3) [m]; leading axes must not widen those of terms.

    Raises:
        ParameterError: As `translate`; an array that cannot be written (JAX, read-only, a list).

    Example:
        >>> terms = rod.copy()
        >>> print(compact.translate_(terms, [0.5, 0, 0]) is terms, terms[:4])
        True [2. 1. 0. 1.]
    """
    return write_in_place("translate", terms, translate(terms, t_fc))


def transform_(terms: ArrayLike, D_fc: ArrayLike) -> Array:
    """Transform like `transform`, but write into the given array, which is returned.

    Args:
        terms: (..., 10) or (..., 13), a writable floating array; it keeps shape and precision.
        D_fc: (..., 4, 4) poses; leading axes must not widen those of terms.

    Raises:
        ParameterError: As `transform`; an array that cannot be written (JAX, read-only, a list).

    Example:
        >>> terms = rod.copy()
        >>> print(compact.transform_(terms, shift) is terms, terms[:4])
        True [2. 0. 0. 2.]
    """
    return write_in_place("transform", terms, transform(terms, D_fc))


class Merged(NamedTuple):
    """Two bodies that are one, in the frame of the parent.

    Attributes:
        terms: (..., 10) or (..., 13), as many as the parent has, in the parent's frame i, about the
            shared centre of mass.
        t_ic_i: (..., 3) from the parent's origin to the shared centre of mass, in axes i [m].
        t_jc_j: (..., 3) from the child's origin to the same point, in axes j [m].
    """

    terms: Array
    t_ic_i: Array
    t_jc_j: Array


@quiet
def merge(
    parent: ArrayLike, t_ic_i: ArrayLike, child: ArrayLike, t_jc_j: ArrayLike, D_ij: ArrayLike
) -> Merged:
    """A child body j that is fixed to its parent i, merged into it (ksl_inertia_merge).

    Args:
        parent: (..., 10) or (..., 13) in frame i.
        t_ic_i: (..., 3) from the origin of i to the parent's centre of mass, in axes i [m].
        child: (..., 10) or (..., 13) in frame j.
        t_jc_j: (..., 3) from the origin of j to the child's centre of mass, in axes j [m].
        D_ij: (..., 4, 4) poses of j in i.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is no pose, a vector t that is not the
            one whose product with the mass is stored, a shared mass that is not positive.

    Example:
        >>> merged = compact.merge(rod, [0, 0, 0.5], rod, [0, 0, 0.5], shift)
        >>> print(merged.terms[:7], merged.t_ic_i, merged.t_jc_j)
        [4.   0.   0.   3.   0.85 0.85 0.2 ] [0.   0.   0.75] [0.   0.   0.25]
    """
    values = {"parent": parent, "t_ic_i": t_ic_i, "child": child, "t_jc_j": t_jc_j}
    xp, (parent, t_ic_i, child, t_jc_j, D_ij) = real_arrays(**values, D_ij=D_ij)
    _, theta_i, width = read_terms(parent, "parent")
    _, theta_j, _ = read_terms(child, "child")
    _refuse_other_center(xp, "t_ic_i", t_ic_i, theta_i)
    _refuse_other_center(xp, "t_jc_j", t_jc_j, theta_j)
    R_ij, t_ij = frames.pose_parts(D_ij, like=parent, name="D_ij")
    theta = frames.merge(theta_i, theta_j, D_ij, about="com")
    mass = theta[..., :1]
    body = first_index(xp, mass[..., 0] <= 0)
    if body is not None:
        raise ParameterError(
            f"the mass of parent and child{of_body(body)} together is "
            f"{float(mass[..., 0][body])!r} kg, expected more than 0: there is no shared centre"
        )
    carried = theta_j[..., :1] * (frames.rotate_vector(xp, R_ij, t_jc_j) + t_ij)
    center = (theta_i[..., :1] * t_ic_i + carried) / mass
    back = frames.rotate_vector(xp, xp.matrix_transpose(R_ij), center - t_ij)
    return Merged(_store(theta, width), center, back)


def merge_(
    parent: ArrayLike, t_ic_i: ArrayLike, child: ArrayLike, t_jc_j: ArrayLike, D_ij: ArrayLike
) -> Array:
    """Merge like `merge`, but write into parent and t_ic_i, as ksl_inertia_merge does.

    Args:
        parent: (..., 10) or (..., 13) in frame i, a writable floating array: [in/out].
        t_ic_i: (..., 3) to the parent's centre of mass [m], a writable floating array: [in/out].
        child: (..., 10) or (..., 13) in frame j; leading axes must not widen those of parent.
        t_jc_j: (..., 3) to the child's centre of mass, in axes j [m].
        D_ij: (..., 4, 4) poses of j in i.

    Returns:
        parent, with the terms of both.

    Raises:
        ParameterError: As `merge`; an array that cannot be written, after which neither has
            changed.

    Example:
        >>> parent, center = rod.copy(), np.array([0, 0, 0.5])
        >>> print(compact.merge_(parent, center, rod, [0, 0, 0.5], shift)[:7], center)
        [4.   0.   0.   3.   0.85 0.85 0.2 ] [0.   0.   0.75]
    """
    merged = merge(parent, t_ic_i, child, t_jc_j, D_ij)
    before = copy_array(real_arrays(t_ic_i=t_ic_i)[0], cast("Array", t_ic_i))
    write_in_place("merge", t_ic_i, merged.t_ic_i, "t_ic_i")
    try:
        return write_in_place("merge", parent, merged.terms, "parent")
    except ParameterError:
        write_in_place("merge", t_ic_i, before, "t_ic_i")
        raise


# M_ff


def spatial_inertia(terms: ArrayLike, order: SpatialOrder) -> Array:
    """M_ff (..., 6, 6) of bodies whose terms are in f: KSL eqs. 8 and 13 with c = r_fc.

    [[m 1, -m [c]x], [m [c]x, I_c - m [c]x [c]x]] for twists [v, w].

    Args:
        terms: (..., 10) or (..., 13).
        order: A name of representations.SPATIAL_ORDERS.

    Raises:
        ParameterError: Wrong shape, unknown order.

    Example:
        >>> M = compact.spatial_inertia(rod, "linear-angular")
        >>> print(M.diagonal())  # the mass three times, then the inertia about the origin
        [2.  2.  2.  0.8 0.8 0.1]
    """
    xp, theta, _ = read_terms(terms)
    six = about_origin(theta[..., 0], theta[..., 1:4], theta[..., 4:])
    return matrix_of(xp.concat([theta[..., :4], six], axis=-1), order)


def adjoint(D_fc: ArrayLike) -> Array:
    """[Ad]_fc (..., 6, 6) for twists [v, w]: [[R, [t]x R], [0, R]], from c to f.

    Args:
        D_fc: (..., 4, 4) poses of c in f.

    Raises:
        ParameterError: Wrong shape, or a matrix that is no pose.

    Example:
        >>> print(compact.adjoint(shift)[:3, 3:] + 0.0)  # [t]x R
        [[ 0.  -0.5  0. ]
         [ 0.5  0.   0. ]
         [ 0.   0.   0. ]]
    """
    _, (D_fc,) = real_arrays(D_fc=D_fc)
    return vectors.Plx.from_pose(D_fc).inverse().as_matrix("linear-angular")


def coadjoint(D_fc: ArrayLike) -> Array:
    """[Ad]*_fc (..., 6, 6) for wrenches [F, tau]: [[R, 0], [[t]x R, R]], from c to f.

    Args:
        D_fc: (..., 4, 4) poses of c in f.

    Raises:
        ParameterError: Wrong shape, or a matrix that is no pose.

    Example:
        >>> print(compact.coadjoint(shift)[3:, :3] + 0.0)  # [t]x R
        [[ 0.  -0.5  0. ]
         [ 0.5  0.   0. ]
         [ 0.   0.   0. ]]
    """
    _, (D_fc,) = real_arrays(D_fc=D_fc)
    return vectors.Plx.from_pose(D_fc).inverse().as_dual_matrix("linear-angular")


def m_ff(terms: ArrayLike, D_fb: ArrayLike) -> Array:
    """M_ff (..., 6, 6) of bodies whose terms are in b: transformed to f, then assembled.

    Args:
        terms: (..., 10) or (..., 13) in frame b.
        D_fb: (..., 4, 4) poses of b in f.

    Returns:
        (..., 6, 6) for twists [v, w], leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit, a matrix that is no pose.

    Example:
        >>> print(compact.m_ff(rod, shift).diagonal())  # the centre of mass is 1 m from f
        [2.  2.  2.  2.3 2.3 0.1]
    """
    return spatial_inertia(_transform(terms, D_fb, "D_fb"), order="linear-angular")


@quiet
def product_of_skews(a: ArrayLike, b: ArrayLike) -> Array:
    """[a]x [b]x = b a^T - (a.b) 1, as KSL eqs. 14 and 15 compute it.

    Args:
        a: (..., 3).
        b: (..., 3).

    Returns:
        (..., 3, 3), leading axes broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(compact.product_of_skews([1.0, 0, 0], [0, 1.0, 0]) + 0.0)
        [[0. 0. 0.]
         [1. 0. 0.]
         [0. 0. 0.]]
    """
    xp, (a, b) = real_arrays(a=a, b=b)
    for name, vector in (("a", a), ("b", b)):
        expect_shape(name, vector, 3)
    batch_shape(a=a.shape[:-1], b=b.shape[:-1])
    result = b[..., :, None] * a[..., None, :]
    trace = result[..., 0, 0] + result[..., 1, 1] + result[..., 2, 2]
    return result - trace[..., None, None] * xp.eye(3, dtype=a.dtype, device=device_of(a))


def length(xp: Namespace, vector: Array) -> Array:
    """|v| (...,) of vectors (..., 3)."""
    return xp.sqrt(xp.sum(vector * vector, axis=-1))


def read_terms(terms: ArrayLike, name: str = "terms") -> tuple[Namespace, Array, int]:
    """The namespace, theta in order "urdf" about the centre of mass, and how many terms it had.

    Raises:
        ParameterError: Wrong shape, or thirteen terms whose last three are not minus m r.
    """
    expect("text", name=name)
    xp, (terms,) = real_arrays(**{name: terms})
    width = terms.shape[-1] if terms.ndim else 0
    if width not in (TERMS, REDUNDANT_TERMS):
        raise ParameterError(
            f"{name} has shape {tuple(terms.shape)}, expected (..., {TERMS}), or "
            f"(..., {REDUNDANT_TERMS}) with -m r behind"
        )
    return xp, reorder(terms if width == TERMS else _ten(xp, terms, name), "ksl", "urdf"), width


def _ten(xp: Namespace, terms: Array, name: str = "terms") -> Array:
    there, negated = terms[..., 1:4], terms[..., TERMS:]
    body = first_index(xp, xp.any(there + negated != 0, axis=-1))
    if body is not None:
        raise ParameterError(
            f"{name}{of_body(body)}: the last three of thirteen are not minus m r; make them with "
            "widen"
        )
    return terms[..., :TERMS]


def _store(theta: Array, width: int) -> Array:
    """Order theta as ten or thirteen terms."""
    ten = reorder(theta, "urdf", "ksl")
    return ten if width == TERMS else widen(ten)


def write_in_place(name: str, terms: ArrayLike, result: Array, what: str = "terms") -> Array:
    """Write the result in the place of the terms; refuse what cannot be written."""
    where = f"{what} cannot be changed in place; use {name}, which returns a new array"
    if not hasattr(terms, "__setitem__") or not hasattr(terms, "dtype"):
        raise ParameterError(f"{type(terms).__name__}: {where}")
    array = cast("Array", terms)
    if tuple(array.shape) != tuple(result.shape):
        raise ParameterError(
            f"{what} of shape {tuple(array.shape)} would become {tuple(result.shape)}; in place "
            f"the shape stays; use {name}, which returns a new array"
        )
    xp, _ = real_arrays(terms=array)
    if not xp.isdtype(array.dtype, "real floating"):
        raise ParameterError(f"{what} hold {array.dtype}: {where}")
    try:
        array[...] = xp.astype(result, array.dtype)
    except (TypeError, ValueError, RuntimeError) as error:  # JAX; read-only; a leaf of autograd
        raise ParameterError(f"{type(terms).__name__}: {where}") from error
    return array


def _refuse_other_center(xp: Namespace, name: str, t: Array, theta: Array) -> None:
    """Refuse a vector to the centre of mass that is not the one in the terms, to half its digits.

    Its product with the mass is measured against m r, and m times the radius of gyration.
    """
    expect_shape(name, t, 3)
    batch_shape(**{name: t.shape[:-1], "terms": theta.shape[:-1]})
    mass = theta[..., :1]
    given = mass * t
    moved = xp.broadcast_to(theta[..., 1:4], given.shape)
    spread = xp.abs(theta[..., 4]) + xp.abs(theta[..., 7]) + xp.abs(theta[..., 9])
    size = xp.maximum(length(xp, given), length(xp, moved))
    size = xp.maximum(size, xp.sqrt(xp.abs(mass[..., 0]) * spread))
    floor = tolerances.rotation_floor(t.dtype, xp)
    body = first_index(xp, length(xp, given - moved) > floor * size)
    if body is not None:
        got, stored = ([float(v[body][i]) for i in range(3)] for v in (given, moved))
        raise ParameterError(
            f"{name}{of_body(body)} times the mass is {got} kg m, but the terms hold m r = {stored}"
        )
