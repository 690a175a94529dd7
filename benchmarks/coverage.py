"""How often identified numbers lie further from the truth than their standard deviations say.

    python benchmarks/coverage.py [--fits N] [--sensors NAME ...] [--robots NAME ...] [--seed N]
        [--runs N] [--options=--method=iv] [--json FILE]

Robots, their true bodies, motions and friction are those of `mistakes.py`, torques have 2 % of
white noise, and logs hold positions and torques only. The sensors of the positions are

* `16-bit`: encoders of 16 bits a turn;
* `noise`: white noise of 1e-3 rad;
* `10-bit`: encoders of 10 bits a turn.

The command line is run on each log. Counted are base parameters, among them those of friction, the
single parameters of bodies, and friction: those more than three printed deviations off, which
normal errors are in 0.27 %, with the 95 % interval of Clopper and Pearson; and the root mean square
of all differences in deviations, 1 for right ones.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import mistakes
import numpy as np
from mistakes import KEPT, TUNED, Case, base_values, bench_of, interval

BEYOND = 3.0
KINDS = ("base parameters", "single bodies", "friction")


def sense(case: Case, sensor: str) -> None:
    """Replace the positions of a log by those of a sensor, and leave the velocities out."""
    rng = np.random.default_rng([case.seed, 5])
    q = case.exact
    if sensor == "noise":
        case.log["q"] = q + 1e-3 * rng.normal(size=q.shape)
    else:
        step = 2 * np.pi / 2 ** int(sensor.partition("-")[0])
        case.log["q"] = np.round(q / step) * step
    del case.log["u"]


def compare(case: Case, found: dict[str, Any]) -> dict[str, np.ndarray]:
    """Differences of a report from the truth, in its deviations, by kind."""
    rows = found["base"]["parameters"]
    value, deviation = (
        np.array([row[key] for row in rows]) for key in ("value", "standard_deviation")
    )
    base = (value - base_values(case, found, case.truth)) / deviation
    bodies = []
    for body, truth in zip(found["bodies"], case.truth, strict=True):
        for own, true in zip(body["parameters"].values(), truth.tolist(), strict=True):
            bodies.append((own["value"] - true) / own["standard_deviation"])
    friction = []
    for row in found["friction"]:
        kind = row["name"].rstrip("0123456789")
        true = case.friction[kind][int(row["name"][len(kind) :]) - 1]
        friction.append((row["value"] - true) / row["standard_deviation"])
    return dict(zip(KINDS, map(np.array, (base, bodies, friction)), strict=True))


def main(arguments: Sequence[str] | None = None) -> dict[str, dict[str, str]]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=20)
    parser.add_argument("--robots", nargs="+", default=[*TUNED, *KEPT])
    parser.add_argument("--sensors", nargs="+", default=["16-bit", "noise", "10-bit"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(arguments)
    figures: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="coverage-") as folder:
        for sensor in args.sensors:
            start, every = process_time(), {kind: [np.zeros(0)] for kind in KINDS}
            refused = 0
            for fit in range(args.fits):
                bench = bench_of(args.robots[fit % len(args.robots)], Path(folder))
                if bench is None:
                    sys.exit(f"{args.robots[fit % len(args.robots)]}: its folder is not there")
                case = Case(bench, args.seed + fit, options=args.options.split())
                case.simulate()
                sense(case, sensor)
                found = mistakes.run(case, Path(folder))
                refused += found.code != 0
                if found.report is None:
                    continue
                for kind, z in compare(case, found.report).items():
                    every[kind].append(z)
            figures[sensor] = {}
            for kind, parts in every.items():
                z = np.concatenate(parts)
                rate = interval(int(np.sum(np.abs(z) > BEYOND)), len(z))
                worst, rms = np.max(np.abs(z), initial=0.0), np.sqrt(np.mean(z**2))
                figures[sensor][kind] = f"{rate}, rms {rms:.2f}, worst {worst:.1f}"
                print(f"{sensor:8}{kind:18}{figures[sensor][kind]}", flush=True)
            print(
                f"{args.fits} fits, {refused} not written, {process_time() - start:.0f} s",
                flush=True,
            )
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))
    return figures


if __name__ == "__main__":
    main()
