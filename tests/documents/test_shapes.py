"""What URDF, SDF and MJCF say of shapes, read when it is looked at and never judged.

Drake's and MuJoCo's cross-checks hold places and sizes of whole models.
"""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertial_check import DocumentError
from inertial_check.documents.load import load
from inertial_check.documents.model import DIMENSIONS, Body
from inertial_check.documents.resources import resolve
from inertial_check.documents.source import Span

BALL = "<sphere><radius>1</radius></sphere>"
URDF_BALL = '<sphere radius="1"/>'
IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
ASSETS = """<asset>
  <mesh name="m" file="m.stl"/><mesh name="inline" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <mesh name="flat" file="m.stl" scale="1 0 1"/><mesh name="junk" file="m.stl" scale="1 x 1"/>
  <mesh name="unturned" file="m.stl" refquat="0 0 0 0"/>
  <mesh name="skewed" file="m.stl" refquat="1 2 3 4" scale="1 2 3"/>
</asset>"""


def urdf(shapes, attributes=""):
    return f'<robot name="r"{attributes}><link name="a">{shapes}</link></robot>'


def sdf_link(shapes, name="a"):
    return f'<link name="{name}"><pose>1 2 3 0.1 0.2 0.3</pose>{shapes}</link>'


def sdf(shapes, around=""):
    return f'<sdf version="1.9"><model name="m">{sdf_link(shapes)}{around}</model></sdf>'


def mjcf(shapes, compiler="", head=ASSETS):
    return (
        f'<mujoco><compiler {compiler}/>{head}<worldbody><body name="b">{shapes}</body></worldbody>'
        "</mujoco>"
    )


def collision(geometry, place=""):
    return f'<collision name="c">{place}<geometry>{geometry}</geometry></collision>'


def only(text):
    body = load(text.encode()).bodies[0]
    (shape,) = body.shapes
    return shape


@pytest.mark.parametrize(
    ("text", "kind", "dimensions"),
    [
        (urdf(collision('<box size="1 .2 3e-1"/>')), "box", (1, 0.2, 0.3)),
        (urdf(collision('<sphere radius="0.5"/>')), "sphere", (0.5,)),
        (urdf(collision('<cylinder length="2" radius="0.5"/>')), "cylinder", (0.5, 2)),
        (urdf(collision('<capsule radius=" 0.5 " length="2"/>')), "capsule", (0.5, 2)),
        (urdf(collision('<box size="1 1 0"/>')), "box", (1, 1, 0)),
        (sdf(collision("<box><size>1 .2 3e-1</size></box>")), "box", (1, 0.2, 0.3)),
        (sdf(collision("<sphere><radius> 0.5 </radius></sphere>")), "sphere", (0.5,)),
        *(
            (
                sdf(collision(f"<{kind}><length>2</length><radius>.5</radius></{kind}>")),
                kind,
                (0.5, 2),
            )
            for kind in ("cylinder", "capsule", "cone")
        ),
        (sdf(collision("<ellipsoid><radii>1 2 3</radii></ellipsoid>")), "ellipsoid", (1, 2, 3)),
        (sdf(collision("<plane><normal>0 0 1</normal><size>1 1</size></plane>")), "plane", ()),
        (sdf(collision("<heightmap><uri>a.png</uri></heightmap>")), "heightmap", ()),
        (
            sdf(collision("<!-- x --><drake:hint/><box><size><!-- m -->1 1 1</size></box>")),
            "box",
            (1, 1, 1),
        ),
        (mjcf('<geom size="0.5"/>'), "sphere", (0.5,)),
        (mjcf('<geom type="box" size="1 2 3"/>'), "box", (2, 4, 6)),
        (mjcf('<geom type="ellipsoid" size="1 2 3"/>'), "ellipsoid", (1, 2, 3)),
        (mjcf('<geom type="cylinder" size="1 2"/>'), "cylinder", (1, 4)),
        (mjcf('<geom type="plane" size="1 1 1"/>'), "plane", ()),
        (mjcf('<geom type="hfield" hfield="h"/>'), "heightmap", ()),
    ],
)
def test_dimensions_are_in_the_order_of_the_model(text, kind, dimensions):
    shape = only(text)
    assert (shape.kind, shape.dimensions, shape.note) == (kind, dimensions, None)
    assert len(dimensions) == len(DIMENSIONS[kind])
    assert (shape.p_BoGo_B, shape.R_BG) == ((0, 0, 0), IDENTITY)


