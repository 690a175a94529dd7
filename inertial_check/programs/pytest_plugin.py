"""pytest plugin: a test for each body of the models that `inertial_check_models` names.

Without that option nothing is imported and no hook is added. The option lists paths from the root
of the tests: files, folders, globs, as `inertial-check check` takes them.
"""

from __future__ import annotations

import pytest

MODELS, FAIL_ON = "inertial_check_models", "inertial_check_fail_on"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the configuration file."""
    parser.addini(
        MODELS,
        "robot models whose bodies are tests: files, folders and globs from the root directory",
        type="linelist",
        default=[],
    )
    parser.addini(
        FAIL_ON,
        "error, warning, note or never: findings from this severity on fail the test of their "
        "body (default: fail-on of inertial-check's own configuration, else error)",
        default="",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Add what collects models, if there are any to collect."""
    if paths := config.getini(MODELS):
        from inertial_check.programs.pytest_models import Collector

        collector = Collector(config, paths, config.getini(FAIL_ON))
        config.pluginmanager.register(collector, "inertial-check-models")
