"""Places of the damping, friction and armature of joints in a document: what the formats share.

A format that can state them has a function `set_joint` in its package. It gives the edits after
which the document states given numbers. Whoever asks for them reads the new document and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inertial_check.documents.edits import NotInsertable
from inertial_check.documents.model import Model
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.source import Edit
from inertial_check.documents.xml.insertion import XmlInserter
from inertial_check.documents.xml.markup import Element

JOINT_NUMBERS = ("damping", "friction", "armature")
"""Names of the numbers of a joint's dynamics, as fields of model.Joint."""

_EXPRESSION = "${"
"""Beginning of an expression of a template."""


@dataclass(frozen=True)
class JointEdits:
    """Edits that give a joint its numbers.

    Attributes:
        edits: The edits, of the document or of those that it includes.
        left: Numbers for which the format has no place, and the reason.
    """

    edits: tuple[Edit, ...]
    left: Mapping[str, str] = field(default_factory=dict)


def find_element(
    model: Model, file: int, what: str, accept: Callable[[Sequence[Element]], bool]
) -> XmlInserter | None:
    """Find the one element of a document that a function accepts; None if there is none.

    Args:
        model: The model.
        file: Number of the document.
        what: What the element is, for the message.
        accept: Decides by the path of elements from the root to the element.

    Raises:
        NotInsertable: There are several.
    """
    root = XmlInserter.at_root(model, file)
    found = [path for path in _walk(root.element) if accept(path)]
    if len(found) > 1:
        raise NotInsertable(f"{what} is written {len(found)} times in one document")
    inserter = root
    for element in found[0][1:] if found else ():
        inserter = inserter.inside(element)
    return inserter if found else None


def _walk(root: Element) -> Iterator[tuple[Element, ...]]:
    """Visit the path of every element, without recursion."""
    pending: list[tuple[Element, ...]] = [(root,)]
    while pending:
        path = pending.pop()
        yield path
        pending += [(*path, child) for child in reversed(path[-1].children)]


def print_changes(written: Mapping[str, str], wanted: Mapping[str, float]) -> dict[str, str]:
    """Print the numbers that differ from what is written, with all their digits.

    Args:
        written: Texts by name.
        wanted: Numbers by the same names.

    Raises:
        NotInsertable: What is written is an expression of a template.
    """
    changes = {}
    for name, value in wanted.items():
        text = written.get(name, "").strip()
        if text and parse_number(text)[0] == value:
            continue
        if _EXPRESSION in text:
            raise NotInsertable(f"its {name} is the expression {text}")
        changes[name] = repr(value)
    return changes
