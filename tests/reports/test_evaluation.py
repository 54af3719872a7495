"""Reports of evaluations: every number is that of `score`, `compare` and `--table`, for every kind."""

from __future__ import annotations

import csv
import html
import json
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import treesql
from tests.conftest import FIXTURES, thorough_but
from tests.evaluation.kinds_by_file import KINDS, load_all
from tests.house.rules import in_turn
from tests.reports.pages import HOSTILE, TWO_SYSTEMS, cell, check_page, whole
from tests.reports.reading import read_page
from treesql.cli import group
from treesql.errors import TreesqlWarning, UnknownName, UsageError
from treesql.reports import evaluation, evaluation_page, evaluation_tables
from treesql.reports.evaluation import without_shared_parts
from treesql.results.tables import number_text

pytestmark = pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")

TABLES = ("buckets", "comparison", "confusions", "scores", "sentences")


@pytest.fixture
def in_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)


@cache
def report_of(kind: str) -> treesql.Report:
    """Of two systems, made in the folder of the fixtures."""
    return treesql.report(kind, **TWO_SYSTEMS[kind])


@pytest.mark.spread(4)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_one_system(kind: str) -> None:
    how = {**whole(kind), **({"phrases": True} if kind == "lattice" else {})}
    made = treesql.report(kind, **how)
    check_page(made.html)
    assert "One system is described, not compared" in made.html
    assert ("phrases: true" in made.html) == (kind == "lattice")
    assert len(made.tables["comparison"]) == 0
    assert "difference" in made.tables["comparison"].columns


@pytest.mark.slow
@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.parametrize("kind", thorough_but(KINDS, "dependency", "alignment"))
def test_scores_and_comparison_are_those_of_other_commands(kind: str) -> None:
    how, made = TWO_SYSTEMS[kind], report_of(kind)
    page = check_page(made.html)
    scores = treesql.score(kind, ci=True, **how)
    assert made.tables["scores"].arrow().equals(scores.arrow())
    shown = {row[0].removesuffix(" (%)"): row[1:] for row in page.scores.rows}
    rows = {row["system"]: row for row in scores.rows()}
    for name in scores.columns[1:]:
        if not name.endswith(("_low", "_high")):
            ends = [(row[name], row.get(f"{name}_low"), row.get(f"{name}_high")) for row in rows.values()]
            assert shown[name] == [cell(*one, percent=name in scores.percent) for one in ends]
    compared = treesql.compare(kind, **how)
    assert made.tables["comparison"].arrow().equals(compared.arrow())
    for line in compared.words():
        assert line.replace("<", "&lt;").replace("'", "&#x27;") in made.html
    assert page.differences[0].rows == [list(map(str, row.values())) for row in compared.tables()[1].rows()]
    assert "not drawn" not in made.html


@pytest.mark.slow
@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.parametrize(
    ("kind", "every"),
    thorough_but([*((kind, 1) for kind in KINDS), ("dependency", 4)], ("dependency", 4), ("alignment", 1)),
)
def test_buckets_are_those_of_by_and_compare_where(kind: str, every: int) -> None:
    """every: n-th column of those that buckets have."""
    how, made = TWO_SYSTEMS[kind], report_of(kind)
    page = read_page(made.html)
    buckets = made.tables["buckets"].rows()
    [metric] = {row["metric"] for row in buckets}
    names = [name for name in treesql.kinds(kind)[0].all_metrics if metric in treesql.kinds(kind)[0].columns(name)]
    percent = metric in treesql.score(kind, metric=f"{names[0]}.{metric}", **how).percent
    declared = set(treesql.kinds(kind)[0].report.buckets.values())
    assert {row["column"] for row in buckets} == {
        one
        for one in declared
        if kind != "alignment" or not one.startswith(("source_", "target_"))  # no texts
    }
    for title, column in sorted({(row["attribute"], row["column"]) for row in buckets})[::every]:
        finer = kind == "lattice" and column.startswith("reference")
        named = "path_edits.path_error_rate" if finer else f"{names[0]}.{metric}"
        scored = treesql.score(kind, metric=named, by=column, ci=True, **how).rows()
        expected = {(_name(row[column]), row["system"]): row for row in scored}
        tables = [one for one in page.tables if one.caption == f"{metric} by {title}, 95% intervals in brackets"]
        values = list(dict.fromkeys(row["value"] for row in buckets if row["attribute"] == title))
        assert len(tables) == (len(values) > 1)  # a column of one value has the whole score
        shown = {  # values have other names on the page, in the same order
            value: dict(zip(table.heads, row, strict=True))
            for table in tables for value, row in zip(values, table.rows, strict=True)
        }  # fmt: skip
        assert evaluation_tables.NONE not in {row[0] for table in tables for row in table.rows}
        for row in buckets:
            if row["column"] == column and (row["value"], row["system"]) in expected:
                wanted = expected[row["value"], row["system"]]
                ends = [wanted[f"{named.partition('.')[2]}{end}"] for end in ("", "_low", "_high")]
                found = [row["score"], row["low"], row["high"]]
                assert found == [None if end is None else pytest.approx(end, rel=1e-12) for end in ends]
                if shown:
                    text = shown[row["value"]][row["system"]]
                    assert text == cell(*ends, percent=percent).replace(" [", "† [" if row["differs"] else " [")


