"""The tree of an SDF: worlds, nested models and includes -> bodies with scoped names."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from inertial_check.errors import NotAModelError
from inertial_check.formats.context import Context
from inertial_check.formats.numbers import parse_finite, quote
from inertial_check.formats.poses import unit
from inertial_check.formats.rotations import Vector, rotate
from inertial_check.formats.sdf.constants import LATEST, NAME, ROOTS
from inertial_check.formats.sdf.includes import Library, NotIncluded, minor_version
from inertial_check.formats.sdf.links import LinkReader, is_true, word
from inertial_check.formats.sdf.poses import WORLD_FRAME, Frames, Stand
from inertial_check.formats.xml.document import XmlDocument, parse
from inertial_check.formats.xml.markup import Element
from inertial_check.formats.xml.xpath import steps
from inertial_check.model.body import Body, Model, Pose, Problem, ProblemKind
from inertial_check.model.joint import Joint, Joints
from inertial_check.model.shape import Shape, Shapes
from inertial_check.model.source import Source

_OLDEST = 2
_READ = frozenset(("model", "link", "include", "joint", "frame"))
_HELD = frozenset(("world", "population", "model", "include", "joint", "frame"))
_DEEPEST = 64
_LONGEST_NAME = 1000
_MOST_HOPS = 100
_WORLD = "world"
_SEPARATOR = "::"
_OWN_FRAME = "__model__"
_SHAPE_ROLES = frozenset(("visual", "collision"))
_ONE_AXIS = frozenset(("revolute", "continuous", "prismatic", "screw"))
_AXIS = "0 0 1"  # of a joint that does not say
_LAST_IN_MODEL, _LAST_ALWAYS_IN_MODEL = 6, 4
"""Up to SDF 1.6 an axis may be given in the frame of the model; up to 1.4 it is, unless it says."""


def read_model(source: Source, context: Context) -> Model:
    """Read an SDF document and what it includes; arguments and errors are those of sdf.read."""
    return _SdfReader(source, context).model()


@dataclass(frozen=True)
class _Scope:
    """Where in the tree an element stands.

    Attributes:
        document: The document that holds it.
        names: Of the models around it, joined; "" for none.
        frame: Of the model or world around it; None for one whose place cannot be told.
        id: The XPath of what holds it.
        static: Whether the models around it are immovable.
        depth: Of models and includes.
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
        """A name as it is seen from outside all models."""
        return f"{self.names}{_SEPARATOR}{name}" if self.names else name

    def frame_of(self, name: str) -> str | None:
        """The frame that a name stands for here."""
        if name == _OWN_FRAME or (name == _WORLD and not self.names):
            return self.frame
        return self.scope_name(name.removesuffix(f"{_SEPARATOR}{_OWN_FRAME}"))

    def stand(self, element: Element, base: str | None) -> Stand:
        """Where an element here says that it stands: in the base, unless its pose says more."""
        pose = element.first("pose")
        if pose is not None:
            named = pose.attributes.get("relative_to")
            base = self.frame_of(named) if named else base
            base = None if pose.attributes.get("frame") else base  # of SDF 1.5 and 1.6
        return Stand(self.document, pose, base)


class _IncludeSettings(NamedTuple):
    """What an include says in place of the model that it includes; None for nothing."""

    name: str | None = None
    static: str | None = None
    merged: bool = False
    stand: Stand | None = None


