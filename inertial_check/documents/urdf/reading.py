"""Reader of URDF: links, the joints that move them, and their <inertial> elements.

Reader of the <limit>, <dynamics> and <mimic> of a URDF <joint>.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.

Reader of the <visual> and <collision> elements of a URDF link.

A shape that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from inertial_check.documents import poses
from inertial_check.documents.mjcf import Bounds
from inertial_check.documents.model import (
    ENTRIES,
    ZERO,
    Body,
    Inertial,
    Joint,
    Mimic,
    Misreading,
    Model,
    Number,
    Pose,
    Problem,
    Role,
    Shape,
    ThreeNumbers,
)
from inertial_check.documents.numbers import parse_finite, parse_number, parse_optional, quote
from inertial_check.documents.source import Source
from inertial_check.documents.urdf import NAME, XACRO_WORDS
from inertial_check.documents.xml.document import (
    PlacedTexts,
    TextReader,
    XmlDocument,
    make_steps,
    parse,
)
from inertial_check.documents.xml.markup import Element

_TRANSPOSED = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}
"""Entries below the diagonal, which engines ignore, and the entries that they repeat."""

_SHAPE_ROLES = frozenset(("visual", "collision"))
_WITHOUT_AXIS = frozenset(("fixed", "floating"))
_AXIS = "1 0 0"
"""Axis of a joint that states none."""

_SPACE_BEHIND = re.compile(r"\S\s")
_ODD_SPACE = re.compile(r"\S[^\S ]")
"""Space behind a number, any, and such as is no blank."""


def read_model(source: Source) -> Model:
    """Read a URDF document; arguments and errors are those of urdf.read."""
    document = parse(source.path, source.data)
    root = document.root
    if root.tag != "robot":
        raise document.no_model_error(
            root, f"the root element is <{root.tag}>, a URDF's is <robot>"
        )
    links = root.all("link")
    # Refuse a xacro file that is not expanded; a macro call that was left over is only skipped.
    has_links = bool(links)
    for element in root.walk() if "<xacro:" in document.text else ():
        if element.tag in XACRO_WORDS or (
            element.tag.startswith("xacro:") and not has_links and element is not document.root
        ):
            reason = f"a xacro file (<{element.tag}>): expand it first, xacro FILE > robot.urdf"
            raise document.no_model_error(element, reason)
    ids = [f"/robot/{step}" for step in make_steps(links)]
    version = re.fullmatch(_VERSION, root.attributes.get("version", ""))
    quaternions = version is not None and (int(version[1]), int(version[2])) >= (1, 1)
    # Find the joint of each child link; of several joints, the one that moves.
    id_of: dict[str | None, str] = {}
    for link, id_ in zip(links, ids, strict=True):
        id_of.setdefault(link.attributes.get("name"), id_)
    joints: dict[str, _ChildJoint] = {}
    for joint in root.all("joint"):
        child, parent = joint.first("child"), joint.first("parent")
        name = None if child is None else child.attributes.get("link")
        if name is not None and (name not in joints or joints[name].type == "fixed"):
            above = None if parent is None else id_of.get(parent.attributes.get("link"))
            joints[name] = _ChildJoint(joint, joint.attributes.get("type", ""), above)
    bodies = tuple(
        _UrdfLinkReader(document, link, place, quaternions).body(id_, joints)
        for place, (link, id_) in enumerate(zip(links, ids, strict=True), 1)
    )
    bounds, settings = _read_settings(document)
    problems = sorted(
        (
            *document.problems,
            *_robot_problems(document),
            *_find_differences(document, id_of),
            *settings,
        ),
        key=lambda problem: problem.span,
    )
    name = root.attributes.get("name", "")
    return Model(document.source, NAME, name, bodies, tuple(problems), bounds=bounds)


_VERSION = r"\s*([0-9]{1,4})\.([0-9]{1,4})\s*"
"""Version of a URDF, of which 1.0 stands where none is written; since 1.1 it may have quat_xyzw."""
_VERSIONS = re.compile(r"\s*\+?0*1\.\s*\+?0*[0-2]")
"""Versions of URDF that urdfdom has; it parses no document of another version."""

_JOINTS = frozenset(("revolute", "continuous", "prismatic", "fixed", "floating", "planar"))

_NO_MODEL = Misreading(("urdfdom",), said="does not contain a valid URDF model")
_NO_ENGINE = Misreading(("urdfdom", "mujoco", "drake", "newton"))
_FIRST = Misreading(("urdfdom", "mujoco", "drake"))


def _find_differences(document: XmlDocument, links: Container[str | None]) -> Iterator[Problem]:
    """Find what some engines refuse in the structure of a document, whatever its numbers are."""
    root, seen = document.root, set()
    version = root.attributes.get("version")

    def differ(element: Element, message: str, misread: Misreading) -> Problem:
        return Problem("differs", message, document.tag_span(element), (misread,))

    if version is not None and not _VERSIONS.fullmatch(version):
        message = f"urdfdom refuses version {quote(version)}: write 1.0, 1.1 or 1.2"
        yield differ(root, message, _NO_MODEL)
    if "xmlns" in root.attributes:
        message = "Newton finds no element in a default namespace: delete xmlns"
        yield differ(root, message, Misreading(("newton",), said="StopIteration"))
    for element in root.children:
        if element.tag not in ("link", "joint"):
            continue
        name = element.attributes.get("name")
        if name is not None and (element.tag, name) in seen:
            message = f"a second {element.tag} {quote(name)}, which most engines refuse: rename one"
            yield differ(element, message, _FIRST)
        seen.add((element.tag, name))
        if element.tag == "link":
            continue
        kind, who = element.attributes.get("type", ""), f"joint {quote(name or '')}"
        if kind not in _JOINTS:
            expected = ", ".join(sorted(_JOINTS))
            message = f"{who}: type {quote(kind)}, which engines refuse: expected {expected}"
            yield differ(element, message, _NO_ENGINE)
        # A parent that is missing is usual in a part of a robot, which is not loaded by itself.
        side = element.first("child")
        link = None if side is None else side.attributes.get("link")
        if link not in links:
            stated = "no link" if link is None else f"link {quote(link)}, which is not here"
            message = f"{who}: its child is {stated}, and engines refuse the model: name a link"
            yield differ(element, message, _NO_ENGINE)
    sides = (each.first("child") for each in root.all("joint"))
    children = {side.attributes.get("link") for side in sides if side is not None}
    roots = [each for each in root.all("link") if each.attributes.get("name") not in children]
    # Parts of a robot, and links without any joint, are not loaded by themselves.
    whole = bool(children) and not document.source.path.lower().endswith(".xacro")
    if len(roots) > 1 and whole:
        named = " and ".join(quote(each.attributes.get("name", "")) for each in roots[:2])
        message = f"urdfdom refuses a model with two roots, as {named}: join them by a joint"
        yield differ(roots[1], message, Misreading(("urdfdom",), said="Two root links found"))
    actuators: set[str] = set()
    for element in root.all("transmission"):
        if fault := _find_fault(document, element, seen, actuators):
            message = f"Drake refuses this <transmission>, and the model: {fault}"
            yield differ(element, message, Misreading(("drake",), said="Transmission"))


def _find_fault(
    document: XmlDocument,
    transmission: Element,
    known: Container[tuple[str, str | None]],
    actuators: set[str],
) -> str:
    """Find why Drake refuses a transmission; "" if it does not.

    Args:
        document: The document.
        transmission: The transmission.
        known: Tags and names of links and joints.
        actuators: Names of the actuators before it; its own is added.
    """
    element = transmission.first("type")
    kind = transmission.attributes.get("type", "")
    if not kind and element is not None:
        kind = "".join(piece.value for piece in document.texts(element))
    if not kind.strip():
        return "it has no <type>"
    if "SimpleTransmission" not in kind:  # which Drake passes over
        return ""
    for tag in ("actuator", "joint"):
        side = transmission.first(tag)
        name = None if side is None else side.attributes.get("name")
        if name is None:
            return f"it has no {tag} with a name"
        if tag == "joint" and (tag, name) not in known:
            return f"its joint {quote(name)} is not here"
        if tag == "actuator" and name in actuators:
            return f"another has the actuator {quote(name)}, too"
        actuators |= {name} if tag == "actuator" else set()
    return ""


_NUMBERS = ("boundmass", "boundinertia", "settotalmass")
"""Settings of MuJoCo's compiler that are numbers, of those that are read in a URDF."""


