"""From what a model calls a mesh to the file."""

import os
from dataclasses import replace

import pytest

from inertial_check.documents.context import Context, Lookups, record_lookups
from inertial_check.documents.files.access import Access, remember_folders
from inertial_check.documents.resources import (
    concerns_lookup,
    count_packages,
    package_paths,
    resolve,
    split_tree_lookup,
)
from inertial_check.errors import UsageError
from inertial_check.running.cache import Fingerprints

ANYWHERE = Context(access=Access(follow_outside=True))


@pytest.fixture
def workspace(tmp_path):
    """A repository ws with packages; a model in arm_description/urdf; elsewhere beside it."""
    (tmp_path / "ws/.git").mkdir(parents=True)
    for name in (
        "ws/arm_description/meshes/link.stl",
        "ws/arm_description/urdf/near.stl",
        "ws/other/meshes/tool.stl",
        "ws/named/deep/meshes/inner.stl",
        "elsewhere/meshes/link.stl",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    (tmp_path / "ws/named/package.xml").write_text("<package><name> real_name </name></package>")
    return tmp_path


@pytest.fixture
def model(workspace):
    return str(workspace / "ws/arm_description/urdf/arm.urdf")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("near.stl", "ws/arm_description/urdf/near.stl"),
        ("../meshes/link.stl", "ws/arm_description/urdf/../meshes/link.stl"),
        ("package://arm_description/meshes/link.stl", "ws/arm_description/meshes/link.stl"),
        ("PACKAGE://arm_description/meshes/link.stl", "ws/arm_description/meshes/link.stl"),
        ("model://arm_description/meshes/link.stl", "ws/arm_description/meshes/link.stl"),
        ("package://other/meshes/tool.stl", "ws/other/meshes/tool.stl"),
        ("package://ws/other/meshes/tool.stl", "ws/other/meshes/tool.stl"),
    ],
)
def test_what_is_there_is_found(workspace, model, uri, expected):
    resource = resolve(uri, model)
    assert resource == (uri, str(workspace / expected), None)


def test_a_package_has_the_name_that_its_manifest_says(workspace):
    model = str(workspace / "ws/named/deep/arm.urdf")
    resource = resolve("package://real_name/deep/meshes/inner.stl", model)
    assert resource.path == str(workspace / "ws/named/deep/meshes/inner.stl")
    assert resolve("package://named/deep/meshes/inner.stl", model).path  # and that of its folder


def test_a_named_package_goes_before_the_nearest_that_has_the_file(workspace, model):
    packages = {"arm_description": workspace / "elsewhere"}
    resource = resolve("package://arm_description/meshes/link.stl", model, Context(packages))
    assert resource.path == str(workspace / "elsewhere/meshes/link.stl")
    lost = resolve("package://arm_description/urdf/near.stl", model, Context(packages))
    assert "elsewhere/urdf/near.stl" in lost.reason
    inner = workspace / "ws/arm_description/arm_description/meshes"
    inner.mkdir(parents=True)
    uri = "package://arm_description/meshes/link.stl"
    assert resolve(uri, model).path == str(workspace / "ws/arm_description/meshes/link.stl")


def test_urls_of_files(workspace, model):
    path = workspace / "ws/a file.stl"
    path.write_bytes(b"")
    assert resolve(f"file://{path}", model).path == str(path)
    assert resolve(path.as_uri(), model).path == str(path)
    assert resolve(f"file://localhost{path}", None, ANYWHERE).path == str(path)
    assert resolve(str(path), None, ANYWHERE).path == str(path)


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("lost.stl", "no such file"),
        ("NEAR.stl", "; there is near.stl"),
        ("..\\meshes\\link.stl", "write / for \\"),
        ("../urdf", "not a file"),
        ("", "not a file"),
        ("a\0b.stl", "no such file"),
        ("package://nowhere/a.stl", "--package-path nowhere=DIR"),
        ("package://arm_description", "not a file"),
        ("package:///a.stl", "expected package://NAME/PATH"),
        ("package://../arm_description/meshes/link.stl", "no folder above the model"),
        ("package://arm_description/meshes/lost.stl", "no such file"),
        ("file://meshes/link.stl", "names the host 'meshes'"),
        ("https://example.org/a.stl", "https:// is not fetched"),
    ],
)
def test_what_is_not_there_has_a_reason(model, uri, words):
    resource = resolve(uri, model)
    assert resource.path is None
    assert resource.reason.startswith(uri)
    assert words in resource.reason


