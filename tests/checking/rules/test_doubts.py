"""What is suspicious, over all scales; and that honest bodies stay quiet."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

import inertial_check as ic
from inertial_check.checking.settings import Settings
from suspects import (
    Link,
    box,
    box_moments,
    codes,
    cylinder,
    parallel_axis,
    robot,
    rotation,
    said,
)

LENGTHS = st.floats(1e-3, 30)
RATIOS = st.tuples(*[st.floats(0.3, 1)] * 3)
DENSITIES = st.floats(100, 8000)
SEEDS = st.integers(0, 2**32 - 1)
ANGLES = st.tuples(*[st.floats(-1.5, 1.5)] * 3)


def honest(length, ratios, density, rpy=(0, 0, 0), at=(0, 0, 0), **kwargs):
    """A uniform box with its shape."""
    edges = np.array(ratios) * length
    mass = float(density * np.prod(edges))
    R = rotation(rpy)
    inertia = R @ box_moments(mass, edges) @ R.T
    return Link(mass, at, inertia, box(edges, at, rpy), **kwargs)


class TestHonestBodiesStayQuiet:
    @settings(max_examples=20)
    @given(LENGTHS, RATIOS, DENSITIES, ANGLES)
    def test_uniform_boxes_anywhere(self, length, ratios, density, rpy):
        at = np.array([0.3, -0.2, 0.5]) * length
        assert said(honest(length, ratios, density, rpy, at)) == []

    @settings(max_examples=15)
    @given(LENGTHS, RATIOS, DENSITIES)
    def test_without_shapes(self, length, ratios, density):
        link = honest(length, ratios, density)._replace(shape="")
        assert said(link) == []

    @settings(max_examples=15)
    @given(LENGTHS, st.floats(0.05, 3), DENSITIES)
    def test_shells_of_cylinders(self, length, slender, density):
        """All mass in the mantle: the largest that a cylinder can be in this sense."""
        radius, mass = slender * length, density * slender**2 * length**3
        across = mass * (radius**2 / 2 + length**2 / 12)
        inertia = np.diag([across, across, mass * radius**2])
        assert said(Link(mass, (0, 0, 0), inertia, cylinder(radius, length))) == []

    @settings(max_examples=20)
    @given(LENGTHS, RATIOS, st.floats(300, 3000), SEEDS)
    def test_links_with_a_motor_somewhere_inside(self, length, ratios, density, seed):
        """A third of the mass in a ball of a sixth of the length."""
        rng = np.random.default_rng(seed)
        edges = np.array(ratios) * length
        shell, motor = density * np.prod(edges) * np.array([2, 1]) / 3
        place = rng.uniform(-0.3, 0.3, 3) * edges
        com = motor * place / (shell + motor)
        inertia = box_moments(shell, edges) + parallel_axis(shell, com)
        inertia += 0.4 * motor * (edges.min() / 6) ** 2 * np.eye(3)
        inertia += parallel_axis(motor, place - com)
        assert said(Link(float(shell + motor), com, inertia, box(edges))) == []

    @settings(max_examples=15)
    @given(LENGTHS, st.floats(0.002, 0.05))
    def test_sheet_metal_and_long_rods(self, length, thin):
        for edges in ((length, length, thin * length), (length, thin * length, thin * length)):
            mass = float(7800 * np.prod(edges))
            for shape in (box(edges), ""):
                assert said(Link(mass, (0, 0, 0), box_moments(mass, edges), shape)) == []

    @settings(max_examples=20)
    @given(LENGTHS, RATIOS, SEEDS, st.sampled_from([(1, -1, 1), (-1, 1, 1), (1, 1, 1)]))
    def test_left_and_right_with_the_noise_of_cad(self, length, ratios, seed, signs):
        rng = np.random.default_rng(seed)
        R = rotation(rng.uniform(-0.3, 0.3, 3))
        edges = np.array(ratios) * length
        mass, com = float(900 * np.prod(edges)), rng.uniform(-0.4, 0.4, 3) * edges
        inertia = R @ box_moments(mass, edges) @ R.T
        noise = 1 + 0.02 * rng.uniform(-1, 1, (2, 3))
        other = np.outer(signs, signs) * inertia * noise[0, 0]
        left = Link(mass, com, inertia, name="left_arm")
        right = Link(mass * noise[0, 1], com * signs * noise[1], other, name="right_arm")
        assert said(left, right) == []

    def test_a_ball_of_a_usual_density_may_have_a_round_number(self):
        assert said(Link(1.0, (0, 0, 0), 1e-3 * np.eye(3))) == []
        assert codes(Link(1.0, (0, 0, 0), 1e-3 * np.eye(3)), preset="strict") == {"link": "IC501"}

    def test_a_light_frame_on_a_fixed_joint_has_some_numbers(self):
        text = robot(honest(0.2, (1, 1, 1), 1000)).replace(
            "</robot>",
            '<link name="tip"><inertial><mass value="1e-3"/><inertia ixx="1e-6" ixy="0" ixz="0" '
            'iyy="1e-6" iyz="0" izz="1e-6"/></inertial></link><joint name="t" type="fixed">'
            '<origin xyz="0 0 0.2"/><parent link="link"/><child link="tip"/></joint></robot>',
        )
        assert said(text=text) == []
        moved = text.replace('name="t" type="fixed"', 'name="t" type="revolute"')
        assert codes(text=moved) == {"tip": "IC501"}

    @pytest.mark.parametrize(("kind", "told"), [("fixed", set()), ("revolute", {"IC501", "IC602"})])
    def test_placeholders_of_frames_are_compared_with_nothing(self, kind, told):
        """The bug: links of a gram that only show a screen or a sensor were told as copies."""
        parts = "".join(
            f'<link name="{name}"><inertial><mass value="1e-3"/><inertia ixx="1e-7" ixy="0" '
            f'ixz="0" iyy="1e-7" iyz="0" izz="1e-7"/></inertial>{box((edge,) * 3)}</link>'
            f'<joint name="to_{name}" type="{kind}"><origin xyz="0 0 0.2"/><axis xyz="1 0 0"/>'
            f'<limit effort="1" velocity="1" lower="-1" upper="1"/>'
            f'<parent link="link"/><child link="{name}"/></joint>'
            for name, edge in (("screen", 0.1), ("eye", 0.03), ("sonar", 0.02))
        )
        text = robot(honest(0.2, (1, 1, 1), 1000)).replace("</robot>", f"{parts}</robot>")
        assert {finding.code for finding in said(text=text)} == told

    def test_a_frame_may_be_lighter_than_foam(self):
        """The bug: feet of a gram at fixed joints, whose mass is part of their legs."""
        foot = Link(1e-3, (0, 0, 0), box_moments(1e-3, (0.07,) * 3), box((0.06,) * 3), name="foot")
        text = robot(honest(0.4, (1, 1, 1), 1000), foot)
        assert codes(text=text) == {"foot": "IC503"}
        assert (
            said(text=text.replace('name="j_foot" type="revolute"', 'name="j_foot" type="fixed"'))
            == []
        )

    @pytest.mark.parametrize(
        ("mass", "found"), [(1.0, []), (6.0, []), (1.2, ["IC503"]), (0.2, ["IC503"])]
    )
    def test_whole_kilograms_may_be_chosen(self, mass, found):
        """Toys of one kilogram have the tensor of their shapes, and no density of any substance."""
        edges = (1.0, 1.2, 0.8)
        toy = Link(mass, (0, 0, 0), box_moments(mass, edges), box(edges))
        assert [each.code for each in said(toy)] == found

    def test_a_stand_in_shape_is_no_witness(self):
        """Engines that ask for a collision shape are given a tiny ball."""
        link = honest(0.2, (1, 1, 0.5), 1000)
        tiny = box((1e-3,) * 3, role="collision")
        assert said(link._replace(shape=tiny)) == []

    def test_roles_that_contradict_each_other_say_nothing(self):
        link = honest(0.2, (1, 1, 0.5), 1000)
        rough = box((0.9, 0.9, 0.9), role="collision")
        assert said(link._replace(shape=link.shape + rough)) == []
        assert codes(link._replace(shape=rough)) == {"link": "IC502"}

    def test_a_centre_far_from_that_of_the_shapes_makes_a_note(self):
        """Shapes that do not show where the mass is accused honest links of turned axes."""
        link = honest(0.2, (1, 0.8, 0.6), 1000)
        screws = np.diag([1, 1.03, 1]) * link.inertia
        turned = link._replace(inertia=screws[[1, 0, 2]][:, [1, 0, 2]])
        apart = turned._replace(com=(0.025, 0, 0))
        assert [f.severity.name for f in said(turned)] == ["WARNING"]
        (finding,) = said(apart)
        assert (finding.code, finding.severity.name) == ("IC504", "NOTE")
        assert "only a note, since the centre of mass is 8.8 %" in finding.message
        (strict,) = said(apart, preset="strict")
        assert strict.severity.name == "WARNING"

    def test_a_turn_is_the_best_of_many_and_needs_more_than_a_sign(self):
        """A fork whose box is shorter than the part itself was called turned."""
        link = honest(0.2, (1, 0.5, 0.5), 1000, (0, 0, 0.25))
        negated = link._replace(inertia=link.inertia * (2 * np.eye(3) - 1), com=(0.02, 0, 0))
        upright = honest(0.2, (1, 0.75, 0.5), 1000)
        noise = np.diag([1, 1.03, 1]) * upright.inertia
        turned = upright._replace(inertia=noise[[1, 0, 2]][:, [1, 0, 2]], com=(0.02, 0, 0))
        assert [(f.code, f.severity.name) for f in said(negated)] == [("IC505", "WARNING")]
        assert [(f.code, f.severity.name) for f in said(turned)] == [("IC504", "NOTE")]

    def test_what_fits_exactly_needs_no_centre(self):
        link = honest(0.2, (1, 0.55, 0.3), 1000)
        turned = link._replace(inertia=link.inertia[[1, 0, 2]][:, [1, 0, 2]], com=(0.025, 0, 0))
        assert [(f.code, f.severity.name) for f in said(turned)] == [("IC504", "WARNING")]

    def test_sizes_are_notes_too_where_the_centre_is_elsewhere(self):
        link = honest(0.2, (1, 0.8, 0.6), 1000)
        large = link._replace(inertia=2.2**2 * link.inertia)
        assert [f.severity.name for f in said(large)] == ["WARNING"]
        (finding,) = said(large._replace(com=(0.03, 0, 0)))
        assert (finding.code, finding.severity.name) == ("IC502", "NOTE")

    def test_axes_are_notes_where_the_visual_mesh_is_missing(self):
        """A cylinder about a link is no witness against its axes."""
        edges, lost = (
            (0.2, 0.17, 0.14),
            '<visual><geometry><mesh filename="l"/></geometry></visual>',
        )
        inertia = box_moments(3.0, edges)
        link = Link(3.0, (0, 0, 0), inertia, box(edges, role="collision"))
        screws = np.diag([1, 1.03, 1]) * inertia
        swapped = link._replace(inertia=1.5 * screws[[2, 1, 0]][:, [2, 1, 0]])
        assert [f.severity.name for f in said(swapped)] == ["WARNING"]
        (finding,) = said(swapped._replace(shape=swapped.shape + lost))
        assert (finding.code, finding.severity.name) == ("IC504", "NOTE")
        assert "visual shapes could not be read" in finding.message

    def test_nothing_is_said_without_geometry_where_it_is_off(self):
        link = honest(0.2, (1, 1, 0.5), 1000, at=(0, 0, 0.1))._replace(com=(0, 0, -0.5))
        assert codes(link) == {"link": "IC201"}
        report = ic.check_model(robot(link).encode(), Settings(geometry="off"))
        assert not [f for f in report.findings if f.code.startswith(("IC2", "IC5", "IC6"))]


class TestPlanted:
    @settings(max_examples=15)
    @given(LENGTHS, RATIOS, DENSITIES, st.sampled_from([1e-9, 1e-7, 1e-6, 1e-4, 2.926e-4, 1e-3]))
    def test_units(self, length, ratios, density, unit):
        link = honest(length, ratios, density)
        for shape in (link.shape, ""):
            for factor in (1 / unit, unit):
                planted = link._replace(inertia=link.inertia * factor, shape=shape)
                assume(np.abs(planted.inertia).max() > 1e-11 * planted.mass)
                assert codes(planted)["link"] in ("IC502", "IC503")

    @settings(max_examples=12)
    @given(LENGTHS, RATIOS, st.floats(200, 8000))
    def test_grams(self, length, ratios, density):
        link = honest(length, ratios, density)
        for factor in (1e3, 1e-3):
            with_tensor = link._replace(mass=link.mass * factor, inertia=link.inertia * factor)
            for planted in (with_tensor, link._replace(mass=link.mass * factor)):
                assert set(codes(planted)) == {"link"}
                assert set(codes(planted._replace(shape=""))) == {"link"}

    @settings(max_examples=12)
    @given(LENGTHS, RATIOS, DENSITIES)
    def test_sizes(self, length, ratios, density):
        link = honest(length, ratios, density)
        for factor in (8, 1 / 8):
            assert codes(link._replace(inertia=link.inertia * factor)) == {"link": "IC502"}

    @settings(max_examples=12)
    @given(LENGTHS, RATIOS, DENSITIES)
    def test_centre_of_mass(self, length, ratios, density):
        at = np.array([0.01, 0.01, 0.6]) * length * np.array([1, 1, ratios[2]])
        link = honest(length, ratios, density, at=at)
        assert codes(link._replace(com=at * [1, 1, -1])) == {"link": "IC201"}
        assert codes(link._replace(com=at * 1000, shape="")) == {"link": "IC202"}

    @settings(max_examples=12)
    @given(LENGTHS, st.floats(0.1, 0.4), st.floats(0.1, 0.4), DENSITIES, st.floats(0.4, 1.1))
    def test_axes_and_signs(self, length, b, c, density, angle):
        link = honest(length, (1, b, c), density, (0, angle, 0))
        flipped = link.inertia * (2 * np.eye(3) - 1)
        assert set(codes(link._replace(inertia=flipped)).values()) <= {"IC504", "IC505"}
        upright = honest(length, (1, b, c), density)
        swapped = upright.inertia[[2, 1, 0]][:, [2, 1, 0]]
        assert codes(upright._replace(inertia=swapped)) == {"link": "IC504"}

    @settings(max_examples=12)
    @given(LENGTHS, st.floats(0.1, 0.4), DENSITIES)
    def test_about_the_links_origin(self, length, slender, density):
        at = (0, 0, length / 2)
        link = honest(length, (slender, slender, 1), density, at=at)
        planted = link.inertia + parallel_axis(link.mass, at)
        assert codes(link._replace(inertia=planted))["link"] in ("IC502", "IC505")

    @settings(max_examples=12)
    @given(LENGTHS, DENSITIES, st.floats(1e-3, 0.05))
    def test_another_form_that_no_reading_explains(self, length, density, thin):
        """A rod's shape with the tensor of a plate across two of its axes."""
        link = honest(length, (thin, thin, 1), density)
        other = box_moments(link.mass, length * np.array([0.75, 0.7, 0.1]))
        (finding,) = said(link._replace(inertia=other))
        assert finding.code == "IC505"
        assert "another form than its shapes" in finding.message

    def test_how_well_the_shapes_stand_decides_how_unlike_they_may_be(self):
        """The bug: one limit for shapes about the mass itself and for those about half of it."""
        link = honest(0.2, (1, 0.8, 0.6), 1000)
        shares = np.array([0.78, 0.2, 0.02])  # in place of 0.5, 0.32 and 0.18
        other = np.trace(link.inertia) / 2 * np.diag(1 - shares)
        (finding,) = said(link._replace(inertia=other))
        assert finding.code == "IC505"
        assert "another form than its shapes" in finding.message
        assert said(link._replace(inertia=other, com=(0.03, 0, 0))) == []

    def test_a_size_far_from_one_role_and_nearly_so_from_the_other(self):
        """The bug: a hull with the propellers, beside which eight times the inertia fits."""
        link = honest(0.2, (1, 0.8, 0.6), 1000)
        for way, hull in ((2, 1.5), (-2, 1 / 1.5)):
            around = box(hull * np.array([0.2, 0.16, 0.12]), role="collision")
            both = link._replace(shape=link.shape + around)
            assert said(both) == []
            assert codes(both._replace(inertia=2.7**way * link.inertia)) == {"link": "IC502"}
            assert said(both._replace(inertia=2.2**way * link.inertia)) == []

    def test_a_sign_beside_a_collision_box_that_cannot_tell(self):
        """The bug: the box, as far from either sign, that kept the mesh from speaking."""
        link = honest(0.2, (1, 0.25, 0.2), 1000, (0, -0.6, 0))
        upright = box((0.16, 0.12, 0.11), role="collision")
        both = link._replace(shape=link.shape + upright)
        assert said(both) == []
        negated = both._replace(inertia=link.inertia * (2 * np.eye(3) - 1))
        (finding,) = said(negated)
        assert finding.code == "IC505"
        assert "with its products negated" in finding.message

    def test_one_mistake_is_one_finding(self):
        """A shift to another point changes size and form together."""
        link = honest(0.2, (0.3, 0.3, 1), 1000, at=(0.1, 0, 0.3))
        planted = link._replace(inertia=link.inertia + parallel_axis(link.mass, link.com))
        assert len(said(planted)) == 1

    @pytest.mark.parametrize("scale", [1e-3, 1, 1e3])
    def test_formulas(self, scale):
        r, h = 0.3 * scale, scale
        m = 500.0 * scale**3
        across, along = m * (r**2 / 4 + h**2 / 12), m * r**2 / 2
        wrong = {
            "axes": (across, along, across),
            "1/12": (m * (r**2 + h**2) / 12, m * (r**2 + h**2) / 12, along),
            "rod": (m * h**2 / 12, m * h**2 / 12, 0.0),
        }
        for name, moments in wrong.items():
            found = said(Link(m, (0, 0, 0), np.diag(moments), cylinder(r, h)))
            assert [f.code for f in found] == ["IC504" if name == "axes" else "IC505"], name
        assert said(Link(m, (0, 0, 0), np.diag([across, across, along]), cylinder(r, h))) == []

    def test_identity_says_how_large_it_is(self):
        (finding,) = said(Link(1.0, (0, 0, 0), np.eye(3)))
        assert finding.code == "IC501"
        assert "a cube of 2.45 m" in finding.message
        assert finding.values["edge"] == pytest.approx(2.449, abs=1e-3)

    @settings(max_examples=15)
    @given(LENGTHS, RATIOS, SEEDS)
    def test_twins(self, length, ratios, seed):
        rng = np.random.default_rng(seed)
        edges = np.array(ratios) * length * [1, 1, 2]
        R = rotation((0.5, 0.4, 0.3))
        mass, com = float(900 * np.prod(edges)), rng.uniform(0.2, 0.4, 3) * edges
        inertia = R @ box_moments(mass, edges) @ R.T
        left = Link(mass, com, inertia, name="left_arm")
        right = Link(mass, com * [1, -1, 1], np.outer([1, -1, 1], [1, -1, 1]) * inertia)
        right = right._replace(name="right_arm")
        assert said(left, right) == []
        both = {"left_arm": "IC601", "right_arm": "IC601"}
        assert codes(left, right._replace(mass=1.5 * mass, inertia=1.5 * inertia)) == both
        by_digits = dict.fromkeys(both, "IC605")
        assert codes(left, right._replace(inertia=1.4 * right.inertia)) == by_digits

    def test_a_copy_among_reflections(self):
        def pair(name, signs, k):
            com, size = np.array([0.02, 0.03, 0.1]) * k, np.array([0.08, 0.06, 0.3]) * k
            inertia = box_moments(1.0, size)
            return (
                Link(1.0, com, inertia, name=f"left_{name}"),
                Link(1.0, com * signs, inertia, name=f"right_{name}"),
            )

        mirror = (1, -1, 1)
        links = [link for k, n in enumerate("abcd", 1) for link in pair(n, mirror, k / 2)]
        assert said(*links) == []
        odd = pair("odd", (1, 1, 1), 3)
        assert codes(*links, *odd) == {"left_odd": "IC601", "right_odd": "IC601"}
        copies = [link for k, n in enumerate("abcd", 1) for link in pair(n, (1, 1, 1), k / 2)]
        assert said(*copies, *odd) == []  # one arm, mounted twice

    def test_copied_blocks(self):
        one = honest(0.2, (1, 0.5, 0.5), 900, name="upper")
        other = honest(0.3, (1, 0.5, 0.5), 900, name="lower")
        assert said(one, other) == []
        copied = one._replace(name="lower", shape=other.shape)
        assert codes(one, copied) == {"lower": "IC602"}  # they are those of the upper one
        assert said(one, one._replace(name="lower")) == []  # the same part, twice

    def test_of_two_that_fit_the_nearer_one_owns_the_numbers(self):
        """The bug: discs with their own numbers were told beside a base whose centre is lower."""
        disc = honest(0.1, (1, 1, 0.5), 900, name="disc")
        base = disc._replace(name="base_disc", shape=box((0.1, 0.1, 0.05), (0, 0, 0.025)))
        assert codes(disc, disc._replace(name="other"), base) == {"base_disc": "IC602"}

    def test_of_two_that_fit_nowhere_the_one_of_their_size_owns_the_numbers(self):
        """The bug: an arm whose centre was left at its joint was told beside the copied block."""
        arm = honest(0.3, (0.2, 0.2, 1), 900, name="arm")
        arm = arm._replace(shape=box((0.06, 0.06, 0.3), (0, 0, 0.15)))
        wrist = arm._replace(name="wrist", shape=box((0.05, 0.05, 0.05), (0, 0, 0.025)))
        assert {f.body for f in said(arm, wrist) if f.code == "IC602"} == {"wrist"}

    def test_made_up_numbers_may_be_those_of_several_bodies(self):
        """The distances of joints tell parts apart only where the numbers are those of a part."""

        def arm(six, reach):
            links = [Link(5.0, (0, 0, 0), np.diag(six), name=name) for name in ("near", "far")]
            tips = [honest(0.1, (1, 1, 0.9), 900, name=f"tip_{at}") for at in reach]
            text = robot(*links, *tips)
            for at, name in zip(reach, ("near", "far"), strict=True):
                start = f'name="j_tip_{at}" type="revolute">'
                text = text.replace(
                    f'{start}<origin xyz="0.0 0.0 0.0"/><parent link="base"',
                    f'{start}<origin xyz="0 0 {at}"/><parent link="{name}"',
                )
            return codes(text=text)

        assert arm((0.2, 0.3, 0.4), (0.3, 3)) == {}
        assert arm((0.21, 0.32, 0.43), (0.3, 3)) == {"near": "IC602", "far": "IC602"}

    def test_copied_blocks_onto_shapes_of_nearly_the_same_size(self):
        """Only sizes were compared, so that a copy onto another form or pose went unseen."""
        one = honest(0.2, (1, 0.5, 0.5), 900, name="upper")
        others = {
            "form": box((0.15, 0.15, 0.1)),
            "volume": box((0.21, 0.12, 0.12)),
            "pose": box((0.2, 0.1, 0.1), rpy=(0, 1.5708, 0)),
            "place": box((0.2, 0.1, 0.1), at=(0.04, 0, 0)),
        }
        for what, shape in others.items():
            assert "IC602" in codes(one, one._replace(name="lower", shape=shape)).values(), what

    def test_one_part_mounted_in_several_ways_is_no_copy(self):
        link = honest(0.2, (1, 0.6, 0.3), 900, (0, 0, 0.4), at=(0.1, 0, 0), name="one")
        mirrored = link._replace(
            name="two",
            inertia=link.inertia * [[1, -1, 1], [-1, 1, 1], [1, 1, 1]],
            shape=box(0.2 * np.array([1, 0.6, 0.3]), (0.1, 0, 0), (0, 0, -0.4)),
        )
        plate = honest(0.2, (1, 0.6, 0.3), 900, at=(0.1, 0, 0), name="plate")
        twice = plate._replace(name="again", shape=box(0.2 * np.array([1, 0.6, 0.3]), (0.1, 0, 0)))
        turned = plate._replace(name="third", rpy=(0, 0, 1.5708), com=(0, 0.1, 0))
        turned = turned._replace(
            shape=box(0.2 * np.array([1, 0.6, 0.3]), (0, 0.1, 0), (0, 0, 1.5708))
        )
        assert said(link, mirrored) == []
        assert said(plate, twice, turned) == []

    def test_mesh_files_that_cannot_be_read_and_the_joints_beside_them(self):
        """Fingers of one family have a file each and the same joints; other parts have others."""

        def finger(name, mesh, place):
            shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
            tensor = np.array([[4e-5, 3e-6, 1e-6], [3e-6, 5e-5, 2e-6], [1e-6, 2e-6, 3e-5]])
            return Link(0.11, (0.01, 0.002, 0.02), tensor, shape, name=name, at=place)

        def codes_of(mesh, length):
            links = [finger("index", "index.stl", (0, 0, 0)), finger("ring", mesh, (0, 0.1, 0))]
            tips = [honest(0.02, (1, 1, 1), 900, name=f"tip{k}") for k in range(2)]
            text = robot(*links, *tips)
            for k, (parent, at) in enumerate((("index", 0.04), ("ring", length))):
                start = f'name="j_tip{k}" type="revolute">'
                text = text.replace(
                    f'{start}<origin xyz="0.0 0.0 0.0"/><parent link="base"',
                    f'{start}<origin xyz="0 0 {at}"/><parent link="{parent}"',
                )
            return codes(text=text)

        assert codes_of("ring.stl", 0.04) == {}
        assert codes_of("index.stl", 0.05) == {}
        assert codes_of("ring.stl", 0.05) == {"index": "IC602", "ring": "IC602"}

    @pytest.mark.parametrize(
        ("moments", "com", "found"),
        [
            ((4e-5, 5e-5, 3e-5), (0.001, 0.002, 0.02), {"tip": "IC602"}),  # not the link's own
            ((4e-5, 5e-5, 3e-5), (0, 0, 0), {}),  # formulas hold for all parts of one size
            ((4e-5, 4e-5, 3e-5), (0, 0, 0.02), {}),
        ],
    )
    def test_numbers_without_products_from_the_drawing_of_one_part(self, moments, com, found):
        def part(name, at):
            shape = f'<visual><geometry><mesh filename="{name}.stl"/></geometry></visual>'
            return Link(0.11, com, np.diag(moments), shape, name=name, at=at)

        links = [part("link", (0, 0, 0)), part("tip", (0, 0.1, 0))]
        end = honest(0.02, (1, 1, 1), 900, name="end")
        start = 'name="j_end" type="revolute">'
        text = robot(*links, end).replace(
            f'{start}<origin xyz="0.0 0.0 0.0"/><parent link="base"',
            f'{start}<origin xyz="0 0 0.04"/><parent link="link"',
        )
        assert codes(text=text) == found

    def test_a_small_stand_in_does_not_enclose_the_body(self):
        """A box in the neck is what there is to touch; the mesh of the head cannot be read."""
        lost = '<visual><geometry><mesh filename="head.stl"/></geometry></visual>'
        tensor = box_moments(0.17, (0.05, 0.06, 0.08))
        touched = box((0.04, 0.04, 0.04), (0, 0, -0.03), role="collision")
        head = Link(0.17, (0, 0, 0.05), tensor, touched)
        assert [(f.code, f.severity.name) for f in said(head)] == [("IC201", "WARNING")]
        (finding,) = said(head._replace(shape=touched + lost))
        assert (finding.code, finding.severity.name) == ("IC201", "NOTE")
        (finding,) = said(head._replace(shape=touched + lost, com=(0, 0, 0.3)))
        assert (finding.code, finding.severity.name) == ("IC201", "WARNING")

    def test_numbers_copied_without_their_rotation(self):
        """Blocks were compared in the bodies' axes, where a copy without its rpy differs."""
        one = honest(0.2, (1, 0.5, 0.3), 900, name="upper")
        other = honest(0.4, (1, 0.5, 0.3), 900, name="lower")
        assert "lower" in codes(
            one, one._replace(name="lower", rpy=(0.3, 0.5, 0), shape=other.shape)
        )

    def test_a_weak_doubt_hides_no_clear_one(self):
        """A note on the size stood in place of the warning on the copied block."""
        link = honest(0.2, (1, 0.8, 0.6), 1000)
        large = link._replace(inertia=2.2**2 * link.inertia, com=(0.03, 0, 0))
        assert [f.severity.name for f in said(large)] == ["NOTE"]
        twin = large._replace(name="other", shape=box((0.2, 0.05, 0.05)))
        found = [f for f in said(large, twin) if f.body == "link"]
        assert [(f.code, f.severity.name) for f in found] == [("IC602", "WARNING")]

    def test_one_tensor_on_several_masses(self):
        tensor = box_moments(2.0, (0.1, 0.1, 0.3))
        links = [Link(m, (0, 0, 0), tensor, name=f"b{m}") for m in (1.0, 2.0, 4.0)]
        # Of two, the equal digits of the tensors tell that one mass is not that of its tensor.
        assert set(codes(*links).values()) == {"IC603"}
        assert set(codes(*links[:2]).values()) == {"IC605"}
        equal = [Link(2.0, (0, 0, 0), tensor, name=f"w{k}") for k in range(3)]
        assert said(*equal) == []
        assert codes(*equal, links[2]) == {"b4.0": "IC603"}

    def test_a_shared_tensor_belongs_to_the_body_whose_shapes_fit(self):
        """The majority of masses accused the one body that the tensor was made for."""
        edges = (0.1, 0.1, 0.3)
        tensor = box_moments(2.0, edges)
        owner = Link(2.0, (0, 0, 0), tensor, box(edges), name="owner")
        others = [Link(4.0, (0, 0, 0), tensor, name=f"w{k}") for k in range(3)]
        assert set(codes(owner, *others)) == {"w0", "w1", "w2"}
        assert set(codes(*others, owner._replace(shape=""))) == {"owner"}

    def test_total_mass(self):
        link = honest(0.2, (1, 0.5, 0.5), 900)

        def found(expected):
            settings = Settings(expected_mass=(expected, 0.01))
            return list(ic.check_model(robot(link).encode(), settings).findings)

        assert found(link.mass * 1.005) == []
        (finding,) = found(link.mass * 1.02)
        assert (finding.code, finding.body) == ("IC604", None)
        assert "less than the expected" in finding.message


