"""Mesh files of scenes: found, simplified, quantised, and kept once for each content.

Simplification of triangle meshes for drawing: vertex clustering with quadric error placement.

The vertices in each cell of a grid become one vertex, at the point that is nearest to the planes of
the triangles there (Lindstrom 2000). It takes one pass over the triangles and needs no library.

Numbers as JSON that every browser reads: no NaN, no infinity, and no digits that nobody sees.

Scene of a model: its bodies, joints, shapes, judgements, findings and fixes as plain data.

A scene holds what a page, a live view or another renderer draws. It is JSON; docs/report.md
describes its fields.

Frames and joints of a scene: the pose of each body in its parent, and how its joint moves it.

Shapes of a scene, and the mean densities of bodies inside their shapes.

Equivalent solids of bodies: principal axes, and the ellipsoid and box with the same inertia.

Fixes of the bodies of a scene: numbers, equivalent solids and changed lines after each fix.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from typing import NamedTuple, SupportsFloat

import numpy as np
import numpy.typing as npt

from inertial_check.checking.check import Document, check_documents
from inertial_check.checking.engines.catalogue import ALL_ENGINES, predict
from inertial_check.checking.evidence.material import explain_density
from inertial_check.checking.report import (
    BodyReport,
    FileReport,
    Finding,
    Prediction,
    Severity,
    name_all_numbers,
)
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes.evidence import read_geometry
from inertial_check.checking.shapes.meshes import MeshFinder
from inertial_check.documents.children import raise_defects
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access, Json
from inertial_check.documents.load import load
from inertial_check.documents.meshes import triangles
from inertial_check.documents.model import (
    JOINT_TYPES,
    Body,
    Joint,
    Judgement,
    Model,
    Pose,
    Shape,
    judge,
)
from inertial_check.errors import DocumentError, InertialCheckError
from inertial_check.fixing.edits import imagine
from inertial_check.fixing.prescriptions import prescribe
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import symmetric
from inertial_check.inertia.solids import equivalent_box, equivalent_ellipsoid
from inertial_check.reports.grouping import describe_remedy, write_remedy_command
from inertial_check.reports.page.lines import describe_edits, describe_lines

Indices = npt.NDArray[np.int64]

LEVELS = 65534
"""Steps of a quantised coordinate across the bounding box of a mesh; the largest even number of
16 bits, so that rounding does not part corners that lie in the middle of a symmetric mesh."""

_TRIANGLES_PER_CELL = 2.4
"""Triangles that clustering leaves for each square of the area of a mesh with the edge of a cell,
measured on meshes of robots."""

_MOST_CELLS = 1 << 20
"""Number of cells along an axis, so that three indices fit into one 64-bit key."""

_REGULARISATION = 1e-2
"""Weight, relative to the planes, of the mean of the vertices of a cell. Without it the point on a
flat face or a straight edge is not determined."""

_BLOCK = 1 << 17
"""Triangles that are worked on at a time, so that a large mesh needs little more memory than its
corners."""

_ATTEMPTS = 4
"""Largest number of grids tried until a mesh has few enough triangles."""


class IndexedMesh(NamedTuple):
    """Triangles that share their vertices, quantised to 16 bits.

    Attributes:
        positions: (n, 3) vertices, in steps of extent / LEVELS from `lower`.
        faces: (t, 3) indices of the vertices.
        lower: (3,) least coordinates.
        extent: (3,) size of the bounding box.
    """

    positions: npt.NDArray[np.uint16]
    faces: Indices
    lower: Floats
    extent: Floats


def simplify(corners: Floats, most: int) -> IndexedMesh:
    """Quantise a mesh, and simplify it if it has too many triangles.

    Args:
        corners: (t, 3, 3) finite corners of at least one triangle.
        most: Largest number of triangles of the result.
    """
    points = corners.reshape(-1, 3)
    lower = points.min(axis=0)
    extent = points.max(axis=0) - lower
    if len(corners) > most:
        vertices, faces = _cluster(corners, lower, extent, most)
    else:
        vertices, faces = points, np.arange(len(points), dtype=np.int64).reshape(-1, 3)
    steps = np.divide(LEVELS, extent, out=np.zeros(3), where=extent > 0)
    quantised = np.clip(np.rint((vertices - lower) * steps), 0, LEVELS).astype(np.int64)
    keys, index = np.unique(quantised @ (1 << np.array([32, 16, 0])), return_inverse=True)
    positions = np.stack([keys >> 32, keys >> 16 & LEVELS, keys & LEVELS], axis=1)
    faces = _drop_degenerate(index.reshape(-1)[faces])
    return IndexedMesh(positions.astype(np.uint16), faces, lower, extent)


def _cluster(corners: Floats, lower: Floats, extent: Floats, most: int) -> tuple[Floats, Indices]:
    """Cluster the vertices of a mesh; returns vertices (n, 3) and faces (t, 3)."""
    area = sum(float(lengths.sum()) for _, _, lengths in _measure_blocks(corners)) / 2
    by_area = np.sqrt(_TRIANGLES_PER_CELL * area / most)
    # A mesh without extent has cells of no size, by which nothing can be divided.
    cell = max(by_area, float(extent.max()) / _MOST_CELLS, np.finfo(float).tiny)
    for _ in range(_ATTEMPTS):
        # Find the occupied cells (n, 3), and the number of the cell of each corner (3 t).
        points = corners.reshape(-1, 3)
        shape = ((points.max(axis=0) - lower) / cell).astype(np.int64) + 1
        flat = np.empty(len(points), dtype=np.int64)
        for start in range(0, len(points), _BLOCK):
            grid = ((points[start : start + _BLOCK] - lower) / cell).astype(np.int64)
            flat[start : start + _BLOCK] = (grid[:, 0] * shape[1] + grid[:, 1]) * shape[2] + grid[
                :, 2
            ]
        keys, index = np.unique(flat, return_inverse=True)
        rest, z = np.divmod(keys, shape[2])
        x, y = np.divmod(rest, shape[1])
        cells, index = np.stack([x, y, z], axis=1), index.reshape(-1)
        faces = _drop_repeated(_drop_degenerate(index.reshape(-1, 3)))
        if len(faces) <= most:
            break
        cell *= 1.05 * np.sqrt(len(faces) / most)
    faces = faces[:most]
    return _place_vertices(corners, index, cells, (lower, cell)), faces


def _measure_blocks(corners: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield blocks of triangles: their slice, normals (n, 3) and the lengths of these (n,)."""
    for start in range(0, len(corners), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(corners)))
        a, b, c = corners[part].transpose(1, 0, 2)
        normals = np.cross(b - a, c - a)
        yield part, normals, np.linalg.norm(normals, axis=1)


