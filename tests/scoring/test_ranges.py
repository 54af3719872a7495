"""Corpora of a database that are summed a sentence at a time have the scores, signatures and faults of the whole."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard, thorough_but
from tests.evaluation import kinds_by_file
from tests.house.rules import in_turn
from treesql import catalog
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.engines.duckdb_folders import open_folder
from treesql.scoring import sums
from treesql.scoring.items import ScoringPlan
from treesql.storage import loading


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """The ranges that are summed."""
    found: list[range] = []
    usual = ScoringPlan.partial_sums

    def noting(
        plan: ScoringPlan, engine: Engine, sentences: range | None = None, *, by_sentence: bool
    ) -> pa.Table | None:
        found.extend([sentences] if sentences else [])
        return usual(plan, engine, sentences, by_sentence=by_sentence)

    monkeypatch.setattr(ScoringPlan, "partial_sums", noting)
    return found


def told(monkeypatch: pytest.MonkeyPatch, most: int, kind: str, **given: Any) -> tuple[object, ...]:
    """The rows, signatures and warnings, or the error. most: number of words that are summed at once."""
    monkeypatch.setattr(sums, "MAX_SIZE_AT_ONCE", most)
    monkeypatch.setattr(sums, "SIZE_OF_RANGE", 1)
    monkeypatch.setattr(sums, "SENTENCES_OF_STEP", 1)
    monkeypatch.setattr(sums, "MAX_ROWS", 4)
    return kinds_by_file.told(kind, **given)


def check(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], kind: str, *, is_divided: bool = True, **given: Any
) -> tuple[object, ...]:
    """The scores are those of the whole, summed by several ranges; what is not divided is scored as the whole."""
    found = told(monkeypatch, -1, kind, **given)
    assert (len(summed) > 1) == (is_divided and not isinstance(found[0], type))
    if is_divided:
        summed.clear()
        assert told(monkeypatch, 1 << 40, kind, **given) == found
    assert not summed
    return found


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with the fixtures of all kinds."""
    path = str(tmp_path_factory.mktemp("ranges") / "all.duckdb")
    kinds_by_file.load_all(path)
    return path


