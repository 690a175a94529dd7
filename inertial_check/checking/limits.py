"""The limits of the votes of a model's bodies, each with the reason for its value.

The limits of plausible bodies, each with its reason.

Where a text gives no measured figure, the number was chosen for the reason that it states;
docs/plausibility.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from types import MappingProxyType
from typing import NamedTuple

MOST_EXPLAINED = 500
"""Largest number of bodies of one document whose probable causes and remedies are looked for: the
robots of the corpora have 100 at most, and 20,000 bodies would take more than a minute."""

MOST_TRIED = 5000
"""Largest number of bodies of a model in which remedies are tried, each on the whole model."""

MOST_SUPPRESSIONS = 1000
"""Largest number of rules named by the suppressing comments of one document: each is compared with
every finding, and no model of the corpora has more than a few."""

MOST_TOLD = 100
"""Largest number of findings of one kind about the suppressing comments of one document: the others
are like them, and a report of all would be thirty times as large as the comments."""

GAIN = 2.0
"""Ratio of two misfits from which a body votes for the reading that fits better. Of 75 models with
three such bodies 63 are for the signs of their products as written, 10 against, which are all
defects, and 2 are mixed."""

EXACT = 0.01
"""Misfit of numbers that were computed from a shape; chosen. Two links of a robot whose older links
have products of the other sign have 0.002 and 0.003, and more than INEXACT with theirs negated."""

INEXACT = 0.02
"""Misfit from which the same numbers in another reading are those of the shape no more; chosen."""

DROP = 0.15
"""Least difference of two misfits from which a body votes: 36 of 38 planted mistakes of sign, point
and axes that were found exceed it."""

FIT = 0.05
"""Misfit below which a better fit counts for no more; chosen, as the screws, motors and cables that
shapes do not show leave about as much."""

CLOSE = 0.3
"""Largest misfit of a reading that a body votes for; chosen, well below the 0.82 between a rod and
a ball: a better fit that is still bad tells nothing."""

STEADY = 0.1
"""Change of the logarithm of a size up to which a reading leaves the size as good as it was;
chosen, a tenth, as honest sizes differ by a third."""

VOTES = 3
"""Least number of votes for a reading; chosen, since two bodies can agree by chance."""

SIZE = 1.8
"""Ratio of sizes up to which a unit is the one that was meant; chosen, a factor of 3 in the tensor:
units of inertia are a factor of 10 apart, but for lb in^2 and its neighbours, which are 3."""

LOOSE_SIZE = 2.5
"""Ratio of sizes up to which loose stand-ins may speak for a unit; chosen as the limit of IC502 for
bodies whose shapes are partly seen."""

ODD_SIZE = 4.0
"""Ratio of sizes up to which no unit is missing; chosen: grams for kilograms are 30 in size, and
honest sizes differ by 1.4."""

DENSITIES = (50.0, 12_000.0)
"""Densities [kg/m^3] of equivalent boxes of links; chosen, from a hollow cover to lead."""

ODD_DENSITIES = (5.0, 50_000.0)
"""Densities [kg/m^3] beyond which a unit is sought; chosen, half the density of the lightest bodies
in docs/plausibility.md, and twice that of osmium."""

LIGHTEST = 1.0
"""Density [kg/m^3] below which no mass fills its shapes; chosen: foam has 15, air 1.2."""

USUAL_DENSITY = 800.0
"""Density [kg/m^3] of the equivalent box of a usual link; chosen, near the middle of the range from
430 to 1,760 that holds half of the bodies in docs/plausibility.md."""

ALONG = 0.9
"""Least cosine between the centre of mass and the axis of the negative spread that a parallel-axis
term leaves where it was subtracted once too often; chosen, 26 degrees, since the body's own spread
turns the axis."""

DISTANT = 0.3
"""Square of the distance of the centre of mass from the origin, over the trace of the spread, from
which a tensor about the centre is seldom possible as one about the origin, too: it is in 8 % of
1,775 different parts."""


class Limits(NamedTuple):
    """The thresholds of one preset.

    Attributes:
        outside: Centre of mass outside the convex hull, in parts of the extent.
        far: Centre of mass from the origin, in sizes of body and skeleton together.
        size: Size against that of the geometry, either way.
        density: [kg/m^3] of what fills a trustworthy geometry.
        box_density: [kg/m^3] of the equivalent box, where no geometry is known.
        discrepancy: From the geometry, above which other readings are sought.
        gain: How many times better another reading has to fit.
        drop: By how much another reading has to lessen the misfit.
        angle: Between principal axes that belong together [rad].
        twin_mass: Ratio of the masses of twins.
        twin: Relative difference of the moments of twins, and of where they lie.
    """

    outside: float
    far: float
    size: float
    density: tuple[float, float]
    box_density: tuple[float, float]
    discrepancy: float
    gain: float
    drop: float
    angle: float
    twin_mass: float
    twin: float


LIMITS: Mapping[str, Limits] = MappingProxyType(
    {
        "default": Limits(
            outside=0.1,
            far=30.0,
            size=2.0,
            density=(10.0, 25_000.0),
            box_density=(10.0, 30_000.0),
            discrepancy=0.15,
            gain=2.5,
            drop=0.15,
            angle=radians(20),
            twin_mass=1.2,
            twin=0.15,
        ),
        "strict": Limits(
            outside=0.02,
            far=10.0,
            size=1.6,
            density=(50.0, 12_000.0),
            box_density=(50.0, 15_000.0),
            discrepancy=0.1,
            gain=2.0,
            drop=0.1,
            angle=radians(10),
            twin_mass=1.05,
            twin=0.05,
        ),
    }
)

MILDER_SIZE = 0.8
"""Factor on `size` for all of a body's shapes, where one of them exceeds it by the inverse: a
collision hull is up to 1.7 times as large as what it stands in for. Honest bodies that differ from
all their shapes, foam tyres on metal hubs, reach 1.9 and 2.4."""

PARTLY_SEEN_OUTSIDE = 3.0
"""Factor on `outside` for bodies with shapes that could not be used: the others are
stand-ins."""

REACH = 2.0
"""Distance from its centre that a body reaches, in its sizes; half the diagonal of a box is 1.7."""

PARTLY_SEEN_SIZE = 1.25
"""Factor on `size` for bodies with shapes that could not be used."""

PARTLY_SEEN_GAIN = 1.2
"""Factor on `gain` for bodies with shapes that could not be used, which 2.5 brings to 3."""

SHAPE_FIT = 0.05
"""Misfit of a correct body, left by the screws, motors and cables that its shapes do not show."""

CLEAR = 1.5
"""Factor on the misfit of honest bodies by which another reading has to lessen the misfit for a
warning. Chosen: half more than what honest bodies have, which asks for 0.27 where the centres are
6 % apart; where they agree, the limit `drop` is the larger one."""

CLEAR_TURN = 2.5
"""Factor like CLEAR for a turn, which is the best of ten readings and so fits more often by chance.
Of 25 warnings on sound bodies 17 stayed with it, and of 40 planted wrong frames 28 are found, two
less."""

EXACT_MATCH = 0.01
"""Discrepancy up to which a reading is that of the very shapes, wherever the centre of mass is;
chosen: chance hardly gives two digits of a form."""

SIZE_SPREAD = 2.0
"""Logarithm of the size that honest bodies may have, for one unit of their misfit. Chosen so that
the limit of 2 grows to 2.9 where the centres are 6 % apart, as with foam tyres on metal hubs."""

UNLIKE = 0.6
"""Misfit from all its shapes that an honest body does not have: none of 1,022 bodies called clean
exceeds it. Between a rod and a ball it is 0.82."""

STANDING = 4.0
"""Times the misfit of honest bodies above which a form is another one, where its shapes stand for
the mass: of 300 bodies whose centres and sizes agree with their shapes the most is 3.8."""

LEAST_UNLIKE = 0.25
"""Least misfit of a body of another form, however well its shapes stand; honest ones that do leave
0.23 at most."""

CLOSE_BODIES = 0.3
"""Largest discrepancy that another reading may leave; chosen: a better fit that is still bad
explains nothing."""

STEEL = (7_700.0, 8_050.0)
"""Densities of steels [kg/m^3], and of iron (7,870)."""

ONE_MATERIAL = 5e-3
"""Relative deviation of densities of one material: masses are printed with three digits."""

VOTES_OF_MATERIAL = 4
"""Least number of different parts that show what material a program assumed; chosen: a tool may
have three parts of steel."""

MOST_OF_MATERIAL = 0.5
"""Least share of the parts with closed shapes that have it; chosen: some may be weighed."""

FRAME_SHARE = 0.01
"""Share of the total mass below which a fixed body, in a box shorter than the links, is a frame
that had to be given some numbers."""

THICKNESS = 0.1
"""Least thickness of an equivalent box, in parts of its length, when its density is taken: printed
digits hold that of thin parts badly, and exact plates have none."""

PLAUSIBLE = (300.0, 8_000.0)
"""Densities [kg/m^3] at which a cube whose inertia is a power of ten may be meant as such: foam
core to steel."""

REPEATED = 3
"""Number of repetitions from which equal numbers are no longer a coincidence of two equal parts."""

OTHER_MASS = 1.5
"""Ratio of masses from which two bodies cannot share a tensor; parts of one size may differ in
material or carry one more screw."""

OTHER_SIZE = 1.2
"""Ratio of the sizes of their shapes above which two bodies are different parts."""

OTHER_VOLUME = 1.3
"""Ratio of the volumes of their shapes above which two bodies are different parts; meshes of one
part that were simplified differ by some percent."""

OTHER_FORM = 0.15
"""Misfit of form above which two bodies are different parts, or one part in another pose."""

OTHER_PLACE = 0.1
"""Distance of the centre of mass from the shapes, in parts of their extent, by which two bodies
differ that are not one part in one pose; a mirror image keeps it."""

OTHER_HOLES = 1.1
"""Ratio of the distances of their joints above which two bodies with different mesh files that
cannot be read are different parts; fingers and wheels of one family, whose files differ in the name
alone, have the same distances."""

FITTING_SIZE = 1.25
"""Ratio of the size of a body to that of its shapes up to which the numbers are its own."""

FITTING_FORM = 0.25
"""Misfit up to which the numbers of a body of the right size are its own."""

FITTING_PLACE = 0.25
"""Distance of the centre of mass from that of the shapes, in parts of their extent, up to which the
numbers are the body's own; chosen for links with a motor at one end."""

