import os
import subprocess
import sys

import pytest

from inertial_check.checking.discovery import File, discover
from inertial_check.checking.report import SkippedFiles
from waiting import GUARD

ROBOT = '<robot name="a"/>'
on_posix = pytest.mark.skipif(os.name == "nt", reason="needs symbolic links or names of POSIX")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """tree("a/b.urdf", "c.xml=<mujoco/>", "d/"): makes them in a fresh working directory."""
    monkeypatch.chdir(tmp_path)

    def make(*entries):
        for entry in entries:
            path, _, text = entry.partition("=")
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if not path.endswith("/"):
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text or ROBOT)
        return tmp_path

    return make


def paths(*given):
    found = discover(given)
    assert found.failures == ()
    return [file.path for file in found.files]


def test_a_named_file_is_taken_whatever_it_is(tree):
    tree("notes.txt=nothing", ".hidden.urdf", ".gitignore=*", "empty.xml= ")
    names = [".hidden.urdf", "empty.xml", "notes.txt"]
    assert discover(names).files == tuple(File(name, named=True) for name in names)


@on_posix
def test_a_named_file_is_not_opened(tree):
    """A pipe can be read once, and that is the reader's."""
    os.mkfifo(tree() / "pipe")
    assert discover(["pipe"]).files == (File("pipe", named=True),)


@pytest.mark.parametrize(
    "name", ["absent.urdf", "absent/", "absent/*.urdf", "a.urdf/b.urdf", "", "x["]
)
def test_what_is_not_there_is_a_failure(tree, name):
    tree("a.urdf")
    found = discover([name, "a.urdf"])
    assert [file.path for file in found.files] == ["a.urdf"]
    assert len(found.failures) == 1
    assert "No such file" in found.failures[0] or "Not a directory" in found.failures[0]


def test_a_folder_is_searched_by_suffix_and_root_element(tree):
    tree(
        "robots/z.urdf",
        "robots/UPPER.URDF",
        "robots/a/b/c/model.xml",
        "robots/a/package.xml=<package><robot/></package>",
        "robots/a/robot.txt",
        "robots/a/robot.urdf.bak",
        "robots/a/nothing.urdf=",
        "robots/a/html.urdf=<!-- <robot> --><html/>",
        "robots/.git/hooks/x.urdf",
        "robots/.cache/x.urdf",
        "robots/.visible.urdf",
    )
    (found := tree() / "robots/a/nothing.urdf").write_bytes(b"")
    assert found.stat().st_size == 0
    assert paths("robots") == [
        "robots/.visible.urdf",
        "robots/UPPER.URDF",
        "robots/a/b/c/model.xml",
        "robots/z.urdf",
    ]
    assert not any(file.named for file in discover(["robots"]).files)


def test_a_robot_that_cannot_be_parsed_is_still_one(tree):
    tree("broken.urdf=<robot><link></robot>")
    assert paths(".") == ["./broken.urdf"]


def test_the_root_element_is_found_behind_a_long_head(tree):
    tree(f"a.urdf=<!-- {'x' * 100_000} -->{ROBOT}")
    assert paths(".") == ["./a.urdf"]


def test_paths_are_printed_as_given_joined_with_the_walk(tree):
    root = tree("robots/a.urdf")
    assert paths("robots/") == ["robots/a.urdf"]
    assert paths("./robots") == ["./robots/a.urdf"]
    assert paths("robots/../robots") == ["robots/../robots/a.urdf"]
    assert paths(str(root)) == [f"{root.as_posix()}/robots/a.urdf"]
    assert paths("r*/*.urdf") == ["robots/a.urdf"]
    assert paths("./r*/*.urdf") == ["./robots/a.urdf"]
    assert paths(f"{root}/*/*.urdf") == [f"{root.as_posix()}/robots/a.urdf"]


def test_each_file_once_sorted_by_path(tree):
    tree("b/a.urdf", "a/b.urdf", "a.urdf")
    assert paths("b", "a.urdf", "./a.urdf", "a", "a/b.urdf", "b/*.urdf", "a") == [
        "a.urdf",
        "a/b.urdf",
        "b/a.urdf",
    ]


def test_named_and_found_is_named(tree):
    tree("robots/a.urdf")
    expected = (File("robots/a.urdf", named=True),)
    assert discover(["robots", "robots/a.urdf"]).files == expected
    assert discover(["robots/a.urdf", "robots"]).files == expected


def test_gitignore_is_respected(tree):
    tree(
        ".gitignore=build/\n*.tmp.urdf\n!keep.tmp.urdf\n/top.urdf\n",
        "build/a.urdf",
        "src/build/a.urdf",
        "src/build.urdf",
        "src/x.tmp.urdf",
        "src/keep.tmp.urdf",
        "src/top.urdf",
        "top.urdf",
        "src/nested/.gitignore=*.urdf\n!good.urdf\n",
        "src/nested/bad.urdf",
        "src/nested/good.urdf",
    )
    assert paths(".") == [
        "./src/build.urdf",
        "./src/keep.tmp.urdf",
        "./src/nested/good.urdf",
        "./src/top.urdf",
    ]


