"""MJCF documents with what is to be read in them: tests hold our reader and MuJoCo to the same."""

import re

POSE = 'pos="0 0 0" mass="1"'
GOOD = f'<inertial {POSE} diaginertia="1 1 1"/>'


def include(*names):
    inside = "".join(f'<include file="{name}"/>' for name in names)
    return f"<mujoco><worldbody>{inside}</worldbody></mujoco>"


def fragment(inside, root="mujocoinclude"):
    return f"<{root}>{inside}</{root}>"


_INERTIA = re.compile(rb"((?:diag|full)inertia\s*=\s*)([\"'])(.*?)\2", re.DOTALL)
_TAG = re.compile(rb"<inertial\b[^>]*>")


def masked(data):
    """The bytes with every number of the two inertia attributes taken out: all that `fix` keeps."""

    def emptied(tag):
        return _INERTIA.sub(lambda found: found[1] + re.sub(rb"[^\s]+", b"#", found[3]), tag[0])

    return _TAG.sub(emptied, data)


GEOMS = {
    "": False,
    '<geom size="1"/>': True,
    '<geom size="1" mass="0"/>': False,
    '<geom size="1" mass="2" density="0"/>': True,
    '<geom size="1" density="0"/>': False,
    '<geom type="plane" size="1 1 1" mass="1"/>': False,
    '<geom type="mesh" mesh="m"/>': True,
    '<geom size="1" group="4"/>': False,
    '<geom size="1" group="3"/>': True,
    '<geom size="1" class="nothing"/>': False,
    '<geom size="1" class="something"/>': True,
    '<geom size="1" class="light"/>': False,
    '<frame childclass="nothing"><geom size="1"/></frame>': False,
    '<frame childclass="nothing"><geom size="1" class="main"/></frame>': True,
    '<frame><frame><geom size="1"/></frame></frame>': True,
    '<replicate count="2"><geom size="1"/></replicate>': True,
    '<geom size="1" mass="0"/><geom size="1" group="1"/>': True,
    '<body><geom size="1"/></body>': False,
    '<site size="1"/>': False,
}
"""What may stand in a body, and whether MuJoCo takes mass from it; groups 0 to 3 count."""

CLASSES = """<default>
  <geom density="500"/>
  <default class="nothing">
    <geom mass="0"/>
    <default class="something"><geom mass="1"/></default>
  </default>
  <default class="light"><geom density="0"/></default>
</default>"""

REFUSED = [
    ('mass="1" diaginertia="1 1 1"', "no pos"),
    ('pos="0 0 0" diaginertia="1 1 1"', "no mass"),
    ('pos="0 0 0" mass="" diaginertia="1 1 1"', "no mass"),
    (POSE, "no inertia"),
    (f'{POSE} diaginertia=" "', "no inertia"),
    (f'{POSE} diaginertia="1 1"', "3 numbers"),
    (f'{POSE} diaginertia="1 1 1 1"', "3 numbers"),
    (f'{POSE} fullinertia="1 1 1"', "6 numbers"),
    (f'{POSE} diaginertia="1,1,1"', "write 1 1 1"),
    (f'{POSE} diaginertia="1 1 1;"', "write 1"),
    ('pos="0 0" mass="1" diaginertia="1 1 1"', "3 numbers"),
    ('pos="0 0 0" mass="1 2" diaginertia="1 1 1"', "expected a number"),
    ('pos="0 0 0" mass="1kg" diaginertia="1 1 1"', "write 1"),
    ('pos="0 0 0" mass="1,5" diaginertia="1 1 1"', "write 1.5"),
    (f'{POSE} diaginertia="1 1 one"', '"one" is no number'),
    (f'{POSE} diaginertia="1 1 1" euler="1 2"', "3 numbers"),
    (f'{POSE} diaginertia="1 1 1" quat="1 0 0 0" euler="0 0 0"', "quat and euler"),
    (f'{POSE} fullinertia="1 1 1 0 0 0" quat="1 0 0 0"', "quat and fullinertia"),
    (f'{POSE} fullinertia="1 1 1 0 0 0" diaginertia="1 1 1"', "delete one"),
    (f'{POSE} diaginertia="1 1 1" Mass="1"', "write mass"),
    (f'{POSE} diaginertia="1 1 1" com="1"', "delete it"),
]
"""The attributes of an <inertial>, of which each is refused; part of what we say."""

SETTINGS = [
    ('boundmass="2"', 'mass="1" diaginertia="1 1 1"', ["raises the mass from 1 to 2 kg"]),
    ('boundmass="1"', 'mass="1" diaginertia="1 1 1"', []),
    ('boundinertia="1.5"', 'mass="1" diaginertia="1 2 2"', ["at least 1.5 kg m^2"]),
    ('boundinertia="1"', 'mass="1" fullinertia="1.2 1.2 1.2 .5 0 0"', ["at least 1 kg m^2"]),
    ('boundinertia="1"', 'mass="1" diaginertia="1 2 2"', []),
    ('balanceinertia="true"', 'mass="1" diaginertia="1 1 4"', ["mean, 2 kg m^2"]),
    ('balanceinertia="true"', 'mass="1" fullinertia="1 1 4 0 .1 0"', ["mean, 2 kg m^2"]),
    ('balanceinertia="true"', 'mass="1" diaginertia="1 1 2"', []),
    ('balanceinertia="false"', 'mass="1" diaginertia="1 1 4"', []),
    (
        'balanceinertia="true" boundinertia="2"',
        'mass="1" diaginertia="1 1 5"',
        ["at least 2", "mean, 3 kg m^2"],
    ),
    ('balanceinertia="true" boundinertia="2"', 'mass="1" diaginertia="1 1 4"', ["at least 2"]),
    ('balanceinertia="true"', 'mass="1" diaginertia="1 1 nan"', []),
]
"""Settings of <compiler>, numbers, and parts of what we say the settings make of them."""

REFUSED_SETTINGS = [
    ('angle="Degree"', "degree or radian"),
    ('inertiafromgeom="yes"', "false or true or auto"),
    ('eulerseq="xy"', "three of the letters"),
    ('eulerseq="abc"', "three of the letters"),
    ('boundmass="heavy"', "a number"),
    ('inertiagrouprange="0"', "2 numbers"),
    ('balanceinertia="1"', "false or true"),
]
"""Settings that are refused; part of what we say."""

EMPTY_INCLUDES = [
    (include("gone.xml"), {}, "no such file"),
    (include(""), {}, "has no file"),
    (include("."), {}, "no such file"),
    (include("\n"), {}, "has no file"),
    (include("main.xml"), {}, "read already"),
    (include("x.xml"), {"x": fragment('<include file="x.xml"/>')}, "read already"),
    (include("x.xml"), {"x": fragment('<include file="./main.xml"/>')}, "read already"),
    (include("x.xml", "./x.xml"), {"x": fragment("<geom size='1'/>")}, "read already"),
    (include("x.xml"), {"x": "<mujocoinclude/>"}, "empty"),
    (include("x.xml"), {"x": ""}, "cannot be read"),
    (include("x.xml"), {"x": "<mujocoinclude><body>"}, "cannot be read: 1:16: "),
    (include("x.xml"), {"x": "nothing"}, "cannot be read"),
    (
        '<mujoco><include file="x.xml"><!-- y --></include></mujoco>',
        {"x": fragment("<body/>")},
        "with content",
    ),
]
"""A main document, files beside it, and part of what we say of its include."""
