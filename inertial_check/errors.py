"""Every error this package raises on purpose; all descend from InertialCheckError."""

from __future__ import annotations


class InertialCheckError(Exception):
    """Base of all errors of this package: catch it to catch them all."""


class ParameterError(InertialCheckError, ValueError):
    """An argument that is no inertial parameter; names the value, the expected, the index."""


class ProjectionError(InertialCheckError):
    """A projection problem without a certified answer.

    Attributes:
        instance: What was being solved, enough to solve it again.
    """

    def __init__(self, message: str, instance: object = None) -> None:
        super().__init__(message)
        self.instance = instance


class DocumentError(InertialCheckError):
    """A document that cannot be read.

    Attributes:
        path: The document, as the caller named it.
        reason: What is wrong, without the place.
        line: 1-based line, or None where no place is known.
        column: 1-based column in code points, or None.
    """

    def __init__(
        self, path: str, reason: str, line: int | None = None, column: int | None = None
    ) -> None:
        place = path if line is None else f"{path}:{line}:{column}"
        super().__init__(f"{place}: {reason}")
        self.path = path
        self.reason = reason
        self.line = line
        self.column = column


class NotAModelError(DocumentError):
    """A readable document that is no robot model of a known format."""


class MissingExtraError(NotAModelError):
    """A document of a format that is read by a library which is not installed; says how to."""


class NotExpandedError(DocumentError):
    """A template, as xacro's, that does not expand to a model.

    An argument or a package is missing, an expression fails, or it takes too long.
    """


class UsageError(InertialCheckError):
    """A command or an option that cannot be carried out as asked."""
