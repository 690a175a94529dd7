"""Mesh files: STL by hand, all others through trimesh where it is installed."""

import struct
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents import meshes
from inertial_check.documents.load import load
from inertial_check.documents.meshes import THROUGH_TRIMESH, NotReadError, triangles
from inertial_check.errors import DocumentError, UsageError
from inertial_check.inertia.meshes import BLOCK, measure
from mesh_files import binary_stl

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)[
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
]


def text_stl(corners):
    lines = ["solid vertex of a name"]
    for triangle in corners:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {x:e} {y:e} {z:e}" for x, y, z in triangle]
        lines += ["    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid"]).encode()


def written(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def read(path):
    return np.concatenate(list(triangles(path)))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("binary.stl", binary_stl(TETRAHEDRON)),
        ("binary.STL", binary_stl(TETRAHEDRON, b"solid, says this binary file")),
        ("text.stl", text_stl(TETRAHEDRON)),
        ("shouting.stl", text_stl(TETRAHEDRON).upper().replace(b"\n", b"\r\n")),
    ],
)
def test_both_forms_of_stl_give_the_triangles(tmp_path, name, data):
    found = read(written(tmp_path, name, data))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, TETRAHEDRON)
    assert measure(triangles(tmp_path / name)).volume == 1


def test_an_empty_stl_has_no_triangle(tmp_path):
    assert list(triangles(written(tmp_path, "a.stl", binary_stl([])))) == []
    assert list(triangles(written(tmp_path, "b.stl", b"solid nothing\nendsolid"))) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (binary_stl(TETRAHEDRON)[:-1], "it has 283 bytes; a binary file of 4 triangles"),
        (binary_stl(TETRAHEDRON) + b"x", "it has 285 bytes"),
        (b"", "it has 0 bytes"),
        (b"<html>not found</html>", "no STL"),
        (text_stl(TETRAHEDRON).replace(b"2.0", b"two", 1), ":5:1: vertex"),
        (text_stl(TETRAHEDRON).replace(b" vertex 0", b" v 0", 1), "a facet of 2 corners"),
        (text_stl(TETRAHEDRON).rpartition(b"endfacet")[0], "ends inside a facet"),
    ],
)
def test_a_broken_stl_says_where(tmp_path, data, words):
    path = written(tmp_path, "broken.stl", data)
    with pytest.raises(DocumentError) as error:
        read(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("name", ["missing.stl", "missing.obj"])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(DocumentError, match="no such file"):
        read(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(DocumentError, match="not a file"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["mesh.step", "mesh"])
def test_unknown_formats_are_refused_with_the_known(tmp_path, name):
    with pytest.raises(UsageError, match=r"unknown mesh format .*known: .stl"):
        triangles(tmp_path / name)


def test_large_stl_files_are_read_in_blocks(tmp_path):
    count = 12 * BLOCK + 5
    facets = np.zeros(count, dtype=[("normal", "<f4", 3), ("v", "<f4", 9), ("attribute", "<u2")])
    head = b"".ljust(80, b"\0") + struct.pack("<I", count)
    path = written(tmp_path, "large.stl", head + facets.tobytes())
    tracemalloc.start()
    sizes = [len(block) for block in triangles(path)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sizes == [BLOCK] * 12 + [5]
    assert peak < path.stat().st_size / 2
    facet = b"\n".join(text_stl(TETRAHEDRON[:1]).splitlines()[1:-1]) + b"\n"
    path = written(tmp_path, "text.stl", b"solid\n" + facet * (BLOCK + 5))
    assert [len(block) for block in triangles(path)] == [BLOCK, 5]


@pytest.mark.parametrize("suffix", sorted(THROUGH_TRIMESH))
def test_without_the_extra_the_message_installs_it(tmp_path, monkeypatch, suffix):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    path = written(tmp_path, f"mesh{suffix}", b"x")
    with pytest.raises(NotReadError, match=r'pip install "inertial-check\[mesh\]"') as error:
        read(path)
    assert str(path) in str(error.value)
    assert str(path) not in error.value.note


OBJ = b"""mtllib nowhere.mtl
v 0 0 0
v 1 0 0
v 0 2 0
v 0 0 3
usemtl none
f 1 3 2
f 1/1/1 2/1/1 4/1/1
f -4 -1 -2
f 2 3 4
"""
PLY = b"""ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_index
end_header
0 0 0
1 0 0
0 2 0
0 0 3
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
"""
DAE = b"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset><created>2020-01-01T00:00:00</created><modified>2020-01-01T00:00:00</modified>
  <unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 2 0 0 0 3</float_array>
   <technique_common><accessor source="#pa" count="4" stride="3">
    <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
   </accessor></technique_common></source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
   <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s"><node><translate>0 0 1</translate>
  <instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""


def test_other_formats_go_through_trimesh(tmp_path):
    pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    path = written(tmp_path, "mesh.ply", PLY)
    np.testing.assert_array_equal(read(path), TETRAHEDRON)
    assert measure(triangles(path)).closed


@pytest.mark.parametrize(
    "data",
    [
        OBJ,
        OBJ.replace(b"\n", b"\r\n"),
        OBJ.replace(b"0 2 0", b"0 2 0 0.5 0.5 0.5"),
        OBJ.replace(b"v 0 2 0", b"v 0 \\\n2 0"),
        OBJ.replace(b"1/1/1 2/1/1 4/1/1", b"1//1 2//1 4//1"),
        b"f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3",
        OBJ.replace(b"usemtl none", b"vt 0 0\nvn 0 0 1\ng part\np 1\nl 1 2"),
    ],
    ids=["plain", "carriage returns", "colours", "continued", "normals", "faces first", "others"],
)
@pytest.mark.parametrize("piece", [1, 1 << 17])
def test_obj_is_read_without_trimesh(tmp_path, monkeypatch, data, piece):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    monkeypatch.setattr(meshes, "_PIECE", piece)
    found = read(written(tmp_path, "mesh.obj", data))
    assert sorted(found.tolist()) == sorted(TETRAHEDRON.tolist())


@pytest.mark.parametrize("piece", [1, 1 << 17])
def test_polygons_of_obj_are_fans(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(meshes, "_PIECE", piece)
    data = b"v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5\nf 1 2 3\n"
    found = read(written(tmp_path, "mesh.obj", data))
    assert len(found) == 4
    assert measure(found[:-1] if piece == 1 else found[1:]).area == 3


def test_negative_numbers_of_obj_count_from_where_they_stand(tmp_path):
    data = b"v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 -3 -2\n"
    found = read(written(tmp_path, "mesh.obj", data))
    np.testing.assert_array_equal(found, [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]] * 2)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (OBJ.replace(b"0 2 0", b"0 two 0"), ":4:1: vertex"),
        (OBJ.replace(b"0 2 0", b"0 2"), ":4:1: vertex"),
        (OBJ.replace(b"f 1 3 2", b"f 1 3"), "three corners or more"),
        (OBJ.replace(b"f 1 3 2", b"f 1 3 0"), "4 corners precede it, counted from 1"),
        (OBJ.replace(b"f -4", b"f -5"), "4 corners precede it, counted from 1"),
        (OBJ.replace(b"f 1 3 2", b"f 1 3 7"), "a face has the corner 7, but the file has 4"),
        (OBJ.replace(b"f 1 3 2", b"f 1 3 x"), "three corners or more"),
        (OBJ.partition(b"usemtl")[0], "it holds no triangle"),
        (b"", "it holds no triangle"),
    ],
)
def test_a_broken_obj_says_where(tmp_path, data, words):
    path = written(tmp_path, "broken.obj", data)
    with pytest.raises(DocumentError) as error:
        read(path)
    assert words in str(error.value)
    assert str(path) in str(error.value)


@given(seed=st.integers(0, 2**32 - 1))
def test_obj_is_what_trimesh_makes_of_it(tmp_path_factory, seed):
    trimesh = pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    rng = np.random.default_rng(seed)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in rng.normal(size=(20, 3)).tolist()]
    forms = ["{}", "{}/1", "{}//1", "{}/1/1"]
    lines += ["vt 0 0", "vn 0 0 1"]
    for _ in range(30):
        form, count = forms[rng.integers(len(forms))], int(rng.integers(3, 5))
        corners = rng.permutation(20)[:count] + 1
        lines.append("f " + " ".join(form.format(corner) for corner in corners))
    path = written(tmp_path_factory.mktemp("obj"), "mesh.obj", "\n".join(lines).encode())
    other = trimesh.load_mesh(path, process=False)
    ours, theirs = measure(triangles(path)), measure(np.asarray(other.triangles))
    assert ours.triangles == theirs.triangles
    assert ours.area == pytest.approx(theirs.area)
    assert ours.lower + ours.upper == pytest.approx(theirs.lower + theirs.upper)


