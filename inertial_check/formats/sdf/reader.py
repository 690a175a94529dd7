"""Reader of the worlds, nested models and includes of SDF: bodies with scoped names."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from inertial_check.formats.closures import place_joint
from inertial_check.formats.context import Context
from inertial_check.formats.numbers import parse_finite, quote
from inertial_check.formats.poses import is_finite
from inertial_check.formats.rotations import Vector, rotate, unit
from inertial_check.formats.sdf.constants import LATEST, NAME, ROOTS, SEPARATOR
from inertial_check.formats.sdf.includes import Library, NotIncluded, minor_version
from inertial_check.formats.sdf.links import LinkReader, is_true, word
from inertial_check.formats.sdf.poses import WORLD_FRAME, Frames, Stand
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.markup import Element
from inertial_check.formats.xml.xpath import make_steps
from inertial_check.model.body import Body, Model, Pose, Problem, ProblemKind
from inertial_check.model.frames import NamedFrame, NamedFrames, RootPose, RootPoses
from inertial_check.model.joint import ClosedLoop, Joint, Joints
from inertial_check.model.shape import Shape, Shapes
from inertial_check.model.source import Source

_OLDEST = 2
"""Minor version of SDF 1.2, the oldest version that is read here."""

_READ = frozenset(("model", "link", "include", "joint", "frame"))
_HELD = frozenset(("world", "population", "model", "include", "joint", "frame"))
_DEEPEST = 64
"""Largest depth of models and includes inside each other."""

_LONGEST_NAME = 1000
"""Largest number of characters of a model's name, which every link inside repeats."""

_MOST_HOPS = 100
"""Largest number of aliases that are followed from a name to a link."""

_WORLD = "world"
_OWN_FRAME = "__model__"
_SHAPE_ROLES = frozenset(("visual", "collision"))
_ONE_AXIS = frozenset(("revolute", "continuous", "prismatic", "screw"))
_AXIS = "0 0 1"
"""Axis of a joint that states none."""

_LAST_IN_MODEL, _LAST_ALWAYS_IN_MODEL = 6, 4
"""Last minor versions in which an axis may be given in the frame of the model (1.6), and in which
it is unless use_parent_model_frame says otherwise (1.4)."""


def read_model(source: Source, context: Context) -> Model:
    """Read an SDF document and what it includes; arguments and errors are those of sdf.read."""
    return _SdfReader(source, context).model()


@dataclass(frozen=True)
class _Scope:
    """Position of an element in the tree of models.

    Attributes:
        document: The document that contains the element.
        names: Names of the models around it, joined; "" for none.
        frame: Frame of the model or world around it; None if its pose is unknown.
        id: XPath of the element, or of its parent.
        static: Whether a model around it is static.
        depth: Number of models and includes around it.
        including: Paths of the documents that are being read, outermost first.
    """

    document: XmlDocument
    names: str
    frame: str | None
    id: str
    static: bool
    depth: int
    including: tuple[str, ...]

    def scope_name(self, name: str) -> str:
        """Make a name unique among all models by the names of the models around it."""
        return f"{self.names}{SEPARATOR}{name}" if self.names else name

    def frame_of(self, name: str) -> str | None:
        """Resolve the name of a frame in this scope."""
        if name == _OWN_FRAME or (name == _WORLD and not self.names):
            return self.frame
        return self.scope_name(name.removesuffix(f"{SEPARATOR}{_OWN_FRAME}"))

    def stand(self, element: Element, base: str | None) -> Stand:
        """Read the stated pose of an element, relative to `base` unless the pose names a frame."""
        pose = element.first("pose")
        if pose is not None:
            named = pose.attributes.get("relative_to")
            base = self.frame_of(named) if named else base
            base = None if pose.attributes.get("frame") else base  # an attribute of SDF 1.5 and 1.6
        return Stand(self.document, pose, base)


class _IncludeSettings(NamedTuple):
    """Settings of an include that override those of the included model; None for none."""

    name: str | None = None
    static: str | None = None
    merged: bool = False
    stand: Stand | None = None


