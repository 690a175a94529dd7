"""The options that say which files are checked, and how."""

import io
import os
import shutil
import sys

import pytest


@pytest.fixture
def models(tmp_path, data_dir, monkeypatch):
    shutil.copytree(data_dir / "valid", tmp_path / "valid")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def typed(monkeypatch):
    def typed(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return typed


def concise(run, *argv):
    code, out, err = run("check", "--output-format", "concise", "-q", *argv)
    return code, [line.split(":")[0] for line in out.splitlines()], err


@pytest.mark.parametrize(
    "content",
    [
        b"valid/rod.urdf\nvalid/plate.urdf",
        b"valid/rod.urdf\r\nvalid/plate.urdf\r\n\r\n",
        b"valid/rod.urdf\0valid/plate.urdf\0",
        b"valid/plate.urdf\nvalid/rod.urdf\nvalid/rod.urdf\n",
    ],
)
def test_files_come_from_a_list(models, run, typed, content):
    (models / "list").write_bytes(content)
    expected = (0, ["valid/plate.urdf", "valid/rod.urdf"], "")
    assert concise(run, "--files-from", "list") == expected
    typed(content)
    assert concise(run, "--files-from", "-") == expected


def test_a_name_with_a_line_end_needs_nul(models, run):
    name = "two\nlines.urdf"
    shutil.copy("valid/rod.urdf", name)
    (models / "list").write_bytes(os.fsencode(name) + b"\0")
    code, out, _ = run("check", "--output-format", "concise", "--files-from", "list")
    assert code == 0
    assert "IC306" in out


def test_what_a_list_names_in_vain_is_told_with_its_line(models, run):
    (models / "list").write_bytes(b"valid/rod.urdf\n\nnone.urdf\n")
    code, files, err = concise(run, "--files-from", "list")
    assert code == 2
    assert files == ["valid/rod.urdf"]
    assert err == "inertial-check: error: list:3: none.urdf: No such file or directory\n"
    (models / "list").write_bytes(b"none.urdf\0")
    code, files, err = concise(run, "--files-from", "list")
    assert (code, files) == (2, [])
    assert err == "inertial-check: error: list, entry 1: none.urdf: No such file or directory\n"


def test_a_file_that_is_called_dash_is_not_standard_input(models, run):
    shutil.copy("valid/rod.urdf", "-")
    (models / "list").write_bytes(b"-\n")
    assert concise(run, "--files-from", "list")[1] == ["./-"]


def test_an_empty_list_is_nothing_to_check(models, run):
    (models / "list").write_bytes(b"")
    code, _, err = concise(run, "--files-from", "list")
    assert code == 2
    assert "nothing to check in an empty list" in err
    assert concise(run, "--files-from", "list", "--allow-empty")[0] == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ((), "no PATH to check"),
        (("--files-from", "none"), "--files-from none: No such file or directory"),
        (("-", "--files-from", "-"), "both read standard input"),
        (("valid", "--jobs", "-1"), "a number of processes"),
        (("valid", "--jobs", "many"), "a number of processes"),
        (("valid", "--cache", "c", "--no-cache"), "choose one"),
        (("valid", "--cache", "valid/rod.urdf"), "cannot use valid/rod.urdf as a cache"),
        (("valid", "--resume", "valid"), "--resume valid: is a directory"),
        (("valid", "--resume", "valid/rod.urdf"), "no run of this command has written it"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2(models, run, argv, words):
    code, out, err = run("check", *argv)
    assert (code, out) == (2, "")
    assert words in err


def test_jobs_and_cache_change_no_byte(models, run):
    expected = run("check", "valid", "--jobs", "1")
    for argv in (["--jobs", "2"], ["--jobs", "0"], ["--jobs", "auto"], ["--no-cache"]):
        assert run("check", "valid", *argv) == expected
    for _ in range(2):
        assert run("check", "valid", "--cache", "c", "--jobs", "2") == expected
    assert (models / "c" / "entries").is_dir()
    assert sorted(path.name for path in models.iterdir()) == ["c", "valid"]


def test_without_dask_a_cluster_says_what_to_install(models, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = run("check", "valid", "--cluster", "tcp://127.0.0.1:1")
    assert code == 2
    assert 'pip install "inertial-check[cluster]"' in err
