"""Rotations, spatial vectors, the KSL form, added mass and trees of bodies, as arrays."""
