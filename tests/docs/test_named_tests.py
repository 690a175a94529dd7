"""Modules that name the test of each equation name tests that exist."""

import re
from importlib import import_module

import pytest

MODULES = ("vectors", "compact", "added_mass")


@pytest.mark.parametrize("module", MODULES)
def test_every_test_that_a_module_names_exists(project_root, module):
    text = import_module(f"inertial_check.mechanics.{module}").__doc__
    named = set(re.findall(r"\b(test_\w+|Test\w+)\b(?!\.py)", text))
    files = [
        path.read_text(encoding="utf-8") for path in (project_root / "tests").rglob("test_*.py")
    ]
    defined = set(
        re.findall(r"^ *(?:def|class) (test_\w+|Test\w+)", "\n".join(files), re.MULTILINE)
    )
    assert len(named) > 5
    assert named - defined == set()


@pytest.mark.parametrize("module", MODULES)
def test_every_file_that_a_module_names_exists(project_root, module):
    text = import_module(f"inertial_check.mechanics.{module}").__doc__
    files = re.findall(r"\btests/[\w/]+\.py", text)
    assert files
    assert [name for name in files if not (project_root / name).exists()] == []


def test_every_file_that_the_page_of_engines_names_exists(project_root):
    text = (project_root / "docs" / "engines.md").read_text(encoding="utf-8")
    files = re.findall(r"tests/[\w/]+\.py", text)
    assert len(files) > 2
    assert [name for name in files if not (project_root / name).exists()] == []
