"""The documentation builds into a site without a warning, and its API pages are current."""

import subprocess
import sys
from pathlib import Path

import pytest

import inertial_check as ic

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_the_pages_of_the_api_reference_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "generate_api.py"), "--check"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.stdout.strip(), done.returncode) == ("current", 0), "run docs/generate_api.py"


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
