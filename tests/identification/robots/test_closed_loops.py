"""Closed loops modelled by constraints: a four-bar, welds, joints that follow others."""

import numpy as np
import pytest

import deviations
import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.fit.solve import FitOptions
from inertial_check.identification.options import FrictionOptions, IdentifyOptions, RobotOptions
from inertial_check.identification.robot import read_robot
from inertial_check.mechanics import loops
from inertial_check.mechanics.equations import inverse_dynamics

FOUR_BAR = """<mujoco><compiler autolimits="false"/><worldbody><body name="ground" pos="0.1 0 0.5">
  <body name="crank"><joint name="drive" axis="0 1 0"/>
    <inertial pos="0.02 0 0.1" mass="{}" diaginertia="0.006 0.006 0.001"/>
    <body name="coupler" pos="0 0 0.2"><joint name="elbow" axis="0 1 0"/>
      <inertial pos="0.15 0 0.01" mass="{}" diaginertia="0.002 0.01 0.01"/></body></body>
  <body name="rocker" pos="0.4 0 0"><joint name="far" axis="0 1 0"/>
    <inertial pos="0.01 0 0.15" mass="{}" diaginertia="0.008 0.008 0.001"/></body>
</body></worldbody><equality>{}</equality></mujoco>"""
CONNECT = '<connect name="pin" body1="coupler" body2="rocker" anchor="0.4 0 0.1"/>'
NAMES = np.array(["drive", "elbow", "far"])


def write(path, masses, equality=CONNECT):
    path.write_text(FOUR_BAR.format(*masses, equality))
    return str(path)


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    """Path, robot, time, motion of all joints and torque of the drive, of a known four-bar."""
    path = write(tmp_path_factory.mktemp("bar") / "true.xml", (1.4, 1.1, 0.9))
    robot = read_robot(path, Context(), RobotOptions())
    t = np.arange(500) / 200
    w, size = 2 * np.pi * np.array([0.7, 1.3]), np.array([0.5, 0.3])
    x = w * t[:, None]
    q, du = np.zeros((500, 3)), np.zeros((500, 3))
    q[:, 0], rate = (size * np.sin(x)).sum(axis=1), (size * w * np.cos(x)).sum(axis=1)
    du[:, 0] = -(size * w * w * np.sin(x)).sum(axis=1)
    q = loops.close_loops(robot.tree, q, robot.loops, [1, 2])
    A = loops.loop_jacobian(robot.tree, q, robot.loops)
    space = loops.null_space(A, [0])
    u = space.N[:, :, 0] * rate[:, None]
    left = np.einsum("sij,sj->si", A, du) + loops.loop_drift(robot.tree, q, u, robot.loops)
    du[:, 1:] = -np.einsum("sij,sj->si", np.linalg.pinv(A[:, :, 1:]), left)
    forces = np.asarray(inverse_dynamics(robot.tree, q, u, du))
    return path, robot, t, (q, u, du), np.einsum("sij,si->sj", space.N, forces)[:, 0]


def test_torque_of_the_drive_is_that_of_mujoco(bar):
    """Constraint forces by MuJoCo's own Jacobian, and derivatives by differences."""
    mujoco = pytest.importorskip("mujoco")
    path, robot, t, (q, u, du), tau = bar
    assert np.abs(loops.loop_residuals(robot.tree, q, robot.loops)).max() < 1e-12
    inside = slice(3, -3)
    assert np.allclose(np.gradient(q, t, axis=0)[inside], u[inside], atol=2e-3)
    assert np.allclose(np.gradient(u, t, axis=0)[inside], du[inside], atol=5e-2)
    model = mujoco.MjModel.from_xml_path(path)
    data, forces = mujoco.MjData(model), np.zeros(3)
    for k in range(0, len(t), 50):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], u[k], du[k]
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mujoco.mj_rne(model, data, 1, forces)
        columns = np.column_stack([[1.0, 0, 0], data.efc_J.reshape(-1, 3).T])
        found = np.linalg.lstsq(columns, forces, rcond=None)[0][0]
        assert found == pytest.approx(tau[k], abs=1e-10)


