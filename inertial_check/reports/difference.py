"""The comparison of two models, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, isfinite, log10

from inertial_check import __version__
from inertial_check.checking.report import (
    MOTIONS,
    BodyDifference,
    ComparedBody,
    ComparedModel,
    Difference,
    Explanation,
    MassProperty,
    PairStatus,
)
from inertial_check.documents.escaping import dump_json, printable
from inertial_check.documents.files.access import Json
from inertial_check.documents.model import ENTRIES
from inertial_check.reports.json import plain
from inertial_check.reports.text import Style, View, number, plural, round_together

SCHEMA_VERSION = "1"

_NAMES: dict[MassProperty, str] = {
    "mass": "mass",
    "com": "centre of mass",
    "inertia": "inertia",
    "added_mass": "added mass",
}
_UNITS: dict[MassProperty, str] = {
    "mass": "kg",
    "com": "m",
    "inertia": "kg m^2",
    "added_mass": "kg, kg m, kg m^2",
}
_OF: dict[MassProperty, str] = {
    "mass": "of the larger",
    "com": "radii of gyration",
    "inertia": "of the largest principal moment",
    "added_mass": "of the larger",
}
_SHOWN_EXPLANATIONS = 3
_DIGITS, _MOST_DIGITS = 6, 17


def text(difference: Difference, view: View) -> str:
    """Write the bodies that differ for people."""
    style = Style(view.color)
    blocks = ["".join(_block(style, difference, body)) for body in difference.bodies]
    listed = "".join(f"{block}\n" for block in blocks if block)
    unread = "".join(
        f"{style('error', f'not read in {which}')}: {printable(f'{path}:{line}: {reason}')}\n"
        for which, model in (("A", difference.a), ("B", difference.b))
        for path, line, reason, *_ in model.unread
    )
    return listed + unread + (_summary(difference) if view.summary else "")


def _block(style: Style, difference: Difference, body: BodyDifference) -> Iterator[str]:
    if body.frame or (body.status == "equal" and not body.reason):
        return
    sides = tuple(
        (which, model, side)
        for which, model, side in (("A", difference.a, body.a), ("B", difference.b, body.b))
        if side is not None
    )
    names = dict.fromkeys(printable(side.name) for _, _, side in sides)
    heading = " = ".join(names) or '""'
    yield f"{style('path', heading)}\n"
    for which, model, side in sides:
        merged = f", with {printable(', '.join(side.merged))} merged into it" if side.merged else ""
        yield f"  {which}  {f'{printable(side.file or model.path)}:{side.line}'}{merged}\n"
    if len(sides) == 1:
        which, _, side = sides[0]
        weight = f", {number(side.mass)} kg" if isfinite(side.mass) else ""
        why = f": {body.reason}" if body.reason else ""
        yield f"  {style('error', 'only in')} {which}{weight}{why}\n"
    elif body.status == "incomparable":
        yield f"  {style('error', 'not comparable')}: {printable(body.reason)}\n"
    elif body.reason:
        yield f"  {'equal, ' * (body.status == 'equal')}{body.reason}\n"
    for quantity in body.differs:
        if not (body.a is None or body.b is None or body.deviations is None):
            fluid = quantity == "added_mass"
            deviation: float = body.added_mass if fluid else getattr(body.deviations, quantity)
            size = f"{deviation:.3g} {_OF[quantity]}"
            yield f"  {style('error', _NAMES[quantity])} differs by {size} [{_UNITS[quantity]}]\n"
            # Enough digits to show the difference, which is relative.
            needed = 2 - ceil(log10(deviation)) if 0 < deviation < 1 else 0
            digits = min(max(needed + 1, _DIGITS), _MOST_DIGITS)
            for quantity_which, quantity_side in (("A", body.a), ("B", body.b)):
                yield f"    {quantity_which}  {_values(quantity_side, quantity, digits)}\n"
    for place, explanation in enumerate(body.explanations[:_SHOWN_EXPLANATIONS]):
        yield f"  {_format_explanation(style, body, explanation, first=place == 0)}\n"
    if body.status == "differs" and not body.explanations:
        yield "  no known mistake of a converter gives these numbers\n"


def _values(side: ComparedBody, quantity: MassProperty, digits: int) -> str:
    if quantity == "mass":
        return round_together([side.mass], digits)[0]
    if quantity == "com":
        return " ".join(round_together(side.p_BoBcm_B, digits))
    if quantity == "added_mass":
        # The entries of the upper triangle that are not zero, by their names in SDF.
        numbers = {
            f"{MOTIONS[i]}{MOTIONS[j]}": number
            for i, row in enumerate(side.added_mass)
            for j, number in enumerate(row)
            if i <= j and number != 0
        }
        mass_shown = [
            f"{name} {round_together([value], digits)[0] if isfinite(value) else value}"
            for name, value in numbers.items()
        ]
        return ", ".join(mass_shown) or "none"
    shown = round_together(side.I_BBcm_B, digits)
    return ", ".join(f"{entry} {value}" for entry, value in zip(ENTRIES, shown, strict=True))


def _format_explanation(style: Style, body: BodyDifference, one: Explanation, first: bool) -> str:
    other, own = ("B", "A") if one.of == "a" else ("A", "B")
    part = [_NAMES[quantity] for quantity in one.explains]
    whole = len(part) == len(body.differs)
    what = other if whole else f"the {' and the '.join(part)} of {other}"
    link = "is" if whole or len(part) == 1 else "are"
    owner = own if whole else f"{'that' if len(part) == 1 else 'those'} of {own}"
    name = style("code", f"[{one.name}]")
    return f"{'' if first else 'or '}{what} {link} {owner} {printable(one.change)} {name}"


def _summary(difference: Difference) -> str:
    """Write the counts of bodies by result, as written and as MuJoCo compiles them."""
    lines = []
    for start, each in (
        ("Compared", difference),
        ("As MuJoCo compiles them,", difference.compiled),
    ):
        if each is None:
            continue
        counts = [
            (each.count("equal"), "equal"),
            (each.count("differs"), "different"),
            (each.count("incomparable"), "not comparable"),
            (each.count("only-a"), "only in A"),
            (each.count("only-b"), "only in B"),
        ]
        bodies = plural(sum(count for count, _ in counts), "body")
        listed = ", ".join(f"{count} {word}" for count, word in counts if count) or "none"
        frames = sum(body.frame for body in each.bodies)
        also = f"; {plural(frames, 'frame')} without mass on one side only" if frames else ""
        lines.append(f"{start} {bodies}: {listed}{also}.\n")
    for which, unread in (("A", difference.a.unread), ("B", difference.b.unread)):
        if unread:
            lines.append(f"{plural(len(unread), 'part')} of {which} could not be read.\n")
    name, most = next(iter(difference.explained.items()), ("", 0))
    if most > 1:
        different = difference.count("differs")
        lines.append(f"{name} explains {most} of the {different} bodies that differ.\n")
    return "".join(lines)


def as_json(difference: Difference, view: View, impact: Mapping[str, Json] | None = None) -> str:
    """Write a JSON document in ASCII; NaN and the infinities become null."""
    both = [each for each in (difference, difference.compiled) if each is not None]
    statuses: tuple[PairStatus, ...] = ("equal", "differs", "incomparable", "only-a", "only-b")
    counts: list[dict[str, Json]] = [
        {
            "bodies": len(each.bodies),
            **{status.replace("-", "_"): each.count(status) for status in statuses},
            "frames": sum(body.frame for body in each.bodies),
        }
        for each in both
    ]
    bodies = [[_body(body) for body in each.bodies] for each in both]
    compiled: list[Json] = [
        {"summary": count, "equal": each.equal, "bodies": own}
        for each, count, own in zip(both[1:], counts[1:], bodies[1:], strict=True)
    ]
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "inertial-check", "version": __version__},
        "summary": {
            **counts[0],
            "tolerance": difference.tolerance,
            "explained": difference.explained,
            "exit_code": view.exit_code,
        },
        "a": _model(difference.a),
        "b": _model(difference.b),
        "notes": list(difference.notes),
        "bodies": bodies[0],
        **({"compiled": compiled[0]} if compiled else {}),
        **({} if impact is None else {"impact": impact}),
    }
    return dump_json(plain(document), indent=2) + "\n"


def _model(model: ComparedModel) -> dict[str, Json]:
    names = ("path", "line", "reason")
    unread = [dict(zip(names, each, strict=False)) for each in model.unread]
    return {**model._asdict(), "unread": unread}


def _body(body: BodyDifference) -> dict[str, Json]:
    deviations = body.deviations
    return {
        "status": body.status,
        "frame": body.frame,
        "reason": body.reason or None,
        "a": _side(body.a),
        "b": _side(body.b),
        "deviations": None if deviations is None else _deviations(body),
        "differs": list(body.differs),
        "explanations": list(body.explanations),
    }


def _deviations(body: BodyDifference) -> dict[str, Json]:
    """The deviations, with that of the added mass where one of the bodies has any."""
    assert body.deviations is not None
    found: dict[str, Json] = dict(body.deviations._asdict())
    if any(side is not None and side.added_mass for side in (body.a, body.b)):
        found["added_mass"] = body.added_mass
    return found


def _side(side: ComparedBody | None) -> dict[str, Json] | None:
    if side is None:
        return None
    return {
        "name": side.name,
        "id": side.id,
        "file": side.file,
        "line": side.line,
        "mass": side.mass,
        "com": side.p_BoBcm_B,
        "inertia": dict(zip(ENTRIES, side.I_BBcm_B, strict=True)),
        "merged": list(side.merged),
        **({"added_mass": [list(row) for row in side.added_mass]} if side.added_mass else {}),
    }
