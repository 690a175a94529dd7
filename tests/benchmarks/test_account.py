"""benchmarks/account.py names what a report leaves out, and counts apart from the package."""

from dataclasses import replace

import account
import pytest

from inertial_check.checking.report import Account, Report

INERTIAL = '<inertial><mass value="1"/></inertial>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "robot.urdf").write_text(
        f'<robot name="r"><link name="a">{INERTIAL}</link></robot>'
    )
    return tmp_path


def test_a_complete_account_passes(folder, capsys):
    assert account.survey(str(folder))
    assert "1 found, 1 judged (100.00 %: 1 written)" in capsys.readouterr().out
    (folder / "part.xml").write_text(f"<x>{INERTIAL}</x>")
    assert not account.survey(str(folder))  # one half is judged
    assert "0 files are wrong" in capsys.readouterr().out


def test_a_file_that_the_report_does_not_name_is_wrong(folder, capsys, monkeypatch):
    monkeypatch.setattr(account, "check_paths", lambda request: Report((), account=Account()))
    assert not account.survey(str(folder))
    assert "1 inertials, and the report does not name it" in capsys.readouterr().out


def test_a_count_that_a_parser_does_not_share_is_wrong(folder, capsys, monkeypatch):
    monkeypatch.setattr(account, "find_inertials", lambda data: [])
    assert not account.survey(str(folder))
    assert "0 inertials, and the parser finds 1" in capsys.readouterr().out


def test_a_body_that_only_the_engine_finds_is_wrong(folder, capsys, monkeypatch):
    moments = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    text = (folder / "robot.urdf").read_text().replace("</inertial>", f"{moments}</inertial>")
    (folder / "robot.urdf").write_text(text)
    assert account.survey(str(folder))
    assert "1 bodies of 1 models by MuJoCo; it refuses 0 models" in capsys.readouterr().out
    check = account.check_paths

    def forget(request):
        report = check(request)
        return replace(report, files=tuple(each._replace(bodies=()) for each in report.files))

    monkeypatch.setattr(account, "check_paths", forget)
    assert not account.survey(str(folder))
    assert "MuJoCo reads an inertial of a, and the report has none" in capsys.readouterr().out
