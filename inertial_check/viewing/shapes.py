"""Shapes of a scene, and the mean densities of bodies inside their shapes."""

from __future__ import annotations

from itertools import chain

from inertial_check.files.json import Json
from inertial_check.geometry.evidence import read_geometry
from inertial_check.model import FileReport, Model
from inertial_check.settings.settings import Settings
from inertial_check.viewing.meshes import ModelMeshes
from inertial_check.viewing.numbers import encode_number, encode_numbers, is_drawable


def describe_shapes(model: Model, meshes: ModelMeshes) -> tuple[list[Json], list[str]]:
    """Describe the shapes of all bodies; also notes on those that are not drawn, each once."""
    described: list[Json] = []
    notes: dict[str, int] = {}
    for index, body in enumerate(model.bodies):
        for shape in body.shapes:
            digest, note = (None, shape.note)
            if note is None and shape.kind == "mesh":
                digest, note = meshes.read(shape)
            numbers = (*shape.dimensions, *shape.p_BoGo_B, *chain(*shape.R_BG), *shape.scale)
            if note is None and not is_drawable(numbers):
                note = f"{shape.kind}: its size or its pose is not finite"
            if note is not None:
                notes[note] = notes.get(note, 0) + 1
                continue
            described.append(
                {
                    "body": index,
                    "role": shape.role,
                    "kind": shape.kind,
                    "dimensions": encode_numbers(shape.dimensions, 7),
                    "position": encode_numbers(shape.p_BoGo_B, 7),
                    "rotation": encode_numbers(chain(*shape.R_BG), 7),
                    "scale": encode_numbers(shape.scale, 7),
                    "mesh": digest,
                }
            )
    listed = [f"{note} ({count} shapes)" if count > 1 else note for note, count in notes.items()]
    return described, listed


def describe_densities(file: FileReport, model: Model, settings: Settings) -> list[Json]:
    """Find the mean density of each body inside its shapes; None where they have no volume."""
    if settings.geometry == "off":
        return [None] * len(file.bodies)
    geometry = read_geometry(model, settings.context)
    densities: list[Json] = []
    for body, shapes in zip(file.bodies, geometry.bodies, strict=True):
        mass = body.judgement.mass
        # Visual shapes come first; a role of which a shape is missing would give too much.
        usable = [each for each in shapes if each.volume > 0 and not each.skipped]
        densities.append(
            {
                "value": encode_number(mass / usable[0].volume, 5),
                "volume": encode_number(usable[0].volume, 5),
                "role": usable[0].role,
            }
            if usable and mass > 0
            else None
        )
    return densities
