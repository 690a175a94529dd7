"""Bodies on fixed joints identified as one, and shared back, in every format."""

import re

import mujoco
import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.documents.model import tree_of
from inertial_check.errors import UsageError
from inertial_check.identification.command import identify_robot
from inertial_check.identification.fit.solve import FitOptions
from inertial_check.identification.options import FrictionOptions, IdentifyOptions, RobotOptions
from inertial_check.identification.robot import merge_tree
from inertial_check.mechanics.equations import inverse_dynamics, regressor
from inertial_check.projection.exact import are_exact

# Name, parent, joint, position in the parent, mass and centre; the rotations are identities.
BODIES = (
    ("base", None, None, (0, 0, 0), 3.0, (0, 0, 0)),
    ("upper", "base", "lift", (0, 0, 0.2), 2.0, (0.02, 0, 0.2)),
    ("lower", "upper", "bend", (0, 0, 0.4), 1.5, (0, 0.01, 0.15)),
    ("flange", "lower", None, (0, 0, 0.3), 0.3, (0, 0, 0.02)),
    ("camera", "flange", None, (0.05, 0, 0.04), 0.2, (0.01, 0, 0)),
)
SHARE = np.diag([0.02, 0.025, 0.015])


def inertia_of(mass):
    return (SHARE * mass).diagonal()


def triple(values):
    return " ".join(f"{value:g}" for value in values)


def urdf():
    parts = ['<robot name="r">']
    for name, parent, joint, at, mass, com in BODIES:
        x, y, z = inertia_of(mass)
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{triple(com)}"/><mass value="{mass}"/>'
            f'<inertia ixx="{x:g}" ixy="0" ixz="0" iyy="{y:g}" iyz="0" izz="{z:g}"/>'
            "</inertial></link>"
        )
        if parent:
            kind = "continuous" if joint else "fixed"
            parts.append(
                f'<joint name="{joint or name + "_joint"}" type="{kind}"><parent link="{parent}"/>'
                f'<child link="{name}"/><origin xyz="{triple(at)}"/><axis xyz="0 1 0"/></joint>'
            )
    return "\n".join([*parts, "</robot>"])


def sdf():
    parts, height = ['<sdf version="1.9"><model name="m">'], {}
    parts.append(
        '<joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>'
    )
    for name, parent, joint, at, mass, com in BODIES:
        height[name] = np.array(at) + height.get(parent, 0)
        x, y, z = inertia_of(mass)
        parts.append(
            f'<link name="{name}"><pose>{triple(height[name])} 0 0 0</pose><inertial>'
            f"<pose>{triple(com)} 0 0 0</pose><mass>{mass}</mass><inertia><ixx>{x:g}</ixx>"
            f"<iyy>{y:g}</iyy><izz>{z:g}</izz></inertia></inertial></link>"
        )
        if parent:
            kind = "revolute" if joint else "fixed"
            parts.append(
                f'<joint name="{joint or name + "_joint"}" type="{kind}"><parent>{parent}</parent>'
                f"<child>{name}</child><axis><xyz>0 1 0</xyz></axis></joint>"
            )
    return "\n".join([*parts, "</model></sdf>"])


def mjcf():
    text, close = "<mujoco><worldbody>\n", ""
    for name, _, joint, at, mass, com in BODIES:
        moves = f'<joint name="{joint}" axis="0 1 0"/>' if joint else ""
        text += (
            f'<body name="{name}" pos="{triple(at)}">{moves}<inertial pos="{triple(com)}" '
            f'mass="{mass}" diaginertia="{triple(inertia_of(mass))}"/>\n'
        )
        close += "</body>"
    return f"{text}{close}</worldbody></mujoco>"


def usd():
    parts = ["#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n)"]
    height = {}
    for name, parent, joint, at, mass, com in BODIES:
        height[name] = np.array(at) + height.get(parent, 0)
        place, center = (", ".join(triple(v).split()) for v in (height[name], com))
        inertia = ", ".join(triple(inertia_of(mass)).split())
        parts.append(
            f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n'
            f"{{\n    double3 xformOp:translate = ({place})\n"
            '    uniform token[] xformOpOrder = ["xformOp:translate"]\n'
            f"    float physics:mass = {mass}\n    point3f physics:centerOfMass = ({center})\n"
            f"    float3 physics:diagonalInertia = ({inertia})\n"
            "    quatf physics:principalAxes = (1, 0, 0, 0)\n}"
        )
        first = f"    rel physics:body0 = </{parent}>\n" if parent else ""
        where = ", ".join(triple(at).split())
        kind = "Revolute" if joint else "Fixed"
        axis = '    uniform token physics:axis = "Y"\n' if joint else ""
        parts.append(
            f'def Physics{kind}Joint "{joint or name + "_joint"}"\n{{\n{first}'
            f"    rel physics:body1 = </{name}>\n"
            f"    point3f physics:localPos0 = ({where})\n{axis}}}"
        )
    return "\n".join(parts) + "\n"


FORMATS = {"urdf": urdf, "sdf": sdf, "xml": mjcf, "usda": usd}


