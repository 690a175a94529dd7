"""The report on an identification: all that was found is there, for people and for programs."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from math import inf, nan
from pathlib import Path

import jsonschema
import pytest

import inertial_check
import recorded
from inertial_check.checking.report import Severity
from inertial_check.documents.escaping import printable
from inertial_check.reports import View
from inertial_check.reports.identification import FORMS, list_tables, render
from inertial_check.reports.identification_types import (
    BaseTable,
    BaseTermValue,
    BaseValue,
    CandidateWeight,
    FrictionValue,
    IdentificationReport,
    IdentifiedBody,
    JointFit,
    JointResiduals,
    Remark,
    ResidualCourse,
    ResidualSpectrum,
    ResidualWhiteness,
    RunValues,
    SolverCertificate,
    TorqueFit,
    WrittenBody,
    WrittenModel,
)

SCHEMA = json.loads(
    files("inertial_check.reports")
    .joinpath("identification.schema.json")
    .read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ARM = IdentifiedBody(
    name="upper_arm",
    id="/robot/link[@name='upper_arm']",
    line=12,
    prior=(2.5, 0, 0, 0.5, 0.135, 0, 0, 0.135, 0, 0.003),
    theta=(2.75, 0.011, 0, 0.55, 0.15, 0, -0.001, 0.151, 0, 0.0032),
    mass=2.75,
    p_BoBcm_B=(0.004, 0.0, 0.2),
    I_BBcm_B=(0.04, 0.0, 0.0012, 0.041, 0.0, 0.00316),
    principal_moments=(0.0031, 0.04004, 0.041),
    margin=0.0123,
    verdict="consistent",
    least_squares_verdict="inconsistent",
    distance=1.25,
    prior_moved=False,
    share=(0.94, 1, 0, 0.97, 0.92, 0.02, 0.9, 0.92, 0.03, 0.11),
    decided_by=("data", "data", "prior", "data", "data", "prior", "data", "data", "prior", "both"),
    standard_deviation=(0.1, 0.002, 0.01, 0.02, 0.01, 0.001, 0.001, 0.01, inf, 0.002),
    unsupported=("Izz",),
    impossible=True,
)
TOOL = IdentifiedBody(
    name="tool|one\n",
    id="/robot/link[2]",
    line=30,
    prior=(0.2, 0, 0, 0, 1e-4, 0, 0, 1e-4, 0, 1e-4),
    theta=(0.2, 0, 0, 0, 1e-4, 0, 0, 1e-4, 0, 1e-4),
    mass=0.2,
    p_BoBcm_B=(0.0, 0.0, 0.0),
    I_BBcm_B=(1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4),
    principal_moments=(1e-4, 1e-4, 1e-4),
    margin=1 / 3,
    verdict="consistent",
    least_squares_verdict="consistent",
    distance=0.0,
    prior_moved=True,
    share=(0,) * 10,
    decided_by=("prior",) * 10,
    standard_deviation=(0.2, *(nan,) * 9),
)
BASE = BaseTable(
    parameters=(
        BaseValue(
            "Iyy(upper_arm) + 0.16 m(tool|one\n)",
            "kg m^2",
            0.4112,
            0.0031,
            0.754,
            0.4109,
            1.3,
            (BaseTermValue(1.0, "Iyy", "upper_arm"), BaseTermValue(0.16, "m", "tool|one\n")),
        ),
        BaseValue(
            "fv1", "N m s/rad", 0.0, 0.021, inf, -2e-7, nan, (BaseTermValue(1.0, "fv1", None),)
        ),
        BaseValue(
            "Izz(upper_arm) + 0.24 m(tool|one\n) - 0.998877 hx(tool|one\n) + 1.23457e-05 Iyy(x)",
            "",
            -1.2e-9,
            2.4e-11,
            2.0,
            1.1e-9,
            0.7,
            (BaseTermValue(1.0, "Izz", "upper_arm"), BaseTermValue(-0.998877, "hx", "tool|one\n")),
            True,
        ),
    ),
    covariance=((9.61e-6, 0.0, 0.0), (0.0, 4.41e-4, 0.0), (0.0, 0.0, 5.76e-22)),
    condition=12.3,
    runs=(
        RunValues("run.npz", (0.41, -0.01, 1.1e-9), (0.005, 0.03, 3e-11), (0.3, -0.2, 0.1)),
        RunValues("again.csv", (0.413, nan, 1.1e-9), (0.006, inf, 4e-11), (-0.3, nan, 0.0)),
    ),
    birge_ratio=1.04,
)
RESIDUALS = (
    JointResiduals(
        "lift",
        "N m",
        12000,
        0.142,
        -1e-5,
        ResidualWhiteness(0.31, 210.5, 20, 1.5e-33, 2, 4.5),
        ResidualSpectrum((0.0, 1.0, 2.0), (0.001, 0.02, 0.003), 1.0, 0.87, 0.9),
        ResidualCourse((-1.0, 0.5), (-0.02, 0.03), (0.004, 0.005), 0.12),
    ),
    JointResiduals("slide", "N", 12, 0.05, 0.0),
)
EVERYTHING = IdentificationReport(
    model="robots/arm.urdf",
    data=("run.npz", "again.csv"),
    bodies=(ARM, TOOL),
    left=(("base", "no joint moves it"), ("foot", "no joint moves it"), ("tool0", "without mass")),
    fits=(
        TorqueFit(
            "train",
            "run.npz, again.csv",
            12000,
            (
                JointFit("lift", "N m", 9.58, 0.737, 0.142, 0.9935, 0.9998),
                JointFit("slide", "N", 1.61, 0.0864, 0.0534, nan, nan),
            ),
            3.2,
            0.9957,
        ),
        TorqueFit(
            "validation",
            "other.npz",
            600,
            (
                JointFit("lift", "N m", 9.2, 0.61, 0.21, 0.9945, 0.9994),
                JointFit("slide", "N", 1.7, 0.12, 0.078, -0.2, 0.9978),
            ),
            2.9,
            1.4,
        ),
    ),
    friction=(
        FrictionValue("fv1", "lift", "viscous", "N m s/rad", 1.55, 0.021, 0.0, inf),
        FrictionValue("fc1", "lift", "Coulomb", "N m", 0.0, inf, 0.0, inf),
        FrictionValue("fv2", "slide", "viscous", "N s/m", 0.7, 0.009, 0.0, inf),
        FrictionValue("bump", "", "bump", "", -3.0, 0.1, -inf, inf),
    ),
    weights=(6.9, 18.0),
    rank=17,
    columns=24,
    condition=5950.0,
    regularization=0.3,
    redundancy=1.0,
    metric="prior",
    loss="squares",
    prior="the robot's file",
    total_mass=2.95,
    prior_mass=2.7,
    total_mass_share=0.44,
    objective=1759.013,
    data_term=1754.6735,
    prior_term=4.3395,
    certificate=SolverCertificate("interior point", 12, 0.0, 4.5e-27, 1.5e-13),
    weighings=(
        CandidateWeight(0.3, 1.01, 0.02, 1754.67, 14.5, 2.95, True),
        CandidateWeight(3.0, nan, nan, 1770.2, 9.1, 2.8, False),
    ),
    base=BASE,
    residuals=RESIDUALS,
    remarks=(
        Remark(Severity.ERROR, "unit", "run.npz: torques are 106 times those expected"),
        Remark(Severity.WARNING, "unsupported", "upper_arm: Izz moved"),
        Remark(Severity.NOTE, "signals", "run.npz: velocities: measured"),
    ),
    written=WrittenModel(
        "out.urdf",
        False,
        "there are remarks",
        False,
        (WrittenBody("upper_arm", "fixed", ""), WrittenBody("tool", "unwritten", "no <mass>")),
    ),
)
LEFT_OUT = dict.fromkeys(("friction", "weighings", "remarks", "left", "residuals"), ())
PLAIN = replace(EVERYTHING, written=None, base=None, **LEFT_OUT)
REPORTS = {"everything": EVERYTHING, "plain": PLAIN}
VIEW = View(exit_code=1)


@pytest.mark.parametrize(
    ("form", "suffix"), [("text", "txt"), ("markdown", "md"), ("json", "json"), ("latex", "tex")]
)
@pytest.mark.parametrize("name", REPORTS)
def test_the_whole_report(golden, name, form, suffix):
    text = render(REPORTS[name], form, VIEW)
    text = text.replace(f'"{inertial_check.__version__}"', '"VERSION"', 1)
    golden(f"reports/identification-{name}.{suffix}", text)


def test_all_details_are_listed_where_they_are_asked_for(golden):
    text = render(EVERYTHING, "text", VIEW._replace(verbose=True))
    golden("reports/identification-verbose.txt", text)


def test_a_long_table_is_shown_with_the_surest_first():
    """The bug: above 40 rows, so for every arm of six axes, there was none."""
    long = replace(EVERYTHING, base=BASE._replace(parameters=BASE.parameters * 20, runs=()))
    for form in ("text", "markdown", "latex"):
        shown = render(long, form, VIEW)
        assert "Base parameters: 60, 40 with a deviation below 10" in shown
        assert shown.count("0.4112") >= 20
        assert shown.rindex("0.4112") < shown.index("fv1", shown.index("0.4112"))


@pytest.mark.parametrize("name", REPORTS)
def test_reports_satisfy_the_schema(name):
    VALIDATOR.validate(parsed(REPORTS[name]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), 1),
        (("summary", "exit_code"), 3),
        (("fits", 0, "role"), "test"),
        (("fits", 0, "joints", 0, "after"), -1),
        (("fits", 0, "joints", 0, "unit"), "N cm"),
        (("bodies", 0, "com"), [0, 0]),
        (("bodies", 0, "parameters", "Izz", "share"), 1.5),
        (("bodies", 0, "parameters", "Izz", "decided_by"), "nobody"),
        (("friction", 0, "standard_deviation"), -1),
        (("remarks", 0, "severity"), "fatal"),
        (("solution", "gap"), "0"),
        (("solution", "status"), "proven"),
        (("base", "covariance"), [1.0]),
        (("base", "parameters", 0, "percent"), -1),
        (("residuals", 0, "whiteness", "p_value"), 1.5),
        (("written", "done"), None),
    ],
)
def test_the_schema_refuses_other_things(path, value):
    document = parsed(EVERYTHING)
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert list(VALIDATOR.iter_errors(document))


@pytest.mark.parametrize("form", FORMS)
def test_the_summary_is_left_out_when_quiet(form):
    loud, quiet = (render(PLAIN, form, View(0, summary=on)) for on in (True, False))
    assert ("nothing to remark" in loud) is (form != "json")
    assert "nothing to remark" not in quiet


def test_colours_only_where_they_are_wanted():
    assert "\x1b" not in render(EVERYTHING, "text", VIEW)
    assert "\x1b[1;31merror\x1b[0m" in render(EVERYTHING, "text", View(1, color=True))


def parsed(report):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(render(report, "json", VIEW), parse_constant=refuse)


HOSTILE = "<b onload='x'>&\"{{style}}</table><script>\n\N{GREEK SMALL LETTER ALPHA}"
TAGS = "html head meta link title style body h1 h2 p b div img table tr th td"


class Page(HTMLParser):
    """A page that was read again: tags with their attributes, and the cells of its tables."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] in ("td", "th") and data.strip():
            self.rows[-1][-1] += data
        self.texts.append(data)


