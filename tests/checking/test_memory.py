"""What stays in memory of documents that were checked."""

import gc
import os
import weakref

import pytest

from inertial_check.checking import check
from inertial_check.checking.check import Document, check_documents
from inertial_check.checking.settings import Settings

DATA = os.path.join(os.path.dirname(__file__), "..", "..", "data")


@pytest.mark.parametrize("path", ["arm.urdf", "mjcf/arm.xml", "sdf/workcell.world"])
def test_a_checked_model_is_freed_without_a_search_for_cycles(path, monkeypatch):
    """In a cycle of references, a hundred megabytes of models wait for the garbage collector."""
    models = []
    original = check.load

    def load_and_watch(*given, **named):
        model = original(*given, **named)
        models.append(weakref.ref(model))
        return model

    monkeypatch.setattr(check, "load", load_and_watch)
    path = os.path.join(DATA, path)
    gc.collect()
    gc.disable()
    try:
        results = check_documents([Document(path, True, Settings())] * 2)
        assert [model() for model in models] == [None, None]
    finally:
        gc.enable()
    assert all(result.file.bodies for result in results)
