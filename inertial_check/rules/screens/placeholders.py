"""Tensors that stand for numbers nobody had: powers of ten, and one tensor on many bodies."""

from __future__ import annotations

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence import Examination
from inertial_check.evidence.assembly import Groups, Indices, times_the_identity
from inertial_check.rules._phrases import between, having, length
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import (
    Doubt,
    Doubts,
    Flags,
    Found,
    find_fitting,
    find_frames,
)
from inertial_check.rules.screens._limits import Limits


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
    for index in np.flatnonzero(isotropic & ~fits & ~find_frames(examination)).tolist():
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
    groups = [group for group in assembly.same_tensor if len(group) >= _limits.REPEATED]
    if not groups:
        return
    fitting = find_fitting(examination)
    for group in groups:
        masses = assembly.mass[list(group)]
        if masses.max() < _limits.OTHER_MASS * masses.min():
            continue
        for index in _find_guilty(examination, np.array(group), fitting):
            mass = float(assembly.mass[index])
            others = [i for i in group if _ratio(assembly.mass[i], mass) >= _limits.OTHER_MASS]
            names = [bodies[i].name for i in others]
            message = (
                f"{having(names)} exactly this tensor too, with {between(assembly.mass[others])} "
                f"kg in place of {mass:.6g} kg; it is at most one body's"
            )
            yield index, Doubt("IC603", "tensor", message, {"same_tensor": names})


def _find_guilty(examination: Examination, group: Indices, fitting: Flags) -> list[int]:
    """The bodies of a group that the tensor they share does not belong to.

    One whose shapes fit owns the tensor, and those of its mass may be the same part. Without an
    owner the bodies are told apart by the density of the box that mass and tensor give, and where
    that says nothing, those of the usual mass are left out.
    """
    assembly = examination.assembly
    low, high = _limits.PLAUSIBLE
    usual_density = (assembly.density[group] > low) & (assembly.density[group] < high)
    owners = group[fitting[group]]
    if not owners.size and np.any(usual_density) and not np.all(usual_density):
        owners = group[usual_density & ~examination.likeness.known[group]]
    masses = assembly.mass[owners]
    if not owners.size:
        usual = _find_usual(assembly.mass[group])
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


def _find_usual(values: Floats) -> float | None:
    """The value that most have; None where no two have the same."""
    unique, counts = np.unique(values, return_counts=True)
    return float(unique[np.argmax(counts)]) if counts.max() > 1 else None
