"""Work of the language server in threads, which do not keep the process from ending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar, cast

from inertial_check.isolation import TimeLimitReached, describe_defect

T = TypeVar("T")


async def in_thread(work: Callable[[], T], seconds: float | None = None) -> T:
    """Run a function in a thread of its own.

    Args:
        work: The function.
        seconds: Time limit [s]; None for no limit.

    Raises:
        asyncio.TimeoutError: The time is used up. The thread is told to stop; it ends as soon as it
            leaves whatever library keeps it busy.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(cast(T, result))

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as failure:
            error = failure
        except BaseException as failure:  # which would otherwise end the thread without an answer
            error = RuntimeError(describe_defect(failure))
        with suppress(RuntimeError):  # the loop has been closed: nobody waits for the result
            loop.call_soon_threadsafe(settle, result, error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        return await asyncio.wait_for(future, seconds)
    except TimeoutError:
        _interrupt(thread)
        raise


def _interrupt(thread: Thread) -> None:
    """Raise an exception in a thread, as soon as it carries out Python code."""
    import ctypes  # only for a document that never ends

    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(TimeLimitReached)
        )
