"""Every number knows its bytes: what stands there is what was read, and an edit changes only it."""

import codecs
import math
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.load import load
from inertial_check.documents.source import Edit
from inertial_check.errors import DocumentError, NotAModelError

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "urdf").glob("*.urdf"))


def resolved(text):
    """The text with its references resolved; what is no reference stays."""

    def character(match):
        if match[3]:
            return {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}[match[3]]
        return chr(int(match[2], 16) if match[2] else int(match[1]))

    reference = r"&(?:#([0-9]+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));"
    return re.sub(reference, character, text)


def numbers(model):
    """Every number that the document writes."""
    for body in model.bodies:
        if body.inertial is not None:
            inertial = body.inertial
            found = [inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values()]
            yield from (number for number in found if number is not None and number.span)


def assert_exact(model):
    """Spans hold their numbers; each can be changed alone."""
    source = model.source
    before = list(numbers(model))
    for number in before:
        assert resolved(source.text(number.span)) == number.text
    for at, number in enumerate(before):
        if math.isnan(number.value):
            continue
        new = f"{at + 0.25!r}e-3"
        data = source.apply_edits([Edit(number.span, new)])
        start, end = number.span.start, number.span.end
        written = new.encode(source.encoding)
        assert data == source.data[:start] + written + source.data[end:]
        after = list(numbers(load(data)))
        assert (after[at].value, after[at].text) == (float(new), new)
        others = [number.text for place, number in enumerate(after) if place != at]
        assert others == [number.text for place, number in enumerate(before) if place != at]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8], ids=["plain", "mark"])
def test_fixtures(path, ends, bom):
    model = load(bom + path.read_text().replace("\n", ends).encode())
    assert len(list(numbers(model))) >= 7
    assert_exact(model)


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


