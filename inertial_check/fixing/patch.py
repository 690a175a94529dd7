"""A change of a document as a patch: the unified diff that `git apply` takes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from inertial_check.model import Source


def unified(source: Source, data: bytes) -> Iterator[str]:
    """The lines of a unified diff, in the document's own encoding."""
    from difflib import unified_diff

    if data == source.data:
        return
    before, after = (_lines(source, version) for version in (source.data, data))
    name = source.path.replace(os.sep, "/").lstrip("/")
    for line in unified_diff(before, after, f"a/{name}", f"b/{name}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(source: Source, data: bytes) -> list[str]:
    """A document's lines, as diff and patch see them: LF ends a line, a CR before it stays.

    In a document whose lines end with a lone CR, which a terminal would print over each other, that
    is shown as LF.
    """
    text = data[len(source.bom) :].decode(source.encoding, "backslashreplace")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