def _name(value: object) -> str:
    return evaluation_tables.NONE if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.slow
def test_p_of_a_bucket_is_that_of_compare_with_a_condition() -> None:
    how = TWO_SYSTEMS["dependency"]
    rows = report_of("dependency").tables["buckets"].rows()
    tested = [row for row in rows if row["column"] == "upos" and row["p"] is not None]
    assert len(tested) > 2
    for row in tested[:: len(tested) - 1]:
        [compared] = treesql.compare("dependency", metric="las", where=f"upos = '{row['value']}'", **how).rows()
        assert row["p"] == compared["p"]
    ordered = sorted(row["p"] for row in rows if row["p"] is not None)
    corrected = sorted(row["p_corrected"] for row in rows if row["p_corrected"] is not None)
    assert corrected[0] == min(len(ordered) * ordered[0], 1.0)


@pytest.mark.usefixtures("in_fixtures")
def test_confusions_are_those_of_the_table() -> None:
    made = report_of("dependency")
    table = treesql.score("dependency", table="relation_confusions", **TWO_SYSTEMS["dependency"]).rows()
    expected = {(row["system"], row["gold_relation"], row["system_relation"]): row["words"] for row in table}
    rows = [row for row in made.tables["confusions"].rows() if row["confusion"] == "Relations"]
    assert {(row["system"], row["gold"], row["found"]): row["count"] for row in rows} == expected
    page = read_page(made.html)
    for system in "ab":
        shown = page.table(f"Relations by {system}")
        assert all(any(of_column) for of_column in zip(*(row[1:] for row in shown.rows), strict=True))
        for row in shown.rows:
            of_row = {
                name: n for (of_system, gold, name), n in expected.items() if (of_system, gold) == (system, row[0])
            }
            assert row[-1] == str(sum(of_row.values()))
            cells = dict(zip(shown.heads[1:-1], row[1:-1], strict=True))
            others = cells.pop("others", "")  # has no column without a number, as what is never found
            right = f"{100 * of_row[row[0]] / sum(of_row.values()):.0f}%" if row[0] in of_row else ""
            assert cells.pop(row[0], "") == right
            assert {name: int(text) for name, text in cells.items() if text}.items() <= of_row.items()
            assert sum(int(text) for text in (*cells.values(), others) if text) == sum(of_row.values()) - of_row.get(
                row[0], 0
            )


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.slow
def test_confusions_of_heads_labels_and_edits() -> None:
    def rows_of(kind: str, title: str) -> dict[tuple[str, str], int]:
        made = report_of(kind)
        rows = [row for row in made.tables["confusions"].rows() if (row["confusion"], row["system"]) == (title, "a")]
        assert all(row["examples"] for row in rows)
        return {(row["gold"], row["found"]): row["count"] for row in rows}

    heads = rows_of("dependency", "Heads by part of speech")
    scored = treesql.score("dependency", by="gold_head_upos,system_head_upos", metric="words",
                           gold="gold.conllu", systems={"a": "parser-a.conllu"}).rows()  # fmt: skip
    assert heads == {(row["gold_head_upos"], row["system_head_upos"]): row["words"] for row in scored}
    assert heads["ROOT", "ROOT"] > 0
    labels = rows_of("constituency", "Labels")
    brackets = treesql.score("constituency", metric="matched,gold,test", gold="gold.mrg", systems={"a": "test.mrg"})
    [row] = brackets.rows()
    none = evaluation_tables.NONE
    assert sum(n for (gold, _), n in labels.items() if gold != none) == row["gold"]
    assert sum(n for (_, found), n in labels.items() if found != none) == row["test"]
    assert sum(n for (gold, found), n in labels.items() if gold == found) == row["matched"]
    assert labels["VP", none] == 1
    assert rows_of("lattice", "Edit operations of the nearest path") == {("not", none): 1}


@pytest.mark.usefixtures("in_fixtures")
def test_confusions_whose_items_lack_the_columns_of_a_condition_are_left_out() -> None:
    how: dict[str, Any] = {"gold": "gold.mrg", "systems": "test.mrg", "metric": "f1"}
    shown = treesql.report("constituency", where="label = 'NP'", **how)
    assert len(shown.tables["confusions"]) == 0
    assert len(shown.tables["buckets"]) > 0
    shown = treesql.report("constituency", where="sentence = 0", **how)
    assert {row["confusion"] for row in shown.tables["confusions"].rows()} == {"Labels"}


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.slow
def test_sentences_that_one_system_wins() -> None:
    made = treesql.report("dependency", sentences=2, **TWO_SYSTEMS["dependency"])
    rows = made.tables["sentences"].rows()
    by_list = {name: [row["sent_id"] for row in rows if row["list"] == name and row["system"] == "a"] for name in
               ("first_wins", "second_wins", "all_fail")}  # fmt: skip
    scored = treesql.score("dependency", metric="words,las", by="sentence", **TWO_SYSTEMS["dependency"]).rows()
    right = {(row["sent_id"], row["system"]): row["words"] * row["las"] for row in scored}
    gain = {name: right[name, "b"] - right[name, "a"] for name, _ in right}  # b is the best
    assert by_list["first_wins"] == [name for name in sorted(gain, key=lambda one: -gain[one])[:2] if gain[name] > 0]
    assert by_list["second_wins"] == [name for name in sorted(gain, key=lambda one: gain[one])[:2] if gain[name] < 0]
    assert by_list["first_wins"][0] == "tea"
    assert {row["score"] for row in rows} <= {row["las"] for row in scored}


