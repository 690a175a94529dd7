"""The numbers of a body by name, and their places in the document."""

from __future__ import annotations

from collections.abc import Collection

from inertial_check.checking.report import FindingEntry
from inertial_check.documents.model import Body, Inertial, Model, Number

CENTER = ("x", "y", "z")
"""Names of the coordinates of the centre of mass."""

QUATERNION = ("qw", "qx", "qy", "qz")
"""Names of the numbers of the quaternion that states the axes of an inertial."""

MOTIONS = "xyzpqr"
"""Letters of SDF for translations along and rotations about x, y, z; two of them name an entry of
the matrix of added mass."""


def name_numbers(inertial: Inertial) -> dict[str, Number]:
    """The numbers of an inertial by name: mass, x, y, z, and ixx ... izz."""
    numbers = {} if inertial.mass is None else {"mass": inertial.mass}
    numbers["x"], numbers["y"], numbers["z"] = inertial.p_BoBcm_B
    numbers.update(inertial.I_BBcm_Bi)
    return numbers


def name_all_numbers(inertial: Inertial) -> dict[str, Number]:
    """The numbers of an inertial by name: also qw ... qz, and xx ... rr for the added mass."""
    quaternion = zip(QUATERNION, inertial.quaternion or (), strict=False)
    return name_numbers(inertial) | dict(quaternion) | name_added_mass(inertial)


def name_added_mass(inertial: Inertial) -> dict[str, Number]:
    """The upper triangle of the added mass by name, xx ... rr; empty where none is stated."""
    return {
        f"{MOTIONS[i]}{MOTIONS[j]}": number
        for i, row in enumerate(inertial.fluid_added_mass)
        for j, number in enumerate(row)
        if i <= j
    }


def locate_entries(
    model: Model, body: Body, names: Collection[str], body_id: str | None = None
) -> tuple[FindingEntry, ...]:
    """Find the places of numbers of a body; numbers that the document does not write have none.

    Args:
        model: The model, for the places.
        body: The body that has the numbers.
        names: Names of the numbers, as in `name_all_numbers`.
        body_id: Id to give the entries; None where the finding names the body.

    Returns:
        The entries in the order mass, x, y, z, ixx ... izz, quaternion, added mass.
    """
    if body.inertial is None or not names:
        return ()
    numbers = name_numbers(body.inertial)
    if not numbers.keys() >= set(names):
        numbers = name_all_numbers(body.inertial)
    found: list[FindingEntry] = []
    for name, (_, written, span, literal) in numbers.items():
        if span is not None and name in names:
            source = model.source_of(span)
            text = source.text(span) or written
            place = source.place(span) if span.file == 0 else model.place(span)
            found.append(FindingEntry(name, text, place, literal, body_id))
    return tuple(found)
