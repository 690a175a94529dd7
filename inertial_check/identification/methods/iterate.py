"""Rounds of the methods that simulate the robot: simulate, estimate, until nothing changes.

Instrumental variables take the regressor of the simulated robot as instruments of the recorded
motion. DIDIM (direct and inverse dynamic identification models) has the recorded torques only, and
fits them by the regressor of the simulated robot; that is a Gauss-Newton step of the closed-loop
output error, since a robot in closed loop hardly moves otherwise when its parameters change.

Source: Gautier, Janot, Vandanjon, A New Closed-Loop Output Error Method for Parameter
Identification of Robot Dynamics, IEEE Trans. Control Syst. Technol. 21 (2013).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ProjectionError
from inertial_check.identification.estimation.fit_options import FitOptions, Method
from inertial_check.identification.estimation.identify import estimate
from inertial_check.identification.estimation.measurements import Measurements
from inertial_check.identification.estimation.result import Identification
from inertial_check.identification.estimation.sampled import Samples
from inertial_check.inertia import tolerances

MOST_ROUNDS = 20
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
    for count in range(1, MOST_ROUNDS + 1):
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
        f"size after {MOST_ROUNDS} simulations, expected {tolerances.METHOD_SETTLED:g}; a larger "
        "--regularization, a better --prior or a longer recording decides the parameters, and "
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
