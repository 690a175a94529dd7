"""YAML parameter files of ROS descriptions: read, judged, and fixed where the numbers stand."""

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.load import load, sniff
from inertial_check.documents.poses import from_rpy
from inertial_check.documents.ros_yaml import read_model
from inertial_check.errors import DocumentError, NotAModelError
from inertial_check.programs.cli.main import main

FRANKA = """# identified, see the paper
link0:
  origin:
    xyz: -0.04 -0.0001 0.05
    rpy: 0 0 0
  mass: 0.63   # [kg]
  inertia:
    xx: 0.00315
    yy: 0.00388
    zz: 0.004285
    xy: 8.29E-07
    xz: 0.00015
    yz: 8.2299E-06

left: &finger
  origin: {xyz: [0, 0, 0.01], rpy: "0 0 1.5"}
  mass: 0.015
  inertia: {xx: 1.0e-6, yy: 1.0e-6, zz: 2.1e-6, xy: 0, xz: 0, yz: 0}  # measured
right: *finger
"""
UR = """# Physical parameters
offsets:
  elbow_offset: 0.049 # measured
inertia_parameters:
  base_mass: 4.0  # might be incorrect
  shoulder_mass: 7.1
  upper_arm_mass: 12.7
  links:
    base: {radius: 0.075, length: 0.038}
  center_of_mass:
    shoulder_cog:
      x: 0.021      # model.x
      y: -0.027
      z: 0.0
    upper_arm_cog: {x: -0.232, y: 0.0, z: 0.158}
  rotation:
    shoulder: {roll: 1.570796326794897, pitch: 0, yaw: 0}
  # from the simulator
  tensor:
    shoulder:
      ixx: 0.03408
      ixy: 0.00002
      ixz: -0.00425
      iyy: 0.03529
      iyz: 0.00008
      izz: 0.02156
    upperarm:
      {ixx: 0.02814, ixy: 0.00005, ixz: -0.01561, iyy: 0.97068, iyz: 0.00002, izz: 0.76943}
"""
SIX = "{ixx: 0.01, ixy: 0, ixz: 0, iyy: 0.02, iyz: 0, izz: 0.025}"


def read(text):
    return load(text.encode(), path="inertial.yaml")


