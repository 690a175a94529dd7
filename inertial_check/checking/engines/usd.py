"""Consumers of USD: which spelling of an inertial each of them takes, and what it makes of it.

Validators of USD, predicted as engines are: they refuse a stage for one of its bodies. Only what
they ask of mass properties and units is predicted, not what they ask of meshes or joints.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import cbrt, inf, isfinite, pi
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from inertial_check.checking.engines.base import Engine
from inertial_check.checking.engines.predict import Batch, Effect
from inertial_check.checking.report import Action, Prediction, ValidatorVerdict
from inertial_check.documents.model import (
    ENTRIES,
    NEWTON_ORDER,
    Body,
    Judgement,
    Model,
    Number,
    Spelling,
    Stage,
)
from inertial_check.documents.poses import from_quaternion
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.representations import six, symmetric

if TYPE_CHECKING:
    import numpy.typing as npt

    Singles = npt.NDArray[np.float32]

_SPHERE = 0.1
"""Radius [m] of the sphere by which OpenUSD replaces an inertia that nothing gives."""

_WATER = 1000.0
"""Density [kg/m^3] of the ball by which Newton replaces an inertia that it refuses."""


def read_tensor(numbers: Sequence[Number]) -> Floats:
    """(6,) the entries of a newton:inertia in the order of ENTRIES, in units of the stage."""
    named = {name: each.value for name, each in zip(NEWTON_ORDER, numbers, strict=True)}
    return np.array([named[name] for name in ENTRIES])


def is_taken_by_newton(tensor: Floats) -> bool:
    """Whether Newton takes a newton:inertia (6,): no negative moment, in exact comparisons."""
    diagonal = tensor[[0, 3, 5]]
    return not np.any(diagonal < 0) and not np.any(np.linalg.eigvalsh(symmetric(tensor)) < 0)


def measure_disagreement(body: Body, judgement: Judgement) -> float:
    """Measure how far the two spellings of a body's inertia are apart.

    Returns:
        The largest difference of two entries over the largest entry of both; 0 with one spelling.
    """
    numbers = body.find_numbers("newton:inertia")
    if not numbers or not body.find_numbers("physics:diagonalInertia"):
        return 0.0
    other, own = read_tensor(numbers) * body.unit, np.array(judgement.I_BBcm_B)
    size = float(np.max(np.abs([own, other])))
    return float(np.max(np.abs(own - other))) / size if size > 0 else 0.0


class NewtonReading(NamedTuple):
    """Numbers that Newton's importer of USD takes for one body.

    Attributes:
        mass: Mass, in units of the stage, which Newton takes for kilograms.
        tensor: (6,) inertia about the centre of mass in the axes of the body, in units of the
            stage, which Newton takes for kg m^2.
        computed: What it computes from the colliders: "", "mass" or "inertia".
        said: What it prints.
    """

    mass: float
    tensor: Singles
    computed: str
    said: str


def read_as_newton(body: Body, solid: bool) -> NewtonReading:
    """Read a body as newton.ModelBuilder.add_usd does, before the validation of the model.

    Args:
        body: A body of a USD document.
        solid: Whether it has a collider.
    """
    said, refused = "", False
    (mass,) = _singles(body, "physics:mass") or [0.0]
    diagonal = _singles(body, "physics:diagonalInertia")
    if diagonal and not all(isfinite(value) and value >= 0 for value in diagonal):
        said = (
            f"{body.id}: authored MassAPI diagonalInertia must have finite, nonnegative components"
        )
        diagonal, refused = [], True
    numbers = body.find_numbers("newton:inertia")
    tensor: Floats | None = None
    if numbers:
        tensor = read_tensor(numbers)
        if not is_taken_by_newton(tensor):
            negative = bool(np.any(tensor[[0, 3, 5]] < 0))
            what = "has negative diagonal elements" if negative else "is not positive semidefinite"
            said, tensor = f"Body {body.id}: newton:inertia {what}. Ignoring.", None
    if tensor is None and diagonal:
        w, x, y, z = _singles(body, "physics:principalAxes") or (1.0, 0.0, 0.0, 0.0)
        R = np.array(from_quaternion(x, y, z, w) or np.eye(3))
        tensor = six(R @ np.diag(diagonal) @ R.T)
    if not (isfinite(mass) and mass > 0):
        computed, mass = ("mass", 0.0) if solid else ("", 0.0)
    else:
        computed = "inertia" if tensor is None and solid else ""
    if tensor is None:
        meters = 1.0 if body.inertial is None else body.inertial.meters_per_unit
        moment = 0.4 * mass * (_SPHERE / meters) ** 2
        if refused:  # neither OpenUSD nor the colliders give one: a ball around the body's origin
            center = np.array(_singles(body, "physics:centerOfMass"))
            moment = 0.4 * mass * cbrt(3 * mass / (4 * pi * _WATER)) ** 2 + mass * center @ center
        tensor = np.array([1, 0, 0, 1, 0, 1]) * moment
    with np.errstate(over="ignore"):
        return NewtonReading(mass, tensor.astype(np.float32), computed, said)


def _singles(body: Body, name: str) -> list[float]:
    """List the numbers of an attribute as the float32 that a layer keeps of them."""
    with np.errstate(over="ignore", under="ignore"):
        return [float(np.float32(number.value)) for number in body.find_numbers(name)]


def contradicts(body: Body, judgement: Judgement) -> bool:
    """Whether the two spellings of a body's inertia state different tensors."""
    return measure_disagreement(body, judgement) > tolerances.SAME_SPELLING


