"""Tables as yaml: all but changed numbers stays, and nothing is shared or constructed."""

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.tables import nested
from inertial_check.errors import DocumentError
from tables import Whole

NAMES = ["m", "hx", "hy", "hz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
ROW = ["2.0", "5e-1", "-0.25", "1", "+3.", ".125", "-5e-1", "4.0", "0.25", "5"]
VALUES = [2.0, 0.5, -0.25, 1.0, 3.0, 0.125, -0.5, 4.0, 0.25, 5.0]
FLOW = ", ".join(f"{name}: {cell}" for name, cell in zip(NAMES, ROW, strict=True))
BLOCK = "".join(f"    {name}: {cell}  # {name}\n" for name, cell in zip(NAMES, ROW, strict=True))
LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", None)]


@pytest.fixture(params=[loader for loader in LOADERS if loader], ids=lambda loader: loader.__name__)
def loader(request, monkeypatch):
    monkeypatch.setattr(nested, "_LOADER", request.param)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (f"# é𝄞\r\n- {{name: é, {FLOW}}} # 3\r\n- {{{FLOW}, name: b}}\r\n# 4\r\n", ("é", "b")),
        (f"- name: a\n{BLOCK[2:].replace('    ', '  ')}\n  x: [1, 2]\n", ("a",)),
        (f"%YAML 1.1\n---\nbodies:\n  - link: 'it''s'\n{BLOCK}...\n", ("it's",)),
        (f"\ufeffrobot: &r x\nbodies:\n  arm:\n{BLOCK}  hand:\n{BLOCK}n: *r\n", ("arm", "hand")),
        (f"arm:\n{BLOCK}hand: {{{FLOW}}}\n", ("arm", "hand")),
        (f"- [arm, {', '.join(ROW)}]\n- theta: [{', '.join(ROW)}]\n  name: b", ("arm", "b")),
        ("".join(f"- {cell}\n" for cell in ROW), (None,)),
        (f"- &a\n    m: &mass !!float 2.0\n{BLOCK.partition(chr(10))[2]}", (None,)),
    ],
)  # fmt: skip
def test_shapes_of_rows_keep_their_bytes(loader, text, labels):
    for rows in (1, 1000):
        table = Whole(text, "urdf", rows)
        assert table.format == "yaml"
        assert table.theta.tolist() == [VALUES] * len(labels)
        assert table.labels == labels
        assert table.edited(table.theta) == text.encode()
        changed = table.theta
        changed[-1, 7] = 4.5
        at = text.rindex("4.0")
        assert table.edited(changed) == f"{text[:at]}4.5{text[at + 3 :]}".encode()


def test_small_numbers_are_numbers_to_every_reader(loader):
    table = Whole(f"- {{{FLOW}}}\n")
    changed = table.theta
    changed[0, 4:7] = 1e-5, 5e-324, -1e22
    text = table.edited(changed)
    assert Whole(text).theta.tolist() == changed.tolist()
    assert yaml.safe_load(text)[0]["ixx"] == 1e-5
    assert b"ixx: 1.0e-05, ixy: 5.0e-324, ixz: -1.0e+22" in text


def test_words_for_what_is_not_finite(loader):
    cells = [".nan", "-.inf", "+.INF", "nan", "inf", *ROW[5:]]
    table = Whole(f"- [{', '.join(cells)}]", "urdf")
    np.testing.assert_array_equal(table.values[0, :5], [np.nan, -np.inf, np.inf, np.nan, np.inf])


