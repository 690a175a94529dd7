"""Trees as their users have them: each inertial is judged or named, and no model is no error."""

import json
import os
from pathlib import Path

import pytest

from inertial_check.programs.cli.main import main

XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
GOOD, FLAT = "0.012 0.017 0.021", "1 1 3"  # principal moments; no body has the second


def inertial(moments=GOOD, mass="1"):
    xx, yy, zz = moments.split()
    six = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><mass value="{mass}"/><inertia {six}/></inertial>'


def link(name, moments=GOOD, more=""):
    return f'<link name="{name}">\n{inertial(moments)}{more}</link>'


def robot(*parts, attributes=XACRO):
    return f'<robot name="r" {attributes}>\n{"".join(parts)}</robot>\n'


def box_mesh(uri):
    return f'<collision><geometry><mesh filename="{uri}"/></geometry></collision>'


TETRAHEDRON = b"""solid t
%s
endsolid t
""" % b"\n".join(
    b"facet normal 0 0 0\nouter loop\n%s\nendloop\nendfacet"
    % b"\n".join(b"vertex %d %d %d" % corner for corner in face)
    for face in (
        ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
        ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
        ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
        ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    )
)
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 999\n" % ("0" * 64)
PACKAGE = "<package><name>%s</name></package>"


class Tree:
    """A folder that is checked as the working directory."""

    def __init__(self, root: Path, capsys):
        self.root, self._capsys = root, capsys

    def add(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def check(self, *arguments):
        """The exit code, the report, and the findings as (code, body, file)."""
        code = main(["check", "--output-format=json", "--no-cache", *(arguments or ["."])])
        report = json.loads(self._capsys.readouterr().out)
        assert report["summary"]["exit_code"] == code
        account = report["account"]
        assert sum(account["judged"].values()) + len(account["unjudged"]) == account["inertials"]
        shown = {file["path"] for file in report["files"]}
        shown |= {each.get("file") for file in report["files"] for each in file["bodies"]}
        shown |= {each["path"] for each in account["unjudged"]}
        for path in self.root.rglob("*"):
            if path.is_file() and b"<inertial" in path.read_bytes():
                assert any(each and os.path.samefile(each, path) for each in shown), path
        found = [
            (each["code"], each["body"], os.path.basename(file["path"]))
            for file in report["files"]
            for each in file["findings"]
        ]
        return code, report, sorted(found, key=str)


@pytest.fixture(params=[True, False], ids=["repository", "plain folder"])
def tree(request, tmp_path, monkeypatch, capsys):
    """A working directory, in a repository of Git or in none."""
    root = tmp_path / "ws"
    root.mkdir()
    if request.param:
        (root / ".git").mkdir()
    monkeypatch.chdir(root)
    return Tree(root, capsys)


def test_a_macro_with_an_impossible_tensor_that_no_file_calls_is_an_error(tree):
    macro = '<xacro:macro name="part" params="name mass">{}</xacro:macro>'
    block = link("${name}_link", FLAT).replace('value="1"', 'value="${mass}"')
    tree.add({"urdf/part.xacro": robot(macro.format(block))})
    code, report, found = tree.check()
    assert code == 1
    assert [each[0] for each in found] == ["IC301"]
    assert report["account"]["inertials"] == 1


def test_literal_inertials_of_a_file_whose_package_is_missing_are_judged(tree):
    missing = '<xacro:include filename="$(find some_sensors)/urdf/sensor.xacro"/>'
    beside = '<xacro:include filename="beside.xacro"/>'
    tree.add(
        {
            "urdf/arm.urdf.xacro": robot(missing, beside, link("flat", FLAT), link("good")),
            "urdf/beside.xacro": robot(link("beside_flat", FLAT)),
        }
    )
    code, report, found = tree.check()
    assert code == 1
    assert {each[:2] for each in found if each[0] == "IC301"} == {
        ("IC301", "flat"),
        ("IC301", "beside_flat"),
    }
    assert [each[0] for each in found].count("IC003") == 1
    assert report["account"]["unjudged"] == []


def test_models_beside_worlds_are_found(tree):
    sdf = '<sdf version="1.9"><%s</sdf>'
    include = "world name='w'><include><uri>model://box</uri></include></world>"
    mass = (
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial>"
    )
    tree.add(
        {
            "worlds/empty.world": sdf % include,
            "models/box/model.config": "<model><name>box</name><sdf>model.sdf</sdf></model>",
            "models/box/model.sdf": sdf % f"model name='box'><link name='a'>{mass}</link></model>",
        }
    )
    code, report, found = tree.check()
    assert code == 1
    assert "IC003" not in {each[0] for each in found}
    assert sum(each["bodies"] != [] for each in report["files"]) == 2


def test_the_install_tree_of_colcon_is_no_error(tree):
    tree.add({"src/arm/package.xml": PACKAGE % "arm", "src/arm/urdf/arm.urdf": robot(link("a"))})
    share = tree.root / "install/arm/share/arm"
    (share / "urdf").mkdir(parents=True)
    (share / "urdf/arm.urdf").symlink_to(tree.root / "src/arm/urdf/arm.urdf")
    (share / "urdf/gone.urdf").symlink_to(tree.root / "build/arm/gone.urdf")
    (share / "package.xml").symlink_to(tree.root / "build/arm/package.xml")
    (share / "away.urdf").symlink_to(tree.root.parent / "elsewhere/away.urdf")
    code, report, found = tree.check()
    assert (code, found, len(report["files"])) == (0, [], 1)
    kinds = {each["kind"]: each["count"] for each in report["account"]["skipped"]}
    assert kinds == {"dangling link": 2, "link out of the repository": 1}


def test_a_file_that_colcon_links_is_followed_where_it_is_typed(tree):
    tree.add({"install/arm/share/arm/package.xml": PACKAGE % "arm"})
    source = tree.root.parent / "src/arm"
    source.mkdir(parents=True)
    (source / "arm.urdf").write_text(robot(link("a", FLAT)))
    linked = tree.root / "install/arm/share/arm/arm.urdf"
    linked.symlink_to(source / "arm.urdf")
    code, _, found = tree.check("install/arm/share/arm/arm.urdf")
    assert (code, [each[0] for each in found]) == (1, ["IC301"])
    (tree.root / "list").write_text("install/arm/share/arm/arm.urdf\n")
    code, _, found = tree.check("--files-from=list")
    assert (code, [each[0] for each in found]) == (2, ["IC001"])


def test_the_layout_of_icub(tree):
    """The folder with the package's name and no package.xml holds the meshes, two levels up."""
    uri = "package://iCub/meshes/simmechanics/chest.stl"
    tree.add(
        {
            "iCub/robots/iCubGenova01/model.urdf": robot(link("chest", more=box_mesh(uri))),
            "iCub/meshes/simmechanics/chest.stl": TETRAHEDRON,
        }
    )
    named = "iCub/robots/iCubGenova01/model.urdf"
    for arguments in ((), ("iCub",), (named,) if (tree.root / ".git").exists() else ()):
        code, _, found = tree.check(*arguments)
        assert (code, "IC003" in {each[0] for each in found}) == (0, False), arguments


def test_pointers_and_empty_submodules_are_named_with_the_command_that_fetches_them(tree, capsys):
    tree.add(
        {
            "arm.urdf": POINTER,
            "meshes/a.stl": POINTER,
            ".gitmodules": '[submodule "d"]\n\tpath = deps/d\n\turl = ../d\n',
            "robot.urdf": robot(link("a")),
        }
    )
    (tree.root / "deps/d").mkdir(parents=True)
    code, report, found = tree.check()
    assert (code, found) == (0, [])
    kinds = {each["kind"]: each["count"] for each in report["account"]["skipped"]}
    assert kinds == {"Git LFS pointer": 2, "empty submodule": 1}
    assert main(["check", "."]) == 0
    said = capsys.readouterr().err
    assert "git lfs pull" in said
    assert "git submodule update --init" in said
    (tree.root / "robot.urdf").unlink()
    assert main(["check", "."]) == 2
    said = capsys.readouterr().err
    assert "git lfs pull" in said
    assert "git submodule update --init" in said


def test_a_relative_package_path_is_that_of_the_working_directory(tree):
    include = '<xacro:include filename="$(find parts)/urdf/parts.xacro"/>'
    elsewhere = tree.root.parent / "elsewhere/parts/urdf"
    elsewhere.mkdir(parents=True)
    (elsewhere / "parts.xacro").write_text(robot(link("part", FLAT)))
    tree.add({"deep/urdf/arm.urdf.xacro": robot(include)})
    for value in ("parts=../elsewhere/parts", "../elsewhere"):
        code, _, found = tree.check(".", f"--package-path={value}")
        assert (code, [each[:2] for each in found]) == (1, [("IC301", "part")]), value


def test_what_a_package_of_ros_2_installs_is_found_in_its_sources(tree):
    uri = "package://arm_description/meshes/arm.stl"
    install = "install(DIRECTORY description/meshes DESTINATION share/${PROJECT_NAME})"
    tree.add(
        {
            "arm/package.xml": PACKAGE % "arm_description",
            "arm/CMakeLists.txt": install,
            "arm/description/urdf/arm.urdf": robot(link("arm", more=box_mesh(uri))),
            "arm/description/meshes/arm.stl": TETRAHEDRON,
        }
    )
    code, _, found = tree.check()
    assert (code, "IC003" in {each[0] for each in found}) == (0, False)


def test_a_xacro_that_wants_an_argument_is_checked_by_what_is_known(tree):
    wants = '<xacro:arg name="side"/><xacro:property name="s" value="$(arg side)"/>'
    tree.add({"arm.urdf.xacro": robot(wants, link("flat", FLAT), link("${s}_hand", FLAT))})
    code, report, found = tree.check()
    assert code == 1
    assert len([each for each in found if each[0] == "IC301"]) == 2
    assert report["account"]["inertials"] == 2
    unknown = inertial("$(arg_a) $(arg_b) $(arg_c)", "$(arg_m)").replace("arg_", "arg ")
    tree.add({"arm.urdf.xacro": robot(f'<link name="a">{unknown}</link>')})
    code, report, _ = tree.check()
    (unjudged,) = report["account"]["unjudged"]
    assert code == 2
    assert unjudged["needs"]


def test_four_legs_under_the_world_lose_no_rule(tree, capsys):
    leg = '<body name="leg{0}" pos="{0} 0 0"><freejoint/><inertial pos="0 0 0" mass="1" '
    leg += 'diaginertia="1 1 {1}"/></body>'
    legs = "".join(leg.format(number, 1 if number else 3) for number in range(4))
    tree.add({"legs.xml": f"<mujoco><worldbody>{legs}</worldbody></mujoco>"})
    code, report, found = tree.check()
    assert (code, ("IC301", "leg0", "legs.xml") in found) == (1, True)
    assert "internal error" not in json.dumps(report)


def test_84_files_that_no_reader_reads_are_all_named(tree):
    for number in range(42):
        tree.add({f"parts/part{number}.xml": f"<part>\n{inertial()}</part>"})
        tree.add({f"macros/macro{number}.xacro": f"<x {XACRO}>\n{inertial()}</x>"})
    code, report, _ = tree.check()
    assert code == 2
    assert len({each["path"] for each in report["account"]["unjudged"]}) == 84
    assert report["failures"][0].startswith("84 inertials found, none judged")
    code, _, _ = tree.check(".", "--allow-unjudged", "--allow-empty")
    assert code == 0
