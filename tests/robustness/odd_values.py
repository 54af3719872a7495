"""Values of every type of SQL in every format, and long chains and deep nests in requests and conditions.

    python -m tests.robustness.odd_values --seed 1 --structures 100 --parts 70 2000

writes every type, alone, with the others and in so many random structures, in every format, and runs commands whose
texts chain or nest so many parts. It prints what is wrong, a line each; the exit code is 1 if anything is.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import duckdb

import treesql
from tests.conftest import FIXTURES
from treesql.cli import main
from treesql.errors import TreesqlError
from treesql.results.tables import FORMATS

ALL_TYPES = "test_all_types()"
"""A table function of DuckDB: a column of every type, with its least and largest value and NULL."""

FURTHER = (
    "{'a': 1}::VARIANT", "[1::VARIANT]", "DATE 'infinity'", "DATE '-infinity'", "DATE '99999-01-01'",
    "DATE '0044-03-15 (BC)'", "TIMESTAMP 'infinity'", "'infinity'::TIMESTAMP_S", "['\\xAA'::BLOB]",
    "INTERVAL 3000000 HOURS", "{'a': 101::BIT, 'b': TIMETZ '10:00:00+02'}", "MAP {1: INTERVAL 1 DAY}",
    "union_value(k := INTERVAL 1 DAY)", "'nan'::DOUBLE", "[1.5, 'inf'::DOUBLE, NULL]",
    "{'NaN': 'NaN', 'x': 'nan'::FLOAT}", "[-170141183460469231731687303715884105728]",
    "0.0000000001::DECIMAL(38, 10)", "'x'::ENUM('x')",
)  # fmt: skip
"""Values of types, and ends of types, that it lacks."""

ACCESSORS = ("rows", "pl", "df", "arrow", "html", "__repr__", "_repr_html_")

Chains = dict[str, list[str]]
"""Command lines by name."""


def statements(seed: int, size: int) -> list[str]:
    """SELECTs of every type alone, of all at once, and of so many random structures of some."""
    draws = random.Random(seed)
    columns = [name for name, *_ in duckdb.connect().sql(f"DESCRIBE FROM {ALL_TYPES}").fetchall()]
    found = [f'SELECT "{name}" AS x FROM {ALL_TYPES}' for name in columns]
    found += [f"SELECT {value} AS x" for value in FURTHER]
    for _ in range(size):
        a, b, c = (f'"{draws.choice(columns)}"' for _ in range(3))
        shape = draws.choice(["[{a}]", "{{'a': {a}, 'b': {b}}}", "[{{'a': {a}, 'b': [{b}]}}]", "MAP {{1: {a}}}"])
        found.append(f"SELECT {shape.format(a=a, b=b)} AS x, {c} AS y FROM {ALL_TYPES}")
    # A union in a structure that is NULL in a row.
    found += [f"SELECT {made} AS x FROM {ALL_TYPES}" for made in ("{'a': \"union\"}", "[{'a': [\"union\"]}]")]
    return [*found, f"FROM {ALL_TYPES}"]


def find_faults_of_values(db: treesql.Database, sql: str) -> Iterator[str]:
    """Write the rows of a statement in every format and read them by every accessor; yield what is wrong."""
    wanted = duckdb.connect().sql(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({sql})")
    for form in FORMATS:
        file = io.BytesIO()
        try:
            treesql.write(db.stream(sql), file, format=form)
        except TreesqlError as error:
            if said := _judge(error):
                yield f"{form}, {sql}: {said}"
        except BaseException as error:
            yield f"{form}, {sql}: {type(error).__name__}: {error}"
        else:
            yield from (f"{form}, {sql}: {fault}" for fault in _faults_of_text(form, file.getvalue(), wanted))
    for name in ACCESSORS:
        try:
            getattr(db.sql(sql), name)()
        except TreesqlError as error:
            if (said := _judge(error)) or name == "arrow":
                yield f".{name}, {sql}: {said or error}"
        except BaseException as error:
            yield f".{name}, {sql}: {type(error).__name__}: {error}"


def _judge(error: TreesqlError) -> str:
    """What is wrong with a refusal: it is one line, which names a column and a cast."""
    text = str(error)
    return "" if "\n" not in text and 'the column "' in text and "AS VARCHAR)" in text else f"unclear: {text}"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")


def _faults_of_text(form: str, data: bytes, wanted: duckdb.DuckDBPyRelation) -> Iterator[str]:
    """Compare what was written with the texts that DuckDB makes of the values."""
    if b"out of range" in data:
        yield "a value is left out"
    rows = wanted.fetchall()
    if form == "json" and len(json.loads(data, parse_constant=_no_constant)) != len(rows):
        yield "JSON of other rows"
    if form == "csv" and len(wanted.columns) == 1:  # lists and others with values in them are JSON
        found = [row[0] for row in list(csv.reader(io.StringIO(data.decode(), newline="")))[1:] if row]
        pairs = zip(found, [value for (value,) in rows if value is not None], strict=False)
        wrong = [pair for pair in pairs if pair[0] != pair[1] and not pair[0].startswith(("[", "{"))]
        yield from (f"{ours!r} is not {theirs!r}" for ours, theirs in wrong)
    if form == "table" and len(wanted.columns) == 1:
        text = data.decode()
        lacking = [value for (value,) in rows if value is not None and value not in text and not _is_number(value)]
        if lacking:
            yield f"lacks {lacking[0]!r}"


def _is_number(text: str) -> bool:
    """Whether a text is a number, which tables round."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def chains(seed: int, size: int) -> Chains:
    """Command lines on `dependency.duckdb` and `trees.duckdb` whose texts chain or nest so many parts."""
    label = random.Random(seed).choice(["NN", "NP", "VB"])
    trees, words = ("find", "trees.duckdb"), ("find", "dependency.duckdb")
    score = ("score", "dependency", "gold", "gold", "--db", "dependency.duckdb")
    texts: dict[str, tuple[tuple[str, ...], str]] = {
        "tregex <": (trees, "NP" + f" < {label}" * size),
        "tregex nested": (trees, "NP" + f" < ({label}" * size + ")" * size),
        "tregex |": (trees, "NP " + " | ".join([f"< {label}"] * size)),
        "tregex &": (trees, "NP " + " & ".join([f"< {label}"] * size)),
        "tregex [": (trees, "NP " + "[" * size + f"< {label}" + "]" * size),
        "tregex !": (trees, "NP " + "!" * size + f"< {label}"),
        "tiger &": (trees, " & ".join(f'#a{at}:[cat="NP"] > #b{at}:[pos="{label}"]' for at in range(size))),
        "tiger |": (trees, '[cat="NP" ' + '| cat="NP"' * size + "]"),
        "tiger (": (trees, "[" + "(" * size + 'cat="NP"' + ")" * size + "]"),
        "grew": (words, "pattern { " + "; ".join(f"N{at} -> N{at + 1}" for at in range(size)) + " }"),
        "grew without": (words, "pattern { N [] }" + " without { N -> M }" * size),
        "grew {": (words, "pattern " + "{" * size + " N [] " + "}" * size),
        "grew name": (words, "pattern { " + "x" * 10 * size),
        "where (": ((*score, "--where"), "(" * size + "upos='NOUN'" + ")" * size),
        "where NOT": ((*score, "--where"), "NOT " * size + "upos='NOUN'"),
        "where AND": ((*score, "--where"), " AND ".join(["upos='NOUN'"] * size)),
        "where name": ((*score, "--where"), "x" * 10 * size),
        "by /": ((*score, "--by"), "n_words" + "/10" * size),
        "by names": ((*score, "--by"), ",".join(f"meta.a{at}" for at in range(size))),
        "sql +": (("sql", "dependency.duckdb"), "SELECT " + " + ".join(["1"] * size)),
        "sql (": (("sql", "dependency.duckdb"), "SELECT " + "(" * size + "1" + ")" * size),
        "sql [": (("sql", "dependency.duckdb"), "SELECT " + "[" * size + "1" + "]" * size),
        "sql FROM": (("sql", "dependency.duckdb"), "SELECT * FROM (" * size + "SELECT 1" + ")" * size),
        "sql name": (("sql", "dependency.duckdb"), "SELECT " + "x" * 10 * size),
    }
    return {name: [*command, text] for name, (command, text) in texts.items()}


