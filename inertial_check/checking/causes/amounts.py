"""The causes by unit: numbers in another unit than the one of the format.

The cause of a mass that was changed without its tensor.

The causes that other bodies of the model reveal: twins, copies, sums.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.causes.base import Cause, Meant, Proposal, Subject, number
from inertial_check.checking.causes.text import is_rough
from inertial_check.checking.causes.weighing import (
    I_BBcm_Bi,
    box_text,
    find_gains,
    gain_of_scaled_shapes,
    gains,
    is_stated,
    read_body,
    reflect_twin,
    tidy,
    twin_of,
    with_spreads,
)
from inertial_check.checking.evidence.fingerprints import list_contradictions
from inertial_check.checking.evidence.readings import MASSES, UNITS
from inertial_check.documents.model import Body
from inertial_check.inertia import tolerances

if TYPE_CHECKING:
    from inertial_check.checking.evidence.twins import TwinPairs


_FACTORS = np.array([*UNITS.values(), *(1 / unit for unit in UNITS.values())])

PLAIN = 3.0
"""Least likelihood ratio at which a unit is named as a cause."""

_MADE_UP = 0.1
"""Factor on the weight of a unit for tensors of one or two digits without products: a person made
them up in the format's unit, where a program that converts prints more digits."""

_UNFIT = 0.3
"""Factor on the weight of a unit that leaves the body another size than its shapes."""

_NEARER = 1 / 3
"""Part of the logarithm of a wrong size that a unit may leave: shapes that stand for a body badly
are a few times smaller or larger, and still show a unit of a thousand times."""

_ODD_DENSITY = 0.05
"""Factor on the weight of a mass and tensor in another unit together: of the body's form and size
nothing changes, so that an odd density alone says so, which any wrong mass has."""

_MASSES = 4
"""Readings of a mass in another unit: of grams and of tonnes, with the tensor and without."""


