"""Numbers into text in the style they had; bytes onto the disk whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from inertial_check.errors import UsageError

MOST_DIGITS = 17
"""Significant digits that tell every float64 from its neighbours."""

_TINY_EXPONENT, _HUGE_EXPONENT = -4, 16
"""Between these, repr writes no exponent; neither do we where the file shows no preference."""

_FIXED_REACH = 3
"""A number written without exponent stays so until it is this many decades smaller than it was."""

_NAME_BYTES = 200
"""Of the target's name in that of the temporary file; file systems end at 255."""


def significant_digits(text: str) -> int:
    """Digits of a decimal number from its first that is not zero; 0 for a zero."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(char for char in mantissa if char.isdigit()).lstrip("0"))


def formatted(value: float, digits: int, like: str) -> str:
    """A number with at most so many significant digits, in the style of another text.

    Zeros at the end are left out, but never below the digits that `like` shows; digits beyond those
    that name the float64 are never invented.

    Args:
        value: Finite.
        digits: Significant digits, 1 to MOST_DIGITS; raised to those of `like`.
        like: The text that this one replaces; its exponent form, or its lack of one, is kept.
    """
    if value == 0:
        return "0"
    fewest = min(max(significant_digits(like), 1), MOST_DIGITS)
    most = min(max(digits, fewest), MOST_DIGITS)
    shown = min(most, significant_digits(repr(value)))
    mantissa, _, exponent = f"{abs(value):.{shown - 1}e}".partition("e")
    figures = mantissa.replace(".", "").rstrip("0").ljust(fewest, "0")
    sign = "-" if value < 0 else ""
    if _wants_exponent(int(exponent), like):
        return sign + _scientific(figures, int(exponent), like)
    return sign + _fixed(figures, int(exponent))


def _wants_exponent(exponent: int, like: str) -> bool:
    if "e" in like.lower():
        return True
    lowest = _TINY_EXPONENT
    if significant_digits(like):
        written = int(f"{float(like):e}".partition("e")[2])
        lowest = min(written, _TINY_EXPONENT) - _FIXED_REACH
    return not lowest <= exponent < _HUGE_EXPONENT


def _scientific(figures: str, exponent: int, like: str) -> str:
    """Mantissa and exponent, with the letter, the plus sign and the width of `like`'s exponent."""
    letter = "E" if "E" in like else "e"
    shown = like.lower().partition("e")[2]
    width = len(shown.lstrip("+-")) or 2
    plus = "+" if "+" in shown or not shown else ""
    sign = "-" if exponent < 0 else plus
    point = "." if len(figures) > 1 else ""
    return f"{figures[0]}{point}{figures[1:]}{letter}{sign}{abs(exponent):0{width}d}"


def _fixed(figures: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    whole, part = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


def replace_file(path: str, data: bytes, expected: bytes | None = None) -> None:
    """Give a file new bytes, whole or not at all.

    A temporary file `.NAME.inertial-check-*.tmp` beside the target is written, flushed to the disk,
    read back, compared, and renamed over the target, which keeps its permissions and, where the
    system allows, its owner. A symbolic link stays; the file that it points to is replaced. Other
    hard links of the target keep the old bytes.

    Args:
        path: The target; need not exist unless `expected` is given.
        data: What it shall hold.
        expected: What it must still hold; None where that does not matter.

    Raises:
        UsageError: It cannot be written, is read-only, or no longer holds what was expected. The
            target is then as it was, and no temporary file is left.
    """
    target = os.path.realpath(path)
    try:
        before = _status(path, target)
        _expect(path, target, expected)
        temporary = _temporary(target, data, before)
        try:
            _expect(path, target, expected)
            os.replace(temporary, target)
        except BaseException:
            _discard(temporary)
            raise
        _flush_folder(os.path.dirname(target))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{path}: cannot be written: {reason}; nothing was changed") from error


def same_file(path: str, other: str) -> bool:
    """Whether both paths lead to one file that exists."""
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False


def _status(path: str, target: str) -> os.stat_result | None:
    """The target's status, None where there is no such file yet.

    Raises:
        UsageError: It is no regular file, or nobody may write it.
    """
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path}: cannot be written: it is no regular file")
    # Replacing a file needs no right to write it, so that must be asked; a superuser always has it.
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise UsageError(
            f"{path}: cannot be written: the file is read-only; "
            "make it writable, or name another file with -o"
        )
    return status


def _expect(path: str, target: str, expected: bytes | None) -> None:
    """Refuse a target that has changed since it was read.

    Raises:
        UsageError: It has.
    """
    if expected is None:
        return
    try:
        with open(target, "rb") as stream:
            unchanged = stream.read() == expected
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise UsageError(f"{path}: not written: the file has changed since it was read; run again")


def _temporary(target: str, data: bytes, before: os.stat_result | None) -> str:
    """A file beside the target that holds the data, on the disk, and has the target's rights."""
    folder, name = os.path.split(target)
    stem = os.fsdecode(os.fsencode(name)[:_NAME_BYTES])
    temporary = os.path.join(folder, f".{stem}.inertial-check-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # A new file gets what the process gives new files; one that replaces another, that one's mode.
    descriptor = os.open(temporary, flags, 0o666 if before is None else 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        if before is not None:
            _take_rights(temporary, before)
        with open(temporary, "rb") as stream:
            if stream.read() != data:
                raise OSError(0, "what was written does not read back the same")
    except BaseException:
        _discard(temporary)
        raise
    return temporary


def _take_rights(temporary: str, before: os.stat_result) -> None:
    """Give a file the owner, where the system allows it, and the mode of another."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _discard(temporary: str) -> None:
    with suppress(OSError):
        os.unlink(temporary)


def _flush_folder(folder: str) -> None:
    """Make the rename itself survive a loss of power, where the system can."""
    with suppress(OSError):  # Windows opens no folders; some file systems flush none
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