def list_sources(page):
    return [own[name] for _, own in page.tags for name in ("src", "href") if name in own]


def test_names_are_text_whatever_they_hold():
    (fit, *others) = EVERYTHING.fits
    joints = tuple(each._replace(joint=f"{HOSTILE}{k}") for k, each in enumerate(fit.joints))
    found = replace(
        EVERYTHING,
        model=HOSTILE,
        bodies=(ARM._replace(name=HOSTILE), *EVERYTHING.bodies[1:]),
        fits=(fit._replace(joints=joints, path=HOSTILE), *others),
        remarks=(Remark(Severity.ERROR, "units", f"{HOSTILE} degrees"), *EVERYTHING.remarks),
    )
    picture = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    text = render(found, "html", View(1, pictures=((HOSTILE, picture),)))
    page, shown = Page(text), printable(HOSTILE)
    assert text.isascii()
    assert {tag for tag, _ in page.tags} == {*TAGS.split()}
    assert all("onload" not in own for _, own in page.tags)
    assert [own["alt"] for tag, own in page.tags if tag == "img"] == [shown]
    assert all(source.startswith("data:") for source in list_sources(page))
    for k, joint in enumerate(joints):
        assert f"{shown}{k} [{joint.unit}]" in [row[0] for row in page.rows]
    for table in list_tables(found, verbose=False):
        for row in (table.head, *table.rows):
            assert list(map(printable, row)) in page.rows
    (arm,) = [row for row in page.rows if row[0] == shown and len(row) == 8]
    assert arm[-1].endswith(" !")
    said = "".join(page.texts)
    assert said.index(f"{shown} degrees") < said.index("Standard deviations")


