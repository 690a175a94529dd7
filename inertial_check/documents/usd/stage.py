"""Script that composes USD stages and describes their bodies, shapes and joints as JSON.

It runs in a process of its own, which usd/reading.py starts, because a damaged binary file can end
the USD library together with its process. It reads a line of JSON and the blobs that the line
announces, answers with a line of JSON, and repeats this until its input ends. Its argument is an
empty folder. It imports nothing of this package.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import stat
import struct
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from pxr import Sdf, Usd


Value = Any  # Any: an attribute has a value of any type of USD
JsonObject = dict[str, Any]  # Any: values of JSON

_MEMORY = 1 << 30
"""Limit of the memory [bytes]; a damaged file may ask for terabytes, the largest stages need a few
hundred megabytes."""

_LARGE = f"needs more than {_MEMORY >> 20} MB of memory, and no robot model needs more"

_MOST_FILES = 512
"""Largest number of open files; the library keeps binary layers open."""

_MOST_LAYERS = 10_000
"""Largest number of layers that a stage may name; the largest name some hundred."""

_MOST_SELECTIONS = 64
"""Largest number of variants that are tried in a stage without bodies; each composes it again."""

_LONGEST = 300
"""Largest number of characters of a reason, since the library quotes whole lines."""

_FLOAT32 = 3.4028234663852886e38
"""Largest finite float32."""

_JOINT_ATTRIBUTES = (
    *("physics:lowerLimit", "physics:upperLimit"),
    *("drive:angular:physics:maxForce", "drive:linear:physics:maxForce"),
    *("newton:velocityLimit", "physxJoint:maxJointVelocity"),
    *("newton:armature", "physxJoint:armature", "mjc:armature"),
    *("newton:damping", "mjc:damping", "newton:friction", "mjc:frictionloss"),
)
"""Attributes of a joint that are read if they are authored."""

_PHYSICS = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
_ATTRIBUTES = (*(f"physics:{name}" for name in _PHYSICS), "newton:inertia")
"""Attributes of PhysicsMassAPI and NewtonMassAPI that are read."""

_SHELLS = ("newton:massModel", "newton:shellThickness", "mjc:shellinertia", "mjc:inertia")
"""Attributes of a collider that spread its mass over a shell instead of its volume."""

_MASS_APIS = ("PhysicsMassAPI", "NewtonMassAPI")
"""Schemas of those attributes; the second one applies the first where it is registered."""

_TRANSCODED = "tn__"
"""Beginning of the names of prims that encode names which USD does not take."""

_COMPILER = "mjc:compiler:"
"""Beginning of the names of MuJoCo's settings of its compiler."""

_TAPERED = ("radiusTop", "radiusBottom", "height")
_SIZES = {
    "Cube": ("size",),
    "Sphere": ("radius",),
    "Cylinder": ("radius", "height"),
    "Capsule": ("radius", "height"),
    "Cone": ("radius", "height"),
    "Cylinder_1": _TAPERED,
    "Capsule_1": _TAPERED,
}
"""Attributes that state the size of a gprim, by its type."""

_UNREADABLE = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL)
_BINARY = {b"PXR-USDC": "usdc", b"PK\3\4": "usdz"}


def main() -> None:
    """Answer requests until the input ends."""
    folder = sys.argv[1]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints must not mix with the answers
    _limit_resources()
    last = False
    while not last and (line := sys.stdin.buffer.readline()):
        answer = _answer(json.loads(line), sys.stdin.buffer, folder)
        from pxr import Sdf

        # A layer that is still loaded would be used for the next document with its path.
        last = not all(layer.anonymous for layer in Sdf.Layer.GetLoadedLayers())
        answers.write(json.dumps({**answer, "last": last}).encode() + b"\n")
        answers.flush()


