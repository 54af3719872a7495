"""Arguments of functions of kernels: valid, nearly valid and wild ones, and statements that call with them."""

from __future__ import annotations

from random import Random
from typing import Any

import duckdb

from treesql.functions.function import Function

NUMBERS = (-(2**31), -7, -1, 0, 0, 1, 1, 2, 3, 4, 5, 60, 1000, 1_000_000_000, 2**31 - 1)
WIDE = (0, 1, 2, 3, 2**32, 2**63, 2**64 - 1)
TEXTS = (
    "", "a", "b", "c", "ä", "漢", "x" * 100, "order", "name", "common", "rooted", "unrooted", "union", "intersection",
    "grow-diag", "grow-diag-final", "grow-diag-final-and", "either", "both", "alpha", "beta", "structure", "deprel",
    "aligned", "aligned_strict",
)  # fmt: skip
CHOICES = {
    "leaves": ("order", "name", "common"),
    "rooting": ("rooted", "unrooted"),
    "method": ("union", "intersection", "grow-diag", "grow-diag-final", "grow-diag-final-and"),
    "variant": ("either", "both"),
    "substitution_cost": (1, 0.99, 0),
    "insertion_cost": (1, 1.5),
    "deletion_cost": (1, 0),
    "reordering": ("none", "swap"),
    "costs": ("structure", "deprel", "aligned", "aligned_strict"),
}


def wild(kind: Any, chance: Random, length: int) -> Any:
    """Any value of a type of DuckDB. length: of most lists."""
    if chance.random() < 0.04:
        return None
    if kind.id == "list":
        n = length if chance.random() < 0.8 else chance.choice((0, 1, 2, 7, 40))
        return [wild(kind.children[0][1], chance, length) for _ in range(n)]
    if kind.id == "struct":
        return {name: wild(one, chance, length) for name, one in kind.children}
    if kind.id == "varchar":
        return chance.choice(TEXTS)
    if kind.id == "boolean":
        return chance.random() < 0.5
    if kind.id == "utinyint":
        return chance.choice((0, 0, 0, 1, 2, 3, 8, 255))
    return chance.choice(WIDE if kind.id == "ubigint" else NUMBERS)


def heads(chance: Random, n: int) -> list[int]:
    """The heads of a tree."""
    order = chance.sample(range(1, n + 1), n)
    found = [0] * n
    for at, word in enumerate(order):
        found[word - 1] = chance.choice([0, *order[:at]]) if at else 0
    return found


def some(chance: Random, n: int, values: tuple[Any, ...]) -> list[Any]:
    return [chance.choice(values) for _ in range(n)]


def tree(chance: Random, n: int, labels: tuple[int, ...] = (1, 2, 3)) -> dict[str, Any]:
    """A tree of n words and some phrases, with all that any type of trees has."""
    above: list[int] = []
    for node in range(1, chance.randint(0, n) + 1):
        path = [0, node - 1] if node > 1 else [0]
        while path[-1]:
            path.append(above[path[-1] - 1])
        above.append(chance.choice(path))
    forms = chance.sample(range(1, n + 5), n)
    return {
        "parents": above,
        "labels": some(chance, len(above), labels),
        "phrases": [chance.randint(0, len(above)) for _ in range(n)],
        "tags": some(chance, n, labels),
        "forms": sorted(forms) if chance.random() < 0.7 else forms,
        "kinds": some(chance, n, (0, 0, 0, 0, 1, 2)),
    }


def lattice(chance: Random, n: int) -> dict[str, Any]:
    """A lattice of so many edges, and a reference."""
    nodes = chance.randint(2, n + 2)
    edges = []
    for number in chance.sample(range(2 * n), n):
        start = chance.randrange(nodes - 1)
        stop = min(nodes - 1, start + chance.choice((1, 1, 1, 2, 3)))
        words = some(chance, chance.choice((0, 1, 1, 1, 2, 3)), TEXTS[:5])
        edges.append({"edge": number, "from_node": start, "to_node": stop, "words": words})
    texts = [some(chance, chance.randint(0, n), TEXTS[:6]) for _ in range(3)]
    return {
        "n_nodes": nodes, "edges": edges, "reference": texts[0], "references": texts[: chance.randint(0, 3)],
        "forms": [word for edge in edges[: chance.randint(0, 2)] for word in edge["words"]],
    }  # fmt: skip


LATTICE_FUNCTIONS = (
    "nearest",
    "cheapest",
    "best_bleu",
    "path_posteriors",
    "best_scored_path",
    "log_path_count",
    "score_of_words",
    "compare_lattices",
)
"""What the names of functions that take one lattice begin with."""


