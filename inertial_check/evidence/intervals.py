"""The admissible intervals of the entries of tensors, found for many bodies in one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from inertial_check.model.judgement import Judgement

Interval = list[float]
"""Lower and upper end [kg m^2]; NaN where no value suffices."""

_SPOKEN_OF = frozenset({"boundary", "rounding", "inconsistent"})
"""Verdicts of bodies on which a rule reports the admissible intervals."""


class Intervals:
    """The admissible intervals of the bodies of one batch of documents, by their tensors.

    A bisection of arrays takes as long for one tensor as for hundreds, so that the first question
    is answered for all bodies of the batch on which a rule may report. Equal tensors share a row.

    Args:
        list_batch: Lists the judgements of the batch, when the first interval is asked for.
    """

    def __init__(self, list_batch: Callable[[], Iterable[Judgement]] = tuple) -> None:
        self._list_batch: Callable[[], Iterable[Judgement]] | None = list_batch
        self._known: dict[bytes, list[Interval]] = {}

    def find(self, judgements: Sequence[Judgement]) -> list[list[Interval]]:
        """Find the intervals of the six entries of each body, the other entries as written.

        Intervals are those of the tensors about the centres of mass, in the inertials' own axes.
        """
        keys = list(map(_make_key, judgements))
        if any(key not in self._known for key in keys):
            self._measure(dict(zip(keys, judgements, strict=True)))
        return [self._known[key] for key in keys]

    def _measure(self, asked: Mapping[bytes, Judgement]) -> None:
        """Measure the intervals of some bodies and, the first time, of all of the batch."""
        bodies = dict(asked)
        if self._list_batch is not None:
            batch, self._list_batch = self._list_batch(), None
            for judgement in batch:
                if judgement.verdict in _SPOKEN_OF or judgement.numerically_zero:
                    bodies[_make_key(judgement)] = judgement
        from inertial_check.inertia.intervals import admissible_intervals

        tensors = np.array([judgement.I_BBcm_Bi for judgement in bodies.values()])
        intervals: list[list[Interval]] = admissible_intervals(tensors).tolist()
        self._known.update(zip(bodies, intervals, strict=True))


def _make_key(judgement: Judgement) -> bytes:
    """Make a key that tells 0 from -0, which turn the axes of a tensor in opposite ways."""
    return np.array(judgement.I_BBcm_Bi).tobytes()
