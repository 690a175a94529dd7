"""How much what a diagnosis remarks weighs, and which option answers it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inertial_check.identification.recordings import diagnosis
from inertial_check.model import Severity
from inertial_check.model.identified import Remark


class _Weight(NamedTuple):
    """The severity of a kind of remark, and what one can do; "" for nothing in particular."""

    severity: Severity
    answer: str = ""


_WEIGHTS = {
    "clock": _Weight(Severity.NOTE),
    "still": _Weight(Severity.WARNING, "--locked JOINT=POSITION leaves a joint out"),
    "constant": _Weight(Severity.WARNING),
    "limits": _Weight(Severity.WARNING),
    "degrees": _Weight(Severity.ERROR, "--degrees reads them so"),
    "velocity": _Weight(Severity.WARNING),
    "acceleration": _Weight(Severity.WARNING),
    "unit": _Weight(Severity.ERROR, "--gain multiplies them"),
    "gear": _Weight(Severity.ERROR, "--gain multiplies them"),
    "sign": _Weight(Severity.ERROR, "--gain=-1 turns them"),
    "lag": _Weight(Severity.WARNING, "--delay S moves them back"),
}
"""An error where what was recorded is something else than it was taken for: all results are wrong
then. A warning where a part of it may be."""


def in_severity(path: str, said: diagnosis.Remark) -> Remark:
    """What a diagnosis remarks of a recording, with its severity and what can be done."""
    weight = _WEIGHTS.get(said.kind, _Weight(Severity.WARNING))
    severity = weight.severity
    if said.kind == "sign" and not _most_turned(said):
        severity = Severity.WARNING
    answer = f"; {weight.answer}" if weight.answer else ""
    return Remark(severity, said.kind, f"{path}: {said.message}{answer}")


def _most_turned(said: diagnosis.Remark) -> bool:
    """Whether most joints that tell have the other sign: of a single one it may be chance."""
    slopes, shares = np.array(said.values["slopes"]), np.array(said.values["shares"])
    return bool(np.mean(slopes[shares >= diagnosis.AGREEMENT] < 0) > 0.5)
