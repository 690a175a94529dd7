"""Tables: what a row is, what is never guessed, and that only changed numbers get new text."""

import json

import numpy as np
import pytest

from inertial_check.errors import DocumentError, UsageError
from inertial_check.formats import table as tables
from inertial_check.inertia.representations import ORDERS

ROW = (2.0, 0.5, -0.25, 1.0, 3.0, 0.125, -0.5, 4.0, 0.25, 5.0)
BARE = ",".join(map(repr, ROW))
HEADER = "m,hx,hy,hz,ixx,ixy,ixz,iyy,iyz,izz"
BARE_MEMBERS = ", ".join(f'"{name}": 1' for name in HEADER.split(",")[1:])
INERTIA = dict(zip(HEADER.split(",")[4:], ROW[4:], strict=True))


def read(text, order=None):
    data = text if isinstance(text, bytes) else text.encode()
    return tables.read(data, "t", order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "text",
    [
        BARE,
        f"{BARE}\n",
        BARE.replace(",", ";"),
        BARE.replace(",", "\t") + "\r\n",
        "  " + BARE.replace(",", "  ") + " \n",
        f"# mass first\n\n{BARE}\n\n",
        f"base,{BARE}",
        '"base, or so",' + BARE.replace("0.5", '"0.5"', 1),
        f"\ufeff{BARE}",
        f"[{BARE}]",
        f"[[{BARE}]]",
        f'[["base", {BARE}]]',
        f'[{{"theta": [{BARE}]}}]',
        f'\ufeff{{"bodies": [[{BARE}]]}}',
    ],
)
def test_ten_bare_numbers_go_by_the_declared_order(text, order):
    table = read(text, order)
    assert table.order == order
    assert not table.named
    assert table.theta.tolist() == [list(ROW)]
    assert table.edited(table.theta) == text.encode()


def test_an_order_that_nothing_tells_is_not_guessed():
    for text in (BARE, f"[[{BARE}]]"):
        with pytest.raises(
            UsageError, match="--order, one of urdf, pinocchio, mujoco, wensing, ksl"
        ):
            read(text)
        with pytest.raises(UsageError, match="unknown order 'wrong'"):
            read(text, "wrong")


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        (HEADER, BARE),
        ("Mass [kg],h_x,h_y,h_z,Ixx [kg m^2],Ixy,Ixz,Iyy,Iyz,Izz", BARE),
        ("m,mX,mY,mZ,XX,XY,XZ,YY,YZ,ZZ", BARE),
        ("izz,iyz,iyy,ixz,ixy,ixx,hz,hy,hx,m", ",".join(map(repr, ROW[::-1]))),
        ("m,hx,hy,hz,ixx,iyx,izx,iyy,izy,izz", BARE),
    ],
)
def test_columns_go_by_their_names(header, cells):
    for order in (None, "mujoco"):
        table = read(f"{header}\n{cells}\n", order)
        assert (table.order, table.named) == ("urdf", True)
        assert table.theta.tolist() == [list(ROW)]


def test_other_columns_and_names_are_kept():
    text = f'source,link,{HEADER},note\nCAD,arm,{BARE},"a, b"\n"5""",,{BARE},\n'
    table = read(text)
    assert table.labels == ("arm", "")
    assert table.theta.tolist() == [list(ROW)] * 2
    changed = table.theta
    changed[1, 9] = 0.1 + 0.2
    assert table.edited(changed) == text.replace("5.0,\n", "0.30000000000000004,\n").encode()


def test_a_centre_of_mass_stands_for_the_first_moment():
    text = "m,cx,cy,cz,ixx,ixy,ixz,iyy,iyz,izz\n2.0,0.1,-0.3,0.7,3,0,0,4,0,5\n"
    table = read(text)
    assert table.has_com
    assert table.theta[0, 1:4].tolist() == [2 * 0.1, 2 * -0.3, 2 * 0.7]
    changed = table.theta
    changed[0, 4] = 3.5
    assert table.edited(changed) == text.replace(",3,", ",3.5,").encode()
    changed[0, 1:4] = 1.0, 2.0, 4.0
    assert read(table.edited(changed).decode()).values[0, 1:4].tolist() == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    "item",
    [
        dict(zip(HEADER.split(","), ROW, strict=True)),
        {"mass": ROW[0], "h": ROW[1:4], "inertia": INERTIA},
        {
            "name": "arm", "line": 41, "verdict": "inconsistent", "margin": None,
            "mass": ROW[0], "com": [x / ROW[0] for x in ROW[1:4]],
            "inertia": INERTIA,
            "principal_moments": [1, 2, 3],
        },
    ],
)  # fmt: skip
@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"schema": 1, "bodies": rows}])
def test_json_objects_flat_and_nested(item, wrap):
    text = json.dumps(wrap([item, item]), indent=1)
    table = read(text)
    assert table.theta.tolist() == [list(ROW)] * 2
    assert table.labels == (item.get("name"),) * 2
    assert table.edited(table.theta) == text.encode()
    changed = table.theta
    changed[1, 4] = 3.25
    again = json.loads(table.edited(changed))
    rows = again if isinstance(again, list) else again["bodies"]
    assert rows[0] == json.loads(json.dumps(item))
    assert read(table.edited(changed)).theta.tolist() == changed.tolist()


