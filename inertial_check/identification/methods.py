"""Methods of `identify` that simulate the robot: its references, and what is not simulated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inertial_check.errors import ParameterError, UsageError
from inertial_check.identification.fit.options import FitOptions
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import Samples
from inertial_check.identification.fit.simulation import (
    Reference,
    SimulatedRobot,
    iterate_method,
    simulate,
)
from inertial_check.identification.loads import Loads
from inertial_check.identification.motion.motion import JointMotion
from inertial_check.identification.motion.samples import Datasets
from inertial_check.identification.motion.signals import MOST_OF_NYQUIST, bandwidth, filter_signals
from inertial_check.identification.options import UNKNOWN, IdentifyOptions
from inertial_check.identification.robot.robot import Robot
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.mechanics.equations import GRAVITY

BANDS = 5.0
"""Cut-off of the references in bands of the motion: a quarter of that of the default filter, so
that the noise of recorded positions hardly reaches the simulated robot."""


def identify_by_simulation(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, prior: Floats, fit: FitOptions
) -> Identification:
    """Identify by instrumental variables or DIDIM.

    Args:
        options: Options of the identification.
        robot: Robot that was recorded.
        datasets: Its recordings.
        prior: (L, 10) expected bodies.
        fit: Options of the fit.

    Raises:
        UsageError: A recording has unequal steps.
        ParameterError: A simulation is unstable.
        ProjectionError: The parameters do not settle.
    """

    def move(found: Identification) -> Samples:
        own = build_simulation(options, robot, datasets, found)
        return datasets.build(None, lambda motion: simulate_motion(own, motion)).samples

    return iterate_method(options.method, move, datasets.samples, prior, fit)


def refuse_unsimulated(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, loads: Loads
) -> None:
    """Refuse what the simulation of a method does not model.

    Raises:
        UsageError: The message names the option or the recording.
    """
    if options.method == "least-squares":
        return
    whole = any(own.motion is not None and own.motion.whole is not None for own in datasets.train)
    reasons = {
        "--friction stribeck and load": datasets.friction.nonlinear,
        "--gain unknown": options.recordings.gain == UNKNOWN,
        "--loads": bool(loads.entries),
        "--loss huber": options.fit.loss != "squares",
        "--regularization k-fold": options.fit.regularization == "k-fold",
        "--unmeasured, whose torques cannot be simulated": bool(options.robot.unmeasured),
        "closed loops of joints": bool(robot.loops),
        "a floating base, contact wrenches and force plates": whole or robot.base is not None,
        "a recording of Y: it has no motion to simulate": any(
            own.motion is None for own in datasets.train
        ),
    }
    for name, present in reasons.items():
        if present:
            raise UsageError(
                f"--method {options.method} simulates a robot on a fixed base, and does not go "
                f"with {name}; --method least-squares does"
            )


def build_simulation(
    options: IdentifyOptions, robot: Robot, datasets: Datasets, found: Identification
) -> SimulatedRobot:
    """Build the robot of a simulation from an answer; bodies that are not identified stay."""
    theta = np.array(robot.tree.theta)
    theta[list(robot.bodies)] = found.problem.theta(found.x)[: len(robot.bodies)]
    gravity = options.robot.gravity
    return SimulatedRobot(
        robot.tree,
        theta,
        datasets.nuisance,
        found.problem.numbers(found.x),
        GRAVITY if gravity is None else gravity,
    )


def simulate_motion(robot: SimulatedRobot, motion: JointMotion) -> JointMotion:
    """Simulate a robot along the filtered positions of a recording, run by run.

    Raises:
        UsageError: The steps of a run are not uniform.
        ParameterError: The simulation is unstable.
    """
    found = [np.array(signal) for signal in (motion.q, motion.u, motion.du)]
    for rows in motion.runs or (slice(0, len(motion)),):
        # Make the reference of a run: its positions below BANDS times the band of the motion.
        t = motion.t[rows]
        q = motion.q[rows]
        steps = np.diff(t)
        step = float(np.median(steps)) if len(steps) else 0.0
        if len(t) < 8 or np.any(np.abs(steps - step) > np.sqrt(tolerances.SIMULATED) * step):
            raise UsageError(
                "a simulation needs 8 samples or more at uniform steps in each run: --rate HZ "
                "resamples the recording; or give --method least-squares"
            )
        rate = 1 / step
        try:
            band = bandwidth(q, rate)
            chosen = min(motion.cutoff, BANDS * band, MOST_OF_NYQUIST * rate / 2)
            smooth = filter_signals(q, rate, chosen)
        except ParameterError as error:
            raise UsageError(f"no references for the simulation: {error}") from None
        moved = simulate(robot, Reference(step, smooth, 2 * np.pi * chosen))
        for signal, own in zip(found, moved, strict=True):
            signal[rows] = own
    return replace(motion, q=found[0], u=found[1], du=found[2])
