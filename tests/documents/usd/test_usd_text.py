"""The scanner of .usda text: what looks like an attribute, and what is one."""

import pytest

from inertial_check.documents.usd.text import scan

NAMES = ("physics:mass", "physics:diagonalInertia")


def numbers(text, path):
    data = text.encode()
    value = scan(data, NAMES).values[path]
    for piece in value.pieces:
        assert data[piece.start : piece.end].decode() == piece.text
    return [piece.text for piece in value.pieces]


def layer(body, metadata=""):
    return f'#usda 1.0\n(\n{metadata}\n)\ndef Xform "a"\n{{\n{body}\n}}\n'


def test_numbers_of_one_and_of_a_tuple():
    text = layer("float physics:mass = 1\nfloat3 physics:diagonalInertia = (0.1, .2, 3e-1)")
    assert numbers(text, "/a.physics:mass") == ["1"]
    assert numbers(text, "/a.physics:diagonalInertia") == ["0.1", ".2", "3e-1"]


@pytest.mark.parametrize("text", ["-1", "+1", "1.", ".5", "1E+3", "inf", "-inf", "nan", "0e0"])
def test_spellings_of_a_number(text):
    assert numbers(layer(f"float physics:mass = {text}"), "/a.physics:mass") == [text]


@pytest.mark.parametrize(
    "decoy",
    [
        "# float physics:mass = 9 }",
        "// float physics:mass = 9 {",
        "/* float physics:mass = 9\n } */",
        'string note = "float physics:mass = 9 }"',
        "string note = 'float physics:mass = 9 } \\' {'",
        'string note = """float physics:mass = 9\n"quoted" }\n"""',
        "string note = '''float physics:mass = 9\n'quoted' {\n'''",
        "asset file = @physics:mass = 9 }@",
        "asset file = @@@physics:mass = 9 @ }@@@",
        "rel target = </a/b>",
        "rel target = [</a>, </a.physics:mass>]",
        "float physics:mass.timeSamples = { 0: 9, 1: 9 }",
        "float physics:mass.connect = </b.physics:mass>",
        "float physics:massive = 9",
        "float[] array = [1, 2, 3]",
        'float3[] array = [(1, 2, 3), # } \n (4, 5, 6)] ( doc = "physics:mass = 9" )',
        "token[] apis = ['physics:mass', \"}\"]",
        "float over = 9",
        'custom string def = "physics:mass"',
        "float physics:density",
        "reorder properties = ['physics:mass']",
        "matrix4d m = ((1, 2), (3, 4))",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_nothing_else_is_taken_for_the_number(decoy, first):
    mine = "float physics:mass = 1.25 (\n doc = 'physics:mass = 9' )"
    body = f"{decoy}\n{mine}" if first else f"{mine}\n{decoy}"
    text = layer(body, 'customLayerData = { float physics:mass = 9 }\n doc = "}"')
    places = scan(text.encode(), NAMES)
    assert list(places.values) == ["/a.physics:mass"]
    assert numbers(text, "/a.physics:mass") == ["1.25"]
    assert list(places.prims) == ["/a"]


def test_metadata_of_prims_is_no_attribute():
    text = """#usda 1.0
over "a" (
    prepend apiSchemas = ["PhysicsMassAPI"]
    customData = {
        float physics:mass = 9
        dictionary inside = { float physics:mass = 9 }
    }
    variants = { string size = "big" }
)
{
    float physics:mass = 1
}
"""
    assert list(scan(text.encode(), NAMES).values) == ["/a.physics:mass"]


def test_paths_through_prims_and_variants():
    text = """#usda 1.0
class "c" { float physics:mass = 1 }
def "a" (
    variantSets = "size"
)
{
    variantSet "size" = {
        "big" ( doc = "}" ) {
            float physics:mass = 2
            over "b"
            {
                float physics:mass = 3
                variantSet 'color' = {
                    "red" { float physics:mass = 4
                            def "d" { float physics:mass = 5 } }
                }
            }
        }
        "small" {
        }
    }
    def Scope "b" { float physics:mass = 6; float x = 1 }
    float physics:mass = 7
}
"""
    values = scan(text.encode(), NAMES).values
    assert {path: value.pieces[0].text for path, value in values.items()} == {
        "/c.physics:mass": "1",
        "/a{size=big}.physics:mass": "2",
        "/a{size=big}b.physics:mass": "3",
        "/a{size=big}b{color=red}.physics:mass": "4",
        "/a{size=big}b{color=red}d.physics:mass": "5",
        "/a/b.physics:mass": "6",
        "/a.physics:mass": "7",
    }


def test_a_prim_reaches_from_its_specifier_to_its_brace_in_bytes():
    text = '#usda 1.0\ndef Xform "a" # }\n(\n)\n{\n  over "b" { }\n} # end\n'
    prims = scan(text.encode(), NAMES).prims
    assert text[slice(*prims["/a"])] == 'def Xform "a" # }\n(\n)\n{\n  over "b" { }\n}'
    assert text[slice(*prims["/a/b"])] == 'over "b" { }'
    text = '#usda 1.0\n# Trägheit\ndef "größe" { float physics:mass = 1 }\r\n'
    data = text.encode()
    piece = scan(data, NAMES).values["/größe.physics:mass"].pieces[0]
    assert data[piece.start : piece.end] == b"1"


EARLY = ["", "{", "}}}", "def", 'def "a"', 'def "a" (', 'def "a" {', "= 1", 'variantSet "v" = {']
EARLY += ["[(((", '"""', "@", "<", "'", 'def "a" { float physics:mass =']
EARLY += ['def "a" { float physics:mass = (1, 2']


@pytest.mark.parametrize("text", EARLY)
def test_what_ends_early_ends(text):
    scan(text.encode(), NAMES)


def test_depth_and_length_cost_no_more_than_reading():
    deep = b'def "x" {' * 3000 + b"}" * 3000
    assert len(scan(deep, NAMES).prims) == 3000
    scan(b"(" * 200_000 + b"[" * 200_000, NAMES)
    scan(b'"' * 100_001 + b"@" * 100_001 + b"/*" * 100_000, NAMES)
