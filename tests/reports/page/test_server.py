"""The server of a live view: who is answered, what is served, and how a save arrives."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError
from inertial_check.reports.page import server
from inertial_check.reports.page.scene import Scene, read_scene
from inertial_check.reports.page.server import (
    MOST_CLIENTS,
    MOST_LISTENERS,
    LiveScene,
    Publication,
    serve,
)
from waiting import GUARD, wait_until

ARM = Path(__file__).resolve().parents[3] / "data" / "arm.urdf"
SETTINGS = Settings().validate()


@pytest.fixture(scope="module")
def scene():
    return read_scene(str(ARM))


@pytest.fixture
def shown(scene):
    return Publication(scene)


@pytest.fixture
def port(shown):
    with serve(shown) as address:
        yield int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", address)[1])


def exchange(port, request):
    """Send bytes, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), GUARD) as client:
        client.sendall(request)
        parts = []
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def get(port, target="/", headers="", host=None, method="GET"):
    """Status, headers and body of the answer to a request."""
    host = f"Host: 127.0.0.1:{port}\r\n" if host is None else host
    answer = exchange(port, f"{method} {target} HTTP/1.1\r\n{host}{headers}\r\n".encode("latin-1"))
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    return int(lines[0].split()[1]), dict(line.split(": ", 1) for line in lines[1:]), body


# What is served


def test_the_page_and_its_scene_are_served_and_nothing_is_stored_or_framed(port, scene):
    status, headers, body = get(port)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert int(headers["Content-Length"]) == len(body)
    assert b"forearm" in body
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert not any(name.startswith("Access-Control") for name in headers)
    status, headers, body = get(port, "/scene.json")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(body) == scene.as_dict()


def test_head_has_no_body(port):
    for target in ("/", "/scene.json", "/events", "/nothing"):
        _, _, body = get(port, target, method="HEAD")
        assert body == b""


@pytest.mark.parametrize(
    "target",
    [
        "/../", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "//", "//etc/passwd", "/./", "/%00", "/%2f", "/scene.json/", "/scene.json?x", "/?x", "/#",
        "/scene%2ejson", "/Scene.json", "/index.html", "/arm.urdf", "/favicon.ico",
        "http://127.0.0.1/", "/etc/passwd", str(ARM), "*", "\\..\\", "/events/..", "scene.json",
    ],
)  # fmt: skip
def test_any_other_path_is_not_found(port, target):
    status, _, body = get(port, target)
    assert (status, body) == (404, b"404 Not Found\n")


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "get", "X"]
)
def test_only_get_and_head_are_answered(port, method):
    status, headers, _ = get(port, method=method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


# Who is answered


@pytest.mark.parametrize(
    "host",
    [
        "", "Host: \r\n", "Host: evil.example\r\n", "Host: evil.example:{port}\r\n",
        "Host: 127.0.0.1\r\n", "Host: localhost\r\n", "Host: 127.0.0.1:1\r\n",
        "Host: 127.0.0.1:{port}.evil.example\r\n", "Host: 127.0.0.1:{port}@evil.example\r\n",
        "Host: 127.0.0.1.nip.io:{port}\r\n", "Host: 0.0.0.0:{port}\r\n", "Host: [::1]:{port}\r\n",
        "Host: 127.1:{port}\r\n", "Host: 2130706433:{port}\r\n", "Host: localhost.:{port}\r\n",
        "Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n",
        "Host: evil.example\r\nHost: 127.0.0.1:{port}\r\n",
        "Host: 127.0.0.1:{port}, evil.example\r\n",
        "Host: evil.example\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("target", ["/", "/scene.json", "/events"])
def test_other_hosts_are_refused(port, target, host):
    status, _, body = get(port, target, host=host.replace("{port}", str(port)))
    assert (status, body) == (403, b"403 Forbidden\n")


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "localhost:{}", "LocalHost:{}"])
def test_names_of_this_machine_are_answered(port, host):
    assert get(port, host=f"Host: {host.format(port)}\r\n")[0] == 200


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Origin: https://127.0.0.1:{}", 403),
        ("Origin: http://127.0.0.1:1", 403),
        ("Origin: http://127.0.0.1:{}.evil.example", 403),
        ("Sec-Fetch-Site: cross-site", 403),
        ("Sec-Fetch-Site: same-site", 403),
        ("Origin: http://127.0.0.1:{}", 200),
        ("Origin: http://localhost:{}", 200),
        ("Sec-Fetch-Site: same-origin", 200),
        ("Sec-Fetch-Site: none", 200),
    ],
)
def test_pages_of_other_origins_are_refused(port, header, status):
    assert get(port, "/scene.json", f"{header.format(port)}\r\n")[0] == status


