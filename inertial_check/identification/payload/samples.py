"""Samples of a payload: from a wrist sensor, or from the torques of a robot that is known.

The examples of this module continue this session:

>>> import numpy as np
>>> import inertial_check as ic
>>> from inertial_check.identification.payload import samples
>>> gripper = ic.InertialParameters.from_com(0.9, [0, 0, 0.1], np.diag([0.002, 0.002, 0.001]))
>>> gravity_S = 9.81 * np.vstack([np.eye(3), -np.eye(3)])  # the wrist in six poses
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from inertial_check.arrays.broadcasting import batch_shape, read_floats
from inertial_check.arrays.types import ArrayLike, Floats
from inertial_check.dynamics.equations import GRAVITY, inverse_dynamics, regressor
from inertial_check.dynamics.tree import Tree
from inertial_check.errors import ParameterError, expect
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import ROWS
from inertial_check.identification.estimation.sampled import Block, Samples
from inertial_check.inertia.frames import transform
from inertial_check.inertia.representations import (
    SPATIAL_ORDERS,
    Order,
    SpatialOrder,
    check_spatial_order,
    reorder,
)
from inertial_check.spatial.rotations import skew

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
    _refuse_exchange(Y, tau, bias, spatial_order)
    if not bias:
        return Samples.of_arrays(Y, tau, order=order)
    names = BIAS if spatial_order == SPATIAL_ORDERS[0] else BIAS[3:] + BIAS[:3]
    columns = np.broadcast_to(np.eye(6), (len(tau), 6, 6))
    return Samples.of_arrays(Y, tau, Nuisance.from_columns(columns, names), order)


EXCHANGED = 0.1
"""Unexplained part of a wrench with forces and moments exchanged, relative to that of the wrench as
it stands, below which they are in the other order: noise explains neither."""


def _refuse_exchange(Y: Floats, tau: Floats, bias: bool, spatial_order: SpatialOrder) -> None:
    """Refuse wrenches whose forces and moments are exchanged.

    Args:
        Y: (S, 6, 10) regressor.
        tau: (S, 6) wrenches.
        bias: Whether constant wrenches are fitted, too.
        spatial_order: Order that was declared.

    Raises:
        ParameterError: In the other order a payload explains them far better.
    """
    if not np.all(np.isfinite(tau)):
        return
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
        >>> from inertial_check.dynamics.equations import inverse_dynamics
        >>> from inertial_check.model.tree import tree_of
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
