"""Geoms and joints of MJCF where MuJoCo compiles them: places, sizes, what may touch, meshes."""

import numpy as np
import pytest

from inertial_check.documents.load import load, root_tag

mujoco = pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")

from mujoco_geoms import VERTICES, compiled, of_file, specification  # noqa: E402

# settotalmass is deprecated
pytestmark = [
    pytest.mark.filterwarnings("ignore:compiler attribute"),
    pytest.mark.usefixtures("log_elsewhere"),
]


def document(body, compiler="", head=""):
    return (
        f'<mujoco><compiler {compiler}/>{head}<worldbody><body name="b">{body}</body></worldbody>'
        "</mujoco>"
    )


def assert_same(shape, theirs):
    """Where a mesh ends up is only known to float32, in which MuJoCo keeps vertices."""
    assert (shape.note, shape.kind) == (None, theirs.kind)
    assert (shape.role == "collision") == theirs.touches
    np.testing.assert_allclose(shape.dimensions, theirs.dimensions, rtol=1e-12)
    if theirs.vertices is None:
        np.testing.assert_allclose(shape.p_BoGo_B, theirs.p_BoGo_B, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shape.R_BG, theirs.R_BG, rtol=0, atol=1e-12)
        return
    vertices = VERTICES * shape.scale @ np.transpose(shape.R_BG) + shape.p_BoGo_B
    gaps = np.linalg.norm(vertices[:, None] - theirs.vertices, axis=2)
    size = np.abs(vertices).max() + np.abs(shape.p_BoGo_B).max()
    assert gaps.min(axis=1).max() < 1e-5 * size


MESH = '<asset><mesh name="m" file="m.stl"/></asset>'
CLASSES = """<default>
  <geom type="capsule" size="0.1 0.2" axisangle="1 0 0 30" contype="0"/>
  <mesh scale="2 2 2"/>
  <default class="seen"><geom conaffinity="0" euler="0 0 40"/>
    <default class="boxed"><geom type="box" size="0.7"/></default>
  </default>
</default>"""

SAME = {
    "a sphere without type": ('<geom size="0.5"/>', "", ""),
    "sizes beyond what counts": ('<geom type="sphere" size="0.5 0 -1"/>', "", ""),
    "box": ('<geom type="box" size="1 2 3" pos="1 2 3" quat="1 2 3 4"/>', "", ""),
    "ellipsoid": ('<geom type="ellipsoid" size="1 2 3" axisangle="1 1 0 40"/>', "", ""),
    "cylinder": ('<geom type="cylinder" size="1 2" xyaxes="0 1 0 -1 0.5 0"/>', "", ""),
    "capsule": ('<geom type="capsule" size="1 2" zaxis="1 2 -3"/>', "", ""),
    "degrees": ('<geom type="box" size="1 2 3" euler="10 20 30"/>', "", ""),
    "radians": ('<geom type="box" size="1 2 3" euler="1 2 3"/>', 'angle="radian"', ""),
    "order of turns": ('<geom type="box" size="1 2 3" euler="10 20 30"/>', 'eulerseq="ZXy"', ""),
    "capsule by its ends": ('<geom type="capsule" size="0.1" fromto="1 2 3 3 2 0"/>', "", ""),
    "box by its ends": ('<geom type="box" size="0.1 9" fromto="1 2 3 3 1 0"/>', "", ""),
    "ellipsoid by its ends": ('<geom type="ellipsoid" size="0.1" fromto="0 0 0 0 0 -1"/>', "", ""),
    "ends over another orientation": (
        '<geom type="cylinder" size="0.1" pos="0 0 0" euler="1 2 3" fromto="0 0 0 1 0 0"/>',
        "",
        "",
    ),
    "frames": (
        '<frame pos="1 0 0" euler="0 0 90"><frame pos="0 0 1" euler="10 0 0">'
        '<geom type="box" size="1 2 3" pos="0 1 0" euler="0 20 0"/>'
        '<geom type="capsule" size="0.1" fromto="1 2 3 3 2 0"/></frame></frame>',
        "",
        "",
    ),
    "defaults": ("<geom/>", "", CLASSES),
    "defaults of a class": ('<geom class="seen"/>', "", CLASSES),
    "the first size alone": ('<geom class="boxed" type="capsule"/>', "", CLASSES),
    "an orientation in another form": ('<geom zaxis="0 1 1"/>', "", CLASSES),
    "a class of what stands inside": ('<frame childclass="seen"><geom/></frame>', "", CLASSES),
    "a class that overrules": (
        '<frame childclass="seen"><geom class="main"/></frame>',
        "",
        CLASSES,
    ),
    "touches what has its bit": ('<geom size="1" contype="0" conaffinity="2"/>', "", ""),
    "touched by what has its bit": ('<geom size="1" contype="4" conaffinity="0"/>', "", ""),
    "touches nothing": ('<geom size="1" contype="0" conaffinity="0"/>', "", ""),
    "plane": ('<body><geom type="plane" size="1 1 1" pos="0 0 1"/></body>', "", ""),
    "mesh": ('<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>', "", MESH),
    "mesh by the name of its file": (
        '<geom type="mesh" mesh="m"/>',
        'meshdir="d"',
        '<asset><mesh file="sub/m.obj"/></asset>',
    ),
    "scaled mesh": (
        '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>',
        "",
        MESH.replace("/>", ' scale="1 -2 3"/>'),
    ),
    "mesh in the scale of its class": ('<geom type="mesh" mesh="m"/>', "", CLASSES + MESH),
    "mesh about another point": (
        '<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30"/>',
        "",
        MESH.replace("/>", ' refpos="0.1 0.2 0.3" scale="1 -2 3"/>'),
    ),
    "turned mesh": (
        '<frame pos="0 0 5" euler="0 90 0"><geom type="mesh" mesh="m" pos="1 2 3"/></frame>',
        "",
        MESH.replace("/>", ' refpos="0.1 0.2 0.3" refquat="1 2 3 4" scale="2 2 2"/>'),
    ),
}


