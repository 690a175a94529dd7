"""Mesh files of a model: found, measured in one pass, and remembered for the next models.

Of each mesh a few numbers are remembered, by the content of its file, so that copies of a file in
several packages are measured once. Formats that refer to other files are remembered by path.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from inertial_check.checking.evidence.examination import Fault, MeshFault
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access
from inertial_check.documents.meshes import NotReadError, triangles
from inertial_check.documents.model import Model, Shape
from inertial_check.documents.resources import Resource, ResourceFinder
from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.meshes import Mesh, count_once, measure
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.solids import AXES

Scale = tuple[float, float, float]
"""Factors on the coordinates of a mesh file, along its own axes."""

Orientation = tuple[tuple[float, float, float], ...]
"""Rotation matrix R_BG of a mesh in its body, row by row."""

REMEMBERED = 1024
"""Number of meshes remembered, a few kilobytes each; the least recently used are forgotten."""

NO_FILE = "<bytes>"
"""Path of a document that was read from no file."""

_REMEMBERED_DIGESTS = 1 << 14
"""Number of files whose digests are remembered; more than meshes, as there may be many copies."""

_SELF_CONTAINED = frozenset((".stl", ".obj"))
"""Formats whose triangles no other file can change."""

_LEAST_FACES = 4
"""Least number of triangles that stand twice where a part does: a tetrahedron has four."""

_MOST_COPIES = 8
"""Most triangles at one place, on average, of a mesh whose places are counted once: with thousands,
which no export has, counting takes minutes, and their volumes are added as they stand."""

_MOST_FACES = 500_000
"""Most triangles of a mesh whose places are counted once; counting holds them all in memory."""

_SLANTED = np.array([0.5415, 0.6532, 0.5293])
"""Direction along which triangles are told apart: no part is modelled in planes across it."""

_MOST_ORIENTATIONS = 64
"""Number of orientations of one mesh up to which its reach is remembered; with more of them, the
mesh is measured for its model and not remembered."""

_REMARKS: Mapping[Fault, str] = {
    "empty": "it has no area: left out",
    "inward": "its triangles face inwards: taken as if they were turned",
    "open": "it is not closed, so it has no inside: its surface is taken",
    "flat": "it lies in a plane, or is a sheet with two sides: it adds no volume",
    "crossing": "it runs through itself, so that parts count as negative: its surface is taken",
}
"""The remark on each fault of a mesh, which says what the mesh is taken for."""


class MeshFinder:
    """Finds the files of the meshes of one model, each from the document that names it.

    Every package and every file is looked for once.

    Args:
        model: The model with the shapes.
        context: Folders of packages, and the files that may be used.
    """

    def __init__(self, model: Model, context: Context) -> None:
        self._model = model
        self._context = context.of_document(model.source.path)
        self._finders: dict[int, ResourceFinder] = {}
        self._found: dict[tuple[int, str], Resource] = {}

    def find(self, shape: Shape) -> Resource:
        """Find the file of a mesh."""
        key = shape.span.file, shape.uri or ""
        if key not in self._found:
            if shape.span.file not in self._finders:
                path = self._model.source_of(shape.span).path
                self._finders[shape.span.file] = ResourceFinder(
                    None if path == NO_FILE else path, self._context
                )
            self._found[key] = self._finders[shape.span.file].find(key[1])
        return self._found[key]

    @property
    def access(self) -> Access:
        """The files that the model may use."""
        return self._context.granted


class MeasuredMesh:
    """Measurements of a mesh file in one scale.

    Attributes:
        mesh: Volume, area and moments of the triangles.
        once: The solid inside a mesh with parts that stand twice; None of any other.
        reach: (25, 2) least and greatest coordinates of the mesh along AXES, from the origin of the
            mesh, by orientation R_BG.
    """

    def __init__(
        self,
        mesh: Mesh,
        reach: dict[Orientation, Floats],
        once: InertialParameters | None = None,
    ) -> None:
        self.mesh = mesh
        self.once = once
        self.reach = reach

    @cached_property
    def solid(self) -> InertialParameters | None:
        """The solid inside with unit density, whichever way its triangles face, if it has one."""
        if self.once is not None:
            return self.once
        try:
            return self.mesh.solid(density=1.0, inside_out=True)
        except ParameterError:
            return None

    @cached_property
    def surface(self) -> InertialParameters | None:
        """The surface with unit density; None of a mesh without area."""
        try:
            return self.mesh.shell(density=1.0)
        except ParameterError:
            return None

    @cached_property
    def fault(self) -> Fault | None:
        """The reason why the mesh shows no volume as it stands; None where it shows one."""
        if self.surface is None:
            return "empty"
        if self.mesh.flat:
            return "flat"
        if not self.mesh.closed:
            return "open"
        if self.solid is None:
            return "flat" if self.mesh.winding == "none" else "crossing"
        return "inward" if self.mesh.winding == "inward" else None


class ReadMesh(NamedTuple):
    """Outcome of reading the mesh of one shape.

    Attributes:
        mesh: The measurements; None where the file was not found or not read.
        remark: The reason why the mesh is left out or taken for something else; None where it is
            sound.
        usable: Whether the shape counts.
    """

    mesh: MeasuredMesh | None
    remark: str | None
    usable: bool


class MeshFiles(NamedTuple):
    """Account of a model's mesh files, under the names and in the order of evidence.Geometry."""

    missing: tuple[tuple[str, int, str], ...]
    notes: tuple[str, ...]
    found: int
    faults: tuple[MeshFault, ...]


