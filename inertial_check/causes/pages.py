"""The page of a cause, made from its class."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

from inertial_check.causes._base import Cause


def find(selector: str) -> type[Cause] | None:
    """The cause with this name, in any case; None where there is none."""
    from inertial_check.causes import ALL_CAUSES

    wanted = selector.strip().lower()
    return next((cause for cause in ALL_CAUSES if cause.name == wanted), None)


def summary(cause: type[Cause]) -> str:
    """What happened, in one sentence."""
    return " ".join(cleandoc(cause.__doc__ or "").partition("\n\n")[0].split())


def page(cause: type[Cause]) -> str:
    """The cause's page as Markdown."""
    rest = cleandoc(cause.__doc__ or "").partition("\n\n")[2]
    return f"# {cause.name}\n\n{summary(cause)}\n\n{rest.rstrip()}\n"


def as_dict(cause: type[Cause]) -> dict[str, Any]:
    """The cause for machines: name, summary and the page's sections."""
    rest = cleandoc(cause.__doc__ or "").partition("\n\n")[2]
    sections = [section.partition("\n") for section in rest.split("## ") if section]
    return {
        "cause": cause.name,
        "summary": summary(cause),
        "explanation": {heading.strip(): cleandoc(text) for heading, _, text in sections},
    }
