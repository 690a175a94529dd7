"""Verdicts on real robots against those decided in exact rationals on the printed decimals."""

from collections import Counter

import pytest

import inertial_check as ic
import verdicts

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("form", verdicts.FORMS, ids=lambda form: form.name)
def test_no_false_alarm_and_no_miss(corpus, form, amount):
    step = amount(6, 1)
    truth = dict(list(verdicts.rows_of(corpus, form.name).items())[::step])
    wrong, seen = [], Counter()
    for file, rows in truth.items():
        mistakes, verdicts_given = verdicts.disagreements(corpus / file, rows, form)
        wrong += mistakes
        seen += verdicts_given
    assert not wrong, "\n" + "\n".join(map(str, wrong))
    assert seen["inconsistent"] >= form.least // step**2
    assert sum(seen.values()) == sum(map(len, truth.values()))


def test_a_moved_body_without_mass_is_said_and_a_frame_is_not(corpus, truth, amount):
    for file, rows in list(truth.items())[:: amount(16, 1)]:
        report = ic.check_model(corpus / file)
        missing = {f.body_id for f in report.findings if f.code == "IC103"}
        for body, row in zip(report.bodies, rows, strict=True):
            empty = row["cat"] == "no_inertial" or (
                row["cat"] == "inertial" and row["mass"] == 0 and not any(row["I"])
            )
            assert (body.id in missing) == (empty and row["joint"] not in ("fixed", "ROOT")), file
