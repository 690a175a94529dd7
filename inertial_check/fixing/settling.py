"""What is written once every body that has to be left is left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from inertial_check.fixing.aims import Aims, predicted
from inertial_check.fixing.case import Case, Proposal
from inertial_check.fixing.editing import Documents, disagreeing, layer_over
from inertial_check.fixing.result import Fix, Layer, beside
from inertial_check.fixing.verifying import Reader, changes_of, leave, moving
from inertial_check.model import Model


class Way(Protocol):
    """What a method does."""

    def proposal(self, case: Case, chosen: bool, /) -> Proposal:
        """What is done about a body, which the caller has named or not."""

    def objections(self, again: Model, moved: Mapping[str, Proposal], /) -> dict[str, str]:
        """Bodies to leave, by id, and why, seeing the model that would be written."""


def settled(reader: Reader, proposals: dict[str, Proposal], way: Way, aims: Aims) -> Fix:
    """The new bytes of a model, once every body that has to be left is left.

    Args:
        reader: Of the model.
        proposals: By id, what the way says of each body that is asked about; changed in place where
            a body is left.
        way: Where they come from.
        aims: The engines that shall take the bodies.

    Raises:
        InertialCheckError: Something else would change.
    """
    model = reader.model
    while True:
        while conflicts := disagreeing(model, changes_of(proposals)):
            leave(conflicts, proposals, "shared")
        layer = layer_over(model, changes_of(proposals))
        documents, again = _read_again(reader, proposals, layer)
        after = predicted(again, aims.engines, reader.tolerance)
        if objections := way.objections(again, moving(proposals)):
            leave(objections, proposals, "cause-refused")
        elif vain := aims.vain(after, moving(proposals)):
            leave(vain, proposals, "engine-refused")
        else:
            break
    bodies = tuple(aims.concluded(each, after).result for each in proposals.values())
    data, others = documents
    return Fix(model.source, model.format, data, bodies, others, layer)


def _read_again(
    reader: Reader, proposals: dict[str, Proposal], layer: Layer | None
) -> tuple[Documents, Model]:
    """The bytes that would be written, and the model that they hold."""
    if layer is None:
        return reader.settled(proposals)
    path = beside(reader.model.source.path)
    data = layer(path)
    return (data, ()), reader.read(path, data, reader.context, proposals)
