"""What is foretold of engines against what they do, link by link."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import inertial_check as ic
import single_links
from inertial_check.checking.engines.catalogue import predict
from inertial_check.checking.report import Prediction
from inertial_check.documents.model import Judgement, judge_all

SCRIPT = Path(__file__).with_name("live_engines.py")
NUMBER = r"(-?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan))"
BODY = re.compile(rf"{NUMBER} kg, principal moments {NUMBER}, {NUMBER}, {NUMBER}")
ENTRIES = re.compile(rf"{NUMBER} kg, ixx, iyy, izz = {NUMBER}, {NUMBER}, {NUMBER}")
SPHERE = re.compile(rf"{NUMBER} kg, I = {NUMBER}")
NOTHING = re.compile(rf"{NUMBER} kg without rotational inertia")


COUNT = 1000


class Compared(NamedTuple):
    """One link: its document, what was foretold, what the engine did, and in what they differ."""

    door: str
    link: single_links.Link
    prediction: Prediction
    live: dict
    difference: str


def interpreter(engine: str, module: str, install: str) -> str:
    """A Python that has the engine; skips where there is none."""
    variable = f"INERTIAL_CHECK_{engine.upper()}_PYTHON"
    if os.environ.get(variable):
        return os.environ[variable]
    if find_spec(module) is None:
        pytest.skip(f"needs {engine}: {install}, or set {variable} to a Python that has it")
    return sys.executable


def live(python: str, engine: str, documents: list[tuple[str, str]]) -> tuple[list[dict], str]:
    """What the engine does with each document, and all that it printed meanwhile."""
    done = subprocess.run(
        [python, SCRIPT, engine],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout), done.stderr


def foretold(texts: list[str]) -> list[tuple[dict[str, Prediction], Judgement]]:
    """What is foretold of the body "link" of each document, and the judgement of it."""
    models = [ic.load(text.encode()) for text in texts]
    judgements = judge_all(models)
    predictions = list(map(predict, models, judgements))
    rows = [
        [body.name.rpartition("::")[2] for body in model.bodies].index("link") for model in models
    ]
    return [
        (of_bodies[row], judged[row])
        for row, of_bodies, judged in zip(rows, predictions, judgements, strict=True)
    ]


def compare(
    python: str, engine: str, doors: tuple[str, ...], *, step: int = 1, seed: int = 20260
) -> tuple[list[Compared], str]:
    """Every link by every door, and what the engine printed."""
    cases = [
        (door, link)
        for door in doors
        for link in list(single_links.links(COUNT, seed))[::step]
        if door != "mjcf_principal" or link.is_diagonal
    ]
    documents = [
        (door.partition("_")[0], getattr(single_links, door)(link)) for door, link in cases
    ]
    results, printed = live(python, engine, documents)
    compared = []
    every = foretold([text for _, text in documents])
    for (door, link), (predictions, judgement), result in zip(cases, every, results, strict=True):
        prediction = predictions[engine]
        what = difference(prediction, judgement, result)
        compared.append(Compared(door, link, prediction, result, what))
    return compared, printed


def difference(prediction: Prediction, judgement: Judgement, result: dict) -> str:
    """In what the engine differs from what was foretold; "" where it does not."""
    if (prediction.action == "reject") != (result["error"] is not None):
        return f"{prediction.action}, but error {result['error']!r}"
    said = " ".join(f"{result['error'] or ''} {result['log']}".split())
    if prediction.action == "reject" and " ".join(prediction.message.split()) not in said:
        return f"another message: {said!r}"
    if result["mass"] is None:
        return ""
    mass, moments = expected(prediction, judgement)
    if mass is None:
        return ""
    # Some keep the inertia about a frame 0.1 m away, and all the numbers here have six digits.
    size = max(np.abs(moments).max(), abs(mass) * 0.01 * 1e-9)
    near = np.abs(np.subtract(result["moments"], np.sort(moments))) <= 1e-5 * size
    same = abs(result["mass"] - mass) <= 1e-5 * abs(mass)
    finite = np.isfinite([mass, *moments]).all()
    return "" if not finite or (near.all() and same) else f"expected {mass}, {moments}"


def expected(prediction: Prediction, judgement: Judgement) -> tuple[float | None, np.ndarray]:
    """Mass and moments that the engine has according to the prediction; None where untold."""
    if prediction.action in ("accept", "warn"):
        return judgement.mass, np.array(judgement.principal_moments)
    if found := BODY.search(prediction.becomes):
        mass, *moments = map(float, found.groups())
        return mass, np.array(moments)
    if found := ENTRIES.search(prediction.becomes):
        mass, xx, yy, zz = map(float, found.groups())
        _, xy, xz, _, yz, _ = judgement.I_BBcm_B
        return mass, np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if found := SPHERE.search(prediction.becomes):
        return float(found[1]), np.full(3, float(found[2]))
    if found := NOTHING.search(prediction.becomes):
        return float(found[1]), np.zeros(3)
    return None, np.zeros(3)


def differences(compared: list[Compared]) -> list[str]:
    """The links on which engine and prediction differ, in words."""
    return [
        f"{case.door} {case.link}: {case.prediction.action}; {case.difference}; live {case.live}"
        for case in compared
        if case.difference
    ]


def printed_count(compared: list[Compared], text: str) -> int:
    """How often predictions say that a text is printed."""
    return sum(text in case.prediction.message for case in compared)
