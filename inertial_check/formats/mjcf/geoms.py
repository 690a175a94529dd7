"""Reader of the <geom> elements of MJCF bodies.

A geom that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from inertial_check.formats.mjcf.constants import MAIN
from inertial_check.formats.mjcf.poses import read_pose
from inertial_check.formats.mjcf.settings import Compiler, Defaults
from inertial_check.formats.mjcf.tree import MjcfDocument, MjcfElement
from inertial_check.formats.numbers import quote
from inertial_check.formats.poses import SAME_FRAME, is_finite, product
from inertial_check.formats.rotations import (
    IDENTITY,
    Vector,
    from_wxyz,
    from_z_axis,
    rotate,
    transpose,
)
from inertial_check.formats.shapes import (
    Unusable,
    check_usable,
    parse_factors,
    parse_numbers,
    unusable_shape,
)
from inertial_check.model.body import Pose
from inertial_check.model.shape import Role, Shape

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Number of sizes of each kind of geom: radii, half lengths, half edges."""

_MOST_SIZES = 3
_KINDS = (*_SIZES, "plane", "hfield", "mesh", "sdf")


class _GeomForm(NamedTuple):
    """Dimensions and mesh of a geom G, and its pose in the frame F of its parent element."""

    dimensions: tuple[float, ...]
    X_FG: Pose
    uri: str | None = None
    scale: Vector = (1.0, 1.0, 1.0)


class GeomReader:
    """Reads the geoms of one document's bodies."""

    def __init__(self, tree: MjcfDocument, compiler: Compiler, defaults: Defaults) -> None:
        self._tree = tree
        self._compiler = compiler
        self._defaults = defaults

    def shape(self, geom: MjcfElement, default: str, frame: Pose | None) -> Shape:
        """Read one geom.

        Args:
            geom: The element.
            default: Default class of elements that name none.
            frame: Pose of the frame around it in the body; None inside a <replicate>.
        """
        attributes = self._defaults.of(geom, default)
        written = attributes.get("type", "sphere")
        kind = "heightmap" if written == "hfield" else written
        role: Role = "collision" if _can_collide(attributes) else "visual"
        try:
            form = self._form(attributes, written, geom)
            X_BG = self._place(form.X_FG, frame)
            shape = Shape(kind, role, form.dimensions, *X_BG, geom.span, form.uri, form.scale)
            return check_usable(shape)
        except Unusable as why:
            return unusable_shape(kind, role, geom.span, why)

    def _form(self, attributes: Mapping[str, str], kind: str, geom: MjcfElement) -> _GeomForm:
        """Read the dimensions, pose and mesh of a geom in the frame around it."""
        if kind not in _KINDS:
            raise Unusable(f"type of <geom> is {quote(kind)}: expected {', '.join(_KINDS)}")
        if kind == "sdf":
            raise Unusable("a distance function of a plugin, which is not read here")
        if kind not in _SIZES and "fromto" in attributes:
            raise Unusable(f"fromto, which a {kind} has not: delete it")
        if kind == "mesh":
            mesh = self._mesh(attributes.get("mesh", "").strip(), geom)
            return mesh._replace(X_FG=product(self._pose(attributes), mesh.X_FG))
        if kind not in _SIZES:
            return _GeomForm((), self._pose(attributes))
        if "mesh" in attributes:
            raise Unusable(f"a {kind} that MuJoCo fits to a mesh: write its size")
        if "fromto" in attributes:
            return _read_ends(attributes, kind)
        sizes = _read_sizes(attributes, kind, _SIZES[kind])
        return _GeomForm(_dimensions(kind, sizes), self._pose(attributes))

    def _place(self, X_FG: Pose, frame: Pose | None) -> Pose:
        """Compute X_BG from the pose X_BF of the frame around a geom."""
        if frame is None:
            raise Unusable("<replicate> makes several of it, which are not told apart here")
        if self._compiler.coordinate == "global":
            raise Unusable("its place is in the coordinates of the world: write local ones")
        if not is_finite(frame):
            raise Unusable("the <frame> around it has no pose that can be read")
        return product(frame, X_FG)

    def _pose(self, attributes: Mapping[str, str]) -> Pose:
        X_FG = read_pose(attributes, self._compiler)
        if X_FG is None:
            raise Unusable("it has no pose that can be read: write pos, and one orientation")
        return X_FG

    @cached_property
    def _assets(self) -> dict[str, Mapping[str, str]]:
        """Attributes of the mesh assets, by name."""
        found: dict[str, Mapping[str, str]] = {}
        tree = self._tree
        for section in tree.children(tree.root):
            for node in tree.children(section) if section.tag == "asset" else ():
                if node.tag == "mesh":
                    attributes = self._defaults.of(node, MAIN)
                    file = os.path.basename(_slashes(attributes.get("file", "").strip()))
                    name = attributes.get("name", "").strip() or os.path.splitext(file)[0]
                    found.setdefault(name, attributes)
        return found

    def _mesh(self, name: str, user: MjcfElement) -> _GeomForm:
        """Read a mesh asset in the frame of the geom that uses it."""
        if not name:
            raise Unusable("<geom> of type mesh has no mesh")
        if name not in self._assets:
            raise Unusable(f"mesh {quote(name)} is not among the assets")
        attributes = self._assets[name]
        file = attributes.get("file", "").strip()
        if not file:
            raise Unusable(f"the vertices of mesh {quote(name)} are in no file, and not read here")
        scale = (1.0, 1.0, 1.0)
        if "scale" in attributes:
            scale = parse_factors(attributes["scale"], "scale of <mesh>")
        uri = self._uri(_slashes(file), user)
        return _GeomForm((), _mesh_frame(attributes, scale), uri, scale)

    def _uri(self, file: str, user: MjcfElement) -> str:
        """Make the path of a file relative to the document that contains the geom."""
        compiler = self._compiler
        if compiler.strippath == "true":
            file = os.path.basename(file)
        path = os.path.join(_slashes(compiler.meshdir or compiler.assetdir), file)
        main, document = self._tree.root.document, user.document
        if document is main or os.path.isabs(path):
            return path
        folder, own = (os.path.dirname(each.source.path) for each in (main, document))
        if folder == own:
            return path
        try:
            return os.path.relpath(os.path.join(folder, path), own or os.curdir)
        except ValueError:  # on another drive
            return os.path.abspath(os.path.join(folder, path))


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _can_collide(attributes: Mapping[str, str]) -> bool:
    """Return whether a geom can collide: one of its contact masks has a bit."""
    return any(attributes.get(name, "1").strip() != "0" for name in ("contype", "conaffinity"))


