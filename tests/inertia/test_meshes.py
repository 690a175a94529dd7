"""Triangle meshes: solids, shells, and whether there is an inside."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import solids
from inertial_check.inertia.meshes import (
    BLOCK,
    close_holes,
    convex_hull,
    count_once,
    edge_faults,
    from_faces,
    measure,
    trace_lines,
    wind_around,
)
from inertial_check.inertia.sampling import rotations
from mesh_files import CORNERS, CUBE, FACES, box

TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def close(body: ic.InertialParameters, other: ic.InertialParameters, digits: float = 1e-13) -> None:
    assert body.mass == pytest.approx(float(other.mass), rel=digits)
    size = np.sqrt(np.trace(other.inertia_com) / other.mass)
    np.testing.assert_allclose(body.com, other.com, atol=digits * (size + np.abs(other.com).max()))
    np.testing.assert_allclose(
        body.inertia_com, other.inertia_com, atol=digits * np.abs(other.inertia_com).max()
    )


def test_the_cube_of_these_tests_faces_outwards():
    mesh = measure(CUBE)
    assert (mesh.triangles, mesh.degenerate, mesh.closed, mesh.winding) == (12, 0, True, "outward")
    assert (mesh.volume, mesh.area, mesh.solidity) == (1, 6, 1)
    assert (mesh.lower, mesh.upper) == ((0, 0, 0), (1, 1, 1))
    assert edge_faults(CUBE).watertight


lengths = st.floats(1e-4, 1e2)


@given(lengths, lengths, lengths, st.floats(-1e3, 1e3), st.floats(1e-6, 1e5))
def test_the_mesh_of_a_box_is_the_box(a, b, c, far, mass):
    """The axes' own moments at their own scale: a plate keeps its thickness."""
    edges, at = np.array([a, b, c]), np.array([far, -far, far]) * max(a, b, c)
    rounded = np.spacing(np.abs(at).max()) / edges.min()
    mesh = measure(box(edges, at))
    digits = 1e-12 + 8 * rounded
    if mesh.winding == "outward":
        close(mesh.solid(mass=mass), solids.box(edges, mass=mass).translate(at), digits)
    close(mesh.shell(mass=mass), solids.box_shell(edges, mass=mass).translate(at), digits)


@given(st.lists(st.integers(-(10**4), 10**4), min_size=12, max_size=12))
def test_a_tetrahedron_is_the_exact_rational(coordinates):
    vertices = np.reshape(coordinates, (4, 3))
    mesh = measure(vertices[TETRAHEDRON].astype(float))
    edges = [[Fraction(int(x)) for x in row] for row in vertices[1:] - vertices[0]]
    exact = (
        sum(
            sign * edges[0][i] * edges[1][j] * edges[2][k]
            for (i, j, k), sign in zip(permutations(range(3)), (1, -1, -1, 1, 1, -1), strict=True)
        )
        / 6
    )
    assert mesh.volume == pytest.approx(float(exact), rel=1e-14)  # small integers: no rounding
    assert mesh.closed
    if exact:
        body = mesh.solid(mass=1.0, inside_out=True)
        close(body, solids.tetrahedron(vertices.astype(float), mass=1.0), 1e-9)


@given(st.integers(0, 2**32 - 1))
def test_hulls_are_sums_of_tetrahedra_and_of_triangles(seed):
    """A fan from a corner instead of signed pieces from a point: no signs, other sums."""
    rng = np.random.default_rng(seed)
    hull = convex_hull(rng.normal(size=(12, 1, 3)).repeat(3, axis=1))
    mesh, apex = measure(hull), hull[0, 0]
    assert mesh.winding == "outward"
    fan = np.concatenate([hull, np.broadcast_to(apex, (len(hull), 1, 3))], axis=1)
    solid = parts(solids.tetrahedron(fan, density=3.0))
    shell = parts(solids.triangle(hull, density=3.0))
    close(mesh.solid(density=3.0), solid, 1e-11)
    close(mesh.shell(density=3.0), shell, 1e-11)
    for body in (mesh.solid(mass=1.0), mesh.shell(mass=1.0)):
        assert ic.check(body).verdict == "consistent"


