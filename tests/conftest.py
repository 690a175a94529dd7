"""Options and fixtures that every test may use."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

os.environ.pop("COLUMNS", None)  # pytest-xdist sets the width of a terminal that nobody looks at
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: more only wait for another
os.environ["INERTIAL_CHECK_USER_FOLDER"] = tempfile.mkdtemp(prefix="inertial-check-tests-")

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
PROJECT = TESTS.parent
sys.path[:0] = [str(TESTS / "truths"), str(TESTS / "support")]  # `import oracles`

from array_libraries import HOW_TO, Library  # noqa: E402

# Timing of single examples says nothing on a shared machine, so there is no deadline.
settings.register_profile("quick", deadline=None, max_examples=15, print_blob=True)
settings.register_profile(
    "long", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)

XLA_VERSION = "0.10."
XLA_FLAGS = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
"""What XLA compiles once for a few numbers, it compiles in a quarter of the time with these.

XLA ends a process for a flag that it does not know, so only this version of it is given them.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long", action="store_true", help="corpus and fuzz suites in their long form"
    )
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("--long") else "quick")
    if not config.getoption("--long") and _version("jaxlib").startswith(XLA_VERSION):
        os.environ.setdefault("XLA_FLAGS", " ".join(XLA_FLAGS))
    # A shell starts background jobs with these ignored, and programs under test inherit that.
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long"):
        return
    second = "JAX compiles each call for a second precision: run pytest with --long"
    beside = "JAX compiles each call as a whole in a test beside this one: run pytest with --long"
    for item in items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        if "jax" not in (given.get("library"), given.get("xp")):
            continue
        if given.get("dtype") == "float32":
            item.add_marker(pytest.mark.skip(reason=second))
        elif item.name.startswith("test_the_same_numbers_in_") and "name" in given:
            item.add_marker(pytest.mark.skip(reason=beside))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave sixteen thousand tests and their libraries out of every search for garbage."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["INERTIAL_CHECK_USER_FOLDER"], ignore_errors=True)


@pytest.fixture(scope="session")
def amount(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """amount(quick, long) -> how many of something: the second of them with --long."""
    return lambda quick, long: long if request.config.getoption("--long") else quick


@pytest.fixture(scope="session")
def project_root() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def data_dir() -> Path:
    return PROJECT / "data"


def _shared(variable: str, what: str) -> Path:
    folder = os.environ.get(variable)
    if not folder:
        pytest.skip(f"set {variable} to the folder of {what}")
    if not Path(folder).is_dir():
        pytest.fail(f"{variable}={folder} is no directory")
    return Path(folder)


@pytest.fixture(scope="session")
def corpus() -> Path:
    return _shared("INERTIAL_CHECK_CORPUS", "real robot models with TRUTH.jsonl")


@pytest.fixture(scope="session")
def cases() -> Path:
    return _shared("INERTIAL_CHECK_CASES", "real broken inertials (real_inertials.json)")


@pytest.fixture(scope="session")
def datasets() -> Path:
    return _shared("INERTIAL_CHECK_DATASETS", "identification data and parameter tables")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden("folder/name.txt", text): the text equals the stored file, byte for byte."""

    def compare(name: str, text: str) -> None:
        path = TESTS / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), (
            f"no golden file {name}: run pytest --update-golden and review the diff"
        )
        assert text == path.read_bytes().decode(), f"{name} differs; --update-golden if intended"

    return compare


@pytest.fixture
def jax() -> Iterator[Any]:
    """JAX with double precision."""
    module = pytest.importorskip("jax", reason=HOW_TO["jax"])
    before = module.config.jax_enable_x64
    module.config.update("jax_enable_x64", True)
    yield module
    module.config.update("jax_enable_x64", before)


@pytest.fixture(params=list(HOW_TO))
def library(request: pytest.FixtureRequest) -> Library:
    """Each array library in turn; JAX with double precision."""
    if request.param == "jax":
        request.getfixturevalue("jax")
    return Library(request.param)


@pytest.fixture
def run(capsys):
    """run(*argv) -> exit code, stdout, stderr of a command line."""
    from inertial_check.programs.cli.main import main  # a broken command costs its own tests only

    def run(*argv):
        code = main(argv)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
