"""Options that several commands share."""

from __future__ import annotations

import argparse


def add_nearest(parser: argparse.ArgumentParser) -> None:
    """Declare what the nearest body is: --metric and --margin."""
    group = parser.add_argument_group("What is nearest")
    group.add_argument(
        "--metric",
        choices=("inertia", "covariance"),
        default="inertia",
        help="whose change is least: that of the inertia tensor (default), or of the mass's spread",
    )
    group.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="MARGIN",
        help="give the results at least this margin, 0 to 1/3 (dimensionless; default: 0)",
    )
