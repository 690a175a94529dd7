"""Write a configuration, a CI workflow and, if asked, a baseline for a repository.

Looks at the repository first: formats, folders of other projects, findings. A file that
exists is never overwritten.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from inertial_check.checking.report import Severity
from inertial_check.documents.escaping import guard_log, printable
from inertial_check.errors import InertialCheckError, UsageError
from inertial_check.programs.cli import options, output
from inertial_check.reports.text import describe_account, plain_path, plural, write_command

if TYPE_CHECKING:
    from inertial_check.programs.init import ProposedFile, Survey


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `init`."""
    parser.add_argument(
        "folder",
        nargs="?",
        default=os.curdir,
        metavar="DIR",
        help="root of the repository (default: the working directory)",
    )
    add = options.add_group(parser, "Writing")
    add("--baseline", "also write a baseline, so that only new and worse findings fail")
    add("--dry-run", "print the files instead of writing them")


def run(args: argparse.Namespace) -> int:
    """Look at the repository, write what is missing, and say what is left to do."""
    if not os.path.isdir(args.folder):
        raise UsageError(f"{args.folder}: no such folder")
    from inertial_check.programs.init import create_file, propose_files, survey_folder, verify_files

    survey = survey_folder(args.folder)
    if args.baseline and survey.report.failures:
        raise UsageError(
            f"no baseline of a folder that cannot be read: {survey.report.failures[0]}"
        )
    files = propose_files(survey, args.baseline)
    new = [file for file in files if file.existing is None]
    lines = [*_describe_survey(survey), ""]
    if args.dry_run:
        for file in new:
            path = os.path.normpath(os.path.join(args.folder, file.path))
            lines += [f"--- {printable(path)}", *file.text.splitlines(), ""]
    else:
        try:
            for file in new:
                lines.append(f"wrote {create_file(args.folder, file)}")
            verify_files(args.folder, new)
        except InertialCheckError:
            _show(lines)  # some files may have been written
            raise
    lines += [f"left {file.existing}, which exists" for file in files if file.existing]
    lines += _suggest_next_steps(survey, files, args)
    _show(lines, args.dry_run)
    return output.CLEAN


def _show(lines: list[str], has_files: bool = False) -> None:
    """Print the lines; those of whole files keep their characters but for commands of a log."""
    shown = (guard_log(line) if has_files else printable(line) for line in lines)
    output.write("".join(f"{line}\n" for line in shown))


def _describe_survey(survey: Survey) -> Iterator[str]:
    """Say what the repository holds; every name is on its own line, as text."""
    files = survey.report.files
    account = describe_account(survey.report.account)
    if not files and not account:
        yield "No robot model found."
    else:
        formats = ", ".join(f"{count} {name}" for name, count in sorted(survey.formats.items()))
        findings = len(survey.report.findings)
        faulty = sum(bool(file.findings) for file in files)
        yield f"{plural(len(files), 'model file')} ({formats})."
        yield f"{plural(faulty, 'file')} with {plural(findings, 'finding')}."
    if account:
        yield account
    if survey.has_lfs:
        yield "Git LFS holds files of the repository: the workflow fetches them."
    if survey.has_submodules:
        yield "The repository has submodules: the workflow fetches them."
    for path, count in survey.vendored.items():
        yield f"{plural(count, 'model file')} of another project in {printable(path)}/, excluded."
    for path in survey.unwritable:
        yield f"{printable(path)}/ seems to be of another project, but no pattern can name it."
    for line in (*survey.report.failures, *survey.report.notes):
        yield printable(line)


def _suggest_next_steps(
    survey: Survey, files: list[ProposedFile], args: argparse.Namespace
) -> Iterator[str]:
    from inertial_check.programs.init import BASELINE, GITLAB

    names_baseline = survey.configuration is not None and args.baseline
    if survey.configuration is not None and args.baseline:
        yield f'add to {printable(survey.configuration)}: baseline = "{BASELINE}"'
    if any(file.path == GITLAB for file in files):
        yield f"add to .gitlab-ci.yml: include: [{{local: {GITLAB}}}]"
    if not survey.is_root:
        yield "no CI workflow: it belongs at the root of the repository, so run init there"
    has_baseline = args.baseline or os.path.exists(os.path.join(args.folder, BASELINE))
    if survey.report.count(Severity.ERROR) and not has_baseline:
        yield "errors fail the workflow: correct them, or run `inertial-check init --baseline`"
    # A run takes the baseline from the configuration of its own working directory only.
    is_elsewhere = os.path.realpath(args.folder) != os.path.realpath(os.getcwd())
    names_baseline = names_baseline or (has_baseline and is_elsewhere)
    baseline = (
        ["--baseline", os.path.normpath(os.path.join(args.folder, BASELINE))]
        if names_baseline
        else []
    )
    yield f"next: {write_command('check', plain_path(args.folder), *baseline)}"
