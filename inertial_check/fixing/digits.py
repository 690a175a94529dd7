"""Numbers as text in the style of a document, and tensors in the fewest digits that stay valid.

Formats that state principal moments and a quaternion take new products as a turn of the axes: that
in which the tensor has no products, and which is as near to the axes that are written as can be.

The region of the inertia tensors that a fix may write is convex and independent of the axes:
tensors that a body can have, with a least margin, above the floors of simulation engines. Whether a
printed tensor lies in it is decided without any tolerance: in exact arithmetic, and by the
eigenvalues that engines compute in float64 and float32. A tensor on its border rounds to either
side. So the projection aims at a margin that covers the digits, and the printed text is parsed and
tested again.

A moment that a xacro file computes has no digits to change. Where it is that of the body's one
primitive, the textbook formula takes the place of what is written, with the mass and the sizes as
the file spells them, so that it holds for their other values, too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

import numpy as np
import numpy.typing as npt

from inertial_check.checking.engines.base import NO_FLOORS, Floors
from inertial_check.documents.model import (
    ENTRIES,
    NEWTON_ORDER,
    Body,
    Inertial,
    Model,
    Number,
    Spelling,
)
from inertial_check.documents.source import Span
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats, NumpyArray
from inertial_check.inertia.representations import six as six_of
from inertial_check.inertia.representations import symmetric
from inertial_check.projection.exact import is_exact_tensor
from inertial_check.projection.moments import INERTIA, ISOTROPIC, find_metric, nearest_moments

_SPREADS = np.ones((3, 3)) / 2 - np.eye(3)
"""Matrix from principal moments J to second moments along the principal axes: tr(J)/2 - J_i."""


@dataclass(frozen=True)
class Region:
    """Convex set of inertia tensors that is the same in all axes.

    Attributes:
        metric: Name of the metric in which the nearest tensor of the region is taken.
        margin: Least margin of its tensors, 0 to 1/3.
        floors: Lower bounds of their principal moments.
    """

    metric: str = "inertia"
    margin: float = 0.0
    floors: Floors = NO_FLOORS

    def project(self, six: Floats, inside: float = 0.0) -> Floats:
        """The nearest tensor (6,) of the region.

        Args:
            six: (6,) any symmetric tensor.
            inside: Distance from the border: added to the margin, and to the floors as a share of
                the largest moment.
        """
        margin = min(self.margin + inside, ISOTROPIC)
        nearest = np.asarray(nearest_moments(six, find_metric(self.metric), margin))
        return self._raise(six, nearest, margin, inside)

    def _raise(self, six: Floats, nearest: Floats, margin: float, inside: float = 0.0) -> Floats:
        """The nearest tensor (6,) that reaches the floors, too, of one without them."""
        reached = np.linalg.eigvalsh(symmetric(nearest))
        floors = self.floors.raise_by(inside, float(reached[-1]))
        if _reach(reached, floors):
            return nearest
        moments, axes = np.linalg.eigh(symmetric(six))
        found = _project_moments(moments, self.metric, margin, floors)
        tensor: Floats = six_of(axes @ np.diag(found) @ axes.T)
        return tensor

    def find_nearest(self, six: Floats) -> Floats | None:
        """The nearest tensor (6,); None where only rounding or the floors keep it from zero."""
        metric = find_metric(self.metric)
        without_floors = np.asarray(nearest_moments(six, metric, self.margin))
        rounding = tolerances.floor(np.ones(())) * np.max(np.abs(six))
        if not np.max(np.abs(without_floors)) > rounding:
            return None
        return self._raise(six, without_floors, self.margin)

    def contains(self, written: Floats) -> bool:
        """Whether a tensor (6,) lies in the region, without any tolerance, also in float32."""
        if not survives_rounding(written, self.margin):
            return False
        return _reach(np.linalg.eigvalsh(symmetric(written)), self.floors)


def _reach(moments: NumpyArray, floors: Floors) -> bool:
    """Whether principal moments, in ascending order, reach the floors."""
    return bool(moments[0] >= max(floors.moment, floors.ratio * moments[-1]))


def survives_rounding(written: Floats, margin: float = 0.0) -> bool:
    """Whether a tensor is consistent without any tolerance, in float64 and rounded to float32.

    It is tested twice: in exact arithmetic, and by the eigenvalues that engines compute, which are
    wrong by a few eps.

    Args:
        written: (6,) entries as parsed.
        margin: Least margin in float64; in float32 it is 0.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = written.astype(np.float32)
    if not np.all(np.isfinite(single)):
        return False
    slack = float(tolerances.floor(np.ones(())))
    return (
        is_exact_tensor(written.tolist(), margin)
        and is_exact_tensor(single.tolist())
        and _meets_triangle_inequality(written, slack)
        and _meets_triangle_inequality(single, 0.0)
    )


