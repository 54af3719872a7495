"""Calls of macros that are written out: fewer branches, equal texts."""

from __future__ import annotations

import itertools
import re

from tests.conftest import FIXTURES
from treesql import catalog
from treesql.catalog import Statement, macro_calls
from treesql.readers import Options
from treesql.storage.loading import connect_to_rows

CALLS = {
    "normalised_text(t.string, $lowercase, $punctuation, $unicode_form)": (
        {"lowercase": ("no", "yes"), "punctuation": ("keep", "remove"), "unicode_form": ("given", "nfc")}
    ),
    "tokens_of(t.string, $tokenize)": {"tokenize": ("none", "13a", "intl", "zh", "char")},
    "tercom_tokens(CASE WHEN $case = 'yes' THEN t.string ELSE lower_case(t.string) END, $normalized, 'no')": (
        {"case": ("yes", "no"), "normalized": ("no", "western", "asian")}
    ),
    "compared_text(t.string, $measure, $tokenize)": (
        {"measure": ("wer", "bleu", "ter", "chrf"), "tokenize": ("none", "13a")}
    ),
    "[split_text(t.string), chrf_words(t.string), split_words(t.string), split_text(lower_case(t.string))]": {},
}
"""Expressions over a text, with the values of their parameters that choose branches."""

TEXTS = ["", "ΣΟΦΟΣ, it's &quot;1,5&quot; -- A\u00a0B\tc  d", "e\u0301 日本、語 «x» 'y' $z (2-3) don\u2019t."]


def test_written_out_calls_have_the_rows_of_the_macros() -> None:
    """Each is planned once for all texts: planning takes far longer than three rows do."""
    with connect_to_rows({}, Options()) as engine:
        engine.connection.execute("CREATE TEMP TABLE texts AS SELECT unnest($1) AS string", [TEXTS])
        for call, choices in CALLS.items():
            sql = f"SELECT t.string, {call} FROM texts AS t"
            for chosen in itertools.product(*choices.values()):
                values = dict(zip(choices, chosen, strict=True))
                written = macro_calls.write_out(sql, values)
                assert written != sql
                expected, found = (
                    engine.connection.execute(statement, Statement((), statement).bind(values)).fetchall()
                    for statement in (sql, written)
                )
                assert found == expected, written
                assert [text for text, _ in found] == TEXTS


def test_branches_that_literals_rule_out_are_left_out() -> None:
    values = {"lowercase": "no", "punctuation": "keep", "unicode_form": "given", "tokenize": "none"}
    sql = "SELECT normalised_text(w.form, $lowercase, $punctuation, $unicode_form) FROM words AS w"
    written = macro_calls.write_out(sql, values)
    assert written.replace("(", "").replace(")", "").split() == ["SELECT", "w.form", "FROM", "words", "AS", "w"]
    written = macro_calls.write_out("SELECT tokens_of(w.form, $tokenize) FROM words AS w", values)
    assert "regexp_replace" not in written
    assert "regexp_extract_all" in written


def test_what_is_not_known_stays() -> None:
    """Values of columns and of parameters without a text, names in strings, and macros without branches of texts; what
    conditions of users may have: arguments by name, calls as methods, further notations of comments and strings.
    """
    for sql in (
        "SELECT normalised_text(w.form, w.lemma, w.upos, w.xpos) FROM words AS w",
        "SELECT 'tokens_of(a, b)' AS tokens_of",
        "SELECT remove_punctuation(w.form || w.lemma, $known) FROM words AS w",
        "SELECT pmi(1, 2, 3, 4)",
        "SELECT lower_case(string := w.form), lower_case(string => w.form), lower_case() FROM words AS w",
        "SELECT lower_case(w.form /* ) */), lower_case(CASE WHEN w.head = 0 THEN w.form /* CASE */ END)",
        "SELECT lower_case(E'it\\'s)'), lower_case($$it's)$$), lower_case($tag$($tag$)",
        "SELECT w.form.lower_case(), w.form . lower_case(), tokens_of(tokenisation := '13a', string := 'a')",
    ):
        assert macro_calls.write_out(sql, {"known": 1}) == sql


