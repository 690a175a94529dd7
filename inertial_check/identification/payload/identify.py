"""The ten numbers of a tool or a load, from a wrist sensor or from the torques of a known robot.

It is an identification of one body. What is special is where its rows come from, that a handful of
poses at rest is all there may be, and that nobody knows a prior: so what the samples leave open is
told entry by entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.equality import EqualByValue
from inertial_check.arrays.types import ArrayLike, Floats, Mask
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.estimation.base import base_parameters, name_entries
from inertial_check.identification.estimation.fit_options import Loss, WeightRule
from inertial_check.identification.estimation.identify import identify
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Consistency, check
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.representations import Order, reorder
from inertial_check.projection._constraint import Constraint

UNCERTAIN = 1.0
"""Deviations, in the payload's own size, above which a number is remarked on as unknown."""

SIGNIFICANT = 3.0
"""Deviations by which a mass is below zero that is no noise."""

_ABOUT_ZERO = tolerances.RANK**0.5
"""Part of an entry in an open direction, columns being of length one: below it, rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Payload(EqualByValue):
    """A body that was put on a robot, with the evidence.

    Attributes:
        order: The caller's order of the last six entries.
        parameters: The payload, in its frame; some body has them.
        nuisance: What was fitted beside it, by name [SI].
        information: (10, 10) of the samples, in units of their noise, with what stands beside the
            body left free.
        standard_deviation: (10,) by the samples alone, for noise of the size of the residuals of
            least squares; infinite for what they leave open.
        least_squares: (10,) by the samples alone, whether a body has it or not; NaN for what they
            leave open.
        open: Names of the entries that the samples leave open, by the rank of the regressor.
        rank: How many combinations of the ten they decide.
        weights: (n,) by which the residuals of each row were multiplied: one over the deviation of
            its noise.
        rmse_before: (n,) root mean squares of the residuals without a payload [N m] and [N].
        rmse_least_squares: (n,) of least squares.
        rmse: (n,) of this payload.
        weighted_rms_before: Of all weighted residuals without a payload.
        weighted_rms_least_squares: Of least squares.
        weighted_rms: Of this payload.
        identification: The problem that was solved, with its proof; its body is this one, or, where
            a point mass stands in, one with the same mass and centre of mass.
        remarks: What was assumed or is doubtful, one line each.
    """

    order: Order
    parameters: InertialParameters
    nuisance: Mapping[str, float]
    information: Floats
    standard_deviation: Floats
    least_squares: Floats
    open: tuple[str, ...]
    rank: int
    weights: Floats
    rmse_before: Floats
    rmse_least_squares: Floats
    rmse: Floats
    weighted_rms_before: float
    weighted_rms_least_squares: float
    weighted_rms: float
    identification: Identification
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        """The mass, and what is open."""
        left = f", open: {', '.join(self.open)}" if self.open else ""
        return (
            f"Payload({float(self.theta[0]):.6g} kg, rank {self.rank} of 10, weighted RMS "
            f"{self.weighted_rms_before:.4g} -> {self.weighted_rms:.4g}{left})"
        )

    @cached_property
    def theta(self) -> Floats:
        """(10,) about the origin of its frame, in the caller's order [kg, kg m, kg m^2]."""
        return np.asarray(self.parameters.as_theta(order=self.order))

    @cached_property
    def consistency(self) -> Consistency:
        """Consistency of the payload, which is consistent or on the boundary."""
        return check(self.parameters)

    @cached_property
    def least_squares_consistency(self) -> Consistency:
        """Consistency of least squares; invalid where the samples leave entries open."""
        return check(self.least_squares, order=self.order)


