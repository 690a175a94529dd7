"""Every cause has its page, and its example has it."""

import re
import runpy
import subprocess
import sys
from textwrap import dedent

import pytest

from inertial_check.checking.causes.base import HEADINGS, Subject
from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.check import examine
from inertial_check.checking.pages import cause_page, describe_cause, find_cause, summarise_cause
from inertial_check.checking.settings import Settings
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from suspects import hypotheses

LINK = '<link name="hand"/><link name="finger">{}</link>'
JOINT = '<joint name="knuckle" type="revolute"><parent link="hand"/><child link="finger"/></joint>'


def document(snippet):
    """The robot in which a page's snippet stands."""
    if any(root in snippet for root in ("<robot", "<sdf", "<mujoco")):
        return snippet
    if snippet.startswith("<link"):
        joint = "" if "<joint" in snippet else JOINT
        return f'<robot name="r"><link name="hand"/>{snippet}{joint}</robot>'
    if not snippet.startswith("<inertial"):
        snippet = f"<inertial>{snippet}</inertial>"
    return f'<robot name="r">{LINK.format(snippet)}{JOINT}</robot>'


def example(cause):
    return dedent(describe_cause(cause)["explanation"]["Example"]).strip()


@pytest.mark.parametrize("cause", ALL_CAUSES, ids=lambda cause: cause.name)
class TestPages:
    def test_headings(self, cause):
        sections = describe_cause(cause)["explanation"]
        assert tuple(sections) == HEADINGS
        assert all(sections.values())
        assert summarise_cause(cause).endswith(".")

    def test_the_page_in_the_documentation_is_current(self, cause, project_root):
        written = project_root / "docs" / "causes" / f"{cause.name}.md"
        assert written.read_text() == cause_page(cause)

    def test_found_in_any_case(self, cause):
        assert find_cause(f" {cause.name.upper()} ") is cause

    def test_the_name_is_one_that_users_can_type(self, cause):
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cause.name)
        assert 0 < cause.prior < 1


IN_A_DOCUMENT = [cause for cause in ALL_CAUSES if example(cause).startswith("<")]


@pytest.mark.parametrize("cause", IN_A_DOCUMENT, ids=lambda cause: cause.name)
def test_the_example_has_it_among_the_first_three(cause):
    text = document(example(cause))
    model = load(text.encode())
    examination = examine(model, judge(model), Settings())
    bodies = [i for i, body in enumerate(model.bodies) if body.inertial is not None]
    found = hypotheses([Subject(examination, i) for i in bodies])
    assert any(cause.name in [each.cause for each in one[:3]] for one in found), found


def test_names_are_unique():
    assert len({cause.name for cause in ALL_CAUSES}) == len(ALL_CAUSES)
    assert find_cause("no-such-cause") is None


def test_generator_checks_its_own_output(project_root):
    script = project_root / "docs" / "generate_causes.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "current\n")
    assert set(runpy.run_path(str(script))["make_pages"]()) == {
        path.name for path in (project_root / "docs" / "causes").iterdir()
    }
