"""IC3xx: the rotational inertia about the centre of mass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from inertial_check.evidence import Examination
from inertial_check.inertia import tolerances
from inertial_check.model import ENTRIES, Body, Finding, FixKind, Judgement, Severity, Span
from inertial_check.model.judging import measure_open_share
from inertial_check.rules._base import Rule, hull, mover
from inertial_check.rules._doubts import common_readings, find_doubts
from inertial_check.rules._evidence import evidence, find_fix_kinds, moments_text


class _InertiaRule(Rule):
    """A rule that speaks of the six numbers, with their evidence, computed for all at once."""

    fixable: ClassVar[bool] = False
    explained = True

    @abstractmethod
    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """What is to be said of the body; None for nothing."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a body of which there is something to say."""
        pairs = zip(self.model.bodies, examination.judgements, strict=True)
        spoken = [(body, j, text) for body, j in pairs if (text := self.statement(body, j))]
        if not spoken:
            return
        doubted = [judgement for _, judgement, _ in spoken]
        values = evidence(doubted)
        fixes: list[FixKind | None] = [None] * len(spoken)
        if self.fixable:
            fixes = find_fix_kinds([body for body, _, _ in spoken], doubted)
        for (body, _, text), facts, fix in zip(spoken, values, fixes, strict=True):
            yield self.at(numbers_span(body), text, body, facts, fix, ENTRIES)


class _DigitsRule(_InertiaRule):
    """A rule about printed digits: where they are too few in the whole model, IC507 warns of it."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on bodies; a warning is a note on a body of which IC507 says the same."""
        found = list(super().findings(examination))
        if found and self.run_severity is Severity.WARNING:
            common = [
                self.model.bodies[index].id
                for reading in common_readings(examination)
                if reading.cause == "fixed-decimals"
                for index in reading.bodies
            ]
            for finding in found:
                said = finding.body_id in common
                yield finding._replace(severity=Severity.NOTE) if said else finding
        else:
            yield from found


class TriangleInequalityViolation(_InertiaRule):
    """I_BBcm is positive semidefinite, but no distribution of mass has it.

    ## What it does
    Reports a tensor whose largest principal moment exceeds the sum of the other two: J1 > J2 + J3.

    ## Why is this bad
    A moment is a sum of two spreads, J1 = s2 + s3, J2 = s1 + s3, J3 = s1 + s2, so J1 > J2 + J3
    means s1 < 0: a spread of mass along one axis that is less than none. No real robot moves like
    such a model, and engines differ in what they do with it. MuJoCo: "inertia must satisfy
    A + B >= C; use 'balanceinertia' to fix". Drake replaces the body by a sphere of 1000 kg/m^3,
    Gazebo refuses the world ("A link named ... has invalid inertia."), PyBullet sets the inertia to
    zero.

    ## Example
        <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.004"/>

    ## Use instead
        <inertia ixx="0.0017" ixy="0" ixz="0" iyy="0.0017" iyz="0" izz="0.0033"/>

    ## Tolerance
    The margin mu = s1 / (|s1| + |s2| + |s3|) is compared with the rounding of the arithmetic,
    8 eps; what the printed digits can explain is IC305 instead. Exact plates (mu = 0) pass.

    ## Fix
    `inertial-check fix` moves the tensor to the nearest that a body can have; mass and centre of
    mass stay. Safe when the principal moments change by at most 5 %, otherwise with --unsafe.

    ## References
    Heins, Rigid Body Inertial Parameters, eq. 12 and "Triangle Inequality"; Wensing, Kim, Slotine,
    Linear Matrix Inequalities for Physically-Consistent Inertial Parameter Identification, RA-L
    2018.
    """

    code, name, severity = "IC301", "triangle-inequality-violation", Severity.ERROR
    fixable = True

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the tensor is PSD and violates the triangle inequality."""
        if not _is_inconsistent(judgement) or _is_indefinite(judgement):
            return None
        low, middle, high = judgement.principal_moments
        return (
            f"no body has principal moments {moments_text(judgement)} kg m^2: the largest may be "
            f"at most the sum of the others, {low + middle:.6g}, and exceeds it by "
            f"{high - low - middle:.3g} (margin {judgement.margin:.3g}, 0 or more is needed)"
        )


class NegativePrincipalMoment(_InertiaRule):
    """I_BBcm has a negative eigenvalue.

    ## What it does
    Reports a tensor that is not positive semidefinite: about some axis through the centre of mass
    its moment of inertia is negative.

    ## Why is this bad
    A torque about that axis would turn the body backwards. MuJoCo: "inertia must have positive
    eigenvalues"; Drake replaces the body, PyBullet zeroes the inertia ("Bad inertia tensor
    properties, setting inertia to zero").

    ## Example
        <inertia ixx="0.001" ixy="0.002" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>

    ## Use instead
        <inertia ixx="0.001" ixy="0.0002" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>

    ## Tolerance
    As IC301: the rounding of the arithmetic, 8 eps; printed digits are IC305.

    ## Fix
    As IC301. Where the nearest tensor is zero, nothing is written: the numbers hold no body.

    ## References
    Heins, Rigid Body Inertial Parameters, eq. 9 (I_c >= 0).
    """

    code, name, severity = "IC302", "negative-principal-moment", Severity.ERROR
    fixable = True

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the smallest principal moment is below zero."""
        if not _is_inconsistent(judgement) or not _is_indefinite(judgement):
            return None
        return (
            f"the smallest principal moment is {judgement.principal_moments[0]:.6g} kg m^2; about "
            f"no axis may it be below 0 (all three: {moments_text(judgement)}; margin "
            f"{judgement.margin:.3g}, 0 or more is needed)"
        )


