"""Rows -> lines of CoNLL-U and CoNLL-U Plus: SQL for the text of some sentences, of any of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import Diagnostic, first_names
from treesql.readers import STANDARD_COLUMNS

RANGE = "BETWEEN $first AND $last"
CHOSEN = "IN (SELECT unnest($sentences))"

_SHARED = ("lemma", "upos", "xpos", "feats", "misc")

_WORD = {
    "ID": "w.word", "FORM": "w.form", "HEAD": "coalesce(CAST(w.head AS VARCHAR), '_')",
    "DEPREL": "coalesce(w.deprel, '_')", "DEPS": "coalesce(w.deps, '_')",
    **{name.upper(): f"coalesce(w.{name}, '_')" for name in _SHARED},
}  # fmt: skip
_TOKEN = {
    "ID": "t.first || '-' || t.last", "FORM": "t.form", "HEAD": "'_'", "DEPREL": "'_'", "DEPS": "'_'",
    **{name.upper(): f"coalesce(t.{name}, '_')" for name in _SHARED},
}  # fmt: skip
_EMPTY_NODE = {
    "ID": "e.word || '.' || e.index", "FORM": "coalesce(e.form, '_')", "HEAD": "'_'", "DEPREL": "'_'",
    "DEPS": "coalesce(e.deps, '_')", **{name.upper(): f"coalesce(e.{name}, '_')" for name in _SHARED},
}  # fmt: skip
"""By column, its text in the line of a word, a multiword token, an empty node."""

# The lines of sentences in the order of the file: comments at position -1, a range before its first word, empty nodes
# behind the word that they follow, a blank line at the end.
_LINES = """
SELECT string_agg(l.line, chr(10) ORDER BY l.sentence, l.position, l.kind, l.number) || chr(10)
FROM (
    SELECT s.sentence, -1 AS position, 0 AS kind, c.position AS number, c.comment AS line
    FROM sentences AS s JOIN comments AS c ON c.corpus = s.corpus AND c.sentence = s.sentence
    WHERE s.corpus = $corpus AND s.sentence {those} AND c.corpus = $corpus AND c.sentence {those}{comments}
    UNION ALL
    SELECT t.sentence, t.first, 0, 0, concat_ws(chr(9), {token})
    FROM tokens AS t {token_columns} WHERE t.corpus = $corpus AND t.sentence {those}
    UNION ALL
    SELECT w.sentence, w.word, 1, 0, concat_ws(chr(9), {word})
    FROM words AS w {word_columns} WHERE w.corpus = $corpus AND w.sentence {those}
    UNION ALL
    SELECT e.sentence, e.word, 2, e.index, concat_ws(chr(9), {empty_node})
    FROM empty_nodes AS e {empty_node_columns} WHERE e.corpus = $corpus AND e.sentence {those}
    UNION ALL
    SELECT s.sentence, s.n_words + 1, 3, 0, ''
    FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence {those}
) AS l
"""

_KINDS = {
    "word": ("w", _WORD, ("word",)),
    "token": ("t", _TOKEN, ("first",)),
    "empty_node": ("e", _EMPTY_NODE, ("word", "index")),
}
"""By kind of line the name of its table in _LINES, its columns, and its key in a sentence."""


def lines_sql(those: str = RANGE, columns: Sequence[str] = STANDARD_COLUMNS, comments: str = "") -> str:
    """SQL for the text of the sentences of $corpus that the condition `those` names, with these columns.

    comments: a condition for those that are written.
    """
    further = [name for name in columns if name not in STANDARD_COLUMNS]
    parts = {"those": those, "comments": comments}
    for kind, (table, standard, key) in _KINDS.items():
        texts = standard | {name: f"coalesce(x.value_{at}, '_')" for at, name in enumerate(further)}
        parts[kind] = ", ".join(texts[name] for name in columns)
        parts[f"{kind}_columns"] = _joined(kind, table, key, further, those) if further else ""
    return _LINES.format(**parts)


def _joined(kind: str, table: str, key: Sequence[str], further: Sequence[str], those: str) -> str:
    """A join with the values of further columns, a row for each line that has some: x.value_0, x.value_1, ..."""
    names = ", ".join(f'c."{name}"' for name in key)
    values = ", ".join(
        f"max(CASE WHEN c.name = {literal(name)} THEN c.value END) AS value_{at}" for at, name in enumerate(further)
    )
    same = "".join(f' AND x."{name}" = {table}."{name}"' for name in key)
    return f"""LEFT JOIN (
        SELECT c.sentence, {names}, {values}
        FROM {kind}_columns AS c WHERE c.corpus = $corpus AND c.sentence {those}
        GROUP BY c.sentence, {names}
    ) AS x ON x.sentence = {table}.sentence{same}"""


def text_of(engine: Engine, sql: str, values: Mapping[str, object]) -> pa.Buffer:
    """The one text that a statement returns."""
    text = engine.table(sql, values).column(0).combine_chunks().cast(pa.large_binary())
    return text.buffers()[2]


TABLES = ("word_columns", "token_columns", "empty_node_columns")


def find_further_columns(engine: Engine, corpus: str, sentences: range | None = None) -> list[str]:
    """The names of columns with values in a range of sentences (None: in all), sorted."""
    within = "" if sentences is None else f" AND c.sentence BETWEEN {sentences.start} AND {sentences.stop - 1}"
    parts = [f"SELECT c.name FROM {table} AS c WHERE c.corpus = $corpus{within}" for table in TABLES]
    return [name for (name,) in engine.rows(" UNION ".join(parts) + " ORDER BY name", {"corpus": corpus})]


def warn_of_further_columns(engine: Engine, corpus: str) -> list[Diagnostic]:
    """A warning where a corpus has columns beyond those of CoNLL-U, which are not written."""
    names = find_further_columns(engine, corpus)
    if not names:
        return []
    columns = f"{len(names)} column{'s' if len(names) > 1 else ''} of the corpus"
    what = f"CoNLL-U has no place for {columns}: {first_names(names)}"
    return [Diagnostic.warning(corpus, 0, what, "write it as conllup or parquet to keep them")]
