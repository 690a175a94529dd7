"""Causes by axes: sorted principal moments, and axes that were transposed or mirrored."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suspects import Link, box, box_moments, causes, rotation

EDGES = [(0.25, 0.04, 0.14), (0.04, 0.15, 0.07), (0.2, 0.06, 0.11), (0.05, 0.1, 0.06)]


def arm(moments, count=4):
    """Links whose moments about their own axes were passed through a function."""
    return [
        Link(
            1.0 + k, (0, 0, 0), np.diag(moments(np.diag(box_moments(1.0 + k, edges)))), box(edges)
        )._replace(name=f"link_{k}")
        for k, edges in enumerate(EDGES[:count])
    ]


@pytest.mark.parametrize("order", [np.sort, lambda values: -np.sort(-values)])
def test_moments_in_one_order_on_four_links(order):
    """Catches an edit that keeps the order, and a rule for one of the two orders alone."""
    found = causes(*arm(order), of="link_0")
    assert found[0].cause == "sorted-principal-moments"
    meant = np.diag(box_moments(1.0, EDGES[0]))
    entries = found[0].edit["entries"]
    written = dict(zip(("ixx", "iyy", "izz"), order(meant), strict=True))
    after = [(written | entries)[name] for name in ("ixx", "iyy", "izz")]
    assert after == pytest.approx(meant, rel=1e-6)


def test_three_links_or_other_orders_are_chance():
    """Catches a cause that is named for a single link with its axes exchanged."""
    three = causes(*arm(np.sort, 3), of="link_0")
    assert "sorted-principal-moments" not in [each.cause for each in three]
    mixed = arm(np.sort)
    mixed[3] = mixed[3]._replace(inertia=mixed[3].inertia[::-1, ::-1])
    found = causes(*mixed, of="link_0")
    assert "sorted-principal-moments" not in [each.cause for each in found]


@settings(max_examples=10, deadline=None)
@given(st.floats(0.01, 10), st.sampled_from([(0.5, 0.4, 0.9), (-0.7, 0.3, 1.2)]))
def test_transposed_principal_axes(scale, rpy):
    """Catches R^T D R that is called by another name; at every scale."""
    edges, R = scale * np.array([0.1, 0.17, 0.3]), rotation(rpy)
    mass = 1000.0 * float(np.prod(edges))
    moments = box_moments(mass, edges)
    link = Link(mass, (0, 0, 0), R.T @ moments @ R, box(edges, rpy=rpy))
    first = causes(link)[0]
    assert first.cause == "wrong-frame"
    meant = (R @ moments @ R.T)[np.triu_indices(3)]
    entries = dict(zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), meant, strict=True))
    for name, value in first.edit["entries"].items():
        assert value == pytest.approx(entries[name], abs=1e-6 * np.max(moments))


def test_one_product_negated_is_a_tie():
    """Catches a tie that is broken: with one product its sign is that of a mirrored axis."""
    edges, R = np.array([0.1, 0.2, 0.4]), rotation((0, 0, 0.5))
    tensor = R @ box_moments(2.0, edges) @ R.T
    flipped = tensor * (2 * np.eye(3) - 1)
    first, second = causes(Link(2.0, (0, 0, 0), flipped, box(edges, rpy=(0, 0, 0.5))))[:2]
    assert (first.cause, second.cause) == ("sign-of-products", "wrong-frame")
    assert first.confidence == second.confidence
    assert "the numbers cannot tell it from wrong-frame" in first.evidence
