"""The server, through the client of the SDK over stdin and stdout."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from processes import captured

MODEL = """<robot name="r"><link name="{name}"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{izz}"/></inertial></link></robot>"""
INCLUDING = """<mujoco><include file="{path}"/><worldbody><body name="own"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.4"/></body></worldbody></mujoco>"""
SECRET = """<mujoco><worldbody><body name="secret"><freejoint/>
<inertial pos="0 0 0" mass="7" diaginertia="0.1 0.1 0.4"/></body></worldbody></mujoco>"""
CALLS = {
    "check": ("check", {}),
    "one": ("check", {"paths": ["arm.urdf"], "select": ["IC301"], "engines": ["mujoco"]}),
    "explain": ("explain", {"code": "IC301"}),
    "fix": ("fix", {"path": "arm.urdf", "unsafe": True}),
    "text": ("report", {"paths": ["arm.urdf"]}),
    "json": ("report", {"paths": ["arm.urdf", "including.xml"], "output_format": "json"}),
    "linked": ("check", {"paths": ["linked.urdf"]}),
    "outside": ("check", {"paths": ["../outside.urdf"]}),
    "absolute": ("fix", {"path": "/etc/passwd"}),
    "option": ("check", {"paths": ["--write"]}),
    "rule": ("explain", {"code": "IC999"}),
    "misnamed": ("check", {"path": "arm.urdf"}),
    "broken": ("check", {"paths": ["broken.urdf"]}),
}


def snapshot(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """The tools, the results of all calls as (failed, text), and the files before and after."""
    repository = tmp_path_factory.mktemp("repository")
    (repository / ".git").mkdir()
    root = repository / "robots"
    root.mkdir()
    (repository / "inertial-check.toml").write_text('ignore = ["IC301"]\n')
    (repository / "outside.urdf").write_text(MODEL.format(name="outside", izz="0.4"))
    (repository / "secret.xml").write_text(SECRET)
    (root / "arm.urdf").write_text(MODEL.format(name="arm", izz="0.4"))
    (root / "including.xml").write_text(INCLUDING.format(path="../secret.xml"))
    (root / "broken.urdf").write_text("<robot><link></robot>")
    (root / "linked.urdf").symlink_to("../outside.urdf")
    before = snapshot(repository)
    tools, results = asyncio.run(call_all(root))
    return tools, results, (before, snapshot(repository))


async def call_all(root):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "inertial_check", "mcp", "--root", str(root)],
        env={"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    async with Client(parameters) as client:
        tools = (await client.list_tools()).tools
        calls = [client.call_tool(name, arguments) for name, arguments in CALLS.values()]
        results = await asyncio.gather(*calls)
    texts = [(bool(each.is_error), each.content[0].text) for each in results]
    return tools, dict(zip(CALLS, texts, strict=True))


def test_the_tools_say_that_they_only_read(session):
    tools, _, (before, after) = session
    assert [tool.name for tool in tools] == ["check", "explain", "fix", "report"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.description for tool in tools)
    assert before == after


def test_check(session):
    for call in ("check", "one"):
        failed, text = session[1][call]
        assert not failed
        findings = json.loads(text)["findings"]
        assert ("arm.urdf", "IC301", "arm") in [
            (each["path"], each["code"], each["body"]) for each in findings
        ]
    assert {each["code"] for each in findings} == {"IC301"}


def test_explain_and_report(session):
    results = session[1]
    assert results["explain"][1].startswith("# IC301")
    assert results["text"][1].startswith("## inertial-check\n")
    bodies = json.loads(results["json"][1])["bodies"]
    assert {"arm", "own"} <= {each["body"] for each in bodies}
    arm = next(each for each in bodies if each["body"] == "arm")
    assert (arm["mass"], arm["verdict"], arm["engines"]["mujoco"]) == (1, "inconsistent", "reject")


def test_fix_is_a_diff(session):
    failed, text = session[1]["fix"]
    assert not failed
    assert text.startswith("--- a/arm.urdf\n+++ b/arm.urdf\n")
    assert "[arm] fixed" in text


@pytest.mark.parametrize("call", ["outside", "absolute", "option", "linked"])
def test_a_path_outside_is_refused(session, call):
    failed, text = session[1][call]
    assert failed
    assert ("lies outside the folder" in text) == (call != "option")


def test_no_include_and_no_configuration_leads_out_of_the_root(session):
    """Both lie in the repository, which a check of the command line may read."""
    failed, text = session[1]["json"]
    assert not failed
    assert "secret" not in {each["body"] for each in json.loads(text)["bodies"]}
    assert "own" in text


def test_an_unknown_argument_is_refused(session):
    """Without its paths the call would check all of the folder."""
    failed, text = session[1]["misnamed"]
    assert failed
    assert "path" in text
    assert all(tool.input_schema["additionalProperties"] is False for tool in session[0])


def test_what_cannot_be_done_is_said(session):
    failed, text = session[1]["rule"]
    assert failed
    assert "unknown rule or cause 'IC999'" in text
    failed, text = session[1]["broken"]
    assert not failed
    assert "broken.urdf" in json.loads(text)["failures"][0]


def test_without_the_sdk_it_says_what_to_install(tmp_path):
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('x', name='mcp')")
    done = captured(
        [sys.executable, "-m", "inertial_check", "mcp"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[3]}"},
        stdin=subprocess.DEVNULL,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert 'pip install "inertial-check[mcp]"' in done.stderr
