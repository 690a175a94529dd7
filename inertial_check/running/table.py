"""The check of many models from Python, with its findings as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inertial_check.checking.check import ReportContent
from inertial_check.checking.report import Finding, Report, Severity
from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError, expect, refuse_text
from inertial_check.inertia.arrays import EqualByValue
from inertial_check.running.results.rows import Row, describe_finding
from inertial_check.running.run import CheckRequest, check_paths

DataFrame = Any  # a pandas.DataFrame: pandas is not installed with this package
Table = Any  # a pyarrow.Table: pyarrow has no types

COLUMNS = (
    *("path", "body", "code", "name", "severity", "line", "column"),
    *("message", "cause", "confidence", "remedy"),
)
"""Columns of a table of findings, in their order."""


@dataclass(frozen=True, eq=False, repr=False)
class Findings(EqualByValue):
    """Table of the findings of a check, one row each; iterate over it, or index it.

    Attributes:
        report: The report, with all bodies and what was skipped.
    """

    report: Report

    def __repr__(self) -> str:
        """Show how many findings of each severity there are, and in how many files."""
        counts = (f"{self.report.count(each)} {each.word}s" for each in reversed(Severity))
        return f"Findings({', '.join(counts)} in {len(self.report.files)} files)"

    def __len__(self) -> int:
        """Number of findings."""
        return len(self.report.findings)

    def __iter__(self) -> Iterator[Finding]:
        """Over the findings, in file order."""
        return iter(self.report.findings)

    def __getitem__(self, index: int) -> Finding:
        """The finding at an index."""
        return self.report.findings[index]

    @cached_property
    def rows(self) -> list[Row]:
        """Findings as mappings with the keys COLUMNS; a body is None for the whole model."""
        rows = []
        for file in self.report.files:
            for finding in file.findings:
                remedy, path = finding.remedy, finding.place.path or file.path
                known = remedy if remedy and remedy.edits else None  # else it is by hand
                edits = zip(known.bodies, known.edits, strict=True) if known else ()
                numbers = (
                    f"{body}: {' '.join(f'{name}={text}' for name, text in each.items())}"
                    for body, each in edits
                )
                found = describe_finding(finding) | {"body": finding.body, "path": path}
                found["remedy"] = "; ".join(numbers) or None
                rows.append({name: found[name] for name in COLUMNS})
        return rows

    def to_pandas(self) -> DataFrame:
        """Convert the rows to a DataFrame of pandas.

        Raises:
            UsageError: pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise UsageError("to_pandas needs pandas: pip install pandas") from None
        return pd.DataFrame(self.rows, columns=list(COLUMNS))

    def to_arrow(self) -> Table:
        """Convert the rows to a table of Arrow.

        Raises:
            UsageError: pyarrow is not installed.
        """
        try:
            import pyarrow as pa
        except ImportError:
            raise UsageError("to_arrow needs pyarrow: pip install pyarrow") from None
        types = dict.fromkeys(("line", "column"), pa.int64()) | {"confidence": pa.float64()}
        schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
        return pa.Table.from_pylist(self.rows, schema)


def check_models(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    settings: Settings | None = None,
) -> Findings:
    """Check many robot models: files, folders, globs, archives and URLs.

    Args:
        paths: One path or several.
        settings: The settings of all models; None for the default ones. Configuration files are
            not read.

    Returns:
        The findings as a table; `report` has the bodies, and the files that failed.

    Raises:
        UsageError: There is nothing to check, or nothing that was found could be read.

    Example:
        >>> found = ic.check_models(["data/arm.urdf", "data/diff"])
        >>> print(len(found), found.rows[0]["body"], found.rows[0]["remedy"])
        4 forearm forearm: iyy=0.00801
    """
    expect("path", "list", paths=paths)
    expect(Settings, "nothing", settings=settings)
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    for each in several:
        expect("path", paths=each)
        refuse_text(each, "a path: ic.check_model takes bytes")
    chosen = (settings or Settings()).validate()
    content = ReportContent(remedies=True)
    names = [os.fspath(each) for each in several]
    report = check_paths(CheckRequest(names, lambda path: chosen, content=content))
    if report.failures and not report.files:
        raise UsageError(report.failures[0])
    return Findings(report)
