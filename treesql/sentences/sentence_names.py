"""Names of sentences: the sent_id, or the number in the corpus with a `#` before it, which no sent_id can hide; the
rows of a sentence, and the engine with its corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treesql.catalog.schemas import literal
from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError

_NUMBER = re.compile(r"#([0-9]{1,9})")

_MAX_CANDIDATES = 21
"""Maximum number of similar names that may be suggested."""

_WITH_WORDS = "s.corpus NOT IN (SELECT c.corpus FROM corpora AS c WHERE c.kind IN ('alignment', 'lattice', 'nbest'))"


def _searched(corpora: Sequence[str] | None, except_for: str | None) -> str:
    """Return the condition on the sentences that are searched: of one corpus, or of several and those with words."""
    conditions = [] if corpora is not None and len(corpora) == 1 else [_WITH_WORDS]
    if corpora is not None:
        conditions.append(f"s.corpus IN ({', '.join(map(literal, corpora))})")
    if except_for is not None:
        conditions.append(f"s.corpus <> {literal(except_for)}")
    return " AND ".join(conditions)


def number_name(number: int) -> str:
    """Return the name that a sentence has by its number: `#2`."""
    return f"#{number}"


def locate(
    engine: Engine,
    name: str | int,
    corpora: Sequence[str] | None = None,
    except_for: str | None = None,
    what: str = "sentence",
) -> tuple[str, int]:
    """Return the corpus and the number of the sentence of a name.

    2 and `#2` are the number 2, from 0; other texts are sent_ids, and digits that are no sent_id are a number, too.
    corpora: those to search, None for all; without `except_for`. what: the sentence is, in messages. Raises UnknownName
    if there is no sentence of this name, UsageError if there are several.
    """
    name = number_name(name) if isinstance(name, int) else name
    searched = _searched(corpora, except_for)
    sql = f"SELECT s.corpus, s.sentence FROM sentences AS s WHERE {searched} AND "
    number = _NUMBER.fullmatch(name)
    rows = [] if number else engine.rows(sql + "s.sent_id = $name", {"name": name})
    plain = number[1] if number else name
    if not rows and plain.isascii() and plain.isdigit() and len(plain) < 10:
        rows = engine.rows(sql + "s.sentence = $name", {"name": int(plain)})
    if not rows:
        raise _unknown_name(engine, name, searched, what)
    having = sorted({corpus_name for corpus_name, _ in rows})
    if len(having) > 1:
        raise UsageError(
            f"{what} {name!r} occurs in several corpora: {', '.join(having)}; choose one with --corpus NAME"
        )
    if len(rows) > 1:
        numbers = ", ".join(repr(number_name(at)) for _, at in sorted(rows))
        raise UsageError(f"{having[0]} has several {what}s {name!r}; name one of them by its number: {numbers}")
    return str(rows[0][0]), int(rows[0][1])


def names_of(engine: Engine, corpus: str, numbers: Iterable[int]) -> dict[int, str]:
    """Return, by number, the names that lead to sentences: the sent_id, or `#2` of those whose sent_id does not."""
    number_list = ", ".join(str(int(number)) for number in numbers)
    if not number_list:
        return {}
    rows = engine.rows(
        f"SELECT s.sentence, s.sent_id FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id IN "
        f"(SELECT o.sent_id FROM sentences AS o WHERE o.corpus = $corpus AND o.sentence IN ({number_list}))",
        {"corpus": corpus},
    )
    places: dict[str, list[int]] = {}
    for number, sent_id in rows:
        places.setdefault(sent_id, []).append(number)
    unique = {
        numbered[0]: name for name, numbered in places.items() if len(numbered) == 1 and not _NUMBER.fullmatch(name)
    }
    return {int(number): unique.get(int(number), number_name(int(number))) for number in number_list.split(", ")}


def _unknown_name(engine: Engine, name: str, searched: str, what: str) -> UnknownName | UsageError:
    """Return the error of a name that no sentence has; it suggests the nearest sent_ids, or says what numbers are."""
    sql = (
        f"SELECT DISTINCT s.sent_id, jaro_winkler_similarity(s.sent_id, $name) AS similarity "
        f"FROM sentences AS s WHERE {searched} AND s.sent_id IS NOT NULL ORDER BY similarity DESC, s.sent_id "
        f"LIMIT {_MAX_CANDIDATES}"
    )
    near = [sent_id for sent_id, _ in engine.rows(sql, {"name": name})]
    numbered = bool(_NUMBER.fullmatch(name)) or (name.isdecimal() and not any(sent_id.isdecimal() for sent_id in near))
    if near and not numbered:
        return UnknownName(what, name, near)
    [(last,)] = engine.rows(f"SELECT max(s.sentence) FROM sentences AS s WHERE {searched}")
    if last is None:
        return UsageError(f"unknown {what} {name!r}; there is none")
    advice = f"name one by its sent_id, such as {near[0]}, or" if near else "they have no sent_id, name one"
    numbers = f"{number_name(0)!r} to {number_name(last)!r}"
    return UsageError(f"unknown {what} {name!r}; {advice} by its number, {numbers}")


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
