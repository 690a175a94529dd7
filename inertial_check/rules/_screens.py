"""The comparisons behind IC2xx, IC5xx and IC6xx: arrays over the bodies, words where they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.evidence.assembly import Groups, times_the_identity
from inertial_check.evidence.formulas import misread_formula
from inertial_check.evidence.likeness import best_reading, readings_of
from inertial_check.inertia import resemblance
from inertial_check.rules import _limits
from inertial_check.rules._limits import Limits
from inertial_check.rules._phrases import between, beyond, box, having, length, point, times

Flags = npt.NDArray[np.bool_]
Where = Literal["mass", "center", "tensor", "inertial"]


class Doubt(NamedTuple):
    """What is suspicious about a body.

    Attributes:
        code: Of the rule that says it.
        where: Which of the written numbers it is about.
        message: One line.
        values: The numbers behind it.
    """

    code: str
    where: Where
    message: str
    values: dict[str, object]


Doubts = Iterator[tuple[int, Doubt]]
Found = Mapping[int, Doubt]


def placeholders(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Powers of ten times the identity."""
    assembly = examination.assembly
    moments = assembly.moments
    isotropic = assembly.placeholders & assembly.stated
    if not np.any(isotropic):
        return
    likeness = examination.likeness
    alike = np.abs(np.log(likeness.size_ratio)) < np.log(limits.size)
    fits = likeness.all_of(alike & (likeness.misfit <= limits.discrepancy))
    if examination.strictness == "default":
        low, high = _limits.PLAUSIBLE
        cube = (assembly.density > low) & (assembly.density < high)
        fits |= ~likeness.known & cube & ~_sharing(assembly.same_tensor, len(moments))
    for index in np.flatnonzero(isotropic & ~fits & ~_frames(examination)).tolist():
        moment, mass = float(moments[index, 0]), float(assembly.mass[index])
        edge, density = float(assembly.box[index, 2]), float(assembly.density[index])
        what = times_the_identity(moment)
        message = (
            f"the inertia is {what}, a placeholder: at {mass:.6g} kg it is that of a cube of "
            f"{length(edge)} and {density:.3g} kg/m^3; write the inertia of the body"
        )
        yield index, Doubt("IC501", "tensor", message, {"moment": moment, "edge": edge})


def _sharing(groups: Groups, count: int) -> Flags:
    """(N,) bodies that share a tensor with others."""
    shared = np.zeros(count, dtype=bool)
    shared[[index for group in groups for index in group]] = True
    return shared


