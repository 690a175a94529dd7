"""Sums over a batch, lists of children, and thin shells of ellipsoids."""

from fractions import Fraction
from functools import partial
from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import array_libraries
import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames, solids

EPS = np.finfo(np.float64).eps
RNG = np.random.default_rng(5)
MASSES, POINTS = RNG.uniform(0.1, 1, (2, 3, 4, 6)), RNG.normal(size=(2, 3, 4, 6, 3))
BODIES = ic.InertialParameters.from_point_masses(MASSES, POINTS)


def close(got, expected, rtol=1e-14):
    expected = np.asarray(expected)
    np.testing.assert_allclose(got, expected, rtol=0, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (3, 4)), (-1, (2, 3)), ((0, -2), (4,)), (None, ())]
)
@pytest.mark.parametrize("about", ["com", "origin"])
def test_a_sum_is_the_body_of_all_points(axis, shape, about):
    bodies = ic.InertialParameters.from_theta(BODIES.as_theta(about=about), about=about)
    got = bodies.sum(axis)
    axes = tuple(range(3)) if axis is None else axis
    expected = np.sum(BODIES.as_theta(), axis=(axes,) if isinstance(axes, int) and axes >= 0
                      else tuple(a % 3 for a in np.atleast_1d(axes)))  # fmt: skip
    assert got.shape == shape
    assert got.about == about
    close(got.as_theta(), expected)


def test_a_sum_far_from_the_origin_keeps_its_digits():
    """Through the origin, 1e6 m away, no digit of the inertia would be left."""
    near = ic.InertialParameters.from_point_masses(MASSES, POINTS).sum()
    far = BODIES.translate([1e6, -2e6, 5e5]).sum()
    close(far.inertia_com, near.inertia_com, 1e-9)


def test_a_sum_takes_bodies_without_mass_as_they_stand_and_refuses_other_axes():
    none = ic.InertialParameters.from_com([0.0, 2.0], [[5, 0, 0], [1, 0, 0]], [np.eye(3)] * 2)
    close(none.sum().as_theta(about="com"), [2, 2, 0, 0, 2, 0, 0, 2, 0, 2])
    assert BODIES[0, 0, 0].sum().shape == ()
    for axis in (3, -4, (0, 0), (0, -3)):
        with pytest.raises(ParameterError, match="expected different axes"):
            BODIES.sum(axis)


def test_a_list_of_children_is_merged_one_after_another():
    X = np.tile(np.eye(4), (3, 1, 1))
    X[:, :3, 3] = RNG.normal(size=(3, 3))
    parent, *children = (BODIES[0, 0, i] for i in range(4))
    got = parent.merge(children, X)
    expected = parent
    for child, pose in zip(children, X, strict=True):
        expected = expected.merge(child, pose)
    assert got.as_theta().tolist() == expected.as_theta().tolist()
    with pytest.raises(ParameterError, match="3 children and 2 poses"):
        parent.merge(children, X[:2])
    with pytest.raises(ParameterError, match="child is a list"):
        parent.merge([[1.0]], X[:1])


def by_quadrature(radii, nodes=400):
    """Area and variances by Gauss and trapezoids over the sphere."""
    z, weights = np.polynomial.legendre.leggauss(nodes)
    angles = 2 * pi * np.arange(nodes) / nodes
    flat = np.sqrt(1 - z * z)[:, None]
    n = np.stack([flat * np.cos(angles), flat * np.sin(angles), z[:, None] + 0 * angles], axis=-1)
    a, b, c = radii
    element = np.linalg.norm(n * [b * c, a * c, a * b], axis=-1) * weights[:, None] * 2 * pi / nodes
    area = element.sum()
    return area, np.einsum("ij,ijk->k", element, (n * radii) ** 2) / area


@pytest.mark.parametrize("radii", [(1, 1, 1), (1, 2, 3), (0.3, 0.1, 0.2), (5, 1, 1), (1, 1, 0.2)])
def test_a_shell_of_an_ellipsoid_is_the_integral_over_its_surface(radii):
    area, variances = by_quadrature(np.array(radii, float))
    shell = solids.ellipsoid_shell(radii, density=2.5)
    assert abs(float(shell.mass) - 2.5 * area) <= 1e-12 * float(shell.mass)
    close(np.diag(np.asarray(shell.covariance)), variances, 1e-12)