def test_values_are_written_in_and_rule_arms_out() -> None:
    sql = (
        "SELECT t.a, $n FROM t WHERE t.corpus = $gold_corpus AND $match = 'order'\nUNION ALL\n"
        "SELECT t.b, 0.5 FROM t WHERE t.corpus = $gold_corpus AND $match = 'sent_id'"
    )
    expected = "SELECT t.a, (-1) FROM t WHERE t.corpus = CAST($1 AS VARCHAR) AND 'order' = 'order'\n"
    written = macro_calls.write_in(sql, {"n": -1, "match": "order", "gold_corpus": "it's"})
    assert written == (expected, ["it's"], ())
    both = macro_calls.write_in(sql.replace("'sent_id'", "'order'"), {"n": 1, "match": "order", "gold_corpus": "g"})
    assert both is not None
    assert both.arguments == ["g", "g"]
    assert "$2" in both.sql
    written = macro_calls.write_in("SELECT $a, $b, $c", {"a": None, "b": True, "c": 0.1})
    assert written == ("SELECT NULL, TRUE, CAST('0.1' AS DOUBLE)", [], ())
    assert macro_calls.write_in("SELECT $a", {"a": ["g"]}) is None
    assert macro_calls.write_in("SELECT $corpus", {"corpus": None}) is None
    assert macro_calls.write_in("SELECT $a /* $b */", {"a": "g"}) is None


def test_what_reads_settled_tables_alone_is_made_once() -> None:
    """But not what a parameter is left in, and what reads other tables or expressions."""
    sql = (
        "WITH a AS (SELECT max(s.v) AS v FROM settled AS s WHERE s.k = $kind),\n"
        "b AS (SELECT s.v FROM settled AS s WHERE s.k = $gold_corpus),\n"
        "c AS (SELECT t.v FROM t JOIN settled AS s ON s.v = t.v),\nd AS (SELECT a.v FROM a)\n"
        "SELECT * FROM a AS x JOIN b ON b.v = x.v JOIN c ON c.v = b.v JOIN d ON d.v = c.v"
    )
    written = macro_calls.write_in(sql, {"kind": "k", "gold_corpus": "g"}, settled=frozenset({"settled"}))
    assert written is not None
    [(name, select)] = written.settled
    assert select == "SELECT max(s.v) AS v FROM settled AS s WHERE s.k = 'k'"
    kept = sql[sql.index(",\nb AS") :].replace("$gold_corpus", "CAST($1 AS VARCHAR)")
    assert written.sql == f'WITH a AS (FROM "{name}"){kept}'
    other = macro_calls.write_in(sql, {"kind": "l", "gold_corpus": "g"}, settled=frozenset({"settled"}))
    assert other is not None
    assert {given for given, _ in other.settled}.isdisjoint({name})
    assert macro_calls.write_in(sql, {"kind": "k", "gold_corpus": "g"}) == (
        sql.replace("$kind", "'k'").replace("$gold_corpus", "CAST($1 AS VARCHAR)"), ["g"], ()
    )  # fmt: skip


