"""Signals that ask the command to end: it cleans up first, and prints no traceback."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from inertial_check.isolation import Termination, ignore_swallowed_interruptions

if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # what `signal` turns into enumerations, a hundredth of the start

_PATIENCE = 2.0
"""Time for cleaning up in which further signals are ignored [s]; a later one ends at once."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_NUMBERS: Final = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))

_first: list[float] = []
"""When the first signal came [s]; empty before."""


def handle_signals() -> None:
    """Have signals raise an exception in the main thread; those that are ignored stay so."""
    ignore_swallowed_interruptions()
    for number in _NUMBERS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _raise)


def ignore_signals() -> None:
    """Ignore signals while the process ends, which takes no longer than a second."""
    for number in _NUMBERS:
        signal.signal(number, signal.SIG_IGN)


def _raise(number: int, _: object) -> None:
    now = time.monotonic()
    if _first and now - _first[0] < _PATIENCE:
        return
    if _first:
        os._exit(128 + number)
    _first.append(now)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise Termination(number)
