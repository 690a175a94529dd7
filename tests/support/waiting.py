"""Waiting for events of other processes, however slow a loaded machine makes them."""

import time

GUARD = 120.0
"""Time after which a test fails that waits for an event [s]; far longer than any event takes."""


def wait_until(condition):
    """Wait until a condition holds, and return its value."""
    deadline = time.monotonic() + GUARD
    while not (value := condition()):
        assert time.monotonic() < deadline, "the event has not come"
        time.sleep(0.01)
    return value
