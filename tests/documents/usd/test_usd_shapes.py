"""Gprims and joints of a stage, held against what UsdPhysics itself parses of it."""

import json
import math
import warnings

import numpy as np
import pytest

pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from inertial_check.documents.edits import NotInsertable
from inertial_check.documents.load import load
from inertial_check.documents.usd import reading
from inertial_check.documents.writing import set_joint
from inertial_check.errors import DocumentError
from usd_library import in_binary

BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI"]'
COLLIDES = 'prepend apiSchemas = ["PhysicsCollisionAPI"]'


def xform(translate=None, rotate=None, scale=None):
    """The lines that place a prim."""
    ops = {"translate": ("double3", translate), "rotateXYZ": ("float3", rotate)}
    ops["scale"] = ("float3", scale)
    written = {name: value for name, (_, value) in ops.items() if value is not None}
    order = ", ".join(f'"xformOp:{name}"' for name in written)
    lines = [f"{ops[name][0]} xformOp:{name} = {value}" for name, value in written.items()]
    return "\n".join([*lines, f"uniform token[] xformOpOrder = [{order}]\n"])


def prim(kind, name, inside="", schemas=COLLIDES):
    return f'def {kind} "{name}" ({schemas})\n{{\n{inside}\n}}\n'


def stage(inside, meters=0.01):
    return f"#usda 1.0\n(\n    metersPerUnit = {meters}\n)\n{inside}"


def shapes(inside, place="", meters=1):
    """Of one body with these prims in it."""
    (body,) = load(stage(prim("Xform", "b", place + "\n" + inside, BODY), meters).encode()).bodies
    assert body.problems == ()
    return body.shapes


def only(*arguments, **named):
    (shape,) = shapes(*arguments, **named)
    return shape


PLACED = xform("(1, 2, 3)", "(10, 20, 30)")


@pytest.mark.parametrize(
    ("kind", "inside", "expected", "dimensions"),
    [
        ("Cube", "double size = 3", "box", (3, 3, 3)),
        ("Cube", "", "box", (2, 2, 2)),
        ("Sphere", "double radius = 0.5", "sphere", (0.5,)),
        ("Cylinder", "double radius = 0.5\ndouble height = 3", "cylinder", (0.5, 3)),
        ("Capsule", "double radius = 0.5\ndouble height = 3", "capsule", (0.5, 3)),
        ("Cone", "double radius = 0.5\ndouble height = 3", "cone", (0.5, 3)),
        ("Plane", "", "plane", ()),
    ],
)
@pytest.mark.parametrize("meters", [1, 0.01])
def test_dimensions_are_in_metres(kind, inside, expected, dimensions, meters):
    shape = only(prim(kind, "g", f"{inside}\n{PLACED}"), meters=meters)
    assert (shape.kind, shape.role, shape.note) == (expected, "collision", None)
    np.testing.assert_allclose(shape.dimensions, meters * np.array(dimensions), rtol=1e-15)
    np.testing.assert_allclose(shape.p_BoGo_B, meters * np.array([1, 2, 3]), rtol=1e-15)


@pytest.mark.parametrize(("axis", "column"), [("X", 0), ("Y", 1), ("Z", 2)])
def test_what_lies_along_an_axis_is_turned_to_it_and_stays_right_handed(axis, column):
    place = xform(rotate="(10, 20, 30)")
    turned = only(prim("Cube", "g", place)).R_BG
    cone = only(prim("Cone", "g", f'uniform token axis = "{axis}"\n{place}')).R_BG
    np.testing.assert_allclose(np.array(cone)[:, 2], np.array(turned)[:, column], atol=1e-15)
    assert np.linalg.det(cone) == pytest.approx(1)


def test_a_collider_is_one_shape_and_what_is_not_rendered_is_none():
    found = shapes(
        prim("Cube", "a")
        + prim("Sphere", "b", schemas="")
        + prim("Sphere", "c", 'uniform token purpose = "guide"', "")
        + prim("Sphere", "d", 'uniform token purpose = "guide"')
        + prim("Sphere", "e", 'token visibility = "invisible"', "")
        + prim("Cone", "f", "bool physics:collisionEnabled = false")
    )
    assert [(shape.kind, shape.role) for shape in found] == [
        ("box", "collision"),
        ("sphere", "visual"),
        ("sphere", "collision"),
        ("cone", "visual"),
    ]