@pytest.fixture
def identify(tmp_path):
    def identify(data, equality=CONNECT, robot=None):
        np.savez(tmp_path / "r.npz", **data)
        options = IdentifyOptions(
            data=(str(tmp_path / "r.npz"),),
            model=write(tmp_path / "bar.xml", (1.0, 0.8, 1.1), equality),
            robot=robot or RobotOptions(),
            friction=FrictionOptions(friction=()),
            fit=FitOptions(regularization=1e-3),
        )
        return identify_robot(options)

    return identify


def project_truth(base, truth):
    M = np.array([
        [sum(c for c, column in terms if column == k) for k in range(truth.size)]
        for terms in base.parameters.terms
    ])  # fmt: skip
    return M @ truth.ravel()


def test_passive_positions_recorded_or_solved_give_the_same_bodies(identify, bar):
    _, robot, t, (q, u, du), tau = bar
    noisy = tau + 1e-2 * np.random.default_rng(0).normal(size=len(tau))
    torques = np.full((len(t), 3), np.nan)
    torques[:, 0] = noisy
    given = identify({"t": t, "q": q, "qd": u, "qdd": du, "tau": torques, "joints": NAMES})
    own = {"t": t, "q": q[:, :1], "qd": u[:, :1], "qdd": du[:, :1], "tau": noisy[:, None]}
    solved = identify(own | {"joints": NAMES[:1]})
    assert given.datasets.joints == solved.datasets.joints == ("drive",)
    assert np.allclose(given.found.theta, solved.found.theta, atol=1e-8)
    assert not [each for each in given.report.remarks if each.severity >= 3]
    base = given.found.base
    away = base.values - project_truth(base, robot.tree.theta[list(robot.bodies)])
    assert np.all(np.abs(away) < 4 * base.standard_deviation)


def test_standardised_errors_of_many_draws(request, bar):
    """ic.identify of projected equations, as arrays."""
    _, robot, _, (q, u, du), tau = bar
    from inertial_check.mechanics.equations import regressor

    N = loops.null_space(loops.loop_jacobian(robot.tree, q, robot.loops), [0]).N
    Y = np.einsum("sij,sik->sjk", N, np.asarray(regressor(robot.tree, q, u, du))[:, :, 10:])
    truth, draws = robot.tree.theta[1:], []
    for seed in range(1000 if request.config.getoption("--long") else 20):
        noisy = tau + 0.05 * np.random.default_rng(seed).normal(size=len(tau))
        found = ic.identify(Y, noisy[:, None], truth, weights=[20.0], regularization=1e-9)
        draws.append(deviations.standardize(found.base, truth))
    deviations.expect_noise(draws)


SITES = """<mujoco><default><site pos="0.4 0 0.1"/>
<default class="far"><site pos="0 0 0.3"/></default></default>"""
SDF_LINK = """<link name="{}"><pose>{}</pose><inertial><pose>{}</pose><mass>{}</mass>
<inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz></inertia></inertial></link>"""
SDF_JOINT = """<joint name="{}" type="revolute">{}<parent>{}</parent><child>{}</child>
<axis><xyz>0 1 0</xyz></axis></joint>"""
BODIES = {  # place, centre, mass, moments
    "crank": ((0.1, 0, 0.5), (0.02, 0, 0.1), 1.4, (0.006, 0.006, 0.001)),
    "coupler": ((0.1, 0, 0.7), (0.15, 0, 0.01), 1.1, (0.002, 0.01, 0.01)),
    "rocker": ((0.5, 0, 0.5), (0.01, 0, 0.15), 0.9, (0.008, 0.008, 0.001)),
}


