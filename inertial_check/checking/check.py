"""The check of documents: read, judge, apply the rules, report.

The facts behind findings: a robot that is in ten files has each of its mistakes once.

The guilty numbers: which of the entries that a finding is about are probably wrong.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from inertial_check.checking.engines.usd import judge_file
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.limits import MOST_EXPLAINED, MOST_TRIED
from inertial_check.checking.report import (
    PROVABLE,
    Account,
    BodyReport,
    FileReport,
    Finding,
    MarkedLine,
    Prediction,
    Report,
    Values,
    locate_entries,
    mark_numbers,
    name_all_numbers,
)
from inertial_check.checking.rules.base import Rule
from inertial_check.checking.rules.document import UnreadableDocument, UnresolvedReference
from inertial_check.checking.rules.engines import EngineChangesBody, EngineWarns
from inertial_check.checking.rules.numbers import (
    NegativePrincipalMoment,
    TriangleInequalityViolation,
)
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes.evidence import read_geometry
from inertial_check.checking.suppressions import SortedFindings, apply_exemptions, sort_findings
from inertial_check.documents.children import (
    TimeBudget,
    TimeLimitReached,
    limit_expansions,
    limit_times,
    raise_defects,
    run_within,
)
from inertial_check.documents.context import Lookups, note_other_inputs, record_lookups
from inertial_check.documents.files.access import remember_folders
from inertial_check.documents.inertials import CountedFile, count_bytes, count_model
from inertial_check.documents.load import load
from inertial_check.documents.model import ENTRIES, Body, Judgement, Model, judge, judge_all
from inertial_check.documents.source import Place, Source
from inertial_check.errors import (
    DefectError,
    DocumentError,
    ExpansionLimitError,
    NotAModelError,
    NotExpandedError,
    UsageError,
    expect,
)
from inertial_check.inertia.arrays import quiet

if TYPE_CHECKING:
    from inertial_check.checking.evidence.elsewhere import Elsewhere

T = TypeVar("T")

Prescriber = Callable[[Examination, Sequence[Finding], Settings], Sequence[Finding]]
"""Function that gives the findings on an examined model their remedies."""

Predictions = Sequence[Mapping[str, Prediction]]
"""The predictions of engines for each body of a model, by the name of the engine."""

_TOP = Place(1, 1, 1, 1)
"""Place of a finding on a whole document."""


class ReportContent(NamedTuple):
    """The optional parts of a report; each takes as long to compute as all rules together.

    Attributes:
        predictions: What is predicted of engines: all that they do with the bodies of all models;
            that for models with a finding, or with a provable one; or nothing.
        causes: Whether findings have their probable causes.
        marks: Whether findings have the line with their guilty numbers marked, with causes alone.
        quotes: Whether findings quote the document: an excerpt, the numbers of the body as written,
            and the entries with their places.
        remedies: Whether findings have their remedies, if the caller has a function that makes
            them.
    """

    predictions: Literal["all", "findings", "provable", "none"] = "all"
    causes: bool = True
    marks: bool = True
    quotes: bool = True
    remedies: bool = False


FULL_CONTENT = ReportContent()
"""Content of a report with every optional part, as Python callers get it."""

FINDINGS_ONLY = ReportContent(causes=False)
"""Content of a report without any optional part."""


@quiet
def check_model(
    model_or_path: Model | str | os.PathLike[str] | bytes,
    settings: Settings | None = None,
    content: ReportContent = FULL_CONTENT,
    prescribe: Prescriber | None = None,
) -> Report:
    """Judge every body of one model.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        settings: Which rules run and how severe they are; None for the defaults.
        content: The optional parts of the report.
        prescribe: Makes the remedies; None to leave them out.

    Returns:
        A report with one file.

    Raises:
        DocumentError: The document cannot be read; names line and column.
        UsageError: The settings name an unknown rule, or expect numbers of a body that the
            model does not have.

    Example:
        >>> report = ic.check_model("data/arm.urdf")
        >>> print([finding.code for finding in report.findings])
        ['IC301', 'IC301', 'IC305', 'IC103']
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect(Settings, "nothing", settings=settings)
    expect(ReportContent, content=content)
    settings = (settings or Settings()).validate()
    if isinstance(model_or_path, Model):
        model = model_or_path
        if model.macros and model.whole is model:
            model = replace(model, bodies=model.bodies[: -len(model.macros)])
    else:
        model = load(model_or_path, context=settings.context)
    with raise_defects(model.source.path):
        judgements = judge(model, settings.tolerance)
    examination = examine(model, judgements, settings)
    file, _ = _examine_model(examination, settings, content, prescribe)
    if settings.expected:
        from inertial_check.checking.expected import find_unmatched

        bodies = ((file.path, (body.name, body.id)) for body in file.bodies)
        if problems := find_unmatched(settings.expected, bodies):
            raise UsageError(problems[0])
    return Report((file,), notes=file.notes, account=Account.of(count_model(model)))


