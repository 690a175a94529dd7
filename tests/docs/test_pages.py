"""The documentation is executed: what README.md and docs/*.md show is what the program prints.

In a ``console`` block a line that starts with ``$ `` is a command, and the lines up to the next one
are all that it prints. A ``python`` block is a doctest session; the sessions of a page share their
names. The blocks of a page run in order, beside a copy of data/.
"""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.inertia.representations import ORDERS
from inertial_check.programs.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
LONG_NUMBER = re.compile(r"-?\d+\.\d{12,}(?:e-?\d+)?")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = [sys.executable, "-m", "inertial_check"]
READERS_TOOLS = {name: name for name in ("cat", "cp", "grep", "mkdir")}
"""Programs of a reader's shell that pages use besides this one."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line of the page on which its text starts."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start(2)) + 1)
        for found in FENCE.finditer(text)
    ]


def blocks_in(language: str) -> list[object]:
    """One parameter for each page that has blocks of this language."""
    found = [(page, [b for b in blocks(page) if b.language == language]) for page in REFERENCE]
    return [pytest.param(page, own, id=page.name) for page, own in found if own]


def test_ten_tasks_in_python_take_at_most_four_lines_each():
    page = ROOT / "docs" / "python.md"
    start, end = (
        page.read_text(encoding="utf-8").partition(title)[0].count("\n")
        for title in ("## Ten tasks", "## Parameters")
    )
    tasks = [b.text for b in blocks(page) if b.language == "python" and start < b.line < end]
    assert len(tasks) == 10
    assert max(len(re.findall(r"^(?:>>>|\.\.\.) ", each, re.MULTILINE)) for each in tasks) <= 4


@pytest.fixture
def beside_data(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO())


def run_process(command: list[str]) -> tuple[str, int]:
    """Run a program; returns all that it prints, and its exit code."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )
    return done.stdout.decode(), done.returncode


def run_here(arguments: list[str]) -> tuple[str, int]:
    """Run the command line in this process, which has imported everything already."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        code = main(arguments)
    stream.flush()
    return stream.buffer.getvalue().decode(), code


def transcript(commands: list[str], own_processes: bool) -> str:
    """What a reader's terminal shows after these commands."""
    lines, code = [], 0
    for command in commands:
        lines.append(f"$ {command}\n")
        if command == "echo $?":
            lines.append(f"{code}\n")
            continue
        name, *arguments = shlex.split(command)
        if name != "inertial-check":
            shown, code = run_process([READERS_TOOLS[name], *arguments])
        elif own_processes:
            shown, code = run_process([*PROGRAM, *arguments])
        else:
            shown, code = run_here(arguments)
        lines.append(shown)
    return "".join(lines)


def settled(text: str) -> str:
    """Numbers in full precision without the last digits, which depend on the processor."""
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.10g}", text)


def check_console(page: Path, block: Block, rewrite: bool) -> None:
    """Run the commands of a block, and compare what they print, or write it into the page.

    The commands of README.md are processes of their own, as a reader's are.
    """
    commands = re.findall(r"^\$ (.*)$", block.text, re.MULTILINE)
    assert commands, f"{page.name}:{block.line}: a console block without a command"
    shown = transcript(commands, own_processes=page.name == "README.md")
    if rewrite:
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(block.text, shown), encoding="utf-8", newline="\n")
    else:
        assert settled(shown) == settled(block.text), f"{page.name}:{block.line}"


@pytest.mark.usefixtures("beside_data")
@pytest.mark.parametrize(("page", "consoles"), blocks_in("console"))
def test_commands_print_what_the_page_shows(page, consoles, request):
    for block in consoles:
        check_console(page, block, request.config.getoption("--update-golden"))


class SessionRunner(doctest.DocTestRunner):
    """Doctest runner that keeps what each failing example printed, to rewrite the page with it."""

    def __init__(self):
        super().__init__(verbose=False)
        self.printed: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out, test, example, got):
        self.printed.append((example, got))
        super().report_failure(out, test, example, got)

    def rewrite(self, text: str) -> str:
        """The text of the block that ran last, with what its failing examples printed."""
        lines = text.splitlines(keepends=True)
        for example, got in reversed(self.printed):
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = got.splitlines(keepends=True)
        return "".join(lines)


def check_session(page: Path, block: Block, names: dict[str, object], rewrite: bool) -> list[str]:
    """Run a session, which adds to the names; the report of each example that fails."""
    parser = doctest.DocTestParser()
    test = parser.get_doctest(block.text, names, page.name, str(page), block.line - 1)
    assert test.examples, f"{page.name}:{block.line}: a python block without a >>> line"
    runner = SessionRunner()
    failures: list[str] = []
    runner.run(test, out=failures.append, clear_globs=False)
    names |= test.globs
    if rewrite and runner.printed:
        text = page.read_text(encoding="utf-8")
        shown = runner.rewrite(block.text)
        page.write_text(text.replace(block.text, shown), encoding="utf-8", newline="\n")
        # An exception that is not shown is no output: it fails with --update-golden, too.
        return failures if runner.failures > len(runner.printed) else []
    return failures


@pytest.mark.usefixtures("beside_data")
@pytest.mark.parametrize(("page", "sessions"), blocks_in("python"))
def test_sessions_print_what_the_page_shows(page, sessions, request):
    names: dict[str, object] = {}
    rewrite = request.config.getoption("--update-golden")
    problems = [check_session(page, block, names, rewrite) for block in sessions]
    assert not any(problems), "".join(line for each in problems for line in each)


