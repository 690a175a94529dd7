"""IC9xx: decisions that are recorded in the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from inertial_check.evidence import Examination
from inertial_check.model import Finding, Place, Severity, Span
from inertial_check.rules._base import Rule


class _SuppressionRule(Rule):
    """A rule about comments, which are looked at when all findings are known."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """None: whether a comment is needed, other rules decide."""
        return iter(())


class UnusedSuppression(_SuppressionRule):
    """A comment or an accepted entry suppresses a rule that finds nothing there.

    ## What it does
    Reports each rule that an `inertial-check: ignore` or `accept` comment names and that would be
    silent without it, and each `[[accepted]]` entry of a configuration that no finding on its files
    needs. An entry that is about no file at all is a note of the run that searches its folder.

    ## Why is this bad
    The comment outlives its reason, and will hide the next mistake in the same place.

    ## Example
        <link name="finger">
          <!-- inertial-check: ignore[IC301] the tensor of the old gripper -->
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="4e-6"/>
          </inertial>
        </link>

    ## Use instead
        <link name="finger">
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="4e-6"/>
          </inertial>
        </link>

    ## Tolerance
    Silent where the rule is not on; about rules that look at more than the document (IC003, IC2xx,
    IC5xx, IC6xx and IC7xx: meshes, engines, options), whose silence here proves nothing; and in
    templates and included documents, which other models may use.

    ## Fix
    By hand: delete the comment, the code from its brackets, or the entry.

    ## References
    Suppressing findings, in the documentation of this tool.
    """

    code, name, severity = "IC901", "unused-suppression", Severity.WARNING
    UNDECIDED: ClassVar[tuple[str, ...]] = ("IC003", "IC2", "IC5", "IC6", "IC7", "IC9")
    """Beginnings of the codes of rules that look at more than the document itself says."""

    def on_comment(self, selector: str, count: int, span: Span) -> Finding:
        """The finding on a comment that names a rule in vain, perhaps beside others."""
        way = "the comment" if count == 1 else f"{selector} from the comment"
        return self.at(span, f"nothing is found here that {selector} would ignore: delete {way}")

    @classmethod
    def on_entry(cls, place: Place, severity: Severity, files: str) -> Finding:
        """The finding on an accepted entry of a configuration that nothing needs."""
        message = f"nothing is found in {files} that this entry would accept: delete the entry"
        return Finding(cls.code, cls.name, severity, None, message, place)


class InvalidSuppression(_SuppressionRule):
    """A comment that is meant to suppress findings, and cannot be taken as it stands.

    ## What it does
    Reports an `inertial-check:` comment that names no rules, an unknown one or all of them, that
    uses another word than ignore, ignore-next and ignore-file (or accept instead of ignore), that
    accepts without a reason, or that stands where it is about nothing: `ignore` behind another
    element, `ignore-next` behind the last one.

    ## Why is this bad
    It suppresses nothing, or more than its author knew.

    ## Example
        <link name="finger">
          <!-- inertial-check: ignore measured on a scale -->
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="5e-5"/>
          </inertial>
        </link>

    ## Use instead
        <link name="finger">
          <!-- inertial-check: ignore[IC301] measured on a scale -->
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="5e-5"/>
          </inertial>
        </link>

    ## Tolerance
    None. A comment that begins with other words is prose.

    ## Fix
    By hand.

    ## References
    Suppressing findings, in the documentation of this tool.
    """

    code, name, severity = "IC902", "invalid-suppression", Severity.WARNING
