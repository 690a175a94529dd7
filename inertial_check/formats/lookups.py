"""Record of the files on which the result of reading a document depends, for the cache.

Readers note every path that they open or test, whether or not it exists. The notes are dropped
unless the caller records them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inertial_check.files.folders import make_absolute


class Lookups:
    """Files on which a result depends.

    Attributes:
        paths: Absolute paths of files and folders that were opened or tested.
        complete: Whether the result depends on nothing else, such as an environment variable.
    """

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.complete = True


_listener: ContextVar[Lookups | None] = ContextVar("_listener", default=None)


@contextmanager
def record_lookups(lookups: Lookups) -> Iterator[None]:
    """Record in `lookups` what readers open or test inside the context."""
    token = _listener.set(lookups)
    try:
        yield
    finally:
        _listener.reset(token)


def note_lookup(*paths: str) -> None:
    """Note files that were opened or tested, and folders whose lists of names were used."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.paths.update(map(make_absolute, paths))


def note_other_inputs() -> None:
    """Note that the result depends on something that is not a file."""
    lookups = _listener.get()
    if lookups is not None:
        lookups.complete = False


def note_child_lookups(paths: Iterable[str], complete: bool) -> None:
    """Note what a child process has opened or tested."""
    note_lookup(*paths)
    if not complete:
        note_other_inputs()
