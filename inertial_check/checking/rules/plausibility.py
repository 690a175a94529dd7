"""IC5xx: numbers that some body has, but hardly this one.

IC506: what the shapes of a model are worth as evidence.

IC6xx: bodies beside each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.examination import Examination, Fault
from inertial_check.checking.evidence.formulas import list_mismatches
from inertial_check.checking.report import Finding, Severity, locate_entries
from inertial_check.checking.rules.base import Rule, count_noun, hull, name_some
from inertial_check.checking.rules.siblings import DoubtRule
from inertial_check.documents.model import ENTRIES
from inertial_check.documents.source import Span
from inertial_check.errors import UsageError


class PlaceholderInertia(DoubtRule):
    """The inertia is a power of ten times the identity.

    ## What it does
    Reports a power of ten on the diagonal and zeros beside it. Quiet where the shapes have that
    size and form; where no shape can be read, no other body has the tensor, and the cube has a
    usual density; and, as IC502 to IC505 and IC602, on light frames on a fixed joint.

    ## Why is this bad
    At 1 kg the identity is the inertia of a cube with edges of 2.45 m.

    ## Example
        <mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>

    ## Use instead
        <mass value="1"/>
        <inertia ixx="0.0021" ixy="0" ixz="0" iyy="0.0019" iyz="0" izz="0.0004"/>

    ## Tolerance
    None: exact powers of ten. Usual are 300 to 8,000 kg/m^3; with the preset strict no density is.
    A light frame weighs less than 1 % of the model, and its equivalent box is shorter than the
    links.

    ## Fix
    `inertial-check fix --method geometry` writes the inertia of the body's shapes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC501", "placeholder-inertia", Severity.WARNING


class SizeMismatch(DoubtRule):
    """Mass and inertia are those of a body twice as large as the shapes, or half as large.

    ## What it does
    Compares the root mean square distance of the mass from its centre, sqrt(tr(S_c) / m), with that
    of the volume of the body's shapes; reports a ratio above 2 or below 1/2. Where the centre of
    mass is not that of the shapes, a ratio that honest bodies reach there is only a note. Reports
    also a spread along an axis that no body has which lies in these shapes.

    ## Why is this bad
    Beyond 2 the numbers belong to another unit, part or mass.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.018" ixy="0" ixz="0" iyy="0.018" iyz="0" izz="0.0008"/>
          </inertial>
          <collision><geometry><box size="0.03 0.03 0.2"/></geometry></collision>
        </link>

    ## Use instead
    A tenth of the moments: ixx and iyy 0.0018, izz 0.00008.

    ## Tolerance
    A factor of 2, and 2.5 where some of the body's shapes cannot be read; 1.6 and 2 with the preset
    strict. For a warning 2.1 where the centres agree within 1 % of the extent, growing to 2.9 where
    they are 6 % apart. For spreads the box about the shapes is larger by a tenth of its diagonal, a
    fiftieth with strict.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC502", "geometry-size-mismatch", Severity.WARNING


class ImplausibleDensity(DoubtRule):
    """No material and no hollow link has this density.

    ## What it does
    Divides the mass by the volume of the body's shapes, or of the box about them; where no shape
    can be read, of the uniform box with the same mass and inertia. Reports less than 10 kg/m^3,
    more than 25,000, and, whatever the shapes, more than osmium's 22,590 of the ellipsoid with this
    mass and inertia, as every body with them is somewhere as dense. Where solid shapes of one role
    alone, often stand-ins for collisions, would be denser than osmium, or lighter than aerogel (1
    kg/m^3), a note says so by their kind; not where they are so small, a thousandth of that, that
    they stand for nothing.

    ## Why is this bad
    Foam has 15 kg/m^3. Outside, grams stand for kilograms, or the inertia is in another unit.

    ## Example
        <mass value="1.2"/>
        <inertia ixx="4000" ixy="0" ixz="0" iyy="4000" iyz="0" izz="1000"/>

    ## Use instead
        <mass value="1.2"/>
        <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Tolerance
    10 to 25,000 kg/m^3 of shapes (50 to 12,000 with the preset strict), 10 to 30,000 of boxes (50
    to 15,000). A box counts as at least a tenth of its length thick. Surfaces, overlapping shapes
    and shapes that could not be used give no volume. The ellipsoid is the largest within the
    printed digits, and needs no other tolerance.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page; the theory page, "Density from mass and inertia".
    """

    code, name, severity = "IC503", "implausible-density", Severity.WARNING


class AxesMismatch(DoubtRule):
    """The principal moments fit the shapes, the principal axes do not.

    ## What it does
    Reports a tensor whose principal axes are 20 degrees or more away from those of the shapes,
    where exchanging axes, a quarter turn, or leaving out or inverting the rotation of the
    inertial's origin makes it fit at least 2.5 times as well. A gain by chance is only a note.

    ## Why is this bad
    The numbers stand in the wrong frame, and the body resists most where it should resist least.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="2.6"/>
            <inertia ixx="0.0247" ixy="0" ixz="0" iyy="0.0247" iyz="0" izz="0.0435"/>
          </inertial>
          <collision>
            <origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.18" length="0.11"/></geometry>
          </collision>
        </link>

    ## Use instead
    The large moment about the cylinder's axis: iyy 0.0435, izz 0.0247.

    ## Tolerance
    20 degrees, 2.5 times as well (3 where some shapes cannot be read) and a misfit smaller by 0.15,
    in every role that the body has shapes for; 10 degrees, 2 (2.4) and 0.1 with the preset strict.
    Axes count where the spreads along them differ by 5 % of their sum. For a warning the misfit
    also falls by 2.5 times that of honest bodies (0.03 where the centres agree within 1 % of the
    extent, 0.18 where they are 6 % apart), or the turned tensor is that of the shapes to two
    digits.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC504", "axes-mismatch", Severity.WARNING


