"""The account of a run: every inertial of the files that are met is judged, or named."""

import json
import shutil
import subprocess
import zipfile

import pytest

from inertial_check.checking.report import SkippedFiles, UnjudgedInertial
from inertial_check.checking.settings import Settings
from inertial_check.documents.escaping import markdown_text
from inertial_check.programs.cli.main import main
from inertial_check.running.run import CheckRequest, check_paths

SETTINGS = Settings().validate()

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
URDF = f'<robot name="r">\n<link name="a">{INERTIAL}</link></robot>'
SNIPPET = f'<link name="a">\n\n{INERTIAL}</link>'
BROKEN = f'<robot name="r">\n<link name="a">{INERTIAL}</robot>'
MUJOCO = """<mujoco><worldbody>{}<body>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(*arguments):
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def account(*paths, **options):
    """The account of a check of the working directory, or of paths."""
    request = CheckRequest(paths or ["."], lambda path: SETTINGS, **options)
    return check_paths(request).account


def run(capsys, *arguments):
    """The exit code of a check, the account in JSON, and the failures."""
    code = main(["check", "--output-format=json", "--no-cache", *arguments])
    report = json.loads(capsys.readouterr().out)
    assert report["summary"]["exit_code"] == code
    return code, report["account"], report["failures"]


def test_an_inertial_in_a_file_that_is_no_model_is_named(folder):
    (folder / "part.xml").write_text(SNIPPET)
    (folder / "robot.urdf").write_text(URDF)
    (folder / "package.xml").write_text("<package><!-- <inertial/> --></package>")
    found = account()
    assert (found.inertials, found.judged["written"]) == (2, 1)
    reason = "the root element <link> is no robot model"
    assert found.unjudged == (UnjudgedInertial("./part.xml", 3, reason),)
    long = f"<!-- {'x' * (1 << 18)} -->"  # more than a search reads to tell what a file is
    (folder / "part.xml").write_text(long + SNIPPET + long)
    assert account().unjudged == found.unjudged


def test_a_document_that_cannot_be_read_is_counted_with_the_reason_of_its_finding(folder):
    (folder / "broken.urdf").write_text(BROKEN)
    (folder / "robot.urdf").write_text(URDF)
    report = check_paths(CheckRequest(["."], lambda path: SETTINGS))
    (unjudged,) = report.account.unjudged
    (finding,) = [each for each in report.findings if each.code == "IC001"]
    assert unjudged == UnjudgedInertial("./broken.urdf", 2, finding.message)


def test_a_place_counts_once_however_many_documents_and_links_lead_to_it(folder):
    (folder / "part.xml").write_text(
        '<mujocoinclude><body><geom size="1" mass="1"/></body>'
        '<body name="other"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
        "</mujocoinclude>"
    )
    unused = account()
    assert (unused.inertials, len(unused.unjudged)) == (2, 2)
    for name in ("one.xml", "two.xml"):
        (folder / name).write_text(MUJOCO.format('<include file="part.xml"/>'))
    (folder / "three.xml").symlink_to("one.xml")
    found = account()
    assert found.inertials == 4
    assert found.judged == dict.fromkeys(found.judged, 0) | {"written": 3, "derived": 1}


def test_what_xacro_expands_is_told_from_what_is_written(folder):
    pytest.importorskip("xacro")
    macro = (
        f'<xacro:macro name="m" params="n"><link name="${{n}}">\n{INERTIAL}</link></xacro:macro>'
    )
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (folder / "macro.xacro").write_text(f"{head}{macro}</robot>")
    calls = '<xacro:include filename="macro.xacro"/><xacro:m n="a"/><xacro:m n="b"/>'
    (folder / "robot.xacro").write_text(f"{head}{calls}</robot>")
    found = account()
    assert (found.inertials, found.judged["expanded"], found.unjudged) == (1, 1, ())


def test_binary_layers_are_counted_by_their_prims(folder):
    pytest.importorskip("pxr")
    from pxr import Sdf

    api = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    text = f"""#usda 1.0
