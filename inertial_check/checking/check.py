"""Bytes in, report out: the whole check on one screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Literal, NamedTuple

from inertial_check.engines import predict
from inertial_check.errors import DocumentError, NotAModelError, NotExpandedError
from inertial_check.evidence import Examination
from inertial_check.formats import load
from inertial_check.formats.lookups import Lookups, record_lookups
from inertial_check.geometry.evidence import read_geometry
from inertial_check.model import BodyReport, FileReport, Finding, Judgement, Model, Place, Report
from inertial_check.model.judging import judge, judge_all
from inertial_check.rules import UnreadableDocument, UnresolvedReference
from inertial_check.selecting.suppressions import exempted, sort
from inertial_check.settings.settings import Settings


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
    file = _checked(model, judge(model, settings.tolerance), settings)
    return Report((file,), notes=file.notes)


class Extent(NamedTuple):
    """What a report says besides findings and judgements; either takes as long as all rules.

    Attributes:
        predictions: Of which bodies it says what engines do with them: of all, of those of models
            with a finding, of none.
        causes: Whether findings have their probable causes.
    """

    predictions: Literal["all", "findings", "none"] = "all"
    causes: bool = True


EVERYTHING = Extent()
"""What a caller of Python gets."""


class Document(NamedTuple):
    """A document to check.

    Attributes:
        path: As it is called in the report.
        named: The caller named it, so that not being a model is a failure.
        data: What is in it; None for what lies under the path.
    """

    path: str
    named: bool
    data: bytes | None = None


class Outcome(NamedTuple):
    """What came of a document.

    Attributes:
        path: Of the document.
        file: The report; None where there is nothing to report of it.
        failure: Why the job could not be done.
        note: Why it was skipped.
        lookups: Absolute paths of what was looked at besides; None where that does not tell all
            that the outcome depends on, or was not recorded.
    """

    path: str
    file: FileReport | None = None
    failure: str | None = None
    note: str | None = None
    lookups: tuple[str, ...] | None = None


def check_documents(
    documents: Sequence[Document],
    settings_of: Callable[[str], Settings],
    extent: Extent = EVERYTHING,
) -> list[Outcome]:
    """Judge documents, the bodies of all models together.

    Args:
        documents: What to check.
        settings_of: Validated settings of the document at a path, one object for all that share
            them.
        extent: What is wanted besides findings and judgements.

    Returns:
        One outcome a document, in their order.
    """
    outcomes: list[Outcome | None] = [None] * len(documents)
    lookups = [Lookups() for _ in documents]
    groups: dict[int, tuple[Settings, list[int], list[Model]]] = {}
    for at, document in enumerate(documents):
        settings = settings_of(document.path)
        with record_lookups(lookups[at]):
            read = _read(document, settings)
        if isinstance(read, Model):
            _, places, models = groups.setdefault(id(settings), (settings, [], []))
            places.append(at)
            models.append(read)
        else:
            outcomes[at] = read
    for settings, places, models in groups.values():
        for at, model, judgements in zip(
            places, models, judge_all(models, settings.tolerance), strict=True
        ):
            with record_lookups(lookups[at]):
                report = _checked(model, judgements, settings, extent)
            outcomes[at] = Outcome(documents[at].path, report)
    return [
        outcome._replace(lookups=tuple(sorted(seen.paths)) if seen.complete else None)
        for outcome, seen in zip(outcomes, lookups, strict=True)
        if outcome is not None
    ]


def _read(document: Document, settings: Settings) -> Model | Outcome:
    """The model that a document holds, or why none of it is checked."""
    path, named, data = document
    try:
        model = load(path if data is None else data, path=path, context=settings.context)
    except NotAModelError as error:
        said = str(error)
        return Outcome(path, failure=said) if named else Outcome(path, note=said)
    except DocumentError as error:
        failure = str(error) if named else None
        return Outcome(path, refused(error, settings, named), failure)
    return model if named or not is_fragment(model) else Outcome(path)


def _checked(
    model: Model,
    judgements: Sequence[Judgement],
    settings: Settings,
    extent: Extent = EVERYTHING,
) -> FileReport:
    examination = examine(model, judgements, settings)
    rules = settings.rules()
    findings = [
        finding
        for rule in rules
        for finding in rule(model, settings.severity(rule)).findings(examination)
    ]
    explicable = {rule.code for rule in rules if rule.explained}
    if extent.causes and any(finding.code in explicable for finding in findings):
        from inertial_check.causes import explain  # a sound model needs none of it

        findings = explain(examination, findings, explicable)
    foretold = extent.predictions == "all" or (extent.predictions == "findings" and findings)
    bodies = tuple(
        BodyReport(body.name, body.id, place.line, judgement, place.path, predictions)
        for body, judgement, predictions in zip(
            model.bodies,
            judgements,
            examination.predictions if foretold else repeat({}, len(model.bodies)),
            strict=True,
        )
        for place in (model.place(body.span),)
    )
    counting, suppressed = sort(findings, model, settings)
    return FileReport(
        model.source.path,
        model.format,
        model.name,
        bodies,
        tuple(sorted(counting, key=_reading_order)),
        tuple(sorted(suppressed, key=_reading_order)),
        examination.notes,
    )


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
        strictness=settings.strictness,
    )


def is_fragment(model: Model) -> bool:
    """Whether a template gives no body by itself: others include it, and a walk skips it."""
    return model.format == "xacro" and not model.bodies


def unreadable(document: Document, settings: Settings, reason: str) -> Outcome:
    """The outcome where nothing can be said of a document, and why."""
    error = DocumentError(document.path, reason)
    failure = str(error) if document.named else None
    return Outcome(document.path, refused(error, settings, document.named), failure)


def refused(error: DocumentError, settings: Settings, named: bool) -> FileReport:
    """The report of a document that gave no model.

    A template that was met in a walk may be meant for others that give it its arguments.
    """
    skipped = isinstance(error, NotExpandedError) and not named
    rule = UnresolvedReference if skipped else UnreadableDocument
    findings: tuple[Finding, ...] = ()
    if rule in settings.rules():
        line, column = error.line or 1, error.column or 1
        findings = (rule.on_document(error.reason, Place(line, column, line, column)),)
    return FileReport(error.path, None, None, (), *exempted(findings, error.path, settings))


def _reading_order(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.path or "", place.line, place.column, finding.code