class UnlikeGeometry(DoubtRule):
    """The inertia does not look like the shapes, and another reading of the same numbers does.

    ## What it does
    Reports a tensor far from that of the shapes, where another reading fits at least 2.5 times as
    well: the products with the other sign, or the tensor moved from the link's origin to the centre
    of mass. Also one that a misread textbook formula gives for the body's one shape, and one whose
    form is far from all shapes without a known misreading.

    ## Why is this bad
    The numbers are those of some body, so nothing but the geometry can show the mistake.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.00074" ixy="0" ixz="-0.0008" iyy="0.0017" iyz="0" izz="0.00103"/>
          </inertial>
          <collision>
            <origin rpy="0 0.7 0"/><geometry><box size="0.2 0.03 0.03"/></geometry>
          </collision>
        </link>

    ## Use instead
    The product with the other sign: ixz 0.0008.

    ## Tolerance
    2.5 times as well (3 where some shapes cannot be read) and a misfit smaller by 0.15; 2 (2.4) and
    0.1 with the preset strict; for a warning also by 1.5 times that of honest bodies (see
    axes-mismatch). Formulas: three printed digits. Another form: a misfit of 0.25 to 0.6, 4 times
    that of honest bodies (a rod and a ball have 0.82).

    ## Fix
    By hand: see its causes.

    ## References
    Heins, Rigid Body Inertial Parameters (sign of the products); the plausibility page.
    """

    code, name, severity = "IC505", "unlike-geometry", Severity.WARNING