def _read_settings(document: XmlDocument) -> tuple[Bounds, Sequence[Problem]]:
    """Read MuJoCo's settings in a URDF, which change what MuJoCo makes of its bodies."""
    blocks = document.root.all("mujoco")
    problems = [
        Problem(
            "differs",
            "a second <mujoco>, with which MuJoCo refuses the model: join them",
            document.tag_span(block),
            (Misreading(("mujoco",), said="repeated element: 'mujoco'"),),
        )
        for block in blocks[1:]
    ]
    bounds = Bounds()
    for element in [each for block in blocks for each in block.all("compiler")]:
        written = element.attributes
        # MuJoCo refuses what is no number, and takes what is not positive for unset.
        values = {name: parse_finite(written.get(name, ""), 1) for name in _NUMBERS}
        number = {name: value[0] for name, value in values.items() if value and value[0] > 0}
        # Masses of shapes are not read here; without fusestatic, bodies in the world count, too.
        total = number.get("settotalmass", bounds.total)
        kept = "false" in (written.get("discardvisual"), written.get("fusestatic"))
        shapes = written.get("inertiafromgeom") == "true" or (total and kept)
        bounds = Bounds(
            number.get("boundmass", bounds.mass),
            number.get("boundinertia", bounds.inertia),
            written.get("balanceinertia", str(bounds.balanced).lower()) == "true",
            math.nan if shapes else total,
        )
        effects: list[tuple[str, tuple[Misreading, ...]]] = []
        if bounds.mass > 0 or bounds.inertia > 0 or bounds.balanced:
            effects.append(("raises masses and inertias, or averages moments", ()))
        if "settotalmass" in number:
            becomes = f"all bodies scaled to a total mass of {number['settotalmass']:.6g} kg"
            effects.append((f"takes {becomes}", (Misreading(("mujoco",), "alter", becomes),)))
        if written.get("inertiafromgeom") == "true":
            becomes = "the inertia of its shapes, where it has any"
            effects.append((f"takes {becomes}", (Misreading(("mujoco",), "alter", becomes),)))
        problems += [
            Problem(
                "differs",
                f"<compiler> of MuJoCo: it {what}; other engines take the numbers as written",
                document.tag_span(element),
                misread,
            )
            for what, misread in effects
        ]
    return bounds, problems


