"""A cache in a stranger's checkout: nothing outside is written or deleted, nothing is believed."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from inertial_check.programs.cli.main import main
from inertial_check.running import cache
from inertial_check.running.cache import Folder, seal

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes")

BROKEN = """<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/></inertial></link></robot>"""
SOUND = BROKEN.replace('"9"', '"1"')


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with one sound model and one broken one, beside a folder of other files."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "broken.urdf").write_text(BROKEN)
    (tmp_path / "repo" / "sound.urdf").write_text(SOUND)
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("thesis.txt", f"{0:040x}", f".{0:040x}.{0:08x}.tmp"):
        (victim / name).write_text("dear")
        os.utime(victim / name, (0, 0))
    monkeypatch.chdir(tmp_path / "repo")
    return tmp_path / "repo"


@pytest.fixture
def check(capsys):
    """Check the folder with a cache; returns the exit code, the findings' codes, and stderr."""

    def run(cache=".inertial_check_cache", *options):
        code = main(["check", ".", "--cache", cache, "--output-format", "json", *options])
        out, err = capsys.readouterr()
        findings = [each for file in json.loads(out)["files"] for each in file["findings"]]
        return code, [each["code"] for each in findings if each["severity"] == "error"], err

    return run


def listing(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def plant(link, target):
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)


@posix
@pytest.mark.parametrize(
    "link",
    [
        ".inertial_check_cache",
        ".inertial_check_cache/entries",
        ".inertial_check_cache/.gitignore",
        ".inertial_check_cache/.inertial-check-cache",
    ],
)
def test_a_committed_link_in_place_of_the_cache_writes_and_deletes_nothing(checkout, check, link):
    victim = checkout.parent / "victim"
    file = link.endswith(("ignore", "cache/.inertial-check-cache"))
    plant(checkout / link, victim / "thesis.txt" if file else victim)
    before = listing(victim)
    code, codes, err = check()
    assert (code, codes) == (1, ["IC301"])
    assert err.count("note: no cache is used: ") == 1
    assert listing(victim) == before


@posix
def test_a_link_to_a_file_that_does_not_exist_makes_none(checkout, check):
    plant(checkout / ".inertial_check_cache", "../victim/new")
    assert check()[0] == 1
    assert not (checkout.parent / "victim" / "new").exists()


@posix
def test_a_cache_below_a_committed_link_is_refused(checkout, check):
    plant(checkout / "build", "../victim")
    before = listing(checkout.parent / "victim")
    code, _, err = check("build/cache")
    assert code == 1
    assert "note: no cache is used: " in err
    assert listing(checkout.parent / "victim") == before


@posix
def test_entries_that_become_a_link_later_are_refused(checkout, check):
    check()
    victim = checkout.parent / "victim"
    before = listing(victim)
    shutil.rmtree(".inertial_check_cache/entries")
    plant(checkout / ".inertial_check_cache/entries", "../../victim")
    code, codes, err = check()
    assert (code, codes) == (1, ["IC301"])
    assert "entries is a link or no folder" in err
    assert listing(victim) == before


def test_a_committed_folder_of_entries_is_not_used(checkout, check):
    """Made by another user, so with another secret."""
    os.environ["INERTIAL_CHECK_USER_FOLDER"], own = (
        str(checkout.parent / "stranger"),
        os.environ["INERTIAL_CHECK_USER_FOLDER"],
    )
    try:
        check()
    finally:
        os.environ["INERTIAL_CHECK_USER_FOLDER"] = own
    before = listing(checkout / ".inertial_check_cache" / "entries")
    assert before
    _, codes, err = check()
    assert codes == ["IC301"]
    assert "was not made by this command for this user" in err
    assert listing(checkout / ".inertial_check_cache" / "entries") == before


def test_an_entry_that_calls_a_broken_model_valid_is_not_believed(checkout, check):
    """Whoever can write into the folder, but does not know the secret, forges no entry."""
    assert check()[1] == ["IC301"]
    for path in Path(".inertial_check_cache/entries").iterdir():
        text = path.read_text()
        forged = re.sub(r'"findings":\[.*\]', '"findings":[]', text).replace("IC301", "IC901")
        body = forged.split(" ", 1)[1].rstrip()
        path.write_text(f"{seal(b'', cache.digest(body.encode()).encode())} {body}\n")
    assert check()[1] == ["IC301"]


@posix
@pytest.mark.parametrize("kind", ["fifo", "link", "device", "folder", "huge"])
def test_an_entry_that_is_no_regular_file_is_not_read(checkout, check, kind):
    check()
    for path in list(Path(".inertial_check_cache/entries").iterdir()):
        content = path.read_bytes()
        path.unlink()
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            other = checkout.parent / f"{path.name}.copy"
            other.write_bytes(content)
            path.symlink_to(other)
        elif kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "folder":
            path.mkdir()
        else:
            with path.open("wb") as stream:
                stream.truncate(1 << 40)
    assert check()[:2] == (1, ["IC301"])


def test_only_files_with_the_names_of_entries_are_deleted(checkout, check):
    check()
    mine = Path(".inertial_check_cache/entries/notes.tmp")
    mine.write_text("mine")
    os.utime(mine, (0, 0))
    store = Folder(".inertial_check_cache", largest=0)
    store._written = True
    store.close()
    assert [path.name for path in mine.parent.iterdir()] == ["notes.tmp"]


@posix
def test_a_file_in_place_of_the_default_cache_is_a_note(checkout, capsys, monkeypatch):
    monkeypatch.setattr("inertial_check.running.run.MANY", 1)
    (checkout / ".inertial_check_cache").write_text("no folder")
    assert main(["check", "."]) == 1
    assert capsys.readouterr().err.count("note: ") == 1


def test_a_secret_inside_the_checkout_is_not_used(checkout, check, monkeypatch):
    planted = checkout / ".cache"
    planted.mkdir()
    (planted / "secret").write_bytes(bytes(32))
    (planted / "secret").chmod(0o600)
    monkeypatch.setenv("INERTIAL_CHECK_USER_FOLDER", str(planted))
    _, codes, err = check()
    assert codes == ["IC301"]
    assert "inside the checkout" in err


@posix
@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_secret_that_others_can_read_is_not_used(checkout, check, monkeypatch, mode):
    folder = checkout.parent / "user"
    folder.mkdir()
    (folder / "secret").write_bytes(bytes(32))
    (folder / "secret").chmod(mode)
    monkeypatch.setenv("INERTIAL_CHECK_USER_FOLDER", str(folder))
    assert "other users may read it" in check()[2]


def test_a_second_run_still_uses_its_own_cache(checkout, check, monkeypatch):
    first = check()
    monkeypatch.setattr("inertial_check.checking.check.check_documents", None)
    assert check() == first
    assert "no cache" not in first[2]


def test_a_planted_journal_is_not_believed(checkout, capsys):
    """--resume: lines of another user are checked again."""
    command = ["check", ".", "--resume", "run.jsonl", "--output-format", "concise"]
    assert main(command) == 1
    shown = capsys.readouterr().out
    text = Path("run.jsonl").read_text()
    forged = "".join(
        re.sub("^[0-9a-f]+ ", 40 * "0" + " ", line.replace("IC301", "IC901"))
        for line in text.splitlines(keepends=True)
    )
    Path("run.jsonl").write_text(forged)
    assert main(command) == 1
    assert capsys.readouterr().out == shown
