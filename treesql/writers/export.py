"""Tables -> NEGRA's export format, a line per word and phrase: what is read back has the same rows.

Phrases are numbered from 500 in postorder. The head of the file, comments and the lines `#BOS` are written as they were
read, the fields with one tab between them.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import pyarrow as pa

from treesql.engines import Engine
from treesql.kernels.arrays import Ints
from treesql.runtime.arrays import compute as pc
from treesql.runtime.arrays import integers
from treesql.writers.phrase_rows import (
    SENTENCES_AT_ONCE,
    PhraseRows,
    concatenated,
    joined,
    merged,
    read_rows,
    texts,
    unsigned_functions,
    word_functions,
)
from treesql.writers.runs import check_sentences, runs

SUFFIXES = (".export",)
KIND = "constituency"

FIRST_PHRASE, MAX_PHRASES = 500, 500
"""Number of the first phrase of a sentence, and maximum number of phrases: numbers have three digits."""

MAX_SECONDARY = 29
"""Maximum number of secondary edges of a word or phrase, as they are read."""

_HEAD = "#FORMAT 4\n%% word\tlemma\ttag\tmorph\tedge\tparent\n"

_BAD = "'[ \\x00-\\x1f]|^--$|^$'"
_WRONG = f"""
SELECT w.sentence, 'word ' || w.word || ' has a blank, or the mark of open values, in a field' AS what,
       'write the corpus as tigerxml' AS hint
FROM words AS w
WHERE w.corpus = $corpus AND w.sentence BETWEEN $first AND $last
  AND (regexp_matches(w.form, '[ \\x00-\\x1f]|^$') OR w.form LIKE '%\\%\\%%' ESCAPE '\\'
       OR regexp_matches(w.form, '^#([5-9][0-9][0-9]$|(BOS|EOS)$)')
       OR regexp_matches(coalesce(w.lemma, 'x'), {_BAD}) OR coalesce(w.lemma, '') LIKE '\\%\\%%' ESCAPE '\\'
       OR regexp_matches(coalesce(w.xpos, 'x'), {_BAD}) OR coalesce(w.xpos, '') LIKE '\\%\\%%' ESCAPE '\\'
       OR regexp_matches(coalesce(w.feats, 'x'), {_BAD}) OR coalesce(w.feats, '') LIKE '\\%\\%%' ESCAPE '\\'
       OR regexp_matches(coalesce(w.misc, 'x'), '[ \\x00-\\x1f]|^Function=(--|%%.*)?$'))
UNION ALL
SELECT c.sentence, 'phrase ' || c.node || ' has the label `' || coalesce(c.label, '') || coalesce(c.functions, '')
           || '`, which a field cannot hold', 'write the corpus as tigerxml'
FROM constituents AS c
WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
  AND (regexp_matches(coalesce(c.label, 'x'), {_BAD}) OR coalesce(c.label, '') LIKE '\\%\\%%' ESCAPE '\\'
       OR regexp_matches(coalesce(c.functions, '-x'), '[ \\x00-\\x1f]|^(---?|-%%.*)?$|^[^-=]|^-='))
UNION ALL
SELECT c.sentence, count(*) || ' phrases, where ' || {MAX_PHRASES} || ' can have numbers',
       'write the corpus as discbracket or tigerxml'
FROM constituents AS c WHERE c.corpus = $corpus AND c.sentence BETWEEN $first AND $last
GROUP BY c.sentence HAVING count(*) > {MAX_PHRASES}
UNION ALL
SELECT e.sentence, count(*) || ' secondary edges of one word or phrase', 'write the corpus as tigerxml'
FROM secondary_edges AS e WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last
GROUP BY e.sentence, e.word, e.node
HAVING count(*) > {MAX_SECONDARY}
       OR max(CASE WHEN regexp_matches(coalesce(e.label, 'x'), {_BAD})
                     OR coalesce(e.label, '') LIKE '\\%\\%%' ESCAPE '\\'
               THEN 1 ELSE 0 END) = 1
UNION ALL
SELECT s.sentence, 'a comment or the id has a line break or a blank in it', 'take it out'
FROM sentences AS s
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
  AND (regexp_matches(array_to_string(s.comments, ''), '[\\x00-\\x08\\x0a-\\x1f]')
       OR regexp_matches(coalesce(s.sent_id, 'x'), '[ \\x00-\\x1f]|^$|^%%'))
