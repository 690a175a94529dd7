"""Bodies of a composed stage: values as the library composes them, places in the layers' text."""

import os
from math import inf, nan, sqrt

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.discovery import discover
from inertial_check.checking.settings import Settings
from inertial_check.documents import usd
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access, Limits
from inertial_check.documents.load import load, sniff
from inertial_check.documents.model import ENTRIES
from inertial_check.documents.source import Span
from inertial_check.documents.usd import masses
from inertial_check.errors import DocumentError, MissingExtraError, UsageError
from inertial_check.running.run import CheckRequest, check_paths
from usd_library import in_binary, values, write_multiplying_references

SETTINGS = Settings().validate()

BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
PLATE = """float physics:mass = 2
        float3 physics:diagonalInertia = (0.1, 0.2, 0.3)
        point3f physics:centerOfMass = (1, 2, 3)
        quatf physics:principalAxes = (0.5, 0.5, 0.5, 0.5)"""


OWN = ("IC713", "IC714", "IC715", "IC716", "IC717")
"""Rules about USD that have tests of their own."""

DIAGONAL = ("0.1", "0", "0", "0.2", "0", "0.3")


def stage(inside, metadata="metersPerUnit = 1", outside=""):
    return f"""#usda 1.0
(
    defaultPrim = "robot"
    {metadata}
)

def Xform "robot"
{{
    def Xform "link" (
        {BODY}
    )
    {{
        {inside}
    }}
}}
{outside}
"""


def read(text, path="stage.usda"):
    return load(text.encode(), path=path)


def only(model):
    (body,) = model.bodies
    return body


def verdicts(model_or_path, **settings):
    """Verdicts and codes; whether round numbers are plausible is no question here."""
    settings = {"ignore": ("IC2", "IC5", "IC6", *OWN), **settings}
    (file,) = ic.check_model(model_or_path, Settings(**settings)).files
    return [body.judgement.verdict for body in file.bodies], [f.code for f in file.findings]


def test_a_body_has_the_numbers_of_its_text_and_their_bytes():
    model = read(stage(PLATE))
    body = only(model)
    assert (model.format, model.name, body.name, body.id) == ("usd", "robot", "link", "/robot/link")
    assert model.source.text(body.span).startswith('def Xform "link" (')
    inertial = body.inertial
    assert [inertial.I_BBcm_Bi[entry].text for entry in ENTRIES] == list(DIAGONAL)
    written = [inertial.mass, *inertial.p_BoBcm_B]
    written += [inertial.I_BBcm_Bi[entry] for entry in ("ixx", "iyy", "izz")]
    assert [model.source.text(number.span) for number in written] == [n.text for n in written]
    assert [number.value for number in written] == [2, 1, 2, 3, 0.1, 0.2, 0.3]
    assert model.source.text(inertial.span) == "0.1, 0.2, 0.3"
    assert all(inertial.I_BBcm_Bi[entry].span is None for entry in ("ixy", "ixz", "iyz"))
    # 0.1 + 0.2 is 0.3 in decimals, which are judged, and more than it in float32.
    assert verdicts(model) == (["boundary"], ["IC306"])


def test_the_quaternion_is_written_w_first_and_has_any_length():
    s = sqrt(0.5)
    text = stage(PLATE).replace("(0.5, 0.5, 0.5, 0.5)", f"({s}, 0, 0, {s})")
    np.testing.assert_allclose(
        only(read(text)).inertial.R_BBi, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12
    )
    six = ic.check_model(read(text)).files[0].bodies[0].judgement.I_BBcm_B
    np.testing.assert_allclose(six, [0.2, 0, 0, 0.1, 0, 0.3], atol=1e-12)
    long = stage(PLATE).replace("(0.5, 0.5, 0.5, 0.5)", "(2, 0, 0, 0)")
    assert only(read(long)).inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    none = stage(PLATE).replace("(0.5, 0.5, 0.5, 0.5)", "(nan, 0, 0, 0)")
    (problem,) = only(read(none)).problems
    assert "write w, x, y, z" in problem.message
    assert problem.kind == "malformed"


# --- what is not written -----------------------------------------------------------------------


