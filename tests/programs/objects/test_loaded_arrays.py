"""Names, arrays and trees of models that MuJoCo, Drake and Pinocchio hold, and setting them."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError, UsageError
from inertial_check.mechanics import equations
from inertial_check.mechanics.rotations import matrix_from_quaternion
from inertial_check.programs.objects import drake, mujoco, pinocchio
from random_trees import as_mjcf, as_urdf, configurations, random_tree


class Pinocchio:
    """A random tree in Pinocchio, and its own getters."""

    def __init__(self, seed, base):
        pin = pytest.importorskip("pinocchio", reason="install inertial-check[pinocchio]")
        tree = random_tree(seed, base=base, kinds=("revolute", "prismatic"))
        free = [pin.JointModelFreeFlyer()] * (base == "floating")
        self.pin, self.native = pin, pin.buildModelFromXML(as_urdf(tree), *free)

    def read(self):
        return pinocchio.read(self.native)

    def theta(self):
        """In Pinocchio's own vector of ten numbers, xx xy yy xz yz zz last."""
        rows = [each.toDynamicParameters() for each in list(self.native.inertias)[1:]]
        return ic.InertialParameters.from_theta(np.array(rows), "pinocchio").as_theta()

    def forces(self, tree, q, u):
        """M and b + g in the coordinates of the tree."""
        model, data = self.native, self.native.createData()
        q_pin, v_pin, B, drift = q.copy(), u.copy(), np.eye(tree.n_u), np.zeros(tree.n_u)
        if tree.joints[0] == "floating":
            R = matrix_from_quaternion(q[3:7])
            q_pin[3:7], v_pin[:3] = [*q[4:7], q[3]], R.T @ u[:3]
            # Their linear velocity is in the axes of the body: v_B = R^T v_I.
            B[:3, :3], drift[:3] = R.T, -np.cross(u[3:6], R.T @ u[:3])
        M = self.pin.crba(model, data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        h = self.pin.nonLinearEffects(model, data, q_pin, v_pin)
        return B.T @ M @ B, B.T @ (h + M @ drift)


class Mujoco:
    """A random tree that MuJoCo has compiled, and its own getters."""

    def __init__(self, seed, base):
        self.mujoco = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
        tree = random_tree(seed, base=base, anchored=True)
        self.spec = self.mujoco.MjSpec.from_string(as_mjcf(tree))
        self.native = self.spec.compile()

    def read(self):
        return mujoco.read(self.native)

    def theta(self):
        model, bodies = self.native, []
        for body in range(1, model.nbody):
            R = np.zeros(9)
            self.mujoco.mju_quat2Mat(R, model.body_iquat[body])
            R = R.reshape(3, 3)
            tensor = R @ np.diag(model.body_inertia[body]) @ R.T
            tensor = (tensor + tensor.T) / 2
            com = model.body_ipos[body]
            bodies.append(
                ic.InertialParameters.from_com(model.body_mass[body], com, tensor).as_theta()
            )
        return np.array(bodies)

    def forces(self, tree, q, u):
        model, data = self.native, self.mujoco.MjData(self.native)
        data.qpos[:], data.qvel[:] = q, u
        self.mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for row, direction in zip(M, np.eye(model.nv), strict=True):
            self.mujoco.mj_mulM(model, data, row, direction)
        return M, data.qfrc_bias


class Spec(Mujoco):
    """The same tree before it is compiled."""

    def read(self):
        return mujoco.read(self.spec)

    def theta(self):
        self.native = self.spec.compile()
        return super().theta()


class Drake:
    """A random tree in a plant, and its own getters."""

    def __init__(self, seed, base):
        pytest.importorskip("pydrake", reason="install inertial-check[drake]")
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        self.native = MultibodyPlant(0.0)
        Parser(self.native).AddModelsFromString(as_urdf(random_tree(seed, base=base)), "urdf")
        self.native.Finalize()
        self.context = self.native.CreateDefaultContext()

    def read(self):
        return drake.read(self.native, self.context)

    def theta(self):
        from pydrake.multibody.tree import BodyIndex

        rows = []
        for index in range(1, self.native.num_bodies()):
            body = self.native.get_body(BodyIndex(index))
            M = body.CalcSpatialInertiaInBodyFrame(self.context).CopyToFullMatrix6()
            rows.append(ic.InertialParameters.from_spatial_inertia((M + M.T) / 2).as_theta())
        return np.array(rows)

    def forces(self, tree, q, u):
        plant, context = self.native, self.context
        q_drake, v_drake = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        rows, B, drift = np.zeros(tree.n_u, int), np.eye(tree.n_u), np.zeros(tree.n_u)
        for index in plant.GetJointIndices():
            joint = plant.get_joint(index)
            start, body = joint.velocity_start(), int(joint.child_body().index()) - 1
            place = tree.velocities[body]
            if tree.joints[body] == "floating":
                R = matrix_from_quaternion(q[3:7])
                q_drake[joint.position_start() + np.arange(7)] = [*q[3:7], *q[:3]]
                rows[place] = start + np.array([3, 4, 5, 0, 1, 2])
                B[3:6, 3:6] = R  # theirs has both velocities in the axes of the world
            elif joint.num_velocities():
                rows[place] = start
                q_drake[joint.position_start()] = q[tree.coordinates[body].start]
        v_drake[rows] = B @ u
        plant.SetPositions(context, q_drake)
        plant.SetVelocities(context, v_drake)
        M = plant.CalcMassMatrixViaInverseDynamics(context)[np.ix_(rows, rows)]
        h = plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context)
        return B.T @ M @ B, B.T @ (h[rows] + M @ drift)


