"""The causes that shapes reveal: size, reference point, frame, formula, place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import Cause, Meant, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import (
    I_BBcm_Bi,
    box_text,
    find_gains,
    gains,
    reflect_twin,
    tidy,
    twin_of,
    with_centers,
    with_spreads,
)
from inertial_check.causes._wording import times_as_probable
from inertial_check.causes.axes import mirror_axes, transpose_axes
from inertial_check.evidence.formulas import APART
from inertial_check.evidence.likeness import Reading, readings_of
from inertial_check.evidence.twins import SIGNS
from inertial_check.inertia import resemblance

PLAIN = 2.0
"""Least likelihood ratio at which a reading is named as a cause."""

_TRANSPOSED, _MIRRORED = 0.15, 0.1
"""Shares of transposed principal axes and of mirrored axes among all wrong frames."""

_MISREADING = 0.1
"""Share of one misreading among the ten of the formulas of a primitive."""

_SIZE_OF_FORMULA = 50.0
"""Likelihood ratio of a size that a misread formula gives to three digits, beside any other wrong
size, where the misreading changes the size."""

_SIZE_OF_TWIN = 0.003
"""Likelihood ratio of a size that was chosen to agree with the twin: twins agree to three digits,
and a size that was chosen does so by itself."""

_LEAST_OF_FORMULA = 500.0
"""Least likelihood ratio of a tensor that agrees with a misread formula to three digits in all
entries, whatever the other shapes of the body say."""


def reread(subject: Subject, cause: Cause) -> Iterator[Proposal]:
    """The readings of a cause that make the body far more probable.

    Args:
        subject: A body.
        cause: SignOfProducts, AboutLinkOrigin or WrongFrame.
    """
    if subject.kind != "stated":  # sign-of-products is asked about impossible bodies, too
        return
    own = list_readings(subject, cause.name)
    for (reading, share), gain in zip(own, find_gains(cause, subject).tolist(), strict=True):
        if gain > PLAIN:
            yield Proposal(
                gain * share,
                f"{reading.what} the tensor fits {_witness(subject)} far better "
                f"({_misfits(subject, reading)}{times_as_probable(gain)}): "
                + box_text(subject.mass, reading.C_BBcm_B),
                I_BBcm_Bi=I_BBcm_Bi(subject, subject.mass, reading.C_BBcm_B),
                gain=gain,
            )


def _misfits(subject: Subject, reading: Reading) -> str:
    """The misfit from the shapes before and after a reading; "" without shapes."""
    likeness = subject.examination.likeness
    rows = likeness.body == subject.index
    if not np.any(rows):
        return ""
    after = resemblance.misfit(reading.C_BBcm_B, likeness.C_GGcm_B[rows])
    best = int(np.argmin(after))
    return f"misfit {likeness.misfit[rows][best]:.3g}, then {after[best]:.3g}; "


def meant_by_readings(subject: Subject, cause: Cause) -> Meant | None:
    """The body with the spread of each of the readings of a cause; None without any."""
    readings = list_readings(subject, cause.name) if subject.kind == "stated" else []
    if not readings:
        return None
    return with_spreads(subject, np.array([reading.C_BBcm_B for reading, _ in readings]))


def list_readings(subject: Subject, cause: str) -> list[tuple[Reading, float]]:
    """The readings of a body that a cause explains, with the share of each among them."""
    if not subject.readings:
        for each in readings_of(subject.examination, subject.index):
            subject.readings.setdefault(each.cause, []).append(each)
    usual = subject.readings.get(cause, [])
    parts = [(1.0, usual)]
    if cause == "wrong-frame":
        parts = [
            (1 - _TRANSPOSED - _MIRRORED, usual),
            (_TRANSPOSED, list(transpose_axes(subject))),
            (_MIRRORED, list(mirror_axes(subject))),
        ]
    return [(reading, share / len(readings)) for share, readings in parts for reading in readings]


def _witness(subject: Subject) -> str:
    """What a body is compared with."""
    likeness = subject.examination.likeness
    other = twin_of(subject)
    names = ["the body's shapes"] if likeness.known[subject.index] else []
    names += [] if other is None else [subject.examination.model.bodies[other].name]
    return " and ".join(names) or "other bodies"


class SizeMismatch(Cause):
    """Mass and inertia are of another size than the shapes, by no unit's factor.

    ## What happened
    The part was scaled after its mass properties were taken, the numbers are those of another
    version or of a whole subassembly, or the mass was adapted and the inertia was not.

    ## How it is recognised
    The root mean square distance of the mass from its centre differs from that of the shapes by
    more than honest links do, and no unit explains it.

    ## Example
        <link name="link">
          <inertial>
            <mass value="2"/>
            <inertia ixx="0.08" ixy="0" ixz="0" iyy="0.08" iyz="0" izz="0.016"/>
          </inertial>
          <visual><geometry><box size="0.1 0.1 0.24"/></geometry></visual>
        </link>

    ## What undoes it
    The numbers of this part. The edit scales the tensor to the size of the shapes, and keeps its
    form.

    ## What people search for
    "scale mesh URDF inertia"; "inertia too large for mesh"; "inertia too small unstable".

    ## References
    The plausibility page.
    """

    name, prior = "size-mismatch", 0.05
    kinds = frozenset({"stated"})
    any_size = True

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its tensor scaled to the size of the shapes, and to that of the twin."""
        ratios = np.array([*self._ratios(subject).values()])
        return with_spreads(subject, _scale_down(subject, ratios)) if len(ratios) else None

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor scaled to the size of the shapes."""
        gain = find_gains(self, subject).copy()
        if not len(gain):
            return
        gain[1:] *= _SIZE_OF_TWIN
        best = int(np.argmax(gain))
        if gain[best] > PLAIN:
            found = self._ratios(subject)
            ratios = np.array([*found.values()])
            (C_BBcm_B,) = _scale_down(subject, ratios[[best]])
            yield Proposal(
                float(gain[best]),
                f"mass and inertia are those of a body {ratios[best]:.3g} times the size of "
                f"{[*found][best]}; scaled, of {box_text(subject.mass, C_BBcm_B)}",
                I_BBcm_Bi=tidy(subject.I_BBcm_Bi / ratios[best] ** 2),
            )

    def _ratios(self, subject: Subject) -> dict[str, float]:
        """Compute the ratios of the size of the body to those that it is compared with, by name."""
        assembly, likeness = subject.examination.assembly, subject.examination.likeness
        ratios = likeness.size_ratio[likeness.body == subject.index]
        if not len(ratios):
            return {}
        found = {"the shapes": float(np.exp(np.mean(np.log(ratios))))}
        other = twin_of(subject)
        if other is not None:
            name = subject.examination.model.bodies[other].name
            found[name] = float(assembly.size[subject.index] / assembly.size[other])
        return found


def _scale_down(subject: Subject, ratios: Floats) -> Floats:
    """(n, 3, 3) spreads of the body made smaller by (n,) ratios [m^2]."""
    C_BBcm_B: Floats = subject.examination.assembly.C_BBcm_B[subject.index]
    return C_BBcm_B / ratios[:, None, None] ** 2


class AboutLinkOrigin(Cause):
    """The tensor is about the link's origin, not about the centre of mass.

    ## What happened
    CAD reports the inertia about the origin of the coordinate system and about the centre of mass;
    the wrong block was copied. URDF, SDF and MJCF want it about the centre of mass.

    ## How it is recognised
    Less m (|c|^2 1 - c c^T) the tensor is still one that a body can have, and it fits the shapes or
    the twin far better.

    ## Example
        <link name="link">
          <inertial>
            <origin xyz="0 0 0.2"/>
            <mass value="2"/>
            <inertia ixx="0.107" ixy="0" ixz="0" iyy="0.107" iyz="0" izz="0.0008"/>
          </inertial>
          <visual><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.4"/></geometry></visual>
        </link>

    ## What undoes it
    The parallel-axis term subtracted once.

    ## What people search for
    "moments of inertia taken at the output coordinate system"; "taken at the center of mass and
    aligned with the output coordinate system" (SolidWorks); "Lxx, Ixx, Px".

    ## References
    Heins, Rigid Body Inertial Parameters, "Parallel Axis Theorem".
    """

    name, prior = "about-link-origin", 0.08
    kinds = frozenset({"stated"})

    def meant(self, subject: Subject) -> Meant | None:
        """The body with the term subtracted."""
        return meant_by_readings(subject, self)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor about the centre of mass."""
        yield from reread(subject, self)


