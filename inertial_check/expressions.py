"""Regular expressions that are compiled when they are first used.

Compiling one takes longer than reading most of the numbers of a small document, and of the eighty
that a check knows it uses thirty. `compile_later` stands for `re.compile` where a module is loaded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    compile_later = re.compile
else:

    class compile_later:
        """A regular expression; the methods of its pattern become its attributes at first use."""

        def __init__(self, *arguments: Any) -> None:  # noqa: ANN401 - those of re.compile
            self._arguments = arguments

        def __getattr__(self, name: str) -> object:
            """Compile the expression, of which no attribute has been asked for yet."""
            pattern = re.compile(*self._arguments)
            for each in ("match", "fullmatch", "search", "sub", "split", "finditer", "findall"):
                self.__dict__[each] = getattr(pattern, each)
            return getattr(pattern, name)