def test_a_folder_may_be_what_is_looked_for(workspace, model):
    for uri in ("model://other", "model://other/", "model://other/meshes"):
        found = resolve(uri, model, exists=os.path.exists).path
        assert os.path.isdir(found)
        assert os.path.samefile(found, workspace / "ws" / uri.removeprefix("model://"))
    assert resolve("model://other", model).path is None
    assert resolve("..", model, exists=os.path.isdir).path


def test_a_package_by_another_name_and_a_model_without_a_file_have_hints(workspace, model):
    reason = resolve("package://renamed/meshes/link.stl", model).reason
    assert reason.endswith(f"--package-path renamed={workspace / 'ws/arm_description'}")
    assert "read from no file" in resolve("near.stl", None).reason
    assert "--package-path p=DIR" in resolve("package://p/near.stl", None).reason


def test_relative_models_are_looked_up_from_where_they_are(workspace, monkeypatch):
    monkeypatch.chdir(workspace / "ws/arm_description/urdf")
    assert resolve("near.stl", "arm.urdf").path == "near.stl"
    assert resolve("package://arm_description/urdf/near.stl", "arm.urdf").path
    assert (
        resolve("near.STL", "arm.urdf").path
        or "there is near.stl" in resolve("near.STL", "arm.urdf").reason
    )


def test_no_environment_variable_is_asked(workspace, model, monkeypatch):
    (workspace / "elsewhere/installed").mkdir()
    (workspace / "elsewhere/installed/link.stl").write_bytes(b"")
    for name in ("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.setenv(name, str(workspace / "elsewhere"))
    assert resolve("package://installed/link.stl", model).path is None


def test_package_paths_of_the_command_line(workspace):
    folder, gone = str(workspace / "elsewhere"), str(workspace / "gone")
    named = package_paths([f"a={folder}", f"b={folder}{os.pathsep}a={folder}"])
    assert named == ({"a": folder, "b": folder}, ())
    several = package_paths([os.pathsep.join([gone, folder, f"c={folder}"]), str(workspace)])
    assert several == ({"c": folder}, (folder, str(workspace)))
    for text, words in (
        ("", "expected PKG=DIR, a folder of packages"),
        ("a", "no such folder"),
        ("=x", "expected PKG=DIR"),
        ("a=", "expected PKG=DIR"),
        (f"a={gone}", "no such folder"),
        (f"{folder}{os.pathsep}a={gone}", "no such folder"),
    ):
        with pytest.raises(UsageError, match=words):
            package_paths([text])
    with pytest.raises(UsageError, match="names a twice"):
        package_paths([f"a={folder}", f"a={workspace}"])


@pytest.mark.parametrize("layout", ["share/hand", "hand/share/hand", "hand", "repo/ros-hand"])
def test_folders_of_packages_and_install_trees_are_searched_last(tmp_path, layout):
    """One that the user names has what the tree around the model lacks, and nothing else of it."""
    (tmp_path / "ws/arm/urdf").mkdir(parents=True)
    (tmp_path / "ws/.git").mkdir()
    model = str(tmp_path / "ws/arm/urdf/arm.urdf")
    installed = tmp_path / "opt" / layout
    (installed / "meshes").mkdir(parents=True)
    (installed / "meshes/palm.stl").write_text("")
    (installed / "package.xml").write_text("<package><name>hand</name></package>")
    uri, tree = "package://hand/meshes/palm.stl", str(tmp_path / "opt")
    assert resolve(uri, model).path is None
    context = Context(access=replace(Access().with_folders([tree]), trees=(tree,)))
    assert os.path.samefile(resolve(uri, model, context).path, installed / "meshes/palm.stl")
    assert count_packages(tree) == 1
    own = tmp_path / "ws/src/hand/meshes/palm.stl"
    own.parent.mkdir(parents=True)
    own.write_text("")
    assert os.path.samefile(resolve(uri, model, context).path, own)


def test_packages_beside_that_of_a_file_are_found_outside_a_repository(tmp_path):
    """A workspace of packages; what is no package beside them is not opened."""
    for name in ("arm", "hand"):
        (tmp_path / name / "meshes").mkdir(parents=True)
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    (tmp_path / "private").mkdir()
    for folder in ("hand/meshes", "private"):
        (tmp_path / folder / "a.stl").write_bytes(b"")
    model = str(tmp_path / "arm" / "urdf" / "arm.urdf")
    assert resolve("package://hand/meshes/a.stl", model).path
    assert resolve("package://private/a.stl", model).path is None
    assert resolve("../../private/a.stl", model).path is None
    named = Context(access=Access().with_folders([tmp_path / "arm"]))
    assert resolve("package://hand/meshes/a.stl", model, named).path is None


def test_a_batch_finds_what_a_model_alone_finds(workspace, model, monkeypatch):
    """In a batch, a missing folder is looked for once; the findings and the cache stay the same."""
    (workspace / "ws/arm_description/meshes/Fore Arm.STL").touch()
    uris = [
        *("package://arm_description/meshes/link.stl", "package://other/meshes/link.stl"),
        *("package://other/none/link.stl", "package://other/none/tool.stl", "none/a.stl"),
        *("package://nobody/meshes/link.stl", "package://nobody/none/link.stl", "a\0b/c.stl"),
        *("../meshes/fore arm.stl", "../meshes", "../none/../meshes/link.stl", "near.stl/"),
        *("package://real_name/deep/meshes/inner.stl", "model://named", "../meshes/", ""),
    ]
    alone, together = Lookups(), Lookups()
    with record_lookups(alone):
        expected = [resolve(uri, model) for uri in uris]
    tests = []
    is_folder = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: tests.append(path) or is_folder(path))
    with remember_folders(), record_lookups(together):
        for _ in range(3):
            assert [resolve(uri, model) for uri in uris] == expected
    assert len(tests) == len(set(tests))
    assert any(path.endswith("none") for path in tests)
    assert together.paths == alone.paths


