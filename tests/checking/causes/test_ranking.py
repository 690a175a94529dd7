"""How causes are weighed against each other, within a body and among the bodies of a model."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.causes.base import Cause, Proposal, edit
from inertial_check.checking.causes.catalogue import ALL_CAUSES
from inertial_check.checking.causes.ranking import LEAST, MOST, explain
from inertial_check.checking.evidence.examination import Examination
from inertial_check.documents.load import load
from inertial_check.documents.model import judge
from inertial_check.programs.cli.main import main
from spoilt import bodies, edited, margin, robot, subjects, suspected
from suspects import hypotheses

SLIP = (1.559, (0, 0, 0), (0.0026619, -3.1029e-05, 9.34e-06, 0.0023025, 0.000151466, 1.676359))
SOUND = (1.2, (0, 0, 0.1), (0.0041, 0, 0, 0.0039, 0, 0.0012))


@st.composite
def broken(draw):
    """A body with a few of its numbers spoilt; most are broken then."""
    mass, com, six = draw(bodies(offset=0.8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    for entry in rng.choice(6, 2, replace=False):
        six[entry] *= rng.choice([-1, 0, 0.01, 10, 1000, rng.uniform(-5, 5)])
    return mass, com, six


class TestShares:
    @given(broken())
    def test_are_probabilities_sorted_and_few(self, body):
        (found,) = suspected(body)
        shares = [each.confidence for each in found]
        assert len(found) <= MOST
        assert shares == sorted(shares, reverse=True)
        assert all(LEAST <= share <= 1 for share in shares)
        assert sum(shares) <= 1
        assert len({each.cause for each in found}) == len(found)

    @given(broken())
    def test_every_edit_gives_a_body_and_every_evidence_has_numbers(self, body):
        (found,) = suspected(body)
        for each in found:
            assert re.search(r"\d", each.evidence)
            assert "\n" not in each.evidence
            if each.edit is not None and margin(body[2]) < -1e-9:
                mended = edited(body[2], each)
                assert margin(mended) > -1e-14
                told = re.search(r"\(margin ([\d.e-]+)\)", each.evidence)
                assert float(told[1]) == pytest.approx(max(margin(mended), 0), rel=0.06, abs=1e-12)

    @given(broken())
    def test_the_same_every_time(self, body):
        assert suspected(body, SLIP) == suspected(body, SLIP)

    @given(broken(), st.sampled_from([0.3, 1e3, 1e6]))
    def test_no_unit_matters_but_the_density(self, body, factor):
        """A model k times as large, of the same density, has the same causes."""
        mass, com, six = body
        larger = (mass * factor**3, np.array(com) * factor, np.array(six) * factor**5)
        (one,), (other,) = suspected(body), suspected(larger)
        digits = {"few-digits", "fixed-decimals"}  # these look at the print
        if not digits & {each.cause for each in (*one, *other)}:
            assert [each.cause for each in one] == [each.cause for each in other]


class TestAmongBodies:
    def test_a_cause_gains_where_others_of_the_model_have_it(self):
        weak = (1.0, (0, 0, 0), (0.012, 0, 0, 0.0135, 0, 0.05))
        alone = suspected(weak)[0][0]
        among = suspected(weak, SLIP, SLIP, SLIP, SLIP)[0][0]
        assert alone.cause == among.cause == "decimal-slip"
        assert among.confidence > alone.confidence

    def test_a_body_does_not_vote_for_itself(self):
        assert suspected(SLIP)[0] == hypotheses(subjects(robot(SLIP)))[0]
        twice = suspected(SLIP, SLIP)
        assert twice[0][0].confidence == pytest.approx(twice[1][0].confidence)


class TestExplained:
    def examination(self, *found):
        model = load(robot(*found).encode())
        read = []

        def read_geometry():
            read.append(1)
            raise AssertionError("nobody asked for shapes")

        return Examination(model, judge(model), read_geometry=read_geometry), read

    def test_nothing_is_done_without_a_finding_to_explain(self):
        examination, read = self.examination(SLIP)
        findings = ic.check_model(robot(SLIP).encode()).findings
        assert explain(examination, findings, set()) == list(findings)
        assert explain(examination, [], {"IC301"}) == []
        assert not read

    def test_only_findings_of_those_codes(self):
        findings = ic.check_model(robot(SLIP).encode()).findings
        assert {f.code for f in findings if f.causes} == {"IC301"}
        again = explain(self.examination_without_shapes(SLIP), findings, {"IC999"})
        assert again == list(findings)

    def examination_without_shapes(self, *found):
        model = load(robot(*found).encode())
        return Examination(model, judge(model))

    def test_bodies_of_one_name_are_told_apart(self):
        text = robot(SOUND, SLIP).replace('"b0"', '"b1"')
        causes = [f.causes for f in ic.check_model(text.encode()).findings if f.code == "IC301"]
        assert [c[0].cause for c in causes] == ["decimal-slip"]

    def test_in_the_json_report(self, capsys, tmp_path):
        path = tmp_path / "arm.urdf"
        path.write_text(robot(SLIP))
        assert main(["check", str(path), "--output-format", "json"]) == 1
        (finding,) = json.loads(capsys.readouterr().out)["files"][0]["findings"]
        assert finding["causes"][0]["cause"] == "decimal-slip"
        assert finding["causes"][0]["edit"] == {"body": "b0", "entries": {"izz": 0.001676359}}

    def test_a_model_without_such_findings_does_not_even_load_them(self, tmp_path):
        path = tmp_path / "arm.urdf"
        path.write_text(robot(SOUND))
        program = (
            "import sys; from inertial_check.programs.cli.main import main; "
            f"assert main([{str(path)!r}]) == 0; "
            "print('inertial_check.checking.causes' in sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "False"


class TestFramework:
    def test_a_cause_whose_edit_does_not_mend_counts_for_little(self, monkeypatch):
        class Idle(Cause):
            name, prior = "idle", 0.2

            def proposals(self, subject):
                yield Proposal(100.0, "changes nothing at 1", I_BBcm_Bi=subject.I_BBcm_Bi)

        monkeypatch.setattr(
            "inertial_check.checking.causes.ranking.ALL_CAUSES", (*ALL_CAUSES, Idle)
        )
        ((first, *rest),) = suspected(SLIP)
        assert first.cause == "decimal-slip"
        assert all(each.cause != "idle" for each in rest)

    def test_several_proposals_of_a_cause_are_one_hypothesis_with_the_best_edit(self, monkeypatch):
        class Twofold(Cause):
            name, prior = "twofold", 0.2

            def proposals(self, subject):
                for weight in (0.3, 0.4, 0.2):
                    yield Proposal(weight, f"weight {weight}", I_BBcm_Bi=np.eye(3) * weight)

        monkeypatch.setattr("inertial_check.checking.causes.ranking.ALL_CAUSES", (Twofold,))
        ((only,),) = suspected(SLIP)
        assert only.evidence == "weight 0.4"
        assert only.edit["entries"]["ixx"] == 0.4
        monkeypatch.setattr(
            Twofold, "proposals", lambda self, subject: iter([Proposal(0.4, "weight 0.4")])
        )
        ((single,),) = suspected(SLIP)
        assert only.confidence > single.confidence

    def test_edits_are_in_the_units_of_the_document(self):
        text = robot(SLIP)
        (subject,) = subjects(text)
        inertial = subject.body.inertial._replace(kilograms_per_unit=2.0, meters_per_unit=3.0)
        subject.body = subject.body._replace(inertial=inertial)
        made = edit(subject, Proposal(1.0, "", mass=4.0, p_BoBcm_B=np.array([6.0, 0, 0])))
        assert made["entries"] == {"mass": 2.0, "x": 2.0}
        made = edit(subject, Proposal(1.0, "", I_BBcm_Bi=np.diag([36.0, 0, 0])))
        assert made["entries"]["ixx"] == 2.0

    def test_nothing_to_write(self):
        (subject,) = subjects(robot(SLIP))
        assert edit(subject, Proposal(1.0, "", I_BBcm_Bi=subject.I_BBcm_Bi)) is None
        assert edit(subject, Proposal(1.0, "", mass=7.0, editable=False)) is None