class _TiedJoint(NamedTuple):
    """A joint with the scoped names of its ends.

    Attributes:
        type: Type as written.
        parent: Name of its parent.
        child: Name of its child.
        element: The joint.
        scope: Scope of the joint.
        frame: Frame of its child, resolved in its scope.
        turned: Whether its ends are swapped here, because its child is the world.
    """

    type: str
    parent: str
    child: str
    element: Element
    scope: _Scope
    frame: str | None
    turned: bool = False


@dataclass
class _JointGroup:
    """Bodies that joints may connect: those of a world, or of a model outside of worlds."""

    first_body: int
    joints: list[_TiedJoint] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # names of frames and models -> a link
    frames: Frames = field(default_factory=Frames)
    named: list[str] = field(default_factory=list)  # names of <frame> elements


class _SdfReader:
    """Walks over one document and the models that it includes."""

    def __init__(self, source: Source, context: Context) -> None:
        """Parse the document.

        Raises:
            DocumentError: The document cannot be read.
            NotAModelError: Its root element is not one of SDF.
        """
        document = parse(source.path, source.data, unquoted=True)
        if document.root.tag not in ROOTS:
            reason = f"the root element is <{document.root.tag}>, an SDF's is <{ROOTS[0]}>"
            raise document.no_model_error(document.root, reason)
        self._document = document
        self._library = Library(context)
        self._bodies: list[Body] = []
        self._problems: list[Problem] = []
        self._loops: list[ClosedLoop] = []
        self._group = _JointGroup(0)
        self._tied: list[tuple[_JointGroup, dict[str, str]]] = []

    def model(self) -> Model:
        """Read the whole document."""
        document = self._document
        including = (document.source.path,)
        tag = document.root.tag
        self._holder(
            document.root, _Scope(document, "", WORLD_FRAME, f"/{tag}", False, 0, including)
        )
        for each in (document, *self._library.documents):
            self._problems += each.problems
            self._note_version(each)
        said_once = dict.fromkeys(self._problems)  # a document can be included several times
        problems = tuple(sorted(said_once, key=lambda p: (p.span.file, p.span)))
        others = tuple(self._library.sources)
        bodies, loops = tuple(self._bodies), tuple(self._loops)
        return Model(
            document.source,
            NAME,
            self._name(),
            bodies,
            problems,
            others,
            loops=loops,
            frames=NamedFrames(partial(_read_frames, tuple(self._tied))),
            roots=RootPoses(partial(_read_roots, tuple(self._tied), bodies)),
        )

    def _name(self) -> str:
        """Return the name of the first world, or else of the first model."""
        root = self._document.root
        named = [*root.all("world"), *root.all("model")]
        return named[0].attributes.get("name", "") if named else ""

    def _note_version(self, document: XmlDocument) -> None:
        root = document.root
        written = root.attributes.get("version")
        minor = minor_version(written or "")
        if minor is not None and _OLDEST <= minor <= LATEST:
            return
        what = "names no version" if written is None else f"has version {quote(written)}"
        message = (
            f"<{root.tag}> {what}, and is read as 1.{LATEST}; engines may refuse it: write the "
            f"version that it is made for, 1.{_OLDEST} to 1.{LATEST}"
        )
        self._problems.append(Problem("repair", message, document.tag_span(root)))

    def _problem(self, scope: _Scope, element: Element, message: str, kind: ProblemKind) -> None:
        self._problems.append(Problem(kind, message, scope.document.tag_span(element)))

    def _skip(self, scope: _Scope, element: Element, reason: str) -> None:
        """Note an element that is not read, and why."""
        message = f"<{element.tag}> is skipped, and its links are not checked: {reason}"
        self._problem(scope, element, message, "reference")

    def _holder(self, holder: Element, scope: _Scope) -> None:
        """Read an element that contains models: the root, a world or a population."""
        if scope.depth >= _DEEPEST:
            self._skip(scope, holder, f"it stands more than {_DEEPEST} deep")
            return
        children = [child for child in holder.children if child.tag in _HELD]
        alone = holder is self._document.root
        for child, step in zip(children, make_steps(children), strict=True):
            if alone:
                self._group = _JointGroup(len(self._bodies))
            if child.tag in {"world", "population"}:
                placed = child.tag == "world"  # a population distributes its models at random
                frame = WORLD_FRAME if placed else None
                inner = replace(scope, id=f"{scope.id}/{step}", depth=scope.depth + 1, frame=frame)
                self._holder(child, inner)
            else:
                self._child(child, replace(scope, id=f"{scope.id}/{step}"))
            if alone:
                self._tie()

    def _child(self, element: Element, scope: _Scope) -> None:
        """Read an element of a model or a world; the id of the scope is that of the element."""
        if element.tag == "model":
            self._model(element, scope)
        elif element.tag == "include":
            self._include(element, scope)
        elif element.tag == "link":
            self._link(element, scope)
        elif element.tag == "joint":
            self._joint(element, scope)
        elif element.tag == "frame":
            self._frame(element, scope)

    def _model(self, model: Element, outer: _Scope, given: _IncludeSettings | None = None) -> None:
        given = given or _IncludeSettings()
        if outer.depth >= _DEEPEST:
            self._skip(outer, model, f"models stand in each other more than {_DEEPEST} deep")
            return
        static = given.static or word(outer.document, model.first("static"))
        own = outer.names
        frame = outer.id
        if not given.merged:
            name = model.attributes.get("name", "") if given.name is None else given.name
            own = outer.scope_name(self._cut(outer, model, name))
            frame = own if name else frame
        self._place(model, frame, given.stand or outer.stand(model, outer.frame))
        scope = replace(
            outer,
            names=own,
            frame=frame,
            static=outer.static or is_true(static),
            depth=outer.depth + 1,
        )
        before = len(self._bodies)
        children = [child for child in model.children if child.tag in _READ]
        for child, step in zip(children, make_steps(children), strict=True):
            self._child(child, replace(scope, id=f"{scope.id}/{step}"))
        self._note_misspellings(model, scope)
        self._name_canonical(model, scope, before)

    def _place(self, model: Element, frame: str, stand: Stand) -> None:
        """Add the frame of a model; with a placement_frame its pose is unknown."""
        if model.attributes.get("placement_frame"):
            stand = stand._replace(base=None)
        self._group.frames.add_model(frame, stand)

    def _cut(self, scope: _Scope, model: Element, name: str) -> str:
        """Cut a model's name to its largest length, since every link inside repeats it."""
        if len(name) <= _LONGEST_NAME:
            return name
        what = f"<model> has a name of {len(name)} characters, of which the first are shown"
        self._problem(scope, model, f"{what}: shorten it to at most {_LONGEST_NAME}", "repair")
        return name[:_LONGEST_NAME]

    def _note_misspellings(self, model: Element, scope: _Scope) -> None:
        for child in model.children:
            if child.tag not in _READ and child.tag.lower() in _READ:
                message = f"engines ignore <{child.tag}>: write <{child.tag.lower()}>"
                self._problem(scope, child, message, "malformed")

    def _name_canonical(self, model: Element, scope: _Scope, before: int) -> None:
        """Make the model's name an alias of the link to which its frame is attached."""
        canonical = model.attributes.get("canonical_link")
        if canonical:
            self._group.aliases.setdefault(scope.names, scope.scope_name(canonical))
        elif len(self._bodies) > before:
            self._group.aliases.setdefault(scope.names, self._bodies[before].name)

    def _include(self, include: Element, scope: _Scope) -> None:
        document = scope.document
        texts = {tag: word(document, include.first(tag)) for tag in ("uri", "name", "static")}
        given = _IncludeSettings(
            texts["name"] or None,
            texts["static"] or None,
            is_true(include.attributes.get("merge", "")),
            _stand(include, scope),
        )
        try:
            self._follow_include(texts["uri"], given, scope)
        except NotIncluded as reason:
            self._skip(scope, include, str(reason))
        for child in include.children:
            if child.tag == "experimental:params":
                message = (
                    "the changes that <experimental:params> makes to the included model are not "
                    "made here; its links are checked as their own file states them"
                )
                self._problem(scope, child, message, "reference")

    def _follow_include(self, uri: str, given: _IncludeSettings, scope: _Scope) -> None:
        """Read the model that an include names.

        Raises:
            NotIncluded: The model cannot be included.
        """
        path = scope.document.source.path
        found = self._library.find(uri, None if path.startswith("<") else path)
        inside = found.document.source.path
        around = [os.path.abspath(outer) for outer in scope.including]
        if os.path.abspath(inside) in around:
            circle = scope.including[around.index(os.path.abspath(inside)) :]
            raise NotIncluded(f"it includes itself: {' -> '.join((*circle, inside))}")
        if found.model.tag != "model":
            return
        self._library.spend(len(found.model.children))
        inner = replace(
            scope,
            document=found.document,
            id=f"{scope.id}/{found.model.tag}",
            including=(*scope.including, inside),
        )
        self._model(found.model, inner, given)

    def _link(self, link: Element, scope: _Scope) -> None:
        name = scope.scope_name(link.attributes.get("name", ""))
        stated = LinkReader(scope.document, link, name).read()
        self._group.frames.add_link(name, scope.stand(link, scope.frame))
        self._bodies.append(
            Body(
                name,
                scope.id,
                scope.document.element_span(link),
                None,
                not scope.static,
                stated.inertial,
                stated.problems,
                self._shapes(link, scope, name),
                stated.inertia_from,
            )
        )

    def _shapes(self, link: Element, scope: _Scope, name: str) -> Sequence[Shape]:
        elements = [child for child in link.children if child.tag in _SHAPE_ROLES]
        if not elements:
            return ()
        return Shapes(partial(_read_shapes, elements, scope, name, self._group.frames))

    def _joint(self, joint: Element, scope: _Scope) -> None:
        ends = [word(scope.document, joint.first(tag)) for tag in ("parent", "child")]
        parent, child = (end if end == _WORLD else scope.scope_name(end) for end in ends)
        kind = joint.attributes.get("type", "")
        frame = WORLD_FRAME if child == _WORLD else scope.frame_of(ends[1])
        self._group.joints.append(_TiedJoint(kind, parent, child, joint, scope, frame))
        name = scope.scope_name(joint.attributes.get("name", ""))
        self._group.frames.add_mark(name, scope.stand(joint, frame))

    def _frame(self, frame: Element, scope: _Scope) -> None:
        attached = frame.attributes.get("attached_to")
        target = scope.scope_name(attached) if attached else scope.names
        name = scope.scope_name(frame.attributes.get("name", ""))
        self._group.aliases.setdefault(name, target)
        self._group.named.append(name)
        base = scope.frame_of(attached) if attached else scope.frame
        self._group.frames.add_mark(name, scope.stand(frame, base))

    def _tie(self) -> None:
        """Find the joint that holds each body of the group."""
        group = self._group
        first = group.first_body
        links: dict[str, str] = {}
        for body in self._bodies[first:]:
            links.setdefault(body.name, body.id)
        self._tied.append((group, links))
        holding: dict[str, _TiedJoint] = {}
        for joint in group.joints:
            parent, child = (
                _target(end, links, group.aliases) for end in (joint.parent, joint.child)
            )
            turned = child == _WORLD
            if turned:
                parent, child = child, parent
            known = holding.get(child)
            tied = joint._replace(parent=parent, child=child, turned=turned)
            if joint.type != "gearbox" and (known is None or known.type == "fixed"):
                holding[child] = tied
                closing = known
            else:
                closing = tied
            if closing is not None:
                self._loops.append(_describe_loop(closing, group.frames))
        for index, body in enumerate(self._bodies[first:], first):
            if body.moved and body.name in holding:
                held = holding[body.name]
                above = links.get(held.parent)
                self._bodies[index] = body._replace(
                    joint=held.type,
                    moved=held.type != "fixed",
                    parent=above,
                    X_PB=group.frames.pose(held.parent, held.child) if above else None,
                    axis_B=_axis(held, group.frames),
                    p_BoJo_B=_point(held, group.frames),
                    joints=Joints(partial(_read_joints, held)),
                )