def test_it_listens_on_the_loopback_address_only(port):
    for address in ("127.0.0.2", "::1"):
        with pytest.raises(OSError, match=r"refused|assign|support|unreachable"):
            socket.create_connection((address, port), GUARD)


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
        b"GET /<script> JUNK\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    ],
)  # fmt: skip
def test_malformed_requests_get_nothing_back_of_themselves(port, request_, capsys):
    try:
        answer = exchange(port, request_)
    except ConnectionError:  # more was sent than is read
        answer = b""
    assert b"<script>" not in answer
    assert b"200 OK" not in answer
    assert b"forearm" not in answer
    assert get(port)[0] == 200
    assert "Traceback" not in capsys.readouterr().err


def test_clients_are_bounded_and_places_are_given_free(port, monkeypatch):
    monkeypatch.setattr(server._Handler, "timeout", GUARD)
    held = [socket.create_connection(("127.0.0.1", port), GUARD) for _ in range(MOST_CLIENTS)]
    try:
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()

        def refused():
            try:
                return exchange(port, request).startswith(b"HTTP/1.1 503")
            except ConnectionError:
                return True

        wait_until(refused)
    finally:
        for client in held:
            client.close()

    def answered():
        try:
            return exchange(port, request).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            return False

    wait_until(answered)


def test_a_client_that_sends_nothing_is_dropped(shown, monkeypatch):
    monkeypatch.setattr(server._Handler, "timeout", 0.05)
    with serve(shown) as address:
        port = int(address.rsplit(":", 1)[1].rstrip("/"))
        with socket.create_connection(("127.0.0.1", port), GUARD) as client:
            client.sendall(b"GET / HT")
            assert client.recv(1) == b""


# Events


def test_a_client_that_drips_bytes_is_dropped(shown, monkeypatch):
    """The timeout of a socket begins again with each byte, so it alone would bound nothing."""
    monkeypatch.setattr(server._Handler, "timeout", 0.3)
    with serve(shown) as address:
        port = int(address.rpartition(":")[2].rstrip("/"))
        with socket.create_connection(("127.0.0.1", port), 0.05) as client:

            def is_dropped():
                try:
                    client.sendall(b"a")
                    return client.recv(1) == b""
                except TimeoutError:
                    return False
                except OSError:  # closed between the two calls
                    return True

            wait_until(is_dropped)


def listen(port):
    """Connect to the events; returns the socket as a file, behind the headers."""
    client = socket.create_connection(("127.0.0.1", port), GUARD)
    client.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    stream = client.makefile("rb")
    status = stream.readline()
    while stream.readline() != b"\r\n":
        pass
    return client, stream, status


def read_event(stream):
    lines = [stream.readline().decode().strip() for _ in range(3)]
    assert lines[0] == "event: scene"
    assert lines[2] == ""
    return lines[1].removeprefix("data: ")


def test_events_tell_the_version_now_and_each_new_one(shown, scene):
    with serve(shown) as address:
        client, stream, _ = listen(int(address.rsplit(":", 1)[1].rstrip("/")))
        first = read_event(stream)
        assert not shown.publish(scene)  # the same scene is no news
        assert shown.publish(Scene(scene.path, {**scene.content, "notes": ["new"]}))
        assert read_event(stream) == shown.version != first
    assert stream.read() == b""  # the server has ended, and so have the events
    client.close()


def test_listeners_leave_room_for_pages(port):
    listeners = [listen(port) for _ in range(MOST_LISTENERS)]
    assert all(status == b"HTTP/1.1 200 OK\r\n" for *_, status in listeners)
    assert get(port, "/events")[0] == 503
    assert get(port)[0] == 200
    for client, stream, _ in listeners:
        stream.close()
        client.close()


def test_a_port_in_use_is_one_line(port, shown):
    with pytest.raises(UsageError, match=f"--port {port}: .* any free port"), serve(shown, port):
        pass
    with pytest.raises(UsageError, match="--port 70000"), serve(shown, 70000):
        pass


# Files that are saved


@pytest.fixture
def model(tmp_path):
    (tmp_path / ".git").mkdir()  # the root of the files that may be opened
    return Path(shutil.copy(ARM, tmp_path))


def masses(live):
    return {body["name"]: body["mass"] for body in live.scene.content["bodies"]}


