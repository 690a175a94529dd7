"""IC605: bodies whose equal digits refute each other, whatever they are called."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.evidence.assembly import Assembly
from inertial_check.checking.evidence.fingerprints import NAMES, list_contradictions
from inertial_check.documents.load import load
from inertial_check.documents.model import judge

TEN = ["1.563", "0.0612", "-0.0224", "0.0128", "0.00247", "0.000812", "-0.00123", "0.00613",
       "-0.000494", "0.00671"]  # fmt: skip
"""Mass, centre and tensor of a body whose ten numbers all have digits and signs."""


def link(name, ten, rest=""):
    mass, x, y, z, *six = ten
    entries = " ".join(f'{key}="{value}"' for key, value in zip(NAMES[4:], six, strict=True))
    return (
        f'<link name="{name}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/>'
        f"<inertia {entries}/></inertial>{rest}</link>"
    )


def found(*blocks):
    """Bodies with IC605, by name."""
    links = "".join(link(f"part_{place}", *block) for place, block in enumerate(blocks))
    report = ic.check_model(f'<robot name="r">{links}</robot>'.encode())
    return {each.body: each for each in report.findings if each.code == "IC605"}


def mirrored(ten, signs):
    """The texts of a part under a reflection or half turn."""
    factors = [1, *signs, *(signs[i] * signs[j] for i in range(3) for j in range(i, 3))]
    return [text if f > 0 else negated(text) for text, f in zip(ten, factors, strict=True)]


def swapped(ten, one, other):
    """The texts with two of them exchanged."""
    ten = list(ten)
    ten[one], ten[other] = ten[other], ten[one]
    return ten


def with_text(ten, name, text):
    return [text if name == each else old for each, old in zip(NAMES, ten, strict=True)]


@pytest.mark.parametrize("signs", list(product((1, -1), repeat=3)))
def test_every_reflection_and_half_turn_of_one_part_is_quiet(signs):
    assert found((TEN,), (mirrored(TEN, signs),)) == {}


def negated(text):
    return text[1:] if text[0] == "-" else f"-{text}"


def test_a_quarter_turn_of_one_part_is_quiet():
    mass, x, y, z, xx, xy, xz, yy, yz, zz = TEN
    turned = [mass, negated(y), x, z, yy, negated(xy), negated(yz), xx, xz, zz]
    assert found((TEN,), (turned,)) == {}


@pytest.mark.parametrize("name", ["x", "y", "z", "ixy", "ixz", "iyz"])
def test_one_sign_that_no_reflection_gives(name):
    both = found((TEN,), (with_text(TEN, name, negated(TEN[NAMES.index(name)])),))
    assert both.keys() == {"part_0", "part_1"}
    assert both["part_0"].values["difference"] == "signs"
    assert "the digits do not tell which of the two is wrong" in both["part_0"].message


@pytest.mark.parametrize(
    ("ten", "difference", "meant"),
    [
        (with_text(TEN, "izz", "0.0671"), "power", {"izz": 0.00671}),
        (with_text(TEN, "mass", "1563"), "power", {"mass": 1.563}),
        (with_text(TEN, "ixy", "0.00000812"), "power", {"ixy": 0.000812}),
        (with_text(TEN, "iyy", "0.00673"), "entry", {"iyy": 0.00613}),
        (swapped(TEN, 1, 3), "places", {"x": 0.0612, "z": 0.0128}),
        (swapped(TEN, 7, 9), "places", {"iyy": 0.00613, "izz": 0.00671}),
    ],
)
def test_three_agree_against_one(ten, difference, meant):
    three = [(mirrored(TEN, signs),) for signs in ((1, 1, 1), (1, -1, 1), (-1, 1, 1))]
    (finding,) = found(*three, (ten,)).values()
    assert finding.body == "part_3"
    assert finding.values["difference"] == difference
    assert finding.values["meant"] == pytest.approx(meant)
    assert "2 other bodies agree with that one" in finding.message


def test_the_side_that_no_body_has_is_named():
    (finding,) = found((TEN,), (with_text(TEN, "izz", "0.00067"),)).values()
    assert finding.body == "part_1"
    assert "no body has the numbers of this one" in finding.message


def test_another_tensor_beside_the_mass_and_the_centre():
    other = ["0.003", "0.0001", "-0.002", "0.005", "0.0004", "0.006"]
    both = found((TEN,), (TEN[:4] + other,))
    assert {each.values["difference"] for each in both.values()} == {"tensor"}
    near = ["0.002471", "0.000813", "-0.001233", "0.006132", "-0.0004943", "0.006713"]
    assert found((TEN,), (TEN[:4] + near,)) == {}


def test_what_the_digits_do_not_say():
    """A placeholder, the noise of a CAD program, and a link whose origin is elsewhere."""
    few = ["1", "0.1", "-0.1", "0.1", "0.01", "0.001", "-0.001", "0.01", "0.001", "0.01"]
    assert found((few,), (with_text(few, "x", "-0.1"),)) == {}
    noise = with_text(TEN, "iyz", "4.87e-19")
    assert found((noise,), (with_text(noise, "iyz", "-3.2e-19"),)) == {}
    assert found((TEN,), (with_text(TEN, "x", "0.0812"),)) == {}
    at = '<visual><origin xyz="0.02 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'
    assert len(found((TEN, at), (with_text(TEN, "x", "0.0812"), at))) == 2


@pytest.mark.parametrize(
    ("part", "cause"), [(1, "about-link-origin"), (-1, "double-parallel-axis"), (0, None)]
)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_products_that_are_the_parallel_axis_term(part, cause, scale):
    """The bug: such a tensor, of a body without shapes, was told by nothing."""
    mass, center, moments = 0.3217 * scale**3, scale * np.array([0.012, -0.0093, 0.021]), [7, 8, 9]
    tensor = np.diag(moments) * 1e-4 * scale**5
    tensor += part * mass * (center @ center * np.eye(3) - np.outer(center, center))
    ten = [f"{x:.8g}" for x in (mass, *center, *tensor[np.triu_indices(3)])]
    (each,) = found((ten,)).values() if part else [None]
    if cause is None:
        assert found((ten,)) == {}
    else:
        assert each.causes[0].cause == cause
        meant = each.causes[0].edit["entries"]
        assert [meant[name] for name in ("ixx", "iyy", "izz")] == pytest.approx(
            [1e-4 * scale**5 * moment for moment in moments], rel=1e-5
        )


@pytest.mark.parametrize("digits", ["8g", "9e"])
@pytest.mark.parametrize(("left", "told"), [(0.0, True), (4e-4, False)])
def test_products_that_chance_brings_near_the_term(digits, left, told):
    """Of a small body far from its link's origin the term is nearly all of the tensor."""
    mass, center = 2.0, np.array([0.31, -0.22, 0.27])
    tensor = mass * (center @ center * np.eye(3) - np.outer(center, center)) + 1e-3 * np.eye(3)
    tensor[0, 1] += left
    ten = [f"{x:.{digits}}" for x in (mass, *center, *tensor[np.triu_indices(3)])]
    # A mass of one digit and centres of two say little of the third digit of what is left.
    assert bool(found((ten,))) == (told and digits == "9e")


