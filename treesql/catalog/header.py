"""The header of a .sql file: name, parameters, columns, scores and source of a query.

A header is the comment lines at the top of the file, one field a line; a line that begins with `--` and three
blanks continues the field above:

    -- NAME: what it is; one row per what.
    -- kind: metric | relation | statistic | audit | attributes | view | function
    -- engine: duckdb: why                                  (left out: portable)
    -- parameter NAME TYPE = DEFAULT: meaning               (TYPE may list its values: TEXT(all|form),
                                                           or ranges: DOUBLE(0|1..8), INTEGER(0..), and how many
                                                           decimals at most: DOUBLE(0..1|6 decimals))
    -- parameters: as QUERY                                 (all parameters of another query)
    -- parameters: as QUERY (NAME, NAME)                    (some of them; likewise `columns`, `scores`, `terms`)
    -- audit NAME                                           (a query that must return no row before scoring)
    -- totals NAME                                          (the relation with the sums of a metric's items, and fewer
                                                             columns, that is read where these suffice)
    -- crosses_sentences: why                               (rows depend on other sentences than their own, so that
                                                             those of a block of sentences are not those of the whole)
    -- crosses_sentences unless PARAMETER: why              (they do where the parameter has no value)
    -- crosses_sentences unless PARAMETER = VALUE: why      (they do where it has another one)
    -- compares COLUMN: COUNT, COUNT                         (the counts that depend on a column of words, which data
                                                             frames have to have where these are summed)
    -- without_lines NAME                                   (of lines of texts, which are their words, no rows of the
                                                             relation NAME are needed)
    -- matrix ROWS by COLUMNS of COUNT                      (columns of a statistic that can be shown as a matrix)
    -- curve COLUMN, COLUMN over COLUMN                     (columns of a statistic that are drawn as lines over one)
    -- column NAME TYPE: meaning
    -- count NAME TYPE: meaning                             (a column whose sum is shown beside the scores; a relation
                                                             without a column `sentence` that has counts is a sum by key
                                                             over all sentences: rows of blocks add up)
    -- term NAME = EXPRESSION                               (what scores below mean by {NAME})
    -- score NAME percent|number higher|lower|neither = EXPRESSION: meaning   (which is better)
    -- score NAME text = EXPRESSION: meaning                                  (a word about a single sentence)
    -- source: author, year, title

Queries of the kind `attributes` describe sentences or words: their columns but `sentence` and `word` are joined with
the items of the metrics of their folder where a group or a condition names them.

The columns that scores sum are whole numbers, or of type DOUBLE: these are summed in units of 2**-40, so that their sum
is the same for any order of rows. A query that sums doubles itself does it likewise:
`CAST(sum(CAST(round(x * 1099511627776.0) AS HUGEINT)) AS DOUBLE) / 1099511627776.0`.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from treesql.errors import HeaderError

KINDS = ("metric", "relation", "statistic", "audit", "attributes", "view", "function")
DIRECTIONS = ("higher", "lower", "neither")
"""Which scores are better; `neither` where that depends on the question."""

NAMED_TERM = re.compile(r"\{(\w*)\}")
"""Matches the name of a term in an expression."""

SUM = re.compile(r"\bsum\((\w+)\)")
"""The sum of a count in a score expression."""

TYPES = ("TEXT", "VARCHAR", "INTEGER", "BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN", "WORD")

NUMBERS = {"INTEGER": int, "BIGINT": int, "DOUBLE": float}
"""Types of parameters that are numbers, and how these are read."""

MAX_TITLE = 48
"""Maximum number of characters of a title that is taken from a description."""

_DECIMALS = " decimals"
_TOLERANCE = 1e-6
"""Maximum distance of a number, in units of its last decimal, from one of so many decimals, as 0.1 has it."""

LARGEST = {"INTEGER": 2**31 - 1, "BIGINT": 2**63 - 1, "DOUBLE": sys.float_info.max}
"""The largest values of these types."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query. default: None where a value is required; choices: empty where any value is valid.

    ranges: of numbers, the least and the greatest value of each; empty where any finite number is valid. decimals: the
    maximum number of decimals, None for any.
    """

    name: str
    type: str
    choices: tuple[str, ...]
    default: str | None
    doc: str
    ranges: tuple[tuple[float, float], ...] = ()
    decimals: int | None = None

    @property
    def title(self) -> str:
        """What forms call the parameter: the beginning of its description, or of a long one its name."""
        parts = (re.split("[;,]", part)[0].strip() for part in self.doc.split(":"))
        text = next((part for part in parts if " " in part), self.name)
        text = text if len(text) <= MAX_TITLE else self.name.replace("_", " ")
        return text[:1].upper() + text[1:]

    def accepts(self, value: float) -> bool:
        """Whether a number is a value of the parameter."""
        if not abs(value) <= LARGEST[self.type]:  # nor is it no number
            return False
        whole = self.type == "DOUBLE" or value == int(value)
        if self.decimals is not None:
            units = value * 10**self.decimals
            whole = abs(round(units) - units) <= _TOLERANCE
        return whole and (not self.ranges or any(low <= value <= high for low, high in self.ranges))

    @property
    def described_values(self) -> str:
        """What its values are: `a number from 0 to 4`, `one of all, form`."""
        if self.type not in NUMBERS:
            return f"one of {', '.join(self.choices)}"
        parts = [
            f"{low:g}" if low == high else f"a number, {low:g} or more" if high == math.inf
            else f"a number from {low:g} to {high:g}"
            for low, high in self.ranges
        ]  # fmt: skip
        values = ", or ".join(parts) or ("a finite number" if self.type == "DOUBLE" else "a whole number")
        return values + (f" with {self.decimals} decimals at most" if self.decimals else "")

    @property
    def condition(self) -> str:
        """The SQL condition that a macro's parameter has one of its values; empty where any value is valid."""
        if self.choices:
            listed = ", ".join(f"'{choice}'" for choice in self.choices)
            return f"{self.name} IN ({listed})"
        bounds = [f"{low:.17g} AND {min(high, sys.float_info.max):.17g}" for low, high in self.ranges]
        return " OR ".join(f"CAST({self.name} AS DOUBLE) BETWEEN {both}" for both in bounds)

    @property
    def literal(self) -> str:
        """The default as a typed SQL literal."""
        assert self.default is not None
        quoted = "'" + self.default.replace("'", "''") + "'"
        return quoted if self.type == "TEXT" else f"CAST({quoted} AS {self.type})"


