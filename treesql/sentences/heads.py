"""The heads of phrases, by head rules."""

from __future__ import annotations

from dataclasses import replace

from treesql import catalog
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError
from treesql.sentences.sentence import Sentence


def with_heads(engine: Engine, sentence: Sentence, head_rules: str) -> Sentence:
    """Return a sentence whose drawings show the head of every phrase, by a set of the table `head_rules`.

    Raises UnknownName, UsageError where the sentence has no phrases.
    """
    known = [name for (name,) in engine.rows("SELECT DISTINCT h.rule_set FROM head_rules AS h ORDER BY h.rule_set")]
    if head_rules not in known:
        raise UnknownName("set of head rules", head_rules, known)
    if not sentence.constituents:
        raise UsageError(f"--head-rules is for phrases, and {sentence.place} has none; leave it out")
    values = {
        "tree_corpus": sentence.corpus,
        "head_rules": head_rules,
        "first_sentence": sentence.sentence,
        "last_sentence": sentence.sentence,
    }
    sql = f"SELECT h.node, h.child_node, h.child_word FROM ({catalog.query('head_children').statement.sql}) AS h"
    return replace(sentence, heads=tuple(engine.table(sql, values).to_pylist()))
