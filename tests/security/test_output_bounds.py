"""What a document makes a report and the memory hold is bounded by its own size."""

import tracemalloc
from contextlib import suppress

import pytest

import inertial_check as ic
from inertial_check.checking import check, limits
from inertial_check.checking.check import check_model
from inertial_check.checking.settings import FORMS
from inertial_check.documents.context import MOST_ELEMENTS
from inertial_check.documents.load import LONGEST_NAME
from inertial_check.errors import DocumentError
from inertial_check.fixing import prescriptions, remedies
from inertial_check.programs.cli.main import main
from inertial_check.running import prescribe_lazily

INERTIA = '<inertia ixx="0.00100" iyy="0.00100" izz="0.00300" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
LONG = "n" * (1 << 20)
FIXED = 200_000
"""Largest size of a report that does not depend on the document [bytes]; rules in SARIF."""


COMMENTS = (
    b"<!---->",
    b"<!-- inertial-check: ignore[IC301] known -->",
    b"<!-- inertial-check: ignore[IC101] known -->",
    b"<!--inertial-check:x-->",
    b"<!-- <inertia/> -->",
)
"""Comments inside a link: such as are read, and such as address this program."""


def urdf(*names):
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)
    joints = "".join(
        f'<joint name="{name}j" type="revolute"><parent link="{names[0]}"/>'
        f'<child link="{name}"/></joint>'
        for name in names[1:]
    )
    return f'<robot name="{names[0]}">{links}{joints}</robot>'.encode()


