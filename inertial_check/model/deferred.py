"""What a document says beside its numbers, read from it when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Deferred(Sequence[T]):
    """Some items of a document, read when they are first looked at.

    A check of the numbers never looks at them, and reading them would cost it a tenth of its time.
    """

    __slots__ = ("_items", "_read")

    def __init__(self, read: Callable[[], tuple[T, ...]]) -> None:
        self._read: Callable[[], tuple[T, ...]] | None = read
        self._items: tuple[T, ...] = ()

    def _all(self) -> tuple[T, ...]:
        if self._read is not None:
            self._items = self._read()
            self._read = None  # and with it the tree of the document
        return self._items

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """The item, or items, at an index."""
        return self._all()[index]

    def __len__(self) -> int:
        """How many there are."""
        return len(self._all())

    def __iter__(self) -> Iterator[T]:
        """Over the items in document order."""
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        """Whether these are the same items, read or not."""
        if isinstance(other, (Deferred, tuple)):
            return self._all() == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        """That of the tuple."""
        return hash(self._all())

    def __repr__(self) -> str:
        """As the tuple."""
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are tuples: plain data, without the document."""
        return tuple, (self._all(),)
