"""Pages of rules and causes, made from the docstrings of their classes."""

from __future__ import annotations

from inspect import cleandoc
from typing import NamedTuple


class Page(NamedTuple):
    """The docstring of a rule or a cause, taken apart.

    Attributes:
        summary: The first sentence.
        body: Everything after it, as Markdown.
    """

    summary: str
    body: str

    @property
    def sections(self) -> dict[str, str]:
        """The text of each section, by its heading."""
        parts = [part.partition("\n") for part in self.body.split("## ") if part]
        return {heading.strip(): cleandoc(text) for heading, _, text in parts}


def read_page(documented: type) -> Page:
    """Take the docstring of a rule or a cause apart."""
    summary, _, body = cleandoc(documented.__doc__ or "").partition("\n\n")
    return Page(" ".join(summary.split()), body)
