"""Pairs of aligned dependency trees scored per second, compared with networkx with rapidfuzz, and zss.

python benchmarks/paths.py REFERENCE.conllu HYPOTHESIS.conllu LINKS.align [--peers PYTHON]

Prints Markdown; CPU seconds, the least of five (peers: of three), compilation not counted. The files are
repeated until they are 20,000 pairs. --peers: the Python of an environment that has networkx, rapidfuzz and zss, which
are given the first 500 pairs, and whose results have to be the same.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

    from treesql.kernels.trees.dependency_trees import DependencyTrees
    from treesql.kernels.trees.spanning_trees import LinkBatch

PAIRS = 20_000
FEW = 500
DEEP = 100
LISTS = """
CREATE TEMP TABLE lists AS
SELECT a.reference_heads, a.reference_relations, a.hypothesis_heads, a.hypothesis_relations, a.reference_links,
       a.hypothesis_links
FROM aligned_trees('reference', 'hypothesis', 'links') AS a ORDER BY a.sentence
"""
OF_LISTS = """
reference_heads, reference_relations, hypothesis_heads, hypothesis_relations, reference_links, hypothesis_links
"""
SUMS = f"""
SELECT sum(t.edge.disparity), sum(t.edge.maximum)
FROM (SELECT unnest(spanning_tree({OF_LISTS})) AS edge FROM lists) AS t
"""
EDITS = f"SELECT sum(dependency_tree_edit_distance({OF_LISTS}, 'deprel')) FROM lists"
OF_TABLES = "SELECT sum(p.disparity), sum(p.maximum) FROM path_disparities('reference', 'hypothesis', 'links') AS p"


def main() -> None:
    if sys.argv[1:2] in (["peer"], ["chain"]):
        print(json.dumps(_peer(sys.argv[2]) if sys.argv[1] == "peer" else _chain(int(sys.argv[2]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs=3, type=Path)
    parser.add_argument("--peers")
    given = parser.parse_args()
    print("| | pairs | seconds | pairs/s | times |\n|---|---:|---:|---:|---:|")
    for links in (1_000, 5_000):  # first: a process has the memory of the one that started it
        result = json.loads(subprocess.check_output([sys.executable, __file__, "chain", str(links)]))
        report(f"two chains of 5,000 words, {links:,} links, {result['megabytes']:.0f} MB in all", 1, result["seconds"])
    _deep(random.Random(0))
    _real(given.files, given.peers)


def _real(files: list[Path], peers: str | None) -> None:
    import treesql

    with treesql.connect() as db:
        connection = db.connection
        for corpus, file in zip(("reference", "hypothesis", "links"), files, strict=True):
            db.load(file, corpus=corpus)
        [(n,)] = connection.execute("SELECT count(*) FROM sentences WHERE corpus = 'reference'").fetchall()
        _repeat(connection, int(n), -(-PAIRS // int(n)))
        pairs = int(n) * -(-PAIRS // int(n))
        db.sql("SELECT 1 FROM aligned_trees('reference', 'hypothesis', 'links') LIMIT 0")
        db.sql("SELECT 1 FROM path_disparities('reference', 'hypothesis', 'links') LIMIT 0")
        connection.execute(LISTS)
        ours = seconds(lambda: connection.execute(SUMS).fetchall())
        report("spanning trees, in SQL from lists", pairs, ours)
        report("spanning trees, in SQL from tables", pairs, seconds(lambda: connection.execute(OF_TABLES).fetchall()))
        edits = seconds(lambda: connection.execute(EDITS).fetchall())
        if peers:
            rows = connection.execute(f"SELECT {OF_LISTS} FROM lists LIMIT {FEW}").fetchall()
            expected = connection.execute(f"SELECT spanning_tree({OF_LISTS}) FROM lists LIMIT {FEW}").fetchall()
            totals = [[sum(e["disparity"] for e in tree), sum(e["maximum"] for e in tree)] for (tree,) in expected]
            against(peers, "networkx and rapidfuzz", rows, totals, ours / pairs)
        report("edit distances, in SQL from lists", pairs, edits)
        if peers:
            sql = f"SELECT dependency_tree_edit_distance({OF_LISTS}, 'deprel') FROM lists LIMIT {FEW}"
            against(peers, "zss", rows, [edit for (edit,) in connection.execute(sql).fetchall()], edits / pairs)


def _repeat(connection: duckdb.DuckDBPyConnection, sentences: int, times: int) -> None:
    """Load every sentence so many times over."""
    for table in ("sentences", "words", "alignments"):
        connection.execute(
            f"INSERT INTO {table} SELECT t.* REPLACE (CAST(t.sentence + {sentences} * r.i AS INTEGER) AS sentence) "
            f"FROM {table} AS t, range(1, {times}) AS r(i) ORDER BY t.corpus, r.i, t.sentence"
        )


def _deep(chance: random.Random) -> None:
    """Trees of 100 words, all linked: compared with separate Levenshtein distances of all pairs of links."""
    import numpy as np

    from treesql.kernels.texts.edit_distance import edit_distances
    from treesql.kernels.trees.spanning_trees import spanning_trees

    for reach, pairs in ((8, 200), (2, 100), (1, 50)):
        reference, hypothesis, links = _random(chance, pairs, reach)
        name = f"words at depth {_depth(reference):.0f} on average"
        ours = seconds(lambda: spanning_trees(reference, hypothesis, links))  # noqa: B023
        report(f"{DEEP} words, all linked, {name}", pairs, ours)
        parts: list[list[int]] = [[], []]
        offsets: list[list[int]] = [[0], [0]]
        few = max(pairs // 50, 1)
        for pair in range(few):
            for ways in _ways(reference, hypothesis, links, pair):
                for side, way in enumerate(ways):
                    parts[side] += way
                    offsets[side].append(len(parts[side]))
        sequences = [np.array(values, dtype=np.int64) for values in (parts[0], offsets[0], parts[1], offsets[1])]
        theirs = seconds(lambda: edit_distances(*sequences))  # noqa: B023
        report("— the Levenshtein distances of all paths alone", few, theirs, f"{theirs / few / (ours / pairs):,.0f}")


def _random(chance: random.Random, pairs: int, reach: int) -> tuple[DependencyTrees, DependencyTrees, LinkBatch]:
    """Pairs of trees in which a word hangs on one of the so many before it in a random order."""
    import numpy as np

    from treesql.kernels.trees.dependency_trees import DependencyTrees
    from treesql.kernels.trees.spanning_trees import LinkBatch

    offsets = np.arange(pairs + 1) * DEEP
    sides = []
    for _ in range(2):
        heads = []
        for _ in range(pairs):
            order = chance.sample(range(DEEP), DEEP)
            head_of_word = {order[0]: 0}
            head_of_word.update(
                {word: order[chance.randrange(max(at - reach, 0), at)] + 1 for at, word in enumerate(order[1:], 1)}
            )
            heads += [head_of_word[word] for word in range(DEEP)]
        labels = [chance.randrange(30) for _ in heads]
        sides.append(DependencyTrees(offsets, np.array(heads), np.array(labels)))
    links = [np.array([word + 1 for _ in range(pairs) for word in chance.sample(range(DEEP), DEEP)]) for _ in range(2)]
    return sides[0], sides[1], LinkBatch(offsets, links[0], links[1])


def _ways(
    reference: DependencyTrees, hypothesis: DependencyTrees, links: LinkBatch, pair: int
) -> list[tuple[list[int], list[int]]]:
    """Of all pairs of links the labels upwards and downwards in both trees."""
    ups = []
    for trees, words in ((reference, links.reference), (hypothesis, links.hypothesis)):
        start, end = trees.offsets[pair], trees.offsets[pair + 1]
        heads, labels = trees.heads[start:end].tolist(), trees.labels[start:end].tolist()
        above = []
        for word in words[links.offsets[pair] : links.offsets[pair + 1]].tolist():
            way = []
            while word:
                way.append(word)
                word = heads[word - 1]
            above.append(way)
        ups.append((above, labels))
    ways = []
    n = len(ups[0][0])
    for i in range(n):
        for j in range(i):
            cut = [
                (_upwards(above[i], above[j], labels), _upwards(above[j], above[i], labels)) for above, labels in ups
            ]
            ways += [(cut[0][0], cut[1][0]), (cut[0][1], cut[1][1])]
    return ways


def _depth(trees: DependencyTrees) -> float:
    """The mean depth of words."""
    from treesql.kernels.trees.trees import ancestor_jumps, index_trees

    starts = trees.offsets[:-1].repeat(DEEP)
    parents = trees.heads - 1 + starts
    parents[trees.heads == 0] = -1
    return float(index_trees(parents, trees.offsets, ancestor_jumps(parents, DEEP).rounds).depth.mean())


def _upwards(way: list[int], other: list[int], labels: list[int]) -> list[int]:
    common = set(other)
    return [labels[word - 1] for word in way if word not in common]


def _chain(links: int) -> dict[str, float]:
    """Seconds and memory of two chains of 5,000 words, imports and compilation not counted in the seconds."""
    import numpy as np

    from treesql.kernels.trees.dependency_trees import DependencyTrees
    from treesql.kernels.trees.spanning_trees import LinkBatch, spanning_trees

    n = 5_000
    chance = np.random.default_rng(0)
    small = DependencyTrees(np.array([0, 2]), np.array([0, 1]), np.array([0, 0]))
    spanning_trees(small, small, LinkBatch(np.array([0, 2]), np.array([1, 2]), np.array([1, 2])))
    sides = [DependencyTrees(np.array([0, n]), np.arange(n), chance.integers(0, 40, n)) for _ in range(2)]
    words = [np.sort(chance.permutation(n)[:links]) + 1 for _ in range(2)]
    began = time.process_time()
    spanning_trees(sides[0], sides[1], LinkBatch(np.array([0, links]), words[0], words[1]))
    spent = time.process_time() - began
    return {"seconds": spent, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6}


def report(name: str, pairs: int, spent: float, times: str = "") -> None:
    print(f"| {name} | {pairs:,} | {spent:.4f} | {pairs / spent:,.0f} | {times} |", flush=True)


def against(python: str, name: str, data: object, expected: list[Any], ours: float) -> None:
    """Run another tool on the same data and report its seconds per pair, divided by ours."""
    call = [python, __file__, "peer", name]
    result = json.loads(subprocess.run(call, input=json.dumps(data), capture_output=True, text=True, check=True).stdout)
    if result["values"] != expected:
        sys.exit(f"{name} finds other values")
    theirs = result["seconds"] / len(expected)
    report(f"— the first of these, {name}", len(expected), result["seconds"], f"{theirs / ours:,.0f}")


def seconds(call: Callable[[], object], times: int = 5) -> float:
    """The least CPU seconds of several calls, after one that compiles."""
    call()
    costs = []
    for _ in range(times):
        began = time.process_time()
        call()
        costs.append(time.process_time() - began)
    return min(costs)


def _peer(name: str) -> dict[str, object]:
    data = json.load(sys.stdin)
    call = {"networkx and rapidfuzz": _networkx, "zss": _zss}[name]
    values: list[object] = []

    def work() -> None:
        values[:] = [call(row) for row in data]

    return {"seconds": seconds(work, 3), "values": values}


def _networkx(row: Any) -> list[int]:
    """The total L and Lmax: all edges of the graph of links, then a minimum spanning tree."""
    import networkx as nx  # type: ignore[import-untyped, import-not-found, unused-ignore]
    from rapidfuzz.distance import Levenshtein  # type: ignore[import-not-found, unused-ignore]

    heads, relations, other_heads, other_relations, words, counterparts = row
    ups = [_climbs(heads, words), _climbs(other_heads, counterparts)]
    graph = nx.Graph()
    graph.add_nodes_from(range(len(words)))
    for i in range(len(words)):
        for j in range(i):
            if words[i] == words[j] or counterparts[i] == counterparts[j]:
                graph.add_edge(i, j, weight=(0), both=(0, 0))
                continue
            (up, down), (other_up, other_down) = (
                (_labels(above[i], above[j], labels), _labels(above[j], above[i], labels))
                for above, labels in zip(ups, (relations, other_relations), strict=True)
            )
            disparity = Levenshtein.distance(up, other_up) + Levenshtein.distance(down, other_down)
            disparity += (words[i] < words[j]) != (counterparts[i] < counterparts[j])
            maximum = max(len(up), len(other_up)) + 1 + max(len(down), len(other_down))
            graph.add_edge(i, j, weight=disparity * 1_000_000 + maximum, both=(disparity, maximum))
    edges = list(nx.minimum_spanning_edges(graph, data=True))
    return [sum(edge[2]["both"][side] for edge in edges) for side in range(2)]


def _climbs(heads: list[int], words: list[int]) -> list[list[int]]:
    ways = []
    for word in words:
        way = []
        while word:
            way.append(word)
            word = heads[word - 1]
        ways.append(way)
    return ways


def _labels(way: list[int], other: list[int], labels: list[str]) -> list[str]:
    common = set(other)
    return [labels[word - 1] for word in way if word not in common]


def _zss(row: Any) -> int:
    import zss  # type: ignore[import-not-found, unused-ignore]

    def tree(heads: list[int], relations: list[str]) -> Any:
        nodes = [zss.Node(""), *(zss.Node(relation) for relation in relations)]
        for word, head in enumerate(heads, 1):
            nodes[head].addkid(nodes[word])
        return nodes[0]

    def differ(first: str, second: str) -> int:
        return int(first != second)

    return int(zss.simple_distance(tree(row[0], row[1]), tree(row[2], row[3]), label_dist=differ))


if __name__ == "__main__":
    main()
