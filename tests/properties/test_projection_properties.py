"""What every projection keeps, whatever the body: drawn over all faces, ties, scales and places."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import inertial_check as ic
import oracles
from inertial_check.inertia import sampling
from inertial_check.inertia.frames import rotate, translate
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.inertia.tolerances import CERTIFIED
from inertial_check.projection.moments import METRICS

EPS = np.finfo(float).eps


def numbers(limit):
    """Floats up to a limit, or zero: no squares that underflow, which float32 has at 1e-23."""
    return st.floats(-limit, limit).map(lambda x: x if abs(x) > 1e-18 * limit else 0.0)


signs = st.sampled_from([-1.0, 0.0, 1.0])
spread = st.one_of(
    numbers(1), signs, st.builds(lambda sign, power: sign * 10.0**power, signs, st.floats(-16, -3))
)
seeds = st.integers(0, 2**32 - 1)
margins = st.one_of(st.sampled_from([0.0, 1e-12, 1e-3, 0.1, 1 / 3]), st.floats(0, 1 / 3))
metrics = st.sampled_from(sorted(METRICS))


@st.composite
def bodies(draw, offset=30.0):
    """Theta about the centre of mass: any spreads, ties among them, any scale, place, attitude."""
    s = np.array([draw(spread) for _ in range(3)])
    if draw(st.booleans()):
        s[1] = s[0]
    rotation = sampling.rotations(draw(seeds)) if draw(st.booleans()) else np.eye(3)
    second = (rotation * s) @ rotation.T
    tensor = np.trace(second) * np.eye(3) - (second + second.T) / 2
    mass, length = 10.0 ** draw(st.floats(-6, 6)), 10.0 ** draw(st.floats(-4, 2))
    size = np.sqrt(np.abs(s).sum())
    center = np.array(draw(st.tuples(*[numbers(offset)] * 3))) * size * length
    return np.concatenate([[mass], mass * center, mass * length**2 * oracles.six_of(tensor)])


def size_of(theta):
    return np.abs(theta[..., 4:]).max(-1)


def posed(theta, about):
    """Whether the data hold their margin to some digits; where not, nothing more is promised."""
    return bool(ic.check(theta, about=about).tolerance <= 1e-6)


def at(about, theta):
    return ic.InertialParameters.from_theta(theta, about="com").as_theta(about=about)


def limit_of(found, about="com"):
    """Theta of the answer, and the point mass where that is nearest and no body is.

    Rounding decides between the two where the sum of the spreads is 0.
    """
    theta = np.array(found.theta)
    point = theta.copy()
    point[..., 4:] = 0
    if about == "origin":
        point = at_own_center(point)
    return np.where(np.asarray(found.vanished)[..., None], point, theta)


def at_own_center(theta):
    """Point masses about the origin, from their masses and first moments."""
    mass, moment = theta[..., :1], theta[..., 1:4]
    return ic.InertialParameters.from_com(
        mass[..., 0], moment / mass, np.zeros((*theta.shape[:-1], 6), theta.dtype)
    ).as_theta(about="origin")


@given(bodies(), metrics, margins, st.sampled_from(["com", "origin"]))
def test_feasible_comes_back_and_the_rest_becomes_feasible(theta, metric, margin, about):
    theta = at(about, theta)
    before = ic.check(theta, about=about)
    found = ic.project(theta, metric, about=about, margin=margin)
    after = ic.check(found.theta, about=about)
    if before.verdict in {"consistent", "boundary"} and margin == 0:
        assert found.status == "feasible"
    if found.status == "feasible":
        assert found.theta.tobytes() == theta.tobytes()
        assert before.margin >= margin - before.tolerance or not theta[4:].any()
    elif not found.vanished and posed(found.theta, about):
        assert after.consistent
        assert after.margin >= margin - after.tolerance
        if after.tolerance <= 1e-10 and margin + after.tolerance <= 1 / 3:
            assert after.margin >= margin
    if found.vanished:
        assert found.status == "no-nearest"
        assert found.theta.tobytes() == theta.tobytes()
    else:
        assert (np.array(found.certify()) <= CERTIFIED).all()


@given(bodies(), metrics, margins, st.sampled_from(["com", "origin"]))
def test_projecting_twice_is_projecting_once(theta, metric, margin, about):
    once = ic.project(at(about, theta), metric, about=about, margin=margin)
    twice = ic.project(once.theta, metric, about=about, margin=margin)
    if posed(once.theta, about):
        assert twice.status == ("no-nearest" if once.vanished else "feasible")
        assert twice.theta.tobytes() == once.theta.tobytes()


@given(bodies(), metrics, seeds)
def test_no_sampled_body_is_nearer(theta, metric, seed):
    found = ic.project(theta, metric, about="com")
    if found.vanished:
        return
    rng = np.random.default_rng(seed)
    near = found.theta + rng.normal(size=(200, 10)) * 10.0 ** rng.uniform(-6, 0, (200, 1)) * (
        size_of(theta) * (np.arange(10) > 3)
    )
    # Samples on the boundary of the cone are the only ones that could be nearer: project them.
    for other in METRICS:
        rivals = limit_of(ic.project(near, other, about="com"))
        rivals[:, :4] = theta[:4]
        distance = METRICS[metric].distance(theta[4:], rivals[:, 4:])
        assert (distance >= found.distance - 64 * EPS * size_of(theta)).all()


@given(bodies(), metrics, margins, seeds)
def test_turning_the_axes_turns_the_answer(theta, metric, margin, seed):
    rotation = sampling.rotations(seed)
    first = rotate(limit_of(ic.project(theta, metric, about="com", margin=margin)), rotation)
    then = limit_of(ic.project(rotate(theta, rotation), metric, about="com", margin=margin))
    assert (np.abs(then - first)[4:] <= 64 * EPS * size_of(theta)).all()


@given(bodies(offset=3.0), metrics, margins, st.tuples(*[numbers(3)] * 3))
def test_moving_the_origin_moves_the_answer(theta, metric, margin, shift):
    theta = at("origin", theta)
    shift = np.array(shift) * np.sqrt(size_of(theta) / theta[0])
    moved = translate(theta, shift)
    if not (posed(theta, "origin") and posed(moved, "origin")):
        return
    first = translate(limit_of(ic.project(theta, metric, margin=margin), "origin"), shift)
    then = limit_of(ic.project(moved, metric, margin=margin), "origin")
    scale = size_of(theta) + size_of(moved)
    assert (np.abs(then - first)[4:] <= 64 * EPS * scale).all()


@given(
    bodies(),
    metrics,
    margins,
    st.sampled_from(["com", "origin"]),
    st.integers(-40, 40),
    st.integers(-20, 20),
)
def test_units_change_nothing_not_even_a_bit(theta, metric, margin, about, mass, length):
    """Powers of two scale without rounding: any difference is a tolerance that carries a unit."""
    theta = at(about, theta)
    unit = 2.0 ** (mass + length * np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2]))
    plain = ic.project(theta, metric, about=about, margin=margin)
    scaled = ic.project(theta * unit, metric, about=about, margin=margin)
    assert (scaled.theta == plain.theta * unit).all()
    assert scaled.status == plain.status
    assert np.array_equal(scaled.relative_change, plain.relative_change, equal_nan=True)


@given(bodies(), metrics, margins, st.sampled_from(sorted(ORDERS)))
def test_orders_permute_the_answer(theta, metric, margin, order):
    plain = ic.project(theta, metric, margin=margin)
    found = ic.project(reorder(theta, "urdf", order), metric, order, margin=margin)
    assert found.theta.tobytes() == reorder(plain.theta, "urdf", order).tobytes()


@given(st.lists(bodies(), min_size=1, max_size=8), metrics, margins)
def test_a_batch_is_a_loop(rows, metric, margin):
    theta = np.stack(rows)
    together = ic.project(theta, metric, about="com", margin=margin)
    alone = [ic.project(row, metric, about="com", margin=margin) for row in theta]
    assert together.status.tolist() == [found.status for found in alone]
    for i, found in enumerate(alone):
        assert (np.abs(together.theta[i] - found.theta)[4:] <= 16 * EPS * size_of(theta[i])).all()


@given(bodies(), metrics, margins)
@example(np.array([1, 0, 0, 0, 0.1, 0, 0, 0.2, 0, 0.3]), "inertia", 0.0)
def test_float32_finds_the_same_within_its_precision(theta, metric, margin):
    single = theta.astype(np.float32)
    found = ic.project(single, metric, about="com", margin=margin)
    truth = ic.project(single.astype(float), metric, about="com", margin=margin)
    assert found.theta.dtype == found.distance.dtype == np.float32
    bound = 64 * np.finfo(np.float32).eps * size_of(single)
    assert (np.abs(limit_of(found) - limit_of(truth))[4:] <= bound).all()


@given(
    st.lists(
        st.one_of(st.floats(width=32), st.sampled_from([0.0, np.nan, np.inf, -np.inf])),
        min_size=10,
        max_size=10,
    ),
    metrics,
    st.sampled_from(["com", "origin"]),
)
def test_no_ten_numbers_raise_or_warn(theta, metric, about):
    found = ic.project(np.array(theta), metric, about=about)
    assert found.status in {"feasible", "projected", "no-nearest"}
    if not np.isfinite(theta).all() or theta[0] <= 0:
        assert found.status == "no-nearest"
        with pytest.raises(ic.ProjectionError):
            found.raise_for_status()
    assert repr(found)
    found.certify()
