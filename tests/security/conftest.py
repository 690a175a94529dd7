"""Attacks whose many forms the quick form of the suite samples."""

import pytest


@pytest.fixture
def sampled(request):
    """Skip all but some forms of an attack, unless the long form is asked for."""

    def sample(form, quick):
        if form not in quick and not request.config.getoption("--long"):
            pytest.skip("one of several forms of this attack: run it with --long")

    return sample
