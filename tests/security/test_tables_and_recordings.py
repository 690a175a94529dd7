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
from inertial_check.programs.cli.main import main

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


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_that_project_writes_is_run_by_a_spreadsheet(tmp_path, capsys, separator, end):
    names = ["=cmd|' /C calc'!A0", '"=1+1"', "@SUM(1)", "+cmd", "-cmd", "\x1b[31mred", "\u202egnp"]
    rows = [f"{name},1,-0.0,+.5,0,1,-1e-3,0,1,0,3" for name in (*names, "arm", "'=x")]
    text = end.join([NAMES, *rows, ""]).replace(",", separator)
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    assert main(["project", str(path), "--about", "com"]) in (0, 1)
    written = capsys.readouterr().out
    lines = [line.split(separator) for line in written.replace("\r\n", "\n").split("\n")[1:-1]]
    assert [cells[0] for cells in lines] == [
        *("'=cmd|' /C calc'!A0", '"\'=1+1"', "'@SUM(1)", "'+cmd", "'-cmd"),
        *("\\x1b[31mred", "\\u202egnp", "arm", "'=x"),
    ]
    assert {(cells[1], cells[2], cells[3]) for cells in lines} == {("1", "-0.0", "+.5")}


def test_no_name_of_another_format_becomes_a_formula(tmp_path, capsys):
    row = dict(zip(NAMES.split(","), ["=cmd", 1, 0, 0, 0, 1, 0, 0, 1, 0, 3], strict=True))
    path = tmp_path / "table.json"
    path.write_text(json.dumps([row]))
    assert main(["project", str(path), "--about", "com", "--output-format", "csv"]) in (0, 1)
    assert capsys.readouterr().out.split("\n")[1].startswith("'=cmd,1")


@pytest.mark.parametrize("name", ["Y", "tau", "t", "q", "names"])
def test_no_message_advises_to_read_pickles(tmp_path, capsys, data_dir, name):
    arrays = {"Y": np.ones((6, 10)), "tau": np.ones(6)}
    if name not in arrays:
        arrays = {"t": np.arange(6.0), "q": np.ones((6, 2)), "tau": np.ones((6, 2))}
    arrays[name] = np.array([{}] * 6, object)
    path = tmp_path / "deep.npz"
    np.savez(path, **arrays)
    robot = str(data_dir / "recordings" / "arm.urdf")
    assert main(["identify", str(path), "--model", robot]) == 2
    told = capsys.readouterr().err
    assert "allow_pickle" not in told
    assert "internal error" not in told


def test_numbers_that_are_no_characters_are_replaced(tmp_path, capsys):
    names = np.array([0x41, 0x7FFFFFFF, 0x110000, 0x42], np.uint32).view("<U2")
    theta = np.array([[1.0, 0, 0, 0, 1, 0, 0, 1, 0, 3]] * 2)
    np.savez(tmp_path / "table.npz", theta=theta, name=names)
    common = ["--about", "origin", "--order", "urdf", "--output-format", "csv"]
    assert main(["project", str(tmp_path / "table.npz"), *common]) in (0, 1)
    written = capsys.readouterr().out.split("\n")
    assert [line[:2] for line in written[1:3]] == [
        "A\N{REPLACEMENT CHARACTER}",
        "\N{REPLACEMENT CHARACTER}B",
    ]
