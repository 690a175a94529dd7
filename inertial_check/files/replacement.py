"""A file that is written in pieces and replaced whole, or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from abc import ABC, abstractmethod
from contextlib import suppress
from types import TracebackType
from typing import BinaryIO, Self

from inertial_check.errors import UsageError
from inertial_check.files import writing

_PIECE = 2**20


class Target(ABC):
    """Where to write, and from where to read it again before it counts; a context manager.

    Attributes:
        stream: Open in between.
    """

    stream: BinaryIO

    @abstractmethod
    def __enter__(self) -> Self:
        """Open the stream."""

    @abstractmethod
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it, and leave nothing of it."""


class Replacement(Target):
    """What a file shall hold, written beside it: `.NAME.inertial-check-*.tmp`.

    A context manager: unless `commit` was called, leaving it removes what was written, and the
    target is as it was. Permissions, owner and links as in `writing.replace_file`.

    Args:
        path: The target; need not exist.
        read: The target as it was opened for reading, if it must not have changed since then.
    """

    def __init__(self, path: str, read: BinaryIO | None = None) -> None:
        self.path, self._target = path, os.path.realpath(path)
        self._expected = None if read is None else fingerprint(read)
        self._temporary: str | None = None
        self._before: os.stat_result | None = None

    def __enter__(self) -> Self:
        """Open the temporary file.

        Raises:
            UsageError: The target is read-only or no regular file, or its folder takes no files.
        """
        try:
            self._before = writing.status_of(self.path, self._target)
            descriptor, self._temporary = writing.open_beside(self._target, self._before)
            self.stream = open(descriptor, "w+b")
        except OSError as error:
            raise self._failure(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what was not committed."""
        with suppress(OSError):  # what could not be written cannot be flushed either
            self.stream.close()
        if self._temporary is not None:
            with suppress(OSError):
                os.unlink(self._temporary)
        if isinstance(error, OSError):
            raise self._failure(error) from error

    def commit(self) -> None:
        """Put what was written in the target's place.

        Raises:
            UsageError: The target has changed since it was read, or cannot be replaced.
        """
        if self._temporary is None:
            return
        try:
            self.stream.flush()
            os.fsync(self.stream.fileno())
            if self._before is not None:
                writing.take_rights(self._temporary, self._before)
            if self._expected is not None and self._now() != self._expected:
                raise UsageError(
                    f"{self.path}: not written: the file has changed since it was read; run again"
                )
            self.stream.close()
            os.replace(self._temporary, self._target)
        except OSError as error:
            raise self._failure(error) from error
        self._temporary = None
        writing.flush_folder(os.path.dirname(self._target))

    def _now(self) -> bytes | None:
        try:
            with open(self._target, "rb") as stream:
                return fingerprint(stream)
        except FileNotFoundError:
            return None

    def _failure(self, error: OSError) -> UsageError:
        reason = error.strerror or type(error).__name__
        return UsageError(f"{self.path}: cannot be written: {reason}; nothing was changed")


class Unnamed(Target):
    """For what has no name, as standard output: the caller sends it on."""

    def __enter__(self) -> Self:
        """Open a temporary file without a name."""
        self.stream = tempfile.TemporaryFile()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it back."""
        with suppress(OSError):
            self.stream.close()
        if isinstance(error, OSError):
            reason = error.strerror or type(error).__name__
            where = tempfile.gettempdir()
            raise UsageError(
                f"no room to work in {where}: {reason}; nothing was written"
            ) from error


def fingerprint(stream: BinaryIO) -> bytes:
    """A digest of a whole file; the stream is left at its beginning."""
    digest = hashlib.blake2b()
    stream.seek(0)
    while piece := stream.read(_PIECE):
        digest.update(piece)
    stream.seek(0)
    return digest.digest()
