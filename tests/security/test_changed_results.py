"""Results and reports that somebody has changed: `summary` counts them or says what is wrong."""

import copy
import json

import pytest

from inertial_check.programs.cli.main import main

OTHERS = ("left out", None, 5, "x", [], {}, [1], 1e400, [["a"], "b"], {"a": 1})


def list_places(value, place=()):
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*place, key)
            yield from list_places(member, (*place, key))


@pytest.fixture(params=["jsonl", "json", "rows"])
def lines(request, tmp_path, monkeypatch, data_dir):
    """The lines of a report, or of stored rows, of a model with two findings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_bytes((data_dir / "arm.urdf").read_bytes())
    common = ["check", "arm.urdf", "-q", "--no-cache"]
    if request.param == "rows":
        main([*common, "--results", "out", "--results-format", "jsonl"])
        (path,) = tmp_path.glob("out/*/*.jsonl")
    else:
        path = tmp_path / "report"
        main([*common, "--output-format", request.param, "--output-file", str(path)])
    text = path.read_text()
    return (
        [json.loads(text)]
        if request.param == "json"
        else list(map(json.loads, text.split("\n")[:-1]))
    )


def test_no_change_of_a_member_is_an_internal_error(lines, capsys, amount):
    codes = set()
    for at, place in list(enumerate(list_places(lines)))[:: amount(3, 1)]:
        changed = copy.deepcopy(lines)
        *way, last = place
        holder = changed
        for key in way:
            holder = holder[key]
        other = OTHERS[at % len(OTHERS)]
        if other == "left out":
            del holder[last]
        else:
            holder[last] = other
        with open("changed", "w", encoding="utf-8") as stream:
            stream.write("\n".join(map(json.dumps, changed)))
        codes.add(main(["summary", "changed"]))
        told = capsys.readouterr().err
        assert "internal error" not in told, (place, other)
        assert len(told) < 500
    assert codes == {0, 2}