@dataclass(frozen=True)
class Column:
    """A column that a query returns; `shown` marks a count that is printed beside the scores."""

    name: str
    type: str
    doc: str
    shown: bool = False


@dataclass(frozen=True)
class Score:
    """A ratio of sums over a metric's items; `expression` aggregates with sum(column) alone.

    written: the expression as in the file, with {NAMES} of terms. terms: the terms that it names, and those that these
    name, as in the file, each below those that it names.
    direction: which scores are better, `higher` or `lower`; `neither` for numbers without a better side, and texts.
    """

    name: str
    unit: str
    expression: str
    doc: str
    direction: str = "neither"
    written: str | None = None
    terms: tuple[tuple[str, str], ...] = ()

    @cached_property
    def counts(self) -> tuple[str, ...]:
        """The columns that the expression sums, in order of appearance."""
        return tuple(dict.fromkeys(SUM.findall(self.expression)))


@dataclass(frozen=True)
class MatrixColumns:
    """The columns of a table that a matrix is made of: the values of its rows and columns, and what its cells sum."""

    rows: str
    columns: str
    count: str


@dataclass(frozen=True)
class CurveColumns:
    """The columns of a table that are drawn: those that are lines, and the one that these are over."""

    lines: tuple[str, ...]
    over: str


@dataclass(frozen=True)
class Header:
    """The header of a .sql file and the statement below it.

    crosses_sentences: why rows depend on other sentences than their own, empty where they do not. unless: the parameter
    that rules it out, and the value with which it does, None for any. compares: columns of words, and the counts that
    depend on each. without_lines: a relation with words, of which it needs none of lines of texts.
    """

    name: str
    doc: str
    kind: str
    engine: str
    parameters: tuple[Parameter, ...]
    audits: tuple[str, ...]
    columns: tuple[Column, ...]
    scores: tuple[Score, ...]
    source: str
    body: str
    terms: tuple[tuple[str, str], ...] = ()
    matrix: MatrixColumns | None = None
    totals: str | None = None
    crosses_sentences: str = ""
    unless: tuple[str, str | None] | None = None
    compares: tuple[tuple[str, tuple[str, ...]], ...] = ()
    curve: CurveColumns | None = None
    without_lines: str | None = None

    @cached_property
    def ratios(self) -> tuple[Score, ...]:
        """The scores that are numbers."""
        return tuple(score for score in self.scores if score.unit != "text")


