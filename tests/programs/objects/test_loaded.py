"""Numbers of a library as the plain data of a model."""

import sys
from decimal import Decimal
from math import inf, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import InertialCheckError
from inertial_check.inertia.intervals import half_units
from inertial_check.programs.objects import drake, mujoco, pinocchio
from inertial_check.programs.objects.loaded import Loaded, model_of, repair_model

FLOATS = st.floats(allow_subnormal=False, min_value=-1e9, max_value=1e9)
TENSORS = st.tuples(*[FLOATS] * 6)


def loaded(six, **changes):
    return Loaded("body", "bodies[1]", 1.0, (0.0, 0.0, 0.0), six)._replace(**changes)


def model(*bodies):
    return model_of("test.Model", "urdf", "tester", bodies)


class Library:
    """Holds one tensor; `keeps` is what it makes of a number that is written."""

    def __init__(self, six, keeps=float):
        self.six, self.keeps = six, keeps

    def read(self):
        return model(loaded(self.six))

    def write(self, _, six):
        old, self.six = self.six, tuple(map(self.keeps, six))

        def take_back():
            self.six = old

        return take_back


@given(six=TENSORS)
def test_numbers_keep_their_bits_and_leave_less_open_than_their_own_rounding(six):
    (body,) = model(loaded(six)).bodies
    numbers = list(body.inertial.I_BBcm_Bi.values())
    texts = [number.text for number in numbers]
    assert [float(text) for text in texts] == list(six) == [number.value for number in numbers]
    for value, radius in zip(six, half_units(texts), strict=True):
        assert (
            radius <= 8 * np.finfo(float).eps * abs(value)
            or value == 0 == radius
            or (value == 0 and radius <= max(half_units(texts)))
        )


@given(size=st.floats(1e-12, 1e12), share=st.floats(1e-15, 1e-3), six=TENSORS)
def test_an_error_is_left_open_by_every_entry(size, share, six):
    six = tuple(size * value / 1e9 for value in six)
    (body,) = model(loaded(six, error=size * share)).bodies
    texts = [number.text for number in body.inertial.I_BBcm_Bi.values()]
    assume(any(map(float, texts)))  # an error is a share of the largest moment
    for value, text, radius in zip(six, texts, half_units(texts), strict=True):
        # Exact decimals: near 1e12, rounding a difference of floats is 1 % of the radius.
        assert abs(Decimal(text) - Decimal(value)) <= Decimal(radius * (1 + 1e-12))
        assert radius >= size * share * (1 - 1e-12)


@given(six=TENSORS)
def test_every_number_stands_where_its_place_says(six):
    built = model(loaded(six), loaded(six, name="second\nline", id="bodies[2]"))
    for line, body in enumerate(built.bodies, 1):
        assert built.place(body.span).line == line
        for number in (body.inertial.mass, *body.inertial.I_BBcm_Bi.values()):
            assert float(built.source.text(number.span)) == number.value
            assert built.place(number.span).line == line


def test_short_decimals_are_no_excuse():
    """In a file, 0.1 0.1 0.25 may be rounded; in memory they are what is computed with."""
    six = (0.1, 0.0, 0.0, 0.1, 0.0, 0.25)
    (body,) = ic.check_model(model(loaded(six))).bodies
    assert body.judgement.verdict == "inconsistent"


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_what_is_not_finite_is_found_and_left(value):
    library = Library((1.0, 0.0, 0.0, 1.0, 0.0, value))
    assert "IC104" in {finding.code for finding in ic.check_model(library.read()).findings}
    (fix,) = repair_model(library.read, library.write, {})
    assert fix.status == "non-finite"
    assert str(library.six[5]) == str(value)


def test_what_a_library_rounds_away_again_is_taken_back():
    library = Library((1.0, 0.0, 0.0, 2.0, 0.0, 3.1), keeps=lambda value: round(value, 1) * 1.0)
    library.keeps = lambda value: float(np.floor(value)) if value < 3 else value
    (fix,) = repair_model(library.read, library.write, {})
    assert fix.status == "not-representable"
    assert fix.new is None
    assert library.six == (1.0, 0.0, 0.0, 2.0, 0.0, 3.1)


def test_principal_moments_are_written_without_products():
    library = Library((1.0, 0.0, 0.0, 2.0, 0.0, 3.1))

    def read():
        return model(loaded(library.six, diagonal=True))

    (fix,) = repair_model(read, library.write, {})
    assert fix.status == "fixed"
    assert (library.six[1], library.six[2], library.six[4]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("adapter", "library", "extra"),
    [
        (pinocchio, "pinocchio", "pinocchio"),
        (mujoco, "mujoco", "mujoco"),
        (drake, "pydrake.multibody.plant", "drake"),
    ],
)
def test_without_its_library_an_adapter_says_what_to_install(adapter, library, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InertialCheckError, match=rf"pip install 'inertial-check\[{extra}\]'"):
        adapter.check(object())
