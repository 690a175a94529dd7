"""Robots made of arrays: honest links, and what is planted into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import inertial_check as ic
from inertial_check.checking.causes.base import Subject
from inertial_check.checking.causes.ranking import rank_all
from inertial_check.checking.evidence.examination import Examination
from inertial_check.checking.report import Finding, Hypothesis
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes.evidence import read_geometry
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.model import judge

COUNTED = ("IC2", "IC5", "IC6")


class Link(NamedTuple):
    """A link with its shape; the inertial's axes are those of the link unless `rpy` says so."""

    mass: float
    com: Sequence[float]
    inertia: np.ndarray
    shape: str = ""
    rpy: Sequence[float] = (0, 0, 0)
    at: Sequence[float] = (0, 0, 0)
    name: str = "link"
    axis: Sequence[float] = (0, 0, 1)

    def text(self) -> str:
        i = self.inertia
        entries = zip(
            ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), i[np.triu_indices(3)], strict=True
        )
        return (
            f'<link name="{self.name}"><inertial><origin xyz="{_words(self.com)}" '
            f'rpy="{_words(self.rpy)}"/><mass value="{self.mass!r}"/><inertia '
            + " ".join(f'{name}="{float(value)!r}"' for name, value in entries)
            + f"/></inertial>{self.shape}</link>"
        )


def _words(numbers: Sequence[float]) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def box(edges, at=(0, 0, 0), rpy=(0, 0, 0), role="visual") -> str:
    return _shape(f'<box size="{_words(edges)}"/>', at, rpy, role)


def cylinder(radius, length, at=(0, 0, 0), rpy=(0, 0, 0), role="visual") -> str:
    return _shape(f'<cylinder radius="{radius!r}" length="{length!r}"/>', at, rpy, role)


def _shape(solid: str, at, rpy, role) -> str:
    return (
        f'<{role}><origin xyz="{_words(at)}" rpy="{_words(rpy)}"/><geometry>{solid}</geometry>'
        f"</{role}>"
    )


def box_moments(mass, edges):
    x, y, z = np.square(edges)
    return mass / 12 * np.diag([y + z, x + z, x + y])


def parallel_axis(mass, c):
    c = np.asarray(c, dtype=float)
    return mass * (c @ c * np.eye(3) - np.outer(c, c))


def rotation(rpy) -> np.ndarray:
    r, p, y = rpy
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def robot(*links: Link) -> str:
    """Every link on a revolute joint of a base without numbers."""
    joints = "".join(
        f'<joint name="j_{link.name}" type="revolute"><origin xyz="{_words(link.at)}"/>'
        f'<parent link="base"/><child link="{link.name}"/><axis xyz="{_words(link.axis)}"/></joint>'
        for link in links
    )
    body = "".join(link.text() for link in links)
    return f'<robot name="r"><link name="base"/>{body}{joints}</robot>'


def said(*links: Link, preset="default", text: str | None = None) -> list[Finding]:
    """The findings of the families of opinions."""
    report = ic.check_model((text or robot(*links)).encode(), Settings(preset=preset))
    return [f for f in report.findings if f.code.startswith(COUNTED)]


def codes(*links: Link, **options) -> dict[str, str]:
    """Body -> code."""
    return {finding.body: finding.code for finding in said(*links, **options)}


def hypotheses(subjects) -> list[tuple[Hypothesis, ...]]:
    """The probable causes of bodies of one model, whatever findings are about."""
    return [each["all"] for each in rank_all(subjects, {"all"})]


def causes(*links: Link, of: str = "link", expected_mass=None) -> tuple[Hypothesis, ...]:
    """The probable causes of what is wrong with one of the links, flagged or not."""
    model = load(robot(*links).encode())
    examination = Examination(
        model,
        judge(model),
        read_geometry=lambda: read_geometry(model, Context()),
        expected_mass=expected_mass,
    )
    (index,) = (i for i, body in enumerate(model.bodies) if body.name == of)
    return hypotheses([Subject(examination, index)])[0]
