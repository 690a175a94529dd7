"""Matching of the bodies of two models: by a map, by name, or by the end of a scoped name."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial

from inertial_check.errors import UsageError
from inertial_check.files.access import Limits, read_regular
from inertial_check.model.body import Body
from inertial_check.spelling import suggest_name

_DEEPEST = 8
"""Largest number of last parts of two names that are compared."""

_PARTS = re.compile(r"::|/")
_UNLIKELY = re.compile(r"[^0-9a-z]+")


def match_bodies(
    a: Sequence[Body], b: Sequence[Body], names: Mapping[str, str], paths: tuple[str, str]
) -> dict[int, int]:
    """Match the bodies of two models; returns the index in B by the index in A.

    The map decides first; then equal names; then names whose last parts agree, as many as possible
    (`model::link` and `link`, `/World/link` and `link`); then the same without regard to case and
    to characters that some formats replace. Only what is unambiguous among the bodies left is
    taken; bodies that share a name are taken in order, where both models have as many.

    Args:
        a: Bodies of the first model.
        b: Bodies of the second model.
        names: Names or ids in A -> names or ids in B.
        paths: Paths of the models, for messages.

    Raises:
        UsageError: The map has a name that no body has, or names one body twice.
    """
    found: dict[int, int] = {}
    for left, right in names.items():
        i, j = _find_body(left, a, paths[0]), _find_body(right, b, paths[1])
        if i in found or j in found.values():
            raise UsageError(f"the map {left!r} -> {right!r} names a body twice")
        found[i] = j
    _match(found, a, b, lambda body: body.name, in_order=True)
    for parts in (_parts, _plain_parts):
        for last in range(_DEEPEST, 0, -1):
            _match(found, a, b, partial(_end, parts, last))
    return dict(sorted(found.items()))


def _parts(body: Body) -> tuple[str, ...]:
    """Split a scoped name; a body without name has no parts and matches nothing."""
    return tuple(part for part in _PARTS.split(body.name) if part)


def _plain_parts(body: Body) -> tuple[str, ...]:
    return tuple(_UNLIKELY.sub("_", part.lower()) for part in _parts(body))


def _end(parts: Callable[[Body], tuple[str, ...]], last: int, body: Body) -> tuple[str, ...]:
    return parts(body)[-last:]


def _match(
    found: dict[int, int],
    a: Sequence[Body],
    b: Sequence[Body],
    key: Callable[[Body], Hashable],
    in_order: bool = False,
) -> None:
    """Add the pairs of bodies that share a key; where several do, in order if asked, else none."""
    taken = set(found.values())
    left = _by_key(a, found, key)
    right = _by_key(b, taken, key)
    for shared, indices in left.items():
        others = right.get(shared, [])
        if shared and len(indices) == len(others) and (in_order or len(others) == 1):
            found.update(zip(indices, others, strict=True))


def _by_key(
    bodies: Sequence[Body], taken: Iterable[int], key: Callable[[Body], Hashable]
) -> dict[Hashable, list[int]]:
    known = frozenset(taken)
    grouped: dict[Hashable, list[int]] = {}
    for index, body in enumerate(bodies):
        if index not in known:
            grouped.setdefault(key(body), []).append(index)
    return grouped


def _find_body(name: str, bodies: Sequence[Body], path: str) -> int:
    """Find the body that a map names.

    Raises:
        UsageError: No body has the name, or more than one.
    """
    wanted = tuple(part for part in _PARTS.split(name) if part)
    looks: tuple[Callable[[Body], bool], ...] = (
        lambda body: body.name == name,
        lambda body: body.id == name,
        lambda body: bool(wanted) and _parts(body)[-len(wanted) :] == wanted,
    )
    for look in looks:
        matches = [index for index, body in enumerate(bodies) if look(body)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(bodies[index].id for index in matches[:3])
            raise UsageError(f"{len(matches)} bodies of {path} are called {name!r}: say {ids}")
    hint = suggest_name(name, (body.name for body in bodies))
    raise UsageError(f"no body of {path} is called {name!r}, which the map names{hint}")


def read_name_maps(arguments: Sequence[str]) -> dict[str, str]:
    """Read a map of names from arguments: each A=B, or a csv, json or toml file.

    Raises:
        UsageError: An argument of another form, a file that cannot be read, a name given twice.
    """
    rows: list[tuple[str, str]] = []
    for argument in arguments:
        left, equals, right = argument.partition("=")
        if os.path.isfile(argument) or not equals:
            rows += _file_rows(argument)
        elif left and right:
            rows.append((left, right))
        else:
            raise UsageError(f"--map {argument}: write A=B, names of bodies, or a file")
    repeated = [name for name, count in Counter(left for left, _ in rows).items() if count > 1]
    if repeated:
        raise UsageError(f"--map names {repeated[0]!r} twice")
    return dict(rows)


def _file_rows(path: str) -> list[tuple[str, str]]:
    suffix = os.path.splitext(path)[1].lower()
    read = {".json": _json_rows, ".toml": _toml_rows, ".csv": _csv_rows}.get(suffix)
    if read is None:
        raise UsageError(f"--map {path}: write A=B, or name a .csv, .json or .toml file")
    try:
        return read(read_regular(path, Limits.document).decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"--map {path}: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--map {path}: {error}") from None


def _json_rows(text: str) -> list[tuple[str, str]]:
    import json

    return _check_rows(json.loads(text, object_pairs_hook=list))


def _toml_rows(text: str) -> list[tuple[str, str]]:
    import tomllib

    from inertial_check.settings.toml import refuse_deep_keys

    refuse_deep_keys("--map", text.split("\n"))
    return _check_rows(list(tomllib.loads(text).items()))


def _check_rows(items: object) -> list[tuple[str, str]]:
    """Check that an object has names and nothing else."""
    if not isinstance(items, list) or not all(
        isinstance(item, tuple) and isinstance(item[1], str) for item in items
    ):
        raise ValueError('expected names only, "name in A": "name in B"')
    return items


def _csv_rows(text: str) -> list[tuple[str, str]]:
    import csv

    try:
        rows = [row for row in csv.reader(text.splitlines(), strict=True) if row]
    except csv.Error as error:
        raise ValueError(f"no CSV: {error}") from None
    for place, row in enumerate(rows, 1):
        if len(row) != 2:
            raise ValueError(f"row {place} has {len(row)} columns, expected name in A, name in B")
    return [(left.strip(), right.strip()) for left, right in rows]
