"""Mistakes of converters: each, planted, is named first; what is none of them is not named."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.documents.poses import from_quaternion, from_rpy
from inertial_check.fixing.converters import MISTAKES, MassProperties, deviations, explain
from inertial_check.inertia.intervals import half_units

TOLERANCE = 1e-6
RPY = (0.7, -0.4, 1.9)
POUND, INCH = 0.45359237, 0.0254


def matrix(six):
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def reading(mass=1.37, com=(0.11, -0.032, 0.27), six=None, R=None):
    six = (0.0125, 0.0011, -0.0007, 0.0153, 0.0004, 0.0185) if six is None else six
    tensor = matrix(six) if np.shape(six) == (6,) else np.array(six)
    return MassProperties(mass, np.array(com), np.array(from_rpy(*RPY) if R is None else R), tensor)


def explained(a, b, tolerance=TOLERANCE):
    found = deviations(a, b)
    differs = [name for name, value in zip(found._fields, found, strict=True) if value > tolerance]
    return differs, explain(a, b, differs, tolerance)


def names(a, b):
    return [each.name for each in explained(a, b)[1]]


def body(mass, com, tensor):
    """A body whose numbers are in its own axes, as a converter may write them all."""
    com, tensor = np.array(com, dtype=float), np.array(tensor, dtype=float)
    texts = [[repr(each)] for each in (float(mass), *com.tolist())]
    texts.append([repr(each) for each in tensor[np.triu_indices(3)].tolist()])
    radii = np.array([radius for each in texts for radius in half_units(each)])
    return MassProperties(mass, com, np.eye(3), tensor, radii)


TRUE = reading()
R, I_I, I_B = TRUE.R_BBi, TRUE.I_BBcm_Bi, TRUE.I_BBcm_B
M, C = TRUE.mass, TRUE.p_BoBcm_B
PLAIN = body(M, C, I_B)


def arms(c):
    return np.dot(c, c) * np.eye(3) - np.outer(c, c)


def quaternion(rotation):
    """x, y, z, w by way of the eigenvector of a symmetric matrix, not as the package finds it."""
    trace = np.trace(rotation)
    skew = rotation - rotation.T
    axis = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    w = np.sqrt(1 + trace) / 2
    return (*(axis / (4 * w)), w)


def rotated(rotation, tensor=I_I):
    rotation = np.array(rotation)
    return rotation @ tensor @ rotation.T


def euler_in_turn(roll, pitch, yaw):
    about_x, about_y, about_z = from_rpy(roll, 0, 0), from_rpy(0, pitch, 0), from_rpy(0, 0, yaw)
    return np.array(about_x) @ np.array(about_y) @ np.array(about_z)


X, Y, Z, W = quaternion(R)
TURN = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
SPHERE = 0.4 * M * (3 * M / (4000 * np.pi)) ** (2 / 3)
MUJOCO = ([0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2])  # rows and columns in its order
PLANTED = {
    "rotation-transposed": (M, C, rotated(R.T)),
    "rotation-transposed (conjugate)": (M, C, rotated(from_quaternion(-X, -Y, -Z, W))),
    "rotation-dropped": (M, C, I_I),
    "rotation-twice": (M, C, rotated(R, I_B)),
    "quaternion-order (wxyz as xyzw)": (M, C, rotated(from_quaternion(W, X, Y, Z))),
    "quaternion-order (xyzw as wxyz)": (M, C, rotated(from_quaternion(Y, Z, W, X))),
    "rpy-order (intrinsic)": (M, C, rotated(euler_in_turn(*RPY))),
    "rpy-order (yaw first)": (M, C, rotated(from_rpy(*RPY[::-1]))),
    "rpy-degrees (as radians)": (M, C, rotated(from_rpy(*np.degrees(RPY)))),
    "rpy-degrees (radians as)": (M, C, rotated(from_rpy(*np.radians(RPY)))),
    "about-body-origin": (M, C, I_B + M * arms(C)),
    "about-body-origin (subtracted)": (M, C, I_B - M * arms(C)),
    "com-dropped": (M, 0 * C, I_B),
    "com-sign": (M, -C, I_B),
    "com-sign (y)": (M, C * [1, -1, 1], I_B),
    "com-rotated": (M, R @ C, I_B),
    "com-rotated (inverse)": (M, R.T @ C, I_B),
    "default-inertial": (1, 0 * C, np.eye(3)),
    "default-inertial (tensor)": (M, C, np.eye(3)),
    "left-out": (0, 0 * C, np.zeros((3, 3))),
    "replaced-by-sphere (Drake)": (M, C, SPHERE * np.eye(3)),
    "replaced-by-sphere (USD)": (M, C, 0.4 * M * 0.01 * np.eye(3)),
    "moments-averaged": (M, C, np.trace(I_I) / 3 * np.eye(3)),
    "products-sign (own axes)": (M, C, rotated(R, 2 * np.diag(np.diag(I_I)) - I_I)),
    "products-sign (body axes)": (M, C, 2 * np.diag(np.diag(I_B)) - I_B),
    "products-sign (one)": (M, C, I_B - 2 * I_B[0, 1] * np.eye(3)[[1, 0, 2]] * [1, 1, 0]),
    "products-dropped": (M, C, np.diag(np.diag(I_B))),
    "products-dropped (own axes)": (M, C, rotated(R, np.diag(np.diag(I_I)))),
    "component-order (own axes)": (M, C, rotated(R, matrix(I_I[MUJOCO]))),
    "component-order (body axes)": (M, C, matrix(I_B[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]])),
    "component-order (nine)": (M, C, matrix(I_B.reshape(9)[:6])),
    "frame-turned (y up)": (M, TURN @ C, rotated(TURN, I_B)),
    "frame-turned (mirror)": (M, C * [1, -1, 1], I_B * np.outer([1, -1, 1], [1, -1, 1])),
    "units (g mm^2)": (1e3 * M, 1e3 * C, 1e9 * I_B),
    "units (tensor in kg cm^2)": (M, C, 1e4 * I_B),
    "units (read as g mm^2)": (M, C, 1e-9 * I_B),
    "units (lb, in, lb in^2)": (M / POUND, C / INCH, I_B / (POUND * INCH**2)),
    "units (mass in lb)": (M / POUND, C, I_B),
    "units (offset in mm)": (M, 1e3 * C, I_B),
    "density": (2.7 * M, C, 2.7 * I_B),
    "rounded (4 decimals)": (1.37, C.round(4), I_B.round(4)),
    "rounded (3 significant)": (M, C, np.vectorize(lambda v: float(f"{v:.3g}"))(I_B)),
}  # fmt: skip


@pytest.mark.parametrize("turned_about", [False, True], ids=["b from a", "a from b"])
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_mistake_is_named_first(planted, turned_about):
    wrong = body(*PLANTED[planted])
    pair = (wrong, TRUE) if turned_about else (TRUE, wrong)
    differs, found = explained(*pair)
    assert differs
    assert found[0].name == planted.partition(" (")[0]
    assert set(found[0].explains) == set(differs)
    assert found[0].residual < 1e-6


def test_every_mistake_is_planted_here_or_needs_a_whole_model():
    planted = {name.partition(" (")[0] for name in PLANTED}
    assert {mistake.name for mistake in MISTAKES} - planted == {"merged-children"}


@pytest.mark.parametrize("planted", PLANTED)
def test_two_mistakes_in_one_tensor_are_not_named_as_one(planted):
    """A small error on top of the mistake: it is far more than the digits leave open."""
    mass, com, tensor = PLANTED[planted]
    wrong = body(mass * 1.003, np.array(com) * 1.004 + 0.001, np.array(tensor) * 1.005 + 1e-4)
    name = planted.partition(" (")[0]
    assert name not in names(TRUE, wrong)
    assert name not in names(wrong, TRUE)


def test_mistakes_in_two_quantities_are_named_each_for_its_own():
    wrong = body(M, -C, rotated(R.T))
    differs, found = explained(TRUE, wrong)
    assert differs == ["com", "inertia"]
    assert {each.name: each.explains for each in found} == {
        "rotation-transposed": ("inertia",),
        "com-sign": ("com",),
    }


def test_a_mistake_beside_another_difference_says_what_it_explains():
    differs, found = explained(TRUE, body(1.1 * M, C, I_I))
    assert differs == ["mass", "inertia"]
    assert [(each.name, each.explains) for each in found] == [("rotation-dropped", ("inertia",))]


def test_default_numbers_beside_an_unexplained_difference_are_no_sign_of_a_mistake():
    """Another body, whose centre of mass happens to be its origin."""
    other = body(0.8, (0, 0, 0), matrix((0.004, 0.0001, 0, 0.005, 0, 0.006)))
    assert explained(TRUE, other) == (["mass", "com", "inertia"], [])
    assert names(TRUE, body(1.0, C, other.I_BBcm_B)) == []


def test_what_a_wrong_principal_rotation_makes_of_a_full_tensor_is_undone():
    """B diagonalised A's tensor and wrote its axes wrongly: A has no rotation to start from."""
    moments, axes = np.linalg.eigh(I_B)
    axes = axes * np.linalg.det(axes)
    x, y, z, w = quaternion(axes if np.trace(axes) > -0.9 else axes @ np.diag([1.0, -1, -1]))
    V = np.array(from_quaternion(x, y, z, w))
    moments = np.diag(np.diag(V.T @ I_B @ V))
    for name, wrong in {
        "rotation-transposed": V.T,
        "quaternion-order": np.array(from_quaternion(w, x, y, z)),
        "rotation-dropped": np.eye(3),
    }.items():
        assert names(PLAIN, MassProperties(M, C, wrong, moments))[0] == name


