"""Friction and the like: names, signals, bounds, and what is refused."""

import numpy as np
import pytest

from inertial_check.errors import ParameterError
from inertial_check.identification.fit.nuisance import (
    Coulomb,
    Coupling,
    Nuisance,
    Offset,
    RotorInertia,
    Viscous,
)

RNG = np.random.default_rng(0)
U, DU = RNG.normal(size=(9, 3)), RNG.normal(size=(9, 3))


def test_each_number_has_its_name_and_its_signal():
    nuisance = Nuisance.of(
        Viscous(), Coulomb(joints=[2]), Offset(), RotorInertia(joints=[0, 1]), joints=3
    )
    assert nuisance.names == ("fv1", "fv2", "fv3", "fc3", "off1", "off2", "off3", "Ia1", "Ia2")
    F = nuisance.columns(U, DU)
    f = RNG.normal(size=9)
    expected = U * f[:3] + f[4:7]
    expected[:, 2] += np.sign(U[:, 2]) * f[3]
    expected[:, :2] += DU[:, :2] * f[7:]
    np.testing.assert_allclose(F @ f, expected, rtol=1e-14)


def test_couplings_put_one_number_in_two_rows():
    kinds = ("inertia", "viscous", "coulomb")
    nuisance = Nuisance.of(*(Coupling(joints=(1, 2), kind=kind) for kind in kinds), joints=3)
    assert nuisance.names == ("Iam3", "fvm3", "fsm3")
    F = nuisance.columns(U, DU)
    assert not F[:, 0].any()
    both = np.sign(U[:, 1] + U[:, 2])
    np.testing.assert_array_equal(F[:, 1], np.stack([DU[:, 2], U[:, 2], both], axis=1))
    np.testing.assert_array_equal(F[:, 2], np.stack([DU[:, 1], U[:, 1], both], axis=1))


def test_friction_and_rotors_are_not_negative_and_offsets_are_free():
    nuisance = Nuisance.of(Viscous(scale=20.0), Offset(), joints=1)
    assert nuisance.lower.tolist() == [0, -np.inf]
    assert nuisance.upper.tolist() == [np.inf, np.inf]
    assert nuisance.scale.tolist() == [20, np.inf]


def test_a_joint_at_rest_has_no_coulomb_friction():
    """What a filter leaves of a standing joint has the sign of its rounding."""
    nuisance = Nuisance.of(Coulomb(), joints=2)
    u = np.array([[1e-13, -0.5], [-1e-13, 0.5], [0.1, 1e-9]])
    found = nuisance.columns(u, u, np.array([1e-7, 5e-7]))[:, [0, 1], [0, 1]]
    assert found.tolist() == [[0, -1], [0, 1], [1, 0]]


def test_given_columns_have_names_of_their_own():
    nuisance = Nuisance.from_columns(np.ones((9, 3, 2)), lower=[0, -1])
    assert nuisance.names == ("f1", "f2")
    assert nuisance.ready.shape == (9, 3, 2)
    assert Nuisance.from_columns(np.ones((9, 2)), ["a", "b"]).ready.shape == (9, 1, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Nuisance.of(Viscous(joints=[3]), joints=3), "Viscous of joint 3: .* 0 to 2"),
        (lambda: Nuisance.of(Viscous(), Viscous(), joints=1), "fv1 is declared more than once"),
        (
            lambda: Nuisance.of(Viscous(prior=-1, scale=2), joints=1),
            "fv1: bounds 0 to inf, prior -1",
        ),
        (lambda: Nuisance.of(Viscous(scale=0), joints=1), "scale 0; expected"),
        (lambda: Coupling(joints=(1, 1)), "a coupling of joints"),
        (lambda: Coupling(joints=(0, 1), kind="drag"), "a coupling of kind 'drag'"),
        (lambda: Nuisance.from_columns(np.ones(4)), r"shape \(4,\)"),
        (lambda: Nuisance.from_columns(np.ones((4, 2)), ["a"]), "1 names for 2"),
    ],
)
def test_what_is_no_nuisance_is_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
