"""Models as pytest files, their bodies as tests."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import chdir
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from inertial_check.checking.baseline import Baseline
from inertial_check.checking.check import Document, check_documents, check_model
from inertial_check.checking.configuration import Configurations
from inertial_check.checking.discovery import discover
from inertial_check.checking.report import (
    Account,
    FileReport,
    Finding,
    Report,
    Severity,
)
from inertial_check.checking.settings import Settings
from inertial_check.documents.inertials import count_model
from inertial_check.documents.load import load
from inertial_check.documents.model import Model
from inertial_check.errors import DocumentError, InertialCheckError
from inertial_check.reports import View, render
from inertial_check.reports.text import describe_account

DOCUMENT = "(document)"
"""The name of the test that has the findings on no body."""

_SEVERITIES = {severity.word: severity for severity in Severity}
_SECTION = "inertial-check"


class Inconsistent(Exception):
    """A test's findings fail it; its text is what the report shows."""


class Collector:
    """The plugin of a run that has models to check."""

    def __init__(self, config: pytest.Config, paths: Sequence[str], fail_on: str) -> None:
        """Find the models.

        Args:
            config: Of the run.
            paths: Files, folders and globs from the root directory.
            fail_on: From which severity on findings fail; "" for what the configuration says.

        Raises:
            pytest.UsageError: There is no such file, or no model at all.
        """
        if fail_on not in ("", "never", *_SEVERITIES):
            raise pytest.UsageError(
                f"inertial_check_fail_on is {fail_on!r}: expected error, warning, note or never"
            )
        self._fail_on = fail_on
        self._configurations = Configurations()
        with chdir(config.rootpath):
            try:
                found = discover(paths, self._configurations.excludes)
            except InertialCheckError as error:
                raise pytest.UsageError(f"inertial-check: {error}") from None
            models = frozenset(Path(os.path.abspath(file.path)) for file in found.files)
        failures = list(found.failures)
        if not (models or failures):
            failures.append(f"no robot model in {', '.join(paths)} below {config.rootpath}")
        if failures:
            raise pytest.UsageError(
                "\n".join(f"inertial_check_models: {each}" for each in failures)
            )
        for note in found.notes:
            config.issue_config_time_warning(
                pytest.PytestConfigWarning(f"inertial_check_models: {note}"), stacklevel=2
            )
        self._models = models
        self._unasked = config.args_source != pytest.Config.ArgsSource.ARGS
        if config.args_source == pytest.Config.ArgsSource.TESTPATHS:
            roots = [Path(os.path.abspath(arg)) for arg in config.args]
            elsewhere = (p for p in self._models if not any(p.is_relative_to(r) for r in roots))
            config.args += sorted(map(str, elsewhere))

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """A model that was found is a file of tests."""
        if file_path not in self._models:
            return None
        return ModelFile.from_parent(parent, path=file_path, collector=self)

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Say which models pytest has not come to, where all should have been collected."""
        here = config.invocation_params.dir
        left = {path for path in self._models if path.is_relative_to(here)}
        left -= {item.path for item in items}
        if self._unasked and left and not config.option.keyword:
            names = ", ".join(sorted(path.relative_to(here).as_posix() for path in left))
            config.issue_config_time_warning(
                pytest.PytestConfigWarning(
                    f"inertial_check_models: not collected: {names}; does norecursedirs hide it?"
                ),
                stacklevel=2,
            )

    def settings(self, path: Path) -> Settings:
        """What holds for a model.

        Raises:
            UsageError: The configuration cannot be read.
        """
        settings = self._configurations.settings(str(path))
        if self._fail_on:
            return replace(settings, fail_on=_SEVERITIES.get(self._fail_on))
        return settings

    def suppress_known_findings(self, report: Report) -> Report:
        """Suppress the findings of a report that the configured baseline lists.

        Raises:
            UsageError: The baseline cannot be read.
        """
        if (baseline := self._baseline) is None:
            return report

        def rules_of(path: str) -> set[str]:
            return {rule.code for rule in self.settings(Path(path)).rules()}

        return baseline.apply(report, rules_of).report

    @property
    def allows_unjudged(self) -> bool:
        """Whether models may have inertials of which none is judged."""
        return bool(self._configurations.run["allow-unjudged"])

    @cached_property
    def _baseline(self) -> Baseline | None:
        path = self._configurations.run["baseline"]
        return None if path is None else Baseline.read(path)


class ModelFile(pytest.File):
    """One model: a test for each of its bodies, and one for the document."""

    def __init__(
        self,
        *,
        collector: Collector,
        **kwargs: Any,  # noqa: ANN401 - the arguments of pytest's own class
    ) -> None:
        super().__init__(**kwargs)
        self._collector = collector
        self._model: Model | None = None

    def collect(self) -> Iterable[pytest.Item]:
        """Read the model; what cannot be read has a test that says why."""
        try:
            context = self.settings.context
        except InertialCheckError as error:  # of a configuration
            raise self.CollectError(str(error)) from None
        try:
            self._model = load(self.path, context=context)
        except DocumentError:
            names: list[str] = []
        else:
            # The names of the bodies, of which no two are alike and none is parted by pytest's
            # "::".
            model = self._model
            counts = Counter(body.name for body in model.bodies)
            unique_names = [
                body.name if counts[body.name] == 1 else body.id for body in model.bodies
            ]
            names = [name.replace("::", "/") for name in unique_names]
        for index, name in enumerate(names):
            yield BodyItem.from_parent(self, name=name, index=index)
        yield BodyItem.from_parent(self, name=DOCUMENT, index=None)

    @property
    def settings(self) -> Settings:
        """Of the check."""
        return self._collector.settings(self.path)

    @cached_property
    def report(self) -> FileReport:
        """What the check says, made when the first of the file's tests asks."""
        if self._model is not None:
            (file,) = check_model(self._model, self.settings).files
        else:
            document = Document(str(self.path), True, self.settings)
            (result,) = check_documents([document])
            if result.file is None:
                raise Inconsistent(result.failure or result.note)
            file = result.file
        (file,) = self._collector.suppress_known_findings(Report((file,))).files
        return file

    def describe_unjudged(self) -> str:
        """The account of a model with inertials that are not judged; "" without such.

        Raises:
            Inconsistent: None of its inertials is judged, and the configuration does not allow it.
        """
        if self._model is None:
            return ""
        account = Account.of(count_model(self._model))
        told = describe_account(account) if account.unjudged else ""
        if told and not any(account.judged.values()) and not self._collector.allows_unjudged:
            raise Inconsistent(f"{told} The key allow-unjudged accepts that.")
        return told

    def findings_of(self, index: int | None) -> list[Finding]:
        """The findings on a body; on none for None."""
        bodies = self.report.bodies
        wanted = None if index is None else bodies[index].id
        known = {body.id for body in bodies}
        return [
            finding
            for finding in self.report.findings
            if (finding.body_id if finding.body_id in known else None) == wanted
        ]

    def line_of(self, index: int | None) -> int:
        """Where a body begins, from 0; the document at its top."""
        if self._model is None or index is None:
            return 0
        place = self._model.place(self._model.bodies[index].span)
        return 0 if place.path is not None else place.line - 1