_PARAMETER = re.compile(r"(\w+) (\w+(?:\[\])?)(?:\(([^)]+)\))?(?: = (.*?))?: (.+)")
_RANGE = re.compile(r"(\d+(?:\.\d+)?)(\.\.)?((?<=\.\.)\d+(?:\.\d+)?)?")
_AS = re.compile(r"as (\w+)(?: \((\w+(?:, \w+)*)\))?")
_COLUMN = re.compile(r"(\w+) (STRUCT\([^:]+\)(?:\[\])?|[\w\[\]]+): (.+)")
_MATRIX = re.compile(r"(\w+) by (\w+) of (\w+)")
_CURVE = re.compile(r"(\w+(?:, \w+)*) over (\w+)")
_CROSSES = re.compile(r"(?:unless (\w+)(?: = (\w+))?: )?(.+)")
_TERM = re.compile(r"(\w+) = (.+)")
_COMPARES = re.compile(r"(\w+): (\w+(?:, \w+)*)")
_SCORE = re.compile(r"(\w+) (percent|number|text)(?: (\w+))? = (.+?): (.+)")


_SINGLE = frozenset({"kind", "engine", "matrix", "curve", "totals", "crosses_sentences", "without_lines", "source"})
"""Fields that a header has once."""


def parse(text: str, where: str, other: Callable[[str], Header] | None = None) -> Header:
    """Read a .sql file's text. Raises HeaderError.

    where: the file's name in errors. other: returns another query by its name, for fields `as QUERY`; None where there
    are no others.
    """
    fields, body = _split(text, where)
    (name, doc), *rest = fields
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise HeaderError(f"{where}: the first line must be `-- name: what it is`, found `{name}`")
    single: dict[str, str] = {}
    parameters: list[Parameter] = []
    columns: list[Column] = []
    scores: list[Score] = []
    audits: list[str] = []
    compares: list[tuple[str, tuple[str, ...]]] = []
    terms: dict[str, str] = {}
    meanings: dict[str, str] = {}
    shared: dict[str, list[Any]] = {"parameters": parameters, "columns": columns, "scores": scores}
    for key, value in rest:
        if key == "parameter":
            parameters.append(_parameter(value, where))
        elif key in shared and other is not None:
            shared[key] += _declared_by(other, key, value, where)
        elif key == "terms" and other is not None:
            for term, expression in _terms_of(other, value, where).items():
                _add_term(term, expression, terms, meanings, where)
        elif key in ("column", "count"):
            column, kind, meaning = _match(_COLUMN, value, where)
            columns.append(Column(column, _type(kind, where), meaning, shown=key == "count"))
        elif key == "term":
            term, expression = _match(_TERM, value, where)
            _add_term(term, expression, terms, meanings, where)
        elif key == "score":
            scores.append(_score(value, terms, meanings, where))
        elif key == "audit":
            audits.append(value)
        elif key == "compares":
            compares.append(_compared(value, columns, where))
        elif key in _SINGLE and key not in single:
            single[key] = value
        else:
            raise HeaderError(f"{where}: `{key}` is not a field of a header, or is given twice")
    if single.get("kind") not in KINDS:
        raise HeaderError(f"{where}: kind must be one of {', '.join(KINDS)}")
    if "source" not in single:
        raise HeaderError(f"{where}: the header has no `source`")
    for key, declared in shared.items():
        twice = [name for name, n in Counter(declaration.name for declaration in declared).items() if n > 1]
        if twice:
            raise HeaderError(f"{where}: `{key[:-1]} {twice[0]}` is given twice")
    return Header(
        name, doc, single["kind"], single.get("engine", "portable"), tuple(parameters), tuple(audits),
        tuple(columns), tuple(scores), single["source"], body, tuple(terms.items()),
        _matrix(single.get("matrix"), columns, where), single.get("totals"),
        *_crossing(single.get("crosses_sentences"), parameters, where), tuple(compares),
        _curve(single.get("curve"), columns, where), single.get("without_lines"),
    )  # fmt: skip


