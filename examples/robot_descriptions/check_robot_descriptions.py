"""Check robots of the package robot_descriptions.

    pip install robot_descriptions inertial-check
    python check_robot_descriptions.py ur5e_description panda_mj_description

The package downloads a description when its module is imported, so the first run needs a network.
The exit code is 1 if a robot has an error, and 2 if one could not be had or read.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

import inertial_check as ic
from inertial_check.checking.report import Severity


def find_model(name: str) -> str:
    """Return the path of the URDF or MJCF of a description, which this may download.

    Raises:
        LookupError: There is no such description, or it could not be downloaded.
    """
    try:
        module = import_module(f"robot_descriptions.{name}")
    except ImportError as error:
        raise LookupError(f"{error}; pip install robot_descriptions") from None
    except Exception as error:  # of git, of the network, of the package's cache
        raise LookupError(f"it could not be downloaded: {error}") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    if path is None:
        raise LookupError("it has neither a URDF nor an MJCF; xacro files need arguments")
    return str(path)


def check_description(name: str) -> int:
    """Print the errors of a description in one line each; the exit code that they deserve."""
    try:
        report = ic.check_model(find_model(name))
    except (LookupError, ic.InertialCheckError) as error:
        print(f"{name}: {error}")
        return 2
    errors = [each for each in report.findings if each.severity is Severity.ERROR]
    for each in errors:
        print(f"{name}: {each.place.line}: {each.code} [{each.body}] {each.message}")
    print(f"{name}: {len(errors)} errors, {len(report.findings) - len(errors)} other findings")
    return 1 if errors else 0


def main() -> int:
    """Check the descriptions that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", help="as ur5e_description, panda_mj_description")
    return max([check_description(name) for name in parser.parse_args().names])


if __name__ == "__main__":
    sys.exit(main())