def row(**members):
    return f"- {{{FLOW}}}\n- {{{', '.join(f'{k}: {v}' for k, v in members.items())}}}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (row(m="abc"), r'^t:2:7: m is "abc", expected a number'),
        (row(m='"1.0"'), r'^t:2:7: m is "1.0", expected a number'),
        (row(m="!!str 1.0"), r'^t:2:7: m is "1.0", expected a number'),
        (row(m=""), r'^t:2:\d+: m is "", expected a number'),
        (FLOW.join(["- {", "}\n- {"]) + FLOW.replace("2.0", "2_0") + "}", "^t:2:7: .*write 20"),
        (FLOW.join(["- {", "}\n- {"]) + FLOW.replace("2.0", "0x10") + "}", "^t:2:7: .*write 16.0"),
        (FLOW.join(["- {", "}\n- {"]) + FLOW.replace("2.0", "1:30") + "}", "^t:2:7: "),
        (f"- {{{FLOW.replace('2.0', '1e-999')}}}", "^t:1:7: m: .* below the smallest"),
        ("- [1, 2\n- 3", r"^t:\d:\d+: no yaml: "),
        ("a: 1\n\tb: 2", r"^t:2:1: no yaml: "),
        ("- m: \x01", r"^t:1:6: no yaml: "),
        ("- *x", "^t:1:3: no yaml: nothing is called &x"),
        ("- m: !!python/object/apply:os.system [ls]", "^t:1:6: !!python/object/apply:os.system: "),
        ("- m: !mine 1", "^t:1:6: !mine: "),
        (f"- {{{FLOW}}}\n---\n- {{{FLOW}}}", "^t:2:1: a second document"),
        ("- ? [m]\n  : 1", "^t:1:5: the name of a member is no text"),
        ("- " + "[" * 200, "nested too deeply"),
        (f"- {{{FLOW}, ixx: 3}}", "^t:1:.*an object has two members 'ixx'"),
        (f"a: {{{FLOW}}}\na: {{{FLOW}}}", "^t:2:1: an object has two members 'a'"),
        ("---\n", "the table has no rows"),
        ("bodies: []\n", "the table has no rows"),
        ("robot: x\n", '^t:1:8: the object has no list "bodies"'),
        ("bodies: 5\n", '^t:1:9: "bodies" is neither'),
    ],
)
def test_what_is_no_table_is_refused_with_its_place(loader, text, message):
    with pytest.raises(DocumentError, match=message):
        Whole(text, "urdf")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"- &a {{{FLOW}}}\n- *a\n", "2:3"),
        (f"- {{{FLOW.replace('2.0', '&m 2.0')}}}\n- {{{FLOW.replace('2.0', '*m')}}}\n", "2:7"),
        (f"i: &i {{{FLOW.partition('ixx')[2].join(['ixx', ''])}}}\nbodies:\n"
         "- {m: 1, h: [0, 0, 0], inertia: *i}\n", "3:33"),
        ("h: &h [0, 0, 0]\nbodies:\n- {m: 1, h: *h}\n", "3:13"),
        (f"t: &t [{', '.join(ROW)}]\nbodies:\n- theta: *t\n", "3:10"),
        ("b: &b {m: 1}\nbodies:\n- {<<: *b, hx: 1}\n", "3:8"),
        ("b: &b {m: 1}\nc: &c [*b]\nbodies:\n- {hx: 1, d: *c}\n", "4:14"),
    ],
)  # fmt: skip
def test_numbers_that_are_shared_are_refused(loader, text, place):
    with pytest.raises(DocumentError, match=rf"^t:{place}: .*are shared: moving one row would"):
        Whole(text, "urdf")


def test_what_is_shared_and_is_no_number_of_the_row_does_no_harm(loader):
    text = f"s: &s [1, 2]\nv: &v {{colour: red}}\nbodies:\n- {{{FLOW}, a: *s, b: *v, name: n}}\n"
    assert Whole(text).theta.tolist() == [VALUES]
    merged = f"b: &b {{m: 7, x: 1}}\nbodies:\n- {{<<: *b, {FLOW}}}\n"
    assert Whole(merged).theta.tolist() == [VALUES]


def test_aliases_of_aliases_are_never_expanded(loader):
    bomb = "a0: &a0 [x, x]\n"
    bomb += "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 40))
    text = f"{bomb}bodies:\n- {{{FLOW}, bomb: *a39}}\n"
    table = Whole(text)
    assert table.edited(table.theta) == text.encode()


@pytest.mark.parametrize("row", ["[1, 1, ", "'1, ", "{a: "])
def test_a_row_that_would_fill_the_memory_is_refused(loader, row, monkeypatch):
    monkeypatch.setattr(nested, "LONGEST_ROW", 10_000)
    with pytest.raises(DocumentError, match=r"^t:[12]:\d+: a row of more than 10000 characters"):
        Whole(f"- {{{FLOW}}}\n- {row}{'[1, 2, ' * 9}{'3, ' * 50_000}", "urdf")


@given(
    st.lists(
        st.tuples(st.text(max_size=6), *[st.floats()] * 10), min_size=1, max_size=6
    ),
    st.sampled_from([None, False]),
    st.integers(1, 4),
)  # fmt: skip
def test_what_pyyaml_writes_is_read_in_blocks_of_any_size(rows, flow, size):
    document = [dict(zip(["name", *NAMES], row, strict=True)) for row in rows]
    text = yaml.safe_dump(document, default_flow_style=flow, allow_unicode=True, width=40)
    table, before = Whole(text, rows=size), yaml.safe_load(text)
    np.testing.assert_array_equal(table.values, [row[1:] for row in rows])
    assert table.edited(table.theta) == text.encode()
    changed = table.theta
    changed[-1] = np.arange(10) * 1e-7
    again = yaml.safe_load(table.edited(changed))
    assert repr(again[:-1]) == repr(before[:-1])  # nan is not equal to itself
    assert [again[-1][name] for name in NAMES] == changed[-1].tolist()
    assert again[-1]["name"] == before[-1]["name"]
