"""Every number of an SDF knows its bytes; no bytes break the reader, and none take it long."""

import codecs
import math
import random
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.documents.load import load
from inertial_check.documents.source import Edit
from inertial_check.errors import DocumentError, NotAModelError

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def resolved(text):
    """The text with its character references resolved."""
    return re.sub(r"&#([0-9]+);", lambda match: chr(int(match[1])), text)


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
        new = f"{at + 0.25!r}e-3"
        data = source.apply_edits([Edit(number.span, new)])
        start, end = number.span.start, number.span.end
        assert data == source.data[:start] + new.encode(source.encoding) + source.data[end:]
        after = list(numbers(load(data)))
        assert (after[at].value, after[at].text) == (float(new), new)
        others = [number.text for place, number in enumerate(after) if place != at]
        assert others == [number.text for place, number in enumerate(before) if place != at]


ENCODINGS = {  # name: codec, mark, declaration, text that it can hold
    "utf-8": ("utf-8", b"", "", "\u00e9\u4e2d\U0001f916"),
    "utf-8 mark": ("utf-8", codecs.BOM_UTF8, "", "\u00e9\u4e2d\U0001f916"),
    "utf-16 little": ("utf-16-le", codecs.BOM_UTF16_LE, "", "\u00e9\u0a0d\u0d0a\U0001f916"),
    "latin-1": ("latin-1", b"", 'encoding="ISO-8859-1"', "\u00e9\u00b5"),
    "cyrillic": ("iso8859-5", b"", 'encoding="ISO-8859-5"', "\u0416\u0451"),
}


class Writer:
    """Writes one model in as many ways as XML allows, remembering its numbers in our order."""

    def __init__(self, seed, ends, letters):
        self.rng = random.Random(seed)
        self.ends = ends
        self.letters = letters

    def space(self, least=0):
        count = self.rng.randint(least, least + 2)
        return "".join(self.rng.choice([" ", "\t", self.ends]) for _ in range(count))

    def aside(self):
        """What may stand beside a text without being text."""
        comment = f"<!-- {self.letters} 7 <mass>7</mass> -->"
        return self.rng.choice(["", "", self.space(), comment, "<?pi <mass>3</mass>?>"])

    def number(self):
        rng = self.rng
        forms = [
            repr(rng.uniform(-9, 9)),
            f"{rng.uniform(-9, 9):.{rng.randint(0, 6)}e}",
            f"{rng.choice('+-')}{rng.randint(0, 99)}",
            f".{rng.randint(0, 999)}",
            f"{rng.randint(0, 9)}.",
        ]
        text = rng.choice(forms)
        return float(text), text

    def escaped(self, text):
        if self.rng.random() < 0.15:
            at = self.rng.randrange(len(text))
            return f"{text[:at]}&#{ord(text[at])};{text[at + 1 :]}"
        return text

    def element(self, tag, inside):
        return f"{self.space()}<{tag}{self.space()}>{inside}</{tag}{self.space()}>{self.aside()}"

    def value(self, tag):
        value, text = self.number()
        text = self.space() + text + self.space()
        text = f"<![CDATA[{text}]]>" if self.rng.random() < 0.2 else self.escaped(text.strip())
        return value, self.element(tag, self.aside() + text + self.aside())

    def inertial(self):
        """The values in the order in which the model has them, and the element."""
        mass, mass_text = self.value("mass")
        point = [self.number() for _ in range(3)]
        pose = self.space().join(["", *[text + self.space(1) for _, text in point], "0 1 2"])
        six = {entry: self.value(entry) for entry in ENTRIES}
        inside = list(six.values())
        self.rng.shuffle(inside)
        parts = [
            mass_text,
            self.element("pose", self.aside() + pose + self.space()),
            self.element("inertia", self.aside() + "".join(text for _, text in inside)),
        ]
        self.rng.shuffle(parts)
        values = [mass, *[value for value, _ in point], *[six[entry][0] for entry in ENTRIES]]
        return values, self.element("inertial", self.aside() + "".join(parts))

    def document(self, declaration):
        values, links = [], ""
        for name in ("a", "b"):
            found, inertial = self.inertial()
            values += found
            links += f"{self.aside()}<link name='{self.letters}{name}'>{inertial}</link>"
        head = f'<?xml version="1.0" {declaration}?>' if declaration else ""
        body = f"<sdf version='1.9'><model name='m'>{links}{self.aside()}</model></sdf>"
        return values, head + body + self.ends


