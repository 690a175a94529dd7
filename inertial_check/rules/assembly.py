"""IC6xx: bodies beside each other."""

from __future__ import annotations

from collections.abc import Iterator

from inertial_check.evidence import Examination
from inertial_check.model import Finding, Severity, Span
from inertial_check.rules._base import Rule
from inertial_check.rules._doubts import DoubtRule


class TwinsDiffer(DoubtRule):
    """The left body is no mirror image of the right one.

    ## What it does
    Compares bodies whose names differ in the side alone (left and right, l_ and r_, FL and FR).
    The plane in which the model is mirrored is found from the model itself, at the zero pose of its
    joints: the one on which at least three pairs agree, or two where all joints are mirrored too,
    and six of ten in all. In that plane the centre of mass and the tensor of one side have to lie
    on those of the other. Arms that are one part mounted twice are compared in their own axes.
    Where no such symmetry is found, or the joints of a pair are not mirrored (another pose, another
    design), only masses and moments count, and tensors whose axes lie along each other. Sides that
    weigh the same with all that they carry only divide their mass otherwise.

    One side is named where its own shapes contradict it and those of the other do not, or where one
    misreading of its tensor (negated products, another point, other axes) makes it the mirror
    image; both where nothing tells which is wrong.

    ## Why is this bad
    A robot that is built symmetric walks and balances so. The side that is wrong has a lost sign, a
    copied block, or the numbers of an older revision.

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
        <link name="left_finger">
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.000004"/>
          </inertial>
        </link>
        <link name="right_finger">
          <inertial>
            <mass value="0.1"/>
            <inertia ixx="0.00002" ixy="0" ixz="0" iyy="0.00002" iyz="0" izz="0.000004"/>
          </inertial>
        </link>

    ## Tolerance
    Masses by a factor of 1.2, everything else by 15 % of the size of the bodies; 1.05 and 5 % with
    the preset strict. In models whose sides were measured apart, four times what six of ten pairs
    stay below. Quiet about parts whose shapes differ in size by a fifth, about copies with the same
    shapes, about parts that are turned and not mirrored, and about a difference that another
    finding on one of the two explains.

    ## Fix
    By hand: see the causes of the finding.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC601", "twins-differ", Severity.WARNING


class CopiedInertial(DoubtRule):
    """Two bodies that look different have the same ten numbers.

    ## What it does
    Reports bodies with the same mass, centre of mass and tensor, digit by digit, whose shapes are
    those of another part: of another size, volume or form, or otherwise placed about the centre of
    mass. Where the numbers fit the shapes of one of the bodies, they are its own, and the others
    are reported. Where no shapes can be read, it compares the distances of the joints, and, for
    numbers from a drawing (a tensor with products; a centre off the origin and three different
    moments) or shapes of different kinds, the names of the mesh files; the body whose centre lies
    between its joints keeps them.

    One part that is mounted twice or mirrored is no copy, nor are twins, nor fingers and wheels of
    one family, whose mesh files differ in the name and whose joints do not.

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
    By hand: see the causes of the finding.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC602", "copied-inertial", Severity.WARNING


class RepeatedTensor(DoubtRule):
    """Bodies of different masses have the same tensor.

    ## What it does
    Looks at three or more bodies with the same six numbers, digit by digit, of which some weigh at
    least half as much again as the others. A body whose own shapes have the size and form of its
    numbers is quiet, and so are those of its mass; the others are reported. Where no shapes tell,
    it reports those whose mass and tensor give a box of no usual density, or else those that weigh
    otherwise than most.

    ## Why is this bad
    A tensor is proportional to the mass. Somebody filled it in for one body, or for none.

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
    A link in grams, a link twice, a battery forgotten: none shows in a single body. The data sheet
    has the sum.

    ## Example
        <mass value="21"/> <!-- checked with the option expect-mass 18.4 -->
        <inertia ixx="0.06" ixy="0" ixz="0" iyy="0.07" iyz="0" izz="0.08"/>

    ## Use instead
        <mass value="18.4"/> <!-- checked with the option expect-mass 18.4 -->
        <inertia ixx="0.053" ixy="0" ixz="0" iyy="0.061" iyz="0" izz="0.07"/>

    ## Tolerance
    0.01, or REL.

    ## Fix
    By hand.

    ## References
    None: the number comes from you.
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