def _meets_triangle_inequality(six: npt.NDArray[np.floating], slack: float) -> bool:
    """Whether LAPACK, in the precision of the entries, finds 0 < J3 <= J2 <= J1 <= J2 + J3."""
    low, middle, high = np.linalg.eigvalsh(symmetric(six))
    return bool(low > 0 and low + middle - high >= slack * high)


def _project_moments(moments: Floats, metric: str, margin: float, floors: Floors) -> Floats:
    """The nearest point of a polyhedron of principal moments, by trying its faces and corners.

    A projection keeps the order of the moments. So the polyhedron is the part in which they ascend,
    where one triangle inequality and one of each kind of floor imply the others.

    Args:
        moments: (3,) ascending.
        metric: Name of the metric.
        margin: Least margin of the result.
        floors: Lower bounds of the result.
    """
    # Not zero: without a floor of the moment, a tensor of zeros needs no projection.
    unit = max(float(np.max(np.abs(moments))), floors.moment)
    faces = np.array(
        [
            2 * _SPREADS[2] - margin,
            (1.0, 0.0, 0.0),
            (1.0, 0.0, -floors.ratio),
            (-1.0, 1.0, 0.0),
            (0.0, -1.0, 1.0),
        ]
    )
    heights = np.array([0.0, floors.moment / unit, 0.0, 0.0, 0.0])
    # In these coordinates the metric is the Euclidean distance.
    weight = find_metric(metric).trace_weight
    root = np.eye(3) + (np.sqrt(1 + 3 * weight) - 1) / 3  # of 1 + weight 1 1^T
    lengths = np.eye(3) if weight == 1 else root @ _SPREADS  # 1: that of the moments themselves
    faces, given = faces @ np.linalg.inv(lengths), lengths @ (moments / unit)
    best, shortest = given, np.inf
    for count in range(4):
        for active in combinations(range(len(faces)), count):
            normals, offsets = faces[list(active)], heights[list(active)]
            point = given + np.linalg.pinv(normals) @ (offsets - normals @ given)
            distance = float(np.linalg.norm(point - given))
            inside = np.all(faces @ point - heights >= -tolerances.ON_FACE)
            if distance < shortest and inside:
                best, shortest = point, distance
    found: Floats = np.linalg.inv(lengths) @ best * unit
    return found


MOST_DIGITS = 17
"""Significant digits that tell every float64 from its neighbours."""

_TINY_EXPONENT, _HUGE_EXPONENT = -4, 16
"""Decimal exponents between which repr writes none; fix does the same where the file shows none."""

_FIXED_REACH = 3
"""Decades by which a number written without exponent may shrink before it is given one."""

FEWEST_DIGITS = next(
    n for n in range(1, MOST_DIGITS) if tolerances.digits_margin(n) <= tolerances.NEAREST_WRITTEN
)
"""Fewest significant digits that are tried: with fewer, the margin that survives printing is larger
than the distance from the nearest tensor that is allowed."""

