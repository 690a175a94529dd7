"""The report of an identification as JSON, and the members that all forms of `identify` share."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from inertial_check.model import ENTRIES, Severity
from inertial_check.model.identified import (
    THETA,
    IdentificationReport,
    IdentifiedBody,
    MergedBody,
    Remark,
    WrittenModel,
)
from inertial_check.reports import View
from inertial_check.reports.escaping import dump_json
from inertial_check.reports.json import TOOL, plain

SCHEMA_VERSION = "1"
"""Version of the JSON forms of `identify`."""


def as_json(found: IdentificationReport, view: View) -> str:
    """A JSON document, ASCII only; NaN and the infinities are null.

    inertial_check/reports/identification.schema.json describes it.
    """
    document = {
        **make_head(
            {
                "bodies": len(found.bodies),
                **count_remarks(found.remarks),
                "total_mass": found.total_mass,
                "prior_mass": found.prior_mass,
                "total_mass_share": found.total_mass_share,
                "exit_code": view.exit_code,
            }
        ),
        "model": _path(found.model),
        "data": list(map(_path, found.data)),
        "problem": {
            "prior": found.prior,
            "metric": found.metric,
            "loss": found.loss,
            "method": found.method,
            "simulations": found.simulations,
            "change": found.change,
            "regularization": found.regularization,
            "redundancy": found.redundancy,
            "weighings": [each._asdict() for each in found.weighings],
            "weights": found.weights,
            "columns": found.columns,
            "rank": found.rank,
            "condition": found.condition,
        },
        "solution": {
            "objective": found.objective,
            "data_term": found.data_term,
            "prior_term": found.prior_term,
            "status": "certified" if found.certificate.proven else "uncertified",
            **found.certificate._asdict(),
        },
        "fits": [
            {**each._asdict(), "joints": [joint._asdict() for joint in each.joints]}
            for each in found.fits
        ],
        "bodies": [_body(body) for body in found.bodies],
        "base": None if found.base is None else found.base.as_dict(),
        "residuals": [each.as_dict() for each in found.residuals],
        "left": [{"name": name, "reason": reason} for name, reason in found.left],
        "friction": [each._asdict() for each in found.friction],
        "gains": [each._asdict() for each in found.gains],
        "gain_scale": found.gain_scale or None,
        "loads": [each._asdict() for each in found.loads],
        "merged": [describe_merged(each) for each in found.merged],
        "remarks": [describe_remark(each) for each in found.remarks],
        "findings": [
            {**each._asdict(), "severity": each.severity.word, "bodies": list(each.bodies)}
            for each in found.findings
        ],
        "written": None if found.written is None else describe_written(found.written),
    }
    return dump_json(plain(document), indent=2) + "\n"


def make_head(summary: Mapping[str, object]) -> dict[str, object]:
    """Make the first members of a JSON form: versions and summary."""
    return {"schema_version": SCHEMA_VERSION, "tool": TOOL, "summary": dict(summary)}


def count_remarks(remarks: Sequence[Remark]) -> dict[str, int]:
    """Count remarks by severity, as the members errors, warnings and notes of a summary."""
    return {
        f"{severity.word}s": sum(each.severity == severity for each in remarks)
        for severity in reversed(Severity)
    }


def _body(body: IdentifiedBody) -> dict[str, object]:
    return {
        "name": body.name,
        "id": body.id,
        "line": body.line,
        "mass": body.mass,
        "com": body.p_BoBcm_B,
        # The six of I_BBcm_B stand in order "urdf", xx xy xz yy yz zz.
        "inertia": dict(zip(ENTRIES, body.I_BBcm_B, strict=True)),
        "principal_moments": body.principal_moments,
        "verdict": body.verdict,
        "margin": body.margin,
        "distance": body.distance,
        "least_squares_verdict": body.least_squares_verdict,
        "prior_moved": body.prior_moved,
        "parameters": {
            name: {
                "value": body.theta[index],
                "prior": body.prior[index],
                "standard_deviation": body.standard_deviation[index],
                "share": body.share[index],
                "decided_by": body.decided_by[index],
                "unsupported": name in body.unsupported,
            }
            for index, name in enumerate(THETA)
        },
    }


def describe_merged(merged: MergedBody) -> dict[str, object]:
    """Describe bodies that were identified as one, as JSON has them."""
    return {
        "name": merged.name,
        "method": merged.method,
        "parts": [
            {
                "name": part.name,
                "id": part.id,
                "kept": part.kept,
                "mass": part.mass,
                "com": part.p_BoBcm_B,
                "inertia": dict(zip(ENTRIES, part.I_BBcm_B, strict=True)),
                "theta": part.theta,
            }
            for part in merged.parts
        ],
    }


def describe_written(written: WrittenModel) -> dict[str, object]:
    """Describe the file that was to be written, as JSON has it in every form of `identify`."""
    return {
        "path": _path(written.path),
        "done": written.done,
        "reason": written.reason or None,
        "diff": written.diff or None,
        "complete": written.complete,
        "bodies": [{**each._asdict(), "reason": each.reason or None} for each in written.bodies],
        "joints": [{**each._asdict(), "reason": each.reason or None} for each in written.joints],
    }


def describe_remark(remark: Remark) -> dict[str, object]:
    """Describe a remark as JSON has it."""
    return {**remark._asdict(), "severity": remark.severity.word}


def _path(path: str) -> str:
    return path.replace(os.sep, "/")
