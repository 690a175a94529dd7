"""Pages that name the test of each equation name tests that exist."""

import re

import pytest

PAGES = ("spatial-vectors", "ksl-inertia", "engines")


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_exists(project_root, page):
    text = (project_root / "docs" / f"{page}.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+|Test\w+)`", text))
    files = [
        path.read_text(encoding="utf-8") for path in (project_root / "tests").rglob("test_*.py")
    ]
    defined = set(
        re.findall(r"^ *(?:def|class) (test_\w+|Test\w+)", "\n".join(files), re.MULTILINE)
    )
    assert len(named) > 5
    assert named - defined == set()


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_exists(project_root, page):
    text = (project_root / "docs" / f"{page}.md").read_text(encoding="utf-8")
    files = re.findall(r"tests/[\w/]+\.py", text)
    assert [name for name in files if not (project_root / name).exists()] == []
