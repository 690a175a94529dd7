"""Parts of results have the same bytes, however their rows came into them."""

import pytest

from inertial_check.checking.check import DocumentResult
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
