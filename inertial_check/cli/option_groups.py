"""Options objects made of the arguments of the command line, one for each group of options.

A group of arguments that is declared with argument_default=SUPPRESS leaves out what is not on the
command line, so that the defaults of the options object hold and are not stated twice.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Group = TypeVar("Group", bound="DataclassInstance")
"""Options object, a dataclass."""

Readers = Mapping[str, Callable[[Any], object]]  # Any: a text or a list of texts, by the option
"""Functions that read the texts of options, by the names of the options."""


def read_texts(args: argparse.Namespace, readers: Readers) -> None:
    """Replace the texts of options that are given by their values.

    Raises:
        UsageError: A text of another form.
    """
    for name, read in readers.items():
        if hasattr(args, name):
            setattr(args, name, read(getattr(args, name)))


def read_group(group: type[Group], args: argparse.Namespace, **given: object) -> Group:
    """Make an options object of the arguments that are named like its fields.

    Args:
        group: Class of the options object.
        args: Arguments of the command line.
        given: Values of fields that are not read from the arguments.
    """
    names = [field.name for field in fields(group) if field.name not in given]
    return group(**{name: getattr(args, name) for name in names if hasattr(args, name)}, **given)
