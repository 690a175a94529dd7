"""The limits of the votes of a model's bodies, each with the reason for its value."""

GAIN = 2.0
"""Times that one reading fits better than the other where a body votes: of 75 models with three
votes on the signs of products all but two are clear then, and all that are against are wrong."""

DROP = 0.15
"""Least difference of two misfits where a body votes: 36 of 38 planted signs and points exceed it,
and honest shapes differ from each other by less."""

FIT = 0.05
"""Misfit of a correct body, left by the screws, motors and cables that its shapes do not show."""

CLOSE = 0.3
"""Largest misfit of a reading that a body votes for; a better fit that is still bad tells
nothing."""

STEADY = 0.1
"""Change of the logarithm of a size up to which a reading leaves the size as good as it was."""

VOTES = 3
"""Least number of votes for a reading: two bodies agree by chance."""

SIZE = 1.8
"""Ratio of sizes up to which a unit is the one that was meant: a factor of 3 in the tensor."""

LOOSE_SIZE = 2.5
"""Ratio of sizes up to which loose stand-ins may speak for a unit: IC502 has the same limit."""

ODD_SIZE = 4.0
"""Ratio of sizes up to which no unit is missing: the smallest factor of a unit is 30 in size."""

DENSITIES = (50.0, 12_000.0)
"""Densities [kg/m^3] of equivalent boxes of links, from a hollow cover to lead."""

ODD_DENSITIES = (5.0, 50_000.0)
"""Densities [kg/m^3] of equivalent boxes that no link has."""

LIGHTEST = 1.0
"""Density [kg/m^3] below which no mass fills its shapes: foam has 15, air 1.2."""

USUAL_DENSITY = 800.0
"""Density [kg/m^3] of the equivalent box of the median link of 1,214 models."""

ALONG = 0.9
"""Least cosine between the centre of mass and the axis of the negative spread that a parallel-axis
term leaves where it was subtracted once too often."""

DISTANT = 0.3
"""Square of the distance of the centre of mass from the origin, over the trace of the spread, from
which a tensor about the centre is hardly ever one about the origin: of 1,775 different parts 8 %
are, and of no model with three such parts all."""