class _ChildJoint(NamedTuple):
    """The joint of a link: its element and type, and the id of its parent."""

    element: Element
    type: str
    parent: str | None


def _pose(joint: Element, quaternions: bool) -> Pose | None:
    """Compute the pose of a joint's child in its parent; None if it is unclear."""
    origin = joint.first("origin")
    if origin is None:
        return poses.SAME_FRAME
    attributes = origin.attributes
    position = _parse_vector(attributes.get("xyz", "0 0 0"))
    rotation: poses.Rotation | None
    if not quaternions or "quat_xyzw" not in attributes:
        angles = _parse_vector(attributes.get("rpy", "0 0 0"))
        rotation = None if angles is None else poses.from_rpy(*angles)
    elif "rpy" in attributes:
        rotation = None
    else:
        four = parse_finite(attributes["quat_xyzw"], 4)
        rotation = poses.from_quaternion(*four) if four else None
    return None if position is None or rotation is None else Pose(position, rotation)


def _axis(joint: Element, kind: str) -> poses.Vector | None:
    """Read the axis of a joint in its child's frame; None if it has none."""
    if kind in _WITHOUT_AXIS:
        return None
    axis = joint.first("axis")
    direction = _parse_vector(_AXIS if axis is None else axis.attributes.get("xyz", _AXIS))
    return None if direction is None else poses.unit(direction)


def _parse_vector(text: str) -> poses.Vector | None:
    values = parse_finite(text, 3)
    return None if values is None else (values[0], values[1], values[2])