OTHER_JOINTS = 1.5
"""Ratio of the distances of their joints above which two bodies are different parts; one part can
have its joints in other holes."""

TWIN_SCATTER = 4.0
"""Factor on the 60th percentile of the offsets of a model's twins, above which one stands out; in
models whose sides were measured apart, all twins differ a little. With it and a limit of 0.1, 18
false pairs of other models were silent, and 29 of 44 missed defects were found."""

CARRIED = 0.2
"""Difference of the masses of twins with all that they carry, in parts of their own difference, up
to which the two sides only divide their mass otherwise; chosen: the difference of one body stays in
the sum."""


BLAME = 1.5
"""Factor by which one of two bodies contradicts its shapes more than the other, where it alone is
blamed."""

BLAME_LEAST = 0.05
"""Least difference of these contradictions; below it the finer mesh decides."""

ALONG_AXIS = 0.9999
"""Cosine above which a plane's normal is named by its axis: one degree."""

MAJORITY = 2.0
"""Votes for a reading of the whole model, for each vote against it: two thirds. Of 75 models with
three votes or more on the signs of products 73 are clear, and two are mixed."""

MENDED_BY_CHANCE: Mapping[str, float] = MappingProxyType(
    {"sign-of-products": 0.1, "component-order": 0.02, "about-link-origin": 0.085}
)
"""Probability that a reading makes a tensor valid by chance that is broken otherwise; about the
links' origins, that a sound tensor with a distant centre of mass is possible there, which 8 % of
1,775 different parts are."""

