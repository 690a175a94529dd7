"""The request of a projection, with its weights and priors read for each body of a batch.

`Options` states it once, from `project` and the command line to the core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, get_args

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    Array,
    ArrayLike,
    Floats,
    Mask,
    as_number,
    first_index,
    of_body,
    real_arrays,
)
from inertial_check.inertia.consistency import Consistency, as_theta
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import (
    LARGEST,
    ORDERS,
    SMALLEST,
    Order,
    Point,
    about_origin,
    find_asymmetric,
    join,
    prefer_own,
    refuse_asymmetric,
    split,
)
from inertial_check.projection.moments import BALL, METRICS, read_margin

if TYPE_CHECKING:
    from inertial_check.projection.constraint import Constraint


class Weights(NamedTuple):
    """Weights on theta in order "urdf", as compact as the caller gave them.

    Attributes:
        values: (*batch, 10) diagonals, or (*batch, 10, 10) matrices, broadcast.
        diagonal: Whether they are diagonals.
        singular: (*batch,) whether each leaves a change of theta without a price.
        shared: Whether one is for all bodies.
        refused: (*batch,) whether those of a body alone are no weights; ones stand in for them.
    """

    values: Floats
    diagonal: bool
    singular: Mask
    shared: bool
    refused: Mask | None = None

    def matrices(self, rows: slice) -> Floats:
        """Expand the weights of some of the bodies to matrices (n, 10, 10)."""
        values = self.values[rows]
        return np.asarray(values[..., :, None] * np.eye(10)) if self.diagonal else values


Metric = Literal[
    "inertia",
    "covariance",
    "prior",
    "weighted",
    "entropic",
    "affine-invariant",
    "euclidean",
    "pseudo-inertia",
]
"""Metric of a projection: the change of a body that it makes least."""

Argument = Literal["weights", "prior"]
"""Argument of a projection that some metrics take."""

TAKES: dict[str, tuple[Argument, ...]] = {
    **dict.fromkeys(METRICS, ()),
    "prior": ("prior",),
    "weighted": ("weights", "prior"),
    "entropic": ("prior", "weights"),
    "affine-invariant": ("prior", "weights"),
    "euclidean": (),
    "pseudo-inertia": (),
}
"""Arguments that each metric takes; the first is the one that it needs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Options:
    """The options of a projection; `inertial_check.project` says what each means.

    Attributes:
        metric: Change that is least.
        order: Order of the last six entries of theta: a name of representations.ORDERS.
        about: Point about which those six are taken: "origin" or "com".
        weights: (..., 10) diagonals or (..., 10, 10) matrices W on theta in `order`; or these as
            they were read.
        prior: InertialParameters, or (..., 10) in `order` and about `about`.
        constraints: Objects of inertial_check.projection.constraints.
        margin: Least margin of the results, 0 to 1/3.
        solver: Name of an installed conic solver; None for our own methods.
        mass_min: Least mass of rows that move [kg]; None for a part of each mass.
        regularization: Weight of the prior's term beside another, positive.
        exact: Whether results are consistent in exact arithmetic.
    """

    metric: Metric = "inertia"
    order: Order = "urdf"
    about: Point = "origin"
    weights: Array | Weights | None = None
    prior: InertialParameters | Array | None = None
    constraints: tuple[Constraint, ...] = ()
    margin: float = 0.0
    solver: str | None = None
    mass_min: float | None = None
    regularization: float = 1.0
    exact: bool = False

    def validate(self) -> Options:
        """Return the same options with their numbers as floats, if they go together.

        Raises:
            ParameterError: An unknown name, an argument that the metric needs or does not take, or
                a number out of its range.
        """
        metric = self.metric
        if not isinstance(metric, str) or metric not in TAKES:
            raise ParameterError(
                f"metric is {metric!r}; available are {', '.join(map(repr, TAKES))}"
            )
        given = [name for name in get_args(Argument) if getattr(self, name) is not None]
        for name in given:
            if name not in TAKES[metric]:
                able = ", ".join(repr(other) for other in TAKES if name in TAKES[other])
                raise ParameterError(f"metric {metric!r} takes no {name}; {able} take {name}")
        for name in TAKES[metric][:1]:
            if name not in given:
                raise ParameterError(f"metric {metric!r} needs {name}={name}")
        if not isinstance(self.exact, (bool, np.bool_)):
            raise ParameterError(f"exact is {self.exact!r}; it is True or False")
        for name, number in (("mass_min", self.mass_min), ("regularization", self.regularization)):
            missing = number is None and name == "mass_min"
            if not missing and not 0 < as_number(number) < np.inf:
                raise ParameterError(f"{name} is {number!r}; it is a positive number")
        margin, regularization = read_margin(self.margin), float(self.regularization)
        if margin is self.margin and regularization is self.regularization:
            return self
        return replace(self, margin=margin, regularization=regularization)


