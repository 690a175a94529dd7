"""Texts that engines read otherwise than written: a finding or a prediction says so of each."""

import pytest

import inertial_check as ic
from inertial_check.errors import DocumentError
from reader_documents import EDGES, make_mjcf, make_urdf

INERTIA = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
SDF = (
    '<sdf version="{}"><model name="m"><link name="a"><inertial>{}<mass>1</mass>'
    f"{INERTIA}</inertial></link></model></sdf>"
)
QUATERNION = (
    '<mujoco><worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="1" '
    'diaginertia="1 2 2.5" quat="{}"/></body></worldbody></mujoco>'
)
SETTINGS = ("boundmass='13.2'", "inertiafromgeom='true'", "settotalmass='20'")
URDF = (
    '<{0} name="r"><mujoco><compiler {1}/></mujoco><link name="a"><inertial><mass value="1.3"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></{0}>'
)
USUAL = {"urdf": make_urdf()[1], "mjcf": make_mjcf()[1]}
DOCUMENTS = {
    **{name: (text, USUAL[format_]) for name, (format_, text) in EDGES.items()},
    **{
        f"URDF with {each}": (URDF.format("robot", each), URDF.format("robot", ""))
        for each in SETTINGS
    },
    "a root <gazebo>": (URDF.format("gazebo", ""), URDF.format("robot", "")),
    "a quaternion of length 1e-12": (
        QUATERNION.format("1e-12 1e-12 0 0"),
        QUATERNION.format("1 1 0 0"),
    ),
    "a quaternion of length 1e200": (
        QUATERNION.format("1e200 1e200 0 0"),
        QUATERNION.format("1 1 0 0"),
    ),
    "an angle that is no number": (
        SDF.format("1.9", "<pose>0 0 0 nan 0 0</pose>"),
        SDF.format("1.9", ""),
    ),
    "a version with a blank": (SDF.format(" 1.9", ""), SDF.format("1.9", "")),
    "degrees that are yes": (
        SDF.format("1.9", '<pose degrees="yes">0 0 0 0 0 0</pose>'),
        SDF.format("1.9", ""),
    ),
}
"""Documents, each with the same one as every engine reads it."""


def tell(text):
    """What is said of a document: predictions, and findings about its text."""
    try:
        (file,) = ic.check_model(text.encode()).files
    except DocumentError:
        return {}, ["refused"]
    actions = {
        (body.name, engine): each.action
        for body in file.bodies
        for engine, each in body.predictions.items()
    }
    return actions, [each.code for each in file.findings if each.code in ("IC004", "IC711")]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_an_engine_reads_otherwise_is_said(name):
    text, usual = DOCUMENTS[name]
    (actions, codes), (known, others) = tell(text), tell(usual)
    assert others == []
    foretold = any(actions[each] != known[each] for each in actions.keys() & known.keys())
    assert foretold or codes