def examine(model: Model, judgements: Sequence[Judgement], settings: Settings) -> Examination:
    """Collect what rules and causes examine: the model, its judgements, and evidence on demand.

    Args:
        model: As read.
        judgements: One a body.
        settings: Those of the document.
    """

    def predict_engines() -> Predictions:
        from inertial_check.checking.engines.catalogue import predict  # few checks ask for it

        return predict(model, judgements)

    def read_elsewhere() -> Elsewhere:
        from inertial_check.checking.evidence.elsewhere import Elsewhere  # only causes ask for it

        return Elsewhere(model, settings.context, settings.history)

    reader = partial(read_geometry, model, settings.context)
    return Examination(
        model,
        judgements,
        read_geometry=reader if settings.geometry == "auto" else None,
        predict=predict_engines,
        read_elsewhere=read_elsewhere,
        engines=settings.engines,
        expected_mass=settings.expected_mass,
        expected=settings.expected,
        strictness=settings.strictness,
    )


def _examine_model(
    examination: Examination,
    settings: Settings,
    content: ReportContent,
    prescribe: Prescriber | None = None,
) -> tuple[FileReport, list[str]]:
    """Check a judged model: find, explain, mark, predict, apply suppressions, report.

    Returns:
        The report, and the rules that failed, which are findings. What fails after the rules does
        not change the verdict and becomes a note.
    """
    model, judgements, rules = examination.model, examination.judgements, settings.rules()
    path = model.source.path
    failed, later = _Defects(path), _Defects(path)
    findings = _find(examination, rules, settings, content, failed, later)
    bodies, judged = [*model.bodies], [*judgements]
    unjudged = {each.span for each in model.unjudged}
    partly = {
        body.id
        for body in model.bodies
        if body.span in unjudged or (body.inertial is not None and body.inertial.how == "part")
    }
    findings = [
        each for each in findings if each.body_id not in partly or each.code.startswith("IC0")
    ]
    if model.macros:
        apart, judgements = _find_in_macros(model.macros, model, settings, content, failed, later)
        findings += apart
        bodies += model.macros
        judged += judgements
    defects = failed.describe()
    if UnreadableDocument in rules:
        findings += [UnreadableDocument.on_document(reason, _TOP) for reason in defects]
    predictions: Predictions = [{}] * len(model.bodies)
    families = {"findings": ("IC",), "provable": PROVABLE}.get(content.predictions, ())
    if content.predictions == "all" or any(each.code.startswith(families) for each in findings):
        what = "predicting what engines do"
        predictions = later.attempt(what, predictions, lambda: examination.predictions)
    predictions = [*predictions, *({} for _ in bodies[len(predictions) :])]
    found = SortedFindings(tuple(findings), ())
    what = "applying its suppressions"
    found = later.attempt(what, found, lambda: sort_findings(findings, model, settings))
    if prescribe is not None and any(each.fix or _is_told(each) for each in found.counting):
        arguments = examination, found.counting, settings
        what = "finding remedies"
        remedied = later.attempt(what, found.counting, lambda: tuple(prescribe(*arguments)))
        found = found._replace(counting=remedied)
    reports = tuple(
        BodyReport(
            body.name,
            body.id,
            source.line(body.span.start),
            judgement,
            source.path if body.span.file else None,
            predicted,
            {s.name: s.state for s in body.spellings if not s.prim and ":" in s.name},
        )
        for body, judgement, predicted in zip(bodies, judged, predictions, strict=True)
        for source in (model.source_of(body.span),)
    )
    counting, suppressed = (
        tuple(sorted(each, key=lambda one: (one.place.path or "", *one.place[:2], one.code)))
        for each in found
    )
    notes = (*examination.notes, *(f"{path}: {line}" for line in later.describe()))
    explicable = {rule.code for rule in rules if rule.explained}
    told = len({each.body_id for each in findings if each.code in explicable})
    if content.causes and told > MOST_EXPLAINED:
        some = "no remedies" if len(model.bodies) > MOST_TRIED else "remedies"
        what = f"probable causes of {MOST_EXPLAINED} of {told} bodies with findings, and {some},"
        notes += (f"{path}: {what} were looked for: the document has too many",)
    validators = judge_file(model, predictions[: len(model.bodies)])
    report = FileReport(
        path, model.format, model.name, reports, counting, suppressed, notes, validators
    )
    return report, defects


