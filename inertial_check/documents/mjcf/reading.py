"""Reader of the bodies of an MJCF document and of the documents that it includes.

Reader of the equalities of an MJCF document that close kinematic loops: connect and weld.

Reader of the <joint> elements of MJCF bodies: ranges, friction, rotors, and equalities.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import NamedTuple, cast

from inertial_check.documents import poses
from inertial_check.documents.context import Context
from inertial_check.documents.mjcf import FRAGMENT, MAIN, NAME, ONE_AXIS, ROOTS, Bounds
from inertial_check.documents.mjcf.compiler import (
    Compiler,
    Defaults,
    MjcfDocument,
    MjcfElement,
    note_bounds,
    read_compiler,
)
from inertial_check.documents.mjcf.elements import (
    GeomReader,
    InertialReader,
    note_compiler_effects,
    read_pose,
)
from inertial_check.documents.model import (
    Body,
    ClosedLoop,
    InertiaOrigin,
    Joint,
    LoopFrame,
    Mimic,
    Misreading,
    Model,
    NamedFrame,
    Pose,
    Problem,
    ProblemKind,
    RootPose,
)
from inertial_check.documents.numbers import parse_finite, parse_number, parse_optional, quote
from inertial_check.documents.source import Source
from inertial_check.documents.xml.markup import Element

_WORLD = "world"

_POINT, _RIGID = (0, 1, 2), (0, 1, 2, 3, 4, 5)
"""Directions that connect and weld hold."""

_AS_PLACED = "0 0 0 0 0 0 0"
"""Relative pose of a weld that states none."""

_TYING = frozenset(("connect", "weld"))
"""Equalities that tie two bodies, or sites of two bodies."""


def read_loops(
    tree: MjcfDocument, find_site: Callable[[str], tuple[str, Pose] | None]
) -> Iterator[ClosedLoop]:
    """Read the active equalities that tie bodies; those of joints are read with the joints.

    Args:
        tree: The document.
        find_site: Function that finds the body of a site and the pose of the site there.
    """
    sections = [node for node in tree.children(tree.root) if node.tag == "equality"]
    tying = [node for each in sections for node in tree.children(each) if node.tag in _TYING]
    for node in tying:
        if (node.get("active") or "").strip() == "false":
            continue
        frame = None
        if node.get("site1"):
            sites = [find_site(node.get(f"site{side}") or "") for side in (1, 2)]
            ends = ["" if site is None else site[0] for site in sites]
            first, second = sites
            if first is not None and second is not None:
                holds = _POINT if node.tag == "connect" else _RIGID
                frame = LoopFrame(first[1], second[1], holds)
        else:
            ends = [node.get("body1") or "", node.get("body2") or _WORLD]
            # Read where an equality of two bodies ties them; None if its numbers cannot be read.
            origin = ((0.0, 0.0, 0.0), poses.IDENTITY)
            if node.tag == "connect":
                if anchor := parse_finite(node.get("anchor") or "", 3):
                    frame = LoopFrame((tuple(anchor), poses.IDENTITY), None, _POINT)
            elif numbers := parse_finite(node.get("relpose") or _AS_PLACED, 7):
                if not any(numbers[3:]):
                    frame = LoopFrame(origin, None, _RIGID)
                elif turn := poses.from_wxyz(*numbers[3:]):
                    frame = LoopFrame((tuple(numbers[:3]), turn), origin, _RIGID)
        yield ClosedLoop(node.get("name") or "", node.tag, (ends[0], ends[1]), frame)


_BODIES = frozenset(("body", "frame", "replicate"))
_HOLDERS = _BODIES | {"worldbody"}
_JOINTS = frozenset(("joint", "freejoint"))
_EMPTY = Misreading(("drake", "newton", "pinocchio"), "replace", "0 kg without rotational inertia")
_FRAMED = Misreading(("drake", "newton", "pinocchio"), "replace", "the body without its <inertial>")
_LEFT_OUT = Misreading(("drake", "pinocchio"), "drop", "no such body")
_UNKNOWN = Pose((nan, nan, nan), poses.IDENTITY)
"""Pose that no pose in it is finite after."""

_AXIS, _ORIGIN = "0 0 1", "0 0 0"
"""Axis and position of a joint that states none."""

_GENERATORS = frozenset(("flexcomp", "composite"))
"""Elements from which MuJoCo makes bodies that are not written in the document."""


def read_model(source: Source, context: Context) -> Model:
    """Read an MJCF document and what it includes; arguments and errors are those of mjcf.read."""
    tree = MjcfDocument(source, context)
    root, document = tree.root.element, tree.root.document
    if root.tag not in ROOTS:
        reason = f"the root element is <{root.tag}>, that of MJCF is <mujoco>"
        raise document.no_model_error(root, reason)
    compiler, refused = read_compiler(tree)
    walk = _BodyWalk(tree, compiler, Defaults(tree))
    bodies = tuple(walk.read())
    problems = sorted(
        (*tree.problems, *refused, *note_bounds(compiler, walk.unwritten), *walk.problems),
        key=lambda problem: (problem.span.file, problem.span),
    )
    model = root.attributes.get("model", "")
    gravity: tuple[float, ...] | None = None
    for option in (node for node in tree.children(tree.root) if node.tag == "option"):
        gravity = parse_finite(option.get("gravity") or "", 3) or gravity
        switches = [node.get("gravity") for node in tree.children(option) if node.tag == "flag"]
        gravity = (0.0, 0.0, 0.0) if "disable" in switches else gravity
    total = max(compiler.settotalmass, 0.0)
    return Model(
        document.source,
        NAME,
        model,
        bodies,
        tuple(problems),
        tuple(tree.others),
        loops=tuple(read_loops(tree, walk.find_site)),
        frames=walk.frames(),
        roots=walk.roots(),
        bounds=Bounds(
            max(compiler.boundmass, 0.0),
            max(compiler.boundinertia, 0.0),
            compiler.balanceinertia == "true",
            # Bodies that are not listed count, and fusestatic leaves out those in the world.
            nan if total and (walk.makes_more or compiler.fusestatic == "true") else total,
        ),
        gravity=cast("tuple[float, float, float] | None", gravity),
    )


@dataclass
class _FoundBody:
    """A body and the elements in it, also those inside frames.

    Attributes:
        node: The element.
        place: Number of the body in the document, from 1.
        parent: The body that contains it; None for one in the world.
        frame: Pose of the frame around it in the parent; None inside a <replicate>.
        inertials: Each <inertial> with the pose of the frame around it.
        geoms: Each <geom>, its default class, and the pose of the frame around it in the body; None
            inside a <replicate>.
        joints: Each joint with its default class.
        joint: Type of the first joint; None if the body is welded to its parent.
        axis_B: Direction of the only joint; None if there is none or more than one.
        p_BoJo_B: A point on that axis [m]; None without an axis.
        has_mass: Whether MuJoCo takes mass from one of its geoms.
        problems: Problems found so far.
        inside: Whether it or a body around it stands in a <frame> or <replicate>.
    """

    node: MjcfElement
    place: int
    parent: _FoundBody | None
    frame: Pose | None
    inertials: list[tuple[MjcfElement, Pose]] = field(default_factory=list)
    geoms: list[tuple[MjcfElement, str, Pose | None]] = field(default_factory=list)
    joints: list[tuple[MjcfElement, str]] = field(default_factory=list)
    joint: str | None = None
    axis_B: poses.Vector | None = None
    p_BoJo_B: poses.Vector | None = None
    has_mass: bool = False
    problems: list[Problem] = field(default_factory=list)
    inside: bool = False

    @property
    def name(self) -> str:
        """Name as written, or a name made from the body's number."""
        return self.node.get("name") or f"body#{self.place}"

    @property
    def who(self) -> str:
        """Name of the body in messages."""
        name = self.node.get("name")
        return f"body {quote(name)}" if name else self.name

    def note(
        self, kind: ProblemKind, message: str, node: MjcfElement, *misread: Misreading
    ) -> None:
        """Add a problem of an element of the body."""
        self.problems.append(Problem(kind, f"{self.who}: {message}", node.tag_span, misread))


