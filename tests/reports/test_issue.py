"""`report --issue`: what it says can be checked by hand, and is so here."""

import subprocess
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.programs.cli.main import main
from inertial_check.reports.issue import describe_effect, prove, try_single_edits

WHOLE = st.integers(-6, 6)


def lowest_minor(six):
    """The least principal minor of half the trace times 1 minus I; negative for no body."""
    xx, xy, xz, yy, yz, zz = map(Fraction, six)
    half = (xx + yy + zz) / 2
    a, d, f, b, c, e = half - xx, half - yy, half - zz, -xy, -xz, -yz
    determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    return min(a, d, f, a * d - b * b, a * f - c * c, d * f - e * e, determinant)


@given(st.tuples(*[WHOLE] * 6))
def test_a_sentence_stands_exactly_where_no_body_has_the_tensor(six):
    assert bool(prove([float(each) for each in six])) is (lowest_minor(six) < 0)


@pytest.mark.parametrize(
    ("six", "words"),
    [
        ((1, 0, 0, 1, 0, 3), "ixx + iyy = 2 is less than izz = 3"),
        ((-1, 0, 0, 1, 0, 3), "ixx = -1 is negative"),
        ((2, 3, 0, 2, 0, 2), "the square of ixy = 3 is more than their product"),
        ((2, 0.6, 0.6, 2, 0.6, 2), "has the determinant"),
        ((2, 0, 0, 2, 0, 2), ""),
        ((1, 0, 0, 1, 0, 2), ""),
    ],
)
def test_the_sentence_names_the_plainest_reason(six, words):
    assert words in prove([float(each) for each in six])
    assert bool(prove([float(each) for each in six])) is bool(words)


def test_every_single_edit_is_tried_once():
    six = (0.00801, 0.0, 0.0, 0.0801, 0.0, 0.00081)
    tried, giving = try_single_edits(six)
    tensors = set()
    for at in (0, 3, 5):
        for factor in (1e-3, 1e-2, 0.1, 10, 100, 1e3, -1):
            tensors.add((*six[:at], six[at] * factor, *six[at + 1 :]))
    for one, other in combinations(range(6), 2):
        new = list(six)
        new[one], new[other] = new[other], new[one]
        if tuple(new) != six:
            tensors.add(tuple(new))
    assert tried == len(tensors)
    assert len(giving) == sum(lowest_minor(each) >= 0 for each in tensors)
    assert "iyy = 0.00801" in giving


def test_the_effect_is_that_of_the_axis_that_changes_most():
    text = describe_effect((1, 0, 0, 1, 0, 0.001), (1, 0, 0, 1, 0, 1.25))
    assert (
        text == "1 N m about z turns it at 1000 rad/s^2 as written, at 0.8 rad/s^2 when corrected."
    )
    assert "is -1 kg m^2, which no body has" in describe_effect(
        (1, 0, 0, 1, 0, -1), (1, 0, 0, 1, 0, 1)
    )


def test_an_issue_names_place_commit_engines_and_the_change(
    project_root, tmp_path, monkeypatch, capsys
):
    text = (project_root / "data" / "arm.urdf").read_text()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "arm.urdf").write_text(text)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    monkeypatch.chdir(tmp_path)
    assert main(["report", "--issue", "sub/arm.urdf", "--body", "forearm"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"sub/arm.urdf:38</code> at commit {head.stdout.strip()}:" in out
    assert "ixx + izz = 0.00882 is less than iyy = 0.0801" in out
    assert "use 'balanceinertia' to fix" in out  # as MuJoCo says it
    assert "wrist_2" not in out
    assert "\n```diff\n--- a/sub/arm.urdf" in out
    (tmp_path / "sub" / "arm.urdf").write_text(text + "\n")
    assert main(["report", "--issue", "sub/arm.urdf", "-o", "issue.md"]) == 0
    written = (tmp_path / "issue.md").read_text()
    assert "with changes that are not committed" in written
    assert "## <code>wrist\\_2</code>: no body has its numbers" in written
    assert "finger" not in written.partition("## The change")[0]  # only a warning


def test_the_twin_stands_beside_it(tmp_path, capsys):
    link = (
        '<link name="{}"><inertial><mass value="1"/><inertia ixx="{}" ixy="0" ixz="0" iyy="2" '
        'iyz="0" izz="2"/></inertial></link>'
    )
    joint = (
        '<joint name="{0}j" type="revolute"><parent link="base"/><child link="{0}"/>'
        '<axis xyz="0 0 1"/><limit effort="1" velocity="1" lower="0" upper="1"/></joint>'
    )
    names = (("left_arm", "20"), ("right_arm", "2"))
    links = "".join(link.format(*each) + joint.format(each[0]) for each in names)
    path = tmp_path / "two.urdf"
    path.write_text(f'<robot name="r"><link name="base"/>{links}</robot>')
    assert main(["report", "--issue", str(path)]) == 0
    assert (
        "Beside it, <code>right\\_arm</code>, its mirror image, has ixx 2,"
        in capsys.readouterr().out
    )


def test_nothing_to_say_and_what_is_no_model(tmp_path, capsys):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r"><link name="base"/></robot>')
    assert main(["report", "--issue", str(path)]) == 0
    assert "no finding to write an issue about" in capsys.readouterr().err
    for arguments in (["--issue", str(tmp_path)], ["--issue", str(path), "--body", "x"]):
        assert main(["report", *arguments]) == 2
    assert main(["report", str(path), "--body", "base"]) == 2
    assert "--issue" in capsys.readouterr().err
    assert ic.check_model(path).findings == ()


def test_each_body_of_a_model_wide_mistake_has_its_own_place_and_an_effect(data_dir, capsys):
    """The bug: all had the line of the first, and "turns it at 555.6 as written, at 555.6"."""
    path = str(data_dir / "defects" / "ic507-negated-products.urdf")
    assert main(["report", "--issue", path]) == 0
    shown = capsys.readouterr().out
    assert [f"urdf:{line}</code>" in shown for line in (7, 13, 22)] == [True] * 3
    assert "ixx 0.00045, ixy 0.00069, ixz 0" in shown
    inverse = np.linalg.inv([[0.0018, 0, -0.0018], [0, 0.0039, 0], [-0.0018, 0, 0.0024]])
    turn = f"{inverse[0, 2]:.4g} rad/s^2 as written, at {-inverse[0, 2]:.4g} rad/s^2"
    assert f"1 N m about x turns it about z, too: at {turn}" in shown


def test_a_centre_of_mass_that_moves_has_its_way():
    six = (1.0, 0.0, 0.0, 2.0, 0.0, 2.5)
    told = describe_effect(six, six, ((0.0, 0.003, 0.1), (0.004, 0.0, 0.1)))
    assert told == "Its centre of mass moves by 5 mm, and its tensor stays."


def test_shapes_are_no_nearest_tensor(tmp_path, capsys):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="12"/><inertia ixx="0" ixy="0" '
        'ixz="0" iyy="0" iyz="0" izz="5"/></inertial><visual><geometry><box size="0.1 0.2 0.3"/>'
        "</geometry></visual></link></robot>"
    )
    assert main(["report", "--issue", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "is the mass spread evenly over the shapes" in shown
    assert "nearest tensor" not in shown
