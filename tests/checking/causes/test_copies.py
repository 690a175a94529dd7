"""The first cause of numbers that another body has with the same digits."""

from __future__ import annotations

import pytest

import inertial_check as ic

BLOCK = """<link name="{name}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/>
<inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>
</inertial></link>"""
NUMBERS = {
    "mass": "1.563", "x": "0.0612", "y": "-0.0224", "z": "0.0128",
    "ixx": "0.00247", "ixy": "0.000812", "ixz": "-0.00123", "iyy": "0.00613", "iyz": "-0.000494",
    "izz": "0.00671",
}  # fmt: skip


def first_cause(**edited):
    """The first cause of the finding on the third of three equal bodies."""
    blocks = [BLOCK.format(name=name, **NUMBERS) for name in ("one", "two")]
    blocks.append(BLOCK.format(name="three", **NUMBERS | edited))
    report = ic.check_model(f'<robot name="r">{"".join(blocks)}</robot>'.encode())
    (finding,) = [each for each in report.findings if each.code == "IC605"]
    assert finding.body == "three"
    return finding.causes[0]


@pytest.mark.parametrize(
    ("edited", "meant"),
    [
        ({"iyy": "0.00673"}, {"iyy": 0.00613}),
        ({"mass": "1.363"}, {"mass": 1.563}),
    ],
)
def test_a_mistyped_number_is_that_of_the_other_body(edited, meant):
    cause = first_cause(**edited)
    assert cause.cause == "edited-copy"
    assert cause.edit["entries"] == pytest.approx(meant)


def test_a_known_misreading_that_leads_to_the_digits_of_the_other_body_comes_first():
    """Without the witness the weights of the two come from priors and sizes alone."""
    exchanged = first_cause(iyy="0.00671", izz="0.00613")
    assert exchanged.cause == "component-order"
    assert exchanged.edit["entries"] == pytest.approx({"iyy": 0.00613, "izz": 0.00671})
    slip = first_cause(izz="0.0671")
    assert (slip.cause, slip.edit["entries"]) == ("decimal-slip", {"izz": pytest.approx(0.00671)})


def test_a_tensor_on_parts_of_many_masses_is_a_copy_and_no_unit_or_mirror():
    """The bug: digits of a copied tensor were read as those of a twin, and as in other units."""
    masses = {"base": "8.3", "left_arm": "1.1", "right_arm": "1.1", "left_hand": "0.04"}
    blocks = [
        BLOCK.format(name=name, **NUMBERS | {"mass": mass, "y": y})
        for (name, mass), y in zip(masses.items(), ("0", "-0.0224", "0.0224", "0"), strict=True)
    ]
    findings = ic.check_model(f'<robot name="r">{"".join(blocks)}</robot>'.encode()).findings
    told = {each.body: each.causes[0].cause for each in findings if each.code == "IC603"}
    assert set(told.values()) == {"copied-block"}
    assert {"left_hand", "base"} & set(told)


def test_a_placeholder_on_many_bodies_is_no_copy_where_another_text_has_numbers(tmp_path):
    """The bug: 0.001 times the identity on three bodies was told as the tensor of one of them."""
    made_up = {"ixx": "0.001", "iyy": "0.001", "izz": "0.001", "ixy": "0", "ixz": "0", "iyz": "0"}
    masses = {"base": "8.317", "arm": "1.563", "hand": "0.0412"}
    for file, numbers in (("arm.urdf", NUMBERS | made_up), ("arm_v2.urdf", NUMBERS)):
        blocks = [BLOCK.format(name=k, **numbers | {"mass": m}) for k, m in masses.items()]
        (tmp_path / file).write_text(f'<robot name="r">{"".join(blocks)}</robot>')
    findings = ic.check_model(str(tmp_path / "arm.urdf")).findings
    first = {each.causes[0].cause for each in findings if each.body == "arm" and each.causes}
    assert first == {"placeholder"}
