"""data/MANIFEST.json says what each file of data/ is about; the checker has to agree with it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.report import FileReport
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import Settings
from inertial_check.documents.model import ENTRIES
from inertial_check.running.run import CheckRequest, check_paths

DATA = Path(__file__).resolve().parents[1] / "data"
MANIFEST = json.loads((DATA / "MANIFEST.json").read_text(encoding="utf-8"))
MODELS: dict[str, dict[str, Any]] = MANIFEST["models"]
TABLES: dict[str, dict[str, Any]] = MANIFEST["tables"]
PARTS: dict[str, dict[str, Any]] = MANIFEST["parts"]  # of models that include them
RECORDINGS: dict[str, dict[str, Any]] = MANIFEST["recordings"]
CONFIGURATIONS: dict[str, dict[str, Any]] = MANIFEST["configurations"]
FAMILIES = ("IC0", "IC1", "IC2", "IC3", "IC5", "IC6", "IC7")


def test_every_file_is_in_the_manifest_and_every_entry_is_a_file():
    files = {
        path.relative_to(DATA).as_posix()
        for path in DATA.rglob("*")
        if path.is_file() and path.name not in ("MANIFEST.json", ".gitattributes")
    }
    known = MODELS.keys() | TABLES.keys() | PARTS.keys() | RECORDINGS.keys()
    assert files == known | CONFIGURATIONS.keys()


@pytest.mark.parametrize(
    "entry",
    [each for kind in MANIFEST.values() if isinstance(kind, dict) for each in kind.values()],
    ids=[name for kind in MANIFEST.values() if isinstance(kind, dict) for name in kind],
)
def test_every_entry_says_what_is_wrong_and_where_it_comes_from(entry):
    assert entry["what"]
    assert entry["provenance"] == "written for this project"


def _checked(name: str) -> FileReport:
    """The report on one model; what cannot be read has one only in a run over paths."""
    if MODELS[name]["codes"].get("") == ["IC001"]:
        with pytest.raises(ic.DocumentError):
            ic.check_model(DATA / name)
        return check_paths(CheckRequest([str(DATA / name)], lambda path: Settings())).files[0]
    return ic.check_model(DATA / name).files[0]


@pytest.mark.parametrize("name", MODELS)
def test_the_checker_says_what_the_manifest_says(name):
    file = _checked(name)
    codes: dict[str, list[str]] = {}
    for finding in file.findings:
        codes.setdefault(finding.body or "", []).append(finding.code)
    assert {body: sorted(found) for body, found in codes.items()} == MODELS[name]["codes"]
    verdicts = [(body.name, body.judgement.verdict) for body in file.bodies]
    assert verdicts == list(MODELS[name]["verdicts"].items())


def test_a_walk_finds_every_model_and_nothing_else():
    report = check_paths(CheckRequest([str(DATA)], lambda path: Settings()))
    assert [Path(file.path).relative_to(DATA).as_posix() for file in report.files] == sorted(MODELS)
    assert report.failures == ()
    assert report.notes == ()


def test_every_code_that_models_can_show_has_its_smallest_example():
    shown = {
        code for entry in MODELS.values() for codes in entry["codes"].values() for code in codes
    }
    asked_for = {"IC508", "IC604", "IC701", "IC702"}  # with --expect, --expect-mass and --engine
    asked_for |= {"IC506"}  # with --preset strict, or beside a mesh
    every = {rule.code for rule in ALL_RULES if rule.code.startswith(FAMILIES)}
    assert shown == every - asked_for


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("defects/")])
def test_a_defect_file_is_named_after_the_one_code_it_shows(name):
    code = Path(name).name[:5].upper()
    assert set(map(tuple, MODELS[name]["codes"].values())) == {(code,)}


def _exact_verdict(link: ElementTree.Element) -> str:
    """Sign of the central second moment in rational arithmetic, from the printed decimals."""
    inertia = link.find("inertial/inertia")
    entry = {key: Fraction(text) for key, text in inertia.attrib.items()}
    return _sign(entry)


def _sign(entry: dict[str, Fraction]) -> str:
    half_trace = (entry["ixx"] + entry["iyy"] + entry["izz"]) / 2
    a, d, f = (half_trace - entry[key] for key in ("ixx", "iyy", "izz"))
    b, c, e = -entry["ixy"], -entry["ixz"], -entry["iyz"]
    determinant = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d)
    lowest = min(a, d, f, a * d - b * b, a * f - c * c, d * f - e * e, determinant)
    return "consistent" if lowest > 0 else "boundary" if lowest == 0 else "inconsistent"


def _decided(name: str, entry: dict[str, Any]) -> bool:
    """Whether the reference parser reads the file, and some verdict is about six finite numbers."""
    if not name.endswith(".urdf"):
        return False
    numbers = {"consistent", "boundary", "rounding", "inconsistent"}
    return "IC002" not in entry["codes"].get("", ()) and bool(
        numbers & {*entry["verdicts"].values()}
    )


@pytest.mark.parametrize("name", [name for name, entry in MODELS.items() if _decided(name, entry)])
def test_the_manifest_agrees_with_rational_arithmetic(name):
    exact = {"consistent", "boundary", "inconsistent"}
    for link in ElementTree.fromstring((DATA / name).read_bytes()).iter("link"):
        verdict = MODELS[name]["verdicts"][link.get("name")].replace("rounding", "inconsistent")
        if verdict in exact:
            assert _exact_verdict(link) == verdict


@pytest.mark.parametrize("name", [name for name in MODELS if name.endswith((".sdf", ".world"))])
def test_the_manifest_agrees_with_rational_arithmetic_on_sdf(name):
    verdicts = MODELS[name]["verdicts"]
    for model in ElementTree.fromstring((DATA / name).read_bytes()).iter("model"):
        for link in model.findall("link"):
            verdict = verdicts[f"{model.get('name')}::{link.get('name')}"]
            texts = {entry.tag: entry.text for entry in link.findall("inertial/inertia/*")}
            if verdict not in {"defaulted", "derived"}:
                entry = {key: Fraction(texts.get(key, "0").strip()) for key in ENTRIES}
                assert _sign(entry) == verdict.replace("rounding", "inconsistent")
            else:
                assert not texts


@pytest.mark.parametrize("name", [name for name in MODELS if name.endswith(".xml")])
def test_the_manifest_agrees_with_rational_arithmetic_on_mjcf(name):
    verdicts = MODELS[name]["verdicts"]
    decided = 0
    for path in (DATA / name, *(DATA / name).parent.glob("parts/*.xml")):
        for body in ElementTree.fromstring(path.read_bytes()).iter("body"):
            inertial = body.find("inertial")
            verdict = verdicts.get(body.get("name", ""), "")
            if inertial is None or verdict == "derived":
                continue
            texts = inertial.get("fullinertia", inertial.get("diaginertia", "") + " 0 0 0").split()
            keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            found = _sign(dict(zip(keys, map(Fraction, texts), strict=True)))
            assert found == verdict.replace("rounding", "inconsistent")
            decided += 1
    assert decided or "derived" in verdicts.values()


def test_the_manifest_agrees_with_rational_arithmetic_on_xacro():
    name = "xacro/arm.urdf.xacro"
    xacro = pytest.importorskip("xacro", reason="needs xacro: pip install xacro")
    robot = ElementTree.fromstring(xacro.process(str(DATA / name), verbosity=0))
    exact = {link.get("name"): _exact_verdict(link) for link in robot.iter("link")}
    assert exact == MODELS[name]["verdicts"]


def _theta(name: str) -> np.ndarray:
    if name.endswith(".json"):
        return np.array(json.loads((DATA / name).read_text()), dtype=float)
    return np.genfromtxt(DATA / name, delimiter=",", skip_header=1)[:, -10:]


@pytest.mark.parametrize("name", TABLES)
def test_vectors_have_the_verdicts_and_projections_of_the_manifest(name):
    entry = TABLES[name]
    theta = _theta(name)
    order, about = entry["order"], entry["about"]
    assert list(ic.check(theta, order=order, about=about).verdict) == entry["verdicts"]
    projection = ic.project(theta, order=order, about=about)
    assert list(projection.status) == entry["statuses"]
    for row, nearest in entry["nearest"].items():
        found = projection.theta[int(row)]
        np.testing.assert_allclose(found, nearest, rtol=0, atol=1e-14 * np.max(np.abs(nearest)))