def test_shapes_are_those_of_the_nearest_body():
    inner = prim("Xform", "c", prim("Sphere", "s", "double radius = 3"), BODY)
    text = stage(prim("Xform", "b", prim("Cube", "s") + inner, BODY) + prim("Cone", "free"))
    assert [[s.kind for s in body.shapes] for body in load(text.encode()).bodies] == [
        ["box"],
        ["sphere"],
    ]
    itself = stage(prim("Sphere", "b", xform(scale="(2, 2, 2)"), BODY), 1)
    (body,) = load(itself.encode()).bodies
    assert body.shapes[0].dimensions == (2,)
    assert body.shapes[0].p_BoGo_B == (0, 0, 0)


def test_what_is_drawn_stretched_is_an_ellipsoid_or_says_that_it_is_no_shape():
    wide = xform(scale="(1, 2, 3)")
    found = shapes(
        prim("Sphere", "a", wide, "")
        + prim("Capsule", "b", xform(scale="(1, 1, 2)"), "")
        + prim("Cylinder", "c", xform(scale="(1, 1, 2)"), "")
        + prim("Cylinder", "d", wide, "")
    )
    assert [shape.kind for shape in found] == ["ellipsoid", "capsule", "cylinder", "cylinder"]
    assert [shape.dimensions for shape in found] == [(1, 2, 3), (), (1, 4), ()]
    assert "it is stretched" in found[1].note
    assert "it is stretched" in found[3].note


UNUSABLE = {
    prim("Mesh", "g"): "points stand in the stage",
    prim("Cube", "g", xform(scale="(1, 0, 1)")): "scaled by 0",
    prim("Cube", "g", xform(translate="(1, inf, 1)")): "what is no number",
    prim("Sphere", "g", "double radius = -1"): "its radius is -1.0",
    prim("Sphere", "g", "double radius = nan"): "its radius is nan",
    prim("Cone", "g", 'uniform token axis = "W"'): "its axis is W",
    prim("Cylinder_1", "g", "double radiusTop = 1\ndouble radiusBottom = 2"): "different radii",
    prim("BasisCurves", "g"): "is not read here",
    prim(
        "Xform", "t", xform(scale="(1, 3, 1)") + prim("Cube", "g", xform(rotate="(0, 0, 30)")), ""
    ): "it is sheared",
}


@pytest.mark.parametrize(("inside", "reason"), UNUSABLE.items())
def test_what_cannot_be_read_says_why_and_is_no_problem(inside, reason):
    shape = only(inside)
    assert reason in shape.note
    assert all(map(math.isnan, shape.p_BoGo_B))


def test_a_cylinder_of_the_newer_schema():
    sizes = "double radiusTop = 2\ndouble radiusBottom = 2\ndouble height = 5"
    assert only(prim("Cylinder_1", "g", sizes)).dimensions == (2, 5)


def test_places_in_text_and_binary_layers(tmp_path):
    text = stage(prim("Xform", "b", prim("Cube", "g"), BODY), 1)
    model = load(text.encode())
    assert model.source.text(model.bodies[0].shapes[0].span).startswith('def Cube "g"')
    path = tmp_path / "a.usda"
    path.write_text(text)
    binary = load(in_binary(path, ".usdc"))
    assert binary.bodies[0].shapes[0].kind == "box"
    assert binary.source_of(binary.bodies[0].shapes[0].span) is binary.source


def test_a_stage_is_described_by_one_answer(monkeypatch):
    ask, asked = reading._ComposingProcess.ask, []

    def counted(self, request, seconds):
        asked.append(json.loads(request.partition(b"\n")[0])["whole"])
        return ask(self, request, seconds)

    monkeypatch.setattr(reading._ComposingProcess, "ask", counted)
    joints = "".join(
        prim("PhysicsFixedJoint", f"j{name}", f"rel physics:body1 = </{name}>", "")
        for name in "abc"
    )
    text = stage("".join(prim("Xform", name, prim("Cube", "g"), BODY) for name in "abc") + joints)
    model = load(text.encode())
    assert [len(body.shapes) for body in model.bodies] == [1, 1, 1]
    assert [body.joints[0].name for body in model.bodies] == ["ja", "jb", "jc"]
    assert asked == [True]


def test_shapes_that_end_the_library_leave_the_bodies_and_say_so_on_each(monkeypatch):
    ask = reading._ComposingProcess.ask

    def fail_on_shapes(self, request, seconds):
        if json.loads(request.partition(b"\n")[0])["whole"]:
            return "the USD library ended reading it"
        return ask(self, request, seconds)

    monkeypatch.setattr(reading._ComposingProcess, "ask", fail_on_shapes)
    model = load(stage(prim("Xform", "b", prim("Cube", "g"), BODY)).encode())
    assert [shape.note for shape in model.bodies[0].shapes] == ["the USD library ended reading it"]


