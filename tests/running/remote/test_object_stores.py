"""Models of an S3 store, as `moto` serves it on this machine, are checked within the limits."""

import os
import shutil
import zipfile

import pytest

from inertial_check.documents.files.access import Limits

moto = pytest.importorskip("moto.server", reason='pip install "moto[s3,server]" s3fs')
s3fs = pytest.importorskip("s3fs", reason='pip install "moto[s3,server]" s3fs')

KEY, SECRET = "AKIAHIDDENKEY", "hidden-secret"


@pytest.fixture(scope="module")
def server():
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    yield "http://{}:{}".format(*running.get_host_and_port())
    running.stop()


@pytest.fixture
def store(server, monkeypatch, tmp_path, data_dir):
    """The bucket `robots`, with models as files and in an archive; no other settings are read."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    s3fs.S3FileSystem.clear_instance_cache()
    files = s3fs.S3FileSystem()
    files.mkdir("robots")
    shutil.copytree(data_dir / "xacro", "xacro")
    files.put("xacro", "robots/xacro", recursive=True)
    files.put(str(data_dir / "defects/ic301-triangle.urdf"), "robots/arm/arm.urdf")
    with zipfile.ZipFile("robots.zip", "w") as archive:
        archive.write(data_dir / "defects/ic301-triangle.urdf", "arm.urdf")
    files.put("robots.zip", "robots/robots.zip")
    yield files
    files.rm("robots", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()


def check(run, *arguments):
    """The exit code and all output of a check, in which no credentials are."""
    code, text, told = run("check", *arguments, "--output-format", "concise")
    assert KEY not in text + told
    assert SECRET not in text + told
    return code, text + told


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("s3://robots/arm/arm.urdf", "s3://robots/arm/arm.urdf:9:21"),
        ("s3://robots/arm", "s3://robots/arm/arm.urdf:9:21"),
        ("s3://robots/", "s3://robots/xacro/parts/inertial.yaml:13:9"),
        ("s3://robots/xacro/arm.urdf.xacro", "s3://robots/xacro/parts/inertial.yaml:13:9"),
        ("s3://robots/robots.zip", "zip://arm.urdf::s3://robots/robots.zip:9:21"),
        ("zip://arm.urdf::s3://robots/robots.zip", "zip://arm.urdf::s3://robots/robots.zip:9:21"),
    ],
)
def test_files_folders_and_archives_are_checked(store, run, url, shown):
    code, told = check(run, url)
    assert code == 1
    assert f"{shown}: error IC301" in told


def test_an_object_above_the_limit_is_refused_before_it_is_fetched(store, run, monkeypatch):
    store.pipe("robots/large/large.urdf", bytes(1 << 20))
    store.pipe("robots/large/large.zip", bytes(1 << 20))
    opened = []
    original = s3fs.S3FileSystem._open

    def note(self, path, *arguments, **options):
        opened.append(path)
        return original(self, path, *arguments, **options)

    monkeypatch.setattr(s3fs.S3FileSystem, "_open", note)
    monkeypatch.setattr(Limits, "mesh", 1_000_000)
    for name in ("large.urdf", "large.zip"):
        code, told = check(run, f"s3://robots/large/{name}", "--max-file-size", "10000")
        assert code == 2
        assert "--max-file-size raises" in told
    store.rm("robots/large/large.zip")
    store.pipe("robots/large/small.urdf", b"<robot name='r'/>")
    assert "large.urdf: too large" in check(run, "s3://robots/large", "--max-file-size", "10000")[1]
    assert opened == ["robots/large/small.urdf"]


@pytest.mark.parametrize(
    "url", ["s3://nothing/a.urdf", "s3://robots/nothing.urdf", "s3://nothing/"]
)
def test_what_is_missing_is_told_without_credentials(store, run, url):
    code, told = check(run, url)
    assert code == 2
    assert url in told


def test_a_store_that_refuses_or_is_gone_is_told_without_credentials(store, run, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    s3fs.S3FileSystem.clear_instance_cache()
    code, told = check(run, f"s3://{KEY}:{SECRET}@robots/arm/arm.urdf?versionId={SECRET}")
    assert code == 2
    assert "s3://robots/arm/arm.urdf" in told
