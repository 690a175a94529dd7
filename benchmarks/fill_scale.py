"""How long filling a robot of many links with meshes takes, and how much memory.

    python benchmarks/fill_scale.py [--links 50] [--rings 100] [--repeats 3]

Writes a chain of links, each with a closed mesh of its own of 4 x rings^2 triangles, into a folder,
and fills it in a process of its own with a known total mass, as the command does. The aim is 10 s
and 1 GB for 50 links.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

LINK = '<link name="l{0}"><visual><geometry><mesh filename="l{0}.stl"/></geometry></visual></link>'
JOINT = (
    '<joint name="j{0}" type="revolute"><parent link="l{1}"/><child link="l{0}"/>'
    '<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="9" velocity="1"/></joint>'
)


def make_mesh(rings: int, rng: np.random.Generator) -> bytes:
    """A closed surface about the middle of a link: a sphere with bumps, as binary STL."""
    polar = np.linspace(0, np.pi, rings + 1)
    around = np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    bumps = 1 + 0.2 * np.cos(rng.integers(1, 4) * polar)[:, None] * np.cos(around)
    bumps[[0, -1]] = 1.0
    sine = np.sin(polar)
    sine[-1] = 0.0  # the last ring is one point
    unit = np.stack(
        [
            sine[:, None] * np.cos(around),
            sine[:, None] * np.sin(around),
            np.repeat(np.cos(polar)[:, None], len(around), axis=1),
        ],
        axis=2,
    )
    points = unit * bumps[:, :, None] * [0.04, 0.05, 0.1] + [0, 0, 0.1]
    following = np.roll(points, -1, axis=1)
    upper = np.stack([points[:-1], points[1:], following[:-1]], axis=2)[1:]
    lower = np.stack([following[:-1], points[1:], following[1:]], axis=2)[:-1]
    triangles = np.concatenate([upper.reshape(-1, 9), lower.reshape(-1, 9)])
    records = np.zeros(len(triangles), dtype=[("normal", "<3f4"), ("corners", "<9f4"), ("", "<u2")])
    records["corners"] = triangles
    return bytes(80) + struct.pack("<I", len(records)) + records.tobytes()


def make_robot(folder: Path, links: int, rings: int) -> Path:
    """A chain of links with meshes in a folder."""
    rng = np.random.default_rng(18)
    for number in range(links):
        (folder / f"l{number}.stl").write_bytes(make_mesh(rings, rng))
    parts = [LINK.format(number) for number in range(links)]
    parts += [JOINT.format(number, number - 1) for number in range(1, links)]
    path = folder / "robot.urdf"
    path.write_text('<robot name="chain">\n' + "\n".join(parts) + "\n</robot>\n")
    return path


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=50)
    parser.add_argument("--rings", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = make_robot(Path(name), args.links, args.rings)
        command = [sys.executable, "-m", "inertial_check", "fill", str(path), "--total-mass", "60"]
        times, used = [], 0.0
        for _ in range(args.repeats):
            began, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [*command, "--quiet", "-o", f"{name}/filled.urdf"], check=True, capture_output=True
            )
            times.append(perf_counter() - began)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = Path(name, "l0.stl").stat().st_size // 50
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(
            f"{args.links} links of {size} triangles: {statistics.median(times):.2f} s (median of "
            f"{args.repeats}; processor {used:.2f} s in the last), {peak:.0f} MB"
        )


if __name__ == "__main__":
    main()
