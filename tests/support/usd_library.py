"""The USD library as an oracle: what it reads of a body, and other encodings of a text layer."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')

from pxr import Sdf, Usd, UsdPhysics, UsdUtils

ATTRIBUTES = ("mass", "centerOfMass", "diagonalInertia", "principalAxes")


def values(path: str | Path, prim: str) -> dict[str, tuple[float, ...]]:
    """The composed numbers of a body's mass properties, as float32 holds them."""
    stage = Usd.Stage.Open(str(path))
    stage.Reload()
    mass = UsdPhysics.MassAPI(stage.GetPrimAtPath(prim))
    found = {}
    for name in ATTRIBUTES:
        value = mass.GetPrim().GetAttribute(f"physics:{name}").Get()
        if hasattr(value, "GetReal"):
            value = (value.GetReal(), *value.GetImaginary())
        found[name] = tuple(value) if hasattr(value, "__len__") else (value,)
    return found


def in_binary(path: Path, suffix: str) -> Path:
    """The layer beside it as .usdc or .usdz."""
    crate = path.with_suffix(".usdc")
    Sdf.Layer.FindOrOpen(str(path)).Export(str(crate))
    if suffix == ".usdc":
        return crate
    package = path.with_suffix(".usdz")
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(crate)), str(package))
    crate.unlink()
    return package


def write_multiplying_references():
    """A stage of 10^11 prims, each a reference to others of the same text."""
    text = '#usda 1.0\ndef "a0" {\n def "leaf" {\n }\n}\n'
    for level in range(1, 12):
        many = "".join(
            f'def "c{i}" (\n references = </a{level - 1}>\n ) {{\n }}\n' for i in range(10)
        )
        text += f'def "a{level}" {{\n{many}}}\n'
    return text