def values(body):
    one = body.inertial
    return (
        one.mass.value,
        [number.value for number in one.p_BoBcm_B],
        [one.I_BBcm_Bi[entry].value for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")],
    )


def every_number(model):
    for body in model.bodies:
        yield from (body.inertial.mass, *body.inertial.p_BoBcm_B, *body.inertial.I_BBcm_Bi.values())


def test_a_mapping_for_each_link():
    model = read(FRANKA)
    link0, left, right = model.bodies
    assert model.format == "ros-yaml"
    assert [body.name for body in model.bodies] == ["link0", "left", "right"]
    assert values(link0) == (
        0.63,
        [-0.04, -0.0001, 0.05],
        [0.00315, 8.29e-7, 0.00015, 0.00388, 8.2299e-6, 0.004285],
    )
    assert values(left) == values(right) == (0.015, [0, 0, 0.01], [1e-6, 0, 0, 1e-6, 0, 2.1e-6])
    assert left.inertial.R_BBi == from_rpy(0, 0, 1.5)
    assert model.place(link0.inertial.mass.span)[:2] == (6, 9)
    assert not model.problems
    assert not any(body.problems for body in model.bodies)


def test_one_mapping_for_all_links():
    model = read(UR)
    shoulder, upper_arm = model.bodies
    assert (shoulder.name, upper_arm.name) == ("shoulder", "upperarm")
    assert shoulder.id == "inertia_parameters/shoulder"
    assert values(shoulder)[:2] == (7.1, [0.021, -0.027, 0.0])
    assert values(upper_arm)[:2] == (12.7, [-0.232, 0.0, 0.158])
    np.testing.assert_allclose(
        shoulder.inertial.R_BBi, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-9
    )
    assert upper_arm.inertial.R_BBi == from_rpy(0, 0, 0)
    assert model.place(shoulder.inertial.I_BBcm_Bi["izz"].span)[:2] == (26, 12)


@pytest.mark.parametrize("text", [FRANKA, UR], ids=["franka", "ur"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_number_stands_where_its_span_says(text, encoding, end):
    text = text.replace("# ", "# né ").replace("\n", end)
    model = load(text.encode(encoding), path="x.yaml")
    for number in every_number(model):
        if number.span is not None:
            assert model.source.text(number.span) == number.text
            assert float(number.text) == number.value


@pytest.mark.parametrize(
    "text",
    [
        f"robot:\n  arms:\n    a: {{mass: 1, inertia: {SIX}}}\n",
        f"a:\n  inertial:\n    mass: 1.0\n    com: [0, 0, 0]\n    inertia_tensor: {SIX}\n",
        f"base: &b\n  mass: 1\n  inertia: {SIX}\na:\n  <<: *b\n  mass: 1\nbase: 0\n",
        f"a:\n  mass: '1'\n  inertia: {SIX}\n",
        f"---\na:\n  com: {{x: 0, y: 0, z: 0}}\n  mass: 1e0\n  inertia: {SIX}\n...\n",
    ],
)
def test_other_shapes(text):
    (body,) = read(text).bodies
    assert body.name == "a"
    assert values(body) == (1.0, [0, 0, 0], [0.01, 0, 0, 0.02, 0, 0.025])


@pytest.mark.parametrize(
    ("old", "new", "said", "where"),
    [
        ("mass: 0.63", "mass: 0,63", "write 0.63", "0,63"),
        ("mass: 0.63", "mass: ${m}", "xacro expression", "${m}"),
        ("mass: 0.63", "mass: !degrees 30", "expected a number", "!degrees 30"),
        ("mass: 0.63", 'mass: "0.6\\x33"', "expected a number", '"0.6\\x33"'),
        ("    yz: 8.2299E-06\n", "", "has no iyz: write iyz", None),
        ("-0.04 -0.0001 0.05", "-0.04 -0.0001", "three numbers", "-0.04 -0.0001"),
        ("    yz: 8", "    iyx: 0.5\n    yz: 8", "not symmetric", "0.5"),
        ("    yz: 8", "    yz: 1\n    yz: 8", "comes twice", "yz"),
    ],
)
def test_what_is_no_number_is_told(old, new, said, where):
    model = read(FRANKA.replace(old, new, 1))
    (problem,) = (*model.problems, *model.bodies[0].problems)
    assert problem.kind == "malformed"
    assert said in problem.message
    assert where is None or model.source.text(problem.span) == where


@pytest.mark.parametrize(
    "text",
    [
        "joint_limits:\n  shoulder: {has_limits: true}\n",
        "mass: 1\nlinks: [1, 2]\n",
        "- {m: 1, hx: 0, hy: 0, hz: 0, ixx: 1, ixy: 0, ixz: 0, iyy: 1, iyz: 0, izz: 1}\n",
        "<robot/>",
        "m,hx,hy,hz,ixx,ixy,ixz,iyy,iyz,izz\n1,0,0,0,1,0,0,1,0,1\n",
    ],
)
def test_other_documents_are_not_taken(text):
    assert sniff(text.encode()) != "ros-yaml"


def test_a_document_without_a_link_is_no_model():
    text = "a:\n  mass: 1\nb:\n  inertia:\n    ixx: 1\n"
    assert sniff(text.encode()) == "ros-yaml"
    with pytest.raises(NotAModelError, match="no mapping with a mass and an inertia"):
        read(text)


ALIASES = (
    "l0: &l0 {mass: 1, inertia: {ixx: 1, ixy: 0, ixz: 0, iyy: 1, iyz: 0, izz: 1}}\n"
    + "".join(f"l{i}: &l{i} {{a: *l{i - 1}, b: *l{i - 1}}}\n" for i in range(1, 60))
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: {mass: 1, inertia: {ixx: 1\n", "not YAML"),
        ("a: *nobody\nmass: 1\ninertia:\nixx: 1", "undefined alias"),
        ("mass: 1\ninertia:\n  ixx: " + "[" * 100_000, "nested too deep"),
        (ALIASES.replace("inertia: {", "inertia:  &i {"), "do aliases repeat them"),
        ("a: \x07\nmass: 1\ninertia:\n ixx: 1\n", "not YAML"),
    ],
    ids=["truncated", "alias", "deep", "bomb", "control"],
)
def test_bad_documents_are_told(text, said, request, monkeypatch):
    if not request.config.getoption("--long"):  # reading bodies up to the limit takes seconds
        monkeypatch.setattr("inertial_check.documents.ros_yaml._MOST_BODIES", 500)
    with pytest.raises(DocumentError, match=said):
        read_model(ic.load(FRANKA.encode()).source.__class__("x.yaml", text.encode()))


def test_a_mapping_that_merges_itself_ends():
    text = f"a: &a\n  <<: *a\n  mass: 1\n  inertia: {SIX}\n  b: *a\n"
    assert [body.name for body in read(text).bodies] == ["a"]


def test_fixed_in_place_with_comments_and_aliases_kept():
    fix = ic.fix_model(FRANKA.encode(), unsafe=True)
    assert {body.name: body.status for body in fix.bodies} == {
        "link0": "unchanged",
        "left": "fixed",
        "right": "fixed",
    }
    old, new = FRANKA.splitlines(), fix.data.decode().splitlines()
    changed = [a for a, b in zip(old, new, strict=True) if a != b]
    assert changed == [old[17]]
    assert "# measured" in new[17]
    again = ic.fix_model(fix.data)
    assert {body.status for body in again.bodies} == {"unchanged"}


def test_a_number_that_an_alias_shares_is_left_where_the_others_want_another():
    text = (
        "a: {mass: 1, inertia: {xx: &i 0.0100, xy: 0, xz: 0, yy: 0.0100, yz: 0, zz: 0.0250}}\n"
        "b: {mass: 1, inertia: {xx: *i, xy: 0, xz: 0, yy: 0.0100, yz: 0, zz: 0.0100}}\n"
    )
    fix = ic.fix_model(text.encode(), unsafe=True)
    assert {body.name: body.status for body in fix.bodies} == {"a": "shared", "b": "unchanged"}
    assert fix.data == text.encode()


def test_a_named_file_is_checked_and_a_walk_passes_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "physical_parameters.yaml").write_text(UR)
    assert main(["check", "physical_parameters.yaml", "--output-format", "concise"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("physical_parameters.yaml:28:13: error IC301 [upperarm]")
    assert main(["check", ".", "--allow-empty"]) == 0
    assert "IC301" not in capsys.readouterr().out
