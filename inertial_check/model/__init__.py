"""Plain data about a document: bytes and places, bodies as written, findings."""

from inertial_check.model.body import ENTRIES, Body, Inertial, Model, Number, Problem, ProblemKind
from inertial_check.model.examination import BodyGeometry, Examination, Geometry
from inertial_check.model.finding import (
    Action,
    BodyReport,
    FileReport,
    Finding,
    FixKind,
    Hypothesis,
    Judgement,
    Prediction,
    Report,
    Severity,
)
from inertial_check.model.shape import DIMENSIONS, Role, Shape, Shapes
from inertial_check.model.source import Edit, Place, Source, Span

__all__ = [
    "DIMENSIONS",
    "ENTRIES",
    "Action",
    "Body",
    "BodyGeometry",
    "BodyReport",
    "Edit",
    "Examination",
    "FileReport",
    "Finding",
    "FixKind",
    "Geometry",
    "Hypothesis",
    "Inertial",
    "Judgement",
    "Model",
    "Number",
    "Place",
    "Prediction",
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
