"""What an SDF says of visuals and collisions; Drake's cross-checks hold it for whole models."""

import math
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertial_check.documents.load import load
from inertial_check.documents.model import DIMENSIONS
from inertial_check.documents.resources import resolve


def document(inside, version="1.9"):
    return f'<sdf version="{version}"><model name="m">{inside}</model></sdf>'.encode()


def link(shapes, name="a", pose="<pose>1 2 3 0.1 0.2 0.3</pose>"):
    return f'<link name="{name}">{pose}{shapes}</link>'


def collision(geometry, pose="", name="c"):
    return f'<collision name="{name}">{pose}<geometry>{geometry}</geometry></collision>'


def only(shapes, around="", version="1.9"):
    body = load(document(link(shapes) + around, version)).bodies[0]
    (shape,) = body.shapes
    assert body.problems == ()
    return shape


@pytest.mark.parametrize(
    ("geometry", "dimensions"),
    [
        ("<box><size>1 .2 3e-1</size></box>", (1, 0.2, 0.3)),
        ("<sphere><radius> 0.5 </radius></sphere>", (0.5,)),
        ("<cylinder><length>2</length><radius>0.5</radius></cylinder>", (0.5, 2)),
        ("<capsule><radius>0.5</radius><length>2</length></capsule>", (0.5, 2)),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", (1, 2, 3)),
        ("<cone><radius>1</radius><length>2</length></cone>", (1, 2)),
        ("<plane><normal>0 0 1</normal><size>1 1</size></plane>", ()),
        ("<heightmap><uri>a.png</uri></heightmap>", ()),
        ("<!-- x --><drake:hint/><box><size><!-- m -->1 1 1</size></box>", (1, 1, 1)),
    ],
)
def test_dimensions_are_in_the_order_of_the_model(geometry, dimensions):
    shape = only(collision(geometry))
    assert (shape.dimensions, shape.note, shape.role) == (dimensions, None, "collision")
    assert len(dimensions) == len(DIMENSIONS[shape.kind])
    assert (shape.p_BoGo_B, shape.R_BG) == ((0, 0, 0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def test_meshes_keep_their_uri_and_scale():
    shape = only(collision("<mesh><uri> model://p/a&amp;b.dae </uri><scale>1 -1 2</scale></mesh>"))
    assert (shape.kind, shape.uri, shape.scale) == ("mesh", "model://p/a&b.dae", (1, -1, 2))
    assert only(collision("<mesh><uri>a.stl</uri><scale/></mesh>")).scale == (1, 1, 1)


def test_roles_order_and_places():
    model = load(
        document(
            link(
                '<visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual>'
                + collision("<box><size>1 1 1</size></box>")
                + collision("<sphere><radius>2</radius></sphere>", name="d")
            )
        )
    )
    (body,) = model.bodies
    assert [(shape.role, shape.kind) for shape in body.shapes] == [
        ("visual", "sphere"),
        ("collision", "box"),
        ("collision", "sphere"),
    ]
    assert model.source.text(body.shapes[2].span).startswith('<collision name="d">')
    assert pickle.loads(pickle.dumps(body)).shapes == tuple(body.shapes)


BALL = "<sphere><radius>1</radius></sphere>"
R_WL = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
"""Of link a in its model."""


@pytest.mark.parametrize(
    ("pose", "position", "rotation"),
    [
        ("<pose>1 2 3 0 0 0</pose>", (1, 2, 3), np.eye(3)),
        ('<pose relative_to="">1 2 3 0 0 0</pose>', (1, 2, 3), np.eye(3)),
        ('<pose relative_to="a">1 2 3 0 0 0</pose>', (1, 2, 3), np.eye(3)),
        (
            "<pose>0 0 0 1 2 3</pose>",
            (0, 0, 0),
            Rotation.from_euler("xyz", [1, 2, 3]).as_matrix(),
        ),
        (
            '<pose degrees="true">0 0 0 0 0 90</pose>',
            (0, 0, 0),
            Rotation.from_euler("z", math.pi / 2).as_matrix(),
        ),
        (
            '<pose rotation_format="quat_xyzw">0 0 0 0 0 3 3</pose>',
            (0, 0, 0),
            Rotation.from_euler("z", math.pi / 2).as_matrix(),
        ),
        ('<pose relative_to="__model__">1 2 3 0 0 0</pose>', (0, 0, 0), R_WL.T),
        ('<pose relative_to="b">0 0 1 0 0 0</pose>', R_WL.T @ [-1, -2, -2], R_WL.T),
        ('<pose relative_to="f">0 0 1 0 0 0</pose>', (5, 0, 1), np.eye(3)),
        ('<pose relative_to="j">0 0 1 0 0 0</pose>', R_WL.T @ [-1, -2, 4], R_WL.T),
    ],
)
def test_poses_are_in_the_frame_of_the_link_unless_they_name_another(pose, position, rotation):
    around = (
        '<link name="b"/><frame name="f" attached_to="a"><pose>5 0 0 0 0 0</pose></frame>'
        '<joint name="j" type="fixed"><pose>0 0 6 0 0 0</pose><parent>a</parent><child>b</child>'
        "</joint>"
    )
    shape = only(collision(BALL, pose), around)
    np.testing.assert_allclose(shape.p_BoGo_B, position, atol=1e-15)
    np.testing.assert_allclose(shape.R_BG, rotation, atol=1e-15)


def test_links_of_one_name_still_hold_their_shapes():
    text = link(collision(BALL, "<pose>1 2 3 0 0 0</pose>"))
    for body in load(document(text + text)).bodies:
        assert body.shapes[0].p_BoGo_B == (1, 2, 3)


UNUSABLE = {
    "<collision/>": "no <geometry> with a shape",
    "<collision><geometry/></collision>": "no <geometry> with a shape",
    "<collision><geometry><empty/></geometry></collision>": "no shape",
    collision("<torus/>"): "<torus> is no shape of SDF",
    collision("<polyline><point>0 0</point><height>1</height></polyline>"): "an extruded outline",
    collision("<image><uri>a.png</uri></image>"): "made of an image",
    collision("<box/>"): "<box> has no size",
    collision("<box><size/></box>"): "<box> has no size",
    collision("<box><size>1 2</size></box>"): "expected 3 numbers",
    collision("<box><size>1 2 x</size></box>"): '"x" is no number',
    collision("<box><size>1 2 inf</size></box>"): "not finite",
    collision("<box><size>1 2 -3</size></box>"): "lengths are positive",
    collision("<sphere><radius>1,5</radius></sphere>"): "write 1.5",
    collision("<cylinder><radius>1</radius></cylinder>"): "<cylinder> has no length",
    collision("<mesh/>"): "<mesh> has no uri",
    collision("<mesh><uri>a.stl</uri><scale>1 0 1</scale></mesh>"): "leaves no volume",
    collision("<mesh><uri>a.stl</uri><submesh><name>x</name></submesh></mesh>"): "not told apart",
    collision(BALL, "<pose>1 2</pose>"): "its <pose> is none",
    collision(BALL, "<pose>1 2 3 0 0 nan</pose>"): "its <pose> is none",
    collision(BALL, '<pose rotation_format="quat_wxyz">1 2 3 1 0 0 0</pose>'): "its <pose> is none",
    collision(BALL, '<pose relative_to="nothing">1 2 3 0 0 0</pose>'): '"nothing", to which',
    collision(BALL, '<pose frame="a">1 2 3 0 0 0</pose>'): '"a", to which',
}


@pytest.mark.parametrize(("text", "reason"), UNUSABLE.items())
def test_what_cannot_be_read_says_why_and_is_no_problem(text, reason):
    model = load(document(link(text)))
    (shape,) = model.bodies[0].shapes
    assert reason in shape.note
    assert all(map(math.isnan, shape.p_BoGo_B))
    assert (model.problems, model.bodies[0].problems) == ((), ())


def test_the_folder_of_an_included_document_is_where_its_files_are_sought(tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "arm.stl").write_bytes(b"solid")
    part = link(collision("<mesh><uri>arm.stl</uri></mesh>"))
    (tmp_path / "arm" / "arm.sdf").write_bytes(document(part))
    main = tmp_path / "main.sdf"
    main.write_bytes(document("<include><uri>arm/arm.sdf</uri></include>"))
    model = load(main)
    (shape,) = model.bodies[0].shapes
    holder = model.source_of(shape.span).path
    assert resolve(shape.uri, holder).path == str(tmp_path / "arm" / "arm.stl")


@pytest.mark.corpus
def test_every_real_shape_is_read_or_says_why(corpus):
    found, unreadable = 0, []
    for path in sorted(corpus.rglob("*.sdf"))[::3]:
        if path.read_bytes().lstrip()[:1] != b"<":
            continue
        model = load(path)
        shapes = [shape for body in model.bodies for shape in body.shapes]
        found += len(shapes)
        unreadable += [(path.name, shape.note) for shape in shapes if shape.note]
    assert found > 1000
    assert len(unreadable) < 0.05 * found, unreadable[:20]
