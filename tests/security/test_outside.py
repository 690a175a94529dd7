"""Nothing outside the root is read into a report: links, paths, URLs, includes, settings."""

import json
import os

import pytest

from inertial_check.programs.cli.main import main

SECRET = "s3cr3t-t0ken"
TENSOR = '<inertia ixx="0.013" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.017"/>'
LINK = f'<link name="a"><inertial><mass value="1"/>{TENSOR}</inertial>{{}}</link>'
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
SDF = '<sdf version="1.9"><world name="w"><include><uri>{}</uri></include></world></sdf>'
YAML = '<xacro:property name="a" value="${{load_yaml(\'{}\')}}"/><link name="${{a}}"/>'
XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """A checkout, the working directory; and a folder with secrets beside it."""
    checkout, outside = tmp_path / "checkout", tmp_path / "outside"
    (checkout / ".git").mkdir(parents=True)
    outside.mkdir()
    monkeypatch.chdir(checkout)
    return checkout, outside


def report(capsys, *arguments):
    """Exit code, JSON report, and everything that was printed."""
    code = main(["check", "--no-cache", "--output-format", "json", *arguments])
    printed = capsys.readouterr()
    return code, json.loads(printed.out), printed.out + printed.err


def urdf(inside):
    return f'<robot name="r">{LINK.format(inside)}</robot>'


@pytest.mark.parametrize("name", ["m.urdf", "m.sdf", "m.xml", "m.yaml", "m.usda", "m.xacro"])
def test_a_link_that_leaves_the_checkout_is_a_finding_and_is_not_opened(name, places, capsys):
    checkout, outside = places
    (outside / "secret").write_text(f"{SECRET}\n")
    (checkout / name).symlink_to(outside / "secret")
    (checkout / "sound.urdf").write_text(urdf(""))
    (checkout / "list").write_text(f"{name}\nsound.urdf\n")
    ways = [["--sniff", "."], ["--files-from", "list"], ["--sniff", name, "sound.urdf"]]
    # In a folder, the name m.yaml alone does not say that it is a robot model.
    for way in ways[name == "m.yaml" :]:
        _, found, printed = report(capsys, *way)
        assert SECRET not in printed
        sound = [file["path"] for file in found["files"] if not file["findings"]]
        assert [os.path.basename(path) for path in sound] == ["sound.urdf"]
        assert "--follow-outside" in printed
    _, found, printed = report(capsys, ".")  # what a person searches has no error about a link
    assert SECRET not in printed
    assert [file["path"] for file in found["files"]] == ["./sound.urdf"]
    assert ("skipped 1 link out of the repository" in printed) == (name != "m.yaml")


def test_a_link_that_a_person_types_is_followed_and_not_written(places, capsys):
    """A workspace whose install folder holds links to the sources, which are a repository."""
    checkout, outside = places
    (outside / "src/.git").mkdir(parents=True)
    (outside / "src/meshes").mkdir()
    (outside / "src/meshes/a.stl").write_text("solid\nendsolid\n")
    broken = urdf(MESH.format("../meshes/a.stl")).replace('ixx="0.013"', 'ixx="0.035"')
    (outside / "src/urdf").mkdir()
    (outside / "src/urdf/m.urdf").write_text(broken)
    (checkout / "urdf").mkdir()
    (checkout / "meshes").mkdir()
    (checkout / "urdf/m.urdf").symlink_to(outside / "src/urdf/m.urdf")
    (checkout / "meshes/a.stl").symlink_to(outside / "src/meshes/a.stl")
    (checkout / "linked").symlink_to(outside / "src/urdf")
    for typed in ("urdf/m.urdf", "linked"):
        code, found, printed = report(capsys, typed)
        assert code == 1
        assert "IC301" in printed
        assert "lies outside" not in printed
        assert [len(file["bodies"]) for file in found["files"]] == [1]
    assert main(["fix", "--write", "--unsafe", "urdf/m.urdf"]) == 2
    assert "not written" in capsys.readouterr().err
    assert (outside / "src/urdf/m.urdf").read_text() == broken
    code, _, printed = report(capsys, "--sniff", "linked")
    assert code == 2
    assert "linked: a link out of the repository" in printed
    assert "IC301" not in printed


