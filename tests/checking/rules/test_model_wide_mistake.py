"""IC507: one finding for a mistake of all links, and what it does to the doubts about one."""

import re

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import Settings
from suspects import Link, box, box_moments, parallel_axis, robot, rotation

SIGNS = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])


def arm(count, first=0):
    """Oblique boxes of several sizes with their shapes, beside the origins of their links.

    They lean in one plane: with its one product negated each is its mirror image, which exists.
    """
    links = []
    for k in range(first, first + count):
        edges, rpy = np.array([0.3 + 0.05 * k, 0.06 + 0.004 * k, 0.05]), (0, -0.6, 0)
        mass, R = float(1000 * np.prod(edges)), rotation(rpy)
        inertia, at = R @ box_moments(mass, edges) @ R.T, R @ np.array([0.5, 0, 0]) * edges[0]
        links.append(Link(mass, at, inertia, box(edges, at, rpy), name=f"link{k}"))
    return links


def negated(link):
    return link._replace(inertia=link.inertia * SIGNS)


def about_origin(link):
    return link._replace(inertia=link.inertia + parallel_axis(link.mass, link.com))


def findings(*links):
    report = ic.check_model(robot(*links).encode(), Settings())
    return [each for each in report.findings if each.code.startswith(("IC3", "IC5", "IC6"))]


def test_all_links_share_one_finding_with_one_edit():
    """The bug: ten warnings, each with another reason, for one exporter's convention."""
    (finding,) = findings(*map(negated, arm(5)))
    assert (finding.code, finding.body, finding.severity) == ("IC507", None, Severity.WARNING)
    assert finding.bodies == tuple(f"link{k}" for k in range(5))
    assert {entry.name for entry in finding.entries} == {"ixz"}
    assert len({entry.body_id for entry in finding.entries}) == 5
    (cause,) = finding.causes
    assert cause.cause == "sign-of-products"
    assert cause.edit["body"] is None
    assert list(cause.edit["bodies"]) == list(finding.bodies)
    for link in arm(5):
        entries = cause.edit["bodies"][link.name]["entries"]
        assert entries["ixz"] == pytest.approx(link.inertia[0, 2])


def test_negated_products_explain_no_size():
    """The bug: a link of eight times the inertia that hid behind the signs of all the others."""
    links = [negated(link) for link in arm(5)]
    links[2] = links[2]._replace(inertia=8 * links[2].inertia)
    found = {each.code: each.body for each in findings(*links)}
    assert found == {"IC507": None, "IC502": "link2"}


@pytest.mark.parametrize(("mass", "tensor", "code"), [(1, 100, "IC502"), (1e3, 1e3, "IC503")])
def test_a_point_explains_neither_a_size_that_it_leaves_nor_a_mass(mass, tensor, code):
    """The bug: a link in grams, or of a hundred times the inertia, hid behind all the others."""
    links = [about_origin(link) for link in arm(5)]
    links[2] = links[2]._replace(mass=mass * links[2].mass, inertia=tensor * links[2].inertia)
    found = {each.code: each.body for each in findings(*links)}
    assert found == {"IC507": None, code: "link2"}


def test_a_mistake_of_the_model_leaves_its_twins_mirror_images():
    """The bug: the doubt that the whole model explains explained what its twin showed, too."""
    sides = []
    for k, link in enumerate(arm(4)):
        for name, factor, y in (("left", 1.0, 0.3), ("right", 1.003, -0.3)):
            mass, inertia = factor * link.mass, factor * link.inertia
            side = link._replace(name=f"{name}_{k}", mass=mass, inertia=inertia, at=(k, y, 0))
            sides.append(about_origin(side))
    assert {each.code for each in findings(*sides)} == {"IC507"}
    half = np.array([[1, 1, 0.5], [1, 1, 1], [0.5, 1, 1]])
    sides[3] = sides[3]._replace(inertia=sides[3].inertia * half)
    found = {(each.code, each.body) for each in findings(*sides)}
    assert found == {("IC507", None), ("IC601", "left_1"), ("IC601", "right_1")}


