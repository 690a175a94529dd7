"""Time that all xacro files of one run may take together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inertial_check.files.access import Limits

_DOCUMENTS = 2.0
"""Time for all xacro files of a run divided by that for one document: 120 s and 60 s."""


class _TotalTime:
    """Time that the xacro files of a run have taken so far [s]."""

    def __init__(self) -> None:
        self.spent = 0.0


_total: ContextVar[_TotalTime | None] = ContextVar("_total", default=None)


@contextmanager
def limit_expansions() -> Iterator[None]:
    """Limit the time for all xacro files that this thread expands inside the context.

    Inside another such context this one changes nothing.
    """
    if _total.get() is not None:
        yield
        return
    token = _total.set(_TotalTime())
    try:
        yield
    finally:
        _total.reset(token)


@contextmanager
def renew_total() -> Iterator[None]:
    """Limit the time for the xacro files inside the context apart from those before it."""
    token = _total.set(_TotalTime())
    try:
        yield
    finally:
        _total.reset(token)


def reason_against_expanding(limits: Limits) -> str | None:
    """Say why no further file is expanded in this run; None if one may be."""
    total, most = _total.get(), limits.seconds * _DOCUMENTS
    if total is None or total.spent < most:
        return None
    return (
        f"not expanded: the xacro files of this run have taken {total.spent:.0f} s, and the limit "
        f"for all of them is {most:g} s; --timeout raises it"
    )


@contextmanager
def count_expansion() -> Iterator[None]:
    """Count the time spent inside the context."""
    start = time.monotonic()
    try:
        yield
    finally:
        if (total := _total.get()) is not None:
            total.spent += time.monotonic() - start