def identify_payload(  # noqa: PLR0913 - the public signature
    Y: ArrayLike | Samples,
    tau: ArrayLike | None = None,
    *,
    prior: InertialParameters | ArrayLike | None = None,
    weights: ArrayLike | None = None,
    constraints: Constraint | Sequence[Constraint] = (),
    nuisance: Nuisance | ArrayLike | None = None,
    order: Order = "urdf",
    regularization: float | WeightRule = 1.0,
    loss: Loss = "squares",
    margin: float = 0.0,
    solver: str | None = None,
) -> Payload:
    """Find the body that a robot carries.

    The arguments are those of identify, for one body. Without a prior, and

    * samples that decide all ten numbers, it is the nearest body to least squares in the metric of
      their information matrix;
    * samples at rest, which say nothing of the inertia, a point mass at the centre of mass stands
      in; of a centre of mass that is not decided whole, the one nearest to the origin.

    Args:
        Y: Samples of one body, as from_wrench and from_torques make them; or (S, n, 10) or (S, 10).
        tau: (S, n) or (S,); None beside Samples.
        prior: InertialParameters or (10,), what the payload is expected to be.
        weights: (n,) one over the deviation of each row's noise; None finds them.
        constraints: Of inertial_check.projection.constraints, of body 0.
        nuisance: What is in the rows beside the payload; Samples have their own.
        order: Of the last six of theta; Samples have their own.
        regularization: Weight of the prior.
        loss: "squares" or "huber".
        margin: Least margin of the payload.
        solver: None, or the name of an installed conic solver.

    Raises:
        ParameterError: As identify; without a prior, samples that leave the mass open, or the
            inertia in part, or say that the mass is negative.
        ProjectionError: No answer could be certified, or the constraints exclude each other.

    Example:
        >>> from inertial_check.identification.payload.samples import from_wrench, wrench_regressor
        >>> gravity_S = 9.81 * np.vstack([np.eye(3), -np.eye(3)])
        >>> wrench = wrench_regressor(gravity_S) @ [2.0, 0, 0, 0.2, 0.05, 0, 0, 0.05, 0, 0.01]
        >>> found = ic.identify_payload(from_wrench(wrench, gravity_S), weights=1.0)
        >>> print(found.parameters.mass.round(6), found.open)
        2.0 ('Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
    """
    expect("text", loss=loss)
    samples = _samples(Y, tau, nuisance, order)
    fit = partial(
        identify,
        samples,
        weights=weights,
        constraints=constraints,
        loss=loss,
        solver=solver,
        bodies=["payload"],
    )
    if prior is not None:
        expected = _ten(prior, samples.order)
        found = fit(prior=expected, regularization=regularization, margin=margin)
        return _payload(samples, found, known=True)
    alone = _Alone.of(samples.reduce(), np.ones(samples.joints), samples)
    if not alone.open.any():
        return _payload(samples, fit(margin=margin))
    ball = _ball(*_point_mass(alone, samples.order, margin, constraints))
    found = fit(prior=ball, regularization=regularization)
    return _payload(samples, found, stands_in=True)