def test_what_stands_for_nothing_written():
    text = stage(
        """float physics:mass = 3
        point3f physics:centerOfMass = (-inf, -inf, -inf)
        float3 physics:diagonalInertia = (1, 1, 1)
        quatf physics:principalAxes = (0, 0, 0, 0)"""
    )
    body = only(read(text))
    assert [number.value for number in body.inertial.p_BoBcm_B] == [0, 0, 0]
    assert all(number.span is None for number in body.inertial.p_BoBcm_B)
    assert body.inertial.R_BBi == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert verdicts(read(text)) == (["consistent"], [])


def test_numbers_that_are_not_finite():
    text = stage(PLATE).replace("(1, 2, 3)", "(-inf, -inf, inf)")
    assert only(read(text)).inertial.p_BoBcm_B[2].value == inf
    assert verdicts(read(text)) == (["invalid"], ["IC104"] * 3)
    body = only(read(stage(PLATE).replace("(0.1, 0.2, 0.3)", "(nan, 0.2, 0.3)")))
    assert np.array_equal(body.inertial.I_BBcm_Bi["ixx"].value, nan, equal_nan=True)
    assert verdicts(read(stage(PLATE).replace("= 2", "= nan"))) == (["invalid"], ["IC104"])


@pytest.mark.parametrize(
    "inertia", ["", "float3 physics:diagonalInertia = (0, 0, 0)", "float3 physics:diagonalInertia"]
)
@pytest.mark.parametrize("meters", [1, 0.01])
def test_mass_alone_is_a_ball_of_ten_centimetres(inertia, meters):
    text = stage(f"float physics:mass = 5\n{inertia}", f"metersPerUnit = {meters}")
    body = only(read(text))
    assert body.inertia_from == "default"
    (judged,) = ic.check_model(read(text)).files[0].bodies
    assert judged.judgement.verdict == "defaulted"
    np.testing.assert_allclose(judged.judgement.principal_moments, [0.4 * 5 * 0.1**2] * 3)


@pytest.mark.parametrize("collider", ["def Cube", "def Mesh", "def Sphere"])
def test_the_inertia_of_a_body_with_a_collider_is_derived(collider):
    shape = f'{collider} "shape" (\n prepend apiSchemas = ["PhysicsCollisionAPI"]\n ) {{\n }}'
    body = only(read(stage(f"float physics:mass = 5\n{shape}")))
    assert body.inertia_from == "geometry"
    assert body.inertial.mass.text == "5"
    assert verdicts(read(stage(shape))) == (["derived"], [])
    assert only(read(stage(shape))).inertial is None


@pytest.mark.parametrize(
    "shape",
    [
        'def Cube "s" {\n }',
        'def Plane "s" (\n prepend apiSchemas = ["PhysicsCollisionAPI"]\n ) {\n }',
        'def Cube "s" (\n prepend apiSchemas = ["PhysicsCollisionAPI"]\n ) {\n'
        " bool physics:collisionEnabled = 0\n }",
        'def Cube "s" (\n active = false\n prepend apiSchemas = ["PhysicsCollisionAPI"]\n ) {\n }',
    ],
)
def test_what_gives_no_volume_is_no_collider(shape):
    assert verdicts(read(stage(shape))) == (["missing"], ["IC103"])


def test_a_collider_belongs_to_the_nearest_body():
    inner = f"""def Xform "inner" (
        {BODY}
        ) {{
            def Cube "shape" (
                prepend apiSchemas = ["PhysicsCollisionAPI"]
            ) {{
            }}
        }}"""
    model = read(stage(inner))
    assert [(body.name, body.inertia_from) for body in model.bodies] == [
        ("link", "file"),
        ("inner", "geometry"),
    ]


def test_inertia_without_mass():
    inertia = "float3 physics:diagonalInertia = (1, 1, 9)"
    assert verdicts(read(stage(inertia))) == (["invalid"], ["IC102"])
    shape = 'def Cube "shape" (\n prepend apiSchemas = ["PhysicsCollisionAPI"]\n ) {\n }'
    assert verdicts(read(stage(f"{inertia}\n{shape}"))) == (["derived"], ["IC002"])