def read_meshes(
    shapes: Sequence[tuple[int, Shape]], model: Model, context: Context
) -> tuple[list[ReadMesh], MeshFiles]:
    """Measure the meshes among the shapes of a model: each file once in each of its scales.

    Args:
        shapes: Shapes that are meshes, each with the index of its body.
        model: The model with the shapes.
        context: Folders of packages, and the files that may be used.

    Returns:
        The outcome for each shape, and the account of the files. No error is raised for a file that
        is missing or broken.
    """
    finder = MeshFinder(model, context)
    read = [ReadMesh(None, None, False)] * len(shapes)
    missing: dict[tuple[int, str], tuple[str, int, str]] = {}
    notes: dict[str, None] = {}
    faults: dict[tuple[str, Fault], MeshFault] = {}
    found: set[tuple[int, str]] = set()
    users_of: dict[tuple[str, Scale], list[int]] = {}
    for index, (body, shape) in enumerate(shapes):
        resource, uri = finder.find(shape), shape.uri or ""
        if resource.path is None:
            reason = resource.reason or "not found"
            read[index] = ReadMesh(None, reason, False)
            missing.setdefault((shape.span.file, uri), (uri, body, reason))
        else:
            found.add((shape.span.file, uri))
            if resource.reason is not None:
                notes[f"{uri}: {resource.reason}"] = None
            users_of.setdefault((resource.path, shape.scale), []).append(index)

    def add_fault(index: int, fault: Fault, reason: str) -> None:
        body, shape = shapes[index]
        uri = shape.uri or ""
        faults.setdefault((uri, fault), MeshFault(uri, body, fault, reason))

    for (path, scale), users in users_of.items():
        problem: str | None = None
        try:
            turns = [shapes[user][1].R_BG for user in users]
            mesh = measure_file(path, scale, turns, finder.access)
        except NotReadError as error:
            notes[error.note] = None
            problem = str(error)
        except (DocumentError, ParameterError, UsageError) as error:
            problem = str(error) if path in str(error) else f"{path}: {error}"
            add_fault(users[0], "unreadable", problem)
        if problem is not None:
            for user in users:
                read[user] = ReadMesh(None, problem, False)
            continue
        fault = mesh.fault
        if fault is not None:
            add_fault(users[0], fault, _REMARKS[fault])
        for user in users:
            remark = None if fault is None else f"{shapes[user][1].uri}: {_REMARKS[fault]}"
            read[user] = ReadMesh(mesh, remark, fault != "empty")
    files = MeshFiles(tuple(missing.values()), tuple(notes), len(found), tuple(faults.values()))
    return read, files