def test_strings_that_look_like_numbers_do_not_shift_the_places():
    text = (
        '[{"name": "1.5 \\" 2, NaN", "-3": "-Infinity", '
        + ", ".join(
            f'"{name}": {value!r}' for name, value in zip(HEADER.split(","), ROW, strict=True)
        )
        + ', "x": [7, 8e-1]}]'
    )
    table = read(text)
    assert table.labels == ('1.5 " 2, NaN',)
    changed = table.theta
    changed[0, 0] = 9.0
    assert table.edited(changed).decode() == text.replace('"m": 2.0', '"m": 9.0')


def test_bytes_that_are_no_utf8_and_every_line_end_survive():
    text = f"name,{HEADER}\r\n".encode() + b"caf\xe9," + BARE.encode() + b"\r\n"
    table = read(text)
    assert table.edited(table.theta) == text
    changed = table.theta
    changed[0, 9] = 6.0
    assert table.edited(changed) == text.replace(b"5.0\r\n", b"6.0\r\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEADER}\n{BARE.replace('0.125', '*')}\n", r'^t:2:\d+: ixy: "\*" is no number'),
        (f"{HEADER}\n{BARE}\n\n{BARE.replace('0.125', '')}\n", r'^t:4:\d+: ixy: "" is no number'),
        (f"{BARE}\n{BARE.replace('0.125', '1_2')}", r"^t:2:23: "),
        (f"{BARE}\n{BARE},1\n", r"^t:2:1: 11 cells in this row, 10 in the first"),
        ("1,2,3\n", "^t:1:1: 3 numbers in this row"),
        (BARE.replace(",", ";").replace(".", ","), r'"2,0" is no number|numbers in this row'),
        (f"{HEADER[:-4]}\n{BARE}\n", "nothing is called izz"),
        (f"{HEADER},iyx\n{BARE},1\n", "^t:1:36: a second column that means ixy"),
        (f"{HEADER},cx,cy,cz\n{BARE},1,2,3\n", "keep one"),
        (f'"{BARE}\n', "a quote that is never closed"),
        ("", "the table has no rows"),
        (f"{HEADER}\n", "the table has no rows"),
        ("# nothing\n", "the table has no rows"),
        ("[]", "the table has no rows"),
        ('{"links": []}', 'no list "bodies"'),
        ("[1, 2", r"^t:1:6: no JSON"),
        ("[[1, 2]]", r"^t:1:3: row 1 is neither"),
        ("[" * 100_000, "no JSON|nested too deeply"),
        ('[{"m": 1, "m": 2}]', r"^t:1:\d+: an object has two members 'm'"),
        ('[{"m": 1, "mass": 2}]', r"^t:1:8: a second member that means m"),
        ('[{"m": null, "hx": 2}]', r"m is null, expected a number"),
        ('[{"m": "1.0", "hx": 2}]', r'm is "1.0", expected a number'),
        (f'[[{BARE}], {{"theta": [{BARE}]}}, {{"m": 1}}]', "nothing is called"),
        (BARE.encode("utf-16"), "not UTF-8"),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(text, message):
    with pytest.raises(DocumentError, match=message):
        read(text, "urdf")


def test_places_count_code_points_and_skip_the_byte_order_mark():
    with pytest.raises(DocumentError, match=r"^t:2:4: "):
        read(f"\ufeffé,{BARE}\néé,{BARE.replace('2.0', '*')}", "urdf")
    with pytest.raises(DocumentError, match=r"^t:1:8: m: "):
        read(f'\ufeff[{{"m": 1e-999, {BARE_MEMBERS}}}]')


def test_numbers_that_are_not_finite_are_read():
    table = read(f"{HEADER}\n{BARE.replace('0.125', 'nan').replace('5.0', '-inf')}\n")
    assert np.isnan(table.theta[0, 5])
    assert table.theta[0, 9] == -np.inf
    assert table.edited(table.theta) == table.source


@pytest.mark.parametrize("format", ["csv", "json"])
def test_rewritten_in_another_format_it_reads_the_same(format):
    text = f'name,{HEADER}\n"a,b",{BARE}\nc,{BARE}\n'
    table = read(text)
    again = read(table.rewritten(table.theta, format))
    assert again.format == format
    assert again.labels == ("a,b", "c")
    assert again.theta.tolist() == table.theta.tolist()
    bare = read(BARE, "mujoco")
    again = read(bare.rewritten(bare.theta, format))
    assert again.named
    assert again.theta[0, [4, 7, 9, 5, 6, 8]].tolist() == list(ROW[4:])
