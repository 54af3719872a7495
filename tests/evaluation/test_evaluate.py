"""Scoring systems from files and databases: what is read, weighs and classifies, and what happens where words differ.

The files are in folders of their own; `cut` has the text of `gold` in other words and sentences.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.evaluation.systems import GOLD, A, B, Told, rows, same
from treesql import catalog
from treesql.engines.duckdb import MEMORY
from treesql.errors import Diagnostic, Incomparable, UnknownName, UsageError
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.task import ALIGNED_DEPENDENCY, CONSTITUENCY, DEPENDENCY, Task
from treesql.kernels import quartets

ALIGNED = [
    "uas",
    "uas_precision",
    "uas_recall",
    "las",
    "las_precision",
    "las_recall",
    "la",
    "la_precision",
    "la_recall",
]
COMPARED = [query for query in catalog.all_queries().values() if query.reference_corpus == "gold_corpus"]
COMPARING, TABLES = (
    [query.name for query in COMPARED if query.kind == kind and query.family == "dependency"]
    for kind in ("metric", "statistic")
)
OF_PARSES = [query for query in COMPARED if query.kind in ("metric", "statistic") and query.family == "constituency"]


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database file with the parses of fixtures/."""
    path = tmp_path_factory.mktemp("parses") / "t.duckdb"
    with treesql.connect(path) as db:
        for side, corpus in (("gold", "gold"), ("test", "test.mrg")):
            db.load(FIXTURES / f"{side}.mrg", corpus=corpus)
    return str(path)


def test_words_that_differ_are_aligned_for_all_systems(cut: str) -> None:
    told = Told()
    result = evaluate(Task(DEPENDENCY, GOLD, [A, cut, B], warn=told.append))
    assert result.columns[:13] == ["system", "gold_words", "system_words", "aligned_pairs", *ALIGNED]
    assert result.columns[13:] == [
        "content_precision", "content_recall", "function_precision", "function_recall",
        "wlas", "wlas_precision", "wlas_recall",
    ]  # fmt: skip
    first, other, second = result.rows()
    assert [row["uas"] for row in (first, second)] == [25 / 30, 27 / 30]
    assert first["uas_precision"] == first["uas_recall"] == first["uas"]
    assert (first["las"], first["la"]) == (24 / 30, 26 / 30)
    [usual] = rows(A)
    for score in ("content_precision", "content_recall", "function_precision", "function_recall"):
        assert first[score] == pytest.approx(usual[score])
    assert first["wlas_recall"] == pytest.approx(usual["wlas"])
    assert first["wlas_precision"] == pytest.approx(usual["wlas_precision"])
    correct = other["uas_recall"] * 30
    assert correct == pytest.approx(other["uas_precision"] * 28)
    assert 0 < other["uas"] == pytest.approx(2 * correct / 58)
    assert str(told) == (
        "gold.conllu: its words are not those of every system, and are aligned by their characters; "
        "uas, las, la and wlas are F1, with precision and recall in further columns"
    )


def test_words_that_are_the_same_are_not_aligned() -> None:
    told = Told()
    [row] = rows(A, warn=told.append)
    assert "uas_precision" not in row
    assert told == []


@pytest.mark.slow
def test_words_that_differ_in_a_database(database: str, cut: str) -> None:
    told = Told()
    from_files = rows(A, cut)
    found = rows("parser-a", "cut", gold="gold", database=database, warn=told.append)
    assert same([{**row, "system": f"{row['system']}.conllu"} for row in found], from_files)
    assert str(told).startswith("gold: its words are not those of every system")


@pytest.mark.slow
def test_by_sentence_and_by_columns_where_words_differ(cut: str) -> None:
    by_sentence = rows(cut, by="sentence")
    assert [row["sent_id"] for row in by_sentence] == ["mat", "know", "hearing", "tea", "hello"]
    [row] = rows(cut)
    by_upos = rows(cut, by="upos")
    assert {row["upos"] for row in by_upos} > {"NOUN", "VERB", None}, "words of the system alone have no gold upos"
    [nouns] = rows(cut, where="upos = 'NOUN'")
    assert nouns["uas_recall"] == next(row["uas_recall"] for row in by_upos if row["upos"] == "NOUN")
    assert row["uas"] != nouns["uas"]


@pytest.mark.parametrize(
    "options",
    [{"parameters": {"match": "sent_id"}}, {"metrics": ["attachment"]}, {"tables": ["upos_accuracy"]}],
)
def test_what_cannot_be_had_across_words_is_refused(cut: str, database: str, options: dict[str, Any]) -> None:
    with pytest.raises(Incomparable, match=r"(cut|gold).conllu:\d+: "):
        rows(cut, **options)
    with pytest.raises(Incomparable, match=r"(cut|gold).conllu:\d+: "):
        rows("cut", gold="gold", database=database, **options)


