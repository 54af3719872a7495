"""Tables -> Python Lattice Format, a lattice a line. What is read back has the same paths, words and scores.

Scores are log-likelihoods: costs are written with the other sign.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.catalog.kinds import LOG_LIKELIHOOD
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.writers.lattices import LINKS, split_phrases, without_final_scores, write_lattices

SUFFIXES = (".plf",)
KIND = "lattice"

_LINES = f"""
WITH {LINKS},
arcs AS (
    SELECT k.sentence, k.from_number,
           string_agg('(''' || coalesce(replace(replace(k.word, '\\', '\\\\'), '''', '\\'''), '*EPS*') || ''','
                      || array_to_string(list_append(list_transform(k.scores, lambda x: CAST(x AS VARCHAR)),
                                                     CAST(CAST(k.to_number - k.from_number AS BIGINT) AS VARCHAR)), ',')
                      || '),', '' ORDER BY k.edge, k.place) AS arcs
    FROM links AS k
    GROUP BY k.sentence, k.from_number
),
columns AS (
    SELECT l.sentence, v.number
    FROM (SELECT n.sentence, CAST(max(n.number) AS BIGINT) AS last_number FROM numbered AS n GROUP BY n.sentence) AS l,
         LATERAL (SELECT unnest(range(l.last_number)) AS number) AS v
)
SELECT string_agg('(' || coalesce(t.line, '') || ')' || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
LEFT JOIN (SELECT c.sentence, string_agg('(' || coalesce(a.arcs, '') || '),', '' ORDER BY c.number) AS line
           FROM columns AS c
           LEFT JOIN arcs AS a ON a.sentence = c.sentence AND a.from_number = c.number
           GROUP BY c.sentence) AS t ON t.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> list[Diagnostic]:
    """Write a range of the lattices of a corpus; returns warnings."""
    write_lattices(engine, corpus, sentences, out, _LINES, LOG_LIKELIHOOD)
    return [
        *split_phrases(engine, corpus, sentences),
        *without_final_scores(engine, corpus, sentences),
    ]