def _read_sizes(attributes: Mapping[str, str], kind: str, count: int) -> tuple[float, ...]:
    """Read the first `count` sizes of a geom."""
    text = attributes.get("size", "")
    words = text.split()
    if not count <= len(words) <= _MOST_SIZES:
        given = f"is {quote(text)}" if words else "is missing"
        raise Unusable(f"size of <geom> {given}: a {kind} has {count}")
    values = parse_numbers(" ".join(words[:count]), count, "size of <geom>")
    if min(values) <= 0:
        raise Unusable(f"size of <geom> is {min(values)!r}: sizes of a {kind} are positive")
    return values


def _dimensions(kind: str, sizes: Sequence[float]) -> tuple[float, ...]:
    """Convert half edges and half lengths to edges and lengths."""
    if kind == "box":
        return tuple(2 * half for half in sizes)
    if kind in {"capsule", "cylinder"}:
        radius, half = sizes
        return radius, 2 * half
    return tuple(sizes)


def _read_ends(attributes: Mapping[str, str], kind: str) -> _GeomForm:
    """Read a geom that is given by its end points: z points to the first; no orientation counts."""
    if kind == "sphere":
        raise Unusable("fromto, which a sphere has not: delete it")
    if any(parse_numbers(attributes.get("pos", "0 0 0"), 3, "pos of <geom>")):
        raise Unusable("pos and fromto, of which MuJoCo takes only one")
    ends = parse_numbers(attributes["fromto"], 6, "fromto of <geom>")
    pairs = list(zip(ends[:3], ends[3:], strict=True))
    along = [first - last for first, last in pairs]
    rotation = from_z_axis(*along)
    if rotation is None:
        raise Unusable("fromto of <geom> names one point twice")
    x, y, z = ((first + last) / 2 for first, last in pairs)
    radius, *_ = _read_sizes(attributes, kind, 1)
    half = math.hypot(*along) / 2
    sizes = (radius, half) if kind in {"capsule", "cylinder"} else (radius, radius, half)
    return _GeomForm(_dimensions(kind, sizes), Pose((x, y, z), rotation))


def _mesh_frame(attributes: Mapping[str, str], scale: Vector) -> Pose:
    """Compute the pose of the scaled coordinates of a mesh file in the frame of the geom.

    MuJoCo maps a vertex v of the file to scale * R^T (v - refpos), where R is the rotation of
    refquat. It then moves the mesh to its own centre and axes, but undoes this in the geom's pose.
    """
    if "refpos" not in attributes and "refquat" not in attributes:
        return SAME_FRAME
    refpos = parse_numbers(attributes.get("refpos", "0 0 0"), 3, "refpos of <mesh>")
    R_GM = IDENTITY
    if "refquat" in attributes:
        rotation = from_wxyz(*parse_numbers(attributes["refquat"], 4, "refquat of <mesh>"))
        if rotation is None:
            raise Unusable("refquat of <mesh> is no rotation: write w x y z")
        R_GM = transpose(rotation)
    if R_GM != IDENTITY and len(set(scale)) > 1:
        raise Unusable("refquat turns the mesh before it is scaled by unequal factors")
    x, y, z = (-a * s for a, s in zip(rotate(R_GM, refpos), scale, strict=True))
    return Pose((x, y, z), R_GM)