def parts(bodies: ic.InertialParameters) -> ic.InertialParameters:
    return ic.InertialParameters.from_theta(bodies.as_theta().sum(axis=0))


@given(st.integers(0, 2**32 - 1))
def test_rotation_and_scale_go_through(seed):
    rng = np.random.default_rng(seed)
    R, factor = rotations(rng, 1)[0], float(10 ** rng.uniform(-4, 2))
    mesh = convex_hull(rng.normal(size=(9, 1, 3)).repeat(3, axis=1))
    turned, body = measure(factor * mesh @ R.T), measure(mesh).solid(density=1.0).rotate(R)
    solid = turned.solid(density=1.0)
    assert solid.mass == pytest.approx(float(body.mass) * factor**3, rel=1e-12)
    np.testing.assert_allclose(
        solid.inertia_com, body.inertia_com * factor**5, atol=1e-12 * solid.inertia_com.max()
    )


def test_what_is_cut_out_is_taken_away():
    """A cavity: a smaller box whose triangles face the other way."""
    hollow = np.concatenate([box([2, 2, 2]), box([1, 1, 1], (0.2, 0, 0))[:, ::-1]])
    mesh = measure(hollow)
    assert mesh.closed
    assert mesh.volume == pytest.approx(7)
    hole = solids.box([1, 1, 1], density=1.0).translate([0.2, 0, 0])
    close(mesh.solid(density=1.0), solids.box([2, 2, 2], density=1.0) - hole)


def test_an_inward_mesh_is_told_and_turned_only_on_request():
    mesh = measure(CUBE[:, ::-1])
    assert (mesh.closed, mesh.winding, mesh.volume) == (True, "inward", -1)
    with pytest.raises(ParameterError, match="face inwards: its volume is -1"):
        mesh.solid(mass=1.0)
    close(mesh.solid(mass=2.0, inside_out=True), measure(CUBE).solid(mass=2.0))
    close(mesh.shell(mass=2.0), measure(CUBE).shell(mass=2.0))


@pytest.mark.parametrize(
    ("triangles", "faults"),
    [
        (CUBE[1:], (3, 0, 0)),
        (np.concatenate([CUBE[:1, ::-1], CUBE[1:]]), (0, 3, 0)),
        (np.concatenate([CUBE, CUBE[:1]]), (0, 0, 3)),
    ],
    ids=["a hole", "a turned triangle", "a double triangle"],
)
def test_a_mesh_without_an_inside_is_refused(triangles, faults):
    mesh = measure(triangles)
    assert (mesh.closed, mesh.winding) == (False, "none")
    assert edge_faults(triangles) == faults
    with pytest.raises(ParameterError, match="is not closed, so it has no inside"):
        mesh.solid(mass=1.0)
    assert mesh.shell(mass=1.0).mass == 1


def test_two_boxes_that_share_an_edge_are_closed_but_not_watertight():
    both = np.concatenate([CUBE, CUBE + np.array([1, 1, 0])])
    assert measure(both).closed
    assert edge_faults(both) == (0, 0, 1)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e2])
def test_crumbs_of_rounding_do_not_open_a_mesh(scale):
    """Exporters write 1e-17 here and 0 there; a millionth of the size is another matter."""
    noise = np.random.default_rng(0).normal(size=CUBE.shape)
    crumbs = np.where(CUBE == 0, 1e-16 * noise, CUBE)
    assert measure(scale * crumbs).closed
    assert edge_faults(scale * crumbs).watertight
    moved = CUBE.copy()
    moved[0, 0] += 1e-6
    assert not measure(scale * moved).closed


def test_slivers_with_two_corners_in_one_place_do_no_harm():
    sliver = np.array([[CORNERS[0], CORNERS[1], CORNERS[1]]])
    mesh = measure(np.concatenate([CUBE, sliver]))
    assert (mesh.degenerate, mesh.closed, mesh.volume) == (1, True, 1)


