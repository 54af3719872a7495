"""Words of oracle paths as a corpus of text, which metrics of translations score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from treesql import catalog
from treesql.catalog import schemas
from treesql.engines import Engine
from treesql.functions.arrays import flatten
from treesql.kernels.arrays import positions_in_list
from treesql.readers import TEXT, Options
from treesql.readers.fields import numbers
from treesql.scoring import items, scores
from treesql.storage import loading

SCORE = "score"
"""The measure of the path with the best scores, which alone needs scores of edges."""

_SENTENCES = """
SELECT s.sentence, s.sent_id, s.file, s.line, s.n_words, s.text
FROM sentences AS s
WHERE s.corpus = $corpus
ORDER BY s.sentence
"""
_FORMS = "SELECT w.sentence, w.word, w.form FROM words AS w WHERE w.corpus = $corpus"


def measures() -> tuple[str, ...]:
    """The measures of `oracle_paths`."""
    [measure] = [parameter for parameter in catalog.query("oracle_paths").parameters if parameter.name == "measure"]
    return measure.choices


def find_paths(engine: Engine, values: Mapping[str, object], measure: str, edge_weights: str = "") -> pa.Table:
    """Rows of `oracle_paths`, by lattice. values: of other parameters; edge_weights: of the measure `score`.

    Raises Incomparable, also for scores of edges that cannot be weighted.
    """
    parameters = {**values, "measure": measure, "edge_weights": edge_weights}
    if measure == SCORE:
        items.check_audit(engine, catalog.query("edge_score_faults"), parameters)
    return scores.run_query(engine, catalog.query("oracle_paths"), parameters).sort_by("sentence")


def words_of_paths(paths: pa.Table) -> pa.Table:
    """The words of paths, rows of `oracle_paths`: `sentence, word, form`."""
    forms, offsets = flatten(paths["path_forms"])
    lengths = np.diff(offsets)
    sentence = np.repeat(np.asarray(paths["sentence"].to_numpy(), dtype=np.int64), lengths)
    word = positions_in_list(lengths) + 1
    return pa.table({"sentence": numbers(sentence, pa.int32()), "word": numbers(word, pa.int32()), "form": forms})


def score_words(
    engine: Engine, values: Mapping[str, object], words: pa.Table, metric: str, score: str, references: Sequence[str]
) -> float | None:
    """A score of a metric of the words of paths as translations. values: of the corpus parameters."""
    query = items.find_metric(metric)
    corpus = str(values["lattice_corpus"])
    with connect_to_texts(engine, corpus, references, {corpus: (words, None)}, [query]) as texts:
        [row] = scores.score(texts, [query.name], text_values([query], values)).rows()
    value: float | None = row[score]
    return value


def connect_to_texts(
    engine: Engine,
    corpus: str,
    references: Sequence[str],
    texts: Mapping[str, tuple[pa.Table, pa.ChunkedArray | None]],
    metrics: Sequence[catalog.Query],
) -> Engine:
    """An engine for these metrics with the references, and with corpora of text, each for the sentences of `corpus`.

    texts: by the name of each, its words (sentence, word, form), and the texts of its sentences, with which the
    references have theirs; None where the words stand for them.
    """
    tables: dict[str, list[tuple[str, pa.Table]]] = {"corpora": [], "sentences": [], "words": []}
    columns = [name for name in schemas.table("corpora").names if name != "corpus"]
    values = (f"'{TEXT}' AS kind" if name == "kind" else f"c.{schemas.quote(name)}" for name in columns)
    records = f"SELECT {', '.join(values)} FROM corpora AS c WHERE c.corpus = $corpus"
    has_texts = any(whole is not None for _, whole in texts.values())
    for name in dict.fromkeys([corpus, *references]):
        key = {"corpus": name}
        record, rows = engine.table(records, key), engine.table(_SENTENCES, key)
        rows = rows if has_texts else rows.drop_columns(["text"])
        named_texts = texts if name == corpus else {name: (engine.table(_FORMS, key), None)}
        for label, (words, whole) in named_texts.items():
            sentences = _with_lengths(rows, words) if name == corpus else rows
            if whole is not None:
                sentences = sentences.set_column(sentences.schema.get_field_index("text"), "text", whole)
            for table, content in (("corpora", record), ("sentences", sentences), ("words", words)):
                tables[table].append((label, content))
    options = Options(columns={"sentences": frozenset(), "words": frozenset()})
    return loading.connect_to_rows(tables, options, catalog.words_of_queries(metrics))


def text_values(queries: Sequence[catalog.Query], values: Mapping[str, object]) -> dict[str, object]:
    """The values of parameters of metrics of translations for the words of oracle paths."""
    declared = {parameter.name for query in queries for parameter in query.parameters}
    known = {name: value for name, value in values.items() if name in declared}
    return {**known, "hypothesis_corpus": values["lattice_corpus"]}


def _with_lengths(sentences: pa.Table, words: pa.Table) -> pa.Table:
    """Sentences, in order, with their numbers of words."""
    place = np.searchsorted(sentences["sentence"].to_numpy(), words["sentence"].to_numpy())
    lengths = np.bincount(place, minlength=len(sentences))
    at = sentences.schema.get_field_index("n_words")
    return sentences.set_column(at, "n_words", pa.array(lengths, pa.int32()))
