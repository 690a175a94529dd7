"""The remedies beside the findings are what `fix` writes, body by body."""

import numpy as np
import pytest

from inertial_check.checking.check import ReportContent
from inertial_check.checking.evidence import assembly
from inertial_check.checking.settings import Settings
from inertial_check.fixing import request
from inertial_check.fixing.edits import fix_model
from inertial_check.running.run import CheckRequest, check_paths

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


INERTIA = '<inertia ixx="{ixx}" ixy="{ixy}" ixz="0" iyy="0.03" iyz="0" izz="0.08"{more}/>'
LINK = '<link name="{name}"><inertial><mass value="1"/>' + INERTIA + "</inertial></link>"


def link(name, ixx="0.02", ixy="0", more=""):
    return LINK.format(name=name, ixx=ixx, ixy=ixy, more=more)


def urdf(*links, end="\n"):
    return end.join(["<robot name='r'>", *links, "</robot>"])


def remedies(path):
    request = CheckRequest([str(path)], settings_of, content=ReportContent(remedies=True))
    report = check_paths(request)
    return {each.body: each.remedy for each in report.findings if each.remedy and each.remedy.edits}


def offset(text, line, column):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return sum(len(each) + 1 for each in lines[: line - 1]) + column - 1


def applied(text, found):
    """The text with every replacement made, as an editor makes them."""
    places = {each.place: each.text for one in found.values() for each in one.replacements}
    for place, new in sorted(places.items(), reverse=True):
        start, end = offset(text, place[0], place[1]), offset(text, place[2], place[3])
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_all_together_they_are_what_fix_writes(tmp_path, encoding):
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    head = f"<?xml version='1.0' encoding='{declared}'?>\n<!-- \u00e9 -->"
    text = head + urdf(link("a\u00e9"), link("fine", "0.06"), link("b", "0.03"))
    path = tmp_path / "r.urdf"
    path.write_bytes(text.encode(encoding))
    found = remedies(path)
    assert found.keys() == {"a\u00e9", "b"}
    fixed = fix_model(str(path), unsafe=True)
    assert applied(text, found).encode(encoding) == fixed.data


def test_each_body_has_its_own(tmp_path):
    """On one line, too."""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(link("a"), link("b"), end=""))
    found = remedies(path)
    columns = {
        name: {each.place.column for each in one.replacements} for name, one in found.items()
    }
    assert max(columns["a"]) < min(columns["b"])
    assert found["a"].source == "nearest"


def test_what_the_tag_states_again_belongs_to_the_body(tmp_path):
    text = urdf(link("a", ixy="0.02", more=' iyx="0.02"'), link("b", "0.06"))
    path = tmp_path / "r.urdf"
    path.write_text(text)
    found = remedies(path)
    assert applied(text, found).encode() == fix_model(str(path), unsafe=True).data


