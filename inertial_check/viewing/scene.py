"""Scene of a model: its bodies, joints, shapes, judgements, findings and fixes as plain data.

A scene holds what a page, a live view or another renderer draws. It is JSON; docs/report.md
describes its fields.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inertial_check.checking.check import Document, DocumentResult, check_documents
from inertial_check.engines import ALL_ENGINES
from inertial_check.files.json import Json
from inertial_check.formats import load
from inertial_check.isolation import raise_defects
from inertial_check.model import BodyReport, FileReport, Finding, Severity
from inertial_check.settings.settings import Settings
from inertial_check.viewing.fixes import describe_fixes, describe_solid
from inertial_check.viewing.kinematics import describe_nodes
from inertial_check.viewing.lines import describe_lines
from inertial_check.viewing.meshes import MODEL_TRIANGLES, MeshLibrary, ModelMeshes
from inertial_check.viewing.numbers import encode_number, encode_numbers
from inertial_check.viewing.shapes import describe_densities, describe_shapes

SCHEMA_VERSION = "1"
"""Version of the form of a scene; fields are added to it, and none changes its meaning."""

_UNSAFE_IN_SCRIPT = {each: f"\\u{ord(each):04x}" for each in ("<", ">", "&", "\u2028", "\u2029")}
"""Characters that could end a script element, or a line in one, with their escapes."""


@dataclass(frozen=True)
class Scene:
    """A model as plain data that can be drawn.

    Attributes:
        path: Path of the document.
        content: All but the meshes: see docs/report.md. Every value is JSON.
        meshes: The meshes of its shapes, by the digests that the shapes name.
    """

    path: str
    content: Mapping[str, Json] = field(repr=False)
    meshes: Mapping[str, Json] = field(default_factory=dict, repr=False)

    def as_dict(self) -> dict[str, Json]:
        """The scene with its meshes, as a JSON object."""
        return {**self.content, "meshes": dict(self.meshes)}

    def as_json(self) -> str:
        """The scene with its meshes as JSON in ASCII, which may stand in a script element."""
        return encode_for_script(self.as_dict())


def encode_for_script(value: Json) -> str:
    """Write a value as JSON in ASCII that cannot end a script element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character, escape in _UNSAFE_IN_SCRIPT.items():
        text = text.replace(character, escape)
    return text


def read_scene(path: str, settings: Settings | None = None, data: bytes | None = None) -> Scene:
    """Check one document and build its scene.

    Args:
        path: Path of the document.
        settings: Its validated settings; None for the defaults.
        data: Its bytes; None for the content of the file.

    Returns:
        The scene. A document that cannot be read gives a scene without bodies, whose finding or
        note says why.
    """
    settings = settings or Settings().validate()
    (result,) = check_documents([Document(path, True, settings, data)])
    return build_scene(_file_of(result), settings, data=data)


def _file_of(result: DocumentResult) -> FileReport:
    if result.file is not None:
        return result.file
    reason = result.failure or result.note or "there is nothing to check"
    return FileReport(result.path, None, None, (), (), notes=(reason,))


def build_scene(
    file: FileReport,
    settings: Settings,
    *,
    library: MeshLibrary | None = None,
    data: bytes | None = None,
    triangles: int = MODEL_TRIANGLES,
) -> Scene:
    """Build the scene of a document that was checked; the document is read once more.

    Args:
        file: Its report, with causes and predictions of all bodies.
        settings: The settings with which it was checked.
        library: Simplified meshes of earlier scenes, which are used again; None for none.
        data: Bytes of a document that was not read from a file.
        triangles: Triangles that the meshes of the scene may have together.

    Raises:
        DocumentError: The document has changed since the check and cannot be read any more, or an
            unexpected error.
    """
    if file.format is None:
        return build_plain_scene(file)
    context = settings.context
    model = load(file.path if data is None else data, path=file.path, context=context)
    if [body.id for body in model.bodies] != [body.id for body in file.bodies]:
        note = "not drawn: the file has changed since it was checked"
        return build_plain_scene(file._replace(notes=(*file.notes, note)))
    with raise_defects(file.path):
        library = MeshLibrary() if library is None else library
        meshes = ModelMeshes(model, context, library, triangles)
        judgements = [body.judgement for body in file.bodies]
        fixes, fix_notes = describe_fixes(model, judgements, file.findings, settings)
        nodes, node_notes = describe_nodes(model)
        shapes, shape_notes = describe_shapes(model, meshes)
        densities = describe_densities(file, model, settings)
        bodies = {body.id: body for body in model.bodies}
        index_of = _index_bodies(file)
        content = {
            **_describe_head(file),
            "nodes": nodes,
            "shapes": shapes,
            "bodies": [
                _describe_body(body, density, fixes.get(body.id, []), own)
                for body, density, own in zip(
                    file.bodies, densities, _group_findings(file), strict=True
                )
            ],
            "findings": [
                _describe_finding(index_of, each, describe_lines(model, bodies, each))
                for each in file.findings
            ],
            "notes": [*file.notes, *node_notes, *shape_notes, *fix_notes],
        }
        return Scene(file.path, content, {each: library.contents[each] for each in meshes.used})


