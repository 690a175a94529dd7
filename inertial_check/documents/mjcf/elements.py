"""Reader of the <inertial> of an MJCF body, and of the effects of compiler settings on it.

Reader of the <geom> elements of MJCF bodies.

A geom that cannot be read carries the reason; it is no problem of the document.

Poses that MJCF elements state, without their places in the text.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from inertial_check.documents import poses
from inertial_check.documents.mjcf import MAIN, ORIENTATIONS
from inertial_check.documents.mjcf.compiler import Compiler, Defaults, MjcfDocument, MjcfElement
from inertial_check.documents.model import (
    ENTRIES,
    ZERO,
    FourNumbers,
    Inertial,
    Misreading,
    Number,
    Parser,
    Pose,
    Role,
    Shape,
    ThreeNumbers,
)
from inertial_check.documents.numbers import parse_finite, quote
from inertial_check.documents.xml.document import TextReader

_WITHOUT_ANGLES: Mapping[str, Callable[..., poses.Rotation | None]] = {
    "quat": poses.from_wxyz,
    "xyaxes": poses.from_xy_axes,
    "zaxis": poses.from_z_axis,
}
"""Functions that build the orientations whose numbers do not depend on the compiler's settings."""


def build_rotation(name: str, values: Sequence[float], compiler: Compiler) -> poses.Rotation | None:
    """Build the rotation that the numbers of an attribute in ORIENTATIONS state, if they do."""
    if name == "axisangle":
        return poses.from_axis_angle(values[:3], compiler.radians(values[3]))
    if name == "euler":
        return poses.from_euler([compiler.radians(value) for value in values], compiler.eulerseq)
    return _WITHOUT_ANGLES[name](*values)


def read_pose(attributes: Mapping[str, str], compiler: Compiler) -> Pose | None:
    """Read the pose of an element in the frame around it; None if its attributes state none."""
    position = parse_finite(attributes.get("pos", "").strip() or "0 0 0", 3)
    given = [name for name in ORIENTATIONS if name in attributes and attributes[name].strip()]
    if position is None or len(given) > 1:
        return None
    x, y, z = position
    if not given:
        return Pose((x, y, z), poses.IDENTITY)
    (name,) = given
    values = parse_finite(attributes[name], ORIENTATIONS[name][0])
    rotation = None if values is None else build_rotation(name, values, compiler)
    return None if rotation is None else Pose((x, y, z), rotation)


_FULL = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
"""Entries of fullinertia, in its order."""

_DIAGONAL = ("ixx", "iyy", "izz")
_ATTRIBUTES = {
    "pos": (3, "x y z [m]"),
    "mass": (1, "[kg]"),
    "diaginertia": (3, "the principal moments [kg m^2]"),
    "fullinertia": (6, "xx yy zz xy xz yz [kg m^2]"),
    **ORIENTATIONS,
}
"""Attributes of <inertial>: how many numbers each holds, and their names and units."""


