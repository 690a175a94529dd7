"""Independent truths for tests of `assign`: bodies, and what a document says of one."""

import re

import numpy as np


def matrix(six):
    return np.asarray(six, dtype=float)[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


def about_origin(mass, center, inertia):
    """(10,) of a body, by the parallel axis theorem."""
    center = np.asarray(center, dtype=float)
    shifted = inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.array([mass, *(mass * center), *shifted[np.triu_indices(3)]])


def body(rng, mass=1.0, size=0.1, away=0.1):
    """(10,) of eight random point masses: far from the edge of what bodies have."""
    masses = rng.uniform(0.5, 1.5, 8)
    masses *= mass / masses.sum()
    points = rng.normal(scale=size, size=(8, 3)) + rng.normal(scale=away, size=3)
    center = masses @ points / mass
    arms = points - center
    inertia = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True)
    )
    return about_origin(mass, center, inertia)


def stated(body):
    """(10,) that the numbers of a body's document say, by their values alone."""
    inertial = body.inertial
    meters, kilograms = inertial.meters_per_unit, inertial.kilograms_per_unit
    entries = [inertial.I_BBcm_Bi[e].value for e in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
    R = np.array(inertial.R_BBi)
    tensor = kilograms * meters**2 * R @ matrix(entries) @ R.T
    center = meters * np.array([number.value for number in inertial.p_BoBcm_B])
    return about_origin(kilograms * inertial.mass.value, center, tensor)


def deviation(theta, wanted):
    """The largest difference, of the mass, the first moment and the tensor each by its own size."""
    parts = (slice(0, 1), slice(1, 4), slice(4, 10))
    return max(
        np.max(np.abs(theta[part] - wanted[part])) / (np.max(np.abs(wanted[part])) or 1.0)
        for part in parts
    )


def without_numbers(model):
    """The bytes of a document without the numbers of its inertials, also those stated twice."""
    spans = set()
    for each in model.bodies:
        inertial = each.inertial
        if inertial is None:
            continue
        numbers = [inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values()]
        numbers += inertial.quaternion or ()
        spans |= {n.span for n in numbers if n is not None and n.span and n.span.file == 0}
    data, kept, position = model.source.data, [], 0
    for start, end, _ in sorted(spans):
        kept.append(data[position:start])
        position = end
    return re.sub(rb"\b(iyx|izx|izy)=[\"'][^\"']*", rb"\1=", b"".join([*kept, data[position:]]))
