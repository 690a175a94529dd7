"""Reader of the bodies of a composed stage, with the places of their mass properties.

The USD library composes the stage, but the numbers are those written in its text layers. In a
binary layer a number has no place, and its text is the shortest decimal of the same float32.

Client of the process that composes USD stages; the process is started again if it ends.

Reader of the limits, friction and rotors of the joints of a stage, and of joints they follow.

Angles are in degrees, lengths and masses in units of the stage. The attributes are those of
UsdPhysics, Newton, PhysX and MuJoCo; the first one that is authored counts.

Reader of the gprims of a stage, in the frames of their bodies.

A gprim that cannot be read carries the reason; it is no problem of the document.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from inertial_check.documents import poses
from inertial_check.documents.children import ChildClient, answer_seconds, open_child
from inertial_check.documents.context import Context, note_child_lookups, note_other_inputs
from inertial_check.documents.files.access import JsonObject, read_regular
from inertial_check.documents.model import (
    Body,
    ClosedLoop,
    How,
    Joint,
    LoopFrame,
    Mimic,
    Model,
    Pose,
    Problem,
    ProblemKind,
    Role,
    RootPose,
    Shape,
    Stage,
    Unjudged,
)
from inertial_check.documents.source import Source, Span
from inertial_check.documents.usd import NAME, SUFFIXES, TEXT
from inertial_check.documents.usd.masses import MassReader, TextLayer, TextLayers
from inertial_check.errors import DocumentError
from inertial_check.inertia.tolerances import USD_SCALE_NOISE

_UNSCALED = (1.0, 1.0, 1.0)
"""Scale of the world."""

_UNITS = {"metersPerUnit": "meters", "kilogramsPerUnit": "kilograms"}
"""Units that a stage declares; each is a key of what the process that composes it answers."""

_LARGEST_UNIT = 1e30
"""Largest unit of length or mass [m, kg], and the inverse of the smallest: moments of inertia in
units beyond these are beyond float64."""

_ONE_AXIS = frozenset(("revolute", "prismatic"))
_LETTERS = ("X", "Y", "Z")
_COUNTED = ("physics:mass", "physics:diagonalInertia", "newton:inertia")
_OVERRIDDEN = "a stronger opinion, or the mass of its body, stands in for it"
_NO_BODY = "its prim is not in a rigid body, or engines ignore its mass"

_MUJOCO_SETTINGS: Mapping[str, tuple[str | float, ...]] = {
    "balanceInertia": (False,),
    "boundInertia": (0,),
    "boundMass": (0,),
    "inertiaFromGeom": ("auto", "false"),
    "setTotalMass": (-1, 0),
}
"""Settings by which MuJoCo's reader of USD leaves the written numbers, and the values by which it
does not."""

_SHOWN = 3
"""Number of composition errors that a message shows; the others are counted."""

_INTRODUCED = re.compile(r" introduced by @(?P<layer>[^@]*)@<(?P<prim>[^>]*)>")


_SCRIPT = os.path.join(os.path.dirname(__file__), "stage.py")
_MEMORY = "1 GB"
"""Memory that a stage may take, which stage.py limits."""

# The library reads its settings from the environment: the caller's could name plugins to load.
_SETTINGS = {"PXR_WORK_THREAD_LIMIT": "1"}


def compose_stage(source: Source, context: Context, whole: bool = True) -> JsonObject:
    """Compose the stage of a layer and describe its bodies, shapes and joints, as stage.py does.

    Args:
        source: The layer; its bytes count, not those on the disk.
        context: Bytes of layers to which it refers, in place of those on the disk.
        whole: Whether to describe the shapes and joints, too, as members of the description. If
            that ends the process, they say so, and the bodies are described alone.

    Raises:
        DocumentError: The library cannot read the layer, or reading it ended the process.
    """
    answer = _ask(source, context, whole)
    if isinstance(answer, str) and whole:
        refused = {"refused": answer}
        answer = _ask(source, context, whole=False)
        if not isinstance(answer, str):
            answer |= {"shapes": refused, "joints": refused}
    if isinstance(answer, str):
        note_other_inputs()
        raise DocumentError(source.path, answer)
    _expect_description(source, answer)
    note_child_lookups((path.partition("[")[0] for path in answer["used"]), answer["complete"])
    return answer


def _expect_description(source: Source, described: JsonObject) -> None:
    """Check that a stage, its shapes or its joints could be described.

    Raises:
        DocumentError: The description says why they cannot be read.
    """
    if "refused" in described:
        note_other_inputs()
        raise DocumentError(source.path, described["refused"])
    if "error" in described:
        reason = f"no USD layer: {described['error']}"
        raise DocumentError(source.path, reason, described["line"], described["column"])


def _ask(source: Source, context: Context, whole: bool) -> JsonObject | str:
    """Ask the process to describe a stage; return its answer, or why there is none."""
    granted = context.of_document(source.path).granted
    data: bytes | None = source.data
    if not source.data.startswith(TEXT) and source.path.endswith(SUFFIXES):
        with suppress(OSError, ValueError):  # a binary layer is not sent along if it is on the disk
            if read_regular(source.path, len(source.data)) == source.data:
                data = None
    overlay = context.overlay
    blobs = [*([] if data is None else [data]), *overlay.values()]
    request = {
        "path": os.path.abspath(source.path),
        "size": None if data is None else len(data),
        "whole": whole,
        "scale_noise": USD_SCALE_NOISE,
        "roots": None if granted.follow_outside else granted.list_roots(),
        "overlay": [(os.path.abspath(other), len(blob)) for other, blob in overlay.items()],
    }
    line = json.dumps(request).encode() + b"\n"
    seconds = answer_seconds(granted.limits)
    return _ComposingProcess.current().ask(line + b"".join(blobs), seconds)


class _ComposingProcess(ChildClient):
    """A process that composes stages; one thread at a time sends it a request."""

    _folder = ""

    def ask(self, request: bytes, seconds: float) -> JsonObject | str:
        """Send a request; return the answer, or why there is none within the time [s]."""
        with self.exchange() as process:
            stopped = threading.Event()

            def stop() -> None:
                stopped.set()
                process.kill()

            timer = threading.Timer(seconds, stop)
            timer.daemon = True
            timer.start()
            line = b""  # only a part of the answer if the process ends before
            try:
                if process.stdin is not None and process.stdout is not None:
                    process.stdin.write(request)
                    process.stdin.flush()
                    line = process.stdout.readline()
            except OSError:
                pass
            finally:
                timer.cancel()
            if line.endswith(b"\n"):
                answer: JsonObject = json.loads(line)
                if answer["last"]:
                    self.close()
                return answer
            code = process.wait()
            self.close()
        if stopped.is_set():
            return (
                f"not read within {seconds:g} s: damaged, or with references that multiply? "
                "--timeout raises the limit, a third of the time for a document"
            )
        reason = f"it may be damaged, or need more than {_MEMORY} of memory"
        return f"the USD library ended reading it (exit code {code}): {reason}"

    def _start(self) -> subprocess.Popen[bytes]:
        # Created here, because a process that is killed would leave its folder behind.
        self._folder = tempfile.mkdtemp(prefix="inertial-check-")
        code = f"import runpy; runpy.run_path({_SCRIPT!r}, run_name='__main__')"
        return open_child(code, self._folder, environment=_SETTINGS)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)


def read_model(source: Source, context: Context) -> Model:
    """Compose a stage and read its bodies; arguments and errors are those of usd.read."""
    return _StageReader(source, context).model()


class _StageReader:
    """Makes a model of the description of a stage."""

    def __init__(self, source: Source, context: Context) -> None:
        self._source, self._context = source, context
        self._stage = stage = compose_stage(source, context)
        # Refuse a stage whose units no number can be converted from.
        for name, key in _UNITS.items():
            if not 1 / _LARGEST_UNIT <= stage[key] <= _LARGEST_UNIT:
                expected = f"expected {1 / _LARGEST_UNIT:g} to {_LARGEST_UNIT:g}"
                raise DocumentError(source.path, f"{name} is {stage[key]:g}: {expected}")
        self._layers = TextLayers(source, context, stage["layers"])
        self._frames = _JointFrames(stage)

    def model(self) -> Model:
        """Make the model."""
        joints = self._read_joints()
        bodies = self._place_shapes([self._body(body, joints) for body in self._stage["bodies"]])
        entries = [body for body in self._stage["bodies"] if body["joint"].get("parent") is None]
        poses = ((body["path"], self._frames.in_world(body)) for body in entries)
        # Masses in binary layers have no places: their prims tell them apart.
        hows: dict[str, How] = {
            body.id: "derived" if body.inertia_from == "geometry" else "written"
            for body in bodies
            if body.inertia_from == "geometry" or body.inertial is not None
        }
        masses: dict[tuple[str, str], How | Literal[""]] = {}
        unused, stage = [], self._stage
        for number, prim, owner in stage["masses"]:
            layer = self._layers.text(number)
            if layer is None:
                path = self._layers.display_path(self._stage["layers"][number])
                masses[path, prim] = hows.get(owner, "")
                continue
            reason = _OVERRIDDEN if owner in hows else _NO_BODY
            for name in _COUNTED:
                if (value := layer.places.values.get(f"{prim}.{name}")) is not None:
                    unused.append(Unjudged(layer.span(value.start, value.start), reason))
        return Model(
            self._source,
            NAME,
            self._stage["name"],
            bodies,
            tuple(self._problems(bodies)),
            tuple(self._layers.others),
            loops=tuple(self._frames.close(entry) for entry in self._stage["loops"]),
            roots=tuple(RootPose(path, X_WB) for path, X_WB in poses if X_WB is not None),
            unjudged=tuple(unused),
            binary=tuple((*place, how) for place, how in masses.items()),
            stage=Stage(
                stage["meters"],
                stage["meters"] if stage["meters_written"] else 1.0,
                stage["kilograms"],
                stage["up"],
                *(stage["seconds"][0], stage["seconds"][1]),
                stage["name"],
            ),
        )

    def _problems(self, bodies: Sequence[Body]) -> Iterator[Problem]:
        errors = self._stage["errors"]
        if errors:
            kind: ProblemKind = "unread" if self._stage["misses_outside"] else "reference"
            folder = os.path.dirname(os.path.abspath(self._source.path)) + "/"
            shown = "; ".join(" ".join(error.split()).rstrip(".") for error in errors[:_SHOWN])
            more = f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else ""
            message = (
                f"not composed as a whole: {shown.replace(folder, '')}{more}: what stands there "
                "was not checked; write paths that exist"
            )
            # The prim that refers to a missing file or prim, if the first error names it.
            match, span = _INTRODUCED.search(errors[0]), Span(0, 0)
            if match:
                span = self._find_prim(self._layers.find(match["layer"]), match["prim"])
            yield Problem(kind, message, span)
        for path, name, variant in self._stage["selected"]:
            yield Problem(
                "repair",
                f"no variant of {name} is selected at {path}, and without one the stage has no "
                "body: programs that load it select one, and it is read here as "
                f'{variant}: write variants = {{ string {name} = "{variant}" }}',
                self._find_prim(self._layers.text(0), path),
            )
        sized = any(body.inertial is not None and body.inertial.I_BBcm_Bi for body in bodies)
        if sized and not self._stage["meters_written"]:
            yield Problem(
                "repair",
                "metersPerUnit is not written: USD and PhysX take 0.01 (centimetres), as here, "
                "Newton takes 1: write metersPerUnit",
                Span(0, 0),
            )
        for name, value, number, path in self._stage["settings"]:
            if name in _MUJOCO_SETTINGS and json.loads(value) not in _MUJOCO_SETTINGS[name]:
                yield Problem(
                    "engine",
                    f"mjc:compiler:{name} is {value}: MuJoCo uses other numbers than those that "
                    "are written, which are judged here: leave it out",
                    self._find_prim(self._layers.text(number), path.rpartition(".")[0]),
                )

    @staticmethod
    def _find_prim(layer: TextLayer | None, path: str) -> Span:
        """Find a prim in a text layer; else the beginning of the document."""
        place = layer.places.prims.get(path) if layer else None
        return layer.span(*place) if layer and place else Span(0, 0)

    def _body(self, body: JsonObject, joints: Mapping[str, Joint]) -> Body:
        span = self._place(body)
        reader = MassReader(body, span, self._layers)
        inertial, origin = reader.inertial(self._stage["kilograms"], self._stage["meters"])
        spellings = tuple(reader.spellings())
        driven = body["enabled"] and not body["kinematic"]
        joint = body["joint"]
        held = joints.get(joint.get("path", ""))
        if held is None and joint["type"]:  # the joints could not be described
            held = Joint(joint["path"].rpartition("/")[2], joint["type"])
        return Body(
            name=body["name"],
            id=body["path"],
            span=span,
            joint=joint["type"],
            moved=driven and joint["type"] != "fixed",
            inertial=inertial,
            problems=tuple(sorted(reader.problems, key=lambda problem: problem.span)),
            inertia_from=origin,
            parent=joint.get("parent"),
            X_PB=self._frames.pose(body["path"], joint),
            axis_B=self._frames.axis(body["path"], joint),
            p_BoJo_B=self._frames.point(body["path"], joint),
            joints=() if held is None else (held,),
            spellings=spellings,
        )

    def _place(self, body: JsonObject) -> Span:
        """Find where a body is defined in a text layer, or its nearest parent in the root layer."""
        for defined in (True, False):
            for number, path, is_def in body["places"]:
                layer = self._layers.text(number) if is_def or not defined else None
                if layer is not None and path in layer.places.prims:
                    return layer.span(*layer.places.prims[path])
        root, path = self._layers.text(0), body["path"]
        while root is not None and path:
            if path in root.places.prims:
                return root.span(*root.places.prims[path])
            path = path.rpartition("/")[0]
        return Span(0, 0)

    def _place_shapes(self, bodies: Sequence[Body]) -> tuple[Body, ...]:
        """Give bodies their shapes; if they cannot be read, one shape that says why."""
        described = self._stage["shapes"]
        try:
            _expect_description(self._source, described)
        except DocumentError as error:
            why = error.reason
            return tuple(
                body._replace(shapes=(poses.unusable_shape("", "visual", body.span, why),))
                for body in bodies
            )
        found: dict[str, list[Shape]] = {}
        layers = described["layers"]
        for entry in described["shapes"]:
            places = (
                self._layers.span_of(layers[number], path) for number, path in entry["places"]
            )
            span = next((span for span in places if span is not None), Span(0, 0))
            shape = _shape(entry, self._stage["meters"], span)
            found.setdefault(entry["body"], []).append(shape)
        return tuple(body._replace(shapes=tuple(found.get(body.id, ()))) for body in bodies)

    def _read_joints(self) -> Mapping[str, Joint]:
        """Read the joints of the stage by their paths; none if they cannot be read."""
        try:
            _expect_description(self._source, self._stage["joints"])
        except DocumentError:
            return {}
        kilograms, meters = self._stage["kilograms"], self._stage["meters"]
        units = {kind: _units(kind, kilograms, meters) for kind in ("revolute", "prismatic")}
        entries = self._stage["joints"]["joints"]
        return {entry["path"]: _joint(entry, units.get(entry["type"])) for entry in entries}


class _JointFrames:
    """Computes poses and axes from the frames of the joints of a stage."""

    def __init__(self, stage: JsonObject) -> None:
        self._meters = stage["meters"]
        self._scales = {body["path"]: body["scale"] for body in stage["bodies"]}

    def pose(self, body: str, joint: JsonObject) -> Pose | None:
        """Compute the pose of a body in its parent at which the joint's two frames coincide."""
        if joint.get("parent") is None:
            return None
        X_PJ = self._frame(joint["parent"], joint["base"])
        X_BJ = self._frame(body, joint["frame"])
        if X_PJ is None or X_BJ is None:
            return None
        X_PB = self._convert(poses.product(X_PJ, poses.inverse(X_BJ)))
        return X_PB if poses.is_finite(X_PB) else None

    def in_world(self, body: JsonObject) -> Pose | None:
        """Compute the pose of a root in the world where its joint, if any, is at zero [m]."""
        joint, numbers = body["joint"], body["placed"]
        X_WB: Pose | None = Pose(
            tuple(numbers[3::4]), (tuple(numbers[0:3]), tuple(numbers[4:7]), tuple(numbers[8:11]))
        )
        if "base" in joint:
            X_WJ, X_BJ = self._frame("", joint["base"]), self._frame(body["path"], joint["frame"])
            X_WB = (
                None if X_WJ is None or X_BJ is None else poses.product(X_WJ, poses.inverse(X_BJ))
            )
        return None if X_WB is None or not poses.is_finite(X_WB) else self._convert(X_WB)

    def close(self, joint: JsonObject) -> ClosedLoop:
        """Describe a joint that is left out of the tree."""
        parent, child = joint.get("parent", ""), joint["child"]
        sides = [self._frame(parent, joint["base"]), self._frame(child, joint["frame"])]
        holds, letter = poses.HOLDS.get(joint["type"]), joint["axis"]
        frame = None
        if holds and letter in _LETTERS and all(X and poses.is_finite(X) for X in sides):
            shift = _LETTERS.index(letter) + 1  # makes the axis of the joint the last one
            first, second = (
                (X.p_PoBo_P, tuple((*row[shift:], *row[:shift]) for row in X.R_PB))
                for X in map(self._convert, filter(None, sides))
            )
            frame = LoopFrame(first, second, holds)
        ends = [path.rpartition("/")[2] or "world" for path in (parent, child)]
        name = joint["path"].rpartition("/")[2]
        return ClosedLoop(name, joint["type"], (ends[0], ends[1]), frame, (parent, child))

    def _convert(self, X: Pose) -> Pose:
        """Convert a pose from units of the stage to metres."""
        x, y, z = X.p_PoBo_P
        return Pose((self._meters * x, self._meters * y, self._meters * z), X.R_PB)

    def axis(self, body: str, joint: JsonObject) -> poses.Vector | None:
        """Compute the axis of a joint in the frame of the body that it moves."""
        X_BJ = self._axis_frame(body, joint)
        if X_BJ is None or joint["axis"] not in _LETTERS:
            return None
        x, y, z = (row[_LETTERS.index(joint["axis"])] for row in X_BJ.R_PB)
        return (-x, -y, -z) if joint["turned"] else (x, y, z)

    def point(self, body: str, joint: JsonObject) -> poses.Vector | None:
        """Compute the origin of a joint in the frame of the body that it moves [m]."""
        X_BJ = self._axis_frame(body, joint)
        return None if X_BJ is None else self._convert(X_BJ).p_PoBo_P

    def _axis_frame(self, body: str, joint: JsonObject) -> Pose | None:
        """Compute the frame of a joint with one axis; None if it has not one or is not finite."""
        X_BJ = self._frame(body, joint["frame"]) if joint["type"] in _ONE_AXIS else None
        return X_BJ if X_BJ is not None and poses.is_finite(X_BJ) else None

    def _frame(self, body: str, written: JsonObject) -> Pose | None:
        """Compute the frame of a joint in a body, whose frame has no scale, in units of the stage.

        By the rule of UsdPhysics the position has the scale of the prim that the joint names.
        """
        position, turn, within = written["position"], written["turn"], written["within"]
        if position is None or turn is None or (len(position), len(turn)) != (3, 4):
            return None
        w, x, y, z = turn
        rotation = poses.from_quaternion(x, y, z, w)
        if rotation is None:
            return None
        if within is None:
            x, y, z = map(float.__mul__, position, map(float, self._scales.get(body, _UNSCALED)))
            return Pose((x, y, z), rotation)
        stretched, offset = (within[0:3], within[4:7], within[8:11]), within[3::4]
        axes = [poses.unit(column) for column in zip(*stretched, strict=True)]
        if any(axis is None for axis in axes):
            return None
        x, y, z = map(float.__add__, poses.rotate(stretched, position), offset)
        return Pose((x, y, z), poses.compose(tuple(zip(*axes, strict=True)), rotation))


