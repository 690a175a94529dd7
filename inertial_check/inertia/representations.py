"""The ten inertial parameters of a rigid body, in each of their representations.

Everything is batched over leading axes and keeps the array library and the precision of its input.
Where nothing else is said, theta is in the order "urdf" and about the body origin:
[m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz] in [kg, kg m, kg m^2], all in the axes of the body
frame B, with h = m p_BoBcm_B. Products of inertia are entries of the matrix: Ixy = -sum m x y.
"Six" is such a symmetric matrix as [xx, xy, xz, yy, yz, zz].

Sources: "Heins": Rigid Body Inertial Parameters; "KSL": KSL documentation, Inertia.

The examples of this module continue this session:

>>> import numpy as np
>>> from inertial_check.inertia import representations

Units in which the numbers of a body neither overflow nor underflow.

A verdict does not depend on the units of mass and length. Where numbers come near the ends of the
floating-point range, it is computed in units that are powers of two: scaling by them is exact, save
for entries too small to count. All other bodies are computed as they are, bit for bit.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    DType,
    Floats,
    Namespace,
    NumpyArray,
    array_namespace,
    batch_shape,
    copy_array,
    device_of,
    expect_shape,
    first_index,
    gather,
    of_body,
    quiet,
    real_arrays,
)

__all__ = [
    "ABOUTS",
    "ORDERS",
    "SPATIAL_ORDERS",
    "Order",
    "Point",
    "SpatialOrder",
    "Units",
    "about_com",
    "about_origin",
    "about_point",
    "inertia_from_second_moment",
    "join",
    "pseudo_inertia",
    "reorder",
    "second_moment",
    "second_moment_about_point",
    "six",
    "spatial_inertia",
    "split",
    "symmetric",
    "theta_from_pseudo_inertia",
    "theta_from_spatial_inertia",
]


Order = Literal["urdf", "pinocchio", "mujoco", "wensing", "ksl"]
"""Name of an order of the last six of theta: a key of ORDERS."""

Point = Literal["origin", "com"]
"""Point about which an inertia is taken: the body origin Bo or the centre of mass Bcm."""

SpatialOrder = Literal["angular-linear", "linear-angular"]
"""Block order of spatial vectors and 6x6 matrices: [w, v] (Featherstone) or [v, w] (Pinocchio)."""

ORDERS: dict[Order, tuple[str, ...]] = {
    "urdf": ("xx", "xy", "xz", "yy", "yz", "zz"),
    "pinocchio": ("xx", "xy", "yy", "xz", "yz", "zz"),
    "mujoco": ("xx", "yy", "zz", "xy", "xz", "yz"),
    "wensing": ("xx", "yy", "zz", "yz", "xz", "xy"),
    "ksl": ("xx", "yy", "zz", "xy", "yz", "xz"),
}
"""Order of the last six of theta, by name. iDynTree and rigeo are as urdf; KSL writes xz as zx."""

ABOUTS: tuple[Point, ...] = get_args(Point)
"""Points about which the last six of theta can be: the body origin Bo, the centre of mass Bcm."""

SPATIAL_ORDERS: tuple[SpatialOrder, ...] = get_args(SpatialOrder)
"""Block orders of a 6x6 spatial inertia: Featherstone's and Pinocchio's twists, by name."""

# Where the entries of each matrix stand in: the six; S, h, m; I, h, -h, m, 0.
_MATRIX = (0, 1, 2, 1, 3, 4, 2, 4, 5)
_PSEUDO_INERTIA = (0, 1, 2, 6, 1, 3, 4, 7, 2, 4, 5, 8, 6, 7, 8, 9)
_SPATIAL = {
    "angular-linear": (
        *(0, 1, 2, 13, 11, 7),
        *(1, 3, 4, 8, 13, 9),
        *(2, 4, 5, 10, 6, 13),
        *(13, 8, 10, 12, 13, 13),
        *(11, 13, 6, 13, 12, 13),
        *(7, 9, 13, 13, 13, 12),
    ),
    "linear-angular": (
        *(12, 13, 13, 13, 8, 10),
        *(13, 12, 13, 11, 13, 6),
        *(13, 13, 12, 7, 9, 13),
        *(13, 11, 7, 0, 1, 2),
        *(8, 13, 9, 1, 3, 4),
        *(10, 6, 13, 2, 4, 5),
    ),
}


_Any = Any  # Any: the signatures of NumPy's methods, which Theta takes over


_LINES = 10
"""Largest number of lines of the repr of parameters; a batch with more shows its shape alone."""


class Theta(NumpyArray):
    """Parameters (..., 10) as a NumPy array that knows its order and the point of its inertia.

    So do rows, copies, casts, batches of another shape, pickles, multiples by a number, and arrays
    that are joined and agree. Every other result, as that of numpy.asarray, is a bare array.

    Attributes:
        order: A name of ORDERS; None for a bare array.
        about: "origin" or "com"; None for a bare array.
    """

    order: Order | None = None
    about: Point | None = None

    def _keep(self, array: _Any, *, whole: bool = True) -> _Any:
        """Give rows that are whole the order and the point of this array."""
        return state_form(array, self.order, self.about) if whole else array

    def __getitem__(self, key: _Any) -> _Any:
        """Select numbers."""
        parts = key if isinstance(key, tuple) else (key,)
        used = sum(
            part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1
            for part in parts
            if part is not None and part is not Ellipsis
        )
        whole = used < self.ndim and all(part is not Ellipsis for part in parts[:-1])
        whole |= len(parts) > 0 and isinstance(parts[-1], slice) and parts[-1] == slice(None)
        return self._keep(np.asarray(self)[key], whole=whole)

    def __iter__(self) -> _Any:
        """Over the first axis."""
        return (self[i] for i in range(len(self)))

    def __array_ufunc__(self, ufunc: _Any, method: str, *inputs: _Any, **kwargs: _Any) -> _Any:
        """Compute with bare arrays."""
        if "out" in kwargs:
            kwargs["out"] = tuple(map(_strip, kwargs["out"]))
        result = getattr(ufunc, method)(*map(_strip, inputs), **kwargs)
        scaled = method == "__call__" and any(np.ndim(each) == 0 for each in inputs)
        scaled &= ufunc is np.multiply or (ufunc is np.divide and inputs[0] is self)
        return self._keep(result, whole=scaled)

    def __array_function__(self, function: _Any, types: _Any, args: _Any, kwargs: _Any) -> _Any:
        """Compute as NumPy does, and look at the forms of arrays that are joined."""
        result = super().__array_function__(function, types, args, kwargs)
        if function is np.concatenate and result.shape[-1:] == (10,):
            forms = {find_own_form(each) for each in args[0]}
            return self._keep(np.asarray(result), whole=len(forms) == 1)
        return result if function in _JOINING else _strip(result)

    def copy(self, order: _Any = "C") -> _Any:
        """Copy the numbers; the copy can be written to."""
        return self._keep(np.array(self, order=order))

    def __copy__(self) -> _Any:
        """Copy the numbers."""
        return self.copy()

    def __deepcopy__(self, memo: object) -> _Any:
        """Copy the numbers."""
        return self.copy()

    def astype(self, *args: _Any, **kwargs: _Any) -> _Any:
        """Cast the numbers to another type."""
        return self._keep(np.asarray(self).astype(*args, **kwargs))

    def reshape(self, *shape: _Any, **kwargs: _Any) -> _Any:
        """Give the batch another shape."""
        result = np.asarray(self).reshape(*shape, **kwargs)
        return self._keep(result, whole=result.shape[-1:] == (10,) and not kwargs)

    def __reduce__(self) -> _Any:
        """Pickle the numbers with their order and point."""
        return state_form, (np.array(self), self.order, self.about)

    def __repr__(self) -> str:
        """Show the numbers, order and point."""
        known = f", order={self.order!r}, about={self.about!r}" if self.about else ""
        with np.printoptions(threshold=40, linewidth=100):
            text = repr(np.asarray(self))[:-1]
        if text.count("\n") >= _LINES:
            text = f"array(..., shape={self.shape}"
        return f"{text}{known})"


_JOINING = (np.stack, np.vstack, np.append, np.atleast_2d)
"""Functions of NumPy that join whole arrays, by numpy.concatenate and indexing."""

_Form = tuple[Order | None, Point | None]

_FORMS: dict[int, tuple[weakref.ref[_Any], _Form]] = {}
"""Order and point of arrays of other libraries, by identity, as long as the arrays live."""


@overload
def state_form(array: Floats, order: Order | None, about: Point | None) -> Floats: ...
@overload
def state_form(array: Array, order: Order | None, about: Point | None) -> Array: ...
def state_form(array: _Any, order: Order | None, about: Point | None) -> _Any:
    """Return an array (..., 10) that knows its order and point: doors then use these.

    NumPy's becomes a Theta. An array of another library is copied and the copy remembered
    itself: what is computed from it, rows included, is a bare array again.
    """
    if isinstance(array, np.ndarray):
        theta = array.view(Theta)
        theta.order, theta.about = order, about
        return theta
    array = copy_array(array_namespace(array), array)
    key = id(array)
    _FORMS[key] = weakref.ref(array, lambda _: _FORMS.pop(key, None)), (order, about)
    return array


def state_form_of(given: object, array: Array, order: Order, about: Point) -> Array:
    """Return parameters that know their form where the given ones did."""
    return array if find_own_form(given) == (None, None) else state_form(array, order, about)


def find_own_form(theta: _Any) -> _Form:
    """Find the order and the point that a value knows; None for what it does not.

    Raises:
        ParameterError: A list of values that know different ones.
    """
    if isinstance(theta, Theta):
        return theta.order, theta.about
    if isinstance(theta, (list, tuple)):
        plain = theta and isinstance(theta[0], (int, float, list, tuple))
        forms: set[_Form] = {(None, None)}
        forms = forms if plain or not theta else set(map(find_own_form, theta))
        if len(forms) > 1:  # a bare array has the default form
            forms = {(order or "urdf", about or "origin") for order, about in forms}
        if len(forms) > 1:
            raise ParameterError(f"theta is a list of values in different forms: {forms}")
        return forms.pop()
    if hasattr(theta, "as_theta"):
        return None, theta.about
    return _FORMS[id(theta)][1] if id(theta) in _FORMS else (None, None)


def find_form(
    theta: object, order: Order | None = None, about: Point | None = None
) -> tuple[Order, Point]:
    """Find the order and the point of a value: its own, else those said, else urdf and origin.

    Raises:
        ParameterError: An unknown order or point, or one that contradicts the value's own.
    """
    own = find_own_form(theta)
    for name, said, known in (("order", order, own[0]), ("about", about, own[1])):
        if said is not None and known is not None and said != known:
            raise ParameterError(
                f"{name}={said!r} contradicts the parameters, which have {name}={known!r} of their "
                f"own; leave {name} out"
            )
    order = own[0] or "urdf" if order is None else order
    about = own[1] or "origin" if about is None else about
    check_about(about)
    if not isinstance(order, str) or order not in ORDERS:
        raise ParameterError(f"unknown order {order!r}, expected one of {', '.join(ORDERS)}")
    return order, about


def prefer_own(theta: object, order: Order, about: Point) -> tuple[Order, Point]:
    """Find the order and the point of a value: its own, else those of the call it is part of."""
    own = find_own_form(theta)
    return own[0] or order, own[1] or about


def _strip(value: _Any) -> _Any:
    return np.asarray(value) if isinstance(value, Theta) else value


def read_theta(
    theta: ArrayLike, order: Order | None = None, about: Point | None = None, *, name: str = "theta"
) -> tuple[Namespace, Array, Point]:
    """The array namespace of a vector, the vector in order "urdf", and its point unchanged.

    A floating array in order "urdf" is returned as it is, lists and integers as float64.

    Args:
        theta: (..., 10) parameters in `order`, about `about`.
        order: A name of ORDERS; None for theta's own, or "urdf".
        about: "origin" or "com"; None for theta's own, or "origin".
        name: What error messages call the vector.

    Raises:
        ParameterError: Unknown order or point, or one that contradicts theta's own; a shape other
            than (..., 10), no real numbers.
    """
    order, about = find_form(theta, order, about)
    xp, (theta,) = real_arrays(**{name: theta})
    expect_shape(name, theta, 10)
    return xp, reorder(theta, order, "urdf"), about


def _read_about_origin(theta: ArrayLike) -> tuple[Namespace, Array]:
    """The array namespace of a vector, and the vector in order "urdf" about the origin."""
    xp, theta, about = read_theta(theta)
    if about == "com":
        mass, first_moment, inertia = split(theta)
        theta = join(mass, first_moment, about_origin(mass, first_moment, inertia))
    return xp, theta


def check_about(about: Point) -> None:
    """Refuse a point that is neither the origin nor the centre of mass.

    Raises:
        ParameterError: Naming the points there are.
    """
    if not isinstance(about, str) or about not in ABOUTS:
        raise ParameterError(f"unknown point about={about!r}, expected one of {', '.join(ABOUTS)}")


def check_spatial_order(order: SpatialOrder, name: str = "order") -> None:
    """Refuse an order of the halves of spatial vectors that has no name here.

    Raises:
        ParameterError: Naming the orders there are.
    """
    if not isinstance(order, str) or order not in SPATIAL_ORDERS:
        raise ParameterError(
            f"unknown block order {order!r} for {name}, expected one of {', '.join(SPATIAL_ORDERS)}"
        )


@overload
def reorder(theta: Floats, source: Order, target: Order) -> Floats: ...
@overload
def reorder(theta: ArrayLike, source: Order, target: Order) -> Array: ...
def reorder(theta: ArrayLike, source: Order, target: Order) -> Array:
    """Theta with its last six numbers in another order; the first four are the same in all.

    Args:
        theta: (..., 10) in order `source`.
        source: A name of ORDERS.
        target: A name of ORDERS.

    Raises:
        ParameterError: Unknown order, wrong shape.

    Example:
        >>> theta = [1.0, 0, 0, 0, 11.0, 12.0, 13.0, 22.0, 23.0, 33.0]  # xx, xy, xz, yy, yz, zz
        >>> print(representations.reorder(theta, "urdf", "mujoco")[4:])  # xx, yy, zz, xy, xz, yz
        [11. 22. 33. 12. 13. 23.]
    """
    for name, order in (("source", source), ("target", target)):
        if not isinstance(order, str) or order not in ORDERS:
            raise ParameterError(
                f"unknown order {order!r} ({name}), expected one of {', '.join(ORDERS)}"
            )
    xp, (theta,) = real_arrays(theta=theta)
    expect_shape("theta", theta, 10)
    if source == target:
        return theta
    last = tuple(4 + ORDERS[source].index(entry) for entry in ORDERS[target])
    return gather(xp, theta, (0, 1, 2, 3, *last))


def split(theta: ArrayLike) -> tuple[Array, Array, Array]:
    """Mass (...,) [kg], first moment (..., 3) [kg m] and six (..., 6) [kg m^2] of theta (..., 10).

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> mass, h, inertia = representations.split([2.0, 0, 0, 0.5, 0.3, 0, 0, 0.3, 0, 0.1])
        >>> print(mass, h, inertia)
        2.0 [0.  0.  0.5] [0.3 0.  0.  0.3 0.  0.1]
    """
    _, (theta,) = real_arrays(theta=theta)
    expect_shape("theta", theta, 10)
    return theta[..., 0], theta[..., 1:4], theta[..., 4:]


def join(mass: ArrayLike, first_moment: ArrayLike, inertia: ArrayLike) -> Array:
    """Theta (..., 10) from mass (...,), first moment (..., 3) and six (..., 6), broadcast.

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(representations.join(2.0, [0, 0, 0.5], [0.3, 0, 0, 0.3, 0, 0.1]))
        [2.  0.  0.  0.5 0.3 0.  0.  0.3 0.  0.1]
    """
    xp, (mass, first_moment, inertia) = _body(mass, first_moment, inertia)
    batch = batch_shape(
        mass=mass.shape, first_moment=first_moment.shape[:-1], inertia=inertia.shape[:-1]
    )
    parts = [mass[..., None], first_moment, inertia]
    return xp.concat([xp.broadcast_to(part, (*batch, part.shape[-1])) for part in parts], axis=-1)


@overload
def symmetric(six: Floats) -> Floats: ...
@overload
def symmetric(six: ArrayLike) -> Array: ...
def symmetric(six: ArrayLike) -> Array:
    """Symmetric matrices (..., 3, 3) from their entries (..., 6) xx, xy, xz, yy, yz, zz.

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(representations.symmetric([11.0, 12, 13, 22, 23, 33]))
        [[11. 12. 13.]
         [12. 22. 23.]
         [13. 23. 33.]]
    """
    xp, (six,) = real_arrays(six=six)
    expect_shape("six", six, 6)
    return xp.reshape(gather(xp, six, _MATRIX), (*six.shape[:-1], 3, 3))


@overload
def six(matrix: Floats) -> Floats: ...
@overload
def six(matrix: ArrayLike) -> Array: ...
@quiet
def six(matrix: ArrayLike) -> Array:
    """Entries (..., 6) xx, xy, xz, yy, yz, zz of symmetric matrices (..., 3, 3).

    Halves that differ by rounding are averaged; equal halves come back bit for bit.

    Raises:
        ParameterError: Wrong shape, or a matrix that is not symmetric to half its digits.

    Example:
        >>> print(representations.six(np.diag([0.3, 0.2, 0.1])))
        [0.3 0.  0.  0.2 0.  0.1]
    """
    xp, (matrix,) = real_arrays(matrix=matrix)
    expect_shape("matrix", matrix, 3, 3)
    refuse_asymmetric(xp, "matrix", matrix)
    return symmetrise(xp, matrix)


def symmetrise(xp: Namespace, matrix: Array) -> Array:
    """The entries (..., 6) of (M + M^T) / 2, without any check."""
    xy, xz, yz = ((matrix[..., i, j] + matrix[..., j, i]) / 2 for i, j in ((0, 1), (0, 2), (1, 2)))
    xx, yy, zz = (matrix[..., i, i] for i in range(3))
    return xp.stack([xx, xy, xz, yy, yz, zz], axis=-1)


@quiet
def refuse_asymmetric(xp: Namespace, name: str, matrix: Array) -> None:
    """Refuse square matrices whose halves differ by more than rounding.

    Raises:
        ParameterError: With the two entries and the body.
    """
    where = first_index(xp, find_asymmetric(xp, matrix))
    if where is not None:
        *body, i, j = where
        upper, lower = float(matrix[where]), float(matrix[(*body, j, i)])
        raise ParameterError(
            f"{name}{of_body(tuple(body))} is not symmetric: entry [{i}, {j}] is {upper!r} "
            f"and [{j}, {i}] is {lower!r}"
        )


def find_asymmetric(xp: Namespace, matrix: Array) -> Array:
    """Find entries (..., n, n) that differ from their mirrors by more than rounding."""
    difference = xp.abs(matrix - xp.matrix_transpose(matrix))
    size = xp.max(xp.abs(matrix), axis=(-2, -1), keepdims=True)
    return difference > tolerances.rotation_floor(matrix.dtype, xp) * size


@quiet
def about_origin(mass: ArrayLike, first_moment: ArrayLike, inertia: ArrayLike) -> Array:
    """Rotational inertia about the body origin from the one about the centre of mass.

    Heins eq. 13 and KSL eq. 8: I_BBo = I_BBcm + (h.h 1 - h h^T) / m. Bodies with m = 0 have no
    centre of mass; nothing is shifted.

    Args:
        mass: (...,) [kg].
        first_moment: (..., 3) h = m p_BoBcm_B [kg m].
        inertia: (..., 6) I_BBcm_B [kg m^2].

    Returns:
        (..., 6) I_BBo_B [kg m^2].

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # 2 kg at 0.5 m along x: m c^2 = 0.5 kg m^2 about y and z
        >>> print(representations.about_origin(2.0, [1.0, 0, 0], [0.1, 0, 0, 0.1, 0, 0.1]))
        [0.1 0.  0.  0.6 0.  0.6]
    """
    xp, parts = _body(mass, first_moment, inertia)
    return parts[2] + _parallel_axis(xp, *parts[:2])


@quiet
def about_com(mass: ArrayLike, first_moment: ArrayLike, inertia: ArrayLike) -> Array:
    """Rotational inertia about the centre of mass from the one about the body origin.

    Cancels 1 + |c|^2 / k^2 fold, with k the radius of gyration: do not send data through the origin
    that is about the centre of mass already. Bodies with m = 0: nothing is shifted.

    Args:
        mass: (...,) [kg].
        first_moment: (..., 3) h = m p_BoBcm_B [kg m].
        inertia: (..., 6) I_BBo_B [kg m^2].

    Returns:
        (..., 6) I_BBcm_B [kg m^2].

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> print(representations.about_com(2.0, [1.0, 0, 0], [0.1, 0, 0, 0.6, 0, 0.6]))
        [0.1 0.  0.  0.1 0.  0.1]
    """
    xp, parts = _body(mass, first_moment, inertia)
    return parts[2] - _parallel_axis(xp, *parts[:2])


@quiet
def about_point(
    mass: ArrayLike, first_moment: ArrayLike, inertia: ArrayLike, p_QP_B: ArrayLike
) -> Array:
    """Rotational inertia about any point P from the one about any point Q.

    Heins eq. 13, "between two arbitrary points": I_BBp = I_BBq + m (d.d 1 - d d^T) - 2 h.d 1
    + h d^T + d h^T, with d = p_QP_B and h = m p_QBcm_B; there need not be a centre of mass.

    Args:
        mass: (...,) [kg].
        first_moment: (..., 3) h = m p_QBcm_B, from Q [kg m].
        inertia: (..., 6) I_BBq_B [kg m^2].
        p_QP_B: (..., 3) position of P from Q [m].

    Returns:
        (..., 6) I_BBp_B [kg m^2].

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # 2 kg, first about its centre, then about a point 1 m along x
        >>> ball = [0.1, 0, 0, 0.1, 0, 0.1]
        >>> print(representations.about_point(2.0, [0, 0, 0], ball, [1.0, 0, 0]))
        [0.1 0.  0.  2.1 0.  2.1]
    """
    xp, (mass, first_moment, inertia), p_QP_B = _body_and_point(mass, first_moment, inertia, p_QP_B)
    return inertia + shift(xp, mass[..., None] * p_QP_B / 2 - first_moment, p_QP_B)


@quiet
def second_moment_about_point(
    mass: ArrayLike, first_moment: ArrayLike, second_moment: ArrayLike, p_QP_B: ArrayLike
) -> Array:
    """Second moment about any point P from the one about any point Q (Heins eq. 14).

    S_p = S_q + m d d^T - h d^T - d h^T, with d = p_QP_B and h = m p_QBcm_B.

    Args:
        mass: (...,) [kg].
        first_moment: (..., 3) h = m p_QBcm_B, from Q [kg m].
        second_moment: (..., 6) S_BBq_B [kg m^2].
        p_QP_B: (..., 3) position of P from Q [m].

    Returns:
        (..., 6) S_BBp_B [kg m^2].

    Raises:
        ParameterError: Shapes that do not fit.

    Example:
        >>> # 2 kg, first about its centre, then about a point 1 m along x
        >>> ball = [0.1, 0, 0, 0.1, 0, 0.1]
        >>> print(representations.second_moment_about_point(2.0, [0, 0, 0], ball, [1.0, 0, 0]))
        [2.1 0.  0.  0.1 0.  0.1]
    """
    xp, (mass, first_moment, moment), p_QP_B = _body_and_point(
        mass, first_moment, second_moment, p_QP_B, "second_moment"
    )
    arm = mass[..., None] * p_QP_B / 2 - first_moment
    return moment + _second_moment(xp, shift(xp, arm, p_QP_B))


def shift(xp: Namespace, a: Array, p: Array) -> Array:
    """The six of 2 a.p 1 - a p^T - p a^T: what the inertia gains on the way p, without any check.

    The way ends at the point of the new inertia, or starts where the body was: a is m times the
    mean of both arms of the centre of mass, taken along p.
    """
    ax, ay, az = (a[..., i] for i in range(3))
    px, py, pz = (p[..., i] for i in range(3))
    entries = [
        2 * (ay * py + az * pz),
        -(ax * py + px * ay),
        -(ax * pz + px * az),
        2 * (ax * px + az * pz),
        -(ay * pz + py * az),
        2 * (ax * px + ay * py),
    ]
    return xp.stack(entries, axis=-1)


def second_moment(inertia: ArrayLike) -> Array:
    """Second moment S = tr(I) / 2 1 - I about the same point (Heins eqs. 10-11).

    Args:
        inertia: (..., 6) rotational inertia [kg m^2].

    Returns:
        (..., 6) [kg m^2].

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> # trace(I) / 2 is 4, from which each moment is taken
        >>> print(representations.second_moment([3.0, 0, 0, 3.0, 0, 2.0]) + 0.0)
        [1. 0. 0. 1. 0. 2.]
    """
    xp, (inertia,) = real_arrays(inertia=inertia)
    expect_shape("inertia", inertia, 6)
    return _second_moment(xp, inertia)


def inertia_from_second_moment(second_moment: ArrayLike) -> Array:
    """Rotational inertia I = tr(S) 1 - S about the same point (Heins eq. 10).

    Args:
        second_moment: (..., 6) [kg m^2].

    Returns:
        (..., 6) [kg m^2].

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(representations.inertia_from_second_moment([1.0, 0, 0, 1.0, 0, 2.0]) + 0.0)
        [3. 0. 0. 3. 0. 2.]
    """
    xp, (moment,) = real_arrays(second_moment=second_moment)
    expect_shape("second_moment", moment, 6)
    return _inertia(xp, moment)


@overload
def pseudo_inertia(theta: Floats) -> Floats: ...
@overload
def pseudo_inertia(theta: ArrayLike) -> Array: ...
def pseudo_inertia(theta: ArrayLike) -> Array:
    """Pseudo-inertia [[S, h], [h^T, m]] about the body origin (Heins, "Pseudo-Inertia Matrix").

    Args:
        theta: (..., 10) about the body origin.

    Returns:
        (..., 4, 4), linear in theta; S in [kg m^2], h in [kg m], m in [kg].

    Raises:
        ParameterError: Wrong shape.

    Example:
        >>> print(representations.pseudo_inertia([2.0, 0, 0, 0.5, 3.0, 0, 0, 3.0, 0, 2.0]) + 0.0)
        [[1.  0.  0.  0. ]
         [0.  1.  0.  0. ]
         [0.  0.  2.  0.5]
         [0.  0.  0.5 2. ]]
    """
    xp, theta = _read_about_origin(theta)
    entries = [_second_moment(xp, theta[..., 4:]), theta[..., 1:4], theta[..., :1]]
    matrix = gather(xp, xp.concat(entries, axis=-1), _PSEUDO_INERTIA)
    return xp.reshape(matrix, (*theta.shape[:-1], 4, 4))


@quiet
def theta_from_pseudo_inertia(pseudo_inertia: ArrayLike) -> Array:
    """Theta about the body origin from the pseudo-inertia.

    Args:
        pseudo_inertia: (..., 4, 4), as pseudo_inertia gives it.

    Returns:
        (..., 10).

    Raises:
        ParameterError: Wrong shape, or a matrix that is not symmetric to half its digits.

    Example:
        >>> Pi = np.diag([1.0, 1.0, 2.0, 2.0])  # S about the origin, and 2 kg
        >>> print(representations.theta_from_pseudo_inertia(Pi) + 0.0)
        [2. 0. 0. 0. 3. 0. 0. 3. 0. 2.]
    """
    xp, (matrix,) = real_arrays(pseudo_inertia=pseudo_inertia)
    expect_shape("pseudo_inertia", matrix, 4, 4)
    refuse_asymmetric(xp, "second moment in the pseudo-inertia", matrix[..., :3, :3])
    column, row = matrix[..., :3, 3], matrix[..., 3, :3]
    # Refuse vectors (..., 3) written twice that differ by more than rounding.
    name = "first moment in the pseudo-inertia"
    size = xp.max(xp.maximum(xp.abs(row), xp.abs(column)), axis=-1, keepdims=True)
    bad = xp.abs(row - column) > tolerances.rotation_floor(row.dtype, xp) * size
    where = first_index(xp, bad)
    if where is not None:
        raise ParameterError(
            f"{name}{of_body(where[:-1])} is not symmetric: entry {where[-1]} of its last row is "
            f"{float(row[where])!r} and of its last column {float(column[where])!r}"
        )
    return xp.concat(
        [matrix[..., 3:, 3], (column + row) / 2, _inertia(xp, symmetrise(xp, matrix[..., :3, :3]))],
        axis=-1,
    )


def spatial_inertia(theta: ArrayLike, order: SpatialOrder = "angular-linear") -> Array:
    """The 6x6 spatial inertia about the body origin (KSL eqs. 8 and 13, there linear-angular).

    "angular-linear" is [[I, [h]x], [[h]x^T, m 1]] for twists [w, v] (Featherstone, MuJoCo, Drake);
    "linear-angular" is [[m 1, [h]x^T], [[h]x, I]] for twists [v, w] (Pinocchio, iDynTree, KSL).

    Args:
        theta: (..., 10) about the body origin.
        order: A name of SPATIAL_ORDERS.

    Returns:
        (..., 6, 6) M_BBo_B in [kg m^2], [kg m] and [kg].

    Raises:
        ParameterError: Wrong shape, unknown block order.

    Example:
        >>> M = representations.spatial_inertia([2.0, 0, 0, 0.5, 0.3, 0, 0, 0.3, 0, 0.1])
        >>> print(M[:3, 3:] + 0.0)  # the coupling [h]x
        [[ 0.  -0.5  0. ]
         [ 0.5  0.   0. ]
         [ 0.   0.   0. ]]
    """
    check_spatial_order(order)
    xp, theta = _read_about_origin(theta)
    mass, first_moment, inertia = theta[..., :1], theta[..., 1:4], theta[..., 4:]
    numbers = xp.concat([inertia, first_moment, -first_moment, mass, xp.zeros_like(mass)], axis=-1)
    return xp.reshape(gather(xp, numbers, _SPATIAL[order]), (*theta.shape[:-1], 6, 6))


@quiet
def theta_from_spatial_inertia(
    spatial_inertia: ArrayLike, order: SpatialOrder = "angular-linear"
) -> Array:
    """Theta about the body origin from the 6x6 spatial inertia.

    Args:
        spatial_inertia: (..., 6, 6), as spatial_inertia gives it.
        order: A name of SPATIAL_ORDERS.

    Returns:
        (..., 10).

    Raises:
        ParameterError: Wrong shape, unknown block order, or (to half the digits) not the matrix of
            a rigid body: m 1 in the linear block, a skew-symmetric coupling, a symmetric whole.

    Example:
        >>> M = np.diag([0.3, 0.3, 0.1, 2.0, 2.0, 2.0])  # angular first
        >>> print(representations.theta_from_spatial_inertia(M))
        [2.  0.  0.  0.  0.3 0.  0.  0.3 0.  0.1]
    """
    check_spatial_order(order)
    xp, (matrix,) = real_arrays(spatial_inertia=spatial_inertia)
    expect_shape("spatial_inertia", matrix, 6, 6)
    angular, linear = _blocks(order)
    coupling = matrix[..., angular, linear]
    first_moment = [
        (coupling[..., i, j] - coupling[..., j, i]) / 2 for i, j in ((2, 1), (0, 2), (1, 0))
    ]
    theta = xp.concat(
        [
            matrix[..., linear, linear][..., :1, 0],
            xp.stack(first_moment, axis=-1),
            symmetrise(xp, matrix[..., angular, angular]),
        ],
        axis=-1,
    )
    _refuse_nonrigid(xp, matrix, theta, order)
    return theta


def _refuse_nonrigid(xp: Namespace, matrix: Array, theta: Array, order: SpatialOrder) -> None:
    """Refuse 6x6 matrices that are not the spatial inertia of the theta read from them.

    Each block is measured in its own unit; the coupling also in sqrt(m |I|), which bounds it.

    Raises:
        ParameterError: With the worst entry of the first such body.
    """
    angular, linear = _blocks(order)
    rigid = spatial_inertia(theta, order)
    size = xp.abs(matrix)
    inertia, mass = (
        xp.max(size[..., block, block], axis=(-2, -1), keepdims=True) for block in (angular, linear)
    )
    coupled = xp.maximum(
        xp.max(size[..., angular, linear], axis=(-2, -1), keepdims=True), xp.sqrt(mass * inertia)
    )
    floor = tolerances.rotation_floor(matrix.dtype, xp)
    scales = {(0, 0): inertia, (0, 1): coupled, (1, 0): coupled, (1, 1): mass}
    for (row, column), scale in scales.items():
        rows, columns = (angular, linear)[row], (angular, linear)[column]
        got, expected = matrix[..., rows, columns], rigid[..., rows, columns]
        where = first_index(xp, xp.abs(got - expected) > floor * scale)
        if where is not None:
            *body, i, j = where
            place = f"[{rows.start + i}, {columns.start + j}]"
            raise ParameterError(
                f"spatial inertia{of_body(tuple(body))} in order {order!r} is not that of a rigid "
                f"body: entry {place} is {float(got[where])!r}, expected "
                f"{float(expected[where])!r} from its other entries"
            )


def _blocks(order: SpatialOrder) -> tuple[slice, slice]:
    """The angular and the linear rows of a spatial inertia."""
    first, last = slice(0, 3), slice(3, 6)
    return (first, last) if order == "angular-linear" else (last, first)


def has_central_inertia(xp: Namespace, theta: Array) -> Array:
    """Decide which bodies (...,) have mass, or are flywheels: their inertia is about any point."""
    return (theta[..., 0] != 0) | xp.all(theta[..., 1:4] == 0, axis=-1)


def _parallel_axis(xp: Namespace, mass: Array, first_moment: Array) -> Array:
    """(h.h 1 - h h^T) / m as (..., 6), zero where m is."""
    heavy = mass != 0
    safe = xp.where(heavy, mass, xp.ones_like(mass))
    hx, hy, hz = (xp.where(heavy, first_moment[..., i], xp.zeros_like(mass)) for i in range(3))
    cx, cy, cz = hx / safe, hy / safe, hz / safe
    on = hy * cy + hz * cz, hx * cx + hz * cz, hx * cx + hy * cy
    return xp.stack([on[0], -hx * cy, -hx * cz, on[1], -hy * cz, on[2]], axis=-1)


@quiet
def _second_moment(xp: Namespace, inertia: Array) -> Array:
    return xp.stack(list(second_moment_entries([inertia[..., i] for i in range(6)])), axis=-1)


def second_moment_entries(
    inertia: Sequence[Array],
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """The six entries of S from those of I, arrays of any shape."""
    xx, xy, xz, yy, yz, zz = inertia
    return (yy + zz - xx) / 2, -xy, -xz, (zz + xx - yy) / 2, -yz, (xx + yy - zz) / 2


@quiet
def _inertia(xp: Namespace, second_moment: Array) -> Array:
    xx, xy, xz, yy, yz, zz = (second_moment[..., i] for i in range(6))
    return xp.stack([yy + zz, -xy, -xz, zz + xx, -yz, xx + yy], axis=-1)


def _body(
    mass: ArrayLike, first_moment: ArrayLike, inertia: ArrayLike, name: str = "inertia"
) -> tuple[Namespace, tuple[Array, Array, Array]]:
    """The three parts of theta as arrays whose leading axes broadcast."""
    xp, (mass, first_moment, inertia) = real_arrays(
        mass=mass, first_moment=first_moment, **{name: inertia}
    )
    expect_shape("first_moment", first_moment, 3)
    expect_shape(name, inertia, 6)
    batch_shape(mass=mass.shape, first_moment=first_moment.shape[:-1], **{name: inertia.shape[:-1]})
    return xp, (mass, first_moment, inertia)


def _body_and_point(
    mass: ArrayLike,
    first_moment: ArrayLike,
    inertia: ArrayLike,
    p_QP_B: ArrayLike,
    name: str = "inertia",
) -> tuple[Namespace, tuple[Array, Array, Array], Array]:
    """The same, and a point (..., 3) for each body."""
    xp, (mass, first_moment, inertia, p_QP_B) = real_arrays(
        mass=mass, first_moment=first_moment, **{name: inertia}, p_QP_B=p_QP_B
    )
    _, parts = _body(mass, first_moment, inertia, name)
    expect_shape("p_QP_B", p_QP_B, 3)
    batch_shape(
        mass=mass.shape,
        first_moment=first_moment.shape[:-1],
        **{name: inertia.shape[:-1]},
        p_QP_B=p_QP_B.shape[:-1],
    )
    return xp, parts, p_QP_B


_RANGE_PARTS = 4
"""Part of the exponent range within which numbers are left as they are: the largest product of an
ordinary verdict, h^2 / m, has three factors."""

_STEPS = 4
"""Factors into which a power of two is split: the exponent of h^2 / m can be three times as large
as that of any number."""


LARGEST = 2.0**255
"""Largest float64 with which evidence, causes and fixes compute: the fourth power is finite."""

SMALLEST = 1 / LARGEST
"""Smallest mass or inertia with which evidence, causes and fixes compute."""


class Units(NamedTuple):
    """Binary exponents of the units of each body.

    Attributes:
        mass: (...,) exponents of the unit of mass.
        moment: (...,) exponents of the unit of the first moment.
        inertia: (...,) exponents of the unit of the inertia.
    """

    mass: Array
    moment: Array
    inertia: Array


@quiet
def leaves_range(theta: Array, about: Point = "origin") -> Array:
    """Which bodies need other units: (...,) booleans; False where a number is not finite.

    Args:
        theta: (..., 10) in order "urdf".
        about: Point about which the inertia is taken.
    """
    xp = array_namespace(theta)
    low, high = _bounds(theta.dtype, xp)
    mass, moment, inertia = _sizes(xp, theta)
    finite = xp.all(xp.isfinite(theta), axis=-1)
    if about == "com":
        return finite & ((inertia > high) | ((inertia < low) & (inertia > 0)))
    small = (inertia < low) & ((inertia > 0) | (moment > 0))
    large = (mass > high) | (moment > high) | (inertia > high)
    return finite & (large | small | ((mass < low) & (mass > 0)))


def change_units(theta: Array, about: Point) -> tuple[Array, Units | None]:
    """Bring all bodies into the middle of the floating-point range.

    Args:
        theta: (..., 10) in order "urdf".
        about: Point about which the inertia is taken.

    Returns:
        (..., 10) in other units where a body needs them, else unchanged; and these units, None
        where no body needs any.
    """
    xp = array_namespace(theta)
    if xp is np and _is_ordinary(theta, about):
        return theta, None
    far = leaves_range(theta, about)
    if _is_empty(xp, far):
        return theta, None
    # Units that make m, and the larger of I and h^2 / m, about 1 for the far bodies. About the
    # centre of mass only the inertia decides. About the origin the units have to agree: the square
    # of that of the moment is the product of the other two.
    mass, moment, inertia = (_exponents(xp, size) for size in _sizes(xp, theta))
    zero = xp.zeros_like(mass)
    # A body without mass has no central inertia to keep: each part has its own unit.
    coupled = (theta[..., 0] != 0) & (about == "origin")
    largest = xp.where(coupled, xp.maximum(inertia, 2 * moment - mass), inertia)
    largest = largest + (largest + mass) % 2  # so that the unit of length is a power of two, too
    units = Units(mass, xp.where(coupled, (largest + mass) // 2, moment), largest)
    units = Units(*(xp.where(far, unit, zero) for unit in units))
    with np.errstate(all="ignore"):
        parts = (
            scale_by_powers(theta[..., 0], -units.mass)[..., None],
            scale_by_powers(theta[..., 1:4], -units.moment[..., None]),
            scale_by_powers(theta[..., 4:], -units.inertia[..., None]),
        )
    return xp.concat(parts, axis=-1), units


def scale_by_powers(values: Array, exponents: Array) -> Array:
    """Multiply values by powers of two; exponents are integers that broadcast to the values."""
    xp = array_namespace(values)
    if xp is np:
        # Clipping changes nothing: beyond this every finite number is zero or infinite.
        scaled: Array = np.ldexp(values, np.clip(exponents, -(2**14), 2**14))
        return scaled
    reach = _reach(values.dtype, xp) - 1  # the smallest power is no subnormal number
    table = xp.asarray(
        [2.0**power for power in range(-reach, reach + 1)],
        dtype=values.dtype,
        device=device_of(values),
    )
    step = exponents // _STEPS
    for part in (step, step, step, exponents - (_STEPS - 1) * step):
        index = xp.reshape(xp.clip(part + reach, 0, 2 * reach), (-1,))
        values = values * xp.reshape(xp.take(table, index), part.shape)
    return values


def _is_ordinary(theta: Array, about: Point) -> bool:
    """Whether no body of a NumPy array can need other units: a few passes over the array."""
    low, high = _bounds(theta.dtype, np)
    if not theta.size or not (theta.max() <= high and theta.min() >= -high):
        return not theta.size
    trace = theta[..., 4] + theta[..., 7]
    return bool(trace.min() >= 2 * low and (about == "com" or theta[..., 0].min() >= low))


def _sizes(xp: Namespace, theta: Array) -> tuple[Array, Array, Array]:
    """Largest magnitudes (...,) of mass, first moment and inertia."""
    size = xp.abs(theta)
    return size[..., 0], xp.max(size[..., 1:4], axis=-1), xp.max(size[..., 4:], axis=-1)


def _exponents(xp: Namespace, sizes: Array) -> Array:
    """Binary exponents (...,) of magnitudes, as integers; far below all others for zero."""
    limits = tolerances.limits(sizes.dtype, xp)
    lowest = 2.0 * float(np.log2(float(limits.smallest_normal)))
    usable = (sizes > 0) & xp.isfinite(sizes)
    logarithm = xp.log2(xp.where(usable, sizes, xp.ones_like(sizes)))
    # A library that takes subnormal numbers for zero has a logarithm of -inf.
    logarithm = xp.where(usable & xp.isfinite(logarithm), logarithm, lowest)
    return xp.astype(xp.floor(logarithm), xp.int32)


def _bounds(dtype: DType, xp: Namespace) -> tuple[float, float]:
    """Smallest and largest magnitude that is left as it is."""
    reach = _reach(dtype, xp) // _RANGE_PARTS
    return 2.0**-reach, 2.0**reach


def _reach(dtype: DType, xp: Namespace) -> int:
    """Binary exponent of the largest number."""
    return int(np.frexp(float(tolerances.limits(dtype, xp).max))[1]) - 1


def _is_empty(xp: Namespace, mask: Array) -> bool:
    """Whether a mask is known to be false everywhere; a trace hides its values."""
    try:
        return not bool(xp.any(mask))
    except (TypeError, RuntimeError):  # JAX and PyTorch tracers: there are no values yet
        return False
