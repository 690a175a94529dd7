"""Reading folders of real models: which of their bodies are sound.

A folder has one subfolder an upstream. Where it has TRUTH.jsonl, that names the models and says of
each link whether it is consistent, and a model with an inconsistent link has no sound one;
elsewhere every file that a reader knows is a model, and the exact arithmetic on its decimals
decides body by body.
"""

from __future__ import annotations

import json
import os
import pickle
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from decimal import InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import inertial_check as ic
from inertial_check.documents.load import FORMATS
from inertial_check.documents.model import ENTRIES, Model
from inertial_check.errors import DocumentError
from planting.decimals import (
    exact,
    is_consistent,
    is_numerically_zero,
    is_one_digit_of_identity,
)
from planting.sites import Site, has_ten_numbers

SAME_BLOCK = 3
"""Bodies with the same six numbers, but not the same mass, from which these are a placeholder."""
MADE_UP = ("gazebosim+sdformat/",)
"""Documents that test a parser: their numbers are those of no robot."""
TRUTH = "TRUTH.jsonl"

Row = Mapping[str, Any]  # a line of TRUTH.jsonl


class Collection(NamedTuple):
    """What was read.

    Attributes:
        models: All models that could be read, by path below their corpus.
        sites: Every body that its numbers alone call sound.
        roots: The corpus of each upstream.
    """

    models: dict[str, Model]
    sites: list[Site]
    roots: dict[str, str]


def collect(corpora: Sequence[Path], jobs: int, cache: Path | None = None) -> Collection:
    """Read all models of some corpora, or take them from a cache of the same files and readers."""
    kept = None if cache is None else cache / f"models-{_fingerprint(corpora)}.pickle"
    if kept is not None and kept.exists():
        return pickle.loads(kept.read_bytes())  # of the user's own folder
    collection = Collection({}, [], {})
    for corpus in corpora:
        _add(corpus, collection, jobs)
    for site in collection.sites:
        _ = site.refutation, site.twin, site.has_geometry  # so that the cache has them
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(collection))
    return collection


def _add(corpus: Path, collection: Collection, jobs: int) -> None:
    truth = _truth(corpus)
    files = sorted(truth) if truth else _model_files(corpus)
    with ProcessPoolExecutor(jobs) as pool:
        models = pool.map(_loaded, [str(corpus / file) for file in files], chunksize=8)
        for file, model in zip(files, models, strict=True):
            if model is None or not model.bodies:
                continue
            collection.models[file] = model
            collection.roots[file.split("/", 1)[0]] = str(corpus)
            sound = frozenset() if file.startswith(MADE_UP) else _sound(model, truth.get(file))
            collection.sites.extend(Site(file, model, index, sound) for index in sorted(sound))


def _truth(corpus: Path) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    if (corpus / TRUTH).exists():
        for line in (corpus / TRUTH).read_text().splitlines():
            row = json.loads(line)
            rows[row["file"]].append(row)
    return rows


def _model_files(corpus: Path) -> list[str]:
    suffixes = {suffix for module in FORMATS.values() for suffix in module.SUFFIXES}
    files = (Path(folder, name) for folder, _, names in os.walk(corpus) for name in names)
    found = (path.relative_to(corpus) for path in files if path.suffix.lower() in suffixes)
    return sorted(path.as_posix() for path in found if len(path.parts) > 1)


def _loaded(path: str) -> Model | None:
    try:
        return ic.load(path)
    except DocumentError:
        return None


def _fingerprint(corpora: Sequence[Path]) -> str:
    """A digest of the files of the corpora, and of the code that makes models of them."""
    digest = sha256()
    for corpus in corpora:
        for path in sorted(corpus.rglob("*")):
            facts = path.stat()
            digest.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    package, here = Path(ic.__file__).parent, Path(__file__).parent
    code = [*package.glob("model/*.py"), *package.glob("formats/**/*.py")]
    code += [here / name for name in ("corpora.py", "decimals.py", "sites.py")]
    for path in sorted(code):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# ----------------------------------------------------------------- soundness


def _sound(model: Model, rows: Sequence[Row] | None) -> frozenset[int]:
    """The bodies that their numbers call sound."""
    consistent = _consistent(model) if rows is None else _said_consistent(model, rows)
    return frozenset(_no_stand_ins(model, consistent))


def _said_consistent(model: Model, rows: Sequence[Row]) -> set[int]:
    """The bodies that TRUTH.jsonl calls consistent; none where it calls one inconsistent."""
    if any(row.get("exact_psd") is False for row in rows):
        return set()
    named = {row["link"] for row in rows if row.get("exact_psd") and (row["mass"] or 0) > 0}
    named -= {row["link"] for row in rows if not row.get("exact_psd")}
    return {
        index
        for index, body in enumerate(model.bodies)
        if {body.name, "::".join(body.name.split("::")[-2:])} & named
    }


def _consistent(model: Model) -> set[int]:
    """Those that have a mass and are consistent by their decimals alone."""
    found = set()
    for index, body in enumerate(model.bodies):
        texts = Site("", model, index).texts if has_ten_numbers(body) else {}
        try:
            if texts and is_consistent(texts) and exact(texts["mass"]) > 0:
                found.add(index)
        except InvalidOperation:
            continue  # an expression, not a decimal
    return found


def _no_stand_ins(model: Model, consistent: set[int]) -> Iterator[int]:
    """Those of the consistent bodies whose numbers were meant for them."""
    tensors: dict[tuple, list] = defaultdict(list)
    candidates = []
    for index, body in enumerate(model.bodies):
        own = not body.span.file or model.format == "xacro"  # else it counts where it is written
        usable = has_ten_numbers(body) and not body.problems and own
        if index not in consistent or not usable:
            continue
        texts = Site("", model, index).texts
        try:
            six = tuple(exact(texts[entry]) for entry in ENTRIES)
            tensors[six].append(exact(texts["mass"]))
            stand_in = is_one_digit_of_identity(texts) or is_numerically_zero(texts)
        except InvalidOperation:
            continue
        if is_consistent(texts) and not stand_in:
            candidates.append((index, six))
    for index, six in candidates:
        masses = tensors[six]
        if len(masses) < SAME_BLOCK or len(set(masses)) == 1:
            yield index
