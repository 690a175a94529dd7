"""Which element is meant, as a path that is unique in its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inertial_check.formats.xml.markup import Element

_LONGEST_NAME = 1000


def steps(elements: Sequence[Element]) -> list[str]:
    """An XPath step for each sibling: by name where it has one, numbered where that repeats.

    Args:
        elements: All siblings of the tags that are among them, in order.
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
    """An XPath literal; None where XPath has none."""
    for quote in "'\"":
        if quote not in name:
            return f"{quote}{name}{quote}"
    return None
