"""Whether tensors look as if they were about the point that is declared for them.

A tensor about the origin has the parallel-axis term in it: along the offset c of the centre of
mass, its second moment is m |c|^2 larger than about the centre of mass. Nothing in ten numbers says
which of the two was meant, and a body read with the wrong point is often a consistent body. But
links are about as slender one way as the other, and with the wrong point every one of them is too
long along c, or too short, or no body at all. So the links of a robot are asked together.

For each link g = (k / |c|)^2, with k the radius of gyration along c of the tensor as it stands, is
compared with what it is across c: as it stands, as a tensor about the centre of mass; less 1, as
one about the origin. How slender links of robots are is known, and so each reading has a
likelihood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.representations import Point, second_moment, symmetric

SLENDER, SPREAD = 0.3, 1.0
"""Median and scale of ln(second moment along c / mean across c) over links of robot models, whose
distribution has long tails: Student's t with two degrees of freedom."""

STRAYS = 0.007
"""Density, per unit of the logarithm, of links that are like none: wrong, or not yet consistent."""

SUSPECT = 100.0
"""Odds against the declared point from which on it is doubted."""

LINKS = 3
"""Links with an offset, different from each other, below which nothing is said."""

OTHER = {"origin": "com", "com": "origin"}
IN_WORDS = {"origin": "the body origin", "com": "the centre of mass"}


class PointDeclaration(NamedTuple):
    """Evidence of the tensors for the point that they are about, and against the declared one.

    Attributes:
        about: What was declared: "origin" or "com".
        links: How many tell something: those whose centre of mass is not at the origin, and that
            are no copies of others.
        odds: For the other point and against the declared one; 1 where nothing is told.
        longer: How many of them have, as given, a radius of gyration along c that exceeds |c|: all,
            if the tensors are about the origin.
    """

    about: Point
    links: int
    odds: float
    longer: int

    @property
    def doubtful(self) -> bool:
        """Whether the declared point has to be looked at."""
        return self.odds >= SUSPECT

    def __str__(self) -> str:
        """Describe the suspected point, with the numbers."""
        other = OTHER[self.about]
        odds = f"{float(f'{self.odds:.2g}'):,.0f}" if self.odds < 1e9 else f"{self.odds:.0e}"
        if other == "origin":
            seen = f"{self.longer} of {self.links} links have one of at least that offset"
        else:
            seen = f"{self.links - self.longer} of {self.links} links have one below that offset"
        return (
            f"declared about {IN_WORDS[self.about]}, the tensors look as if they were about "
            f"{IN_WORDS[other]} (about={other!r}): by their radii of gyration along the offset of "
            f"the centre of mass, of which {seen}, the odds are {odds} : 1"
        )


def judge_declaration(theta: Floats, about: Point) -> PointDeclaration:
    """Ask the links of one robot about the point of their tensors.

    Args:
        theta: (L, 10) in order "urdf", about `about`; links with numbers that are not finite or
            without positive mass are left out.
        about: "origin" or "com".
    """
    along, across = _moments(theta)
    evidence = _of_com(along, across)
    if about == "com":
        evidence = -evidence
    told = float(evidence.sum()) if len(evidence) >= LINKS else 0.0
    odds = float(np.exp(np.clip(told, -700.0, 700.0)))
    return PointDeclaration(about, len(evidence), odds, int(np.count_nonzero(along >= 1)))


def _moments(theta: Floats) -> tuple[Floats, Floats]:
    """Second moments along c and the mean across it, over m |c|^2, of the links that differ."""
    with np.errstate(all="ignore"):
        mass, c = theta[:, 0], theta[:, 1:4] / theta[:, :1]
        square = np.sum(c**2, axis=1)
        S = np.asarray(symmetric(second_moment(theta[:, 4:])))
        along = np.einsum("ni,nij,nj->n", c, S, c) / (mass * square**2)
        whole = np.trace(S, axis1=1, axis2=2) / (mass * square)
    usable = np.isfinite(theta).all(axis=1) & (mass > 0) & np.isfinite(along) & np.isfinite(whole)
    pairs = np.stack([along, (whole - along) / 2], axis=1)[usable]
    kept: list[Floats] = []
    for pair in pairs:
        if not any(np.allclose(pair, other, rtol=tolerances.SAME_LINK, atol=0.0) for other in kept):
            kept.append(pair)
    found = np.array(kept).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _of_com(along: Floats, across: Floats) -> Floats:
    """Logarithm of the odds for the centre of mass and against the origin, of each link."""
    return np.logaddexp(_density(along, across, 0.0), np.log(STRAYS)) - np.logaddexp(
        _density(along, across, 1.0), np.log(STRAYS)
    )


def _density(along: Floats, across: Floats, term: float) -> Floats:
    """Logarithm of the density of ln(along), if it holds that much of a parallel-axis term."""
    own = along - term
    body = (own > 0) & (across > 0)
    own, wide = np.where(body, own, 1.0), np.where(body, across, 1.0)
    z = (np.log(own / wide) - SLENDER) / SPREAD
    density = -1.5 * np.log1p(z**2 / 2) - np.log(2 * np.sqrt(2.0) * SPREAD)
    return np.where(body, density + np.log(np.where(body, along, 1.0) / own), -np.inf)
