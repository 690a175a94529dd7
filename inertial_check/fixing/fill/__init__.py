"""Inertials from shapes, masses and sums that are known, as a convex problem."""