def find_fault_of_chain(command: list[str]) -> str:
    """Run a command line; what is wrong: it ends well, or in three short lines in our words."""
    said, code = io.StringIO(), None
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        try:
            main(command)
        except SystemExit as ended:
            code = ended.code
    lines = said.getvalue().splitlines()
    if code in (0, None):
        return ""
    text = "\n".join(lines)
    leaks = [word for word in ("max_expression", "Recursion", "Traceback", "treesql failed") if word in text]
    fits = code == 2 and len(lines) <= 3 and max(map(len, lines), default=0) <= 400
    return "" if fits and not leaks else text[:500]


def write_databases(folder: Path) -> None:
    """Make the databases that `chains` names."""
    for name, file in (("trees", "gold.mrg"), ("dependency", "gold.conllu")):
        with treesql.connect(folder / f"{name}.duckdb") as db:
            db.load(FIXTURES / file, corpus="gold")


def find_faults(folder: Path, seed: int, structures: int, parts: Sequence[int]) -> Iterator[str]:
    """Everything, in a folder that is the current one meanwhile."""
    with treesql.connect() as db:
        for sql in statements(seed, structures):
            yield from find_faults_of_values(db, sql)
    write_databases(folder)
    with contextlib.chdir(folder):
        for size in parts:
            for name, command in chains(seed, size).items():
                if fault := find_fault_of_chain(command):
                    yield f"{name}, {size} parts: {fault}"


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--structures", type=int, default=100)
    parser.add_argument("--parts", type=int, nargs="+", default=[70, 2000])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = list(find_faults(Path(folder), given.seed, given.structures, given.parts))
    print(*faults, f"{len(faults)} faults", sep=os.linesep)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(_main())