@pytest.mark.usefixtures("in_fixtures")
def test_sentences_of_one_translation_have_the_words_of_the_reference() -> None:
    made = treesql.report("translation", reference="lattices.txt", systems={"a": "hypotheses.txt"})
    lines = Path("lattices.txt").read_text(encoding="utf-8").splitlines()
    shown = made.tables["sentences"].rows()
    assert shown
    assert [row["text"] for row in shown] == [lines[row["sentence"]] for row in shown]
    assert "≠:\N{NO-BREAK SPACE}replaced" in made.html


@pytest.mark.usefixtures("in_fixtures")
def test_a_file_of_several_systems_is_listed_once() -> None:
    lines = re.findall("<code>(.*[0-9a-f]{64}.*)</code>", report_of("paths").html)
    listed = [re.sub("<[^>]*>", "", line).split()[1:] for line in lines]
    assert listed == [["reference.conllu"], ["hypothesis.conllu"], ["reference-hypothesis.align"]]


def test_a_file_has_the_name_of_its_system_unless_that_is_its_own(tmp_path: Path) -> None:
    write_words(tmp_path / "d", 0)
    made = treesql.report("dependency", gold=tmp_path / "d", systems={"d": tmp_path / "d", "old": tmp_path / "d"})
    names = re.findall(r"[0-9a-f]{64}.*?</code>", re.sub("<(?!/code)[^>]*>", "", made.html))
    assert [line.removesuffix("</code>").split()[2:] for line in names] == [[], ["(old)"]]


@pytest.mark.usefixtures("in_fixtures")
def test_files_of_data(tmp_path: Path) -> None:
    out, data = tmp_path / "r.html", tmp_path / "data"
    made = treesql.report("dependency", out=out, data=data, **TWO_SYSTEMS["dependency"])
    assert out.read_text("utf-8") == made.html
    assert sorted(path.name for path in data.iterdir()) == [f"{n}.{e}" for n in TABLES for e in ("csv", "parquet")]
    for name in TABLES:
        table = pq.read_table(data / f"{name}.parquet")
        assert table.equals(made.tables[name].arrow())
        rows = list(csv.reader((data / f"{name}.csv").read_text("utf-8").splitlines()))
        assert rows[0] == table.column_names
        assert len(rows) == len(table) + 1
    assert "uas,las,la," in pq.read_schema(data / "scores.parquet").metadata[b"signature"].decode()


@pytest.mark.slow
def test_a_database_gives_the_same_page_as_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)
    how = TWO_SYSTEMS["dependency"]
    of_files = report_of("dependency")
    with treesql.connect(tmp_path / "t.duckdb") as db:
        db.load(FIXTURES / "gold.conllu", corpus="gold.conllu")
        for name, file in how["systems"].items():
            db.load(FIXTURES / file, corpus=name)
        made = db.report("dependency", gold="gold.conllu", systems=["a", "b"])
    for name in TABLES:
        assert made.tables[name].arrow().equals(of_files.tables[name].arrow()), name


@pytest.mark.spread(6)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_every_kind_from_a_database(kind: str, tmp_path: Path) -> None:
    if kind == "newick":
        pytest.skip("the database of the test has no Newick trees")
    load_all(str(tmp_path / "t.duckdb"))
    check_page(treesql.report(kind, db=tmp_path / "t.duckdb", **whole(kind, loaded=True)).html)


