"""Mutations of binary files: archives and arrays of NumPy, and binary STL."""

import io
import struct
import zipfile
from random import Random

from fuzz.mutate_bytes import overwrite, truncate

_SHAPES = (
    *("()", "(0,)", "(1,)", "(2, 10)", "(10, 2)", "(-1, 10)", "(2, -10)", "(1000000000000, 10)"),
    *("(99999999999999999999, 10)", "(2, 10, 1)", "(2, 0)", "(4294967296, 4294967296)", "2", "(2,"),
    *("(1,) * 70", "(" + "1, " * 70 + ")", "(1.0, 10)", "('a', 10)", "(True, 10)", "None"),
)
_TYPES = (
    *("<f8", ">f8", "<f4", "<f2", "<i8", ">i4", "|u1", "|b1", "<c16", "|O", "<U5", "|S5", "|V80"),
    *("<M8[s]", "<m8[ns]", "<f16", "<U0", "|V0", "<U99999999999", "x", "f8, f8", ""),
    *("[('a', '<f8'), ('b', '<f8', (3,))]", "[('a', '|O')]", "[]", "('<f8', (10,))"),
)
_NAMES = (
    *(
        "theta",
        "q",
        "t",
        "tau",
        "Y",
        "W",
        "weights",
        "mass",
        "h",
        "inertia",
        "name",
        "../x",
        "",
        "é",
    ),
    *("a" * 70_000, "/etc/passwd", "theta.npy", "\x00", "u", "du"),
)
_HEADER = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }"


def rewrite_header(rng: Random, data: bytes) -> bytes:
    """Give an array another header: shape, type of the items, order, version, or its length."""
    at = data.find(b"\x93NUMPY")
    if at < 0 or len(data) < at + 12:
        return overwrite(rng, data)
    size = struct.unpack_from("<H", data, at + 8)[0]
    kind = rng.choice(_TYPES)
    text = _HEADER % (
        kind if kind[:1] in "[(" and kind else repr(kind),
        rng.choice(["False", "False", "True", "1", "None"]),
        rng.choice(_SHAPES),
    )
    if rng.random() < 0.15:
        text = rng.choice(
            ["", "{" * 300, "__import__('os')", "{}", "1+1", "[" * 2000, "'" * 9, "\0"]
        )
    header = text.encode().ljust(size - 1) + b"\n"
    stated = rng.choice([len(header)] * 6 + [0, 65535, len(header) - 7])
    version = rng.choice([b"\x01\x00"] * 6 + [b"\x02\x00", b"\x03\x00", b"\xff\xff"])
    start = data[:at] + b"\x93NUMPY" + version + struct.pack("<H", stated & 0xFFFF)
    return start + header + data[at + 10 + size :]


def change_values(rng: Random, data: bytes) -> bytes:
    """Replace some items of an array by extremes."""
    changed = bytearray(data)
    values = [float("nan"), float("inf"), -1.0, 0.0, 1e308, -1.7e308, 5e-324, 1e-300, 1e39, 2e9]
    for _ in range(rng.choice([1, 1, 3, 100])):
        if len(changed) >= 96:
            at = rng.randrange(80, len(changed) - 7)
            struct.pack_into("<d", changed, at - at % 8, rng.choice(values))
    return bytes(changed)


def rebuild_archive(rng: Random, data: bytes) -> bytes:
    """Rewrite an archive with damaged, renamed, doubled, missing or huge members."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # it is damaged already
        return overwrite(rng, data)
    if not members:
        return data
    at = rng.randrange(len(members))
    name, content = members[at]
    choice = rng.randrange(7)
    if choice <= 2:
        members[at] = (name, rng.choice([rewrite_header, change_values, truncate])(rng, content))
    elif choice == 3:
        members[at] = (rng.choice(_NAMES) + ".npy", content)
    elif choice == 4:
        members.append((rng.choice(members)[0], content))
    elif choice == 5:
        del members[at]
    else:
        members[at] = (name, content + b"\0" * rng.choice([1, 8, 30_000_000]))
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
    stream = io.BytesIO()
    import warnings

    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that occur twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name[:60_000]), content, method)
    return stream.getvalue()


def change_count(rng: Random, data: bytes) -> bytes:
    """Give a binary STL another number of triangles, or another header."""
    if len(data) < 84:
        return overwrite(rng, data)
    count = rng.choice([0, 1, 2, 11, 13, 1 << 20, 1 << 31, (1 << 32) - 1])
    head = rng.choice([data[:80], b"solid x\n".ljust(80), b"\0" * 80, b"solid ".ljust(80, b"\xff")])
    return head + struct.pack("<I", count) + data[84:]


def change_floats(rng: Random, data: bytes) -> bytes:
    """Replace some coordinates of a binary STL by extremes."""
    changed = bytearray(data)
    words = [0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00000001, 0x7F800001, 0x80000000]
    for _ in range(rng.choice([1, 3, 50])):
        if len(changed) > 90:
            at = 84 + 4 * rng.randrange((len(changed) - 84) // 4)
            struct.pack_into("<I", changed, at, rng.choice(words))
    return bytes(changed)


ARRAY = (rewrite_header, change_values)
ARCHIVE = (rebuild_archive,)
STL = (change_count, change_floats)