def test_conll18_needs_no_falling_back(cut: str, database: str) -> None:
    told = Told()
    found = rows(cut, tables=["conll18", "iwpt20"], warn=told.append)
    assert [row["metric"] for row in found][:3] == ["Tokens", "Sentences", "Words"]
    assert [row["metric"] for row in found][-2:] == ["ELAS", "EULAS"]
    assert (found[2]["correct"], found[2]["gold_total"], found[2]["system_total"]) == (26, 30, 28)
    assert (found[0]["correct"], found[0]["gold_total"], found[0]["system_total"]) == (27, 29, 28)
    assert (found[1]["correct"], found[1]["gold_total"], found[1]["system_total"]) == (3, 5, 4)
    assert told == []
    from_db = rows("cut", gold="gold", database=database, tables=["conll18", "iwpt20"])
    assert [{**row, "system": "cut.conllu"} for row in from_db] == found


def test_texts_that_differ_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.conllu").write_text(Path(A).read_text().replace("mat", "mats"))
    with pytest.raises(
        Incomparable, match=r"s.conllu:\d+: the texts part here: `mats.*` where the gold text has `mat\."
    ):
        rows(A, str(tmp_path / "s.conllu"))


@pytest.mark.parametrize("by", ["Number", "feats.Number"])
def test_by_a_morphological_feature(database: str, by: str) -> None:
    found = rows(A, by=by)
    assert [row[by] for row in found] == ["Sing", None]
    with treesql.connect(database, read_only=True) as db:
        singular = db.sql(
            "SELECT avg(a.correct_head) AS uas, count(*) AS n FROM attachment('gold', 'parser-a') AS a "
            "JOIN words AS w ON w.corpus = 'gold' AND w.sentence = a.sentence AND w.word = a.word "
            "WHERE w.feats LIKE '%Number=Sing%'"
        ).rows()[0]
    assert (found[0]["uas"], found[0]["words"]) == (pytest.approx(singular["uas"]), singular["n"])
    assert sum(row["words"] for row in found) == 30
    from_db = rows("parser-a", gold="gold", database=database, by=by)
    assert same([{**row, "system": "parser-a.conllu"} for row in from_db], found)


@pytest.mark.slow
@pytest.mark.parametrize("by", ["Number", "feats.Number"])
def test_by_a_feature_where_words_differ(database: str, cut: str, by: str) -> None:
    first, second = (
        [{name: value for name, value in row.items() if name != "system"} for row in rows(*pair, by=by, **options)]
        for pair, options in (((A, cut), {}), (("parser-a", "cut"), {"gold": "gold", "database": database}))
    )
    assert same(first, second)
    assert [row[by] for row in first] == ["Sing", None] * 2
    usual = rows(A, by=by)
    assert [row["uas"] for row in first[:2]] == pytest.approx([row["uas"] for row in usual])


def test_an_unknown_group_lists_features_as_well(database: str) -> None:
    for name, near in (("Numbr", "Number"), ("feats.Persn", "Person"), ("dept", "depth"), ("sentnce", "sentence")):
        with pytest.raises(UnknownName, match=f"unknown column to group by '{name}'; did you mean .*{near}"):
            rows(A, by=name)
        with pytest.raises(UnknownName, match=f"unknown column to group by '{name}'; did you mean .*{near}"):
            rows("parser-a", gold="gold", database=database, by=name)


def same_from_files_and_database(database: str, system: str, cut: str, **options: Any) -> list[dict[str, Any]]:
    path = {"parser-a": A, "cut": cut}[system]
    from_files = rows(path, **options)
    from_db = rows(system, gold="gold", database=database, **options)
    assert same([{**row, "system": f"{system}.conllu"} for row in from_db], from_files)
    return from_files


@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence", "Number", "xpos"])
@pytest.mark.parametrize("metric", COMPARING)
def test_a_metric_reads_all_that_it_needs(database: str, cut: str, metric: str, by: str | None) -> None:
    """From files only the columns that it names are read, from a database all are there."""
    try:
        found = same_from_files_and_database(database, "parser-a", cut, metrics=[metric], by=by)
    except UnknownName:
        columns = {column.name for column in catalog.query(metric).columns}
        assert by in ("Number", "xpos"), "of words, which this metric has not"
        assert "word" not in columns
        return
    assert found
    if by is None:
        scores = [found[0][score.name] for score in catalog.query(metric).scores]
        assert any(score is not None for score in scores)


@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence"])
@pytest.mark.parametrize("query", OF_PARSES, ids=lambda query: query.name)
def test_a_query_of_parses_reads_all_that_it_needs(parses: str, query: catalog.Query, by: str | None) -> None:
    gold, test = (str(FIXTURES / f"{side}.mrg") for side in ("gold", "test"))
    is_table = query.kind == "statistic"
    how = {"tables": [query.name] if is_table else [], "by": None if is_table else by, "kind": "constituency"}
    metrics = [] if is_table else [query.name]
    from_files = rows(test, gold=gold, metrics=metrics, **how)
    from_database = rows("test.mrg", gold="gold", metrics=metrics, database=parses, **how)
    assert from_files
    assert same(from_files, from_database)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("parameters", [{}, {"punctuation": "form", "relations": "full"}])