@pytest.mark.parametrize(("body", "compiler", "head"), SAME.values(), ids=SAME)
def test_geoms_are_where_mujoco_compiles_them(body, compiler, head):
    text = document(body, compiler, head)
    theirs = [geom for each in compiled(specification(text))[1:] for geom in each.geoms]
    mine = [shape for each in load(text.encode()).bodies for shape in each.shapes]
    assert len(mine) == len(theirs) > 0
    for shape, geom in zip(mine, theirs, strict=True):
        assert_same(shape, geom)


TURNING = {"mjJNT_HINGE", "mjJNT_SLIDE"}

LACKING = {
    "Schema violation: unrecognized element": "a part that only other documents include",
    "Schema violation: unrecognized attribute": "written for an older MuJoCo",
    "global coordinates no longer supported": "written for MuJoCo before 2.3.4",
    "invalid keyword: 'fixed'": "a joint type that only Bullet knows",
    "required attribute missing: 'pos'": "IC004",
    "repeated name": "two assets have one name",
    "Error opening file": "a file that the collection lacks",
    "plane size(3) must be positive": "a plane that older versions took",
    "out of memory": "a model that asks for little of it",
}
"""Why MuJoCo compiles no model from a document of the corpus, and what that is."""


@pytest.mark.corpus
def test_real_models_have_the_geoms_and_joints_that_mujoco_compiles(corpus):
    geoms = joints = 0
    refused = []
    for path in sorted(corpus.rglob("*.xml")):
        if root_tag(path.read_bytes()) != "mujoco":
            continue
        try:
            theirs = compiled(of_file(path))
        except (ValueError, mujoco.FatalError) as error:
            refused.append((path, str(error)))
            continue
        bodies = load(path).bodies
        if len(bodies) + 1 != len(theirs):  # outside of <worldbody>, which is a problem already
            continue
        ids = [None, *(body.id for body in bodies)]
        for body, other in zip(bodies, theirs[1:], strict=True):
            for shape, geom in zip(body.shapes, other.geoms, strict=True):
                assert_same(shape, geom)
                geoms += 1
            assert body.parent == ids[other.parent]
            if other.parent:
                np.testing.assert_allclose(body.X_PB.p_PoBo_P, other.p_PoBo_P, rtol=0, atol=1e-12)
                np.testing.assert_allclose(body.X_PB.R_PB, other.R_PB, rtol=0, atol=1e-12)
                joints += 1
            (kind, axis), *more = other.axes or [("none", None)]
            assert (body.axis_B is None) == (more != [] or kind not in TURNING), (path, body.name)
            if body.axis_B is not None:
                np.testing.assert_allclose(body.axis_B, axis, rtol=0, atol=1e-12)
    unknown = [each for each in refused if not any(known in each[1] for known in LACKING)]
    assert unknown == []
    assert geoms > 2000
    assert joints > 800