class InertialReader(TextReader):
    """Reads the pose or the inertia of one element and collects the problems of its text."""

    def __init__(self, node: MjcfElement, who: str, compiler: Compiler) -> None:
        super().__init__(node.document, who)
        self._node = node
        self._compiler = compiler
        self._attributes = node.attributes()

    def inertial(self, frame: Pose) -> Inertial:
        """Read the inertial, given the pose of the frame around it in its body."""
        for name, text in self._attributes.items():
            if name not in _ATTRIBUTES:
                way = f"write {name.lower()}" if name.lower() in _ATTRIBUTES else "delete it"
                place = self._node.document.span(*text.trim()[1:])
                self._problem(f"<inertial> has {quote(name)}, which MuJoCo refuses: {way}", place)
        for child in self._node.element.children:
            place = self._node.document.tag_span(child)
            self._problem(f"<{child.tag}> in <inertial>, which MuJoCo refuses: delete it", place)
        center: ThreeNumbers = (ZERO, ZERO, ZERO)
        if "pos" in self._attributes:
            first, second, third = self._numbers("pos")
            center = first, second, third
        else:
            self._refuse('has no pos, which MuJoCo asks for: add pos="x y z" [m]')
        rotation, quaternion = self._rotation()
        if frame != poses.SAME_FRAME:
            x, y, z = (number.value for number in center)
            (x, y, z), rotation = poses.product(frame, Pose((x, y, z), rotation))
            # These numbers are not written, but follow from written ones and a frame.
            center = (Number(x, repr(x), None), Number(y, repr(y), None), Number(z, repr(z), None))
        mass = self._numbers("mass")[0] if "mass" in self._attributes else None
        if mass is None:
            self._refuse('has no mass: add mass="..." [kg]')
        six = self._inertia()
        return Inertial(self._node.span, mass, center, rotation, six, quaternion=quaternion)

    def pose(self) -> Pose:
        """Read the pose of a frame."""
        numbers = self._numbers("pos") if "pos" in self._attributes else (ZERO,) * 3
        x, y, z = (number.value for number in numbers)
        return Pose((x, y, z), self._rotation()[0])

    def _refuse(self, message: str) -> None:
        self._complain(self._node.element, message)

    def _inertia(self) -> dict[str, Number]:
        full = self._read("fullinertia", _FULL)
        diagonal = self._read("diaginertia", _DIAGONAL)
        if full is None and diagonal is None:
            form = f"diaginertia={quote('xx yy zz')} or fullinertia={quote('xx yy zz xy xz yz')}"
            self._refuse(f"has no inertia: add {form} [kg m^2]")
            return {}
        if full is None:
            return {entry: (diagonal or {}).get(entry, ZERO) for entry in ENTRIES}
        if diagonal and any(number.value for number in diagonal.values()):
            self._refuse("has diaginertia and fullinertia: delete one")
        return {entry: full[entry] for entry in ENTRIES}

    def _read(self, name: str, entries: Sequence[str]) -> dict[str, Number] | None:
        if name not in self._attributes:
            return None
        return dict(zip(entries, self._numbers(name), strict=True))

    def _numbers(self, name: str) -> list[Number]:
        """Read the numbers of an attribute; all are NaN if it holds another count."""
        what = f"{name} of <{self._node.tag}>"
        return self._parse_series(what, self._attributes[name], *_ATTRIBUTES[name])

    def _rotation(self) -> tuple[poses.Rotation, FourNumbers | None]:
        """Read the rotation from the element's own axes to those of the body or frame around it.

        Returns:
            The rotation, and the numbers w, x, y, z if a quaternion states it.
        """
        given = [name for name in ORIENTATIONS if name in self._attributes]
        rivals = given + ["fullinertia"] * ("fullinertia" in self._attributes)
        if given and len(rivals) > 1:
            listed = f"{', '.join(rivals[:-1])} and {rivals[-1]}"
            self._refuse(f"has {listed}, of which MuJoCo takes only one")
            return poses.UNKNOWN, None
        if not given:
            return poses.IDENTITY, None
        (name,) = given
        known = len(self.problems)
        numbers = self._numbers(name)
        values = [number.value for number in numbers]
        if len(self.problems) > known and any(map(math.isnan, values)):
            return poses.UNKNOWN, None
        rotation = build_rotation(name, values, self._compiler)
        if rotation is None:
            whole, start, end = self._attributes[name].trim()
            form = ORIENTATIONS[name][1]
            what = f"{name} of <{self._node.tag}>: {quote(whole)} is no rotation: write {form}"
            self._problem(what, self._node.document.span(start, end))
            return poses.UNKNOWN, None
        if name != "quat":
            return rotation, None
        w, x, y, z = numbers
        square = sum(value * value for value in values)
        if parsers := [each for each, (low, high) in _LENGTHS.items() if not low <= square <= high]:
            whole, start, end = self._attributes[name].trim()
            self._problem(
                f"{name} of <{self._node.tag}>: {quote(whole)}: engines do not bring a quaternion "
                "of this length to length 1: write one of length 1",
                self._node.document.span(start, end),
                "differs",
                Misreading(tuple(parsers), "alter", "its moments about axes that are not written"),
            )
        return rotation, (w, x, y, z)


_LENGTHS: dict[Parser, tuple[float, float]] = {
    "mujoco": (1e-15, sys.float_info.max),  # mjMINVAL
    "drake": (sys.float_info.min, sys.float_info.max),
    "pinocchio": (sys.float_info.min, sys.float_info.max),
    "newton": (1.2e-38, 3.4e38),  # the range of its single precision
}
"""Squares of the lengths of quaternions that parsers bring to length 1, from and to."""


def note_compiler_effects(inertial: Inertial, compiler: Compiler) -> Iterator[str]:
    """Say how the compiler settings of the document change the written numbers in MuJoCo."""
    mass = inertial.mass
    if mass is not None and mass.value < compiler.boundmass:
        yield f"boundmass: MuJoCo raises the mass from {mass.text} to {compiler.boundmass:.6g} kg"
    if compiler.boundinertia <= 0 and compiler.balanceinertia != "true":
        return
    # Compute the principal moments in ascending order; none if an entry is missing.
    values = {entry: number.value for entry, number in inertial.I_BBcm_Bi.items()}
    if len(values) < len(ENTRIES) or not all(map(math.isfinite, values.values())):
        moments: list[float] = []
    elif all(values[entry] == 0 for entry in ENTRIES if entry not in _DIAGONAL):
        moments = sorted(values[entry] for entry in _DIAGONAL)
    else:
        from numpy.linalg import eigvalsh  # needed for these two settings only

        xx, xy, xz, yy, yz, zz = (values[entry] for entry in ENTRIES)
        moments = eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).tolist()
    if not moments:
        return
    raised = [max(moment, compiler.boundinertia) for moment in moments]
    if raised != moments:
        low = compiler.boundinertia
        yield f"boundinertia: MuJoCo raises its principal moments to at least {low:.6g} kg m^2"
    if compiler.balanceinertia == "true" and raised[0] + raised[1] < raised[2]:
        mean = sum(raised) / 3
        yield (
            f"balanceinertia: MuJoCo replaces its three principal moments by their mean, "
            f"{mean:.6g} kg m^2, and says nothing; the numbers here are those written"
        )


