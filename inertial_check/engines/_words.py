"""Numbers in the words of predictions."""

from __future__ import annotations

from collections.abc import Iterable
from math import cbrt, pi

BOX = "the inertia of its collision shapes at 1000 kg/m^3"


def listed(values: Iterable[float]) -> str:
    """Numbers, separated by commas."""
    return ", ".join(f"{value:.6g}" for value in values)


def moments(values: Iterable[float]) -> str:
    """Principal moments."""
    return f"principal moments {listed(values)} kg m^2"


def body(mass: float, values: Iterable[float]) -> str:
    """A mass with its principal moments."""
    return f"{mass:.6g} kg, {moments(values)}"


def sphere(mass: float, density: float) -> str:
    """A solid sphere of some density [kg/m^3]."""
    radius = cbrt(3 * mass / (4 * pi * density))
    inertia = 0.4 * mass * radius**2
    return f"a sphere of {density:.6g} kg/m^3: {mass:.6g} kg, I = {inertia:.6g} kg m^2"
