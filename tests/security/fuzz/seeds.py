"""Seeds: documents from data/ of this repository, and small ones written for this purpose."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fuzz.cases import Case, Content

DATA = Path(__file__).parents[3] / "data"

_URDF = b"""<?xml version="1.0"?>
<!-- inertial-check: ignore-file[IC601] copies are meant -->
<robot name="r">
  <material name="m"><color rgba="1 0 0 1"/></material>
  <link name="a">
    <!-- inertial-check: ignore[IC301] measured -->
    <inertial><origin xyz="0 0 .1" rpy="0.1 0 0"/><mass value="2"/>
      <inertia ixx="0.4" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.1"/></inertial>
    <collision><origin xyz="0 0 1" rpy="0 0 0"/><geometry><box size="1 2 3"/></geometry></collision>
    <visual><geometry><mesh filename="cube.stl" scale="1 1 1"/></geometry></visual>
  </link>
  <link name="b">
    <inertial><mass value="1.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.05"/></inertial>
    <collision><geometry><mesh filename="package://p/cube.obj"/></geometry></collision>
    <visual><geometry><cylinder radius=".1" length="2"/></geometry></visual>
    <visual><geometry><sphere radius="0.3"/></geometry></visual>
  </link>
  <joint name="j" type="revolute"><origin xyz="1 0 0" rpy="0 1.57 0"/><parent link="a"/>
    <child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="2"/>
    <dynamics damping="0.1" friction="0.2"/><mimic joint="j" multiplier="1" offset="0"/></joint>
</robot>
"""
_MJCF = b"""<mujoco model="m">
  <compiler angle="degree" eulerseq="xyz" balanceinertia="false" boundmass="0" settotalmass="-1"
    inertiafromgeom="auto" inertiagrouprange="0 5" meshdir="." autolimits="true"/>
  <default><geom density="500" rgba="1 0 0 1"/><default class="c"><geom type="capsule"/></default>
  </default>
  <asset><mesh name="cube" file="cube.stl" scale="1 1 1"/><mesh file="cube.obj"/>
    <mesh name="v" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody>
    <frame pos="0 0 1" euler="0 90 0"><body name="a" childclass="c"><freejoint/>
      <inertial pos="0 0 .1" quat="1 0 0 0" mass="2" fullinertia=".4 .2 .1 .01 0 0"/>
      <geom size=".1 .2" fromto="0 0 0 1 0 0"/><geom type="mesh" mesh="cube" mass="1"/>
      <body><joint type="slide" axis="1 0 0" range="-1 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 3" xyaxes="1 0 0 0 1 0"/>
        <geom type="box" size=".1 .1 .1" zaxis="0 1 0"/><geom type="ellipsoid" size="1 2 3"/>
        <include file="part.xml"/></body></body></frame>
    <replicate count="3" offset="1 0 0" sep="_">
      <body><geom type="sphere" size="1"/></body></replicate>
    <attach model="x" body="y" prefix="z"/>
  </worldbody>
</mujoco>
"""
_SDF = b"""<?xml version="1.0"?>
<sdf version="1.10">
  <world name="w">
    <include><uri>part.sdf</uri><name>n</name><pose>1 0 0 0 0 1</pose></include>
    <frame name="f" attached_to="m"><pose relative_to="m">0 0 1 0 0 0</pose></frame>
    <model name="m" canonical_link="a" placement_frame="f">
      <pose relative_to="f" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>
      <link name="a"><inertial auto="false"><mass>2</mass><pose relative_to="a">0 0 .1 0 0 0</pose>
        <inertia><ixx>0.4</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.2</iyy><iyz>0</iyz><izz>.1</izz></inertia>
        <fluid_added_mass><xx>1</xx><xy>0</xy><pp>0.1</pp><rr>1</rr></fluid_added_mass></inertial>
        <collision name="c"><pose>0 0 0 0 0 0</pose><geometry>
          <box><size>1 2 3</size></box></geometry></collision>
        <visual name="v"><geometry><mesh><uri>cube.stl</uri><scale>1 1 1</scale></mesh></geometry>
        </visual></link>
      <model name="inner"><link name="b"><inertial auto="true"><density>1000</density></inertial>
        <collision name="c"><density>10</density><geometry>
          <cone><radius>1</radius><length>2</length></cone></geometry></collision></link></model>
      <joint name="j" type="revolute"><parent>a</parent><child>inner::b</child>
        <axis><xyz expressed_in="a">0 0 1</xyz></axis></joint>
    </model>
  </world>
