"""From what a model calls a mesh to the file."""

import os

import pytest

from inertial_check.documents.context import Context, Lookups, record_lookups
from inertial_check.documents.files.access import Access, remember_folders
from inertial_check.documents.resources import package_paths, resolve
from inertial_check.errors import UsageError

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


def test_a_named_package_goes_before_what_is_near(workspace, model):
    packages = {"arm_description": workspace / "elsewhere"}
    resource = resolve("package://arm_description/meshes/link.stl", model, Context(packages))
    assert resource.path == str(workspace / "elsewhere/meshes/link.stl")
    lost = resolve("package://arm_description/urdf/near.stl", model, Context(packages))
    assert "elsewhere/urdf/near.stl" in lost.reason


def test_the_nearest_folder_that_has_the_file_counts(workspace, model):
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


def test_a_package_by_another_name_is_offered_by_its_folder(workspace, model):
    reason = resolve("package://renamed/meshes/link.stl", model).reason
    assert reason.endswith(f"--package-path renamed={workspace / 'ws/arm_description'}")


def test_a_model_without_a_file_finds_no_neighbours(model):
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
    folder = str(workspace / "elsewhere")
    assert package_paths([f"a={folder}", f"b={folder}", f"a={folder}"]) == {
        "a": folder,
        "b": folder,
    }
    for text, words in (
        ("a", "expected PKG=DIR"),
        ("=x", "expected PKG=DIR"),
        ("a=", "expected PKG=DIR"),
        (f"a={folder}{os.sep}none", "no such folder"),
    ):
        with pytest.raises(UsageError, match=words):
            package_paths([text])
    with pytest.raises(UsageError, match="names a twice"):
        package_paths([f"a={folder}", f"a={workspace}"])


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
