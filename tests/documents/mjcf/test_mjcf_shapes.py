"""What an MJCF says of geoms; tests/cross holds their places and sizes against MuJoCo."""

import math

import pytest

from inertial_check.documents.load import load


def document(body, compiler="", head=""):
    return (
        f'<mujoco><compiler {compiler}/>{head}<worldbody><body name="b">{body}</body></worldbody>'
        "</mujoco>"
    )


def shapes(body, compiler="", head=""):
    (found,) = load(document(body, compiler, head).encode()).bodies
    return found.shapes


def only(body, compiler="", head=""):
    (shape,) = shapes(body, compiler, head)
    return shape


@pytest.mark.parametrize(
    ("geom", "kind", "dimensions"),
    [
        ('<geom size="0.5"/>', "sphere", (0.5,)),
        ('<geom type="box" size="1 2 3"/>', "box", (2, 4, 6)),
        ('<geom type="ellipsoid" size="1 2 3"/>', "ellipsoid", (1, 2, 3)),
        ('<geom type="cylinder" size="1 2"/>', "cylinder", (1, 4)),
        ('<geom type="capsule" size="1" fromto="0 0 0 0 3 4"/>', "capsule", (1, 5)),
        ('<geom type="plane" size="1 1 1"/>', "plane", ()),
    ],
)
def test_dimensions_are_in_the_order_of_the_model(geom, kind, dimensions):
    shape = only(geom)
    assert (shape.kind, shape.dimensions, shape.note) == (kind, dimensions, None)


def test_a_height_field_has_no_dimensions():
    shape = only('<geom type="hfield" hfield="h" pos="1 2 3"/>')
    assert (shape.kind, shape.dimensions, shape.note) == ("heightmap", (), None)
    assert shape.p_BoGo_B == (1, 2, 3)


UNUSABLE = {
    '<geom type="torus" size="1"/>': "expected sphere, capsule",
    '<geom type="sdf" mesh="m"/>': "a distance function",
    '<geom type="box" size="1 2"/>': "a box has 3",
    '<geom type="box"/>': "is missing",
    '<geom size="1 2 3 4"/>': "a sphere has 1",
    '<geom size="0"/>': "are positive",
    '<geom size="-1"/>': "are positive",
    '<geom size="nan"/>': "not finite",
    '<geom size="1,5"/>': "write 1.5",
    '<geom size="1" pos="1 2"/>': "no pose",
    '<geom size="1" pos="1 2 inf"/>': "no pose",
    '<geom size="1" quat="0 0 0 0"/>': "no pose",
    '<geom size="1" quat="1 0 0 0" euler="0 0 0"/>': "no pose",
    '<geom size="1" fromto="0 0 0 1 1 1"/>': "fromto, which a sphere has not",
    '<geom type="plane" size="1 1 1" fromto="0 0 0 1 1 1"/>': "fromto, which a plane has not",
    '<geom type="capsule" size="1" fromto="0 0 0 1 1"/>': "expected 6 numbers",
    '<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>': "one point twice",
    '<geom type="capsule" size="1" fromto="0 0 0 1 1 1" pos="1 0 0"/>': "only one",
    '<geom type="capsule" fromto="0 0 0 1 1 1"/>': "is missing",
    '<geom type="mesh"/>': "has no mesh",
    '<geom type="mesh" mesh="none"/>': "not among the assets",
    '<geom type="mesh" mesh="inline"/>': "in no file",
    '<geom type="mesh" mesh="flat"/>': "is 0",
    '<geom type="mesh" mesh="junk"/>': "is no number",
    '<geom type="mesh" mesh="unturned"/>': "refquat",
    '<geom type="mesh" mesh="skewed"/>': "before it is scaled by unequal factors",
    '<geom type="box" mesh="m"/>': "that MuJoCo fits to a mesh",
    '<geom mesh="m"/>': "a sphere that MuJoCo fits to a mesh",
    '<frame pos="x"><geom size="1"/></frame>': "the <frame> around it",
    '<frame pos="1.5e308 0 0"><geom pos="1.5e308 0 0" size="1"/></frame>': "more than float64",
    '<replicate count="2"><geom size="1"/></replicate>': "makes several of it",
}
ASSETS = """<asset>
  <mesh name="m" file="m.stl"/><mesh name="inline" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <mesh name="flat" file="m.stl" scale="1 0 1"/><mesh name="junk" file="m.stl" scale="1 x 1"/>
  <mesh name="unturned" file="m.stl" refquat="0 0 0 0"/>
  <mesh name="skewed" file="m.stl" refquat="1 2 3 4" scale="1 2 3"/>
</asset>"""


@pytest.mark.parametrize(("body", "reason"), UNUSABLE.items())
def test_what_cannot_be_read_says_why_and_is_no_problem(body, reason):
    shape = only(body, head=ASSETS)
    assert reason in shape.note
    assert all(map(math.isnan, shape.p_BoGo_B))
    if "<frame" not in body:  # whose pose also moves what an inertial in it says
        model = load(document(body, head=ASSETS).encode())
        assert (model.problems, model.bodies[0].problems) == ((), ())


def test_global_coordinates_are_nowhere():
    assert "coordinates of the world" in only('<geom size="1"/>', 'coordinate="global"').note


def test_every_geom_of_a_body_in_order_and_none_of_others():
    inside = (
        '<geom name="a" size="1"/><body name="c"><geom name="x" size="3"/></body>'
        '<frame><geom name="d" size="2"/></frame>'
    )
    model = load(document(inside).encode())
    found = [[shape.dimensions for shape in body.shapes] for body in model.bodies]
    assert found == [[(1,), (2,)], [(3,)]]
    assert model.source.text(model.bodies[0].shapes[1].span) == '<geom name="d" size="2"/>'


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
    assert only('<geom type="mesh" mesh="m"/>', compiler, head).uri == uri


def test_files_of_an_included_document_are_sought_beside_the_main_one(tmp_path):
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
