"""Which bodies converters to USD change, and by which known defect.

python benchmarks/conversions.py urdf=PROGRAM mjcf=PROGRAM isaac-urdf=PYTHON [--count 30]

PROGRAM is urdf_usd_converter or mujoco_usd_converter of an environment of its own, PYTHON that of
one with isaacsim-asset-isolated, Isaac Sim's importers. The models are those of
INERTIAL_CHECK_CORPUS with written inertials, chosen by hash; each is converted, and `diff` compares
the two, body by body. Where a mesh is missing, boxes stand for all meshes of the model.
"""

import argparse
import hashlib
import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import inertial_check as ic

ENDINGS = {"urdf": "*.urdf", "mjcf": "*.xml"}
ISAAC = """
import sys, os
kind, path, folder = sys.argv[1:]
if kind == "urdf":
    from isaacsim.asset.importer.urdf import URDFImporter, URDFImporterConfig
    URDFImporter(URDFImporterConfig(urdf_path=path, usd_path=folder)).import_urdf()
else:
    from isaacsim.asset.importer.mjcf import MJCFImporter, MJCFImporterConfig
    MJCFImporter(MJCFImporterConfig(mjcf_path=path, usd_path=folder)).import_mjcf()
"""
"""Call of Isaac Sim's importers, which have no command."""

BOXES = {
    "urdf": [(rb"<mesh\b[^>]*?(/>|>\s*</mesh>)", b'<box size="0.1 0.1 0.1"/>')],
    "mjcf": [
        (rb"<mesh\b[^>]*?(/>|>\s*</mesh>)", b""),
        (rb"""\bmesh=["'][^"']*["']""", b""),
        (rb"""\btype=["']mesh["']""", b'type="box" size="0.1 0.1 0.1"'),
    ],
}
"""What makes boxes of the meshes of a format."""

LARGEST = 60_000
"""Largest size of a model [bytes]: meshes take nearly all time of a conversion."""


TURNED = re.compile(
    rb'<inertial>\s*<origin[^>]*?rpy="(?!\s*-?0(?:\.0*)?\s+-?0(?:\.0*)?\s+-?0(?:\.0*)?\s*")'
)
"""An inertial of a URDF with axes of its own, which converters have to turn."""


def choose(corpus: Path, kind: str, turned: bool):
    """Models of a format with written inertials, in the order of their hashes."""
    kind = kind.rpartition("-")[2]
    paths = corpus.rglob(ENDINGS[kind])
    for path in sorted(paths, key=lambda p: hashlib.sha1(str(p.name).encode()).digest()):
        if path.stat().st_size <= LARGEST and (not turned or TURNED.search(path.read_bytes())):
            try:
                model = ic.load(path)
            except ic.InertialCheckError:
                continue
            written = [body for body in model.bodies if body.inertial is not None]
            if model.format == kind and written:
                yield path


def convert(kind: str, program: str, path: Path, folder: Path) -> Path | None:
    """The stage that a converter makes of a model; None if it makes none."""
    isaac, _, form = kind.rpartition("-")
    command = [program, "-c", ISAAC, form] if isaac else [program]
    try:
        done = subprocess.run(
            [*command, str(path), str(folder)], capture_output=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:  # as where a mesh is missing: a part of the stage may stand there
        return None
    place = folder / path.stem if isaac else folder
    return next((p for p in sorted(place.glob("*")) if p.suffix.startswith(".usd")), None)


def compare(kind: str, program: str, path: Path):
    """The difference of a model and its stage, with its meshes or else with boxes; None if none."""
    form = kind.rpartition("-")[2]
    for boxes in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            source, target = path, Path(folder) / "stage"
            target.mkdir()
            if boxes:
                data = path.read_bytes()
                for pattern, new in BOXES[form]:
                    data = re.sub(pattern, new, data)
                source = Path(folder) / path.name
                source.write_bytes(data)
            try:
                stage = convert(kind, program, source, target)
                if stage is not None:
                    return ic.diff_models(source, stage)
            except ic.InertialCheckError:
                pass
    return None


def describe(body) -> str:
    """What differs of a body, in a few words."""
    if body.reason:
        return body.reason.removeprefix("in B, ")
    causes = [each.name for each in body.explanations[:1]] if body.explanations else []
    return f"{' and '.join(body.differs)}: {causes[0] if causes else 'no known mistake'}"


def measure(kind: str, program: str, corpus: Path, count: int, turned: bool) -> None:
    """Convert models until `count` have been compared, and print what changed."""
    compared, refused, statuses = 0, 0, Counter()
    kinds: Counter[str] = Counter()
    worst: dict[str, tuple[float, str]] = {}
    for path in choose(corpus, kind, turned):
        if compared >= count:
            break
        found = compare(kind, program, path)
        if found is None:
            refused += 1
            continue
        compared += 1
        for body in found.bodies:
            statuses[body.status] += 1
            if body.status == "differs":
                what = describe(body)
                kinds[what] += 1
                size = max(body.deviations)
                name = f"{path.name}, {body.a.name}"
                worst[what] = max(worst.get(what, (0.0, "")), (size, name))
    counts = ", ".join(f"{number} {status}" for status, number in statuses.items())
    print(f"{kind}: {program}: {compared} models, {refused} not converted; bodies: {counts}")
    for what, number in kinds.most_common():
        size, name = worst[what]
        print(f"  {number:4} {what}; most {size:.3g} ({name})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("converters", nargs="+", metavar="FORMAT=PROGRAM")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--turned", action="store_true", help="only URDFs with turned inertials")
    arguments = parser.parse_args()
    for each in arguments.converters:
        kind, _, program = each.partition("=")
        measure(
            kind,
            program,
            Path(os.environ["INERTIAL_CHECK_CORPUS"]),
            arguments.count,
            arguments.turned,
        )


if __name__ == "__main__":
    main()
