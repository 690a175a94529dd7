"""The errors that this package raises; all are subclasses of InertialCheckError."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from numbers import Integral
from os import PathLike
from sys import maxsize
from typing import Any

LONGEST_REASON = 2000
"""Largest length of a reason [characters]: a document of one huge name must not fill a log."""

_LONGEST_PATH = 400
"""Largest length of a path in a message [characters]."""

_MOST_LINES = 5
"""Largest number of lines of a reason: the answer of a template or a library can have many."""


def shorten(reason: str) -> str:
    """Leave out the middle of a text that is longer than LONGEST_REASON, and lines after five."""
    first, *rest = reason.split("\n", _MOST_LINES - 1)
    if rest and "\n" in rest[-1]:
        reason = "\n".join([first, *rest[:-1], rest[-1].split("\n", 1)[0] + " ..."])
    if len(reason) <= LONGEST_REASON:
        return reason
    part = LONGEST_REASON // 2
    return f"{reason[:part]}... ({len(reason) - 2 * part} characters left out) ...{reason[-part:]}"


class PicklableError(BaseException):
    """An exception that pickle and copy restore without calling its constructor.

    Pickle calls the class with `args`, the message alone, which a constructor with more arguments
    refuses: a worker process would die of the error that it should report.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Name the class, the message and the attributes."""
        return _restore_error, (type(self), self.args, self.__dict__.copy())


def _restore_error(
    kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]
) -> BaseException:
    """Restore an exception of a pickle, with its message and attributes."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InertialCheckError(PicklableError, Exception):
    """Base class of all errors of this package."""


class ParameterError(InertialCheckError, ValueError):
    """Invalid inertial parameters; the message has the value, the expected value and the index."""


class RowIndexError(ParameterError, IndexError):
    """An index that names no row of a batch; an IndexError too, as loops over rows expect."""


class ProjectionError(InertialCheckError):
    """A projection without a certified result.

    Attributes:
        instance: The problem, with everything needed to solve it again.
    """

    def __init__(self, message: str, instance: object = None) -> None:
        super().__init__(message)
        self.instance = instance


class DocumentError(InertialCheckError):
    """A document that cannot be read.

    Attributes:
        path: Path of the document, as the caller wrote it.
        reason: The error without its place; of a very long one, which quotes a name or a number of
            the document, the middle is left out.
        line: 1-based line; None if no place is known.
        column: 1-based column in code points, or None.
    """

    def __init__(
        self, path: str, reason: str, line: int | None = None, column: int | None = None
    ) -> None:
        place = path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}..."
        place = place if line is None else f"{place}:{line}:{column}"
        reason = shorten(reason)
        super().__init__(f"{place}: {reason}")
        self.path = path
        self.reason = reason
        self.line = line
        self.column = column


class NotAModelError(DocumentError):
    """A readable document that is no robot model of a known format."""


class MissingExtraError(NotAModelError):
    """A document whose reader is not installed; the message has the command that installs it."""


class NotExpandedError(DocumentError):
    """A template, such as xacro, that does not expand to a model.

    An argument or a package is missing, or an expression fails.
    """


class ExpansionLimitError(NotExpandedError):
    """A template whose expansion needs more time or memory than it may take.

    A template that is meant to be included by others may be one that does not expand alone, but
    none needs so much: in a folder, too, it is a document that cannot be read.
    """


class DefectError(DocumentError):
    """A document on which this program fails unexpectedly: a defect that should be reported."""


class UsageError(InertialCheckError):
    """A wrong command, option or configuration."""


_LONGEST_VALUE = 60
"""Largest length of a value in a message [characters]; a longer one is named by type and shape."""


def expect(*kinds: str | type, **values: object) -> None:
    """Refuse arguments of a wrong type, by the names that the caller wrote.

    Args:
        *kinds: What each value may be: classes, and names of number (also NaN, no truth value),
            whole (a whole number), flag, text, texts (a list or set), list (no text, mapping, set
            or iterator), mapping, path, function, nothing (None).
        **values: Arguments by name.

    Raises:
        ParameterError: Naming the argument, its value and what was expected.
    """
    for name, value in values.items():
        for kind in kinds:  # a loop, as every public function begins with it
            if _KINDS[kind][1](value) if isinstance(kind, str) else isinstance(value, kind):
                break
        else:
            words = [_KINDS[each][0] if isinstance(each, str) else each.__name__ for each in kinds]
            raise ParameterError(f"{name} is {show_value(value)}, expected {' or '.join(words)}")


def refuse_text(value: object, expected: str) -> None:
    """Refuse the text of a document where its path is expected, in one line however long it is.

    Raises:
        UsageError: The value is such a text.
    """
    if isinstance(value, str) and value.lstrip()[:1] == "<":
        raise UsageError(
            f"this is the text of a document ({len(value)} characters), expected {expected}"
        )


def _is_number(value: Any) -> bool:  # noqa: ANN401 - whatever a caller passes
    """Decide whether a value is one real number; NaN is, a truth value is none."""
    if isinstance(value, (str, bytes)) or _is_flag(value) or hasattr(value, "filled"):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False
    return True


def _is_flag(value: object) -> bool:
    """Decide whether a value is a truth value of Python or NumPy, without importing NumPy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def _is_list(value: object) -> bool:
    """Decide whether a value can be read more than once, in order, and is no text."""
    refused = isinstance(value, (str, bytes, Mapping, Set, Iterator)) or hasattr(value, "filled")
    return isinstance(value, Iterable) and not refused


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "number": ("a number", _is_number),
    "whole": (
        "a whole number",
        lambda value: (
            isinstance(value, Integral)
            and not _is_flag(value)
            and -maxsize <= int(value) <= maxsize
        ),
    ),
    "flag": ("True or False", _is_flag),
    "text": ("a text", lambda value: isinstance(value, str)),
    "texts": (
        "a list of texts",
        lambda value: (
            (isinstance(value, (list, tuple, Set)) or _is_list(value))
            and all(isinstance(each, str) for each in value)
        ),
    ),
    "list": ("a list", _is_list),
    "mapping": ("a mapping", lambda value: isinstance(value, Mapping)),
    "path": ("a path", lambda value: isinstance(value, (str, PathLike))),
    "function": ("a function", callable),
    "nothing": ("None", lambda value: value is None),
}
"""What `expect` calls a kind of argument in a message, and how it knows one."""


def show_value(value: object) -> str:
    """Show a value on one line, or its type and shape where it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a foreign object that cannot show itself
        text = ""
    if text and len(text) <= _LONGEST_VALUE:
        return text
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of shape {shape}" if shape is not None else "")
