"""The rules of schemas/: they can be run, what text readers accept satisfies them, and each can be broken."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, bare, thorough_but
from tests.robustness.mutations import mutated
from tests.robustness.notations import text_notations
from treesql.catalog import schemas
from treesql.errors import TreesqlError
from treesql.storage import derived_rows, row_rules
from treesql.storage.row_rules import CheckedRows, RuleFault

TABLES = [table for table in schemas.corpus_tables() if table.name != "corpora"]
RULES = [(table, one) for table in TABLES for rule in table.rules for one in rule.each]


def rows_of(db: treesql.Database, corpus: str, kind: str) -> CheckedRows:
    """All rows of a corpus."""
    tables = {
        table.name: f"SELECT * FROM main.{table.name} WHERE corpus = $corpus" for table in schemas.corpus_tables()
    }
    whole = {**tables, "sentences": f"SELECT *, TRUE AS changed FROM ({tables['sentences']}) AS t"}
    return CheckedRows(bare(db), kind, tables, whole, {"corpus": corpus})


def broken(db: treesql.Database, corpus: str, *, permissive: bool = False) -> list[RuleFault]:
    """What is wrong with the rows of a corpus by all rules and derivations of its kind."""
    [(kind,)] = bare(db).execute("SELECT kind FROM corpora WHERE corpus = ?", [corpus]).fetchall()
    rows = rows_of(db, corpus, kind)
    found = []
    for table in TABLES:
        found += row_rules.find_row_faults(rows, table, list(row_rules.column_rules(table, table.names)))
        found += row_rules.find_structure_faults(rows, table)
        rules = [rule for rule in table.rules if schemas.is_of_kind(rule, kind)]
        found += row_rules.find_row_faults(rows, table, rules)
        for derived in table.derived:
            if schemas.is_of_kind(derived, kind):
                found += derived_rows.find_stale(rows, table, derived, cycles=permissive)
    return found


def broken_by(db: treesql.Database, path: Path, name: str, options: dict[str, Any]) -> list[RuleFault] | None:
    """What is wrong with the rows that a reader makes of a file, a corpus of its name; None where it refuses it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", treesql.TreesqlWarning)
        try:
            db.load(path, corpus=path.name, format=text_notations()[name].form, **options)
        except TreesqlError:
            return None
        return broken(db, path.name, permissive=bool(options.get("permissive")))


FORMATS = [name for name, notation in text_notations().items() if notation.form]


@pytest.mark.spread(8, rest="slow")
@pytest.mark.parametrize("name", FORMATS)
def test_what_readers_accept_satisfies_all_rules(db: treesql.Database, name: str, tmp_path: Path) -> None:
    notation = text_notations()[name]
    (tmp_path / "input").write_bytes(notation.seeds[0])
    assert broken_by(db, tmp_path / "input", name, dict(notation.options[0])) == []


@pytest.mark.slow
@pytest.mark.spread(4)
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("n", thorough_but([4, 12], 4))
def test_whatever_readers_accept_satisfies_all_rules(db: treesql.Database, n: int, name: str, tmp_path: Path) -> None:
    """Of damaged files as well. n: number of them."""
    notation, chance = text_notations()[name], Random(7)
    for number in range(n):
        path = tmp_path / f"input {number}"
        path.write_bytes(mutated(notation.seeds, chance))
        options = dict(chance.choice(notation.options))
        assert not broken_by(db, path, name, options), path.read_bytes()


def test_every_rule_can_be_run_and_told(db: treesql.Database) -> None:
    """Its query names columns that there are, begins with the key, and gives what its message names."""
    assert len(RULES) > 80
    rows = rows_of(db, "none", "")
    for table, rule in RULES:
        sql = rule.rows or f"SELECT t.* FROM {table.name} AS t WHERE {rule.where}"
        given = {column[0] for column in rows.execute(sql, whole=rule.whole).description or ()}
        assert given >= {*re.findall(r"{(\w+)}", rule.what)}, rule.name
        assert row_rules.own_key(table)[0] in given, rule.name
        assert rows.first(sql, whole=rule.whole) == []
    names = [(table.name, rule.name) for table in TABLES for rule in table.rules if not rule.columns]
    assert len(names) == len(set(names))


def test_every_derivation_can_be_run(db: treesql.Database) -> None:
    rows = rows_of(db, "none", "")
    derivations = [(table, one) for table in TABLES for one in table.derived]
    assert len(derivations) == 11
    for table, derived in derivations:
        assert list(derived_rows.find_stale(rows, table, derived, cycles=False)) == []


VALUES: dict[str, list[Any]] = {
    "VARCHAR": [None, "", "_", "-", "a\tb", "a\n", "a\r", "\0", "3:nsubj|3:nsubj", "4", "é"],
    "INTEGER": [None, -1, 0, 1, 2, 9, 99],
    "BOOLEAN": [None, True, False],
    "DOUBLE": [None, -1.0, 2.0, float("nan"), 1e301],
}
"""What cells are changed to, by the type of their column."""


