"""fix --method geometry: the written mass, spread evenly over the body's own shapes."""

import numpy as np
import pytest

import inertial_check as ic
from fixing import matrix, ten, without_numbers
from inertial_check.errors import UsageError
from mesh_files import CUBE, binary_stl, box
from suspects import rotation

BOX = '<box size="0.1 0.2 0.3"/>'
"""m/12 times (0.13, 0.10, 0.05) [m^2]."""
PER_MASS = np.diag([0.13, 0.10, 0.05]) / 12
BROKEN = 'ixx="0.020" ixy="0" ixz="0" iyy="0.030" iyz="0" izz="0.400"'
SOUND = 'ixx="0.020" ixy="0" ixz="0" iyy="0.030" iyz="0" izz="0.040"'


def shape(geometry, xyz="0 0 0", role="collision", rpy="0 0 0"):
    return f'<{role}><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry></{role}>'


def link(*shapes, name="a", six=BROKEN, mass="1.2", xyz="0 0 0", rpy="0 0 0"):
    return (
        f'<link name="{name}">\n<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>\n'
        f"<inertia {six}/></inertial>{''.join(shapes)}</link>\n"
    )


def robot(*links):
    return f'<robot name="r">\n{"".join(links)}</robot>\n'.encode()


def fixed(*links, **options):
    return ic.fix_model(robot(*links), method="geometry", **{"unsafe": True, **options})


def test_a_broken_body_gets_the_tensor_of_its_shapes_and_nothing_else_changes():
    document = robot(link(shape(BOX)), link(name="b", six=SOUND))
    fix = ic.fix_model(document, method="geometry", unsafe=True)
    assert [body.status for body in fix.bodies] == ["fixed", "unchanged"]
    assert matrix(fix.bodies[0].new) == pytest.approx(1.2 * PER_MASS, rel=1e-6)
    assert without_numbers(fix.data) == without_numbers(document)
    assert b'ixy="0" ixz="0"' in fix.data
    assert "its collision shapes hold 1.2 kg evenly" in fix.bodies[0].reason
    assert ic.check_model(fix.data).bodies[0].judgement.verdict == "consistent"


def test_the_digits_are_few():
    """Twelve times m is 14.4: sevenths do not end, so this shows where the digits stop."""
    for text in ten(ic.load(fixed(link(shape('<sphere radius="0.07"/>'))).data).bodies[0]).values():
        assert len(text.lstrip("-0.")) <= 8


def test_the_tensor_is_written_in_the_inertials_own_axes():
    of_shape, of_inertial = (0.3, -0.4, 1.1), (-1.2, 0.5, 0.2)
    words = ("{:.17g} {:.17g} {:.17g}".format(*angles) for angles in (of_shape, of_inertial))
    shape_rpy, inertial_rpy = words
    fix = fixed(link(shape(BOX, rpy=shape_rpy), rpy=inertial_rpy))
    R_BG, R_BBi = rotation(of_shape), rotation(of_inertial)
    in_body = R_BBi @ matrix(fix.bodies[0].new) @ R_BBi.T
    assert in_body == pytest.approx(R_BG @ (1.2 * PER_MASS) @ R_BG.T, abs=1e-8)


def test_the_centre_of_mass_stays_and_the_tensor_is_that_about_the_shapes_own_centre():
    fix = fixed(link(shape(BOX, xyz="0.5 0 0"), xyz="0 0 0.01"))
    (body,) = fix.bodies
    assert body.com is None
    assert matrix(body.new) == pytest.approx(1.2 * PER_MASS, rel=1e-6)
    assert "its centre of mass stays, 0.5 m from that of the shapes" in body.reason


def test_the_centre_of_mass_moves_if_asked_to():
    document = robot(link(shape(BOX, xyz="0.5 0 1e-12"), xyz="0 0.00 0.25"))
    fix = ic.fix_model(document, method="geometry", unsafe=True, move_com=True)
    assert fix.bodies[0].com == ((0.0, 0.0, 0.25), (0.5, 0.0, 0.0))
    assert b'xyz="0.5 0.00 0"' in fix.data  # what is there already keeps its text


def test_two_shapes_of_one_density():
    """A cube of 0.1 m and one of 0.2 m have masses 1 : 8, their centres 1 m apart."""
    shapes = [shape('<box size="0.1 0.1 0.1"/>'), shape('<box size="0.2 0.2 0.2"/>', xyz="1 0 0")]
    (body,) = fixed(link(*shapes, mass="9"), move_com=True).bodies
    assert body.com[1] == pytest.approx((8 / 9, 0, 0), rel=1e-6)
    own = 1 * 0.01 / 6 + 8 * 0.04 / 6
    apart = 1 * (8 / 9) ** 2 + 8 * (1 / 9) ** 2
    expected = np.diag([own, own + apart, own + apart])
    assert matrix(body.new) == pytest.approx(expected, rel=1e-6)


def test_a_consistent_body_is_given_its_shapes_only_if_it_is_chosen():
    document = robot(link(shape(BOX), six=SOUND))
    assert not ic.fix_model(document, method="geometry", unsafe=True).changed
    by_name = ic.fix_model(document, method="geometry", unsafe=True, bodies=["a"])
    assert matrix(by_name.bodies[0].new) == pytest.approx(1.2 * PER_MASS, rel=1e-6)
    assert not ic.fix_model(by_name.data, method="geometry", bodies=["a"]).changed


def test_a_zero_inertia_is_filled_if_it_is_selected():
    six = 'ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"'
    joint = '<link name="b"/><joint name="j" type="continuous"><parent link="b"/><child link="a"/>'
    document = robot(link(shape(BOX), six=six), joint + "</joint>")
    fix = ic.fix_model(document, method="geometry", unsafe=True, select=["IC303"])
    assert [body.status for body in fix.bodies] == ["fixed"]
    (body,) = ic.fix_model(document, method="geometry", select=["IC303"]).bodies
    assert body.status == "needs-unsafe"  # whatever the size: there was none before
    assert body.relative_change == np.inf