def test_two_links_are_two_links():
    """The bug: a coincidence of two bodies that condemns a model."""
    found = findings(*map(negated, arm(2)))
    assert {each.code for each in found} == {"IC505"}


def test_links_that_cannot_tell_are_corrected_too():
    edges = (0.3, 0.3, 0.28)
    R = rotation((0, 0.4, 0))
    block = Link(27.0, (0, 0, 0), R @ box_moments(27.0, edges) @ R.T, name="block")
    (finding,) = findings(*map(negated, arm(4)), negated(block))
    assert "block" in finding.bodies


def test_a_divided_model_has_no_common_finding():
    """The bug: a majority of one that changes links whose own shapes speak against it."""
    found = findings(*map(negated, arm(3)), *arm(2, first=3))
    assert "IC507" not in {each.code for each in found}


def test_where_bodies_disagree_only_those_that_lean_to_it_are_concerned():
    flat = Link(1.0, (0, 0, 0.3), box_moments(1.0, (0.2, 0.3, 0.1)), name="unseen")
    links = [*map(about_origin, arm(6)), *arm(2, first=6)]
    links[6] = links[6]._replace(name="sound", com=links[6].com)
    (finding,) = findings(*links, flat)
    assert finding.causes[0].cause == "about-link-origin"
    assert set(finding.bodies) == {f"link{k}" for k in range(6)}
    assert finding.values["votes_against"] >= 1


def test_broken_links_keep_their_errors():
    """The bug: a provable error that a warning about the model hides."""
    links = [link._replace(shape="") for link in arm(6)]
    swapped = [
        link._replace(inertia=np.array(
            [
                [link.inertia[0, 0], link.inertia[1, 1], link.inertia[2, 2]],
                [link.inertia[1, 1], link.inertia[0, 1], link.inertia[0, 2]],
                [link.inertia[2, 2], link.inertia[0, 2], link.inertia[1, 2]],
            ]
        ))
        for link in links
    ]  # fmt: skip
    found = findings(*swapped)
    common = [each for each in found if each.code == "IC507"]
    errors = {each.body for each in found if each.severity is Severity.ERROR}
    assert len(common) == 1
    assert common[0].causes[0].cause == "component-order"
    assert errors == {link.name for link in links}


def test_one_link_against_ten_is_a_note():
    """The bug: one link of eleven with an imperfect fit that asks for the other convention."""
    odd = negated(arm(1)[0])
    edges = np.array([0.3, 0.06, 0.05])
    rounder = box(edges * [1, 2.2, 1], odd.com, (0, -0.6, 0))
    ten = arm(10, first=1)
    alone = [each for each in findings(odd._replace(shape=rounder)) if each.body == odd.name]
    among = [each for each in findings(odd._replace(shape=rounder), *ten) if each.body == odd.name]
    assert [each.code for each in alone] == [each.code for each in among] == ["IC505"]
    assert alone[0].severity is Severity.WARNING
    assert among[0].severity is Severity.NOTE
    assert "only a note, since other bodies of the model fit as they are" in among[0].message


def test_a_near_exact_fit_stays_a_warning_against_ten():
    """The bug: the one link that was edited by hand, which hides behind the sound ones."""
    (finding,) = findings(negated(arm(1)[0]), *arm(10, first=1))
    assert (finding.code, finding.severity) == ("IC505", Severity.WARNING)


def test_a_fit_that_is_near_exact_for_one_of_two_shapes_stays_a_warning_too():
    """The bug: a rough mesh that takes the edge off the collision shape that the numbers are of."""
    odd = negated(arm(1)[0])
    rounder = box(np.array([0.3, 0.06, 0.05]) * [1, 2.2, 1], odd.com, (0, -0.6, 0))
    both = odd._replace(shape=rounder + odd.shape.replace("visual", "collision"))
    found = [each for each in findings(both, *arm(10, first=1)) if each.body == odd.name]
    assert [(each.code, each.severity) for each in found] == [("IC505", Severity.WARNING)]


