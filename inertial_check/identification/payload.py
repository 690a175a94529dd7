"""A payload on a robot whose parameters are known, from joint torques or from a wrist sensor."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from inertial_check.checking.report import Severity
from inertial_check.checking.shapes.priors import from_model
from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.diagnosis.hypotheses import DEVIATIONS
from inertial_check.identification.fit.base import measure_excess
from inertial_check.identification.fit.payload import (
    Payload,
    Recording,
    from_torques,
    from_wrench,
    identify_payload,
)
from inertial_check.identification.fit.samples import Block, Samples
from inertial_check.identification.fit.solve import NO_PRIOR
from inertial_check.identification.gate import judge_known
from inertial_check.identification.motion.floating import find_body, pad, read_wrenches
from inertial_check.identification.motion.motion import (
    STRETCHES,
    JointMotion,
    convert_units,
    leave_out_rows,
    list_unmeasured,
    refuse_no_clock,
)
from inertial_check.identification.motion.recordings import read_datasets, read_recordings
from inertial_check.identification.motion.signals import Smoothing, smooth
from inertial_check.identification.options import IdentifyOptions
from inertial_check.identification.recordings.recording import Recording as RecordedFile
from inertial_check.identification.robot import (
    Robot,
    list_recorded,
    match_joints,
    read_robot,
    refuse_loops,
)
from inertial_check.inertia.arrays import Floats
from inertial_check.mechanics.jacobians import jacobian, jacobian_derivative, poses
from inertial_check.projection.constraint import Constraint
from inertial_check.projection.constraints import FixedMass, TotalMass
from inertial_check.reports.identification_types import Remark


@dataclass(frozen=True, eq=False)
class CarriedPayload:
    """A payload that was identified from recordings of the robot that carried it.

    Attributes:
        link: Name of the link that carries it; its numbers are in the frame of that link.
        source: "joint torques", or the wrench of a sensor.
        samples: Number of samples.
        redundancy: Number of samples that carry as much information as one independent sample.
        payload: The payload.
        remarks: Remarks on the robot, the recordings and the payload.
    """

    link: str
    source: str
    samples: int
    redundancy: float
    payload: Payload
    remarks: tuple[Remark, ...]

    @property
    def standard_deviation(self) -> Floats:
        """(10,) standard deviations of the ten numbers, counting independent samples only."""
        return np.asarray(self.payload.standard_deviation * np.sqrt(self.redundancy))


def identify_carried(options: IdentifyOptions, link: str, wrench: str | None) -> CarriedPayload:
    """Identify the payload of a robot.

    Args:
        options: Options of the identification. The robot's own bodies are those of its file, and
            are not merged, whatever `merge_fixed` says.
        link: Link that carries the payload.
        wrench: Link in whose frame a sensor measures the wrench on the payload, as the columns
            wrench_LINK_fx to wrench_LINK_mz; None for joint torques.

    Raises:
        DocumentError: A file cannot be read.
        UsageError: An option or a recording does not fit the robot.
        ParameterError: The samples leave the mass open, or say that it is negative.
        ProjectionError: The problem has no certified answer.
    """
    options = replace(options, robot=replace(options.robot, merge_fixed=False))
    needed = ("q", "tau") if wrench is None else ("q",)
    recordings = read_recordings(options, needed)
    recorded = list_recorded(recordings) if options.robot.lock_others else None
    robot = read_robot(options.model, options.context, options.robot, recorded)
    refuse_loops(robot)
    if robot.base is not None:
        raise UsageError("--payload takes a robot on a fixed base: leave out --base floating")
    body = find_body(robot, link, f"--payload {link}")
    if wrench is None:
        samples, redundancy, remarks = _read_torques(options, robot, body, recordings)
        source = "joint torques"
    else:
        sensor = find_body(robot, wrench, f"--wrench {wrench}")
        samples, redundancy, remarks = _read_wrenches(options, robot, sensor, wrench, recordings)
        samples = _move(samples, robot, body, sensor)
        source = f"the wrench at {wrench}"
    carrier = robot.model.bodies[body]
    # Make constraints of the known mass of the payload: --mass LINK=KG or --total-mass.
    names = {link, carrier.name, carrier.id}
    known: list[Constraint] = []
    for name, mass in options.mass.items():
        if name not in names:
            raise UsageError(
                f"--mass {name}={mass:g}: only the payload is identified: "
                f"expected --mass {link}={mass:g}"
            )
        known.append(FixedMass(mass))
    if options.total_mass is not None:
        known.append(TotalMass(*options.total_mass, bodies=(0,)))
    try:
        found = _identify(options, samples, carrier.name, known)
    except ParameterError as error:
        wrong = [each.message for each in remarks if each.severity == Severity.ERROR]
        raise ParameterError("; ".join([str(error), *wrong])) from None
    fit = found.identification
    if fit.is_plain:  # residuals with a colour longer than the filter's repeat themselves more
        parts = samples.folds(STRETCHES)
        excess = measure_excess(fit.linear_base, parts, found.weights, fit.redundancy)
        redundancy = max(redundancy, excess.usual)
    said = [
        Remark(Severity.NOTE if line == NO_PRIOR else Severity.WARNING, "payload", line)
        for line in found.remarks
    ]
    every = [*remarks, *robot.remarks, *said]
    order = sorted(every, key=lambda remark: -remark.severity)
    return CarriedPayload(carrier.name, source, samples.samples, redundancy, found, tuple(order))


def _identify(
    options: IdentifyOptions, samples: Samples, link: str, constraints: list[Constraint]
) -> Payload:
    """Identify the payload, beside the prior that --prior names: the body LINK of a model.

    Raises:
        DocumentError: The model of the prior cannot be read.
        UsageError: --prior geometry, which a payload has not.
        ParameterError: The samples leave the mass open, and there is no prior.
    """
    fit, path = options.fit, options.prior
    if path == "geometry":
        raise UsageError("--payload: no shapes of a payload are known: give --prior MODEL, a file")
    prior = None if path == IdentifyOptions.prior else from_model(path, [link])
    try:
        return identify_payload(
            samples,
            prior=prior,
            weights=fit.weights,
            constraints=constraints,
            regularization=fit.regularization,
            loss=fit.loss,
            margin=fit.margin,
            solver=fit.solver,
        )
    except ParameterError as error:
        advice = f"give --prior MODEL, whose body {link} is the expected payload"
        raise ParameterError(str(error).replace("give prior=", advice)) from None


def _read_torques(
    options: IdentifyOptions, robot: Robot, body: int, recordings: list[RecordedFile]
) -> tuple[Samples, float, list[Remark]]:
    """Read what the payload adds to the torques of the robot's file."""
    if not robot.tree.columns[body]:
        raise UsageError(f"--payload: no recorded joint moves {robot.model.bodies[body].name}")
    datasets = read_datasets(options, robot, recordings)
    motions = [data.motion for data in datasets.train]
    signals = [
        [getattr(motion, name) for motion in motions if motion is not None]
        for name in ("q", "u", "du", "tau")
    ]
    if len(signals[0]) < len(motions):
        raise UsageError("--payload needs the motion of the joints, and Y has none: give q and tau")
    samples = from_torques(
        robot.tree,
        body,
        Recording(*(np.concatenate(own) for own in signals)),
        nuisance=datasets.nuisance,
        gravity=robot.gravity,
    )
    remarks = list(judge_known(options, robot, datasets, body))
    unmeasured = list_unmeasured(options.robot, robot)
    measured = [*set(range(len(robot.joints))) - set(unmeasured)]
    scale = _measure_scale(samples, np.concatenate(signals[3]), measured)
    deviation = scale[1] * np.sqrt(datasets.redundancy)
    unnamed = all(each.kind == "robot" for each in remarks)
    if unnamed and abs(scale[0] - 1) > max(DEVIATIONS * deviation, OTHER_SCALE):
        message = (
            f"the recorded torques are {scale[0]:.3g} +- {deviation:.2g} times those of the "
            "robot's own bodies, and the payload takes up the difference: check --gain, the units, "
            "and the robot's file"
        )
        remarks = [Remark(Severity.ERROR, "scale", message)]
    remarks += datasets.remarks
    return leave_out_rows(samples, unmeasured), datasets.redundancy, remarks


