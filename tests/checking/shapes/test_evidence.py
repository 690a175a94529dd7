"""Shapes as evidence: exact for simple ones, measured for meshes, and nothing left out in silence.

The oracle is trimesh where it is installed, and clouds of points elsewhere; GeometryReader adds the
same shapes up by another way.
"""

import os
import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.checking.shapes import meshes as measured_meshes
from inertial_check.checking.shapes.evidence import GeometryReader, read_geometry
from inertial_check.checking.shapes.meshes import measure_file
from inertial_check.documents import meshes
from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access
from inertial_check.documents.load import load
from inertial_check.documents.model import Body, Model, Shape
from inertial_check.documents.source import Source, Span
from inertial_check.inertia.meshes import convex_hull
from inertial_check.inertia.sampling import rotations
from mesh_files import CORNERS, CUBE, FACES, binary_stl, box

SAME = (1.0, 1.0, 1.0)
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
KINDS = {"box": 3, "sphere": 1, "ellipsoid": 3, "cylinder": 2, "capsule": 2, "cone": 2}
OBJ = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "".join(
    f"f {a} {b} {c}\n" for a, b, c in FACES + 1
)


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    monkeypatch.setattr(
        measured_meshes, "_MEMORY", measured_meshes._Memory(measured_meshes.REMEMBERED)
    )
    monkeypatch.setattr(measured_meshes, "_DIGESTS", measured_meshes._Memory(1000))


def shape(kind, *dimensions, role="collision", at=(0.0, 0.0, 0.0), rotation=IDENTITY, **more):
    R_BG = tuple(tuple(float(x) for x in row) for row in rotation)
    return Shape(kind, role, dimensions, tuple(at), R_BG, Span(0, 0), **more)


def mesh(uri, **more):
    return shape("mesh", uri=uri, **more)


def model(*bodies, path="<bytes>"):
    listed = tuple(
        Body(f"b{i}", f"b{i}", Span(0, 0), None, False, None, (), shapes)
        for i, shapes in enumerate(bodies)
    )
    return Model(Source(str(path), b""), "urdf", "", listed)


def one(*shapes, path="<bytes>"):
    """The geometry of a body with shapes of one role."""
    (found,) = read_geometry(model(shapes, path=path), Context()).bodies[0]
    return found


def matrix(six):
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def agree(found, size, center, covariance, digits=1e-11):
    extent = np.sqrt(np.trace(covariance))
    assert found.volume == pytest.approx(size, rel=digits)
    np.testing.assert_allclose(
        found.p_BoGcm_B, center, atol=digits * (extent + np.abs(center).max())
    )
    np.testing.assert_allclose(matrix(found.C_GGcm_B), covariance, atol=digits * extent**2)


def placed(rng):
    return {"at": tuple(rng.normal(size=3).tolist()), "rotation": rotations(rng, 1)[0]}


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 1.0, 1e3]))
def test_simple_shapes_are_the_sum_that_another_reader_makes(seed, scale):
    rng = np.random.default_rng(seed)
    bodies = [
        [
            shape(
                kind,
                *(scale * 10 ** rng.uniform(-1, 1, KINDS[kind])).tolist(),
                role=("visual", "collision")[rng.integers(2)],
                at=tuple((scale * rng.normal(size=3)).tolist()),
                rotation=rotations(rng, 1)[0],
            )
            for kind in rng.choice(list(KINDS), rng.integers(0, 5)).tolist()
        ]
        for _ in range(4)
    ]
    robot = model(*bodies)
    geometry = read_geometry(robot, Context())
    for body, found in zip(robot.bodies, geometry.bodies, strict=True):
        roles = [
            role for role in ("visual", "collision") if any(s.role == role for s in body.shapes)
        ]
        assert [each.role for each in found] == roles
        for each in found:
            unit = GeometryReader(robot).body(body, [each.role]).unit
            agree(each, float(unit.mass), unit.com, unit.central_second_moment / unit.mass)
            assert (each.meshes, each.skipped, each.remarks) == (0, 0, ())
            assert np.all(np.array(each.lower) < each.upper)


