"""What TRUTH.jsonl says of the links of real models, and what the checker has to say of them."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import inertial_check as ic
import oracles

ERRORS = {"IC301", "IC302"}
FLOOR = 8 * np.finfo(float).eps


def rows_of(corpus, fmt):
    """File -> the rows on its links, in document order, for every document of a format."""
    rows = defaultdict(list)
    for line in (corpus / "TRUTH.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["fmt"] == fmt and not refused_by_every_parser(row["file"]):
            rows[row["file"]].append(row)
    return rows


def none_excepted(path):
    """No body of the document deserves another verdict than its row says."""
    return {}


def lacking_a_number(path):
    """URDF: links whose inertia lacks one of its six, which urdfdom and MuJoCo refuse."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(errors="replace"), flags=re.DOTALL)
    return {
        link[1]: "invalid"
        for link in re.finditer(r"<link\s[^>]*?name=[\"']([^\"']*)[\"'].*?</link>", text, re.DOTALL)
        if (inertia := re.search(r"<inertia\s[^>]*>", link[0]))
        and not all(re.search(rf"\b{entry}\s*=", inertia[0]) for entry in oracles.ENTRIES)
    }


def refused_by_every_parser(file):
    """A document of libsdformat's own tests for what is no XML; the truth read it with a repair."""
    return file.endswith("/invalid_xml_syntax.sdf")


def same_name(body, row):
    """The body is called what the row calls it."""
    return body.name == row["link"]


def scoped_name(body, row):
    """SDF: the truth scopes a link by the innermost model only, and calls a nameless one `?`."""
    return f"::{body.name}".endswith(f"::{row['link'].replace('?', '')}")


def taken_from_geoms(path):
    """MJCF: each <inertial> that MuJoCo ignores, for inertiafromgeom="true"."""
    ignores = path.match("bulletphysics+bullet3/data/mjcf/half_cheetah.xml")
    return dict.fromkeys(("bfoot", "ffoot"), "derived") if ignores else {}


def name_or_number(body, row):
    """MJCF: what has no name is called by its number."""
    return body.name == row["link"] or (
        row["link"] == "(unnamed)" and body.name.startswith("body#")
    )


@dataclass(frozen=True)
class Form:
    """How the truth on one format is to be read.

    Attributes:
        name: The format, as `fmt` in the truth.
        unwritten: `cat` -> the verdicts of bodies whose inertia the document does not write.
        is_the_body: Whether a body is the one that a row speaks of.
        excepted: Path -> the verdict by body name where the row alone does not say it.
        least: How many inconsistent bodies there are at least, so that the test tests something.
    """

    name: str
    unwritten: dict[str, set[str]]
    is_the_body: Callable[..., bool] = same_name
    excepted: Callable[..., dict[str, str]] = none_excepted
    least: int = 1


URDF = Form(
    "urdf",
    {"no_inertial": {"missing"}, "no_inertia_elem": {"invalid"}},
    excepted=lacking_a_number,
    least=100,
)
SDF = Form(
    "sdf",
    {"no_inertial": {"defaulted"}, "no_inertia_elem": {"defaulted"}, "auto": {"derived"}},
    is_the_body=scoped_name,
    least=16,
)
MJCF = Form(
    "mjcf",
    {"no_inertial": {"missing"}, "no_inertia_elem": {"invalid"}},
    is_the_body=name_or_number,
    excepted=taken_from_geoms,
    least=0,  # the corpus holds no violation in MJCF
)
FORMS = (URDF, SDF, MJCF)


def expected(row, form=URDF):  # noqa: PLR0911 - a table of cases
    """The verdicts that agree with the exact decision, and whether an inertia error is due."""
    if form is MJCF and row["cat"] == "no_inertial" and row["geom"]:
        return {"derived"}, False
    if row["cat"] in form.unwritten:
        return form.unwritten[row["cat"]], False
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


def disagreements(path, rows, form):
    """(what is wrong, one line each; how often each verdict was given) for one document.

    Bodies of included documents have no rows.
    """
    report = ic.check_model(path)
    own = [body for body in report.bodies if body.file is None]
    names = [body.name for body in own]
    if len(own) != len(rows) or not all(map(form.is_the_body, own, rows)):
        return [(path.name, names, [row["link"] for row in rows])], Counter()
    codes = defaultdict(set)
    for finding in report.findings:
        codes[finding.body_id].add(finding.code)
    excepted = form.excepted(path)
    wrong, seen = [], Counter()
    for body, row in zip(own, rows, strict=True):
        verdicts, error = expected(row, form)
        if body.name in excepted:
            verdicts, error = {excepted[body.name]}, False
        verdict = body.judgement.verdict
        seen[verdict] += 1
        found = codes[body.id] & ERRORS
        kind = {"IC302"} if error and not row["exact_I_psd"] else {"IC301"} if error else set()
        if verdict not in verdicts or found != kind:
            wrong.append((path.name, body.name, verdict, sorted(verdicts), found, kind))
    return wrong, seen