def _place_vertices(
    corners: Floats, index: Indices, cells: Indices, grid: tuple[Floats, float]
) -> Floats:
    """Place one vertex in each cell, nearest to the planes of the triangles that touch the cell."""
    lower, cell = grid
    count = len(cells)
    weights = np.bincount(index, minlength=count)
    points = corners.reshape(-1, 3)
    means = np.stack(
        [np.bincount(index, points[:, axis], count) / weights for axis in range(3)], axis=1
    )
    matrices = np.zeros((count, 3, 3))
    right = np.zeros((count, 3))
    for part, normals, lengths in _measure_blocks(corners):
        places = index[3 * part.start : 3 * part.stop]
        units = np.divide(
            normals, lengths[:, None], out=np.zeros_like(normals), where=lengths[:, None] > 0
        )
        normal = np.repeat(units, 3, axis=0)
        area = np.repeat(lengths, 3)
        # Offsets of the planes from the mean of the cell: small numbers, so no digits are lost.
        first = np.repeat(corners[part, 0], 3, axis=0)
        offset = np.einsum("ni,ni->n", normal, first - means[places])
        for i in range(3):
            right[:, i] += np.bincount(places, area * normal[:, i] * offset, count)
            for j in range(i, 3):
                sums = np.bincount(places, area * normal[:, i] * normal[:, j], count)
                matrices[:, i, j] += sums
                matrices[:, j, i] = matrices[:, i, j]
    trace = np.trace(matrices, axis1=1, axis2=2)
    scale = np.where(trace > 0, trace, 1.0)
    matrices = matrices / scale[:, None, None] + _REGULARISATION * np.eye(3)
    moves = np.linalg.solve(matrices, (right / scale[:, None])[:, :, None])[:, :, 0]
    corner = lower + cells * cell
    clipped: Floats = np.clip(means + moves, corner, corner + cell)
    return clipped


