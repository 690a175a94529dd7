"""Attacks with tables and recordings: claims take no memory, and what is held is bounded."""

import io
import json
import zipfile

import numpy as np
import pytest

from inertial_check.documents.numbers import MOST_DIGITS
from inertial_check.documents.tables import arrays, open_table, reading
from inertial_check.errors import DocumentError
from inertial_check.identification.recordings import read_recording, tables

NAMES = "name,m,hx,hy,hz,ixx,ixy,ixz,iyy,iyz,izz"
NUMBERS = "1,0,0,0,1,0,0,1,0,1"
ROW = dict(zip(NAMES.split(",")[1:], map(float, NUMBERS.split(",")), strict=True))


def read_table(data):
    data = data if isinstance(data, bytes) else data.encode()
    reader = open_table(io.BytesIO(data), "a", "urdf")
    return np.concatenate([block.values for block in reader.blocks(64)])


def write_array(header, data=b""):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + data


def write_archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


LONG = "0." + "1" * (MOST_DIGITS + 1)


@pytest.mark.parametrize(
    "text",
    [
        f"{NAMES}\na,{LONG},0,0,0,1,0,0,1,0,1\n",
        json.dumps([ROW]).replace("1.0", LONG, 1),
        json.dumps([ROW]).replace("1.0", "1" * 5000, 1),
        "- " + json.dumps(ROW).replace("1.0", LONG, 1),
    ],
    ids=["csv", "json", "an integer in json", "yaml"],
)
def test_a_number_of_too_many_digits_in_a_table_is_an_error_with_its_place(text):
    with pytest.raises(DocumentError, match=f"the limit is {MOST_DIGITS}") as caught:
        read_table(text)
    assert caught.value.line


def test_a_recording_with_a_number_of_too_many_digits_is_refused():
    with pytest.raises(DocumentError, match=f"the limit is {MOST_DIGITS}"):
        read_recording(f"t,q1,tau1\n0,{LONG},0\n1,0,0\n".encode())


@pytest.mark.parametrize(
    "text",
    [
        NAMES + "\n" + "# nothing\n" * 40_000,
        NAMES + "\n" * 400_000,
        '{"note": "' + "a" * 400_000 + '", "rows": []}',
        json.dumps({"note": ["a"] * 100_000, "rows": []}),
    ],
    ids=["comments", "blank lines", "a long text", "a long list"],
)
def test_text_without_rows_is_held_up_to_a_limit(text, monkeypatch):
    monkeypatch.setattr(reading, "LARGEST_WINDOW", 2**16)
    monkeypatch.setattr(reading, "_CHUNK", 2**14)
    with pytest.raises(DocumentError, match=f"more than {2**16} characters"):
        read_table(text)


def test_a_json_object_of_many_members_with_one_twice_is_refused_at_once():
    row = json.dumps({f"k{i}": 0 for i in range(70_000)})[:-1] + ', "k69999": 1}'
    with pytest.raises(DocumentError, match="two members"):
        read_table(f"[{row}]")


@pytest.mark.parametrize("shape", [(10**12, 10), (10**6, 10), (1, 10**12)])
@pytest.mark.parametrize("fortran", [False, True])
def test_an_array_that_claims_more_than_it_holds_is_refused(shape, fortran):
    header = {"descr": "<f8", "fortran_order": fortran, "shape": shape}
    with pytest.raises(DocumentError):
        read_table(write_archive(theta=write_array(header, b"\0" * 80)))


def test_a_recording_that_unfolds_beyond_the_limit_is_one_error(monkeypatch):
    monkeypatch.setattr(arrays, "LARGEST_WHOLE", 2**20)
    header = {"descr": "<f8", "fortran_order": False, "shape": (2**14, 4)}
    data = write_array(header, bytes(2**14 * 4 * 8))
    bomb = write_archive(q=data, tau=data, u=data)
    assert len(bomb) < 10_000
    with pytest.raises(DocumentError, match="too many to be held in memory"):
        read_recording(bomb)


def test_a_recording_of_more_numbers_than_the_limit_is_one_error(monkeypatch):
    monkeypatch.setattr(tables, "MOST_NUMBERS", 1000)
    rows = "".join(f"{i},{i},0\n" for i in range(400))
    with pytest.raises(DocumentError, match="cut the recording"):
        read_recording(f"t,q1,tau1\n{rows}".encode())