def _robot_problems(document: XmlDocument) -> Iterable[Problem]:
    for child in document.root.children:
        if child.tag.startswith("xacro:"):
            yield Problem("reference", _left_over(child), document.tag_span(child))
        elif child.tag not in {"link", "joint"} and child.tag.lower() in {"link", "joint"}:
            message = f"engines ignore <{child.tag}>: write <{child.tag.lower()}>"
            yield Problem("malformed", message, document.tag_span(child))


def _left_over(element: Element) -> str:
    return (
        f"<{element.tag}> is a xacro call that was not expanded; engines skip it, and so does this "
        "check: expand the file again, or delete it"
    )


class _UrdfLinkReader(TextReader):
    """Reads one link and collects the problems of its text."""

    def __init__(self, document: XmlDocument, link: Element, place: int, quaternions: bool) -> None:
        self._link = link
        self._name = link.attributes.get("name", "")
        who = f"link {quote(self._name)}" if self._name else f"link {place} (without name)"
        super().__init__(document, who)
        self._quaternions = quaternions

    def body(self, id_: str, joints: Mapping[str, _ChildJoint]) -> Body:
        """Read the link."""
        if not self._name:
            self._complain(self._link, 'has no name: give it one, name="..."')
        joint = joints.get(self._name) if self._name else None
        inertial = self._inertial()
        return Body(
            self._name,
            id_,
            self._document.element_span(self._link),
            None if joint is None else joint.type,
            joint is not None and joint.type != "fixed",
            inertial,
            tuple(sorted(self.problems, key=lambda problem: problem.span)),
            tuple(
                read_shape(self._document, child, self._quaternions)
                for child in self._link.children
                if child.tag in _SHAPE_ROLES
            ),
            parent=None if joint is None else joint.parent,
            X_PB=None if joint is None else _pose(joint.element, self._quaternions),
            axis_B=None if joint is None else _axis(joint.element, joint.type),
            p_BoJo_B=None
            if joint is None or joint.type in _WITHOUT_AXIS
            else poses.SAME_FRAME.p_PoBo_P,
            joints=() if joint is None else (read_joint(joint.element, joint.type),),
        )

    def _note_misspellings(self, element: Element, expected: Container[str]) -> None:
        for name in element.attributes:
            if name not in expected and name.lower() in expected:
                self._complain(element, f"has {name}, which engines ignore: write {name.lower()}")

    def _inertial(self) -> Inertial | None:
        inertial = self._first_child(self._link, "inertial")
        self._note_left_overs(self._link)
        if inertial is None:
            return None
        self._note_left_overs(inertial)
        translation, rotation = self._origin(self._first_child(inertial, "origin"))
        span = self._document.element_span(inertial)
        mass = self._mass(inertial)
        return Inertial(span, mass, translation, rotation, self._inertia(inertial))

    def _note_left_overs(self, element: Element) -> None:
        for child in element.children:
            if child.tag.startswith("xacro:"):
                self._problem(_left_over(child), self._document.tag_span(child), "reference")

    def _mass(self, inertial: Element) -> Number | None:
        mass = self._first_child(inertial, "mass")
        if mass is None:
            self._complain(inertial, 'has no <mass>: add <mass value="..."/> [kg]')
            return None
        self._note_misspellings(mass, ("value",))
        texts = self._document.attributes(mass)
        numbers = self._read_attributes(mass, texts, ("value",))
        self._note_blanks(mass, texts, ("value",), "0 kg without rotational inertia")
        if "value" not in numbers:
            self._complain(mass, 'has no value: write <mass value="..."/> [kg]')
        return numbers.get("value")

    def _inertia(self, inertial: Element) -> dict[str, Number]:
        inertia = self._first_child(inertial, "inertia")
        if inertia is None:
            form = " ".join(f'{entry}="..."' for entry in ENTRIES)
            self._complain(inertial, f"has no <inertia>: add <inertia {form}/> [kg m^2]")
            return {}
        self._note_misspellings(inertia, ENTRIES)
        texts = self._document.attributes(inertia)
        numbers = self._read_attributes(inertia, texts, (*ENTRIES, *_TRANSPOSED))
        self._note_blanks(inertia, texts, ENTRIES, "its mass without rotational inertia")
        for entry in ENTRIES:
            if entry not in numbers:
                self._complain(inertia, f'has no {entry}: add {entry}="..." [kg m^2]')
        for lower, upper in _TRANSPOSED.items():
            extra, asymmetry_entry = numbers.get(lower), numbers.get(upper)
            if extra and extra.span and asymmetry_entry and extra.value != asymmetry_entry.value:
                what = (
                    f"<inertia> has {lower}={quote(extra.text)} and {upper}="
                    f"{quote(asymmetry_entry.text)}, but an inertia is symmetric; engines read "
                    f"{upper}: delete {lower}"
                )
                self._problem(what, extra.span)
        return {entry: numbers[entry] for entry in ENTRIES if entry in numbers}

    def _origin(self, origin: Element | None) -> tuple[ThreeNumbers, poses.Rotation]:
        """Read the centre of mass and the rotation of the own axes, both in the body frame."""
        if origin is None:
            return (ZERO, ZERO, ZERO), poses.IDENTITY
        self._note_misspellings(origin, ("xyz", "rpy", "quat_xyzw"))
        read = ("xyz", "quat_xyzw") if "quat_xyzw" in origin.attributes else ("xyz", "rpy")
        texts = self._document.attributes(origin)
        self._note_blanks(origin, texts, read, "0 kg without rotational inertia")
        translation: ThreeNumbers = (ZERO, ZERO, ZERO)
        if "xyz" in texts:
            x, y, z = self._parse_series("xyz of <origin>", texts["xyz"], 3, "x y z [m]")
            translation = (x, y, z)
        return translation, self._rotation(origin, texts)

    def _note_blanks(
        self, element: Element, texts: PlacedTexts, names: Iterable[str], becomes: str
    ) -> None:
        """Note the space that urdfdom refuses: behind a number, and any but blanks between two."""
        refused = _ODD_SPACE if element.tag == "origin" else _SPACE_BEHIND
        for name, text in texts.items():
            if name in names and refused.search(text.value):
                self._problem(
                    f"{name} of <{element.tag}>: {quote(text.value)}: urdfdom drops what this "
                    "states, because of the space behind a number: write "
                    f"{quote(' '.join(text.value.split()))}",
                    self._document.span(text.places[0], text.places[-1]),
                    "differs",
                    Misreading(("urdfdom",), "replace", becomes),
                )

    def _rotation(self, origin: Element, texts: PlacedTexts) -> poses.Rotation:
        if "quat_xyzw" in origin.attributes:
            if not self._quaternions:
                self._complain(
                    origin,
                    "has quat_xyzw, which engines ignore below version 1.1: write rpy, or "
                    '<robot version="1.1">',
                )
            elif "rpy" in origin.attributes:
                self._complain(
                    origin, "has both rpy and quat_xyzw, which engines refuse: delete one"
                )
                return poses.UNKNOWN
            else:
                rotation = self._axes("quat_xyzw", texts)
                if rotation is not poses.UNKNOWN and rotation != poses.IDENTITY:
                    becomes = "the inertia in the axes of the body, not turned"
                    self._problem(
                        "<origin> has quat_xyzw, which only urdfdom reads; MuJoCo, Drake and "
                        "Newton do not turn the inertia: write rpy",
                        self._document.tag_span(origin),
                        "differs",
                        Misreading(("mujoco", "drake", "newton"), "alter", becomes),
                    )
                return rotation
        return self._axes("rpy", texts) if "rpy" in texts else poses.IDENTITY

    def _axes(self, attribute: str, texts: PlacedTexts) -> poses.Rotation:
        """Read the rotation of an attribute; UNKNOWN if it states none."""
        text = texts[attribute]
        before = len(self.problems)
        form = (3, "roll pitch yaw [rad]") if attribute == "rpy" else (4, "x y z w")
        numbers = self._parse_series(f"{attribute} of <origin>", text, *form)
        values = [number.value for number in numbers]
        if len(self.problems) > before and any(map(math.isnan, values)):
            return poses.UNKNOWN
        rotation = poses.from_rpy(*values) if attribute == "rpy" else poses.from_quaternion(*values)
        if rotation is None:
            whole, start, end = text.trim()
            what = f"{attribute} of <origin>: {quote(whole)} is no rotation: write {form[1]}"
            self._problem(what, self._document.span(start, end))
            return poses.UNKNOWN
        return rotation


