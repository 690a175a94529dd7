"""The same body as other texts state it: comments, files beside the document, older commits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from inertial_check.documents.comments import find_comments
from inertial_check.documents.context import Context, note_lookup, note_other_inputs
from inertial_check.documents.files.walking import SUFFIXES
from inertial_check.documents.load import load
from inertial_check.documents.model import Body, Judgement, Model, is_computable, judge
from inertial_check.errors import InertialCheckError
from inertial_check.inertia import tolerances

_MOST_FILES = 24
"""Largest number of files beside a document that are read, those with the most similar name first:
a robot has a handful of variants."""

_LARGEST = 1 << 19
"""Largest size of such a file [bytes]: descriptions of one robot have less, and reading one takes
no longer than reading the document itself."""

_MOST_COMMENTS = 16
"""Largest number of comments that are read in place of what stands beside them."""

_FEWEST = 4
"""Least number of equal digits by which two bodies of one name are the same part; the first digit
of each number counts for nothing, as round numbers are everybody's. Chosen: chance gives four to
one pair in 10,000."""

_ELEMENT = re.compile(rb"<(inertial|inertia)\b")


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


class Elsewhere:
    """Other texts that may state the bodies of a model.

    They are read when a body is first asked for. What cannot be read as it stands, or includes
    other files, testifies nothing.

    Args:
        model: The model.
        context: How its document is read.
        history: How many older versions of the document are read from git; 0 for none.
    """

    def __init__(self, model: Model, context: Context, history: int = 0) -> None:
        self._model, self._context, self._history = model, context, history
        self._older: list[tuple[str, Mapping[str, tuple[int, Judgement]]]] | None = None

    def find(self, body: Body, judgement: Judgement) -> list[Copy]:
        """Find the copies of a body that have some of its numbers and a verdict of their own."""
        key = _last_name(body.name)
        found = [(where, False, known) for where, known in self._list_comments(body)]
        for path, known in self._list_files():
            if key in known:
                line, other = known[key]
                found.append((f"{path}:{line}", False, other))
        for where, known in self._list_versions():
            if key in known:
                found.append((where, True, known[key][1]))
        copies = []
        for where, older, other in found:
            if is_computable(other) and _count_equal_digits(judgement, other) >= _FEWEST:
                copies.append(Copy(where, older, other))
        return copies

    def _list_comments(self, body: Body) -> Iterator[tuple[str, Judgement]]:
        """Read the document with a commented inertial of a body in place of the written one."""
        source = self._model.source_of(body.span)
        if source is not self._model.source or body.inertial is None:
            return
        comments = find_comments(source, "inertia")[:_MOST_COMMENTS]
        for comment in comments:
            inside = comment.inside
            if inside is None or not body.span.start <= inside.start <= inside.end <= body.span.end:
                continue
            data, text = source.data, comment.text.encode(source.encoding)
            element = _ELEMENT.search(text)
            if element is None:
                continue
            # The element that is written is hidden, and the commented one shown, in their places.
            hidden = re.compile(rb"<!--.*?-->", re.DOTALL).sub(
                lambda match: b" " * len(match[0]), data[inside.start : inside.end]
            )
            name = re.escape(element[1])
            written = re.compile(
                rb"<%b\b[^<>]*/>|<%b\b.*?</%b\s*>" % (name, name, name), re.DOTALL
            ).search(hidden, 1)
            if written is None:
                continue
            start, end = (inside.start + at for at in written.span())
            blank = data[:start] + b" " * (end - start) + data[end:]
            shown = (
                blank[: comment.span.start] + b"    " + text + b"   " + blank[comment.span.end :]
            )
            known = _read(shown, source.path, self._context)
            if _last_name(body.name) in known:
                line = source.line(comment.span.start)
                yield f"a comment in line {line}", known[_last_name(body.name)][1]

    def _list_files(self) -> Iterator[tuple[str, Mapping[str, tuple[int, Judgement]]]]:
        """Read the files beside the document."""
        path = self._model.source.path
        access = self._context.of_document(path).granted
        for other in _list_beside(path):
            if access.reason_against(other) is not None:
                continue
            try:
                status = os.stat(other)
                if status.st_size <= _LARGEST:
                    note_lookup(other)
                    shown = os.path.relpath(other, os.path.dirname(path) or ".")
                    yield shown, _read_file(other, status.st_mtime_ns, status.st_size)
            except (OSError, ValueError):
                continue

    def _list_versions(self) -> list[tuple[str, Mapping[str, tuple[int, Judgement]]]]:
        """Read the older versions of the document, once."""
        if self._older is None:
            path = self._model.source.path
            self._older = []
            if self._history:
                from inertial_check.documents.files.history import list_versions

                note_other_inputs()
                for commit, data in list_versions(path, self._history):
                    self._older.append((commit, _read(data, path, self._context)))
        return self._older


def _count_equal_digits(one: Judgement, other: Judgement) -> int:
    """Count the digits, but for the first of each, of the numbers that two bodies share."""
    pairs = zip(
        (one.mass, *one.p_BoBcm_B, *one.I_BBcm_B),
        (other.mass, *other.p_BoBcm_B, *other.I_BBcm_B),
        strict=True,
    )
    same = [x for x, y in pairs if abs(x - y) <= tolerances.SAME_MEANING * abs(x)]
    mantissas = (f"{x:.6e}".partition("e")[0].strip("-").replace(".", "") for x in same if x)
    return sum(len(each.rstrip("0")) - 1 for each in mantissas)


def _last_name(name: str) -> str:
    """The name of a body in its own model: SDF writes those of the models around it before it."""
    return name.rpartition("::")[2]


def _count_common(one: str, other: str) -> int:
    """Count the letters with which two names begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (x, y) in pairs if x != y), min(len(one), len(other)))