_DEGREE = math.radians(1.0)
"""One degree [rad]."""

DYNAMICS = {
    "damping": ("newton:damping", "mjc:damping"),
    "friction": ("newton:friction", "mjc:frictionloss"),
    "armature": ("newton:armature", "physxJoint:armature", "mjc:armature"),
}
"""Attributes of the numbers of a joint's dynamics; the first one that is authored counts."""


class _JointUnits(NamedTuple):
    """Sizes of the units of one type of joint, in the units of model.Joint."""

    position: float
    force: float
    damping: float
    armature: float


def _units(kind: str, kilograms: float, meters: float) -> _JointUnits:
    inertia = kilograms * meters * meters
    if kind == "revolute":
        return _JointUnits(_DEGREE, inertia, inertia, inertia)
    return _JointUnits(meters, kilograms * meters, kilograms, kilograms)


def find_unit(attribute: str, kind: str, kilograms: float, meters: float) -> float:
    """Find the unit of an attribute of DYNAMICS, in the units of model.Joint.

    Args:
        attribute: Name of the attribute.
        kind: Type of the joint, revolute or prismatic.
        kilograms: Unit of mass of the stage [kg].
        meters: Unit of length of the stage [m].
    """
    units = _units(kind, kilograms, meters)
    if attribute in DYNAMICS["friction"]:
        return units.force
    if attribute in DYNAMICS["armature"]:
        return units.armature
    per_degree = attribute == "newton:damping" and kind == "revolute"
    return units.damping / _DEGREE if per_degree else units.damping