def robot_and_data(folder, suffix, scale=1.1, noise=0.02):
    """Paths of the robot and of a recording of one whose bodies are heavier by a factor."""
    path = folder / f"robot.{suffix}"
    path.write_text(FORMATS[suffix]())
    tree = ic.load(str(path)).tree()
    t = np.arange(0, 4, 0.02)
    phase = 2 * np.pi * np.multiply.outer(t, [0.31, 0.47])
    rate = phase[-1] / t[-1]
    q, u, du = np.sin(phase), rate * np.cos(phase), -(rate**2) * np.sin(phase)
    tau = np.asarray(inverse_dynamics(tree, q, u, du, theta=scale * np.asarray(tree.theta)))
    tau = tau + noise * np.random.default_rng(1).normal(size=tau.shape)
    return str(path), recorded.written(folder, {"q": q, "qd": u, "qdd": du, "tau": tau}), (q, u, du)


def fit(model, data, **further):
    return identify_robot(IdentifyOptions(data=(data,), model=model, **further))


@pytest.mark.parametrize(
    ("suffix", "scale"), [*((suffix, 1.1) for suffix in FORMATS), ("urdf", 0.2), ("xml", 0.2)]
)
def test_the_written_robot_is_the_fit_and_its_parts_are_bodies(tmp_path, suffix, scale):
    """At 0.2 the rest beside flange and camera of the file would weigh less than nothing."""
    model, data, motion = robot_and_data(tmp_path, suffix, scale)
    found = fit(model, data)
    assert [re.split("/|::", name)[-1] for name in found.robot.names] == ["upper", "lower"]
    (merged,) = found.report.merged
    assert [re.split("/|::", part.name)[-1] for part in merged.parts] == [
        "lower",
        "flange",
        "camera",
    ]
    assert merged.method == ("remainder" if scale > 1 else "nearest")
    told = " ".join(each.message for each in found.report.remarks if each.kind == "merged")
    assert all(part.name in told for part in merged.parts)
    fix = found.fix()
    assert fix.complete
    before = ic.load(model)
    again = ic.load(fix.data, format=before.format)
    tree = tree_of(again).tree
    whole = merge_tree(tree, found.robot.groups).theta[list(found.robot.bodies)]
    rounding = 1e-6 if suffix == "usda" else 1e-13  # USD holds float32
    size = np.abs(found.found.theta).max(axis=1, keepdims=True)
    np.testing.assert_allclose(whole / size, found.found.theta / size, atol=rounding)
    numbers = np.asarray(again.parameters.as_theta(about="com"))
    assert are_exact(numbers, "com").all()
    predicted = inverse_dynamics(merge_tree_with(found), *motion)
    torques = inverse_dynamics(tree, *motion)
    np.testing.assert_allclose(torques, predicted, atol=10 * rounding * np.abs(predicted).max())
    kept = numbers[3:], np.asarray(before.parameters.as_theta(about="com"))[3:]
    assert np.array_equal(*kept) == (scale > 1)
    if suffix == "xml":
        compiled = mujoco.MjModel.from_xml_string(fix.data.decode())
        np.testing.assert_allclose(compiled.body_mass[1:], numbers[:, 0], rtol=1e-12)


def merge_tree_with(found):
    """The tree of the robot with the identified numbers of the merged bodies."""
    from dataclasses import replace

    theta = np.array(found.robot.tree.theta)
    theta[list(found.robot.bodies)] = found.found.theta
    return replace(found.robot.tree, theta=theta)


def test_a_known_mass_is_of_the_whole_and_of_no_part(tmp_path):
    model, data, _ = robot_and_data(tmp_path, "urdf")
    with pytest.raises(UsageError, match=r"'camera' is merged into lower, .*give lower"):
        fit(model, data, mass={"camera": 0.2})
    weight = FitOptions(regularization=1e3)
    found = fit(model, data, mass={"lower": 2.3}, fit=weight)
    (merged,) = found.report.merged
    assert sum(part.mass for part in merged.parts) == pytest.approx(2.3, rel=1e-12)


def test_columns_of_the_parts_in_y_give_the_same_bodies(tmp_path):
    """Y of every body with mass, of which those of the merged ones follow from their parent's."""
    model, data, motion = robot_and_data(tmp_path, "urdf")
    recording = np.load(data)
    tree = ic.load(model).tree()
    Y = np.asarray(regressor(tree, *motion))[:, :, 10:]
    moved = recorded.written(
        tmp_path,
        {"q": motion[0], "qd": motion[1], "qdd": motion[2]} | {"tau": recording["tau"]},
        "moved.npz",
    )
    given = recorded.written(tmp_path, {"Y": Y, "tau": recording["tau"]}, "given.npz")
    friction = FrictionOptions(friction=())
    found = [fit(model, path, friction=friction) for path in (moved, given)]
    assert found[0].robot.names == ("upper", "lower")
    moved_theta, given_theta = (each.found.theta for each in found)
    least = 1e-10 * np.max(np.abs(moved_theta))
    np.testing.assert_allclose(given_theta, moved_theta, rtol=1e-6, atol=least)


def test_without_merging_every_part_is_a_body(tmp_path):
    model, data, _ = robot_and_data(tmp_path, "urdf")
    robot = RobotOptions(merge_fixed=False)
    found = fit(model, data, robot=robot, mass={"camera": 0.2})
    assert found.robot.names == ("upper", "lower", "flange", "camera")
    assert found.report.merged == ()
    assert found.report.bodies[3].mass == pytest.approx(0.2, rel=1e-12)
