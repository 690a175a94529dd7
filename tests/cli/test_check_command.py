import io
import json
import os
import subprocess
import sys

import pytest

from inertial_check.cli.commands import COMMANDS

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
    assert out.endswith("1 of 1 error can be fixed: inertial-check fix --unsafe bad.urdf\n")
    assert err == ""
    assert run("check", "bad.urdf") == run("bad.urdf", "--output-format", "full") == (code, out, "")


def test_the_interval_of_an_entry_is_the_one_that_mends(run, here):
    """Whatever end of whatever interval is printed: written into the file, the error is gone."""
    _, out, _ = run("bad.urdf", "-v")
    line = next(line for line in out.splitlines() if "izz" in line and " to " in line)
    low, high = line.partition("izz ")[2].partition(" kg")[0].split(" to ")
    for end in (low, high):
        (here / "mended.urdf").write_text(BODY.format(name="a", izz=end))
        assert run("mended.urdf")[0] == 0


def test_concise_and_quiet(run):
    code, out, err = run("bad.urdf", "clean.urdf", "--output-format", "concise")
    assert (code, err) == (1, "")
    # The last lines are those of the full form.
    assert (
        out.splitlines()[1:] == run("bad.urdf", "clean.urdf")[1].rpartition("\n\n")[2].splitlines()
    )
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


def test_options_are_not_abbreviated(run):
    code, out, err = run("bad.urdf", "--stat")
    assert (code, out) == (2, "")
    assert "unknown option --stat; did you mean '--statistics'?" in err


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


def test_an_unknown_rule_is_answered_with_the_nearest(run):
    code, out, err = run("bad.urdf", "--select", "triangle-inequality-violations")
    assert (code, out) == (2, "")
    assert "did you mean 'triangle-inequality-violation'?" in err


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
    _, out, _ = run("check", "--help")
    for heading in (
        "Rule selection:",
        "Exit code:",
        "File selection:",
        "Output:",
        "Miscellaneous:",
    ):
        assert f"\n{heading}\n" in out


def test_the_help_lists_every_command_and_each_exists(run):
    from importlib import import_module

    _, out, _ = run("--help")
    for name in COMMANDS:
        assert f"\n  {name} " in out
        module = import_module(f"inertial_check.cli.{name}")
        assert callable(module.add_arguments)
        assert callable(module.run)


def test_version(run):
    import inertial_check

    assert run("--version") == (0, f"inertial-check {inertial_check.__version__}\n", "")


def test_checking_loads_nothing_heavy(here):
    """Start-up time is most of what a check of one file takes; numpy alone is given."""
    code = (
        "import numpy, sys; before = set(sys.modules);"
        "from inertial_check.cli.main import main; main(['clean.urdf', '-q']);"
        "print(*sorted({name.partition('.')[0] for name in sys.modules.keys() - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert "inertial_check" in loaded
    assert not loaded & {"scipy", "cvxpy", "clarabel", "mujoco", "rich", "jsonschema", "difflib"}


NOT_FOR_A_SOUND_URDF = {
    "argparse": "nothing is wrong with the command line",
    "gettext": "no message is translated",
    "locale": "no message is translated",
    "signal": "the numbers of signals need no enumeration",
    "threading": "no bar is drawn, and no other thread is started",
    "numpy.typing": "types of arrays are for type checkers",
    "json": "only some forms of the report have JSON",
    "hashlib": "loads OpenSSL, and a file alone has no cache",
    "difflib": "only fixes have a diff",
    "logging": "only -v shows tracebacks",
    "tomllib": "no configuration file is there",
    "inertial_check.causes": "nothing has a cause without a finding",
    "inertial_check.engines.catalogue": "no engine is gated, and no finding has predictions",
    "inertial_check.rules.pages": "only other forms show the pages of rules",
    "inertial_check.evidence.twins": "no body has a twin",
    "inertial_check.evidence.formulas": "no tensor is doubted",
    "inertial_check.reports.details": "nothing is told of a body",
    "inertial_check.settings.fill_table": "no configuration file is there",
    "inertial_check.fixing": "only some forms have suggestions",
    "inertial_check.viewing": "only html draws the models",
    "inertial_check.formats.mjcf": "another format",
    "inertial_check.formats.sdf": "another format",
    "inertial_check.formats.usd": "another format",
    "inertial_check.formats.ros_yaml": "another format",
    "inertial_check.formats.xml.lenient": "expat reads the document",
    "inertial_check.formats.xml.comments": "no comment is about findings",
    "inertial_check.selecting.directives": "no comment is about findings",
    "inertial_check.inertia.eigen_slopes": "nobody takes a derivative",
    "inertial_check.projection": "no tensor has to move",
    "inertial_check.running.workers": "one file needs no workers",
    "inertial_check.running.cache": "one file has no cache",
    "inertial_check.remote": "no path is a URL",
}
"""Modules that the check of one sound URDF does not load, each with the reason."""


def test_checking_a_sound_urdf_loads_only_what_it_needs(here):
    code = (
        "import sys; from inertial_check.cli.main import main; main(['clean.urdf', '-q']);"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert "inertial_check.formats.urdf.reader" in loaded
    assert not {name: why for name, why in NOT_FOR_A_SOUND_URDF.items() if name in loaded}


NOT_FOR_IMPOSSIBLE_TENSORS = {
    "numpy.typing": "types of arrays are for type checkers",
    "shlex": "the arguments of commands are plain",
    "inertial_check.causes.catalogue": "only the causes of unsound numbers are weighed",
    "inertial_check.causes.geometric": "a cause of sound numbers",
    "inertial_check.causes.placeholders": "a cause of sound numbers",
    "inertial_check.causes.units": "a cause of sound numbers",
    "inertial_check.causes.models": "nothing is wrong with the model as a whole",
    "inertial_check.causes.absence": "every finding has a cause",
    "inertial_check.causes.pages": "only explain shows the pages of causes",
    "inertial_check.engines.catalogue": "one engine that refuses the body is enough",
    "inertial_check.evidence.twins": "no body has a twin",
    "inertial_check.evidence.formulas": "no sound tensor is doubted",
    "inertial_check.inertia.frames": "no body is moved",
    "inertial_check.projection.slopes": "nobody takes a derivative",
    "inertial_check.projection.project": "one metric in closed form says how far the nearest is",
}
"""Modules that the full report on tensors that no body has does not load, each with the reason."""


def test_reporting_impossible_tensors_loads_only_what_it_needs(here):
    code = (
        "import sys; from inertial_check.cli.main import main; main(['bad.urdf']);"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    report, _, modules = done.stdout.decode().rstrip().rpartition("\n")
    assert "IC301" in report
    assert "why: " in report
    loaded = set(modules.split())
    assert "inertial_check.causes.unsound" in loaded
    assert not {name: why for name, why in NOT_FOR_IMPOSSIBLE_TENSORS.items() if name in loaded}


def test_other_commands_are_not_loaded(here):
    code = (
        "import sys; from inertial_check.cli.main import main; main(['clean.urdf', '-q']);"
        "print(*sorted(m for m in sys.modules if m.startswith('inertial_check.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    names = {name.rpartition(".")[2] for name in done.stdout.decode().split()}
    assert names & COMMANDS.keys() == {"check"}