(metersPerUnit = 1
defaultPrim = "r")
def Xform "r" {{
def Xform "a" ({api}) {{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
}}
def Xform "b" ({api}) {{
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]) {{
        float physics:mass = 1
    }}
}}
def Xform "loose" {{
    float physics:mass = 1
}}
}}"""
    (folder / "r.usda").write_text(text)
    written = account()
    assert (written.inertials, written.judged["written"], written.judged["derived"]) == (3, 1, 1)
    assert [each.line for each in written.unjudged] == [15]
    assert Sdf.Layer.FindOrOpen(str(folder / "r.usda")).Export(str(folder / "r.usdc"))
    (folder / "r.usda").unlink()
    world = '#usda 1.0\n(metersPerUnit = 1)\ndef "w{}" (references = @r.usdc@) {{}}\n'
    for number in "12":
        (folder / f"w{number}.usda").write_text(world.format(number))
    binary = account()
    assert (binary.inertials, binary.judged) == (3, written.judged)
    assert [(each.path, each.line) for each in binary.unjudged] == [("r.usdc", 1)]


def test_layers_of_one_inertial_are_all_judged_and_weaker_ones_named(folder):
    pytest.importorskip("pxr")
    api = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
    base = f"""#usda 1.0
(metersPerUnit = 1
defaultPrim = "r")
def Xform "r" {{
def Xform "a" ({api}) {{
    float physics:mass = 1
}}
over "nothing" {{
    float physics:mass = 2
}}
}}"""
    own = """#usda 1.0
