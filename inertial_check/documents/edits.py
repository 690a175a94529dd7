"""Insertion of missing inertial numbers: what the formats share.

A format that can insert has a function `insert` in its package. It gives edits after which the
document states placeholders for numbers that it did not state. Whoever asks for them then replaces
the placeholders by the body's numbers, in the same way as numbers that were written before.
"""

from __future__ import annotations

from inertial_check.documents.model import ENTRIES
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
