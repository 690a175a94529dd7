"""Rigid-body dynamics of trees on arrays of configurations: no files, no engine.

The modules: tree (bodies and joints), kinematics (poses, Jacobians, velocities), equations (mass
matrix, bias, gravity, regressor, energies), newton_euler (the same by the projected Newton-Euler
equations), impacts (collisions and other velocities). Notation, conventions and equations: the
dynamics page of the documentation.
"""
