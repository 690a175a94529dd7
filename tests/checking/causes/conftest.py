"""Confidences of these tests are those of the shares of causes, without the table of counts."""

from collections.abc import Iterator

import pytest

from inertial_check.checking.causes import base


# Of a package it would outlast these tests, as the folder has no __init__.py, and change others.
@pytest.fixture(scope="module", autouse=True)
def confidences_by_shares() -> Iterator[None]:
    """Leave confidences as the evidence gives them, whatever was seen right so far."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "COUNTS", None)
        yield
