"""IC7xx: formats and engines."""

from __future__ import annotations

from inertial_check.model import Severity
from inertial_check.rules._base import ProblemRule


class CompiledOtherwise(ProblemRule):
    """The document makes its engine use other numbers, or other bodies, than those written.

    ## What it does
    Reports settings of an MJCF document by which MuJoCo leaves the written numbers: inertiafromgeom
    ignores an inertial, boundmass and boundinertia raise its numbers, balanceinertia replaces
    moments that no body has, settotalmass scales all of them, a replicate copies bodies. In an
    SDF it is what stands beside auto="true". The verdict is on what is written; where the geometry
    stands in for it, the verdict is "derived".

    ## Why is this bad
    Who reads the file reads other numbers than those that are simulated. balanceinertia hides a
    mistake: the mean of three moments is a body, but not the one that was meant.

    ## Example
        <mujoco>
          <compiler balanceinertia="true"/>
          <worldbody>
            <body name="forearm">
              <joint/>
              <inertial pos="0 0 0.1" mass="1.2" diaginertia="0.001 0.001 0.02"/>
            </body>
          </worldbody>
        </mujoco>

    ## Use instead
        <mujoco>
          <worldbody>
            <body name="forearm">
              <joint/>
              <inertial pos="0 0 0.1" mass="1.2" diaginertia="0.001 0.001 0.002"/>
            </body>
          </worldbody>
        </mujoco>

    ## Tolerance
    None: numbers are compared as MuJoCo does.

    ## Fix
    By hand: write the numbers that are meant, and take the setting out.

    ## References
    MuJoCo XML reference, element compiler; verified against MuJoCo 4.0.0.
    """

    code, name, severity, kind = "IC710", "compiled-otherwise", Severity.NOTE, "engine"
