"""The meshes among the shapes of a model: each file read once, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.evidence import Fault, MeshFault
from inertial_check.formats.meshes import NotReadError
from inertial_check.formats.resources import Packages
from inertial_check.geometry.mesh_reading import REASONS, MeasuredMesh, MeshFinder, measured
from inertial_check.model import Model

if TYPE_CHECKING:
    from inertial_check.geometry.evidence import ShapeInUse


class Files(NamedTuple):
    """What Geometry says of mesh files, in its order and under its names."""

    missing: tuple[tuple[str, int, str], ...]
    notes: tuple[str, ...]
    found: int
    faults: tuple[MeshFault, ...]


def read_meshes(uses: Iterable[ShapeInUse], model: Model, packages: Packages) -> Files:
    """Measure meshes, or skip them and say why.

    Args:
        uses: Shapes that are meshes, and what becomes of them: filled in.
        model: Whose they are.
        packages: Folders by package name.
    """
    reader = _Reader(MeshFinder(model, packages))
    reader.read(uses)
    return reader.files()


class _Reader:
    """Reads the meshes of a model, and keeps account of those that show nothing."""

    def __init__(self, finder: MeshFinder) -> None:
        self._finder = finder
        self._missing: dict[tuple[int, str], tuple[str, int, str]] = {}
        self._found: set[tuple[int, str]] = set()
        self._notes: dict[str, None] = {}
        self._faults: dict[tuple[str, Fault], MeshFault] = {}

    def read(self, uses: Iterable[ShapeInUse]) -> None:
        """Measure every file once in each of its scales."""
        files: dict[tuple[str, tuple[float, float, float]], list[ShapeInUse]] = {}
        for use in uses:
            uri = use.shape.uri or ""
            resource = self._finder.find(use.shape)
            if resource.path is None:
                reason = resource.reason or "not found"
                use.skip(reason)
                key = use.shape.span.file, uri
                self._missing.setdefault(key, (uri, use.group // 2, reason))
            else:
                self._found.add((use.shape.span.file, uri))
                files.setdefault((resource.path, use.shape.scale), []).append(use)
        for (path, scale), users in files.items():
            try:
                mesh = measured(path, scale, [use.shape.R_BG for use in users])
            except NotReadError as error:
                self._notes[error.note] = None
                self._skip(users, str(error))
            except (DocumentError, ParameterError, UsageError) as error:
                reason = str(error) if path in str(error) else f"{path}: {error}"
                self._fault(users[0], "unreadable", reason)
                self._skip(users, reason)
            else:
                self._take(users, mesh)

    def _take(self, users: Sequence[ShapeInUse], mesh: MeasuredMesh) -> None:
        fault = mesh.fault
        for use in users:
            use.mesh = mesh
            if fault is not None:
                use.say(f"{use.shape.uri}: {REASONS[fault]}")
                use.usable = fault != "empty"
        if fault is not None:
            self._fault(users[0], fault, REASONS[fault])

    def _fault(self, use: ShapeInUse, fault: Fault, reason: str) -> None:
        uri = use.shape.uri or ""
        self._faults.setdefault((uri, fault), MeshFault(uri, use.group // 2, fault, reason))

    @staticmethod
    def _skip(users: Iterable[ShapeInUse], reason: str) -> None:
        for use in users:
            use.skip(reason)

    def files(self) -> Files:
        """What is to be said of the files."""
        return Files(
            tuple(self._missing.values()),
            tuple(self._notes),
            len(self._found),
            tuple(self._faults.values()),
        )
