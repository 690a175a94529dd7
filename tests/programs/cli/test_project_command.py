"""`inertial-check project`: declared conventions, only changed numbers in new text, exit codes."""

import io
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.inertia.representations import ORDERS, reorder
from inertial_check.programs.cli.main import main

HEADER = "link,m,hx,hy,hz,ixx,ixy,ixz,iyy,iyz,izz"
SOUND = "arm,2.0,0.0,0.0,0.10,0.0300,0,0,0.04,0,0.0500"
BROKEN = "hand,0.5,0.0,0.1,0.0,0.0300,0,0.001,0.01,0,0.0600"
NEGATIVE = "ghost,-1,0,0,0,1,0,0,1,0,1"
APEX = "crumb,1.0,0,0,0,-1.0,0,0,-1.0,0,-1.0"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(*rows, name="t.csv", header=HEADER, end="\r\n"):
        lines = [*([header] if header else []), *rows]
        (tmp_path / name).write_bytes("".join(line + end for line in lines).encode())
        return tmp_path / name

    return write


def run(capsysbinary, *argv):
    code = main(["project", *argv])
    captured = capsysbinary.readouterr()
    return code, captured.out, captured.err.decode()


def theta(row):
    return np.array([float(cell) for cell in row.split(",")[1:]])


@pytest.mark.parametrize("about", ["origin", "com"])
@pytest.mark.parametrize("metric", ["inertia", "covariance"])
def test_only_what_moved_gets_new_text(table, capsysbinary, about, metric):
    path = table(SOUND, BROKEN, SOUND)
    before = path.read_bytes()
    code, out, err = run(capsysbinary, "t.csv", "--about", about, "--metric", metric)
    assert code == 0
    lines, new = before.split(b"\r\n"), out.split(b"\r\n")
    assert [a == b for a, b in zip(lines, new, strict=True)] == [True, True, False, True, True]
    expected = ic.project(theta(BROKEN), metric=metric, about=about)
    assert theta(new[2].decode()).tolist() == expected.theta.tolist()
    assert new[2].startswith(b"hand,0.5,0.0,0.1,0.0,")  # mass and first moment keep their text
    change = f"its moments change by {100 * expected.relative_change:.3g} %"
    assert f"t.csv:3: row 2 [hand] projected: {change}" in err
    assert "3 rows: 1 moved." in err
    assert path.read_bytes() == before
    path.write_bytes(out)
    again = run(capsysbinary, "t.csv", "--about", about, "--metric", metric)
    assert again[:2] == (0, out)
    assert "3 rows: 0 moved." in again[2]