@pytest.fixture(scope="module", params=["file", pytest.param("folder", marks=pytest.mark.slow)])
def trees(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with two parses of the same sentences, and one that lacks the last, in a DuckDB file or in Parquet."""
    folder = tmp_path_factory.mktemp("trees")
    text = (FIXTURES / "parser-a.conllu").read_text()
    (folder / "shorter.conllu").write_text(text[: text.rindex("\n\n", 0, -2) + 2])
    files = [FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu", FIXTURES / "parser-b.conllu"]
    path = folder / "trees.duckdb"
    with treesql.connect(path) as db:
        for one in (*files, folder / "shorter.conllu"):
            db.load(one)
        if request.param == "folder":
            path = folder / "parquet"
            db.export(path)
    return str(path)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"metric": [name for name in kinds.kind("dependency").all_metrics if not name.startswith("aligned")]},
    {"by": "upos"},
    {"by": "sentence"},
    {"by": "n_words/3,gold_deprel"},
    {"by": "distance/2", "where": "upos <> 'PUNCT'"},
    {"by": "Number", "metric": "las"},
    {"where": "upos = 'none'"},
    {"ci": True, "metric": "las,wlas"},
    {"ci": True, "by": "upos", "metric": "uas"},
    {"punctuation": "form", "relations": "full"},
    {"weights": str(FIXTURES / "parser-a.conllu")},
    {"by": "comments", "metric": "las"},
    {"with_": "enhanced"},
    {"metric": "attachment,uas_recall,wlas_recall"},
]


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    "options", thorough_but(OPTIONS, *OPTIONS[::6]), ids=lambda options: "-".join(map(str, options)) or "default"
)
def test_ranges_of_any_option(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], trees: str, options: dict[str, Any]
) -> None:
    given = {"gold": "gold", "systems": ["parser-a", "parser-b"], "db": trees, **options}
    found = check(monkeypatch, summed, "dependency", **given)
    assert not isinstance(found[0], type), found


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize(
    "options",
    [
        {"by": "newdoc", "metric": "las"},
        {"match": "sent_id", "metric": "las"},
        {"where": "EXISTS (SELECT 1 FROM words AS w WHERE w.upos = 'X')", "metric": "las"},
        {"systems": ["shorter"], "metric": "las"},
        {"systems": ["shorter"], "metric": "las", "ci": True},
    ],
    ids=lambda options: "-".join(options),
)
def test_what_reaches_beyond_a_sentence_is_scored_whole(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], trees: str, options: dict[str, Any]
) -> None:
    check(monkeypatch, summed, "dependency", is_divided=False, **{
        "gold": "gold", "systems": ["parser-a"], "db": trees, **options,
    })  # fmt: skip


def test_weights_of_gold_on_an_open_database_are_those_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], trees: str
) -> None:
    def score() -> object:
        with treesql.connect(trees, read_only=True) as db:
            return db.score("weighted_attachment", gold_corpus="gold", system_corpus="parser-a").rows()

    whole = score()
    monkeypatch.setattr(sums, "MAX_SIZE_AT_ONCE", -1)
    monkeypatch.setattr(sums, "SIZE_OF_RANGE", 1)
    monkeypatch.setattr(sums, "SENTENCES_OF_STEP", 1)
    assert score() == whole
    assert len(summed) == 5


def test_a_fault_of_the_last_sentence(monkeypatch: pytest.MonkeyPatch, summed: list[range], tmp_path: Path) -> None:
    """Other words in two sentences: both are named, as by the whole."""
    with treesql.connect(str(tmp_path / "x.duckdb")) as db:
        for name, last in (("gold", "a:0:root b:1:x"), ("system", "a:0:root c:1:x")):
            (tmp_path / name).write_bytes(conllu("a:0:root", last, "a:0:root", "d:0:root", last))
            db.load(tmp_path / name, format="conllu")
    given = {"gold": "gold", "systems": ["system"], "db": str(tmp_path / "x.duckdb"), "metric": "attachment"}
    whole = told(monkeypatch, 1 << 40, "dependency", **given)
    assert told(monkeypatch, -1, "dependency", **given) == whole
    assert isinstance(whole[0], type)
    assert not summed


@pytest.mark.spread(7)
@pytest.mark.parametrize(
    "how",
    [
        pytest.param({}, id="default"),
        pytest.param({"by": "sentence"}, marks=pytest.mark.thorough, id="by"),
        pytest.param({"ci": True}, marks=pytest.mark.thorough, id="ci"),
    ],
)
@pytest.mark.parametrize("kind", kinds_by_file.KINDS)
@pytest.mark.slow
def test_ranges_of_any_metric(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], file: str, kind: str, how: dict[str, Any]
) -> None:
    for metric in kinds.kind(kind).all_metrics:
        given = kinds_by_file.given(kind, loaded=True, metric=metric)
        whole = told(monkeypatch, 1 << 40, kind, **given, db=file, metric=metric, **how)
        summed.clear()
        assert told(monkeypatch, -1, kind, **given, db=file, metric=metric, **how) == whole, metric
        if not isinstance(whole[0], type):
            assert (len(summed) > 1) == (not kinds_by_file.is_whole(metric)), metric


@pytest.mark.spread(7)
@pytest.mark.parametrize("kind", kinds_by_file.KINDS)
@pytest.mark.slow
def test_files_that_are_read_whole(monkeypatch: pytest.MonkeyPatch, summed: list[range], kind: str) -> None:
    """Only the columns that the query reads are in memory; few rows are never divided."""
    monkeypatch.setattr(loading, "MAX_ROWS_COPIED", -1)
    metric = next(name for name in kinds.kind(kind).all_metrics if not kinds_by_file.is_whole(name))
    for how in ({}, {"ci": True}):
        check(monkeypatch, summed, kind, **kinds_by_file.given(kind), metric=metric, **how)


@pytest.mark.spread(2)
@pytest.mark.parametrize("by", ["frequency", "n_words"])
def test_groups_by_what_is_counted_in_all_sentences(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], file: str, by: str
) -> None:
    given = {**kinds_by_file.given("translation", loaded=True), "db": file, "metric": "edit_operations", "by": by}
    check(monkeypatch, summed, "translation", **given)


def test_a_range_of_a_folder_reads_its_parts_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treesql.writers.parquet.BLOCK_SENTENCES", 2)
    monkeypatch.setattr("treesql.storage.folders.BLOCK_SENTENCES", 2)
    folder = str(tmp_path / "folder") + "/"
    treesql.load(folder, FIXTURES / "gold.conllu")
    with open_folder(folder) as engine:
        for sentences, parts in ((range(2), [0]), (range(1, 3), [0, 1]), (range(4, 1 << 31), [2])):
            sql = engine.select_range("words", sentences, ["corpus", "sentence"])
            assert [int(one) for one in re.findall(r"part-(\d+)", sql)] == parts
            found = {row for (row,) in engine.rows(f"SELECT DISTINCT r.sentence FROM ({sql}) AS r")}
            assert found == {sentence for sentence in range(5) if sentence in sentences}


def load_lines(path: Path, **texts: str) -> str:
    """A database with corpora of these texts of CoNLL-U."""
    with treesql.connect(str(path)) as db:
        for name, text in texts.items():
            (path.parent / f"{name}.conllu").write_text(text)
            db.load(path.parent / f"{name}.conllu", corpus=name)
    return str(path)


def sentence(words: str, sent_id: str | None = None) -> str:
    """A sentence of CoNLL-U whose words all depend on the first."""
    rows = [f"{at}\t{form}\t_\t_\t_\t_\t{min(at - 1, 1)}\t{'dep' if at > 1 else 'root'}\t_\t_"
            for at, form in enumerate(words.split(), 1)]  # fmt: skip
    return "\n".join([*([f"# sent_id = {sent_id}"] if sent_id else []), *rows]) + "\n\n"


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database: the sentences of gold in others in system; the same sentences in the orders of three corpora's ids,
    one of which repeats."""
    texts = {"x": "a b", "y": "c", "z": "d e f"}
    orders = {ids: "".join(sentence(texts[one], one) for one in ids) for ids in ("zyx", "xyz", "xxz")}
    gold = sentence("a b") + sentence("c") + sentence("d")
    system = sentence("a") + sentence("b c") + sentence("d")
    with heard():
        return load_lines(
            tmp_path_factory.mktemp("lines") / "x.duckdb",
            gold=gold, system=system, hypotheses="".join(sentence(text, one) for one, text in texts.items()), **orders,
        )  # fmt: skip


@pytest.mark.spread(2)
@pytest.mark.parametrize("metric", ["segmentation", "attachment"])
def test_sentences_that_end_elsewhere(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], lines: str, metric: str
) -> None:
    """Numbers of sentences do not say what corresponds where words are aligned by their characters."""
    given = {"gold": "gold", "systems": ["system"], "db": lines, "metric": metric}
    whole = told(monkeypatch, 1 << 40, "dependency", **given)
    assert told(monkeypatch, -1, "dependency", **given) == whole


