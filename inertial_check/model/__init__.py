"""Plain data about a document: bytes and places, bodies as written, findings."""

from inertial_check.model.body import ENTRIES, Body, Inertial, Model, Number, Problem, ProblemKind
from inertial_check.model.finding import (
    BodyReport,
    FileReport,
    Finding,
    FixKind,
    Judgement,
    Report,
    Severity,
)
from inertial_check.model.shape import DIMENSIONS, Role, Shape, Shapes
from inertial_check.model.source import Edit, Place, Source, Span

__all__ = [
    "DIMENSIONS",
    "ENTRIES",
    "Body",
    "BodyReport",
    "Edit",
    "FileReport",
    "Finding",
    "FixKind",
    "Inertial",
    "Judgement",
    "Model",
    "Number",
    "Place",
    "Problem",
    "ProblemKind",
    "Report",
    "Role",
    "Severity",
    "Shape",
    "Shapes",
    "Source",
    "Span",
]
