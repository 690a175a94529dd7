"""fix --cause: the numbers that a cause says were meant, over what is written, and nothing else."""

import pytest

import inertial_check as ic
from fixing import LINK, causing, meant, ten, urdf
from inertial_check.documents.load import load
from inertial_check.errors import UsageError

SOUND = ("0.02", "0", "0", "0.03", "0", "0.04")
SLIPPED = ("0.02", "0", "0", "0.03", "0", "0.40")  # a lost zero
TWO = ("0.02", "0", "0", "0.03", "0", "0.09")


def statuses(fix):
    return {body.name: body.status for body in fix.bodies}


def test_only_the_numbers_of_the_cause_change():
    document = urdf(SOUND, SLIPPED).encode()
    with causing(link1=[meant(izz=0.4 / 10)]):
        fix = ic.fix_model(document, cause=1)
    assert statuses(fix) == {"link0": "unchanged", "link1": "fixed"}
    assert fix.data == document.replace(b'izz="0.40"', b'izz="0.040"')
    body = fix.bodies[1]
    assert (body.old[5], body.new[5]) == (0.4, 0.04)
    assert body.cause == "decimal-slip"
    assert "izz 0.40 -> 0.040" in body.reason
    assert body.relative_change == pytest.approx(0.36 / (0.02**2 + 0.03**2 + 0.4**2) ** 0.5)
    assert fix.complete


def test_what_only_rounding_tells_from_what_is_written_keeps_its_text():
    with causing(link0=[meant(ixx=0.020000000000000004, iyy=0.03, izz=0.04)]):
        fix = ic.fix_model(urdf(SLIPPED).encode(), cause=1)
    assert fix.data == fix.source.data.replace(b'"0.40"', b'"0.040"')
    assert "ixx" not in fix.bodies[0].reason


@pytest.mark.parametrize(
    ("confidence", "source", "status"),
    [(0.98, "cause", "fixed"), (0.9, "cause", "needs-unsafe"), (0.1, "nearest", "needs-unsafe")],
)
def test_a_cause_is_the_remedy_and_written_unasked_if_it_is_sure(confidence, source, status):
    with causing(link0=[meant(izz=0.04)._replace(confidence=confidence)]):
        (body,) = ic.fix_model(urdf(SLIPPED).encode()).bodies
        (insisted,) = ic.fix_model(urdf(SLIPPED).encode(), unsafe=True).bodies
        (nearest,) = ic.fix_model(urdf(SLIPPED).encode(), unsafe=True, method="nearest").bodies
    assert (body.source, body.status, insisted.status) == (source, status, "fixed")
    assert (insisted.new[5] == 0.04) is (source == "cause")
    assert (insisted.new == nearest.new) is (source == "nearest")


def test_a_cause_without_an_edit_or_with_a_veto_keeps_the_nearest_body_from_being_written():
    slight = ("0.02", "0", "0", "0.03", "0", "0.0505")
    for cause in (meant(), meant(izz=0.04)._replace(veto="it would be denser than osmium")):
        with causing(link0=[cause]):
            (body,) = ic.fix_model(urdf(slight).encode(), unsafe=True).bodies
        assert (body.status, body.new) == ("cause-without-edit", None)
        assert (cause.veto or "cannot be told") in body.reason


def test_a_veto_of_a_chosen_cause_needs_insistence():
    cause = meant(izz=0.04)._replace(veto="it would be denser than osmium")
    with causing(link0=[cause]):
        assert statuses(ic.fix_model(urdf(SLIPPED).encode(), cause=1)) == {"link0": "needs-unsafe"}
        assert ic.fix_model(urdf(SLIPPED).encode(), cause=1, unsafe=True).changed


