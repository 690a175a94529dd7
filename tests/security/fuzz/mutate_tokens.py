"""Mutations of tokens: numbers, names and words are replaced by extremes, or exchanged."""

import re
from random import Random

from fuzz.extremes import BRACKETS, MARKUP, NAMES, NUMERALS

_NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+(?![\w.])")
_QUOTED = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'")
_WORD = re.compile(rb"[A-Za-z_][\w:.-]*")
_ATTRIBUTE = re.compile(rb"\s[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*')")


def encode(text: str) -> bytes:
    """The bytes of a text, with halves of surrogate pairs as three bytes."""
    return text.encode("utf-8", "surrogatepass")


def _spans(pattern: re.Pattern[bytes], data: bytes) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(data)]


def replace_numbers(rng: Random, data: bytes) -> bytes:
    """Replace one number, some, or all by extremes."""
    spans = _spans(_NUMBER, data)
    if not spans:
        return data
    chosen = rng.sample(spans, min(len(spans), rng.choice([1, 1, 1, 2, 6, 1000])))
    same = encode(rng.choice(NUMERALS)) if rng.random() < 0.3 else None
    for start, end in sorted(chosen, reverse=True):
        data = data[:start] + (same or encode(rng.choice(NUMERALS))) + data[end:]
    return data


def scale_numbers(rng: Random, data: bytes) -> bytes:
    """Give some numbers another exponent or sign, so that they stay numbers."""
    spans = _spans(_NUMBER, data)
    chosen = rng.sample(spans, min(len(spans), rng.choice([1, 3, 1000])))
    exponent = rng.choice([-330, -308, -160, -40, -9, -3, 3, 9, 40, 154, 300, 308])
    for start, end in sorted(chosen, reverse=True):
        number = data[start:end].lower()
        plain = number.partition(b"e")[0]
        new = rng.choice(
            [b"-" + number.lstrip(b"+-"), plain + b"e%d" % exponent, plain + b"0" * 30]
        )
        data = data[:start] + new + data[end:]
    return data


def replace_text(rng: Random, data: bytes) -> bytes:
    """Replace a quoted text by a strange name, or by another quoted text of the document."""
    spans = _spans(_QUOTED, data) or _spans(_WORD, data)
    if not spans:
        return data
    start, end = rng.choice(spans)
    other = rng.choice(spans)
    if rng.random() < 0.3:
        return data[:start] + data[slice(*other)] + data[end:]
    quotes = data[start : start + 1] if data[start : start + 1] in (b'"', b"'") else b""
    return data[:start] + quotes + encode(rng.choice(NAMES)) + quotes + data[end:]


def replace_word(rng: Random, data: bytes) -> bytes:
    """Replace a word by another word of the document, or write it in another case."""
    spans = _spans(_WORD, data)
    if not spans:
        return data
    start, end = rng.choice(spans)
    word = data[slice(*rng.choice(spans))]
    new = rng.choice([word, word, data[start:end].upper(), data[start:end] * 2, b""])
    return data[:start] + new + data[end:]


def repeat_attribute(rng: Random, data: bytes) -> bytes:
    """Write an attribute twice, or move it into another tag."""
    spans = _spans(_ATTRIBUTE, data)
    if not spans:
        return data
    attribute = data[slice(*rng.choice(spans))]
    _, end = rng.choice(spans)
    return data[:end] + attribute * rng.choice([1, 1, 1, 3, 2000]) + data[end:]


def insert_markup(rng: Random, data: bytes) -> bytes:
    """Insert a piece of XML."""
    at = 0 if rng.random() < 0.2 else rng.randrange(len(data) + 1)
    return data[:at] + encode(rng.choice(MARKUP)) + data[at:]


def insert_brackets(rng: Random, data: bytes) -> bytes:
    """Insert a piece of JSON, TOML, YAML or USD text."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + encode(rng.choice(BRACKETS)) + data[at:]


NUMBERS = (replace_numbers, scale_numbers)
WORDS = (replace_text, replace_word)
