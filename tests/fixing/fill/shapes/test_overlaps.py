"""Volumes that shapes of a body share count once, with moments of what is left."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.fixing.fill.overlaps import PieceReader
from inertial_check.inertia.meshes import convex_hull
from inertial_check.inertia.solids import box

BALL = '<visual><origin xyz="{} 0 0"/><geometry><sphere radius="0.1"/></geometry></visual>'
BOX = '<visual><origin xyz="{} 0 0"/><geometry><box size="{}"/></geometry></visual>'
MESH = '<visual><origin xyz="{} 0 0"/><geometry><mesh filename="{}"/></geometry></visual>'
LINK = '<robot name="r"><link name="a">{}</link></robot>'
ARM = (
    '<robot name="r"><link name="a">{}</link><joint name="j" type="revolute"><parent link="a"/>'
    '<child link="b"/><origin xyz="{} 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" '
    'effort="1" velocity="1"/></joint><link name="b">{}</link></robot>'
)


def read(text):
    model = ic.load(text.encode())
    return PieceReader(model).read(model.bodies[0])


def make_box(edges, middle=(0, 0, 0)):
    corners = np.array(np.meshgrid(*[[-e / 2, e / 2] for e in edges])).reshape(3, -1).T
    return convex_hull(corners[:, None].repeat(3, axis=1)) + np.array(middle)


def write_mesh(path, triangles):
    if path.suffix == ".obj":
        corners = triangles.reshape(-1, 3).tolist()
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines += [f"f {i + 1} {i + 2} {i + 3}" for i in range(0, len(corners), 3)]
        path.write_text("\n".join(lines))
        return
    lines = ["solid s"]
    for triangle in triangles.tolist():
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x!r} {y!r} {z!r}" for x, y, z in triangle]
        lines += ["endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid s"]))


def test_two_boxes_that_overlap_have_the_moments_of_their_union():
    own = read(LINK.format(BOX.format(0, "0.2 0.1 0.1") + BOX.format(0.15, "0.2 0.1 0.1")))
    union = box((0.35, 0.1, 0.1), density=1.0)
    assert own.volume == pytest.approx(0.35 * 0.1 * 0.1, rel=0.02)
    unit = ic.InertialParameters.from_theta(own.unit)
    np.testing.assert_allclose(unit.com, [0.075, 0, 0], atol=0.002)
    np.testing.assert_allclose(
        np.diag(unit.inertia_com), np.diag(union.inertia_com), rtol=0.05, atol=0
    )
    assert "% of it lies inside another shape: counted once" in own.remarks[0]


def test_two_balls_that_overlap_have_the_volume_of_their_union():
    own = read(LINK.format(BALL.format(0) + BALL.format(0.1)))
    lens = np.pi * (2 * 0.1 - 0.1) ** 2 * (0.1**2 + 4 * 0.1 * 0.1) / (12 * 0.1)
    assert own.volume == pytest.approx(2 * 4 / 3 * np.pi * 0.1**3 - lens, rel=0.02)
    assert own.unit[1] / own.unit[0] == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize("second", [MESH.format(0.05, "part.stl"), BOX.format(0.05, "0.1 0.1 0.1")])
def test_a_shape_that_reaches_into_a_mesh_counts_once(tmp_path, second):
    write_mesh(tmp_path / "part.stl", make_box((0.1, 0.1, 0.1)))
    path = tmp_path / "r.urdf"
    path.write_text(LINK.format(MESH.format(0, "part.stl") + second))
    model = ic.load(path)
    own = PieceReader(model).read(model.bodies[0])
    assert own.volume == pytest.approx(0.0015, rel=0.05)  # a mesh has 12 layers of cells
    assert own.unit[1] / own.unit[0] == pytest.approx(0.025, abs=0.002)


@pytest.mark.parametrize("suffix", [".stl", ".obj"])
def test_a_mesh_with_parts_that_overlap_is_filled_once_and_says_so(tmp_path, suffix):
    plate, boss = make_box((1, 1, 0.1)), make_box((0.2, 0.2, 0.3), (0.3, 0.1, 0.1))
    for name, parts, mass, center in (
        ("double", [plate, plate], 100, [0, 0, 0]),
        ("boss", [plate, boss], 108, [0.3 * 8 / 108, 0.1 * 8 / 108, 0.15 * 8 / 108]),
        ("turned", [plate[:, ::-1], plate[:, ::-1]], 100, [0, 0, 0]),
    ):
        write_mesh(tmp_path / f"{name}{suffix}", np.concatenate(parts))
        path = tmp_path / f"{name}.urdf"
        path.write_text(LINK.format(MESH.format(0, f"{name}{suffix}")))
        (body,) = ic.fill(path, bodies=["a"], density=1000.0).bodies
        assert body.status == "filled", body.reason
        assert float(body.parameters.mass) == pytest.approx(mass, rel=1e-6)
        np.testing.assert_allclose(body.parameters.com, center, atol=1e-6)
        assert any("enclosed twice: counted once" in each for each in body.remarks)
    np.testing.assert_allclose(
        np.diag(body.parameters.inertia_com), [100 * 1.01 / 12] * 2 + [100 / 6], rtol=1e-9
    )


def test_shapes_that_touch_keep_their_exact_moments():
    own = read(LINK.format(BOX.format(0, "0.2 0.1 0.1") + BOX.format(0.2, "0.2 0.1 0.1")))
    assert own.volume == pytest.approx(0.004, rel=1e-12)
    assert own.remarks == ()


def test_what_two_bodies_share_counts_in_both():
    text = ARM.format(BOX.format(0, "0.4 0.1 0.1"), 0.2, BOX.format(0, "0.2 0.1 0.1"))
    filling = ic.fill(text.encode(), bodies=["a", "b"], density=1000.0)
    for body, mass in zip(filling.bodies, (4.0, 2.0), strict=True):
        assert float(body.parameters.mass) == pytest.approx(mass, rel=1e-9)
        np.testing.assert_allclose(body.parameters.com, np.zeros(3), atol=1e-12)
