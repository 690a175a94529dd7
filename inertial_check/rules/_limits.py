"""How far honest bodies go. docs/plausibility.md has the measurements behind each number."""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from types import MappingProxyType
from typing import NamedTuple


class Limits(NamedTuple):
    """The thresholds of one preset.

    Attributes:
        outside: Centre of mass outside the convex hull, in parts of the extent.
        far: Centre of mass from the origin, in sizes of body and skeleton together.
        size: Size against that of the geometry, either way.
        density: [kg/m^3] of what fills a trustworthy geometry.
        box_density: [kg/m^3] of the equivalent box, where no geometry is known.
        discrepancy: From the geometry, above which other readings are sought.
        gain: How many times better another reading has to fit.
        angle: Between principal axes that belong together [rad].
        twin_mass: Ratio of the masses of twins.
        twin: Relative difference of the moments of twins, and of where they lie.
    """

    outside: float
    far: float
    size: float
    density: tuple[float, float]
    box_density: tuple[float, float]
    discrepancy: float
    gain: float
    angle: float
    twin_mass: float
    twin: float


LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "default": Limits(
            outside=0.1,
            far=30.0,
            size=2.0,
            density=(10.0, 25_000.0),
            box_density=(10.0, 30_000.0),
            discrepancy=0.15,
            gain=2.0,
            angle=radians(20),
            twin_mass=1.2,
            twin=0.15,
        ),
        "strict": Limits(
            outside=0.02,
            far=10.0,
            size=1.6,
            density=(50.0, 12_000.0),
            box_density=(50.0, 15_000.0),
            discrepancy=0.1,
            gain=2.0,
            angle=radians(10),
            twin_mass=1.05,
            twin=0.05,
        ),
    }
)

PARTLY_SEEN_OUTSIDE = 3.0
"""Factor on `outside` where some of the body's shapes could not be used: the rest is a stand-in."""

PARTLY_SEEN_SIZE = 1.25
"""Factor on `size`, likewise."""

PARTLY_SEEN_GAIN = 1.5
"""Factor on `gain`, likewise."""

FIT = 0.05
"""Misfit of an honest body: screws, motors and cables that its shapes do not show."""

CLOSE = 0.3
"""Discrepancy that another reading may leave: a better fit that is still bad explains nothing."""

FRAME_SHARE = 0.01
"""A body that is fixed to another and has less of the model's mass, in a box shorter than the links
are, is a frame that had to be given some numbers."""

THICKNESS = 0.1
"""Least thickness of an equivalent box, in parts of its length, when its density is taken: printed
digits hold that of thin parts badly, and exact plates have none."""

PLAUSIBLE = (300.0, 8_000.0)
"""[kg/m^3] of a cube whose inertia happens to be a power of ten: foam core to steel."""

REPEATED = 3
"""Repetitions from which the same numbers are no coincidence of two equal parts."""

OTHER_MASS = 1.5
"""Ratio of masses from which two bodies cannot have the same tensor: parts of one size can well be
of other materials, or carry a screw more."""

OTHER_SIZE = 1.2
"""Ratio of the sizes of their shapes above which two bodies are not the same part."""

OTHER_JOINTS = 1.5
"""Ratio of the distances of their joints, likewise: one part can have its joints in other holes."""

MOST_TWINS = 0.75
"""Share of a model's twins that are reflections in one plane, and no copies, from which the copies
stand out: the arms of some robots are one part, mounted twice."""