def _limit_resources() -> None:
    """Limit the memory and the open files of this process, after it has loaded the library.

    The system limits addresses. Those that the library itself takes without using the memory there
    are added to the limit.
    """
    from pxr import Usd, UsdGeom, UsdPhysics  # noqa: F401

    if sys.platform == "win32":  # has no such limits
        return
    with contextlib.suppress(ValueError, OSError):  # macOS has no /proc and limits no addresses
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            addresses, used = (int(pages) for pages in file.read().split()[:2])
        unused = (addresses - used) * resource.getpagesize()
        for kind, value in (
            (resource.RLIMIT_AS, _MEMORY + unused),
            (resource.RLIMIT_NOFILE, _MOST_FILES),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(kind)[1]
            limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (limit, limit))


class _RefusedLayerError(Exception):
    """A layer that the document may not use."""


class _LayerGuard:
    """Decides which files may be opened as layers.

    Args:
        roots: Real paths of folders; None if files may lie anywhere.

    Attributes:
        misses_outside: Whether a layer that is not there would lie outside the folders.
    """

    def __init__(self, roots: list[str] | None) -> None:
        self._roots = roots
        self.misses_outside = False

    def open_dependencies(self, root: Sdf.Layer) -> list[Sdf.Layer]:
        """Open all layers that a layer names, and those that these name; each is checked before.

        The library would open them itself when it composes the stage, but whatever they are.

        Raises:
            _RefusedLayerError: The document may not use one of them, or there are too many.
        """
        from pxr import Sdf, Tf

        opened, pending, known = [root], [root], {root.identifier}
        variables = dict(root.pseudoRoot.GetInfo("expressionVariables") or {})
        while pending:
            layer = pending.pop()
            for written in layer.GetCompositionAssetDependencies():
                path = written
                if written.startswith("`"):  # an expression; nothing is opened if it fails
                    value = Sdf.VariableExpression(written).Evaluate(variables).value
                    path = value if isinstance(value, str) else ""
                identifier = Sdf.ComputeAssetPathRelativeToLayer(layer, path) if path else ""
                if not identifier or identifier in known:
                    continue
                known.add(identifier)
                if len(known) > _MOST_LAYERS:
                    most = f"names more than {_MOST_LAYERS} layers"
                    raise _RefusedLayerError(f"{most}, and no robot model needs more")
                found = Sdf.Layer.Find(identifier)
                if found is None and self._check_layer(identifier, path):
                    with contextlib.suppress(Tf.ErrorException):  # composing reports it
                        found = Sdf.Layer.FindOrOpen(identifier)
                if found is not None:
                    opened.append(found)
                    pending.append(found)
        return opened

    def check_used_layers(self, layers: Iterator[Sdf.Layer], known: list[Sdf.Layer]) -> None:
        """Check the layers of a composed stage again, since clips and expressions name files, too.

        Raises:
            _RefusedLayerError: The document may not use one of them.
        """
        for layer in layers:
            if layer not in known and layer.realPath:
                self._check_layer(layer.realPath, layer.identifier)

    def _check_layer(self, identifier: str, written: str) -> bool:
        """Check the file of a layer; False if there is none.

        Raises:
            _RefusedLayerError: It lies outside, or is no regular file.
        """
        from pxr import Ar, Sdf

        path = Sdf.Layer.SplitIdentifier(identifier)[0]
        if Ar.IsPackageRelativePath(path):
            path = Ar.SplitPackageRelativePathOuter(path)[0]
        found = str(Ar.GetResolver().Resolve(path))
        real = os.path.realpath(found or path)
        outside = self._roots is not None and not any(
            (real == root or real.startswith(os.path.join(root, ""))) for root in self._roots
        )
        if not found:
            self.misses_outside |= outside and os.path.isabs(path)
            return False
        if outside:
            raise _RefusedLayerError(
                f"{written} lies outside the repository and the folders that were named, and is "
                "not opened: --follow-outside allows it"
            )
        if not stat.S_ISREG(os.stat(real).st_mode):
            raise _RefusedLayerError(f"{written} is no regular file, so it is not opened")
        return True