def test_mass_and_centre_of_mass_can_be_meant():
    document = urdf(SLIPPED, mass="1.50").encode()
    with causing(link0=[meant("units", mass=1.25, x=-0.01, izz=0.04)]):
        fix = ic.fix_model(document, cause=1)
    (body,) = fix.bodies
    assert body.status == "fixed"
    assert (body.mass, body.com) == ((1.5, 1.25), ((0.01, -0.02, 0.3), (-0.01, -0.02, 0.3)))
    expected = document.replace(b'"1.50"', b'"1.25"').replace(b'"0.01 ', b'"-0.01 ')
    assert fix.data == expected.replace(b'"0.40"', b'"0.040"')


def test_the_second_cause_is_the_second():
    with causing(link0=[meant(izz=0.04), meant("typo", ixx=0.2, iyy=0.3)]):
        fix = ic.fix_model(urdf(SLIPPED).encode(), cause=2)
    assert fix.bodies[0].new == (0.2, 0.0, 0.0, 0.3, 0.0, 0.4)


@pytest.mark.parametrize(
    ("hypotheses", "number", "status", "words"),
    [
        ([meant(izz=0.04)], 2, "no-such-cause", "1 decimal-slip"),
        ([], 1, "no-such-cause", "no cause of it is known"),
        ([meant()], 1, "cause-without-edit", "the evidence"),
        ([meant(ixx=0.02 * (1 + 2e-16))], 1, "cause-without-edit", "is what is written"),
        ([meant(izz=0.35)], 1, "cause-refused", "IC301"),
        ([meant(mass=-1.0)], 1, "cause-refused", "IC101"),
        ([meant(izz=0.04, mass=0.0)], 1, "cause-refused", "IC102"),
    ],
)
def test_what_does_not_help_is_not_written(hypotheses, number, status, words):
    document = urdf(SLIPPED).encode()
    with causing(link0=hypotheses):
        fix = ic.fix_model(document, cause=number)
    (body,) = fix.bodies
    assert (body.status, body.new, fix.data) == (status, None, document)
    assert words in body.reason
    assert not fix.complete


def test_a_cause_that_is_refused_keeps_no_other_from_being_written():
    with causing(link0=[meant(izz=0.35)], link1=[meant(izz=0.04)]):
        fix = ic.fix_model(urdf(SLIPPED, SLIPPED).encode(), cause=1)
    assert statuses(fix) == {"link0": "cause-refused", "link1": "fixed"}
    assert fix.data.count(b'izz="0.40"') == 1


def test_a_body_is_chosen_by_name_and_says_if_nothing_is_known_of_it():
    with causing(link1=[meant(izz=0.04)], link2=[meant(izz=0.04)]):
        fix = ic.fix_model(urdf(SOUND, SLIPPED, SLIPPED).encode(), cause=1, bodies=["link2"])
        assert statuses(fix) == {"link2": "fixed"}
        fix = ic.fix_model(urdf(SOUND).encode(), cause=1, bodies=["link0"])
        assert statuses(fix) == {"link0": "no-such-cause"}


def test_a_cause_is_consent_to_its_change_but_a_limit_that_is_named_holds():
    with causing(link0=[meant(izz=0.04)]):
        fix = ic.fix_model(urdf(SLIPPED).encode(), cause=1, max_change=0.1)
        assert statuses(fix) == {"link0": "needs-unsafe"}
        assert not fix.changed
        assert ic.fix_model(urdf(SLIPPED).encode(), cause=1, max_change=0.1, unsafe=True).changed


def test_a_consistent_body_that_only_looks_wrong_is_mended_if_that_finding_goes():
    """IC304 is about a consistent tensor: after the edit it is gone, whatever the verdict was."""
    crumbs = ("1e-13", "0", "0", "1e-13", "0", "1e-13")
    with causing(link0=[meant("units", ixx=1.3e-4, iyy=1.1e-4, izz=1.7e-4)]):
        assert statuses(ic.fix_model(urdf(crumbs).encode(), cause=1)) == {"link0": "fixed"}
    with causing(link0=[meant("units", ixx=1e-14, iyy=1e-14, izz=1e-14)]):
        (body,) = ic.fix_model(urdf(crumbs).encode(), cause=1).bodies
    assert body.status == "cause-refused"
    assert "IC304" in body.reason


