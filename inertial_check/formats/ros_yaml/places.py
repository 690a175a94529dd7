"""Where the text of a YAML scalar stands, from what PyYAML knows of it."""

from __future__ import annotations

import re
from typing import Any

_PROPERTIES = r"(?:[&!]\S*\s+)*"
"""Anchor and tag of a node; compiled when first used."""


def scalar_start(node: Any, text: str) -> int | None:
    """The character at which the value of a scalar stands; None where it does not stand as such.

    So it is with escapes in quotes, and with a text over several lines.

    Args:
        node: Of PyYAML, composed from `text`.
        text: The document.
    """
    if node.id != "scalar":
        return None
    start, end = node.start_mark.index, node.end_mark.index
    properties = re.match(_PROPERTIES, text[start:end])
    start += properties.end() if properties else 0
    if node.style in ("'", '"'):
        start, end = start + 1, end - 1
    return start if text[start:end] == node.value else None
