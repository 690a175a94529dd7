"""Each array library in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from array_libraries import HOW_TO, Library


@pytest.fixture(params=list(HOW_TO))
def library(request: pytest.FixtureRequest) -> Iterator[Library]:
    found = Library(request.param)
    if found.name != "jax":
        yield found
        return
    before = found.module.config.jax_enable_x64
    found.module.config.update("jax_enable_x64", True)
    yield found
    found.module.config.update("jax_enable_x64", before)
