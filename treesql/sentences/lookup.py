"""Lookup of sentences in tables: by sent_id, by number, by their characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from treesql.engines import Engine
from treesql.errors import TreesqlError, UnknownName, UsageError, Warn
from treesql.readers import Notation, Options
from treesql.sentences import sentence_names, views
from treesql.sentences.sentence import Sentence
from treesql.sentences.sentence_names import EngineCorpus, Rows
from treesql.storage import corpus_plans, loading

_TABLES = {
    "words": (
        "word, form, lemma, upos, xpos, feats, head, deprel, udeprel, misc, phrase, span_start, span_end",
        "word",
    ),
    "tokens": ("first, last, form, misc", "first"),
    "empty_nodes": ('word, "index", form, lemma, upos, xpos, feats', 'word, "index"'),
    "enhanced_edges": ("head, head_index, dependent, dependent_index, deprel", "dependent, dependent_index, head"),
    "constituents": ("node, parent, label, functions", "node"),
    "lattice_edges": ("edge, from_node, to_node, edge_words, scores", "edge"),
}
"""By table of a sentence's rows, its columns and their order."""


def find_sentences(
    engine: Engine,
    names: Sequence[str | int],
    corpus: str | None = None,
    except_for: str | None = None,
) -> list[Sentence]:
    """Return sentences by sent_id, or by number in the corpus, from 0: 2 or `#2`; in the order of the names.

    corpus: the one to search, or a pattern of several; None for all. except_for: one that is not searched. Raises
    UnknownName if there is no sentence of a name, UsageError if there are several.
    """
    corpora = None if corpus is None else loading.chosen_corpora([corpus], loading.corpus_names(engine))
    return [_fetch(engine, *sentence_names.locate(engine, name, corpora, except_for)) for name in names]


def find_numbered(engine: Engine, corpus: str, numbers: Sequence[int]) -> list[Sentence]:
    """Return the sentences of a corpus with these numbers, those that it has, in the order of the numbers."""
    if not numbers:
        return []
    condition = f"corpus = $corpus AND sentence IN ({', '.join(str(int(number)) for number in numbers)})"
    rows: dict[str, dict[int, list[Mapping[str, Any]]]] = {}
    for table, (columns, order) in _TABLES.items():
        sql = f"SELECT sentence, {columns} FROM {table} WHERE {condition} ORDER BY sentence, {order}"
        by_sentence = rows.setdefault(table, {})
        for row in engine.table(sql, {"corpus": corpus}).to_pylist():
            by_sentence.setdefault(row.pop("sentence"), []).append(row)
    sql = f"SELECT sentence, sent_id, text FROM sentences WHERE {condition}"
    sentences = []
    for number, name, text in engine.rows(sql, {"corpus": corpus}):
        tables = {table: tuple(rows[table].get(number, ())) for table in _TABLES}
        sentences.append(Sentence(corpus, number, name, text, **tables))
    return sorted(sentences, key=lambda sentence: numbers.index(sentence.sentence))


def find_counterparts(engine: Engine, sentences: Sequence[Sentence], corpus: str) -> list[Sentence]:
    """Return the same sentences in another corpus, by sent_id, or by number if it has no sent_ids or repeats this one.

    If the texts differ, because a parser has split the text otherwise, returns the sentences that share characters with
    it, counted from the beginning of the corpora, as one. Raises UnknownName, UsageError.
    """
    sql = "SELECT count(s.sent_id) > 0 FROM sentences AS s WHERE s.corpus = $corpus"
    [(has_sent_ids,)] = engine.rows(sql, {"corpus": corpus})
    return [_find_counterpart(engine, sentence, corpus, bool(has_sent_ids)) for sentence in sentences]


def find_by_number(engine: Engine, corpus: str, sentence: Sentence) -> Sentence:
    """Return the sentence of another corpus with the same number. Raises UsageError if there is none."""
    sql = "SELECT count(*) FROM sentences AS s WHERE s.corpus = $corpus"
    [(n_sentences,)] = engine.rows(sql, {"corpus": corpus})
    if sentence.sentence >= n_sentences:
        raise UsageError(f"{corpus} has only {n_sentences} sentences, none that corresponds to {sentence.place}")
    return _fetch(engine, corpus, sentence.sentence)


