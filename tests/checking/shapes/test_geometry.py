"""What the shapes of a body hold, what a mesh was taken for, and why a shape was skipped."""

import numpy as np
import pytest

from inertial_check import InertialParameters, load
from inertial_check.checking.shapes.evidence import GeometryReader
from inertial_check.documents.context import Context
from inertial_check.documents.model import Body, Model, Shape
from inertial_check.documents.source import Source, Span
from inertial_check.errors import UsageError
from inertial_check.inertia import solids
from mesh_files import CUBE, binary_stl, box

IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def shape(kind, *dimensions, role="collision", at=(0, 0, 0), rotation=IDENTITY, **mesh):
    return Shape(kind, role, dimensions, at, rotation, Span(0, 0), **mesh)


def body(*shapes):
    return Body("b", "b", Span(0, 0), None, False, None, (), shapes)


def mesh(name, **more):
    return shape("mesh", uri=name, **more)


def model_at(path="<bytes>", *others):
    return Model(Source(path, b""), "urdf", "", (), (), tuple(Source(o, b"") for o in others))


NOWHERE = model_at()


@pytest.fixture
def model(tmp_path):
    """A model beside meshes of a cube: good, inside out, with a hole, flat, broken."""
    for name, triangles in {
        "cube": CUBE,
        "inward": CUBE[:, ::-1],
        "hole": CUBE[1:],
        "flat": CUBE * [1, 1, 0],
    }.items():
        (tmp_path / f"{name}.stl").write_bytes(binary_stl(triangles))
    (tmp_path / "broken.stl").write_bytes(b"nothing")
    return model_at(str(tmp_path / "model.urdf"))


def close(found: InertialParameters, expected: InertialParameters):
    np.testing.assert_allclose(
        found.as_theta(about="com"), expected.as_theta(about="com"), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize(
    ("kind", "dimensions", "solid", "shell"),
    [
        ("box", (1, 2, 3), solids.box, solids.box_shell),
        ("sphere", (2,), solids.sphere, solids.sphere_shell),
        ("cylinder", (1, 3), solids.cylinder, solids.cylinder_shell),
        ("capsule", (1, 3), solids.capsule, solids.capsule_shell),
        ("cone", (1, 3), solids.cone, solids.cone_shell),
        ("ellipsoid", (1, 2, 3), solids.ellipsoid, None),
    ],
)
def test_each_kind_is_its_density_at_its_pose(kind, dimensions, solid, shell):
    turn = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, (1, 2, 3)
    one = shape(kind, *dimensions, at=(1, 2, 3), rotation=turn)
    numbers = [dimensions] if kind in {"box", "ellipsoid"} else dimensions
    for fill, density in (("solid", solid), ("shell", shell)):
        found = GeometryReader(NOWHERE, fill).body(body(one))
        if density is None:
            assert found.unit is None
            assert "no surface in closed form" in found.shapes[0].reason
            continue
        expected = density(*numbers, density=1.0).transform(pose)
        close(found.unit, expected)
        (use,) = found.shapes
        assert (use.reading, use.reason) == (fill, None)
        assert use.size == found.size == float(expected.mass)


def test_a_mesh_is_found_scaled_and_placed(model):
    one = mesh("cube.stl", scale=(2.0, 3.0, 4.0), at=(10, 0, 0))
    found = GeometryReader(model).body(body(one))
    close(found.unit, solids.box([2, 3, 4], density=1.0).translate([11, 1.5, 2]))
    (use,) = found.shapes
    assert (use.reading, use.reason, use.mesh.volume) == ("solid", None, pytest.approx(24))
    assert use.path.endswith("cube.stl")


def test_a_mirrored_mesh_keeps_its_inside(model):
    """A negative scale is a mirror: no triangle faces the wrong way for it."""
    found = GeometryReader(model).body(body(mesh("cube.stl", scale=(1.0, -1.0, 1.0))))
    assert found.shapes[0].mesh.winding == "outward"
    np.testing.assert_allclose(found.unit.com, [0.5, -0.5, 0.5])


@pytest.mark.parametrize(
    ("name", "readings", "taken", "words"),
    [
        ("inward", ("solid",), None, "face inwards"),
        ("inward", ("solid", "flipped"), "flipped", "face inwards"),
        ("inward", ("solid", "hull"), "hull", "face inwards"),
        ("inward", ("flipped",), "flipped", None),
        ("cube", ("hull",), "hull", None),
        ("hole", ("solid", "flipped"), None, "its bad edges: 3 at the rim of a hole"),
        ("hole", ("solid", "hull"), "hull", "not closed"),
        ("flat", ("solid", "flipped", "hull"), None, "in one plane"),
        ("broken", ("solid", "hull"), None, "no STL"),
        ("lost", ("solid", "hull"), None, "no such file"),
    ],
)
def test_what_a_mesh_is_taken_for_is_asked_for_and_told(model, name, readings, taken, words):
    found = GeometryReader(model, meshes=readings).body(body(mesh(f"{name}.stl")))
    (use,) = found.shapes
    assert use.reading == taken
    assert (use.reason is None) if words is None else words in use.reason
    if taken is None:
        assert found.unit is None
        assert (found.size, use.size) == (0, 0)
    else:
        close(found.unit, solids.box([1, 1, 1], density=1.0).translate([0.5] * 3))


def test_an_open_mesh_is_a_good_shell(model):
    found = GeometryReader(model, "shell").body(body(mesh("hole.stl"), shape("box", 1, 1, 1)))
    assert [use.reading for use in found.shapes] == ["shell", "shell"]
    assert found.size == pytest.approx(5.5 + 6)


def test_shapes_of_one_role_add_and_the_first_role_that_has_one_counts(model):
    shapes = [
        shape("box", 1, 1, 1, role="visual"),
        shape("sphere", 1, at=(5, 0, 0)),
        shape("sphere", 1, at=(-5, 0, 0)),
        mesh("lost.stl"),
    ]
    found = GeometryReader(model).body(body(*shapes))
    assert (found.role, len(found.shapes)) == ("collision", 3)
    np.testing.assert_allclose(found.unit.com, 0, atol=1e-15)
    assert found.size == pytest.approx(8 / 3 * np.pi)
    found = GeometryReader(model).body(body(*shapes), ["visual", "collision"])
    assert (found.role, found.size, len(found.shapes)) == ("visual", 1, 1)
    found = GeometryReader(model).body(body(shapes[0], mesh("lost.stl")))
    assert (found.role, len(found.shapes)) == ("visual", 2)
    assert GeometryReader(model).body(body()) == (None, None, ())


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (shape("plane"), "a plane has no volume"),
        (shape("heightmap"), "a heightmap has no volume"),
        (shape("torus", note="<torus> is no shape of URDF"), "is no shape of URDF"),
        (shape("box", 1, 1, 0), "the volume of the box is 0.0"),
        (mesh("cube.step"), "no such file"),
    ],
)
def test_what_holds_nothing_is_skipped_with_the_reason(model, one, words):
    found = GeometryReader(model).body(body(one))
    assert found.unit is None
    assert words in found.shapes[0].reason


