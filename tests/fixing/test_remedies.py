"""Remedies: what is chosen for a body, what is written unasked, and what a trial withdraws."""

import json
import os
import random
import shlex
from pathlib import Path

import pytest

import inertial_check as ic
from fixing import causing, meant, ten, urdf
from inertial_check.programs.cli.main import main

ROOT = Path(__file__).parents[2]
ARM = str(ROOT / "data" / "arm.urdf")
SLIPPED = ("0.02", "0", "0", "0.03", "0", "0.40")
SLIGHT = ("0.02", "0", "0", "0.03", "0", "0.0505")


def check(capsys, *argv):
    main(["check", "--isolated", *map(str, argv)])
    return capsys.readouterr().out


def remedies(capsys, path):
    (file,) = json.loads(check(capsys, path, "--output-format", "json"))["files"]
    return {each["body"]: each["remedy"] for each in file["findings"]}


def commands(text):
    lines = text.replace("\\\n", " ").splitlines()
    found = (line[line.index("inertial-check fix") :] for line in lines if "-check fix" in line)
    return [[*words] for words in dict.fromkeys(tuple(shlex.split(each)[1:]) for each in found)]


def test_no_line_of_the_readme_arm_writes_the_nearest_body_over_a_lost_zero(capsys, tmp_path):
    """The bug: the last line recommended 0.0318, 0.0563, 0.0246 where a zero was lost."""
    path = tmp_path / "arm.urdf"
    text = Path(ARM).read_text()
    for command in commands(check(capsys, ARM)):
        path.write_text(text)
        main([*(str(path) if word == ARM else word for word in command), "--write"])
        forearm = ten(next(b for b in ic.load(path).bodies if b.name == "forearm"))
        assert [forearm[each] for each in ("ixx", "izz")] == ["0.00801", "0.00081"]
        assert forearm["iyy"] in ("0.0801", "0.00801")
    capsys.readouterr()
    path.write_text(text)
    main(["fix", "--write", "--unsafe", str(path)])
    assert 'iyy="0.00801"' in path.read_text()


