"""Causes of what is consistent: planted at every scale, named first, and undone by their edit."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from inertial_check.checking.report import Severity
from inertial_check.documents.model import ENTRIES
from mirrored import robot_of, text_of
from suspects import (
    Link,
    box,
    box_moments,
    causes,
    cylinder,
    parallel_axis,
    rotation,
    said,
)

SCALES = st.sampled_from([1e-2, 0.1, 1.0, 10.0])
DENSITIES = st.floats(500, 3000)
RPY = (0.3, 0.5, -0.4)


def honest(length, density, rpy=RPY, at=(0.02, 0.03, 0.3), **kwargs):
    """A box of 0.2 x 0.3 x 1 lengths, its centre away from the joint."""
    edges = np.array([0.2, 0.3, 1.0]) * length
    mass, R, at = float(density * np.prod(edges)), rotation(rpy), np.array(at) * length
    return Link(mass, at, R @ box_moments(mass, edges) @ R.T, box(edges, at, rpy), **kwargs)


def entries_of(link):
    i = link.inertia[np.triu_indices(3)]
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    return dict(zip(names, i, strict=True)) | dict(zip("xyz", link.com, strict=True))


def assert_undone(planted, meant, name):
    """The first cause is `name`, and its edit gives back what was meant."""
    first = causes(planted)[0]
    assert first.cause == name, first
    written, wanted = entries_of(planted), entries_of(meant)
    written["mass"], wanted["mass"] = planted.mass, meant.mass
    after = written | dict(first.edit["entries"])
    size = np.abs(meant.inertia).max()
    for entry, value in wanted.items():
        slack = 1e-6 * size if entry.startswith("i") else 1e-9 * abs(value)
        assert after[entry] == pytest.approx(value, rel=1e-3, abs=slack), entry


def test_an_honest_body_has_no_cause():
    assert causes(honest(0.3, 1000)) == ()


@settings(max_examples=12, deadline=None)
@given(SCALES, DENSITIES, st.sampled_from([1e-9, 1e-7, 1e-6, 1e-4, 1e-3]))
def test_units(length, density, unit):
    meant = honest(length, density)
    assert_undone(meant._replace(inertia=meant.inertia / unit), meant, "units")


def test_units_without_shapes_and_with_a_mesh_in_millimetres():
    meant = honest(0.3, 1000)._replace(shape="")
    assert causes(meant._replace(inertia=meant.inertia * 1e9))[0].cause == "units"
    large = np.array([0.2, 0.3, 1.0]) * 300
    found = causes(meant._replace(shape=box(large, rpy=RPY)))[0]
    assert found.cause == "units"
    assert found.edit is None
    assert "millimetres" in found.evidence


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES, st.sampled_from([(1e3, "units"), (1e-3, "density")]))
def test_mass_and_tensor_in_grams_or_of_another_density(length, density, made):
    factor, cause = made
    meant = honest(length, density)
    with_tensor = meant._replace(mass=meant.mass * factor, inertia=meant.inertia * factor)
    assert_undone(with_tensor, meant, cause)


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES, st.sampled_from([8.0, 1 / 8]))
def test_sizes(length, density, factor):
    meant = honest(length, density)
    assert_undone(meant._replace(inertia=factor * meant.inertia), meant, "size-mismatch")


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES)
def test_about_the_links_origin(length, density):
    meant = honest(length, density, at=(0.02, 0.3, 0.5))
    planted = meant.inertia + parallel_axis(meant.mass, meant.com)
    assert_undone(meant._replace(inertia=planted), meant, "about-link-origin")


def without_center(length, at, turned=True):
    """A box whose tensor is about its link's origin, with its centre of mass left out."""
    meant = honest(length, 1000.0, RPY if turned else (0, 0, 0), at=at)
    planted = meant.inertia + parallel_axis(meant.mass, meant.com)
    return meant, meant._replace(inertia=planted, com=(0.0, 0.0, 0.0))


@settings(max_examples=8, deadline=None)
@given(SCALES, st.sampled_from([(0.02, 0.25, 0.3), (0.2, -0.3, 0.1)]))
def test_about_the_links_origin_without_a_centre(length, at):
    """The form of the shapes tells where the centre is, which stands nowhere."""
    meant, planted = without_center(length, at)
    first = causes(planted)[0]
    assert first.cause == "about-link-origin"
    entries = first.edit["entries"]
    found = np.array([entries.get(axis, 0.0) for axis in "xyz"])
    assert np.linalg.norm(found - meant.com) < 2e-3 * np.linalg.norm(meant.com)
    assert entries["izz"] == pytest.approx(meant.inertia[2, 2], rel=0.02)
    (finding,) = said(planted)
    assert finding.severity == Severity.WARNING
    assert finding.causes[0].cause == "about-link-origin"


