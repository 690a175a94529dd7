"""IC403: the inertia of a body together with the fluid that it moves."""

from __future__ import annotations

from collections.abc import Iterator

from inertial_check.evidence import Examination
from inertial_check.evidence.added_mass import (
    Margins,
    has_known_numbers,
    is_to_blame,
    measure_added_mass,
    read_added_mass,
)
from inertial_check.model import Body, Finding, Inertial, Severity
from inertial_check.model.entries import MOTIONS as ROWS
from inertial_check.rules._base import Rule, hull


class AddedMassNotPositiveDefinite(Rule):
    """A body and the added mass of its fluid have, together, no positive inertia in some direction.

    ## What it does
    Reports a <fluid_added_mass> of an SDF whose sum with the 6x6 inertia of the link, both about
    the link's origin, is not positive definite: some motion would have a kinetic energy of zero or
    less. An added mass that is negative somewhere is not reported while the sum is sound: that of a
    body near a free surface can be. Nothing is said of a link whose own inertia is to blame, which
    has its own codes, nor of one whose inertia is computed from its collisions.

    ## Why is this bad
    A force along that motion accelerates the body backwards. libsdformat accepts the numbers;
    Gazebo hands the sum to DART, which aborts where it is built with assertions ("Assertion
    `!math::isNan(partialAcceleration)' failed.", gz-sim issue 3246). DART 6.20.0 built without
    them lets the body run away until its numbers overflow, and then says: "Non-finite joint
    accelerations detected for joint [...]. Setting accelerations to zero to avoid instability."

    ## Example
        <sdf version="1.10"><model name="buoy"><link name="hull">
          <inertial>
            <mass>20</mass>
            <inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>
            <fluid_added_mass><xx>-6</xx><yy>-24</yy><zz>-24</zz></fluid_added_mass>
          </inertial>
        </link></model></sdf>

    ## Use instead
        <sdf version="1.10"><model name="buoy"><link name="hull">
          <inertial>
            <mass>20</mass>
            <inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>
            <fluid_added_mass><xx>6</xx><yy>24</yy><zz>24</zz></fluid_added_mass>
          </inertial>
        </link></model></sdf>

    ## Tolerance
    The least eigenvalue of the sum about the centre of mass, in units in which its masses and its
    inertias have the norm 1, is compared with the rounding of the arithmetic, 8 eps kappa; kappa is
    what the shift from the origin to the centre of mass cancels. The digits of the text are taken
    as they are.

    ## Fix
    `fix` writes the nearest added mass that is positive semidefinite, where that changes it by no
    more than 5 %. Where all signs are wrong, by hand: the hydrodynamic derivatives of marine craft,
    X_u' and so on, are minus the added masses that SDF asks for. Where single products are too
    large: each may be at most the root of the product of its two diagonal entries.

    ## References
    SDF 1.10, inertial.sdf, fluid_added_mass ("about the link's origin"); gz-physics,
    dartsim/src/AddedMassFeatures.cc; the page on Gazebo and DART; Fossen, Handbook of Marine Craft
    Hydrodynamics and Motion Control, 2011.
    """

    code, name = "IC403", "added-mass-not-positive-definite"
    severity = Severity.ERROR

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding a body whose sum is not positive definite, all judged together."""
        told = [
            (body, body.inertial, judgement, added)
            for body, judgement in zip(self.model.bodies, examination.judgements, strict=True)
            if body.inertial is not None and body.inertial.fluid_added_mass
            if has_known_numbers(judgement, added := read_added_mass(body.inertial))
        ]
        if not told:
            return
        margins = measure_added_mass(
            [judgement for *_, judgement, _ in told], [added for *_, added in told]
        )
        for (body, inertial, *_), margin in zip(told, margins, strict=True):
            if is_to_blame(margin):
                yield self._of(body, inertial, margin)

    def _of(self, body: Body, inertial: Inertial, values: Margins) -> Finding:
        diagonal = [inertial.fluid_added_mass[i][i] for i in range(6)]
        negative = sum(number.value < 0 for number in diagonal)
        way = (
            f"{negative} of its 6 diagonal entries are negative: SDF asks for added masses, which "
            "hydrodynamic derivatives are the negatives of"
            if negative
            else "no product may exceed the root of the product of its two diagonal entries"
        )
        together, alone, fluid = (
            f"{values[name]:.3g}" for name in ("margin", "rigid_margin", "added_margin")
        )
        message = (
            f"body and fluid_added_mass together are not positive definite (margin {together}, "
            f"more than 0 is needed; the body alone {alone}, the added mass alone {fluid}); {way}"
        )
        numbers = [number for row in inertial.fluid_added_mass for number in row]
        about = [f"{row}{row}" for row, n in zip(ROWS, diagonal, strict=True) if n.value < 0]
        about = about or [f"{row}{column}" for row in ROWS for column in ROWS]
        span = hull(numbers, inertial.span)
        return self.at(span, message, body, dict(values), about=about)