def _answer(request: JsonObject, stream: BinaryIO, folder: str) -> JsonObject:
    """Describe a stage, or say why it cannot be read.

    Args:
        request: "path", absolute; "size" of its data, or null to read it from the disk; "overlay":
            pairs of a path and the size of the data that replaces the file there; "whole": whether
            to describe the shapes and joints, too; "scale_noise": largest deviation of a scale
            factor from 1 that is rounding; "roots": real paths of the folders in which other
            layers may lie, or null for anywhere.
        stream: The data, and then the overlays.
        folder: An empty folder, for data that the library reads from a file.
    """
    data = None if request["size"] is None else stream.read(request["size"])
    overlay = [(path, stream.read(size)) for path, size in request["overlay"]]
    try:
        roots, path = request["roots"], request["path"]
        guard = _LayerGuard(None if roots is None else [*roots, os.path.realpath(folder)])
        from pxr import Sdf, Usd  # before any layer: older releases find their plugins only then

        held = [_layer(*other, folder) for other in overlay]
        root = _layer(path, data, folder)
        opened = [*guard.open_dependencies(root), *held]
        stage = Usd.Stage.Open(root, Sdf.Layer.CreateAnonymous())
        selected = _select_variants(stage)
        scene = _Scene(stage, root, request["scale_noise"])
        described = {**_describe_bodies(scene), "selected": selected}
        if request["whole"]:
            described["shapes"] = _describe_part(_describe_shapes, scene, folder)
            described["joints"] = _describe_part(_describe_joints, scene, folder)
        guard.check_used_layers(stage.GetUsedLayers(), opened)
        described["used"] = [layer.realPath for layer in stage.GetUsedLayers() if layer.realPath]
        described["misses_outside"] = guard.misses_outside
        described["complete"] = not stage.GetCompositionErrors()
        held.clear()
        opened.clear()
        return described
    except _RefusedLayerError as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": f"the USD library {_LARGE}"}
    # Damaged data may raise anything; the next request is still answered.
    except Exception as error:
        return _refusal(error, folder)
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))


def _refusal(error: Exception, folder: str) -> JsonObject:
    """Return the library's first error, and its place if the layer is text."""
    first = next(iter(error.args), error)
    try:
        text = str(getattr(first, "commentary", first)).strip().strip("'")
    except UnicodeDecodeError as undecodable:  # the library quotes bytes that are not UTF-8
        text = undecodable.object.decode("utf-8", "replace")
    text = re.sub(rf"(, while reading )?@?{re.escape(folder)}[^@\s:]*@?", "", text)
    match = _UNREADABLE.search(text)
    if not match:
        return {"error": " ".join(text.split())[:_LONGEST], "line": None, "column": None}
    reason = " ".join(re.sub(r"pxrInternal\w*::", "", match[3]).split())
    return {"error": reason[:_LONGEST], "line": int(match[1]), "column": int(match[2])}


def _layer(path: str, data: bytes | None, folder: str) -> Sdf.Layer:
    """Open a layer, with `data` in place of the bytes on the disk if it is not None.

    The layer keeps its own path, so that files beside it are found.
    """
    from pxr import Sdf

    if data is None:
        return Sdf.Layer.FindOrOpen(path)
    kind = next((kind for magic, kind in _BINARY.items() if data.startswith(magic)), "usda")
    copy = os.path.join(folder, f"{len(os.listdir(folder))}.{kind}")
    with open(copy, "wb") as file:
        file.write(data)
    if kind == "usdz":
        return Sdf.Layer.FindOrOpen(copy)
    known = os.path.splitext(path)[1] in (".usd", f".{kind}")
    layer = Sdf.Layer.New(Sdf.FileFormat.FindById(kind), path if known else f"{path}.{kind}")
    layer.Import(copy)
    return layer