def test_what_is_made_once_has_the_rows_that_it_has_as_it_is_written() -> None:
    """Also once other tables have other rows: what reads these is not made once."""
    a = "a AS (SELECT s.v FROM settled AS s)"
    made = [
        f"WITH {a} SELECT a.v FROM a",
        f"WITH {a} SELECT A.v FROM A CROSS JOIN a AS b",
        f'WITH {a} SELECT "a".v FROM "A", a AS b',
        f"WITH {a} SELECT x.v, y.v FROM (WITH a AS (SELECT 5 AS v) SELECT a.v FROM a) AS x CROSS JOIN a AS y",
        f"WITH {a} SELECT t.v IS DISTINCT FROM a.v, extract(day FROM a.d) FROM t, (SELECT a.v, DATE '2001-02-03' AS d "
        "FROM a) AS a",
        f"WITH {a} SELECT a.a, 'FROM a' FROM (SELECT a.v AS a FROM a) AS a",
        'WITH a AS (SELECT s.v FROM (SELECT s.v FROM SETTLED AS s) AS s JOIN "settled" AS r ON r.v = s.v) FROM a',
    ]
    not_made = [
        "WITH a AS (SELECT s.v FROM settled AS s, words AS w) FROM a",
        "WITH a AS (SELECT s.v FROM settled AS s WHERE EXISTS (SELECT 1 FROM t)) FROM a",
        "WITH a AS (SELECT s.v, children({'corpus': 'c', 'sentence': 0, 'word': s.v}) AS c FROM settled AS s) FROM a",
        "WITH b AS (SELECT t.v FROM t), a AS (SELECT s.v FROM settled AS s, b) FROM a",
        "WITH settled AS (SELECT t.v FROM t), a AS (SELECT s.v FROM settled AS s) FROM a",
        "WITH settled AS (SELECT s.v FROM settled AS s) FROM settled",
        "WITH a AS (SELECT s.v FROM settled AS s JOIN range(2) AS r ON TRUE) FROM a",
        "WITH a AS (SELECT 1 AS v) FROM a",
    ]
    with connect_to_rows({}, Options()) as engine:
        engine.connection.execute("CREATE TEMP TABLE settled AS SELECT 1 AS v UNION ALL SELECT 2 AS v")
        engine.connection.execute("CREATE TEMP TABLE t AS SELECT 2 AS v")
        for value in (2, 7):
            engine.connection.execute("UPDATE t SET v = $value", {"value": value})
            for sql in made + not_made:
                written = macro_calls.write_in(sql, {}, settled=frozenset({"settled"}))
                assert written is not None
                assert bool(written.settled) is (sql in made), sql
                for name, select in written.settled:
                    engine.connection.execute(f'CREATE TEMP TABLE IF NOT EXISTS "{name}" AS {select}')
                rows = [engine.connection.execute(text).fetchall() for text in (sql, written.sql)]
                assert sorted(rows[0]) == sorted(rows[1]), sql


def test_empty_tables_rule_arms_out() -> None:
    """But those that have rows of other tables, or a row whatever there is."""
    kept = "SELECT t.a FROM t WHERE t.a > 0\n"
    for arm, is_left_out in (
        ("SELECT e.a FROM e JOIN t ON t.a = e.a WHERE e.a > 0", True),
        (
            "SELECT e.a FROM e LEFT JOIN (SELECT u.a FROM u FULL JOIN t ON t.a = u.a) AS t ON t.a = e.a WHERE e.a > 0",
            True,
        ),
        ("SELECT t.a FROM e RIGHT JOIN t ON t.a = e.a WHERE t.a > 0", False),
        ("SELECT t.a FROM t LEFT JOIN e ON t.a = e.a WHERE t.a > 0", False),
        ("SELECT count(*) AS a FROM e WHERE e.a > 0", False),
    ):
        sql = f"{kept}UNION ALL\n{arm}"
        written = macro_calls.write_in(sql, {}, frozenset({"e"}))
        assert written is not None
        assert ("UNION" not in written.sql) is is_left_out, arm
        assert macro_calls.write_in(sql, {}) == (sql, [], ())