class Units(Cause):
    """The tensor, or the mesh beside it, is in another unit.

    ## What happened
    The tensor is in g mm^2, kg mm^2, g cm^2, lb in^2 or oz in^2, or was converted twice; mass and
    tensor are in g and g m^2; or the mesh is in millimetres without a scale.

    ## Signature
    Times the unit, or divided by it, the tensor is that of a body as large as the shapes, as the
    twin, or of a usual density.

    ## Example
        <mass value="1.2"/>
        <inertia ixx="4100" ixy="0" ixz="0" iyy="4000" iyz="0" izz="1000"/>

    ## Remedy
    The six numbers times the unit. For a mesh: scale="0.001 0.001 0.001".

    ## Searched for
    "mass properties units SolidWorks grams square millimeters"; "robot explodes".

    ## References
    The plausibility page.
    """

    name, prior = "units", 0.12
    kinds = frozenset({"stated"})

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its tensor times each unit, divided by each, and with all in grams."""
        C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
        factors = np.append(_FACTORS, 1.0)[:, None, None]
        meant = with_spreads(subject, factors * C_BBcm_B)
        return meant._replace(mass=meant.mass * np.append(np.ones(len(_FACTORS)), MASSES["grams"]))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """For each unit the tensor in kg m^2, where that is far more probable."""
        C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
        *every, grams = find_gains(self, subject)
        ratio = np.array(every)
        if grams > PLAIN:
            unit = MASSES["grams"]
            mass = float(tidy(unit * subject.mass))
            yield Proposal(
                grams / _MASSES * _ODD_DENSITY,
                f"with {number(mass)} kg in place of {number(subject.mass)} kg, and the tensor "
                f"times the same, it is {box_text(mass, C_BBcm_B)}; as written, "
                f"{box_text(subject.mass, C_BBcm_B)}",
                mass=mass,
                I_BBcm_Bi=tidy(unit * subject.I_BBcm_Bi),
            )
        made_up = _MADE_UP if is_rough(subject) else 1.0
        likeness = subject.examination.likeness
        sizes = likeness.size_ratio[likeness.body == subject.index]
        for row in np.flatnonzero(ratio > PLAIN).tolist():
            name, factor = list(UNITS)[row % len(UNITS)], _FACTORS[row]
            how = f"read as {name}" if row < len(UNITS) else f"divided by 1 {name}"
            meant = factor * C_BBcm_B
            off = np.min(np.abs(np.log(sizes * np.sqrt(factor))), initial=np.inf)
            before = np.min(np.abs(np.log(sizes)), initial=np.inf)
            fits = not len(sizes) or off < max(np.log(limits.LOOSE_SIZE), before * _NEARER)
            yield Proposal(
                ratio[row] / len(UNITS) * made_up * (1.0 if fits else _UNFIT),
                f"{how}, times {factor:.4g}, the tensor is that of "
                f"{box_text(subject.mass, meant)}; as written, of "
                f"{box_text(subject.mass, C_BBcm_B)}",
                I_BBcm_Bi=tidy(factor * subject.I_BBcm_Bi),
            )
        # Shapes a thousand times too large, or too small, for numbers that fit each other.
        ratios = sizes
        density = float(subject.examination.assembly.density[subject.index])
        if not (not len(ratios) or not 50 < density < 12_000):
            for millimetres_factor, what in (
                (1e-3, "millimetres"),
                (1e3, "metres, and scaled to millimetres"),
            ):
                if np.all(np.abs(np.log10(ratios / millimetres_factor)) < 0.5):
                    yield Proposal(
                        gain_of_scaled_shapes(subject, millimetres_factor),
                        f"mass and inertia fit each other ({density:.3g} kg/m^3), and the "
                        "shapes are "
                        f"{1 / ratios[0]:.3g} times their size: the mesh is in {what}",
                        editable=False,
                    )


class Density(Cause):
    """The mass is in grams or tonnes, or follows from a density that a program assumed.

    ## What happened
    The mass is in grams, and the inertia is not; or the density in CAD was 1 or 7.85 in place of
    1000 or 7850 kg/m^3.

    ## Signature
    With the mass a thousand times smaller or larger, or mass and tensor a thousand times larger,
    the body has a usual density and fits its shapes and its twin. Or different parts have one
    density of steel inside their shapes, within 0.5 %.

    ## Example
        <mass value="1200"/>
        <inertia ixx="0.0041" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Remedy
    The mass in kilograms, and the tensor that belongs to it; for an assumed density the masses of a
    data sheet.

    ## Searched for
    "default density SolidWorks URDF exporter"; "robot too heavy in Gazebo".

    ## References
    The plausibility page.
    """

    name, prior = "density", 0.06
    kinds = frozenset({"stated"})

    _TIMES = np.array([1e-3, 1e3, 1e3])
    _ALONE = np.array([True, True, False])
    """Factors of the mass, and whether the tensor stays as written."""

    def meant(self, subject: Subject) -> Meant | None:
        """A thousand times less or more, and more with the tensor."""
        C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
        spreads = np.where(self._ALONE, 1 / self._TIMES, 1.0)[:, None, None] * C_BBcm_B
        return with_spreads(subject, spreads)._replace(mass=self._TIMES * subject.mass)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The most probable of them."""
        ratio = find_gains(self, subject)
        row = int(np.argmax(ratio)) if len(ratio) else None
        if row is not None and ratio[row] > PLAIN:
            C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
            factor, alone = self._TIMES[row], self._ALONE[row]
            meant = 1 / factor * C_BBcm_B if alone else C_BBcm_B
            mass = float(tidy(factor * subject.mass))
            tensor = None if alone else tidy(factor * subject.I_BBcm_Bi)
            # Whether the tensor is that of the shapes at 1 kg/m^3, which programs assume.
            likeness = subject.examination.likeness
            at = list(likeness.places_of(subject.index))
            exact = np.abs(likeness.density[at, 1] - 1) < _SLACK
            assumed = np.any(exact & (np.abs(likeness.size_ratio[at] - 1) < _SLACK))
            yield Proposal(
                float(ratio[row]) / _MASSES * (1.0 if alone or assumed else _ODD_DENSITY),
                f"with {mass:.6g} kg in place of {subject.mass:.6g} kg"
                f"{', the tensor as written' if alone else ', the tensor times the same'}, "
                f"it is {box_text(mass, meant)}; as written, "
                f"{box_text(subject.mass, C_BBcm_B)}",
                mass=mass,
                I_BBcm_Bi=tensor,
            )


