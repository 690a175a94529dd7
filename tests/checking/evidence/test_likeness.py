"""Which geometries are believed, and what they are compared in."""

import numpy as np
import pytest

from inertial_check.checking.evidence.examination import BodyGeometry, Examination, Geometry
from inertial_check.checking.evidence.likeness import best_reading
from inertial_check.checking.evidence.readings import (
    Reading,
    WrittenNumbers,
    list_readings,
    read_body,
)
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from suspects import Link, box_moments, parallel_axis, robot, rotation

AXES = np.concatenate([np.eye(3), -np.eye(3)])


def geometry(edges, at=(0, 0, 0), role="visual", **changes):
    """A box, by hand."""
    half, at = np.array(edges) / 2, np.array(at, dtype=float)
    x, y, z = np.square(edges) / 12
    row = BodyGeometry(
        role,
        float(np.prod(edges)),
        tuple(at),
        (x, 0.0, 0.0, y, 0.0, z),
        tuple(at - half),
        tuple(at + half),
        tuple(np.concatenate([at + half, half - at])),
        tuple(map(tuple, AXES.tolist())),
    )
    return row._replace(**changes)


def likeness(link, *rows):
    model = load(robot(link).encode())
    shapes = Geometry(((), tuple(rows)))
    return Examination(model, judge(model), read_geometry=lambda: shapes).likeness


EDGES = (0.1, 0.2, 0.4)
LINK = Link(8.0, (0, 0, 0.1), box_moments(8.0, EDGES))


def test_a_body_that_is_its_geometry():
    found = likeness(LINK, geometry(EDGES))
    assert found.known.tolist() == [False, True]
    assert found.size_ratio == pytest.approx([1])
    assert found.discrepancy == pytest.approx([0], abs=1e-9)
    assert found.density[0] == pytest.approx([1000, 1000])
    assert found.excess[0] < 0


def test_excess_is_in_parts_of_the_diagonal_and_joints_are_inside():
    at = (0, 0, 0.5)
    found = likeness(LINK._replace(com=(0, 0, -0.2)), geometry(EDGES, at))
    assert found.excess == pytest.approx(0.2 / np.linalg.norm(EDGES))  # from the joint at 0
    above = likeness(LINK._replace(com=(0, 0, 0.1)), geometry(EDGES, at))
    assert above.excess[0] < 0  # between joint and box


@pytest.mark.parametrize(
    "changes",
    [
        {"skipped": 1},
        {"C_GGcm_B": (np.nan,) * 6},
        {"C_GGcm_B": (0.0,) * 6},
        {"upper": (np.inf, 0.1, 0.2)},
    ],
)
def test_geometries_that_are_not_believed(changes):
    assert likeness(LINK, geometry(EDGES, **changes)).rows == ()


def test_volumes_that_are_not_believed():
    double = 2 * float(np.prod(EDGES))
    for changes in ({"volume": np.nan}, {"volume": double}, {"remarks": ("taken for its hull",)}):
        over_box, inside = likeness(LINK, geometry(EDGES, **changes)).density[0]
        assert np.isnan(inside)
        assert over_box == pytest.approx(1000)


def test_a_stand_in_is_not_believed_unless_the_numbers_are_odd_themselves():
    tiny = geometry((1e-3, 1e-3, 1e-3))
    assert likeness(LINK, tiny).rows == ()
    heavy = LINK._replace(mass=8e3, inertia=1e3 * LINK.inertia)
    small = geometry((1e-2, 1e-2, 1e-2))
    assert len(likeness(heavy._replace(mass=8, inertia=1e3 * LINK.inertia), small).rows) == 1
    assert likeness(heavy, tiny).rows == ()  # a millimetre is no shape of a link of tonnes


def test_all_rows_of_a_body_have_to_agree():
    found = likeness(LINK, geometry(EDGES), geometry((1, 1, 1), role="collision"))
    assert found.all_of(found.size_ratio < 0.5).tolist() == [False, False]
    assert found.all_of(found.size_ratio < 2).tolist() == [False, True]
    assert found.sizes[1, 0] < found.sizes[1, 1]


def test_every_reading_undoes_its_mistake():
    rpy = (0.4, -0.3, 0.7)
    R, turn = rotation((0.2, 0.5, -0.4)), rotation(rpy)
    meant = R @ box_moments(8.0, EDGES) @ R.T
    com = (0.05, 0.1, 0.3)
    shape = geometry(EDGES)
    half = np.trace(meant) / 2
    C_G = (half * np.eye(3) - meant) / 8
    planted = {
        "sign-of-products": Link(8.0, com, meant * (2 * np.eye(3) - 1)),
        "about-link-origin": Link(8.0, com, meant + parallel_axis(8.0, com)),
        "wrong-frame": Link(8.0, com, meant, rpy=rpy),
    }
    assert turn.shape == (3, 3)
    for cause, link in planted.items():
        model = load(robot(link).encode())
        examination = Examination(model, judge(model), lambda: Geometry(((), (shape,))))
        written = examination.assembly.C_BBcm_B[1]
        found = best_reading(list_readings(read_body(examination, 1)), written, [C_G], 1e-6)
        assert found is not None
        assert found.reading.cause == cause
        assert found.reading.C_BBcm_B == pytest.approx(C_G, abs=1e-9)


