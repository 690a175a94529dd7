"""Rigid-body algebra on arrays: everything that is made of a rotation and a position.

The modules: vectors (spatial vectors and Plücker transforms), compact (the KSL form of an inertia),
factor (its square root), rotations (parameterisations), rotation_calculus (derivatives), kinematics
(angular velocities and poses), added_mass (the fluid around a body).
"""

from inertial_check.spatial.normalization import nearest_rotation as nearest_rotation
from inertial_check.spatial.normalization import normalize_quaternion as normalize_quaternion
