"""Verdicts on real robots against those decided in exact rationals on the printed decimals."""

import re
from collections import Counter, defaultdict

import numpy as np
import pytest

import inertial_check as ic
import oracles

pytestmark = pytest.mark.corpus

ERRORS = {"IC301", "IC302"}
FLOOR = 8 * np.finfo(float).eps


def expected(row):  # noqa: PLR0911 - a table of cases
    """The verdicts that agree with the exact decision, and whether an inertia error is due."""
    if row["cat"] == "no_inertial":
        return {"missing"}, False
    if row["cat"] == "no_inertia_elem":
        return {"invalid"}, False
    if row["mass"] < 0 or (row["mass"] == 0 and any(row["I"])):
        return {"invalid"}, False
    if row["mass"] == 0:
        return {"massless"}, False
    if row["exact_psd"]:
        return ({"boundary"} if row["exact_singular"] else {"consistent", "boundary"}), False
    if row["round_ok"]:
        return {"rounding", "boundary"}, False
    if row["slack_rel"] >= -FLOOR:
        return {"boundary"}, False  # the arithmetic of any engine cannot tell it from a plate
    tiny = max(map(abs, row["I"])) < row["mass"] * 1e-12  # IC304: radius below a micrometre
    return {"inconsistent"}, not tiny


def lacks_a_number(path):
    """Links whose inertia lacks one of its six attributes: urdfdom and MuJoCo refuse them."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(errors="replace"), flags=re.DOTALL)
    return {
        link[1]
        for link in re.finditer(r"<link\s[^>]*?name=[\"']([^\"']*)[\"'].*?</link>", text, re.DOTALL)
        if (inertia := re.search(r"<inertia\s[^>]*>", link[0]))
        and not all(re.search(rf"\b{entry}\s*=", inertia[0]) for entry in oracles.ENTRIES)
    }


def test_no_false_alarm_and_no_miss(corpus, truth):
    wrong, seen = [], Counter()
    for file, rows in truth.items():
        report = ic.check_model(corpus / file)
        bodies = report.bodies
        assert [body.name for body in bodies] == [row["link"] for row in rows], file
        lacking = lacks_a_number(corpus / file)
        codes = defaultdict(set)
        for finding in report.findings:
            codes[finding.body_id].add(finding.code)
        for body, row in zip(bodies, rows, strict=True):
            verdicts, error = ({"invalid"}, False) if body.name in lacking else expected(row)
            verdict = body.judgement.verdict
            seen[verdict] += 1
            found = codes[body.id] & ERRORS
            kind = {"IC302"} if error and not row["exact_I_psd"] else {"IC301"} if error else set()
            if verdict not in verdicts or found != kind:
                wrong.append((file, body.name, verdict, sorted(verdicts), found, kind, row["I"]))
    assert not wrong, "\n" + "\n".join(map(str, wrong))
    assert seen["inconsistent"] > 100
    assert seen["rounding"] > 0
    assert sum(seen.values()) == sum(map(len, truth.values()))


def test_a_moved_body_without_mass_is_said_and_a_frame_is_not(corpus, truth):
    for file, rows in truth.items():
        report = ic.check_model(corpus / file)
        missing = {f.body_id for f in report.findings if f.code == "IC103"}
        for body, row in zip(report.bodies, rows, strict=True):
            empty = row["cat"] == "no_inertial" or (
                row["cat"] == "inertial" and row["mass"] == 0 and not any(row["I"])
            )
            assert (body.id in missing) == (empty and row["joint"] not in ("fixed", "ROOT")), file
