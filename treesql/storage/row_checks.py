"""Checks that readers make of files, as SQL over rows, and their warnings: for sentences that were changed through SQL.

Every check is a SELECT of `sentence, what, hint` for the corpus $corpus, over the sentences of the table
`changed_sentences` alone, unless it is about all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb
import numpy as np

from treesql.catalog import schemas
from treesql.errors import MAX_NAMED, Diagnostic, InvalidInput
from treesql.readers import FURTHER_NAME
from treesql.readers.columns import FINDINGS, WITH_FEATURES, Finding
from treesql.readers.data_set_lattices import SCORE_LIMIT
from treesql.readers.data_set_links import MAX_POSITION
from treesql.readers.links import LinkWarnings

FAULTS_SHOWN = 20
"""Maximum number of faults reported per corpus."""

SPARE_NODES = 1000
"""Maximum number of nodes of a lattice beyond those that its edges can have."""

CHANGED = "SELECT d.sentence FROM changed_sentences AS d WHERE d.corpus = $corpus"
CHANGED_IN = f"{CHANGED} AND d.of_table ="
"""SQL for the sentences of a corpus that were changed, and for those whose rows of a table were."""

_LENGTHS = f"""(
    SELECT s.sentence, count(w.word) AS n, count(w.head) AS n_heads
    FROM sentences AS s LEFT JOIN words AS w ON w.corpus = s.corpus AND w.sentence = s.sentence
    WHERE s.corpus = $corpus AND s.sentence IN ({CHANGED})
    GROUP BY s.sentence)"""
_NUMBERS = """
SELECT coalesce(n.sentence, 0),
       'sentences: expected sentence ' || n.expected || ', found ' || n.sentence,
       'number sentences 0, 1, 2, ... without gaps, in all tables'
FROM (SELECT s.sentence, row_number() OVER (ORDER BY s.sentence) - 1 AS expected
      FROM sentences AS s WHERE s.corpus = $corpus) AS n
WHERE n.sentence <> n.expected
ORDER BY n.expected LIMIT 1
"""

_FEATURES = """
SELECT t.sentence, 'hypotheses: sentence ' || t.sentence || ', rank ' || t.rank || ': ' || len(t.features)
           || ' features and ' || len(t.feature_names) || ' names, where others have ' || o.n_features,
       'give all hypotheses the same features'
FROM hypotheses AS t
CROSS JOIN (SELECT min(len(h.features)) AS n_features FROM hypotheses AS h WHERE h.corpus = $corpus) AS o
WHERE t.corpus = $corpus AND (len(t.features) <> o.n_features OR len(t.feature_names) <> o.n_features)
"""


def _check_numbering(table: str, column: str, start: int, within: str = "") -> str:
    """A check that rows of a sentence are numbered from `start` without gaps. within: a column that groups them."""
    keys = f"t.sentence{', t.' + within if within else ''}"
    place = f" || ', {within} ' || t.{within}" if within else ""
    return f"""
    SELECT t.sentence, '{table}: sentence ' || t.sentence{place} || ': {column} is ' || array_to_string(
               list_slice(list(t."{column}" ORDER BY t."{column}"), 1, 12), ', ')
               || CASE WHEN count(*) > 12 THEN ', ...' ELSE '' END,
           'number them {start}, {start + 1}, {start + 2}, ... without gaps'
    FROM {table} AS t
    WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
    GROUP BY {keys}
    HAVING list(CAST(t."{column}" AS BIGINT) ORDER BY t."{column}")
           <> generate_series(CAST({start} AS BIGINT), count(*) + {start - 1})
    """


def _check_sentences_exist(table: str) -> str:
    """A check that every row belongs to an existing sentence."""
    return f"""
    SELECT t.sentence, '{table}: sentence ' || t.sentence || ' has rows and is not in sentences',
           'add it to sentences, or delete its rows'
    FROM {table} AS t
    WHERE t.corpus = $corpus AND NOT EXISTS (
        SELECT 1 FROM sentences AS s WHERE s.corpus = $corpus AND s.sentence = t.sentence)
    GROUP BY t.sentence
    """


def _check_unique(table: str, key: tuple[str, ...]) -> str:
    """A check that no two rows have one key."""
    columns = ", ".join(f"t.{schemas.quote(name)}" for name in key)
    shown = " || ', ' || ".join(
        f"'{name} ' || coalesce(CAST(t.{schemas.quote(name)} AS VARCHAR), 'NULL')" for name in key
    )
    return f"""
    SELECT t.sentence, '{table}: ' || {shown} || ' occurs ' || count(*) || ' times', 'keep one of these rows'
    FROM {table} AS t
    WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
    GROUP BY {columns}
    HAVING count(*) > 1
    """


_LEAVE_OPEN = "write NULL for what is left open"


def _check_texts(table: str, columns: tuple[str, ...], place: str, *, open_value: bool, hint: str = _LEAVE_OPEN) -> str:
    """A check that texts can be written as fields of a file.

    open_value: whether `_` is NULL in the file; hint: what to do about it and about empty texts.
    """
    checks = []
    for name in columns:
        text = f't."{name}"'
        lone = f"{text} = '_'" if open_value and name not in ("form", "lemma") else "FALSE"
        checks.append(f"""
        SELECT t.sentence, '{table}: sentence ' || t.sentence || {place} || ': {name} '
                   || CASE WHEN {text} = '' THEN 'is empty' WHEN {lone} THEN 'is `_`'
                           ELSE 'has a tab or a line break in it' END,
               CASE WHEN {text} = '' OR {lone} THEN '{hint}' ELSE 'take it out' END
        FROM {table} AS t
        WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
          AND ({text} = '' OR {lone} OR contains({text}, chr(9)) OR contains({text}, chr(10))
               OR contains({text}, chr(13)) OR contains({text}, chr(0)))""")
    return "\nUNION ALL\n".join(checks)


_WORD = "', word ' || t.word"
_HEADS = f"""
SELECT t.sentence, 'words: sentence ' || t.sentence || ', word ' || t.word || ': '
           || CASE WHEN t.head IS NULL THEN 'head is NULL, although other words of the sentence have heads'
                   ELSE 'head ' || t.head || ' is not a word of the sentence, which has ' || l.n END,
       CASE WHEN t.head IS NULL THEN 'give every word its head, or none'
            ELSE 'give 0 for a root, else the number of the head' END