@pytest.mark.slow
def test_markup_in_forms_labels_and_names_is_text(tmp_path: Path) -> None:
    word = HOSTILE.replace(" ", "")
    lines = [
        f"# sent_id = {word}",
        f"# text = {word} {word}",
        f"1\t{word}\t_\t{word}\t_\t_\t2\t{word}\t_\t_",
        f"2\t{word}\t_\t_\t_\t_\t0\t{word}2\t_\t_",
        "",
        "",
    ]
    other = [line.replace(f"\t2\t{word}\t", f"\t2\t{word}x\t") for line in lines]
    (tmp_path / "g.conllu").write_text("\n".join(lines), "utf-8")
    (tmp_path / "s.conllu").write_text("\n".join(other), "utf-8")
    systems = {word: tmp_path / "s.conllu", "b": tmp_path / "g.conllu"}
    made = treesql.report("dependency", gold=tmp_path / "g.conllu", systems=systems)
    page = check_page(made.html)
    assert "<script>alert" not in made.html
    assert any(HOSTILE in text for _, text in page.headings)
    (tmp_path / "h.txt").write_text(f"{word} a\n", "utf-8")
    (tmp_path / "r.txt").write_text(f"b {word}\n", "utf-8")
    made = treesql.report("translation", systems={word: tmp_path / "h.txt"}, reference=tmp_path / "r.txt")
    check_page(made.html)
    assert "<script>alert" not in made.html


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.thorough
def test_the_first_of_the_scores_that_are_named_is_that_of_the_buckets() -> None:
    how = TWO_SYSTEMS["dependency"]
    made = treesql.report("dependency", metric=["uas", "exact_match"], **how)
    assert {row["metric"] for row in made.tables["buckets"].rows()} == {"uas"}
    made = treesql.report("dependency", metric=["exact_match", "uas"], **how)
    assert {row["metric"] for row in made.tables["buckets"].rows()} == {"exact_match"}
    assert {row["column"] for row in made.tables["buckets"].rows()} == {"n_words/double"}
    with pytest.raises(UsageError, match="words of attachment cannot be compared"):
        treesql.report("dependency", metric="words", **how)


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.slow
def test_words_that_differ_are_aligned(tmp_path: Path) -> None:
    text = Path("gold.conllu").read_text("utf-8")
    raw = tmp_path / "raw.conllu"
    hello = "1\tHello\thello\tINTJ\tUH\t_\t0\troot\t0:root\tSpaceAfter=No\n2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t1:punct\t_\n"
    assert hello in text
    split = "1\tHel\thel\tX\tUH\t_\t2\tdep\t_\tSpaceAfter=No\n2\tlo!\tlo\tINTJ\tUH\t_\t0\troot\t_\t_\n"
    raw.write_text(text.replace(hello, split), "utf-8")
    systems = {"raw": raw, "a": "parser-a.conllu"}
    with pytest.warns(TreesqlWarning, match="are aligned by their characters"):
        made = treesql.report("dependency", gold="gold.conllu", systems=systems)
    check_page(made.html)
    scores = treesql.score("dependency", gold="gold.conllu", systems=systems, ci=True)
    assert made.tables["scores"].rows() == scores.rows(), "each system is scored as if it were the only one"
    table = treesql.score("dependency", gold="gold.conllu", systems=systems, table="relation_confusions").rows()
    none = evaluation_tables.NONE
    expected = {
        (row["system"], row["gold_relation"] or none, row["system_relation"] or none): row["words"]
        for row in table
        if row["gold_relation"]
    }
    rows = [row for row in made.tables["confusions"].rows() if row["confusion"] == "Relations"]
    found = {(row["system"], row["gold"], row["found"]): row["count"] for row in rows if row["gold"] != none}
    assert found == expected


def same(word: str) -> str:
    return f"<li><span>{word}</span><b>{word}</b></li>"


def edit(wrong: str, right: str) -> str:
    return f'<li class="substitution"><span>{right}</span><b>{wrong}</b><i title="replaced">≠</i></li>'


@pytest.mark.thorough
def test_sentences_that_correspond_by_ids_are_drawn_together(tmp_path: Path) -> None:
    for name, lines in {
        "r": "s1 the cat\ns2 a dog\ns3 birds sing\n",
        "h": "s3 birds fly\ns1 the cat\ns2 the dog\n",
        "i": "s2 a dog\ns1 the cats\ns3 birds fly\n",
    }.items():
        (tmp_path / name).write_text(lines, "utf-8")
    systems = {name: tmp_path / name for name in "hi"}
    made = treesql.report("translation", systems=systems, reference=tmp_path / "r", ids="first", format="text",
                          reference_format="text")  # fmt: skip
    drawn = re.findall(r'<details id="s\d".*?class="id">(s\d)</span>(.*?)</details>', made.html, re.DOTALL)
    assert {
        name: [
            " ".join(re.findall("<li.*?</li>", drawn))
            for drawn in re.findall(r'class="edits"[^>]*>(.*?)</ol>', part, re.DOTALL)
        ]
        for name, part in drawn
    } == {
        "s1": [f"{same('the')} {same('cat')}", f"{same('the')} {edit('cats', 'cat')}"],
        "s2": [f"{edit('the', 'a')} {same('dog')}", f"{same('a')} {same('dog')}"],
        "s3": [f"{same('birds')} {edit('fly', 'sing')}"] * 2,
    }
    scores = {(row["sent_id"], row["system"]): row["score"] for row in made.tables["sentences"].rows()}
    assert scores["s1", "h"] == scores["s2", "i"] == 0
    assert scores["s1", "i"] == scores["s2", "h"] == 0.5