@given(st.permutations(range(3)), st.tuples(*[st.sampled_from((-1, 1))] * 3))
def test_order_and_signs_of_principal_axes_do_not_matter(order, signs):
    moments, axes = np.linalg.eigh(I_B)
    axes = axes[:, list(order)] * signs
    axes = axes * np.linalg.det(axes)  # a rotation
    other = MassProperties(M, C, axes, np.diag(moments[list(order)]))
    assert max(deviations(TRUE, other)) < 1e-14


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_deviations_do_not_know_units(kilograms, meters):
    other = reading(six=(0.0126, 0.0011, -0.0007, 0.0143, 0.0005, 0.0185), com=(0.1, 0, 0.27))
    kg, m = 10.0**kilograms, 10.0**meters
    scaled = [
        MassProperties(kg * one.mass, m * one.p_BoBcm_B, one.R_BBi, kg * m * m * one.I_BBcm_Bi)
        for one in (TRUE, other)
    ]
    np.testing.assert_allclose(deviations(*scaled), deviations(TRUE, other), rtol=1e-12)


def test_a_rounding_is_named_only_where_the_printed_digits_explain_it():
    """1.3700 is no rounding of 1.374, though both are 1.4 to two digits."""
    exact = body(1.374, (0.1104, -0.0304, 0.2704), I_B)
    rounded = body(1.37, (0.11, -0.03, 0.27), I_B.round(4))

    def claim(*half_units):
        radii = np.repeat(half_units, [1, 3, 6])
        printed = dataclasses.replace(rounded, half_units=radii)
        found = [one for one in explained(exact, printed)[1] if one.name == "rounded"]
        return [(one.change, one.explains) for one in found]

    assert claim(5e-5, 5e-5, 5e-8) == []
    assert claim(5e-3, 5e-3, 5e-8) == [("rounded to 2 decimals", ("mass", "com"))]
    ((words, what),) = claim(5e-3, 5e-3, 5e-5)
    assert what == ("mass", "com", "inertia")
    assert words.startswith("with its mass rounded to 3 significant digits, its centre of mass")
    assert words.endswith("and its inertia rounded to 4 decimals")