(metersPerUnit = 1
defaultPrim = "r"
subLayers = [@base.usda@])
over "r" (variants = {string s = "one"}
prepend variantSets = "s") {
over "a" {
    float3 physics:diagonalInertia = (1, 1, 1)
}
variantSet "s" = {
"one" {
over "a" {
    float physics:mass = 3
}
}
"two" {
over "a" {
    float physics:mass = 4
}
}
}
}"""
    (folder / "base.usda").write_text(base)
    (folder / "robot.usda").write_text(own)
    found = account()
    assert (found.inertials, found.judged["written"]) == (5, 2)
    reasons = {(each.path, each.line): each.reason for each in found.unjudged}
    assert "over nothing" in reasons["./base.usda", 9]
    assert reasons["./robot.usda", 13].startswith("a stronger opinion")
    assert "variant" in reasons["./robot.usda", 18]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f"<robot>\n<link>{INERTIAL}\n{INERTIAL}</link></robot>", 3, "another <inertial> of its"),
        (f"<robot><link name='a'/>\n{INERTIAL}</robot>", 2, "it stands in <robot>, where"),
        (
            "<sdf version='1.6'><world name='w'><state>\n<link><inertial/></link></state></world>"
            "</sdf>",
            2,
            "it stands in <link> in <state> in <world> in <sdf>, where no reader",
        ),
        (
            "<sdf xmlns:xacro='x'><model name='m'><link name='l'>\n<inertial><mass>${m}</mass>"
            "</inertial></link></model></sdf>",
            2,
            "xacro in <sdf> is not expanded",
        ),
    ],
)
def test_an_inertial_that_is_that_of_no_body_is_named_by_what_is_around_it(
    folder, text, line, reason
):
    (folder / "part.xml").write_text(text)
    report = check_paths(CheckRequest(["."], lambda path: SETTINGS, allow_unjudged=True))
    (unjudged,) = report.account.unjudged
    assert (unjudged.line, unjudged.reason[: len(reason)]) == (line, reason)
    assert {each.code for each in report.findings} <= {"IC004", "IC501"}


def test_workers_a_cache_and_an_archive_give_the_same_account(folder, monkeypatch):
    tree = folder / "tree"
    tree.mkdir()
    (tree / "part.xml").write_text(SNIPPET)
    (tree / "broken.urdf").write_text(BROKEN)
    for number in range(3):
        (tree / f"robot{number}.urdf").write_text(URDF)
    monkeypatch.setenv("INERTIAL_CHECK_USER_FOLDER", str(folder / "user"))
    alone = account("tree")
    assert (alone.inertials, alone.judged["written"]) == (5, 3)
    assert account("tree", jobs=2) == alone
    for _ in range(2):
        assert account("tree", cache="cache", always_cache=True) == alone
    with zipfile.ZipFile("tree.zip", "w") as archive:
        for file in tree.iterdir():
            archive.write(file, f"tree/{file.name}")
    packed = account("tree.zip")
    assert (packed.inertials, packed.judged) == (alone.inertials, alone.judged)
    assert [each.line for each in packed.unjudged] == [each.line for each in alone.unjudged]
    assert all("tree.zip" in each.path for each in packed.unjudged)


def test_inertials_of_which_none_is_judged_are_exit_code_2(folder, capsys):
    (folder / "part.xml").write_text(SNIPPET)
    for options in ((), ("--allow-empty",)):
        code, found, (failure,) = run(capsys, ".", *options)
        assert (code, found["inertials"], len(found["unjudged"])) == (2, 1, 1)
        assert failure.startswith("1 inertial found, none judged: the root element <link>")
        assert "--allow-unjudged" in failure
    assert run(capsys, ".", "--allow-unjudged", "--allow-empty")[0] == 0
    (folder / "inertial-check.toml").write_text("allow-unjudged = true\n")
    assert run(capsys, ".", "--allow-empty")[0] == 0
    assert run(capsys, ".", "--allow-empty", "--no-allow-unjudged")[0] == 2
    (folder / "inertial-check.toml").unlink()
    (folder / "frames.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert run(capsys, "frames.urdf")[:2] == (0, {**found, "inertials": 0, "unjudged": []})
    assert run(capsys, ".")[0] == 2
    (folder / "robot.urdf").write_text(URDF)
    assert run(capsys, ".")[0] == 0


def test_a_new_inertial_that_is_not_judged_fails_under_a_baseline(folder, capsys):
    (folder / "robot.urdf").write_text(URDF)
    (folder / "part.xml").write_text(SNIPPET)
    assert run(capsys, ".", "--write-baseline=base.json")[0] == 0
    assert json.loads((folder / "base.json").read_text())["unjudged"] == [
        {"file": "part.xml", "inertials": 1}
    ]
    assert run(capsys, ".", "--baseline=base.json")[0] == 0
    (folder / "part.xml").write_text(f"\n<x>{SNIPPET}</x>")  # elsewhere, and for another reason
    assert run(capsys, ".", "--baseline=base.json")[0] == 0
    shutil.copy("part.xml", "other.xml")
    code, found, _ = run(capsys, ".", "--baseline=base.json")
    marked = [(each["path"], each.get("new")) for each in found["unjudged"]]
    assert (code, marked) == (1, [("./other.xml", True), ("./part.xml", None)])
    assert run(capsys, ".", "--baseline=base.json", "--allow-unjudged")[0] == 0
    assert main(["check", ".", "--no-cache", "--baseline=base.json"]) == 1
    assert "./other.xml:4: newly not judged: the root element <x>" in capsys.readouterr().out
    older = {"schema_version": "1", "entries": []}
    (folder / "base.json").write_text(json.dumps(older))  # as releases without the field wrote it
    assert run(capsys, ".", "--baseline=base.json")[0] == 0
    for wrong in ({}, [{}], [{"file": "a", "inertials": 0}], [{"file": "a", "inertials": 1}] * 2):
        (folder / "base.json").write_text(json.dumps(older | {"unjudged": wrong}))
        assert main(["check", ".", "--baseline=base.json"]) == 2
    assert "each file once" in capsys.readouterr().err


def test_a_baseline_that_knows_findings_lowers_the_check(folder, capsys):
    (folder / "robot.urdf").write_text(URDF.replace('izz="1"', 'izz="3"'))
    assert run(capsys, ".")[1]["lowered_by"] == []
    run(capsys, ".", "--write-baseline=base.json")
    code, found, _ = run(capsys, ".", "--baseline=base.json")
    what = "findings that are known in this baseline: 1"
    assert (code, found["lowered_by"]) == (
        0,
        [{"path": "base.json", "line": 1, "what": what, "fails": False}],
    )


def test_pruning_a_baseline_lowers_the_number_of_unjudged_inertials(folder, capsys):
    (folder / "robot.urdf").write_text(URDF)
    (folder / "part.xml").write_text(f"<x>{SNIPPET}{SNIPPET}</x>")
    (folder / "gone.xml").write_text(SNIPPET)
    run(capsys, ".", "--write-baseline=base.json")
    (folder / "gone.xml").unlink()
    (folder / "part.xml").write_text(SNIPPET)
    assert run(capsys, ".", "--baseline=base.json", "--prune-baseline")[0] == 0
    assert json.loads((folder / "base.json").read_text())["unjudged"] == [
        {"file": "part.xml", "inertials": 1}
    ]
    (folder / "part.xml").write_text(f"<x>{SNIPPET}{SNIPPET}</x>")
    assert run(capsys, ".", "--baseline=base.json")[0] == 1


def test_the_last_lines_for_people_tell_the_account_and_verbose_lists_it(folder, capsys):
    (folder / "robot.urdf").write_text(URDF)
    (folder / "part.xml").write_text(SNIPPET)
    reason = "the root element <link> is no robot model"
    line = f"2 inertials found, 1 judged; 1 not judged: {reason} (1)."
    for form in ("full", "concise", "markdown", "github"):
        assert main(["check", ".", f"--output-format={form}"]) == 0
        shown = capsys.readouterr().out
        assert markdown_text(line, 999) in shown if form == "markdown" else line in shown, form
    assert f"./part.xml:3: {reason}" not in shown
    assert main(["check", ".", "-v"]) == 0
    assert f"./part.xml:3: {reason}" in capsys.readouterr().out
    assert main(["check", ".", "--output-format=sarif"]) == 0
    (invocation,) = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]
    notes = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert line in notes
    assert main(["report", ".", "-o", "page.html"]) == 0
    page = (folder / "page.html").read_text()
    assert "./part.xml:3: the root element \\u003clink\\u003e is no" in page


def test_stored_results_say_how_many_inertials_were_judged(folder, capsys):
    (folder / "broken.urdf").write_text(BROKEN)
    command = ["check", ".", "--results=rows", "--results-format=jsonl"]
    assert main(command) == 2
    assert "none was judged; --allow-unjudged" in capsys.readouterr().err
    assert main([*command, "--allow-unjudged"]) == 1
    (folder / "robot.urdf").write_text(URDF)
    assert main(command) == 1
    parts = folder.glob("rows/*/*.jsonl")
    rows = [json.loads(line) for part in parts for line in part.read_text().splitlines()]
    told = {(each["path"], each["inertials"], each["judged"]) for each in rows if not each["body"]}
    assert told == {("./broken.urdf", 1, 0), ("./robot.urdf", 1, 1)}


def test_what_two_documents_or_calls_say_of_one_place_is_one_finding(folder, capsys):
    """A finding says where else its numbers stand; an unknown parameter gives way to its calls."""
    pytest.importorskip("xacro")
    bad = INERTIAL.replace('izz="1"', 'izz="3"')
    part = f"<mujocoinclude>{MUJOCO.partition('<worldbody>{}')[2].partition('</worldbody>')[0]}"
    (folder / "part.xml").write_text(part.replace("1 1 1", "1 1 3") + "</mujocoinclude>")
    for name in ("one.xml", "two.xml"):
        (folder / name).write_text(MUJOCO.format('<include file="part.xml"/>'))
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    link = f'<link name="${{n}}">\n{bad.replace("1", "${m}", 1)}</link>'
    macro = f'<xacro:macro name="m" params="n m">{link}</xacro:macro>'
    (folder / "macro.xacro").write_text(f"{head}{macro}</robot>")
    calls = "".join(f'<xacro:m n="{name}" m="1"/>' for name in "ab")
    (folder / "robot.xacro").write_text(
        f'{head}<xacro:include filename="macro.xacro"/>{calls}</robot>'
    )
    assert main(["check", ".", "--output-format=json", "--no-cache"]) == 1
    report = json.loads(capsys.readouterr().out)
    told = {
        (file["path"], each["file"], each["line"]): each
        for file in report["files"]
        for each in file["findings"]
        if each["code"] == "IC301"
    }
    assert told.keys() == {("./one.xml", "./part.xml", 2), ("./robot.xacro", "macro.xacro", 2)}
    assert report["summary"]["errors"] == 2
    first, second = told.values()
    assert [(each["path"], each["body"]) for each in first["uses"]] == [("./two.xml", "body#1")]
    assert [(each["path"], each["body"]) for each in second["uses"]] == [("./robot.xacro", "b")]
    assert second["message"].endswith("it also stands for b of ./robot.xacro")
    assert main(["check", "macro.xacro", "--output-format=json", "--no-cache"]) == 1
    (alone,) = json.loads(capsys.readouterr().out)["files"]
    assert [each["code"] for each in alone["findings"]] == ["IC301"]


def test_settings_and_comments_that_lower_the_check_are_told(folder, capsys):
    bad = URDF.replace('izz="1"', 'izz="3"')
    (folder / "robot.urdf").write_text(bad)
    comment = "<!-- inertial-check: ignore[IC301] known -->"
    (folder / "other.urdf").write_text(bad.replace('<link name="a">', f'<link name="a">{comment}'))
    (folder / "part").mkdir()
    (folder / "part" / "robot.urdf").write_text(bad)
    lines = ['geometry = "auto"', "tolerance = 0.2", 'exclude = ["x"]', "[per-file-ignores]"]
    (folder / "part" / "inertial-check.toml").write_text(
        "\n".join([*lines, '"*.urdf" = ["IC301"]'])
    )
    _, found, _ = run(capsys, ".")
    told = {(each["path"], each["line"]): each["what"] for each in found["lowered_by"]}
    assert told == {
        ("part/inertial-check.toml", 2): "tolerance = 0.2",
        ("part/inertial-check.toml", 3): 'exclude = ["x"]',
        ("part/inertial-check.toml", 5): 'per-file-ignores.*.urdf = ["IC301"]',
        ("./other.urdf", 2): "findings that comments suppress: 1",
    }
    assert run(capsys, ".", "--isolated")[1]["lowered_by"] == found["lowered_by"][-1:]
    main(["check", ".", "-v", "--no-cache"])
    assert "part/inertial-check.toml:2: lowers the check: tolerance" in capsys.readouterr().err


def test_what_git_tracks_is_read_and_hidden_folders_are_told(folder):
    git("init", "-q")
    (folder / ".gitignore").write_text("*.urdf\nbuild/\n")
    for name in ("a.urdf", "b.urdf", "build/c.urdf", "build/d.urdf", ".hidden/e.urdf"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(URDF)
    assert account(allow_empty=True).inertials == 0
    git("add", "-f", "a.urdf", "build/c.urdf")
    (folder / ".gitignore").write_text("*.urdf\nbuild/\n!e.urdf\n")
    report = check_paths(CheckRequest(["."], lambda path: SETTINGS))
    assert [each.path for each in report.files] == ["./a.urdf", "./build/c.urdf"]
    (skipped,) = report.account.skipped
    assert (skipped.kind, skipped.paths) == ("file in a hidden folder", ("./.hidden/e.urdf",))


@pytest.mark.parametrize(
    ("version", "options"), [(2, []), (3, []), (4, ["--object-format=sha256"])]
)
def test_what_git_tracks_is_read_from_any_version_of_its_index(folder, version, options):
    names = [f"arm/{'x' * (i + 1)}{part}.urdf" for i in range(39) for part in ("", "_é", "/b")]
    for name in [*names, "arm/untracked.urdf", "armature.urdf"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(URDF.replace('name="a"', f'name="{len(name)}"'))
    git("init", "-q", *options)
    (folder / ".gitignore").write_text("*.urdf\n")
    git("add", "-f", *names)
    if version == 3:  # git writes it only for entries with more flags
        git("add", "-f", "-N", "armature.urdf")
        names.append("armature.urdf")
    else:
        git("update-index", f"--index-version={version}")
    assert (folder / ".git" / "index").read_bytes()[7] == version
    report = check_paths(CheckRequest(["."], lambda path: SETTINGS))
    assert sorted(each.path for each in report.files) == sorted(f"./{name}" for name in names)


def test_what_git_tracks_is_read_in_worktrees_and_submodules(folder):
    main, inner = folder / "main", folder / "inner"
    for repository in (main, inner):
        git("init", "-q", str(repository))
        (repository / "a.urdf").write_text(URDF)
        (repository / ".gitignore").write_text("*.urdf\n")
        git("-C", str(repository), "add", "-f", ".gitignore", "a.urdf")
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        git("-C", str(repository), *who, "commit", "-q", "-m", "a")
    git("-C", str(main), "worktree", "add", "-q", str(folder / "tree"))
    protocol = ["-c", "protocol.file.allow=always"]
    git("-C", str(folder / "tree"), *protocol, "submodule", "add", "-q", str(inner), "sub")
    report = check_paths(CheckRequest(["tree"], lambda path: SETTINGS))
    assert [each.path for each in report.files] == ["tree/a.urdf", "tree/sub/a.urdf"]
    # A file made by a stranger, which names the folder of another repository, leads nowhere.
    stranger = folder / "stranger"
    stranger.mkdir()
    (stranger / "a.urdf").write_text(URDF)
    (stranger / ".gitignore").write_text("*.urdf\n")
    for text in (f"gitdir: {main / '.git'}\n", "gitdir: \0\n", "gitdir: " + "x" * 9000):
        (stranger / ".git").write_text(text)
        assert account("stranger", allow_empty=True).inertials == 0


def test_archives_in_a_searched_folder_are_counted_and_not_opened(folder, capsys):
    (folder / "robot.urdf").write_text(URDF)
    for name in ("a.zip", "b.TAR.GZ", "c.txz"):
        (folder / name).write_bytes(b"not looked into")
    report = check_paths(CheckRequest(["."], lambda path: SETTINGS))
    (skipped,) = report.account.skipped
    assert skipped == SkippedFiles("archive", 3, ("./a.zip", "./b.TAR.GZ", "./c.txz"))
    (note,) = [each for each in report.notes if "archive" in each]
    assert note == (
        "skipped 3 archives: name an archive to check the models in it "
        "(./a.zip, ./b.TAR.GZ, ./c.txz)"
    )
