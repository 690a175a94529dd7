"""New numbers into files: fixes, filled inertials, differences and tables."""
