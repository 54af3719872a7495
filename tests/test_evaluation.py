"""Scoring systems from files and databases: what is read, weighs and classifies, and what happens where words differ.

The files are in folders of their own; `cut` has the text of `gold` in other words and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conftest import FIXTURES, conllu
from tests.test_alignment import PAIR, Token, Word
from tests.test_alignment import conllu as with_tokens
from treesql import catalog
from treesql.engines.duckdb import MEMORY
from treesql.errors import Diagnostic, Incomparable, InvalidInput, UnknownName, UsageError
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.task import ALIGNED_DEPENDENCY, DEPENDENCY, Task, columns_needed

GOLD, A, B = (str(FIXTURES / f"{name}.conllu") for name in ("gold", "parser-a", "parser-b"))
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
def cut(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the fixtures, "don't" being one word and "The cat" another, "Hello !" part of the sentence before."""
    sentences = []
    for block in Path(GOLD).read_text("utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[0] != "#"]
        sentences.append([row for row in rows if row[0].isdigit()])
    made: list[list[Token]] = []
    root = 0
    for number, rows in enumerate(sentences):
        forms = [row[1] for row in rows]
        if number == 0:
            forms[:2] = ["Thecat"]
        if number == 1:
            forms[1:3] = ["don't"]
        if number < len(sentences) - 1:
            root = 1 + forms.index(next(row[1] for row in rows if row[6] == "0"))
            made.append([])
        words = [Word(form, root, "nsubj", "_", "NOUN", "_", "Number=Plur") for form in forms]
        if number < len(sentences) - 1:
            words[root - 1].head, words[root - 1].deprel = 0, "root"
        made[-1] += [Token(word.form, [word]) for word in words]
    path = tmp_path_factory.mktemp("cut") / "cut.conllu"
    path.write_text(with_tokens(*made), "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, cut: str) -> str:
    path = tmp_path_factory.mktemp("database") / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in (("gold", GOLD), ("parser-a", A), ("parser-b", B), ("cut", cut)):
            db.load(file, corpus=corpus)
    return str(path)


@pytest.fixture(scope="module")
def parses(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database file with the parses of fixtures/."""
    path = tmp_path_factory.mktemp("parses") / "t.duckdb"
    with treesql.connect(path) as db:
        for side, corpus in (("gold", "gold"), ("test", "test.mrg")):
            db.load(FIXTURES / f"{side}.mrg", corpus=corpus)
    return str(path)


class Told(list[Diagnostic]):
    """Warnings."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def rows(*systems: str, gold: str = GOLD, metrics: Sequence[str] = DEPENDENCY, **options: Any) -> list[dict[str, Any]]:
    return evaluate(Task(metrics, gold, systems, **options)).rows()


# ---------------------------------------------------------------- words that differ


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


# ---------------------------------------------------------------- weights

WEIGHTS = {"nsubj": 1.0, "det": 0.0, "punct": 0.25}


@pytest.fixture
def treebank(tmp_path: Path) -> str:
    """A treebank with det (two forms of four), nsubj (two) and root (one)."""
    (tmp_path / "one.conllu").write_bytes(conllu("a:2:det b:3:nsubj c:0:root", "d:2:det b:3:nsubj c:0:root"))
    return str(tmp_path / "one.conllu")


def weighed(expected: dict[str, float]) -> float:
    """WLAS of parser-a by weights, 0.5 where there is none, word by word."""
    right = total = 0.0
    with treesql.connect() as db:
        for corpus, path in (("gold", GOLD), ("a", A)):
            db.load(path, corpus=corpus)
        for row in db.query("attachment", gold_corpus="gold", system_corpus="a").rows():
            weight = expected.get(row["gold_udeprel"], 0.5)
            total += weight
            right += weight * row["correct_edge"]
    return right / total


def entropies(*paths: str, query: str = "averaged_word_entropy") -> dict[str, float]:
    with treesql.connect() as db:
        for number, path in enumerate(paths):
            db.load(path, corpus=f"c{number}", treebank=f"t{number}")
        return {row["relation"]: row["wde"] for row in db.query(query).rows()}


@pytest.mark.parametrize(
    "text", ["relation,weight\nnsubj,1\ndet,0\npunct,0.25\n", "# 2017\nnsubj 1\ndet 0\npunct 0.25\n"]
)
def test_a_table_of_weights(tmp_path: Path, text: str) -> None:
    (tmp_path / "w.csv").write_text(text)
    result = evaluate(Task(DEPENDENCY, GOLD, [A], weights=[str(tmp_path / "w.csv")]))
    [row] = result.rows()
    assert row["wlas"] == pytest.approx(weighed(WEIGHTS))
    assert row["wlas"] != rows(A)[0]["wlas"]
    assert re.search(r"\|weights:w\.csv@[0-9a-f]{6}\|", result.signatures["parser-a.conllu:wlas"])
    assert "weights" not in result.signatures["parser-a.conllu:uas"]


def test_the_gold_corpus_weighs_if_nothing_else_does() -> None:
    result = evaluate(Task(DEPENDENCY, GOLD, [A, B]))
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(entropies(GOLD)))
    assert "|weights:wde|" in result.signatures["parser-b.conllu:wlas"]


def test_one_treebank_weighs(treebank: str) -> None:
    result = evaluate(Task(DEPENDENCY, GOLD, [A], weights=[treebank]))
    expected = entropies(treebank)
    assert expected == pytest.approx({"det": 0.5, "nsubj": 0, "root": 0})
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(expected))
    assert re.search(
        r"\|weights:wde\(one\.conllu@[0-9a-f]{6}\)@[0-9a-f]{6}\|", result.signatures["parser-a.conllu:wlas"]
    )


def test_several_treebanks_weigh_on_average(treebank: str) -> None:
    """A relation that a treebank lacks counts 0.5 there."""
    result = evaluate(Task(DEPENDENCY, GOLD, [A], weights=[treebank, GOLD]))
    one, own = entropies(treebank), entropies(GOLD)
    expected = {relation: (one.get(relation, 0.5) + own[relation]) / 2 for relation in own}
    assert expected["case"] == (0.5 + own["case"]) / 2
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(expected))
    digest = "[0-9a-f]{6}"
    names = rf"\|weights:wde\(gold\.conllu@{digest}\+one\.conllu@{digest}\)@{digest}\|"
    assert re.search(names, result.signatures["parser-a.conllu:wlas"])