</sdf>
"""
_PART_SDF = b"""<sdf version="1.9"><model name="p"><link name="l"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link></model></sdf>"""
_PART_MJCF = b"""<mujocoinclude><body name="p"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
</body></mujocoinclude>"""
_USD = b"""#usda 1.0
( defaultPrim = "r"
  metersPerUnit = 0.01
  kilogramsPerUnit = 1
  subLayers = [@./finger.usda@]
)
def Xform "r" {
  # inertial-check: ignore[IC301] measured
  def Xform "a" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] ) {
    float physics:mass = 2
    point3f physics:centerOfMass = (0, 0, 1)
    float3 physics:diagonalInertia = (1, 2, 5)
    quatf physics:principalAxes = (1, 0, 0, 0)
    double3 xformOp:translate = (1, 2, 3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Cube "c" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) { double size = 2 }
  }
}
"""
_YAML = b"""# inertial-check: ignore-file[IC601] copies
link0:
  origin: {xyz: -0.04 -0.0001 0.05, rpy: 0 0 0}
  mass: 0.63   # [kg]
  inertia: {xx: 0.00315, yy: 0.00388, zz: 0.004285, xy: 8.29E-07, xz: 0.00015, yz: 8.2299E-06}
left: &finger
  origin: {xyz: [0, 0, 0.01], rpy: "0 0 1.5"}
  mass: 0.015
  inertia:
    xx: 1.0e-6
    yy: 1.0e-6
    zz: 2.1e-6
    xy: 0
    xz: 0
    yz: 0
right: *finger
"""
_UR = b"""inertia_parameters:
  base_mass: 4.0
  shoulder_mass: 7.1
  links:
    base: {radius: 0.075, length: 0.038}
  center_of_mass:
    shoulder_cog: {x: 0.021, y: -0.027, z: 0.0}
  rotation:
    shoulder: {roll: 1.57, pitch: 0, yaw: 0}
  tensor:
    shoulder: {ixx: 0.03408, ixy: 0.00002, ixz: -0.00425, iyy: 0.03529, iyz: 0.00008, izz: 0.02156}
"""
_XACRO = b"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${2 * 1.5}"/><xacro:arg name="x" default="1"/>
  <xacro:macro name="l" params="n k:=1 *block"><link name="${n}"><inertial>
    <mass value="${m * k}"/><xacro:insert_block name="block"/></inertial></link></xacro:macro>
  <xacro:l n="a" k="$(arg x)">
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="${1+2}"/></xacro:l>
  <xacro:if value="${1 &lt; 2}"><link name="b"/></xacro:if>
</robot>
"""
_TOML = b"""select = ["ALL"]
extend-ignore = ["IC601"]
preset = "default"
strict = true
fail-on = "warning"
tolerance = 1e-6
geometry = "auto"
engine = ["mujoco", "drake"]
expect-mass = "12.5:0.02"
xacro-env = []
follow-outside = false
max-file-size = "20MB"
timeout = 30
exclude = ["build/", "*.tmp", "**/old/*"]
baseline = "baseline.json"
output-format = "concise"
jobs = 2

[per-file-ignores]
"robots/*.urdf" = ["IC301"]
[per-body-ignores]
"robots/*.urdf::tool0" = {codes = ["IC103"], reason = "a frame"}
[[accepted]]
files = "robots/old/"
bodies = "tool*"
codes = ["IC3"]
reason = "retired"
[xacro-arg]
x = 1
[package-path]
p = "."
"""
_BASELINE = b"""{
 "schema_version": "1",
 "entries": [
  {"file": "a.urdf", "body": "forearm", "code": "IC301", "findings": 1, "margin": -0.134},
  {"file": "a.urdf", "body": "", "code": "IC001", "findings": 2}
 ]
}
"""
_IGNORE = b"""# built
/build/
*.tmp
!keep.tmp
a/**/b
**/c[a-z]?[!x]\\ d
[[:alpha:]]*/**
\\#x\\!
"""
_OBJ = b"""# a cube
mtllib x.mtl
o cube
v 0 0 0
v 1 0 0 1.0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vn 0 0 1
vt 0 0
f 4 3 2 1
f 5/1/1 6//1 7/1 8
f -8 -7 -3 -4
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""
_STL = b"""solid cube
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1 0 0
   vertex 0 1 0
  endloop
 endfacet
