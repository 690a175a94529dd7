"""Each robot of this package is one that can exist, and weighs what its data sheet says."""

from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.testing import assert_physically_consistent

URDF = Path(__file__).resolve().parents[1] / "urdf"


@pytest.mark.parametrize("path", sorted(URDF.glob("*.urdf")), ids=lambda path: path.name)
def test_every_body_can_exist(path: Path) -> None:
    """No body of a robot has inertial parameters that no distribution of mass produces."""
    assert_physically_consistent(path)


def test_the_arm_weighs_what_its_data_sheet_says() -> None:
    """The masses of all links add up to that of the data sheet, within 2 %."""
    model = ic.load(URDF / "arm.urdf")
    assert model.theta[:, 0].sum() == pytest.approx(7.9, rel=0.02)
