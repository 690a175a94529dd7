"""Every number of an XML document knows its bytes; no bytes break the reader or take it long."""

import codecs
import math
import random
import re
import tracemalloc
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.errors import DocumentError, NotAModelError
from written_numbers import assert_exact, numbers, resolved

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "urdf").glob("*.urdf"))
ENDS = ["\n", "\r\n", "\r"]
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

ENCODINGS = {  # name: codec, mark, declaration, text that it can hold
    "utf-8": ("utf-8", b"", "", "\u00e9\u4e2d\U0001f916"),
    "utf-8 declared": ("utf-8", b"", "encoding='utf-8'", "\u00e9\u4e2d\U0001f916"),
    "utf-8 mark": ("utf-8", codecs.BOM_UTF8, "", "\u00e9\u4e2d\U0001f916"),
    "utf-16 little": ("utf-16-le", codecs.BOM_UTF16_LE, "", "\u00e9\u0a0d\u0d0a\U0001f916"),
    "utf-16 big": ("utf-16-be", codecs.BOM_UTF16_BE, 'encoding="UTF-16"', "\u0d00\u0a0d\U0001f916"),
    "latin-1": ("latin-1", b"", 'encoding="ISO-8859-1"', "\u00e9\u00b5\x85"),
    "windows-1252": ("cp1252", b"", "encoding='windows-1252'", "\u20ac\u00e9"),
    "us-ascii": ("ascii", b"", 'encoding="US-ASCII"', "~"),
    "cyrillic": ("iso8859-5", b"", 'encoding="ISO-8859-5"', "\u0416\u0451"),
}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
@pytest.mark.parametrize("ends", ENDS, ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8], ids=["plain", "mark"])
def test_fixtures(path, ends, bom):
    model = load(bom + path.read_text().replace("\n", ends).encode())
    assert len(list(numbers(model))) >= 7
    assert_exact(model)