def test_reach_of_a_turned_box_is_that_of_its_corners():
    rng = np.random.default_rng(0)
    for _ in range(20):
        edges, pose = 10 ** rng.uniform(-2, 2, 3), placed(rng)
        found = one(shape("box", *edges, **pose))
        corners = (CORNERS - 0.5) * edges @ pose["rotation"].T + pose["at"]
        reached = (corners @ np.array(found.directions).T).max(axis=0)
        np.testing.assert_allclose(found.support, reached, rtol=1e-12, atol=1e-12 * max(edges))
        np.testing.assert_allclose(found.lower, corners.min(axis=0), atol=1e-12 * max(edges))
        np.testing.assert_allclose(found.upper, corners.max(axis=0), atol=1e-12 * max(edges))


def test_what_a_body_reaches_is_the_farthest_of_its_shapes():
    found = one(shape("box", 2.0, 2.0, 2.0), shape("sphere", 1.0, at=(5.0, 0.0, 0.0)))
    assert (found.lower, found.upper) == ((-1, -1, -1), (6, 1, 1))
    assert found.support[:3] == (6, 1, 1)
    assert found.volume == pytest.approx(8 + 4 / 3 * np.pi)


@pytest.mark.parametrize("seed", range(8))
def test_meshes_are_what_trimesh_makes_of_them(tmp_path, seed):
    """A random convex mesh, scaled unequally and perhaps mirrored, somewhere in the body."""
    trimesh = pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    rng = np.random.default_rng(seed)
    scale = (10 ** rng.uniform(-3, 3)) * rng.uniform(0.5, 2, 3) * rng.choice([-1, 1], 3)
    triangles = convex_hull(rng.normal(size=(30, 1, 3)).repeat(3, axis=1)).astype(np.float32)
    (tmp_path / "hull.stl").write_bytes(binary_stl(triangles))
    pose = placed(rng)
    pose["at"] = tuple((np.array(pose["at"]) * np.abs(scale)).tolist())
    found = one(mesh("hull.stl", scale=tuple(scale.tolist()), **pose), path=tmp_path / "robot.urdf")
    other = trimesh.load_mesh(tmp_path / "hull.stl")
    other.apply_transform(np.diag([*scale, 1]))
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = pose["rotation"], pose["at"]
    other.apply_transform(frame)
    assert other.is_watertight
    tensor = other.moment_inertia / other.volume
    covariance = np.trace(tensor) / 2 * np.eye(3) - tensor
    agree(found, other.volume, other.center_mass, covariance, 1e-6)  # trimesh merges corners
    reached = (other.vertices @ np.array(found.directions).T).max(axis=0)
    np.testing.assert_allclose(found.support, reached, rtol=1e-9, atol=1e-9 * np.abs(scale).max())
    assert (found.meshes, found.skipped, found.remarks) == (1, 0, ())
    hull = other.convex_hull
    np.testing.assert_allclose(found.lower, hull.bounds[0], atol=1e-9 * np.abs(scale).max())
    np.testing.assert_allclose(found.upper, hull.bounds[1], atol=1e-9 * np.abs(scale).max())


@pytest.fixture
def folder(tmp_path):
    """Meshes of a cube beside a model: sound, with each fault, and broken."""
    crossing = np.concatenate([box([1, 1, 1]), box([0.9, 0.9, 0.9], (5, 0, 0))[:, ::-1]])
    for name, triangles in {
        "cube": CUBE,
        "inward": CUBE[:, ::-1],
        "open": CUBE[1:],
        "flat": CUBE[:2],
        "sheet": np.concatenate([CUBE[2:], CUBE[2:, ::-1]]),
        "crossing": crossing,
        "empty": np.zeros((3, 3, 3)),
    }.items():
        (tmp_path / f"{name}.stl").write_bytes(binary_stl(triangles))
    (tmp_path / "truncated.stl").write_bytes(binary_stl(CUBE)[:-7])
    (tmp_path / "nan.obj").write_text(OBJ.replace("v 1.0 1.0 1.0", "v nan 1 1"))
    (tmp_path / "cube.obj").write_text(OBJ)
    (tmp_path / "cube.step").write_text("ISO-10303-21;")
    return tmp_path