def test_a_geom_from_point_to_point_lies_between_them():
    shape = only(mjcf('<geom type="capsule" size="1" fromto="0 0 0 0 3 4"/>'))
    assert (shape.kind, shape.dimensions) == ("capsule", (1, 5))
    assert shape.p_BoGo_B == (0, 1.5, 2)


def test_meshes_keep_their_uri_and_scale():
    for text in (
        urdf(collision('<mesh filename=" package://p/a&amp;b.stl" scale="1 -1 0.001"/>')),
        sdf(
            collision("<mesh><uri> package://p/a&amp;b.stl </uri><scale>1 -1 0.001</scale></mesh>")
        ),
    ):
        shape = only(text)
        assert (shape.kind, shape.dimensions) == ("mesh", ())
        assert (shape.uri, shape.scale) == ("package://p/a&b.stl", (1, -1, 0.001))
    assert only(urdf(collision('<mesh filename="a.stl"/>'))).scale == (1, 1, 1)
    assert only(sdf(collision("<mesh><uri>a.stl</uri><scale/></mesh>"))).scale == (1, 1, 1)


def test_roles_order_and_places():
    visual = f'<visual name="v"><geometry>{URDF_BALL}</geometry></visual>\n'
    shapes = visual + collision('<box size="1 1 1"/>') + collision('<sphere radius="2"/>')
    model = load(urdf(shapes).encode())
    (body,) = model.bodies
    found = [(shape.role, shape.dimensions) for shape in body.shapes]
    assert found == [("visual", (1,)), ("collision", (1, 1, 1)), ("collision", (2,))]
    assert model.source.text(body.shapes[0].span).startswith('<visual name="v">')
    assert model.source.line_column(body.shapes[1].span.start) == (2, 1)
    text = sdf(f'<visual name="v"><geometry>{BALL}</geometry></visual>' + collision(BALL))
    assert [shape.role for shape in load(text.encode()).bodies[0].shapes] == ["visual", "collision"]


def test_every_geom_of_a_body_in_order_and_none_of_others():
    inside = (
        '<geom name="a" size="1"/><body name="c"><geom name="x" size="3"/></body>'
        '<frame><geom name="d" size="2"/></frame>'
    )
    model = load(mjcf(inside).encode())
    found = [[shape.dimensions for shape in body.shapes] for body in model.bodies]
    assert found == [[(1,), (2,)], [(3,)]]
    assert model.source.text(model.bodies[0].shapes[1].span) == '<geom name="d" size="2"/>'


