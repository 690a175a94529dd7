"""Filled documents in MuJoCo and Drake: they load, with the numbers that were written."""

import json
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

import engine_numbers
import inertial_check as ic
from inertial_check.errors import DocumentError
from inertial_check.fixing.fill.fill import fill_model
from inertial_check.fixing.fill.knowledge import Knowledge
from processes import captured

DATA = Path(__file__).resolve().parents[3] / "data" / "fill"
LOADERS = {
    "mujoco": ("mujoco", engine_numbers.load_in_mujoco, ("urdf", "mjcf")),
    "drake": ("pydrake", engine_numbers.load_in_drake, ("urdf", "sdf", "mjcf")),
}
PRINTED = 1e-8
"""Relative deviation: numbers are printed with ten digits, and MuJoCo's axes are turned."""
COMMAND = (sys.executable, "-m", "inertial_check", "check")
SUFFIXES = (".urdf", ".sdf", ".world", ".xml", ".xacro", ".usda")
DOCUMENTS = {
    "urdf": ("arm.urdf", ()),
    "sdf": ("arm.sdf", ()),
    "mjcf": ("arm.xml", ("upper_arm",)),
    "xacro": ("arm.xacro", ()),
}


def make_document(name, folder):
    """A copy of a document of data/fill; the xacro file is the URDF with a computed joint."""
    path = folder / name
    source = DATA / ("arm.urdf" if name.endswith(".xacro") else name)
    text = source.read_text()
    if name.endswith(".xacro"):
        text = text.replace(
            '<robot name="arm">', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        ).replace('xyz="0 0 0.4"', 'xyz="0 0 ${0.2 * 2}"')
    path.write_text(text)
    return path


def expand(path):
    xacro = pytest.importorskip("xacro", reason='needs xacro: pip install "inertial-check[xacro]"')
    return xacro.process_file(str(path)).toxml().encode()


@pytest.mark.parametrize("engine", LOADERS)
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_engines_load_the_numbers_that_were_written(kind, engine, tmp_path):
    module, load, kinds = LOADERS[engine]
    if kind == "sdf" and kind not in kinds:
        pytest.skip(f"{engine} does not read SDF")
    pytest.importorskip(module, reason=f"needs {engine}")
    name, bodies = DOCUMENTS[kind]
    path = make_document(name, tmp_path)
    filling = ic.fill(path, bodies=bodies, total_mass=9.0, com=(0.0, 0.001, 0.2))
    filling.write()
    assert not ic.check_model(path).files[0].findings
    data = expand(path) if kind == "xacro" else path.read_bytes()
    loaded = load(data, "urdf" if kind == "xacro" else kind)
    for body in filling.bodies:
        assert body.status == "filled"
        assert (
            engine_numbers.deviation(loaded[body.name.rpartition("::")[2]], body.parameters)
            <= PRINTED
        )


def test_a_layer_over_a_binary_stage_is_checked_and_holds_the_numbers(tmp_path):
    usd = pytest.importorskip("pxr.Usd", reason='needs usd-core: "inertial-check[usd]"')
    stage = tmp_path / "arm.usdc"
    text = (DATA / "arm.usda").read_text()
    mass = "float physics:mass = 1\n        float3 physics:diagonalInertia = (1, 1, 1)\n        "
    ground = text.replace(
        "double3 xformOp:translate = (0, 0, 0.1)", f"{mass}double3 xformOp:translate = (0, 0, 0.1)"
    )
    ground = ground.replace('["PhysicsRigidBodyAPI"]', '["PhysicsRigidBodyAPI", "PhysicsMassAPI"]')
    (tmp_path / "arm.usda").write_text(ground)
    usd.Stage.Open(str(tmp_path / "arm.usda")).Export(str(stage))
    before = stage.read_bytes()
    filling = ic.fill(stage, bodies=["upper_arm"], total_mass=6.0)
    (body,) = filling.bodies
    assert body.status == "filled", body.reason
    assert filling.fix.layer is not None
    target = tmp_path / "filled.usda"
    filling.write(target)
    assert stage.read_bytes() == before
    again = ic.load(target)
    assert float(again.parameters.mass[-1]) == pytest.approx(2.0, rel=1e-6)
    assert not ic.check_model(again).files[0].findings
    heavy = ic.fill(stage, bodies=["upper_arm"], density=40_000, density_range=(10, 1e5))
    assert heavy.bodies[0].status == "refused"  # IC503, in the layer too
    assert not heavy.changed


def test_a_stage_gets_all_four_attributes_also_where_they_are_zero(tmp_path):
    usd_library = pytest.importorskip("usd_library")
    path = tmp_path / "arm.usda"
    path.write_text((DATA / "arm.usda").read_text().replace("(0, 0, 0.2)", "(0, 0, 0)"))
    filling = ic.fill(path, bodies=["upper_arm"], total_mass=6.0)
    filling.write()
    assert filling.bodies[0].status == "filled", filling.bodies[0].reason
    numbers = usd_library.values(path, "/arm/upper_arm")
    assert numbers["mass"] == (2,)
    assert numbers["centerOfMass"] == (0, 0, 0)
    assert numbers["principalAxes"] == (1, 0, 0, 0)
    assert not ic.fill(path, bodies=["upper_arm"], total_mass=6.0).changed


