"""What a tree is, and what is refused with a clear word."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.mechanics.tree import Tree
from random_trees import random_tree

EYE = np.eye(4)


def tree(**changes):
    given = {
        "names": ["a", "b", "c"],
        "parents": [-1, 0, 1],
        "joints": ["fixed", "revolute", "prismatic"],
        "X_PB": np.tile(EYE, (3, 1, 1)),
        "axes_B": np.tile([0.0, 0.0, 1.0], (3, 1)),
        "theta": np.zeros((3, 10)),
    }
    return Tree(**(given | changes))


def test_coordinates_follow_the_order_of_the_bodies():
    shuffled = random_tree(3, count=7, base="floating", shuffled=True)
    body = list(shuffled.joints).index("floating")
    place = shuffled.coordinates[body]
    assert place.stop - place.start == 7
    assert shuffled.velocities[body].stop - shuffled.velocities[body].start == 6
    assert shuffled.n_q == shuffled.n_u + 1
    assert shuffled.neutral[place].tolist() == [0, 0, 0, 1, 0, 0, 0]


def test_parents_come_before_children_whatever_the_document_order():
    shuffled = random_tree(5, count=9, shuffled=True)
    places = {body: place for place, body in enumerate(shuffled.order)}
    for body, parent in enumerate(shuffled.parents):
        assert parent < 0 or places[int(parent)] < places[body]


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, -1, 0], [0, 0, -1], [0.6, 0, 0.8]])
def test_z_of_a_joint_frame_is_its_axis_and_its_origin_lies_on_it(axis):
    one = tree(axes_B=np.tile(axis, (3, 1)).astype(float), points_B=np.full((3, 3), 0.3))
    R_JB, p_JoBo_J = one.X_JB[1, :3, :3], one.X_JB[1, :3, 3]
    np.testing.assert_allclose(R_JB @ R_JB.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R_JB) > 0
    np.testing.assert_allclose(R_JB @ axis, [0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(R_JB @ np.full(3, 0.3) + p_JoBo_J, 0, atol=1e-15)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parents": [-1, 2, 1]}, "b -> c -> b are in a closed loop"),
        ({"parents": [-1, 1, 1]}, "b -> b are in a closed loop"),
        ({"parents": [-1, 0, 7]}, "parent 7 of body 2 does not exist"),
        ({"parents": [-1, 0]}, r"parents has shape \(2,\)"),
        ({"parents": [-1.0, 0.0, 1.0]}, "of float64"),
        ({"joints": ["fixed", "ball", "fixed"]}, r"joint 'ball' of body 1 \(b\) is none of"),
        ({"joints": ["fixed", "revolute"]}, "joints has length 2"),
        ({"joints": ["fixed", "floating", "fixed"]}, r"body 1 \(b\) floats, but its parent"),
        ({"axes_B": np.full((3, 3), 2.0)}, r"the axis of body 1 \(b\) has length 3.4641"),
        ({"axes_B": np.full((3, 3), np.nan)}, "has length nan"),
        ({"X_PB": np.tile(2 * EYE, (3, 1, 1))}, "expected"),
        ({"X_PB": EYE}, r"X_PB has shape \(4, 4\), expected \(3, 4, 4\)"),
        ({"theta": np.zeros((3, 9))}, r"theta has shape \(3, 9\), expected \(3, 10\)"),
    ],
)
def test_what_is_no_tree_is_refused(changes, words):
    with pytest.raises(ParameterError, match=words):
        tree(**changes)


def test_bodies_are_asked_for_by_name_or_index():
    one = tree(names=["a", "twin", "twin"])
    assert one.index("a") == 0
    assert one.index(2) == 2
    with pytest.raises(ParameterError, match="'d' is no body; there are a, twin, twin"):
        one.index("d")
    with pytest.raises(ParameterError, match="name of 2 bodies"):
        one.index("twin")
    with pytest.raises(ParameterError, match="body 3 does not exist"):
        one.index(3)


def test_its_numbers_cannot_be_changed_behind_its_back():
    theta = np.zeros((3, 10))
    one = tree(theta=theta)
    theta[0, 0] = 1.0
    assert one.theta[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        one.theta[0, 0] = 1.0