def write_sdf():
    """Two links on the world, and a pin that is the second joint to the rocker."""
    links = [
        SDF_LINK.format(name, _join(place, 6), _join(center, 6), mass, *moments)
        for name, (place, center, mass, moments) in BODIES.items()
    ]
    joints = [
        SDF_JOINT.format("drive", "", "world", "crank"),
        SDF_JOINT.format("elbow", "", "crank", "coupler"),
        SDF_JOINT.format("far", "", "world", "rocker"),
        SDF_JOINT.format("pin", "<pose>0 0 0.3 0 0 0</pose>", "coupler", "rocker"),
    ]
    return f'<sdf version="1.9"><model name="b">{"".join(links + joints)}</model></sdf>'


def _join(numbers, count=3, by=" "):
    return by.join(map(str, (*numbers, *[0] * (count - len(numbers)))))


def write_usd():
    """The pin is excluded from the articulation, stands before the joint of its body, in cm."""
    parts = []
    for name, (place, center, mass, moments) in BODIES.items():
        parts.append(f"""def Xform "{name}" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{{
double3 xformOp:translate = ({_join(100 * np.array(place), by=", ")})
uniform token[] xformOpOrder = ["xformOp:translate"]
float physics:mass = {mass}
point3f physics:centerOfMass = ({_join(100 * np.array(center), by=", ")})
float3 physics:diagonalInertia = ({_join(1e4 * np.array(moments), by=", ")})
}}
""")
    joints = [
        ("pin", "coupler", (40, 0, 10), "rocker", (0, 0, 30)),
        ("drive", "", (10, 0, 50), "crank", (0, 0, 0)),
        ("elbow", "crank", (0, 0, 20), "coupler", (0, 0, 0)),
        ("far", "", (50, 0, 50), "rocker", (0, 0, 0)),
    ]
    for name, parent, first, child, second in joints:
        above = f"rel physics:body0 = </bars/{parent}>" if parent else ""
        loop = "uniform bool physics:excludeFromArticulation = true" if name == "pin" else ""
        parts.append(f"""def PhysicsRevoluteJoint "{name}"
{{
{above}
{loop}
rel physics:body1 = </bars/{child}>
uniform token physics:axis = "Y"
point3f physics:localPos0 = ({_join(first, by=", ")})
point3f physics:localPos1 = ({_join(second, by=", ")})
}}
""")
    head = '(\n    defaultPrim = "bars"\n    metersPerUnit = 0.01\n)\n'
    return f'#usda 1.0\n{head}def Xform "bars"\n{{\n{"".join(parts)}}}\n'


def write_mjcf(kind):
    text = FOUR_BAR.format(1.4, 1.1, 0.9, CONNECT)
    if kind == "sites":
        text = text.replace(CONNECT, '<connect site1="a" site2="b"/>')
        text = text.replace("<mujoco>", SITES).replace(
            "</body></body>", '<frame pos="0 0 0"><site name="a"/></frame></body></body>'
        )
        far = '<site name="b" class="far"/>'
        return text.replace("</body>\n</body></worldbody>", f"{far}</body>\n</body></worldbody>")
    text = text.replace('<body name="ground" pos="0.1 0 0.5">', '<frame pos="0.1 0 0.5">')
    return text.replace("</body>\n</body></worldbody>", "</body>\n</frame></worldbody>")


