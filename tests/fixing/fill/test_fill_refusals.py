"""Bad input of `fill`: one clear line, exit code 2, and nothing is written."""

import re
import struct
from pathlib import Path

import pytest

import inertial_check as ic
from inertial_check.errors import InertialCheckError
from inertial_check.programs.cli.main import main

ARM = (Path(__file__).resolve().parents[3] / "data" / "fill" / "arm.urdf").read_text()
TRIANGLE = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
TABLES = {
    "number.toml": "links = 3\n",
    "list.toml": "[links]\nforearm = [1]\n",
    "true.toml": "[links]\nforearm = true\n",
    "negative.toml": "[links]\nforearm = -3\n",
    "nan.toml": "[links]\nforearm = nan\n",
    "huge.toml": f"[links]\nforearm = 1{'0' * 400}\n",
    "unused.toml": "[materials]\nmine = [1, 2]\n[links]\nforearm = 1000\n",
    "broken.toml": "links",
    "unknown.toml": '[links]\nforearm = "stele"\n',
    "other.toml": "[link]\nforearm = 1000\n",
}

# Arguments -> words of the message: what was given, what is expected, and the way out.
OPTIONS = {
    "--density=-5": "density is -5.0, expected a positive number",
    "--density=0": "density is 0.0, expected a positive number",
    "--density=nan": "density is nan, expected a positive number",
    "--density=inf": "density is inf, expected a positive number",
    "--mass=forearm=nan": "mass of forearm is nan, expected a positive number",
    "--mass=forearm=0": "mass of forearm is 0.0, expected a positive number",
    "--mass=forearm=1,5": "'1,5' is no number",
    "--mass=forearm": "expected LINK=KG",
    "--mass=fourarm=1": "no body 'fourarm'; did you mean 'forearm'?",
    "--mass=base=1": "name it with --body",
    "--mass=forearm=1 --mass=forearm=2": "--mass forearm is given twice",
    "--mass=forearm=1e9": "1e+09 kg of forearm with densities of 10 to 25000 kg/m^3",
    "--subtree-mass=forearm=-2": "mass carried by forearm is -2.0",
    "--subtree-mass=fourarm=2": "did you mean 'forearm'?",
    "--total-mass=3": "measured bodies have 4 kg of it: nothing is left for 4 bodies",
    "--total-mass=-3": "total mass is -3.0, expected a positive number",
    "--total-mass=9:2": "deviation of the total mass is 2.0, expected",
    "--total-mass=1e308": "no bodies inside the shapes have a total mass of 1e+308 kg",
    "--density-range=200:100": "expected 0 <= least < largest",
    "--density-range=nan:100": "expected 0 <= least < largest",
    "--density-range=0:inf": "both finite",
    "--density-range=100": "expected LOW:HIGH",
    "--com=0,0": "--com takes three numbers, and there are 2",
    "--com=0,0,nan": "expected numbers",
    "--com=0,0,9 --total-mass=9": "no bodies inside the shapes have z of the centre of mass",
    "--pair=forearm": "expected LINK=LINK",
    "--pair=forearm=forearm": "a pair with itself, expected two bodies",
    "--pair=forearm=nobody": "no body 'nobody'",
    "--body=fourarm": "no body 'fourarm'; did you mean 'forearm'?",
    "--thickness=-1": "thickness is -1.0, expected a positive length",
    "--prior=nofile.urdf": "nofile.urdf: ",
    "--materials=nofile.toml": "cannot read nofile.toml",
    "--materials=number.toml": "number.toml: links is 3, expected a table",
    "--materials=list.toml": "list.toml: forearm is [1], expected a density or a material",
    "--materials=true.toml": "true.toml: forearm is True, expected a density or a material",
    "--materials=negative.toml": "negative.toml: forearm is -3, expected a positive density",
    "--materials=nan.toml": "nan.toml: forearm is nan, expected a positive density",
    "--materials=huge.toml": "expected a positive density",
    "--materials=unused.toml": "unused.toml: mine is [1, 2]",
    "--materials=broken.toml": "broken.toml:1:",
    "--materials=unknown.toml": "did you mean 'steel'",
    "--materials=other.toml": "unknown table 'link'",
    "-o folder": "folder: cannot be written: it is no regular file",
    "-o nofolder/x.urdf": "nofolder/x.urdf: cannot be written: No such file or directory",
    "--write -o x.urdf": "choose one",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "arm.urdf").write_text(ARM)
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read_files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("arguments", OPTIONS)
def test_an_option_is_refused_with_one_line(arguments, folder, capsys):
    before = read_files(folder)
    given = arguments.split()
    writing = [] if {"-o", "--write"} & set(given) else ["--write"]
    assert main(["fill", "arm.urdf", *given, *writing]) == 2
    out, err = capsys.readouterr()
    assert OPTIONS[arguments] in err
    assert err.count("\n") <= 1 + 6 * ("-o" in given)  # -o fails once the bodies have been told
    assert err.splitlines()[-1].startswith("inertial-check: error: ")
    assert not out
    assert read_files(folder) == before