@dataclass(frozen=True, eq=False)
class _Alone:
    """Least squares of the ten parameters by the samples alone, with all other numbers left free.

    Attributes:
        information: (10, 10).
        theta: (10,) least squares; of an open combination, the least.
        deviation: (10,) infinite for what is open.
        open: (10,) whether an entry is.
        silent: (10,) whether no row holds it at all.
        rank: Of the ten.
        numbers: (k,) of what stands beside, for this theta.
    """

    information: Floats
    theta: Floats
    deviation: Floats
    open: Mask
    silent: Mask
    rank: int
    numbers: Floats

    @classmethod
    def of(cls, reduction: Reduction, weights: Floats, samples: Samples) -> _Alone:
        """Of samples in the caller's order."""
        names = samples.nuisance.names
        silent = base_parameters(reduction, nuisance_names=names, order=samples.order).silent[:10]
        A, b, _ = reduction.stack(weights)
        length = np.linalg.norm(A, axis=0)
        for kind in (slice(1, 4), slice(4, 10)):  # entries of one unit are measured alike
            length[kind] = length[kind].max()
        length = np.where(length > 0, length, 1.0)
        own, beside = A[:, :10] / length[:10], A[:, 10:] / length[10:]
        own[:, silent] = 0.0
        U, sizes, _ = np.linalg.svd(beside, full_matrices=False)
        U = U[:, sizes > tolerances.RANK]
        left = own - U @ (U.T @ own)
        U_, sizes, V = np.linalg.svd(np.concatenate([left, np.zeros((10, 10))]))
        seen = sizes > tolerances.RANK
        known = V[seen].T / sizes[seen]
        theta = known @ (U_[: len(left), :10][:, seen].T @ (b - U @ (U.T @ b)))
        open_ = np.linalg.norm(V[~seen], axis=0) > _ABOUT_ZERO
        numbers = np.linalg.lstsq(beside, b - own @ theta, rcond=None)[0]
        deviation = np.where(open_, np.inf, np.linalg.norm(known, axis=1) / length[:10])
        left = left * length[:10]
        return cls(
            left.T @ left,
            theta / length[:10],
            deviation,
            open_,
            silent,
            int(seen.sum()),
            numbers / length[10:],
        )


def _samples(
    Y: ArrayLike | Samples,
    tau: ArrayLike | None,
    nuisance: Nuisance | ArrayLike | None,
    order: Order,
) -> Samples:
    """The samples, of one body.

    Raises:
        ParameterError: They are of several, or arguments do not go together.
    """
    if isinstance(Y, Samples):
        if tau is not None or nuisance is not None:
            raise ParameterError(f"{Y!r} holds its torques and nuisance: expected None beside it")
        samples = Y
    else:
        if tau is None or isinstance(Y, Reduction):
            raise ParameterError("expected Samples, or Y (S, n, 10) and tau (S, n)")
        if nuisance is not None and not isinstance(nuisance, Nuisance):
            nuisance = Nuisance.from_columns(read_floats((), nuisance=nuisance)[0])
        samples = Samples.of_arrays(Y, tau, nuisance, order)
    if samples.bodies != 1:
        raise ParameterError(f"{samples!r}: expected samples of one body, the payload")
    return samples


def _ten(prior: InertialParameters | ArrayLike, order: Order) -> Floats:
    """The prior (1, 10) in an order."""
    if isinstance(prior, InertialParameters):
        prior = prior.as_theta(order=order, about="origin")
    (array,) = read_floats((), prior=prior)
    if array.shape not in ((10,), (1, 10)):
        raise ParameterError(f"prior has shape {array.shape}, expected (10,): one body")
    return array.reshape(1, 10)


def _entries(order: Order, which: Mask) -> tuple[str, ...]:
    return tuple(name for name, own in zip(name_entries(order), which, strict=True) if own)


def _point_mass(
    alone: _Alone, order: Order, margin: float, constraints: Constraint | Sequence[Constraint]
) -> tuple[float, Floats]:
    """Mass and centre of mass (3,) of the point mass that samples at rest tell of.

    Raises:
        ParameterError: They leave the mass open, or say that there is none, or tell part of the
            inertia; or a point mass is not what is asked for.
    """
    left = ", ".join(_entries(order, alone.open))
    told = f"the samples decide {alone.rank} combinations of the payload's ten numbers"
    if alone.open[0] or not alone.silent[4:].all():
        what = "the mass" if alone.open[0] else "the inertia in part"
        raise ParameterError(
            f"{told} and leave {what} open ({left}): give prior=, a body of about its shape and "
            "mass, or samples of further poses and turns"
        )
    if margin or constraints:
        raise ParameterError(
            f"{told} and nothing of the inertia ({left}): without a prior a point mass stands in, "
            "which takes no margin and no constraints; give prior="
        )
    mass = float(alone.theta[0])
    if not mass > 0:
        raise ParameterError(_negative(f"{mass:.6g} kg"))
    return mass, alone.theta[1:4] / mass


