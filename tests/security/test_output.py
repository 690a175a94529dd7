"""Names that act: no output speaks for the program, whatever bodies and files are called."""

import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hand_made_reports as hand_made
import inertial_check as ic
from inertial_check.checking.report import Report
from inertial_check.checking.settings import FORMS
from inertial_check.documents import escaping
from inertial_check.programs.cli import output
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, render
from inertial_check.reports.grouping import group_findings

TOKENS = (
    "##[set-output name=x]y",
    "##[error]",
    "##vso[task.setvariable variable=PATH]x",
    "##VSO[",
    "##",
    "[",
    "::set-output name=x::y",
    "::error file=a,line=1::b",
    "::",
    "%0A::error::",
    "%0D%0A",
    "%25",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    "\x00",
    "\x1b[31m",
    "\x1b]8;;https://evil.example\x07",
    "\x9b31m",
    "\x85",
    "\u2028",
    "\u202e",
    "\u2066",
    "\u200f",
    "\udcff",
    "\ud800",
    "\ufffe",
    "|",
    "`",
    "```",
    "</code>",
    "</details>",
    "<script>alert(1)</script>",
    "<!--",
    "-->",
    "]]>",
    "&amp;",
    '"',
    "'",
    "\\",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "https://evil.example",
    "www.evil.example",
    "<https://evil.example>",
    "@everyone",
    "#1",
    "GH-1",
    "{0}",
    "$(id)",
    "--",
    "+++ b/x",
    "@@ -1 +1 @@",
    "a",
    "",
)
HOSTILE = st.lists(st.sampled_from(TOKENS) | st.text(max_size=4), min_size=1, max_size=6).map(
    "".join
)
COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::([^\n]*)")
PROPERTIES = {"file", "line", "endLine", "col", "endColumn", "title"}
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def report_of(name, path, message):
    """Every kind of finding, with hostile texts wherever a document or a caller gives one."""
    files = []
    for file in hand_made.EVERYTHING.files:
        findings = tuple(
            each._replace(
                body=None if each.body is None else name,
                message=message,
                place=each.place._replace(path=None if each.place.path is None else path),
                causes=tuple(cause._replace(evidence=message) for cause in each.causes),
            )
            for each in file.findings
        )
        bodies = tuple(body._replace(name=name) for body in file.bodies)
        files.append(file._replace(path=path, model=name, findings=findings, bodies=bodies))
    return Report(tuple(files), (message, path), (message,))


def expect_quiet(text, form=""):
    """No line is a command for a build server, and no character acts on a terminal."""
    assert not ACTING.search(text)
    for line in text.split("\n"):
        assert not re.search(r"##(\[|vso\[)", line, re.IGNORECASE), line
        if line.lstrip().startswith("::"):
            assert form == "github", line
            _, properties, _ = COMMAND.fullmatch(line).groups()
            names = [pair.partition("=")[0] for pair in properties.split(",")]
            assert set(names) <= PROPERTIES
            assert len(set(names)) == len(names)


@pytest.mark.parametrize("form", sorted(set(FORMS) - {"html"}))
@given(HOSTILE, HOSTILE, HOSTILE)
@example("##[set-output name=x]y", "::error::a\nb", "%0A::error::x")
@example("#", "##", "[x](https://evil.example)")
def test_no_form_speaks_for_the_program(form, name, path, message):
    report = report_of(name, path, message)
    text = render(report, form, View(exit_code=1, statistics=True))
    expect_quiet(text, form)
    if form not in ("full", "concise", "markdown", "github"):
        text.encode("ascii")


@given(HOSTILE, HOSTILE, HOSTILE)
def test_programs_read_the_names_as_they_are(name, path, message):
    report = report_of(name, path, message)
    view = View(exit_code=1)
    whole = json.loads(render(report, "json", view))
    assert [file["path"] for file in whole["files"]] == [file.path for file in report.files]
    assert whole["files"][0]["findings"][0]["message"] == message
    assert {body["name"] for file in whole["files"] for body in file["bodies"]} <= {name}
    lines = [json.loads(line) for line in render(report, "jsonl", view).split("\n") if line]
    assert [line["path"] for line in lines[:-1]] == [file.path for file in report.files]
    assert json.loads(render(report, "gitlab", view))
    root = ElementTree.fromstring(render(report, "junit", view))
    assert len(root) == len(report.files) + 1


@given(HOSTILE)
def test_a_message_of_sarif_has_no_link_and_no_placeholder(message):
    log = json.loads(render(report_of("a", "b", message), "sarif", View(exit_code=1)))
    for result in log["runs"][0]["results"]:
        text = result["message"]["text"]
        assert not re.search(r"(?<!\\)\[[^\[\]]*(?<!\\)\]\(", text)
        assert not re.search(r"(?<!\{)(\{\{)*\{\d+\}(?!\})", text)


@given(HOSTILE, HOSTILE, HOSTILE)
@example("|", "\n\n# Passed", "](https://evil.example)")
def test_markdown_keeps_its_table_and_has_no_links(name, path, message):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    report = report_of(name, path, message)
    tokens = markdown.parse(render(report, "markdown", View(exit_code=1)))
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == 1 + len(group_findings(report))
    assert sum(token.type == "heading_open" for token in tokens) == 1
    for token in tokens:
        for child in token.children or ():
            assert child.type not in ("link_open", "image", "code_inline")
            if child.type == "html_inline":
                assert child.content in ("<code>", "</code>", "<!-- -->")
            if child.type == "text":
                assert not re.search(
                    r"@\w|https?://|www\.|(?<!\w)#\d|(?<!\w)GH-\d", child.content, re.I
                )
        if token.type == "html_block":
            opened = re.findall(r"<[^>]*>", token.content)
            allowed = {"details", "/details", "summary", "/summary", "code", "/code", "!-- --"}
            assert {tag.strip("<>") for tag in opened} <= allowed


