"""The language server as an editor meets it: another process, text in, diagnostics out."""

import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

import inertial_check as ic
from waiting import GUARD, wait_until

ROBOT = """<robot name="arm">
  <link name="base">
    <inertial>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <link name="forearm">
    <inertial>
      <mass value="1.35"/>
      <inertia ixx="0.00801" ixy="0" ixz="0" iyy="0.0801" iyz="0" izz="0.00081"/>
    </inertial>
  </link>
</robot>
"""
SLIGHT = ROBOT.replace('iyy="0.0801"', 'iyy="0.00885"')
SOUND = ROBOT.replace('iyy="0.0801"', 'iyy="0.00801"')
XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="limb" params="name">
    <link name="${name}">
      <inertial>
        <mass value="1.35"/>
        <inertia ixx="0.00801" ixy="0" ixz="0" iyy="0.0801" iyz="0" izz="0.00081"/>
      </inertial>
    </link>
  </xacro:macro>
"""
USDA = """#usda 1.0
(
    defaultPrim = "arm"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "arm"
{
    def Xform "forearm" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 1.35
        point3f physics:centerOfMass = (0, 0, 0)
        float3 physics:diagonalInertia = (0.00801, 0.0801, 0.00081)
        quatf physics:principalAxes = (1, 0, 0, 0)
    }
}
"""
SDF = """<sdf version="1.9">
  <model name="arm">
    <link name="forearm">
      <inertial>
        <mass>1.35</mass>
        <inertia><ixx>0.00801</ixx><iyy>0.0801</iyy><izz>0.00081</izz></inertia>
      </inertial>
    </link>
  </model>
</sdf>
"""
MJCF = """<mujoco>
  <worldbody>
    <body name="forearm">
      <freejoint/>
      <inertial pos="0 0 0" mass="1.35" diaginertia="0.00801 0.0801 0.00081"/>
    </body>
  </worldbody>
</mujoco>
"""
YAML = """forearm:
  mass: 1.35
  origin: {xyz: 0 0 0, rpy: 0 0 0}
  inertia: {ixx: 0.00801, ixy: 0, ixz: 0, iyy: 0.0801, iyz: 0, izz: 0.00081}
