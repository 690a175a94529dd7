"""What causes say of a body: candidates that were judged, and the body that was meant."""

from __future__ import annotations

from typing import NamedTuple

from inertial_check.arrays.types import Floats, Mask


class Trials(NamedTuple):
    """Tensors that a cause would put in place of the written one, judged.

    Attributes:
        six: (n, 6) about the centre of mass, in the inertial's own axes, as ENTRIES [kg m^2].
        margin: (n,) mu of each; -1 where a tensor is zero or not finite.
        consistent: (n,) whether a body can have it.
    """

    six: Floats
    margin: Floats
    consistent: Mask


class Proposal(NamedTuple):
    """The body that was meant, if a cause is right.

    Attributes:
        weight: How much more probable the cause is than it would be by itself, seeing its
            signature; positive, 1 for no more.
        evidence: One sentence with the numbers that speak for it.
        mass: Meant [kg]; None for the written one.
        p_BoBcm_B: (3,) meant [m]; None for the written one.
        I_BBcm_Bi: (3, 3) meant, in the inertial's own axes as written [kg m^2]; None for the
            written one.
        editable: Whether writing what was meant into the document undoes the cause.
        gain: How many times as probable as the written body the meant one is, by its witnesses
            alone; None where the weight rests on more than that. Causes with one gain that mean
            one body cannot be told apart.
    """

    weight: float
    evidence: str
    mass: float | None = None
    p_BoBcm_B: Floats | None = None
    I_BBcm_Bi: Floats | None = None
    editable: bool = True
    gain: float | None = None