def _read_shapes(
    elements: Sequence[Element], scope: _Scope, link: str, frames: Frames
) -> tuple[Shape, ...]:
    from inertial_check.formats.sdf.shapes import read_shape  # rarely needed

    return tuple(
        read_shape(element, scope.stand(element, link), link, frames) for element in elements
    )


def _read_joints(joint: _TiedJoint) -> tuple[Joint, ...]:
    from inertial_check.formats.sdf.joints import read_joint  # rarely needed

    scope, one_axis = joint.scope, joint.type in _ONE_AXIS
    return (read_joint(scope.document, joint.element, joint.type, scope.scope_name, one_axis),)


def _axis(joint: _TiedJoint, frames: Frames) -> Vector | None:
    """Compute the axis of a joint in the frame of its child; None if it has not exactly one."""
    if joint.type not in _ONE_AXIS:
        return None
    scope, axis = joint.scope, joint.element.first("axis")
    xyz = None if axis is None else axis.first("xyz")
    values = parse_finite(word(scope.document, xyz) or _AXIS, 3)
    direction = None if values is None else unit(values)
    X_BE = _axis_frame(joint, axis, xyz, frames)
    if direction is None or X_BE is None:
        return None
    x, y, z = rotate(X_BE.R_PB, direction)
    return (-x, -y, -z) if joint.turned else (x, y, z)


