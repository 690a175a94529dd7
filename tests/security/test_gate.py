"""What a change says about itself counts for nothing under --gate, and is seen."""

import json
import shutil
import subprocess

import pytest

from inertial_check.programs.cli.main import main

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="install git")

INERTIA = '<inertia ixx="0.00100" iyy="0.00100" izz="{}" ixy="0" ixz="0" iyz="0"/>'
URDF = '<robot name="r"><link name="a"><inertial><mass value="1"/>{}</inertial></link></robot>'
SOUND, BROKEN = (URDF.format(INERTIA.format(izz)) for izz in ("0.00100", "0.00300"))


def git(*arguments):
    options = ("-c", "user.email=a@b", "-c", "user.name=n", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *options, *arguments], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository whose branch `main` has a broken model in its baseline; HEAD is a branch."""
    folder = tmp_path / "tree"
    (folder / "robots").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "robots" / "old.urdf").write_text(BROKEN)
    (folder / "robots" / "sound.urdf").write_text(SOUND)
    (folder / "inertial-check.toml").write_text('extend = "shared/base.toml"\n')
    (folder / "shared").mkdir()
    (folder / "shared" / "base.toml").write_text('baseline = "../known.json"\n')
    git("init", "-q", "-b", "main")
    assert main(["check", "robots", "--no-cache", "-q", "--write-baseline=known.json"]) == 0
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    git("checkout", "-q", "-b", "change")
    return folder


@pytest.fixture
def check(tree, capsys):
    def run(*arguments):
        """The exit code, the codes of the findings by file, and the report."""
        capsys.readouterr()
        code = main(["check", ".", "--no-cache", "--output-format=json", "--gate", *arguments])
        out, err = capsys.readouterr()
        report = json.loads(out) if out else {"files": [], "failures": [err], "notes": []}
        found = {
            (file["path"].removeprefix("./"), finding["code"])
            for file in report["files"]
            for finding in file["findings"]
        }
        return code, found, report

    return run


TRUSTED = ["--trusted=main"], ["--changed-since=main"]


@pytest.mark.parametrize("trusted", TRUSTED, ids=["trusted", "changed-since"])
def test_configuration_and_baseline_are_those_of_the_base(tree, check, trusted):
    assert check(*trusted)[:2] == (0, set())
    (tree / "robots" / "new.urdf").write_text(BROKEN)
    new = {("robots/new.urdf", "IC301")}
    assert check(*trusted)[:2] == (1, new)
    for text in ("tolerance = 1e9", 'exclude = ["*.urdf"]', "wrong = 1", "["):
        (tree / "inertial-check.toml").write_text(text)
        (tree / "robots" / ".inertial-check.toml").write_text(text)
        assert check(*trusted)[:2] == (1, new)
    (tree / "inertial-check.toml").unlink()
    (tree / "known.json").write_text("{}")
    (tree / "shared" / "base.toml").unlink()
    assert check(*trusted)[:2] == (1, new)


def test_accepted_bodies_are_those_of_the_base(tree, check):
    entry = '[accept]\n"robots/*.urdf::a" = {codes = ["IC103"], reason = "on purpose"}\n'
    moved = "<joint name='j' type='revolute'><parent link='base'/><child link='a'/></joint>"
    text = f"<robot name='r'><link name='base'/><link name='a'/>{moved}</robot>"
    (tree / "robots" / "new.urdf").write_text(text)
    own = tree / "robots" / "inertial-check.toml"
    own.write_text(entry.replace("robots/", ""))
    assert check("--trusted=main")[1] == {("robots/new.urdf", "IC103")}
    git("add", "-A")
    git("commit", "-q", "-m", "accept")
    assert check("--trusted=HEAD")[1] == set()
    assert check()[1] == {("robots/new.urdf", "IC103"), ("robots/old.urdf", "IC301")}


def test_a_folder_outside_stands_for_the_tree(tree, check, tmp_path):
    outside = tmp_path / "policy"
    outside.mkdir()
    (outside / "inertial-check.toml").write_text('baseline = "known.json"\nselect = ["IC301"]')
    shutil.copy(tree / "known.json", outside)
    (tree / "known.json").write_text("{}")
    (tree / "inertial-check.toml").write_text('exclude = ["*"]')
    (tree / "robots" / "new.urdf").write_text(BROKEN)
    assert check(f"--trusted={outside}")[:2] == (1, {("robots/new.urdf", "IC301")})
    (tree / "policy").symlink_to(outside)
    assert check("--trusted=policy")[:2] == (1, {("robots/new.urdf", "IC301")})


def test_a_folder_of_the_tree_is_not_trusted(tree, check):
    (tree / "main").mkdir()
    (tree / "main" / "inertial-check.toml").write_text('exclude = ["*"]')
    (tree / "policy").mkdir()
    (tree / "robots" / "new.urdf").write_text(BROKEN)
    assert check("--trusted=main")[:2] == (1, {("robots/new.urdf", "IC301")})  # the branch
    code, _, report = check("--trusted=policy")
    assert code == 2
    assert "--trusted: git says" in report["failures"][0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--config=inertial-check.toml"],
        ["--baseline=known.json"],
        ["--expect=shared/expected.csv"],
        ["--trusted=--all"],
        ["--write-baseline=known.json"],
        ["--trusted=main", "--prune-baseline"],
        ["--results=out"],
    ],
)
def test_files_of_the_tree_and_writing_are_refused(tree, check, arguments):
    (tree / "shared" / "expected.csv").write_text("body,mass\na,1\n")
    assert check(*arguments)[0] == 2
    assert not (tree / "out").exists()


def test_named_files_are_those_of_the_base(tree, check):
    (tree / "shared" / "expected.csv").write_text("body,mass\nrobots/sound.urdf::a,2\n")
    git("add", "-A")
    git("commit", "-q", "-m", "expected")
    (tree / "shared" / "expected.csv").write_text("body,mass\nrobots/sound.urdf::a,1\n")
    (tree / "known.json").write_text("{}")
    named = ["--expect=shared/expected.csv", "--baseline=known.json"]
    # Patterns of a table start at its folder, so that this one is about shared/robots.
    assert ("robots/sound.urdf", "IC508") not in check("--trusted=HEAD", *named)[1]
    (tree / "expected.csv").write_text("body,mass\nrobots/sound.urdf::a,2\n")
    git("add", "expected.csv")
    git("commit", "-q", "-m", "expected")
    (tree / "expected.csv").unlink()
    named = ["--expect=expected.csv", "--baseline=known.json"]
    assert check("--trusted=HEAD", *named)[1] == {("robots/sound.urdf", "IC508")}


@pytest.mark.parametrize(
    "name", ["inertial-check.toml", "robots/.gitignore", "known.json", "shared/base.toml"]
)
def test_settings_that_change_beside_models_fail_unless_that_is_allowed(tree, check, name):
    (tree / name).write_text((tree / name).read_text() + "\n" if (tree / name).exists() else "x\n")
    assert check("--trusted=main")[0] == 0  # no model has changed
    (tree / "robots" / "new.urdf").write_text(SOUND)
    code, found, report = check("--trusted=main")
    assert (code, found) == (1, set())
    assert report["summary"]["exit_code"] == 1
    (lowered,) = (each for each in report["account"]["lowered_by"] if each["fails"])
    assert lowered["path"] == name
    assert f"{name} changed together with 1 model (robots/new.urdf)" in report["notes"][-1]
    assert check("--trusted=main", "--allow-config-change")[0] == 0


def test_other_files_may_change_beside_models(tree, check):
    (tree / "pyproject.toml").write_text("[project]\n")
    (tree / "other.json").write_text("{}")
    (tree / "robots" / "new.urdf").write_text(SOUND)
    assert check("--trusted=main")[0] == 0
    (tree / "pyproject.toml").write_text("[tool.inertial-check]\n")
    assert check("--trusted=main")[0] == 1


def test_a_wide_tolerance_is_refused_wherever_it_stands(tree, check):
    assert check("--trusted=main", "--tolerance=1e-3")[0] == 0
    assert check("--trusted=main", "--tolerance=0.0011")[0] == 2
    (tree / "robots" / "inertial-check.toml").write_text("tolerance = 1e9")
    assert check("--trusted=main")[0] == 0  # it does not count
    git("add", "-A")
    git("commit", "-q", "-m", "wide")
    code, _, report = check("--trusted=HEAD")
    assert code == 2
    told = "tolerance = 1000000000.0 (HEAD:robots/inertial-check.toml:1): a gate takes 0.001"
    assert told in report["failures"][0]


def test_links_of_the_base_lead_to_files_of_the_base(tree, check):
    (tree / "inertial-check.toml").rename(tree / "shared" / "own.toml")
    (tree / "shared" / "own.toml").write_text('baseline = "known.json"\nignore = ["IC301"]\n')
    (tree / "inertial-check.toml").symlink_to("shared/own.toml")
    git("add", "-A")
    git("commit", "-q", "-m", "links")
    (tree / "shared" / "own.toml").write_text("wrong = 1")
    (tree / "robots" / "new.urdf").write_text(BROKEN)
    assert check("--trusted=HEAD")[1] == set()


def test_a_configuration_of_the_base_raises_no_limit(tree, check):
    (tree / "robots" / "inertial-check.toml").write_text('max-file-size = "900MB"')
    git("add", "-A")
    git("commit", "-q", "-m", "limit")
    code, _, report = check("--trusted=HEAD")
    assert code == 2
    assert "HEAD:robots/inertial-check.toml:1: max-file-size" in report["failures"][0]


def test_links_that_leave_the_tree_are_not_followed(tree, check, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "robot.urdf").write_text(SOUND)
    (tree / "link.urdf").symlink_to(tmp_path / "outside" / "robot.urdf")
    assert main(["check", "link.urdf", "--no-cache", "-q"]) == 0
    assert main(["check", "link.urdf", "--no-cache", "-q", "--gate"]) == 2


def test_without_a_gate_its_options_are_refused(capsys):
    for option in ("--trusted=x", "--allow-config-change"):
        assert main(["check", ".", option]) == 2
    assert "options of --gate" in capsys.readouterr().err
