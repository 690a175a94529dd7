"""Judgement of the bodies of models by the consistency conditions, in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap
from math import inf, isfinite, isnan, nan
from operator import itemgetter

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.inertia import tolerances
from inertial_check.inertia.consistency import Verdict, check_printed_numbers
from inertial_check.inertia.equivalents import equivalent_box
from inertial_check.inertia.printed import half_units
from inertial_check.inertia.representations import six, symmetric
from inertial_check.inertia.scaling import LARGEST, SMALLEST
from inertial_check.model import ENTRIES, Body, Inertial, Judgement, Model

_NAN3 = (nan, nan, nan)
_NOTHING = Judgement(
    verdict=Verdict.MISSING.word,
    margin=nan,
    tolerance=nan,
    mass=nan,
    p_BoBcm_B=_NAN3,
    I_BBcm_B=_NAN3 * 2,
    I_BBcm_Bi=_NAN3 * 2,
    principal_moments=_NAN3,
    equivalent_box=_NAN3,
    witness=None,
    numerically_zero=False,
)

_NO_RADII = (0.0,) * 6
_get_entries = itemgetter(*ENTRIES)

_UNWRITTEN = {"geometry": Verdict.DERIVED, "default": Verdict.DEFAULTED}


def judge(model: Model, tolerance: float = 0.0) -> tuple[Judgement, ...]:
    """Judge every body by its printed numbers, about the centre of mass, in the numbers' own axes.

    Args:
        model: The model as read.
        tolerance: Margins down to -tolerance pass (dimensionless).

    Returns:
        One judgement for each body, in the order of the model.
    """
    (judgements,) = judge_all([model], tolerance)
    return judgements


def judge_all(models: Sequence[Model], tolerance: float = 0.0) -> list[tuple[Judgement, ...]]:
    """Judge the bodies of several models in one batch; see `judge`.

    A model has few bodies, and a small batch takes as long as one of hundreds of bodies.
    """
    stated = [
        body.inertial for model in models for body in model.bodies if body.inertial is not None
    ]
    judged = iter(_judge_inertials(stated, tolerance) if stated else ())
    return [
        tuple(
            _override_verdict(body, _NOTHING if body.inertial is None else next(judged))
            for body in model.bodies
        )
        for model in models
    ]


def measure_open_share(body: Body) -> float:
    """The part of the trace of the inertia that its printed digits leave open.

    Returns:
        The largest half unit of a last printed digit over the trace, both of the tensor as printed;
        infinite where the trace is not positive, 0 where the numbers are exact or some are missing.
    """
    if body.inertial is None:
        return 0.0
    half = max(_radii(body.inertial))
    if not half > 0:
        return 0.0
    entries = _entries(body.inertial)
    trace = entries[0] + entries[3] + entries[5]
    return half / trace if trace > 0 else inf


def is_computable(judgement: Judgement) -> bool:
    """Whether evidence can compute with the numbers of a body: no product of them overflows.

    Numbers that are not finite pass; what is said of them does not depend on their size.
    """
    tensor = max(map(abs, (*judgement.I_BBcm_B, *judgement.I_BBcm_Bi)))
    mass, distance = abs(judgement.mass), max(map(abs, judgement.p_BoBcm_B))
    if SMALLEST <= tensor <= LARGEST and SMALLEST <= mass <= LARGEST and distance <= LARGEST:
        return True  # nearly every body; a NaN behind other numbers does not change their maximum
    sizes = [abs(number) for number in (*judgement.I_BBcm_B, *judgement.I_BBcm_Bi, mass)]
    if any(SMALLEST > size > 0 for size in (max(sizes[:12]), mass)):
        return False
    return not any(inf > size > LARGEST for size in (*sizes, distance))


def _override_verdict(body: Body, judgement: Judgement) -> Judgement:
    """Set the verdict of a body whose inertia the file does not state."""
    verdict = _UNWRITTEN.get(body.inertia_from)
    return judgement if verdict is None else judgement._replace(verdict=verdict.word)


def _judge_inertials(inertials: list[Inertial], tolerance: float) -> list[Judgement]:
    mass = np.array([nan if i.mass is None else i.mass.value for i in inertials])
    center = np.array([[number.value for number in i.p_BoBcm_B] for i in inertials])
    I_BBcm_Bi = np.array([_entries(inertial) for inertial in inertials])
    radii = np.array([_radii(inertial) for inertial in inertials])
    R_BBi = np.array([inertial.R_BBi for inertial in inertials])

    # Units cancel in a verdict, and in the units of the file the numbers keep their printed digits,
    # from whose half units the rounding box is made.
    result = check_printed_numbers(mass, center, I_BBcm_Bi, radii, tolerance)
    kilograms = np.array([inertial.kilograms_per_unit for inertial in inertials])
    meters = np.array([inertial.meters_per_unit for inertial in inertials])
    with np.errstate(all="ignore"):
        mass, center = mass * kilograms, center * meters[:, None]
        unit = kilograms * meters**2
        I_BBcm_Bi, moments = (v * unit[:, None] for v in (I_BBcm_Bi, result.principal_moments))
        I_BBcm_B = _rotate_tensors(I_BBcm_Bi, R_BBi)
        boxes = equivalent_box(mass, moments)
        tiny = np.max(np.abs(I_BBcm_Bi), axis=-1) < mass * tolerances.NUMERICALLY_ZERO_RADIUS**2
        witnesses = np.einsum("nij,nj->ni", R_BBi, result.witness)
    columns = (
        np.asarray(result.verdict).tolist(),
        result.margin.tolist(),
        result.tolerance.tolist(),
        mass.tolist(),
        map(tuple, center.tolist()),
        map(tuple, I_BBcm_B.tolist()),
        map(tuple, I_BBcm_Bi.tolist()),
        map(tuple, moments.tolist()),
        map(tuple, boxes.tolist()),
        (None if isnan(witness[0]) else tuple(witness) for witness in witnesses.tolist()),
        tiny.tolist(),
    )
    return list(starmap(Judgement, zip(*columns, strict=True)))


def _entries(inertial: Inertial) -> list[float]:
    numbers = inertial.I_BBcm_Bi
    if len(numbers) == len(ENTRIES):
        return [number.value for number in _get_entries(numbers)]
    return [numbers[entry].value if entry in numbers else nan for entry in ENTRIES]


def _radii(inertial: Inertial) -> tuple[float, ...]:
    if len(inertial.I_BBcm_Bi) < len(ENTRIES):
        return _NO_RADII
    numbers = _get_entries(inertial.I_BBcm_Bi)
    if not all(isfinite(number.value) for number in numbers):
        return _NO_RADII
    return half_units([number.text for number in numbers])


def _rotate_tensors(I_BBcm_Bi: Floats, R_BBi: Floats) -> Floats:
    """Rotate tensors to body axes; those already in body axes are unchanged to the bit."""
    turned = six(R_BBi @ symmetric(I_BBcm_Bi) @ R_BBi.transpose(0, 2, 1))
    aligned = np.all(R_BBi == np.eye(3), axis=(1, 2))
    return np.where(aligned[:, None], I_BBcm_Bi, turned)