def repetitions(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """The same tensor on bodies of several masses."""
    assembly, bodies = examination.assembly, examination.model.bodies
    for group in assembly.same_tensor:
        if len(group) < _limits.REPEATED:
            continue
        masses = assembly.mass[list(group)]
        if masses.max() < _limits.OTHER_MASS * masses.min():
            continue
        usual = _usual(masses)
        for index in group:
            mass = float(assembly.mass[index])
            others = [i for i in group if _ratio(assembly.mass[i], mass) >= _limits.OTHER_MASS]
            if not others or (usual is not None and _ratio(mass, usual) < _limits.OTHER_MASS):
                continue
            names = [bodies[i].name for i in others]
            message = (
                f"{having(names)} exactly this tensor too, with {between(assembly.mass[others])} "
                f"kg in place of {mass:.6g} kg; it is at most one body's"
            )
            yield index, Doubt("IC603", "tensor", message, {"same_tensor": names})


def centers(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Centres of mass where no body is."""
    likeness, assembly = examination.likeness, examination.assembly
    allowed = limits.outside * np.where(likeness.partial, _limits.PARTLY_SEEN_OUTSIDE, 1.0)
    for index in np.flatnonzero(likeness.all_of(likeness.excess > allowed)).tolist():
        row = _mildest(likeness.body == index, likeness.excess)
        excess = float(likeness.excess[row])
        message = (
            f"the centre of mass {point(assembly.p_BoBcm_B[index])} lies outside the hull of the "
            f"body's shapes and joints, by {length(excess * likeness.extent[row])}, "
            f"{100 * excess:.0f} % of their extent"
        )
        yield index, Doubt("IC201", "center", message, {"excess": excess})
    with np.errstate(all="ignore"):
        distance = np.linalg.norm(assembly.p_BoBcm_B, axis=1)
        reach = assembly.size + np.fmax(assembly.skeleton, np.nan_to_num(assembly.scale))
        far = assembly.stated & ~likeness.known & (distance > limits.far * reach)
    for index in np.flatnonzero(far).tolist():
        joints = float(assembly.skeleton[index])
        message = (
            f"the centre of mass is {length(distance[index])} from the body's origin, while the "
            f"mass spreads over {length(assembly.size[index])}"
            + (f" and the joints over {length(joints)}" if joints else "")
            + ": as millimetres do in a file of metres"
        )
        yield index, Doubt("IC202", "center", message, {"distance": float(distance[index])})


def sizes(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Sizes against the geometry."""
    likeness, assembly = examination.likeness, examination.assembly
    factor = limits.size * np.where(likeness.partial, _limits.PARTLY_SEEN_SIZE, 1.0)
    small = likeness.all_of(likeness.size_ratio * factor < 1)
    large = likeness.all_of(likeness.size_ratio > factor)
    for index in np.flatnonzero(small | large).tolist():
        row = _mildest(likeness.body == index, np.abs(np.log(likeness.size_ratio)))
        ratio = float(likeness.size_ratio[row])
        message = (
            f"mass and inertia are those of a body {times(ratio)} the size of the shapes: "
            f"{assembly.mass[index]:.6g} kg in a box of {box(assembly.box[index])}"
        )
        yield index, Doubt("IC502", "tensor", message, {"size_ratio": ratio})


def densities(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Densities of shapes."""
    likeness, assembly = examination.likeness, examination.assembly
    if not likeness.rows:
        return
    low, high = limits.density
    over_box, over_shapes = likeness.density.T
    light = likeness.all_of(over_shapes < low)
    heavy = likeness.all_of(over_box > high)
    for index in np.flatnonzero(light | heavy).tolist():
        densities = over_shapes if light[index] else over_box
        density = float(densities[np.argmax(likeness.body == index)])
        where = "inside the body's shapes" if light[index] else "in the box about the body's shapes"
        message = (
            f"{assembly.mass[index]:.6g} kg {where} are {density:.3g} kg/m^3; {beyond(density)}"
        )
        yield index, Doubt("IC503", "mass", message, {"density": density})


def box_densities(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Densities of equivalent boxes, where nothing is known of the shapes."""
    assembly = examination.assembly
    low, high = limits.box_density
    with np.errstate(all="ignore"):
        thick = np.maximum(assembly.box, _limits.THICKNESS * assembly.box[:, 2:])
        least = assembly.mass / np.prod(thick, axis=1)
        light = assembly.density < low
        density = np.where(light, assembly.density, least)
        odd = assembly.stated & (light | (least > high))
    if not np.any(odd):
        return
    odd &= ~examination.likeness.known & ~_frames(examination)
    for index in np.flatnonzero(odd).tolist():
        message = (
            f"{assembly.mass[index]:.6g} kg with this inertia are those of a box of "
            f"{box(assembly.box[index])}, of {density[index]:.3g} kg/m^3; {beyond(density[index])}"
        )
        yield index, Doubt("IC503", "tensor", message, {"density": float(density[index])})


def copies(examination: Examination, limits: Limits, _found: Found) -> Doubts:
    """The same ten numbers on bodies that look different."""
    assembly, bodies = examination.assembly, examination.model.bodies
    for group in assembly.same_numbers:
        members = np.array(group)
        unlike, known = _unlike(examination.likeness.sizes[members], _limits.OTHER_SIZE)
        by_joints, _ = _unlike(assembly.skeleton[members, None], _limits.OTHER_JOINTS)
        unlike |= by_joints & ~known
        for place in np.flatnonzero(np.any(unlike, axis=1)).tolist():
            index = group[place]
            others = [
                other
                for other in members[unlike[place]].tolist()
                if (min(index, other), max(index, other)) not in assembly.twins
            ]
            if others:
                names = [bodies[other].name for other in others]
                message = (
                    f"{having(names)} the same ten numbers, mass, centre and inertia, but "
                    f"{_difference(examination, index, others[0])}"
                )
                yield index, Doubt("IC602", "inertial", message, {"same_numbers": names})


def _unlike(sizes: Floats, factor: float) -> tuple[Flags, Flags]:
    """Which bodies are not the same part, by all sizes that are known of both.

    Args:
        sizes: (G, K) several sizes of G bodies; 0 or NaN where one is not known.
        factor: Above which a ratio of sizes is that of two parts.

    Returns:
        (G, G) whether they differ, and (G, G) whether any size is known of both.
    """
    count = len(sizes)
    known = np.zeros((count, count), dtype=bool)
    alike = np.zeros((count, count), dtype=bool)
    for size in sizes.T:
        given = size > 0
        if np.any(given):
            both = given[:, None] & given
            with np.errstate(all="ignore"):
                ratio = size[:, None] / size
            known |= both
            alike |= both & (ratio <= factor) & (ratio >= 1 / factor)
    return known & ~alike, known


def _difference(examination: Examination, one: int, other: int) -> str:
    """In what two bodies differ that are not the same part."""
    sizes = examination.likeness.sizes[[one, other]]
    for ours, theirs in sizes.T.tolist():
        if ours > 0 and theirs > 0:
            return f"its shapes spread over {length(theirs)}, these over {length(ours)}"
    ours, theirs = examination.assembly.skeleton[[one, other]].tolist()
    return f"its joints are {length(theirs)} apart, these {length(ours)}"


def forms(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Size, shape and axes, where another reading of the numbers fits the geometry."""
    likeness = examination.likeness
    odd = likeness.all_of(likeness.discrepancy > _limits.FIT)
    if not np.any(odd):
        return
    far = likeness.all_of(likeness.discrepancy > limits.discrepancy)
    far &= likeness.may_gain(limits.gain, _limits.FIT)
    for index in np.flatnonzero(odd).tolist():
        doubt = _other_reading(examination, index, limits) if far[index] else None
        if doubt is None or doubt.code != "IC504":
            doubt = _misread(examination, index) or doubt
        if doubt is not None:
            yield index, doubt


def _misread(examination: Examination, index: int) -> Doubt | None:
    """A tensor that the formula of the body's one shape gives, if it is misread."""
    judgement = examination.judgements[index]
    six = np.array(judgement.I_BBcm_Bi)
    found = misread_formula(examination.model.bodies[index], judgement.mass, six)
    if found is None:
        return None
    message = (
        f"the inertia is what the formula of the body's {found.kind} gives with {found.mistake}; "
        f"the moments are {', '.join(f'{moment:.6g}' for moment in found.moments)} kg m^2"
    )
    return Doubt("IC505", "tensor", message, {"shape": found.kind, "reading": found.mistake})


def _other_reading(examination: Examination, index: int, limits: Limits) -> Doubt | None:
    """What else the numbers of a body can mean, where that fits its geometry far better."""
    likeness = examination.likeness
    written, rows = examination.assembly.C_BBcm_B[index], likeness.body == index
    shapes = list(likeness.C_GGcm_B[rows])
    found = best_reading(readings_of(examination, index), written, shapes, _limits.FIT)
    slack = _limits.PARTLY_SEEN_GAIN if np.any(likeness.partial[rows]) else 1.0
    if found is None or found.gain < limits.gain * slack or found.rest > _limits.CLOSE:
        return None
    what = found.reading.what
    angle = min(float(resemblance.misalignment(written, C_G)) for C_G in shapes)
    values = {"gain": found.gain, "angle": angle, "reading": what}
    better = f"{what} it fits {found.gain:.2g} times better"
    if found.reading.cause == "wrong-frame" and angle >= limits.angle:
        degrees = f"{np.degrees(angle):.0f} degrees"
        message = f"its principal axes are {degrees} away from those of the body's shapes; {better}"
        return Doubt("IC504", "tensor", f"the tensor is turned: {message}", values)
    message = f"the tensor does not look like the body's shapes; {better}"
    return Doubt("IC505", "tensor", message, values)


def twins(examination: Examination, limits: Limits, found: Found) -> Doubts:
    """Left and right that differ."""
    assembly, bodies = examination.assembly, examination.model.bodies
    if not assembly.twins:
        return
    pairs = assembly.twin_pairs
    heavier, unlike = pairs.mass > limits.twin_mass, pairs.moments > limits.twin
    apart = pairs.apart > limits.twin
    copied = _copied_sides(pairs.reflections, limits.twin)
    for row in np.flatnonzero(heavier | unlike | apart | copied).tolist():
        pair = pairs.bodies[row].tolist()
        if any(index in found for index in pair):
            continue
        if heavier[row]:
            masses = assembly.mass[pair].tolist()
            what = f"they weigh {masses[0]:.6g} and {masses[1]:.6g} kg"
        elif unlike[row]:
            what = f"their moments differ by {100 * pairs.moments[row]:.0f} % per kilogram"
        elif apart[row]:
            what = "no reflection and no exchange of axes brings one onto the other"
        else:
            what = "they are copies, where the model's other twins are reflections"
        for index, other in (pair, pair[::-1]):
            name = bodies[other].name
            message = f"it is no mirror image of {name}: {what}"
            yield index, Doubt("IC601", "inertial", message, {"twin": name})


def _copied_sides(reflections: Floats, tolerance: float) -> Flags:
    """Pairs that are copies, in a model whose twins are reflections of each other."""
    fits = reflections <= tolerance
    told = np.any(fits, axis=1) & ~np.all(fits, axis=1)
    reflected = fits & (told & ~fits[:, 0])[:, None]
    counts = np.sum(reflected, axis=0)
    usual = int(np.argmax(counts))
    enough = max(_limits.REPEATED, _limits.MOST_TWINS * np.sum(told))
    copied: Flags = told & ~fits[:, usual] & fits[:, 0]
    return copied & bool(counts[usual] >= enough)


SCREENS: tuple[Callable[[Examination, Limits, Found], Doubts], ...] = (
    placeholders,
    repetitions,
    centers,
    sizes,
    densities,
    box_densities,
    copies,
    forms,
    twins,
)
"""Comparisons in the order in which they are made, the plainest first: a body keeps the first
doubt."""


def _frames(examination: Examination) -> Flags:
    """(N,) bodies that nothing moves, with next to no mass: frames with numbers."""
    assembly, bodies = examination.assembly, examination.model.bodies
    held = np.array([body.joint is not None and not body.moved for body in bodies], dtype=bool)
    with np.errstate(invalid="ignore"):
        long = assembly.box[:, 2] > assembly.scale
        light: Flags = assembly.mass < _limits.FRAME_SHARE * assembly.total_mass
    return held & light & ~long


def _mildest(rows: Flags, measure: Floats) -> int:
    """Of the flagged rows the one with the least measure."""
    return int(np.argmin(np.where(rows, measure, np.inf)))


def _ratio(one: float, other: float) -> float:
    return max(one, other) / min(one, other)


def _usual(values: Floats) -> float | None:
    """The value that most have; None where no two have the same."""
    unique, counts = np.unique(values, return_counts=True)
    return float(unique[np.argmax(counts)]) if counts.max() > 1 else None
