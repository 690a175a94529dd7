"""The suggestion "did you mean" in the message about a name that is unknown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice

MOST_NAMES = 5_000
"""Largest number of known names that are compared with an unknown one: a model may have any."""

_TIES = 50
"""Largest number of similar names that are ranked."""

_PREFIX = 3
"""Least length of a word that may be the beginning of a known name [code points]."""

LONGEST_NAME = 200
"""Largest length of a name that is compared [code points]: the time grows with its square."""


def find_similar_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Find the known names that are spelled most like an unknown one, nearest first.

    Upper and lower case, and hyphens and underscores, count as the same. A name that begins with
    the unknown one comes before all others.

    Args:
        name: The unknown name.
        known: The known names.
        most: Largest number of names to return.
    """
    if len(name) > LONGEST_NAME:
        return []
    from difflib import SequenceMatcher, get_close_matches  # only where a message needs it

    names: dict[str, str] = {}
    for each in islice(known, MOST_NAMES):
        if len(each) <= LONGEST_NAME:
            names.setdefault(_fold(each), each)
    word = _fold(name)

    def rank(other: str) -> tuple[bool, float, bool]:
        # Codes are short: many are equally near, and exchanged letters are the commonest mistake.
        exchanged = sorted(other) == sorted(word)
        return other in begun, SequenceMatcher(None, other, word).ratio(), exchanged

    begun = [other for other in names if len(word) >= _PREFIX and other.startswith(word)]
    near = {*begun[:_TIES], *get_close_matches(word, names, n=_TIES)}
    return [names[each] for each in sorted(sorted(near), key=rank, reverse=True)[:most]]


def suggest_name(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Write the end of a message about an unknown name: the known name that was probably meant.

    Args:
        name: The unknown name.
        known: The known names.
        otherwise: The end of the message where no known name is similar.
    """
    similar = find_similar_names(name, known)
    return f"; did you mean {similar[0]!r}?" if similar else otherwise


def suggest_path(path: str) -> str:
    """Write the end of a message about a path that does not exist: the one that was meant.

    Only the first part that is missing is compared, with what its folder holds.
    """
    parts = path.replace(os.sep, "/").split("/")
    for count, part in enumerate(parts):
        folder = "/".join(parts[:count]) or ("/" if count else os.curdir)
        if os.path.lexists("/".join(parts[: count + 1]) or "/"):
            continue
        try:
            with os.scandir(folder) as entries:
                known = [os.path.splitext(each.name) for each in islice(entries, MOST_NAMES)]
        except (OSError, ValueError):
            return ""
        stem, suffix = os.path.splitext(part)
        # All robots end alike, so the names are compared without their ends.
        known.sort(key=lambda each: each[1] != suffix, reverse=True)
        similar = find_similar_names(stem, (each for each, _ in known))
        meant = ["".join(each) for each in known if each[0] in similar][-1:]
        rest = "/".join([*parts[:count], *meant, *parts[count + 1 :]])
        return f"; did you mean {rest!r}?" if meant and os.path.lexists(rest) else ""
    return ""


def _fold(name: str) -> str:
    return name.casefold().replace("_", "-")
