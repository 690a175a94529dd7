"""Merging and factoring in place, as KSL does, and one default of the order of halves."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.errors import ParameterError
from inertial_check.mechanics import compact
from inertial_check.mechanics.factor import factor, factor_

RNG = np.random.default_rng(3)
BODIES = ic.InertialParameters.from_point_masses(
    RNG.uniform(0.1, 1, (2, 5)), RNG.normal(size=(2, 5, 3))
)
D_IJ = np.eye(4)
D_IJ[:3, 3] = [0.3, -0.2, 0.5]


def terms_and_centers():
    terms = BODIES.as_theta(order="ksl", about="com").copy()
    return (*terms, *np.array(BODIES.com))


@pytest.mark.parametrize("wide", [False, True])
def test_merge_in_place_writes_the_parent_and_its_vector(wide):
    parent, child, t_i, t_j = terms_and_centers()
    parent = compact.widen(parent) if wide else parent
    expected = compact.merge(parent, t_i, child, t_j, D_IJ)
    assert compact.merge_(parent, t_i, child, t_j, D_IJ) is parent
    assert parent.tolist() == expected.terms.tolist()
    assert t_i.tolist() == expected.t_ic_i.tolist()


def test_merge_in_place_changes_both_or_neither():
    parent, child, t_i, t_j = terms_and_centers()
    before = t_i.copy()
    parent.flags.writeable = False
    with pytest.raises(ParameterError, match="parent cannot be changed in place; use merge"):
        compact.merge_(parent, t_i, child, t_j, D_IJ)
    assert t_i.tolist() == before.tolist()
    with pytest.raises(ParameterError, match="list: t_ic_i cannot be changed"):
        compact.merge_(parent, t_i.tolist(), child, t_j, D_IJ)


def test_factor_in_place_overwrites_the_terms():
    terms = BODIES.as_theta(order="ksl", about="com").copy()
    expected = factor(terms)
    found = factor_(terms)
    assert found.terms is terms
    assert terms.tolist() == expected.terms.tolist()
    assert found.rank.tolist() == [6, 6]
    push = RNG.normal(size=(2, 6))
    got = found.solve(push, "angular-linear")
    assert got.tolist() == expected.solve(push, "angular-linear").tolist()
    with pytest.raises(ParameterError, match="would become"):
        factor_(compact.widen(BODIES.as_theta(order="ksl", about="com")))


def public_callables():
    packages = ("inertia", "mechanics", "projection", "identification")
    for package in packages:
        root = importlib.import_module(f"inertial_check.{package}")
        for info in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if any(part.startswith("_") for part in info.name.split(".")) or "conic" in info.name:
                continue
            module = importlib.import_module(info.name)
            for name, value in vars(module).items():
                if name.startswith("_") or getattr(value, "__module__", "") != info.name:
                    continue
                inner = vars(value).items() if inspect.isclass(value) else ()
                members = [(name, value), *((f"{name}.{key}", each) for key, each in inner)]
                for label, member in members:
                    function = getattr(member, "__func__", member)
                    if inspect.isfunction(function) and not label.rpartition(".")[2].startswith(
                        "_"
                    ):
                        yield f"{info.name}.{label}", function


def test_every_order_of_spatial_vectors_has_one_default_or_none():
    """A module with another default silently exchanges forces and torques of its neighbour."""
    seen = set()
    for label, function in public_callables():
        for parameter in inspect.signature(function).parameters.values():
            if "SpatialOrder" in str(parameter.annotation):
                seen.add(label)
                assert parameter.default in ("angular-linear", inspect.Parameter.empty), label
            elif parameter.name == "order" and "Order" in str(parameter.annotation):
                assert parameter.default in ("urdf", None, ..., inspect.Parameter.empty), label
    assert len(seen) > 20
