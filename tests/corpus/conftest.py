import json
from collections import defaultdict

import pytest


@pytest.fixture(scope="session")
def truth(corpus):
    """File -> the rows of TRUTH.jsonl on its links, for every URDF document."""
    rows = defaultdict(list)
    for line in (corpus / "TRUTH.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["fmt"] == "urdf":
            rows[row["file"]].append(row)
    return rows
