"""Real models: what a library has loaded is judged as its file is, where it keeps the numbers."""

import json
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import DocumentError
from inertial_check.programs.objects import drake, mujoco, pinocchio
from loaded_models import triangle_slack

QUICK = 12  # every so many files, unless --long
SAME = {
    "consistent": {"consistent", "boundary"},  # a rotation of the tensor moves its last bits
    "boundary": {"consistent", "boundary"},
    "rounding": {"inconsistent"},  # what is loaded has no printed digits
}


@pytest.fixture(scope="module")
def documents(corpus, request):
    """Path, and the judgements by name of bodies whose names are their own."""
    paths = sorted(p for p in Path(corpus).rglob("*") if p.suffix.lower() in (".urdf", ".xml"))
    found = []
    for path in paths if request.config.getoption("--long") else paths[::QUICK]:
        try:
            model = ic.load(path)
        except DocumentError:
            continue
        judged = ic.check_model(model).bodies
        names = [body.name for body in model.bodies]
        pairs = zip(model.bodies, judged, strict=True)
        sound = {
            body.name: report.judgement
            for body, report in pairs
            if body.inertial and not body.problems and names.count(body.name) == 1
        }
        found.append((path, model.format, sound))
    return found


def kept(judgement, other):
    """Whether the numbers are those of the file, up to the rounding of a shift and a rotation."""
    mass, length = judgement.mass, np.abs(judgement.p_BoBcm_B).max()
    size = np.abs(judgement.I_BBcm_B).max() + mass * length**2
    apart = np.abs(np.subtract(judgement.I_BBcm_B, other.I_BBcm_B)).max()
    return mass == other.mass and bool(apart <= 1e-12 * size)


def compare(report, sound):
    """How many bodies of each verdict are judged alike; fails on the first that is not."""
    compared = Counter()
    for body in report.bodies:
        expected = sound.get(body.name)
        if expected is None or not kept(expected, body.judgement):
            continue
        verdict = body.judgement.verdict
        assert verdict in SAME.get(expected.verdict, {expected.verdict}), (report.files[0], body)
        if not np.isnan(expected.margin):
            assert body.judgement.margin == pytest.approx(expected.margin, abs=1e-6)
        compared[verdict] += 1
    return compared


def load_spec(path):
    return import_module("mujoco").MjSpec.from_file(path)


def load_model(path):
    return import_module("pinocchio").buildModelFromUrdf(path)


def load_plant(path):
    plant = import_module("pydrake.multibody.plant").MultibodyPlant(0.0)
    import_module("pydrake.multibody.parsing").Parser(plant).AddModels(path)
    return plant


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("adapter", "library", "load", "forms", "least"),
    [
        (mujoco, "mujoco", load_spec, ("urdf", "mjcf"), 200),
        (pinocchio, "pinocchio", load_model, ("urdf",), 100),
        (drake, "pydrake", load_plant, ("urdf",), 20),
    ],
)
def test_what_is_loaded_is_judged_as_its_file(documents, adapter, library, load, forms, least):
    pytest.importorskip(library, reason="install inertial-check[mujoco,pinocchio,drake]")
    compared = Counter()
    for path, form, sound in documents:
        if form not in forms:
            continue
        try:
            loaded = load(str(path))
        except (RuntimeError, SystemExit, ValueError):
            continue
        compared += compare(adapter.check(loaded), sound)
    assert compared.total() > least
    assert compared["inconsistent"] > 0 or adapter is drake


def test_mujoco_takes_every_real_broken_body_that_is_repaired(cases):
    library = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
    found = json.loads((cases / "real_inertials.json").read_text())
    entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    spec = library.MjSpec()
    for case in found:
        six = [case[entry] for entry in entries]
        if None in six or not np.all(np.isfinite(six)):
            continue
        body = spec.worldbody.add_body(name=case["id"])
        body.add_freejoint()
        body.mass, body.explicitinertial = case["mass"] or 1.0, True
        body.ipos, body.fullinertia = case["com"] or [0.0, 0.0, 0.0], six
    before = {body.name: body.fullinertia.copy() for body in spec.bodies}
    broken = {
        body.name for body in mujoco.check(spec).bodies if body.judgement.verdict == "inconsistent"
    }
    assert len(broken) > 5
    fixes = mujoco.repair(spec, unsafe=True, engines=["mujoco"])
    statuses = {fix.name: fix.status for fix in fixes}
    for body in list(spec.bodies)[1:]:
        unchanged = np.array_equal(body.fullinertia, before[body.name])
        assert unchanged == (statuses[body.name] != "fixed"), (body.name, statuses[body.name])
        if statuses[body.name] not in ("fixed", "unchanged"):
            spec.delete(body)
    assert sum(status == "fixed" for status in statuses.values()) >= len(broken) - 2
    model = spec.compile()
    assert all(triangle_slack(np.diag(moments)) >= 0 for moments in model.body_inertia[1:])
