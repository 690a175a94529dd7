"""A suspicion without a cause says why."""

import numpy as np

import inertial_check as ic
from inertial_check.checking.settings import Settings
from suspects import Link, box, box_moments, robot, said


def test_every_suspicion_has_a_cause_or_the_sentence_why_not():
    """Catches a finding of IC2, IC5 or IC6 that leaves its reader alone."""
    heavy = Link(3000.0, (0, 0, 0), 3000 * np.diag([1.1e-3, 1.2e-3, 1.3e-3]))
    for finding in said(heavy) + said(heavy._replace(shape=box((0.1, 0.1, 0.1)))):
        assert bool(finding.causes) != bool(finding.no_cause)


def test_proofs_say_nothing_of_the_kind():
    """Catches the sentence on findings that are no opinions."""
    broken = Link(1.0, (0, 0, 0), np.diag([0.1, 0.2, 0.9]))
    report = ic.check_model(robot(broken).encode())
    assert all(not finding.no_cause for finding in report.findings)


def test_the_total_mass_names_the_bodies_that_would_explain_it():
    """Catches a missed total mass without a cause: one link has a mass of its own idea."""
    sound = Link(2.0, (0, 0, 0), box_moments(2.0, (0.1, 0.1, 0.2)), box((0.1, 0.1, 0.2)))
    odd = sound._replace(name="odd", mass=9.0, inertia=4.5 * sound.inertia)
    report = ic.check_model(robot(sound, odd).encode(), Settings(expected_mass=(4.0, 0.01)))
    (finding,) = [each for each in report.findings if each.code == "IC604"]
    assert finding.causes[0].cause == "total-mass"
    assert finding.causes[0].edit["body"] == "odd"
    assert finding.causes[0].edit["entries"]["mass"] == 2.0
    assert sum(each.confidence for each in finding.causes) <= 1
