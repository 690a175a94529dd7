"""Survey of a repository: its models, their findings, packages, and folders of other projects."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from inertial_check.files.access import Access
from inertial_check.files.folders import root_of
from inertial_check.files.patterns import PathPattern
from inertial_check.files.walk import Glob, walk
from inertial_check.model import FileReport, Report
from inertial_check.rules import UnresolvedReference
from inertial_check.running.run import CheckRequest, check_paths
from inertial_check.settings.configuration import FILE_NAMES, Configurations

_VENDORED = frozenset(
    {"third_party", "third-party", "thirdparty", "3rdparty", "vendor", "vendors", "vendored"}
    | {"external", "externals", "extern", "deps", "node_modules", "submodules"}
)
"""Names of folders that usually hold copies of other projects."""

_MISSING_PACKAGE = re.compile(r"--package-path ([A-Za-z0-9_.-]{1,100})=")
_MANIFEST_NAME = re.compile(rb"<name>\s*([A-Za-z0-9_.-]{1,100})\s*</name>")
_MISSING_EXTRA = re.compile(r"inertial-check\[([a-z]+)\]")
_MOST_MANIFESTS = 10_000
"""Largest number of package.xml files that are read."""

_MANIFEST_BYTES = 1 << 20
"""Largest size of a package.xml that is read [bytes]."""


class Survey(NamedTuple):
    """Result of a survey.

    Attributes:
        folder: The folder that was looked at, as given.
        report: Report of a check of the folder, without the vendored folders.
        formats: Number of models of each format.
        extras: Extras without which some of the models cannot be read.
        packages: Folders of packages that models refer to and that only a configuration can tell,
            relative to the folder.
        vendored: Folders of other projects that hold models, relative to the folder, each with the
            number of its models.
        unwritable: Vendored folders whose names cannot stand in a pattern.
        configuration: Configuration file of this program in the folder; None if there is none.
        github: Whether the repository is on GitHub, as far as its files tell.
        gitlab: Whether it has a pipeline of GitLab.
        is_root: Whether the folder is the root of its repository, or is in none.
    """

    folder: str
    report: Report
    formats: Mapping[str, int]
    extras: tuple[str, ...]
    packages: Mapping[str, str]
    vendored: Mapping[str, int]
    unwritable: tuple[str, ...]
    configuration: str | None
    github: bool
    gitlab: bool
    is_root: bool


def survey_folder(folder: str) -> Survey:
    """Look at a repository, with the configuration that it has.

    Raises:
        UsageError: The configuration is wrong.
    """
    configurations = Configurations()
    report = check_paths(
        CheckRequest([folder], configurations.settings, allow_empty=True, cache=None, jobs=None)
    )
    counted, unwritable = _count_vendored(folder, report.files)
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
        Counter(_name_format(file) for file in own),
        _list_extras(report),
        _find_packages(folder, own),
        counted,
        unwritable,
        _find_configuration(folder, configurations),
        not gitlab or os.path.lexists(os.path.join(folder, ".github")),
        gitlab,
        root_of(folder).path == os.path.realpath(folder),
    )


def write_pattern(path: str) -> str:
    """The pattern, as in a .gitignore, of a folder at a path relative to the configuration."""
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path) + "/"


def _name_format(file: FileReport) -> str:
    if file.path.lower().endswith(".xacro"):
        return "xacro"
    return file.format or "unreadable"


def _list_extras(report: Report) -> tuple[str, ...]:
    """The extras that the models need, whether installed here or not."""
    extras = {match for note in report.notes for match in _MISSING_EXTRA.findall(note)}
    for file in report.files:
        if file.path.lower().endswith(".xacro"):
            extras.add("xacro")
        if file.format == "usd":
            extras.add("usd")
    return tuple(sorted(extras & {"xacro", "usd"}))


def _count_vendored(
    folder: str, files: Iterable[FileReport]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Count the models in each vendored folder; second, those that no pattern can name."""
    counts: Counter[str] = Counter()
    unwritable: dict[str, None] = {}
    base = os.path.abspath(folder)
    for file in files:
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
    return dict(sorted(counts.items())), tuple(unwritable)


def _can_be_named(base: str, path: str, file: str) -> bool:
    """Whether a pattern in a file of UTF-8 text names a folder, and so a file in it."""
    try:
        path.encode()
    except UnicodeEncodeError:  # a name that is no text
        return False
    pattern = PathPattern(base, write_pattern(path))
    return pattern.valid and pattern.matches(file)


def _find_packages(folder: str, files: Iterable[FileReport]) -> dict[str, str]:
    """Find the packages that the models name and no folder above them holds."""
    missing = {
        name
        for file in files
        for finding in file.findings
        if finding.code == UnresolvedReference.code
        for name in _MISSING_PACKAGE.findall(finding.message)
    }
    found: dict[str, str] = {}
    if not missing:
        return found
    access, glob = Access().of_document(folder), Glob.of("**/package.xml")
    manifests = walk(folder, folder, glob, lambda path, error: None)
    for _, manifest in zip(range(_MOST_MANIFESTS), manifests, strict=False):
        try:
            match = _MANIFEST_NAME.search(access.read(manifest.absolute, _MANIFEST_BYTES))
        except (OSError, ValueError):
            continue
        name = match[1].decode("ascii") if match else ""
        if name in missing:
            inside = os.path.relpath(os.path.dirname(manifest.absolute), os.path.abspath(folder))
            found.setdefault(name, inside.replace(os.sep, "/"))
    return {name: path for name, path in sorted(found.items()) if path.isprintable()}


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
