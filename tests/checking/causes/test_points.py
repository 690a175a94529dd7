"""The parallel axis term: subtracted twice, forgotten, of the wrong sign."""

import numpy as np
import pytest
from hypothesis import assume, given

from spoilt import bodies, causes_of, edited, margin, robot, subjects, term
from suspects import hypotheses

NEGATED = np.array([1, -1, -1, 1, -1, 1])
ABB = (120.0, (0.18, 0.0, 0.5), (-4.98, 0, 2.7, -5.952, 0, 0.828))


class TestDoubleParallelAxis:
    @given(bodies(offset=1.2))
    def test_planted_at_any_scale(self, body):
        mass, com, six = body
        wrong = six - term(mass, com)
        assume(margin(wrong) < -0.05)
        found = causes_of(mass, com, wrong)
        assert "double-parallel-axis" in list(found)[:3]
        assert edited(wrong, found["double-parallel-axis"]) == pytest.approx(
            six, abs=1e-6 * np.max(np.abs(six))
        )

    def test_the_evidence_has_the_cosine_and_the_offset(self):
        found = causes_of(*ABB)
        assert next(iter(found)) == "double-parallel-axis"
        evidence = found["double-parallel-axis"].evidence
        assert "c = (0.18, 0, 0.5) m" in evidence
        assert "cosine 0.9996" in evidence
        assert edited(ABB[2], found["double-parallel-axis"]) == pytest.approx(
            [25.02, 0, -8.1, 27.936, 0, 4.716]
        )

    def test_not_where_the_centre_of_mass_is_the_origin(self):
        mass, _, six = ABB
        assert "double-parallel-axis" not in causes_of(mass, (0, 0, 0), six)

    def test_parallel_counts(self):
        """A term that mends but lies across the missing mass says little."""
        mass, com, six = ABB
        along = causes_of(mass, com, six)["double-parallel-axis"].confidence
        across = causes_of(0.9, (0.5, 0.5, 0.5), (0.1, 0, 0, 0.1, 0, 0.21))
        found = across.get("double-parallel-axis")
        assert found is None or found.confidence < along

    def test_in_the_axes_of_the_inertial(self):
        """The numbers of a rotated inertial are mended in its own axes."""
        mass, _, six = ABB
        text = robot((mass, (-0.5, 0, 0.18), six)).replace(
            '<origin xyz="-0.5 0 0.18"/>',
            '<origin xyz="-0.5 0 0.18" rpy="0 -1.5707963267948966 0"/>',
        )
        (subject,) = subjects(text)
        assert subject.p_BoBcm_Bi == pytest.approx([0.18, 0, 0.5])
        ((first, *_),) = hypotheses([subject])
        assert first.cause == "double-parallel-axis"
        assert edited(six, first) == pytest.approx([25.02, 0, -8.1, 27.936, 0, 4.716], abs=1e-9)


class TestOriginTensorReadAsCom:
    @given(bodies(offset=1.2))
    def test_planted_with_the_other_sign(self, body):
        mass, com, six = body
        wrong = (six + term(mass, com)) * NEGATED
        assume(margin(wrong) < -0.02)
        found = causes_of(mass, com, wrong)
        assert "origin-tensor-read-as-com" in found
        assert edited(wrong, found["origin-tensor-read-as-com"]) == pytest.approx(
            six, abs=1e-6 * np.max(np.abs(six))
        )

    @given(bodies(offset=1.2))
    def test_about_the_origin_alone_it_is_a_body_and_nothing_is_said(self, body):
        mass, com, six = body
        assert "origin-tensor-read-as-com" not in causes_of(mass, com, six + term(mass, com))


class TestComTensorReadAsOrigin:
    @given(bodies(offset=1.2))
    def test_planted_with_the_other_sign(self, body):
        mass, com, six = body
        wrong = six - term(mass, com) * NEGATED
        assume(margin(wrong) < -0.02)
        found = causes_of(mass, com, wrong)
        assume(margin(wrong + term(mass, com)) < -1e-6)
        mended = edited(wrong, found["com-tensor-read-as-origin"])
        assert margin(mended) >= 0
        assert "com-tensor-read-as-origin" in found

    def test_not_where_the_plain_term_mends_it(self):
        assert "com-tensor-read-as-origin" not in causes_of(*ABB)