@pytest.mark.slow
@pytest.mark.usefixtures("in_fixtures")
def test_large_corpora_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_tables, "MAX_SENTENCES", 3)
    with pytest.warns(TreesqlWarning, match="of a random sample"):
        made = treesql.report("dependency", **TWO_SYSTEMS["dependency"])
    assert "A random sample of 3 of 5 sentences." in made.html
    rows = made.tables["buckets"].rows()
    assert sum(row["sentences"] for row in rows if row["column"] == "n_words/double" and row["system"] == "a") == 3
    whole = treesql.score("dependency", ci=True, **TWO_SYSTEMS["dependency"])
    assert made.tables["scores"].arrow().equals(whole.arrow())


@pytest.mark.usefixtures("in_fixtures")
@in_turn(
    ("how", "message"),
    [
        ({"out": "r.pdf"}, "nothing is written as .pdf"),
        ({"out": "r"}, "name a file that ends in .html"),
        ({"out": "nowhere/r.html"}, "there is no folder"),
        ({"out": "r.html", "data": "."}, "exists and is not empty"),
        ({"data": "d"}, "data is written beside a page"),
        ({"sentences": -1}, "sentences is -1"),
        ({"sentences": "5"}, "sentences takes a whole number, not '5'"),
        ({"seed": 0.5}, r"seed takes a whole number, not 0\.5"),
        ({"errors": True}, "a report has scores and tables of its own"),
        ({"systems": []}, "name at least one system"),
        ({"gold": "folders/gold", "systems": {"a": "parser-a.conllu"}}, "name a folder or a pattern for both"),
        ({"where": "upos = 'NONE'"}, "nothing can be compared"),
    ],
)
def test_bad_requests_write_nothing(how: dict[str, Any], message: str, tmp_path: Path) -> None:
    before = sorted(FIXTURES.rglob("*"))
    with pytest.raises(UsageError, match=message):
        treesql.report("dependency", **{**TWO_SYSTEMS["dependency"], **how})
    assert sorted(FIXTURES.rglob("*")) == before


@pytest.mark.usefixtures("in_fixtures")
def test_a_page_that_cannot_be_written_leaves_no_data(tmp_path: Path) -> None:
    made = report_of("dependency")
    (tmp_path / "closed").mkdir()
    (tmp_path / "data").write_text("a file")
    with pytest.raises(UsageError, match="exists and is not empty"):
        made.write(tmp_path / "r.html", tmp_path / "data")
    (tmp_path / "r.html").mkdir()
    with pytest.raises(UsageError, match=r"r\.html is a folder"):
        made.write(tmp_path / "r.html", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["closed", "data", "r.html"]


def test_an_unknown_kind() -> None:
    with pytest.raises(UnknownName, match="kind of evaluation"):
        treesql.report("dependancy", gold="x", systems=["y"])


@pytest.mark.usefixtures("in_fixtures")
def test_the_command_on_the_page_makes_the_page() -> None:
    made = treesql.report("dependency", punctuation="form", sentences=1, **TWO_SYSTEMS["dependency"])
    command = (
        "treesql report dependency gold.conllu --system a=parser-a.conllu --system b=parser-b.conllu "
        "--punctuation form --sentences 1 --seed 12345"
    )
    assert f'<pre tabindex="0">{command}</pre>' in re.sub("</?span[^>]*>|<wbr>", "", made.html)
    in_order = treesql.report(
        "dependency", "gold.conllu", "parser-a.conllu", "parser-b.conllu", punctuation="form", sentences=1
    )
    named = command.replace(" a=", " parser-a=").replace(" b=", " parser-b=")
    assert f'<pre tabindex="0">{named}</pre>' in re.sub("</?span[^>]*>|<wbr>", "", in_order.html)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["parser-a.conllu"], ["parser-a"]),
        (["English.malt.conllu.gz", "English.maltB.conllu.gz"], ["malt", "maltB"]),
        (["enfr.giza-fwd.ph0", "enfr.eflomal.inter.ph0"], ["giza-fwd", "eflomal.inter"]),
        (["model.1.txt", "model.2.txt"], ["model.1", "model.2"]),
        (["en.a.conllu + links.a", "en.b.conllu + links.b"], ["a + a", "b + b"]),
        (["x.conllu", "x.conllu.gz"], ["x.conllu", "x.conllu.gz"]),
        ([".txt"], [".txt"]),
        (["a", "a.b"], ["a", "a.b"]),
    ],
)
def test_systems_are_named_by_what_their_files_do_not_share(files: list[str], names: list[str]) -> None:
    assert without_shared_parts(files) == names


TITLE = re.compile(r"<title>([^<]+): ([-\d.]+) \[([-\d.]+), ([-\d.]+)\]</title>")
"""Matches what a mark of a chart is, its score and the ends of its interval."""


MARKED = ("alignment", "lattice", "translation")
"""Kinds whose marks are read beside those of trees: with shares, other numbers, and scores of both directions."""


