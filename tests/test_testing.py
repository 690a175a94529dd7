"""The assertion for the tests of others."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.errors import DocumentError, ParameterError
from inertial_check.testing import assert_physically_consistent

SOUND = [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.04]
BROKEN = [1.2, 0, 0, 0, 0.02, 0, 0, 0.03, 0, 0.08]


def test_sound_models_and_parameters_pass(data_dir):
    path = data_dir / "valid" / "arm.urdf"
    for model in (path, str(path), path.read_bytes(), ic.load(path)):
        assert_physically_consistent(model)
    assert_physically_consistent(SOUND)
    assert_physically_consistent(np.array([SOUND, SOUND]), about="com")
    assert_physically_consistent(ic.InertialParameters.from_theta(SOUND, about="com"))


def test_a_broken_model_fails_with_a_line_for_each_body(data_dir):
    with pytest.raises(AssertionError) as caught:
        assert_physically_consistent(data_dir / "arm.urdf")
    first, *lines = str(caught.value).splitlines()
    assert first == "not physically consistent:"
    assert [line.split("arm.urdf:")[1][:6] for line in lines] == ["38:21:", "53:21:"]


def test_of_a_batch_the_broken_rows_are_named():
    with pytest.raises(
        AssertionError, match=r"theta\[1, 0\]: inconsistent: mass 1\.2 kg"
    ) as caught:
        assert_physically_consistent([[SOUND, SOUND], [BROKEN, SOUND]])
    assert len(str(caught.value).splitlines()) == 2


def test_a_negative_mass_is_shown():
    with pytest.raises(AssertionError, match=r"theta: invalid: mass -1 kg"):
        assert_physically_consistent([-1.0, *SOUND[1:]])


def test_settings_and_the_configuration_beside_a_path_say_what_counts(data_dir, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes((data_dir / "arm.urdf").read_bytes())
    assert_physically_consistent(path, settings=Settings(select=("IC1",)))
    (tmp_path / "inertial-check.toml").write_text('ignore = ["IC3"]\n')
    assert_physically_consistent(path)
    with pytest.raises(AssertionError, match="IC103"):
        assert_physically_consistent(path, settings=Settings(strict=True))


def test_a_model_of_mujoco_is_recognised():
    mujoco = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="plate", mass=1.0, explicitinertial=True)
    body.add_freejoint()
    body.inertia = [1.0, 1.0, 2.5]
    with pytest.raises(AssertionError, match=r"<mujoco\.MjSpec .*IC301 \[plate\]"):
        assert_physically_consistent(spec)
    body.inertia = [1.0, 1.0, 1.5]
    assert_physically_consistent(spec.compile())


def test_a_model_of_whose_inertials_none_is_judged_fails():
    inertial = '<inertial><mass value="1"/></inertial>'
    text = f'<robot name="r"><link name="a"/><deformable>{inertial}</deformable></robot>'
    with pytest.raises(AssertionError, match="1 inertial found, none judged: it stands in"):
        assert_physically_consistent(text.encode())


def test_what_is_neither_model_nor_parameters_is_an_error(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        assert_physically_consistent(tmp_path / "none.urdf")
    with pytest.raises(ParameterError, match="expected"):
        assert_physically_consistent(object())
    with pytest.raises(ParameterError, match=r"\(3,\)"):
        assert_physically_consistent([1.0, 2.0, 3.0])
