"""Priors by name: from another model, and from the geometry of the bodies."""

from dataclasses import replace

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.shapes.priors import from_geometry, from_model
from inertial_check.errors import DocumentError, ParameterError, UsageError
from inertial_check.inertia import solids
from inertial_check.projection.priors import strictly_inside
from mesh_files import CUBE, binary_stl


def link(name, inertial="", shapes=""):
    return f'<link name="{name}">{inertial}{shapes}</link>'


def inertial(mass="2", six="0.1 0 0 0.2 0 0.3", origin=""):
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    entries = " ".join(f'{n}="{v}"' for n, v in zip(names, six.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial>'


def collision(geometry, origin="", role="collision"):
    return f"<{role}>{origin}<geometry>{geometry}</geometry></{role}>"


TURNED = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
BOX = collision('<box size="1 2 3"/>', '<origin xyz="0 0 1.5"/>')
ROBOT = "".join(
    [
        link("base", inertial("4"), BOX),
        link("arm", inertial("2", origin=TURNED), collision('<mesh filename="cube.stl"/>')),
        link("bare", inertial("1")),
        link("ghost", "", BOX),
        link("frame", inertial("0", "0 0 0 0 0 0"), BOX),
        link("bad", inertial("x"), BOX),
        link("wrong", inertial("1", "1 0 0 1 0 9")),
        link("twin", inertial("1")),
        link("twin", inertial("3")),
        link("open", inertial("1"), collision('<mesh filename="hole.stl"/>')),
    ]
)


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{ROBOT}</robot>')
    (tmp_path / "cube.stl").write_bytes(binary_stl(CUBE))
    (tmp_path / "hole.stl").write_bytes(binary_stl(CUBE[1:]))
    return path


def test_bodies_come_by_name_in_their_own_frames(robot):
    prior = from_model(robot, ["arm", "base"])
    assert prior.shape == (2,)
    assert prior.mass.tolist() == [2, 4]
    assert prior.com.tolist() == [[1, 2, 3], [0, 0, 0]]
    np.testing.assert_allclose(np.diagonal(prior.inertia_com[0]), [0.2, 0.1, 0.3], atol=1e-16)
    np.testing.assert_array_equal(np.diagonal(prior.inertia_com[1]), [0.1, 0.2, 0.3])


def test_models_paths_and_bytes_are_the_same(robot):
    expected = from_model(robot, ["arm"]).as_theta()
    for given in (str(robot), ic.load(robot), robot.read_bytes()):
        np.testing.assert_array_equal(from_model(given, ["arm"]).as_theta(), expected)


def test_a_body_whose_name_repeats_is_named_by_its_id(robot):
    with pytest.raises(ParameterError, match=r"2 bodies have the name 'twin': .*\[@name='twin'\]"):
        from_model(robot, ["base", "twin"])
    prior = from_model(robot, ["/robot/link[@name='twin'][2]"])
    assert prior.mass.tolist() == [3]


@pytest.mark.parametrize("make", [from_model, from_geometry])
def test_an_unknown_name_gets_the_nearest(robot, make):
    with pytest.raises(ParameterError) as error:
        make(robot, ["base", "amr", "zzzzzzzz"])
    assert "no body 'amr'; did you mean 'arm'?" in str(error.value)
    assert "no body 'zzzzzzzz': the model has 'base', 'arm'" in str(error.value)
    assert str(robot) in str(error.value)
    with pytest.raises(ParameterError, match=r"names is 'base', expected a list"):
        make(robot, "base")
    with pytest.raises(ParameterError, match="the model has no bodies"):
        make(b"<robot/>", ["base"])
    with pytest.raises(DocumentError):
        make(robot.parent / "none.urdf", ["base"])


def test_no_names_are_no_priors(robot):
    assert from_model(robot, []).shape == (0,)
    assert from_geometry(robot, []).parameters.shape == (0,)


@pytest.mark.parametrize(
    ("name", "verdict"), [("ghost", "missing"), ("frame", "massless"), ("bad", "invalid")]
)
def test_a_body_that_states_nothing_is_no_prior(robot, name, verdict):
    with pytest.raises(ParameterError, match=rf"body '{name}' is {verdict}"):
        from_model(robot, ["base", name])


def test_an_inconsistent_body_comes_as_it_is(robot):
    prior = from_model(robot, ["wrong"])
    assert ic.check(prior).verdict.tolist() == ["inconsistent"]
    with pytest.raises(ParameterError, match="is inconsistent"):
        strictly_inside(prior)


def test_the_written_mass_is_spread_over_the_shapes(robot):
    priors = from_geometry(robot, ["base", "arm"])
    box = solids.box([1, 2, 3], mass=4.0).translate([0, 0, 1.5])
    cube = solids.box([1, 1, 1], mass=2.0).translate([0.5, 0.5, 0.5])
    for found, expected in zip(priors.parameters, (box, cube), strict=True):
        np.testing.assert_allclose(found.as_theta(), expected.as_theta(), rtol=1e-12, atol=1e-15)
    base, arm = priors.bodies
    assert (base.name, base.role, base.mass, base.size) == ("base", "collision", 4, 6)
    assert (arm.shapes[0].reading, arm.shapes[0].path) == ("solid", str(robot.parent / "cube.stl"))
    assert base.remarks == arm.remarks == ()
    assert ic.check(priors.parameters).verdict.tolist() == ["consistent"] * 2


def test_masses_and_densities_may_be_given(robot):
    names = ["ghost", "arm"]
    assert from_geometry(robot, names, mass=3.0).parameters.mass.tolist() == [3, 3]
    assert from_geometry(robot, names, mass=[3, 5]).parameters.mass.tolist() == [3, 5]
    dense = from_geometry(robot, names, density=[10.0, 20.0])
    np.testing.assert_allclose(dense.parameters.mass, [60, 20])
    assert dense.bodies[0].mass == pytest.approx(60)
    for scale in (1e-6, 1e5):
        priors = from_geometry(robot, names, mass=scale)
        assert ic.check(priors.parameters).verdict.tolist() == ["consistent"] * 2
        np.testing.assert_allclose(priors.parameters.mass, scale, rtol=1e-15)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"mass": 1, "density": 1}, "both of mass and density"),
        ({"mass": [1, 0]}, "mass of body 1 is 0.0"),
        ({"density": -1}, "density of body 0 is -1.0"),
        ({"mass": [1, 2, 3]}, "mass has shape (3,), expected () or (2,)"),
        ({"mass": "heavy"}, "mass"),
    ],
)
def test_masses_that_are_none_are_refused(robot, arguments, words):
    with pytest.raises(ParameterError) as error:
        from_geometry(robot, ["base", "arm"], **arguments)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("ghost", "states no mass"), ("frame", "states the mass 0"), ("bad", "states the mass x")],
)
def test_a_body_without_a_mass_needs_one(robot, name, words):
    with pytest.raises(ParameterError, match=words):
        from_geometry(robot, [name])


