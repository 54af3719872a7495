"""Signatures: the inputs, options and versions that a number was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from treesql import catalog, readers
from treesql._version import __version__
from treesql.catalog import Query, schemas
from treesql.catalog.header import Parameter
from treesql.catalog.queries import OF_WORDS, further_corpora
from treesql.engines import Engine
from treesql.scoring.audits import Record, record_of, records_of
from treesql.scoring.items import column_of

WDE = "wde"
"""Name of weights in signatures that are word dependency entropies: of the gold corpus, or of those in brackets."""

UNKNOWN_READING = "?"
"""Mark of corpora that an older treesql loaded without their options of reading."""

CHANGED = "changed"
"""Mark of corpora whose rows SQL has changed; their digest is that of the rows."""

_DIGITS = 6
"""Number of hexadecimal digits of a digest in signatures."""

_ONE_OR_ALL = "corpus_name"
"""Parameter of statistics that names one corpus, or is empty for all."""


class ReadOnce:
    """What signatures read from an engine, each statement once. For as long as its rows stay as they are."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.version, self.is_small = engine.name, engine.version, engine.is_small
        self._found: dict[str, list[tuple[Any, ...]]] = {}
        self._records: dict[str, Record] = {}

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a small SELECT, as an engine does."""
        key = f"{statement}{values}"
        if key not in self._found:
            self._found[key] = self._engine.rows(statement, values)
        return self._found[key]

    def record(self, corpus: str) -> Record:
        """The record of a corpus."""
        if corpus not in self._records:
            self._records[corpus] = record_of(self, corpus)
        return self._records[corpus]


def signature(
    engine: Engine | ReadOnce,
    query: Query,
    score_name: str,
    values: Mapping[str, object],
    where: str | None,
    by: Sequence[str] = (),
) -> str:
    """Return the signature of a score: its name, options, corpora and their files, query and versions."""
    return f"{score_name}|{origin(engine, query, values, where, by)}"


def origin(
    engine: Engine | ReadOnce,
    query: Query,
    values: Mapping[str, object],
    where: str | None,
    by: Sequence[str] = (),
) -> str:
    """Return the part of signatures after the name, which all scores of a metric share."""
    of_corpora = [p for p in query.parameters if p.name.endswith(("_corpus", "_corpora")) or p.name == _ONE_OR_ALL]
    others = [p for p in query.parameters if p not in of_corpora]
    named_words = {column_of(name) for name in by} | catalog.words((where or "").lower())
    further = [name for name in further_corpora(query, named_words) if name in values]
    parts = [f"{p.name}:{_value(engine, p, values[p.name])}" for p in others]
    if "relation_classes" in query.sources:
        parts.append(f"classes:{_classes(engine)}")
    if where:
        parts.append(f"where:{_escape(where)}")
    if by:
        parts.append(f"by:{_escape(','.join(by))}")
    named: list[str] = []
    for name in (*(parameter.name for parameter in of_corpora), *further):
        corpora = _corpora_of(name, str(values[name]))
        named += corpora
        if corpora:
            role = name.removesuffix("_corpora").removesuffix("_corpus").removesuffix("_name").removesuffix(OF_WORDS)
            parts.append(f"{role}:{'+'.join(cite_corpus(engine, corpus) for corpus in corpora)}")
    if not named and query.sources.intersection(table.name for table in schemas.corpus_tables()):
        parts += _cite_all(engine)
    elif catalog.contains_query(where):
        parts += _cite_others(engine, named)
    return "|".join([*parts, f"q:{query.sha256[:8]}", f"v:{__version__}", f"{engine.name}:{engine.version}"])


def cite_corpus(engine: Engine | ReadOnce, corpus: str) -> str:
    """Return the name of a corpus's file, the first digits of its digest, and the ways in which its reading is unusual.

    `ewt.conllu@5d0c11`, `links@91be02(pharaoh,reverse)`, `ewt.conllu@70a3b1(changed)`: the format if the ending
    implies another, options that changed rows, the version of treesql if another loaded it, changes by SQL.
    """
    return _cite(engine.record(corpus) if isinstance(engine, ReadOnce) else record_of(engine, corpus))


def _cite(record: Record) -> str:
    """Return what cites the corpus of a record."""
    notes = [record.format] if record.format != _usual_format(record.path) else []
    notes += [UNKNOWN_READING] if record.reading is None else record.reading.split()
    notes += [f"v:{record.version}"] if record.version != __version__ else []
    notes += [CHANGED] if record.changed else []
    name = Path(record.path).name if record.path else record.corpus
    more = f"+{record.n_files - 1}" if record.n_files > 1 else ""
    return _escape(f"{name}{more}@{record.sha256[:_DIGITS]}" + (f"({','.join(notes)})" if notes else ""))


def digest_systems(engine: Engine, query: Query, systems: Sequence[Mapping[str, object]]) -> str:
    """Return the number of systems, given as values of parameters, and a digest of their origins: `3@5d0c11`."""
    origins = [(origin(engine, query, query.values(values), None),) for values in systems]
    return f"{len(systems)}@{_digest(sorted(origins))}"


def _corpora_of(parameter: str, value: str) -> list[str]:
    """Return the names of corpora in the value of a parameter."""
    if parameter.endswith("_corpora"):
        return [name for name in value.split(",") if name]
    return [value] if value or parameter != _ONE_OR_ALL else []


@lru_cache
def _usual_format(path: str | None) -> str | None:
    """Return the format that a file's ending implies, or None."""
    return readers.format_of_ending(path) if path else None


