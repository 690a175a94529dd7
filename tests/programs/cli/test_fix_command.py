"""`inertial-check fix`: what is on stdout, on stderr and on the disk, and the exit code."""

import json
import os
import re

import pytest

import inertial_check as ic
from fixing import asking, causing, meant, urdf, without_numbers
from inertial_check.programs.cli.main import main

SOUND = ("0.02", "0", "0", "0.03", "0", "0.04")
BROKEN = ("0.0200", "0", "0", "0.0300", "0", "0.0511")
WRONG = ("0.02", "0.001", "0", "0.03", "0", "0.08")
NEGATIVE = ("-0.1", "0", "0", "-0.1", "0", "-0.1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(folder):
    def to(name, *bodies):
        (folder / name).write_text(urdf(*bodies))
        return folder / name

    return to


def run(capsys, *argv):
    code = main(["fix", "--method=nearest", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_dry_run_shows_the_diff_and_writes_nothing(write, capsys):
    path = write("r.urdf", SOUND, BROKEN)
    before = path.read_bytes()
    code, out, err = run(capsys, "r.urdf")
    assert code == 1
    assert out == ic.fix_model("r.urdf", method="nearest").diff()
    assert out.startswith("--- a/r.urdf\n+++ b/r.urdf\n")
    assert path.read_bytes() == before
    change = ic.fix_model("r.urdf", method="nearest").bodies[1].relative_change
    assert re.search(
        rf"r\.urdf:\d+: \[link1\] fixed: its moments change by {100 * change:.3g} %", err
    )
    assert "link0" not in err


def test_a_sound_model_has_nothing_left_to_do(write, capsys):
    write("r.urdf", SOUND)
    assert run(capsys, "r.urdf")[:2] == (0, "")
    assert run(capsys, "r.urdf", "--write")[:2] == (0, "")


def test_write_changes_the_file_and_ends_clean(write, capsys):
    path = write("r.urdf", SOUND, BROKEN)
    before = path.read_bytes()
    code, out, _ = run(capsys, "r.urdf", "--write")
    assert (code, out) == (0, "")
    assert path.read_bytes() != before
    assert without_numbers(path.read_bytes()) == without_numbers(before)
    assert run(capsys, "r.urdf")[:2] == (0, "")
    assert os.listdir() == ["r.urdf"]


@pytest.mark.parametrize(
    ("options", "code"), [((), 1), (("--unsafe",), 0), (("--max-change", "0.5"), 0)]
)
def test_large_changes_need_a_word(write, capsys, options, code):
    path = write("r.urdf", BROKEN, WRONG)
    before = ic.load("r.urdf")
    assert run(capsys, "r.urdf", "--write", *options)[0] == code
    changed = [
        old.inertial.I_BBcm_Bi["izz"].text != new.inertial.I_BBcm_Bi["izz"].text
        for old, new in zip(before.bodies, ic.load(path).bodies, strict=True)
    ]
    assert changed == [True, code == 0]


def test_what_cannot_be_fixed_stays_and_fails(write, capsys):
    path = write("r.urdf", NEGATIVE)
    before = path.read_bytes()
    code, out, err = run(capsys, "r.urdf", "--write", "--unsafe")
    assert (code, out) == (1, "")
    assert "[link0] no-nearest: the nearest tensor is zero" in err
    assert path.read_bytes() == before


def test_o_writes_elsewhere_and_always_gives_a_file(write, folder, capsys):
    path = write("r.urdf", BROKEN)
    before = path.read_bytes()
    assert run(capsys, "r.urdf", "-o", "out.urdf")[:2] == (0, "")
    assert path.read_bytes() == before
    assert (folder / "out.urdf").read_bytes() == ic.fix_model("r.urdf", method="nearest").data
    write("sound.urdf", SOUND)
    assert run(capsys, "sound.urdf", "-o", "copy.urdf")[0] == 0
    assert (folder / "copy.urdf").read_bytes() == (folder / "sound.urdf").read_bytes()


def test_o_takes_one_file(write, folder, capsys):
    write("a.urdf", BROKEN)
    write("b.urdf", BROKEN)
    assert run(capsys, "a.urdf", "b.urdf", "-o", "out.urdf")[:2] == (2, "")
    assert run(capsys, ".", "-o", "out.urdf")[0] == 2
    assert run(capsys, "a.urdf", "-o", "out.urdf", "--write")[0] == 2
    assert not (folder / "out.urdf").exists()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nothing.urdf"], "nothing.urdf: No such file"),
        (["notes.xml"], "notes.xml: the root element <notes> is no robot model"),
        (["broken.urdf"], "broken.urdf:1:"),
        (["r.urdf", "--body", "nobody"], "no body is called 'nobody'"),
        (["r.urdf", "--select", "IC999"], "unknown rule 'IC999'"),
        (["r.urdf", "--margin", "0.5"], "margin is 0.5"),
        (["r.urdf", "--max-change", "-1"], "max-change is -1.0"),
        (["r.urdf", "--metric", "weighted"], "weighted"),
        (["empty"], "nothing to fix in empty"),
        ([], "PATH"),
    ],
)
@pytest.mark.parametrize("mode", [(), ("--write",)])
def test_a_job_that_cannot_be_done(write, folder, capsys, argv, message, mode):
    path = write("r.urdf", BROKEN)
    before = path.read_bytes()
    (folder / "notes.xml").write_text("<notes/>")
    (folder / "broken.urdf").write_text("<robot name='r'><link>")
    (folder / "empty").mkdir()
    code, out, err = run(capsys, *argv, *mode)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert path.read_bytes() == before


def test_allow_empty(folder, capsys):
    assert run(capsys, ".", "--allow-empty")[:2] == (0, "")


def test_one_bad_file_does_not_stop_the_others(write, folder, capsys):
    path = write("r.urdf", BROKEN)
    before = path.read_bytes()
    code, out, err = run(capsys, "nothing.urdf", "r.urdf")
    assert code == 2
    assert out.startswith("--- a/r.urdf")
    assert run(capsys, "nothing.urdf", "r.urdf", "--write")[0] == 2
    assert path.read_bytes() != before
    assert "nothing.urdf" in err


def test_in_a_walk_what_is_no_model_is_silent_and_what_cannot_be_read_stays_broken(
    write, folder, capsys
):
    (folder / "notes.xml").write_text("<notes/>")
    write("r.urdf", SOUND)
    assert run(capsys, ".")[0] == 0
    (folder / "broken.urdf").write_text("<robot name='r'><link>")
    code, _, err = run(capsys, ".")
    assert code == 1
    assert "broken.urdf:1:" in err


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_read_only_file_is_a_failure(write, capsys):
    path = write("r.urdf", BROKEN)
    write("s.urdf", BROKEN)
    before = path.read_bytes()
    path.chmod(0o444)
    code, _, err = run(capsys, "r.urdf", "s.urdf", "--write")
    assert code == 2
    assert "r.urdf: cannot be written: the file is read-only" in err
    assert path.read_bytes() == before
    assert not ic.fix_model("s.urdf").changed


def test_bodies_are_selected_over_all_files(write, capsys):
    path = write("a.urdf", BROKEN, BROKEN)
    other = write("b.urdf", BROKEN)
    before, untouched = path.read_bytes(), other.read_bytes()
    assert run(capsys, "a.urdf", "b.urdf", "--body", "link1", "--write")[0] == 0
    assert path.read_bytes() != before
    assert other.read_bytes() == untouched
    assert run(capsys, "a.urdf", "b.urdf", "--body", "link0", "--write")[0] == 0
    assert other.read_bytes() != untouched


def test_select(write, capsys):
    write("r.urdf", ("0.1", "0", "0", "0.2", "0", "0.31"), BROKEN)
    _, out, _ = run(capsys, "r.urdf", "--select", "IC305,IC306")
    assert 'izz="0.31"' in out
    assert "0.0511" not in out.replace(' <inertia ixx="0.0200"', "")


def test_the_metric_and_margin_arrive(write, capsys):
    write("r.urdf", WRONG)
    seen = set()
    for options in ((), ("--metric", "covariance"), ("--margin", "0.1")):
        _, out, _ = run(capsys, "r.urdf", "--unsafe", *options, "--output-format", "json")
        body = json.loads(out)["files"][0]["bodies"][0]
        seen.add(tuple(body["new"].values()))
        assert body["margin"] == pytest.approx(0.1 if "--margin" in options else 0, abs=2e-6)
    assert len(seen) == 3


def test_json_lists_every_body(write, capsys, data_dir):
    write("r.urdf", SOUND, BROKEN, WRONG, NEGATIVE)
    code, out, _ = run(capsys, "r.urdf", "--output-format", "json")
    document = json.loads(out)
    assert code == document["summary"]["exit_code"] == 1
    assert document["schema_version"] == "1"
    assert document["tool"] == {"name": "inertial-check", "version": ic.__version__}
    (file,) = document["files"]
    head = [file[key] for key in ("path", "format", "changed", "written")]
    assert head == ["r.urdf", "urdf", True, None]
    bodies = {body["name"]: body for body in file["bodies"]}
    statuses = [body["status"] for body in bodies.values()]
    assert statuses == ["unchanged", "fixed", "needs-unsafe", "no-nearest"]
    assert document["summary"]["statuses"] == dict.fromkeys(sorted(statuses), 1)
    assert list(bodies["link1"]["old"].values()) == [float(text) for text in BROKEN]
    fix = ic.fix_model("r.urdf", method="nearest").bodies[1]
    assert tuple(bodies["link1"]["new"].values()) == fix.new
    assert bodies["link1"]["relative_change"] == fix.relative_change
    assert bodies["link1"]["margin"] == fix.margin
    assert bodies["link0"]["new"] is None
    assert bodies["link3"]["new"] is None


def test_json_says_what_was_written_and_knows_no_nan(write, data_dir, capsys):
    write("r.urdf", BROKEN)
    _, out, _ = run(capsys, "r.urdf", "--write", "--output-format", "json")
    assert json.loads(out)["files"][0]["written"] == "r.urdf"
    _, out, _ = run(capsys, "r.urdf", "--write", "--output-format", "json")
    assert json.loads(out)["files"][0]["written"] is None
    _, out, _ = run(capsys, "r.urdf", "-o", "o.urdf", "--output-format", "json")
    assert json.loads(out)["files"][0]["written"] == "o.urdf"
    code, out, _ = run(capsys, str(data_dir / "defects"), "--output-format", "json")

    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(out, parse_constant=refuse)
    assert code == 1
    assert any("ic001" in failure for failure in document["failures"])


def test_quiet_prints_the_payload_only(write, capsys):
    write("r.urdf", BROKEN, WRONG)
    _, out, err = run(capsys, "r.urdf", "-q")
    assert out
    assert err == ""


# Causes, shapes, engines

BOX = """<robot name="r"><link name="arm"><inertial><origin xyz="0 0 0.1"/><mass value="1.2"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.40"/></inertial>
<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link></robot>
"""


@pytest.fixture
def box(folder):
    path = folder / "box.urdf"
    path.write_text(BOX)
    return path


def test_a_cause_is_written_and_told(box, capsys):
    with causing(arm=[meant("typo", ixx=1.0), meant(izz=0.04, mass=1.1, x=0.01)]):
        code, out, err = run(
            capsys, "box.urdf", "--cause", "2", "--write", "--output-format", "json"
        )
    assert code == 0
    (body,) = json.loads(out)["files"][0]["bodies"]
    assert body["cause"] == "decimal-slip"
    assert (body["old"]["mass"], body["new"]["mass"]) == (1.2, 1.1)
    assert (body["old"]["com"], body["new"]["com"]) == ([0, 0, 0.1], [0.01, 0, 0.1])
    assert body["new"]["izz"] == 0.04
    expected = BOX.replace("0.40", "0.040").replace('"1.2"', '"1.1"')
    assert box.read_text() == expected.replace('"0 0 0.1"', '"0.01 0 0.1"')
    assert "decimal-slip: mass 1.2 -> 1.1, x 0 -> 0.01, izz 0.40 -> 0.040" in err


def test_shapes(box, capsys):
    code, out, err = run(capsys, "box.urdf", "--method", "geometry", "--unsafe", "--move-com")
    assert code == 1
    assert 'xyz="0 0 0"' in out
    assert 'ixx="0.013"' in out
    assert "as its collision shapes hold 1.2 kg evenly" in err
    code, _, err = run(capsys, "box.urdf", "--method", "geometry", "--shapes", "visual")
    assert code == 1
    assert "no-geometry: it has no visual shapes" in err


def test_an_engine_is_told_before_and_after(folder, capsys):
    (folder / "r.urdf").write_text(urdf(("0.1", "0", "0", "0.1", "0", "0")))
    with asking(lambda mass, com, six: "too thin" if six[5] < 1e-14 else None):
        code, out, _ = run(
            capsys, "r.urdf", "--engine", "mujoco", "--output-format", "json", "--write"
        )
        assert code == 0
        (body,) = json.loads(out)["files"][0]["bodies"]
        assert body["engines"] == {"mujoco": {"before": "reject", "after": "accept"}}
        assert run(capsys, "r.urdf", "--engine", "mujoco,drake")[0] == 0


def test_numbers_that_are_no_numbers_stay_out_of_the_json(folder, capsys):
    """From a zero tensor any change is infinite."""
    (folder / "z.urdf").write_text(
        BOX.replace("0.02", "0").replace("0.03", "0").replace("0.40", "0")
    )
    _, out, _ = run(
        capsys, "z.urdf", "--method", "geometry", "--body", "arm", "--output-format", "json"
    )
    (body,) = json.loads(out)["files"][0]["bodies"]
    assert body["relative_change"] is None
    assert body["status"] == "needs-unsafe"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--cause", "1", "--method", "geometry"], "--cause"),
        (["--cause", "first"], "first"),
        (["--engine", "matlab"], "unknown engine 'matlab'"),
        (["--method", "magic"], "magic"),
    ],
)
def test_what_does_not_go_together_is_refused(box, capsys, argv, message):
    code, out, err = run(capsys, "box.urdf", *argv)
    assert (code, out) == (2, "")
    assert message in err