def _find_in_macros(
    macros: tuple[Body, ...],
    model: Model,
    settings: Settings,
    content: ReportContent,
    failed: _Defects,
    later: _Defects,
) -> tuple[list[Finding], Sequence[Judgement]]:
    """The findings on the macros of a model, each alone, and their judgements.

    They are no part of the robot, whose other rules compare its bodies.
    """
    apart = replace(model, bodies=macros, macros=(), problems=(), loops=(), frames=())
    judgements = judge(apart, settings.tolerance)
    known = replace(settings, geometry="off", expected_mass=None, expected=())
    rules = [rule for rule in settings.rules() if rule.code.startswith(_ALONE)]
    needed = {body.id: body.inertial.needs for body in macros if body.inertial}
    findings = []
    for each in _find(examine(apart, judgements, known), rules, settings, content, failed, later):
        needs = needed.get(each.body_id or "", "")
        if not needs:
            findings.append(each)
        elif each.code in _PARTLY:
            message = f"{each.message}; these are the numbers where 1 stands for {needs}"
            findings.append(each._replace(message=message, fix=None, causes=(), needs=needs))
    return findings, judgements


def _is_told(finding: Finding) -> bool:
    """Whether the first cause of a finding tells numbers, so that it may have a remedy."""
    return bool(finding.causes) and finding.causes[0].edit is not None


def recheck(
    examination: Examination, model: Model, judgements: Sequence[Judgement], settings: Settings
) -> Sequence[Finding]:
    """The findings on numbers, without causes, of an examined model whose bodies have others.

    Its shapes are not read again, and findings on the form of bodies that have not changed are left
    out.

    Args:
        examination: The model as it is.
        model: The same model with other numbers; bodies beyond those examined are its macros.
        judgements: Those of its bodies.
        settings: Those of the document.
    """
    own = len(examination.judgements)
    macros, model = model.bodies[own:], replace(model, bodies=model.bodies[:own], macros=())
    judgements = judgements[:own]
    again = replace(examine(model, judgements, settings), before=examination)
    findings: list[Finding] = []
    for rule in settings.rules():
        if not rule.code.startswith(_UNCHANGED):
            findings += rule(model, settings.severity(rule), False).findings(again)
    again.release()
    if macros:
        defects, plain = _Defects(model.source.path), FINDINGS_ONLY._replace(quotes=False)
        found, _ = _find_in_macros(macros, model, settings, plain, defects, defects)
        findings += found
    return sort_findings(findings, model, settings).counting


_UNCHANGED = ("IC0", "IC9")
"""Beginnings of the codes of rules that see no numbers."""


_ALONE = ("IC1", "IC3", "IC4", "IC004")
"""Beginnings of the codes of rules about the numbers of one body alone."""

_PARTLY = ("IC101", "IC104", "IC301", "IC302")
"""Codes of findings that no unknown number of a body can undo."""


