"""IC3xx: the rotational inertia about the centre of mass.

IC1xx: the mass, and bodies without one.

IC2xx: the centre of mass.

IC403: the inertia of a body together with the fluid that it moves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from math import isfinite, isinf, isnan
from typing import ClassVar

from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.likeness import (
    Margins,
    has_known_numbers,
    is_to_blame,
    measure_added_mass,
    read_added_mass,
)
from inertial_check.checking.report import MOTIONS as ROWS
from inertial_check.checking.report import Finding, FixKind, Severity
from inertial_check.checking.rules.base import (
    BodyRule,
    Rule,
    evidence,
    find_fix_kinds,
    hull,
    moments_text,
    mover,
)
from inertial_check.checking.rules.siblings import DoubtRule, find_doubts
from inertial_check.documents.model import (
    ENTRIES,
    Body,
    Inertial,
    Judgement,
    Number,
    measure_open_share,
)
from inertial_check.inertia import tolerances


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
            # From the first to the last of the six numbers; the inertial where none is written.
            if body.inertial is None:
                numbers_span_ = body.span
            else:
                numbers_span_ = hull(body.inertial.I_BBcm_Bi.values(), body.inertial.span)
            yield self.at(numbers_span_, text, body, facts, fix, ENTRIES)


class _DigitsRule(_InertiaRule):
    """A rule about printed digits: where they are too few in the whole model, IC507 warns of it."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on bodies; a warning is a note on a body of which IC507 says the same."""
        found = list(super().findings(examination))
        if found and self.run_severity is Severity.WARNING:
            common = [
                self.model.bodies[index].id
                for reading, *_ in examination.votes.elections
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
    means a negative spread of mass, s1 < 0. MuJoCo: "inertia must satisfy A + B >= C; use
    'balanceinertia' to fix". Drake replaces the body by a sphere of 1000 kg/m^3, Gazebo refuses the
    world ("A link named ... has invalid inertia."), PyBullet sets the inertia to zero.

    ## Example
        <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.004"/>

    ## Use instead
        <inertia ixx="0.0017" ixy="0" ixz="0" iyy="0.0017" iyz="0" izz="0.0033"/>

    ## Tolerance
    The margin mu = s1 / (|s1| + |s2| + |s3|) is compared with the rounding of the arithmetic,
    8 eps; what the printed digits can explain is IC305 instead. Exact plates (mu = 0) pass.

    ## Fix
    `inertial-check fix` writes what a probable cause says was meant, or else the nearest tensor
    that a body can have; with --unsafe what is less than 97 % sure, or more than 5 % away.

    ## References
    Heins, Rigid Body Inertial Parameters, eq. 12 and "Triangle Inequality"; Wensing, Kim, Slotine,
    Linear Matrix Inequalities for Physically-Consistent Inertial Parameter Identification, 2018.
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
    Reports a tensor that is not positive semidefinite.

    ## Why is this bad
    A torque about that axis would turn the body backwards. MuJoCo: "inertia must have positive
    eigenvalues"; Drake replaces the body ("did not pass the test CouldBePhysicallyValid"), PyBullet
    zeroes the inertia ("Bad inertia tensor properties, setting inertia to zero").

    ## Example
        <inertia ixx="0.001" ixy="0.002" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>

    ## Use instead
        <inertia ixx="0.001" ixy="0.0002" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>

    ## Tolerance
    As IC301: the rounding of the arithmetic, 8 eps; printed digits are IC305.

    ## Fix
    As IC301. Where the nearest tensor is zero, nothing is written.

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
    Reports m > 0 and I = 0 on a body whose joint to its parent is not fixed.

    ## Why is this bad
    A point mass is a body, but forward dynamics divides by what is not there. MuJoCo: "mass and
    inertia of moving bodies must be larger than mjMINVAL"; Newton adds 1e-6 kg m^2.

    ## Example
        <mass value="0.2"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>

    ## Use instead
        <mass value="0.2"/>
        <inertia ixx="8e-05" ixy="0" ixz="0" iyy="8e-05" iyz="0" izz="8e-05"/>

    ## Tolerance
    None: exact zeros.

    ## Fix
    By hand.

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
    Such numbers are left over from a computation or have a mistaken unit. Their sign means nothing:
    no IC301 or IC302.

    ## Example
        <mass value="1"/>
        <inertia ixx="1e-16" ixy="0" ixz="0" iyy="3e-17" iyz="0" izz="1e-17"/>

    ## Use instead
    The inertia of the body.

    ## Tolerance
    None.

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
    Engines without tolerance (MuJoCo, PyBullet) refuse or zero it all the same.

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
    Notes a margin of zero, up to rounding: all mass in a plane, on a line, or at a point.

    ## Why is this bad
    Engines draw the line differently: MuJoCo refuses rods (an eigenvalue below 1e-14), points, and
    a third of rotated plates, whose rounding falls on the wrong side; PyBullet zeroes some plates;
    Newton inflates rods and points.

    ## Example
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/>

    ## Use instead
    The inertia of the body with its thickness.

    ## Tolerance
    |mu| below 8 eps.

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
        # What has such moments, and which engines refuse it.
        low, _, high = judgement.principal_moments
        if high <= 0:
            shape, refusals = (
                "point",
                "where a joint moves it MuJoCo refuses it, and Newton inflates it",
            )
        elif low <= judgement.tolerance * high:
            shape, refusals = "rod", "MuJoCo refuses it and Newton inflates it"
        else:
            shape, refusals = "plate", "once rotated, MuJoCo refuses about a third of such tensors"
        return f"these are the numbers of a {shape}: valid, but without volume; {refusals}"


class DigitsLost(_DigitsRule):
    """So few digits are printed that they say nothing about the body.

    ## What it does
    Reports a tensor that no body has as printed, and of which half a unit of the last printed digit
    is more than a tenth of the trace. Also one that some body has, of which it is more than 4 %,
    where nothing has an exponent and a program printed it: the zeros have as many decimals as the
    moments, or the mass has three digits (three equal moments need both; a power of ten the mass,
    or a zero with a minus).

    ## Why is this bad
    Within half a unit lie plates, rods and balls alike, and the nearest is a guess. "%.3f" leaves
    this of a light link.

    ## Example
        <mass value="0.3"/>
        <inertia ixx="0.000" ixy="0.000" ixz="0.000" iyy="0.000" iyz="0.000" izz="0.001"/>

    ## Use instead
        <mass value="0.3"/>
        <inertia ixx="0.00031" ixy="0" ixz="0" iyy="0.00042" iyz="0" izz="0.00058"/>

    ## Tolerance
    A tenth of the trace, for the coarsest of the six numbers; 4 % where some body has them. A
    warning; where no body has them an error with --strict and where the run is gated on engines
    (--engine, or a preset simulator:NAME).

    ## Fix
    `fix` does not project such numbers. Write more digits, or an exponent; `inertial-check fix
    --method geometry` writes the inertia of the body's shapes.

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


_CENTER = "com "
"""Beginning of the name of a coordinate of the centre of mass in messages."""


class NegativeMass(BodyRule):
    """The mass is negative.

    ## What it does
    Reports m < 0.

    ## Why is this bad
    No density is negative. MuJoCo takes 0 instead, Drake a sphere of 1 kg, Newton removes mass and
    inertia; Pinocchio computes with it.

    ## Example
        <mass value="-1.2"/>

    ## Use instead
        <mass value="1.2"/>

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    Heins, Rigid Body Inertial Parameters, eq. 9 (m > 0).
    """

    code, name, severity = "IC101", "negative-mass", Severity.ERROR

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding where the mass is below zero."""
        if body.inertial is None or not judgement.mass < 0:
            return
        mass = body.inertial.mass
        yield self.at(
            (mass and mass.span) or body.inertial.span,
            f"mass is {judgement.mass:.6g} kg; a body has more than 0 kg: write the mass that the "
            "body has",
            body,
            {"mass": judgement.mass},
            about=("mass",),
        )


class MasslessWithInertia(BodyRule):
    """No mass, but a rotational inertia.

    ## What it does
    Reports m = 0 with an inertia that is not zero.

    ## Why is this bad
    With m = 0 the inertia is 0, too. Drake replaces such a body by a sphere of 1 kg, Newton clears
    the inertia, MuJoCo refuses it where a joint moves it.

    ## Example
        <mass value="0"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>

    ## Use instead
    The mass of the body; for a pure frame no inertial element.

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    Heins, Rigid Body Inertial Parameters, "Physical Consistency" (m = 0 implies I_c = 0).
    """

    code, name, severity = "IC102", "massless-with-inertia", Severity.ERROR

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding where m = 0 and I is finite and not zero."""
        entries = judgement.I_BBcm_Bi
        if body.inertial is None or judgement.mass != 0 or not any(entries):
            return
        largest = max(abs(entry) for entry in entries)
        if not largest < float("inf"):
            return
        mass = body.inertial.mass
        yield self.at(
            (mass and mass.span) or body.inertial.span,
            f"mass is 0 kg but the inertia is not zero (largest entry {largest:.6g} kg m^2); write "
            "the body's mass, or leave the inertial out if this is a pure frame",
            body,
            {"mass": judgement.mass, "inertia": list(entries)},
            about=("mass", *(name for name, entry in zip(ENTRIES, entries, strict=True) if entry)),
        )


class MissingInertial(BodyRule):
    """A body that a joint moves has neither mass nor inertia.

    ## What it does
    Reports a body without inertial, or with m = 0 and I = 0, whose joint to its parent is not
    fixed. Other bodies without them are pure frames.

    ## Why is this bad
    A joint that moves nothing has no finite acceleration. MuJoCo refuses it ("mass and inertia of
    moving bodies must be larger than mjMINVAL") or takes the inertia from the geometry; PyBullet
    takes 1 kg and diag(1, 1, 1).

    ## Example
        <link name="finger"/>
        <joint name="knuckle" type="revolute">
          <parent link="hand"/><child link="finger"/>
        </joint>

    ## Use instead
        <link name="finger">
          <inertial>
            <mass value="0.03"/>
            <inertia ixx="1.2e-05" ixy="0" ixz="0" iyy="1.2e-05" iyz="0" izz="2.5e-06"/>
          </inertial>
        </link>

    ## Tolerance
    None: exact zeros.

    ## Fix
    `inertial-check fill` computes it from shapes and known masses; else by hand.

    ## References
    URDF XML specification, element inertial ("if not specified, zero mass and zero inertia").
    """

    code, name, severity = "IC103", "missing-inertial", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on a moved body that is missing or massless."""
        if not body.moved or judgement.verdict not in ("missing", "massless"):
            return
        what = "no inertial" if body.inertial is None else "mass 0 and inertia 0"
        span = body.span if body.inertial is None else body.inertial.span
        yield self.at(
            span,
            f"{mover(body)} this body, which has {what}; give it mass and inertia, or fix "
            f"{'the joint' if body.joint else 'it to the world'}",
            body,
            {"joint": body.joint},
            about=("mass", *ENTRIES),
        )


class NonFiniteNumber(BodyRule):
    """A number of the inertial is not finite.

    ## What it does
    Reports nan, inf, and decimals too large for a double (1e400).

    ## Why is this bad
    One NaN reaches every state of a simulation within a few steps.

    ## Example
        <mass value="nan"/>

    ## Use instead
        <mass value="0.35"/>

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    IEEE 754-2019, section 6 (infinity and NaNs).
    """

    code, name, severity = "IC104", "non-finite-number", Severity.ERROR

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding a number."""
        numbers = judgement.mass, *judgement.p_BoBcm_B, *judgement.I_BBcm_Bi
        if body.inertial is None or all(map(isfinite, numbers)):
            return
        for what, number in _numbers(body.inertial):
            word = number.text.strip().lstrip("+-") if isnan(number.value) else ""
            if isinf(number.value) or word.lower().startswith("nan"):
                yield self.at(
                    number.span or body.inertial.span,
                    f"{what} is {number.text}, which is no finite number; write a finite decimal",
                    body,
                    {"entry": what, "text": number.text},
                    about=(what.removeprefix(_CENTER),),
                )


class DefaultedInertial(BodyRule):
    """The format's default stands in for numbers that are not written.

    ## What it does
    Reports a body whose mass, or moments of inertia, are those that the format gives to bodies that
    state none: in SDF 1 kg and diag(1, 1, 1) kg m^2, together or each for itself. Static models and
    defaults that are zero stay silent.

    ## Why is this bad
    Next to a real finger 1 kg with the inertia of a solid ball 3 m across dominates the motion, and
    no engine says so.

    ## Example
        <sdf version="1.9">
          <model name="gripper">
            <link name="finger">
              <inertial><mass>0.03</mass></inertial>
            </link>
          </model>
        </sdf>

    ## Use instead
    The same link with its `<inertia>`.

    ## Tolerance
    None.

    ## Fix
    `inertial-check fill` writes them from shapes and known masses.

    ## References
    SDFormat specification, element inertial.
    """

    code, name, severity = "IC105", "defaulted-inertial", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding a body, unless the world holds it."""
        inertial = body.inertial
        held = body.joint is None and not body.moved
        if inertial is None or held or body.inertia_from == "geometry":
            return
        unwritten = {name: number for name, number in _defaults(inertial) if number.span is None}
        if not unwritten:
            return
        values = {name: _in_si(name, number, inertial) for name, number in unwritten.items()}
        stated = ", ".join(f"{name} {value:.6g}" for name, value in values.items())
        yield self.at(
            inertial.span,
            f"not written: {', '.join(unwritten)}; the format's defaults stand in ({stated}; kg, "
            "kg m^2): write the body's own",
            body,
            values,
        )


def _in_si(name: str, number: Number, inertial: Inertial) -> float:
    """A mass [kg] or a moment of inertia [kg m^2]."""
    mass = number.value * inertial.kilograms_per_unit
    return mass if name == "mass" else mass * (inertial.meters_per_unit * inertial.meters_per_unit)


def _defaults(inertial: Inertial) -> Iterator[tuple[str, Number]]:
    """The numbers whose defaults are not zero."""
    if inertial.mass is not None:
        yield "mass", inertial.mass
    entries = inertial.I_BBcm_Bi
    yield from ((name, entries[name]) for name in ("ixx", "iyy", "izz") if name in entries)


def _numbers(inertial: Inertial) -> Iterator[tuple[str, Number]]:
    """Every number of an inertial, with its name."""
    if inertial.mass is not None:
        yield "mass", inertial.mass
    yield from zip((f"{_CENTER}{axis}" for axis in "xyz"), inertial.p_BoBcm_B, strict=True)
    yield from inertial.I_BBcm_Bi.items()


class CenterOutsideGeometry(DoubtRule):
    """The centre of mass lies outside the shapes of the body.

    ## What it does
    Reports a centre of mass outside the convex hull of the body's shapes and joints, by more than a
    tenth of their extent; where a body has visual and collision shapes, outside both.

    ## Why is this bad
    A lost sign, millimetres, or coordinates in the CAD assembly's frame put it there, and the joint
    carries a torque that the robot does not feel.

    ## Example
        <link name="finger">
          <inertial>
            <origin xyz="0 0 -0.1"/>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0001"/>
          </inertial>
          <visual><origin xyz="0 0 0.1"/><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>

    ## Use instead
    The sign: `<origin xyz="0 0 0.1"/>`.

    ## Tolerance
    0.1 of the diagonal of the box about the shapes; 0.3 where some of the body's shapes cannot be
    read. With the preset strict 0.02 and 0.06.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC201", "center-outside-geometry", Severity.WARNING


class CenterFarAway(DoubtRule):
    """The centre of mass is out of all proportion to the body.

    ## What it does
    Reports, where no geometry can be read, a centre of mass that is thirty times as far from the
    body's origin as the mass spreads and the joints reach, together.

    ## Why is this bad
    It is what millimetres look like in a file of metres.

    ## Example
        <origin xyz="0 12 95"/>
        <mass value="1.2"/>
        <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Use instead
        <origin xyz="0 0.012 0.095"/>
        <mass value="1.2"/>
        <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Tolerance
    30 times; 10 times with the preset strict. Parts of vehicles whose frames all stand at the
    vehicle's origin reach 15.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC202", "center-far-away", Severity.WARNING


class AddedMassNotPositiveDefinite(Rule):
    """A body and the added mass of its fluid have, together, no positive inertia in some direction.

    ## What it does
    Reports a <fluid_added_mass> of an SDF whose sum with the 6x6 inertia of the link, about the
    link's origin, is not positive definite; not where the link's own inertia is to blame, or is
    computed from its collisions.

    ## Why is this bad
    Some force accelerates the body backwards. libsdformat accepts the numbers; DART, to which
    Gazebo hands the sum, aborts if built with assertions, and else lets the body run away until
    NaN.

    ## Example
        <sdf version="1.10"><model name="buoy"><link name="hull">
          <inertial>
            <mass>20</mass>
            <inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>
            <fluid_added_mass><xx>-6</xx><yy>-24</yy><zz>-24</zz></fluid_added_mass>
          </inertial>
        </link></model></sdf>

    ## Use instead
    Positive added masses: `<xx>6</xx><yy>24</yy><zz>24</zz>`.

    ## Tolerance
    The least eigenvalue of the sum about the centre of mass, in units in which its masses and its
    inertias have the norm 1, is compared with the rounding of the arithmetic, 8 eps kappa; kappa is
    what the shift from the origin to the centre of mass cancels.

    ## Fix
    `fix` writes the nearest positive semidefinite added mass where that changes it by at most 5 %.
    Else by hand: the hydrodynamic derivatives of marine craft are minus the added masses that SDF
    asks for.

    ## References
    docs/engines.md, "Added mass in Gazebo and DART"; Fossen, Handbook of Marine Craft Hydrodynamics
    and Motion Control, 2011.
    """

    code, name = "IC403", "added-mass-not-positive-definite"
    severity = Severity.ERROR

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a body whose sum is not positive definite, all judged together."""
        told = [
            (body, body.inertial, judgement, added)
            for body, judgement in zip(self.model.bodies, examination.judgements, strict=True)
            if body.inertial is not None and body.inertial.fluid_added_mass
            if has_known_numbers(judgement, added := read_added_mass(body.inertial))
        ]
        if not told:
            return
        margins = measure_added_mass(
            [judgement for *_, judgement, _ in told], [added for *_, added in told]
        )
        for (body, inertial, *_), margin in zip(told, margins, strict=True):
            if is_to_blame(margin):
                yield self._of(body, inertial, margin)

    def _of(self, body: Body, inertial: Inertial, values: Margins) -> Finding:
        diagonal = [inertial.fluid_added_mass[i][i] for i in range(6)]
        negative = sum(number.value < 0 for number in diagonal)
        way = (
            f"{negative} of its 6 diagonal entries are negative: SDF asks for added masses, which "
            "hydrodynamic derivatives are the negatives of"
            if negative
            else "no product may exceed the root of the product of its two diagonal entries"
        )
        together, alone, fluid = (
            f"{values[name]:.3g}" for name in ("margin", "rigid_margin", "added_margin")
        )
        message = (
            f"body and fluid_added_mass together are not positive definite (margin {together}, "
            f"more than 0 is needed; the body alone {alone}, the added mass alone {fluid}); {way}"
        )
        numbers = [number for row in inertial.fluid_added_mass for number in row]
        about = [f"{row}{row}" for row, n in zip(ROWS, diagonal, strict=True) if n.value < 0]
        about = about or [f"{row}{column}" for row in ROWS for column in ROWS]
        span = hull(numbers, inertial.span)
        return self.at(span, message, body, dict(values), about=about)


NUMBER_RULES: tuple[type[Rule], ...] = (
    NegativeMass,
    MasslessWithInertia,
    MissingInertial,
    NonFiniteNumber,
    DefaultedInertial,
    CenterOutsideGeometry,
    CenterFarAway,
    TriangleInequalityViolation,
    NegativePrincipalMoment,
    ZeroInertia,
    NumericallyZeroInertia,
    RoundingViolation,
    SingularInertia,
    DigitsLost,
    AddedMassNotPositiveDefinite,
)
"""Rules about the numbers of one body, in the order of their codes."""
