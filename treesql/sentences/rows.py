"""The rows of a sentence, and the engine with its corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treesql.engines import Engine

EngineCorpus = tuple[Engine, str]
"""An engine, and the name of one of its corpora."""

Rows = tuple[Mapping[str, Any], ...]
"""Rows of one sentence in a table, in order."""


@dataclass(frozen=True, repr=False)
class SentenceRows:
    """The rows of a sentence.

    sentence: its number in the corpus, from 0; words, tokens, ...: its rows in the tables of these names. heads: its
    rows in the query head_children, or none.
    """

    corpus: str
    sentence: int
    sent_id: str | None
    text: str | None
    words: Rows
    tokens: Rows = ()
    empty_nodes: Rows = ()
    enhanced_edges: Rows = ()
    constituents: Rows = ()
    heads: Rows = ()
    lattice_edges: Rows = ()

    @property
    def name(self) -> str:
        """The sent_id of the sentence, or its number if it has none."""
        return self.sent_id if self.sent_id is not None else str(self.sentence)

    @property
    def place(self) -> str:
        """The sentence and its corpus, for messages."""
        return f"sentence {self.name!r} of {self.corpus}"

    @property
    def parsed(self) -> bool:
        """Whether the sentence has a dependency tree."""
        return any(word["head"] is not None for word in self.words)

    @property
    def surface(self) -> str:
        """The characters of the sentence as written, without white space."""
        inside = {at for token in self.tokens for at in range(token["first"], token["last"] + 1)}
        forms = [(token["first"], token["form"]) for token in self.tokens]
        forms += [(word["word"], word["form"]) for word in self.words if word["word"] not in inside]
        return "".join("".join(form.split()) for _, form in sorted(forms))
