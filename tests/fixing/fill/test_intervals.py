"""Intervals: direct programs give the same ends, or lie inside them where they are outer."""

import numpy as np
import pytest

from inertial_check.fixing.fill import intervals
from inertial_check.fixing.fill.equations import CenterSum, MassSum
from inertial_check.fixing.fill.intervals import find_intervals
from inertial_check.fixing.fill.shapes import BodyPieces, Piece

BOUNDS = (100.0, 9000.0)


def make_bodies(seed, bodies=4, cells=12):
    """Bodies of point cells, their poses, and parameters of densities that meet every sum."""
    rng = np.random.default_rng(seed)
    pieces, theta = [], []
    for _ in range(bodies):
        volumes = rng.uniform(0.5, 1, cells) * 1e-4
        points = rng.normal(size=(cells, 3)) * 0.1
        second = np.einsum("ni,nj->nij", points, points)
        tensors = np.einsum("nii->n", second)[:, None, None] * np.eye(3) - second
        unit = np.concatenate(
            [np.ones((cells, 1)), points, tensors[:, *np.triu_indices(3)]], axis=1
        )
        moments = volumes[:, None] * unit
        pieces.append(BodyPieces(None, (Piece("box", "solid", volumes, moments, points),)))
        theta.append(rng.uniform(500, 4000, cells) @ moments)
    theta = np.array(theta)
    poses = np.tile(np.eye(4), (bodies, 1, 1))
    poses[:, :3, 3] = rng.uniform(-0.5, 0.5, (bodies, 3))
    masses = theta[:, 0]
    first = theta[:, 1:4] + masses[:, None] * poses[:, :3, 3]
    center = first.sum(axis=0) / masses.sum() + 0.01
    wanted = first.sum(axis=0) - masses.sum() * center
    centers = [CenterSum("c", poses, axis, center, float(wanted[axis])) for axis in range(3)]
    sums = [MassSum("total", dict.fromkeys(range(bodies), 1.0), float(masses.sum()), 0.02)]
    sums.append(MassSum("one", {0: 1.0}, float(masses[0])))
    sums.append(MassSum("part", {1: 1.0, 2: 1.0}, float(masses[1] + masses[2])))
    return pieces, theta, sums, centers


def solve_directly(known, at, column, sign, mean):
    """The end of an interval by cvxpy over all cells: a mean is a fraction of linear terms."""
    import cvxpy as cp

    pieces, sums, centers = known
    volumes = [own.pieces[0].volumes for own in pieces]
    x = [cp.Variable(len(v)) for v in volumes]
    t = cp.Variable() if mean else 1.0  # Charnes and Cooper: all masses in units of the body's
    rules = [cp.sum(x[at]) == 1, t >= 0] if mean else []
    for v, own in zip(volumes, x, strict=True):
        rules += [own >= BOUNDS[0] * v * t, own <= BOUNDS[1] * v * t]
    for each in sums:
        total = sum(a * cp.sum(x[body]) for body, a in each.coefficients.items())
        rules += (
            [cp.abs(total - each.wanted * t) <= each.deviation * t]
            if not mean
            else [
                total - each.wanted * t <= each.deviation * t,
                each.wanted * t - total <= each.deviation * t,
            ]
        )
    for each in centers:
        arms = [
            own.pieces[0].points[:, each.axis] + pose[each.axis, 3] - each.center[each.axis]
            for pose, own in zip(each.poses, pieces, strict=True)
        ]
        rules.append(sum(a @ own for a, own in zip(arms, x, strict=True)) == each.wanted * t)
    return sign * cp.Problem(cp.Minimize(sign * column @ x[at]), rules).solve(solver="CLARABEL")


@pytest.mark.parametrize(("with_center", "groups"), [(False, 512), (True, 512), (True, 16)])
def test_intervals_are_those_of_direct_programs(with_center, groups, monkeypatch):
    monkeypatch.setattr(intervals, "_GROUPS", groups)
    pieces, theta, sums, centers = make_bodies(1)
    centers = centers if with_center else []
    known = pieces, sums, centers
    bounds = np.tile(BOUNDS, (len(pieces), 1))
    found = find_intervals(pieces, sums, bounds, theta, centers)
    assert [interval.exact for interval in found] == [groups == 512] * len(found)
    for at, interval in list(enumerate(found))[1::2]:
        points = pieces[at].pieces[0].points
        arms = points - theta[at, 1:4] / theta[at, 0]
        columns = [np.ones(len(points)), points[:, 2], arms[:, 0] ** 2 + arms[:, 1] ** 2]
        ends = [interval.mass, interval.com[:, 2], interval.inertia[:, 5]]
        for number, (column, own) in enumerate(zip(columns, ends, strict=True)):
            for side, sign in enumerate((1, -1)):
                direct = solve_directly(known, at, column, sign, number == 1)
                scale = np.ptp(own) + 1e-3 * abs(direct)
                error = sign * (direct - own[side]) / scale
                assert error >= -1e-6  # an outer bound holds every body
                assert error <= (1e-5 if groups == 512 else 0.3)


def test_a_known_centre_of_mass_leaves_less(monkeypatch):
    pieces, theta, sums, centers = make_bodies(2)
    bounds = np.tile(BOUNDS, (len(pieces), 1))
    wide = find_intervals(pieces, sums, bounds, theta)
    tight = find_intervals(pieces, sums, bounds, theta, centers)
    for one, other in zip(wide, tight, strict=True):
        for field in ("mass", "com", "inertia"):
            narrow, broad = (np.ptp(getattr(own, field), axis=0) for own in (other, one))
            assert np.all(narrow <= broad)
    assert sum(np.ptp(own.mass) for own in tight) < 0.8 * sum(np.ptp(own.mass) for own in wide)


def test_masses_of_twins_alone_have_exact_intervals():
    """Their one sum wishes for a difference of 0, from which no unit of mass follows."""
    low, high = np.array([1e-4, 3e-4]), np.array([0.4, 0.2])
    twins = [MassSum("twins", {0: 1.0, 1: -1.0}, 0.0)]
    for unit in (1e-9, 1.0, 1e9):
        found, exact = intervals.find_mass_ranges(
            unit * low, unit * high, twins, unit * np.array([0.1, 0.1])
        )
        assert exact.all()
        np.testing.assert_allclose(found / unit, [[3e-4, 0.2]] * 2, rtol=1e-12)
