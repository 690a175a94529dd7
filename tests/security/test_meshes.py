"""Attacks with mesh files: memory, absurd numbers, archives, and files that name other files."""

import json
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from inertial_check.documents import meshes
from inertial_check.documents.files.access import Access, Limits
from inertial_check.documents.meshes import MOST_CORNERS, MOST_TRIANGLES, NotReadError, triangles
from inertial_check.errors import DocumentError
from mesh_files import binary_stl, box

CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
GIGABYTE = 1 << 30


def read(path, access=None):
    return np.concatenate(list(triangles(path, access)))


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


READ = """
import sys
from inertial_check.errors import DocumentError
from inertial_check.documents.meshes import NotReadError, triangles
try:
    print(sum(map(len, triangles(sys.argv[1]))))
except (DocumentError, NotReadError) as error:
    print(error)
"""


def read_in_a_gigabyte(path):
    """Read a mesh in a process that can have no more than a gigabyte of memory."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE)),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestObj:
    @pytest.mark.parametrize("index", [10**20, -(10**20), 2**31, -4, 0, 4, "9" * 5000])
    def test_an_index_of_no_corner_is_a_finding(self, tmp_path, index):
        path = write(tmp_path, "a.obj", f"{CORNERS}f 1 2 {index}\n")
        with pytest.raises(DocumentError) as caught:
            read(path)
        assert len(str(caught.value)) < 300 + len(str(path))

    def test_a_face_of_more_corners_than_the_limit_is_refused(self, tmp_path):
        ring = " ".join(["1", "2", "3"] * (MOST_CORNERS // 3 + 1))
        with pytest.raises(DocumentError, match=f"the limit is {MOST_CORNERS}"):
            read(write(tmp_path, "a.obj", f"{CORNERS}f {ring}\n"))

    @pytest.mark.parametrize("glue", [" ", " \\\n"])
    def test_a_face_of_nine_million_corners_is_refused_in_a_gigabyte(self, tmp_path, glue):
        path = write(tmp_path, "a.obj", f"{CORNERS}f {glue.join(['1', '2', '3'] * 3_000_000)}\n")
        assert "a line of more than" in read_in_a_gigabyte(path)

    def test_a_line_without_end_is_refused_in_a_gigabyte(self, tmp_path):
        path = tmp_path / "a.obj"
        with path.open("wb") as file:
            file.truncate(meshes.LARGEST_OBJ)
        assert "a line of more than" in read_in_a_gigabyte(path)

    def test_lines_that_go_on_for_ever_are_refused(self, tmp_path):
        path = write(tmp_path, "a.obj", "f 1\\\n" * 4_000_000)
        with pytest.raises(DocumentError, match="a line of more than"):
            read(path)

    def test_a_face_that_goes_on_in_the_next_line_is_read(self, tmp_path):
        path = write(tmp_path, "a.obj", f"{CORNERS}f 1 \\\n2 \\\r\n3\nf -3 -2 -1\n")
        assert read(path).shape == (2, 3, 3)


class TestStl:
    def test_a_text_without_line_ends_is_refused_in_a_gigabyte(self, tmp_path):
        path = tmp_path / "a.stl"
        with path.open("wb") as file:
            file.write(b"solid ")
            file.truncate(GIGABYTE - 1)
        assert "a line of more than" in read_in_a_gigabyte(path)

    def test_a_sparse_file_beyond_the_limit_is_not_read(self, tmp_path):
        path = tmp_path / "a.stl"
        with path.open("wb") as file:
            file.write(b"solid a\n")
            file.truncate(3 * GIGABYTE)
        with pytest.raises(DocumentError, match="--max-file-size raises it"):
            read(path)

    def test_a_facet_without_end_is_refused_at_its_fourth_corner(self, tmp_path):
        path = write(tmp_path, "a.stl", "solid a\nfacet\n" + "vertex 0 0 0\n" * 1000)
        with pytest.raises(DocumentError, match="more than 3 corners"):
            read(path)

    def test_more_triangles_than_the_limit_are_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr(meshes, "MOST_TRIANGLES", 11)
        path = write(tmp_path, "a.stl", binary_stl(box((1, 1, 1))))
        with pytest.raises(DocumentError, match=f"more than {MOST_TRIANGLES} triangles"):
            read(path)


def write_gltf(tmp_path, uri, count=3, kind="VEC3"):
    accessor = {"bufferView": 0, "componentType": 5126, "count": count, "type": kind}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"uri": uri, "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [accessor],
    }
    if uri is None:
        del accessor["bufferView"], document["buffers"], document["bufferViews"]
    return write(tmp_path, "a.gltf", json.dumps(document))


class TestThroughTrimesh:
    def test_a_buffer_outside_the_root_is_not_opened(self, tmp_path):
        pytest.importorskip("trimesh")
        root = tmp_path / "root"
        root.mkdir()
        corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "<f4").tobytes()
        (tmp_path / "b.bin").write_bytes(corners)
        (root / "b.bin").write_bytes(corners)
        (root / "c.bin").symlink_to(tmp_path / "b.bin")
        access = Access(roots=(str(root),))
        assert read(write_gltf(root, "b.bin"), access).shape == (1, 3, 3)
        for uri in ("../b.bin", "%2e%2e/b.bin", "c.bin", str(tmp_path / "b.bin"), "/dev/zero"):
            with pytest.raises(DocumentError, match="--follow-outside"):
                read(write_gltf(root, uri), access)

    def test_a_file_outside_the_root_is_not_opened_itself(self, tmp_path):
        pytest.importorskip("trimesh")
        (tmp_path / "root").mkdir()
        path = write(tmp_path, "a.ply", "ply\n")
        with pytest.raises(DocumentError, match="--follow-outside"):
            read(path, Access(roots=(str(tmp_path / "root"),)))

    @pytest.mark.parametrize("count", [10**12, -1])
    def test_an_array_of_absurd_size_is_not_allocated(self, tmp_path, count):
        with pytest.raises(DocumentError, match="an accessor claims"):
            read(write_gltf(tmp_path, None, count))

    def test_a_json_text_nested_without_end_is_refused(self, tmp_path):
        path = write(tmp_path, "a.gltf", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")
        with pytest.raises(DocumentError, match="nested too deep"):
            read(path)

    def test_an_archive_that_unfolds_beyond_the_limit_is_refused(self, tmp_path):
        path = tmp_path / "a.3mf"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part in range(2):
                archive.writestr(f"{part}.model", b"\0" * (meshes.LARGEST_WHOLE // 2 + 1))
        assert path.stat().st_size < 1 << 20
        with pytest.raises(DocumentError, match="unfolds to"):
            read(path)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_entities_of_xml_are_refused(self, tmp_path, encoding):
        text = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><COLLADA>&b;</COLLADA>'
        with pytest.raises(DocumentError, match="entities"):
            read(write(tmp_path, "a.dae", text.encode(encoding)))

    @pytest.mark.parametrize("missing", ["networkx", "lxml"])
    def test_3mf_names_the_package_that_is_missing(self, tmp_path, monkeypatch, missing):
        pytest.importorskip("trimesh")

        def refuse(*arguments, **options):
            raise ImportError(f"No module named '{missing}'")

        monkeypatch.setattr("trimesh.load_scene", refuse)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else 1)
        path = tmp_path / "a.3mf"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("3D/a.model", "<model/>")
        with pytest.raises(NotReadError, match=f"{missing}, which is not .* install {missing}$"):
            read(path)


def test_the_limit_of_a_mesh_follows_the_option(tmp_path):
    path = write(tmp_path, "a.stl", binary_stl(box((1, 1, 1))))
    with pytest.raises(DocumentError, match="--max-file-size"):
        read(path, Access(follow_outside=True, limits=Limits(mesh=100)))
