"""write_parameters on real models: whatever their authors wrote, the given numbers or a reason."""

import zlib
from collections import Counter

import numpy as np
import pytest

from assigning import body, deviation, stated, without_numbers
from inertial_check.documents.load import load
from inertial_check.errors import DocumentError
from inertial_check.fixing.writing import write_parameters

pytestmark = pytest.mark.corpus

FORMS = {
    "urdf": ((".urdf",), 40),
    "mjcf": ((".xml",), 12),
    "sdf": ((".sdf", ".world"), 30),
    "usd": ((".usd", ".usda", ".usdc"), 20),
}
"""Suffixes, and of how many files one is looked at in the quick form."""

REASONED = {"unwritten", "malformed", "expression", "shared", "overridden"}


@pytest.mark.parametrize("form", FORMS)
def test_bodies_take_what_is_given_or_say_why_not(form, corpus, request, capsys):
    if form == "usd":
        pytest.importorskip("pxr", reason='needs usd-core: pip install "inertial-check[usd]"')
    suffixes, step = FORMS[form]
    files = sorted(path for path in corpus.rglob("*") if path.suffix in suffixes)
    counts = Counter()
    for path in files if request.config.getoption("--long") else files[::step]:
        try:
            model = load(path)
        except DocumentError:
            continue
        rng = np.random.default_rng(zlib.crc32(str(path.relative_to(corpus)).encode()))
        scales = {"mass": 10 ** rng.uniform(-3, 2), "size": 10 ** rng.uniform(-2.5, 0)}
        wanted = {each.id: body(rng, **scales) for each in model.bodies}
        fix = write_parameters(model, wanted, all_or_none=False)
        counts.update(each.status for each in fix.bodies)
        for each in fix.bodies:
            assert each.status == "fixed" or (each.status in REASONED and each.reason), each
        if fix.layer is not None:
            continue
        after = load(fix.data, path=str(path), format=model.format)
        if not any("inserted" in each.reason for each in fix.bodies):
            assert without_numbers(after) == without_numbers(model), path
        for each, result in zip(after.bodies, fix.bodies, strict=True):
            if result.status == "fixed" and not fix.others:
                assert deviation(stated(each), wanted[each.id]) <= 1e-14, (path, each.id)
    with capsys.disabled():
        print(f"\n{form}: {dict(counts)}")
    assert counts["fixed"]
