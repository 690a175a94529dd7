"""Causes by what other texts say of a body: comments, files beside the model, older versions."""

import json
import subprocess
import tracemalloc

import pytest

from inertial_check.checking.causes import base
from inertial_check.documents.files.access import Limits
from inertial_check.documents.files.history import list_versions
from inertial_check.programs.cli.main import main

GOOD = 'ixx="0.00801" ixy="0" ixz="0" iyy="0.00803" iyz="0" izz="0.000811"'
BAD = GOOD.replace("0.000811", "0.0281")
"""A number that no power of ten and no exchange leads back to what was meant."""


def robot(numbers, mass="1.263", more="", name="forearm"):
    return f"""<robot name="arm">
  <link name="{name}">
    <inertial>
      <origin xyz="0.0121 0 0.0502"/>
      <mass value="{mass}"/>{more}
      <inertia {numbers}/>
    </inertial>
  </link>
</robot>
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(*arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def commit(path, text):
    """Write a file, and commit all that lies in the working directory."""
    path.write_text(text)
    git("add", ".")
    git("commit", "-q", "--allow-empty", "-m", "change")


def check(capsys, *arguments):
    """Exit code, and the findings of the first file."""
    code = main(["check", "--output-format", "json", "--no-cache", *arguments])
    report = json.loads(capsys.readouterr().out)
    return code, report["files"][0]["findings"]


def causes_of(capsys, *arguments):
    _, findings = check(capsys, *arguments)
    return findings[0]["causes"]


def test_a_file_beside_the_model_has_the_numbers(folder, capsys):
    (folder / "arm.urdf").write_text(robot(BAD))
    alone = causes_of(capsys, "arm.urdf")
    assert all(each["cause"] != "other-text" for each in alone)
    (folder / "arm_v2.urdf").write_text(robot(GOOD))
    first = causes_of(capsys, "arm.urdf")[0]
    assert first["cause"] == "other-text"
    assert "arm_v2.urdf:2 has the body with izz = 0.000811" in first["evidence"]
    assert first["edit"] == {"body": "forearm", "entries": {"izz": 0.000811}}


CAD = """Mass properties of forearm.SLDPRT
Mass = 1263.00 grams
Center of mass: ( millimeters )
\tX = 12.10
\tY = 0.00
\tZ = 50.20
Moments of inertia: ( grams * square millimeters )
Taken at the center of mass and aligned with the output coordinate system.
\tLxx = 8010000.00\tLxy = {0}\tLxz = 0.00
\tLyx = {0}\tLyy = 8030000.00\tLyz = 0.00
\tLzx = 0.00\tLzy = 0.00\tLzz = 811000.00
"""
TABLE = """Link Name,Center of Mass X,Center of Mass Y,Center of Mass Z,Center of Mass Roll,\
Center of Mass Pitch,Center of Mass Yaw,Mass,Moment Ixx,Moment Ixy,Moment Ixz,Moment Iyy,\
Moment Iyz,Moment Izz,Mesh Filename
base_link,0,0,0,0,0,0,3,1,0,0,1,0,1,a.STL
forearm,0.0121,0,0.0502,0,0,0,1.263,0.00801,0,0,0.00803,0,0.000811,b.STL
"""


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [("parts.txt", CAD.format("0.00"), 2), ("arm.csv", TABLE, 3)],
)
def test_a_text_of_a_cad_program_has_the_numbers(folder, capsys, name, text, line):
    (folder / "arm.urdf").write_text(robot(BAD))
    (folder / name).write_text(text)
    first = causes_of(capsys, "arm.urdf")[0]
    assert first["cause"] == "other-text"
    assert f"{name}:{line} has the body with izz = 0.000811" in first["evidence"]
    assert first["edit"] == {"body": "forearm", "entries": {"izz": 0.000811}}


@pytest.mark.parametrize("change", ["12.10", "1263.00"])
def test_a_text_of_another_frame_or_part_says_nothing(folder, capsys, change):
    """Mass alone, or a centre alone, is also that of the part in another frame, or of its like."""
    text = (
        CAD.format("0.00").replace("8010000.00", "7010000.00").replace("8030000.00", "7130000.00")
    )
    (folder / "arm.urdf").write_text(robot(BAD))
    (folder / "forearm.txt").write_text(text.replace("50.20", "51.20").replace(change, "9.37"))
    assert all(each["cause"] != "other-text" for each in causes_of(capsys, "arm.urdf"))


def test_a_xacro_whose_numbers_have_names_is_a_text(folder, capsys):
    (folder / "arm.urdf").write_text(robot(BAD))
    named = robot(GOOD.replace("0.000811", "${thin}"))
    head = '<robot name="arm"><xacro:property name="thin" value="0.000811"/>'
    (folder / "arm.xacro").write_text(named.replace('<robot name="arm">', head))
    first = causes_of(capsys, "arm.urdf")[0]
    assert first["cause"] == "other-text"
    assert "arm.xacro:2 has the body with izz = 0.000811" in first["evidence"]
    (folder / "arm.xacro").write_text(named.replace('<robot name="arm">', head + head[18:]))
    assert all(each["cause"] != "other-text" for each in causes_of(capsys, "arm.urdf"))


def test_names_of_long_numbers_are_not_put_into_many_places(folder, capsys):
    """The bug: half a megabyte that becomes gigabytes, name by name."""
    (folder / "arm.urdf").write_text(robot(BAD))
    head = f'<robot name="arm"><xacro:property name="a" value="{"1" * 200_000}"/>'
    named = robot(GOOD, more="<!-- " + "${a}" * 3_000 + " -->")
    (folder / "arm.xacro").write_text(named.replace('<robot name="arm">', head))
    tracemalloc.start()
    causes_of(capsys, "arm.urdf")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("arm_v2.urdf", lambda text: text.replace("forearm", "upper_arm")),  # another body
        ("arm_v2.urdf", lambda text: text.replace("0.000811", "0.5")),  # no body has it either
        (  # another part: nothing agrees
            "arm_v2.urdf",
            lambda text: (
                text.replace("1.263", "2.1")
                .replace("0.0080", "0.0040")
                .replace("0.0121 0 0.0502", "0.01 0 0.05")
            ),
        ),
        (  # which of the two is it?
            "arm_v2.urdf",
            lambda text: text + text,
        ),
        ("arm_v2.urdf", lambda text: text.replace("0.000811", "${izz}")),
        ("arm_v2.urdf", lambda text: text.replace("<robot", "<?x " + "y" * 600_000 + "?><robot")),
        ("arm_v2.txt", lambda text: text),
    ],
    ids=["other-name", "impossible", "other-part", "twice", "expression", "too-large", "no-model"],
)
def test_what_is_no_copy_testifies_nothing(folder, capsys, name, change):
    (folder / "arm.urdf").write_text(robot(BAD))
    before = check(capsys, "arm.urdf")
    (folder / name).write_text(change(robot(GOOD)))
    assert check(capsys, "arm.urdf") == before


def test_a_story_that_leads_to_the_numbers_of_another_text_names_it(folder, capsys):
    (folder / "arm.urdf").write_text(robot(GOOD.replace("0.00803", "0.0803")))
    (folder / "arm_v2.urdf").write_text(robot(GOOD))
    first = causes_of(capsys, "arm.urdf")[0]
    assert first["cause"] == "decimal-slip"
    assert first["evidence"] == "iyy is 10 times that of arm_v2.urdf:2"


def test_a_comment_has_the_numbers(folder, capsys):
    (folder / "arm.urdf").write_text(robot(BAD, more=f"<!-- <inertia {GOOD}/> -->"))
    first = causes_of(capsys, "arm.urdf")[0]
    assert first["cause"] == "other-text"
    assert "a comment in line 5 has the body with izz = 0.000811" in first["evidence"]


def test_a_tensor_that_was_never_written_takes_that_of_another_text(folder, capsys):
    lost = 'ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"'
    others = "".join(
        robot(GOOD.replace("0.0080", f"0.0{i}80"), mass=f"1.{i}21", name=f"link_{i}")
        .partition("\n")[2]
        .rpartition("</robot>")[0]
        for i in (1, 2, 3)
    )
    text = robot(lost).replace("</robot>", f"{others}</robot>")
    (folder / "arm.urdf").write_text(text)
    (folder / "arm_v2.urdf").write_text(robot(GOOD))
    told = [each for each in check(capsys, "arm.urdf")[1] if each["body"] == "forearm"]
    first = told[0]["causes"][0]
    assert first["evidence"].endswith("arm_v2.urdf:2 has the numbers")
    assert first["edit"]["entries"] == {"ixx": 0.00801, "iyy": 0.00803, "izz": 0.000811}


def test_older_versions_change_causes_alone(folder, capsys):
    git("init", "-q")
    path = folder / "arm.urdf"
    commit(path, robot(GOOD))
    commit(path, robot(BAD))
    code, before = check(capsys, "arm.urdf")
    later, after = check(capsys, "arm.urdf", "--history", "3")
    assert code == later == 1
    keys = ("code", "severity", "message", "body", "line")
    assert [[each[k] for k in keys] for each in before] == [[e[k] for k in keys] for e in after]
    first = after[0]["causes"][0]
    assert first["cause"] == "other-text"
    assert "commit " in first["evidence"]
    assert first["edit"]["entries"] == {"izz": 0.000811}
    assert all("commit" not in each["evidence"] for each in before[0]["causes"])


def test_a_mass_that_was_changed_beside_its_tensor_is_told(folder, capsys):
    git("init", "-q")
    path = folder / "arm.urdf"
    rod = 'ixx="0.0801" ixy="0" ixz="0" iyy="0.0801" iyz="0" izz="0.000811"'
    commit(path, robot(rod, mass="12.63"))
    shape = '<visual><geometry><cylinder radius="0.011" length="0.27"/></geometry></visual>'
    path.write_text(robot(rod, mass="1.263").replace("</link>", f"{shape}</link>"))
    findings = check(capsys, "arm.urdf", "--history", "1")[1]
    stories = [c for each in findings for c in each["causes"] if c["cause"] == "other-text"]
    assert stories
    assert "has 12.63 kg beside this tensor" in stories[0]["evidence"]
    assert stories[0]["edit"]["entries"]["ixx"] == pytest.approx(0.00801)


def test_versions_are_those_of_one_file_and_differ(folder):
    git("init", "-q")
    path = folder / "a b.urdf"
    assert list_versions(str(path), 5) == []
    for text in ("1", "1", "2", "3", "2", "4"):
        path.write_text(text)
        (folder / "other").write_text(text * 2)
        git("add", ".")
        git("commit", "-q", "--allow-empty", "-m", text)
    path.write_text("5")
    found = list_versions(str(path), 9)
    assert [data for _, data in found] == [b"4", b"2", b"3", b"1"]
    assert all(words.startswith("commit ") and " of 20" in words for words, _ in found)
    assert list_versions(str(path), 2) == found[:2]
    assert list_versions(str(folder / "unknown.urdf"), 5) == []


def test_a_repository_runs_nothing_when_it_is_asked(folder, capsys):
    git("init", "-q")
    path = folder / "arm.urdf"
    path.write_text(robot(GOOD))
    (folder / ".gitattributes").write_text("*.urdf filter=evil diff=evil\n")
    git("add", ".")
    git("commit", "-q", "-m", "good")
    for key in ("filter.evil.smudge", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        git("config", key, "touch ran")
    path.write_text(robot(BAD))
    assert causes_of(capsys, "arm.urdf", "--history", "2")[0]["cause"] == "other-text"
    assert not (folder / "ran").exists()


def test_the_gate_leaves_history_out_and_says_so(folder, capsys):
    git("init", "-q")
    path = folder / "arm.urdf"
    commit(path, robot(GOOD))
    path.write_text(robot(BAD))
    arguments = ["check", "--gate", "--history", "3", "--output-format", "json", "arm.urdf"]
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert "commit " not in printed.out
    assert "--history is left out" in printed.err


def test_fix_takes_the_numbers_of_an_older_version(folder, capsys, monkeypatch):
    monkeypatch.setattr(base, "COUNTS", {"other-text": ((99, 99), (99, 99))})
    git("init", "-q")
    path = folder / "arm.urdf"
    commit(path, robot(GOOD))
    path.write_text(robot(BAD))
    main(["check", "--no-cache", "--history", "2", "arm.urdf"])
    assert "--history 2" in capsys.readouterr().out  # the command that is printed does the same
    main(["fix", "--unsafe", "--write", "--history", "2", "arm.urdf"])
    assert path.read_text() == robot(GOOD)


def test_a_change_of_another_text_concerns_no_other_file(folder, capsys):
    git("init", "-q")
    (folder / "arm.urdf").write_text(robot(BAD))
    commit(folder / "arm_v2.urdf", robot(GOOD))
    (folder / "arm_v2.urdf").write_text(robot(GOOD.replace("0.00801", "0.00802")))
    for more in ([], ["--history", "2"]):
        assert main(["check", ".", "--changed-since", "HEAD", "--no-cache", *more]) == 0
        assert "arm.urdf" not in capsys.readouterr().out


def test_a_cached_cause_is_asked_again_where_the_other_text_has_changed(folder, capsys):
    (folder / "arm.urdf").write_text(robot(BAD))
    cached = ["check", "--output-format", "json", "--cache", "kept", "arm.urdf"]

    def first():
        main(cached)
        return json.loads(capsys.readouterr().out)["files"][0]["findings"][0]["causes"][0]

    assert first()["cause"] != "other-text"
    (folder / "arm_v2.urdf").write_text(robot(GOOD))
    assert first()["edit"]["entries"] == {"izz": 0.000811}
    (folder / "arm_v2.urdf").write_text(robot(GOOD.replace("0.000811", "0.000822")))
    assert first()["edit"]["entries"] == {"izz": 0.000822}
    assert first()["edit"]["entries"] == {"izz": 0.000822}


@pytest.mark.parametrize(
    "hostile",
    [
        '<robot><link name="forearm"' + ' name="forearm"' * 33_000,
        '<robot><link name="forearm">' + "<inertial " * 50_000,
        '<robot><link name="forearm">' + "<inertial>" * 50_000,
        '<robot><link name="forearm"><inertial>' + "<!--" * 120_000,
    ],
    ids=["names", "open-tags", "open-elements", "comments"],
)
def test_a_hostile_file_beside_a_model_costs_it_nothing(folder, capsys, hostile):
    """The bug: a search that took the square of a file's size used the model's time up."""
    (folder / "arm.urdf").write_text(robot(BAD))
    before = check(capsys, "arm.urdf")
    (folder / "arm_v2.urdf").write_text(hostile)
    assert check(capsys, "arm.urdf") == before


def test_a_folder_that_leads_out_of_the_repository_is_not_listed(folder, capsys):
    (folder / "out").mkdir()
    (folder / "out" / "arm_v2.urdf").write_text(robot(GOOD))
    (folder / "tree" / "urdf").mkdir(parents=True)
    git("init", "-q", "tree")
    (folder / "tree" / "urdf" / "arm.urdf").write_text(robot(BAD))
    before = check(capsys, "tree/urdf/arm.urdf")
    (folder / "tree" / "sdf").symlink_to(folder / "out", target_is_directory=True)
    assert check(capsys, "tree/urdf/arm.urdf") == before


def test_versions_take_no_more_memory_than_a_document_may(folder, monkeypatch):
    git("init", "-q")
    path = folder / "arm.urdf"
    for text in ("a" * 40, "b" * 40, "c" * 40, "d" * 40):
        commit(path, text)
    assert [data[:1] for _, data in list_versions(str(path), 9)] == [b"c", b"b", b"a"]
    monkeypatch.setattr(Limits, "document", 100)
    assert [data[:1] for _, data in list_versions(str(path), 9)] == [b"c", b"b"]
    message = "m" * (1 << 20)
    path.write_text("e")
    git("add", ".")
    (folder / "message").write_text(message)
    git("commit", "-q", "-F", "message")
    path.write_text("f")
    assert [data[:1] for _, data in list_versions(str(path), 9)] == [b"d", b"c"]


def test_of_many_files_those_with_the_most_similar_names_are_read(folder, capsys):
    for number in range(60):
        for before in ("a", "z"):
            text = robot(GOOD, name=f"other_{number}")
            (folder / f"{before}{number}.urdf").write_text(text)
    (folder / "arm.urdf").write_text(robot(BAD))
    (folder / "arm_v2.urdf").write_text(robot(GOOD))
    assert causes_of(capsys, "arm.urdf")[0]["edit"]["entries"] == {"izz": 0.000811}
