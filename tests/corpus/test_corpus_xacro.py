"""Every xacro file of the corpus against xacro itself, and every literal against its source."""

import contextlib
import io

import pytest

from inertial_check.documents.load import load
from inertial_check.documents.source import Source
from inertial_check.documents.urdf.reading import read_model
from inertial_check.errors import DocumentError, NotAModelError, NotExpandedError
from written_numbers import assert_literals_are_the_sources, named

pytestmark = pytest.mark.corpus

PACKAGES = {
    "baxter_description": "RethinkRobotics+baxter_common/baxter_description",
    "rethink_ee_description": "RethinkRobotics+baxter_common/rethink_ee_description",
    "sr_description": "shadow-robot+sr_common/sr_description",
}
QUICK = ("baxter", "sr_hand.urdf", "thumb")
"""Parts of the names of the files that the quick form reads; they include most of the others."""


def expanded(path, packages):
    """The URDF that xacro makes of a file, without anything of this package's."""
    import xacro
    from xacro import substitution_args

    substitution_args._eval_find = packages.__getitem__
    xacro.filestack = xacro.macrostack = None
    with contextlib.redirect_stderr(io.StringIO()):
        document = xacro.process_file(str(path), mappings={}, verbosity=0)
    return document.toprettyxml(indent="  ").encode()


def stated(model):
    return [
        (
            body.name,
            body.id,
            body.joint,
            body.inertial and body.inertial.R_BBi,
            {role: number.value for role, number in named(body).items()},
        )
        for body in model.bodies
    ]


@pytest.fixture(scope="module")
def packages(corpus):
    return {name: str(corpus / folder) for name, folder in PACKAGES.items()}


@pytest.fixture(scope="module")
def read(corpus, packages, request):
    """Path -> our model and the one of xacro's expansion, or the two errors."""
    pytest.importorskip("xacro", reason="needs xacro: pip install xacro")
    found = {}
    for path in sorted(corpus.glob("**/*.xacro")):
        if not request.config.getoption("--long") and not any(q in path.name for q in QUICK):
            continue
        try:
            theirs = read_model(Source(str(path), expanded(path, packages)))
        except Exception as error:
            theirs = error
        try:
            ours = load(str(path))
        except DocumentError as error:
            ours = error
        found[path] = ours, theirs
    return found


def test_the_bodies_are_those_of_the_expansion(read, request):
    compared = bodies = 0
    for path, (ours, theirs) in read.items():
        if isinstance(theirs, Exception):
            expected = NotAModelError if isinstance(theirs, NotAModelError) else DocumentError
            assert isinstance(ours, expected), path
            continue
        assert not isinstance(ours, Exception), (path, ours)
        assert stated(ours) == stated(theirs), path
        compared += 1
        bodies += len(ours.bodies)
    assert (compared, bodies) >= ((68, 220) if request.config.getoption("--long") else (5, 134))


def test_what_xacro_refuses_is_told_with_its_place(read):
    refused = [ours for ours, _ in read.values() if isinstance(ours, NotExpandedError)]
    for error in refused:
        assert error.line or "in /" in error.reason, error


def test_every_literal_is_the_source_of_its_numbers(read):
    models = [model for model, _ in read.values() if not isinstance(model, Exception)]
    literals = [assert_literals_are_the_sources(model) for model in models if model.bodies]
    assert sum(literals) > 1000