def test_all_that_speaks_of_a_body_says_the_same(capsys):
    """JSON, SARIF, rdjson, the page and `fix` have one set of edits."""
    found = remedies(capsys, ARM)["forearm"]
    assert found["edits"][0]["entries"] == {"iyy": "0.00801"}
    assert (found["source"], found["safe"], found["leaves"]) == ("cause", False, [])
    sarif = json.loads(check(capsys, ARM, "--output-format", "sarif"))
    texts = [
        replacement["insertedContent"]["text"]
        for result in sarif["runs"][0]["results"]
        for fix in result.get("fixes", ())
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    assert texts[0] == "0.00801"
    rdjson = json.loads(check(capsys, ARM, "--output-format", "rdjson"))
    assert rdjson["diagnostics"][0]["suggestions"][0]["text"] == "0.00801"
    main(["fix", "--unsafe", "--output-format", "json", ARM])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    forearm = next(each for each in file["bodies"] if each["name"] == "forearm")
    assert (forearm["new"]["iyy"], forearm["source"]) == (0.00801, "cause")
    assert forearm["confidence"] == found["confidence"]


@pytest.mark.parametrize("izz", ["108.5602", "1.49867588"])
def test_the_one_right_moment_beside_two_that_are_missing_is_not_changed(capsys, tmp_path, izz):
    """The bug: ixx = iyy = 0, and --unsafe, which was recommended, changed izz."""
    path = tmp_path / "kuka.urdf"
    path.write_text(urdf(("0", "0", "0", "0", "0", izz), mass="84.207"))
    text = check(capsys, path)
    assert "IC301" in text
    assert commands(text) == []
    assert not ic.fix_model(path, unsafe=True).changed
    remedy = remedies(capsys, path)["link0"]
    assert (remedy["source"], remedy["edits"], remedy["safe"]) == ("hand", [], False)
    assert "unpopulated" in remedy["why"]


def test_within_the_printed_digits_it_is_written_however_far_it_is():
    """0.6 stands for anything from 0.55 to 0.65, and 0.3 and 0.2 can be 0.35 and 0.25."""
    (body,) = ic.fix_model(urdf(("0.3", "0", "0", "0.2", "0", "0.6")).encode()).bodies
    assert (body.status, body.source, body.confidence) == ("fixed", "nearest", 1.0)
    assert body.relative_change > 0.05
    assert all(abs(b - a) <= 0.05 for a, b in zip(body.old, body.new, strict=True))


@pytest.mark.parametrize(("fraction", "status"), [(None, "fixed"), (0.001, "needs-unsafe")])
def test_the_nearest_body_is_written_up_to_a_limit(fraction, status):
    with causing(link0=[meant(izz=0.04)._replace(confidence=0.2)]):
        (body,) = ic.fix_model(urdf(SLIGHT).encode(), max_change=fraction).bodies
    assert (body.status, body.source) == (status, "nearest")


def test_far_from_any_body_a_plausible_cause_is_better_than_the_nearest_body():
    with causing(link0=[meant(izz=0.04)._replace(confidence=0.4)]):
        (body,) = ic.fix_model(urdf(SLIPPED).encode(), unsafe=True).bodies
    assert (body.source, body.new[5]) == ("cause", 0.04)


def test_what_a_table_expects_comes_first():
    told = [meant("expected", izz=0.045)._replace(confidence=1.0), meant(izz=0.04)]
    with causing(link0=told):
        (body,) = ic.fix_model(urdf(SLIPPED).encode()).bodies
    assert (body.status, body.source, body.new[5]) == ("fixed", "expected", 0.045)


def test_a_command_repeats_the_table_that_it_needs(capsys, tmp_path):
    """Also the right izz of wrist_2, which no other evidence tells."""
    table = tmp_path / "expected.csv"
    table.write_text(
        "body,ixx,ixy,ixz,iyy,iyz,izz\nwrist_2,0.00022663,0,0,0.00022663,0,0.00042525\n"
    )
    found = commands(check(capsys, ARM, "--expect", table))
    command = next(each for each in found if each.count("--body") == 1 and "wrist_2" in each)
    assert "--unsafe" not in command
    main(command)
    diff = capsys.readouterr().out
    assert 'izz="0.00042525"' in diff
    assert diff.count("\n+ ") == 1


def test_bodies_that_can_exist_are_changed_only_where_that_is_asked_for():
    crumbs = ("1e-13", "0", "0", "1e-13", "0", "1e-13")
    document = urdf(crumbs).encode()
    with causing(link0=[meant("units", ixx=0.011, iyy=0.012, izz=0.013)]):
        assert not ic.fix_model(document, unsafe=True).changed
        for asked in ({"all_remedies": True}, {"bodies": ["link0"]}, {"select": ["IC304"]}):
            fix = ic.fix_model(document, unsafe=True, **asked)
            assert [body.status for body in fix.bodies] == ["fixed"]
            assert not ic.fix_model(document, **asked).changed  # 90 % sure


def test_a_remedy_that_brings_other_findings_is_none(tmp_path, capsys):
    """IC102 for IC301: as many findings, and an error that was not there."""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(SLIPPED))
    with causing(link0=[meant(izz=0.04, mass=0.0)]):
        remedy = remedies(capsys, path)["link0"]
        assert commands(check(capsys, path)) == []
    assert remedy["source"] == "hand"
    assert "would not do: IC102" in remedy["why"]


def leg(side, sign, wrong):
    """Three links of a leg; the thigh of the right one may have its centre on the wrong side."""
    links, parent = "", "base"
    for name, y, mass in (("hip", 0.1, 2.0), ("thigh", 0.02, 1.5), ("shin", 0.01, 1.1)):
        center = 0.03 * (-sign if wrong == name and side == "right" else sign)
        six = (
            "0 0 0 0 0 0"
            if wrong == f"zero {name}" and side == "right"
            else (
                f"{0.01 * mass} {sign * 1.234567890123e-4} 0.0005 {0.012 * mass} 0 {0.008 * mass}"
            )
        )
        numbers = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), six.split(), strict=True)
        inertia = " ".join(f'{key}="{text}"' for key, text in numbers)
        links += (
            f'<link name="{side}_{name}"><inertial><origin xyz="0.01 {center} -0.1"/>'
            f'<mass value="{mass}"/><inertia {inertia}/></inertial></link>'
            f'<joint name="{side}_{name}_joint" type="revolute"><parent link="{parent}"/>'
            f'<child link="{side}_{name}"/><origin xyz="0 {sign * y} -0.2"/><axis xyz="0 1 0"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\n'
        )
        parent = f"{side}_{name}"
    return links


