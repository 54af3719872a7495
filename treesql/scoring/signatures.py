"""Signatures: what a number was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from treesql import catalog, readers
from treesql._version import __version__
from treesql.catalog import Query, schemas
from treesql.catalog.header import Parameter

GOLD_ENTROPIES = "word dependency entropies of the gold corpus"
"""The set of weights that holds them where they are computed once for all systems."""

WDE = "wde"
"""What signatures call them."""

UNKNOWN = "?"
"""Stands for options of reading that an older treesql did not keep."""

CHANGED = "changed"
"""Marks corpora whose rows SQL has changed; their digest is that of the rows."""

_DIGITS = 6
"""Number of hexadecimal digits that are cited of a digest."""

_ONE_OR_ALL = "corpus_name"
"""The parameter of statistics that names a corpus, or none for all."""

_CORPUS = """
SELECT c.files[1].path, len(c.files), c.sha256, c.format, c.reading, c.treesql_version, c.changed_at IS NOT NULL
FROM corpora AS c WHERE c.corpus = ?
"""


def signature(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    score_name: str,
    values: Mapping[str, object],
    where: str | None,
    by: str | None = None,
) -> str:
    """What a number was computed from: score, options, corpora and their files, query and versions."""
    return f"{score_name}|{origin(connection, query, values, where, by)}"


def origin(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    values: Mapping[str, object],
    where: str | None,
    by: str | None = None,
) -> str:
    """What all scores of a metric were computed from: their signatures behind the name."""
    corpora = [p.name for p in query.parameters if p.name.endswith(("_corpus", "_corpora")) or p.name == _ONE_OR_ALL]
    parts = [f"{p.name}:{_value(connection, p, values[p.name])}" for p in query.parameters if p.name not in corpora]
    if "relation_classes" in query.sources:
        parts.append(f"classes:{_classes(connection)}")
    if where:
        parts.append(f"where:{_escape(where)}")
    if by:
        parts.append(f"by:{_escape(by)}")
    named: list[str] = []
    for name in corpora:
        own = [one for one in str(values[name]).split(",") if one] if name.endswith("_corpora") else [str(values[name])]
        own = [one for one in own if one or name != _ONE_OR_ALL]
        named += own
        if own:
            told = "+".join(cited(connection, one) for one in own)
            parts.append(f"{name.removesuffix('_corpora').removesuffix('_corpus').removesuffix('_name')}:{told}")
    if not named and query.sources.intersection(table.name for table in schemas.corpus_tables()):
        parts += _all_corpora(connection)
    elif catalog.contains_query(where):
        parts += _others(connection, named)
    return "|".join([*parts, f"q:{query.sha256[:8]}", f"v:{__version__}", f"duckdb:{duckdb.__version__}"])


def cited(connection: duckdb.DuckDBPyConnection, corpus: str) -> str:
    """A corpus by its file's name and the first digits of its digest, with all of its reading that is not usual.

    `ewt.conllu@5d0c11`, `links@91be02(pharaoh,reverse)`, `ewt.conllu@70a3b1(changed)`: the format where the ending says
    another, options that changed rows, the treesql that read it if it was another, whether SQL changed it.
    """
    [(path, n, digest, form, how, version, changed)] = connection.execute(_CORPUS, [corpus]).fetchall()
    notes = [form] if form != _usual_format(path) else []
    notes += [UNKNOWN] if how is None else how.split()
    notes += [f"v:{version}"] if version != __version__ else []
    notes += [CHANGED] if changed else []
    name = Path(path).name if path else corpus
    more = f"+{n - 1}" if n > 1 else ""
    return _escape(f"{name}{more}@{digest[:_DIGITS]}" + (f"({','.join(notes)})" if notes else ""))


def digest_of(connection: duckdb.DuckDBPyConnection, query: Query, systems: Sequence[Mapping[str, object]]) -> str:
    """The number of systems, by the values of a query's parameters, and a digest of what each is: `3@5d0c11`."""
    told = [(origin(connection, query, query.values(values), None),) for values in systems]
    return f"{len(systems)}@{_digest(sorted(told))}"


def _usual_format(path: str | None) -> str | None:
    """The format that a file's ending says; None where it says none."""
    return readers.format_of_ending(path) if path else None


def _value(connection: duckdb.DuckDBPyConnection, parameter: Parameter, value: object) -> str:
    """The value of a parameter, sets of weights and of rules with a digest of what is in them."""
    if parameter.name == "weights":
        return _weights(connection, str(value))
    if parameter.name == "rules":
        sql = "SELECT parameter, value, same_as FROM evalb_parameters WHERE parameter_set = ? ORDER BY ALL"
        return f"{_escape(value)}@{_digest(connection.execute(sql, [value]).fetchall())}"
    return _escape(float(str(value)) if parameter.type == "DOUBLE" else value)


def _weights(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """`wde`, or the set's name and a digest of its rows, rounded, as entropies may differ in their last digits."""
    if name in ("", GOLD_ENTROPIES):
        return WDE
    sql = "SELECT relation, weight FROM relation_weights WHERE weight_set = ? ORDER BY relation, weight"
    rows = [(relation, f"{weight:.9g}") for relation, weight in connection.execute(sql, [name]).fetchall()]
    return f"{_escape(name)}@{_digest(rows)}"


def _classes(connection: duckdb.DuckDBPyConnection) -> str:
    sql = "SELECT relation, class FROM relation_classes ORDER BY relation, class"
    return _digest(connection.execute(sql).fetchall())


def _others(connection: duckdb.DuckDBPyConnection, named: Sequence[str]) -> list[str]:
    """A digest of the corpora that a condition with a query of its own may read beside those that are scored."""
    rows = connection.execute("SELECT corpus FROM corpora ORDER BY corpus").fetchall()
    others = [(corpus, cited(connection, corpus)) for (corpus,) in rows if corpus not in named]
    return [f"others:{_digest(others)}"] if others else []


def _all_corpora(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The number of corpora, and a digest of them with the treebanks that they are of."""
    rows = connection.execute("SELECT coalesce(treebank, ''), corpus FROM corpora ORDER BY ALL").fetchall()
    told = sorted((treebank, cited(connection, corpus)) for treebank, corpus in rows)
    return [f"corpora:{len(told)}@{_digest(told)}"]


def _digest(rows: Sequence[tuple[object, ...]]) -> str:
    """The first digits of a digest of rows."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:_DIGITS]


def _escape(value: object) -> str:
    """A value in a signature, whose parts stand between bars."""
    return str(value).replace("|", "\\|")
