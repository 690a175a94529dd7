"""How bodies belong together: names, repetitions, skeleton."""

import numpy as np
import pytest

from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.documents.load import load
from inertial_check.documents.model import judge


def assembly(text):
    model = load(text.encode())
    return Assembly(model, judge(model))


def of_names(*names):
    links = "".join(f'<link name="{name}"/>' for name in names)
    return assembly(f'<robot name="r">{links}</robot>')


INERTIAL = (
    '<inertial><origin xyz="0 0 {z}"/><mass value="{m}"/><inertia ixx="{i}" ixy="0" ixz="0" '
    'iyy="{i}" iyz="0" izz="{i}"/></inertial>'
)


def test_groups_and_total_mass():
    blocks = [(0, 1, 0.01), (0, 1, 0.01), (0.1, 1, 0.01), (0, 2, 0.01), (0, 3, 0.03)]
    links = "".join(
        f'<link name="{k}">{INERTIAL.format(z=z, m=m, i=i)}</link>'
        for k, (z, m, i) in enumerate(blocks)
    )
    found = assembly(f'<robot name="r">{links}<link name="frame"/></robot>')
    assert found.same_numbers == ((0, 1),)
    assert found.same_tensor == ((0, 1, 2, 3),)
    assert found.total_mass == 8
    assert found.stated.tolist() == [True] * 5 + [False]


def test_joints_and_skeleton():
    found = assembly(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="ab" type="revolute"><origin xyz="0 3 4"/><parent link="a"/><child link="b"/>'
        '</joint><joint name="ac" type="fixed"><origin xyz="1 0 0"/><parent link="a"/>'
        '<child link="c"/></joint></robot>'
    )
    assert found.children == ((1, 2), (), ())
    assert found.skeleton == pytest.approx([5, 0, 0])
    assert found.scale == pytest.approx(5)
    assert [len(joints) for joints in found.joints] == [2, 1, 1]
    assert np.isnan(of_names("a", "b").scale)


def test_rows_of_twins_are_those_of_their_comparison():
    stated = INERTIAL.format(z=0, m=1, i=0.01)
    links = "".join(
        f'<link name="{side}_{part}">{stated if part != "hand" else ""}</link>'
        for part in ("foot", "hand", "arm")
        for side in ("left", "right")
    )
    found = assembly(f'<robot name="r">{links}</robot>')
    rows = {index: found.twin_row(index) for index in range(6)}
    assert rows == {0: 0, 1: 0, 2: None, 3: None, 4: 1, 5: 1}
    assert found.twin_pairs.bodies.tolist() == [[0, 1], [4, 5]]
