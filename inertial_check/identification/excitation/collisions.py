"""Shapes of a robot that must not touch: convex bodies, pairs that count, pairs left out.

Convex forms of the shapes of bodies, which collisions are computed with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

from inertial_check.checking.shapes.meshes import MeshFinder, scaled_triangles
from inertial_check.documents.context import Context
from inertial_check.documents.model import Body, Shape
from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.identification.excitation.convex import (
    Clearance,
    ConvexShapes,
    Obstacles,
    measure_gaps,
    pad_shapes,
)
from inertial_check.identification.robot import Robot, list_some
from inertial_check.inertia.arrays import Floats
from inertial_check.inertia.meshes import convex_hull
from inertial_check.mechanics.tree import INERTIAL_FRAME

Convex = tuple[Floats, Floats, float]
"""Corners (V, 3), spread (3, 3) and radius of a convex shape in the frame of its body."""

MOST_CORNERS = 64
"""Largest number of corners of a hull: with more, some are chosen, and a ball makes up for the
others."""

BOX = np.array(np.meshgrid(*((-1.0, 1.0),) * 3, indexing="ij")).reshape(3, -1).T
_POINT = np.zeros((1, 3))
NO_SPREAD = np.zeros((3, 3))


def convert_shape(shape: Shape, finder: MeshFinder) -> Convex:
    """Convert a shape to a convex one in the frame of its body.

    A cone counts as its cylinder, a mesh as its convex hull.

    Raises:
        ParameterError: It has no size, or no convex form. The message says why.
        DocumentError: The file of a mesh cannot be read.
    """
    if shape.note is not None:
        raise ParameterError(shape.note)
    sizes = np.array(shape.dimensions, dtype=np.float64)
    if not np.all((sizes >= 0) & (sizes < sqrt(np.finfo(np.float64).max))):
        raise ParameterError(f"its dimensions are {', '.join(map(repr, shape.dimensions))}")
    corners, spread, radius = _POINT, NO_SPREAD, 0.0
    if shape.kind == "box":
        corners = BOX * sizes / 2
    elif shape.kind == "sphere":
        radius = float(sizes[0])
    elif shape.kind == "ellipsoid":
        spread = np.diag(sizes)
    elif shape.kind in ("cylinder", "cone", "capsule"):
        corners = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * sizes[1]
        if shape.kind == "capsule":
            radius = float(sizes[0])
        else:
            spread = np.diag([sizes[0], sizes[0], 0.0])
    elif shape.kind == "mesh":
        corners, radius = _enclose_mesh(shape, finder)
    else:
        raise ParameterError(f"a {shape.kind or 'shape'} has no convex form")
    R = np.array(shape.R_BG)
    return corners @ R.T + np.array(shape.p_BoGo_B), R @ spread, radius


def _enclose_mesh(shape: Shape, finder: MeshFinder) -> tuple[Floats, float]:
    """Corners and a radius that enclose a mesh: of its hull, or of some of its corners.

    Raises:
        ParameterError: There is no file, or its corners lie in one plane.
        DocumentError: The file cannot be read.
    """
    resource = finder.find(shape)
    if resource.path is None:
        raise ParameterError(resource.reason or "its file is not found")
    hull = convex_hull(scaled_triangles(resource.path, shape.scale, finder.access))
    points = np.unique(hull.reshape(-1, 3), axis=0)
    if len(points) <= MOST_CORNERS:
        return points, 0.0
    # Directions (MOST_CORNERS, 3) that are spread evenly, along a spiral.
    place = np.arange(MOST_CORNERS) + 0.5
    z = 1 - 2 * place / MOST_CORNERS
    turn = np.pi * (1 + sqrt(5)) * place
    r = np.sqrt(1 - z**2)
    chosen = points[
        np.unique(
            np.argmax(points @ np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1).T, axis=0)
        )
    ]
    inner = pad_shapes([(chosen, NO_SPREAD, 0.0)]).rows(np.zeros(len(points), dtype=np.intp))
    single = ConvexShapes(points[:, None], np.zeros((len(points), 3, 3)), np.zeros(len(points)))
    gaps = measure_gaps(single, inner)
    away = np.linalg.norm(gaps.points_A - gaps.points_B, axis=1)  # never below the distance
    return chosen, float(away[gaps.distance > 0].max(initial=0.0))


TOUCHING = 0.01
"""Distance at the home position below which two bodies touch, in median radii of the shapes."""

HELD_AT_HOME = 0.5
"""Part of their distance at the home position that bodies keep which are nearer there than the
clearance."""

_LISTED = 6
"""Largest number of names in a note."""

FLOOR = "floor"
"""Name of the floor in reports."""


@dataclass(frozen=True, kw_only=True)
class CollisionOptions:
    """Shapes that must not touch.

    Attributes:
        clearance: Distance that bodies keep from each other and from obstacles [m]; None to leave
            collisions out.
        allow_contact: Pairs of bodies that may touch.
        floor: Height of a floor in the frame of the base [m]; None for none.
        keep_out: Boxes that the robot keeps out of, each lower and upper x, y and z [m].
    """

    clearance: float | None = 0.0
    allow_contact: tuple[tuple[str, str], ...] = ()
    floor: float | None = None
    keep_out: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        """Refuse numbers out of range.

        Raises:
            UsageError: The message names the option.
        """
        if self.clearance is not None and not (isfinite(self.clearance) and self.clearance >= 0):
            raise UsageError(f"--clearance is {self.clearance!r}, expected 0 or more [m], or none")
        if self.floor is not None and not isfinite(self.floor):
            raise UsageError(f"--floor is {self.floor!r}, expected a height [m]")


class LeftOut(NamedTuple):
    """Pair of bodies whose distance is not looked at.

    Attributes:
        bodies: Their names.
        because: "adjacent", "touching" at the home position, or "allowed".
    """

    bodies: tuple[str, str]
    because: str


class Collisions(NamedTuple):
    """Shapes that have to stay apart.

    Attributes:
        obstacles: Shapes and pairs; None where there are none.
        names: (k,) name of the body of each shape.
        left_out: Pairs of bodies that are left out.
        notes: Assumptions, one line each.
    """

    obstacles: Obstacles | None
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]

    def pair_names(self, pair: int) -> tuple[str, str]:
        """Names of the bodies of a pair of shapes."""
        assert self.obstacles is not None
        first, second = self.obstacles.pairs[pair].tolist()
        return self.names[first], self.names[second]


class _Part(NamedTuple):
    """A convex shape of a body, or of what stands still (-1)."""

    body: int
    name: str
    convex: Convex


def read_collisions(
    options: CollisionOptions, robot: Robot, context: Context, home: Floats
) -> Collisions:
    """Read the shapes of a robot, and choose the pairs that have to stay apart.

    Args:
        options: Clearance, obstacles and pairs that may touch.
        robot: The robot.
        context: Folders of the packages in which its meshes are.
        home: (n,) coordinates of the home position.

    Raises:
        UsageError: A pair that may touch names no body.
    """
    if options.clearance is None:
        return Collisions(None, (), (), ("collisions are not looked at: --clearance none",))
    notes: list[str] = []
    parts = list(_collect_parts(robot, context, notes))
    # Make the floor and the boxes to keep out of.
    boxes = [(f"keep-out {n}", each) for n, each in enumerate(options.keep_out, 1)]
    if options.floor is not None:
        steps = np.linalg.norm(robot.tree.X_PB[:, :3, 3], axis=1).sum()
        sizes = pad_shapes([part.convex for part in parts]).reach if parts else np.ones(1)
        wide = 2 * float(steps + sizes.max() + abs(options.floor))
        boxes.append((FLOOR, (-wide, wide, -wide, wide, options.floor - wide, options.floor)))
    obstacles = []
    for name, numbers in boxes:
        lower, upper = np.array(numbers[::2]), np.array(numbers[1::2])
        corners = (lower + upper) / 2 + BOX * (upper - lower) / 2
        obstacles.append(_Part(INERTIAL_FRAME, name, (corners, NO_SPREAD, 0.0)))
    parts += obstacles
    left_out = [LeftOut(_find_pair(robot, names), "allowed") for names in options.allow_contact]
    pairs = _choose_pairs(robot, parts, left_out)
    names = tuple(part.name for part in parts)
    if not pairs:
        return Collisions(None, names, tuple(left_out), tuple(notes))
    shapes = pad_shapes([part.convex for part in parts])
    body = np.array([part.body for part in parts])
    index = np.array(pairs)
    free = Obstacles(shapes, body, index, np.zeros(len(pairs)))
    apart = Clearance(robot.tree, free).distances(home[None])[0]
    touching = TOUCHING * float(np.median(shapes.reach[body != INERTIAL_FRAME]))
    met = {tuple(sorted((names[a], names[b]))) for a, b in index[apart <= touching].tolist()}
    left_out += [LeftOut((a, b), "touching") for a, b in sorted(met)]
    kept = [tuple(sorted((names[a], names[b]))) not in met for a, b in pairs]
    near = np.array(kept) & (apart < options.clearance)
    for a, b in sorted({tuple(sorted((names[a], names[b]))) for a, b in index[near].tolist()}):
        notes.append(
            f"{a} and {b} are nearer at the home position than --clearance: they keep half of that"
        )
    least = np.minimum(options.clearance, HELD_AT_HOME * apart)[kept]
    found = Obstacles(shapes, body, index[kept], least) if any(kept) else None
    return Collisions(found, names, tuple(left_out), tuple(notes))


def _choose_pairs(
    robot: Robot, parts: Sequence[_Part], left_out: list[LeftOut]
) -> list[tuple[int, int]]:
    """Choose pairs of shapes that move relative to each other; adjacent bodies are left out."""
    # Give each body the first body that no joint moves relative to it; -1 for the world.
    tree, groups = robot.tree, {INERTIAL_FRAME: INERTIAL_FRAME}
    for body in tree.order:
        groups[body] = groups[int(tree.parents[body])] if tree.joints[body] == "fixed" else body
    above = {
        groups[body]: groups[int(tree.parents[body])]
        for body in tree.order
        if tree.joints[body] != "fixed"
    }
    allowed = {frozenset(each.bodies) for each in left_out}
    adjacent: dict[tuple[str, str], None] = {}
    pairs = []
    for second, b in enumerate(parts):
        for first, a in enumerate(parts[:second]):
            one, other = groups[a.body], groups[b.body]
            if one == other or frozenset((a.name, b.name)) in allowed:
                continue
            near = above.get(one) == other or above.get(other) == one
            if near and INERTIAL_FRAME not in (a.body, b.body):
                adjacent[a.name, b.name] = None
                continue
            pairs.append((first, second))
    left_out += [LeftOut(names, "adjacent") for names in adjacent]
    return pairs


def _collect_parts(robot: Robot, context: Context, notes: list[str]) -> Iterator[_Part]:
    """Collect the collision shapes of all bodies, or the visual ones of a body without."""
    finder = MeshFinder(robot.model, context)
    visual: list[str] = []
    bare: list[str] = []
    hulls: list[str] = []
    skipped: list[str] = []
    for index, body in enumerate(robot.model.bodies):
        role, found = _convert_shapes(body, finder, hulls, skipped)
        if role == "visual" and found:
            visual.append(body.name)
        if not found and np.any(robot.tree.theta[index]):
            bare.append(body.name)
        yield from (_Part(index, body.name, convex) for convex in found)
    for names, what in (
        (bare, "no shape that can be used, so no collision is seen of"),
        (visual, "no collision shapes, so visual ones count, of"),
        (hulls, "a convex hull counts for each mesh of"),
    ):
        if names:
            notes.append(f"{what} {list_some(names, _LISTED)}")
    notes += skipped[:_LISTED]


def _convert_shapes(
    body: Body, finder: MeshFinder, hulls: list[str], skipped: list[str]
) -> tuple[str, list[Convex]]:
    for role in ("collision", "visual"):
        found = []
        for shape in body.shapes:
            if shape.role != role:
                continue
            try:
                found.append(convert_shape(shape, finder))
                if shape.kind == "mesh":
                    hulls += [] if body.name in hulls else [body.name]
            except (DocumentError, ParameterError, UsageError) as error:
                skipped.append(f"{body.name}: {role} {shape.kind or 'shape'} left out: {error}")
        if found:
            return role, found
    return "collision", []


def _find_pair(robot: Robot, names: tuple[str, str]) -> tuple[str, str]:
    """Check that a pair of names is one of bodies.

    Raises:
        UsageError: One is not.
    """
    for name in names:
        if name not in robot.tree.names and name != FLOOR and not name.startswith("keep-out "):
            raise UsageError(
                f"--allow-contact: {name!r} is no body of the robot; there are "
                f"{list_some(robot.tree.names, _LISTED)}"
            )
    return names


def read_boxes(texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    """Read boxes, from texts X:X,Y:Y,Z:Z of lower and upper coordinates [m].

    Raises:
        UsageError: A text of another form, or a lower end that is not below the upper one.
    """
    found = []
    for text in texts:
        try:
            numbers = tuple(float(end) for part in text.split(",") for end in part.split(":"))
        except ValueError:
            numbers = ()
        ends = zip(numbers[::2], numbers[1::2], strict=False)
        if len(numbers) != 6 or not all(isfinite(a) and isfinite(b) and a < b for a, b in ends):
            raise UsageError(
                f"--keep-out {text}: expected XMIN:XMAX,YMIN:YMAX,ZMIN:ZMAX, each rising"
            )
        found.append(numbers)
    return tuple(found)


def read_clearance(text: str) -> float | None:
    """Read a distance [m], or "none".

    Raises:
        UsageError: It is neither.
    """
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--clearance {text}: expected a distance [m], or none") from None
