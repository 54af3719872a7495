"""Constituency trees as SQL functions take them, and calls of these functions."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import duckdb

from tests.kernels.phrases import Parse
from treesql.functions.constituency import LABELLED, TREE
from treesql.kernels.trees.skeletons import COMMON, LEFT_OUT, NAME, ORDER, TRACE, WORD

BY = {ORDER: "order", NAME: "name", COMMON: "common"}
ROOTINGS = ("rooted", "unrooted")

Packed = dict[str, list[int]]
Counts = tuple[int, ...] | None


class Case(NamedTuple):
    """A tree with what its words are called and what they are."""

    tree: Parse
    forms: list[int]
    kinds: list[int]
    tags: list[int]
    labels: list[int]


def case(parents: list[int], phrases: list[int], forms: list[int], kinds: list[int] | None = None) -> Case:
    """Tags are 2, labels 1."""
    n = len(phrases)
    return Case(Parse(parents, phrases), forms, [WORD] * n if kinds is None else kinds, [2] * n, [1] * len(parents))


def packed(one: Case, labelled: bool = False) -> Packed:
    """As the functions take it."""
    columns = {
        "parents": one.tree.parents,
        "labels": one.labels,
        "phrases": one.tree.phrases,
        "tags": one.tags,
        "forms": one.forms,
        "kinds": one.kinds,
    }
    fields = re.findall(r"(\w+) \w+\[\]", LABELLED if labelled else TREE)
    return {name: columns[name] for name in fields}


def literal(tree: Packed | None, kind: str = TREE) -> str:
    """A tree as it stands in SQL."""
    return f"CAST({tree if tree is not None else 'NULL'} AS {kind})"


PAIRS = f"(SELECT unnest(CAST(? AS STRUCT(gold {TREE}, test {TREE})[])) AS pair)"
LABELLED_PAIRS = f"(SELECT unnest(CAST(? AS STRUCT(gold {LABELLED}, test {LABELLED})[])) AS pair)"
KEYS = f"SELECT split_keys(tree, '{{}}') FROM (SELECT unnest(CAST(? AS {TREE}[])) AS tree)"


def plain(value: Any) -> Any:
    """A struct as the tuple of its values."""
    return tuple(value.values()) if isinstance(value, dict) else value


def called(
    connection: duckdb.DuckDBPyConnection, function: str, pairs: list[tuple[Packed | None, Packed | None]], *how: str
) -> list[Any]:
    """What a function says of each pair."""
    rows = LABELLED_PAIRS if function == "constituent_tree_edit_distance" else PAIRS
    arguments = ", ".join(["pair.gold", "pair.test", *(f"'{one}'" for one in how)])
    given = [{"gold": gold, "test": test} for gold, test in pairs]
    found = connection.execute(f"SELECT {function}({arguments}) FROM {rows}", [given]).fetchall()
    return [plain(value) for (value,) in found]


def keyed(
    connection: duckdb.DuckDBPyConnection, trees: list[Packed | None], rooting: str
) -> list[tuple[int, list[int]] | None]:
    found = connection.execute(KEYS.format(rooting), [trees]).fetchall()
    return [None if value is None else (value["leaf_key"], value["keys"]) for (value,) in found]


# The old ferry left: [[The old ferry] left], [The [old [ferry left]]], [[The ferry] [old left]], with gaps.
LEFT = case([0, 1], [2, 2, 2, 1], [1, 2, 3, 4])
RIGHT = case([0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 4])
CROSSED = case([0, 1, 1], [2, 3, 2, 3], [1, 2, 3, 4])
TURNED = case([0, 1], [1, 2, 2, 2], [4, 3, 2, 1])
MORE = case([0, 1], [2, 2, 2, 1, 2, 1], [1, 2, 3, 4, 5, 6], [WORD, WORD, WORD, WORD, TRACE, LEFT_OUT])
NOTHING = case([], [], [])
