"""Survey of a repository, and the files that `init` proposes for it, created without overwriting.

The survey counts models, their findings, and folders of other projects.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from inertial_check import __version__
from inertial_check.checking.baseline import Baseline
from inertial_check.checking.configuration import FILE_NAMES, Configurations
from inertial_check.checking.report import Report
from inertial_check.documents.files.access import NEW_FLAGS, Access, root_of
from inertial_check.documents.files.walking import Glob, PathPattern, walk
from inertial_check.errors import UsageError
from inertial_check.reports.hosts import find_address
from inertial_check.running.run import CheckRequest, check_paths

_VENDORED = frozenset(
    {"third_party", "third-party", "thirdparty", "3rdparty", "vendor", "vendors", "vendored"}
    | {"external", "externals", "extern", "deps", "node_modules", "submodules"}
)
"""Names of folders that usually hold copies of other projects."""

_MISSING_EXTRA = re.compile(r"inertial-check\[([a-z]+)\]")
_MOST_FILES = 10_000
"""Largest number of files of a kind that are read, such as .gitmodules."""

_LARGEST = 1 << 20
"""Largest size of such a file that is read [bytes]."""


class Survey(NamedTuple):
    """Result of a survey.

    Attributes:
        folder: The folder that was looked at, as given.
        report: Report of a check of the folder, without the vendored folders.
        formats: Number of models of each format.
        extras: Extras without which some of the models cannot be read.
        vendored: Folders of other projects that hold models, relative to the folder, each with the
            number of its models.
        unwritable: Vendored folders whose names cannot stand in a pattern.
        configuration: Configuration file of this program in the folder; None if there is none.
        github: Whether the repository is on GitHub, as far as its files tell.
        gitlab: Whether it has a pipeline of GitLab.
        is_root: Whether the folder is the root of its repository, or is in none.
        has_lfs: Whether files of the repository are kept in Git LFS.
        has_submodules: Whether the repository has submodules.
    """

    folder: str
    report: Report
    formats: Mapping[str, int]
    extras: tuple[str, ...]
    vendored: Mapping[str, int]
    unwritable: tuple[str, ...]
    configuration: str | None
    github: bool
    gitlab: bool
    is_root: bool
    has_lfs: bool
    has_submodules: bool


def survey_folder(folder: str) -> Survey:
    """Look at a repository, with the configuration that it has.

    Raises:
        UsageError: The configuration is wrong.
    """
    configurations = Configurations()
    report = check_paths(
        CheckRequest(
            [folder],
            configurations.settings,
            allow_empty=True,
            allow_unjudged=True,
            cache=None,
            jobs=None,
        )
    )
    # Count the models in each vendored folder; second, those that no pattern can name.
    counts: Counter[str] = Counter()
    unwritable: dict[str, None] = {}
    base = os.path.abspath(folder)
    for file in report.files:
        parts = os.path.relpath(os.path.abspath(file.path), base).split(os.sep)[:-1]
        for depth, part in enumerate(parts, 1):
            path = "/".join(parts[:depth])
            is_submodule = os.path.isfile(os.path.join(base, path, ".git"))
            if part.casefold() in _VENDORED or is_submodule:
                if _can_be_named(base, path, file.path):
                    counts[path] += 1
                else:
                    unwritable[path] = None
                break
    counted = dict(sorted(counts.items()))
    vendored = tuple(os.path.join(os.path.abspath(folder), each, "") for each in counted)
    own = tuple(
        file
        for file in report.files
        if not os.path.abspath(file.path).startswith(vendored or (os.sep * 3,))
    )
    gitlab = os.path.lexists(os.path.join(folder, ".gitlab-ci.yml"))
    return Survey(
        folder,
        replace(report, files=own),
        Counter(
            "xacro" if file.path.lower().endswith(".xacro") else file.format or "unreadable"
            for file in own
        ),
        _list_extras(report, any(_read_all(folder, "*.xacro"))),
        counted,
        tuple(unwritable),
        _find_configuration(folder, configurations),
        not gitlab or os.path.lexists(os.path.join(folder, ".github")),
        gitlab,
        root_of(folder).path == os.path.realpath(folder),
        any(b"filter=lfs" in data for _, data in _read_all(folder, ".gitattributes")),
        any(b"[submodule" in data for _, data in _read_all(folder, ".gitmodules")),
    )


def write_pattern(path: str) -> str:
    """The pattern, as in a .gitignore, of a folder at a path relative to the configuration."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path) + "/"


def _list_extras(report: Report, has_xacro: bool) -> tuple[str, ...]:
    """The extras that the models need, whether installed here or not."""
    extras = {match for note in report.notes for match in _MISSING_EXTRA.findall(note)}
    if has_xacro:
        extras.add("xacro")
    if any(file.format == "usd" for file in report.files):
        extras.add("usd")
    return tuple(sorted(extras & {"xacro", "usd"}))


def _can_be_named(base: str, path: str, file: str) -> bool:
    """Whether a pattern in a file of UTF-8 text names a folder, and so a file in it."""
    try:
        path.encode()
    except UnicodeEncodeError:  # a name that is no text
        return False
    pattern = PathPattern(base, write_pattern(path))
    return pattern.valid and pattern.matches(file)