def test_one_doubt_an_evidence_and_none_about_what_is_an_error_already():
    """The first doubt on a body silenced every other one, whatever it was about."""
    link = honest(0.2, (1, 0.5, 0.5), 900, at=(0, 0, 0.1))
    large = link._replace(inertia=100 * link.inertia)
    both = large._replace(com=(0, 0, -1))
    assert [finding.code for finding in said(large)] == ["IC502"]
    assert [finding.code for finding in said(both)] == ["IC201", "IC502"]
    broken = both._replace(inertia=np.diag([1.0, 1.0, 9.0]))
    assert said(broken) == []
    findings = ic.check_model(robot(broken).encode()).findings
    assert {finding.code for finding in findings} == {"IC301"}


def test_the_place_is_that_of_the_numbers():
    link = honest(0.2, (1, 0.5, 0.5), 900, at=(0, 0, 0.1))
    text = robot(link._replace(com=(0, 0, -1)))
    (finding,) = said(text=text)
    assert text[finding.place.column - 1 : finding.place.end_column - 1] == "0.0 0.0 -1.0"


def test_a_turned_tensor_is_not_reported_again_beside_the_twin():
    """A turn that a misread formula made changed the size, too, and the pair was named besides."""
    edges = np.array([0.2, 0.1, 0.05])
    left = honest(1, edges, 1000, name="left_arm")
    right = honest(1, edges, 1000, name="right_arm")
    wrong = 1.2 * right.inertia[[2, 1, 0]][:, [2, 1, 0]]
    found = said(left, right._replace(inertia=wrong))
    assert [(f.code, f.body) for f in found] == [("IC504", "right_arm")]