def test_a_centre_so_far_away_that_its_digits_decide_is_not_written():
    """Of a term ten times the tensor that it leaves, 1 % is as much as a tenth of the tensor."""
    _, planted = without_center(0.1, (0.2, 2.0, 0.5))
    first = causes(planted)[0]
    assert first.cause == "about-link-origin"
    assert first.edit is None


def test_a_body_at_its_origin_has_no_other_centre():
    """The bug to avoid: three free numbers that make any body fit its shapes better."""
    meant = honest(0.3, 1000.0, at=(0.0, 0.0, 0.0))
    aside = meant._replace(shape=box(np.array([0.2, 0.3, 1.0]) * 0.3, (0.0, 0.0, 0.1), RPY))
    assert said(meant) == said(aside) == []
    other = meant._replace(shape=box((0.1, 0.4, 0.2), (0.0, 0.1, 0.1)))
    assert all(each.cause != "about-link-origin" for each in causes(other))


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES)
def test_signs_of_products(length, density):
    meant = honest(length, density)
    planted = meant.inertia * (2 * np.eye(3) - 1)
    assert_undone(meant._replace(inertia=planted), meant, "sign-of-products")


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES)
def test_frames(length, density):
    meant = honest(length, density)
    order = [0, 2, 1]
    swapped = meant._replace(inertia=meant.inertia[order][:, order])
    assert_undone(swapped, meant, "wrong-frame")
    turned = meant._replace(rpy=(0.4, 0.2, 1.1))  # the numbers are in the link's axes already
    found = causes(turned)[0]
    assert found.cause == "wrong-frame"
    assert "rotation" in found.evidence


def test_formulas():
    m, r, h = 3.0, 0.1, 0.4
    across, along = m * (r**2 / 4 + h**2 / 12), m * r**2 / 2
    meant = Link(m, (0, 0, 0), np.diag([across, across, along]), cylinder(r, h))
    twelfth = m * (r**2 + h**2) / 12
    for wrong in ((across / m, across / m, along / m), (twelfth, twelfth, along)):
        assert_undone(meant._replace(inertia=np.diag(wrong)), meant, "wrong-formula")


def test_causes_that_mean_one_body_are_tied():
    """Catches a tie that is broken by the prior: the axes of a formula, or of the frame."""
    m, r, h = 3.0, 0.1, 0.4
    across, along = m * (r**2 / 4 + h**2 / 12), m * r**2 / 2
    meant = Link(m, (0, 0, 0), np.diag([across, across, along]), cylinder(r, h))
    first, second = causes(meant._replace(inertia=np.diag([across, along, across])))[:2]
    assert {first.cause, second.cause} == {"wrong-frame", "wrong-formula"}
    assert first.confidence == second.confidence < 0.5
    assert first.edit["entries"] == pytest.approx(second.edit["entries"])
    assert f"the numbers cannot tell it from {second.cause}" in first.evidence


@settings(max_examples=8, deadline=None)
@given(SCALES, DENSITIES)
def test_centres(length, density):
    meant = honest(length, density, at=(0.02, 0.03, 0.6))
    flipped = meant._replace(com=meant.com * np.array([1, 1, -1]))
    assert causes(flipped)[0].cause == "com-outside"
    assert_undone(meant._replace(com=1000 * meant.com), meant, "com-outside")
    assert_undone(meant._replace(com=1000 * meant.com, shape=""), meant, "com-outside")


def test_a_rotor_beside_a_twin():
    left = honest(0.3, 1000, name="left_arm")
    right = left._replace(name="right_arm")
    J = 0.3 * np.trace(left.inertia)
    planted = right._replace(inertia=right.inertia + J * np.diag([0.0, 0, 1]))
    found = causes(left, planted, of="right_arm")
    assert found[0].cause == "rotor-inertia"
    assert found[0].edit["entries"]["izz"] == pytest.approx(right.inertia[2, 2])


def test_the_side_that_is_wrong():
    left = honest(0.3, 1000, name="left_arm")
    right = left._replace(name="right_arm")
    planted = right._replace(mass=1.5 * right.mass, inertia=1.5 * right.inertia)
    assert causes(left, planted, of="right_arm")[0].cause == "mirror"


