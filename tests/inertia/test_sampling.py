"""Random bodies are what they say: judged by LAPACK, not by the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.inertia.sampling import KINDS, STRATA, consistent, inconsistent, rotations

EPS = np.finfo(float).eps
COUNT = 400


def spreads_of(body: InertialParameters) -> Any:
    """Eigenvalues of S_c over sum |s_i|, ascending, and that sum, by LAPACK."""
    tensor = np.asarray(body.inertia_com)
    moment = np.trace(tensor, axis1=-2, axis2=-1)[..., None, None] / 2 * np.eye(3) - tensor
    s = np.linalg.eigvalsh(moment)
    size = np.abs(s).sum(axis=-1)
    return s / np.where(size > 0, size, 1)[..., None], size


@pytest.mark.parametrize(
    ("stratum", "zeros"),
    [
        ("solid", 0),
        ("sphere", 0),
        ("round", 0),
        ("thin", 0),
        ("needle", 0),
        ("plate", 1),
        ("rod", 2),
        ("point", 3),
    ],
)
def test_every_stratum_is_as_singular_as_it_should_be(stratum: str, zeros: int) -> None:
    s, _ = spreads_of(consistent(1, COUNT, strata=[stratum]))
    assert s.shape == (COUNT, 3)
    assert (np.abs(s[:, :zeros]) <= 16 * EPS).all()
    assert (s[:, zeros:] > 64 * EPS).all()


def test_the_strata_above_are_all_there_are() -> None:
    assert set(STRATA) == {*("solid", "sphere", "round", "thin", "needle", "plate", "rod", "point")}
    assert set(KINDS) == {"triangle", "negative-moment", "two-facets", "three-facets"}


def test_round_strata_have_equal_spreads_and_thin_ones_small_ones() -> None:
    s, _ = spreads_of(consistent(1, COUNT, strata=["sphere"]))
    np.testing.assert_allclose(s, 1 / 3, rtol=64 * EPS)
    s, _ = spreads_of(consistent(1, COUNT, strata=["round"]))
    assert (np.minimum(s[:, 1] - s[:, 0], s[:, 2] - s[:, 1]) <= 64 * EPS).all()
    s, _ = spreads_of(consistent(1, COUNT, strata=["thin"]))
    assert s[:, 0].max() < 1e-2
    assert s[:, 0].min() < 1e-10
    s, _ = spreads_of(consistent(1, COUNT, strata=["needle"]))
    assert s[:, 1].max() < 2e-2


def test_all_strata_are_drawn_by_default_and_scales_fill_their_ranges() -> None:
    body = consistent(2, 4000, mass=(1e-6, 1e6), length=(1e-4, 1e2), offset=(1e-3, 1e3))
    s, size = spreads_of(body)
    for zeros in range(4):
        share = ((np.abs(s) <= 16 * EPS).sum(axis=-1) == zeros).mean()
        assert share > 0.1
    k = np.sqrt(size / body.mass)[size > 0]
    ratio = np.linalg.norm(body.com, axis=-1)[size > 0] / k
    for values, (low, high) in ((body.mass, (1e-6, 1e6)), (k, (1e-4, 1e2)), (ratio, (1e-3, 1e3))):
        assert values.min() >= low * (1 - 1e-9)
        assert values.max() <= high * (1 + 1e-9)
        assert np.ptp(np.log(values)) > 0.9 * np.log(high / low)


@pytest.mark.parametrize(
    ("kind", "negative", "psd"),
    [
        ("triangle", 1, True),
        ("negative-moment", 1, False),
        ("two-facets", 2, False),
        ("three-facets", 3, False),
    ],
)
def test_every_kind_breaks_what_it_says_by_what_was_asked(
    kind: str, negative: int, psd: bool
) -> None:
    asked = (1 / 3, 0.9) if kind == "three-facets" else (1e-9, 0.3)
    body = inconsistent(3, COUNT, kinds=[kind], violation=asked)
    s, _ = spreads_of(body)
    assert ((s < 0).sum(axis=-1) == negative).all()
    violation = -s[:, 0]
    assert (violation >= asked[0] * (1 - 1e-5)).all()
    assert (violation <= asked[1] * (1 + 1e-5)).all()
    lowest = np.linalg.eigvalsh(body.inertia_com)[:, 0]
    assert ((lowest >= 0) == psd).all()
    assert (body.mass > 0).all()


def test_a_violation_can_be_set_exactly() -> None:
    for kind, violation in (("triangle", 1e-4), ("two-facets", 0.25), ("three-facets", 0.5)):
        s, _ = spreads_of(inconsistent(4, 50, kinds=[kind], violation=(violation, violation)))
        np.testing.assert_allclose(s[:, 0], -violation, rtol=0, atol=64 * EPS)


def test_kinds_that_cannot_have_the_violation_are_left_out_unless_named() -> None:
    s, _ = spreads_of(inconsistent(5, COUNT, violation=(1e-6, 1e-3)))
    assert ((s < 0).sum(axis=-1) < 3).all()
    with pytest.raises(ParameterError, match=r"'three-facets' has violations from 0\.333 to 1"):
        inconsistent(5, kinds=["three-facets"], violation=(1e-6, 1e-3))


def test_a_seed_repeats_and_a_generator_goes_on() -> None:
    first, again = consistent(7, 5).as_theta(), consistent(7, 5).as_theta()
    assert first.tolist() == again.tolist()
    rng = np.random.default_rng(7)
    assert consistent(rng, 5).as_theta().tolist() == first.tolist()
    assert consistent(rng, 5).as_theta().tolist() != first.tolist()


@pytest.mark.parametrize("shape", [(), 4, (2, 3), (0,)])
def test_shapes(shape: Any) -> None:
    expected = (shape,) if isinstance(shape, int) else shape
    for body in (consistent(0, shape), inconsistent(0, shape)):
        assert body.shape == expected
        assert body.about == "com"
    assert rotations(0, shape).shape == (*expected, 3, 3)


def test_rotations_are_uniform() -> None:
    R = rotations(8, 20000)
    np.testing.assert_allclose(
        R @ np.swapaxes(R, -1, -2), np.tile(np.eye(3), (20000, 1, 1)), atol=1e-14
    )
    np.testing.assert_allclose(np.linalg.det(R), 1, rtol=1e-14)
    # Haar: entries of mean 0 and mean square 1/3, an angle t of density (1 - cos t) / pi.
    assert np.abs(R.mean(axis=0)).max() < 5 / np.sqrt(3 * 20000)
    np.testing.assert_allclose((R**2).mean(axis=0), 1 / 3, atol=0.02)
    angle = np.arccos(np.clip((np.trace(R, axis1=-2, axis2=-1) - 1) / 2, -1, 1))
    assert angle.mean() == pytest.approx(np.pi / 2 + 2 / np.pi, rel=0.01)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: consistent(0, strata=["cube"]), "unknown stratum 'cube', expected some of solid,"),
        (lambda: consistent(0, strata=[]), "no stratum to draw from"),
        (lambda: inconsistent(0, kinds=["cube"]), "unknown kind 'cube'"),
        (lambda: consistent(0, mass=(0.0, 1.0)), r"mass is \(0.0, 1.0\), expected .* 0 < low"),
        (lambda: consistent(0, length=(2.0, 1.0)), "length is"),
        (lambda: consistent(0, offset=(1.0, float("inf"))), "offset is"),
        (lambda: inconsistent(0, violation=(0.0, 0.1)), "violation is"),
        (lambda: inconsistent(0, violation=(2.0, 3.0)), "no kind to draw from"),
    ],
)
def test_refusals(call: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
