"""Findings name their numbers: where they are, what is written there, and which are guilty."""

import re
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.checking.check import narrow_entries
from inertial_check.checking.report import (
    Finding,
    Hypothesis,
    Severity,
    locate_entries,
    name_all_numbers,
)
from inertial_check.checking.settings import Settings
from inertial_check.documents.load import FORMATS, load

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SUFFIXES = (".xml", *(suffix for each in FORMATS.values() for suffix in each.SUFFIXES))
EVERY = 45
"""Step through the corpus: each format and upstream of any size is met, in a few seconds."""
LINE_END = re.compile(r"\r\n?|\n")


def urdf(inertia, mass="1.2", origin=""):
    return f"""<robot name="r"><link name="base"/><link name="arm"><inertial>{origin}
  <mass value="{mass}"/>
  <inertia {inertia}/>
</inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint></robot>""".encode()


def tensor(*numbers):
    return " ".join(f'{name}="{text}"' for name, text in zip(ENTRIES, numbers, strict=True))


def entries_of(document, code, **settings):
    (found,) = ic.check_model(document, Settings(**settings)).files
    return next(each.entries for each in found.findings if each.code == code)


def named(document, code, **settings):
    return [(each.name, each.text) for each in entries_of(document, code, **settings)]


def text_at(source, place):
    """The text at a place, found without the code under test; places have no byte order mark."""
    text = source.data[len(source.bom) :].decode(source.encoding)
    starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    start = starts[place.line - 1] + place.column - 1
    return text[start : starts[place.end_line - 1] + place.end_column - 1]


def check_places(model):
    """Compare the entries of all numbers of a model with its documents; returns how many."""
    sources = {None: model.source, **{other.path: other for other in model.others}}
    count = 0
    for body in model.bodies:
        numbers = {} if body.inertial is None else name_all_numbers(body.inertial)
        for entry in locate_entries(model, body, set(numbers)):
            number = numbers[entry.name]
            if entry.place[:2] == entry.place[2:4]:
                assert entry.text == number.text
                continue
            assert entry.text == text_at(sources[entry.place.path], entry.place)
            assert entry.text == entry.text.strip() != ""
            if entry.literal and "&" not in entry.text and number.value == number.value:
                assert float(entry.text.replace("_", "")) == pytest.approx(number.value, rel=1e-6)
            count += 1
    return count


def read(path):
    try:
        return load(path)
    except ic.InertialCheckError:
        return None


def documents(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.name.endswith(SUFFIXES))


class TestPlaces:
    """A wrong place sends an editor to the wrong number, and a fix into other text."""

    def test_of_every_number_of_the_example_documents(self, data_dir):
        models = [model for path in documents(data_dir) if (model := read(path)) is not None]
        assert {model.format for model in models} >= {"urdf", "sdf", "mjcf", "xacro", "usd"}
        assert sum(map(check_places, models)) > 500

    def test_of_every_number_of_real_documents(self, corpus):
        models = [model for path in documents(corpus)[::EVERY] if (model := read(path)) is not None]
        assert sum(map(check_places, models)) > 1000

    def test_of_every_finding_on_the_example_documents(self, data_dir):
        counted = 0
        for path in documents(data_dir):
            model = read(path)
            if model is None:
                continue
            sources = {None: model.source, **{other.path: other for other in model.others}}
            for finding in ic.check_model(model).findings:
                for entry in finding.entries:
                    assert entry.text == text_at(sources[entry.place.path], entry.place)
                    counted += 1
        assert counted > 100


