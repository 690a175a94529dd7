"""The causes by a slip of the hand: a moved decimal point, a lost sign.

Digits that were not printed.

The causes by omission: tensors left empty, half filled in, or the same everywhere.

Numbers that stand for none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log10, sqrt

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.causes.base import (
    NOTHING,
    Cause,
    Meant,
    Proposal,
    Subject,
    a_body,
    enumerate_words,
    margins,
    number,
    tensor,
    times_as_probable,
)
from inertial_check.checking.causes.frames import ComponentOrder
from inertial_check.checking.causes.weighing import (
    I_BBcm_Bi,
    box_text,
    find_gains,
    is_stated,
    tidy,
    twin_of,
    with_spreads,
)
from inertial_check.checking.evidence.assembly import STATED, times_the_identity
from inertial_check.checking.evidence.digits import (
    COUNTS,
    count_digits,
    has_lost_decimals,
    last_count,
)
from inertial_check.checking.evidence.fingerprints import NAMES, find_lost_product
from inertial_check.documents.model import ENTRIES
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.intervals import (
    admissible_intervals,
    decimal_places,
    explained_by_digits,
    half_units,
)
from inertial_check.inertia.representations import second_moment, symmetric

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
    A decimal point is in the wrong place, an exponent got lost ("1.676e-3" became "1.676"), or one
    entry has another unit.

    ## Signature
    Some 10^k times one entry, k = -6 to 6, makes some body's tensor, or fits the shapes or the twin
    far better. It counts for more, the narrower the interval to hit, and the farther it was off.
    The evidence says whether other entries serve as well.

    ## Example
        <mass value="1.559"/>
        <inertia ixx="0.0026619" ixy="-3.1029e-05" ixz="9.34e-06"
                 iyy="0.0023025" iyz="0.000151466" izz="1.676359"/>

    ## Remedy
    The point back in its place. The number may be that of another revision of the hardware.

    ## Searched for
    The messages of IC301.

    ## References
    The example is from RealManRobot/rm_models, where it was reported.
    """

    name, prior, mends = "decimal-slip", 0.2, True
    kinds = frozenset({"impossible", "stated", "placeholder"})

    def candidates(self, subject: Subject) -> Floats:
        """Every entry that is not zero, times every power of ten."""
        if not subject.broken:
            # Shapes or a twin can doubt numbers that some body has; otherwise nothing does.
            seen = is_stated(subject) and bool(subject.examination.likeness.known[subject.index])
            if not seen and (not is_stated(subject) or twin_of(subject) is None):
                return NOTHING
        # (n, 6) every entry that is not zero, times every power of ten.
        written = subject.six
        filled = np.flatnonzero(written)
        entry = np.repeat(filled, len(_POWERS))
        six = np.tile(written, (len(entry), 1))
        six[np.arange(len(entry)), entry] = [
            shifted
            for at in filled.tolist()
            for shifted in shift_points(float(written[at]), _POWERS)
        ]
        return six

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
            # How much more often a slip leads from what is admissible to this entry than another
            # error.
            decades, beyond = _window(subject.six, i)
            other = _GROSS / _GROSS_DECADES
            other += (1 - _GROSS) / (2 * _ERROR_DECADES) * exp(-beyond / _ERROR_DECADES)
            yield Proposal(
                _SHIFTS[abs(power)] / 2 / decades / other * _weigh_rest(subject, six[row], i),
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
                gain * _SHIFTS[abs(power)] / 2 / count * _weigh_rest(subject, six[row], i),
                f"with {ENTRIES[i]} = {number(six[row, i])} in place of "
                f"{number(subject.six[i])} the tensor fits the body's shapes, or its twin, far "
                f"better ({times_as_probable(gain)})",
                I_BBcm_Bi=resemblance.matrices(six[row]),
            )


_NEGLIGIBLE, _OF_NOTHING = 0.01, 0.1
"""Part of the mean moment below which a product is as good as none, and how much less often a point
that slipped leads there than a product that was not to be, where another product is 0: chosen."""


