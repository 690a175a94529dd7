"""Bytes in, report out: the whole check on one screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial

from inertial_check.causes import explained
from inertial_check.engines import predict
from inertial_check.errors import DocumentError, NotAModelError, NotExpandedError
from inertial_check.formats import Context, load
from inertial_check.model import (
    BodyReport,
    Examination,
    FileReport,
    Finding,
    Judgement,
    Model,
    Place,
    Report,
)
from inertial_check.pipeline.discovery import discover
from inertial_check.pipeline.evidence import read_geometry
from inertial_check.pipeline.judge import judge_all
from inertial_check.pipeline.settings import Settings
from inertial_check.rules import UnreadableDocument, UnresolvedReference

_TOGETHER = 64
"""Models that are read before they are judged, in one batch: more of them gain little."""


def check_model(
    model_or_path: Model | str | os.PathLike[str] | bytes, settings: Settings | None = None
) -> Report:
    """Judge every body of one model.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        settings: Which rules run and how severe they are; None for the defaults.

    Returns:
        A report with one file.

    Raises:
        DocumentError: The document cannot be read; names line and column.
        UsageError: The settings name an unknown rule.
    """
    settings = (settings or Settings()).validated()
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=settings.context)
    return Report(tuple(_checked([model], settings)))


def check_paths(
    paths: Sequence[str],
    settings: Settings,
    stdin: tuple[bytes, str] | None = None,
    progress: Callable[[float], None] = lambda part: None,
) -> Report:
    """Judge every model that the paths name or hold.

    Args:
        paths: Files, directories, globs; "-" stands for `stdin`.
        settings: Validated settings.
        stdin: Bytes and the name under which to report them.
        progress: Is told which part of the work is done, 0 to 1.
    """
    found = discover([path for path in paths if path != "-"])
    files: list[FileReport] = []
    failures, notes = list(found.failures), list(found.notes)
    documents: list[tuple[str, bool, bytes | None]] = [
        (file.path, file.named, None) for file in found.files
    ]
    if stdin is not None:
        documents.append((stdin[1], True, stdin[0]))
    ordered = sorted(documents, key=lambda document: document[0])
    for start in range(0, len(ordered), _TOGETHER):
        models: list[Model] = []
        for path, named, data in ordered[start : start + _TOGETHER]:
            try:
                model = _loaded(path, data, settings.context)
                if named or not is_fragment(model):
                    models.append(model)
            except NotAModelError as error:
                (failures if named else notes).append(str(error))
            except DocumentError as error:
                files.append(_unreadable(error, settings, named))
                if named:
                    failures.append(str(error))
        files += _checked(models, settings)
        progress(min(start + _TOGETHER, len(ordered)) / len(ordered))
    files.sort(key=lambda file: file.path)
    if not files and not failures and not settings.allow_empty:
        failures.append(f"nothing to check in {', '.join(paths)}; --allow-empty accepts that")
    return Report(tuple(files), tuple(failures), tuple(notes))


def _loaded(path: str, data: bytes | None, context: Context) -> Model:
    return load(path if data is None else data, path=path, context=context)


def _checked(models: Sequence[Model], settings: Settings) -> list[FileReport]:
    """The reports of several models, whose bodies are judged together."""
    judgements = judge_all(models, settings.tolerance)
    return [_checked_one(*each, settings) for each in zip(models, judgements, strict=True)]


def _checked_one(model: Model, judgements: Sequence[Judgement], settings: Settings) -> FileReport:
    examination = examine(model, judgements, settings)
    rules = settings.rules()
    findings = [
        finding
        for rule in rules
        for finding in rule(model, settings.severity(rule)).findings(examination)
    ]
    findings = explained(examination, findings, {rule.code for rule in rules if rule.explained})
    bodies = tuple(
        BodyReport(body.name, body.id, place.line, judgement, place.path, predictions)
        for body, judgement, predictions in zip(
            model.bodies, judgements, examination.predictions, strict=True
        )
        for place in (model.place(body.span),)
    )
    ordered = tuple(sorted(findings, key=_reading_order))
    return FileReport(model.source.path, model.format, model.name, bodies, ordered)


def examine(model: Model, judgements: Sequence[Judgement], settings: Settings) -> Examination:
    """The model with its judgements, and what else rules and causes may ask for."""
    reader = partial(read_geometry, model, settings.context.packages)
    return Examination(
        model,
        judgements,
        read_geometry=reader if settings.geometry == "auto" else None,
        predict=partial(predict, model, judgements),
        engines=settings.engines,
        expected_mass=settings.expected_mass,
        strictness=settings.preset,
    )


def is_fragment(model: Model) -> bool:
    """Whether a template gives no body by itself: others include it, and a walk skips it."""
    return model.format == "xacro" and not model.bodies


def _unreadable(error: DocumentError, settings: Settings, named: bool) -> FileReport:
    """The report of a document that gave no model.

    A template that was met in a walk may be meant for others that give it its arguments.
    """
    skipped = isinstance(error, NotExpandedError) and not named
    rule = UnresolvedReference if skipped else UnreadableDocument
    findings: tuple[Finding, ...] = ()
    if rule in settings.rules():
        line, column = error.line or 1, error.column or 1
        findings = (rule.on_document(error.reason, Place(line, column, line, column)),)
    return FileReport(error.path, None, None, (), findings)


def _reading_order(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.path or "", place.line, place.column, finding.code