def test_what_engines_do_not_read_is_said():
    text = stage(PLATE).replace(', "PhysicsMassAPI"', "")
    body = only(read(text))
    assert body.inertial is None
    assert "PhysicsMassAPI is not applied" in body.problems[0].message
    text = stage("float physics:mass.timeSamples = { 0: 1, 1: 2 }")
    (problem,) = only(read(text)).problems
    assert "values at times only" in problem.message
    both = stage("float physics:mass = 4\nfloat physics:mass.timeSamples = { 0: 1, 1: 2 }")
    assert only(read(both)).inertial.mass.value == 4
    assert only(read(stage("float physics:mass = None"))).inertial is None
    (problem,) = only(read(stage('custom string physics:mass = "1,5"'))).problems
    assert "1,5" in problem.message
    assert "write one number" in problem.message
    body = only(read(stage("double physics:mass = 0.12345678901234567")))
    assert body.inertial.mass.text == "0.12345678901234567"


@pytest.mark.parametrize(
    ("text", "kind"), [("1e39", "beyond what float32 holds"), ("1e-50", "below the smallest")]
)
def test_what_float32_does_not_hold(text, kind):
    body = only(read(stage(PLATE).replace("(0.1, 0.2, 0.3)", f"(0.2, 0.2, {text})")))
    assert kind in body.problems[0].message
    assert body.inertial.I_BBcm_Bi["izz"].text == text


# --- units and scale ---------------------------------------------------------------------------

UNITS = [(1, 1), (0.01, 1), (0.01, 0.001), (0.0254, 0.45359237)]


@pytest.mark.parametrize(("meters", "kilograms"), UNITS)
@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_reports_are_in_metres_and_kilograms(meters, kilograms, suffix, tmp_path):
    text = stage(PLATE, f"metersPerUnit = {meters}\n    kilogramsPerUnit = {kilograms}")
    path = tmp_path / "stage.usda"
    path.write_text(text)
    path = path if suffix == ".usda" else in_binary(path, suffix)
    judged = ic.check_model(path).files[0].bodies[0].judgement
    assert judged.verdict == "boundary"
    assert judged.mass == pytest.approx(2 * kilograms, rel=1e-15)
    np.testing.assert_allclose(judged.p_BoBcm_B, np.array([1, 2, 3]) * meters, rtol=1e-15)
    expected = np.array([0.1, 0.2, 0.3]) * kilograms * meters**2
    np.testing.assert_allclose(judged.principal_moments, expected, rtol=1e-15)


def test_a_verdict_does_not_depend_on_the_units():
    for moments in ("(0.1, 0.2, 0.3)", "(0.1, 0.2, 0.301)", "(0.1, 0.2, 0.299)", "(1, 2, 9)"):
        text = stage(PLATE).replace("(0.1, 0.2, 0.3)", moments)
        words = {
            verdicts(read(text.replace("metersPerUnit = 1", f"metersPerUnit = {meters}")))[0][0]
            for meters in (1e-3, 1, 1e3)
        }
        assert len(words) == 1


def test_unwritten_metres_are_centimetres_and_said():
    text = stage(PLATE, "")
    (body,) = ic.check_model(read(text)).files[0].bodies
    np.testing.assert_allclose(body.judgement.p_BoBcm_B, [0.01, 0.02, 0.03])
    (problem,) = read(text).problems
    assert "Newton takes 1" in problem.message
    assert read(stage("", "")).problems == ()


def test_scale_moves_the_centre_of_mass_and_leaves_the_inertia():
    """As UsdPhysics.RigidBodyAPI.ComputeMassProperties does."""
    ops = """float3 xformOp:scale = (2, 3, 4)
        uniform token[] xformOpOrder = ["xformOp:scale"]"""
    text = stage(f"{PLATE}\n{ops}")
    inertial = only(read(text)).inertial
    assert [number.value for number in inertial.p_BoBcm_B] == [2, 6, 12]
    assert [number.text for number in inertial.p_BoBcm_B] == ["1", "2", "3"]
    assert inertial.I_BBcm_Bi["izz"].value == 0.3

    from pxr import Sdf, Usd, UsdPhysics

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    opened = Usd.Stage.Open(layer)
    api = UsdPhysics.RigidBodyAPI(opened.GetPrimAtPath("/robot/link"))
    mass, moments, center, _ = api.ComputeMassProperties(
        lambda *_: UsdPhysics.RigidBodyAPI.MassInformation()
    )
    assert mass == inertial.mass.value
    assert list(center) == [2, 6, 12]
    np.testing.assert_allclose(moments, [0.1, 0.2, 0.3], rtol=1e-7)
    ops = """quatf xformOp:orient = (0.8191521, 0.3313, 0.3313, 0.3313)
        uniform token[] xformOpOrder = ["xformOp:orient"]"""
    assert [n.value for n in only(read(stage(f"{PLATE}\n{ops}"))).inertial.p_BoBcm_B] == [1, 2, 3]


