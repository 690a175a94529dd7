"""What is foretold of PhysX, held against UsdPhysics, which computes mass properties for it."""

import json

import numpy as np
import pytest

import engine_agreement
from single_links import diagonal, links, mjcf_principal

SPHERE = "small sphere approximated inertia was used"


def test_single_links(request):
    python = engine_agreement.interpreter("physx", "pxr", "pip install usd-core==26.11")
    count = 2000 if request.config.getoption("--long") else 300
    cases = [link for link in links(count, 20260) if link.is_diagonal]
    rng = np.random.default_rng(3)
    for length in 1e-5 * (1 + np.array([-1e-3, -1e-6, 1e-6, 1e-3])):
        for direction in np.abs(rng.normal(size=(20, 3))):
            cases.append(diagonal(1.0, *(length * direction / np.linalg.norm(direction)).tolist()))
    assert len(cases) >= count / 2
    # Moments in the order in which the document has them: the sum of their squares is rounded.
    documents = [
        ("usd", json.dumps([link.mass, sorted(link.entries[i] for i in (0, 3, 5))]))
        for link in cases
    ]
    results, _ = engine_agreement.live(python, "physx", documents)
    wrong = []
    every = engine_agreement.foretold([mjcf_principal(link) for link in cases])
    for link, (predictions, _), result in zip(cases, every, results, strict=True):
        if not link.mass > 0:
            assert result["mass"] == -1  # nothing gives it a mass
            continue
        prediction = predictions["physx"]
        sphere = result["moments"] == pytest.approx([link.mass * 0.004] * 3)
        if sphere != (SPHERE in prediction.message):
            wrong.append((link, prediction, result))
    assert wrong == []
