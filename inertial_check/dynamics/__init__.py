"""Rigid-body dynamics of trees on arrays of configurations: no files, no engine.

Notation, conventions and equations: the dynamics page of the documentation.
"""