def test_limits_of_the_shell():
    ball = solids.sphere_shell(0.7, mass=2.0)
    got = solids.ellipsoid_shell([0.7, 0.7, 0.7], mass=2.0)
    close(got.inertia_com, ball.inertia_com)
    disc = solids.ellipsoid_shell([0, 2, 4.0], density=1.0)  # two faces of an elliptic disc
    close(disc.mass, 2 * pi * 8, 1e-12)
    close(np.diag(np.asarray(disc.covariance)), [0, 1, 4], 1e-12)
    rod = solids.ellipsoid_shell([1e-9, 1e-9, 1.0], mass=1.0)
    # The radius at z is proportional to sqrt(1 - z^2): its moments are those of a semicircle.
    close(np.diag(np.asarray(rod.covariance))[2], 0.25, 1e-12)
    assert not solids.ellipsoid_shell([0, 0, 0], density=3.0).as_theta().any()
    tiny = solids.ellipsoid_shell(np.array([1, 2, 3]) * 1e-90, mass=1.0)
    close(np.asarray(tiny.covariance) * 1e180,
          solids.ellipsoid_shell([1, 2, 3], mass=1.0).covariance, 1e-12)  # fmt: skip


@pytest.mark.parametrize("name", ["array_api_strict", "torch", "jax"])
def test_other_libraries_give_the_same(name):
    library = array_libraries.Library(name)
    theta = library.array(BODIES.as_theta(), "float32")
    got = ic.InertialParameters.from_theta(theta).sum((0, 2)).as_theta()
    array_libraries.agree(got, BODIES.sum((0, 2)).as_theta(), "float32")
    shell = solids.ellipsoid_shell(library.array([[1, 2, 3.0]], "float32"), mass=2.0)
    expected = solids.ellipsoid_shell([[1, 2, 3.0]], mass=2.0)
    array_libraries.agree(shell.as_theta(), expected.as_theta(), "float32")


def _rational(body):
    """The ten numbers of a body about the origin, in rationals, from those that it keeps."""
    return _read(body.as_theta(about=body.about).tolist(), body.about)


def _read(numbers, about):
    m, *rest = map(Fraction, numbers)
    h, six = rest[:3], rest[3:]
    if about == "com" and m:
        square = sum(v * v for v in h) / m
        outer = [h[i] * h[j] / m for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))]
        six = [
            own + (square if k in (0, 3, 5) else 0) - part
            for k, (own, part) in enumerate(zip(six, outer, strict=True))
        ]
    return np.array([m, *h, *six])


def _body(rng, mass):
    six = rng.normal(size=6)
    if rng.integers(2):
        return ic.InertialParameters.from_com(mass, rng.normal(size=3), six)
    return ic.InertialParameters.from_theta([mass, *rng.normal(size=3), *six])


def _combine(bodies, order):
    """Add bodies two by two, as the pairs of an order say, until one is left."""
    bodies = list(bodies)
    for one, other in order:
        taken = bodies.pop(one % len(bodies))
        place = other % len(bodies)
        bodies[place] = taken + bodies[place]
    return bodies[0]


@given(
    seed=st.integers(0, 2**32),
    masses=st.permutations([1.0, -1.0, 3.0, -0.1, 0.1 + EPS / 8]),
    order=st.tuples(*[st.tuples(st.integers(0, 4), st.integers(0, 4))] * 4),
    points=st.tuples(*[st.sampled_from(["com", "origin"])] * 5),
)
def test_bodies_add_in_every_order_and_grouping(seed, masses, order, points):
    """Partial sums have mass 0, rounding of it, or a part of it; addition does not mind."""
    theta = np.random.default_rng(seed).normal(size=(5, 10))
    theta[:, 0] = masses
    make = ic.InertialParameters.from_theta
    bodies = [make(own, about=about) for own, about in zip(theta, points, strict=True)]
    truth = sum(_rational(one) for one in bodies)
    size = max(abs(number) for one in bodies for number in _rational(one))
    got = _combine(bodies, order)
    assert max(
        abs(Fraction(g) - t) for g, t in zip(got.as_theta().tolist(), truth, strict=True)
    ) <= (9e-14 * size)