ARGUMENTS = {
    "density is '5', expected a number": {"density": "5"},
    "masses['forearm'] is None, expected a number": {"masses": {"forearm": None}},
    "masses is [1], expected numbers by name": {"masses": [1]},
    "expected a mass or (mass, deviation)": {"total_mass": (9, 0.1, 3)},
    "total_mass is True, expected a number": {"total_mass": True},
    "com is 'abc', expected 3 numbers": {"com": "abc"},
    "com is 3, expected 3 numbers": {"com": 3},
    "density_range is (1,), expected 2 numbers": {"density_range": (1,)},
    "a pair is 'ab', expected the names of two bodies": {"pairs": ["ab"]},
    "pairs is [1], expected a list of lists of texts": {"pairs": [1]},
    "materials['a'] is 'stele', expected a density or a material": {"materials": {"a": "stele"}},
    "roles is ('shape',): expected some of": {"roles": ("shape",)},
    "bodies is 'forearm', expected a list of texts": {"bodies": "forearm"},
}


@pytest.mark.parametrize("message", ARGUMENTS)
def test_an_argument_of_another_type_is_refused_with_one_line(message):
    with pytest.raises(InertialCheckError, match=re.escape(message)) as raised:
        ic.fill(ARM.encode(), **ARGUMENTS[message])
    assert "\n" not in str(raised.value)


BOX = '<box size="0.08 0.06 0.3"/>'
SPHERE = '<visual><origin xyz="0 0 0.15"/><geometry><sphere radius="0.02"/></geometry></visual>'
# Shapes of forearm -> words of the remark; all are skipped, never a crash or a warning.
SHAPES = {
    '<box size="0 0.06 0.3"/>': "the volume of the box is 0.0",
    '<box size="-0.08 0.06 0.3"/>': "lengths are positive",
    '<box size="nan 0.06 0.3"/>': "is not finite",
    '<box size="1e200 1e200 1e200"/>': "the volume of the box is inf",
    '<box size="1e-200 1e-200 1e-200"/>': "the volume of the box is 0.0",
    '<mesh filename="nofile.stl"/>': "nofile.stl",
    '<mesh filename="flat.stl"/>': "of the mesh lie in one plane",
    '<mesh filename="cut.stl"/>': "cut.stl",
    '<mesh filename="countless.stl"/>': "countless.stl",
    '<mesh filename="folder"/>': "folder",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_without_volume_is_told_and_makes_a_guess(shape, folder, capsys):
    (folder / "flat.stl").write_bytes(bytes(80) + struct.pack("<I", 1) + TRIANGLE)
    (folder / "cut.stl").write_bytes(bytes(80) + struct.pack("<I", 9) + TRIANGLE)
    (folder / "countless.stl").write_bytes(bytes(80) + struct.pack("<I", 2**32 - 1) + TRIANGLE)
    (folder / "arm.urdf").write_text(ARM.replace(BOX, shape))
    filling = ic.fill("arm.urdf", density=1000)
    (forearm,) = (body for body in filling.bodies if body.name == "forearm")
    assert forearm.guess
    assert any(SHAPES[shape] in remark for remark in forearm.remarks)
    main(["fill", "arm.urdf", "--density=1000"])
    assert SHAPES[shape] in capsys.readouterr().err


def test_names_that_repeat_are_filled_and_must_be_named_by_id(folder):
    twice = ARM.replace("finger_right", "finger_left").encode()
    assert [body.status for body in ic.fill(twice).bodies].count("filled") == 4
    with pytest.raises(InertialCheckError, match="name one by its id"):
        ic.fill(twice, masses={"finger_left": 0.1})


HOSTILE = "a--&gt;--!&gt;-&lt;link name=&quot;b&quot;&gt;&#10;::error::x\u202e"


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml", "usda"])
def test_hostile_names_stay_text_in_comments_and_on_the_terminal(suffix, folder, capsys):
    source = Path(__file__).resolve().parents[3] / "data" / "fill" / f"arm.{suffix}"
    name = "upper_arm" if suffix != "usda" else "shape"
    hostile = HOSTILE if suffix != "usda" else "shape_\u00e9"
    text = source.read_text(encoding="utf-8").replace(f'"{name}"', f'"{hostile}"')
    text = text.replace(f">{name}<", f">{hostile}<")
    path = folder / f"model.{suffix}"
    path.write_text(text, encoding="utf-8")
    before = ic.load(path)
    chosen = [] if suffix == "urdf" else ["--body", before.bodies[-1].id]
    assert main(["fill", path.name, "--density=900", "--provenance", "--write", *chosen]) == 0
    err = capsys.readouterr().err
    assert "\u202e" not in err
    assert "\n::error" not in err
    written = path.read_text(encoding="utf-8")
    comments = re.findall(r"<!--(.*?)-->", written, re.DOTALL) or re.findall(r"# (.*)", written)
    assert any("inertial-check fill: 900 kg/m^3" in comment for comment in comments)
    assert not any("--" in comment for comment in comments)
    assert ic.load(path).names == before.names


def test_a_body_with_a_skipped_shape_has_no_interval():
    """What is not read may weigh anything: a bolt beside a mesh bounds no mass."""
    text = """<robot name="r"><link name="arm">
    <collision><geometry><box size="0.02 0.02 0.02"/></geometry></collision>
    <collision><geometry><mesh filename="missing.stl"/></geometry></collision>
    </link><link name="base"/><joint name="j" type="revolute"><parent link="base"/>
    <child link="arm"/></joint></robot>"""
    (body,) = ic.fill(text.encode(), bodies=["arm"]).bodies
    assert (body.status, body.interval, body.guess) == ("filled", None, True)
    assert "skipped" in " ".join(body.remarks)