def _joint(entry: JsonObject, units: _JointUnits | None) -> Joint:
    name, kind, values, mimic = (entry[key] for key in ("name", "type", "values", "mimic"))
    if units is None:
        return Joint(name, kind)

    def first(unit: float, *names: str) -> float | None:
        return next((unit * values[name] for name in names if name in values), None)

    drive = "angular" if kind == "revolute" else "linear"
    per_degree = units.damping / _DEGREE if kind == "revolute" else units.damping
    damping = first(per_degree, "newton:damping")
    return Joint(
        name,
        kind,
        first(units.position, "physics:lowerLimit"),
        first(units.position, "physics:upperLimit"),
        velocity=first(units.position, "newton:velocityLimit", "physxJoint:maxJointVelocity"),
        effort=first(units.force, f"drive:{drive}:physics:maxForce"),
        damping=first(units.damping, "mjc:damping") if damping is None else damping,
        friction=first(units.force, *DYNAMICS["friction"]),
        armature=first(units.armature, *DYNAMICS["armature"]),
        mimic=mimic
        and Mimic(
            mimic["joint"],
            # Between an angle and a length, the unit of a multiplier is unclear.
            mimic["multiplier"] if mimic["alike"] else math.nan,
            units.position * mimic["offset"],
        ),
    )


