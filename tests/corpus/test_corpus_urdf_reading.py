"""Every real URDF is read, as engines read it, byte for byte."""

import codecs
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from inertial_check.documents.load import load, sniff
from inertial_check.errors import NotAModelError
from written_numbers import assert_all_can_be_changed, assert_places, numbers

pytestmark = pytest.mark.corpus

TRUTH_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
UNEXPANDED = "imu_test.urdf"  # macro calls and nothing else


@pytest.fixture(scope="module")
def paths(corpus, truth):
    found = {corpus / file for file in truth}
    found |= {path for path in corpus.rglob("*") if path.suffix.lower() == ".urdf"}
    return sorted(found)


@pytest.fixture(scope="module")
def models(paths, amount):
    """The models of every document; of every third one in the quick form."""
    return {path: load(path) for path in paths[:: amount(3, 1)] if path.name != UNEXPANDED}


def test_bodies_and_numbers_are_the_truth(corpus, truth, models):
    assert len(truth) > 400
    for file, rows in truth.items():
        if corpus / file not in models:
            continue
        bodies = models[corpus / file].bodies
        assert [body.name for body in bodies] == [row["link"] for row in rows], file
        for body, row in zip(bodies, rows, strict=True):
            where = (file, body.name)
            assert (body.joint or "ROOT") == row["joint"], where
            assert body.moved == (row["joint"] not in {"ROOT", "fixed"}), where
            assert (body.inertial is None) == (row["cat"] == "no_inertial"), where
            if body.inertial is not None:
                assert_equal(body, row, where)


def assert_equal(body, row, where):
    inertial = body.inertial
    assert inertial.mass.value == row["mass"], where
    assert [number.value for number in inertial.p_BoBcm_B] == row["com"], where
    expected = Rotation.from_euler("xyz", row["rpy"]).as_matrix()
    np.testing.assert_allclose(inertial.R_BBi, expected, atol=1e-15, err_msg=str(where))
    assert bool(inertial.I_BBcm_Bi) == (row["cat"] == "inertial"), where
    for entry, value in zip(TRUTH_ENTRIES, row.get("I", ()), strict=bool("I" in row)):
        if entry in inertial.I_BBcm_Bi:
            assert inertial.I_BBcm_Bi[entry].value == value, where
        else:
            assert any(f"has no {entry}" in problem.message for problem in body.problems), where


def test_the_unexpanded_file_is_named_as_such(paths):
    pytest.importorskip("xacro", reason="needs xacro: pip install xacro")
    for path in paths:
        if path.name == UNEXPANDED:
            with pytest.raises(NotAModelError, match="xacro file"):
                load(path, format="urdf")
            model = load(path)
            assert [body for body in model.bodies if body.inertial] == []
            assert any("unknown macro name" in problem.message for problem in model.problems)


def test_every_root_is_sniffed(paths):
    for path in paths:
        expected = "xacro" if path.name == UNEXPANDED else "urdf"
        assert sniff(path.read_bytes()) == expected, path


def test_every_number_stands_where_its_span_says(models, amount):
    assert sum(map(assert_places, models.values())) > amount(15_000, 50_000)


def test_every_number_can_be_rewritten_and_nothing_else_changes(models):
    for model in models.values():
        assert_all_can_be_changed(model)


@pytest.mark.parametrize("how", ["utf-16-le", "utf-16-be", "utf-8 mark", "CRLF", "CR"])
def test_every_file_says_the_same_in_other_bytes(models, how, amount):
    for path, model in list(models.items())[:: amount(3, 1)]:
        if model.problems or model.source.encoding != "utf-8":
            continue
        text = model.source.data.decode().replace("\r\n", "\n").replace("\r", "\n")
        if how in {"CRLF", "CR"}:
            data = text.replace("\n", "\r\n" if how == "CRLF" else "\r").encode()
        elif how == "utf-8 mark":
            data = codecs.BOM_UTF8 + text.encode()
        else:
            bom = codecs.BOM_UTF16_LE if how == "utf-16-le" else codecs.BOM_UTF16_BE
            declared = text.replace('encoding="utf-8"', "").replace('encoding="UTF-8"', "")
            data = bom + declared.encode(how)
        other = load(data)
        assert other.source.data == data
        assert [number.text for number in numbers(other)] == [
            number.text for number in numbers(model)
        ], path
        for number in numbers(other):
            assert other.source.text(number.span) == number.text, path
        places = [model.source.line_column(body.span.start) for body in model.bodies]
        assert [other.source.line_column(body.span.start) for body in other.bodies] == places, path


def element_tree_reads(path):
    try:
        ElementTree.parse(path)
    except ElementTree.ParseError:
        return False
    return True


def mujoco_parses(path):
    import mujoco

    try:
        mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        return "XML parse" not in str(error)
    return True


def test_what_element_tree_refuses_is_told_and_nothing_else(models):
    for path, model in models.items():
        repairs = [problem for problem in model.problems if problem.kind == "repair"]
        assert bool(repairs) == (not element_tree_reads(path)), path


def test_what_mujoco_parses_is_read(paths):
    pytest.importorskip("mujoco", reason="pip install mujoco")
    read = {path for path in paths if mujoco_parses(path)}
    assert len(read) > 400
    for path in read:
        if path.name != UNEXPANDED:
            load(path)


def test_what_urdfdom_reads_is_read(paths):
    pinocchio = pytest.importorskip("pinocchio", reason="pip install pin")
    count = 0
    for path in paths:
        try:
            pinocchio.buildModelFromUrdf(str(path))
        except ValueError:
            continue
        count += 1
        assert load(path).bodies
    assert count > 400