class ModelWideMistake(Rule):
    """One mistake runs through the model: another reading of all its links fits them better.

    ## What it does
    Compares the numbers of all links, as written and in other readings, with shapes and materials:
    products with the other sign, tensors about the links' origins, another order, unit or rotation,
    sorted principal moments, too few decimals; centres of mass, or tensors with them, in the frame
    of the base, of the parents or of an assembly. Reports once a reading that three links or more
    speak for, and twice as many as against it; `bodies` in JSON names its links.

    ## Why is this bad
    Nearly symmetric links have the mistake too, and cannot show it alone.

    ## Example
        <link name="upper_arm">
          <inertial>
            <mass value="0.8"/>
            <inertia ixx="0.0018" ixy="0" ixz="-0.0018" iyy="0.0039" iyz="0" izz="0.0024"/>
          </inertial>
          <visual>
            <origin rpy="0 0.7 0"/><geometry><box size="0.24 0.04 0.04"/></geometry>
          </visual>
        </link>
        <link name="forearm">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.00045" ixy="0.00069" ixz="0" iyy="0.0013" iyz="0" izz="0.0017"/>
          </inertial>
          <visual>
            <origin rpy="0 0 0.5"/><geometry><box size="0.2 0.03 0.03"/></geometry>
          </visual>
        </link>
        <link name="hand">
          <inertial>
            <mass value="0.3"/>
            <inertia ixx="0.00018" ixy="0" ixz="0.00016" iyy="0.00037" iyz="0" izz="0.00031"/>
          </inertial>
          <visual>
            <origin rpy="0 -0.6 0"/><geometry><box size="0.12 0.05 0.02"/></geometry>
          </visual>
        </link>

    ## Use instead
    The same links with ixz 0.0018, ixy -0.00069 and ixz -0.00016.

    ## Tolerance
    A link speaks for a reading where it fits all its shapes at least twice as well, with a misfit
    smaller by 0.15, or where its numbers are those of no body and the reading makes some body's of
    them; for units where its size, or without shapes its density, is that of no link as written and
    usual then.

    ## Fix
    `inertial-check fix --select IC507` writes the numbers of all these links.

    ## References
    The plausibility page, "The model votes".
    """

    code, name, severity = "IC507", "model-wide-mistake", Severity.WARNING
    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding for each reading of the whole model that its bodies have voted for."""
        for election in examination.votes.elections:
            common = election[0]
            bodies = [self.model.bodies[index] for index in common.bodies]
            pro, contra = int(np.sum(common.pro)), int(np.sum(common.contra))
            count = count_noun(len(bodies), "body", "bodies")
            against = f"{count_noun(contra, 'body', 'bodies')} speak{'s' * (contra == 1)} against"
            message = (
                f"one mistake runs through {count} ({name_some([body.name for body in bodies])}): "
                f"{common.what}, {pro} of them {common.proof}, and "
                f"{against if contra else 'none speaks against'} it; {common.advice}"
            )
            values = {
                "cause": common.cause,
                "reading": common.what,
                "readings": {each.what: each.share for each in election},
                "proof": common.proof,
                "votes": pro,
                "votes_against": contra,
            }
            names: tuple[str, ...] = ENTRIES
            if common.cause == "com-outside":
                names = ("x", "y", "z")
            elif common.cause == "sign-of-products":
                names = ("ixy", "ixz", "iyz")
            elif not np.array_equal(common.mass, examination.votes.mass, equal_nan=True):
                names = ("mass", *ENTRIES)
            inertial = bodies[0].inertial
            span = bodies[0].span
            if inertial is not None:
                span = hull(inertial.I_BBcm_Bi.values(), inertial.span)
            finding = self.at(span, message, values=values)
            entries = [
                entry
                for body in (bodies if self.quotes else ())
                for entry in locate_entries(self.model, body, names, body.id)
            ]
            yield finding._replace(
                bodies=tuple(body.name for body in bodies),
                body_ids=tuple(body.id for body in bodies),
                entries=tuple(entries),
            )


_ALWAYS: frozenset[Fault] = frozenset({"unreadable", "empty", "inward"})
"""Faults that no mesh is meant to have; the others are normal for meshes that are only seen."""


class UnusableMesh(Rule):
    """A mesh that shows no volume as it stands.

    ## What it does
    Reports, once a model, the mesh files that cannot be read, hold no area, or have triangles that
    all face inwards; with `--preset strict` also meshes that are not closed, lie in a plane or run
    through themselves.

    ## Why is this bad
    Engines that compute inertia from meshes refuse such files, or compute negative masses.

    ## Example
        <link name="shell">
          <visual><geometry><mesh filename="inside_out.stl"/></geometry></visual>
        </link>

    ## Use instead
    The mesh with its faces turned outwards.

    ## Tolerance
    A mesh is closed where every edge is run through as often one way as the other; corners are one
    where they agree to single precision.

    ## Fix
    By hand.

    ## References
    MuJoCo XML reference, element mesh, attribute inertia; Mirtich, Fast and Accurate Computation of
    Polyhedral Mass Properties (1996).
    """

    code, name, severity = "IC506", "unusable-mesh", Severity.NOTE

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding for all meshes with a fault."""
        strict = examination.strictness == "strict"
        faults = [
            fault for fault in examination.geometry.faults if strict or fault.fault in _ALWAYS
        ]
        if not faults:
            return
        first = faults[0]
        shapes = self.model.bodies[first.body].shapes
        names = [f"{fault.uri} ({fault.fault})" for fault in faults]
        yield self.at(
            next(shape.span for shape in shapes if shape.uri == first.uri),
            f"{count_noun(len(faults), 'mesh', 'meshes')} without a volume: {name_some(names)}. "
            "The first: "
            f"{first.reason}; export it again as a closed surface that faces outwards",
            values={"meshes": len(faults)},
        )


