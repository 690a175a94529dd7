"""IC106 and IC712 to IC718: what USD says of a mass beside the numbers that are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import hypot

from inertial_check.checking.engines.usd import (
    contradicts,
    is_taken_by_newton,
    list_prims,
    list_wrong_shells,
    measure_disagreement,
    read_as_newton,
    read_tensor,
)
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.report import Finding, Severity
from inertial_check.checking.rules.base import BodyRule, Rule, count_noun, hull, name_some
from inertial_check.documents.model import Body, Judgement
from inertial_check.documents.source import Span
from inertial_check.inertia import tolerances

_DENSITY, _AXES, _MOMENTS, _NEWTON = (
    "physics:density",
    "physics:principalAxes",
    "physics:diagonalInertia",
    "newton:inertia",
)


class _SpellingRule(BodyRule):
    """A rule about bodies whose properties are spelled as attributes, which only USD's are."""

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on every body with such attributes."""
        for body, judgement in zip(self.model.bodies, examination.judgements, strict=True):
            if body.spellings:
                yield from self.check(body, judgement)


class NegativeDensity(_SpellingRule):
    """A density below zero on the prim of a body, of a collider or of its material in USD.

    ## What it does
    Reports a `physics:density` below zero.

    ## Why is this bad
    No matter has one. Newton takes it for unwritten and gives the body 1000 kg/m^3; OpenUSD
    computes a negative mass.

    ## Example
        def Cube "link" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"]
        )
        {
            float physics:density = -500
        }

    ## Use instead
    `float physics:density = 500`, or physics:mass.

    ## Tolerance
    None.

    ## Fix
    By hand.

    ## References
    UsdPhysics, PhysicsMassAPI (density "must be >= 0"); usd-validation-nvidia, MassChecker.
    """

    code, name, severity = "IC106", "negative-density", Severity.ERROR

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding for each prim with a density below zero."""
        for each in body.spellings:
            if each.name == _DENSITY and each.state == "written" and each.numbers[0].value < 0:
                (number,) = each.numbers
                yield self.at(
                    number.span or body.span,
                    f"{each.prim or body.id}: {_DENSITY} is {number.text} kg/m^3: no matter has a "
                    "negative density, and engines take 1000 kg/m^3 or a negative mass: write the "
                    "density, or physics:mass",
                    body,
                    {"density": number.value},
                )