MENDED_OTHERWISE = 0.1
"""Probability like MENDED_BY_CHANCE for the other readings; chosen as that of the signs."""

SORTED_PARTS = 3.5
"""Number of different parts with sorted moments from which these are no chance. Of 14 real models
with three such parts or more none is sorted throughout; the most that a sound model of two
collections reaches is 2. Chosen between: links along one axis share two of three orders."""

SORTED_SEEN = 2.0
"""Parts for which one counts whose shapes have its moments about other axes; chosen: no sound model
that is sorted throughout has such a part that its numbers were not copied to."""

SORTED_ROUND = 0.5
"""Parts for which one with an axis of symmetry counts; chosen: chance puts it in line in one of
three cases, a part with three different moments in one of six."""

SORTED_FITTING = 0.5
"""Parts that one speaks against whose shapes fit the tensor as written; chosen: in sorted models
one of three fits by chance, in sound ones most do."""

PADDED_WITNESSES = 2
"""Number of bodies that show too few decimals, of three or more, where zeros at the ends of numbers
show a format; without these zeros it takes VOTES."""

MOST_GAIN = 20.0
"""Times that a reading fits one body better, at most, when readings are compared. Chosen: a misfit
of 1 is best beside one of 0.05, below which shapes do not stand for their bodies."""

