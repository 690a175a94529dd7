"""Links lead to a page and a heading, and every page is two clicks from the README."""

import os
import re
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
OUTSIDE_DOCS = [README, *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "SECURITY"))]
PAGES = [*OUTSIDE_DOCS, ROOT / "benchmarks" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)
DEEPEST_ANCHOR = 3
"""Level of the headings that have anchors: myst_heading_anchors in docs/conf.py."""


@cache
def read_prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def list_anchors(page: Path) -> frozenset[str]:
    """The anchors of the headings of a page, as MyST and GitHub make them."""
    found: list[str] = []
    for hashes, title in re.findall(r"^(#+) (.*)$", read_prose(page), re.MULTILINE):
        if len(hashes) <= DEEPEST_ANCHOR:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return frozenset(found)


def list_links(page: Path) -> list[tuple[Path, str]]:
    """The links of a page inside the project: the file, and the anchor or nothing."""
    inside = [link for link in LINK.findall(read_prose(page)) if "://" not in link]
    parts = [link.partition("#") for link in inside if not link.startswith("mailto:")]
    return [
        (Path(os.path.normpath(page.parent / path)) if path else page, anchor)
        for path, _, anchor in parts
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    links = list_links(page)
    assert [str(path) for path, _ in links if not path.exists()] == []
    missing = [
        f"{path.name}#{anchor}"
        for path, anchor in links
        if anchor and path.suffix == ".md" and anchor not in list_anchors(path)
    ]
    assert missing == []


def test_every_page_is_two_clicks_from_the_readme() -> None:
    reached = {README}
    for _ in range(2):
        reached |= {
            path for page in reached if page.suffix == ".md" for path, _ in list_links(page)
        }
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in reached] == []


def test_every_question_has_its_answer_one_click_from_the_page() -> None:
    """The page of questions is one click from the README, so each answer is two clicks from it."""
    page = ROOT / "docs" / "questions.md"
    assert page in {path for path, _ in list_links(README)}
    questions = re.split(r"^(?=\*\*)", read_prose(page), flags=re.MULTILINE)[1:]
    assert len(questions) >= 10
    assert [text.splitlines()[0] for text in questions if not LINK.search(text)] == []


def list_addresses() -> list[str]:
    """The external addresses that pages link to, each once."""
    pages = [*PAGES, ROOT / "CHANGELOG.md"]
    return sorted(
        {
            link.partition("#")[0]
            for page in pages
            for link in LINK.findall(read_prose(page))
            if "://" in link
        }
    )


def test_external_links_are_encrypted() -> None:
    assert len(list_addresses()) > 5
    assert [link for link in list_addresses() if not link.startswith("https://")] == []


@pytest.mark.parametrize("address", list_addresses())
def test_external_links_answer(address: str, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--long"):
        pytest.skip("external links need a network: run pytest with --long")
    # Several sites refuse requests without the name of a browser.
    asked = urllib.request.Request(address, headers={"User-Agent": "Mozilla/5.0"})
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            assert answer.status == 200
    except urllib.error.HTTPError as error:
        pytest.fail(f"{address}: {error.code} {error.reason}")
    except urllib.error.URLError as error:
        pytest.skip(f"{address} cannot be reached from here: {error.reason}")
