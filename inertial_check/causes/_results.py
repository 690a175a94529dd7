"""The results of numbers that repeat, found once: in one model, or in several of one run.

The links of a hand are alike, and a repository holds several variants of one robot.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
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


class Results(NamedTuple):
    """The results of all causes for a body, which depend on its numbers and witnesses alone.

    Attributes:
        tried: What the causes would put in place of its tensor, judged, by the cause's name.
        weighed: How many times as probable as the body the `meant` ones of a cause are, by the
            cause's name.
        proposed: The proposals that depend on little else, by the name of the cause, that of the
            twin, and what else the cause reads.
    """

    tried: dict[str, Trials]
    weighed: dict[str, Floats]
    proposed: dict[tuple[str, str | None, Hashable], Sequence[Proposal]]


@lru_cache(maxsize=512)  # some kB each
def recall_trials(candidates: bytes) -> list[Trials]:
    """Give the trials of candidates to be read, or to be added where the list is empty.

    Of bodies with other masses most placeholders have the same candidates.
    """
    return []


@lru_cache(maxsize=1024)  # some kB each
def recall_results(content: Hashable) -> Results:
    """Give the results of a body to be read and completed, the same for each with its content."""
    return Results({}, {}, {})