def _select_variants(stage: Usd.Stage) -> list[tuple[str, str, str]]:
    """Select variants where none is selected and the stage has no rigid body without one.

    Isaac's importers keep the physics of a robot in variants, and the program that loads it selects
    one: the variant named as its set, or the first by name that has bodies. The selection stands in
    the session layer, and no file changes.

    Returns:
        Path of the prim, name of the set and of the variant, for each selection.
    """
    from pxr import Usd, UsdPhysics

    def has_body(prim: Usd.Prim) -> bool:
        below = Usd.PrimRange(prim, Usd.TraverseInstanceProxies())
        return any(each.HasAPI(UsdPhysics.RigidBodyAPI) for each in below)

    selected: list[tuple[str, str, str]] = []
    if has_body(stage.GetPseudoRoot()):
        return selected
    stage.SetEditTarget(stage.GetSessionLayer())
    left = _MOST_SELECTIONS
    for path in [prim.GetPath() for prim in stage.Traverse() if prim.HasVariantSets()]:
        prim = stage.GetPrimAtPath(path)
        sets = prim.GetVariantSets()
        for name in sets.GetNames():
            if sets.GetVariantSelection(name) or has_body(prim):
                continue
            own = sets.GetVariantSet(name)
            order = sorted(
                own.GetVariantNames(), key=lambda each: (each.lower() != name.lower(), each)
            )
            for variant in order[: max(left, 0)]:
                left -= 1
                own.SetVariantSelection(variant)
                if has_body(prim):
                    selected.append((str(path), name, variant))
                    break
            else:
                own.ClearVariantSelection()
    return selected


def _describe_part(
    describe: Callable[[_Scene], JsonObject], scene: _Scene, folder: str
) -> JsonObject:
    """Describe shapes or joints, or say why they cannot be read: bodies are worth having alone."""
    try:
        return describe(scene)
    except MemoryError:
        return {"refused": f"the USD library {_LARGE}"}
    except Exception as error:  # of damaged data
        return _refusal(error, folder)


def _describe_bodies(scene: _Scene) -> JsonObject:
    from pxr import UsdGeom, UsdPhysics

    stage, layers = scene.stage, _LayerNumbers(scene.root)
    loops: list[JsonObject] = []
    bodies = list(_bodies(scene, layers, loops))
    default = stage.GetDefaultPrim()
    masses = []  # each prim with a mass or moments of inertia: layer, its path there, its body
    for prim in scene.prims:
        owner = str(_owner(prim.GetPath(), scene.bodies))
        for name in ("physics:mass", "physics:diagonalInertia", "newton:inertia"):
            attribute = prim.GetAttribute(name)
            for spec in attribute.GetPropertyStack() if attribute else ():
                number, path = layers.place(spec)
                masses.append((number, path.rpartition(".")[0], owner))
    settings = []  # of MuJoCo's compiler: name, value as text, layer, path of the prim
    for prim in scene.prims:
        for written in prim.GetAuthoredPropertiesInNamespace(_COMPILER):
            if hasattr(written, "HasAuthoredValue") and written.HasAuthoredValue():
                value, name = written.Get(), written.GetName().removeprefix(_COMPILER)
                place = layers.place(written.GetPropertyStack()[0])
                settings.append((name, json.dumps(value, default=str), *place))
    return {
        "masses": masses,
        "name": default.GetName() if default else "",
        "up": str(UsdGeom.GetStageUpAxis(stage)),
        "meters": UsdGeom.GetStageMetersPerUnit(stage),
        "meters_written": UsdGeom.StageHasAuthoredMetersPerUnit(stage),
        "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
        "seconds": [stage.GetTimeCodesPerSecond(), stage.HasAuthoredMetadata("timeCodesPerSecond")],
        "settings": settings,
        "errors": [str(error) for error in stage.GetCompositionErrors()],
        "bodies": bodies,
        "loops": loops,
        "layers": layers.paths,
    }


