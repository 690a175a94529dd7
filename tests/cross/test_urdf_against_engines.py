"""The same URDF file, read by engines and by us: mass, centre of mass and inertia of every link."""

from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import DocumentError

EPS = np.finfo(float).eps
ROWS, COLUMNS = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)
QUICK = 12  # every so many files, unless --long

REFUSED = {
    "XML_ERROR_PARSING_DECLARATION": "IC002: a declaration that does not stand first",
    "URDF joint parent or child missing": "a joint without its links, which holds no inertia",
    "visual geometry specification not found": "a shape, which holds no inertia",
    "required attribute missing: 'ixy'": "IC004: MuJoCo wants all six, and so do we",
    "missing element: 'inertia'": "IC004",
    "repeated": "names, materials and axes that stand twice",
    "bad format in attribute": "text that is no number",
    "has too much data": "text that is no vector",
    "required attribute missing: 'xyz'": "an axis, which holds no inertia",
    "could not find decoder": "the suffix .URDF, by which MuJoCo chooses a reader",
}
"""Why MuJoCo does not load some documents of the corpus: part of its message, and what that is."""


@pytest.fixture(scope="module")
def documents(corpus, request):
    """Path, and name -> judgement, of every document without a complaint."""
    paths = sorted(p for p in Path(corpus).rglob("*") if p.suffix.lower() == ".urdf")
    found = []
    for path in paths if request.config.getoption("--long") else paths[::QUICK]:
        try:
            model = ic.load(path)
        except DocumentError:
            continue
        if model.format != "urdf":
            continue
        judged = ic.check_model(model).bodies
        pairs = zip(model.bodies, judged, strict=True)
        sound = {b.name: j.judgement for b, j in pairs if b.inertial and not b.problems}
        found.append((path, sound))
    return found


def agree(judgement, mass, p_BoBcm_B, six):
    """Equal up to the rounding of one rotation."""
    assert mass == pytest.approx(judgement.mass, rel=4 * EPS)
    length = np.abs(judgement.p_BoBcm_B).max()
    np.testing.assert_allclose(p_BoBcm_B, judgement.p_BoBcm_B, rtol=0, atol=4 * EPS * length)
    size = np.abs(judgement.I_BBcm_B).max()
    np.testing.assert_allclose(six, judgement.I_BBcm_B, rtol=0, atol=64 * EPS * size)


@pytest.mark.corpus
def test_mujoco_reads_the_same(documents):
    mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    compared, refusals = 0, []
    for path, sound in documents:
        try:
            bodies = {body.name: body for body in mujoco.MjSpec.from_file(str(path)).bodies}
        except ValueError as error:
            refusals.append(str(error))
            continue
        for name, judgement in sound.items():
            body = bodies[name]
            if np.isnan(body.fullinertia[0]):
                own = np.diag(body.inertia)
            else:
                xx, yy, zz, xy, xz, yz = body.fullinertia
                own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            R_BBi = np.zeros(9)
            mujoco.mju_quat2Mat(R_BBi, np.array(body.iquat))
            turned = R_BBi.reshape(3, 3) @ own @ R_BBi.reshape(3, 3).T
            agree(judgement, body.mass, body.ipos, turned[ROWS, COLUMNS])
            compared += 1
    assert compared > 200
    assert [text for text in refusals if not any(known in text for known in REFUSED)] == []


@pytest.mark.corpus
def test_pinocchio_reads_the_same(documents):
    """Links that a joint moves and nothing is fixed to; Pinocchio lumps the others."""
    pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install pin")
    compared = 0
    for path, sound in documents:
        try:
            model = pin.buildModelFromUrdf(str(path))
        except ValueError:  # urdfdom refuses more than we do; test_engines_agree has the cases
            continue
        frames = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
        joints = [frame.parentJoint for frame in frames]
        for frame in frames:
            judgement = sound.get(frame.name)
            alone = joints.count(frame.parentJoint) == 1 and frame.parentJoint > 0
            if judgement is None or not alone:
                continue
            inertia = model.inertias[frame.parentJoint]
            agree(judgement, inertia.mass, inertia.lever, inertia.inertia[ROWS, COLUMNS])
            compared += 1
    assert compared > 100


@pytest.mark.corpus
def test_drake_reads_the_same(documents):
    """Bodies that some body can be: Drake replaces the others by a sphere of its own."""
    tree = pytest.importorskip("pydrake.multibody.tree", reason="needs Drake: pip install drake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    compared = 0
    for path, sound in documents:
        plant = MultibodyPlant(0.0)
        try:
            Parser(plant).AddModels(str(path))
        except (RuntimeError, SystemExit, ValueError):  # what is not there, limits that cross
            continue
        plant.Finalize()
        context = plant.CreateDefaultContext()
        for index in range(1, plant.num_bodies()):
            body = plant.get_body(tree.BodyIndex(index))
            judgement = sound.get(body.name())
            if judgement is None or judgement.verdict != "consistent":
                continue
            M_BBo_B = body.CalcSpatialInertiaInBodyFrame(context)
            mass, p_BoBcm_B = M_BBo_B.get_mass(), M_BBo_B.get_com()
            central = M_BBo_B.Shift(p_BoBcm_B).CalcRotationalInertia().CopyToFullMatrix3()
            assert mass == judgement.mass
            length = np.abs(judgement.p_BoBcm_B).max()
            size = np.abs(judgement.I_BBcm_B).max() + mass * length**2  # kept about the origin
            np.testing.assert_allclose(
                central[ROWS, COLUMNS], judgement.I_BBcm_B, rtol=0, atol=64 * EPS * size
            )
            compared += 1
    assert compared > 20
