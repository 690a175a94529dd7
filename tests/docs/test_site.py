"""The documentation builds into a site without a warning, and its generated pages are current."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import inertial_check as ic
from inertial_check.checking.configuration import OPTIONS
from inertial_check.programs.cli.commands import COMMANDS, build_parser

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
    """A title in italics stands for a section of the page of check; every command has the last."""
    sections = (DOCS / "commands" / "check.md").read_text(encoding="utf-8").split("\n## ")
    explained = {title: rest for title, _, rest in (each.partition("\n") for each in sections)}
    for name in COMMANDS:
        page = (DOCS / "commands" / f"{name}.md").read_text(encoding="utf-8")
        titles = [*re.findall(r"\*([A-Z][^*`]*)\*", page), "Miscellaneous"]
        parser = build_parser(name)
        offered = {option for each in parser._actions for option in each.option_strings}
        listed = "".join([page, *(explained[title] for title in titles)])
        assert offered <= set(re.findall(r"(?<=`)--?[a-z][a-z-]*", listed)), name


def test_the_page_of_the_configuration_lists_every_key() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\* ([^:]*): ", page.partition("\n## Keys\n")[2], re.MULTILINE)
    explained = set(re.findall(r"`([a-z-]+)`", "".join(listed)))
    options = (DOCS / "commands" / "check.md").read_text(encoding="utf-8")
    known = explained | set(re.findall(r"`--([a-z-]+)", options))
    assert {*OPTIONS, "extend"} <= known
    assert explained <= {*OPTIONS, "extend"}


class Site(NamedTuple):
    """The built site, and what building it said."""

    folder: Path
    messages: str
    code: int


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Site:
    """The site; in the quick form only its home and its search page have the theme of the site.

    The theme computes the whole navigation for each page anew, which takes more time than all the
    rest of a build.
    """
    for library in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(library, reason="pip install 'inertial-check[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    places = ["-d", str(folder / "cache"), str(DOCS), str(folder / "html")]
    if request.config.getoption("--long"):
        commands = [[*command, *places]]
    else:
        home = str(DOCS / "index.md")
        commands = [[*command, "-D", "html_theme=basic", *places], [*command, *places, home]]
    runs = [subprocess.run(each, check=False, capture_output=True, text=True) for each in commands]
    messages = "".join(run.stderr for run in runs)
    return Site(folder / "html", messages, max(run.returncode for run in runs))


def test_the_site_builds_without_a_warning(site: Site) -> None:
    assert (site.messages, site.code) == ("", 0)
    pages = {
        path: path.read_text(encoding="utf-8") for path in (site.folder / "api").glob("*.html")
    }
    reference = "".join(pages.values())
    garbled = [path.name for path, text in pages.items() if ">Type<span" in text]
    assert garbled == []
    named = {name: getattr(ic, name) for name in ic.__all__}
    modules = {name: each.__name__ for name, each in named.items() if inspect.ismodule(each)}
    names = [modules.get(name, f"inertial_check.{name}") for name in named]
    assert [name for name in names if name not in reference] == []


def test_the_sidebar_groups_the_pages_by_what_a_reader_wants(site: Site) -> None:
    home = (site.folder / "index.html").read_text(encoding="utf-8")
    captions = re.findall(r'class="caption-text">([^<]*)<', home)
    assert captions[:4] == ["Tutorials", "How-to guides", "Reference", "Explanation"]


def test_examples_of_docstrings_are_on_the_pages(site: Site) -> None:
    page = (site.folder / "api" / "mechanics.forward.html").read_text(encoding="utf-8")
    assert "Let go when level" in page


def test_the_search_finds_every_page(site: Site) -> None:
    text = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    pages = {str(page.relative_to(DOCS))[:-3].replace("\\", "/") for page in DOCS.rglob("*.md")}
    assert set(index["docnames"]) == pages


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("baseline", "suppressing.html"),
        ("per-body-ignores", "configuration.html"),
        ("forward_dynamics", "api/mechanics.forward.html"),
    ],
)
def test_the_search_page_answers(site: Site, words: str, page: str) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if browser is None:
        pytest.skip("no Chromium to search with")
    address = f"{(site.folder / 'search.html').as_uri()}?q={words}"
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000")
    shown = subprocess.run(
        [browser, *options, "--dump-dom", address], check=True, capture_output=True
    ).stdout.decode()
    found = re.findall(r'href="([^"#]*)', shown.partition('id="search-results"')[2])
    assert page in found[:12]
