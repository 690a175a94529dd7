"""Models by URL and in archives are checked as on the disk, and reported by their address."""

import json
import os
import shutil
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.running.remote import bundles, web
from inertial_check.running.workers import WorkerProcess


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, and redirects and misbehaves on request; notes what it was asked for."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        if (target := self.server.redirects.get(self.path.partition("?")[0])) is not None:
            self.send_response(302)
            self.send_header("Location", target)
            self.end_headers()
        elif self.path == "/claims.urdf":
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 40))
            self.end_headers()
        elif self.path == "/endless.urdf":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                pass
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture(autouse=True)
def _check_in_this_process(monkeypatch):
    monkeypatch.setattr(WorkerProcess, "do", lambda self, task: iter([task.run()]))


@pytest.fixture
def serve(tmp_path):
    """serve() -> a running web server for tmp_path/www."""
    (tmp_path / "www").mkdir()
    running = []

    def serve():
        handler = partial(Handler, directory=str(tmp_path / "www"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads, server.asked, server.redirects = True, [], {}
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        running.append(server)
        return server

    yield serve
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture
def archive(tmp_path, data_dir, monkeypatch):
    """A zip with the models in data/xacro and one defect, beside the same as a folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(data_dir / "xacro", tmp_path / "robots/xacro")
    shutil.copy(data_dir / "defects/ic301-triangle.urdf", tmp_path / "robots")
    with zipfile.ZipFile("robots.zip", "w") as packed:
        for path in sorted((tmp_path / "robots").rglob("*.*")):
            packed.write(path, path.relative_to(tmp_path / "robots"))
    return "robots.zip"


def findings(text, shown):
    """What a report in JSON says, with the address of a file in place of its path."""
    report = json.loads(text)
    for file in report["files"]:
        file["path"] = shown(file["path"])
        for finding in file["findings"]:
            finding["fix"] = finding["remedy"] = None  # which writes no archive and no URL
    return json.dumps(sorted(report["files"], key=lambda file: file["path"]), sort_keys=True)


def test_an_archive_says_what_its_folder_says(archive, run):
    _, folder, _ = run("check", "robots", "--output-format", "json", "--no-cache")
    code, packed, told = run("check", archive, "--output-format", "json")
    assert code == 1
    assert "IC301" in packed
    assert "inertial-check-" not in packed + told.replace("inertial-check: ", "")
    expected = findings(folder, lambda path: f"zip://{path.removeprefix('robots/')}::robots.zip")
    expected = expected.replace("robots/xacro/", "zip://xacro/").replace(
        '.yaml"', '.yaml::robots.zip"'
    )
    got = findings(packed, lambda path: path)
    assert got == expected.replace('rod.xacro"', 'rod.xacro::robots.zip"')
    _, text, _ = run("check", archive)
    assert "fix --unsafe" not in text
    _, member, _ = run("check", "zip://ic301-triangle.urdf::robots.zip", "--output-format", "json")
    assert [f["path"] for f in json.loads(member)["files"]] == [
        "zip://ic301-triangle.urdf::robots.zip"
    ]


def test_a_folder_of_results_takes_archives_and_keeps_them(archive, run):
    options = ("--results", "out", "--results-format", "jsonl", "--jobs", "1")
    code, text, told = run("check", archive, *options)
    assert code == 1
    assert "IC301 triangle-inequality-violation" in text
    assert "files checked" in told
    code, again, told = run("check", archive, *options)
    assert again == text
    assert "0 files checked" in told
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write("robots/ic301-triangle.urdf", "only.urdf")
    _, changed, told = run("check", archive, *options)
    assert "1 file checked" in told
    assert changed.startswith("1 upstreams, 1 files, ")


def test_a_model_on_a_web_server_brings_its_includes(archive, serve, run, tmp_path):
    server = serve()
    shutil.copytree("robots/xacro", tmp_path / "www/xacro")
    shutil.copy("robots.zip", tmp_path / "www")
    _, here, _ = run("check", "robots/xacro/arm.urdf.xacro", "--output-format", "json")
    url = f"{server.url}/xacro/arm.urdf.xacro"
    code, there, _ = run("check", url, "--output-format", "json")
    assert code == 1
    assert findings(there, str) == findings(here, lambda _: url).replace(
        "robots/xacro/", f"{server.url}/xacro/"
    )
    assert {path for path, _ in server.asked} >= {"/xacro/parts/rod.xacro"}
    assert all(path.startswith("/xacro/") for path, _ in server.asked)
    code, packed, _ = run("check", f"{server.url}/robots.zip", "--output-format", "concise")
    assert code == 1
    assert f"zip://ic301-triangle.urdf::{server.url}/robots.zip:9:21: error IC301" in packed


def test_nothing_outside_the_folder_of_a_model_is_asked_for(serve, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = serve()
    (tmp_path / "www/a").mkdir()
    (tmp_path / "www/secret.stl").write_bytes(b"solid")
    (tmp_path / "www/a/arm.urdf").write_text(
        "<robot name='r'><link name='l'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<visual><geometry><mesh filename='../secret.stl'/></geometry></visual>"
        "<visual><geometry><mesh filename='https://example.org/x.stl'/></geometry></visual>"
        "<visual><geometry><mesh filename='/etc/passwd.stl'/></geometry></visual>"
        "</link></robot>"
    )
    run("check", f"{server.url}/a/arm.urdf")
    assert {path.split("/")[1] for path, _ in server.asked} == {"a"}


def test_a_model_in_an_archive_reads_nothing_outside(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.xacro").write_text("<robot><link name='stolen'/></robot>")
    with zipfile.ZipFile("evil.zip", "w") as packed:
        for number, name in enumerate(
            [f"{tmp_path}/secret.xacro", "../" * 9 + f"{tmp_path}/secret.xacro"]
        ):
            packed.writestr(
                f"{number}.urdf.xacro",
                "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>"
                f"<xacro:include filename='{name}'/><link name='own'/></robot>",
            )
    code, text, _ = run("check", "evil.zip", "--output-format", "json")
    assert code in (0, 1)
    assert "stolen" not in text
    found = [each for file in json.loads(text)["files"] for each in file["findings"]]
    assert sum("lies outside the repository" in each["message"] for each in found) == 2


def test_the_wall_around_a_fetched_model_stands_in_a_repository(tmp_path):
    """The folder for temporary files may lie in a repository, which is no root of the model."""
    private = tmp_path / "inertial-check-x" / "model"
    (tmp_path / ".git").mkdir()
    private.mkdir(parents=True)
    settings = bundles._confine(Settings(), str(private))
    access = settings.context.of_document(str(private / "m.urdf")).granted
    assert access.allows(str(private / "a.stl"))
    assert not access.allows(str(tmp_path / "a.stl"))


def test_lists_and_devices(run, tmp_path, archive, monkeypatch):
    (tmp_path / "list").write_text("zip://ic301-triangle.urdf::robots.zip\n")
    assert run("check", "--files-from", "list")[0] == 1
    os.mkfifo("pipe.tar")
    for text in ("tar://::pipe.tar", "zip://::/dev/zero", "tar://::/dev/zero", "zip://::robots"):
        code, _, told = run("check", text)
        assert code == 2
        assert "Traceback" not in told


def test_redirects_to_other_hosts_are_refused_unless_allowed(serve, run, tmp_path, data_dir):
    named, other = serve(), serve()
    shutil.copy(data_dir / "valid/rod.urdf", tmp_path / "www")
    named.redirects |= {
        "/other.urdf": f"{other.url}/rod.urdf?sig=secret",
        "/same.urdf": "/rod.urdf",
        "/file.urdf": "file:///etc/passwd",
        "/loop.urdf": "/loop.urdf",
    }
    user = named.url.replace("http://", "http://user:secret@")
    code, _, told = run("check", f"{user}/other.urdf?key=secret")
    assert code == 2
    assert "--allow-host 127.0.0.1 follows that" in told
    assert "secret" not in told
    assert other.asked == []
    assert run("check", f"{named.url}/same.urdf", "-q")[0] == 0
    for name in ("file", "loop"):
        assert run("check", f"{named.url}/{name}.urdf", "-q")[0] == 2
    assert run("check", f"{user}/other.urdf", "--allow-host", "127.0.0.1", "-q")[0] == 0
    assert {authorization for _, authorization in other.asked} == {None}
    assert any(authorization for _, authorization in named.asked)


def test_a_private_address_behind_an_allowed_name_is_refused(serve, run, monkeypatch):
    server = serve()
    server.redirects["/x.urdf"] = "http://public.example/x.urdf"
    resolve = web.socket.getaddrinfo

    def resolve_inside(host, *args, **kwargs):
        return resolve("10.0.0.7" if host == "public.example" else host, *args, **kwargs)

    monkeypatch.setattr(web.socket, "getaddrinfo", resolve_inside)
    code, _, told = run("check", f"{server.url}/x.urdf", "--allow-host", "public.example")
    assert code == 2
    assert "which is the private address 10.0.0.7" in told


def test_a_server_that_claims_or_sends_too_much_is_left(serve, run):
    server = serve()
    code, _, told = run("check", f"{server.url}/claims.urdf")
    assert code == 2
    assert "too large: it has 1099511627776 bytes" in told
    code, _, told = run("check", f"{server.url}/endless.urdf", "--timeout", "0.05")
    assert code == 2
    assert "takes longer than 0.5 s" in told or "too large" in told
    assert "Traceback" not in told


def test_models_in_a_store_of_fsspec(run, data_dir):
    fsspec = pytest.importorskip("fsspec", reason='pip install "inertial-check[cluster]"')
    memory = fsspec.filesystem("memory")
    for path in (data_dir / "xacro").rglob("*.*"):
        memory.pipe(f"/store/xacro/{path.relative_to(data_dir / 'xacro')}", path.read_bytes())
    try:
        code, text, _ = run("check", "memory://store/", "--output-format", "concise")
        assert code == 1
        assert "memory://store/xacro/parts/inertial.yaml:13:9: error IC301" in text
        single = run("check", "memory://store/xacro/arm.urdf.xacro", "--output-format", "concise")
        assert single[0] == 1
        assert "memory://store/xacro/parts/inertial.yaml:13:9: error IC301" in single[1]
        assert run("check", "memory://store/nothing.urdf")[0] == 2
        memory.pipe("/store/large.urdf", bytes(20_000))
        large = run("check", "memory://store/large.urdf", "--max-file-size", "10000")
        assert large[0] == 2
        assert "it has 20000 bytes, and the limit is 10000" in large[2]
    finally:
        memory.rm("/store", recursive=True)