def read_marks(text: str) -> dict[str, tuple[str, ...]]:
    """The marks of a page by what they are; none has two intervals."""
    marks: dict[str, tuple[str, ...]] = {}
    for name, *numbers in TITLE.findall(text):
        assert marks.setdefault(name, tuple(numbers)) == tuple(numbers), name
    return marks


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.parametrize(
    "kind",
    [
        "dependency",
        *(pytest.param(one, marks=pytest.mark.slow) for one in MARKED),
        *(pytest.param(one, marks=pytest.mark.thorough) for one in KINDS if one not in ("dependency", *MARKED)),
    ],
)
def test_marks_have_the_numbers_of_score_and_compare(kind: str) -> None:
    """Of those whose scores have a value and an interval."""
    how, made = TWO_SYSTEMS[kind], report_of(kind)
    marks = read_marks(made.html)
    scores = treesql.score(kind, ci=True, **how)
    names = [name for name in scores.columns if f"{name}_low" in scores.columns]
    for row in scores.rows():
        for name in names:
            ends = [row[f"{name}{end}"] for end in ("", "_low", "_high")]
            if None not in ends:
                assert marks.pop(f"{name}, {row['system']}") == tuple(
                    number_text(end, name in scores.percent) for end in ends
                )
    compared, [metric] = treesql.compare(kind, **how), {row["metric"] for row in made.tables["buckets"].rows()}
    pairs, percent = compared.pairs(metric), metric in scores.percent
    decisive = [pair for pair in pairs if pair.difference]
    for pair in decisive:
        numbers = [number_text(end, percent) for end in (pair.difference, pair.low, pair.high)]
        assert marks.pop(html.escape(f"{pair.first} over {pair.second}, {pair.p_text}")) == tuple(numbers)
        assert html.escape(pair.sentence) in made.html
    for row in made.tables["buckets"].rows():
        ends = [row["score"], row["low"], row["high"]]
        name = f"{row['attribute']} {row['value']}, {row['system']}"
        if None not in ends and name in marks:  # ranges and what has no value have other names
            assert marks.pop(name) == tuple(number_text(end, percent) for end in ends)
    sides = [name for name in marks if " over " in name]
    assert len(sides) == len(pairs) - len(decisive)


@pytest.mark.usefixtures("in_fixtures")
def test_the_answer_of_systems_that_chance_cannot_tell_apart() -> None:
    page = read_page(report_of("dependency").html)
    [heading] = [text for level, text in page.headings if level == 1]
    assert heading == "No winner: b and a differ by 10.00 points, which chance can explain"


def write_words(path: Path, wrong: int) -> Path:
    """Sixty sentences of two words, of which the first so many have a wrong relation."""
    sentence = "1\ta\t_\tX\t_\t_\t2\t{}\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text("".join(sentence.format("dep" if at < wrong else "obj") for at in range(60)), "utf-8")
    return path


def test_the_best_of_four_systems_is_the_answer(tmp_path: Path) -> None:
    """LAS by hand: 50 of 60 first words right of d, 55 of c, 20 of b, 0 of a, and all second ones."""
    wrong = {"a": 60, "b": 40, "c": 5, "d": 10}
    systems = {name: write_words(tmp_path / name, n) for name, n in wrong.items()}
    made = treesql.report("dependency", gold=write_words(tmp_path / "gold", 0), systems=systems)
    page = check_page(made.html)
    assert [text for level, text in page.headings if level == 1] == [
        "No winner: c and d differ by 4.17 points, which chance can explain"
    ]
    assert "Of 6 differences, 5 are more than chance explains." in made.html
    assert len(re.findall(r" over [abd], p", made.html)) == 3  # the best with each of the others
    [panel] = [one for one in page.tables if one.caption.startswith("las")][:1]
    assert [row[0] for row in panel.rows] == ["c", "d", "b", "a"]
    assert [row[2] for row in panel.rows] == ["95.83", "91.67", "66.67\u2020", "50.00\u2020"]
    for hollow, name in (
        (' class="o"', "c over d"), ("", "c over a"),
        (' class="s1 o"', "Relation obj, d"), (' class="s2"', "Relation obj, b"),
    ):  # fmt: skip
        assert f"<g{hollow}><title>{name}" in made.html
    assert not [one for one in page.tables if one.caption.startswith("Words of the sentence")]  # all have two
    buckets = made.tables["buckets"].rows()
    assert {row["system"] for row in buckets if row["p"] is None} == {"c"}
    n_apart, n_tests = sum(row["differs"] for row in buckets), sum(row["p"] is not None for row in buckets)
    assert (
        f"{n_apart} of {n_tests} differences from c are more than chance explains. The largest in these charts is at "
        "Relation: obj, where b is 58.33 points worse than c."
    ) in made.html
    one = treesql.report("dependency", gold=tmp_path / "gold", systems={"c": systems["c"]}).html
    assert '<h1 id="answer">c: las 95.83%</h1>' in one
    two = treesql.report("dependency", gold=tmp_path / "gold", systems={"c": systems["c"], "b": systems["b"]}).html
    assert '<h1 id="answer">c is best: las 95.83%, 29.17 points better than b</h1>' in two