def read_weights(
    weights: ArrayLike, order: Order, batch: tuple[int, ...], *, by_row: bool = False
) -> Weights:
    """Read the weights of every body.

    Args:
        weights: (..., 10) diagonals or (..., 10, 10) matrices on theta in `order`. (10, 10) is one
            matrix, also for ten bodies.
        order: A name of ORDERS.
        batch: Leading axes of theta.
        by_row: Mark weights of single bodies that are none, instead of refusing all with them.

    Raises:
        ParameterError: A wrong shape, a number that is not finite or beyond what products of
            weights can hold, a matrix that is not symmetric or not positive semidefinite: names the
            body and the value.
    """
    _, (W,) = real_arrays(weights=weights)
    W = np.asarray(W, dtype=np.float64)
    diagonal = not (W.shape[-2:] == (10, 10) and _fits(W.shape[:-2], batch))
    if diagonal and not (W.shape[-1:] == (10,) and _fits(W.shape[:-1], batch)):
        raise ParameterError(
            f"weights have shape {W.shape}, expected (10,), (10, 10), or one of those for each of "
            f"the bodies, whose leading axes are {batch}"
        )
    canonical = [*range(4), *(4 + ORDERS[order].index(entry) for entry in ORDERS["urdf"])]
    if diagonal and W.size and W.min() >= SMALLEST and W.max() <= LARGEST:  # nothing to refuse
        values, definite = W[..., canonical], np.zeros(batch, dtype=np.bool_)
        if values.shape[:-1] != batch:
            values = np.broadcast_to(values, (*batch, 10))
        return Weights(values, True, definite, W.ndim == 1)
    axes = 1 if diagonal else 2
    lead, one = W.shape[: W.ndim - axes], np.ones(10) if diagonal else np.eye(10)
    refused = np.zeros(lead, dtype=np.bool_)

    def refuse(bad: Mask, explain: Callable[[tuple[int, ...]], str]) -> None:
        """Refuse entries, or rows, of W; a row that is marked goes on as weights of one."""
        nonlocal refused, W
        index = first_index(np, bad)
        if index is None:
            return
        if not (by_row and lead):
            raise ParameterError(f"weights{explain(index)}")
        rows = bad.reshape(*lead, -1).any(axis=-1)
        refused = refused | rows
        W = np.where(rows.reshape(*lead, *[1] * axes), one, W)

    def hold(index: tuple[int, ...]) -> str:
        return f"{of_body(index[:-axes])} hold {W[index]} at {list(index[-axes:])}, expected"

    refuse(~np.isfinite(W), lambda index: f"{hold(index)} finite numbers")
    if not diagonal:
        if by_row and lead:
            refuse(np.asarray(find_asymmetric(np, W)), str)  # marks, and so says nothing
        else:
            refuse_asymmetric(np, "weights", W)
        W = W / 2 + W.swapaxes(-1, -2) / 2  # halved first, so that no sum overflows
    entries = W if diagonal else np.einsum("...ii->...i", W)
    refuse(
        entries < 0,
        lambda index: (
            f"{of_body(index[:-1])} are not positive semidefinite: entry "
            f"[{index[-1]}, {index[-1]}] is {float(entries[index])!r}, expected 0 or more"
        ),
    )
    if diagonal:
        singular = np.any(W == 0, axis=-1)
    else:
        least, rounding = _measure_definiteness(W)
        refuse(
            least < -rounding,
            lambda index: (
                f"{of_body(index)} are not positive semidefinite: with their diagonal scaled to 1 "
                f"the least eigenvalue is {float(least[index]):.3g}, expected 0 or more"
            ),
        )
        singular = (least <= rounding) & ~refused
    small = (W != 0) & (np.abs(W) < SMALLEST)
    if not diagonal:
        small &= np.eye(10, dtype=bool)  # what stands beside the diagonal may be small
    refuse(
        (np.abs(W) > LARGEST) | small,
        lambda index: (
            f"{hold(index)} zero or {SMALLEST:.1e} to {LARGEST:.1e}: only their ratios count, so "
            "multiply all of them by one number"
        ),
    )
    values = W[..., canonical] if diagonal else W[..., canonical, :][..., :, canonical]
    return Weights(
        np.broadcast_to(values, (*batch, *one.shape)),
        diagonal,
        np.broadcast_to(singular & ~refused, batch),
        W.ndim == axes,
        np.broadcast_to(refused, batch) if refused.any() else None,
    )