_KINDS = {
    "Cube": "box",
    "Sphere": "sphere",
    "Cylinder": "cylinder",
    "Cylinder_1": "cylinder",
    "Capsule": "capsule",
    "Capsule_1": "capsule",
    "Cone": "cone",
    "Mesh": "mesh",
    "Plane": "plane",
}
_ALONG_AN_AXIS = frozenset(("cylinder", "capsule", "cone", "plane"))
_ORDERS = {"X": (1, 2, 0), "Y": (2, 0, 1), "Z": (0, 1, 2)}
"""Axes of the gprim that become x, y and z of the shape, by the axis of the gprim."""


def _shape(entry: JsonObject, meters: float, span: Span) -> Shape:
    written: str = entry["kind"]
    kind = _KINDS.get(written, written)
    role: Role = "collision" if entry["collides"] else "visual"
    try:
        if written not in _KINDS:
            raise poses.Unusable(f"a {kind} is not read here: expected {', '.join(_KINDS)}")
        if kind == "mesh":
            raise poses.Unusable(
                "its points stand in the stage, not in a file, and are not read here"
            )
        X_BG, factors = _place(entry, kind, meters)
        kind, dimensions = _solid(entry, kind, factors)
        metres = tuple(meters * number for number in dimensions)
        return poses.check_usable(Shape(kind, role, metres, *X_BG, span))
    except poses.Unusable as why:
        return poses.unusable_shape(kind, role, span, why)


