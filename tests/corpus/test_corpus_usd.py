"""The USD files of real projects: all are read, every number has its bytes, fixes keep the rest."""

import random
from collections import Counter

import numpy as np
import pytest

import inertial_check as ic
from inertial_check.checking.settings import Settings
from inertial_check.documents.usd.text import scan
from usd_library import ATTRIBUTES, values

pytestmark = pytest.mark.corpus

NAMES = [f"physics:{name}" for name in (*ATTRIBUTES, "density")]
DIAGONAL = ("ixx", "iyy", "izz")
SAMPLE = 12


@pytest.fixture(scope="module")
def files(corpus):
    return sorted(path for path in corpus.rglob("*.usd*") if path.is_file())


@pytest.fixture(scope="module")
def models(files):
    return {path: ic.load(path) for path in files}


def written(body):
    return body.inertial is not None and body.inertia_from == "file"


def test_all_are_read_and_what_they_give(models, capsys):
    verdicts, codes, problems, texts, bodies = Counter(), Counter(), [], 0, 0
    for model in models.values():
        (report,) = ic.check_model(model, Settings(ignore=("IC2", "IC5", "IC6"))).files
        problems += [each.kind for each in model.problems]
        codes.update(each.code for each in report.findings)
        verdicts.update(body.judgement.verdict for body in report.bodies)
        texts += model.source.data.startswith(b"#usda ")
        bodies += any(body.inertial is not None for body in model.bodies)
    with capsys.disabled():
        print(f"\n{len(models)} files, {texts} of text; {bodies} with mass properties; {verdicts}")
    # Two set MuJoCo's compiler; the others state units, half an inertia, or no mass at all.
    assert problems == ["engine"] * 2
    assert codes == {"IC710": 2, "IC714": 10, "IC715": 27, "IC716": 61}
    assert len(models) == 102
    assert texts == 90
    assert verdicts == {"derived": 670, "consistent": 117, "missing": 1}


def test_every_written_number_has_the_bytes_of_its_text(models):
    found = 0
    for path, model in models.items():
        for body in filter(written, model.bodies):
            entries = [body.inertial.I_BBcm_Bi[entry] for entry in DIAGONAL]
            for number in (body.inertial.mass, *entries):
                assert model.source_of(number.span).text(number.span) == number.text, path
                found += 1
    assert found == 117 * 4


def test_the_library_reads_the_same_numbers(models):
    for path, model in models.items():
        for body in filter(written, model.bodies):
            read = values(path, body.id)
            moments = [body.inertial.I_BBcm_Bi[entry].value for entry in DIAGONAL]
            np.testing.assert_array_equal(read["diagonalInertia"], np.float32(moments))
            assert read["mass"] == (np.float32(body.inertial.mass.value),)


def test_the_scanner_finds_every_prim_and_attribute_that_the_library_finds(files):
    from pxr import Sdf

    found = 0
    for path in files:
        data = path.read_bytes()
        if not data.startswith(b"#usda "):
            continue
        places = scan(data, NAMES)
        layer = Sdf.Layer.OpenAsAnonymous(str(path))
        prims, attributes = set(), {}

        def visit(spec, layer=layer, prims=prims, attributes=attributes):
            if spec.IsPrimPath():
                prims.add(str(spec))
            elif spec.IsPropertyPath() and spec.name in NAMES:
                attributes[str(spec)] = layer.GetAttributeAtPath(spec).default

        layer.Traverse("/", visit)
        assert set(places.prims) == prims, path
        assert set(places.values) == {key for key, v in attributes.items() if v is not None}, path
        for key, value in places.values.items():
            assert [np.float32(piece.text) for piece in value.pieces] == flat(attributes[key])
        found += len(places.values)
    assert found > 500


def flat(value):
    if hasattr(value, "GetReal"):
        return [value.GetReal(), *value.GetImaginary()]
    return [np.float32(v) for v in (value if hasattr(value, "__len__") else (value,))]


def test_a_planted_defect_is_found_and_fixed_with_no_other_byte_changed(
    models, tmp_path, request, capsys
):
    """The largest moment becomes a hundredth more than the others together."""
    random_ = random.Random(1)
    chosen = [path for path, model in models.items() if any(map(written, model.bodies))]
    if not request.config.getoption("--long"):
        chosen = random_.sample(chosen, SAMPLE)
    statuses = Counter()
    for path in chosen:
        model = models[path]
        planted, edits = [], {}
        for body in filter(written, model.bodies):
            six = [body.inertial.I_BBcm_Bi[entry] for entry in DIAGONAL]
            small, middle, large = sorted(six, key=lambda number: number.value)
            if large.span.file == 0:
                edits[large.span] = repr(1.01 * (small.value + middle.value))
                planted.append(body.id)
        if not planted:
            continue
        data = model.source.data
        for span, text in sorted(edits.items(), reverse=True):
            data = data[: span.start] + text.encode() + data[span.end :]
        copy = tmp_path / path.name  # references that are then not found hold geometry only
        copy.write_bytes(data)
        broken = ic.load(copy)
        fix = ic.fix_model(copy, method="nearest")
        assert [result.id for result in fix.bodies if result.status != "unchanged"] == planted
        statuses.update(result.status for result in fix.bodies if result.id in planted)
        fix.write()
        compare(broken, ic.load(copy), fix, planted)
        for body, result in zip(ic.load(copy).bodies, fix.bodies, strict=True):
            if result.id in planted:
                moments = [body.inertial.I_BBcm_Bi[entry].value for entry in DIAGONAL]
                read = values(copy, body.id)["diagonalInertia"]
                np.testing.assert_array_equal(read, np.float32(moments))
        assert not ic.fix_model(copy, method="nearest").changed
    with capsys.disabled():
        print(f"\n{len(chosen)} files, planted defects: {dict(statuses)}")
    assert set(statuses) == {"fixed"}


def compare(before, after, fix, planted):
    """Outside the moments of the planted bodies, the bytes are the same."""
    rest = []
    for model in (before, after):
        data = model.source.data
        spans = {
            model_body.inertial.I_BBcm_Bi[entry].span
            for model_body in model.bodies
            if model_body.id in planted
            for entry in DIAGONAL
        }
        for span in sorted(spans, reverse=True):
            data = data[: span.start] + b"#" + data[span.end :]
        rest.append(data)
    assert rest[0] == rest[1]
    assert fix.data == after.source.data != before.source.data
