"""A repository whose configuration is a stranger's: git is asked, and runs nothing of it."""

import subprocess

import pytest

from inertial_check.programs.cli.main import main

BODY = (
    '<robot name="r"><link name="a"><inertial><mass value="1.25"/>'
    '<inertia ixx="0.123" ixy="0" ixz="0" iyy="0.124" iyz="0" izz="{}"/></inertial></link></robot>'
)


def git(*arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    done = subprocess.run(["git", *who, *arguments], check=True, capture_output=True)
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit, and a model that has changed since."""
    (tmp_path / "tree").mkdir()
    monkeypatch.chdir(tmp_path / "tree")
    git("init", "-q")
    path = tmp_path / "tree" / "arm.urdf"
    path.write_text(BODY.format("0.125"))
    (tmp_path / "tree" / ".gitattributes").write_text("*.urdf filter=a.b=c\n")
    git("add", ".")
    git("commit", "-q", "-m", "a")
    path.write_text(BODY.format("1.25"))
    return tmp_path


@pytest.mark.parametrize("command", ["clean", "process"])
@pytest.mark.parametrize("options", [["--changed-since", "HEAD"], ["--history", "3"]])
def test_no_filter_runs(repository, options, command):
    ran = repository / "ran"
    for name in ("a.b=c", "other"):
        git("config", f"filter.{name}.{command}", f"touch {ran}; cat")
        git("config", f"filter.{name}.required", "true")
    git("config", "core.fsmonitor", f"touch {ran}")
    assert main(["check", ".", "--no-cache", *options]) == 1
    assert not ran.exists()


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--changed-since", "HEAD"], 2, "`git fetch --refetch` brings what is missing"),
        (["--history", "3"], 1, "arm.urdf"),
    ],
)
def test_no_object_is_fetched(repository, options, code, words, capsys):
    ran = repository / "ran"
    blob = git("rev-parse", "HEAD:arm.urdf")
    (repository / "tree" / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.url", "ssh://nowhere.invalid/x")
    git("config", "remote.origin.promisor", "true")
    git("config", "core.sshCommand", f"touch {ran}; false")
    git("config", "protocol.ssh.allow", "always")
    assert main(["check", ".", "--no-cache", *options]) == code
    printed = capsys.readouterr()
    assert words in printed.out + printed.err
    assert not ran.exists()


def test_a_submodule_is_not_asked(repository):
    ran, inner = repository / "ran", repository / "inner"
    git("init", "-q", str(inner))
    (inner / "b.txt").write_text("b")
    git("-C", str(inner), "add", ".")
    git("-C", str(inner), "commit", "-q", "-m", "b")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git("commit", "-q", "-m", "sub")
    git("-C", "sub", "config", "core.fsmonitor", f"touch {ran}")
    (repository / "tree" / "sub" / "b.txt").write_text("changed")
    main(["check", ".", "--no-cache", "--changed-since", "HEAD"])
    assert not ran.exists()