def _point(joint: _TiedJoint, frames: Frames) -> Vector | None:
    """Compute the origin of a joint with one axis, in the frame of its child."""
    if joint.type not in _ONE_AXIS:
        return None
    X_BJ = frames.locate(joint.child, joint.scope.stand(joint.element, joint.frame))
    return None if X_BJ is None else X_BJ.p_PoBo_P


def _axis_frame(
    joint: _TiedJoint, axis: Element | None, xyz: Element | None, frames: Frames
) -> Pose | None:
    """Compute the pose of the frame in which a joint's axis is given, in its child's frame."""
    scope, frame = joint.scope, None
    named = "" if xyz is None else xyz.attributes.get("expressed_in", "")
    if named:
        frame = scope.frame_of(named)
    elif axis is not None and _in_model(scope.document, axis):
        frame = scope.frame
    else:
        return frames.locate(joint.child, scope.stand(joint.element, joint.frame))
    return None if frame is None else frames.pose(joint.child, frame)


def _in_model(document: XmlDocument, axis: Element) -> bool:
    """Return whether an axis is given in the frame of the model, as was possible up to SDF 1.6."""
    minor = minor_version(document.root.attributes.get("version", ""))
    if minor is None or minor > _LAST_IN_MODEL:
        return False
    written = word(document, axis.first("use_parent_model_frame"))
    return is_true(written) if written else minor <= _LAST_ALWAYS_IN_MODEL