@pytest.mark.spread(3)
@pytest.mark.parametrize("ids", ["zyx", "xyz", "xxz"])
def test_sentences_that_correspond_by_their_ids(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], lines: str, ids: str
) -> None:
    given = {"reference": ids, "systems": ["hypotheses"], "db": lines, "metric": "position_independent_errors"}
    whole = told(monkeypatch, 1 << 40, "translation", **given)
    assert told(monkeypatch, -1, "translation", **given) == whole
    assert not summed


def test_references_that_end_earlier_are_seen(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], tmp_path: Path
) -> None:
    lines = [sentence(text) for text in ("a b", "c", "d e")]
    path = load_lines(tmp_path / "x.duckdb", one="".join(lines), two="".join(lines[:2]), hypotheses="".join(lines))
    for metric in ("edit_operations", "n_gram_information"):
        given = {"reference": ["one", "two"], "systems": ["hypotheses"], "db": path, "metric": metric}
        whole = told(monkeypatch, 1 << 40, "translation", **given)
        assert isinstance(whole[0], type)
        assert told(monkeypatch, -1, "translation", **given) == whole


def test_cached_lists_are_not_read_in_ranges(monkeypatch: pytest.MonkeyPatch, summed: list[range]) -> None:
    with treesql.connect() as db, heard():
        db.load(FIXTURES / "lattices.plf", corpus="lattices", phrases=True)
        db.load(FIXTURES / "lattices.txt", corpus="references")

        def score() -> object:
            return db.score("lattice", reference="references", systems=["lattices"], metric="path_density").rows()

        whole = score()
        for name, value in (("MAX_SIZE_AT_ONCE", -1), ("SIZE_OF_RANGE", 1), ("SENTENCES_OF_STEP", 1)):
            monkeypatch.setattr(sums, name, value)
        assert score() == whole
        assert len(summed) > 1


