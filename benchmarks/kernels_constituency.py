"""Pairs of trees per second of the constituency kernels, compared with apted and zss.

python benchmarks/kernels_constituency.py [--parses GOLD.mrg[.gz] TEST.mrg[.gz]] [--peers PYTHON]

Prints Markdown; one thread, CPU seconds, compilation not counted. --parses: files of one labelled tree a line, line i
of each belonging together (without it, random ones); --peers: the Python of an environment that has apted and
zss, whose results have to be the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treesql.kernels.trees.skeletons import Skeletons
    from treesql.kernels.trees.tree_edit import OrderedTrees

Nested = Any
"""A leaf's number, or a list of trees; labelled: (label, [trees])."""


def main() -> None:
    if sys.argv[1:2] == ["peer"]:
        print(json.dumps(RIVALS[sys.argv[2]](json.load(sys.stdin))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parses", nargs=2, type=Path)
    parser.add_argument("--peers")
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)
    chance = random.Random(0)
    print("| | pairs | seconds | pairs/s | times |\n|---|---:|---:|---:|---:|")
    _quartets(chance)
    _splits(chance)
    _tree_edit(chance, given.parses, given.peers)


def _quartets(chance: random.Random) -> None:
    from treesql.kernels.trees.quartets import count_quartets

    def measure(name: str, pairs: int, make: Callable[[], Nested], other: Callable[[], Nested] | None = None) -> None:
        gold, test = (_skeletons([build() for _ in range(pairs)]) for build in (make, other or make))
        report(name, pairs, seconds(lambda: count_quartets(gold, test)))

    def parse(n: int) -> Nested:
        return tree(list(range(n)), 4, chance)

    def shuffled(n: int, degree: int = 4) -> Nested:
        return tree(chance.sample(range(n), n), degree, chance)

    for n, pairs in ((10, 20_000), (25, 20_000), (40, 10_000), (200, 500), (5000, 1)):
        measure(f"quartets, same order, n = {n}", pairs, lambda n=n: parse(n))  # type: ignore[misc]
    measure("quartets, same order, n = 50,000, two stars", 1, lambda: list(range(50_000)))
    for n, pairs in ((25, 10_000), (200, 200), (5000, 1)):
        measure(f"quartets, any order, n = {n}", pairs, lambda n=n: shuffled(n))  # type: ignore[misc]
    for name, make, other in (
        ("two stars", lambda: chance.sample(range(5000), 5000), None),
        ("star and binary", lambda: list(range(5000)), lambda: shuffled(5000, 2)),
        ("70 nodes of degree 71", lambda: polytomies(5000, 70, chance), None),
        ("two chains", lambda: chain(chance.sample(range(5000), 5000)), None),
    ):
        measure(f"quartets, any order, n = 5000, {name}", 1, make, other)


def _splits(chance: random.Random) -> None:
    from treesql.kernels.trees import splits

    parses = [tree(list(range(25)), 4, chance) for _ in range(20_000)]
    gold, test = _skeletons(parses[:10_000]), _skeletons(parses[10_000:])
    report("splits and conflicts, same order, n = 25", 10_000, seconds(lambda: splits.compare_splits(gold, test)))
    first, second = (_skeletons([chain(chance.sample(range(5000), 5000))]) for _ in range(2))
    report(
        "splits and conflicts, two chains, n = 5000",
        1,
        seconds(lambda: splits.compare_splits(first, second, unrooted=True)),
    )


def _tree_edit(chance: random.Random, parses: list[Path] | None, peers: str | None) -> None:
    from treesql.kernels.trees.tree_edit import from_skeletons, tree_edit_distances

    if parses:
        gold, test = ([_parsed(line) for line in _lines(path)] for path in parses)
    else:
        gold, test = ([_labelled(tree(list(range(24)), 4, chance), chance) for _ in range(200)] for _ in range(2))
    numbers: dict[str, int] = {}
    first, second = _ordered(gold, numbers), _ordered(test, numbers)
    ours = seconds(lambda: tree_edit_distances(first, second))
    report("tree edit distance, labelled parses", len(gold), ours)
    distances = tree_edit_distances(first, second).tolist()
    if peers:
        few = min(len(gold), 40)
        first, second = _ordered(gold[:few], numbers), _ordered(test[:few], numbers)
        ours = seconds(lambda: tree_edit_distances(first, second))
        report("— the first of these", few, ours)
        for name in ("apted", "zss"):
            against(peers, name, list(zip(gold[:few], test[:few], strict=True)), distances[:few], ours / few)
    skeletons = [tree(list(range(25)), 4, chance) for _ in range(4000)]
    left, right = from_skeletons(_skeletons(skeletons[:2000])), from_skeletons(_skeletons(skeletons[2000:]))
    report("tree edit distance, skeletons, n = 25", 2000, seconds(lambda: tree_edit_distances(left, right)))


def report(name: str, pairs: int, spent: float, times: str = "") -> None:
    print(f"| {name} | {pairs:,} | {spent:.4f} | {pairs / spent:,.0f} | {times} |", flush=True)


def against(python: str, name: str, data: object, expected: list[int], ours: float) -> None:
    """Run another tool on the same data and report its seconds per pair, divided by ours."""
    call = [python, __file__, "peer", name]
    result = json.loads(subprocess.run(call, input=json.dumps(data), capture_output=True, text=True, check=True).stdout)
    if result["values"] != expected:
        sys.exit(f"{name} finds other values")
    theirs = result["seconds"] / len(expected)
    report(f"— the same, {name}", len(expected), result["seconds"], f"{theirs / ours:,.0f}")


def seconds(call: Callable[[], object]) -> float:
    """The least CPU seconds of three calls, after one that compiles."""
    call()
    costs = []
    for _ in range(3):
        began = time.process_time()
        call()
        costs.append(time.process_time() - began)
    return min(costs)


def tree(leaves: list[int], degree: int, chance: random.Random) -> Nested:
    """A random tree, every node of 2 to `degree` children."""
    if len(leaves) == 1:
        return leaves[0]
    cuts = sorted(chance.sample(range(1, len(leaves)), min(len(leaves), chance.randint(2, degree)) - 1))
    parts = zip([0, *cuts], [*cuts, len(leaves)], strict=True)
    return [tree(leaves[a:b], degree, chance) for a, b in parts]


def polytomies(n: int, nodes: int, chance: random.Random) -> Nested:
    leaves = chance.sample(range(n), n)
    return [leaves[i::nodes] for i in range(nodes)]


def chain(leaves: list[int]) -> Nested:
    nested: Nested = leaves[0]
    for leaf in leaves[1:]:
        nested = [nested, leaf]
    return nested


def _skeletons(trees: list[Nested]) -> Skeletons:
    import numpy as np

    from treesql.kernels.trees.skeletons import from_phrases

    parents: list[int] = []
    phrases: list[int] = []
    numbers: list[int] = []
    nodes, words = [0], [0]
    for root in trees:
        waiting = [(root, 0)]
        while waiting:
            node, parent = waiting.pop()
            if isinstance(node, list):
                parents.append(parent)
                number = len(parents) - nodes[-1]
                waiting += [(child, number) for child in reversed(node)]
            else:
                phrases.append(parent)
                numbers.append(node)
        nodes.append(len(parents))
        words.append(len(phrases))
    return from_phrases(*(np.array(values, dtype=np.int64) for values in (parents, nodes, phrases, words, numbers)))


def _ordered(trees: list[Nested], numbers: dict[str, int]) -> OrderedTrees:
    import numpy as np

    from treesql.kernels.trees.tree_edit import to_postorder

    rows: list[tuple[int, int]] = []
    sizes = []
    for root in trees:
        start, waiting = len(rows), [(root, -1)]
        while waiting:
            (label, below), parent = waiting.pop()
            number = len(rows) - start
            waiting += [(child, number) for child in reversed(below)]
            rows.append((parent, numbers.setdefault(label, len(numbers))))
        sizes.append(len(rows) - start)
    parents, labels = np.array(rows, dtype=np.int64).T.copy()
    return to_postorder(np.array([0, *accumulate(sizes)]), parents, labels)


def _labelled(shape: Nested, chance: random.Random) -> Nested:
    if isinstance(shape, list):
        return chance.choice(["S", "NP", "VP", "PP"]), [_labelled(child, chance) for child in shape]
    return chance.choice(["NN", "VB", "DT", "IN", "JJ"]), [(f"w{shape}", [])]


def _lines(path: Path) -> list[str]:
    packed = path.read_bytes()
    return (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode().splitlines()


def _parsed(line: str) -> Nested:
    stack: list[tuple[str, list[Nested]]] = [("", [])]
    for token in re.findall(r"\(\s*[^\s()]*|\)|[^\s()]+", line):
        if token == ")":
            stack.pop()
        else:
            node: tuple[str, list[Nested]] = (token.lstrip("( "), [])
            stack[-1][1].append(node)
            if token[0] == "(":
                stack.append(node)
    return stack[0][1][0]


def _apted(data: list[Nested]) -> dict[str, object]:
    from apted import APTED, Config  # type: ignore[import-not-found]

    class Pairs(Config):  # type: ignore[misc]
        def rename(self, first: Nested, second: Nested) -> int:
            return int(first[0] != second[0])

        def children(self, node: Nested) -> Nested:
            return node[1]

    return _timed(lambda pair: int(APTED(pair[0], pair[1], Pairs()).compute_edit_distance()), data)


def _zss(data: list[Nested]) -> dict[str, object]:
    import zss  # type: ignore[import-not-found]

    def made(node: Nested) -> Nested:
        return zss.Node(node[0], [made(child) for child in node[1]])

    def differ(first: str, second: str) -> int:
        return int(first != second)

    pairs = [(made(gold), made(other)) for gold, other in data]
    return _timed(lambda pair: int(zss.simple_distance(*pair, label_dist=differ)), pairs)


def _timed(call: Callable[[Nested], int], data: list[Nested]) -> dict[str, object]:
    began = time.process_time()
    values = [call(pair) for pair in data]
    return {"seconds": time.process_time() - began, "values": values}


RIVALS: dict[str, Callable[[Nested], dict[str, object]]] = {"apted": _apted, "zss": _zss}


if __name__ == "__main__":
    main()
