"""Parsing of the usual command lines of `check`, without argparse.

To load argparse and its translations, and to build a parser of fifty options with their help, takes
half as long as to check a small file. So a command line is parsed here first, by the declarations
that argparse gets as well; help, errors and whatever is unusual are left to argparse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import argparse

_UNDERSTOOD = frozenset(["action", "choices", "default", "help", "metavar", "type"])
"""Parts of the declaration of an option that are understood here."""


class _Declarations:
    """The declared arguments; it stands in place of a parser and of each of its groups.

    Attributes:
        defaults: Default of each argument, by its name.
        flags: Name and value of each option that takes no value, by its spelling.
        others: Name and declaration of each option that takes one value, by its spelling.
    """

    def __init__(self) -> None:
        self.defaults: dict[str, Any] = {}
        self.flags: dict[str, tuple[str, bool]] = {}
        self.others: dict[str, tuple[str, dict[str, Any]]] = {}

    def add_argument_group(self, title: str) -> _Declarations:
        """Begin a group, which only the help shows."""
        return self

    def add_argument(self, *spellings: str, **declared: Any) -> None:  # noqa: ANN401 - as argparse
        """Declare the paths, or an option.

        Raises:
            NotImplementedError: The declaration has parts that only argparse understands.
        """
        if spellings == ("paths",):
            self.defaults["paths"] = []
            return
        if not _UNDERSTOOD.issuperset(declared):
            raise NotImplementedError(f"{spellings}: declared with more than is understood here")
        name = spellings[-1].lstrip("-").replace("-", "_")
        action = declared.get("action", "store")
        if action == "help":
            return
        self.defaults[name] = declared.get("default", False if action == "store_true" else None)
        for spelling in spellings:
            if action in ("store_true", "on_or_off"):
                self.flags[spelling] = name, True
            else:
                self.others[spelling] = name, declared
        if action == "on_or_off":
            self.flags[f"--no-{name.replace('_', '-')}"] = name, False


def parse_plainly(
    declare: Sequence[Callable[[argparse.ArgumentParser], None]], argv: Sequence[str]
) -> argparse.Namespace | None:
    """Parse a command line of options, their values and paths.

    Args:
        declare: Functions that declare the arguments of the command.
        argv: The command line.

    Returns:
        The values that argparse would give; None where it might complain or print something, or
        where its rules about words that begin with "-" are needed.
    """
    declarations = _Declarations()
    for each in declare:
        each(cast("argparse.ArgumentParser", declarations))
    values = dict(declarations.defaults)
    words = iter(argv)
    for word in words:
        if word[:1] != "-" or word == "-":
            values["paths"] = [*values["paths"], word]
        elif word in declarations.flags:
            name, value = declarations.flags[word]
            values[name] = value
        else:
            spelling, _, text = word.partition("=")
            if spelling not in declarations.others:
                return None
            name, declared = declarations.others[spelling]
            text = text or next(words, "-")
            if text[:1] == "-" or word[-1:] == "=":
                return None
            try:
                values[name] = _read(text, declared, values[name])
            except Exception:  # argparse says what is wrong with the value
                return None
    return cast("argparse.Namespace", SimpleNamespace(**values))


def _read(text: str, declared: dict[str, Any], before: Any) -> object:  # noqa: ANN401 - any value
    """Convert the text of an option, and add it to the values before if the option collects them.

    Raises:
        ValueError: The value is none of the choices.
    """
    value = declared["type"](text) if "type" in declared else text
    if "choices" in declared and value not in declared["choices"]:
        raise ValueError(text)
    if declared.get("action") == "append":
        return [*(before or []), value]
    if declared.get("action") == "extend":
        return [*(before or []), *value]
    return value