def test_conditions_with_macros_that_read_tables_are_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, summed: list[range], trees: str
) -> None:
    where = "len(children({'corpus': 'gold', 'sentence': sentence, 'word': 1})) > 0"
    given = {"gold": "gold", "systems": ["parser-a"], "db": trees, "where": where, "metric": "las"}
    check(monkeypatch, summed, "dependency", is_divided=False, **given)


@in_turn("n", [1, 63, 64, 65, 129, 300])
def test_any_number_of_blocks_is_added_up_in_few_parts(n: int) -> None:
    """Of groups a row each stays, of sentences every row; order is that in which they were added."""
    groups, sentences = sums.SumAccumulator(["key"]), sums.SumAccumulator(["sentence"])
    for number in range(n):
        groups.add(pa.table({"key": ["a", None], "n": [number, 1]}))
        sentences.add(pa.table({"sentence": [number], "n": [1]}))
    assert groups.table().to_pydict() == {"key": ["a", None], "n": [n * (n - 1) // 2, n]}
    assert sentences.table()["sentence"].to_pylist() == list(range(n))
    assert len(groups.parts) == len(sentences.parts) == n // 64 + n % 64


def test_rows_of_equal_keys_are_added_up_once_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that memory holds the groups, not the blocks."""
    monkeypatch.setattr(sums, "MAX_ROWS", 4)
    added = sums.SumAccumulator(["key"])
    for _ in range(3):
        added.add(pa.table({"key": ["a", "b", "c"], "n": [1, 2, 3]}))
        assert (len(added.parts), added.n_rows) == (1, 3)
    assert added.table().to_pydict() == {"key": ["a", "b", "c"], "n": [3, 6, 9]}


def test_rows_that_do_not_add_up_are_not_tried_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MAX_ROWS", 4)
    added = sums.SumAccumulator(["key"])
    counts = []
    for block in range(4):
        added.add(pa.table({"key": range(3 * block, 3 * block + 3), "n": [1, 1, 1]}))
        counts.append((len(added.parts), added.n_rows))
    assert counts == [(1, 3), (1, 0), (2, 3), (1, 0)]
    assert added.table().to_pydict() == {"key": list(range(12)), "n": [1] * 12}


def test_what_reads_words_beside_sums_by_key_is_of_a_block() -> None:
    """And so is what reads it; an attribute that reads frequencies alone is of all sentences."""
    query = catalog.query("reference_word_counts")
    assert query.reads_sums_alone
    assert replace(query, body=f"SELECT c.frequency FROM {query.name} AS c").reads_sums_alone
    of_words = f"SELECT w.word FROM {query.name} AS c JOIN words AS w ON w.form = c.reference_form"
    assert not replace(query, body=of_words).reads_sums_alone
