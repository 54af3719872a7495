"""Tables of several requests, as SQL: a row per request and corpus, or groups with the request as their first key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treesql.catalog.schemas import literal

REQUEST = "request"
"""The column with the name of a request, the first key of groups."""


def union_statement(statements: Mapping[str, str]) -> str:
    """Return one statement of the rows of all requests, the name of the request first. statements: by this name."""
    parts = (f"SELECT {literal(name)}, m.*\nFROM (\n{sql}\n) AS m" for name, sql in statements.items())
    return "\nUNION ALL\n".join(parts)


def summary_statement(
    statements: Mapping[str, str], corpora: Sequence[str], reference: Sequence[str], limit: int | None
) -> str:
    """Return the statement of a row per request and corpus: matches, sentences with matches, rate per million words.

    With a reference also keyness, of each other corpus against all corpora of the reference together. statements: by
    name of the request, the counts of matches by corpus and sentence. corpora: in the order of the rows.
    """
    names = ", ".join(f"({number}, {literal(name)})" for number, name in enumerate(statements, 1))
    places = ", ".join(f"({number}, {literal(name)})" for number, name in enumerate(corpora, 1))
    counts = f"""\
SELECT r.place AS request_place, r.request, p.place AS corpus_place, p.corpus, c.n_words AS words,
       CAST(coalesce(sum(m.count), 0) AS BIGINT) AS matches, count(m.sentence) AS sentences
FROM (VALUES {names}) AS r(place, request)
CROSS JOIN (VALUES {places}) AS p(place, corpus)
JOIN corpora AS c ON c.corpus = p.corpus
LEFT JOIN (
{union_statement(statements)}
) AS m(request, corpus, sentence, count) ON m.request = r.request AND m.corpus = p.corpus
GROUP BY r.place, r.request, p.place, p.corpus, c.n_words"""
    columns = "n.request, n.corpus, n.matches, n.sentences, per_million(n.matches, n.words) AS per_million"
    order = "ORDER BY n.request_place, n.corpus_place" + ("" if limit is None else f"\nLIMIT {limit}")
    if not reference:
        return f"SELECT {columns}\nFROM (\n{counts}\n) AS n\n{order}"
    is_reference = f"n.corpus IN ({', '.join(map(literal, reference))})"
    compared = "n.matches, n.words, o.matches, o.words"
    return f"""\
WITH counts AS (
{counts}
)
SELECT {columns},
       CASE WHEN {is_reference} THEN NULL ELSE keyness({compared}) END AS g2,
       CASE WHEN {is_reference} THEN NULL ELSE log_ratio({compared}) END AS log_ratio
FROM counts AS n
JOIN (SELECT n.request_place, CAST(sum(n.matches) AS BIGINT) AS matches, CAST(sum(n.words) AS BIGINT) AS words
      FROM counts AS n
      WHERE {is_reference}
      GROUP BY n.request_place) AS o ON o.request_place = n.request_place
{order}"""