def _drop_degenerate(faces: Indices) -> Indices:
    """Drop triangles with two equal vertices."""
    a, b, c = faces.T
    kept: Indices = faces[(a != b) & (b != c) & (c != a)]
    return kept


def _drop_repeated(faces: Indices) -> Indices:
    """Drop triangles that occur before, whichever vertex they begin with."""
    if not len(faces):
        return faces
    first = np.argmin(faces, axis=1)
    rows = np.arange(len(faces))
    turned = np.stack([faces[rows, (first + k) % 3] for k in range(3)], axis=1)
    count = int(faces.max()) + 1
    if count >= 1 << 21:  # three indices no longer fit into one 64-bit key
        kept: Indices = np.unique(turned, axis=0)
        return kept
    keys = (turned[:, 0] * count + turned[:, 1]) * count + turned[:, 2]
    _, at = np.unique(keys, return_index=True)
    kept = turned[np.sort(at)]
    return kept


LARGEST_DRAWN = 1e18
"""Largest coordinate that is drawn [m]: its square fits into float32, as graphics cards compute."""


def encode_number(value: SupportsFloat | None, digits: int = 9) -> float | None:
    """Round a number to some significant digits; None if it is missing or not finite."""
    number = float("nan") if value is None else float(value)
    return float(f"{number:.{digits}g}") + 0.0 if isfinite(number) else None  # no -0.0


def encode_numbers(values: Iterable[SupportsFloat], digits: int = 9) -> list[Json]:
    """Round numbers; see encode_number."""
    return [encode_number(value, digits) for value in values]


def is_drawable(values: Iterable[SupportsFloat]) -> bool:
    """Whether coordinates are finite and small enough to be drawn."""
    return all(abs(float(value)) < LARGEST_DRAWN for value in values)


MODEL_TRIANGLES = 120_000
"""Triangles that the meshes of one model may have together: about 1.5 MB of the page."""

LEAST_TRIANGLES, MOST_TRIANGLES = 256, 8192
"""Bounds on the triangles of one mesh: below, a part has no form; above, nothing more is seen."""

LARGEST_MESH = 2_000_000
"""Triangles of the largest file that is drawn: a report with one takes about 560 MB of memory."""

_SHORT_INDEX = 1 << 16
"""Number of vertices up to which an index takes two bytes."""


class MeshLibrary:
    """The simplified meshes of all scenes of a page, each kept once.

    Attributes:
        contents: The meshes as plain data, by the digest of their content.
    """

    def __init__(self) -> None:
        self.contents: dict[str, Json] = {}
        self._known: dict[tuple[str, int, int, int], str] = {}

    def add(self, path: str, access: Access, most: int) -> str:
        """Simplify a mesh file, unless that was done before.

        Args:
            path: The file.
            access: The files that may be read.
            most: Largest number of triangles.

        Returns:
            The digest of the mesh.

        Raises:
            InertialCheckError: The file cannot be read, or has too many triangles to be drawn.
            OSError: The file has been removed.
        """
        status = os.stat(path)
        key = os.path.abspath(path), status.st_mtime_ns, status.st_size, most
        if key not in self._known:
            # Read the finite triangles of a file.
            blocks: list[Floats] = []
            count = 0
            for block in triangles(path, access):
                count += len(block)
                if count > LARGEST_MESH:
                    raise DocumentError(
                        path, f"not drawn: more than {LARGEST_MESH} triangles; simplify the mesh"
                    )
                # Coordinates are drawn in float32, up to 3.4e38; squares must stay below it.
                corners = np.asarray(block, dtype=float)
                drawable = np.all(np.abs(corners) < LARGEST_DRAWN, axis=(1, 2))
                blocks.append(corners[drawable])
            if not any(map(len, blocks)):
                raise DocumentError(path, "not drawn: it has no triangle with finite corners")
            digest, content = _encode(np.concatenate(blocks), most)
            self.contents.setdefault(digest, content)
            self._known[key] = digest
        return self._known[key]


