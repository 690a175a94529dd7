"""What a reader looks at besides the document that it is given: what its answer depends on.

Readers tell of every path that they open or ask for, whether or not there is anything. Nobody
listens unless the answer is to be remembered.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Lookups:
    """What was looked at.

    Attributes:
        paths: Absolute.
        complete: Nothing else plays a part, as an environment variable would.
    """

    paths: set[str] = field(default_factory=set)
    complete: bool = True


_listener: ContextVar[Lookups | None] = ContextVar("_listener", default=None)


@contextmanager
def record_lookups(lookups: Lookups) -> Iterator[None]:
    """Enter into `lookups` what readers look at meanwhile."""
    token = _listener.set(lookups)
    try:
        yield
    finally:
        _listener.reset(token)


def note_lookup(*paths: str) -> None:
    """Tell of files and folders, there or not; of a folder, because its names play a part."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.paths.update(map(os.path.abspath, paths))


def note_other_inputs() -> None:
    """Tell that files do not determine the answer."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.complete = False


def noting_lookups(exists: Callable[[str], bool]) -> Callable[[str], bool]:
    """A question whether something is there, which tells of what it asks for."""

    def exists_noted(path: str) -> bool:
        note_lookup(path)
        return exists(path)

    return exists_noted


def note_child_lookups(paths: Iterable[str], complete: bool) -> None:
    """Tell of what a child process has looked at."""
    note_lookup(*paths)
    if not complete:
        note_other_inputs()
