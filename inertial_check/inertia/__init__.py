"""What the ten inertial parameters of a rigid body are: arrays in, arrays out.

Every function is batched over leading axes and keeps the array library, the precision and the
device of its input; no files, no text, no solver. The class over them is
inertial_check.InertialParameters, the judgement inertial_check.check.
"""

from inertial_check.inertia.equivalents import (
    equivalent_box,
    equivalent_ellipsoid,
    radius_of_gyration,
)
from inertial_check.inertia.frames import add, merge, rotate, transform, translate
from inertial_check.inertia.representations import (
    ABOUTS,
    ORDERS,
    SPATIAL_ORDERS,
    about_com,
    about_origin,
    inertia_from_second_moment,
    join,
    pseudo_inertia,
    reorder,
    second_moment,
    six,
    spatial_inertia,
    split,
    symmetric,
    theta_from_pseudo_inertia,
    theta_from_spatial_inertia,
)

__all__ = [
    "ABOUTS",
    "ORDERS",
    "SPATIAL_ORDERS",
    "about_com",
    "about_origin",
    "add",
    "equivalent_box",
    "equivalent_ellipsoid",
    "inertia_from_second_moment",
    "join",
    "merge",
    "pseudo_inertia",
    "radius_of_gyration",
    "reorder",
    "rotate",
    "second_moment",
    "six",
    "spatial_inertia",
    "split",
    "symmetric",
    "theta_from_pseudo_inertia",
    "theta_from_spatial_inertia",
    "transform",
    "translate",
]