class _Scene:
    """A stage with what several of its descriptions need.

    Attributes:
        stage: The stage.
        root: Its root layer.
        prims: Its prims in order, with those of instances.
        bodies: Those that are rigid bodies, by their paths.
        colliding: Paths of those that collide.
        frames: Their coordinate frames.
    """

    def __init__(self, stage: Usd.Stage, root: Sdf.Layer, noise: float) -> None:
        from pxr import Usd, UsdPhysics

        self.stage, self.root = stage, root
        self.prims = list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
        self.bodies = {
            prim.GetPath(): prim for prim in self.prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)
        }
        self.colliding = {
            prim.GetPath()
            for prim in self.prims
            if prim.HasAPI(UsdPhysics.CollisionAPI) and _flag(prim, "collisionEnabled", True)
        }
        self.frames = _Frames(noise)


class _LayerNumbers:
    """Numbers the layers that define something; the root layer is 0."""

    def __init__(self, root: Sdf.Layer) -> None:
        self.paths = [root.realPath or root.identifier]
        self._numbers = {root.identifier: 0}

    def place(self, spec: Sdf.Spec) -> tuple[int, str]:
        """Return the number of a spec's layer, and the spec's path there."""
        layer = spec.layer
        number = self._numbers.setdefault(layer.identifier, len(self.paths))
        if number == len(self.paths):
            self.paths.append(layer.realPath or layer.identifier)
        return number, str(spec.path)


class _Frames:
    """Coordinate frames of the prims of a stage."""

    def __init__(self, noise: float) -> None:
        from pxr import UsdGeom

        self._cache = UsdGeom.XformCache()
        self._noise = noise
        self._scales: dict[Sdf.Path, list[float]] = {}

    def scale(self, prim: Usd.Prim) -> list[float]:
        """Return the scale factors of a prim in the world; those that round to 1 are exactly 1."""
        path = prim.GetPath()
        if path not in self._scales:  # of a body, it is asked for with each of its shapes
            from pxr import Gf

            matrix = self._cache.GetLocalToWorldTransform(prim)
            factors = _entries(Gf.Transform(matrix).GetScale())
            self._scales[path] = [1.0 if abs(f - 1) < self._noise else f for f in factors]
        return self._scales[path]

    def placed(self, prim: Usd.Prim) -> list[float]:
        """Return the pose of a body in the world, without its scale, as _rows."""
        return _rows(self._cache.GetLocalToWorldTransform(prim).RemoveScaleShear())

    def around(self, prim: Usd.Prim) -> list[float]:
        """Return the matrix from a prim to the world, as _rows."""
        return _rows(self._cache.GetLocalToWorldTransform(prim))

    def within(self, prim: Usd.Prim, body: Usd.Prim) -> Value:
        """Return the matrix from a prim to the frame of its body, which has no scale itself."""
        from pxr import Gf

        scaled = Gf.Matrix4d().SetScale(Gf.Vec3d(*self.scale(body)))
        if prim == body:
            return scaled
        matrix, resets = self._cache.ComputeRelativeTransform(prim, body)
        if not resets:
            return matrix * scaled
        frame = self._cache.GetLocalToWorldTransform(body).RemoveScaleShear()
        return self._cache.GetLocalToWorldTransform(prim) * frame.GetInverse()