LIBRARIES = [Pinocchio, Mujoco, Spec, Drake]
BASES = ("revolute", "floating")


def assert_close(ours, theirs):
    size = np.abs(theirs).max() or 1.0
    np.testing.assert_allclose(np.asarray(ours) / size, theirs / size, rtol=0, atol=1e-10)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_arrays_are_those_of_the_getters_and_the_tree_moves_like_the_library(library, base):
    held = library(1, base)
    model = held.read()
    assert model.names == tuple(body.name for body in model.bodies)
    theirs = held.theta()
    assert model.theta.shape == theirs.shape == (len(model.names), 10)
    assert_close(model.theta, theirs)
    assert model.parameters.shape == theirs.shape[:1]
    assert not model.added_mass.any()
    assert model.added_mass.shape == (len(theirs), 6, 6)
    tree = model.tree("floating" if base == "floating" else "fixed")
    assert (tree.joints[0] == "floating") == (base == "floating")
    for q, u, _ in zip(*configurations(tree, 2), strict=True):
        M, h = held.forces(tree, q, u)
        assert_close(equations.mass_matrix(tree, q), M)
        ours = equations.bias_forces(tree, q, u) + equations.gravity_forces(tree, q)
        assert_close(ours, h)


@pytest.mark.parametrize("library", LIBRARIES)
def test_parameters_are_set_in_the_object_and_read_again(library):
    held = library(3, "revolute")
    model = held.read()
    rows = [i for i, body in enumerate(model.bodies) if body.inertial.mass.value > 0][:3]
    rng = np.random.default_rng(4)
    new = ic.InertialParameters.from_point_masses(
        rng.uniform(0.1, 1, (3, 7)), rng.normal(size=(3, 7, 3))
    )
    before = held.theta()
    fix = model.with_parameters(new, [model.bodies[i].id for i in rows])
    assert fix.complete
    assert fix.changed
    assert [body.status for body in fix.bodies] == ["fixed"] * 3
    assert fix.diff().count("\n+") == 1 + 3
    after = held.theta()
    assert_close(after[rows], np.asarray(new.as_theta()))
    others = np.setdiff1d(np.arange(len(before)), rows)
    assert np.array_equal(after[others], before[others])
    assert_close(fix.model.theta, after)
    assert_close(held.read().theta, after)
    with pytest.raises(UsageError, match="set in the object itself"):
        fix.write("elsewhere")
    # All rows of the model, of which one is another: NaN and equal rows stay.
    theta = held.read().theta
    theta[rows[0]] *= 2
    theta[rows[1]] = np.nan
    fix = model.with_parameters(theta)
    assert model.bodies[rows[0]].name in [body.name for body in fix.bodies]
    assert_close(held.theta()[rows[0]], 2 * after[rows[0]])
    assert_close(held.theta()[rows[1]], after[rows[1]])


@pytest.mark.parametrize("library", LIBRARIES)
def test_parameters_that_no_body_has_change_nothing(library):
    held = library(3, "revolute")
    model, before = held.read(), held.theta()
    good, name = ic.InertialParameters.from_com(1.0, [0, 0, 0], [1, 0, 0, 1, 0, 1]), model.names
    bad = ic.InertialParameters.from_com(1.0, [0, 0, 0], [1, 0, 0, 1, 0, 3])
    with pytest.raises(ParameterError, match="inconsistent"):
        model.with_parameters({name[-1]: good, name[-2]: bad})
    with pytest.raises(ParameterError, match="nobody"):
        model.with_parameters({"nobody": good})
    with pytest.raises(UsageError, match="digits"):
        model.with_parameters({name[-1]: good}, digits=9)
    assert np.array_equal(held.theta(), before)


