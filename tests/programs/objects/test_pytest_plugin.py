"""The pytest plugin, in runs of pytest of their own; processes where they are the matter."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]

PLUGIN = "inertial_check.programs.pytest_plugin"
BROKEN, SOUND = {"forearm", "wrist_2"}, {"base_link", "palm", "finger_right", "(document)"}


@pytest.fixture
def project(pytester, data_dir):
    """A project with a robot that has two broken bodies, and a test of its own."""
    robots = pytester.mkdir("robots")
    shutil.copy(data_dir / "arm.urdf", robots)
    tests = pytester.mkdir("tests")
    (tests / "test_own.py").write_text("def test_own():\n    pass\n")
    return pytester


def configure(project, *lines):
    text = "\n".join(['testpaths = ["tests"]', *lines])
    project.makepyprojecttoml(f"[tool.pytest.ini_options]\n{text}\n")


INSTALLED = any(each.value == PLUGIN for each in entry_points(group="pytest11"))


def run(project, *args):
    """Run pytest in this process with this plugin alone: others take longer to import."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        name = "inertial-check" if INSTALLED else PLUGIN
        return project.runpytest_inprocess("-p", name, "-p", "no:cacheprovider", *args)


def outcomes(result):
    """Test -> PASSED or FAILED, by the names that -rA lists."""
    found = re.findall(
        r"^(PASSED|FAILED) \S*?::(.*?)(?: - .*)?$", result.stdout.str(), re.MULTILINE
    )
    return {name: word for word, name in found}


ALL = 'inertial_check_models = ["robots/**/*.urdf"]'


def test_every_body_is_a_test_beside_those_of_the_project(project):
    configure(project, ALL)
    found = outcomes(run(project, "-rA"))
    assert {name for name, word in found.items() if word == "FAILED"} == BROKEN
    assert {name for name, word in found.items() if word == "PASSED"} > SOUND | {"test_own"}
    assert len(found) == 10 + 1 + 1


def test_a_failure_is_the_finding_and_its_place_and_no_traceback(project):
    configure(project, ALL)
    result = run(project)
    result.assert_outcomes(passed=10, failed=2)
    result.stdout.fnmatch_lines(
        ["*_ arm.urdf: forearm _*", "robots/arm.urdf:38:21: error IC301 [[]forearm[]] no body has*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*_pytest_models*")


def test_the_test_of_the_document_tells_inertials_that_are_not_judged(project):
    configure(project, ALL)
    link, inertial = '<link name="a">{}</link>', '<inertial><mass value="1"/></inertial>'
    for name, one in (("some", inertial), ("none", "")):
        text = f'<robot name="r">{link.format(one)}<other>{inertial}</other></robot>'
        (project.path / "robots" / f"{name}.urdf").write_text(text)
    result = run(project, "-rA", "-k", "document")
    result.assert_outcomes(passed=2, failed=1, deselected=13)
    result.stdout.fnmatch_lines_random(
        [
            "1 inertial found, none judged: it stands in <other> in <robot>*allow-unjudged*",
            "2 inertials found, 1 judged; 1 not judged: it stands in <other> in <robot>*",
        ]
    )


def test_findings_that_do_not_fail_are_in_the_output(project):
    configure(project, ALL)
    result = run(project, "-rA", "-k", "finger_right")
    result.stdout.fnmatch_lines(["robots/arm.urdf:72:3: warning IC103 [[]finger_right[]] *"])


@pytest.mark.parametrize(("severity", "failing"), [("never", 0), ("error", 2), ("warning", 4)])
def test_from_which_severity_on_a_test_fails_is_configured(project, severity, failing):
    configure(project, ALL, f'inertial_check_fail_on = "{severity}"')
    run(project).assert_outcomes(passed=12 - failing, failed=failing)


def test_the_configuration_of_the_project_holds(project):
    configure(project, ALL)
    folder = project.path / "robots"
    (folder / "inertial-check.toml").write_text(
        'fail-on = "warning"\n[per-body-ignores]\n"arm.urdf::forearm" = ["IC301"]\n'
    )
    found = outcomes(run(project, "-rA"))
    failed = {name for name, word in found.items() if word == "FAILED"}
    assert failed == {"wrist_2", "finger_left", "finger_right"}


def test_what_the_baseline_knows_does_not_fail(project):
    configure(project, ALL)
    (project.path / "inertial-check.toml").write_text('baseline = "known.json"\n')
    command = [sys.executable, "-m", "inertial_check", "check", "robots"]
    write = [*command, "--write-baseline", "known.json"]
    subprocess.run(write, cwd=project.path, check=True, capture_output=True)
    run(project).assert_outcomes(passed=12)
    robot = project.path / "robots" / "arm.urdf"
    robot.write_text(robot.read_text().replace('iyy="0.0801"', 'iyy="0.00801"'))
    run(project).assert_outcomes(passed=12)  # an entry of the baseline that is gone


def test_selection_by_file_and_by_node_works(project):
    configure(project, ALL)
    run(project, "robots/arm.urdf::palm").assert_outcomes(passed=1)
    run(project, "tests").assert_outcomes(passed=1)
    run(project, "robots").assert_outcomes(passed=9, failed=2)


def test_collecting_alone_names_the_bodies_and_checks_nothing(project):
    configure(project, ALL)
    result = run(project, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["robots/arm.urdf::forearm", "robots/arm.urdf::(document)"])
    assert result.ret == 0


def test_xdist_runs_the_same(project):
    pytest.importorskip("xdist", reason="install pytest-xdist")
    configure(project, ALL)
    run(project, "-p", "xdist", "-n", "2").assert_outcomes(passed=10, failed=2)


def test_a_document_that_cannot_be_read_is_one_failing_test(project):
    (project.path / "robots" / "broken.urdf").write_text('<robot name="r">\n  <link name="a">\n')
    configure(project, ALL)
    result = run(project, "robots/broken.urdf")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["robots/broken.urdf:*: error IC001 *"])