def parse_files(files: Iterable[Path]) -> list[Header]:
    """Read .sql files that share no fields with others. Raises HeaderError."""
    return [parse(file.read_text("utf-8"), file.name) for file in files]


def _split(text: str, where: str) -> tuple[list[tuple[str, str]], str]:
    """The header's fields as (key, value), and the statement."""
    lines = text.split("\n")
    n_header = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    if not n_header:
        raise HeaderError(f"{where}: the file has no header")
    fields = list(_fields(lines[:n_header], where))
    return fields, "\n".join(lines[n_header:]).strip()


def _fields(lines: list[str], where: str) -> Iterator[tuple[str, str]]:
    joined: list[str] = []
    for line in lines:
        if line.startswith("--   ") and joined:
            joined[-1] += " " + line[5:].strip()
        else:
            joined.append(line[2:].strip())
    for field in joined:
        key, separator, value = re.match(r"(\w*)(:? ?)(.*)", field).groups()  # type: ignore[union-attr]
        if not key or not separator or not value:
            raise HeaderError(f"{where}: `-- {field}` is not a field of a header")
        yield key, value


def _parameter(value: str, where: str) -> Parameter:
    name, kind, choices, default, doc = _match(_PARAMETER, value, where)
    values = tuple(choice.strip() for choice in choices.split("|")) if choices else ()
    if kind in NUMBERS:
        decimals = [int(text.removesuffix(_DECIMALS)) for text in values if text.endswith(_DECIMALS)]
        ranges = tuple(_range(text, where) for text in values if not text.endswith(_DECIMALS))
        return Parameter(name, kind, (), default, doc, ranges, *decimals)
    return Parameter(name, _type(kind, where), values, default, doc)


def _compared(value: str, columns: Sequence[Column], where: str) -> tuple[str, tuple[str, ...]]:
    """A column of words, and the counts that depend on it, which stand above. Raises HeaderError."""
    name, listed = _match(_COMPARES, value, where)
    counts = tuple(listed.split(", "))
    unknown = set(counts) - {column.name for column in columns}
    if unknown:
        raise HeaderError(f"{where}: `compares {name}` names {min(unknown)}, which is no column above")
    return name, counts


def _range(text: str, where: str) -> tuple[float, float]:
    """The least and the greatest of `LOW..HIGH`, `LOW..` or one number."""
    low, dots, high = _match(_RANGE, text, where)
    return float(low), float(high or ("inf" if dots else low))


def _declared_by(other: Callable[[str], Header], field: str, value: str, where: str) -> Sequence[Any]:
    """The named parameters, columns or scores of another query, in the order of the names; all if none is named."""
    query, chosen = _match(_AS, value, where)
    by_name = {declared.name: declared for declared in getattr(other(query), field)}
    names = chosen.split(", ") if chosen else list(by_name)
    unknown = [name for name in names if name not in by_name]
    if unknown or not names:
        raise HeaderError(f"{where}: {query} has no {field[:-1]} {', '.join(unknown) or 'at all'}")
    return [by_name[name] for name in names]


def _terms_of(other: Callable[[str], Header], value: str, where: str) -> dict[str, str]:
    """The named terms of another query, in the order in which it defines them; all if none is named."""
    query, chosen = _match(_AS, value, where)
    known = dict(other(query).terms)
    names = chosen.split(", ") if chosen else list(known)
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise HeaderError(f"{where}: {query} has no term {', '.join(unknown) or 'at all'}")
    return {name: expression for name, expression in known.items() if name in names}


