"""Objects in notebooks: well-formed, bounded, and every name a text."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.report import FileReport, Report

ARM = Path(__file__).resolve().parents[2] / "data" / "arm.urdf"
LARGEST = 64_000
"""Largest size of what any object shows [bytes]."""

HOSTILE = [
    "<script>alert(1)</script>",
    "</table><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "&lt;b&gt;",
    "\U0001f916",
    "\u202etxet",
    "\u0630\u0631\u0627\u0639",
    "new\nline\x00\x1b[31m",
    "x" * 10_000,
    "",
]


def parse(fragment):
    """The elements of a fragment, which is well-formed XML."""
    assert len(fragment.encode()) < LARGEST
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", fragment)
    root = ElementTree.fromstring(fragment.replace('xmlns="http://www.w3.org/2000/svg" ', ""))
    assert {each.tag for each in root.iter()} <= {
        "div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "span", "svg", "title", "rect",
        "polygon", "text", "circle",
    }  # fmt: skip
    allowed = {
        "style", "role", "width", "height", "viewBox", "font-size", "font-family", "fill",
        "fill-opacity", "x", "y", "points", "stroke", "text-anchor", "cx", "cy", "r",
    }  # fmt: skip
    assert {name for each in root.iter() for name in each.attrib} <= allowed
    return root


def cells(root):
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def with_names(model, names):
    """The model with other names of its bodies, as many bodies as names."""
    bodies = [model.bodies[i % len(model.bodies)] for i in range(len(names))]
    from dataclasses import replace

    renamed = (
        body._replace(name=name, id=f"{i}")
        for i, (body, name) in enumerate(zip(bodies, names, strict=True))
    )
    return replace(model, name=names[0] if names else "", bodies=tuple(renamed))


@pytest.fixture(scope="module")
def model():
    return ic.load(ARM)


def objects(model):
    theta = np.random.default_rng(1).normal(size=(5, 10))
    theta[:, 0] = 1.0
    theta[2] = np.nan
    report = ic.check_model(model)
    return [model, report, *report.files, ic.fix_model(model), ic.check(theta), ic.check(theta[0]),
            ic.check(theta[:0]), ic.project(theta), ic.project(theta[0]), Report(())]  # fmt: skip


def test_every_object_shows_itself_without_matplotlib(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for each in objects(model):
        parse(each._repr_html_())


def test_a_model_shows_its_worst_bodies_first(model):
    root = parse(model._repr_html_())
    assert [row[0] for row in cells(root)][1:4] == ["forearm", "wrist_2", "finger_left"]
    assert len(list(root.iter("circle"))) == 9  # finger_right has no inertia


def test_names_are_texts(model):
    shown = with_names(model, HOSTILE)
    for each in (shown, ic.check_model(shown), ic.fix_model(model)):
        parse(each._repr_html_())
    names = {row[0] for row in cells(parse(shown._repr_html_()))}
    assert "<script>alert(1)</script>" in names
    assert "&lt;b&gt;" in names


def test_hostile_reports_are_texts():
    for name in HOSTILE:
        file = FileReport(name, None, None, (), (), notes=(name,))
        parse(Report((file,), failures=(name,))._repr_html_())


@pytest.mark.parametrize("count", [0, 1, 10_000])
def test_any_number_of_bodies_is_bounded(model, count):
    shown = with_names(model, [f"body{i}" for i in range(count)])
    root = parse(shown._repr_html_())
    assert len(cells(root)) == 1 + min(count, 10)
    text = "".join(root.itertext())
    assert ("and 9990 more bodies" in text) == (count == 10_000)
    assert len(list(root.iter("circle"))) <= 200


def test_a_report_without_findings_does_not_hide_a_failure():
    said = "".join(parse(Report((), failures=("no such file",))._repr_html_()).itertext())
    assert "no findings" not in said
    assert "1 failure, the first: no such file" in said


def test_nan_rows_are_counted_and_not_drawn():
    root = parse(ic.check(np.full((3, 10), np.nan))._repr_html_())
    assert "3 invalid" in "".join(root.itertext())
    assert not list(root.iter("circle"))