@contextmanager
def open_file(
    path: str,
    options: Options,
    form: str | None = None,
    warn: Warn = lambda warning: None,
    *,
    notation: Notation | None = None,
    kind: str | None = None,
) -> Iterator[EngineCorpus]:
    """Yield an engine with a file as a corpus in memory, and the corpus's name, which is the file's.

    warn: called with every warning. notation: of the links of an alignment. kind: the kind that the corpus must have.
    Raises InvalidInput,
    UsageError.
    """
    name = corpus_plans.name_of_input(path)
    files = corpus_plans.plan_loads([path], name, form, notation=notation, kind=kind)
    engine, loaded = loading.load_into_memory(files, options, warn=warn)
    with engine:
        yield engine, loaded[0].corpus


def _find_counterpart(engine: Engine, sentence: Sentence, corpus: str, has_sent_ids: bool) -> Sentence:
    counterpart: Sentence | None = None
    unknown: TreesqlError | None = None
    try:
        counterpart = (
            find_by_number(engine, corpus, sentence)
            if not has_sent_ids or sentence.sent_id is None
            else _find_by_sent_id(engine, corpus, sentence, sentence.sent_id)
        )
    except (UnknownName, UsageError) as error:
        unknown = error
    if counterpart is None or views.character_offset(sentence, counterpart) is None:
        overlapping = _find_overlapping(engine, sentence, corpus)
        if overlapping is not None and views.character_offset(sentence, overlapping) is not None:
            return overlapping
    if counterpart is None:
        assert unknown is not None
        raise unknown
    return counterpart


def _find_by_sent_id(engine: Engine, corpus: str, sentence: Sentence, name: str) -> Sentence:
    """Return the sentence of a corpus with a sent_id; of several the one with the number of the given sentence."""
    sql = "SELECT s.sentence FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id = $name"
    numbers = {number for (number,) in engine.rows(sql, {"corpus": corpus, "name": name})}
    if sentence.sentence in numbers:
        return _fetch(engine, corpus, sentence.sentence)
    return _fetch(engine, corpus, *numbers) if len(numbers) == 1 else find_sentences(engine, [name], corpus)[0]


def _find_overlapping(engine: Engine, sentence: Sentence, corpus: str) -> Sentence | None:
    """Return the sentences of another corpus that share characters with one, as one sentence with several trees."""
    spans = [(word["span_start"], word["span_end"]) for word in sentence.words if word["span_start"] is not None]
    if not spans:
        return None
    sql = (
        "SELECT DISTINCT w.sentence FROM words AS w\n"
        "WHERE w.corpus = $corpus AND w.span_end > $start AND w.span_start < $stop ORDER BY w.sentence"
    )
    numbers = engine.rows(sql, {"corpus": corpus, "start": min(spans)[0], "stop": max(spans)[1]})
    parts = [_fetch(engine, corpus, number) for (number,) in numbers]
    if not parts or any(part.constituents for part in parts):
        return None
    words: list[Mapping[str, Any]] = []
    tokens: list[Mapping[str, Any]] = []
    for part in parts:
        before = len(words)
        tokens += [{**token, "first": token["first"] + before, "last": token["last"] + before} for token in part.tokens]
        words += [
            {**word, "word": word["word"] + before, "head": word["head"] + before if word["head"] else word["head"]}
            for word in part.words
        ]
    name = " + ".join(part.name for part in parts)
    return Sentence(corpus, parts[0].sentence, name, None, tuple(words), tuple(tokens))


def _fetch(engine: Engine, corpus: str, sentence: int) -> Sentence:
    key = {"corpus": corpus, "sentence": sentence}

    def rows(table: str, columns: str, order: str = "1") -> Rows:
        sql = f"SELECT {columns} FROM {table} WHERE corpus = $corpus AND sentence = $sentence ORDER BY {order}"
        return tuple(engine.table(sql, key).to_pylist())

    [row] = rows("sentences", "sent_id, text")
    tables = {table: rows(table, columns, order) for table, (columns, order) in _TABLES.items()}
    return Sentence(corpus, sentence, row["sent_id"], row["text"], **tables)