FROM words AS t JOIN {_LENGTHS} AS l ON l.sentence = t.sentence
WHERE t.corpus = $corpus AND (t.head > l.n OR (t.head IS NULL AND l.n_heads > 0))
"""
_NO_WORDS = f"""
SELECT l.sentence, 'sentences: sentence ' || l.sentence || ' has no words', 'delete it, or add its words'
FROM {_LENGTHS} AS l WHERE l.n = 0
"""
_TOKENS = f"""
SELECT t.sentence, 'tokens: sentence ' || t.sentence || ', first ' || t.first || ': last ' || t.last
           || CASE WHEN t.last > l.n THEN ' is after the end of the sentence, which has ' || l.n || ' words'
                   ELSE ' is not before the first word of the next token' END,
       'let each word be in one token of the sentence'
FROM (SELECT k.*, lead(k.first) OVER (PARTITION BY k.sentence ORDER BY k.first) AS next
      FROM tokens AS k WHERE k.corpus = $corpus) AS t
JOIN {_LENGTHS} AS l ON l.sentence = t.sentence
WHERE t.last > l.n OR t.last >= t.next
"""
_EMPTY_NODES = f"""
SELECT t.sentence, 'empty_nodes: sentence ' || t.sentence || ': word ' || t.word
           || ' is after the end of the sentence, which has ' || l.n || ' words', 'let it follow a word, or 0'
FROM empty_nodes AS t JOIN {_LENGTHS} AS l ON l.sentence = t.sentence
WHERE t.corpus = $corpus AND t.word > l.n
"""


def _further_column_checks(table: str, of: str, key: tuple[str, ...]) -> list[str]:
    """Checks of a table of further columns: its rows are of rows of the table `of`, names and values can be written."""
    same = " AND ".join(f'o."{name}" = t."{name}"' for name in key)
    place = " || ".join(f"', {name} ' || t.\"{name}\"" for name in key)
    among = f"WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})"
    return [
        _check_sentences_exist(table),
        _check_unique(table, ("sentence", *key, "name")),
        f"""
        SELECT t.sentence, '{table}: sentence ' || t.sentence || {place} || ' is not in {of}',
               'delete this row with the other'
        FROM {table} AS t {among} AND NOT EXISTS (
            SELECT 1 FROM {of} AS o WHERE o.corpus = $corpus AND o.sentence = t.sentence AND {same})
        """,
        f"""
        SELECT min(t.sentence), '{table}: a column cannot be called `' || t.name || '`',
               'call it PROJECT:NAME, such as PARSEME:MWE, in capital letters'
        FROM {table} AS t {among} AND NOT regexp_full_match(t.name, {schemas.literal(FURTHER_NAME)})
        GROUP BY t.name
        """,
        _check_texts(table, ("value",), place, open_value=True, hint="delete the row of what is left open"),
    ]


_PHRASES = f"""
SELECT t.sentence, 'words: sentence ' || t.sentence || ', word ' || t.word || ': phrase ' || t.phrase
           || ' is not in constituents', 'name a node of the sentence, or NULL'
