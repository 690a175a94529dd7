"""What `fix --engine mujoco` writes, compiled by MuJoCo: it takes it, and changes nothing of it."""

import numpy as np
import pytest

import inertial_check as ic
from fixing import matrix
from inertial_check.inertia import sampling

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

LINK = """<link name="{0}"><inertial><origin xyz="0 0 0.1" rpy="0.3 -0.2 0.9"/><mass value="{1}"/>
<inertia ixx="{2}" ixy="{3}" ixz="{4}" iyy="{5}" iyz="{6}" izz="{7}"/></inertial></link>
<joint name="j{0}" type="continuous"><parent link="base"/><child link="{0}"/></joint>
"""


def robot(*links):
    named = (LINK.format(f"l{i}", mass, *six) for i, (mass, six) in enumerate(links))
    return f'<robot name="r"><link name="base"/>\n{"".join(named)}</robot>\n'.encode()


def written(tensor, digits=17):
    return tuple(f"{value:.{digits}g}" for value in np.asarray(tensor)[np.triu_indices(3)])


def turn(seed):
    found, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return found


def plates(count):
    """Plates in any axes, to the last bit of their decimals: a third of them MuJoCo refuses."""
    for seed in range(count):
        axes = turn(seed)
        yield "2", written(axes @ np.diag([0.1, 0.2, 0.3]) @ axes.T)


AXES = turn(77)
ROD = "0.5", written(AXES @ np.diag([0.0, 0.01, 0.01]) @ AXES.T)
LIGHT = "1e-4", ("1e-11", "0", "0", "1e-11", "0", "1.5e-11")
TOO_LIGHT = "1e-9", ("1e-16", "0", "0", "1e-16", "0", "1.5e-16")
BROKEN = "1", ("0.02", "0.001", "0", "0.03", "0", "0.0511")


def compiled(data):
    """Principal moments of each link as MuJoCo simulates it."""
    model = mujoco.MjModel.from_xml_string(data.decode())
    return {model.body(i).name: model.body_inertia[i] for i in range(1, model.nbody)}


@pytest.mark.parametrize(
    "links",
    [[ROD], list(plates(30)), [LIGHT], [TOO_LIGHT], [BROKEN, ROD, LIGHT, *plates(3)]],
    ids=["rod", "plates", "light", "too light", "all"],
)
def test_mujoco_takes_what_was_written_as_it_was_written(links):
    fix = ic.fix_model(robot(*links), engines=["mujoco"], unsafe=True)
    assert fix.complete
    moments = compiled(fix.data)
    for body in fix.bodies:
        if body.name in moments:
            six = body.old if body.new is None else body.new
            expected = np.linalg.eigvalsh(matrix(six))
            assert np.sort(moments[body.name]) == pytest.approx(expected, rel=1e-9, abs=1e-17)


def test_it_refuses_some_of_them_as_they_are():
    """Otherwise the test above would show nothing."""
    for links in ([ROD], [TOO_LIGHT], [BROKEN], list(plates(30))):
        with pytest.raises(ValueError, match="inertia"):
            compiled(robot(*links))


def test_plates_move_by_a_millionth_and_those_that_are_surely_taken_not_at_all():
    along = "2", ("0.1", "0", "0", "0.2", "0", "0.3")
    fix = ic.fix_model(robot(along, *plates(30)), engines=["mujoco"])
    assert [body.status for body in fix.bodies[1:]] == ["unchanged", *["fixed"] * 30]
    assert max(body.relative_change for body in fix.bodies) < 1e-6


def test_random_broken_bodies_are_all_taken():
    bodies = sampling.inconsistent(
        np.random.default_rng(9),
        60,
        kinds=["triangle", "negative-moment", "two-facets"],
        mass=(0.1, 100),
        length=(0.05, 5),
    )
    links = [
        (f"{mass:.17g}", tuple(f"{value:.17g}" for value in six))
        for mass, six in zip(bodies.mass, bodies.as_theta(about="com")[:, 4:], strict=True)
    ]
    fix = ic.fix_model(robot(*links), engines=["mujoco"], unsafe=True)
    fixed = [body for body in fix.bodies if body.status == "fixed"]
    assert len(fixed) >= 50
    kept = {body.name for body in fix.bodies if body.intact}
    links = [pair for i, pair in enumerate(links) if f"l{i}" in kept]
    compiled(ic.fix_model(robot(*links), engines=["mujoco"], unsafe=True).data)
