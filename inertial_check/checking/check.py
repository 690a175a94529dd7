"""The check of documents: read, judge, apply the rules, report."""

from __future__ import annotations

import os
from collections.abc import Sequence
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
from inertial_check.selecting.suppressions import apply_exemptions, sort_findings
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
    settings = (settings or Settings()).validate()
    if isinstance(model_or_path, Model):
        model = model_or_path
    else:
        model = load(model_or_path, context=settings.context)
    file = _apply_rules(model, judge(model, settings.tolerance), settings)
    return Report((file,), notes=file.notes)


class ReportContent(NamedTuple):
    """The optional parts of a report; each takes as long to compute as all rules together.

    Attributes:
        predictions: The models whose bodies have predictions of what engines do with them: all
            models, models with a finding, or none.
        causes: Whether findings have their probable causes.
    """

    predictions: Literal["all", "findings", "none"] = "all"
    causes: bool = True


FULL_CONTENT = ReportContent()
"""Content of a report with every optional part, as Python callers get it."""


class Document(NamedTuple):
    """A document to check, with the settings that hold for it.

    Attributes:
        path: Its path, as the report shows it.
        named: Whether the caller named it, so that a document that is no model is a failure.
        settings: Its validated settings; one object for all documents of one configuration.
        data: Its bytes; None for the content of the file at the path.
    """

    path: str
    named: bool
    settings: Settings
    data: bytes | None = None


class DocumentResult(NamedTuple):
    """The result of checking one document.

    Attributes:
        path: Path of the document.
        file: The report; None if there is nothing to report about it.
        failure: Why it could not be checked.
        note: Why it was skipped.
        lookups: Absolute paths of all other files and folders that the result depends on; None if
            they do not determine the result, or were not recorded.
    """

    path: str
    file: FileReport | None = None
    failure: str | None = None
    note: str | None = None
    lookups: tuple[str, ...] | None = None


def check_documents(
    documents: Sequence[Document], content: ReportContent = FULL_CONTENT
) -> list[DocumentResult]:
    """Judge documents, the bodies of all models together.

    Args:
        documents: The documents to check.
        content: The optional parts of the report.

    Returns:
        One result per document, in their order.
    """
    results: list[DocumentResult | None] = [None] * len(documents)
    lookups = [Lookups() for _ in documents]
    # Settings hold mappings and cannot be hashed: documents are grouped by the identity of theirs.
    groups: dict[int, list[tuple[int, Model]]] = {}
    for at, document in enumerate(documents):
        with record_lookups(lookups[at]):
            read = _read(document)
        if isinstance(read, Model):
            groups.setdefault(id(document.settings), []).append((at, read))
        else:
            results[at] = read
    for group in groups.values():
        tolerance = documents[group[0][0]].settings.tolerance
        judged = judge_all([model for _, model in group], tolerance)
        for (at, model), judgements in zip(group, judged, strict=True):
            with record_lookups(lookups[at]):
                report = _apply_rules(model, judgements, documents[at].settings, content)
            results[at] = DocumentResult(documents[at].path, report)
    return [
        result._replace(lookups=tuple(sorted(seen.paths)) if seen.complete else None)
        for result, seen in zip(results, lookups, strict=True)
        if result is not None
    ]


def _read(document: Document) -> Model | DocumentResult:
    """Read the model of a document, or say why the document is not checked."""
    path, named, settings, data = document
    try:
        model = load(path if data is None else data, path=path, context=settings.context)
    except NotAModelError as error:
        message = str(error)
        return (
            DocumentResult(path, failure=message) if named else DocumentResult(path, note=message)
        )
    except DocumentError as error:
        return _refuse(document, error)
    return model if named or not is_fragment(model) else DocumentResult(path)


def _apply_rules(
    model: Model,
    judgements: Sequence[Judgement],
    settings: Settings,
    content: ReportContent = FULL_CONTENT,
) -> FileReport:
    """Report the findings of all rules on a judged model."""
    examination = examine(model, judgements, settings)
    rules = settings.rules()
    findings = [
        finding
        for rule in rules
        for finding in rule(model, settings.severity(rule)).findings(examination)
    ]
    explicable = {rule.code for rule in rules if rule.explained}
    if content.causes and any(finding.code in explicable for finding in findings):
        from inertial_check.causes import explain  # a sound model does not need this import

        findings = explain(examination, findings, explicable)
    predicted = content.predictions == "all" or (content.predictions == "findings" and findings)
    bodies = tuple(
        BodyReport(body.name, body.id, place.line, judgement, place.path, predictions)
        for body, judgement, predictions in zip(
            model.bodies,
            judgements,
            examination.predictions if predicted else repeat({}, len(model.bodies)),
            strict=True,
        )
        for place in (model.place(body.span),)
    )
    counting, suppressed = sort_findings(findings, model, settings)
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
    """Collect what rules and causes examine: the model, its judgements, and evidence on demand."""
    reader = partial(read_geometry, model, settings.context)
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
    """Whether a template has no body of its own, so that folder searches skip it."""
    return model.format == "xacro" and not model.bodies


def give_up(document: Document, reason: str) -> DocumentResult:
    """The result for a document that cannot be checked at all, with the reason."""
    return _refuse(document, DocumentError(document.path, reason))


def _refuse(document: Document, error: DocumentError) -> DocumentResult:
    """The result for a document whose model cannot be read; a failure if the caller named it."""
    failure = str(error) if document.named else None
    return DocumentResult(
        document.path, report_unreadable(error, document.settings, document.named), failure
    )


def report_unreadable(error: DocumentError, settings: Settings, named: bool) -> FileReport:
    """Report a document that cannot be read.

    A template found in a folder may be meant to be included by other files, which pass its
    arguments; that it does not expand alone is reported by its own rule.
    """
    skipped = isinstance(error, NotExpandedError) and not named
    rule = UnresolvedReference if skipped else UnreadableDocument
    findings: tuple[Finding, ...] = ()
    if rule in settings.rules():
        line, column = error.line or 1, error.column or 1
        findings = (rule.on_document(error.reason, Place(line, column, line, column)),)
    return FileReport(error.path, None, None, (), *apply_exemptions(findings, error.path, settings))


def _reading_order(finding: Finding) -> tuple[str, int, int, str]:
    place = finding.place
    return place.path or "", place.line, place.column, finding.code
