"""The page of a cause, made from its class."""

from __future__ import annotations

from inertial_check.causes._base import Cause
from inertial_check.causes.catalogue import ALL_CAUSES
from inertial_check.evidence.pages import read_page


def find(selector: str) -> type[Cause] | None:
    """Find the cause with this name, in any case; None where there is none."""
    wanted = selector.strip().lower()
    return next((cause for cause in ALL_CAUSES if cause.name == wanted), None)


def summary(cause: type[Cause]) -> str:
    """The summary of what happened, in one sentence."""
    return read_page(cause).summary


def page(cause: type[Cause]) -> str:
    """The page of the cause as Markdown."""
    text = read_page(cause)
    return f"# {cause.name}\n\n{text.summary}\n\n{text.body.rstrip()}\n"


def as_dict(cause: type[Cause]) -> dict[str, str | dict[str, str]]:
    """The cause as JSON: name, summary and the sections of its page."""
    text = read_page(cause)
    return {"cause": cause.name, "summary": text.summary, "explanation": text.sections}
