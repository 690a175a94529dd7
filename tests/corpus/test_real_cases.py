"""Twelve broken or odd inertials from public issue threads: verdict and kind."""

import json

import numpy as np
import pytest

import inertial_check as ic
import oracles

EXPECTED = {
    "talos_gripper": ("inconsistent", "IC301"),
    "mia_index_fle": ("inconsistent", "IC301"),
    "mini_cheetah_thigh": ("inconsistent", "IC301"),
    "realman_link1": ("inconsistent", "IC301"),
    "sapien_fetch_finger": ("inconsistent", "IC301"),
    "allegro_link2": ("inconsistent", "IC302"),
    "abb_base": ("inconsistent", "IC302"),
    "abb_link1": ("inconsistent", "IC302"),
    "digit_elbow_correct": ("consistent", None),
    "jaka_link2_vendor_says_ok": ("consistent", None),
    "isaac_urdf_importer_example": ("boundary", "IC306"),
    "kuka_kr360_link1": ("inconsistent", "IC301"),
}


CAUSES = {
    "realman_link1": ("decimal-slip", {"izz": 0.001676359}),
    "mia_index_fle": ("decimal-slip", {"iyy": 2e-06}),
    "mini_cheetah_thigh": ("decimal-slip", {"ixy": 2.45e-05}),
    "sapien_fetch_finger": ("unpopulated", None),
    "abb_link1": (
        "double-parallel-axis",
        {"ixx": 25.02, "ixz": -8.1, "iyy": 27.936, "izz": 4.716},
    ),
    "kuka_kr360_link1": ("unpopulated", None),
    "talos_gripper": ("sign-of-products", {"ixy": -5.2e-05, "ixz": -2.5e-05, "iyz": -3.4e-05}),
}
"""What is known, or thought, of why they are as they are, and the edit that undoes it."""


@pytest.fixture(scope="module")
def real(cases):
    return {case["id"]: case for case in json.loads((cases / "real_inertials.json").read_text())}


def document(*cases):
    """The cases as links of one robot, each on a joint of its own."""
    links = ""
    for number, case in enumerate(cases):
        mass, com = case["mass"] or 1.0, case["com"] or [0, 0, 0]
        entries = " ".join(f'{entry}="{case[entry]!r}"' for entry in oracles.ENTRIES)
        links += (
            f'<link name="body{number}"><inertial><origin xyz="{" ".join(map(repr, com))}"/>'
            f'<mass value="{mass!r}"/><inertia {entries}/></inertial></link>'
            f'<joint name="j{number}" type="revolute"><parent link="base"/>'
            f'<child link="body{number}"/></joint>'
        )
    return f'<robot name="r"><link name="base"/>{links}</robot>'


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict_code_and_numbers(real, name):
    case = real[name]
    report = ic.check_model(document(case).encode())
    judgement = report.bodies[1].judgement
    verdict, code = EXPECTED[name]
    assert judgement.verdict == verdict
    assert (verdict in ("consistent", "boundary")) == case["valid"]
    assert [finding.code for finding in report.findings] == ([code] if code else [])
    moments, scale = np.array(case["principal"]), max(map(abs, case["principal"]))
    assert np.allclose(judgement.principal_moments, moments, rtol=0, atol=1e-14 * scale)
    if code in ("IC301", "IC302"):
        assert (min(case["principal"]) < 0) == (code == "IC302")
        assert report.findings[0].values["margin"] < 0


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_that_is_known_comes_first(real, name):
    cause, entries = CAUSES[name]
    first = ic.check_model(document(real[name]).encode()).findings[0].causes[0]
    assert first.cause == cause
    if entries is None:
        assert first.edit is None
    else:
        assert first.edit["entries"] == pytest.approx(entries)


def test_a_block_copied_to_another_link(real):
    """The parallel axis term explains the tensor on link 1; on the base it can only be a copy."""
    report = ic.check_model(document(real["abb_base"], real["abb_link1"]).encode())
    base, link = (finding.causes for finding in report.findings if finding.code == "IC302")
    assert [base[0].cause, link[0].cause] == ["copied-block", "double-parallel-axis"]


def test_equal_parts_are_no_copies(real):
    """Two fingers with the same ten numbers have them by right, however wrong these are."""
    report = ic.check_model(document(real["talos_gripper"], real["talos_gripper"]).encode())
    for finding in report.findings:
        assert "copied-block" not in [each.cause for each in finding.causes]


def test_no_cause_is_made_up_for_products_that_are_too_large(real):
    (finding,) = ic.check_model(document(real["allegro_link2"]).encode()).findings
    assert not finding.causes


def test_all_cases_are_expected(real):
    assert set(real) == set(EXPECTED)
