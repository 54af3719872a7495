"""Columns and groups as they are asked for: keys of texts, the columns of concordances, keys of contexts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from treesql.engines import Engine
from treesql.errors import UsageError
from treesql.search.corpora import sentence_columns
from treesql.search.grew import contexts, parser
from treesql.search.grew.syntax import ContextKey, Key, Span
from treesql.search.grew.vocabulary import Vocabulary
from treesql.search.selection import Selection

NO_LIMIT = "the limit is a number of rows or drawings, at least 0"
"""What is wrong with a limit below 0."""


def as_texts(values: str | Sequence[str]) -> list[str]:
    """Return one text or several as a list."""
    return [values] if isinstance(values, str) else list(values)


def parse_keys(texts: str | Sequence[str]) -> list[Key]:
    """Return the keys of one text or several. Raises RequestError, UsageError."""
    written = [] if texts == "" else as_texts(texts)
    if not all(text.strip() for text in written):
        raise UsageError("a key is empty; write keys, with commas between, such as X.lemma, or leave them out")
    return [key for text in written for key in parser.parse_keys(text)]


def check_wanted(shown: Sequence[Key], groups: Sequence[Key], count: bool, kwic: int | None, limit: int | None) -> None:
    """Raise UsageError for outputs that exclude each other, or a limit that is none."""
    if bool(shown or kwic is not None) + bool(groups) + count > 1:
        raise UsageError(
            "columns (of matches or of a concordance), groups (by, whether) and the count exclude each other; "
            "choose one of them"
        )
    if limit is not None and limit < 0:
        raise UsageError(NO_LIMIT)


def with_sentence(keys: list[Key]) -> list[Key]:
    """Return the requested columns, preceded by the sentence's id unless it is among them."""
    return keys if any(key.name == "sent_id" for key in keys) else [*parser.parse_keys("sent_id"), *keys]


def concordance_columns(engine: Engine, shown: Sequence[Key], selection: Selection, words: int) -> list[Key]:
    """Return the sentence, the requested columns, and the words before, in and after the match."""
    if words < 0:
        raise UsageError(f"a concordance has words of context, not {words}; write kwic=0 or more")
    chosen = [key for key in shown if key.name not in contexts.SIDES]
    named = {key.name for key in chosen}
    sentence = [name for name in sentence_columns(engine, selection.corpora) if name not in named]
    return [
        *(parser.parse_keys(", ".join(sentence)) if sentence else ()),
        *chosen,
        *(Key(_side(name, words), name, name) for name in contexts.SIDES),
    ]


def parse_sort(sort: str | None, words: int) -> ContextKey | None:
    """Return the context that a concordance is sorted by. Raises UsageError."""
    if sort is not None and sort not in contexts.SIDES:
        raise UsageError(f"a concordance is not sorted by {sort!r}; choose one of {', '.join(contexts.SIDES)}")
    return None if sort is None else _side(sort, words)


def context_sides(engine: Engine, selection: Selection) -> Collection[str]:
    """Return the keys that are contexts: `text`, too, if a sentence has no such comment."""
    sides: tuple[str, ...] = contexts.SIDES
    if any(key.name == contexts.TEXT for key in selection.keys):
        among = Vocabulary(engine, selection.corpora)
        sides += (contexts.TEXT,) * among.has_sentence_without_text()
    return sides


def _side(name: str, words: int) -> ContextKey:
    return ContextKey(name, None if name == contexts.MATCH else words, None, Span(0, len(name)))