_DOUBLINGS = 8
"""Number of margins that are tried for each number of digits, each twice the one before; larger
margins would always be too far from the nearest tensor."""

_MOST_SHIFT = 12
"""Largest power of ten by which a decimal point may be misplaced in a text."""


def significant_digits(text: str) -> int:
    """Digits of a decimal number from its first that is not zero; 0 for a zero."""
    mantissa = text.lower().partition("e")[0]
    return len("".join(char for char in mantissa if char.isdigit()).lstrip("0"))


def format_number(value: float, digits: int, like: str) -> str:
    """A number with at most `digits` significant digits, in the style of another text.

    Zeros at the end are left out, but never below the number of digits of `like`; digits beyond
    those that identify the float64 are never added.

    Args:
        value: Finite.
        digits: Significant digits, 1 to MOST_DIGITS; raised to those of `like`.
        like: The text that this one replaces; its exponent form, or its lack of one, is kept.
    """
    if value == 0:
        return "0"
    fewest = min(max(significant_digits(like), 1), MOST_DIGITS)
    most = min(max(digits, fewest), MOST_DIGITS)
    shown = f"{abs(value):.{min(most, significant_digits(repr(value))) - 1}e}"
    if float(shown) != abs(value):
        shown = f"{abs(value):.{most - 1}e}"
    mantissa, _, power = shown.partition("e")
    figures, exponent = mantissa.replace(".", "").rstrip("0").ljust(fewest, "0"), int(power)
    sign = "-" if value < 0 else ""
    write = _write_scientific if _wants_exponent(exponent, like) else _write_fixed_point
    return sign + write(figures, exponent, like)


def _wants_exponent(exponent: int, like: str) -> bool:
    if "e" in like.lower():
        return True
    lowest = _TINY_EXPONENT
    if significant_digits(like):
        written = int(f"{float(like):e}".partition("e")[2])
        lowest = min(written, _TINY_EXPONENT) - _FIXED_REACH
    return not lowest <= exponent < _HUGE_EXPONENT


def _write_scientific(figures: str, exponent: int, like: str) -> str:
    """Mantissa and exponent, with the letter, the plus sign and the width of `like`'s exponent."""
    letter = "E" if "E" in like else "e"
    shown = like.lower().partition("e")[2]
    width = len(shown.lstrip("+-")) or 2
    plus = "+" if "+" in shown or not shown else ""
    sign = "-" if exponent < 0 else plus
    point = "." if len(figures) > 1 else ""
    return f"{figures[0]}{point}{figures[1:]}{letter}{sign}{abs(exponent):0{width}d}"


def _write_fixed_point(figures: str, exponent: int, like: str) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    whole, part = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


def format_exactly(value: float, like: str, others: Iterable[str] = ()) -> str:
    """A number as the shortest decimal that is this float64, in the style of another text.

    Where the value is that of the text with its point or sign elsewhere, or that of another text
    but for its sign, up to the twelve digits that a cause tells, only those characters change:
    2.6443337984506E-07 becomes -2.6443337984506E-07.

    Args:
        value: Finite.
        like: The text that this one replaces; no fewer digits than it has are written.
        others: Texts of other numbers, which may have been exchanged with it.
    """
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    size = abs(value)
    for text in (like, *others):
        try:
            written = abs(float(text))
        except ValueError:
            continue
        power = 0
        if text is like and 0 < written < math.inf:
            power = round(math.log10(size) - math.log10(written))
            if 0 < abs(power) <= _MOST_SHIFT:
                written = float(abs(Decimal(text)).scaleb(power))
        if not abs(written - size) <= tolerances.TOLD_DIGITS * size or abs(power) > _MOST_SHIFT:
            continue
        mantissa, letter, exponent = re.split(r"([eE]|$)", text.lstrip("+-"), maxsplit=1)
        if power == 0:
            return f"{sign}{mantissa}{letter}{exponent}"
        if letter:
            new, width = int(exponent) + power, len(exponent.lstrip("+-"))
            plus = "-" if new < 0 else "+" * exponent.startswith("+")
            return f"{sign}{mantissa}{letter}{plus}{abs(new):0{width}d}"
        return format_number(math.copysign(written, value), MOST_DIGITS, like)
    return format_number(value, MOST_DIGITS, like)


