"""Every number of an MJCF document knows its bytes, in includes too; any bytes are answered."""

import codecs
import math
import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.source import Edit
from inertial_check.errors import DocumentError

ARM = """<mujoco model="arm{extra}">
  <compiler angle="radian" boundmass="1e-6"/>
  <worldbody>
    <body name="a"><!-- {extra} -->
      <inertial   pos = " 0 -.5e-1	+1. "
        mass='1.20' diaginertia="0.02  0.030
        0.04" euler="0 0 1"/>
      <body><joint/><inertial fullinertia=" 1 2 3 .4 .5 .6" mass="2" pos="1 2 3"/></body>
    </body>
    <body name="refs"><inertial pos="&#48; 0 0" mass="&#x31;.5" diaginertia="1 1&#46;0 1"/></body>
  </worldbody>
</mujoco>
"""


def resolved(text):
    def character(match):
        return chr(int(match[1][1:], 16) if match[1][0] == "x" else int(match[1]))

    return re.sub(r"&#(x?[0-9a-fA-F]+);", character, text)


def numbers(model):
    """Every number that the documents write."""
    for body in model.bodies:
        if body.inertial is not None:
            inertial = body.inertial
            found = [inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values()]
            yield from (number for number in found if number is not None and number.span)


def assert_exact(model, again):
    """Spans hold their numbers; each can be changed alone. again(file, data): read once more."""
    before = list(numbers(model))
    for number in before:
        assert resolved(model.source_of(number.span).text(number.span)) == number.text
    for at, number in enumerate(before):
        source, new = model.source_of(number.span), f"{at + 0.25!r}e-3"
        data = source.apply_edits([Edit(number.span, new)])
        start, end = number.span.start, number.span.end
        assert data == source.data[:start] + new.encode(source.encoding) + source.data[end:]
        after = list(numbers(again(number.span.file, data)))
        assert (after[at].value, after[at].text) == (float(new), new)
        others = [each.text for place, each in enumerate(after) if place != at]
        assert others == [each.text for place, each in enumerate(before) if place != at]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(
    ("codec", "mark", "declared", "extra"),
    [
        ("utf-8", b"", "", "\u00e9\U0001f916"),
        ("utf-8", codecs.BOM_UTF8, "", "\u4e2d"),
        ("utf-16-le", codecs.BOM_UTF16_LE, "", "\u0a0d\U0001f916"),
        ("utf-16-be", codecs.BOM_UTF16_BE, "", "\u0d00\u0a0d"),
        ("latin-1", b"", "<?xml version='1.0' encoding='ISO-8859-1'?>\n", "\u00e9"),
        ("iso8859-5", b"", "<?xml version='1.0' encoding='ISO-8859-5'?>\n", "\u0416"),
    ],
)
def test_spans_are_exact(codec, mark, declared, extra, ends):
    text = (declared + ARM.format(extra=extra)).replace("\n", ends)
    model = load(mark + text.encode(codec))
    assert len(list(numbers(model))) == 7 + 10 + 7
    assert not any(body.problems for body in model.bodies)
    assert_exact(model, lambda file, data: load(data))


def test_spans_in_included_documents_are_exact(tmp_path):
    main, one, two = (tmp_path / f"{name}.xml" for name in ("main", "one", "two"))
    inertial = '<inertial pos="0 1 2" mass="3" diaginertia="4 5 6"/>'
    main.write_text(
        f'<mujoco><worldbody><include file="one.xml"/><body>{inertial}</body></worldbody></mujoco>'
    )
    one.write_bytes(
        codecs.BOM_UTF16_LE
        + f'<mujocoinclude><body>{inertial}<include file="two.xml"/></body></mujocoinclude>'.encode(
            "utf-16-le"
        )
    )
    two.write_text(f"<mujocoinclude>\u00e9<body>{inertial}</body></mujocoinclude>")
    model = load(main)
    assert [number.span.file for number in numbers(model)] == [1] * 7 + [2] * 7 + [0] * 7
    assert [source.path for source in model.others] == [str(one), str(two)]

    def again(file, data):
        path = [main, one, two][file]
        if file == 0:
            return load(data, path=str(path))
        return load(main, context=Context(overlay={str(path): data}))

    assert_exact(model, again)


