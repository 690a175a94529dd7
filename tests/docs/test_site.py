"""The documentation builds into a site without a warning, and its generated pages are current."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.cli.main import COMMANDS, build_parser
from inertial_check.settings.configuration import OPTIONS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("name", ["api", "cli", "configuration"])
def test_generated_pages_are_current(name: str, request: pytest.FixtureRequest) -> None:
    script = str(DOCS / f"generate_{name}.py")
    if request.config.getoption("--update-golden"):
        subprocess.run([sys.executable, script], check=True)
    done = subprocess.run(
        [sys.executable, script, "--check"], check=False, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.returncode) == ("current", 0), f"run docs/generate_{name}.py"


def test_the_pages_of_commands_list_every_option_of_their_help() -> None:
    for name in COMMANDS:
        page = (DOCS / "commands" / f"{name}.md").read_text(encoding="utf-8")
        parser = build_parser(name)
        offered = {option for each in parser._actions for option in each.option_strings}
        assert offered <= set(re.findall(r"(?<=`)--?[a-z][a-z-]*", page)), name


def test_the_page_of_the_configuration_lists_every_key() -> None:
    page = (DOCS / "configuration-keys.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## `([a-z-]+)`$", page, re.MULTILINE)) == {*OPTIONS, "extend"}


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for library in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(library, reason="pip install 'inertial-check[docs]'")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(tmp_path / "cache"),
         "-b", "html", str(DOCS), str(tmp_path / "site")],
        check=False,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0)
    reference = (tmp_path / "site" / "api" / "inertial_check.html").read_text(encoding="utf-8")
    assert all(f"inertial_check.{name}" in reference for name in ic.__all__)
