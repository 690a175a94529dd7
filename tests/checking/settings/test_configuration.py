"""Where values come from, what is refused and where, and that the schema says the same."""

import contextlib
import json
import os
import re
import tomllib
from importlib.resources import files

import jsonschema
import pytest

from inertial_check.checking.configuration import FILE_NAMES, OPTIONS, Configurations
from inertial_check.checking.engines import ENGINES
from inertial_check.checking.report import Severity
from inertial_check.checking.settings import FORMS, Exemption
from inertial_check.documents.files.walking import PathPattern
from inertial_check.documents.source import Place
from inertial_check.errors import UsageError
from inertial_check.programs.cli.doctor import format_toml

SCHEMA = json.loads(
    files("inertial_check.checking").joinpath("configuration.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NAME = FILE_NAMES[0]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)


def of(path="robot.urdf", **command_line):
    return Configurations({k.replace("_", "-"): v for k, v in command_line.items()}).of(path)


def refusal(text, name=NAME):
    write(name, text)
    with pytest.raises(UsageError) as error:
        _ = of().settings
    return str(error.value)


class TestWhichFileCounts:
    def test_the_nearest_above_the_file_and_no_other(self):
        write(NAME, "strict = true\ntolerance = 0.1")
        write(f"a/b/{NAME}", "tolerance = 0.2")
        write("a/b/c/robot.urdf", "")
        assert of("a/robot.urdf")["tolerance"] == 0.1
        assert of("a/b/c/robot.urdf")["tolerance"] == 0.2
        assert of("a/b/c/robot.urdf")["strict"] is False
        assert of("a/b/c")["tolerance"] == 0.2

    def test_in_one_folder_the_first_name(self):
        write("pyproject.toml", "[tool.inertial-check]\ntolerance = 0.3")
        assert of()["tolerance"] == 0.3
        write(".inertial-check.toml", "tolerance = 0.2")
        assert of()["tolerance"] == 0.2
        write("inertial-check.toml", "tolerance = 0.1")
        assert of()["tolerance"] == 0.1

    @pytest.mark.parametrize(
        "text",
        [
            "[project]\nname = 'x'",
            "this is = = no TOML",
            "[tool.other]\nx = 'inertial-check'",
            "[project]\ndependencies = ['inertial-check']",
            "[project.scripts]\ninertial-check = 'tool:main'",
        ],
    )
    def test_a_pyproject_without_the_table_is_passed_over(self, text):
        write(NAME, "tolerance = 0.1")
        write("inner/pyproject.toml", text)
        assert of("inner/robot.urdf")["tolerance"] == 0.1

    def test_a_pyproject_that_names_the_program_has_to_be_toml(self):
        write("pyproject.toml", "[project]\ndependencies = ['inertial-check']\nthis is = = no TOML")
        with pytest.raises(UsageError, match=r"pyproject.toml:3:\d+: no valid TOML"):
            of()

    @pytest.mark.parametrize(
        "text",
        [
            "[tool.inertial-check]\ntolerance = 0.3",
            "[ tool . 'inertial-check' ]\ntolerance = 0.3",
            '["tool"."inertial-check"]\ntolerance = 0.3',
            "tool.inertial-check.tolerance = 0.3",
            "\ufefftool = { inertial-check = { tolerance = 0.3 } }",
            "'tool' = { x = 1, inertial-check.tolerance = 0.3 }",
            "[x]\ny = 1\n  [ tool ]\n'inertial-check' = { tolerance = 0.3 }",
            '[tool]\r\nx = 1\r\n"inertial-check".tolerance = 0.3',
            '["t\\u006fol".inertial-check]\ntolerance = 0.3',
        ],
    )
    def test_a_pyproject_has_the_table_in_whatever_form_toml_allows(self, text):
        write("pyproject.toml", text)
        assert of()["tolerance"] == 0.3

    def test_a_named_one_counts_everywhere_and_isolated_none(self):
        write(NAME, "tolerance = 0.1")
        write("other.toml", "tolerance = 0.2")
        assert Configurations(file="other.toml").of("robot.urdf")["tolerance"] == 0.2
        assert Configurations(isolated=True).of("robot.urdf")["tolerance"] == 0
        with pytest.raises(UsageError, match="choose one"):
            Configurations(file="other.toml", isolated=True)
        with pytest.raises(UsageError, match=r"cannot read absent.toml: No such file"):
            Configurations(file="absent.toml")
        write("pyproject.toml", "[project]")
        with pytest.raises(UsageError, match=r"no table \[tool.inertial-check\]"):
            Configurations(file="pyproject.toml")

    def test_files_of_one_configuration_share_one_object(self):
        write(NAME, "")
        known = Configurations()
        assert known.settings("a/x.urdf") is known.settings("b/y.urdf")
        assert known.run.settings is known.settings("x.urdf")


class TestWhatDecides:
    def test_command_line_then_file_then_extended_then_default(self):
        write("base.toml", "tolerance = 0.1\ngeometry = 'off'\nstrict = true\nengine = ['drake']")
        write(NAME, "extend = 'base.toml'\ntolerance = 0.2\nstrict = false")
        found = of(tolerance=0.3)
        assert [found[key] for key in ("tolerance", "strict", "geometry", "engine", "fail-on")] == [
            0.3,
            False,
            "off",
            ("drake",),
            "error",
        ]
        places = [str(found.values(key)[0].where) for key in ("tolerance", "strict", "geometry")]
        assert places == ["command line", f"{NAME}:3", "base.toml:2"]

    def test_selections_replace_and_extensions_add(self):
        write("base.toml", "select = ['IC3']\nextend-select = ['IC101']\nignore = ['IC301']")
        write(NAME, "extend = 'base.toml'\nextend-select = ['IC102']\nextend-ignore = ['IC302']")
        settings = of(extend_ignore=["IC303"]).settings
        assert settings.select == ("IC3", "IC101", "IC102")
        assert settings.ignore == ("IC301", "IC302", "IC303")
        settings = of(select=["IC5"], ignore=[]).settings
        assert (settings.select, settings.ignore) == (("IC5",), ())

    def test_tables_are_merged_member_by_member(self):
        write("base.toml", "[xacro-arg]\na = 1\nb = 'two'")
        write(NAME, "extend = 'base.toml'\n[xacro-arg]\nb = 2.5")
        assert of(xacro_arg={"c": "3"}).settings.context.xacro_args == {
            "a": "1",
            "b": "2.5",
            "c": "3",
        }

    def test_paths_are_taken_from_the_folder_of_their_file(self):
        write("shared/meshes/x", "")
        write("shared/base.toml", "exclude = ['/old/']\n[package-path]\npkg = 'meshes'")
        write(f"robots/{NAME}", "extend = '../shared/base.toml'\nbaseline = 'known.json'")
        found = of("robots/arm.urdf")
        assert found["baseline"] == "robots/known.json"
        (folder,) = found.settings.context.packages.values()
        assert os.path.samefile(folder, "shared/meshes")
        assert found.settings.excludes("shared/old/arm.urdf")
        assert not found.settings.excludes("robots/old/arm.urdf")

    def test_the_run_takes_the_folder_that_it_starts_in(self):
        write(NAME, "fail-on = 'note'")
        write(f"inner/{NAME}", "fail-on = 'never'")
        assert Configurations().run.settings.fail_on is Severity.NOTE


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("text", "place", "words"),
        [
            ("\ntolerance = 1 1", "2:15", "no valid TOML"),
            ("tolerance = [1,\n", "", "no valid TOML"),
            ("select = ['IC3']\nselect = ['IC3']", "2", "no valid TOML"),
            ("\n\nselct = ['IC3']", "3", "unknown key 'selct'; did you mean 'select'?"),
            ("fail_on = 'error'", "1", "did you mean 'fail-on'?"),
            ("[per-file-ignore]\n'x' = ['IC3']", "1", "did you mean 'per-file-ignores'?"),
            ("zzz = 1", "1", "expected one of select, "),
            ("# comment\nselect = 'IC3'", "2", "select is 'IC3': expected a list of texts"),
            ("select = [\n 'IC3',\n 3,\n]", "1", "expected a list of texts"),
            ("strict = 'yes'", "1", "strict is 'yes': expected true or false"),
            ("fail-on = 'fatal'", "1", "expected one of error, warning, note, never"),
            ("geometry = false", "1", "geometry is false: expected one of auto, off"),
            ("tolerance = -1", "1", "a number that is 0 or positive"),
            ("tolerance = nan", "1", "a number that is 0 or positive"),
            ("tolerance = true", "1", "a number that is 0 or positive"),
            ("expect-mass = '12:x'", "1", "KG or KG:REL"),
            ("expect-mass = 0", "1", "KG or KG:REL"),
            ("jobs = -1", "1", "a number of processes"),
            ("jobs = true", "1", "a number of processes"),
            ("output-format = 'yaml'", "1", "expected one of full, concise"),
            ("ignore = ['IC301', 'IC999']", "1", "unknown rule 'IC999'"),
            ("engine = ['mujocco']", "1", "unknown engine 'mujocco'"),
            ("preset = 'strict,simulator:mujocco'", "1", "unknown preset 'simulator:mujocco'"),
            (
                "[package-path]\na = '.'\nb = 'absent'",
                "3",
                "package-path.b: no such folder: absent",
            ),
            ("[xacro-arg]\na = true", "2", "xacro-arg.a is true: expected a text or a number"),
            ("xacro-arg = 'a:=1'", "1", "xacro-arg is 'a:=1': expected a table"),
            ("exclude = ['!a']", "1", "no pattern of paths"),
            ("exclude = ['a[']", "1", "no pattern of paths"),
            ("[per-file-ignores]\n'a' = ['IC9999']", "2", "unknown rule"),
            ("[per-body-ignores]\n\n'a' = ['IC3']", "3", "expected FILES::BODY"),
            ("[per-body-ignores]\n'::b' = ['IC3']", "2", "expected FILES::BODY"),
            ("[per-file-ignores]\n'a' = { reason = 'x' }", "2", "has no codes"),
            (
                "[per-file-ignores]\na = {codes=['IC3'], why='x'}",
                "2",
                "expected one of codes, reason",
            ),
            ("select = ['IC301']\nignore = ['IC301']", "1", "leave no rule to run"),
            ("extend = 'absent.toml'", "1", "no such file: absent.toml"),
            (f"\nextend = '{NAME}'", "2", "extends this file in turn"),
        ],
    )
    def test_with_the_place(self, text, place, words):
        message = refusal(text)
        assert message.startswith(f"{NAME}:{place}")
        assert words in message
        assert "\n" not in message

    def test_a_value_of_several_lines_is_where_it_begins(self):
        text = 'ignore = [\n "IC301",\n]\nselect = [\n "IC3",\n # IC999 = "none"\n "IC999",\n]\n'
        assert refusal(text).startswith(f"{NAME}:4: select: unknown rule 'IC999'")

    def test_below_a_table_in_pyproject(self):
        text = "[project]\nname = 'x'\n[tool.inertial-check]\nselect = []\nstrikt = true\n"
        assert refusal(text, "pyproject.toml").startswith("pyproject.toml:5: unknown key 'strikt'")
        assert "not a table" in refusal("tool.inertial-check = 3", "pyproject.toml")

    def test_a_table_with_an_underscore_is_not_ignored(self):
        message = refusal("[tool.inertial_check]\nstrict = true\n", "pyproject.toml")
        assert message.startswith("pyproject.toml:1: [tool.inertial_check] is not read")
        assert message.endswith("write [tool.inertial-check]")

    def test_line_ends_of_windows_count_as_one(self):
        assert refusal("strict = true\r\n\r\nselct = []\r\n").startswith(f"{NAME}:3: unknown key")

    def test_bytes_that_are_no_text(self):
        with open(NAME, "wb") as stream:
            stream.write(b"strict = true\n# \xff\n")
        with pytest.raises(UsageError, match=f"{NAME}:2: not UTF-8 text"):
            of()

    def test_two_that_extend_each_other(self):
        write("b.toml", f"\nextend = '{NAME}'")
        assert refusal("extend = 'b.toml'").startswith("b.toml:2: extend: ")

    def test_what_the_command_line_says_is_named_by_its_option(self):
        with pytest.raises(UsageError, match=r"^--expect-mass is 'much': expected KG or KG:REL"):
            of(expect_mass="much")


class TestExemptions:
    def test_forms_and_reasons(self):
        write(
            NAME,
            "[per-file-ignores]\n'a/' = ['IC3']\n[per-body-ignores]\n"
            "'*.urdf::outer::link' = { codes = ['IC103'], reason = 'frame' }",
        )
        by_file, by_body = of().settings.exemptions
        folder = os.getcwd()
        assert by_file == Exemption(PathPattern(folder, "a/"), None, ("IC3",), "")
        files = PathPattern(folder, "*.urdf")
        assert by_body == Exemption(files, "outer::link", ("IC103",), "frame")


ACCEPTED = """strict = true

[[accepted]]
files = "robots/*.urdf"
reason = "retired"

[[accepted]]
# the second one
files = "covers/"
bodies = "*_cover"
codes = ["IC301"]
reason = "sheet metal"
"""


class TestAccepted:
    """A typo in an entry would accept nothing, or more than its author knew, without a word."""

    def test_every_entry_has_its_line(self):
        write(NAME, ACCEPTED)
        folder = os.getcwd()
        assert of().settings.exemptions == (
            Exemption(
                PathPattern(folder, "robots/*.urdf"), None, ("ALL",), "retired", accepted=True,
                place=Place(3, 1, 3, 1, NAME),
            ),
            Exemption(
                PathPattern(folder, "covers/"), "*_cover", ("IC301",), "sheet metal", accepted=True,
                place=Place(7, 1, 7, 1, NAME),
            ),
        )  # fmt: skip

    def test_in_pyproject_and_inline(self):
        table = "[[tool.inertial-check.accepted]]\nfiles = 'a'\nreason = 'x'\n"
        write("pyproject.toml", f"[project]\nname = 'n'\n{table}{table}")
        assert [each.place.line for each in of().settings.exemptions] == [3, 6]
        write(
            NAME, "\naccepted = [\n {files = 'a', reason = 'x'},\n {files = 'b', reason = 'y'},\n]"
        )
        assert [each.place.line for each in of().settings.exemptions] == [2, 2]

    def test_are_kept_beside_those_of_the_file_that_is_extended(self):
        write("base.toml", "[[accepted]]\nfiles = 'a'\nreason = 'x'")
        write(NAME, "extend = 'base.toml'\n[[accepted]]\nfiles = 'b'\nreason = 'y'")
        assert [each.reason for each in of().settings.exemptions] == ["x", "y"]

    def test_a_header_inside_a_text_is_no_entry(self):
        text = 'exclude = ["""\n[[accepted]]\n"""]\n[[accepted]]\nfiles = "a"\nreason = "x"'
        write(NAME, text)
        assert [each.place.line for each in of().settings.exemptions] == [4]

    @pytest.mark.parametrize(
        ("text", "place", "words"),
        [
            ("\n[[accepted]]\nfiles = 'a'", "2", "accepted.1 has no reason"),
            (f"{ACCEPTED}\n[[accepted]]\nreason = 'x'", "14", "accepted.3 has no files"),
            ("[[accepted]]\nfiles = 'a'\nreason = ' '", "3", "reason is blank"),
            ("[[accepted]]\nfiles = 'a'\nreason = ''", "3", "expected a text"),
            ("[[accepted]]\nfiles = ['a']\nreason = 'x'", "2", "expected a text"),
            ("[[accepted]]\nfiles = '!a'\nreason = 'x'", "2", "no pattern of paths"),
            ("[[accepted]]\nfiles='a'\nreason='x'\ncodes=['IC999']", "4", "unknown rule 'IC999'"),
            ("[[accepted]]\nfiles='a'\nreason='x'\nbody='b'", "4", "did you mean 'bodies'?"),
            ("[accepted]\nfiles = 'a'\nreason = 'x'", "1", "a list of tables"),
            ("accepted = ['a']", "1", "expected a table"),
        ],
    )
    def test_what_is_wrong_has_its_place(self, text, place, words):
        message = refusal(text)
        assert message.startswith(f"{NAME}:{place}: accepted")
        assert words in message


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.urdf", "arm.urdf", True),
        ("*.urdf", "deep/in/arm.urdf", True),
        ("/*.urdf", "deep/arm.urdf", False),
        ("robots/*.urdf", "robots/arm.urdf", True),
        ("robots/*.urdf", "robots/deep/arm.urdf", False),
        ("robots/*.urdf", "other/robots/arm.urdf", False),
        ("robots/**/*.urdf", "robots/arm.urdf", True),
        ("robots/**", "robots/a/b/arm.urdf", True),
        ("third_party", "a/third_party/b/arm.urdf", True),
        ("third_party/", "third_party/arm.urdf", True),
        ("third_party/", "third_party", False),
        ("./robots", "robots/arm.urdf", True),
        ("../other/*.urdf", "../other/arm.urdf", True),
        ("a.urdf", "b.urdf", False),
        ("old/", "../other/old/arm.urdf", True),
        ("*", "../arm.urdf", True),
        ("/*", "../arm.urdf", False),
    ],
)
def test_patterns_are_those_of_git(pattern, path, matches):
    assert PathPattern(os.getcwd(), pattern).matches(path) == matches