def test_a_digit_that_is_open_elsewhere_explains_no_moment():
    """Half a unit of 0.03 is 0.005, by which the first moment is not open."""
    exact = body(1, (0, 0, 0), np.diag([0.0366667, 0.0366667, 0.03]))
    other = body(1, (0, 0, 0), np.diag([0.037400, 0.036667, 0.03]))
    assert "rounded" not in names(exact, other)
    axes = np.array(from_rpy(0, 0, 0.001))
    turned = MassProperties(1.0, np.zeros(3), axes, np.diag([0.01, 0.02, 0.025]))
    plain = MassProperties(1.0, np.zeros(3), np.eye(3), np.diag([0.01, 0.02, 0.025]))
    printed = dataclasses.replace(plain, half_turn=0.002)
    found = [each.change for each in explained(turned, printed)[1] if each.name == "rounded"]
    assert found == ["rounded to the digits of its quaternion"]
    assert "rounded" not in names(turned, plain)
    off = dataclasses.replace(turned, I_BBcm_Bi=np.diag([0.0101, 0.02, 0.025]))
    assert "rounded" not in names(off, printed)


def test_digits_of_the_numbers_leave_a_named_mistake_its_residual():
    """Six digits on both sides: the mistake is seen through them, and its residual is said."""
    wrong = np.vectorize(lambda value: float(f"{value:.6g}"))(rotated(R.T))
    found = explained(TRUE, body(M, C, wrong), tolerance=1e-5)[1]
    assert found[0].name == "rotation-transposed"
    assert 1e-9 < found[0].residual < 1e-4


def test_a_sphere_about_its_centre_hides_every_rotation():
    ball = reading(six=(0.02, 0, 0, 0.02, 0, 0.02))
    assert explained(ball, body(M, C, 0.02 * np.eye(3))) == ([], [])


def test_point_masses_are_compared_by_their_distance_from_the_origin():
    one, other = (body(1.0, c, np.zeros((3, 3))) for c in ((0.0, 0, 2.0), (0.0, 0, 2.002)))
    assert deviations(one, other) == pytest.approx((0, 0.002 / 2.002, 0))
