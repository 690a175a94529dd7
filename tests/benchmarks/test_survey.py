"""benchmarks/survey.py writes the same page of a folder of repositories on every run."""

import shutil
import subprocess
import sys


def test_a_survey_counts_findings_names_sources_and_explains_examples(project_root, tmp_path):
    corpus = tmp_path / "corpus"
    for folder, names in {"one+arms": ["arm.urdf"], "two+valid": ["valid/rod.urdf"]}.items():
        (corpus / folder).mkdir(parents=True)
        for name in names:
            shutil.copy(project_root / "data" / name, corpus / folder)
    (corpus / "SOURCES.md").write_text(
        "| folder | upstream | commit / release | first words of licence |\n|---|---|---|---|\n"
        "| one+arms | one/arms | 0123456789abcdef | MIT License Copyright |\n"
    )
    command = [sys.executable, str(project_root / "benchmarks" / "survey.py"), str(corpus)]
    pages = {
        subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
        for _ in range(2)
    }
    (page,) = pages
    assert "* one/arms (0123456789, MIT): 1, 10, 2, 2, 4" in page
    assert "* two/valid (not stated): 1, 2, 0, 0, " in page
    assert "[IC301](rules/IC301.md) 2/1, " in page
    assert "[decimal-slip](causes/decimal-slip.md)**, 9" in page
    assert str(tmp_path) not in page
