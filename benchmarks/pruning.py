"""Edges per second of computing tau, pruning and trimming, in SQL, in kernels and by the command.

python benchmarks/pruning.py LATTICES REFERENCES [--greedy LATTICES REFERENCES]

LATTICES, REFERENCES: files that treesql reads; --greedy: others, to be pruned edge by edge. Prints Markdown; one
thread, CPU seconds, medians of runs in turn, compilation not counted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from lattices import in_turn, report

GREEDY_RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lattices")
    parser.add_argument("references")
    parser.add_argument("--greedy", nargs=2, metavar=("LATTICES", "REFERENCES"))
    given = parser.parse_args()
    print("| | edges | CPU s | edges/s |\n|---|---:|---:|---:|")
    at_once(given.lattices, given.references)
    if given.greedy:
        greedily(*given.greedy)


def at_once(lattices: str, references: str) -> None:
    """Queries, and the steps of treesql.lattices.pruning.by_distances, on tables of a database in memory."""
    import treesql
    from treesql import catalog
    from treesql.kernels.lattices.lattice_pruning import edge_taus
    from treesql.lattices import pruning
    from treesql.scoring import scores

    with treesql.connect() as db:
        db.load(lattices, corpus="lattices")
        db.load(references, corpus="references")
        values: dict[str, object] = {"lattice_corpus": "lattices", "reference_corpus": "references"}
        read = pruning.read(db.engine, "lattices")
        rows = scores.run_query(db.engine, catalog.query("reference_texts"), {"reference_corpus": "references"})
        rows = rows.sort_by("sentence")
        pruning_input = pruning.PruningInput(db.engine, values, read)
        texts = pruning.encode(read, rows["sentence"], rows["text_forms"])
        taus = edge_taus(texts, 1.0)
        failing = taus.tau < 0

        def encoded() -> object:
            return edge_taus(pruning.encode(read, rows["sentence"], rows["text_forms"]), 1.0)

        def by_distance(given: pruning.PruningInput) -> pruning.EdgeDecisions:
            return next(pruning.by_distances([0.0])(given))

        def query(name: str) -> Callable[[], object]:
            return lambda: db.query(name, **values)

        contenders: dict[str, Callable[[], Any]] = {
            "tau in SQL (edge_removals)": query("edge_removals"),
            "tau and oracle paths in SQL (edge_effects)": query("edge_effects"),
            "tau, kernel": lambda: edge_taus(texts, 1.0),
            "tau, kernel, words encoded": encoded,
            "pruning and trimming, kernel": lambda: pruning.decide_edges(read, failing, taus.numerator),
            "all of that, and edges read from the tables": lambda: by_distance(
                pruning.PruningInput(db.engine, values, pruning.read(db.engine, "lattices"))
            ),
        }
        assert (by_distance(pruning_input) == pruning.decide_edges(read, failing, taus.numerator)).all()
        for name, took in in_turn(contenders).items():
            report(name, len(read.from_node), took)


def greedily(lattices: str, references: str) -> None:
    import treesql
    from treesql.lattices import pruning

    with treesql.connect() as db:
        db.load(lattices, corpus="lattices")
        db.load(references, corpus="references")
        values = {"lattice_corpus": "lattices", "reference_corpus": "references"}
        pruning_input = pruning.PruningInput(db.engine, values, pruning.read(db.engine, "lattices"))
        decide = pruning.by_distances([0.0], greedy=True)
        took = in_turn({"greedy pruning": lambda: list(decide(pruning_input))}, GREEDY_RUNS)
        report("greedy pruning, kernel", len(pruning_input.lattices.from_node), took["greedy pruning"])


if __name__ == "__main__":
    main()