def test_triples_whose_masses_vanish_are_those_of_rationals(request):
    """Rows that cancel and rows that do not, in one batch; with --long 100,000 of them."""
    rng = np.random.default_rng(0)
    n = 100_000 if request.config.getoption("--long") else 1_000
    mass = rng.uniform(0.1, 10, (3, n))
    mass[1] = mass[0] * rng.choice([1, 1, 1, 1 + EPS, 1 - 3 * EPS, 0.5], n)
    three = rng.normal(size=(3, n, 10))
    three[..., 0] = mass
    make = ic.InertialParameters.from_theta
    points = rng.choice(["com", "origin"], 3)
    a, b, c = (make(one, about=about) for one, about in zip(three, points, strict=True))
    high, low, size = np.zeros((n, 10)), np.zeros((n, 10)), np.zeros((n, 1))
    rows = zip(*(one.as_theta(about=one.about).tolist() for one in (a, b, c)), strict=True)
    for row, triple in enumerate(rows):
        parts = [_read(own, one.about) for own, one in zip(triple, (a, b, c), strict=True)]
        truth = parts[0] - parts[1] + parts[2]
        high[row] = truth  # each to the nearest double, and what is left in another
        low[row] = truth - np.array(list(map(Fraction, high[row].tolist())))
        size[row] = max(float(abs(number)) for part in parts for number in part)
    worst = 0.0
    for got in (c + (a - b), (a - b) + c, (c - b) + a, c - (b - a)):
        worst = max(worst, np.max(np.abs(got.as_theta() - high - low) / size))
        assert np.isfinite(got.inertia_com).all()
    assert worst <= 9e-14


@pytest.mark.parametrize(
    ("name", "shift"),
    [("torch", 0.0), ("jax", EPS), *(("numpy", each) for each in (0.0, EPS, 0.05))],
)
def test_a_row_that_cancels_costs_the_others_no_digit(name, shift, request):
    """Row 0 cancels wholly, by rounding, or by 95 %; row 1 stands 2^20 m away, about its centre."""
    library = None if name == "numpy" else array_libraries.Library(name)
    if name == "jax":
        config = library.module.config
        request.addfinalizer(partial(config.update, "jax_enable_x64", config.jax_enable_x64))
        config.update("jax_enable_x64", True)
    read = np.asarray if library is None else library.array
    inertia = [0.02, 0.001, 0.0, 0.03, 0.0, 0.04]
    new = ic.InertialParameters.from_com(
        read([1.0 + shift, 2.0]), read([[0.1, 0.2, 0.3], [2.0**20, 0, 0]]), read([inertia] * 2)
    )
    old = ic.InertialParameters.from_com(
        read([1.0, 1.0]), read([[0.0, 0.2, 0.1], [2.0**20, 1, 0]]), read([inertia] * 2)
    )

    def take_away(one, other):
        pair = one - other
        turned = (
            pair.translate(read([0.0, 1, 0])).rotate(read(np.eye(3))).translate(read([0.0, -1, 0]))
        )
        moved = turned.transform(read(np.eye(4)))
        return pair, moved, moved + other, (pair[0] + other[0]).as_theta()

    results = [take_away(new, old)]
    if name == "jax":
        results.append(library.module.jit(take_away)(new, old))
    for pair, moved, back, alone in results:
        left = np.diag([-2.0, 0, -2.0])  # of 2 kg and -1 kg, 1 m from each other
        np.testing.assert_allclose(pair.inertia_com[1], left, rtol=0, atol=1e-9)
        np.testing.assert_allclose(moved.inertia_com[1], left, rtol=0, atol=1e-9)
        expected = [np.asarray(one.as_theta())[0] for one in (new, old)]
        np.testing.assert_allclose(
            pair.as_theta()[0], expected[0] - expected[1], rtol=0, atol=1e-16
        )
        for got in (back.as_theta()[0], alone):
            np.testing.assert_allclose(got, expected[0], rtol=0, atol=1e-15)
        np.testing.assert_allclose(back.inertia_com[0], new.inertia_com[0], rtol=0, atol=1e-15)


