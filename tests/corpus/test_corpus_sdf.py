"""Every real SDF is read to the last number; test_corpus_fix.py mends what is broken in some."""

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import inertial_check as ic
import verdicts
from inertial_check.documents.load import root_tag
from inertial_check.errors import DocumentError
from written_numbers import assert_all_can_be_changed, assert_places

pytestmark = pytest.mark.corpus

TRUTH_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
INVALID = "invalid_xml_syntax.sdf"  # of libsdformat's own tests: refused by every parser


@pytest.fixture(scope="module")
def paths(corpus):
    """Every document whose root is an SDF's, whatever its name."""
    every = (path for path in sorted(corpus.rglob("*")) if path.suffix in {".sdf", ".world"})
    return [path for path in every if root_tag(path.read_bytes()) in {"sdf", "gazebo"}]


@pytest.fixture(scope="module")
def models(paths):
    return {path: ic.load(path) for path in paths if path.name != INVALID}


@pytest.fixture(scope="module")
def rows(corpus):
    return {corpus / file: rows for file, rows in verdicts.rows_of(corpus, "sdf").items()}


def own(model):
    """The bodies that stand in the document itself."""
    return [body for body in model.bodies if body.span.file == 0]


def test_all_are_read_but_the_one_that_is_none(paths, models):
    assert len(paths) == 688
    assert {model.format for model in models.values()} == {"sdf"}
    with pytest.raises(DocumentError, match="</model> where </link> is expected"):
        ic.load(next(path for path in paths if path.name == INVALID))


def test_bodies_and_numbers_are_the_truth(models, rows):
    seen = Counter()
    for path, expected in rows.items():
        bodies = own(models[path])
        assert len(bodies) == len(expected), path
        for body, row in zip(bodies, expected, strict=True):
            assert verdicts.scoped_name(body, row), (path, body.name)
            seen[row["cat"], body.inertia_from] += 1
            if "mass" in row:
                assert_equal(body.inertial, row, (path, body.name))
    assert seen.keys() == {
        ("inertial", "file"),
        ("no_inertial", "default"),
        ("no_inertia_elem", "default"),
        ("auto", "geometry"),
    }
    assert sum(seen.values()) > 2600


def assert_equal(inertial, row, where):
    assert inertial.mass.value == row["mass"], where
    assert [number.value for number in inertial.p_BoBcm_B] == row["com"], where
    if where[0].name != "pose_1_9.sdf":  # the truth has its degrees and quaternions as printed
        expected = Rotation.from_euler("xyz", row["rpy"]).as_matrix()
        np.testing.assert_allclose(inertial.R_BBi, expected, atol=1e-15, err_msg=str(where))
    for entry, value in zip(TRUTH_ENTRIES, row.get("I", ()), strict="I" in row):
        assert inertial.I_BBcm_Bi[entry].value == value, where


def test_documents_without_truth_hold_no_links(models, rows):
    """35 of Gazebo's oldest models among them, which an older libsdformat read."""
    rest = {path: own(model) for path, model in models.items() if path not in rows}
    assert sum(map(len, rest.values())) == sum(
        len(bodies) for path, bodies in rest.items() if root_tag(path.read_bytes()) == "gazebo"
    )


def test_every_number_stands_where_its_span_says(models):
    assert sum(map(assert_places, models.values())) > 15_000


def test_every_number_can_be_rewritten_and_nothing_else_changes(models):
    for model in models.values():
        assert_all_can_be_changed(model)
