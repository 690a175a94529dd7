"""Independent truths for tests of `fix`: documents, what may differ in them, nearest tensors."""

import re
from contextlib import contextmanager
from itertools import combinations
from unittest.mock import patch

import numpy as np

from inertial_check.checking.report import Hypothesis, Prediction, Severity

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

LINK = """  <link name="{name}">
    <inertial>
      <origin xyz="0.01 -0.02 0.3" rpy="{rpy}"/>
      <mass value="{mass}"/>
      <inertia {inertia}/>
    </inertial>
  </link>
"""


def attributes(six):
    return " ".join(f'{entry}="{text}"' for entry, text in zip(ENTRIES, six, strict=True))


def urdf(*bodies, head='<?xml version="1.0"?>\n', rpy="0 0 0", mass="1.5"):
    """A robot whose links have these six texts, or this text in place of the attributes."""
    links = [
        LINK.format(
            name=f"link{index}",
            rpy=rpy,
            mass=mass,
            inertia=six if isinstance(six, str) else attributes(six),
        )
        for index, six in enumerate(bodies)
    ]
    return f'{head}<robot name="r">\n{"".join(links)}</robot>\n'


def without_numbers(data):
    """A document's bytes with every number of every inertia of a URDF or an SDF taken out."""
    data = re.sub(rb"(<(i[xyz]{2})>\s*)[^<]*?(\s*</\2>)", rb"\1\3", data)
    return re.sub(
        rb"<inertia\b[^>]*>",
        lambda tag: re.sub(rb"(\bi[xyz][xyz]\s*=\s*[\"'])[^\"']*", rb"\1", tag[0]),
        data,
    )


def texts(body):
    return tuple(body.inertial.I_BBcm_Bi[entry].text for entry in ENTRIES)


def matrix(six):
    return np.asarray(six, dtype=float)[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)


def nearest_inertia(six):
    """The nearest tensor by trying every set of tight triangle inequalities on the moments."""
    moments, axes = np.linalg.eigh(matrix(six))
    facets = np.ones((3, 3)) - 2 * np.eye(3)
    slop = 1e-13 * np.abs(moments).max()
    best, shortest = np.zeros(3), np.linalg.norm(moments)
    for count in range(3):
        for tight in combinations(range(3), count):
            normals = facets[list(tight)].reshape(-1, 3)
            point = moments - np.linalg.pinv(normals) @ (normals @ moments)
            distance = np.linalg.norm(point - moments)
            if np.all(facets @ point >= -slop) and distance < shortest:
                best, shortest = point, distance
    return axes @ np.diag(best) @ axes.T


def nearest_covariance(six):
    """The nearest tensor by clipping the second moment's eigenvalues."""
    tensor = matrix(six)
    spread, axes = np.linalg.eigh(np.trace(tensor) / 2 * np.eye(3) - tensor)
    clipped = axes @ np.diag(np.maximum(spread, 0)) @ axes.T
    return np.trace(clipped) * np.eye(3) - clipped


def distance(six, tensor):
    """||I - T||_F / ||T||_F."""
    return np.linalg.norm(matrix(six) - tensor) / np.linalg.norm(tensor)


TEN = ("mass", "x", "y", "z", *ENTRIES)


def ten(body):
    """The texts of all ten numbers of a body, by name."""
    inertial = body.inertial
    numbers = (inertial.mass, *inertial.p_BoBcm_B, *inertial.I_BBcm_Bi.values())
    return {name: number.text for name, number in zip(TEN, numbers, strict=True)}


@contextmanager
def causing(**hypotheses):
    """For a while, findings on the bodies of these names have these hypotheses and no others."""

    def explained(examination, findings, codes):
        return [
            finding._replace(causes=tuple(hypotheses.get(finding.body, ())))
            if finding.severity > Severity.NOTE
            else finding
            for finding in findings
        ]

    with patch("inertial_check.checking.causes.ranking.explain", explained):
        yield


def meant(cause="decimal-slip", **entries):
    """A hypothesis that these entries were meant; one without an edit if there are none."""
    edit = {"body": "any", "entries": entries} if entries else None
    return Hypothesis(cause, 0.9, "the evidence", edit)


@contextmanager
def asking(refusal):
    """For a while, what "mujoco" does with each body is told by refusal(mass, com, I_BBcm_Bi).

    A body without an inertial is accepted unless a joint moves it.
    """

    def predict(model, judgements):
        said = [
            refusal(judgement.mass, judgement.p_BoBcm_B, judgement.I_BBcm_Bi)
            if body.inertial is not None
            else ("no mass" if body.moved else None)
            for body, judgement in zip(model.bodies, judgements, strict=True)
        ]
        return tuple(
            {"mujoco": Prediction("mujoco", "0", "reject" if words else "accept", words or "")}
            for words in said
        )

    with patch("inertial_check.fixing.methods.predict", predict):
        yield
