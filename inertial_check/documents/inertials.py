"""Count of the inertials in the bytes of files, and what became of each of them.

The count is a search for a few words, which shares nothing with the readers: what a reader passes
over without a word is missing in its model, and not in the count.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from inertial_check.documents.escaping import clip
from inertial_check.documents.load import root_tag
from inertial_check.documents.mjcf import NAME as MJCF
from inertial_check.documents.mjcf import ROOTS as MJCF_ROOTS
from inertial_check.documents.model import How, Model
from inertial_check.documents.ros_yaml import NAME as YAML
from inertial_check.documents.source import Source, Span
from inertial_check.documents.usd import NAME as USD
from inertial_check.documents.usd import TEXT
from inertial_check.documents.xml.document import parse
from inertial_check.documents.xml.encoding import Unreadable, decode
from inertial_check.documents.xml.markup import Element
from inertial_check.errors import DocumentError

UNKNOWN = "no body of the models that were read has it"
"""Reason where the reader of the file gives none."""

_NO_PRIM = "no prim of a composed stage has it: it is in a variant not selected, or over nothing"

UNEXPLAINED = frozenset([UNKNOWN, _NO_PRIM])
"""Reasons that give way to any other that another document tells."""

_LONGEST_TAG, _MOST_TAGS = 100, 10
"""Largest length of a tag [code points] and number of tags that a reason names."""

_IGNORED = re.compile(rb"(?s)<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)")
_INERTIAL = re.compile(rb"<inertial(?=[\s/>])")
_TAG = re.compile(
    rb"<(?P<end>/?)(?P<tag>inertial|body|geom|compiler)(?=[\s/>])"
    rb"(?P<rest>(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)"
)
_MASS = re.compile(rb"\smass\s*=\s*[\"'](?!\s*+[-+]?0*+(?:\.0*+)?\s*+[\"'])")
_NOT_FROM_GEOMS = re.compile(rb"\sinertiafromgeom\s*=\s*[\"']\s*false")
_USD = re.compile(
    rb"(?s)#[^\r\n]*|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)"
    rb"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?"
    rb"|(?P<brace>[{}])|(?P<off>\bactive\s*=\s*(?:false|0)\b)"
    rb"|(?P<mass>\b(?:physics:(?:mass|diagonalInertia)|newton:inertia)\s*=)"
)


class CountedInertial(NamedTuple):
    """An inertial of a file, and what became of it.

    Attributes:
        offset: Its first byte; -1 in binary files.
        line: Line where it begins, 1-based; 1 in binary files.
        how: How it was judged; "" if it was not.
        reason: One sentence that says why it was not judged; "" if it was, or nothing is known.
        needs: Name of what is missing; "" if nothing is.
        prim: Prim that has it in a binary layer; "" in text.
    """

    offset: int
    line: int
    how: How | str = ""
    reason: str = ""
    needs: str = ""
    prim: str = ""


class CountedFile(NamedTuple):
    """The inertials of a file.

    Attributes:
        path: Path of the file, as reports show it.
        inertials: The inertials in the order of their places.
        unread: Number of files that it includes, and that were not read although engines may.
    """

    path: str
    inertials: tuple[CountedInertial, ...]
    unread: int = 0


def find_inertials(data: bytes) -> list[int]:
    """Find the inertials in the bytes of a file, without those in comments.

    They are the elements <inertial> of an XML document, the bodies of an MJCF without any whose
    geoms state a mass, and the prims of a text layer of USD with a mass or moments of inertia.

    Returns:
        The first byte of each.
    """
    if b"\0" in data[:4]:  # two bytes a character, or binary data
        with suppress(Unreadable):
            found = decode(data)
            text = found.text.replace("\0", " ").encode("ascii", "replace")
            return [found.index.byte(place) for place in find_inertials(text)]
    if data.startswith(TEXT):
        return list(_find_in_layer(data)) if b"inertia" in data or b"physics:" in data else []
    has_mass = b"mass" in data and root_tag(data) in MJCF_ROOTS
    if not has_mass and b"<inertial" not in data:
        return []
    text = data
    if b"<!" in data:
        left = bytearray(data)  # a substitution would take a hundred bytes for each comment
        for match in _IGNORED.finditer(data):
            left[match.start() : match.end()] = b" " * (match.end() - match.start())
        text = bytes(left)
    if has_mass:
        return sorted(_find_in_mjcf(text))
    return [match.start() for match in _INERTIAL.finditer(text)]


def _find_in_mjcf(text: bytes) -> Iterator[int]:
    """Find each <inertial>, and each <body> without one that has a <geom mass="...">."""
    bodies: list[list[int | bool]] = []  # of each open body: its first byte, and if it has either
    found: list[int] = []
    from_geoms = True
    for match in _TAG.finditer(text):
        tag, rest = match["tag"], match["rest"]
        if tag == b"compiler":
            from_geoms = from_geoms and not _NOT_FROM_GEOMS.search(rest)
        elif tag == b"body" and match["end"]:
            if bodies:
                start, has_inertial, has_mass = bodies.pop()
                found += [start] if has_mass and not has_inertial else []
        elif tag == b"body" and not rest.endswith(b"/"):
            bodies.append([match.start(), False, False])
        elif tag == b"inertial" and not match["end"]:
            yield match.start()
            if bodies:
                bodies[-1][1] = True
        elif tag == b"geom" and bodies and _MASS.search(rest):
            bodies[-1][2] = True
    if from_geoms:
        yield from found


def _find_in_layer(data: bytes) -> Iterator[int]:
    """Find the first mass or inertia of each prim of a text layer that is not deactivated."""
    active, prims = True, [(True, True)]  # of each open brace: whether it is active and may count
    for match in _USD.finditer(data):
        if match["off"]:
            active = False
        elif match["brace"] == b"{":
            prims.append((prims[-1][0] and active,) * 2)
            active = True
        elif match["brace"] and len(prims) > 1:
            prims.pop()
        elif match["mass"] and prims[-1][1]:
            yield match.start()
            prims[-1] = (True, False)


def count_bytes(source: Source, reason: str, needs: str = "") -> CountedFile:
    """Count the inertials of a file that no reader reads, for one reason."""
    places = find_inertials(source.data)
    return CountedFile(
        source.path, tuple(CountedInertial(at, source.line(at), "", reason, needs) for at in places)
    )


def _explain_places(source: Source, places: list[int], number: int) -> dict[int, str]:
    """Explain by the elements around inertials why no body has them, where they tell."""
    try:
        document = parse(source.path, source.data, number)
    except DocumentError:
        return dict.fromkeys(places, _NO_PRIM) if source.data.startswith(TEXT) else {}
    explained = {}
    told: dict[int, tuple[Element | None, str, str]] = {}  # shared by all inside one element
    for place in places:
        path = document.find_path(Span(place, place, number))
        if len(path) < 2:
            continue
        around = path[-2]
        if id(around) not in told:
            tags = [f"<{clip(each.tag, _LONGEST_TAG)}>" for each in path[:-1]]
            inside = " in ".join(reversed(tags[-_MOST_TAGS:]))
            more = f" in {len(tags) - _MOST_TAGS} more" if len(tags) > _MOST_TAGS else ""
            told[id(around)] = (
                around.first("inertial"),
                f"another <inertial> of its {tags[-1]} stands before it, and counts",
                f"it stands in {inside}{more}, where no reader looks for bodies",
            )
        first, second, outside = told[id(around)]
        is_second = path[-1].tag == "inertial" and path[-1] is not first
        explained[place] = second if is_second else outside
    return explained


def _list_judged(model: Model) -> list[dict[int, How]]:
    """List the first bytes of the inertials that bodies of a model have, and how, by file."""
    judged: list[dict[int, How]] = [{} for _ in (model.source, *model.others)]
    unjudged = {each.span for each in model.unjudged}
    for body in (*model.bodies, *model.macros):
        found = body.inertial
        if found is None or found.span in unjudged:
            continue
        how = "derived" if body.inertia_from == "geometry" else found.how
        spans = [found.span]
        if model.format == USD:  # several layers may write one inertial
            numbers = (found.mass, *found.I_BBcm_Bi.values())
            spans += [each.span for each in numbers if each is not None and each.span]
        for span in spans:
            judged[span.file].setdefault(span.start, how)
    return judged


def count_model(model: Model) -> list[CountedFile]:
    """Count the inertials of all files of a model, and tell what became of each."""
    sources = (model.source, *model.others)
    judged = _list_judged(model)
    unread = Counter(each.span.file for each in model.problems if each.kind == "unread")
    why: list[dict[int, tuple[str, str]]] = [{} for _ in sources]
    for span, reason, needs in model.unjudged:
        why[span.file].setdefault(span.start, (reason, needs))
    counted = []
    for number, source in enumerate(sources):
        own, reasons = judged[number], why[number]
        places = find_inertials(source.data)
        if model.format == YAML:  # has no elements that a search could find
            places = sorted(own)
        if model.format == USD:  # an inertial begins at a number, whose name the search finds
            own = {places[at - 1]: own[n] for n in sorted(own) if (at := bisect(places, n))}
            ends = [(bisect(places, start), each) for start, each in reasons.items()]
            reasons = {places[end - 1]: each for end, each in ends if end}
        for body in model.bodies:
            if body.inertia_from == "geometry" and body.span.file == number:
                start, end, _ = body.span
                end = start + 1 if model.format == MJCF else end  # a body lies around others
                inside = places[bisect_left(places, start) : bisect_left(places, end)]
                own |= dict.fromkeys(inside, "derived")
        unknown = [place for place in places if place not in own and place not in reasons]
        explained = _explain_places(source, unknown, number) if unknown else {}
        rows = []
        for place in places:
            how = own.get(place, "")
            reason, needs = reasons.get(place, (explained.get(place, UNKNOWN), ""))
            row = ("", "") if how else (reason, needs)
            rows.append(CountedInertial(place, source.line(place), how, *row))
        if rows or unread[number]:
            counted.append(CountedFile(source.path, tuple(rows), unread[number]))
    layers: dict[str, list[CountedInertial]] = {}
    for layer, prim, word in model.binary:
        reason = "" if word else UNKNOWN
        layers.setdefault(layer, []).append(CountedInertial(-1, 1, word, reason, prim=prim))
    return counted + [CountedFile(path, tuple(rows)) for path, rows in layers.items()]
