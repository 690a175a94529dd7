"""Layouts of the assets of Isaac Sim: physics in variants, payloads and sublayers."""

import pytest

import inertial_check as ic

pytest.importorskip("pxr")

HEADER = """#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 1
    upAxis = "Z"{0}
)
"""
BASE = 'def Xform "arm"\n{\n    def Xform "elbow"\n    {\n    }\n}\n'
PHYSICS = """over "arm"
{
    over "elbow" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 1.6
        point3f physics:centerOfMass = (0, 0, 0.04)
        float3 physics:diagonalInertia = (0.02, 0.03, 0.04)
        quatf physics:principalAxes = (1, 0, 0, 0)
    }
}
"""
OPTIONS = """
    variantSet "{name}" = {{
{variants}
    }}
"""


def variants(name, **layers):
    """A set of variants, each with a payload or, for None, without one."""
    listed = [
        f'        "{variant}" ' + ("{\n        }" if layer is None else f"(\n            prepend "
        f"payload = @{layer}@\n        ) {{\n        }}")
        for variant, layer in layers.items()
    ]  # fmt: skip
    return OPTIONS.format(name=name, variants="\n".join(listed))


def write_asset_structure(folder, selection=""):
    """Asset Structure 3.0 of Isaac Sim 6: base by reference, engines by variant, none selected."""
    physics = folder / "payloads" / "Physics"
    physics.mkdir(parents=True)
    (folder / "payloads" / "base.usda").write_text(HEADER.format("") + BASE)
    (physics / "physics.usda").write_text(HEADER.format("") + PHYSICS)
    below = "\n    subLayers = [@./physics.usda@]"
    for engine in ("mujoco", "physx"):
        (physics / f"{engine}.usda").write_text(HEADER.format(below) + 'over "arm"\n{\n}\n')
    layers = {name: f"./payloads/Physics/{name}.usda" for name in ("mujoco", "physics", "physx")}
    sets = variants("Physics", **layers, none=None)
    meta = f'prepend references = @./payloads/base.usda@\n    {selection}variantSets = "Physics"'
    path = folder / "arm.usda"
    path.write_text(f'{HEADER.format("")}def Xform "arm" (\n    {meta}\n)\n{{{sets}}}\n')
    return path


def write_configuration(folder):
    """The layout of Isaac Sim 4.5 and 5: sublayers of one another, PhysX selected."""
    parts = folder / "configuration"
    parts.mkdir()
    (parts / "arm_base.usd").write_text(HEADER.format("") + BASE)
    for name, below, text in (("physics", "base", PHYSICS), ("sensor", "physics", "")):
        layer = HEADER.format(f"\n    subLayers = [@arm_{below}.usd@]") + text
        (parts / f"arm_{name}.usd").write_text(layer)
    sets = variants("Physics", None_=None, PhysX="configuration/arm_physics.usd")
    sets += variants("Sensor", None_=None, Sensors="configuration/arm_sensor.usd")
    sets = sets.replace("None_", "None")
    selected = '{ string Physics = "PhysX"; string Sensor = "Sensors" }'
    meta = f'variants = {selected}\n    prepend variantSets = ["Physics", "Sensor"]'
    path = folder / "arm.usd"
    path.write_text(f'{HEADER.format("")}def Xform "arm" (\n    {meta}\n)\n{{{sets}}}\n')
    return path


def codes(path):
    return [finding.code for finding in ic.check_model(path).findings]


def test_a_stage_whose_bodies_wait_for_a_variant_is_judged(tmp_path):
    """The bug: 0 bodies and no finding, though the robot has ten of them."""
    path = write_asset_structure(tmp_path)
    model = ic.load(path)
    (body,) = model.bodies
    assert (body.name, body.inertial.mass.value) == ("elbow", 1.6)
    assert model.source_of(body.inertial.mass.span).path.endswith("Physics/physics.usda")
    report = ic.check_model(path)
    (finding,) = report.findings
    assert (finding.code, finding.place.line) == ("IC002", 7)
    assert 'read here as physics: write variants = { string Physics = "physics" }' in (
        finding.message
    )


@pytest.mark.parametrize(("variant", "bodies"), [("physx", 1), ("physics", 1), ("none", 0)])
def test_a_selection_is_obeyed(tmp_path, variant, bodies):
    path = write_asset_structure(tmp_path, f'variants = {{ string Physics = "{variant}" }}\n    ')
    assert (codes(path), len(ic.load(path).bodies)) == ([], bodies)


def test_a_body_anywhere_leaves_all_variants_alone(tmp_path):
    path = write_asset_structure(tmp_path)
    body = 'def Xform "b" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{\n}\n'
    path.write_text(path.read_text() + body)
    assert [each.name for each in ic.load(path).bodies] == ["b"]


def test_a_fix_reaches_the_layer_of_the_variant(tmp_path):
    path = write_asset_structure(tmp_path)
    layer = tmp_path / "payloads" / "Physics" / "physics.usda"
    layer.write_text(layer.read_text().replace("0.04)\n        quat", "0.09)\n        quat"))
    assert "IC301" in codes(path)
    fix = ic.fix_model(path, method="nearest", unsafe=True)
    root = path.read_text()
    fix.write()
    assert path.read_text() == root
    assert "IC301" not in codes(path)


def test_sublayers_of_a_configuration_are_read_with_their_places(tmp_path):
    path = write_configuration(tmp_path)
    model = ic.load(path)
    (body,) = model.bodies
    assert (body.name, body.inertial.mass.value) == ("elbow", 1.6)
    assert model.source_of(body.inertial.mass.span).path.endswith("configuration/arm_physics.usd")
    assert codes(path) == []
    path.write_text(path.read_text().replace('"PhysX";', '"None";'))
    assert len(ic.load(path).bodies) == 1  # the sensors' layer has the physics below it


def test_many_variants_cost_a_bounded_number_of_compositions(tmp_path):
    path = tmp_path / "many.usda"
    sets = variants("look", **{f"v{n}": None for n in range(200)})
    path.write_text(
        f'{HEADER.format("")}def Xform "arm" (\n    variantSets = "look"\n)\n{{{sets}}}\n'
    )
    assert ic.load(path).bodies == ()
