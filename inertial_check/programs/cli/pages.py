"""The commands that make a page of models: `report` writes it, `view` serves and follows it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from inertial_check.checking.report import Severity
from inertial_check.documents.children import describe_defect
from inertial_check.documents.escaping import printable
from inertial_check.documents.load import load
from inertial_check.errors import UsageError
from inertial_check.programs.cli import check, options, output

if TYPE_CHECKING:
    from inertial_check.reports.issue import Commit
    from inertial_check.reports.page.server import LiveScene, Publication

REPORT = """Check robot models, and write a page that shows them in 3-D with all findings."""
VIEW = """Show a robot model in the browser, and follow the file: every save is shown at once.

The page is that of `report`, with shapes, equivalent ellipsoids, findings and fixes. The server
listens on this machine only (127.0.0.1) and ends with Ctrl-C.
"""

_DEFAULT = "report.html"
_STDOUT = "-"

_GENERATOR = b'<meta name="generator" content="inertial_check'
"""Mark of a page of this command, near its beginning."""

_HEAD = 4096
"""Number of bytes at the beginning of a file in which the mark is searched for."""


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `report`: those of `check`, but for its forms."""
    check.add_input_arguments(parser)
    add = options.add_group(parser, "Output")
    add("-o, --output FILE", f"write the page to FILE; - for standard output (default: {_DEFAULT})")
    add("--badge FILE", "also write an SVG badge with the number of errors to FILE")
    add(
        "--issue",
        "write an issue for the maintainers of one model, as Markdown, to standard output or -o",
    )
    add(
        "--body NAME ...",
        "with --issue, name or id of a body (repeatable; default: all with an error, or else "
        "with a warning)",
    )


def write_page(args: argparse.Namespace) -> int:
    """Check, write the page, and return the exit code.

    Findings do not fail the command, whose purpose is to show them, unless --fail-on or --strict
    is given.

    Raises:
        UsageError: The page would replace a model or another file that is no page, or without -o
            a report.html that this command has not written; or the badge a file that is no image.
    """
    if args.issue:
        return _write_issue(args)
    if args.body:
        raise UsageError("--body chooses bodies of --issue, which is not given")
    target = _DEFAULT if args.output is None else args.output
    args.output_format, args.statistics, args.plot = "html", False, None
    args.also = [] if args.badge is None else [check.Destination("badge", args.badge)]
    args.all = False
    args.output_file = None if target == _STDOUT else target
    listing = args.show_files or args.show_settings
    if listing:
        args.output_file = None
    elif args.output is None:
        # Refuse to replace a file that this command has not written.
        if os.path.lexists(target) and _GENERATOR not in _read_head(target):
            raise UsageError(
                f"{target} exists and is no page of this command: -o {target} replaces it, or name "
                "another file"
            )
    elif target != _STDOUT:
        _expect_page(target)
    if args.badge is not None and not listing:
        head = _read_head(args.badge)
        if head and not head.startswith(b"<svg"):
            raise UsageError(
                f"{args.badge} exists and is no SVG image, so it is not replaced; name another file"
            )
    if args.fail_on is None and args.strict is None:
        args.fail_on = "never"
    code = check.run(args)
    if not (args.quiet or listing or target == _STDOUT or code == output.FAILURE):
        print(f"Wrote {printable(target)}: open it in a browser.", file=sys.stderr)
    return code


def _write_issue(args: argparse.Namespace) -> int:
    """Write an issue about bodies of one model; the exit code is 0 also where there is none.

    Raises:
        UsageError: Not one model is named, or no body of it has such a name.
    """
    from inertial_check.checking.check import check_model
    from inertial_check.fixing.edits import fix_model
    from inertial_check.fixing.request import choose_by_name
    from inertial_check.reports.issue import render_issue

    if len(args.paths) != 1 or not os.path.isfile(args.paths[0]):
        raise UsageError("--issue is about one model: name its file")
    (path,) = args.paths
    settings = options.configurations(args).settings(path)
    model = load(path, context=settings.context)
    (file,) = check_model(model, settings).files
    ids = choose_by_name(model, args.body or ())
    if not args.body:
        worst = max((each.severity for each in file.findings), default=Severity.NOTE)
        found = (each for each in file.findings if each.severity == worst > Severity.NOTE)
        ids &= {id_ for each in found for id_ in (each.body_id, *each.body_ids) if id_}
    chosen = [body.id for body in model.bodies if body.id in ids]
    fix = fix_model(model, bodies=chosen, unsafe=True, context=settings.context) if chosen else None
    text = render_issue(file, fix, chosen, _find_commit(path)) if fix else ""
    if not text:
        output.note(f"{path}: no finding to write an issue about")
    elif args.output in (None, _STDOUT):
        output.write(text, None)
    else:
        output.write(text, args.output, bool(args.follow_outside))
    return output.CLEAN