def _stand(include: Element, scope: _Scope) -> Stand | None:
    """Read the pose that an include gives its model; None if the model's own pose counts."""
    stand = scope.stand(include, scope.frame)
    if include.all("placement_frame"):
        return stand._replace(base=None)
    return None if stand.pose is None else stand


def _read_frames(groups: Sequence[tuple[_JointGroup, dict[str, str]]]) -> tuple[NamedFrame, ...]:
    """Read the <frame> elements that are attached to links, as far as their poses are known."""
    found = []
    for group, links in groups:
        for name in group.named:
            link = _target(name, links, group.aliases)
            X_BF = group.frames.pose(link, name) if link in links and name not in links else None
            if X_BF is not None and is_finite(X_BF):
                found.append(NamedFrame(name, links[link], X_BF))
    return tuple(found)


def _read_roots(
    groups: Sequence[tuple[_JointGroup, dict[str, str]]], bodies: Sequence[Body]
) -> tuple[RootPose, ...]:
    """Read the poses of the links that no link carries, as far as they are known."""
    roots = {body.id for body in bodies if body.parent is None}
    return tuple(
        RootPose(id_, X_WB)
        for group, links in groups
        for name, id_ in links.items()
        if id_ in roots and (X_WB := group.frames.pose(WORLD_FRAME, name)) is not None
        if is_finite(X_WB)
    )


def _describe_loop(joint: _TiedJoint, frames: Frames) -> ClosedLoop:
    """Describe a joint that is left out of the tree, as another one holds its child."""
    name = joint.scope.scope_name(joint.element.attributes.get("name", ""))
    X_BJ = frames.locate(joint.child, joint.scope.stand(joint.element, joint.frame))
    frame = place_joint(joint.type, X_BJ, _axis(joint, frames))
    return ClosedLoop(name, joint.type, (joint.parent, joint.child), frame)


def _target(name: str, links: Container[str], aliases: dict[str, str]) -> str:
    """Resolve a scoped name to a link, by way of frames and models."""
    for _ in range(_MOST_HOPS):
        name = name.removesuffix(f"{SEPARATOR}{_OWN_FRAME}")
        if name in links or name not in aliases:
            break
        name = aliases[name]
    return name
