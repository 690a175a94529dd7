"""LaTeX: names are text whatever they hold, and tables have as many cells as columns."""

import re
import shutil
import subprocess

import pytest

from inertial_check.reports.identification import (
    ROWS,
    Table,
    escape,
    format_cell,
    format_table,
    format_term,
)

HOSTILE = r"\input{/etc/passwd}%$x$&_^~#{}[8]*" + '"|<>\n\x1b[2Jé鍵'
TABLE = Table(
    f"Title {HOSTILE}",
    ("name", "value", "%"),
    ((HOSTILE, "-1.2e-05", ">999"), ("[a]", "3", "inf"), ("*", "1.5 +- 0.2", "5 %")),
    f"remark {HOSTILE}",
)


def test_no_character_of_a_name_acts():
    shown = escape(HOSTILE)
    assert shown.isascii()
    assert "\n" not in shown
    assert shown.startswith(r"\textbackslash{}input\{/etc/passwd\}\%\$x\$\&\_")
    assert "{[}U+9375{]}" in shown
    # What is left without its escapes has no character that acts.
    assert not re.search(r"[%$&#_^~\\]", re.sub(r"\\(text\w+\{\}|[%$&#_{}])", "", shown))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1.2e-05", r"$-1.2\cdot 10^{-5}$"),
        ("0.30", "$0.30$"),
        ("1.5 +- 0.2", r"$1.5$~$\pm$~$0.2$"),
        ("inf", r"$\infty$"),
        ("N m s/rad", "N m s/rad"),
        ("", ""),
        (">999", r"\textgreater{}999"),
        ("2nd", "2nd"),
    ],
)
def test_numbers_are_set_as_numbers(text, expected):
    assert format_cell(text) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ((1.0, "Iyy", "upper", True), r"$I_{yy,\mbox{\scriptsize upper}}$"),
        ((0.16, "m", "a_b", False), r"$+0.16\,m_{\mbox{\scriptsize a\_b}}$"),
        ((-1.0, "hx", "c", False), r"$-h_{x,\mbox{\scriptsize c}}$"),
        ((2e-7, "fv1", None, False), r"$+2\cdot 10^{-7}\,\mbox{fv1}$"),
    ],
)
def test_terms_of_base_parameters(term, expected):
    assert format_term(*term) == expected


def test_tables_have_as_many_cells_as_columns_and_balanced_braces():
    text = format_table(TABLE)
    rows = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 4
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == 2
        assert not re.match(r"[\[*]", row)  # LaTeX would take it for an option of the row before
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert text.count(r"\begin") == text.count(r"\end") == 2


def test_a_table_longer_than_a_page_is_continued():
    rows = tuple((f"row{k}", str(k)) for k in range(2 * ROWS + 1))
    text = format_table(Table("Long", ("name", "number"), rows))
    assert text.count(r"\toprule") == 3
    assert text.count("Long (continued)") == 2
    assert [text.count(f"row{k} &") for k in range(len(rows))] == [1] * len(rows)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
def test_it_compiles(tmp_path):
    math = tuple(f"{format_term(0.5, 'Iyy', HOSTILE, first=True)} x" for _ in TABLE.rows)
    tables = format_table(TABLE) + "\n" + format_table(TABLE._replace(math=math))
    source = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "t.tex").write_text(f"{source}\n{tables}\n\\end{{document}}\n")
    subprocess.run(
        ["pdflatex", "-halt-on-error", "-no-shell-escape", "t.tex"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