@pytest.mark.parametrize(("suffix", "limit"), [(".obj", "LARGEST_OBJ"), (".ply", "LARGEST_WHOLE")])
def test_files_that_would_fill_the_memory_are_left_out(tmp_path, monkeypatch, suffix, limit):
    monkeypatch.setattr(meshes, limit, 100)
    path = written(tmp_path, f"large{suffix}", b" " * 101)
    with pytest.raises(NotReadError, match="101 bytes, and its format is read whole up to 100"):
        read(path)


def test_a_pointer_of_git_lfs_is_told(tmp_path):
    data = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 284\n" + b" " * 40
    for name in ("mesh.stl", "mesh.obj", "mesh.glb"):
        with pytest.raises(NotReadError, match="git lfs pull") as error:
            read(written(tmp_path, name, data))
        assert name not in error.value.note  # one note for all of them
    with pytest.raises(DocumentError, match="git lfs pull"):
        load(written(tmp_path, "model.urdf", data))


def test_collada_is_read_in_its_unit_and_its_scene(tmp_path):
    pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    pytest.importorskip("collada", reason='pip install "inertial-check[mesh]"')
    mesh = measure(triangles(written(tmp_path, "mesh.dae", DAE)))
    assert mesh.volume == pytest.approx(1e-6)
    assert mesh.lower == pytest.approx((0, 0, 0.01))


@pytest.mark.parametrize("name", ["mesh.obj", "mesh.ply", "mesh.glb", "mesh.dae"])
def test_broken_files_of_other_formats_are_no_traceback(tmp_path, name):
    pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    path = written(tmp_path, name, b"v one two three\nf 1 2 9\n")
    with pytest.raises(DocumentError, match=name):
        read(path)


@pytest.mark.corpus
def test_real_meshes_are_what_trimesh_makes_of_them(corpus):
    trimesh = pytest.importorskip("trimesh", reason='pip install "inertial-check[mesh]"')
    paths = sorted(path for path in corpus.rglob("*") if path.suffix.lower() == ".stl")
    assert len(paths) >= 40
    for path in paths:
        mesh, other = measure(triangles(path)), trimesh.load_mesh(path)
        assert mesh.closed == other.is_watertight, path
        if mesh.winding == "outward":
            body = mesh.solid(density=1.0)
            assert mesh.volume == pytest.approx(other.volume, rel=1e-12)
            np.testing.assert_allclose(body.com, other.center_mass, atol=1e-12 * mesh.area**0.5)
            scale = body.inertia_com.max()
            np.testing.assert_allclose(body.inertia_com, other.moment_inertia, atol=1e-12 * scale)
