"""What a reader says of a document that is not as XML asks: a refusal, or mendings with places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

MOST_PLACES = 10
"""How many places of one kind of mending are told; a broken document has millions."""


_LONGEST = 300


def _cut(message: str) -> str:
    """A message of bounded length: names in a document are not."""
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


ENTITY_REASON = (
    "entity declarations are refused: they can fetch files and expand without bound, and robot "
    "engines do not read them; write the text itself"
)


class Unreadable(Exception):
    """A document that cannot be read; where, as a character of its text."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = _cut(reason)
        self.at = at


class Complaint(NamedTuple):
    """One mending: what was mended and the way out; where, as characters of the text."""

    message: str
    start: int
    end: int


class Complaints:
    """The first mendings of each kind."""

    def __init__(self) -> None:
        self._kinds: dict[str, list[Complaint]] = {}
        self._full: set[str] = set()

    def add(self, kind: str, message: str, start: int, end: int) -> bool:
        """Note a mending; False where enough of its kind are known."""
        known = self._kinds.setdefault(kind, [])
        if len(known) < MOST_PLACES:
            known.append(Complaint(_cut(message), start, end))
            return True
        if kind not in self._full:
            self._full.add(kind)
            last = known.pop()
            known.append(last._replace(message=f"{last.message} (and more of this kind)"))
        return False

    def __iter__(self) -> Iterator[Complaint]:
        """All of them in the order of their places."""
        every = (complaint for known in self._kinds.values() for complaint in known)
        return iter(sorted(every, key=lambda complaint: complaint.start))

    def __len__(self) -> int:
        """Number of complaints of all kinds."""
        return sum(len(known) for known in self._kinds.values())
