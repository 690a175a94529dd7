"""Different models from templates, each from its number alone, in archives that are kept."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ("arm", "crane", "fixed-frames", "inertial-rpy")

DEFECTS = 8
"""One of so many models has a planted defect."""

INERTIAL = re.compile(r'(<mass value=")([^"]+)("/>.*?<inertia )([^>]+?)(/>)', re.DOTALL)
ENTRY = re.compile(r'(i\w\w)="([^"]+)"')


class Models(NamedTuple):
    """Archives of generated models.

    Attributes:
        paths: Paths of the archives.
        planted: Number of planted defects, by the rule that finds them.
        size: Size of all archives [bytes].
        made: Number of archives that were made now; the others existed.
        digest: Digest of what determines the models.
    """

    paths: list[Path]
    planted: Counter[str]
    size: int
    made: int
    digest: str


def generate(count: int, each: int, folder: Path) -> Models:
    """Write the archives that are missing or incomplete.

    Args:
        count: Number of models.
        each: Number of models in an archive.
        folder: Folder of the archives; others than these are deleted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = [(ROOT / f"data/valid/{name}.urdf").read_text() for name in TEMPLATES]
    program = Path(__file__).read_bytes()
    digest = hashlib.sha256(b"".join([program, *map(str.encode, texts)])).hexdigest()[:16]
    planted: Counter[str] = Counter()
    paths = [folder / f"shard-{first // each:06}.zip" for first in range(0, count, each)]
    for path in set(folder.iterdir()).difference(paths):
        path.unlink()
    made = 0
    for at, path in enumerate(paths):
        numbers = range(at * each, min((at + 1) * each, count))
        found = _read_planted(path, digest, numbers)
        if found is None:
            made += 1
            found = _write_archive(path, texts, digest, numbers)
        planted.update(found)
    size = sum(path.stat().st_size for path in paths)
    return Models(paths, planted, size, made, f"{digest} {count} {each}")


def _read_planted(path: Path, digest: str, numbers: range) -> dict[str, int] | None:
    """What is planted in a complete archive of these models; None if there is no such archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            told = json.loads(archive.comment)
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    same = told.get("models") == [digest, numbers.start, numbers.stop]
    return dict(told["planted"]) if same else None


def _write_archive(path: Path, texts: list[str], digest: str, numbers: range) -> Counter[str]:
    """Write an archive, whole or not at all; its comment says what it holds."""
    planted: Counter[str] = Counter()
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in numbers:
            text, code = make_model(texts, number)
            planted.update([code] if code else [])
            archive.writestr(f"robots/{number:07}.urdf", text)
        told = {"models": [digest, numbers.start, numbers.stop], "planted": planted}
        archive.comment = json.dumps(told).encode()
    os.replace(part, path)
    return planted


def make_model(texts: list[str], number: int) -> tuple[str, str | None]:
    """Make a model from its number alone; returns the rule that finds its defect, if it has one."""
    draw = random.Random(number)
    text = texts[number % len(texts)]
    bodies = INERTIAL.findall(text)
    defect = draw.choice(("IC101", "IC301")) if draw.randrange(DEFECTS) == 0 else None
    place = draw.choice([at for at, body in enumerate(bodies) if float(body[1]) > 0])
    numbers = iter(range(len(bodies)))

    def change(match: re.Match[str]) -> str:
        factor = draw.uniform(0.5, 2.0)
        broken = next(numbers) == place
        mass = float(match[2]) * factor * (-1 if broken and defect == "IC101" else 1)
        entries = {name: float(value) * factor for name, value in ENTRY.findall(match[4])}
        if broken and defect == "IC301":
            entries["izz"] = 2.5 * (entries["ixx"] + entries["iyy"] + entries["izz"])
        written = " ".join(f'{name}="{value:.9g}"' for name, value in entries.items())
        return f"{match[1]}{mass:.9g}{match[3]}{written}{match[5]}"

    return INERTIAL.sub(change, text), defect
