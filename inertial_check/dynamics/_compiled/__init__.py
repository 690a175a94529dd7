"""Loops over configurations that Numba compiles, beside the NumPy path of `equations`.

The modules: choice (which batches take them), layout (a tree and its configurations as numbers),
vectors (triples of numbers, and the compiler), places (poses of joint frames), motions (recursive
Newton-Euler), matrices (mass matrix), regressors, articulated (forward dynamics). Only choice may
be imported without Numba.
"""
