"""The cause of a mass that was changed without its tensor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inertial_check.causes._base import Cause, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import (
    box_text,
    gains,
    tidy,
    with_spreads,
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
    Mesh tools compute mass and inertia for a density that they assume. The mass was then replaced
    by the one that was weighed or read in a datasheet, and the six numbers of the inertia, which
    are in proportion to the mass, were left as they came.

    ## How it is recognised
    The tensor has exactly the form and axes of the body's shapes (misfit below 0.005), and it is
    theirs at 1000 kg/m^3 within 2 %, or at 1 kg/m^3, while the mass is another.

    ## Example
        <link name="link">
          <inertial>
            <mass value="0.35"/>
            <inertia ixx="0.007344" ixy="0" ixz="0" iyy="0.008112" iyz="0" izz="0.001632"/>
          </inertial>
          <visual><geometry><box size="0.1 0.06 0.24"/></geometry></visual>
        </link>

    ## What undoes it
    The tensor times m / (rho V): that of the shapes with the mass as written.

    ## What people search for
    "MeshLab compute geometric measures inertia URDF"; "trimesh moment_inertia density"; "inertia
    not scaled with mass".

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
