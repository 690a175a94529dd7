"""Models in which there is nothing to compare: no rule fails for want of a pair, a root or a plane.

What fails becomes a finding or a note of its document, with "internal error" in its text.
"""

import random

import pytest

from inertial_check.checking.check import check_model

SIDES = ("left", "right")


def write_mjcf(bodies, nested):
    """MJCF with bodies (name, mass, moments, shape) below the world, or each in the one before."""
    text = ""
    for name, mass, (xx, yy, zz), shape in reversed(bodies):
        inertial = f'<inertial pos="0 0 -0.1" mass="{mass}" diaginertia="{xx} {yy} {zz}"/>'
        geom = '<geom type="sphere" size="0.05" mass="0"/>' if shape else ""
        inner = text if nested else ""
        body = f'<body name="{name}"><joint/>{inertial}{geom}{inner}</body>'
        text = body if nested else body + text
    return f"<mujoco><worldbody>{text}</worldbody></mujoco>".encode()


def write_urdf(bodies, nested):
    """URDF with links in a chain, or with no joint at all, so that each is a root."""
    text = ""
    for name, mass, (xx, yy, zz), shape in bodies:
        geometry = '<geometry><sphere radius="0.05"/></geometry>'
        visual = f"<visual>{geometry}</visual>" if shape else ""
        text += (
            f'<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" '
            f'izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>{visual}</link>'
        )
    for (parent, *_), (child, *_) in zip(bodies, bodies[1:] if nested else (), strict=False):
        text += (
            f'<joint name="to_{child}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/></joint>'
        )
    return f'<robot name="r">{text}</robot>'.encode()


def write_sdf(bodies, nested):
    """SDF with links without joints, in one model or in a model for each."""
    text = ""
    for name, mass, (xx, yy, zz), _ in bodies:
        text += (
            f'<link name="{name}"><inertial><mass>{mass}</mass><inertia><ixx>{xx}</ixx>'
            f"<iyy>{yy}</iyy><izz>{zz}</izz></inertia></inertial></link>"
        )
        text += "" if nested else f'</model><model name="m{name}">'
    return f'<sdf version="1.9"><model name="m">{text}<link name="l"/></model></sdf>'.encode()


def expect_no_rule_fails(document):
    report = check_model(document)
    texts = [*(each.message for each in report.findings), *report.files[0].notes]
    assert [text for text in texts if "internal error" in text] == []
    return report


def legs(moments=(0.01, 0.01, 0.001)):
    """The bodies of four legs: eight, as a single twin has no plane to vote for."""
    return [
        (f"{end}_{side}_{part}", mass, moments, False)
        for end in ("front", "rear")
        for side in SIDES
        for part, mass in (("thigh", 1.0), ("calf", 0.5))
    ]


def test_legs_directly_below_the_world_have_no_plane():
    report = expect_no_rule_fails(write_mjcf(legs(), nested=False))
    assert len(report.files[0].bodies) == 8
    assert {each.code for each in report.findings} == {"IC603"}  # all have one tensor


def test_what_is_wrong_with_one_of_them_is_found():
    bodies = legs()
    bodies[2] = (*bodies[2][:2], (0.01, 0.01, 0.1), False)
    report = expect_no_rule_fails(write_mjcf(bodies, nested=False))
    assert "IC301" in {each.code for each in report.findings}


@pytest.mark.parametrize("write", [write_mjcf, write_urdf, write_sdf])
@pytest.mark.parametrize("seed", range(40))
def test_no_rule_fails_for_want_of_something_to_compare(write, seed):
    rng = random.Random(seed)
    count = rng.choice([0, 1, 2, 3, 6, 8])
    names = [
        f"{rng.choice(['', 'front_', 'rear_'])}{SIDES[at % 2]}_{at // 2}" for at in range(count)
    ]
    moments = (0.01, 0.01, 0.001)
    equal = rng.random() < 0.5
    bodies = [
        (
            name,
            1.0 if equal else rng.choice([0.0, 1e-9, 1.0, 1e9]),
            moments if equal else tuple(rng.choice([0.0, 1e-12, 1.0, 3.0]) for _ in range(3)),
            not equal and rng.random() < 0.3,
        )
        for name in names
    ]
    expect_no_rule_fails(write(bodies, nested=rng.random() < 0.5))
