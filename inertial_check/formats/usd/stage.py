"""Composes one USD stage after the other and says what it states of bodies, as JSON.

Runs as a process of its own (`_usd_process` starts it): a damaged binary file can end the library,
and with it whoever called it. Reads a line of JSON and the blobs that it announces, answers with a
line of JSON, until its input ends; its argument is an empty folder. Nothing of this package is
imported here.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

MEMORY = 8 << 30
"""Bytes of address space: a damaged file may ask for terabytes."""

LONGEST = 300
"""Characters of a reason: the library quotes whatever stands on the line."""

SCALE_NOISE = 1e-5
"""A turn by a float32 quaternion keeps lengths and right angles up to a few of its roundings."""

FLOAT32 = 3.4028234663852886e38
"""The largest number of this format."""

JOINT_ATTRIBUTES = (
    *("physics:lowerLimit", "physics:upperLimit"),
    *("drive:angular:physics:maxForce", "drive:linear:physics:maxForce"),
    *("newton:velocityLimit", "physxJoint:maxJointVelocity"),
    *("newton:armature", "physxJoint:armature", "mjc:armature"),
    *("newton:damping", "mjc:damping", "newton:friction", "mjc:frictionloss"),
)
"""What is read of a joint where someone wrote it."""

ATTRIBUTES = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
_TAPERED = ("radiusTop", "radiusBottom", "height")
SIZES = {
    "Cube": ("size",),
    "Sphere": ("radius",),
    "Cylinder": ("radius", "height"),
    "Capsule": ("radius", "height"),
    "Cone": ("radius", "height"),
    "Cylinder_1": _TAPERED,
    "Capsule_1": _TAPERED,
}
"""The attributes that make a gprim's size, by its type."""

_UNREADABLE = re.compile(r":(\d+):(\d+): (.*)", re.DOTALL)
_BINARY = {b"PXR-USDC": "usdc", b"PK\3\4": "usdz"}


def main() -> None:
    """Answer requests until there are none."""
    folder = sys.argv[1]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints must not stand between the answers
    _limit_memory()
    last = False
    while not last and (line := sys.stdin.buffer.readline()):
        answer = _answer(json.loads(line), sys.stdin.buffer, folder)
        from pxr import Sdf

        # A layer that something holds on to would be taken for the next document's.
        last = not all(layer.anonymous for layer in Sdf.Layer.GetLoadedLayers())
        answers.write(json.dumps({**answer, "last": last}).encode() + b"\n")
        answers.flush()


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _answer(request: dict[str, Any], stream: BinaryIO, folder: str) -> dict[str, Any]:
    """What a stage states, or why it cannot be read.

    Args:
        request: "path", absolute; "size" of its data, or null to read it from the disk; "overlay":
            pairs of a path and the size of what stands in for the file there; "asked": for its
            "bodies", or for the "shapes" of bodies or the "joints" and nothing else.
        stream: The data, and the overlays, in that order.
        folder: An empty one, for what the library wants to read from a file.
    """
    data = None if request["size"] is None else stream.read(request["size"])
    overlay = [(path, stream.read(size)) for path, size in request["overlay"]]
    try:
        describe = {
            "bodies": _describe_bodies,
            "shapes": _describe_shapes,
            "joints": _describe_joints,
        }[request["asked"]]
        return _compose_stage(request["path"], data, overlay, folder, describe)
    except Exception as error:  # whatever damaged data leads to, the next request is answered
        return _refusal(error, folder)
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))


def _compose_stage(
    path: str,
    data: bytes | None,
    overlay: list[tuple[str, bytes]],
    folder: str,
    describe: Callable[[Any, Any], dict[str, Any]],
) -> dict[str, Any]:
    from pxr import Usd  # before any layer: older releases find their own parts only then

    held = [_layer(*other, folder) for other in overlay]
    root = _layer(path, data, folder)
    stage = Usd.Stage.Open(root, sessionLayer=None)
    described = describe(stage, root)
    described["used"] = [layer.realPath for layer in stage.GetUsedLayers() if layer.realPath]
    described["complete"] = not stage.GetCompositionErrors()
    held.clear()
    return described


