"""Targets: the public entries that read what strangers write, and what must hold for each."""

import io
import json
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from fuzz.cases import SECRET, Case
from inertial_check.checking.baseline import Baseline
from inertial_check.checking.check import Document, ReportContent, check_documents
from inertial_check.checking.configuration import OPTIONS, Configurations
from inertial_check.checking.report import Report
from inertial_check.checking.settings import FORMS, Settings
from inertial_check.documents.files import walking
from inertial_check.documents.files.walking import PathPattern
from inertial_check.documents.load import load
from inertial_check.documents.meshes import triangles
from inertial_check.errors import DefectError, DocumentError, InertialCheckError
from inertial_check.fixing.edits import fix_model
from inertial_check.identification.recordings import read_recording
from inertial_check.inertia.meshes import measure
from inertial_check.programs.cli.main import main
from inertial_check.reports import View, render
from inertial_check.reports.page.page import build_page

DATA = Path(__file__).parents[3] / "data"

LONGEST_ERROR = 10_000
"""Largest length of the message of a DocumentError [characters]; longer ones flood a log."""

_FORMS_FOR_PEOPLE = ("full", "concise", "github")
_CONTENTS = (
    ReportContent("findings"),
    ReportContent("findings"),
    ReportContent("all"),
    ReportContent("none", causes=False),
)


class ViolationError(Exception):
    """An input breaks a promise; the message says which."""


def expect_messages(messages: Iterable[object]) -> None:
    """Hold that messages name no internal error, are one line, and show no secret."""
    for message in map(str, messages):
        if "internal error" in message or "Traceback" in message:
            raise ViolationError(f"internal error in a message: {message}")
        if SECRET in message:
            raise ViolationError(f"the content of a file outside in a message: {message}")


def expect_output(text: str, form: str = "full") -> None:
    """Hold that a report in any form shows no secret, internal error or control character."""
    if SECRET in text:
        raise ViolationError(f"the content of a file outside in {form}: {text[:2000]}")
    if "internal error" in text or "Traceback (most recent" in text:
        at = max(text.find("internal error"), text.find("Traceback (most recent"))
        raise ViolationError(f"internal error in {form}: {text[max(at - 300, 0) : at + 700]}")
    if form in _FORMS_FOR_PEOPLE:
        strange = {each for each in text if each != "\n" and (ord(each) < 32 or each == "\x7f")}
        if strange:
            raise ViolationError(
                f"control characters {sorted(strange)!r} in {form}: {text[:1500]!r}"
            )


def expect_form(text: str, form: str) -> None:
    """Hold that a report can be parsed by what reads its form."""
    expect_output(text, form)
    try:
        if form in ("json", "sarif", "gitlab"):
            json.loads(text)
        elif form == "jsonl":
            for line in text.split("\n")[:-1]:
                json.loads(line)
        elif form == "junit":
            ElementTree.fromstring(text.encode())
    except ValueError as error:
        raise ViolationError(f"no valid {form}: {error}") from None
    except ElementTree.ParseError as error:
        raise ViolationError(f"no valid {form}: {error}") from None


def check_model(case: Case, path: Path, rng: Random) -> None:
    """Check a model as a part of a run, render the report, and sometimes fix the model."""
    settings = Settings().validate()
    document = Document(str(path), rng.random() < 0.7, settings)
    form = rng.choice(FORMS)
    content = ReportContent("all") if form == "html" else rng.choice(_CONTENTS)
    result = check_documents([document], content)[0]
    expect_messages(each for each in (result.failure, result.note) if each is not None)
    files = () if result.file is None else (result.file,)
    for file in files:
        expect_messages(finding.message for finding in (*file.findings, *file.suppressed))
        expect_messages(file.notes)
    report = Report(files)
    page = form == "html"
    text = build_page(report, lambda _: settings) if page else render(report, form, View(0))
    expect_form(text, form)
    if rng.random() < 0.25:
        _fix(path, rng)


