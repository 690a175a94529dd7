"""The exceptions of the package: they survive pickle and copy, as worker processes need."""

import copy
import importlib
import pickle

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.documents.edits import NotInsertable
from inertial_check.documents.files.access import RefusedFileError
from inertial_check.documents.meshes import NotReadError
from inertial_check.documents.xacro.tracing import LocatedError
from inertial_check.documents.xml.encoding import Unreadable
from inertial_check.errors import DocumentError, InertialCheckError, ProjectionError
from inertial_check.projection.conic.solvers import NoAnswer
from inertial_check.projection.constraints import FixedMass

ERRORS = [
    ic.ParameterError("mass is -1.0"),
    ProjectionError("no answer", {"theta0": [[1.0, 2.0]], "rows": [3]}),
    DocumentError("a.urdf", "a tag is not closed", 3, 7),
    NotReadError("a.stl", "has no triangles", False),
    RefusedFileError("a.urdf", "lies outside"),
    NotInsertable("no place"),
    LocatedError(ValueError("x"), None),
    Unreadable("a tag", 4),
    NoAnswer("status infeasible", True),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_come_back_with_message_and_attributes(error, again):
    found = again(error)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert found.args == error.args
    assert vars(found) == vars(error)


def subclasses(kind):
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_document_error_comes_back():
    importlib.import_module("inertial_check.running")
    kinds = {DocumentError, *subclasses(DocumentError)}
    assert len(kinds) >= 6
    for kind in kinds:
        found = pickle.loads(pickle.dumps(kind("a.urdf", "why", 3, 7)))
        assert (type(found), found.path, found.reason, found.line) == (kind, "a.urdf", "why", 3)
    assert issubclass(DocumentError, InertialCheckError)


def test_the_error_of_a_failed_projection_comes_back_with_its_rows():
    with pytest.raises(ProjectionError) as caught:
        ic.project([[-1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1]]).raise_for_status()
    found = pickle.loads(pickle.dumps(caught.value))
    assert np.array_equal(found.instance, caught.value.instance)


def test_a_consistency_is_no_truth_value():
    for theta in ([1.0, 0, 0, 0, 1, 0, 0, 1, 0, 1], [[1.0, 0, 0, 0, 1, 0, 0, 1, 0, 3]]):
        with pytest.raises(ic.ParameterError, match=r"\.consistent\.all\(\)"):
            bool(ic.check(theta))


WRONG = [
    None,
    "x",
    b"x",
    object(),
    {"a": 1},
    {1, 2},
    1j,
    [None] * 10,
    [[1, 2], [3]],
    np.array(["a"] * 10),
    lambda: 0,
]
GOOD = [1.0, 0, 0, 0, 0.01, 0, 0, 0.01, 0, 0.015]
BODY = ic.InertialParameters.from_theta(GOOD)
OPTIONAL = ("order", "about", "projected order")
"""Arguments that may be None, the first of the wrong values: then the parameters' own hold."""
DECLARED = {"order": "urdf", "about": "origin"}
CALLS = {
    "theta": ic.check,
    "order": lambda it: ic.check(GOOD, order=it),
    "about": lambda it: ic.check(GOOD, about=it),
    "tolerance": lambda it: ic.check(GOOD, tolerance=it),
    "projected theta": ic.project,
    "metric": lambda it: ic.project(GOOD, it),
    "projected order": lambda it: ic.project(GOOD, order=it),
    "margin": lambda it: ic.project(GOOD, margin=it),
    "regularization": lambda it: ic.project(GOOD, regularization=it),
    "constraints": lambda it: ic.project(GOOD, constraints=it),
    "a constraint": lambda it: ic.project(GOOD, constraints=[it]),
    "cleaned theta": lambda it: ic.clean(it, **DECLARED),
    "cleaning order": lambda it: ic.clean([GOOD], **DECLARED | {"order": it}),
    "cleaning regularization": lambda it: ic.clean([GOOD], **DECLARED, regularization=it),
    "cleaning constraints": lambda it: ic.clean([GOOD], **DECLARED, constraints=it),
    "merged child": lambda it: BODY.merge(it, np.eye(4)),
    "pose": lambda it: BODY.merge(BODY, it),
    "order of parameters": lambda it: BODY.as_theta(order=it),
    "order of spatial inertia": lambda it: BODY.as_spatial_inertia(order=it),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_type_is_a_parameter_error(name):
    for value in WRONG[name in OPTIONAL :]:
        with pytest.raises(ic.ParameterError):
            CALLS[name](value)


@pytest.mark.parametrize("value", [*WRONG[1:5], *WRONG[6:], 0.0, -1.0, np.nan])
def test_what_may_be_left_out_is_refused_where_it_is_wrong(value):
    with pytest.raises(ic.ParameterError):
        ic.project(GOOD, mass_min=value)
    with pytest.raises(ic.ParameterError):
        ic.clean([GOOD], **DECLARED, bodies=value)
    with pytest.raises(ic.ParameterError):
        FixedMass(1.0, bodies=value)


def test_errors_are_short_whatever_stands_in_them():
    text = "<robot name='a'>" + "<link name='x'/>\n" * 300 + "</robot>"
    with pytest.raises(ic.UsageError, match=r"text of a document \(5124 characters\)") as caught:
        ic.load(text)
    assert len(str(caught.value)) < 200
    with pytest.raises(ic.UsageError, match=r"text of a document \(5124 characters\)"):
        ic.check_models(text)
    with pytest.raises(DocumentError) as caught:
        ic.load("a/" * 3000)
    assert len(str(caught.value)) < 600
    error = DocumentError("a.urdf", "\n".join(f"line {i}" for i in range(40)), 3, 1)
    assert len(str(error).splitlines()) == 5
    assert str(error).endswith("line 4 ...")
