"""Mesh files of models: found, measured in one pass, and remembered for the models to come.

What is remembered of a file are a few numbers, by path, time of change, size and scale.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.errors import ParameterError
from inertial_check.evidence import Fault
from inertial_check.formats.meshes import triangles
from inertial_check.formats.resources import Finder, Packages, Resource
from inertial_check.inertia.meshes import Mesh, measure
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.primitives import AXES
from inertial_check.model import Model, Shape

Triple = tuple[float, float, float]
Turn = tuple[Triple, ...]
"""R_BG, row-major."""

REMEMBERED = 1024
"""Meshes whose numbers are kept, a few kilobytes each: the least recently used are forgotten."""

_MOST_TURNS = 64
"""Orientations of one mesh whose reach is kept; a model with more has them measured, not kept."""

NO_FILE = "<bytes>"
"""The path of a document that was read from no file."""

REASONS: Mapping[Fault, str] = {
    "empty": "it has no area: left out",
    "inward": "its triangles face inwards: taken as if they were turned",
    "open": "it is not closed, so it has no inside: its surface is taken",
    "flat": "it lies in a plane, or is a sheet with two sides: it adds no volume",
    "crossing": "it runs through itself, so that parts count as negative: its surface is taken",
}
"""What is seen in a mesh that was measured, and what it is taken for."""


class MeshFinder:
    """Finds the files of the meshes of one model, each from the document that names it."""

    def __init__(self, model: Model, packages: Packages) -> None:
        """Look for each package and each file once.

        Args:
            model: Whose shapes they are.
            packages: Folders by package name.
        """
        self._model = model
        self._packages = packages
        self._finders: dict[int, Finder] = {}
        self._found: dict[tuple[int, str], Resource] = {}

    def find(self, shape: Shape) -> Resource:
        """The file of a mesh."""
        key = shape.span.file, shape.uri or ""
        if key not in self._found:
            if shape.span.file not in self._finders:
                path = self._model.source_of(shape.span).path
                self._finders[shape.span.file] = Finder(
                    None if path == NO_FILE else path, self._packages
                )
            self._found[key] = self._finders[shape.span.file].find(key[1])
        return self._found[key]


class MeasuredMesh:
    """What is known of a mesh file in one scale.

    Attributes:
        mesh: What the triangles enclose and cover.
        reach: By orientation R_BG, (25, 2) least and greatest coordinates of the mesh along AXES,
            from the origin of the mesh.
    """

    def __init__(self, mesh: Mesh, reach: dict[Turn, Floats]) -> None:
        """Take what was measured."""
        self.mesh = mesh
        self.reach = reach

    @cached_property
    def solid(self) -> InertialParameters | None:
        """What it encloses, with unit density; triangles that face inwards are turned."""
        try:
            return self.mesh.solid(density=1.0, inside_out=True)
        except ParameterError:
            return None

    @cached_property
    def surface(self) -> InertialParameters | None:
        """What it covers, with unit density; None of a mesh without area."""
        try:
            return self.mesh.shell(density=1.0)
        except ParameterError:
            return None

    @cached_property
    def fault(self) -> Fault | None:
        """Why it shows no volume as it stands."""
        if self.surface is None:
            return "empty"
        if self.mesh.flat:
            return "flat"
        if not self.mesh.closed:
            return "open"
        if self.solid is None:
            return "flat" if self.mesh.winding == "none" else "crossing"
        return "inward" if self.mesh.winding == "inward" else None


def measured(path: str, scale: Triple, turns: Collection[Turn] = ()) -> MeasuredMesh:
    """Measure a mesh file, unless that was done before and it has not changed since.

    Args:
        path: The file.
        scale: Factors on its coordinates.
        turns: Orientations in which its reach is wanted.

    Raises:
        DocumentError: It is no such mesh.
        ParameterError: It has no triangle, or a corner that is not finite.
        UsageError: Its format is unknown; or it is not read here (NotReadError).
    """
    key = _key(path, scale)
    known = None if key is None else _MEMORY.get(key)
    old = {} if known is None else known.reach
    new = [turn for turn in dict.fromkeys(turns) if turn not in old]
    if known is not None and not new:
        return known
    axes = np.concatenate([np.zeros((0, 3)), *(AXES @ np.array(turn) for turn in new)])
    mesh = measure(scaled(triangles(path), scale), axes)
    reach = dict(zip(new, mesh.reach.reshape(-1, len(AXES), 2), strict=True))
    found = MeasuredMesh(mesh, {**old, **reach})
    if key is not None and len(found.reach) <= _MOST_TURNS:
        _MEMORY.put(key, found)
    return found


def scaled(blocks: Iterator[Floats], scale: Triple) -> Iterator[Floats]:
    """The triangles in the shape's scale; a mirrored mesh is run through the other way round."""
    mirrored = scale[0] * scale[1] * scale[2] < 0
    for block in blocks:
        with np.errstate(over="ignore"):  # `measure` says so
            larger = block * np.array(scale)
        yield larger[:, ::-1] if mirrored else larger


_Key = tuple[str, int, int, Triple]


def _key(path: str, scale: Triple) -> _Key | None:
    """By what a mesh is remembered; None where there is no such file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return os.path.abspath(path), status.st_mtime_ns, status.st_size, scale


class _Memory:
    """The most recently used meshes of this process, the latest last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._meshes: dict[_Key, MeasuredMesh] = {}

    def get(self, key: _Key) -> MeasuredMesh | None:
        mesh = self._meshes.pop(key, None)
        if mesh is not None:
            self._meshes[key] = mesh
        return mesh

    def put(self, key: _Key, mesh: MeasuredMesh) -> None:
        self._meshes.pop(key, None)
        self._meshes[key] = mesh
        while len(self._meshes) > self._most:
            del self._meshes[next(iter(self._meshes))]


_MEMORY = _Memory(REMEMBERED)
