"""Attacks with the structure of documents: depth, number of elements, aliases, absurd JSON."""

import json

import pytest

import inertial_check as ic
from inertial_check.checking.baseline import Baseline
from inertial_check.documents.context import DEEPEST, NestingError, check_nesting
from inertial_check.errors import DocumentError, UsageError

INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
LINK = "{mass: 1, inertia: {ixx: 1, iyy: 1, izz: 1, ixy: 0, ixz: 0, iyz: 0}}"


def nest_bodies(depth, closed=True):
    end = "</body>" * depth + "</worldbody></mujoco>"
    return f"<mujoco><worldbody>{f'<body>{INERTIAL}' * depth}{end if closed else ''}".encode()


@pytest.mark.parametrize(
    "document",
    [
        nest_bodies(100_000),
        nest_bodies(100_000, closed=False),
        b"<sdf version='1.9'>" + b"<model name='m'>" * 100_000 + b"</model>" * 100_000 + b"</sdf>",
        b"<robot name='r'>" + b"<link name='a'>" * 100_000 + b"</link>" * 100_000 + b"</robot>",
    ],
    ids=["bodies", "bodies that are never closed", "models", "links"],
)
def test_a_hundred_thousand_nested_elements_are_refused_at_the_limit(document):
    with pytest.raises(DocumentError, match=f"nested too deep.* limit is {DEEPEST}"):
        ic.check_model(document)


def test_bodies_nested_up_to_the_limit_are_checked():
    assert len(ic.check_model(nest_bodies(DEEPEST - 10)).bodies) == DEEPEST - 10


def test_more_elements_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr("inertial_check.documents.context.MOST_ELEMENTS", 1000)
    monkeypatch.setattr("inertial_check.documents.xml.document.MOST_ELEMENTS", 1000)
    with pytest.raises(DocumentError, match="too many elements: the limit is 1000"):
        ic.check_model(b"<robot name='a'>" + b"<a/>" * 1000 + b"</robot>")
    with pytest.raises(NestingError, match="too many nodes"):
        check_nesting(1, 1001, "node")


def read_yaml(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    return ic.check_model(path)


def test_nested_yaml_is_refused(tmp_path):
    with pytest.raises(DocumentError, match="nested too deep"):
        read_yaml(tmp_path, f"a: {'[' * 100_000}{']' * 100_000}\nb: {LINK}\n")


def test_merged_keys_that_grow_with_each_alias_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("inertial_check.documents.ros_yaml.MOST_ELEMENTS", 10_000)
    rows = "".join(f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}\n" for i in range(1, 400))
    with pytest.raises(DocumentError, match="merged keys"):
        read_yaml(tmp_path, f"a0: &a0 {{k: 1}}\n{rows}l: {LINK}\n")


def test_aliases_that_double_below_the_deepest_link_end(tmp_path, request, monkeypatch):
    if not request.config.getoption("--long"):  # visits up to the limit take seconds
        monkeypatch.setattr("inertial_check.documents.ros_yaml._MOST_VISITS", 25_000)
    rows = "".join(f" a{i}: &a{i} {{x: *a{i - 1}, y: *a{i - 1}}}\n" for i in range(1, 60))
    with pytest.raises(DocumentError, match="do aliases repeat them without bound"):
        read_yaml(tmp_path, f"c:\n a0: &a0 {{l: {LINK}}}\n{rows}b: {{z: *a59}}\n")


ENTRY = {"file": "a.urdf", "body": "a", "code": "IC301", "findings": 1, "margin": -0.5}


def write_baseline(entry=ENTRY, **replaced):
    text = json.dumps({"schema_version": "1", "entries": [entry]})
    for name, value in replaced.items():
        text = text.replace(f'"{name}": {json.dumps(entry[name])}', f'"{name}": {value}')
    return text


@pytest.mark.parametrize(
    "text",
    [
        write_baseline(findings="1" * 5000),
        write_baseline(margin="1" * 400),
        write_baseline(margin="1" * 5000),
        write_baseline(margin="1e999999999999"),
        write_baseline(findings="[" * 100_000 + "]" * 100_000),
        "[" * 100_000,
        '{"a": "entries", "b": [1], "schema_version": "1", "entries": [{}, {}]}',
    ],
)
def test_an_absurd_baseline_is_a_usage_error(tmp_path, text):
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="no baseline"):
        Baseline.read(str(path))