@given(
    st.integers(0, 2**32),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(sorted(ENCODINGS)),
)
def test_any_writing_of_a_model(seed, ends, name):
    codec, bom, declaration, letters = ENCODINGS[name]
    values, text = Writer(seed, ends, letters).document(declaration)
    model = load(bom + text.encode(codec))
    assert model.problems == ()
    assert [body.problems for body in model.bodies] == [(), ()]
    assert [body.name for body in model.bodies] == [f"m::{letters}a", f"m::{letters}b"]
    assert [number.value for number in numbers(model)] == values
    assert_exact(model)


SMALL = (
    b'<?xml version="1.0"?>\n<!-- a -->\n<sdf version="1.9"><world name="w"><model name="m">'
    b"<static>0</static><link name='a'><inertial><!-- b --><mass> 1.5 </mass><pose degrees='true'>"
    b"0 &#49; .5 0 0 90</pose><inertia><ixx>1</ixx><iyy><![CDATA[1]]></iyy><izz>3</izz></inertia>"
    b"</inertial></link><include><uri>absent</uri><name>x</name></include><model name='n'><link "
    b"name='c'><inertial auto='true'><density>7</density></inertial></link></model><joint name='j' "
    b"type='fixed'><parent>a</parent><child>n</child></joint></model></world></sdf>\n"
)
TOKENS = [
    *(b"<", b">", b"/", b'"', b"'", b"&", b";", b"=", b" ", b"\n", b":", b"[", b"]", b"--"),
    *(b"-->", b"<!--", b"<?", b"?>", b"<![CDATA[", b"]]>", b"<!DOCTYPE sdf>", b"<!x>"),
    *(b"\0", b"\x01", b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe"),
    *(b"</sdf>", b"<sdf>", b"<a/>", b"&#49;", b"x:y", b'a="1"', b"a=1", b"$(m)", b"1,5", b"nan"),
    *(b"<model>", b"<link/>", b"<inertial/>", b"<mass/>", b"</mass>", b"<pose/>", b"<include/>"),
    *(b"<uri>.</uri>", b"<uri>/</uri>", b"<uri>file:///</uri>", b"<uri>model://</uri>", b"1e999"),
    b'<?xml version="1.0"?>',
    b"<fluid_added_mass><xx>1</xx></fluid_added_mass>",
]


WHOLE = [token for token in TOKENS if re.fullmatch(rb"(<\w+/>)|<(\w+)>.*</\2>", token)]
NUMBER = re.compile(rb"(?<=>)[ 0-9.]+(?=<)")
TEXTS = [b"", b" ", b"-1", b"nan", b"1e-400", b"1e999", b"x", b"1 2", b"0", b"0.1", b"<!-- -->1"]


def garbled(rng, data):
    """A well-formed document after a few edits that leave it well-formed, if it is in UTF-8."""
    for _ in range(rng.randint(1, 5)):
        spans = [match.span() for match in NUMBER.finditer(data)]
        ends = [match.end() for match in re.finditer(rb"</?\w+>", data[:-8])]
        if not spans or not ends:
            return data
        start, end = rng.choice(spans)
        text = rng.choice(TEXTS)
        if rng.random() < 0.4:
            start = end = rng.choice(ends)
            text = rng.choice(WHOLE)
        data = data[:start] + text + data[end:]
    return data


def mutated(rng, data):
    """The document after a few accidents."""
    if rng.random() < 0.5:
        return garbled(rng, data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        kind = rng.random()
        if kind < 0.3:
            data = data[:at] + data[at + rng.choice([1, 1, 2, 5, 20, 60]) :]
        elif kind < 0.7:
            data = data[:at] + rng.choice(TOKENS) + data[at:]
        elif kind < 0.8:
            data = data[:at]
        elif kind < 0.9:
            data = data[:at] + data[rng.randrange(len(data) + 1) :][:80] + data[at:]
        else:
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


@pytest.mark.fuzz
def test_no_accident_breaks_reading_checking_or_fixing(request):
    rng = random.Random(20_261_121)
    bases = [SMALL, SMALL.replace(b"\n", b"\r\n"), codecs.BOM_UTF8 + SMALL]
    bases.append(codecs.BOM_UTF16_LE + SMALL.decode().encode("utf-16-le"))
    read = 0
    count = 40_000 if request.config.getoption("--long") else 400
    for _ in range(count):
        data = mutated(rng, rng.choice(bases))
        try:
            model = load(data)
        except DocumentError:
            continue
        read += 1
        assert len({body.id for body in model.bodies}) == len(model.bodies), data
        for problem in model.problems:
            place = model.source.place(problem.span)
            assert (1, 1) <= (place.line, place.column) <= (place.end_line, place.end_column)
        for number in numbers(model):
            text = resolved(model.source.text(number.span))
            assert text == number.text or math.isnan(number.value), data
        report = ic.check_model(model)
        assert len(report.bodies) == len(model.bodies)
        fix = ic.fix_model(model, unsafe=True)
        assert without_digits(fix.data) == without_digits(model.source.data), data
    assert read > count / 4


def without_digits(data):
    return re.sub(rb"[-+0-9.eE\0]", b"", data)


@given(st.binary(max_size=200))
def test_any_bytes_inside_a_link(junk):
    data = b"<sdf version='1.9'><model name='m'><link name='l'><inertial>" + junk
    data += b"</inertial></link></model></sdf>"
    try:
        model = load(data, format="sdf")
    except DocumentError:
        return
    ic.check_model(model)


class TestHostile:
    @pytest.mark.parametrize("part", [0.05, 0.3, 0.6, 0.9, 0.99])
    def test_cut_short(self, part):
        with pytest.raises(DocumentError) as caught:
            load(SMALL[: int(len(SMALL.rstrip()) * part)], format="sdf")
        assert not isinstance(caught.value, NotAModelError)
        assert caught.value.line

    @pytest.mark.parametrize("data", [b"\0" * 100, b"\x7fELF" + bytes(200), b"{}", b"PK\3\4"])
    def test_another_kind_of_file(self, data):
        with pytest.raises(DocumentError):
            load(data, format="sdf")

    def test_a_billion_laughs(self):
        levels = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
        data = f'<!DOCTYPE sdf [<!ENTITY l0 "ha">{levels}]><sdf><model name="&l9;"/></sdf>'
        with pytest.raises(DocumentError, match="entity declarations are refused"):
            load(data.encode())

    @pytest.mark.parametrize(
        "middle",
        [
            b"<!-- " + b"x" * 5_000_000 + b" -->",
            (b"<a>" * 200 + b"</a>" * 200) * 150,
            b"<link name='l'><inertial><mass>" + b"1" * 5_000_000 + b"</mass></inertial></link>",
            b"<link name='l'><inertial><pose>" + b"1 " * 500_000 + b"</pose></inertial></link>",
            b"<link name='l'><inertial><mass>"
            + b"<!---->1" * 30_000
            + b"</mass></inertial></link>",
            b"<joint type='fixed'><parent>a</parent><child>b</child></joint>" * 4_000,
            b"<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>" * 5_000,
            b"<link name='" + b"n" * 2_000_000 + b"'/>" * 1,
        ],
        ids=["comment", "depth", "digits", "pose", "comments", "joints", "frames", "name"],
    )
    def test_a_large_document_takes_memory_of_its_size(self, middle):
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