def _measure_definiteness(W: Floats) -> tuple[Floats, float]:
    """Compute least eigenvalues (...,) of weights scaled to a diagonal of 1, and their rounding.

    Where all of them are clearly definite, any positive number stands for them.
    """
    units = np.sqrt(np.einsum("...ii->...i", W))
    safe = np.where(units > 0, units, 1.0)  # a zero on the diagonal scales by one, and stays zero
    with np.errstate(over="ignore"):
        scaled = W / safe[..., :, None] / safe[..., None, :]
    # Beyond 1 they are indefinite already; of infinities no eigenvalues could be computed.
    scaled = np.clip(scaled, -_LARGEST_SCALED, _LARGEST_SCALED)
    rounding = tolerances.SOLVED_FACTOR * tolerances.epsilon(np.float64, np)
    try:
        np.linalg.cholesky(scaled - 2 * rounding * np.eye(10))  # ten times as fast as eigenvalues
        return np.ones(W.shape[:-2]), rounding
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.eigvalsh(scaled)[..., 0]), rounding


def read_prior(
    prior: InertialParameters | ArrayLike, order: Order, about: Point, batch: tuple[int, ...]
) -> Floats:
    """Read the prior of every body: (*batch, 10), in order "urdf" about the body origin.

    Args:
        prior: InertialParameters, or (..., 10) in `order` and about `about`.
        order: A name of ORDERS.
        about: "origin" or "com".
        batch: Leading axes of theta.

    Raises:
        ParameterError: A shape that does not fit, or a prior whose pseudo-inertia is not positive
            definite: names the body, its mass and its margin.
    """
    theta, refused = read_prior_by_row(prior, order, about, batch)
    index = None if refused is None else first_index(np, refused)
    if index is not None:
        own, point = as_theta(prior, *prefer_own(prior, order, about))
        _refuse_prior(index, Consistency(np.asarray(own, dtype=np.float64), point))
    return theta


def read_prior_by_row(
    prior: InertialParameters | ArrayLike, order: Order, about: Point, batch: tuple[int, ...]
) -> tuple[Floats, Mask | None]:
    """Read the prior of every body as `read_prior` does, and mark single bodies without one.

    Returns:
        The priors (*batch, 10), with a ball where there is none; and where that is (*batch,), None
        for nowhere.

    Raises:
        ParameterError: A shape that does not fit, or a prior for all bodies that is none.
    """
    theta, about = as_theta(prior, *prefer_own(prior, order, about))
    theta = np.asarray(theta, dtype=np.float64)
    shape = theta.shape[:-1]
    if not _fits(shape, batch):
        raise ParameterError(
            f"prior has leading axes {shape}, expected none or those of the bodies, {batch}"
        )
    judged = Consistency(theta, about)
    outside = ~np.asarray(judged.mass_positive & (judged.margin > judged.tolerance))
    refused = None
    if outside.any():
        if not shape:
            _refuse_prior((), judged)
        refused = np.broadcast_to(outside, batch)
        theta = np.where(outside[..., None], BALL, theta)
    if about == "com":
        mass, h, six = split(theta)
        theta = join(mass, h, about_origin(mass, h, six))
    return np.broadcast_to(theta, (*batch, 10)), refused


def _refuse_prior(index: tuple[int, ...], judged: Consistency) -> NoReturn:
    """Refuse a prior that is not strictly consistent.

    Raises:
        ParameterError: With the body, its mass and its margin.
    """
    mass = float(np.asarray(judged.theta)[(*index, 0)])
    raise ParameterError(
        f"prior{of_body(index)} is not positive definite: mass {mass!r}, "
        f"margin {float(np.asarray(judged.margin)[index]):.3g}, expected both above 0; "
        "inertial_check.projection.priors.strictly_inside moves a prior inside"
    )


def shift_to_com(theta: Floats, about: Point) -> tuple[Floats, Floats]:
    """Express theta about the origin of a frame in which the given numbers stay exact.

    Tensors about the centre of mass are kept as they are, by a frame that has its origin there:
    through the body origin they would lose digits.

    Args:
        theta: (..., 10) in order "urdf", about `about`.
        about: "origin" or "com".

    Returns:
        (..., 10) about the origin of that frame, and (..., 3) its position p_BoFo_B [m].
    """
    p_BoFo_B = np.zeros_like(theta[..., 1:4])
    if about == "origin":
        return theta, p_BoFo_B
    mass = theta[..., 0] != 0
    p_BoFo_B[mass] = theta[mass, 1:4] / theta[mass, :1]
    first_moment = np.where(mass[..., None], 0.0, theta[..., 1:4])
    return np.asarray(join(theta[..., 0], first_moment, theta[..., 4:])), p_BoFo_B


def _fits(shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, batch) == batch
    except ValueError:
        return False


_LARGEST_SCALED = 1e100
"""Largest entry of weights scaled to a diagonal of 1 that is told from larger ones."""