def test_bodies_that_are_not_mended_have_none(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(urdf(link("a"), link("b").replace('value="1"', 'value="-1"')))
    assert remedies(path).keys() == {"a"}


def test_numbers_of_an_included_document_are_changed_there(tmp_path):
    (tmp_path / "part.xml").write_text(
        '<mujoco><worldbody><body name="a"><joint/><inertial pos="0 0 0" mass="1" '
        'diaginertia="0.02 0.03 0.08"/></body></worldbody></mujoco>'
    )
    path = tmp_path / "r.xml"
    path.write_text('<mujoco model="r"><include file="part.xml"/></mujoco>')
    (remedy,) = remedies(path).values()
    assert {each.place.path for each in remedy.replacements} == {str(tmp_path / "part.xml")}


def test_twins_with_one_mistake_change_together(tmp_path):
    """The bug: of two legs that lack the same zero, a command for one was refused by itself."""
    leg = """<link name="{0}_uleg"><inertial><origin xyz="0 0 -0.21"/><mass value="7.227"/>
<inertia ixx="0.0453457" ixy="0" ixz="0" iyy="0.09" iyz="0" izz="0.0071591"/></inertial></link>
<joint name="{0}_hip" type="revolute"><origin xyz="0 {1} 0"/><parent link="base"/>
<child link="{0}_uleg"/><axis xyz="1 0 0"/></joint>"""
    path, legs = tmp_path / "r.urdf", leg.format("l", "0.1") + leg.format("r", "-0.1")
    path.write_text(urdf('<link name="base"/>', legs))
    found = remedies(path)
    assert {body: each.bodies for body, each in found.items()} == {
        "l_uleg": ("l_uleg", "r_uleg"),
        "r_uleg": ("r_uleg", "l_uleg"),
    }
    alone = fix_model(str(path), bodies=["l_uleg"], unsafe=True)
    both = fix_model(str(path), bodies=["l_uleg", "r_uleg"], unsafe=True)
    assert [body.status for body in alone.bodies if body.name == "l_uleg"] == ["cause-refused"]
    assert [body.status for body in both.bodies if body.name != "base"] == ["fixed", "fixed"]


def test_copies_with_one_mistake_change_together(tmp_path):
    """The bug: a command for one of three equal links was refused: the others have its digits."""
    block = """<link name="{0}"><inertial><mass value="0.0119962"/>
<inertia ixx="1.01666E-06" ixy="0" ixz="0" iyy="4.8291E-07" iyz="0" izz="1.01666E-06"/></inertial>
<visual><geometry><box size="0.0196 0.0275 0.0164"/></geometry></visual></link>"""
    sizes = np.square([0.0196, 0.0275, 0.0164])
    ixx, iyy = (0.0119962 / 12 * (sizes.sum() - sizes[:2])).tolist()
    block = block.replace("1.01666E-06", f"{ixx:.6g}").replace("4.8291E-07", f"{iyy:.6g}")
    path = tmp_path / "r.urdf"
    path.write_text(urdf(*(block.format(name) for name in ("a", "b", "c"))))
    found = remedies(path)
    assert set(found) == {"a", "b", "c"}
    assert all(sorted(each.bodies) == ["a", "b", "c"] for each in found.values())
    every = fix_model(str(path), bodies=["a", "b", "c"], unsafe=True)
    assert [body.status for body in every.bodies] == ["fixed"] * 3


def test_copies_that_no_body_can_have_change_together(tmp_path):
    """The bug: a command for one of two such bodies was printed, and refused: its copy has them."""
    block = """<link name="{}"><inertial><origin xyz="0.001453 -0.000453 0.029787"/>
<mass value="2.234"/><inertia ixx="0.05864" ixy="0.000124" ixz="0.000615" iyy="0.058786"
iyz="1.4e-05" izz="1.53244"/></inertial></link>"""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(block.format("a"), block.format("b")))
    assert all(sorted(each.bodies) == ["a", "b"] for each in remedies(path).values())
    both = fix_model(str(path), bodies=["a", "b"], unsafe=True)
    assert [body.status for body in both.bodies] == ["fixed"] * 2


@pytest.mark.parametrize(("wrong", "compared"), [("c", 1), ("left_b", 2)])
def test_a_trial_looks_again_at_what_it_changes_alone(tmp_path, monkeypatch, wrong, compared):
    """Bodies that stay are not judged again, nor are twins compared of which none changes."""
    calls = {"judged": [], "compared": 0}
    judge, compare_twins = request.judge, assembly.compare_twins

    def judge_some(model, tolerance):
        calls["judged"] += [body.name for body in model.bodies]
        return judge(model, tolerance)

    def compare(*arguments):
        calls["compared"] += 1
        return compare_twins(*arguments)

    monkeypatch.setattr(request, "judge", judge_some)
    monkeypatch.setattr(assembly, "compare_twins", compare)
    path = tmp_path / "r.urdf"
    names = ["left_a", "right_a", "left_b", "right_b", "c"]
    path.write_text(urdf(*(link(name, "0.02" if name == wrong else "0.06") for name in names)))
    assert remedies(path).keys() == {wrong}
    assert calls == {"judged": [wrong], "compared": compared}
