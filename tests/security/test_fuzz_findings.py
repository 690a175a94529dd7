"""What the fuzzer found: each input that broke a promise once, and what it must do."""

import time
import zipfile

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.configuration import Configurations
from inertial_check.checking.toml import TomlFile
from inertial_check.documents.escaping import printable
from inertial_check.documents.files.access import Access
from inertial_check.documents.files.walking import LONGEST_PATTERN, PathPattern, translate_pattern
from inertial_check.documents.load import load
from inertial_check.documents.meshes import triangles
from inertial_check.errors import LONGEST_REASON, DocumentError, UsageError
from inertial_check.identification.diagnosis.diagnosis import diagnose
from inertial_check.identification.fit.samples import Reduction
from inertial_check.identification.recordings import read_recording
from inertial_check.inertia.meshes import measure
from inertial_check.programs.cli.main import main
from inertial_check.projection.metrics import read_weights
from inertial_check.reports.page.scene import describe_solid
from inertial_check.reports.text import interval


def write_npy(path, header, data):
    text = header.encode().ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data)
    return path


def test_an_array_whose_shape_is_a_truth_value_is_no_internal_error(tmp_path, capsys):
    header = "{'descr': '<f8', 'fortran_order': True, 'shape': (True, 10), }"
    path = write_npy(tmp_path / "t.npy", header, np.ones(10).tobytes())
    main(["project", "--about", "origin", "--order", "urdf", str(path), "-o", str(tmp_path / "o")])
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
def test_a_matrix_of_weights_near_the_largest_float64_is_refused_without_overflow():
    weights = np.diag(np.full(10, 1.5e308))
    with pytest.raises(ic.ParameterError, match="only their ratios count"):
        read_weights(weights, "urdf", ())


@pytest.mark.filterwarnings("error")
def test_a_signalling_nan_in_a_binary_mesh_gives_no_warning(tmp_path):
    corners = np.arange(9, dtype="<f4")
    corners.view("<u4")[4] = 0x7F800001
    data = b"x".ljust(80, b"\0") + b"\1\0\0\0" + bytes(12) + corners.tobytes() + b"\0\0"
    path = tmp_path / "m.stl"
    path.write_bytes(data)
    with pytest.raises(ic.InertialCheckError):
        measure(triangles(path))


ROBOT = """<robot name="r"><link name="a"><inertial><mass value="{0}"/><inertia ixx="{1}"
ixy="0.0" ixz="0.0" iyy="{2}" iyz="0.0" izz="{1}"/></inertial></link></robot>"""
SLIDES = "<robot name='r'>{}{}</robot>".format(
    "".join(
        f"<link name='{name}'><inertial><mass value='1'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
        for name in "abc"
    ),
    "".join(
        f"<joint name='{a}{b}' type='prismatic'><parent link='{a}'/><child link='{b}'/>"
        "<origin xyz='0 -1.7e308 1.7e308'/><axis xyz='1 0 0'/></joint>"
        for a, b in ("ab", "bc")
    ),
)
EXTREME = {
    "decimals below the smallest float64 have causes": (
        "a.urdf", ROBOT.format("1", "0.004e-330", "0.004"), [["check"]]),
    "the digits of huge numbers are compared": (
        "a.urdf", ROBOT.format("1e300", "1e308", "1e308"), [["diff"]]),
    "the impact of a joint that lies at the end of float64": (
        "a.urdf", SLIDES, [["diff", "--impact"]]),
    "a stage with an absurd unit": (
        "a.usda",
        "#usda 1.0\n( metersPerUnit = 1e200 )\n"
        'def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) {\n'
        "  float physics:mass = 2\n  float3 physics:diagonalInertia = (1, 2, 5)\n}\n",
        [["check"], ["fix"], ["diff"]]),
    "a tensor that overflows when it is turned": (
        "a.sdf",
        "<sdf version='1.9'><model name='m'><link name='l'><inertial><pose>0 0 0 1 1 1</pose>"
        "<mass>1</mass><inertia>"
        + "".join(f"<{name}>1.7e308</{name}>" for name in ("ixx", "ixy", "iyy", "ixz", "izz"))
        + "</inertia></inertial></link></model></sdf>",
        [["diff"]]),
}  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "text", "commands"), EXTREME.values(), ids=EXTREME)
def test_extreme_numbers_are_no_internal_error_and_give_no_warning(
    tmp_path, capsys, name, text, commands
):
    path = tmp_path / name
    path.write_text(text)
    for command in commands:
        twice = [str(path)] if command[0] == "diff" else []
        options = ["--isolated", "--jobs", "1"] if command == ["check"] else []
        code = main([*command, *options, str(path), *twice])
        told = capsys.readouterr()
        assert code in ((0, 1) if name != "a.usda" else (0, 1, 2)), told
        assert "internal error" not in told.out + told.err


