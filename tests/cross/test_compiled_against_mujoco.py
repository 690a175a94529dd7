"""The bodies that MuJoCo's compiler makes of written numbers, as one place computes them for all.

`diff`, trees and `excite` ask that place; MuJoCo compiles the same documents beside it.
"""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.documents.mjcf import compile_bodies
from inertial_check.documents.model import judge, tree_of
from inertial_check.fixing.diff import diff_models
from inertial_check.identification.options import RobotOptions
from inertial_check.identification.robot import read_robot
from inertial_check.inertia.representations import symmetric

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

# settotalmass is deprecated
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("log_elsewhere"),
]

SETTINGS = (
    'settotalmass="13.2"',
    'boundmass="2"',
    'boundinertia="0.3"',
    'boundmass="2" boundinertia="0.3"',
    'balanceinertia="true"',
    'balanceinertia="true" boundinertia="0.3" settotalmass="0.1"',
    'boundmass="2" boundinertia="0.3" balanceinertia="true" settotalmass="40"',
    'settotalmass="-1" boundmass="0"',
)


def numbers(*values):
    return " ".join(map(repr, map(float, values)))


def make_mjcf(rng, settings, still=True):
    """A document of bodies that MuJoCo takes with these settings: in a chain, and in the world."""
    bodies = ""
    for place in range(4):
        x, y, z = rng.uniform(0.01, 0.5, 3)
        moments = [y + z, x + z, x + y]
        if "balance" in settings and place == 1:
            moments[2] = 9.0
        turn = numbers(*rng.normal(size=4))
        pos = numbers(*rng.normal(size=3))
        mass = numbers(rng.uniform(0.1, 5))
        inertia = f'diaginertia="{numbers(*moments)}" quat="{turn}"'
        if rng.random() < 0.5:
            axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            full = axes @ np.diag(moments) @ axes.T
            entries = full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            inertia = f'fullinertia="{numbers(*entries)}"'
        inertial = f'<inertial pos="{pos}" mass="{mass}" {inertia}/>'
        bodies = f'<body name="b{place}"><joint name="j{place}"/>{inertial}{bodies}</body>'
    if still:
        bodies += '<body name="frame"/><body name="still">'
        bodies += '<inertial pos="0 0 1" mass="2.5" diaginertia="1 1 1"/></body>'
    return f"<mujoco><compiler {settings}/><worldbody>{bodies}</worldbody></mujoco>"


def compile_with_mujoco(text):
    """Mass, centre of mass and inertia in body axes of each body, by name."""
    model = mujoco.MjSpec.from_string(text).compile()
    found = {}
    for index in range(1, model.nbody):
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[index])
        axes = axes.reshape(3, 3)
        tensor = axes @ np.diag(model.body_inertia[index]) @ axes.T
        found[model.body(index).name] = model.body_mass[index], model.body_ipos[index], tensor
    return found


