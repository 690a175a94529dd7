"""Which spelling of an inertial in USD Newton takes, held against Newton itself."""

import numpy as np
import pytest

import engine_agreement
import inertial_check as ic
from inertial_check.checking.engines.catalogue import predict
from inertial_check.documents.model import judge
from usd_spellings import COLLIDER, DOCUMENT, spelled, validated

COUNT = 240
BOX = {"mass": 8.0, "moments": [8 * 0.04 / 6] * 3}
"""What the collider of the documents gives at 1000 kg/m^3."""


def expected(prediction, body, judgement):
    """Mass and moments that Newton has by the prediction."""
    if judgement.verdict == "missing":
        return 0.0, np.zeros(3)
    if "inertia of its colliders" in prediction.becomes:
        return judgement.mass, np.array(BOX["moments"]) * judgement.mass / BOX["mass"]
    return engine_agreement.expected(prediction, judgement)


def test_newton_builds_what_is_predicted():
    pytest.importorskip("pxr")
    python = engine_agreement.interpreter(
        "newton", "newton", "pip install newton[importers]==1.8.0"
    )
    documents = [spelled(seed) for seed in range(COUNT)]
    results, _ = engine_agreement.live(python, "newton", [("usd", text) for text in documents])
    if any("newton-usd-schemas" in (each["error"] or "") for each in results):
        pytest.skip("needs newton-usd-schemas beside newton")
    wrong, compared = [], 0
    for seed, (text, result) in enumerate(zip(documents, results, strict=True)):
        model = ic.load(text.encode())
        (body,), (judgement,) = model.bodies, judge(model)
        prediction = predict(model, [judgement])[0]["newton"]
        if body.inertia_from == "geometry" or prediction.becomes.startswith("the mass of its"):
            continue  # the shapes decide: nothing is predicted of numbers
        mass, moments = expected(prediction, body, judgement)
        if mass is None:
            wrong.append((seed, "no numbers", prediction))
            continue
        compared += 1
        near = np.allclose(result["moments"], np.sort(moments), rtol=2e-5, atol=1e-9)
        if not near or not np.isclose(result["mass"], mass, rtol=1e-5):
            wrong.append((seed, prediction, mass, moments, result))
    assert wrong == []
    assert compared >= 200


def test_mujoco_builds_what_is_predicted():
    """Its decoder, whose rule the live script repeats: no wheel of MuJoCo has it."""
    pytest.importorskip("pxr")
    python = engine_agreement.interpreter("mujoco", "mujoco", "pip install mujoco usd-core")
    documents = [spelled(seed) for seed in range(COUNT)]
    results, _ = engine_agreement.live(python, "mujoco", [("usd", text) for text in documents])
    wrong, compared = [], 0
    for seed, (text, result) in enumerate(zip(documents, results, strict=True)):
        model = ic.load(text.encode())
        (body,), (judgement,) = model.bodies, judge(model)
        prediction = predict(model, [judgement])[0]["mujoco"]
        if body.inertia_from == "geometry":
            continue  # nothing is predicted of MuJoCo where UsdPhysics takes the shapes
        compared += 1
        if (prediction.action == "reject") != (result["error"] is not None):
            wrong.append((seed, prediction, result))
            continue
        if result["error"] is not None:
            if prediction.message not in " ".join(result["error"].split()):
                wrong.append((seed, prediction, result))
            continue
        mass, moments = engine_agreement.expected(prediction, judgement)
        if "of all its shapes" in prediction.becomes:
            mass, moments = BOX["mass"], BOX["moments"]
        elif "an inertia of 0" in prediction.becomes:
            mass, moments = body.find_numbers("physics:mass")[0].value, [0.0] * 3
        lost = "infinity" in prediction.becomes
        if lost != (not np.all(np.isfinite(result["com"]))):
            wrong.append((seed, prediction, result))
        elif not lost and not (
            np.allclose(result["moments"], np.sort(moments), rtol=1e-5)
            and np.isclose(result["mass"], mass, rtol=1e-5)
        ):
            wrong.append((seed, prediction, mass, moments, result))
    assert wrong == []
    assert compared >= 200


VERDICTS = 300
PACKAGES = {
    "nvidia": ("usd_validation_nvidia", "pip install simready-validate"),
    "rep0158": ("compliance_checker", "pip install ros-openusd-compliance-checker"),
}


@pytest.mark.parametrize("validator", PACKAGES)
def test_validators_say_what_is_predicted(validator):
    pytest.importorskip("pxr")
    python = engine_agreement.interpreter(validator, *PACKAGES[validator])
    documents = [validated(seed) for seed in range(VERDICTS)]
    results, _ = engine_agreement.live(python, validator, [("usd", text) for text in documents])
    wrong, refused = [], 0
    for seed, (text, result) in enumerate(zip(documents, results, strict=True)):
        file = ic.check_model(text.encode()).files[0]
        verdict, of_body = file.validators[validator], file.bodies[0].predictions[validator]
        said = result["log"].split()
        refused += bool(said)
        told = {each.partition(":")[0] for each in (verdict.stage, of_body.message) if each}
        if bool(said) != (verdict.action != "accept") or not told <= set(said):
            wrong.append((seed, verdict, of_body, said))
    assert wrong == []
    assert 30 <= refused <= VERDICTS - 15


@pytest.mark.parametrize("line", ["", 'uniform token newton:massModel = "shell"'])
def test_newton_makes_a_shell_of_what_others_fill(line):
    pytest.importorskip("pxr")
    python = engine_agreement.interpreter(
        "newton", "newton", "pip install newton[importers]==1.8.0"
    )
    thickness = "float newton:shellThickness = 0.01"
    collider = COLLIDER.replace("size = 0.2", f"size = 0.2\n{line}\n{thickness}")
    text = DOCUMENT.format(
        meters=1, kilograms=1, schemas='"PhysicsRigidBodyAPI", "PhysicsMassAPI"', lines=collider
    )
    results, _ = engine_agreement.live(python, "newton", [("usd", text)])
    if "newton-usd-schemas" in (results[0]["error"] or ""):
        pytest.skip("needs newton-usd-schemas beside newton")
    volume = 0.2**3 - 0.18**3 if line else 0.2**3
    assert np.isclose(results[0]["mass"], 1000 * volume, rtol=1e-4)
    codes = [finding.code for finding in ic.check_model(text.encode()).findings]
    assert ("IC718" in codes) == bool(line)
