"""fix --engine: bodies that an engine refuses are moved as little as it takes, and it is asked."""

from unittest.mock import patch

import numpy as np
import pytest

import inertial_check as ic
from fixing import asking, matrix, urdf
from inertial_check.checking.report import Prediction

ROD = ("0.1", "0", "0", "0.1", "0", "0.0")
PLATE = ("0.1", "0", "0", "0.2", "0", "0.3")
SOUND = ("0.02", "0", "0", "0.03", "0", "0.04")
BROKEN = ("0.0200", "0", "0", "0.0300", "0", "0.0511")


def least(moment):
    """An engine that refuses a least principal moment below this, or a violated triangle."""

    def refusal(mass, com, six):
        low, middle, high = np.linalg.eigvalsh(matrix(six))
        return "too thin" if low < moment or low + middle < high else None

    return refusal


def fixed(*bodies, refusal=None, **options):
    with asking(refusal or least(1e-14)):
        return ic.fix_model(urdf(*bodies).encode(), engines=["mujoco"], **options)


def test_what_the_engine_takes_stays_and_what_it_refuses_moves_as_little_as_it_needs():
    fix = fixed(SOUND, ROD, BROKEN)
    assert [body.status for body in fix.bodies] == ["unchanged", "fixed", "fixed"]
    rod = fix.bodies[1]
    assert rod.relative_change < 1e-6
    assert rod.engines["mujoco"] == ("reject", "accept")
    assert "mujoco rejects it (too thin)" in rod.reason
    assert fix.complete
    assert not fixed(SOUND, ROD).data.count(b'izz="0.0"')


def test_without_an_engine_the_same_bodies_stay():
    fix = ic.fix_model(urdf(SOUND, ROD, PLATE).encode())
    assert not fix.changed
    assert fix.bodies[0].engines == {}


def test_an_absolute_floor_is_reached_and_costs_what_it_costs():
    tiny = ("1e-15", "0", "0", "1e-15", "0", "1.5e-15")
    text = urdf(tiny, mass="1e-5").encode()
    with asking(least(1e-14)):
        (body,) = ic.fix_model(text, engines=["mujoco"]).bodies
        assert body.status == "needs-unsafe"
        (body,) = ic.fix_model(text, engines=["mujoco"], unsafe=True).bodies
    assert body.status == "fixed"
    assert np.diag(matrix(body.new)) == pytest.approx([1e-14] * 3, rel=1e-5)


def test_an_engine_that_nothing_pleases_leaves_sound_bodies_alone():
    fix = fixed(SOUND, ROD, refusal=lambda *_: "never")
    assert [body.status for body in fix.bodies] == ["engine-refused", "engine-refused"]
    assert fix.data == fix.source.data
    assert fix.bodies[1].new is None
    assert "mujoco rejects it (never)" in fix.bodies[1].reason
    assert not fix.complete


def test_a_broken_body_is_mended_all_the_same_and_the_engine_is_told():
    fix = fixed(BROKEN, refusal=lambda *_: "never")
    assert fix.bodies[0].status == "fixed"
    assert fix.changed
    assert "still mujoco rejects it (never)" in fix.bodies[0].reason
    assert not fix.complete


def test_what_pleases_one_engine_is_done_though_another_is_not_pleased():
    def predict(model, judgements):
        thin = judgements[0].I_BBcm_Bi[5] < 1e-14
        said = {"mujoco": "reject" if thin else "accept", "gz": "drop"}
        return [{name: Prediction(name, "0", action) for name, action in said.items()}]

    with patch("inertial_check.fixing.methods.predict", predict):
        fix = ic.fix_model(urdf(ROD).encode(), engines=["gz", "mujoco"])
        only = ic.fix_model(urdf(ROD).encode(), engines=["gz"])
    (body,) = fix.bodies
    assert (body.status, fix.complete) == ("fixed", False)
    assert body.engines == {"gz": ("drop", "drop"), "mujoco": ("reject", "accept")}
    assert only.bodies[0].status == "engine-refused"
    assert not only.changed


def test_a_zero_inertia_is_not_invented():
    (body,) = fixed(("0",) * 6).bodies
    assert body.status == "numerically-zero"
    assert body.new is None
    assert "write the body's inertia" in body.reason


def test_a_missing_inertial_is_not_invented_and_the_engine_is_told():
    joint = '<joint name="j" type="continuous"><parent link="link0"/><child link="bare"/></joint>'
    text = urdf(SOUND).replace("</robot>", f'<link name="bare"/>{joint}</robot>')
    with asking(least(1e-14)):
        fix = ic.fix_model(text.encode(), engines=["mujoco"])
    assert [body.status for body in fix.bodies] == ["unchanged", "engine-refused"]
    assert "it moves and has no inertial" in fix.bodies[1].reason
    assert not fix.changed


def test_a_negative_mass_stays_what_it_is():
    text = urdf(SOUND, mass="-1").encode()
    with asking(least(1e-14)):
        (body,) = ic.fix_model(text, engines=["mujoco"]).bodies
    assert body.status == "negative-mass"


def test_a_plate_askew_is_moved_though_it_is_taken_by_luck():
    """MuJoCo decides it by the last bits of the moments that it computes; others do not."""
    askew = ("0.2", "0.05", "0", "0.2", "0", "0.4")
    with asking(lambda *_: None):
        for six, status in ((askew, "fixed"), (PLATE, "unchanged"), (SOUND, "unchanged")):
            (body,) = ic.fix_model(urdf(six).encode(), engines=["mujoco"]).bodies
            assert body.status == status
            assert body.relative_change < 1e-6
        assert "last bits" in body.reason or body.status == "unchanged"


def test_a_margin_and_an_engine_both_hold():
    fix = fixed(ROD, margin=0.1, unsafe=True)
    assert fix.bodies[0].margin == pytest.approx(0.1, abs=1e-6)
