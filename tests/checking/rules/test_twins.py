"""IC601: what stands out in the mirror plane, who is named for it, and what is left alone."""

import numpy as np
import pytest

from mirrored import mirror, random_rotation, random_side, robot_of, text_of
from suspects import box, said

NORMAL, OFFSET = np.array([0.6, 0.8, 0.0]), 0.2


def robot(seed=1, count=4):
    return robot_of(np.random.default_rng(seed), count, 0.3, NORMAL, OFFSET)


def named(*sides, code="IC601", **options):
    """Bodies with the code, and why."""
    found = said(text=text_of(*sides, **options))
    return {f.body: f.message for f in found if f.code == code}


def with_box(side, edges=(0.05, 0.1, 0.3)):
    return side._replace(shape=box(edges, at=side.com))


def test_frames_that_differ_between_the_sides_are_no_defect():
    """In the best exchange of axes these pairs were up to their whole size apart."""
    assert named(*robot()) == {}


def test_a_copy_that_was_not_reflected():
    sides = [
        side
        for k in range(4)
        for one in (random_side(np.random.default_rng(k), f"left_{k}", 0.3),)
        for side in (one, mirror(one, f"right_{k}", [0, 1, 0], 0.0, one.R))
    ]
    assert named(*sides) == {}
    sides[5] = sides[5]._replace(com=sides[4].com, inertia=sides[4].inertia)
    found = named(*sides)
    assert set(found) == {"left_2", "right_2"}
    assert "reflected in the plane y = 0 m" in found["left_2"]


def test_a_copy_does_not_move_the_plane_into_its_own_middle():
    """Origins that map onto origins agree with all parallel planes: each pair voted its own."""
    rng, sides = np.random.default_rng(7), []
    for k in range(4):
        one = random_side(rng, f"left_{k}", 0.3)
        one = one._replace(R=np.eye(3), axis=np.array([1.0, 0.0, 0.0]))
        one = one._replace(inertia=np.diag(np.linalg.eigvalsh(one.inertia)))
        sides += [one, mirror(one, f"right_{k}", [0, 1, 0], 0.0)]
    assert named(*sides) == {}
    sides[1] = sides[1]._replace(com=sides[0].com, inertia=sides[0].inertia)
    found = named(*sides)
    assert set(found) == {"left_0", "right_0"}
    assert "in the plane y = 0 m" in found["left_0"]


@pytest.mark.parametrize(("rest", "bodies"), [(0.0, set()), (0.4, {"left_0", "right_0"})])
def test_a_palm_may_have_the_mass_of_the_fingers_that_it_carries(rest, bodies):
    sides = robot(seed=14)
    sides[0] = sides[0]._replace(mass=0.6, inertia=0.6 * sides[0].inertia)
    finger = sides[0]._replace(name="finger", parent="left_0", mass=0.4 - rest + 1e-6)
    assert set(named(*sides, finger)) == bodies


def test_what_cad_leaves_is_no_defect():
    sides = robot(seed=3)
    sides[3] = sides[3]._replace(inertia=1.05 * sides[3].inertia, com=sides[3].com + 0.002)
    assert named(*sides) == {}
    sides[3] = sides[3]._replace(com=sides[3].com + 0.2)
    assert set(named(*sides)) == {"left_1", "right_1"}


def test_an_arm_in_another_pose_is_left_alone():
    sides = robot(seed=4, count=5)
    rng = np.random.default_rng(9)
    sides[1] = sides[1]._replace(p=sides[1].p + 0.5, R=random_rotation(rng))
    assert named(*sides) == {}
    heavier = sides[1]._replace(mass=1.5 * sides[1].mass, inertia=1.5 * sides[1].inertia)
    found = named(heavier, *sides[:1], *sides[2:])
    assert set(found) == {"left_0", "right_0"}
    assert "they weigh" in found["left_0"]


