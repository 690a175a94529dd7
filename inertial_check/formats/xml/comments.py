"""The comments of a document that are meant for a program, and the elements that they speak of.

An element is one of XML, a prim of a USD text, or a key of a YAML mapping with its value.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from inertial_check.errors import DocumentError
from inertial_check.model.source import Source, Span

if TYPE_CHECKING:
    from inertial_check.formats.xml.markup import Element

_HASH = r"(?:(?<=[ \t\r\n])|\A)#[^\r\n]*"
"""A comment of YAML, unless it stands in a text; compiled when first used."""


class Comment(NamedTuple):
    """A comment.

    Attributes:
        text: What it says, without the marks of a comment.
        span: Where it stands, marks included.
        inside: The innermost element around it; None outside of all.
        follows: Whether an element stands before it, directly inside the same.
        next: The element behind it, directly inside the same; None where it is the last.
        top: Whether it speaks of the whole document: it stands outside of all elements, or, in XML,
            directly inside the root.
    """

    text: str
    span: Span
    inside: Span | None
    follows: bool
    next: Span | None
    top: bool


def find_comments(source: Source, mark: str, file: int = 0) -> list[Comment]:
    """The comments of a document that hold a mark, in order.

    Without the mark among its bytes the document is not looked at.

    Args:
        source: XML, a USD text or YAML; of other documents nothing is known.
        mark: ASCII.
        file: Which of a model's documents it is.
    """
    if mark.encode(source.encoding) not in source.data:
        return []
    from inertial_check.formats import root_tag
    from inertial_check.formats.usd.constants import TEXT

    if source.data.startswith(TEXT):
        return _of_usd(source.data, mark, file)
    return (_of_yaml if root_tag(source.data) is None else _of_xml)(source, mark, file)


class _Stretch(NamedTuple):
    """An element, in bytes or characters.

    Attributes:
        start: Where it begins.
        inner: Past the last place of a comment that is inside it.
        end: Past all that belongs to it.
    """

    start: int
    inner: int
    end: int


class _Remark(NamedTuple):
    """A comment, in bytes or characters."""

    start: int
    end: int
    text: str


@dataclass
class _OpenElement:
    """An element that has begun: whether one has been met inside it, and comments since then."""

    element: _Stretch | None
    seen: bool = False
    waiting: list[int] = field(default_factory=list)


def _nest(
    elements: Iterable[_Stretch],
    remarks: Iterable[_Remark],
    span: Callable[[int, int], Span],
    top_level: int,
) -> list[Comment]:
    """The comments with the elements around and behind them, in one pass over both.

    Args:
        elements: In any order; of two the one is inside the other, or they do not touch.
        remarks: In any order.
        span: The bytes between two places.
        top_level: How many elements may be around a comment that speaks of the document.
    """
    found: list[Comment] = []
    stack = [_OpenElement(None)]
    items: list[_Stretch | _Remark] = [*elements, *remarks]
    for item in sorted(items, key=lambda each: (each.start, -each.end)):
        while (element := stack[-1].element) is not None and element.inner <= item.start:
            stack.pop()
        here = stack[-1]
        if isinstance(item, _Remark):
            inside = None if element is None else span(element.start, element.end)
            here.waiting.append(len(found))
            top = len(stack) - 1 <= top_level
            found.append(
                Comment(item.text, span(item.start, item.end), inside, here.seen, None, top)
            )
            continue
        for index in here.waiting:
            found[index] = found[index]._replace(next=span(item.start, item.end))
        here.seen, here.waiting = True, []
        stack.append(_OpenElement(item))
    return found


def _of_xml(source: Source, mark: str, file: int) -> list[Comment]:
    from inertial_check.formats.xml.document import parse

    try:
        document = parse(source.path, source.data, file, unquoted=True)
    except DocumentError:  # of another format, in which the marks of XML happen to stand
        return []
    elements = list(_descendants(document.root))
    remarks = [
        _Remark(comment.start, comment.end, text)
        for held in (document.comments, *(element.comments for element in elements))
        for comment in held
        if mark in (text := document.comment_text(comment))
    ]
    stretches = (_Stretch(each.start, each.end, each.end) for each in elements)
    return _nest(stretches, remarks, document.span, top_level=1)


def _descendants(root: Element) -> Iterator[Element]:
    pending = [root]
    while pending:
        element = pending.pop()
        yield element
        pending += element.children


def _of_usd(data: bytes, mark: str, file: int) -> list[Comment]:
    from inertial_check.formats.usd.text import hash_comments, scan

    remarks = [
        _Remark(start, start + len(text), text[1:].decode("utf-8", "replace"))
        for start, text in hash_comments(data)
        if mark.encode() in text
    ]
    prims = (_Stretch(start, end, end) for start, end in scan(data, ()).prims.values())
    return _nest(prims, remarks, lambda start, end: Span(start, end, file), top_level=0)


def _of_yaml(source: Source, mark: str, file: int) -> list[Comment]:
    import yaml

    from inertial_check.formats.xml.complaints import Unreadable
    from inertial_check.formats.xml.encoding import decode

    try:
        decoded = decode(source.data)
        root = yaml.compose(decoded.text, yaml.SafeLoader)
    except (Unreadable, yaml.YAMLError, RecursionError):  # no YAML; its reader has said so
        return []
    pairs: list[_Stretch] = []
    texts: list[tuple[int, int]] = []
    _collect(root, pairs, texts)
    texts.sort()
    remarks = [
        _Remark(match.start(), match.end(), match[0][1:])
        for match in re.finditer(_HASH, decoded.text)
        if mark in match[0] and not _is_within(texts, match.start())
    ]

    def span(start: int, end: int) -> Span:
        return Span(decoded.index.byte(start), decoded.index.byte(end), file)

    return _nest(pairs, remarks, span, top_level=0)


def _is_within(texts: list[tuple[int, int]], at: int) -> bool:
    """Whether a place is within one of these stretches, which are sorted."""
    index = bisect_right(texts, (at, sys.maxsize)) - 1
    return index >= 0 and at < texts[index][1]


def _collect(root: Any, pairs: list[_Stretch], texts: list[tuple[int, int]]) -> None:
    """The keys of a YAML document with their values, and the texts in which # begins no comment.

    PyYAML ends a block behind the comments that follow it; here it ends with its last text.
    """
    pending = [] if root is None else [root]
    seen: set[int] = set()
    members: list[tuple[Any, Any]] = []
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.id == "scalar":
            texts.append((node.start_mark.index, node.end_mark.index))
        elif node.id == "sequence":
            pending += node.value
        else:
            members += node.value
            pending += [part for member in node.value for part in member]
    ends = sorted(end for _, end in texts)
    for key, value in members:
        # An alias gives the node of its anchor, which stands before.
        last = value if value.start_mark.index >= key.end_mark.index else key
        end = inner = last.end_mark.index
        if last.id != "scalar" and not last.flow_style:
            inner = ends[bisect_right(ends, end) - 1]
        pairs.append(_Stretch(key.start_mark.index, inner, end))