def _list_stray(six: Floats) -> list[int]:
    """The products of inertia that may be too many: those of a body that has at most two."""
    filled = [entry for entry in (1, 2, 4) if six[entry]]
    return filled if len(filled) < 3 else []


def _weigh_rest(subject: Subject, six: Floats, entry: int) -> float:
    """Weigh a shifted entry: a product that all but vanishes was rather to be none."""
    vanishes = abs(six[entry]) < _NEGLIGIBLE * np.mean(np.abs(six[[0, 3, 5]]))
    return _OF_NOTHING if vanishes and entry in _list_stray(subject.six) else 1.0


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


_MOMENTS, _PRODUCT_NAMES = (0, 3, 5), (1, 2, 4)


class WrongEntry(Cause):
    """One entry is another number than the source has, by no power of ten.

    ## What happened
    A digit was mistyped, the number of another part or of a product was pasted, one moment was
    changed alone, or a product of inertia stands where there is to be none.

    ## Signature
    No body can have the tensor, and with another value of that one moment some body can; the two
    others are equal to three digits or more, as on a part with an axis of symmetry, or it is less
    than a twentieth of them, as products are. A power of ten is decimal-slip. A product is too many
    where another one is 0, and without it some body can have the tensor, or it fits the shapes or
    the twin far better. Or two of the three moments are those of the body's one shape.

    ## Example
        <mass value="0.55"/>
        <inertia ixx="0.000476" ixy="2.9e-05" ixz="0.001403" iyy="0.009564" iyz="1.5e-05"
                 izz="-9e-06"/>

    ## Remedy
    The number that the source has. The edit writes the middle of the interval that the five others
    leave, where that is narrow.

    ## Searched for
    The messages of IC301 and IC302.

    ## References
    The example is from adubredu/DigitRobot.jl, where it was reported.
    """

    name, prior = "wrong-entry", 0.06
    kinds = frozenset({"impossible", "stated"})

    _EQUAL, _FOREIGN = 15.0, 5.0
    """Likelihood ratios of two equal moments beside a third that goes with neither, and of a moment
    as small as a product."""

    _DIGITS, _SMALL = 3, 0.05
    """Digits from which two equal moments were computed, and the share of both others below which
    a moment is as small as a product."""

    _SLIPPED = 3.0
    """Times beyond its interval from which a power of ten explains an entry: a third of ten."""

    _NARROW = 0.05
    """Half-width of an interval, relative to its middle, up to which the middle is written."""

    _STRAY, _UNSEEN = 0.2, 0.25
    """Part of the wrong entries that are products where there are to be none, and how much less it
    counts that some body can have the tensor without; chosen."""

    def candidates(self, subject: Subject) -> Floats:
        """The tensor without one of its products."""
        stray = _list_stray(subject.six)
        without = [np.where(np.arange(6) == entry, 0.0, subject.six) for entry in stray]
        return np.array(without).reshape(-1, 6)

    def meant(self, subject: Subject) -> Meant | None:
        """The body without one of its products."""
        six = self.trials(subject).six
        if subject.broken or not len(six):
            return None
        spreads = resemblance.spread(subject.mass, resemblance.matrices(six))
        return with_spreads(subject, resemblance.rotate(subject.R_BBi, spreads))

    def _leave_out(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without one of its products, where that is far more probable."""
        trials = self.trials(subject)
        unseen = np.full(len(trials.six), self._UNSEEN)  # no shape and no twin says that it is 0
        weights = unseen if subject.broken else find_gains(self, subject)
        for row in np.flatnonzero(trials.consistent).tolist():
            weight = float(weights[row])
            why = f"the tensor is {a_body(trials.margin[row])}"
            if not subject.broken:
                why = (
                    "the tensor fits the body's shapes, or its twin, far better ("
                    f"{times_as_probable(weight)})"
                )
            if subject.broken or weight > PLAIN:
                (entry,) = np.flatnonzero(trials.six[row] != subject.six).tolist()
                yield Proposal(
                    weight * self._STRAY,
                    f"{ENTRIES[entry]} = {number(subject.six[entry])} stands beside a product that "
                    f"is 0; without it {why}",
                    I_BBcm_Bi=symmetric(trials.six[row]),
                )

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Each moment that does not go with the others, or with a solid; a product too many."""
        yield from self._leave_out(subject)
        found = subject.examination.find_misreading(subject.index)
        if found is not None and found.of_one_entry:
            yield Proposal(
                1.0,  # that the third is a body's with the two counts beside all other causes
                f"two moments are those of the body's {found.kind}, and there is {found.mistake}",
                I_BBcm_Bi=tidy(np.diag(found.moments)),
            )
        if not subject.broken:
            return
        signs: dict[int, tuple[float, str]] = {}
        for entry in _MOMENTS:
            first, second = (each for each in _MOMENTS if each != entry)
            one, other = subject.six[[first, second]].tolist()
            digits = count_digits(subject.texts[first])
            if one == other and digits >= self._DIGITS and not np.any(subject.six[[1, 2, 4]]):
                equal = f"{ENTRIES[first]} and {ENTRIES[second]} are equal, as of a part with an"
                signs[entry] = self._EQUAL, f"{equal} axis"
            elif 0 < abs(subject.six[entry]) < self._SMALL * min(one, other):
                signs[entry] = self._FOREIGN, "it is as small as a product"
        if not signs:
            return
        slips = DecimalSlip().trials(subject)
        mended = {int(np.flatnonzero(six != subject.six)[0]) for six in slips.six[slips.consistent]}
        intervals = admissible_intervals(subject.six)
        for entry, (weight, why) in signs.items():
            low, high = intervals[entry].tolist()
            value = subject.six[entry]
            slipped = not low / self._SLIPPED < value < high * self._SLIPPED
            signed = np.where(np.arange(6) == entry, -value, subject.six)
            if not high > 0 or not value or (entry in mended and slipped):
                continue
            if value < 0 and margins(signed[None])[1][0]:
                continue  # a lost sign
            middle, half = (low + high) / 2, (high - low) / 2
            meant = np.where(np.arange(6) == entry, middle, subject.six)
            yield Proposal(
                weight,
                f"{ENTRIES[entry]} = {number(value)} alone does not go with the other "
                f"five, {why}; with these it lies between {low:.6g} and {high:.6g}, and "
                f"{middle:.6g} makes the tensor {a_body(margins(meant[None])[0][0])}",
                I_BBcm_Bi=symmetric(meant) if half <= self._NARROW * middle else None,
                editable=half <= self._NARROW * middle,
            )


class NegativeDiagonal(Cause):
    """Moments of inertia have the wrong sign.

    ## What happened
    A minus was typed or kept from a neighbouring product, or a formula or a change of handedness
    negated the whole tensor.

    ## Signature
    A diagonal entry is negative, and some body has the tensor once the negative ones, or all six
    entries, have the other sign. Otherwise see double-parallel-axis and component-order.

    ## Example
        <mass value="1"/>
        <inertia ixx="0.012" ixy="0.0004" ixz="0" iyy="-0.0131" iyz="0" izz="0.0047"/>

    ## Remedy
    The sign.

    ## Searched for
    The messages of IC302.

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
    A number was pasted into two places, or a script had a wrong index.

    ## Signature
    A product is, digit by digit and with three digits or more, one of the moments. Most such
    tensors are those of no body, because no product is larger than half the moment about the third
    axis.

    ## Example
        <mass value="2.1"/>
        <inertia ixx="0.00412" ixy="0.00537" ixz="0" iyy="0.00486" iyz="0" izz="0.00537"/>

    ## Remedy
    The product as the source has it; 0 where the two other products are 0, which the edit writes.

    ## Searched for
    The messages of IC302.

    ## References
    The bounds of products: Heins, Rigid Body Inertial Parameters, "Rotational Inertia".
    """

    name, prior = "copied-entry", 0.02
    by_digits = True
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
        # Whether another order makes a body with two equal moments, so that no number was copied.
        known = ComponentOrder().trials(subject)
        moments = np.sort(known.six[known.consistent][:, [0, 3, 5]], axis=1)
        explained = bool(np.any(np.diff(moments, axis=1) == 0))
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


def shift_points(value: float, powers: Sequence[int]) -> list[float]:
    """The float64 nearest to the printed value times each 10^power: its point moved, no more."""
    mantissa, _, exponent = repr(float(value)).partition("e")
    written = int(exponent or 0)
    return [float(f"{mantissa}e{written + power}") for power in powers]


class FewDigits(Cause):
    """The numbers were rounded, or cut off, to too few digits.

    ## What happened
    The tensor of a plate or a tube was printed with few digits.

    ## Signature
    Some body has numbers that print the same (the verdict is rounding), or would, had digits been
    cut off.

    ## Example
        <mass value="1.5"/>
        <inertia ixx="0.0021" ixy="0" ixz="0" iyy="0.0034" iyz="0" izz="0.0056"/>

    ## Remedy
    More digits from the source. `inertial-check fix` writes the nearest tensor that a body has.

    ## Searched for
    The messages of IC301 and IC305.

    ## References
    The theory page, "The box of printed digits".
    """

    name, prior = "few-digits", 0.15
    by_digits = True
    kinds = frozenset({"impossible", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose that digits were lost, without saying which."""
        if subject.judgement.verdict not in ("rounding", "inconsistent") or _negative(subject):
            return
        # (6,) half a unit of the last digit of each entry as printed [kg m^2].
        if not all(subject.texts):
            radii = np.zeros(6)
        else:
            radii = np.array(half_units(subject.texts)) * subject.body.unit
        if not np.any(radii):
            return
        rounded = subject.judgement.verdict == "rounding"
        if not rounded and not _within(subject, 2 * radii):
            return
        least = min(_count_digits(text) for text, r in zip(subject.texts, radii, strict=True) if r)
        unit = "half a unit" if rounded else "one unit, as where digits were cut off,"
        yield Proposal(
            30.0 if rounded else 3.0,
            f"within {unit} of the last printed digits, of which the shortest entry has {least}, "
            f"there is a body (margin as printed {subject.judgement.margin:.2g})",
            editable=False,
        )


class FixedDecimals(Cause):
    """The numbers were printed with a fixed number of decimals, too few for such small ones.

    ## What happened
    "%.3f" and its like: 0.0004 became 0.000, 0.0016 became 0.002.

    ## Signature
    No entry has a digit beyond the k-th decimal, the smallest moment of inertia is two counts or
    less, and within one count of each entry there is a body; where all six are 0, a light one. A
    tensor that some body has shows it under the conditions of IC307.

    ## Example
        <mass value="0.3"/>
        <inertia ixx="0.001" ixy="0.000" ixz="0.000" iyy="0.003" iyz="0.001" izz="0.005"/>

    ## Remedy
    The numbers with more decimals, or with an exponent.

    ## Searched for
    The messages of IC301 and IC303.

    ## References
    The theory page, "The box of printed digits".
    """

    name, prior = "fixed-decimals", 0.08

    by_digits = True
    _COARSE, _ROUNDED_AWAY = 1e3, 1e4
    """Likelihood ratios of coarse decimals in a tensor that some body has: nine of ten planted ones
    have them, and four of 3,288 clean bodies; with a zero with a minus beside them, none."""

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose that decimals were lost; which ones, nothing tells."""
        judgement = subject.judgement
        if judgement.verdict in ("rounding", "inconsistent") or judgement.numerically_zero:
            yield from self._of_no_body(subject)
        elif judgement.verdict in STATED:
            yield from self._of_a_body(subject)

    def _of_no_body(self, subject: Subject) -> Iterator[Proposal]:
        """Propose lost decimals where no body has the tensor as printed."""
        if not all(subject.texts) or _negative(subject):
            return
        decimals = [decimal_places(text) for text in subject.texts]
        known = [d for d in decimals if d is not None]
        if not known or len(known) < 3 or max(known) < 1:
            return
        places = max(known)
        unit = subject.body.unit * float(f"1e-{places}")
        if not unit:  # so many decimals that one count of the last is below float64
            return
        usual = subject.mass * (subject.mass / 1000) ** (2 / 3) / 6  # of a cube of water
        if not np.any(subject.six) and usual > COUNTS * unit:
            return
        least = float(np.min(np.abs(subject.six[[0, 3, 5]])))
        if least > COUNTS * unit:
            return
        if subject.broken and not _within(subject, np.full(6, unit)):
            return
        together = len(set(known)) == 1
        names = [ENTRIES[i] for i in (0, 3, 5) if abs(subject.six[i]) == least]
        yield Proposal(
            (60.0 if together else 15.0) * (0.3 if "e" in "".join(subject.texts).lower() else 1.0),
            f"no entry has more than {places} decimals, and {enumerate_words(names)} is "
            f"{least / unit:.0f} counts of the last; within one count of each there is a body",
            editable=False,
        )

    def _of_a_body(self, subject: Subject) -> Iterator[Proposal]:
        """Propose lost decimals where some body has the tensor as printed."""
        inertial, unit = subject.body.inertial, subject.body.unit
        mass = "" if inertial is None or inertial.mass is None else inertial.mass.text
        if not has_lost_decimals(subject.texts, subject.judgement.I_BBcm_Bi, unit, mass):
            return
        count = last_count(subject.texts, unit)
        if count is None:
            return
        least = float(np.min(subject.six[[0, 3, 5]]))
        negative = any(text.startswith("-") and not float(text) for text in subject.texts)
        yield Proposal(
            self._ROUNDED_AWAY if negative else self._COARSE,
            f"no entry has a digit below {count / unit:.0e}, so that the smallest moment is "
            f"{least / count:.0f} of the last printed counts and half a count is "
            f"{50 * count / np.sum(subject.six[[0, 3, 5]]):.0f} % of the trace, while the mass has "
            f"the digits {mass}"
            + ("; a zero with a minus is a number that was rounded away" if negative else ""),
            editable=False,
        )


def _negative(subject: Subject) -> bool:
    """Whether a moment is printed with a minus, which rounding does not add."""
    return bool(np.any(subject.six[[0, 3, 5]] < 0))


def _within(subject: Subject, radii: Floats) -> bool:
    """Whether there is a body in that box around the tensor.

    A spread moves by less than the radii sum to: where more is missing, no box is looked into.
    """
    low, middle, high = subject.judgement.principal_moments
    missing = (high - low - middle) / 2
    return bool(missing < np.sum(radii) and explained_by_digits(subject.six[None], radii[None])[0])


def _count_digits(text: str) -> str:
    """How many significant digits a text shows, with the noun."""
    count = len([c for c in text.lower().partition("e")[0].lstrip("+-0.") if c.isdigit()])
    return f"{count} digit{'s' if count != 1 else ''}"


class Unpopulated(Cause):
    """The inertia was never filled in, or only in part.

    ## What happened
    An exporter wrote only one number about the joint's axis; a template's zeros stayed, or were
    replaced in one place only; or zeros went through a rotation and became 1e-16 and less.

    ## Signature
    A moment of inertia that is exactly 0 beside others that are not, or a tensor under m (1e-6
    m)^2.

    ## Example
        <mass value="850.6"/>
        <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="108.5602"/>

    ## Remedy
    The inertia of the body: from CAD, or from its shape (`inertial-check fix --method geometry`).

    ## Searched for
    The messages of IC302 and IC303.

    ## References
    The example is from kroshu/kuka_robot_descriptions.
    """

    name, prior = "unpopulated", 0.15
    by_digits = True
    kinds = frozenset({"impossible", "stated", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """Propose this cause without saying what was meant."""
        six = subject.six
        if not np.all(np.isfinite(six)) or subject.judgement.verdict in ("missing", "derived"):
            return
        if subject.judgement.numerically_zero:
            size = float(np.max(np.abs(six)))
            evidence = (
                f"the largest of the six is {size:.3g} kg m^2, for {subject.mass:.6g} kg: "
                + ("nothing was written" if size == 0 else "a zero that went through arithmetic")
            )
            yield Proposal(20.0, evidence, editable=False)
            return
        largest = float(np.max(np.abs(six)))
        empty = np.abs(six) <= tolerances.EMPTY_MOMENT * largest
        zeros = [i for i in _MOMENTS if empty[i]]
        lost = find_lost_product(subject.body, subject.judgement)
        if lost:
            yield Proposal(2.0, f"{NAMES[lost]} alone of the products is exactly 0", editable=False)
        if not zeros:
            return
        products = [ENTRIES[i] for i in _PRODUCT_NAMES if not empty[i]]
        if not subject.broken:
            weight = 1.0  # a rod, or digits that were not printed
        elif products:
            weight = 8.0 if len(zeros) == 1 else 0.5
        else:
            weight = 200.0
        exactly = "exactly 0" if not np.any(six[zeros]) else f"{np.max(np.abs(six[zeros])):.1e}"
        filled = np.where(empty, 0.0, six)
        yield Proposal(
            weight,
            f"{enumerate_words([ENTRIES[i] for i in zeros])} "
            f"{'are' if len(zeros) > 1 else 'is'} {exactly} "
            f"beside {tensor(filled)}: no body has two moments of 0, and one only where the others "
            "are equal"
            + (f"; {enumerate_words(products)} not 0: filled in by half" if products else ""),
            editable=False,
        )


class SameNumberEverywhere(Cause):
    """All six entries are the same number, products of inertia included.

    ## What happened
    A placeholder was written six times. Of such a tensor one principal moment is 3 times that
    number, the two others are 0.

    ## Signature
    Six equal numbers that are not 0; three equal products beside three equal moments; or three
    products that are one power of ten, where some body has the moments alone.

    ## Example
        <mass value="0.1"/>
        <inertia ixx="0.01" ixy="0.01" ixz="0.01" iyy="0.01" iyz="0.01" izz="0.01"/>

    ## Remedy
    The inertia of the body's shape. The edit only writes products of 0.

    ## Searched for
    The messages of IC302.

    ## References
    Sixteen links of twelve public models, among them ANYmal's base.
    """

    name, prior = "same-number-everywhere", 0.05
    by_digits = True
    kinds = frozenset({"impossible", "other"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor without its products."""
        if not subject.broken and not subject.judgement.numerically_zero:
            return
        six = subject.six
        moments, products = six[list(_MOMENTS)], six[list(_PRODUCT_NAMES)]
        floor = _read_power([subject.texts[i] for i in _PRODUCT_NAMES])
        if not np.all(products == products[0]) or not products[0] or not moments[0] > 0:
            return
        if not np.all(moments == moments[0]):
            if floor and np.all(
                margins(np.array([[moments[0], 0, 0, moments[1], 0, moments[2]]]))[1]
            ):
                yield Proposal(
                    100.0,
                    f"all three products are {floor}: a floor in place of zeros, and with products "
                    "of 0 some body has the moments",
                    I_BBcm_Bi=np.diag(moments),
                )
            return
        same = moments[0] == products[0]
        what = (
            f"all six entries are {number(moments[0])}"
            if same
            else f"three moments are {number(moments[0])} and three products {number(products[0])}"
        )
        yield Proposal(
            1e4 if same else 100.0,
            f"{what}; with products of 0 it would be a ball (margin 0.33)",
            I_BBcm_Bi=np.diag(moments),
        )


SAME = 3
"""Bodies with one tensor, of different masses, from which it is nobody's."""


class Placeholder(Cause):
    """The inertia was filled in so that something stands there.

    ## What happened
    The identity or 0.001 was typed, or the tensor of one link pasted into all.

    ## Signature
    A power of ten times the identity, or three such moments with products beside them; or the same
    six numbers, of one or two digits and without products, on three or more bodies of different
    masses. With more digits see copied-block.

    ## Example
        <mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>

    ## Remedy
    The inertia from CAD; else that of the body's shapes with this mass, which the edit writes.

    ## Searched for
    "default inertia URDF"; "robot moves as if in honey".

    ## References
    The plausibility page.
    """

    name, prior = "placeholder", 0.25
    by_digits = True
    kinds = frozenset({"stated", "placeholder"})

    def proposals(self, subject: Subject) -> Iterator[Proposal]:
        """The tensor of the shapes, where they can be read."""
        if subject.kind == "placeholder":
            moment = subject.judgement.principal_moments[0]
            what = times_the_identity(moment)
            weight = 200.0
        elif power := _power_of_ten(subject):
            what, weight = f"{power} on the diagonal, with products beside it", 200.0
        elif sharers := _sharers(subject):
            what, weight = f"that of {len(sharers)} bodies with other masses", 50.0
        elif _is_guessed(subject):
            what, weight = "of one digit each, or of three equal moments, and no products", 15.0
        else:
            return
        yield Proposal(
            weight,
            f"the tensor is {what}; at {subject.mass:.6g} kg it is that of "
            + box_text(subject.mass, subject.examination.assembly.C_BBcm_B[subject.index]),
            I_BBcm_Bi=uniform(subject),
        )


def _is_guessed(subject: Subject) -> bool:
    """Whether a tensor was guessed: round numbers, and a size that is not the body's.

    Of one digit each, or three equal moments of two, beside shapes of another size or form, or of a
    density that no link has.
    """
    if not is_rough(subject):
        return False
    moments = [f"{value:.12e}".partition("e")[0] for value in subject.six[[0, 3, 5]].tolist()]
    if len(set(moments)) > 1 and any(len(text.rstrip("0")) > len("1.") for text in moments):
        return False
    assembly, likeness = subject.examination.assembly, subject.examination.likeness
    rows = list(likeness.places_of(subject.index))
    if rows:
        return bool(np.all(np.abs(np.log(likeness.size_ratio[rows])) > np.log(limits.FITTING_SIZE)))
    low, high = limits.DENSITIES
    return not low < float(assembly.density[subject.index]) < high


def _sharers(subject: Subject) -> list[int]:
    """Bodies with the same tensor and another mass, where it is on three or more."""
    assembly = subject.examination.assembly
    if not is_rough(subject):
        return []
    for group in assembly.same_tensor:
        if subject.index in group and len(group) >= SAME:
            ratio = assembly.mass[list(group)] / subject.mass
            return [i for i, r in zip(group, ratio.tolist(), strict=True) if not 2 / 3 < r < 1.5]
    return []


def _power_of_ten(subject: Subject) -> str:
    """The power of ten that all three moments are, with products beside them; "" for another."""
    same = len({float(value) for value in subject.six[[0, 3, 5]]}) == 1
    return _read_power([subject.texts[i] for i in (0, 3, 5)]) if same else ""


def _read_power(texts: Sequence[str]) -> str:
    """The power of ten that all of some numbers are as printed; "" for another."""
    known = {text.lstrip("+") for text in texts}
    digits = [each for text in known for each in text.lower().partition("e")[0].strip("0.")]
    return known.pop() if len(digits) == len(known) and set(digits) == {"1"} else ""


def is_rough(subject: Subject) -> bool:
    """Whether a tensor has no products, and moments of one or two digits."""
    moments = [f"{value:.12e}".partition("e")[0] for value in subject.six[[0, 3, 5]].tolist()]
    few = all(len(text.rstrip("0")) <= len("1.2") for text in moments)
    return few and not np.any(subject.six[[1, 2, 4]])


def uniform(subject: Subject) -> Floats | None:
    """The tensor of the body's first trustworthy geometry, evenly filled with its mass."""
    likeness = subject.examination.likeness
    rows = likeness.places_of(subject.index)
    if not rows:
        return None
    return I_BBcm_Bi(subject, subject.mass, likeness.C_GGcm_B[rows[0]])