def _find(
    examination: Examination,
    rules: Sequence[type[Rule]],
    settings: Settings,
    content: ReportContent,
    failed: _Defects,
    later: _Defects,
) -> list[Finding]:
    """Find what the rules say of bodies, and explain and mark it.

    Args:
        examination: The bodies.
        rules: Rules to apply.
        settings: Those of the document.
        content: The optional parts of the report.
        failed: Takes the rules that fail.
        later: Takes what fails after the rules.
    """
    model, attempt = examination.model, later.attempt
    findings: list[Finding] = []
    for rule in rules:
        applied = rule(model, settings.severity(rule), content.quotes)
        findings += failed.attempt(f"rule {rule.code}", [], _apply_rule, applied, examination)
    explicable = {rule.code for rule in rules if rule.explained}
    if content.causes and any(finding.code in explicable for finding in findings):
        from inertial_check.checking.causes.ranking import explain  # few models need it

        what = "finding the probable causes"
        findings = attempt(what, findings, explain, examination, findings, explicable)
        from inertial_check.checking.remedies import tell_by_texts, tell_by_twins

        findings = attempt(what, findings, tell_by_twins, examination, findings)
        findings = attempt(what, findings, tell_by_texts, examination, findings)
    if content.quotes:
        findings = attempt("naming the guilty numbers", findings, narrow_entries, model, findings)
    if content.causes and content.marks:
        what = "marking the guilty numbers"
        findings = attempt(what, findings, mark_guilty_numbers, model, findings)
    what = "telling findings of one fact"
    return attempt(what, findings, identify_facts, findings, model, examination.judgements)