def walker(wrong=""):
    both = leg("left", 1, wrong) + leg("right", -1, wrong)
    return f'<robot name="walker"><link name="base"/>\n{both}</robot>\n'


def test_a_link_without_inertia_takes_the_numbers_of_its_twin(capsys, tmp_path):
    """Reflected, and with the digits that stand there."""
    path = tmp_path / "walker.urdf"
    path.write_text(walker("zero shin"))
    remedy = remedies(capsys, path)["right_shin"]
    assert (remedy["source"], remedy["safe"]) == ("twin", False)
    text = check(capsys, path)
    assert "left_shin, its twin, has the numbers" in check(capsys, path, "-v")
    main([*commands(text)[0], "--write"])
    assert path.read_text() == walker()


def test_of_two_twins_that_differ_one_is_changed(capsys, tmp_path):
    """The bug: both were refused together, though either alone works."""
    path = tmp_path / "walker.urdf"
    path.write_text(walker())
    document = walker("thigh").replace('ixx="0.015"', 'ixx="0.0151"')
    assert ic.check_model(document.encode()).findings
    told = {
        "left_thigh": [meant("mirror", y=-0.03)._replace(confidence=0.7)],
        "right_thigh": [meant("mirror", y=-0.03)._replace(confidence=0.8)],
    }
    path.write_text(walker("thigh"))
    with causing(**told):
        found = {
            body.name: body.status
            for body in ic.fix_model(path, all_remedies=True, unsafe=True).bodies
        }
        remedy = remedies(capsys, path)
    assert (found["left_thigh"], found["right_thigh"]) == ("cause-refused", "fixed")
    assert {each["bodies"][0] for each in remedy.values()} == {"right_thigh"}


def test_one_body_of_each_of_many_pairs_is_changed():
    """The bug: pairs were settled one at a time, and what eight trials left was given up."""
    rng, links, causes = random.Random(3), "", {}
    for pair in range(10):
        mass, large = f"{rng.uniform(1, 9):.5f}", [f"{rng.uniform(1, 1.9):.5f}" for _ in range(3)]
        x, y, z, ixy, ixz, iyz = (f"{rng.uniform(0.01, 0.2):.6f}" for _ in range(6))
        for side, sign in (("here", ""), ("there", "-")):
            causes[f"{side}_{pair}"] = [meant("mirror", ixy=-float(f"{sign}{ixy}"))]
            links += (
                f'<link name="{side}_{pair}"><inertial><origin xyz="{x} {y} {z}"/>'
                f'<mass value="{mass}"/><inertia ixx="{large[0]}" iyy="{large[1]}" '
                f'izz="{large[2]}" ixy="{sign}{ixy}" ixz="{ixz}" iyz="{iyz}"/></inertial></link>'
            )
    document = f'<robot name="pairs">{links}</robot>'.encode()
    told = {each.body for each in ic.check_model(document).findings if each.code == "IC605"}
    assert len(told) == 20
    with causing(**causes):
        fix = ic.fix_model(document, unsafe=True, all_remedies=True)
    fixed = sorted(body.name.partition("_")[2] for body in fix.bodies if body.status == "fixed")
    assert fixed == sorted(map(str, range(10)))