# --- joints ------------------------------------------------------------------------------------


def joined(kind, extra="", body1="</robot/link>"):
    return stage(
        "",
        outside=f"""def {kind} "joint"
{{
    rel physics:body1 = {body1}
    {extra}
}}""",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (stage(""), (None, True)),
        (joined("PhysicsRevoluteJoint"), ("revolute", True)),
        (joined("PhysicsJoint"), ("generic", True)),
        (joined("PhysicsFixedJoint"), ("fixed", False)),
        (joined("PhysicsFixedJoint", "bool physics:jointEnabled = 0"), (None, True)),
        (joined("PhysicsRevoluteJoint", body1="</robot/link/geometry>"), ("revolute", True)),
        (stage("bool physics:kinematicEnabled = 1"), (None, False)),
        (stage("bool physics:rigidBodyEnabled = 0"), (None, False)),
    ],
)
def test_what_moves_a_body(text, expected):
    body = only(read(text))
    assert (body.joint, body.moved) == expected


def test_a_body_without_anything_is_missing_where_it_moves():
    assert verdicts(read(stage(""))) == (["missing"], ["IC103"])
    assert verdicts(read(joined("PhysicsFixedJoint"))) == (["missing"], [])


# --- composition -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """folder(name=text, ...): layers in a fresh working directory."""
    monkeypatch.chdir(tmp_path)

    def make(**layers):
        for name, text in layers.items():
            path = tmp_path / f"{name.replace('__', '/')}.usda"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return make


def place(model, number):
    where = model.place(number.span)
    return where.path, where.line, where.column


def part(moments="(0.1, 0.2, 0.9)"):
    return stage(PLATE).replace("(0.1, 0.2, 0.3)", moments)


USING = """#usda 1.0
(
    metersPerUnit = 1
)
def "left" (
    references = @./parts/part.usda@
)
{
}
def "right" (
    payload = @./parts/part.usda@
)
{
    over "link"
    {
        float physics:mass = 7
    }
}
"""


def test_numbers_stand_in_the_layer_of_the_strongest_opinion(folder, monkeypatch):
    folder(parts__part=part(), use=USING)
    model = load("use.usda")
    left, right = model.bodies
    assert [left.id, right.id] == ["/left/link", "/right/link"]
    assert place(model, left.inertial.mass)[0] == "parts/part.usda"
    assert place(model, left.inertial.I_BBcm_Bi["izz"]) == ("parts/part.usda", 14, 53)
    assert place(model, right.inertial.mass) == (None, 16, 30)
    assert right.inertial.mass.text == "7"
    assert [other.path for other in model.others] == ["parts/part.usda"]
    report = ic.check_model("use.usda", Settings(ignore=OWN)).files[0]
    assert [(f.body_id, f.code, f.place.path, f.place.line) for f in report.findings] == [
        ("/left/link", "IC301", "parts/part.usda", 14),
        ("/right/link", "IC301", "parts/part.usda", 14),
    ]
    assert [(body.file, body.line) for body in report.bodies] == [("parts/part.usda", 9)] * 2
    root = folder(parts__part=part(), use=USING)
    assert load(root / "use.usda").others[0].path == f"{root.as_posix()}/parts/part.usda"
    monkeypatch.chdir(root / "parts")
    assert load("../use.usda").others[0].path == "../parts/part.usda"


def test_a_fix_changes_the_layer_that_holds_the_numbers(folder):
    root = folder(parts__part=part(), use=USING)
    before = (root / "use.usda").read_bytes()
    fix = ic.fix_model("use.usda", unsafe=True, bodies=["/left/link"])
    assert [result.status for result in fix.bodies] == ["fixed", "fixed"]  # one text is both
    fix.write()
    assert (root / "use.usda").read_bytes() == before
    assert (root / "parts/part.usda").read_text().count("(0.1, 0.2, 0.9)") == 0
    assert verdicts("use.usda")[0] == ["consistent"] * 2


