"""Reader of the worlds, nested models and includes of SDF: bodies with scoped names.

Reader of the axis of an SDF <joint>: <limit>, <dynamics> and <mimic>.

A number that cannot be read is NaN; it is no problem of the document, since no inertia depends on
it.

Poses of the frames of an SDF document in each other: <pose> and its attribute relative_to.

Reader of the <visual> and <collision> elements of an SDF link.

A shape that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from inertial_check.documents import poses
from inertial_check.documents.context import Context
from inertial_check.documents.model import (
    Body,
    ClosedLoop,
    Joint,
    Mimic,
    Misreading,
    Model,
    NamedFrame,
    Pose,
    Problem,
    ProblemKind,
    Role,
    RootPose,
    Shape,
)
from inertial_check.documents.numbers import parse_finite, parse_number, parse_optional, quote
from inertial_check.documents.sdf import LATEST, NAME, ROOTS, SEPARATOR
from inertial_check.documents.sdf.includes import Library, NotIncluded, minor_version
from inertial_check.documents.sdf.links import LinkReader, is_true, word
from inertial_check.documents.source import Source
from inertial_check.documents.xml.document import XmlDocument, make_steps, parse
from inertial_check.documents.xml.markup import Element

_WITHOUT_LIMITS = "continuous"
_MIMIC = ("multiplier", "offset", "reference")
_UNLIMITED = 1e16
"""Limit of position [rad] or [m] from which on there is none; SDF wrote 1e16 before version 1.9."""


def read_joint(
    document: XmlDocument, element: Element, kind: str, scoped: Callable[[str], str], one_axis: bool
) -> Joint:
    """Read one joint.

    Args:
        document: The document that contains the joint.
        element: The joint.
        kind: Type of the joint.
        scoped: Function that makes the name of a joint unique among all models.
        one_axis: Whether joints of this type move about or along <axis> alone.
    """
    name = scoped(element.attributes.get("name", ""))
    axis = element.first("axis")
    if axis is None or not one_axis:
        return Joint(name, kind)
    inside = {tag: axis.first(tag) for tag in ("limit", "dynamics", "mimic")}

    def read(within: str, tag: str) -> float | None:
        around = inside[within]
        stated = None if around is None else around.first(tag)
        return parse_optional(word(document, stated)) if stated is not None else None

    lower, upper = (
        math.copysign(math.inf, value) if value is not None and abs(value) >= _UNLIMITED else value
        for value in (read("limit", "lower"), read("limit", "upper"))
    )
    if kind == _WITHOUT_LIMITS:
        lower, upper = -math.inf, math.inf
    velocity, effort = (  # a negative number means that there is no limit
        math.inf if value is not None and value < 0 else value
        for value in (read("limit", "velocity"), read("limit", "effort"))
    )
    mimic, follows = None, inside["mimic"]
    if follows is not None:  # multiplier (q - reference) + offset, with libsdformat's defaults
        texts = (word(document, follows.first(tag)) for tag in _MIMIC)
        multiplier, offset, reference = (parse_number(text)[0] if text else 0.0 for text in texts)
        other = scoped(follows.attributes.get("joint", ""))
        mimic = Mimic(other, multiplier, offset - multiplier * reference)
    return Joint(
        name,
        kind,
        lower,
        upper,
        velocity=velocity,
        effort=effort,
        damping=read("dynamics", "damping"),
        friction=read("dynamics", "friction"),
        mimic=mimic,
    )


WORLD_FRAME = ""
"""Name of the world frame."""

_COUNTS = {"euler_rpy": 6, "quat_xyzw": 7}
"""Number of numbers in a <pose>, by its rotation_format."""


class Stand(NamedTuple):
    """Stated pose of the frame of an element.

    Attributes:
        document: The document that contains the element.
        pose: The first <pose> in the element; None for the identity.
        base: Name of the frame to which the pose is relative; None if it is unknown.
    """

    document: XmlDocument
    pose: Element | None
    base: str | None


class Frames:
    """Graph of the frames of bodies that joints may connect. Poses are parsed when first used.

    The pose of each frame is stored relative to an anchor: the frame of the model around it, or a
    frame on the way there whose own pose is unknown. So no digits are lost to the place of the
    model in the world.
    """

    def __init__(self) -> None:
        self._stands: dict[str, Stand | None] = {}  # of links and models; None for several
        self._marks: dict[str, Stand] = {}  # of joints and <frame>
        self._models = {WORLD_FRAME}
        self._steps: dict[str, tuple[str, Pose] | None] = {}
        self._anchored: dict[str, tuple[str, Pose]] = {}

    def add_link(self, name: str, stand: Stand) -> None:
        """Add a link; if two links share a name, the poses of both are unknown."""
        self._stands[name] = None if name in self._stands else stand

    def add_model(self, name: str, stand: Stand) -> None:
        """Add a model, whose frame serves as an anchor."""
        self.add_link(name, stand)
        self._models.add(name)

    def add_mark(self, name: str, stand: Stand) -> None:
        """Add a joint or a <frame>, which could share its name with a link before SDF 1.7."""
        self._marks.setdefault(name, stand)

    def pose(self, parent: str, child: str) -> Pose | None:
        """Compute X_PB of a child's frame B in its parent's frame P; None if it is unknown."""
        anchor, X_AP = self._anchor(parent)
        other, X_AB = self._anchor(child)
        if anchor == other:
            return poses.product(poses.inverse(X_AP), X_AB)
        known = dict(self._outward(parent))
        for anchor, X_AB in self._outward(child):
            if anchor in known:
                return poses.product(poses.inverse(known[anchor]), X_AB)
        return None

    def locate(self, name: str, stand: Stand) -> Pose | None:
        """Compute X_BF of a frame F with this stated pose in a named frame B; None if unknown."""
        X_SF = None if stand.base is None else read_pose(stand)
        if X_SF is None or stand.base is None or stand.base == name:
            return X_SF
        X_BS = self.pose(name, stand.base)
        return None if X_BS is None else poses.product(X_BS, X_SF)

    def _outward(self, name: str) -> Iterator[tuple[str, Pose]]:
        """Follow the anchors of a frame outward, with the pose of the frame in each."""
        seen: set[str] = set()
        anchor, X_AF = self._anchor(name)
        while anchor not in seen:
            seen.add(anchor)
            yield anchor, X_AF
            step = self._step(anchor)
            if step is not None:
                base, X_BA = step
                anchor, X_NB = self._anchor(base)
                X_AF = poses.product(X_NB, poses.product(X_BA, X_AF))

    def _anchor(self, name: str) -> tuple[str, Pose]:
        """Find the anchor of a frame, and the pose of the frame in it."""
        chain: dict[str, Pose] = {}
        while name not in self._anchored:
            step = None if name in self._models else self._step(name)
            if step is None:
                self._anchored[name] = (name, poses.SAME_FRAME)
            elif name in chain:  # a circle: each of its frames is its own anchor
                for each in chain:
                    self._anchored[each] = (each, poses.SAME_FRAME)
                chain.clear()
            else:
                base, chain[name] = step
                name = base
        anchor, X_AF = self._anchored[name]
        for each, X_BF in reversed(chain.items()):
            X_AF = poses.product(X_AF, X_BF)
            self._anchored[each] = anchor, X_AF
        return anchor, X_AF

    def _step(self, name: str) -> tuple[str, Pose] | None:
        """Return the frame to which a frame is relative, and its pose there."""
        if name not in self._steps:
            stand = self._stands[name] if name in self._stands else self._marks.get(name)
            pose = None if stand is None or stand.base is None else read_pose(stand)
            base = None if stand is None else stand.base
            self._steps[name] = None if base is None or pose is None else (base, pose)
        return self._steps[name]


def read_pose(stand: Stand) -> Pose | None:
    """Parse the numbers of a <pose>; None if it states no pose."""
    pose = stand.pose
    if pose is None:
        return poses.SAME_FRAME
    count = _COUNTS.get(pose.attributes.get("rotation_format", "euler_rpy").strip())
    text = word(stand.document, pose)
    if not text or count is None:
        return None if count is None else poses.SAME_FRAME
    values = parse_finite(text, count)
    if values is None:
        return None
    x, y, z, *axes = values
    if count == 7:
        rotation = poses.from_quaternion(*axes)
    else:
        degrees = is_true(pose.attributes.get("degrees", ""))
        rotation = poses.from_rpy(*(map(math.radians, axes) if degrees else axes))
    return None if rotation is None else Pose((x, y, z), rotation)


_OLDEST = 2
"""Minor version of SDF 1.2, the oldest version that is read here."""

_REFUSED = Misreading(("sdformat",), said="Unable to convert from SDF version")

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
    # The shapes of each body in their scope, and its name.
    shaped: list[tuple[list[Element], _Scope, str]] = field(default_factory=list)


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
        named = [*document.root.all("world"), *document.root.all("model")]
        # The <frame> elements that are attached to links, and the poses of the links that no link
        # carries, as far as they are known.
        frames: list[NamedFrame] = []
        placed: list[RootPose] = []
        roots = {body.id for body in bodies if body.parent is None}
        for group, links in self._tied:
            for name in group.named:
                link = _target(name, links, group.aliases)
                known = link in links and name not in links
                X_BF = group.frames.pose(link, name) if known else None
                if X_BF is not None and poses.is_finite(X_BF):
                    frames.append(NamedFrame(name, links[link], X_BF))
            for name, id_ in links.items():
                X_WB = group.frames.pose(WORLD_FRAME, name) if id_ in roots else None
                if X_WB is not None and poses.is_finite(X_WB):
                    placed.append(RootPose(id_, X_WB))
        return Model(
            document.source,
            NAME,
            named[0].attributes.get("name", "") if named else "",
            bodies,
            problems,
            others,
            loops=loops,
            frames=tuple(frames),
            roots=tuple(placed),
        )

    def _note_version(self, document: XmlDocument) -> None:
        root = document.root
        written = root.attributes.get("version")
        minor = minor_version(written or "")
        known = minor is not None and _OLDEST <= minor <= LATEST
        if root.tag != "sdf":
            message = (
                f"<{root.tag}>, as before SDF 1.2, which libsdformat no longer reads: write <sdf>"
            )
            place = document.tag_span(root)
            self._problems.append(Problem("differs", message, place, (_REFUSED,)))
        if known and written == f"1.{minor}":
            return
        what = "names no version" if written is None else f"has version {quote(written)}"
        message = (
            f"<{root.tag}> {what}, and is read as 1.{LATEST}; engines may refuse it: write the "
            f"version that it is made for, 1.{_OLDEST} to 1.{LATEST}"
        )
        if known:
            message = f"libsdformat refuses version {quote(written or '')}: write 1.{minor}"
        refused = (_REFUSED,) if written is not None else ()
        kind: ProblemKind = "differs" if known else "repair"
        self._problems.append(Problem(kind, message, document.tag_span(root), refused))

    def _problem(self, scope: _Scope, element: Element, message: str, kind: ProblemKind) -> None:
        self._problems.append(Problem(kind, message, scope.document.tag_span(element)))

    def _skip(self, scope: _Scope, element: Element, reason: str, unread: bool = True) -> None:
        """Note an element that is not read, and why."""
        message = f"<{element.tag}> is skipped, and its links are not checked: {reason}"
        self._problem(scope, element, message, "unread" if unread else "reference")

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
                # A population distributes its models at random.
                frame = WORLD_FRAME if child.tag == "world" else None
                inner = replace(scope, id=f"{scope.id}/{step}", depth=scope.depth + 1, frame=frame)
                self._holder(child, inner)
            else:
                self._child(child, replace(scope, id=f"{scope.id}/{step}"))
            if alone:
                self._tie()

    def _child(self, element: Element, scope: _Scope) -> None:
        """Read an element of a model or a world; the id of the scope is that of the element."""
        readers: dict[str, Callable[[Element, _Scope], None]] = {
            "model": self._model,
            "include": self._include,
            "link": self._link,
            "joint": self._joint,
            "frame": self._frame,
        }
        readers[element.tag](element, scope)

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
            if len(name) > _LONGEST_NAME:
                what = f"<model> has a name of {len(name)} characters, of which the first are shown"
                what += f": shorten it to at most {_LONGEST_NAME}"
                self._problem(outer, model, what, "repair")
            own = outer.scope_name(name[:_LONGEST_NAME])
            frame = own if name else frame
        stand = given.stand or outer.stand(model, outer.frame)
        if model.attributes.get("placement_frame"):
            stand = stand._replace(base=None)  # the pose of the model is unknown
        self._group.frames.add_model(frame, stand)
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
        for child in model.children:
            if child.tag not in _READ and child.tag.lower() in _READ:
                message = f"engines ignore <{child.tag}>: write <{child.tag.lower()}>"
                self._problem(scope, child, message, "malformed")
        # Make the model's name an alias of the link to which its frame is attached.
        canonical = model.attributes.get("canonical_link")
        if canonical:
            self._group.aliases.setdefault(scope.names, scope.scope_name(canonical))
        elif len(self._bodies) > before:
            self._group.aliases.setdefault(scope.names, self._bodies[before].name)

    def _include(self, include: Element, scope: _Scope) -> None:
        document = scope.document
        texts = {tag: word(document, include.first(tag)) for tag in ("uri", "name", "static")}
        # Without a pose of the include, the model's own pose counts.
        stand = scope.stand(include, scope.frame)
        unknown = stand._replace(base=None) if include.all("placement_frame") else None
        given = _IncludeSettings(
            texts["name"] or None,
            texts["static"] or None,
            is_true(include.attributes.get("merge", "")),
            unknown or (None if stand.pose is None else stand),
        )
        try:
            self._follow_include(include, texts["uri"], given, scope)
        except NotIncluded as reason:
            self._skip(scope, include, str(reason), reason.unread)
        for child in include.children:
            if child.tag == "experimental:params":
                message = (
                    "the changes that <experimental:params> makes to the included model are not "
                    "made here; its links are checked as their own file states them"
                )
                self._problem(scope, child, message, "reference")

    def _follow_include(
        self, include: Element, uri: str, given: _IncludeSettings, scope: _Scope
    ) -> None:
        """Read the model that an include names.

        Raises:
            NotIncluded: The model cannot be included.
        """
        path = scope.document.source.path
        found = self._library.find(uri, None if path.startswith("<") else path)
        if found.remark is not None:
            self._problem(scope, include, found.remark, "reference")
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
        inertial, origin, problems = LinkReader(scope.document, link, name).read()
        self._group.frames.add_link(name, scope.stand(link, scope.frame))
        self._bodies.append(
            Body(
                name,
                scope.id,
                scope.document.element_span(link),
                None,
                not scope.static,
                inertial,
                problems,
                inertia_from=origin,
            )
        )
        # Shapes may stand relative to frames that follow.
        shapes = [child for child in link.children if child.tag in _SHAPE_ROLES]
        self._group.shaped.append((shapes, scope, name))

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
                # Describe a joint that is left out of the tree, as another one holds its child.
                name = closing.scope.scope_name(closing.element.attributes.get("name", ""))
                stand = closing.scope.stand(closing.element, closing.frame)
                X_BJ = group.frames.locate(closing.child, stand)
                frame = poses.place_joint(closing.type, X_BJ, _axis(closing, group.frames))
                self._loops.append(
                    ClosedLoop(name, closing.type, (closing.parent, closing.child), frame)
                )
        for index, (elements, scope, link) in enumerate(group.shaped, first):
            stands = ((each, scope.stand(each, link)) for each in elements)
            shapes = tuple(read_shape(*stand, link, group.frames) for stand in stands)
            self._bodies[index] = self._bodies[index]._replace(shapes=shapes)
        for index, body in enumerate(self._bodies[first:], first):
            if body.moved and body.name in holding:
                held = holding[body.name]
                joint_scope, one_axis = held.scope, held.type in _ONE_AXIS
                read = read_joint(
                    joint_scope.document, held.element, held.type, joint_scope.scope_name, one_axis
                )
                above = links.get(held.parent)
                self._bodies[index] = body._replace(
                    joint=held.type,
                    moved=held.type != "fixed",
                    parent=above,
                    X_PB=group.frames.pose(held.parent, held.child) if above else None,
                    axis_B=_axis(held, group.frames),
                    p_BoJo_B=_point(held, group.frames),
                    joints=(read,),
                )


def _axis(joint: _TiedJoint, frames: Frames) -> poses.Vector | None:
    """Compute the axis of a joint in the frame of its child; None if it has not exactly one."""
    if joint.type not in _ONE_AXIS:
        return None
    scope, axis = joint.scope, joint.element.first("axis")
    xyz = None if axis is None else axis.first("xyz")
    values = parse_finite(word(scope.document, xyz) or _AXIS, 3)
    direction = None if values is None else poses.unit(values)
    X_BE = _axis_frame(joint, axis, xyz, frames)
    if direction is None or X_BE is None:
        return None
    x, y, z = poses.rotate(X_BE.R_PB, direction)
    return (-x, -y, -z) if joint.turned else (x, y, z)


def _point(joint: _TiedJoint, frames: Frames) -> poses.Vector | None:
    """Compute the origin of a joint with one axis, in the frame of its child."""
    if joint.type not in _ONE_AXIS:
        return None
    X_BJ = frames.locate(joint.child, joint.scope.stand(joint.element, joint.frame))
    return None if X_BJ is None else X_BJ.p_PoBo_P


def _axis_frame(
    joint: _TiedJoint, axis: Element | None, xyz: Element | None, frames: Frames
) -> Pose | None:
    """Compute the pose of the frame in which a joint's axis is given, in its child's frame."""
    scope, in_model = joint.scope, False
    named = "" if xyz is None else xyz.attributes.get("expressed_in", "")
    # Up to SDF 1.6 an axis could be given in the frame of the model.
    minor = minor_version(scope.document.root.attributes.get("version", ""))
    if axis is not None and minor is not None and minor <= _LAST_IN_MODEL:
        written = word(scope.document, axis.first("use_parent_model_frame"))
        in_model = is_true(written) if written else minor <= _LAST_ALWAYS_IN_MODEL
    if not named and not in_model:
        return frames.locate(joint.child, scope.stand(joint.element, joint.frame))
    frame = scope.frame_of(named) if named else scope.frame
    return None if frame is None else frames.pose(joint.child, frame)


def _target(name: str, links: Container[str], aliases: dict[str, str]) -> str:
    """Resolve a scoped name to a link, by way of frames and models."""
    for _ in range(_MOST_HOPS):
        name = name.removesuffix(f"{SEPARATOR}{_OWN_FRAME}")
        if name in links or name not in aliases:
            break
        name = aliases[name]
    return name


_FORMS: poses.Forms = {
    **poses.COMMON_FORMS,
    "ellipsoid": (("radii", 3),),
    "cone": (("radius", 1), ("length", 1)),
    "mesh": (),
    "plane": (),
    "heightmap": (),
}
"""Elements that state the dimensions of each kind of shape."""

_UNMEASURED = {
    "polyline": "an extruded outline, which is not read here: export it as a mesh",
    "image": "made of an image, which is not read here: export it as a mesh",
    "empty": "no shape",
}
"""Elements of <geometry> that have no dimensions, and what is said of them."""


def read_shape(element: Element, stand: Stand, link: str, frames: Frames) -> Shape:
    """Read one shape.

    Args:
        element: A <visual> or <collision>.
        stand: Its stated pose.
        link: Scoped name of its link.
        frames: Frames of the model.
    """
    document, role = stand.document, cast(Role, element.tag)
    span = document.element_span(element)
    # Find the first element of <geometry> that is not an extension of an engine.
    geometry = element.first("geometry")
    inside = () if geometry is None else geometry.children
    solid = next((child for child in inside if ":" not in child.tag), None)
    kind = "" if solid is None else solid.tag
    try:
        if solid is None:
            raise poses.Unusable(f"<{role}> has no <geometry> with a shape in it")
        X_BG = _pose(stand, link, frames)
        if kind in _UNMEASURED:
            raise poses.Unusable(f"<{kind}> is {_UNMEASURED[kind]}")
        dimensions = poses.read_dimensions(
            kind, _FORMS, "SDF", lambda name: word(document, solid.first(name)) or None, "<{}>"
        )
        uri, scale = (None, (1.0, 1.0, 1.0)) if kind != "mesh" else _mesh(document, solid)
        return poses.check_usable(Shape(kind, role, dimensions, *X_BG, span, uri, scale))
    except poses.Unusable as why:
        return poses.unusable_shape(kind, role, span, why)


def _pose(stand: Stand, link: str, frames: Frames) -> Pose:
    X_BG = frames.locate(link, stand)
    if X_BG is not None:
        return X_BG
    if stand.base is not None and read_pose(stand) is None:
        raise poses.Unusable("its <pose> is none: write x y z roll pitch yaw, or x y z qx qy qz qw")
    attributes = {} if stand.pose is None else stand.pose.attributes
    named = attributes.get("relative_to") or attributes.get("frame") or ""
    raise poses.Unusable(
        f"where {quote(named)}, to which its <pose> is relative, stands cannot be told"
    )


def _mesh(document: XmlDocument, mesh: Element) -> tuple[str, tuple[float, float, float]]:
    """Read the URI of a mesh and the factors on its coordinates."""
    uri = word(document, mesh.first("uri"))
    if not uri:
        raise poses.Unusable("<mesh> has no uri")
    submesh = mesh.first("submesh")
    if submesh is not None:
        name = quote(word(document, submesh.first("name")))
        raise poses.Unusable(f"<submesh> {name}: parts of a mesh file are not told apart here")
    text = word(document, mesh.first("scale"))
    return uri, poses.parse_factors(text, "<scale> of <mesh>") if text else (1.0, 1.0, 1.0)