FROM words AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND t.phrase IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM constituents AS c WHERE c.corpus = $corpus AND c.sentence = t.sentence AND c.node = t.phrase)
UNION ALL
SELECT t.sentence, 'constituents: sentence ' || t.sentence || ', node ' || t.node || ': parent ' || t.parent
           || ' does not precede it', 'number nodes in preorder, parents before children'
FROM constituents AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND t.parent >= t.node
UNION ALL
SELECT t.sentence, 'constituents: sentence ' || t.sentence || ', node ' || t.node || ': parent ' || t.parent
           || ' does not exist', 'name a node of the sentence, or NULL'
FROM constituents AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND t.parent IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM constituents AS c WHERE c.corpus = $corpus AND c.sentence = t.sentence AND c.node = t.parent)
"""
_SECONDARY_EDGES = f"""
SELECT t.sentence, 'secondary_edges: sentence ' || t.sentence || ': '
           || CASE WHEN (t.word IS NULL) = (t.node IS NULL) THEN 'a row with ' || CASE WHEN t.word IS NULL
                        THEN 'neither a word nor a node' ELSE 'a word and a node' END
                   ELSE CASE WHEN w.word IS NULL AND t.word IS NOT NULL THEN 'word ' || t.word
                             WHEN n.node IS NULL AND t.node IS NOT NULL THEN 'node ' || t.node
                             ELSE 'parent ' || t.parent END || ' does not exist' END,
       'name a word or a node of the sentence, and a node of it as parent'
FROM secondary_edges AS t
LEFT JOIN words AS w ON w.corpus = $corpus AND w.sentence = t.sentence AND w.word = t.word
LEFT JOIN constituents AS n ON n.corpus = $corpus AND n.sentence = t.sentence AND n.node = t.node
LEFT JOIN constituents AS p ON p.corpus = $corpus AND p.sentence = t.sentence AND p.node = t.parent
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND ((t.word IS NULL) = (t.node IS NULL) OR (w.word IS NULL AND t.word IS NOT NULL)
       OR (n.node IS NULL AND t.node IS NOT NULL) OR (p.node IS NULL AND t.parent IS NOT NULL))
"""
_BLANKS = f"""
SELECT t.sentence, 'words: sentence ' || t.sentence || ', word ' || t.word || ': form `' || t.form
           || '` is empty or has a blank in it', 'write a word for each of its parts'
FROM words AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND (t.form = '' OR regexp_matches(t.form, '[ \\t\\r\\n]'))
"""
_NULL_LINKS = f"""
SELECT t.sentence, 'alignments: sentence ' || t.sentence || ': the link ' || t.source || '-' || t.target
           || ' has no word', 'positions begin at 1; 0 is allowed only in null links, of corpora loaded with null_links'
FROM alignments AS t JOIN corpora AS c ON c.corpus = t.corpus
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND ((t.source = 0 AND t.target = 0)
       OR ((t.source = 0 OR t.target = 0)
           AND NOT coalesce(list_contains(string_split(c.reading, ' '), 'null_links'), TRUE)))
"""
_POSITIONS = f"""
SELECT t.sentence, 'alignments: sentence ' || t.sentence || ': the link ' || t.source || '-' || t.target
           || ' has a position above {MAX_POSITION}', 'give the position of a word'
FROM alignments AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND greatest(t.source, t.target) > {MAX_POSITION}
UNION ALL
SELECT t.sentence, 'alignments: sentence ' || t.sentence || ': the confidence of ' || t.source || '-' || t.target
           || ' is not finite', 'write a number such as 0.5'
FROM alignments AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND NOT isfinite(t.confidence)
"""
_LATTICES = f"""
SELECT t.sentence, 'sentences: sentence ' || t.sentence || ' has no row in lattices', 'add it there'
FROM sentences AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND NOT EXISTS (
    SELECT 1 FROM lattices AS l WHERE l.corpus = $corpus AND l.sentence = t.sentence)
UNION ALL
SELECT t.sentence, 'lattice_edges: sentence ' || t.sentence || ', edge ' || t.edge || ': to_node ' || t.to_node
           || ' is not in the lattice, which has ' || l.n_nodes || ' nodes', 'name a node below that number'
FROM lattice_edges AS t JOIN lattices AS l ON l.corpus = t.corpus AND l.sentence = t.sentence
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND t.to_node >= l.n_nodes
UNION ALL
SELECT t.sentence, 'lattices: sentence ' || t.sentence || ': n_nodes ' || t.n_nodes
           || ' is far more than its edges have',
       'number the nodes of its edges without gaps'