def test_sublayers_and_overs(folder):
    over = "#usda 1.0\n(\n    metersPerUnit = 1\n    subLayers = [@part.usda@]\n)\n"
    over += 'over "robot" { over "link" { float3 physics:diagonalInertia = (1, 1, 1) } }\n'
    folder(part=part(), over=over.replace("{ ", "{\n").replace(" }", "\n}"))
    model = load("over.usda")
    inertial = only(model).inertial
    assert place(model, inertial.I_BBcm_Bi["ixx"])[0] is None
    assert place(model, inertial.mass)[0] == "part.usda"
    assert verdicts("over.usda")[0] == ["consistent"]


@pytest.mark.parametrize(("chosen", "verdict"), [("good", "consistent"), ("bad", "inconsistent")])
def test_the_selected_variant_is_what_a_body_has(chosen, verdict):
    variants = """variantSet "make" = {
            "good" {
                float3 physics:diagonalInertia = (1, 1, 1)
            }
            "bad" {
                float3 physics:diagonalInertia = (1, 1, 9)
            }
        }"""
    text = stage(f"float physics:mass = 1\n{variants}").replace(
        BODY, f'{BODY}\n variantSets = "make"\n variants = {{ string make = "{chosen}" }}'
    )
    model = read(text)
    izz = only(model).inertial.I_BBcm_Bi["izz"]
    line = text[: izz.span.start].count("\n")
    assert f'"{chosen}"' in text.splitlines()[line - 1]
    assert verdicts(model)[0] == [verdict]


INSTANCES = """#usda 1.0
(
    metersPerUnit = 1
)
def "one" (
    instanceable = true
    references = @./part.usda@
) {
}
def "two" (
    instanceable = true
    references = @./part.usda@
) {
}
"""


def test_bodies_of_instances_are_listed_one_by_one_and_fixed_once(folder):
    folder(part=part("(0.1, 0.2, 0.301)"), use=INSTANCES)
    assert [body.id for body in load("use.usda").bodies] == ["/one/link", "/two/link"]
    fix = ic.fix_model("use.usda")
    assert [result.status for result in fix.bodies] == ["fixed", "fixed"]
    fix.write()
    assert verdicts("use.usda")[0] == ["consistent"] * 2


def test_a_layer_that_refers_to_itself_and_references_in_a_circle():
    text = stage(PLATE, outside='def "again" (\n references = @./stage.usda@\n) {\n}')
    model = read(text, "stage.usda")
    assert [body.id for body in model.bodies] == ["/robot/link", "/again/link"]
    assert model.others == ()
    text = (
        '#usda 1.0\ndef "a" (\n references = </b>\n) {\n}\ndef "b" (\n references = </a>\n) {\n}\n'
    )
    (problem,) = read(text).problems
    assert "Cycle" in problem.message


def test_what_is_inactive_abstract_or_only_an_over_is_no_body():
    body = f'"b" (\n {BODY}\n) {{\n}}\n'
    for text in (
        f"class {body}",
        f"over {body}",
        f"def {body}".replace(BODY, f"active=false\n{BODY}"),
    ):
        assert read(f"#usda 1.0\n{text}").bodies == ()


def test_overlaid_bytes_stand_in_for_a_layer_on_the_disk(folder):
    root = folder(parts__part=part(), use=USING)
    overlay = {str(root / "parts" / "part.usda"): part("(1, 1, 1)").encode()}
    model = load("use.usda", context=Context(overlay=overlay))
    assert verdicts(model)[0] == ["consistent"] * 2
    assert model.others[0].data == part("(1, 1, 1)").encode()
    assert verdicts("use.usda")[0] == ["inconsistent"] * 2  # and for no longer


def test_what_is_not_found_is_one_finding(folder):
    text = stage(
        PLATE, outside='def "a" (\n references = [@none.usda@, @http://x.y/z.usd@]\n) {\n}'
    )
    folder(use=text, broken='#usda 1.0\ndef "x" {\n')
    (file,) = ic.check_model("use.usda").files
    (finding,) = (f for f in file.findings if f.code == "IC003")
    assert "none.usda" in finding.message
    assert "z.usd" in finding.message
    assert finding.place.line == text[: text.index('def "a"')].count("\n") + 1
    (problem,) = read("#usda 1.0\n(\n subLayers = [@broken.usda@]\n)\n").problems
    assert "broken.usda" in problem.message


