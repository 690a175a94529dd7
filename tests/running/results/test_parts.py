"""Parts of results have the same bytes, however their rows came into them."""

import pytest

from inertial_check.checking.check import Document, DocumentResult, check_documents
from inertial_check.checking.settings import Settings
from inertial_check.running.results.counts import Counts, PendingTables
from inertial_check.running.results.reading import decode_rows, encode_rows, join
from inertial_check.running.results.rows import build_rows


@pytest.mark.parametrize("path", ["arm.urdf", "bras-é.urdf", "arm-\udcff.urdf"])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_rows_at_once_are_the_same_part_as_joined_pieces(form, path):
    if form == "parquet":
        pytest.importorskip("pyarrow", reason='pip install "inertial-check[cluster]"')
    rows = build_rows("robots", DocumentResult(path), "digest", "key", None) * 2
    part = join([encode_rows(rows, form)], form)
    assert part == join([encode_rows([row], form) for row in rows], form)
    row, _ = decode_rows(part, form, ["path"] if form == "parquet" else None)
    written = path if form == "jsonl" else path.replace("\udcff", "\\udcff")
    assert row["path"] == written


def test_both_ways_count_the_same(data_dir):
    pytest.importorskip("pyarrow", reason='pip install "inertial-check[cluster]"')
    paths = [data_dir / name for name in ("arm.urdf", "defects/ic502-mass-replaced.urdf")]
    results = check_documents([Document(str(path), True, Settings()) for path in paths])
    rows = [row for each in results for row in build_rows("robots", each, "digest", "key", None)]
    part = join([encode_rows(rows, "parquet")], "parquet")
    one_by_one, tables = Counts(), PendingTables(Counts())
    one_by_one.add_rows(decode_rows(part, "parquet"))
    tables.add(part)
    tables.flush()
    assert one_by_one.findings == tables.counts.findings
    assert one_by_one.bodies == tables.counts.bodies
    assert one_by_one.total() == tables.counts.total()