def valid(function: Function, chance: Random, n: int) -> list[Any]:
    """Arguments of a function that belong together. n: of most lists."""
    m = chance.choice((n, n, chance.randint(0, 9)))
    links = sorted({(chance.randint(1, n), chance.randint(1, m)) for _ in range(n if m else 0)})
    given: dict[str, Any] = dict(CHOICES) | {
        "left": some(chance, n, TEXTS[:5]),
        "right": some(chance, m, TEXTS[:5]),
        "sources": [one for one, _ in links],
        "targets": [other for _, other in links],
        "other_sources": some(chance, m, tuple(range(1, n + 1)) or (1,)),
        "other_targets": some(chance, m, tuple(range(1, m + 1)) or (1,)),
        "directions": some(chance, len(links), (1, 2, 3)),
        "text": chance.choice(TEXTS),
        "heads": heads(chance, n),
        "relations": some(chance, n, TEXTS[:4]),
        "first": chance.randint(1, max(n, 1)),
        "last": chance.randint(1, max(n, 1)),
        "reference_heads": heads(chance, n),
        "reference_relations": some(chance, n, TEXTS[:4]),
        "hypothesis_heads": heads(chance, m),
        "hypothesis_relations": some(chance, m, TEXTS[:4]),
        "reference_links": [one for one, _ in links],
        "hypothesis_links": [other for _, other in links],
        "hypothesis": some(chance, m, TEXTS[:5]),
        "gold_labels": {"classes": [1, 2, 3], "kinds": some(chance, 3, (0, 0, 0, 1, 2, 4, 8, 15))},
        "test_labels": {"classes": [1, 2, 2], "kinds": some(chance, 3, (0, 0, 0, 1, 2, 4, 8, 15))},
        "words": {"members": [1, 2], "representatives": [3, 3]},
        "n_source": n,
        "n_target": m,
        "labelled": chance.random() < 0.5,
        "by_gold": chance.random() < 0.5,
        "tree": tree(chance, n),
        "gold": tree(chance, n),
        "reference": some(chance, n, TEXTS[:5]),
        "exponent": chance.choice((0.5, 1, 2)),
        "longest": chance.choice((1, 2, 4, 6)),
        "white_space": chance.random() < 0.5,
        "sclite": chance.random() < 0.5,
        "references": some(chance, m, TEXTS[:6]),
        **(lattice(chance, n) if function.name.startswith(LATTICE_FUNCTIONS) else {}),
    }
    if function.name == "compare_lattices":
        other_lattice = lattice(chance, m)
        given |= {"other_n_nodes": other_lattice["n_nodes"], "other_edges": other_lattice["edges"]}
        for name in ("edges", "other_edges"):
            given[name] = [edge | {"phrase": len(edge["words"]), "scored": edge["edge"] % 3} for edge in given[name]]
    if function.name in ("path_posteriors", "best_scored_path", "score_of_words"):
        given["edges"] = [edge | {"score": chance.choice((-700.5, -1, 0, 2, 1e6))} for edge in given["edges"]]
    if function.name in ("shared_character_n_grams", "character_edits", "edit_counts", "shared_word_n_grams"):
        given |= {side: "".join(given[side]) for side in ("hypothesis", "reference")}
    other = tree(chance, n)
    given |= {"gold_keys": given["gold"]["labels"], "test_keys": other["labels"]}
    given["test"] = given["gold"] | {name: other[name] for name in ("parents", "labels", "phrases")}
    if function.name == "path_disparity":
        given |= {
            side: {"ascending": some(chance, n, TEXTS[:4]), "direction": "alpha", "descending": ["a"] * m}
            for side in ("reference", "hypothesis")
        }
    found = []
    for name, kind in function.parameters:
        value = chance.choice(given[name]) if name in CHOICES else given[name]
        found.append(fitted(value, duckdb.sqltype(kind)))
    return found


def fitted(value: Any, kind: Any) -> Any:
    """Of a struct the fields that its type has."""
    if kind.id == "struct":
        return {name: fitted(value[name], one) for name, one in kind.children}
    return value


def spoilt(value: Any, kind: Any, chance: Random, rate: float) -> Any:
    """The same value with wild ones in some places."""
    if chance.random() < rate:
        return wild(kind, chance, len(value) if isinstance(value, list) else 2)
    if isinstance(value, list):
        return [spoilt(one, kind.children[0][1], chance, rate) for one in value]
    if isinstance(value, dict):
        return {name: spoilt(value[name], one, chance, rate) for name, one in kind.children}
    return value


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{name}': {literal(one)}" for name, one in value.items()) + "}"
    return f"'{value}'" if isinstance(value, str) else str(value)


def call(function: Function, chance: Random) -> str:
    """A statement that calls a function in one or several rows."""
    kinds = [duckdb.sqltype(kind) for _, kind in function.parameters]
    rate = chance.choice((0, 0, 0.01, 0.03, 0.1, 1))
    shared = {at: None for at, (name, _) in enumerate(function.parameters) if name in CHOICES}
    rows: list[list[Any]] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        n = chance.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 30))
        given = valid(function, chance, n)
        row = [spoilt(value, kind, chance, rate) for value, kind in zip(given, kinds, strict=True)]
        if rows and chance.random() < 0.9:  # what must be the same in all rows mostly is
            for at, (name, _) in enumerate(function.parameters):
                if at in shared or name in ("gold_labels", "test_labels", "words", "labelled"):
                    row[at] = rows[0][at]
        rows.append(row)
    return call_of(function, rows)


def call_of(function: Function, rows: list[list[Any]]) -> str:
    """A statement that calls a function for all rows at once: DuckDB passes those of VALUES together."""
    names = ", ".join(f"c{at}" for at in range(len(function.parameters)))
    types = [kind for _, kind in function.parameters]
    cast = ([f"CAST({literal(one)} AS {kind})" for one, kind in zip(row, types, strict=True)] for row in rows)
    values = ", ".join(f"({', '.join(row)})" for row in cast)
    return f"SELECT {function.name}({names}) AS found FROM (VALUES {values}) AS t({names})"
