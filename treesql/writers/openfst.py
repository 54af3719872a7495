"""Tables -> transducers as OpenFst's fstcompile reads them, with symbols for labels, and a blank line behind each.

Weights are costs: the shortest path is the best one. Log-likelihoods are written with the other sign, and of several
scores of an edge their sum, as Kaldi adds graph and acoustic cost where one weight is wanted (lattice-to-fst). A cost
of 0 is left out, as fstprint leaves out the weight One.
"""

from __future__ import annotations

from typing import BinaryIO

from treesql.catalog.kinds import COST
from treesql.engines import Engine
from treesql.errors import Diagnostic
from treesql.writers.lattices import LINKS, split_phrases, write_lattices

SUFFIXES = (".fst.txt", ".att")
KIND = "lattice"

_WRONG = r"""
SELECT x.sentence, '`' || x.form || '` cannot be a symbol' AS what, 'write the corpus as plf or jsonl' AS hint
FROM lattice_words AS x
WHERE x.corpus = $corpus AND x.sentence BETWEEN $first AND $last
  AND (regexp_matches(x.form, '\s') OR x.form IN ('<eps>', '<epsilon>'))
"""

_LINES = f"""
WITH {LINKS}
SELECT string_agg(coalesce(t.arcs, '') || n.last_number
                  || coalesce(chr(9) || CAST(nullif(CASE WHEN $turned THEN 0 - list_sum(l.final_scores)
                                                         ELSE list_sum(l.final_scores) END, 0) AS VARCHAR), '')
                  || chr(10) || chr(10), '' ORDER BY s.sentence)
FROM sentences AS s
JOIN lattices AS l ON l.corpus = s.corpus AND l.sentence = s.sentence
JOIN (SELECT n.sentence, CAST(CAST(max(n.number) AS BIGINT) AS VARCHAR) AS last_number
      FROM numbered AS n GROUP BY n.sentence) AS n ON n.sentence = s.sentence
LEFT JOIN (SELECT k.sentence,
                  string_agg(CAST(k.from_number AS BIGINT) || chr(9) || CAST(k.to_number AS BIGINT) || chr(9)
                             || coalesce(k.word, '<eps>') || chr(9) || coalesce(k.word, '<eps>')
                             || coalesce(chr(9) || CAST(nullif(list_sum(k.scores), 0) AS VARCHAR), '') || chr(10), ''
                             ORDER BY k.from_number, k.edge, k.place) AS arcs
           FROM links AS k
           GROUP BY k.sentence) AS t ON t.sentence = s.sentence
WHERE s.corpus = $corpus AND s.sentence BETWEEN $first AND $last
"""

_SCORES = """
SELECT s.file, min(s.line), count(*)
FROM lattice_edges AS e
JOIN sentences AS s ON s.corpus = e.corpus AND s.sentence = e.sentence
WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last AND len(e.scores) > 1
GROUP BY s.file ORDER BY s.file
"""

_LONE_NODES = """
SELECT s.file, min(s.line), count(*)
FROM lattices AS l
JOIN sentences AS s ON s.corpus = l.corpus AND s.sentence = l.sentence
LEFT JOIN (SELECT n.sentence, count(DISTINCT n.node) AS nodes
           FROM (SELECT e.sentence, unnest([e.from_node, e.to_node]) AS node
                 FROM lattice_edges AS e
                 WHERE e.corpus = $corpus AND e.sentence BETWEEN $first AND $last) AS n
           GROUP BY n.sentence) AS k ON k.sentence = l.sentence
WHERE l.corpus = $corpus AND l.sentence BETWEEN $first AND $last AND coalesce(k.nodes, 1) < l.n_nodes
GROUP BY s.file ORDER BY s.file
"""


def write(engine: Engine, corpus: str, sentences: range, out: BinaryIO) -> list[Diagnostic]:
    """Write a range of the lattices of a corpus; returns warnings. Raises InvalidInput where a word is no symbol."""
    write_lattices(engine, corpus, sentences, out, _LINES, COST, _WRONG)
    values = {"corpus": corpus, "first": sentences.start, "last": sentences.stop - 1}
    several = engine.rows(_SCORES, values)
    hint = "OpenFst has one weight for each arc; plf, jsonl and parquet keep all"
    warnings = [
        Diagnostic.warning(
            file, line, f"of several scores of {n} edge{'s' if n > 1 else ''} the unweighted sum is written", hint
        )
        for file, line, n in several
    ]
    for file, line, n in engine.rows(_LONE_NODES, values):
        what = f"nodes without edges are left out of {n} lattice{'s' if n > 1 else ''}"
        warnings.append(Diagnostic.warning(file, line, what, "n_nodes changes; plf, jsonl and parquet keep them"))
    return [*split_phrases(engine, corpus, sentences), *warnings]
