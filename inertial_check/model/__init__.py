"""Plain data about a document: bytes and places, bodies as written, and findings."""

from inertial_check.model.body import ENTRIES, Body, Inertial, Model, Number, Problem, ProblemKind
from inertial_check.model.entries import locate_entries, name_numbers
from inertial_check.model.excerpt import Excerpt, ExcerptLine, extract_excerpt
from inertial_check.model.finding import (
    Action,
    BodyReport,
    FileReport,
    Finding,
    FindingEntry,
    FixKind,
    Hypothesis,
    Judgement,
    Prediction,
    Report,
    Severity,
    Suggestion,
    Suppression,
    TextReplacement,
    Values,
)
from inertial_check.model.joint import Joint, Joints, Mimic
from inertial_check.model.shape import DIMENSIONS, Role, Shape, Shapes
from inertial_check.model.source import Edit, Place, Source, Span

__all__ = [
    "DIMENSIONS",
    "ENTRIES",
    "Action",
    "Body",
    "BodyReport",
    "Edit",
    "Excerpt",
    "ExcerptLine",
    "FileReport",
    "Finding",
    "FindingEntry",
    "FixKind",
    "Hypothesis",
    "Inertial",
    "Joint",
    "Joints",
    "Judgement",
    "Mimic",
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
    "Suggestion",
    "Suppression",
    "TextReplacement",
    "Values",
    "extract_excerpt",
    "locate_entries",
    "name_numbers",
]