_ONE_AXIS = frozenset(("revolute", "continuous", "prismatic"))
_WITHOUT_LIMITS = "continuous"


def read_joint(element: Element, kind: str) -> Joint:
    """Read one joint.

    Args:
        element: The joint.
        kind: Type of the joint.
    """
    name = element.attributes.get("name", "")
    if kind not in _ONE_AXIS:
        return Joint(name, kind)
    limit, dynamics = _attributes(element, "limit"), _attributes(element, "dynamics")
    lower, upper = parse_optional(limit.get("lower")), parse_optional(limit.get("upper"))
    if kind == _WITHOUT_LIMITS:
        lower, upper = -math.inf, math.inf
    return Joint(
        name,
        kind,
        lower,
        upper,
        velocity=parse_optional(limit.get("velocity")),
        acceleration=parse_optional(limit.get("acceleration")),  # since URDF 1.2
        effort=parse_optional(limit.get("effort")),
        damping=parse_optional(dynamics.get("damping")),
        friction=parse_optional(dynamics.get("friction")),
        mimic=_mimic(element.first("mimic")),
    )


def _attributes(joint: Element, tag: str) -> Mapping[str, str]:
    element = joint.first(tag)
    return {} if element is None else element.attributes


def _mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    written = element.attributes
    multiplier, _ = parse_number(written.get("multiplier", "1").strip())
    offset, _ = parse_number(written.get("offset", "0").strip())
    return Mimic(written.get("joint", ""), multiplier, offset)