def test_the_policy_lets_the_style_act_and_nothing_else():
    text = render(EVERYTHING, "html", View(1))
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [own["content"] for _, own in Page(text).tags if "http-equiv" in own]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:"


def test_the_command_writes_the_page_with_plots(run, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason='needs matplotlib: "inertial-check[report]"')
    monkeypatch.chdir(tmp_path)
    recorded.written(tmp_path, recorded.with_friction(seed=1, noise=1.0))
    options = ("r.npz", "--model", str(recorded.ROBOT), "--output-format", "html")
    code, out, _ = run("identify", *options, "--output-file", "report.html")
    assert (code, out) == (0, "")
    page = Page(Path("report.html").read_text("ascii"))
    names = [own["alt"] for tag, own in page.tags if tag == "img"]
    assert [name.partition("-")[0] for name in names] == ["torques", "parameters", "ellipsoids"]
    for source in list_sources(page)[1:]:
        head, _, data = source.partition("base64,")
        assert head == "data:image/svg+xml;"
        assert b"<script" not in base64.b64decode(data)
    fitted = [row[0] for row in page.rows]
    assert {"turn [N m]", "lift [N m]", "bend [N m]"} <= set(fitted)
    assert run("identify", *options, "--dry-run")[1].count("Changes") == 1


def test_a_missing_library_is_one_line_before_the_work(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    options = ("--model", str(recorded.ROBOT), "--output-format", "html")
    code, out, err = run("identify", "no such file.npz", *options)
    assert (code, out) == (2, "")
    assert "plots need matplotlib" in err