@pytest.mark.usefixtures("in_fixtures")
def test_what_has_no_value_is_a_named_row_or_left_out() -> None:
    page = read_page(report_of("dependency").html)
    [panel] = [one for one in page.tables if one.caption.startswith("Distance to the head")]
    assert [row[0] for row in panel.rows] == ["root", "1", "2", "3\u20134", "5\u20138"]
    assert panel.rows[0][2] == "5"
    assert "What gold lacks is in the numbers only." not in report_of("dependency").html
    [panel] = [one for one in read_page(report_of("alignment").html).tables if one.caption.startswith("Gold links of")]
    assert panel.caption == "Gold links of the source word"
    assert report_of("alignment").html.count("Not drawn: links of words without gold links.") == 1
    assert [row[0] for row in panel.rows] == ["1", "2"]
    [panel] = [one for one in read_page(report_of("alignment").html).tables if one.caption.startswith("Gold linkNot")]
    assert panel.caption == "Gold linkNot drawn: 2 values without sure links."
    assert [row[0] for row in panel.rows] == ["sure"]


@pytest.mark.usefixtures("in_fixtures")
def test_legends_explain_only_marks_that_occur() -> None:
    both = report_of("dependency").html
    assert "ollow:" in both
    assert ("ale:" in both) == bool(re.search('<g class="s[^"]* u"><title>', both))
    alone = treesql.report("dependency", gold="gold.conllu", systems={"a": "parser-a.conllu"}).html
    assert "ollow:" not in alone
    assert "ale:" not in alone


@pytest.mark.usefixtures("in_fixtures")
def test_the_first_sentence_whose_drawing_fits_a_screen_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = re.findall(r'<details id="s\d+"( open)?><summary>', report_of("dependency").html)
    assert listed == [" open", *[""] * (len(listed) - 1)]
    monkeypatch.setattr(evaluation_page, "MAX_OPEN_HEIGHT", 10)
    made = treesql.report("dependency", **TWO_SYSTEMS["dependency"])
    assert not re.search("<details id=[^>]* open>", made.html)


@pytest.mark.usefixtures("in_fixtures")
def test_nothing_is_said_of_differences_that_chance_can_explain() -> None:
    assert "The largest in these charts" not in report_of("dependency").html


@pytest.mark.usefixtures("in_fixtures")
def test_tables_of_differences_have_heads_for_readers() -> None:
    made = report_of("translation")
    heads = {
        tuple(one.heads): one for one in read_page(made.html).tables if one.heads[1:2] in (["n-gram"], ["chrf of a"])
    }
    assert list(heads) == [
        ("n-gram order", "n-gram", "matches of a", "matches of b", "difference", "matched share (%)"),
        ("sentence", "chrf of a", "chrf of b", "difference", "text"),
    ]
    for row in heads[("sentence", "chrf of a", "chrf of b", "difference", "text")].rows:
        assert re.fullmatch("reference: .*a: .*b: .*", row[-1])


@pytest.mark.usefixtures("in_fixtures")
def test_the_command_of_a_confusion_lists_its_sentences() -> None:
    made = report_of("constituency")
    command = (
        "treesql score constituency gold.mrg --system a=test.mrg --system b=gold.mrg --metric bracket_labels "
        "--by sentence,gold_label,system_label "
    )
    [shown] = re.findall(rf"{command}(.*?)</pre>", re.sub("</?span[^>]*>|<wbr>", "", made.html))
    words = shlex.split(html.unescape(command + shown))[2:]
    printed = CliRunner().invoke(group, ["score", *words, "--format", "json"])
    assert printed.exit_code == 0, printed.output
    rows = json.loads(printed.stdout)
    assert {(row["gold_label"], row["system_label"]) for row in rows if row["brackets"]} == {(None, "NP")}
    assert sum(row["brackets"] for row in rows) == 2


@pytest.mark.usefixtures("in_fixtures")
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_drawings_have_the_marks_of_the_page(names: tuple[str, str]) -> None:
    systems = {name: f"parser-{name}.conllu" for name in names}
    made = treesql.report("dependency", gold="gold.conllu", systems=systems, metric="las")
    assert f"below: \u25cf\u00a0{names[0]}, \u25a0\u00a0{names[1]}<" in made.html


def test_drawings_of_the_best_two_have_their_marks(tmp_path: Path) -> None:
    systems = {name: write_words(tmp_path / name, n) for name, n in {"a": 60, "c": 5, "d": 10}.items()}
    made = treesql.report("dependency", gold=write_words(tmp_path / "gold", 0), systems=systems, metric="las")
    assert "below: \u25a0\u00a0c, \u25c6\u00a0d<" in made.html
    assert "c and d are drawn" in made.html
    assert "obj \u2260 dep \u25c6" in re.sub("</?t[^>]*>", "", made.html)


@pytest.mark.usefixtures("in_fixtures")
def test_a_condition_stands_beside_what_is_scored() -> None:
    made = treesql.report("dependency", metric="las", where="upos = 'NOUN'", **TWO_SYSTEMS["dependency"])
    assert " · only where upos = &#39;NOUN&#39; · " in made.html
    assert "--where &#34;upos = &#39;NOUN&#39;&#34; " in re.sub("</?span[^>]*>|<wbr>", "", made.html)
    assert "<code>where: &#34;upos = &#39;NOUN&#39;&#34;</code>" in made.html
    [n_tests] = {sum(row["p"] is not None for row in made.tables["buckets"].rows())}
    assert re.search(f"<p>None of {n_tests} differences from [ab] is more than chance explains.</p>", made.html)
    assert not [one for one in read_page(made.html).tables if one.caption.startswith("Part of speech")]