def test_flat_and_crossing_meshes_are_no_solids():
    flat = measure(CUBE * [1, 1, 0])
    assert (flat.closed, flat.winding) == (True, "none")
    with pytest.raises(ParameterError, match="encloses no volume"):
        flat.solid(mass=1.0)
    crossing = np.concatenate([box([1, 1, 1]), box([0.9, 0.9, 0.9], (5, 0, 0))[:, ::-1]])
    with pytest.raises(ParameterError, match=r"runs through itself"):
        measure(crossing).solid(mass=1.0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_blocks_and_their_order_do_not_matter(seed, size):
    rng = np.random.default_rng(seed)
    order = rng.permutation(12)
    shuffled = box([1, 2, 3])[order]
    rolled = np.stack([np.roll(t, s, axis=0) for t, s in zip(shuffled, order, strict=True)])
    mesh = measure(rolled[i : i + size] for i in range(0, 12, size))
    assert mesh.closed
    assert mesh.triangles == 12
    close(mesh.solid(mass=1.0), solids.box([1, 2, 3], mass=1.0))


def test_a_stream_is_measured_in_the_memory_of_a_block():
    def strip(count: int) -> Any:
        """Boxes side by side, closed each for itself."""
        for i in range(count):
            yield np.tile(CUBE, (BLOCK // 12, 1, 1)) + np.array([2 * i, 0, 0])

    peaks = []
    for count in (2, 20):
        tracemalloc.start()
        mesh = measure(strip(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert mesh.closed
        assert mesh.triangles == count * (BLOCK // 12) * 12
    assert peaks[1] < 1.5 * peaks[0]


def test_indexed_meshes():
    assert measure(from_faces(CORNERS, FACES)).volume == 1
    with pytest.raises(ParameterError, match="holds the index 7, but there are 7 vertices"):
        from_faces(CORNERS[:7], FACES)
    with pytest.raises(ParameterError, match="no indices"):
        from_faces(CORNERS, FACES - 1)
    with pytest.raises(ParameterError, match="no indices"):
        from_faces(CORNERS, FACES.astype(float))


@pytest.mark.parametrize(
    ("triangles", "words"),
    [
        (np.zeros((0, 3, 3)), "has no triangle"),
        (iter([]), "has no triangle"),
        (np.zeros((4, 3)), "triangles has shape (4, 3)"),
        (np.where(CUBE == 1, np.nan, CUBE), "corner 1 of triangle 0 is [0.0, 0.0, nan]"),
    ],
)
def test_what_is_no_mesh_is_refused(triangles, words):
    with pytest.raises(ParameterError) as error:
        measure(triangles)
    assert words in str(error.value)


def test_the_bad_corner_of_a_stream_is_counted_from_its_start():
    bad = CUBE.copy()
    bad[5, 1, 2] = np.inf
    with pytest.raises(ParameterError, match="corner 1 of triangle 17"):
        measure(iter([CUBE, bad]))


@pytest.mark.parametrize("amount", [{}, {"mass": 1, "density": 1}, {"mass": -1}, {"density": 0}])
def test_one_positive_amount_is_asked_for(amount):
    for made in (measure(CUBE).solid, measure(CUBE).shell):
        with pytest.raises(ParameterError, match=r"mass|density"):
            made(**amount)


def test_points_in_a_plane_have_no_hull():
    with pytest.raises(ParameterError, match="in one plane"):
        convex_hull(CUBE * [1, 0, 1])
    with pytest.raises(ParameterError, match="in one plane"):
        convex_hull(CUBE[:1])


def test_a_mesh_shows_its_facts_and_not_its_sums():
    assert "volume=1.0" in repr(measure(CUBE))
    assert "array" not in repr(measure(CUBE))


@given(st.integers(0, 2**32 - 1))
def test_the_reach_is_that_of_the_corners(seed):
    """Whatever the blocks and however many the axes."""
    rng = np.random.default_rng(seed)
    triangles, axes = rng.normal(size=(40, 3, 3)), rng.normal(size=(7, 3))
    expected = triangles.reshape(-1, 3) @ axes.T
    for pieces in (triangles, iter([triangles[:3], triangles[3:]]), (t[None] for t in triangles)):
        reach = measure(pieces, axes).reach
        np.testing.assert_allclose(reach, np.stack([expected.min(0), expected.max(0)], axis=-1))
    assert measure(triangles).reach.shape == (0, 2)


def test_many_axes_take_the_memory_of_a_block():
    triangles, axes = np.tile(CUBE, (1000, 1, 1)), np.tile(np.eye(3), (1000, 1))
    tracemalloc.start()
    reach = measure(triangles, axes).reach
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(reach, np.tile([0, 1], (3000, 1)))
    assert peak < len(axes) * triangles.size / 3 * 8 / 20


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("at", [0.0, 100.0])
def test_what_lies_in_a_plane_is_flat_in_any_pose_and_precision(scale, at):
    rng = np.random.default_rng(1)
    for R in rotations(rng, 20):
        sheet = rng.uniform(-1, 1, (30, 3, 3)) * [1, 1, 0] @ R.T + at
        assert measure(scale * sheet).flat
        assert measure((scale * sheet).astype(np.float32)).flat
        assert not measure(scale * (sheet + rng.normal(size=sheet.shape) * 1e-3)).flat


def test_a_mesh_without_area_is_not_flat_and_moments_that_overflow_are_refused():
    assert not measure(np.zeros((4, 3, 3))).flat
    with pytest.raises(ParameterError, match="too far for its moments"):
        measure(1e120 * CUBE)


# --- places that a mesh encloses more than once --------------------------------------------------


def block(lower, upper):
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    return CUBE * (upper - lower) + lower


def ball(radius):
    points = np.random.default_rng(1).normal(size=(600, 3))
    points *= radius / np.linalg.norm(points, axis=1)[:, None]
    return convex_hull(points[:, None].repeat(3, axis=1))


def unite(boxes):
    """Integral of [p, 1] [p, 1]^T over a union of boxes, in rationals: grid cell by grid cell."""
    planes = [sorted({Fraction(x) for b in boxes for x in (b[0][k], b[1][k])}) for k in range(3)]
    moments = np.full((4, 4), Fraction(0))
    for cell in np.ndindex(*(len(each) - 1 for each in planes)):
        low, high = ([each[i + n] for i, each in zip(cell, planes, strict=True)] for n in (0, 1))
        middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        if any(all(b[0][k] < middle[k] < b[1][k] for k in range(3)) for b in boxes):
            edges = [b - a for a, b in zip(low, high, strict=True)]
            p = np.array([*middle, Fraction(1)])
            own = np.outer(p, p)
            for k in range(3):
                own[k, k] += edges[k] ** 2 / 12
            moments = moments + own * (edges[0] * edges[1] * edges[2])
    return moments.astype(float)


def assert_moments(body, moments, rtol):
    np.testing.assert_allclose(
        np.asarray(body.pseudo_inertia), moments, rtol=rtol, atol=rtol * np.abs(moments).max()
    )


BOX, BOSS = ((0, 0, 0), (4, 4, 1)), ((1, 2, -1), (2, 3, 5))


@pytest.mark.parametrize(
    ("boxes", "rtol"),
    [
        ([BOX, BOX], 1e-12),
        ([BOX, BOX, BOX], 1e-12),
        ([BOX, ((1, 1, 0), (2, 2, 1))], 1e-6),
        ([BOX, BOSS], 1e-6),
        ([BOX, BOX, BOSS], 1e-6),
        (
            [
                ((0, 0, 0), (64, 64, 4)),
                *(((x, y, 2), (x + 3, y + 3, 9)) for x in (5, 50) for y in (7, 41)),
            ],
            1e-6,
        ),
    ],
)
def test_a_union_of_boxes_has_its_exact_moments(boxes, rtol):
    solid = count_once(np.concatenate([block(*each) for each in boxes]))
    assert_moments(solid.body, unite(boxes), rtol)
    assert solid.twice > 0
    assert solid.turned == 0


@given(
    st.lists(
        st.tuples(*[st.tuples(st.integers(0, 9), st.integers(1, 9))] * 3), min_size=2, max_size=4
    )
)
def test_boxes_anywhere_count_once(places):
    boxes = [([a for a, _ in each], [a + n for a, n in each]) for each in places]
    solid = count_once(np.concatenate([block(*each) for each in boxes]))
    moments = unite(boxes)
    assert float(solid.body.mass) == pytest.approx(moments[3, 3], rel=0.02)
    reach = np.sqrt(np.trace(moments[:3, :3]) / moments[3, 3])
    np.testing.assert_allclose(solid.body.com, moments[:3, 3] / moments[3, 3], atol=0.02 * reach)


def test_a_ball_in_a_ball_counts_once_and_a_cavity_is_a_hole():
    outer, inner = ball(1.0), ball(0.7)
    whole, part = (measure(each).solid(density=1.0) for each in (outer, inner))
    nested = count_once(np.concatenate([outer, inner]))
    assert_moments(nested.body, np.asarray(whole.pseudo_inertia), 1e-3)
    assert nested.twice == pytest.approx(float(part.mass), rel=5e-3)
    hollow = count_once(np.concatenate([outer, inner[:, ::-1]]))
    assert_moments(hollow.body, np.asarray((whole - part).pseudo_inertia), 1e-12)
    assert (hollow.twice, hollow.turned) == (0, 0)


def test_a_part_that_faces_inwards_outside_the_others_is_solid_and_told():
    boxes = [((0, 0, 0), (4, 4, 4)), ((5, 0, 0), (6, 1, 1))]
    solid = count_once(np.concatenate([block(*boxes[0]), block(*boxes[1])[:, ::-1]]))
    assert_moments(solid.body, unite(boxes), 1e-9)
    assert solid.turned == pytest.approx(1)


def test_parts_that_touch_to_single_precision_keep_their_sum():
    upper = block((0, 0, 1), (1, 1, 2)) - [0, 0, 3e-8]
    solid = count_once(np.concatenate([CUBE, upper]))
    assert solid.twice == 0
    assert float(solid.body.mass) == pytest.approx(2, rel=1e-12)


def test_lines_and_rays_through_edges_and_corners_meet_one_triangle():
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 1.5, 9)] * 3), axis=-1).reshape(-1, 3)
    winding = wind_around(CUBE, grid)
    assert np.all(winding[np.all((grid > 0) & (grid < 1), axis=1)] == 1)
    assert np.all(winding[np.any((grid < 0) | (grid > 1), axis=1)] == 0)
    for axis in range(3):
        found = trace_lines(CUBE, np.array([[0.5, 0.5], [0.25, 0.25], [2.0, 0.5]]), axis)
        assert found.line.tolist() == [0, 1]
        np.testing.assert_array_equal([found.lower, found.upper], [[0, 0], [1, 1]])


@pytest.mark.parametrize("axis", range(3))
def test_lines_through_corners_and_edges_enter_and_leave_once(axis):
    """Rounding of where an edge is cut must not let a line slip between its two triangles."""
    rng = np.random.default_rng(axis)
    points = rng.normal(size=(300, 1, 3))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    ball = convex_hull(points.repeat(3, axis=1))
    places = np.concatenate([ball.reshape(-1, 3), ((ball + np.roll(ball, 1, axis=1)) / 2)[:, 0]])
    lines = places[:, [(axis + 1) % 3, (axis + 2) % 3]]
    lines = lines[np.linalg.norm(lines, axis=1) < 0.9]  # inside of the outline
    found = trace_lines(ball, lines, axis)
    assert found.line.tolist() == list(range(len(lines)))
    assert (found.winding == 1).all()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_holes_are_closed_by_what_is_flat_where_the_rim_is(scale):
    for gone in ([0], [0, 5], [3, 4, 9]):
        opened = np.delete(CUBE, gone, axis=0) * scale
        patches = close_holes(opened)
        mended = measure(np.concatenate([opened, patches]))
        assert mended.closed
        if len(gone) == 1:
            assert measure(patches).area == pytest.approx(scale**2 / 2)
            assert mended.volume == pytest.approx(scale**3)
    assert len(close_holes(CUBE)) == 0