def measure_file(
    path: str,
    scale: Scale,
    orientations: Collection[Orientation] = (),
    access: Access | None = None,
) -> MeasuredMesh:
    """Measure a mesh file, unless one with the same content was measured before.

    Args:
        path: The file.
        scale: Factors on its coordinates.
        orientations: Orientations R_BG in which the reach of the mesh is wanted.
        access: The files that may be used; None for all.

    Raises:
        DocumentError: The file is no such mesh.
        ParameterError: It has no triangle, or a corner that is not finite.
        UsageError: Its format is unknown; or it is not read here (NotReadError).
    """
    state = _state_of(path)
    key = None if state is None else _key_of(path, state, scale, access)
    known = None if key is None else _MEMORY.get(key)
    old = {} if known is None else known.reach
    new = [each for each in dict.fromkeys(orientations) if each not in old]
    if known is not None and not new:
        return known
    axes = np.concatenate([np.zeros((0, 3)), *(AXES @ np.array(R_BG) for R_BG in new)])
    places: list[Floats] = []
    mesh = measure(_note_places(scaled_triangles(path, scale, access), places), axes)
    once: InertialParameters | None = None
    along = np.concatenate(places)
    single = len(np.unique(along)) if mesh.closed and len(along) <= _MOST_FACES else len(along)
    if _LEAST_FACES <= len(along) - single <= (_MOST_COPIES - 1) * single:
        whole = np.concatenate(list(scaled_triangles(path, scale, access)))
        with suppress(ParameterError):  # `solid` meets it, too
            once = count_once(whole[:, ::-1] if mesh.volume < 0 else whole).body
    reach = dict(zip(new, mesh.reach.reshape(-1, len(AXES), 2), strict=True))
    measured = MeasuredMesh(mesh, {**old, **reach}, once)
    # A file that changed meanwhile may have been measured with other bytes than its digest's.
    if key is not None and len(measured.reach) <= _MOST_ORIENTATIONS and _state_of(path) == state:
        _MEMORY.put(key, measured)
    return measured


def _note_places(blocks: Iterator[Floats], places: list[Floats]) -> Iterator[Floats]:
    """Pass blocks on, and note one number for each triangle, which is that of its copies."""
    for block in blocks:
        with np.errstate(over="ignore", invalid="ignore"):
            places.append(np.sort(block @ _SLANTED, axis=1).sum(axis=1))
        yield block


def scaled_triangles(path: str, scale: Scale, access: Access | None = None) -> Iterator[Floats]:
    """Read the triangles of a mesh file in the scale of a shape, block after block.

    A mirroring scale would turn the triangles inside out, so their corners are then run through the
    other way round.
    """
    mirrored = scale[0] * scale[1] * scale[2] < 0
    for block in triangles(path, access):
        with np.errstate(over="ignore"):  # `measure` refuses corners that are not finite
            larger = block * np.array(scale)
        yield larger[:, ::-1] if mirrored else larger


class _FileState(NamedTuple):
    """State of a file, which differs where its content does.

    Attributes:
        path: Absolute path, without the folders that `..` leaves, links in it not followed.
        node: Device and number of the file there, as such a path can mean several files.
        changed: Times of the last change of the content and of the file's attributes [ns].
        size: Size [bytes].
    """

    path: str
    node: tuple[int, int]
    changed: tuple[int, int]
    size: int


class _MeshKey(NamedTuple):
    """Key of the measurements of a mesh: all that they depend on.

    Attributes:
        content: SHA-256 of the file; of a format that refers to other files, its state instead.
        suffix: Suffix of its name, which decides how it is read.
        scale: Factors on its coordinates.
    """

    content: bytes | _FileState
    suffix: str
    scale: Scale


def _state_of(path: str) -> _FileState | None:
    """Tell the state of a file; None where there is no such file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    node, changed = (status.st_dev, status.st_ino), (status.st_mtime_ns, status.st_ctime_ns)
    return _FileState(os.path.abspath(path), node, changed, status.st_size)


def _key_of(path: str, state: _FileState, scale: Scale, access: Access | None) -> _MeshKey | None:
    """Make the key of a mesh; None where its file cannot be read or is just being changed."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _SELF_CONTAINED:
        return _MeshKey(state, suffix, scale)
    digest = _DIGESTS.get(state)
    if digest is None:
        try:
            with (access or Access(follow_outside=True)).open_mesh(path) as file:
                digest = hashlib.file_digest(file, "sha256").digest()
        except OSError:  # measuring meets it, too, and says it
            return None
        if _state_of(path) != state:
            return None
        _DIGESTS.put(state, digest)
    return _MeshKey(digest, suffix, scale)


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Memory(Generic[_Key, _Value]):
    """The most recently used values of this process, the latest last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[_Key, _Value] = {}

    def get(self, key: _Key) -> _Value | None:
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: _Key, value: _Value) -> None:
        self._values.pop(key, None)
        self._values[key] = value
        while len(self._values) > self._most:
            del self._values[next(iter(self._values))]


_DIGESTS: _Memory[_FileState, bytes] = _Memory(_REMEMBERED_DIGESTS)
_MEMORY: _Memory[_MeshKey, MeasuredMesh] = _Memory(REMEMBERED)
