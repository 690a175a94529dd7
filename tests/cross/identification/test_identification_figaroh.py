"""figaroh's fits of the same recordings: where they end, they fit no better, with bodies outside.

Their problem differs in the metric of the prior and its weight, so objectives are not compared.
"""

import warnings

import numpy as np
import pytest

import identification_data as data
from inertial_check.identification.fit.identify import identify

FIGAROH = "needs figaroh: pip install figaroh==1.0.2"
PINOCCHIO = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # its order of the ten numbers
KEYS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


@pytest.fixture(scope="module")
def figaroh():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its bindings register a type twice
        return pytest.importorskip("figaroh.identification.physical_fit", reason=FIGAROH)


def built(figaroh, known, design, tau):
    """Its problem, and the place of each of its parameters among ours."""
    bodies, width = len(known.prior), design.shape[2]
    order = [10 * body + entry for body in range(bodies) for entry in PINOCCHIO]
    order += range(10 * bodies, width)
    joints = [f"joint{body + 1}" for body in range(bodies)]
    names = [f"{key}_{joint}" for joint in joints for key in KEYS] + list(known.names)
    prior = np.concatenate([known.prior.ravel(), np.zeros(len(known.names))])[order]
    Y = design[:, :, order].transpose(1, 0, 2).reshape(-1, width)
    rows = np.repeat(known.weights, len(tau))
    return figaroh.build_problem(
        Y, tau.T.ravel(), names, joints, prior=prior, row_weight=rows
    ), order


def weighted_rms(known, design, tau, x):
    return np.sqrt(np.mean((known.weights * (design @ x - tau)) ** 2))


@pytest.mark.parametrize("name", list(data.ROBOTS))
@pytest.mark.parametrize("method", ["direct_effort_fit", "per_link_projection"])
def test_where_it_ends_it_fits_no_better_and_has_links_outside(figaroh, datasets, name, method):
    known = data.problem(datasets, name)
    run = data.reference(datasets, name, data.ROBOTS[name].training)
    design = data.design(datasets, name, run)
    problem, order = built(figaroh, known, design, run.tau)
    record = getattr(figaroh, f"solve_{method}")(problem)
    ours = identify(
        data.samples(datasets, name, run),
        prior=known.prior,
        weights=known.weights,
        regularization=0.01,
    )
    assert ours.consistency.consistent.all()
    if record.theta is None:
        assert name != "ur10e"
        assert record.solver_status == "error"
        return
    x = np.empty(design.shape[2])
    x[order] = record.theta
    theirs = weighted_rms(known, design, run.tau, x)
    assert ours.weighted_rms < theirs + 0.002  # which has almost no prior, and negative friction
    assert min(link["min_eig"] for link in record.feasibility.values()) < 0
