"""Every spelling of an inertial in USD: what is read, said, fixed and compared."""

import json
import os
import subprocess
import sys

import pytest

import inertial_check as ic
from inertial_check.checking.report import Severity
from usd_spellings import COLLIDER, DOCUMENT

pytest.importorskip("pxr")

IN, OF = "a shell in", "a solid in"
BOTH = '"PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"'
ELBOW = """    float physics:mass = 1
    point3f physics:centerOfMass = (0, 0, 0)
    float3 physics:diagonalInertia = (0.00292, 0.002, 0.00292)
    quatf physics:principalAxes = (1, 0, 0, 0)
"""


def document(lines, schemas=BOTH, meters=1, kilograms=1):
    return DOCUMENT.format(meters=meters, kilograms=kilograms, schemas=schemas, lines=lines)


def codes(text):
    return [finding.code for finding in ic.check_model(text.encode()).findings]


def find(text, code):
    return next(each for each in ic.check_model(text.encode()).findings if each.code == code)


def newton(text):
    (body,) = ic.check_model(text.encode()).files[0].bodies
    return body.predictions["newton"]


class TestNewtonInertia:
    def test_a_converter_that_did_not_turn_it_is_found(self):
        text = document(f"{ELBOW}    double[] newton:inertia = [0.00292, 0.00292, 0.002, 0, 0, 0]")
        finding = find(text, "IC712")
        assert finding.severity is Severity.ERROR
        assert finding.values["apart"] == pytest.approx(0.00092 / 0.00292)
        assert "(line 14)" in finding.message
        assert finding.place.line == 16
        assert "Newton builds [0.00292, 0.00292, 0.002, 0, 0, 0]" in finding.message
        assert newton(text).action == "alter"

    def test_equal_spellings_are_silent(self):
        text = document(f"{ELBOW}    double[] newton:inertia = [0.00292, 0.002, 0.00292, 0, 0, 0]")
        assert codes(text) == ["IC717"]
        assert "NEWTON.MAS.001" in find(text, "IC717").message
        assert newton(text).action == "accept"

    def test_alone_it_is_judged(self):
        text = document(
            "    float physics:mass = 1\n    double[] newton:inertia = [.1, .12, .9, 0, 0, 0]"
        )
        assert {"IC301", "IC711"} <= set(codes(text))
        assert newton(text).becomes == "1 kg, principal moments 0.780001, 0.800001, 1.58 kg m^2"
        (body,) = ic.check_model(text.encode()).files[0].bodies
        assert body.judgement.I_BBcm_B == (0.1, 0, 0, 0.12, 0, 0.9)
        assert body.predictions["physx"].action == "replace"

    def test_beside_another_one_it_is_what_newton_simulates(self):
        text = document(f"{ELBOW}    double[] newton:inertia = [.1, .12, .9, 0, 0, 0]")
        assert newton(text).becomes == "1 kg, principal moments 0.780001, 0.800001, 1.58 kg m^2"
        assert "IC712" in codes(text)

    @pytest.mark.parametrize("value", ["[1, 2, 3]", "[1, 1, nan, 0, 0, 0]"])
    def test_what_newton_ignores_is_said(self, value):
        text = document(f"{ELBOW}    double[] newton:inertia = {value}")
        assert codes(text) == ["IC004"]

    def test_each_engine_needs_its_schema(self):
        lines = f"{ELBOW}    double[] newton:inertia = [1, 1, 1, 0, 0, 0]"
        text = document(lines, '"PhysicsRigidBodyAPI", "PhysicsMassAPI"')
        assert codes(text) == ["IC004"]
        assert "NewtonMassAPI is not applied" in find(text, "IC004").message
        text = document(ELBOW, '"PhysicsRigidBodyAPI", "NewtonMassAPI"')
        assert codes(text) == ["IC711"]
        (body,) = ic.check_model(text.encode()).files[0].bodies
        assert body.predictions["physx"].action == "replace"
        assert body.predictions["newton"].action == "accept"

    def test_other_units_are_taken_for_metres(self):
        text = document(ELBOW, meters=0.01)
        assert newton(text).becomes == "1 kg, principal moments 0.002, 0.00292, 0.00292 kg m^2"


