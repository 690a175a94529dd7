"""The votes of a model's bodies between readings of their numbers: as written, or in another way.

A convention, a unit or an order of entries holds for all bodies that came the same way. One body
can fit another reading by chance; several that agree, with none against, cannot. A body votes where
one of two readings fits its shapes at least twice as well as the other. Where its numbers are those
of no body, it votes for a reading that makes one of them, and against one that makes none of
numbers that were sound.

Principal moments that were sorted and lost their axes, and centres of mass in the frame of the
whole assembly: patterns of all bodies of a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import permutations
from math import comb
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from inertial_check.checking import limits
from inertial_check.checking.evidence.digits import (
    count_digits,
    find_coarse_decimals,
    restore_digits,
)
from inertial_check.checking.evidence.likeness import DENSEST, SILENT, is_whole
from inertial_check.checking.evidence.readings import (
    EXCHANGES,
    ModelReading,
    WrittenNumbers,
    list_forms,
    list_units,
)
from inertial_check.inertia import resemblance, tolerances
from inertial_check.inertia.arrays import Floats, LongIntegers, Mask

if TYPE_CHECKING:
    from inertial_check.checking.evidence.examination import Examination


Flags = Mask
Indices = LongIntegers

_MOST_COUNTS = 12
"""Counts of the last decimal that no moment of a coarse tensor exceeds: half a count is
decimals.COARSE of a trace of 12.5."""

_WORST = 99.0
"""Distance of numbers that no body can have from any shape."""


class CommonReading(NamedTuple):
    """A reading of the numbers of all bodies of a model, and the votes on it.

    Attributes:
        cause: Name of the cause, such as sign-of-products.
        what: The reading in words, as the beginning of a sentence about the bodies.
        mass: (N,) masses that are meant [kg].
        I_BBcm_Bi: (N, 6) tensors that are meant, in the inertials' own axes [kg m^2].
        pro: (N,) which bodies vote for it.
        contra: (N,) which bodies vote for the numbers as written.
        changes: (N,) bodies that the reading would change into others that exist.
        weight: (N,) logarithm of how many times better the reading fits the shapes of the body, all
            of them; negative where it fits worse, 0 where no shapes are known.
        mended: (N,) which bodies vote for it without shapes, as their numbers are those of no body,
            or of hardly any.
        left: (N,) bodies whose numbers are those of no body, and stay so.
        share: Probability of the reading among all those that were elected; 0 before the election.
        bodies: Indices of the bodies that it concerns, once elected.
        proof: What the votes rest on, in words: "fit their shapes at least twice as well".
        advice: What to do, as the end of a message.
        lost: What the mistake lost and the shapes of bodies restore: "axes" or "digits"; "" where
            it lost nothing.
        centers: (N, 3) centres of mass that are meant [m]; None for those as written.
    """

    cause: str
    what: str
    mass: Floats
    I_BBcm_Bi: Floats
    pro: Flags
    contra: Flags
    changes: Flags
    weight: Floats
    mended: Flags
    left: Flags
    share: float = 0.0
    bodies: tuple[int, ...] = ()
    proof: str = ""
    advice: str = "correct them together"
    lost: Literal["axes", "digits", ""] = ""
    centers: Floats | None = None


class Votes:
    """The bodies of a model and their votes. Indices are those of the model's bodies.

    Attributes:
        stated: (N,) bodies that state numbers that some body has.
        broken: (N,) bodies that state a mass and finite numbers that no body has.
        known: (N,) both, without placeholders.
        mass: (N,) [kg].
        six: (N, 6) tensors as written, in the inertials' own axes [kg m^2].
        R_BBi: (N, 3, 3) from the inertials' own axes to those of the bodies.
    """

    def __init__(self, examination: Examination) -> None:
        """Take the bodies that state a mass and six finite numbers.

        Args:
            examination: The model, its judgements and its shapes.
        """
        self.examination = examination
        judgements = examination.judgements
        self.stated: Flags = examination.assembly.stated
        self.broken: Flags = np.array(
            [
                each.verdict == "inconsistent"
                and each.mass > 0
                and bool(np.all(np.isfinite((*each.I_BBcm_Bi, *each.p_BoBcm_B))))
                for each in judgements
            ],
            dtype=bool,
        )
        self.known: Flags = (self.stated | self.broken) & ~examination.assembly.placeholders
        self.mass = examination.assembly.mass
        self.six: Floats = np.array([each.I_BBcm_Bi for each in judgements]).reshape(-1, 6)
        inertials = [body.inertial for body in examination.model.bodies]
        turns = [np.eye(3) if each is None else np.array(each.R_BBi) for each in inertials]
        self.R_BBi: Floats = np.array(turns).reshape(-1, 3, 3)
        self._has_own_axes = bool(np.any(self.R_BBi != np.eye(3)))
        self._numbers = WrittenNumbers(
            self.mass, self.six, examination.assembly.p_BoBcm_B, self.R_BBi
        )

    @cached_property
    def measured(self) -> Flags:
        """(N,) bodies whose numbers were measured or computed, as far as one can see.

        A tensor of one digit was made up, and one that bodies of several masses share was copied.
        """
        measured = self.known.copy()
        for group in self.examination.assembly.same_tensor:
            if len({self.examination.judgements[index].mass for index in group}) > 1:
                measured[list(group)] = False
        for index in np.flatnonzero(measured).tolist():
            inertial = self.examination.model.bodies[index].inertial
            texts = [] if inertial is None else [each.text for each in inertial.I_BBcm_Bi.values()]
            measured[index] = any(count_digits(text) > 1 for text in texts)
        return measured

    @cached_property
    def voters(self) -> Flags:
        """(N,) those of them that are not isotropic, and so can tell forms apart."""
        moments = self.examination.assembly.moments
        with np.errstate(invalid="ignore"):
            voters: Flags = self.measured & (
                moments[:, 2] - moments[:, 0] > tolerances.SAME_READING * moments[:, 2]
            )
        return voters

    @cached_property
    def in_few_counts(self) -> Flags:
        """(N,) bodies whose six numbers are small whole multiples of a power of ten.

        Only they can have been printed with too few decimals.
        """
        units = np.array([body.unit for body in self.examination.model.bodies])
        with np.errstate(all="ignore"):
            numbers = self.six / units[:, None]
            largest = np.max(numbers[:, [0, 3, 5]], axis=1, initial=0.0)
            counts = numbers * 10.0 ** np.floor(np.log10(_MOST_COUNTS / largest))[:, None]
            whole = np.all(np.abs(counts - np.round(counts)) <= tolerances.WHOLE_COUNT, axis=1)
        few: Flags = whole & (self.mass > 0) & (largest > 0)
        return few

    @cached_property
    def rows(self) -> tuple[Indices, Floats]:
        """(R,) whose each trustworthy geometry is, and (R, 3, 3) its spread in body axes [m^2]."""
        likeness = self.examination.likeness
        broken = [
            (index, shapes)
            for index in np.flatnonzero(self.broken).tolist()
            for shapes in self.examination.geometry.bodies[index]
            if is_whole(shapes)
        ]
        body = np.array([index for index, _ in broken], dtype=np.int64)
        spreads = resemblance.matrices(
            np.array([shapes.C_GGcm_B for _, shapes in broken]).reshape(-1, 6)
        )
        known = self.known[likeness.body]
        return (
            np.concatenate([likeness.body[known], body]),
            np.concatenate([likeness.C_GGcm_B[known], spreads]),
        )

    @cached_property
    def parts(self) -> tuple[tuple[float, ...], ...]:
        """(N,) what bodies that are one part, mounted several times, have in common."""
        mass, moments = self.mass.tolist(), self.examination.assembly.moments.tolist()
        return tuple(
            tuple(float(f"{x:.3g}") for x in (m, *each))
            for m, each in zip(mass, moments, strict=True)
        )

    def count_parts(self, bodies: Flags) -> int:
        """Number of different parts among bodies; left and right sides are one part."""
        return len({self.parts[index] for index in np.flatnonzero(bodies).tolist()})

    @cached_property
    def ballots(self) -> tuple[CommonReading, ...]:
        """The votes on the readings that three bodies can vote for; none where fewer are odd."""
        odd, odd_size = self._count_odd()
        if max(odd, odd_size) < limits.VOTES:
            return ()
        found: list[CommonReading] = []
        if odd >= limits.VOTES:
            # Choose the readings of the form that at least three bodies can vote for.
            eligible_readings = list(list_forms(self._numbers))
            mass = np.array([each.mass for each in eligible_readings])
            meant = np.array([each.I_BBcm_Bi for each in eligible_readings])
            C_meant = np.zeros((*mass.shape, 3, 3))
            some = np.flatnonzero(self.seen | self.broken)
            C_meant[:, some] = self._spreads(mass[:, some], meant[:, some], some)
            pro, contra, weight = self._by_form(mass, C_meant)
            votes = pro.copy()
            possible = np.ones(mass.shape, dtype=bool)
            possible[:, self.broken] = _exist(C_meant[:, self.broken])
            for flags, each, exist in zip(votes, eligible_readings, possible, strict=True):
                shifted = each.cause == "about-link-origin"
                mended = self._is_signature(each.cause) if shifted else self.broken
                np.logical_or(flags, mended & exist, out=flags)
            eligible = np.flatnonzero(np.sum(votes & self.voters, axis=1) >= limits.VOTES)
            chosen = [eligible_readings[place] for place in eligible.tolist()]
            kept = pro[eligible], contra[eligible], weight[eligible]
            found += self._poll(chosen, lambda *_: kept) if chosen else []
        if odd_size >= limits.VOTES:
            found += self._poll(list(list_units(self.mass, self.six)), self._by_unit)
        return tuple(found)

    @cached_property
    def forms(self) -> tuple[CommonReading, ...]:
        """The votes on readings that shapes alone can show, in models with hardly an odd body."""
        likely = ("sign-of-products", "about-link-origin", "wrong-frame")
        readings = [each for each in list_forms(self._numbers) if each.cause in likely]
        return tuple(self._poll(readings, self._by_form))

    @cached_property
    def sorted_moments(self) -> SortedMoments | None:
        """The one order of the moments of all tensors, where they have one."""
        return find_sorted_moments(self)

    @cached_property
    def elections(self) -> tuple[tuple[CommonReading, ...], ...]:
        """The readings of the whole model that a majority of its bodies votes for.

        Those that exclude each other stand together, the most probable first; readings of the
        conventions come before that of the printed decimals.
        """
        if np.count_nonzero(self.known | self.examination.assembly.placeholders) < limits.VOTES:
            return ()
        elected = self._elect() or self._find_sorted()
        found = [elected, self._find_coarse(), () if elected else self._find_places()]
        return tuple(each for each in found if each)

    def _elect(self) -> tuple[CommonReading, ...]:
        """The readings that a majority votes for, with their shares; none without a majority."""
        elected = [each for each in self.ballots if self._has_majority(each)]
        if not elected:
            return ()
        scores = np.array([self._score(each) for each in elected])
        shares = np.exp(scores - np.max(scores))
        shares /= np.sum(shares)
        ranked = sorted(range(len(elected)), key=lambda i: -shares[i])
        best = elected[ranked[0]]
        by_unit = best.cause in ("units", "density")
        reasons = {
            "fit their shapes at least twice as well": best.pro & ~best.mended,
            "become bodies that exist": best.mended & self.broken,
            "spread along a distant centre of mass, as it would leave them": (
                best.mended & ~self.broken
            ),
        }
        proof = " or ".join(words for words, bodies in reasons.items() if np.any(bodies))
        # Where the bodies that vote agree, and are several parts, all that came the same way are
        # concerned; otherwise those whose own shapes lean to the reading, or that nothing else
        # makes bodies.
        agree = not np.any(best.contra) and self.count_parts(best.pro) > 1
        leaning = best.pro | (self.seen & (best.weight > 0))
        concerned = best.changes & ~best.contra & (leaning | agree | by_unit)
        first = best._replace(
            share=float(shares[ranked[0]]),
            bodies=tuple(np.flatnonzero(concerned).tolist()),
            proof="have a usual size and density" if by_unit else proof,
        )
        rest = (elected[i]._replace(share=float(shares[i])) for i in ranked[1:])
        return first, *(each for each in rest if each.share >= limits.LEAST_SHARE)

    def _has_majority(self, ballot: CommonReading) -> bool:
        """Whether enough bodies vote for a reading, with a majority, and not by chance."""
        pro, contra = int(np.sum(ballot.pro)), int(np.sum(ballot.contra))
        if pro < limits.VOTES or pro < limits.MAJORITY * contra:
            return False
        if ballot.cause in ("units", "density"):
            return self.count_parts(ballot.pro) > 1 or bool(np.any(ballot.pro & self.seen))
        if np.any(ballot.pro & ~ballot.mended):
            return True
        if pro < limits.MAJORITY * int(np.sum(ballot.contra | ballot.left)):
            return False
        # Probability that at least so many different parts agree on a reading by chance.
        agree = self.count_parts(ballot.mended)
        every = agree + self.count_parts(ballot.contra | ballot.left)
        p = limits.MENDED_BY_CHANCE.get(ballot.cause, limits.MENDED_OTHERWISE)
        terms = (comb(every, k) * p**k * (1 - p) ** (every - k) for k in range(agree, every + 1))
        return sum(terms) <= tolerances.VOTES_BY_CHANCE

    def _score(self, ballot: CommonReading) -> float:
        """Logarithm of the likelihood of a reading of the model, up to a constant."""
        pro, contra = ballot.pro, ballot.contra
        if ballot.cause in ("units", "density"):
            count = min(int(np.sum(pro)), limits.MOST_BODIES)
            off = float(np.sort(-ballot.weight[pro])[int(np.sum(pro)) // 2])
            same = np.array_equal(ballot.mass, self.mass, equal_nan=True)
            rare = 0.0 if same else np.log(limits.MASS_UNITS)
            score = count * (np.log(limits.MOST_GAIN) - (off / limits.UNIT_WIDTH) ** 2 / 2)
            return float(score + rare)
        gain = np.minimum(np.abs(ballot.weight), np.log(limits.MOST_GAIN))
        by_chance = limits.MENDED_BY_CHANCE.get(ballot.cause, limits.MENDED_OTHERWISE)
        mended = -np.log(by_chance) * np.sum(ballot.mended)
        return float(np.sum(gain[pro & ~ballot.mended]) + mended - np.sum(gain[contra]))

    def _find_sorted(self) -> tuple[CommonReading, ...]:
        """Principal moments that were sorted and written without their axes; none where not."""
        found = self.sorted_moments
        if found is None:
            return ()
        # Number of different parts that speak for it, each by what chance leaves of it.
        unseen = found.voters & ~found.pro & ~found.contra
        parts = (
            limits.SORTED_SEEN * self.count_parts(found.pro & found.voters)
            + self.count_parts(unseen & found.distinct)
            + limits.SORTED_ROUND * self.count_parts(unseen & ~found.distinct)
            - limits.SORTED_FITTING * self.count_parts(found.contra)
        )
        if parts < limits.SORTED_PARTS:
            return ()
        seen, order = bool(np.any(found.pro)), "<" if found.order == "ascending" else ">"
        reading = self._describe_pattern(
            "sorted-principal-moments",
            f"their principal moments were sorted (ixx {order} iyy {order} izz, all products 0) "
            "and lost their axes",
            found.pro if seen else found.distinct & ~found.contra,
            restore_axes(self, found.pro),
            found.pro,
        )
        reading = reading._replace(
            contra=found.contra,
            bodies=tuple(np.flatnonzero(found.bodies & ~found.contra).tolist()),
            proof="have their shapes' moments about other axes"
            if seen
            else "have three different moments in that order",
            advice="write the tensors in the links' axes, or the rotation to their principal axes",
            lost="axes",
        )
        return (reading,)

    def _find_coarse(self) -> tuple[CommonReading, ...]:
        """Tensors of several bodies that were printed with too few decimals; none without them."""
        coarse = find_coarse_decimals(self)
        if coarse is None or np.sum(coarse.bodies) < limits.VOTES:
            return ()
        padded = bool(np.all(coarse.padded[coarse.witnesses]))
        if np.sum(coarse.witnesses) < (limits.PADDED_WITNESSES if padded else limits.VOTES):
            return ()
        reading = self._describe_pattern(
            "fixed-decimals",
            f"their tensors were printed with {coarse.places} decimals, too few for them",
            coarse.bodies,
            *restore_digits(self, coarse),
        )
        reading = reading._replace(
            bodies=tuple(np.flatnonzero(coarse.bodies).tolist()),
            proof="have a trace of at most a dozen counts of the last one",
            advice="print them again with an exponent, or with more decimals",
            lost="digits",
        )
        return (reading,)

    def _find_places(self) -> tuple[CommonReading, ...]:
        """Find the frame in which the centres of mass lie within the shapes, if not as read.

        That of the base, of the parents, or of an assembly; none where a majority does not say so.
        The tensors are in the same axes where more bodies fit their shapes in them.
        """
        likeness = self.examination.likeness
        if len({*likeness.body[likeness.offset >= limits.MOVED_EXACTLY].tolist()}) < limits.VOTES:
            return ()
        p = self.examination.assembly.p_BoBcm_B
        for whose, least, X_FB in self._list_frames():
            known: Mask = np.all(np.isfinite(X_FB), axis=(1, 2))
            poses = np.where(known[:, None, None], X_FB, np.eye(4))
            meant = np.einsum("nji,nj->ni", poses[:, :3, :3], p - poses[:, :3, 3])
            away = resemblance.norm(meant - p)
            changes = known & self.stated & (away > limits.SAME_PLACE * resemblance.norm(p))
            here, there = likeness.measure_offsets(p), likeness.measure_offsets(meant)
            pro, contra = (
                changes
                & (
                    ((before - after >= limits.MOVED) & (after <= limits.INSIDE))
                    | ((before - after >= limits.MOVED_EXACTLY) & (after <= limits.MIDDLE))
                )
                for before, after in ((here, there), (there, here))
            )
            if np.sum(pro) < max(least, limits.MAJORITY * int(np.sum(contra))):
                continue
            R_BF = np.swapaxes(poses[:, :3, :3], 1, 2)
            six = self._numbers.turn(np.swapaxes(self.R_BBi, 1, 2) @ R_BF @ self.R_BBi)
            spoken = self._by_form(self.mass[None], self._spreads(self.mass[None], six[None]))
            turned = int(np.sum(spoken[0])) > limits.MAJORITY * int(np.sum(spoken[1]))
            what = f"their centres of mass{' and tensors' * turned} are in the frame of {whose}"
            meant_six = np.where(known[:, None] & turned, six, self.six)
            reading = self._describe_pattern("com-outside", what, pro, meant_six, changes)
            reading = reading._replace(
                contra=contra,
                bodies=tuple(np.flatnonzero(changes & ~contra).tolist()),
                centers=meant,
                proof="lie in the middle of their shapes when taken to the links' own frames",
                advice="write them in the links' frames"
                if turned
                else "write the centres in the links' frames; the tensors may be in other axes, "
                "too",
            )
            return (reading,)
        return ()

    def _list_frames(self) -> Iterator[tuple[str, int, Floats]]:
        """The frames that centres of mass can be in: names, least votes and poses (N, 4, 4) X_FB.

        The pose of an assembly's frame follows from the middles of the shapes, which are one vote.
        """
        assembly, likeness = self.examination.assembly, self.examination.likeness
        yield "the base", limits.VOTES, assembly.poses
        yield "the parents", limits.VOTES, assembly.parent_poses
        poses, body = assembly.poses, likeness.body
        middles = np.array([each.p_BoGcm_B for each in likeness.rows]).reshape(-1, 3)
        p_WoGcm = np.einsum("rij,rj->ri", poses[body, :3, :3], middles) + poses[body, :3, 3]
        body = body[np.all(np.isfinite(p_WoGcm), axis=1)]
        p_WoGcm = p_WoGcm[np.all(np.isfinite(p_WoGcm), axis=1)]
        turned = p_WoGcm @ np.swapaxes(EXCHANGES, 1, 2)
        apart = assembly.p_BoBcm_B[body] - turned  # (24, R, 3)
        p_FoWo = np.sort(apart, axis=1)[:, len(body) // 2]  # the median, without numpy.ma
        rest = np.sort(resemblance.norm(apart - p_FoWo[:, None]), axis=1)[:, len(body) // 2]
        best = int(np.argmin(rest))
        X_FW = np.eye(4)
        X_FW[:3, :3], X_FW[:3, 3] = EXCHANGES[best], p_FoWo[best]
        yield "the whole assembly", limits.VOTES + 1, X_FW @ poses

    def _describe_pattern(
        self, cause: str, what: str, pro: Flags, meant: Floats, changes: Flags
    ) -> CommonReading:
        """A mistake that shows in all bodies at once, and is no matter of shapes."""
        none, silent = np.zeros(len(pro), dtype=bool), np.zeros(len(pro))
        flags = pro, none, changes, silent, none, none
        return CommonReading(cause, what, self.mass, meant, *flags, share=1.0)

    def _count_odd(self) -> tuple[int, int]:
        """Number of bodies that are broken or unlike their shapes, and of those of an odd size.

        Distant centres of mass count as odd where the tensors may be about the origin.
        """
        likeness, density = self.examination.likeness, self.examination.assembly.density
        odd, odd_size = self.broken.copy(), self.stated & _is_beyond(density, limits.ODD_DENSITIES)
        odd[likeness.body[~(likeness.discrepancy <= limits.DROP)]] = True
        # (N,) bodies with a distant centre of mass that are long enough along it.
        c, C = self.examination.assembly.p_BoBcm_B, self.examination.assembly.C_BBcm_B
        with np.errstate(all="ignore"):
            square = np.sum(c**2, axis=1)
            along = np.einsum("ni,nij,nj->n", c, C, c) >= square**2
            about: Flags = along & (square > limits.DISTANT * np.trace(C, axis1=1, axis2=2))
        odd |= self.stated & about
        large = np.abs(_measure(likeness.size_ratio)) > np.log(limits.ODD_SIZE)
        odd_size[likeness.body[large]] = True
        if max(np.sum(odd), np.sum(odd_size)) < limits.VOTES:  # before the texts are looked at
            return 0, 0
        return int(np.sum(odd & self.voters)), int(np.sum(odd_size & self.measured))

    @cached_property
    def C_BBcm_B(self) -> Floats:
        """(N, 3, 3) spreads as written, in body axes [m^2]."""
        return self._spreads(self.mass, self.six)

    def _spreads(self, mass: Floats, six: Floats, bodies: Indices | None = None) -> Floats:
        """(..., n, 3, 3) spreads of the tensors of some bodies, or of all, in body axes [m^2]."""
        chosen = slice(None) if bodies is None else bodies
        with np.errstate(all="ignore"):
            C_BBcm_Bi = resemblance.spread(mass, resemblance.matrices(six))
            C_BBcm_B = C_BBcm_Bi
            if self._has_own_axes:
                C_BBcm_B = resemblance.rotate(self.R_BBi[chosen], C_BBcm_Bi)
        # Eigenvalues need finite numbers; those of bodies without a vote are never looked at.
        usable = self.known[chosen, None, None] & np.all(
            np.isfinite(C_BBcm_B), (-2, -1), keepdims=True
        )
        return np.where(usable, C_BBcm_B, 0.0)

    def _poll(
        self,
        readings: Sequence[ModelReading],
        compare: Callable[[Floats, Floats], tuple[Flags, Flags, Floats]],
    ) -> list[CommonReading]:
        """Count the votes on K readings at once.

        Args:
            readings: The readings.
            compare: Gives the votes by shapes and densities, and the weights of all bodies, of
                masses (K, N) and spreads (K, N, 3, 3).
        """
        meant = np.array([each.I_BBcm_Bi for each in readings])
        mass = np.array([each.mass for each in readings])
        with np.errstate(all="ignore"):
            size = np.max(np.abs(self.six), axis=1)
            moved = np.max(np.abs(meant - self.six), axis=2) > tolerances.SAME_READING * size
        moved |= mass != self.mass
        C_meant = self._spreads(mass, meant)
        exist = _exist(C_meant) & moved & self.known
        pro, contra, weight = compare(mass, C_meant)
        by_unit = compare == self._by_unit
        # What the reading would break speaks against it, unless the shapes are for it.
        contra |= moved & ~exist & (weight <= 0) & self.stated
        left = moved & ~exist & self.broken & self.voters
        mended = exist & ~contra & ~pro & (not by_unit)
        mended &= np.array([self._is_signature(each.cause) for each in readings])
        telling = moved & (self.measured if by_unit else self.voters)
        pro = (pro & exist | mended) & telling
        parts = pro, contra & telling, exist, weight, mended & telling, left
        pairs = zip(readings, zip(*parts, strict=True), strict=True)
        return [CommonReading(*reading, *flags) for reading, flags in pairs]

    @cached_property
    def seen(self) -> Flags:
        """(N,) bodies with trustworthy shapes."""
        seen = np.zeros(len(self.known), dtype=bool)
        seen[self.rows[0]] = True
        return seen

    def _is_signature(self, cause: str) -> Flags:
        """(N,) bodies that would be of no one, or hardly, if the cause did not hold.

        A parallel-axis term that was subtracted once too often leaves a negative spread along the
        centre of mass; added to any broken tensor, it mends many. One that was not subtracted
        leaves a body that is long along a distant centre of mass: few others are.
        """
        if cause not in ("double-parallel-axis", "about-link-origin"):
            return self.broken
        p_BoBcm_B = np.where(self.known[:, None], self.examination.assembly.p_BoBcm_B, 0.0)
        if cause == "about-link-origin":
            square = np.sum(p_BoBcm_B**2, axis=1)
            far = square > limits.DISTANT * np.trace(self.C_BBcm_B, axis1=1, axis2=2)
            distant: Flags = self.broken | far & self.stated
            return distant
        along = np.linalg.eigh(self.C_BBcm_B)[1][:, :, 0]
        cosine = np.abs(np.sum(along * p_BoBcm_B, axis=1))
        distance = np.linalg.norm(p_BoBcm_B, axis=1)
        # Parts with an axis of symmetry have their centre on it by design.
        size = np.max(np.abs(self.six), axis=1)
        diagonal = np.max(np.abs(self.six[:, [1, 2, 4]]), axis=1) <= tolerances.SAME_READING * size
        on_axis = np.max(np.abs(p_BoBcm_B), axis=1) >= (1 - tolerances.SAME_READING) * distance
        parallel: Flags = self.broken & (cosine > limits.ALONG * distance)
        parallel &= ~(diagonal & on_axis)
        return parallel

    def _by_form(self, _mass: Floats, C_meant: Floats) -> tuple[Flags, Flags, Floats]:
        """Votes by how well bodies fit their shapes; all shapes that can tell have to agree.

        The form alone may tell where the size, which hollow bodies and stand-ins have wrong, does
        not become worse; so may form and size together.
        """
        body, C_G = self.rows
        C, count = self.C_BBcm_B[body], len(self.known)
        votes = []
        sizes = [_measure(resemblance.size_ratio(each, C_G)) for each in (C, C_meant[:, body])]
        steady = (
            np.abs(sizes[1]) <= np.abs(sizes[0]) + limits.STEADY,
            np.abs(sizes[0]) <= np.abs(sizes[1]) + limits.STEADY,
        )
        misfits = [resemblance.misfit(each, C_G) for each in (C, C_meant[:, body])]
        for together in (False, True):
            forms = misfits
            if together:
                forms = [np.hypot(form, size) for form, size in zip(misfits, sizes, strict=True)]
            before, after = (np.nan_to_num(form, nan=_WORST) for form in forms)
            log = np.log(np.maximum(before, limits.FIT) / np.maximum(after, limits.FIT))
            pro = (
                (log >= np.log(limits.GAIN))
                & (before - after >= limits.DROP)
                & (after <= limits.CLOSE)
            )
            contra = (
                (log <= -np.log(limits.GAIN))
                & (after - before >= limits.DROP)
                & (before <= limits.CLOSE)
            )
            if not together:
                pro, contra = pro & steady[0], contra & steady[1]
            # (K, R) geometries that fit two readings equally well, beside one of their body that
            # tells.
            silent: Flags = np.abs(log) <= np.log(SILENT)
            silent = silent & ~_all_of(body, silent, count)[:, body]
            weight = np.zeros((len(C_meant), count))
            weight[:, body] = np.inf
            np.minimum.at(weight.T, body, np.where(silent, np.inf, log).T)
            pro, contra = (_all_of(body, each | silent, count) for each in (pro, contra))
            votes.append((pro, contra, weight))
        (pro, contra, weight), (pro_both, contra_both, weight_both) = votes
        pro, contra = pro | pro_both, contra | contra_both | self._find_exact(*misfits)
        return pro & ~contra, contra & ~pro, np.where(pro | contra, weight, weight_both)

    def _find_exact(self, before: Floats, after: Floats) -> Flags:
        """(K, N) bodies that agree with one of their shapes to the last screw, until changed.

        Such numbers were computed from that shape, unless the reading fits another shape better.
        Below limits.FIT no better fit counts in a vote, so that without this a reading of the
        model would change them.

        Args:
            before: (R,) misfits of the numbers as written.
            after: (K, R) misfits of the readings.
        """
        exact = (before <= limits.EXACT) & (after >= limits.INEXACT)
        closer = limits.GAIN * after <= before  # another shape speaks for the reading
        found = np.zeros((2, len(after), len(self.known)), dtype=bool)
        for flags, own in zip(found, (exact, closer), strict=True):
            np.logical_or.at(flags.T, self.rows[0], own.T)
        only_exact: Flags = found[0] & ~found[1]
        return only_exact

    def _can_hold(self, mass: Floats) -> Flags:
        """(K, N) bodies whose shapes can hold a mass: neither denser than any metal, nor air."""
        likeness = self.examination.likeness
        with np.errstate(all="ignore"):
            factors = (mass / self.mass)[:, likeness.body]
            over_box, over_shapes = (factors * each for each in likeness.density.T)
        holds = np.ones(mass.shape, dtype=bool)
        impossible = (over_box > DENSEST) | (over_shapes < limits.LIGHTEST)
        rows = np.nonzero(impossible)
        holds[rows[0], likeness.body[rows[1]]] = False
        return holds

    def _by_unit(self, mass: Floats, C_meant: Floats) -> tuple[Flags, Flags, Floats]:
        """Votes by size against the shapes, and by the density of the equivalent box."""
        body, C_G = self.rows
        count = len(self.known)
        before = np.abs(_measure(resemblance.size_ratio(self.C_BBcm_B[body], C_G)))
        after = np.abs(_measure(resemblance.size_ratio(C_meant[:, body], C_G)))
        density = self.examination.assembly.density
        meant = resemblance.equivalent_density(mass, C_meant)
        likely = ~_is_beyond(meant, limits.DENSITIES) & _is_beyond(density, limits.ODD_DENSITIES)
        with np.errstate(all="ignore"):
            # Meshes in millimetres leave mass and tensor as they are: their density is usual.
            nearer = np.abs(np.log(meant / limits.USUAL_DENSITY)) < np.abs(
                np.log(density / limits.USUAL_DENSITY)
            )
        far = (before > np.log(limits.ODD_SIZE)) | _is_beyond(density, limits.ODD_DENSITIES)[body]
        fits = nearer & _all_of(body, (after < np.log(limits.SIZE)) & far, count)
        # Loose stand-ins show that a size becomes better, where the density says the same.
        better = (after < np.log(limits.LOOSE_SIZE)) & (after < before - np.log(limits.ODD_SIZE))
        fits |= likely & _all_of(body, better, count)
        pro = np.where(self.seen, fits, likely) & self._can_hold(mass)
        stays = _all_of(body, (before < np.log(limits.ODD_SIZE))[None], count)
        contra = ~_is_beyond(density, limits.DENSITIES) & (~self.seen | stays)
        with np.errstate(all="ignore"):
            # The density of a box changes with the third power of its size.
            off = np.abs(np.log(meant / limits.USUAL_DENSITY)) / 3
        off[:, body] = 0.0
        np.maximum.at(off.T, body, after.T)
        return pro, np.broadcast_to(contra, pro.shape).copy(), np.nan_to_num(-off, nan=-_WORST)


def _measure(ratio: Floats) -> Floats:
    """Logarithms of size ratios; a size that does not exist is far from every other."""
    with np.errstate(all="ignore"):
        log = np.log(ratio)
    known: Floats = np.where(np.isfinite(log), log, np.where(log < 0, -_WORST, _WORST))
    return known


def _all_of(body: Indices, rows: Flags, count: int) -> Flags:
    """(K, N) bodies that have rows, all of which are flagged in (K, R)."""
    flagged = np.zeros((len(rows), count), dtype=bool)
    flagged[:, body] = True
    np.logical_and.at(flagged.T, body, rows.T)
    return flagged


def _is_beyond(values: Floats, range_: tuple[float, float]) -> Flags:
    """(...,) values that lie outside a range, or are not numbers."""
    low, high = range_
    with np.errstate(invalid="ignore"):
        beyond: Flags = ~((values >= low) & (values <= high))
    return beyond


def _exist(C: Floats) -> Flags:
    """(...,) spreads that bodies can have."""
    values = np.linalg.eigvalsh(C)
    size = np.sum(np.abs(values), axis=-1)
    with np.errstate(all="ignore"):
        margin = values[..., 0] / size
    floor = float(tolerances.floor(np.ones(())))
    exist: Flags = (size > 0) & (margin >= -floor)
    return exist


_DISTINCT = 0.01
"""Relative difference from which two moments have an order; below it a body counts as one with an
axis of symmetry."""

_TURNED = 0.25
"""Share of bodies with a rotated inertial above which moments say nothing by their order: compiled
models state sorted moments and the rotation of their axes, by design."""


class SortedMoments(NamedTuple):
    """Diagonal tensors of a model that are all in one order of size.

    Attributes:
        order: The order in which all of them are.
        bodies: (N,) bodies in that order; isotropic ones have none.
        voters: (N,) bodies of these whose numbers were not made up or copied.
        distinct: (N,) bodies in that order with three different moments.
        pro: (N,) bodies in that order whose shapes have these moments about other axes.
        contra: (N,) bodies in that order whose shapes fit the tensor as it is written.
    """

    order: Literal["ascending", "descending"]
    bodies: Flags
    voters: Flags
    distinct: Flags
    pro: Flags
    contra: Flags


def find_sorted_moments(votes: Votes) -> SortedMoments | None:
    """Find the one order of the moments of all tensors of a model.

    Returns:
        None where fewer than three bodies have an order, where a tensor has products or another
        order, or where many inertials are rotated.
    """
    diagonal, products = votes.six[:, [0, 3, 5]], votes.six[:, [1, 2, 4]]
    size = np.max(np.abs(diagonal), axis=1, initial=0.0)
    stated = votes.stated & votes.known
    with np.errstate(invalid="ignore"):
        steps = np.diff(diagonal, axis=1)
        ordered = stated & np.any(np.abs(steps) > tolerances.SAME_READING * size[:, None], axis=1)
        oblique = np.any(np.abs(products) > tolerances.ROTATED_ZERO * size[:, None], axis=1)
    if np.sum(ordered) < limits.VOTES or np.any(oblique & stated):
        return None
    voters = ordered & votes.voters  # looks at the texts, and therefore comes last
    turned = np.any(np.abs(votes.R_BBi - np.eye(3)) > tolerances.ROTATED_ZERO, axis=(1, 2))
    if np.sum(voters & turned) > _TURNED * np.sum(voters):
        return None
    slack = tolerances.SAME_READING * size[:, None]
    rises, falls = np.all(steps >= -slack, axis=1), np.all(steps <= slack, axis=1)
    straight = voters & ~turned
    if np.sum(straight) < limits.VOTES or not (np.all(rises[straight]) or np.all(falls[straight])):
        return None
    ascending = bool(np.all(rises[straight]))
    bodies = ordered & (rises if ascending else falls)
    distinct = np.all(np.abs(steps) > _DISTINCT * size[:, None], axis=1)
    # Bodies whose shapes have their moments about other axes; and those that fit as written.
    body, C_G = votes.rows
    C, count = votes.C_BBcm_B[body], len(votes.known)
    with np.errstate(all="ignore"):
        before, after = resemblance.misfit(C, C_G), resemblance.shape_distance(C, C_G)
        fits = before <= limits.DROP
        other = (before - after >= limits.DROP) & (after <= limits.CLOSE)
        other &= before >= limits.GAIN * np.maximum(after, limits.FIT)
    pro, contra = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    pro[body[other]] = True
    contra[body[fits]] = True
    flags = (bodies & each for each in (voters, distinct, pro & ~contra, contra))
    return SortedMoments("ascending" if ascending else "descending", bodies, *flags)


def restore_axes(votes: Votes, bodies: Flags) -> Floats:
    """Give the moments of some bodies the axes that suit their shapes best.

    Args:
        votes: The bodies of the model.
        bodies: (N,) bodies to change, all of which have shapes.

    Returns:
        (N, 6) tensors in the inertials' own axes: the moments in the order that fits best, or
        along the principal axes of the shapes where that fits clearly better [kg m^2].
    """
    meant = votes.six.copy()
    for index in np.flatnonzero(bodies).tolist():
        R_BBi = votes.R_BBi[index]
        shapes = resemblance.rotate(R_BBi.T, votes.rows[1][votes.rows[0] == index])
        C_BBcm_Bi = resemblance.spread(votes.mass[index], resemblance.matrices(votes.six[index]))
        orders = np.array([C_BBcm_Bi[np.ix_(order, order)] for order in permutations(range(3))])
        spreads = np.linalg.eigvalsh(C_BBcm_Bi)
        along = np.array([(V * spreads) @ V.T for V in np.linalg.eigh(shapes)[1]])
        best = [
            tensors[np.argmin(np.max(resemblance.misfit(tensors[:, None], shapes), axis=1))]
            for tensors in (orders, along)
        ]
        rest = [float(np.max(resemblance.misfit(each, shapes))) for each in best]
        C = best[0] if rest[0] <= rest[1] + limits.FIT else best[1]
        meant[index] = resemblance.entries(resemblance.inertia(votes.mass[index], C))
    return meant