def test_shapes_that_the_library_refuses_say_so_on_every_body(monkeypatch):
    compose = reading.compose_stage

    def refuse_shapes(*arguments):
        return {**compose(*arguments), "shapes": {"refused": "needs more memory"}}

    monkeypatch.setattr(reading, "compose_stage", refuse_shapes)
    model = load(stage(prim("Xform", "b", prim("Cube", "g"), BODY)).encode())
    assert [shape.note for shape in model.bodies[0].shapes] == ["needs more memory"]


# --- joints ------------------------------------------------------------------------------------


def joint(kind, inside, ends=("/w/a", "/w/b")):
    targets = [
        f"rel physics:body{side} = <{path}>" for side, path in enumerate(ends) if path is not None
    ]
    return prim(f"Physics{kind}Joint", "j", "\n".join([*targets, inside]), "")


LOCAL = """point3f physics:localPos0 = (1, 2, 3)
quatf physics:localRot0 = (0.5, 0.5, -0.5, 0.5)
point3f physics:localPos1 = (0, 1, 0)
quatf physics:localRot1 = (0.6, 0, 0, 0.8)
"""


def scene(joints, place="", meters=0.01):
    inner = prim("Xform", "inner", xform("(0, 0, 5)", "(0, 90, 0)"), "")
    bodies = prim("Xform", "a", xform("(9, 0, 0)", "(0, 0, 90)"), BODY)
    bodies += prim("Xform", "b", xform("(0, 9, 0)", "(50, 0, 0)", "(1, 2, 3)") + inner, BODY)
    return stage(prim("Xform", "w", f"{place}\n{bodies}{joints}", ""), meters)