@pytest.mark.parametrize("about", ["com", "origin"])
def test_what_has_no_centre_says_so_instead_of_a_number(about):
    pair = ic.InertialParameters.from_theta(
        [[0, 0, 0, 0.15, 0.05, 0, 0, 0.05, 0, 0.0], [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]], about=about
    )
    judged = ic.check(pair)
    numbers = (
        *(pair.com, pair.inertia_com, pair.central_second_moment, pair.covariance),
        *(pair.principal_moments(), pair.principal_axes(), judged.margin, judged.principal_moments),
    )
    for number in numbers:
        assert np.isnan(number[0]).all()
        assert np.isfinite(number[1]).all()
    assert judged.verdict.tolist() == ["invalid", "consistent"]
    assert "1 without a centre of mass" in repr(pair)
    assert "invalid, without mass and so without a centre of mass" in repr(judged[0])
    assert "centre" not in repr(judged[1])
    assert repr(pair[0]) == (
        "InertialParameters(mass=0.0, first_moment=[0.0, 0.0, 0.15], "
        "inertia_origin=[0.05, 0.0, 0.0, 0.05, 0.0, 0.0], no centre of mass, dtype=float64)"
    )
    assert "no centre" not in repr(pair[1])


def test_a_flywheel_is_an_inertia_about_every_point():
    wheel = ic.InertialParameters.from_com(0.0, [1.0, 2, 3], [1.0, 0, 0, 1, 0, 2])
    body = ic.InertialParameters.from_com(2.0, [5.0, 0, 0], [1.0, 0, 0, 1, 0, 1])
    assert (
        np.diag(wheel.inertia_com).tolist() == np.diag(wheel.inertia_origin).tolist() == [1, 1, 2]
    )
    assert np.diag((body + wheel).inertia_com).tolist() == [2, 2, 3]
    assert wheel.principal_moments().tolist() == [1, 1, 2]
    assert ic.check(wheel).verdict == "invalid"


@pytest.mark.parametrize("about", ["com", "origin"])
def test_the_sum_of_a_batch_may_have_no_mass(about):
    rng = np.random.default_rng(1)
    for _ in range(50):
        m = rng.uniform(0.1, 10)
        bodies = ic.InertialParameters.from_theta(
            [[s * m, *rng.normal(size=9)] for s in (1.0, -1.0, 0.5, -0.5)], about=about
        )
        truth = sum(_rational(one) for one in bodies)
        size = sum(max(map(abs, _rational(one))) for one in bodies)
        assert np.abs(_rational(bodies.sum()) - truth).max() <= 9e-14 * size


def test_a_body_without_mass_moves_as_what_it_is_about_the_origin():
    """A pair of masses m and -m is a first moment, moved first or taken away first."""
    rng = np.random.default_rng(2)
    X = frames.homogeneous(np.linalg.qr(rng.normal(size=(3, 3)))[0], [0.3, -2.0, 1.0])
    X[:3, 0] *= np.linalg.det(X[:3, :3])
    old, new, base = _body(rng, 1.0), _body(rng, 1.0), _body(rng, 3.0)
    pair = new - old
    moved = new.transform(X) - old.transform(X)
    stored = ic.InertialParameters.from_theta(pair.as_theta(about="com"), about="com")
    for one in (pair, stored):
        close(one.transform(X).as_theta(), moved.as_theta())
        close(one.translate([1.0, 2, 3]).as_theta(), pair.translate([1.0, 2, 3]).as_theta())
        close(one.pseudo_inertia, new.pseudo_inertia - old.pseudo_inertia)
        about_point = (body.inertia_about([1.0, 2, 3]) for body in (new, old))
        close(one.inertia_about([1.0, 2, 3]), np.subtract(*about_point))
        close(base.merge(one, X).pseudo_inertia, (base + moved).pseudo_inertia)
    for about in ("com", "origin"):
        three = [one.as_theta(about=about) for one in (base, new, old)]
        pair = frames.add(three[1], -three[2], about)
        both = frames.add(pair, three[0], about)
        close(both, frames.add(frames.add(three[0], three[1], about), -three[2], about))
        whole = frames.total(np.stack([three[0], pair]), (0,), about)
        close(whole, both)
        none = frames.total(np.stack([three[1], -three[2]]), (0,), about)
        close(none, pair)