_MASS, _DENSITY, _MOMENTS, _AXES, _NEWTON = (
    "physics:mass",
    "physics:density",
    "physics:diagonalInertia",
    "physics:principalAxes",
    "newton:inertia",
)
_HALF = (
    "If principalAxes or diagonalInertia is authored on rigid body, both must be authored. "
    "principalAxes must be a unit length quaternion. diagonalInertia must have positive values."
)
_SIGN = "must be a positive value or 0.0."
_RB_008 = "RigidBodyHasMassAPI: violates"
_RB_011 = "NestedRigidBodyMassChecker: Rigid body"
_MAS_001 = "NewtonMassAttributesChecker: newton:"
_UNIT_IN_MASS_CHECKER = 1e-5
"""Largest distance of the length of principalAxes from 1 in MassChecker."""

_UNIT_IN_RB_008 = 1e-4
"""The same in RB.008."""

_NO_LENGTH = 1e-4
"""Length of principalAxes up to which RB.008 does not look at it."""

Prim = Mapping[str, Spelling]
"""Spellings that one prim states, by the names of its attributes and schemas."""


class Validator(Engine):
    """A validator of USD, which judges the stage as a whole, too."""

    doors: ClassVar[dict[str, str]]
    otherwise = "usd"
    concerns_derived = True

    @abstractmethod
    def complain_of_stage(self, stage: Stage) -> str:
        """Return its first complaint about the stage as a whole; "" without any."""


class NvidiaValidator(Validator):
    """nvidia_usd_validate with its checkers of mass properties, those of SimReady included."""

    name, version = "nvidia", "usd-validation-nvidia 1.22.0, simready-foundation-tier-core 2026.8.0"
    source = (
        "usd_validation_nvidia/rules/_physics.py and tier_core/.../physics_rigid_bodies/"
        "validation.py; run: ValidationEngine with these checkers"
    )
    doors: ClassVar[dict[str, str]] = {"usd": "nvidia_usd_validate"}

    def complain_of_stage(self, stage: Stage) -> str:
        """RB.007 asks for a default prim."""
        return "" if stage.default_prim else "RigidBodyMassChecker: Stage has no default prim."

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """The first complaint of a checker on each body or its colliders."""
        stage = batch.model.stage
        failures = [next(_find_failures(body, stage), "") for body in batch.bodies]
        yield Effect(np.array([bool(each) for each in failures]), "reject", lambda i: failures[i])


class RepChecker(Validator):
    """ros-openusd-compliance-checker: units, the up axis, and a mass that is not positive."""

    name, version = "rep0158", "ros-openusd-compliance-checker 0.1.2"
    source = "compliance_checker/checks/s1_1_units.py and s1_3_physics.py; run: usd-check"
    doors: ClassVar[dict[str, str]] = {"usd": "usd-check"}

    def complain_of_stage(self, stage: Stage) -> str:
        """The errors of section 1.1."""
        for number, name, value, right in (
            ("1.1.1", "metersPerUnit", stage.meters, 1.0),
            ("1.1.2", "kilogramsPerUnit", stage.kilograms, 1.0),
            ("1.1.3", "upAxis", stage.up, "Z"),
            ("1.1.5", "timeCodesPerSecond", stage.seconds, 1.0),
        ):
            if value != right:
                return f"{number}: {name} is {value!r}; must be {right}"
        return ""

    def effects(self, batch: Batch, door: str) -> Iterator[Effect]:
        """The warning of 1.3.3."""
        prims = [list_prims(body)[0][1] for body in batch.bodies]
        masses = [_read(prim, _MASS) if _applies(prim) else [1.0] for prim in prims]
        low = np.array([(mass or [0.0])[0] <= 0 for mass in masses])
        yield Effect(low, "warn", "1.3.3: non-positive physics:mass")


VALIDATORS: tuple[Validator, ...] = (NvidiaValidator(), RepChecker())
"""Every validator, in the order of reports."""


def predict_of_stage(model: Model) -> dict[str, Prediction]:
    """Predict what validators refuse a stage for as a whole, by name; those alone that do."""
    stage = model.stage if model.bodies else None
    said = [(each, each.complain_of_stage(stage)) for each in VALIDATORS if stage is not None]
    return {each.name: Prediction(each.name, each.version, "reject", t) for each, t in said if t}


