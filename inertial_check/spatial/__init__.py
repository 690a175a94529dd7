"""Rigid-body algebra on arrays: spatial vectors, compact inertias, rotations and their calculus."""
