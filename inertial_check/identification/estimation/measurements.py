"""Measurements of an identification: samples, or only their reduction, with their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from inertial_check.arrays.broadcasting import read_floats
from inertial_check.arrays.types import ArrayLike, Integers
from inertial_check.errors import ParameterError
from inertial_check.identification.estimation.instruments import InstrumentedReduction
from inertial_check.identification.estimation.nuisance import Nuisance
from inertial_check.identification.estimation.reduction import Reduction, label_columns
from inertial_check.identification.estimation.sampled import Samples, read_reals
from inertial_check.inertia.representations import Order, reorder


@dataclass(frozen=True, eq=False)
class Measurements:
    """Samples, or only their reduction, and the meaning of their columns.

    Attributes:
        samples: None if only the reduction is known.
        reduced: The reduction, if it is known or there are no samples.
        nuisance: Torques besides those of the bodies.
        order: Order of the last six columns of each body.
        instruments: Samples whose columns are instruments; None for least squares.
    """

    samples: Samples | None
    reduced: Reduction | None
    nuisance: Nuisance
    order: Order = "urdf"
    instruments: Samples | None = None

    def with_instruments(self, instruments: ArrayLike | Samples) -> Measurements:
        """Project the equations on instruments.

        Raises:
            ParameterError: There are no samples, only their reduction; friction is nonlinear; or
                the instruments have another shape.
        """
        samples = self.samples
        if samples is None:
            raise ParameterError(
                "instruments are columns for each sample: a Reduction has none; give Samples or "
                "arrays"
            )
        if samples.nuisance.nonlinear:
            raise ParameterError("instruments go with friction that is linear in its numbers")
        if not isinstance(instruments, Samples):
            Z = read_reals("instruments", instruments)
            expected = (samples.samples, samples.joints, 10 * samples.bodies)
            if Z.ndim == 2 and samples.joints == 1:
                Z = Z[:, None, :]
            if Z.shape != expected:
                raise ParameterError(
                    f"instruments have shape {Z.shape}, expected {expected}, as the regressor has"
                )
            beside = np.concatenate([F for _, F, _ in samples.blocks()])
            nuisance = replace(samples.nuisance, ready=beside)
            instruments = Samples.of_arrays(Z, 0 * Z[:, :, 0], nuisance, samples.order)
        return replace(self, reduced=None, instruments=instruments)

    @classmethod
    def read(
        cls,
        Y: ArrayLike | Samples | Reduction,
        tau: ArrayLike | None,
        nuisance: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
        order: Order,
    ) -> Measurements:
        """Read the arguments of `identify`.

        Raises:
            ParameterError: Arguments contradict each other, or shapes do not fit.
        """
        reorder(np.zeros(10), "urdf", order)  # refuses an unknown order
        if isinstance(Y, (Samples, Reduction)) and tau is not None:
            raise ParameterError(f"{Y!r} holds its torques: expected tau=None beside it")
        if isinstance(Y, Samples):
            if nuisance is not None:
                raise ParameterError("Samples hold their nuisance: declare it where they are made")
            return cls(Y, None, Y.nuisance, Y.order)
        further = read_nuisance(nuisance)
        if isinstance(Y, Reduction):
            if Y.columns <= len(further) or (Y.columns - len(further)) % 10:
                raise ParameterError(
                    f"{Y!r} beside {len(further)} nuisance columns: expected ten columns a body"
                )
            return cls(None, Y, further, order)
        if tau is None:
            raise ParameterError("tau is None: the torques (S, n) are needed beside a regressor")
        return cls(Samples.of_arrays(Y, tau, further, order), None, further, order)

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        if self.samples is not None:
            return self.samples.bodies
        assert self.reduced is not None
        return (self.reduced.columns - len(self.nuisance)) // 10

    @property
    def labels(self) -> Integers:
        """(p,) place of each column in order "urdf"."""
        further = 10 * self.bodies + np.arange(len(self.nuisance))
        return np.concatenate([label_columns(self.bodies, self.order), further])

    @cached_property
    def whole(self) -> Reduction:
        """Reduction of all samples, in order "urdf"."""
        if self.reduced is not None:
            return self.reduced.relabel(self.labels)
        assert self.samples is not None
        if self.instruments is not None:
            reduction = InstrumentedReduction.of_samples(self.samples, self.instruments)
            return reduction.relabel(self.labels)
        return self.samples.reduce().relabel(self.labels)

    def folds(self, count: int) -> list[Reduction]:
        """Reduce consecutive parts of the samples, each by itself, in order "urdf".

        Raises:
            ParameterError: There are no samples, only their reduction.
        """
        if self.samples is None:
            raise ParameterError(
                "regularization 'k-fold' leaves out samples in turn: a Reduction has none; give "
                "Samples, arrays, or a number"
            )
        return [fold.relabel(self.labels) for fold in self.samples.folds(count)]


def read_nuisance(
    given: Nuisance | Mapping[str, ArrayLike] | ArrayLike | None,
) -> Nuisance:
    """Read the torques besides those of the bodies, in any of their forms.

    Raises:
        ParameterError: Columns of different shapes.
    """
    if given is None:
        return Nuisance()
    if isinstance(given, Nuisance):
        return given
    if isinstance(given, Mapping):
        columns = [read_floats((), nuisance=column)[0] for column in given.values()]
        shapes = {column.shape for column in columns}
        if len(shapes) > 1:
            raise ParameterError(f"nuisance columns have shapes {shapes}, expected one for all")
        return Nuisance.from_columns(np.stack(columns, axis=-1), list(given))
    return Nuisance.from_columns(read_floats((), nuisance=given)[0])
