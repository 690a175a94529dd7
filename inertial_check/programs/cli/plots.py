"""The option --plot of the commands: draw the result into a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inertial_check.documents.files.writing import same_file
from inertial_check.errors import UsageError
from inertial_check.reports.text import plural

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from inertial_check.checking.report import Report
    from inertial_check.fixing.result import Fix
    from inertial_check.fixing.tables import LargestChanges


def add_argument(group: argparse._ArgumentGroup, content: str) -> None:
    """Declare --plot.

    Args:
        group: Group of options to add it to.
        content: Content of the plot, for the help.
    """
    group.add_argument(
        "--plot",
        metavar="FILE",
        help=f"draw {content} into a png, svg or pdf file (needs matplotlib)",
    )


def check_target(path: str | None, others: Iterable[str | None]) -> None:
    """Check the file of --plot before the work begins; without the option, do nothing.

    Args:
        path: File of --plot; None without the option.
        others: Files that the command reads or writes.

    Raises:
        UsageError: The suffix names no format of plots, the file is one of the others, or
            matplotlib is not installed.
    """
    if path is None:
        return
    from inertial_check.reports import plots

    plots.check_target(path)
    for other in others:
        if other is not None and (path == other or same_file(path, other)):
            raise UsageError(f"--plot would be written over {other}; name another file")


def draw_overview(report: Report) -> Figure:
    """Draw the margins and principal moments of all bodies of a report."""
    from inertial_check.reports import plots

    return plots.overview(report)


def draw_fixes(fixes: Sequence[Fix]) -> Figure:
    """Draw the numbers of the bodies before and after fixes."""
    from inertial_check.reports import plots

    return plots.fix(fixes)


def draw_changes(largest: LargestChanges) -> Figure:
    """Draw the rows of a table that moved most."""
    from inertial_check.reports import plots

    figure = plots.fix(largest.before, largest.after, largest.names, about="com")
    shown = f", the {len(largest.names)} largest changes shown" if largest.names else ""
    figure.axes[0].title.set_text(f"{largest.moved} of {plural(largest.rows, 'row')} moved{shown}")
    return figure


def write(figure: Figure, path: str) -> None:
    """Write the figure of --plot, whole or not at all.

    Raises:
        UsageError: The file cannot be written.
    """
    from inertial_check.reports import plots

    plots.save(figure, path)
