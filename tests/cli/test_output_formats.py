"""--format and the endings of -o and --chart, as a shell sees them."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.cli.conftest import GOLD, A, B
from tests.conftest import FIXTURES, Run, thorough_but
from tests.extras import require_extra
from treesql.results.tables import ENDINGS

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

SCORE = ["score", "dependency", GOLD, A, B, "--metric", "uas,las"]
COMPARE = ["compare", "dependency", GOLD, A, B, "--metric", "las"]
LATTICES = str(FIXTURES / "lattices.plf")
MARKDOWN = """\
| system          |   uas (%) |   las (%) |
| --------------- | --------: | --------: |
| parser-a.conllu |     83.33 |     80.00 |
| parser-b.conllu | **90.00** | **90.00** |
"""
LATEX = r"""% \usepackage{booktabs}
\begin{tabular}{lrr}
\toprule
system & uas (\%) & las (\%) \\
\midrule
parser-a.conllu & 83.33 & 80.00 \\
parser-b.conllu & \textbf{90.00} & \textbf{90.00} \\
\bottomrule
\end{tabular}
"""


ANSWERS: dict[str, Any] = {}


def asked_once(function: Callable[..., Any], *inputs: Any, **chosen: Any) -> Any:
    """What a function has returned for the same arguments before, or returns now."""
    asked = repr((function.__name__, inputs, sorted(chosen.items())))
    if asked not in ANSWERS:
        ANSWERS[asked] = function(*inputs, **chosen)
    return ANSWERS[asked]


@pytest.fixture(autouse=True)
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested here is how results are written: each is computed once."""
    for name in ("score", "compare", "stats"):
        monkeypatch.setattr(treesql, name, partial(asked_once, getattr(treesql, name)))


def printed(done: Run) -> str:
    assert done.code == 0, done.err
    return done.out


@cache
def scored() -> treesql.Result:
    """What SCORE prints."""
    return treesql.score("dependency", gold=GOLD, systems=[A, B], metric=["uas", "las"])


def test_scores_of_documents(run) -> None:  # type: ignore[no-untyped-def]
    assert printed(run(*SCORE, "--format", "markdown")) == MARKDOWN
    assert printed(run(*SCORE, "--format", "latex")) == LATEX
    assert "<td" in printed(run(*SCORE, "--format", "html"))
    tsv = "system\tuas\tlas\nparser-a.conllu\t0.8333333333333334\t0.8\nparser-b.conllu\t0.9\t0.9\n"
    assert printed(run(*SCORE, "--format", "tsv")) == tsv


@pytest.mark.spread(3)
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ending_of_a_file_chooses_the_format(run, tmp_path: Path, ending: str) -> None:  # type: ignore[no-untyped-def]
    out = tmp_path / f"x{ending.upper()}"
    assert printed(run(*SCORE, "-o", out)) == ""
    if ending != ".parquet":
        assert out.read_text() == printed(run(*SCORE, "--format", ENDINGS[ending]))
    treesql.write(scored(), tmp_path / f"y{ending}")
    assert (tmp_path / f"y{ending}").read_bytes() == out.read_bytes()


