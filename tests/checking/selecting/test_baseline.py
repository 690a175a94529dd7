"""What is known stays silent until it gets worse, whatever happens to the text around it."""

import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertial_check.checking.baseline import Baseline, Key, KnownFinding
from inertial_check.checking.report import Suppression
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import Settings
from inertial_check.errors import UsageError
from inertial_check.inertia.tolerances import WORSE
from inertial_check.running.run import CheckRequest, check_paths

SETTINGS = Settings().validate()


def settings_of(path):
    return SETTINGS


CODES = {rule.code for rule in ALL_RULES}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("robots")


def robot(**izz):
    links = "".join(
        f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="0.0010" ixy="0" ixz="0" '
        f'iyy="0.0010" iyz="0" izz="{value}"/></inertial></link>'
        for name, value in izz.items()
    )
    return f'<robot name="r">{links}</robot>'


def checked(text=None, path="robots/arm.urdf"):
    if text is not None:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    return check_paths(CheckRequest(["robots"], settings_of))


def against(baseline, report, rules=CODES):
    return baseline.apply(report, lambda path: rules)


def new(baseline, report):
    return [(f.body, f.code) for f in against(baseline, report).report.findings]


def known(text, path="known.json"):
    return Baseline.of(checked(text), path)


class TestWhatIsNew:
    def test_nothing_right_after_writing(self):
        report = checked(robot(a="0.0030", b="0.0040", c="0.0015"))
        outcome = against(Baseline.of(report, "known.json"), report)
        assert outcome.report.findings == ()
        assert [f.code for f in outcome.report.suppressed] == ["IC301", "IC301"]
        assert {f.suppression for f in outcome.report.suppressed} == {
            Suppression("external", "known in known.json")
        }
        assert outcome.gone == ()

    def test_what_is_worse_another_body_or_another_rule(self):
        baseline = known(robot(a="0.0030", b="0.0012"))
        assert new(baseline, checked(robot(a="0.0031", b="0.0012"))) == [("a", "IC301")]
        assert new(baseline, checked(robot(a="0.0029", b="0.0012"))) == []
        assert new(baseline, checked(robot(a="0.0030", b="0.0030"))) == [("b", "IC301")]
        assert new(baseline, checked(robot(a="-0.0030", b="0.0012"))) == [("a", "IC302")]
        assert new(baseline, checked(robot(other="0.0030", b="0.0012"))) == [("other", "IC301")]

    def test_what_is_within_the_tolerance_is_not_worse(self):
        baseline = known(robot(a="0.0030"))
        ((key, entry),) = baseline.entries.items()

        def moved(by):
            return Baseline("known.json", {key: entry._replace(margin=entry.margin + by)})

        assert new(moved(0.9 * WORSE), checked()) == []
        assert new(moved(1.1 * WORSE), checked()) == [("a", "IC301")]

    def test_more_of_the_same(self):
        two = '<inertial><mass value="1,5"/><inertia ixx="1,0"/></inertial>'
        one = '<inertial><mass value="1"/><inertia ixx="1,0"/></inertial>'
        page = '<robot name="r"><link name="a">{}</link></robot>'
        baseline = known(page.format(one))
        (entry,) = {e for key, e in baseline.entries.items() if key.code == "IC004"}
        more = new(baseline, checked(page.format(two)))
        assert more == [("a", "IC004")] * (entry.findings + 1)
        assert new(known(page.format(two)), checked(page.format(one))) == []

    def test_a_moved_file_is_another(self):
        baseline = known(robot(a="0.0030"))
        os.rename("robots/arm.urdf", "robots/leg.urdf")
        outcome = against(baseline, checked())
        assert [f.body for f in outcome.report.findings] == ["a"]
        assert outcome.gone == (Key("robots/arm.urdf", "a", "IC301"),)


class TestStability:
    @given(
        names=st.lists(st.sampled_from("bcdefgh"), min_size=1, unique=True),
        at=st.integers(0, 7),
        blanks=st.lists(st.sampled_from(["\n", "  ", "\r\n", "<!-- x -->"]), max_size=4),
        quote=st.booleans(),
    )
    def test_layout_order_and_other_names_do_not_matter(self, names, at, blanks, quote):
        os.makedirs("robots", exist_ok=True)
        baseline = known(robot(a="0.0030", b="0.0012"))
        links = dict.fromkeys(names, "0.0012")
        ordered = [*links.items()]
        ordered.insert(min(at, len(ordered)), ("a", "3.00e-3"))
        text = robot(**dict(ordered)).replace("<link", "".join(blanks) + "<link")
        text = text.replace("><inertia ", ">\n\t<inertia\n  ")
        text = text.replace('"', "'") if quote else text
        assert new(baseline, checked(text)) == []

    def test_written_text(self):
        baseline = known(robot(b="0.0040", a="0.0030"))
        baseline.write()
        with open("known.json", encoding="utf-8", newline="") as stream:
            text = stream.read()
        entries = re.findall(r'^  \{"file": "robots/arm.urdf", .*\},?$', text, re.MULTILINE)
        assert [json.loads(line.rstrip(","))["body"] for line in entries] == ["a", "b"]
        assert Baseline.read("known.json") == baseline
        Baseline.read("known.json").write()
        with open("known.json", encoding="utf-8", newline="") as stream:
            assert stream.read() == text

    def test_paths_are_from_the_folder_of_the_baseline(self, monkeypatch):
        os.mkdir("ci")
        baseline = known(robot(a="0.0030"), "ci/known.json")
        baseline.write()
        assert [key.file for key in baseline.entries] == ["../robots/arm.urdf"]
        monkeypatch.chdir("robots")
        report = check_paths(CheckRequest(["arm.urdf"], settings_of))
        assert new(Baseline.read("../ci/known.json"), report) == []

    @given(name=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1))
    def test_any_name_survives(self, name):
        entries = {Key("robots/\udc80.urdf", name, "IC301"): KnownFinding(1, -0.25)}
        Baseline("names.json", entries).write()
        assert Baseline.read("names.json").entries == entries


