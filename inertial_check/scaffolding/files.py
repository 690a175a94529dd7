"""The files that `init` proposes: their texts, and how they are created without overwriting."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from inertial_check import __version__
from inertial_check.errors import UsageError
from inertial_check.scaffolding.survey import Survey, write_pattern
from inertial_check.selecting.baseline import Baseline
from inertial_check.settings.configuration import FILE_NAMES, Configurations

BASELINE = "inertial-baseline.json"
GITHUB = ".github/workflows/inertial-check.yml"
GITLAB = ".gitlab/inertial-check.yml"

_GITHUB = """\
# Written by `inertial-check init`: checks every robot model at each push and pull request.
name: inertial-check
on:
  push:
  pull_request:
permissions:
  contents: read # models of a pull request may be a stranger's: no token that can write
jobs:
  inertial-check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install
        run: python -P -m pip install --quiet "{requirement}"
      - name: Check
        env:
          PYTHONSAFEPATH: "1" # nothing in the checkout is imported
        run: inertial-check check . --output-format=github --also="markdown=$GITHUB_STEP_SUMMARY"
"""

_GITLAB = """\
# Written by `inertial-check init`: findings show in the merge request and among its tests.
inertial-check:
  stage: test
  image: python:3.12-slim
  variables:
    PYTHONSAFEPATH: "1" # nothing in the checkout is imported
  before_script:
    - pip install --quiet "{requirement}"
  script:
    - >-
      inertial-check check .
      --also=gitlab=gl-code-quality-report.json --also=junit=inertial-check.xml
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
      junit: inertial-check.xml
"""


class ProposedFile(NamedTuple):
    """A file that `init` writes unless it exists.

    Attributes:
        path: Path below the folder, with "/" between folders.
        text: Content of the file.
        existing: The file that takes its place, as the user may know it; None if there is none.
    """

    path: str
    text: str
    existing: str | None = None


def propose_files(survey: Survey, with_baseline: bool) -> list[ProposedFile]:
    """The files for a repository: configuration, workflows and, if wanted, a baseline."""
    requirement = _write_requirement(survey)
    baseline = os.path.join(survey.folder, BASELINE)
    has_baseline = os.path.isfile(baseline) and not os.path.islink(baseline)
    has_baseline = has_baseline or (with_baseline and not os.path.lexists(baseline))
    files = [ProposedFile(FILE_NAMES[0], write_configuration(survey, has_baseline))]
    files[0] = files[0]._replace(existing=survey.configuration)
    if survey.is_root and survey.github:
        files.append(ProposedFile(GITHUB, _GITHUB.format(requirement=requirement)))
    if survey.is_root and survey.gitlab:
        files.append(ProposedFile(GITLAB, _GITLAB.format(requirement=requirement)))
    if with_baseline:
        files.append(ProposedFile(BASELINE, Baseline.of(survey.report, baseline).text()))
    return [
        file._replace(existing=os.path.normpath(os.path.join(survey.folder, file.path)))
        if file.existing is None and os.path.lexists(os.path.join(survey.folder, file.path))
        else file
        for file in files
    ]


def write_configuration(survey: Survey, has_baseline: bool) -> str:
    """The text of inertial-check.toml for a repository."""
    lines = [
        "# Written by `inertial-check init`. Every key is an option of `inertial-check check`.",
        "",
        "# The least severity that fails a run: error, warning, note or never.",
        'fail-on = "error"',
    ]
    if survey.vendored:
        lines += ["", "# Folders of other projects; a file that is named is checked all the same."]
        lines.append("exclude = [")
        lines += [f"  {quote(write_pattern(path))}," for path in survey.vendored]
        lines.append("]")
    if has_baseline:
        lines += ["", "# Findings that are known: they count once they become worse."]
        lines.append(f"baseline = {quote(BASELINE)}")
    if survey.packages:
        lines += ["", "# Folders of packages that no folder above the models holds."]
        lines.append("[package-path]")
        lines += [f"{quote(name)} = {quote(path)}" for name, path in survey.packages.items()]
    return "\n".join(lines) + "\n"


def quote(text: str) -> str:
    """A string in double quotes for TOML and YAML, in which any character stays text.

    A lone surrogate, of a file name that is no text, has no form in either: it must not be given.
    """
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    return f"\\u{ord(char):04X}" if ord(char) < 1 << 16 else f"\\U{ord(char):08X}"


def _write_requirement(survey: Survey) -> str:
    extras = f"[{','.join(survey.extras)}]" if survey.extras else ""
    return f"inertial-check{extras}=={__version__}"


def create_file(folder: str, file: ProposedFile) -> str:
    """Create a file that does not exist yet, read it again, and return its path.

    No link is followed, neither at the file nor at a folder on the way to it.

    Raises:
        UsageError: The file exists by now, or cannot be written.
    """
    path = os.path.normpath(os.path.join(folder, *file.path.split("/")))
    data = file.text.encode("utf-8", "backslashreplace")
    try:
        for above in _list_folders(folder, file.path):
            if os.path.islink(above):
                raise UsageError(f"{above} is a link: {file.path} is not written through it")
            os.makedirs(above, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, 0o666), "wb") as stream:
            stream.write(data)
        with open(path, "rb") as written:
            complete = written.read() == data
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    if not complete:
        raise UsageError(f"{path} holds something else than was written")
    return path


def _list_folders(folder: str, path: str) -> Iterator[str]:
    """List the folders between a folder and a file below it, outermost first."""
    above = folder
    for part in path.split("/")[:-1]:
        above = os.path.join(above, part)
        yield above


def verify_files(folder: str, files: list[ProposedFile]) -> None:
    """Read the written configuration and baseline as `check` does.

    Raises:
        UsageError: One of them is not accepted.
    """
    for file in files:
        path = os.path.join(folder, file.path)
        if file.path == BASELINE:
            Baseline.read(path)
        elif file.path == FILE_NAMES[0]:
            _ = Configurations().of(folder).settings
