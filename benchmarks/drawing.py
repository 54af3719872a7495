"""Time of drawing a sentence, compared with spaCy's displaCy and NLTK's pretty printer.

python benchmarks/drawing.py TREEBANK.conllu[.gz] [--trees TREES.mrg[.gz]] [--peers PYTHON]

Prints Markdown; one thread, CPU milliseconds per sentence, for all sentences of a length, sentences read beforehand.
--trees: constituency trees; --peers: the Python of an environment that has spacy and nltk.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from measure import machine, table, target

LENGTHS = ((10, 10), (30, 30), (60, 70), (100, 200))
LIMIT = 5.0
"""Milliseconds that an SVG of 30 words may take."""


def main() -> None:
    if sys.argv[1:2] == ["peer"]:
        print(json.dumps(RIVALS[sys.argv[2]](json.load(sys.stdin))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank")
    parser.add_argument("--trees")
    parser.add_argument("--peers")
    given = parser.parse_args()
    print(machine("click"), end="\n\n")
    rows: list[list[object]] = []
    thirty = _dependencies(given.treebank, given.peers, rows)
    if given.trees:
        _constituency(given.trees, given.peers, rows)
    print(table(["", "sentences", "ms a sentence", "against treesql's"], rows))
    if thirty is not None:
        print(target(f"SVG of 30 words in less than {LIMIT:g} ms", f"{thirty:.2f} ms", thirty < LIMIT))


def _dependencies(path: str, peers: str | None, rows: list[list[object]]) -> float | None:
    """Add rows; returns the milliseconds that the SVG of a sentence of 30 words takes."""
    from treesql.drawing.dependencies import Tree

    sentences = _read(path, "SELECT list(form ORDER BY word), list(head ORDER BY word), list(deprel ORDER BY word), "
                        "list(upos ORDER BY word) FROM words GROUP BY sentence HAVING count(head) = count(*) "
                        "ORDER BY sentence")  # fmt: skip
    thirty = None
    for least, most in LENGTHS:
        trees = [Tree(*row) for row in sentences if least <= len(row[0]) <= most]
        if not trees:
            continue
        name = f"{least} words" if least == most else f"{least} to {most} words"
        spent = _milliseconds(lambda tree: tree.picture().svg("", standalone=True), trees)
        rows.append([f"SVG, {name}", f"{len(trees):,}", f"{spent:.2f}", ""])
        thirty = spent if least == most == 30 else thirty
        if peers:
            data = [[tree.forms, tree.heads, tree.relations, tree.upos] for tree in trees]
            _against(peers, "displacy", data, spent, rows)
        spent = _milliseconds(lambda tree: tree.characters(100), trees)
        rows.append([f"characters, 100 columns, {name}", f"{len(trees):,}", f"{spent:.2f}", ""])
    return thirty


def _constituency(path: str, peers: str | None, rows: list[list[object]]) -> None:
    from treesql.drawing.constituents import PhraseTree

    words = _read(path, "SELECT list(form ORDER BY word), list(phrase ORDER BY word), list(xpos ORDER BY word) "
                        "FROM words GROUP BY sentence ORDER BY sentence")  # fmt: skip
    nodes = _read(path, "SELECT list(coalesce(label, '') ORDER BY node), list(parent ORDER BY node) "
                        "FROM constituents GROUP BY sentence ORDER BY sentence")  # fmt: skip
    trees = [
        PhraseTree(forms, labels, parents, phrases, tags)
        for (forms, phrases, tags), (labels, parents) in zip(words, nodes, strict=True)
        if 20 <= len(forms) <= 30
    ]
    name = "constituency trees of 20 to 30 words"
    spent = _milliseconds(lambda tree: tree.picture().svg("", standalone=True), trees)
    rows.append([f"SVG, {name}", f"{len(trees):,}", f"{spent:.2f}", ""])
    data = [[tree.forms, tree.labels, tree.parents, tree.phrases, tree.tags] for tree in trees]
    if peers:
        _against(peers, "nltk_svg", data, spent, rows)
    spent = _milliseconds(lambda tree: tree.characters(), trees)
    rows.append([f"characters, {name}", f"{len(trees):,}", f"{spent:.2f}", ""])
    if peers:
        _against(peers, "nltk_text", data, spent, rows)


def _read(path: str, sql: str) -> list[Any]:
    from treesql.readers import Options
    from treesql.storage import loading
    from treesql.storage.corpus_plans import plan_loads

    engine, _ = loading.load_into_memory(plan_loads([path], "corpus"), Options())
    with engine:
        return engine.rows(sql)


def _milliseconds(draw: Callable[[Any], object], trees: Sequence[Any]) -> float:
    """The least CPU milliseconds per tree of three rounds, after one that is not counted."""
    costs = []
    for _ in range(4):
        began = time.process_time()
        for tree in trees:
            draw(tree)
        costs.append(time.process_time() - began)
    return 1000 * min(costs[1:]) / len(trees)


def _against(python: str, name: str, data: list[Any], ours: float, rows: list[list[object]]) -> None:
    call = [python, __file__, "peer", name]
    spent = json.loads(subprocess.run(call, input=json.dumps(data), capture_output=True, text=True, check=True).stdout)
    rows.append([f"— the same, {NAMES[name]}", f"{len(data):,}", f"{spent:.2f}", f"{spent / ours:.1f}"])


def _displacy(data: list[Any]) -> float:
    from spacy import displacy  # type: ignore[import-not-found]

    trees = []
    for forms, heads, relations, upos in data:
        words = [{"text": form, "tag": tag} for form, tag in zip(forms, upos, strict=True)]
        arcs = [
            {"start": min(at, head - 1), "end": max(at, head - 1), "label": label,
             "dir": "left" if at < head - 1 else "right"}
            for at, (head, label) in enumerate(zip(heads, relations, strict=True))
            if head
        ]  # fmt: skip
        trees.append({"words": words, "arcs": arcs})
    return _milliseconds(lambda tree: displacy.render(tree, style="dep", manual=True, jupyter=False), trees)


def _nltk(draw: str) -> Callable[[list[Any]], float]:
    def run(data: list[Any]) -> float:
        from nltk import Tree  # type: ignore[import-not-found]
        from nltk.tree.prettyprinter import TreePrettyPrinter  # type: ignore[import-not-found]

        trees = []
        for forms, labels, parents, phrases, tags in data:
            nodes = [Tree(label, []) for label in labels]
            firsts: dict[int, int] = {}
            for word, up in enumerate(phrases):
                while up is not None:
                    firsts.setdefault(up, word)
                    up = parents[up - 1]
            below = [(firsts[node], up, nodes[node - 1]) for node, up in enumerate(parents, 1) if up is not None]
            below += [
                (word, up, Tree(tags[word], [form]))
                for word, (form, up) in enumerate(zip(forms, phrases, strict=True))
                if up is not None
            ]
            for _, up, child in sorted(below, key=lambda placed: placed[0]):
                nodes[up - 1].append(child)
            trees.append(nodes[0])
        return _milliseconds(lambda tree: getattr(TreePrettyPrinter(tree), draw)(), trees)

    return run


RIVALS: dict[str, Callable[[list[Any]], float]] = {
    "displacy": _displacy,
    "nltk_svg": _nltk("svg"),
    "nltk_text": _nltk("text"),
}
NAMES = {"displacy": "displaCy", "nltk_svg": "NLTK", "nltk_text": "NLTK"}


if __name__ == "__main__":
    main()