@pytest.fixture
def tree(tmp_path):
    """A repository whose packages and models are not above each other."""
    files = {
        "worlds/room.sdf": "",
        "models/table/model.config": "<model/>",
        "models/table/mesh.stl": "",
        "other/table/mesh.stl": "",
        "src/arm/urdf/arm.urdf": "",
        "src/hand-ros/package.xml": "<package><name>hand</name></package>",
        "src/hand-ros/meshes/palm.stl": "",
        "docs/hand/meshes/palm.stl": "",
        "docs/hand/meshes/thumb.stl": "",
        "plain/iCub/meshes/foot.stl": "",
        "plain/robots/one/m.urdf": "",
        "twice/a/gripper/g.stl": "",
        "twice/b/gripper/g.stl": "",
        ".hidden/secret/a.stl": "",
    }
    for name, text in files.items():
        (tmp_path / "ws" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ws" / name).write_text(text)
    (tmp_path / "ws/.git").mkdir()
    return tmp_path / "ws"


@pytest.mark.parametrize(
    ("model", "uri", "expected"),
    [
        ("worlds/room.sdf", "model://table/mesh.stl", "models/table/mesh.stl"),
        ("src/arm/urdf/arm.urdf", "package://hand/meshes/palm.stl", "src/hand-ros/meshes/palm.stl"),
        ("docs/x.urdf", "package://hand/meshes/thumb.stl", "docs/hand/meshes/thumb.stl"),
        ("plain/robots/one/m.urdf", "package://iCub/meshes/foot.stl", "plain/iCub/meshes/foot.stl"),
        ("twice/b/deep/x.urdf", "package://gripper/g.stl", "twice/b/gripper/g.stl"),
        ("twice/a/x.urdf", "package://gripper/g.stl", "twice/a/gripper/g.stl"),
    ],
)
def test_the_tree_around_a_model_is_an_index_of_packages_and_models(tree, model, uri, expected):
    """A model.config or package.xml of the name goes before a folder, and the nearest wins."""
    assert resolve(uri, str(tree / model)) == (uri, str(tree / expected), None)


def test_a_folder_asked_for_by_its_package_alone_has_its_manifest(tree):
    (tree / "docs/bringup").mkdir()
    model = str(tree / "docs/bringup/x.xacro")  # docs/hand is nearer, and has no package.xml
    found = resolve("package://hand", model, exists=os.path.isdir)
    assert os.path.samefile(found.path, tree / "src/hand-ros")


def test_two_packages_that_are_as_near_are_both_named(tree):
    found = resolve("package://gripper/g.stl", str(tree / "src/arm/x.urdf"))
    assert found.path == str(tree / "twice/a/gripper/g.stl")
    assert str(tree / "twice/b/gripper/g.stl") in found.reason
    assert "--package-path gripper=DIR" in found.reason
    (tree / "twice/b/gripper/g.stl").unlink()
    (tree / "twice/b/gripper/g.stl").symlink_to("../../a/gripper/g.stl")
    assert resolve("package://gripper/g.stl", str(tree / "src/arm/x.urdf")).reason is None


def test_an_index_shows_nothing_hidden_and_nothing_outside(tree):
    (tree.parent / "private/tokens").mkdir(parents=True)
    (tree.parent / "private/tokens/a.stl").write_text("")
    (tree / "vendor").symlink_to(tree.parent / "private")
    (tree / "tokens").symlink_to(tree.parent / "private/tokens")
    model = str(tree / "worlds/room.sdf")
    assert resolve("package://secret/a.stl", model).path is None
    found = resolve("package://tokens/a.stl", model)
    assert found.path is None
    assert "outside" in found.reason


def test_what_an_index_says_of_a_name_is_noted_for_the_cache(tree):
    """A package that comes later changes the fingerprint of the name, and another one does not."""
    lookups = Lookups()
    with record_lookups(lookups):
        assert resolve("package://late/a.stl", str(tree / "worlds/room.sdf")).path is None
    (noted,) = [path for path in lookups.paths if split_tree_lookup(path)]
    assert split_tree_lookup(noted) == (str(tree), "late")
    before = Fingerprints().of(noted)
    (tree / "src/early").mkdir()
    assert Fingerprints().of(noted) == before
    (tree / "src/late").mkdir()
    assert Fingerprints().of(noted) != before
    concerned = ("src/late/a.stl", "src/x/package.xml", "src/x/model.config")
    assert all(concerns_lookup(noted, str(tree / path)) for path in concerned)
    assert not concerns_lookup(noted, str(tree / "src/early/a.stl"))
    assert not concerns_lookup(noted, str(tree.parent / "late/a.stl"))


@pytest.mark.parametrize(
    ("cmake", "uri"),
    [
        ("(DIRECTORY description/ DESTINATION share/${PROJECT_NAME})", "meshes/a.stl"),
        ("(DIRECTORY description/meshes DESTINATION share/arm/)", "meshes/a.stl"),
        ("(DIRECTORY x description/meshes\n DESTINATION share/arm/v2 X)", "v2/meshes/a.stl"),
        (
            "(FILES description/meshes/a.stl DESTINATION ${CATKIN_PACKAGE_SHARE_DESTINATION}/m)",
            "m/a.stl",
        ),
        (
            "(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/description/meshes"
            ' DESTINATION "${CMAKE_INSTALL_DATADIR}/${PROJECT_NAME}")',
            "meshes/a.stl",
        ),
    ],
)
def test_what_a_package_installs_elsewhere_is_found_in_its_sources(tmp_path, cmake, uri):
    package = tmp_path / "arm"
    (package / "description/meshes").mkdir(parents=True)
    (package / "description/meshes/a.stl").write_text("")
    (package / "package.xml").write_text("<package><name>arm</name></package>")
    model = str(package / "description/urdf/arm.urdf")
    assert resolve(f"package://arm/{uri}", model).path is None
    (package / "CMakeLists.txt").write_text(f"project(arm)\n# install(\ninstall {cmake}\n")
    found = resolve(f"package://arm/{uri}", model).path
    assert found is not None
    assert os.path.samefile(found, package / "description/meshes/a.stl")
    (package / "CMakeLists.txt").write_text("install(DIRECTORY ../.. DESTINATION share/arm)")
    assert resolve("package://arm/../../a.stl", model).path is None