def test_meshes_of_an_unknown_format_are_skipped(model, tmp_path):
    (tmp_path / "cube.step").write_bytes(b"ISO-10303-21;")
    found = GeometryReader(model).body(body(mesh("cube.step")))
    assert "unknown mesh format '.step'" in found.shapes[0].reason


def test_packages_are_looked_up(tmp_path, model):
    one = body(mesh("package://arm/cube.stl"))
    assert GeometryReader(NOWHERE).body(one).unit is None
    assert GeometryReader(NOWHERE, context=Context({"arm": str(tmp_path)})).body(
        one
    ).size == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fill": "foam"}, "fill is ['foam']"),
        ({"meshes": ["shell"]}, "expected some of 'solid', 'flipped', 'hull'"),
        ({"meshes": []}, "meshes is []"),
        ({"meshes": "solid"}, "meshes is 'solid'"),
    ],
)
def test_unknown_choices_are_refused_with_the_known(arguments, words):
    with pytest.raises(UsageError) as error:
        GeometryReader(NOWHERE, **arguments)
    assert words in str(error.value)


def test_a_mesh_far_from_its_frame_keeps_its_digits(tmp_path):
    (tmp_path / "far.stl").write_bytes(binary_stl(box([1, 2, 4], (1024, 0, 0))))
    found = GeometryReader(model_at(str(tmp_path / "m.urdf"))).body(
        body(mesh("far.stl", at=(-1024, 0, 0)))
    )
    close(found.unit, solids.box([1, 2, 4], density=1.0))


@pytest.mark.corpus
def test_real_bodies_are_measured(corpus):
    """Each model of MESHES.md whose packages lie beside it: every shape is used or says why."""
    for name in (
        "Gepetto+example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
        "Gepetto+example-robot-data/robots/allegro_hand_description/urdf/allegro_left_hand.urdf",
        "bulletphysics+bullet3/data/r2d2.urdf",
    ):
        model = load(corpus / name)
        reader = GeometryReader(model, meshes=("solid", "hull"))
        for one in model.bodies:
            found = reader.body(one)
            assert all(use.reading or use.reason for use in found.shapes)
            assert (found.unit is None) == (not one.shapes), (name, one.name)


def test_a_mesh_of_an_included_document_is_found_from_there(tmp_path, model):
    (tmp_path / "part").mkdir()
    (tmp_path / "part/own.stl").write_bytes(binary_stl(CUBE))
    whole = model_at(model.source.path, str(tmp_path / "part/part.sdf"))
    one = mesh("own.stl")
    assert GeometryReader(whole).body(body(one)).unit is None
    assert GeometryReader(whole).body(body(one._replace(span=Span(0, 0, 1)))).size == 1
