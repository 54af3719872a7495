"""Classes and weights of relations, from files in place of the built-in ones.

What is installed is for one engine alone.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from treesql.engines import Engine
from treesql.errors import Diagnostic, InvalidInput, why_unreadable
from treesql.readers.fields import Faults

CLASSES = ("function", "content", "other")
"""Classes of relations."""

_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

Value = TypeVar("Value")

Weights = Sequence[tuple[str, float]]
"""Relations with their weights."""

MIN_LARGEST_WEIGHT, MAX_LARGEST_WEIGHT = 1e-6, 1e9
"""Bounds of the largest weight of a file: scores sum weights in units of 2**-40, and a sum is at most 2**87."""

Row = tuple[int, list[str]]
"""A line's number and its cells."""


def install_classes(engine: Engine, path: str) -> None:
    """Replace the rows of relation_classes, for the engine alone, by those of a CSV file with the header
    `relation,class`.

    A database file stays as it is. Raises InvalidInput.
    """
    relations, kinds = zip(*_read_classes(path), strict=True)
    rows = {"relation": pa.array(relations, pa.string()), "class": pa.array(kinds, pa.string())}
    engine.replace_rows("relation_classes", pa.table(rows))


def install_weights(engine: Engine, name: str, weights: Weights) -> str:
    """Install relations and their weights as a set of relation_weights, and return its name.

    A set of the same name is replaced, for the engine alone: a database file stays as it is.
    """
    rows = {
        "weight_set": pa.array([name] * len(weights), pa.string()),
        "relation": pa.array([relation for relation, _ in weights], pa.string()),
        "weight": pa.array([weight for _, weight in weights], pa.float64()),
    }
    engine.replace_rows("relation_weights", pa.table(rows), where="weight_set", is_value=name)
    return name


def weights_name(path: str) -> str:
    """Return the name of a file's set of weights: the file's."""
    return Path(path).name


def read_weights(path: str) -> Weights:
    """Return the weights of a CSV file with the header `relation,weight`, or of lines `relation weight`.

    Such lines, with `#` comments, are what the scorer of the CoNLL 2017 shared task reads; a relation without a weight
    counts 0.5 here, and 1 in that scorer. Raises InvalidInput.
    """
    lines = [(line, cells) for line, cells in _read_csv(path) if not cells[0].startswith("#")]
    comma = bool(lines) and len(lines[0][1]) > 1
    faults, weights = Faults(path), dict[str, float]()
    if comma:
        _check_header(faults, lines[:1], "weight")
        lines = lines[1:]
    else:
        lines = [(line, " ".join(cells).split()) for line, cells in lines]
    between = "," if comma else " "
    for line, cells in lines:
        if len(cells) != 2:
            faults.add(line, f"this line is `{between.join(cells)}`", f"write `relation{between}weight`")
            continue
        relation, written = cells
        # Python's float also takes `1_0` and digits of all scripts.
        weight = float(written) if _DECIMAL.fullmatch(written) else math.nan
        if not math.isfinite(weight):
            faults.add(line, f"the weight `{written}` is not a number", "write one such as 0.5")
        elif weight < 0:
            faults.add(line, f"the weight {written} is negative", "write 0 or more")
        _check_relation(faults, line, relation, weights)
        weights[relation] = weight
    greatest = max(weights.values(), default=1.0)
    if not faults.found and greatest and not MIN_LARGEST_WEIGHT <= greatest <= MAX_LARGEST_WEIGHT:
        hint = "multiply all weights by one number, so that they have the size of 1"
        faults.add(0, f"the largest weight is {greatest:g}", hint)
    return _checked(list(weights.items()), faults, "weights")


def _read_classes(path: str) -> list[tuple[str, str]]:
    rows = list(_read_csv(path))
    faults, classes = Faults(path), dict[str, str]()
    _check_header(faults, rows[:1], "class")
    for line, cells in rows[1:]:
        if len(cells) != 2:
            faults.add(line, f"this line is `{','.join(cells)}`", "write `relation,class`")
            continue
        relation, kind = cells
        if kind not in CLASSES:
            faults.add(line, f"the class `{kind}`", f"write one of {', '.join(CLASSES)}")
        _check_relation(faults, line, relation, classes)
        classes[relation] = kind
    return _checked(list(classes.items()), faults, "classes")


def _checked(rows: list[tuple[str, Value]], faults: Faults, what: str) -> list[tuple[str, Value]]:
    """Return the rows. Raises InvalidInput if there are faults or no rows."""
    if not rows and not faults.found:
        faults.add(0, f"this file has no {what}", "write a line for every relation")
    faults.raise_any()
    return rows


def _read_csv(path: str) -> Iterator[Row]:
    """Yield the lines that are not blank, with stripped cells. Raises InvalidInput."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        what = why_unreadable(error)
        raise InvalidInput([Diagnostic.error(path, 0, what, "name a file that can be read")]) from None
    except UnicodeDecodeError:
        raise InvalidInput([Diagnostic.error(path, 0, "this file is not UTF-8", "save it as UTF-8")]) from None
    for line, content in enumerate(text.split("\n"), 1):
        if content.strip():
            try:
                yield line, [cell.strip() for cell in next(csv.reader([content]))]
            except csv.Error as error:
                what = f"this is not a line of a table ({error})"
                hint = "write a relation and its value, with a comma between"
                raise InvalidInput([Diagnostic.error(path, line, what, hint)]) from None


def _check_header(faults: Faults, first: Sequence[Row], value: str) -> None:
    for line, cells in first:
        if cells != ["relation", value]:
            faults.add(line, f"the first line is `{','.join(cells)}`", f"begin with the header `relation,{value}`")


def _check_relation(faults: Faults, line: int, relation: str, earlier: Container[str]) -> None:
    if not relation:
        faults.add(line, "a line without a relation", "name one, for example nsubj")
    elif ":" in relation:
        hint = f"write the universal relation, {relation.split(':')[0]}"
        faults.add(line, f"the relation `{relation}` has a subtype", hint)
    elif relation in earlier:
        faults.add(line, f"the relation {relation} is given twice", "keep one of its lines")
