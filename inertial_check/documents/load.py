"""Readers of robot models: one package for each format, chosen by what a document contains."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol, TypeVar, cast

from inertial_check.documents import mjcf, ros_yaml, sdf, urdf, usd, xacro
from inertial_check.documents.children import raise_defects
from inertial_check.documents.context import Context, Head
from inertial_check.documents.files.access import LFS_POINTER, RefusedFileError, remember_folders
from inertial_check.documents.model import Model
from inertial_check.documents.source import Source
from inertial_check.documents.spelling import suggest_path
from inertial_check.documents.xml.document import parse
from inertial_check.documents.xml.encoding import head
from inertial_check.documents.xml.markup import NAME, SPACE
from inertial_check.errors import (
    DocumentError,
    MissingExtraError,
    NotAModelError,
    UsageError,
    expect,
    refuse_text,
)

T = TypeVar("T")

__all__ = ["FORMATS", "Context", "Format", "Head", "load", "match_format", "root_tag", "sniff"]


class Format(Protocol):
    """Interface of the package of a format.

    A package may also have `missing`, which says how to install what reading needs. Its modules
    `reading` and `writing` are loaded when a document of it is read or written.
    """

    NAME: str
    SUFFIXES: tuple[str, ...]

    def matches(self, head: Head, /) -> bool:
        """Return whether a document is of the format, judged by its beginning."""


FORMATS: Mapping[str, Format] = {
    each.NAME: each for each in cast("tuple[Format, ...]", (xacro, urdf, sdf, mjcf, usd, ros_yaml))
}
"""The formats that can be read, by name; the first that matches a document reads it. xacro is
before URDF, which has the same root element."""

_ROOT = re.compile(
    r"(?:[^<]++|<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>"
    r"|<!DOCTYPE\b[^\[>]*+(?:\[[^\]]*+\]\s*+)?>|<!(?!--|\[CDATA\[)[^>]*+>)*+"
    rf"<{SPACE}*+({NAME})(?={SPACE}|[/>])",
    re.DOTALL,
)

_HEADS = (1 << 12, 1 << 18)
"""Numbers of bytes [bytes] searched for the root element before the whole document is, since a
long comment may precede it."""


def root_tag(data: bytes) -> str | None:
    """Find the name of an XML document's root element without parsing the rest of the document."""
    for size in (*_HEADS, len(data)):
        text, nul, _ = head(data, size).partition("\0")
        match = _ROOT.match(text)
        if match:
            return match[1]
        if nul or size >= len(data):
            break
    return None


def sniff(data: bytes) -> str | None:
    """Determine the format of a document by its content; None if it is no known robot model."""
    return match_format(Head(root_tag(data), data))


def match_format(start: Head) -> str | None:
    """Determine the format of a document by its beginning, whose root element is known."""
    return next((name for name, each in FORMATS.items() if each.matches(start)), None)


def load(
    path_or_bytes: str | os.PathLike[str] | bytes,
    format: str | None = None,
    path: str | os.PathLike[str] = "<bytes>",
    context: Context | None = None,
) -> Model:
    """Read a robot model.

    Args:
        path_or_bytes: The file, or its content.
        format: Name of the format, one of FORMATS; None to determine it by the content.
        path: Name, in messages, of a document that is given as bytes.
        context: Where included documents are found; None to search beside and above the file.

    Raises:
        DocumentError: The file does not exist or cannot be read, or a reader fails unexpectedly.
        NotAModelError: The document is not a robot model of a known format.
        UsageError: The format is unknown, or the text of a document stands for its path.

    Example:
        >>> robot = ic.load("data/arm.urdf")
        >>> print(robot.format, [body.name for body in robot.bodies[:3]])
        urdf ['base_link', 'shoulder', 'upper_arm']
    """
    expect("path", bytes, path_or_bytes=path_or_bytes)
    expect("text", "nothing", format=format)
    expect("path", path=path)
    expect(Context, "nothing", context=context)
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}: known are {', '.join(FORMATS)}")
    refuse_text(path_or_bytes, "a path or bytes: give text.encode()")
    context = context or Context()
    data = path_or_bytes if isinstance(path_or_bytes, bytes) else None
    name = os.fsdecode(path if isinstance(path_or_bytes, bytes) else path_or_bytes)
    with raise_defects(name), remember_folders():
        model = _read_model(data, format, name, context)
    bodies = (*model.bodies, *model.macros)
    named = [model.name, model.loops, model.frames]
    named += (getattr(body, name) for body in bodies for name in _NAMED)
    if _measure(named) <= LONGEST_NAME:
        return model

    short = [
        body._replace(**{name: _shorten(getattr(body, name)) for name in _NAMED}) for body in bodies
    ]

    return replace(
        model,
        name=_shorten(model.name),
        bodies=tuple(short[: len(model.bodies)]),
        loops=_shorten(model.loops),
        frames=_shorten(model.frames),
        roots=_shorten(model.roots),
        macros=tuple(short[len(model.bodies) :]),
    )


