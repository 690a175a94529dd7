"""The array libraries beside NumPy that the package is tested with, and how far they may differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

HOW_TO = {
    "array_api_strict": "pip install array-api-strict",
    "torch": "pip install torch",
    "jax": "pip install jax",
}


class Library:
    """What the tests ask of an array library."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = pytest.importorskip(name, reason=HOW_TO[name])
        self.xp = self.module.numpy if name == "jax" else self.module

    def array(self, values: Any, dtype: str = "float64") -> Any:
        return self.xp.asarray(np.asarray(values).tolist(), dtype=getattr(self.xp, dtype))

    def is_own(self, array: Any, dtype: str) -> bool:
        return isinstance(array, type(self.array([0.0]))) and array.dtype == getattr(self.xp, dtype)

    def result_is_own(self, function: Callable[..., Any], arguments: Any, dtype: str) -> bool:
        """Whether the result is an array of this library and precision.

        JAX traces the function, which decides precision as a call does but compiles nothing; a
        result that left the library would stop the trace.
        """
        if self.name != "jax":
            return self.is_own(function(*arguments), dtype)
        places = [i for i, each in enumerate(arguments) if isinstance(each, self.module.Array)]

        def of_arrays(*arrays: Any) -> Any:
            traced = dict(zip(places, arrays, strict=True))
            return function(*(traced.get(i, each) for i, each in enumerate(arguments)))

        result = self.module.eval_shape(of_arrays, *(arguments[i] for i in places))
        return bool(result.dtype == getattr(self.xp, dtype))


def agree(got: Any, expected: Any, dtype: str) -> None:
    expected = np.asarray(expected)
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(
        np.asarray(got), expected, rtol=0, atol=256 * eps * np.abs(expected).max()
    )


def stays_on_its_device(function: Callable[..., Any], arguments: Any) -> bool:
    """Whether the result is where its arguments are, with no shape that depends on values."""
    strict = pytest.importorskip("array_api_strict", reason=HOW_TO["array_api_strict"])
    device = strict.Device("device1")
    given = [
        strict.asarray(np.asarray(a).tolist(), dtype=strict.float64, device=device)
        for a in arguments
    ]
    with strict.ArrayAPIStrictFlags(boolean_indexing=False, data_dependent_shapes=False):
        return bool(function(*given).device == device)


Calls = dict[str, tuple[Callable[..., Any], Any]]
"""Functions with their NumPy arguments, by the names of their tests."""


def make_call_tests(calls: Calls) -> tuple[Callable[..., None], ...]:
    """Tests that the calls keep the library, its precision and device, and that JAX compiles them.

    Each of the three is a test function for `test_...` names of a module.
    """
    every = pytest.mark.parametrize("name", calls)

    @every
    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    def keep_numbers(library: Library, name: str, dtype: str) -> None:
        function, arguments = calls[name]
        got = function(*(library.array(argument, dtype) for argument in arguments))
        assert library.is_own(got, dtype)
        agree(got, function(*map(np.asarray, arguments)), dtype)

    @every
    def keep_device(name: str) -> None:
        assert stays_on_its_device(*calls[name])

    @every
    def compile_with_jax(name: str) -> None:
        jax = pytest.importorskip("jax", reason=HOW_TO["jax"])
        function, arguments = calls[name]
        given = [jax.numpy.asarray(np.asarray(a), dtype="float32") for a in arguments]
        agree(jax.jit(function)(*given), function(*map(np.asarray, arguments)), "float32")

    return keep_numbers, keep_device, compile_with_jax
