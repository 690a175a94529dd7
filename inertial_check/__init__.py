"""Validation and projection of the inertial parameters of rigid bodies.

Notation, units and tolerances: the theory page of the documentation. Names are loaded when first
asked for, so that `import inertial_check` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inertial_check import _renamed

if TYPE_CHECKING:
    from inertial_check.checking.check import check_model
    from inertial_check.comparing.diff import diff_models
    from inertial_check.errors import (
        DocumentError,
        InertialCheckError,
        ParameterError,
        ProjectionError,
        UsageError,
    )
    from inertial_check.fixing.fix import fix_model
    from inertial_check.formats import load
    from inertial_check.identification.estimation.base import BaseParameters, base_parameters
    from inertial_check.identification.estimation.cleaning import Cleaned, clean
    from inertial_check.identification.estimation.from_base import identify_from_base
    from inertial_check.identification.estimation.identify import identify
    from inertial_check.identification.estimation.nuisance import Nuisance
    from inertial_check.identification.estimation.result import Identification
    from inertial_check.identification.estimation.sampled import Samples
    from inertial_check.identification.payload.identify import Payload, identify_payload
    from inertial_check.inertia.consistency import Consistency, Verdict, check, realize
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.inertia.randomisation import sample
    from inertial_check.projection.project import project
    from inertial_check.projection.result import Projection

__version__ = "0.1.0"

_renamed.install()

_HOME = {
    "BaseParameters": "identification.estimation.base",
    "Cleaned": "identification.estimation.cleaning",
    "Consistency": "inertia.consistency",
    "DocumentError": "errors",
    "Identification": "identification.estimation.result",
    "InertialCheckError": "errors",
    "InertialParameters": "inertia.parameters",
    "Nuisance": "identification.estimation.nuisance",
    "ParameterError": "errors",
    "Payload": "identification.payload.identify",
    "Projection": "projection.result",
    "ProjectionError": "errors",
    "Samples": "identification.estimation.sampled",
    "UsageError": "errors",
    "Verdict": "inertia.consistency",
    "base_parameters": "identification.estimation.base",
    "check": "inertia.consistency",
    "check_model": "checking.check",
    "clean": "identification.estimation.cleaning",
    "diff_models": "comparing.diff",
    "fix_model": "fixing.fix",
    "identify": "identification.estimation.identify",
    "identify_from_base": "identification.estimation.from_base",
    "identify_payload": "identification.payload.identify",
    "load": "formats",
    "project": "projection.project",
    "realize": "inertia.consistency",
    "sample": "inertia.randomisation",
}

__all__ = [
    "BaseParameters",
    "Cleaned",
    "Consistency",
    "DocumentError",
    "Identification",
    "InertialCheckError",
    "InertialParameters",
    "Nuisance",
    "ParameterError",
    "Payload",
    "Projection",
    "ProjectionError",
    "Samples",
    "UsageError",
    "Verdict",
    "base_parameters",
    "check",
    "check_model",
    "clean",
    "diff_models",
    "fix_model",
    "identify",
    "identify_from_base",
    "identify_payload",
    "load",
    "project",
    "realize",
    "sample",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOME:
        raise AttributeError(f"module 'inertial_check' has no attribute {name!r}")
    value = getattr(import_module(f"inertial_check.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
