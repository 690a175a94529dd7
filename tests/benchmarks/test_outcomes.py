"""A mutant counts as found only for what its original does not have, on the bodies that count."""

from types import SimpleNamespace

import pytest
from planting.halves import half_of
from planting.outcomes import New, new_findings, reliability, spoken_of_all
from planting.runs import Run, Said


def said(body, code="IC504", causes=(), bodies=(), confidence=0.5):
    return Said(body, tuple(bodies), code, 2, tuple(causes), confidence, "")


def of_three():
    return said(None, bodies="abc", causes=["units"])


def new(*findings):
    return [New(each, each.subjects) for each in findings]


def mutant(*watched):
    bodies = [SimpleNamespace(id=name) for name in "abcde"]
    site = SimpleNamespace(model=SimpleNamespace(bodies=bodies))
    return SimpleNamespace(site=site, change=SimpleNamespace(watched=watched or None))


def run(*findings):
    return Run(tuple(findings), frozenset(), 0.0)


def test_what_the_original_has_too_is_not_found():
    before, after = run(said("a")), run(said("a"), said("a", "IC505"), said("b", "IC505"))
    found = new_findings(mutant(0), before, after)
    assert [(each.said.code, each.subjects) for each in found] == [("IC505", {"a"})]


def test_a_finding_of_the_model_speaks_of_the_bodies_that_it_names():
    of_model = said(None, "IC506", bodies="abc")
    (found,) = new_findings(mutant(1, 3), run(), run(of_model))
    assert found.subjects == {"b"}
    assert new_findings(mutant(4), run(), run(of_model)) == []


def test_without_watched_bodies_a_finding_of_the_document_counts():
    assert len(new_findings(mutant(), run(), run(said(None, "IC203")))) == 1


@pytest.mark.parametrize(
    ("findings", "as_one", "leading"),
    [
        ([said(None, bodies="abcd", causes=["units"])], True, {"units"}),
        ([of_three()], False, set()),
        (
            [said(None, bodies="abc", causes=["units"]), said("d", causes=["units"])],
            True,
            {"units"},
        ),
        ([said(None, bodies="abc", causes=["units"]), said("d", causes=["mirror"])], False, set()),
        ([said(body, causes=["units"]) for body in "abcd"], False, {"units"}),
        ([said(body) for body in "abcde"], False, set()),
        ([said(None, bodies="abcde")], True, {""}),
        ([said(None, "IC203")], False, set()),
    ],
)
def test_a_defect_of_the_model_asks_for_one_cause_on_four_links_of_five(findings, as_one, leading):
    assert spoken_of_all(new(*findings), frozenset("abcde")) == (as_one, leading)


def test_causes_are_counted_by_their_confidence():
    outcomes = [SimpleNamespace(believed=[(0.85, True, "a"), (0.81, False, "b")])]
    outcomes.append(SimpleNamespace(believed=[(1.0, True, "a"), (0.0, False, "b")]))
    bins = reliability(outcomes)
    assert [(each.count, each.right) for each in bins] == [(1, 0), *[(0, 0)] * 7, (2, 1), (1, 1)]
    assert bins[8].mean == pytest.approx(0.83)


def test_an_upstream_stays_in_its_half():
    assert half_of("Gepetto+example-robot-data") == "tuned"
    assert half_of("upkie+upkie_description") == "untouched"
