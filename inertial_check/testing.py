"""What a test suite says of models: that real bodies can have their inertial parameters."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inertial_check.inertia.representations import Order, Point

if TYPE_CHECKING:
    from inertial_check.model import Report
    from inertial_check.settings.settings import Settings

_ADAPTERS = {"pinocchio": "pinocchio", "mujoco": "mujoco", "pydrake": "drake"}
"""By the package of a loaded model, the module of `integrations` that reads it."""


def assert_physically_consistent(
    model: Any, *, settings: Settings | None = None, order: Order = "urdf", about: Point = "origin"
) -> None:
    """Assert that every body of a model, or every parameter vector, is one that can exist.

    Args:
        model: A path or a document's bytes; a Model; a `pinocchio.Model`, `mujoco.MjSpec`,
            `mujoco.MjModel` or Drake `MultibodyPlant`; InertialParameters, or theta (..., 10).
        settings: Which findings on a model count; None for those of the configuration nearest to a
            path, else for the defaults.
        order: Of the last six of theta.
        about: The point about which these are taken, "origin" or "com".

    Raises:
        AssertionError: With a line for each finding that fails, or each vector.
        DocumentError: The document cannot be read.
        ParameterError: Not a model, and no parameters either.
        UsageError: The settings or the configuration cannot be carried out.
    """
    report = _report(model, settings)
    if report is None:
        lines = _inconsistent_rows(model, order, about)
    else:
        settings = _settings(model, settings)
        lines = _failing_findings(report, settings)
    if lines:
        raise AssertionError("not physically consistent:\n" + "\n".join(lines))


def _report(model: Any, settings: Settings | None) -> Report | None:
    """What a check says of a model; None where it is not one."""
    from inertial_check.checking.check import check_model
    from inertial_check.model import Model

    if isinstance(model, str | os.PathLike | bytes | Model):
        return check_model(model, _settings(model, settings))
    for each in type(model).__mro__:
        if (adapter := _ADAPTERS.get(each.__module__.partition(".")[0])) is not None:
            module = import_module(f"inertial_check.integrations.{adapter}")
            report: Report = module.check(model, settings=settings)
            return report
    return None


def _settings(model: Any, settings: Settings | None) -> Settings:
    from inertial_check.settings.configuration import Configurations
    from inertial_check.settings.settings import Settings

    if settings is not None:
        return settings.validated()
    if isinstance(model, str | os.PathLike):
        return Configurations().settings(os.fsdecode(model))
    return Settings()


def _failing_findings(report: Report, settings: Settings) -> list[str]:
    """A line for each finding that fails."""
    from dataclasses import replace

    from inertial_check.reports import View, render

    files = tuple(
        file._replace(findings=tuple(f for f in file.findings if settings.fails(f.severity)))
        for file in report.files
    )
    return render(replace(report, files=files), "concise", View(exit_code=1)).splitlines()


def _inconsistent_rows(theta: Any, order: Order, about: Point) -> list[str]:
    """A line for each vector that no body has."""
    import numpy as np

    from inertial_check.inertia.consistency import check
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.reports.text import number

    result = check(theta, order, about)
    given = isinstance(theta, InertialParameters)
    masses = np.asarray(theta.mass) if given else np.asarray(theta)[..., 0]
    verdicts, margins = np.asarray(result.verdict), np.asarray(result.margin)
    moments = np.asarray(result.principal_moments)
    lines = []
    for index in np.argwhere(~np.asarray(result.consistent)).tolist():
        at = tuple(index)
        where = f"theta[{', '.join(map(str, at))}]" if at else "theta"
        shown = ", ".join(map(number, moments[at].tolist()))
        lines.append(
            f"{where}: {verdicts[at]}: mass {masses[at]:.6g} kg, principal moments {shown} kg m^2 "
            f"(margin {margins[at]:.3g}, 0 or more is needed)"
        )
    return lines
