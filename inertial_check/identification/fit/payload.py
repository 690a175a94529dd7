"""The ten numbers of a tool or a load, from a wrist sensor or from the torques of a known robot.

It is an identification of one body. What is special is where its rows come from, that a handful of
poses at rest is all there may be, and that nobody knows a prior: so what the samples leave open is
told entry by entry.

Samples of a payload: from a wrist sensor, or from the torques of a robot that is known.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.identification.fit import payload as samples
>>> gripper = ic.InertialParameters.from_com(0.9, [0, 0, 0.1], np.diag([0.002, 0.002, 0.001]))
>>> gravity_S = 9.81 * np.vstack([np.eye(3), -np.eye(3)])  # the wrist in six poses
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, expect
from inertial_check.identification.fit.base import base_parameters, name_entries
from inertial_check.identification.fit.identify import identify
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import ROWS, Block, Reduction, Samples
from inertial_check.identification.fit.solve import Loss, WeightRule
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import (
    ArrayLike,
    EqualByValue,
    Floats,
    Mask,
    batch_shape,
    read_floats,
)
from inertial_check.inertia.consistency import Consistency, check
from inertial_check.inertia.frames import transform
from inertial_check.inertia.parameters import InertialParameters, read_about_origin
from inertial_check.inertia.representations import (
    SPATIAL_ORDERS,
    Order,
    SpatialOrder,
    check_spatial_order,
    reorder,
)
from inertial_check.mechanics.equations import GRAVITY, inverse_dynamics, regressor
from inertial_check.mechanics.rotations import skew
from inertial_check.mechanics.tree import Tree
from inertial_check.projection.constraint import Constraint

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
        >>> from inertial_check.identification.fit.payload import from_wrench, wrench_regressor
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
    # Mass and centre of mass (3,) of the point mass that samples at rest tell of.
    left = ", ".join(_entries(samples.order, alone.open))
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
    com = alone.theta[1:4] / mass
    # The size of the ball, which nothing depends on, is the units of the problem.
    size = 2 / 3 * mass * (float(com @ com) or 1.0)
    ball = InertialParameters.from_com([mass], com[None], size * np.eye(3)[None])
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
        # Zeros below give all ten right singular vectors, those of open directions among them.
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
    array = reorder(read_about_origin(prior, order), "urdf", order)
    if array.shape not in ((10,), (1, 10)):
        raise ParameterError(f"prior has shape {array.shape}, expected (10,): one body")
    return array.reshape(1, 10)


def _entries(order: Order, which: Mask) -> tuple[str, ...]:
    return tuple(name for name, own in zip(name_entries(order), which, strict=True) if own)


def _negative(mass: str) -> str:
    return (
        f"the samples say that the payload has the mass {mass}, expected a positive one: torques "
        "and wrenches are those that the robot exerts on it; where a sensor reads what it is "
        "exposed to, negate them; gravity points down"
    )


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


BIAS = ("bias_mx", "bias_my", "bias_mz", "bias_fx", "bias_fy", "bias_fz")
"""Names of a sensor's offsets: moment [N m], then force [N]."""