class TwinsDiffer(DoubtRule):
    """The left body is no mirror image of the right one.

    ## What it does
    Compares twins, whose names differ in the side alone, reflected in the plane in which the model
    is mirrored at the zero pose of its joints, or in their own axes where one part is mounted
    twice. Where there is no such symmetry, only masses and moments count, and tensors whose axes
    lie along each other. One side is named where its own shapes alone contradict it, or one
    misreading of its tensor makes it the mirror image; else both.

    ## Why is this bad
    One side has a lost sign, a copied block, or the numbers of an older revision.

    ## Example
        <link name="left_finger">
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.000004"/>
          </inertial>
        </link>
        <link name="right_finger">
          <inertial>
            <mass value="0.15"/>
            <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.000004"/>
          </inertial>
        </link>

    ## Use instead
    The same mass on both sides.

    ## Tolerance
    Masses by a factor of 1.2, unless those with all that they carry differ by less than a fifth of
    it; all else by 15 % of the size; 1.05 and 5 % with the preset strict; and four times what six
    of ten pairs stay below. Quiet about shapes that differ in size by a fifth, copies with the same
    shapes, turned parts, and what another finding explains.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page, "What is compared".
    """

    code, name, severity = "IC601", "twins-differ", Severity.WARNING


class CopiedInertial(DoubtRule):
    """Two bodies that look different have the same ten numbers.

    ## What it does
    Reports bodies with the same mass, centre of mass and tensor, digit by digit, whose shapes
    differ in size, volume, form or place about the centre of mass. The body whose shapes the
    numbers fit keeps them. Without shapes it compares the distances of the joints, and, for numbers
    from a drawing (a tensor with products; a centre off the origin and three different moments) or
    shapes of different kinds, the names of the mesh files; the body whose centre lies between its
    joints keeps them. Parts mounted twice or mirrored, twins, and fingers and wheels of one family,
    whose mesh files alone differ, are no copies.

    ## Why is this bad
    One of the blocks was copied and never filled in.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.00008"/>
          </inertial>
          <collision><geometry><box size="0.03 0.03 0.2"/></geometry></collision>
        </link>
        <link name="tip">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.00008"/>
          </inertial>
          <collision><geometry><box size="0.03 0.03 0.15"/></geometry></collision>
        </link>

    ## Use instead
    The numbers of each body.

    ## Tolerance
    The numbers: none. The shapes: a factor of 1.2 in size or 1.3 in volume, 0.15 in form, a tenth
    of the extent in their place. The joints: a factor of 1.5, and 1.1 where the mesh files differ.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC602", "copied-inertial", Severity.WARNING


class RepeatedTensor(DoubtRule):
    """Bodies of different masses have the same tensor.

    ## What it does
    Looks at three or more bodies with the same six numbers, of which some weigh at least half as
    much again as the others. Quiet are bodies whose shapes have the size and form of the numbers.
    Where no shapes tell, it reports those whose mass and tensor give a box of no usual density, or
    else those that weigh otherwise than most.

    ## Why is this bad
    A tensor is proportional to the mass.

    ## Example
        <robot name="r">
          <link name="base">
            <inertial>
              <mass value="4"/>
              <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
            </inertial>
          </link>
          <link name="arm">
            <inertial>
              <mass value="2"/>
              <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
            </inertial>
          </link>
          <link name="hand">
            <inertial>
              <mass value="0.5"/>
              <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
            </inertial>
          </link>
        </robot>

    ## Use instead
    The inertia of each body.

    ## Tolerance
    The tensors: none. The masses: a factor of 1.5. Shapes fit up to a factor of 1.25 in size and a
    misfit of 0.25; usual are 300 to 8,000 kg/m^3.

    ## Fix
    `inertial-check fix --method geometry` writes the inertia of the bodies' shapes.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC603", "repeated-tensor", Severity.WARNING