def test_the_option_decides_against_the_ending(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert run(*SCORE, "--format", "latex", "-o", tmp_path / "x.md").code == 0
    assert (tmp_path / "x.md").read_text() == LATEX
    done = run(*SCORE, "-o", tmp_path / "x.docx")
    assert done.code == 2
    assert "nothing is written as .docx; name a file that ends in .txt, .csv, .tsv," in done.err
    assert not (tmp_path / "x.docx").exists()


@pytest.mark.parametrize("command", ["score", "compare"])
def test_what_cannot_be_written_is_refused_before_anything_is_read(run, tmp_path: Path, command: str) -> None:  # type: ignore[no-untyped-def]
    for out, told in (("x.docx", "nothing is written as .docx"), ("no/x.csv", "there is no such folder")):
        done = run(command, "dependency", "no.conllu", "none.conllu", "nor.conllu", "-o", tmp_path / out)
        assert (done.code, told in done.err, done.err.count("\n")) == (2, True, 1)


def test_signatures_are_not_in_the_document(run) -> None:  # type: ignore[no-untyped-def]
    done = run(*SCORE, "--format", "markdown", "--signature")
    assert done.out == MARKDOWN
    assert "uas,las|" in done.err


def test_intervals_stand_in_the_cells_of_their_scores(run) -> None:  # type: ignore[no-untyped-def]
    lines = printed(run(*SCORE, "--ci", "--format", "markdown")).splitlines()
    assert lines[3].split("|")[2].strip() == "**90.00** [84.62, 96.67]"
    [_, row] = csv.DictReader(io.StringIO(printed(run(*SCORE, "--ci", "--format", "tsv"))), delimiter="\t")
    assert list(row) == ["system", "uas", "uas_low", "uas_high", "las", "las_low", "las_high"]
    assert float(row["uas_low"]) == pytest.approx(0.846153846)


def test_wide_tables_are_turned_as_on_a_screen(run) -> None:  # type: ignore[no-untyped-def]
    for form in ("table", "markdown"):
        narrow = printed(run("stats", GOLD, "--relations", "--format", form))
        wide = printed(run("stats", GOLD, "--format", form))
        assert "relation" in narrow.splitlines()[0]
        assert "measure" in wide.splitlines()[0]
        assert "gold.conllu" in wide.splitlines()[0]
    assert "words_per_sentence" in printed(run("stats", GOLD, "--format", "tsv")).splitlines()[0]


def test_comparisons(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = printed(run(*COMPARE, "--format", "markdown")).split("\n\n")
    assert rows[0].splitlines()[-1].endswith("| **90.00** [84.62, 96.67] |")
    assert rows[1].startswith("† differs from parser-a.conllu: p \\< 0.05. ↑ higher is better.")
    assert run(*COMPARE, "-o", tmp_path / "c.tex").code == 0
    assert r"las $\uparrow$ (\%)" in (tmp_path / "c.tex").read_text()
    [row] = csv.DictReader(io.StringIO(printed(run(*COMPARE, "--format", "tsv"))), delimiter="\t")
    assert (row["system_a"], row["direction"]) == ("parser-a.conllu", "higher")
    done = run(*COMPARE, "--format", "html", "--signature")
    assert done.out.startswith("<table>\n<caption")
    assert "las|" in done.err


def test_a_significant_difference_has_a_dagger(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Of sixty sentences, each with one word: one system is wrong in half of them, the other nowhere."""
    word, wrong = (f"1\ta\ta\tX\t_\t_\t0\t{relation}\t_\t_\n\n" for relation in ("root", "dep"))
    (tmp_path / "gold.conllu").write_text(word * 60)
    (tmp_path / "best.conllu").write_text(word * 60)
    (tmp_path / "half.conllu").write_text((word + wrong) * 30)
    files = [tmp_path / f"{name}.conllu" for name in ("gold", "half", "best")]
    done = run("compare", "dependency", *files, "--metric", "las", "--format", "markdown")
    lines = printed(done).splitlines()
    assert "50.00 [" in lines[2]
    assert "**100.00**† [100.00, 100.00]" in lines[3]


def test_a_picture_of_a_table(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    links = [FIXTURES / "links.pharaoh", FIXTURES / "links-a.pharaoh"]
    how, out = ("score", "alignment", *links), tmp_path / "curve.svg"
    assert printed(run(*how, "--table", "threshold_curve", "-o", out)) == ""
    assert "precision" in out.read_text("utf-8")
    refused = run(*how, "--table", "threshold_curve", "-o", out, "--format", "csv")
    assert (refused.code, "is a picture; leave out options that choose how a table is printed" in refused.err) == (
        2,
        True,
    )
    refused = run(*how, "-o", tmp_path / "scores.svg")
    assert (refused.code, "nothing is written as .svg" in refused.err) == (2, True)


def test_a_matrix_of_correlations(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "t.csv").write_text("name,a_1,b|2\nx,1,2\ny,2,4\nz,3,7\n")
    lines = printed(run("correlate", tmp_path / "t.csv", "--format", "markdown")).splitlines()
    assert lines[0].replace(" ", "") == r"|metric|a_1|b\|2|"
    assert "| 0.99 " in lines[2] + lines[3]
    header = "metric_a\tmetric_b\tmethod\tn\tr\tr_low\tr_high\tp\tpairs\tsame_order\n"
    assert printed(run("correlate", tmp_path / "t.csv", "--format", "tsv")).startswith(header)


def test_sql_in_documents_and_tsv(run, db: Path) -> None:  # type: ignore[no-untyped-def]
    sql = "SELECT chr(9) || 'a|b' AS \"x\ny\", [1, 2] AS l, 12.50::DECIMAL(8, 2) AS d, NULL AS n"
    assert printed(run("sql", db, sql, "--format", "tsv")) == "x\\ny\tl\td\tn\n\\ta|b\t[1,2]\t12.50\t\n"
    assert r"a\|b" in printed(run("sql", db, sql, "--format", "markdown"))
    assert r"12.50" in printed(run("sql", db, sql, "--format", "latex"))
    assert printed(run("sql", db, "SELECT 1 AS n WHERE false", "--format", "markdown")) == "|   n |\n| --: |\n"


@pytest.mark.slow
def test_other_tables(run, db: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for command in (
        ["info", db],
        ["queries"],
        ["wde", GOLD],
        ["find", GOLD, "pattern { V [upos=VERB] }"],
        ["lattice", "oracle", LATTICES, "--phrases", "-r", FIXTURES / "lattices.txt"],
    ):
        assert printed(run(*command, "--format", "markdown")).startswith("| ")
    report = run("lattice", "prune", LATTICES, "--phrases", "-r", FIXTURES / "lattices.txt", "--report", "latex")
    assert r"\toprule" in printed(report)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "start"),
    thorough_but([(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg")], (".png", b"\x89PNG")),
)
def test_pictures(run, tmp_path: Path, ending: str, start: bytes) -> None:  # type: ignore[no-untyped-def]
    require_extra("charts")
    out = tmp_path / f"x{ending}"
    for option, command in (
        ("--chart", ["wde", GOLD]),
        ("-o", ["show", GOLD, "mat"]),
        ("-o", ["find", GOLD, "pattern { V [upos=VERB] }", "--draw", "--limit", "1"]),
        ("-o", ["lattice", "show", LATTICES, "0", "--phrases"]),
    ):
        printed(run(*command, option, out))
        assert out.read_bytes().startswith(start)
        out.unlink()


def test_pictures_without_the_extra(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """The error comes before anything is read."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for command in (["wde", "no.conllu", "--chart"], ["show", "no.conllu", "1", "-o"]):
        done = run(*command, tmp_path / "x.png")
        assert done.code == 2
        assert done.err.splitlines() == ["PNG and PDF files are made by vl-convert: pip install 'treesql[charts]'"]
        assert not (tmp_path / "x.png").exists()