def assert_compiled(mine, theirs):
    mass, center, tensor = theirs
    if mass == 0 and not tensor.any():
        assert np.isnan(mine.mass)
        return
    assert mine.mass == pytest.approx(mass, rel=1e-12, abs=0)
    np.testing.assert_allclose(mine.p_BoBcm_B, center, rtol=0, atol=1e-12 * np.abs(center).max())
    size = np.abs(tensor).max()
    six = symmetric(np.array(mine.I_BBcm_B))
    np.testing.assert_allclose(six, tensor, rtol=0, atol=1e-12 * size)
    own = np.linalg.eigvalsh(symmetric(np.array(mine.I_BBcm_Bi)))
    np.testing.assert_allclose(own, np.linalg.eigvalsh(tensor), rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("seed", range(5))
def test_bodies_are_those_that_mujoco_compiles(settings, seed):
    text = make_mjcf(np.random.default_rng(seed), settings)
    model, theirs = ic.load(text.encode()), compile_with_mujoco(text)
    compiled = compile_bodies(model, judge(model))
    assert compiled.known
    assert bool(compiled.note) is ("-1" not in settings)
    for body, mine in zip(model.bodies, compiled.judgements, strict=True):
        assert_compiled(mine, theirs[body.name])
    tree = tree_of(model).tree  # the equations of motion are those of MuJoCo's bodies
    masses = [0.0 if np.isnan(each.mass) else each.mass for each in compiled.judgements]
    np.testing.assert_array_equal(tree.theta[:, 0], masses)


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_urdf_is_scaled_without_the_bodies_that_are_merged_into_the_world(settings):
    text = '<robot name="r"><mujoco><compiler {}/></mujoco>{}</robot>'
    links = "".join(
        f'<link name="l{place}"><inertial><origin xyz="0.1 0 0.2" rpy="0.1 0.2 {place}"/>'
        f'<mass value="{1.5 + place}"/><inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.25" iyz="0" '
        'izz="0.3"/></inertial></link>'
        for place in range(4)
    )
    kinds = ("fixed", "revolute", "revolute")
    joints = "".join(
        f'<joint name="j{child}" type="{kind}"><parent link="l{child - 1}"/>'
        f'<child link="l{child}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for child, kind in enumerate(kinds, 1)
    )
    document = text.format(settings, links + joints)
    model, theirs = ic.load(document.encode()), compile_with_mujoco(document)
    compiled = compile_bodies(model, judge(model))
    for body, mine in list(zip(model.bodies, compiled.judgements, strict=True))[2:]:
        assert_compiled(mine, theirs[body.name])
    # Other engines take a URDF's numbers as written, so its tree does, and says so.
    found = tree_of(model)
    assert found.tree.theta[:, 0].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert ("MuJoCo's compiler changes" in "".join(found.notes)) is bool(compiled.note)


@pytest.mark.parametrize("settings", SETTINGS[:-1])
def test_diff_says_that_robots_compile_to_the_same_bodies(settings):
    """One states the numbers, the other the settings by which MuJoCo makes them of others."""
    text = make_mjcf(np.random.default_rng(7), settings, still=False)
    bodies = ""
    for place, (mass, center, tensor) in enumerate(compile_with_mujoco(text).values()):
        entries = numbers(*tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        inertial = (
            f'<inertial pos="{numbers(*center)}" mass="{numbers(mass)}" fullinertia="{entries}"/>'
        )
        bodies += f'<body name="b{3 - place}"><joint name="j{3 - place}"/>{inertial}'
    plain = f"<mujoco><worldbody>{bodies}{'</body>' * 4}</worldbody></mujoco>"
    found = diff_models(text.encode(), plain.encode())
    assert found.count("differs") > 0
    assert found.compiled.count("equal") == 4
    assert found.compiled.equal
    assert not found.equal
    assert any("MuJoCo's compiler changes" in note for note in found.notes)


@pytest.mark.parametrize(
    ("option", "gravity"),
    [
        ("", (0.0, 0.0, -9.81)),
        ('<option gravity="0 0 -1.62"/>', (0.0, 0.0, -1.62)),
        ('<option gravity="1 2 -3"/><option timestep="0.001"/>', (1.0, 2.0, -3.0)),
        ('<option gravity="0 0 -1.62"/><option gravity="0 0 -3.7"/>', (0.0, 0.0, -3.7)),
    ],
)
def test_gravity_is_that_of_the_document(option, gravity, tmp_path):
    text = make_mjcf(np.random.default_rng(1), 'angle="radian"')
    text = text.replace("<worldbody>", f"{option}<worldbody>")
    spec = mujoco.MjSpec.from_string(text)
    assert tuple(spec.compile().opt.gravity) == gravity
    path = tmp_path / "a.xml"
    path.write_text(text)
    robot = read_robot(str(path), Context(), RobotOptions())
    assert robot.gravity == gravity
    said = [each.message for each in robot.remarks if each.kind == "gravity"]
    assert bool(said) is (gravity != (0.0, 0.0, -9.81))
    own = read_robot(str(path), Context(), RobotOptions(gravity=(0.0, 0.0, 5.0)))
    assert own.gravity == (0.0, 0.0, 5.0)
    assert not [each for each in own.remarks if each.kind == "gravity"]


def test_gravity_that_is_switched_off_is_none(tmp_path):
    text = make_mjcf(np.random.default_rng(1), "")
    option = '<option gravity="0 0 -1.62"><flag gravity="disable"/></option>'
    path = tmp_path / "a.xml"
    path.write_text(text.replace("<worldbody>", f"{option}<worldbody>"))
    assert read_robot(str(path), Context(), RobotOptions()).gravity == (0.0, 0.0, 0.0)


def test_gravity_is_turned_into_the_axes_of_the_base(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        '<mujoco><option gravity="0 0 -2"/><worldbody><body name="a" euler="180 0 0">'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><body name="b"><joint name="j"/>'
        '<inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>'
    )
    robot = read_robot(str(path), Context(), RobotOptions())
    assert robot.gravity == (0.0, 0.0, 2.0)
    assert [each.kind for each in robot.remarks] == ["gravity"]


@pytest.mark.parametrize(
    "more",
    [
        '<replicate count="2"><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
        "</replicate>",
        '<body name="g"><geom size="1"/></body>',
    ],
)
def test_masses_that_are_scaled_by_unknown_ones_stay_as_written(more):
    text = make_mjcf(np.random.default_rng(3), 'settotalmass="13.2"')
    text = text.replace("</worldbody>", f"{more}</worldbody>")
    model = ic.load(text.encode())
    compiled = compile_bodies(model, judge(model))
    assert not compiled.known
    assert list(compiled.judgements) == list(judge(model))
    found = diff_models(text.encode(), text.encode())
    assert found.compiled is None
    assert any(compiled.note in note for note in found.notes)


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_tree_of_a_spec_has_the_bodies_that_it_compiles_to(settings):
    from inertial_check.programs.objects import mujoco as objects

    text = make_mjcf(np.random.default_rng(11), settings, still=False)
    spec = mujoco.MjSpec.from_string(text)
    tree = objects.read(spec).tree()
    masses = spec.copy().compile().body_mass[1:]
    np.testing.assert_allclose(tree.theta[:, 0], masses, rtol=1e-12, atol=0)
    np.testing.assert_array_equal(tree.theta, ic.load(text.encode()).tree().theta)