class ModelMeshes:
    """The meshes of one model.

    Args:
        model: The model.
        context: Folders of packages, and the files that may be used.
        library: The meshes of all scenes.
        most: Triangles that the meshes of the model may have together.

    Attributes:
        used: Digests of the meshes of the model.
    """

    def __init__(self, model: Model, context: Context, library: MeshLibrary, most: int) -> None:
        self._finder = MeshFinder(model, context)
        self._library = library
        shapes = [shape for body in model.bodies for shape in body.shapes]
        meshes = [shape for shape in shapes if shape.kind == "mesh" and shape.note is None]
        files = len(
            {path for shape in meshes if (path := self._finder.find(shape).path) is not None}
        )
        share = max(most // max(files, 1), LEAST_TRIANGLES)
        self._share = int(min(1 << share.bit_length() - 1, MOST_TRIANGLES))
        self.used: set[str] = set()

    def read(self, shape: Shape) -> tuple[str | None, str | None]:
        """Read the mesh of a shape.

        Returns:
            Its digest, and None; or None, and why it is not drawn.
        """
        resource = self._finder.find(shape)
        if resource.path is None:
            return None, resource.reason
        try:
            digest = self._library.add(resource.path, self._finder.access, self._share)
        except InertialCheckError as error:
            return None, str(error)
        except OSError as error:
            return None, f"{resource.path}: {error.strerror or error}"
        self.used.add(digest)
        return digest, None


def _encode(corners: Floats, most: int) -> tuple[str, Json]:
    """Simplify a mesh; returns its digest and its plain data."""
    mesh = simplify(corners, most)
    wide = "<u2" if len(mesh.positions) <= _SHORT_INDEX else "<u4"
    positions = mesh.positions.astype("<u2").tobytes()
    faces = mesh.faces.astype(wide).tobytes()
    steps = mesh.extent / LEVELS
    digest = hashlib.sha256(b"\0".join([positions, faces, mesh.lower.tobytes(), steps.tobytes()]))
    return digest.hexdigest()[:16], {
        "lower": mesh.lower.tolist(),
        "step": steps.tolist(),
        "positions": base64.b64encode(positions).decode("ascii"),
        "indices": base64.b64encode(faces).decode("ascii"),
        "index_bytes": int(wide[-1]),
        "triangles": len(mesh.faces),
        "read_triangles": len(corners),
    }


_DIGITS = 7
"""Significant digits of a coordinate in a scene: graphics cards compute with float32."""

_IDENTITY = Pose((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def describe_nodes(model: Model) -> tuple[list[Json], list[str]]:
    """Describe the frame and the joint of every body; see Scene.nodes.

    Returns:
        The nodes in the order of the bodies, and notes on poses that are unknown.
    """
    parents = find_parents(model.bodies)
    # Find the index of the body that the joint of each name moves; the first of a shared name.
    joints: dict[str, int] = {}
    for index, each in enumerate(model.bodies):
        for joint in each.joints:
            if joint.name:
                joints.setdefault(joint.name, index)
    nodes: list[Json] = []
    unknown: list[str] = []
    for body, parent in zip(model.bodies, parents, strict=True):
        pose = body.X_PB if parent is not None else _IDENTITY
        if pose is None or not is_drawable((*pose.p_PoBo_P, *chain(*pose.R_PB))):
            pose = _IDENTITY
            unknown.append(body.name)
        nodes.append(
            {
                "parent": parent,
                "position": encode_numbers(pose.p_PoBo_P, _DIGITS),
                "rotation": encode_numbers(chain(*pose.R_PB), _DIGITS),
                "joint": _describe_joint(body, joints),
            }
        )
    notes = []
    if unknown:
        listed = ", ".join(unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        notes.append(f"pose in the parent unknown, drawn at its origin: {listed}")
    return nodes, notes


def find_parents(bodies: Sequence[Body]) -> list[int | None]:
    """Find the index of the parent of each body; a loop is opened at the body that closes it."""
    index_of = {body.id: index for index, body in enumerate(bodies)}
    parents = [None if body.parent is None else index_of.get(body.parent) for body in bodies]
    rooted: set[int] = set()
    for start in range(len(parents)):
        path: list[int] = []
        on_path: set[int] = set()
        index: int | None = start
        while index is not None and index not in rooted:
            if index in on_path:
                parents[path[-1]] = None
                break
            path.append(index)
            on_path.add(index)
            index = parents[index]
        rooted.update(path)
    return parents


def _describe_joint(body: Body, joints: dict[str, int]) -> Json:
    """Describe the joint of a body; motion is revolute, prismatic, or none where it has no axis."""
    if body.joint is None:
        return None
    stated = body.joints[0] if body.joints else Joint("", body.joint)
    motion = JOINT_TYPES.get(body.joint)
    point = body.p_BoJo_B or (0.0, 0.0, 0.0)
    movable = (
        motion in ("revolute", "prismatic")
        and body.axis_B is not None
        and is_drawable((*body.axis_B, *point))
    )
    mimic = stated.mimic
    followed = None if mimic is None else joints.get(mimic.joint)
    return {
        "name": stated.name or body.name,
        "type": body.joint,
        "motion": motion if movable else "none",
        "axis": encode_numbers(body.axis_B or (0.0, 0.0, 0.0), _DIGITS) if movable else None,
        "point": encode_numbers(point, _DIGITS) if movable else None,
        "lower": encode_number(stated.lower),
        "upper": encode_number(stated.upper),
        "mimic": None
        if mimic is None or followed is None
        else {
            "body": followed,
            "multiplier": encode_number(mimic.multiplier),
            "offset": encode_number(mimic.offset),
        },
    }


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
    for body, own, shapes in zip(file.bodies, model.bodies, geometry.bodies, strict=True):
        mass = body.judgement.mass
        # Visual shapes come first; a role of which a shape is missing would give too much.
        usable = [each for each in shapes if each.volume > 0 and not each.skipped]
        if not (usable and mass > 0):
            densities.append(None)
            continue
        role, density = usable[0].role, mass / usable[0].volume
        kinds = [shape.kind for shape in own.shapes if shape.role == role]
        densities.append(
            {
                "value": encode_number(density, 5),
                "volume": encode_number(usable[0].volume, 5),
                "role": role,
                "remark": explain_density(density, kinds),
            }
        )
    return densities


def describe_remedy_of(
    file: FileReport, model: Model, finding: Finding, options: Sequence[str]
) -> dict[str, Json] | None:
    """Describe the remedy of a finding: its reason, changed lines and command; None without one."""
    remedy = finding.remedy
    if remedy is None or not remedy.edits:
        return None
    places = {body.id: index for index, body in enumerate(model.bodies)}
    return {
        "source": remedy.source,
        "bodies": [places[each] for each in remedy.body_ids],
        "reason": describe_remedy(remedy),
        "lines": describe_edits(model, remedy.text_edits),
        "command": write_remedy_command(file, [finding], options),
    }


def describe_fixes(
    file: FileReport, model: Model, options: Sequence[str], tolerance: float
) -> dict[str, list[Json]]:
    """Describe the remedy of each body, by its id: the numbers and judgement that it leads to."""
    remedies: dict[str, tuple[dict[str, Json], Mapping[str, str]]] = {}
    for finding in file.findings:
        remedy, described = finding.remedy, describe_remedy_of(file, model, finding, options)
        if remedy is not None and described is not None:
            for id_, texts in zip(remedy.body_ids, remedy.edits, strict=True):
                remedies.setdefault(id_, (described, texts))
    if not remedies:
        return {}
    after = imagine(model, {id_: texts for id_, (_, texts) in remedies.items()})
    judgements = judge(after, tolerance)
    predictions = predict(after, judgements)
    fixes: dict[str, list[Json]] = {}
    for old, judgement, engines in zip(model.bodies, judgements, predictions, strict=True):
        if old.id in remedies and old.inertial is not None:
            described, texts = remedies[old.id]
            numbers = name_all_numbers(old.inertial)
            changes = [[n, numbers[n].text, text] for n, text in texts.items() if n in numbers]
            judged = _describe_judgement(judgement, engines)
            fixes[old.id] = [{**described, "changes": changes, **judged}]
    return fixes


def describe_solid(
    mass: float, center: Sequence[float], I_BBcm_B: Sequence[float]
) -> dict[str, Json]:
    """Describe mass, centre of mass, and the uniform solids with the inertia of a body.

    Axes are the columns of a right-handed rotation, in the order of the moments, which ascend. A
    length is null along an axis in which no body has the moments.
    """
    described: dict[str, Json] = {"mass": encode_number(mass), "com": encode_numbers(center)}
    described |= dict.fromkeys(("moments", "axes", "ellipsoid", "box"))
    six = np.array(I_BBcm_B, dtype=float)
    if not (np.isfinite(mass) and np.all(np.isfinite(six))):
        return described
    size = float(np.max(np.abs(six))) or 1.0
    # Eigenvalues of the scaled tensor: squares of 1e300 or 1e-300 would leave float64.
    values, R_BS = np.linalg.eigh(symmetric(six / size))
    if np.linalg.det(R_BS) < 0:
        R_BS[:, 0] *= -1
    with np.errstate(over="ignore"):  # moments of entries at the end of float64
        described["moments"] = encode_numbers(values * size)
    described["axes"] = encode_numbers(R_BS.ravel(), 7)
    # The largest moment has the shortest length, so the ascending lengths are turned round.
    for name, find in (("ellipsoid", equivalent_ellipsoid), ("box", equivalent_box)):
        described[name] = encode_numbers(np.asarray(find(mass / size, values))[::-1], 7)
    return described


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
    document = Document(path, True, settings, data)
    (result,) = check_documents([document], prescribe=prescribe)
    if result.file is not None:
        found = result.file
    else:
        reason = result.failure or result.note or "there is nothing to check"
        found = FileReport(result.path, None, None, (), (), notes=(reason,))
    return build_scene(found, settings, data=data)


def build_scene(
    file: FileReport,
    settings: Settings,
    *,
    library: MeshLibrary | None = None,
    data: bytes | None = None,
    triangles: int = MODEL_TRIANGLES,
    options: Sequence[str] = (),
) -> Scene:
    """Build the scene of a document that was checked; the document is read once more.

    Args:
        file: Its report, with causes and predictions of all bodies.
        settings: The settings with which it was checked.
        library: Simplified meshes of earlier scenes, which are used again; None for none.
        data: Bytes of a document that was not read from a file.
        triangles: Triangles that the meshes of the scene may have together.
        options: Options that commands repeat; see Report.options.

    Raises:
        DocumentError: The document has changed since the check and cannot be read any more, or an
            unexpected error.
    """
    if file.format is None:
        return build_plain_scene(file)
    context = settings.context
    model = load(file.path if data is None else data, path=file.path, context=context).whole
    if [body.id for body in model.bodies] != [body.id for body in file.bodies]:
        note = "not drawn: the file has changed since it was checked"
        return build_plain_scene(file._replace(notes=(*file.notes, note)))
    with raise_defects(file.path):
        library = MeshLibrary() if library is None else library
        meshes = ModelMeshes(model, context, library, triangles)
        fixes = describe_fixes(file, model, options, settings.tolerance)
        nodes, node_notes = describe_nodes(model)
        shapes, shape_notes = describe_shapes(model, meshes)
        densities = describe_densities(file, model, settings)
        bodies = {body.id: body for body in model.bodies}
        content = {
            **_describe_head(file),
            "nodes": nodes,
            "shapes": shapes,
            "bodies": [
                _describe_body(body, density, fixes.get(body.id, []), own, len(bodies))
                for body, density, own in zip(
                    file.bodies, densities, _group_findings(file), strict=True
                )
            ],
            "findings": [
                {
                    **_describe_finding(file, each, describe_lines(model, bodies, each)),
                    "remedy": describe_remedy_of(file, model, each, options),
                }
                for each in file.findings
            ],
            "notes": [*file.notes, *node_notes, *shape_notes],
        }
        return Scene(file.path, content, {each: library.contents[each] for each in meshes.used})


def build_plain_scene(file: FileReport) -> Scene:
    """Build a scene from a report alone: judgements and findings, without shapes and fixes."""
    content = {
        **_describe_head(file),
        "nodes": [],
        "shapes": [],
        "bodies": [
            _describe_body(body, None, [], own, len(file.bodies))
            for body, own in zip(file.bodies, _group_findings(file), strict=True)
        ],
        "findings": [_describe_finding(file, each, []) for each in file.findings],
        "notes": list(file.notes),
    }
    return Scene(file.path, content)


def count_findings(file: FileReport) -> dict[str, Json]:
    """Count the findings of a file by severity."""
    counts = Counter(each.severity for each in file.findings)
    return {severity.word: counts[severity] for severity in Severity}


def _describe_head(file: FileReport) -> dict[str, Json]:
    return {
        "schema_version": SCHEMA_VERSION,
        "path": file.path,
        "name": file.model or "",
        "format": file.format,
        "counts": count_findings(file),
        "suppressed": len(file.suppressed),
        "mass": encode_number(
            sum(body.judgement.mass for body in file.bodies if body.judgement.mass > 0)
        ),
        "engines": [{"name": each.name, "version": each.version} for each in ALL_ENGINES],
    }


def _group_findings(file: FileReport) -> list[list[tuple[int, Finding]]]:
    """Group the findings by body, each with its index, those of the whole model with each body."""
    groups: list[list[tuple[int, Finding]]] = [[] for _ in file.bodies]
    for number, finding in enumerate(file.findings):
        for index in _list_bodies(file, finding):
            groups[index].append((number, finding))
    return groups


def _list_bodies(file: FileReport, finding: Finding) -> list[int]:
    """Indices of the bodies of a finding, those with the numbers of the same text among them."""
    ids = {finding.body_id, *finding.body_ids}
    names = {name for path, name in finding.uses if path == file.path}
    return [i for i, body in enumerate(file.bodies) if body.id in ids or body.name in names]


def _describe_body(
    body: BodyReport,
    density: Json,
    fixes: list[Json],
    own: Sequence[tuple[int, Finding]],
    count: int,
) -> Json:
    """Describe the judgement of a body, its predictions, findings and fixes; see Scene."""
    worst = max(
        (finding.severity for _, finding in own if not _is_whole(finding, count)), default=None
    )
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "file": body.file,
        "severity": None if worst is None else worst.word,
        "density": density,
        **_describe_judgement(body.judgement, body.predictions),
        "predicted": bool(body.predictions),
        "attributes": dict(body.attributes),
        "findings": [number for number, _ in own],
        "fixes": fixes,
    }


def _describe_judgement(
    judgement: Judgement, predictions: Mapping[str, Prediction]
) -> dict[str, Json]:
    """Describe the verdict on a body, its solids, and the engines that do not accept it."""
    return {
        "verdict": judgement.verdict,
        "margin": encode_number(judgement.margin),
        "witness": None if judgement.witness is None else encode_numbers(judgement.witness, 7),
        **describe_solid(judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_B),
        "engines": {
            name: {"action": each.action, "message": each.message, "becomes": each.becomes}
            for name, each in predictions.items()
            if each.action != "accept"
        },
    }


def _is_whole(finding: Finding, count: int) -> bool:
    """Whether a finding is about a model of so many bodies, and points at none of them."""
    return finding.body is None and len(finding.body_ids) > max(2, count // 2)


def _describe_finding(file: FileReport, finding: Finding, lines: list[Json]) -> dict[str, Json]:
    """Describe a finding with its source lines and its causes; see Scene."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "message": finding.message,
        "file": finding.place.path,
        "line": finding.place.line,
        "column": finding.place.column,
        "bodies": _list_bodies(file, finding),
        "model": finding.body is None,
        "whole": _is_whole(finding, len(file.bodies)),
        "lines": lines,
        "causes": [
            {
                "cause": each.cause,
                "confidence": encode_number(each.confidence, 4),
                "evidence": each.evidence,
                "changes": [
                    [name, finding.written[name], encode_number(value)]
                    for name, value in (each.edit or {}).get("entries", {}).items()
                    if name in finding.written
                ],
            }
            for each in finding.causes
        ],
        "no_cause": finding.no_cause,
        "fix": finding.fix,
    }
