"""Robots whose base moves: contact wrenches, a force plate, and mistakes of both."""

from types import SimpleNamespace

import numpy as np
import pytest

import deviations
import inertial_check as ic
import walking
from inertial_check.checking.report import Severity
from inertial_check.documents.context import Context
from inertial_check.documents.model import tree_of
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.fit.solve import FitOptions
from inertial_check.identification.motion.floating import read_wrenches, sum_forces
from inertial_check.identification.options import (
    ContactOptions,
    FrictionOptions,
    IdentifyOptions,
    RobotOptions,
    read_contacts,
)
from inertial_check.identification.robot import read_robot
from inertial_check.mechanics.equations import regressor
from inertial_check.mechanics.jacobians import jacobian
from inertial_check.mechanics.rotations import matrix_from_quaternion

LEG = ("front_left",)
FOOT = "front_left_foot"
TRUTH = walking.quadruped(1.3, LEG)
BASE = ["trunk." + row for row in ("fx", "fy", "fz", "mx", "my", "mz")]


@pytest.fixture(scope="module")
def walk():
    return walking.record(TRUTH, count=240)


@pytest.fixture
def identify(tmp_path):
    """identify(arrays, contacts) -> the result, of a hopper with the wrong masses."""
    (tmp_path / "hopper.urdf").write_text(walking.quadruped(legs=LEG))

    def identify(data, contacts=None, robot=None):
        np.savez(tmp_path / "walk.npz", **data)
        options = IdentifyOptions(
            data=(str(tmp_path / "walk.npz"),),
            model=str(tmp_path / "hopper.urdf"),
            robot=robot or RobotOptions(base="floating"),
            friction=FrictionOptions(friction=()),
            contacts=contacts or ContactOptions(),
            fit=FitOptions(regularization=1e-3),
        )
        return identify_robot(options)

    return identify


def errors(result):
    return {
        each.kind: each.message
        for each in result.report.remarks
        if each.severity == Severity.ERROR and each.kind != "poor-fit"
    }


def total_mass(result):
    return sum(body.mass for body in result.report.bodies)


def weigh(urdf):
    return tree_of(ic.load(urdf.encode()), "floating").tree.theta[:, 0].sum()


def expect_truth(result, walk):
    """Standardised errors of the base parameters are those of noise, and no remark is an error."""
    assert errors(result) == {}
    bodies = list(result.robot.bodies)
    truth = walk.tree.theta[bodies].ravel()
    base = result.found.base
    M = np.array([
        [sum(c for c, column in terms if column == k) for k in range(len(truth))]
        for terms in base.parameters.terms
    ])  # fmt: skip
    away = (base.values - M @ truth) / base.standard_deviation
    assert len(away) > 10
    assert np.mean(np.abs(away) < 3) >= 0.93
    assert np.sqrt(np.mean(away**2)) < 1.5


def test_base_and_joints_find_the_truth(identify, walk):
    result = identify(walking.arrays(walk, noise=1e-3))
    assert list(result.datasets.joints[-6:]) == BASE
    assert result.datasets.units[-6:] == ("N",) * 3 + ("N m",) * 3
    expect_truth(result, walk)
    assert total_mass(result) == pytest.approx(weigh(TRUTH), rel=0.01)


def test_a_pose_alone_is_differentiated(identify, walk):
    """No twist: quaternions whose signs jump, filtered and differentiated with the joints."""
    data = walking.arrays(walking.record(TRUTH, count=600), noise=1e-4, rates=False)
    data["base_pose"][200:300, 3:] *= -1
    result = identify(data)
    assert errors(result) == {}
    for body in result.report.bodies:
        if body.name in ("trunk", "front_left_shank"):
            true = walk.tree.theta[walk.tree.index(body.name)]
            assert body.mass == pytest.approx(true[0], rel=0.04)


@pytest.mark.parametrize("axes", ["body", "mixed"])
def test_a_twist_in_other_axes_and_a_quaternion_in_another_order(identify, walk, axes):
    data = walking.arrays(walk, noise=1e-3)
    q, u, du, _ = walk.whole
    R = matrix_from_quaternion(q[:, 3:7])
    for name, values in (("base_twist", u), ("base_acceleration", du)):
        linear = values[:, :3]
        if axes == "body":
            linear = np.einsum("sji,sj->si", R, linear)
        data[name] = np.concatenate([linear, values[:, 3:6]], axis=1)
    data["base_pose"] = data["base_pose"][:, [0, 1, 2, 4, 5, 6, 3]]
    result = identify(data, ContactOptions(twist_axes=axes, quaternion_order="xyzw"))
    expect_truth(result, walk)


