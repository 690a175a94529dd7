"""The identification problem: samples, priors, solvers and the certified result."""