@pytest.mark.parametrize("form", FORMS)
def test_no_report_is_longer_than_four_times_a_document_of_a_long_name(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = urdf(LONG)
    (tmp_path / "a.urdf").write_bytes(data)
    arguments = ["a.urdf", "--no-cache", "-q", "--output-format", form, "--output-file", "report"]
    assert main(["check", *arguments]) == 1
    assert (tmp_path / "report").stat().st_size < 2 * len(data) + FIXED


@pytest.mark.parametrize(
    "data",
    [
        urdf(LONG),
        b'<robot name="r">' + b"<!-- a comment -->" * 50_000 + urdf("a")[16:],
        b'<robot name="r">' + b"<!---->" * 75_000 + urdf("a")[16:],
        b"<!---->" * 75_000 + urdf("a"),
        b'<robot name="r">' + b"<!-- -- -->" * 25_000 + urdf("a")[16:],
        b'<robot name="r">' + b"<?a?>" * 75_000 + urdf("a")[16:],
        b'<robot name="r">' + b"\n" * 225_000 + urdf("a")[16:],
        b'<robot name="r">' + "\u00e9".encode() * 150_000 + urdf("a")[16:],
        b'<robot name="r"><link name="a">' + INERTIAL.replace("1", "1" * 999_999, 1).encode(),
        b'<robot name="r">' + b"<!--" + b"x" * (1 << 20) + b"-->" + urdf("a")[16:],
        *(urdf("a")[:31] + each * 30_000 + urdf("a")[31:] for each in COMMENTS),
    ],
    ids=[
        *("name", "comments", "empty", "outside", "mended", "instructions", "lines", "letters"),
        *("digits", "comment", "inside", "suppressing", "unused", "invalid", "inertial"),
    ],
)
def test_memory_is_at_most_sixteen_times_the_document(data):
    ic.check_model(urdf("a"))  # loads the modules
    tracemalloc.start()
    with suppress(DocumentError):
        ic.check_model(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * len(data)


def test_too_many_comments_are_refused():
    with pytest.raises(DocumentError, match="too many comments: the limit is 1000000"):
        ic.load(b'<robot name="r">' + b"<!---->" * (MOST_ELEMENTS + 1) + b"</robot>")


@pytest.mark.parametrize(
    ("form", "comment"),
    [
        *(("json", each) for each in COMMENTS[1:4]),
        *((form, COMMENTS[1 + at % 3]) for at, form in enumerate(FORMS) if form != "json"),
    ],
)
def test_no_report_is_longer_than_four_times_its_comments(form, comment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = urdf("a")[:31] + comment * 5_000 + urdf("a")[31:]
    (tmp_path / "a.urdf").write_bytes(data)
    arguments = ["a.urdf", "--no-cache", "-q", "--output-format", form, "--output-file", "report"]
    assert main(["check", *arguments]) in (0, 1)
    assert (tmp_path / "report").stat().st_size < 4 * len(data) + FIXED


def test_suppressing_comments_are_taken_up_to_a_limit():
    """Behind it they suppress nothing, which is said: each is compared with every finding."""
    rules = "IC101, " * limits.MOST_SUPPRESSIONS
    flood = f"<!-- inertial-check: ignore[{rules}] x -->".encode()
    ours = b"<!-- inertial-check: ignore[IC301] x -->"
    for comments, broken in ((ours + flood, False), (flood + ours, True)):
        found = ic.check_model(urdf("a")[:31] + comments + urdf("a")[31:]).findings
        assert any(each.code == "IC301" for each in found) is broken
        (said,) = (each for each in found if each.code == "IC902")
        assert "name more than 1000 rules, which is the limit" in said.message


@pytest.mark.parametrize("number", [limits.MOST_TOLD - 1, 5 * limits.MOST_TOLD])
@pytest.mark.parametrize(("comment", "code"), [(COMMENTS[2], "IC901"), (COMMENTS[3], "IC902")])
def test_so_many_findings_are_told_about_comments(comment, code, number):
    found = ic.check_model(urdf("a")[:31] + comment * number + urdf("a")[31:]).findings
    assert sum(each.code == code for each in found) == min(number, limits.MOST_TOLD)


def test_shortened_names_stay_different_and_keep_the_tree():
    first, second = "n" * LONGEST_NAME + "a", "n" * LONGEST_NAME + "b"
    model = ic.load(urdf(first, second, "c"))
    names = [body.name for body in model.bodies]
    assert len(set(names)) == 3
    assert all(name.startswith("n" * 200 + "... (1001 characters, sha256 ") for name in names[:2])
    assert [body.parent for body in model.bodies] == [None, model.bodies[0].id, model.bodies[0].id]
    kept = "n" * (LONGEST_NAME - 30)
    assert [body.name for body in ic.load(urdf(kept)).bodies] == [kept]


def test_a_shortened_body_is_found_by_the_name_that_is_shown(tmp_path, capsys):
    path = tmp_path / "a.urdf"
    path.write_bytes(urdf("n" * 5000))
    (body,) = ic.load(path).bodies
    assert main(["fix", str(path), "--unsafe", "--write", "--body", body.name]) == 0
    assert main(["check", str(path), "--no-cache"]) == 0
    assert len(capsys.readouterr().out) < 5000


def test_a_long_value_of_a_configuration_is_quoted_in_part(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.urdf").write_bytes(urdf("a"))
    for value in ('expect-mass = "{}"', 'baseline = "{}"', 'engine = ["{}"]', '"{}" = 1'):
        (tmp_path / "inertial-check.toml").write_text(value.format("1" * 1_000_000))
        assert main(["check", "a.urdf"]) == 2
        assert len(capsys.readouterr().err) < 10_000


def bad_urdf(count):
    """A document of bodies that cannot exist, no two of them the same."""
    links = (
        f'<link name="l{at}"><inertial><mass value="1"/>'
        f'<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="5.{at:03}"/></inertial></link>'
        for at in range(count)
    )
    return f'<robot name="r">{"".join(links)}</robot>'


def test_causes_and_remedies_are_looked_for_in_so_many_bodies(monkeypatch):
    data = bad_urdf(30).encode()
    for module in (limits, check, prescriptions):
        monkeypatch.setattr(module, "MOST_EXPLAINED", 10)
    (file,) = check_model(data, prescribe=prescribe_lazily).files
    broken = [each for each in file.findings if each.code == "IC301"]
    assert len(broken) == 30
    assert {each.body for each in broken if each.causes} == {f"l{at}" for at in range(10)}
    assert {each.body for each in broken if each.remedy} <= {f"l{at}" for at in range(10)}
    assert any(each.remedy for each in broken)
    (note,) = file.notes
    assert "probable causes of 10 of 30 bodies with findings, and remedies, were looked" in note
    monkeypatch.setattr(prescriptions, "MOST_TRIED", 20)
    monkeypatch.setattr(check, "MOST_TRIED", 20)
    (file,) = check_model(data, prescribe=prescribe_lazily).files
    assert not any(each.remedy for each in file.findings)
    assert "no remedies" in file.notes[0]


def test_remedies_that_do_not_hold_are_withdrawn_in_few_trials(monkeypatch):
    """Each trial checks the whole model, so that one for each body would be quadratic."""
    trials = []
    count = 64

    def recheck(examination, model, judgements, settings):
        trials.append(len(model.bodies))
        stranger = check_model(urdf("a").replace(b'izz="0.00300"', b'izz="3"')).findings[0]
        changed = {body.id for body in model.bodies if body.inertial.I_BBcm_Bi["izz"].value < 5}
        return [stranger._replace(body_id="another")] if changed else []

    monkeypatch.setattr(remedies, "recheck", recheck)
    monkeypatch.setattr(remedies, "_MOST_JUDGED", 8 * count)
    check_model(bad_urdf(count).encode(), prescribe=prescribe_lazily)
    assert 8 < len(trials) <= 16