class TestFix:
    BAD = ELBOW.replace("0.00292, 0.002, 0.00292", "0.1, 0.12, 0.9").replace(
        "(1, 0, 0, 0)", "(0.70710678, 0.70710678, 0, 0)"
    )

    def test_both_spellings_change_unless_they_state_two_tensors(self):
        text = document(f"{self.BAD}    double[] newton:inertia = [0.1, 0.9, 0.12, 0, 0, 0]")
        fix = ic.fix_model(text.encode(), method="nearest", unsafe=True)
        assert fix.bodies[0].status == "fixed"
        assert "IC712" not in codes(fix.data.decode())
        assert "IC301" not in codes(fix.data.decode())
        assert b"[0.1, 0.9, 0.12" not in fix.data
        text = document(f"{self.BAD}    double[] newton:inertia = [0.1, 0.9, 0.12, 0, 0, 0]")
        fix = ic.fix_model(text.encode(), unsafe=True)
        assert b"newton:inertia = [1, 0.9, 0.12, 0, 0, 0]" in fix.data
        text = document(f"{self.BAD}    double[] newton:inertia = [0.1, 0.1, 0.12, 0, 0, 0]")
        fix = ic.fix_model(text.encode(), unsafe=True)
        assert (fix.bodies[0].status, fix.data) == ("malformed", text.encode())

    def test_one_spelling_alone_changes_in_place(self):
        text = document(
            "    float physics:mass = 1\n    double[] newton:inertia = [.1, .12, .9, 0, 0, 0]"
        )
        fix = ic.fix_model(text.encode(), method="nearest", unsafe=True)
        assert fix.bodies[0].status == "fixed"
        assert b"physics:diagonalInertia" not in fix.data

    @pytest.mark.parametrize("moments", [ELBOW, "    float physics:mass = 1\n"])
    def test_given_parameters_are_stated_beside_newton_inertia(self, moments):
        text = document(f"{moments}    double[] newton:inertia = [1, 1, 1, 0, 0, 0]")
        wanted = ic.InertialParameters.from_com(1, [0, 0, 0.1], [0.1, 0.01, 0, 0.2, 0, 0.25])
        fix = ic.load(text.encode()).with_parameters({"link": wanted})
        assert fix.bodies[0].status == "fixed", fix.bodies[0].reason
        assert {"IC711", "IC712", "IC714"}.isdisjoint(codes(fix.data.decode()))

    @pytest.mark.parametrize("moments", ["    float3 physics:diagonalInertia = (1, 1, 1)\n", ""])
    def test_fill_states_every_spelling(self, moments):
        newton_alone = "    double[] newton:inertia = [1, 1, 1, 0, 0, 0]\n" + COLLIDER
        text = document(f"    float physics:mass = 1\n{moments}{newton_alone}")
        filling = ic.fill(text.encode(), bodies=["link"], total_mass=2.0)
        assert filling.bodies[0].status == "filled", filling.bodies[0].reason
        (body,) = ic.check_model(filling.fix.data).files[0].bodies
        assert {state for name, state in body.attributes.items() if "density" not in name} == {
            "written"
        }
        assert codes(filling.fix.data.decode()) == ["IC717"]

    def test_a_layer_over_binary_data_states_both(self, tmp_path):
        from pxr import Usd

        text = document(f"{self.BAD}    double[] newton:inertia = [0.1, 0.9, 0.12, 0, 0, 0]")
        (tmp_path / "arm.usda").write_text(text)
        Usd.Stage.Open(str(tmp_path / "arm.usda")).Export(str(tmp_path / "arm.usdc"))
        fix = ic.fix_model(str(tmp_path / "arm.usdc"), method="nearest", unsafe=True)
        path = tmp_path / "fixed.usda"
        fix.write(path)
        assert "double[] newton:inertia = [" in path.read_text()
        assert {"IC301", "IC712"}.isdisjoint(codes_of(path))