OTHER_SCALE = 0.05
"""Relative difference of torques from those of the robot's bodies above which the payload is in
doubt; chosen, as a robot's file is seldom nearer."""


def _measure_scale(samples: Samples, tau: Floats, measured: list[int]) -> tuple[float, float]:
    """Measure how many times the torques of the robot's own bodies were recorded.

    They stand as one more column beside the payload and the friction, each joint in units of what
    these leave of it (Frisch and Waugh).

    Args:
        samples: What the payload adds to the torques.
        tau: (S, n) the torques as recorded.
        measured: Indices of the joints with torques.

    Returns:
        The factor, and its standard deviation if all samples were independent.
    """
    blocks = zip(*samples.blocks(), strict=True)
    Y, F, added = (np.concatenate(own)[:, measured] for own in blocks)
    A, own = np.concatenate([Y, F], axis=2), tau[: len(added), measured] - added
    columns, b, r = A.reshape(-1, A.shape[2]), added.ravel(), own.ravel()
    weights = np.ones(len(b))
    for _ in range(2):  # the second time in units of the noise
        weighted = columns * weights[:, None]
        size = np.linalg.norm(weighted, axis=0)
        both = np.stack([b * weights, r * weights], axis=1)
        fitted = np.linalg.lstsq(weighted / np.where(size > 0, size, 1.0), both, rcond=None)[0]
        left, beside = (both - weighted / np.where(size > 0, size, 1.0) @ fitted).T
        slope = float(beside @ left) / max(float(beside @ beside), np.finfo(float).tiny)
        noise = left - slope * beside
        rms = np.sqrt((noise.reshape(own.shape) ** 2).mean(axis=0))
        weights = weights / np.tile(np.where(rms > 0, rms, 1.0), len(own))
    spread = float(noise @ noise) / max(len(b) - A.shape[2] - 1, 1)
    deviation = np.sqrt(spread / max(float(beside @ beside), np.finfo(float).tiny))
    return 1.0 + slope, float(deviation)


