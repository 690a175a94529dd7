"""IC1xx: the mass, and bodies without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isinf

from inertial_check.model import ENTRIES, Body, Finding, Inertial, Judgement, Number, Severity
from inertial_check.rules._base import BodyRule, mover

_CENTER = "com "
"""Beginning of the name of a coordinate of the centre of mass in messages."""


class NegativeMass(BodyRule):
    """The mass is negative.

    ## What it does
    Reports m < 0.

    ## Why is this bad
    Mass is the integral of a density that is nowhere negative. MuJoCo takes 0 instead, Drake a
    sphere of 1 kg, Newton removes mass and inertia; Pinocchio computes with it.

    ## Example
        <mass value="-1.2"/>

    ## Use instead
        <mass value="1.2"/>

    ## Tolerance
    None: the sign of the printed number.

    ## Fix
    By hand: no nearest positive mass exists (the nearest is 0, which is no body).

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
    Where there is no mass there is nothing to resist rotation: with m = 0 the density is zero
    everywhere, and so is I. Drake replaces such a body by a sphere of 1 kg, Newton clears the
    inertia, MuJoCo refuses it where a joint moves it.

    ## Example
        <mass value="0"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>

    ## Use instead
    The mass of the body; or, for a pure frame, no inertial element at all.

    ## Tolerance
    None: exact zeros of the printed numbers.

    ## Fix
    By hand: whether the mass or the inertia is the mistake cannot be known.

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
    fixed. A body on a fixed joint, or a root, is a pure frame and stays silent.

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
    By hand.

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
    One NaN reaches every state of a simulation within a few steps. Newton turns a NaN mass into 0.

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
        if body.inertial is None:
            return
        for what, number in _numbers(body.inertial):
            if isinf(number.value) or number.text.strip().lstrip("+-").lower().startswith("nan"):
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
    Reports a body whose mass, or whose moments of inertia, are those that the format gives to
    bodies that state none. In SDF they are 1 kg and diag(1, 1, 1) kg m^2, the whole of them or each
    for itself. A link of a static model never moves and stays silent, and so do the defaults that
    are zero: centre of mass, axes, products of inertia.

    ## Why is this bad
    It is a body that nobody chose: 1 kg with the inertia of a solid ball 3 m across. Next to a
    real finger it dominates the motion, and no engine says so. Where only izz is forgotten, a small
    body gets the izz of a large one, and its tensor is that of no body.

    ## Example
        <sdf version="1.9">
          <model name="gripper">
            <link name="finger">
              <inertial><mass>0.03</mass></inertial>
            </link>
          </model>
        </sdf>

    ## Use instead
        <sdf version="1.9">
          <model name="gripper">
            <link name="finger">
              <inertial>
                <mass>0.03</mass>
                <inertia><ixx>1.2e-05</ixx><iyy>1.2e-05</iyy><izz>2.5e-06</izz></inertia>
              </inertial>
            </link>
          </model>
        </sdf>

    ## Tolerance
    None: whether the numbers are written.

    ## Fix
    By hand: what is not written has no place in the file.

    ## References
    SDFormat specification, element inertial (the defaults of mass, ixx, iyy and izz).
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