def parsed(text_or_path):
    """A stage, and UsdPhysics' own description of what is in it."""
    if isinstance(text_or_path, str):
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString(text_or_path)
    else:
        layer = Sdf.Layer.FindOrOpen(str(text_or_path))
    opened = Usd.Stage.Open(layer, sessionLayer=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = UsdPhysics.LoadUsdPhysicsFromRange(opened, ["/"])
    return opened, found


def matrix(position, quaternion):
    turn = Gf.Matrix3d(Gf.Quatd(quaternion))
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(turn).T, np.array(position)
    return X


@pytest.mark.parametrize("ends", [("/w/a", "/w/b"), ("/w/b", "/w/a"), ("/w/a", "/w/b/inner")])
@pytest.mark.parametrize("place", ["", xform("(100, 0, 0)", "(0, 40, 0)", "(2, 2, 2)")])
@pytest.mark.parametrize("kind", ["Fixed", "Revolute", "Prismatic", "Spherical"])
def test_joints_hold_bodies_where_usdphysics_says(kind, place, ends):
    axis = 'uniform token physics:axis = "Y"' if kind in {"Revolute", "Prismatic"} else ""
    text = scene(joint(kind, LOCAL + axis, ends), place)
    _, found = parsed(text)
    (described,) = (each for _, (each, *_) in found.values() if hasattr(each, "localPose0Position"))
    X_PJ = matrix(described.localPose0Position, described.localPose0Orientation)
    X_BJ = matrix(described.localPose1Position, described.localPose1Orientation)
    X_PB = X_PJ @ np.linalg.inv(X_BJ)
    bodies = {body.id: body for body in load(text.encode()).bodies}
    body = bodies[str(described.body1)]
    assert (body.parent, body.joint) == (str(described.body0), kind.lower())
    np.testing.assert_allclose(body.X_PB.R_PB, X_PB[:3, :3], atol=2e-6)
    np.testing.assert_allclose(body.X_PB.p_PoBo_P, 0.01 * X_PB[:3, 3], atol=1e-6)
    if axis:
        np.testing.assert_allclose(body.axis_B, X_BJ[:3, 1], atol=1e-6)
        np.testing.assert_allclose(body.p_BoJo_B, 0.01 * X_BJ[:3, 3], atol=1e-6)
    else:
        assert (body.axis_B, body.p_BoJo_B) == (None, None)
    assert bodies[str(described.body0)].parent is None


def test_numbers_of_a_joint_are_written_into_its_own_prim():
    body = f'{BODY[:-1]}, "PhysicsMassAPI"]'
    numbers = "float physics:mass = 2\nfloat3 physics:diagonalInertia = (3, 4, 5)\n"
    bodies = "".join(prim("Xform", name, numbers, body) for name in "abc")
    revolute = joint("Revolute", LOCAL, ("/w/a", "/w/b")).replace('"j"', '"other_j"')
    second = joint("Revolute", LOCAL, ("/w/b", "/w/c"))
    text = stage(prim("Xform", "w", bodies + revolute + second, ""), meters=1)
    model = load(text.encode())
    found = set_joint(model, model.bodies[2], {"armature": 0.25})
    assert not found.left
    data = text.encode()
    for start, end, written in sorted(
        ((each.span.start, each.span.end, each.text) for each in found.edits), reverse=True
    ):
        data = data[:start] + written.encode() + data[end:]
    opened, _ = parsed(data.decode())
    assert opened.GetPrimAtPath("/w/j").GetAttribute("mjc:armature").Get() == 0.25
    assert not opened.GetPrimAtPath("/w/other_j").GetAttribute("mjc:armature")
    gone = model.bodies[2]._replace(joints=(model.bodies[2].joints[0]._replace(name="gone"),))
    with pytest.raises(NotInsertable, match="no prims 'gone' are defined in text layers"):
        set_joint(model, gone, {"armature": 0.25})


def test_a_joint_to_the_world_has_an_axis_and_no_parent():
    along = 'uniform token physics:axis = "Z"'
    (_, second), (first, _) = (
        load(scene(joint("Revolute", LOCAL + along, ends)).encode()).bodies
        for ends in ((None, "/w/b"), ("/w/a", None))
    )
    assert (second.parent, second.X_PB, second.joint) == (None, None, "revolute")
    np.testing.assert_allclose(second.axis_B, (0, 0, 1), atol=1e-6)
    # Written the other way round, as the body's own turn against the world.
    np.testing.assert_allclose(first.axis_B, (0, 1, 0), atol=1e-6)


@pytest.mark.parametrize(
    "inside",
    [
        'custom string physics:localPos1 = "x"',
        "custom float physics:localRot1 = 1",
        "quatf physics:localRot1 = (0, 0, 0, 0)",
        "point3f physics:localPos1 = (0, inf, 0)",
    ],
)
def test_a_place_that_cannot_be_read_is_unknown_and_no_problem(inside):
    _, body = load(scene(joint("Revolute", inside)).encode()).bodies
    assert (body.parent, body.X_PB, body.problems) == ("/w/a", None, ())


# --- real stages -------------------------------------------------------------------------------

KINDS = {
    "CubeShapeDesc": "box",
    "SphereShapeDesc": "sphere",
    "CylinderShapeDesc": "cylinder",
    "CapsuleShapeDesc": "capsule",
    "ConeShapeDesc": "cone",
}


def in_metres(described, meters):
    """Kind, dimensions and place of what UsdPhysics describes."""
    kind = KINDS[type(described).__name__]
    if kind == "box":
        sizes = 2 * np.array(described.halfExtents)
    elif kind == "sphere":
        sizes = np.array([described.radius])
    else:
        sizes = np.array([described.radius, 2 * described.halfHeight])
    return kind, meters * sizes, meters * np.array(described.localPos)


@pytest.mark.corpus
def test_real_colliders_are_what_usdphysics_takes_them_for(corpus):
    compared = 0
    for path in sorted(corpus.rglob("*.usd*")):
        try:
            model = load(path)
        except DocumentError:
            continue
        opened, found = parsed(path)
        meters = UsdGeom.GetStageMetersPerUnit(opened)
        described = {}
        for each in (each for _, some in found.values() for each in some):
            if type(each).__name__ in KINDS and each.collisionEnabled:
                described.setdefault(str(each.rigidBody), []).append(in_metres(each, meters))
        for body in model.bodies:
            mine = [s for s in body.shapes if s.role == "collision" and s.kind in KINDS.values()]
            theirs = described.get(body.id, [])
            assert len(mine) == len(theirs), (path, body.id)
            for shape in mine:
                kind, sizes, position = min(theirs, key=lambda their: _gap(shape, their))
                size = max(*sizes, *np.abs(position))
                assert _gap(shape, (kind, sizes, position)) < 1e-5 * size, (path, body.id)
                compared += 1
    assert compared > 500


def _gap(shape, theirs):
    kind, sizes, position = theirs
    if kind != shape.kind:
        return math.inf
    gaps = [*(sizes - shape.dimensions), *(position - shape.p_BoGo_B)]
    return float(np.abs(gaps).max())