def _refusal(error: Exception, folder: str) -> dict[str, Any]:
    """The library's first error, and the place where it stands in a text."""
    text = re.sub(rf"(, while reading )?@?{re.escape(folder)}[^@\s:]*@?", "", _error_text(error))
    match = _UNREADABLE.search(text)
    if not match:
        return {"error": " ".join(text.split())[:LONGEST], "line": None, "column": None}
    reason = " ".join(re.sub(r"pxrInternal\w*::", "", match[3]).split())
    return {"error": reason[:LONGEST], "line": int(match[1]), "column": int(match[2])}


def _error_text(error: Exception) -> str:
    first = next(iter(error.args), error)
    try:
        return str(getattr(first, "commentary", first)).strip().strip("'")
    except UnicodeDecodeError as undecodable:  # it quotes what it could not read
        return undecodable.object.decode("utf-8", "replace")


def _layer(path: str, data: bytes | None, folder: str) -> Any:
    """The layer of this path, with these bytes in place of those on the disk where they are given.

    Under its own path, so that what it refers to is found beside it.
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


def _describe_bodies(stage: Any, root: Any) -> dict[str, Any]:
    from pxr import UsdGeom, UsdPhysics

    layers = _LayerNumbers(root)
    bodies = list(_bodies(stage, layers))
    default = stage.GetDefaultPrim()
    return {
        "name": default.GetName() if default else "",
        "up": str(UsdGeom.GetStageUpAxis(stage)),
        "meters": UsdGeom.GetStageMetersPerUnit(stage),
        "meters_written": UsdGeom.StageHasAuthoredMetersPerUnit(stage),
        "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
        "errors": [str(error) for error in stage.GetCompositionErrors()],
        "bodies": bodies,
        "layers": layers.paths,
    }


class _LayerNumbers:
    """Numbers the layers in which something stands; 0 is the root."""

    def __init__(self, root: Any) -> None:
        self.paths = [root.realPath or root.identifier]
        self._numbers = {root.identifier: 0}

    def place(self, spec: Any) -> tuple[int, str]:
        """A spec's layer and its path there."""
        layer = spec.layer
        number = self._numbers.setdefault(layer.identifier, len(self.paths))
        if number == len(self.paths):
            self.paths.append(layer.realPath or layer.identifier)
        return number, str(spec.path)


