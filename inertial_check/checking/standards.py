"""Requirements of published standards, validators and parsers, and the rules that cover them.

One row for each requirement on mass properties, units and what they need to be read. The texts of
the sources were read in the versions that STANDARDS names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Relation = Literal["equal", "stricter", "weaker", "none"]
"""Demand of the rules beside that of the requirement: the same, more, less, or nothing."""


class Standard(NamedTuple):
    """A source of requirements.

    Attributes:
        name: Name for --standard.
        title: Title with the version that was read.
        source: Where its requirements stand.
    """

    name: str
    title: str
    source: str


class Requirement(NamedTuple):
    """One requirement of a standard.

    Attributes:
        standard: Name of the standard.
        id: Identifier: a number, the name of a checker or code, or the text of a message.
        asks: What it asks for.
        codes: Codes of the rules that cover it.
        relation: What they ask for beside it.
        reason: Why that is the relation.
    """

    standard: str
    id: str
    asks: str
    codes: tuple[str, ...]
    relation: Relation
    reason: str


STANDARDS = (
    Standard("simready", "SimReady Foundation 2026.8.0", "simready-foundation-tier-core"),
    Standard("rep0158", "REP 0158:2026 (draft)", "rep.md; ros-openusd-compliance-checker 0.1.2"),
    Standard("newton", "Newton 1.8.0", "NEWTON.MAS.001; newton/_src/utils/import_usd.py"),
    Standard("nvidia", "usd-validation-nvidia 1.22.0", "usd_validation_nvidia/rules"),
    Standard("urdfdom", "urdfdom 6.0", "urdf_parser/src/link.cpp"),
    Standard("sdformat", "libsdformat 16", "include/sdf/Error.hh, src/Link.cc, src/Collision.cc"),
    Standard("mujoco", "MuJoCo 4.0.0", "messages of libmujoco"),
)
"""Standards in the order of reports."""

_GEOMETRY = "about colliders and hierarchy"
_JOINTS = "about joints and articulations"
_SAME = "the same comparison"
_WHOLE = "the tensor is judged whole, but whether the prim is Xformable is not asked"
_WRITTEN = "IC716 where it is written, IC002 where it is not"
_ROWS: tuple[tuple[str, str, str, str, Relation, str], ...] = (
    ("simready", "RB.007", "mass on the body or on all of its colliders", "IC103 IC105 IC714 IC715",
     "weaker", "a density counts here, too, and one collider with a mass"),
    ("simready", "RB.008", "triangle inequality of diagonalInertia, axes of length 1 (1e-4)",
     "IC301 IC302 IC305 IC713", "stricter", "negative moments and newton:inertia, too; no feature "
     "manifest names it"),
    ("simready", "RB.011", "a positive mass on each nested body or its colliders", "IC101 IC102 "
     "IC103 IC715", "weaker", "a density counts here, too"),
    ("simready", "NEWTON.MAS.001", "newton:inertia of six finite numbers, diagonal not negative; "
     "massModel and shellThickness", "IC004 IC302 IC712 IC718", "weaker", _WHOLE),
    ("simready", "RB.001", "a rigid body exists", "", "none", _GEOMETRY),
    ("simready", "RB.003", "rigid bodies are Xformable", "", "none", _GEOMETRY),
    ("simready", "RB.005", "no rigid body on an instance proxy", "", "none", _GEOMETRY),
    ("simready", "RB.009", "no skewed matrix on a rigid body", "", "none", _GEOMETRY),
    ("simready", "RB.010", "hidden collision meshes have the purpose guide", "", "none", _GEOMETRY),
    ("simready", "RB.012", "nested bodies are joined", "", "none", _JOINTS),
    ("simready", "RB.013", "a rigid body has a collider", "", "none", _GEOMETRY),
    ("simready", "UN.001", "upAxis is written", "IC716", "weaker", "an upAxis that is not written "
     "is Y, and noted as such; the missing word is not"),
    ("simready", "UN.002", "metersPerUnit is written", "IC002", "weaker", "only where a body has "
     "an inertia, on which it acts"),
    ("simready", "UN.003", "kilogramsPerUnit is written", "IC716", "weaker", "its fallback is 1, "
     "so that its validator never fails; other values are noted"),
    ("simready", "UN.004", "references to stages in other units are scaled", "", "none",
     "the numbers of a reference are read as those of the stage, as by USD"),
    ("simready", "UN.005", "timeCodesPerSecond is written where values change", "IC004", "weaker",
     "only a mass property that has values over time and no default is reported"),
    ("simready", "UN.006", "upAxis is Z", "IC716", "equal", _SAME),
    ("simready", "UN.007", "metersPerUnit is 1", "IC002 IC716", "equal", _WRITTEN),
    ("rep0158", "1.1.1", "metersPerUnit is 1", "IC002 IC716", "equal", _WRITTEN),
    ("rep0158", "1.1.2", "kilogramsPerUnit is 1", "IC716", "equal", _SAME),
    ("rep0158", "1.1.3", "upAxis is Z", "IC716", "equal", _SAME),
    ("rep0158", "1.1.4", "no rotation on the root prim", "", "none", _GEOMETRY),
    ("rep0158", "1.1.5", "timeCodesPerSecond is 1", "IC716", "weaker", "a stage that does not "
     "write it (24) is silent: no inertial number depends on it"),
    ("rep0158", "1.1.6", "translate and orient alone on bodies and joints", "", "none", _GEOMETRY),
    ("rep0158", "1.1.7", "no scale on bodies and joints", "", "none", "a scale is carried out as "
     "UsdPhysics does"),
    ("rep0158", "1.3", "no arrays of six values for an inertia", "IC717", "equal",
     "every newton:inertia is noted, though NEWTON.MAS.001 specifies it"),
    ("rep0158", "1.3.1", "joints have limits", "", "none", _JOINTS),
    ("rep0158", "1.3.2", "one articulation root in a tree", "", "none", _JOINTS),
    ("rep0158", "1.3.3", "bodies with MassAPI have a mass above 0", "IC101 IC102 IC103 IC715",
     "weaker", "mass 0 beside colliders with a density is derived here, as by UsdPhysics"),
    ("rep0158", "1.3.4", "purpose and approximation of colliders", "", "none", _GEOMETRY),
    ("rep0158", "1.3.5", "colliders bind a material of physics", "", "none", _GEOMETRY),
    ("rep0158", "1.3.7", "mimic joints have a source", "", "none", _JOINTS),
    ("rep0158", "1.3.8", "no instances of bodies", "", "none", _GEOMETRY),
    ("rep0158", "1.3.9", "no MimicJointAPI", "", "none", _JOINTS),
    ("newton", "NEWTON.MAS.001", "newton:inertia of six finite numbers, diagonal not negative",
     "IC004 IC302 IC712 IC718", "weaker", _WHOLE),
    ("newton", "newton:inertia has N elements, expected 6", "six numbers", "IC004", "equal",
     "[] counts as not written on both sides"),
    ("newton", "newton:inertia contains non-finite values", "finite numbers", "IC004", "equal",
     _SAME),
    ("newton", "newton:inertia is not positive semidefinite", "no negative moment", "IC302 IC305 "
     "IC712", "stricter", "the triangle inequality, too"),
    ("newton", "diagonalInertia must have finite, nonnegative components", "no negative moment",
     "IC104 IC302", "stricter", "the triangle inequality, too"),
    ("newton", "density must be positive and finite", "a positive density", "IC106", "equal",
     "0 counts as not written on both sides"),
    ("newton", "zero mass and zero inertia", "a mass", "IC103", "weaker", "only of a body that "
     "moves"),
    ("newton", "non-unit linear units are not supported", "metersPerUnit is 1", "IC716", "equal",
     "Newton compares what is written, too"),
    ("newton", "non-unit mass units are not supported", "kilogramsPerUnit is 1", "IC716", "equal",
     "Newton compares what is written, too"),
    ("newton", "Inertia validation corrected N bodies", "moments above floors, A + B >= C", "IC701",
     "equal", "with --engine newton, which predicts it for each body"),
    ("nvidia", "MassChecker", "mass and density not negative, diagonalInertia and principalAxes "
     "both or neither, axes of length 1 (1e-5)", "IC101 IC106 IC713 IC714", "weaker",
     "lengths within 1e-4 pass, and MassAPI on other prims; --engine nvidia predicts it exactly"),
    ("nvidia", "StageMetadataChecker", "upAxis and metersPerUnit are written", "IC002 IC716",
     "weaker", "see UN.001 and UN.002 of simready"),
    ("nvidia", "UpAxisZChecker", "upAxis is Z", "IC716", "equal", _SAME),
    ("nvidia", "UnitsInMetersChecker", "metersPerUnit is 1", "IC002 IC716", "equal", _WRITTEN),
    ("nvidia", "RigidBodyChecker", "Xformable, no instance, no skew", "", "none", _GEOMETRY),
    ("nvidia", "ColliderChecker", "no uneven scale of colliders", "", "none", _GEOMETRY),
    ("nvidia", "PhysicsJointChecker", "joints name bodies that exist", "", "none", _JOINTS),
    ("nvidia", "ArticulationChecker", "no nested articulation", "", "none", _JOINTS),
    ("nvidia", "RigidBodyMassChecker", "RB.007 (with tier-core)", "IC103 IC105 IC714 "
     "IC715", "weaker", "a density counts here, too, and one collider with a mass"),
    ("nvidia", "RigidBodyHasMassAPI", "RB.008 in float32 (with tier-core)",
     "IC301 IC302 IC305 IC713", "stricter", "see RB.008; --engine nvidia predicts it exactly"),
    ("nvidia", "NestedRigidBodyMassChecker", "RB.011 (with tier-core)", "IC101 IC102 "
     "IC103 IC715", "weaker", "a density counts here, too"),
    ("nvidia", "NewtonMassAttributesChecker", "NEWTON.MAS.001 (with tier-core)",
     "IC004 IC302 IC712 IC718", "weaker", _WHOLE),
    ("urdfdom", "Inertial element must have a mass element", "a mass", "IC004", "equal", _SAME),
    ("urdfdom", "Inertial: mass element must have value attribute", "a value", "IC004", "equal",
     _SAME),
    ("urdfdom", "Inertial: mass [X] is not a float", "a number", "IC004 IC104 IC711", "stricter",
     "nan and inf, and what other parsers read otherwise"),
    ("urdfdom", "Inertial element must have inertia element", "an inertia", "IC004", "equal",
     _SAME),
    ("urdfdom", "Inertial: inertia element missing X attribute", "six entries", "IC004", "equal",
     _SAME),
    ("urdfdom", "Inertial: inertia element X is not a valid double", "numbers", "IC004 IC104 IC711",
     "stricter", "nan and inf, and what other parsers read otherwise"),
    ("sdformat", "LINK_INERTIA_INVALID", "a valid mass matrix (1e-15 of the trace) and added mass, "
     "in a URDF a mass", "IC101 IC103 IC301 IC302 IC403", "stricter", "no tolerance beyond printed "
     "digits; --engine gz predicts the code exactly"),
    ("sdformat", "ELEMENT_MISSING (density)", "a density beside auto inertia", "", "none",
     "an inertia from geometry is derived and not judged"),
    ("sdformat", "ELEMENT_INVALID", "numbers where numbers belong", "IC004", "stricter",
     "comments inside numbers and values in attributes, too"),
    ("sdformat", "URI_LOOKUP", "includes that are found", "IC003", "equal", "the same search"),
    ("sdformat", "FILE_READ", "a readable document", "IC001", "equal", "the same document"),
    ("mujoco", "inertia must have positive eigenvalues", "moments of fullinertia of 1e-14 or more",
     "IC302 IC303 IC304 IC306", "weaker",
     "a rod has a moment of 0 and is IC306; --engine mujoco predicts the floor"),
    ("mujoco", "inertia must satisfy A + B >= C", "the triangle inequality", "IC301 IC305",
     "weaker", "what rounding explains is a boundary here; --engine mujoco predicts the bits"),
    ("mujoco", "mass and inertia of moving bodies must be larger than mjMINVAL", "mass and moments "
     "above 1e-15", "IC101 IC103 IC303 IC304", "weaker", "small ones are IC304; --engine mujoco "
     "predicts the floor"),
    ("mujoco", "mass and inertia cannot be negative", "no negative numbers", "IC101 IC302", "equal",
     _SAME),
    ("mujoco", "mass, inertia or density are negative in geom", "no negative geom", "", "none",
     "geoms are derived and not judged"),
    ("mujoco", "fullinertia and diagonal inertia cannot both be specified", "one form", "IC004",
     "equal", _SAME),
    ("mujoco", "fullinertia and inertial orientation cannot both be specified", "one form", "IC004",
     "equal", _SAME),
    ("mujoco", "body mass is too small, cannot compute center of mass", "geoms with a mass", "",
     "none", "geoms are derived and not judged"),
)  # fmt: skip
REQUIREMENTS = tuple(
    Requirement(standard, id_, asks, tuple(codes.split()), relation, reason)
    for standard, id_, asks, codes, relation, reason in _ROWS
)
"""Every requirement, by standard."""

DISAGREEMENTS = (
    ("REP 0158 1.3 forbids arrays of six values for an inertia; NEWTON.MAS.001 specifies one "
     "(newton:inertia). No file with it meets both.", ("IC717",)),
    ("RB.008 asks for I1 + I2 >= I3, and its validator decides in float32: the plate "
     "(0.1, 0.2, 0.3) meets the text and fails the validator: float32 rounds 0.3 up.", ("IC306",)),
    ("RB.007 of SimReady asks for physics:mass; the page of RB.007 in asset-requirements 1.7 takes "
     "a density instead.", ("IC715",)),
    ("The axes may be 1e-4 from the length 1 in RB.008, and 1e-5 in MassChecker.", ("IC713",)),
    ("REP 0158 1.1.5 asks for timeCodesPerSecond 1; UN.005 for any, and only where values change.",
     ("IC716",)),
    ("MuJoCo refuses a rod (a moment of 0) and libsdformat takes it.", ("IC306",)),
)  # fmt: skip
"""Where two standards disagree, with the rules that speak of it."""


def list_requirements(standard: str) -> list[Requirement]:
    """List the requirements of a standard."""
    return [each for each in REQUIREMENTS if each.standard == standard]


def list_requirements_of(code: str) -> Iterator[Requirement]:
    """List the requirements that a rule covers, alone or with others."""
    return (each for each in REQUIREMENTS if code in each.codes)


def write_page() -> str:
    """Write the page of the standards as Markdown."""

    def link(codes: tuple[str, ...]) -> str:
        return ", ".join(f"[{code}](rules/{code}.md)" for code in codes)

    lines = [
        "# Standards",
        "",
        "What rules of this tool ask for beside published requirements: the same (equal), more",
        "(stricter), less (weaker), or nothing (none, as what is not about mass), and why. `rules",
        "--standard NAME` prints them, SARIF (`taxa`) and `rules --output-format json` (`covers`)",
        "by rule.",
        "",
        "## Where standards disagree",
        "",
    ]
    for text, codes in DISAGREEMENTS:
        lines.append(f"* {text} {link(codes)}")
    for standard in STANDARDS:
        lines += ["", f"## {standard.name}", "", f"{standard.title}: {standard.source}.", ""]
        groups: dict[str, list[str]] = {}
        for each in list_requirements(standard.name):
            covered = f" ({link(each.codes)})" if each.codes else ""
            row = f"**{each.id}**: {each.asks}{covered}"
            groups.setdefault(f"{each.relation}, {each.reason}", []).append(row)
        lines += [f"* *{why}*: {'; '.join(rows)}" for why, rows in groups.items()]
    return "\n".join(lines) + "\n"