def test_bodies_of_geoms_keep_the_rule_of_the_engine(tmp_path):
    filling = ic.fill(DATA / "arm.xml")
    assert not filling.bodies
    assert (
        "MuJoCo computes them from geoms (inertiafromgeom): upper_arm; --body" in filling.notes[0]
    )
    auto = (
        (DATA / "arm.sdf")
        .read_text()
        .replace('<visual name="v">', '<inertial auto="true"/><collision name="v">')
        .replace("</visual>", "</collision>")
    )
    filling = ic.fill(auto.encode())
    assert not filling.bodies
    assert 'Gazebo computes them from collisions (<inertial auto="true">)' in filling.notes[0]
    (body,) = ic.fill(auto.encode(), bodies=["arm::upper_arm"]).bodies
    assert (body.status, "delete auto" in body.reason) == ("unwritten", True)


def test_numbers_go_into_the_included_file_and_beside_defaults(tmp_path):
    text = (DATA / "arm.xml").read_text()
    inner = re.search(r'<body name="upper_arm".*?</body>', text, re.DOTALL)[0]
    default = (
        '<default><default class="limb"><geom rgba="1 0 0 1" size="0.05 0.15"/></default></default>'
    )
    part = inner.replace('size="0.05 0.15"', 'class="limb"')
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>\n  {part}\n</mujocoinclude>\n")
    own = text.replace(inner, '<include file="part.xml"/>')
    own = own.replace("<worldbody>", f"{default}<worldbody>")
    (tmp_path / "arm.xml").write_text(own)
    filling = ic.fill(tmp_path / "arm.xml", bodies=["upper_arm"], total_mass=6.0)
    assert filling.complete
    filling.write()
    assert (tmp_path / "arm.xml").read_text() == own
    assert (tmp_path / "part.xml").read_text().count("<inertial ") == 1
    mujoco = pytest.importorskip("mujoco")
    loaded = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert loaded.body("upper_arm").mass[0] == pytest.approx(2.0, rel=1e-9)


# --- every model that can be filled ---------------------------------------------------------------


@pytest.mark.corpus
def test_filled_models_have_no_error_or_doubt_and_keep_all_other_bytes(
    corpus, request, tmp_path, capsys
):
    every = 1 if request.config.getoption("--long") else 60
    copy = tmp_path / "corpus"
    shutil.copytree(
        corpus, copy, ignore=shutil.ignore_patterns("*.jsonl"), copy_function=shutil.copyfile
    )
    paths = sorted(path for path in copy.rglob("*") if path.suffix in SUFFIXES)[::every]
    filled, counts, worst = {}, Counter(), Counter()
    for path in paths:
        try:
            model = ic.load(path)
        except DocumentError:
            continue
        before = path.read_bytes()
        filling = fill_model(model, Knowledge())
        if not filling.changed or filling.fix.others or filling.fix.layer:
            continue
        edits = dict.fromkeys(edit for own in filling.fix.edits.values() for edit in own)
        for edit in edits:  # nothing but numbers goes
            gone = before[edit.span.start : edit.span.end].decode(model.source.encoding)
            assert re.fullmatch(r"\s*/?>|[\s\d.eE+-]*", gone), (path, gone)
        assert model.source.apply_edits(edits) == filling.fix.data
        for engine, (module, _, kinds) in LOADERS.items():
            if model.format in kinds and _has_module(module):
                off = _compare(engine, model, before, filling, counts)
                worst[engine] = max(worst[engine], off)
        filling.write()
        filled[str(path)] = {body.id for body in filling.bodies if body.status == "filled"}
        counts["models"] += 1
        counts["bodies"] += len(filled[str(path)])
    assert counts["models"]
    _check_in_another_process(filled)
    with capsys.disabled():
        print(f"\n{dict(counts)}; largest deviations {dict(worst)}")


def _has_module(name):
    from importlib.util import find_spec

    return find_spec(name) is not None


def _compare(engine, model, before, filling, counts):
    """The largest deviation of the bodies that an engine has loaded; counts them."""
    load = LOADERS[engine][1]
    try:
        loaded = engine_numbers.load_in_child(load, filling.fix.data, model.format)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011 - it did not load before, either
            engine_numbers.load_in_child(load, before, model.format)
        counts[f"{engine} loads neither"] += 1
        return 0.0
    counts[f"{engine} loads"] += 1
    names = [name.rpartition("::")[2] for name in model.names]
    worst = 0.0
    for body in filling.bodies:
        name = body.name.rpartition("::")[2]
        if body.status == "filled" and names.count(name) == 1 and name in loaded:
            off = engine_numbers.deviation(loaded[name], body.parameters)
            assert off <= PRINTED, (model.source.path, name, engine, off)
            worst = max(worst, off)
            counts[f"{engine} bodies"] += 1
    return worst


def _check_in_another_process(filled):
    """Check all written files afresh: no error and no doubt about a filled body."""
    done = captured([*COMMAND, "--isolated", "--output-format", "json", *filled])
    assert done.returncode in (0, 1), done.stderr[-2000:]
    for file in json.loads(done.stdout)["files"]:
        for finding in file["findings"]:
            doubt = finding["severity"] == "error" or finding["code"].startswith("IC5")
            assert not (doubt and finding["body_id"] in filled[file["path"]]), finding