class BodyItem(pytest.Item):
    """The test of one body: no finding on it is as severe as to fail."""

    parent: ModelFile

    def __init__(
        self,
        *,
        index: int | None,
        **kwargs: Any,  # noqa: ANN401 - the arguments of pytest's own class
    ) -> None:
        super().__init__(**kwargs)
        self._index = index

    def runtest(self) -> None:
        """Fail on findings that do; show the others."""
        findings = self.parent.findings_of(self._index)
        if self._index is not None:
            judgement = self.parent.report.bodies[self._index].judgement
            self.user_properties.append(("verdict", judgement.verdict))
        elif unjudged := self.parent.describe_unjudged():
            self.add_report_section("call", _SECTION, unjudged)
        settings = self.parent.settings
        failing = [finding for finding in findings if settings.fails(finding.severity)]
        others = [finding for finding in findings if not settings.fails(finding.severity)]
        if others:
            self.add_report_section("call", _SECTION, self._text(others))
        if failing:
            raise Inconsistent(self._text(failing))

    def _text(self, findings: Sequence[Finding]) -> str:
        """A line a finding, with its place."""
        shown = os.path.relpath(self.path, self.config.invocation_params.dir)
        file = self.parent.report._replace(path=shown, findings=tuple(findings))
        return render(Report((file,)), "concise", View(exit_code=1, summary=False)).rstrip("\n")

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,  # noqa: ANN401 - its type is private in pytest
    ) -> Any:  # noqa: ANN401 - its type is private in pytest
        """The findings; of what fails besides, the error's own words."""
        if isinstance(excinfo.value, Inconsistent | InertialCheckError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the body stands."""
        return self.path, self.parent.line_of(self._index), f"{self.path.name}: {self.name}"
