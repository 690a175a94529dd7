"""Whether a wrong reference point is noticed, and a right one is not doubted."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
import verdicts
from inertial_check.identification.fit.cleaning import judge_declaration
from inertial_check.inertia.representations import about_origin, join


def arm(count, *, seed=0):
    """Rods of different lengths with a joint at one end, about their centres of mass."""
    rng = np.random.default_rng(seed)
    mass, length = rng.uniform(1, 5, count), rng.uniform(0.2, 0.5, count)
    along = mass * length**2 / 12
    across = along / rng.uniform(1, 4, count)
    theta = np.zeros((count, 10))
    for i in range(count):
        S = np.full(3, across[i])
        S[i % 3] = along[i]
        theta[i, 0], theta[i, 1 + i % 3] = mass[i], mass[i] * length[i] / 2
        theta[i, [4, 7, 9]] = S.sum() - S
    return theta


def moved(theta):
    """The same bodies about their origins."""
    mass, h, six = theta[:, 0], theta[:, 1:4], theta[:, 4:]
    return np.array(join(mass, h, about_origin(mass, h, six)))


def test_right_declarations_are_not_doubted():
    theta = arm(6)
    assert not judge_declaration(theta, "com").doubtful
    assert not judge_declaration(moved(theta), "origin").doubtful


def test_wrong_declarations_are_with_the_other_point_and_the_numbers():
    theta = arm(6)
    one, other = judge_declaration(moved(theta), "com"), judge_declaration(theta, "origin")
    assert one.doubtful
    assert "about='origin'" in str(one)
    assert "6 of 6 links have one of at least that offset" in str(one)
    assert other.doubtful
    assert "about='com'" in str(other)
    assert "6 of 6 links have one below that offset" in str(other)
    assert f"the odds are {float(f'{one.odds:.2g}'):,.0f} : 1" in str(one)


def test_the_other_reading_has_the_inverse_odds():
    theta = arm(5)
    assert judge_declaration(theta, "com").odds * judge_declaration(
        theta, "origin"
    ).odds == pytest.approx(1)


@given(st.integers(0, 10**6), st.floats(-6, 6), st.floats(-4, 3))
def test_units_and_axes_do_not_matter(seed, mass, length):
    theta = moved(arm(4, seed=seed))
    unit = 10.0**length
    R = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    turned = ic.InertialParameters.from_theta(theta).rotate(R).as_theta()
    scaled = turned * 10.0**mass * np.array([1, *[unit] * 3, *[unit**2] * 6])
    assert judge_declaration(scaled, "com").odds == pytest.approx(
        judge_declaration(theta, "com").odds, rel=1e-6
    )


def test_few_links_and_copies_of_one_tell_nothing():
    two = moved(arm(2))
    assert judge_declaration(two, "com").odds == 1
    copies = judge_declaration(np.tile(two, (5, 1)), "com")
    assert copies.links == 2
    assert copies.odds == 1


def test_bodies_that_tell_nothing_are_left_out():
    theta = moved(arm(5))
    centered, massless, broken = theta[0].copy(), np.zeros(10), theta[1].copy()
    centered[1:4], broken[5] = 0.0, np.nan
    whole = np.concatenate([theta, [centered, massless, broken]])
    assert judge_declaration(whole, "com") == judge_declaration(theta, "com")


def test_one_link_that_is_no_body_is_not_enough():
    """Identified without a cone, one link in six may be anything."""
    theta = moved(arm(6))
    theta[2, [4, 7, 9]] *= 0.2
    assert not judge_declaration(theta, "origin").doubtful


def links(rows):
    """(L, 10) about the centres of mass, in the axes of the inertials."""
    found = []
    for row in rows:
        if row["cat"] == "inertial" and row.get("mass") and row.get("I") and "rpy" in row:
            xx, yy, zz, xy, xz, yz = row["I"]
            R = rotation(*row["rpy"])
            m, c = row["mass"], R.T @ np.array(row["com"])
            found.append([m, *(m * c), xx, xy, xz, yy, yz, zz])
    return np.array(found, dtype=float).reshape(-1, 10)


def rotation(roll, pitch, yaw):
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(a), np.sin(a)) for a in (roll, pitch, yaw))
    X = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Z @ Y @ X


ABOUT_ORIGIN = ("iiwa", "romeo")
"""Robots whose files look as if their tensors were about the link origins, in all their copies."""


@pytest.mark.corpus
def test_on_real_robots_the_point_is_told_mostly_and_never_wrongly(corpus):
    robots, seen = {}, set()
    for line in (corpus / "TRUTH.jsonl").read_text().splitlines():
        row = json.loads(line)
        if not verdicts.refused_by_every_parser(row["file"]):
            robots.setdefault(row["file"], []).append(row)
    doubted, noticed, reverse, told = [], 0, 0, 0
    for file, rows in robots.items():
        theta = links(rows)
        key = np.round(theta, 12).tobytes()
        if len(theta) < 3 or key in seen:
            continue
        seen.add(key)
        own = judge_declaration(theta, "com")
        if own.links < 3:
            continue
        told += 1
        if own.doubtful:
            doubted.append(file)
        assert not judge_declaration(moved(theta), "origin").doubtful, file
        noticed += judge_declaration(moved(theta), "com").doubtful
        reverse += judge_declaration(theta, "origin").doubtful
    assert told > 100
    assert all(any(name in file for name in ABOUT_ORIGIN) for file in doubted), doubted
    assert noticed > 0.85 * told
    assert reverse > 0.75 * told
