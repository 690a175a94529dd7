"""No story that its own evidence refutes: every edit is applied and judged before it is told."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking import limits
from inertial_check.checking.causes.base import PROBABLE
from mirrored import robot_of, text_of
from suspects import box, box_moments, cylinder

NORMAL, OFFSET = np.array([0.6, 0.8, 0.0]), 0.2


def six(tensor):
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = np.asarray(tensor)[np.triu_indices(3)]
    return " ".join(f'{n}="{v:.9g}"' for n, v in zip(names, values, strict=True))


def link(name, mass, com, tensor, shape=""):
    return (
        f'<link name="{name}"><inertial><origin xyz="{" ".join(map(str, com))}"/>'
        f'<mass value="{mass}"/><inertia {six(tensor)}/></inertial>{shape}</link>'
    )


def joint(parent, child, xyz):
    return (
        f'<joint name="{parent}_{child}" type="revolute"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="{" ".join(map(str, xyz))}"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="9" velocity="2"/></joint>'
    )


def check(tmp_path, *parts):
    path = tmp_path / "model.urdf"
    path.write_text(f'<robot name="r">{"".join(parts)}</robot>')
    return ic.check_model(path).findings


def bar(name, mass, edges, at, com):
    return link(name, mass, com, box_moments(mass, edges), box(edges, at))


BASE = bar("base", 4, (0.1, 0.1, 0.1), (0, 0, 0.05), (0, 0, 0.05))


class TestCentersInOtherFrames:
    def test_those_of_a_whole_model_in_the_frame_of_the_base_are_one_mistake(self, tmp_path):
        """Told was 1.1 -> 0.0011, "read in millimetres (97 %)", for each link alone."""
        found = check(
            tmp_path,
            BASE,
            bar("l1", 3, (0.08, 0.08, 0.5), (0, 0, 0.25), (0, 0, 0.35)),
            bar("l2", 2, (0.06, 0.06, 0.4), (0, 0, 0.2), (0, 0, 0.8)),
            bar("l3", 1, (0.05, 0.05, 0.2), (0, 0, 0.1), (0, 0, 1.1)),
            joint("base", "l1", (0, 0, 0.1)),
            joint("l1", "l2", (0, 0, 0.5)),
            joint("l2", "l3", (0, 0, 0.4)),
        )
        assert [each.code for each in found] == ["IC507"]
        assert found[0].bodies == ("l1", "l2", "l3")
        first = found[0].causes[0]
        assert first.cause == "com-outside"
        edits = {name: each["entries"] for name, each in first.edit["bodies"].items()}
        assert {name: each["z"] for name, each in edits.items()} == pytest.approx(
            {"l1": 0.25, "l2": 0.2, "l3": 0.1}
        )

    @pytest.mark.parametrize("turn", [0.0, 0.9599])
    def test_that_of_one_link_in_the_frame_of_its_parent(self, tmp_path, turn):
        found = check(
            tmp_path,
            BASE,
            bar("palm", 0.5, (0.08, 0.06, 0.04), (0, 0, 0.02), (0, 0, 0.02)),
            bar("finger", 0.1, (0.02, 0.02, 0.08), (0, 0, 0.04), (0.05, 0, 0.09)),
            joint("base", "palm", (0, 0, 0.3)),
            joint("palm", "finger", (0.05, 0, 0.05)),
        )
        (finding,) = (each for each in found if each.body == "finger")
        first = finding.causes[0]
        assert first.cause == "com-outside"
        assert first.edit["entries"] == pytest.approx({"x": 0.0, "z": 0.04}, rel=1e-9)
        assert "in millimetres" not in first.evidence

    def test_no_unit_is_told_of_a_place_within_the_model(self, tmp_path):
        """The centre of a link lies 0.3 m beside it, as long as the model is, in no known frame."""
        found = check(
            tmp_path,
            BASE,
            bar("hand", 1, (0.05, 0.05, 0.1), (0, 0, 0.05), (0.02, 0.3, 0.01)),
            joint("base", "hand", (0, 0, 0.4)),
        )
        (finding,) = (each for each in found if each.code == "IC201")
        assert not any("read in" in each.evidence for each in finding.causes)


class TestResults:
    def test_none_that_no_material_has_is_probable(self, tmp_path):
        """A box of a tenth of a millimetre stood for 1.2 kg: "units (85 %)" at 1e12 kg/m^3."""
        found = check(
            tmp_path,
            BASE,
            link("l", 1.2, (0, 0, 0), np.diag([41.0, 40.0, 10.0]), box((1e-4, 1e-4, 1e-4))),
            joint("base", "l", (0, 0, 0.1)),
        )
        for each in (cause for finding in found for cause in finding.causes):
            entries = (each.edit or {}).get("entries", {})
            moments = [entries.get(name) for name in ("ixx", "iyy", "izz")]
            if all(moments):
                C = (sum(moments) / 2 - np.array(moments)) / 1.2
                density = 1.2 / np.prod(np.sqrt(12 * C))
                assert density < limits.OSMIUM or (each.veto and each.confidence < PROBABLE)

    def test_a_veto_says_what_speaks_against_the_edit(self, tmp_path):
        """Times 1000 its tensor would suit no model of this size."""
        six_equal = np.full((3, 3), 0.5)
        found = check(
            tmp_path,
            BASE,
            link("l", 0.1, (0, 0, 0.01), six_equal, box((0.02, 0.02, 0.02))),
            joint("base", "l", (0, 0, 0.1)),
        )
        first = next(each for each in found if each.code == "IC301").causes[0]
        assert first.cause == "same-number-everywhere"
        assert first.confidence > PROBABLE  # the digits prove the cause, whatever was meant
        assert "m long" in first.veto or "times as large" in first.veto
        assert first.veto in first.evidence

    def test_a_witness_is_named_only_where_it_agrees(self, tmp_path):
        sides = robot_of(np.random.default_rng(4), 4, 0.3, NORMAL, OFFSET)
        sides[3] = sides[3]._replace(com=sides[3].com * [1, -1, 1] + [0, 0.5, 0])
        path = tmp_path / "model.urdf"
        path.write_text(text_of(*sides))
        for finding in ic.check_model(path).findings:
            for each in finding.causes:
                assert "fits the body's shapes" not in each.evidence  # it has none


def plant_on_a_leg(shaped):
    """Legs of which the right shin lost a product of d^2 once too often."""
    sides = robot_of(np.random.default_rng(11), 4, 0.3, NORMAL, OFFSET)
    if shaped:
        shapes = [box_of(side) for side in sides]
        sides = [side._replace(shape=each) for side, each in zip(sides, shapes, strict=True)]
    c = sides[3].com
    term = sides[3].mass * (c @ c * np.eye(3) - np.outer(c, c))
    sides[3] = sides[3]._replace(inertia=sides[3].inertia + term)
    return sides


def box_of(side):
    """A box that has the inertia of a body, as a shape in its axes."""
    moments, R = np.linalg.eigh(side.inertia)
    R = R * np.sign(np.linalg.det(R))
    edges = np.sqrt(6 / side.mass * (moments.sum() - 2 * moments))
    pitch = -np.arcsin(R[2, 0])
    rpy = np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])
    return box(edges, side.com, rpy)


class TestGuilt:
    def test_both_sides_are_named_and_neither_is_edited_where_nothing_tells(self, tmp_path):
        """What explains one side has an inverse that explains the other as well."""
        path = tmp_path / "legs.urdf"
        path.write_text(text_of(*plant_on_a_leg(shaped=False)))
        found = [each for each in ic.check_model(path).findings if each.code == "IC601"]
        assert {each.body for each in found} == {"left_1", "right_1"}
        for finding in found:
            assert sum(each.confidence for each in finding.causes) < PROBABLE
            assert all(each.veto for each in finding.causes)

    def test_the_shapes_of_both_sides_tell_the_wrong_one(self, tmp_path):
        path = tmp_path / "legs.urdf"
        path.write_text(text_of(*plant_on_a_leg(shaped=True)))
        found = ic.check_model(path).findings
        assert {each.body for each in found} == {"right_1"}
        assert all(each.causes[0].cause == "about-link-origin" for each in found)


class TestOneEntry:
    def test_a_wrong_moment_beside_two_equal_ones(self, tmp_path):
        """Two right numbers were to be changed, and the wrong one was to stay."""
        wrong = np.diag([0.00022663, 0.00022663, 0.000475])
        found = check(tmp_path, BASE, link("w", 0.42, (0, 0, 0.008), wrong))
        first = next(each for each in found if each.code == "IC301").causes[0]
        assert first.cause == "wrong-entry"
        assert first.evidence.startswith("izz = 0.000475 alone")
        assert "0.00045326" in first.evidence
        assert first.edit is None

    def test_a_narrow_interval_gives_the_number(self, tmp_path):
        """The moment has the value of a product, and the others leave 5 % to it."""
        wrong = np.array(
            [
                [0.000476, 2.9e-05, 0.001403],
                [2.9e-05, 0.009564, 1.5e-05],
                [0.001403, 1.5e-05, -9e-6],
            ]
        )
        found = check(tmp_path, BASE, link("elbow", 0.550582, (0.108, 0, -0.018), wrong))
        first = next(each for each in found if each.code == "IC302").causes[0]
        assert first.cause == "wrong-entry"
        assert first.edit["entries"]["izz"] == pytest.approx(0.009437, rel=0.02)


class TestCopies:
    def test_equal_numbers_are_told_as_probable_of_at_most_one_of_two(self, tmp_path):
        tensor = box_moments(0.5, (0.03, 0.03, 0.2))
        one, other = box((0.03, 0.03, 0.4), (0, 0, 0.2)), box((0.03, 0.03, 0.09), (0, 0, 0.045))
        found = check(
            tmp_path,
            BASE,
            link("one", 0.5, (0, 0, 0.1), tensor, one),
            link("other", 0.5, (0, 0, 0.1), tensor, other),
            joint("base", "one", (0, 0, 0.1)),
            joint("one", "other", (0, 0, 0.2)),
        )
        told = [
            cause.confidence
            for each in found
            if each.code == "IC602"
            for cause in each.causes
            if cause.cause == "copied-block"
        ]
        assert len(told) == 2
        assert max(told) < PROBABLE


class TestFormulas:
    def test_a_formula_without_its_half_is_no_parallel_axis_of_the_whole_model(self, tmp_path):
        """Told was one mistake of all wheels, double-parallel-axis (83 %), as m c^2 mends them."""
        parts, sizes = [BASE], ((0.1, 0.02), (0.08, 0.03), (0.12, 0.02), (0.09, 0.025))
        for number, (r, h) in enumerate(sizes):
            m, name = 1.37 + number, f"wheel_{number}"
            tensor = m * np.diag([r * r / 4 + h * h / 12, r * r / 4 + h * h / 12, r * r])
            parts.append(link(name, m, (0, 0, 0.3), tensor, cylinder(r, h, at=(0, 0, 0.3))))
            parts.append(joint("base", name, (0.3 * number, 0, 0)))
        found = check(tmp_path, *parts)
        assert {each.causes[0].cause for each in found} == {"wrong-formula"}
        assert {each.body for each in found} == {f"wheel_{number}" for number in range(4)}
