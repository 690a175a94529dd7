"""Knowledge of one model, from the command line and the table [fill] of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inertial_check.filling.known import (
    MATERIALS,
    Knowledge,
    LinkDensity,
    Pair,
    TotalMass,
    read_materials,
    resolve_links,
)
from inertial_check.model import Model

_PLAIN = {
    "density": "density",
    "twins": "twins",
    "prior": "prior",
    "density-range": "density_range",
    "divergence": "divergence",
}
"""Keys of the configuration whose values Knowledge takes as they are, and their fields."""


def complete_knowledge(
    given: Mapping[str, Any], configured: Mapping[str, Any], model: Model
) -> Knowledge:
    """Complete the fields that a command line gives by those that a configuration states.

    What is given wins: over a single value, over one body in a table of masses, and over the centre
    of mass together with the positions at which it was measured. Patterns of links that are given
    come first. Since a configuration holds for all models below it, its names count where a model
    has them, and its masses where the body is filled.

    Args:
        given: Fields of Knowledge that the command line gives.
        configured: The table [fill], read.
        model: The model.

    Raises:
        UsageError: A table of materials cannot be read, or a material is unknown.
        ParameterError: A number that cannot be.
    """
    fields = {field: configured[key] for key, field in _PLAIN.items() if key in configured}
    if "total-mass" in configured:
        fields["total_mass"] = TotalMass(*configured["total-mass"])
    if not {"center_of_mass", "positions"} & given.keys():
        joints = {joint.name for body in model.bodies for joint in body.joints}
        if "com" in configured:
            fields["center_of_mass"] = configured["com"]
            positions = configured.get("at", {})
            fields["positions"] = {name: q for name, q in positions.items() if name in joints}
    names = {name for body in model.bodies for name in (body.name, body.id)}
    fields["pairs"] = tuple(Pair(*p) for p in configured.get("pair", ()) if names.issuperset(p))
    fields |= given
    stated = _keep(configured.get("mass", {}), names)
    carried = _keep(configured.get("subtree-mass", {}), names)
    fields["masses"] = {**stated, **given.get("masses", {})}
    fields["subtree_masses"] = {**carried, **given.get("subtree_masses", {})}
    fields["tentative"] = frozenset(stated.keys() - given.get("masses", {}).keys())
    fields["links"] = (*given.get("links", ()), *_list_links(configured))
    return Knowledge(**fields)


def _keep(masses: Mapping[str, float], names: set[str]) -> dict[str, float]:
    return {name: mass for name, mass in masses.items() if name in names}


def _list_links(configured: Mapping[str, Any]) -> tuple[LinkDensity, ...]:
    """Densities by patterns: of the table `links`, then of the file of materials."""
    materials = configured.get("materials", {})
    is_file = isinstance(materials, str)
    known = MATERIALS if is_file else {**MATERIALS, **materials}
    links = resolve_links("fill.links", configured.get("links", {}), known)
    return (*links, *read_materials(materials)) if is_file else links