@pytest.mark.parametrize("name", ["cube.stl", "cube.obj"])
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1e-3, 1e-3, 1e-3), (1.0, -2.0, 3.0)])
def test_a_scaled_cube(folder, name, scale):
    found = one(mesh(name, scale=scale, at=(1.0, 2.0, 3.0)), path=folder / "m.urdf")
    edges = np.array(scale)
    agree(found, abs(edges.prod()), (1, 2, 3) + edges / 2, np.diag(edges**2 / 12))
    assert found.lower == pytest.approx(np.array([1, 2, 3]) + np.minimum(0, edges))
    assert found.upper == pytest.approx(np.array([1, 2, 3]) + np.maximum(0, edges))


@pytest.mark.parametrize(
    ("name", "fault", "words", "usable"),
    [
        ("inward.stl", "inward", "taken as if they were turned", True),
        ("open.stl", "open", "its surface is taken", True),
        ("flat.stl", "flat", "it adds no volume", True),
        ("sheet.stl", "flat", "a sheet with two sides", True),
        ("crossing.stl", "crossing", "runs through itself", True),
        ("empty.stl", "empty", "no area: left out", False),
        ("truncated.stl", "unreadable", "a binary file of 12 triangles", False),
        ("nan.obj", "unreadable", "expected finite numbers", False),
        ("cube.step", "unreadable", "unknown mesh format '.step'", False),
    ],
)
def test_what_is_wrong_with_a_mesh_is_said_and_nothing_is_raised(
    folder, name, fault, words, usable
):
    shapes = [mesh(name), shape("box", 1.0, 1.0, 1.0, role="visual")]
    geometry = read_geometry(model((), shapes, path=folder / "m.urdf"), Context())
    (told,) = geometry.faults
    assert (told.uri, told.body, told.fault) == (name, 1, fault)
    assert words in told.reason
    assert (geometry.found, geometry.missing, geometry.notes) == (1, (), ())
    roles = {each.role: each for each in geometry.bodies[1]}
    assert ("collision" in roles) == usable
    if usable:
        (remark,) = roles["collision"].remarks
        assert words in remark
        assert name in remark
        assert (roles["collision"].meshes, roles["collision"].skipped) == (1, 0)


def test_an_inward_mesh_is_turned(folder):
    found = one(mesh("inward.stl"), path=folder / "m.urdf")
    agree(found, 1, [0.5] * 3, np.eye(3) / 12)


