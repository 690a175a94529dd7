"""Sizes and densities of bodies, against their shapes and against all materials."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.evidence.likeness import Likeness
from inertial_check.rules._phrases import beyond, box, times
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import (
    Doubt,
    Doubts,
    Flags,
    Found,
    explain_weakness,
    find_frames,
    find_mildest,
    is_weak,
)
from inertial_check.rules.screens._limits import Limits


def sizes(examination: Examination, limits: Limits, _: Found) -> Doubts:
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
    odd &= ~examination.likeness.known & ~find_frames(examination)
    for index in np.flatnonzero(odd).tolist():
        message = (
            f"{assembly.mass[index]:.6g} kg with this inertia are those of a box of "
            f"{box(assembly.box[index])}, of {density[index]:.3g} kg/m^3; {beyond(density[index])}"
        )
        yield index, Doubt("IC503", "tensor", message, {"density": float(density[index])})
