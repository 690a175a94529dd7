"""Files of plots: the format is that of the suffix, and a file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from inertial_check.errors import UsageError
from inertial_check.files.writing import ANYWHERE_NAMED, write_output
from inertial_check.plotting.pages import Page
from inertial_check.plotting.style import import_matplotlib, page_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".pdf", ".svg", ".png")
"""File name suffixes of the formats of pictures; all pages of a pdf are in one file."""


def check_target(path: str | os.PathLike[str], *, folder: bool = False) -> None:
    """Check that a plot can be written to a path, before the work whose result it shows.

    Args:
        path: File of the plot.
        folder: Whether the path may be a folder, or have no suffix and become one.

    Raises:
        UsageError: The suffix names no format of plots, or matplotlib is not installed.
    """
    target = os.fspath(path)
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in SUFFIXES and not (folder and (not suffix or os.path.isdir(target))):
        other = ", or a folder" if folder else ""
        raise UsageError(
            f"{target}: the format of a plot is that of its suffix, expected "
            f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}{other}"
        )
    import_matplotlib()


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure to one file, whole or not at all; the same numbers give the same bytes.

    Args:
        figure: Figure of matplotlib.
        path: NAME.pdf, NAME.svg or NAME.png.

    Raises:
        UsageError: Another suffix, or the file cannot be written.
    """
    check_target(path)
    target = os.fspath(path)
    with page_settings():
        _write(target, _render(figure, os.path.splitext(target)[1].lower()))


def render_pages(path: str | os.PathLike[str], pages: Sequence[Page]) -> dict[str, bytes]:
    """Render pages as files: their paths and bytes, which depend on the numbers alone.

    Args:
        path: NAME.pdf, one file; NAME.svg or NAME.png, a file a page, NAME-torques-1.svg; a folder,
            a svg a page in it.
        pages: In order.

    Raises:
        UsageError: Another suffix, no pages, or matplotlib is not installed.
    """
    target = os.fspath(path)
    stem, suffix = os.path.splitext(target)
    suffix = suffix.lower()
    if not pages:
        raise UsageError(f"{target}: there is nothing to draw")
    check_target(target, folder=True)
    with page_settings():
        if suffix == ".pdf":
            from matplotlib.backends.backend_pdf import PdfPages

            stream = BytesIO()
            with PdfPages(stream, metadata={"CreationDate": None}) as document:
                for page in pages:
                    document.savefig(page.figure)
            return {target: stream.getvalue()}
        if suffix in SUFFIXES:
            return {f"{stem}-{page.name}{suffix}": _render(page.figure, suffix) for page in pages}
        return {
            os.path.join(target, f"{page.name}.svg"): _render(page.figure, ".svg") for page in pages
        }


def write_all(path: str | os.PathLike[str], pages: Sequence[Page]) -> list[str]:
    """Write pages; see `render_pages`. A folder that does not exist is made.

    Returns:
        The paths of the files.

    Raises:
        UsageError: As for `render_pages`, or a file cannot be written.
    """
    files = render_pages(path, pages)
    for name, data in files.items():
        ANYWHERE_NAMED.resolve(name)
        try:
            os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        except OSError as error:
            raise _refuse(name, error) from error
        _write(name, data)
    return list(files)


def _write(path: str, data: bytes) -> None:
    ANYWHERE_NAMED.resolve(path)
    try:
        write_output(path, data)
    except OSError as error:
        raise _refuse(path, error) from error


def _refuse(path: str, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written: {error.strerror or type(error).__name__}")


def _render(figure: Figure, suffix: str) -> bytes:
    """Render a figure in the format of a suffix, without the time and the library's version."""
    stream = BytesIO()
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    figure.savefig(stream, format=suffix[1:], metadata=metadata[suffix])
    return stream.getvalue()