def print_numbers(
    numbers: Sequence[Number], values: Sequence[float], digits: int, unmoved: float
) -> list[str]:
    """Texts of new values in the style of the numbers that are written; see format_number.

    Args:
        numbers: As written.
        values: The new values, in the document's own units.
        digits: Significant digits of each.
        unmoved: Numbers that change by no more than this keep their text.
    """
    return [
        number.text
        if abs(value - number.value) <= unmoved
        else format_number(value, digits, number.text)
        for number, value in zip(numbers, values, strict=True)
    ]


def print_nearest(
    numbers: Sequence[Number], nearest: Floats, region: Region, fewest: int = FEWEST_DIGITS
) -> list[str] | None:
    """Texts of a tensor of a region, in the fewest digits with which it is still in the region.

    The tensor is moved inside by a margin that covers the digits, and float32 at least. Entries
    that do not change keep their text.

    Args:
        numbers: The six entries as written, in the order of model.body.ENTRIES.
        nearest: (6,) the new entries.
        region: In which the tensor is, once its text has been parsed.
        fewest: The least number of digits that is tried.

    Returns:
        Six texts; None where no number of digits is enough, as for entries beyond float32.
    """
    allowed = tolerances.NEAREST_WRITTEN * INERTIA.distance(np.zeros(6), nearest)
    unmoved = tolerances.floor(np.ones(())) * np.max(np.abs(nearest))
    single = tolerances.epsilon(np.float32, np)
    for digits in range(fewest, MOST_DIGITS + 1):
        inside = max(tolerances.digits_margin(digits), single)
        for doubling in range(_DOUBLINGS):
            target = region.project(nearest, inside * 2**doubling)
            texts = print_numbers(numbers, target.tolist(), digits, unmoved)
            written = np.array([float(text) for text in texts])
            if not INERTIA.distance(written, nearest) <= allowed:  # also true where it is NaN
                break
            if region.contains(written):
                return texts
    return None


QUATERNION = ("qw", "qx", "qy", "qz")
"""Names of the numbers of the quaternion of a body's axes."""

ALIGNED = tuple(Number(float(text), text, None) for text in "1000")
"""Quaternion of a body whose axes a layer can state, where its document states none."""

_SWEEPS = 16
"""Most sweeps of Jacobi's method, which converges quadratically: a 3x3 matrix takes about five."""


def diagonalise(tensor: Floats, rounding: float) -> tuple[Floats, Floats]:
    """Moments and axes of a symmetric tensor, by Jacobi's method.

    Each of its rotations is the smallest that removes a product. So the axes stay near the present
    ones: a product of zero turns nothing, and no axes are swapped. `np.linalg.eigh` sorts the
    moments and returns any axes where two are equal, so that a disc would turn for no reason.

    Args:
        tensor: (3, 3).
        rounding: Products up to this size count as zero.

    Returns:
        (3,) moments about the new axes, and (3, 3) R, a rotation whose columns they are.
    """
    moments, R = np.array(tensor, dtype=float), np.eye(3)
    for _ in range(_SWEEPS):
        if np.max(np.abs(moments[np.triu_indices(3, 1)])) <= rounding:
            break
        for i, j in combinations(range(3), 2):
            turn = _find_rotation(moments, i, j)
            moments, R = turn.T @ moments @ turn, R @ turn
    return np.diag(moments).copy(), R


