"""Writing of the damping, friction and armature of joints, after the bodies of the same document.

All joints change or none. The new document is read again before it is returned: its joints have
these numbers, and nothing else that is read from it has changed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from math import isclose, isfinite
from typing import NamedTuple

from inertial_check.errors import InertialCheckError
from inertial_check.fixing.edits import compare
from inertial_check.fixing.result import Fix
from inertial_check.formats import Context, load
from inertial_check.formats.insertion import NotInsertable
from inertial_check.formats.joint_numbers import JOINT_NUMBERS, JointEdits
from inertial_check.formats.joint_writing import set_joint
from inertial_check.model import Body, Edit, Joint, Model

_SINGLE = 2.0**-23
"""Relative difference up to which numbers of a USD layer are equal, which are mostly float32."""

_ROUNDING = 2.0**-51
"""Relative difference up to which other numbers are equal, which units may have multiplied."""


class JointResult(NamedTuple):
    """Result of the writing of one joint.

    Attributes:
        name: Name of the joint.
        status: "fixed", "unchanged", "refused" where it cannot be written, or "withheld" where
            another joint cannot.
        reason: Explanation in one line; "" where there is nothing to explain.
        values: Numbers that the new document states, by their names.
        left: Numbers for which the format has no place, and the reason.
    """

    name: str
    status: str
    reason: str
    values: Mapping[str, float]
    left: Mapping[str, str]


@dataclass(frozen=True)
class JointsFix:
    """Document with new numbers of its joints, not yet written.

    Attributes:
        fix: The document; that without these numbers where a joint cannot be written.
        joints: Result for each joint.
    """

    fix: Fix
    joints: tuple[JointResult, ...]

    @property
    def complete(self) -> bool:
        """Whether all joints have their numbers."""
        return all(joint.status in ("fixed", "unchanged") for joint in self.joints)


def write_joints(
    model: Model,
    fix: Fix,
    targets: Mapping[str, Mapping[str, float]],
    context: Context | None = None,
) -> JointsFix:
    """Write the numbers of joints into a document whose bodies have been written.

    Args:
        model: The model as it was read.
        fix: Its document with the new numbers of bodies.
        targets: Damping, friction and armature [SI], by the id of the body that the joint moves.
        context: Where the files are that the document includes.

    Returns:
        The new bytes, not written. If a joint cannot be written, no joint changes.
    """
    writer = _JointWriter(model, fix, targets, context or Context())
    refused = {id_: reason for id_ in targets if (reason := writer.find_obstacle(id_))}
    if not refused:
        try:
            return writer.write()
        except _RefusedError as error:
            refused = error.reasons
    return JointsFix(fix, tuple(writer.withhold(id_, refused) for id_ in targets))


class _RefusedError(Exception):
    """Joints that cannot be written, by the ids of their bodies, with the reasons."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(reasons)
        self.reasons = dict(reasons)