def test_only_arms_without_rows_are_left_out() -> None:
    """Each statement has the rows that it has as it is written."""
    dead = "SELECT 2 AS a WHERE 'x' = 'y'"
    kept = [
        "SELECT 1 AS a UNION ALL SELECT count(*) AS a FROM (SELECT 1) WHERE 'x' = 'y'",
        "SELECT 1 AS a UNION ALL SELECT coalesce(sum(t.b), 0) AS a FROM (SELECT 1 AS b) AS t WHERE 'x' = 'y'",
        "SELECT 1 AS a UNION ALL SELECT 2 AS a WHERE 'x' = 'y' OR 1 = 1",
        f"{dead} UNION SELECT 1 AS a UNION ALL SELECT 1 AS a",
        f"SELECT 1 AS a UNION ALL {dead} ORDER BY a",
        f"WITH w AS (SELECT 3 AS a) {dead} UNION ALL SELECT w.a FROM w",
        "SELECT 1 AS a UNION ALL SELECT 2 AS a WHERE 'x' <> 'y' AND 'x' = 'x'",
        "SELECT 1 AS a UNION ALL SELECT 2 AS a WHERE CASE WHEN 1 = 1 AND 'x' = 'y' AND 2 = 2 THEN FALSE ELSE TRUE END",
    ]
    left_out = [
        f"{dead} UNION ALL SELECT 1 AS a",
        f"SELECT 1 AS a UNION ALL {dead} UNION ALL SELECT 3 AS a",
        f"SELECT (SELECT 4 AS a UNION ALL {dead}) AS a",
        "SELECT 1 AS a UNION ALL SELECT count(*) AS a FROM (SELECT 1 AS b) AS t WHERE 'x' = 'y' GROUP BY t.b",
        f"{dead} UNION ALL {dead}",
    ]
    with connect_to_rows({}, Options()) as engine:
        for sql in kept + left_out:
            written = macro_calls.write_in(sql, {})
            assert written is not None
            assert (written.sql == sql) is (sql in kept), sql
            rows = [engine.connection.execute(text).fetchall() for text in (sql, written.sql)]
            assert rows[0] == rows[1], sql