def wrench_regressor(
    gravity_S: ArrayLike,
    w: ArrayLike | None = None,
    alpha: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    order: Order = "urdf",
    spatial_order: SpatialOrder = "angular-linear",
) -> Floats:
    """Y with wrench = Y theta, of what a sensor S exerts on a payload, about So.

        force  = m (a - g) + alpha x h + w x (w x h)
        moment = h x (a - g) + I alpha + w x (I w)

    Source: Featherstone, Rigid Body Dynamics Algorithms, section 2.14, at So.

    Args:
        gravity_S: (..., 3) the acceleration of gravity in the axes of the sensor, R_WS^T g
            [m/s^2]; minus what an accelerometer at So reads, if `a` is then left out.
        w: (..., 3) angular velocity in the axes of the sensor [rad/s]; None at rest.
        alpha: (..., 3) its derivative [rad/s^2].
        a: (..., 3) acceleration of So, in the axes of the sensor [m/s^2].
        order: Of the last six of theta: urdf, pinocchio, mujoco, wensing or ksl.
        spatial_order: "angular-linear": moment, then force; or "linear-angular".

    Returns:
        (..., 6, 10) in [N m] and [N].

    Raises:
        ParameterError: Shapes that do not fit, unknown order.

    Example:
        >>> Y = samples.wrench_regressor([[0, 0, -9.81]])
        >>> print((Y @ gripper.as_theta()).round(3) + 0.0)  # it carries 0.9 * 9.81 N
        [[0.    0.    0.    0.    0.    8.829]]
    """
    check_spatial_order(spatial_order, "spatial_order")
    given: dict[str, Any] = {"gravity_S": gravity_S, "w": w, "alpha": alpha, "a": a}
    read = {
        name: np.zeros(3)
        if value is None and name != "gravity_S"
        else read_floats((3,), **{name: value})[0]
        for name, value in given.items()
    }
    batch = batch_shape(**{name: array.shape[:-1] for name, array in read.items()})
    gravity, w, alpha, a = (np.broadcast_to(array, (*batch, 3)) for array in read.values())
    lift, turn = a - gravity, skew(w)
    moment, force = np.zeros((*batch, 3, 10)), np.zeros((*batch, 3, 10))
    force[..., 0] = lift
    force[..., 1:4] = skew(alpha) + turn @ turn
    moment[..., 1:4] = -np.asarray(skew(lift))
    moment[..., 4:] = _turning(alpha) + turn @ _turning(w)
    halves = (moment, force) if spatial_order == SPATIAL_ORDERS[0] else (force, moment)
    return np.asarray(reorder(np.concatenate(halves, axis=-2), "urdf", order))


def from_wrench(  # noqa: PLR0913 - a recording, and its conventions
    wrench: ArrayLike,
    gravity_S: ArrayLike,
    w: ArrayLike | None = None,
    alpha: ArrayLike | None = None,
    a: ArrayLike | None = None,
    *,
    bias: bool = False,
    order: Order = "urdf",
    spatial_order: SpatialOrder = "angular-linear",
) -> Samples:
    """Samples of a force-torque sensor that carries a payload.

    Args:
        wrench: (S, 6) what the sensor exerts on the payload, about So, in its axes [N m] and [N]:
            at rest, its force points up. Negated, if the sensor reads what it is exposed to.
        gravity_S: (S, 3) as for wrench_regressor; so are w, alpha and a.
        w: (S, 3) or None.
        alpha: (S, 3) or None.
        a: (S, 3) or None.
        bias: Whether the sensor reads a constant wrench of its own, which is then fitted beside the
            payload. Two poses at least tell it from a weight.
        order: Of the last six of theta.
        spatial_order: Of the wrench.

    Raises:
        ParameterError: Shapes that do not fit, unknown order; or forces and moments that explain
            the motion of a payload only if they are exchanged.

    Example:
        >>> wrench = samples.wrench_regressor(gravity_S) @ gripper.as_theta()
        >>> found = ic.identify_payload(samples.from_wrench(wrench, gravity_S), weights=1.0)
        >>> print(found.parameters.mass.round(6), found.parameters.com.round(6) + 0.0)
        0.9 [0.  0.  0.1]
    """
    expect("flag", bias=bias)
    (tau,) = read_floats((), wrench=wrench)
    if tau.ndim != 2 or tau.shape[1] != 6:
        raise ParameterError(f"wrench has shape {tau.shape}, expected (S, 6)")
    Y = wrench_regressor(gravity_S, w, alpha, a, order=order, spatial_order=spatial_order)
    Y = np.broadcast_to(Y, (*tau.shape, 10)) if Y.ndim == 2 else Y
    if Y.shape != (*tau.shape, 10):
        raise ParameterError(
            f"wrench has shape {tau.shape}, and the motion {Y.shape[:-2]} samples: expected as many"
        )
    # Refuse wrenches whose forces and moments are exchanged.
    if np.all(np.isfinite(tau)):
        as_it_stands, exchanged = (
            _measure_misfit(Y, each, bias) for each in (tau, np.roll(tau, 3, axis=1))
        )
        if as_it_stands > EXCHANGED and exchanged < EXCHANGED * as_it_stands:
            other = SPATIAL_ORDERS[1 - SPATIAL_ORDERS.index(spatial_order)]
            raise ParameterError(
                f"forces and moments are exchanged: {100 * as_it_stands:.2g} % of the wrench stays "
                f"unexplained, and {100 * exchanged:.2g} % in the other order; give "
                f'spatial_order="{other}", or exchange them'
            )
    if not bias:
        return Samples.of_arrays(Y, tau, order=order)
    names = BIAS if spatial_order == SPATIAL_ORDERS[0] else BIAS[3:] + BIAS[:3]
    columns = np.broadcast_to(np.eye(6), (len(tau), 6, 6))
    return Samples.of_arrays(Y, tau, Nuisance.from_columns(columns, names), order)