@dataclass(frozen=True)
class _JointWriter:
    """Writes joints into the document of a fix.

    Attributes: As the arguments of `write_joints`.
    """

    model: Model
    fix: Fix
    targets: Mapping[str, Mapping[str, float]]
    context: Context

    def find_obstacle(self, id_: str) -> str:
        """Say which number no joint has, or why the document cannot change; "" for neither."""
        wrong = [
            f"{name} {value!r}"
            for name, value in self.targets[id_].items()
            if not (isfinite(value) and value >= 0)
        ]
        if wrong:
            return f"{', '.join(wrong)}: no engine simulates a negative number rightly"
        if self.fix.layer is not None:
            return "the document is binary, and its joints are not written in a layer over it"
        return ""

    def write(self) -> JointsFix:
        """Write all joints.

        Raises:
            _RefusedError: A joint cannot be written.
        """
        overlay = {os.path.abspath(source.path): data for source, data in self.fix.others}
        model = self._read(self.fix.data, overlay)
        bodies = {body.id: body for body in model.bodies}
        plans: dict[str, JointEdits] = {}
        refused = {}
        for id_, values in self.targets.items():
            try:
                plans[id_] = set_joint(model, bodies[id_], values)
            except NotInsertable as error:
                refused[id_] = error.reason
        if refused:
            raise _RefusedError(refused)
        edits = dict.fromkeys(chain.from_iterable(plan.edits for plan in plans.values()))
        fix = self._apply(model, edits)
        again = self._read(fix.data, {os.path.abspath(s.path): data for s, data in fix.others})
        self._compare(model, again, plans)
        return JointsFix(fix, tuple(self._tell(bodies[id_], plans[id_]) for id_ in self.targets))

    def withhold(self, id_: str, refused: Mapping[str, str]) -> JointResult:
        """Make the result of a joint that is not written."""
        name = next(body.joints[0].name for body in self.model.bodies if body.id == id_)
        status = "refused" if id_ in refused else "withheld"
        reason = refused.get(id_, "all joints are written or none")
        return JointResult(name, status, reason, {}, {})

    def _read(self, data: bytes, overlay: Mapping[str, bytes]) -> Model:
        """Read the document with new bytes of those that it includes.

        Raises:
            _RefusedError: It cannot be read.
        """
        context = replace(self.context, overlay={**self.context.overlay, **overlay})
        path = self.model.source.path
        try:
            return load(data, format=self.fix.format, path=path, context=context)
        except InertialCheckError as error:
            raise _RefusedError(dict.fromkeys(self.targets, str(error))) from None

    def _apply(self, model: Model, edits: Mapping[Edit, None]) -> Fix:
        """Apply edits to the documents of the model that the fix holds.

        Raises:
            _RefusedError: Two of them overlap, as the same text makes several joints.
        """
        try:
            data, *others = (
                source.apply_edits(edit for edit in edits if edit.span.file == file)
                for file, source in enumerate((model.source, *model.others))
            )
        except ValueError as error:
            reason = f"the same text makes several joints ({error})"
            raise _RefusedError(dict.fromkeys(self.targets, reason)) from None
        before = {source.path: source for source in self.model.others}
        pairs = tuple(
            (before[source.path], new)
            for source, new in zip(model.others, others, strict=True)
            if source.path in before and new != before[source.path].data
        )
        return replace(self.fix, data=data, others=pairs)

    def _compare(self, before: Model, after: Model, plans: Mapping[str, JointEdits]) -> None:
        """Compare the new document with the numbers that were written.

        Raises:
            _RefusedError: A joint has other numbers, or something else has changed.
        """
        changed = dict.fromkeys(self.targets, JOINT_NUMBERS)
        differences = list(compare(before, after, changed))
        if any(each.body is None for each in differences):
            reason = "the new document reads as another model"
            raise _RefusedError(dict.fromkeys(self.targets, reason))
        wrong = {each.body.id for each in differences if each.body is not None}
        refused: dict[str, str] = {}
        for old, new in zip(before.bodies, after.bodies, strict=True):
            plan, values = plans.get(old.id), self.targets.get(old.id, {})
            placed = {} if plan is None else {k: v for k, v in values.items() if k not in plan.left}
            expected = tuple(_give(joint, placed) for joint in old.joints)
            if old.id not in wrong and self._agree(expected, tuple(new.joints)):
                continue
            own = [old.id] if old.id in self.targets else list(self.targets)
            reason = f"the new document states other numbers of {old.name} than were written"
            refused |= dict.fromkeys(own, reason)
        if refused:
            raise _RefusedError(refused)

    def _agree(self, expected: tuple[Joint, ...], found: tuple[Joint, ...]) -> bool:
        """Decide whether joints state the same, but for the rounding of their numbers."""
        rounding = _SINGLE if self.fix.format == "usd" else _ROUNDING
        if len(expected) != len(found):
            return False
        for one, other in zip(expected, found, strict=True):
            for name in JOINT_NUMBERS:
                pair = getattr(one, name), getattr(other, name)
                near = None not in pair and isclose(*pair, rel_tol=rounding, abs_tol=0.0)
                if not near and repr(pair[0]) != repr(pair[1]):
                    return False
            if repr(_blank(one)) != repr(_blank(other)):  # a NaN equals itself as text
                return False
        return True

    def _tell(self, before: Body, plan: JointEdits) -> JointResult:
        """Make the result of a joint that is written."""
        values = {k: v for k, v in self.targets[before.id].items() if k not in plan.left}
        status = "fixed" if plan.edits else "unchanged"
        return JointResult(before.joints[0].name, status, "", values, plan.left)


def _give(joint: Joint, numbers: Mapping[str, float]) -> Joint:
    """Give a joint other numbers of its dynamics."""
    return joint._replace(
        damping=numbers.get("damping", joint.damping),
        friction=numbers.get("friction", joint.friction),
        armature=numbers.get("armature", joint.armature),
    )


def _blank(joint: Joint) -> Joint:
    """Leave out the numbers of a joint's dynamics."""
    return joint._replace(damping=None, friction=None, armature=None)
