"""git itself is the oracle of what git ignores."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inertial_check.documents.files import walking

FOLDERS = ["a", "a/b", "a/b/a", "b", "[", "x y", "é"]
NAMES = ["a", "b.u", "ab", "-", "]", "a ", "!b", "#c", "^", "A", "1", "é"]
ATOMS = [
    *("a", "b", "ab", "*", "**", "***", "?", "/", "/", "/", ".u", "é", *" !#-^\\"),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[]a]", "[a-]", "[-a]", "[\\]]", "[--0]", "[!-/]"),
    *("[", "]", "[[:alpha:]]", "[[:digit:]x]", "[[:foo:]]", "[[:a]", "[[:", "[a[:]", "\\*", "\r"),
]
LINES = st.builds(
    lambda negated, atoms, folder: "!" * negated + "".join(atoms) + "/" * folder,
    st.booleans(),
    st.lists(st.sampled_from(ATOMS), min_size=1, max_size=5),
    st.booleans(),
)
needs_git = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None,
    reason="needs git and names that Windows forbids",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in ["", *FOLDERS]:
        for name in NAMES:
            if not (root / folder / name).exists():
                (root / folder / name).touch()
    return root


def entries(root):
    """Every folder and file, parents first, relative to the root."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {".git"})
        for name in [*folders, *sorted(set(names) - {".gitignore"})]:
            yield os.path.relpath(os.path.join(folder, name), root)


def ignored_by_git(root):
    done = subprocess.run(
        ["git", "-C", root, "check-ignore", "-z", "--stdin", "--no-index"],
        input="\0".join(entries(root)).encode(),
        stdout=subprocess.PIPE,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        check=False,
    )
    assert done.returncode in (0, 1)
    return set(done.stdout.decode().split("\0")) - {""}


def fail(path, error):
    raise AssertionError(f"{path}: {error}")


def ignored_here(root):
    ignored = set()
    ignores = {"": walking.within(str(root), walking.above(str(root), fail), fail)}
    for entry in entries(root):
        folder, path = os.path.dirname(entry), os.path.join(root, entry)
        if folder in ignored or walking.is_ignored(ignores[folder], path, os.path.isdir(path)):
            ignored.add(entry)
        elif os.path.isdir(path):
            ignores[entry] = walking.within(path, ignores[folder], fail)
    return ignored


@needs_git
@pytest.mark.fuzz
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(["", "a/", "a/b/", "é/"]), st.lists(LINES, max_size=4), max_size=3
    )
)
def test_ignores_what_git_ignores(repository, files):
    for old in repository.rglob(".gitignore"):
        old.unlink()
    for folder, lines in files.items():
        (repository / folder / ".gitignore").write_bytes("\n".join(lines).encode())
    assert ignored_here(repository) == ignored_by_git(repository)


@needs_git
@pytest.mark.parametrize(
    "text",
    [
        *("*\n!a/\n!*.u\n", "\ufeffb.u\n", "b.u\r\n# comment\r\n\r\n", "a \n", "a\\ \n"),
        *("/b\n", "a/**\n!a/b/\n!a/b/**\n", "**/b/a\n", "b/**/a\n", "\\!b\n\\#c\n", "?\n"),
        *("[[:upper:]]\n", "/\n//\n", "a\\\n[a\n"),
    ],
)
def test_the_forms_of_the_manual(repository, text):
    for old in repository.rglob(".gitignore"):
        old.unlink()
    (repository / ".gitignore").write_bytes(text.encode())
    assert ignored_here(repository) == ignored_by_git(repository)


def test_a_repository_inside_another_is_its_own(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.urdf\n")
    inner = tmp_path / "vendored"
    (inner / ".git").mkdir(parents=True)
    outer = walking.within(str(tmp_path), (), fail)
    assert walking.is_ignored(outer, str(tmp_path / "a.urdf"), False)
    own = walking.within(str(inner), outer, fail)
    assert not walking.is_ignored(own, str(inner / "a.urdf"), False)


def test_what_lies_around_a_repository_does_not_count(tmp_path):
    (tmp_path / ".gitignore").write_text("*.urdf\n")
    inside = tmp_path / "repository" / "robots"
    inside.mkdir(parents=True)
    assert walking.above(str(inside), fail) == ()  # no repository at all
    (tmp_path / "repository" / ".git").mkdir()
    assert [each.patterns for each in walking.above(str(inside), fail)] == [()]
    (tmp_path / "repository" / ".gitignore").write_text("*.xml\n")
    _, holder = walking.above(str(inside), fail)
    assert Path(holder.folder) == tmp_path / "repository"


def test_info_exclude_counts_and_gitignore_overrules_it(tmp_path):
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("*.urdf\n*.xml\n")
    (tmp_path / ".gitignore").write_text("!*.urdf\n")
    ignores = walking.within(str(tmp_path), (), fail)
    assert walking.is_ignored(ignores, str(tmp_path / "a.xml"), False)
    assert not walking.is_ignored(ignores, str(tmp_path / "a.urdf"), False)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 15 + "b", "a" * 250),
        ("*a" * 100 + "b", "a" * 4000),
        ("**/a/" * 15 + "b", "a/" * 2000 + "c"),
        ("[ab]*" * 30 + "c", "ab" * 2000),
        ("?*" * 50 + "z", "a" * 4000),
        ("**/*a" * 20 + "b", "a/" * 1000 + "a" * 200),
    ],
)
def test_many_stars_take_linear_time(pattern, path):
    """A matcher that tries every way to split the path would take years for each of these."""
    expression = re.compile(walking.translate_pattern(pattern), re.DOTALL)
    assert expression.fullmatch(path) is None


def test_an_ignore_file_that_is_too_large_or_a_link_counts_for_nothing(tmp_path):
    """git follows no such link, either."""
    (tmp_path / "patterns").write_text("*.urdf\n")
    (tmp_path / ".gitignore").symlink_to("patterns")
    assert walking.within(str(tmp_path), (), fail) == ()
    (tmp_path / ".gitignore").unlink()
    (tmp_path / ".gitignore").write_bytes(b"x\n" * walking.LARGEST)
    failed = []
    assert walking.within(str(tmp_path), (), lambda path, error: failed.append(error)) == ()
    assert "too large" in failed[0].strerror
