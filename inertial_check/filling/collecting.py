"""Collection of what is seen of a model: pieces of the bodies to fill, and of measured ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from inertial_check.errors import ParameterError
from inertial_check.evidence.twin_names import find_twins
from inertial_check.filling.densities.equations import Unknowns
from inertial_check.filling.densities.nominal import fits_shapes
from inertial_check.filling.known import WATER, Knowledge
from inertial_check.filling.prior import find_prior_densities
from inertial_check.filling.selection import Target
from inertial_check.filling.shapes.grouping import merge_cells
from inertial_check.filling.shapes.overlaps import find_neighbours, share_with_neighbours
from inertial_check.filling.shapes.piece_reader import PieceReader
from inertial_check.filling.shapes.pieces import BodyPieces
from inertial_check.filling.shapes.twin_shapes import follow_twins
from inertial_check.formats.context import Context
from inertial_check.model import Judgement, Model
from inertial_check.model.judging import judge


@dataclass(frozen=True)
class Collector:
    """Collects the unknowns of one model.

    Attributes:
        model: The model.
        known: What is known.
        targets: The bodies to fill.
        reader: Reader of their shapes.
        context: Where meshes and the prior model are.
        thickness: Thickness of the wall of open meshes [m]; None for their hulls.
    """

    model: Model
    known: Knowledge
    targets: Sequence[Target]
    reader: PieceReader
    context: Context
    thickness: float | None

    def read_targets(self) -> dict[int, BodyPieces]:
        """The pieces of the bodies to fill, by index."""
        return {each.at: self._read(each) for each in self.targets}

    def _read(self, target: Target) -> BodyPieces:
        """The pieces of a body; a guess is as large as its known mass needs."""
        body = self.model.bodies[target.at]
        mass = self.known.masses.get(body.name, self.known.masses.get(body.id, target.mass))
        if mass is None:
            return self.reader.read(body)
        low, high = self.known.density_range
        density = min(max(self.known.density or WATER, 2 * low), high / 2)
        return self.reader.read(body, mass / density)

    def find_unfit(self, pieces: Mapping[int, BodyPieces]) -> dict[int, str]:
        """Why shapes cannot hold the masses that the document states for some of the bodies."""
        low, high = self.known.density_range
        found = {}
        for target in self.targets:
            own, body = pieces[target.at], self.model.bodies[target.at]
            given = {body.name, body.id} & self.known.masses.keys()
            if target.mass is None or given or not own.pieces:
                continue
            density = target.mass / own.volume
            if not low <= density <= high:
                found[target.at] = (
                    f"its {target.mass:g} kg are {density:.3g} kg/m^3 in its shapes, expected "
                    f"{low:g} to {high:g}: correct the mass, or give --mass {body.name}=KG"
                )
        return found

    def collect(self, usable: Mapping[int, BodyPieces]) -> Unknowns:
        """The unknowns, with the pieces of those measured bodies that are needed."""
        judgements = judge(self.model)
        masses, centers = np.zeros(len(judgements)), np.zeros((len(judgements), 3))
        for index, judgement in enumerate(judgements):
            stated = self.model.bodies[index].inertia_from == "file"
            if index not in usable and stated and 0 < judgement.mass < np.inf:
                masses[index], centers[index] = judgement.mass, judgement.p_BoBcm_B
        others = self._read_others(usable, set(np.flatnonzero(masses).tolist()))
        shared = share_with_neighbours(usable, others, find_neighbours(self.model))
        seen = follow_twins(self.model, shared, others, judgements, self.known)
        prior: dict[int, float] = {}
        note = ""
        if self.known.prior is not None:
            prior, note = find_prior_densities(
                self.model, seen, self.known.prior, self.context, self.thickness
            )
        return Unknowns(
            self.model,
            tuple(merge_cells(seen).values()),
            tuple(seen),
            self._list_held(seen),
            masses,
            centers,
            others,
            _find_teachers(others, judgements),
            prior,
            note,
            tuple(merge_cells(shared).values()),
        )

    def _read_others(
        self, usable: Mapping[int, BodyPieces], measured: set[int]
    ) -> dict[int, BodyPieces]:
        """Pieces of the measured bodies whose densities or twins say something."""
        settled = len(usable) == 1 and self.known.total_mass is not None
        if self.known.density is not None or settled:
            pairs = find_twins([body.name for body in self.model.bodies])
            pairs += tuple(self._find_given_pairs())
            measured = measured & {i for pair in pairs for i in pair if set(pair) & set(usable)}
        found = {}
        for index in sorted(measured):
            try:
                found[index] = self.reader.read(self.model.bodies[index])
            except ParameterError:  # a mesh in millimetres says nothing of densities
                continue
        return found

    def _find_given_pairs(self) -> list[tuple[int, int]]:
        """Indices of the given pairs; unknown names are told where the sums are listed."""
        places = {name: at for at, name in enumerate(self.model.names)}
        return [
            (places[one], places[other])
            for one, other, *_ in self.known.pairs
            if one in places and other in places
        ]

    def _list_held(self, usable: Mapping[int, BodyPieces]) -> dict[int, float]:
        """Masses that the document states and that stay, by index [kg]."""
        return {
            each.at: each.mass
            for each in self.targets
            if each.mass is not None and each.at in usable
        }


def _find_teachers(
    others: Mapping[int, BodyPieces], judgements: Sequence[Judgement]
) -> frozenset[int]:
    return frozenset(index for index, own in others.items() if fits_shapes(judgements[index], own))