def test_a_body_without_a_usable_shape_says_why(robot):
    with pytest.raises(ParameterError, match=r"body 'bare' .*none at all"):
        from_geometry(robot, ["bare"])
    with pytest.raises(ParameterError, match=r"body 'open' .*collision mesh: .*not closed"):
        from_geometry(robot, ["open"])


def test_what_a_mesh_was_taken_for_is_on_record(robot):
    (record,) = from_geometry(robot, ["open"], meshes=["solid", "hull"]).bodies
    (remark,) = record.remarks
    assert remark.startswith("open: collision mesh taken as hull: the mesh of 11 triangles is not")
    (record,) = from_geometry(robot, ["open"], fill="shell").bodies
    assert record.size == pytest.approx(5.5)
    with pytest.raises(UsageError, match="roles is"):
        from_geometry(robot, ["open"], roles=["touch"])


def test_a_shape_that_is_skipped_is_on_record(robot, tmp_path):
    shapes = collision('<mesh filename="lost.stl"/>') + collision('<sphere radius="1"/>')
    path = tmp_path / "other.urdf"
    path.write_text(f'<robot name="r">{link("a", inertial("1"), shapes)}</robot>')
    (record,) = from_geometry(path, ["a"]).bodies
    (remark,) = record.remarks
    assert remark.startswith("a: collision mesh skipped: lost.stl: no such file")
    assert record.size == pytest.approx(4 / 3 * np.pi)


def test_a_model_from_bytes_finds_packages_but_no_neighbours(robot):
    document = robot.read_bytes()
    with pytest.raises(ParameterError, match="read from no file"):
        from_geometry(document, ["arm"])
    packaged = document.replace(b"cube.stl", b"package://p/cube.stl")
    assert from_geometry(packaged, ["arm"], packages={"p": robot.parent}).bodies[0].size == 1


def test_visual_shapes_are_second_choice(tmp_path):
    shapes = collision('<sphere radius="1"/>', role="visual")
    path = tmp_path / "seen.urdf"
    path.write_text(f'<robot name="r">{link("a", inertial("1"), shapes)}</robot>')
    assert from_geometry(path, ["a"]).bodies[0].role == "visual"
    with pytest.raises(ParameterError, match="none at all"):
        from_geometry(path, ["a"], roles=["collision"])


def test_stand_ins_of_a_format_are_no_priors(robot):
    model = ic.load(robot)
    base, *rest = model.bodies
    for origin in ("default", "geometry"):
        other = replace(model, bodies=(base._replace(inertia_from=origin), *rest))
        with pytest.raises(ParameterError, match=r"body 'base' is (defaulted|derived)"):
            from_model(other, ["base"])
    other = replace(model, bodies=(base._replace(inertia_from="default"), *rest))
    with pytest.raises(ParameterError, match="states no mass"):
        from_geometry(other, ["base"])


def test_a_mass_in_another_unit_is_in_kilograms(robot):
    model = ic.load(robot)
    base, *rest = model.bodies
    inertial = base.inertial._replace(kilograms_per_unit=1e-3)
    other = replace(model, bodies=(base._replace(inertial=inertial), *rest))
    assert from_geometry(other, ["base"]).parameters.mass.tolist() == [0.004]
