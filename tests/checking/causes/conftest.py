"""Confidences of these tests are those of the shares of causes, without the table of counts."""

from collections.abc import Iterator

import pytest

from inertial_check.checking.causes import base


@pytest.fixture(scope="package", autouse=True)
def confidences_by_shares() -> Iterator[None]:
    """Leave confidences as the evidence gives them, whatever was seen right so far."""
    counts, base.COUNTS = base.COUNTS, None
    yield
    base.COUNTS = counts
