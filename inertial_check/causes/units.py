"""The causes by unit: numbers in another unit than the one of the format."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.causes._base import Cause, Meant, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import (
    box_text,
    find_gains,
    gain_of_scaled_shapes,
    tidy,
    with_spreads,
)
from inertial_check.evidence.readings import UNITS

_FACTORS = np.array([*UNITS.values(), *(1 / unit for unit in UNITS.values())])

PLAIN = 3.0
"""Least likelihood ratio at which a unit is named as a cause."""


class Units(Cause):
    """The tensor, or the mesh beside it, is in another unit.

    ## What happened
    CAD programs report g mm^2, kg mm^2, g cm^2 or lb in^2, whatever the document's units are, and
    the number was written into a file of kg m^2. Or it was converted twice. Or mass and inertia are
    right, and the mesh is in millimetres without a scale.

    ## How it is recognised
    Times the unit, or divided by it, the tensor is that of a body as large as the shapes, as the
    twin, or of a usual density. It counts for more where other bodies of the model ask for the same
    unit: a factor holds for all.

    ## Example
        <mass value="1.2"/>
        <inertia ixx="4100" ixy="0" ixz="0" iyy="4000" iyz="0" izz="1000"/>

    ## What undoes it
    The six numbers times the unit. For a mesh: scale="0.001 0.001 0.001".

    ## What people search for
    "mass properties units SolidWorks URDF inertia grams square millimeters"; "robot explodes";
    "link does not move when a torque is applied".

    ## References
    The plausibility page.
    """

    name, prior = "units", 0.12
    kinds = frozenset({"stated"})

    def meant(self, subject: Subject) -> Meant | None:
        """The body with its tensor times each unit, and divided by each."""
        C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
        return with_spreads(subject, _FACTORS[:, None, None] * C_BBcm_B)

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """For each unit the tensor in kg m^2, where that is far more probable."""
        C_BBcm_B = subject.examination.assembly.C_BBcm_B[subject.index]
        ratio = find_gains(self, subject)
        for row in np.flatnonzero(ratio > PLAIN).tolist():
            name, factor = list(UNITS)[row % len(UNITS)], _FACTORS[row]
            how = f"read as {name}" if row < len(UNITS) else f"divided by 1 {name}"
            meant = factor * C_BBcm_B
            yield Proposal(
                ratio[row] / len(UNITS),
                f"{how}, times {factor:.4g}, the tensor is that of "
                f"{box_text(subject.mass, meant)}; as written, of "
                f"{box_text(subject.mass, C_BBcm_B)}",
                I_BBcm_Bi=tidy(factor * subject.I_BBcm_Bi),
            )
        yield from _mesh_in_millimetres(subject)


def _mesh_in_millimetres(subject: Subject) -> Iterator[Proposal]:
    """Shapes a thousand times too large, or too small, for numbers that fit each other."""
    likeness = subject.examination.likeness
    ratios = likeness.size_ratio[likeness.body == subject.index]
    density = float(subject.examination.assembly.density[subject.index])
    if not len(ratios) or not 50 < density < 12_000:
        return
    for factor, what in ((1e-3, "millimetres"), (1e3, "metres, and scaled to millimetres")):
        if np.all(np.abs(np.log10(ratios / factor)) < 0.5):
            yield Proposal(
                gain_of_scaled_shapes(subject, factor),
                f"mass and inertia fit each other ({density:.3g} kg/m^3), and the shapes are "
                f"{1 / ratios[0]:.3g} times their size: the mesh is in {what}",
                editable=False,
            )


class Density(Cause):
    """The mass is in grams, or in tonnes.

    ## What happened
    A mass in grams stands in a field for kilograms, with its inertia or without; or the density of
    the CAD part was 1 or 7.85 in place of 1000 or 7850 kg/m^3.

    ## How it is recognised
    With the mass a thousand times smaller or larger, the tensor as written or with it, the body has
    a usual density and fits its shapes and its twin.

    ## Example
        <mass value="1200"/>
        <inertia ixx="0.0041" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## What undoes it
    The mass in kilograms, and the tensor that belongs to it.

    ## What people search for
    "default density SolidWorks URDF exporter"; "robot too heavy in Gazebo".

    ## References
    The plausibility page.
    """

    name, prior = "density", 0.06
    kinds = frozenset({"stated"})

    _TIMES = np.array([1e-3, 1e3, 1e-3, 1e3])
    _ALONE = np.array([True, True, False, False])
    """Factors of the mass, and whether the tensor stays as written."""

    def meant(self, subject: Subject) -> Meant | None:
        """A thousand times less or more, with the tensor and without."""
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
            yield Proposal(
                float(ratio[row]) / 4,
                f"with {mass:.6g} kg in place of {subject.mass:.6g} kg"
                f"{', the tensor as written' if alone else ', the tensor times the same'}, "
                f"it is {box_text(mass, meant)}; as written, "
                f"{box_text(subject.mass, C_BBcm_B)}",
                mass=mass,
                I_BBcm_Bi=tensor,
            )
