"""Speed of scoring brackets and distances of constituency trees, compared with EVALB.

python benchmarks/constituency.py GOLD.mrg TEST.mrg --evalb "evalb -p COLLINS.prm -e 1000000" [--optimised "..."]

GOLD and TEST: a tree per line, as EVALB reads them; repeat small files (`cat FILE FILE ...`), or the time is mostly
that of planning the statement. --evalb: the command as EVALB's Makefile compiles it, without optimisation; --optimised:
compiled with -O2. Prints Markdown. From stored tables: CPU seconds of the statement, asked again.
"""

from __future__ import annotations

import argparse
import shlex
import tempfile
from pathlib import Path

import measure
from measure import Cost, Reported

EVALB, OPTIMISED, FILES, STORED = "EVALB", "EVALB, -O2", "treesql score constituency --metric evalb", "stored"
SUMS = "SELECT sum(matched), sum(gold), sum(test) FROM evalb('gold', 'test')"
QUESTIONS = {
    "in SQL: sums for precision, recall and f1": (),
    "evalb, with crossing": ("evalb",),
    "evalb and generalised_robinson_foulds": ("evalb", "generalised_robinson_foulds"),
    "evalb and all distances": ("evalb", "robinson_foulds", "generalised_robinson_foulds", "quartets"),
}
"""Metrics computed from stored tables by name of the question; none for SUMS."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--evalb", required=True)
    parser.add_argument("--optimised")
    parser.add_argument("--repetitions", type=int, default=5)
    given = parser.parse_args()
    with given.gold.open("rb") as file:
        pairs = sum(1 for _ in file)
    files = [str(given.gold), str(given.test)]
    commands: dict[str, measure.Command] = {EVALB: [*shlex.split(given.evalb), *files]}
    if given.optimised:
        commands[OPTIMISED] = [*shlex.split(given.optimised), *files]
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "trees.duckdb"
        loading = [measure.run(measure.treesql("load", database, path, "--corpus", name))
                   for name, path in zip(("gold", "test"), files, strict=True)]  # fmt: skip
        size = database.stat().st_size / measure.MEGABYTE
        commands |= {FILES: measure.treesql("score", "constituency", *files, "--metric", "evalb")}
        commands |= {STORED: measure.child(STORED, database)}
        costs = measure.in_turn(commands, given.repetitions)
    print(measure.machine(), end="\n\n")
    print(f"{pairs:,} pairs of trees; loaded in {sum(cost.cpu for cost in loading):.1f} CPU s to {size:.0f} MB.\n")
    report(pairs, costs)


def report(pairs: int, costs: dict[str, Cost]) -> None:
    peers = [name for name in (EVALB, OPTIMISED) if name in costs]
    seconds = {name: costs[name].cpu for name in (*peers, FILES)} | costs[STORED].reported
    rows = [
        (name, f"{took:.3f}", f"{pairs / took:,.0f}", *(f"{costs[peer].cpu / took:.2f}" for peer in peers))
        for name, took in seconds.items()
    ]
    print(measure.table(["", "CPU s", "pairs/s", *(f"times {peer}" for peer in peers)], rows))
    evalb_seconds = costs[EVALB].cpu
    for what, least, ratio in (
        ("precision, recall, f1 in SQL", 2.5, evalb_seconds / costs[STORED].reported[next(iter(QUESTIONS))]),
        (
            "crossing and GRF included",
            1.2,
            evalb_seconds / costs[STORED].reported["evalb and generalised_robinson_foulds"],
        ),
        ("end to end from text", 1, evalb_seconds / costs[FILES].cpu),
    ):
        print(measure.target(f"{what}, at least {least} times EVALB", f"{ratio:.2f} times", ratio >= least))


def stored(database: str) -> Reported:
    """CPU seconds for each question, asked again after the first time."""
    import treesql

    reported: Reported = {}
    with treesql.connect(database, read_only=True) as db:
        for name, metrics in QUESTIONS.items():
            for again in (False, True):
                with measure.cpu(reported if again else {}, name):
                    if metrics:
                        db.score(*metrics, gold_corpus="gold", system_corpus="test")
                    else:
                        db.sql(SUMS).rows()
    return reported


if __name__ == "__main__":
    measure.start(main, {STORED: stored})
