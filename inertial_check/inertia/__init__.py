"""What the ten inertial parameters of a rigid body are: arrays in, arrays out.

Every function is batched over leading axes and keeps the array library, the precision and the
device of its input; no files, no text, no solver. Import what is needed from its module:
representations, frames, spatial, compact, rotations, kinematics, equivalents, eigen, consistency,
intervals, printed, densities, meshes, integrals, randomisation, sampling; the class over them is
inertial_check.InertialParameters.
"""
