"""Work on any number of items in their order, of which a bounded number is under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from inertial_check.running.pools import Promise

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def map_in_order(
    items: Iterable[Item], submit: Callable[[Item], Promise[Answer]], window: int
) -> Iterator[tuple[Item, list[Answer]]]:
    """Submit items, and give each with its answers, in their order.

    Items are taken only when there is room: of those that were submitted, at most `window` have not
    been given yet, whether or not their answers are there.

    Args:
        items: The items.
        submit: Starts the work on an item.
        window: Largest number of items under way.
    """
    pending: deque[tuple[Item, Promise[Answer]]] = deque()
    for item in items:
        if len(pending) >= window:
            first, promise = pending.popleft()
            yield first, promise.result()
        pending.append((item, submit(item)))
    while pending:
        first, promise = pending.popleft()
        yield first, promise.result()