class ZeroInertia(_InertiaRule):
    """A body with mass but without inertia, moved by a joint.

    ## What it does
    Reports m > 0 and I = 0 on a body whose joint to its parent is not fixed. A point mass is a
    valid body, but hardly what was meant.

    ## Why is this bad
    Forward dynamics divides by what is not there. MuJoCo: "mass and inertia of moving bodies must
    be larger than mjMINVAL"; Newton adds 1e-6 kg m^2 of its own.

    ## Example
        <mass value="0.2"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>

    ## Use instead
        <mass value="0.2"/>
        <inertia ixx="8e-05" ixy="0" ixz="0" iyy="8e-05" iyz="0" izz="8e-05"/>

    ## Tolerance
    None: exact zeros.

    ## Fix
    By hand: zero is consistent already, so it is its own nearest.

    ## References
    Heins, Rigid Body Inertial Parameters, "Physical Consistency" (bodies without volume).
    """

    code, name, severity = "IC303", "zero-inertia", Severity.WARNING

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where a joint moves a point mass."""
        if not _is_point_mass(judgement) or not body.moved:
            return None
        return (
            f"{mover(body)} {judgement.mass:.6g} kg with an inertia of exactly 0; write the "
            f"inertia of the body, or fix {'the joint' if body.joint else 'it to the world'}"
        )


class NumericallyZeroInertia(_InertiaRule):
    """The inertia is that of a body smaller than a micrometre.

    ## What it does
    Reports max|I| < m (1e-6 m)^2, but not I = 0.

    ## Why is this bad
    Such numbers are crumbs of a computation or a mistaken unit, not the inertia of a link. Their
    sign means nothing, so this finding stands instead of IC301 and IC302. MuJoCo refuses
    eigenvalues below 1e-14 kg m^2, whatever the body.

    ## Example
        <mass value="1"/>
        <inertia ixx="1e-16" ixy="0" ixz="0" iyy="3e-17" iyz="0" izz="1e-17"/>

    ## Use instead
    The inertia of the body.

    ## Tolerance
    The radius of a micrometre is the definition; it scales with the mass.

    ## Fix
    By hand.

    ## References
    None: a convention of this tool.
    """

    code, name, severity = "IC304", "numerically-zero-inertia", Severity.WARNING

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the radius of gyration is below a micrometre and I is not 0."""
        if not judgement.numerically_zero or not any(judgement.I_BBcm_Bi):
            return None
        largest = max(abs(entry) for entry in judgement.I_BBcm_Bi)
        return (
            f"the largest entry is {largest:.3g} kg m^2 for {judgement.mass:.6g} kg: a body of "
            "less than a micrometre; write the inertia of the body"
        )


class RoundingViolation(_DigitsRule):
    """The printed digits violate the conditions, by no more than they leave open.

    ## What it does
    Reports a tensor that no body has as printed, while one that a body has lies within half a unit
    of the last printed digits.

    ## Why is this bad
    The body is real, the print is not: engines without tolerance (MuJoCo, PyBullet) refuse or zero
    it all the same.

    ## Example
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.31"/>

    ## Use instead
        <inertia ixx="0.104" ixy="0" ixz="0" iyy="0.203" iyz="0" izz="0.307"/>

    ## Tolerance
    Half a unit of the last printed digit of each of the six numbers. Integers are exact, and so is
    a zero unless it is printed with as many decimals as the finest of the others. Where half a unit
    is more than a tenth of the trace, the finding is IC307.

    ## Fix
    `inertial-check fix` writes the nearest tensor with the digits that it needs.

    ## References
    The theory page, "The box of printed digits".
    """

    code, name, severity = "IC305", "rounding-violation", Severity.WARNING

    fixable = True

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the verdict is rounding, and the digits still tell the body from others."""
        if judgement.verdict != "rounding" or _has_lost_digits(body):
            return None
        return (
            f"as printed no body has these numbers (margin {judgement.margin:.3g}), but within "
            "half a unit of their last digits one does; print more digits, or run "
            "`inertial-check fix`"
        )


class SingularInertia(_InertiaRule):
    """The body is a plate, a rod or a point: valid, without volume.

    ## What it does
    Notes a margin of exactly zero, up to rounding: all mass in a plane, on a line, or at a point.

    ## Why is this bad
    It is not wrong. But engines draw the line differently: MuJoCo refuses rods (an eigenvalue below
    1e-14) and points, and a third of rotated plates, whose rounding falls on the wrong side of its
    zero tolerance; PyBullet zeroes some plates; Newton inflates rods and points.

    ## Example
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/>

    ## Use instead
    The inertia of the body with its thickness.

    ## Tolerance
    |mu| below 8 eps: the margin cannot be told from zero. Raised to a warning by --strict.

    ## Fix
    None needed.

    ## References
    Heins, Rigid Body Inertial Parameters, "Physical Consistency" (idealised zero-volume bodies).
    """

    code, name, severity = "IC306", "singular-inertia", Severity.NOTE
    strict_severity = Severity.WARNING

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the verdict is boundary and no rule above speaks of it."""
        spoken = body.moved if _is_point_mass(judgement) else judgement.numerically_zero
        if judgement.verdict != "boundary" or spoken:
            return None
        shape, refusals = _shape(judgement)
        return f"these are the numbers of a {shape}: valid, but without volume; {refusals}"


