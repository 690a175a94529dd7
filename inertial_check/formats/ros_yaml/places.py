"""Position of the text of a YAML scalar, from the marks of PyYAML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import Node

_PROPERTIES = r"(?:[&!]\S*\s+)*"
"""Pattern of the anchor and tag of a node; compiled when it is first used."""


def scalar_start(node: Node, text: str) -> int | None:
    """Find the character at which the value of a scalar begins; None if it is not written as such.

    A value with escapes in quotes, or on several lines, is not written as such.

    Args:
        node: Node that PyYAML composed from `text`.
        text: Text of the document.
    """
    if node.id != "scalar":
        return None
    start, end = node.start_mark.index, node.end_mark.index
    properties = re.match(_PROPERTIES, text[start:end])
    start += properties.end() if properties else 0
    if node.style in ("'", '"'):
        start, end = start + 1, end - 1
    return start if text[start:end] == node.value else None
