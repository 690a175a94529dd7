"""What other checkers find of one planted mistake in each of 60 models, beside this one.

python benchmarks/peers.py FOLDER... [--converter urdf_usd_converter] [--only PROGRAM]

FOLDERs hold the programs of environments of their own. The models are those of
INERTIAL_CHECK_CORPUS: small URDFs, chosen by hash, in which this program finds no error, and
nothing in the body that is changed; checkers of USD get the stage that the converter makes of the
same document, its meshes replaced by boxes. A mistake is found if the program prints a line with
the name of the link that it does not print of the sound model; placed if it prints a line number of
that inertial; explained if it prints the digits that were there before. A program that fails the
sound model (exit code) is counted, too.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

import inertial_check as ic

OWN = [sys.executable, "-m", "inertial_check", "check", "--isolated", "-v"]
PROGRAMS = {
    "inertial-check": OWN,
    "simcheck": ["simcheck", "check", "--no-config"],
    "truerig": ["truerig", "validate"],
    "urdf-validator": ["urdf_validate"],
    "isaaclab-robot-doctor": ["isaaclab-robot-doctor", "check"],
    "mjcf-doctor": ["mjcf-doctor", "check"],
}
"""Programs for URDF, with the arguments before the path; the first one is this package."""

OF_STAGES = {
    "inertial-check (USD)": OWN,
    "usd-validation-nvidia": ["nvidia_usd_validate"],
    "simready-validate": ["simready-validate", "--profile=Robot-Body", "--version=3.0.0", "-v"],
    "ros-openusd-compliance-checker": ["usd-check"],
}
"""Programs for USD."""

MODELS, LARGEST = 60, 60_000
"""Number of sound models and of stages, and their largest size [bytes]; each gets one mistake."""

MESH = re.compile(rb"<mesh\b[^>]*?(/>|>\s*</mesh>)")

COLOR = re.compile(r"\x1b\[[0-9;]*m")


class Planted(NamedTuple):
    """A model with one mistake: bytes, names of the link, lines of its inertial, lost digits."""

    kind: str
    data: bytes
    names: tuple[str, ...]
    lines: range
    digits: str


def choose_models(corpus: Path) -> Iterator[tuple[Path, object]]:
    """Small URDFs in the order of their hashes without an error, each with a body to change."""
    paths = sorted(corpus.rglob("*.urdf"), key=lambda p: hashlib.sha1(p.name.encode()).digest())
    for path in paths:
        if path.stat().st_size <= LARGEST:
            try:
                report = ic.check_model(path)
            except ic.InertialCheckError:
                continue
            doubted = [each for each in report.findings if each.severity.word != "note"]
            names = {name for each in doubted for name in (each.body_id, *each.body_ids)}
            body = pick_body(path, names)
            if body is not None and all(each.severity.word != "error" for each in doubted):
                yield path, body


def pick_body(path: Path, doubted: set[str | None]):
    """The first body with six numbers that a joint moves and nothing is said of; None without."""
    for body in ic.load(path).bodies:
        inertial = body.inertial
        if inertial is None or inertial.mass is None or not body.moved or body.id in doubted:
            continue
        six = inertial.I_BBcm_Bi
        numbers = [inertial.mass, *six.values()]
        written = len(six) == 6 and all(number.literal and number.span for number in numbers)
        if written and min(six[name].value for name in ("ixx", "iyy", "izz")) > 0:
            return body
    return None


def plant(path: Path, body, turn: int) -> Planted:
    """One mistake: a point slipped, a sign of the mass, a product too large, or kg mm^2."""
    model, inertial = ic.load(path), body.inertial
    six, source = inertial.I_BBcm_Bi, model.source
    large = max(("ixx", "iyy", "izz"), key=lambda name: six[name].value)
    product = 2 * (six["ixx"].value * six["iyy"].value) ** 0.5
    kind, texts, digits = (
        ("decimal slip", {large: repr(10 * six[large].value)}, six[large].text),
        ("negative mass", {"mass": f"-{inertial.mass.text}"}, inertial.mass.text),
        ("indefinite", {"ixy": repr(product)}, six["ixy"].text),
        ("kg mm^2", {n: repr(1e6 * number.value) for n, number in six.items()}, six[large].text),
    )[turn % 4]
    lines = range(source.line(inertial.span.start), source.line(inertial.span.end) + 1)
    data = source.data
    spans = {name: (inertial.mass if name == "mass" else six[name]).span for name in texts}
    for name in sorted(spans, key=lambda name: -spans[name].start):
        span = spans[name]
        data = data[: span.start] + texts[name].encode() + data[span.end :]
    return Planted(kind, data, (body.name,), lines, digits)


class Case(NamedTuple):
    """Two documents for a program, the sound one and the one with a mistake."""

    sound: Path
    wrong: Path
    planted: Planted


def write_documents(models: Iterable[tuple[Path, object]], folder: Path) -> Iterator[Case]:
    """Write each model beside the same with a mistake; both have one name, in two folders."""
    for turn, (path, body) in enumerate(models):
        planted = plant(path, body, turn)
        case = Case(*(folder / f"{turn}/{kind}/robot.urdf" for kind in ("sound", "wrong")), planted)
        for target, data in ((case.sound, path.read_bytes()), (case.wrong, planted.data)):
            target.parent.mkdir(parents=True)
            target.write_bytes(data)
        yield case


def convert(cases: Iterable[Case], converter: str) -> Iterator[Case]:
    """The stages of the documents; without those of which the converter makes none."""
    for case in cases:
        stages = []
        for path in (case.sound, case.wrong):
            boxes = path.with_name("boxes.urdf")
            boxes.write_bytes(MESH.sub(b'<box size="0.1 0.1 0.1"/>', path.read_bytes()))
            stage = path.parent / "stage"
            subprocess.run(
                [converter, str(boxes), str(stage)], capture_output=True, timeout=600, check=False
            )
            stages += stage.glob("*.usd*")
        if len(stages) == 2:
            model, lines, names = ic.load(stages[1]), range(0), case.planted.names
            for body in model.bodies:
                if body.name in names and body.inertial:
                    place, span = model.source_of(body.inertial.span), body.inertial.span
                    lines = range(place.line(span.start), place.line(span.end) + 1)
                    names = (body.name, body.id.rpartition("/")[2])
            yield Case(*stages, case.planted._replace(lines=lines, names=names))
        else:
            print(f"no stage of model {case.sound.parents[1].name}", file=sys.stderr)


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
    text = COLOR.sub("", done.stdout + done.stderr).replace(str(path.parent), "")
    return done.returncode, text.splitlines(), time.perf_counter() - start


def measure(command: list[str], cases: list[Case]) -> dict[str, float]:
    """The row of a program."""
    counts = dict.fromkeys(("found", "place", "cause", "false"), 0)
    seconds = []
    for case in cases:
        each = case.planted
        code, before, _ = run(command, case.sound)
        counts["false"] += code != 0
        _, after, taken = run(command, case.wrong)
        seconds.append(taken)
        new = list((Counter(after) - Counter(before)).elements())
        name = "|".join(re.escape(name.strip("/")) for name in each.names)
        named = any(re.search(rf"(?<!\w)({name})(?!\w)", line) for line in new)
        counts["found"] += named
        numbers = {int(n) for line in new for n in re.findall(r"[: ](\d+)(?=[:, ])", line)}
        counts["place"] += named and bool(numbers & set(each.lines))
        told = any(re.search(rf"(?<![\d.]){re.escape(each.digits)}\b", line) for line in new)
        counts["cause"] += named and told and each.digits not in ("0", "0.0")
    return {**counts, "seconds": median(seconds)}


def find_program(name: str, folders: list[str]) -> str:
    """The path of a program in the first folder that has it; "" if none has."""
    paths = (Path(folder) / name for folder in folders)
    return next((str(path) for path in paths if path.exists()), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", help="folders of the programs")
    parser.add_argument("--only", default="", help="measure this program alone")
    parser.add_argument("--converter", default="", help="program that makes USD of URDF")
    parser.add_argument("--models", type=int, default=MODELS, help="measure the first ones alone")
    arguments = parser.parse_args()
    print("| program | models | found | place | cause | sound models failed | seconds (median) |")
    print("|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        written = write_documents(
            choose_models(Path(os.environ["INERTIAL_CHECK_CORPUS"])), Path(folder)
        )
        cases = list(islice(written, arguments.models))
        converted = convert(chain(cases, written), arguments.converter)
        stages = list(islice(converted, arguments.models)) if arguments.converter else []
        for programs, given in ((PROGRAMS, cases), (OF_STAGES, stages)):
            for name, (program, *rest) in programs.items():
                own = program == sys.executable
                path = program if own else find_program(program, arguments.folders)
                if arguments.only in ("", name) and path and given:
                    row = measure([path, *rest], given)
                    shown = " | ".join(
                        str(row[key]) for key in ("found", "place", "cause", "false")
                    )
                    print(f"| {name} | {len(given)} | {shown} | {row['seconds']:.2g} |", flush=True)


if __name__ == "__main__":
    main()