class TestSchema:
    def test_it_is_one_and_has_the_keys(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        assert SCHEMA["properties"].keys() == OPTIONS.keys() | {"extend"}
        assert SCHEMA["properties"]["engine"]["items"]["enum"] == list(ENGINES)
        assert SCHEMA["properties"]["output-format"]["enum"] == list(FORMS)

    def test_what_the_pages_show_is_valid_and_read(self, project_root):
        shown = []
        for page in ("configuration.md", "suppressing.md"):
            text = (project_root / "docs" / page).read_text(encoding="utf-8")
            shown += re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        assert len(shown) >= 4
        os.makedirs(".git")
        os.makedirs("project/ros/arm_description")
        write("inertial-check.toml", "")
        for text in shown:
            values = tomllib.loads(text)
            name = "pyproject.toml" if "tool" in values else NAME
            VALIDATOR.validate(values.get("tool", {}).get("inertial-check", values))
            write(f"project/{name}", text)
            _ = Configurations(file=f"project/{name}").run.settings

    @pytest.mark.parametrize("name", SCHEMA["properties"])
    def test_examples_are_valid_and_read(self, name):
        os.makedirs("ros/arm_description")
        write("base.toml", "")
        for example in SCHEMA["properties"][name]["examples"]:
            VALIDATOR.validate({name: example})
            written = "base.toml" if name == "extend" else example
            write(NAME, f"{name} = {format_toml(written)}")
            # Outside the repository, so that what a checkout may not decide can be decided.
            os.makedirs("elsewhere/.git", exist_ok=True)
            with contextlib.chdir("elsewhere"):
                assert Configurations(file=f"../{NAME}").run.settings

    @pytest.mark.parametrize("name", OPTIONS)
    def test_defaults_are_those_of_the_program(self, name):
        default = OPTIONS[name].default
        if default not in ((), {}, None):
            written = list(default) if isinstance(default, tuple) else default
            assert SCHEMA["properties"][name]["default"] == written
        else:
            assert "default" not in SCHEMA["properties"][name]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("extend", "'../../outside.toml'"),
            ("xacro-env", "['HOME']"),
            ("follow-outside", "true"),
            ("max-file-size", "'1GB'"),
            ("timeout", "61"),
            ("fill", "{ prior = '../../outside.urdf' }"),
            ("baseline", "'../../outside.json'"),
        ],
    )
    def test_what_a_checkout_cannot_decide_has_a_remark(self, name, text):
        os.makedirs("repository/.git")
        write(f"repository/{NAME}", f"{name} = {text}")
        write("outside.toml", "")
        with contextlib.chdir("repository"), pytest.raises(UsageError):
            _ = Configurations().run.settings
        assert "inside the repository" in SCHEMA["properties"][name]["$comment"]

    @pytest.mark.parametrize("name", OPTIONS)
    def test_defaults_are_valid(self, name):
        default = OPTIONS[name].default
        if default is not None:
            written = list(default) if isinstance(default, tuple) else default
            VALIDATOR.validate({name: written})

    @pytest.mark.parametrize(
        "text",
        [
            "selct = []",
            "strict = 1",
            "tolerance = -1",
            "jobs = -1",
            "engine = ['mujocco']",
            "fail-on = 'fatal'",
            "per-body-ignores = { a = ['IC3'] }",
            "per-file-ignores = { a = { reason = 'x' } }",
            "per-file-ignores = { a = { codes = [], why = 'x' } }",
            "xacro-arg = { a = true }",
            "accepted = { files = 'a', reason = 'x' }",
            "accepted = [{ files = 'a' }]",
            "accepted = [{ files = 'a', reason = ' ' }]",
            "accepted = [{ files = 'a', reason = 'x', body = 'b' }]",
        ],
    )
    def test_what_is_refused_is_invalid(self, text):
        assert not VALIDATOR.is_valid(tomllib.loads(text))
        assert refusal(text)