@pytest.mark.usefixtures("beside_data")
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_can_be_followed_step_by_step(page, request):
    """Commands and sessions take turns, each with the files that the ones before it left."""
    names: dict[str, object] = {}
    rewrite = request.config.getoption("--update-golden")
    for block in blocks(page):
        if block.language == "console":
            check_console(page, block, rewrite)
        elif block.language == "python":
            problems = check_session(page, block, names, rewrite)
            assert not problems, "".join(problems)


def marked(name: str) -> list[str]:
    """The lines of the README's block after the comment <!-- name -->."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(rf"<!-- {name} -->\n+```sh\n(.*?)```", text, re.DOTALL)
    assert len(found) == 1, f"README.md needs exactly one block after <!-- {name} -->"
    return found[0].splitlines()


def test_the_quick_start_is_one_command_each_and_the_first_is_shown_with_its_output():
    (first,) = marked("main-command")
    (second,) = marked("test-command")
    main = first.split(" && ")[-1].removeprefix(".venv/bin/")
    assert main.startswith("inertial-check check data/")
    shown = [b.text for b in blocks(ROOT / "README.md") if b.language == "console"]
    assert any(text.startswith(f"$ {main}\n") for text in shown)
    assert second.endswith("-m pytest -n auto")


def test_ci_runs_the_test_command_of_the_readme(tmp_path):
    """.ci/run hands the marked block to bash as it stands, from the root, without a stdin."""
    if os.name == "nt":
        pytest.skip(".ci/run is a bash script")
    (command,) = marked("test-command")
    seen, stub = tmp_path / "seen", tmp_path / "bin"
    stub.mkdir()
    bash = stub / "bash"
    bash.write_text(
        f'#!/bin/sh\npwd > "{seen}"\nprintf "%s\\n" "$@" >> "{seen}"\ncat >> "{seen}"\n'
    )
    bash.chmod(0o755)
    environment = {**os.environ, "PATH": f"{stub}{os.pathsep}{os.environ['PATH']}"}
    interpreter = shutil.which("bash")
    subprocess.run([interpreter, ROOT / ".ci" / "run"], env=environment, cwd=tmp_path, check=True)
    where, *arguments = seen.read_text().splitlines()
    assert Path(where) == ROOT
    assert arguments[-1] == command


def test_the_architecture_page_draws_the_package_as_it_is():
    """A room is `name/  # sentence`; below it stand its files, and a line `folder/: files`."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    layout = text.partition("## Layout")[2].partition("## ")[0]
    drawn: dict[str, set[str]] = {}
    room = folder = ""
    for line in re.findall(r"^ {4}.*$", layout, re.MULTILINE):
        if named := re.match(r" {4}(\w+)/  # ", line):
            room = folder = named[1]
            drawn[folder] = set()
            continue
        if named := re.match(r" {8}(\w+)/:", line):
            folder = f"{room}/{named[1]}"
        names = re.sub(r"^ {8}\w+/:", "", line).split()
        drawn.setdefault(folder, set()).update(names)
    package = ROOT / "inertial_check"
    assert drawn == {
        str(init.parent.relative_to(package)): {
            file.stem for file in init.parent.glob("*.py") if file.name != "__init__.py"
        }
        for init in package.rglob("*/__init__.py")
    }


def test_the_architecture_page_draws_the_layers_that_import_linter_holds():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (drawn,) = re.findall(r"^ {4}(\S.* -> errors[ |\w]*)$", text, re.MULTILINE)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert drawn.split(" -> ") == [layer.replace("inertial_check.", "") for layer in layers]


def test_every_public_name_is_met_in_the_python_page():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert [name for name in ic.__all__ if f"ic.{name}" not in text] == []


def test_the_theory_page_defines_every_verdict_and_order():
    text = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    words = [*(verdict.word for verdict in ic.Verdict), *ORDERS]
    assert [word for word in words if f"`{word}`" not in text] == []


def test_the_citation_names_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {ic.__version__}\n" in citation
    assert f"## [{ic.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("schema", "section"),
    [
        ("reports/check", ""),
        ("fixing/fill/fill", "fill"),
        ("reports/identification", "identify"),
        ("reports/identification_payload", "identify --payload"),
        ("reports/identification_base", "identify --from-base"),
    ],
)
def test_the_json_page_has_every_member_that_its_schema_does_not_describe(schema, section):
    first, *others = (ROOT / "docs/json.md").read_text().split("\n## ")
    sections = {each.partition("\n")[0]: each for each in others}
    text = first + sections.get(section, "")  # the sections refer to the members of check
    if section.startswith("identify --"):
        text += sections["identify"]
    written = " ".join(re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
    schema = json.loads((ROOT / f"inertial_check/{schema}.schema.json").read_text())
    absent = set(_list_undescribed(schema, schema.get("$defs", {}))) - set(
        re.findall(r"\w+", written)
    )
    assert absent == set()


def _list_undescribed(schema, definitions):
    """The names of properties anywhere in a JSON Schema that have no description there."""
    if isinstance(schema, list):
        for each in schema:
            yield from _list_undescribed(each, definitions)
    elif isinstance(schema, dict):
        for name, member in schema.get("properties", {}).items():
            meant = definitions.get(member.get("$ref", "").rpartition("/")[2], {})
            if "description" not in member and "description" not in meant:
                yield name
        for each in schema.values():
            yield from _list_undescribed(each, definitions)
