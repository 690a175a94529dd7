"""Wrong types and shapes, to every argument of every public function: our errors, our names.

Errors of NumPy, SciPy and Python must not reach a caller who passed a wrong value, and an error
must name the argument that the caller wrote, not one of a function further inside.
"""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from inertial_check.errors import InertialCheckError, ParameterError
from public_calls import PublicCall, list_calls


class Table:
    """What looks like a table of another library."""

    columns = ("a", "b")

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray[Any, Any]:
        return np.array([["a", "b"]], dtype=object)


class Sparse:
    """What looks like a sparse matrix: a shape and a type, and no array."""

    shape, dtype, ndim = (3, 3), np.dtype(float), 2


def _generate() -> Iterator[float]:
    yield 1.0


WRONG_TYPES: tuple[Any, ...] = (
    object(),
    {"a": 1.0},
    {1, 2},
    1j,
    [[1, 2], [3]],
    [object()] * 3,
    np.array(["a"] * 10),
    np.array(["2020-01-01"] * 3, "M8[D]"),
    np.ma.masked_array(np.ones(10), np.arange(10) < 3),
    Table(),
    Sparse(),
    _generate,
)
"""Values that no argument takes, each tried on a quarter of the arguments; with --long on all."""

WRONG_VALUES: tuple[Any, ...] = (None, "x", b"x", np.ones((3, 7)), np.ones(0), 1.5, np.nan, -1)
"""Values that some arguments take, and that have no meaning for others."""

SLOW = re.compile(r"^(identify\w*|fill|fix_model|diff_models|check_model|.*optimise|clean)$")
"""Functions that are tried with few of the values, because they solve large problems."""

TAKES_ANYTHING = {
    "identification.diagnosis.diagnosis.check_signal": "`name` says what its errors call it",
    "identification.fit.samples.read_reals": "`name` says what its errors call it",
    "Samples.reduce": "`importance` is a function of the caller, whose errors are his",
    "inertia.sampling.integrate": "`density` is a function of the caller, whose errors are his",
}
"""Functions whose errors name something else, and why."""

CALLS = list_calls()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_wrong_arguments_raise_errors_of_this_package_by_their_own_names(
    call: PublicCall, pytestconfig: pytest.Config
) -> None:
    step = 1 if pytestconfig.getoption("--long") else 9 if SLOW.match(call.name) else 4
    for place, name in enumerate(call.arguments):
        for wrong in WRONG_TYPES[place % step :: step]:
            error = _catch(call, name, wrong)
            if isinstance(error, ParameterError) and call.name not in TAKES_ANYTHING:
                # An array of text is a list of names where names are expected.
                assert re.search(rf"\b{name}\b|'a'", str(error)), (name, wrong, str(error))
        for wrong in WRONG_VALUES[place % step :: step]:
            _catch(call, name, wrong)


def test_the_calls_cover_the_package_and_are_right() -> None:
    assert len(CALLS) > 180
    refused = []
    for call in CALLS:
        try:
            call.function(**call.arguments)
        except InertialCheckError as error:
            refused.append(f"{call.name}: {error}")
    assert not refused


def _catch(call: PublicCall, name: str, wrong: object) -> InertialCheckError | None:
    """Call with one wrong argument; errors of other libraries fail the test."""
    value = _generate() if wrong is _generate else wrong
    arguments = {**call.arguments, name: value}
    if call.name.endswith("_"):  # these write to their first argument
        arguments = {key: copy.copy(each) for key, each in arguments.items() if key != name}
        arguments[name] = value
    try:
        with warnings.catch_warnings():
            call.function(**arguments)
    except InertialCheckError as error:
        return error
    except Exception as error:
        if callable(wrong) or (call.name, name) in _CALLBACKS:
            return None
        pytest.fail(f"{call.name}({name}={wrong!r}): {type(error).__name__}: {error}")
    return None


_CALLBACKS = {("Samples.reduce", "importance"), ("inertia.sampling.integrate", "density")}