_FORMS: poses.Forms = {**poses.COMMON_FORMS, "mesh": ()}
"""Attributes that state the dimensions of each kind of shape."""


def read_shape(document: XmlDocument, element: Element, quaternions: bool) -> Shape:
    """Read one shape.

    Args:
        document: The document that contains the shape.
        element: A <visual> or <collision>.
        quaternions: Whether an origin may have quat_xyzw, as since URDF 1.1.
    """
    role = cast(Role, element.tag)
    span = document.element_span(element)
    geometry = element.first("geometry")
    solid = geometry.children[0] if geometry is not None and geometry.children else None
    kind = solid.tag if solid is not None else ""
    try:
        if solid is None:
            raise poses.Unusable(f"<{role}> has no <geometry> with a shape in it")
        origin = element.first("origin")
        if origin is None:
            X_BG = poses.SAME_FRAME
        else:
            x, y, z = _numbers(origin, "xyz", 3) or (0.0, 0.0, 0.0)
            rotation: poses.Rotation | None = poses.IDENTITY
            quaternion = _numbers(origin, "quat_xyzw", 4) if quaternions else None
            angles = _numbers(origin, "rpy", 3)
            if quaternion is not None and angles is not None:
                raise poses.Unusable("<origin> has both rpy and quat_xyzw: delete one")
            if quaternion is not None:
                rotation = poses.from_quaternion(*quaternion)
            elif angles is not None:
                rotation = poses.from_rpy(*angles)
            if rotation is None:
                raise poses.Unusable("quat_xyzw of <origin> is no rotation: write x y z w")
            X_BG = Pose((x, y, z), rotation)
        dimensions = poses.read_dimensions(kind, _FORMS, "URDF", solid.attributes.get, "{}")
        scale: poses.Vector = (1.0, 1.0, 1.0)
        uri = None
        if solid.tag == "mesh":
            if "scale" in solid.attributes:
                scale = poses.parse_factors(solid.attributes["scale"], "scale of <mesh>")
            uri = solid.attributes.get("filename", "").strip()
            if not uri:
                raise poses.Unusable("<mesh> has no filename")
        return Shape(kind, role, dimensions, *X_BG, span, uri, scale)
    except poses.Unusable as why:
        return poses.unusable_shape(kind, role, span, why)


def _numbers(origin: Element, attribute: str, count: int) -> tuple[float, ...] | None:
    """Parse the finite numbers of an attribute; None if it is absent."""
    text = origin.attributes.get(attribute)
    return None if text is None else poses.parse_numbers(text, count, f"{attribute} of <origin>")