FROM lattices AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND t.n_nodes > {SPARE_NODES} + 2 * (SELECT count(*) FROM lattice_edges AS e
                                       WHERE e.corpus = $corpus AND e.sentence = t.sentence)
UNION ALL
SELECT t.sentence, 'lattice_edges: sentence ' || t.sentence || ', edge ' || t.edge || ': a word is '
           || CASE WHEN list_contains(t.edge_words, '') THEN 'empty' ELSE 'NULL' END, 'leave it out'
FROM lattice_edges AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND (list_contains(t.edge_words, '') OR len(list_filter(t.edge_words, lambda w: w IS NULL)) > 0)
UNION ALL
SELECT t.sentence, 'lattice_edges: sentence ' || t.sentence || ', edge ' || t.edge || ': a score is not finite',
       'write a number'
FROM lattice_edges AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND len(list_filter(t.scores, lambda x: x IS NULL OR NOT isfinite(x) OR abs(x) >= {SCORE_LIMIT!r})) > 0
UNION ALL
SELECT t.sentence, 'lattices: sentence ' || t.sentence || ': a score of the final node is not finite', 'write a number'
FROM lattices AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND len(list_filter(t.final_scores, lambda x: x IS NULL OR NOT isfinite(x) OR abs(x) >= {SCORE_LIMIT!r})) > 0
UNION ALL
SELECT t.sentence,
       'lattices: sentence ' || t.sentence || ': n_finals is ' || t.n_finals || ', but final_scores is not NULL',
       'with several final nodes, the edges from them to the last node have their scores'
FROM lattices AS t
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED}) AND t.n_finals > 1
  AND t.final_scores IS NOT NULL
UNION ALL
SELECT t.sentence, 'lattice_edges: sentence ' || t.sentence || ', edge ' || t.edge || ': '
           || CASE WHEN len(t.scores) > len(l.final_scores) THEN len(t.scores) || ' scores, where the final node has '
                        || len(l.final_scores)
                   ELSE 'it has words and leads to the node after ' || l.n_finals || ' final nodes' END,
       'let edges and the final node have as many scores; edges from several final nodes have no words'
FROM lattice_edges AS t JOIN lattices AS l ON l.corpus = t.corpus AND l.sentence = t.sentence
WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED})
  AND (len(t.scores) > len(l.final_scores)
       OR (l.n_finals > 1 AND t.to_node = l.n_nodes - 1 AND len(t.edge_words) > 0))
