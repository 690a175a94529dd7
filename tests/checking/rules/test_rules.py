import runpy
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import inertial_check as ic
from inertial_check.checking.expected import Expected
from inertial_check.checking.pages import describe_rule, find_rule, rule_page
from inertial_check.checking.report import Severity
from inertial_check.checking.rules.base import HEADINGS
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import Settings
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, Model, Problem
from inertial_check.documents.source import Source, Span

TESTS = Path(__file__).parents[2]
LINK = '<link name="hand"/><link name="finger">{}</link>'
JOINT = '<joint name="knuckle" type="revolute"><parent link="hand"/><child link="finger"/></joint>'
BALL = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


def document(snippet):
    """The robot in which a page's snippet stands."""
    if any(root in snippet for root in ("<robot", "<sdf", "<mujoco", "#usda")):
        return snippet
    if snippet.startswith("def "):
        return f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n{snippet}\n'
    if snippet.startswith("<link"):
        joint = "" if "<joint" in snippet else JOINT
        return f'<robot name="r"><link name="hand"/>{snippet}{joint}</robot>'
    if not snippet.startswith("<inertial"):
        mass = "" if "<mass" in snippet else '<mass value="1"/>'
        snippet = f"<inertial>{mass}{snippet}{'' if '<inertia ' in snippet else BALL}</inertial>"
    return f'<robot name="r">{LINK.format(snippet)}{JOINT}</robot>'


GATES = {"IC701": ("mujoco",), "IC702": ("dart",)}
"""The engines on which a run has to be gated for a rule to speak."""


def codes(text, engines=()):
    try:
        model = load(text.encode(), path=str(TESTS / "fixtures" / "meshes" / "robot.urdf"))
        mass = (18.4, 0.01) if "expect-mass" in text else None
        table = (Expected("finger", (("mass", 1.2),), 0.01, "", "t.csv:2"),)
        expected = table if "the table says" in text else ()
        settings = Settings(expected_mass=mass, expected=expected, engines=engines)
        return {finding.code for finding in ic.check_model(model, settings).findings}
    except ic.DocumentError:
        return {"IC001"}


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
class TestPages:
    def test_headings(self, rule):
        sections = describe_rule(rule)["explanation"]
        assert tuple(sections) == HEADINGS
        assert all(sections.values())

    def test_the_example_shows_it_and_the_remedy_does_not(self, rule):
        sections = describe_rule(rule)["explanation"]
        bad, good = dedent(sections["Example"]).strip(), dedent(sections["Use instead"]).strip()
        engines = GATES.get(rule.code, ())
        assert rule.code in codes(document(bad), engines)
        if good.startswith("<"):
            assert rule.code not in codes(document(good), engines)

    def test_the_page_in_the_documentation_is_current(self, rule, project_root):
        assert (project_root / "docs" / "rules" / f"{rule.code}.md").read_text() == rule_page(rule)

    def test_found_by_code_and_name_in_any_case(self, rule):
        assert find_rule(rule.code.lower()) is rule
        assert find_rule(rule.name.upper()) is rule


def test_codes_are_sorted_and_unique():
    every = [rule.code for rule in ALL_RULES]
    assert every == sorted(set(every))
    assert len({rule.name for rule in ALL_RULES}) == len(ALL_RULES)
    assert find_rule("IC999") is None


def test_severities_are_those_of_the_contract():
    severity = {rule.code: rule.severity for rule in ALL_RULES}
    errors = {"IC001", "IC004", "IC101", "IC102", "IC104", "IC301", "IC302", "IC403", "IC508"}
    errors |= {"IC106", "IC701", "IC712"}
    assert {code for code, value in severity.items() if value is Severity.ERROR} == errors
    assert {code for code, value in severity.items() if value is Severity.NOTE} == {
        "IC306",
        "IC506",
        "IC710",
        "IC716",
        "IC717",
    }
    raised = {rule.code for rule in ALL_RULES if rule.strict_severity != rule.severity}
    assert raised == {"IC306", "IC307"}
    gated = {rule.code for rule in ALL_RULES if rule.engine_severity != rule.severity}
    assert gated == {"IC307"}


def test_references_are_reported():
    source = Source("r.urdf", b"<robot/>")
    problem = Problem(
        "reference", "include missing.urdf not found; its links were skipped", Span(0, 8)
    )
    model = Model(source, "urdf", "r", (), (problem,))
    (finding,) = ic.check_model(model).findings
    assert (finding.code, finding.message) == ("IC003", problem.message)