def test_what_is_no_model_fails_where_it_is_named_and_is_left_out_of_a_folder(project):
    (project.path / "robots" / "note.xml").write_text("<note/>")
    configure(project, 'inertial_check_models = ["robots"]')
    run(project).assert_outcomes(passed=10, failed=2)
    configure(project, 'inertial_check_models = ["robots/note.xml"]')
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*root element <note> is no robot model*"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('inertial_check_models = ["robots/*.sdf"]', "no robot model in robots/[*].sdf"),
        ('inertial_check_models = ["none.urdf"]', "none.urdf: No such file"),
        (f'{ALL}\ninertial_check_fail_on = "fatal"', "'fatal': expected error, warning"),
    ],
)
def test_a_gate_that_gates_nothing_stops_the_run(project, line, words):
    configure(project, line)
    result = run(project)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words}*"])


def test_models_that_pytest_does_not_come_to_are_named(project):
    shutil.move(project.path / "robots", project.path / "build")  # norecursedirs has it
    project.makepyprojecttoml(
        '[tool.pytest.ini_options]\ninertial_check_models = ["build/*.urdf"]\n'
    )
    result = run(project)
    result.stdout.fnmatch_lines(["*not collected: build/arm.urdf; does norecursedirs hide it?"])


def test_bodies_of_one_name_and_scoped_names_are_told_apart(project):
    inertial = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 {}"/><freejoint/>'
    (project.path / "robots" / "twins.xml").write_text(
        "<mujoco><worldbody>"
        f"<body>{inertial.format('2.5')}</body><body>{inertial.format('1.5')}</body>"
        "</worldbody></mujoco>"
    )
    (project.path / "robots" / "world.sdf").write_text(
        '<sdf version="1.9"><model name="outer"><model name="inner"><link name="a">'
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>2.5</izz></inertia>"
        "</inertial></link></model></model></sdf>"
    )
    configure(project, 'inertial_check_models = ["robots/*.xml", "robots/*.sdf"]')
    found = outcomes(run(project, "-rA", "robots"))
    assert {name for name, word in found.items() if word == "FAILED"} == {"body#1", "outer/inner/a"}
    assert found["body#2"] == "PASSED"
    run(project, "robots/world.sdf::outer/inner/a").assert_outcomes(failed=1)


def test_bodies_that_share_a_name_are_two_tests(project):
    (project.path / "robots" / "twins.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="a"/><link name="b"/></robot>'
    )
    configure(project, 'inertial_check_models = ["robots/twins.urdf"]')
    listed = run(project, "robots", "--collect-only", "-q").stdout.lines
    names = {line.partition("::")[2] for line in listed if "twins.urdf::" in line}
    assert len(names) == 4
    assert names > {"b", "(document)"}


def test_a_configuration_that_cannot_be_read_is_said_in_a_line(project):
    (project.path / "robots" / "inertial-check.toml").write_text("fail_on = 3\n")
    for paths in ("robots/*.urdf", "robots/arm.urdf"):
        configure(project, f'inertial_check_models = ["{paths}"]')
        result = run(project)
        assert result.ret != 0
        text = result.stdout.str() + result.stderr.str()
        assert "did you mean 'fail-on'?" in text
        assert "Traceback" not in text


def test_the_entry_point_of_the_package_is_the_plugin(project_root):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {"inertial-check": PLUGIN}


def test_without_the_option_nothing_is_loaded():
    code = (
        f"import sys, {PLUGIN}\n"
        "heavy = [m for m in sys.modules if m.split('.')[0] == 'numpy'"
        " or m.startswith('inertial_check.') and 'programs' not in m"
        " and m != 'inertial_check.documents']\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_the_option_no_hook_is_added(project):
    configure(project)
    project.makeconftest(
        "def pytest_collection_finish(session):\n"
        "    assert not session.config.pluginmanager.has_plugin('inertial-check-models')\n"
    )
    run(project).assert_outcomes(passed=1)


@pytest.mark.skipif(not INSTALLED, reason="install inertial-check: pip install -e .")
def test_pytest_finds_the_plugin_by_itself_and_selects_by_name(project):
    configure(project, ALL)
    project.runpytest_subprocess("-k", "forearm").assert_outcomes(failed=1, deselected=11)