class ContradictorySpellings(_SpellingRule):
    """newton:inertia and physics:diagonalInertia state different inertias of one body.

    ## What it does
    Compares the tensor of newton:inertia, in the axes of the body, with that of
    physics:diagonalInertia turned by physics:principalAxes, and says what Newton and engines that
    read UsdPhysics build.

    ## Why is this bad
    The same file is simulated as two robots: Newton takes newton:inertia, all others the other
    one. Version 0.3.0 of urdf-usd-converter wrote newton:inertia in the axes of the inertial.

    ## Example
        def Xform "elbow" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"]
        )
        {
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.00292, 0.002, 0.00292)
            quatf physics:principalAxes = (1, 0, 0, 0)
            double[] newton:inertia = [0.00292, 0.00292, 0.002, 0, 0, 0]
        }

    ## Use instead
    The same tensor twice: `newton:inertia = [0.00292, 0.002, 0.00292, 0, 0, 0]`.

    ## Tolerance
    1e-4 of the largest entry.

    ## Fix
    By hand: which of the two was meant is not known. `fix`, `fill` and `identify` write both where
    they agree.

    ## References
    Newton 1.8.0, utils/import_usd.py ("newton:inertia overrides"); newton-usd-schemas 0.6.0,
    NewtonMassAPI.
    """

    code, name, severity = "IC712", "contradictory-spellings", Severity.ERROR

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on a body with two tensors."""
        if not contradicts(body, judgement):
            return
        apart = measure_disagreement(body, judgement)
        numbers = body.find_numbers(_NEWTON)
        ours, theirs = body.find_numbers(_MOMENTS), hull(numbers, body.span)
        place = self.model.place(hull(ours, body.span))
        tensor = read_tensor(numbers)
        reading = read_as_newton(body, False)
        xx, xy, xz, yy, yz, zz = reading.tensor.tolist()
        shown = ", ".join(f"{value:.6g}" for value in (xx, yy, zz, xy, xz, yz))
        engines = f"Newton builds [{shown}]"
        if not is_taken_by_newton(tensor):
            engines = "Newton refuses it and builds the other one, too"
        moments = ", ".join(number.text for number in ours)
        yield self.at(
            theirs,
            f"{_NEWTON} and {_MOMENTS} = ({moments}) (line {place.line}) state two tensors, which "
            f"differ by {100 * apart:.3g} % of the largest entry: {engines}, engines that read "
            "UsdPhysics the other one: write the right one twice",
            body,
            {
                "apart": apart,
                "newton": tensor.tolist(),
                "physics": list(judgement.I_BBcm_B),
                "other_line": place.line,
            },
        )


class AxesNotUnit(_SpellingRule):
    """physics:principalAxes is no unit quaternion.

    ## What it does
    Reports axes whose length differs from 1 by more than 1e-4.

    ## Why is this bad
    Newton and this tool normalise it; a reader that does not scales the inertia with it.
    Validators refuse it.

    ## Example
        def Xform "elbow" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        )
        {
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.00292, 0.002, 0.00292)
            quatf physics:principalAxes = (0.7, 0.7, 0, 0)
        }

    ## Use instead
    `quatf physics:principalAxes = (0.70710677, 0.70710677, 0, 0)`.

    ## Tolerance
    1e-4, that of SimReady RB.008.

    ## Fix
    By hand.

    ## References
    SimReady RB.008; usd-validation-nvidia, MassChecker (1e-5).
    """

    code, name, severity = "IC713", "axes-not-unit", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on axes of another length."""
        numbers = body.find_numbers(_AXES)
        length = hypot(*(number.value for number in numbers))
        if numbers and not abs(length - 1) <= tolerances.UNIT_AXES and length > 0:
            w, x, y, z = (f"{number.value / length:.8g}" for number in numbers)
            yield self.at(
                hull(numbers, body.span),
                f"{_AXES} has the length {length:.6g}, expected 1: write ({w}, {x}, {y}, {z})",
                body,
                {"length": length},
            )


class HalfWritten(_SpellingRule):
    """A body states only some of the attributes that make its inertia.

    ## What it does
    Reports physics:diagonalInertia without physics:principalAxes, the axes without moments, and,
    beside a collider, an inertia without physics:centerOfMass.

    ## Why is this bad
    Without axes OpenUSD 26.11 returns memory that nobody wrote; axes alone turn nothing; without
    centerOfMass engines take the centre of the colliders, MuJoCo also mass and inertia, this tool
    the body's origin.

    ## Example
        def Xform "elbow" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        )
        {
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.00292, 0.002, 0.00292)
        }

    ## Use instead
    All four: `quatf physics:principalAxes = (1, 0, 0, 0)`, `point3f physics:centerOfMass = (0, 0,
    0)`.

    ## Tolerance
    None. The value that USD gives an unwritten attribute counts as unwritten.

    ## Fix
    By hand; `fill` writes all four.

    ## References
    usd-validation-nvidia, MassChecker ("both must be authored"); SimReady RB.007.
    """

    code, name, severity = "IC714", "half-written-inertia", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on a body that states a part."""
        moments, axes = body.find_numbers(_MOMENTS), body.find_numbers(_AXES)
        missing = []
        if moments and not axes:
            missing = [f"{_AXES} (the axes of the body: (1, 0, 0, 0))"]
        elif axes and not moments:
            missing = [_MOMENTS]
        solid = any(shape.role == "collision" for shape in body.shapes)
        if moments and solid and not body.find_numbers("physics:centerOfMass"):
            missing.append("physics:centerOfMass, without which engines take that of the colliders")
        if missing:
            present = _MOMENTS if moments else _AXES
            yield self.at(
                hull(moments or axes, body.span),
                f"{present} stands without {' and '.join(missing)}: write it",
                body,
                {"missing": len(missing)},
            )


class UnwrittenMass(_SpellingRule):
    """A body with colliders has no mass and no density anywhere.

    ## What it does
    Reports a body with a collider for which no mass above zero and no density is written, on its
    prim, its colliders or the materials that are bound to them.

    ## Why is this bad
    Engines fill its colliders with 1000 kg/m^3, a hollow cover with water.

    ## Example
        def Cube "link" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
        )
        {
        }

    ## Use instead
    PhysicsMassAPI with `float physics:mass`, or a density.

    ## Tolerance
    None.

    ## Fix
    `inertial-check fill` computes it from shapes and known masses; else by hand.

    ## References
    SimReady RB.007 and RB.011; UsdPhysics, PhysicsMassAPI.
    """

    code, name, severity = "IC715", "unwritten-mass", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on a body that is filled with water."""
        if not body.spellings or body.inertia_from != "geometry":
            return
        stated = (each for each in body.spellings if each.name in ("physics:mass", _DENSITY))
        if not any(each.state == "written" for each in stated):
            yield self.at(
                body.span,
                "no mass and no density is written on this body, its colliders or their materials: "
                "engines fill the colliders with 1000 kg/m^3: write physics:mass",
                body,
            )