def test_a_linked_folder_that_leaves_the_checkout_is_not_read(places, capsys):
    checkout, outside = places
    (outside / "model.urdf").write_text(urdf("").replace('value="1"', 'value="-77.5"'))
    (checkout / "robots").symlink_to(outside)
    _, _, printed = report(capsys, ".")
    assert "77.5" not in printed
    code, _, printed = report(capsys, ".", "--follow-outside")
    assert code == 1
    assert "77.5" in printed


@pytest.mark.parametrize("uri", ["../outside/a.stl", "file://{}/a.stl", "{}/a.stl", "in.stl"])
def test_a_mesh_outside_is_not_read(uri, places, capsys):
    checkout, outside = places
    (outside / "a.stl").write_text(f"solid\nvertex {SECRET}\n")
    (checkout / "in.stl").symlink_to(outside / "a.stl")
    (checkout / "m.urdf").write_text(urdf(MESH.format(uri.format(outside))))
    _, found, printed = report(capsys, ".")
    assert SECRET not in printed
    (finding,) = found["files"][0]["findings"]
    assert "lies outside" in finding["message"]
    assert SECRET in report(capsys, ".", "--follow-outside")[2]


@pytest.mark.parametrize("scheme", ["package", "model"])
def test_a_package_beside_the_checkout_is_not_found(scheme, places, capsys):
    checkout, outside = places
    (outside / "package.xml").write_text("<package><name>outside</name></package>")
    (outside / "a.stl").write_text(f"solid\nvertex {SECRET}\n")
    (checkout / "m.urdf").write_text(urdf(MESH.format(f"{scheme}://outside/a.stl")))
    _, _, printed = report(capsys, ".")
    assert SECRET not in printed
    assert "--package-path outside=" in printed
    assert SECRET in report(capsys, ".", "--package-path", f"outside={outside}")[2]


def test_a_missing_package_tells_nothing_about_files_around_the_checkout(places, capsys):
    """The folder to name is suggested from inside the root only."""
    checkout, outside = places
    (outside.parent / "hidden.stl").write_bytes(b"")
    (checkout / "m.urdf").write_text(urdf(MESH.format("package://nowhere/hidden.stl")))
    assert "--package-path nowhere=DIR" in report(capsys, ".")[2]


def test_a_package_manifest_that_is_a_link_out_of_the_checkout_names_no_package(places, capsys):
    checkout, outside = places
    (outside / "package.xml").write_text("<package><name>arm</name></package>")
    (checkout / "package.xml").symlink_to(outside / "package.xml")
    (checkout / "a.stl").write_bytes(b"")
    (checkout / "m.urdf").write_text(urdf(MESH.format("package://arm/a.stl")))
    assert "--package-path arm=" in report(capsys, ".")[2]


def test_a_package_path_of_a_configuration_inside_the_checkout_opens_nothing(places, capsys):
    checkout, outside = places
    (outside / "a.stl").write_text(f"solid\nvertex {SECRET}\n")
    (checkout / "inertial-check.toml").write_text(f'package-path.outside = "{outside}"\n')
    (checkout / "m.urdf").write_text(urdf(MESH.format("package://outside/a.stl")))
    assert SECRET not in report(capsys, ".")[2]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.xml", '<mujoco><include file="../outside/secret.xml"/><worldbody/></mujoco>'),
        ("m.sdf", SDF.format("../outside")),
        ("m.sdf", SDF.format("model://outside")),
        ("m.xacro", XACRO.format('<xacro:include filename="../outside/secret.xml"/>')),
        ("m.xacro", XACRO.format('<xacro:include filename="../outside/*.xml"/>')),
        ("m.xacro", XACRO.format(YAML.format("../outside/secret.yaml"))),
        ("m.xacro", XACRO.format(YAML.format("/etc/passwd"))),
    ],
)
def test_an_include_outside_is_not_read(name, text, places, capsys):
    checkout, outside = places
    for kind in ("xml", "yaml"):
        (outside / f"secret.{kind}").write_text(f"<{SECRET}")
    (outside / "model.config").write_text(f'<model><sdf version="1.9">{SECRET}.sdf</sdf></model>')
    (outside / f"{SECRET}.sdf").write_text(SECRET)
    (checkout / name).write_text(text)
    _, _, printed = report(capsys, ".")
    assert SECRET not in printed
    assert "root:" not in printed


