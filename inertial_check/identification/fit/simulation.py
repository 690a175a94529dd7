"""Simulation of a robot in closed loop: the motion that identified parameters give.

A controller of bandwidth w steers the robot along references:

    M du + b + g = tau,    tau = M (w^2 (q_r - q) + 2 w (u_r - u)) + M_r du_r + b_r + g_r

with the torques of the model along the reference, so that the robot follows it without lag or sag;
friction is compensated, so that it has no part.

Runge-Kutta steps of order four take all segments of the time together, as one batch of the
dynamics. A closed loop forgets where it started, so that the ends of the segments, as starts of the
next ones, agree after some rounds; until they do, nothing is returned.

Rounds of the methods that simulate the robot: simulate, estimate, until nothing changes.

Instrumental variables take the regressor of the simulated robot as instruments of the recorded
motion. DIDIM (direct and inverse dynamic identification models) has the recorded torques only, and
fits them by the regressor of the simulated robot; that is a Gauss-Newton step of the closed-loop
output error, since a robot in closed loop hardly moves otherwise when its parameters change.

Source: Gautier, Janot, Vandanjon, A New Closed-Loop Output Error Method for Parameter
Identification of Robot Dynamics, IEEE Trans. Control Syst. Technol. 21 (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from inertial_check.errors import ParameterError, ProjectionError
from inertial_check.identification.fit.identify import estimate
from inertial_check.identification.fit.nuisance import Nuisance
from inertial_check.identification.fit.result import Identification
from inertial_check.identification.fit.samples import Measurements, Samples
from inertial_check.identification.fit.solve import FitOptions, Method
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, Integers
from inertial_check.mechanics.equations import GRAVITY, inverse_dynamics
from inertial_check.mechanics.tree import Tree

MEMORY = (2.0, 16.0)
"""Least and largest length of a segment in time constants of the loop: of a wrong start exp(-2) is
left after the shortest, and exp(-16) after the longest."""

ROWS = 2048
"""Rows of a batch that the segments should fill: such a batch takes compiled loops."""

STEP = 0.2
"""Largest step of the integration in time constants of the loop; stable are steps up to 2.8."""

MOST_ROUNDS = 40
"""Largest number of rounds over the segments; two are usual."""

FAR = 10.0
"""Distance from the reference, in ranges of its motion, at which a loop counts as unstable."""


class Motion(NamedTuple):
    """Simulated motion: positions, velocities and accelerations, each (S, n)."""

    q: Floats
    u: Floats
    du: Floats


@dataclass(frozen=True, eq=False)
class Reference:
    """Reference of a controller, at uniform steps.

    Attributes:
        step: Time between two samples [s].
        q: (S, n) positions.
        band: Bandwidth w of the closed loop [rad/s].
    """

    step: float
    q: Floats
    band: float


@dataclass(frozen=True, eq=False)
class SimulatedRobot:
    """Robot with the parameters of one round of an identification.

    Attributes:
        tree: Tree of the bodies.
        theta: (N, 10) parameters of all bodies about their origins.
        nuisance: Declared friction, offsets and rotors.
        numbers: (k,) their numbers [SI].
        gravity: (3,) gravity in the axes of the base [m/s^2].
    """

    tree: Tree
    theta: Floats
    nuisance: Nuisance
    numbers: Floats
    gravity: tuple[float, ...] = GRAVITY

    def rotors(self) -> Floats:
        """(n, n) matrix of the torques that are in proportion to accelerations of the joints."""
        each = np.eye(self.tree.n_u)
        return np.asarray(self._torques(0 * each, each) - self._torques(0 * each, 0 * each)).T

    def equations(self, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """M (s, n, n) and b + g (s, n) of the bodies, by one batch of inverse dynamics.

        Row 0 of each configuration is without acceleration, the others with one of one joint: a
        large batch runs through compiled loops, several small ones do not.
        """
        count, width = q.shape
        every = np.broadcast_to(q[:, None], (count, width + 1, width))
        rates = np.broadcast_to(u[:, None], every.shape)
        each = np.broadcast_to(np.eye(width + 1, width, -1), every.shape)
        tau = np.asarray(
            inverse_dynamics(self.tree, every, rates, each, gravity=self.gravity, theta=self.theta)
        )
        # Columns of M are the torques of unit accelerations less those without any (Walker, Orin,
        # J. Dyn. Syst. Meas. Control 104, 1982, method 1).
        held = tau[:, 0]
        return (tau[:, 1:] - held[:, None]).swapaxes(1, 2), held

    def torques(self, motion: Motion, rotors: Floats) -> Floats:
        """(s, n) torques of a motion without friction, by inverse dynamics."""
        q, u, du = motion
        own = inverse_dynamics(self.tree, q, u, du, gravity=self.gravity, theta=self.theta)
        return np.asarray(own) + du @ rotors.T

    def _torques(self, u: Floats, du: Floats) -> Floats:
        return np.asarray(self.nuisance.columns(u, du) @ self.numbers)


def simulate(robot: SimulatedRobot, reference: Reference) -> Motion:
    """Simulate a robot that follows a reference.

    Args:
        robot: The robot.
        reference: Reference at uniform steps.

    Returns:
        The motion at the samples of the reference.

    Raises:
        ParameterError: The simulation is unstable, or a joint moves nothing that has inertia.
    """
    loop = _Loop(robot, reference)
    if len(reference.q) < 2:
        raise ParameterError("a reference of one sample has no motion to simulate")
    for _ in range(MOST_ROUNDS):
        if loop.run():
            return loop.motion()
    raise ParameterError(
        f"the simulated robot still depends on where it started after {MOST_ROUNDS} rounds: its "
        "closed loop does not settle; give least-squares as the method"
    )


class _Loop:
    """Segments of a simulation, which are integrated together."""

    def __init__(self, robot: SimulatedRobot, reference: Reference) -> None:
        self.robot, self.reference = robot, reference
        count, width = reference.q.shape
        self.substeps = max(1, int(np.ceil(reference.step * reference.band / STEP)))
        least, most = (part / (reference.band * reference.step) for part in MEMORY)
        length = np.clip((count - 1) * (width + 1) / ROWS, least, most)
        self.length = min(max(4, int(np.ceil(length))), count - 1)
        self.segments = -(-(count - 1) // self.length)
        self.h = reference.step / self.substeps
        # Interpolate positions and their rates at each half step, by splines of order five.
        from scipy.interpolate import make_interp_spline  # slow to import

        count = len(reference.q)
        times = reference.step * np.arange(count)
        fine = np.linspace(0, times[-1], 2 * self.substeps * (count - 1) + 1)
        spline = make_interp_spline(times, reference.q, k=5 if count > 5 else 1)
        self.r, self.ur, dur = tuple(np.asarray(spline(fine, nu)) for nu in range(3))
        self.range = np.ptp(self.r, axis=0) + np.abs(self.ur).max(axis=0) / reference.band
        path = Motion(self.r, self.ur, dur)
        self.rotors = robot.rotors()
        self.ahead = robot.torques(path, self.rotors)
        first = 2 * self.substeps * self.length * np.arange(self.segments)
        self.first = first
        self.starts = self.r[first], self.ur[first]
        shape = (self.segments, self.length + 1, width)
        self.found = Motion(np.empty(shape), np.empty(shape), np.empty(shape))

    def run(self) -> bool:
        """Integrate all segments once; tell whether their ends agree with the next starts."""
        q, u = self.starts
        for sample in range(self.length + 1):
            k = 2 * self.substeps * sample
            du = self.accelerate(q, u, self._at(k))
            for whole, own in zip(self.found, (q, u, du), strict=True):
                whole[:, sample] = own
            if sample == self.length:
                break
            for part in range(k, k + 2 * self.substeps, 2):
                first = du if part == k else self.accelerate(q, u, self._at(part))
                q, u = self._step(q, u, first, part)
            # Refuse a robot that has left its reference.
            error = np.abs(q - self.r[self._at(2 * self.substeps * (sample + 1))])
            bad = ~(error <= FAR * np.where(self.range > 0, self.range, 1.0))
            if bad.any():
                joint = int(np.argwhere(bad)[0, 1])
                raise ParameterError(
                    f"the simulated robot does not follow its references: joint {joint + 1} leaves "
                    f"them by more than {FAR:g} times the range of its motion; start from better "
                    "inertials (--prior), filter the recording, or use --method least-squares"
                )
        ends = q[:-1], u[:-1]
        jumps = [np.abs(end - start[1:]) for end, start in zip(ends, self.starts, strict=True)]
        size = np.where(self.range > 0, self.range, 1.0)
        scale = size, size * self.reference.band
        self.starts = tuple(  # type: ignore[assignment]
            np.concatenate([start[:1], end]) for start, end in zip(self.starts, ends, strict=True)
        )
        settled = tolerances.SIMULATED
        return all(
            bool(np.all(jump <= settled * own)) for jump, own in zip(jumps, scale, strict=True)
        )

    def accelerate(self, q: Floats, u: Floats, at: Integers) -> Floats:
        """(B, n) accelerations of all segments at points of their reference."""
        robot, reference = self.robot, self.reference
        error, rate = self.r[at] - q, self.ur[at] - u
        pull = reference.band**2 * error + 2 * reference.band * rate
        M, held = robot.equations(q, u)
        M, left = M + self.rotors, self.ahead[at] - held
        try:
            return np.asarray(pull + np.linalg.solve(M, left[:, :, None])[:, :, 0])
        except np.linalg.LinAlgError:
            raise ParameterError(
                "a joint of the simulated robot moves nothing that has inertia: give its bodies a "
                "prior with mass, or least-squares as the method"
            ) from None

    def motion(self) -> Motion:
        """Join the segments."""
        count = len(self.reference.q)
        joined = []
        for whole in self.found:
            inner = whole[:, :-1].reshape(-1, whole.shape[2])
            joined.append(np.concatenate([inner, whole[-1, -1:]])[:count])
        return Motion(*joined)

    def _step(self, q: Floats, u: Floats, a1: Floats, k: int) -> tuple[Floats, Floats]:
        """Take one Runge-Kutta step from half-step k of each segment, with accelerations a1."""
        h, half, two = self.h, self._at(k + 1), self._at(k + 2)
        u2 = u + h / 2 * a1
        a2 = self.accelerate(q + h / 2 * u, u2, half)
        u3 = u + h / 2 * a2
        a3 = self.accelerate(q + h / 2 * u2, u3, half)
        u4 = u + h * a3
        a4 = self.accelerate(q + h * u3, u4, two)
        q = q + h / 6 * (u + 2 * u2 + 2 * u3 + u4)
        return q, u + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def _at(self, k: int) -> Integers:
        """(B,) indices of a half-step of each segment; the last one can be shorter."""
        return np.asarray(np.minimum(self.first + k, len(self.r) - 1))


MOST_ITERATIONS = 20
"""Largest number of simulations; two to five are usual."""

Simulate = Callable[[Identification], Samples]
"""Gives the samples of a simulated robot with an answer's parameters, and the recorded torques."""


