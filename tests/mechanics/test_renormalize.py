"""Rounded rotations, made exact on request, and looked over once in each call."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames
from inertial_check.inertia.sampling import rotations
from inertial_check.mechanics.vectors import Plx, Plxb, plx, plxb

EXACT = rotations(3)
ROUNDED = EXACT.round(6)
POSE = frames.homogeneous(ROUNDED, [1.0, 2, 3])
BODY = ic.InertialParameters.from_com(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 2, 2.5]))
BATCH = ic.InertialParameters.from_theta(np.tile(BODY.as_theta(), (4, 1)))

CALLS: dict[str, Callable[[bool], object]] = {
    "rotate": lambda exact: BODY.rotate(ROUNDED, renormalize=exact),
    "transform": lambda exact: BODY.transform(POSE, renormalize=exact),
    "transform a batch": lambda exact: BATCH.transform(POSE, renormalize=exact),
    "merge": lambda exact: BODY.merge(BODY, POSE, renormalize=exact),
    "merge a list": lambda exact: BATCH.merge([BODY], [POSE], renormalize=exact),
    "frames.merge": lambda exact: frames.merge(
        BODY.as_theta(), BODY.as_theta(), POSE, renormalize=exact
    ),
    "plx": lambda exact: plx(ROUNDED, [0, 0, 1.0], renormalize=exact),
    "plxb": lambda exact: plxb(ROUNDED, [0, 0, 1.0], renormalize=exact),
    "Plx.from_pose": lambda exact: Plx.from_pose(POSE, renormalize=exact),
    "Plxb.from_pose": lambda exact: Plxb.from_pose(POSE, renormalize=exact),
}


@pytest.mark.parametrize("name", CALLS)
def test_rounded_rotations_are_refused_or_renormalised(name: str) -> None:
    with pytest.raises(ParameterError, match="not orthonormal"):
        CALLS[name](False)
    CALLS[name](True)


@pytest.mark.parametrize("name", CALLS)
def test_a_rotation_is_validated_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    validate = frames.refuse_nonrotation

    def refuse(*arguments: object, **options: object) -> None:
        nonlocal count
        count += 1
        validate(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(frames, "refuse_nonrotation", refuse)
    CALLS[name](True)
    assert count == 1


def test_renormalised_bodies_keep_their_moments() -> None:
    for moved in (BODY.rotate(ROUNDED, renormalize=True), BODY.transform(POSE, renormalize=True)):
        np.testing.assert_allclose(moved.principal_moments(), [1, 2, 2.5], rtol=1e-14)
        assert float(moved.mass) == 2.0
