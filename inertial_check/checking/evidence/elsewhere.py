"""The same body as other texts state it: comments, files beside the document, older commits."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from inertial_check.checking.limits import MOST_EXPLAINED
from inertial_check.documents.comments import Comment, find_comments
from inertial_check.documents.context import Context, note_witness
from inertial_check.documents.files.access import LAYOUT_FOLDERS, SUFFIXES, Access
from inertial_check.documents.load import load
from inertial_check.documents.model import (
    ENTRIES,
    Body,
    Judgement,
    Model,
    is_computable,
    judge,
)
from inertial_check.errors import InertialCheckError
from inertial_check.inertia import tolerances
from inertial_check.inertia.arrays import Floats

_MOST_FILES = 24
"""Largest number of files beside a document that are read, those with the most similar names: a
robot has a handful of variants."""

_LARGEST = 1 << 19
"""Largest size of such a file [bytes]: descriptions of one robot have less, and reading one takes
no longer than reading the document itself."""

_MOST_COMMENTS = 16
"""Largest number of comments of a body that are read in place of what stands beside them."""

_FEWEST = 4
"""Least number of equal digits by which two bodies of one name are the same part; the first digit
of each number counts for nothing, as round numbers are everybody's. Chosen: chance gives four to
one pair in 10,000."""

_MOST_COMPARED = 64
"""Largest number of bodies of a document whose other numbers beside it are read: a model with more
of them is another robot."""

_ENOUGH = 4
"""Number of files with other numbers of a body after which no more are read."""

_NUMBER = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
"""A number in the text of an inertial."""

_REFERENCE = re.compile(rb"\$\{\s*(\w+)\s*\}")
_CONSTANT = re.compile(
    rb"<(?:xacro:)?property\s+name\s*=\s*[\"'](\w+)[\"']\s+value\s*=\s*[\"']([^\"'<>]{1,40})[\"']"
)
"""A name in an expression of xacro, and what gives a name its value, of no more characters than a
number has: a name may stand in many places."""

_ELEMENT = re.compile(rb"<(inertial|inertia)\b")
_ROOT = re.compile(rb"<(robot|sdf|mujoco)\b")
_COMPILER = re.compile(rb"<compiler\b[^<>]*/>")

_TAG = rb"<%b\b[^<>]*>"
_NAME = re.compile(rb"\sname\s*=\s*(?:\"([^<>\"]*)\"|'([^<>']*)')")
"""Tag of a body, and the name in it: apart, as one expression for both takes a time that grows with
the square of what a stranger has written."""

_ROOTS = {"urdf": b"robot", "xacro": b"robot", "sdf": b"sdf", "mjcf": b"mujoco"}
"""Root elements by format."""

_FORMS = {
    b"robot": (b"link", b'<robot name="r">%b<link name="b">%b</link></robot>'),
    b"sdf": (
        b"link",
        b'<sdf version="1.6">%b<model name="m"><link name="b">%b</link></model></sdf>',
    ),
    b"mujoco": (b"body", b'<mujoco>%b<worldbody><body name="b">%b</body></worldbody></mujoco>'),
}
"""The element of a body, and a document of one body with the settings that its numbers are read by,
by root element."""


class Copy(NamedTuple):
    """Numbers that another text has for a body.

    Attributes:
        where: The text, as reports name it.
        older: Whether it is an older version of the document itself.
        judgement: The numbers, judged.
    """

    where: str
    older: bool
    judgement: Judgement


class Other(NamedTuple):
    """A body as a file beside the document states it.

    Attributes:
        where: The file and the line of the body, as reports name them.
        body: The only body of a document that holds its inertial.
        judgement: Its numbers, judged.
        in_one_frame: Whether the body has the same shapes at the same places, letter for letter.
    """

    where: str
    body: Body
    judgement: Judgement
    in_one_frame: bool


class Elsewhere:
    """Other texts that may state the bodies of a model.

    They are read when a body is first asked for. What cannot be read by itself testifies nothing.

    Args:
        model: The model.
        context: How its document is read.
        history: How many older versions of the document are read from git; 0 for none.
    """

    def __init__(self, model: Model, context: Context, history: int = 0) -> None:
        self._model, self._context, self._history = model, context, history
        self._compared = 0

    def find_others(self, body: Body, judgement: Judgement) -> list[Other]:
        """Find the files beside the document that have a body with other numbers, if all have.

        Returns:
            None of them where one file has the numbers as the document has them.
        """
        name, source = _last_name(body.name), self._model.source
        if self._compared >= _MOST_COMPARED or not self._files:
            return []
        own = None if self._model.source_of(body.span) is not source else _cut(source.data, name)
        if own is None:
            return []
        mine = _list_numbers(own.inertial)
        numbers = [] if body.inertial is None else [*body.inertial.I_BBcm_Bi.values()]
        spans = [(number.text.encode(errors="replace"), number.span) for number in numbers]
        as_written = all(  # and no edit on trial
            text == source.data[at.start : at.end].strip() for text, at in spans if at is not None
        )
        ten = judgement.ten
        found: list[Other] = []
        for shown, data in self._files:
            if (cut := _cut(data, name)) is None:
                continue
            theirs = _list_numbers(cut.inertial)
            if theirs == mine and as_written:
                return []
            loaded = _load(cut.inertial) if len(found) < _ENOUGH else None
            if loaded is not None:
                other = loaded[1]
                if other.ten == ten:
                    return []
                where = f"{shown}:{_find_line(data, cut.start)}"
                found.append(Other(where, *loaded, cut.rest == own.rest and b"geom" in cut.rest))
        self._compared += bool(found)
        return found

    def find(self, body: Body, judgement: Judgement) -> list[Copy]:
        """Find the copies of a body that have some of its numbers and a verdict of their own."""
        name, tokens = _last_name(body.name), _list_tokens(body, judgement) if self._files else {}
        found = [(where, False, _read(data)) for where, data in self._list_comments(body)]
        for shown, data in self._files if tokens else ():
            if (cut := _cut(data, name)) is None:
                continue
            text = cut.inertial
            if sum(count for token, count in tokens.items() if token in text) >= _FEWEST:
                where = f"{shown}:{_find_line(data, cut.start)}"
                found.append((where, False, _read(text)))
        for where, version in self._versions:
            found.append((where, True, version.get(name)))
        for where, ten in self._properties.get(_plain(name), ()):
            found.append((where, False, _state(ten, judgement)))
        return [
            Copy(where, older, other)
            for where, older, other in found
            if other is not None
            and is_computable(other)
            and _count_equal_digits(judgement, other) >= _FEWEST
        ]

    def _list_comments(self, body: Body) -> Iterator[tuple[str, bytes]]:
        """Put each commented inertial of a body in the place of the written one."""
        source, (start, end, _) = self._model.source, body.span
        root = _ROOTS.get(self._model.format)
        if root is None or body.inertial is None or self._model.source_of(body.span) is not source:
            return
        if end - start > _LARGEST or source.data.find(b"<!--", start, end) < 0:
            return
        first = bisect_left(self._comments, start, key=lambda each: each.span.start)
        own = self._comments[first : bisect_left(self._comments, end, key=lambda c: c.span.start)]
        shown = bytearray(source.data[start:end])
        for at, to in ((each.span.start - start, each.span.end - start) for each in own):
            shown[at:to] = b" " * (to - at)
        compiler = _COMPILER.search(source.data)
        head = b"<%b>%b" % (root, compiler[0] if compiler else b"")
        for comment in own[:_MOST_COMMENTS]:
            text = comment.text.encode(source.encoding, errors="replace")
            element = _ELEMENT.search(text)
            written = None if element is None else _find_element(shown, element[1])
            if written is not None:
                at, to = written
                cut = _cut(bytes(head + shown[:at] + text + shown[to:]), _last_name(body.name))
                if cut is not None:
                    yield f"a comment in line {source.line(comment.span.start)}", cut.inertial

    @cached_property
    def _comments(self) -> list[Comment]:
        """The comments of the document that may hold an inertial, in order."""
        return find_comments(self._model.source, "inertia", most=MOST_EXPLAINED * _MOST_COMMENTS)

    @cached_property
    def _files(self) -> list[tuple[str, bytes]]:
        """The files beside the document, with their content."""
        path = self._model.source.path
        access = self._context.of_document(path).granted
        found = []
        for other in _list_beside(path, access) if self._model.format in _ROOTS else ():
            note_witness(other)
            with suppress(OSError, ValueError):
                shown = os.path.relpath(other, os.path.dirname(path) or ".").replace(os.sep, "/")
                found.append((shown, access.read(other, _LARGEST)))
        return found

    @cached_property
    def _properties(self) -> Mapping[str, list[tuple[str, Floats]]]:
        """The bodies in texts of CAD programs beside the document, and where, by plain names."""
        from inertial_check.documents import properties  # whose patterns take a while to compile

        path = self._model.source.path
        access = self._context.of_document(path).granted
        found: dict[str, list[tuple[str, Floats]]] = {}
        for other in _list_beside(path, access, properties.SUFFIXES):
            note_witness(other)
            with suppress(OSError, ValueError):
                text = access.read(other, _LARGEST).decode("utf-8-sig")
                shown = os.path.relpath(other, os.path.dirname(path) or ".").replace(os.sep, "/")
                stem = os.path.splitext(os.path.basename(other))[0]
                for name, line, ten in properties.read_properties(text):
                    found.setdefault(_plain(name or stem), []).append((f"{shown}:{line}", ten))
        return found

    @cached_property
    def _versions(self) -> list[tuple[str, Mapping[str, Judgement]]]:
        """The older versions of the document."""
        if not self._history:
            return []
        from inertial_check.documents.files.history import list_versions

        path = self._model.source.path
        found: list[tuple[str, Mapping[str, Judgement]]] = []
        for commit, data in list_versions(path, self._history):
            with suppress(InertialCheckError):
                model = load(data, path=path, context=self._context)
                names = [_last_name(body.name) for body in model.bodies]
                found.append((commit, dict(zip(names, judge(model), strict=True))))
        return found


def _list_tokens(body: Body, judgement: Judgement) -> dict[bytes, int]:
    """List the digits by which another text of a body is recognised, and how many tell something.

    They are those of its printed numbers without zeros at the ends, as other texts have more or
    fewer of these.
    """
    inertial = body.inertial
    if inertial is None:
        return {}
    numbers = [*inertial.I_BBcm_Bi.values(), *([inertial.mass] if inertial.mass else [])]
    printed = [*(each.text for each in numbers), *(f"{x:.6g}" for x in judgement.p_BoBcm_B)]
    mantissas = (each.lower().partition("e")[0].strip("+-0 ") for each in printed)
    tokens = (each.lstrip(".0").rstrip(".") for each in mantissas)
    counts = {each.encode(errors="replace"): len(each.replace(".", "")) - 1 for each in tokens}
    return {token: count for token, count in counts.items() if count > 0}


class _Cut(NamedTuple):
    """The only body of a name in a document.

    Attributes:
        start: Where it begins.
        inertial: Its inertial, as a document of its own.
        rest: What else it holds.
    """

    start: int
    inertial: bytes
    rest: bytes


def _cut(data: bytes, name: str) -> _Cut | None:
    """Cut the inertial of the only body of a name out of a document; None without one."""
    root, names = _list_bodies(data)
    bodies = names.get(name.encode(errors="replace"), ())
    if len(bodies) != 1:
        return None
    tag, form = _FORMS[root]
    ((begin, start),) = bodies
    ends = (data.find(each + tag, start) for each in (b"<", b"</"))
    text = data[start : min((at for at in ends if at > 0), default=len(data))]
    inertial = _find_element(text, b"inertial")
    if inertial is not None and b"$" in text[slice(*inertial)]:
        start, end = inertial
        known = _list_constants(data)
        block = _REFERENCE.sub(lambda match: known.get(match[1], match[0]), text[start:end])
        text, inertial = text[:start] + block + text[end:], (start, start + len(block))
    if inertial is None or b"$" in text[slice(*inertial)]:  # a formula of xacro
        return None
    compiler = _COMPILER.search(data) if tag == b"body" else None
    document = form % (compiler[0] if compiler else b"", text[slice(*inertial)])
    return _Cut(begin, document, text[: inertial[0]] + text[inertial[1] :])


@lru_cache(maxsize=_MOST_FILES)
def _list_constants(data: bytes) -> Mapping[bytes, bytes]:
    """The numbers that a document of xacro gives names to; none that it gives twice."""
    pairs = _CONSTANT.findall(data)
    counts = Counter(name for name, _ in pairs)
    return {name: value for name, value in pairs if counts[name] == 1 and _NUMBER.fullmatch(value)}


@lru_cache(maxsize=2 * _MOST_FILES)  # the files beside one model are those beside the next
def _list_bodies(data: bytes) -> tuple[bytes, Mapping[bytes, Sequence[tuple[int, int]]]]:
    """The root element, and where the tags of bodies begin and end, by their names."""
    root = _ROOT.search(data)
    found: dict[bytes, list[tuple[int, int]]] = {}
    for match in re.finditer(_TAG % _FORMS[root[1]][0], data) if root else ():
        if name := _NAME.search(match[0]):
            found.setdefault(name[1] or name[2] or b"", []).append(match.span())
    return root[1] if root else b"", found


def _find_element(text: bytes | bytearray, tag: bytes) -> tuple[int, int] | None:
    """Find the first element of a name: where it begins and ends."""
    start = re.search(rb"<%b\b[^<>]*>" % tag, text)
    if start is None or start[0].endswith(b"/>"):
        return None if start is None else start.span()
    end = re.compile(rb"</%b\s*>" % tag).search(text, start.end())
    return None if end is None else (start.start(), end.end())


def _count_equal_digits(one: Judgement, other: Judgement) -> int:
    """Count the digits, but for the first of each, of the numbers that two bodies share."""
    pairs = zip(
        one.ten,
        other.ten,
        strict=True,
    )
    same = [x for x, y in pairs if abs(x - y) <= tolerances.SAME_MEANING * abs(x)]
    mantissas = (f"{x:.6e}".partition("e")[0].strip("-").replace(".", "") for x in same if x)
    return sum(len(each.rstrip("0")) - 1 for each in mantissas)


def _last_name(name: str) -> str:
    """The name of a body in its own model: SDF writes those of the models around it before it."""
    return name.rpartition("::")[2]


_PART = re.compile(r"\.sld(?:prt|asm)$|[ _-]v[0-9]+$|[^a-z0-9]")


def _plain(name: str) -> str:
    """The name of a part, without what a CAD program adds, in lower case."""
    return re.sub(_PART, "", re.sub(_PART, "", name.strip().lower(), count=1))


def _state(ten: Floats, own: Judgement) -> Judgement | None:
    """Judge ten numbers of a CAD program, as a body states them where other digits tell no more.

    None where mass alone is the same: what is said in another frame testifies nothing.
    """
    same = np.abs(ten - own.ten) <= tolerances.COPIED_NUMBER * np.abs(own.ten)
    if not np.any(same[1:] & (ten[1:] != 0)):
        return None
    mass, x, y, z, *six = np.where(same, own.ten, ten).tolist()
    entries = " ".join(f'{name}="{value!r}"' for name, value in zip(ENTRIES, six, strict=True))
    inertial = (
        f'<inertial><origin xyz="{x!r} {y!r} {z!r}"/><mass value="{mass!r}"/><inertia {entries}/>'
    )
    _, form = _FORMS[b"robot"]
    return _read(form % (b"", f"{inertial}</inertial>".encode()))


def _list_beside(path: str, access: Access, suffixes: Set[str] = SUFFIXES) -> list[str]:
    """List files beside a document, and in folders for other formats, that may be models.

    Of many files these are the ones before and after it in the order of their names.
    """
    if not os.path.isfile(path):
        return []
    own = os.path.abspath(path)
    folder = os.path.dirname(own)
    above, own_name = os.path.split(folder)
    folders = [folder]
    if own_name.lower() in LAYOUT_FOLDERS:
        folders += [os.path.join(above, each) for each in sorted(LAYOUT_FOLDERS)]
    found = []
    for each in dict.fromkeys(folders):
        note_witness(each)
        if not access.allows(each):  # a link out of the repository
            continue
        try:
            with os.scandir(each) as entries:
                found += [
                    entry.path
                    for entry in entries
                    if os.path.splitext(entry.name)[1].lower() in suffixes
                    and entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            continue
    # Names that begin alike stand side by side in the order of names.
    ordered = sorted((os.path.basename(each), each) for each in found if each != own)
    at = bisect_left(ordered, (os.path.basename(own), own))
    return [each for _, each in ordered[max(at - _MOST_FILES // 2, 0) : at + _MOST_FILES // 2]]


def _find_line(data: bytes, place: int) -> int:
    """The number of the line in which a byte stands."""
    return 1 + data.count(b"\n", 0, place)


def _list_numbers(text: bytes) -> list[float]:
    """The numbers of an inertial, in the order of its text."""
    return [float(each) for each in _NUMBER.findall(text)]


def _read(data: bytes) -> Judgement | None:
    """Judge the only body of a document; None if it cannot be read."""
    found = _load(data)
    return None if found is None else found[1]


@lru_cache(maxsize=256)
def _load(data: bytes) -> tuple[Body, Judgement] | None:
    """Read and judge the only body of a document; None if it cannot be read."""
    try:
        model = load(data)
        ((body, judgement),) = zip(model.bodies, judge(model), strict=True)
    except (InertialCheckError, ValueError):
        return None
    return body, judgement
