"""Rigid-body dynamics of trees on arrays of configurations: no files, no engine.

The modules: tree (bodies and joints), kinematics (poses, Jacobians), coordinates (rates of the
coordinates and velocities), equations (mass matrix, bias, gravity, regressor, energies), forward
(accelerations under given forces), composites (mass, centre of mass, momentum and inertia of the
whole), forces (wrenches and contacts as forces of the joints), newton_euler (the equations by the
projected Newton-Euler sums), impacts (collisions and other velocities). Notation, conventions and
equations: the dynamics page of the documentation.
"""
