"""Suppression of findings by comments in a document or by a configuration.

The comment `inertial-check: ignore[IC101, IC3] reason`, first inside an element, concerns that
element; `ignore-next[...]` the next element; `ignore-file[...]`, at the top, the whole document.
With `accept` in place of `ignore` a finding is accepted as known, for which a reason is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from inertial_check.model import Finding, Model, Suppression
from inertial_check.settings.settings import Settings

MARK = "inertial-check:"


class SortedFindings(NamedTuple):
    """Findings of one document.

    Attributes:
        counting: The findings that count.
        suppressed: The findings that do not count, each with its suppression.
    """

    counting: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def sort_findings(findings: Iterable[Finding], model: Model, settings: Settings) -> SortedFindings:
    """Separate the findings on a model that count from suppressed ones, and check the comments.

    Args:
        findings: Findings of all rules except those about suppressions, which are added here.
        model: The model.
        settings: Settings of the check; exemptions apply to findings that no comment concerns.
    """
    sources = (model.source, *model.others)
    if not any(MARK.encode(source.encoding) in source.data for source in sources):
        return apply_exemptions(findings, model.source.path, settings)
    from inertial_check.selecting.directives import Directives  # few documents have such comments

    directives = Directives(model, settings)
    if not directives.found and not directives.invalid:
        return apply_exemptions(findings, model.source.path, settings)
    judged = [directives.apply(finding) for finding in (*findings, *directives.invalid)]
    judged += [directives.apply(finding) for finding in directives.report_unused_selectors()]
    return apply_exemptions(judged, model.source.path, settings)


def apply_exemptions(findings: Iterable[Finding], path: str, settings: Settings) -> SortedFindings:
    """Separate the findings on a document that count from those that a configuration exempts."""
    counting: list[Finding] = []
    suppressed: list[Finding] = []
    for finding in findings:
        each = finding
        if each.suppression is None:
            covering = (x for x in settings.exemptions if x.covers(finding, path))
            if (exemption := next(covering, None)) is not None:
                suppression = Suppression("external", exemption.reason, exemption.accepted)
                each = finding._replace(suppression=suppression)
        (counting if each.suppression is None else suppressed).append(each)
    return SortedFindings(tuple(counting), tuple(suppressed))