def test_generator_checks_its_own_output(project_root):
    script = project_root / "docs" / "generate_rules.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "current\n")
    assert set(runpy.run_path(str(script))["make_pages"]()) == {
        path.name for path in (project_root / "docs" / "rules").iterdir()
    }


def findings(inertial, joint="revolute"):
    text = f'<robot name="r">{LINK.format(inertial)}{JOINT.replace("revolute", joint)}</robot>'
    return {f.code: f for f in ic.check_model(text.encode()).findings if f.body == "finger"}


def inertial(mass, *six):
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{name}="{value}"' for name, value in zip(names, six, strict=True))
    return f'<inertial><mass value="{mass}"/><inertia {entries}/></inertial>'


@pytest.mark.parametrize(
    ("numbers", "joint", "expected"),
    [
        ((1, 0.01, 0, 0, 0.011, 0, 0.012), "revolute", set()),
        ((1, 1, 0, 0, 1, 0, 1), "revolute", {"IC501"}),
        ((1, 1, 0, 0, 1.1, 0, 1.2), "revolute", {"IC503"}),
        ((1, 1, 0, 0, 1, 0, 3), "revolute", {"IC301"}),
        ((1, 1, 0, 0, 1, 0, 3), "fixed", {"IC301"}),
        ((1, -1, 0, 0, 1, 0, 1), "revolute", {"IC302"}),
        ((-1, 1, 0, 0, 1, 0, 1), "revolute", {"IC101"}),
        ((-1, 1, 0, 0, 1, 0, 3), "revolute", {"IC101"}),
        ((0, 1, 0, 0, 1, 0, 1), "fixed", {"IC102"}),
        ((0, 0, 0, 0, 0, 0, 0), "fixed", set()),
        ((0, 0, 0, 0, 0, 0, 0), "prismatic", {"IC103"}),
        (("nan", 1, 0, 0, 1, 0, 1), "fixed", {"IC104"}),
        ((1, "1e400", 0, 0, 1, 0, "-inf"), "fixed", {"IC104"}),
        ((1, "1,5", 0, 0, 1, 0, 1), "fixed", {"IC004"}),
        ((1, 0, 0, 0, 0, 0, 0), "revolute", {"IC303"}),
        ((1, 0, 0, 0, 0, 0, 0), "fixed", {"IC306"}),
        ((1, "1e-13", 0, 0, "1e-13", 0, "1e-13"), "fixed", {"IC304"}),
        ((1, "1e-13", 0, 0, "1e-13", 0, "9e-13"), "revolute", {"IC304"}),
        (("1e-6", "1e-13", 0, 0, "1e-13", 0, "1e-13"), "revolute", set()),
        (("1e-7", "1e-13", 0, 0, "1e-13", 0, "1e-13"), "revolute", {"IC501"}),
        ((1, 0.1, 0, 0, 0.2, 0, 0.31), "revolute", {"IC305"}),
        ((20, 0.1, 0, 0, 0.2, 0, 0.3), "revolute", {"IC306"}),
        ((1, 0, 0, 0, 1, 0, 1), "revolute", {"IC306"}),
    ],
)
def test_which_codes(numbers, joint, expected):
    assert set(findings(inertial(*numbers), joint)) == expected


def test_values_and_places():
    finding = findings(inertial(2, 1, 0, 0, 2, 0, 9))["IC301"]
    assert finding.values["margin"] == pytest.approx(-3 / 12)
    assert finding.values["principal_moments"] == pytest.approx([1, 2, 9])
    assert finding.values["admissible"]["izz"] == pytest.approx([1, 3])
    assert finding.values["admissible"]["ixy"] is None
    assert abs(finding.values["witness"][2]) == 1
    assert finding.values["equivalent_box"][0] is None
    assert finding.fix == "unsafe"
    text = f'<robot name="r">{LINK.format(inertial(2, 1, 0, 0, 2, 0, 9))}{JOINT}</robot>'
    assert text[finding.place.column - 1] == "1"
    assert text[finding.place.end_column - 2] == "9"


def test_fix_is_safe_only_when_small_and_absent_where_nothing_is_near():
    assert findings(inertial(1, 1, 0, 0, 1, 0, "2.01"))["IC301"].fix == "safe"
    assert findings(inertial(1, -1, 0, 0, -1, 0, -1))["IC302"].fix is None
    assert findings(inertial(1, "1e-13", 0, 0, "1e-13", 0, "9e-13"))["IC304"].fix is None


