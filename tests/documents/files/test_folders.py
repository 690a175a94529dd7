"""What is remembered of folders while documents are checked, and what may be opened beside them."""

import os
from itertools import combinations, product

import pytest

from inertial_check.checking.check import Document, check_documents
from inertial_check.checking.settings import Settings
from inertial_check.documents.files import access as folders
from inertial_check.documents.files.access import (
    Access,
    FolderMemory,
    ask_once,
    contains,
    contains_any,
    is_in_package_of,
    list_packages,
    real_path,
    remember_folders,
)

MESH = (
    "solid\n" + "facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
)
MODEL = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.013" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.017"/></inertial>
<visual><geometry><mesh filename="../meshes/a.stl"/></geometry></visual></link></robot>"""


@pytest.fixture
def workspace(tmp_path):
    """A package outside a repository, and folders beside it that are none."""
    for name in ("arm", "meshes", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "arm" / "package.xml").write_text("<package><name>arm</name></package>")
    (tmp_path / "arm" / "m.urdf").write_text(MODEL)
    (tmp_path / "meshes" / "a.stl").write_text(MESH)
    return tmp_path


def messages(path, count=1):
    """The messages of the findings of the first of some documents at one path."""
    result = check_documents([Document(str(path), True, Settings())] * count)[0]
    return " ".join(finding.message for finding in result.file.findings)


def test_a_package_that_appears_between_two_checks_of_one_process_is_seen(workspace):
    model = workspace / "arm" / "m.urdf"
    assert "lies outside" in messages(model)
    (workspace / "meshes" / "package.xml").touch()
    assert "lies outside" not in messages(model)
    (workspace / "meshes" / "package.xml").unlink()
    assert "lies outside" in messages(model)


def test_each_folder_is_asked_once_for_a_batch(workspace, monkeypatch):
    """Where every document asked again, a third of the time of a repository went into this."""
    asked = []
    plain = os.path.lexists
    monkeypatch.setattr(os.path, "lexists", lambda path: asked.append(path) or plain(path))
    messages(workspace / "arm" / "m.urdf", count=20)
    marks = [path for path in asked if path.endswith(("package.xml", ".git"))]
    assert marks
    assert len(marks) == len(set(marks))


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_only_packages_beside_a_package_may_be_used(workspace):
    (workspace / "linked").symlink_to(workspace / "other")
    (workspace / "loop").symlink_to(workspace / "loop")
    (workspace / "other" / "model.config").touch()
    outside = workspace.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "package.xml").touch()
    (workspace / "leads_outside").symlink_to(outside)
    access = Access(ceiling=None).of_document(str(workspace / "arm" / "m.urdf"))
    for name, allowed in (
        ("arm", True),
        ("other", True),
        ("linked", True),  # its target is a package beside
        ("meshes", False),
        ("loop", False),
        ("missing", False),
        ("leads_outside", False),
        ("", False),
    ):
        assert access.allows(str(workspace / name / "file")) == allowed, name
    assert not access.allows(str(workspace))
    listed = [path for path in access.list_roots() if path.startswith(str(workspace))]
    assert sorted(set(listed)) == [str(workspace / "arm"), str(workspace / "other")]


def test_the_packages_in_the_root_of_the_system_are_told(monkeypatch):
    top, arm = os.sep, f"{os.sep}arm"
    monkeypatch.setattr(folders, "is_package", lambda folder: folder == arm)
    assert is_in_package_of(top, os.path.join(arm, "a.stl"))
    assert not is_in_package_of(top, f"{top}home{top}a.stl")
    assert not is_in_package_of(top, top)


def test_a_memory_is_bounded_and_ends_with_its_context(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    (tmp_path / "link").symlink_to(first)
    path = str(tmp_path / "link" / "file")
    with remember_folders():
        assert real_path(path) == str(first / "file")
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(second)
        with remember_folders():  # one inside another is the same memory
            assert real_path(path) == str(first / "file")
    assert real_path(path) == str(second / "file")
    assert list_packages(str(tmp_path)) == ()
    memory = FolderMemory()
    with remember_folders(memory):
        for k in range(5000):
            real_path(f"/nowhere/{k}/file")
    assert all(each.cache_info().currsize <= 4096 for each in memory.functions.values())
    assert memory.functions


def test_a_question_is_asked_once_inside_a_context_only():
    asked = []

    def answer(path, more):
        asked.append(path)
        return path + more

    with remember_folders():
        assert [ask_once(answer, path, "c") for path in ("a", "b", "a")] == ["ac", "bc", "ac"]
        assert ask_once(answer, "a", "d") == "ad"
    assert asked == ["a", "b", "a"]
    assert ask_once(answer, "a", "c") == "ac"
    assert len(asked) == 4


def test_folders_above_a_path_are_those_that_contain_it():
    top = os.sep
    paths = [top, *(top + top.join(parts) for n in (1, 2, 3) for parts in product("ab", repeat=n))]
    paths += [top + "ab", top + top.join(["a", "bb"])]
    for some in combinations(paths, 2):
        for path in paths:
            expected = any(contains(folder, path) for folder in some)
            assert contains_any(frozenset(some), path) == expected, (some, path)
