"""Check of an open document, with what quick fixes and hovers need of it afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from inertial_check.checking.check import check_model, is_fragment, report_unreadable
from inertial_check.errors import DocumentError, MissingExtraError, NotAModelError, UsageError
from inertial_check.formats import FORMATS, load, sniff
from inertial_check.formats.lookups import Lookups, record_lookups
from inertial_check.formats.usd.constants import TEXT
from inertial_check.lsp.texts import Text
from inertial_check.model import Body, FileReport, Model, Place, Report
from inertial_check.selecting.baseline import Baseline
from inertial_check.settings.configuration import Configuration, Configurations
from inertial_check.settings.settings import Settings

_SUFFIXES = tuple(suffix for each in FORMATS.values() for suffix in each.SUFFIXES)
"""Suffixes of files that are checked as robot models whatever they contain."""


@dataclass(frozen=True)
class Document:
    """Open document at one moment.

    Attributes:
        uri: Name that the editor gives it.
        path: Absolute path of its file; a path of no file where it has none.
        text: Its text.
        version: Number that the editor gives this text.
    """

    uri: str
    path: str
    text: Text
    version: int | None = None


@dataclass(frozen=True)
class DocumentCheck:
    """Result of the check of an open document.

    Attributes:
        document: The document.
        overlay: Bytes of the other open documents, by path.
        settings: Settings of the check, which hold the overlay; None where nothing was checked.
        file: The report; None where the document is not a robot model, or is excluded.
        model: The model that was read; None where it could not be read.
        failure: Reason why nothing was checked, if the editor should show it.
        depends: Absolute paths of the files that the result depends on; None where unknown.
    """

    document: Document
    overlay: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    settings: Settings | None = None
    file: FileReport | None = None
    model: Model | None = field(default=None, repr=False)
    failure: str | None = None
    depends: frozenset[str] | None = frozenset()

    def concerns(self, path: str) -> bool:
        """Whether the result depends on another file."""
        return self.file is not None and (self.depends is None or path in self.depends)

    def text_of(self, path: str | None) -> Text | None:
        """The text of the document at a finding's path, as it was read; None if it is unknown."""
        return self.document.text if path is None else self._others.get(os.path.abspath(path))

    def path_of(self, place: Place) -> str:
        """The absolute path of the document in which a place is."""
        return self.document.path if place.path is None else os.path.abspath(place.path)

    @cached_property
    def bodies(self) -> Mapping[str, Body]:
        """The bodies of the model, by id."""
        return {body.id: body for body in (self.model.bodies if self.model is not None else ())}

    @cached_property
    def _others(self) -> Mapping[str, Text]:
        units = self.document.text.units
        sources = () if self.model is None else self.model.others
        return {
            os.path.abspath(source.path): Text(
                source.data[len(source.bom) :].decode(source.encoding, "replace"), units
            )
            for source in sources
        }


def check(
    document: Document, overlay: Mapping[str, bytes], configured: Callable[[], Configurations]
) -> DocumentCheck:
    """Check an open document as the command line would check its file in a walk.

    Args:
        document: The document.
        overlay: Bytes of the other open documents, by absolute path.
        configured: Reads the configurations, so that no change of one is missed.
    """
    path, data = document.path, document.text.data
    if not data.strip() or (sniff(data) is None and not path.lower().endswith(_SUFFIXES)):
        return DocumentCheck(document)
    try:
        configuration = configured().of(path)
        settings = configuration.settings
        if settings.excludes(path):
            return DocumentCheck(document)
        overlay = {other: each for other, each in overlay.items() if _is_usd(each) == _is_usd(data)}
        context = replace(settings.context, overlay=overlay)
        settings = replace(settings, context=context)
        return _remove_known_findings(
            _run_check(DocumentCheck(document, overlay, settings)), configuration
        )
    except UsageError as error:
        return DocumentCheck(document, failure=str(error))


def recheck(checked: DocumentCheck, texts: Mapping[str, Text]) -> FileReport | None:
    """The report of a check in which documents have other texts.

    Args:
        checked: The check.
        texts: New texts, by absolute path.
    """
    if checked.settings is None:
        return None
    document = checked.document
    overlay = dict(checked.overlay) | {path: text.data for path, text in texts.items()}
    overlay.pop(document.path, None)
    text = texts.get(document.path, document.text)
    context = replace(checked.settings.context, overlay=overlay)
    settings = replace(checked.settings, context=context)
    return _run_check(DocumentCheck(replace(document, text=text), overlay, settings)).file


def _is_usd(data: bytes) -> bool:
    """Whether a document is USD text; the USD library would try to read others, too."""
    return data.startswith(TEXT)


def _run_check(checked: DocumentCheck) -> DocumentCheck:
    settings = checked.settings or Settings()
    path, data = checked.document.path, checked.document.text.data
    lookups = Lookups()
    with record_lookups(lookups):
        try:
            model = load(data, path=path, context=settings.context)
        except MissingExtraError as error:
            return replace(checked, failure=error.reason)
        except NotAModelError:
            return checked
        except DocumentError as error:
            file = report_unreadable(error, settings, named=False)
            return replace(checked, file=file, depends=_find_dependencies(lookups))
        if is_fragment(model):
            return checked
        file = check_model(model, settings).files[0]
    others = {os.path.abspath(source.path) for source in model.others}
    depends = _find_dependencies(lookups)
    depends = None if depends is None else depends | others
    return replace(checked, file=file, model=model, depends=depends)


def _find_dependencies(lookups: Lookups) -> frozenset[str] | None:
    return frozenset(lookups.paths) if lookups.complete else None


def _remove_known_findings(checked: DocumentCheck, configuration: Configuration) -> DocumentCheck:
    """Remove the findings that the baseline of a check lists.

    Raises:
        UsageError: The baseline cannot be read.
    """
    path, file, settings = configuration["baseline"], checked.file, checked.settings
    if path is None or file is None or settings is None:
        return checked
    rules = {rule.code for rule in settings.rules()}
    known = _baseline(path, *_state(path)).apply(Report((file,)), lambda _: rules)
    depends = checked.depends
    depends = None if depends is None else depends | {os.path.abspath(path)}
    return replace(checked, file=known.report.files[0], depends=depends)


@lru_cache(maxsize=8)
def _baseline(path: str, changed: int, size: int) -> Baseline:
    """The baseline at a path; size and time of change are keys of the cache."""
    return Baseline.read(path)


def _state(path: str) -> tuple[int, int]:
    try:
        state = os.stat(path)
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size