class WrongFrame(Cause):
    """The right tensor stands in the wrong axes.

    ## What happened
    The axes of the CAD part are not those of the link: y up and z up were exchanged, axes were
    shifted cyclically, the rotation of the inertial's origin was left out, applied twice, or
    inverted; so does a quaternion whose vector part has the other sign.

    ## How it is recognised
    The principal moments fit the shapes, the principal axes are 20 degrees or more away, and one of
    these turns brings them there.

    ## Example
        <link name="wheel">
          <inertial>
            <mass value="2.6"/>
            <inertia ixx="0.0247" ixy="0" ixz="0" iyy="0.0247" iyz="0" izz="0.0435"/>
          </inertial>
          <collision>
            <origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.18" length="0.11"/></geometry>
          </collision>
        </link>

    ## What undoes it
    The six numbers in the link's axes, or the rotation of the inertial's origin.

    ## What people search for
    "Blender y up z up URDF"; "wheel inertia cylinder axis URDF"; "MuJoCo quat order wxyz".

    ## References
    husky/husky_description (the wheels' axis).
    """

    name, prior = "wrong-frame", 0.08
    kinds = frozenset({"stated"})

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its tensor turned."""
        return meant_by_readings(subject, self)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor, turned."""
        yield from reread(subject, self)