endsolid cube
"""


def make_binary_stl() -> bytes:
    """A tetrahedron as binary STL."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    triangles = corners[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]
    rows = [b"\0" * 12 + each.tobytes() + b"\0\0" for each in triangles]
    return b"a tetrahedron".ljust(80, b"\0") + len(rows).to_bytes(4, "little") + b"".join(rows)


def _npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _npy(array: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)  # type: ignore[arg-type]
    return stream.getvalue()


def _read(folder: str, pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((DATA / folder).glob(pattern))]


def _cases(main: str, kind: str, documents: list[bytes], **beside: Content) -> list[Case]:
    files = {name.replace("__", "/").replace("_dot_", "."): each for name, each in beside.items()}
    return [Case(main, {**files, main: data}, kind) for data in documents]


_MESHES: dict[str, Content] = {
    "cube_dot_stl": make_binary_stl(),
    "cube_dot_obj": _OBJ,
    "p__package_dot_xml": b"<package><name>p</name></package>",
    "p__cube_dot_obj": _OBJ,
}


def _tables() -> list[Case]:
    theta = np.array(
        [[2, 0.2, 0, 0.4, 0.1, 0, -0.04, 0.13, 0, 0.06], [1, 0, 0, 0, 1, 0, 0, 1, 0, 3]]
    )
    names = ["m", "hx", "hy", "hz", "ixx", "ixy", "ixz", "iyy", "iyz", "izz"]
    rows = [dict(zip(names, row, strict=True)) for row in theta.tolist()]
    yaml = b"bodies:\n" + b"".join(b"- %s\n" % json.dumps(row).encode() for row in rows)
    return [
        *_cases("table.csv", "csv", _read("tables", "*.csv")),
        *_cases(
            "table.json", "json", [*_read("tables", "*.json"), json.dumps({"b": rows}).encode()]
        ),
        *_cases("table.yaml", "yaml", [yaml]),
        *_cases("table.npy", "npy", [_npy(theta)]),
        *_cases("table.npz", "npz", [_npz(theta=theta, name=["a", "b"])]),
        *_cases(
            "table.npz", "npz", [_npz(mass=theta[:, 0], h=theta[:, 1:4], inertia=theta[:, 4:])]
        ),
    ]


def _recordings() -> list[Case]:
    t = np.linspace(0, 1, 12)
    q = np.column_stack([np.sin(3 * t), np.cos(2 * t)])
    text = (DATA / "recordings" / "train.csv").read_bytes()
    short = b"\n".join(text.split(b"\n")[:12]) + b"\n"
    return [
        *_cases(
            "r.csv", "csv", [short, b"time [s];q0;q1;tau0;tau1\n0;1;2;3;4\n1;2;3;4;5\n2;3;4;5;6\n"]
        ),
        *_cases("r.npz", "npz", [_npz(t=t, q=q, tau=q), _npz(Y=np.ones((6, 10)), tau=np.ones(6))]),
    ]


def _models() -> dict[str, list[Case]]:
    xacro = {
        path.relative_to(DATA / "xacro").as_posix().replace("/", "__").replace(".", "_dot_"): (
            path.read_bytes()
        )
        for path in (DATA / "xacro").rglob("*.*")
        if path.name != "arm.urdf.xacro"
    }
    part_mjcf = (DATA / "mjcf" / "parts" / "gripper.xml").read_bytes()
    part_sdf = (DATA / "sdf" / "gripper" / "gripper.sdf").read_bytes()
    config = (DATA / "sdf" / "gripper" / "model.config").read_bytes()
    finger = (DATA / "usd" / "finger.usda").read_bytes()
    return {
        "urdf": _cases(
            "a.urdf",
            "xml",
            [_URDF] * 12 + _read("defects", "*.urdf") + _read("valid", "*.urdf"),
            **_MESHES,
        ),
        "mjcf": [
            *_cases("a.xml", "xml", [_MJCF] * 4, part_dot_xml=_PART_MJCF, **_MESHES),
            *_cases("a.xml", "xml", _read("mjcf", "*.xml"), parts__gripper_dot_xml=part_mjcf),
            *_cases("a.xml", "xml", _read("diff", "*.xml") + _read("defects", "*.xml")),
        ],
        "sdf": [
            *_cases("a.sdf", "xml", [_SDF] * 4, part_dot_sdf=_PART_SDF, **_MESHES),
            *_cases(
                "a.world",
                "xml",
                _read("sdf", "*.world"),
                gripper__gripper_dot_sdf=part_sdf,
                gripper__model_dot_config=config,
            ),
            *_cases("a.sdf", "xml", _read("defects", "*.sdf")),
        ],
        "usd": _cases("a.usda", "usd", [_USD, *_read("usd", "*.usda")], finger_dot_usda=finger),
        "xacro": _cases("a.urdf.xacro", "xml", [_XACRO, *_read("xacro", "*.xacro")], **xacro),
        "ros-yaml": _cases("a.yaml", "yaml", [_YAML, _UR, *_read("xacro/parts", "*.yaml")]),
    }