class _Surroundings(NamedTuple):
    """Surroundings of an element.

    Attributes:
        body: The body around it; None for the world.
        default: Default class of elements that name none.
        frame: Pose of the frame around it in the body.
        replicate: The <replicate> inside the body that copies it; None if none does.
        framed: Whether it stands in a <frame> or <replicate> inside the body.
    """

    body: _FoundBody | None = None
    default: str = MAIN
    frame: Pose = poses.SAME_FRAME
    replicate: MjcfElement | None = None
    framed: bool = False


class _BodyWalk:
    """Walks over all elements that may contain bodies.

    Attributes:
        problems: Problems outside of bodies.
        unwritten: Number of bodies with neither an <inertial> nor geoms that give them mass.
        makes_more: Whether MuJoCo makes bodies that are not listed: copies, and those of generators
            and other models.
    """

    def __init__(self, tree: MjcfDocument, compiler: Compiler, defaults: Defaults) -> None:
        self.problems: list[Problem] = []
        self.unwritten = 0
        self.makes_more = False
        self._tree = tree
        self._compiler = compiler
        self._defaults = defaults
        self._found: list[_FoundBody] = []
        self._copied: set[Element] = set()
        self._sites: list[tuple[MjcfElement, _Surroundings]] = []
        self._walk()

    def _walk(self) -> None:
        pending = [(self._top_level(), _Surroundings())]
        while pending:
            nodes, around = pending[-1]
            node = next(nodes, None)
            if node is None:
                pending.pop()
            elif node.element.tag in _HOLDERS:
                pending.append((self._tree.children(node), self._inside(node, around)))
            else:
                self._element(node, around)

    def _top_level(self) -> Iterator[MjcfElement]:
        """Find the sections with bodies; in a fragment, the elements of a body or of the world."""
        fragment = self._tree.root.tag == FRAGMENT
        ignored = 0
        for node in self._tree.children(self._tree.root):
            if node.tag in _BODIES and not fragment and not ignored:
                message = (
                    f"MuJoCo ignores <{node.tag}> outside of <worldbody>, and so all of them here, "
                    "unless another document includes this one"
                )
                self._say("engine", message, node)
                ignored += 1
            for each in self._tree.children(node) if node.tag == "asset" else ():
                file = (each.get("file") or "").replace("\\", "/") if each.tag == "model" else ""
                if file and (refusal := self._tree.refuse(file)):
                    self._say("unread", f"model {quote(file)}: {refusal}", each)
            if node.tag in _BODIES or node.tag in {"worldbody", "attach", *_GENERATORS}:
                yield node
            elif node.tag == "inertial":
                message = (
                    "<inertial> outside of any body is not checked: it is that of the body that "
                    "includes this document, so check the one that does"
                )
                self._say("reference", message, node)

    def _say(self, kind: ProblemKind, message: str, node: MjcfElement) -> None:
        self.problems.append(Problem(kind, message, node.tag_span))

    def _inside(self, node: MjcfElement, around: _Surroundings) -> _Surroundings:
        default = node.get("childclass") or around.default
        if node.tag == "body":
            # Note once that a <replicate> makes more bodies than are listed.
            if around.replicate is not None and around.replicate.element not in self._copied:
                self._copied.add(around.replicate.element)
                count = quote(around.replicate.get("count") or "")
                message = f"<replicate count={count}>: each body in it is listed once"
                self._say("engine", message, around.replicate)
            frame = around.frame if around.replicate is None else None
            found = _FoundBody(node, len(self._found) + 1, around.body, frame)
            found.inside = around.framed or (around.body is not None and around.body.inside)
            if found.inside:
                message = "Drake and Pinocchio leave out the bodies in a <frame> or <replicate>"
                found.note("differs", f"{message}: write each with its pose", node, _LEFT_OUT)
            self._found.append(found)
            return _Surroundings(found, default)
        if node.tag == "replicate":
            replicate = around.replicate or node
            self.makes_more = True
            return around._replace(default=default, replicate=replicate, framed=True)
        if node.tag == "worldbody":
            return around._replace(default=default)
        if around.body is None:
            X_FF = read_pose(node.element.attributes, self._compiler) or _UNKNOWN
            frame = poses.product(around.frame, X_FF)
            return around._replace(default=default, frame=frame, framed=True)
        reader = InertialReader(node, around.body.who, self._compiler)
        frame = poses.product(around.frame, reader.pose())
        around.body.problems += reader.problems
        return around._replace(default=default, frame=frame, framed=True)

    def _element(self, node: MjcfElement, around: _Surroundings) -> None:
        tag, body = node.element.tag, around.body
        if tag == "inertial":
            self._inertial(node, around)
        elif tag == "attach" or tag in _GENERATORS:
            self.makes_more = True
            if node.tag in _GENERATORS:
                message = f"the bodies that MuJoCo makes of this <{node.tag}> are not listed"
                self._say("engine", message, node)
            elif node.get("model") is not None:
                what = f"<attach> of model {quote(node.get('model') or '')}"
                message = f"{what} is not followed: check the file of that <model> by itself"
                self._say("reference", message, node)
        elif tag == "site":
            self._sites.append((node, around))
        elif body is None:
            return
        elif tag == "geom":
            frame = around.frame if around.replicate is None else None
            body.geoms.append((node, around.default, frame))
            if not body.has_mass:
                body.has_mass = self._compiler.counts(self._defaults.of(node, around.default))
        elif tag in _JOINTS:
            self._joint(node, around, body)

    def _joint(self, node: MjcfElement, around: _Surroundings, body: _FoundBody) -> None:
        """Keep the type of a body's first joint, and its axis as long as it is the only joint."""
        body.joints.append((node, around.default))
        if body.joint is not None:
            body.axis_B = body.p_BoJo_B = None
            return
        if node.element.tag == "freejoint":
            body.joint = "free"
            return
        joint = self._defaults.of(node, around.default)
        body.joint = joint.get("type", "hinge")
        direction = parse_finite(joint.get("axis", _AXIS), 3) if body.joint in ONE_AXIS else None
        axis = poses.unit(direction) if direction else None
        if axis is not None and around.frame is not poses.SAME_FRAME:
            axis = poses.rotate(around.frame.R_PB, axis)
        body.axis_B = axis
        if axis is not None and (point := parse_finite(joint.get("pos", _ORIGIN), 3)):
            x, y, z = point
            body.p_BoJo_B = poses.product(around.frame, Pose((x, y, z), poses.IDENTITY)).p_PoBo_P

    def _inertial(self, node: MjcfElement, around: _Surroundings) -> None:
        if around.body is None:
            message = "<inertial> in the world, which MuJoCo refuses: move it into a <body>"
            self._say("malformed", message, node)
        elif around.replicate is not None:
            message = "<inertial> in a <replicate>, which MuJoCo drops: move it into the <body>"
            around.body.note("malformed", message, node)
        else:
            around.body.inertials.append((node, around.frame))
            if around.framed:
                message = (
                    "MuJoCo alone reads an <inertial> in a <frame>; Drake, Newton and Pinocchio "
                    "take the body without it: move it into the <body>"
                )
                around.body.note("differs", message, node, _FRAMED)

    def find_site(self, name: str) -> tuple[str, Pose] | None:
        """Find the name of the body of a site, "world" for the world, and its pose there."""
        for node, around in self._sites:
            X_BS = self._place_site(node, around) if node.get("name") == name else None
            if X_BS is not None:
                return (around.body.name if around.body else "world"), X_BS
        return None

    def frames(self) -> tuple[NamedFrame, ...]:
        """Read the named sites whose poses are known."""
        ids = list(_ids([body.name for body in self._found]))
        found = ((node, around, self._place_site(node, around)) for node, around in self._sites)
        return tuple(
            NamedFrame(name, ids[around.body.place - 1] if around.body else "", X_BS)
            for node, around, X_BS in found
            if X_BS is not None and (name := node.get("name"))
        )

    def roots(self) -> tuple[RootPose, ...]:
        """Read the poses of the bodies in the world, as far as they are known."""
        ids = list(_ids([body.name for body in self._found]))
        return tuple(
            RootPose(id_, X_WB)
            for body, id_ in zip(self._found, ids, strict=True)
            if body.parent is None and (X_WB := self._place(body)) is not None
        )

    def _place_site(self, node: MjcfElement, around: _Surroundings) -> Pose | None:
        if around.replicate is not None or self._compiler.coordinate == "global":
            return None
        X_FS = read_pose(self._defaults.of(node, around.default), self._compiler)
        X_BS = None if X_FS is None else poses.product(around.frame, X_FS)
        return X_BS if X_BS is not None and poses.is_finite(X_BS) else None

    def read(self) -> Iterator[Body]:
        """Read the bodies in document order."""
        geoms = GeomReader(self._tree, self._compiler, self._defaults)
        joints = JointReader(self._tree, self._compiler, self._defaults)
        ids = list(_ids([body.name for body in self._found]))
        for body, id_ in zip(self._found, ids, strict=True):
            inertial = None
            for other, _ in body.inertials[1:]:
                message = "a second <inertial> in <body>; the first is taken: delete one"
                body.note("malformed", message, other)
            for node, frame in body.inertials[:1]:
                reader = InertialReader(node, body.who, self._compiler)
                inertial = reader.inertial(frame)
                body.problems += reader.problems
            asked = ("true",) if inertial else ("true", "auto")
            by_geoms = body.has_mass and self._compiler.inertiafromgeom in asked
            origin: InertiaOrigin = "geometry" if by_geoms else "file"
            # Note the effects of the compiler settings on the body.
            if inertial is not None:
                notes: Iterable[str] = note_compiler_effects(inertial, self._compiler)
                if origin == "geometry":
                    notes = (
                        "inertiafromgeom: MuJoCo ignores this <inertial>, for the body has geoms",
                    )
                for note in notes:
                    body.note("engine", note, body.inertials[0][0])
                if self._compiler.inertiafromgeom == "true" and not body.geoms:
                    message = (
                        "inertiafromgeom: MuJoCo keeps this <inertial>, for the body has no geoms; "
                        "Drake, Newton and Pinocchio take 0 kg: write auto"
                    )
                    body.note("differs", message, body.inertials[0][0], _EMPTY)
            elif origin == "file":
                self.unwritten += 1
            yield Body(
                body.name,
                id_,
                body.node.span,
                body.joint or "fixed",
                body.joint not in (None, "fixed"),  # "fixed" is a joint type of Bullet only
                inertial,
                tuple(sorted(body.problems, key=lambda problem: problem.span)),
                tuple(geoms.shape(*geom) for geom in body.geoms),
                inertia_from=origin,
                parent=None if body.parent is None else ids[body.parent.place - 1],
                X_PB=None if body.parent is None else self._place(body),
                axis_B=body.axis_B,
                p_BoJo_B=body.p_BoJo_B,
                joints=tuple(joints.joint(*joint) for joint in body.joints),
            )

    def _place(self, body: _FoundBody) -> Pose | None:
        """Compute the pose of a body in its parent or the world; None if it is unclear."""
        if body.frame is None or self._compiler.coordinate == "global":
            return None
        X_FB = read_pose(body.node.element.attributes, self._compiler)
        if X_FB is None or body.frame is poses.SAME_FRAME:
            return X_FB
        X_PB = poses.product(body.frame, X_FB)
        return X_PB if poses.is_finite(X_PB) else None


