"""Sentences of a corpus in a list: by a part of their text, by a comment, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError
from treesql.results.result import Result
from treesql.storage import loading

_CHOSEN = "FROM sentences AS s WHERE s.corpus = $corpus"

_TEXT = "coalesce(s.text, text_between(s, 1, 2147483647))"
"""The text of a sentence, or its words."""

_LACKS_TEXT = f"SELECT 1 {_CHOSEN} AND s.text IS NULL LIMIT 1"

_HAS_TEXT = " AND contains(lower({text}), lower($text))"

_HAS_COMMENT = """ AND EXISTS (
    SELECT 1 FROM comments AS c WHERE c.corpus = s.corpus AND c.sentence = s.sentence AND c.key = $key{value})"""

_NEAREST = f"""
SELECT max(CASE WHEN s.sentence < $sentence THEN s.sentence END) AS before,
       min(CASE WHEN s.sentence > $sentence THEN s.sentence END) AS after
{_CHOSEN}
"""

_COLUMNS = "SELECT s.sentence, s.sent_id, s.text, s.n_words AS words"


@dataclass(frozen=True)
class ListedSentences:
    """Sentences in order. rows: `sentence, sent_id, text, words`, the text of their words where they have no other, of
    links that of their source; total: number of all that were chosen."""

    rows: Result
    total: int


def list_sentences(
    engine: Engine,
    corpus: str,
    text: str = "",
    key: str = "",
    value: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> ListedSentences:
    """List the sentences of a corpus, those that have a text and a comment. Raises UnknownName, UsageError."""
    if not loading.corpus_exists(engine, corpus):
        raise UnknownName("corpus", corpus, loading.corpus_names(engine))
    if (limit is not None and limit < 0) or offset < 0:
        raise UsageError(f"limit is {limit} and offset is {offset}; name numbers of sentences, 0 or more")
    if value and not key:
        raise UsageError(f"the value {value!r} is that of a comment; name its key")
    condition, values = _CHOSEN, {"corpus": corpus}
    if text:
        searched = _TEXT if engine.rows(_LACKS_TEXT, values) else "s.text"
        condition, values = condition + _HAS_TEXT.format(text=searched), {**values, "text": text}
    if key:
        condition += _HAS_COMMENT.format(value=" AND c.value = $value" if value else "")
        values |= {"key": key, "value": value} if value else {"key": key}
    [(total,)] = engine.rows(f"SELECT count(*) {condition}", values)
    part = f" LIMIT {total if limit is None else limit} OFFSET {offset}"
    rows = engine.table(f"{_COLUMNS} {condition} ORDER BY s.sentence{part}", values)
    return ListedSentences(Result(_with_texts(engine, corpus, rows)), int(total))


def _with_texts(engine: Engine, corpus: str, rows: pa.Table) -> pa.Table:
    """Rows of sentences with the text of their words where they have no other; of links, that of their source.

    rows: by the numbers of sentences.
    """
    numbers = rows.filter(pc.is_null(rows["text"]))["sentence"].to_pylist()
    if not numbers:
        return rows
    chosen = f"{_CHOSEN} AND s.sentence BETWEEN {numbers[0]} AND {numbers[-1]}"
    sources = engine.rows("SELECT DISTINCT source_corpus FROM alignments WHERE corpus = $corpus", {"corpus": corpus})
    read = sources[0][0] if len(sources) == 1 and sources[0][0] else corpus
    made = dict(engine.rows(f"SELECT s.sentence, {_TEXT} {chosen}", {"corpus": read}))
    texts = [made.get(row["sentence"], row["text"]) or None for row in rows.select(["sentence", "text"]).to_pylist()]
    return rows.set_column(rows.column_names.index("text"), "text", pa.array(texts, pa.string()))


def list_neighbours(engine: Engine, corpus: str, sentence: int) -> Result:
    """List the sentences before and after a number in a corpus, those that there are."""
    [near] = engine.rows(_NEAREST, {"corpus": corpus, "sentence": sentence})
    numbers = ", ".join(str(int(number)) for number in near if number is not None) or "NULL"
    condition = f"{_CHOSEN} AND s.sentence IN ({numbers}) ORDER BY s.sentence"
    return Result(_with_texts(engine, corpus, engine.table(f"{_COLUMNS} {condition}", {"corpus": corpus})))


_LAYERS = """
SELECT 'same words' AS layer, s.corpus, c.kind, s.sentence, CAST(NULL AS VARCHAR) AS links
FROM sentences AS s
JOIN corpora AS c ON c.corpus = s.corpus
JOIN sentences AS t ON t.corpus = $corpus AND t.sentence = $sentence
JOIN corpora AS own ON own.corpus = $corpus
WHERE s.corpus <> $corpus AND c.kind IN ('dependency', 'constituency')
  AND (s.sent_id = t.sent_id OR (s.sentence = $sentence AND (t.sent_id IS NULL OR s.sent_id IS NULL)))
  AND CASE WHEN s.text IS NULL OR t.text IS NULL
    THEN s.sentence = $sentence AND s.n_words = t.n_words AND c.n_sentences = own.n_sentences
    ELSE replace(s.text, ' ', '') = replace(t.text, ' ', '') END
