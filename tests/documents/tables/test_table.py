"""Tables: what a row is, what is never guessed, and that only changed numbers get new text."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.tables import sniff_format
from inertial_check.documents.tables.reading import LONGEST_ROW
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.representations import ORDERS
from tables import Whole

ROW = (2.0, 0.5, -0.25, 1.0, 3.0, 0.125, -0.5, 4.0, 0.25, 5.0)
BARE = ",".join(map(repr, ROW))
HEADER = "m,hx,hy,hz,ixx,ixy,ixz,iyy,iyz,izz"
BARE_MEMBERS = ", ".join(f'"{name}": 1' for name in HEADER.split(",")[1:])
INERTIA = dict(zip(HEADER.split(",")[4:], ROW[4:], strict=True))


read = Whole


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
        ('[{"m" 1}]', r"^t:1:\d+: no JSON: Expecting ':' delimiter"),
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
    assert table.edited(table.theta) == table.data


NUMBERS = st.floats(allow_nan=False).map(repr)
CELLS = st.one_of(NUMBERS, st.integers(-(10**30), 10**30).map(str), st.just("nan"))
NAMES = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters='"#'), max_size=8
).map(lambda name: f"n{name}")
LAYOUTS = st.sampled_from([(",", " "), (";", ""), ("\t", ""), (" ", "  ")])


@st.composite
def csv_tables(draw):
    """Text, the rows' numbers and the lines on which they stand."""
    mark, pad = draw(LAYOUTS)
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = draw(st.sampled_from(["", "\ufeff", f"# a {end}{end}"]))
    if draw(st.booleans()):
        text += mark.join(["name", *HEADER.split(",")]) + end
    # A name with the mark of another layout, or a colon, would make the file readable as that one.
    names = NAMES.filter(lambda name: not any(other in name for other in ",;\t :" if other != mark))
    rows, lines = [], []
    for row in draw(st.lists(st.tuples(names, *[CELLS] * 10), min_size=1, max_size=9)):
        text += draw(st.sampled_from(["", "", end, f'# 5" wide{end}']))
        name, *cells = row
        name = f'"{name}"' if draw(st.booleans()) or mark in name else name
        lines.append(text.count("\n") + 1)
        rows.append([float(cell) for cell in cells])
        text += (mark + pad).join([name, *cells]) + end
    return text if draw(st.booleans()) else text[: -len(end)], rows, lines


@given(csv_tables(), st.integers(1, 5), st.data())
def test_csv_in_blocks_of_any_size_is_read_and_written_as_it_is(table, size, data):
    text, rows, lines = table
    read = Whole(text, "urdf", size)
    np.testing.assert_array_equal(read.values, rows)
    assert read.lines == lines
    assert read.edited(read.theta) == text.encode()
    row, column = data.draw(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, 9)))
    rows[row][column] = 0.1 + 0.2
    edited = read.edited(rows)
    np.testing.assert_array_equal(Whole(edited, "urdf").values, rows)
    assert edited.replace(b"0.30000000000000004", b"", 1) in _without_a_cell(text)


def _without_a_cell(text):
    """Every text that lacks one stretch of what can be a number."""
    import re

    cells = re.finditer(r"[-+.0-9a-z]+", text)
    return {(text[: c.start()] + text[c.end() :]).encode() for c in cells}


@pytest.mark.parametrize(
    "cell", ["1_000", "١", "1e-999", "0." + "0" * 400 + "1", "1,5", "0x1p3", " ", "1 2", "−1"]
)
@pytest.mark.parametrize("rows", [1, 1000])
def test_the_quick_way_takes_no_number_that_the_exact_way_refuses(cell, rows):
    good = f"{HEADER}\n" + f"{BARE}\n" * 20
    bad = BARE.replace(",", ";").replace("0.125", cell) + "\n"
    with pytest.raises(DocumentError, match=r"^t:22:2[34]: ixy: "):
        Whole(good.replace(",", ";") + bad, rows=rows)


def test_line_ends_and_marks_between_quotes_belong_to_the_cell():
    text = f'name,{HEADER}\n"a\nb, c",{BARE}\nd,{BARE}\n'
    for rows in (1, 1000):
        table = Whole(text, rows=rows)
        assert table.labels == ("a\nb, c", "d")
        assert table.lines == [3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{BARE}\n" + "1" * (4 * LONGEST_ROW), r"^t:2:1: a row of more than"),
        (f'{BARE}\n"{"1" * 4 * LONGEST_ROW}', r"^t:2:1: a row of more than"),
        (f'[[{BARE}], ["{"1" * 4 * LONGEST_ROW}"]]', r"^t:1:\d+: a row of more than"),
        (b"\x89PNG\r\n\x1a\n\0\0", "^t: not UTF-8 text"),
        (f"{BARE}\n{BARE}\n".encode() + b"\0" * 100_000, "^t: not UTF-8 text"),
        (bytes(range(128, 256)), "^t:1:1: nothing is called m"),
    ],
    ids=["line", "quoted", "json", "png", "nul", "bytes"],
)
def test_what_would_fill_the_memory_or_is_no_text_is_refused(text, message):
    with pytest.raises(DocumentError, match=message):
        Whole(text, "urdf")