def _negative(mass: str) -> str:
    return (
        f"the samples say that the payload has the mass {mass}, expected a positive one: torques "
        "and wrenches are those that the robot exerts on it; where a sensor reads what it is "
        "exposed to, negate them; gravity points down"
    )


def _ball(mass: float, com: Floats) -> InertialParameters:
    """A batch of one ball; its size, which nothing depends on, is the units of the problem."""
    size = 2 / 3 * mass * (float(com @ com) or 1.0)
    return InertialParameters.from_com([mass], [com.tolist()], [(size * np.eye(3)).tolist()])


def _payload(
    samples: Samples, found: Identification, *, known: bool = False, stands_in: bool = False
) -> Payload:
    """The payload, and what can be said of it.

    Args:
        samples: Of it.
        found: The answer.
        known: Whether its prior was the caller's.
        stands_in: Whether a point mass is to stand in.
    """
    reduction, weights = found.require_certificate().reduction, found.weights
    alone = _Alone.of(reduction, weights, samples)
    parameters = found.parameters[0]
    if stands_in:
        parameters = InertialParameters.from_com(parameters.mass, parameters.com, np.zeros((3, 3)))
    theta = np.asarray(parameters.as_theta(order=samples.order))
    numbers = np.array(list(found.nuisance.values()))
    A, b, rest = reduction.stack(weights)
    bare = np.concatenate([np.zeros(10), np.linalg.lstsq(A[:, 10:], b, rcond=None)[0]])
    fits = [bare, np.concatenate([alone.theta, alone.numbers]), np.concatenate([theta, numbers])]
    rows = max(int(reduction.samples[weights > 0].sum()), 1)
    rms = [float(np.sqrt((np.sum((A @ x - b) ** 2) + rest) / rows)) for x in fits]
    rmse = [reduction.rmse(x) for x in fits]
    told = found.remarks if known else found.noted  # without a prior, nothing moved from it
    deviation = alone.deviation * rms[1]
    if alone.theta[0] < -SIGNIFICANT * deviation[0]:
        raise ParameterError(_negative(f"{alone.theta[0]:.6g} kg, give or take {deviation[0]:.2g}"))
    return Payload(
        order=samples.order,
        parameters=parameters,
        nuisance=found.nuisance,
        information=alone.information,
        standard_deviation=deviation,
        least_squares=np.where(alone.open, np.nan, alone.theta),
        open=_entries(samples.order, alone.open),
        rank=alone.rank,
        weights=weights,
        rmse_before=rmse[0],
        rmse_least_squares=rmse[1],
        rmse=rmse[2],
        weighted_rms_before=rms[0],
        weighted_rms_least_squares=rms[1],
        weighted_rms=rms[2],
        identification=found,
        remarks=(*told, *_remarks(samples.order, alone, theta, deviation, stands_in)),
    )


def _remarks(
    order: Order, alone: _Alone, theta: Floats, deviation: Floats, stands_in: bool
) -> tuple[str, ...]:
    """List remarks on what was assumed, and on what is not known."""
    lines = []
    if alone.open.any():
        by = "a point mass at the centre of mass stands in" if stands_in else "the prior decides"
        lines.append(f"the samples leave {', '.join(_entries(order, alone.open))} open: {by}")
    own = np.asarray(reorder(theta, order, "urdf"))
    spread = own[[4, 7, 9]].sum() / 2
    mass = float(own[0])
    size = np.array([mass, *[np.sqrt(mass * spread)] * 3, *[spread] * 6])
    vague = ~alone.open & (deviation > UNCERTAIN * np.asarray(reorder(size, "urdf", order)))
    if vague.any():
        lines.append(
            f"the noise leaves {', '.join(_entries(order, vague))} uncertain by more than the "
            "payload's own size: faster turns, or a prior, tell them"
        )
    return tuple(lines)