def test_a_sign_keeps_the_digits(tmp_path):
    """The bug: 2.6443337984506E-07 -> -2.6443337984500E-07, as a cause tells twelve digits."""
    six = ("0.02", "2.6443337984506E-07", "0", "0.03", "0", "0.40")
    document = urdf(six).encode()
    with causing(link0=[meant(ixy=-2.64433379845e-07, izz=0.04)]):
        fix = ic.fix_model(document, unsafe=True)
    expected = document.replace(b'"2.6443337984506E-07"', b'"-2.6443337984506E-07"')
    assert fix.data == expected.replace(b'"0.40"', b'"0.040"')


def test_a_finding_of_the_whole_model_has_a_diff_and_a_command_on_the_page(data_dir):
    from inertial_check.reports.page.scene import read_scene

    path = os.path.relpath(data_dir / "defects" / "ic507-negated-products.urdf")
    scene = read_scene(path).as_dict()
    (finding,) = scene["findings"]
    assert len(finding["remedy"]["lines"]) == 3
    assert finding["remedy"]["command"].startswith("inertial-check fix ")


def test_commands_of_the_page_repeat_the_options_of_the_check(capsys, tmp_path):
    table, page = tmp_path / "expected.csv", tmp_path / "page.html"
    table.write_text("body,mass\nforearm,1.35\n")
    check(capsys, ARM, "--expect", table, "--output-format", "html", "--output-file", page)
    text = page.read_text()
    head = f"inertial-check fix --isolated --expect {table} "
    assert f"{head}--unsafe --body forearm" in text
    assert text.count("inertial-check fix ") == text.count(head)


def test_an_expected_mass_leaves_a_broken_tensor_to_other_evidence(capsys, tmp_path):
    """The bug: a broken tensor was scaled with the mass, which no trial accepts: by hand."""
    table, path = tmp_path / "expected.csv", tmp_path / "arm.urdf"
    table.write_text("body,mass\nforearm,2.7\n")
    path.write_text(Path(ARM).read_text())
    options = ["--isolated", "--unsafe", "--write", "--expect", str(table), "--body", "forearm"]
    for _ in range(2):
        main(["fix", *options, str(path)])
    capsys.readouterr()
    forearm = ten(next(b for b in ic.load(path).bodies if b.name == "forearm"))
    found = [float(forearm[each]) for each in ("mass", "ixx", "iyy", "izz")]
    assert found == [2.7, 0.01602, 0.01602, 0.00162]


def test_the_page_shows_the_products_that_a_diagonal_is_given(tmp_path):
    """The bug: only the moments were shown, in a diaginertia that the fix replaces."""
    from inertial_check.reports.page.scene import read_scene

    path = tmp_path / "r.xml"
    path.write_text(
        "<mujoco><worldbody><body name='b0'><joint/>"
        '<inertial pos="0 0 0" mass="1" diaginertia="0.011 0.022 0.0335"/>'
        "</body></worldbody></mujoco>"
    )
    with causing(b0=[meant(ixy=0.001, izz=0.02)]):
        (finding,) = read_scene(str(path)).as_dict()["findings"]
    (line,) = finding["remedy"]["lines"]
    assert 'fullinertia="0.011 0.022 0.0200 0.001 0 0"' in line["new"]["text"]


@pytest.mark.parametrize(
    ("izz", "source", "reason"),
    [("-9e-06", "cause", "wrong-entry"), ("-0.002", "nearest", "izz is the only one that can be")],
)
def test_one_number_that_alone_can_be_wrong_is_changed_alone(izz, source, reason):
    """The bug: the nearest body moved six numbers, 0.0135 of one being lost (a public report)."""
    six = ("0.000476", "2.9e-05", "0.001403", "0.009564", "1.5e-05", izz)
    document = urdf(six).encode()
    assert [each.status for each in ic.fix_model(document).bodies] == ["needs-unsafe"]
    fix = ic.fix_model(document, unsafe=True)
    (body,) = fix.bodies
    assert body.source == source
    assert reason in body.reason
    assert body.new[:5] == tuple(map(float, six[:5]))
    assert body.new[5] == pytest.approx(0.009437, rel=0.05)  # that of the maintainers
    assert ic.fix_model(document, method="nearest", unsafe=True).bodies[0].new[3] != 0.009564


