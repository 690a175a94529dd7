"""Every xacro file of the corpus against xacro itself, and every literal against its source."""

import contextlib
import io
import os

import pytest

from inertial_check.documents.context import Context
from inertial_check.documents.load import load
from inertial_check.documents.source import Edit, Source
from inertial_check.documents.urdf.reading import read_model
from inertial_check.errors import DocumentError, NotAModelError, NotExpandedError

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


def numbers(body):
    one = body.inertial
    if one is None:
        return {}
    center = dict(zip("xyz", one.p_BoBcm_B, strict=True))
    found = {"mass": one.mass, **center, **one.I_BBcm_Bi}
    return {(body.id, role): number for role, number in found.items() if number is not None}


def stated(model):
    return [
        (
            body.name,
            body.id,
            body.joint,
            body.inertial and body.inertial.R_BBi,
            {key: number.value for key, number in numbers(body).items()},
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
    """With another number in the place of each literal, exactly the numbers told so are those."""
    checked = 0
    for path, (model, _) in read.items():
        if isinstance(model, Exception) or not model.bodies:
            continue
        old = {key: number for body in model.bodies for key, number in numbers(body).items()}
        spans = sorted({number.span for number in old.values() if number.span and number.literal})
        texts = {span: f"{7000 + index}.5" for index, span in enumerate(spans)}
        data = [
            source.apply_edits(
                Edit(span, text) for span, text in texts.items() if span.file == file
            )
            for file, source in enumerate((model.source, *model.others))
        ]
        others = [os.path.abspath(source.path) for source in model.others]
        context = Context(overlay=dict(zip(others, data[1:], strict=True)))
        again = load(data[0], path=str(path), context=context)
        new = {key: number for body in again.bodies for key, number in numbers(body).items()}
        assert new.keys() == old.keys()
        for key, number in old.items():
            if number.span is None:
                assert new[key] == number
            elif number.literal:
                assert model.source_of(number.span).text(number.span) == number.text
                assert new[key].text == texts[number.span], (path, key)
                checked += 1
    assert checked > 1000