_FORM = 0.005
"""Misfit up to which a tensor is exactly that of the shapes: numbers computed from them agree to
three digits, numbers from CAD that shows more than the shapes do not."""

_DENSITIES = (1000.0, 1.0)
"""Densities [kg/m^3] that programs assume where they are told none: water (MeshLab, Blender, many
exporters), and one (trimesh)."""

_SLACK = 0.02
"""Relative deviation from such a density: of 181 bodies of another size than their shapes (IC502)
32 had the form of the shapes and 1000 kg/m^3 within it."""


class MassReplaced(Cause):
    """The mass was changed, and the inertia is still that of the old one.

    ## What happened
    Mesh tools assume a density. The mass was then replaced by the true one, and the inertia was
    not.

    ## Signature
    The tensor has exactly the form and axes of the body's shapes (misfit below 0.005), and it is
    theirs at 1000 kg/m^3 within 2 %, or at 1 kg/m^3, while the mass is another. Or another text
    has the nine other numbers beside another mass.

    ## Example
        <link name="link">
          <inertial>
            <mass value="0.35"/>
            <inertia ixx="0.007344" ixy="0" ixz="0" iyy="0.008112" iyz="0" izz="0.001632"/>
          </inertial>
          <visual><geometry><box size="0.1 0.06 0.24"/></geometry></visual>
        </link>

    ## Remedy
    The tensor times m / (rho V): that of the shapes with the mass as written.

    ## Searched for
    "MeshLab compute geometric measures inertia URDF".

    ## References
    The plausibility page.
    """

    name, prior = "mass-replaced", 0.05
    kinds = frozenset({"stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor of the shapes with the mass as written."""
        likeness = subject.examination.likeness
        for row in likeness.places_of(subject.index):
            volume = subject.mass / float(likeness.density[row, 1])
            if not likeness.misfit[row] < _FORM + subject.printed_misfit or not volume > 0:
                continue
            ratio = float(likeness.size_ratio[row])
            density = subject.mass * ratio**2 / volume
            assumed = min(_DENSITIES, key=lambda each: abs(np.log(density / each)))
            if abs(density / assumed - 1) > _SLACK or abs(ratio**2 - 1) < 2 * _SLACK:
                continue
            C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index] / ratio**2
            yield Proposal(
                float(gains(subject, with_spreads(subject, C_BBcm_B[None]))[0]),
                f"the tensor is exactly that of the body's shapes at {density:.4g} kg/m^3, which "
                f"would weigh {subject.mass * ratio**2:.4g} kg; times {1 / ratio**2:.4g} it is "
                f"theirs with the mass as written, {box_text(subject.mass, C_BBcm_B)}",
                I_BBcm_Bi=tidy(subject.I_BBcm_Bi / ratio**2),
            )
            return


_TWIN = 0.15
"""Largest distance between twins, relative to their size, at which they still count as twins."""

_OTHER_MASS, _OTHER_JOINTS = 1.5, 1.5
"""Ratios of the masses, and of the distances of their joints, from which two bodies are different
parts; one part can carry one more screw, or have its joints in other holes."""

_COPY = 60.0
"""Weight of a pair with the same ten numbers that are no mirror image: nothing but a copy agrees to
the last digit."""

_UNREFLECTED = 1e9
"""Weight of such a pair where a reflection would change the tensor too: a sign too many in the
centre explains the place, and no chance gives the equal tensors."""

_HEAVIER = 20.0
"""Weight of a pair that differs in the mass alone: no mistake in the tensor keeps its form."""

_DIFFERENT = 3.0
"""Weight of a pair that differs in any other way, as every mistake on one side makes it."""

_DECADE = 0.01
"""Distance of a ratio of masses from a power of ten, in decades, at which it is one of units."""


class Mirror(Cause):
    """One side was not reflected, or not kept up to date with the other.

    ## What happened
    One block was copied without changing the sign of y; or one side alone was measured, corrected
    or given a payload.

    ## Signature
    Twins have other masses or moments, or do not lie on each other when one is reflected in the
    plane of the model's other twins. The side that fits its shapes worse, or has the odd density,
    is the wrong one; else both are named.

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

    ## Remedy
    The numbers of the other side, reflected in that plane and written in the frame of this body:
    for a plane y = 0 and parallel frames the signs of y, I_xy and I_yz change.

    ## Searched for
    "mirror URDF inertia left right"; "robot drifts to one side".

    ## References
    The plausibility page.
    """

    name, prior = "mirror", 0.08
    kinds = frozenset({"stated"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The numbers of the other side, reflected."""
        other = twin_of(subject)
        if other is None:
            return
        assembly = subject.examination.assembly
        pairs, row = assembly.twin_pairs, assembly.twin_row(subject.index)
        if row is None or not _differ(pairs, row) or _shows_one_edit(subject, other):
            return
        mass = float(assembly.mass[other])
        weight = _weigh_mirror(subject, pairs, row, other)
        name = subject.examination.model.bodies[other].name
        told = bool(pairs.known[row])
        center, C_BBcm_B = reflect_twin(subject, other)
        meant = Meant(np.array([mass]), center[None], C_BBcm_B[None])
        yield Proposal(
            weight * min(float(gains(subject, meant, twin=False)[0]), 2.0),
            f"it is no mirror image of {name} ({mass:.6g} kg, here {subject.mass:.6g} kg; the "
            f"moments differ by {100 * pairs.moments[row]:.0f} %)"
            + ("" if told else "; no other twins tell how the axes of the two sides stand"),
            mass=mass if told and mass != subject.mass else None,
            p_BoBcm_B=tidy(center) if told else None,
            I_BBcm_Bi=I_BBcm_Bi(subject, mass, C_BBcm_B) if told else None,
            editable=told,
        )


def _shows_one_edit(subject: Subject, other: int) -> bool:
    """Whether digits prove that one number of a copy was edited, as edited-copy tells."""
    pair = {subject.index, other}
    return any(
        found.blamed == subject.index and len(found.of(subject.index)[1]) == 1
        for found in list_contradictions(subject.examination.assembly)
        if set(found.bodies) == pair
    )


def _weigh_mirror(subject: Subject, pairs: TwinPairs, row: int, other: int) -> float:
    """Likelihood ratio of a side that was not mirrored, from how the two sides differ."""
    from inertial_check.checking.evidence.twins import AGREEMENT  # which has compared the two

    judgements = subject.examination.judgements
    own, theirs = judgements[subject.index], judgements[other]
    same = (own.mass, own.p_BoBcm_B, own.I_BBcm_B) == (
        theirs.mass,
        theirs.p_BoBcm_B,
        theirs.I_BBcm_B,
    )
    if same:
        _, reflected = reflect_twin(subject, other)
        own_spread = subject.examination.assembly.C_BBcm_B[subject.index]
        changed = np.max(np.abs(reflected - own_spread))
        if pairs.known[row] and changed > tolerances.SAME_READING * np.max(np.abs(own_spread)):
            return _UNREFLECTED
        return _COPY
    decades = np.log10(pairs.mass[row])
    in_units = abs(decades - round(decades)) < _DECADE and decades > _DECADE
    if pairs.known[row] and np.max(pairs.offsets[row]) <= AGREEMENT and not in_units:
        return _HEAVIER
    return _DIFFERENT


def _differ(pairs: TwinPairs, row: int) -> bool:
    """Whether twins differ in mass, moments or place by more than CAD leaves."""
    offset = np.max(pairs.offsets[row]) if pairs.known[row] else pairs.apart[row]
    return bool(pairs.mass[row] > 1 + _TWIN or max(pairs.moments[row], offset) > _TWIN)


class CopiedBlock(Cause):
    """The ten numbers are those of another body.

    ## What happened
    A link was made by copying another, and its inertial never changed.

    ## Signature
    Mass, centre and tensor agree with those of another body to the last digit, although shapes or
    distances of joints differ. Where neither is known it counts for less. The tensor alone is a
    copy where it has three digits or more and the masses differ.

    ## Example
        <link name="finger">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.00008"/>
          </inertial>
          <visual><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>
        <link name="tip">
          <inertial>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.00008"/>
          </inertial>
          <visual><geometry><box size="0.03 0.03 0.09"/></geometry></visual>
        </link>

    ## Remedy
    The body's own numbers.

    ## Searched for
    "same inertia for all links URDF".

    ## References
    The discussions of compas-dev/compas_fab.
    """

    name, prior = "copied-block", 0.08
    by_digits = True
    kinds = frozenset({"impossible", "stated"})

    _OTHER_SHAPES, _DIFFERENT, _MOVED, _UNKNOWN = 1e4, 40.0, 2.0, 1.0
    """Likelihood ratios of equal numbers: on two bodies with other shapes, which no chance gives;
    with joints at other distances; with the same shapes elsewhere, as of a part that is mounted
    twice; and on two of which nothing is known, a fifth of which are different parts."""

    _OWNER, _SHARER, _UNLIKE_TWIN = 0.1, 0.5, 0.9
    """Probabilities that a body of two with the same numbers has them by copy: where its own shapes
    fit them and those of the others do not, where nothing tells whose they are, and at least where
    its twin has other ones."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose that the body is a copy; nothing tells what it was to be."""
        if subject.broken:
            yield from _broken_copy(subject)
        if subject.kind != "stated":
            return
        assembly = subject.examination.assembly
        row = assembly.twin_row(subject.index)
        twin = assembly.twin(subject.index)
        unreflected = row is not None and _differ(assembly.twin_pairs, row)
        for group in assembly.same_numbers:
            if twin in group and unreflected:
                continue  # the copy is that of the twin, and of what is like it
            others = [index for index in group if index not in (subject.index, twin)]
            if subject.index not in group or not others:
                continue
            weights = {index: self._compare_parts(subject, index) for index in others}
            weight = max(weights.values())
            if weight > 0:
                unlike = [index for index in others if weights[index] == weight]
                guilt = self._find_guilt(subject, unlike)
                if unreflected:  # the body on the other side has numbers of its own
                    weight, guilt = max(weight, self._DIFFERENT), max(guilt, self._UNLIKE_TWIN)
                yield Proposal(
                    weight,
                    f"the ten numbers are those of {_list_names(subject, unlike)}, to the last "
                    "digit",
                    editable=False,
                    guilt=guilt,
                )
        # The tensor of a body of another mass, with more digits than a placeholder has.
        for group in assembly.same_tensor:
            if subject.index not in group or is_rough(subject):
                continue
            ratio = assembly.mass[list(group)] / subject.mass
            pairs = zip(group, ratio.tolist(), strict=True)
            others = [index for index, r in pairs if not 1 / _OTHER_MASS < r < _OTHER_MASS]
            if others:
                # No chance gives one tensor to parts of three masses.
                masses = set(assembly.mass[others].tolist())
                yield Proposal(
                    self._OTHER_SHAPES if len(masses) > 1 else self._DIFFERENT,
                    f"the six numbers of the inertia are those of {_list_names(subject, others)}, "
                    f"to the last digit, and the mass is not ({subject.mass:.6g} kg here, "
                    f"{assembly.mass[others[0]]:.6g} kg there)",
                    editable=False,
                    guilt=self._find_guilt(subject, others),
                )

    def _find_guilt(self, subject: Subject, others: Sequence[int]) -> float:
        """Probability that the body, and not one of others with its numbers, has them by copy."""
        examination = subject.examination
        likeness = examination.likeness
        fitting, known = likeness.fitting, likeness.known
        if fitting[subject.index] != np.any(fitting[[*others]]) and known[subject.index]:
            return self._OWNER if fitting[subject.index] else 1.0
        density = examination.assembly.density
        low, high = limits.PLAUSIBLE
        usual = (density > low) & (density < high)
        if usual[subject.index] != np.any(usual[[*others]]):
            return self._OWNER if usual[subject.index] else 1.0
        return self._SHARER

    def _compare_parts(self, subject: Subject, other: int) -> float:
        """Likelihood ratio that two bodies with the same numbers are two different parts."""
        bodies = subject.examination.model.bodies
        looks = _describe_shapes(subject.body), _describe_shapes(bodies[other])
        if all(looks):
            if _strip_poses(looks[0]) != _strip_poses(looks[1]):
                return self._OTHER_SHAPES
            return self._MOVED if looks[0] != looks[1] else 0.0
        joints = subject.examination.assembly.skeleton[[subject.index, other]]
        if np.all(joints > 0):
            return self._DIFFERENT if np.max(joints) > _OTHER_JOINTS * np.min(joints) else 0.0
        return self._UNKNOWN


def _describe_shapes(body: Body) -> tuple[Hashable, ...]:
    """The shapes of a body as far as they show which part it is: kinds, sizes, meshes, poses."""
    return tuple(
        sorted(
            (shape.role, shape.kind, shape.dimensions, shape.uri or "", *shape[3:5], shape.scale)
            for shape in body.shapes
        )
    )


def _strip_poses(looks: Sequence[Hashable]) -> list[tuple[Hashable, ...]]:
    """The shapes without their poses."""
    return [(*each[:4], each[6]) for each in looks if isinstance(each, tuple)]


def _list_names(subject: Subject, others: Sequence[int]) -> str:
    """The names of other bodies, three at most."""
    names = ", ".join(subject.examination.model.bodies[index].name for index in others[:3])
    return f"{names}{' and others' if len(others) > 3 else ''}"


def _broken_copy(subject: Subject) -> Iterator[Proposal]:
    """A tensor that no body has, on two bodies that are not the same: one has it by copy at least.

    Which of the two, only another cause can tell, one that explains the tensor on the other.
    """
    own = subject.judgement
    same = subject.examination.copies[own.I_BBcm_Bi]
    names = [name for name, *rest in same if rest != [own.mass, own.p_BoBcm_B]]
    if names:
        yield Proposal(
            0.7,
            f"no body has this tensor, and {', '.join(names[:3])}, whose mass or centre of mass is "
            "another, has the same six numbers to the last digit",
            editable=False,
        )


class TotalMass(Cause):
    """This body makes the model heavier, or lighter, than it was said to be.

    ## What happened
    The mass is of an older revision, of a whole subassembly, or in another unit.

    ## Signature
    The expected mass (--expect-mass) is missed, and with the difference taken from this body, its
    tensor in proportion, the body has a more usual density.

    ## Example
    `inertial-check check --expect-mass 18.4 arm.urdf`, where one link of 2.6 kg was weighed with
    its gripper.

    ## Remedy
    The mass of this link alone.

    ## Searched for
    "URDF total mass".

    ## References
    None: the number comes from you.
    """

    name, prior = "total-mass", 0.02
    kinds = frozenset({"stated", "placeholder"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The body without what is too much."""
        expected = subject.examination.expected_mass
        if expected is None or not is_stated(subject):
            return
        beyond = subject.examination.assembly.total_mass - expected[0]
        mass = subject.mass - beyond
        if abs(beyond) <= expected[1] * expected[0] or mass <= 0:
            return
        now = read_body(subject)
        gain = float(gains(subject, now._replace(mass=np.array([mass])))[0])
        if gain > 1:
            yield Proposal(
                gain,
                f"the model weighs {abs(beyond):.4g} kg {'more' if beyond > 0 else 'less'} than "
                f"expected; with {mass:.6g} kg in place of {subject.mass:.6g} kg this body would "
                "make that good",
                mass=float(tidy(mass)),
                I_BBcm_Bi=tidy(subject.I_BBcm_Bi * (mass / subject.mass)),
            )