def build_plain_scene(file: FileReport) -> Scene:
    """Build a scene from a report alone: judgements and findings, without shapes and fixes."""
    index_of = _index_bodies(file)
    content = {
        **_describe_head(file),
        "nodes": [],
        "shapes": [],
        "bodies": [
            _describe_body(body, None, [], own)
            for body, own in zip(file.bodies, _group_findings(file), strict=True)
        ],
        "findings": [_describe_finding(index_of, each, []) for each in file.findings],
        "notes": list(file.notes),
    }
    return Scene(file.path, content)


def _describe_head(file: FileReport) -> dict[str, Json]:
    return {
        "schema_version": SCHEMA_VERSION,
        "path": file.path,
        "name": file.model or "",
        "format": file.format,
        "counts": {
            severity.word: sum(each.severity == severity for each in file.findings)
            for severity in Severity
        },
        "suppressed": len(file.suppressed),
        "mass": encode_number(
            sum(body.judgement.mass for body in file.bodies if body.judgement.mass > 0)
        ),
        "engines": [{"name": each.name, "version": each.version} for each in ALL_ENGINES],
    }


def _index_bodies(file: FileReport) -> dict[str, int]:
    return {body.id: index for index, body in enumerate(file.bodies)}


def _group_findings(file: FileReport) -> list[list[tuple[int, Finding]]]:
    """Group the findings by body, each with its index, those of the whole model with each body."""
    index_of = _index_bodies(file)
    groups: list[list[tuple[int, Finding]]] = [[] for _ in file.bodies]
    for number, finding in enumerate(file.findings):
        for id_ in {finding.body_id, *finding.body_ids}:
            if id_ and id_ in index_of:
                groups[index_of[id_]].append((number, finding))
    return groups


def _describe_body(
    body: BodyReport, density: Json, fixes: list[Json], own: Sequence[tuple[int, Finding]]
) -> Json:
    """Describe the judgement of a body, its predictions, findings and fixes; see Scene."""
    judgement = body.judgement
    worst = max((finding.severity for _, finding in own), default=None)
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "file": body.file,
        "verdict": judgement.verdict,
        "severity": None if worst is None else worst.word,
        "margin": encode_number(judgement.margin),
        "witness": None if judgement.witness is None else encode_numbers(judgement.witness, 7),
        "density": density,
        **describe_solid(judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B),
        "engines": {
            name: {
                "action": each.action,
                "message": each.message,
                "becomes": each.becomes,
            }
            for name, each in body.predictions.items()
            if each.action != "accept"
        },
        "predicted": bool(body.predictions),
        "findings": [number for number, _ in own],
        "fixes": fixes,
    }


def _describe_finding(index_of: Mapping[str, int], finding: Finding, lines: list[Json]) -> Json:
    """Describe a finding with its source lines and its causes; see Scene."""
    ids = (finding.body_id, *finding.body_ids)
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "message": finding.message,
        "file": finding.place.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "bodies": sorted({index_of[each] for each in ids if each and each in index_of}),
        "model": finding.body is None,
        "lines": lines,
        "causes": [
            {
                "cause": each.cause,
                "confidence": encode_number(each.confidence, 4),
                "evidence": each.evidence,
            }
            for each in finding.causes
        ],
        "no_cause": finding.no_cause,
        "fix": finding.fix,
    }