class TestSpreadsInShapes:
    """IC502 by the variance that a body between two planes can have at most."""

    @settings(max_examples=30)
    @given(SEEDS, LENGTHS, RATIOS)
    def test_no_points_in_a_box_have_more(self, seed, length, ratios):
        rng = np.random.default_rng(seed)
        edges = np.array(ratios) * length
        count = int(rng.integers(4, 9))
        masses, points = rng.dirichlet([0.3] * count), edges * (rng.random((count, 3)) - 0.5)
        center = masses @ points
        spread = (masses * (points - center).T) @ (points - center)
        inertia = np.trace(spread) * np.eye(3) - spread
        findings = said(Link(1.0, center, inertia, box(edges)))
        assert not any(
            "variance_ratio" in each.values and each.code == "IC502" for each in findings
        )

    @settings(max_examples=20)
    @given(LENGTHS, DENSITIES, st.sampled_from([-1, 1]))
    def test_a_centre_at_the_end_of_a_box(self, length, density, side):
        link = honest(length, (1, 0.3, 0.2), density)
        moved = link._replace(inertia=2 * link.inertia, com=(0.49 * side * length, 0, 0))
        (finding,) = [each for each in said(moved) if each.code == "IC502"]
        # Twice 1/12 of the square of the length beside the distances of 0.01 and 0.99 lengths from
        # the ends, each longer by a tenth of the diagonal.
        slack = 0.1 * np.sqrt(1 + 0.3**2 + 0.2**2)
        expected = 2 / 12 / ((0.01 + slack) * (0.99 + slack))
        assert finding.values["variance_ratio"] == pytest.approx(expected)
