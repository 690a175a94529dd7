"""IC403: which fluid_added_mass is reported, which is not, and where."""

import numpy as np
import pytest

import inertial_check as ic

NAMES = "xyzpqr"
ROUND = "<ixx>1</ixx><iyy>1</iyy><izz>1</izz>"


def document(added, mass="2", inertia=ROUND, pose="0 0 0 0 0 0", inertial="inertial"):
    return (
        f'<sdf version="1.10"><model name="m"><link name="hull"><{inertial}>'
        f"<pose>{pose}</pose><mass>{mass}</mass><inertia>{inertia}</inertia>"
        f"<fluid_added_mass>{added}</fluid_added_mass></inertial></link></model></sdf>"
    )


def written(matrix):
    """The 21 elements of an upper triangle."""
    return "".join(
        f"<{NAMES[i]}{NAMES[j]}>{float(matrix[i, j])!r}</{NAMES[i]}{NAMES[j]}>"
        for i in range(6)
        for j in range(i, 6)
    )


def found(text):
    return [f for f in ic.check_model(text.encode()).findings if f.code == "IC403"]


@pytest.mark.parametrize(
    ("added", "reported"),
    [
        ("<xx>5</xx>", False),
        ("<xx>-1.9</xx>", False),  # the sum is sound
        ("<xx>-2</xx>", True),
        ("<xx>-2.1</xx>", True),
        ("<pp>-1.5</pp>", True),
        ("<xq>1.4</xq>", False),  # at most the root of 2 kg and 1 kg m^2
        ("<xq>1.5</xq>", True),
        ("<xx>one</xx>", False),  # IC004 says that
    ],
)
def test_which_are_reported(added, reported):
    assert bool(found(document(added))) == reported


def test_the_sum_is_taken_about_the_origin_of_the_link():
    """1 kg taken away at the centre of mass, written about the origin: right there, wrong here."""
    c = np.array([0.0, 0.0, 10.0])
    K = np.cross(np.eye(3), c)  # [c]x
    about_Bo = np.block([[-np.eye(3), K], [K.T, -K @ K.T]])
    pose = "0 0 10 0 0 0"
    assert not found(document(written(about_Bo), pose=pose))
    assert found(document(written(about_Bo)))


def test_the_axes_are_those_of_the_link():
    quarter_turn = "0 0 0 0 0 1.5707963267948966"
    thin = "<ixx>0.1</ixx><iyy>1</iyy><izz>1</izz>"
    assert found(document("<pp>-0.5</pp>", inertia=thin))
    assert not found(document("<pp>-0.5</pp>", inertia=thin, pose=quarter_turn))


def test_a_body_that_is_to_blame_itself():
    for inertia in (
        "<ixx>-1</ixx><iyy>1</iyy><izz>1</izz>",
        "<ixx>0</ixx><iyy>1</iyy><izz>1</izz>",
    ):
        assert not found(document("<xx>1</xx>", inertia=inertia))
    rod = "<ixx>0</ixx><iyy>1</iyy><izz>1</izz>"
    assert found(document("<pp>-0.1</pp>", inertia=rod))


def test_an_inertia_from_the_geometry_is_not_known():
    text = document("<xx>-100</xx>", inertial='inertial auto="true"')
    assert not found(text)


def test_place_and_values():
    text = document("<xx>-6</xx>\n<yy>1</yy>")
    (finding,) = found(text)
    assert text.splitlines()[0][finding.place.column - 1 :].startswith("-6")
    assert finding.place.end_line == 2
    assert finding.body == "m::hull"
    assert "1 of its 6 diagonal entries are negative" in finding.message
    assert set(finding.values) == {"margin", "added_margin", "rigid_margin", "tolerance"}
    assert finding.values["margin"] < 0 < finding.values["rigid_margin"]
    (product,) = found(document("<xq>1.5</xq>"))
    assert "no product may exceed the root" in product.message


def test_several_links_are_judged_each_by_its_own():
    link = (
        '<link name="{}"><inertial><mass>2</mass><fluid_added_mass>{}</fluid_added_mass></inertial>'
        "</link>"
    )
    links = "".join(
        link.format(name, added)
        for name, added in (("a", "<xx>1</xx>"), ("b", "<xx>-3</xx>"), ("c", "<yy>-3</yy>"))
    )
    text = f'<sdf version="1.10"><model name="m">{links}<link name="d"/></model></sdf>'
    assert [finding.body for finding in found(text)] == ["m::b", "m::c"]