@pytest.mark.parametrize(
    "line",
    [
        "follow-outside = true",
        'xacro-env = ["HOME"]',
        'max-file-size = "65MB"',
        "timeout = 61",
        'extend = "../outside/more.toml"',
        'baseline = "../outside/known.json"',
    ],
)
def test_a_configuration_in_the_checkout_allows_nothing(line, places, capsys):
    checkout, outside = places
    (outside / "more.toml").write_text("strict = true\n")
    (outside / "known.json").write_text('{"schema_version": "1", "entries": []}')
    (checkout / "m.urdf").write_text(urdf(""))
    (checkout / "inertial-check.toml").write_text(f"{line}\n")
    assert main(["check", "."]) == 2
    assert "only the command line, or a --config outside the repository" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["follow-outside = true", 'max-file-size = "65MB"', "timeout = 61"]
)
def test_a_configuration_outside_that_is_named_may_allow_it(line, places):
    checkout, outside = places
    (outside / "mine.toml").write_text(f"{line}\n")
    (checkout / "m.urdf").write_text(urdf(""))
    assert main(["check", ".", "--config", str(outside / "mine.toml")]) == 0


def test_a_configuration_that_is_a_link_out_of_the_checkout_is_not_quoted(places, capsys):
    checkout, outside = places
    (outside / "token").write_text(f"{SECRET} = = \n")
    (checkout / "inertial-check.toml").symlink_to(outside / "token")
    (checkout / "m.urdf").write_text(urdf(""))
    assert main(["check", "."]) == 2
    assert SECRET not in capsys.readouterr().err


def test_the_parent_of_a_checkout_without_repository_is_outside(tmp_path, monkeypatch, capsys):
    """A downloaded folder has no .git."""
    folder = tmp_path / "download"
    folder.mkdir()
    (tmp_path / "a.stl").write_text(f"solid\nvertex {SECRET}\n")
    (folder / "m.urdf").write_text(urdf(MESH.format("../a.stl")))
    monkeypatch.chdir(tmp_path)
    assert SECRET not in report(capsys, "download")[2]
    assert SECRET not in report(capsys, os.path.join("download", "m.urdf"))[2]


INERTIAL = f'<inertial><mass value="1"/>{TENSOR}</inertial>'
MJCF = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
BODIES = {
    "xml": f'<mujoco><body name="b">{MJCF}</body></mujoco>',
    "sdf": '<sdf version="1.9"><model name="b"><link name="b"/></model></sdf>',
    "xacro": XACRO.format(f'<link name="b">{INERTIAL}</link>'),
    "usda": '#usda 1.0\n(defaultPrim="b")\ndef "b" (apiSchemas = ["PhysicsRigidBodyAPI"]) {}',
}
OWN = {
    "xml": f'<worldbody><body name="a">{MJCF}</body></worldbody>',
    "sdf": '<link name="a"><inertial><mass>1</mass></inertial></link>',
    "xacro": f'<link name="a">{INERTIAL}</link>',
    "usda": 'def "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {\nfloat physics:mass = 1\n}',
}
INCLUDES = [
    ("xml", '<mujoco><include file="{}"/>{}</mujoco>'),
    ("xml", '<mujoco><asset><model name="x" file="{}"/></asset>{}</mujoco>'),
    ("sdf", '<sdf version="1.9"><model name="m"><include><uri>{}</uri></include>{}</model></sdf>'),
    ("xacro", XACRO.format('<xacro:include filename="{}"/>{}')),
    ("xacro", XACRO.format('<xacro:include filename="{}" optional="true"/>{}')),
    ("xacro", XACRO.format("<a b=\"${{xacro.load_yaml('{}')}}\"/>{}")),
    ("usda", '#usda 1.0\ndef "x" (references = @{}@) {{}}\n{}'),
    ("usda", '#usda 1.0\ndef "x" (payload = @{}@) {{}}\n{}'),
    ("usda", "#usda 1.0\n(subLayers = [@{}@])\n{}"),
]
"""Ways to refer to another file with bodies: suffix, and document around its name and bodies."""


