"""Tables -> lattices as JSON lines: what is read back has the same rows, ids of sentences being strings.

Scores are log-likelihoods: costs are written with the other sign.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.catalog.kinds import LOG_LIKELIHOOD
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.writers.lattices import without_final_scores, write_lattices

SUFFIXES = (".jsonl",)
KIND = "lattice"

_LINES = """
SELECT string_agg('{' || CASE WHEN s.sent_id IS NULL THEN '' ELSE '"id": ' || to_json(s.sent_id) || ', ' END
                  || '"n_nodes": ' || l.n_nodes || ', "edges": [' || coalesce(e.edges, '') || ']}' || chr(10), ''
                  ORDER BY s.sentence)
FROM sentences AS s
JOIN lattices AS l ON l.corpus = s.corpus AND l.sentence = s.sentence
LEFT JOIN (SELECT x.sentence,
                  string_agg('[' || x.from_node || ', ' || x.to_node || ', ' || CAST(to_json(x.edge_words) AS VARCHAR)
                             || array_to_string(list_transform(x.scores, lambda y:
                                   ', ' || CAST(CASE WHEN $turned THEN 0 - y ELSE y END AS VARCHAR)), '')
                             || ']', ', ' ORDER BY x.edge) AS edges
           FROM lattice_edges AS x
           WHERE x.corpus = $corpus AND x.sentence BETWEEN $first AND $last
           GROUP BY x.sentence) AS e ON e.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> list[Diagnostic]:
    """Write a range of the lattices of a corpus; returns warnings."""
    write_lattices(engine, corpus, sentences, out, _LINES, LOG_LIKELIHOOD)
    return without_final_scores(engine, corpus, sentences)