def _list_beside(path: str) -> list[str]:
    """List the files beside a document, and in folders beside its own, that may be models.

    Those whose names share the longest beginning come first.
    """
    folder = os.path.dirname(os.path.abspath(path))
    folders = [folder]
    try:
        with os.scandir(os.path.dirname(folder)) as entries:
            folders += sorted(
                each.path
                for each in entries
                if each.is_dir(follow_symlinks=False) and not each.name.startswith(".")
            )[:_MOST_FILES]
    except OSError:
        pass
    note_lookup(folder, os.path.dirname(folder))
    found = []
    for each in dict.fromkeys(folders):
        try:
            with os.scandir(each) as entries:
                note_lookup(each)
                found += [
                    entry.path
                    for entry in entries
                    if os.path.splitext(entry.name)[1].lower() in SUFFIXES
                    and entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            continue
    stem = os.path.splitext(os.path.basename(path))[0]
    own = os.path.abspath(path)
    ranked = sorted(
        (each for each in found if each != own),
        key=lambda each: (
            -_count_common(stem, os.path.basename(each)),
            os.path.dirname(each) != folder,
            each,
        ),
    )
    return ranked[:_MOST_FILES]


@lru_cache(maxsize=64)
def _read_file(path: str, changed: int, size: int) -> Mapping[str, tuple[int, Judgement]]:
    """Read a file as it was changed last; see `_read`."""
    with open(path, "rb") as stream:
        return _read(stream.read(_LARGEST), path, Context())


def _read(data: bytes, path: str, context: Context) -> Mapping[str, tuple[int, Judgement]]:
    """Line and judgement of each body of a document by its name; of none that has two."""
    if b"<include" in data or b"xacro" in data:
        return {}
    try:
        model = load(data, path=path, context=context)
        judgements = judge(model)
    except InertialCheckError:
        return {}
    found: dict[str, tuple[int, Judgement]] = {}
    twice = set()
    for body, judgement in zip(model.bodies, judgements, strict=True):
        name = _last_name(body.name)
        twice.update([name] if name in found else [])
        found[name] = model.source_of(body.span).line(body.span.start), judgement
    return {name: each for name, each in found.items() if name not in twice}
