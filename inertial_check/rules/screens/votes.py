"""Readings that hold for a whole model, and what they say of the doubts about single bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inertial_check.evidence import Examination
from inertial_check.evidence.votes import VOTES, Ballot, Votes
from inertial_check.model import ENTRIES
from inertial_check.rules._phrases import count_noun, name_some
from inertial_check.rules.screens import _limits
from inertial_check.rules.screens._base import Doubt, Flags

_EXPLAINED = frozenset({"IC502", "IC503", "IC504", "IC505"})
"""Codes of the doubts that a reading of the whole model explains."""


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
    """

    cause: str
    what: str
    proof: str
    bodies: tuple[int, ...]
    pro: int
    contra: int
    shares: Mapping[str, float]

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
    elected = _find_elected(examination.votes)
    return () if elected is None else (elected,)


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
        elected[i].reading.what: float(shares[i])
        for i in ranked
        if shares[i] >= _limits.LEAST_SHARE
    }
    best = elected[ranked[0]]
    return CommonReading(
        best.reading.cause,
        best.reading.what,
        _evidence(votes, best),
        tuple(np.flatnonzero(_concerned(votes, best)).tolist()),
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
        f"{against if contra else 'none speaks against it'}; correct them together"
    )


def _evidence(votes: Votes, ballot: Ballot) -> str:
    """What the votes for a reading rest on, in words."""
    if ballot.reading.cause in ("units", "density"):
        return "have a usual size and density"
    mended = int(np.sum(ballot.pro & votes.broken))
    if mended == np.sum(ballot.pro):
        return "become bodies that exist"
    return "fit their shapes at least twice as well"


def heed_the_model(
    examination: Examination,
    found: Mapping[int, Sequence[Doubt]],
    common: Sequence[CommonReading],
) -> dict[int, list[Doubt]]:
    """The doubts about single bodies that the whole model leaves.

    A doubt that a reading of the model explains is not repeated. A reading of one body that all
    others contradict is a note, unless its fit is near exact.
    """
    concerned = {index for each in common for index in each.bodies}
    left = {
        index: [each for each in doubts if each.code not in _EXPLAINED or index not in concerned]
        for index, doubts in found.items()
    }
    return {
        index: [_weigh(examination, each) for each in doubts]
        for index, doubts in left.items()
        if doubts
    }


def _weigh(examination: Examination, doubt: Doubt) -> Doubt:
    """The doubt, weak where its reading is one that the model's other bodies contradict."""
    reading, rest = doubt.values.get("cause"), doubt.values.get("rest")
    if reading is None or not isinstance(rest, float) or rest <= _limits.NEAR_EXACT:
        return doubt
    for ballot in examination.votes.forms:
        if ballot.reading.cause != reading:
            continue
        pro, contra = max(int(np.sum(ballot.pro)), 1), int(np.sum(ballot.contra))
        if contra >= _limits.CONTRADICTED * pro:
            return doubt._replace(weak=True)
    return doubt


def _is_elected(votes: Votes, ballot: Ballot) -> bool:
    """Whether enough bodies vote for a reading, with a majority, and not by chance."""
    pro, contra = int(np.sum(ballot.pro)), int(np.sum(ballot.contra))
    if pro < VOTES or pro < _limits.MAJORITY * contra:
        return False
    if ballot.reading.cause in ("units", "density"):
        return votes.count_parts(ballot.pro) > 1 or bool(np.any(ballot.pro & votes.seen))
    if np.any(ballot.pro & ~ballot.mended):
        return True
    by_chance = _mended_by_chance(ballot) ** votes.count_parts(ballot.mended)
    return bool(by_chance <= _limits.CHANCE)


def _mended_by_chance(ballot: Ballot) -> float:
    return _limits.MENDED_BY_CHANCE.get(ballot.reading.cause, _limits.MENDED_OTHERWISE)


def _score(votes: Votes, ballot: Ballot) -> float:
    """Logarithm of the likelihood of a reading of the model, up to a constant."""
    pro, contra = ballot.pro, ballot.contra
    if ballot.reading.cause in ("units", "density"):
        count = min(int(np.sum(pro)), _limits.MOST_BODIES)
        off = float(np.sort(-ballot.weight[pro])[int(np.sum(pro)) // 2])
        return count * (np.log(_limits.MOST_GAIN) - (off / _limits.UNIT_WIDTH) ** 2 / 2)
    gain = np.minimum(np.abs(ballot.weight), np.log(_limits.MOST_GAIN))
    mended = -np.log(_mended_by_chance(ballot)) * np.sum(ballot.mended)
    return float(np.sum(gain[pro & ~ballot.mended]) + mended - np.sum(gain[contra]))


def _concerned(votes: Votes, ballot: Ballot) -> Flags:
    """(N,) bodies that a reading of the model changes.

    Where the bodies that vote agree, and are several parts, all that came the same way; otherwise
    those whose own shapes lean to the reading, or that nothing else makes bodies.
    """
    agree = not np.any(ballot.contra) and votes.count_parts(ballot.pro) > 1
    leaning = ballot.pro | (votes.seen & (ballot.weight > 0))
    unit = ballot.reading.cause in ("units", "density")
    concerned: Flags = ballot.changes & ~ballot.contra & (leaning | agree | unit)
    return concerned