def test_only_what_is_read_is_left() -> None:
    """Expressions, windows, joins with what is empty, conditions that hold: each statement has the rows that it had."""
    rows = "(SELECT 1 AS a, 2 AS b UNION ALL SELECT 1 AS a, NULL AS b) AS t"
    window = f"SELECT t.a, max(t.b) OVER (PARTITION BY t.a) AS most FROM {rows}"
    joined = "LEFT JOIN empty_table AS e ON e.a = t.a"
    texts = "(SELECT CAST(e.a AS VARCHAR) AS a FROM empty_table AS e GROUP BY e.a)"
    kept = [
        window,
        f"SELECT n.a, n.most FROM ({window}) AS n",
        f"SELECT n.* FROM ({window}) AS n",
        f"SELECT n.a FROM ({window} ORDER BY 2) AS n",
        f"SELECT n.a FROM (SELECT DISTINCT t.a, row_number() OVER (ORDER BY t.b) AS most FROM {rows}) AS n",
        f"SELECT n.a FROM ({window} EXCEPT SELECT 3 AS a, 4 AS most) AS n",
        f"SELECT n.a FROM (SELECT max(t.b) OVER () AS most, t.a FROM {rows}) AS n",
        f"WITH w AS (SELECT 3 AS a) SELECT t.a FROM {rows} JOIN w ON w.a <> t.a",
        f"WITH w(c) AS (SELECT 3 AS a) SELECT t.a FROM {rows}",
        f"SELECT t.a FROM {rows} WHERE 'x' = 'x' AND t.b = 2",
        f"SELECT t.a FROM {rows} WHERE t.b = 2 OR 'x' = 'y'",
        f"SELECT t.a FROM {rows} WHERE CASE WHEN t.b = 2 OR 'x' = 'x' OR t.a = 5 THEN FALSE ELSE TRUE END",
        f"SELECT t.a, e.a FROM {rows} {joined}",
        f"SELECT t.a FROM {rows} {joined} WHERE coalesce(e.a, 1) = 1",
        f"SELECT t.a FROM {rows} JOIN empty_table AS e ON e.a = t.a",
        f"SELECT t.a FROM {rows} LEFT JOIN (SELECT e.a FROM empty_table AS e WHERE e.a > 1 UNION SELECT 1) AS f ON 1",
        f'SELECT n.a FROM ({window}) AS n WHERE n."most" = 2',
        f"SELECT t.a IN (SELECT t.b + max(t.a) OVER ()) FROM {rows}",
        f"SELECT n.a, * FROM ({window}) AS n",
        f"SELECT DISTINCT * FROM ({window}) AS n",
        f"WITH w AS (SELECT 3 AS a) SELECT v.a FROM W AS v CROSS JOIN {rows}",
        'WITH w AS (SELECT 3 AS a) SELECT v.a FROM "w" AS v',
        f"SELECT * FROM {rows} {joined}",
        f"SELECT t.a, E.a FROM {rows} {joined}",
        f"SELECT t.a = e.a IS NULL AS c FROM {rows} {joined}",
        f"SELECT t.a FROM {rows} ASOF LEFT JOIN empty_table AS e ON e.a >= t.a WHERE e.a IS NULL",
        f"SELECT t.a FROM {rows} WHERE t.a IN (SELECT count(*) + 1 AS n FROM empty_table AS e)",
        f"SELECT concat(f.a, '') AS c FROM {rows} LEFT JOIN {texts} AS f ON f.a = 'x'",
        f"SELECT coalesce('x', f.a) AS c FROM {rows} LEFT JOIN {texts} AS f ON f.a = 'x'",
        f"SELECT coalesce(f.a || 'x', 'y') AS c FROM {rows} LEFT JOIN {texts} AS f ON f.a = 'x'",
        f"SELECT coalesce(['x', f.a, 'y'], '[]') AS c FROM {rows} LEFT JOIN {texts} AS f ON f.a = 'x'",
        f"SELECT coalesce(f.a, t.b) AS c FROM {rows} LEFT JOIN empty_table AS f ON f.a = t.a",
        *(
            f"WITH w AS ({w}), u AS (SELECT t.a FROM {rows} LEFT JOIN w AS v ON v.a > 1 WHERE v.a IS NULL) FROM u"
            for w in (
                "SELECT max(e.a) AS a FROM empty_table AS e",
                "SELECT 5 AS a FROM empty_table AS e HAVING count(*) = 0",
                "SELECT t.a FROM t LEFT OUTER JOIN empty_table AS e ON e.a = t.a",
                "SELECT t.a FROM empty_table AS e RIGHT JOIN t ON e.a = t.a",
                "SELECT t.a FROM t FULL JOIN empty_table AS e ON e.a = t.a",
                "SELECT t.a FROM t ANTI JOIN empty_table AS e ON e.a = t.a",
                "SELECT t.a IS DISTINCT FROM empty_table.a AS a FROM t AS empty_table, t",
                "SELECT e.a FROM empty_table AS e UNION SELECT 2 AS a",
            )
        ),
        "WITH RECURSIVE w AS (SELECT e.a FROM empty_table AS e UNION ALL SELECT w.a + 1 FROM w WHERE w.a < 5) FROM w",
        "SELECT 1 AS a UNION ALL SELECT t.a FROM empty_table AS e POSITIONAL JOIN t",
        f"WITH w AS (SELECT e.a FROM empty_table AS e), w_2 AS (SELECT t.a FROM t), "
        f"u AS (SELECT t.a, w.a AS b FROM {rows} LEFT JOIN w_2 AS v ON v.a > 1 LEFT JOIN w AS w ON 1 WHERE v.a IS NULL)"
        f" SELECT u.a, u.b FROM u",
    ]
    left_out = [
        f"SELECT n.a FROM ({window}) AS n",
        "WITH w AS (SELECT 3 AS a), v AS (SELECT w.a FROM w), u AS (SELECT 1 AS a) SELECT u.a FROM u",
        f"WITH w AS (SELECT 3 AS a) SELECT t.a FROM {rows}",
        f"WITH w AS (SELECT 3 AS a)\n-- no more\n, v AS (SELECT 4 AS a) SELECT t.a FROM {rows}",
        f"WITH w AS ({window}), v AS (SELECT w.a, w.most FROM w) SELECT w.a FROM w",
        f"WITH w AS ({window}), v AS ({window}) SELECT w.a, v.a FROM w CROSS JOIN v",
        f"SELECT t.a FROM {rows} WHERE 'x' = 'x' OR t.b = 2 ORDER BY t.a",
        f"SELECT t.a FROM {rows} WHERE t.a = 5 AND t.b = 2 OR 'x' = 'x'",
        f"SELECT t.a FROM {rows} WHERE 'x' = 'x' OR t.b = 2 UNION SELECT 5",
        f"SELECT t.a FROM {rows} {joined} ASOF JOIN t AS u ON u.a >= t.a WHERE e.a IS NULL",
        f"SELECT t.a FROM {rows} {joined} WHERE e.a IS NULL OR t.b = 2",
        f"SELECT t.a FROM {rows} {joined} AND left('x', 1) = 'x' WHERE e.a IS NOT NULL",
        f"SELECT CASE WHEN e.a IS NULL THEN t.a ELSE t.b END AS c FROM {rows} {joined} LEFT JOIN t AS u ON u.a = t.b",
        f"WITH w AS (SELECT t.a FROM {rows} LEFT JOIN empty_table_2 AS e ON e.a = t.a) SELECT w.a FROM w",
        f"SELECT t.a FROM {rows} LEFT JOIN (SELECT e.a FROM empty_table AS e WHERE e.a > 1) AS f ON f.a = t.a",
        f"SELECT t.a FROM {rows} LEFT JOIN (SELECT 1 AS a WHERE 'x' = 'y') AS f ON f.a = t.a",
        f"SELECT coalesce(f.a, '') AS c, coalesce(CAST(t.a AS VARCHAR), f.a, 'x') AS d FROM {rows} "
        f"LEFT JOIN {texts} AS f ON f.a = 'x'",
        f"WITH w AS (SELECT e.a FROM empty_table AS e), v AS (SELECT w.a, count(*) AS n FROM w GROUP BY w.a), "
        f"u AS (SELECT t.a FROM {rows} LEFT JOIN v AS v ON v.a = t.a WHERE v.n IS NULL) SELECT u.a FROM u",
        f"WITH w AS (SELECT t.a FROM t JOIN empty_table AS e ON e.a <= t.a), u AS ("
        f"SELECT t.a FROM {rows} LEFT JOIN (SELECT w.a FROM (SELECT w.a FROM w) AS w) AS v ON v.a = t.a) FROM u",
        f"WITH w AS (SELECT t.a FROM t CROSS JOIN empty_table AS e) SELECT t.a FROM {rows} UNION ALL SELECT w.a FROM w",
        f"SELECT CASE WHEN e.a IS NULL THEN t.a ELSE f.a END AS c FROM {rows} {joined} LEFT JOIN empty_table AS f ON 1",
    ]
    with connect_to_rows({}, Options()) as engine:
        engine.connection.execute("CREATE TEMP TABLE empty_table (a INTEGER)")
        engine.connection.execute("CREATE TEMP TABLE empty_table_2 AS FROM empty_table")
        engine.connection.execute("CREATE TEMP TABLE t AS SELECT 2 AS a")
        for sql in kept + left_out:
            written = macro_calls.write_in(sql, {}, frozenset({"empty_table"}))
            assert written is not None
            assert (written.sql == sql) is (sql in kept), sql
            found = [sorted(map(repr, engine.connection.execute(text).fetchall())) for text in (sql, written.sql)]
            assert found[0] == found[1], sql
            names = [[name for name, *_ in engine.connection.execute(text).description] for text in (sql, written.sql)]
            assert names[0] == names[1], sql


def test_every_aggregate_that_queries_call_is_known() -> None:
    """A SELECT with an aggregate has a row even where its condition never holds, so that it is no branch to drop."""
    with connect_to_rows({}, Options()) as engine:
        rows = engine.rows("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
    aggregates = {name for (name,) in rows}
    assert {"sum", "count", "arg_max", "list"} <= aggregates
    files = (FIXTURES.parent / "macros").glob("*.sql")
    bodies = [*(query.body for query in catalog.all_queries().values()), *(file.read_text("utf-8") for file in files)]
    called = {name.lower() for body in bodies for name in re.findall(r"\b(\w+)\(", body)} & aggregates
    assert len(called) > 5
    assert [name for name in sorted(called) if not macro_calls._AGGREGATES.fullmatch(name)] == []