_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Number of sizes of each kind of geom: radii, half lengths, half edges."""

_MOST_SIZES = 3
_KINDS = (*_SIZES, "plane", "hfield", "mesh", "sdf")


class _GeomForm(NamedTuple):
    """Dimensions and mesh of a geom G, and its pose in the frame F of its parent element."""

    dimensions: tuple[float, ...]
    X_FG: Pose
    uri: str | None = None
    scale: poses.Vector = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class GeomReader:
    """Reads the geoms of one document's bodies."""

    tree: MjcfDocument
    compiler: Compiler
    defaults: Defaults

    def shape(self, geom: MjcfElement, default: str, frame: Pose | None) -> Shape:
        """Read one geom.

        Args:
            geom: The element.
            default: Default class of elements that name none.
            frame: Pose of the frame around it in the body; None inside a <replicate>.
        """
        attributes = self.defaults.of(geom, default)
        written = attributes.get("type", "sphere")
        kind = "heightmap" if written == "hfield" else written
        role: Role = (
            "collision"
            if any(attributes.get(name, "1").strip() != "0" for name in ("contype", "conaffinity"))
            else "visual"
        )
        try:
            form = self._form(attributes, written, geom)
            X_BG = self._place(form.X_FG, frame)
            shape = Shape(kind, role, form.dimensions, *X_BG, geom.span, form.uri, form.scale)
            return poses.check_usable(shape)
        except poses.Unusable as why:
            return poses.unusable_shape(kind, role, geom.span, why)

    def _form(self, attributes: Mapping[str, str], kind: str, geom: MjcfElement) -> _GeomForm:
        """Read the dimensions, pose and mesh of a geom in the frame around it."""
        if kind not in _KINDS:
            raise poses.Unusable(f"type of <geom> is {quote(kind)}: expected {', '.join(_KINDS)}")
        if kind == "sdf":
            raise poses.Unusable("a distance function of a plugin, which is not read here")
        if kind not in _SIZES and "fromto" in attributes:
            raise poses.Unusable(f"fromto, which a {kind} has not: delete it")
        if kind == "mesh":
            mesh = self._mesh(attributes.get("mesh", "").strip(), geom)
            return mesh._replace(X_FG=poses.product(self._pose(attributes), mesh.X_FG))
        if kind not in _SIZES:
            return _GeomForm((), self._pose(attributes))
        if "mesh" in attributes:
            raise poses.Unusable(f"a {kind} that MuJoCo fits to a mesh: write its size")
        if "fromto" in attributes:
            # Read a geom that is given by its end points: z points to the first; no orientation
            # counts.
            if kind == "sphere":
                raise poses.Unusable("fromto, which a sphere has not: delete it")
            if any(poses.parse_numbers(attributes.get("pos", "0 0 0"), 3, "pos of <geom>")):
                raise poses.Unusable("pos and fromto, of which MuJoCo takes only one")
            ends = poses.parse_numbers(attributes["fromto"], 6, "fromto of <geom>")
            pairs = list(zip(ends[:3], ends[3:], strict=True))
            along = [first - last for first, last in pairs]
            rotation = poses.from_z_axis(*along)
            if rotation is None:
                raise poses.Unusable("fromto of <geom> names one point twice")
            x, y, z = ((first + last) / 2 for first, last in pairs)
            radius, *_ = _read_sizes(attributes, kind, 1)
            half = math.hypot(*along) / 2
            radii = (radius,) if kind in {"capsule", "cylinder"} else (radius, radius)
            return _GeomForm(_dimensions(kind, (*radii, half)), Pose((x, y, z), rotation))
        sizes = _read_sizes(attributes, kind, _SIZES[kind])
        return _GeomForm(_dimensions(kind, sizes), self._pose(attributes))

    def _place(self, X_FG: Pose, frame: Pose | None) -> Pose:
        """Compute X_BG from the pose X_BF of the frame around a geom."""
        if frame is None:
            raise poses.Unusable("<replicate> makes several of it, which are not told apart here")
        if self.compiler.coordinate == "global":
            raise poses.Unusable("its place is in the coordinates of the world: write local ones")
        if not poses.is_finite(frame):
            raise poses.Unusable("the <frame> around it has no pose that can be read")
        return poses.product(frame, X_FG)

    def _pose(self, attributes: Mapping[str, str]) -> Pose:
        X_FG = read_pose(attributes, self.compiler)
        if X_FG is None:
            raise poses.Unusable("it has no pose that can be read: write pos, and one orientation")
        return X_FG

    @cached_property
    def _assets(self) -> dict[str, Mapping[str, str]]:
        """Attributes of the mesh assets, by name."""
        found: dict[str, Mapping[str, str]] = {}
        tree = self.tree
        for section in tree.children(tree.root):
            for node in tree.children(section) if section.tag == "asset" else ():
                if node.tag == "mesh":
                    attributes = self.defaults.of(node, MAIN)
                    file = os.path.basename(attributes.get("file", "").strip().replace("\\", "/"))
                    name = attributes.get("name", "").strip() or os.path.splitext(file)[0]
                    found.setdefault(name, attributes)
        return found

    def _mesh(self, name: str, user: MjcfElement) -> _GeomForm:
        """Read a mesh asset in the frame of the geom that uses it."""
        if not name:
            raise poses.Unusable("<geom> of type mesh has no mesh")
        if name not in self._assets:
            raise poses.Unusable(f"mesh {quote(name)} is not among the assets")
        attributes = self._assets[name]
        file = attributes.get("file", "").strip()
        if not file:
            raise poses.Unusable(
                f"the vertices of mesh {quote(name)} are in no file, and not read here"
            )
        scale = (1.0, 1.0, 1.0)
        if "scale" in attributes:
            scale = poses.parse_factors(attributes["scale"], "scale of <mesh>")
        uri = self._uri(file.replace("\\", "/"), user)
        # Compute the pose of the scaled coordinates of a mesh file in the frame of the geom.
        if "refpos" not in attributes and "refquat" not in attributes:
            found = poses.SAME_FRAME
        else:
            refpos = poses.parse_numbers(attributes.get("refpos", "0 0 0"), 3, "refpos of <mesh>")
            R_GM = poses.IDENTITY
            if "refquat" in attributes:
                rotation = poses.from_wxyz(
                    *poses.parse_numbers(attributes["refquat"], 4, "refquat of <mesh>")
                )
                if rotation is None:
                    raise poses.Unusable("refquat of <mesh> is no rotation: write w x y z")
                R_GM = poses.transpose(rotation)
            if R_GM != poses.IDENTITY and len(set(scale)) > 1:
                raise poses.Unusable(
                    "refquat turns the mesh before it is scaled by unequal factors"
                )
            x, y, z = (-a * s for a, s in zip(poses.rotate(R_GM, refpos), scale, strict=True))
            found = Pose((x, y, z), R_GM)
        return _GeomForm((), found, uri, scale)

    def _uri(self, file: str, user: MjcfElement) -> str:
        """Make the path of a file relative to the document that contains the geom."""
        compiler = self.compiler
        if compiler.strippath == "true":
            file = os.path.basename(file)
        path = os.path.join((compiler.meshdir or compiler.assetdir).replace("\\", "/"), file)
        main, document = self.tree.root.document, user.document
        if document is main or os.path.isabs(path):
            return path
        folder, own = (os.path.dirname(each.source.path) for each in (main, document))
        if folder == own:
            return path
        try:
            return os.path.relpath(os.path.join(folder, path), own or os.curdir)
        except ValueError:  # on another drive
            return os.path.abspath(os.path.join(folder, path))


def _read_sizes(attributes: Mapping[str, str], kind: str, count: int) -> tuple[float, ...]:
    """Read the first `count` sizes of a geom."""
    text = attributes.get("size", "")
    words = text.split()
    if not count <= len(words) <= _MOST_SIZES:
        given = f"is {quote(text)}" if words else "is missing"
        raise poses.Unusable(f"size of <geom> {given}: a {kind} has {count}")
    values = poses.parse_numbers(" ".join(words[:count]), count, "size of <geom>")
    if min(values) <= 0:
        raise poses.Unusable(f"size of <geom> is {min(values)!r}: sizes of a {kind} are positive")
    return values


def _dimensions(kind: str, sizes: Sequence[float]) -> tuple[float, ...]:
    """Convert half edges and half lengths to edges and lengths."""
    if kind == "box":
        return tuple(2 * half for half in sizes)
    if kind in {"capsule", "cylinder"}:
        radius, half = sizes
        return radius, 2 * half
    return tuple(sizes)