@pytest.mark.parametrize("order", ORDERS)
def test_bare_numbers_go_by_the_declared_order(table, capsysbinary, order):
    shuffled = reorder(theta(BROKEN), "urdf", order).tolist()
    table(",".join(map(repr, shuffled)), header=None)
    code, out, _ = run(capsysbinary, "t.csv", "--about", "com", "--order", order)
    assert code == 0
    result = np.array([float(cell) for cell in out.decode().split(",")])
    expected = ic.project(theta(BROKEN), about="com").theta
    np.testing.assert_allclose(reorder(result, order, "urdf"), expected, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize(
    ("argv", "messages"),
    [
        (["t.csv"], ["--about", "origin", "com"]),
        (["bare.csv", "--about", "com"], ["--order", *ORDERS]),
        (["t.csv", "--about", "here"], ["origin", "com"]),
        (["bare.csv", "--about", "com", "--order", "mine"], [*ORDERS]),
        (["t.csv", "--about", "com", "--metric", "nearest"], ["inertia", "affine-invariant"]),
        (["t.csv", "--about", "origin", "--metric", "weighted"], ["needs --weights FILE"]),
        (["t.csv", "--about", "com", "--margin", "0.5"], ["margin is 0.5"]),
        (["bad.csv", "--about", "com"], ["bad.csv:2:15: hz: ", "is no number"]),
        (["gone.csv", "--about", "com"], ["gone.csv: no such file"]),
        (["t.csv", "--about", "com", "--solver", "no", "-o", "o"], ["no"]),
        (["t.csv", "--about", "com", "-o", "o", "--report", "o"], ["--report and -o name one"]),
        (["t.csv", "--about", "com", "--report", "t.csv"], ["--report and TABLE name one file"]),
        (["t.csv", "--about", "com", "--metric", "prior", "--prior", "bad.csv", "-o", "bad.csv"],
         ["-o and --prior name one file, bad.csv"]),
        (["t.csv", "--about", "com", "-o", "nowhere/o.csv"], ["nowhere/o.csv: cannot be written"]),
    ],
)  # fmt: skip
def test_what_is_not_declared_or_cannot_be_done(table, capsysbinary, argv, messages):
    table(SOUND, BROKEN)
    table("1,2,3,4,5,6,7,8,9,10", name="bare.csv", header=None)
    table("arm,2,0.1,0.2,*,1,0,0,1,0,1", name="bad.csv")
    code, out, err = run(capsysbinary, *argv)
    assert (code, out) == (2, b"")
    for message in messages:
        assert message in err
    assert err.count("\n") == 1
    assert sorted(os.listdir()) == ["bad.csv", "bare.csv", "t.csv"]


def test_an_order_beside_names_is_not_used_and_that_is_said(table, capsysbinary):
    table(SOUND, BROKEN)
    with_order = run(capsysbinary, "t.csv", "--about", "com", "--order", "mujoco")
    without = run(capsysbinary, "t.csv", "--about", "com")
    assert with_order[:2] == without[:2]
    assert "--order mujoco was not needed" in with_order[2]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (NEGATIVE, "mass is not positive or a number not finite"),
        (BROKEN.replace("0.0600", "nan"), "mass is not positive or a number not finite"),
        (APEX, "the nearest inertia is zero"),
    ],
)
def test_rows_without_a_nearest_body_stay_and_fail(table, capsysbinary, row, reason):
    path = table(row, BROKEN)
    code, out, err = run(capsysbinary, "t.csv", "--about", "com")
    assert code == 1
    assert out.split(b"\r\n")[1] == path.read_bytes().split(b"\r\n")[1]
    assert f"t.csv:2: row 1 [{row.split(',')[0]}] no-nearest: " in err
    assert reason in err
    assert "2 rows: 1 moved, 1 without a nearest." in err


def test_o_writes_a_file_and_leaves_stdout_empty(table, tmp_path, capsysbinary):
    path = table(SOUND, BROKEN)
    before = path.read_bytes()
    _, out, _ = run(capsysbinary, "t.csv", "--about", "com")
    assert run(capsysbinary, "t.csv", "--about", "com", "-o", "out.csv")[:2] == (0, b"")
    assert (tmp_path / "out.csv").read_bytes() == out
    assert path.read_bytes() == before
    assert run(capsysbinary, "t.csv", "--about", "com", "-o", "t.csv")[:2] == (0, b"")
    assert path.read_bytes() == out
    assert sorted(os.listdir()) == ["out.csv", "t.csv"]


