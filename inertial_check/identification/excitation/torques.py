"""Torques of a motion against what the joints can give, as predicted with a margin.

The prediction is that of the bodies and of known friction. How far off it may be is the sum of two
parts: each body off by a share of itself, independently of the others, and friction by the same
share of itself. Coulomb friction counts against the joint at all times, so that nothing jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inertial_check.identification.excitation.fourier import Motion
from inertial_check.identification.excitation.visibility import Visibility
from inertial_check.inertia.arrays import Floats


class TorqueLimits(NamedTuple):
    """Largest torques of the joints, and their friction as far as it is known, each (n,).

    Attributes:
        most: Largest torques [N m] or forces [N]; infinite for none.
        viscous: Viscous friction [N m s/rad] or [N s/m].
        coulomb: Coulomb friction [N m] or [N].
        rotor: Inertia of the rotor as the joint feels it [kg m^2] or [kg].
        margin: Standard deviation of each body and of the friction, as a share of itself.
    """

    most: Floats
    viscous: Floats
    coulomb: Floats
    rotor: Floats
    margin: float


class TorqueUse(NamedTuple):
    """Torques of a motion, each (S, n).

    Attributes:
        predicted: Torques of the bodies, of rotors and of viscous friction.
        beyond: What is to be added to their absolute value: Coulomb friction and the margin.
        share: Sum of both, of the limits.
    """

    predicted: Floats
    beyond: Floats
    share: Floats


@dataclass(frozen=True, eq=False)
class TorqueBound:
    """Torques that motions need, of those that the joints can give.

    Attributes:
        visible: The robot, and the units of its bodies.
        theta: (N, 10) parameters of all bodies.
        limits: Torques, friction and margin.
    """

    visible: Visibility
    theta: Floats
    limits: TorqueLimits

    def use(self, motion: Motion) -> TorqueUse:
        """Predict the torques of a motion (S, n)."""
        return self._use(self.visible.body_rows(*motion), motion)[0]

    def excess(self, motion: Motion, rows: Floats, target: Floats) -> tuple[float, Floats, Floats]:
        """Sum the squares of what exceeds a share of the limits, and how it depends on the motion.

        Args:
            motion: (S, n) each.
            rows: (S, n, N, 10) its regressor.
            target: (n,) share of each limit that may be used.

        Returns:
            The sum; weights (S, n, N, 10) by which its slope is their product with the slope of the
            regressor; derivatives (3, S, n) with q, u and du by friction and rotors.
        """
        use, deviation = self._use(rows, motion)
        over = np.maximum(use.share - target, 0.0)
        slope = 2 * over / self.limits.most
        sign = np.sign(use.predicted)
        weights = (slope * sign)[..., None, None] * self.theta
        factor = np.where(
            deviation > 0, self.limits.margin / np.where(deviation > 0, deviation, 1), 0
        )
        own = np.matmul(
            self._in_units(rows)[..., None, :], np.swapaxes(self.visible.to_theta, 1, 2)
        )[..., 0, :]
        bodies = list(self.visible.bodies)
        weights[:, :, bodies] += (slope * factor)[..., None, None] * own
        viscous = self.limits.viscous * (np.sign(motion[1]) * self.limits.margin + sign)
        rotor = self.limits.rotor * sign
        beside = slope * np.stack([np.zeros_like(viscous), viscous, rotor])
        return float(np.sum(over**2)), weights, beside

    def _in_units(self, rows: Floats) -> Floats:
        """Rows (S, n, L, 10) of the bodies, in units of which 1 is a change by the whole body."""
        own = rows[..., list(self.visible.bodies), :]
        return np.asarray(np.matmul(own[..., None, :], self.visible.to_theta)[..., 0, :])

    def _use(self, rows: Floats, motion: Motion) -> tuple[TorqueUse, Floats]:
        """Torques by the rows (S, n, N, 10) of the regressor, and the deviation of the bodies'."""
        limits = self.limits
        viscous = limits.viscous * motion[1]
        bodies = np.einsum("snbk,bk->sn", rows, self.theta)
        predicted = bodies + limits.rotor * motion[2] + viscous
        deviation = np.sqrt(np.sum(self._in_units(rows) ** 2, axis=(2, 3)))
        friction = limits.coulomb + limits.margin * (np.abs(viscous) + limits.coulomb)
        beyond = limits.margin * deviation + friction
        return TorqueUse(predicted, beyond, (np.abs(predicted) + beyond) / limits.most), deviation