def test_readings_that_nothing_tells_apart_are_all_listed():
    """The bug: a tie between milligrams and a unit of inertia that is broken silently."""
    links = [
        link._replace(mass=1e6 * link.mass, inertia=1e6 * link.inertia, shape="") for link in arm(4)
    ]
    (finding,) = findings(*links)
    told = [each.evidence for each in finding.causes]
    assert any("milligrams" in each for each in told)
    assert any("kg cm^2" in each for each in told)
    assert sum(each.confidence for each in finding.causes) <= 1


@pytest.mark.parametrize("geometry", ["auto", "off"])
def test_sound_models_have_none(geometry):
    report = ic.check_model(robot(*arm(8)).encode(), Settings(geometry=geometry))
    assert not [each for each in report.findings if each.code == "IC507"]


def sorted_links(count, order=-1, shapes=True):
    """Boxes whose moments were sorted, and so lost their axes."""
    for k in range(count):
        edges = np.array([0.2, 0.5 + 0.1 * k, 0.1])
        moments = np.sort(np.diag(box_moments(2.0, edges)))[::order]
        shape = box(edges) if shapes else ""
        yield Link(2.0, (0, 0, 0), np.diag(moments), shape, name=f"link{k}")


@pytest.mark.parametrize("order", [1, -1])
def test_sorted_moments_are_said_once_and_put_back(order):
    """The bug: a warning a link, each with another turn, for moments that lost their axes."""
    (finding,) = findings(*sorted_links(4, order))
    assert finding.code == "IC507"
    assert finding.causes[0].cause == "sorted-principal-moments"
    edits = finding.causes[0].edit["bodies"]
    for k, link in enumerate(sorted_links(4, order)):
        meant = box_moments(2.0, np.array([0.2, 0.5 + 0.1 * k, 0.1]))
        written = dict(zip(("ixx", "iyy", "izz"), np.diag(link.inertia), strict=True))
        after = written | edits[link.name]["entries"]
        assert list(after.values()) == pytest.approx(np.diag(meant), rel=1e-9)


@pytest.mark.parametrize(("count", "told"), [(3, False), (4, True)])
def test_sorted_moments_without_shapes_take_four_parts(count, told):
    """The bug: three links along one axis, whose order is that of the axis, not of a program."""
    found = findings(*sorted_links(count, shapes=False))
    assert bool(found) is told
    for finding in found:
        assert finding.causes[0].edit is None


def coarse_text(text):
    """Three decimals for every tensor of a document."""
    return re.sub(
        r'(i[xyz]{2}=)"([^"]*)"', lambda entry: f'{entry[1]}"{float(entry[2]):.3f}"', text
    )


def test_coarse_decimals_are_said_once_and_taken_from_the_shapes():
    """The bug: a placeholder, a copy and lost digits, for one format of one exporter."""
    sizes = ((0.09, 0.05, 0.13), (0.1, 0.1, 0.07), (0.2, 0.15, 0.02), (0.1, 0.02, 0.15))
    links = [
        Link(mass, (0, 0, 0), box_moments(mass, edges), box(edges), name=f"link{k}")
        for k, (mass, edges) in enumerate(zip((0.98, 0.75, 0.31, 0.28), sizes, strict=True))
    ]
    report = ic.check_model(coarse_text(robot(*links)).encode(), Settings())
    (finding,) = (each for each in report.findings if each.severity >= Severity.WARNING)
    assert finding.code == "IC507"
    assert finding.causes[0].cause == "fixed-decimals"
    assert set(finding.bodies) == {link.name for link in links}
    assert set(finding.causes[0].edit["bodies"]) == {link.name for link in links}
    after = finding.causes[0].edit["bodies"]["link0"]["entries"]
    assert after["ixx"] == pytest.approx(links[0].inertia[0, 0])


def test_round_guesses_are_no_lost_decimals():
    """The bug: numbers that a person wrote, blamed on a printing format."""
    guesses = ((1.5, 0.01, 0.01), (2.0, 0.02, 0.01), (0.75, 0.001, 0.002), (3.25, 0.03, 0.02))
    links = [
        Link(mass, (0, 0, 0), np.diag([one, one, other]), name=f"link{k}")
        for k, (mass, one, other) in enumerate(guesses)
    ]
    assert "IC507" not in {each.code for each in findings(*links)}