@pytest.mark.parametrize("text", ['"a"b,c\n', '"a\n', "a,b\rc,d\n" + "e" * 200_000 + ",f\n"])
def test_a_map_of_names_that_is_no_csv_is_refused(tmp_path, capsys, text):
    robot, path = tmp_path / "a.urdf", tmp_path / "map.csv"
    robot.write_text('<robot name="r"><link name="a"/></robot>')
    path.write_text(text)
    assert main(["diff", "--map", str(path), str(robot), str(robot)]) == 2
    assert "internal error" not in capsys.readouterr().err


@pytest.mark.parametrize("option", ["tolerance", "timeout", "expect-mass", "max-file-size"])
def test_an_integer_of_a_thousand_digits_is_refused_in_a_configuration(tmp_path, option):
    path = tmp_path / "inertial-check.toml"
    path.write_text(f"{option} = {'9' * 1000}\n")
    with pytest.raises(UsageError, match=option):
        Configurations().of(str(tmp_path / "a.urdf"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("entry", [1e308, -1e308, 1e200])
@pytest.mark.parametrize("diagonal", [1e-300, 5e-324, 0.0])
def test_weights_with_a_huge_entry_beside_the_diagonal_are_refused(entry, diagonal):
    weights = np.eye(10) * diagonal
    weights[2, 3] = weights[3, 2] = entry
    with pytest.raises(ic.ParameterError, match="not positive semidefinite"):
        read_weights(weights, "urdf", ())


def test_a_message_about_a_huge_name_is_short():
    with pytest.raises(DocumentError) as error:
        load(b"<robot><" + b"a" * 100_000 + b"></b></robot>")
    assert len(error.value.reason) < LONGEST_REASON + 100
    assert "characters left out" in str(error.value)


def test_a_pattern_of_a_million_characters_takes_no_time():
    start = time.process_time()
    assert translate_pattern("a" * 1_000_000) is None
    assert not PathPattern("/x", "*a" * 500_000).valid
    assert translate_pattern("a" * LONGEST_PATTERN) == "a" * LONGEST_PATTERN
    assert time.process_time() - start < 5


def test_the_place_of_a_key_behind_a_list_of_many_lines_is_found_in_time(tmp_path):
    path = tmp_path / "inertial-check.toml"
    path.write_text("exclude = [\n" + ' "a",\n' * 20_000 + "]\nx = 1\n")
    start = time.process_time()
    assert TomlFile(str(path), Access().of_document(str(path))).line(("x",)) == 20_003
    assert time.process_time() - start < 10


def test_lines_of_keys_are_told_apart_from_texts_and_comments(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(
        'a = 1\n\n# c [\nb = """x\n[ ""\n"""\nc = [\n 1, # ]\n "]",\n]\n'
        "q='''\n#\n''''\n[d.e]\n\"f g\" = {x = \"{\"}\n\n[[h]]\nk='\\'\n"
    )
    file = TomlFile(str(path), Access().of_document(str(path)))
    keys = [("a",), ("b",), ("c",), ("q",), ("d",), ("d", "e", "f g", "x"), ("h",)]
    assert [file.line(key) for key in keys] == [1, 4, 7, 11, 14, 15, 17]


def test_a_configuration_with_one_wrong_value_behind_many_lines_is_refused_in_time(tmp_path):
    path = tmp_path / "inertial-check.toml"
    path.write_text("exclude = [\n" + ' "a",\n' * 20_000 + " 1,\n]\n")
    start = time.process_time()
    with pytest.raises(UsageError, match=r"inertial-check\.toml:1: exclude"):
        Configurations().of(str(tmp_path / "a.urdf"))
    assert time.process_time() - start < 10


def test_weights_beyond_the_precision_of_float64_give_a_proof_or_a_refusal():
    """The determinant of such weights is rounded to zero: a matrix that is not finite followed."""
    weights = np.array([1e30, 2, 3, 4, 5e30, 6, 7, 8, 9e30, 10])
    rows = np.array(
        [[1.0, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.9], [2, 0.2, 0, 0.4, 0.1, 0, 0, 0.1, 0, 0.1]]
    )
    try:
        found = ic.project(rows, metric="weighted", weights=weights, about="origin", order="urdf")
    except ic.ProjectionError:
        return
    assert ic.check(found.theta, about="origin", order="urdf").consistent.all()


@pytest.mark.filterwarnings("error")
def test_an_infinite_weight_is_refused_without_a_warning(tmp_path):
    path = tmp_path / "w.json"
    path.write_text("[[1, 2, 3, 4, 5, 6, 7, 8, 9, Infinity]]")
    table = tmp_path / "t.csv"
    table.write_text("m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz\n1,0,0,0,0.1,0,0,0.1,0,0.9\n")
    argv = ["project", "--about", "origin", "--metric", "weighted", "--weights", str(path)]
    assert main([*argv, str(table), "-o", str(tmp_path / "o.csv")]) == 2


@pytest.mark.filterwarnings("error")
def test_positions_near_the_largest_float64_are_diagnosed_without_a_warning():
    q = np.linspace(0, 1, 40)[:, None] * [1e200, 1.0]
    diagnose(q, t=np.arange(40.0))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["t.npy", "t.npz"])
def test_a_signalling_nan_in_a_table_of_float32_gives_no_warning(tmp_path, name, capsys):
    rows = np.ones((2, 10), dtype="<f4")
    rows.view("<u4")[1, 3] = 0x7F800001
    path = tmp_path / name
    np.save(path, rows) if name == "t.npy" else np.savez(path, theta=rows)
    argv = ["project", "--about", "origin", "--order", "urdf", str(path)]
    main([*argv, "-o", str(tmp_path / name.replace("t", "o"))])
    assert "internal error" not in capsys.readouterr().err


def test_a_map_of_names_with_a_key_of_many_parts_is_refused(tmp_path, capsys, data_dir):
    path = tmp_path / "map.toml"
    path.write_text("a." * 20_000 + "a = 1\n")
    models = [str(data_dir / "diff" / name) for name in ("gripper.urdf", "gripper.xml")]
    assert main(["diff", "--map", str(path), *models]) == 2
    assert ":1: a key of more than" in capsys.readouterr().err


def test_a_list_of_thousands_of_angles_is_one_mistake(tmp_path):
    path = tmp_path / "a.yaml"
    angles = "x, " * 5000
    path.write_text(
        f"l:\n  mass: 1\n  origin: {{xyz: 0 0 0, rpy: [{angles}]}}\n"
        "  inertia: {xx: 1, yy: 1, zz: 1, xy: 0, xz: 0, yz: 0}\n"
    )
    assert len(ic.check_model(path).findings) < 10


def test_an_interval_that_ends_beyond_float64_has_an_end_that_can_be_written():
    low, high = map(float, interval(1e300, np.inf).split(" to "))
    assert low == 1e300
    assert 1e308 < high < np.inf


def test_the_impact_of_numbers_near_the_end_of_float64(tmp_path, capsys):
    link = (
        '<link name="{0}"><inertial><origin xyz="0.06 0.02 0.01"/><mass value="{1}"/>'
        '<inertia ixx="0.00247" ixy="0.00081" ixz="{2}" iyy="0.00613" iyz="-0.00049" '
        'izz="{3}"/></inertial></link><joint name="{0}j" type="revolute"><parent link="t"/>'
        '<child link="{0}"/></joint>'
    )
    links = link.format("a", -1.563, -0.0012, "0.0067e300")
    links += link.format("b", 1.563, "-0.0012e300", 0.0067)
    path = tmp_path / "a.urdf"
    path.write_text(f'<robot name="r"><link name="t"/>{links}</robot>')
    assert main(["diff", "--impact", str(path), str(path)]) in (0, 1)
    assert "internal error" not in capsys.readouterr().err


def test_a_page_of_moments_beyond_float64_warns_of_nothing(recwarn):
    six = (1.5e308, 1.2e308, 0.0, 1.5e308, 0.0, 1.5e308)
    assert describe_solid(1.0, (0.0, 0.0, 0.0), six)["moments"][2] is None
    assert [each for each in recwarn if each.category is RuntimeWarning] == []


@pytest.mark.parametrize("key", ["extend", "baseline"])
def test_a_path_with_nul_in_a_configuration_is_bad_usage(tmp_path, monkeypatch, capsys, key):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inertial-check.toml").write_text(f'{key} = "\\u0000"\n')
    (tmp_path / "arm.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    assert main(["check", "arm.urdf"]) == 2
    assert f"inertial-check.toml:1: {key} is" in capsys.readouterr().err


def test_an_error_quotes_no_million_characters(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inertial-check.toml").write_text(f'expect-mass = "{"1" * 1_000_000}"\n')
    (tmp_path / "arm.urdf").write_text("<robot name='r'><link name='a'/></robot>")
    assert main(["check", "arm.urdf"]) == 2
    said = capsys.readouterr().err
    assert "more characters" in said
    assert len(said) < 5000


@pytest.mark.parametrize("hidden", ["\u034f", "\u115f", "\u3164", "\uffa0", "\ufe0f", "\U000e0100"])
def test_a_character_that_shows_nothing_is_escaped(hidden):
    assert printable(f"a{hidden}b") == f"a{hidden.encode('unicode_escape').decode()}b"


def test_an_array_of_more_axes_than_numpy_has_is_damaged(tmp_path):
    header = repr({"descr": "<f8", "fortran_order": False, "shape": (1,) * 70}).ljust(311) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(8)
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("q", "qd", "tau"):
            archive.writestr(f"{name}.npy", array)
    with pytest.raises(DocumentError, match="its shape is"):
        read_recording(path)


def test_a_block_of_finite_numbers_whose_sum_overflows_is_reduced_in_silence(recwarn):
    regressor = np.full((4, 1, 1), 1.5e308) * [[[1.0]], [[0.5]], [[0.25]], [[1.0]]]
    Reduction.of([(regressor, np.zeros((4, 1)))])
    said = [str(each.message) for each in recwarn if each.category is RuntimeWarning]
    assert not any("in reduce" in each for each in said)


def test_a_capsule_whose_volume_underflows_holds_no_mass(tmp_path, capsys):
    inertia = '<inertia ixx="0.4" ixy="0" ixz="0" iyy="-0.2" iyz="0" izz="0.1"/>'
    links = (
        f'<link name="a"><inertial><mass value="2e30"/>{inertia}</inertial></link>'
        '<link name="b"/><joint name="j" type="revolute"><origin xyz="1e30 0 0"/>'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    )
    path = tmp_path / "a.urdf"
    path.write_text(f'<robot name="r">{links}</robot>')
    main(["fill", "--density", "1000", "--total-mass", "5", str(path)])
    said = capsys.readouterr()
    assert "internal error" not in said.err
    assert "inf kg/m^3 in its shapes" in said.out + said.err


def test_a_prior_near_the_largest_float64_is_refused_without_a_warning(
    tmp_path, capsys, data_dir, recwarn
):
    folder = data_dir / "recordings"
    text = (folder / "arm.urdf").read_text()
    path = tmp_path / "a.urdf"
    path.write_text(text.replace('iyy="0.0095"', 'iyy="0.0095e300"'))
    assert main(["identify", str(folder / "train.csv"), "--model", str(path)]) == 2
    assert "beyond float64" in capsys.readouterr().err
    assert [each for each in recwarn if each.category is RuntimeWarning] == []