ARM = """<mujoco model="arm{extra}">
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


@pytest.mark.parametrize("ends", ENDS, ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("name", ENCODINGS)
def test_an_mjcf(name, ends):
    codec, mark, declaration, letters = ENCODINGS[name]
    head = f"<?xml version='1.0' {declaration}?>\n" if declaration else ""
    text = head + ARM.format(extra=letters)
    model = load(mark + text.replace("\n", ends).encode(codec))
    assert len(list(numbers(model))) == 7 + 10 + 7
    assert not any(body.problems for body in model.bodies)
    assert_exact(model)


def test_included_documents(tmp_path):
    main, one, two = (tmp_path / f"{name}.xml" for name in ("main", "one", "two"))
    inertial = '<inertial pos="0 1 2" mass="3" diaginertia="4 5 6"/>'
    main.write_text(
        f'<mujoco><worldbody><include file="one.xml"/><body>{inertial}</body></worldbody></mujoco>'
    )
    part = f'<mujocoinclude><body>{inertial}<include file="two.xml"/></body></mujocoinclude>'
    one.write_bytes(codecs.BOM_UTF16_LE + part.encode("utf-16-le"))
    two.write_text(f"<mujocoinclude>\u00e9<body>{inertial}</body></mujocoinclude>")
    model = load(main)
    assert [number.span.file for number in numbers(model)] == [1] * 7 + [2] * 7 + [0] * 7
    assert [source.path for source in model.others] == [str(one), str(two)]

    def again(file, data):
        if file == 0:
            return load(data, path=str(main))
        return load(main, context=Context(overlay={str([one, two][file - 1]): data}))

    assert_exact(model, again)


class Writer:
    """Writes one robot in as many ways as XML allows, remembering its numbers in our order."""

    def __init__(self, seed, ends, letters):
        self.rng = random.Random(seed)
        self.ends = ends
        self.letters = letters

    def space(self, least=0):
        count = self.rng.randint(least, least + 2)
        return "".join(self.rng.choice([" ", "\t", self.ends]) for _ in range(count))

    def number(self):
        """A value and its text, which may have a reference in it."""
        rng = self.rng
        text = rng.choice(
            [
                repr(rng.uniform(-9, 9)),
                f"{rng.uniform(-9, 9):.{rng.randint(0, 6)}e}",
                f"{rng.choice('+-')}{rng.randint(0, 99)}",
                f".{rng.randint(0, 999)}",
                f"{rng.randint(0, 9)}.",
            ]
        )
        value = float(text)
        if rng.random() < 0.15:
            at = rng.randrange(len(text))
            text = f"{text[:at]}&#{rng.choice(['', '0'])}{ord(text[at])};{text[at + 1 :]}"
        return value, text

    def aside(self):
        """What may stand beside a text or an element without being one."""
        junk = self.letters + "<>&/'\" =- x"
        comment = "".join(self.rng.choice(junk) for _ in range(self.rng.randint(0, 8)))
        comment = f"<!--{comment.replace('--', '- ').removesuffix('-')}-->"
        named = f"<!-- {self.letters} 7 <mass>7</mass> -->"
        choices = ["", self.space(), comment, named, "<?pi <mass value='3'/>?>"]
        return "".join(self.rng.choice(choices) for _ in range(self.rng.randint(0, 2)))

    def document(self, declaration):
        """The values in the order in which the model has them, and the text."""
        values, links = [], ""
        for name in ("a", "b"):
            numbers, inertial = self.inertial()
            values += [value for value, _ in numbers]
            links += f"{self.aside()}<link name='{self.letters}{name}'>{inertial}</link>"
        head = f'<?xml version="1.0" {declaration}?>' if declaration else ""
        return values, f"{head}{self.space()}{self.root(links + self.aside())}{self.ends}"


class UrdfWriter(Writer):
    def attribute(self, name, value):
        quote = self.rng.choice("'\"")
        return f"{self.space(1)}{name}{self.space()}={self.space()}{quote}{value}{quote}"

    def tag(self, name, attributes):
        extra = self.rng.choice(["", self.attribute("note", f"a>b/> {self.letters}")])
        inside = "".join(self.attribute(*pair) for pair in attributes.items()) + extra
        if self.rng.random() < 0.5:
            return f"<{name}{inside}{self.space()}/>{self.aside()}"
        cdata = f"<![CDATA[{self.letters}<mass value='7'/>]]>"
        return f"<{name}{inside}>{cdata}{self.aside()}</{name}{self.space()}>{self.aside()}"

    def inertial(self):
        mass, *point = (self.number() for _ in range(4))
        six = [self.number() for _ in ENTRIES]
        entries = {
            entry: self.space() + text + self.space()
            for entry, (_, text) in zip(ENTRIES, six, strict=True)
        }
        xyz = self.space() + self.space(1).join(text for _, text in point) + self.space()
        parts = [
            self.tag("mass", {"value": mass[1] + self.space()}),
            self.tag("origin", {"xyz": xyz, "rpy": "0 1 2"}),
            self.tag("inertia", entries),
        ]
        self.rng.shuffle(parts)
        inside = self.aside() + "".join(parts)
        return [mass, *point, *six], f"<inertial{self.space()}>{inside}</inertial>"

    def root(self, links):
        return f"<robot{self.attribute('name', 'r')}>{links}</robot>"


class SdfWriter(Writer):
    def element(self, tag, inside):
        return f"{self.space()}<{tag}{self.space()}>{inside}</{tag}{self.space()}>{self.aside()}"

    def value(self, tag):
        value, text = self.number()
        text = self.space() + text + self.space()
        if "&" not in text and self.rng.random() < 0.2:
            text = f"<![CDATA[{text}]]>"
        return (value, text), self.element(tag, self.aside() + text + self.aside())

    def inertial(self):
        mass, mass_text = self.value("mass")
        point = [self.number() for _ in range(3)]
        pose = self.space().join(["", *[text + self.space(1) for _, text in point], "0 1 2"])
        six = [self.value(entry) for entry in ENTRIES]
        inside = [text for _, text in six]
        self.rng.shuffle(inside)
        parts = [
            mass_text,
            self.element("pose", self.aside() + pose + self.space()),
            self.element("inertia", self.aside() + "".join(inside)),
        ]
        self.rng.shuffle(parts)
        found = [mass, *point, *(number for number, _ in six)]
        return found, self.element("inertial", self.aside() + "".join(parts))

    def root(self, links):
        return f"<sdf version='1.9'><model name='m'>{links}</model></sdf>"


@pytest.mark.parametrize(("writer", "scope"), [(UrdfWriter, ""), (SdfWriter, "m::")])
@given(
    seed=st.integers(0, 2**32), ends=st.sampled_from(ENDS), name=st.sampled_from(sorted(ENCODINGS))
)
def test_any_writing_of_a_robot(writer, scope, seed, ends, name):
    codec, bom, declaration, letters = ENCODINGS[name]
    values, text = writer(seed, ends, letters).document(declaration)
    model = load(bom + text.encode(codec))
    problems = [*model.problems, *(each for body in model.bodies for each in body.problems)]
    assert {problem.kind for problem in problems} <= {"differs"}  # what other parsers refuse
    assert [body.name for body in model.bodies] == [f"{scope}{letters}a", f"{scope}{letters}b"]
    assert [number.value for number in numbers(model)] == values
    assert_exact(model)


# -- accidents ----------------------------------------------------------------------------------


SMALL = {
    "urdf": b'<?xml version="1.0"?>\n<!-- a -->\n<robot name="r" xmlns:q="u"><link name="a">'
    b'<inertial><!-- b --><mass value="1.5"/><origin xyz="0 &#49; .5"/>'
    b'<inertia ixx="1" ixy="0" ixz="0"'
    b" iyy='1' iyz='0' izz='1'/></inertial><q:e>t&amp;u</q:e></link><g></g></robot>\n",
    "sdf": b'<?xml version="1.0"?>\n<!-- a -->\n<sdf version="1.9"><world name="w"><model name="m">'
    b"<static>0</static><link name='a'><inertial><!-- b --><mass> 1.5 </mass><pose degrees='true'>"
    b"0 &#49; .5 0 0 90</pose><inertia><ixx>1</ixx><iyy><![CDATA[1]]></iyy><izz>3</izz></inertia>"
    b"</inertial></link><include><uri>absent</uri><name>x</name></include><model name='n'><link "
    b"name='c'><inertial auto='true'><density>7</density></inertial></link></model><joint name='j' "
    b"type='fixed'><parent>a</parent><child>n</child></joint></model></world></sdf>\n",
    "mjcf": ARM.format(extra="\u00e9").encode(),
}
TOKENS = [
    *(b"<", b">", b"/", b'"', b"'", b"&", b";", b"=", b" ", b"\n", b":", b"[", b"]", b"--"),
    *(b"-->", b"<!--", b"<?", b"?>", b"<![CDATA[", b"]]>", b"<!DOCTYPE robot>", b"<!x>"),
    *(b"\0", b"\x01", b"\x0b", b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x82"),
    *(b"\xff\xfe", b"\xef\xbf\xbe", b"<a/>", b"&#49;", b"&#x31;", b"x:y", b"1e999", b"nan"),
    *(b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="gbk"?>', b'a="1"', b"$(m)", b"1,5"),
    b"a=1",
]
WHOLE = {
    "urdf": [b"</robot>", b"<robot>", b"<link/>", b"<inertial/>", b"<mass/>", b"<q:e/>"],
    "sdf": [
        *(b"</sdf>", b"<sdf>", b"<model>", b"<link/>", b"<inertial/>", b"<mass/>", b"</mass>"),
        *(b"<pose/>", b"<include/>", b"<uri>.</uri>", b"<uri>/</uri>", b"<uri>file:///</uri>"),
        *(b"<uri>model://</uri>", b"<fluid_added_mass><xx>1</xx></fluid_added_mass>"),
    ],
    "mjcf": [
        *(b"<mujoco>", b"</mujoco>", b"<worldbody/>", b"<body name='a'>", b"<body/>", b"</body>"),
        *(b"<frame pos='1 0 0' euler='0 0 90'/>", b"<replicate count='2'/>", b"<freejoint/>"),
        *(b"<joint type='ball' class='c'/>", b"<geom mass='x' group='9e9' class='c'/>"),
        *(b"<default class='c'/>", b"<compiler angle='radian' eulerseq='XyZ'/>", b"<include/>"),
        *(b"<compiler boundmass='nan' boundinertia='1' balanceinertia='true'/>", b"<flexcomp/>"),
        b"<compiler inertiafromgeom='true' inertiagrouprange='1 0'/>",
        b"<inertial pos='0 0' mass='x' fullinertia='1 1 1 0 0 0' quat='0 0 0 0'/>",
        b"<inertial mass='1' diaginertia='inf 1 1' xyaxes='1 0 0 1 0 0' zaxis='0 0 1'/>",
        b"<inertial mass='1' fullinertia='nan 1 1 0 1e308 0' axisangle='1e300 0 0 1e300'/>",
        *(b"<include file='.'/>", b"<include file='nothing.xml'/>", b"<attach model='m'/>"),
    ],
}
NUMBER = re.compile(rb"(?<=[>\"' ])[0-9.]+(?=[ <\"'])")
TEXTS = [b"", b" ", b"-1", b"nan", b"1e-400", b"1e999", b"x", b"1 2", b"0", b"0.1", b"&#49;"]


def garbled(rng, data, whole):
    """A well-formed document after a few edits that leave it well-formed, if it is in UTF-8."""
    for _ in range(rng.randint(1, 5)):
        spans = [match.span() for match in NUMBER.finditer(data)]
        ends = [match.end() for match in re.finditer(rb"</\w+>|/>", data[:-12])]
        if not spans or not ends:
            return data
        start, end = rng.choice(spans)
        text = rng.choice(TEXTS)
        if rng.random() < 0.4:
            start = end = rng.choice(ends)
            text = rng.choice(whole)
        data = data[:start] + text + data[end:]
    return data


def mutated(rng, data, whole):
    """The document after a few accidents."""
    if rng.random() < 0.4:
        return garbled(rng, data, [text for text in whole if text.endswith(b"/>")])
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        kind = rng.random()
        if kind < 0.3:
            data = data[:at] + data[at + rng.choice([1, 1, 2, 5, 20, 60]) :]
        elif kind < 0.7:
            data = data[:at] + rng.choice(TOKENS + whole) + data[at:]
        elif kind < 0.8:
            data = data[:at]
        elif kind < 0.9:
            data = data[:at] + data[rng.randrange(len(data) + 1) :][:80] + data[at:]
        else:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


def well_formed(data):
    try:
        ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError):
        return False
    return True


def without_digits(data):
    """The document without digits and references to characters, which may stand for digits."""
    return re.sub(rb"&#x?[0-9a-fA-F]+;|[-+0-9.eE]", b"", data.replace(b"\0", b""))


@pytest.mark.fuzz
@pytest.mark.parametrize("form", SMALL)
def test_no_accident_breaks_reading_checking_or_fixing(form, amount):
    """What ElementTree takes is read, and what it refuses is refused or has a problem."""
    rng = random.Random(20_261_121)
    small = SMALL[form]
    bases = [small, small.replace(b"\n", b"\r\n"), codecs.BOM_UTF8 + small]
    bases.append(codecs.BOM_UTF16_LE + small.decode().encode("utf-16-le"))
    read = 0
    count = amount(250, 40_000)
    for at in range(count):
        data = mutated(rng, rng.choice(bases), WHOLE[form])
        strict = well_formed(data)
        refused = None
        try:
            model = load(data)
        except DocumentError as error:
            refused = error
        if refused:
            foreign = "declared encoding" in str(refused)
            assert not strict or foreign or isinstance(refused, NotAModelError), (data, refused)
            continue
        read += 1
        assert strict or model.problems, data
        assert len({body.id for body in model.bodies}) == len(model.bodies), data
        for problem in (
            *model.problems,
            *(each for body in model.bodies for each in body.problems),
        ):
            place = model.place(problem.span)
            assert problem.message
            assert (1, 1) <= (place.line, place.column) <= (place.end_line, place.end_column)
        for number in numbers(model):
            text = resolved(model.source.text(number.span))
            assert text == number.text or math.isnan(number.value), data
        if at % 3 == 0:
            assert len(ic.check_model(model).bodies) == len(model.bodies)
            fix = ic.fix_model(model, unsafe=True)
            assert without_digits(fix.data) == without_digits(model.source.data), data
    assert read > count / 4


@pytest.mark.parametrize("form", SMALL)
def test_what_is_cut_short_is_refused_with_a_place(form):
    data = SMALL[form].rstrip()
    for end in range(data.index(b"<link" if form != "mjcf" else b"<body"), len(data)):
        with pytest.raises(DocumentError) as caught:
            load(data[:end], format=form)
        assert not isinstance(caught.value, NotAModelError)
        assert caught.value.line


LINK = b"<link name='l'><inertial>%s</inertial></link>"
LARGE = {
    "comment": b"<!-- " + b"x" * 1_000_000 + b" -->",
    "depth": (b"<a>" * 200 + b"</a>" * 200) * 150,
    "digits": LINK % (b"<mass>" + b"1" * 1_000_000 + b"</mass>"),
    "pose": LINK % (b"<pose>" + b"1 " * 150_000 + b"</pose>"),
    "comments": LINK % (b"<mass>" + b"<!---->1" * 30_000 + b"</mass>"),
    "joints": b"<joint type='fixed'><parent>a</parent><child>b</child></joint>" * 2_000,
    "frames": b"<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>" * 2_000,
    "name": b"<link name='" + b"n" * 1_000_000 + b"'/>",
}


@pytest.mark.parametrize("middle", LARGE.values(), ids=LARGE)
def test_a_large_document_takes_memory_of_its_size(middle):
    """What grows faster than the document would take gigabytes here."""
    data = b"<sdf version='1.9'><model name='m'>" + middle + b"</model></sdf>"
    tracemalloc.start()
    try:
        report = ic.check_model(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(report.bodies) <= 1
    assert peak < 150 * len(data) + 10_000_000


def test_a_huge_list_of_numbers_is_one_short_complaint():
    zeros = "0 " * 200_000
    model = load(
        f"<mujoco><worldbody><body><inertial pos='{zeros}'/></body></worldbody></mujoco>".encode()
    )
    assert max(len(problem.message) for problem in model.bodies[0].problems) < 300