def _find_rotation(tensor: Floats, i: int, j: int) -> Floats:
    """The smallest rotation in the plane of two axes that leaves no product between them."""
    turn, product = np.eye(3), tensor[i, j]
    if product == 0:
        return turn
    half = (tensor[j, j] - tensor[i, i]) / 2
    # Golub and Van Loan, Matrix Computations, 8.5.2, without a quotient that could overflow. The
    # divisor is not zero: both of its terms have the same sign, and the product is not zero.
    tangent = product / (half + math.hypot(half, product) * (1 if half >= 0 else -1))
    cosine = 1 / math.sqrt(1 + tangent * tangent)
    turn[i, i] = turn[j, j] = cosine
    turn[i, j], turn[j, i] = tangent * cosine, -tangent * cosine
    return turn


def turn_quaternion(quaternion: Sequence[float], R: Floats) -> Floats:
    """The quaternion of axes after a further rotation within themselves.

    Args:
        quaternion: w, x, y, z of the axes as they are, of any length but zero.
        R: (3, 3) the rotation, in those axes.

    Returns:
        (4,) of length 1; of q and -q, which state the same axes, the one nearer to the quaternion.
    """
    q = np.array(quaternion) / math.hypot(*quaternion)
    w, v = q[0], q[1:]
    from inertial_check.mechanics.rotations import quaternion_from_matrix  # for MJCF alone

    turn = np.asarray(quaternion_from_matrix(R))
    found = np.concatenate(
        ([w * turn[0] - v @ turn[1:]], w * turn[1:] + turn[0] * v + np.cross(v, turn[1:]))
    )
    found /= math.hypot(*found.tolist())
    return found if found @ q >= 0 else -found


_TURNED_DIGITS = 9
"""Decimals behind the first digit of the largest entry of a tensor that is turned; float32, in
which USD keeps the axes, has seven."""

_SPELT: Mapping[str, tuple[str, ...]] = {
    "physics:mass": ("mass",),
    "physics:centerOfMass": ("x", "y", "z"),
    "physics:diagonalInertia": ("ixx", "iyy", "izz"),
    "physics:principalAxes": QUATERNION,
}
"""Names of the numbers of each attribute of USD."""


def respell(body: Body, texts: Mapping[str, str]) -> tuple[Spelling, ...]:
    """The spellings of a body of USD with new texts of its numbers.

    A newton:inertia beside physics:diagonalInertia gets the tensor that the new texts state.
    """
    numbers = body.find_numbers("newton:inertia")
    moved = not texts.keys().isdisjoint((*ENTRIES, *QUATERNION))
    renewed: list[str] = []
    if numbers and moved and body.inertial is not None:
        written = body.inertial.I_BBcm_Bi
        own = np.array([float(texts.get(name, written[name].text)) for name in ENTRIES])
        axes = find_axes(body.inertial, texts)
        turned = own
        if not np.array_equal(axes, np.eye(3)):  # of float32: more digits would be noise
            turned = six_of(axes @ symmetric(own) @ axes.T)
            places = _TURNED_DIGITS - math.floor(math.log10(float(np.max(np.abs(turned)))))
            turned = np.round(turned, places)
        values = dict(zip(ENTRIES, turned.tolist(), strict=True))
        pairs = zip(NEWTON_ORDER, numbers, strict=True)
        renewed = [format_number(values[name], MOST_DIGITS, old.text) for name, old in pairs]
    found = []
    for each in body.spellings:
        new = [texts.get(name, "") for name in _SPELT.get(each.name, ())] or renewed
        if not each.prim and each.numbers and len(new) == len(each.numbers):
            changed = tuple(
                old._replace(value=float(text), text=text) if text else old
                for old, text in zip(each.numbers, new, strict=True)
            )
            found.append(each._replace(numbers=changed))
        else:
            found.append(each)
    return tuple(found)


