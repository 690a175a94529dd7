"""Processor time of the check of one small model: whole processes, from start to exit.

    python benchmarks/process_time.py [--repeats 15] [--model data/arm.urdf] [--simcheck PROGRAM]

A process that imports NumPy, the command, and simcheck 0.2.0 (`scan --static-only`, where it is
installed) run in turns, so that a busy machine slows all of them. Times are user and system time of
a process with its children, medians over the turns and the least of them; the ratio is the median
of the turns' own ratios. The aims: the command takes at most 0.20 s, and simcheck three times as
long.

The first turn fills the caches and does not count. What each import costs is shown by
`python -X importtime -m inertial_check check data/arm.urdf`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

AIM, SIMCHECK_AIM = 0.20, 3.0
ARM = Path(__file__).resolve().parent.parent / "data" / "arm.urdf"
PROGRAM = Path(sys.executable).with_name("inertial-check")
CLEAN_OR_FINDINGS = (0, 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=15, help="turns (default: 15)")
    parser.add_argument("--model", type=Path, default=ARM)
    parser.add_argument("--simcheck", default=shutil.which("simcheck"), help="its program")
    args = parser.parse_args()
    if not PROGRAM.exists():
        parser.error(f"no {PROGRAM}: install the package for this interpreter (pip install -e .)")
    numpy, check = 'python -c "import numpy"', f"inertial-check check {args.model.name}"
    processes = {
        numpy: [sys.executable, "-c", "import numpy"],
        check: [str(PROGRAM), "check", str(args.model)],
    }
    scan = [args.simcheck, "scan", str(args.model), "--static-only", "-q", "-o", "rows.jsonl"]
    if args.simcheck:
        processes["simcheck scan --static-only"] = scan
    with tempfile.TemporaryDirectory() as folder:
        turns = [
            {name: seconds(command, Path(folder)) for name, command in processes.items()}
            for _ in range(args.repeats + 1)
        ][1:]
    print(f"{args.repeats} alternating turns: median, least")
    for name in processes:
        times = [turn[name] for turn in turns]
        print(f"{median(times):8.3f} s {min(times):8.3f} s  {name}")
    least = min(turn[check] for turn in turns)
    print(f"the check takes {least:.3f} s, aim {AIM:.2f}: {'met' if least <= AIM else 'missed'}")
    if args.simcheck:
        ratio = median(turn["simcheck scan --static-only"] / turn[check] for turn in turns)
        word = "met" if ratio >= SIMCHECK_AIM else "missed"
        print(f"simcheck takes {ratio:.2f} x as long, aim {SIMCHECK_AIM:g}: {word}")
    else:
        print("not compared: simcheck (pip install simcheck==0.2.0, or --simcheck PROGRAM)")


def seconds(command: list[str], folder: Path) -> float:
    """Processor time of a process in an empty folder, with its children."""
    (folder / "rows.jsonl").unlink(missing_ok=True)
    before = getrusage(RUSAGE_CHILDREN)
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = getrusage(RUSAGE_CHILDREN)
    if process.returncode not in CLEAN_OR_FINDINGS or "Traceback" in process.stderr:
        sys.exit(f"{' '.join(command)} left with {process.returncode}:\n{process.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