def _place(entry: JsonObject, kind: str, meters: float) -> tuple[Pose, poses.Vector]:
    """Compute X_BG, and the factors by which the axes of the shape are stretched."""
    rows = [entry["matrix"][at : at + 4] for at in (0, 4, 8)]
    order = _ORDERS.get(entry["axis"] if kind in _ALONG_AN_AXIS else "Z")
    if order is None:
        raise poses.Unusable(f"its axis is {entry['axis']}: expected X, Y or Z")
    columns = [[row[axis] for row in rows] for axis in order]
    x, y, z = (math.hypot(*column) for column in columns)
    if not all(0 < factor < math.inf for factor in (x, y, z)):
        raise poses.Unusable("it is scaled by 0, or by what is no number")
    units = [
        [entry / factor for entry in column]
        for column, factor in zip(columns, (x, y, z), strict=True)
    ]
    if any(abs(_dot(units[i], units[j])) > USD_SCALE_NOISE for i, j in ((0, 1), (0, 2), (1, 2))):
        raise poses.Unusable("it is sheared, and no longer what its type says: write it as a mesh")
    if _dot(units[2], poses.cross(units[0], units[1])) < 0:  # mirrored, which changes no shape here
        units[0] = [-entry for entry in units[0]]
    R_BG: poses.Rotation = tuple(zip(*units, strict=True))
    position = [meters * row[3] for row in rows]
    return Pose((position[0], position[1], position[2]), R_BG), (x, y, z)