def _apply_rule(rule: Rule, examination: Examination) -> list[Finding]:
    return list(rule.findings(examination))


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
        witnesses: Absolute paths of the files and folders that were asked for causes alone.
        counted: Inertials of the document and of the files that it includes, and what became of
            each.
    """

    path: str
    file: FileReport | None = None
    failure: str | None = None
    note: str | None = None
    lookups: tuple[str, ...] | None = None
    witnesses: tuple[str, ...] = ()
    counted: tuple[CountedFile, ...] = ()


@quiet
def check_documents(
    documents: Sequence[Document],
    content: ReportContent = FULL_CONTENT,
    begin: Callable[[str], None] = lambda path: None,
    prescribe: Prescriber | None = None,
) -> list[DocumentResult]:
    """Judge documents, the bodies of all models together.

    A document on which the check fails, or for which it takes too long, becomes a finding of its
    own and changes nothing about the others.

    Args:
        documents: The documents to check.
        content: The optional parts of the report.
        begin: Called with the path before each step that is about one document; there are two for
            each document, and one for each configuration.
        prescribe: Makes the remedies; None to leave them out.

    Returns:
        One result per document, in their order.
    """
    with limit_times(), limit_expansions(), remember_folders():
        works = [_DocumentCheck(document, content, prescribe) for document in documents]
        # Settings hold mappings and cannot be hashed: documents are grouped by their identity.
        groups: dict[int, list[tuple[_DocumentCheck, Model]]] = {}
        for work in works:
            begin(work.document.path)
            model = work.read()
            if model is not None:
                groups.setdefault(id(work.document.settings), []).append((work, model))
        for group in groups.values():
            begin(group[0][0].document.path)
            judged = _judge_together(group)
            for at, (work, model) in enumerate(group):
                begin(work.document.path)
                work.report(model, None if judged is None else judged[at])
    return [work.result() for work in works]


def _judge_together(
    group: Sequence[tuple[_DocumentCheck, Model]],
) -> list[tuple[Judgement, ...]] | None:
    """Judge models in one batch; None if that fails, so that each has to be judged alone."""
    settings = group[0][0].document.settings
    models = [model for _, model in group]
    seconds = settings.context.granted.limits.seconds
    try:
        with raise_defects(models[0].source.path):
            return run_within(seconds, lambda: judge_all(models, settings.tolerance))
    except (DefectError, TimeLimitReached):
        return None


class _DocumentCheck:
    """The check of one document in its steps: read, judge, report.

    Args:
        document: The document.
        content: The optional parts of the report.
        prescribe: Makes the remedies; None to leave them out.
    """

    def __init__(
        self, document: Document, content: ReportContent, prescribe: Prescriber | None
    ) -> None:
        self.document = document
        self._content, self._prescribe = content, prescribe
        self._lookups = Lookups()
        self._budget = TimeBudget(document.settings.context.granted.limits.seconds)
        self._result = DocumentResult(document.path)
        self._counted: tuple[CountedFile, ...] = ()

    def read(self) -> Model | None:
        """Read the model; None if there is none to judge."""
        return self._step(self._read)

    def report(self, model: Model, judgements: Sequence[Judgement] | None) -> None:
        """Report on the model; judgements that are None are made when needed."""
        self._step(lambda: self._report(model, judgements))

    def result(self) -> DocumentResult:
        """The result, after all steps."""
        seen = self._lookups
        lookups = tuple(sorted(seen.paths)) if seen.complete else None
        witnesses = tuple(sorted(seen.witnesses))
        return self._result._replace(lookups=lookups, witnesses=witnesses)

    def _step(self, work: Callable[[], T]) -> T | None:
        """Carry out a step within the time that is left; None if it fails, with a finding."""
        path = self.document.path
        with record_lookups(self._lookups):
            try:
                with raise_defects(path):
                    return self._budget.spend(work)
            except DocumentError as error:
                if isinstance(error, DefectError):
                    note_other_inputs()  # its cause may be a lack of memory
                    error = DefectError(path, f"not checked: {error.reason}")
                self._result = _refuse(self.document, error)
            except TimeLimitReached:
                note_other_inputs()
                self._result = give_up(self.document, describe_lateness(self._budget.seconds))
        return None

    def _read(self) -> Model | None:
        path, named, settings, data = self.document
        try:
            model = load(path if data is None else data, path=path, context=settings.context)
        except NotAModelError as error:
            message = str(error)
            counted = _count(self.document, error.reason)
            failure, note = (message, None) if named else (None, message)
            self._result = DocumentResult(path, None, failure, note, counted=counted)
            return None
        self._counted = tuple(count_model(model))
        if is_fragment(model) and not named:
            self._result = DocumentResult(path, counted=self._counted)
            return None
        return model

    def _report(self, model: Model, judgements: Sequence[Judgement] | None) -> None:
        path, named, settings, _ = self.document
        if judgements is None:
            judgements = judge(model, settings.tolerance)
        examination = examine(model, judgements, settings)
        file, defects = _examine_model(examination, settings, self._content, self._prescribe)
        examination.release()
        if defects:
            note_other_inputs()
        failing = defects and (named or UnreadableDocument not in settings.rules())
        failure = f"{path}: {'; '.join(defects)}" if failing else None
        self._result = DocumentResult(path, file, failure, counted=self._counted)


def describe_lateness(seconds: float) -> str:
    """The reason of a finding on a document whose check was stopped by the time limit."""
    return f"not checked within {seconds:g} s, the limit for one document; --timeout raises it"


class _Defects:
    """Unexpected errors on one judged model, each kept apart from the rest of its report.

    Attributes:
        reasons: The parts of the check that failed, by the reason.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.reasons: dict[str, list[str]] = {}

    def attempt(self, part: str, otherwise: T, work: Callable[..., T], *arguments: object) -> T:
        """The result of a part of the check; `otherwise` if it fails."""
        try:
            with raise_defects(self._path):
                return work(*arguments)
        except DocumentError as error:
            self.reasons.setdefault(error.reason, []).append(part)
            return otherwise

    def describe(self) -> list[str]:
        """One line for each reason, with the parts that failed."""
        return [f"{' and '.join(parts)} failed: {why}" for why, parts in self.reasons.items()]


def is_fragment(model: Model) -> bool:
    """Whether a template has no body and nothing to report, so that folder searches skip it."""
    told = any(problem.kind in ("reference", "unread") for problem in model.problems)
    return model.format == "xacro" and not (model.bodies or model.macros or told)


def give_up(document: Document, reason: str) -> DocumentResult:
    """The result for a document that cannot be checked at all, with the reason."""
    return _refuse(document, DefectError(document.path, reason))