def test_every_number_that_is_not_finite_is_named():
    text = (
        '<robot name="r"><link name="a"><inertial><origin xyz="0 nan 0"/><mass value="inf"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="-nan" izz="1"/></inertial></link></robot>'
    )
    found = [f for f in ic.check_model(text.encode()).findings if f.code == "IC104"]
    assert [f.values["entry"] for f in found] == ["com y", "mass", "iyz"]
    assert ic.check_model(text.encode()).bodies[0].judgement.verdict == "invalid"


def test_a_body_is_judged_in_the_axes_of_its_numbers():
    """An exact plate stays exact under any rpy: nothing is rotated before it is judged."""
    for rpy in ("0.3 0.4 0.5", "1e-3 -2 3"):
        rotated = inertial(20, "0.1", 0, 0, "0.2", 0, "0.3").replace(
            "<mass", f'<origin rpy="{rpy}"/><mass'
        )
        assert set(findings(rotated)) == {"IC306"}
    model = load(f'<robot name="r"><link name="a">{rotated}</link></robot>'.encode())
    body = ic.check_model(model).bodies[0].judgement
    assert body.I_BBcm_Bi == (0.1, 0, 0, 0.2, 0, 0.3)
    assert sum(body.I_BBcm_B[i] for i in (0, 3, 5)) == pytest.approx(0.6)
    assert body.I_BBcm_B[1] != 0


class TestLostDigits:
    """`within half a unit there is a body` was said of prints that fit every body."""

    def findings(self, six, **options):
        text = " ".join(f'{n}="{v}"' for n, v in zip(ENTRIES, six.split(), strict=True))
        link = LINK.format(f'<inertial><mass value="0.312"/><inertia {text}/></inertial>')
        document = f'<robot name="r">{link}{JOINT}</robot>'.encode()
        settings = Settings(**options).validate()
        found = ic.check_model(document, settings).findings
        return {finding.code: finding for finding in found if finding.code.startswith("IC30")}

    def test_where_half_a_unit_is_more_than_a_tenth_of_the_trace(self):
        (finding,) = self.findings("0.000 0.000 0.000 0.000 0.000 0.001").values()
        assert finding.code == "IC307"
        assert "half a unit of the last is 50 % of its trace" in finding.message
        assert finding.fix is None

    def test_other_roundings_stay_what_they_were(self):
        (finding,) = self.findings("0.001 0.0 0.0 0.003 0.0 0.00402").values()
        assert (finding.code, finding.fix) == ("IC305", "safe")

    def test_it_is_an_error_where_engines_or_strictness_are_asked_for(self):
        lost = "0.000 0.000 0.000 0.000 0.000 0.001"
        severities = {
            name: self.findings(lost, **options)["IC307"].severity
            for name, options in {
                "default": {},
                "strict": {"preset": "strict"},
                "engine": {"engines": ("drake",)},
                "simulator": {"preset": "simulator:mujoco"},
            }.items()
        }
        assert severities.pop("default") is Severity.WARNING
        assert set(severities.values()) == {Severity.ERROR}

    @pytest.mark.parametrize(
        "six",
        [
            "0.002 0.000 0.000 0.003 0.000 0.004",  # zeros as a program prints them
            "0.002 0 0 0.003 0 0.004",  # beside a mass with three digits
            "0.001 -0.000 0.000 0.001 0.000 0.001",  # a number that was rounded away
            "0.003 0.000 0.000 0.003 0.000 0.003",
        ],
    )
    def test_of_a_tensor_that_some_body_has(self, six):
        finding = self.findings(six, preset="strict")["IC307"]
        assert finding.severity is Severity.WARNING  # engines take it
        assert finding.causes[0].cause == "fixed-decimals"

    @pytest.mark.parametrize(
        "six",
        [
            "0.003 0 0 0.003 0 0.003",  # a guess
            "2e-3 0.000 0.000 3e-3 0.000 4e-3",
            "0.002 0.000 0.000 0.003 0.000 0.012",  # half a unit is 3 % of the trace
            "0.00212 0.00000 0.00000 0.00334 0.00000 0.00415",
        ],
    )
    def test_few_counts_alone_are_no_loss(self, six):
        assert "IC307" not in self.findings(six)

    def test_the_unit_of_the_document_does_not_matter(self):
        for six in ("0 0 0 0 0 1e-3", "0.0 0.0 0.0 0.0 0.0 1.0", "0 0 0 0.4e6 0 1.e6"):
            assert set(self.findings(six)) <= {"IC301", "IC307"}, six
