"""Complaints about a document that is not well-formed XML: repairs with places, or a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inertial_check.errors import PicklableError

_MOST_PLACES = 10
"""Largest number of places reported for one kind of repair; a broken document may have millions."""

_LONGEST = 300
"""Largest number of characters of a complaint, which may quote names of any length."""


def _cut(message: str) -> str:
    """Cut a message to its largest length."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


ENTITY_REASON = (
    "entity declarations are refused: they can fetch files and expand without bound, and robot "
    "engines do not read them; write the text itself"
)

MISPLACED_DECLARATION = (
    "the XML declaration does not stand at the very start, which some engines refuse: move it there"
)


class Unreadable(PicklableError, Exception):
    """A document that cannot be read.

    Attributes:
        reason: Why not.
        at: Index of the character where reading fails.
    """

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = _cut(reason)
        self.at = at


class TooLarge(Unreadable):
    """A document that is nested too deep or has too many elements, for every reader."""


class Complaint(NamedTuple):
    """A repair that reading needed, and the characters of the text to which it applies."""

    message: str
    start: int
    end: int


class Complaints:
    """The first repairs of each kind."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[Complaint]] = {}
        self._full: set[str] = set()

    def add(self, kind: str, message: str, start: int, end: int) -> bool:
        """Add a repair; return False if its kind has been reported often enough."""
        known = self._kinds.setdefault(kind, [])
        if len(known) < _MOST_PLACES:
            known.append(Complaint(_cut(message), start, end))
            return True
        if kind not in self._full:
            self._full.add(kind)
            last = known.pop()
            known.append(last._replace(message=f"{last.message} (and more of this kind)"))
        return False

    def __iter__(self) -> Iterator[Complaint]:
        """Iterate over all repairs in the order of their places."""
        every = (complaint for known in self._kinds.values() for complaint in known)
        return iter(sorted(every, key=lambda complaint: complaint.start))

    def __len__(self) -> int:
        """Return the number of complaints of all kinds."""
        return sum(len(known) for known in self._kinds.values())