def test_a_large_change_needs_unsafe():
    (body,) = ic.fix_model(robot(link(shape(BOX))), method="geometry").bodies
    assert body.status == "needs-unsafe"
    assert "--unsafe" in body.reason
    assert body.new is not None


@pytest.mark.parametrize(
    ("one", "status", "words"),
    [
        (link(), "no-geometry", "it has no collision or visual shapes"),
        (link(shape('<mesh filename="no.stl"/>')), "no-geometry", "collision mesh no.stl"),
        (
            link(shape(BOX), shape('<mesh filename="no.stl"/>')),
            "no-geometry",  # half a body is none
            "no.stl",
        ),
        (link(shape(BOX), mass="-1"), "negative-mass", "negative"),
        (link(shape(BOX), six=BROKEN.replace(".", ",")), "malformed", ""),
        (link(shape('<box size="1e30 1e30 1e30"/>')), "not-representable", "float32"),
    ],
)
def test_what_cannot_be_filled_stays_byte_identical(one, status, words):
    fix = fixed(one)
    assert fix.bodies[0].status == status
    assert words in fix.bodies[0].reason
    assert fix.data == fix.source.data
    assert not fix.complete


def test_a_missing_inertial_is_not_invented():
    joint = '<link name="b"/><joint name="j" type="continuous"><parent link="b"/><child link="a"/>'
    bare = f'<link name="a">{shape(BOX)}</link>{joint}</joint>'
    fix = fixed(bare, bodies=["a"])
    assert (fix.bodies[0].status, fix.data) == ("missing", fix.source.data)


def test_the_role_whose_shapes_are_all_solids_counts():
    shapes = [shape('<mesh filename="no.stl"/>'), shape(BOX, role="visual")]
    (body,) = fixed(link(*shapes)).bodies
    assert body.status == "fixed"
    assert "visual shapes" in body.reason
    (body,) = fixed(link(*shapes), shapes=["collision"]).bodies
    assert body.status == "no-geometry"


@pytest.mark.parametrize(
    ("triangles", "words"),
    [
        (box((0.1, 0.2, 0.3)), None),
        (box((0.1, 0.2, 0.3))[:, ::-1], "taken as flipped"),
        (box((0.1, 0.2, 0.3))[:-1], "taken as hull"),
    ],
)
def test_what_a_mesh_was_taken_for_is_said(tmp_path, triangles, words):
    (tmp_path / "m.stl").write_bytes(binary_stl(triangles))
    path = tmp_path / "r.urdf"
    path.write_bytes(robot(link(shape('<mesh filename="m.stl"/>'))))
    (body,) = ic.fix_model(path, method="geometry", unsafe=True).bodies
    assert matrix(body.new) == pytest.approx(1.2 * PER_MASS, rel=1e-5)
    assert (words in body.reason) if words else ("taken as" not in body.reason)


def test_a_mesh_in_a_plane_is_no_solid(tmp_path):
    (tmp_path / "m.stl").write_bytes(binary_stl(CUBE[:2] * [0, 1, 1]))
    path = tmp_path / "r.urdf"
    path.write_bytes(robot(link(shape('<mesh filename="m.stl"/>'))))
    (body,) = ic.fix_model(path, method="geometry", unsafe=True).bodies
    assert body.status == "no-geometry"


def test_principal_moments_take_no_products():
    """diaginertia has no place for them: it becomes fullinertia, unless the axes are stated."""
    geom = '<geom type="box" size="0.05 0.1 0.15" euler="{}"/>'
    text = """<mujoco><worldbody><body name="a"><joint/>
    <inertial pos="0 0 0" mass="1.2" diaginertia="0.02 0.03 0.4"/>{}</body></worldbody></mujoco>"""
    (body,) = ic.fix_model(
        text.format(geom.format("0 0 0")).encode(), method="geometry", unsafe=True
    ).bodies
    assert matrix(body.new) == pytest.approx(1.2 * PER_MASS, rel=1e-6)
    turned = text.format(geom.format("10 20 30"))
    fix = ic.fix_model(turned.encode(), method="geometry", unsafe=True)
    assert fix.bodies[0].status == "fixed"
    assert b"fullinertia" in fix.data
    turned = turned.replace(' mass="1.2"', ' quat="1 0 0 0" mass="1.2"')
    (body,) = ic.fix_model(turned.encode(), method="geometry", unsafe=True).bodies
    assert body.status == "unwritten"
    assert "ixy = " in body.reason


def test_its_options_go_with_it_alone():
    for options in ({"move_com": True}, {"shapes": ["visual"]}):
        with pytest.raises(UsageError, match="--method geometry"):
            ic.fix_model(robot(link()), **options)
    with pytest.raises(UsageError, match="shapes"):
        fixed(link(shape(BOX)), shapes=["looks"])
    with pytest.raises(UsageError, match="method is 'magic'"):
        ic.fix_model(robot(link()), method="magic")


def test_a_milligram_bead_and_a_crane_are_filled_alike():
    for size, mass in ((1e-3, "1e-6"), (20.0, "1e5")):
        geometry = f'<box size="{size} {2 * size} {3 * size}"/>'
        six = BROKEN.replace("0.0", "0.00")
        (body,) = fixed(link(shape(geometry), mass=mass, six=six)).bodies
        expected = float(mass) * size**2 / 12 * np.diag([13, 10, 5])
        assert matrix(body.new) == pytest.approx(
            expected, rel=1e-6, abs=1e-12 * float(mass) * size**2
        )