class DigitsLost(_DigitsRule):
    """So few digits are printed that they say nothing about the body.

    ## What it does
    Reports a tensor that no body has as printed, and of which half a unit of the last printed digit
    is more than a tenth of the trace. Also one that some body has, of which it is more than 4 %,
    where nothing has an exponent and a program printed it: the zeros have as many decimals as the
    moments, or the mass has three digits. Three equal moments are often a guess: the zeros have to
    have the decimals, and a power of ten the mass with three digits, or a zero with a minus.

    ## Why is this bad
    Within half a unit of such numbers lie plates, rods and balls alike: that a body is among them
    (IC305) is no news, and the nearest of them is a guess. "%.3f" leaves this of a light link,
    whose moments are a few millionths. MuJoCo refuses it where no body has it, PyBullet sets its
    inertia to zero, Drake puts a sphere in its place; where some body has it, all take it.

    ## Example
        <mass value="0.3"/>
        <inertia ixx="0.000" ixy="0.000" ixz="0.000" iyy="0.000" iyz="0.000" izz="0.001"/>

    ## Use instead
        <mass value="0.3"/>
        <inertia ixx="0.00031" ixy="0" ixz="0" iyy="0.00042" iyz="0" izz="0.00058"/>

    ## Tolerance
    A tenth of the trace, for the coarsest of the six numbers; 4 % where some body has them, as four
    of 3,288 clean bodies do, all of one file with three decimals. A warning; where no body has them
    an error with --strict and where the run is gated on engines (--engine, or a preset
    simulator:NAME).

    ## Fix
    `fix` does not project such numbers. Write them with more digits, or with an exponent;
    `inertial-check fix --method geometry` writes the inertia of the body's shapes.

    ## References
    The theory page, "The box of printed digits".
    """

    code, name, severity = "IC307", "digits-lost", Severity.WARNING
    strict_severity = engine_severity = Severity.ERROR

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The tensors that no body has, and those that some body has, which stay warnings."""
        yield from super().findings(examination)
        for finding in find_doubts(self, examination):
            yield finding._replace(severity=min(finding.severity, Severity.WARNING))

    def statement(self, body: Body, judgement: Judgement) -> str | None:
        """Where the verdict is rounding, and any form of body would print so."""
        if judgement.verdict != "rounding" or not _has_lost_digits(body):
            return None
        share = measure_open_share(body)
        part = "more than its trace" if share > 1 else f"{100 * share:.0f} % of its trace"
        return (
            "the printed digits of the inertia say nothing about the body: half a unit of the last "
            f"is {part}, and no body has the numbers as they stand (margin "
            f"{judgement.margin:.3g}); write more digits, or run `inertial-check fix --method "
            "geometry`"
        )


def numbers_span(body: Body) -> Span:
    """From the first to the last of the six numbers; the inertial where none is written."""
    if body.inertial is None:
        return body.span
    return hull(body.inertial.I_BBcm_Bi.values(), body.inertial.span)


def _is_inconsistent(judgement: Judgement) -> bool:
    return judgement.verdict == "inconsistent" and not judgement.numerically_zero


def _has_lost_digits(body: Body) -> bool:
    return measure_open_share(body) > tolerances.DIGITS_LOST


def _is_indefinite(judgement: Judgement) -> bool:
    """Whether a principal moment is negative beyond the numerical floor."""
    low, _, high = judgement.principal_moments
    return low < -judgement.tolerance * max(abs(low), abs(high))


def _is_point_mass(judgement: Judgement) -> bool:
    return judgement.mass > 0 and not any(judgement.I_BBcm_Bi)


def _shape(judgement: Judgement) -> tuple[str, str]:
    """What has such moments, and which engines refuse it."""
    low, _, high = judgement.principal_moments
    if high <= 0:
        return "point", "where a joint moves it MuJoCo refuses it, and Newton inflates it"
    if low <= judgement.tolerance * high:
        return "rod", "MuJoCo refuses it and Newton inflates it"
    return "plate", "once rotated, MuJoCo refuses about a third of such tensors"
