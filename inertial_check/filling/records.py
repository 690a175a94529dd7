"""Fillings as plain records, for JSON: every number with its interval."""

from __future__ import annotations

from inertial_check.files.json import Json
from inertial_check.filling.result import FilledBody, Filling
from inertial_check.inertia.representations import six
from inertial_check.model import ENTRIES


def describe_filling(filling: Filling, written: str | None = None) -> dict[str, Json]:
    """Describe a filling for JSON.

    Args:
        filling: The filling.
        written: The path that it was written to; None if it was not.
    """
    certificate = filling.certificate
    return {
        "path": filling.fix.source.path,
        "format": filling.fix.format,
        "changed": filling.changed,
        "complete": filling.complete,
        "written": written,
        "certificate": None
        if certificate is None
        else {name: float(value) for name, value in certificate._asdict().items()},
        "notes": list(filling.notes),
        "bodies": [describe_body(body) for body in filling.bodies],
    }


def describe_body(body: FilledBody) -> dict[str, Json]:
    """Describe one body for JSON."""
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "status": body.status,
        "reason": body.reason,
        "source": body.source or None,
        "density": body.density,
        "guess": body.guess,
        "remarks": list(body.remarks),
        "new": _describe_numbers(body),
        "interval": _describe_interval(body),
        "interval_exact": None if body.interval is None else body.interval.exact,
    }


def _describe_numbers(body: FilledBody) -> dict[str, Json] | None:
    if body.parameters is None:
        return None
    numbers: dict[str, Json] = {"mass": float(body.parameters.mass)}
    numbers["com"] = [float(value) for value in body.parameters.com]
    entries = six(body.parameters.inertia_com)
    numbers |= {name: float(value) for name, value in zip(ENTRIES, entries, strict=True)}
    return numbers


def _describe_interval(body: FilledBody) -> dict[str, Json] | None:
    if body.interval is None:
        return None
    found: dict[str, Json] = {"mass": body.interval.mass.tolist()}
    found["com"] = body.interval.com.T.tolist()
    for at, name in enumerate(ENTRIES):
        found[name] = body.interval.inertia[:, at].tolist()
    return found