@pytest.mark.parametrize("own", [True, False], ids=["bodies", "empty"])
@pytest.mark.parametrize("name", ["../outside/b", "linked/b", "{}/b", "link", "../outside/gone"])
@pytest.mark.parametrize(("suffix", "document"), INCLUDES)
def test_bodies_that_lie_outside_fail_the_check(suffix, document, name, own, places, capsys):
    """What an engine will read may be anything, so that no other body makes the check pass."""
    if suffix == "usda":
        pytest.importorskip("pxr")
    checkout, outside = places
    (outside / f"b.{suffix}").write_text(BODIES[suffix])
    (checkout / "linked").symlink_to(outside)
    (checkout / f"link.{suffix}").symlink_to(outside / f"b.{suffix}")
    uri = f"{name.format(outside)}.{suffix}"
    (checkout / f"m.{suffix}").write_text(document.format(uri, OWN[suffix] if own else ""))
    for way in ([f"m.{suffix}"], ["."], ["--gate", "--sniff", f"m.{suffix}"]):
        code, found, printed = report(capsys, *way)
        assert code in (1, 2)
        if suffix != "usda" or "gone" not in name:
            assert "--follow-outside" in printed
        if suffix != "usda":  # a stage is composed whole or not at all
            unread = [each for each in found["account"]["skipped"] if each["kind"] == "include"]
            assert [each["count"] for each in unread] == [1]


@pytest.mark.parametrize(("suffix", "document"), INCLUDES[:1] + INCLUDES[2:6])
def test_an_include_that_is_not_there_stays_a_warning(suffix, document, places, capsys):
    checkout, _ = places
    (checkout / f"m.{suffix}").write_text(document.format(f"gone.{suffix}", OWN[suffix]))
    code, found, _ = report(capsys, f"m.{suffix}")
    assert code == 0
    assert found["account"]["skipped"] == []


@pytest.mark.parametrize("how", ["large", "encoding", "entity"])
def test_an_include_that_engines_may_read_and_that_is_not_read_fails(how, places, capsys):
    checkout, _ = places
    text = BODIES["xml"] + "<!-- -->" * (9_000_000 * (how == "large"))
    text = '<?xml version="1.0" encoding="gbk"?>' * (how == "encoding") + text
    text = '<!DOCTYPE m [<!ENTITY e "">]>' * (how == "entity") + text
    (checkout / "b.inc").write_text(text)
    (checkout / "m.xml").write_text(INCLUDES[0][1].format("b.inc", OWN["xml"]))
    code, found, _ = report(capsys, "m.xml")
    assert code == 1
    assert [each["kind"] for each in found["account"]["skipped"]] == ["include"]


def test_a_gate_refuses_links_out_of_the_checkout(places, capsys):
    checkout, outside = places
    (outside / "m.urdf").write_text(urdf("").replace('value="1"', 'value="-77.5"'))
    (checkout / "sound.urdf").write_text(urdf(""))
    assert report(capsys, "--gate", ".")[0] == 0
    for name, target in (("m.urdf", outside / "m.urdf"), ("robots", outside)):
        (checkout / name).symlink_to(target)
        code, found, printed = report(capsys, "--gate", ".")
        assert code == 1
        assert [each["path"] for each in found["account"]["lowered_by"]] == [f"./{name}"]
        assert "a gate refuses 1 link out of the repository" in printed
        for typed in (name, f"{name}/", f"{name}*", "robots/*" if name == "robots" else name):
            code, _, printed = report(capsys, "--gate", "sound.urdf", typed)
            assert code in (1, 2)
            assert "77.5" not in printed
        assert report(capsys, "--gate", "--follow-outside", name)[0] == 1
        (checkout / name).unlink()
