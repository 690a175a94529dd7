"""Verdicts on real MJCF models against those decided in exact rationals on the printed decimals."""

from collections import Counter

import pytest

import inertial_check as ic
import verdicts
from inertial_check.documents.load import root_tag
from inertial_check.documents.source import Edit
from mjcf_documents import masked

pytestmark = pytest.mark.corpus

FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


@pytest.fixture(scope="module")
def files(corpus):
    """Every MJCF document, with the rows of TRUTH.jsonl on the bodies that stand in it."""
    rows = verdicts.rows_of(corpus, "mjcf")
    found = {}
    for path in sorted(corpus.rglob("*.xml")):
        if root_tag(path.read_bytes()) in ("mujoco", "mujocoinclude"):
            name = path.relative_to(corpus).as_posix()
            found[name] = rows.pop(name, [])
    assert not rows
    return found


@pytest.fixture(scope="module")
def reports(corpus, files):
    return {file: ic.check_model(corpus / file) for file in files}


def own_bodies(report):
    """The bodies that stand in the document itself."""
    return [body for body in report.bodies if body.file is None]


def test_every_document_is_read(files, reports):
    assert len(files) == 171
    assert sum(map(len, files.values())) == 1315
    assert all(report.files[0].format == "mjcf" for report in reports.values())


def test_the_numbers_are_those_printed(files, corpus):
    compared = 0
    for file, rows in files.items():
        bodies = [body for body in ic.load(corpus / file).bodies if body.span.file == 0]
        for body, row in zip(bodies, rows, strict=True):
            if row["cat"] == "no_inertial":
                assert body.inertial is None
                continue
            inertial = body.inertial
            assert inertial.mass.value == row["mass"]
            assert [number.value for number in inertial.p_BoBcm_B] == row["com"]
            if "I" in row:
                assert [inertial.I_BBcm_Bi[entry].value for entry in FULL] == row["I"]
                compared += 1
    assert compared == 274


def test_a_moved_body_without_mass_is_said_and_a_frame_is_not(files, reports):
    for file, rows in files.items():
        report = reports[file]
        missing = {found.body_id for found in report.findings if found.code == "IC103"}
        for body, row in zip(own_bodies(report), rows, strict=True):
            empty = row["cat"] == "no_inertial" and not row["geom"]
            assert (body.id in missing) == (empty and row["joint"] != "fixed"), (file, body.name)


def test_what_is_malformed_is_what_mujoco_refuses(reports):
    found = Counter(
        (file, finding.body)
        for file, report in reports.items()
        for finding in report.findings
        if finding.code == "IC004"
    )
    assert {(file.split("/")[-1], body) for file, body in found} == {
        ("half_cheetah.xml", "bfoot"),
        ("half_cheetah.xml", "ffoot"),
        ("test_model.xml", "b_0"),
    }


def test_includes_are_followed_or_said(corpus, files, reports):
    for file in files:
        model = ic.load(corpus / file)
        gone = [problem for problem in model.problems if problem.kind == "reference"]
        text = (corpus / file).read_text(errors="replace")
        assert bool(gone or model.others) == ('<include file="' in text), file
        for problem in gone:
            assert "no such file" in problem.message or "not followed" in problem.message
        assert len(own_bodies(reports[file])) == len(files[file])
    scene = reports[
        "google-deepmind+dm_control/dm_control/locomotion/walkers/assets/dog_v2/scene.xml"
    ]
    assert len({body.file for body in scene.bodies if body.file}) == 1


def test_a_broken_copy_of_each_written_inertia_is_found_and_fixed(corpus, files, request):
    """The corpus holds no violation in MJCF, so each body's largest moment is made too large."""
    written = [
        file for file, rows in files.items() if any("I" in row and any(row["I"]) for row in rows)
    ]
    assert written
    for file in written if request.config.getoption("--long") else written[::4]:
        source = ic.load(corpus / file)
        data = source.source.apply_edits(
            edit
            for body in source.bodies
            if body.span.file == 0 and body.inertial and body.inertia_from == "file"
            for edit in too_large(body.inertial)
        )
        broken = ic.load(data, path=str(corpus / file))
        fix = ic.fix_model(broken, method="nearest", unsafe=True)
        before, after = (
            own_bodies(ic.check_model(ic.load(version, path=str(corpus / file))))
            for version in (data, fix.data)
        )
        assert masked(fix.data) == masked(data)
        assert any(body.judgement.verdict == "inconsistent" for body in before)
        for one, other in zip(before, after, strict=True):
            whole = one.judgement.verdict not in ("inconsistent", "rounding")
            allowed = {one.judgement.verdict} if whole else {"consistent", "boundary"}
            assert other.judgement.verdict in allowed, (file, one.name)


def too_large(inertial):
    """An edit that makes the largest moment twice the sum of the others, where it is printed."""
    moments = [inertial.I_BBcm_Bi[entry] for entry in ("ixx", "iyy", "izz")]
    if len(inertial.I_BBcm_Bi) == 6 and any(number.value for number in moments):
        largest = max(moments, key=lambda number: number.value)
        others = sum(number.value for number in moments) - largest.value
        yield Edit(largest.span, repr(2 * others))
