"""Mutations of structure: elements, nesting, lines and cells are repeated, moved and removed."""

import re
from random import Random

from fuzz.extremes import NAMES
from fuzz.mutate_bytes import LARGEST
from fuzz.mutate_tokens import encode

_TAG = re.compile(rb"<(/?)([A-Za-z_][\w:.-]*+)([^<>]*?)(/?)>")
_DEPTHS = (10, 100, 255, 257, 1000, 1000, 20_000)
_OPENINGS = {
    "json": (b"[", b'{"a":', b'[{"entries":'),
    "toml": (b"[", b"{a=", b"a.", b"[[a"),
    "yaml": (b"[", b"{a: ", b"- ", b"? ", b"a:\n "),
    "usd": (b'def "a" {', b"(", b"[", b"{", b'over "a" { variantSet "v" = { "x" {'),
    "xml": (b"<a>", b"<link name='a'>", b"<body>", b"<model name='m'>", b"<group>", b"<default>"),
}
_CLOSINGS = {b"[": b"]", b"{": b"}", b"(": b")"}


def find_elements(data: bytes) -> list[tuple[int, int]]:
    """Spans of the elements of an XML document, found by matching tags."""
    opened: list[tuple[bytes, int]] = []
    spans = []
    for match in _TAG.finditer(data):
        closing, name, _, empty = match.groups()
        if empty:
            spans.append(match.span())
        elif not closing:
            opened.append((name, match.start()))
        elif opened and opened[-1][0] == name:
            spans.append((opened.pop()[1], match.end()))
    return spans


def repeat_element(rng: Random, data: bytes) -> bytes:
    """Write an element again, two or many times."""
    spans = find_elements(data)
    if not spans:
        return data
    start, end = rng.choice(spans)
    count = min(rng.choice([1, 1, 1, 2, 300]), max(1, 50_000 // (end - start)))
    return data[:end] + data[start:end] * count + data[end:]


def move_element(rng: Random, data: bytes) -> bytes:
    """Move or copy an element to another place, also into itself."""
    spans = find_elements(data)
    if not spans:
        return data
    start, end = rng.choice(spans)
    place = rng.choice(spans)[1]
    piece = data[start:end]
    if rng.random() < 0.5 and not start < place < end:
        moved = data[:start] + data[end:]
        place -= len(piece) if place >= end else 0
        return moved[:place] + piece + moved[place:]
    inside = data.rfind(b"</", 0, place)
    place = inside if inside >= 0 else place
    return data[:place] + piece + data[place:]


def drop_element(rng: Random, data: bytes) -> bytes:
    """Remove an element, or only its tags."""
    spans = find_elements(data)
    if not spans:
        return data
    start, end = rng.choice(spans)
    inside = data[data.find(b">", start) + 1 : max(data.rfind(b"<", start, end), start)]
    return data[:start] + rng.choice([b"", inside]) + data[end:]


def rename_element(rng: Random, data: bytes) -> bytes:
    """Give a tag the name of another."""
    tags = list(_TAG.finditer(data))
    if not tags:
        return data
    start, end = rng.choice(tags).span(2)
    return data[:start] + rng.choice(tags)[2] + data[end:]


def nest_element(rng: Random, data: bytes) -> bytes:
    """Nest an element in copies of its own tag, up to thousands of levels deep."""
    tags = [tag for tag in _TAG.finditer(data) if not tag[1] and not tag[4]]
    if not tags:
        return nest(rng, data, "xml")
    tag = rng.choice(tags)
    depth = min(rng.choice(_DEPTHS), 1 + LARGEST // len(tag[0]))  # a tag may be long itself
    closing = b"</" + tag[2] + b">" if rng.random() < 0.8 else b""
    end = data.rfind(b"</" + tag[2])
    inside = data[tag.end() : end] if end > tag.end() else b""
    after = data[end:] if end > tag.end() else b""
    return data[: tag.start()] + tag[0] * depth + inside + closing * (depth - 1) + after


def nest(rng: Random, data: bytes, kind: str) -> bytes:
    """Insert brackets, keys or tags that are nested deep, closed or not."""
    opening = rng.choice(_OPENINGS.get(kind, _OPENINGS["json"]))
    depth = rng.choice(_DEPTHS)
    at = rng.choice([0, rng.randrange(len(data) + 1), len(data)])
    closing = b"".join(_CLOSINGS.get(opening[n : n + 1], b"") for n in range(len(opening)))
    closed = closing * depth if rng.random() < 0.5 else b""
    return data[:at] + opening * depth + b"1" + closed + data[at:]


def change_lines(rng: Random, data: bytes) -> bytes:
    """Repeat, move, remove or join lines, or indent one."""
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(5)
    if choice == 0:
        lines[at:at] = [lines[at]] * rng.choice([1, 2, 500])
    elif choice == 1:
        lines.insert(to, lines.pop(at))
    elif choice == 2:
        del lines[at : at + rng.choice([1, 1, 3])]
    elif choice == 3:
        lines[at] = lines[at].rstrip(b"\r\n") + rng.choice([b"", b"\r", b"\\\n", b"\x0b"])
    else:
        lines[at] = rng.choice([b" ", b"\t", b"    ", b"- "]) + lines[at].lstrip()
    return b"".join(lines)


def change_cells(rng: Random, data: bytes) -> bytes:
    """Repeat, remove or replace cells of a line of a table."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines)) if rng.random() < 0.7 else 0
    mark = rng.choice([b",", b",", b";", b"\t", b" "])
    cells = lines[at].split(b",")
    where = rng.randrange(len(cells))
    choice = rng.randrange(5)
    if choice == 0:
        cells[where:where] = [cells[where]] * rng.choice([1, 2, 3000])
    elif choice == 1:
        del cells[where]
    elif choice == 2:
        cells[where] = encode(rng.choice(NAMES))
    elif choice == 3:
        cells[where] = b'"' + cells[where] + rng.choice([b'"', b"", b'""', b'"x', b'\n"'])
    lines[at] = (mark if choice == 4 else b",").join(cells)
    return b"\n".join(lines)


def repeat_key(rng: Random, data: bytes) -> bytes:
    """Write a long key: thousands of parts, or of characters."""
    part = rng.choice([b"a", b"tool", b"'x'", b'"y"', b"1", b"select", b"bodies"])
    key = (rng.choice([b".", b" . ", b"/", b""])).join([part] * rng.choice([3, 300, 5000]))
    line = rng.choice([b"%s = 1\n", b"[%s]\n", b"[[%s]]\n", b"%s: 1\n", b"{%s}\n"]) % key
    at = data.find(b"\n", rng.randrange(len(data) + 1)) + 1
    return data[:at] + line + data[at:]


ELEMENTS = (repeat_element, move_element, drop_element, rename_element)
