import pytest

import verdicts


@pytest.fixture(scope="session")
def truth(corpus):
    """File -> the rows of TRUTH.jsonl on its links, for every URDF document."""
    return verdicts.rows_of(corpus, "urdf")