class StageConvention(Rule):
    """The stage has other units or axes than standards for robots in USD ask for.

    ## What it does
    Notes metersPerUnit and kilogramsPerUnit other than 1, an upAxis other than Z, and a written
    timeCodesPerSecond other than 1. The numbers are converted and judged all the same.

    ## Why is this bad
    Newton 1.8 reads the numbers of such a stage as metres and kilograms, and a referenced layer is
    never converted by anyone.

    ## Example
        #usda 1.0
        (
            metersPerUnit = 0.01
            upAxis = "Y"
        )
        def Xform "elbow" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        )
        {
            float physics:mass = 1
        }

    ## Use instead
    `metersPerUnit = 1`, `kilogramsPerUnit = 1`, `upAxis = "Z"`, with the numbers in these units.

    ## Tolerance
    None. A metersPerUnit that is not written is IC002.

    ## Fix
    By hand.

    ## References
    SimReady UN.006, UN.007; REP 0158:2026 (draft), 1.1.1, 1.1.2, 1.1.3, 1.1.5.
    """

    code, name, severity = "IC716", "stage-convention", Severity.NOTE

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding on a stage with bodies."""
        stage = self.model.stage
        if stage is None or not self.model.bodies:
            return
        rows = [
            ("metersPerUnit", stage.written_meters, 1.0),
            ("kilogramsPerUnit", stage.kilograms, 1.0),
            ("upAxis", stage.up, "Z"),
            ("timeCodesPerSecond", stage.seconds if stage.seconds_written else 1.0, 1.0),
        ]
        wrong = {name: value for name, value, right in rows if value != right}
        if wrong:
            shown = ", ".join(
                f"{name} {value if isinstance(value, str) else format(value, 'g')}"
                for name, value in wrong.items()
            )
            right = ", ".join(str(each) for name, _, each in rows if name in wrong)
            yield self.at(
                Span(0, 0),
                f"the stage has {shown}; standards for robots ask for {right}, and Newton takes "
                "its numbers as metres and kilograms",
                values=wrong,
            )


class DisputedSpelling(Rule):
    """The document writes newton:inertia, which one standard asks for and another forbids.

    ## What it does
    Notes a document with a newton:inertia: NEWTON.MAS.001 of SimReady specifies its six numbers,
    and the draft REP 0158 (1.3) says that arrays of six values must not be written for an inertia.

    ## Why is this bad
    No file meets both.

    ## Example
        def Xform "elbow" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"]
        )
        {
            float physics:mass = 1
            double[] newton:inertia = [0.00292, 0.002, 0.00292, 0, 0, 0]
        }

    ## Use instead
    physics:diagonalInertia with physics:principalAxes alone, which every engine reads.

    ## Tolerance
    None.

    ## Fix
    By hand, or `--ignore IC717`.

    ## References
    REP 0158:2026 (draft), 1.3; simready-foundation 2026.8.0, NEWTON.MAS.001.
    """

    code, name, severity = "IC717", "disputed-spelling", Severity.NOTE

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding on a document."""
        bodies = [
            body
            for body, judgement in zip(self.model.bodies, examination.judgements, strict=True)
            if body.find_numbers(_NEWTON) and not contradicts(body, judgement)
        ]
        if bodies:
            yield self.at(
                hull(bodies[0].find_numbers(_NEWTON), bodies[0].span),
                f"{count_noun(len(bodies), 'body', 'bodies')} "
                f"({name_some([body.name for body in bodies])}) with {_NEWTON}: NEWTON.MAS.001 "
                "specifies it, the draft REP 0158 (1.3) forbids it: no file meets both",
                values={"bodies": len(bodies)},
            )


