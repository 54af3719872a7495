"""Find sentences in tables: by sent_id, by number, by their characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from treesql.errors import TreesqlError, UnknownName, UsageError, Warn
from treesql.readers import Notation, Options
from treesql.readers.source import STANDARD_INPUT
from treesql.sentences import views
from treesql.sentences.rows import CorpusConnection, Rows
from treesql.sentences.sentence import Sentence
from treesql.storage import in_memory, loading

if TYPE_CHECKING:
    pass

_NEAR = 21
"""So many names are looked at for one that may have been meant."""

_TABLES = {
    "words": ("word, form, lemma, upos, xpos, feats, head, deprel, udeprel, phrase, span_start, span_end", "word"),
    "tokens": ("first, last, form", "first"),
    "empty_nodes": ('word, "index", form, lemma, upos, xpos, feats', 'word, "index"'),
    "enhanced_edges": ("head, head_index, dependent, dependent_index, deprel", "dependent, dependent_index, head"),
    "constituents": ("node, parent, label, functions", "node"),
}


def find(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], corpus: str | None = None, beside: str | None = None
) -> list[Sentence]:
    """Sentences by sent_id, or else by their number in the corpus, from 0; in the order of the names.

    corpus: where to look; None for all but `beside`. Raises UnknownName where there is none of a name, UsageError where
    there are several.
    """
    if corpus is not None and not loading.corpus_exists(connection, corpus):
        raise UnknownName("corpus", corpus, loading.corpus_names(connection))
    chosen = {"corpus": corpus, "beside": beside}
    return [_fetch(connection, *_place(connection, name, chosen)) for name in names]


def counterparts(connection: duckdb.DuckDBPyConnection, sentences: Sequence[Sentence], corpus: str) -> list[Sentence]:
    """The same sentences in another corpus: those with their sent_id, or where it has none, with their number.

    Where that is another text, because a parser has found other sentences, those that share characters with it, counted
    from the beginning of the corpora, side by side. Raises UnknownName, UsageError.
    """
    sql = "SELECT count(s.sent_id) > 0 FROM sentences AS s WHERE s.corpus = ?"
    [(named,)] = connection.execute(sql, [corpus]).fetchall()
    return [_counterpart(connection, one, corpus, bool(named)) for one in sentences]


def numbered(connection: duckdb.DuckDBPyConnection, corpus: str, sentence: Sentence) -> Sentence:
    """The sentence of another corpus that has the number of one. Raises UsageError where there is none."""
    sql = "SELECT count(*) FROM sentences AS s WHERE s.corpus = ?"
    [(n_sentences,)] = connection.execute(sql, [corpus]).fetchall()
    if sentence.sentence >= n_sentences:
        raise UsageError(f"{corpus} has only {n_sentences} sentences, none that corresponds to {sentence.place}")
    return _fetch(connection, corpus, sentence.sentence)


def _counterpart(connection: duckdb.DuckDBPyConnection, sentence: Sentence, corpus: str, named: bool) -> Sentence:
    found: Sentence | None = None
    unknown: TreesqlError | None = None
    try:
        if named and sentence.sent_id is not None:
            [found] = find(connection, [sentence.sent_id], corpus)
        else:
            found = numbered(connection, corpus, sentence)
    except (UnknownName, UsageError) as error:
        unknown = error
    if found is None or views.shift(sentence, found) is None:
        overlapping = _overlapping(connection, sentence, corpus)
        if overlapping is not None and views.shift(sentence, overlapping) is not None:
            return overlapping
    if found is None:
        assert unknown is not None
        raise unknown
    return found


def _overlapping(connection: duckdb.DuckDBPyConnection, sentence: Sentence, corpus: str) -> Sentence | None:
    """The sentences of another corpus that share characters with one, as one sentence with several trees."""
    spans = [(word["span_start"], word["span_end"]) for word in sentence.words if word["span_start"] is not None]
    if not spans:
        return None
    sql = (
        "SELECT DISTINCT w.sentence FROM words AS w WHERE w.corpus = ? AND w.span_end > ? AND w.span_start < ? "
        "ORDER BY w.sentence"
    )
    numbers = connection.execute(sql, [corpus, min(spans)[0], max(spans)[1]]).fetchall()
    parts = [_fetch(connection, corpus, number) for (number,) in numbers]
    if not parts or any(part.constituents for part in parts):
        return None
    words: list[Mapping[str, Any]] = []
    tokens: list[Mapping[str, Any]] = []
    for part in parts:
        before = len(words)
        tokens += [{**one, "first": one["first"] + before, "last": one["last"] + before} for one in part.tokens]
        words += [
            {**one, "word": one["word"] + before, "head": one["head"] + before if one["head"] else one["head"]}
            for one in part.words
        ]
    name = " + ".join(part.name for part in parts)
    return Sentence(corpus, parts[0].sentence, name, None, tuple(words), tuple(tokens))


@contextmanager
def open_file(
    path: str,
    options: Options,
    form: str | None = None,
    warn: Warn = lambda warning: None,
    *,
    notation: Notation | None = None,
    kind: str | None = None,
) -> Iterator[CorpusConnection]:
    """A file as a corpus in memory, and the corpus's name: the file's. warn: called with all that is worth a look.

    notation: how the links of an alignment are written. kind: what the sentences are to be. Raises InvalidInput,
    UsageError.
    """
    name = "stdin" if path == STANDARD_INPUT else Path(path).name
    wanted = loading.plan_loads([path], name, form, notation=notation, kind=kind)
    connection, loaded = in_memory.load_into_memory(wanted, options)
    with connection:
        for warning in loading.distinct_warnings(loaded):
            warn(warning)
        yield connection, loaded[0].corpus


def _place(connection: duckdb.DuckDBPyConnection, name: str, chosen: Mapping[str, str | None]) -> tuple[str, int]:
    """The corpus and number of a sentence."""
    where = (
        "(s.corpus = $corpus OR CAST($corpus AS VARCHAR) IS NULL AND s.corpus NOT IN "
        "(SELECT c.corpus FROM corpora AS c WHERE c.kind IN ('alignment', 'lattice'))) "
        "AND (CAST($beside AS VARCHAR) IS NULL OR s.corpus <> $beside)"
    )
    sql = f"SELECT s.corpus, s.sentence FROM sentences AS s WHERE {where} AND "
    found = connection.execute(sql + "s.sent_id = $name", {**chosen, "name": name}).fetchall()
    if not found and name.isascii() and name.isdigit() and len(name) < 10:
        found = connection.execute(sql + "s.sentence = $name", {**chosen, "name": int(name)}).fetchall()
    if not found:
        sql = (
            f"SELECT DISTINCT s.sent_id, jaro_winkler_similarity(s.sent_id, $name) AS similarity "
            f"FROM sentences AS s WHERE {where} AND s.sent_id IS NOT NULL ORDER BY similarity DESC, s.sent_id "
            f"LIMIT {_NEAR}"
        )
        near = [one for one, _ in connection.execute(sql, {**chosen, "name": name}).fetchall()]
        if near:
            raise UnknownName("sentence", name, near)
        [(last,)] = connection.execute(f"SELECT max(s.sentence) FROM sentences AS s WHERE {where}", chosen).fetchall()
        hint = f"they have no sent_id, name one by its number, 0 to {last}" if last is not None else "there is none"
        raise UsageError(f"unknown sentence {name!r}; {hint}")
    corpora = sorted({own for own, _ in found})
    if len(corpora) > 1:
        raise UsageError(
            f"sentence {name!r} is there in several corpora: {', '.join(corpora)}; choose one with --corpus NAME"
        )
    if len(found) > 1:
        numbers = ", ".join(str(at) for _, at in sorted(found))
        raise UsageError(f"{corpora[0]} has several sentences {name!r}; name one of them by its number: {numbers}")
    return str(found[0][0]), int(found[0][1])


def _fetch(connection: duckdb.DuckDBPyConnection, corpus: str, sentence: int) -> Sentence:
    key = {"corpus": corpus, "sentence": sentence}

    def rows(table: str, columns: str, order: str = "1") -> Rows:
        sql = f"SELECT {columns} FROM {table} WHERE corpus = $corpus AND sentence = $sentence ORDER BY {order}"
        relation = connection.sql(sql, params=key)
        return tuple(dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall())

    [own] = rows("sentences", "sent_id, text")
    found = {table: rows(table, columns, order) for table, (columns, order) in _TABLES.items()}
    return Sentence(corpus, sentence, own["sent_id"], own["text"], **found)