def find_axes(inertial: Inertial, texts: Mapping[str, str]) -> Floats:
    """(3, 3) R_BBi of the axes that an inertial states with new texts of its quaternion."""
    if texts.keys().isdisjoint(QUATERNION):
        return np.array(inertial.R_BBi)
    written = [each.text for each in inertial.quaternion or ()] or ["1", "0", "0", "0"]
    pairs = zip(QUATERNION, written, strict=True)
    q = np.array([float(texts.get(name, text)) for name, text in pairs])
    from inertial_check.mechanics.rotations import matrix_from_quaternion

    return np.asarray(matrix_from_quaternion(q / np.linalg.norm(q)))


_SIZES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}
"""Attributes of each primitive, in the order of its dimensions."""

_BOUNDS = re.compile(r"</?(?:link|xacro:macro|xacro:property)\b")
"""Tags between which names may have other values than beyond."""

_WORD = re.compile(r"\$\{([^{}]*)\}|([^\s${}]+)")


def spell_moments(model: Model, body: Body) -> dict[str, tuple[float, str]]:
    """Spell the moments of the one primitive of a body, which its file computes.

    Args:
        model: The model.
        body: One of its bodies.

    Returns:
        The value of each moment, as Python computes it, and its expression; nothing where the file
        states no mass or size in the link itself, or where no role has one primitive.
    """
    inertial = body.inertial
    if model.format != "xacro" or inertial is None or inertial.mass is None:
        return {}
    source = model.source_of(inertial.span)
    for role in ("visual", "collision"):
        shapes = [shape for shape in body.shapes if shape.role == role]
        if len(shapes) != 1 or shapes[0].kind not in _SIZES or shapes[0].note is not None:
            continue
        (shape,) = shapes
        first, last = sorted((inertial.span, shape.span))
        if first.file != last.file or _BOUNDS.search(source.text(Span(first.end, last.start))):
            continue
        texts = [source.text(span) for span in (inertial.span, shape.span)]
        words = _find_words(texts[0], "mass", "value")
        for name in _SIZES[shape.kind]:
            words += _find_words(texts[1], shape.kind, name)
        if len(words) == 1 + len(shape.dimensions):
            values = _moments(shape.kind, inertial.mass.value, *shape.dimensions)
            spelt = _expressions(shape.kind, *words)
            return dict(zip(("ixx", "iyy", "izz"), zip(values, spelt, strict=True), strict=True))
    return {}


def _find_words(text: str, tag: str, attribute: str) -> list[str]:
    """The numbers of an attribute as terms of an expression; none where it is no such."""
    found = re.findall(rf"<{tag}\b[^<>]*?\b{attribute}\s*=\s*[\"']([^\"']*)[\"']", text)
    if len(found) != 1:
        return []
    terms = [(one or other).strip() for one, other in _WORD.findall(found[0])]
    if _WORD.sub("", found[0]).strip():
        return []
    return [term if re.fullmatch(r"[\w.]+", term) else f"({term})" for term in terms]


def _moments(kind: str, m: float, *sizes: float) -> tuple[float, float, float]:
    """The moments, computed in the order of `_expressions`, so that no bit differs."""
    if kind == "box":
        x, y, z = sizes
        return m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12
    if kind == "cylinder":
        r, h = sizes
        across = m * (3 * r * r + h * h) / 12
        return across, across, m * r * r / 2
    (r,) = sizes
    return (0.4 * m * r * r,) * 3


def _expressions(kind: str, m: str, *sizes: str) -> tuple[str, str, str]:
    if kind == "box":
        x, y, z = (f"{each}*{each}" for each in sizes)
        return f"{m}*({y} + {z})/12", f"{m}*({x} + {z})/12", f"{m}*({x} + {y})/12"
    if kind == "cylinder":
        r, h = sizes
        across = f"{m}*(3*{r}*{r} + {h}*{h})/12"
        return across, across, f"{m}*{r}*{r}/2"
    (r,) = sizes
    return (f"0.4*{m}*{r}*{r}",) * 3