def test_units_of_the_document_are_those_of_the_edit(tmp_path):
    pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')
    stage = """#usda 1.0
(
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
)
def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 200
    point3f physics:centerOfMass = (0, 0, 4)
    float3 physics:diagonalInertia = (20, 30, 400)
}
"""
    path = tmp_path / "arm.usda"
    path.write_text(stage)
    with causing(arm=[meant(izz=40.0, z=5.0)]):
        fix = ic.fix_model(path, cause=1)
    (body,) = fix.bodies
    assert body.new == pytest.approx((2e-6, 0, 0, 3e-6, 0, 4e-6))
    assert body.com[1] == pytest.approx((0, 0, 0.05))
    assert fix.data.decode() == stage.replace("400", "40.0").replace("(0, 0, 4)", "(0, 0, 5)")


def test_a_centre_that_is_not_written_is_inserted():
    link = LINK.replace('<origin xyz="0.01 -0.02 0.3" rpy="{rpy}"/>', "")
    text = link.format(
        name="a", mass="1", inertia='ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"'
    )
    with causing(a=[meant(izz=1.0, z=0.1)]):
        fix = ic.fix_model(f'<robot name="r">{text}</robot>'.encode(), cause=1)
    assert fix.bodies[0].status == "fixed"
    assert b'<origin xyz="0 0 0.1"/>' in fix.data
    assert load(fix.data).bodies[0].inertial.p_BoBcm_B[2].value == 0.1


def test_a_number_that_is_not_written_is_told():
    text = """<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass>
<inertia>
<ixx>1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>1</iyy><iyz>0</iyz><izz>3</izz></inertia></inertial></link>
</model></sdf>"""
    with causing(**{"m::a": [meant(izz=1.0, z=0.1)]}):
        (body,) = ic.fix_model(text.encode(), cause=1).bodies
    assert body.status == "unwritten"
    assert "z = 0.1" in body.reason


@pytest.mark.parametrize(
    "options",
    [
        {"method": "geometry"},
        {"metric": "inertia"},
        {"metric": "covariance"},
        {"margin": 0.1},
        {"engines": ["mujoco"]},
    ],
)
def test_a_cause_goes_with_nothing_that_would_move_it(options):
    with pytest.raises(UsageError, match="cause"):
        ic.fix_model(urdf(SLIPPED).encode(), cause=1, **options)


@pytest.mark.parametrize("number", [0, -1])
def test_causes_are_counted_from_one(number):
    with pytest.raises(UsageError, match="from 1"):
        ic.fix_model(urdf(SLIPPED).encode(), cause=number)


def test_a_malformed_body_is_not_touched():
    tag = 'ixx="0.02" ixy="0" ixz="0" iyy="0,03" iyz="0" izz="0.40"'
    with causing(link0=[meant(izz=0.04)]):
        fix = ic.fix_model(urdf(tag).encode(), cause=1)
    assert statuses(fix) == {"link0": "malformed"}


def test_what_is_told_is_what_is_read():
    with causing(link0=[meant(ixx=1 / 3, iyy=0.35, izz=0.4, y=1 / 7)]):
        fix = ic.fix_model(urdf(SLIPPED).encode(), cause=1)
    written = ten(ic.load(fix.data).bodies[0])
    assert (float(written["ixx"]), float(written["y"])) == (1 / 3, 1 / 7)
    assert fix.bodies[0].new[0] == 1 / 3


def test_a_lost_zero_is_found_and_put_back():
    """With the causes that the package knows."""
    six = ("0.0021", "0", "0", "0.0023", "0", "0.01676359")
    document = urdf(six).replace("0.01 -0.02 0.3", "0 0 0").encode()
    fix = ic.fix_model(document, cause=1)
    (body,) = fix.bodies
    assert (body.status, body.cause) == ("fixed", "decimal-slip")
    assert b'izz="0.001676359"' in fix.data
