"""Conditions, names and requests that hold SQL: they are refused or taken as they are, and files stay as they were."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import treesql
from tests.conftest import FIXTURES
from tests.house.rules import in_turn
from tests.robustness.sql_safety import SECRET, files, written
from treesql.errors import RequestError, TreesqlError, UnknownName, UsageError

CONDITIONS = [
    "1 = 1); COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false); SELECT (1",
    "1 = 1) AS x; COPY (SELECT 'garbage') TO 'DB' (FORMAT csv, USE_TMP_FILE false); --",
    "1 = 1)) AS i) AS s) AS p0; COPY (SELECT 'garbage') TO 'DB.wal' (FORMAT csv, USE_TMP_FILE false); --",
    "1 = 1; DROP TABLE words",
    "1 = 1; SELECT 1",
    "1 = 1) UNION ALL (SELECT * FROM words",
    "1 = 1 ORDER BY 1",
    "1 = 1 -- ) ; \n); COPY (SELECT 1) TO 'DB.wal'; SELECT (1",
    "1 = 1 /* ",
    "1 = 1))",
    "((1 = 1)",
    "'",
    '"',
    "$$",
    "word = 1 AND",
]
SAFE_CONDITIONS = ["word = 1 -- a remark", "(word = 1)", "form = ');'", "word /* ; */ = 1", "form <> ';' AND word = 1"]


@in_turn("condition", CONDITIONS)
def test_conditions_end_no_statement(
    opened: treesql.Database, folder: Path, before: dict[str, str], condition: str
) -> None:
    with pytest.raises(UsageError, match="is not a SQL expression"):
        opened.score("attachment", gold_corpus="gold", system_corpus="parser-a", where=written(condition, folder))
    assert files(folder) == before


@pytest.mark.spread(2, rest="slow")
@pytest.mark.parametrize("condition", CONDITIONS[:2])
def test_conditions_on_the_command_line(run, folder: Path, before: dict[str, str], condition: str) -> None:  # type: ignore[no-untyped-def]
    gold, system = FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu"
    for arguments in (
        ["score", "dependency", "gold", "parser-a", "--db", folder / "t.duckdb"],
        ["compare", "dependency", "gold", "gold", "parser-a", "--db", folder / "t.duckdb"],
        ["score", "dependency", gold, system],
    ):
        done = run(*arguments, "--where", written(condition, folder))
        assert (done.code, done.out) == (2, ""), done
        assert done.err.startswith("the condition ")
        assert "is not a SQL expression" in done.err
    assert files(folder) == before


@pytest.mark.filterwarnings("ignore:.*no item meets the condition")
@pytest.mark.parametrize("condition", SAFE_CONDITIONS)
def test_conditions_that_are_expressions(examples: treesql.Database, condition: str) -> None:
    given = {"gold_corpus": "gold", "system_corpus": "parser-a"}
    [row] = examples.score("attachment", where=condition, **given).rows()
    assert row["words"] == (0 if "');'" in condition else 5)


def test_conditions_read_no_files(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    where = f"(SELECT content FROM read_text('{folder}/secret.txt')) = '{SECRET}'"
    for given in (("gold", "parser-a", "--db", folder / "t.duckdb"), (FIXTURES / "gold.conllu",) * 2):
        done = run("score", "dependency", *given, "--where", where)
        assert (done.code, done.out) == (2, "")
        assert "Permission Error" in done.err


NAMES = ["'; DROP TABLE words; --", '"; DROP TABLE words; --', "x' OR '1' = '1", "$gold_corpus", "a\nb", "words w", "*"]


@pytest.mark.spread(4)
@pytest.mark.parametrize("name", NAMES[:4])
def test_names_are_no_sql(run, folder: Path, before: dict[str, str], name: str) -> None:  # type: ignore[no-untyped-def]
    path, gold = folder / "t.duckdb", FIXTURES / "gold.conllu"
    for arguments in (
        ["score", "dependency", "gold", "parser-a", "--db", path, "--by", name],
        ["score", "dependency", "gold", name, "--db", path],
        ["score", "dependency", name, "gold", "--db", path],
        ["score", "dependency", gold, gold, "--by", name],
        ["score", "dependency", gold, gold, "--table", name],
        ["score", "dependency", gold, gold, "--metric", name],
        ["compare", "dependency", "gold", "gold", "parser-a", "--db", path, "--stratum", name],
        ["stats", path, "--corpus", name],
        ["find", path, "pattern { V [] }", "--corpus", name],
    ):
        done = run(*arguments)
        assert (done.code, done.out) == (2, ""), (arguments, done)
        assert "Traceback" not in done.err
        assert "failed:" not in done.err
    assert files(folder) == before


@pytest.fixture(scope="module")
def db() -> Iterator[treesql.Database]:
    """A database of gold and parser-a, in which tests leave no other corpora."""
    with treesql.connect() as one:
        one.load(FIXTURES / "gold.conllu", FIXTURES / "parser-a.conllu", each="file")
        yield one


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", [*NAMES[:5], "%", "ä'\"ö"])
def test_corpora_with_quotes_in_their_names(db: treesql.Database, name: str) -> None:
    db.load(FIXTURES / "gold.conllu", corpus=name)
    [row] = db.score("attachment", gold_corpus=name, system_corpus="parser-a").rows()
    assert (row["words"], round(row["uas"], 4)) == (30, 0.8333)
    assert db.find("pattern { V [upos=VERB] }", corpus=name, count=True).rows() == [{"count": 4}]
    db.drop(name)
    assert db.corpora == ["gold", "parser-a"]
    assert db.sql("SELECT count(*) AS n FROM words").rows() == [{"n": 60}]


REQUESTS = [
    'pattern { V [form="\'; DROP TABLE words; --"] }',
    "pattern { V [form=\"x' OR '1' = '1\"] }",
    'pattern { V [lemma="\\""] }',
    'pattern { V [form=re"\'); DROP TABLE words; --"] }',
    'pattern { A -["\'; DROP TABLE words; --"]-> B }',
    "pattern { A -[x'y]-> B }",
    "pattern { V [\"form' = '1\"=x] }",
    "pattern { V'; DROP TABLE words; -- [] }",
    "pattern { V [form=$$x$$] }",
    'global { sent_id = "\'; DROP TABLE words; --" }',
    'global { text = re"\'" }',
]


@in_turn("request_text", REQUESTS)
def test_requests_are_no_sql(folder: Path, before: dict[str, str], safe: treesql.Database, request_text: str) -> None:
    for given in ({}, {"count": True}, {"by": "V.form"}, {"columns": "V.form"}, {"whether": 'V [form="\'"]'}):
        try:
            rows = safe.find(request_text, **given).rows()  # type: ignore[arg-type]
        except (RequestError, UnknownName, UsageError):
            continue
        except treesql.TreesqlWarning:
            continue
        assert not rows or rows == [{"count": 0}]
    assert files(folder) == before


@pytest.mark.parametrize(
    "keys", ["V.form' FROM words; --", "V.form); DROP TABLE words; --", 'V."form"', "form; x", "'"]
)
def test_keys_of_requests_are_no_sql(safe: treesql.Database, keys: str) -> None:
    for given in ({"columns": keys}, {"by": keys}):
        with pytest.raises(TreesqlError):
            safe.find("pattern { V [] }", **given)  # type: ignore[arg-type]
