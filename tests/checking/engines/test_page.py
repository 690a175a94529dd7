"""docs/engines.md shows what is foretold, and every text that an engine prints is on a page."""

import re

import pytest

import inertial_check as ic
import single_links
from inertial_check.checking.engines import ENGINES, VALIDATORS
from inertial_check.checking.engines.catalogue import ALL_ENGINES, predict
from inertial_check.documents.model import judge
from inertial_check.programs.cli.main import main
from reader_documents import EDGES

FORMATS = ("urdf", "sdf", "mjcf", "usd")


def doors():
    for engine in ALL_ENGINES:
        reads = ", ".join(format_ for format_ in FORMATS if format_ in engine.doors)
        calls = ", ".join(f"`{call}`" for call in dict.fromkeys(engine.doors.values()))
        yield (
            f"* {engine.name} {engine.version} reads {reads} by {calls}, else {engine.otherwise}; "
            f"source: {engine.source}"
        )


def cases():
    """One line for each link: the engines that do not accept it, by what they do."""
    for name, link in single_links.TABLE.items():
        model = ic.load(single_links.urdf(link).encode())
        predictions = predict(model, judge(model))[1]
        actions = {}
        for engine in ENGINES:
            actions.setdefault(predictions[engine].action, []).append(engine)
        del actions["accept"]
        told = "; ".join(f"{action} {', '.join(names)}" for action, names in actions.items())
        yield f"* {name}: {told or 'all accept'}"


READERS = ("mujoco", "drake", "newton", "pinocchio")
"""The engines that the battery of tests/cross/engines/test_readers.py runs."""


def readings():
    """One line for each document at the edge of a grammar: what the engines make of its link."""
    for name, (_, text) in EDGES.items():
        model = ic.load(text.encode())
        names = [body.name for body in model.bodies]
        predictions = predict(model, judge(model))[names.index("link")]
        actions = {}
        for engine in READERS:
            actions.setdefault(predictions[engine].action, []).append(engine)
        actions.pop("accept", None)
        told = "; ".join(f"{action} {', '.join(each)}" for action, each in actions.items())
        yield f"* {name}: {told or 'all accept'}"


@pytest.mark.parametrize(
    ("name", "lines"), [("doors", doors), ("cases", cases), ("readings", readings)]
)
def test_lists_are_current(name, lines, project_root, request):
    page = project_root / "docs" / "engines.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(f"<!-- {name} -->\n")
    shown, after = rest.split("<!-- end -->", 1)
    listed = "".join(f"{line}\n" for line in lines())
    if request.config.getoption("--update-golden"):
        whole = f"{before}<!-- {name} -->\n{listed}<!-- end -->{after}"
        page.write_text(whole, encoding="utf-8", newline="\n")
    else:
        assert shown == listed


def test_every_engine_has_a_section(project_root):
    text = (project_root / "docs" / "engines.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)$", text, re.MULTILINE)
    names = {"gazebo": "gz"}
    assert [names.get(heading.lower(), heading.lower()) for heading in headings] == list(ENGINES)


def test_the_help_names_every_engine(capsys):
    assert main(["check", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"{', '.join((*ENGINES, *VALIDATORS))}; separated by commas" in text
