"""Laws of the representations: what goes in comes out, by whichever way it went."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from inertial_check import InertialParameters, check
from inertial_check.inertia import frames, representations
from inertial_check.inertia.sampling import consistent, inconsistent, rotations
from inertial_check.inertia.solids import equivalent_box, equivalent_ellipsoid

EPS = np.finfo(float).eps
ABOUTS = st.sampled_from(["origin", "com"])
SEEDS = st.integers(0, 2**32 - 1)
# Away from the ends of the exponent range, where products of three numbers leave it.
NUMBERS = st.floats(-1e60, 1e60).map(lambda x: x if abs(x) > 1e-60 else 0.0)
VECTORS = arrays(float, (4, 10), elements=NUMBERS)
MODERATE = arrays(float, (4, 10), elements=st.floats(-1e3, 1e3).map(lambda x: round(x, 6)))
SCALES = st.integers(-8, 8).map(lambda power: 10.0**power)


@st.composite
def poses(draw: st.DrawFn) -> Any:
    """A rigid pose with a shift of any size."""
    seed, scale = draw(SEEDS), draw(SCALES)
    matrix = np.eye(4)
    matrix[:3, :3] = rotations(seed)
    matrix[:3, 3] = scale * np.random.default_rng(seed).normal(size=3)
    return matrix


def same_body(got: InertialParameters, expected: InertialParameters, reach: Any = 0.0) -> None:
    """Equal to the rounding that a body as far away as `reach` [m] must have, unit by unit."""
    m = np.abs(expected.mass)
    c = np.linalg.norm(np.nan_to_num(expected.com), axis=-1) + reach
    size = np.abs(expected.inertia_com).max(axis=(-2, -1))
    assert (np.abs(got.mass - expected.mass) <= 8 * EPS * m).all()
    far = np.abs(got.first_moment - expected.first_moment).max(axis=-1)
    assert (far <= 64 * EPS * m * c).all()
    error = np.abs(got.inertia_origin - expected.inertia_origin).max(axis=(-2, -1))
    assert (error <= 256 * EPS * (size + m * c * c)).all()


@given(VECTORS, st.sampled_from(list(representations.ORDERS)), ABOUTS)
def test_theta_comes_back_bit_for_bit(theta: Any, order: str, about: str) -> None:
    body = InertialParameters.from_theta(theta, order, about)
    assert body.as_theta(order, about).tolist() == theta.tolist()


@given(VECTORS, st.permutations(list(representations.ORDERS)))
def test_any_chain_of_orders_that_returns_is_the_identity(theta: Any, orders: list[str]) -> None:
    there = theta
    for source, target in zip(orders, [*orders[1:], orders[0]], strict=True):
        there = representations.reorder(there, source, target)
    assert there.tolist() == theta.tolist()


@given(VECTORS)
def test_matrices_give_back_the_numbers_they_were_made_of(theta: Any) -> None:
    assert (
        representations.six(representations.symmetric(theta[:, 4:])).tolist()
        == theta[:, 4:].tolist()
    )
    size = np.abs(theta[:, 4:]).max(axis=-1, keepdims=True)
    back = representations.theta_from_pseudo_inertia(representations.pseudo_inertia(theta))
    assert back[:, :4].tolist() == theta[:, :4].tolist()
    assert (np.abs(back - theta)[:, 4:] <= 4 * EPS * size).all()
    for order in representations.SPATIAL_ORDERS:
        matrix = representations.spatial_inertia(theta, order)
        assert representations.theta_from_spatial_inertia(matrix, order).tolist() == theta.tolist()


@given(VECTORS, VECTORS)
def test_the_pseudo_inertia_of_a_sum_is_the_sum(one: Any, two: Any) -> None:
    make = InertialParameters.from_theta
    together = (make(one) + make(two)).pseudo_inertia
    parts = make(one).pseudo_inertia + make(two).pseudo_inertia
    size = np.abs(make(one).pseudo_inertia) + np.abs(make(two).pseudo_inertia)
    trace = size[:, :3, :3].max(axis=(-2, -1), keepdims=True)
    assert (np.abs(together - parts)[:, :3, :3] <= 8 * EPS * trace).all()
    assert together[:, 3].tolist() == parts[:, 3].tolist()


@given(SEEDS, SEEDS, ABOUTS, ABOUTS)
def test_a_sum_does_not_depend_on_the_point_or_on_the_order(
    first: int, second: int, about_1: str, about_2: str
) -> None:
    one, two = consistent(first, 6), consistent(second, 6)
    stored = [
        InertialParameters.from_theta(body.as_theta(about=about), about=about)
        for body, about in ((one, about_1), (two, about_2))
    ]
    reach = np.linalg.norm(one.com, axis=-1) + np.linalg.norm(two.com, axis=-1)
    same_body(stored[0] + stored[1], one + two, reach)
    same_body(stored[1] + stored[0], one + two, reach)


@given(SEEDS, SEEDS)
def test_bodies_that_exist_make_a_body_that_exists(first: int, second: int) -> None:
    total = consistent(first, 6) + consistent(second, 6)
    assert check(total).consistent.all()


@given(SEEDS, poses(), poses())
def test_poses_compose(seed: int, X_AB: Any, X_BC: Any) -> None:
    body = consistent(seed, 4)
    reach = np.linalg.norm(X_AB[:3, 3]) + np.linalg.norm(X_BC[:3, 3])
    twice = body.transform(X_BC).transform(X_AB)
    same_body(twice, body.transform(X_AB @ X_BC), reach)


@given(SEEDS, poses(), ABOUTS)
def test_a_pose_is_the_sandwich(seed: int, X_AB: Any, about: str) -> None:
    theta = consistent(seed, 4).as_theta(about=about)
    body = InertialParameters.from_theta(theta, about=about)
    sandwich = X_AB @ body.pseudo_inertia @ X_AB.T
    sandwich = (sandwich + np.swapaxes(sandwich, -1, -2)) / 2
    expected = InertialParameters.from_pseudo_inertia(sandwich)
    reach = np.linalg.norm(X_AB[:3, 3]) + np.linalg.norm(body.com, axis=-1)
    same_body(body.transform(X_AB), expected, reach)


@given(SEEDS, poses())
def test_there_and_back_again(seed: int, X_AB: Any) -> None:
    body = consistent(seed, 4)
    X_BA = np.eye(4)
    X_BA[:3, :3], X_BA[:3, 3] = X_AB[:3, :3].T, -X_AB[:3, :3].T @ X_AB[:3, 3]
    back = body.transform(X_AB).transform(X_BA)
    same_body(back, body, np.linalg.norm(X_AB[:3, 3]))
    # Nothing of the shift reaches the moments: they were never about the origin.
    size = np.abs(body.inertia_com).max(axis=(-2, -1))
    error = np.abs(back.inertia_com - body.inertia_com).max(axis=(-2, -1))
    assert (error <= 32 * EPS * size).all()


@given(SEEDS, arrays(float, 3, elements=NUMBERS))
def test_a_shift_there_and_back_keeps_every_bit_of_the_inertia(seed: int, p: Any) -> None:
    body = consistent(seed, 4)
    back = body.translate(p).translate(-p)
    assert back.inertia_com.tolist() == body.inertia_com.tolist()


@given(SEEDS, poses())
def test_the_moments_do_not_depend_on_the_frame(seed: int, X_AB: Any) -> None:
    for body in (consistent(seed, 6), inconsistent(seed, 6)):
        moments = body.principal_moments()
        size = np.abs(moments).max(axis=-1, keepdims=True)
        moved = body.transform(X_AB).principal_moments()
        assert (np.abs(moved - moments) <= 64 * EPS * size).all()


@given(SEEDS, poses(), poses())
def test_merging_in_two_steps_or_in_one(seed: int, X_PC: Any, X_CD: Any) -> None:
    parent, child, grandchild = (consistent(seed + i, 3) for i in range(3))
    stepwise = parent.merge(child.merge(grandchild, X_CD), X_PC)
    flat = parent.merge(child, X_PC).merge(grandchild, X_PC @ X_CD)
    reach = sum(np.linalg.norm(X[:3, 3]) for X in (X_PC, X_CD))
    reach = reach + sum(np.linalg.norm(body.com, axis=-1) for body in (parent, child, grandchild))
    same_body(stepwise, flat, reach)


@given(MODERATE, poses(), ABOUTS)
def test_the_methods_are_the_functions(theta: Any, X_AB: Any, about: str) -> None:
    body = InertialParameters.from_theta(theta, about=about)
    moved = body.transform(X_AB).as_theta(about=about)
    assert moved.tolist() == frames.transform(theta, X_AB, about).tolist()


@given(SEEDS, SCALES, SCALES)
def test_equivalents_scale_with_length_and_not_with_mass(
    seed: int, length: float, mass: float
) -> None:
    body = consistent(seed, 8, strata=["solid", "sphere", "round"])
    moments = body.principal_moments()
    for solid in (equivalent_box, equivalent_ellipsoid):
        expected = length * solid(body.mass, moments)
        got = solid(body.mass * mass, moments * (mass * length * length))
        # The least spread carries the rounding of the largest moment, and solids can be thin.
        size = expected.max(axis=-1, keepdims=True)
        assert (np.abs(got**2 - expected**2) <= 64 * EPS * size**2).all()


@given(SEEDS)
def test_the_moments_of_the_equivalent_box_are_the_bodys(seed: int) -> None:
    body = consistent(seed, 8)
    moments = body.principal_moments()
    a, b, c = np.moveaxis(equivalent_box(body.mass, moments), -1, 0)
    squares = np.stack([b * b + a * a, c * c + a * a, c * c + b * b], axis=-1)
    size = np.abs(moments).max(axis=-1, keepdims=True)
    error = np.abs(squares * body.mass[:, None] / 12 - moments)
    assert (error <= 64 * EPS * size).all()