def test_a_table_reads_all_that_it_needs(database: str, cut: str, table: str, parameters: dict[str, str]) -> None:
    known = {p.name for p in catalog.query(table).parameters}
    parameters = {name: value for name, value in parameters.items() if name in known}
    assert same_from_files_and_database(database, "parser-a", cut, tables=[table], parameters=parameters)


@pytest.mark.slow
@pytest.mark.parametrize("by", [None, "sentence", "Number", "deprel"])
def test_metrics_across_words_read_all_that_they_need(database: str, cut: str, by: str | None) -> None:
    others = ("tagging", "content_attachment", "segmentation", "enhanced_attachment")
    assert same_from_files_and_database(database, "cut", cut, metrics=[*ALIGNED_DEPENDENCY, *others], by=by)
    assert same_from_files_and_database(database, "cut", cut, metrics=DEPENDENCY, by=by)


@pytest.mark.parametrize(
    "where", ["text_key(form) > 0", "TEXT_KEY(form) > 0", "Sentence >= (SELECT min(l.sentence) FROM SENTENCES AS l)"]
)
def test_conditions_name_functions_and_tables_in_any_case(where: str) -> None:
    assert rows(A, metrics=["attachment"], where=where) == rows(A, metrics=["attachment"])


@pytest.mark.parametrize("metric", ["attachment", "content_attachment", "weighted_attachment", "exact_match"])
def test_a_condition_that_nothing_meets_is_told_and_no_other(metric: str) -> None:
    """Of metrics whose counts are shown, and of those whose are not."""
    told = Told()
    rows(A, metrics=[metric], where="sentence >= 0", warn=told.append)
    assert [str(one) for one in told if "condition" in str(one)] == []
    rows(A, metrics=[metric], where="sentence > 99", warn=told.append)
    assert [one.what for one in told if "condition" in str(one)] == ["no item meets the condition"]


def test_no_query_is_missing_above() -> None:
    """Were a query to name its corpora otherwise, it would be."""
    assert {"attachment", "aligned_attachment", "tagging", "segmentation", "exact_match"} <= set(COMPARING)
    assert {"conll18", "iwpt20", "upos_accuracy", "relation_agreement", "attachment_errors"} <= set(TABLES)
    assert MEMORY == ":memory:"


@pytest.mark.slow
def test_groups_keep_the_words_that_only_a_system_has(tmp_path: Path) -> None:
    (tmp_path / "g.conllu").write_bytes(conllu("ab:0:root c:1:obj"))
    (tmp_path / "s.conllu").write_bytes(conllu("a:0:root b:1:x c:1:obj"))
    task = Task(DEPENDENCY, str(tmp_path / "g.conllu"), [str(tmp_path / "s.conllu")])
    [whole] = evaluate(task).rows()
    groups = evaluate(replace(task, by="deprel")).rows()
    for count in ("gold_words", "system_words", "aligned_pairs"):
        assert sum(group[count] for group in groups) == whole[count]
    assert {group["deprel"]: group["system_words"] for group in groups} == {"root": 0, "obj": 1, None: 2}


@pytest.mark.parametrize("gold", ["a:_:_", "a:0:_"])
def test_gold_without_relations(tmp_path: Path, gold: str) -> None:
    (tmp_path / "g.conllu").write_bytes(conllu(gold))
    (tmp_path / "s.conllu").write_bytes(conllu("a:0:root"))
    task = Task(DEPENDENCY, str(tmp_path / "g.conllu"), [str(tmp_path / "s.conllu")])
    if gold == "a:_:_":
        with pytest.raises(Incomparable, match="not parsed"):
            evaluate(task)
    else:
        [row] = evaluate(task).rows()
        assert (row["uas"], row["las"], row["wlas"]) == (1, 0, 0)


@pytest.mark.parametrize("options", [{"parameters": {"punctuation": "form"}}, {"weights": ["w"]}, {"classes": "c"}])
def test_tables_refuse_what_they_would_ignore(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"do(es)? not apply to conll18"):
        evaluate(Task(DEPENDENCY, GOLD, [A], tables=["conll18"], **options))


def test_trees_too_large_for_quartets_have_all_other_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quartets, "MAX_LEAVES", 10_000)
    large = " ".join(f"(N w{at})" for at in range(10_001))
    path = tmp_path / "a.mrg"
    path.write_text(f"(S {large})\n(S (A a) (B b) (C c) (D d))\n")
    warnings: list[Diagnostic] = []
    task = Task(CONSTITUENCY, str(path), [str(path)], kind="constituency", warn=warnings.append)
    [row] = evaluate(task).rows()
    assert (row["f1"], row["rfd"], row["qd"]) == (1, 0, 0)
    assert [one.what for one in warnings] == [
        "1 sentence with other leaves than gold's, or too many for quartets: 0 (from 0)"
    ]
