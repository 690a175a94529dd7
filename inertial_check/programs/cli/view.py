"""Show a robot model in the browser, and follow the file: every save is shown at once.

The page is that of `report`, with shapes, equivalent ellipsoids, findings and fixes. The server
listens on this machine only (127.0.0.1) and ends with Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING

from inertial_check.documents.children import describe_defect
from inertial_check.errors import UsageError
from inertial_check.programs.cli import options, output

if TYPE_CHECKING:
    from inertial_check.reports.page.server import LiveScene, Publication


_INTERVAL = 0.2
"""Time between two looks at the files [s]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `view`."""
    parser.add_argument("model", metavar="MODEL", help="a file of a robot model")
    group = parser.add_argument_group("Server")
    group.add_argument(
        "--port",
        type=int,
        default=0,
        metavar="PORT",
        help="port of 127.0.0.1 to listen on (default: any free port)",
    )
    group.add_argument(
        "--no-browser",
        action="store_true",
        help="print the address without opening a browser",
    )
    options.add_context(parser)
    options.add_configuration(parser)


def run(args: argparse.Namespace) -> int:
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
        _tell(live)
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
        _tell(live)
    if changed and not live.message and not quiet:
        output.note(f"{live.path}: shown again")


def _tell(live: LiveScene) -> None:
    """Print why the model cannot be read."""
    if live.message:
        output.failure(live.message)
