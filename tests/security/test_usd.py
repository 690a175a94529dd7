"""Attacks of a USD stage on the machine that composes it: nothing outside is opened or reported."""

import os
import time
import zipfile
from pathlib import Path

import pytest

from inertial_check.documents.context import Context
from inertial_check.documents.files.access import Access, Limits
from inertial_check.documents.load import load
from inertial_check.documents.usd.reading import _ComposingProcess
from inertial_check.errors import DocumentError
from usd_library import in_binary, write_multiplying_references
from waiting import GUARD

SECRET = "hunter2_of_the_host"
BODY = """def Xform "{name}" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
)
{{
    float physics:mass = 2
    float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
}}
"""
HEADER = '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n{}\n)\n'
LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")

ARCS = {
    "sublayer": HEADER.format("    subLayers = [@{}@]"),
    "reference": HEADER.format("") + 'def "robot" (\n    references = @{}@\n)\n{{\n}}\n',
    "payload": HEADER.format("") + 'def "robot" (\n    payload = @{}@\n)\n{{\n}}\n',
    "list": HEADER.format("") + 'over "x" (\n    append references = [@{}@</robot>]\n)\n{{\n}}\n',
    "variant": HEADER.format("")
    + 'def "robot" (\n    variants = {{\n        string v = "a"\n    }}\n'
    '    prepend variantSets = "v"\n)\n{{\n    variantSet "v" = {{\n        "a" (\n'
    "            references = @{}@\n        ) {{\n        }}\n    }}\n}}\n",
    "expression": HEADER.format('    expressionVariables = {{\n        string X = "{}"\n    }}')
    + 'def "robot" (\n    references = @`"${{X}}"`@\n)\n{{\n}}\n',
}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository, and beside it a layer that is not part of it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.usda").write_text(HEADER.format("") + BODY.format(name=SECRET))
    (outside / "broken.usda").write_text(f"#usda 1.0\n{SECRET}\n")
    inside = tmp_path / "checkout"
    (inside / ".git").mkdir(parents=True)
    (inside / "link.usda").symlink_to("../outside/secret.usda")
    (inside / "folder").symlink_to("../outside")
    monkeypatch.chdir(inside)
    return inside


def write(path, arc, target):
    path.write_text(ARCS[arc].format(target))
    return str(path)


def refusal(path, **context):
    with pytest.raises(DocumentError) as caught:
        load(str(path), context=Context(**context))
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("arc", ARCS)
@pytest.mark.parametrize(
    "target",
    ["../outside/secret.usda", "{outside}/secret.usda", "./link.usda", "folder/broken.usda"],
)
def test_a_layer_outside_the_repository_is_not_opened(arc, target, checkout):
    target = target.replace("{outside}", str(checkout.parent / "outside"))
    path = write(checkout / "stage.usda", arc, target)
    assert "--follow-outside allows it" in refusal(path)


def test_neither_is_one_that_a_binary_layer_names(checkout):
    text = checkout / "stage.usda"
    write(text, "reference", str(checkout.parent / "outside" / "secret.usda"))
    path = in_binary(text, ".usdc")
    text.unlink()
    assert "--follow-outside allows it" in refusal(path)


@pytest.mark.parametrize("target", ["/{}/secret.usda", "../outside/secret.usda", "inner.usda"])
def test_neither_is_one_that_a_member_of_a_package_names(target, checkout):
    outside = str(checkout.parent / "outside").lstrip("/")
    with zipfile.ZipFile(checkout / "stage.usdz", "w") as package:
        package.writestr("stage.usda", ARCS["reference"].format(target.format(outside)))
        if target == "inner.usda":
            package.writestr(target, ARCS["sublayer"].format(f"/{outside}/secret.usda"))
    try:
        model = load("stage.usdz")
    except DocumentError as error:
        reason = str(error)
    else:  # there is no such member
        reason = repr(model)
    assert SECRET not in reason
    assert ("--follow-outside allows it" in reason) == (not target.startswith(".."))


def test_neither_is_one_that_a_layer_inside_names(checkout):
    write(checkout / "inner.usda", "sublayer", "./link.usda")
    path = write(checkout / "stage.usda", "reference", "./inner.usda")
    assert "--follow-outside allows it" in refusal(path)


def test_the_user_may_allow_it(checkout):
    path = write(checkout / "stage.usda", "sublayer", "./link.usda")
    allowed = Context(access=Access(follow_outside=True))
    assert [body.name for body in load(path, context=allowed).bodies] == [SECRET]


@pytest.mark.parametrize("arc", ARCS)
def test_a_pipe_is_not_opened(arc, checkout):
    os.mkfifo(checkout / "pipe.usda")
    path = write(checkout / "stage.usda", arc, "./pipe.usda")
    assert "no regular file" in refusal(path)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/proc/self/environ"])
def test_a_link_to_a_device_is_not_opened(device, checkout):
    (checkout / "device.usda").symlink_to(device)
    path = write(checkout / "stage.usda", "sublayer", "./device.usda")
    assert "lies outside" in refusal(path)


@pytest.mark.parametrize("target", ["file:///etc/passwd", "/etc/passwd", "http://localhost/x.usda"])
def test_no_other_path_brings_text_of_a_file_into_the_report(target, checkout):
    path = write(checkout / "stage.usda", "sublayer", target)
    try:
        shown = repr(load(path))
    except DocumentError as error:
        shown = str(error)
    assert "root:" not in shown


def test_layers_of_the_repository_are_read(checkout):
    (checkout / "parts").mkdir()
    (checkout / "parts" / "part.usda").write_text(HEADER.format("") + BODY.format(name="robot"))
    (checkout / "again.usda").symlink_to("parts/part.usda")
    for target in ("parts/part.usda", "./parts/part.usda", "again.usda"):
        path = write(checkout / "stage.usda", "reference", target)
        assert [body.name for body in load(path).bodies] == ["robot"]


@LINUX
def test_the_process_has_nothing_of_the_caller_s_environment(monkeypatch):
    for name in ("PXR_PLUGINPATH_NAME", "PXR_AR_DEFAULT_SEARCH_PATH", "TF_DEBUG", "HOST_TOKEN"):
        monkeypatch.setenv(name, SECRET)
    _ComposingProcess.current().close()
    process = _ComposingProcess.current().ensure_process()
    assert SECRET.encode() not in Path(f"/proc/{process.pid}/environ").read_bytes()


@LINUX
def test_the_process_has_about_1_gb_of_memory(tmp_path):
    path = tmp_path / "stage.usda"
    path.write_text(HEADER.format("") + BODY.format(name="robot"))
    assert load(str(path)).bodies
    process = _ComposingProcess.current().ensure_process()
    limits = Path(f"/proc/{process.pid}/limits").read_text().splitlines()
    (most,) = (int(line.split()[3]) for line in limits if line.startswith("Max address space"))
    assert 1 << 30 < most < 4 << 30


def test_references_that_multiply_end_with_a_finding_that_names_the_option(tmp_path):
    (tmp_path / "stage.usda").write_text(write_multiplying_references())
    context = Context(access=Access(limits=Limits(seconds=3.0)))
    began = time.monotonic()
    told = refusal(tmp_path / "stage.usda", access=context.access)
    assert "not read within 1 s" in told
    assert "--timeout raises" in told
    assert time.monotonic() - began < GUARD
    (tmp_path / "next.usda").write_text(HEADER.format("") + BODY.format(name="robot"))
    assert len(load(str(tmp_path / "next.usda")).bodies) == 1
