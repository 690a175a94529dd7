import io
import json
import os
import subprocess
import sys

import pytest

from inertial_check.programs.cli.commands import COMMANDS

BODY = """<robot name="r"><link name="{name}"><inertial><mass value="20"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{izz}"/></inertial></link></robot>"""
CLEAN, PLATE, BAD = (BODY.format(name="a", izz=izz) for izz in (0.1, 0.2, 0.4))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for variable in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "clean.urdf").write_text(CLEAN)
    (tmp_path / "plate.urdf").write_text(PLATE)
    (tmp_path / "bad.urdf").write_text(BAD)
    return tmp_path


def feed(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_full_is_the_default(run):
    code, out, err = run("bad.urdf")
    assert code == 1
    assert out.startswith("bad.urdf:2:")
    assert "error IC301 [a]" in out
    assert "\nChecked 1 body in 1 file: 1 error.\n" in out
    assert out.endswith(" can be fixed: inertial-check fix --unsafe --body a bad.urdf\n")
    assert err == ""
    assert run("check", "bad.urdf") == run("bad.urdf", "--output-format", "full") == (code, out, "")


def test_concise_and_quiet(run):
    code, out, err = run("bad.urdf", "clean.urdf", "--output-format", "concise")
    assert (code, err) == (1, "")
    # The last lines are those of the full form without the command of a fix: no remedy is sought.
    last = run("bad.urdf", "clean.urdf")[1].rpartition("\n\n")[2].splitlines()
    assert out.splitlines()[1:] == [line for line in last if "inertial-check fix" not in line]
    assert out.splitlines()[1:] != last
    quiet = run("bad.urdf", "clean.urdf", "--output-format", "concise", "-q")[1]
    assert quiet.splitlines() == out.splitlines()[:1]
    assert "Checked" not in run("bad.urdf", "-q")[1]
    assert run("clean.urdf", "-q") == (0, "", "")


def test_json_on_stdout_is_all_json(run):
    code, out, err = run("bad.urdf", "absent.urdf", "--output-format", "json")
    document = json.loads(out)
    assert code == document["summary"]["exit_code"] == 2
    assert document["failures"] == ["absent.urdf: No such file or directory"]
    assert err == "inertial-check: error: absent.urdf: No such file or directory\n"
    assert document["files"][0]["findings"][0]["code"] == "IC301"


def test_options_may_stand_anywhere(run):
    expected = run("bad.urdf", "plate.urdf", "--strict", "-q")
    assert run("--strict", "bad.urdf", "-q", "plate.urdf") == expected
    assert run("check", "bad.urdf", "--strict", "plate.urdf", "-q") == expected


def test_a_path_may_look_like_an_option(run, here):
    (here / "--strict").write_text(BAD)
    code, out, _ = run("-q", "clean.urdf", "--", "--strict")
    assert code == 1
    assert out.startswith("--strict:2:")


def test_select_and_ignore(run):
    def codes(*options):
        out = run("bad.urdf", "plate.urdf", "--output-format", "concise", *options)[1]
        return sorted({word for word in out.split() if word.startswith("IC")})

    assert codes() == ["IC301", "IC306"]
    assert codes("--select", "IC301") == ["IC301"]
    assert codes("--select", "singular-inertia") == ["IC306"]
    assert codes("--select", "IC1,IC3") == ["IC301", "IC306"]
    assert codes("--select", "IC1", "--select", "IC306") == ["IC306"]
    assert codes("--ignore", "IC3") == []
    assert codes("--ignore", "IC3", "--select", "ALL,IC301") == ["IC301"]
    assert codes("--ignore", "") == ["IC301", "IC306"]


def test_statistics(run):
    assert "1  IC301 triangle-inequality-violation\n" in run("bad.urdf", "--statistics")[1]
    document = json.loads(run("bad.urdf", "--statistics", "--output-format", "json")[1])
    assert document["statistics"] == {"IC301": 1}


def test_standard_input(run, monkeypatch):
    feed(monkeypatch, BAD.encode())
    code, out, _ = run("-", "--stdin-filename", "robots/piped.urdf", "--output-format", "concise")
    assert code == 1
    assert out.startswith("robots/piped.urdf:2:")
    feed(monkeypatch, BAD.encode("utf-16"))
    assert run("-", "-", "-q")[1].startswith("<stdin>:2:")
    feed(monkeypatch, b"no model")
    code, _, err = run("-")
    assert code == 2
    assert "<stdin>" in err


def test_output_file(run, here):
    code, out, err = run("bad.urdf", "--output-file", "report.txt")
    assert (code, out, err) == (1, "", "")
    assert (here / "report.txt").read_bytes() == run("bad.urdf")[1].encode()
    code, out, _ = run("bad.urdf", "absent.urdf", "--output-file", "report.txt")
    assert (code, out) == (2, "")
    assert "IC301" in (here / "report.txt").read_text()
    code, out, err = run("bad.urdf", "--output-file", "no/such/folder.txt")
    assert (code, out) == (2, "")
    assert err.startswith("inertial-check: error: cannot write no/such/folder.txt: ")


def test_show_files(run, here):
    (here / "sub").mkdir()
    (here / "sub" / "a.urdf").write_text(CLEAN)
    assert run(".", "--show-files") == (
        0,
        "./bad.urdf\n./clean.urdf\n./plate.urdf\n./sub/a.urdf\n",
        "",
    )


def test_notes_go_to_stderr_unless_quiet(run, here):
    (here / "empty").mkdir()
    assert "no robot model in empty" in run(".", "empty")[2]
    assert run(".", "empty", "-q")[2] == ""


def test_verbose_says_what_was_looked_at(run):
    assert run("bad.urdf", "-v")[2] == "inertial-check: note: bad.urdf: urdf, 1 body, 1 finding\n"


@pytest.mark.parametrize(
    ("option", "environment", "terminal", "colored"),
    [
        ("auto", {}, False, False),
        ("auto", {}, True, True),
        ("always", {}, False, True),
        ("never", {}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("never", {"FORCE_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
    ],
)
def test_colour(run, monkeypatch, option, environment, terminal, colored):
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert ("\x1b[" in run("bad.urdf", "--color", option)[1]) == colored


def test_no_colour_in_a_file_or_in_json(run, here, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    run("bad.urdf", "--output-file", "report.txt")
    assert b"\x1b" not in (here / "report.txt").read_bytes()
    assert "\x1b" not in run("bad.urdf", "--output-format", "json", "--color", "always")[1]


def test_any_name_on_an_ascii_terminal(here):
    model = BODY.format(name="poignée", izz=0.4)
    (here / "é.urdf").write_text(model, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "inertial_check", "é.urdf"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith(rb"\xe9.urdf:2:")
    assert rb"[poign\xe9e]" in done.stdout
    assert done.stderr == b""


def test_help_groups_the_options(run):
    _, out, _ = run("check", "--help", "all")
    for heading in ("Rule selection", "Exit code", "File selection", "Output", "Miscellaneous"):
        assert f"\n{heading}:\n" in out


def test_the_help_lists_every_command_and_each_exists(run):
    _, out, _ = run("--help")
    for name in COMMANDS:
        assert f"\n  {name} " in out
        assert run(name, "--help")[1].startswith(f"usage: inertial-check {name} ")


def test_version(run):
    import inertial_check

    told = (0, f"inertial-check {inertial_check.__version__}\n", "")
    assert run("--version") == run("-V") == told
