"""Any bytes end in a report or a documented error: quickly, in little memory, without secrets."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

SECURITY = Path(__file__).parent
sys.path.insert(0, str(SECURITY))

from fuzz.inputs import make_input  # noqa: E402
from fuzz.runner import HERE, SHARES, Input, choose_inputs, run_inputs, save_input  # noqa: E402

pytest.importorskip("resource", reason="the memory of a process can be bounded on POSIX only")


@pytest.mark.fuzz
def test_no_damaged_input_breaks_a_promise(request, tmp_path_factory):
    count = 100_000 if request.config.getoption("--long") else 150
    outcome = run_inputs(choose_inputs(20, count))
    assert sum(outcome.counts.values()) >= 0.95 * count
    folder = tmp_path_factory.mktemp("fuzz")
    lines = [
        f"python tests/security/fuzz {each}\n  {problem}\n  saved: {save_input(each, folder)}"
        for each, problem in outcome.failures.items()
    ]
    assert not lines, "\n".join(lines)


def digest(numbers=4):
    """A digest of a few inputs of every target."""
    data = (make_input(name, 5, number).data for name in SHARES for number in range(numbers))
    return sha256(b"".join(data)).hexdigest()


def test_an_input_is_determined_by_target_seed_and_number():
    paths = [str(SECURITY), str(SECURITY.parents[1])]
    code = f"import sys; sys.path[:0] = {paths!r}; import test_fuzz; print(test_fuzz.digest())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == digest()
    for target in SHARES:
        assert len({make_input(target, 5, number).data for number in range(4)}) > 1


TRAPS = {
    "waiting": "it waits for more than",
    "memory": "MemoryError",
    "warning": "RuntimeWarning: overflow",
    "undocumented": "KeyError: 'a name'",
    "secret": "a file outside in a message",
    "stderr": "on stderr: Traceback",
    "exit": "SystemExit: 3",
}


def test_the_fuzzer_notices_what_breaks_a_promise_and_goes_on():
    inputs = [Input(trap, 1, 0) for trap in TRAPS]
    outcome = run_inputs([*inputs, Input("names", 1, 0)], patience=5.0)
    for each in inputs:
        assert TRAPS[each.target] in outcome.failures[each]
    assert outcome.counts.total() == len(TRAPS) + 1
    assert len(outcome.failures) == len(TRAPS)


def test_the_fuzzer_notices_an_input_that_takes_more_than_ten_seconds(request):
    if not request.config.getoption("--long"):
        pytest.skip("takes ten seconds of the processor: in the long form")
    outcome = run_inputs([Input("endless", 1, 0), Input("names", 1, 1)])
    assert "more than 10 s" in outcome.failures[Input("endless", 1, 0)]


def test_one_command_repeats_an_input_and_saves_it(tmp_path):
    command = [sys.executable, str(HERE), "--target", "baseline", "--seed", "3", "--input", "4"]
    told = subprocess.run(
        [*command, "--save", str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "1 inputs" in told.stdout
    saved = save_input(Input("baseline", 3, 4), tmp_path)
    assert saved.read_bytes() == make_input("baseline", 3, 4).data
