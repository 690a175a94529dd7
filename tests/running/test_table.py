"""The table of findings that `ic.check_models` gives."""

import pytest

import inertial_check as ic
from inertial_check.running.table import COLUMNS


def test_rows_iteration_and_index_are_the_findings():
    found = ic.check_models("data/arm.urdf")
    report = ic.check_model("data/arm.urdf")
    assert [each.code for each in found] == [each.code for each in report.findings]
    assert len(found) == len(found.rows) == 4
    assert found[0].body == "forearm"
    assert all(tuple(row) == COLUMNS for row in found.rows)
    assert found.rows[0]["remedy"] == "forearm: iyy=0.00801"
    assert (found.rows[0]["path"], found.rows[0]["line"]) == ("data/arm.urdf", 38)


def test_folders_and_lists_are_checked():
    paths = ["data/arm.urdf", "data/diff"]
    found = ic.check_models(paths)
    assert len(found.report.files) == 3
    assert repr(found) == "Findings(2 errors, 2 warnings, 0 notes in 3 files)"
    assert found == ic.check_models(paths)


def test_it_becomes_a_table_of_arrow_and_of_pandas():
    found = ic.check_models("data/arm.urdf")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    table = found.to_arrow()
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == found.rows
    pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    assert found.to_pandas()["code"].tolist() == [each.code for each in found]


@pytest.mark.parametrize("paths", ["no/such/folder", []])
def test_nothing_to_check_is_an_error(paths):
    with pytest.raises(ic.UsageError):
        ic.check_models(paths)
