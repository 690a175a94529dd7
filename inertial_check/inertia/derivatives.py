"""Derivative rules of functions that automatic differentiation would get wrong, or not at all.

An eigenvalue has the derivative v^T dA v, yet differentiating the formula that computes it divides
by zero where two of them meet. A projection is the end of an iteration, and its derivative is that
of its optimality conditions. Such a function is a pair here: `value` computes it, `slope` its
change in a direction. JAX takes the pair as a custom_jvp, PyTorch as an autograd.Function; every
other library gets the value alone. Slopes are made of functions that can be differentiated again.

Loops that run in any array library: compiled in JAX, in Python elsewhere.

Classes of this package as JAX pytrees, registered when JAX is there and never by importing it.

Where JAX is loaded already, a class is registered at once. Otherwise an import hook waits for it: a
body made before `import jax` passes through jax.jit like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from inertial_check.inertia.arrays import Array, Namespace, quiet

Arrays = tuple[Array, ...]

Value = Callable[..., Arrays]
"""Function of some arrays, all with the same leading axes, to some arrays with these axes."""

Slope = Callable[[Arrays, Arrays, Arrays], Arrays]
"""Function of the arguments, the results and changes of the arguments to changes of the results,
linear in the changes."""


def differentiable(xp: Namespace, value: Value, slope: Slope, *arrays: Array) -> Arrays:
    """Compute value(*arrays) with the derivatives that `slope` gives.

    Args:
        xp: The library of the arrays.
        value: Computes each row of the leading axes for itself. It is not differentiated. In
            PyTorch it sees numbers also under torch.func.vmap, and may decide by them.
        slope: The derivative of `value`.
        *arrays: Floating-point arrays whose leading axes agree.
    """
    if xp is np:
        return value(*arrays)
    if is_torch(xp):
        results: Arrays = _torch_rule().apply(value, slope, *arrays)
        return results
    if is_jax(xp):
        import jax

        function = jax.custom_jvp(lambda *given: tuple(quiet(value)(*given)))

        def differentiate(primals: Arrays, tangents: Arrays) -> tuple[Arrays, Arrays]:
            jax_results = function(*primals)
            return jax_results, tuple(slope(primals, jax_results, tangents))

        function.defjvp(differentiate)
        jax_results: Arrays = function(*arrays)
        return jax_results
    return value(*arrays)


def hold_constant(array: Array) -> Array:
    """Return the same numbers, constant for derivatives."""
    if isinstance(array, (np.ndarray, np.generic)):
        return array
    if hasattr(array, "detach"):
        detached: Array = array.detach()
        return detached
    jax = sys.modules.get("jax")  # not imported, no array is of JAX
    if jax is None or not isinstance(array, jax.Array):
        return array
    from jax.lax import stop_gradient

    stopped: Array = stop_gradient(array)
    return stopped


def is_traced(*arrays: object) -> bool:
    """Decide whether JAX is tracing one of the arrays, so that it has no numbers yet."""
    if "jax" not in sys.modules:
        return False
    from jax.core import Tracer

    return any(isinstance(array, Tracer) for array in arrays)


def hides_numbers(*arrays: object) -> bool:
    """Decide whether JAX traces one of the arrays, or PyTorch differentiates or maps it."""
    if is_traced(*arrays):
        return True
    if "torch" not in sys.modules:
        return False
    import torch

    tensors = [array for array in arrays if isinstance(array, torch.Tensor)]
    return any(
        tensor.requires_grad or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
        for tensor in tensors
    )


def is_torch(xp: Namespace) -> bool:
    """Decide whether a namespace is that of PyTorch."""
    return xp is not np and getattr(xp, "__name__", "") in ("array_api_compat.torch", "torch")


def is_jax(xp: Namespace) -> bool:
    """Decide whether a namespace is that of JAX."""
    return xp is not np and getattr(xp, "__name__", "") == "jax.numpy"


@cache
def _torch_rule() -> Any:  # noqa: ANN401 - a class that exists only where PyTorch does
    """Build the autograd.Function that takes a value and its slope, once."""
    import torch

    class Rule(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
        """A value and its slope, differentiated backward, forward, and mapped."""

        @staticmethod
        def forward(value: Value, slope: Slope, *arrays: Any) -> Any:  # noqa: ANN401
            return tuple(value(*arrays))

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # noqa: ANN401
            _, ctx.slope, *arrays = inputs
            ctx.count = len(arrays)
            ctx.save_for_backward(*arrays, *output)
            ctx.save_for_forward(*arrays, *output)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:  # noqa: ANN401
            arrays, results = ctx.saved_tensors[: ctx.count], ctx.saved_tensors[ctx.count :]

            def push(*changes: Any) -> Any:  # noqa: ANN401
                return tuple(ctx.slope(arrays, results, changes))

            _, pull = torch.func.vjp(push, *map(torch.zeros_like, arrays))
            return None, None, *pull(gradients)

        @staticmethod
        def jvp(ctx: Any, *changes: Any) -> Any:  # noqa: ANN401
            arrays, results = ctx.saved_tensors[: ctx.count], ctx.saved_tensors[ctx.count :]
            filled = [
                torch.zeros_like(array) if change is None else change
                for array, change in zip(arrays, changes[2:], strict=True)
            ]
            return tuple(ctx.slope(arrays, results, tuple(filled)))

        @staticmethod
        def vmap(info: Any, axes: Any, value: Any, slope: Any, *arrays: Any) -> Any:  # noqa: ANN401
            moved = [
                array.expand(info.batch_size, *array.shape)
                if axis is None
                else array.movedim(axis, 0)
                for array, axis in zip(arrays, axes[2:], strict=True)
            ]
            results = Rule.apply(value, slope, *moved)
            return results, (0,) * len(results)

    return Rule


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


T = TypeVar("T", bound=type)

_Classes = dict[type, tuple[tuple[str, ...], tuple[str, ...]]]
_waiting: _Classes = {}


def register_pytree(leaves: Sequence[str], static: Sequence[str] = ()) -> Callable[[T], T]:
    """Build the decorator that makes a class a JAX pytree.

    Args:
        leaves: Names of the attributes that hold arrays, or None.
        static: Names of the attributes that decide what is compiled; they can be hashed.
    """

    def decorate(cls: T) -> T:
        _waiting[cls] = (tuple(leaves), tuple(static))
        if hasattr(sys.modules.get("jax"), "tree_util"):
            _register_all()
        else:
            _Watcher.install()
        return cls

    return decorate


def _register_all() -> None:
    from jax.tree_util import register_pytree_node

    while _waiting:
        cls, (leaves, static) = _waiting.popitem()
        register_pytree_node(cls, *_make_functions(cls, leaves, static))


def _make_functions(
    cls: type, leaves: tuple[str, ...], static: tuple[str, ...]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def flatten(value: object) -> tuple[tuple[object, ...], tuple[Hashable, ...]]:
        return (
            tuple(getattr(value, name) for name in leaves),
            tuple(_freeze(getattr(value, name)) for name in static),
        )

    def unflatten(aux: tuple[Hashable, ...], children: tuple[object, ...]) -> object:
        # JAX fills in tracers and placeholders of its own: nothing is looked at here.
        value: object = object.__new__(cls)
        thawed = map(_thaw, aux)
        for name, each in zip((*static, *leaves), (*thawed, *children), strict=True):
            object.__setattr__(value, name, each)
        return value

    return flatten, unflatten


class _Frozen(NamedTuple):
    """A NumPy array as something that can be hashed and compared."""

    data: bytes
    shape: tuple[int, ...]
    dtype: str


def _freeze(value: Any) -> Hashable:  # noqa: ANN401 - any attribute
    if isinstance(value, np.ndarray):
        return _Frozen(value.tobytes(), value.shape, value.dtype.str)
    key: Hashable = value
    return key


def _thaw(value: Hashable) -> object:
    if isinstance(value, _Frozen):
        return np.frombuffer(value.data, value.dtype).reshape(value.shape)  # read-only
    return value


class _Watcher:
    """Import hook that registers the classes as soon as JAX is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "jax" or path is not None:
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)  # so that it does not find itself
        spec = find_spec("jax")
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            _register_all()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    @classmethod
    def install(cls) -> None:
        """Put the hook before all others, once."""
        if not any(isinstance(each, cls) for each in sys.meta_path):
            sys.meta_path.insert(0, cls())
