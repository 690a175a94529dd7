"""Writing in a stranger's checkout: nowhere outside, and every file whole, whatever happens."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.documents.files import writing
from inertial_check.documents.files.access import Access
from inertial_check.errors import UsageError
from inertial_check.programs.cli.main import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and signals")

LINK = """<link name="{}"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="2.01"/></inertial></link>"""
BROKEN = f'<robot name="r">{LINK.format("a")}</robot>\n'
MJCF = """<mujoco><worldbody><body name="{}"><inertial pos="0 0 0" mass="1"
diaginertia="1 1 2.01"/><geom size=".1"/></body>{}</worldbody></mujoco>
"""
INCLUDED = """<mujocoinclude><body name="b"><inertial pos="0 0 0" mass="1"
diaginertia="1 1 2.01"/><geom size=".1"/></body></mujocoinclude>
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository that is the working directory, with a folder of models, beside a victim."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "models").mkdir()
    (tmp_path / "victim").mkdir()
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


def command(*arguments):
    # -B: Python keeps the bytecode that a limit of the file size has cut off, and fails on it.
    return [sys.executable, "-B", "-m", "inertial_check", *map(str, arguments)]


# Links and includes


@pytest.mark.parametrize("outside", ["../../victim/model.urdf", "../model.urdf"])
@pytest.mark.parametrize("named", ["models", "models/link.urdf", ".//models", "models/*.urdf"])
def test_fix_follows_no_link_out_of_the_paths_given(repository, outside, named):
    """Neither out of the repository nor, inside it, out of the folder that was named."""
    victim = (repository / "models" / outside).resolve()
    victim.write_text(BROKEN)
    (repository / "models" / "link.urdf").symlink_to(outside)
    assert main(["fix", "--write", named]) in (1, 2)
    assert victim.read_text() == BROKEN
    assert (repository / "models" / "link.urdf").is_symlink()


def test_fix_follows_no_linked_folder_out_of_the_paths_given(repository):
    (repository / "other").mkdir()
    (repository / "other" / "model.urdf").write_text(BROKEN)
    (repository.parent / "victim" / "model.urdf").write_text(BROKEN)
    (repository / "models" / "inside").symlink_to("../other")
    (repository / "models" / "outside").symlink_to("../../victim")
    main(["fix", "--write", "models"])
    assert (repository / "other" / "model.urdf").read_text() == BROKEN
    assert (repository.parent / "victim" / "model.urdf").read_text() == BROKEN


def test_a_folder_that_is_a_link_out_of_the_repository_is_not_one_that_was_given(repository):
    (repository.parent / "victim" / "model.urdf").write_text(BROKEN)
    (repository / "link").symlink_to("../victim")
    assert main(["fix", "--write", "link", "--follow-outside"]) == 0
    (repository.parent / "victim" / "model.urdf").write_text(BROKEN)
    assert main(["fix", "--write", "link"]) == 2
    assert (repository.parent / "victim" / "model.urdf").read_text() == BROKEN


@pytest.mark.parametrize("outside", ["../../victim/part.xml", "../part.xml"])
@pytest.mark.parametrize("linked", [False, True])
def test_fix_writes_no_include_outside_the_paths_given(repository, outside, linked, capsys):
    victim = (repository / "models" / outside).resolve()
    victim.write_text(INCLUDED)
    if linked:
        (repository / "models" / "part.xml").symlink_to(outside)
    file = "part.xml" if linked else outside
    model = repository / "models" / "model.xml"
    model.write_text(MJCF.format("a", f'<include file="{file}"/>'))
    before = model.read_bytes()
    code = main(["fix", "--write", "models"])
    assert victim.read_text() == INCLUDED
    if not outside.startswith("../../"):  # it is read, as it lies in the repository
        assert code == 2
        assert model.read_bytes() == before  # all of a model, or nothing
        assert "--follow-outside" in capsys.readouterr().err
    model.write_bytes(before)
    assert main(["fix", "--write", "models", "--follow-outside"]) == 0
    assert victim.read_text() != INCLUDED
    assert model.read_bytes() != before