def _refuse(document: Document, error: DocumentError) -> DocumentResult:
    """The result for a document whose model cannot be read; a failure if the caller named it."""
    failing = document.named
    if isinstance(error, DefectError):
        # Nothing was checked although engines may load the file: without IC001 nobody would know.
        failing = failing or UnreadableDocument not in document.settings.rules()
    return DocumentResult(
        document.path,
        report_unreadable(error, document.settings, document.named),
        str(error) if failing else None,
        counted=_count(document, error.reason),
    )


def _count(document: Document, reason: str) -> tuple[CountedFile, ...]:
    """Count the inertials of a document that is not read, so that none of them is judged."""
    path, data = document.path, document.data
    try:
        if data is None:
            data = document.settings.context.of_document(path).granted.read(path)
        return (count_bytes(Source(path, data), reason),)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return ()


def report_unreadable(error: DocumentError, settings: Settings, named: bool) -> FileReport:
    """Report a document that cannot be read.

    A template found in a folder may be meant to be included by other files, which pass its
    arguments; that it does not expand alone is reported by its own rule.
    """
    expected = isinstance(error, NotExpandedError) and not isinstance(error, ExpansionLimitError)
    skipped = expected and not named
    rule = UnresolvedReference if skipped else UnreadableDocument
    findings: tuple[Finding, ...] = ()
    if rule in settings.rules():
        line, column = error.line or 1, error.column or 1
        findings = (rule.on_document(error.reason, Place(line, column, line, column)),)
    return FileReport(error.path, None, None, (), *apply_exemptions(findings, error.path, settings))


SURE = 0.5
"""Probability above which a cause is more probable than all others together."""

_INCONSISTENT = frozenset({TriangleInequalityViolation.code, NegativePrincipalMoment.code})
"""Codes whose findings say that no body has the tensor as it is written."""

_OF_ENGINES = frozenset({EngineChangesBody.code, EngineWarns.code})


def narrow_entries(model: Model, findings: Sequence[Finding]) -> list[Finding]:
    """Narrow the entries of findings on a model to those that are probably wrong.

    They are those that the first cause would change, if it is more probable than all others
    together. Otherwise mathematics decides: the one entry that alone, with the others as written,
    can make the tensor that of a body. Of 122 findings on tensors with a planted, provable defect
    52 % then name exactly the planted entries (26 % if all six are named), and 2 % none of them.

    Args:
        model: The model.
        findings: Findings with their causes.

    Returns:
        The same findings. One whose numbers cannot be told apart keeps all entries it is about; one
        on the whole model gets the entries of all its bodies, each with the id of its body.
    """
    bodies = {body.id: body for body in model.bodies} if findings else {}
    narrowed = list(findings)
    for at, finding in enumerate(findings):
        one = finding.body_id
        sure = bool(finding.causes) and finding.causes[0].confidence > SURE
        names = _list_edited_names(finding) if sure else {}
        if one is not None and not names and finding.code in _INCONSISTENT:
            written = {entry.name for entry in finding.entries}
            intervals = finding.values.get("admissible", {})
            alone = [each for each in ENTRIES if intervals.get(each) is not None]
            alone = [each for each in alone if each in written]
            names = {one: alone} if len(alone) == 1 else {}
        entries = tuple(
            entry
            for id_, chosen in names.items()
            for entry in locate_entries(model, bodies[id_], chosen, id_ if id_ != one else None)
        )
        narrowed[at] = finding._replace(entries=entries or finding.entries)
    # Give findings on engines the entries of the body's inconsistency, which engines object to.
    guilty = {each.body_id: each.entries for each in narrowed if each.code in _INCONSISTENT}
    return [
        each._replace(entries=guilty[each.body_id])
        if each.code in _OF_ENGINES and each.body_id in guilty
        else each
        for each in narrowed
    ]


