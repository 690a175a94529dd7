"""Cells of shapes: exact moments, inside the shapes, overlaps once, sizes believed or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.shapes.evidence import GeometryReader
from inertial_check.errors import ParameterError
from inertial_check.fixing.fill.overlaps import PieceReader, fill_triangles, tilt
from inertial_check.fixing.fill.shapes import contains, fill_primitive
from inertial_check.inertia.meshes import convex_hull, measure

LENGTH = st.floats(0.01, 10)
LINK = '<robot name="r"><link name="a">{}</link></robot>'
BOX = (
    '<visual><origin xyz="0.3 0 1" rpy="0.3 0.2 1"/><geometry><box size="{}"/></geometry></visual>'
)


def read(text, **options):
    model = ic.load(text.encode())
    return PieceReader(model, **options).read(model.bodies[0])


@pytest.mark.parametrize(
    ("kind", "count"),
    [("box", 3), ("ellipsoid", 3), ("sphere", 1), ("cylinder", 2), ("capsule", 2), ("cone", 2)],
)
@given(data=st.data())
def test_a_primitive_has_its_own_moments_and_points_inside(kind, count, data):
    dimensions = tuple(data.draw(LENGTH) for _ in range(count))
    from inertial_check.inertia.solids import PRIMITIVES

    solid = PRIMITIVES[kind].solid(np.array([dimensions]))
    volumes, points = fill_primitive(kind, dimensions)
    assert np.all(volumes > 0)
    assert np.all(contains(kind, dimensions, points))
    size = np.max(np.abs(points))
    total = volumes.sum()
    center = volumes @ points / total
    arms = points - center
    spread = (arms * volumes[:, None]).T @ arms / total
    assert total == pytest.approx(solid.volume[0], rel=1e-12)
    np.testing.assert_allclose(center, [0, 0, solid.height[0]], atol=1e-12 * size)
    np.testing.assert_allclose(spread, np.diag(solid.variances[0]), atol=1e-12 * size**2)


def test_a_shape_that_is_turned_and_moved_has_the_moments_of_the_geometry():
    model = ic.load(LINK.format(BOX.format("0.1 0.2 0.3")).encode())
    pieces = PieceReader(model).read(model.bodies[0])
    unit = GeometryReader(model).body(model.bodies[0]).unit
    np.testing.assert_allclose(pieces.unit, unit.as_theta(), rtol=1e-12, atol=1e-15)


@given(st.integers(0, 2**32 - 1))
def test_a_mesh_has_points_inside_with_its_own_moments(seed):
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(30, 3)) * rng.uniform(0.05, 1, 3) + rng.normal(size=3)
    triangles = convex_hull(corners[:, None].repeat(3, axis=1))
    found = fill_triangles(triangles)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    heights = np.einsum("tk,tnk->tn", normals, found.points - triangles[:, :1])
    assert np.max(heights) <= 1e-12 * np.max(np.abs(normals)) * np.max(np.abs(corners))
    solid = measure(triangles).solid(density=1.0)
    exact = tilt(found, np.asarray(solid.pseudo_inertia))
    assert np.all(exact.volumes > 0)
    places = np.concatenate([exact.points, np.ones((len(exact.points), 1))], axis=1)
    moments = (places * exact.volumes[:, None]).T @ places
    np.testing.assert_allclose(
        moments, solid.pseudo_inertia, rtol=1e-9, atol=1e-9 * np.max(np.abs(moments))
    )


def box_triangles(lower, upper):
    corners = np.array(np.meshgrid(*zip(lower, upper, strict=True))).reshape(3, -1).T
    return convex_hull(corners[:, None].repeat(3, axis=1))


def test_a_cavity_holds_no_points():
    outer, inner = box_triangles([-1, -1, -1], [1, 1, 1]), box_triangles([-0.8] * 3, [0.8] * 3)
    found = fill_triangles(np.concatenate([outer, inner[:, ::-1]]))
    assert np.all(np.max(np.abs(found.points), axis=1) >= 0.8)
    assert found.volumes.sum() == pytest.approx(8 - 1.6**3, rel=0.1)


def test_a_shape_inside_another_counts_once():
    inner = '<visual><origin xyz="0.3 0 1"/><geometry><sphere radius="0.05"/></geometry></visual>'
    alone = read(LINK.format(BOX.format("0.2 0.2 0.3")))
    both = read(LINK.format(BOX.format("0.2 0.2 0.3") + inner))
    assert both.volume == alone.volume
    assert "100% of it lies inside another shape" in both.remarks[0]


def test_a_role_of_which_all_shapes_can_be_used_comes_first():
    missing = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
    collision = BOX.format("1 1 1").replace("visual", "collision")
    assert read(LINK.format(BOX.format("2 1 1") + collision)).role == "visual"
    assert read(LINK.format(missing + BOX.format("2 1 1") + collision)).role == "collision"
    assert read(LINK.format(missing + BOX.format("2 1 1"))).role == "visual"
    assert read(LINK.format(missing)).pieces == ()


@pytest.fixture
def mesh_model(tmp_path):
    def write(triangles, scale="1 1 1"):
        lines = ["solid s"]
        for triangle in triangles:
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += [f"vertex {x!r} {y!r} {z!r}" for x, y, z in triangle.tolist()]
            lines += ["endloop", "endfacet"]
        (tmp_path / "part.stl").write_text("\n".join([*lines, "endsolid s"]))
        (tmp_path / "r.urdf").write_text(
            '<robot name="r"><link name="a"><visual><geometry><mesh filename="part.stl" '
            f'scale="{scale}"/></geometry></visual></link>'
            '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin '
            'xyz="0 0 0.4"/><limit effort="1" velocity="1"/></joint><link name="b"/></robot>'
        )
        return ic.load(tmp_path / "r.urdf")

    return write


def test_a_mesh_in_millimetres_is_refused_by_the_distances_of_joints(mesh_model):
    triangles = box_triangles([0, 0, 0], [80, 60, 400])
    model = mesh_model(triangles)
    with pytest.raises(ParameterError, match=r"is in millimetres: give it the scale 0\.001"):
        PieceReader(model).read(model.bodies[0])
    model = mesh_model(triangles, "0.001 0.001 0.001")
    assert PieceReader(model).read(model.bodies[0]).volume == pytest.approx(0.08 * 0.06 * 0.4)


def test_a_mesh_in_millimetres_is_refused_by_its_known_mass(mesh_model):
    text = mesh_model(box_triangles([0, 0, 0], [2, 3, 2.5])).source.path
    with pytest.raises(ParameterError, match=r"part\.stl is in millimetres"):
        ic.fill(text, bodies=["a"], masses={"a": 4e-5})


def test_an_open_mesh_is_its_hull_or_a_wall_of_a_thickness(mesh_model):
    triangles = box_triangles([0, 0, 0], [0.2, 0.3, 0.4])
    lid = np.all(triangles[..., 0] == 0, axis=1)  # 0.12 of 0.52 m^2
    model = mesh_model(triangles[~lid])
    hull = PieceReader(model).read(model.bodies[0])
    assert hull.pieces[0].reading == "hull"
    assert "its holes have 30% of its surface, expected 10% at most" in hull.remarks[0]
    assert hull.volume == pytest.approx(0.2 * 0.3 * 0.4)
    wall = PieceReader(model, thickness=0.001).read(model.bodies[0])
    assert wall.pieces[0].reading == "shell"
    assert wall.volume == pytest.approx(0.001 * 0.40)
    assert wall.unit[0] == pytest.approx(wall.volume)


def test_a_mesh_with_small_holes_is_closed_over_them(mesh_model):
    whole = np.concatenate(
        [box_triangles([0, 0, 0], [0.2, 0.3, 0.4]), box_triangles([0.2, 0, 0], [0.25, 0.05, 0.4])]
    )
    hole = np.all(np.abs(whole - [0.25, 0.025, 0.2]) < [1e-9, 0.03, 0.21], axis=(1, 2))
    assert hole.sum() == 2
    model = mesh_model(whole[~hole])
    own = PieceReader(model).read(model.bodies[0])
    assert own.pieces[0].reading == "closed"
    assert "taken as closed over its holes" in own.remarks[0]
    assert own.volume == pytest.approx(0.2 * 0.3 * 0.4 + 0.05 * 0.05 * 0.4, rel=1e-6)


def test_a_body_without_shapes_is_a_guess_between_its_joints():
    model = ic.load(
        b'<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/>'
        b'<child link="b"/><origin xyz="0 0.3 0.4"/><limit effort="1" velocity="1"/></joint>'
        b'<link name="b"/></robot>'
    )
    own = PieceReader(model).read(model.bodies[0])
    assert own.guess
    np.testing.assert_allclose(own.unit[1:4] / own.unit[0], [0, 0.15, 0.2], atol=1e-12)
    assert PieceReader(model).read(model.bodies[1]).pieces == ()
