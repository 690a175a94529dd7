"""Planted edits of bodies with a twin of equal digits: all found, on the right side."""

from __future__ import annotations

import numpy as np
import pytest
from planting.digits import CHANGES, Site, list_sites, plant

from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.fingerprints import list_contradictions
from inertial_check.documents.load import load
from inertial_check.documents.model import judge

LINK = """<link name="{0}"><inertial><origin xyz="0.0612 {1}0.0224 0.0128"/><mass value="1.563"/>
<inertia ixx="0.00247" ixy="{1}0.00081" ixz="-0.0012" iyy="0.00613" iyz="{1}0.00049" izz="0.0067"/>
</inertial></link>"""


@pytest.mark.parametrize("change", CHANGES)
def test_an_edit_of_one_of_three_is_found_and_blamed(change):
    links = LINK.format("a", "") + LINK.format("b", "-") + LINK.format("c", "")
    model = load(f'<robot name="r">{links}</robot>'.encode())
    site = next(list_sites(model))
    assert site == Site(0, 2, True)
    rng, planted = np.random.default_rng(3), 0
    for _ in range(50):
        changed = plant(model, site, change, rng)
        if changed is not None:
            planted += 1
            pairs = list_contradictions(Assembly(changed, judge(changed)))
            assert site.index in {each.blamed for each in pairs}
    assert planted > 10