def _find_commit(path: str) -> Commit:
    """The commit that a file stands in, and its path there; git runs no filter for that."""
    from hashlib import new

    from inertial_check.reports.issue import Commit
    from inertial_check.running.run import ask_git

    folder, name = os.path.split(os.path.abspath(path))
    try:
        prefix, commit, blob = ask_git(
            folder, "rev-parse", "--show-prefix", "HEAD", f"HEAD:./{name}"
        ).splitlines()
    except (UsageError, ValueError):
        return Commit("", path.replace(os.sep, "/"))
    with open(path, "rb") as stream:
        data = stream.read()
    algorithm = "sha256" if len(blob) == 64 else "sha1"
    digest = new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    return Commit(commit, prefix + name, digest != blob)


def _expect_page(target: str) -> None:
    """Refuse to replace a file that is named, but neither called nor written as a page.

    Meshes and included files are inputs, too, and not all of them are known before the check.

    Raises:
        UsageError: There is such a file.
    """
    if not os.path.isfile(target) or os.path.getsize(target) == 0:
        return
    called_page = os.path.realpath(target).lower().endswith((".html", ".htm"))
    if not called_page and _GENERATOR not in _read_head(target):
        raise UsageError(
            f"{target} exists and is no HTML page, so it is not replaced; name another file"
        )


def _read_head(path: str) -> bytes:
    """Read the beginning of a file; empty if it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""


_INTERVAL = 0.2
"""Time between two looks at the files [s]."""


def add_view_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `view`."""
    parser.add_argument("model", metavar="MODEL", help="a file of a robot model")
    add = options.add_group(parser, "Server")
    add(
        "--port PORT",
        "port of 127.0.0.1 to listen on (default: any free port)",
        type=int,
        default=0,
    )
    add("--no-browser", "print the address without opening a browser")
    options.add_context(parser)


def view(args: argparse.Namespace) -> int:
    """Serve the model until it is stopped from the keyboard or by a signal.

    Raises:
        UsageError: MODEL is no file, or the port cannot be used.
    """
    if os.path.isdir(args.model):
        raise UsageError(f"{args.model} is a folder; view shows one model, report many of them")
    if not os.path.isfile(args.model):
        raise UsageError(f"{args.model}: no such file")
    from inertial_check.reports.page.server import LiveScene, Publication, serve

    settings = options.context_configurations(args).settings(args.model)
    live = LiveScene(args.model, settings)
    publication = Publication(live.scene)
    with serve(publication, args.port) as address:
        output.write(f"{address}\n")
        if not args.quiet:
            output.note(f"shows {args.model}, and again when it is saved; Ctrl-C ends")
        _print_message(live)
        if not args.no_browser:
            # Open the page in the browser of the desktop, if there is one.
            desktop = sys.platform in ("win32", "darwin") or any(
                os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
            )
            if not desktop:
                output.note("no desktop here: open the address in a browser of this machine")
            else:
                import webbrowser

                try:
                    webbrowser.open(address)
                except (webbrowser.Error, OSError) as error:
                    output.note(f"no browser could be opened: {error}")
        while True:
            time.sleep(_INTERVAL)
            if live.has_changed():
                _follow(live, publication, quiet=args.quiet)


def _follow(live: LiveScene, publication: Publication, *, quiet: bool) -> None:
    """Read the model again after a save, and show it if it differs."""
    live.wait_for_calm()
    before = live.message
    try:
        changed = publication.publish(live.read())
    except Exception as error:  # a defect must not end the view: the last scene stays
        output.failure(f"{live.path}: {describe_defect(error)}")
        return
    if live.message != before:
        _print_message(live)
    if changed and not live.message and not quiet:
        output.note(f"{live.path}: shown again")


def _print_message(live: LiveScene) -> None:
    """Print why the model cannot be read."""
    if live.message:
        output.failure(live.message)