EXCHANGED = 0.1
"""Unexplained part of a wrench with forces and moments exchanged, relative to that of the wrench as
it stands, below which they are in the other order: noise explains neither."""


def _measure_misfit(Y: Floats, tau: Floats, bias: bool) -> float:
    """Measure the larger part, of the forces and of the moments, that no payload explains."""
    sizes = np.repeat(np.linalg.norm(tau.reshape(-1, 2, 3), axis=(0, 2)), 3)
    weights = 1 / np.where(sizes > 0, sizes, 1.0)
    A = Y * weights[:, None]
    if bias:
        constant = np.broadcast_to(np.diag(weights), (len(tau), 6, 6))
        A = np.concatenate([A, constant], axis=2)
    A, b = A.reshape(-1, A.shape[2]), (tau * weights).ravel()
    lengths = np.linalg.norm(A, axis=0)
    x = np.linalg.lstsq(A / np.where(lengths > 0, lengths, 1.0), b, rcond=None)[0]
    left = (b - A @ (x / np.where(lengths > 0, lengths, 1.0))).reshape(-1, 2, 3)
    mass = x[0] if lengths[0] > 0 else 0.0
    misfit = float((left**2).sum(axis=(0, 2)).max())
    return misfit if mass >= 0 else max(misfit, 1.0)


class Recording(NamedTuple):
    """A robot's motion and its torques.

    Attributes:
        q: (S, n) coordinates.
        u: (S, n) velocities.
        du: (S, n) accelerations.
        tau: (S, n) torques [N m] or forces [N].
    """

    q: Floats
    u: Floats
    du: Floats
    tau: Floats


