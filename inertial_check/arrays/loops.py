"""Loops that run in any array library: compiled in JAX, in Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from inertial_check.arrays.derivatives import is_jax
from inertial_check.arrays.types import Array, Namespace

State = TypeVar("State", bound=tuple[Any, ...])


def repeat_while(
    xp: Namespace,
    condition: Callable[[State], Array],
    advance: Callable[[State], State],
    state: State,
) -> State:
    """Advance a state as long as a condition holds.

    Args:
        xp: The library of the arrays in the state.
        condition: Function of the state to one truth value.
        advance: Function of the state to the next, with the same shapes and types.
        state: Tuple of arrays, or of such tuples.
    """
    if is_jax(xp):
        from jax.lax import while_loop

        final: State = while_loop(condition, advance, state)
        return final
    while bool(condition(state)):
        state = advance(state)
    return state
