"""Exact plates, rods and points: a least moment of 0 is a case of a batch and never raises."""

import numpy as np
import pytest

import inertial_check as ic

PLATE = [1, 0, 0, 0, 1, 0, 0, 1, 0, 2]
BALL = [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]
METRICS = {
    "pseudo-inertia": {},
    "euclidean": {},
    "weighted": {"weights": np.eye(10)},
    "prior": {"prior": BALL},
    "entropic": {"prior": BALL},
    "affine-invariant": {"prior": BALL},
    "inertia": {},
    "covariance": {},
}


def flat_bodies(seed, count):
    """Plates, rods and points, without a rounding unit of thickness, and bodies beside them."""
    rng = np.random.default_rng(seed)
    shapes = np.array([[1, 1, 2], [0, 1, 1], [0, 0, 0], [1, 3, 4], [2, 2, 3], [1, 1, 3.0]])
    found = []
    for _ in range(count):
        moments = rng.permutation(rng.choice([0.5, 1, 2]) * shapes[rng.integers(len(shapes))])
        com = rng.choice([0, 0, 0.5, 1], 3)
        body = ic.InertialParameters.from_com(rng.choice([1.0, 2.0]), com, np.diag(moments))
        found.append(body.as_theta())
    return np.array(found)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("exact", [False, True])
def test_a_batch_of_flat_bodies_has_an_answer_in_every_row(metric, margin, exact):
    bodies = flat_bodies(0, 60)
    found = ic.project(bodies, metric, margin=margin, exact=exact, **METRICS[metric])
    point = ic.check(bodies).verdict_code != int(ic.Verdict.CONSISTENT)
    settled = np.isin(found.status, ["feasible", "projected"])
    assert settled[~point].all()
    # A floor of rounding units is all by which the margin may be short about the origin.
    judged = ic.check(found.theta[settled])
    moments = judged.principal_moments[:, 0] > 0
    assert (judged.margin >= margin - judged.tolerance)[moments].all()


@pytest.mark.parametrize("metric", ["pseudo-inertia", "euclidean", "weighted", "prior"])
def test_a_plate_with_a_margin_is_projected(metric):
    found = ic.project(PLATE, metric, margin=0.01, **METRICS[metric])
    assert found.status == "projected"
    assert found.gap <= 1e-9
    assert ic.check(found.theta).margin >= 0.01
    # Any other body with the margin lies no nearer: those between it and a ball are.
    for part in (0.02, 0.1, 0.5):
        other = (1 - part) * np.array(PLATE) + part * np.array(BALL)
        assert ic.check(other).margin < 0.01 or np.linalg.norm(
            other - PLATE
        ) >= 0.99 * np.linalg.norm(found.theta - PLATE)


def test_cleaning_flat_bodies_with_a_margin_answers_every_row():
    table = flat_bodies(3, 20)
    found = ic.clean(table, order="urdf", about="origin", margin=0.01, prior=[BALL] * len(table))
    assert len(found.theta) == len(table)
