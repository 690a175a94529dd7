"""Sign and order: planted, and proposed only where they mend."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inertial_check.checking.evidence.readings import list_orders
from inertial_check.inertia.representations import ORDERS
from spoilt import bodies, causes_of, edited, margin, suspected

NEGATED = np.array([1, -1, -1, 1, -1, 1])

# Slender and askew: with the products negated no body has it.
ASKEW = (
    2.083078,
    (0.064, 0.0225, -0.0146),
    (0.003003, 0.002396, 0.001531, 0.008613, 0.000588, 0.009348),
)


class TestSignOfProducts:
    def test_alone_it_is_weak(self):
        found = causes_of(*ASKEW)["sign-of-products"]
        assert found.confidence < 0.6
        assert edited(ASKEW[2], found) == pytest.approx(ASKEW[2] * NEGATED)
        assert margin(edited(ASKEW[2], found)) > 0

    def test_strong_where_the_links_of_a_model_agree(self):
        mass, com, six = ASKEW
        alike = [(mass * k**3, com, np.array(six) * k**5) for k in (1, 1.1, 1.2, 1.4, 1.7)]
        together = [found[0] for found in suspected(*alike)]
        assert {each.cause for each in together} == {"sign-of-products"}
        assert min(each.confidence for each in together) > 0.75
        assert (
            "5 of the 5 bodies with a finding in this model point to the same cause"
            in together[0].evidence
        )
        assert together[0].confidence > causes_of(*ASKEW)["sign-of-products"].confidence + 0.2

    def test_links_with_another_cause_speak_against_it(self):
        slip = (1.0, (0, 0, 0), (0.012, 0, 0, 0.013, 0, 5.1))
        alone = suspected(ASKEW)[0]
        among = suspected(ASKEW, slip, slip, slip)[0]

        def share(found):
            return next(each.confidence for each in found if each.cause == "sign-of-products")

        assert share(among) < share(alone)

    @given(bodies())
    def test_only_where_it_mends(self, body):
        mass, com, six = body
        assume(np.all(six))
        wrong = six * NEGATED
        if margin(wrong) > -1e-6:
            assert "sign-of-products" not in causes_of(mass, com, wrong)
        else:
            assert np.array_equal(
                edited(wrong, causes_of(mass, com, wrong)["sign-of-products"]), six
            )


class TestComponentOrder:
    @given(bodies(), st.sampled_from([o for o in ORDERS if o != "urdf"]), st.booleans())
    def test_planted_at_any_scale(self, body, order, reverse):
        mass, com, six = body
        written, read = ("urdf", order) if reverse else (order, "urdf")
        entries = dict(zip(ORDERS["urdf"], six, strict=True))
        slots = dict(zip(ORDERS[read], (entries[e] for e in ORDERS[written]), strict=True))
        wrong = np.array([slots[e] for e in ORDERS["urdf"]])
        assume(margin(wrong) < -1e-3)
        found = causes_of(mass, com, wrong)
        assert "component-order" in list(found)[:3]
        assert margin(edited(wrong, found["component-order"])) >= 0

    def test_the_right_order_is_named(self):
        six = (0.0041, 0.0052, 0.0027, 0.00031, -0.00012, 0.00008)
        found = causes_of(1.2, (0, 0, 0), six)["component-order"]
        assert edited(six, found) == pytest.approx(
            [0.0041, 0.00031, -0.00012, 0.0052, 0.00008, 0.0027]
        )
        assert "with xx yy zz xy xz yz written where xx xy xz yy yz zz belong" in found.evidence

    def test_a_diagonal_in_the_wrong_slots(self):
        six = (0.0041, 0.0052, 0.0027, 0, 0, 0)
        found = causes_of(1.2, (0, 0, 0), six)
        assert next(iter(found)) == "component-order"
        assert found["component-order"].confidence > 0.8
        assert "all its products are then 0" in found["component-order"].evidence

    @given(bodies())
    def test_row_by_row(self, body):
        mass, com, (xx, xy, xz, yy, yz, _) = body
        wrong = np.array([xx, xy, xz, xy, yy, yz])
        assume(margin(wrong) < -1e-3)
        found = causes_of(mass, com, wrong)
        assert next(iter(found)) == "component-order"
        first = found["component-order"]
        assert first.edit is None  # izz is lost
        assert f"both {xy:.10g}" in first.evidence

    @given(bodies())
    def test_not_of_a_body(self, body):
        assert "component-order" not in causes_of(*body)

    def test_rereading_is_the_inverse_of_writing(self):
        six = dict(zip(ORDERS["urdf"], range(6), strict=True))
        found = {tuple(slots) for slots, _, _ in list_orders()}
        assert tuple(range(6)) not in found
        for written, read in permutations(ORDERS, 2):
            slots = dict(zip(ORDERS[read], (six[e] for e in ORDERS[written]), strict=True))
            wrong = [slots[e] for e in ORDERS["urdf"]]
            assert any([wrong[i] for i in each] == list(range(6)) for each in found)
        assert sum(share for _, _, share in list_orders()) == pytest.approx(1)
