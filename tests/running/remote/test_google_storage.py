"""Models of Google Cloud Storage, as a small server on this machine gives them, are checked."""

import io
import json
import logging
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

with pytest.MonkeyPatch.context() as _environment:
    # The kind of a bucket is asked for by gRPC, which no such server can answer.
    _environment.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    gcsfs = pytest.importorskip(
        "gcsfs", reason="gs: is tested with gcsfs only: pip install gcsfs, and run this file again"
    )

import fsspec

from inertial_check.running.workers import WorkerProcess

TOKEN = "ya29.hidden-token"
BUCKET = "/storage/v1/b/robots"


class Handler(BaseHTTPRequestHandler):
    """Answers what gcsfs asks of the JSON API: a bucket, a list, an object and its content."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        path, query = unquote(url.path), {key: each[0] for key, each in parse_qs(url.query).items()}
        content = path.startswith("/download")
        path = path.removeprefix("/download")
        self.server.asked.append((content, path))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer(401, {"error": {"code": 401, "message": f"no such token as {TOKEN}"}})
        elif path == BUCKET:
            self.answer(200, {"kind": "storage#bucket", "name": "robots"})
        elif path == f"{BUCKET}/o":
            self.answer(200, self.list_objects(**query))
        elif (name := path.removeprefix(f"{BUCKET}/o/")) not in self.server.objects:
            self.answer(404, {"error": {"code": 404, "message": "no such object"}})
        elif content:
            self.send_content(self.server.objects[name])
        else:
            self.answer(200, self.describe(name))

    def list_objects(self, prefix="", delimiter="", pageToken="", **_):
        """One page of two entries: the objects with a prefix, and the folders below it."""
        entries = []
        for name in sorted(self.server.objects):
            inside, slash, _ = name[len(prefix) :].partition(delimiter or "\0")
            entry = f"{prefix}{inside}{slash}"
            if name.startswith(prefix) and entry not in entries:
                entries.append(entry)
        first = int(pageToken or 0)
        page = entries[first : first + 2]
        answer = {
            "kind": "storage#objects",
            "items": [self.describe(each) for each in page if each in self.server.objects],
            "prefixes": [each for each in page if each not in self.server.objects],
        }
        more = {"nextPageToken": str(first + 2)} if len(entries) > first + 2 else {}
        return answer | more

    def describe(self, name):
        size = self.server.claims.get(name, len(self.server.objects[name]))
        return {"kind": "storage#object", "bucket": "robots", "name": name, "size": str(size)}

    def send_content(self, data):
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        self.answer(206, data[int(first) : int(last or len(data)) + 1])

    def answer(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # gcsfs asks twice, and leaves early
            super().handle_error(request, client_address)


@pytest.fixture
def server(monkeypatch, data_dir):
    """A server with the bucket `robots`, which is asked in place of Google's."""
    monkeypatch.setattr(WorkerProcess, "do", lambda self, task: iter([task.run()]))
    running = Server(("127.0.0.1", 0), Handler)
    running.asked, running.claims = [], {}
    running.objects = {
        f"xacro/{path.relative_to(data_dir / 'xacro').as_posix()}": path.read_bytes()
        for path in (data_dir / "xacro").rglob("*")
        if path.is_file()
    }
    model = (data_dir / "defects/ic301-triangle.urdf").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("arm.urdf", model)
    running.objects |= {"arm/arm.urdf": model, "robots.zip": packed.getvalue()}
    threading.Thread(target=running.serve_forever, daemon=True).start()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "http://{}:{}".format(*running.server_address))
    monkeypatch.setenv("FETCH_RAW_TOKEN_EXPIRY", "false")  # otherwise Google is asked
    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": TOKEN})
    gcsfs.GCSFileSystem.clear_instance_cache()
    yield running
    gcsfs.GCSFileSystem.clear_instance_cache()
    running.shutdown()
    running.server_close()


def check(run, *arguments):
    """The exit code and all output of a check, in which there is no token and no traceback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging.getLogger(), "handlers", [])  # those of pytest hide what is printed
        code, text, told = run("check", *arguments, "--output-format", "concise")
    assert TOKEN not in text + told
    assert "Traceback" not in text + told
    return code, text + told


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("gs://robots/arm/arm.urdf", "gs://robots/arm/arm.urdf:9:21"),
        ("gcs://robots/arm", "gcs://robots/arm/arm.urdf:9:21"),
        ("gs://robots/", "gs://robots/xacro/parts/inertial.yaml:13:9"),
        ("gs://robots/xacro/arm.urdf.xacro", "gs://robots/xacro/parts/inertial.yaml:13:9"),
        ("zip://arm.urdf::gs://robots/robots.zip", "zip://arm.urdf::gs://robots/robots.zip:9:21"),
    ],
)
def test_files_folders_and_archives_are_checked(server, run, url, shown):
    code, told = check(run, url)
    assert code == 1
    assert f"{shown}: error IC301" in told


def test_an_object_above_the_limit_is_refused_before_its_content_is_asked_for(server, run):
    server.claims["arm/arm.urdf"] = 1 << 40
    code, told = check(run, "gs://robots/arm/arm.urdf")
    assert code == 2
    assert "--max-file-size raises" in told
    assert not any(content for content, _ in server.asked)


def test_what_is_missing_or_refused_is_told_without_the_token(server, run, monkeypatch):
    code, told = check(run, "gs://robots/nothing.urdf")
    assert code == 2
    assert "gs://robots/nothing.urdf: there is no such file" in told
    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": f"{TOKEN}-that-has-expired"})
    gcsfs.GCSFileSystem.clear_instance_cache()
    code, told = check(run, "gs://robots/arm/arm.urdf")
    assert code == 2
    assert "gs://robots/arm/arm.urdf: gs://robots/arm/arm.urdf cannot be read: HttpError" in told
