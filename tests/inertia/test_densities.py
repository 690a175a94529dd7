"""Uniform shapes: against quadrature, exact rationals, triangulations and each other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.inertia import solids
from inertial_check.inertia.meshes import convex_hull, measure
from inertial_check.inertia.sampling import rotations

lengths = st.floats(1e-4, 1e2)
masses = st.floats(1e-6, 1e5)
Shape = Callable[..., ic.InertialParameters]

SOLIDS: dict[str, tuple[Shape, int]] = {
    "box": (lambda a, b, c, **k: solids.box(stack(a, b, c), **k), 3),
    "ellipsoid": (lambda a, b, c, **k: solids.ellipsoid(stack(a, b, c), **k), 3),
    "sphere": (solids.sphere, 1),
    "cylinder": (solids.cylinder, 2),
    "capsule": (solids.capsule, 2),
    "cone": (solids.cone, 2),
}
SHELLS: dict[str, tuple[Shape, int]] = {
    "box_shell": (lambda a, b, c, **k: solids.box_shell(stack(a, b, c), **k), 3),
    "sphere_shell": (solids.sphere_shell, 1),
    "cylinder_shell": (solids.cylinder_shell, 2),
    "capsule_shell": (solids.capsule_shell, 2),
    "cone_shell": (solids.cone_shell, 2),
}
SHAPES = {**SOLIDS, **SHELLS}


def stack(*numbers: Any) -> Any:
    from inertial_check.inertia.arrays import array_namespace

    return array_namespace(*numbers).stack([*numbers], axis=-1)


def as_arrays(numbers: Any) -> list[Any]:
    return [np.asarray(number, dtype=float) for number in numbers]


def made(name: str, numbers: Any, **amount: Any) -> ic.InertialParameters:
    return SHAPES[name][0](*as_arrays(numbers), **amount)


def drawn(data: st.DataObject, name: str) -> list[float]:
    return [data.draw(lengths) for _ in range(SHAPES[name][1])]


# Oracles: Gauss-Legendre along z of the sections of a solid of revolution, and of its meridian.

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def along(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    return (low + high) / 2 + (high - low) / 2 * NODES, (high - low) / 2 * WEIGHTS


def moments(pieces: Any) -> SimpleNamespace:
    """Size, z of the centroid and variances from (weight, x^2, z) of thin slices about the axis."""
    weight, xx, z = (np.concatenate(part) for part in zip(*pieces, strict=True))
    size = weight.sum()
    center = weight @ z / size
    return SimpleNamespace(
        size=size, z=center, xx=weight @ xx / size, zz=weight @ (z - center) ** 2 / size
    )


def solid_of_revolution(*profiles: Any) -> SimpleNamespace:
    """Discs of the radius r(z): area pi r^2, mean x^2 r^2 / 4."""
    pieces = []
    for low, high, radius in profiles:
        z, weight = along(low, high)
        r = radius(z)
        pieces.append((np.pi * r**2 * weight, r**2 / 4, z))
    return moments(pieces)


def surface_of_revolution(*meridians: Any) -> SimpleNamespace:
    """Rings of the curve (r(t), z(t)) with speed v(t): length 2 pi r v, mean x^2 r^2 / 2."""
    pieces = []
    for low, high, radius, height, speed in meridians:
        t, weight = along(low, high)
        r = radius(t)
        pieces.append((2 * np.pi * r * speed(t) * weight, r**2 / 2, height(t)))
    return moments(pieces)


def disc(radius: float, height: float) -> tuple[Any, ...]:
    return (0, radius, lambda t: t, lambda t: height + 0 * t, lambda t: 1 + 0 * t)


def round_shapes(r: float, h: float) -> dict[str, SimpleNamespace]:
    def cap(z: Any) -> Any:
        return np.sqrt(np.maximum(r**2 - (np.abs(z) - h / 2) ** 2, 0))

    def dome(sign: float) -> tuple[Any, ...]:
        return (
            *(0, np.pi / 2, lambda t: r * np.cos(t)),
            *(lambda t: sign * (h / 2 + r * np.sin(t)), lambda t: r + 0 * t),
        )

    slant = np.hypot(r, h)
    side = (-h / 2, h / 2, lambda z: r + 0 * z, lambda z: z, lambda z: 1 + 0 * z)
    lateral = (0, 1, lambda t: r * t, lambda t: h / 2 - h * t, lambda t: slant + 0 * t)
    barrel = (-h / 2, h / 2, lambda z: r + 0 * z)
    return {
        "cylinder": solid_of_revolution(barrel),
        "capsule": solid_of_revolution(barrel, (h / 2, h / 2 + r, cap), (-h / 2 - r, -h / 2, cap)),
        "cone": solid_of_revolution((-h / 2, h / 2, lambda z: r * (1 / 2 - z / h))),
        "cylinder_shell": surface_of_revolution(side, disc(r, h / 2), disc(r, -h / 2)),
        "capsule_shell": surface_of_revolution(side, dome(1), dome(-1)),
        "cone_shell": surface_of_revolution(lateral, disc(r, -h / 2)),
    }


ROUND = ("cylinder", "capsule", "cone", "cylinder_shell", "capsule_shell", "cone_shell")


@pytest.mark.parametrize("name", ROUND)
@given(lengths, lengths)
def test_round_shapes_are_what_gauss_quadrature_gives(name, radius, length):
    oracle = round_shapes(radius, length)[name]
    body = made(name, [radius, length], density=3.0)
    S_c = body.central_second_moment
    assert body.mass == pytest.approx(3 * oracle.size, rel=1e-12)
    assert abs(body.com[2] - oracle.z) <= 1e-13 * (radius + length)
    assert S_c[0, 0] / body.mass == pytest.approx(oracle.xx, rel=1e-12)
    assert S_c[1, 1] == S_c[0, 0]
    # I = tr(S) - S: the smaller of two spreads keeps the digits that the larger leaves it.
    wide = np.finfo(float).eps * 100 * (oracle.xx + oracle.zz)
    assert abs(S_c[2, 2] / body.mass - oracle.zz) <= 1e-12 * oracle.zz + wide
    assert S_c[0, 1] == S_c[0, 2] == S_c[1, 2] == body.com[0] == body.com[1] == 0


@given(lengths)
def test_a_capsule_without_length_is_a_ball_and_its_shell_a_sphere(radius):
    for capsule, ball in (
        (solids.capsule, solids.sphere),
        (solids.capsule_shell, solids.sphere_shell),
    ):
        short, whole = capsule(radius, 0.0, density=2.0), ball(radius, density=2.0)
        np.testing.assert_allclose(short.as_theta(), whole.as_theta(), rtol=1e-14)


@given(st.data(), st.sampled_from([("ellipsoid", "sphere"), ("box", "box")]))
def test_equal_axes_give_the_isotropic_body(data, names):
    radius = data.draw(lengths)
    body = made(names[0], [radius] * 3, mass=1.0)
    moment = body.inertia_com[0, 0]
    np.testing.assert_allclose(body.inertia_com, moment * np.eye(3), rtol=1e-15)
    if names[1] == "sphere":
        assert moment == pytest.approx(0.4 * radius**2, rel=1e-15)


@given(st.lists(st.integers(1, 10**6), min_size=3, max_size=3), st.integers(1, 10**6))
def test_boxes_are_the_exact_rationals(edges, mass):
    a, b, c = (Fraction(edge) for edge in edges)
    body = solids.box([float(edge) for edge in edges], mass=float(mass))
    exact = [Fraction(mass) * (x * x + y * y) / 12 for x, y in ((b, c), (a, c), (a, b))]
    np.testing.assert_allclose(np.diag(body.inertia_com), list(map(float, exact)), rtol=1e-15)
    hollow = solids.box_shell([float(edge) for edge in edges], density=1.0)
    faces = (b * c, c * a, a * b)  # across x, y and z
    spreads = [
        sum(2 * faces[across] * x * x / (4 if across == axis else 12) for across in range(3))
        for axis, x in enumerate((a, b, c))
    ]
    exact = [spreads[i] + spreads[j] for i, j in ((1, 2), (0, 2), (0, 1))]
    assert hollow.mass == pytest.approx(float(2 * sum(faces)), rel=1e-15)
    np.testing.assert_allclose(np.diag(hollow.inertia_com), list(map(float, exact)), rtol=1e-14)


points = st.lists(st.integers(-(10**4), 10**4), min_size=12, max_size=12)


def exact_tetrahedron(vertices: Any) -> list[Fraction]:
    """Volume and second moments about the origin by the integral of monomials over a simplex."""
    p = [[Fraction(int(x)) for x in vertex] for vertex in vertices]
    a, b, c = ([x - y for x, y in zip(q, p[0], strict=True)] for q in p[1:])
    det = (
        a[0] * (b[1] * c[2] - b[2] * c[1])
        - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
    )
    volume = abs(det) / 6
    total = [sum(vertex[i] for vertex in p) for i in range(3)]
    second = [
        volume / 20 * (sum(v[i] * v[j] for v in p) + total[i] * total[j])
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    ]
    return [volume, *(volume * x / 4 for x in total), *second]


@given(points)
def test_tetrahedra_are_the_exact_rationals(coordinates):
    vertices = np.reshape(coordinates, (4, 3))
    volume, hx, hy, hz, xx, xy, xz, yy, yz, zz = exact_tetrahedron(vertices)
    body = solids.tetrahedron(vertices, density=1.0)
    size = float(np.abs(vertices).max()) or 1.0
    assert body.mass == pytest.approx(float(volume), abs=1e-15 * size**3 * 8)
    if volume:
        unit = solids.tetrahedron(vertices, mass=1.0)
        exact = [yy + zz, -xy, -xz, xx + zz, -yz, xx + yy]
        exact = [float(x / volume) for x in exact]
        np.testing.assert_allclose(unit.as_theta()[4:], exact, atol=1e-14 * size**2)
        h = [float(x / volume) for x in (hx, hy, hz)]
        np.testing.assert_allclose(unit.first_moment, h, atol=1e-15 * size * 4)


@given(st.integers(0, 2**32 - 1))
def test_triangles_are_three_point_quadrature(seed):
    vertices = np.random.default_rng(seed).normal(size=(3, 3))
    middles = (vertices + np.roll(vertices, 1, axis=0)) / 2  # exact for quadratics
    oracle = ic.InertialParameters.from_point_masses([1 / 3] * 3, middles)
    body = solids.triangle(vertices, mass=1.0)
    np.testing.assert_allclose(body.as_theta(), oracle.as_theta(), atol=1e-14)
    cross = np.cross(vertices[1] - vertices[0], vertices[2] - vertices[0])
    area = solids.triangle(vertices, density=1.0).mass
    assert area == pytest.approx(np.linalg.norm(cross) / 2, rel=1e-13)


@pytest.mark.parametrize("name", SHAPES)
@given(st.data())
def test_every_density_is_that_of_a_body(name, data):
    body = made(name, drawn(data, name), mass=data.draw(masses))
    assert ic.check(body).verdict in {"consistent", "boundary"}


@pytest.mark.parametrize("name", SHAPES)
@given(st.data(), st.floats(1e-3, 1e3))
def test_lengths_and_masses_scale(name, data, factor):
    numbers = drawn(data, name)
    power = 2 if name in SHELLS else 3
    one = made(name, numbers, density=1.0)
    larger = made(name, [factor * number for number in numbers], density=7.0)
    expected = 7 * factor**power * one.as_theta() * [1, *[factor] * 3, *[factor**2] * 6]
    np.testing.assert_allclose(larger.as_theta(), expected, rtol=1e-12)
    heavy = made(name, numbers, mass=one.mass)
    np.testing.assert_allclose(heavy.as_theta(), one.as_theta(), rtol=1e-14)


@given(lengths, lengths, lengths, st.sampled_from([0, 1, 2]))
def test_a_box_is_two_half_boxes(a, b, c, axis):
    edges = np.array([a, b, c])
    half, shift = edges.copy(), np.zeros(3)
    half[axis] /= 2
    shift[axis] = edges[axis] / 4
    part = solids.box(half, density=5.0)
    both = part.translate(shift) + part.translate(-shift)
    whole = solids.box(edges, density=5.0)
    np.testing.assert_allclose(both.as_theta(), whole.as_theta(), rtol=1e-14, atol=0)


@given(lengths, lengths, st.floats(0.01, 0.99))
def test_a_cone_is_its_tip_and_its_frustum(radius, length, share):
    """The frustum, which has no function of its own, is integrated."""
    tip = solids.cone(share * radius, share * length, density=1.0)
    tip = tip.translate([0, 0, length / 2 - share * length / 2])
    cut = length / 2 - share * length
    frustum = solid_of_revolution((-length / 2, cut, lambda z: radius * (1 / 2 - z / length)))
    whole = solids.cone(radius, length, density=1.0)
    assert whole.mass == pytest.approx(float(tip.mass) + frustum.size, rel=1e-12)
    expected = float(tip.central_second_moment[0, 0]) + frustum.size * frustum.xx
    assert whole.central_second_moment[0, 0] == pytest.approx(
        expected, rel=1e-10, abs=1e-13 * float(whole.inertia_com[2, 2] + whole.inertia_com[0, 0])
    )


@given(st.integers(0, 2**32 - 1))
def test_a_rotated_tetrahedron_is_the_rotated_body(seed):
    rng = np.random.default_rng(seed)
    vertices, R = rng.normal(size=(4, 3)), rotations(rng, 1)[0]
    turned = solids.tetrahedron(vertices @ R.T, mass=2.0)
    body = solids.tetrahedron(vertices, mass=2.0).rotate(R)
    np.testing.assert_allclose(turned.as_theta(), body.as_theta(), atol=1e-14)


def test_thin_solids_are_plates_rods_and_shells():
    plate = solids.box([2.0, 1.0, 0.0], mass=3.0)
    assert ic.check(plate).verdict == "boundary"
    assert np.diag(plate.inertia_com).tolist() == [0.25, 1.0, 1.25]
    assert solids.box([2.0, 1.0, 0.0], density=3.0).mass == 0
    assert solids.capsule(0.0, 1.0, mass=12.0).inertia_com[0, 0] == 1.0
    assert solids.capsule(0.0, 0.0, mass=1.0).inertia_com.tolist() == [[0.0] * 3] * 3
    thick = np.array([1.0, 2.0, 3.0])
    walls = solids.box(thick, density=1.0) - solids.box(thick - 2e-6, density=1.0)
    shell = solids.box_shell(thick, density=1e-6)
    np.testing.assert_allclose(walls.as_theta(), shell.as_theta(), rtol=1e-5)


@pytest.mark.parametrize("size", [1e-4, 1e2])
@pytest.mark.parametrize("mass", [1e-6, 1e5])
def test_a_milligram_and_a_hundred_tonnes_keep_their_digits(size, mass):
    body = solids.box(size * np.array([1, 2, 3]), mass=mass)
    expected = np.array([13, 10, 5]) / 12 * mass * size**2
    np.testing.assert_allclose(np.diag(body.inertia_com), expected, rtol=1e-15)


@pytest.mark.parametrize("name", SHAPES)
def test_batches_are_their_rows(name):
    count = SHAPES[name][1]
    numbers = np.random.default_rng(0).uniform(0.1, 2.0, (count, 4, 1))
    amount = np.array([1.0, 2.0, 3.0])
    batch = made(name, numbers, mass=amount)
    assert batch.shape == (4, 3)
    for i in range(4):
        for j in range(3):
            one = made(name, numbers[:, i, 0], mass=amount[j])
            np.testing.assert_array_equal(batch[i, j].as_theta(), one.as_theta())


@pytest.mark.parametrize(("name", "size"), [("ellipsoid", 3), ("sphere_shell", 1)])
def test_fine_triangulations_come_near(name, size):
    """By another route altogether: signed tetrahedra, and triangles, of points on the shape."""
    k = np.arange(4000)
    z, turn = 1 - (2 * k + 1) / 4000, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    ball = np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=-1)
    radii = np.array([1.0, 2.0, 3.0]) if size == 3 else np.ones(3)
    mesh = measure(convex_hull((ball * radii)[:, None, :].repeat(3, axis=1)))
    near = mesh.solid(mass=1.0) if size == 3 else mesh.shell(mass=1.0)
    body = made(name, radii[:size], mass=1.0)
    np.testing.assert_allclose(np.diag(near.inertia_com), np.diag(body.inertia_com), rtol=5e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solids.box([1, 2, 3]), "neither of mass and density"),
        (lambda: solids.box([1, 2, 3], mass=1, density=1), "both of mass and density"),
        (lambda: solids.box([[1, 2, 3], [1, -2, 3]], mass=1), "edges of body 1 is -2.0"),
        (lambda: solids.sphere([1, np.nan], mass=1), "radius of body 1 is nan"),
        (lambda: solids.cylinder(1, 1, mass=[1, 1, -3]), "mass of body 2 is -3.0"),
        (lambda: solids.cone(1, np.inf, density=1), "length is inf"),
        (lambda: solids.box([1, 2], mass=1), "edges has shape (2,)"),
        (lambda: solids.tetrahedron(np.ones((3, 3)), mass=1), "expected (..., 4, 3)"),
        (lambda: solids.triangle(np.full((2, 3, 3), np.nan), mass=1), "vertices of body 0"),
        (lambda: solids.cylinder([1, 2], [1, 2, 3], mass=1), "do not broadcast"),
        (lambda: solids.tetrahedron(np.ones((2, 4, 3)), mass=[1, 1, 1]), "do not broadcast"),
        (lambda: solids.sphere("big", mass=1), "radius"),
    ],
)
def test_what_is_no_shape_is_refused_by_name(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)


# Other array libraries

CALLS = {
    **{name: (make, count) for name, (make, count) in SHAPES.items()},
    "tetrahedron": (solids.tetrahedron, (4, 3)),
    "triangle": (solids.triangle, (3, 3)),
}


def arguments(shape: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    if isinstance(shape, tuple):
        return [rng.uniform(0.1, 2.0, (5, *shape))]
    return [rng.uniform(0.1, 2.0, 5) for _ in range(shape)]


@pytest.fixture(params=["array_api_strict", "torch", "jax"], scope="module")
def xp(request):
    module = pytest.importorskip(request.param)
    if request.param != "jax":
        yield module
        return
    before = module.config.jax_enable_x64
    module.config.update("jax_enable_x64", True)
    yield module.numpy
    module.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CALLS)
def test_other_libraries_give_the_same_in_their_own_arrays(name, xp, dtype):
    make, shape = CALLS[name]
    numbers = arguments(shape)
    own = [xp.asarray(n.tolist(), dtype=getattr(xp, dtype)) for n in numbers]
    for what in ("mass", "density"):
        theta = make(*own, **{what: 2.0}).as_theta(about="com")
        assert theta.dtype == getattr(xp, dtype)
        assert isinstance(theta, type(own[0]))
        expected = make(*numbers, **{what: 2.0}).as_theta(about="com")
        error = np.abs(np.asarray(theta, dtype=float) - expected).max(axis=-1)
        eps = np.finfo(dtype).eps
        assert (error <= 16 * eps * np.abs(expected).max(axis=-1)).all()


@pytest.mark.parametrize("name", CALLS)
def test_numpy_single_precision_stays(name):
    make, shape = CALLS[name]
    body = make(*[n.astype(np.float32) for n in arguments(shape)], density=2.0)
    assert body.as_theta().dtype == np.float32
    assert (ic.check(body).verdict == "consistent").all() or name == "triangle"


def test_shapes_can_be_traced_and_differentiated():
    jax = pytest.importorskip("jax", reason="needs JAX: pip install jax")
    volume = jax.jit(lambda r, h: solids.capsule(r, h, density=1.0).mass)
    slope = jax.grad(volume)(1.0, 2.0)
    assert float(slope) == pytest.approx(4 * np.pi + 4 * np.pi, rel=1e-6)
