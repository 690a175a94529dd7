"""The count of inertials in bytes: it finds what an XML parser finds, and says what was judged."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.documents import inertials
from inertial_check.documents.inertials import count_model, find_inertials
from inertial_check.documents.xml.document import parse

INERTIA = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
INERTIAL = f"<inertial><mass value='1'/>{INERTIA}</inertial>"
LINK = f"<link name='a'>{INERTIAL}</link>"


def judged(text, path="model.xml"):
    """The lines of the inertials of a document, and how each was judged."""
    (file,) = count_model(ic.load(text.encode(), path=path))
    return [(each.line, each.how) for each in file.inertials]


PIECES = st.sampled_from(
    [
        "<inertial/>",
        "<inertial a='>'/>",
        '<inertial\n b="/>"></inertial>',
        "<!-- <inertial/> -->",
        "<![CDATA[<inertial/>]]>",
        "<inertials/>",
        "<inertial.x/>",
        "<a b='&lt;inertial/>'/>",
        "text \u00e9 \N{GREEK SMALL LETTER MU}",
        "<?inertial?>",
    ]
)
TREES = st.recursive(
    PIECES, lambda inner: st.lists(inner).map(lambda some: f"<x>{''.join(some)}</x>"), max_leaves=30
)


@given(TREES, st.sampled_from(["utf-8", "utf-16", "iso8859-7"]))
def test_as_many_inertials_are_found_as_an_xml_parser_finds(inside, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<robot>{inside}</robot>'
    data = text.encode(encoding, "xmlcharrefreplace")
    found = find_inertials(data)
    assert len(found) == sum(1 for _ in ElementTree.fromstring(data).iter("inertial"))
    wide = {"utf-16": 2}.get(encoding, 1)
    assert all(data[at : at + 9 * wide : wide] == b"<inertial" for at in found)


@pytest.mark.parametrize(
    ("inside", "count"),
    [
        ("<body><geom mass='1'/></body>", 1),
        ("<body><geom size='1'\n mass = '2'/><geom mass='1'/></body>", 1),
        ("<body><body><geom mass='1'/></body></body>", 1),
        ("<body><inertial/><geom mass='1'/><body><geom mass='1'/></body></body>", 2),
        ("<body><body><inertial/></body><geom mass='1'/></body>", 2),
        ("<body><geom mass='0'/><geom mass=' 0.00 '/><geom density='3'/></body>", 0),
        ("<geom mass='1'/><body/><geom mass='1'/>", 0),
        ("<body><!-- <geom mass='1'/> --></body>", 0),
        ("<body><geom name='a>b' mass='1'/></body>", 1),
    ],
)
def test_a_body_of_mjcf_counts_once_if_its_own_geoms_state_a_mass(inside, count):
    mjcf = f"<mujoco><worldbody>{inside}</worldbody></mujoco>"
    assert len(find_inertials(mjcf.encode())) == count
    only_inertials = mjcf.replace("<world", '<compiler inertiafromgeom="false"/><world')
    without_comments = inside.replace("<!--", "<x").replace("-->", "/>")
    assert len(find_inertials(only_inertials.encode())) == without_comments.count("<inertial")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0\0\0<inertial>",
        "\ufeff\0\0<inertial>".encode("utf-16-le"),
        b"<mujoco><body><geom mass='" + b"0" * (1 << 20) + b"x",
        b"<mujoco mass=''>" + b"<geom '\"" * (1 << 16),
        b"<!--" * (1 << 18) + b"<inertial",
        b"#usda physics:" + b"\n'''" * (1 << 18),
        b"#usda \nphysics:" + b"active " * (1 << 16) + b"}" * (1 << 16),
    ],
    ids=lambda data: repr(data[:20]),
)
def test_the_search_ends_soon_on_any_bytes(data):
    assert len(find_inertials(data)) <= 1


def test_prims_of_a_text_layer_count_once_unless_they_are_inactive():
    layer = b"""#usda 1.0
    (doc = "physics:mass = 1 }")
    def Xform "a" {  # physics:mass = 1
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
        def Cube "b" (active = true) { float physics:mass = 1 }
        def Cube "c" (active = false) {
            def Cube "d" { float physics:mass = 1 }
        }
        float physics:massive = 1
        rel physics:mass:x = </a>
    }
    over "e" { float3 physics:diagonalInertia = (1, 1, 1) }
    """
    lines = [layer.count(b"\n", 0, at) + 1 for at in find_inertials(layer)]
    assert lines == [4, 6, 13]


def test_a_second_inertial_and_one_outside_of_a_link_are_judged_by_nobody():
    links = LINK.replace("</link>", f"\n{INERTIAL}</link>\n<gazebo>{INERTIAL}</gazebo>")
    assert judged(f"<robot name='r'>{links}</robot>") == [(1, "written"), (2, ""), (3, "")]


@pytest.mark.parametrize(
    ("attributes", "how"), [("", "written"), ("auto='true'", "derived"), ("auto='0'", "written")]
)
def test_an_automatic_inertial_of_sdf_is_derived(attributes, how):
    numbers = "<mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    for inside in (numbers, "") if how == "derived" else (numbers,):
        model = f"<sdf version='1.12'><model name='m'><link name='l'>\n<inertial {attributes}>"
        model += f"{inside}</inertial></link>\n<link name='bare'/></model></sdf>"
        assert judged(model) == [(2, how)]


@pytest.mark.parametrize(("setting", "how"), [("auto", "written"), ("true", "derived")])
def test_the_compiler_decides_how_a_body_of_mjcf_is_judged(setting, how):
    inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    mjcf = f"""<mujoco><compiler inertiafromgeom='{setting}'/><worldbody>
    <body>{inertial}<geom size='1' mass='1'/>
    <body><geom size='1' mass='1'/></body></body>
    <body>{inertial}</body></worldbody></mujoco>"""
    assert judged(mjcf) == [(2, how), (3, "derived"), (4, "written")]


def test_all_inertials_that_nothing_reads_are_explained_by_one_parse(monkeypatch):
    parsed = []

    def count(*arguments):
        parsed.append(1)
        return parse(*arguments)

    monkeypatch.setattr(inertials, "parse", count)
    unread = "<x>" + "<y><inertial/></y>" * 50 + "</x>"
    (file,) = count_model(ic.load(f'<robot name="r"><link name="a"/>{unread}</robot>'.encode()))
    assert len(file.inertials) == 50
    assert {each.reason for each in file.inertials} == {
        "it stands in <y> in <x> in <robot>, where no reader looks for bodies"
    }
    assert len(parsed) == 1


def test_a_reason_names_few_tags_of_limited_length():
    tags = [chr(97 + at % 26) * 900 for at in range(200)]
    opened, closed = (f"<{'><'.join(each)}>" for each in (tags, [f"/{tag}" for tag in tags[::-1]]))
    text = f'<robot name="r"><link name="a"/>{opened}<inertial/>{closed}</robot>'
    (file,) = count_model(ic.load(text.encode()))
    (found,) = file.inertials
    assert found.reason.endswith(" in 191 more, where no reader looks for bodies")
    assert len(found.reason) < 2000
