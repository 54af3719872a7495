"""Comments of sentences: how their keys are written, and the documents and paragraphs that some of them mark."""

from __future__ import annotations

from collections.abc import Sequence

from treesql.errors import UnknownName

COMMENT_PREFIX = "meta."
"""What the key of a comment is written behind, as in Grew: `meta.speaker`, `meta."text[phon]"`."""

MAX_COMMENTS = 5
"""Maximum number of keys of comments that an error lists."""

KEYS_WITH_COLUMNS = ("sent_id", "text")
"""Keys of comments that are columns of sentences."""

DOCUMENT_IDS = {"newdoc id": "newdoc", "newpar id": "newpar"}
"""Keys of comments whose values hold to the next mark, with the marks."""

MARKS = ("newdoc", "newpar")
"""Columns of sentences that mark where a document or paragraph begins; a new document also ends a paragraph."""


def comment_key(text: str) -> str | None:
    """Return the key of a comment that is written `meta.KEY` or `meta."KEY"`, None for another name."""
    if not text.startswith(COMMENT_PREFIX):
        return None
    key = text.removeprefix(COMMENT_PREFIX)
    return key[1:-1] if len(key) > 1 and key[0] == key[-1] == '"' else key


def written_comment(key: str) -> str:
    """Return the key of a comment as it is written in requests and groups."""
    return f"{COMMENT_PREFIX}{key}" if key.isidentifier() else f'{COMMENT_PREFIX}"{key}"'


def unknown_comment(key: str, known: Sequence[str]) -> UnknownName:
    """Return the error of a key that no comment has; it says how keys are written, and which are the most frequent.

    known: all keys, those that most sentences have first.
    """
    written = ", ".join(map(written_comment, known[:MAX_COMMENTS]))
    return UnknownName("comment", key, known, f"most sentences have {written}" if known else "")


def comment_keys(condition: str) -> str:
    """SQL for the keys of comments `c` that meet a condition, those that most sentences have first."""
    return f"SELECT c.key FROM comments AS c WHERE {condition} GROUP BY c.key ORDER BY count(*) DESC, c.key"


def reaching(mark: str, corpus: str) -> str:
    """SQL for the documents (`newdoc`) or paragraphs (`newpar`) of a corpus: sentence, number, name.

    corpus: SQL for its name. A document reaches to the next mark, and so does a paragraph, or to the next document. A
    mark that repeats the id of what it stands in begins nothing: some treebanks mark every sentence. number: counted
    from 1; 0 in front of the first mark. name: the id of the mark, `#` and the number where it has none, of equal
    length; NULL where no mark is, in front of the first or between a document's beginning and its first paragraph.
    """
    sql = f"SELECT l.sentence, {_columns('l')}, 0 AS number\nFROM sentences AS l\nWHERE l.corpus = {corpus}"
    for column in MARKS[: 1 + MARKS.index(mark)]:
        sql = _numbered(sql, column)
    first = f"first_value(n.{mark}) OVER (PARTITION BY n.number ORDER BY n.sentence)"
    width = "CAST(length(CAST(max(n.number) OVER () AS VARCHAR)) AS INTEGER)"
    numbered = f"'#' || lpad(CAST(n.number AS VARCHAR), {width}, '0')"
    return (
        f"SELECT n.sentence, n.number, CASE WHEN {first} = '' THEN {numbered}\n  ELSE {first} END AS name\n"
        f"FROM (\n{sql}\n) AS n"
    )


def _numbered(sql: str, mark: str) -> str:
    """SQL that numbers what a mark begins within the units that are numbered already."""
    inside = "OVER (PARTITION BY o.number ORDER BY o.sentence"
    return (
        f"SELECT b.sentence, {_columns('b')}, CAST(sum(CASE WHEN b.outer_begins OR b.{mark} = ''\n"
        f"  OR (b.{mark} IS NOT NULL AND b.{mark} IS DISTINCT FROM b.before) THEN 1 ELSE 0 END)\n"
        "  OVER (ORDER BY b.sentence) AS BIGINT) AS number\n"
        f"FROM (SELECT o.sentence, {_columns('o')}, o.number > 0 AND row_number() {inside}) = 1 AS outer_begins,\n"
        f"  last_value(o.{mark} IGNORE NULLS) {inside} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before\n"
        f"FROM (\n{sql}\n) AS o) AS b"
    )


def _columns(alias: str) -> str:
    return ", ".join(f"{alias}.{mark}" for mark in MARKS)