class TotalMass(Rule):
    """The model does not weigh what it is said to weigh.

    ## What it does
    With --expect-mass KG or KG:REL, compares the sum of all masses with KG and reports a relative
    difference above REL (0.01).

    ## Why is this bad
    A link in grams or twice shows in no single body.

    ## Example
        <mass value="21"/> <!-- expect-mass 18.4 -->
        <inertia ixx="0.06" ixy="0" ixz="0" iyy="0.07" iyz="0" izz="0.08"/>

    ## Use instead
    18.4 kg.

    ## Tolerance
    0.01, or REL.

    ## Fix
    By hand.

    ## References
    None.
    """

    code, name, severity = "IC604", "unexpected-total-mass", Severity.WARNING
    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding on the document, where a mass was told and is missed."""
        if examination.expected_mass is None:
            return
        expected, tolerance = examination.expected_mass
        total = examination.assembly.total_mass
        if abs(total - expected) <= tolerance * expected:
            return
        unread = sum(
            judgement.verdict in {"missing", "derived", "invalid"}
            for judgement in examination.judgements
        )
        beside = f"; {unread} bodies state no mass that could be counted" if unread else ""
        yield self.at(
            Span(0, 0),
            f"the bodies weigh {total:.6g} kg together, {abs(total - expected):.3g} kg "
            f"{'more' if total > expected else 'less'} than the expected {expected:.6g} kg"
            f"{beside}",
            values={"mass": total, "expected_mass": expected, "tolerance": tolerance},
        )


class UnexpectedInertial(Rule):
    """A body does not have the numbers that a table expects of it.

    ## What it does
    With --expect TABLE, or `expect` in the configuration, compares mass, centre of mass and tensor
    of each body that the table names with its numbers.

    ## Why is this bad
    A data sheet or the CAD program knows the body; a number that differs is old or mistyped.

    ## Example
        <mass value="2.4"/> <!-- the table says 1.2 -->
        <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.004"/>

    ## Use instead
        <mass value="1.2"/> <!-- the table says 1.2 -->
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.002"/>

    ## Tolerance
    0.01, or `tolerance` of the row: of the mass; of the distance of the centre from the origin, or
    the radius of gyration if that is larger; of the root of the product of two diagonal entries.

    ## Fix
    By hand.

    ## References
    None.
    """

    code, name, severity = "IC508", "unexpected-inertial", Severity.ERROR

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """The findings on bodies that a row of the table names."""
        if not examination.expected:
            return
        from inertial_check.checking.expected import compare, correct, merge  # with a table

        path = self.model.source.path
        for index, body in enumerate(self.model.bodies):
            judgement, names = examination.judgements[index], (body.name, body.id)
            rows = [row for row in examination.expected if row.covers(names, path)]
            try:
                expected = merge(rows)
            except UsageError:  # the run fails and names both rows
                expected = merge(rows[:1])
            deviations = compare(judgement, expected)
            if not deviations:
                continue
            row = deviations[0].row
            source = f" ({row.source})" if row.source else ""
            shown = ", ".join(
                f"{each.column} is {'absent' if isnan(each.written) else f'{each.written:.6g}'}, "
                f"expected {each.expected:.6g}"
                for each in deviations
            )
            span = body.span if body.inertial is None else body.inertial.span
            values = {each.column: each.written for each in deviations}
            values |= {f"expected_{each.column}": each.expected for each in deviations}
            finding = self.at(
                span,
                f"unlike {row.place}{source}: {shown}",
                body,
                values | {"tolerance": row.tolerance},
                about=[each.column.removeprefix("com_") for each in deviations],
            )
            yield finding._replace(causes=correct(examination, index, expected))


class DigitsDisagree(DoubtRule):
    """Two bodies have the same digits, which refute each other, or a body's own refute it.

    ## What it does
    Compares the printed numbers of all bodies, digit by digit and whatever their names. Two with
    the digits of one part are that part, mirrored or turned by quarter turns: one of 48 exchanges
    of the axes takes centre and tensor of one to those of the other. Reports a pair that none of
    them fits: in signs alone, in the places of the numbers, by a power of ten, in one number of ten
    (two of the tensor), or in the tensor beside an equal mass and centre. One side is named where
    further bodies agree with the other, no body has its numbers, or its own shapes contradict it;
    else both. A body is compared with itself where two or more files beside the document, most of
    them alike, have other numbers for it and none its own: as it stands, where the rest of the link
    is the same letter for letter. Reports also a body whose products are, digit for digit and with
    one sign, m x y, m x z and m y z of its own mass and centre: what the parallel-axis term leaves
    of a body without products about its centre; and one of which one product is 0 beside two that
    are not: a plane of symmetry leaves one product.

    ## Why is this bad
    One of the two is wrong, however small the number is.

    ## Example
        <link name="left_arm">
          <inertial>
            <origin xyz="0.0612 -0.0224 0.0128"/>
            <mass value="1.563"/>
            <inertia ixx="0.00247" ixy="0.00081" ixz="-0.0012" iyy="0.00613" iyz="-0.00049"
                     izz="0.0067"/>
          </inertial>
        </link>
        <link name="right_arm">
          <inertial>
            <origin xyz="0.0612 0.0224 0.0128"/>
            <mass value="1.563"/>
            <inertia ixx="0.00247" ixy="0.00081" ixz="-0.0012" iyy="0.00613" iyz="-0.00049"
                     izz="0.0067"/>
          </inertial>
        </link>

    ## Use instead
    Products that are mirrored with the centre: ixy -0.00081 and iyz 0.00049 on the right.

    ## Tolerance
    Equal numbers: none. Together they have 11 digits or more, two of them three each. Quiet about
    numbers below a part in 100,000 of the largest of their kind (500 with fewer than three digits);
    a single number that differs by less than a thousandth of it, or by rounding; tensors that
    differ by less than 2 %; a centre that another origin of the link explains; other files where
    the body's shapes or its twin have its numbers, and more than 64 bodies of a document. Products
    of one body: a chance of 1 in 1,000, from the rounding of the numbers beside the largest moment;
    two with four digits or more, each above 0.05 % of the trace, beside one that is 0.

    ## Fix
    By hand: see its causes.

    ## References
    The plausibility page, "Equal digits".
    """

    code, name, severity = "IC605", "digits-disagree", Severity.WARNING


class FormulaDimensions(Rule):
    """A formula of an inertia adds terms of different dimensions, or is no inertia.

    ## What it does
    Reads the expressions of xacro that compute moments and products of inertia. Names tell lengths
    (radius, length, width, height, h, r, x ...) and masses (mass, m). Reports a sum of terms of
    different dimensions, and a result that is no mass times a squared length.

    ## Why is this bad
    A square is missing, or a factor: `m*(3*r + h*h)/12` for `m*(3*r*r + h*h)/12` is right for a
    radius of 1 m alone.

    ## Example
        <robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
          <xacro:property name="mass" value="2"/>
          <xacro:property name="radius" value="0.05"/>
          <xacro:property name="height" value="0.4"/>
          <link name="column">
            <inertial>
              <mass value="${mass}"/>
              <inertia ixx="${mass*(3*radius + height*height)/12}" ixy="0" ixz="0"
                       iyy="${mass*(3*radius + height*height)/12}" iyz="0"
                       izz="${mass*radius*radius/2}"/>
            </inertial>
          </link>
        </robot>

    ## Use instead
    `${mass*(3*radius*radius + height*height)/12}`.

    ## Tolerance
    None. A formula with a name, a number or a function that tells no dimension is left alone.

    ## Fix
    By hand, in the expression.

    ## References
    xacro, property and math expressions; JCGM 200:2012, 1.7 (dimension of a quantity).
    """

    code, name, severity = "IC509", "formula-dimensions", Severity.WARNING
    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding on each expression, at the first body that it computes."""
        told: set[Span] = set()
        for body in self.model.bodies:
            for entry, span, complaint in list_mismatches(self.model, body):
                if span not in told:
                    told.add(span)
                    yield self.at(span, f"{entry}: {complaint}", body, about=(entry,))