def codes_of(path):
    return {finding.code for finding in ic.check_model(str(path)).findings}


class TestRules:
    def test_axes_of_another_length(self):
        text = document(ELBOW.replace("(1, 0, 0, 0)", "(1.001, 0, 0, 0)"))
        assert codes(text) == ["IC713"]
        assert find(text, "IC713").values == {"length": 1.001}
        assert codes(document(ELBOW.replace("(1, 0, 0, 0)", "(1.00009, 0, 0, 0)"))) == []

    def test_moments_without_axes_and_axes_without_moments(self):
        lines = ELBOW.splitlines(keepends=True)
        assert codes(document("".join(lines[:3]))) == ["IC714"]
        assert "IC714" in codes(document(lines[0] + lines[3]))

    def test_a_centre_that_engines_take_from_the_colliders(self):
        without = ELBOW.replace("    point3f physics:centerOfMass = (0, 0, 0)\n", "")
        assert codes(document(without)) == []
        assert codes(document(without + COLLIDER)) == ["IC714"]

    def test_negative_density(self):
        lines = "    float physics:density = -3\n" + COLLIDER
        assert codes(document(lines)) == ["IC106"]
        text = document(COLLIDER.replace('"]', '", "PhysicsMassAPI"]'))
        assert codes(text) == ["IC715"]
        inside = text.replace("double size = 0.2", "double size = 0.2 float physics:density = -3")
        assert codes(inside.replace("0.2 float", "0.2\n float")) == ["IC106"]

    def test_no_mass_anywhere(self):
        assert codes(document(COLLIDER)) == ["IC715"]
        assert codes(document("    float physics:density = 500\n" + COLLIDER)) == []
        material = """
    def Material "steel" (
        prepend apiSchemas = ["PhysicsMaterialAPI"]
    )
    {
        float physics:density = 7800
    }"""
        bound = COLLIDER.replace(
            '"PhysicsCollisionAPI"', '"PhysicsCollisionAPI", "MaterialBindingAPI"'
        )
        bound = bound.replace("0.2", "0.2\n        rel material:binding:physics = </link/steel>")
        assert codes(document(bound + material)) == []

    @pytest.mark.parametrize(
        ("old", "new", "values"),
        [
            ("metersPerUnit = 1", "metersPerUnit = 0.01", {"metersPerUnit": 0.01}),
            ("kilogramsPerUnit = 1", "kilogramsPerUnit = 2", {"kilogramsPerUnit": 2.0}),
            ('upAxis = "Z"', 'upAxis = "Y"', {"upAxis": "Y"}),
            (
                'upAxis = "Z"',
                'upAxis = "Z"\n timeCodesPerSecond = 24',
                {"timeCodesPerSecond": 24.0},
            ),
        ],
    )
    def test_units_and_axes_of_the_stage(self, old, new, values):
        finding = find(document(ELBOW).replace(old, new), "IC716")
        assert (finding.severity, finding.values) == (Severity.NOTE, values)
        assert "IC716" not in codes(document(ELBOW))

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (
                'uniform token newton:massModel = "shell"',
                "a shell in Newton, a solid in UsdPhysics and MuJoCo",
            ),
            (
                "uniform bool mjc:shellinertia = 1",
                "a shell in MuJoCo, a solid in UsdPhysics and Newton",
            ),
            (
                'uniform token mjc:inertia = "shell"',
                "a shell in MuJoCo, a solid in UsdPhysics and Newton",
            ),
            (
                'uniform token newton:massModel = "shell"\nuniform bool mjc:shellinertia = 1',
                "a shell in Newton and MuJoCo, a solid in UsdPhysics",
            ),
            ('uniform token newton:massModel = "foil"', "is foil: expected solid or shell"),
            ("float newton:shellThickness = -0.1", "is -0.1: expected a length above 0"),
            ("float newton:shellThickness = nan", "is nan: expected a length above 0"),
        ],
    )
    def test_shells_that_some_engines_make(self, line, said):
        density = "    float physics:density = 500\n"
        text = document(density + COLLIDER.replace("size = 0.2", f"size = 0.2\n{line}"))
        finding = find(text, "IC718")
        assert codes(text) == ["IC718"]
        assert said in finding.message
        assert text.splitlines()[finding.place.line - 1] == line.splitlines()[0]

    @pytest.mark.parametrize(
        "line",
        [
            'uniform token newton:massModel = "solid"',
            "float newton:shellThickness = -inf",
            "uniform bool mjc:shellinertia = 0",
            'uniform token mjc:inertia = "convex"',
        ],
    )
    def test_solids_are_silent(self, line):
        density = "    float physics:density = 500\n"
        text = document(density + COLLIDER.replace("size = 0.2", f"size = 0.2\n{line}"))
        assert codes(text) == []

    def test_a_shell_beside_a_written_mass_has_no_effect(self):
        shell = COLLIDER.replace(
            "size = 0.2", 'size = 0.2\n        uniform token newton:massModel = "shell"'
        )
        assert codes(document(ELBOW + shell)) == []

    def test_settings_of_mujoco_in_usd(self):
        scene = 'def PhysicsScene "scene"\n{\n    uniform bool mjc:compiler:balanceInertia = 1\n}\n'
        assert codes(document(ELBOW) + scene) == ["IC710"]
        assert codes(document(ELBOW) + scene.replace("= 1", "= 0")) == []


