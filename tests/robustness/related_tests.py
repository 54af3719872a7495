"""The tests that read a query, found by the words of their texts and of what they call, without running them."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.conftest import ROOT
from treesql import catalog
from treesql.catalog.queries import attributes_of

FOLDERS = ("queries", "scoring", "evaluation", "treebanks", "lattices", "functions")
"""Folders of tests that are run for a query; those of other folders start processes, or are about other things."""

MARKS = ("slow", "compiled", "thorough")
"""Marks of tests that are not run by default."""


def find_tests(query: str, changed: frozenset[str]) -> list[str]:
    """The default tests that read a query, those first that are most about what changes in it.

    Those read it that name it, its columns or scores, or those of what reads it, themselves or by what they call; the
    tests of a module of the package also name the queries that the module names. They are compared as documents with
    these names and the words that change, whose rarer words count more (cosine of tf-idf), and twice as much in modules
    with the name of the query's folder.
    """
    folder = catalog.query(query).family
    names = names_of(query)
    sought = Counter(names) + Counter(changed)
    callers = {one: names[name] for name in names.keys() & _headers().keys() for one in _tests_of_callers(name)}
    ranked = []
    for place, module, test in _all_tests():
        words = words_of(module, test)
        if f"_{query}_" in f"{test}_":
            words |= {query}
        if module in callers or not words.isdisjoint(names):
            product = sum(sought[word] * rarity(word) for word in words) + callers.get(module, 0) * rarity(query)
            length = math.sqrt(sum(map(rarity, words))) or 1
            ranked.append((-product / length * (1 + (folder in module)), place, module, test))
    return [f"{module.replace('.', '/')}.py::{test}" for *_, module, test in sorted(ranked)]


def is_read(query: str) -> bool:
    """Whether a test reads a query."""
    names = names_of(query).keys()
    return any(not words_of(module, test).isdisjoint(names) for _, module, test in _all_tests()) or bool(
        find_tests(query, frozenset())
    )


@cache
def readers_of(query: str) -> list[set[str]]:
    """The query, the queries that read it, those that read these, and so on, each where it comes first."""
    found = [{query}]
    while found[-1]:
        known = set().union(*found)
        found.append(
            {name for name, read in _read_by().items() if name not in known and not read.isdisjoint(found[-1])}
        )
    return found[:-1]


@cache
def _read_by() -> dict[str, frozenset[str]]:
    """What each query reads, by its name."""
    read = re.compile(r"\b(?:FROM|JOIN|as|with|audit|sums|totals)\s+(\w+)")
    paths = sorted((ROOT / "queries").rglob("*.sql"))
    return {path.stem: frozenset(read.findall(path.read_text("utf-8"))) for path in paths}


@cache
def names_of(query: str) -> dict[str, float]:
    """The names of a query and its readers, and their columns and scores that no other query declares, with weights:
    1 for the query, half as much for each step from it, a column or score being one from its query."""
    layers = readers_of(query)
    elsewhere = set().union(*(_declared(name) for name in _headers().keys() - set().union(*layers)))
    weights: dict[str, float] = {}
    for distance, layer in enumerate(layers):
        for name in layer:
            weights |= dict.fromkeys(_declared(name) - elsewhere - weights.keys(), 0.5 ** (distance + 1))
        weights |= dict.fromkeys(layer, 0.5**distance)
    return weights


@cache
def _declared(query: str) -> frozenset[str]:
    """The columns and scores that a query declares, those of attributes by their names in groups and conditions."""
    header = _headers()[query]
    if header.kind == "attributes":
        return frozenset(name for name, of_query in _attributes() if of_query == query)
    return frozenset(one.name for one in (*header.columns, *header.scores))


@cache
def _attributes() -> frozenset[tuple[str, str]]:
    """The names of attributes, and the queries whose columns they are."""
    metrics = [header for header in _headers().values() if header.kind == "metric"]
    return frozenset((name, one.query.name) for metric in metrics for name, one in attributes_of(metric).items())


@cache
def _headers() -> dict[str, catalog.Query]:
    return {name: catalog.query(name) for name in catalog.all_queries()}


@dataclass(frozen=True)
class Definition:
    """What a module of tests defines: the words of its texts but the docstring, what else it names, and, of a test,
    whether it is run by default."""

    words: frozenset[str]
    names: frozenset[str]
    by_default: bool


@cache
def definitions(module: str) -> dict[str, Definition | tuple[str, str]]:
    """The definitions of a module of tests by their names; what is imported from another is its module and name."""
    path = ROOT / (module.replace(".", "/") + ".py")
    found: dict[str, Definition | tuple[str, str]] = {}
    for node in ast.parse(path.read_text("utf-8")).body if path.exists() else ():
        if isinstance(node, ast.ImportFrom):
            found |= {one.asname or one.name: (node.module or "", one.name) for one in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = _read(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            read = _read(node)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {one.id: read for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found


def _read(node: ast.AST) -> Definition:
    inner = list(ast.walk(node))
    said = {id(one.value) for one in inner if isinstance(one, ast.Expr)}  # docstrings
    texts = [one.value for one in inner if isinstance(one, ast.Constant) and id(one) not in said]
    words = {word for text in texts if isinstance(text, str) for word in re.findall(r"\w+", text)}
    words |= {one.arg for one in inner if isinstance(one, ast.keyword) and one.arg}
    names = {one.id for one in inner if isinstance(one, ast.Name)} | {
        one.arg for one in inner if isinstance(one, ast.arg)
    }
    marks = {one.attr for one in getattr(node, "decorator_list", ()) if isinstance(one, ast.Attribute)}
    return Definition(frozenset(words), frozenset(names), marks.isdisjoint(MARKS))


@cache
def words_of(module: str, test: str) -> frozenset[str]:
    """The words of a test, and those of all that it names, directly or by another."""
    found: dict[tuple[str, str], Definition] = {}
    new = [(module, test)]
    while new:
        at = new.pop()
        here = definitions(at[0])
        definition = here.get(at[1])
        if isinstance(definition, tuple):
            new.append(definition)
        elif definition is not None and at not in found:
            found[at] = definition
            new += [(at[0], name) for name in definition.names & here.keys()]
    return frozenset().union(*(definition.words for definition in found.values()))


@cache
def _tests_with() -> Counter[str]:
    return Counter(word for _, module, test in _all_tests() for word in words_of(module, test))


@cache
def rarity(word: str) -> float:
    """The square of the logarithm of the share of tests that have a word; of a word that none has, as of one test."""
    return math.log(max(_tests_with()[word], 1) / len(_all_tests())) ** 2


@cache
def _tests_of_callers(query: str) -> frozenset[str]:
    """The modules of tests whose module of the package, of the same room and name, names a query, or one that does."""
    paths = sorted((ROOT / "treesql").rglob("*.py"))
    callers = [path for path in paths if f'"{query}"' in _text(path)]
    named = [re.compile(rf"\b{path.stem}\.[a-z]") for path in callers]
    return frozenset(
        ".".join(("tests", *path.relative_to(ROOT / "treesql").parts[:-1], f"test_{path.stem}"))
        for path in paths
        if path in callers or any(one.search(_text(path)) for one in named)
    )


@cache
def _text(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def _all_tests() -> list[tuple[int, str, str]]:
    """The positions of the folders, the modules and the names of all tests that are run by default."""
    return [
        (place, module, test)
        for place, folder in enumerate(FOLDERS)
        for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))
        for module in [".".join(path.relative_to(ROOT).with_suffix("").parts)]
        for test, definition in definitions(module).items()
        if test.startswith("test_") and isinstance(definition, Definition) and definition.by_default
    ]