def test_commas_and_gaps_do_not_shift_a_span():
    data = ARM.format(extra="").replace("0.030", "0,030").encode()
    model = load(data)
    (problem,) = model.bodies[0].problems
    assert model.source.text(problem.span) == "0,030"
    assert math.isnan(model.bodies[0].inertial.I_BBcm_Bi["iyy"].value)
    assert model.bodies[0].inertial.I_BBcm_Bi["izz"].text == "0.04"


def read(data):
    """What a document gives; nothing but a DocumentError is raised, at a place inside it."""
    try:
        model = load(data, format="mjcf")
    except DocumentError:
        return None
    for body in model.bodies:
        assert 0 <= body.span.start <= body.span.end <= len(data)
        for problem in body.problems:
            assert problem.message
            assert model.place(problem.span).line >= 1
    for number in numbers(model):
        written = model.source.text(number.span)
        assert "&" in written or written == number.text
    return model


def test_every_truncation_is_refused_or_read():
    data = ARM.format(extra="\u00e9").encode()
    read_whole = [end for end in range(len(data) + 1) if read(data[:end]) is not None]
    assert read_whole == [len(data) - 1, len(data)]


PIECES = [
    *(
        "<mujoco>",
        "</mujoco>",
        "<worldbody>",
        "</worldbody>",
        "<body name='a'>",
        "<body>",
        "</body>",
    ),
    *("<frame pos='1 0 0' euler='0 0 90'>", "</frame>", "<replicate count='2'>", "</replicate>"),
    *("<joint/>", "<joint type='ball' class='c'/>", "<freejoint/>", "<geom size='1'/>"),
    *("<geom mass='x' group='9e9' class='c'/>", "<default>", "<default class='c'>", "</default>"),
    *("<compiler angle='radian' eulerseq='XyZ'/>", "<compiler boundmass='nan' boundinertia='1'/>"),
    *("<compiler balanceinertia='true' inertiafromgeom='true' inertiagrouprange='1 0'/>",),
    *("<inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/>", "<inertial/>"),
    *("<inertial pos='0 0' mass='x' fullinertia='1 1 1 0 0 0' quat='0 0 0 0'/>",),
    *("<inertial mass='1' diaginertia='inf 1 1' xyaxes='1 0 0 1 0 0' zaxis='0 0 1'/>",),
    *("<inertial mass='1' fullinertia='nan 1 1 0 1e308 0' axisangle='1e300 0 0 1e300'/>",),
    *("<include file='.'/>", "<include/>", "<include file='nothing.xml'>", "</include>"),
    *(
        "<attach model='m' prefix=''/>",
        "<flexcomp/>",
        "<!-- - -->",
        "<![CDATA[<body>]]>",
        "&lt;",
        "x",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_order_of_elements_is_refused_or_read(pieces):
    read("".join(["<mujoco>", *pieces, "</mujoco>"]).encode())


@given(st.lists(st.sampled_from(PIECES).filter(lambda piece: piece.endswith("/>")), max_size=20))
def test_any_elements_in_a_body_are_judged(pieces):
    model = read(f"<mujoco><worldbody><body>{''.join(pieces)}</body></worldbody></mujoco>".encode())
    assert model is not None
    from inertial_check.checking.check import check_model

    check_model(model)


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_broken_bytes_are_refused_or_read(seed, count):
    rng = random.Random(seed)
    data = bytearray(ARM.format(extra="\u00e9").encode())
    for _ in range(count):
        at = rng.randrange(len(data))
        kind = rng.randrange(3)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randrange(1, 20)]
        else:
            data[at:at] = rng.choice(
                [b"<", b">", b'"', b"&", b"\0", b"/", b" ", b"<body>", b"1e999"]
            )
    read(bytes(data))


@given(
    st.text(max_size=40), st.sampled_from(["pos", "mass", "diaginertia", "fullinertia", "euler"])
)
def test_any_text_in_an_attribute_is_read(text, name):
    from xml.sax.saxutils import quoteattr

    inside = f"<inertial {name}={quoteattr(text)}/>"
    read(
        f"<mujoco><worldbody><body>{inside}</body></worldbody></mujoco>".encode("utf-8", "replace")
    )


@pytest.mark.parametrize("count", [200_000])
def test_a_huge_list_of_numbers_is_one_complaint(count):
    zeros = "0 " * count
    data = (
        f"<mujoco><worldbody><body><inertial pos='{zeros}'/></body></worldbody></mujoco>".encode()
    )
    began = time.perf_counter()
    model = load(data)
    assert max(len(problem.message) for problem in model.bodies[0].problems) < 300
    assert time.perf_counter() - began < 10
