"""Independent truths for tests of `fix`: documents, what may differ in them, nearest tensors."""

import re
from itertools import combinations

import numpy as np

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
    """A document's bytes with every number of every <inertia> tag taken out."""
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
