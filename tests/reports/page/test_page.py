"""The page of a report: nothing from a file acts in it, and nothing is loaded."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.programs.cli.main import main
from inertial_check.reports.page.page import build_page, write_page
from inertial_check.reports.page.scene import read_scene

ROOT = Path(__file__).parents[3]
ARM = str(ROOT / "data" / "arm.urdf")
NAMES = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\"'`${alert(1)}{{script}}",
    "emoji 🦾 and \u2028 separators \u2029",
    "\u202edlrow olleh \u05e9\u05dc\u05d5\u05dd",
    "x" * 10_000,
)


class Elements(HTMLParser):
    """Collects the elements of a page, with the text of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.inside = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id", tag) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside is not None:
            self.texts[self.inside] = self.texts.get(self.inside, "") + data


def write_model(path, names):
    from xml.sax.saxutils import quoteattr

    links = "".join(
        f"<link name={quoteattr(name)}><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
        "iyy='1' iyz='0' izz='9'/></inertial></link>"
        for name in names
    )
    path.write_text(f"<robot name={quoteattr(names[0])}>{links}</robot>", encoding="utf-8")
    return str(path)


def test_names_stay_text(tmp_path):
    page = write_page([read_scene(write_model(tmp_path / "m.urdf", NAMES))])
    assert page.isascii()
    found, plain = Elements(page), Elements(write_page([read_scene(ARM)]))
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in plain.tags]
    assert found.texts["script"] == plain.texts["script"]
    scene = json.loads(found.texts["scene-0"])
    *names, long = (body["name"] for body in scene["bodies"])
    assert names == list(NAMES[:-1])
    assert long.startswith("xxx")
    assert "10000 characters" in long


def test_only_the_script_and_the_style_of_the_package_may_act_and_nothing_is_loaded():
    page = write_page([read_scene(ARM)])
    found = Elements(page)
    (policy,) = [a["content"] for _, a in found.tags if "http-equiv" in a]
    for element in ("script", "style"):
        digest = hashlib.sha256(found.texts[element].encode()).digest()
        assert f"{element}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert "connect-src 'self'" in write_page([read_scene(ARM)], live=True)
    urls = [a[key] for _, a in found.tags for key in ("src", "href", "action", "data") if key in a]
    assert all(url.startswith(("#", "data:")) for url in urls)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", page)
    assert not [key for _, a in found.tags for key in a if key.startswith("on") or key == "style"]


def test_the_worst_model_comes_first_and_models_beyond_the_limit_are_listed(tmp_path):
    sound = str(ROOT / "data" / "valid" / "arm.urdf")
    paths = [sound, ARM, write_model(tmp_path / "m.urdf", ["a", "b", "c"])]
    files = [ic.check_model(path).files[0] for path in paths]
    report = replace(ic.check_model(sound), files=tuple(files))
    settings = Settings().validate()
    found = Elements(build_page(report, lambda _: settings, most_models=2))
    models = json.loads(found.texts["page"])["models"]
    assert [model["path"] for model in models] == [paths[2], ARM, sound]
    assert [model["scene"] for model in models] == [0, 1, None]


def test_a_file_that_cannot_be_drawn_costs_no_other_file(tmp_path):
    gone = write_model(tmp_path / "gone.urdf", ["a"])
    files = [ic.check_model(path).files[0] for path in (gone, ARM)]
    Path(gone).unlink()
    report = replace(ic.check_model(ARM), files=tuple(files))
    settings = Settings().validate()
    found = Elements(build_page(report, lambda _: settings))
    scenes = [json.loads(found.texts[f"scene-{i}"]) for i in range(2)]
    drawn, left = sorted(scenes, key=lambda scene: scene["path"] == gone)
    assert left["findings"]
    assert any("not drawn" in note for note in left["notes"])
    assert drawn["nodes"]


def test_a_path_that_does_not_exist_is_named_on_the_page(tmp_path, capsys):
    target = tmp_path / "page.html"
    assert main(["report", ARM, "no-such-robot.urdf", "-o", str(target)]) == 2
    found = Elements(target.read_text())
    assert "no-such-robot.urdf: No such file" in found.texts["scene-1"]
    assert json.loads(found.texts["page"])["models"][0]["path"] == ARM


def test_thirty_links_without_meshes_take_a_tenth_of_three_megabytes(tmp_path):
    path = write_model(tmp_path / "m.urdf", [f"link_{i}" for i in range(30)])
    assert len(write_page([read_scene(path)])) < 300_000


def test_report_writes_the_page_of_check_and_findings_fail_it_only_when_asked(tmp_path, capsys):
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    assert main(["report", ARM, "-o", str(one)]) == 0
    assert "open it in a browser" in capsys.readouterr().err
    assert main(["check", ARM, "--output-format", "html", "--output-file", str(two)]) == 1
    assert one.read_bytes() == two.read_bytes()
    assert main(["report", ARM, "-o", str(one), "--fail-on", "error", "-q"]) == 1


def test_bodies_with_the_numbers_of_one_text_are_guilty_together(tmp_path):
    pytest.importorskip("xacro", reason="xacro is not installed: pip install inertial-check[xacro]")
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    path, target = tmp_path / "r.urdf.xacro", tmp_path / "page.html"
    (tmp_path / "leg.xacro").write_text(
        f'<robot {space}><xacro:macro name="leg" params="side"><link name="${{side}}_leg">'
        '<inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" '
        'izz="-0.04"/></inertial></link><joint name="${side}" type="continuous">'
        '<parent link="base"/><child link="${side}_leg"/></joint></xacro:macro></robot>'
    )
    path.write_text(
        f'<robot name="r" {space}><xacro:include filename="leg.xacro"/><link name="base"/>'
        '<xacro:leg side="left"/><xacro:leg side="right"/></robot>'
    )
    assert main(["report", str(path), "-o", str(target), "--isolated", "-q"]) == 0
    scene = json.loads(Elements(target.read_text(encoding="utf-8")).texts["scene-0"])
    (finding,) = [each for each in scene["findings"] if each["severity"] == "error"]
    assert finding["bodies"] == [1, 2]
    assert [body["severity"] for body in scene["bodies"]] == [None, "error", "error"]
    assert finding["causes"][0]["changes"] == [["izz", "-0.04", 0.04]]


def test_report_replaces_neither_a_model_nor_a_file_that_it_has_not_written(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    model = write_model(tmp_path / "m.urdf", ["a"])
    before = Path(model).read_bytes()
    assert main(["report", model, "-o", model]) == 2
    assert Path(model).read_bytes() == before
    assert main(["report", model, "-q"]) == 0
    assert main(["report", model, "-q"]) == 0
    Path("report.html").write_text("mine")
    assert main(["report", model]) == 2
    assert Path("report.html").read_text() == "mine"
    assert "report.html exists" in capsys.readouterr().err
    assert main(["report", model, "-o", "report.html", "-q"]) == 0
    mesh = Path("part.stl")  # an input that is not named
    mesh.write_bytes(b"solid part")
    assert main(["report", model, "-o", "part.stl"]) == 2
    assert mesh.read_bytes() == b"solid part"
    assert "part.stl exists and is no HTML page" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--show-files", "--show-settings"])
def test_report_writes_no_page_where_it_only_lists(tmp_path, capsys, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    assert main(["report", ARM, option, "-o", "page.html"]) == 0
    assert not Path("page.html").exists()
    assert "arm.urdf" in capsys.readouterr().out