def _value(engine: Engine | ReadOnce, parameter: Parameter, value: object) -> str:
    """Return the value of a parameter; sets of weights and of rules with a digest of their rows."""
    if parameter.name == "weights":
        return _weights(engine, str(value))
    if parameter.name == "rules":
        sql = (
            "SELECT e.parameter, e.value, e.same_as FROM evalb_parameters AS e WHERE e.parameter_set = $rules\n"
            "ORDER BY e.parameter, e.value, e.same_as NULLS LAST"
        )
        return f"{_escape(value)}@{_digest(engine.rows(sql, {'rules': value}))}"
    return _escape(float(str(value)) if parameter.type == "DOUBLE" else value)


def _weights(engine: Engine | ReadOnce, name: str) -> str:
    """Return `wde`, or the set's name and a digest of its rows, rounded: entropies may differ in their last digits."""
    if not name:
        return WDE
    sql = "SELECT relation, weight FROM relation_weights WHERE weight_set = $name ORDER BY relation, weight"
    rows = [(relation, f"{weight:.9g}") for relation, weight in engine.rows(sql, {"name": name})]
    return f"{_escape(name)}@{_digest(rows)}"


def _classes(engine: Engine | ReadOnce) -> str:
    sql = "SELECT relation, class FROM relation_classes ORDER BY relation, class"
    return _digest(engine.rows(sql))


def _cite_others(engine: Engine | ReadOnce, named: Sequence[str]) -> list[str]:
    """Return a digest of the corpora that a condition with a subquery may read besides the scored ones."""
    others = [(name, _cite(record)) for name, record in sorted(records_of(engine).items()) if name not in named]
    return [f"others:{_digest(others)}"] if others else []


def _cite_all(engine: Engine | ReadOnce) -> list[str]:
    """Return the number of corpora, and a digest of them with their treebanks."""
    rows = engine.rows("SELECT coalesce(c.treebank, ''), c.corpus FROM corpora AS c")
    records = records_of(engine)
    cited = sorted((treebank, _cite(records[corpus])) for treebank, corpus in rows)
    return [f"corpora:{len(cited)}@{_digest(cited)}"]


def _digest(rows: Sequence[tuple[object, ...]]) -> str:
    """Return the first digits of a digest of rows."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:_DIGITS]


def _escape(value: object) -> str:
    """Return a value with the separators of signatures escaped."""
    return str(value).replace("|", "\\|")
