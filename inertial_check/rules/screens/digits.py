"""Tensors that some body has, printed with too few decimals to tell which."""

from __future__ import annotations

import numpy as np

from inertial_check.evidence import Examination
from inertial_check.evidence.decimals import has_lost_decimals
from inertial_check.model import ENTRIES
from inertial_check.model.judging import measure_open_share
from inertial_check.rules.screens._base import Doubt, Doubts, Found
from inertial_check.rules.screens._limits import Limits


def lost_decimals(examination: Examination, limits: Limits, _: Found) -> Doubts:
    """Tensors that some body has, of which a few counts of the last decimal are left."""
    bodies, judgements = examination.model.bodies, examination.judgements
    few = examination.assembly.stated & examination.votes.in_few_counts
    for index in np.flatnonzero(few).tolist():
        body = bodies[index]
        inertial = body.inertial
        if inertial is None or inertial.mass is None or len(inertial.I_BBcm_Bi) < len(ENTRIES):
            continue
        texts = [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES]
        six = judgements[index].I_BBcm_Bi
        if has_lost_decimals(texts, six, body.unit, inertial.mass.text):
            share = measure_open_share(body)
            message = (
                "the inertia was printed with too few decimals: half a unit of the last is "
                f"{100 * share:.2g} % of the trace, so that bodies of many forms print the same; "
                "write it again with more digits, or with an exponent"
            )
            yield index, Doubt("IC307", "tensor", message, {"open_share": share})
