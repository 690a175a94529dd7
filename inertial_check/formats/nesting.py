"""Limits of the structure of documents: how deep they nest, and how many elements they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import Node

DEEPEST = 256
"""Largest depth of nesting in a document; the deepest robot models have a few dozen levels."""

MOST_ELEMENTS = 1_000_000
"""Largest number of elements of a document: a model of a thousand bodies has about 50,000."""


class NestingError(ValueError):
    """A document that is nested too deep, or has too many elements; the text says which."""


def check_nesting(depth: int, count: int, noun: str = "element") -> None:
    """Refuse an element that stands too deep, or is one too many.

    Args:
        depth: Depth of the element; that of the root is 1.
        count: Number of elements so far, with this one.
        noun: Name of an element in the format.

    Raises:
        NestingError: No robot model has such an element.
    """
    if depth > DEEPEST:
        raise NestingError(
            f"nested too deep: this {noun} is in level {depth}, and the limit is {DEEPEST}; "
            "no robot model needs more"
        )
    if count > MOST_ELEMENTS:
        raise NestingError(
            f"too many {noun}s: the limit is {MOST_ELEMENTS}, and no robot model needs more; "
            "split the file"
        )


def check_json_nesting(text: str) -> None:
    """Refuse a JSON text that is nested too deep; brackets inside of strings do not count.

    Raises:
        NestingError: No robot model is nested so deep.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    import re

    depth = count = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        mark = match[0][0]
        if mark in "[{":
            depth, count = depth + 1, count + 1
            check_nesting(depth, count, "list or object")
        elif mark in "]}":
            depth -= 1


def compose_yaml(text: str) -> Node | None:
    """Compose the nodes of a YAML document; aliases stay references to one node.

    Raises:
        NestingError: It is nested too deep, or has too many nodes.
        yaml.YAMLError: It is no YAML.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
        depth = count = 0

        def compose_node(self, parent: Node | None, index: object) -> Node | None:
            self.depth, self.count = self.depth + 1, self.count + 1
            check_nesting(self.depth, self.count, "node")
            node: Node | None = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return yaml.compose(text, Loader)
