"""Mutations of bytes, which know nothing about the syntax."""

from random import Random

from fuzz.extremes import BYTES, ENCODINGS

LARGEST = 1 << 21
"""Largest size of an input [bytes]; what is larger is cut."""


def overwrite(rng: Random, data: bytes) -> bytes:
    """Change a few bytes, or single bits of them."""
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(changed))
        changed[at] = rng.choice(
            [rng.randrange(256), changed[at] ^ (1 << rng.randrange(8)), 0, 255]
        )
    return bytes(changed)


def insert(rng: Random, data: bytes) -> bytes:
    """Insert a control character, a mark, or half a character."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(BYTES) * rng.choice([1, 1, 1, 2, 40]) + data[at:]


def delete(rng: Random, data: bytes) -> bytes:
    """Remove a stretch."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 1, 2, 5, 20, 200]) :]


def truncate(rng: Random, data: bytes) -> bytes:
    """Cut the end off, often within a character or a tag."""
    return data[: rng.randrange(len(data) + 1)]


def copy(rng: Random, data: bytes) -> bytes:
    """Insert a stretch of the same document elsewhere."""
    start, at = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice([1, 10, 40, 400])]
    return data[:at] + piece * rng.choice([1, 1, 1, 2, 30]) + data[at:]


def swap(rng: Random, data: bytes) -> bytes:
    """Exchange two neighbouring stretches."""
    a, b, c = sorted(rng.randrange(len(data) + 1) for _ in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def convert(rng: Random, data: bytes) -> bytes:
    """Convert the document, or the second half of it, to another encoding."""
    at = 0 if rng.random() < 0.6 else rng.randrange(len(data) + 1)
    text = data[at:].decode("utf-8", "replace")
    return data[:at] + text.encode(rng.choice(ENCODINGS), "replace")


def repeat(rng: Random, data: bytes) -> bytes:
    """Repeat one stretch very often, so that a line, a name or a list becomes huge."""
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.choice([1, 1, 3, 12, 60])] or b" "
    return data[:at] + piece * (rng.choice([1000, 10_000, 100_000]) // len(piece)) + data[at:]


COMMON = (overwrite, insert, delete, truncate, copy, swap)
RARE = (convert, repeat)
