"""Every function on arrays of other libraries: the same numbers, library and precision."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import clouds
import inertial_check as ic
from array_libraries import HOW_TO, Calls, Library, agree, make_call_tests
from inertial_check import InertialParameters
from inertial_check.errors import ParameterError
from inertial_check.inertia import frames, representations, sampling, solids
from inertial_check.inertia.intervals import admissible_intervals
from inertial_check.inertia.sampling import rotations

# What checks and prepares arguments is called by all the others.
HELPERS = {"read_theta", "check_about", "symmetrise", "pose_parts", "rotate_vector"} | {
    "rotate_tensor", "refuse_asymmetric", "refuse_nonrotation", "shift", "check_spatial_order",
    "homogeneous", "read_rotation", "find_nearest_rotation",
    "second_moment_entries", "rotate_checked",
}  # fmt: skip
PUBLIC = {
    name: function
    for module in (representations, frames, solids)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
    if not name.startswith("_") and name not in HELPERS
    if name in getattr(module, "__all__", ()) or name.startswith(("equivalent", "radi"))
}
core = SimpleNamespace(**PUBLIC)
THETA = np.stack([clouds.theta_of(*clouds.cloud(seed, at=[1, -2, 0.5])) for seed in range(3)])
OTHER = np.stack([clouds.theta_of(*clouds.cloud(seed, count=5)) for seed in range(3)])
SIX = THETA[:, 4:]
ROTATION = rotations(0, 3)
POSITION = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [-5.0, 0.1, 0.2]])
POSE = np.tile(np.eye(4), (3, 1, 1))
POSE[:, :3, :3], POSE[:, :3, 3] = ROTATION, POSITION
MASSES, POINTS = clouds.cloud(9)
MOMENTS = np.array([[1.0, 2.0, 2.5], [1.0, 1.0, 1.5], [1.0, 2.0, 3.0]])
CENTRAL = InertialParameters.from_theta(THETA)
POSITIVE = ([1.0, 2.0, 3.0], MOMENTS)

make = InertialParameters
FUNCTIONS: Calls = {
    "reorder": (lambda t: core.reorder(t, "ksl", "wensing"), (THETA,)),
    "split": (lambda t: core.split(t)[1], (THETA,)),
    "join": (core.join, (THETA[:, 0], THETA[:, 1:4], SIX)),
    "symmetric": (core.symmetric, (SIX,)),
    "six": (core.six, (core.symmetric(SIX),)),
    "about_origin": (core.about_origin, (THETA[:, 0], THETA[:, 1:4], SIX)),
    "about_com": (core.about_com, (THETA[:, 0], THETA[:, 1:4], SIX)),
    "about_point": (core.about_point, (THETA[:, 0], THETA[:, 1:4], SIX, POSITION)),
    "second_moment_about_point": (
        core.second_moment_about_point,
        (THETA[:, 0], THETA[:, 1:4], SIX, POSITION),
    ),
    "second_moment": (core.second_moment, (SIX,)),
    "inertia_from_second_moment": (core.inertia_from_second_moment, (SIX,)),
    "pseudo_inertia": (core.pseudo_inertia, (THETA,)),
    "theta_from_pseudo_inertia": (core.theta_from_pseudo_inertia, (core.pseudo_inertia(THETA),)),
    "spatial_inertia": (core.spatial_inertia, (THETA,)),
    "theta_from_spatial_inertia": (
        lambda m: core.theta_from_spatial_inertia(m, "linear-angular"),
        (core.spatial_inertia(THETA, "linear-angular"),),
    ),
    "rotate": (core.rotate, (THETA, ROTATION)),
    "translate": (core.translate, (THETA, POSITION)),
    "transform": (core.transform, (THETA, POSE)),
    "add": (lambda a, b: core.add(a, b, "com"), (THETA, OTHER)),
    "total": (lambda t: core.total(t, (0,), "com"), (THETA,)),
    "merge": (lambda a, b, X: core.merge(a, b, X, "com"), (THETA, OTHER, POSE)),
    "equivalent_box": (core.equivalent_box, POSITIVE),
    "equivalent_ellipsoid": (core.equivalent_ellipsoid, POSITIVE),
    "radius_of_gyration": (core.radius_of_gyration, POSITIVE),
}


def from_theta(theta: Any) -> InertialParameters:
    return make.from_theta(theta)


def from_com(theta: Any) -> InertialParameters:
    return make.from_com(theta[..., 0], theta[..., 1:4], theta[..., 4:])


METHODS: Calls = {
    "from_com": (
        lambda m, c, i: make.from_com(m, c, i).as_theta(),
        POSITIVE_BODY := (THETA[:, 0], POSITION, core.symmetric(SIX)),
    ),
    "from_theta": (lambda t: from_theta(t).as_theta("ksl", about="com"), (THETA,)),
    "from_pseudo_inertia": (
        lambda p: make.from_pseudo_inertia(p).as_theta(),
        (core.pseudo_inertia(THETA),),
    ),
    "from_spatial_inertia": (
        lambda m: make.from_spatial_inertia(m).as_theta(),
        (core.spatial_inertia(THETA),),
    ),
    "from_point_masses": (
        lambda m, r: make.from_point_masses(m, r).as_theta(about="com"),
        (MASSES, POINTS),
    ),
    "from_principal": (
        lambda c, j, v: make.from_principal(2.0, c, j, v).as_theta(),
        (POSITION, MOMENTS, ROTATION),
    ),
    "mass": (lambda t: from_theta(t).mass, (THETA,)),
    "com": (lambda t: from_theta(t).com, (THETA,)),
    "first_moment": (lambda t: from_theta(t).first_moment, (THETA,)),
    "inertia_com": (lambda t: from_theta(t).inertia_com, (THETA,)),
    "inertia_origin": (lambda t: from_com(t).inertia_origin, (THETA,)),
    "second_moment": (lambda t: from_com(t).second_moment, (THETA,)),
    "central_second_moment": (lambda t: from_theta(t).central_second_moment, (THETA,)),
    "covariance": (lambda t: from_theta(t).covariance, (THETA,)),
    "inertia_about": (lambda t, p: from_com(t).inertia_about(p), (THETA, POSITION)),
    "second_moment_about": (lambda t, p: from_theta(t).second_moment_about(p), (THETA, POSITION)),
    "pseudo_inertia": (lambda t: from_com(t).pseudo_inertia, (THETA,)),
    "as_theta": (lambda t: from_com(t).as_theta("pinocchio"), (THETA,)),
    "as_spatial_inertia": (lambda t: from_com(t).as_spatial_inertia(), (THETA,)),
    "principal_moments": (lambda t: from_theta(t).principal_moments(), (THETA,)),
    "principal_axes": (lambda t: from_theta(t).principal_axes(), (THETA,)),
    "rotate": (lambda t, R: from_com(t).rotate(R).com, (THETA, ROTATION)),
    "translate": (lambda t, p: from_com(t).translate(p).com, (THETA, POSITION)),
    "transform": (lambda t, X: from_com(t).transform(X).as_theta(), (THETA, POSE)),
    "merge": (
        lambda t, o, X: from_com(t).merge(from_theta(o), X).as_theta(about="com"),
        (THETA, OTHER, POSE),
    ),
    "sum": (lambda t: from_com(t).sum().as_theta(about="com"), (THETA,)),
    "__add__": (lambda t, o: (from_com(t) + from_com(o)).as_theta(about="com"), (THETA, OTHER)),
    "__sub__": (lambda t, o: (from_theta(t) - from_theta(o)).as_theta(), (THETA, OTHER)),
    "__getitem__": (lambda t: from_com(t)[1].as_theta(about="com"), (THETA,)),
    "__iter__": (lambda t: [body.com for body in from_com(t)][-1], (THETA,)),
}
CALLS = {**FUNCTIONS, **{f"InertialParameters.{name}": call for name, call in METHODS.items()}}


def test_every_public_function_and_method_is_called() -> None:
    functions = set(PUBLIC)
    assert functions == set(FUNCTIONS)
    methods = {
        name
        for name, member in inspect.getmembers(InertialParameters)
        if not name.startswith("_") and name not in ("about", "shape")
    }
    assert methods <= set(METHODS)


test_the_same_numbers_in_the_same_library, test_it_stays_on_its_device, _ = make_call_tests(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_beside_lists_and_numbers(library: Library, name: str) -> None:
    function, arguments = CALLS[name]
    first, *others = arguments
    mixed = [library.array(first, "float32"), *(np.asarray(a).tolist() for a in others)]
    if others and others[0] is OTHER and name.startswith("InertialParameters"):
        mixed[1] = library.array(OTHER, "float32")  # a body of its own, so of the same library
    assert library.result_is_own(function, mixed, "float32")


def test_integers_become_float64(library: Library) -> None:
    theta = library.xp.asarray([2, 2, 4, 6, 26, -4, -6, 20, -12, 10])
    got = make.from_theta(theta).inertia_com
    assert library.is_own(got, "float64")
    assert not np.asarray(got).any()


def test_jax_without_doubles_keeps_floats_without_a_warning() -> None:
    jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    try:
        got = core.pseudo_inertia(jax.numpy.asarray([1] * 10))
        assert got.dtype == np.float32
    finally:
        jax.config.update("jax_enable_x64", before)


def test_refusals_name_the_body_in_every_library(library: Library) -> None:
    matrices = np.tile(np.eye(3), (3, 1, 1))
    matrices[2, 0, 1] = 0.5
    with pytest.raises(ParameterError, match="matrix of body 2 is not symmetric"):
        core.six(library.array(matrices))
    with pytest.raises(ParameterError, match="R_AB of body 2 is not orthonormal"):
        core.rotate(library.array(THETA), library.array(matrices))
    with pytest.raises(ParameterError, match=r"theta has shape \(3, 9\)"):
        core.pseudo_inertia(library.array(THETA[:, 1:]))


ALONG_BODIES = {
    "InertialParameters.__getitem__", "InertialParameters.__iter__", "InertialParameters.sum",
    "total",
}  # fmt: skip
"""Functions that need an axis of bodies, so that they cannot be mapped over bodies."""


@pytest.mark.parametrize("name", CALLS)
class TestTracing:
    def test_jax_compiles_and_maps_it(self, name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = CALLS[name]
        if name in ALONG_BODIES:
            given = [jax.numpy.asarray(np.asarray(a), dtype="float32") for a in arguments]
            agree(jax.jit(function)(*given), function(*arguments), "float32")
            return
        if name == "InertialParameters.from_point_masses":
            arguments = ([MASSES] * 3, [POINTS] * 3)
        given = [jax.numpy.asarray(np.asarray(a), dtype="float32") for a in arguments]
        expected = function(*(np.asarray(a) for a in arguments))
        agree(jax.jit(jax.vmap(function))(*given), expected, "float32")

    def test_jax_differentiates_it(self, name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = CALLS[name]

        def along(first: Any, *others: Any) -> Callable[[Any], Any]:
            """In a direction where symmetric stays symmetric and a rotation one: it shrinks."""
            direction = first * 0.1
            if name.endswith("from_principal"):
                direction = first * 0 + 1.0
            return lambda t: function(first + t * direction, *others)

        before = jax.config.jax_enable_x64
        jax.config.update("jax_enable_x64", True)
        try:
            given = [jax.numpy.asarray(np.asarray(a)) for a in arguments]
            _, slope = jax.jvp(along(*given), (0.0,), (1.0,))
        finally:
            jax.config.update("jax_enable_x64", before)
        step, value = 1e-6, along(*(np.asarray(a) for a in arguments))
        expected = (value(step) - value(-step)) / (2 * step)
        size = np.abs(expected).max() + np.abs(np.asarray(function(*arguments))).max()
        if name not in ("equivalent_box", "equivalent_ellipsoid"):
            np.testing.assert_allclose(np.asarray(slope), expected, rtol=0, atol=1e-8 * size)
        else:  # the thickness of a plate has no slope
            rows = slice(None, 2)
            np.testing.assert_allclose(
                np.asarray(slope)[rows], expected[rows], rtol=0, atol=1e-8 * size
            )

    def test_torch_differentiates_it(self, name: str) -> None:
        torch = pytest.importorskip("torch", reason=HOW_TO["torch"])
        function, arguments = CALLS[name]
        first, *others = [torch.asarray(np.asarray(a, dtype=float)) for a in arguments]
        first.requires_grad_()
        function(first, *others).sum().backward()
        assert first.grad is not None
        assert bool(torch.isfinite(first.grad[:2]).all())


JUDGED = np.concatenate(
    [
        sampling.consistent(1, 40).as_theta(about="com"),
        sampling.inconsistent(2, 40).as_theta(about="com"),
        [[0.0] * 10, [-1.0] + [0.0] * 9, [np.nan] * 10],
    ]
)
READINGS = (
    "verdict_code", "consistent", "margin", "tolerance", "mass_positive", "inertia_psd",
    "triangle_inequality", "pseudo_inertia_psd", "principal_moments",
)  # fmt: skip


class TestJudgements:
    """Check, realize, project and intervals: what NumPy says, in the caller's library."""

    @pytest.mark.parametrize("about", ["com", "origin"])
    def test_check(self, library: Library, about: str) -> None:
        def read(theta: Any) -> list[Any]:
            result = ic.check(theta, about=about)
            return [getattr(result, reading) for reading in READINGS]

        compute = library.module.jit(read) if library.name == "jax" else read
        for got, expected in zip(compute(library.array(JUDGED)), read(JUDGED), strict=True):
            scale = np.max(np.abs(expected), axis=-1, keepdims=True) if expected.ndim > 1 else 1.0
            scale = np.where(np.isfinite(scale) & (scale != 0), scale, 1.0)
            mine, theirs = np.asarray(got) / scale, expected / scale
            assert np.allclose(mine, theirs, rtol=0, atol=1e-14, equal_nan=True)
            assert type(got) is type(library.array(JUDGED))

    def test_witness(self, library: Library) -> None:
        result = ic.check(library.array(JUDGED), about="com")
        assert np.array_equal(result.verdict, ic.check(JUDGED, about="com").verdict)
        for theta, v, word in zip(JUDGED, np.asarray(result.witness), result.verdict, strict=True):
            assert np.isnan(v).all() == (word != "inconsistent")
            if word == "inconsistent":
                tensor = representations.symmetric(representations.second_moment(theta[4:]))
                assert v @ tensor @ v < 0

    def test_realize(self, library: Library) -> None:
        theta = JUDGED[:40]
        masses, points = ic.realize(library.array(theta), about="com")
        again = InertialParameters.from_point_masses(np.asarray(masses), np.asarray(points))
        error = np.linalg.norm(
            again.as_theta() - make.from_theta(theta, about="com").as_theta(), axis=-1
        )
        assert np.all(error <= 1e-12 * np.linalg.norm(again.as_theta(), axis=-1))

    @pytest.mark.parametrize("metric", ["inertia", "covariance"])
    def test_project(self, library: Library, metric: str) -> None:
        expected, got = (
            ic.project(a, metric, about="com") for a in (JUDGED, library.array(JUDGED))
        )
        assert np.array_equal(got.status, expected.status)
        theta, scale = np.asarray(got.theta), np.abs(expected.theta).max(axis=-1, keepdims=True)
        same = (theta == expected.theta) | (np.abs(theta - expected.theta) <= 1e-13 * scale)
        assert np.all(same | np.isnan(expected.theta))

    def test_intervals(self, library: Library) -> None:
        expected = admissible_intervals(JUDGED[:80, 4:])
        got = np.asarray(admissible_intervals(library.array(JUDGED[:80, 4:])))
        scale = np.abs(JUDGED[:80, 4:]).max(axis=-1)[:, None, None]
        both = np.isfinite(got) & np.isfinite(expected)
        assert both.mean() > 0.3
        assert np.array_equal(np.isnan(got), np.isnan(expected))
        assert np.all((np.abs(got - expected) <= 1e-9 * scale) | ~both)