def test_attributes_are_told():
    text = document(
        f"{ELBOW}    double[] newton:inertia = []".replace("(0, 0, 0)", "(-inf, -inf, -inf)")
    )
    (body,) = ic.check_model(text.encode()).files[0].bodies
    assert body.attributes == {
        "physics:mass": "written",
        "physics:density": "absent",
        "physics:centerOfMass": "fallback",
        "physics:diagonalInertia": "written",
        "physics:principalAxes": "written",
        "newton:inertia": "fallback",
    }


class TestValidators:
    """What is asked of the stage is told once, what is asked of a body at the body."""

    def judge(self, text):
        (file,) = ic.check_model(text.encode()).files
        return file, file.bodies[0].predictions

    def test_a_stage_is_refused_and_its_bodies_are_not(self):
        file, predictions = self.judge(document(ELBOW))
        assert file.validators["rep0158"] == (
            "reject",
            "1.1.5: timeCodesPerSecond is 24.0; must be 1.0",
            0,
        )
        assert predictions["rep0158"].action == "accept"
        assert file.validators["nvidia"] == ("accept", "", 0)

    def test_a_file_that_meets_everything(self):
        file, _ = self.judge(
            document(ELBOW).replace("    upAxis", "    timeCodesPerSecond = 1\n    upAxis")
        )
        assert {each.action for each in file.validators.values()} == {"accept"}

    def test_the_plate_that_float32_fails(self):
        plate = ELBOW.replace("0.00292, 0.002, 0.00292", "0.1, 0.2, 0.3")
        file, predictions = self.judge(document(plate))
        assert file.bodies[0].judgement.verdict == "boundary"
        assert file.validators["nvidia"] == ("reject", "", 1)
        assert predictions["nvidia"].message.startswith("RigidBodyHasMassAPI: violates")

    def test_without_a_default_prim(self):
        file, predictions = self.judge(document(ELBOW).replace('    defaultPrim = "link"\n', ""))
        assert file.validators["nvidia"].stage == (
            "RigidBodyMassChecker: Stage has no default prim."
        )
        assert predictions["nvidia"].action == "accept"

    def test_a_gate_names_the_stage_once(self, tmp_path):
        path = tmp_path / "arm.usda"
        second = document(ELBOW).partition('def Xform "link"')[2].replace("link", "second")
        path.write_text(f'{document(ELBOW)}def Xform "second"{second}')
        done = run("check", path, "--engine", "rep0158,nvidia", "--output-format", "json")
        (file,) = json.loads(done.stdout)["files"]
        assert done.returncode == 1
        assert [(each["code"], each["body"]) for each in file["findings"]] == [("IC701", None)]
        assert file["validators"]["rep0158"]["action"] == "reject"
        assert "1.1.5" in file["findings"][0]["message"]

    def test_the_long_form_says_it_in_one_line(self, tmp_path):
        path = tmp_path / "arm.usda"
        path.write_text(document(ELBOW.replace("(1, 0, 0, 0)", "(1.001, 0, 0, 0)")))
        shown = run("check", "-v", path).stdout
        assert "rep0158 rejects the file: 1.1.5: timeCodesPerSecond is 24.0; must be 1.0" in shown
        assert "nvidia rejects the file: 1 body" in shown
        assert "engines            nvidia rejects\n" in shown

    def test_other_formats_have_none(self):
        report = ic.check_model(b'<robot name="r"><link name="a"/></robot>')
        assert report.files[0].validators == {}