def _solid(entry: JsonObject, kind: str, factors: poses.Vector) -> tuple[str, tuple[float, ...]]:
    """Compute the kind and the stretched dimensions, in units of the stage.

    A visual has the dimensions that are drawn. A collider has those of UsdPhysics, which stretches
    spheres, and other shapes across their axis, by the largest factor.
    """
    x, y, z = factors
    wide = max(x, y)
    if kind == "plane":
        return kind, ()
    if kind == "box":
        size = _size(entry, "size")
        return kind, (size * x, size * y, size * z)
    if kind == "sphere":
        radius = _size(entry, "radius")
        if entry["collides"] or _alike(x, y, z):
            return kind, (radius * max(wide, z),)
        return "ellipsoid", (radius * x, radius * y, radius * z)
    if not entry["collides"] and not (_alike(x, y, z) if kind == "capsule" else _alike(x, y)):
        raise poses.Unusable(f"it is stretched, and no longer a {kind}: write it as a mesh")
    if entry["sizes"].get("radius") is not None:
        found = _size(entry, "radius")
    else:
        top, bottom = _size(entry, "radiusTop"), _size(entry, "radiusBottom")
        if top != bottom:
            raise poses.Unusable("its ends have different radii: write it as a mesh")
        found = top
    return kind, (found * wide, _size(entry, "height") * z)


def _size(entry: JsonObject, name: str) -> float:
    value = entry["sizes"].get(name)
    if value is None or not 0 <= value < math.inf:
        raise poses.Unusable(f"its {name} is {value}: lengths are positive")
    return float(value)


def _alike(*factors: float) -> bool:
    return max(factors) - min(factors) <= USD_SCALE_NOISE * max(factors)


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