class _TiedJoint(NamedTuple):
    """A joint, its ends by scoped names.

    Attributes:
        type: As written.
        parent: What it holds.
        child: What it carries.
        element: The joint.
        scope: Where it stands.
        frame: The frame of its child, as its scope knows it.
        turned: Whether its child is the world, so that here its ends are swapped.
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
    """Bodies that joints may tie to each other: those of a world, or of a model without one."""

    first_body: int
    joints: list[_TiedJoint] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # of frames and models
    frames: Frames = field(default_factory=Frames)


class _SdfReader:
    """Walks one document and what it includes."""

    def __init__(self, source: Source, context: Context) -> None:
        """Parse the document.

        Raises:
            DocumentError: It cannot be read.
            NotAModelError: Its root is none of these.
        """
        document = parse(source.path, source.data, unquoted=True)
        if document.root.tag not in ROOTS:
            place = document.source.line_column(document.element_span(document.root).start)
            reason = f"the root element is <{document.root.tag}>, an SDF's is <{ROOTS[0]}>"
            raise NotAModelError(source.path, reason, *place)
        self._document = document
        self._library = Library(context)
        self._bodies: list[Body] = []
        self._problems: list[Problem] = []
        self._assembly = _JointGroup(0)

    def model(self) -> Model:
        """The whole document as plain data."""
        document = self._document
        including = (document.source.path,)
        tag = document.root.tag
        self._holder(
            document.root, _Scope(document, "", WORLD_FRAME, f"/{tag}", False, 0, including)
        )
        for each in (document, *self._library.documents):
            self._problems += each.problems
            self._note_version(each)
        said_once = dict.fromkeys(self._problems)  # a document can be included often
        problems = tuple(sorted(said_once, key=lambda p: (p.span.file, p.span)))
        others = tuple(self._library.sources)
        return Model(document.source, NAME, self._name(), tuple(self._bodies), problems, others)

    def _name(self) -> str:
        """Of the first world, else of the first model."""
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
        """Say what of the document was not read, and why."""
        message = f"<{element.tag}> is skipped, and its links are not checked: {reason}"
        self._problem(scope, element, message, "reference")

    def _holder(self, holder: Element, scope: _Scope) -> None:
        """The root, a world or a population: what holds models."""
        if scope.depth >= _DEEPEST:
            self._skip(scope, holder, f"it stands more than {_DEEPEST} deep")
            return
        children = [child for child in holder.children if child.tag in _HELD]
        alone = holder is self._document.root
        for child, step in zip(children, steps(children), strict=True):
            if alone:
                self._assembly = _JointGroup(len(self._bodies))
            if child.tag in {"world", "population"}:
                placed = child.tag == "world"  # a population strews its models about
                frame = WORLD_FRAME if placed else None
                inner = replace(scope, id=f"{scope.id}/{step}", depth=scope.depth + 1, frame=frame)
                self._holder(child, inner)
            else:
                self._child(child, replace(scope, id=f"{scope.id}/{step}"))
            if alone:
                self._tie()

    def _child(self, element: Element, scope: _Scope) -> None:
        """An element of a model or a world; the scope's id is the element's own."""
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
        for child, step in zip(children, steps(children), strict=True):
            self._child(child, replace(scope, id=f"{scope.id}/{step}"))
        self._note_misspellings(model, scope)
        self._name_canonical(model, scope, before)

    def _place(self, model: Element, frame: str, stand: Stand) -> None:
        """Add the frame of a model; where its pose is another frame's its place is not told."""
        if model.attributes.get("placement_frame"):
            stand = stand._replace(base=None)
        self._assembly.frames.add_model(frame, stand)

    def _cut(self, scope: _Scope, model: Element, name: str) -> str:
        """A name of bounded length: every link inside repeats it."""
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
        """Let the model's own name stand for the link that its frame is attached to."""
        canonical = model.attributes.get("canonical_link")
        if canonical:
            self._assembly.aliases.setdefault(scope.names, scope.scope_name(canonical))
        elif len(self._bodies) > before:
            self._assembly.aliases.setdefault(scope.names, self._bodies[before].name)

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
        """Read the model that an include names in the include's place.

        Raises:
            NotIncluded: It cannot be.
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
        self._assembly.frames.add_link(name, scope.stand(link, scope.frame))
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
        return Shapes(partial(_read_shapes, elements, scope, name, self._assembly.frames))

    def _joint(self, joint: Element, scope: _Scope) -> None:
        ends = [word(scope.document, joint.first(tag)) for tag in ("parent", "child")]
        parent, child = (end if end == _WORLD else scope.scope_name(end) for end in ends)
        kind = joint.attributes.get("type", "")
        frame = WORLD_FRAME if child == _WORLD else scope.frame_of(ends[1])
        self._assembly.joints.append(_TiedJoint(kind, parent, child, joint, scope, frame))
        name = scope.scope_name(joint.attributes.get("name", ""))
        self._assembly.frames.add_mark(name, scope.stand(joint, frame))

    def _frame(self, frame: Element, scope: _Scope) -> None:
        attached = frame.attributes.get("attached_to")
        target = scope.scope_name(attached) if attached else scope.names
        name = scope.scope_name(frame.attributes.get("name", ""))
        self._assembly.aliases.setdefault(name, target)
        base = scope.frame_of(attached) if attached else scope.frame
        self._assembly.frames.add_mark(name, scope.stand(frame, base))

    def _tie(self) -> None:
        """Say of each body of the assembly which joint holds it."""
        assembly = self._assembly
        first = assembly.first_body
        links: dict[str, str] = {}
        for body in self._bodies[first:]:
            links.setdefault(body.name, body.id)
        holding: dict[str, _TiedJoint] = {}
        for joint in assembly.joints:
            parent, child = (
                _target(end, links, assembly.aliases) for end in (joint.parent, joint.child)
            )
            turned = child == _WORLD
            if turned:
                parent, child = child, parent
            known = holding.get(child)
            if joint.type != "gearbox" and (known is None or known.type == "fixed"):
                holding[child] = joint._replace(parent=parent, child=child, turned=turned)
        for index, body in enumerate(self._bodies[first:], first):
            if body.moved and body.name in holding:
                held = holding[body.name]
                above = links.get(held.parent)
                self._bodies[index] = body._replace(
                    joint=held.type,
                    moved=held.type != "fixed",
                    parent=above,
                    X_PB=assembly.frames.pose(held.parent, held.child) if above else None,
                    axis_B=_axis(held, assembly.frames),
                    p_BoJo_B=_point(held, assembly.frames),
                    joints=Joints(partial(_read_joints, held)),
                )


def _read_shapes(
    elements: Sequence[Element], scope: _Scope, link: str, frames: Frames
) -> tuple[Shape, ...]:
    from inertial_check.formats.sdf.shapes import read_shape  # rarely asked for

    return tuple(
        read_shape(element, scope.stand(element, link), link, frames) for element in elements
    )


def _read_joints(joint: _TiedJoint) -> tuple[Joint, ...]:
    from inertial_check.formats.sdf.joints import read_joint  # rarely asked for

    scope, one_axis = joint.scope, joint.type in _ONE_AXIS
    return (read_joint(scope.document, joint.element, joint.type, scope.scope_name, one_axis),)


def _axis(joint: _TiedJoint, frames: Frames) -> Vector | None:
    """The direction of a joint in the frame of the body that it carries; None for several."""
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
    """The origin of a joint with an axis, in the frame of the body that it carries."""
    if joint.type not in _ONE_AXIS:
        return None
    X_BJ = frames.locate(joint.child, joint.scope.stand(joint.element, joint.frame))
    return None if X_BJ is None else X_BJ.p_PoBo_P


def _axis_frame(
    joint: _TiedJoint, axis: Element | None, xyz: Element | None, frames: Frames
) -> Pose | None:
    """The frame in which the axis of a joint is given, in that of the body that it carries."""
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
    """Whether an axis is given in the frame of the model, as could be up to SDF 1.6."""
    minor = minor_version(document.root.attributes.get("version", ""))
    if minor is None or minor > _LAST_IN_MODEL:
        return False
    written = word(document, axis.first("use_parent_model_frame"))
    return is_true(written) if written else minor <= _LAST_ALWAYS_IN_MODEL


def _stand(include: Element, scope: _Scope) -> Stand | None:
    """Where an include puts its model; None where the model's own pose tells."""
    stand = scope.stand(include, scope.frame)
    if include.all("placement_frame"):
        return stand._replace(base=None)
    return None if stand.pose is None else stand


def _target(name: str, links: Container[str], aliases: dict[str, str]) -> str:
    """The link that a scoped name stands for, by way of frames and models."""
    for _ in range(_MOST_HOPS):
        name = name.removesuffix(f"{_SEPARATOR}{_OWN_FRAME}")
        if name in links or name not in aliases:
            break
        name = aliases[name]
    return name
