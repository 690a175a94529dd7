"""Archives of strangers: what is unpacked is bounded, regular, and inside the private folder."""

import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile

import pytest

from inertial_check.documents.files.access import Limits
from inertial_check.running.remote import addresses, archives
from inertial_check.running.remote.addresses import Budget, RefusedError
from inertial_check.running.remote.archives import unpack

SMALL = Limits(document=1 << 16, mesh=1 << 16)


def make_zip(members, **kwargs):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, **kwargs) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream


def make_tar(members, mode="w:gz", form=tarfile.PAX_FORMAT):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode, format=form) as archive:
        for name, data in members.items():
            if isinstance(data, tarfile.TarInfo):
                data.name = name
                archive.addfile(data)
                continue
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream


def make_zstandard(members, **options):
    zstandard = pytest.importorskip("zstandard", reason='pip install "inertial-check[cluster]"')
    plain = make_tar(members, "w:").getvalue()
    parameters = zstandard.ZstdCompressionParameters(**options)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return io.BytesIO(compressor.compress(plain) + compressor.flush())


COMPRESSED = {
    "gz": make_tar,
    "bz2": lambda members: make_tar(members, "w:bz2"),
    "xz": lambda members: make_tar(members, "w:xz"),
    "zst": make_zstandard,
}


def special(kind, target=""):
    info = tarfile.TarInfo()
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def unpacked(tmp_path):
    """unpacked(stream, kind) -> files on the disk, and lines about what was left out."""
    folder = tmp_path / "outer" / "root"
    folder.mkdir(parents=True)

    def unpacked(stream, kind, limits=SMALL):
        stream.seek(0)
        files, notes = unpack(stream, kind, str(folder), Budget(limits))
        on_disk = {str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir()}
        assert on_disk == set(files)
        everything = {p for p in tmp_path.rglob("*") if not p.is_dir()}
        assert everything == {folder / name for name in files}
        assert not any(p.is_symlink() for p in everything)
        return files, "\n".join(notes)

    unpacked.folder = folder
    return unpacked


