"""Shapes with random damage: never an exception, never a problem, always numbers or a reason."""

import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertial_check.documents.load import load
from inertial_check.documents.model import DIMENSIONS

URDF = """<robot name="r" version="1.1"><link name="a">
<visual><origin xyz="1 2 3" rpy="1 2 3"/><geometry><box size="1 2 3"/></geometry></visual>
<visual><origin quat_xyzw="0 0 0 1"/><geometry><sphere radius="1"/></geometry></visual>
<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
<collision><geometry><capsule radius="1" length="2"/></geometry></collision>
<collision><geometry><mesh filename="a.stl" scale="1 -1 1"/></geometry></collision>
</link></robot>"""

SDF = """<sdf version="1.9"><model name="m"><link name="a">
<visual name="a"><pose>1 2 3 1 2 3</pose><geometry><box><size>1 2 3</size></box></geometry></visual>
<visual name="b"><pose degrees="true">1 2 3 1 2 3</pose><geometry><cone><radius>1</radius>
<length>2</length></cone></geometry></visual>
<visual name="c"><pose relative_to="__model__" rotation_format="quat_xyzw">1 2 3 0 0 0 1</pose>
<geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></visual>
<collision name="d"><geometry><capsule><radius>1</radius><length>2</length></capsule></geometry>
</collision>
<collision name="e"><geometry><mesh><uri>a.stl</uri><scale>1 -1 1</scale></mesh></geometry>
</collision>
</link></model></sdf>"""

MJCF = """<mujoco><default><geom contype="0" rgba="1 1 1 1"/><mesh scale="1 1 1"/>
<default class="c"><geom type="box" size="1 2 3" quat="1 0 0 0"/></default></default>
<asset><mesh name="m" file="m.stl" scale="1 -1 1" refpos="1 2 3"/>
<mesh name="n" file="n.stl" refquat="1 0 0 1"/></asset>
<worldbody><body name="a">
<geom type="box" size="1 2 3" pos="1 2 3" euler="1 2 3"/><geom size="1" group="2"/>
<geom type="capsule" size="1" fromto="1 2 3 4 5 6"/><geom class="c" zaxis="1 2 3" conaffinity="1"/>
<geom type="cylinder" size="1 2" xyaxes="1 0 0 0 1 0"/><geom type="mesh" mesh="m" quat="1 0 0 1"/>
<geom type="mesh" mesh="n" axisangle="1 0 0 3"/><geom type="ellipsoid" size="1 2 3" mass="1"/>
</body></worldbody></mujoco>"""

WORD = re.compile(r"(?<=[\s\">])-?[\w.]+(?=[\s\"<])")
"""What stands in an attribute or in an element: numbers, and the words between them."""

JUNK = ("", "0", "-1", "nan", "-inf", "1e400", "1e308", "5e-324", "1,5", "x", "1 2", "\u0661")
LEFT_ALONE = frozenset(("1.1", "1.9", "r", "m", "a", "c"))


def damaged(text, changes):
    """The text with some of its words changed."""
    words = [match for match in WORD.finditer(text) if match[0] not in LEFT_ALONE]
    for at, junk in sorted({at % len(words): junk for at, junk in changes}.items(), reverse=True):
        start, end = words[at].span()
        text = text[:start] + junk + text[end:]
    return text


def is_one_or_the_other(shape):
    numbers = [*shape.p_BoGo_B, *(entry for row in shape.R_BG for entry in row)]
    if shape.note is not None:
        return bool(shape.note) and all(map(math.isnan, numbers)) and shape.dimensions == ()
    finite = all(map(math.isfinite, (*numbers, *shape.dimensions, *shape.scale)))
    whole = len(shape.dimensions) == len(DIMENSIONS[shape.kind])
    return finite and whole and (shape.kind == "mesh") == (shape.uri is not None)


@pytest.mark.parametrize("text", [URDF, SDF, MJCF], ids=["urdf", "sdf", "mjcf"])
def test_the_documents_are_sound(text):
    (body,) = load(text.encode()).bodies
    assert len(body.shapes) >= 5
    assert [shape.note for shape in body.shapes if shape.note] == []


@given(
    st.sampled_from([URDF, SDF, MJCF]),
    st.lists(st.tuples(st.integers(0, 500), st.sampled_from(JUNK)), min_size=1, max_size=4),
)
@example(MJCF, [(26, "1e308"), (29, "1e308")])
def test_random_damage_is_a_note_of_the_shape_at_most(text, changes):
    model = load(damaged(text, changes).encode())
    for body in model.bodies:
        assert all(map(is_one_or_the_other, body.shapes))
        assert body.problems == ()
    assert model.problems == ()