def test_a_link_and_an_include_inside_the_paths_given_are_written(repository):
    (repository / "models" / "parts").mkdir()
    part, model = repository / "models" / "parts" / "part.xml", repository / "models" / "model.xml"
    part.write_text(INCLUDED)
    model.write_text(MJCF.format("a", '<include file="parts/part.xml"/>'))
    (repository / "models" / "z.urdf").symlink_to("parts/real.urdf")
    (repository / "models" / "parts" / "real.urdf").write_text(BROKEN)
    assert main(["fix", "--write", "models"]) == 0
    assert part.read_text() != INCLUDED
    assert (repository / "models" / "parts" / "real.urdf").read_text() != BROKEN
    assert (repository / "models" / "z.urdf").is_symlink()


def test_the_function_writes_no_link_that_leaves_the_folder(repository):
    victim = repository / "model.urdf"
    victim.write_text(BROKEN)
    link = repository / "models" / "link.urdf"
    link.symlink_to("../model.urdf")
    with pytest.raises(UsageError, match=r"outside .*models; --follow-outside writes it"):
        ic.fix_model(str(link)).write()
    assert victim.read_text() == BROKEN
    ic.fix_model(str(link), context=Context(access=Access(follow_outside=True))).write()
    assert victim.read_text() != BROKEN


@pytest.mark.parametrize("where", ["out.urdf", "folder/out.urdf"])
def test_an_output_file_is_no_link_out_of_the_repository(repository, where, capsys):
    victim = repository.parent / "victim" / "out.urdf"
    victim.write_text("dear")
    if "/" in where:
        (repository / "folder").symlink_to("../victim")
    else:
        (repository / where).symlink_to(victim)
    (repository / "models" / "model.urdf").write_text(BROKEN)
    assert main(["fix", "models/model.urdf", "-o", where]) == 2
    for options in (["--output-file", where], ["--also", f"json={where}"]):
        assert main(["check", "models", *options]) == 2
    assert main(["check", "models", "--baseline", where, "--write-baseline"]) == 2
    assert victim.read_text() == "dear"
    assert "out.urdf, outside " in capsys.readouterr().err


def test_a_projected_table_follows_no_link_out_of_the_repository(repository):
    victim = repository.parent / "victim" / "out.csv"
    victim.write_text("dear")
    (repository / "out.csv").symlink_to(victim)
    Path("table.csv").write_text("m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz\n1,0,0,0,1,0,0,1,0,9\n")
    assert main(["project", "table.csv", "--about", "com", "-o", "out.csv"]) == 2
    assert victim.read_text() == "dear"


# Reports


@pytest.fixture
def model(repository):
    path = repository / "models" / "model.urdf"
    path.write_text(BROKEN)
    return path