def test_a_save_is_read_again(model):
    live = LiveScene(str(model), SETTINGS)
    assert not live.has_changed()
    model.write_text(model.read_text().replace('value="0.42"', 'value="0.43000"'))
    assert live.has_changed()
    live.read()
    assert masses(live)["wrist_2"] == 0.43
    assert not live.has_changed()


def test_a_broken_save_keeps_the_last_good_scene_and_says_why(model):
    live = LiveScene(str(model), SETTINGS)
    good, text = live.scene, model.read_text()
    model.write_text(text[:-60])
    live.read()
    assert live.scene.content["bodies"] == good.content["bodies"]
    assert str(model) in live.message
    assert live.scene.content["broken"] == live.message
    model.unlink()
    live.read()
    assert live.scene.content["bodies"] == good.content["bodies"]
    model.write_text(text)
    assert live.has_changed()
    live.read()
    assert live.message == ""
    assert live.scene.as_dict() == good.as_dict()


def test_a_document_that_is_broken_from_the_beginning_is_followed(model):
    text = model.read_text()
    model.write_text(text[:-60])
    live = LiveScene(str(model), SETTINGS)
    assert live.scene.content["bodies"] == []
    assert live.message
    model.write_text(text)
    assert live.has_changed()
    live.read()
    assert len(live.scene.content["bodies"]) == 10


def test_a_defect_while_a_scene_is_built_keeps_the_last_one(model, monkeypatch):
    live = LiveScene(str(model), SETTINGS)
    good = live.scene

    def fail(*arguments, **options):
        raise RuntimeError("a defect")

    monkeypatch.setattr("inertial_check.reports.page.server.build_scene", fail)
    model.write_text(model.read_text() + "\n")
    live.read()
    assert "a defect" in live.message
    assert live.scene.content["bodies"] == good.content["bodies"]
    assert not live.has_changed()


MJCF = '<mujoco><worldbody><body name="a"><include file="part.xml"/></body></worldbody></mujoco>'
PART = '<mujoco><inertial pos="0 0 0" mass="{}" diaginertia="1 1 1"/></mujoco>'


def test_an_included_file_is_followed_also_before_it_exists(tmp_path):
    (tmp_path / ".git").mkdir()
    model, part = tmp_path / "robot.xml", tmp_path / "part.xml"
    model.write_text(MJCF)
    live = LiveScene(str(model), SETTINGS)
    part.write_text(PART.format(2))
    assert live.has_changed()
    live.read()
    assert masses(live) == {"a": 2}
    part.write_text(PART.format("3.5"))
    assert live.has_changed()
    live.read()
    assert masses(live) == {"a": 3.5}


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 {}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
WITH_MESH = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<visual><geometry><mesh filename="part.obj"/></geometry></visual></link></robot>"""


def test_a_mesh_is_followed(tmp_path):
    (tmp_path / ".git").mkdir()
    model, mesh = tmp_path / "robot.urdf", tmp_path / "part.obj"
    model.write_text(WITH_MESH)
    mesh.write_text(TETRAHEDRON.format(1))
    live = LiveScene(str(model), SETTINGS)
    before = set(live.scene.meshes)
    mesh.write_text(TETRAHEDRON.format("2.50"))
    assert live.has_changed()
    live.read()
    assert len(before) == 1
    assert len(live.scene.meshes) == 1
    assert before.isdisjoint(live.scene.meshes)


# The command


@pytest.fixture
def view(tmp_path):
    """view(*arguments) -> the process of the command, whose output can be read."""
    running = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "inertial_check", "view", "--no-browser", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_the_command_follows_a_file_and_ends_with_ctrl_c(view, model):
    process = view(model)
    port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\n", process.stdout.readline())[1])
    client, stream, _ = listen(port)
    first = read_event(stream)
    text = model.read_text()
    model.write_text(text[:-60])
    second = read_event(stream)
    assert "broken" in json.loads(get(port, "/scene.json")[2])
    model.write_text(text)
    assert read_event(stream) == first != second
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=GUARD)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert any(line.startswith("inertial-check: error: ") for line in err.splitlines())
    client.close()


@pytest.mark.parametrize(
    ("argument", "message"),
    [("nothing.urdf", "no such file"), (".", "is a folder; view shows one model")],
)
def test_what_is_no_file_is_refused(view, argument, message):
    process = view(argument)
    out, err = process.communicate(timeout=GUARD)
    assert (process.returncode, out) == (2, "")
    assert message in err