def test_standard_input_and_bytes_that_no_locale_holds(monkeypatch, tmp_path):
    text = (HEADER + "\n").encode() + b"caf\xe9" + BROKEN.removeprefix("hand").encode() + b"\n"
    command = [sys.executable, "-m", "inertial_check", "project", "-", "--about", "com"]
    result = subprocess.run(
        command, input=text, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    assert result.returncode == 0
    assert result.stdout.startswith(text[: text.index(b"0.0300")])
    assert b"<stdin>:2: row 1" in result.stderr


def test_what_goes_wrong_late_leaves_nothing_behind(table, tmp_path, capsysbinary):
    path = table(*[BROKEN] * 20_000, BROKEN.replace("0.0600", "oops"))
    before = path.read_bytes()
    for argv in ([], ["-o", "t.csv", "--report", "r.json"], ["-o", "new.csv"]):
        code, out, err = run(capsysbinary, "t.csv", "--about", "com", *argv)
        assert (code, out) == (2, b"")
        assert 't.csv:20002:44: izz: "oops" is no number' in err
    assert path.read_bytes() == before
    assert os.listdir() == ["t.csv"]


KILLED = """
import os, signal
from inertial_check.programs.cli.main import main
from inertial_check.fixing import tables as table
passed = table._pass_block
def die(block, *rest):
    passed(block, *rest)
    if block.first > 8000:
        os.kill(os.getpid(), signal.SIGKILL)
table._pass_block = die
main(["project", "t.csv", "--about", "com", "-o", "t.csv", "--report", "r.json"])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_in_the_middle_it_leaves_the_old_file(table):
    path = table(*[BROKEN] * 20_000)
    before = path.read_bytes()
    result = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, check=False)
    assert result.returncode == -9
    assert path.read_bytes() == before
    left = sorted(set(os.listdir()) - {"t.csv"})
    assert [name[: name.index("-")] for name in left] == [".r.json.inertial", ".t.csv.inertial"]


def test_the_table_must_not_change_meanwhile(table, capsysbinary, monkeypatch):
    path = table(BROKEN)
    real = sys.modules["inertial_check.fixing.tables"].project_table

    def meddled(*args):
        summary = real(*args)
        path.write_text("changed")
        return summary

    monkeypatch.setattr("inertial_check.programs.cli.project.project_table", meddled)
    code, _, err = run(capsysbinary, "t.csv", "--about", "com", "-o", "t.csv")
    assert code == 2
    assert "t.csv: not written: the file has changed since it was read" in err
    assert path.read_text() == "changed"
    assert os.listdir() == ["t.csv"]


def test_many_rows_are_told_of_in_the_report(table, tmp_path, capsysbinary):
    table(*[SOUND, BROKEN, NEGATIVE, APEX] * 7)
    plain = run(capsysbinary, "t.csv", "--about", "com")
    code, out, err = run(capsysbinary, "t.csv", "--about", "com", "--report", "r.json")
    assert (code, out) == plain[:2]
    assert plain[2].splitlines()[:20] == err.splitlines()[:20]
    assert plain[2].splitlines()[20] == "... and 1 more; --report FILE has all"
    assert err.splitlines()[20] == "... and 1 more; r.json has all"
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["schema_version"] == "1"
    assert (report["table"], report["about"], report["order"]) == ("t.csv", "com", "urdf")
    assert (report["rows"], report["moved"], report["left"]) == (28, 7, 14)
    assert report["statuses"] == {"feasible": 7, "no-nearest": 14, "projected": 7}
    assert len(report["bodies"]) == 21
    expected = ic.project(theta(BROKEN), about="com")
    assert report["bodies"][0] == {
        "row": 2,
        "line": 3,
        "label": "hand",
        "status": "projected",
        "distance": expected.distance,
        "relative_change": expected.relative_change,
        "primal_residual": pytest.approx(expected.primal_residual, abs=1e-15),
        "dual_residual": pytest.approx(expected.dual_residual, abs=1e-15),
        "gap": pytest.approx(expected.gap, abs=1e-15),
        "factor": 1.0,
        "solver": "closed form",
        "iterations": 0,
    }
    for body in report["bodies"][1:3]:
        assert (body["status"], body["distance"], body["gap"]) == ("no-nearest", None, None)


def test_the_report_of_a_sound_table_is_whole(table, tmp_path, capsysbinary):
    table(SOUND)
    run(capsysbinary, "t.csv", "--about", "com", "--report", "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["bodies"] == []


def test_forms_come_from_standard_input_and_go_into_files(table, tmp_path, capsysbinary):
    table(SOUND, BROKEN)
    assert (
        run(capsysbinary, "t.csv", "--about", "com", "--output-format", "npz", "-o", "t.npz")[0]
        == 0
    )
    command = [sys.executable, "-m", "inertial_check", "project", "-", "--about", "com"]
    for form, start in (("yaml", b"- {name: "), ("json", b"["), ("npz", b"PK"), ("csv", b"name,m")):
        result = subprocess.run(
            [*command, "--output-format", form],
            input=(tmp_path / "t.npz").read_bytes(), capture_output=True, check=False,
        )  # fmt: skip
        assert (result.returncode, result.stderr) == (0, b"2 rows: 0 moved.\n")
        assert result.stdout.startswith(start)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("o.npz", b"PK"),
        ("o.json", b"["),
        ("o.yaml", b"- {name: "),
        ("o.yml", b"- "),
        ("o.csv", b"link,m"),
    ],
)
def test_the_suffix_of_the_output_says_its_format(name, start, table, tmp_path, capsysbinary):
    table(SOUND)
    assert run(capsysbinary, "t.csv", "--about", "com", "-o", name)[0] == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    other = "json" if name != "o.json" else "csv"
    code, _, err = run(
        capsysbinary, "t.csv", "--about", "com", "-o", name, "--output-format", other
    )
    assert code == 2
    assert "leave one of them out" in err
    code, _, err = run(capsysbinary, "t.csv", "--about", "com", "-o", "o.xlsx")
    assert code == 2
    assert "no table is written as .xlsx" in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_standard_output_is_one_line(table):
    table(BROKEN)
    command = [sys.executable, "-m", "inertial_check", "project", "t.csv", "--about", "com"]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith(
        b"inertial-check: error: cannot write standard output: No space"
    )


def test_the_metrics_of_the_command_are_those_of_the_package():
    from inertial_check.programs.cli.options import MOMENT_METRICS
    from inertial_check.programs.cli.project import _METRICS
    from inertial_check.projection.metrics import TAKES

    assert [*MOMENT_METRICS, *_METRICS] == [*TAKES]


def test_quiet(table, capsysbinary):
    table(BROKEN)
    _, out, err = run(capsysbinary, "t.csv", "--about", "com", "-q")
    assert out
    assert err == ""


def test_published_tables_are_read_and_repeat(datasets, tmp_path, capsysbinary):
    listed = json.loads((datasets / "tables" / "tables.json").read_text())
    read = 0
    for item in listed:
        path = datasets / "tables" / item["file"]
        code, out, err = run(capsysbinary, str(path), "--about", item["inertia_about"])
        if "*" in path.read_text():  # a parameter that was not identifiable
            assert code == 2
            assert 'cz: "*" is no number' in err
            continue
        assert code == 0
        read += 1
        (tmp_path / "again.csv").write_bytes(out)
        code, again, _ = run(
            capsysbinary, str(tmp_path / "again.csv"), "--about", item["inertia_about"]
        )
        assert (code, again) == (0, out)
        values = np.genfromtxt(io.BytesIO(out), delimiter=",", skip_header=1)[:, 1:]
        if b"cx" in out.split(b"\n")[0]:
            values[:, 1:4] *= values[:, :1]
        assert ic.check(values, about=item["inertia_about"]).consistent.all()
    assert read == len(listed) - 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_tables_and_weights_come_through_pipes(table, tmp_path, capsysbinary):
    table(SOUND, BROKEN)
    table("1,1,1,1,1,1,1,1,1,1", name="w.csv", header=None)
    weighted = ["--about", "origin", "--metric", "weighted", "--weights"]
    expected = run(capsysbinary, "t.csv", *weighted, "w.csv")
    feeders = []
    for name in ("t.csv", "w.csv"):
        pipe, data = tmp_path / f"pipe-{name}", (tmp_path / name).read_bytes()
        os.mkfifo(pipe)
        feeders.append(threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True))
        feeders[-1].start()
    code, out, _ = run(capsysbinary, "pipe-t.csv", *weighted, "pipe-w.csv")
    for feeder in feeders:
        feeder.join(10)
    assert (code, out) == expected[:2]
    assert code == 0