def test_an_open_mesh_shows_its_surface_and_its_reach(folder):
    found = one(mesh("open.stl"), path=folder / "m.urdf")
    assert np.isnan(found.volume)
    shell = GeometryReader(model(path=folder / "m.urdf"), "shell").body(
        Body("b", "b", Span(0, 0), None, False, None, (), (mesh("open.stl"),))
    )
    np.testing.assert_allclose(found.p_BoGcm_B, shell.unit.com)
    covariance = shell.unit.central_second_moment / shell.unit.mass
    np.testing.assert_allclose(matrix(found.C_GGcm_B), covariance, atol=1e-15)
    assert (found.lower, found.upper) == ((0, 0, 0), (1, 1, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_beside_an_open_mesh_all_count_with_their_surfaces(folder, kind):
    other = shape(kind, *[0.5] * KINDS[kind], at=(4.0, 0.0, 0.0))
    found = one(mesh("open.stl"), other, path=folder / "m.urdf")
    assert np.isnan(found.volume)
    robot = model((mesh("open.stl"), other), path=folder / "m.urdf")
    unit = GeometryReader(robot, "shell").body(robot.bodies[0]).unit
    np.testing.assert_allclose(found.p_BoGcm_B, unit.com, atol=1e-12)
    covariance = unit.central_second_moment / unit.mass
    np.testing.assert_allclose(matrix(found.C_GGcm_B), covariance, atol=1e-12)
    assert any("for its reach alone" in remark for remark in found.remarks) == (kind == "ellipsoid")
    assert found.upper[0] > 4


def test_what_is_flat_adds_no_volume_and_alone_shows_its_surface(folder):
    both = one(mesh("flat.stl"), shape("box", 1.0, 1.0, 1.0), path=folder / "m.urdf")
    agree(both, 1, (0, 0, 0), np.eye(3) / 12)
    alone = one(mesh("flat.stl"), path=folder / "m.urdf")
    assert np.isnan(alone.volume)
    assert sorted(np.diag(matrix(alone.C_GGcm_B))) == pytest.approx([0, 1 / 12, 1 / 12])


@pytest.mark.parametrize(
    ("skipped", "words"),
    [
        (shape("plane"), "a plane has no volume"),
        (shape("torus"), "a torus has no volume"),
        (shape("box", 1.0, 1.0, 0.0), "the volume of the box is 0.0"),
        (shape("box", 1e200, 1e200, 1.0), "the volume of the box is inf"),
        (shape("", note="<geometry> is empty"), "<geometry> is empty"),
        (mesh("lost.stl"), "lost.stl"),
    ],
)
def test_what_holds_nothing_is_skipped_with_a_remark(skipped, words):
    found = one(shape("sphere", 1.0), skipped)
    assert found.volume == pytest.approx(4 / 3 * np.pi)
    assert (found.skipped, found.upper) == (1, (1, 1, 1))
    (remark,) = found.remarks
    assert words in remark
    assert read_geometry(model((skipped,)), Context()).bodies == ((),)


def test_models_without_shapes_have_no_geometry():
    assert read_geometry(model((), ()), Context()).bodies == ((), ())


def counting_opens(monkeypatch):
    opened = Counter()
    original = Access.open_mesh

    def counted(access, path, *args):
        opened[os.path.basename(path)] += 1
        return original(access, path, *args)

    monkeypatch.setattr(Access, "open_mesh", counted)
    return opened


def counting_measurements(monkeypatch):
    measured = []
    original = measured_meshes.scaled_triangles

    def counted(path, *args):
        measured.append(path)
        return original(path, *args)

    monkeypatch.setattr(measured_meshes, "scaled_triangles", counted)
    return measured


def write_gltf(folder, triangles):
    """Write cube.gltf, whose corners are in a file beside it."""
    trimesh = pytest.importorskip("trimesh", reason="install it: pip install trimesh")
    solid = trimesh.Trimesh(triangles.reshape(-1, 3), np.arange(36).reshape(-1, 3), process=False)
    for name, data in solid.export(file_type="gltf").items():
        (folder / name.replace("model", "cube")).write_bytes(data)


def test_a_file_is_measured_once_for_all_its_shapes_and_models(folder, monkeypatch):
    """Each file is opened for its digest, and again where it has to be measured."""
    opened = counting_opens(monkeypatch)
    rng = np.random.default_rng(0)
    shapes = [mesh(name, **placed(rng)) for name in ("cube.stl", "cube.obj") for _ in range(5)]
    robot = model(shapes, shapes[:3], path=folder / "m.urdf")
    first = read_geometry(robot, Context())
    assert opened == {"cube.stl": 2, "cube.obj": 2}
    assert read_geometry(robot, Context()) == first
    assert GeometryReader(robot).body(robot.bodies[0]).size == pytest.approx(10)
    assert opened == {"cube.stl": 2, "cube.obj": 2}
    larger = mesh("cube.stl", scale=(2.0, 2.0, 2.0))
    assert one(larger, path=folder / "m.urdf").volume == pytest.approx(8)
    turned = mesh("cube.stl", **placed(rng))
    assert one(turned, path=folder / "m.urdf").volume == pytest.approx(1)
    assert opened["cube.stl"] == 4


def test_copies_of_a_file_are_measured_once(folder, monkeypatch):
    """Copies under other names and in other folders, but not what another format reads."""
    (folder / "left").mkdir()
    for name in ("left/copy.stl", "copy.STL", "copy.obj"):
        (folder / name).write_bytes((folder / "cube.stl").read_bytes())
    measured = counting_measurements(monkeypatch)
    found = [measure_file(str(folder / name), SAME) for name in ("cube.stl", "left/copy.stl")]
    found.append(measure_file(str(folder / "copy.STL"), SAME))
    assert found[0] is found[1] is found[2]
    assert measured == [str(folder / "cube.stl")]
    with pytest.raises(ic.InertialCheckError, match="no triangle"):
        measure_file(str(folder / "copy.obj"), SAME)


def test_a_mesh_that_refers_to_other_files_is_remembered_by_its_path(folder):
    """The same text in another folder can mean other corners, as a glTF file with its buffer."""
    for name, size in (("small", 1.0), ("large", 2.0)):
        (folder / name).mkdir()
        write_gltf(folder / name, size * CUBE)
    (folder / "large/cube.gltf").write_bytes((folder / "small/cube.gltf").read_bytes())
    volumes = [
        measure_file(str(folder / name / "cube.gltf"), SAME).mesh.volume
        for name in ("small", "large")
    ]
    assert volumes == pytest.approx([1, 8])


def test_a_file_that_changes_while_it_is_measured_is_not_remembered(folder, monkeypatch):
    """Whoever can swap the file must not decide what other copies of its digest measure."""
    path = folder / "cube.stl"
    genuine = path.read_bytes()
    read = measured_meshes.scaled_triangles

    def swap(*args):
        path.write_bytes(binary_stl(3 * CUBE))
        return read(*args)

    monkeypatch.setattr(measured_meshes, "scaled_triangles", swap)
    assert measure_file(str(path), SAME).mesh.volume == pytest.approx(27)
    monkeypatch.setattr(measured_meshes, "scaled_triangles", read)
    (folder / "copy.stl").write_bytes(genuine)
    assert measure_file(str(folder / "copy.stl"), SAME).mesh.volume == pytest.approx(1)


def test_a_remembered_mesh_is_not_shown_to_a_document_that_may_not_read_a_copy(folder):
    """The digest of a copy is taken through the wall of the document that names it."""
    (folder / "robot").mkdir()
    copy = folder / "robot" / "copy.stl"
    copy.write_bytes((folder / "cube.stl").read_bytes())
    granted = Access(roots=(str(folder / "robot"),))
    assert measure_file(str(copy), SAME, access=granted).mesh.volume == pytest.approx(1)
    with pytest.raises(ic.InertialCheckError, match="outside"):
        measure_file(str(folder / "cube.stl"), SAME, access=granted)


def test_a_file_that_changes_is_read_again(folder):
    robot = model((mesh("cube.stl"),), path=folder / "m.urdf")
    assert read_geometry(robot, Context()).bodies[0][0].volume == 1
    (folder / "cube.stl").write_bytes(binary_stl(2 * CUBE))
    os.utime(folder / "cube.stl", ns=(1, 1))
    assert read_geometry(robot, Context()).bodies[0][0].volume == 8
    (folder / "cube.stl").unlink()
    assert read_geometry(robot, Context()).missing[0][0] == "cube.stl"


def test_what_is_remembered_is_bounded(folder, monkeypatch):
    monkeypatch.setattr(measured_meshes, "_MEMORY", measured_meshes._Memory(3))
    for size in range(1, 6):
        measure_file(str(folder / "cube.stl"), (float(size),) * 3)
    measure_file(str(folder / "cube.stl"), (3.0,) * 3)
    measure_file(str(folder / "cube.stl"), (6.0,) * 3)
    kept = [key.scale[0] for key in measured_meshes._MEMORY._values]
    assert kept == [5, 3, 6]
    turns = [tuple(map(tuple, R.tolist())) for R in rotations(np.random.default_rng(0), 100)]
    found = measure_file(str(folder / "cube.stl"), (7.0,) * 3, turns)
    assert set(found.reach) == set(turns)
    assert all(key.scale[0] != 7 for key in measured_meshes._MEMORY._values)


def test_files_that_are_not_found_are_listed_once_with_the_first_body(folder):
    lost, other = mesh("lost.stl"), mesh("package://arm/a.dae", role="visual")
    robot = model((mesh("cube.stl"),), (lost, lost, other), (other,), path=folder / "m.urdf")
    geometry = read_geometry(robot, Context())
    assert [(uri, body) for uri, body, _ in geometry.missing] == [
        ("package://arm/a.dae", 1),
        ("lost.stl", 1),
    ]
    assert "the package arm" in geometry.missing[0][2]
    assert (geometry.found, [len(each) for each in geometry.bodies]) == (1, [1, 0, 0])


def test_packages_are_looked_up(folder):
    robot = model((mesh("package://arm/cube.stl"),))
    assert read_geometry(robot, Context()).missing
    assert read_geometry(robot, Context({"arm": str(folder)})).bodies[0][0].volume == 1


def test_one_note_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "trimesh", None)
    for name in ("a.dae", "b.dae"):
        (folder / name).write_text("<COLLADA/>")
    shapes = [mesh("a.dae"), mesh("b.dae"), mesh("cube.obj")]
    geometry = read_geometry(model(shapes, path=folder / "m.urdf"), Context())
    (note,) = geometry.notes
    assert 'pip install "inertial-check[mesh]"' in note
    (found,) = geometry.bodies[0]
    assert (found.volume, found.meshes, found.skipped, len(found.remarks)) == (1, 1, 2, 2)
    assert (geometry.found, geometry.faults) == (3, ())


def test_a_file_that_is_too_large_to_be_read_whole_is_a_note(folder, monkeypatch):
    monkeypatch.setattr(meshes, "LARGEST_OBJ", 10)
    geometry = read_geometry(model((mesh("cube.obj"),), path=folder / "m.urdf"), Context())
    assert "is read whole up to 10 only" in geometry.notes[0]
    assert "cube.obj" in geometry.notes[0]


@pytest.mark.corpus
def test_real_models_are_measured_and_say_what_they_lack(corpus):
    for name in (
        "Gepetto+example-robot-data/robots/finger_edu_description/robots/finger_edu.urdf",
        "Gepetto+example-robot-data/robots/allegro_hand_description/urdf/allegro_left_hand.urdf",
        "bulletphysics+bullet3/data/r2d2.urdf",
    ):
        robot = load(corpus / name)
        geometry = read_geometry(robot, Context())
        assert not geometry.missing
        for body, found in zip(robot.bodies, geometry.bodies, strict=True):
            assert {each.role for each in found} == {shape.role for shape in body.shapes}
            for each in found:
                assert np.all(np.linalg.eigvalsh(matrix(each.C_GGcm_B)) > 0)
                assert np.all(np.array(each.lower) <= each.p_BoGcm_B)
                assert np.all(np.array(each.upper) >= each.p_BoGcm_B)


URDF = """<robot name="arm">
  <link name="base"><visual><geometry><mesh filename="cube.stl"/></geometry></visual></link>
  <link name="hand">
    <visual><geometry><mesh filename="package://arm/hand.dae"/></geometry></visual>
    <collision><geometry><mesh filename="lost.stl"/></geometry></collision>
  </link>
  <link name="tool"><visual><geometry><mesh filename="lost.stl"/></geometry></visual></link>
</robot>"""


def findings(text, path, **settings):
    report = ic.check_model(load(text.encode(), path=str(path)), Settings(**settings))
    return {finding.code: finding for finding in report.findings}


def test_missing_meshes_are_one_warning_at_the_first_shape_that_names_one(folder):
    found = findings(URDF, folder / "m.urdf")["IC003"]
    assert (found.severity.word, found.place.line, found.body) == ("warning", 4, None)
    assert found.values == {"files": 2, "bodies": 2}
    assert "2 mesh files of 2 bodies not found" in found.message
    assert "package://arm/hand.dae, lost.stl" in found.message
    assert "all of them" not in found.message
    assert "--package-path arm=DIR" in found.message
    assert "--geometry off" in found.message
    assert "IC003" not in findings(URDF, folder / "m.urdf", geometry="off")


def test_where_no_mesh_is_found_that_is_said(folder):
    found = findings(URDF.replace("cube.stl", "gone.stl"), folder / "m.urdf")["IC003"]
    assert "3 mesh files of 3 bodies not found (all of them)" in found.message
    assert found.place.line == 2


def test_many_missing_meshes_are_counted_and_some_are_named(folder):
    shapes = "".join(
        f'<visual><geometry><mesh filename="m{i}.stl"/></geometry></visual>' for i in range(9)
    )
    found = findings(f'<robot name="r"><link name="a">{shapes}</link></robot>', folder / "m.urdf")
    assert "9 mesh files of 1 body not found" in found["IC003"].message
    assert "m0.stl, m1.stl, m2.stl and 6 more" in found["IC003"].message


@pytest.mark.parametrize(
    ("name", "default", "strict"),
    [
        ("cube.stl", False, False),
        ("inward.stl", True, True),
        ("truncated.stl", True, True),
        ("empty.stl", True, True),
        ("open.stl", False, True),
        ("flat.stl", False, True),
        ("crossing.stl", False, True),
    ],
)
def test_faults_of_meshes_are_one_note(folder, name, default, strict):
    text = URDF.replace("cube.stl", name).replace("lost.stl", name)
    for preset, expected in (("default", default), ("strict", strict)):
        found = findings(text, folder / "m.urdf", preset=preset)
        assert ("IC506" in found) == expected
        if expected:
            assert found["IC506"].severity.word == "note"
            assert found["IC506"].values == {"meshes": 1}
            assert name in found["IC506"].message


def test_a_large_mesh_is_measured_in_bounded_memory(tmp_path):
    import tracemalloc

    count = 300_000
    facets = np.zeros(count, dtype=[("normal", "<f4", 3), ("v", "<f4", (3, 3)), ("rest", "<u2")])
    facets["v"] = np.tile(CUBE, (count // 12, 1, 1))
    head = b"".ljust(80, b"\0") + struct.pack("<I", count)
    (tmp_path / "large.stl").write_bytes(head + facets.tobytes())
    robot = model((mesh("large.stl"),), path=tmp_path / "m.urdf")
    tracemalloc.start()
    found = read_geometry(robot, Context()).bodies[0][0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.volume == pytest.approx(count / 12)
    assert peak < 25e6


def test_a_mesh_that_stands_twice_counts_once(tmp_path):
    once = box((1.0, 1.0, 0.1))
    for twice in (np.concatenate([once, once])[:, ::-1], np.concatenate([once, once])):
        (tmp_path / "part.stl").write_bytes(binary_stl(twice))
        found = read_geometry(model([mesh("part.stl")], path=str(tmp_path / "r.urdf")), {})
        assert found.bodies[0][0].volume == pytest.approx(0.1, rel=1e-6)
    text = (
        '<robot name="r"><link name="a"><inertial><mass value="{}"/><inertia ixx="{}" iyy="{}" '
        'izz="{}" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh '
        'filename="part.stl"/></geometry></visual></link></robot>'
    )
    for mass, doubted in ((0.7, True), (1.4, False), (1400.0, False), (2800.0, True)):
        moments = [mass * 1.01 / 12, mass * 1.01 / 12, mass / 6]
        path = tmp_path / "r.urdf"
        path.write_text(text.format(mass, *moments))
        codes = [each.code for each in ic.check_model(path).files[0].findings]
        assert ("IC503" in codes) == doubted, (mass, codes)