SHAPE = """<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>"""


def test_shapes_tell_a_tensor_that_was_never_written(tmp_path):
    """The bug: by hand, though the shapes of the body say what it is near to."""
    path = tmp_path / "r.urdf"
    text = urdf(("0", "0", "0", "0", "0", "1.49867588"))
    path.write_text(text.replace("</inertial>", f"</inertial>{SHAPE}", 1))
    (safe,) = ic.fix_model(str(path)).bodies
    assert (safe.status, safe.source) == ("needs-unsafe", "shapes")
    (body,) = ic.fix_model(str(path), unsafe=True).bodies
    mass = float(ten(ic.load(path).bodies[0])["mass"])
    box = [mass / 12 * (a * a + b * b) for a, b in ((0.2, 0.3), (0.1, 0.3), (0.1, 0.2))]
    assert [body.new[at] for at in (0, 3, 5)] == pytest.approx(box, rel=1e-5)
    path.write_text(text)
    assert [each.status for each in ic.fix_model(str(path)).bodies] == ["cause-without-edit"]


def test_what_brings_another_finding_is_unsafe_however_near_it_is(tmp_path, capsys):
    """The bug: an error became a warning that was not there, unasked."""
    path = tmp_path / "r.urdf"
    slight = ("0.001", "0", "0", "0.00100001", "0", "0.00200003")
    path.write_text(urdf(slight).replace("</inertial>", f"</inertial>{SHAPE}", 1))
    before = {each.code for each in ic.check_model(str(path)).findings}
    fix = ic.fix_model(str(path))
    after = {each.code for each in ic.check_model(fix.data).findings}
    assert after <= before


def test_a_body_that_nothing_is_written_for_is_told_with_all_remedies():
    """The bug: a moved link without an inertial was said to need no fix."""
    statuses = {each.name: each.status for each in ic.fix_model(ARM, all_remedies=True).bodies}
    assert statuses["finger_right"] == "missing"


def test_remedies_of_macros_do_not_fail(tmp_path, capsys):
    """The bug: bodies of macros were counted among those of the model, and no remedy was found."""
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="arm" params="p">'
        '<link name="${p}a"><inertial><mass value="1"/>'
        '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.40"/></inertial></link>'
        "</xacro:macro></robot>"
    )
    main(["check", "--isolated", str(path)])
    shown = capsys.readouterr()
    assert "failed" not in shown.err
    (command,) = commands(shown.out)
    main(command)
    assert 'izz="0.040"' in capsys.readouterr().out


SHARED = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="izz" value="0.40"/><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0"
izz="${{izz}}"/></inertial></link><link name="b"><inertial><mass value="1"/><inertia ixx="{ixx}"
ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="${{izz}}"/></inertial></link>
<joint name="j" type="fixed"><parent link="base"/><child link="a"/></joint>
<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>
"""


def test_a_property_is_edited_where_all_its_uses_agree_and_else_it_is_said(tmp_path, capsys):
    path = tmp_path / "r.xacro"
    path.write_text(SHARED.format(ixx=0.025, iyy=0.03))
    main([*commands(check(capsys, path))[-1]])
    diff = capsys.readouterr().out
    assert [line for line in diff.splitlines() if line.startswith("+<")] == [
        '+<xacro:property name="izz" value="0.040"/><link name="base"/>'
    ]
    path.write_text(SHARED.format(ixx=0.3, iyy=0.35))
    shown = " ".join(check(capsys, path).split())
    assert "fix: by hand: izz = 0.040 would change izz of b" in shown


def test_a_group_says_how_sure_it_is_of_its_least_sure_body(capsys, tmp_path):
    """The bug: "2 bodies, 97 %" where the cause of one was 84 % sure."""
    path = tmp_path / "r.urdf"
    path.write_text(urdf(SLIPPED, SLIPPED))
    told = meant(izz=0.04)
    with causing(link0=[told._replace(confidence=0.97)], link1=[told._replace(confidence=0.84)]):
        assert "why: decimal-slip (84 to 97 %)" in check(capsys, path)
