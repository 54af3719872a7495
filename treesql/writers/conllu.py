"""Tables -> CoNLL-U, byte for byte what was read; of constituency trees, the dependencies by head rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from treesql import catalog
from treesql.catalog import kinds
from treesql.engines import Engine
from treesql.errors import Diagnostic, UnknownName, not_applicable
from treesql.writers.runs import check_sentences, runs
from treesql.writers.ten_columns import CHOSEN, lines_sql, text_of, warn_of_further_columns

SUFFIXES = (".conllu",)
KIND = "dependency"
ALSO_WRITES = ("constituency",)
OPTIONS = ("head_rules",)

SENTENCES_AT_ONCE = 20_000


def write(
    engine: Engine, corpus: str, sentences: range, out: BinaryIO, head_rules: str | None = None
) -> list[Diagnostic]:
    """Write a range of the sentences of a corpus; returns a warning about columns that CoNLL-U does not have.

    head_rules: as for write_head_dependencies, of constituency trees. Raises UsageError where these are none.
    """
    [(kind,)] = engine.rows("SELECT c.kind FROM corpora AS c WHERE c.corpus = $corpus", {"corpus": corpus})
    if kind in ALSO_WRITES:
        write_head_dependencies(engine, corpus, sentences, out, head_rules)
        return []
    if head_rules is not None:
        raise not_applicable(["--head-rules"], "dependency trees, which have their own heads")
    for first, last in runs(engine, corpus, sentences, SENTENCES_AT_ONCE):
        out.write(text_of(engine, lines_sql(), {"corpus": corpus, "first": first, "last": last}))
    return warn_of_further_columns(engine, corpus)


def write_chosen(engine: Engine, corpus: str, sentences: Sequence[int], out: BinaryIO) -> None:
    """Write some sentences of a corpus."""
    for at in range(0, len(sentences), SENTENCES_AT_ONCE):
        values = {"corpus": corpus, "sentences": list(sentences[at : at + SENTENCES_AT_ONCE])}
        out.write(text_of(engine, lines_sql(CHOSEN), values))


TREES_AT_ONCE = 10_000

_WITHOUT_WORDS = """
SELECT s.sentence, 'the sentence has no words, or traces alone, which CoNLL-U cannot express' AS what,
       'drop it from all corpora that are compared' AS hint
FROM sentences AS s
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
  AND NOT EXISTS (SELECT 1 FROM words AS w
                  WHERE w.corpus = s.corpus AND w.sentence = s.sentence AND w.xpos IS DISTINCT FROM '-NONE-')
"""

_LINES = """
SELECT string_agg(l.line, chr(10) ORDER BY l.sentence, l.position) || chr(10)
FROM (
    SELECT s.sentence, 0 AS position, '# sent_id = ' || s.sent_id AS line
    FROM sentences AS s
    WHERE s.corpus = $tree_corpus AND s.sentence BETWEEN $first_sentence AND $last_sentence AND s.sent_id IS NOT NULL
    UNION ALL
    SELECT w.sentence, d.position,
           concat_ws(chr(9), d.position, w.form, coalesce(w.lemma, '_'), coalesce(w.upos, '_'), coalesce(w.xpos, '_'),
                     coalesce(w.feats, '_'), d.head, d.relation, '_', coalesce(w.misc, '_'))
    FROM words AS w
    JOIN ({dependencies}) AS d ON d.sentence = w.sentence AND d.word = w.word
    WHERE w.corpus = $tree_corpus AND w.sentence BETWEEN $first_sentence AND $last_sentence
    UNION ALL
    SELECT s.sentence, s.n_words + 1, ''
    FROM sentences AS s
    WHERE s.corpus = $tree_corpus AND s.sentence BETWEEN $first_sentence AND $last_sentence
) AS l
"""


def write_head_dependencies(
    engine: Engine, corpus: str, sentences: range, out: BinaryIO, head_rules: str | None = None
) -> None:
    """Write a range of the sentences of a constituency corpus as dependencies.

    head_rules: a set of the table head_rules; None for that of the format that the corpus was read in. Raises
    UnknownName, and InvalidInput for a sentence without words.
    """
    rules = head_rules or _rules_of(engine, corpus)
    known = [name for (name,) in engine.rows("SELECT DISTINCT h.rule_set FROM head_rules AS h ORDER BY h.rule_set")]
    if rules not in known:
        raise UnknownName("set of head rules", rules, known)
    sql = _LINES.format(dependencies=catalog.query("word_dependencies").statement.sql)
    for first, last in runs(engine, corpus, sentences, TREES_AT_ONCE):
        check_sentences(engine, _WITHOUT_WORDS, {"corpus": corpus, "first": first, "last": last})
        values = {"tree_corpus": corpus, "head_rules": rules, "first_sentence": first, "last_sentence": last}
        out.write(text_of(engine, sql, values))


def _rules_of(engine: Engine, corpus: str) -> str:
    [(form,)] = engine.rows("SELECT c.format FROM corpora AS c WHERE c.corpus = $corpus", {"corpus": corpus})
    return kinds.head_rules_of(form)
