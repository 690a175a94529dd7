"""Damaged tables end in one error with a place, or are read; nothing else is raised."""

import json
import random

import numpy as np
import pytest
import yaml

from inertial_check.errors import InertialCheckError
from tables import Whole, npy, npz

NAMES = ["name", "m", "hx", "hy", "hz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
ROWS = [["é", 2.0, 0.5, -0.25, 1e-5, 3.0, 0.125, -0.5, 4.0, 0.25, 5.0], ["b", *range(1, 11)]]
OBJECTS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
THETA = np.array([row[1:] for row in ROWS], dtype=float)
TABLES = {
    "csv": ",".join(NAMES) + '\r\n"é, x",' + ",".join(map(str, ROWS[0][1:])) + "\n# c\n",
    "space": "\n".join(" ".join(map(str, row)) for row in ROWS),
    "json": json.dumps({"a": {"b": [1]}, "bodies": OBJECTS}),
    "named": json.dumps({"x": OBJECTS[0], "y": OBJECTS[1]}, indent=1),
    "yaml": yaml.safe_dump({"a": 1, "bodies": OBJECTS}, allow_unicode=True),
    "flow": yaml.safe_dump(OBJECTS, default_flow_style=None) + "# *x &y !z\n",
    "npz": npz(theta=THETA, name=["a", "b"]),
    "parts": npz(mass=THETA[:, 0], h=THETA[:, 1:4], inertia=THETA[:, 4:]),
    "npy": npy(THETA),
}
PIECES = [b'"', b"'", b"[", b"]", b"{", b"}", b":", b": ", b"\n", b"- ", b"&a ", b"*a", b"!", b"#",
          b",", b"\xff", b"\xef\xbb\xbf", b"1e999", b"e-999", b"nan", b"<<: ", b"\t", b"\0", b"? ",
          b"|", b">", b"---\n", b"%", b"\\", b"null", b"1_0"]  # fmt: skip


def damaged(data, rng):
    """The bytes with one to three changes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice([0, 0, 1, 1, 5, 40]))
        copied = bytes(data[rng.randrange(9) :][:20])
        new = [rng.choice(PIECES), bytes([rng.randrange(256)]), b"", copied]
        data[at:end] = rng.choice(new)
    return bytes(data)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", TABLES)
def test_a_damaged_table_is_read_or_refused(name, request):
    data = TABLES[name]
    data = data.encode() if isinstance(data, str) else data
    rng = random.Random(name)
    read = 0
    for _ in range(20_000 if request.config.getoption("--long") else 600):
        text = damaged(data, rng)
        outcome = attempted(text, rng.choice([1, 1000]))
        if isinstance(outcome, str):
            assert outcome.startswith("t:"), text
        else:
            read += 1
            if outcome.format not in ("npz", "npy"):
                assert outcome.edited(outcome.theta) == text
    assert read


def attempted(text, rows):
    """The table, or why it is none."""
    try:
        return Whole(text, "urdf", rows)
    except InertialCheckError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(repr(text)) from error
