"""Random requests on random trees, against an independent matcher."""

from __future__ import annotations

import random

import pytest

import treesql
from tests.house.rules import in_turn
from tests.search.constituents.conftest import LABELS, TAGS
from tests.search.constituents.matcher import (
    RELATIONS,
    REVERSE,
    TIGER,
    Formula,
    Node,
    Pattern,
    count_rows,
    count_tiger,
)

SIGNS = [*RELATIONS, *REVERSE]


def random_pattern(rng: random.Random, depth: int, names: list[str], *, naming: bool = True) -> Pattern:
    if names and rng.random() < 0.1:
        return Pattern((), rng.choice(names), backreference=True)
    labels = tuple(rng.sample(LABELS + TAGS + ["a"], rng.randint(0, 2)))
    name = None
    if naming and rng.random() < 0.25:
        name = f"x{len(names)}"
        names.append(name)
    formula = random_formula(rng, depth - 1, names, naming=naming) if depth and rng.random() < 0.6 else None
    return Pattern(labels, name, formula)


def random_formula(rng: random.Random, depth: int, names: list[str], *, naming: bool) -> Formula:
    choice = rng.random()
    if depth <= 0 or choice < 0.55:
        return Formula(rng.choice(SIGNS), target=random_pattern(rng, depth, names, naming=naming))
    if choice < 0.7:
        inner = random_formula(rng, depth - 1, list(names), naming=False)
        return Formula("not", (inner,))
    if choice < 0.75:
        return Formula("maybe", (random_formula(rng, depth - 1, list(names), naming=False),))
    if choice < 0.85:
        return Formula("any", tuple(random_formula(rng, depth - 1, list(names), naming=False) for _ in range(2)))
    return Formula("all", tuple(random_formula(rng, depth - 1, names, naming=naming) for _ in range(2)))


@pytest.mark.spread(18)
@pytest.mark.parametrize("sign", SIGNS)
def test_every_relation(sign: str, treebank: treesql.Database, nodes: list[list[Node]]) -> None:
    for target in (Pattern(()), Pattern(("NP",))):
        pattern = Pattern((), None, Formula(sign, target=target))
        for formula in (pattern.formula, Formula("not", (pattern.formula,))):  # type: ignore[arg-type]
            one = Pattern((), None, formula)
            assert treebank.find(one.text()[1:-1], count=True).rows()[0]["count"] == count_rows(one, nodes), one.text()


@pytest.mark.spread(4)
@pytest.mark.parametrize("seed", range(4))
def test_random_tregex_requests(seed: int, treebank: treesql.Database, nodes: list[list[Node]]) -> None:
    rng = random.Random(seed)
    found = 0
    for _ in range(15):
        names: list[str] = []
        pattern = random_pattern(rng, 3, names)
        if pattern.backreference or pattern.formula is None:
            continue
        counted = treebank.find(pattern.text(), count=True, syntax="tregex", timeout=20).rows()[0]["count"]
        assert counted == count_rows(pattern, nodes), pattern.text()
        found += counted > 0
    assert found


@in_turn("sign", TIGER)
def test_every_relation_of_tigersearch(sign: str, treebank: treesql.Database, nodes: list[list[Node]]) -> None:
    for negated in (False, True):
        request = f'#a:[] {"!" * negated}{sign} #b:[cat="NP"]'
        counted = treebank.find(request, count=True).rows()[0]["count"]
        assert counted == count_tiger([None, "NP"], [(0, sign, 1, negated)], {0, 1}, nodes), request


@pytest.mark.spread(3, rest="slow")
@pytest.mark.parametrize("seed", range(3))
def test_random_tigersearch_requests(seed: int, treebank: treesql.Database, nodes: list[list[Node]]) -> None:
    rng = random.Random(seed)
    for _ in range(12):
        n = rng.randint(2, 3)
        labels = [rng.choice([None, *LABELS, *TAGS]) for _ in range(n)]
        related = [
            (a, rng.choice(list(TIGER)), b, rng.random() < 0.2)
            for a, b in [(rng.randrange(at), at) for at in range(1, n)]
        ]
        shown = {0} | {at for at in range(1, n) if rng.random() < 0.5}

        def describe(at: int) -> str:
            label = labels[at]  # noqa: B023
            feature = "" if label is None else f'{"cat" if label in LABELS else "pos"}="{label}"'
            return f"#n{at}:[{feature}]"

        seen: set[int] = set()
        parts = []
        for a, sign, b, negated in related:
            ends = [describe(at) if at not in seen else f"#n{at}" for at in (a, b)]
            seen |= {a, b}
            parts.append(f"{ends[0]} {'!' * negated}{sign} {ends[1]}")
        request = " & ".join(parts)
        counted = treebank.find(request, count=True).rows()[0]["count"]
        assert counted == count_tiger(labels, related, set(range(n)), nodes), request
        assert shown
