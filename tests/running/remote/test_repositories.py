"""Repositories and bundles of git are read without running anything that strangers have named."""

import os
import shutil
import subprocess

import pytest

from inertial_check.documents.files.access import Limits
from inertial_check.running.remote.addresses import RefusedError, parse_address
from inertial_check.running.remote.fetch import fetch

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, data_dir, monkeypatch):
    """A repository without a working tree, robots.git, with one model that has a defect."""
    monkeypatch.chdir(tmp_path)
    work = tmp_path / "work"
    (work / "arm").mkdir(parents=True)
    shutil.copy(data_dir / "defects/ic301-triangle.urdf", work / "arm/arm.urdf")
    (work / ".gitattributes").write_text("*.urdf filter=evil diff=evil\n")
    git(work, "init", "--quiet")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "arm")
    git(tmp_path, "clone", "--quiet", "--bare", "work", "robots.git")
    return tmp_path / "robots.git"


def read(text, limits=None):
    with fetch(parse_address(str(text)), limits or Limits()) as fetched:
        assert os.path.exists(os.path.join(fetched.root, "arm/arm.urdf"))
        return sorted(fetched.files)


FILES = [".gitattributes", "arm/arm.urdf"]


def test_a_repository_and_a_bundle_are_checked_by_their_address(repository, run):
    git(repository, "bundle", "create", str(repository.parent / "robots.bundle"), "HEAD", "main")
    for name in ("robots.git", "robots.bundle"):
        code, text, _ = run("check", name, "--output-format", "concise")
        assert code == 1
        assert f"git://arm/arm.urdf::{name}:9:21: error IC301" in text
        _, member, _ = run("check", f"git://arm/arm.urdf::{name}", "--output-format", "concise")
        assert member.splitlines()[0] == text.splitlines()[0]


def test_a_bundle_of_one_branch_is_read_whatever_its_name(repository):
    work, bundle = repository.parent / "work", repository.parent / "one.bundle"
    git(work, "branch", "trunk")
    git(work, "branch", "same")
    git(work, "bundle", "create", str(bundle), "trunk", "same")  # two names of one commit
    assert read(bundle) == FILES
    git(work, "commit", "--quiet", "--allow-empty", "-m", "later")
    git(work, "branch", "other")
    git(work, "bundle", "create", str(bundle), "trunk", "other")
    with pytest.raises(RefusedError, match="it has no HEAD, and no branch main or master"):
        read(bundle)


def test_rows_of_a_repository_are_those_of_its_last_commit(repository, run):
    options = ("--results", "out", "--results-format", "jsonl", "--jobs", "1")
    assert "IC301" in run("check", "robots.git", *options)[1]
    git(repository.parent / "work", "rm", "--quiet", "arm/arm.urdf")
    git(repository.parent / "work", "commit", "--quiet", "-m", "gone")
    git(repository.parent / "work", "push", "--quiet", str(repository), "HEAD")
    assert "IC301" not in run("check", "robots.git", *options)[1]


def test_branches_are_found_loose_packed_and_detached(repository):
    assert read(repository) == FILES
    git(repository, "pack-refs", "--all")
    assert read(repository) == FILES
    (repository / "HEAD").write_text(git(repository, "rev-parse", "HEAD") + "\n")
    assert read(repository) == FILES


def test_nothing_that_a_repository_names_is_run(repository, tmp_path):
    """The same configuration makes git itself run the command."""
    mark = tmp_path / "was-run"
    with open(repository / "config", "a") as config:
        command = f"touch {mark}; cat"
        config.write(f'[filter "evil"]\n smudge = "{command}"\n required = true\n')
        config.write(f'[diff "evil"]\n textconv = "{command}"\n[core]\n fsmonitor = "{command}"\n')
        config.write(f'[tar "tar"]\n command = "{command}"\n')
    for hook in ("post-checkout", "reference-transaction"):
        (repository / "hooks").mkdir(exist_ok=True)
        (repository / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {mark}\n")
        (repository / "hooks" / hook).chmod(0o755)
    git(repository, "archive", "--format=tar", "-o", str(tmp_path / "x.tar"), "HEAD")
    assert mark.exists()
    mark.unlink()
    assert read(repository) == FILES
    assert not mark.exists()


@pytest.mark.parametrize(
    "head", ["ref: ../../secret", "ref: refs/heads/../../../x", "-x", "", "\0"]
)
def test_a_head_that_names_no_commit_is_told(repository, head):
    (repository / "HEAD").write_text(head)
    with pytest.raises(RefusedError, match="its HEAD names no commit"):
        read(repository)


def test_objects_of_others_are_not_read(repository, tmp_path):
    shutil.copytree(repository, tmp_path / "linked.git")
    shutil.rmtree(tmp_path / "linked.git/objects")
    (tmp_path / "linked.git/objects").symlink_to(repository / "objects")
    with pytest.raises(RefusedError, match="has links"):
        read(tmp_path / "linked.git")
    git(tmp_path, "clone", "--quiet", "--bare", "--shared", "robots.git", "shared.git")
    with pytest.raises(RefusedError, match="objects lie in another repository"):
        read(tmp_path / "shared.git")


def test_limits_hold_and_damage_is_told(repository, tmp_path):
    with pytest.raises(RefusedError, match="--max-file-size raises the limit"):
        read(repository, Limits(mesh=1 << 9))
    with pytest.raises(RefusedError, match="--timeout"):
        read(repository, Limits(seconds=1e-6))
    (tmp_path / "x.bundle").write_bytes(b"# v2 git bundle\nnonsense")
    with pytest.raises(RefusedError, match="git: "):
        read(tmp_path / "x.bundle")
    (tmp_path / "y.bundle").write_bytes(b"nonsense")
    with pytest.raises(RefusedError, match="no bundle of git"):
        read(tmp_path / "y.bundle")
    shutil.rmtree(repository / "objects/pack", ignore_errors=True)
    for name in os.listdir(repository / "objects"):
        shutil.rmtree(repository / "objects" / name)
    with pytest.raises(RefusedError, match="git: "):
        read(repository)
