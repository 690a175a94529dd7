"""MuJoCo as an oracle for geoms: its compiled model of a document, whatever files it lacks.

Every mesh file is taken for one and the same tetrahedron, so that where its vertices end up says
where MuJoCo puts the coordinates of a file, after it has moved the mesh to its own centre and axes.
"""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

VERTICES = np.array([0.5, 0.25, 0.125]) + np.diag([0, 1, 2, 3.0])[:, 1:]
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
_KINDS = {
    "mjGEOM_PLANE": "plane",
    "mjGEOM_HFIELD": "heightmap",
    "mjGEOM_SPHERE": "sphere",
    "mjGEOM_CAPSULE": "capsule",
    "mjGEOM_ELLIPSOID": "ellipsoid",
    "mjGEOM_CYLINDER": "cylinder",
    "mjGEOM_BOX": "box",
    "mjGEOM_MESH": "mesh",
}


def stl() -> bytes:
    triangles = VERTICES[FACES].reshape(len(FACES), 9)
    rows = (struct.pack("<12fH", 0, 0, 0, *row, 0) for row in triangles)
    return b"\0" * 80 + struct.pack("<I", len(FACES)) + b"".join(rows)


def obj() -> bytes:
    lines = ["v {} {} {}".format(*vertex) for vertex in VERTICES]
    lines += ["f {} {} {}".format(*(face + 1)) for face in FACES]
    return "\n".join(lines).encode()


def msh() -> bytes:
    """MuJoCo's own format: counts of vertices, normals, texture coordinates and faces; those."""
    counts = struct.pack("<4i", len(VERTICES), 0, 0, len(FACES))
    return counts + VERTICES.astype("<f4").tobytes() + FACES.astype("<i4").tobytes()


class CompiledGeom(NamedTuple):
    """A geom of a compiled model, in our terms; of a mesh its vertices in the body's frame."""

    kind: str
    dimensions: tuple[float, ...]
    p_BoGo_B: np.ndarray
    R_BG: np.ndarray
    touches: bool
    vertices: np.ndarray | None


def specification(text: str, include: dict[str, bytes] | None = None) -> Any:
    """The document without what only looks ask for, and with a file for every mesh.

    Raises:
        ValueError: MuJoCo does not read it.
    """
    spec = mujoco.MjSpec.from_string(text, include=include or {})
    # Numbers that no geom depends on, so that bodies without mass are no reason to refuse it.
    spec.compiler.boundmass = spec.compiler.boundinertia = 1.0
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.compiler.discardvisual = spec.compiler.fusestatic = False
    files = {}
    for mesh in spec.meshes:
        if mesh.file:
            kind = os.path.splitext(mesh.file)[1].lower()
            data = {".obj": obj, ".msh": msh}.get(kind, stl)()
            files[os.path.normpath(os.path.join(spec.meshdir, mesh.file))] = data
    spec.assets = files
    for shown in (*spec.geoms, *spec.sites):
        shown.material = ""
    things = ("sensors", "actuators", "tendons", "equalities", "pairs", "excludes", "keys")
    for name in (*things, "skins", "materials", "textures"):
        for thing in getattr(spec, name):
            spec.delete(thing)
    return spec


class CompiledBody(NamedTuple):
    """A body of a compiled model: its geoms in the order of the document, and how it moves."""

    geoms: list[CompiledGeom]
    parent: int
    p_PoBo_P: np.ndarray
    R_PB: np.ndarray
    axes: list[tuple[str, np.ndarray]]


def compiled(spec: Any) -> list[CompiledBody]:
    """The bodies, the world first.

    Raises:
        ValueError: MuJoCo does not compile it.
    """
    model = spec.compile()
    found = [_body(model, at) for at in range(model.nbody)]
    for at in range(model.ngeom):
        found[model.geom_bodyid[at]].geoms.append(_geom(model, at))
    return found


def _body(model: Any, at: int) -> CompiledBody:
    first = model.body_jntadr[at]
    joints = range(first, first + model.body_jntnum[at])
    kinds = [mujoco.mjtJoint(model.jnt_type[joint]).name for joint in joints]
    axes = list(zip(kinds, (model.jnt_axis[joint] for joint in joints), strict=True))
    R_PB = _matrix(model.body_quat[at])
    return CompiledBody([], model.body_parentid[at], model.body_pos[at], R_PB, axes)


def _geom(model: Any, at: int) -> CompiledGeom:
    kind = _KINDS[mujoco.mjtGeom(model.geom_type[at]).name]
    R_BG, p_BoGo_B, vertices = _matrix(model.geom_quat[at]), model.geom_pos[at], None
    if kind == "mesh":
        mesh = model.geom_dataid[at]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = model.mesh_vert[first : first + count] @ R_BG.T + p_BoGo_B
    touches = bool(model.geom_contype[at] or model.geom_conaffinity[at])
    dimensions = _dimensions(kind, model.geom_size[at])
    return CompiledGeom(kind, dimensions, p_BoGo_B, R_BG, touches, vertices)


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    nine = np.zeros(9)
    mujoco.mju_quat2Mat(nine, quaternion)
    return nine.reshape(3, 3)


def _dimensions(kind: str, size: np.ndarray) -> tuple[float, ...]:
    if kind in {"capsule", "cylinder"}:
        return size[0], 2 * size[1]
    return tuple({"sphere": size[:1], "ellipsoid": size, "box": 2 * size}.get(kind, ()))


def of_file(path: Path) -> Any:
    """The specification of a document without what it includes and its folder lacks.

    Raises:
        ValueError: MuJoCo does not read it.
    """
    beside = {file.name: file.read_bytes() for file in path.parent.glob("*.xml")}
    beside.pop(path.name, None)

    def kept(found: re.Match[str]) -> str:
        return found[0] if found[1] in beside else ""

    text = path.read_text(errors="replace")
    return specification(re.sub(r"<include file=\"([^\"]+)\"\s*/>", kept, text), beside)