UNUSABLE = {
    "no <geometry> with a shape": [
        *(form(text) for form in (urdf, sdf) for text in ("<collision/>", collision("")))
    ],
    "no shape": [
        urdf(collision('<torus radius="1"/>')),
        sdf(collision("<torus/>")),
        sdf(collision("<empty/>")),
    ],
    "has no size": [
        urdf(collision("<box/>")),
        sdf(collision("<box/>")),
        sdf(collision("<box><size/></box>")),
    ],
    "expected 3 numbers": [
        urdf(collision('<box size="1 2"/>')),
        urdf(collision('<mesh filename="a" scale="1"/>')),
        sdf(collision("<box><size>1 2</size></box>")),
    ],
    '"x" is no number': [
        urdf(collision('<box size="1 2 x"/>')),
        sdf(collision("<box><size>1 2 x</size></box>")),
    ],
    "not finite": [
        urdf(collision('<box size="1 2 nan"/>')),
        sdf(collision("<box><size>1 2 inf</size></box>")),
        mjcf('<geom size="nan"/>'),
    ],
    "are positive": [
        urdf(collision('<box size="1 2 -1"/>')),
        sdf(collision("<box><size>1 2 -3</size></box>")),
        mjcf('<geom size="0"/>'),
        mjcf('<geom size="-1"/>'),
    ],
    "write 1.5": [
        urdf(collision('<sphere radius="1,5"/>')),
        sdf(collision("<sphere><radius>1,5</radius></sphere>")),
        mjcf('<geom size="1,5"/>'),
    ],
    "expected a number": [urdf(collision('<sphere radius=""/>'))],
    "has no filename": [urdf(collision("<mesh/>"))],
    "is 0": [
        urdf(collision('<mesh filename="a" scale="0 1 1"/>')),
        mjcf('<geom type="mesh" mesh="flat"/>'),
    ],
    "xyz of <origin>": [urdf(collision(URDF_BALL, '<origin xyz="0 0"/>'))],
    "rpy of <origin>": [urdf(collision(URDF_BALL, '<origin rpy="0 0 inf"/>'))],
    "both rpy and quat_xyzw": [
        urdf(collision(URDF_BALL, '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), ' version="1.2"')
    ],
    "no rotation": [urdf(collision(URDF_BALL, '<origin quat_xyzw="0 0 0 0"/>'), ' version="1.2"')],
    "<torus> is no shape of SDF": [sdf(collision("<torus/>"))],
    "an extruded outline": [
        sdf(collision("<polyline><point>0 0</point><height>1</height></polyline>"))
    ],
    "made of an image": [sdf(collision("<image><uri>a.png</uri></image>"))],
    "<cylinder> has no length": [sdf(collision("<cylinder><radius>1</radius></cylinder>"))],
    "<mesh> has no uri": [sdf(collision("<mesh/>"))],
    "leaves no volume": [sdf(collision("<mesh><uri>a.stl</uri><scale>1 0 1</scale></mesh>"))],
    "not told apart": [
        sdf(collision("<mesh><uri>a.stl</uri><submesh><name>x</name></submesh></mesh>"))
    ],
    "its <pose> is none": [
        sdf(collision(BALL, "<pose>1 2</pose>")),
        sdf(collision(BALL, "<pose>1 2 3 0 0 nan</pose>")),
        sdf(collision(BALL, '<pose rotation_format="quat_wxyz">1 2 3 1 0 0 0</pose>')),
    ],
    '"nothing", to which': [sdf(collision(BALL, '<pose relative_to="nothing">1 2 3 0 0 0</pose>'))],
    '"a", to which': [sdf(collision(BALL, '<pose frame="a">1 2 3 0 0 0</pose>'))],
    "expected sphere, capsule": [mjcf('<geom type="torus" size="1"/>')],
    "a distance function": [mjcf('<geom type="sdf" mesh="m"/>')],
    "a box has 3": [mjcf('<geom type="box" size="1 2"/>')],
    "is missing": [mjcf('<geom type="box"/>'), mjcf('<geom type="capsule" fromto="0 0 0 1 1 1"/>')],
    "a sphere has 1": [mjcf('<geom size="1 2 3 4"/>')],
    "no pose": [
        mjcf('<geom size="1" pos="1 2"/>'),
        mjcf('<geom size="1" pos="1 2 inf"/>'),
        mjcf('<geom size="1" quat="0 0 0 0"/>'),
        mjcf('<geom size="1" quat="1 0 0 0" euler="0 0 0"/>'),
    ],
    "fromto, which a sphere has not": [mjcf('<geom size="1" fromto="0 0 0 1 1 1"/>')],
    "fromto, which a plane has not": [
        mjcf('<geom type="plane" size="1 1 1" fromto="0 0 0 1 1 1"/>')
    ],
    "expected 6 numbers": [mjcf('<geom type="capsule" size="1" fromto="0 0 0 1 1"/>')],
    "one point twice": [mjcf('<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>')],
    "only one": [mjcf('<geom type="capsule" size="1" fromto="0 0 0 1 1 1" pos="1 0 0"/>')],
    "has no mesh": [mjcf('<geom type="mesh"/>')],
    "not among the assets": [mjcf('<geom type="mesh" mesh="none"/>')],
    "in no file": [mjcf('<geom type="mesh" mesh="inline"/>')],
    "is no number": [mjcf('<geom type="mesh" mesh="junk"/>')],
    "refquat": [mjcf('<geom type="mesh" mesh="unturned"/>')],
    "before it is scaled by unequal factors": [mjcf('<geom type="mesh" mesh="skewed"/>')],
    "that MuJoCo fits to a mesh": [mjcf('<geom type="box" mesh="m"/>')],
    "a sphere that MuJoCo fits to a mesh": [mjcf('<geom mesh="m"/>')],
    "the <frame> around it": [mjcf('<frame pos="x"><geom size="1"/></frame>')],
    "more than float64": [
        mjcf('<frame pos="1.5e308 0 0"><geom pos="1.5e308 0 0" size="1"/></frame>')
    ],
    "makes several of it": [mjcf('<replicate count="2"><geom size="1"/></replicate>')],
    "coordinates of the world": [mjcf('<geom size="1"/>', 'coordinate="global"')],
}
"""What is said of a shape that cannot be read, and documents with such a shape."""


@pytest.mark.parametrize(
    ("reason", "text"), [(reason, text) for reason, some in UNUSABLE.items() for text in some]
)
def test_what_cannot_be_read_says_why_and_is_no_problem(reason, text):
    model = load(text.encode())
    (shape,) = model.bodies[0].shapes
    assert reason in shape.note
    assert all(map(math.isnan, shape.p_BoGo_B))
    if "<frame" in text or "global" in text:  # which also concern what an inertial says
        return
    assert (model.problems, model.bodies[0].problems) == ((), ())


# -- poses --------------------------------------------------------------------------------------


R_WL = Rotation.from_euler("xyz", [0.1, 0.2, 0.3]).as_matrix()
"""Of link a in its model, in SDF."""
QUARTER = Rotation.from_euler("z", math.pi / 2).as_matrix()


@pytest.mark.parametrize(
    ("origin", "attributes", "position", "rotation"),
    [
        ('<origin xyz="1 2 -3" rpy="0.1 0.2 0.3"/>', "", (1, 2, -3), R_WL),
        ('<origin quat_xyzw="0 0 3 3"/>', ' version="1.1"', (0, 0, 0), QUARTER),
        ('<origin quat_xyzw="0 0 3 3"/>', "", (0, 0, 0), np.eye(3)),
    ],
)
def test_origins_are_poses_in_the_body_frame(origin, attributes, position, rotation):
    shape = only(urdf(collision(URDF_BALL, origin), attributes))
    assert shape.p_BoGo_B == position
    np.testing.assert_allclose(shape.R_BG, rotation, atol=1e-15)


@pytest.mark.parametrize(
    ("pose", "position", "rotation"),
    [
        ("<pose>1 2 3 0 0 0</pose>", (1, 2, 3), np.eye(3)),
        ('<pose relative_to="">1 2 3 0 0 0</pose>', (1, 2, 3), np.eye(3)),
        ('<pose relative_to="a">1 2 3 0 0 0</pose>', (1, 2, 3), np.eye(3)),
        ("<pose>0 0 0 .1 .2 .3</pose>", (0, 0, 0), R_WL),
        ('<pose degrees="true">0 0 0 0 0 90</pose>', (0, 0, 0), QUARTER),
        ('<pose rotation_format="quat_xyzw">0 0 0 0 0 3 3</pose>', (0, 0, 0), QUARTER),
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
    shape = only(sdf(collision(BALL, pose), around))
    np.testing.assert_allclose(shape.p_BoGo_B, position, atol=1e-15)
    np.testing.assert_allclose(shape.R_BG, rotation, atol=1e-15)


def test_links_of_one_name_still_hold_their_shapes():
    shape = collision(BALL, "<pose>1 2 3 0 0 0</pose>")
    for body in load(sdf(shape, sdf_link(shape)).encode()).bodies:
        assert body.shapes[0].p_BoGo_B == (1, 2, 3)


# -- files of meshes ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("compiler", "file", "uri"),
    [
        ("", "a.stl", "a.stl"),
        ('meshdir="m"', "a.stl", "m/a.stl"),
        ('meshdir="m/"', "sub/a.stl", "m/sub/a.stl"),
        ('assetdir="n"', "a.stl", "n/a.stl"),
        ('assetdir="n" meshdir="m"', "a.stl", "m/a.stl"),
        ('meshdir="m" strippath="true"', "sub/a.stl", "m/a.stl"),
        ('meshdir="m\\\\o"', "sub\\a.stl", "m//o/sub/a.stl"),
        ('meshdir="m"', "/abs/a.stl", "/abs/a.stl"),
        ('meshdir="/abs"', "a.stl", "/abs/a.stl"),
    ],
)
def test_files_of_meshes_are_found_by_the_compilers_folders(compiler, file, uri):
    head = f'<asset><mesh name="m" file="{file}"/></asset>'
    assert only(mjcf('<geom type="mesh" mesh="m"/>', compiler, head)).uri == uri


def test_files_of_an_included_mjcf_are_sought_beside_the_main_one(tmp_path):
    """MuJoCo does so; the path is given from the document in which the geom stands."""
    (tmp_path / "parts").mkdir()
    part = '<mujocoinclude><body><geom type="mesh" mesh="m"/></body></mujocoinclude>'
    (tmp_path / "parts" / "part.xml").write_text(part)
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="m.stl"/></asset><worldbody>'
        '<body><geom type="mesh" mesh="m"/></body><include file="parts/part.xml"/></worldbody>'
        "</mujoco>"
    )
    first, second = (body.shapes[0] for body in load(main).bodies)
    assert (first.uri, second.uri) == ("meshes/m.stl", "../meshes/m.stl")
    assert second.span.file == 1


def test_files_of_an_included_sdf_are_sought_in_its_folder(tmp_path):
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "arm.stl").write_bytes(b"solid")
    (tmp_path / "arm" / "arm.sdf").write_text(sdf(collision("<mesh><uri>arm.stl</uri></mesh>")))
    main = tmp_path / "main.sdf"
    main.write_text(sdf("", "<include><uri>arm/arm.sdf</uri></include>"))
    model = load(main)
    shape = model.bodies[1].shapes[0]
    holder = model.source_of(shape.span).path
    assert resolve(shape.uri, holder).path == str(tmp_path / "arm" / "arm.stl")


# -- all of them --------------------------------------------------------------------------------


def test_shapes_compare_copy_and_pickle_as_tuples():
    first, second = (load(urdf(collision(URDF_BALL)).encode()) for _ in range(2))
    assert first.bodies == second.bodies
    assert hash(first.bodies[0].shapes) == hash(tuple(second.bodies[0].shapes))
    other = load(urdf(collision('<sphere radius="2"/>')).encode())
    assert first.bodies[0].shapes != other.bodies[0].shapes
    assert first.bodies[0].shapes != "sphere"
    for again in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert type(again.bodies[0].shapes) is tuple
        assert again.bodies == second.bodies
    assert repr(first.bodies[0].shapes).startswith("(Shape(kind='sphere'")


def test_a_body_without_shapes_has_none():
    assert load(urdf("").encode()).bodies[0].shapes == ()
    assert Body("b", "id", Span(0, 0), None, False, None).shapes == ()


@pytest.mark.corpus
@pytest.mark.parametrize(("suffix", "step", "most"), [("urdf", 3, 0.02), ("sdf", 6, 0.05)])
def test_every_real_shape_is_read_or_says_why(corpus, amount, suffix, step, most):
    found, unreadable = 0, []
    for path in sorted(corpus.rglob(f"*.{suffix}"))[:: amount(step, 1)]:
        if path.read_bytes().lstrip()[:1] != b"<":
            continue
        try:
            model = load(path)
        except DocumentError:
            continue  # the tests of reading the corpus know which
        for body in model.bodies:
            found += len(body.shapes)
            unreadable += [(path.name, shape.note) for shape in body.shapes if shape.note]
    assert found > 500
    assert len(unreadable) < most * found, unreadable[:20]