def test_a_force_plate_without_torques_of_joints(identify, walk):
    """The plate's wrench about its own origin, on a body that is not named: base rows alone."""
    data = walking.arrays(walk, noise=1e-3)
    del data["tau"], data[f"wrench_{FOOT}"]
    q, _, _, forces = walk.whole
    corner, R = np.array([0.3, -0.2, 0.1]), matrix_from_quaternion(q[:, 3:7])
    force, about_base = forces[:, :3], np.einsum("sij,sj->si", R, forces[:, 3:6])
    data["plate"] = np.concatenate(
        [force, about_base + np.cross(q[:, :3] - corner, force)], axis=1
    ) + 1e-2 * np.random.default_rng(0).normal(size=(len(q), 6))
    result = identify(data, ContactOptions(force_plate="*", plate_at=tuple(corner)))
    assert list(result.datasets.joints) == BASE
    expect_truth(result, walk)
    with pytest.raises(UsageError, match="give --base floating"):
        identify(data | {"tau": walk.tau}, ContactOptions(force_plate=""), RobotOptions())


SITE = """<mujoco><compiler autolimits="false"/><worldbody><body name="trunk"><freejoint/>
<inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
<body name="leg"><joint name="hip" axis="0 1 0"/>
<inertial pos="0 0 -0.1" mass="1" diaginertia="1 1 1"/>
<site name="foot" pos="0.1 0.05 -0.3" euler="20 40 -70"/></body></body></worldbody></mujoco>"""
FRAME = """<sdf version="1.9"><model name="m"><link name="trunk"><inertial/></link>
<link name="leg"><inertial/></link><frame name="foot" attached_to="leg">
<pose degrees="true">0.1 0.05 -0.3 20 40 -70</pose></frame><joint name="hip" type="revolute">
<parent>trunk</parent><child>leg</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


@pytest.mark.parametrize(
    ("text", "name", "order"), [(SITE, "foot", "XYZ"), (FRAME, "m::foot", "xyz")]
)
def test_a_wrench_in_the_frame_of_a_site(tmp_path, text, name, order):
    """Axes and origin of an MJCF site or an SDF <frame>: the wrench moved to its body by hand."""
    from scipy.spatial.transform import Rotation

    (tmp_path / "hopper.xml").write_text(text)
    robot = read_robot(str(tmp_path / "hopper.xml"), Context(), RobotOptions(base="floating"))
    rng = np.random.default_rng(0)
    w = rng.normal(size=(5, 6))
    q = np.concatenate([np.tile([0.3, -0.2, 1, 0.5, 0.5, 0.5, 0.5], (5, 1)), w[:, :1]], axis=1)
    recording = SimpleNamespace(path="r.npz", further={f"wrench_{name}": w})
    (wrench,), _ = read_wrenches(recording, ContactOptions(), robot)
    R = Rotation.from_euler(order, [20, 40, -70], degrees=True).as_matrix()
    force, moment = w[:, :3] @ R.T, w[:, 3:] @ R.T
    moved = np.concatenate([force, moment + np.cross([0.1, 0.05, -0.3], force)], axis=1)
    own = wrench._replace(values=moved, X_BF=None)
    found, expected = (sum_forces(robot.tree, q, [each]) for each in (wrench, own))
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


def test_forces_alone_are_point_contacts(identify):
    walk = walking.record(TRUTH, count=240, contacts=["trunk", FOOT], points=True)
    data = walking.arrays(walk, noise=1e-3)
    data[f"wrench_{FOOT}"][:, 3:] = 0.0
    assert data["wrench_trunk"][:, 3:].any()
    whole = identify(data)
    data[f"wrench_{FOOT}"] = data[f"wrench_{FOOT}"][:, :3]
    result = identify(data)
    assert any(each.kind == "point-contact" for each in result.report.remarks)
    assert np.array_equal(result.found.theta, whole.found.theta)


MISTAKES = {
    "sign": (lambda w: -w, f"--reverse-wrench {FOOT}", {"reverse_wrench": (FOOT,)}),
    "exchanged": (
        lambda w: w[:, [3, 4, 5, 0, 1, 2]],
        "--wrench-order moment-first",
        {"wrench_order": "moment-first"},
    ),
    "axes": (None, "--wrench-axes world", {"wrench_axes": "world"}),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_of_a_wrench_is_an_error_with_its_remedy(identify, walk, kind):
    change, option, remedy = MISTAKES[kind]
    if change is None:
        data = walking.arrays(walking.record(TRUTH, count=240, axes="world"), noise=1e-2)
    else:
        data = walking.arrays(walk, noise=1e-2)
        data[f"wrench_{FOOT}"] = change(data[f"wrench_{FOOT}"])
    found = errors(identify(data))
    assert FOOT in found[kind]
    assert option in found[kind]
    assert errors(identify(data, ContactOptions(**remedy))) == {}


def test_columns_by_name_in_a_csv(tmp_path, identify, walk):
    """--contact names the six columns; base columns have a name each."""
    data = walking.arrays(walk, noise=1e-3)
    names = ["t"] + [f"{x}_{j}" for x in ("q", "qd", "qdd", "tau") for j in data["joints"]]
    parts = [data["t"][:, None], data["q"], data["qd"], data["qdd"], data["tau"]]
    names += [f"base_{c}" for c in ("x", "y", "z [m]", "qw", "qx", "qy", "qz")]
    names += [f"base_{c}{a}" for c in ("v", "w", "a", "alpha") for a in "xyz"]
    parts += [data["base_pose"], data["base_twist"], data["base_acceleration"]]
    names += [f"F{k}" for k in range(6)]
    parts.append(data[f"wrench_{FOOT}"])
    table = np.concatenate(parts, axis=1)
    path, model = tmp_path / "walk.csv", tmp_path / "hopper.urdf"
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    contacts = read_contacts([f"{FOOT}=" + ",".join(f"F{k}" for k in range(6))])
    result = identify_robot(
        IdentifyOptions(
            data=(str(path),),
            model=str(model),
            robot=RobotOptions(base="floating"),
            friction=FrictionOptions(friction=()),
            contacts=ContactOptions(contact=contacts),
            fit=FitOptions(regularization=1e-3),
        )
    )
    other = identify(data)
    assert np.allclose(result.found.theta, other.found.theta, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d | {"wrench_hand": d["q"][:, :3]}, "wrench on hand: no such body"),
        (lambda d: d | {"base_pose": 2 * d["base_pose"]}, "has length 2, expected 1"),
        (lambda d: d | {f"wrench_{FOOT}": d["q"][:, :2]}, "has 2 columns, expected 6 or 3"),
    ],
)
def test_what_cannot_be_used_is_refused(identify, walk, change, message):
    with pytest.raises(UsageError, match=message):
        identify(change(walking.arrays(walk)))


def test_a_quadruped_from_arrays(request):
    """ic.identify of six base rows and twelve joints: standardised errors of many draws."""
    walk = walking.record(walking.quadruped(), count=300, points=True)
    q, u, du, _ = walk.whole
    Y = regressor(walk.tree, q, u, du)
    carried = sum(
        np.einsum("sij,si->sj", jacobian(walk.tree, q, foot)[:, :3], _turn(walk, foot))
        for foot in walk.wrenches
    )
    clean = np.concatenate([np.zeros((len(q), 6)), walk.tau], axis=1) + carried
    assert np.allclose(Y @ walk.tree.theta.ravel(), clean, atol=1e-9 * np.abs(clean).max())
    massive = [k for k, theta in enumerate(walk.tree.theta) if theta.any()]
    Y = Y[:, :, (10 * np.array(massive)[:, None] + np.arange(10)).ravel()]
    truth, sigma = walk.tree.theta[massive], 0.05 * np.sqrt((clean**2).mean(axis=0))
    draws = []
    for seed in range(400 if request.config.getoption("--long") else 3):
        noise = sigma * np.random.default_rng(seed).normal(size=clean.shape)
        found = ic.identify(Y, clean + noise, truth, weights=1 / sigma, regularization=1e-9)
        draws.append(deviations.standardize(found.base, truth))
    deviations.expect_noise(draws)


def test_forces_of_a_quadruped_are_those_of_mujoco():
    """Inverse dynamics with the motors' torques and known wrenches on four feet."""
    mujoco = pytest.importorskip("mujoco")
    walk = walking.record(walking.quadruped(), count=40, axes="world")
    model = mujoco.MjModel.from_xml_string(
        walking.quadruped()
        .replace("<link", '<mujoco><compiler fusestatic="false"/></mujoco><link', 1)
        .replace(
            '<link name="trunk">',
            '<link name="world"/><joint name="free" type="floating">'
            '<parent link="world"/><child link="trunk"/></joint><link name="trunk">',
            1,
        )
    )
    data = mujoco.MjData(model)
    model.opt.gravity[:] = 0, 0, -9.81
    assert model.nv == 18
    q, u, du, _ = walk.whole
    for k in range(0, 40, 5):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], u[k], du[k]
        mujoco.mj_inverse(model, data)
        carried = np.zeros(model.nv)
        for foot, wrench in walk.wrenches.items():
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, foot)
            mujoco.mj_applyFT(
                model, data, wrench[k, :3], wrench[k, 3:], data.xpos[body], body, carried
            )
        needed = data.qfrc_inverse - carried
        size = np.abs(carried).max()
        assert np.allclose(needed, [*np.zeros(6), *walk.tau[k]], rtol=0, atol=1e-8 * size)


def _turn(walk, foot):
    """Force of a foot in the axes of the world."""
    from inertial_check.mechanics.jacobians import poses

    R = poses(walk.tree, walk.whole[0])[:, walk.tree.index(foot), :3, :3]
    return np.einsum("sij,sj->si", R, walk.wrenches[foot][:, :3])
