"""Attacks on promise 6: one document must never cost the report of another, nor run for ever."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waiting import GUARD, wait_until

INJECTED = Path(__file__).parent / "injected"
DATA = Path(__file__).parents[2] / "data"

RAISING = ("value", "overflow", "memory", "recursion", "exit", "panic", "unspeakable", "judge")
"""Faults before the verdict, which leave only IC001 of a document."""

CRASHING = ("abort", "quit", "killed")


def copy_models(folder):
    """Copy sound and broken models into a folder."""
    for source in (DATA / "valid", DATA / "defects"):
        for path in source.glob("*.urdf"):
            shutil.copy(path, folder / path.name)


@pytest.fixture
def models(tmp_path, data_dir, monkeypatch):
    """A folder of sound and broken models, with a function that adds documents with faults."""
    copy_models(tmp_path)
    monkeypatch.chdir(tmp_path)

    def add(*faults):
        for fault in faults:
            shutil.copy(data_dir / "defects" / "ic301-triangle.urdf", f"bad-{fault}.urdf")

    return add


def command(*arguments):
    return [sys.executable, "-m", "inertial_check", "check", "--isolated", "--no-cache", *arguments]


@pytest.fixture(scope="module")
def check_environment(project_root):
    path = os.pathsep.join((str(INJECTED), str(project_root)))
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def check(check_environment):
    def check(*arguments, form="json"):
        return subprocess.run(
            command(*arguments, "--output-format", form),
            capture_output=True,
            text=True,
            timeout=GUARD,
            env=check_environment,
            check=False,
        )

    return check


def findings(done):
    """Codes and messages of a JSON report, by file."""
    return {
        Path(file["path"]).name: [(each["code"], each["message"]) for each in file["findings"]]
        for file in json.loads(done.stdout)["files"]
    }


@pytest.fixture(scope="module")
def before(check, tmp_path_factory):
    """The findings in the models without any fault."""
    folder = tmp_path_factory.mktemp("models")
    copy_models(folder)
    return findings(check(str(folder)))


def test_whatever_a_reader_raises_is_a_finding_and_costs_no_other_document(models, check, before):
    models(*RAISING)
    for jobs in ("1", "2"):
        done = check(".", "--jobs", jobs)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        after = findings(done)
        for fault in RAISING:
            ((code, message),) = after.pop(f"bad-{fault}.urdf")
            assert code == "IC001"
            assert "internal error" in message
            assert "report it" in message
        assert after == before


@pytest.mark.parametrize("form", ["json", "sarif", "full", "junit", "github", "markdown"])
def test_any_number_of_processes_says_the_same_of_documents_that_fail(models, check, form, sampled):
    sampled(form, {"full"})
    models(*RAISING, "rule", "geometry", "causes", "engines", "comments")
    one, two = (check(".", "--jobs", jobs, form=form) for jobs in ("1", "2"))
    assert one.returncode == two.returncode == 1
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr


def test_a_named_document_that_fails_is_a_failure(models, check):
    models("overflow")
    for jobs in ("1", "2"):
        done = check("bad-overflow.urdf", "rod.urdf", "plate.urdf", "--jobs", jobs)
        assert done.returncode == 2
        assert "bad-overflow.urdf: not checked: internal error, OverflowError" in done.stderr
        assert len(findings(done)) == 3


def test_a_document_that_fails_cannot_pass_because_its_rule_is_not_selected(models, check):
    models("overflow")
    done = check(".", "--select", "IC302")
    assert done.returncode == 2
    assert "internal error, OverflowError" in done.stderr


def test_a_rule_that_fails_costs_only_its_own_findings(models, check):
    models("rule")
    done = check("bad-rule.urdf")
    assert done.returncode == 2
    own = findings(done)["bad-rule.urdf"]
    assert [code for code, _ in own] == ["IC001", "IC301"]
    assert own[0][1].startswith("rule IC302 failed: internal error, ArithmeticError")
    assert json.loads(done.stdout)["files"][0]["bodies"]


@pytest.mark.parametrize("step", ["causes", "engines", "comments"])
def test_what_fails_after_the_verdict_is_a_note(models, check, step):
    models(step)
    done = check(f"bad-{step}.urdf")
    assert done.returncode == 1
    assert [code for code, _ in findings(done)[f"bad-{step}.urdf"]] == ["IC301"]
    assert f"bad-{step}.urdf: " in done.stderr
    assert "internal error, ArithmeticError: injected" in done.stderr


def test_details_of_a_defect_are_printed_with_verbose(models, check):
    models("overflow")
    assert "OverflowError: cannot convert" in check("bad-overflow.urdf", "-v").stderr
    assert "Traceback" in check("bad-overflow.urdf", "-v").stderr


def test_a_file_that_a_form_cannot_show_costs_no_other_file(models, monkeypatch, capsys):
    from inertial_check.programs.cli.main import main
    from inertial_check.reports import json as form

    def fail(file, *rest):
        if file.path.endswith("ic301-triangle.urdf") and file.bodies:
            raise UnicodeError("injected")
        return original(file, *rest)

    original = form._file_members
    monkeypatch.setattr(form, "_file_members", fail)
    assert main(["check", ".", "--isolated", "--no-cache", "--output-format", "json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert len(shown["files"]) == len(list(Path().glob("*.urdf")))
    (file,) = (each for each in shown["files"] if each["path"].endswith("ic301-triangle.urdf"))
    (finding,) = file["findings"]
    assert finding["code"] == "IC001"
    assert "1 IC301" in finding["message"]
    assert shown["summary"]["exit_code"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="faults use signals")
def test_a_document_that_ends_a_process_takes_no_other_with_it(models, check, before):
    models(*CRASHING)
    done = check(".", "--jobs", "2")
    assert done.returncode == 1
    assert done.stderr == ""
    after = findings(done)
    for fault, how in zip(CRASHING, ("SIGABRT", "exit code 0", "SIGKILL"), strict=True):
        ((code, message),) = after.pop(f"bad-{fault}.urdf")
        assert code == "IC001"
        assert f"has crashed a process ({how})" in message
    assert after == before


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no interval timer")
def test_a_document_that_never_ends_is_stopped_and_the_run_goes_on(models, check, before):
    models("spin")
    said = set()
    for jobs in ("1", "2"):
        done = check(".", "--jobs", jobs, "--timeout", "3")
        assert done.returncode == 1
        assert done.stderr == ""
        after = findings(done)
        ((code, message),) = after.pop("bad-spin.urdf")
        assert (code, message[:22]) == ("IC001", "not checked within 3 s")
        assert "--timeout" in message
        assert after == before
        said.add(done.stdout)
    assert len(said) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="faults use signals")
def test_a_document_that_takes_no_signals_is_stopped_by_ending_its_process(models, check, data_dir):
    models("hold")
    done = check("bad-hold.urdf", "rod.urdf", "--jobs", "2", "--timeout", "2")
    assert done.returncode == 2
    ((code, message),) = findings(done)["bad-hold.urdf"]
    assert (code, message[:22]) == ("IC001", "not checked within 2 s")
    # A large document has a process of its own even if it is the only one.
    text = (data_dir / "defects" / "ic301-triangle.urdf").read_text()
    Path("bad-hold.urdf").write_text(text + f"<!--{'large ' * (2 << 20)}-->")
    done = check("bad-hold.urdf", "--timeout", "2")
    ((code, message),) = findings(done)["bad-hold.urdf"]
    assert (code, message[:22]) == ("IC001", "not checked within 2 s")


def test_a_small_document_is_checked_without_another_process(models, project_root):
    script = (
        "import subprocess, sys\n"
        "def refuse(*_, **__): raise AssertionError('a process was started')\n"
        "subprocess.Popen = refuse\n"
        "from inertial_check.programs.cli.main import main\n"
        "sys.exit(main(['check', 'rod.urdf', '--isolated', '-q']))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=".", check=False)
    assert done.returncode == 0


def children(pid):
    """The processes below a process, zombies left out."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(status.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "code", "jobs"),
    [
        (signal.SIGINT, 130, "1"),
        (signal.SIGINT, 130, "2"),
        (signal.SIGTERM, 143, "2"),
        (signal.SIGHUP, 129, "1"),
    ],
)
def test_a_signal_ends_a_run_without_traces(models, check_environment, jobs, number, code):
    models("spin")
    tmp_path = Path.cwd()
    shutil.copy(DATA / "xacro" / "arm.urdf.xacro", "arm.urdf.xacro")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with subprocess.Popen(
        command("bad-spin.urdf", "arm.urdf.xacro", "rod.urdf", "--jobs", jobs),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**check_environment, "TMPDIR": str(temporary)},
        start_new_session=True,
    ) as run:
        # Both workers, or the process that expands xacro files, run by then.
        below = wait_until(lambda: run.poll() is not None or children(run.pid))
        run.send_signal(number)
        output, errors = run.communicate(timeout=GUARD)
    assert run.returncode == code
    # With two jobs the sound file may be done by then, which is said to be not all.
    assert output == b"" or b"Partial report" in output
    assert re.fullmatch(rb"inertial-check: error: interrupted[^\n]*\n", errors)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_a_worker_that_is_busy_for_ever_ends_with_the_run_that_was_killed(
    models, check_environment
):
    models("spin")
    with subprocess.Popen(
        command("bad-spin.urdf", "rod.urdf", "--jobs", "2"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=check_environment,
    ) as run:
        below = wait_until(lambda: children(run.pid))
        run.kill()
        assert run.stderr.read() == b""
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
