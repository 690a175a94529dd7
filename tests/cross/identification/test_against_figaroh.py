"""figaroh's project_p10_lmi: on five links its answer is one that MuJoCo refuses, and takes ours.

It solves the same problem, ||diag(w) (p - p0)|| over Pi >= 0, unscaled, by interior points, and
accepts the answer at an absolute 1e-8.
"""

import warnings

import numpy as np
import pytest

import inertial_check as ic
import refused_links

FIGAROH = "needs figaroh: pip install figaroh==1.0.2"
ORDER = "pinocchio"  # of its ten numbers, about the origin


@pytest.fixture(scope="module")
def figaroh():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its bindings register a type twice
        return pytest.importorskip("figaroh.identification.physical_consistency", reason=FIGAROH)


@pytest.fixture(scope="module")
def links(cases):
    return refused_links.five(cases)


NAMES = [*refused_links.SYNTHETIC, *refused_links.ISSUES.values()]


def given(link):
    return ic.InertialParameters.from_com(*link).as_theta(order=ORDER, about="origin")


def refusal(theta):
    body = ic.InertialParameters.from_theta(theta, order=ORDER, about="origin")
    return refused_links.refusal(body.mass, body.com, body.as_theta(about="com")[4:])


def projected(figaroh, theta0):
    """Its answer and report, with the weights that it chooses, as W."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, report = figaroh.project_p10_lmi(theta0)
    return theirs, report, figaroh._auto_weights(theta0) ** 2


@pytest.mark.parametrize("name", NAMES)
def test_mujoco_refuses_its_answer_and_takes_ours(figaroh, links, name):
    """Both at the same weights; the margin of a full repr is all that ours has besides."""
    theta0 = given(links[name])
    theirs, report, weights = projected(figaroh, theta0)
    assert report.status == ("error" if name == "Mia finger" else "projected"), report
    assert "A + B >= C" in refusal(theirs)
    ours = ic.project(theta0, "weighted", order=ORDER, weights=weights, margin=4e-15)
    assert refusal(ours.theta) is None


@pytest.mark.parametrize("name", ["one moment too large", "with products", "Talos gripper"])
def test_where_it_solves_it_finds_the_same_distance(figaroh, links, name):
    """So what is compared is the same problem."""
    theta0 = given(links[name])
    theirs, _, weights = projected(figaroh, theta0)
    change = theirs - theta0
    ours = ic.project(theta0, "weighted", order=ORDER, weights=weights)
    assert ours.distance == pytest.approx(np.sqrt(change @ (weights * change)), rel=1e-2)


def test_the_one_gram_link_comes_back_all_but_unchanged(figaroh, links):
    """Its tolerances are absolute, and call it feasible before and after."""
    theta0 = given(links["one gram"])
    theirs, _, weights = projected(figaroh, theta0)
    assert figaroh.check_p10_feasibility(theta0).status == "feasible"
    assert set(ic.check([theta0, theirs], order=ORDER).verdict) == {"inconsistent"}
    change = theirs - theta0
    ours = ic.project(theta0, "weighted", order=ORDER, weights=weights)
    assert np.sqrt(change @ (weights * change)) < 0.1 * ours.distance
