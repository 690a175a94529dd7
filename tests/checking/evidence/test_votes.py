"""The bodies of a model vote between readings of their numbers; one alone decides nothing."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from inertial_check.checking.evidence.digits import find_coarse_decimals, restore_digits
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.readings import list_forms, list_orders
from inertial_check.checking.evidence.votes import find_sorted_moments, restore_axes
from inertial_check.checking.limits import VOTES
from inertial_check.checking.shapes.evidence import read_geometry
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from suspects import Link, box, box_moments, parallel_axis, robot, rotation

SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.floats(1e-3, 1e3)
SIGNS = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])


def arm(rng, count=4, scale=1.0, turn=None, rpy=(0, 0, 0)):
    """Uniform boxes of several sizes with their shapes, oblique to the axes of their links."""
    links = []
    for k in range(count):
        edges = scale * np.array([1.0 + 0.2 * k, 0.25 + 0.02 * k, 0.2])
        mass = float(1000 * np.prod(edges))
        angles = np.array([0.3, -0.6, 0.5]) + rng.uniform(-0.1, 0.1, 3)
        R = rotation(angles) if turn is None else turn @ rotation(angles)
        axes = rotation(rpy).T @ R  # of the box, in the inertial's own axes
        at = R @ np.array([0.5, 0.0, 0.0]) * edges[0]
        inertia = axes @ box_moments(mass, edges) @ axes.T
        links.append(
            Link(mass, at, inertia, box(edges, at, angles_of(R)), rpy=rpy, name=f"link{k}")
        )
    return links


def angles_of(R):
    """Roll, pitch and yaw of a rotation."""
    return np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])


def negated(link):
    return link._replace(inertia=link.inertia * SIGNS)


def about_origin(link):
    return link._replace(inertia=link.inertia + parallel_axis(link.mass, link.com))


def votes_of(*links):
    model = load(robot(*links).encode())
    geometry = read_geometry(model, Context())
    return Examination(model, judge(model), read_geometry=lambda: geometry).votes


def ballot(votes, cause):
    """(votes for, votes against) of the reading of a cause that most bodies are for."""
    found = [each for each in votes.ballots if each.cause == cause]
    best = max(found, key=lambda each: int(np.sum(each.pro)), default=None)
    return (0, 0) if best is None else (int(np.sum(best.pro)), int(np.sum(best.contra)))


def _list_divided():
    """Links that lean in one plane, each with the mirror image of its shape for collisions."""
    for k in range(4):
        edges, at = np.array([1.0 + 0.2 * k, 0.25, 0.2]), (0.0, 0.0, 0.0)
        R, mass = rotation((0, -0.6, 0)), float(50 * (1 + 0.2 * k))
        inertia = R @ box_moments(mass, edges) @ R.T
        link = Link(mass, at, inertia, box(edges, at, (0, -0.6, 0)), name=f"link{k}")
        yield link, box(edges, at, (0, 0.6, 0), role="collision")


class TestBallots:
    @settings(max_examples=15)
    @given(SEEDS, SCALES)
    def test_sound_bodies_never_vote_for_another_reading(self, seed, scale):
        """The bug: honest boxes, in whatever unit of length, that ask for another convention."""
        votes = votes_of(*arm(np.random.default_rng(seed), scale=scale))
        assert all(not np.any(each.pro) for each in (*votes.ballots, *votes.forms))

    @settings(max_examples=15)
    @given(SEEDS, SCALES)
    def test_the_votes_do_not_change_with_the_scale(self, seed, scale):
        """The bug: a limit with a unit, so that small robots vote and large ones do not."""
        rng = np.random.default_rng(seed)
        links = [negated(link) for link in arm(rng, scale=scale)]
        assert ballot(votes_of(*links), "sign-of-products") == (4, 0)

    @settings(max_examples=15, deadline=None)
    @given(SEEDS)
    def test_a_reading_without_a_ballot_has_fewer_than_three_votes(self, seed):
        """The bug: a bound on the votes that forgets bodies without shapes, or whose are broken."""
        rng = np.random.default_rng(seed)
        mistakes = [negated, about_origin, lambda link: link]
        chosen = [mistakes[k] for k in rng.integers(0, 3, 2)]
        links = [chosen[rng.integers(0, 2)](link) for link in arm(rng, 6)]
        links = [
            link._replace(shape=link.shape if rng.random() < 0.5 else "", com=com)
            for link in links
            for com in (link.com * rng.choice([0.1, 1, 3]),)
        ]
        votes = votes_of(*links)
        every = votes._poll(list(list_forms(votes._numbers)), votes._by_form)
        kept = {each.what: each for each in votes.ballots}
        odd, _ = votes._count_odd()
        for each in every:
            if odd >= VOTES and np.sum(each.pro) >= VOTES:
                assert np.array_equal(kept[each.what].pro, each.pro)
                assert np.array_equal(kept[each.what].contra, each.contra)

    @settings(max_examples=15)
    @given(SEEDS, st.tuples(*[st.floats(-3, 3)] * 2, st.floats(-1.4, 1.4)))
    def test_turning_the_links_changes_no_vote_about_the_origin(self, seed, angles):
        """The bug: a reading that looks at entries in place of the tensor."""
        turn = rotation((angles[0], angles[2], angles[1]))
        links = arm(np.random.default_rng(seed), turn=turn)
        planted = [about_origin(link) for link in links]
        assert ballot(votes_of(*planted), "about-link-origin") == (4, 0)

    def test_bodies_that_look_the_same_either_way_do_not_vote(self):
        """The bug: counting links without products as witnesses of their sign."""
        rng = np.random.default_rng(1)
        upright = [
            Link(1.0, (0, 0, 0), box_moments(1.0, (0.5, 0.2, 0.1)), box((0.5, 0.2, 0.1)), name=name)
            for name in ("a", "b")
        ]
        votes = votes_of(*map(negated, arm(rng, 3)), *upright)
        assert ballot(votes, "sign-of-products") == (3, 0)

    def test_shapes_that_cannot_tell_leave_the_vote_to_those_that_can(self):
        """The bug: five links of an arm whose collision boxes, without products, kept them mute."""
        rng = np.random.default_rng(2)
        links = []
        for link in arm(rng):
            edges = np.sqrt(12 * np.diag(np.trace(link.inertia) / 2 * np.eye(3) - link.inertia))
            upright = box(edges / np.sqrt(link.mass), link.com, role="collision")
            links.append(link._replace(shape=link.shape + upright))
        assert ballot(votes_of(*map(negated, links)), "sign-of-products") == (4, 0)
        assert not any(np.any(each.pro) for each in votes_of(*links).ballots)

    def test_shapes_that_contradict_each_other_do_not_vote(self):
        """The bug: a link counted by the one of its shapes that agrees with the others."""
        links = [
            link._replace(shape=link.shape + negated_box) for link, negated_box in _list_divided()
        ]
        assert ballot(votes_of(*map(negated, links)), "sign-of-products") == (0, 0)

    def test_what_equals_its_shape_votes_against_a_reading_that_fits_it_nearly_as_well(self):
        """The bug: two links of an arm, computed from their meshes, whose fix would spoil them."""
        edges, angles, at = (0.5, 0.25, 0.2), (0.0, 0.0, 0.02), (0, 0, 0)
        R = rotation(angles)
        inertia = R @ box_moments(25.0, edges) @ R.T
        computed = Link(25.0, at, inertia, box(edges, at, angles), name="computed")
        votes = votes_of(*map(negated, arm(np.random.default_rng(4))), computed)
        assert ballot(votes, "sign-of-products") == (4, 1)

    def test_what_a_reading_would_break_votes_against_it(self):
        """The bug: a tensor about the centre of mass that is counted as one about the origin."""
        rng = np.random.default_rng(2)
        links = [link._replace(shape="") for link in arm(rng, 5)]
        mixed = [*map(about_origin, links[:3]), *links[3:]]
        assert ballot(votes_of(*mixed), "about-link-origin") == (3, 2)

    @pytest.mark.parametrize("which", [1, 2])
    def test_broken_bodies_without_shapes_vote_by_what_mends_them(self, which):
        """The bug: a model without meshes whose tensors are all in another order says nothing."""
        slots = np.array(list_orders()[which][0])
        inverse = np.argsort(slots)
        rows, columns = np.triu_indices(3)
        links = []
        for link in arm(np.random.default_rng(3), 5):
            six = link.inertia[rows, columns][inverse]
            tensor = np.zeros((3, 3))
            tensor[rows, columns] = tensor[columns, rows] = six
            links.append(link._replace(inertia=tensor, shape=""))
        pro, contra = ballot(votes_of(*links), "component-order")
        assert pro >= 3
        assert not contra

    @pytest.mark.parametrize(("unit", "name"), [(1e-6, "kg mm^2"), (1e-3, "g m^2")])
    @pytest.mark.parametrize("seen", [True, False])
    def test_units_are_told_by_size_or_by_density(self, unit, name, seen):
        """The bug: with meshes in millimetres, mass and tensor that fit each other are blamed."""
        links = [
            link._replace(inertia=link.inertia / unit, shape=link.shape if seen else "")
            for link in arm(np.random.default_rng(4))
        ]
        found = {each.what: int(np.sum(each.pro)) for each in votes_of(*links).ballots}
        assert found[f"read as {name}"] == 4

    def test_meshes_in_millimetres_are_no_vote_for_another_unit(self):
        shapes = [
            link._replace(shape=box(1000 * np.array([1.0 + 0.2 * k, 0.25 + 0.02 * k, 0.2])))
            for k, link in enumerate(arm(np.random.default_rng(5)))
        ]
        assert ballot(votes_of(*shapes), "units") == (0, 0)

    def test_a_rotation_that_was_applied_twice_is_undone(self):
        rpy = (0.4, 0.5, -0.3)
        R = rotation(rpy)
        links = [
            link._replace(inertia=R @ link.inertia @ R.T)
            for link in arm(np.random.default_rng(6), rpy=rpy)
        ]
        found = {each.what: int(np.sum(each.pro)) for each in votes_of(*links).ballots}
        assert found["without the rotations of their origins"] == 4

    def test_one_part_mounted_four_times_is_one_part(self):
        """The bug: four copies of one wheel that count as four independent witnesses."""
        (link,) = arm(np.random.default_rng(7), 1)
        links = [negated(link)._replace(name=f"copy{k}") for k in range(4)]
        votes = votes_of(*links)
        assert votes.count_parts(votes.voters) == 1

    def test_made_up_numbers_have_no_vote(self):
        """The bug: placeholders of one digit that ask for another unit."""
        links = [
            Link(mass, (0, 0, 0), np.diag([9, 7, 5]) / k, name=f"link{k}")
            for k, mass in ((1, 0.3), (10, 0.1), (100, 0.2))
        ]
        assert not np.any(votes_of(*links).voters)


class TestPatterns:
    def sorted_links(self, count, order=-1, shapes=True):
        links = []
        for k in range(count):
            edges = np.array([0.2, 0.5 + 0.1 * k, 0.1])
            moments = np.sort(np.diag(box_moments(2.0, edges)))[::order]
            shape = box(edges) if shapes else ""
            links.append(Link(2.0, (0, 0, 0), np.diag(moments), shape, name=f"link{k}"))
        return links

    @pytest.mark.parametrize(("order", "name"), [(-1, "descending"), (1, "ascending")])
    def test_sorted_moments_are_contradicted_by_the_shapes(self, order, name):
        links = self.sorted_links(4, order)
        votes = votes_of(*links)
        found = find_sorted_moments(votes)
        assert found is not None
        assert found.order == name
        assert np.sum(found.pro) == 4
        for k, six in enumerate(restore_axes(votes, found.pro)[1:]):  # after the base
            edges = np.array([0.2, 0.5 + 0.1 * k, 0.1])
            meant = box_moments(2.0, edges)[np.triu_indices(3)]
            assert six == pytest.approx(meant, rel=1e-6)

    def test_one_tensor_in_another_order_ends_it(self):
        """The bug: most boxes of a hand-made model happen to have falling moments."""
        links = self.sorted_links(5)
        links[2] = links[2]._replace(inertia=np.diag(np.diag(links[2].inertia)[[1, 0, 2]]))
        assert find_sorted_moments(votes_of(*links)) is None

    def test_moments_with_their_axes_are_no_pattern(self):
        """The bug: compiled models, which state sorted moments and a rotation, by design."""
        links = [link._replace(rpy=(0.1, 0.2, 0.3)) for link in self.sorted_links(5)]
        assert find_sorted_moments(votes_of(*links)) is None

    def test_one_rotated_inertial_among_many_changes_nothing(self):
        """The bug: one odd finger that hides the mistake of a hand."""
        links = self.sorted_links(5)
        links[4] = links[4]._replace(rpy=(0.1, 0.2, 0.3))
        found = find_sorted_moments(votes_of(*links))
        assert found is not None
        assert np.sum(found.bodies) == 5

    def test_coarse_decimals_need_a_measured_mass(self):
        """The bug: a guess, such as 0.1 kg with 0.002, that is blamed on a printing format."""
        tensor = np.diag([0.002, 0.003, 0.001])
        masses = (0.981, 1.0, 0.513, 100.0, 1.235)
        links = [Link(mass, (0, 0, 0), tensor, name=f"at{mass}") for mass in masses]
        found = find_coarse_decimals(votes_of(*links))
        assert found.bodies.tolist() == [False, True, False, True, False, True]

    def test_a_cube_of_one_count_is_no_witness(self):
        """The bug: a model of placeholders that is taken for one of too few decimals."""
        cube = Link(0.981, (0, 0, 0), np.diag([0.001] * 3), name="cube")
        cubes = [cube._replace(name=f"cube{k}") for k in range(2)]
        flat = Link(0.981, (0, 0, 0), np.diag([0.001, 0.002, 0.002]), name="flat")
        alone = find_coarse_decimals(votes_of(cube, *cubes))
        assert not np.any(alone.witnesses)
        found = find_coarse_decimals(votes_of(cube, *cubes, flat))
        assert found.bodies.tolist() == [False, True, True, True, True]
        assert found.witnesses.tolist() == [False, False, False, False, True]

    def test_shapes_restore_digits_that_they_explain(self):
        """The bug: an edit that writes the inertia of a shape that the printed digits exclude."""
        edges = np.array([0.09, 0.05, 0.13])
        meant = box_moments(0.981, edges)
        printed = np.diag(np.round(np.diag(meant), 3))
        fitting = [Link(0.981, (0, 0, 0), printed, box(edges), name=f"link{k}") for k in range(3)]
        links = [*fitting, fitting[0]._replace(shape=box(2 * edges), name="other")]
        votes = votes_of(*links)
        six, restored = restore_digits(votes, find_coarse_decimals(votes))
        assert restored.tolist() == [False, True, True, True, False]
        assert six[1] == pytest.approx(meant[np.triu_indices(3)])


class TestPlaces:
    @pytest.mark.parametrize("turned", [False, True])
    def test_an_assembly_has_one_frame_for_centres_and_tensors(self, turned):
        """The bug: every link by itself, as its centre lies outside of its shape."""
        R_FW = np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]])
        links = arm(np.random.default_rng(5), count=5)
        moved = [
            link._replace(
                com=np.add(R_FW @ link.com, (3.1, -0.4, 2.2)),
                inertia=R_FW @ link.inertia @ R_FW.T if turned else link.inertia,
            )
            for link in links
        ]
        assert not votes_of(*links).elections
        ((reading,),) = votes_of(*moved).elections
        assert reading.cause == "com-outside"
        assert ("and tensors" in reading.what, "the whole assembly" in reading.what) == (turned, 1)
        np.testing.assert_allclose(reading.centers[1:], [link.com for link in links], atol=1e-5)

    def test_three_bodies_do_not_choose_a_frame_that_their_own_shapes_placed(self):
        links = arm(np.random.default_rng(5), count=3)
        moved = [link._replace(com=np.add(link.com, (3.1, -0.4, 2.2))) for link in links]
        assert not votes_of(*moved).elections