"""
_FIELDS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_WORDS = [_check_sentences_exist("words"), _check_numbering("words", "word", 1)]
_CHECKS = {
    "dependency": [
        *_WORDS,
        _NO_WORDS,
        _HEADS,
        _check_texts("words", _FIELDS, _WORD, open_value=True),
        _check_sentences_exist("tokens"),
        _check_unique("tokens", ("sentence", "first")),
        _TOKENS,
        _check_texts("tokens", tuple(n for n in _FIELDS if n not in ("deprel", "deps")), "', first ' || t.first",
                    open_value=True),
        _check_sentences_exist("empty_nodes"),
        _check_numbering("empty_nodes", "index", 1, "word"),
        _EMPTY_NODES,
        _check_texts("empty_nodes", tuple(n for n in _FIELDS if n != "deprel"),
                    "', node ' || t.word || '.' || t.\"index\"", open_value=True),
        _check_sentences_exist("enhanced_edges"),
        *_further_column_checks("word_columns", "words", ("word",)),
        *_further_column_checks("token_columns", "tokens", ("first",)),
        *_further_column_checks("empty_node_columns", "empty_nodes", ("word", "index")),
    ],
    "constituency": [
        *_WORDS,
        _check_sentences_exist("constituents"),
        _check_numbering("constituents", "node", 1),
        _PHRASES,
        _check_texts("words", ("form", "xpos"), _WORD, open_value=False),
        _check_texts("constituents", ("label", "functions"), "', node ' || t.node", open_value=False),
        _check_sentences_exist("secondary_edges"),
        _check_unique("secondary_edges", ("sentence", "word", "node", "parent", "label")),
        _SECONDARY_EDGES,
        _check_texts("secondary_edges", ("label",), "', parent ' || coalesce(t.parent, 0)", open_value=False),
    ],
    "text": [*_WORDS, _BLANKS],
    "alignment": [
        _check_sentences_exist("alignments"),
        _check_unique("alignments", ("sentence", "source", "target")),
        _NULL_LINKS,
        _POSITIONS,
    ],
    "lattice": [
        _check_sentences_exist("lattices"),
        _check_unique("lattices", ("sentence",)),
        _check_sentences_exist("lattice_edges"),
        _check_sentences_exist("lattice_words"),
        _check_numbering("lattice_edges", "edge", 0),
        _LATTICES,
    ],
    "nbest": [
        _check_sentences_exist("hypotheses"),
        _check_numbering("hypotheses", "rank", 1),
        _FEATURES,
    ],
}  # fmt: skip


def check_rows(connection: duckdb.DuckDBPyConnection, corpus: str, kind: str) -> None:
    """Raises InvalidInput where rows of a corpus are such that a reader would refuse them.

    The table `changed_sentences` names the sentences to check.
    """
    check_none(connection, corpus, [_NUMBERS])
    check_none(connection, corpus, _CHECKS[kind])


def check_none(connection: duckdb.DuckDBPyConnection, corpus: str, checks: Sequence[str]) -> None:
    """Raises InvalidInput where one of the checks has rows: `sentence, what, hint` for $corpus."""
    faults = [
        Diagnostic.error(corpus, 0, what, hint)
        for check in checks
        for _, what, hint in connection.execute(
            f"SELECT * FROM ({check}) AS f ORDER BY ALL LIMIT {FAULTS_SHOWN}", {"corpus": corpus}
        ).fetchall()
    ]
    if faults:
        raise InvalidInput(faults[:FAULTS_SHOWN])


_PARTS = "list_filter(string_split(t.feats, '|'), lambda part: part <> '')"
_WARNED = (
    f"""
    SELECT w.sentence FROM words AS w
    WHERE w.corpus = $corpus AND w.sentence IN ({CHANGED_IN} 'words') AND w.head = 0 AND w.depth IS NOT NULL
    GROUP BY w.sentence HAVING count(*) > 1
    """,
    f"""
    SELECT DISTINCT w.sentence FROM words AS w
    WHERE w.corpus = $corpus AND w.sentence IN ({CHANGED_IN} 'words') AND w.head IS NOT NULL AND w.depth IS NULL
    """,
    f"""
    SELECT n.sentence
    FROM (SELECT s.sentence, row_number() OVER (PARTITION BY s.file, s.sent_id ORDER BY s.sentence) AS place,
                 bool_or(s.sentence IN ({CHANGED_IN} 'sentences')) OVER (PARTITION BY s.file, s.sent_id) AS changed
          FROM sentences AS s WHERE s.corpus = $corpus AND s.sent_id IS NOT NULL) AS n
    WHERE n.place > 1 AND n.changed
    """,
    " UNION ".join(
        f"""
        SELECT t.sentence FROM {table} AS t
        WHERE t.corpus = $corpus AND t.sentence IN ({CHANGED_IN} '{table}') AND contains(t.feats, '|')
          AND len(list_distinct(list_transform({_PARTS}, lambda part: split_part(part, '=', 1)))) < len({_PARTS})
        """
        for table in WITH_FEATURES
    ),
)
"""Queries for the sentences of each of FINDINGS."""

_UNLIKELY = f"""
SELECT count(*) FROM alignments AS a
WHERE a.corpus = $corpus AND a.sentence IN ({CHANGED_IN} 'alignments') AND (a.confidence < 0 OR a.confidence > 1)
"""


def find_warnings(connection: duckdb.DuckDBPyConnection, corpus: str, kind: str) -> Iterator[Diagnostic]:
    """The warnings about the sentences of a corpus that `changed_sentences` names, each about the changed table."""
    if kind == "alignment":
        links = LinkWarnings()
        [(links.outside,)] = connection.execute(_UNLIKELY, {"corpus": corpus}).fetchall()
        yield from links.warnings(corpus)
    if kind != "dependency":
        return
    for texts, query in zip(FINDINGS, _WARNED, strict=True):
        sql = f"""
        SELECT n.sentence, s.sent_id, n.n
        FROM (SELECT q.sentence, count(*) OVER () AS n FROM ({query}) AS q ORDER BY q.sentence LIMIT {MAX_NAMED}) AS n
        LEFT JOIN sentences AS s ON s.corpus = $corpus AND s.sentence = n.sentence ORDER BY n.sentence
        """
        rows = connection.execute(sql, {"corpus": corpus}).fetchall()
        if rows:
            finding = Finding(*texts, "sentence")
            numbers = np.array([sentence for sentence, _, _ in rows], dtype=np.int64)
            finding.add(np.arange(len(rows)), [name for _, name, _ in rows], numbers, rows[0][2])
            yield Diagnostic.warning(corpus, 0, finding.what, finding.hint)
