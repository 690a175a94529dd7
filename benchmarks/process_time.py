"""What a user waits for the check of one small model: whole processes, from start to exit.

    python benchmarks/process_time.py [--repeats 21] [--model data/arm.urdf]

A bare interpreter, one that imports NumPy, and the command run in turns, so that a busy machine
slows all of them. A time is the median over the turns; the ratio is the median of the turns' own
ratios. The aim: the command takes at most 1.3 times what importing NumPy takes.

The first turn fills the caches and does not count. What each import costs is shown by
`python -X importtime -m inertial_check check data/arm.urdf`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

AIM = 1.3
ARM = Path(__file__).resolve().parent.parent / "data" / "arm.urdf"
PROGRAM = Path(sys.executable).with_name("inertial-check")
CLEAN_OR_FINDINGS = (0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=21, help="turns, at least 15")
    parser.add_argument("--model", type=Path, default=ARM)
    args = parser.parse_args()
    if args.repeats < 15:
        parser.error("a median needs at least 15 turns")
    if not PROGRAM.exists():
        parser.error(f"no {PROGRAM}: install the package for this interpreter (pip install -e .)")
    numpy, check = 'python -c "import numpy"', f"inertial-check check {args.model.name}"
    processes = {
        "python -c pass": [sys.executable, "-c", "pass"],
        numpy: [sys.executable, "-c", "import numpy"],
        check: [str(PROGRAM), "check", str(args.model)],
    }
    turns = [
        {name: seconds(command) for name, command in processes.items()}
        for _ in range(args.repeats + 1)
    ][1:]
    print(f"median of {args.repeats} alternating turns")
    for name in processes:
        print(f"{1e3 * median(turn[name] for turn in turns):8.1f} ms  {name}")
    ratio = median(turn[check] / turn[numpy] for turn in turns)
    met = "met" if ratio <= AIM else "missed"
    print(f"{ratio:8.2f} x   of importing NumPy, aim {AIM}: {met}")


def seconds(command: list[str]) -> float:
    start = perf_counter()
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    elapsed = perf_counter() - start
    if process.returncode not in CLEAN_OR_FINDINGS or "Traceback" in process.stderr:
        sys.exit(f"{' '.join(command)} left with {process.returncode}:\n{process.stderr}")
    return elapsed


if __name__ == "__main__":
    main()
