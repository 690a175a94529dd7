"""Volume, centre and moments of a body's shapes, by trimesh: nothing of this project's geometry."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inertial_check.documents.model import Shape
from inertial_check.documents.resources import resolve
from planting.sites import Array, Site

Mesh = Any  # trimesh has no types


class Measured(NamedTuple):
    """The shapes of one role, together, filled evenly with the mass of the body.

    Attributes:
        role: "visual" or "collision".
        parts: How many shapes; those that could not be had are not among them.
        closed: Whether all of them are watertight; the hull stands for one that is not.
        volume: Sum [m^3]: what overlaps counts twice.
        centroid: (3,) in the body frame [m].
        moments: (3,) principal, ascending [kg m^2].
        axes: (3, 3) columns, in the body frame.
        tensor: (3, 3) about the centroid, in the body frame [kg m^2].
    """

    role: str
    parts: int
    closed: bool
    volume: float
    centroid: Array
    moments: Array
    axes: Array
    tensor: Array


def measure(site: Site, role: str) -> Measured | None:
    """Measure the shapes of a body that have a role; None where there are none."""
    found = [(shape, _mesh(site, shape)) for shape in site.usable_shapes if shape.role == role]
    parts = [(shape, *each) for shape, each in found if each is not None]
    if not parts:
        return None
    volume, first, second, closed = 0.0, np.zeros(3), np.zeros((3, 3)), True
    for shape, mesh, is_closed in parts:
        R_BG, p_BoGo_B = np.array(shape.R_BG), np.array(shape.p_BoGo_B)
        center = R_BG @ mesh.center_mass + p_BoGo_B
        inertia = R_BG @ (mesh.moment_inertia / mesh.density) @ R_BG.T
        spread = np.trace(inertia) / 2 * np.eye(3) - inertia
        volume += mesh.volume
        first += mesh.volume * center
        second += spread + mesh.volume * np.outer(center, center)
        closed = closed and is_closed
    if not volume > 0:
        return None
    centroid = first / volume
    spread = site.mass * (second / volume - np.outer(centroid, centroid))
    tensor = np.trace(spread) * np.eye(3) - spread
    moments, axes = np.linalg.eigh(tensor)
    return Measured(role, len(parts), closed, volume, centroid, moments, axes, tensor)


def _mesh(site: Site, shape: Shape) -> tuple[Mesh, bool] | None:
    """A shape in its own axes, and whether it is closed."""
    if shape.kind != "mesh":
        mesh = _primitive(shape.kind, shape.dimensions)
        return None if mesh is None else (mesh, True)
    path = resolve(shape.uri or "", site.model.source.path).path
    return None if path is None else _from_file(path, tuple(shape.scale))


def _primitive(kind: str, dimensions: Sequence[float]) -> Mesh | None:
    import trimesh.creation as make

    if kind == "box":
        return make.box(dimensions)
    if kind == "sphere":
        return make.icosphere(4, dimensions[0])
    if kind == "cylinder":
        return make.cylinder(dimensions[0], dimensions[1], sections=128)
    if kind == "capsule":
        mesh = make.capsule(dimensions[1], dimensions[0], count=[64, 64])
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
        return mesh
    if kind == "ellipsoid":
        mesh = make.icosphere(4, 1.0)
        mesh.apply_scale(dimensions)
        return mesh
    return None


@lru_cache(maxsize=256)
def _from_file(path: str, scale: tuple[float, ...]) -> tuple[Mesh, bool] | None:
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh")
        mesh.apply_scale(scale)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        closed = bool(mesh.is_watertight and mesh.volume > 0)
        mesh = mesh if closed else mesh.convex_hull
    except Exception:  # whatever a library raises on the files of strangers
        return None
    return mesh, closed


def written_principal(site: Site) -> tuple[Array, Array]:
    """Principal moments as written, ascending, and their axes in the body frame."""
    moments, axes = np.linalg.eigh(site.I_BBcm_B)
    return moments, axes


def misfit(site: Site, measured: Measured) -> float:
    """How far the written tensor is from that of the shapes, beside theirs (Frobenius)."""
    return distance(site.I_BBcm_B, measured)


def distance(I_BBcm_B: Array, measured: Measured) -> float:
    """The same of any tensor about the centre of mass, in the body frame."""
    return float(np.linalg.norm(I_BBcm_B - measured.tensor) / np.linalg.norm(measured.tensor))


def largest_angle(site: Site, measured: Measured) -> float:
    """Angle between the axes of the least moment, written and of the shapes [degrees]."""
    _, axes = written_principal(site)
    along = abs(float(axes[:, 0] @ measured.axes[:, 0]))
    return float(np.degrees(np.arccos(min(1.0, along))))


# ----------------------------------------------------------------- one fact


def content(site: Site) -> tuple[str, ...]:
    """Mass, tensor and shapes of a body: two with the same are one fact.

    Names and poses do not matter. A mesh is its bytes, where they can be had, and else its name.
    """
    numbers = [site.texts["mass"], *(f"{value:.6g}" for value in site.I_BBcm_Bi.ravel())]
    shapes = (_shape_content(site, shape) for shape in site.body.shapes)
    return (f"{float(numbers[0]):.6g}", *numbers[1:], *sorted(shapes))


def _shape_content(site: Site, shape: Shape) -> str:
    if shape.kind != "mesh":
        return f"{shape.kind} {[f'{length:.6g}' for length in shape.dimensions]}"
    path = resolve(shape.uri or "", site.model.source.path).path
    name = Path(shape.uri or "").name if path is None else _digest(path)
    return f"mesh {name} {list(shape.scale)}"


@lru_cache(maxsize=4096)
def _digest(path: str) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()[:16]