HOSTILE = ["../evil", "/etc/evil", "a/../../evil", "..", "C:/evil", "a\\..\\evil", "./", "a//b"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_that_lead_outside_are_left_out(unpacked, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    members = {**dict.fromkeys(HOSTILE, b"evil"), "ok/model.urdf": b"<robot/>"}
    stream = make_zip(members) if kind == "zip" else make_tar(members)
    files, notes = unpacked(stream, kind)
    assert files == ["ok/model.urdf"]
    assert "leads outside" in notes
    assert not os.path.exists("/etc/evil")


def test_links_devices_and_pipes_of_a_tar_are_left_out(unpacked):
    members = {
        "link": special(tarfile.SYMTYPE, "/etc"),
        "link/passwd": b"written through the link",
        "hard": special(tarfile.LNKTYPE, "../../secret"),
        "pipe": special(tarfile.FIFOTYPE),
        "device": special(tarfile.CHRTYPE),
        "model.urdf": b"<robot/>",
    }
    files, notes = unpacked(make_tar(members), "tar")
    assert files == ["link/passwd", "model.urdf"]  # below a folder of that name, made here
    assert notes == "link and 3 more left out: a link, or no regular file"


def test_a_link_in_a_zip_is_left_out(unpacked):
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    files, notes = unpacked(make_zip({info: b"/etc/passwd", "m.urdf": b""}), "zip")
    assert files == ["m.urdf"]
    assert "a link" in notes


def test_a_member_that_has_to_be_there_is_missed_by_its_name(tmp_path):
    for name in ("gone.urdf", "link"):
        stream = make_tar({"m.urdf": b"", "link": special(tarfile.SYMTYPE, "/etc")})
        stream.seek(0)
        with pytest.raises(RefusedError, match=f"^{name}: (no such member|link .*a link)"):
            unpack(stream, "tar", str(tmp_path / name), Budget(SMALL), only=name)


@pytest.mark.parametrize("kind", ["zip", *COMPRESSED])
def test_a_bomb_is_refused_before_the_disk_is_full(unpacked, kind, tmp_path):
    members = {f"{n}.urdf": bytes(1 << 16) for n in range(64)}
    stream = COMPRESSED.get(kind, make_zip)(members)
    kind = "zip" if kind == "zip" else "tar"
    assert len(stream.getvalue()) < 1 << 16
    with pytest.raises(RefusedError, match=r"when unpacked; --max-file-size raises"):
        unpacked(stream, kind)
    assert sum(p.stat().st_size for p in tmp_path.rglob("*.urdf")) <= 4 << 16


def test_one_large_member_is_left_out_whatever_size_it_claims(unpacked):
    stream = make_zip({"a.urdf": bytes(1 << 17), "b.urdf": b"x"})
    files, notes = unpacked(stream, "zip")
    assert files == ["b.urdf"]
    assert "larger than 65536 bytes" in notes
    data = bytearray(stream.getvalue())
    for at in (22, data.index(b"PK\x01\x02") + 24):  # the sizes in its header and the directory
        data[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(RefusedError, match="damaged"):
        unpacked(io.BytesIO(bytes(data)), "zip")


def test_headers_that_claim_gigabytes_are_refused(unpacked):
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, (8 << 30) - 1
    stream = io.BytesIO(gzip.compress(header.tobuf() + bytes(1 << 20)))
    with pytest.raises(RefusedError, match="claims 8589934592 bytes"):
        unpacked(stream, "tar")


def test_too_many_members_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(addresses, "_MEMBERS", 10)
    stream = make_tar({str(n): b"" for n in range(11)})
    stream.seek(0)
    with pytest.raises(RefusedError, match="more than 10 files"):
        unpack(stream, "tar", str(tmp_path), Budget(SMALL, members=10))


def test_damage_of_every_kind_is_told_in_one_line(tmp_path):
    told = []
    for name, make in {"zip": make_zip, **COMPRESSED}.items():
        data = make({"a.urdf": b"<robot/>" * 99}).getvalue()
        kind = "zip" if name == "zip" else "tar"
        for cut in range(0, len(data), 11):
            for damaged in (data[:cut], data[:cut] + b"\xff" + data[cut + 1 :]):
                folder = tmp_path / f"{name}-{cut}-{len(damaged)}"
                folder.mkdir()
                try:
                    unpack(io.BytesIO(damaged), kind, str(folder), Budget(SMALL))
                except RefusedError as error:
                    told.append(str(error))
    assert len(told) > 25
    assert not any("\n" in line for line in told)


@pytest.mark.parametrize("compression", COMPRESSED)
def test_members_of_any_size_come_out_of_every_compression(unpacked, tmp_path, compression):
    members = {f"{size}.urdf": os.urandom(size) for size in (0, 1, 511, 512, 513, 70_000)}
    files, _ = unpacked(COMPRESSED[compression](members), "tar", Limits(mesh=1 << 20))
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*.urdf")}
    assert written == members
    assert len(files) == len(members)


def test_members_that_are_left_out_are_skipped_in_every_compression(unpacked):
    members = {"../a.urdf": bytes(5000), "large.urdf": bytes(1 << 17), "b.urdf": b"<robot/>"}
    for number, make in enumerate(COMPRESSED.values()):
        files, _ = unpacked(make({**members, f"{number}.urdf": b""}), "tar")
        assert files == ["b.urdf", f"{number}.urdf"]
        os.unlink(next(iter(unpacked.folder.rglob("b.urdf"))))
        os.unlink(next(iter(unpacked.folder.rglob(f"{number}.urdf"))))


def test_an_xz_file_of_several_streams_is_read_whole(unpacked):
    plain = make_tar({"a.urdf": b"a" * 5000, "b.urdf": b"b"}, "w:").getvalue()
    parts = [lzma.compress(plain[:3000]), bytes(8), lzma.compress(plain[3000:])]
    assert unpacked(io.BytesIO(b"".join(parts)), "tar")[0] == ["a.urdf", "b.urdf"]


def test_memory_for_decompressing_is_limited(unpacked):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}]
    plain = make_tar({"a.urdf": b""}, "w:").getvalue()
    stream = io.BytesIO(lzma.compress(plain, filters=filters))
    with pytest.raises(RefusedError, match="takes more than 256 MB of memory"):
        unpacked(stream, "tar")
    with pytest.raises(RefusedError, match="takes more than 128 MB of memory"):
        unpacked(make_zstandard({"a.urdf": b""}, window_log=28, enable_ldm=True), "tar")


def test_zstandard_without_its_library_is_told(unpacked, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("Python has it from 3.14 on")
    stream = make_zstandard({"a.urdf": b""})
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(RefusedError, match=r"needs zstandard: pip install"):
        unpacked(stream, "tar")


def test_a_directory_of_a_zip_is_not_read_whole(unpacked, monkeypatch):
    monkeypatch.setattr(archives, "_LARGEST_READ", 1 << 12)
    with pytest.raises(RefusedError, match="claims"):
        unpacked(make_zip({f"{n}.urdf": b"" for n in range(200)}), "zip")
