"""Fuzz the readers of inertial_check: python tests/security/fuzz [--long] [--target NAME]...

A failure prints the command that repeats it, and its files are saved.
"""

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)
sys.path.insert(1, str(HERE.parents[2]))


def main() -> int:
    """Run inputs; exit code 1 where one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    from fuzz.runner import SHARES, Input, choose_inputs, run_inputs, save_input

    parser.add_argument(
        "--target", action="append", choices=sorted(SHARES), help="only this target"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the run (default: 1)")
    parser.add_argument("--count", type=int, default=1000, help="number of inputs (default: 1000)")
    parser.add_argument(
        "--skip", type=int, default=0, metavar="N", help="leave out the first N, seen before"
    )
    parser.add_argument("--long", action="store_true", help="100,000 inputs")
    parser.add_argument("--input", type=int, metavar="N", help="run input N of the target only")
    parser.add_argument(
        "--save", type=Path, default=Path("fuzz-failures"), help="folder of failures"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        from fuzz.worker import work

        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what anything prints must not stand between the answers
        work(sys.stdin, answers)
        return 0
    count = 100_000 if args.long else args.count
    inputs = choose_inputs(args.seed, count, args.target)[args.skip :]
    if args.input is not None:
        inputs = [Input(name, args.seed, args.input) for name in args.target or ()]

    def report(each: Input, problem: str) -> None:
        place = save_input(each, args.save)
        print(f"{each}\n  {problem[:1500]}\n  saved: {place}", flush=True)

    outcome = run_inputs(inputs, report)
    for target, number in sorted(outcome.counts.items()):
        seconds, each = outcome.slowest[target]
        print(f"{target}: {number} inputs, longest {seconds:.2f} s (--input {each.number})")
    total = sum(outcome.counts.values())
    print(f"{total} inputs in {outcome.total:.0f} s, {len(outcome.failures)} failures")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
