"""fix on MJCF: only digits of the inertia change, where they stand, in the form they have."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from fixing import causing, meant
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES
from inertial_check.programs.cli.main import main
from mjcf_documents import masked

fix_nearest = partial(ic.fix_model, method="nearest")

DIAGONAL = 'diaginertia="0.0110  0.0220\n\t0.0335"'
FULL = "fullinertia='0.0110 0.0220 0.0335 1e-4 0 -0.00020'"
SOUND = 'diaginertia="1 1 1"'


def document(*inertias, compiler=""):
    bodies = "".join(
        f'<body name="b{i}"><joint/>\n <inertial pos="0 0 .1" {six} mass="1.5"/>'
        f"<!-- {six} --></body>"
        for i, six in enumerate(inertias)
    )
    return f"<?xml version='1.0'?>\n<mujoco>{compiler}<worldbody>{bodies}</worldbody></mujoco>\n"


def verdicts(data):
    return [body.judgement.verdict for body in ic.check_model(data).bodies]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("six", [DIAGONAL, FULL])
def test_only_digits_change(six, encoding, ends):
    data = document(six, SOUND).replace("\n", ends).encode(encoding)
    fix = fix_nearest(data)
    assert [body.status for body in fix.bodies] == ["fixed", "unchanged"]
    before, after = (version.decode(encoding).encode() for version in (data, fix.data))
    assert masked(before) == masked(after)
    assert before != after
    assert verdicts(fix.data)[0] in ("consistent", "boundary")


def test_a_diagonal_becomes_full_where_products_were_meant():
    text = document('diaginertia="0.0110  0.0220 0.0335"')
    with causing(b0=[meant(ixy=0.001, izz=0.02)]):
        fix = ic.fix_model(text.encode(), unsafe=True)
    assert fix.data.decode() == text.replace(
        'diaginertia="0.0110  0.0220 0.0335"', 'fullinertia="0.0110 0.0220 0.0200 0.001 0 0"', 1
    )


@pytest.mark.parametrize("axes", ["1 0 0 0", "0.6 0 .8 0", "-2 2 1 0.5"])
def test_a_diagonal_with_axes_turns_them_where_products_were_meant(axes):
    """A fullinertia beside a quat is none for MuJoCo."""
    data = document(f'diaginertia="0.0110  0.0220 0.0335" quat="{axes}"').encode()
    with causing(b0=[meant(ixy=0.001, izz=0.02)]):
        fix = ic.fix_model(data, unsafe=True)
    assert [body.status for body in fix.bodies] == ["fixed"]
    before, after = (load(version).bodies[0].inertial for version in (data, fix.data))
    R_before, R_after = np.array(before.R_BBi), np.array(after.R_BBi)
    meaning = np.array([[0.011, 0.001, 0], [0.001, 0.022, 0], [0, 0, 0.02]])
    moments = np.diag([after.I_BBcm_Bi[name].value for name in ("ixx", "iyy", "izz")])
    away = R_after @ moments @ R_after.T - R_before @ meaning @ R_before.T
    assert np.linalg.norm(away) < 1e-6 * np.linalg.norm(meaning)
    written = np.diag([0.011, 0.022, 0.0335])
    change = np.linalg.norm(meaning - written) / np.linalg.norm(written)
    assert fix.bodies[0].relative_change == pytest.approx(change, rel=1e-5)


@pytest.mark.parametrize("axes", ['euler="10 20 30"', 'zaxis="1 1 0"'])
def test_axes_that_are_no_quaternion_leave_products_to_the_reader(axes):
    text = document(f'diaginertia="0.0110  0.0220 0.0335" {axes}')
    with causing(b0=[meant(ixy=0.001, izz=0.02)]):
        fix = ic.fix_model(text.encode(), unsafe=True)
    assert [body.status for body in fix.bodies] == ["unwritten"]
    assert not fix.changed


def test_a_diagonal_stays_one_and_its_products_stay_unwritten():
    fixed = load(fix_nearest(document(DIAGONAL).encode()).data).bodies[0].inertial
    written = [entry for entry in ENTRIES if fixed.I_BBcm_Bi[entry].span is not None]
    assert written == ["ixx", "iyy", "izz"]
    assert (
        "fullinertia" not in fix_nearest(document(DIAGONAL).encode()).data.decode().split("<!--")[0]
    )


def test_the_numbers_of_fullinertia_keep_their_order():
    """That the smallest moment stays at the y-axis shows in which place each number is written."""
    fix = fix_nearest(document("fullinertia='3 1 4.4 0 0 0'").encode(), unsafe=True)
    six = [float(n) for n in re.search(rb"fullinertia='([^']*)'", fix.data)[1].split()]
    assert six == pytest.approx([3 + 0.4 / 3, 1 + 0.4 / 3, 4.4 - 0.4 / 3, 0, 0, 0], rel=1e-6)


@pytest.mark.parametrize("turn", ['quat="0.3 0.4 0.5 0.6"', 'euler="10 20 30"', 'zaxis="1 1 0"'])
def test_the_axes_stay(turn):
    data = document(f"{DIAGONAL} {turn}").encode()
    fix = fix_nearest(data)
    before, after = (load(version).bodies[0].inertial for version in (data, fix.data))
    assert before.R_BBi == after.R_BBi
    assert before.mass.text == after.mass.text


@pytest.mark.parametrize(
    ("six", "status"),
    [
        ('diaginertia="1 1,0 4"', "malformed"),
        ('fullinertia="1 1 4 0 0 0" euler="0 0 1"', "malformed"),
        ('diaginertia="1 1 -4"', "needs-unsafe"),
        ('diaginertia="1 1 nan"', "non-finite"),
        ('diaginertia="1e-15 1e-15 3e-15"', "numerically-zero"),
    ],
)
def test_what_is_left_alone(six, status):
    data = document(six).encode()
    fix = fix_nearest(data)
    assert [body.status for body in fix.bodies] == [status]
    assert fix.data == data


def test_what_the_geometry_gives_is_not_touched():
    data = document(
        DIAGONAL + ' mass="1"/><geom size="1"', compiler='<compiler inertiafromgeom="true"/>'
    ).encode()
    fix = fix_nearest(data)
    assert (fix.data, fix.bodies[0].status) == (data, "unchanged")


def test_settings_that_make_mujoco_accept_it_do_not_keep_it_from_being_fixed():
    data = document(DIAGONAL, compiler='<compiler balanceinertia="true"/>').encode()
    assert fix_nearest(data).changed


@pytest.fixture
def including(tmp_path) -> Path:
    """Two models, each with a body of its own, that include the same two."""
    (tmp_path / "parts").mkdir()
    part = document(FULL, DIAGONAL).split("<worldbody>")[1].split("</worldbody>")[0]
    (tmp_path / "parts" / "arm.xml").write_text(f"<mujocoinclude>{part}</mujocoinclude>")
    for name in ("one", "two"):
        own = document(DIAGONAL).replace("b0", f"own of {name}")
        include = '<include file="parts/arm.xml"/></worldbody>'
        (tmp_path / f"{name}.xml").write_text(own.replace("</worldbody>", include))
    return tmp_path


def test_included_numbers_are_shown_and_written_where_they_stand(including, capsys):
    one, part = including / "one.xml", including / "parts" / "arm.xml"
    before = {path: path.read_bytes() for path in (one, part)}
    assert main(["fix", "--method=nearest", str(one)]) == 1
    shown = capsys.readouterr()
    assert f"+++ b{one}" in shown.out
    assert f"+++ b{part}" in shown.out
    assert f"{part}:1: [b0] fixed" in shown.err
    assert before == {path: path.read_bytes() for path in (one, part)}
    assert main(["fix", "--method=nearest", "--write", str(one)]) == 0
    for path, old in before.items():
        assert path.read_bytes() != old
        assert masked(path.read_bytes()) == masked(old)
    assert main(["check", str(one)]) == 0


def test_models_that_share_an_included_document_are_fixed_together(including, capsys):
    assert main(["fix", "--method=nearest", "--write", str(including)]) == 0
    assert main(["check", str(including)]) == 0
    assert main(["fix", "--method=nearest", str(including)]) == 0


def test_another_file_cannot_take_numbers_of_an_included_one(including, capsys):
    target = including / "new.xml"
    assert main(["fix", "--method=nearest", "-o", str(target), str(including / "one.xml")]) == 2
    assert "--write changes them there" in capsys.readouterr().err
    assert not target.exists()


def test_a_document_that_changed_meanwhile_is_left(including):
    fix = fix_nearest(including / "one.xml")
    part = including / "parts" / "arm.xml"
    part.write_bytes(part.read_bytes() + b"<!-- mine -->")
    kept = part.read_bytes()
    with pytest.raises(ic.UsageError, match="has changed"):
        fix.write()
    assert part.read_bytes() == kept