def from_torques(  # noqa: PLR0913 - a robot, what is known of it, and a recording
    tree: Tree,
    body: int | str,
    loaded: Recording,
    *,
    unloaded: Recording | None = None,
    theta: ArrayLike | None = None,
    friction: Nuisance | None = None,
    friction_values: Mapping[str, float] | None = None,
    nuisance: Nuisance | None = None,
    X_BF: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    order: Order = "urdf",
) -> Samples:
    """Samples of the torques that a payload adds to those of a robot.

    What the robot takes by itself is known from its parameters and its friction, or, with
    `unloaded`, from the same motion without the payload: then only what the two motions differ by
    is left to the parameters, and friction mostly cancels.

    Args:
        tree: The robot.
        body: That carries the payload.
        loaded: The recording with it.
        unloaded: The same motion without it, sample by sample.
        theta: (N, 10) in order "urdf" about the body origins, of the robot without the payload, as
            identified; None for the tree's own.
        friction: What stands in the robot's torques beside its bodies, as terms.
        friction_values: Its numbers by name, as Identification.nuisance has them.
        nuisance: What is to be fitted beside the payload, as terms: offsets that drifted.
        X_BF: (4, 4) pose of the payload's frame F in the body; None for the body's own frame.
        gravity: (3,) in the axes of I [m/s^2].
        order: Of the last six of theta.

    Raises:
        ParameterError: Shapes that do not fit, an unknown body or order, friction without numbers.

    Example:
        >>> from inertial_check.mechanics.equations import inverse_dynamics
        >>> from inertial_check.documents.model import tree_of
        >>> tree = tree_of(ic.load("data/recordings/arm.urdf")).tree
        >>> q, u, du = np.random.default_rng(0).normal(size=(3, 100, 3))
        >>> theta = tree.theta.copy()
        >>> theta[-1] += gripper.as_theta()
        >>> tau = inverse_dynamics(tree, q, u, du, theta=theta)
        >>> loaded = samples.from_torques(tree, tree.names[-1], samples.Recording(q, u, du, tau))
        >>> print(ic.identify_payload(loaded, weights=1.0).parameters.mass.round(6))
        0.9
    """
    expect(Tree, tree=tree)
    expect("whole", "text", body=body)
    expect(Recording, loaded=loaded)
    expect(Recording, "nothing", unloaded=unloaded)
    expect(Nuisance, "nothing", friction=friction, nuisance=nuisance)
    expect("mapping", "nothing", friction_values=friction_values)
    place = tree.index(body)
    with_load = _recording(tree, "loaded", loaded)
    without = None if unloaded is None else _recording(tree, "unloaded", unloaded)
    if without is not None and len(without.tau) != len(with_load.tau):
        raise ParameterError(
            f"loaded has {len(with_load.tau)} samples and unloaded {len(without.tau)}: expected "
            "the same motion, sample by sample; otherwise identify the robot from one, and pass it"
        )
    numbers = _friction_numbers(friction, friction_values)
    beside = nuisance or Nuisance()
    to_body = np.eye(10) if X_BF is None else np.asarray(transform(np.eye(10), X_BF, name="X_BF")).T
    to_body = np.asarray(reorder(to_body, "urdf", order))

    def robot(part: Recording) -> Floats:
        tau = inverse_dynamics(tree, part.q, part.u, part.du, gravity=gravity, theta=theta)
        if friction is not None:
            tau = tau + friction.columns(part.u, part.du) @ numbers
        return np.asarray(part.tau - tau)

    def source() -> Iterator[Block]:
        for start in range(0, len(with_load.tau), ROWS):
            rows = slice(start, start + ROWS)
            part = Recording(*(array[rows] for array in with_load))
            whole = np.asarray(regressor(tree, part.q, part.u, part.du, gravity=gravity))
            added = robot(part)
            if without is not None:
                added = added - robot(Recording(*(array[rows] for array in without)))
            Y = whole[:, :, 10 * place : 10 * place + 10] @ to_body
            yield Y, beside.columns(part.u, part.du), added

    return Samples(1, tree.n_u, beside, source, len(with_load.tau), order)


def _turning(v: Floats) -> Floats:
    """(..., 3, 6) with I v = this times the six of I in order "urdf"."""
    x, y, z = (v[..., i] for i in range(3))
    matrix = np.zeros((*v.shape[:-1], 3, 6))
    matrix[..., 0, 0] = matrix[..., 1, 1] = matrix[..., 2, 2] = x
    matrix[..., 0, 1] = matrix[..., 1, 3] = matrix[..., 2, 4] = y
    matrix[..., 0, 2] = matrix[..., 1, 4] = matrix[..., 2, 5] = z
    return matrix


def _recording(tree: Tree, which: str, given: Recording) -> Recording:
    """The recording as arrays.

    Raises:
        ParameterError: Shapes that do not fit.
    """
    widths = {"q": tree.n_q, "u": tree.n_u, "du": tree.n_u, "tau": tree.n_u}
    arrays = {
        name: np.asarray(value, dtype=np.float64)
        for name, value in zip(Recording._fields, given, strict=True)
    }
    count = len(arrays["tau"]) if arrays["tau"].ndim else 0
    for name, array in arrays.items():
        if array.shape != (count, widths[name]):
            raise ParameterError(
                f"{which}: {name} has shape {array.shape}, expected {(count, widths[name])}"
            )
    return Recording(**arrays)


def _friction_numbers(friction: Nuisance | None, values: Mapping[str, float] | None) -> Floats:
    """The numbers (k,) of the robot's friction.

    Raises:
        ParameterError: Numbers without terms, terms without numbers, ready columns.
    """
    names = () if friction is None else friction.names
    if friction is not None and friction.ready is not None:
        raise ParameterError(
            "friction has ready columns, which belong to one motion: declare it by terms"
        )
    unknown = [name for name in values or {} if name not in names]
    missing = [name for name in names if name not in (values or {})]
    if unknown or missing:
        raise ParameterError(
            f"friction: no number for {', '.join(missing) or 'none'}, no term for "
            f"{', '.join(unknown) or 'none'}; expected friction=Nuisance.of(...) and "
            "friction_values={name: number} of the same names"
        )
    return np.array([float((values or {})[name]) for name in names])