def run(*arguments):
    command = [sys.executable, "-m", "inertial_check", *map(str, arguments), "--isolated"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)


def test_attributes_in_reports(tmp_path):
    path = tmp_path / "arm.usda"
    path.write_text(document(ELBOW))
    told = json.loads(run("check", path, "--output-format", "json").stdout)
    assert told["files"][0]["bodies"][0]["attributes"]["newton:inertia"] == "absent"
    shown = run("check", "-v", path).stdout
    assert "link  written  absent   written       written          written        absent" in shown


def test_diff_finds_a_second_spelling():
    right = document(f"{ELBOW}    double[] newton:inertia = [0.00292, 0.002, 0.00292, 0, 0, 0]")
    wrong = document(f"{ELBOW}    double[] newton:inertia = [0.00292, 0.00292, 0.002, 0, 0, 0]")
    assert ic.diff_models(right.encode(), right.encode()).equal
    (body,) = ic.diff_models(right.encode(), wrong.encode()).bodies
    assert (body.status, body.differs) == ("differs", ("inertia",))
    assert body.reason.startswith("in B, newton:inertia states another tensor")


def test_an_encoded_name_is_the_one_that_was_meant():
    text = document(ELBOW).replace('def Xform "link" (', 'def Xform "tn__base_link_aE" (')
    text = text.replace("    prepend api", '    displayName = "/base_link"\n    prepend api')
    (body,) = ic.load(text.encode()).bodies
    assert (body.name, body.id) == ("/base_link", "/tn__base_link_aE")


STRANGE = [
    "float physics:diagonalInertia = 1",
    "float2 physics:diagonalInertia = (1, 2)",
    'string physics:diagonalInertia = "x"',
    "float3 physics:diagonalInertia = (inf, 1, 1)",
    "float3 physics:principalAxes = (1, 0, 0)",
    "quatf physics:principalAxes = (1e308, 0, 0, 0)",
    "quatf physics:principalAxes = (nan, 0, 0, 0)",
    "quatf physics:principalAxes = (0, 0, 0, 0)",
    "float[] newton:inertia = [1, 2]",
    "float newton:inertia = 3",
    "float physics:centerOfMass = 2",
    "float3 physics:mass = (1, 2, 3)",
]
"""Attributes of other types than those of their schemas, and numbers at the end of the range."""


@pytest.mark.parametrize("schemas", [BOTH, '"PhysicsRigidBodyAPI"'])
@pytest.mark.parametrize("line", STRANGE)
def test_attributes_of_any_type_cost_no_prediction(line, schemas):
    """The bug: predictions of the whole file failed with an internal error."""
    kept = [each for each in ELBOW.splitlines() if each.split()[1] != line.split()[1]]
    text = document("\n".join([*kept, f"    {line}", COLLIDER]), schemas)
    report = ic.check_model(text.encode())
    assert report.notes == ()
    assert set(report.files[0].bodies[0].predictions) >= {"newton", "nvidia", "rep0158"}
