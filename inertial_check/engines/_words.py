"""Texts of predictions: numbers with their units."""

from __future__ import annotations

from collections.abc import Iterable
from math import cbrt, pi

BOX = "the inertia of its collision shapes at 1000 kg/m^3"


def join(values: Iterable[float]) -> str:
    """Numbers with six digits, separated by commas."""
    return ", ".join(f"{value:.6g}" for value in values)


def moments(values: Iterable[float]) -> str:
    """Principal moments with their unit."""
    return f"principal moments {join(values)} kg m^2"


def body(mass: float, values: Iterable[float]) -> str:
    """A mass with its principal moments."""
    return f"{mass:.6g} kg, {moments(values)}"


def sphere(mass: float, density: float) -> str:
    """A solid sphere of a given density [kg/m^3], with its mass and moment of inertia."""
    radius = cbrt(3 * mass / (4 * pi * density))
    inertia = 0.4 * mass * radius**2
    return f"a sphere of {density:.6g} kg/m^3: {mass:.6g} kg, I = {inertia:.6g} kg m^2"
