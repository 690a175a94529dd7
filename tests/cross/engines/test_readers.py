"""Documents at the edges of the grammars: what engines read of them, held against check.

Where an engine refuses a document or compiles other numbers than those that are judged, either the
prediction says so or there is a finding about the text. The seed is new in each run, and printed.
"""

import random
import re

import numpy as np
import pytest

import engine_agreement
import inertial_check as ic
from inertial_check.errors import InertialCheckError
from reader_documents import EDGES, write_documents

FORMATS = {
    "mujoco": ("mujoco", ("urdf", "mjcf")),
    "pinocchio": ("pinocchio", ("urdf", "mjcf")),
    "drake": ("pydrake", ("urdf", "mjcf", "sdf")),
    "newton": ("newton", ("urdf", "mjcf")),
}
ABOUT_TEXT = re.compile("IC0|IC10|IC71")
"""Codes of findings about the text of a document."""


def find_silence(format_, text, engine, result):
    """What check does not say of a document that an engine reads otherwise; "" where it does."""
    try:
        report = ic.check_model(text.encode())
    except InertialCheckError:
        return ""  # nothing of it is judged
    file = report.files[0]
    body = next((each for each in file.bodies if each.name.rpartition("::")[2] == "link"), None)
    if body is None or any(ABOUT_TEXT.match(finding.code) for finding in file.findings):
        return ""
    prediction = body.predictions[engine]
    if result["error"] is not None:
        return "" if prediction.action == "reject" else f"refused: {result['error'][:200]}"
    if prediction.action not in ("accept", "warn") or result["mass"] is None:
        return "" if prediction.action != "reject" else "loaded, though a refusal was predicted"
    xx, xy, xz, yy, yz, zz = body.judgement.I_BBcm_B
    ours = [body.judgement.mass, *body.judgement.p_BoBcm_B, xx, xy, xz, xy, yy, yz, xz, yz, zz]
    theirs = [result["mass"], *result["com"], *np.ravel(result["tensor"])]
    same = np.allclose(ours, theirs, rtol=1e-4, atol=1e-4 * max(map(abs, ours)))
    return "" if same else f"reads {theirs}, here {ours}"


@pytest.mark.parametrize("engine", FORMATS)
def test_what_engines_read_otherwise_is_said(engine, request):
    module, formats = FORMATS[engine]
    python = engine_agreement.interpreter(engine, module, f"pip install {module}")
    seed = random.SystemRandom().getrandbits(32)
    documents = write_documents(5000 if request.config.getoption("--long") else 150, formats, seed)
    results, _ = engine_agreement.live(python, engine, documents)
    silent = [
        f"{what}: {text}"
        for (format_, text), result in zip(documents, results, strict=True)
        if (what := find_silence(format_, text, engine, result))
    ]
    assert not silent, f"seed {seed}: {len(silent)} of {len(documents)}:\n" + "\n".join(silent[:20])


FROM_A_FILE = {("newton", "a declaration behind a comment")}
"""What an engine refuses in a file only: of a text, Newton takes comments off the beginning."""


@pytest.mark.parametrize("engine", FORMATS)
def test_the_page_shows_what_engines_do(engine):
    module, formats = FORMATS[engine]
    python = engine_agreement.interpreter(engine, module, f"pip install {module}")
    names = [
        name
        for name, (format_, _) in EDGES.items()
        if format_ in formats and (engine, name) not in FROM_A_FILE
    ]
    results, _ = engine_agreement.live(python, engine, [EDGES[name] for name in names])
    for name, result in zip(names, results, strict=True):
        report = ic.check_model(EDGES[name][1].encode()).files[0]
        body = next(each for each in report.bodies if each.name == "link")
        action = body.predictions[engine].action
        if result["error"] is not None or result["mass"] is None:
            assert action in ("reject", "drop"), name
            continue
        xx, xy, xz, yy, yz, zz = body.judgement.I_BBcm_B
        ours = [body.judgement.mass, *body.judgement.p_BoBcm_B, xx, xy, xz, xy, yy, yz, xz, yz, zz]
        theirs = [result["mass"], *result["com"], *np.ravel(result["tensor"])]
        same = np.allclose(ours, theirs, rtol=1e-4, atol=1e-4)
        assert action in (("accept",) if same else ("alter", "replace")), name
