"""Published tables of identified parameters in the folder INERTIAL_CHECK_DATASETS.

Numbers as printed: as decimals for what is exact, as floats for everything else. "*" stands for a
number that is not identifiable; it is taken as 0, and no verdict about the centre of mass heeds it.
"""

import csv
import json
from fractions import Fraction
from typing import NamedTuple

import numpy as np

ENTRIES = ("Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")


class Table(NamedTuple):
    """One table: links (L,), theta (L, 10) in order "urdf", and what is known of it."""

    name: str
    about: str
    links: tuple[str, ...]
    theta: np.ndarray
    exact: list[list[Fraction]]
    unknown: np.ndarray  # (L, 10) which numbers are printed as "*"
    verdicts: tuple[str, ...]
    margins: np.ndarray
    facts: dict


def tables(datasets):
    folder = datasets / "tables"
    return [read(folder, facts) for facts in json.loads((folder / "tables.json").read_text())]


def read(folder, facts):
    with (folder / facts["file"]).open() as file:
        rows = list(csv.DictReader(file))
    vector = (
        ("hx", "hy", "hz") if facts["vector"].startswith("first moment") else ("cx", "cy", "cz")
    )
    printed = [[row[name] for name in ("mass", *vector, *ENTRIES)] for row in rows]
    exact = [[Fraction(0 if text == "*" else text) for text in texts] for texts in printed]
    if vector[0] == "cx":
        exact = [[row[0], *(row[0] * c for c in row[1:4]), *row[4:]] for row in exact]
    said = facts["exact_check_no_rounding_box"]
    return Table(
        facts["file"].removesuffix(".csv"),
        facts["inertia_about"],
        tuple(row["link"] for row in rows),
        np.array(exact, dtype=np.float64),
        exact,
        np.array([[text == "*" for text in texts] for texts in printed]),
        tuple(one["verdict"] for one in said),
        np.array([one["margin"] for one in said]),
        facts,
    )
