"""Sentences of tokens, and of words within multiword tokens, as CoNLL-U."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Word:
    """A line of CoNLL-U; edges are heads and relations, `1.1` being an empty node."""

    form: str
    head: int
    deprel: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    edges: Sequence[tuple[str, str]] = ()


@dataclass
class Token:
    """A token of the text; a multiword one has other words than itself."""

    form: str
    words: Sequence[Word]
    multiword: bool = False


Sentence = Sequence[Token]


def file_of(*sentences: Sentence) -> str:
    """The sentences as a file; a sentence with an edge from 1.1 gets that empty node behind its first word."""
    lines = []
    for sentence in sentences:
        position = 0
        words = [word for token in sentence for word in token.words]
        empty = any(head == "1.1" for word in words for head, _ in word.edges)
        for token in sentence:
            if token.multiword:
                lines.append(f"{position + 1}-{position + len(token.words)}\t{token.form}" + 8 * "\t_")
            for w in token.words:
                position += 1
                deps = "|".join(f"{head}:{relation}" for head, relation in w.edges) or "_"
                row = (position, w.form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.deprel, deps, "_")
                lines.append("\t".join(map(str, row)))
                if position == 1 and empty:
                    lines.append("1.1\tempty" + 6 * "\t_" + "\t1:conj>nsubj\t_")
        lines.append("")
    return "".join(line + "\n" for line in lines)
