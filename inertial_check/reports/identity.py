"""What a finding is called from run to run: the file that it is in, and a fingerprint."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

from inertial_check.model import FileReport, Finding

_DRIVE = re.compile(r"[A-Za-z]:/")
_LENGTH = 32
"""Hexadecimal digits of a fingerprint: 128 bits."""


def relative(path: str) -> str:
    """The path as a code host compares it with its own: without "./", and "." for nothing."""
    return posixpath.normpath(path.replace("\\", "/") if _DRIVE.match(path) else path)


def is_absolute(path: str) -> bool:
    """Whether a path, as printed, begins at a root or a drive."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def uri(path: str) -> str:
    """The path as a URI reference: bytes that are no text, and signs that mean something, escaped.

    An absolute path becomes file://...; a relative one stays relative.
    """
    normal = relative(path)
    prefix = ("file://" if normal.startswith("/") else "file:///") if is_absolute(path) else ""
    data = normal.encode("utf-8", "surrogatepass" if _is_no_bytes(normal) else "surrogateescape")
    # A colon in the first segment would read as the end of a scheme.
    return prefix + quote(data, safe="/:" if prefix else "/")


def fingerprints(file: FileReport, findings: Iterable[Finding]) -> list[str]:
    """One for each finding: from the file, the body and the rule, never from lines or numbers.

    Where a rule speaks several times of the same body, the sequence tells them apart.
    """
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        key = "\0".join((relative(file.path), finding.body_id or "", finding.code))
        seen[key] += 1
        result.append(fingerprint_of(f"{key}\0{seen[key]}"))
    return result


def fingerprint_of(text: str) -> str:
    """Hexadecimal digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _is_no_bytes(text: str) -> bool:
    """Whether a text holds surrogates that do not stand for bytes."""
    return any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in text)
