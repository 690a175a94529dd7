"""An assertion for test suites: real bodies can have the inertial parameters of a model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from inertial_check.inertia.representations import Order, Point

if TYPE_CHECKING:
    from inertial_check.checking.settings import Settings
    from inertial_check.inertia.arrays import ArrayLike
    from inertial_check.inertia.parameters import InertialParameters


def assert_physically_consistent(
    model: object,
    *,
    settings: Settings | None = None,
    order: Order | None = None,
    about: Point | None = None,
) -> None:
    """Assert that every body of a model, or every parameter vector, is physically consistent.

    Args:
        model: A path or a document's bytes; a Model; a `pinocchio.Model`, `mujoco.MjSpec`,
            `mujoco.MjModel` or Drake `MultibodyPlant`; InertialParameters, or theta (..., 10).
        settings: Settings of the check; None for those of the configuration nearest to a path, or
            for the defaults if the model is no path.
        order: Order of the last six entries of theta.
        about: Reference point of these entries, "origin" or "com".

    Raises:
        AssertionError: There are failing findings or inconsistent vectors; one line for each.
        DocumentError: The document cannot be read.
        ParameterError: The argument is neither a model nor inertial parameters.
        UsageError: The settings or the configuration are wrong.
    """
    # Check a model; None if the argument is no model.
    from inertial_check.checking.check import check_model
    from inertial_check.documents.model import Model

    if isinstance(model, str | os.PathLike | bytes | Model):
        report = check_model(model, _settings(model, settings))
    else:
        libraries = {each.__module__.partition(".")[0] for each in type(model).__mro__}
        if "pinocchio" in libraries:
            from inertial_check.programs.objects import pinocchio

            report = pinocchio.check(cast("Any", model), settings)
        elif "mujoco" in libraries:
            from inertial_check.programs.objects import mujoco

            report = mujoco.check(cast("Any", model), settings)
        elif "pydrake" in libraries:
            from inertial_check.programs.objects import drake

            report = drake.check(cast("Any", model), settings=settings)
        else:
            report = None
    if report is None:
        lines = _inconsistent_rows(cast("InertialParameters | ArrayLike", model), order, about)
    else:
        settings = _settings(model, settings)
        # One line for each finding that fails.
        from dataclasses import replace

        from inertial_check.reports import View, render

        files = tuple(
            file._replace(findings=tuple(f for f in file.findings if settings.fails(f.severity)))
            for file in report.files
        )
        shown = replace(report, files=files)
        lines = render(shown, "concise", View(exit_code=1, summary=False)).splitlines()
        if report.account.unjudged and not any(report.account.judged.values()):
            from inertial_check.reports.text import describe_account

            lines.append(describe_account(report.account))
    if lines:
        raise AssertionError("not physically consistent:\n" + "\n".join(lines))


def _settings(model: object, settings: Settings | None) -> Settings:
    from inertial_check.checking.configuration import Configurations
    from inertial_check.checking.settings import Settings

    if settings is not None:
        return settings.validate()
    if isinstance(model, str | os.PathLike):
        return Configurations().settings(os.fsdecode(model))
    return Settings()


def _inconsistent_rows(
    theta: InertialParameters | ArrayLike, order: Order | None, about: Point | None
) -> list[str]:
    """One line for each inconsistent vector."""
    import numpy as np

    from inertial_check.inertia.consistency import check
    from inertial_check.inertia.parameters import InertialParameters
    from inertial_check.reports.text import number

    result = check(theta, order, about)
    given = theta.mass if isinstance(theta, InertialParameters) else np.asarray(theta)[..., 0]
    masses = np.asarray(given)
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
