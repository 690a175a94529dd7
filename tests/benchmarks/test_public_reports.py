"""benchmarks/public_reports.py tells right stories and remedies from wrong ones."""

import json

import public_reports
import pytest

SIX = {"ixx": 0.0026, "ixy": 0, "ixz": 0, "iyy": 0.0023, "iyz": 0, "izz": 1.676}


def numbers(**six):
    return {"mass": 1.5, "com": None, "rpy": [0, 0, 0], "inertia": {**SIX, **six}}


def case(after, cause="decimal-slip", **six):
    return {
        "name": "arm",
        "link": "link1 (urdf)",
        "before": numbers(**six),
        "after": after,
        "cause": cause,
        "visible": "alone",
    }


@pytest.fixture
def score(tmp_path):
    def one(entry):
        (tmp_path / "public_reports.json").write_text(json.dumps([entry]))
        (found,) = public_reports.score_all(str(tmp_path), None, every=False)
        return found

    return one


def test_a_lost_zero_is_right_by_its_numbers(score):
    found = score(case(numbers(izz=0.001676)))
    assert found.story.startswith("decimal-slip")
    assert (found.found, found.right, found.false, found.mended) == (True, True, False, True)
    assert (found.remedy, found.destroyed) == ("cause", False)


def test_other_numbers_than_those_after_are_wrong(score):
    found = score(case(numbers(izz=0.0044)))
    assert (found.right, found.false, found.mended) == (False, True, False)


def test_a_name_counts_where_nobody_tells_the_numbers(score):
    found = score(case(None))
    assert (found.right, found.mended) == (True, None)
    assert score(case(None, cause="units")).right is False


def test_the_figures_are_printed(tmp_path, monkeypatch, capsys):
    cases = [case(numbers(izz=0.001676)), case(numbers(izz=0.0044))]
    (tmp_path / "public_reports.json").write_text(json.dumps(cases))
    monkeypatch.setenv("INERTIAL_CHECK_CASES", str(tmp_path))
    monkeypatch.delenv("INERTIAL_CHECK_REPORTS", raising=False)
    assert public_reports.main([]) == 0
    shown = capsys.readouterr().out
    assert "first story right: 1 of 2 told, of 2 links" in shown
    assert "remedy within 5%: 1 of 2 " in shown
    assert "false statements: 1 " in shown
