"""The limits of the votes of a model's bodies, each with the reason for its value."""

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