def test_a_folder_weighs(tmp_path: Path, treebank: str) -> None:
    assert rows(A, weights=[str(tmp_path)])[0]["wlas"] == rows(A, weights=[treebank])[0]["wlas"]


@pytest.mark.slow
def test_corpora_of_the_database_weigh(tmp_path: Path, treebank: str, database: str) -> None:
    path = tmp_path / "t.duckdb"
    with treesql.connect(path) as db:
        for corpus, file in (("gold", GOLD), ("parser-a", A), ("one", treebank)):
            db.load(file, corpus=corpus)
    task = Task(DEPENDENCY, "gold", ["parser-a"], database=str(path), weights=["one"])
    result = evaluate(task)
    assert result.rows()[0]["wlas"] == pytest.approx(weighed(entropies(treebank)))
    assert re.search(r"\|weights:wde\(one\.conllu@[0-9a-f]{6}\)@[0-9a-f]{6}\|", result.signatures["parser-a:wlas"])
    [row] = rows("parser-a", gold="gold", database=str(path), weights=["one", "gold"])
    assert row["wlas"] == rows(A, weights=[treebank, GOLD])[0]["wlas"]
    [row] = rows("parser-a", gold="gold", database=str(path), weights=[treebank, GOLD])
    assert row["wlas"] == rows(A, weights=[treebank, GOLD])[0]["wlas"], "files beside a database"
    with pytest.raises(UnknownName, match="unknown corpus 'onn'; did you mean one"):
        rows("parser-a", gold="gold", database=str(path), weights=["onn"])


@pytest.mark.slow
def test_weights_where_words_differ(tmp_path: Path, cut: str) -> None:
    (tmp_path / "w.csv").write_text("relation,weight\nnsubj,1\ndet,0\npunct,0.25\n")
    first, _ = rows(A, cut, weights=[str(tmp_path / "w.csv")])
    assert first["wlas_recall"] == pytest.approx(weighed(WEIGHTS))


def test_a_table_and_treebanks_are_not_mixed(tmp_path: Path, treebank: str, database: str) -> None:
    table = tmp_path / "w.csv"
    table.write_text("relation,weight\nnsubj,1\n")
    for mixed in ([str(table), treebank], [treebank, str(table)], [str(table), str(table)]):
        with pytest.raises(UsageError, match="name one table of weights, or treebanks"):
            rows(A, weights=mixed)
        with pytest.raises(UsageError, match="name one table of weights, or treebanks"):
            rows("parser-a", gold="gold", database=database, weights=mixed)
    with pytest.raises(InvalidInput, match="name a file that can be read"):
        rows(A, weights=[str(tmp_path / "none.csv")])


# ---------------------------------------------------------------- classes