# --- binary layers -----------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".usdc", ".usdz"])
def test_binary_layers_have_the_shortest_decimals_and_no_place(suffix, tmp_path):
    path = tmp_path / "stage.usda"
    path.write_text(stage(PLATE))
    model = load(in_binary(path, suffix))
    inertial = only(model).inertial
    assert [inertial.I_BBcm_Bi[e].text for e in ("ixx", "iyy", "izz")] == ["0.1", "0.2", "0.3"]
    assert inertial.mass.text == "2"
    assert inertial.mass.span.start == inertial.mass.span.end
    assert model.place(inertial.mass.span)[:2] == (1, 1)
    assert verdicts(model) == (["boundary"], ["IC306"])


def test_every_float32_has_a_decimal_that_gives_it_back():
    random = np.random.default_rng(1)
    for value in (10.0 ** random.uniform(-44, 38, 300)).astype(np.float32):
        text = masses._shortest_number(float(value), Span(0, 0)).text
        assert np.float32(float(text)) == value


@pytest.mark.parametrize("suffix", [".usdc", ".usdz"])
def test_a_binary_document_is_fixed_by_a_layer_over_it(suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()  # a layer in another folder of the repository may refer to it
    text = tmp_path / "arm.usda"
    text.write_text(part("(0.1, 0.2, 0.301)").replace("metersPerUnit = 1", "metersPerUnit = 0.01"))
    path = in_binary(text, suffix)
    text.unlink()
    before = path.read_bytes()
    fix = ic.fix_model(path.name)
    assert fix.changed
    assert "+        float3 physics:diagonalInertia = (" in fix.diff()
    with pytest.raises(UsageError, match=r"-o arm\.fixed\.usda writes a layer over it"):
        fix.write()
    with pytest.raises(UsageError, match="writes a layer over it"):
        fix.write(path.name)
    with pytest.raises(UsageError, match=r"name it \.usda"):
        fix.write("out.usdc")
    (tmp_path / "elsewhere").mkdir()
    for target in ("arm.fixed.usda", "elsewhere/out.usda"):
        fix.write(target)
        assert verdicts(target) == (["consistent"], [])
        (result,) = fix.bodies
        judged = ic.check_model(target).files[0].bodies[0].judgement
        assert judged.I_BBcm_Bi == result.new
        found = values(tmp_path / target, "/robot/link")
        assert found["mass"] == (2,)
        single = np.array(found["diagonalInertia"])
        np.testing.assert_allclose(single * 1e-4, np.array(result.new)[[0, 3, 5]], rtol=1e-7)
    assert path.read_bytes() == before


def test_a_text_with_numbers_in_a_binary_layer_is_fixed_by_a_layer_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part.usda").write_text(part("(0.1, 0.2, 0.301)"))
    in_binary(tmp_path / "part.usda", ".usdc")
    using = USING.replace("parts/part.usda", "part.usdc")
    (tmp_path / "use.usda").write_text(using)
    report = ic.check_model("use.usda", Settings(ignore=OWN)).files[0]
    assert [finding.place.line for finding in report.findings] == [5, 14]  # of the prims in text
    fix = ic.fix_model("use.usda")
    fix.write("out.usda")
    assert verdicts("out.usda")[0] == ["consistent"] * 2
    assert (tmp_path / "use.usda").read_text() == using
    # No layer reaches into an instance.
    (tmp_path / "use.usda").write_text(INSTANCES.replace("part.usda", "part.usdc"))
    with pytest.raises(UsageError, match="stands in an instance"):
        ic.fix_model("use.usda")


# --- fixing text -------------------------------------------------------------------------------


def test_a_fix_changes_three_numbers_and_no_other_byte(tmp_path):
    inside = """# the forearm, as weighed { "2026"
        float physics:mass = 2 ; point3f physics:centerOfMass = (1, 2, 3)
        float3 physics:diagonalInertia = ( 0.100,# first
            2.00e-1 ,   0.301) ( doc = "(0.1, 0.2, 0.301)" )\r
        string physics:diagonalInertiaNote = "float3 physics:diagonalInertia = (9, 9, 9)\""""
    path = tmp_path / "stage.usda"
    path.write_bytes(stage(inside).replace("forearm", "Trägheit").encode())
    before = path.read_bytes()
    fix = ic.fix_model(path)
    fix.write()
    after = path.read_bytes()
    spans = [only(load(before)).inertial.I_BBcm_Bi[e].span for e in ("ixx", "iyy", "izz")]
    new = only(load(after)).inertial.I_BBcm_Bi
    expected = before
    for entry, span in reversed(list(zip(("ixx", "iyy", "izz"), spans, strict=True))):
        expected = expected[: span.start] + new[entry].text.encode() + expected[span.end :]
    assert after == expected != before
    assert fix.bodies[0].status == "fixed"
    assert "e-" in new["iyy"].text
    found = values(path, "/robot/link")["diagonalInertia"]
    np.testing.assert_array_equal(found, [np.float32(new[e].value) for e in ("ixx", "iyy", "izz")])
    assert not ic.fix_model(path).changed


# --- without the library, and against it ---------------------------------------------------------


def test_without_the_library_a_named_file_is_a_failure_and_a_walk_says_so_once(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(usd, "missing", lambda: 'pip install "inertial-check[usd]"')
    for name in ("a.usda", "b.usda"):
        (tmp_path / name).write_text(stage(PLATE))
    with pytest.raises(MissingExtraError, match="pip install"):
        load(tmp_path / "a.usda")
    report = check_paths(CheckRequest([str(tmp_path / "a.usda")], lambda _: SETTINGS))
    assert report.files == ()
    assert "inertial-check[usd]" in report.failures[0]
    (tmp_path / "c.urdf").write_text("<robot/>")
    found = discover([str(tmp_path)])
    assert [os.path.basename(file.path) for file in found.files] == ["c.urdf"]
    assert found.notes == ('skipped 2 files: pip install "inertial-check[usd]"',)


def test_content_decides_not_the_name(tmp_path):
    path = tmp_path / "a.usda"
    path.write_text(stage(PLATE))
    for suffix in (".usdc", ".usdz"):
        data = in_binary(path, suffix).read_bytes()
        assert sniff(data) == "usd"
        assert len(load(data, path="robot.bin").bodies) == 1
        (tmp_path / "robot.bin").write_bytes(data)
        assert len(load(tmp_path / "robot.bin").bodies) == 1
    assert sniff(b"PK\x03\x04" + bytes(26) + b"words.docx") is None
    assert sniff(b"#usd") is None


# --- hostile documents -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('#usda 1.0\ndef "x" {\n float a = \n}\n', 3),
        ('#usda 1.0\ndef "x" {\n', 3),
        ("#usda 9.0\n", 1),
        ('#usda 1.0\ndef "x" {\n string s = "é"\n'.encode("latin-1"), 3),
        (b"#usda 1.0\n\x00\xff\xfe", 2),
    ],
)
def test_text_that_is_no_layer_is_refused_with_its_place(text, line):
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DocumentError) as error:
        load(data, path="x.usda")
    assert error.value.line == line
    assert "/tmp" not in str(error.value)