def _add_term(name: str, expression: str, terms: dict[str, str], meanings: dict[str, str], where: str) -> None:
    """Add a term as it is written, and expanded. Raises HeaderError."""
    if name in terms:
        raise HeaderError(f"{where}: `term {name}` is given twice")
    terms[name], meanings[name] = expression, f"({_with_terms(expression, meanings, where)})"


def _with_terms(expression: str, meanings: Mapping[str, str], where: str) -> str:
    """An expression with its {NAMES} of terms expanded. Raises HeaderError."""
    unknown = next((name for name in NAMED_TERM.findall(expression) if name not in meanings), None)
    if unknown is not None:
        raise HeaderError(f"{where}: no `term {unknown}` is defined above the line that names it")
    return NAMED_TERM.sub(lambda named: meanings[named[1]], expression)


def _score(value: str, terms: Mapping[str, str], meanings: Mapping[str, str], where: str) -> Score:
    """Raises HeaderError where a number does not name its better side, which only its author knows."""
    name, unit, direction, written, doc = _match(_SCORE, value, where)
    expression = _with_terms(written, meanings, where)
    if unit == "text" and direction is None:
        return Score(name, unit, expression, doc, written=written, terms=_named_terms(written, terms))
    if unit == "text" or direction not in DIRECTIONS:
        expected = "nothing" if unit == "text" else "higher, lower or neither (which scores are better)"
        written_direction = f"`{direction}`" if direction else "nothing"
        raise HeaderError(f"{where}: score {name}: expected {expected} after `{unit}`, found {written_direction}")
    return Score(name, unit, expression, doc, direction, written, _named_terms(written, terms))


def _named_terms(written: str, terms: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The terms that an expression names, and those that these name, in the order in which they are defined."""
    named = set(NAMED_TERM.findall(written))
    for name, expression in reversed(list(terms.items())):
        if name in named:
            named.update(NAMED_TERM.findall(expression))
    return tuple((name, expression) for name, expression in terms.items() if name in named)


def _matrix(value: str | None, columns: Sequence[Column], where: str) -> MatrixColumns | None:
    """The columns of a matrix. Raises HeaderError for one that is not declared."""
    if value is None:
        return None
    matrix = MatrixColumns(*_match(_MATRIX, value, where))
    _check_columns("matrix", [*vars(matrix).values()], columns, where)
    return matrix


def _curve(value: str | None, columns: Sequence[Column], where: str) -> CurveColumns | None:
    """The columns of a curve. Raises HeaderError for one that is not declared."""
    if value is None:
        return None
    lines, over = _match(_CURVE, value, where)
    curve = CurveColumns(tuple(lines.split(", ")), over)
    _check_columns("curve", [*curve.lines, over], columns, where)
    return curve


def _check_columns(what: str, names: Sequence[str], columns: Sequence[Column], where: str) -> None:
    unknown = [name for name in names if name not in {column.name for column in columns}]
    if unknown:
        raise HeaderError(f"{where}: the {what} names {', '.join(unknown)}, and there is no such column")


def _crossing(
    value: str | None, parameters: Sequence[Parameter], where: str
) -> tuple[str, tuple[str, str | None] | None]:
    """The reason in a field `crosses_sentences`, and the parameter, with its value, that it names behind `unless`.

    Raises HeaderError.
    """
    name, excluded, why = (None, None, "") if value is None else _match(_CROSSES, value, where)
    if name is not None and name not in {parameter.name for parameter in parameters}:
        raise HeaderError(f"{where}: `crosses_sentences unless {name}` names no parameter of the query")
    return why, None if name is None else (name, excluded)


def _type(name: str, where: str) -> str:
    if re.sub(r"(\[\])+$", "", name) not in TYPES and not name.startswith("STRUCT("):
        raise HeaderError(f"{where}: `{name}` is not a type; types are {', '.join(TYPES)}")
    return name


def _match(pattern: re.Pattern[str], value: str, where: str) -> tuple[str, ...]:
    match = pattern.fullmatch(value)
    if match is None:
        raise HeaderError(f"{where}: cannot read `{value}`")
    return match.groups()


def folder(name: str) -> Path:
    """One of these folders."""
    package = Path(__file__).resolve().parent.parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