class TestPruning:
    def test_what_is_gone_and_what_is_better(self):
        baseline = known(robot(a="0.0030", b="0.0040", c="0.0050"))
        outcome = against(baseline, checked(robot(a="0.0015", b="0.0035", c="0.0060")))
        assert outcome.gone == (Key("robots/arm.urdf", "a", "IC301"),)
        kept = outcome.kept.entries
        assert [key.body for key in kept] == ["b", "c"]
        before = baseline.entries
        assert [kept[key].margin > before[key].margin for key in kept] == [True, False]

    def test_it_never_gets_worse(self):
        baseline = known(robot(a="0.0030", b="0.0012"))
        outcome = against(baseline, checked(robot(a="0.0060", b="0.0060")))
        assert outcome.kept == baseline

    def test_what_was_not_looked_for_is_not_gone(self):
        checked(robot(a="0.0030"), "robots/leg.urdf")
        baseline = known(robot(a="0.0030"))
        report = check_paths(CheckRequest(["robots/leg.urdf"], settings_of))
        assert against(baseline, report).gone == ()
        good = checked(robot(a="0.0015"))
        assert [key.code for key in against(baseline, good).gone] == ["IC301"]
        assert against(baseline, good, CODES - {"IC301"}).gone == ()

    def test_a_file_that_cannot_be_read_loses_nothing(self):
        baseline = known(robot(a="0.0030"))
        outcome = against(baseline, checked("<robot><link></robot>"))
        assert outcome.gone == ()
        assert [f.code for f in outcome.report.findings] == ["IC001"]

    def test_writing_keeps_the_files_that_were_not_checked(self):
        checked(robot(a="0.0030"), "robots/leg.urdf")
        old = known(robot(a="0.0030"))
        gone = Key("robots/absent.urdf", "a", "IC301")
        old = Baseline(old.path, {**old.entries, gone: KnownFinding(1, None)})
        checked(robot(a="0.0040"))
        report = check_paths(CheckRequest(["robots/arm.urdf"], settings_of))
        written = Baseline.of(report, "known.json", old)
        assert sorted(key.file for key in written.entries) == ["robots/arm.urdf", "robots/leg.urdf"]
        assert new(written, checked()) == []


class TestMalformed:
    ENTRY = '{"file": "a", "body": "b", "code": "IC301", "findings": 1}'

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("", 1),
            ("{", 1),
            ("[]", 1),
            ('{"entries": {}}', 1),
            ('{"entries": []}', 1),
            ('{"schema_version": "2", "entries": []}', 1),
            ('{"schema_version": "1",\n"entries": [\nENTRY,\n<<<<<<< HEAD\nENTRY]}', 4),
            ('{"schema_version": "1",\n"entries": [\nENTRY\nENTRY]}', 4),
            ('{"schema_version": "1",\n"entries": [\nENTRY,\n{"file": "x"}]}', 4),
            ('{"schema_version": "1",\n"entries": [\n\n3]}', 4),
            ('{"schema_version": "1",\n"entries": [\nENTRY,\n\nENTRY]}', 5),
            ('{"schema_version": "1",\n"entries": [\nENTRY, {"count": 1}]}', 3),
        ],
    )
    def test_with_the_line(self, text, line):
        with open("known.json", "w", encoding="utf-8") as stream:
            stream.write(text.replace("ENTRY", self.ENTRY))
        with pytest.raises(UsageError, match=rf"^known\.json:{line}: no baseline: "):
            Baseline.read("known.json")

    @pytest.mark.parametrize(
        ("member", "value"),
        [("findings", 0), ("findings", True), ("findings", "1"), ("margin", "x"), ("body", None)],
    )
    def test_members(self, member, value):
        entry = {**json.loads(self.ENTRY), member: value}
        with open("known.json", "w", encoding="utf-8") as stream:
            json.dump({"schema_version": "1", "entries": [entry]}, stream)
        with pytest.raises(UsageError, match=r"expected \{"):
            Baseline.read("known.json")

    def test_margins_that_are_no_numbers(self):
        with open("known.json", "w", encoding="utf-8") as stream:
            entry = self.ENTRY.replace("1}", '1, "margin": NaN}')
            stream.write(f'{{"schema_version": "1", "entries": [{entry}]}}')
        with pytest.raises(UsageError, match=r"expected \{"):
            Baseline.read("known.json")

    def test_none_at_all(self):
        with pytest.raises(UsageError, match=r"--write-baseline absent.json makes it"):
            Baseline.read("absent.json")
