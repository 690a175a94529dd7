"""What a user waits for a check of one small model: whole processes, from start to exit.

    python benchmarks/process_time.py [--repeats 21] [--model data/arm.urdf]

The command, an interpreter that only imports NumPy, and a bare interpreter run in turns, so that a
busy machine slows all of them. A time is the median; the ratio is the median of the turns' own
ratios. The aim: the check costs at most 1.5 times what importing NumPy does.

The first turn compiles and fills the caches and does not count. Which imports cost:
`python -X importtime -m inertial_check check data/arm.urdf`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

AIM = 1.5
PROJECT = Path(__file__).resolve().parent.parent
CLEAN_OR_FINDINGS = (0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=21, help="turns, at least 15")
    parser.add_argument("--model", type=Path, default=PROJECT / "data" / "arm.urdf")
    args = parser.parse_args()
    if args.repeats < 15:
        parser.error("at least 15 repeats")
    command = f"{program()[-1]} check {args.model}"
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import numpy"': [sys.executable, "-c", "import numpy"],
        Path(program()[0]).name + command.removeprefix(program()[0]): [
            *program(),
            "check",
            str(args.model),
        ],
    }
    turns = [{name: seconds(argv) for name, argv in commands.items()} for _ in range(args.repeats)]
    _, numpy, check = commands
    print(f"median of {args.repeats} alternating turns")
    for name in commands:
        print(f"{1e3 * median(turn[name] for turn in turns):8.1f} ms  {name}")
    ratio = median(turn[check] / turn[numpy] for turn in turns)
    print(f"{ratio:8.2f} x   check / numpy, aim {AIM}: {'met' if ratio <= AIM else 'missed'}")


if __name__ == "__main__":
    main()
