"""What a URDF says of shapes, read when it is looked at and never judged."""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertial_check import DocumentError
from inertial_check.documents.load import load
from inertial_check.documents.model import DIMENSIONS, Body, Shape
from inertial_check.documents.source import Span

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def robot(shapes: str, attributes: str = "") -> bytes:
    return f'<robot name="r"{attributes}><link name="a">{INERTIAL}{shapes}</link></robot>'.encode()


def collision(geometry: str, origin: str = "") -> bytes:
    return robot(f"<collision>{origin}<geometry>{geometry}</geometry></collision>")


def only(document: bytes) -> Shape:
    (body,) = load(document).bodies
    (shape,) = body.shapes
    return shape


@pytest.mark.parametrize(
    ("geometry", "kind", "dimensions"),
    [
        ('<box size="1 .2 3e-1"/>', "box", (1, 0.2, 0.3)),
        ('<sphere radius="0.5"/>', "sphere", (0.5,)),
        ('<cylinder length="2" radius="0.5"/>', "cylinder", (0.5, 2)),
        ('<capsule radius=" 0.5 " length="2"/>', "capsule", (0.5, 2)),
        ('<box size="1 1 0"/>', "box", (1, 1, 0)),
    ],
)
def test_dimensions_are_in_the_order_of_the_model(geometry, kind, dimensions):
    shape = only(collision(geometry))
    assert (shape.kind, shape.dimensions, shape.note) == (kind, dimensions, None)
    assert len(shape.dimensions) == len(DIMENSIONS[kind])
    assert shape.p_BoGo_B == (0, 0, 0)
    assert shape.R_BG == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_meshes_keep_their_uri_and_scale():
    shape = only(collision('<mesh filename=" package://p/a&amp;b.stl" scale="1 -1 0.001"/>'))
    assert (shape.kind, shape.uri, shape.scale) == ("mesh", "package://p/a&b.stl", (1, -1, 0.001))
    assert shape.dimensions == ()
    assert only(collision('<mesh filename="a.stl"/>')).scale == (1, 1, 1)


def test_origins_are_poses_in_the_body_frame():
    shape = only(collision('<sphere radius="1"/>', '<origin xyz="1 2 -3" rpy="0.1 0.2 0.3"/>'))
    assert shape.p_BoGo_B == (1, 2, -3)
    expected = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
    np.testing.assert_allclose(shape.R_BG, expected, atol=1e-15)
    turned = (
        '<visual><origin quat_xyzw="0 0 3 3"/><geometry><sphere radius="1"/></geometry></visual>'
    )
    (body,) = load(robot(turned, ' version="1.1"')).bodies
    np.testing.assert_allclose(body.shapes[0].R_BG, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    (body,) = load(robot(turned)).bodies
    assert body.shapes[0].R_BG == ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def test_roles_order_and_places():
    text = (
        '<visual name="v"><geometry><sphere radius="1"/></geometry></visual>\n'
        '<collision><geometry><box size="1 1 1"/></geometry></collision>'
        '<collision><geometry><sphere radius="2"/></geometry></collision>'
    )
    model = load(robot(text))
    (body,) = model.bodies
    assert [(s.role, s.kind) for s in body.shapes] == [
        ("visual", "sphere"),
        ("collision", "box"),
        ("collision", "sphere"),
    ]
    assert model.source.text(body.shapes[0].span).startswith('<visual name="v">')
    assert model.source.line_column(body.shapes[1].span.start) == (2, 1)


BAD = [
    ("<collision/>", "no <geometry> with a shape"),
    ("<collision><geometry/></collision>", "no <geometry> with a shape"),
    ('<collision><geometry><torus radius="1"/></geometry></collision>', "<torus> is no shape"),
    ("<collision><geometry><box/></geometry></collision>", "<box> has no size"),
    ('<collision><geometry><box size="1 2"/></geometry></collision>', "expected 3 numbers"),
    ('<collision><geometry><box size="1 2 x"/></geometry></collision>', '"x" is no number'),
    ('<collision><geometry><box size="1 2 nan"/></geometry></collision>', "not finite"),
    ('<collision><geometry><box size="1 2 -1"/></geometry></collision>', "lengths are positive"),
    ('<collision><geometry><sphere radius="1,5"/></geometry></collision>', "write 1.5"),
    ('<collision><geometry><sphere radius=""/></geometry></collision>', "expected a number"),
    ("<collision><geometry><mesh/></geometry></collision>", "<mesh> has no filename"),
    ('<collision><geometry><mesh filename="a" scale="0 1 1"/></geometry></collision>', "is 0"),
    ('<collision><geometry><mesh filename="a" scale="1"/></geometry></collision>', "3 numbers"),
    (
        '<collision><origin xyz="0 0"/><geometry><sphere radius="1"/></geometry></collision>',
        "xyz of <origin>",
    ),
    (
        '<collision><origin rpy="0 0 inf"/><geometry><sphere radius="1"/></geometry></collision>',
        "rpy of <origin>",
    ),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_cannot_be_read_says_why_and_is_no_problem(text, reason):
    model = load(robot(text))
    (shape,) = model.bodies[0].shapes
    assert reason in shape.note
    assert all(map(math.isnan, shape.p_BoGo_B))
    assert (model.problems, model.bodies[0].problems) == ((), ())


def test_both_forms_of_a_rotation_are_one_too_many():
    origin = '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'
    shape = f'<visual>{origin}<geometry><sphere radius="1"/></geometry></visual>'
    (body,) = load(robot(shape, ' version="1.2"')).bodies
    assert "both rpy and quat_xyzw" in body.shapes[0].note
    zero = '<visual><origin quat_xyzw="0 0 0 0"/><geometry><sphere radius="1"/></geometry></visual>'
    (body,) = load(robot(zero, ' version="1.2"')).bodies
    assert "no rotation" in body.shapes[0].note


def test_shapes_compare_copy_and_pickle_as_tuples():
    first, second = (load(collision('<sphere radius="1"/>')) for _ in range(2))
    assert first.bodies == second.bodies
    assert hash(first.bodies[0].shapes) == hash(tuple(second.bodies[0].shapes))
    assert first.bodies[0].shapes != load(collision('<sphere radius="2"/>')).bodies[0].shapes
    assert first.bodies[0].shapes != "sphere"
    for again in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert type(again.bodies[0].shapes) is tuple
        assert again.bodies == second.bodies
    assert repr(first.bodies[0].shapes).startswith("(Shape(kind='sphere'")


def test_a_body_without_shapes_has_none():
    assert load(robot("")).bodies[0].shapes == ()
    assert Body("b", "id", Span(0, 0), None, False, None).shapes == ()


@pytest.mark.corpus
def test_every_real_shape_is_read_or_says_why(corpus):
    found, unreadable = 0, []
    for path in sorted(corpus.rglob("*.urdf")):
        try:
            model = load(path)
        except DocumentError:
            continue  # test_corpus_urdf_reading knows which
        for body in model.bodies:
            found += len(body.shapes)
            unreadable += [(path.name, shape.note) for shape in body.shapes if shape.note]
    assert found > 1000
    assert len(unreadable) < 0.02 * found, unreadable[:20]