def test_gitignore_of_the_repository_around_a_folder_counts(tree):
    tree(".git/", ".gitignore=*.gen.urdf\n", "robots/a.gen.urdf", "robots/a.urdf")
    assert paths("robots") == ["robots/a.urdf"]
    assert paths("robots/*.urdf") == ["robots/a.urdf"]


def test_naming_an_ignored_folder_overrules_it(tree):
    tree(".git/", ".gitignore=build/\n", "build/a.urdf")
    assert paths("build") == paths("build/*.urdf") == ["build/a.urdf"]
    assert paths("build/a.urdf") == ["build/a.urdf"]
    assert paths(".") == []


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("*.urdf", ["a.urdf"]),
        ("*/*.urdf", ["r/b.urdf"]),
        ("**/*.urdf", ["a.urdf", "r/b.urdf", "r/s/c.urdf"]),
        ("r/**", ["r/b.urdf", "r/odd.txt", "r/s/c.urdf"]),
        ("r/**/c.urdf", ["r/s/c.urdf"]),
        ("r/?.urdf", ["r/b.urdf"]),
        ("[ab].urdf", ["a.urdf"]),
        ("[!b].urdf", ["a.urdf"]),
        ("r/*", ["r/b.urdf", "r/odd.txt", "r/s/c.urdf"]),
        ("[r]/", ["r/b.urdf", "r/s/c.urdf"]),
        ("r/*.txt", ["r/odd.txt"]),
    ],
)
def test_globs(tree, glob, expected):
    tree("a.urdf", "r/b.urdf", "r/odd.txt", "r/notes.txt=text", "r/s/c.urdf", "r/.h/d.urdf")
    assert paths(glob) == expected


def test_a_glob_reads_no_more_folders_than_it_must(tree, monkeypatch):
    tree("a/b/c/d.urdf", "a/x.urdf")
    read = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: read.append(path) or scandir(path))
    assert paths("a/*.urdf") == ["a/x.urdf"]
    assert len(read) == 1


def test_a_file_named_like_a_glob_is_no_glob(tree):
    tree("a[1].urdf", "a1.urdf")
    assert discover(["a[1].urdf"]).files == (File("a[1].urdf", named=True),)


def test_a_path_that_gives_nothing_is_told_beside_others(tree):
    tree("a.urdf", "empty/")
    assert discover(["a.urdf", "empty", "*.xml"]).notes == (
        "no robot model in empty",
        "no robot model in *.xml",
    )
    assert discover(["empty"]) == discover([])  # the check has one sentence for it


def test_what_is_in_a_file_decides_and_fragments_are_left_out(tree):
    tree(
        "a.xml=<mujoco/>",
        "b.mjcf=<mujoco/>",
        "c.world=<?xml version='1.0'?><sdf/>",
        "d.usda=#usda 1.0",
        "f.xml=<mujocoinclude/>",
        "g.xacro=<launch/>",
        "h.urdf",
    )
    found = discover(["."])
    taken = ["./a.xml", "./b.mjcf", "./c.world", "./d.usda", "./h.urdf"]
    assert [file.path for file in found.files] == taken
    assert found.notes == ()
    assert discover(["f.xml"]).files == (File("f.xml", named=True),)


@on_posix
def test_loops_of_links_end_and_files_are_listed_under_their_own_path(tree):
    root = tree("z/robot.urdf", "outside.urdf")
    (root / "z" / "again").symlink_to(root / "z")
    (root / "z" / "up").symlink_to(root)
    (root / "a").symlink_to("z")
    assert paths(".") == ["./outside.urdf", "./z/robot.urdf"]
    found = discover(["z"])
    assert [file.path for file in found.files] == ["z/robot.urdf"]
    assert found.skipped == (SkippedFiles("link out of the repository", 1, ("z/up",)),)
    (root / ".git").mkdir()
    assert paths("z") == ["z/robot.urdf", "z/up/outside.urdf"]


@on_posix
def test_links_are_followed_and_one_file_is_one_model(tree):
    root = tree("elsewhere/a.urdf", "models/")
    (root / "models" / "linked").symlink_to(root / "elsewhere")
    (root / "models" / "b.urdf").symlink_to(root / "elsewhere" / "a.urdf")
    assert paths("models") == ["models/linked/a.urdf"]
    (root / "models" / "linked").unlink()
    os.link(root / "elsewhere" / "a.urdf", root / "models" / "c.urdf")
    assert paths("models") == ["models/c.urdf"]
    assert paths("models/b.urdf", "models/c.urdf") == ["models/b.urdf", "models/c.urdf"]
    (root / "models" / "c.urdf").unlink()
    assert paths("models") == ["models/b.urdf"]


