"""Bodies on fixed joints merged into one unknown body, and its numbers shared back to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inertial_check.arrays.types import Floats
from inertial_check.dynamics.tree import SIZES, Tree
from inertial_check.errors import ParameterError
from inertial_check.geometry.priors import from_model
from inertial_check.inertia.frames import transform
from inertial_check.inertia.parameters import InertialParameters
from inertial_check.model import Model, Severity
from inertial_check.model.identified import MergedBody, MergedPart, Remark
from inertial_check.projection.composites import split_composite


class MergeGroup(NamedTuple):
    """Bodies that no joint moves apart, which are identified as one.

    Attributes:
        parent: Index of the body in whose frame the one is identified.
        children: Indices of the others.
        X_PC: (k, 4, 4) their poses in the frame of the parent.
    """

    parent: int
    children: tuple[int, ...]
    X_PC: Floats


def find_groups(tree: Tree, bodies: Sequence[int]) -> tuple[MergeGroup, ...]:
    """Find the bodies that joints do not move apart: fixed joints, and joints that are locked.

    Args:
        tree: Tree of all bodies.
        bodies: Indices of the bodies to identify, ascending; frames without mass join no group.
    """
    together: dict[int, list[tuple[int, Floats]]] = {}
    for body in bodies:
        carrier, X = _find_carrier(tree, body)
        together.setdefault(carrier, []).append((body, X))
    groups = []
    for carrier, members in together.items():
        (parent, X_P), *others = sorted(members, key=lambda own: (own[0] != carrier, own[0]))
        if others:
            poses = np.linalg.inv(X_P) @ np.array([X for _, X in others])
            groups.append(MergeGroup(parent, tuple(body for body, _ in others), poses))
    return tuple(groups)


def _find_carrier(tree: Tree, body: int) -> tuple[int, Floats]:
    """Find the body that a joint moves and that carries this one, and the pose in its frame."""
    X = np.eye(4)
    while SIZES[tree.joints[body]][1] == 0 and tree.parents[body] >= 0:
        X = np.asarray(tree.X_PB[body]) @ X
        body = int(tree.parents[body])
    return body, X


def merge_tree(tree: Tree, groups: Sequence[MergeGroup]) -> Tree:
    """Give the inertia of every group to its parent; its children become frames without mass."""
    theta = np.array(tree.theta)
    for group in groups:
        own = list(group.children)
        theta[group.parent] += np.asarray(transform(theta[own], group.X_PC)).sum(axis=0)
        theta[own] = 0.0
    return replace(tree, theta=theta)


def merge_parameters(
    given: InertialParameters,
    parts: Sequence[int],
    bodies: Sequence[int],
    groups: Sequence[MergeGroup],
) -> InertialParameters:
    """Merge the bodies of a prior as the groups do.

    Args:
        given: Bodies, in the order of `parts`.
        parts: Indices of all bodies with mass that joints move.
        bodies: Indices of those that are left as unknown bodies, ascending.
        groups: Groups of the others with their parents.
    """
    place, theta = {body: k for k, body in enumerate(parts)}, np.array(given.as_theta())
    for group in groups:
        own = [place[body] for body in group.children]
        theta[place[group.parent]] += np.asarray(transform(theta[own], group.X_PC)).sum(axis=0)
    return InertialParameters.from_theta(theta[[place[body] for body in bodies]])


def split_bodies(
    model: Model, bodies: Sequence[int], groups: Sequence[MergeGroup], theta: Floats
) -> tuple[MergedBody, ...]:
    """Share the identified numbers of merged bodies back to their parts.

    Args:
        model: Model with the numbers that the parts have in the file.
        bodies: Indices of the identified bodies.
        groups: Groups of bodies that were merged.
        theta: (L, 10) identified bodies, perhaps with further ones after them.
    """
    found = []
    for group in groups:
        members = (group.parent, *group.children)
        own = _read_members(model, members)
        composite = theta[list(bodies).index(group.parent)]
        split = split_composite(composite, np.asarray(own.as_theta())[0], own[1:], group.X_PC)
        kept = split.method == "remainder"
        parts = tuple(
            _describe_part(model, index, split.theta[k], kept=kept and k > 0)
            for k, index in enumerate(members)
        )
        found.append(MergedBody(model.bodies[group.parent].name, split.method, parts))
    return tuple(found)


def _read_members(model: Model, members: Sequence[int]) -> InertialParameters:
    """Read the bodies of a group from the file, as it states them."""
    names = [model.bodies[index].id for index in members]
    try:
        return from_model(model, names)
    except ParameterError:  # numbers that no file states, as those of a format's default
        from inertial_check.model.tree import tree_of

        return InertialParameters.from_theta(tree_of(model).tree.theta[list(members)])


def _describe_part(model: Model, index: int, theta: Floats, *, kept: bool) -> MergedPart:
    own, body = InertialParameters.from_theta(theta), model.bodies[index]
    return MergedPart(
        body.name,
        body.id,
        kept,
        float(own.mass),
        tuple(np.asarray(own.com).tolist()),
        tuple(np.asarray(own.as_theta(about="com"))[4:].tolist()),
        tuple(theta.tolist()),
    )


def remark_on_merged(merged: Sequence[MergedBody]) -> Iterator[Remark]:
    """Remark on how the numbers of each merged body are shared."""
    for each in merged:
        children = ", ".join(part.name for part in each.parts[1:])
        masses = ", ".join(f"{part.name} {part.mass:.4g} kg" for part in each.parts)
        one = f"{each.name} is one body with {children}, which no joint moves apart from it"
        if each.method == "remainder":
            message = f"{one}; these keep the numbers of the file, {each.name} has the rest"
            yield Remark(Severity.NOTE, "merged", f"{message}: {masses}")
        elif each.method == "nearest":
            message = (
                f"{one}; less the numbers of the file for {children} it is no consistent body, so "
                "all are changed, to the nearest consistent bodies that add up to it"
            )
            yield Remark(Severity.WARNING, "merged", f"{message}: {masses}")
        else:
            message = (
                f"{one}; it is at the edge of what is consistent, so each is a copy of it with a "
                "share of its mass; --margin keeps it off the edge"
            )
            yield Remark(Severity.WARNING, "merged", f"{message}: {masses}")


def list_numbers(
    model: Model, bodies: Sequence[int], theta: Floats, merged: Sequence[MergedBody]
) -> dict[str, Floats]:
    """List the numbers to write, by the ids of bodies; parts that keep theirs are left out."""
    numbers = {model.bodies[index].id: own for index, own in zip(bodies, theta, strict=False)}
    for each in merged:
        changed = [part for part in each.parts if not part.kept]
        numbers |= {part.id: np.array(part.theta) for part in changed}
    return numbers