def test_the_pairs_that_real_models_refute(cases):
    cases = json.loads((cases / "exact_twins.json").read_text("utf-8"))
    roots = {
        "dev": os.environ.get("INERTIAL_CHECK_CORPUS", ""),
        "meshes": os.environ.get("INERTIAL_CHECK_MESHES", ""),
    }
    missed = []
    for case in (*cases["signs"], *cases["other_tensors"]):
        corpus, path = case["path"].split("/", 1)
        if not roots[corpus]:
            continue
        model = load(str(Path(roots[corpus]) / path))
        names = [body.name for body in model.bodies]
        pairs = list_contradictions(Assembly(replace(model, macros=()), judge(model)))
        if set(case["bodies"]) not in [{names[i] for i in each.bodies} for each in pairs]:
            missed.append(case["bodies"])
    assert missed == []


def test_a_mended_body_is_not_outvoted_by_those_that_no_body_can_have():
    """The bug: of four hips with negative moments no fix of one was written, as three disagree."""
    broken = with_text(with_text(TEN, "ixx", "-0.00247"), "iyy", "-0.00613")
    assert found((TEN,), (broken,), (broken,), (broken,)) == {}
    assert found((TEN,), (broken,)) == {}  # its error tells the moments below 0


@pytest.mark.parametrize("count", [2, 3, 4])
def test_one_of_several_bodies_with_one_mistake_is_fixed_alone(count):
    """The bug: `fix --body` was refused, as another body would have disagreed with the mended."""
    broken = with_text(with_text(TEN, "ixx", "-0.00247"), "iyy", "-0.00613")
    links = "".join(link(f"part_{place}", broken) for place in range(count))
    fix = ic.fix_model(f'<robot name="r">{links}</robot>'.encode(), unsafe=True, bodies=["part_0"])
    assert [(each.name, each.status) for each in fix.bodies] == [("part_0", "fixed")]
    left = [each.body for each in ic.check_model(fix.data).findings if each.body]
    assert left == [f"part_{place}" for place in range(1, count)]


@pytest.mark.parametrize(
    ("products", "lost"),
    [
        ((0.0, -0.001214, 0.0008171), "ixy"),
        ((0.0007132, 0.0, 0.0008171), "ixz"),
        ((0.0007132, -0.001214, 0.0), "iyz"),
        ((0.0007132, -0.001214, 0.0008171), ""),
        ((0.0, 0.0, 0.0008171), ""),  # a plane of symmetry
        ((0.0, -0.0012, 0.0008171), ""),  # digits that rounding leaves
        ((0.0, -0.001214, 0.000001171), ""),  # hardly a product
    ],
)
def test_a_product_that_is_alone_in_being_0_was_lost(products, lost):
    ixy, ixz, iyz = products
    document = (
        '<robot name="r"><link name="arm"><inertial><mass value="1.263"/>'
        f'<inertia ixx="0.008012" ixy="{ixy:g}" ixz="{ixz:g}" iyy="0.01103" iyz="{iyz:g}" '
        'izz="0.009154"/></inertial></link></robot>'
    )
    found = [each for each in ic.check_model(document.encode()).findings if each.code == "IC605"]
    assert [each.message.split()[1] for each in found] == ([lost] if lost else [])
    assert all(each.causes[0].cause == "unpopulated" for each in found)
