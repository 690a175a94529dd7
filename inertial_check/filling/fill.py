"""Filling of a model's inertials, as Python callers and the command use it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

from inertial_check.arrays.broadcasting import quiet
from inertial_check.errors import expect
from inertial_check.filling.arguments import (
    read_center,
    read_links,
    read_named,
    read_number,
    read_pairs,
    read_range,
    read_total,
)
from inertial_check.filling.densities.problem import Divergence
from inertial_check.filling.filler import DIGITS, Filler, FillOptions
from inertial_check.filling.known import Knowledge
from inertial_check.filling.result import Filling
from inertial_check.filling.selection import (
    examine_model,
    note_derived_bodies,
    note_unmatched_patterns,
    select_targets,
)
from inertial_check.filling.shapes.pieces import ROLES
from inertial_check.fixing.result import Fix
from inertial_check.formats import load
from inertial_check.formats.context import Context
from inertial_check.geometry.shapes import check_choices
from inertial_check.model import Model, Role

__all__ = ["FillOptions", "fill", "fill_model"]


def fill(  # noqa: PLR0913 - each argument is one thing that may be known
    model_or_path: Model | str | os.PathLike[str] | bytes,
    *,
    bodies: Sequence[str] = (),
    density: float | None = None,
    materials: str | os.PathLike[str] | Mapping[str, float | str] | None = None,
    masses: Mapping[str, float] | None = None,
    total_mass: float | tuple[float, float] | None = None,
    subtree_masses: Mapping[str, float] | None = None,
    com: Sequence[float] | None = None,
    at: Mapping[str, float] | None = None,
    twins: bool = True,
    pairs: Sequence[Sequence[str]] = (),
    prior: Model | str | os.PathLike[str] | None = None,
    density_range: tuple[float, float] | None = None,
    divergence: Divergence = "entropic",
    roles: Sequence[Role] = ROLES,
    thickness: float | None = None,
    solver: str | None = None,
    digits: int = DIGITS,
    provenance: bool = False,
    context: Context | None = None,
) -> Filling:
    """Fill the inertials of a model that are missing, from its shapes and what is known.

    Mass is spread over the shapes of each body with the densities that meet every known sum and
    deviate least from the nominal ones. Measured bodies count in the sums and stay.

    Args:
        model_or_path: A loaded model, a path, or a document's bytes.
        bodies: Names or ids of the bodies to fill, whatever they state; empty for those whose
            inertial is missing, the default of the format, zero or a placeholder.
        density: Nominal density [kg/m^3]; None for the median of measured bodies, else that of
            water.
        materials: A TOML file of link patterns and materials, or densities and names of materials
            by patterns of names.
        masses: Masses by name [kg].
        total_mass: Mass of the whole model [kg], or with its relative deviation.
        subtree_masses: Masses of bodies with all that they carry, by name [kg].
        com: (3,) centre of mass of the whole model, measured bodies included, from the origin of
            its root in the root's axes [m].
        at: Positions of the joints where `com` was measured, by name [rad] or [m]; the others are
            at zero.
        twins: Whether left and right bodies with equal shapes have one mass.
        pairs: Further pairs of bodies with one mass, each with or without "mirrored" or "equal":
            how the centre and tensor of one follow those of the other where that is measured.
        prior: Another model, as an earlier revision: its masses in its own shapes give nominal
            densities to the bodies that match, as `diff` matches them.
        density_range: Least and largest density of every part [kg/m^3].
        divergence: "entropic" scales densities by one factor where only a sum is known;
            "quadratic" adds.
        roles: Roles of shapes, best first.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.
        solver: None for Newton's method; "clarabel" or another solver of cvxpy.
        digits: Significant digits of new numbers, 8 to 17.
        provenance: Whether a comment beside each new inertial says where it comes from.
        context: Where meshes and included files are.

    Returns:
        The new document, not written, with an interval for every new number.

    Raises:
        DocumentError: The document cannot be read.
        ParameterError: Names, masses or densities that cannot be, or sums that exclude each other
            (InfeasibleSumsError); a mesh in millimetres.
        UsageError: An unknown option.

    Example:
        >>> found = ic.fill("data/fill/arm.urdf", total_mass=12.0)
        >>> print([body.name for body in found.bodies if body.status == "filled"])
        ['upper_arm', 'forearm', 'finger_left', 'finger_right']
    """
    expect(Model, "path", bytes, model_or_path=model_or_path)
    expect("texts", bodies=bodies, roles=roles)
    expect("path", "mapping", "nothing", materials=materials)
    expect("list", pairs=pairs)
    expect("text", divergence=divergence)
    model = (
        model_or_path
        if isinstance(model_or_path, Model)
        else load(model_or_path, context=context or Context())
    )
    known = Knowledge(
        density=None if density is None else read_number("density", density),
        links=read_links(materials),
        masses=read_named("masses", masses),
        total_mass=read_total(total_mass),
        subtree_masses=read_named("subtree_masses", subtree_masses),
        center_of_mass=read_center(com),
        positions=read_named("at", at),
        twins=twins,
        pairs=read_pairs(pairs),
        prior=prior,
        density_range=read_range(density_range),
        divergence=divergence,
    )
    options = FillOptions(tuple(roles), thickness, solver, digits, provenance)
    return fill_model(model, known, options, bodies, context or Context())


@quiet  # sizes near the ends of float64 are told by their reasons, not by warnings
def fill_model(
    model: Model,
    known: Knowledge,
    options: FillOptions | None = None,
    bodies: Sequence[str] = (),
    context: Context | None = None,
) -> Filling:
    """Fill the inertials of a loaded model; see fill."""
    within, chosen = context or Context(), options or FillOptions()
    check_choices("roles", chosen.roles, ROLES)
    report = examine_model(model, within)
    targets = select_targets(model, bodies, report)
    notes = (*note_derived_bodies(model, targets), *note_unmatched_patterns(model, known.links))
    if not targets:
        unchanged = Fix(model.source, model.format, model.source.data, ())
        return Filling(unchanged, (), notes=notes)
    filling = Filler(model, known, chosen, within, targets, report).run()
    return replace(filling, notes=(*filling.notes, *notes))