@given(HOSTILE, HOSTILE)
def test_notes_and_failures_are_one_line_that_does_not_act(first, second):
    import contextlib
    import io

    stream = io.StringIO()
    with contextlib.redirect_stderr(stream):
        output.note(first)
        output.failure(second)
    expect_quiet(stream.getvalue())
    assert len(stream.getvalue().split("\n")) == 3


@given(HOSTILE)
def test_a_path_in_the_header_of_a_diff_is_one_line_that_git_reads_back(path):
    quoted = escaping.quote_path(f"a/{path}")
    expect_quiet(quoted)
    assert "\n" not in quoted
    if quoted.startswith('"'):
        body = quoted[1:-1].encode("utf-8")
        read = re.sub(
            rb"\\([0-7]{3}|.)",
            lambda match: (
                bytes([int(match[1], 8)])
                if len(match[1]) == 3
                else dict(zip(b'"\\abtnvfr', b'"\\\a\b\t\n\v\f\r', strict=True))[
                    match[1][0]
                ].to_bytes(1, "big")
            ),
            body,
        )
        known = path.encode("utf-8", "surrogateescape" if "\ud800" not in path else "surrogatepass")
        assert "\ud800" in path or read == b"a/" + known


@given(HOSTILE)
def test_a_diff_for_a_log_does_not_act(text):
    shown = escaping.guard_diff(f" {text}\n-{text}\n+{text}\n")
    expect_quiet(shown.replace("\r\n", "\n"))
    assert shown.replace("\r\n", "\n").count("\r") == 0


BROKEN = """<robot name="r"><link name="{}"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="2.01"/></inertial></link></robot>
"""


def run(*arguments, cwd):
    done = subprocess.run(
        [sys.executable, "-m", "inertial_check", *arguments],
        cwd=cwd,
        capture_output=True,
        check=False,
    )
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.skipif(os.name == "nt", reason="file names")
@pytest.mark.parametrize("form", sorted(set(FORMS) - {"html"}))
def test_a_command_as_a_file_name_and_a_link_name_reaches_no_log(tmp_path, form, sampled):
    sampled(form, {"full", "github", "sarif"})
    (tmp_path / "a\n::error::b.urdf").write_text(BROKEN.format("##[set-output name=x]y"))
    (tmp_path / "::warning::c\u202e.urdf").write_text(BROKEN.format("##vso[task.complete]"))
    (tmp_path / "no-model\x1b[2J.urdf").write_text("<robot")
    for options in (["-q"], ["-v", "--color", "never", "--statistics"]):
        for text in run("check", ".", "--output-format", form, *options, cwd=tmp_path):
            expect_quiet(text, form)


@pytest.mark.skipif(os.name == "nt", reason="file names")
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ".", "--show-files"],
        ["check", ".", "--show-settings"],
        ["check", "::error::absent", "##[error]x", "a\nb"],
        ["check", "--files-from", "list"],
        ["fix", "."],
        ["fix", ".", "--output-format", "json", "--impact"],
        ["fix", ".", "--body", "\n::error::"],
        ["diff", "a\n::error::b.urdf", "::warning::c.urdf"],
        ["diff", "a\n::error::b.urdf", "::warning::c.urdf", "--output-format", "json"],
        ["identify", "\n##[x]", "--model", "::warning::c.urdf"],
        ["project", "a\n::error::b.urdf", "--about", "com"],
        ["explain", "##[x]"],
        ["##[x]", "--\n::error::"],
    ],
)
def test_no_command_speaks_for_the_program(tmp_path, arguments, monkeypatch, capsys):
    (tmp_path / "a\n::error::b.urdf").write_text(BROKEN.format("##[set-output name=x]y"))
    (tmp_path / "::warning::c.urdf").write_text(
        BROKEN.format("\u202e\n ::error::x").replace("2.0", "2.5"), encoding="utf-8"
    )
    (tmp_path / "inertial-check.toml").write_text('exclude = ["##[x]", "\\n::error::"]\n')
    (tmp_path / "list").write_text("##[x]\n::error::absent\n")
    monkeypatch.chdir(tmp_path)
    main(arguments)
    for text in capsys.readouterr():
        expect_quiet(text)


@pytest.mark.skipif(os.name == "nt", reason="file names")
@pytest.mark.parametrize(
    "name", ["a\nb", 'a"b', "a\\b", "a\tb", "\u202eb", "##[x]", "é b", "::error::b", "-b", " b"]
)
def test_git_applies_the_diff_of_a_file_of_any_name(tmp_path, monkeypatch, name, capsys):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / f"{name}.urdf").write_text(BROKEN.format("a"))
    monkeypatch.chdir(tmp_path)
    assert main(["fix", "models"]) == 1
    diff = capsys.readouterr().out
    expect_quiet(diff)
    subprocess.run(["git", "apply", "-"], input=diff.encode(), check=True)
    assert main(["check", "models"]) == 0


def test_a_document_without_anything_that_acts_is_shown_as_it_is(tmp_path, monkeypatch, capsys):
    """The diff can be applied: nothing but control characters and commands is escaped."""
    monkeypatch.chdir(tmp_path)
    text = BROKEN.format("a:: b # [c] ## é\u00a0\u200d").replace("\n", "\r\n")
    (tmp_path / "model.urdf").write_bytes(text.encode())
    main(["fix", "model.urdf"])
    out, err = capsys.readouterr()
    assert out == ic.fix_model("model.urdf").diff()
    assert "escaped" not in err