def _results() -> dict[str, list[Case]]:
    """Reports, rows and a journal, as a check of a model writes them."""
    from inertial_check.programs.cli.main import main

    common = ["check", str(DATA / "arm.urdf"), "-q", "--isolated", "--no-cache"]
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for form in ("json", "jsonl"):
            target = ["--output-format", form, "--output-file", f"{place}/report.{form}"]
            main([*common, *target])
        lines = ["--results", f"{place}/rows", "--results-format", "jsonl"]
        journal = ["--resume", f"{place}/journal", "--output-file", f"{place}/last"]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            main([*common, *lines])
            main([*common, *journal, "--output-format", "json"])
        rows = [path.read_bytes() for path in place.glob("rows/*/*")]
        reports = [(place / f"report.{form}").read_bytes() for form in ("json", "jsonl")]
        return {
            "results": _cases("results.json", "json", [*reports, *rows]),
            "journal": _cases("journal", "json", [(place / "journal").read_bytes()]),
        }


@cache
def find_seeds(target: str) -> tuple[Case, ...]:
    """The seeds of a target."""
    if target in ("results", "journal"):
        return tuple(_results()[target])
    models = _models()
    if target == "identify":
        robot = (DATA / "recordings" / "arm.urdf").read_bytes()
        return tuple(_cases("a.urdf", "xml", [robot]))
    pyproject = b"[project]\nname = 'x'\n" + b"\n".join(
        line.replace(b"[", b"[tool.inertial-check.", 1) if line.startswith(b"[") else line
        for line in (b"[]\n" + _TOML).split(b"\n")
    ).replace(b"[tool.inertial-check.]", b"[tool.inertial-check]")
    simple = {
        "configuration": [
            *_cases("inertial-check.toml", "toml", [_TOML, b'extend = "base.toml"\n' + _TOML]),
            *_cases("pyproject.toml", "toml", [pyproject]),
        ],
        "baseline": _cases("baseline.json", "json", [_BASELINE]),
        "gitignore": _cases(".gitignore", "lines", [_IGNORE]),
        "recording": _recordings(),
        "table": _tables(),
        "weights": [
            *_cases("w.csv", "csv", [b"1,2,3,4,5,6,7,8,9,10\n", b"1,0,0,0,0,0,0,0,0,0\n" * 10]),
            *_cases("w.npy", "npy", [_npy(np.ones(10)), _npy(np.eye(10))]),
            *_cases("w.npz", "npz", [_npz(weights=np.ones((2, 10)))]),
            *_cases("w.json", "json", [b"[[1,2,3,4,5,6,7,8,9,10]]"]),
        ],
        "mesh": [
            *_cases("m.stl", "stl", [make_binary_stl()]),
            *_cases("m.stl", "lines", [_STL]),
            *_cases("m.obj", "lines", [_OBJ]),
        ],
        "names": [
            *_cases("map.json", "json", [b'{"palm": "palm", "tip": "finger"}']),
            *_cases("map.toml", "toml", [b'palm = "palm"\n"tip" = "finger"\n']),
            *_cases("map.csv", "csv", [b"palm,palm\ntip,finger\n"]),
        ],
    }
    if target in simple:
        return tuple(simple[target])
    if target in models:
        return tuple(models[target])
    return tuple(case for name in ("urdf", "mjcf", "sdf", "ros-yaml") for case in models[name])
