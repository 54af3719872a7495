"""Lattices in SQL, for writers of all formats. Where edges have one word each, a phrase becomes a chain of edges.

Scores are negated where the format has costs and the corpus log-likelihoods, or the other way round.
"""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.writers.runs import check_sentences, runs

LATTICES_AT_ONCE = 500

# One row for every word of an edge, and for every edge without words: number in its lattice, both ends, and scores,
# which stand on the first. Nodes inside of a phrase come behind the node that it begins at. Both ends are joined by one
# key each: by sentence and node, DuckDB may join all nodes of a sentence with each other first.
LINKS = """
edges AS (
    SELECT e.sentence, e.edge, e.from_node, e.to_node, e.edge_words,
           CASE WHEN $turned THEN list_transform(e.scores, lambda x: 0 - x) ELSE e.scores END AS scores,
           greatest(len(e.edge_words) - 1, 0) AS inner
    FROM lattice_edges AS e
    WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last
),
growth AS (
    SELECT e.sentence, e.from_node, sum(e.inner) AS grown FROM edges AS e GROUP BY e.sentence, e.from_node
),
numbered AS (
    SELECT v.sentence, CAST(v.sentence AS BIGINT) * 4294967296 + v.node AS key,
           v.node - coalesce(g.grown, 0)
           + sum(coalesce(g.grown, 0)) OVER (PARTITION BY v.sentence ORDER BY v.node) AS number
    FROM (SELECT s.sentence, unnest(range(s.n_nodes)) AS node FROM lattices AS s
          WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last) AS v
    LEFT JOIN growth AS g ON g.sentence = v.sentence AND g.from_node = v.node
),
links AS (
    SELECT p.sentence, p.edge, p.place,
           CASE WHEN p.place <= 1 THEN p.start ELSE p.start + p.taken + p.place - 1 END AS from_number,
           CASE WHEN p.place > p.inner THEN p.stop ELSE p.start + p.taken + p.place END AS to_number,
           p.edge_words[p.place] AS word, CASE WHEN p.place = 1 THEN p.scores ELSE [] END AS scores
    FROM (SELECT e.sentence, e.edge, e.edge_words, e.scores, e.inner, a.number AS start, b.number AS stop,
                 sum(e.inner) OVER (PARTITION BY e.sentence, e.from_node ORDER BY e.edge) - e.inner AS taken,
                 unnest(range(1, e.inner + 2)) AS place
          FROM edges AS e
          JOIN numbered AS a ON a.key = CAST(e.sentence AS BIGINT) * 4294967296 + e.from_node
          JOIN numbered AS b ON b.key = CAST(e.sentence AS BIGINT) * 4294967296 + e.to_node) AS p
)
"""

_PHRASES = """
SELECT s.file, s.line, count(DISTINCT e.sentence) AS lattices
FROM lattice_edges AS e
JOIN sentences AS s ON s.corpus = e.corpus AND s.sentence = e.sentence
WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last AND len(e.edge_words) > 1
GROUP BY ALL ORDER BY s.line
"""


_FINAL_SCORES = """
SELECT s.file, min(s.line), count(*)
FROM lattices AS l
JOIN sentences AS s ON s.corpus = l.corpus AND s.sentence = l.sentence
WHERE l.corpus = $corpus AND l.sentence BETWEEN $first AND $last
  AND len(list_filter(l.final_scores, lambda x: x <> 0)) > 0
GROUP BY s.file ORDER BY s.file
"""


def write_lattices(
    engine: Engine,
    corpus: str,
    sentences: range,
    out: BinaryIO,
    text: str,
    sense: str,
    wrong: str | None = None,
) -> None:
    """Write a range of the lattices of a corpus.

    text: SQL for one text, of the lattices $first to $last of $corpus, scores with the other sign where $turned; sense:
    what the scores of the format are, of catalog.score_senses; wrong: SQL for lattices that cannot be written, with
    what and hint. Raises InvalidInput with the first of these.
    """
    turned = sense_of(engine, corpus) not in (sense, None)
    for first, last in runs(engine, corpus, sentences, LATTICES_AT_ONCE):
        values = {"corpus": corpus, "first": first, "last": last}
        if wrong:
            check_sentences(engine, wrong, values)
        table = engine.table(text, {**values, "turned": turned})
        made = table.column(0).combine_chunks().cast(pa.large_binary())
        out.write(made.buffers()[2])


def sense_of(engine: Engine, corpus: str) -> str | None:
    """What the scores of a corpus's edges are, of catalog.score_senses; None where that is not recorded."""
    [(sense,)] = engine.rows("SELECT score_sense FROM corpora WHERE corpus = $corpus", {"corpus": corpus})
    return None if sense is None else str(sense)


def without_final_scores(engine: Engine, corpus: str, sentences: range) -> list[Diagnostic]:
    """A warning where weights of final nodes cannot be written."""
    values = {"corpus": corpus, "first": sentences.start, "last": sentences.stop - 1}
    return [
        Diagnostic.warning(
            file, line, f"weights of the final nodes of {n} lattice{'s' if n > 1 else ''} are not written",
            "they are the same for all paths of a lattice; openfst and parquet keep them",
        )
        for file, line, n in engine.rows(_FINAL_SCORES, values)
    ]  # fmt: skip


def split_phrases(engine: Engine, corpus: str, sentences: range) -> list[Diagnostic]:
    """A warning where phrases of several words become chains of edges."""
    values = {"corpus": corpus, "first": sentences.start, "last": sentences.stop - 1}
    rows = engine.rows(_PHRASES, values)
    if not rows:
        return []
    n = sum(lattices for _, _, lattices in rows)
    what = f"phrases of {n} lattice{'s' if n > 1 else ''} are written word by word, with nodes in between"
    return [Diagnostic.warning(rows[0][0], rows[0][1], what, "n_nodes changes; jsonl and parquet keep phrases")]
