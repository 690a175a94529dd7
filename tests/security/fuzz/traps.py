"""Targets that fail on purpose, so that tests can show that the fuzzer notices."""

import sys
from collections.abc import Callable
from time import sleep

import numpy as np

from fuzz.cases import SECRET
from inertial_check.errors import UsageError


def _compute_for_ever() -> None:
    while True:
        pass


def _wait_for_ever() -> None:
    while True:
        sleep(1)


def _take_memory() -> None:
    bytearray(1 << 31)


def _overflow() -> None:
    np.array([1e308]) * 10


def _raise_undocumented() -> None:
    raise KeyError("a name")


def _show_secret() -> None:
    raise UsageError(f"line 1: {SECRET}")


def _print_traceback() -> None:
    print("Traceback (most recent call last):", file=sys.stderr)


def _end() -> None:
    sys.exit(3)


TRAPS: dict[str, Callable[[], None]] = {
    "endless": _compute_for_ever,
    "waiting": _wait_for_ever,
    "memory": _take_memory,
    "warning": _overflow,
    "undocumented": _raise_undocumented,
    "secret": _show_secret,
    "stderr": _print_traceback,
    "exit": _end,
}
"""The traps, by the name of the target."""