class ShellOfSomeEngines(_SpellingRule):
    """A collider spreads its mass over a shell for some engines and over its volume for others.

    ## What it does
    Reports a newton:massModel other than solid and shell, a newton:shellThickness that is no
    length, and, where mass or inertia of the body come from its colliders, a collider that is a
    shell by newton:massModel, mjc:shellinertia or mjc:inertia.

    ## Why is this bad
    Newton reads newton:massModel, MuJoCo reads mjc:shellinertia and mjc:inertia, UsdPhysics and
    PhysX read neither: the same density makes bodies of different mass and inertia.

    ## Example
        def Cube "link" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"]
        )
        {
            float physics:density = 500
            uniform token newton:massModel = "shell"
        }

    ## Use instead
    The mass and inertia of the body: `float physics:mass`, `float3 physics:diagonalInertia` and
    the others.

    ## Tolerance
    None.

    ## Fix
    `inertial-check fill`, or by hand.

    ## References
    newton-usd-schemas 0.6.0, NewtonMassAPI; SimReady NEWTON.MAS.001; MuJoCo,
    usd_decoder.cc, ParseMjcPhysicsCollisionAPI.
    """

    code, name, severity = "IC718", "shell-of-some-engines", Severity.WARNING

    def check(self, body: Body, judgement: Judgement) -> Iterable[Finding]:
        """One finding on each collider, and one on each value that Newton's schema forbids."""
        for path, prim in list_prims(body):
            for name in list_wrong_shells(prim):
                (number,) = prim[name].numbers
                right = "solid or shell" if name == "newton:massModel" else "a length above 0"
                yield self.at(
                    number.span or body.span,
                    f"{path or body.id}: {name} is {number.text}: expected {right}",
                    body,
                )
            shells = [
                (engine, name, prim[name].numbers[0])
                for name, (engine, text) in _SHELLS.items()
                if name in prim and prim[name].numbers[0].text == text
            ]
            if shells and body.inertia_from == "geometry":
                hollow = dict.fromkeys(engine for engine, _, _ in shells)
                solid = [each for each in ("UsdPhysics", "MuJoCo", "Newton") if each not in hollow]
                said = " and ".join(f"{name} = {number.text}" for _, name, number in shells)
                yield self.at(
                    shells[0][2].span or body.span,
                    f"{path or body.id}: {said}: a shell in {' and '.join(hollow)}, a solid in "
                    f"{' and '.join(solid)}: write physics:mass, physics:diagonalInertia and the "
                    "others on the body",
                    body,
                )


_SHELLS = {
    "newton:massModel": ("Newton", "shell"),
    "mjc:shellinertia": ("MuJoCo", "1"),
    "mjc:inertia": ("MuJoCo", "shell"),
}
"""Attributes that make a shell of a collider: the engine that reads each, and the value."""

USD_RULES: tuple[type[Rule], ...] = (
    NegativeDensity,
    ContradictorySpellings,
    AxesNotUnit,
    HalfWritten,
    UnwrittenMass,
    StageConvention,
    DisputedSpelling,
    ShellOfSomeEngines,
)
"""Rules about what USD alone has, in the order of their codes."""