class TestGuilty:
    """Blaming the whole tensor for one slipped digit leaves the search to the reader."""

    def test_a_probable_cause_says_which_number(self, data_dir):
        found = entries_of(data_dir / "arm.urdf", "IC301")
        assert [(each.name, each.text, each.place[:4]) for each in found] == [
            ("iyy", "0.0801", (38, 51, 38, 57))
        ]

    def test_the_only_entry_that_can_mend_it_alone(self):
        document = urdf(tensor("1.03", "1.9", "0", "1.01", "0", "1.02"))
        (finding,) = ic.check_model(document, Settings(select=("IC3",))).findings
        intervals = finding.values["admissible"]
        assert [name for name, each in intervals.items() if each is not None] == ["ixy"]
        assert [each.name for each in finding.entries] == ["ixy"]

    def test_all_of_them_where_nothing_tells_them_apart(self):
        document = urdf(tensor("0.02", "0", "0", "0.03", "0", "0.08"))
        found = entries_of(document, "IC301")
        assert [each.name for each in found] == list(ENTRIES)

    def test_of_a_diagonal_form_only_what_is_written(self):
        document = b"""<mujoco><worldbody><body name="b"><joint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.08"/></body></worldbody></mujoco>"""
        assert named(document, "IC301") == [("ixx", "0.02"), ("iyy", "0.03"), ("izz", "0.08")]

    def test_the_mass(self):
        document = urdf(tensor("0.02", "0", "0", "0.03", "0", "0.04"), mass="-1")
        assert named(document, "IC101") == [("mass", "-1")]

    def test_mass_and_inertia_contradict_each_other(self):
        document = urdf(tensor("0.02", "0", "0", "0.03", "0", "0.04"), mass="0")
        found = [("mass", "0"), ("ixx", "0.02"), ("iyy", "0.03"), ("izz", "0.04")]
        assert named(document, "IC102") == found

    @pytest.mark.parametrize(
        ("origin", "inertia", "guilty"),
        [
            ('<origin xyz="0 inf 0"/>', ("0.02", "0", "0", "0.03", "0", "0.04"), ("y", "inf")),
            ("", ("0.02", "0", "nan", "0.03", "0", "0.04"), ("ixz", "nan")),
        ],
    )
    def test_the_one_that_is_not_finite(self, origin, inertia, guilty):
        assert named(urdf(tensor(*inertia), origin=origin), "IC104") == [guilty]

    def test_the_one_that_is_no_number(self):
        document = urdf(tensor("0.02", "0", "0", "0,03", "0", "0.04"))
        assert named(document, "IC004") == [("iyy", "0,03")]

    def test_none_where_no_number_is_written(self, data_dir):
        for name, code in [("103-missing-inertial.urdf", "103"), ("004-two-inertials.urdf", "004")]:
            assert named(data_dir / "defects" / f"ic{name}", f"IC{code}") == []

    def test_negative_diagonal_entries_of_an_added_mass(self):
        document = b"""<sdf version="1.10"><model name="m"><link name="l"><inertial><mass>20</mass>
        <inertia><ixx>0.8</ixx><iyy>1.6</iyy><izz>1.8</izz></inertia>
        <fluid_added_mass><xx>6</xx><yy>-24</yy><zz>-25</zz></fluid_added_mass>
        </inertial></link></model></sdf>"""
        assert named(document, "IC403") == [("yy", "-24"), ("zz", "-25")]

    def test_what_an_engine_refuses(self):
        document = urdf(tensor("0.02", "0", "0", "0.03", "0", "0.08"))
        found = named(document, "IC701", engines=("mujoco",), select=("IC7",))
        assert [name for name, _ in found] == ["mass", *ENTRIES]
        slipped = urdf(tensor("0.00801", "0", "0", "0.0801", "0", "0.00081"), mass="1.35")
        assert named(slipped, "IC701", engines=("mujoco",)) == [("iyy", "0.0801")]


def test_an_expression_is_told_from_a_number(tmp_path):
    """An editor that wrote a number over the expression of a macro would change every use of it."""
    pytest.importorskip("xacro")
    (tmp_path / "parts.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
        '<xacro:macro name="inertia" params="k"><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03"\n'
        ' iyz="0" izz="${k * 0.01}"/></xacro:macro></robot>'
    )
    main = tmp_path / "arm.urdf.xacro"
    main.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
        '<xacro:include filename="parts.xacro"/><link name="arm"><inertial><mass value="1"/>\n'
        '<xacro:inertia k="8"/></inertial></link></robot>'
    )
    found = {each.name: each for each in entries_of(main, "IC301")}
    assert set(found) == set(ENTRIES)
    izz = found["izz"]
    assert (izz.text, izz.literal) == ("${k * 0.01}", False)
    assert Path(izz.place.path).name == "parts.xacro"
    assert izz.place[:2] == (3, 15)
    assert found["ixx"].literal


def test_a_finding_on_the_whole_model_names_the_numbers_of_every_body():
    """One mistake in every link would be shown at the first link only."""
    first, second = (
        urdf(tensor("0.02", "0.001", "0", "0.03", "0", "0.04"), mass="1").decode(),
        '<link name="hand"><inertial><mass value="2"/><inertia '
        + tensor("0.02", "0.003", "0", "0.03", "0", "0.04")
        + "/></inertial></link></robot>",
    )
    model = load(first.replace("</robot>", second).encode())
    _, arm, hand = model.bodies
    edits = {"arm": {"entries": {"ixy": -0.001}}, "hand": {"entries": {"ixy": -0.003}}}
    cause = Hypothesis("sign-of-products", 0.9, "", {"body": None, "entries": {}, "bodies": edits})
    finding = Finding(
        "IC505", "x", Severity.WARNING, None, "x", model.place(arm.span), causes=(cause,),
        bodies=("arm", "hand"), body_ids=(arm.id, hand.id),
    )  # fmt: skip
    (narrowed,) = narrow_entries(model, [finding])
    assert [(each.body_id, each.name, each.text) for each in narrowed.entries] == [
        (arm.id, "ixy", "0.001"),
        (hand.id, "ixy", "0.003"),
    ]
    both = (
        *locate_entries(model, arm, ENTRIES, arm.id),
        *locate_entries(model, hand, ENTRIES, hand.id),
    )
    unsure = finding._replace(causes=(cause._replace(confidence=0.4),), entries=both)
    (narrowed,) = narrow_entries(model, [unsure])
    assert [each.name for each in narrowed.entries] == [*ENTRIES, *ENTRIES]
