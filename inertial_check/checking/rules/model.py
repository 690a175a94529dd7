"""Readings that hold for a whole model, and what they say of the doubts about single bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.digits import find_coarse_decimals
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.evidence.votes import Ballot, SortedMoments, Votes, find_sorted_moments
from inertial_check.checking.limits import VOTES
from inertial_check.checking.rules.base import Doubt, Flags, count_noun, name_some
from inertial_check.documents.model import ENTRIES
from inertial_check.inertia import tolerances

_EXPLAINED = frozenset({"IC502", "IC503", "IC504", "IC505"})
"""Codes of the doubts that a reading of the whole model explains."""

_ONLY_FORM = frozenset({"sign-of-products", "wrong-frame", "sorted-principal-moments"})
"""Causes that leave the trace of a tensor as it is, and so explain no doubt about a size."""


class CommonReading(NamedTuple):
    """A reading of a whole model that its bodies have voted for.

    Attributes:
        cause: Name of the cause, such as sign-of-products.
        what: The reading in words, as the beginning of a sentence about the bodies.
        proof: What the votes rest on, in words: "fit their shapes at least twice as well".
        bodies: Indices of the bodies that it concerns.
        pro: Number of bodies that vote for it.
        contra: Number of bodies that vote against it.
        shares: How probable each reading of the model is, by its words; this one's is the largest.
        advice: What to do, as the end of the message.
    """

    cause: str
    what: str
    proof: str
    bodies: tuple[int, ...]
    pro: int
    contra: int
    shares: Mapping[str, float]
    advice: str = "correct them together"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that it changes in every body."""
        if self.cause == "sign-of-products":
            return ("ixy", "ixz", "iyz")
        return ("mass", *ENTRIES) if self.cause == "density" else ENTRIES

    @property
    def values(self) -> dict[str, object]:
        """The numbers of the finding."""
        return {
            "cause": self.cause,
            "reading": self.what,
            "readings": dict(self.shares),
            "proof": self.proof,
            "votes": self.pro,
            "votes_against": self.contra,
        }


def find_common_readings(examination: Examination) -> tuple[CommonReading, ...]:
    """The readings of the whole model that a majority of its bodies votes for."""
    votes = examination.votes
    if np.count_nonzero(votes.known | examination.assembly.placeholders) < VOTES:
        return ()
    found = [_find_elected(votes) or _find_sorted(votes), _find_coarse(votes)]
    return tuple(each for each in found if each is not None)


def _find_sorted(votes: Votes) -> CommonReading | None:
    """Principal moments that were sorted and written without their axes; None where not."""
    found = find_sorted_moments(votes)
    if found is None or _weigh_sorted(votes, found) < limits.SORTED_PARTS:
        return None
    pro, contra = int(np.sum(found.pro)), int(np.sum(found.contra))
    order = "ixx > iyy > izz" if found.order == "descending" else "ixx < iyy < izz"
    what = f"their principal moments were sorted ({order}, all products 0) and lost their axes"
    proof = "have their shapes' moments about other axes"
    return CommonReading(
        "sorted-principal-moments",
        what,
        proof if pro else "have three different moments in that order",
        tuple(np.flatnonzero(found.bodies & ~found.contra).tolist()),
        pro or int(np.sum(found.distinct & ~found.contra)),
        contra,
        {what: 1.0},
        "write the tensors in the links' axes, or the rotation to their principal axes",
    )


def _weigh_sorted(votes: Votes, found: SortedMoments) -> float:
    """Number of different parts that speak for sorted moments, each by what chance leaves of it."""
    unseen = found.voters & ~found.pro & ~found.contra
    return (
        limits.SORTED_SEEN * votes.count_parts(found.pro & found.voters)
        + votes.count_parts(unseen & found.distinct)
        + limits.SORTED_ROUND * votes.count_parts(unseen & ~found.distinct)
        - limits.SORTED_FITTING * votes.count_parts(found.contra)
    )


def _find_coarse(votes: Votes) -> CommonReading | None:
    """Tensors of several bodies that were printed with too few decimals; None without them."""
    coarse = find_coarse_decimals(votes)
    if coarse is None or np.sum(coarse.bodies) < VOTES:
        return None
    padded = bool(np.all(coarse.padded[coarse.witnesses]))
    if np.sum(coarse.witnesses) < (limits.PADDED_WITNESSES if padded else VOTES):
        return None
    what = f"their tensors were printed with {coarse.places} decimals, too few for them"
    return CommonReading(
        "fixed-decimals",
        what,
        "have a trace of at most a dozen counts of the last one",
        tuple(np.flatnonzero(coarse.bodies).tolist()),
        int(np.sum(coarse.bodies)),
        0,
        {what: 1.0},
        "print them again with an exponent, or with more decimals",
    )


def _find_elected(votes: Votes) -> CommonReading | None:
    """The most probable reading that a majority votes for; None without one."""
    elected = [ballot for ballot in votes.ballots if _is_elected(votes, ballot)]
    if not elected:
        return None
    scores = np.array([_score(votes, ballot) for ballot in elected])
    shares = np.exp(scores - np.max(scores))
    shares /= np.sum(shares)
    ranked = sorted(range(len(elected)), key=lambda i: -shares[i])
    told = {
        elected[i].reading.what: float(shares[i]) for i in ranked if shares[i] >= limits.LEAST_SHARE
    }
    best = elected[ranked[0]]
    # What the votes for a reading rest on, in words.
    if best.reading.cause in ("units", "density"):
        evidence = "have a usual size and density"
    else:
        reasons = {
            "fit their shapes at least twice as well": best.pro & ~best.mended,
            "become bodies that exist": best.mended & votes.broken,
            "spread along a distant centre of mass, as it would leave them": (
                best.mended & ~votes.broken
            ),
        }
        evidence = " or ".join(words for words, bodies in reasons.items() if np.any(bodies))
    return CommonReading(
        best.reading.cause,
        best.reading.what,
        evidence,
        tuple(np.flatnonzero(_find_concerned_bodies(votes, best)).tolist()),
        int(np.sum(best.pro)),
        int(np.sum(best.contra)),
        told,
    )


