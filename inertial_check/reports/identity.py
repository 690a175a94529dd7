"""Identity of a finding from run to run: the path of its file, and a fingerprint."""

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
"""Number of hexadecimal digits of a fingerprint: 128 bits."""


def normalize_path(path: str) -> str:
    """The path as a code host writes it: without "./", and "." for the empty path."""
    return posixpath.normpath(path.replace("\\", "/") if _DRIVE.match(path) else path)


def is_absolute(path: str) -> bool:
    """Whether a path begins at a root or a drive."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def uri(path: str) -> str:
    """The path as a URI reference: bytes that are no text, and reserved characters, are escaped.

    An absolute path becomes file://...; a relative one stays relative.
    """
    normal = normalize_path(path)
    prefix = ("file://" if normal.startswith("/") else "file:///") if is_absolute(path) else ""
    # Lone surrogates stand for bytes that are not UTF-8, as os.fsdecode gives them.
    errors = (
        "surrogatepass"
        if any("\ud800" <= char <= "\udfff" and not "\udc80" <= char <= "\udcff" for char in normal)
        else "surrogateescape"
    )
    data = normal.encode("utf-8", errors)
    # A colon in the first segment would read as the end of a scheme.
    return prefix + quote(data, safe="/:" if prefix else "/")


def fingerprints(file: FileReport, findings: Iterable[Finding]) -> list[str]:
    """Fingerprints of findings: digests of file, body and rule, without lines and numbers.

    Several findings of a rule on one body differ by their sequence number.
    """
    seen: Counter[str] = Counter()
    result = []
    for finding in findings:
        key = "\0".join((normalize_path(file.path), finding.body_id or "", finding.code))
        seen[key] += 1
        result.append(fingerprint_of(f"{key}\0{seen[key]}"))
    return result


def fingerprint_of(text: str) -> str:
    """Digest of a text, in hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]