def _read_wrenches(
    options: IdentifyOptions,
    robot: Robot,
    sensor: int,
    name: str,
    recordings: list[RecordedFile],
) -> tuple[Samples, float, list[Remark]]:
    """Read the wrenches of a sensor, with its motion by the kinematics of the robot."""
    parts: list[tuple[Floats, ...]] = []
    remarks: list[Remark] = []
    redundancy = 1.0
    for recording in recordings[: len(options.data)]:
        columns = match_joints(recording, robot)
        # Choose the columns of a sensor: those of --contact, or those that its link names.
        given = options.contacts
        if given.wrench_axes == "world":
            raise UsageError(
                "--wrench: a wrist sensor measures in its own axes: leave --wrench-axes"
            )
        contact = ((name, dict(given.contact).get(name, (f"wrench_{name}",))),)
        chosen = replace(given, contact=contact, force_plate=None)
        found, said = read_wrenches(recording, chosen, robot)
        wrench = next(each for each in found if each.name == name)
        motion, values = _smooth(recording, columns, wrench.values, options, robot)
        redundancy = max(redundancy, motion.redundancy)
        gains = options.recordings.gain or (1.0,)
        if isinstance(gains, str) or len(gains) != 1:
            raise UsageError("--gain takes one number beside --wrench: -1 turns the wrench round")
        parts.append((*_move_frame(robot, sensor, motion), gains[0] * values))
        remarks += said
    gravity, w, alpha, a, wrenches = (np.concatenate(own) for own in zip(*parts, strict=True))
    try:
        samples = from_wrench(
            wrenches, gravity, w, alpha, a, bias=True, spatial_order="linear-angular"
        )
    except ParameterError as error:
        raise UsageError(f"--wrench {name}: {error}") from None
    return samples, redundancy, remarks


def _smooth(
    recording: RecordedFile,
    columns: list[int],
    wrench: Floats,
    options: IdentifyOptions,
    robot: Robot,
) -> tuple[JointMotion, Floats]:
    """Filter motion and wrench (S, 6) alike.

    Raises:
        UsageError: The recording has no positions, or neither time nor rates.
    """
    smoothing = options.recordings.smoothing
    raw = convert_units(recording, columns, options.recordings, robot)
    q, u, du, none = raw.q, raw.u, raw.du, np.zeros((0, 0))
    assert q is not None
    if u is not None and du is not None and smoothing == Smoothing():
        return JointMotion(np.arange(float(len(q))), q, u, du, none), wrench
    refuse_no_clock(raw, smoothing)
    # The filter takes as many columns of forces as of positions.
    u, du = (None if each is None else pad(each, 6) for each in (u, du))
    forces = pad(wrench, q.shape[1])
    try:
        found = smooth(raw.t, pad(q, 6), forces, u, du, smoothing, breaks=raw.breaks)
    except ParameterError as error:
        raise ParameterError(f"{raw.path}: {error}") from None
    q, u, du = (each[:, : len(columns)] for each in (found.q, found.u, found.du))
    return JointMotion(found.t, q, u, du, none, found.redundancy), found.tau[:, :6]