def judge_file(
    model: Model, predictions: Sequence[Mapping[str, Prediction]]
) -> dict[str, ValidatorVerdict]:
    """Predict the verdict of each validator on a file from the predictions of its bodies."""
    whole, verdicts = predict_of_stage(model), {}
    for name in [each.name for each in VALIDATORS if predictions and each.name in predictions[0]]:
        said = [each[name].action for each in predictions if each[name].action != "accept"]
        if name in whole:
            message = whole[name].message
            verdicts[name] = ValidatorVerdict("reject", message, len(said))
        else:
            worst: Action = "reject" if "reject" in said else "warn" if said else "accept"
            verdicts[name] = ValidatorVerdict(worst, "", len(said))
    return verdicts


def list_prims(body: Body) -> list[tuple[str, Prim]]:
    """List the prims of a body: "" for its own, then its colliders and their materials."""
    ordered = groupby(body.spellings, key=lambda each: each.prim)
    return [(path, {each.name: each for each in group}) for path, group in ordered]


def _applies(prim: Prim, schema: str = "PhysicsMassAPI") -> bool:
    return prim[schema].state == "written"


def _read(prim: Prim, name: str) -> list[float]:
    """List the numbers of an attribute as the float32 that USD keeps; [] if absent."""
    return [float(np.float32(number.value)) for number in prim[name].numbers]


def list_wrong_shells(prim: Prim) -> list[str]:
    """List the attributes of Newton's shells whose values its schema does not allow."""
    model, thickness = prim.get("newton:massModel"), prim.get("newton:shellThickness")
    wrong = []
    if model is not None and model.numbers[0].text not in ("solid", "shell"):
        wrong.append("newton:massModel")
    length = 1.0 if thickness is None else thickness.numbers[0].value
    if not 0 < length < inf and length != -inf:  # by which it is left to the engine
        wrong.append("newton:shellThickness")
    return wrong


def _find_failures(body: Body, stage: Stage | None) -> Iterator[str]:
    """Find what the checkers say of a body and of its colliders, in words of theirs."""
    (_, own), *others = list_prims(body)
    colliders = [prim for _, prim in others if not _applies(prim, "PhysicsMaterialAPI")]
    found: list[tuple[bool, str]] = []
    for prim in (own, *colliders):
        if _applies(prim):
            moments, axes = _read(prim, _MOMENTS), _read(prim, _AXES)
            squares = np.square(np.array(axes, dtype=np.float32))
            length = float(np.sqrt(np.sum(squares, dtype=np.float32)))
            written = [prim[name].state != "absent" for name in (_MOMENTS, _AXES)]
            half = written[0] != written[1] or any(moments) != any(axes)
            low, middle, high = sorted(moments) or (0, 0, 0)  # float32, added as Python floats
            off = abs(length - 1)
            found += [
                (min(_read(prim, _MASS), default=0) < 0, f"MassChecker: Mass {_SIGN}"),
                (min(_read(prim, _DENSITY), default=0) < 0, f"MassChecker: Density {_SIGN}"),
                (half or (any(axes) and off > _UNIT_IN_MASS_CHECKER), f"MassChecker: {_HALF}"),
                (low + middle < high, f"{_RB_008} inertia triangle inequality: {moments}"),
                (
                    length > _NO_LENGTH and off > _UNIT_IN_RB_008,
                    f"RigidBodyHasMassAPI: has principal axes that is not normalized: {length}",
                ),
            ]
        numbers, shells = [each.value for each in prim[_NEWTON].numbers], list_wrong_shells(prim)
        wrong = len(numbers) not in (0, 6) or not all(map(isfinite, numbers))
        found += [
            (wrong, f"{_MAS_001}inertia must have exactly 6 finite elements"),
            (
                any(value < 0 for value in numbers[:3]),
                f"{_MAS_001}inertia has a negative diagonal moment",
            ),
            ("newton:massModel" in shells, f"{_MAS_001}massModel must be 'solid'"),
            ("newton:shellThickness" in shells, f"{_MAS_001}shellThickness must be greater than 0"),
        ]
    default = "" if stage is None else stage.default_prim
    if default and f"{body.id}/".startswith(f"/{default}/"):
        masses = [_read(prim, _MASS) for prim in (own, *colliders) if _applies(prim)]
        least, most = (pick((mass[0] for mass in masses if mass), default=0) for pick in (min, max))
        nowhere = not _applies(own) and not all(map(_applies, colliders))
        found += [
            (nowhere, f"RigidBodyMassChecker: Rigid body '{body.id}' has no mass"),
            (least < 0, f"{_RB_011} '{body.id}' has negative mass"),
            (least >= 0 and most <= 0, f"{_RB_011} '{body.id}' has no valid mass"),
        ]
    return (text for wrong, text in found if wrong)
