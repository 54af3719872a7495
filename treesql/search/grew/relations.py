"""Common table expressions of a statement: words with the anchors, and the enhanced graph.

Edges that are not projective, or of no tree, are rows of a relation of their own: DuckDB takes a condition for one that
many words meet, and would join all others first.

In the enhanced graph the position of a node counts words and empty nodes; the anchor has position 0.
"""

from __future__ import annotations

ANCHOR = "__0__"
_LAST = 2_147_483_647

TREE_SIZES = """(
    SELECT p.corpus, p.sentence, p.word,
           CAST(1 + max(CASE WHEN p.counted THEN p.depth END) - min(p.own_depth) AS INTEGER) AS height,
           CAST(sum(CASE WHEN p.counted THEN 1 ELSE 0 END) AS INTEGER) AS proj_size,
           CAST(sum(CASE WHEN p.counted AND p.run = p.own_run THEN 1 ELSE 0 END) AS INTEGER) AS cont_proj_size,
           CAST(sum(CASE WHEN p.counted AND coalesce(p.relation, '') NOT IN
                              ('discourse', 'vocative', 'parataxis', 'conj', 'appos', 'orphan', 'list', 'reparandum')
                         THEN 1 ELSE 0 END) AS INTEGER) AS constituent_size
    FROM (SELECT o.*, max(CASE WHEN o.below = o.word THEN o.run END)
                        OVER (PARTITION BY o.corpus, o.sentence, o.word) AS own_run
          FROM (SELECT x.corpus, x.sentence, x.word, x.depth AS own_depth, d.word AS below, d.depth,
                       c.udeprel AS relation, coalesce(d.punct <= x.enter, TRUE) AS counted,
                       CASE WHEN c.udeprel IS DISTINCT FROM 'punct' THEN d.word - row_number() OVER (
                           PARTITION BY x.corpus, x.sentence, x.word, c.udeprel IS DISTINCT FROM 'punct'
                           ORDER BY d.word) END AS run
                FROM words AS x
                JOIN (SELECT w.corpus, w.sentence, w.word, w.depth, w.enter, max(u.enter) AS punct
                      FROM words AS w
                      LEFT JOIN words AS u ON u.corpus = w.corpus AND u.sentence = w.sentence AND u.udeprel = 'punct'
                       AND w.enter BETWEEN u.enter AND u.leave
                      GROUP BY w.corpus, w.sentence, w.word, w.depth, w.enter) AS d
                  ON d.corpus = x.corpus AND d.sentence = x.sentence AND d.enter BETWEEN x.enter AND x.leave
                LEFT JOIN words AS c ON c.corpus = x.corpus AND c.sentence = x.sentence AND c.head = x.word
                 AND d.enter BETWEEN c.enter AND c.leave) AS o) AS p
    GROUP BY p.corpus, p.sentence, p.word
)"""
"""By word, the height of its subtree and the number of its words, without those below punctuation, as Grew 1.20 has
them: in all, in the run of words around it without a gap, and without certain dependents of its own."""

DOCUMENTS = """(
    SELECT s.corpus, s.sentence,
           last_value(s.newdoc IGNORE NULLS) OVER w AS newdoc,
           nullif(last_value(coalesce(s.newpar, CASE WHEN s.newdoc IS NOT NULL THEN chr(1) END) IGNORE NULLS) OVER w,
                  chr(1)) AS newpar
    FROM sentences AS s
    WINDOW w AS (PARTITION BY s.corpus ORDER BY s.sentence ROWS UNBOUNDED PRECEDING)
)"""
"""By sentence, the document and the paragraph that it is in: a document reaches to the next mark, a paragraph to the
next mark or document."""

CORPUS_KEYS = {
    "language": "coalesce({0}.language, {0}.treebank, {0}.corpus)",
    "treebank": "coalesce({0}.treebank, {0}.corpus)",
}
"""Keys of the corpus of a match, as statistics of treebanks group by them: unnamed treebanks have the corpus' name."""


def corpus_key(name: str, corpus: str, alias: str = "own") -> str:
    """Return the SQL of a key of CORPUS_KEYS. corpus: the column with the corpus of the match."""
    return f"(SELECT {CORPUS_KEYS[name].format(alias)} FROM corpora AS {alias} WHERE {alias}.corpus = {corpus})"


