"""Sequences of items of a document that are read when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Deferred(Sequence[T]):
    """Items of a document that are read when they are first used.

    A check of the numbers never uses them, and reading them would take a tenth of its time.
    """

    __slots__ = ("_items", "_read")

    def __init__(self, read: Callable[[], tuple[T, ...]]) -> None:
        self._read: Callable[[], tuple[T, ...]] | None = read
        self._items: tuple[T, ...] = ()

    def _all(self) -> tuple[T, ...]:
        if self._read is not None:
            self._items = self._read()
            self._read = None  # releases the tree of the document, too
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """Return the item, or items, at an index."""
        return self._all()[index]

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        """Iterate over the items in document order."""
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        """Return whether the items are the same."""
        if isinstance(other, (Deferred, tuple)):
            return self._all() == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the tuple of items."""
        return hash(self._all())

    def __repr__(self) -> str:
        """Print the tuple of items."""
        return repr(self._all())

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        """Copy and pickle as a tuple: plain data, without the document."""
        return tuple, (self._all(),)
