"""The likelihoods behind all causes: widths, tails, and how a confidence is calibrated.

A likelihood says how often honest bodies look like this: honest are the numbers that a cause leads
to, if it is right, and the numbers as written, if it is not. Each is a mixture over how closely a
witness (the body's shapes, its twin) stands for the mass: its numbers were computed from the
witness, they are close to it, they are loosely so, or the witness says nothing. A narrow component
is a tall one, so that an agreement to three digits counts for far more than one to 10 %, and the
widest bounds what a disagreement can cost: no witness rules a body out alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.evidence.likeness import HONEST_MISFITS
from inertial_check.inertia import tolerances

MOST = 1e12
"""Largest likelihood ratio that is believed; larger ones are cut to it. Shapes that agree with form
and size to three digits stay below it."""

_WRONG_SIZE = 0.6
"""Width of the logarithm of the size of a body whose size is wrong by any factor; chosen for
factors of 2 to 5, as of other revisions and assemblies; a factor of 30 is that of a unit."""

DENSITY, DENSITY_DECADES = 2.5, 0.6
"""Centre and half-width of log10 of the density [kg/m^3] of a ball with the mass and radius of
gyration of the body; half of real bodies are within 0.6."""

IN_BOX, IN_BOX_DECADES = 2.4, 0.6
"""Centre and half-width of log10 of the mass of a body over the volume of the box about its shapes
[kg/m^3]. Chosen: links fill about half of it, hollow, with metal and plastic."""

OUTSIDE = 0.1
"""Width of the hull likelihood: distance of the centre of mass outside the hull, as a fraction of
its extent; chosen as the limit of IC201."""

FAR = 0.3
"""Width of the distance likelihood: decades by which the centre of mass is farther from the origin
than twice the body and the skeleton together."""

CEILING = 0.97
"""Largest confidence of a cause. Chosen: of planted defects with a first cause above 90 % some
percent had another cause, though the numbers seemed sure."""

_SUSPECTED, _PROVEN = 0.5, 0.75
"""Exponents of the calibration of the first cause of numbers that some body has, and of numbers
that no body has; fitted to the shares of first causes in defects planted in the tuned half of the
upstreams: 0.5 becomes 69 %, or with a proof 58 %. Noise breaks numbers without any cause, so that
proofs gain less."""

_TAIL = 1.5
"""Exponent of the tails: Student's density with two degrees of freedom."""

HEAVIER = _TAIL / 2
"""Exponent of tails heavier than Cauchy's: one body in ten is five deviations off or more."""


class Components(NamedTuple):
    """A mixture over how closely a witness stands for the mass of a body.

    Attributes:
        form: (..., k) widths of the misfit of honest bodies.
        size: (..., k) widths of the logarithm of their relative size.
        weight: (..., k) share of the bodies.
    """

    form: Floats
    size: Floats
    weight: Floats


_SHAPE_FORM = np.array([0.002, 0.03, 0.18, 0.6])
_SHAPE_SIZE = np.array([tolerances.COPIED_WIDTH, 0.2, 0.3, 0.8])
_CLOSE = np.array([0.30, 0.45, 0.20, 0.05])
_LOOSE = np.array([0.02, 0.18, 0.60, 0.20])
"""Components of bodies beside their shapes: computed from them, close, loose, unlike; their shares
where the centres agree, and where they do not. The widths of form are those of printed digits, the
two of HONEST_MISFITS, and UNLIKE; sizes and shares were chosen."""

_TWIN_OFF = np.array([0.002, 0.05, 0.5])
_TWIN_MASS = np.array([tolerances.COPIED_WIDTH, 0.03, 0.4])
_TWIN_WEIGHT = np.array([0.7, 0.2, 0.1])
"""Components of twins: copied, measured apart, different; distance of the bodies relative to their
size, logarithm of the ratio of their masses, and shares. Chosen: nine of ten pairs agree to the
last digit, fewer among those that have a finding."""


def calibrate(share: float, proven: bool) -> float:
    """Turn the share of the first cause among all into the frequency with which it is right.

    Monotone, so that no order changes. Shares are too low, because what no cause explains is met
    less often among findings than its prior says.

    Args:
        share: Of the first cause.
        proven: Whether no body has the numbers.
    """
    return CEILING * float(share ** (_PROVEN if proven else _SUSPECTED))


def heavy_tail(deviation: Floats, exponent: float = _TAIL) -> Floats:
    """Student's density with two degrees of freedom, or a heavier tail; 1 at 0."""
    result: Floats = (1 + deviation**2 / 2) ** -exponent
    return result


def likelihood_of_density(mass: Floats, size: Floats) -> Floats:
    """(n,) likelihood of the density of a ball with this mass and radius of gyration.

    Args:
        mass: (n,) [kg].
        size: (n,) trace of the second moment of mass [kg m^2].
    """
    radius = np.sqrt(5 / 3 * size / mass)
    density = mass / (4 / 3 * np.pi * radius**3)
    return heavy_tail((np.log10(density) - DENSITY) / DENSITY_DECADES, HEAVIER)


def components_of_shapes(honest_misfit: float, digits: float) -> Components:
    """Say how closely shapes stand for the mass of a body.

    Args:
        honest_misfit: Median misfit of honest bodies whose shapes are as far from their mass.
        digits: Misfit that the printed digits alone allow.
    """
    near, far = HONEST_MISFITS
    share = float(np.clip((far - honest_misfit) / (far - near), 0.0, 1.0))
    return Components(
        np.hypot(_SHAPE_FORM, digits),
        np.hypot(_SHAPE_SIZE, digits / 2),
        share * _CLOSE + (1 - share) * _LOOSE,
    )


def likelihood_of_form(misfit: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit, whatever the size."""
    result: Floats = _mix(heavy_tail(misfit[:, None] / of.form) / of.form, of.weight)
    return result


def likelihood_of_likeness(misfit: Floats, log_size: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit together with the logarithm of the relative size."""
    form = heavy_tail(misfit[:, None] / of.form) / of.form
    size = heavy_tail(log_size[:, None] / of.size) / of.size
    result: Floats = _mix(form * size, of.weight)
    return result


def likelihood_of_wrong_size(misfit: Floats, log_size: Floats, of: Components) -> Floats:
    """(n,) likelihood of a misfit, where the size was wrong by any factor.

    Args:
        misfit: (n,) of form.
        log_size: (n,) logarithm of the size as written, relative to that of the shapes.
        of: The components of the shapes.
    """
    density = heavy_tail(log_size / _WRONG_SIZE) / _WRONG_SIZE
    result: Floats = likelihood_of_form(misfit, of) * density
    return result


def likelihood_of_twin(off: Floats, log_mass: Floats, digits: Floats) -> Floats:
    """(n,) likelihood of the differences between a body and its twin.

    Args:
        off: (n,) least distance of centre and spread from the twin's, relative to the size.
        log_mass: (n,) logarithm of the ratio of the masses.
        digits: (n,) distance that the printed digits alone allow.
    """
    widths, masses = (np.hypot(each, digits[:, None]) for each in (_TWIN_OFF, _TWIN_MASS))
    place = heavy_tail(off[:, None] / widths) / widths
    weight = heavy_tail(log_mass[:, None] / masses) / masses
    result: Floats = _mix(place * weight, _TWIN_WEIGHT)
    return result


def _mix(components: Floats, weight: Floats) -> Floats:
    """(n,) sums over the components, the same for a body whatever others are beside it."""
    result: Floats = np.sum(components * weight, axis=-1)
    return result