def _ids(names: list[str]) -> Iterator[str]:
    """Make an XPath for each body: by name, or by index if XPath cannot quote the name."""
    total = Counter(names)
    seen: Counter[str] = Counter()
    for place, name in enumerate(names, 1):
        seen[name] += 1
        quote = next((quote for quote in "'\"" if quote not in name), None)
        if name == f"body#{place}" or quote is None:
            yield f"(//body)[{place}]"
        elif total[name] > 1:
            yield f"(//body[@name={quote}{name}{quote}])[{seen[name]}]"
        else:
            yield f"//body[@name={quote}{name}{quote}]"


_STRAIGHT = (0.0, 1.0, 0.0, 0.0, 0.0)
"""Default coefficients of the polynomial of an equality of joints: the second joint's position."""

_UNREADABLE = (math.nan, math.nan)


@dataclass(frozen=True)
class JointReader:
    """Reads the joints of one document's bodies."""

    tree: MjcfDocument
    compiler: Compiler
    defaults: Defaults

    def joint(self, node: MjcfElement, default: str) -> Joint:
        """Read one joint.

        Args:
            node: The element, <joint> or <freejoint>.
            default: Default class of elements that name none.
        """
        name = node.get("name") or ""
        if node.tag == "freejoint":
            return Joint(name, "free")
        attributes = self.defaults.of(node, default)
        kind = attributes.get("type", "hinge")
        if kind not in ONE_AXIS:
            return Joint(name, kind)
        # Read the range of positions, relative to the joint's ref, at which the body is placed.
        limits = _range(attributes, "range", "limited")
        if limits is None:
            lower, upper = None, None
        else:
            ref = _number(attributes, "ref") or 0.0
            turned = self.compiler.radians if kind == "hinge" else float
            lower, upper = (turned(limit) - turned(ref) for limit in limits)
        forces = _range(attributes, "actuatorfrcrange", "actuatorfrclimited")
        # MuJoCo derives the damping from a time constant and the inertia where one is stated.
        spring = parse_finite(attributes.get("springdamper", ""), 2)
        derived = spring is not None and min(spring) > 0
        damping = attributes.get("damping", "").split()  # the linear term, then higher powers
        return Joint(
            name,
            kind,
            lower,
            upper,
            effort=None if forces is None else max(map(abs, forces)),
            damping=parse_optional(damping[0]) if damping and not derived else None,
            friction=_number(attributes, "frictionloss"),
            armature=_number(attributes, "armature"),
            mimic=self._mimics.get(name) if name else None,
        )

    @cached_property
    def _mimics(self) -> Mapping[str, Mimic]:
        """Joints that follow others by an active equality, by their names."""
        found: dict[str, Mimic] = {}
        for section in self.tree.children(self.tree.root):
            for node in self.tree.children(section) if section.tag == "equality" else ():
                name = node.get("joint1")
                if node.tag == "joint" and name and node.get("active") != "false":
                    # Read an equality of joints; the numbers are NaN unless its polynomial is a
                    # straight line.
                    other = node.get("joint2") or ""
                    written = (node.get("polycoef") or "").split()
                    terms = [parse_number(word)[0] for word in written] + list(
                        _STRAIGHT[len(written) :]
                    )
                    offset, multiplier, *bent = terms
                    if any(bent) and other:
                        known = tuple(terms) if all(map(math.isfinite, terms)) else ()
                        mimic = Mimic(other, math.nan, math.nan, known)
                    else:
                        mimic = Mimic(other, multiplier if other else 0.0, offset)
                    found.setdefault(name, mimic)
        return found


def _range(attributes: Mapping[str, str], name: str, switch: str) -> tuple[float, float] | None:
    """Read a range; None if there is none, for which MuJoCo also writes 0 0."""
    limited = attributes.get(switch, "auto").strip()
    if limited == "false":
        return -math.inf, math.inf
    if not (text := attributes.get(name, "").strip()):
        return None
    words = text.split()
    first, last = (parse_number(word)[0] for word in words) if len(words) == 2 else _UNREADABLE
    return None if limited != "true" and first == last == 0.0 else (first, last)


def _number(attributes: Mapping[str, str], name: str) -> float | None:
    return parse_optional(attributes.get(name, "").strip() or None)