UNION ALL
SELECT 'same number' AS layer, c.corpus, c.kind, $sentence AS sentence, CAST(NULL AS VARCHAR) AS links
FROM corpora AS c
JOIN corpora AS own ON own.corpus = $corpus AND own.n_sentences = c.n_sentences
WHERE c.corpus <> $corpus AND own.kind = 'text' AND c.kind IN ('text', 'lattice')
UNION ALL
SELECT 'translation' AS layer, c.corpus, c.kind, $sentence AS sentence, a.links
FROM (SELECT DISTINCT b.corpus AS links, b.source_corpus, b.target_corpus FROM alignments AS b) AS a
JOIN corpora AS c ON c.corpus = CASE WHEN a.source_corpus = $corpus THEN a.target_corpus ELSE a.source_corpus END
WHERE (a.source_corpus = $corpus OR a.target_corpus = $corpus) AND c.n_sentences > $sentence
UNION ALL
SELECT DISTINCT side.layer, side.corpus, c.kind, $sentence AS sentence, $corpus AS links
FROM alignments AS b, unnest([
  {'layer': 'source', 'corpus': b.source_corpus}, {'layer': 'target', 'corpus': b.target_corpus}
]) AS sides(side)
JOIN corpora AS c ON c.corpus = side.corpus
WHERE b.corpus = $corpus
ORDER BY layer, corpus, links
"""


def find_layers(engine: Engine, corpus: str, sentence: int) -> Result:
    """List what other corpora have of a sentence: its trees, what stands at its number, its linked translations;
    of links, what they link."""
    return Result(engine.table(_LAYERS, {"corpus": corpus, "sentence": sentence}))


_SENTENCES = "SELECT s.sentence, s.sent_id, s.text FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence IN "
_FORMS = "SELECT w.sentence, w.form FROM words AS w WHERE w.corpus = $corpus AND w.sentence IN "


def find_texts(engine: Engine, corpus: str, numbers: Sequence[int]) -> dict[int, tuple[str | None, str]]:
    """Return the sent_id and the text of sentences of a corpus, those that it has; the words where it has no text."""
    if not numbers:
        return {}
    number_list = f"({', '.join(str(int(number)) for number in numbers)})"
    rows = engine.rows(_SENTENCES + number_list, {"corpus": corpus})
    texts = {number: (name, text or "") for number, name, text in rows}
    if any(not text for _, text in texts.values()):
        forms: dict[int, list[str]] = {}
        for number, form in engine.rows(f"{_FORMS}{number_list} ORDER BY w.sentence, w.word", {"corpus": corpus}):
            forms.setdefault(number, []).append(form)
        texts = {number: (name, text or " ".join(forms.get(number, ()))) for number, (name, text) in texts.items()}
    return texts