"""


def action(actions, beginning):
    (found,) = [each for each in actions if each["title"].startswith(beginning)]
    return found


class TestDiagnostics:
    def test_stand_at_the_number_that_is_to_blame(self, editor):
        (found,) = editor.open("blame.urdf", ROBOT)
        assert (found["code"], found["severity"], found["source"]) == ("IC301", 1, "inertial-check")
        assert editor.marked("blame.urdf", found) == "0.0801"
        assert "relatedInformation" not in found
        assert "forearm" in found["message"]
        assert "decimal-slip" in found["message"]
        assert found["data"]["body"] == "/robot/link[@name='forearm']"

    def test_stand_at_all_numbers_where_none_is_to_blame_alone(self, editor):
        (found,) = editor.open("slight.urdf", SLIGHT)
        marked = editor.marked("slight.urdf", found)
        assert marked.startswith("0.00801")
        assert marked.endswith("0.00081")
        listed = [each["message"] for each in found["relatedInformation"]]
        assert listed[0] == "ixx = 0.00801"
        assert len(listed) == 6

    def test_of_the_whole_model_list_the_guilty_numbers_of_each_body(self, editor, data_dir):
        """The mistake of all links would be seen at the first one only."""
        text = (data_dir / "defects" / "ic507-negated-products.urdf").read_text()
        found = next(each for each in editor.open("all.urdf", text) if each["code"] == "IC507")
        listed = [each["message"] for each in found["relatedInformation"]]
        assert listed == [
            "upper_arm: ixz = -0.0018",
            "forearm: ixy = 0.00069",
            "hand: ixz = 0.00016",
        ]
        lines = [each["location"]["range"]["start"]["line"] for each in found["relatedInformation"]]
        assert lines == sorted(set(lines))

    def test_tell_inertials_that_are_that_of_no_body(self, editor):
        text = SOUND.replace("</robot>", "<other>\n<inertial/></other></robot>")
        (found,) = editor.open("other.urdf", text)
        assert found["range"]["start"]["line"] == text[: text.index("<inertial/>")].count("\n")
        assert found["message"].startswith("not judged: it stands in <other> in <robot>")

    def test_of_a_document_that_cannot_be_parsed_replace_those_before(self, editor):
        assert editor.open("broken.urdf", ROBOT)
        editor.edit("broken.urdf", '<mass value="1.35"/>', '<mass value="1.35"')
        (found,) = editor.diagnostics("broken.urdf")
        assert found["code"] == "IC001"
        assert found["range"]["start"]["line"] in (9, 10)
        editor.edit("broken.urdf", '<mass value="1.35"', '<mass value="1.35"/>')
        assert editor.codes("broken.urdf") == ["IC301"]

    @pytest.mark.parametrize(
        ("name", "text"),
        [("arm.sdf", SDF), ("arm.xml", MJCF), ("arm.usda", USDA), ("arm.yaml", YAML)],
    )
    def test_of_every_format_stand_at_its_numbers(self, editor, name, text):
        if name.endswith("usda") and find_spec("pxr") is None:
            pytest.skip('install "inertial-check[usd]"')
        found = [each for each in editor.open(name, text) if each["code"] == "IC301"]
        assert [editor.marked(name, each) for each in found] == ["0.0801"]

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("page.xml", "<html><body/></html>"),
            ("empty.urdf", ""),
            ("notes.txt", "mass: heavy"),
            ("values.yaml", "key: [1, 2"),
            ("half.xml", "<rob"),
        ],
    )
    def test_are_none_where_there_is_no_robot_model(self, editor, name, text):
        assert editor.open(name, text) == []

    def test_are_taken_away_when_the_document_is_closed(self, editor):
        assert editor.open("closed.urdf", ROBOT)
        editor.close("closed.urdf")
        assert editor.diagnostics("closed.urdf", fresh=True) == []

    def test_say_of_quick_changes_only_the_last(self, editor):
        editor.open("quick.urdf", SOUND)
        for number in range(50):
            editor.rewrite("quick.urdf", ROBOT if number % 2 else SOUND)
        assert editor.codes("quick.urdf") == ["IC301"]

    def test_heed_the_comments_of_the_document(self, editor):
        comment = "<!-- inertial-check: ignore-file[IC301] known -->"
        assert editor.open("known.urdf", ROBOT.replace("<robot", f"{comment}<robot")) == []

    def test_of_what_another_model_includes_are_shown_once(self, editor):
        (editor.folder / "part.sdf").mkdir()
        (editor.folder / "part.sdf" / "model.config").write_text(
            '<model><sdf version="1.9">model.sdf</sdf></model>'
        )
        (editor.folder / "part.sdf" / "model.sdf").write_text(SDF)
        world = '<sdf version="1.9"><world name="w"><include><uri>{}</uri></include></world></sdf>'
        uri = editor.folder / "part.sdf"
        assert editor.open("one.world", world.format(uri)) == []
        assert editor.open("two.world", world.format(uri)) == []
        assert editor.codes("part.sdf/model.sdf") == ["IC301"]


class TestPlaces:
    NAMES = pytest.mark.parametrize("name", ["\U0001f9be\U0001f9be", "Gelenk-ü", "関節", "a\tb"])

    @NAMES
    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_count_utf_16(self, editor, name, line_end):
        one_line = f'<link name="{name}"><inertial><mass value="1"/>'
        text = (
            f'<robot name="x">\n\t{one_line}<inertia ixx="0.00801" ixy="0" ixz="0" iyy="0.0801" '
            'iyz="0" izz="0.00081"/></inertial></link>\n</robot>\n'
        ).replace("\n", line_end)
        file = f"{ord(name[0])}-{len(line_end)}{ord(line_end[0])}.urdf"
        (found,) = editor.open(file, text)
        assert editor.marked(file, found) == "0.0801"
        editor.edit(file, "0.0801", "0.00801")
        assert editor.diagnostics(file) == []
        editor.edit(file, 'ixx="0.00801"', 'ixx="0.0801"')
        (found,) = editor.diagnostics(file)
        assert editor.marked(file, found) == "0.0801"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
    def test_count_what_was_negotiated(self, start, encoding):
        editor = start(capabilities={"general": {"positionEncodings": [encoding]}})
        assert editor.encoding == encoding
        text = ROBOT.replace("\n", "").replace("forearm", "\U0001f9be é 関")
        (found,) = editor.open("one.urdf", text)
        assert editor.marked("one.urdf", found) == "0.0801"
        editor.edit("one.urdf", "0.0801", "0.00801")
        assert editor.diagnostics("one.urdf") == []
        assert editor.quit() == 0

    def test_count_a_byte_order_mark_that_the_editor_keeps(self, editor):
        (found,) = editor.open("mark.urdf", "\ufeff" + ROBOT.replace("\n", ""))
        assert editor.marked("mark.urdf", found) == "0.0801"

    @pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-16", "windows-1252"])
    def test_do_not_depend_on_the_encoding_that_is_declared(self, editor, encoding):
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        text = head + ROBOT.replace("\n", "").replace("forearm", "Unterarm-ü")
        found = next(
            each for each in editor.open(f"{encoding}.urdf", text) if each["code"] == "IC301"
        )
        assert editor.marked(f"{encoding}.urdf", found) == "0.0801"


class TestActions:
    def test_undo_a_cause(self, editor):
        """What `fix` writes, and nothing else is offered."""
        (found,) = editor.open("undo.urdf", ROBOT)
        offered = editor.actions("undo.urdf", found)
        assert [each["title"].split()[0] for each in offered] == ["Fix", "Suppress"]
        undo = action(offered, "Fix forearm (96 %): decimal-slip: iyy 0.0801 -> 0.00801")
        assert undo["isPreferred"]
        assert undo["diagnostics"] == [found]
        assert undo["edit"]["documentChanges"][0]["textDocument"]["version"] == 1
        editor.apply(undo)
        assert editor.opened[editor.uri("undo.urdf")].text == SOUND
        assert ic.fix_model(ic.load(ROBOT.encode()), unsafe=True).data == SOUND.encode()
        assert editor.diagnostics("undo.urdf") == []

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("suppress.urdf", ROBOT),
            ("suppress.yaml", YAML),
            ("suppress.xml", MJCF),
            ("suppress.usda", USDA),
        ],
    )
    def test_suppress_in_the_document(self, editor, name, text):
        if name.endswith("usda") and find_spec("pxr") is None:
            pytest.skip('install "inertial-check[usd]"')
        found = editor.open(name, text)[0]
        suppress = action(editor.actions(name, found), f"Suppress {found['code']}")
        editor.apply(suppress)
        assert found["code"] not in editor.codes(name)
        assert "IC902" not in editor.codes(name)

    def test_suppress_what_is_about_the_document(self, editor):
        text = '<?xml version="1.0"?>\n' + SOUND.replace("<robot", "<!-- --><robot", 1)
        text = text.replace('<?xml version="1.0"?>\n', '<!-- late -->\n<?xml version="1.0"?>\n')
        found = next(each for each in editor.open("late.urdf", text) if each["code"] == "IC002")
        editor.apply(action(editor.actions("late.urdf", found), "Suppress IC002 in this file"))
        assert "IC002" not in editor.codes("late.urdf")

    @pytest.mark.parametrize(
        "kind", ["source", "source.fixAll", "source.fixAll.inertial-check", ""]
    )
    def test_fix_all_is_a_source_action(self, editor, kind):
        name = f"slight-{kind}.urdf"
        assert editor.open(name, SLIGHT)
        kinds = [each["kind"] for each in editor.actions(name, only=[kind])]
        assert "source.fixAll.inertial-check" in kinds
        assert ("quickfix" in kinds) == (kind == "")

    def test_are_tried_for_some_findings_at_most(self, editor):
        start, end = ROBOT.index('  <link name="forearm"'), ROBOT.index("</robot>")
        links = [ROBOT[start:end].replace("forearm", f"link{i}") for i in range(30)]
        text = ROBOT[:start] + "".join(links) + ROBOT[end:]
        found = [each for each in editor.open("many.urdf", text) if each["code"] == "IC301"]
        assert len(found) == 30
        titles = [each["title"] for each in editor.actions("many.urdf")]
        assert "Fix all 30 broken bodies" in titles
        assert len(titles) < 40

    def test_fix_all_does_what_is_safe(self, editor):
        text = ROBOT.replace("</robot>", SLIGHT[SLIGHT.index('  <link name="forearm"') :])
        text = text[::-1].replace("forearm"[::-1], "hand"[::-1], 1)[::-1]
        assert editor.open("all.urdf", text)
        kind = "source.fixAll.inertial-check"
        (safe,) = editor.actions("all.urdf", only=[kind])
        assert safe["kind"] == kind
        editor.apply(safe)
        left = [each["data"]["body"] for each in editor.diagnostics("all.urdf")]
        assert left == ["/robot/link[@name='forearm']"]

    def test_move_all_broken_bodies_at_once(self, editor):
        hand = ROBOT[ROBOT.index('  <link name="forearm"') :].replace("forearm", "hand")
        hand = hand.replace("1.35", "0.77").replace("00801", "00443").replace("801", "443")
        broken = ROBOT.replace("</robot>\n", hand)
        found = editor.open("both.urdf", broken)[0]
        editor.apply(action(editor.actions("both.urdf", found), "Fix all 2 broken bodies"))
        assert "IC301" not in editor.codes("both.urdf")

    def test_of_equal_bodies_are_one(self, editor):
        hand = ROBOT[ROBOT.index('  <link name="forearm"') :].replace("forearm", "hand")
        found = editor.open("equal.urdf", ROBOT.replace("</robot>\n", hand))[0]
        actions = editor.actions("equal.urdf", found)
        assert not any(each["title"].startswith("Fix all") for each in actions)
        editor.apply(action(actions, "Fix forearm in 2 bodies"))
        assert editor.codes("equal.urdf") == []

    def test_are_only_of_the_kinds_that_are_asked_for(self, editor):
        (found,) = editor.open("kinds.urdf", ROBOT)
        assert editor.actions("kinds.urdf", found, only=["refactor"]) == []
        assert editor.actions("kinds.urdf", only=["source.organizeImports"]) == []
        kinds = {each["kind"] for each in editor.actions("kinds.urdf", found, only=["quickfix"])}
        assert kinds == {"quickfix"}

    def test_are_none_where_nothing_is_wrong(self, editor):
        assert editor.open("fine.urdf", SOUND) == []
        assert editor.actions("fine.urdf") == []

    def test_of_an_editor_without_versions_are_plain_changes(self, start):
        editor = start()
        (found,) = editor.open("plain.urdf", ROBOT)
        editor.apply(action(editor.actions("plain.urdf", found), "Fix forearm"))
        assert editor.diagnostics("plain.urdf") == []
        assert editor.quit() == 0


class TestHover:
    def test_says_what_the_numbers_mean(self, editor):
        editor.open("hover.urdf", SOUND)
        at = SOUND.index('izz="0.00081"') + 6
        found = editor.hover("hover.urdf", at)
        said = found["contents"]["value"]
        assert found["contents"]["kind"] == "markdown"
        for part in ("forearm: consistent", "1.35 kg", "mm", "margin", "izz admissible", "engines"):
            assert part in said
        start, end = (editor.index(SOUND, found["range"][each]) for each in ("start", "end"))
        assert SOUND[start:end] == "0.00081"
        said = editor.hover("hover.urdf", SOUND.index('iyy="0.00801"') + 6)["contents"]["value"]
        assert "iyy admissible     0.0072 to 0.00882 kg m^2, with the others as written" in said

    def test_explains_the_rule_of_a_finding(self, editor):
        editor.open("explained.urdf", ROBOT)
        said = editor.hover("explained.urdf", ROBOT.index("0.0801"))["contents"]["value"]
        assert "**IC301 triangle-inequality-violation**" in said
        assert "J1 > J2 + J3" in said

    def test_says_nothing_elsewhere(self, editor):
        editor.open("elsewhere.urdf", SOUND)
        assert editor.hover("elsewhere.urdf", 3) is None

    def test_cannot_be_broken_by_a_name(self, editor):
        text = SOUND.replace("forearm", "```**x**")
        editor.open("name.urdf", text)
        said = editor.hover("name.urdf", text.index('izz="0.00081"') + 6)["contents"]["value"]
        assert said.startswith("````text\n")


@pytest.mark.skipif(find_spec("xacro") is None, reason='install "inertial-check[xacro]"')
class TestXacro:
    def test_is_expanded_from_the_buffer(self, editor):
        text = XACRO + '  <xacro:limb name="left"/>\n  <xacro:limb name="right"/>\n</robot>\n'
        found = editor.open("arm.xacro", text)
        assert {editor.marked("arm.xacro", each) for each in found} == {"0.0801"}
        said = editor.hover("arm.xacro", text.index("0.0801"))["contents"]["value"]
        assert "left (and 1 other body)" in said
        editor.apply(action(editor.actions("arm.xacro", found[0]), "Fix left"))
        assert editor.diagnostics("arm.xacro") == []

    def test_shows_findings_in_the_file_that_is_included(self, editor):
        macros = XACRO + "</robot>\n"
        main = (
            '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
            f'  <xacro:include filename="{editor.folder}/macros.xacro"/>\n'
            '  <xacro:limb name="left"/>\n</robot>\n'
        )
        (editor.folder / "macros.xacro").write_text(macros)
        assert editor.open("main.xacro", main) == []
        (found,) = editor.diagnostics("macros.xacro")
        assert found["relatedInformation"][0]["location"]["uri"] == editor.uri("main.xacro")
        editor.open("macros.xacro", macros)
        assert editor.marked("macros.xacro", found) == "0.0801"
        undo = action(editor.actions("macros.xacro", found), "Fix left")
        editor.apply(undo)  # in the buffer alone: the file on the disk stays broken
        editor.diagnostics("main.xacro", fresh=True)
        assert editor.diagnostics("macros.xacro") == []
        assert (editor.folder / "macros.xacro").read_text() == macros

    def test_that_never_ends_stops_nothing_else(self, start):
        editor = start()
        bomb = (
            '<robot name="bomb" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
            '  <xacro:property name="x" value="${len([i for i in range(10**12) if not i + 1])}"/>\n'
            '  <link name="${x}"/>\n</robot>\n'
        )
        uri = editor.uri("bomb.xacro")
        item = {"uri": uri, "languageId": "xml", "version": 1, "text": bomb}
        editor.tell("textDocument/didOpen", {"textDocument": item})
        assert len(editor.open("beside.urdf", ROBOT)) == 1
        assert uri not in editor.shown
        if os.path.isdir("/proc"):
            # Its expansion runs in a fork of the process that expands templates.
            wait_until(lambda: len(_descendants(editor.process.pid)) >= 2)
        children = _descendants(editor.process.pid)
        assert editor.quit() == 0
        assert uri not in editor.shown  # the server has not waited for it
        _wait_for_the_end_of(children)


class TestConfiguration:
    def test_is_that_nearest_to_the_file(self, start, tmp_path):
        editor = start(folder=tmp_path)
        (tmp_path / "inertial-check.toml").write_text('ignore = ["IC301"]\n')
        assert editor.open("arm.urdf", ROBOT) == []
        (tmp_path / "inertial-check.toml").write_text('ignore = ["IC1"]\n')
        changed = {"uri": editor.uri("inertial-check.toml"), "type": 2}
        editor.tell("workspace/didChangeWatchedFiles", {"changes": [changed]})
        assert editor.codes("arm.urdf", fresh=True) == ["IC301"]
        (tmp_path / "inertial-check.toml").write_text("ignor = 3\n")
        editor.tell("workspace/didChangeWatchedFiles", {"changes": [changed]})
        (found,) = editor.diagnostics("arm.urdf", fresh=True)
        assert "did you mean 'ignore'" in found["message"]
        assert editor.quit() == 0

    def test_leaves_out_what_a_walk_leaves_out(self, start, tmp_path):
        editor = start(folder=tmp_path)
        (tmp_path / "inertial-check.toml").write_text('exclude = ["draft.urdf"]\n')
        assert editor.open("draft.urdf", ROBOT) == []
        assert len(editor.open("arm.urdf", ROBOT)) == 1
        assert editor.quit() == 0

    def test_its_baseline_holds_what_is_known(self, start, tmp_path):
        from inertial_check.checking.baseline import Baseline

        (tmp_path / "arm.urdf").write_text(ROBOT)
        path = str(tmp_path / "known.json")
        Baseline.of(ic.check_model(tmp_path / "arm.urdf"), path).write()
        (tmp_path / "inertial-check.toml").write_text('baseline = "known.json"\n')
        editor = start(folder=tmp_path)
        assert editor.open("arm.urdf", ROBOT) == []
        editor.edit("arm.urdf", "0.0801", "0.801")
        assert "IC301" in editor.codes("arm.urdf")
        assert editor.quit() == 0

    def test_is_watched_where_the_editor_can(self, start):
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        editor = start(capabilities={"workspace": watching})
        editor.open("arm.urdf", SOUND)
        (request,) = editor.requests
        (registration,) = request["params"]["registrations"]
        assert registration["method"] == "workspace/didChangeWatchedFiles"
        globs = [each["globPattern"] for each in registration["registerOptions"]["watchers"]]
        assert any("inertial-check.toml" in glob for glob in globs)
        assert editor.quit() == 0


class TestEnd:
    def test_without_a_goodbye_is_a_failure(self, start):
        editor = start()
        editor.tell("exit", None)
        assert editor.gone() == 1

    def test_comes_when_the_editor_is_gone(self, start):
        editor = start()
        editor.open("arm.urdf", ROBOT)
        editor.process.stdin.close()
        assert editor.process.wait(GUARD) == 1

    @pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for processes in /proc")
    @pytest.mark.skipif(find_spec("xacro") is None, reason='install "inertial-check[xacro]"')
    def test_leaves_no_process_behind(self, start):
        editor = start()
        editor.open("arm.xacro", XACRO + '  <xacro:limb name="left"/>\n</robot>\n')
        children = _descendants(editor.process.pid)
        assert children
        assert editor.quit() == 0
        _wait_for_the_end_of(children)


def _wait_for_the_end_of(pids):
    wait_until(lambda: not any(os.path.isdir(f"/proc/{pid}") for pid in pids))


def _descendants(pid):
    """The processes that a process has started, in /proc; none where there is no such folder."""
    found = []
    for child in _children(pid):
        found += [child, *_descendants(child)]
    return found


def _children(pid):
    """The processes that the threads of a process have started; none of a process that has ended.

    A thread that ends hands its processes to another one, so all are then asked again.
    """
    while os.path.isdir(f"/proc/{pid}/task"):
        with suppress(FileNotFoundError, ProcessLookupError):
            files = [
                Path(f"/proc/{pid}/task/{task}/children")
                for task in os.listdir(f"/proc/{pid}/task")
            ]
            return [int(child) for file in files for child in file.read_text().split()]
    return []
