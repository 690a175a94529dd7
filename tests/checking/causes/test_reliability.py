"""Confidences are limited by how often stories of a cause were right."""

import pytest

from inertial_check.checking.causes.base import PROBABLE, limit_confidence

COUNTS = {"seldom": ((1, 4), (3, 8)), "always": ((5, 5), (48, 48)), "never": ((0, 3), (0, 2))}
COUNTS["low"] = ((17, 17), (0, 0))


@pytest.mark.parametrize(
    ("cause", "share", "limited"),
    [
        ("always", 0.96, 0.96),
        ("always", 0.99, 49 / 50),
        ("always", 0.89, 6 / 7),
        ("seldom", 0.96, 4 / 10),
        ("seldom", 0.7, 2 / 6),
        ("never", 0.96, 1 / 4),
        ("unheard", 0.96, 1 / 2),
        ("low", 0.96, 0.89),  # the bug: 50 %, where less sure ones were all right
    ],
)
def test_what_was_seldom_right_is_not_told_as_sure(cause, share, limited):
    assert limit_confidence(cause, share, COUNTS) == pytest.approx(limited)


def test_what_is_not_probable_is_left_alone():
    assert limit_confidence("never", PROBABLE - 0.01, COUNTS) == PROBABLE - 0.01