def limited(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("option", ["--output-file={}", "--also=json={}"])
@pytest.mark.parametrize("old", [None, b"the report of yesterday\n"])
def test_a_full_disk_leaves_the_report_as_it_was(repository, model, option, old):
    report = repository / "report.json"
    if old is not None:
        report.write_bytes(old)
    done = subprocess.run(
        command("check", "models", "--output-format", "json", option.format("report.json")),
        preexec_fn=limited(64),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "cannot write report.json: File too large" in done.stderr
    assert (report.read_bytes() if report.exists() else None) == old
    assert {path.name for path in repository.iterdir()} <= {".git", "models", "report.json"}


def test_a_full_disk_leaves_the_model_as_it_was(repository, model):
    done = subprocess.run(
        command("fix", "--write", "models"),
        preexec_fn=limited(64),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert model.read_text() == BROKEN
    assert [path.name for path in model.parent.iterdir()] == ["model.urdf"]


def test_a_full_disk_leaves_a_mounted_report_as_it_was(tmp_path, monkeypatch):
    """A file in whose folder nothing can be renamed is written over, once there is room."""

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    target = tmp_path / "report.json"
    target.write_bytes(b"old" * 100)
    monkeypatch.setattr(writing, "_open_beside", refuse)
    writing.write_output(str(target), b"new")
    assert target.read_bytes() == b"new"
    script = (
        "import sys\nfrom inertial_check.documents.files import writing\n"
        "def refuse(*_): raise PermissionError(13, 'Permission denied')\n"
        "writing._open_beside = refuse\n"
        "writing.write_output(sys.argv[1], b'x' * 100_000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, str(target)],
        preexec_fn=limited(1000),
        capture_output=True,
        check=False,
    )
    assert b"File too large" in done.stderr
    assert target.read_bytes() == b"new"


def test_devices_and_pipes_are_written_directly(repository, model):
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"):
        Path("link").unlink(missing_ok=True)
        Path("link").symlink_to("/dev/stdout")
        done = subprocess.run(
            command("check", "models", "--output-file", name, "--follow-outside"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert "IC301" in done.stdout, (name, done.stderr)
    with open("shell.txt", "wb") as stream:  # what the shell has opened keeps its place
        subprocess.run(
            command("check", "models", "--output-file", "/dev/stdout"), stdout=stream, check=False
        )
        assert os.path.samestat(os.fstat(stream.fileno()), os.stat("shell.txt"))
    assert "IC301" in Path("shell.txt").read_text()
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()))
    reader.start()
    assert main(["check", "models", "--also", "json=pipe", "-q"]) == 1
    reader.join()
    assert json.loads(read[0])["summary"]["errors"] == 1
    assert not Path("pipe").is_file()


def test_a_link_inside_the_repository_stays_a_link(repository, model):
    Path("real.json").write_text("old")
    Path("report.json").symlink_to("real.json")
    assert main(["check", "models", "--output-format", "json", "--output-file", "report.json"]) == 1
    assert Path("report.json").is_symlink()
    assert json.loads(Path("real.json").read_text())


# Several reports of one check

FORMS = ("full", "concise", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown")


def test_each_further_report_is_that_of_its_own_run(repository, model, capsys):
    """Whatever the other forms need, and with one check."""
    (repository / "models" / "point.urdf").write_text(BROKEN.replace("2.01", "9"))
    for first in FORMS:
        main(["check", "models", "--output-format", first])
        expected = capsys.readouterr().out
        also = [f"--also={form}={form}.txt" for form in FORMS]
        assert main(["check", "models", "--output-format", first, *also]) == 1
        assert capsys.readouterr().out == expected
        assert Path(f"{first}.txt").read_text() == expected


@pytest.mark.parametrize("text", ["json", "xml=a", "json=", "=a", "JSON=a"])
def test_a_further_report_of_another_form_is_refused_and_the_forms_are_named(text, model, capsys):
    assert main(["check", "models", "--also", text]) == 2
    err = capsys.readouterr().err
    assert "expected FORMAT=FILE" in err
    assert all(form in err for form in FORMS)


def test_two_reports_never_share_a_file_and_none_is_written_over_a_model(model, capsys):
    assert main(["check", "models", "--also", "json=a", "--also", "sarif=./a"]) == 2
    assert main(["check", "models", "--output-file", "a", "--also", "sarif=a"]) == 2
    assert main(["check", "models", "--also", "sarif=models/model.urdf"]) == 2
    assert model.read_text() == BROKEN
    assert not Path("a").exists()


# Writers that are killed

LOOP = """
import sys
from inertial_check.documents.files import writing
print("ready", flush=True)
for turn in range(10**9):
    writing.write_output(sys.argv[1], b"%d" % (turn % 10) * 100_000)
"""


def turns(request):
    return 300 if request.config.getoption("--long") else 5


def test_a_killed_fix_damages_no_file_and_the_next_run_removes_what_it_left(repository, request):
    """kill -9 inside the writing of a file: between any two of its system calls."""
    models = [repository / "models" / f"{number}.urdf" for number in range(6)]
    models[0].write_text(BROKEN)
    assert main(["fix", "--write", "-q", "models"]) == 0
    fixed = models[0].read_text()
    script = (
        "import os, random, sys\nfrom inertial_check.programs.cli.main import main\n"
        "left = [int(sys.argv[1])]\n"
        "def hook(event, arguments):\n"
        "    if event in ('open', 'os.rename', 'os.chmod', 'os.chown', 'os.listxattr',\n"
        "                 'os.remove', 'fcntl.flock', 'os.scandir'):\n"
        "        if any('inertial-check-' in str(each) for each in arguments) or left[0] < 0 or (\n"
        "            event == 'fcntl.flock'):\n"
        "            left[0] -= 1\n"
        "            if left[0] == 0:\n"
        "                os.kill(os.getpid(), 9)\n"
        "sys.addaudithook(hook)\n"
        "main(['fix', '--write', '-q', 'models'])\n"
    )
    numbers, left = random.Random(3), 0
    for turn in range(turns(request)):
        for path in models:
            path.write_text(BROKEN)
        moment = turn * 7 % 20 + 1 if turn < 20 else numbers.randint(1, 30)
        subprocess.run([sys.executable, "-c", script, str(moment)], check=False)
        found = [path.read_text() for path in models]
        assert set(found) <= {BROKEN, fixed}
        left += len(list((repository / "models").glob(".*.tmp")))
        assert main([["check", "models", "-q"], ["fix", "--write", "models"]][turn % 2]) in (0, 1)
        assert [path.name for path in sorted((repository / "models").iterdir())] == [
            path.name for path in models
        ]
    assert left > 0  # otherwise nothing was interrupted


def test_a_killed_writer_of_reports_leaves_nothing_after_the_next_report(tmp_path, request):
    report = tmp_path / "report.json"
    moments = random.Random(4)
    for _ in range(turns(request)):
        with subprocess.Popen(
            [sys.executable, "-c", LOOP, str(report)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout.readline() == b"ready\n"
            for _ in range(moments.randint(0, 2000)):
                report.exists()
            writer.send_signal(signal.SIGKILL)
        if report.exists():
            data = report.read_bytes()
            assert data in (b"next", data[:1] * 100_000)
        writing.write_output(str(report), b"next")
        assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_temporary_file_of_a_living_writer_stays(tmp_path):
    script = LOOP.replace(
        "print", "import os\nwriting.os.fsync = lambda _: (print('ready', flush=True), input())\n#"
    )
    target = tmp_path / "model.urdf"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, stdin=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"ready\n"
        (temporary,) = tmp_path.glob(".*.tmp")
        writing.remove_leftovers(str(tmp_path))
        assert temporary.exists()
        writer.kill()
    writing.remove_leftovers(str(tmp_path))
    assert not temporary.exists()


@pytest.mark.parametrize(
    "name",
    ["notes.tmp", ".notes.tmp", ".a.urdf.inertial-check-1.tmp", ".inertial-check-00000000.tmp"],
)
def test_files_with_other_names_are_not_leftovers(tmp_path, name):
    (tmp_path / name).write_text("mine")
    writing.remove_leftovers(str(tmp_path))
    assert (tmp_path / name).exists()


def test_a_link_or_a_pipe_with_the_name_of_a_leftover_is_left_alone(repository, model):
    victim = repository.parent / "victim" / "dear.txt"
    victim.write_text("dear")
    (model.parent / ".a.inertial-check-00000000.tmp").symlink_to(victim)
    os.mkfifo(model.parent / ".b.inertial-check-00000000.tmp")
    (repository.parent / "victim" / ".c.inertial-check-00000000.tmp").write_text("dear")
    (repository.parent / "victim" / "c.urdf").write_text(BROKEN)
    (repository / "models" / "folder").symlink_to("../../victim")
    main(["check", "models"])
    main(["fix", "--write", "models"])
    assert victim.read_text() == "dear"
    assert len(list(model.parent.glob(".*.tmp"))) == 2
    assert len(list((repository.parent / "victim").glob(".*.tmp"))) == 1


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes")
def test_extended_attributes_stay_when_a_file_is_fixed(model):
    try:
        os.setxattr(model, "user.license", b"BSD")
    except OSError:
        pytest.skip("the file system has no attributes")
    assert main(["fix", "--write", "models"]) == 0
    assert model.read_text() != BROKEN
    assert os.getxattr(model, "user.license") == b"BSD"