def test_values_where_systems_differ_are_drawn_before_larger_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation_page, "MAX_LANES", 1)
    for name, wrong in (("gold", 0), ("a", 0), ("b", 60)):
        write_words(tmp_path / name, wrong)
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 9)
    systems = {name: tmp_path / name for name in "ab"}
    made = treesql.report("dependency", gold=tmp_path / "gold", systems=systems, metric="las")
    [panel] = [one for one in read_page(made.html).tables if one.caption.startswith("Relation")][:1]
    assert panel.caption == "Relation1 of 2: where systems differ, and the largest others."
    assert [row[0] for row in panel.rows] == ["obj"]
    alone = treesql.report("dependency", gold=tmp_path / "gold", systems={"b": tmp_path / "b"}, metric="las")
    [panel] = [one for one in read_page(alone.html).tables if one.caption.startswith("Relation")][:1]
    assert (panel.caption, [row[0] for row in panel.rows]) == ("RelationThe 1 largest of 2.", ["root"])
    [heat] = [one for one in read_page(alone.html).tables if one.caption == "Relations by b"]
    assert heat.heads[1:] == ["root", "others", "all"]  # obj is never found
    assert heat.rows == [["root", "100%", "", "69"], ["obj", "", "60", "60"]]


def test_all_right_is_said_of_no_other_share(tmp_path: Path) -> None:
    """One of 300 relations is wrong: 99.7% are right, and one of 300 is too many."""
    text = write_words(tmp_path / "gold", 0).read_text("utf-8") * 5
    (tmp_path / "gold").write_text(text, "utf-8")
    (tmp_path / "a").write_text(text.replace("obj", "dep", 1), "utf-8")
    (tmp_path / "b").write_text(text.replace("obj", "dep").replace("dep", "obj", 1), "utf-8")
    for name, right, wrong in (("a", ">99%", "1"), ("b", "<1%", "299")):
        made = treesql.report("dependency", gold=tmp_path / "gold", systems={name: tmp_path / name}, metric="las")
        heat = read_page(made.html).table(f"Relations by {name}")
        rows = {row[0]: dict(zip(heat.heads[1:], row[1:], strict=True)) for row in heat.rows}
        assert (rows["obj"]["obj"], rows["obj"]["others"], rows["root"]["root"]) == (right, wrong, "100%")


@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_warnings_name_files_without_the_folder_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_words(tmp_path / "gold", 0)
    roots = write_words(tmp_path / "a.conllu", 0).read_text("utf-8").replace("\t2\tobj", "\t0\troot", 1)
    (tmp_path / "a.conllu").write_text(roots, "utf-8")
    made = treesql.report("dependency", gold=tmp_path / "gold", systems=[tmp_path / "a.conllu"], metric="las")
    notes = re.findall('<p class="note">(.*?)</p>', made.html.replace("<wbr>", ""))
    assert [note for note in notes if note.startswith("a.conllu:1: 1 sentence with several roots")]
    assert not [note for note in notes if str(tmp_path) in note]
    monkeypatch.chdir(tmp_path)
    made = treesql.report("dependency", gold="gold", systems=[tmp_path / "a.conllu"], metric="las")
    assert f'<p class="note">{tmp_path}/a.conllu:1: 1 sentence' in made.html.replace("<wbr>", "")


@pytest.mark.usefixtures("in_fixtures")
def test_a_page_has_room_for_the_first_drawings_of_every_list(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawings(page: str) -> dict[str, str]:
        figures = r'<details id="s(\d+)".*?<figure>(.*?)</figure>'
        return {number: "".join(re.findall("<svg.*</svg>", figure, re.DOTALL))
                for number, figure in re.findall(figures, page, re.DOTALL)}  # fmt: skip

    whole = drawings(treesql.report("dependency", metric="las", **TWO_SYSTEMS["dependency"]).html)
    assert list(whole) == ["3", "0", "2", "1"]  # a wins in 3, both fail in the others
    monkeypatch.setattr(evaluation, "MAX_DRAWN", 1000 + sum(len(whole[number]) for number in ("3", "0", "1")))
    page = treesql.report("dependency", metric="las", **TWO_SYSTEMS["dependency"]).html
    assert drawings(page) == whole | {"2": ""}
    assert page.count("not drawn: other drawings are as large as a page may be") == 1


@pytest.mark.usefixtures("in_fixtures")
def test_trees_are_counted_as_trees() -> None:
    made = treesql.report("newick", gold="trees.nwk", systems={"a": "trees.nwk", "b": "trees.nwk"})
    heads = [one.heads for one in read_page(made.html).tables if one.caption.startswith(("Leaves", "rfd by Leaves"))]
    assert heads
    assert all("sentences" not in head for head in heads)
