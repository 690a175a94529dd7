"""Where a comment may stand, what it covers, and what is said of one that covers nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inertial_check as ic
from inertial_check.checking.configuration import Configurations
from inertial_check.checking.report import Report, Suppression
from inertial_check.checking.rules.catalogue import ALL_RULES
from inertial_check.checking.settings import Exemption, Settings
from inertial_check.documents.comments import find_comments
from inertial_check.documents.files.walking import PathPattern
from inertial_check.documents.load import load
from inertial_check.documents.source import Place, Source
from inertial_check.running.run import CheckRequest, check_paths

BAD = '<inertia ixx="0.0010" ixy="0" ixz="0" iyy="0.0010" iyz="0" izz="0.0030"/>'
GOOD = '<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.0011" iyz="0" izz="0.0012"/>'
IGNORE = "<!-- inertial-check: ignore[IC301] {} -->"
PLACES = {
    "file-before-root": "ignore-file",
    "next-before-root": "ignore-next",
    "first-in-root": "ignore",
    "file-in-root": "ignore-file",
    "next-before-link": "ignore-next",
    "first-in-link": "ignore",
    "next-before-inertial": "ignore-next",
    "first-in-inertial": "ignore",
    "next-before-inertia": "ignore-next",
    "file-after-link": "ignore-file",
    "file-after-root": "ignore-file",
}


def document(comment="", at="", tensor=BAD, declaration=""):
    def here(*names):
        return comment if at in names else ""

    return (
        f"{here('file-before-root', 'next-before-root')}{declaration}\n"
        f'<robot name="r">{here("first-in-root", "file-in-root")}\n'
        f'  <link name="hand"/>{here("next-before-link")}\n'
        f'  <link name="finger">{here("first-in-link", "next-before-inertial")}\n'
        f'    <inertial>{here("first-in-inertial")}<mass value="1"/>{here("next-before-inertia")}\n'
        f"    {tensor}</inertial>\n"
        f"  </link>{here('file-after-link', 'behind-link')}\n"
        f'  <joint name="j" type="revolute"><parent link="hand"/><child link="finger"/></joint>\n'
        f"</robot>{here('file-after-root')}\n"
    )


def checked(text, **settings):
    data = text if isinstance(text, bytes) else text.encode()
    (file,) = ic.check_model(data, Settings(**{"ignore": ("IC711",), **settings})).files
    return file  # without what other parsers make of UTF-16


def codes(findings):
    return [finding.code for finding in findings]


def encoded(text, encoding, crlf):
    text = text.replace("\n", "\r\n") if crlf else text
    return text.encode(encoding)


class TestPlaces:
    @pytest.mark.parametrize("at", PLACES)
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    @pytest.mark.parametrize("crlf", [False, True])
    def test_every_place_suppresses_and_is_used(self, at, encoding, crlf):
        comment = f"<!-- inertial-check: {PLACES[at]}[IC301] für den Greifer -->"
        file = checked(encoded(document(comment, at), encoding, crlf))
        assert codes(file.findings) == []
        (finding,) = file.suppressed
        assert finding.code == "IC301"
        assert finding.suppression == Suppression("inSource", "für den Greifer")

    @pytest.mark.parametrize("at", PLACES)
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_every_place_is_unused_where_nothing_is_found(self, at, encoding):
        comment = f"<!-- inertial-check: {PLACES[at]}[IC301] x -->"
        text = document(comment, at, GOOD)
        (finding,) = checked(encoded(text, encoding, False)).findings
        assert (finding.code, finding.severity.word) == ("IC901", "warning")
        line, column = finding.place[:2]
        assert text.split("\n")[line - 1][column - 1 :].startswith("<!-- inertial-check")

    def test_before_a_declaration_that_comes_late(self):
        comment = "<!-- inertial-check: ignore-file[IC301, IC002] old exporter -->"
        text = document(comment, "file-before-root", declaration='\n<?xml version="1.0"?>')
        assert codes(checked(text).findings) == []
        assert sorted(codes(checked(text).suppressed)) == ["IC002", "IC301"]

    def test_other_bodies_are_not_covered(self):
        text = document(IGNORE.format("x"), "first-in-link").replace(
            '<link name="hand"/>',
            f'<link name="hand"><inertial><mass value="1"/>{BAD}</inertial></link>',
        )
        file = checked(text)
        assert [(f.code, f.body) for f in file.findings] == [("IC301", "hand")]
        assert [(f.code, f.body) for f in file.suppressed] == [("IC301", "finger")]

    def test_other_rules_are_not_covered(self):
        text = document(IGNORE.format("x"), "first-in-link").replace('"1"/>', '"-1"/>', 1)
        assert codes(checked(text).findings) == ["IC901", "IC101"]

    def test_the_innermost_comment_gives_the_reason(self):
        text = document(IGNORE.format("outer"), "first-in-root")
        text = text.replace("<inertial>", "<inertial>" + IGNORE.format("inner"))
        (finding,) = checked(text).suppressed
        assert finding.suppression.reason == "inner"

    @pytest.mark.parametrize("selector", ["IC3", "IC30", "IC301", "triangle-inequality-violation"])
    def test_what_names_a_rule(self, selector):
        comment = f"<!--inertial-check:ignore[ IC101 ,{selector}]a\n  reason-->"
        file = checked(document(comment, "first-in-link"))
        assert [f.suppression.reason for f in file.suppressed] == ["a reason"]
        (unused,) = file.findings
        assert unused.message.endswith("delete IC101 from the comment")


class TestWrongComments:
    @pytest.mark.parametrize(
        ("comment", "words"),
        [
            ("ignore", "ignore names no rules"),
            ("ignore[]", "ignore names no rules"),
            ("ignore [ , ]", "ignore names no rules"),
            ("ignore measured", "ignore names no rules"),
            ("ignore-next", "ignore-next names no rules"),
            ("ingore[IC301]", "did you mean 'ignore'?"),
            ("disable=IC301", "expected ignore, ignore-next, ignore-file"),
            ("", "expected ignore, ignore-next, ignore-file"),
            ("ignore[IC999]", "unknown rule 'IC999'"),
            ("ignore[ic301]", "unknown rule 'ic301'"),
            ("ignore[negative-mas]", "did you mean 'negative-mass'?"),
            ("ignore[ALL]", "would ignore every rule"),
            ("ignore[IC]", "would ignore every rule"),
            ("ignore-file[IC301]", "put it at the top"),
        ],
    )
    def test_in_a_link(self, comment, words):
        text = document(f"<!-- inertial-check: {comment} -->", "first-in-link")
        file = checked(text)
        invalid, finding = file.findings
        assert (invalid.code, finding.code, file.suppressed) == ("IC902", "IC301", ())
        assert words in invalid.message
        assert (invalid.place.line, invalid.severity.word) == (4, "warning")

    @pytest.mark.parametrize(
        ("at", "word", "words"),
        [
            ("file-before-root", "ignore", "outside of all elements"),
            ("file-after-root", "ignore", "outside of all elements"),
            ("file-after-root", "ignore-next", "behind the last element"),
            ("behind-link", "ignore", "behind another element"),
            ("next-before-inertia", "ignore", "behind another element"),
            ("first-in-inertial", "ignore-file", "inside an element"),
        ],
    )
    def test_in_the_wrong_place(self, at, word, words):
        file = checked(document(f"<!-- inertial-check: {word}[IC301] x -->", at))
        assert sorted(codes(file.findings)) == ["IC301", "IC902"]
        assert words in next(f.message for f in file.findings if f.code == "IC902")

    def test_prose_is_left_alone(self):
        for comment in (
            "see inertial-check: ignore[IC301]",
            "inertial-check is run on this",
            "INERTIAL-CHECK: ignore",
        ):
            text = document(f"<!-- {comment} -->", "first-in-link")
            assert codes(checked(text).findings) == ["IC301"]

    def test_what_is_no_comment_is_none(self):
        text = document(tensor=BAD.replace("<inertia", '<inertia note="inertial-check: ignore"'))
        text = text.replace("<inertial>", "<inertial><![CDATA[<!-- inertial-check: ignore -->]]>")
        assert "IC902" not in codes(checked(text).findings)

    def test_a_comment_about_comments(self):
        comment = "<!-- inertial-check: ignore-file[IC9] generated -->{}"
        text = document(
            comment.format("<!-- inertial-check: ignore[IC302, IC999] x -->"), "first-in-root"
        )
        file = checked(text)
        assert codes(file.findings) == ["IC301"]
        assert sorted(codes(file.suppressed)) == ["IC901", "IC902"]


class TestAccepted:
    """A finding that is known would be counted as if it were only silenced."""

    @pytest.mark.parametrize("at", PLACES)
    def test_every_place_accepts(self, at):
        word = PLACES[at].replace("ignore", "accept")
        file = checked(document(f"<!-- inertial-check: {word}[IC301] sheet metal -->", at))
        (finding,) = file.suppressed
        assert codes(file.findings) == []
        assert finding.suppression == Suppression("inSource", "sheet metal", accepted=True)
        assert Report((file,)).accepted == 1

    def test_without_a_reason_nothing_is_accepted(self):
        file = checked(document("<!-- inertial-check: accept[IC301] -->", "first-in-link"))
        assert sorted(codes(file.findings)) == ["IC301", "IC902"]
        assert "gives no reason" in next(f.message for f in file.findings if f.code == "IC902")

    def test_what_is_only_ignored_is_not_accepted(self):
        file = checked(document(IGNORE.format("noise"), "first-in-link"))
        assert Report((file,)).accepted == 0

    def test_an_unused_comment_is_told(self):
        text = document("<!-- inertial-check: accept[IC302] x -->", "first-in-link", GOOD)
        assert codes(checked(text).findings) == ["IC901"]


def run(folder, *paths, configuration, **request):
    (folder / "inertial-check.toml").write_text(configuration)
    configurations = Configurations()
    return check_paths(CheckRequest(paths, configurations.settings, **request))


def entry(**members):
    return "[[accepted]]\n" + "".join(f"{key} = {value!r}\n" for key, value in members.items())


class TestAcceptedInTheConfiguration:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name, tensor in [("bad", BAD), ("good", GOOD)]:
            (tmp_path / f"{name}.urdf").write_text(document(tensor=tensor))
        return tmp_path

    @pytest.mark.parametrize(
        "members",
        [
            {"files": "bad.urdf"},
            {"files": "*.urdf", "codes": ["IC3"]},
            {"files": "*.urdf", "bodies": "fing*"},
        ],
    )
    def test_the_findings_do_not_count(self, folder, members):
        report = run(folder, ".", configuration=entry(**members, reason="retired"))
        assert (report.findings, report.notes) == ((), ())
        (finding,) = report.suppressed
        assert finding.suppression == Suppression("external", "retired", accepted=True)
        assert report.accepted == 1

    @pytest.mark.parametrize(
        "members",
        [
            {"files": "good.urdf"},
            {"files": "good.urdf", "codes": ["IC301"]},
            {"files": "*.urdf", "codes": ["IC301", "IC302"], "bodies": "base"},
        ],
    )
    def test_an_entry_that_nothing_needs_is_told_at_its_line(self, folder, members):
        """It would hide the next mistake in these files."""
        text = f"strict = false\n{entry(**members, reason='x')}"
        report = run(folder, ".", configuration=text)
        unused = [each for each in report.findings if each.code == "IC901"]
        assert [each.place for each in unused] == [Place(2, 1, 2, 1, "inertial-check.toml")]
        assert members["files"] in unused[0].message

    @pytest.mark.parametrize(
        ("members", "line"),
        [
            ({"files": "good.urdf", "codes": ["IC5"]}, ""),
            ({"files": "good.urdf", "codes": ["IC302"]}, "ignore = ['IC302']\n"),
            ({"files": "good.urdf"}, "geometry = 'off'\n"),
            ({"files": "good.urdf"}, "ignore = ['IC901']\n"),
        ],
    )
    def test_nothing_is_said_where_silence_proves_nothing(self, folder, members, line):
        report = run(folder, ".", configuration=f"{line}{entry(**members, reason='x')}")
        assert "IC901" not in codes(report.findings)

    def test_an_entry_without_a_file_is_a_note_of_a_whole_search(self, folder):
        text = entry(files="gone.urdf", reason="x")
        (note,) = run(folder, ".", configuration=text).notes
        assert note.startswith("inertial-check.toml:1: accepted: no file")
        assert run(folder, "bad.urdf", configuration=text).notes == ()
        (folder / "below").mkdir()
        (folder / "below" / "r.urdf").write_text(document(tensor=GOOD))
        assert run(folder, "below", configuration=text).notes == ()

    def test_a_part_of_the_files_does_not_show_that_an_entry_is_unused(self, folder):
        """A hook that checks only the changed files would ask to delete entries in use."""
        text = entry(files="*.urdf", codes=["IC301"], reason="x")
        assert run(folder, "good.urdf", configuration=text).findings == ()
        text = entry(files="good.urdf", reason="x")  # at any depth
        assert run(folder, "good.urdf", configuration=text).findings == ()
        report = run(folder, "good.urdf", configuration=entry(files="/good.urdf", reason="x"))
        assert codes(report.findings) == ["IC901"]

    def test_a_file_that_a_search_leaves_out_is_no_mistake(self, folder):
        (folder / "arm.yaml").write_text("arm: 1")
        text = entry(files="/arm.yaml", reason="x")
        assert run(folder, ".", configuration=text).notes == ()

    def test_a_comment_counts_before_an_entry(self, folder):
        (folder / "bad.urdf").write_text(document(IGNORE.format("noise"), "first-in-link"))
        report = run(folder, ".", configuration=entry(files="bad.urdf", reason="x"))
        assert codes(report.findings) == []
        assert report.accepted == 0


class TestUnused:
    def test_silent_where_the_rule_is_off(self):
        text = document("<!-- inertial-check: ignore[IC302] x -->", "first-in-link", GOOD)
        assert codes(checked(text).findings) == ["IC901"]
        assert codes(checked(text, select=("IC1", "IC9")).findings) == []
        assert codes(checked(text, ignore=("IC901",)).findings) == []

    @pytest.mark.parametrize("selector", ["IC003", "IC5", "IC502", "IC7"])
    def test_silent_about_rules_that_look_elsewhere(self, selector):
        text = document(f"<!-- inertial-check: ignore[{selector}] x -->", "first-in-link", GOOD)
        assert codes(checked(text).findings) == []

    def test_strict_runs_fail_on_it(self):
        text = document("<!-- inertial-check: ignore[IC302] x -->", "first-in-link", GOOD)
        settings = Settings(preset="strict").validate()
        (finding,) = ic.check_model(text.encode(), settings).findings
        assert settings.fails(finding.severity)


class TestFormats:
    def test_mjcf_bodies_inside_bodies_and_includes(self, tmp_path):
        part = (
            "<mujocoinclude>\n<body name='hand'>"
            "<!-- inertial-check: ignore[IC301] of the part -->\n"
            "<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body></mujocoinclude>"
        )
        (tmp_path / "part.xml").write_text(part)
        (tmp_path / "arm.xml").write_text(
            "<mujoco><worldbody><body name='arm'>"
            "<!-- inertial-check: ignore[IC302] of the arm -->\n"
            "<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 -3'/>\n"
            "<include file='part.xml'/></body></worldbody></mujoco>"
        )
        file = checked_path(tmp_path / "arm.xml")
        assert codes(file.findings) == []
        found = {f.body: (f.code, f.suppression.reason) for f in file.suppressed}
        assert found == {"arm": ("IC302", "of the arm"), "hand": ("IC301", "of the part")}

    def test_unused_in_an_included_document_is_not_said(self, tmp_path):
        (tmp_path / "part.xml").write_text(
            "<mujocoinclude><body name='hand'><!-- inertial-check: ignore[IC301] x -->"
            "<joint/><inertial pos='0 0 0' mass='1' diaginertia='0.001 0.0011 0.0012'/></body>"
            "</mujocoinclude>"
        )
        (tmp_path / "arm.xml").write_text(
            "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>"
        )
        assert codes(checked_path(tmp_path / "arm.xml").findings) == []

    def test_sdf(self):
        text = (
            "<sdf version='1.9'><model name='m'><link name='a'>"
            "<!-- inertial-check: ignore[IC301] x --><inertial><mass>1</mass><inertia>"
            "<ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia></inertial></link></model></sdf>"
        )
        file = checked(text)
        assert (codes(file.findings), codes(file.suppressed)) == ([], ["IC301"])

    @pytest.mark.parametrize(
        ("text", "suppressed"),
        [
            ("arm:\n  # inertial-check: ignore[IC301] x\n  mass: 1\n", True),
            ("arm: # inertial-check: ignore[IC301] x\n  mass: 1\n", True),
            ("# inertial-check: ignore-next[IC301] x\narm:\n  mass: 1\n", True),
            ("# inertial-check: ignore-file[IC301] x\narm:\n  mass: 1\n", True),
            ("other: 1\n# inertial-check: ignore-next[IC301] x\n\narm:\n  mass: 1\n", True),
            ("other: 1\n# inertial-check: ignore[IC301] x\narm:\n  mass: 1\n", False),
            ("arm:\n  mass: 1 # inertial-check: ignore[IC301] x\n", False),
            ("note: '# inertial-check: ignore-file[IC301]'\narm:\n  mass: 1\n", False),
        ],
    )
    @pytest.mark.parametrize("crlf", [False, True])
    def test_yaml(self, text, suppressed, crlf):
        text += "  inertia:\n    {ixx: 1, ixy: 0, ixz: 0, iyy: 1, iyz: 0, izz: 3}\nlast: 1\n"
        file = checked(encoded(text, "utf-8", crlf))
        assert ("IC301" in codes(file.suppressed)) == suppressed
        assert ("IC902" in codes(file.findings)) == (not suppressed and "note" not in text)

    @pytest.mark.parametrize(
        ("at", "word", "suppressed"),
        [
            ("inside", "ignore", True),
            ("before", "ignore-next", True),
            ("top", "ignore-file", True),
            ("behind", "ignore", False),
            ("text", "ignore", False),
        ],
    )
    def test_usda(self, at, word, suppressed):
        pytest.importorskip("pxr", reason='pip install "inertial-check[usd]"')
        comment = f"# inertial-check: {word}[IC301] x"

        def here(name):
            return f"{comment}\n" if at == name else ""

        text = (
            f"#usda 1.0\n{here('top')}"
            'def Xform "robot"\n{\n'
            f'{here("before")}def Xform "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", '
            f'"PhysicsMassAPI"])\n{{\n{here("inside")}'
            f'string note = "{comment if at == "text" else ""}"\n'
            "float physics:mass = 1\nfloat3 physics:diagonalInertia = (1, 1, 3)\n"
            "quatf physics:principalAxes = (1, 0, 0, 0)\npoint3f physics:centerOfMass = (0, 0, 0)\n"
            f"}}\n{here('behind')}}}\n"
        )
        file = checked(text)
        assert ("IC301" in codes(file.suppressed)) == suppressed
        assert ("IC902" in codes(file.findings)) == (at == "behind")

    def test_xacro_comments_stand_in_the_template(self, tmp_path):
        pytest.importorskip("xacro", reason='pip install "inertial-check[xacro]"')
        (tmp_path / "arm.urdf.xacro").write_text(
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
            '<xacro:property name="izz" value="0.0030"/><xacro:macro name="arm" params="name">'
            '<link name="${name}"><!-- inertial-check: ignore[IC301, IC302] x -->'
            f"<inertial><mass value='1'/>{BAD.replace('0.0030', '${izz}')}</inertial></link>"
            '</xacro:macro><xacro:arm name="left"/><xacro:arm name="right"/></robot>'
        )
        file = checked_path(tmp_path / "arm.urdf.xacro")
        assert codes(file.findings) == []
        assert [f.body for f in file.suppressed if f.code == "IC301"] == ["left", "right"]


def checked_path(path):
    (file,) = ic.check_model(path).files
    return file


class TestExemptions:
    def exempt(self, files, body, *selectors):
        return Settings(exemptions=(Exemption(PathPattern("/w", files), body, selectors, "why"),))

    @pytest.mark.parametrize(
        ("files", "body", "selectors", "suppressed"),
        [
            ("*.urdf", None, ("IC3",), True),
            ("robots/", None, ("IC301",), True),
            ("*.urdf", "finger", ("IC301",), True),
            ("*.urdf", "fing*", ("IC301",), True),
            ("*.urdf", "/robot/link[2]", ("IC301",), None),
            ("*.urdf", "hand", ("IC301",), False),
            ("*.sdf", None, ("IC301",), False),
            ("*.urdf", "finger", ("IC302", "IC1"), False),
        ],
    )
    def test_by_file_and_body(self, files, body, selectors, suppressed):
        model = load(document().encode(), path="/w/robots/r.urdf")
        if suppressed is None:
            body, suppressed = model.bodies[1].id, True
        (file,) = ic.check_model(model, self.exempt(files, body, *selectors)).files
        assert codes(file.suppressed) == ["IC301"] * suppressed
        assert codes(file.findings) == ["IC301"] * (not suppressed)
        assert all(f.suppression == Suppression("external", "why") for f in file.suppressed)

    def test_a_comment_counts_before_it_and_is_used(self):
        text = document(IGNORE.format("own words"), "first-in-link")
        model = load(text.encode(), path="/w/r.urdf")
        (file,) = ic.check_model(model, self.exempt("*.urdf", None, "IC3")).files
        assert codes(file.findings) == []
        assert [f.suppression.kind for f in file.suppressed] == ["inSource"]


@given(
    before=st.text(st.sampled_from(" \n\t"), max_size=5),
    at=st.sampled_from(list(PLACES)),
    codes_named=st.lists(st.sampled_from([rule.code for rule in ALL_RULES]), max_size=4),
    reason=st.text(st.characters(codec="utf-8", exclude_characters="-]&<>\x00"), max_size=20),
)
def test_whatever_a_comment_says_no_other_rule_is_lost(before, at, codes_named, reason):
    text = f"<!--{before}inertial-check: {PLACES[at]}[{', '.join(codes_named)}]{reason}-->"
    try:
        file = checked(document(text, at))
    except ic.DocumentError:
        return  # a control character: no XML
    suppressed = [f.code for f in file.suppressed if f.code == "IC301"]
    counting = [f.code for f in file.findings if f.code == "IC301"]
    assert len(suppressed) + len(counting) == 1
    assert bool(suppressed) == ("IC301" in codes_named)


def test_documents_without_a_mark_are_not_looked_at(monkeypatch):
    def refuse(*args):
        raise AssertionError("looked at")

    monkeypatch.setattr("inertial_check.documents.comments._find_in_xml", refuse)
    text = document("<!-- of CAD -->", "first-in-root")
    assert "<inertial>" in text
    for mark in ("inertial-check:", "inertial"):  # in no comment, and nowhere at all
        assert find_comments(Source("r.urdf", text.encode()), mark) == []
    with pytest.raises(AssertionError):
        find_comments(Source("r.urdf", text.encode()), "CAD")
