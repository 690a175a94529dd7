"""Classes of this package as JAX pytrees, registered when JAX is there and never by importing it.

Where JAX is loaded already, a class is registered at once. Otherwise an import hook waits for it: a
body made before `import jax` passes through jax.jit like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

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
        if _is_loaded():
            _register_all()
        else:
            _Watcher.install()
        return cls

    return decorate


def _is_loaded() -> bool:
    return hasattr(sys.modules.get("jax"), "tree_util")


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
