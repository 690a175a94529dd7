"""Shapes of a body, cut into cells that can hold mass."""
