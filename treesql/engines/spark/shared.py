"""Relations that a statement names often: computed once, in place of wherever they are named.

Spark writes a common table expression out where it is named, again in those that name it: `conll18` would read tables
4,316 times, and be planned for minutes.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from treesql.engines.spark.session import is_remote

LARGEST_PLAN = 40
"""Number of times that a statement may read tables before its relations are shared: planned in a second or two."""


@dataclass(frozen=True)
class SharedStatement:
    """A statement whose relations `shared` are computed first, by name, each with those before it as tables."""

    shared: Mapping[str, str]
    statement: str


@lru_cache(maxsize=256)
def share_relations(sql: str) -> SharedStatement:
    """Return a statement of Spark's SQL with what it names more than once apart, if it would read tables too often.

    sql: what `to_spark` returns. Names are in lower case, as Spark does not distinguish case.
    """
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, read="spark")
    named = tree.args.get("with_")
    if named is None or count_reads(tree) <= LARGEST_PLAN or _hides_a_name(tree, named):
        return SharedStatement({}, sql)
    uses = Counter(_names_read(tree))
    shared: dict[str, str] = {}
    inlined: list[exp.CTE] = []
    for relation in named.expressions:
        name = relation.alias.lower()
        itself = _names_read(relation.this).count(name)
        is_apart = not relation.args["alias"].columns and not relation.this.args.get("with_")
        if is_apart and uses[name] - itself > 1 and count_reads(relation.this, inlined) > 1:
            body = exp.select("*").from_(relation.alias) if itself else relation.this
            shared[name] = _with(body, [*inlined, relation] if itself else inlined)
        else:
            inlined.append(relation)
    rest = tree.copy()
    rest.set("with_", None)
    return SharedStatement(shared, _with(rest, inlined))


def _hides_a_name(tree: Any, named: Any) -> bool:
    """Whether a subquery has a common table expression of its own with the name of one of the statement's."""
    from sqlglot import exp

    uses = Counter(relation.alias.lower() for relation in tree.find_all(exp.CTE))
    return any(uses[relation.alias.lower()] > 1 for relation in named.expressions)


def _names_read(tree: Any) -> list[str]:
    """Return the names of the tables and common table expressions that a tree reads, with their repetitions."""
    from sqlglot import exp

    return [_name(table) for table in tree.find_all(exp.Table)]


def _name(table: Any) -> str:
    """Return the name of a table in lower case; a qualified one is no common table expression, and has its schema."""
    return f"{table.db}.{table.name}".lower() if table.db else str(table.name).lower()


def count_reads(tree: Any, before: Any = None) -> int:
    """Return how often a statement reads tables, with those of its common table expressions, or of those given."""
    from sqlglot import exp

    named = tree.args.get("with_")
    sizes: dict[str, int] = {}
    for relation in (named.expressions if named is not None else ()) if before is None else before:
        sizes[relation.alias.lower()] = sum(sizes.get(name, 1) for name in _names_read(relation.this))
    return sum(sizes.get(_name(table), 1) for table in tree.find_all(exp.Table) if not _is_within(table, named))


def _is_within(node: Any, named: Any) -> bool:
    while node is not None:
        if node is named and named is not None:
            return True
        node = node.parent
    return False


def _with(body: Any, inlined: Any) -> str:
    """Return the SQL of a SELECT with those of the common table expressions that it needs."""
    from sqlglot import exp

    needed = set(_names_read(body))
    chosen: list[Any] = []
    for relation in reversed(inlined):
        if relation.alias.lower() in needed:
            chosen.insert(0, relation.copy())
            needed |= set(_names_read(relation.this))
    tree = body.copy()
    if chosen:
        recursive = any(relation.alias.lower() in _names_read(relation.this) for relation in chosen)
        tree.set("with_", exp.With(expressions=chosen, recursive=recursive))
    return str(tree.sql(dialect="spark", comments=False))


@contextmanager
def computed_once(session: Any, sql: str, values: Mapping[str, object]) -> Iterator[Any]:
    """Yield the rows of a statement as a data frame of Spark; in the block, its shared relations are kept.

    Executors keep their rows in memory and on disk, and compute them again where an executor was lost.
    """
    apart = share_relations(sql)
    if not apart.shared or is_remote(session):  # Spark Connect has no plans to share
        yield session.sql(sql, args=dict(values))
        return
    tag = uuid.uuid4().hex[:12]
    kept: list[Any] = []
    names = {name: f"{name}_{tag}" for name in apart.shared}
    try:
        for name, body in apart.shared.items():
            rows = session.sql(_renamed(body, names), args=dict(values)).persist()
            kept.append(rows)
            _as_leaf(session, rows).createOrReplaceTempView(names[name])
        yield session.sql(_renamed(apart.statement, names), args=dict(values))
    finally:
        for name in names.values():
            with suppress(Exception):  # the session was stopped, or an error is under way
                session.catalog.dropTempView(name)
        for rows in kept:
            with suppress(Exception):
                rows.unpersist()


def _as_leaf(session: Any, rows: Any) -> Any:
    """Return kept rows as a data frame whose plan is a leaf: what names it plans nothing of it again."""
    from pyspark.sql import DataFrame

    plan = rows._jdf.queryExecution().toRdd()
    return DataFrame(session._jsparkSession.internalCreateDataFrame(plan, rows._jdf.schema(), False), session)


def _renamed(sql: str, names: Mapping[str, str]) -> str:
    """Return a statement that reads other tables in place of those named, in lower case."""
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(sql, read="spark")
    for table in list(tree.find_all(exp.Table)):
        if _name(table) in names:
            if not table.alias:
                table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
            table.set("this", exp.to_identifier(names[_name(table)]))
    return str(tree.sql(dialect="spark"))
