"""Random numbers from the generator of the caller's array library, in its precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from inertial_check.arrays.broadcasting import device_of
from inertial_check.arrays.types import Array, ArrayLike, Generator, Namespace
from inertial_check.errors import ParameterError

EXPECTED = "a seed, a numpy.random.Generator, a torch.Generator or a JAX key"


def standard_normal(rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    """Independent standard normal numbers, in the precision of an array.

    Args:
        rng: A seed or a NumPy generator, for every array library; a generator of PyTorch or a key
            of JAX, for its own.
        shape: Of the result.
        xp: The namespace of `like`.
        like: An array whose precision the numbers get, and whose library those of NumPy.

    Raises:
        ParameterError: None of these.
    """
    return _draw("normal", rng, shape, xp, like)


def uniform(rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    """Independent numbers, uniform in [0, 1); arguments and errors as for standard_normal."""
    return _draw("uniform", rng, shape, xp, like)


def _draw(law: str, rng: Generator, shape: tuple[int, ...], xp: Namespace, like: Array) -> Array:
    kind = type(rng)
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        rng = np.random.default_rng(int(rng))
    if isinstance(rng, np.random.Generator):
        numbers = rng.standard_normal(shape) if law == "normal" else rng.random(shape)
        if xp is np:
            return numbers.astype(like.dtype, copy=False)
        return xp.asarray(numbers, dtype=like.dtype, device=device_of(like))
    if kind.__module__.partition(".")[0] == "torch" and kind.__name__ == "Generator":
        return _of_torch(law, rng, shape, like)
    if _is_jax(rng):
        return _of_jax(law, rng, shape, like)
    said = repr(rng) if isinstance(rng, (int, float, str, bool)) or rng is None else kind.__name__
    raise ParameterError(f"rng is {said}, expected {EXPECTED}")


def _of_torch(law: str, rng: Generator, shape: tuple[int, ...], like: Array) -> Array:
    import torch

    make = torch.randn if law == "normal" else torch.rand
    dtype = like.dtype if isinstance(like, torch.Tensor) else torch.float64
    numbers: Array = make(shape, generator=rng, dtype=dtype, device=rng.device)
    return numbers


def _of_jax(law: str, rng: Generator, shape: tuple[int, ...], like: Array) -> Array:
    import jax

    # Any: the arrays that it makes are of JAX, whose type is not the protocol Array
    make: Any = jax.random.normal if law == "normal" else jax.random.uniform
    dtype = like.dtype if isinstance(like, jax.Array) else None
    numbers: Array = make(rng, shape) if dtype is None else make(rng, shape, dtype)
    return numbers


def _is_jax(value: ArrayLike) -> bool:
    from array_api_compat import is_jax_array

    return bool(is_jax_array(value))
