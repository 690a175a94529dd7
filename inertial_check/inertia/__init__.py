"""The ten inertial parameters of a rigid body: arrays in, arrays out.

Every function is batched over leading axes and keeps the array library, the precision and the
device of its input; no files, no text, no solver. Import a function from its module: parameters,
representations, frames, consistency, eigen, intervals, printed, equivalents, densities, primitives,
meshes, integrals, randomisation, sampling, resemblance, ordering, tolerances. The class over them
is inertial_check.InertialParameters.
"""
