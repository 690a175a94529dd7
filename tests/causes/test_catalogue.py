"""The lists of causes: that of unsound numbers leaves out no cause that can explain them."""

from inertial_check.causes import ALL_CAUSES
from inertial_check.causes._base import STATED
from inertial_check.causes.unsound import CAUSES_OF_UNSOUND


def test_causes_of_unsound_numbers_are_all_that_can_explain_them_in_the_same_order():
    able = [cause for cause in ALL_CAUSES if not cause.kinds <= STATED]
    assert list(CAUSES_OF_UNSOUND) == able