def test_mujoco_keeps_a_body_that_it_compiled_as_simple_and_all_others():
    engine = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
    text = """<mujoco><worldbody><body name="ball"><freejoint/>
      <geom name="skin" type="box" size=".1 .2 .3"/></body>
      <body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom name="rod" size=".1" pos=".3 0 0"/>
      </body></worldbody></mujoco>"""
    compiled = engine.MjModel.from_xml_string(text)
    model = mujoco.read(compiled)
    moved = ic.InertialParameters.from_com(2.0, [0.1, 0.2, 0], [1, 0.1, 0, 1, 0, 1.5])
    fix = model.with_parameters({"ball": moved, "arm": moved})
    assert not fix.complete
    assert not fix.changed
    assert [body.status for body in fix.bodies] == ["engine-refused", "withheld"]
    assert "body_simple" in fix.bodies[0].reason
    assert "ball" in fix.bodies[1].reason
    assert np.array_equal(mujoco.read(compiled).theta, model.theta)
    # Of an arm alone, the geom that stands at its centre of mass stays where it is.
    data = engine.MjData(compiled)
    engine.mj_forward(compiled, data)
    before = data.geom("rod").xpos.copy()
    assert model.with_parameters({"arm": moved}).complete
    engine.mj_forward(compiled, data)
    assert np.array_equal(data.geom("rod").xpos, before)
    assert compiled.body("arm").subtreemass == 2.0
    # A scaled ball keeps its axes, so it may stay simple.
    twice = ic.InertialParameters.from_theta(2 * model.theta[0])
    assert model.with_parameters({"ball": twice}).complete
    assert compiled.body("ball").mass == 2 * model.theta[0, 0]


@pytest.mark.parametrize(
    ("setting", "status"),
    [
        ('settotalmass="3"', "overridden"),
        ('inertiafromgeom="true"', "overridden"),
        ('boundmass="9"', "overridden"),
        ("", "engine-refused"),
    ],
)
def test_a_spec_takes_only_what_its_compiler_keeps(setting, status):
    engine = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
    spec = engine.MjSpec.from_string(
        f'<mujoco><compiler {setting}/><worldbody><body name="a"><joint axis="0 1 0"/>'
        '<geom size=".1"/></body></worldbody></mujoco>'
    )
    model = mujoco.read(spec)
    six = [1e-20, 0, 0, 1e-20, 0, 1e-20] if status == "engine-refused" else [1, 0, 0, 1, 0, 1]
    given = ic.InertialParameters.from_com(1.0, [0, 0, 0], six)
    fix = model.with_parameters({"a": given})
    assert [body.status for body in fix.bodies] == [status]
    assert spec.body("a").mass == 0
    assert not spec.body("a").explicitinertial


def test_a_joint_of_pinocchio_that_follows_another_has_no_tree_and_the_way_out_has():
    pin = pytest.importorskip("pinocchio", reason="install inertial-check[pinocchio]")
    text = as_urdf(random_tree(1, base="revolute", kinds=("revolute",)))
    head, tail = text.split("<joint ", 2)[:2], text.split("<joint ", 2)[2]
    leader = head[1].partition('name="')[2].partition('"')[0]
    follower = tail.partition('name="')[2].partition('"')[0]
    tail = tail.replace("</joint>", f'<mimic joint="{leader}" multiplier="2"/></joint>', 1)
    text = "<joint ".join([*head, tail])
    held = pinocchio.read(pin.buildModelFromXML(text, mimic=True))
    with pytest.raises(UsageError, match=f"its joint {follower} follows .* mimic=False"):
        held.tree()
    assert pinocchio.read(pin.buildModelFromXML(text, mimic=False)).tree().n_u > 1


@pytest.mark.parametrize("compiled", [True, False])
def test_a_body_of_mujoco_with_several_joints_has_no_tree_and_the_way_out_has(compiled):
    engine = pytest.importorskip("mujoco", reason="install inertial-check[mujoco]")
    mass = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'

    def read(inside):
        spec = engine.MjSpec.from_string(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
        return mujoco.read(spec.compile() if compiled else spec)

    two = f'<joint name="x" axis="1 0 0"/><joint axis="0 1 0"/>{mass}'
    with pytest.raises(UsageError, match=r"cross: it has 2 joints \(x, a hinge\).* of its own"):
        read(f'<body name="cross">{two}</body>').tree()
    inner = f'<body name="cross"><joint axis="0 1 0"/>{mass}</body>'
    tree = read(f'<body><joint name="x" axis="1 0 0"/>{mass}{inner}</body>').tree()
    assert tree.joints == ("revolute", "revolute")


def test_drake_decides_by_its_own_test_and_needs_a_context():
    pytest.importorskip("pydrake", reason="install inertial-check[drake]")
    held = Drake(0, "revolute")
    name = held.read().names[-1]
    light = ic.InertialParameters.from_com(0.0, [0, 0, 0], [1, 0, 0, 1, 0, 1])
    good = ic.InertialParameters.from_com(1.0, [0, 0, 0], [1, 0, 0, 1, 0, 1])
    with pytest.raises(UsageError, match="a context is needed"):
        drake.read(held.native).with_parameters({name: good})
    before = held.theta()
    with pytest.raises(ParameterError):
        held.read().with_parameters({name: light})
    # On the border of the triangle inequality, of which Drake keeps no digit more than it tests.
    assert held.read().with_parameters({name: good}).complete
    assert not np.array_equal(held.theta(), before)
