"""The command `fill`: inertials from shapes, densities and known sums, as a convex problem."""