@on_posix
@pytest.mark.parametrize("path", [b"a\0b", b"../../etc", b"\xff", b"x" * 5000])
def test_a_hostile_list_of_submodules_costs_no_search(tree, path):
    root = tree("a.urdf", ".git/", ".gitmodules=")
    (root / ".gitmodules").write_bytes(b'[submodule "c"]\n\tpath = c\n\tpath = ' + path + b"\n")
    assert paths(".") == ["./a.urdf"]
    (root / ".gitmodules").unlink()
    (root / ".gitmodules").symlink_to("/etc/passwd")
    assert paths(".") == ["./a.urdf"]


@on_posix
def test_what_is_no_model_is_counted_by_kind(tree):
    """Links to nothing, pointers of Git LFS, submodules that are not there, and other texts."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    modules = "".join(f'[submodule "{n}"]\n\tpath = {n}\n' for n in ("libs/a", "libs/b", "c"))
    root = tree("a.urdf", f"l.urdf={pointer}", f"m/hand.stl={pointer}", f"m/n.DAE={pointer}")
    tree("page.sdf=<html/>", "molecule.sdf=C6H6", f"big.stl={'x' * 2000}", "manifest.xml=<p/>")
    tree(".git/", f".gitmodules={modules}", "libs/a/", "libs/b/b.urdf")
    (root / "gone.urdf").symlink_to("nowhere")
    (root / "package.xml").symlink_to("nowhere")
    (root / "self.urdf").symlink_to("self.urdf")
    found = discover(["."])
    assert [file.path for file in found.files] == ["./a.urdf", "./libs/b/b.urdf"]
    assert found.skipped == (
        SkippedFiles("dangling link", 3, ("./gone.urdf", "./package.xml", "./self.urdf")),
        SkippedFiles("Git LFS pointer", 3, ("./l.urdf", "./m/hand.stl", "./m/n.DAE")),
        SkippedFiles("empty submodule", 2, ("./c", "./libs/a")),
        SkippedFiles("file like a model", 2, ("./molecule.sdf", "./page.sdf")),
    )
    kinds = ("3 dangling links: ", "3 Git LFS pointers: `git lfs pull`", "2 empty submodules: ")
    for note, kind in zip(found.notes, (*kinds, "2 files like a model: "), strict=True):
        assert note.startswith(f"skipped {kind}")
    assert [each.paths for each in discover(["libs"]).skipped] == [("libs/a",)]


@on_posix
def test_a_link_out_of_the_repository_is_counted_and_with_sniff_checked(tree):
    """What hooks and workflows are given has to show that a file was made a link."""
    root = tree("repo/.git/", "repo/a.urdf", "away/b.urdf")
    (root / "repo" / "b.urdf").symlink_to("../away/b.urdf")
    (root / "repo" / "gone.urdf").symlink_to("../away/gone.urdf")
    (root / "repo" / "away").symlink_to("../away")
    found = discover(["repo"])
    assert [file.path for file in found.files] == ["repo/a.urdf"]
    links = ("repo/away", "repo/b.urdf", "repo/gone.urdf")
    assert found.skipped == (SkippedFiles("link out of the repository", 3, links),)
    found = discover(["repo"], sniff=True)
    assert [file.path for file in found.files] == ["repo/a.urdf", "repo/b.urdf", "repo/gone.urdf"]


@on_posix
def test_a_walk_opens_no_pipe(tree):
    root = tree("a.urdf")
    os.mkfifo(root / "pipe.urdf")
    (root / "linked.urdf").symlink_to("pipe.urdf")
    code = "from inertial_check.checking.discovery import discover; print(discover(['.']).files)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=GUARD, check=True
    )
    assert done.stdout.decode() == "(File(path='./a.urdf', named=False),)\n"


def test_temporary_files_of_fix_are_never_found(tree):
    tree("a.urdf", ".a.urdf.inertial-check-x1_y.tmp")
    assert paths(".*") == []
    assert paths("**") == ["a.urdf"]


def test_a_folder_that_cannot_be_read_is_a_failure(tree, monkeypatch):
    tree("a.urdf", "locked/b.urdf")
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = discover(["."])
    assert found.failures == ("./locked: Permission denied",)
    assert [file.path for file in found.files] == ["./a.urdf"]


@on_posix
def test_names_that_are_no_text(tree):
    root = os.fsencode(tree())
    name = root + b"/caf\xe9.urdf"
    try:
        with open(name, "wb") as stream:
            stream.write(ROBOT.encode())
    except OSError:
        pytest.skip("this file system takes only text")
    assert [os.fsencode(path) for path in paths(".", "*.urdf")] == [b"./caf\xe9.urdf"]
