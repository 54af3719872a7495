"""Tables -> CoNLL-U Plus, byte for byte what was read: the columns of the files in their order.

Columns that have got values since, or other files of the corpus have, stand behind them. A corpus of another format
has the columns of CoNLL-U.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.engines import Engine
from treesql.readers import STANDARD_COLUMNS, column_names_in
from treesql.readers.source import Source
from treesql.writers.runs import runs
from treesql.writers.ten_columns import find_further_columns, lines_sql, text_of

SUFFIXES = (".conllup", ".cupt")
KIND = "dependency"

SENTENCES_AT_ONCE = 20_000

_OTHER_COMMENTS = r" AND NOT regexp_matches(c.comment, '^#[ \t]*global\.columns[ \t]*=')"
"""The comments that do not name columns: in CoNLL-U the names of its own columns are one."""

_FILES = """
SELECT s.file FROM sentences AS s
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last GROUP BY s.file ORDER BY min(s.sentence)
"""
_FILLED = """
SELECT {columns} FROM (
    SELECT w.lemma, w.upos, w.xpos, w.feats, CAST(w.head AS VARCHAR) AS head, w.deprel, w.deps, w.misc
    FROM words AS w WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT t.lemma, t.upos, t.xpos, t.feats, NULL, NULL, NULL, t.misc
    FROM tokens AS t WHERE t.corpus = $corpus AND t.sentence BETWEEN $first AND $last
    UNION ALL
    SELECT e.lemma, e.upos, e.xpos, e.feats, NULL, NULL, e.deps, e.misc
    FROM empty_nodes AS e WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last
) AS r
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus."""
    line = _first_line(engine, corpus, sentences)
    out.write(f"{line}\n".encode())
    sql = lines_sql(columns=column_names_in(line) or STANDARD_COLUMNS, comments=_OTHER_COMMENTS)
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        out.write(text_of(engine, sql, {"corpus": corpus, "first": first, "last": last}))


def _first_line(engine: Engine, corpus: str, sentences: range) -> str:
    """The line with the columns of the files that sentences are of, each once, and of all others that have values."""
    first, *others = _lines_of_files(engine, corpus, sentences) or [f"# global.columns = {' '.join(STANDARD_COLUMNS)}"]
    names = list(column_names_in(first) or ())
    further = find_further_columns(engine, corpus, sentences)
    missing = [name for name in STANDARD_COLUMNS if name not in names]
    wanted = [
        *_filled(engine, corpus, sentences, missing),
        *(name for comment in others for name in column_names_in(comment) or ()),
    ]
    added = [name for name in dict.fromkeys([*wanted, *further]) if name not in names]
    return " ".join([first, *added])


def _lines_of_files(engine: Engine, corpus: str, sentences: range) -> list[str]:
    """The first lines of the files that sentences are of; none where these are not CoNLL-U Plus."""
    sql = "SELECT c.files, c.global_columns FROM corpora AS c WHERE c.corpus = $corpus"
    [(files, lines)] = engine.rows(sql, {"corpus": corpus})
    known = dict(zip((Source(file["path"]).name for file in files), lines or (), strict=False))
    values = {"corpus": corpus, "first": sentences.start, "last": sentences.stop - 1}
    return list(dict.fromkeys(known[file] for (file,) in engine.rows(_FILES, values) if file in known))


def _filled(engine: Engine, corpus: str, sentences: range, names: list[str]) -> list[str]:
    """The columns among these of CoNLL-U that have a value."""
    if not names:
        return []
    columns = ", ".join(f"count(r.{name.lower()})" for name in names)
    values = {"corpus": corpus, "first": sentences.start, "last": sentences.stop - 1}
    [counts] = engine.rows(_FILLED.format(columns=columns), values)
    return [name for name, n in zip(names, counts, strict=True) if n]