def test_a_geometry_without_products_is_silent_about_their_signs():
    """The bug: a box that stands in for a collision and outvotes the mesh that shows the sign."""
    R = rotation((0.2, 0.5, -0.4))
    meant = R @ np.diag([0.04, 0.01, 0.002]) @ R.T
    written = meant * (2 * np.eye(3) - 1)
    stand_in = np.diag(np.diag(meant))
    planted = [Reading("sign-of-products", "with its products negated", meant)]
    alone = best_reading(planted, written, [meant], 0.05)
    beside = best_reading(planted, written, [meant, stand_in], 0.05)
    assert alone is not None
    assert beside is not None
    assert beside.gain == pytest.approx(alone.gain)
    assert beside.rest == beside.nearest == pytest.approx(0.0, abs=1e-12)
    assert np.isnan(beside.drops).tolist() == [False, True]
    against = best_reading(planted, written, [meant, written], 0.05)
    assert against is not None
    assert against.gain < 1


def test_a_reading_that_no_geometry_can_tell_gains_nothing():
    """The bug: a minimum over no geometries, which is infinite."""
    C = np.diag([0.04, 0.01, 0.002])
    found = best_reading([Reading("sign-of-products", "", C)], C, [C, C], 0.05)
    assert found is not None
    assert found.gain == 1


def test_a_tensor_too_small_for_the_shift_was_not_about_the_origin():
    near, far = (
        WrittenNumbers(
            np.ones(1),
            np.array([[5e-3, 0, 0, 4e-3, 0, 3e-3]]),
            np.array([[0, 0, z]]),
            np.eye(3)[None],
        )
        for z in (0.01, 1.0)
    )
    names = [[each.cause for each in list_readings(numbers)] for numbers in (near, far)]
    assert "about-link-origin" in names[0]
    assert "about-link-origin" not in names[1]


class TestHowWellShapesStandForTheMass:
    """All shapes were believed alike, whether the mass lies in their middle or beside them."""

    def test_a_centre_elsewhere_lets_an_honest_body_differ_more(self):
        extent = float(np.linalg.norm(EDGES))
        misfits = [
            likeness(LINK, geometry(EDGES, (0, 0, 0.1 + share * extent))).honest_misfit[0]
            for share in (0, 0.005, 0.03, 0.06, 0.5)
        ]
        assert misfits == pytest.approx(sorted(misfits))
        assert misfits[:2] == pytest.approx([0.03, 0.03])
        assert misfits[-2:] == pytest.approx([0.18, 0.18])

    def test_sizes_that_disagree_count_against_the_form_and_not_against_the_size(self):
        at = (0, 0, 0.1)
        same, large = (likeness(LINK, geometry(np.array(EDGES) * x, at)) for x in (1.05, 2))
        assert same.honest_misfit_of_form == pytest.approx([0.03])
        assert large.honest_misfit_of_form[0] > 0.15
        assert large.honest_misfit == pytest.approx([0.03])

    def test_the_scale_does_not_matter(self):
        for scale in (1e-3, 1e3):
            link = Link(8.0, (0, 0, 0.1 * scale), scale**2 * box_moments(8.0, EDGES))
            found = likeness(link, geometry(np.array(EDGES) * scale, (0, 0, 0.12 * scale)))
            here = likeness(LINK, geometry(EDGES, (0, 0, 0.12)))
            assert found.honest_misfit_of_form == pytest.approx(here.honest_misfit_of_form)

    def test_collision_shapes_beside_a_missing_visual_mesh_are_stand_ins(self):
        lost = '<visual><geometry><mesh filename="lost.stl"/></geometry></visual>'
        touch = geometry(EDGES, (0, 0, 0.1), role="collision")
        alone, beside = likeness(LINK, touch), likeness(LINK._replace(shape=lost), touch)
        assert (alone.unseen.tolist(), beside.unseen.tolist()) == ([False], [True])
        assert beside.honest_misfit_of_form == pytest.approx(2 * alone.honest_misfit_of_form)
        seen = likeness(LINK._replace(shape=lost), geometry(EDGES, (0, 0, 0.1)), touch)
        assert not seen.unseen.any()

    def test_the_hull_of_an_open_mesh_is_a_second_witness(self):
        """A surface alone accused bodies that fit the hull of their holed meshes."""
        x, y, z = np.square(EDGES) / 12
        hull = ((0.0, 0.0, 0.1), (x, 0.0, 0.0, y, 0.0, z))
        rod = (1e-6, 0.0, 0.0, 1e-6, 0.0, z)
        surface = geometry(EDGES, (0, 0, 0.1), volume=np.nan, C_GGcm_B=rod, hull=hull)
        found = likeness(LINK, surface)
        assert found.misfit[0] > 0.1
        assert found.misfit[1] == pytest.approx(0, abs=1e-9)
        assert not found.all_of(found.misfit > 0.1).any()
        assert found.sizes[1, 0] == pytest.approx(np.sqrt(z), rel=1e-3)  # of the surface
