"""The estimate: samples, reduction, the convex problem, and what its result is worth."""
