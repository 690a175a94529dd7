"""Composes one USD stage after the other and says what it states of bodies, as JSON.

Runs as a process of its own (`_usd_process` starts it): a damaged binary file can end the library,
and with it whoever called it. Reads a line of JSON and the blobs that it announces, answers with a
line of JSON, until its input ends; its argument is an empty folder. Nothing of this package is
imported here.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

MEMORY = 8 << 30
"""Bytes of address space: a damaged file may ask for terabytes."""

LONGEST = 300
"""Characters of a reason: the library quotes whatever stands on the line."""

SCALE_NOISE = 1e-5
"""Turning by a float32 quaternion scales by 1 up to a few of its rounding units."""

ATTRIBUTES = ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")
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
            pairs of a path and the size of what stands in for the file there.
        stream: The data, and the overlays, in that order.
        folder: An empty one, for what the library wants to read from a file.
    """
    data = None if request["size"] is None else stream.read(request["size"])
    overlay = [(path, stream.read(size)) for path, size in request["overlay"]]
    try:
        return _composed(request["path"], data, overlay, folder)
    except Exception as error:  # whatever damaged data leads to, the next request is answered
        return _refusal(error, folder)
    finally:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))


def _composed(
    path: str, data: bytes | None, overlay: list[tuple[str, bytes]], folder: str
) -> dict[str, Any]:
    from pxr import Usd  # before any layer: older releases find their own parts only then

    held = [_layer(*other, folder) for other in overlay]
    root = _layer(path, data, folder)
    described = _described(Usd.Stage.Open(root, sessionLayer=None), root)
    held.clear()
    return described


def _refusal(error: Exception, folder: str) -> dict[str, Any]:
    """The library's first error, and the place where it stands in a text."""
    text = re.sub(rf"(, while reading )?@?{re.escape(folder)}[^@\s:]*@?", "", _said(error))
    match = _UNREADABLE.search(text)
    if not match:
        return {"error": " ".join(text.split())[:LONGEST], "line": None, "column": None}
    reason = " ".join(re.sub(r"pxrInternal\w*::", "", match[3]).split())
    return {"error": reason[:LONGEST], "line": int(match[1]), "column": int(match[2])}


def _said(error: Exception) -> str:
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


def _described(stage: Any, root: Any) -> dict[str, Any]:
    from pxr import UsdGeom, UsdPhysics

    layers = _Layers(root)
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


class _Layers:
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


def _bodies(stage: Any, layers: _Layers) -> Iterator[dict[str, Any]]:
    """Every body that a simulator meets, in the order of the stage; instances one by one."""
    from pxr import Usd, UsdGeom, UsdPhysics

    prims = list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))
    found = {prim.GetPath(): prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    solid: set[Any] = set()
    joints: dict[Any, str] = {}
    for prim in prims:
        if _is_solid(prim) and (owner := _owner(prim.GetPath(), found)):
            solid.add(owner)
        if prim.IsA(UsdPhysics.Joint):
            child, kind = _jointed(prim, found)
            if child and joints.get(child, "fixed") == "fixed":
                joints[child] = kind
    cache = UsdGeom.XformCache()
    for path, prim in found.items():
        yield {
            "path": str(path),
            "name": prim.GetName(),
            "places": [(*layers.place(spec), _is_def(spec)) for spec in prim.GetPrimStack()],
            "enabled": _flag(prim, "rigidBodyEnabled", True),
            "kinematic": _flag(prim, "kinematicEnabled", False),
            "instance": prim.IsInstanceProxy(),
            "joint": joints.get(path),
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
    from pxr import UsdGeom, UsdPhysics

    if not prim.HasAPI(UsdPhysics.CollisionAPI) or prim.IsA(UsdGeom.Plane):
        return False
    return _flag(prim, "collisionEnabled", True)


def _owner(path: Any, bodies: dict[Any, Any]) -> Any:
    """The nearest body at a path or above it."""
    while not path.isEmpty and path not in bodies:
        path = path.GetParentPath()
    return path


def _jointed(joint: Any, bodies: dict[Any, Any]) -> tuple[Any, str]:
    """The body that a joint carries, its second or else its only one, and the joint's type."""
    kind = joint.GetTypeName().removeprefix("Physics").removesuffix("Joint").lower() or "generic"
    if not _flag(joint, "jointEnabled", True):
        return None, kind
    for name in ("physics:body1", "physics:body0"):
        relationship = joint.GetRelationship(name)
        targets = relationship.GetTargets() if relationship else []
        if targets and (owner := _owner(targets[0].GetPrimPath(), bodies)):
            return owner, kind
    return None, kind


def _scale(cache: Any, prim: Any) -> list[float]:
    from pxr import Gf

    factors = Gf.Transform(cache.GetLocalToWorldTransform(prim)).GetScale()
    return [1.0 if abs(factor - 1) < SCALE_NOISE else factor for factor in factors]


def _attributes(prim: Any, layers: _Layers) -> dict[str, Any]:
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
    if hasattr(value, "imaginary") and hasattr(value, "GetReal"):
        return [float(value.real), *map(float, value.imaginary)]
    with contextlib.suppress(TypeError, ValueError):
        if not isinstance(value, (str, bytes)):
            return [float(value)] if not hasattr(value, "__len__") else [float(v) for v in value]
    return None


if __name__ == "__main__":
    main()
