"""Which bodies converters to USD change, and by which known defect.

python benchmarks/conversions.py urdf=PROGRAM mjcf=PROGRAM [--count 30]

PROGRAM is urdf_usd_converter or mujoco_usd_converter of an environment of its own. The models are
those of INERTIAL_CHECK_CORPUS with written inertials, chosen by hash; each is converted, and `diff`
compares the two, body by body.
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
LARGEST = 60_000
"""Largest size of a model [bytes]: meshes take nearly all time of a conversion."""


TURNED = re.compile(
    rb'<inertial>\s*<origin[^>]*?rpy="(?!\s*-?0(?:\.0*)?\s+-?0(?:\.0*)?\s+-?0(?:\.0*)?\s*")'
)
"""An inertial of a URDF with axes of its own, which converters have to turn."""


def choose(corpus: Path, kind: str, turned: bool):
    """Models of a format with written inertials, in the order of their hashes."""
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


def convert(program: str, path: Path, folder: str) -> Path | None:
    """The stage that a converter makes of a model; None if it makes none."""
    command = [program, str(path), folder]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:  # as where a mesh is missing: a part of the stage may stand there
        return None
    return next((p for p in sorted(Path(folder).iterdir()) if p.suffix.startswith(".usd")), None)


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
        with tempfile.TemporaryDirectory() as folder:
            stage = convert(program, path, folder)
            try:
                found = None if stage is None else ic.diff_models(path, stage)
            except ic.InertialCheckError:
                found = None
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
