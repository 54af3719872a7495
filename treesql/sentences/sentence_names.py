"""Names of sentences: the sent_id, or the number in the corpus with a `#` before it, which no sent_id can hide."""

from __future__ import annotations

import re
from collections.abc import Iterable

from treesql.engines import Engine
from treesql.errors import UnknownName, UsageError

_NUMBER = re.compile(r"#([0-9]{1,9})")

_MAX_CANDIDATES = 21
"""Maximum number of similar names that may be suggested."""

_SEARCHED = (
    "(s.corpus = $corpus OR CAST($corpus AS VARCHAR) IS NULL AND s.corpus NOT IN "
    "(SELECT c.corpus FROM corpora AS c WHERE c.kind IN ('alignment', 'lattice', 'nbest'))) "
    "AND (CAST($except_for AS VARCHAR) IS NULL OR s.corpus <> $except_for)"
)


def number_name(number: int) -> str:
    """Return the name that a sentence has by its number: `#2`."""
    return f"#{number}"


def locate(
    engine: Engine, name: str | int, corpus: str | None = None, except_for: str | None = None, what: str = "sentence"
) -> tuple[str, int]:
    """Return the corpus and the number of the sentence of a name.

    2 and `#2` are the number 2, from 0; other texts are sent_ids, and digits that are no sent_id are a number, too.
    corpus: the one to search; None for all but `except_for`. what: the sentence is, in messages. Raises UnknownName if
    there is no sentence of this name, UsageError if there are several.
    """
    name = number_name(name) if isinstance(name, int) else name
    searched: dict[str, str | None] = {"corpus": corpus, "except_for": except_for}
    sql = f"SELECT s.corpus, s.sentence FROM sentences AS s WHERE {_SEARCHED} AND "
    number = _NUMBER.fullmatch(name)
    rows = [] if number else engine.rows(sql + "s.sent_id = $name", {**searched, "name": name})
    plain = number[1] if number else name
    if not rows and plain.isascii() and plain.isdigit() and len(plain) < 10:
        rows = engine.rows(sql + "s.sentence = $name", {**searched, "name": int(plain)})
    if not rows:
        raise _unknown_name(engine, name, searched, what)
    corpora = sorted({corpus_name for corpus_name, _ in rows})
    if len(corpora) > 1:
        raise UsageError(
            f"{what} {name!r} occurs in several corpora: {', '.join(corpora)}; choose one with --corpus NAME"
        )
    if len(rows) > 1:
        numbers = ", ".join(repr(number_name(at)) for _, at in sorted(rows))
        raise UsageError(f"{corpora[0]} has several {what}s {name!r}; name one of them by its number: {numbers}")
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


def _unknown_name(engine: Engine, name: str, searched: dict[str, str | None], what: str) -> UnknownName | UsageError:
    """Return the error of a name that no sentence has; it suggests the nearest sent_ids, or says what numbers are."""
    sql = (
        f"SELECT DISTINCT s.sent_id, jaro_winkler_similarity(s.sent_id, $name) AS similarity "
        f"FROM sentences AS s WHERE {_SEARCHED} AND s.sent_id IS NOT NULL ORDER BY similarity DESC, s.sent_id "
        f"LIMIT {_MAX_CANDIDATES}"
    )
    near = [sent_id for sent_id, _ in engine.rows(sql, {**searched, "name": name})]
    numbered = bool(_NUMBER.fullmatch(name)) or (name.isdecimal() and not any(sent_id.isdecimal() for sent_id in near))
    if near and not numbered:
        return UnknownName(what, name, near)
    [(last,)] = engine.rows(f"SELECT max(s.sentence) FROM sentences AS s WHERE {_SEARCHED}", searched)
    if last is None:
        return UsageError(f"unknown {what} {name!r}; there is none")
    advice = f"name one by its sent_id, such as {near[0]}, or" if near else "they have no sent_id, name one"
    numbers = f"{number_name(0)!r} to {number_name(last)!r}"
    return UsageError(f"unknown {what} {name!r}; {advice} by its number, {numbers}")