@st.composite
def json_documents(draw):
    """A document, its rows, and the labels."""
    rows = draw(st.lists(st.lists(st.floats(), min_size=10, max_size=10), min_size=1, max_size=7))
    form = draw(st.sampled_from(["bare", "labelled", "flat", "nested"]))
    labels = [f'{draw(NAMES)}"1.5, [NaN' for _ in rows]
    items = [_item(form, row, label) for row, label in zip(rows, labels, strict=True)]
    shape = draw(st.sampled_from(["list", "bodies", "named", "bodies by name"]))
    other = {"1": [1.5, {"x": -3}], "2": "9", "é": None}
    by_name = {f"{index}": item for index, item in enumerate(items)}
    if form == "bare":
        labels = [str(index) if "name" in shape else None for index in range(len(rows))]
    if form == "labelled" and "name" in shape:
        labels = [item[0] for item in items]
    document = {
        "list": items,
        "bodies": {**other, "bodies": items, "3": 1},
        "named": by_name,
        "bodies by name": {**other, "bodies": by_name, "3": {"m": 1}},
    }[shape]
    text = json.dumps(document, indent=draw(st.sampled_from([None, 2])))
    return text, rows, tuple(labels)


def _item(form, row, label):
    members = dict(zip(HEADER.split(","), row, strict=True))
    six = {name: members.pop(name) for name in HEADER.split(",")[4:]}
    return {
        "bare": row,
        "labelled": [label, *row],
        "flat": {"name": label, **members, "x": [1.0], **six},
        "nested": {"m": row[0], "h": row[1:4], "y": {"name": 5, "i": six}, "name": label},
    }[form]


@given(json_documents(), st.integers(1, 4))
def test_json_in_blocks_of_any_size_is_read_and_written_as_it_is(document, size):
    text, rows, labels = document
    table = Whole(text, "urdf", size)
    np.testing.assert_array_equal(table.values, rows)
    assert table.labels == labels
    assert table.edited(table.theta) == text.encode()
    rows[-1][3] = 12345.5
    edited = table.edited(rows)
    np.testing.assert_array_equal(Whole(edited, "urdf").values, rows)
    assert len(edited) == len(text.encode()) - len(json.dumps(table.values[-1, 3])) + 7


def test_a_json_table_that_is_cut_off_anywhere_is_refused():
    text = json.dumps({"a": {"b": "c"}, "bodies": [["n", *ROW], ["é", *ROW]], "d": 1.5e3})
    for end in range(len(text)):
        with pytest.raises(DocumentError, match=r"^t(:1:\d+)?: "):
            Whole(text[:end], "urdf")


def test_json_tokens_across_the_pieces_in_which_a_file_is_read(monkeypatch):
    monkeypatch.setattr("inertial_check.documents.tables.reading._CHUNK", 1)
    text = f'{{"é": -1.5e-3, "bodies": [["\\u00e9", {BARE}], ["b", {BARE}]], "c": [true, null]}}'
    table = Whole(text, "urdf", 1)
    assert table.labels == ("é", "b")
    assert table.edited(table.theta) == text.encode()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("PK\x03\x04", "npz"),
        ("# a: b\n\n[1", "csv"),
        ("\ufeff \n{", "json"),
        ("m,hx\n", "csv"),
        ("-1 2 3", "csv"),
        ("name: x, y\n", "yaml"),
        ("mass [kg];a: b\n", "csv"),
        ("# c\n- m: 1\n", "yaml"),
        ("---\n", "yaml"),
        ("bodies:\n", "yaml"),
        ('"a b": {m: 1}', "yaml"),
        ("", "csv"),
    ],
)
def test_the_form_is_told_by_the_content(text, form):
    assert sniff_format(text.encode(), "t") == form


def test_a_name_said_twice_in_json_is_refused_wherever_it_stands():
    for text in (f'{{"a": [{BARE}], "a": [{BARE}]}}', f'{{"bodies": [[{BARE}]], "bodies": []}}'):
        with pytest.raises(DocumentError, match="an object has two members"):
            Whole(text, "urdf")
