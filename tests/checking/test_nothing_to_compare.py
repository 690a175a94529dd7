"""Models in which there is nothing to compare: no rule fails for want of a pair, a root or a plane.

What fails becomes a finding or a note of its document, with "internal error" in its text.
"""

import pytest

import random_models
from inertial_check.checking.check import Document, check_documents, check_model
from inertial_check.checking.rules import siblings
from inertial_check.checking.settings import Settings
from inertial_check.fixing.prescriptions import prescribe

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


@pytest.mark.fuzz
def test_no_model_of_random_fragments_ends_in_an_internal_error(request):
    """Models without roots, pairs, planes, shapes or joints, and with nonsense for numbers."""
    count = 20_000 if request.config.getoption("--long") else 120
    assert random_models.find_internal_errors(range(count)) == {}


@pytest.mark.parametrize("screen", siblings.SCREENS)
def test_a_comparison_that_fails_costs_its_own_rules(screen, monkeypatch):
    """Each rule of the plausibility of bodies asks the comparisons that are made once for all."""

    def fail(*_):
        raise ArithmeticError("injected")
        yield

    codes = siblings.SCREENS[screen]
    screens = {(fail if each is screen else each): at for each, at in siblings.SCREENS.items()}
    monkeypatch.setattr(siblings, "SCREENS", screens)
    document = Document("r.urdf", True, Settings().validate(), write_urdf(legs(), nested=True))
    (result,) = check_documents([document])
    (finding,) = [each for each in result.file.findings if each.code == "IC001"]
    rules = " and ".join(f"rule {code}" for code in codes)
    assert finding.message.startswith(f"{rules} failed: internal error, ArithmeticError: injected")
    assert result.failure.startswith(f"r.urdf: {rules} failed")  # exit code 2


def test_a_sphere_that_overflows_when_squared():
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/>'
        '</inertial><visual><geometry><sphere radius="1e200"/></geometry></visual>'
    )
    expect_no_rule_fails(f'<robot name="r"><link name="a">{inertial}</link></robot>'.encode())


def test_a_moment_that_is_not_written_has_a_remedy_without_one():
    entries = "".join(
        f"<{name}>{value}</{name}>"
        for name, value in (("ixx", 0), ("ixy", 1), ("ixz", 0), ("iyy", 0), ("iyz", 0))
    )
    text = (
        '<sdf version="1.4"><model name="m"><link name="a"><inertial><mass>1.25</mass>'
        f"<inertia>{entries}</inertia></inertial></link></model></sdf>"
    )
    (result,) = check_documents(
        [Document("m.sdf", True, Settings().validate(), text.encode())], prescribe=prescribe
    )
    assert [note for note in result.file.notes if "internal error" in note] == []
    remedies = [each.remedy for each in result.file.findings if each.remedy is not None]
    assert remedies
    assert not any(each.safe for each in remedies)  # the tensor changes as a whole
