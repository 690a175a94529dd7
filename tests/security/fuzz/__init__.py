"""Fuzzer of every input that a stranger can give: seeds, mutations, targets and a runner.

An input is determined by the name of its target, a seed and a number. `python tests/security/fuzz`
runs many, or one again; tests/security/test_fuzz.py runs a few hundred with the other tests.
"""