BASIC = {
    "documents": DOCUMENTS,
    "tree_sizes": TREE_SIZES,
    "nodes": f"""NOT MATERIALIZED (
    SELECT w.corpus, w.sentence, w.word, w.form, w.lemma, w.upos, w.xpos, w.feats, w.misc, w.multiword, w.head,
           w.deprel, w.udeprel, w.enter, w.leave
    FROM words AS w
    UNION ALL
    SELECT s.corpus, s.sentence, 0, '{ANCHOR}', NULL, NULL, NULL, NULL, NULL, FALSE, NULL, NULL, NULL, 0, {_LAST}
    FROM sentences AS s
)""",
    "nonprojective": """MATERIALIZED (
    SELECT w.corpus, w.sentence, w.word, w.form, w.lemma, w.upos, w.xpos, w.feats, w.misc, w.multiword, w.head,
           w.deprel, w.udeprel, w.enter, w.leave
    FROM words AS w
    WHERE w.projective IS NOT TRUE
)""",
    "crossing_edges": """NOT MATERIALIZED (
    SELECT a.corpus, a.sentence, CASE WHEN r.turned THEN b.word ELSE a.word END AS one,
           CASE WHEN r.turned THEN a.word ELSE b.word END AS other
    FROM nonprojective AS a
    JOIN words AS b ON b.corpus = a.corpus AND b.sentence = a.sentence
    CROSS JOIN (SELECT FALSE AS turned UNION ALL SELECT TRUE) AS r
    WHERE (b.projective IS TRUE OR a.word < b.word)
      AND ((least(a.head, a.word) < least(b.head, b.word) AND least(b.head, b.word) < greatest(a.head, a.word)
            AND greatest(a.head, a.word) < greatest(b.head, b.word))
           OR (least(b.head, b.word) < least(a.head, a.word) AND least(a.head, a.word) < greatest(b.head, b.word)
               AND greatest(b.head, b.word) < greatest(a.head, a.word)))
)""",
    "crossings": """(
    SELECT w.corpus, w.sentence FROM words AS w WHERE NOT w.projective
    UNION ALL
    SELECT a.corpus, a.sentence
    FROM words AS a
    JOIN words AS b ON b.corpus = a.corpus AND b.sentence = a.sentence
    WHERE a.projective IS NULL AND b.projective IS NULL
      AND least(a.head, a.word) < least(b.head, b.word) AND least(b.head, b.word) < greatest(a.head, a.word)
      AND greatest(a.head, a.word) < greatest(b.head, b.word)
)""",
}

EMPTY_PLACES = """NOT MATERIALIZED (
    SELECT e.corpus, e.sentence, list(e.word) AS words FROM empty_nodes AS e GROUP BY e.corpus, e.sentence
)"""


def _position(word: str, index: str) -> str:
    """Return the number of nodes up to a word or an empty node: its position."""
    before = f"coalesce(len(list_filter(p.words, lambda word: word < {word})), 0)"
    return f"CAST({word} + {index} + {before} AS INTEGER)"


_WITH_PLACES = "LEFT JOIN empty_places AS p ON p.corpus = {0}.corpus AND p.sentence = {0}.sentence"

ENHANCED = {
    "documents": DOCUMENTS,
    "tree_sizes": TREE_SIZES,
    "nodes": f"""NOT MATERIALIZED (
    SELECT w.corpus, w.sentence, w.word, 0 AS index, {_position("w.word", "0")} AS position, w.form, w.lemma, w.upos,
           w.xpos, w.feats, w.misc, w.multiword
    FROM words AS w {_WITH_PLACES.format("w")}
    UNION ALL
    SELECT e.corpus, e.sentence, e.word, e.index, {_position("e.word", "e.index")}, e.form, e.lemma, e.upos, e.xpos,
           e.feats, e.misc, FALSE
    FROM empty_nodes AS e {_WITH_PLACES.format("e")}
    UNION ALL
    SELECT s.corpus, s.sentence, 0, 0, 0, '{ANCHOR}', NULL, NULL, NULL, NULL, NULL, FALSE
    FROM sentences AS s
)""",
    "graph": f"""NOT MATERIALIZED (
    SELECT w.corpus, w.sentence, {_position("w.head", "0")} AS source, {_position("w.word", "0")} AS target,
           w.deprel, w.udeprel, w.deprel AS label, FALSE AS enhanced
    FROM words AS w {_WITH_PLACES.format("w")}
    WHERE w.head IS NOT NULL
    UNION ALL
    SELECT d.corpus, d.sentence, {_position("d.head", "d.head_index")}, {_position("d.dependent", "d.dependent_index")},
           d.deprel, string_split(d.deprel, ':')[1], 'E:' || d.deprel, TRUE
    FROM enhanced_edges AS d {_WITH_PLACES.format("d")}
)""",
    "reach": """(
    SELECT g.corpus, g.sentence, g.source, g.target FROM graph AS g
    UNION
    SELECT r.corpus, r.sentence, r.source, g.target
    FROM reach AS r
    JOIN graph AS g ON g.corpus = r.corpus AND g.sentence = r.sentence AND g.source = r.target
)""",
    "crossings": """(
    SELECT a.corpus, a.sentence
    FROM graph AS a
    JOIN graph AS b ON b.corpus = a.corpus AND b.sentence = a.sentence
    WHERE least(a.source, a.target) < least(b.source, b.target)
      AND least(b.source, b.target) < greatest(a.source, a.target)
      AND greatest(a.source, a.target) < greatest(b.source, b.target)
)""",
    "several_heads": """(
    SELECT g.corpus, g.sentence FROM graph AS g GROUP BY g.corpus, g.sentence, g.target HAVING count(*) > 1
)""",
    "headless": """(
    SELECT n.corpus, n.sentence
    FROM nodes AS n
    WHERE n.position > 0 AND NOT EXISTS (
        SELECT 1 FROM graph AS g WHERE g.corpus = n.corpus AND g.sentence = n.sentence AND g.target = n.position)
)""",
}
