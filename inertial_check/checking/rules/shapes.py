"""Centres of mass where no body is.

Sizes and densities of bodies, against their shapes and against all materials.

Tensors that stand for numbers nobody had: powers of ten, and one tensor on many bodies.

Size, form and axes of bodies, where another reading of the numbers fits the shapes.
"""

from __future__ import annotations

import numpy as np

from inertial_check.checking import limits as _limits
from inertial_check.checking.evidence.assembly import Indices, times_the_identity
from inertial_check.checking.evidence.digits import count_digits
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.likeness import (
    DENSEST,
    OVERLAP,
    UNHOLDABLE,
    Likeness,
    best_reading,
)
from inertial_check.checking.evidence.material import (
    AEROGEL,
    OSMIUM,
    bound_density,
    bound_printed_density,
    explain_density,
)
from inertial_check.checking.evidence.readings import list_readings, read_body
from inertial_check.checking.limits import Limits
from inertial_check.checking.rules.base import (
    Doubt,
    Doubts,
    Evidence,
    Flags,
    FoundDoubts,
    between,
    beyond,
    box,
    explain_weakness,
    find_frames,
    find_mildest,
    having,
    is_weak,
    length,
    point,
    times,
)
from inertial_check.inertia import resemblance
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.solids import equivalent_ellipsoid
from inertial_check.inertia.tolerances import digits_margin


