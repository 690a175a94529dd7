"""What an archive says about itself hides no member from the check."""

import io
import tarfile
import zipfile

import pytest

from inertial_check.programs.cli.main import main

LINK = (
    '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" '
    'iyy="1" iyz="0" izz="{}"/></inertial></link></robot>'
)
GOOD, BAD = LINK.format("1.5"), LINK.format("9")


@pytest.fixture(params=["zip", "tar", "tar.gz"])
def pack(request, tmp_path, monkeypatch):
    """Writes an archive of members in this order, and gives its name."""
    monkeypatch.chdir(tmp_path)

    def write(*members):
        name = f"a.{request.param}"
        if request.param == "zip":
            with zipfile.ZipFile(name, "w") as archive:
                for member, text in members:
                    archive.writestr(zipfile.ZipInfo(member), text)
            return name
        mode = "w:gz" if request.param == "tar.gz" else "w"
        with tarfile.open(name, mode) as archive:
            for member, text in members:
                info = tarfile.TarInfo(member)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        return name

    return write


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_members_of_one_name_the_last_is_checked(pack, capsys):
    """Others than the last are lost when tar or unzip unpacks the archive."""
    assert main(["check", "--no-cache", pack(("a.urdf", GOOD), ("a.urdf", BAD))]) == 1
    said = capsys.readouterr()
    assert "IC301" in said.out
    assert "a.urdf left out: another of its name comes later" in said.err
    assert main(["check", "--no-cache", pack(("a.urdf", BAD), ("a.urdf", GOOD))]) == 0


def test_an_ignore_file_in_an_archive_hides_nothing(pack, capsys):
    members = ((".gitignore", "a.urdf\n"), ("a.urdf", BAD), ("b.urdf", GOOD))
    assert main(["check", "--no-cache", pack(*members)]) == 1
    assert "Checked 2 bodies in 2 files" in capsys.readouterr().out


def test_a_hidden_folder_in_an_archive_is_told(pack, capsys):
    assert main(["check", "--no-cache", pack((".h/a.urdf", BAD), ("b.urdf", GOOD))]) == 0
    assert "skipped 1 file in a hidden folder" in capsys.readouterr().err
