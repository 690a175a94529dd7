"""Scanner of .usda text layers: places of prims and of the numbers of attributes, by spec path.

The library parses USD; this scanner only knows its punctuation. It distinguishes comments, strings,
asset and prim paths, and groups in brackets, so that it finds no attributes inside them. The layers
it scans have been read by the library; on other texts it may find less, but no wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import takewhile
from typing import NamedTuple

# No lookahead inside a possessive group: Python before 3.11.5 goes on at a wrong place after one.
_TOKEN = re.compile(
    rb"""[ \t\r\n\v\f]*+ (?:
      (?P<comment>(?:\#|//)[^\r\n]*|/\*.*?\*/)
    | (?P<string>\"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
        | "(?:[^"\\]|\\.)*+" | '(?:[^'\\]|\\.)*+')
    | (?P<asset>@@@(?:[^\\]|\\.)*?@@@ | @[^@]*+@)
    | (?P<path><[^>]*+>)
    | (?P<number>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]) | -?(?:inf|nan)\b)
    | (?P<word>[\w\x80-\xff][\w:.\x80-\xff]*)
    | (?P<numbers>\[[-+0-9.,eE \t\r\n()]*+\] | \([-+.0-9][-+0-9.,eE \t\r\n]*+\))
    | (?P<other>.)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}
_SPECIFIERS = frozenset((b"def", b"over", b"class"))


class UsdNumber(NamedTuple):
    """A number: its text, and its first byte and the one after its last."""

    text: str
    start: int
    end: int


class UsdPrim(NamedTuple):
    """Bytes of a prim spec, from its specifier to its closing brace."""

    start: int
    end: int


class UsdValue(NamedTuple):
    """Value of an attribute spec: its bytes, and its numbers, those of a tuple or flat array."""

    start: int
    end: int
    pieces: tuple[UsdNumber, ...]


class LayerPlaces(NamedTuple):
    """Places in a layer by spec path, such as /robot{shape=box}link.physics:mass."""

    prims: dict[str, UsdPrim]
    values: dict[str, UsdValue]


class Token(NamedTuple):
    """A token of a text layer: its kind, its bytes, and where they are."""

    kind: str
    text: bytes
    start: int
    end: int


def scan(data: bytes, attributes: Collection[str]) -> LayerPlaces:
    """Find every prim, and the values of the attributes with these names.

    Args:
        data: Bytes of a text layer that the library has read.
        attributes: Names with their namespace, such as physics:mass.
    """
    return _Scanner(data, frozenset(name.encode() for name in attributes)).places()


def hash_comments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Find every comment that begins with #: its position and its text."""
    for match in _TOKEN.finditer(data):
        if match.lastgroup == "comment" and match["comment"].startswith(b"#"):
            yield match.start("comment"), match["comment"]


def tokenize(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Split a layer into tokens between two positions; after the last one come empty tokens.

    An array of numbers is one token, and so is a tuple of them.
    """
    last = len(data) if end is None else end
    for match in _TOKEN.finditer(data, start, last):
        kind = match.lastgroup
        if kind == "end":
            break
        if kind is not None and kind != "comment":
            yield Token(kind, match[kind], *match.span(kind))
    while True:
        yield Token("end", b"", last, last)


def _list_numbers(token: Token) -> Iterator[Token]:
    """List the numbers of a token: itself, or those of a tuple or of an array of numbers."""
    if token.kind == "number":
        yield token
    elif token.kind == "numbers" and b"(" not in token.text[1:]:
        inside = tokenize(token.text, 1, len(token.text) - 1)
        for each in takewhile(lambda each: each.kind != "end", inside):
            if each.kind == "number":
                yield each._replace(start=token.start + each.start, end=token.start + each.end)


class _OpenBlock(NamedTuple):
    """An open brace: the prim or variant inside it, or the name of a variant set."""

    path: str
    start: int | None
    variants: str | None


class _Scanner:
    """Walks over the tokens once, with a stack of open braces."""

    def __init__(self, data: bytes, wanted: frozenset[bytes]) -> None:
        self._tokens = tokenize(data)
        self._wanted = wanted
        self._ahead: list[Token] = []
        self._places = LayerPlaces({}, {})
        self._stack = [_OpenBlock("", None, None)]

    def places(self) -> LayerPlaces:
        """Find the places; if a value is stated twice, the last one counts."""
        before: Token | None = None
        while (token := self._next()).kind != "end":
            here = self._stack[-1]
            if token.text == b"}":
                self._close(token)
            elif token.text in _CLOSING or token.kind == "numbers":
                self._skip(token)
            elif token.kind == "string" and here.variants is not None:
                name = f"{here.path}{{{here.variants}={_unquote(token)}}}"
                self._enter(_OpenBlock(name, None, None))
            elif token.kind == "word" and self._begins_block(token):
                pass
            elif token.text == b"=":
                self._value(before)
            before = token
        return self._places

    def _next(self) -> Token:
        return self._ahead.pop(0) if self._ahead else next(self._tokens)

    def _begins_block(self, token: Token) -> bool:
        """Enter a prim or variant set if one begins here."""
        if token.text not in _SPECIFIERS and token.text != b"variantSet":
            return False  # most words: types and names of attributes
        while len(self._ahead) < 2:
            self._ahead.append(next(self._tokens))
        first, second = self._ahead[:2]
        path = self._stack[-1].path
        if token.text in _SPECIFIERS:
            name = first if first.kind == "string" else second
            if name.kind != "string" or (name is second and first.kind != "word"):
                return False
            inside = f"{path}{'' if path.endswith('}') else '/'}{_unquote(name)}"
            return self._enter(_OpenBlock(inside, token.start, None))
        if first.kind == "string":
            return self._enter(_OpenBlock(path, None, _unquote(first)))
        return False

    def _enter(self, inside: _OpenBlock) -> bool:
        """Continue after the next opening brace, past the metadata before it."""
        while (token := self._next()).kind != "end":
            if token.text == b"{":
                self._stack.append(inside)
                break
            if token.text in _CLOSING:
                self._skip(token)
        return True

    def _close(self, token: Token) -> None:
        if len(self._stack) > 1:
            closed = self._stack.pop()
            if closed.start is not None:
                self._places.prims[closed.path] = UsdPrim(closed.start, token.end)

    def _skip(self, first: Token) -> list[Token]:
        """Return the tokens of a group in brackets, with the brackets."""
        group = [first]
        if first.kind == "numbers":
            return group
        closing = [_CLOSING[first.text]]
        while closing:
            token = self._next()
            if token.kind == "end":
                break
            group.append(token)
            if token.kind != "other":
                continue
            if token.text in _CLOSING:
                closing.append(_CLOSING[token.text])
            elif token.text == closing[-1]:
                closing.pop()
        return group

    def _value(self, name: Token | None) -> None:
        """Keep the value after an equals sign if it is wanted."""
        first = self._next()
        group = self._skip(first) if first.text in _CLOSING else [first]
        if name is None or name.text not in self._wanted or len(self._stack) < 2:
            return
        pieces = tuple(
            UsdNumber(number.text.decode(), number.start, number.end)
            for token in group
            for number in _list_numbers(token)
        )
        path = f"{self._stack[-1].path}.{name.text.decode()}"
        self._places.values[path] = UsdValue(first.start, group[-1].end, pieces)


def _unquote(token: Token) -> str:
    return token.text.strip(b"\"'").decode("utf-8", "replace")