def centers(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Centres of mass where no body is."""
    likeness, assembly = examination.likeness, examination.assembly
    allowed = limits.outside * np.where(likeness.partial, _limits.PARTLY_SEEN_OUTSIDE, 1.0)
    # Shapes that stand in for unread ones, and are smaller than the body, do not enclose it, and
    # may stand beside its centre as far as the body reaches.
    small = likeness.unseen & (likeness.size_ratio > _limits.FITTING_SIZE)
    small &= likeness.excess * likeness.extent < _limits.REACH * assembly.size[likeness.body]
    for index in np.flatnonzero(likeness.all_of(likeness.excess > allowed)).tolist():
        rows = likeness.body == index
        weak = is_weak(examination, ~small[rows])
        row = find_mildest(rows, likeness.excess)
        excess = float(likeness.excess[row])
        message = (
            f"the centre of mass {point(assembly.p_BoBcm_B[index])} lies outside the hull of the "
            f"body's shapes and joints, by {length(excess * likeness.extent[row])}, "
            f"{100 * excess:.0f} % of their extent{explain_weakness(likeness, index, weak)}"
        )
        yield index, Doubt("IC201", "center", message, {"excess": excess}, weak)
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


def sizes(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Sizes against the geometry."""
    likeness, assembly = examination.likeness, examination.assembly
    factor = limits.size * np.where(likeness.partial, _limits.PARTLY_SEEN_SIZE, 1.0)
    small = _exceeds(likeness, 1 / likeness.size_ratio, factor)
    large = _exceeds(likeness, likeness.size_ratio, factor)
    if not np.any(small | large):
        return
    honest = np.log(limits.size) + _limits.SIZE_SPREAD * likeness.honest_misfit
    clear = np.abs(np.log(likeness.size_ratio)) > honest
    for index in np.flatnonzero(small | large).tolist():
        rows = likeness.body == index
        ratio = float(likeness.size_ratio[find_mildest(rows, np.abs(np.log(likeness.size_ratio)))])
        weak = is_weak(examination, clear[rows])
        message = (
            f"mass and inertia are those of a body {times(ratio)} the size of the shapes: "
            f"{assembly.mass[index]:.6g} kg in a box of {box(assembly.box[index])}"
            f"{explain_weakness(likeness, index, weak)}"
        )
        yield index, Doubt("IC502", "tensor", message, {"size_ratio": ratio}, weak)


def spreads(examination: Examination, limits: Limits, found: FoundDoubts) -> Doubts:
    """Variances that no body has which lies in its shapes, where no other doubt is known.

    Between two planes, at distances a and b from its centre of mass, a body has at most the
    variance a b (Bhatia and Davis, A better bound on the variance, 2000; docs/theory.md).
    """
    likeness, assembly = examination.likeness, examination.assembly
    slack = (limits.outside * likeness.extent)[:, None]
    below = assembly.p_BoBcm_B[likeness.body] - likeness.lower + slack
    above = likeness.edges + 2 * slack - below
    variance = np.diagonal(likeness.C_BBcm_B, axis1=1, axis2=2)
    inside = np.all((below > 0) & (above > 0), axis=1) & ~likeness.partial
    with np.errstate(all="ignore"):
        ratios = np.where(inside[:, None], variance / (below * above), 0.0)
    largest = np.max(ratios, axis=1)
    beyond_all = np.flatnonzero(likeness.all_of(largest > 1)).tolist()
    for index in (each for each in beyond_all if each not in found):
        row = find_mildest(likeness.body == index, largest)
        axis = int(np.argmax(ratios[row]))
        message = (
            f"along {'xyz'[axis]} the mass spreads by {length(np.sqrt(variance[row, axis]))} (root "
            "mean square), and in a body that lies in these shapes and has its centre of mass at "
            f"{point(assembly.p_BoBcm_B[index])} by "
            f"{length(np.sqrt(below[row, axis] * above[row, axis]))} at most"
        )
        yield index, Doubt("IC502", "tensor", message, {"variance_ratio": float(largest[row])})


def _exceeds(likeness: Likeness, ratio: Floats, factor: Floats) -> Flags:
    """(N,) bodies whose ratio exceeds the factor for all shapes, or far for one and nearly for all.

    Args:
        likeness: The bodies beside their shapes.
        ratio: (R,) of the sizes, one way or the other.
        factor: (R,) above which it is too much.
    """
    nearly = likeness.all_of(ratio > _limits.MILDER_SIZE * factor)
    far = likeness.any_of(_limits.MILDER_SIZE * ratio > factor)
    return likeness.all_of(ratio > factor) | (nearly & far)


def matter(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Mass and inertia that no body has that consists of a known substance."""
    assembly, judgements = examination.assembly, examination.judgements
    dense = assembly.stated & (bound_density(assembly.mass, assembly.moments) > OSMIUM)
    for index in np.flatnonzero(dense).tolist():
        body, judgement = examination.model.bodies[index], judgements[index]
        moments = judgement.principal_moments
        density = bound_printed_density(body, judgement.mass, moments)
        # A plate as far as six digits tell, as the nearest body of `fix` is, has any density.
        solid = judgement.verdict == "consistent" and judgement.margin > digits_margin(6)
        if solid and density > OSMIUM:
            message = (
                f"whatever its shape, a body of {judgement.mass:.6g} kg with this inertia is "
                f"somewhere at least {density:.3g} kg/m^3 dense, as the ellipsoid of "
                f"{box(2 * equivalent_ellipsoid(judgement.mass, moments))} is everywhere; "
                f"{beyond(density)}"
            )
            yield index, Doubt("IC503", "tensor", message, {"density": density})


def densities(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Densities of shapes."""
    likeness, assembly = examination.likeness, examination.assembly
    if not likeness.rows:
        return
    low, high = limits.density
    over_box, over_shapes = likeness.density.T
    light = likeness.all_of(over_shapes < low) & ~find_frames(examination)
    # Whole kilograms of one digit are chosen, where the tensor is that of the shapes with them.
    mass = assembly.mass
    chosen = (mass % 1 == 0) & np.array([count_digits(f"{each:.17g}") == 1 for each in mass])
    light &= ~(chosen & likeness.all_of(likeness.discrepancy <= _limits.EXACT_MATCH))
    heavy = likeness.all_of(over_box > high)
    for index in np.flatnonzero(light | heavy).tolist():
        densities = over_shapes if light[index] else over_box
        density = float(densities[np.argmax(likeness.body == index)])
        where = "inside the body's shapes" if light[index] else "in the box about the body's shapes"
        message = (
            f"{assembly.mass[index]:.6g} kg {where} are {density:.3g} kg/m^3; {beyond(density)}"
        )
        yield index, Doubt("IC503", "mass", message, {"density": density})


def box_densities(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
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
    odd &= ~examination.likeness.known & ~find_frames(examination)
    for index in np.flatnonzero(odd).tolist():
        message = (
            f"{assembly.mass[index]:.6g} kg with this inertia are those of a box of "
            f"{box(assembly.box[index])}, of {density[index]:.3g} kg/m^3; {beyond(density[index])}"
        )
        yield index, Doubt("IC503", "tensor", message, {"density": float(density[index])})


def solids(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Solid shapes, stand-ins among them, in which no solid has the mass of the body."""
    assembly, bodies = examination.assembly, examination.model.bodies
    for index in np.flatnonzero(assembly.stated & ~find_frames(examination)).tolist():
        for shapes in examination.geometry.bodies[index]:
            if shapes.remarks or not shapes.volume > 0:
                continue
            density = float(assembly.mass[index] / shapes.volume)
            box_volume = float(np.prod(np.subtract(shapes.upper, shapes.lower)))
            # A ball of a millimetre, for engines that ask for a shape, claims to be no body. Shapes
            # that overlap count twice, and may be less light than that.
            empty = assembly.mass[index] > UNHOLDABLE * DENSEST * box_volume
            if empty or (density < AEROGEL and shapes.volume > OVERLAP * box_volume):
                continue
            kinds = [each.kind for each in bodies[index].shapes if each.role == shapes.role]
            if remark := explain_density(density, kinds):
                message = (
                    f"{assembly.mass[index]:.6g} kg inside the body's {shapes.role} shapes are "
                    f"{density:.3g} kg/m^3, {remark}"
                )
                weak = is_weak(examination, np.array([False]))
                yield index, Doubt("IC503", "mass", message, {"density": density}, weak)
                break


def placeholders(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
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
        # (N,) bodies that share a tensor with others.
        count = len(moments)
        shared = np.zeros(count, dtype=bool)
        shared[[index for group in assembly.same_tensor for index in group]] = True
        fits |= ~likeness.known & cube & ~shared
    for index in np.flatnonzero(isotropic & ~fits & ~find_frames(examination)).tolist():
        moment, mass = float(moments[index, 0]), float(assembly.mass[index])
        edge, density = float(assembly.box[index, 2]), float(assembly.density[index])
        what = times_the_identity(moment)
        message = (
            f"the inertia is {what}, a placeholder: at {mass:.6g} kg it is that of a cube of "
            f"{length(edge)} and {density:.3g} kg/m^3; write the inertia of the body"
        )
        yield index, Doubt("IC501", "tensor", message, {"moment": moment, "edge": edge})


def repetitions(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """The same tensor on bodies of several masses."""
    assembly, bodies = examination.assembly, examination.model.bodies
    for group in dict.fromkeys(assembly.copied_tensors.values()):
        for index in _find_guilty(examination, np.array(group)):
            mass = float(assembly.mass[index])
            others = [i for i in group if _ratio(assembly.mass[i], mass) >= _limits.OTHER_MASS]
            names = [bodies[i].name for i in others]
            message = (
                f"{having(names)} exactly this tensor too, with {between(assembly.mass[others])} "
                f"kg in place of {mass:.6g} kg; it is at most one body's"
            )
            yield index, Doubt("IC603", "tensor", message, {"same_tensor": names})


def _find_guilty(examination: Examination, group: Indices) -> list[int]:
    """The bodies of a group that the tensor they share does not belong to.

    One whose shapes fit owns the tensor, and those of its mass may be the same part. Without an
    owner the bodies are told apart by the density of the box that mass and tensor give, and where
    that says nothing, those of the usual mass are left out.
    """
    assembly = examination.assembly
    low, high = _limits.PLAUSIBLE
    usual_density = (assembly.density[group] > low) & (assembly.density[group] < high)
    owners = group[examination.likeness.fitting[group]]
    if not owners.size and np.any(usual_density) and not np.all(usual_density):
        owners = group[usual_density & ~examination.likeness.known[group]]
    masses = assembly.mass[owners]
    if not owners.size:
        # The value that most have; None where no two have the same.
        values = assembly.mass[group]
        unique, counts = np.unique(values, return_counts=True)
        usual = float(unique[np.argmax(counts)]) if counts.max() > 1 else None
        masses = np.array([] if usual is None else [usual])
    return [
        index
        for index in group.tolist()
        if index not in owners
        and all(_ratio(assembly.mass[index], mass) >= _limits.OTHER_MASS for mass in masses)
        and any(
            _ratio(each, assembly.mass[index]) >= _limits.OTHER_MASS
            for each in assembly.mass[group]
        )
    ]


def _ratio(one: float, other: float) -> float:
    return max(one, other) / min(one, other)


_WHOLE_TENSOR: frozenset[Evidence] = frozenset({"amount", "form"})
"""Evidence of a tensor of which size and form are wrong by one mistake."""


def forms(examination: Examination, limits: Limits, _: FoundDoubts) -> Doubts:
    """Size, shape and axes, where another reading of the numbers fits the geometry."""
    likeness = examination.likeness
    odd = likeness.all_of(likeness.discrepancy > _limits.SHAPE_FIT)
    if not np.any(odd):
        return
    far = likeness.all_of(likeness.discrepancy > limits.discrepancy)
    # (R,) geometries of another form than their bodies, where they show where the mass is.
    standing = np.maximum(_limits.STANDING * likeness.honest_misfit_of_form, _limits.LEAST_UNLIKE)
    limit = np.minimum(standing, _limits.UNLIKE)
    unlike = likeness.all_of((likeness.misfit > limit) & ~likeness.unseen)
    for index in sorted(examination.changed_bodies.intersection(np.flatnonzero(odd).tolist())):
        doubt = _other_reading(examination, index, limits) if far[index] else None
        if doubt is None or doubt.code != "IC504":
            doubt = _misread(examination, index) or doubt
        doubt = doubt or _left_out(examination, index, limits)
        if doubt is None and unlike[index]:
            # A tensor of another form than all shapes of its body, which no reading mends.
            form_likeness = examination.likeness
            row = find_mildest(form_likeness.body == index, form_likeness.misfit)
            misfit = float(form_likeness.misfit[row])
            edges = np.sqrt(12 * np.maximum(np.linalg.eigvalsh(form_likeness.C_GGcm_B[row]), 0.0))
            message = (
                f"the tensor is that of a body of another form than its shapes, a box of "
                f"{box(examination.assembly.box[index])}, while they are as a box of "
                f"{box(edges)}, or it "
                "lies along other axes; no known misreading explains it: write the inertia of "
                "this body"
            )
            doubt = Doubt("IC505", "tensor", message, {"misfit": misfit}, against=_WHOLE_TENSOR)
        if doubt is not None:
            yield index, doubt


def _misread(examination: Examination, index: int) -> Doubt | None:
    """A tensor that the formula of the body's one shape gives, if it is misread."""
    found = examination.find_misreading(index)
    if found is None:
        return None
    message = (
        f"the inertia is what the formula of the body's {found.kind} gives with {found.mistake}; "
        f"the moments are {', '.join(f'{moment:.6g}' for moment in found.moments)} kg m^2"
    )
    values: dict[str, object] = {"shape": found.kind, "reading": found.mistake}
    return Doubt("IC505", "tensor", message, values, against=_WHOLE_TENSOR)


def _left_out(examination: Examination, index: int, limits: Limits) -> Doubt | None:
    """A tensor about the link's origin, with the centre of mass left out."""
    likeness = examination.likeness
    rows = likeness.body == index
    (place, _, rest), before = likeness.find_left_out(index), likeness.discrepancy[rows]
    gain = np.min(before / np.maximum(rest, _limits.SHAPE_FIT))
    drops, best = before - rest, int(np.argmin(rest))
    if gain < limits.gain or np.min(drops) < limits.drop or rest[best] > _limits.CLOSE_BODIES:
        return None
    weak = is_weak(examination, drops >= _limits.CLEAR * likeness.honest_misfit[rows])
    message = (
        "the tensor does not look like the body's shapes; moved from the link's origin to a centre "
        f"of mass, which is left out, near {point(place[best])}, it fits {gain:.2g} times better"
        f"{explain_weakness(likeness, index, weak)}"
    )
    values: dict[str, object] = {"gain": float(gain), "cause": "about-link-origin"}
    return Doubt("IC505", "tensor", message, values, weak, _WHOLE_TENSOR)


def _other_reading(examination: Examination, index: int, limits: Limits) -> Doubt | None:
    """What else the numbers of a body can mean, where that fits its geometry far better."""
    likeness = examination.likeness
    written, rows = examination.assembly.C_BBcm_B[index], likeness.body == index
    shapes = list(likeness.C_GGcm_B[rows])
    readings = list_readings(read_body(examination, index))
    found = best_reading(readings, written, shapes, _limits.SHAPE_FIT)
    slack = _limits.PARTLY_SEEN_GAIN if np.any(likeness.partial[rows]) else 1.0
    if found is None or found.gain < limits.gain * slack or found.rest > _limits.CLOSE_BODIES:
        return None
    if np.nanmin(found.drops) < limits.drop:
        return None
    what, shifted = found.reading.what, found.reading.cause == "about-link-origin"
    angle = min(float(resemblance.misalignment(written, C_G)) for C_G in shapes)
    values: dict[str, object] = {
        "gain": found.gain, "angle": angle, "reading": what, "cause": found.reading.cause,
        "rest": found.rest, "nearest": found.nearest,
    }  # fmt: skip
    honest = likeness.honest_misfit if shifted else likeness.honest_misfit_of_form
    turned = found.reading.cause == "wrong-frame"
    least = (_limits.CLEAR_TURN if turned else _limits.CLEAR) * honest[rows]
    clear = (found.drops >= least) | (found.rest <= _limits.EXACT_MATCH)
    weak = is_weak(examination, clear)
    better = (
        f"{what} it fits {found.gain:.2g} times better{explain_weakness(likeness, index, weak)}"
    )
    if turned and angle >= limits.angle:
        degrees = f"{np.degrees(angle):.0f} degrees"
        message = f"its principal axes are {degrees} away from those of the body's shapes; {better}"
        return Doubt("IC504", "tensor", f"the tensor is turned: {message}", values, weak)
    message = f"the tensor does not look like the body's shapes; {better}"
    against = _WHOLE_TENSOR if shifted else None
    return Doubt("IC505", "tensor", message, values, weak, against)
