"""Check a robot model for one simulator, and repair what has a small repair, before it is loaded.

    python check_then_load.py drake robot.urdf

The scripts beside this one call `prepare` and then load the file that it returns. A model that
needs a decision of yours is not loaded: the findings are printed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import inertial_check as ic
from inertial_check.checking.report import Report, Severity
from inertial_check.checking.settings import Settings


def prepare(path: Path, engine: str) -> Path:
    """Return the path of a model whose inertias an engine simulates as they are written.

    This is the path itself if nothing is wrong, else that of a repaired copy beside it, so that
    relative paths of meshes stay valid. Only inertias that change by at most 5 % are repaired.

    Raises:
        SystemExit: The model cannot be read, or something needs a decision.
    """
    settings = Settings(engines=(engine,))
    try:
        report = ic.check_model(path, settings)
        if not list_errors(report):
            return path
        fix = ic.fix_model(path, engines=(engine,))
        still_wrong = list_errors(ic.check_model(ic.load(fix.data, path=path), settings))
    except ic.InertialCheckError as error:
        raise SystemExit(f"{path}: {error}") from None
    if still_wrong or not fix.complete:
        lines = "\n".join(still_wrong or list_errors(report))
        raise SystemExit(f"{path} is not loaded into {engine}:\n{lines}")
    repaired = path.with_name(f"{path.stem}.checked{path.suffix}")
    fix.write(repaired)
    print(f"{path}: repaired into {repaired}", file=sys.stderr)
    return repaired


def list_errors(report: Report) -> list[str]:
    """List one line for each error of a report, the engine's own refusals among them."""
    return [
        f"{finding.place.line}: {finding.code} [{finding.body}] {finding.message}"
        for finding in report.findings
        if finding.severity is Severity.ERROR
    ]


def main() -> None:
    """Check and repair the model that the command line names, and print the path to load."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", help="mujoco, drake, pinocchio, newton, physx, ...")
    parser.add_argument("model", type=Path)
    arguments = parser.parse_args()
    print(prepare(arguments.model, arguments.engine))


if __name__ == "__main__":
    main()