def iterate_method(
    method: Method,
    simulate: Simulate,
    samples: Samples,
    prior: Floats,
    options: FitOptions,
) -> Identification:
    """Identify by simulations, from the answer of least squares on.

    Args:
        method: "instrumental-variables" or "didim".
        simulate: Simulates the robot.
        samples: Recorded samples.
        prior: (L, 10) expected bodies.
        options: Options of the fit.

    Raises:
        ParameterError: A simulation is unstable.
        ProjectionError: The parameters do not settle.
    """
    # The first change is that from one method to another: two simulations have to agree.
    recorded = Measurements(samples, None, samples.nuisance, samples.order)
    found = estimate(recorded, prior, options)
    chosen, choice, change = options, None, np.inf
    for count in range(1, MOST_ITERATIONS + 1):
        simulated = simulate(found)
        if method == "didim":
            data = Measurements(simulated, None, simulated.nuisance, simulated.order)
        else:
            data = recorded.with_instruments(simulated)
        last, found = found, estimate(data, prior, chosen)
        if isinstance(options.regularization, str):
            # Rules choose from a grid: a weight that changes with each round would never settle.
            choice = choice or found.choice
            weight = found.regularization / found.redundancy
            chosen = replace(options, regularization=weight)
        change = measure_change(found, last)
        if count > 1 and change <= tolerances.METHOD_SETTLED:
            return replace(found, method=method, simulations=count, change=change, choice=choice)
    raise ProjectionError(
        f"{method} does not settle: the predicted torques still change by {change:.2g} of their "
        f"size after {MOST_ITERATIONS} simulations, expected {tolerances.METHOD_SETTLED:g}; a "
        "larger --regularization, a better --prior or a longer recording decides them, and "
        "--method least-squares needs no simulation",
        found.problem,
    )


def measure_change(found: Identification, last: Identification) -> float:
    """Measure the relative change of the weighted torques from one answer to the next."""
    A = found.problem.A
    before = found.problem.x(last.problem.theta(last.x), last.problem.numbers(last.x))
    size = float(np.linalg.norm(A @ found.x))
    change = float(np.linalg.norm(A @ (found.x - before)))
    return change / size if size > 0 else 0.0
