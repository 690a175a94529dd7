"""The benchmark of planted mistakes, on the small arm and with a few of them."""

import mistakes
import numpy as np
import pytest


def rates(*chosen):
    figures = mistakes.main(["--quick", "--clean", "1", "--obey", "--mistake", *chosen])
    return {name: value.partition(" =")[0] for name, value in figures.items()}


def test_mistakes_are_named_first_obeyed_and_not_written(capsys):
    """Others are in test_mistakes.py of the command: signs, clocks, lags, exchanged torques.

    Stribeck's friction leaves residuals that are white, and means of one sign at low speeds.
    """
    found = rates("zero 90", "without gravity", "Stribeck")
    assert found["named first"] == "3 of 3", capsys.readouterr().out
    assert found["obeyed"] == "3 of 3"
    assert found["wrong with exit 0"] == "0 of 3"
    assert found["clean logs with something named"] == "0 of 1"


def test_there_are_enough_mistakes_and_each_changes_a_log(tmp_path):
    assert len({each.name for each in mistakes.MISTAKES}) == len(mistakes.MISTAKES) >= 45
    bench = mistakes.bench_of("arm", tmp_path)
    assert bench is not None
    clean = mistakes.Case(bench, 7, 0, 1)
    clean.simulate()
    for planted in mistakes.MISTAKES:
        case = mistakes.Case(bench, 7, 0, 1)
        planted.world(case)
        case.simulate()
        planted.log(case)
        same = all(np.array_equal(case.log[name], own) for name, own in clean.log.items())
        assert not same or case.options or case.model is not None, planted.name


@pytest.mark.parametrize(("hits", "count"), [(0, 200), (4, 200), (200, 200)])
def test_the_interval_holds_the_rate(hits, count):
    low, high = (
        float(each) / 100
        for each in mistakes.interval(hits, count)[:-2].partition("[")[2].split("%, ")
    )
    assert low <= hits / count <= high
    assert high - low < 0.05