class Writer:
    """Writes one robot in as many ways as XML allows."""

    def __init__(self, seed, ends, letters):
        self.rng = random.Random(seed)
        self.ends = ends
        self.letters = letters
        self.values = []

    def space(self, least=0):
        return "".join(
            self.rng.choice([" ", "\t", self.ends, "  "])
            for _ in range(self.rng.randint(least, least + 2))
        )

    def between(self):
        """What may stand between two elements."""
        junk = self.letters + "<>&/'\" =- x"
        comment = "".join(self.rng.choice(junk) for _ in range(self.rng.randint(0, 8)))
        comment = comment.replace("--", "- ").removesuffix("-")
        comment = f"<!--{comment}-->"
        cdata = f"<![CDATA[{self.letters}<mass value='7'/>]]>"
        choices = ["", self.space(), comment, comment, cdata, "<?pi <mass value='3'/>?>"]
        return "".join(self.rng.choice(choices) for _ in range(self.rng.randint(0, 3)))

    def number(self):
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
        self.values.append(float(text))
        if rng.random() < 0.15:
            at = rng.randrange(len(text))
            text = f"{text[:at]}&#{rng.choice(['', '0'])}{ord(text[at])};{text[at + 1 :]}"
        return text

    def attribute(self, name, value):
        quote = self.rng.choice("'\"")
        return f"{self.space(1)}{name}{self.space()}={self.space()}{quote}{value}{quote}"

    def tag(self, name, attributes):
        pairs = list(attributes.items())
        extra = self.rng.choice(["", self.attribute("note", f"a>b/> {self.letters}")])
        inside = "".join(self.attribute(*pair) for pair in pairs) + extra + self.space()
        if self.rng.random() < 0.5:
            return f"<{name}{inside}/>"
        return f"<{name}{inside}>{self.between()}</{name}{self.space()}>"

    def one(self):
        return f"{self.space()}{self.number()}{self.space()}"

    def inertial(self):
        mass = self.tag("mass", {"value": self.one()})
        point = [self.number() for _ in range(3)]
        xyz = self.space() + "".join(part + self.space(1) for part in point[:2]) + point[2]
        origin = self.tag("origin", {"xyz": xyz + self.space(), "rpy": "0 1 2"})
        six = {entry: self.one() for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        parts = [self.between(), mass, self.between(), origin, self.between()]
        parts += [self.tag("inertia", six), self.between()]
        return f"<inertial{self.space()}>{''.join(parts)}</inertial>"

    def document(self, declaration):
        links = "".join(
            self.between() + f"<link{self.attribute('name', self.letters + str(at))}>"
            f"{self.between()}{self.inertial()}{self.between()}</link>"
            for at in range(2)
        )
        body = f"<robot{self.attribute('name', 'r')}>{links}{self.between()}</robot>"
        head = f'<?xml version="1.0" {declaration}?>' if declaration else ""
        return head + self.rng.choice(["", self.ends]) + body + self.ends


@given(
    st.integers(0, 2**32),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(sorted(ENCODINGS)),
)
def test_any_writing_of_a_robot(seed, ends, name):
    codec, bom, declaration, letters = ENCODINGS[name]
    writer = Writer(seed, ends, letters)
    data = bom + writer.document(declaration).encode(codec)
    model = load(data)
    assert model.problems == ()
    assert [body.name for body in model.bodies] == [letters + "0", letters + "1"]
    assert [number.value for number in numbers(model)] == writer.values
    assert_exact(model)


SMALL = (
    b'<?xml version="1.0"?>\n<!-- a -->\n<robot name="r" xmlns:q="u"><link name="a"><inertial>'
    b'<!-- b --><mass value="1.5"/><origin xyz="0 &#49; .5"/><inertia ixx="1" ixy="0" ixz="0"'
    b" iyy='1' iyz='0' izz='1'/></inertial><q:e>t&amp;u</q:e></link><g></g></robot>\n"
)
TOKENS = [
    *(b"<", b">", b"/", b'"', b"'", b"&", b";", b"=", b" ", b"\n", b":", b"[", b"]", b"--"),
    *(b"-->", b"<!--", b"<?", b"?>", b"<![CDATA[", b"]]>", b"<!DOCTYPE robot>", b"<!x>"),
    *(b"\0", b"\x01", b"\x0b", b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x82"),
    *(b"\xff\xfe", b"\xef\xbf\xbe", b"</robot>", b"<robot>", b"<a/>", b"&#49;", b"&#x31;", b"x:y"),
    *(b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="gbk"?>', b'a="1"', b"$(m)", b"1,5"),
]


def mutated(rng, data):
    """The document after a few accidents."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        kind = rng.random()
        if kind < 0.3:
            data = data[:at] + data[at + rng.choice([1, 1, 2, 5, 20]) :]
        elif kind < 0.7:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind < 0.8:
            data = data[:at]
        elif kind < 0.9:
            data = data[:at] + data[rng.randrange(len(data) + 1) :][:40] + data[at:]
        else:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


def well_formed(data):
    try:
        ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError, ValueError):
        return False
    return True


@pytest.mark.fuzz
def test_no_accident_breaks_the_reader(request):
    rng = random.Random(20_240_607)
    bases = [SMALL, SMALL.replace(b"\n", b"\r\n"), codecs.BOM_UTF8 + SMALL]
    bases.append(codecs.BOM_UTF16_LE + SMALL.decode().encode("utf-16-le"))
    for _ in range(60_000 if request.config.getoption("--long") else 3000):
        data = mutated(rng, rng.choice(bases))
        strict = well_formed(data)
        try:
            model = load(data)
        except DocumentError as error:
            refused = error
        else:
            refused = None
        if refused:
            foreign = "declared encoding" in str(refused)
            assert not strict or foreign or isinstance(refused, NotAModelError), (data, refused)
            continue
        assert strict or model.problems, data
        for problem in model.problems:
            place = model.source.place(problem.span)
            assert (1, 1) <= (place.line, place.column) <= (place.end_line, place.end_column)
        for number in numbers(model):
            text = resolved(model.source.text(number.span))
            assert text == number.text or math.isnan(number.value), data