def _bodies(scene: _Scene, layers: _LayerNumbers, loops: list[JsonObject]) -> Iterator[JsonObject]:
    """Describe every body that a simulator meets, in the order of the stage, with instances.

    Joints to bodies that another joint holds already are appended to `loops`.
    """
    from pxr import Sdf, UsdGeom, UsdPhysics

    found, frames = scene.bodies, scene.frames
    solid: set[Sdf.Path] = set()
    colliders: dict[Sdf.Path, list[Usd.Prim]] = {}
    joints: dict[Sdf.Path, JsonObject] = {}
    for prim in scene.prims:
        if prim.HasAPI(UsdPhysics.CollisionAPI):
            owner = _owner(prim.GetPath(), found)
            colliders.setdefault(owner, []).append(prim)
            # Engines take no volume from a plane.
            if prim.GetPath() in scene.colliding and not prim.IsA(UsdGeom.Plane):
                solid.add(owner)
        if prim.IsA(UsdPhysics.Joint):
            child, joint = _describe_joint(prim, found, frames)
            if not child:
                continue
            known = joints.get(child, _FREE)
            closing = joint
            # A joint that is excluded from the articulation closes a loop, a fixed one often does.
            closes = known["type"] == "fixed"
            if joint["excluded"] != known.get("excluded", False):
                closes = known.get("excluded", False)
            if known["type"] is None or closes:
                joints[child], closing = joint, known
            if closing["type"] is not None:
                loops.append({**closing, "child": str(child)})
    for path, prim in found.items():
        # Converters write names that USD does not take as tn__..., and keep them for display.
        name, shown = prim.GetName(), str(prim.GetMetadata("displayName") or "")
        yield {
            "path": str(path),
            "name": shown if shown and name.startswith(_TRANSCODED) else name,
            "places": [
                (*layers.place(spec), spec.specifier == Sdf.SpecifierDef)
                for spec in prim.GetPrimStack()
            ],
            "enabled": _flag(prim, "rigidBodyEnabled", True),
            "kinematic": _flag(prim, "kinematicEnabled", False),
            "instance": prim.IsInstanceProxy(),
            "joint": joints.get(path, _FREE),
            "solid": path in solid,
            "scale": frames.scale(prim),
            "placed": frames.placed(prim),
            "applied": _mass_schemas(prim),
            "attributes": _attributes(prim, layers),
            "shells": _attributes(prim, layers, _SHELLS),
            "parts": list(_parts(prim, colliders.get(path, []), layers)),
        }


def _mass_schemas(prim: Usd.Prim) -> list[str]:
    """List the schemas of mass properties that a prim applies, registered or not."""
    from pxr import UsdPhysics

    listed = prim.GetMetadata("apiSchemas")
    names = {*(listed.GetAppliedItems() if listed else ()), *prim.GetAppliedSchemas()}
    physical = prim.HasAPI(UsdPhysics.MassAPI)
    return [name for name in _MASS_APIS if name in names or (physical and name == _MASS_APIS[0])]


def _parts(
    body: Usd.Prim, colliders: list[Usd.Prim], layers: _LayerNumbers
) -> Iterator[JsonObject]:
    """Describe what the colliders of a body and their materials say of its mass."""
    from pxr import UsdPhysics, UsdShade

    for prim in colliders:
        applied = _mass_schemas(prim)
        if prim != body:
            written = _attributes(prim, layers) if applied else {}
            yield {
                "path": str(prim.GetPath()),
                "applied": applied,
                "attributes": written,
                "shells": _attributes(prim, layers, _SHELLS),
            }
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if material and material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            density = _attributes(material.GetPrim(), layers, ("physics:density",))
            path = str(material.GetPath())
            applied = ["PhysicsMaterialAPI"]
            yield {"path": path, "applied": applied, "attributes": density, "shells": {}}


def _flag(prim: Usd.Prim, name: str, otherwise: bool) -> bool:
    return bool(_value(prim, f"physics:{name}", otherwise))


def _owner(path: Sdf.Path, bodies: dict[Sdf.Path, Usd.Prim]) -> Sdf.Path:
    """Find the nearest body at a path or above it."""
    while not path.isEmpty and path not in bodies:
        path = path.GetParentPath()
    return path


