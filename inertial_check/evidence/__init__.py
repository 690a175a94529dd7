"""What stands beside a body's numbers: its shapes, its joints, its twins. No files, no rules."""

from inertial_check.evidence.examination import (
    BodyGeometry,
    Examination,
    Fault,
    Geometry,
    MeshFault,
)

__all__ = ["BodyGeometry", "Examination", "Fault", "Geometry", "MeshFault"]
