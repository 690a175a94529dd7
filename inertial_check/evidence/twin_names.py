"""Names of twins: bodies whose names differ in the side alone, left and right."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_LEFT_AND_RIGHT = (
    ("left", "right"), ("l", "r"), ("fl", "fr"), ("rl", "rr"), ("bl", "br"), ("hl", "hr"),
    ("ml", "mr"), ("cl", "cr"), ("lf", "rf"), ("lr", "rr"), ("lh", "rh"), ("lb", "rb"),
    ("lm", "rm"), ("lft", "rgt"),
)  # fmt: skip
_SIDES: dict[str, list[str]] = {}
"""Words for a side, and those for the other; rr is rear right, or right rear."""
for _one, _other in _LEFT_AND_RIGHT:
    _SIDES.setdefault(_one, []).append(_other)
    _SIDES.setdefault(_other, []).append(_one)
_WRITTEN_OUT = (
    ("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"),
    ("right", "left"), ("Right", "Left"), ("RIGHT", "LEFT"),
)  # fmt: skip
"""Sides that are found within a word, and what the other side has in their place."""

_LONGEST = 100
"""Largest number of characters of a name whose mirror images are remembered."""


def find_twins(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of bodies whose names differ in the side alone: left and right."""
    places: dict[str, int] = {}
    for index, name in enumerate(names):
        places.setdefault(name, index)
    pairs = []
    for index, name in enumerate(names):
        if places[name] != index:
            continue
        other = next((places[each] for each in mirror_names(name) if each in places), None)
        if other is not None and other > index and not _in_a_row(name, names[other], places):
            pairs.append((index, other))
    return tuple(pairs)


def mirror_names(name: str) -> tuple[str, ...]:
    """List the names that the body on the other side may have, the most probable first."""
    return _recall_mirrored(name) if len(name) <= _LONGEST else tuple(_mirror(name))


def _mirror(name: str) -> Iterator[str]:
    """Mirror a name in every way.

    A side is a word of its own (left, r, FL, lh), where case, digits or other characters part
    words, or begins or ends one (lleg, leftarm, wheelR). Of several, all change together first.
    """
    words = _WORDS.findall(name)
    sided = [i for i, word in enumerate(words) if word.lower() in _SIDES]
    if len(sided) > 1:
        first = (_others(word)[0] if i in sided else word for i, word in enumerate(words))
        yield "".join(first)
    for i in sided:
        for other in _others(words[i]):
            yield "".join((*words[:i], other, *words[i + 1 :]))
    if sided:
        return
    for pattern, other in _WRITTEN_OUT:
        if pattern in name:
            yield name.replace(pattern, other)
    for i, word in enumerate(words):
        if len(word) > 1 and word[0] in "lrLR":
            other = _others(word[0])[0] + word[1:]
            if other.lower() not in _SIDES:  # no light is the left of a right
                yield "".join((*words[:i], other, *words[i + 1 :]))


@lru_cache(maxsize=2048)  # variants of a robot have the same names
def _recall_mirrored(name: str) -> tuple[str, ...]:
    return tuple(_mirror(name))


def _in_a_row(name: str, other: str, names: Container[str]) -> bool:
    """Whether names differ in one letter that others have too: axes s, l, u, r, b, t of an arm."""
    differing = [i for i, pair in enumerate(zip(name, other, strict=False)) if pair[0] != pair[1]]
    if len(name) != len(other) or len(differing) != 1:
        return False
    (i,) = differing
    alone = not (name[i - 1 : i].isalpha() or name[i + 1 : i + 2].isalpha())
    letters = "abdeghijknopqstuvwxyz"  # neither a side, nor front, centre or middle
    return alone and any(
        name[:i] + _match_case(x, name[i]) + name[i + 1 :] in names for x in letters
    )


def _others(word: str) -> list[str]:
    """Words for the other side, in the case of the given one."""
    return [_match_case(other, word) for other in _SIDES[word.lower()]]


def _match_case(word: str, like: str) -> str:
    if like.isupper():
        return word.upper()
    return word.title() if like[0].isupper() else word