def _describe_joint(
    joint: Usd.Prim, bodies: dict[Sdf.Path, Usd.Prim], frames: _Frames
) -> tuple[Sdf.Path | None, JsonObject]:
    """Find the body that a joint moves, its second or else its only one, and describe the joint.

    "frame" is the frame of the joint in that body, "base" in its parent. "turned" is true if the
    joint names the body first.
    """
    description: JsonObject = {
        "type": _kind(joint),
        "path": str(joint.GetPath()),
        "excluded": _flag(joint, "excludeFromArticulation", False),
    }
    if not _flag(joint, "jointEnabled", True):
        return None, description
    targets = [_first_target(joint, f"physics:body{side}") for side in (0, 1)]
    owners = [target and _owner(target, bodies) for target in targets]
    side = 1 if owners[1] else 0
    owner, above = owners[side], owners[1 - side]
    if owner:
        description["turned"] = side == 0
        description["axis"] = str(_value(joint, "physics:axis", "X"))
        description["frame"] = _joint_frame(joint, side, targets[side], bodies[owner], frames)
    if owner and above:
        description["parent"] = str(above)
        description["base"] = _joint_frame(
            joint, 1 - side, targets[1 - side], bodies[above], frames
        )
    elif owner:
        description["base"] = _joint_frame(joint, 1 - side, targets[1 - side], None, frames)
    return owner or None, description


def _kind(joint: Usd.Prim) -> str:
    return joint.GetTypeName().removeprefix("Physics").removesuffix("Joint").lower() or "generic"


def _first_target(prim: Usd.Prim, name: str) -> Sdf.Path | None:
    relationship = prim.GetRelationship(name)
    targets = relationship.GetTargets() if relationship else []
    return targets[0].GetPrimPath() if targets else None


def _value(prim: Usd.Prim, name: str, otherwise: Value) -> Value:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    return otherwise if value is None else value


def _joint_frame(
    joint: Usd.Prim, side: int, target: Sdf.Path | None, body: Usd.Prim | None, frames: _Frames
) -> JsonObject:
    """Describe the frame of a joint as written, in units of the stage.

    "within" maps coordinates of the prim that the joint names to the frame of its body, or to the
    world without a body, as _rows; null if that prim is the body itself, or the world.
    """
    within = None
    if target is not None and (body is None or target != body.GetPath()):
        prim = joint.GetStage().GetPrimAtPath(target)
        if not prim:
            within = [math.nan] * 12
        else:
            within = frames.around(prim) if body is None else _rows(frames.within(prim, body))
    return {
        "position": _numbers(_value(joint, f"physics:localPos{side}", (0, 0, 0))),
        "turn": _numbers(_value(joint, f"physics:localRot{side}", (1, 0, 0, 0))),
        "within": within,
    }


def _rows(matrix: Value) -> list[float]:
    """Return a 3x4 matrix that multiplies columns; those of the library multiply rows."""
    columns: Value = memoryview(matrix).tolist()
    return [column[row] for row in range(3) for column in columns]


_FREE: JsonObject = {"type": None}
"""Description of the joint of a body that no joint holds."""


def _describe_shapes(scene: _Scene) -> JsonObject:
    """Describe the shapes of every body, in the order of the stage."""
    from pxr import UsdGeom

    layers = _LayerNumbers(scene.root)
    bodies, frames = scene.bodies, scene.frames
    found = []
    for prim in scene.prims if bodies else ():
        owner = _owner(prim.GetPath(), bodies) if prim.IsA(UsdGeom.Gprim) else None
        collides = bool(owner) and prim.GetPath() in scene.colliding
        image = UsdGeom.Imageable(prim)
        drawn = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)
        if owner and not collides and image.ComputePurpose() not in drawn:
            continue
        if owner and (collides or image.ComputeVisibility() != UsdGeom.Tokens.invisible):
            kind = str(prim.GetTypeName())
            found.append(
                {
                    "body": str(owner),
                    "kind": kind,
                    "collides": collides,
                    "sizes": {name: _size(prim, name) for name in _SIZES.get(kind, ())},
                    "axis": str(_value(prim, "axis", "Z")),
                    "matrix": _rows(frames.within(prim, bodies[owner])),
                    "places": [layers.place(spec) for spec in prim.GetPrimStack()],
                }
            )
    return {"shapes": found, "layers": layers.paths}


