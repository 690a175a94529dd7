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


@pytest.fixture(scope="module")
def real(cases):
    return {case["id"]: case for case in json.loads((cases / "real_inertials.json").read_text())}


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict_code_and_numbers(real, name):
    case = real[name]
    mass, com = case["mass"] or 1.0, case["com"] or [0, 0, 0]
    entries = " ".join(f'{entry}="{case[entry]!r}"' for entry in oracles.ENTRIES)
    text = (
        f'<robot name="r"><link name="base"/><link name="body"><inertial>'
        f'<origin xyz="{" ".join(map(repr, com))}"/><mass value="{mass!r}"/><inertia {entries}/>'
        f'</inertial></link><joint name="j" type="revolute"><parent link="base"/>'
        f'<child link="body"/></joint></robot>'
    )
    report = ic.check_model(text.encode())
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


def test_all_cases_are_expected(real):
    assert set(real) == set(EXPECTED)
