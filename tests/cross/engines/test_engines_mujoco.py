"""What is foretold of MuJoCo, held against MuJoCo 4.0.0."""

import numpy as np
import pytest

import engine_agreement
from single_links import UNIT, Link, mjcf, mjcf_principal, urdf

DOORS = ("urdf", "mjcf", "mjcf_principal")


@pytest.fixture(scope="module")
def python():
    return engine_agreement.interpreter("mujoco", "mujoco", "pip install mujoco==4.0.0")


def test_single_links(python, request):
    step = 1 if request.config.getoption("--long") else 6
    compared, _ = engine_agreement.compare(python, "mujoco", DOORS, step=step)
    assert len(compared) >= 300
    assert engine_agreement.differences(compared) == []
    assert {case.prediction.action for case in compared} == {"accept", "warn", "alter", "reject"}


SETTINGS = (
    'balanceinertia="true"',
    'boundmass="0.01"',
    'boundinertia="0.01"',
    'boundmass="0.01" boundinertia="0.01" balanceinertia="true"',
)


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings_of_the_compiler(python, settings):
    links = [
        Link(mass, (a, 0.0, 0.0, b, 0.0, c), joint)
        for mass in (-1.0, 0.0, 0.001, 1.0)
        for a, b, c in ((0.1, 0.1, 0.4), (0.0, 0.1, 0.1), (-0.1, 0.1, 0.1), (1e-4, 1e-4, 0.4))
        for joint in ("revolute", "fixed")
    ]
    texts = [
        text for link in links for text in (mjcf(link, settings), mjcf_principal(link, settings))
    ]
    results, _ = engine_agreement.live(python, "mujoco", [("mjcf", text) for text in texts])
    every = engine_agreement.foretold(texts)
    for text, (predictions, judgement), result in zip(texts, every, results, strict=True):
        assert not engine_agreement.difference(predictions["mujoco"], judgement, result), text


def test_rotated_plates_are_decided_by_the_last_bits_of_its_eigenvalues(python):
    """A known difference: A + B = C in exact numbers, and the tensor is full.

    No rule says what the rounding of mju_eig3 makes of it; most pass, and so it is foretold.
    """
    rng = np.random.default_rng(5)
    links = []
    for _ in range(200):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = axes @ np.diag([0.1, 0.2, 0.3]) @ axes.T
        links.append(Link(1.0, tuple(((tensor + tensor.T) / 2)[np.triu_indices(3)].tolist())))
    texts = [urdf(link) for link in links]
    results, _ = engine_agreement.live(python, "mujoco", [("urdf", text) for text in texts])
    refused = sum(result["error"] is not None for result in results)
    assert 0 < refused < len(links) / 2
    every = engine_agreement.foretold(texts)
    assert {predictions["mujoco"].action for predictions, _ in every} == {"accept"}


@pytest.mark.parametrize("child_mass", [0.5, 0.0])
@pytest.mark.parametrize("joint", ["fixed", "revolute"])
def test_a_massless_link_needs_a_fixed_child_with_mass(python, child_mass, joint):
    ball = f'<inertial><mass value="{child_mass}"/>{UNIT}</inertial>'
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    text = (
        f'<robot name="r"><link name="base"/><link name="link"/><link name="hand">{ball}</link>'
        f'<joint name="j" type="revolute"><parent link="base"/><child link="link"/>{limit}</joint>'
        f'<joint name="k" type="{joint}"><parent link="link"/><child link="hand"/>{limit}</joint>'
        "</robot>"
    )
    ((result,), _) = engine_agreement.live(python, "mujoco", [("urdf", text)])
    ((predictions, _),) = engine_agreement.foretold([text])
    assert (predictions["mujoco"].action == "reject") == (result["error"] is not None)
    assert (result["error"] is None) == (joint == "fixed" and child_mass > 0)