def _move_frame(
    robot: Robot, body: int, motion: JointMotion
) -> tuple[Floats, Floats, Floats, Floats]:
    """Gravity, angular velocity and acceleration, and acceleration of a frame, in its axes."""
    q, u, du = motion.q, motion.u, motion.du
    R = np.asarray(poses(robot.tree, q))[:, body, :3, :3]
    J = np.asarray(jacobian(robot.tree, q, body))
    twist = np.einsum("sij,sj->si", J, u)
    rate = np.einsum("sij,sj->si", J, du)
    rate += np.einsum("sij,sj->si", np.asarray(jacobian_derivative(robot.tree, q, u, body)), u)
    vectors = (np.broadcast_to(robot.gravity, (len(q), 3)), twist[:, 3:], rate[:, 3:], rate[:, :3])
    g, w, alpha, a = (np.einsum("sji,sj->si", R, each) for each in vectors)
    return g, w, alpha, a


def _move(samples: Samples, robot: Robot, body: int, sensor: int) -> Samples:
    """State the payload in the frame of a link that is fixed to the sensor.

    Raises:
        UsageError: A joint moves the link relative to the sensor.
    """
    if body == sensor:
        return samples
    tree = robot.tree
    if tree.columns[body] != tree.columns[sensor]:
        names = [robot.model.bodies[index].name for index in (body, sensor)]
        raise UsageError(
            f"--wrench: a joint moves {names[0]} relative to {names[1]}, so the sensor feels more "
            f"than the payload: give --payload {names[1]}"
        )
    X_IB = np.asarray(poses(tree, np.zeros(tree.n_q)))
    # (10, 10) map of the parameters of a body in frame B to those in frame S, in order "urdf".
    X_SB = np.linalg.inv(X_IB[sensor]) @ X_IB[body]
    from inertial_check.inertia.frames import transform

    to_sensor = np.asarray(transform(np.eye(10), X_SB)).T

    def source() -> Iterator[Block]:
        for Y, F, tau in samples.blocks():
            yield Y @ to_sensor, F, tau

    return replace(samples, source=source)


def write_snippet(found: CarriedPayload, path: str) -> str:
    """Write the inertial element of a payload in the format that a path's suffix names.

    Raises:
        UsageError: The suffix is of no format that has such an element.
    """
    parameters = found.payload.parameters
    mass = float(parameters.mass)
    x, y, z = np.asarray(parameters.com).tolist()
    names = ("xx", "xy", "xz", "yy", "yz", "zz")
    six = np.asarray(parameters.as_theta(about="com"))[4:].tolist()
    ending = os.path.splitext(path)[1].lower()
    if ending in (".urdf", ".xacro"):
        inertia = " ".join(f'i{name}="{own!r}"' for name, own in zip(names, six, strict=True))
        return (
            f'<inertial>\n  <origin xyz="{x!r} {y!r} {z!r}" rpy="0 0 0"/>\n'
            f'  <mass value="{mass!r}"/>\n  <inertia {inertia}/>\n</inertial>\n'
        )
    if ending == ".sdf":
        pairs = zip(names, six, strict=True)
        inertia = "".join(f"<i{name}>{own!r}</i{name}>" for name, own in pairs)
        return (
            f"<inertial>\n  <pose>{x!r} {y!r} {z!r} 0 0 0</pose>\n  <mass>{mass!r}</mass>\n"
            f"  <inertia>{inertia}</inertia>\n</inertial>\n"
        )
    if ending in (".xml", ".mjcf"):
        full = " ".join(repr(six[place]) for place in (0, 3, 5, 1, 2, 4))
        return f'<inertial pos="{x!r} {y!r} {z!r}" mass="{mass!r}" fullinertia="{full}"/>\n'
    raise UsageError(
        f"-o {path}: an inertial element is that of a format by its suffix: .urdf, .xacro, .sdf, "
        ".xml or .mjcf"
    )