def test_one_pair_alone_is_compared_in_what_no_frame_changes():
    left, right = robot(seed=5, count=1)
    assert named(left, right._replace(com=right.com + 1.0)) == {}
    ball = np.trace(right.inertia) / 3 * np.eye(3)
    assert set(named(left, right._replace(inertia=ball))) == {"left_0", "right_0"}


def test_parts_whose_shapes_differ_in_size_are_no_twins():
    """A hand with a camera is heavier than the other one."""
    left, right = robot(seed=6, count=1)
    heavier = right._replace(mass=1.3, inertia=1.3 * right.inertia)
    assert set(named(left, heavier)) == {"left_0", "right_0"}
    assert named(with_box(left), with_box(heavier, (0.08, 0.15, 0.45))) == {}


def test_a_part_that_is_mounted_twice_by_a_half_turn_is_left_alone():
    sides = robot(seed=7)
    half = np.diag([-1.0, -1.0, 1.0])
    one = sides[0]._replace(R=np.eye(3))
    other = mirror(one, "right_0", NORMAL, OFFSET)
    turned = other._replace(com=half @ one.com, inertia=half @ one.inertia @ half)
    assert named(one, turned, *sides[2:]) == {}


def test_a_copy_with_the_same_shapes_is_left_alone():
    one = random_side(np.random.default_rng(8), "left_0", 0.3)
    copy = mirror(one, "right_0", NORMAL, OFFSET)._replace(com=one.com, inertia=one.inertia)
    rest = robot(seed=8)[2:]
    assert set(named(one, copy, *rest)) == {"left_0", "right_0"}
    shape = box((0.05, 0.1, 0.2), at=one.com)
    alike = named(one._replace(shape=shape), copy._replace(shape=shape), *rest)
    assert alike == {}


def test_the_side_that_its_shapes_contradict_is_named_alone():
    rng = np.random.default_rng(10)
    edges = np.array([0.1, 0.2, 0.3])
    tensor = np.diag([edges[1] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[2] ** 2, 0.05]) / 12
    one = random_side(rng, "left_0", 0.3)._replace(R=np.eye(3), inertia=tensor)
    other = mirror(one, "right_0", [0, 1, 0], 0.0)
    one, other = (side._replace(shape=box(edges, at=side.com)) for side in (one, other))
    rest = robot_of(rng, 3, 0.3, np.array([0.0, 1.0, 0.0]), 0.0)
    rest = [side._replace(name=side.name.replace("_", "_arm_")) for side in rest]
    assert named(one, other, *rest) == {}
    moved = other._replace(com=other.com + np.array([0.0, 0.06, 0.0]))
    assert named(one, moved, *rest) == {}
    found = named(one, moved, *rest, code="IC605")  # nine of ten numbers are equal
    assert list(found) == ["right_0"]
    assert "shapes" in found["right_0"]


def test_a_reading_of_one_side_has_an_inverse_on_the_other():
    """A tensor about the link's origin was told of one side, as if nothing explained the other."""
    sides = robot(seed=11)
    c = sides[3].com
    about_origin = sides[3].inertia + sides[3].mass * (c @ c * np.eye(3) - np.outer(c, c))
    sides[3] = sides[3]._replace(inertia=about_origin)
    assert set(named(*sides)) == {"left_1", "right_1"}


@pytest.mark.parametrize("factor", [1e3, 1e-3])
def test_the_sound_side_is_not_named_for_the_mass_of_the_other(factor):
    sides = robot(seed=12)
    sides[3] = sides[3]._replace(mass=factor * sides[3].mass)
    codes = {(f.body, f.code) for f in said(text=text_of(*sides))}
    assert ("right_1", "IC503") in codes
    assert "left_1" not in {body for body, _ in codes}


def test_a_doubt_about_the_mass_leaves_the_centres_to_be_compared():
    """A doubt about one side silenced every difference of the pair."""
    sides = robot(seed=13)
    light = sides[3]._replace(mass=1e-3 * sides[3].mass)
    sides[3] = light._replace(com=light.com + 0.3)
    assert {f.code for f in said(text=text_of(*sides)) if f.body == "right_1"} == {"IC503", "IC601"}
