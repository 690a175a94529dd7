"""rdjson: held to a closed schema of reviewdog's format, and its suggestions to `fix --unsafe`."""

import json
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest

import hand_made_reports as hand_made
from inertial_check.checking.report import Severity
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, hosts, render, sarif

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "rdjson-written.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MODEL = """<?xml version="1.0"?>
<robot name="r">
  <link name="{name}">
    <inertial>
      <mass value="1.2"/>
      <!-- \u00e9\U0001f916 --> <inertia ixx="0.00801" ixy="0" iyy="0.0801"
       {gap}ixz="0" iyz="0" izz="0.00081"/>
    </inertial>
  </link>
</robot>
"""


def parse(text):
    document = json.loads(text)
    VALIDATOR.validate(document)
    assert text.isascii()
    return document


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """check(text, encoding) -> path and rdjson of a model."""
    monkeypatch.chdir(tmp_path)

    def check(data):
        path = tmp_path / "arm.urdf"
        path.write_bytes(data)
        assert main(["check", "arm.urdf", "--output-format", "rdjson"]) == 1
        return path, parse(capsys.readouterr().out)

    return check


@pytest.mark.parametrize("name", ["EVERYTHING", "CLEAN", "FAILED", "EMPTY"])
def test_reports_satisfy_the_schema(name):
    report = getattr(hand_made, name)
    document = parse(render(report, "rdjson", View(exit_code=1)))
    assert len(document["diagnostics"]) == len(report.findings)
    worst = max((finding.severity for finding in report.findings), default=None)
    names = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}
    assert document.get("severity") == names.get(worst)


def offset(data, position):
    """The offset of a position, as a program finds it that splits bytes at line feeds."""
    lines = data.split(b"\n")
    return sum(len(line) + 1 for line in lines[: position["line"] - 1]) + position["column"] - 1


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("gap", [" ", "\n        "])
@pytest.mark.parametrize("one_line", [False, True])
def test_a_suggestion_is_the_remedy(check, capsys, ending, bom, gap, one_line):
    text = MODEL.format(name="forearm", gap=gap)
    text = text.replace("\n", " " if one_line else ending)
    path, document = check(bom + text.encode())
    (diagnostic,) = document["diagnostics"]
    (suggestion,) = diagnostic["suggestions"]
    data = path.read_bytes()
    start, end = (offset(data, suggestion["range"][key]) for key in ("start", "end"))
    assert main(["fix", "arm.urdf", "--unsafe", "--write", "-q"]) == 0
    assert path.read_bytes() == data[:start] + suggestion["text"].encode() + data[end:]
    assert data[start:end] == b"0.0801"
    located = diagnostic["location"]["range"]
    if not one_line:  # in a line that is not shown whole the column is left out
        assert located == suggestion["range"]
    else:
        assert located["start"]["line"] == 1


def test_an_edit_of_several_numbers_is_one_suggestion(check):
    text = MODEL.format(name="forearm", gap=" ")
    text = text.replace('"0.00801"', '"-0.00801"').replace('"0.0801"', '"-0.00802"')
    _, document = check(text.encode())
    (suggestion,) = document["diagnostics"][0]["suggestions"]
    assert suggestion["text"] == '0.00801" ixy="0" iyy="0.00802'


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_no_columns_of_bytes_are_invented_for_other_encodings(check, encoding):
    text = MODEL.format(name="forearm", gap=" ").replace("\U0001f916", "")
    text = text.replace('"1.0"', f'"1.0" encoding="{encoding}"')
    _, document = check(text.encode(encoding))
    assert "suggestions" not in document["diagnostics"][0]


def test_names_are_no_markup_in_a_comment(check):
    name = "@everyone ![x](http://x.test) &lt;img src=x&gt; `a` #1 left_finger"
    _, document = check(MODEL.format(name=name, gap=" ").encode())
    message = document["diagnostics"][0]["message"]
    for markup in ("@everyone", "![x]", "<img", "http://", "#1"):
        assert markup not in message.replace("<!-- -->", "\0")
    assert "left_finger: no body has" in message


URL = "Documentation, https://docs.example.test/latest/"


@pytest.mark.parametrize(
    ("urls", "base"),
    [
        (None, None),
        (["Homepage, https://example.test"], None),
        (["Documentation, http://docs.example.test"], None),
        (["Homepage, https://example.test", URL], "https://docs.example.test/latest"),
    ],
)
def test_rules_link_to_the_documentation_that_the_package_names(monkeypatch, urls, base):
    class Stored:
        def get_all(self, name):
            return urls if name == "Project-URL" else None

    monkeypatch.setattr(metadata, "metadata", lambda name: Stored())
    hosts.find_address.cache_clear()
    try:
        diagnostics = parse(render(hand_made.EVERYTHING, "rdjson", View(1)))["diagnostics"]
        page = None if base is None else f"{base}/rules/{diagnostics[0]['code']['value']}.html"
        assert diagnostics[0]["code"].get("url") == page
        rule = hand_made_rule()
        run = json.loads(sarif.render(hand_made.EVERYTHING, View(1, rules=(rule,))))["runs"][0]
        driver = run["tool"]["driver"]
        assert driver.get("informationUri") == base
        page = None if base is None else f"{base}/rules/IC301.html"
        assert driver["rules"][0].get("helpUri") == page
    finally:
        hosts.find_address.cache_clear()


def hand_made_rule():
    from inertial_check.reports import RulePage

    name = "triangle-inequality-violation"
    return RulePage("IC301", name, Severity.ERROR, "It.", "Reports it.", "# IC301\n")
