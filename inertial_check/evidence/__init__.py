"""The evidence beside the numbers of a body: its shapes, its joints, its twins."""

from inertial_check.evidence.examination import (
    BodyGeometry,
    Examination,
    Fault,
    Geometry,
    MeshFault,
)

__all__ = ["BodyGeometry", "Examination", "Fault", "Geometry", "MeshFault"]