class DefaultMaterial(Rule):
    """The parts of a model have one density of steel, which is a default material of programs.

    ## What it does
    Reports a model of whose parts with meshes, four different ones at least, half have one density
    between 7,700 and 8,050 kg/m^3 inside their closed visual or collision shapes.

    ## Why is this bad
    CAD programs fill parts for which no material is chosen with a default, and the arm weighs
    several times what it does.

    ## Example
        <robot name="r">
          <link name="base">
            <inertial>
              <origin xyz="0.1 0.1 0.1"/>
              <mass value="62.8"/>
              <inertia ixx="0.41867" ixy="0" ixz="0" iyy="0.41867" iyz="0" izz="0.41867"/>
            </inertial>
            <visual><geometry><mesh filename="cube.stl" scale="2 2 2"/></geometry></visual>
          </link>
          <link name="shoulder">
            <inertial>
              <origin xyz="0.075 0.075 0.075"/>
              <mass value="26.494"/>
              <inertia ixx="0.099352" ixy="0" ixz="0" iyy="0.099352" iyz="0" izz="0.099352"/>
            </inertial>
            <visual><geometry><mesh filename="cube.stl" scale="1.5 1.5 1.5"/></geometry></visual>
          </link>
          <link name="forearm">
            <inertial>
              <origin xyz="0.06 0.06 0.06"/>
              <mass value="13.565"/>
              <inertia ixx="0.032556" ixy="0" ixz="0" iyy="0.032556" iyz="0" izz="0.032556"/>
            </inertial>
            <visual><geometry><mesh filename="cube.stl" scale="1.2 1.2 1.2"/></geometry></visual>
          </link>
          <link name="wrist">
            <inertial>
              <origin xyz="0.05 0.05 0.05"/>
              <mass value="7.85"/>
              <inertia ixx="0.013083" ixy="0" ixz="0" iyy="0.013083" iyz="0" izz="0.013083"/>
            </inertial>
            <visual><geometry><mesh filename="cube.stl" scale="1 1 1"/></geometry></visual>
          </link>
        </robot>

    ## Use instead
    The masses of the data sheet, and tensors that belong to them.

    ## Tolerance
    Densities within 0.5 % of one, for half of the bodies with meshes and closed shapes.

    ## Fix
    By hand, or with a table of expected masses (`--expect`).

    ## References
    Autodesk Fusion help, "Materials" (a default physical material is applied to each component).
    """

    code, name, severity = "IC510", "default-material", Severity.WARNING
    explained = True

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding on the model."""
        likeness, bodies = examination.likeness, self.model.bodies
        densities = likeness.density[:, 1].tolist()
        # Solids that a person wrote, and no program exported, may be of steel.
        exported = {i for i, body in enumerate(bodies) if "mesh" in {s.kind for s in body.shapes}}
        pairs = zip(densities, likeness.body.tolist(), strict=True)
        inside = {each for each in pairs if each[0] > 0 and each[1] in exported}
        closed = {index for _, index in inside}
        low, high = limits.STEEL
        steels = sorted(each for each in inside if low <= each[0] <= high)
        if not steels:
            return
        densities = np.array([density for density, _ in steels])
        first = np.searchsorted(densities, densities * (1 - limits.ONE_MATERIAL))
        last = np.searchsorted(densities, densities * (1 + limits.ONE_MATERIAL), side="right")
        most = int(np.argmax(last - first))
        common = float(densities[most])
        same = sorted({index for _, index in steels[first[most] : last[most]]})
        masses = examination.assembly.mass[same]
        parts = len(set(masses.tolist()))
        if parts < limits.VOTES_OF_MATERIAL or len(same) < limits.MOST_OF_MATERIAL * len(closed):
            return
        total = float(np.sum(masses))
        votes = {"votes": len(same), "votes_against": len(closed) - len(same)}
        yield self.at(
            bodies[same[0]].span,
            f"{len(same)} of {len(closed)} bodies with closed shapes, {total:.4g} kg together, "
            f"have {common:.5g} kg/m^3 inside them "
            f"({name_some([bodies[i].name for i in same])}): solid steel, a default material "
            "of CAD programs",
            values={"density": common, "mass": total, **votes},
        )._replace(
            bodies=tuple([bodies[i].name for i in same]),
            body_ids=tuple([bodies[i].id for i in same]),
        )


SUSPICIONS: tuple[type[Rule], ...] = (
    PlaceholderInertia,
    SizeMismatch,
    ImplausibleDensity,
    AxesMismatch,
    UnlikeGeometry,
    UnusableMesh,
    ModelWideMistake,
    UnexpectedInertial,
    FormulaDimensions,
    DefaultMaterial,
    TwinsDiffer,
    CopiedInertial,
    RepeatedTensor,
    TotalMass,
    DigitsDisagree,
)
"""Rules about numbers that some body has, but hardly this one, by their codes."""