def damaged(tables: dict[str, pa.Table], chance: Random) -> dict[str, pa.Table]:
    """Tables of which one has another value in a cell, a row less or twice, or two rows in another order."""
    name = chance.choice([name for name, rows in tables.items() if len(rows) > 1])
    schema, rows = tables[name].schema, tables[name].to_pylist()
    at, column = chance.randrange(len(rows) - 1), chance.choice(schema.names)
    kind = schemas.table(name)[column].type
    match chance.choice(["value", "value", "value", "value", "less", "twice", "swapped"]):
        case "less":
            del rows[at]
        case "twice":
            rows.insert(at, rows[at])
        case "swapped":
            rows[at], rows[at + 1] = rows[at + 1], rows[at]
        case _:
            values = VALUES.get(kind.removesuffix("[]"), VALUES["INTEGER"] if kind == "BIGINT" else [None])
            value = chance.choice(values)
            rows[at][column] = [value, value] if kind.endswith("[]") and chance.random() < 0.8 else value
            if kind.endswith("[]") and not isinstance(rows[at][column], list):
                rows[at][column] = None
    return {**tables, name: pa.Table.from_pylist(rows, schema)}


def faults_of(rows: CheckedRows) -> list[list[RuleFault]]:
    """What is wrong with rows, stage by stage up to the first that finds something, as data sets are checked."""
    faults: list[list[RuleFault]] = [[], [], [], []]
    for table in (table for table in TABLES if table.name in rows.tables):
        rules = [rule for rule in table.rules if schemas.is_of_kind(rule, rows.kind)]
        columns = [column.name for column in table.columns[1:] if not column.computed]
        faults[0] += row_rules.find_row_faults(rows, table, list(row_rules.column_rules(table, columns)))
        faults[1] += row_rules.find_structure_faults(rows, table)
        faults[2] += row_rules.find_row_faults(rows, table, rules)
    if not any(faults):
        derived = [(table, one) for table in TABLES for one in table.derived if schemas.is_of_kind(one, rows.kind)]
        for table, derivation in derived:
            faults[3] += derived_rows.find_stale(rows, table, derivation, cycles=False)
    return faults


@pytest.mark.parametrize("n", [4, pytest.param(60, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "name",
    [
        "gold.conllu",
        "lattices.txt",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("gold.mrg", "links.pharaoh", "hypotheses.txt")),
    ],
)
def test_columns_in_memory_show_what_sql_finds(name: str, n: int) -> None:
    """Faults of rows in memory, whose buffers are looked at first, are those that SQL alone finds."""
    chance, found = Random(f"{name} {n}"), 0
    with treesql.connect() as db:
        db.load(FIXTURES / name, corpus="c")
        connection = bare(db)
        [(kind,)] = connection.execute("SELECT kind FROM corpora").fetchall()
        tables = {}
        for table in schemas.corpus_tables():
            plain = [column for column in table.columns[1:] if not column.computed]
            schema = pa.schema([(column.name, column.plain_type) for column in plain])
            columns = ", ".join(f't."{column.name}"' for column in plain)
            order = ", ".join(f't."{key}"' for key in table.key[1:]) or "1"
            sql = f"SELECT {columns} FROM main.{table.name} AS t ORDER BY {order}"
            tables[table.name] = connection.sql(sql).to_arrow_table().cast(schema)
        record = tables.pop("corpora")
        for _ in range(n):
            stored = {**damaged(tables, chance), "corpora": record}
            for table_name, rows in stored.items():
                connection.register(f"rows of {table_name}", rows)
            views = {table_name: f'FROM "rows of {table_name}"' for table_name in stored}
            in_memory, in_sql = (
                CheckedRows(connection, kind, views, views, sorted=True, stored=rows) for rows in (stored, None)
            )
            expected = faults_of(in_sql)
            assert faults_of(in_memory) == expected
            found += any(expected)
    assert found > n / 3


@pytest.mark.parametrize(
    ("sentences", "of_corpus", "of_files"),
    [
        ([], [], []),
        ([("a", "x"), (None, "x"), ("b", "x"), (None, "x")], [], []),
        ([("a", "x"), ("b", "x"), ("a", "y"), (None, "y"), ("b", "y"), ("b", "y")], [2, 4, 5], [5]),
        ([("b", "x"), ("a", "x"), ("b", "x"), ("b", "x")], [2, 3], [2, 3]),
    ],
)
def test_repeated_ids(
    db: treesql.Database, sentences: list[tuple[str | None, str]], of_corpus: list[int], of_files: list[int]
) -> None:
    """Sentences without an id repeat none."""
    insert = "INSERT INTO sentences (corpus, sentence, sent_id, comments, file, line, n_words)"
    for at, (name, file) in enumerate(sentences):
        bare(db).execute(f"{insert} VALUES ('c', ?, ?, [], ?, 1, 0)", [at, name, file])
    rows = rows_of(db, "c", "dependency")
    for by, expected in (("s.sent_id", of_corpus), ("s.file, s.sent_id", of_files)):
        found = rows.execute(row_rules.REPEATED_IDS.format(by=by), whole=True).fetchnumpy()["sentence"]
        assert np.sort(found).tolist() == expected


@pytest.mark.parametrize(
    ("kind", "gold", "system", "metric"),
    [
        ("dependency", "gold.conllu", "parser-a.conllu", "attachment"),
        ("constituency", "gold.mrg", "test.mrg", "f1"),
    ],
)
def test_data_sets_of_which_some_columns_are_read(
    tmp_path: Path, kind: str, gold: str, system: str, metric: str
) -> None:
    """Their scores are those of the files."""
    with treesql.connect() as db:
        db.load(FIXTURES / gold, corpus="gold")
        db.export(tmp_path / "set")
    of_files, of_set = (
        treesql.score(kind, gold=path, systems=[FIXTURES / system], metric=metric).rows()
        for path in (FIXTURES / gold, tmp_path / "set")
    )
    assert of_set == of_files
