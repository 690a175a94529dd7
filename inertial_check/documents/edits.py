"""Insertion of missing inertial numbers: what the formats share.

A format that can insert has a function `insert` in its package. It gives edits after which the
document states placeholders for numbers that it did not state. Whoever asks for them then replaces
the placeholders by the body's numbers, in the same way as numbers that were written before.

A format that can state the damping, friction and armature of joints has a function `set_joint`. It
gives the edits after which the document states given numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inertial_check.documents.model import ENTRIES
from inertial_check.documents.numbers import parse_number
from inertial_check.documents.source import Edit
from inertial_check.errors import PicklableError

CENTER = ("x", "y", "z")
"""Names of the three numbers of a centre of mass, which are stated together."""

MOMENTS = ("ixx", "iyy", "izz")
"""Entries on the diagonal of a rotational inertia."""

PRODUCTS = tuple(entry for entry in ENTRIES if entry not in MOMENTS)
"""Entries beside the diagonal of a rotational inertia."""

ZERO_VECTOR = "0 0 0"
"""Placeholder of three numbers."""

_LONGEST_COMMENT = 500
"""Most characters of a comment that is inserted beside the numbers; more would bury them."""


class NotInsertable(PicklableError, Exception):
    """Reason why a document cannot be given the numbers of a body.

    Attributes:
        reason: One sentence for a reader, without a full stop.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def make_comment_line(comment: str) -> str:
    """Make one line of a comment: without control characters, and cut where it is long."""
    words = "".join(c if c.isprintable() else " " for c in comment).split()
    return " ".join(words)[:_LONGEST_COMMENT].rstrip()


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
