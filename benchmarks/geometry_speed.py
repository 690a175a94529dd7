"""How long a model with meshes takes to be checked, and in how much memory: whole processes.

    python benchmarks/geometry_speed.py [--turns 5] [--simcheck PROGRAM] [--triangles 5000000]

Six real models whose meshes are there, under INERTIAL_CHECK_CORPUS, are checked by inertial-check
and by `simcheck check --static-only` (0.2.0, `pip install simcheck`) in turns in one run, from
start to exit; the bytecode of both is kept during the run, as by an installation. The ratio is that
of the medians, the memory the largest of all turns; the aim is a ratio of 5 on each model. The
first turn fills the caches and does not count. The two look at different things: both parse the
model, find its meshes, and compare inertias with the volumes inside them; simcheck also builds
collision geometry, and inertial-check judges whether bodies can exist.

Then one mesh of five million triangles, a binary STL of 250 MB, is measured in this process. Its
solid is a torus, whose volume is known; the memory should be that of a few blocks of triangles.
"""

from __future__ import annotations

import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from math import pi
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

AIM = 5.0
PROGRAM = Path(sys.executable).with_name("inertial-check")
MODELS = (
    "bulletphysics+bullet3/data/r2d2.urdf",
    "pypi_robosuite-1.5.2/robosuite/models/assets/bullet_data/panda_description/urdf/panda_arm.urdf",
    "Gepetto+example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
    "Gepetto+example-robot-data/robots/allegro_hand_description/urdf/allegro_left_hand.urdf",
    "Daniella1+urdf_files_dataset/urdf_files/matlab/jackal_description/urdf/clearpathJackal.urdf",
    "Daniella1+urdf_files_dataset/urdf_files/random/robot-assets/barret_hand/bhand_model.URDF",
)
PACKAGES = {"bhand_model.URDF": "bhand_model"}
"""Packages that have another name than their folder."""


class Run(NamedTuple):
    """One process: seconds on the wall, and its largest resident memory [MB]."""

    seconds: float
    megabytes: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--simcheck", default=shutil.which("simcheck"), help="its program")
    parser.add_argument("--triangles", type=int, default=5_000_000, help="of the large mesh")
    args = parser.parse_args()
    corpus = os.environ.get("INERTIAL_CHECK_CORPUS")
    if corpus is None:
        print("models: left out; set INERTIAL_CHECK_CORPUS to their folder")
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PYTHONPYCACHEPREFIX"] = folder
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
            compare(Path(corpus), args.simcheck, args.turns)
    measure_large(args.triangles)


def compare(corpus: Path, simcheck: str | None, turns: int) -> None:
    """Print a row a model."""
    if simcheck is None:
        print("simcheck is not installed: pip install simcheck, or --simcheck PROGRAM")
    print(f"medians of {turns} alternating turns; ours / simcheck --static-only")
    ratios = []
    for name in MODELS:
        path = corpus / name
        package = PACKAGES.get(path.name)
        options = [] if package is None else ["--package-path", f"{package}={path.parent}"]
        commands = {"ours": [str(PROGRAM), "check", str(path), *options]}
        if simcheck is not None:
            theirs = [simcheck, "check", "--static-only", "--no-cache", "--no-config"]
            commands["simcheck"] = [*theirs, str(path), *options]
        rows = [{who: run(command) for who, command in commands.items()} for _ in range(turns + 1)]
        seconds = {who: median(row[who].seconds for row in rows[1:]) for who in commands}
        memory = {who: max(row[who].megabytes for row in rows) for who in commands}
        line = " / ".join(f"{1e3 * seconds[who]:6.0f} ms {memory[who]:4.0f} MB" for who in commands)
        if simcheck is not None:
            ratios.append(seconds["simcheck"] / seconds["ours"])
            line += f"  {ratios[-1]:6.1f} x"
        print(f"  {path.name:24} {line}", flush=True)
    if ratios:
        met = "met" if min(ratios) >= AIM else "missed"
        print(f"  least ratio {min(ratios):.1f}, aim {AIM:g}: {met}")


def run(command: Sequence[str]) -> Run:
    """A process from start to exit.

    Linux counts the memory of the process that starts another as the other's: this one is small
    until all are done.
    """
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1) or b"Traceback" in said:
        sys.exit(f"{' '.join(command)} left with {process.returncode}:\n{said.decode()}")
    return Run(seconds, usage.ru_maxrss / 1024)


def measure_large(count: int) -> None:
    """Write a torus of so many triangles, and measure it."""
    from inertial_check.checking.shapes.meshes import measure_file  # see `run`

    around, across = max(3, round((count / 2) ** 0.5 * 2)), max(3, round((count / 2) ** 0.5 / 2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "torus.stl"
        write_torus(path, around, across)
        size = path.stat().st_size / 1e6
        start = perf_counter()
        mesh = measure_file(str(path), (1.0, 1.0, 1.0), [((1, 0, 0), (0, 1, 0), (0, 0, 1))]).mesh
        seconds = perf_counter() - start
        tracemalloc.start()
        measure_file(str(path), (2.0, 2.0, 2.0))
        peak = tracemalloc.get_traced_memory()[1] / 1e6
    exact = 2 * pi**2 * 0.3**2
    print(f"one mesh of {mesh.triangles} triangles, {size:.0f} MB of binary STL")
    print(
        f"  {seconds:.2f} s, {1e9 * seconds / mesh.triangles:.0f} ns a triangle, "
        f"{peak:.0f} MB of arrays at most"
    )
    print(f"  closed: {mesh.closed}, volume / exact - 1 = {mesh.volume / exact - 1:.1e}")


def write_torus(path: Path, around: int, across: int) -> None:
    """A torus of radii 1 and 0.3, ring after ring."""
    import numpy as np

    facet = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    tube = 2 * pi * np.arange(across + 1) / across
    tube[-1] = 0.0  # the same corners, bit for bit

    def ring(turn: float) -> np.ndarray:
        radius = 1 + 0.3 * np.cos(tube)
        return np.stack([radius * np.cos(turn), radius * np.sin(turn), 0.3 * np.sin(tube)], axis=-1)

    with path.open("wb") as file:
        file.write(b"torus".ljust(80, b"\0") + struct.pack("<I", 2 * around * across))
        for i in range(around):
            here, there = (ring(2 * pi * (j % around) / around) for j in (i, i + 1))
            facets = np.zeros(2 * across, dtype=facet)
            a, b, c, d = here[:-1], there[:-1], there[1:], here[1:]
            facets["corners"][::2] = np.stack([a, b, c], axis=1)
            facets["corners"][1::2] = np.stack([a, c, d], axis=1)
            file.write(facets.tobytes())


if __name__ == "__main__":
    main()
