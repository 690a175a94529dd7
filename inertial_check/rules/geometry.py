"""IC506: what the shapes of a model are worth as evidence."""

from __future__ import annotations

from collections.abc import Iterator

from inertial_check.evidence import Examination, Fault
from inertial_check.model import Finding, Severity
from inertial_check.rules._base import Rule
from inertial_check.rules._phrases import count_noun, name_some

_ALWAYS: frozenset[Fault] = frozenset({"unreadable", "empty", "inward"})
"""Faults that no mesh is meant to have; the others are normal for meshes that are only seen."""


class UnusableMesh(Rule):
    """A mesh that shows no volume as it stands.

    ## What it does
    Reports, once a model, the mesh files that were found but cannot be read, hold no area, or have
    triangles that all face inwards. `--preset strict` also hears of meshes that are not closed,
    lie in a plane or run through themselves: they have a surface and show no volume.

    ## Why is this bad
    Mass and inertia are compared with the volume of the shapes; without one there is less to
    compare. Engines that compute inertia from meshes refuse such files, or compute negative masses.

    ## Example
        <link name="shell">
          <visual><geometry><mesh filename="inside_out.stl"/></geometry></visual>
        </link>

    ## Use instead
        <link name="shell">
          <visual><geometry><mesh filename="cube.stl"/></geometry></visual>
        </link>

    ## Tolerance
    A mesh is closed where every edge is run through as often one way as the other; corners count as
    one where they agree to single precision. It lies in a plane where it is no thicker than that.

    ## Fix
    By hand, where the mesh was made: export it again, with the faces turned outwards.

    ## References
    MuJoCo XML reference, element mesh, attribute inertia; Mirtich, Fast and Accurate Computation of
    Polyhedral Mass Properties (1996).
    """

    code, name, severity = "IC506", "unusable-mesh", Severity.NOTE

    def findings(self, examination: Examination) -> Iterator[Finding]:
        """One finding for all meshes with a fault."""
        strict = examination.strictness == "strict"
        faults = [
            fault for fault in examination.geometry.faults if strict or fault.fault in _ALWAYS
        ]
        if not faults:
            return
        first = faults[0]
        shapes = self.model.bodies[first.body].shapes
        names = [f"{fault.uri} ({fault.fault})" for fault in faults]
        yield self.at(
            next(shape.span for shape in shapes if shape.uri == first.uri),
            f"{count_noun(len(faults), 'mesh', 'meshes')} without a volume: {name_some(names)}. "
            "The first: "
            f"{first.reason}; export it again as a closed surface that faces outwards",
            values={"meshes": len(faults)},
        )