def mark_guilty_numbers(model: Model, findings: Sequence[Finding]) -> list[Finding]:
    """Mark the numbers on which a reader has to look, for each finding on one or more bodies.

    They are those that the first cause would change, however probable it is; without such a cause
    those that the finding is about.
    """
    bodies = {body.id: body for body in model.bodies} if findings else {}
    marked = []
    for finding in findings:
        names = [(id_, [*chosen]) for id_, chosen in _list_edited_names(finding).items()]
        if finding.body_id is not None:
            own = [each.name for each in finding.entries if each.body_id is None]
            names.append((finding.body_id, own))
        others = {each.body_id: [each.name] for each in finding.entries if each.body_id is not None}
        names += others.items()
        lines = (_mark_body(model, bodies[id_], chosen) for id_, chosen in names if id_ in bodies)
        guilty = next((line for line in lines if line is not None), None)
        marked.append(finding if guilty is None else finding._replace(guilty=guilty))
    return marked


def _list_edited_names(finding: Finding) -> dict[str, Collection[str]]:
    """The names of the numbers that the first cause would change, by the ids of their bodies."""
    edit: Values = (finding.causes[0].edit or {}) if finding.causes else {}
    if finding.body_ids:
        edits = edit.get("bodies") or {}
        pairs = zip(finding.body_ids, finding.bodies, strict=True)
        found = {id_: edits.get(name) or edits.get(id_) for id_, name in pairs}
        return {id_: each["entries"] for id_, each in found.items() if each}
    names = edit.get("entries")
    return {finding.body_id: names} if names and finding.body_id is not None else {}


def _mark_body(model: Model, body: Body, names: Collection[str]) -> MarkedLine | None:
    """The line with the first of these numbers of a body; None if none is written in text."""
    if body.inertial is None or not names:
        return None
    numbers = name_all_numbers(body.inertial)
    spans = [numbers[name].span for name in names if name in numbers]
    written = sorted(
        (span.file, span) for span in spans if span is not None and span.start < span.end
    )
    if not written:
        return None
    first = written[0][1]
    same = [span for file, span in written if file == first.file]
    return mark_numbers(model.source_of(first), same, model.place(first))


_LENGTH = 32
"""Number of hexadecimal digits of a fact: 128 bits."""


def identify_facts(
    findings: Sequence[Finding], model: Model, judgements: Sequence[Judgement]
) -> list[Finding]:
    """Give each finding the digest of its fact.

    Two findings of one rule are one fact where the bodies have the same mass, inertia and shapes,
    whatever their names, their places and their files. A finding on the document, or on a body
    without numbers, is a fact of its own, without a digest.
    """
    if not findings:
        return []
    known = {
        body.id: (body, judgement)
        for body, judgement in zip(model.bodies, judgements, strict=True)
        if isfinite(judgement.mass)
    }
    contents: dict[str, str] = {}  # a body often has several findings
    texts: dict[int, str] = {}

    def describe(id_: str) -> str:
        if id_ not in contents:
            contents[id_] = _describe_content(*known[id_], texts)
        return contents[id_]

    result = []
    for finding in findings:
        ids = finding.body_ids or (() if finding.body_id is None else (finding.body_id,))
        if ids and all(each in known for each in ids):
            content = (finding.code, *sorted(map(describe, ids)))
            digest = sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()
            finding = finding._replace(fact=digest[:_LENGTH])  # noqa: PLW2901 - the same, complete
        result.append(finding)
    return result


def _describe_content(body: Body, judgement: Judgement, texts: dict[int, str]) -> str:
    """The numbers and the shapes of a body; meshes by the names of their files, not of folders.

    Args:
        body: The body.
        judgement: Its numbers.
        texts: Of the objects of the model that were described before, by their identity. Readers
            share those of poses and scales; equal ones may differ in the sign of a zero.
    """

    def describe(numbers: object) -> str:
        if (key := id(numbers)) not in texts:
            texts[key] = repr(numbers)
        return texts[key]

    shapes = sorted(
        f"({shape.role!r}, {shape.kind!r}, {shape.dimensions!r}, "
        f"{posixpath.basename(shape.uri or '')!r}, {describe(shape.scale)}, "
        f"{describe(shape.p_BoGo_B)}, {describe(shape.R_BG)})"
        for shape in body.shapes
    )
    return repr((judgement.mass, judgement.I_BBcm_B, shapes))