def _bodies(stage: Any, layers: _LayerNumbers) -> Iterator[dict[str, Any]]:
    """Every body that a simulator meets, in the order of the stage; instances one by one."""
    from pxr import Usd, UsdGeom, UsdPhysics

    prims = list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    found = {prim.GetPath(): prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    solid: set[Any] = set()
    joints: dict[Any, dict[str, Any]] = {}
    cache = UsdGeom.XformCache()
    for prim in prims:
        if _is_solid(prim) and (owner := _owner(prim.GetPath(), found)):
            solid.add(owner)
        if prim.IsA(UsdPhysics.Joint):
            child, joint = _describe_joint(prim, found, cache)
            if child and joints.get(child, _FREE)["type"] in (None, "fixed"):
                joints[child] = joint
    for path, prim in found.items():
        yield {
            "path": str(path),
            "name": prim.GetName(),
            "places": [(*layers.place(spec), _is_def(spec)) for spec in prim.GetPrimStack()],
            "enabled": _flag(prim, "rigidBodyEnabled", True),
            "kinematic": _flag(prim, "kinematicEnabled", False),
            "instance": prim.IsInstanceProxy(),
            "joint": joints.get(path, _FREE),
            "solid": path in solid,
            "scale": _scale(cache, prim),
            "applied": prim.HasAPI(UsdPhysics.MassAPI),
            "attributes": _attributes(prim, layers),
        }


def _is_def(spec: Any) -> bool:
    from pxr import Sdf

    return bool(spec.specifier == Sdf.SpecifierDef)


def _flag(prim: Any, name: str, otherwise: bool) -> bool:
    attribute = prim.GetAttribute(f"physics:{name}")
    value = attribute.Get() if attribute else None
    return otherwise if value is None else bool(value)


def _is_solid(prim: Any) -> bool:
    """Whether engines can take a volume from this prim."""
    from pxr import UsdGeom

    return _collides(prim) and not prim.IsA(UsdGeom.Plane)


def _owner(path: Any, bodies: dict[Any, Any]) -> Any:
    """The nearest body at a path or above it."""
    while not path.isEmpty and path not in bodies:
        path = path.GetParentPath()
    return path


def _describe_joint(joint: Any, bodies: dict[Any, Any], cache: Any) -> tuple[Any, dict[str, Any]]:
    """The body that a joint carries, its second or else its only one, and what it says of it.

    "frame" is the joint's in that body, "base" in the parent. "turned": it is written the other
    way round.
    """
    said: dict[str, Any] = {"type": _kind(joint), "path": str(joint.GetPath())}
    if not _flag(joint, "jointEnabled", True):
        return None, said
    targets = [_target(joint, side) for side in (0, 1)]
    owners = [target and _owner(target, bodies) for target in targets]
    side = 1 if owners[1] else 0
    owner, above = owners[side], owners[1 - side]
    if owner:
        said["turned"] = side == 0
        said["axis"] = str(_value(joint, "physics:axis", "X"))
        said["frame"] = _joint_frame(joint, side, targets[side], bodies[owner], cache)
    if owner and above:
        said["parent"] = str(above)
        said["base"] = _joint_frame(joint, 1 - side, targets[1 - side], bodies[above], cache)
    return owner or None, said


def _kind(joint: Any) -> str:
    return joint.GetTypeName().removeprefix("Physics").removesuffix("Joint").lower() or "generic"


def _target(joint: Any, side: int) -> Any:
    return _first_target(joint, f"physics:body{side}")


def _first_target(prim: Any, name: str) -> Any:
    relationship = prim.GetRelationship(name)
    targets = relationship.GetTargets() if relationship else []
    return targets[0].GetPrimPath() if targets else None


def _value(prim: Any, name: str, otherwise: Any) -> Any:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    return otherwise if value is None else value


def _joint_frame(joint: Any, side: int, target: Any, body: Any, cache: Any) -> dict[str, Any]:
    """The frame of a joint as written, in units of the stage.

    "within" is from the coordinates of the prim that the joint names to the frame of its body, as
    _rows; null where that prim is the body itself.
    """
    within = None
    if target != body.GetPath():
        prim = joint.GetStage().GetPrimAtPath(target)
        within = _rows(_within(prim, body, cache)) if prim else [math.nan] * 12
    return {
        "position": _numbers(_value(joint, f"physics:localPos{side}", (0, 0, 0))),
        "turn": _numbers(_value(joint, f"physics:localRot{side}", (1, 0, 0, 0))),
        "within": within,
    }


def _within(prim: Any, body: Any, cache: Any) -> Any:
    """From the coordinates of a prim to the frame of its body, which has no scale of its own."""
    from pxr import Gf

    scaled = Gf.Matrix4d().SetScale(Gf.Vec3d(*_scale(cache, body)))
    if prim == body:
        return scaled
    matrix, resets = cache.ComputeRelativeTransform(prim, body)
    if not resets:
        return matrix * scaled
    frame = cache.GetLocalToWorldTransform(body).RemoveScaleShear()
    return cache.GetLocalToWorldTransform(prim) * frame.GetInverse()


def _rows(matrix: Any) -> list[float]:
    """A 3x4 matrix that multiplies columns; the library's multiplies rows."""
    columns: Any = memoryview(matrix).tolist()
    return [column[row] for row in range(3) for column in columns]


_FREE: dict[str, Any] = {"type": None}
"""What is said of a body that no joint holds."""


def _describe_shapes(stage: Any, root: Any) -> dict[str, Any]:
    """The shapes of every body, in the order of the stage."""
    from pxr import Usd, UsdGeom, UsdPhysics

    layers = _LayerNumbers(root)
    prims = list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    bodies = {prim.GetPath(): prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    cache = UsdGeom.XformCache()
    found = []
    for prim in prims if bodies else ():
        owner = _owner(prim.GetPath(), bodies) if prim.IsA(UsdGeom.Gprim) else None
        collides = bool(owner) and _collides(prim)
        if owner and (collides or _is_rendered(prim)):
            kind = str(prim.GetTypeName())
            found.append(
                {
                    "body": str(owner),
                    "kind": kind,
                    "collides": collides,
                    "sizes": {name: _size(prim, name) for name in SIZES.get(kind, ())},
                    "axis": str(_value(prim, "axis", "Z")),
                    "matrix": _rows(_within(prim, bodies[owner], cache)),
                    "places": [layers.place(spec) for spec in prim.GetPrimStack()],
                }
            )
    return {"shapes": found, "layers": layers.paths}


def _describe_joints(stage: Any, root: Any) -> dict[str, Any]:
    """What is written of every joint beside what it ties, in the order of the stage."""
    from pxr import Usd, UsdGeom, UsdPhysics

    prims = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
    return {
        "meters": UsdGeom.GetStageMetersPerUnit(stage),
        "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
        "joints": [
            {
                "path": str(prim.GetPath()),
                "name": prim.GetName(),
                "type": _kind(prim),
                "values": dict(_authored_numbers(prim)),
                "mimic": _mimic(prim),
            }
            for prim in prims
            if prim.IsA(UsdPhysics.Joint)
        ],
    }


def _authored_numbers(joint: Any) -> Iterator[tuple[str, float]]:
    """The numbers of a joint that someone wrote; NaN for what is none."""
    for name in JOINT_ATTRIBUTES:
        attribute = joint.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            yield name, _number(attribute.Get())


def _number(value: Any) -> float:
    numbers = _numbers(value)
    return _decimal(numbers[0]) if numbers and len(numbers) == 1 else math.nan


def _decimal(value: float) -> float:
    """The shortest decimal that stands for the same float32; what is no float32 stays."""
    if not -FLOAT32 <= value <= FLOAT32 or _single(value) != value:
        return value
    return next(x for digits in range(1, 10) if _single(x := float(f"{value:.{digits}g}")) == value)


def _single(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _mimic(joint: Any) -> dict[str, Any] | None:
    """What a joint follows, q = multiplier q_other + offset in its own unit; None for nothing.

    "alike": both are of one type.
    """
    if _first_target(joint, "newton:mimicJoint") is not None:
        enabled = _value(joint, "newton:mimicEnabled", True)
        names, sign = ("newton:mimicJoint", "newton:mimicCoef1", "newton:mimicCoef0"), 1.0
    else:  # PhysX has q + gearing q_other + offset = 0
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


def _size(prim: Any, name: str) -> float | None:
    numbers = _numbers(_value(prim, name, ()))
    return numbers[0] if numbers and len(numbers) == 1 else None


def _collides(prim: Any) -> bool:
    from pxr import UsdPhysics

    return prim.HasAPI(UsdPhysics.CollisionAPI) and _flag(prim, "collisionEnabled", True)


def _is_rendered(prim: Any) -> bool:
    from pxr import UsdGeom

    imageable = UsdGeom.Imageable(prim)
    purpose = imageable.ComputePurpose()
    shown = purpose in (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)
    return shown and imageable.ComputeVisibility() != UsdGeom.Tokens.invisible


def _scale(cache: Any, prim: Any) -> list[float]:
    from pxr import Gf

    factors = _entries(Gf.Transform(cache.GetLocalToWorldTransform(prim)).GetScale())
    return [1.0 if abs(factor - 1) < SCALE_NOISE else factor for factor in factors]


def _attributes(prim: Any, layers: _LayerNumbers) -> dict[str, Any]:
    """What is written of each mass property: its numbers, and where the strongest opinion stands.

    Engines read the default, not what is sampled over time.
    """
    written: dict[str, Any] = {}
    for name in ATTRIBUTES:
        attribute = prim.GetAttribute(f"physics:{name}")
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


def _numbers(value: Any) -> list[float] | None:
    """The numbers of a value; None where it is no number and no tuple of them."""
    try:
        if hasattr(value, "GetReal") and hasattr(value, "imaginary"):
            return [float(value.real), *_entries(value.imaginary)]
        if not isinstance(value, (str, bytes)):
            return [float(value)] if not hasattr(value, "__len__") else _entries(value)
    except (TypeError, ValueError):
        pass
    return None


def _entries(vector: Any) -> list[float]:
    """Its numbers, by index: the library takes twenty times as long to iterate."""
    return [float(vector[at]) for at in range(len(vector))]


if __name__ == "__main__":
    main()