class WrongFormula(Cause):
    """A textbook formula was misread.

    ## What happened
    The moments of a box, cylinder or sphere were computed by hand: about another axis, without the
    mass, with 1/12 for 1/4, with the diameter for the radius, or for a thin rod.

    ## How it is recognised
    To three digits the moments are what such a misreading gives for the body's one shape.

    ## Example
        <link name="wheel">
          <inertial>
            <mass value="2"/>
            <inertia ixx="0.0036" ixy="0" ixz="0" iyy="0.0084667" iyz="0" izz="0.0084667"/>
          </inertial>
          <collision><geometry><cylinder radius="0.06" length="0.2"/></geometry></collision>
        </link>

    ## What undoes it
    Box: m/12 (y^2 + z^2) about x. Cylinder along z: m/12 (3 r^2 + h^2) about x and y, m/2 r^2 about
    z. Sphere: 2/5 m r^2.

    ## What people search for
    "moment of inertia cylinder URDF formula"; "xacro macro cylinder inertia".

    ## References
    Heins, Rigid Body Inertial Parameters, appendix (moments of solids).
    """

    name, prior = "wrong-formula", 0.06
    kinds = frozenset({"stated", "placeholder"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The moments of the formula as it is meant."""
        found = subject.examination.find_misreading(subject.index)
        if found is not None:
            moments = ", ".join(f"{moment:.6g}" for moment in found.moments)
            meant = resemblance.spread(subject.mass, np.diag(found.moments))
            spread = resemblance.rotate(subject.R_BBi, meant)
            gain = gains(subject, with_spreads(subject, spread[None]))
            resized = abs(np.sum(found.moments) / np.trace(subject.I_BBcm_Bi) - 1) > APART
            yield Proposal(
                max(float(gain[0]), _LEAST_OF_FORMULA)
                * _MISREADING
                * (_SIZE_OF_FORMULA if resized else 1.0),
                f"the moments are those of the body's {found.kind} with {found.mistake}; the "
                f"formula gives {moments} kg m^2",
                I_BBcm_Bi=tidy(np.diag(found.moments)),
                gain=float(gain[0]),
            )


class ComOutside(Cause):
    """A coordinate of the centre of mass has the wrong sign, or is in millimetres.

    ## What happened
    A minus was lost or added by hand, the y axis of the CAD part points the other way, or the three
    numbers are in millimetres or centimetres.

    ## How it is recognised
    With other signs, or divided by 1000 or 100, the centre of mass lies within the shapes, and
    where the twin has it.

    ## Example
        <link name="link">
          <inertial>
            <origin xyz="0 0 -0.1"/>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0001"/>
          </inertial>
          <visual><origin xyz="0 0 0.1"/><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>

    ## What undoes it
    The sign, or metres.

    ## What people search for
    "center of mass outside of link RViz"; "inertial origin xyz millimeters".

    ## References
    The plausibility page.
    """

    name, prior = "com-outside", 0.08
    kinds = frozenset({"stated", "placeholder"})

    _SCALES = (("in millimetres", 1e-3), ("in centimetres", 1e-2), ("in inches", 0.0254))

    def meant(self, subject: Subject) -> Meant | None:
        """The body with each of these centres of mass."""
        if not any(subject.judgement.p_BoBcm_B):
            return None
        return with_centers(subject, np.array(list(self._centers(subject).values())))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Every choice of signs, and other units."""
        ratio = find_gains(self, subject)
        if not (ratio > PLAIN).any():
            return
        meant = self._centers(subject)
        for (what, center), gain in zip(meant.items(), ratio.tolist(), strict=True):
            if gain > PLAIN:
                place = ", ".join(f"{x:.6g}" for x in center)
                yield Proposal(
                    gain / len(meant),
                    f"{what} the centre of mass ({place}) m fits {_witness(subject)} far better",
                    p_BoBcm_B=tidy(center),
                )

    def _centers(self, subject: Subject) -> dict[str, Floats]:
        """Other centres of mass, by how the written one is read."""
        p_BoBcm_B = subject.p_BoBcm_B
        meant = {f"read {what}": factor * p_BoBcm_B for what, factor in self._SCALES}
        for signs in product((1.0, -1.0), repeat=3):
            flipped = [axis for axis, sign in zip("xyz", signs, strict=True) if sign < 0]
            if flipped and all(p_BoBcm_B["xyz".index(axis)] for axis in flipped):
                meant[f"with the other sign of {' and '.join(flipped)}"] = p_BoBcm_B * signs
        return meant


class RotorInertia(Cause):
    """The inertia of a motor, as the joint feels it, was added to the link.

    ## What happened
    A rotor behind a gear of ratio n resists with n^2 times its inertia about the joint's axis. That
    belongs into armature (MJCF), rotor inertia (Drake) or a transmission; added to the link's
    tensor it also acts where it should not, and where armature is set too it counts twice.

    ## How it is recognised
    The tensor is larger than that of the shapes, or of the twin, about the joint's axis alone.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0034" ixy="0" ixz="0" iyy="0.0017" iyz="0" izz="0.0021"/>
          </inertial>
          <visual><geometry><box size="0.2 0.1 0.03"/></geometry></visual>
        </link>

    ## What undoes it
    The inertia of the link in the tensor, and that of the rotor where the format has a place for
    it.

    ## What people search for
    "reflected inertia URDF"; "armature MuJoCo rotor inertia gear ratio".

    ## References
    The plausibility page.
    """

    name, prior = "rotor-inertia", 0.03
    kinds = frozenset({"stated"})

    _LEAST = 0.2
    """Share of the trace from which an addition about one axis shows."""

    _SEEN = 40.0
    """Other errors hardly choose the joint's axis, and leave the rest as it was."""

    _REST = 0.15
    """Share of the trace that may be left besides."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without what it has about the joint's axis beyond the twin or the shapes."""
        axis_B = subject.body.axis_B
        if axis_B is None:
            return
        axis = np.array(axis_B)
        across = np.outer(axis, axis)
        I_BBcm_B = resemblance.rotate(subject.R_BBi, subject.I_BBcm_Bi)
        for what, link in self._links(subject):
            beyond = I_BBcm_B - link
            J = float(axis @ beyond @ axis)
            size = float(np.trace(I_BBcm_B))
            rest = float(np.linalg.norm(beyond - J * across))
            if self._LEAST * size < J and rest < self._REST * size:
                tensor = resemblance.rotate(subject.R_BBi.T, I_BBcm_B - J * across)
                meant = resemblance.spread(subject.mass, I_BBcm_B - J * across)
                gain = float(gains(subject, with_spreads(subject, meant[None]))[0])
                yield Proposal(
                    min(self._SEEN, gain),
                    f"about the joint's axis the tensor has {J:.4g} kg m^2 more than {what}, and "
                    "besides it is the same",
                    I_BBcm_Bi=tidy(tensor),
                )
                return

    def _links(self, subject: Subject) -> Iterator[tuple[str, Floats]]:
        """Tensors that the link may have without a rotor, body axes [kg m^2]."""
        assembly, likeness = subject.examination.assembly, subject.examination.likeness
        other = twin_of(subject)
        if other is not None and abs(assembly.mass[other] - subject.mass) < 0.05 * subject.mass:
            _, C_BBcm_B = reflect_twin(subject, other)
            theirs = resemblance.inertia(assembly.mass[other], C_BBcm_B)
            name = subject.examination.model.bodies[other].name
            written = resemblance.rotate(subject.R_BBi, subject.I_BBcm_Bi)
            reflected = SIGNS[:, :, None] * theirs * SIGNS[:, None, :]
            best = np.argmin(np.linalg.norm(reflected - written, axis=(1, 2)))
            yield f"that of {name}", reflected[best]
        for row in likeness.places_of(subject.index):
            C_G = likeness.C_GGcm_B[row]
            yield "that of the shapes, evenly filled,", resemblance.inertia(subject.mass, C_G)