def _fix(path: Path, rng: Random) -> None:
    method = rng.choice(["nearest", "nearest", "nearest", "geometry"])
    cause = rng.choice([None, None, 1]) if method == "nearest" else None
    fix = fix_model(path, unsafe=rng.random() < 0.7, method=method, cause=cause)
    expect_messages(fix.notes if hasattr(fix, "notes") else ())
    load(fix.data, path=str(path)) if fix.changed else None


def run_command(arguments: list[str]) -> str:
    """Run the command line in this process; returns what it prints."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", "replace"))  # type: ignore[attr-defined]
    shown = " ".join(arguments)
    if code not in (0, 1, 2):
        raise ViolationError(f"exit code {code} of {shown}: {texts[1][:500]}")
    expect_output(texts[1], f"stderr of {shown}")
    return texts[0]


def check_on_command_line(case: Case, path: Path, rng: Random) -> None:
    """Check, fix, compare or walk through a model on the command line."""
    choice = rng.randrange(6)
    form = rng.choice(FORMS)
    common = ["--isolated", "--jobs", "1", "--no-cache"]
    if choice == 0:
        expect_form(
            run_command(["check", *common, "--output-format", form, str(path.parent)]), form
        )
    elif choice <= 2:
        expect_form(run_command(["check", *common, "--output-format", form, str(path)]), form)
    elif choice == 3:
        run_command(["fix", "--unsafe", *rng.choice([[], ["--write"]]), str(path)])
    elif choice == 4:
        names = rng.choice([[], ["--lump-fixed"], ["--output-format", "json"], ["--impact"]])
        run_command(["diff", *names, str(path), str(DATA / "arm.urdf")])
    else:
        run_command(["check", *common, "-v", str(path)])


def read_configuration(case: Case, path: Path, rng: Random) -> None:
    """Read a configuration file, and show where every option is set."""
    model = str(path.parent / "robots" / "a.urdf")
    configuration = Configurations().of(model)
    for name in OPTIONS:
        for value in configuration.values(name):
            expect_messages([value.where])
    settings = configuration.settings
    settings.excludes(model)
    settings.rules()
    for exemption in settings.exemptions:
        exemption.files.matches(model) if hasattr(exemption, "files") else None


def read_baseline(case: Case, path: Path, rng: Random) -> None:
    """Read a baseline, and apply it to a report."""
    baseline = Baseline.read(str(path))
    report = Report(())
    result = baseline.apply(report, lambda _: ("IC301",))
    result.kept.write()


def read_ignore_file(case: Case, path: Path, rng: Random) -> None:
    """Read a .gitignore, and match names that make a pattern go back often."""
    folder = str(path.parent)
    ignores = walking.within(folder, (), lambda at, error: expect_messages([error]))
    lines = case.data.decode("latin-1").split("\n")[:50]
    names = ["a", "a" * 200, "a/" * 60 + "b", "keep.tmp", "é/\udcff", "x" * 40 + ".tmp", *lines[:5]]
    for name in names:
        if name.strip("/") and "\0" not in name:
            walking.is_ignored(ignores, f"{folder}/{name[:250]}", rng.random() < 0.5)
    for line in lines:
        pattern = PathPattern(folder, line[:2000])
        for name in names if pattern.valid else ():
            pattern.matches(f"{folder}/{name[:250]}")


def read_recordings(case: Case, path: Path, rng: Random) -> None:
    """Read a recording; sometimes identify from it."""
    read_recording(case.data if rng.random() < 0.7 else path)
    if rng.random() < 0.1:
        robot = str(DATA / "recordings" / "arm.urdf")
        run_command(["identify", str(path), "--model", robot, "-q"])


def project_table(case: Case, path: Path, rng: Random) -> None:
    """Project a table on the command line."""
    about = rng.choice(["origin", "origin", "com"])
    order = rng.choice([[], ["--order", "urdf"], ["--order", "urdf"]])
    run_command(["project", "--about", about, *order, str(path)])


def read_weights(case: Case, path: Path, rng: Random) -> None:
    """Project a table with damaged weights, or a damaged prior."""
    table = str(DATA / "tables" / "identified.csv")
    metric, option = rng.choice([("weighted", "--weights"), ("prior", "--prior")])
    order = rng.choice([[], ["--order", "urdf"]])
    common = ["project", "--about", "origin", "--metric", metric]
    run_command([*common, *order, option, str(path), table])


def read_mesh(case: Case, path: Path, rng: Random) -> None:
    """Read a mesh and measure it."""
    measure(triangles(path))


def read_name_map(case: Case, path: Path, rng: Random) -> None:
    """Compare two models with a map of names."""
    a, b = DATA / "diff" / "gripper.urdf", DATA / "diff" / "gripper.xml"
    run_command(["diff", "--map", str(path), str(a), str(b)])


def count_results(case: Case, path: Path, rng: Random) -> None:
    """Count a report or stored rows that somebody has changed."""
    form = rng.choice(["text", "json", "markdown", "csv"])
    by = rng.choice([[], ["--by", "upstream,rule"], ["--by", "engine,verdict"]])
    run_command(["summary", *by, "--output-format", form, str(path)])


def fill_model(case: Case, path: Path, rng: Random) -> None:
    """Fill a model, or compare it with itself and with another."""
    choice = rng.randrange(3)
    if choice == 0:
        total = rng.choice([[], ["--total-mass", "5"], ["--shapes", "collision"]])
        run_command(["fill", "--density", "1000", *total, str(path)])
    else:
        other = path if choice == 1 else DATA / "arm.urdf"
        run_command(["diff", *rng.choice([[], ["--impact"]]), str(path), str(other)])


def resume_check(case: Case, path: Path, rng: Random) -> None:
    """Resume a run from a damaged journal."""
    common = ["--isolated", "--jobs", "1", "--no-cache", "--output-format", "json"]
    form = run_command(["check", *common, "--resume", str(path), str(DATA / "arm.urdf")])
    expect_form(form, "json") if form else None


def identify_robot(case: Case, path: Path, rng: Random) -> None:
    """Identify the parameters of a damaged robot."""
    data = str(DATA / "recordings" / "train.csv")
    run_command(["identify", data, "--model", str(path), "-q"])


Target = Callable[[Case, Path, Random], None]

_MODELS = ("urdf", "mjcf", "sdf", "usd", "xacro", "ros-yaml")
TARGETS: dict[str, Target] = {
    **dict.fromkeys(_MODELS, check_model),
    "command": check_on_command_line,
    "configuration": read_configuration,
    "baseline": read_baseline,
    "gitignore": read_ignore_file,
    "recording": read_recordings,
    "table": project_table,
    "weights": read_weights,
    "mesh": read_mesh,
    "names": read_name_map,
    "results": count_results,
    "fill": fill_model,
    "journal": resume_check,
    "identify": identify_robot,
}
"""The targets, by name."""


def run_target(target: str, case: Case, path: Path, rng: Random) -> None:
    """Call a target; the documented exceptions of the package are no violation.

    Raises:
        ViolationError: Something that must hold does not.
    """
    if target == "editor":
        from fuzz.editor import edit_document as function
    elif target == "messages":
        from fuzz.editor import send_messages as function
    elif target in TARGETS:
        function = TARGETS[target]
    else:
        from fuzz.traps import TRAPS

        function = lambda case, path, rng: TRAPS[target]()  # noqa: E731
    try:
        function(case, path, rng)
    except DefectError as error:
        raise ViolationError(f"internal error: {error}") from error
    except InertialCheckError as error:
        expect_messages([error])
        if isinstance(error, DocumentError) and len(str(error)) > LONGEST_ERROR:
            size = len(str(error))
            raise ViolationError(f"a message of {size} characters: {error!s:.300}") from None
    if sys.getrecursionlimit() < 1000:
        raise ViolationError("the limit of recursion was changed")
