"""`inertial-check diff`: what is said, in which form, and the exit code."""

import io
import json

import pytest

from inertial_check.programs.cli.main import main

LINK = (
    '<link name="{name}"><inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
    '<inertia ixx="0.0125" ixy="0.0011" ixz="-0.0007" iyy="0.0153" iyz="0.0004" izz="0.0185"/>'
    "</inertial></link>"
)
PLAIN = {"name": "arm", "mass": "1.25", "xyz": "0.1 0 0.2", "rpy": "0.3 0.2 0.9"}


@pytest.fixture
def robot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, *links, extra=""):
        text = "\n".join(LINK.format(**{**PLAIN, **link}) for link in links)
        (tmp_path / name).write_text(f'<robot name="r">\n{text}\n{extra}</robot>\n')
        return name

    return write


def run(capsys, *argv):
    code = main(["diff", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_equal_models_exit_with_0_and_quiet_says_nothing(robot, capsys):
    robot("a.urdf", {}, {"name": "hand"})
    assert run(capsys, "a.urdf", "a.urdf") == (0, "Compared 2 bodies: 2 equal.\n", "")
    assert run(capsys, "a.urdf", "a.urdf", "-q") == (0, "", "")


def test_a_difference_is_shown_with_places_numbers_and_the_mistake(robot, capsys):
    robot("a.urdf", {}, {"name": "hand"})
    robot("b.urdf", {"name": "hand"}, {"rpy": "0 0 0"})
    code, out, err = run(capsys, "a.urdf", "b.urdf")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[:3] == ["arm", "  A  a.urdf:2", "  B  b.urdf:3"]
    assert lines[3].startswith("  inertia differs by 0.")
    assert "ixx 0.0125, ixy 0.0011" in lines[5]
    assert lines[6] == "  B is A with the rotation of its inertial left out [rotation-dropped]"
    assert lines[-1] == "Compared 2 bodies: 1 equal, 1 different."
    assert run(capsys, "a.urdf", "b.urdf", "-q")[1] == out.rpartition("\nCompared")[0] + "\n"


def test_small_differences_are_shown_with_the_digits_that_show_them(robot, capsys):
    robot("a.urdf", {})
    robot("b.urdf", {"mass": "1.2500000125"})
    assert run(capsys, "a.urdf", "b.urdf")[0] == 0
    code, out, _ = run(capsys, "a.urdf", "b.urdf", "--tolerance", "1e-9")
    assert code == 1
    assert "mass differs by 1e-08 of the larger [kg]" in out
    assert "    A  1.25\n" in out
    assert "    B  1.2500000125\n" in out


def test_several_bodies_with_one_mistake_are_counted(robot, capsys):
    robot("a.urdf", {}, {"name": "hand"})
    robot("b.urdf", {"xyz": "0 0 0"}, {"name": "hand", "xyz": "0 0 0"})
    assert run(capsys, "a.urdf", "b.urdf")[1].endswith(
        "Compared 2 bodies: 2 different.\ncom-dropped explains 2 of the 2 bodies that differ.\n"
    )


def test_a_part_of_a_difference_is_explained_as_such(robot, capsys):
    robot("a.urdf", {})
    robot("b.urdf", {"xyz": "-0.1 0 -0.2", "mass": "1.3"})
    out = run(capsys, "a.urdf", "b.urdf")[1]
    text = "the centre of mass of B is that of A with x and z of its centre of mass negated"
    assert f"{text} [com-sign]\n" in out
    robot("b.urdf", {"mass": "1.3"})
    assert "no known mistake of a converter" in run(capsys, "a.urdf", "b.urdf")[1]


def test_bodies_without_a_counterpart(robot, capsys):
    robot("a.urdf", {}, {"name": "hand"}, extra='<link name="tool0"/>')
    robot("b.urdf", {})
    code, out, _ = run(capsys, "a.urdf", "b.urdf")
    assert code == 1
    assert "hand\n  A  a.urdf:3\n  only in A, 1.25 kg\n" in out
    assert out.endswith(
        "Compared 2 bodies: 1 equal, 1 only in A; 1 frame without mass on one side only.\n"
    )


def test_a_map_and_a_map_file(robot, capsys, tmp_path):
    robot("a.urdf", {})
    robot("b.urdf", {"name": "link_1"})
    assert run(capsys, "a.urdf", "b.urdf")[0] == 1
    assert run(capsys, "a.urdf", "b.urdf", "--map", "arm=link_1")[0] == 0
    (tmp_path / "names.toml").write_text('arm = "link_1"\n')
    assert run(capsys, "a.urdf", "b.urdf", "--map", "names.toml")[0] == 0


def test_fixed_links_are_merged_on_request_or_where_one_model_lacks_them(robot, capsys, tmp_path):
    fixed = '<joint name="j" type="fixed"><parent link="arm"/><child link="hand"/></joint>'
    robot("a.urdf", {}, {"name": "hand", "mass": "0.5"}, extra=fixed)
    robot("b.urdf", {"mass": "1.75"})
    for options in ([], ["--lump-fixed"]):
        out = run(capsys, "a.urdf", "b.urdf", *options)[1]
        assert "  A  a.urdf:2, with hand merged into it\n" in out
    whole = json.loads(run(capsys, "a.urdf", "a.urdf", "--lump-fixed", "--output-format=json")[1])
    ((one,), entries) = whole["bodies"], ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    numbers = "".join(f' {name}="{one["a"]["inertia"][name]!r}"' for name in entries)
    xyz = " ".join(map(repr, one["a"]["com"]))
    (tmp_path / "b.urdf").write_text(
        f'<robot name="r"><link name="arm"><inertial><origin xyz="{xyz}"/><mass value="1.75"/>'
        f"<inertia{numbers}/></inertial></link></robot>"
    )
    assert run(capsys, "a.urdf", "b.urdf") == (
        0,
        "arm\n  A  a.urdf:2, with hand merged into it\n  B  b.urdf:1\n"
        "  equal, compared as a sum of bodies on fixed joints\n\nCompared 1 body: 1 equal.\n",
        "",
    )


def test_a_usd_that_cannot_be_composed_is_said_of_its_side(robot, capsys, tmp_path):
    pytest.importorskip("pxr")
    robot("a.urdf", {})
    (tmp_path / "b.usda").write_text(
        '#usda 1.0\n(defaultPrim = "r")\ndef "r" (prepend references = @./gone.usda@) {}\n'
    )
    code, out, _ = run(capsys, "a.urdf", "b.usda")
    assert code == 2
    assert "not read in B: b.usda:3: not composed as a whole: Could not open asset" in out
    assert "1 only in A.\n1 part of B could not be read.\n" in out
    code, out, _ = run(capsys, "b.usda", "a.urdf", "--output-format=json")
    (unread,) = json.loads(out)["a"]["unread"]
    assert (code, unread["path"], unread["line"]) == (2, "b.usda", 3)


def test_json_has_every_body_and_no_nan(robot, capsys):
    robot("a.urdf", {}, {"name": "hand", "mass": "nan"})
    robot("b.urdf", {"xyz": "0 0 0"}, {"name": "hand"}, {"name": "extra"})
    code, out, err = run(capsys, "a.urdf", "b.urdf", "--output-format", "json")
    assert (code, err) == (1, "")
    document = json.loads(out, parse_constant=pytest.fail)
    assert document["schema_version"] == "1"
    assert document["summary"] == {
        "bodies": 3,
        "equal": 0,
        "differs": 1,
        "incomparable": 1,
        "only_a": 0,
        "only_b": 1,
        "frames": 0,
        "tolerance": 1e-6,
        "explained": {"com-dropped": 1},
        "exit_code": 1,
    }
    arm, hand, extra = document["bodies"]
    assert document["a"] == {"path": "a.urdf", "format": "urdf", "name": "r", "unread": []}
    assert (arm["status"], hand["status"], extra["status"]) == ("differs", "incomparable", "only-b")
    assert (arm["a"]["line"], arm["b"]["com"]) == (2, [0.0, 0.0, 0.0])
    assert arm["explanations"][0]["name"] == "com-dropped"
    assert arm["explanations"][0]["explains"] == ["com"]
    assert hand["reason"] == "in A, its mass is no number, or not finite"
    assert hand["a"]["mass"] is None
    assert extra["a"] is None


def test_standard_input_can_be_one_of_the_two(robot, capsys, tmp_path, monkeypatch):
    robot("a.urdf", {})
    data = (tmp_path / "a.urdf").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run(capsys, "-", "a.urdf")[0] == 0
    assert run(capsys, "-", "-")[0] == 2


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["a.urdf"], "required: B"),
        (["a.urdf", "gone.urdf"], "gone.urdf: no such file"),
        (["a.urdf", "text.txt"], "text.txt"),
        (["a.urdf", "a.urdf", "--tolerance", "-1"], "tolerance is -1.0"),
        (["a.urdf", "a.urdf", "--map", "x=y"], "no body of a.urdf is called 'x'"),
        (["a.urdf", "a.urdf", "--map", "gone.json"], "--map gone.json: no such file"),
        (["a.urdf", "a.urdf", "--output-format", "full"], "invalid choice"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2(robot, capsys, tmp_path, argv, message):
    robot("a.urdf", {})
    (tmp_path / "text.txt").write_text("text")
    code, out, err = run(capsys, *argv)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
