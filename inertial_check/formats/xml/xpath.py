"""XPath steps that identify an element uniquely in its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inertial_check.formats.xml.markup import Element

_LONGEST_NAME = 1000
"""Largest length of a name in a path; an element with a longer one is numbered."""


def make_steps(elements: Sequence[Element]) -> list[str]:
    """Make an XPath step for each sibling: by its name, with an index if the name repeats.

    Args:
        elements: All siblings of these tags, in order.
    """
    total = Counter((element.tag, element.attributes.get("name", "")) for element in elements)
    named: Counter[tuple[str, str]] = Counter()
    placed: Counter[str] = Counter()
    found = []
    for element in elements:
        tag, name = element.tag, element.attributes.get("name", "")
        quoted = _xpath_literal(name) if 0 < len(name) <= _LONGEST_NAME else None
        placed[tag] += 1
        named[tag, name] += 1
        if quoted is None:
            found.append(f"{tag}[{placed[tag]}]")
        else:
            index = f"[{named[tag, name]}]" if total[tag, name] > 1 else ""
            found.append(f"{tag}[@name={quoted}]{index}")
    return found


def _xpath_literal(name: str) -> str | None:
    """Quote a name as an XPath literal; None if it holds both kinds of quotes."""
    for quote in "'\"":
        if quote not in name:
            return f"{quote}{name}{quote}"
    return None
