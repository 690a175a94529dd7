"""Bodies that an engine refuses, found with few engines, against the predictions of all."""

import pytest

import inertial_check as ic
from inertial_check.engines import predict
from inertial_check.engines.refusals import predict_refusals
from inertial_check.model import REFUSALS
from inertial_check.model.judging import judge


def refused(predictions):
    return [any(each.action in REFUSALS for each in of.values()) for of in predictions]


@pytest.mark.parametrize("folder", ["defects", "valid", "mjcf"])
def test_a_body_is_refused_where_any_engine_refuses_it(data_dir, folder):
    seen = set()
    for path in sorted((data_dir / folder).iterdir()):
        try:
            model = ic.load(path)
        except ic.InertialCheckError:
            continue
        judgements = judge(model)
        all_, rows = refused(predict(model, judgements)), range(len(model.bodies))
        for asked in (list(rows), *([row] for row in rows)):
            found = refused(predict_refusals(model, judgements, asked))
            assert [found[row] for row in asked] == [all_[row] for row in asked], path
        seen |= set(all_)
    assert seen == {False, True} or folder != "defects"


def test_nothing_is_asked_about_no_body(data_dir):
    model = ic.load(data_dir / "arm.urdf")
    assert not any(predict_refusals(model, judge(model), []))


def test_where_the_first_engine_refuses_a_body_no_other_is_asked(data_dir):
    model = ic.load(data_dir / "arm.urdf")
    names = [body.name for body in model.bodies]
    forearm, shoulder = names.index("forearm"), names.index("shoulder")
    judgements = judge(model)
    alone = predict_refusals(model, judgements, [forearm])
    assert [*alone[forearm]] == ["mujoco"]
    both = predict_refusals(model, judgements, [forearm, shoulder])
    assert len(both[forearm]) > 1
