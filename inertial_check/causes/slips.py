"""The causes by a slip of the hand: a moved decimal point, a lost sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log10, sqrt

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.causes._base import NOTHING, Cause, Meant, Subject
from inertial_check.causes._results import Proposal
from inertial_check.causes._witnesses import (
    find_gains,
    is_stated,
    twin_of,
    with_spreads,
)
from inertial_check.causes._wording import a_body, enumerate_words, number, times_as_probable
from inertial_check.causes.conventions import ComponentOrder
from inertial_check.evidence.decimals import count_digits
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.representations import second_moment, symmetric
from inertial_check.model import ENTRIES

PLAIN = 2.0
"""Least likelihood ratio at which a slip is named in a tensor that some body has."""

_POWERS = (-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6)

_SHIFTS = {1: 0.4, 2: 0.15, 3: 0.3, 4: 0.05, 5: 0.03, 6: 0.07}
"""Probability that a decimal point is off by so many places, in either direction: one place by
hand, three by a unit prefix."""

_ERROR_DECADES, _GROSS, _GROSS_DECADES = 0.4, 0.1, 12.0
"""Errors of an entry for any other reason: mostly within a factor of e^0.92 = 2.5; one in ten lies
anywhere within twelve decades."""

_MOMENT_DECADES, _PRODUCT_DECADES = (0.02, 2.0), 4.0
"""Decades over which an entry may lie: a moment between the difference and the sum of the two
others, a product anywhere below its bound."""

_PRODUCTS = {1: (0, 3), 2: (0, 5), 4: (3, 5)}
"""Indices of the two moments that belong to each product of inertia."""


class DecimalSlip(Cause):
    """One entry is a power of ten too large or too small.

    ## What happened
    A decimal point was typed, copied or pasted in the wrong place, an exponent got lost ("1.676e-3"
    became "1.676"), or one entry was written in another unit than its neighbours.

    ## How it is recognised
    Every entry is multiplied by 10^k, k = -6 to 6, the five others as written, and all tensors are
    judged. An entry is named where some power makes the tensor one that a body can have; of several
    the most natural. Where some body has the tensor as written, an entry is named that makes it fit
    the shapes, or the twin, far better. The evidence says whether other entries serve as well. It
    counts for more, the narrower the interval that the entry had to hit, and the farther it was
    off: few other mistakes change a number by a thousand.

    ## Example
        <mass value="1.559"/>
        <inertia ixx="0.0026619" ixy="-3.1029e-05" ixz="9.34e-06"
                 iyy="0.0023025" iyz="0.000151466" izz="1.676359"/>

    ## What undoes it
    The point back in its place. Compare with the source (the CAD report, the vendor's description):
    a number that looks like a slip has been another revision of the hardware before.

    ## What people search for
    "inertia must satisfy A + B >= C; use 'balanceinertia' to fix" (MuJoCo); "did not pass the test
    CouldBePhysicallyValid" (Drake); "A link named ... has invalid inertia." (Gazebo); "Bad inertia
    tensor properties, setting inertia to zero" (PyBullet).

    ## References
    The example is from RealManRobot/rm_models, where it was reported.
    """

    name, prior, mends = "decimal-slip", 0.2, True
    kinds = frozenset({"impossible", "stated", "placeholder"})

    def candidates(self, subject: Subject) -> Floats:
        """Every entry that is not zero, times every power of ten."""
        if not subject.broken and not _has_witness(subject):
            return NOTHING
        return _shift_every_point(subject.six)

    def meant(self, subject: Subject) -> Meant | None:
        """The body with each of the tensors that a body can have."""
        six, _, consistent = self.trials(subject)
        if subject.broken or not consistent.any():
            return None
        spreads = resemblance.spread(subject.mass, resemblance.matrices(six[consistent]))
        return with_spreads(subject, resemblance.rotate(subject.R_BBi, spreads))

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Every entry and shift that make a body of the tensor."""
        if not subject.broken:
            yield from self._of_a_body(subject)
            return
        six, margin, consistent = self.trials(subject)
        rows = np.flatnonzero(consistent).tolist()
        entry = {row: int(np.flatnonzero(six[row] != subject.six)[0]) for row in rows}
        for row in rows:
            i, power = entry[row], _POWERS[row % len(_POWERS)]
            others = {entry[r]: six[r, entry[r]] for r in reversed(rows) if entry[r] != i}
            also = [f"{ENTRIES[e]} = {number(value)}" for e, value in sorted(others.items())]
            alone = (
                f"so does {enumerate_words(also, 'or')}"
                if also
                else "no other single entry times a power of ten does"
            )
            yield Proposal(
                _weight(subject.six, i, power),
                f"{ENTRIES[i]} = {number(subject.six[i])} does not go with the other five; "
                f"{10 ** abs(power)} times {'less' if power < 0 else 'more'}, "
                f"{number(six[row, i])}, makes the tensor {a_body(margin[row])}; {alone}",
                I_BBcm_Bi=symmetric(six[row]),
            )

    def _of_a_body(self, subject: Subject) -> Iterator[Proposal]:
        """Entries and shifts that make a body fit its shapes, or its twin, far better."""
        ratio = find_gains(self, subject)
        better = ratio > PLAIN
        if not better.any():
            return
        six, _, consistent = self.trials(subject)
        count = np.count_nonzero(subject.six)
        rows = np.flatnonzero(consistent)[better].tolist()
        for row, gain in zip(rows, ratio[better].tolist(), strict=True):
            (i,) = np.flatnonzero(six[row] != subject.six).tolist()
            power = _POWERS[row % len(_POWERS)]
            yield Proposal(
                gain * _SHIFTS[abs(power)] / 2 / count,
                f"with {ENTRIES[i]} = {number(six[row, i])} in place of "
                f"{number(subject.six[i])} the tensor fits the body's shapes, or its twin, far "
                f"better ({times_as_probable(gain)})",
                I_BBcm_Bi=resemblance.matrices(six[row]),
            )


def _shift_every_point(written: Floats) -> Floats:
    """(n, 6) every entry that is not zero, times every power of ten."""
    filled = np.flatnonzero(written)
    entry = np.repeat(filled, len(_POWERS))
    six = np.tile(written, (len(entry), 1))
    six[np.arange(len(entry)), entry] = [
        shifted for at in filled.tolist() for shifted in shift_points(float(written[at]), _POWERS)
    ]
    return six


def _has_witness(subject: Subject) -> bool:
    """Whether a body has numbers that some body has, and shapes or a twin that can doubt them."""
    if not is_stated(subject):
        return False
    if subject.examination.likeness.known[subject.index]:
        return True
    return twin_of(subject) is not None


def _weight(six: Floats, entry: int, power: int) -> float:
    """How much more often a slip leads from what is admissible to this entry than another error."""
    decades, beyond = _window(six, entry)
    other = _GROSS / _GROSS_DECADES
    other += (1 - _GROSS) / (2 * _ERROR_DECADES) * exp(-beyond / _ERROR_DECADES)
    return _SHIFTS[abs(power)] / 2 / decades / other


def _window(six: Floats, entry: int) -> tuple[float, float]:
    """How many decades an entry may lie in, the others as written, and how far beyond it lies."""
    moments = six[[0, 3, 5]]
    if entry in _PRODUCTS:
        i, j = _PRODUCTS[entry]
        half = float(np.sum(moments)) / 2
        bound = sqrt(max(half - six[i], 0.0) * max(half - six[j], 0.0))
        beyond = log10(abs(six[entry]) / bound) if bound > 0 else 0.0
        return _PRODUCT_DECADES, max(beyond, 0.0)
    narrowest, widest = _MOMENT_DECADES
    one, other = np.abs(np.delete(moments, (0, 3, 5).index(entry))).tolist()
    high = one + other
    if not high:
        return widest, 0.0
    low = max(abs(one - other), high * 10**-widest)
    value = abs(six[entry])
    return max(narrowest, log10(high / low)), max(0.0, log10(value / high), log10(low / value))


class NegativeDiagonal(Cause):
    """Moments of inertia have the wrong sign.

    ## What happened
    A moment of inertia is a sum of squares and never negative. A minus was typed or kept from a
    neighbouring product, or the whole tensor was negated: by a formula with m [c][c] in place of
    -m [c][c], or by a change of handedness that was carried out on the numbers.

    ## How it is recognised
    At least one diagonal entry is negative, and the tensor is one that a body can have once the
    negative ones, or all six entries, have the other sign. A negative entry that this does not mend
    has another cause: double-parallel-axis or component-order.

    ## Example
        <mass value="1"/>
        <inertia ixx="0.012" ixy="0.0004" ixz="0" iyy="-0.0131" iyz="0" izz="0.0047"/>

    ## What undoes it
    The sign.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "A link named ... has invalid inertia."
    (Gazebo); "did not pass the test CouldBePhysicallyValid" (Drake).

    ## References
    Heins, Rigid Body Inertial Parameters, eq. 9 (I_c >= 0).
    """

    name, prior, mends = "negative-diagonal", 0.05, True
    kinds = frozenset({"impossible"})

    def candidates(self, subject: Subject) -> Floats:
        """The negative moments negated; everything negated."""
        if not subject.broken or not np.any(subject.six[[0, 3, 5]] < 0):
            return NOTHING
        moments = np.array([1, 0, 0, 1, 0, 1], dtype=bool)
        single = np.where(moments, np.abs(subject.six), subject.six)
        return np.stack([single, -subject.six])

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor with the signs that a body can have."""
        six, margin, consistent = self.trials(subject)
        if not consistent.any():
            return
        below = [ENTRIES[i] for i in (0, 3, 5) if subject.six[i] < 0]
        negative = enumerate_words(below)
        for row in np.flatnonzero(consistent).tolist():
            what = (negative, "all six entries")[row]
            yield Proposal(
                30.0 if len(below) == (1, 3)[row] else 5.0,
                f"{negative} below 0, where no body's are; {what} negated make the tensor "
                f"{a_body(margin[row])}",
                I_BBcm_Bi=symmetric(six[row]),
            )


class CopiedEntry(Cause):
    """A moment of inertia stands where a product belongs, too.

    ## What happened
    A number was pasted into two places, or an index was wrong in the script that wrote them: izz
    twice, once as izz and once as ixy.

    ## How it is recognised
    A product is, digit by digit and with three digits or more, one of the moments. No product is
    larger than half the moment about the third axis, so that most such tensors are those of no
    body. Where it is the second and the fourth of nine numbers that agree, component-order
    explains it too.

    ## Example
        <mass value="2.1"/>
        <inertia ixx="0.00412" ixy="0.00537" ixz="0" iyy="0.00486" iyz="0" izz="0.00537"/>

    ## What undoes it
    The product as the source has it. Where the two other products are 0 it is probably 0 as well,
    which is what the edit writes.

    ## What people search for
    "inertia must have positive eigenvalues" (MuJoCo); "did not pass the test
    CouldBePhysicallyValid" (Drake).

    ## References
    The bounds of products: Heins, Rigid Body Inertial Parameters, "Rotational Inertia".
    """

    name, prior = "copied-entry", 0.02
    kinds = frozenset({"impossible", "stated", "other"})

    _LEAST_DIGITS = 3
    """Significant digits from which two equal numbers are one that was copied."""

    _PAIRS = 9
    """Number of pairs of a moment and a product, any of which can agree by chance."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without the product, where the others are zero."""
        six, texts = subject.six, subject.texts
        if not np.all(np.isfinite(six)) or len(set(six[[0, 3, 5]].tolist())) == 1:
            return
        explained = _is_equal_by_order(subject)
        for product in _PRODUCTS:
            for moment in (0, 3, 5):
                digits = count_digits(texts[product])
                if abs(six[product]) != six[moment] or digits < self._LEAST_DIGITS:
                    continue
                if not _has_completion(six, product):
                    continue
                others = [six[each] for each in _PRODUCTS if each != product]
                without = np.where(np.arange(6) == product, 0.0, six)
                yield Proposal(
                    (1.0 if explained else 10.0 ** min(digits, 5)) / self._PAIRS,
                    f"{ENTRIES[product]} and {ENTRIES[moment]} are both {number(six[moment])}, to "
                    f"{digits} digits: a moment that was copied in place of the product",
                    I_BBcm_Bi=None if any(others) else symmetric(without),
                    editable=not any(others),
                )


def _has_completion(six: Floats, product: int) -> bool:
    """Whether some value of one product makes the tensor that of a body.

    A symmetric matrix with one free product has a positive semidefinite completion where its two
    principal submatrices without that product have none but such eigenvalues (Grone et al.,
    Positive definite completions of partial Hermitian matrices, 1984, Theorem 7).
    """
    S = symmetric(second_moment(six))
    row, column = ((0, 3, 5).index(moment) for moment in _PRODUCTS[product])
    third = 3 - row - column
    kept = [S[np.ix_(axes, axes)] for axes in ((row, third), (column, third))]
    least = np.linalg.eigvalsh(np.stack(kept))[:, 0]
    return bool(np.all(least >= -tolerances.floor(np.ones(2)) * np.abs(six).max()))


def _is_equal_by_order(subject: Subject) -> bool:
    """Whether another order makes a body with two equal moments, so that no number was copied."""
    known = ComponentOrder().trials(subject)
    moments = np.sort(known.six[known.consistent][:, [0, 3, 5]], axis=1)
    return bool(np.any(np.diff(moments, axis=1) == 0))


def shift_points(value: float, powers: Sequence[int]) -> list[float]:
    """The float64 nearest to the printed value times each 10^power: its point moved, no more."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    written = int(exponent or 0)
    return [float(f"{mantissa}e{written + power}") for power in powers]
