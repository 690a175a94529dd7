"""What other checkers find of one planted mistake in each of 60 models, beside this one.

python benchmarks/peers.py [FOLDER OF PROGRAMS] [--only PROGRAM]

The models are those of INERTIAL_CHECK_CORPUS: small URDFs, chosen by hash, that have no finding of
a number. A mistake is found if the program prints a line with the name of the link that it does not
print of the sound model; placed if it prints a line number of that inertial; explained if it prints
the digits that were there before. A program that fails the sound model (exit code) is counted, too.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import inertial_check as ic

PROGRAMS = {
    "inertial-check": [sys.executable, "-m", "inertial_check", "check", "--isolated", "-v"],
    "simcheck": ["simcheck", "check", "--no-config"],
    "truerig": ["truerig", "validate"],
    "isaaclab-robot-doctor": ["isaaclab-robot-doctor", "check"],
    "urdf-validator": ["urdf_validate", "--output-dir", "report"],
    "mjcf-doctor": ["mjcf-doctor", "check"],
}
"""Programs with the arguments before the path; of the first one, this package is measured."""

MODELS, LARGEST = 15, 20_000
"""Number of sound models, and their largest size [bytes]; each gets one mistake of each kind."""

COLOR = re.compile(r"\x1b\[[0-9;]*m")


class Planted(NamedTuple):
    """A model with one mistake: bytes, link, lines of its inertial, digits that were lost."""

    kind: str
    data: bytes
    link: str
    lines: range
    digits: str


def choose_models(corpus: Path) -> list[Path]:
    """Small URDFs in the order of their hashes that have no error and no warning."""
    paths = sorted(corpus.rglob("*.urdf"), key=lambda p: hashlib.sha1(p.name.encode()).digest())
    found: list[Path] = []
    for path in paths:
        if len(found) < MODELS and path.stat().st_size <= LARGEST:
            try:
                report = ic.check_model(path)
            except ic.InertialCheckError:
                continue
            noted = {finding.code for finding in report.findings if finding.severity.word != "note"}
            if noted <= {"IC003"} and pick_body(path) is not None:
                found.append(path)
    return found


def pick_body(path: Path):
    """The first body with six numbers that a joint moves; None without one."""
    for body in ic.load(path).bodies:
        inertial = body.inertial
        if inertial is None or inertial.mass is None or not body.moved:
            continue
        six = inertial.I_BBcm_Bi
        numbers = [inertial.mass, *six.values()]
        written = len(six) == 6 and all(number.literal and number.span for number in numbers)
        if written and min(six[name].value for name in ("ixx", "iyy", "izz")) > 0:
            return body
    return None


def plant(path: Path) -> list[Planted]:
    """The mistakes: a point slipped, a sign of the mass, a product too large, units of kg mm^2."""
    model, body = ic.load(path), pick_body(path)
    inertial = body.inertial
    six, source = inertial.I_BBcm_Bi, model.source
    large = max(("ixx", "iyy", "izz"), key=lambda name: six[name].value)
    product = 2 * (six["ixx"].value * six["iyy"].value) ** 0.5
    changes = {
        "decimal slip": ({large: repr(10 * six[large].value)}, six[large].text),
        "negative mass": ({"mass": f"-{inertial.mass.text}"}, inertial.mass.text),
        "indefinite": ({"ixy": repr(product)}, six["ixy"].text),
        "kg mm^2": ({n: repr(1e6 * number.value) for n, number in six.items()}, six[large].text),
    }
    lines = range(source.line(inertial.span.start), source.line(inertial.span.end) + 1)
    planted = []
    for kind, (texts, digits) in changes.items():
        data = source.data
        spans = {name: (inertial.mass if name == "mass" else six[name]).span for name in texts}
        for name in sorted(spans, key=lambda name: -spans[name].start):
            span = spans[name]
            data = data[: span.start] + texts[name].encode() + data[span.end :]
        planted.append(Planted(kind, data, body.name, lines, digits))
    return planted


def run(command: list[str], path: Path) -> tuple[int, list[str], float]:
    """Exit code, lines and seconds of a program on a file."""
    start = time.perf_counter()
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "300"}
    try:
        done = subprocess.run(
            [*command, path.name], cwd=path.parent, env=environment, capture_output=True,
            text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, [], 120.0
    text = COLOR.sub("", done.stdout + done.stderr)
    return done.returncode, text.splitlines(), time.perf_counter() - start


def measure(command: list[str], models: list[Path]) -> dict[str, float]:
    """The row of a program."""
    counts = dict.fromkeys(("found", "place", "cause", "false"), 0)
    seconds = []
    for path in models:
        with tempfile.TemporaryDirectory() as folder:
            sound = Path(folder) / "robot.urdf"
            sound.write_bytes(path.read_bytes())
            code, before, _ = run(command, sound)
            counts["false"] += code != 0
            known = set(before)
            for each in plant(path):
                sound.write_bytes(each.data)
                _, after, taken = run(command, sound)
                seconds.append(taken)
                new = [line for line in after if line not in known]
                named = any(re.search(rf"\b{re.escape(each.link)}\b", line) for line in new)
                counts["found"] += named
                numbers = {int(n) for line in new for n in re.findall(r"[: ](\d+)(?=[:, ])", line)}
                counts["place"] += named and bool(numbers & set(each.lines))
                told = any(
                    re.search(rf"(?<![\d.]){re.escape(each.digits)}\b", line) for line in new
                )
                counts["cause"] += named and told and each.digits not in ("0", "0.0")
    return {**counts, "seconds": median(seconds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="?", default="", help="folder of the programs")
    parser.add_argument("--only", default="", help="measure this program alone")
    arguments = parser.parse_args()
    models = choose_models(Path(os.environ["INERTIAL_CHECK_CORPUS"]))
    print(f"{len(models)} sound models, {4 * len(models)} with one mistake")
    print("| program | found | place | cause | sound models failed | seconds (median) |")
    print("|---|---|---|---|---|---|", flush=True)
    for name, (program, *rest) in PROGRAMS.items():
        own = program == sys.executable
        path = program if own else str(Path(arguments.programs) / program)
        if arguments.only in ("", name) and (own or Path(path).exists()):
            row = measure([path, *rest], models)
            shown = " | ".join(str(row[key]) for key in ("found", "place", "cause", "false"))
            print(f"| {name} | {shown} | {row['seconds']:.2g} |", flush=True)


if __name__ == "__main__":
    main()
