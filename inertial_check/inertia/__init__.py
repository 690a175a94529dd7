"""The ten inertial parameters of a body: forms, frames, units, conditions with proof, solids."""