def describe(examination: Examination, common: CommonReading) -> str:
    """The message of a finding on the whole model."""
    names = name_some([examination.model.bodies[index].name for index in common.bodies])
    contra = common.contra
    against = f"{count_noun(contra, 'body', 'bodies')} speak{'s' * (contra == 1)} against it"
    return (
        f"one mistake runs through {count_noun(len(common.bodies), 'body', 'bodies')} ({names}): "
        f"{common.what}, {common.pro} of them {common.proof}, and "
        f"{against if contra else 'none speaks against it'}; {common.advice}"
    )


def heed_the_model(
    examination: Examination,
    found: Mapping[int, Sequence[Doubt]],
    common: Sequence[CommonReading],
) -> dict[int, list[Doubt]]:
    """The doubts about single bodies that the whole model leaves.

    A doubt that a reading of the model explains is not repeated. A reading of one body that all
    others contradict is a note, unless its fit is near exact.
    """
    explained: dict[int, set[str]] = {}
    for reading in common:
        # One count of the last decimal, on all three moments, looks like a placeholder, and
        # different parts come to share a tensor.
        also = {"IC307", "IC501", "IC602", "IC603"} if reading.cause == "fixed-decimals" else set()
        kept = {"IC502", "IC503"} if reading.cause in _ONLY_FORM else set()
        for index in reading.bodies:
            explained.setdefault(index, set()).update(_EXPLAINED - kept | also)
    left = {
        index: [each for each in doubts if each.code not in explained.get(index, ())]
        for index, doubts in found.items()
    }
    return {
        index: [_weigh(examination, each) for each in doubts]
        for index, doubts in left.items()
        if doubts
    }


def _weigh(examination: Examination, doubt: Doubt) -> Doubt:
    """The doubt, weak where its reading is one that the model's other bodies contradict."""
    reading, rest = doubt.values.get("cause"), doubt.values.get("nearest")
    if reading is None or not isinstance(rest, float) or rest <= limits.NEAR_EXACT:
        return doubt
    for ballot in examination.votes.forms:
        if ballot.reading.cause != reading:
            continue
        pro, contra = max(int(np.sum(ballot.pro)), 1), int(np.sum(ballot.contra))
        if contra >= limits.CONTRADICTED * pro:
            return doubt._replace(weak=True)
    return doubt


def _is_elected(votes: Votes, ballot: Ballot) -> bool:
    """Whether enough bodies vote for a reading, with a majority, and not by chance."""
    pro, contra = int(np.sum(ballot.pro)), int(np.sum(ballot.contra))
    if pro < VOTES or pro < limits.MAJORITY * contra:
        return False
    if ballot.reading.cause in ("units", "density"):
        return votes.count_parts(ballot.pro) > 1 or bool(np.any(ballot.pro & votes.seen))
    if np.any(ballot.pro & ~ballot.mended):
        return True
    if pro < limits.MAJORITY * int(np.sum(ballot.contra | ballot.left)):
        return False
    # Probability that at least so many different parts agree on a reading by chance.
    agree = votes.count_parts(ballot.mended)
    every = agree + votes.count_parts(ballot.contra | ballot.left)
    p = _mended_by_chance(ballot)
    return (
        sum(comb(every, k) * p**k * (1 - p) ** (every - k) for k in range(agree, every + 1))
        <= tolerances.VOTES_BY_CHANCE
    )


def _mended_by_chance(ballot: Ballot) -> float:
    return limits.MENDED_BY_CHANCE.get(ballot.reading.cause, limits.MENDED_OTHERWISE)


def _score(votes: Votes, ballot: Ballot) -> float:
    """Logarithm of the likelihood of a reading of the model, up to a constant."""
    pro, contra = ballot.pro, ballot.contra
    if ballot.reading.cause in ("units", "density"):
        count = min(int(np.sum(pro)), limits.MOST_BODIES)
        off = float(np.sort(-ballot.weight[pro])[int(np.sum(pro)) // 2])
        rare = np.log(limits.MASS_UNITS) if ballot.reading.cause == "density" else 0.0
        score = count * (np.log(limits.MOST_GAIN) - (off / limits.UNIT_WIDTH) ** 2 / 2)
        return float(score + rare)
    gain = np.minimum(np.abs(ballot.weight), np.log(limits.MOST_GAIN))
    mended = -np.log(_mended_by_chance(ballot)) * np.sum(ballot.mended)
    return float(np.sum(gain[pro & ~ballot.mended]) + mended - np.sum(gain[contra]))


def _find_concerned_bodies(votes: Votes, ballot: Ballot) -> Flags:
    """(N,) bodies that a reading of the model changes.

    Where the bodies that vote agree, and are several parts, all that came the same way; otherwise
    those whose own shapes lean to the reading, or that nothing else makes bodies.
    """
    agree = not np.any(ballot.contra) and votes.count_parts(ballot.pro) > 1
    leaning = ballot.pro | (votes.seen & (ballot.weight > 0))
    unit = ballot.reading.cause in ("units", "density")
    concerned: Flags = ballot.changes & ~ballot.contra & (leaning | agree | unit)
    return concerned