def _read_all(folder: str, pattern: str) -> Iterator[tuple[str, bytes]]:
    """Read the files below a folder whose names match, with their paths from the folder."""
    access, glob = Access().of_document(folder), Glob.of(f"**/{pattern}")
    entries = walk(folder, folder, glob, lambda path, error: None)
    for entry in itertools.islice(entries, _MOST_FILES):
        with suppress(OSError, ValueError):
            yield entry.relative, access.read(entry.absolute, _LARGEST)


def _find_configuration(folder: str, configurations: Configurations) -> str | None:
    """The configuration of this program in a folder; a pyproject.toml must have its table."""
    for name in FILE_NAMES[:2]:
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            return os.path.normpath(path)
    found = configurations.of(folder).path
    here = os.path.join(folder, FILE_NAMES[2])
    same = found is not None and os.path.realpath(found) == os.path.realpath(here)
    return os.path.normpath(here) if same else None


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
          fetch-depth: 2 # with the base of a pull request
          persist-credentials: false
{checkout}      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install
        run: {install}
      - name: Check
        env:
          PYTHONSAFEPATH: "1" # nothing in the checkout is imported
          PULL: ${{{{ github.event_name == 'pull_request' }}}}
          ALLOWED: ${{{{ contains(github.event.pull_request.labels.*.name, 'config-change') }}}}
        run: |
          # The configuration of its base judges a pull request, which brings none beside models
          # unless somebody has reviewed it and set the label config-change.
          gate=()
          if [ "$PULL" = true ]; then gate+=(--gate "--trusted=HEAD^1"); fi
          if [ "$ALLOWED" = true ]; then gate+=(--allow-config-change); fi
          inertial-check check . "${{gate[@]}}" \\
            --output-format=github --also="markdown=$GITHUB_STEP_SUMMARY"
"""

_GITLAB = """\
# Written by `inertial-check init`: findings show in the merge request and among its tests.
inertial-check:
  stage: test
  image: python:3.12
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    PYTHONSAFEPATH: "1" # nothing in the checkout is imported
    GIT_DEPTH: "0" # with the base of a merge request, whose configuration judges it
{checkout}  before_script:
    - {install}
  script:
    - >-
      inertial-check check .
      ${{CI_MERGE_REQUEST_DIFF_BASE_SHA:+--gate --trusted=$CI_MERGE_REQUEST_DIFF_BASE_SHA}}
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
    extras = f"[{','.join(survey.extras)}]" if survey.extras else ""
    command = f'python -P -m pip install --quiet "inertial-check{extras}'
    install = f'{command}=={__version__}"'
    if (address := find_address("repository")) is not None:
        # Where the package index has no such package, it comes from its repository.
        install += f' || {command} @ git+{address}@v{__version__}"'
    baseline = os.path.join(survey.folder, BASELINE)
    has_baseline = os.path.isfile(baseline) and not os.path.islink(baseline)
    has_baseline = has_baseline or (with_baseline and not os.path.lexists(baseline))
    # The text of inertial-check.toml for a repository.
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
    files = [ProposedFile(FILE_NAMES[0], "\n".join(lines) + "\n")]
    files[0] = files[0]._replace(existing=survey.configuration)
    if survey.is_root and survey.github:
        checkout = "          lfs: true\n" if survey.has_lfs else ""
        checkout += "          submodules: recursive\n" if survey.has_submodules else ""
        files.append(ProposedFile(GITHUB, _GITHUB.format(checkout=checkout, install=install)))
    if survey.is_root and survey.gitlab:
        checkout = "    GIT_SUBMODULE_STRATEGY: recursive\n" if survey.has_submodules else ""
        files.append(ProposedFile(GITLAB, _GITLAB.format(checkout=checkout, install=install)))
    if with_baseline:
        files.append(ProposedFile(BASELINE, Baseline.of(survey.report, baseline).text()))
    return [
        file._replace(existing=os.path.normpath(os.path.join(survey.folder, file.path)))
        if file.existing is None and os.path.lexists(os.path.join(survey.folder, file.path))
        else file
        for file in files
    ]


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


def create_file(folder: str, file: ProposedFile) -> str:
    """Create a file that does not exist yet, read it again, and return its path.

    No link is followed, neither at the file nor at a folder on the way to it.

    Raises:
        UsageError: The file exists by now, or cannot be written.
    """
    path = os.path.normpath(os.path.join(folder, *file.path.split("/")))
    data = file.text.encode("utf-8", "backslashreplace")
    try:
        above = folder
        for part in file.path.split("/")[:-1]:  # the folders on the way, outermost first
            above = os.path.join(above, part)
            if os.path.islink(above):
                raise UsageError(f"{above} is a link: {file.path} is not written through it")
            os.makedirs(above, exist_ok=True)
        with os.fdopen(os.open(path, NEW_FLAGS, 0o666), "wb") as stream:
            stream.write(data)
        with open(path, "rb") as written:
            complete = written.read() == data
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None
    if not complete:
        raise UsageError(f"{path} holds something else than was written")
    return path


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
