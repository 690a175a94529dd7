"""Decorators that turn an error of a wrong argument into a ParameterError that names it.

Right calls pay nothing, and NumPy is not imported: the explanation, argument_errors.py, is loaded
after a failure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


def explain_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: a wrong type or shape of an argument raises a ParameterError of its own.

    The error names the argument as the caller wrote it, its value and what was expected. Errors
    that no argument explains go through unchanged.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            from inertial_check.arrays.argument_errors import explain  # only after a failure

            explained = explain(function, args, kwargs, error)
            if explained is None:
                raise
            raise explained from error

    return call


def explain_constructor_errors(cls: C) -> C:
    """Decorate a class: its constructor raises a ParameterError for a wrong argument."""
    cls.__init__ = explain_errors(cls.__init__)  # type: ignore[misc]  # the same signature
    return cls
