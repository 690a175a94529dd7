"""IC2xx: the centre of mass."""

from __future__ import annotations

from inertial_check.model import Severity
from inertial_check.rules._doubts import DoubtRule


class CenterOutsideGeometry(DoubtRule):
    """The centre of mass lies outside the shapes of the body.

    ## What it does
    Reports a centre of mass outside the convex hull of the body's shapes and joints, by more than a
    tenth of their extent. Where a body has shapes to be seen and shapes to touch, it has to lie
    outside both.

    ## Why is this bad
    A mean of points of a body lies in their convex hull. A lost sign, millimetres in a file of
    metres, or coordinates in the CAD assembly's frame put it elsewhere; gravity then pulls where
    nothing is, and the joint carries a torque that the robot does not feel.

    ## Example
        <link name="finger">
          <inertial>
            <origin xyz="0 0 -0.1"/>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0001"/>
          </inertial>
          <visual><origin xyz="0 0 0.1"/><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>

    ## Use instead
        <link name="finger">
          <inertial>
            <origin xyz="0 0 0.1"/>
            <mass value="0.5"/>
            <inertia ixx="0.0018" ixy="0" ixz="0" iyy="0.0018" iyz="0" izz="0.0001"/>
          </inertial>
          <visual><origin xyz="0 0 0.1"/><geometry><box size="0.03 0.03 0.2"/></geometry></visual>
        </link>

    ## Tolerance
    0.1 of the diagonal of the box about the shapes; 0.3 where some of the body's shapes cannot be
    read. With the preset strict 0.02 and 0.06.

    ## Fix
    By hand: see the causes of the finding.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC201", "center-outside-geometry", Severity.WARNING


class CenterFarAway(DoubtRule):
    """The centre of mass is out of all proportion to the body.

    ## What it does
    Reports, where no geometry can be read, a centre of mass that is thirty times as far from the
    body's origin as the mass spreads and the joints reach, together.

    ## Why is this bad
    It is what millimetres look like in a file of metres: three decimal places.

    ## Example
        <origin xyz="0 12 95"/>
        <mass value="1.2"/>
        <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Use instead
        <origin xyz="0 0.012 0.095"/>
        <mass value="1.2"/>
        <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.001"/>

    ## Tolerance
    30 times; 10 times with the preset strict. Parts of vehicles whose frames all stand at the
    vehicle's origin reach 15.

    ## Fix
    By hand: see the causes of the finding.

    ## References
    The plausibility page.
    """

    code, name, severity = "IC202", "center-far-away", Severity.WARNING