def test_the_numbers_of_the_other_side_come_reflected():
    def pair(k):
        left = honest(k / 3, 1000, name=f"left_{k}", at=(0.02, 0.2, 0.3))._replace(shape="")
        sign = np.diag([1.0, -1, 1])
        right = left._replace(
            name=f"right_{k}", com=sign @ left.com, inertia=sign @ left.inertia @ sign
        )
        return [left, right]

    links = [link for k in (1, 2, 3, 4) for link in pair(k)]
    meant = links[-1]
    links[-1] = links[-2]._replace(name=meant.name)  # a copy, not reflected
    found = causes(*links, of="right_4")[0]
    assert found.cause == "mirror"
    assert found.edit["entries"]["y"] == pytest.approx(meant.com[1])
    assert found.edit["entries"]["ixy"] == pytest.approx(meant.inertia[0, 1])


def test_the_other_side_comes_in_frames_of_its_own():
    """Signs changed in the axes of the link were written where the frames of the sides differ."""
    sides = robot_of(np.random.default_rng(2), 4, 0.3, np.array([0.6, 0.8, 0.0]), 0.2)
    meant = sides[3]
    sides[3] = meant._replace(com=sides[2].com, inertia=sides[2].inertia)
    (finding,) = (f for f in said(text=text_of(*sides)) if f.body == "right_1")
    first = finding.causes[0]
    assert (finding.code, first.cause) == ("IC601", "mirror")
    entries = {
        **dict(zip("xyz", sides[3].com, strict=True)),
        **dict(zip(ENTRIES, sides[3].inertia[np.triu_indices(3)], strict=True)),
        **first.edit["entries"],
    }
    wanted = [*meant.com, *meant.inertia[np.triu_indices(3)]]
    size = np.abs(meant.inertia).max()
    for name, value in zip((*"xyz", *ENTRIES), wanted, strict=True):
        assert entries[name] == pytest.approx(value, rel=1e-6, abs=1e-9 * size), name


def test_copies():
    one = honest(0.3, 1000, name="upper")
    other = honest(0.5, 1000, name="lower")
    copied = one._replace(name="lower", shape=other.shape)
    found = causes(one, copied, of="lower")
    assert found[0].cause == "copied-block"
    assert "upper" in found[0].evidence
    assert found[0].edit is None


@pytest.mark.parametrize("moment", [1.0, 1e-3, 1e-6])
def test_placeholders_are_replaced_by_the_shapes(moment):
    meant = honest(0.3, 1000)
    assert_undone(meant._replace(inertia=moment * np.eye(3)), meant, "placeholder")
    blind = causes(meant._replace(inertia=moment * np.eye(3), shape=""))[0]
    assert (blind.cause, blind.edit) == ("placeholder", None)


def test_different_powers_of_ten_are_no_placeholder():
    small = honest(0.3, 1000)
    for moments, is_one in ((np.diag([0.1, 0.1, 0.1]), True), (np.diag([0.1, 0.1, 0.01]), False)):
        with_products = moments + 1e-3 * (np.ones((3, 3)) - np.eye(3))
        found = [each.cause for each in causes(small._replace(inertia=with_products))]
        assert found
        assert ("placeholder" in found) is is_one


def test_one_tensor_for_all():
    links = [honest(0.3, 1000, name=f"b{k}")._replace(mass=k, shape="") for k in (5.0, 10.0, 20.0)]
    rough = [link._replace(inertia=np.diag([0.02, 0.03, 0.02])) for link in links]
    assert causes(*rough, of="b20.0")[0].cause == "placeholder"
    copied = [link._replace(inertia=links[0].inertia) for link in links]
    found = causes(*copied, of="b20.0")
    assert found[0].cause == "copied-block"
    assert "placeholder" not in [each.cause for each in found]


def test_copies_of_one_part_are_no_mistake():
    """Catches copied-block on four wheels of one mesh: the same part has the same numbers."""
    wheels = [honest(0.3, 1000, name=f"wheel_{k}") for k in range(4)]
    heavy = [wheel._replace(inertia=30 * wheel.inertia) for wheel in wheels]
    assert "copied-block" not in [each.cause for each in causes(*heavy, of="wheel_2")]


def test_total_mass():
    link = honest(0.3, 1000)
    heavy = link._replace(mass=4 * link.mass, inertia=4 * link.inertia)
    found = causes(heavy, expected_mass=(link.mass, 0.01))
    assert "total-mass" in [each.cause for each in found]
    assert causes(link, expected_mass=(link.mass, 0.01)) == ()


@settings(max_examples=6, deadline=None)
@given(SCALES, DENSITIES)
def test_a_moved_point_in_a_tensor_that_some_body_has(length, density):
    """Catches slips that are looked for only where no body has the tensor."""
    meant = honest(length, density, (0.6, 0, 0))
    planted = meant.inertia.copy()
    planted[1, 2] = planted[2, 1] = planted[1, 2] / 10  # the one product: a body still
    assert_undone(meant._replace(inertia=planted), meant, "decimal-slip")
