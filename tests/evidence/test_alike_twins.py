"""The bound on twins: where it says that they are alike, the full comparison finds no doubt."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from inertial_check.evidence import Examination
from inertial_check.evidence.assembly import Assembly
from inertial_check.formats import load
from inertial_check.model.judging import judge
from inertial_check.rules.screens import twins
from inertial_check.rules.screens._limits import LIMITS
from mirrored import mirror, random_rotation, random_side, robot_of, text_of

SEEDS = st.integers(0, 2**32 - 1)
CHANGES = ("nothing", "mass", "com", "inertia")


def robot(rng, count, length, frames, changed):
    """Pairs mirrored in y = 0; the right sides of a share of them differ a little or much."""
    if frames == "any":
        sides = robot_of(rng, count, length, random_rotation(rng)[:, 0], 0.1 * length)
    else:
        sides = []
        for k in range(count):
            one = random_side(rng, f"left_{k}", length)._replace(R=np.eye(3))
            sides += [one, mirror(one, f"right_{k}", [0, 1, 0], 0.0)]
    for index in range(1, 2 * count, 2):
        side, what = sides[index], CHANGES[rng.integers(1, 4) if rng.random() < changed else 0]
        share = 10.0 ** rng.uniform(-3, 0)
        if what == "mass":
            side = side._replace(mass=(1 + share) * side.mass, inertia=(1 + share) * side.inertia)
        elif what == "com":
            side = side._replace(com=side.com + share * length * rng.uniform(-1, 1, 3))
        elif what == "inertia":
            turn = np.eye(3) + share * rng.uniform(-0.5, 0.5, (3, 3))
            C = turn @ (np.trace(side.inertia) / 2 * np.eye(3) - side.inertia) @ turn.T
            side = side._replace(inertia=np.trace(C) * np.eye(3) - C)
        sides[index] = side
    return load(text_of(*sides).encode())


@settings(max_examples=40, deadline=None)
@given(
    SEEDS, st.integers(1, 5), st.sampled_from([1e-3, 0.3, 50.0]), st.sampled_from([0.2, 0.5, 1.0])
)
def test_what_the_bound_drops_the_full_comparison_does_not_find(seed, count, length, changed):
    """Random robots on both sides of every limit, with frames that are reflected and with others.

    A bound that forgot the masses, or asked one pair in place of all, would drop doubts.
    """
    rng = np.random.default_rng(seed)
    frames = "any" if seed % 4 == 0 else "reflected"
    for strictness, limits in LIMITS.items():
        model = robot(rng, count, length, frames, changed)
        examination = Examination(model, judge(model), strictness=strictness)
        alike = examination.assembly.are_twins_alike(limits.twin_mass, limits.twin)
        examination.assembly.__dict__["are_twins_alike"] = lambda *_: False
        found = list(twins(examination, limits, {}))
        assert not (alike and found)


def test_the_bound_answers_for_reflected_frames():
    """A bound that always said "no" would be conservative and useless."""
    limits = LIMITS["default"]
    for count in (1, 3, 5):
        for length in (1e-3, 1.0, 1e3):
            model = robot(np.random.default_rng(count), count, length, "reflected", 0.0)
            found = Assembly(model, judge(model))
            assert found.are_twins_alike(limits.twin_mass, limits.twin)
            assert not found.are_twins_alike(limits.twin_mass, 0.0)