def test_truncated_and_damaged_binary_layers_are_refused(tmp_path):
    path = tmp_path / "stage.usda"
    path.write_text(stage(PLATE))
    for suffix in (".usdc", ".usdz"):
        data = in_binary(path, suffix).read_bytes()
        for size in (40, 100, len(data) // 2):
            with pytest.raises(DocumentError, match=r"no USD layer|no element|binary"):
                load(data[:size], path=f"x{suffix}")
    assert len(load(path).bodies) == 1


def test_damage_that_ends_the_library_does_not_end_the_run(tmp_path):
    deep = b"#usda 1.0\n" + b'def "x" {\n' * 100_000 + b"}\n" * 100_000
    (tmp_path / "a.usda").write_bytes(deep)
    (tmp_path / "b.usda").write_text(stage(PLATE))
    report = check_paths(CheckRequest([str(tmp_path)], lambda _: SETTINGS))
    assert [len(file.bodies) for file in report.files] == [0, 1]
    assert [finding.code for finding in report.files[0].findings] == ["IC001"]


def test_a_stage_that_takes_too_long_is_stopped():
    short = Context(access=Access(limits=Limits(seconds=3.0)))
    with pytest.raises(DocumentError, match="not read within 1 s"):
        load(write_multiplying_references().encode(), path="stage.usda", context=short)
    assert len(read(stage(PLATE)).bodies) == 1
