"""Files of object stores (s3, gs, Azure) and of memory, read by fsspec."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from inertial_check.errors import UsageError
from inertial_check.remote.addresses import Address, hide_secrets
from inertial_check.remote.limits import Budget, RefusedError
from inertial_check.remote.web import MissingError

_PIECE = 1 << 20
"""Size of the pieces in which a file is read [bytes]."""


_LOGGERS = ("fsspec", "gcsfs", "s3fs", "adlfs")
"""Names of the loggers of libraries that read stores."""


class Store:
    """The store of an address.

    Args:
        address: The address.

    Attributes:
        path: Path of the address in the store.

    Raises:
        UsageError: fsspec, or the library that it needs for this store, is not installed.
    """

    def __init__(self, address: Address) -> None:
        try:
            from fsspec.core import url_to_fs

            with _report(address.base):
                self._files, self.path = url_to_fs(address.base)
        except ImportError as error:
            need = str(error) if "fsspec" not in str(error.name) else "fsspec is not installed"
            raise UsageError(
                f'{address.shown}: needs fsspec: pip install "inertial-check[cluster]", and the '
                f"library for {address.scheme}: {need}"
            ) from None
        self._base = address.base
        for logger in map(logging.getLogger, _LOGGERS):
            if not logger.handlers:  # then Python would print what they log, with tracebacks
                logger.addHandler(logging.NullHandler())

    def is_folder(self) -> bool:
        """Whether the address is a folder, or the beginning of the names of several files."""
        with _report(self._base):
            return bool(self._files.isdir(self.path))

    def list_files(self, budget: Budget) -> dict[str, int]:
        """The sizes of the files below the address, by their paths from there.

        Raises:
            RefusedError: They are too many.
        """
        found: dict[str, int] = {}
        with _report(self._base):
            for folder, _, files in self._files.walk(self.path, detail=True):
                for name, details in files.items():
                    budget.count_member()
                    _ = budget.seconds
                    inside = folder[len(self.path) :].strip("/")
                    found[f"{inside}/{name}".lstrip("/")] = int(details.get("size") or 0)
        return found

    def download(self, path: str, target: BinaryIO, budget: Budget) -> None:
        """Write a file of the store to a stream.

        Raises:
            MissingError: There is no such file.
            RefusedError: It is too large, or cannot be read.
        """
        with _report(self._base):
            try:
                budget.expect_size(int(self._files.size(path) or 0), path)
                stream: Any = self._files.open(path, "rb")
            except (FileNotFoundError, IsADirectoryError):
                raise MissingError from None
            with stream:
                size = 0
                while piece := stream.read(_PIECE):
                    size += len(piece)
                    budget.expect_size(size, path)
                    budget.spend(len(piece))
                    target.write(piece)


@contextmanager
def _report(base: str) -> Iterator[None]:
    """Turn what a library of a store raises into an error without its text, which may hold keys."""
    try:
        yield
    except (RefusedError, MissingError, ImportError, UsageError):
        raise
    except Exception as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
        kind = f"{type(error).__name__}{f', {reason}' if reason else ''}"
        raise RefusedError(f"{hide_secrets(base)} cannot be read: {kind}") from None
