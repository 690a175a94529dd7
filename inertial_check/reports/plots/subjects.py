"""Bodies to draw, taken from a model, a report, a fix, an identification, or an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, TypeGuard

import numpy as np

from inertial_check.checking.report import FileReport, Report
from inertial_check.documents.model import Judgement, Model, judge
from inertial_check.errors import ParameterError
from inertial_check.fixing.result import Fix
from inertial_check.inertia.arrays import ArrayLike, Floats
from inertial_check.inertia.consistency import Bodies, Consistency, check
from inertial_check.inertia.parameters import body_names
from inertial_check.inertia.representations import Order, Point, find_form
from inertial_check.projection.result import Projection


class Identified(Protocol):
    """An identification, as `inertial_check.identify` returns it: what the plots read of it.

    The estimate stands above the plots, which therefore know its attributes and not its class.
    """

    bodies: tuple[str, ...]
    order: Order
    given: Floats
    rmse: Floats
    prior_rmse: Floats
    least_squares_rmse: Floats

    @property
    def theta(self) -> Floats:
        """(L, 10) the identified parameters in the order of the caller."""

    @property
    def consistency(self) -> Consistency:
        """The verdicts of the identified bodies."""

    @property
    def identifiability(self) -> Identifiability:
        """What decided each parameter."""


class Identifiability(Protocol):
    """What decided the parameters of an identification."""

    decided_by: ArrayLike


def is_identification(subject: object) -> TypeGuard[Identified]:
    """Tell whether an object is an identification, by the attributes of its class."""
    return hasattr(type(subject), "identifiability") and hasattr(subject, "least_squares_rmse")


Subject: TypeAlias = (
    Model | Report | FileReport | Fix | Identified | Consistency | Projection | Bodies
    | ArrayLike
)  # fmt: skip
"""Anything that holds inertial parameters of bodies."""


@dataclass(frozen=True, eq=False)
class BodyRows:
    """Bodies as rows of arrays.

    Attributes:
        names: Names of the n bodies, as written.
        moments: (n, 3) principal moments [kg m^2]; NaN where there are none.
        margins: (n,) margins; NaN where they are not defined.
        verdicts: Names of the verdicts.
    """

    names: tuple[str, ...]
    moments: Floats
    margins: Floats
    verdicts: tuple[str, ...]

    def __len__(self) -> int:
        """Number of bodies."""
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Change:
    """Bodies, and what they were before a change.

    Attributes:
        after: The bodies; those of a subject without a history.
        before: The same bodies before the change; None without a history.
    """

    after: BodyRows
    before: BodyRows | None = None


def read_subject(
    subject: Subject,
    names: Sequence[str] | None = None,
    order: Order | None = None,
    about: Point | None = None,
) -> Change:
    """Read the bodies of a subject.

    Args:
        subject: See `Subject`; an array holds ten parameters in its last axis.
        names: Names of the bodies, in place of those of the subject.
        order: Order of the last six parameters of an array.
        about: Point about which an array takes its inertias.

    Raises:
        ParameterError: Another kind of object, numbers of another shape, or another number of
            names.
    """
    change = _read(subject, order, about)
    if names is None:
        return change
    shown = body_names(names, len(change.after))
    before = None if change.before is None else replace(change.before, names=shown)
    return Change(replace(change.after, names=shown), before)


def _read(subject: Subject, order: Order | None, about: Point | None) -> Change:
    if isinstance(subject, Model):
        bodies = subject.bodies
        return Change(_join([body.name for body in bodies], judge(subject)))
    if isinstance(subject, (Report, FileReport)):
        files = subject.files if isinstance(subject, Report) else (subject,)
        # Read the bodies of all files; with several files, names say which one.
        several = len(files) > 1
        files_bodies = [(body, file.path) for file in files for body in file.bodies]
        names = [f"{body.name} ({path})" if several else body.name for body, path in files_bodies]
        return Change(_join(names, [body.judgement for body, _ in files_bodies]))
    if isinstance(subject, Fix):
        # Read the tensors before and after what the fix writes, in any axes: moments need none.
        old = [(np.nan,) * 6 if body.old is None else body.old for body in subject.bodies]
        new = [
            body.new if body.status == "fixed" and body.new is not None else before
            for body, before in zip(subject.bodies, old, strict=True)
        ]
        fix_names = [body.name for body in subject.bodies]
        return Change(*(_read_tensors(tensors, fix_names) for tensors in (new, old)))
    if is_identification(subject):
        sides = (subject.consistency, check(subject.given))
        return Change(*(_read_consistency(side, subject.bodies) for side in sides))
    return Change(_read_consistency(_check_numbers(subject, order, about)))


def _check_numbers(subject: Subject, order: Order | None, about: Point | None) -> Consistency:
    if isinstance(subject, Consistency):
        return subject
    if isinstance(subject, Projection):
        subject = subject.parameters
    if isinstance(subject, Bodies):
        return check(subject)
    try:
        theta = np.asarray(subject, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"cannot plot {type(subject).__name__}: expected a Model, a Report, a Fix, an "
            "Identification, InertialParameters, or an array of shape (..., 10)"
        ) from None
    return check(theta, *find_form(subject, order, about))


def _join(names: Sequence[str], judgements: Sequence[Judgement]) -> BodyRows:
    return BodyRows(
        tuple(names),
        np.array([each.principal_moments for each in judgements], dtype=np.float64).reshape(-1, 3),
        np.array([each.margin for each in judgements], dtype=np.float64),
        tuple(each.verdict for each in judgements),
    )


def _read_consistency(judged: Consistency, names: Sequence[str] | None = None) -> BodyRows:
    margins = np.asarray(judged.margin, dtype=np.float64).reshape(-1)
    return BodyRows(
        body_names(names, margins.size),
        np.asarray(judged.principal_moments, dtype=np.float64).reshape(-1, 3),
        margins,
        tuple(np.asarray(judged.verdict).reshape(-1).tolist()),
    )


def _read_tensors(tensors: Sequence[Sequence[float]], names: Sequence[str]) -> BodyRows:
    theta = np.zeros((len(tensors), 10))
    theta[:, 0] = 1.0  # the mass decides neither the moments nor the margin
    theta[:, 4:] = np.array(tensors, dtype=np.float64).reshape(-1, 6)
    return _read_consistency(check(theta, about="com"), names)
