import pytest

from inertial_check.cli.main import main


@pytest.fixture
def run(capsys):
    """run(*argv) -> exit code, stdout, stderr of a command line."""

    def run(*argv):
        code = main(argv)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
