"""`identify --write-joints`: friction and rotors of the report are those that engines load."""

import json

import mujoco
import numpy as np
import pytest

import inertial_check as ic
import recorded
from inertial_check.mechanics.equations import inverse_dynamics

_BODY = """<inertial pos="0.02 0 0.2" mass="{0}" diaginertia="0.03 0.04 0.02"/>"""

ROBOT = f"""<mujoco>
  <default><joint armature="0.5" frictionloss="0.1"/></default>
  <worldbody>
    <body name="upper">
      <joint name="lift" axis="0 1 0" damping="0.7"/>
      {_BODY.format(2)}
      <body name="lower" pos="0 0 0.4">
        <joint name="bend" axis="0 1 0"/>
        {_BODY.format(1)}
      </body>
    </body>
  </worldbody>
</mujoco>
"""

TRUTH = {"fv": (1.2, 0.4), "fc": (0.8, 0.3), "Ia": (0.25, 0.1), "off": (0.2, -0.1)}


@pytest.fixture
def identify(run, tmp_path, monkeypatch):
    """identify(*options) -> exit code, report; with a recording of the robot beside its file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.xml").write_text(ROBOT)
    t = np.arange(0, 8, 0.02)
    phase = 2 * np.pi * np.multiply.outer(t, [0.31, 0.47])
    rate = phase[-1] / t[-1]
    q, u, du = np.sin(phase), rate * np.cos(phase), -(rate**2) * np.sin(phase)
    tree = ic.load("robot.xml").tree()
    tau = np.asarray(inverse_dynamics(tree, q, u, du))
    fv, fc, rotor, offset = map(np.array, TRUTH.values())
    tau = tau + fv * u + fc * np.sign(u) + rotor * du + offset
    tau += 1e-3 * np.random.default_rng(1).normal(size=tau.shape)
    recorded.written(tmp_path, {"q": q, "qd": u, "qdd": du, "tau": tau})

    def identify(*options):
        terms = ("--friction", "viscous,coulomb,offset,rotor", "--output-format", "json")
        code, out, err = run("identify", "r.npz", "--model", "robot.xml", *terms, *options)
        assert err == "" or code == 2, err
        return code, json.loads(out) if out else err

    return identify


def test_mujoco_loads_what_the_report_says(identify, tmp_path):
    code, report = identify("-o", "out.xml", "--write-joints")
    assert code == 0
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    values = {each["name"]: each for each in report["friction"]}
    compiled = {"fv": model.dof_damping, "fc": model.dof_frictionloss, "Ia": model.dof_armature}
    for symbol, found in compiled.items():
        assert found.tolist() == [values[f"{symbol}{k}"]["value"] for k in (1, 2)]
        np.testing.assert_allclose(found, TRUTH[symbol], rtol=0.2)
    stated = {name: each["model"] for name, each in values.items()}
    assert (stated["fv1"], stated["fv2"], stated["fc2"], stated["Ia1"]) == (0.7, None, 0.1, 0.5)
    assert [each["status"] for each in report["written"]["joints"]] == ["fixed", "fixed"]
    (told,) = [each for each in report["remarks"] if each["kind"] == "joint-without-place"]
    assert "offset of lift" in told["message"]
    # The bodies are the same with and without the joints.
    identify("-o", "plain.xml")
    one, other = ic.load("out.xml"), ic.load("plain.xml")
    assert one.parameters == other.parameters
    assert other.bodies[0].joints[0].damping == 0.7


def test_joints_that_cannot_be_written_keep_the_file_as_it_is(identify, tmp_path):
    spring = ROBOT.replace('name="bend"', 'name="bend" springdamper="1 1"')
    (tmp_path / "robot.xml").write_text(spring)
    code, report = identify("--write", "--write-joints")
    assert code == 1
    assert (tmp_path / "robot.xml").read_text() == spring
    assert not report["written"]["done"]
    assert "bend" in report["written"]["reason"]
    assert [each["status"] for each in report["written"]["joints"]] == ["withheld", "refused"]
    (told,) = [each for each in report["remarks"] if each["kind"] == "joint-not-written"]
    assert "springdamper" in told["message"]


def test_the_text_has_the_model_beside_what_was_identified(run, identify):
    identify()
    _, out, _ = run("identify", "r.npz", "--model", "robot.xml")
    table = out.split("Friction and other torques\n")[1].splitlines()
    assert table[0].split()[-5:] == ["Coulomb", "N", "m", "model", "offset", "N", "m"][-5:]
    assert "0.7" in table[1].split()
    assert "-" in table[2].split()
    code, _, err = run("identify", "r.npz", "--model", "robot.xml", "--write-joints")
    assert (code, "--write-joints adds to" in err) == (2, True)