FORMS = {
    "sites.xml": lambda: write_mjcf("sites"),
    "roots.xml": lambda: write_mjcf("roots"),
    "bars.sdf": write_sdf,
    "bars.usda": write_usd,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_loop_in_other_words_is_the_same(tmp_path, bar, name):
    """Equality of sites, two bodies on the world, second joints to a link in SDF and USD."""
    if name.endswith("usda"):
        pytest.importorskip("pxr")
    (tmp_path / name).write_text(FORMS[name]())
    robot = read_robot(str(tmp_path / name), Context(), RobotOptions())
    _, _, _, (q, u, du), tau = bar
    joints = [joint.removeprefix("b::") for joint in robot.joints]
    own = [joints.index(joint) for joint in NAMES]
    known = np.zeros_like(q)
    known[:, own[0]] = q[:, 0]
    found = loops.close_loops(robot.loop_tree, known, robot.loops, own[1:])
    assert np.allclose(found[:, own], q, atol=1e-6)
    motion = (np.array(each)[:, np.argsort(own)] for each in (q, u, du))
    forces = np.asarray(inverse_dynamics(robot.tree, *motion))
    A = loops.loop_jacobian(robot.loop_tree, found, robot.loops)
    N = loops.null_space(A, [own[0]]).N
    assert np.allclose(np.einsum("sij,si->sj", N, forces)[:, 0], tau, atol=1e-4)


def test_a_position_without_closure_is_refused_with_its_place(identify, bar):
    """The rocker cannot go round, whatever the crank does."""
    _, _, t, (q, _, _), tau = bar
    far = q[:, :1] * 6
    with pytest.raises(UsageError, match=r"sample \d+: connect 'pin' .* cannot be closed"):
        identify({"t": t, "q": far, "tau": tau[:, None], "joints": NAMES[2:]})


def test_positions_that_leave_the_loop_open_are_an_error(identify, bar):
    _, _, t, (q, u, du), tau = bar
    torques = np.stack([tau, *[np.full(len(t), np.nan)] * 2], axis=1)
    moved = q + np.array([0, 0.5, 0])
    data = {"t": t, "q": moved, "qd": u, "qdd": du, "tau": torques, "joints": NAMES}
    kinds = {each.kind for each in identify(data).report.remarks if each.severity >= 3}
    assert "open-loop" in kinds


@pytest.mark.parametrize(
    ("polycoef", "follow"),
    [("0.1 -0.5 0 0 0", lambda x: 0.1 - 0.5 * x), ("0 1 0.3 0 0", lambda x: x + 0.3 * x**2)],
)
def test_a_joint_that_follows_by_a_polynomial(identify, bar, polycoef, follow):
    """The follower has no torque; its leader's is the power of both over its speed."""
    _, robot, t, (q, u, du), _ = bar
    equality = f'<joint joint1="elbow" joint2="drive" polycoef="{polycoef}"/>'
    x, dx, ddx = q[:, 0], u[:, 0], du[:, 0]
    slope, bend = (follow(1) - follow(-1)) / 2, follow(1) + follow(-1) - 2 * follow(0)
    all_q = np.stack([x, follow(x), 0.3 * np.sin(5 * t)], axis=1)
    gain = slope + bend * x
    all_u = np.stack([dx, gain * dx, 1.5 * np.cos(5 * t)], axis=1)
    all_du = np.stack([ddx, gain * ddx + bend * dx**2, -7.5 * np.sin(5 * t)], axis=1)
    forces = np.asarray(inverse_dynamics(robot.tree, all_q, all_u, all_du))
    tau = np.stack([forces[:, 0] + gain * forces[:, 1], forces[:, 2]], axis=1)
    result = identify(
        {
            "t": t, "q": all_q[:, [0, 2]], "qd": all_u[:, [0, 2]], "qdd": all_du[:, [0, 2]],
            "tau": tau + 1e-3 * np.random.default_rng(0).normal(size=tau.shape),
            "joints": NAMES[[0, 2]],
        },
        equality,
    )  # fmt: skip
    assert result.datasets.joints == ("drive", "far")
    for joint in result.report.fits[0].joints:
        assert joint.after < 2e-3


def test_singular_configurations_are_counted():
    A = np.array([[[1.0, 2.0]], [[1.0, 1.0]], [[1.0, -1.0]], [[1.0, 0.0]]] * 3)
    A[0, 0, 1] = 0.0
    space = loops.null_space(A, [0])
    assert space.independent.tolist() == [0]
    assert space.singular.tolist() == (A[:, 0, 1] == 0).tolist()
    assert np.allclose(np.einsum("sij,sjk->sik", A, space.N)[~space.singular], 0)