def test_classes_of_ones_own(tmp_path: Path, cut: str, database: str) -> None:
    """Here det is all that is content; parser-a has all four right."""
    (tmp_path / "c.csv").write_text("relation,class\ndet,content\nobl,function\n")
    told = Told()
    options = {"classes": str(tmp_path / "c.csv"), "warn": told.append}
    [row] = rows(A, **options)
    assert (row["content_precision"], row["content_recall"]) == (1, 1)
    assert (row["function_precision"], row["function_recall"]) == (1 / 2, 1 / 2)
    assert rows(A, cut, **options)[0]["function_recall"] == 1 / 2
    assert same(rows("parser-a", gold="gold", database=database, **options), [{**row, "system": "parser-a"}])
    with treesql.connect(database, read_only=True) as db:
        assert len(db.sql("FROM relation_classes")) > 30
    # of the gold file and of every system, three times
    assert str(told).count("relations that belong to no class: ") == 2 + 3 + 2
    assert "punct (5)" in str(told)
    assert "det (4)" not in str(told)


def test_unclassified_relations_are_told_once(tmp_path: Path) -> None:
    text = Path(GOLD).read_text()
    (tmp_path / "gold.conllu").write_text(text.replace("\tobl\t", "\todd\t").replace("\tcc\t", "\tstrange\t"))
    told = Told()
    rows(A, B, gold=str(tmp_path / "gold.conllu"), warn=told.append)
    assert [str(one) for one in told] == [
        "gold.conllu: relations that belong to no class: odd (1), strange (1); "
        "they count as other; --classes FILE classifies them"
    ]


def test_unclassified_relations_are_told_once_where_words_differ(tmp_path: Path, cut: str) -> None:
    (tmp_path / "gold.conllu").write_text(Path(GOLD).read_text().replace("\tcc\t", "\tstrange\t"))
    told = Told()
    rows(A, cut, gold=str(tmp_path / "gold.conllu"), warn=told.append)
    assert [("belong to no class" in str(one), "not those of every" in str(one)) for one in told] == [
        (True, False),
        (False, True),
    ]


# ---------------------------------------------------------------- groups


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


# ---------------------------------------------------------------- a task's own columns suffice


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """But for the last digits of sums in another order."""
    return rounded(found) == rounded(expected)


def rounded(found: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    """Rows as pairs, so that the order of their columns counts."""
    return [[(name, round(v, 9) if isinstance(v, float) else v) for name, v in row.items()] for row in found]


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


def test_no_more_is_read_than_is_needed() -> None:
    task = Task(DEPENDENCY, GOLD, [A])
    read = columns_needed(task, task.queries)
    assert read is not None
    assert not {"xpos", "deps", "misc", "feats"} & read["words"]
    assert "feature_lists" not in read
    by = Task(DEPENDENCY, GOLD, [A], by="Number")
    read = columns_needed(by, by.queries)
    assert read is not None
    assert "feats" in read["words"]
    assert "feature_lists" in read
    anything = Task(DEPENDENCY, GOLD, [A], where="word IN (SELECT 1)")
    assert columns_needed(anything, anything.queries) is None


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tables": ["upos_accuracy"], "by": "upos"}, "a table has its own rows"),
        ({"tables": ["upos_accuracy"], "where": "word = 1"}, "a table has its own rows"),
        ({"tables": ["attachment"]}, "attachment is not a table of gold and system; tables are .*upos_accuracy"),
        ({"tables": ["word_pairs"]}, "word_pairs is not a table of gold and system"),
        ({"metrics": ["upos_accuracy"]}, "upos_accuracy"),
        ({"by": "words"}, "words is what is summed"),
    ],
)
def test_usage(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rows(A, **options)


def test_unknown_tables_and_metrics_are_named() -> None:
    with pytest.raises(UnknownName, match="unknown query 'upos_acuracy'; did you mean upos_accuracy"):
        rows(A, tables=["upos_acuracy"])
    with pytest.raises(UnknownName, match="unknown query 'atachment'; did you mean attachment"):
        rows(A, metrics=["atachment"])


def test_systems_and_standard_input() -> None:
    with pytest.raises(UsageError, match="name at least one system"):
        rows()
    with pytest.raises(UsageError, match="a system is named twice"):
        rows(A, A)
    with pytest.raises(UsageError, match="standard input can be read only once"):
        rows("-", gold="-")


def test_how_files_are_read_is_not_for_a_database(database: str) -> None:
    for options in ({"permissive": True}, {"form": "conllu"}):
        with pytest.raises(UsageError, match="of no use with --db"):
            rows("parser-a", gold="gold", database=database, **options)


def test_the_corpora_of_a_test_are_those_of_the_catalogue() -> None:
    """Were a query to name its corpora otherwise, it would be missing above."""
    assert set(PAIR) == {"gold_corpus", "system_corpus"}
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
    with pytest.raises(UsageError, match="conll18: of no use here"):
        evaluate(Task(DEPENDENCY, GOLD, [A], tables=["conll18"], **options))