UNIT_WIDTH = 0.35
"""Width of the likelihood of a unit: logarithm of the size ratio, median of the bodies, at which it
falls. Chosen from a motor in the middle of a cover, 0.7, and a thin shell, 1.3."""

MASS_UNITS = 0.3
"""Prior odds that masses and not tensors are in another unit; chosen: CAD prints many units of
inertia, and of mass grams beside kilograms."""

MOST_BODIES = 5
"""Number of bodies that count when units are compared: their shapes come from one source."""

LEAST_SHARE = 0.02
"""Least share of a reading of the model that is told."""

CONTRADICTED = 10.0
"""Votes for the numbers as written, for each vote for another reading of them, from which that
reading of one body is a note."""

NEAR_EXACT = 0.05
"""Largest misfit of a reading that is near exact: it stays a warning against all other bodies.
Chosen as FIT."""

OSMIUM = 22_590.0
"""[kg/m^3] Density of osmium: no body is denser."""

ELLIPSOID = 0.8876
"""Least density of a body over that of its equivalent box: of all bodies with one covariance the
full ellipsoid has the largest volume, 4/3 pi 5^1.5 in place of 12^1.5 times the root of the
determinant."""

LARGER_THAN_MODEL = 2.0
"""Times the length of the whole model that an edit may make a body long, or move its centre;
chosen: poses other than the zero of all joints reach farther."""

GUILT_WIDTH = 0.1
"""Distance from its shapes, in centre, size and form, that costs an honest body little; chosen
between the 0.03 of bodies whose centres agree with their shapes and the 0.18 of others."""

SIBLINGS = 20.0
"""Times as probable that a twin is right which a third body resembles in mass and moments, where
none resembles the other."""

MOST_GUILT = 4.0
"""Largest logarithm of the odds of guilt, 55 to 1: no witness is surer."""

GUILTY = 0.9
"""Probability of guilt from which one side is named alone, and edited."""

SAME_PLACE = 0.05
"""Share of its distance from the origin by which another frame has to move a centre of mass."""

MOVED = 0.25
"""Parts of the extent of its shapes by which another frame brings a centre of mass nearer to their
middle, from which the body speaks for the frame; chosen: links with a motor at one end reach it."""

INSIDE = 0.15
"""Largest distance from the middle of the shapes, in their extents, of a centre that is in the
right frame; chosen: 1 to 6 % are usual."""

MOVED_EXACTLY, MIDDLE = 0.1, 0.05
"""The same two limits for a place so near to the middle that chance hardly gives it."""

LOST_DIGITS = 4
"""Digits that two products have at least, beside a third that is 0 and was lost: rounding leaves a
0 once in 10,000."""