"""
_COUNT_IF_EXPORT = "SELECT count(*) FROM corpora AS c WHERE c.corpus = $corpus AND c.format = 'export'"
_LEMMAS = "SELECT count(w.lemma) FROM words AS w WHERE w.corpus = $corpus"


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> None:
    """Write a range of the sentences of a corpus. Raises InvalidInput where a tree cannot be written so."""
    [(is_export,)], [(lemmas,)] = (engine.rows(sql, {"corpus": corpus}) for sql in (_COUNT_IF_EXPORT, _LEMMAS))
    version = 0
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        check_sentences(engine, _WRONG, values)
        rows = read_rows(engine, values)
        heads = [_head(sentence, bool(is_export), at == 0 and not version) for at, sentence in enumerate(_ids(rows))]
        if not version:
            version = 4 if not is_export or lemmas or "#FORMAT 4\n" in heads[0] else 3
            if version == 4 and "#FORMAT 4\n" not in heads[0]:
                heads[0] = "#FORMAT 4\n" + heads[0].replace("#FORMAT 3\n", "")
        out.write("".join(_sentences(rows, heads, version).to_pylist()).encode())


def _ids(rows: PhraseRows) -> list[tuple[str, list[str]]]:
    """The id and the comments of every sentence."""
    columns = rows.sentences.select(["sentence", "sent_id", "comments"]).to_pylist()
    return [(row["sent_id"] or str(row["sentence"] + 1), row["comments"]) for row in columns]


def _head(sentence: tuple[str, list[str]], is_export: bool, first: bool) -> str:
    """What stands above the words of a sentence. is_export: whether its comments are those of the format."""
    number, comments = sentence
    lines = [line for line in comments if is_export and (first or not line.startswith("#FORMAT"))]
    bos = next((line for line in lines if line.split()[:2] == ["#BOS", number]), f"#BOS {number} 0 0 0")
    lines = [line for line in lines if not line.startswith("#BOS")]
    head = _HEAD if first and not is_export else ""
    return head + "".join(f"{line}\n" for line in [*lines, bos])


def _sentences(rows: PhraseRows, heads: list[str], version: int) -> pa.Array:
    """The lines of every sentence."""
    words, phrases, n = rows.words, rows.phrases, rows.sentences.num_rows
    numbers = FIRST_PHRASE + rows.numbered.postorder
    word_lines = concatenated(
        texts(words["form"]), _open(texts(words["lemma"])) if version == 4 else "", _open(texts(words["xpos"])),
        _open(texts(words["feats"])), _open(word_functions(rows)), _parents(rows, words, "phrase", numbers),
        _secondary(rows, words, "word", rows.leaf_offsets, numbers), "\n",
    )  # fmt: skip
    phrase_lines = concatenated(
        "#", _text(numbers), "\t--" if version == 4 else "", _open(texts(phrases["label"])), "\t--",
        _open(unsigned_functions(phrases)), _parents(rows, phrases, "parent", numbers),
        _secondary(rows, phrases, "node", rows.node_offsets, numbers), "\n",
    )  # fmt: skip
    order = np.lexsort((numbers, rows.place_of(phrases)))
    ends = pa.array([f"#EOS {number}\n" for number, _ in _ids(rows)], pa.large_string())
    each = np.arange(n)
    return merged(
        [
            (each, pa.array(heads, pa.large_string())), (rows.place_of(words), word_lines),
            (rows.place_of(phrases)[order], phrase_lines.take(pa.array(order))), (each, ends),
        ],
        n,
    )  # fmt: skip


def _text(values: Ints) -> pa.Array:
    return pa.array(values).cast(pa.large_string())


def _open(values: pa.Array) -> pa.Array:
    """A field behind a tab, `--` where it is open."""
    return concatenated("\t", pc.fill_null(values, "--"))


def _numbers(rows: PhraseRows, table: pa.Table, column: str, numbers: Ints) -> Ints:
    """The numbers of phrases that a column names by node, 0 for the root."""
    node = integers(table[column])
    place = rows.node_offsets[rows.place_of(table)] + node - 1
    return np.where(node > 0, np.append(numbers, 0)[np.where(node > 0, place, 0)], 0)


def _parents(rows: PhraseRows, table: pa.Table, column: str, numbers: Ints) -> pa.Array:
    return concatenated("\t", _text(_numbers(rows, table, column, numbers)))


def _secondary(rows: PhraseRows, table: pa.Table, column: str, offsets: Ints, numbers: Ints) -> pa.Array | str:
    """The label and parent of every secondary edge of words or phrases, behind tabs."""
    edges = rows.edges.filter(pc.greater(rows.edges[column], 0))
    if not edges.num_rows:
        return ""
    owner = offsets[rows.place_of(edges)] + integers(edges[column]) - 1
    fields = concatenated(_open(texts(edges["label"])), _parents(rows, edges, "parent", numbers))
    counts = np.bincount(owner, minlength=table.num_rows)
    return joined(fields, np.concatenate([[0], np.cumsum(counts)]))