LONGEST_NAME = 1000
"""Longest name of a model, body, joint or frame that is kept whole [code points]."""

_KEPT = 200
"""Length of the beginning that is kept of a longer one [code points]."""


_NAMED = ("name", "id", "joint", "parent", "joints")
"""Fields of a body that hold names."""


def _measure(value: object) -> int:
    """The length of the longest text in nested tuples and lists."""
    if isinstance(value, str):
        return len(value)
    parts = value if isinstance(value, tuple | list) else ()
    # Of the fields of a joint, only few are texts.
    return max(
        (_measure(each) for each in parts if isinstance(each, str | tuple | list)), default=0
    )


def _shorten(value: T) -> T:
    """The same tuples with the beginning, length and digest of each text that is too long.

    Different texts stay different.
    """
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        from hashlib import sha256

        digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return cast("T", f"{value[:_KEPT]}... ({len(value)} characters, sha256 {digest})")
    if isinstance(value, tuple):
        members = map(_shorten, value)
        return cast("T", getattr(value, "_make", tuple)(members))  # _make is of a named tuple
    return value


def _read_model(data: bytes | None, format: str | None, path: str, context: Context) -> Model:
    """Read a document: bytes, or None for those of the file at its path."""
    context = context.of_document(path)
    if data is None:
        try:
            data = context.granted.read(path)
        except RefusedFileError as error:
            raise DocumentError(path, str(error.strerror)) from None
        except OSError as error:
            hint = suggest_path(path) if isinstance(error, FileNotFoundError) else ""
            raise DocumentError(path, (error.strerror or str(error)).lower() + hint) from None
        except ValueError as error:  # a NUL in the path
            raise DocumentError(path, str(error)) from None
    if not data.strip():
        raise DocumentError(path, "the document is empty")
    name = format or sniff(data)
    if name is None:
        raise _no_model_error(path, data)
    if (reason := find_missing(name)) is not None:
        raise MissingExtraError(path, reason)
    source = Source(path, data)
    if name == urdf.NAME:
        from inertial_check.documents.urdf.reading import read_model as read_urdf

        return read_urdf(source)
    if name == xacro.NAME:
        from inertial_check.documents.xacro.reading import read_model as read_xacro

        return read_xacro(source, context)
    if name == sdf.NAME:
        from inertial_check.documents.sdf.reading import read_model as read_sdf

        return read_sdf(source, context)
    if name == mjcf.NAME:
        from inertial_check.documents.mjcf.reading import read_model as read_mjcf

        return read_mjcf(source, context)
    if name == usd.NAME:
        from inertial_check.documents.usd.reading import read_model as read_usd

        return read_usd(source, context)
    return ros_yaml.read_model(source)


def find_missing(format: str | None) -> str | None:
    """Say how to install what reading a format needs; None if it is installed, or is no format."""
    missing = getattr(FORMATS.get(format or ""), "missing", None)
    return None if missing is None else missing()


def _no_model_error(path: str, data: bytes) -> DocumentError:
    """Make the error for a document that no format reads."""
    if data.startswith(LFS_POINTER):
        return DocumentError(path, "a pointer of Git LFS stands for the file: run `git lfs pull`")
    tag = root_tag(data)
    if tag is None and "\0" in head(data, _HEADS[0]):
        return DocumentError(path, "binary data, no XML document")
    try:
        tag = tag or parse(path, data).root.tag
    except DocumentError as error:
        return error
    return NotAModelError(path, f"{describe_root(tag)} (known: {', '.join(FORMATS)})")


def describe_root(tag: str) -> str:
    """Say why a document with this root element, which no format matches, is no model."""
    if tag in sdf.ROOTS:
        return f"xacro in <{tag}> is not expanded, as it is in <robot>: check what it expands to"
    return f"the root element <{tag}> is no robot model"