def _describe_joints(scene: _Scene) -> JsonObject:
    """Describe limits, friction and rotors of every joint, in the order of the stage."""
    from pxr import UsdPhysics

    return {
        "joints": [
            {
                "path": str(prim.GetPath()),
                "name": prim.GetName(),
                "type": _kind(prim),
                # NaN for a value that is no number.
                "values": {
                    name: _number(written.Get())
                    for name in _JOINT_ATTRIBUTES
                    if (written := prim.GetAttribute(name)) and written.HasAuthoredValue()
                },
                "mimic": _mimic(prim),
            }
            for prim in scene.prims
            if prim.IsA(UsdPhysics.Joint)
        ],
    }


def _number(value: Value) -> float:
    """Convert a value to the shortest decimal of the same float32; NaN if it is no number.

    A number that is no float32 stays.
    """
    numbers = _numbers(value)
    if not numbers or len(numbers) != 1:
        return math.nan
    (number,) = numbers
    if not -_FLOAT32 <= number <= _FLOAT32 or _single(number) != number:
        return number
    shortened = (float(f"{number:.{digits}g}") for digits in range(1, 10))
    return next(each for each in shortened if _single(each) == number)


def _single(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _mimic(joint: Usd.Prim) -> JsonObject | None:
    """Describe the joint that a joint follows, q = multiplier q_other + offset; None for none.

    "alike" is true if both joints have the same type.
    """
    if _first_target(joint, "newton:mimicJoint") is not None:
        enabled = _value(joint, "newton:mimicEnabled", True)
        names, sign = ("newton:mimicJoint", "newton:mimicCoef1", "newton:mimicCoef0"), 1.0
    else:  # PhysX: q + gearing q_other + offset = 0
        written = joint.GetAuthoredPropertiesInNamespace("physxMimicJoint")
        space, enabled, sign = written[0].GetNamespace() if written else "", True, -1.0
        names = (f"{space}:referenceJoint", f"{space}:gearing", f"{space}:offset")
    other = _first_target(joint, names[0]) if enabled else None
    leader = joint.GetStage().GetPrimAtPath(other) if other else None
    if not leader:
        return None
    return {
        "joint": leader.GetName(),
        "multiplier": sign * _number(_value(joint, names[1], 1.0)),
        "offset": sign * _number(_value(joint, names[2], 0.0)),
        "alike": _kind(leader) == _kind(joint),
    }


def _size(prim: Usd.Prim, name: str) -> float | None:
    numbers = _numbers(_value(prim, name, ()))
    return numbers[0] if numbers and len(numbers) == 1 else None


def _attributes(
    prim: Usd.Prim, layers: _LayerNumbers, names: tuple[str, ...] = _ATTRIBUTES
) -> JsonObject:
    """Read the authored mass properties: their numbers, and the place of the strongest opinion.

    Engines read the default value, not time samples.
    """
    written: JsonObject = {}
    for name in names:
        attribute = prim.GetAttribute(name)
        if not attribute or not attribute.HasAuthoredValue():
            continue
        specs = [spec for spec in attribute.GetPropertyStack() if spec.HasInfo("default")]
        value = attribute.Get()
        place = layers.place(specs[0]) if specs else None
        written[name] = {
            "values": _numbers(value) if specs else None,
            "shown": str(value)[:80],
            "place": place,
        }
    return written


def _numbers(value: Value) -> list[float] | None:
    """Convert a value to a list of numbers; None if it is no number and no tuple of numbers."""
    try:
        if hasattr(value, "GetReal") and hasattr(value, "imaginary"):
            return [float(value.real), *_entries(value.imaginary)]
        if not isinstance(value, (str, bytes)):
            return [float(value)] if not hasattr(value, "__len__") else _entries(value)
    except (TypeError, ValueError):
        pass
    return None


def _entries(vector: Value) -> list[float]:
    """Convert a vector to a list by index: iteration by the library takes twenty times as long."""
    return [float(vector[at]) for at in range(len(vector))]


if __name__ == "__main__":
    main()
