"""Sphinx configuration; every page also reads as plain Markdown."""

project = "inertial_check"
author = "inertial_check contributors"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
html_theme = "furo"
exclude_patterns = ["_build"]
