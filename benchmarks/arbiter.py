"""Scores of lattices pruned by arbiters fitted on others, compared with pruning at random and by distance.

python benchmarks/arbiter.py LATTICES REFERENCES [--other LATTICES REFERENCES] [--share SHARE ...] [--draws N]
    [--learner NAME ...]

LATTICES, REFERENCES: JSON lines with a score on every edge, and a text; arbiters are fitted on each half and prune the
other. --other: lattices that are pruned by the arbiters fitted on the first half, too. Prints Markdown: graph error
rate and SWCD after pruning, of random pruning the means of N draws; `p` is the median over draws of the shuffling test
of the arbiter against one draw. Before each table: the area under the
ROC curve of the arbiters on edges of the other half.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from treesql.catalog import kinds
from treesql.evaluation.files import make_task
from treesql.evaluation.task import Task
from treesql.lattices import arbiter
from treesql.lattices.arbiter import Arbiter, Feature, PruningCut

SHARES = (0.25, 0.5, 0.75)
DRAWS = 11


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lattices", type=Path)
    parser.add_argument("references", type=Path)
    parser.add_argument("--other", type=Path, nargs=2, metavar=("LATTICES", "REFERENCES"))
    parser.add_argument("--share", type=float, action="append")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--learner", action="append", default=[], help="only these, of paths, with all features")
    given = parser.parse_args()
    made = partial(fitted, learners=given.learner)
    shares = given.share or SHARES
    with halves(given.lattices, given.references) as (first, second):
        print(f"{given.lattices.name}: fitted on the first half, the second pruned")
        show(made(first), second, shares, given.draws)
        print(f"\n{given.lattices.name}: fitted on the second half, the first pruned")
        show(made(second), first, shares, given.draws)
        if given.other:
            print(f"\n{given.other[0].name}: pruned by arbiters fitted on the first half of {given.lattices.name}")
            show(
                made(first),
                lattices_task(str(given.other[0]), str(given.other[1])),
                shares,
                given.draws,
            )


def lattices_task(lattices: str, references: str) -> Task:
    return make_task(kinds.kind("lattice"), [lattices], {"reference": references})


@contextmanager
def halves(lattices: Path, references: Path) -> Iterator[tuple[Task, Task]]:
    """Both halves of the lines, in a temporary folder."""
    lines = [path.read_text("utf-8").splitlines(keepends=True) for path in (lattices, references)]
    middle = len(lines[0]) // 2
    with tempfile.TemporaryDirectory() as folder:
        tasks = []
        for name, chosen in (("first", slice(None, middle)), ("second", slice(middle, None))):
            for ending, text in zip(("jsonl", "txt"), lines, strict=True):
                Path(folder, f"{name}.{ending}").write_text("".join(text[chosen]), "utf-8")
            tasks.append(lattices_task(f"{folder}/{name}.jsonl", f"{folder}/{name}.txt"))
        yield tasks[0], tasks[1]


def fitted(task: Task, learners: Sequence[str] = ()) -> dict[str, Arbiter]:
    """Arbiters by name: all features, those without scores, and the score alone, which needs no examples; or those of
    learners, with all features."""
    made = {}
    table = arbiter.examples(task).arrow()
    if learners:
        return {name: arbiter.fit(table, learner=name) for name in learners}
    without = [name for name in arbiter.feature_names(table.column_names) if "score" not in name]
    for label in arbiter.LABELS:
        made[label] = arbiter.fit(table, label=label)
        made[f"{label}, no scores"] = arbiter.fit(table, without, label=label)
    made["tau, both thresholds 0"] = arbiter.fit(arbiter.examples(task, 0, 0).arrow(), label="tau")
    made["`score_distance_1`, not fitted"] = Arbiter((Feature("score_distance_1", 0, 1, 1),), 0, 1, 0, 0)
    return made


def show(judges: dict[str, Arbiter], task: Task, shares: tuple[float, ...], draws: int) -> None:
    table = arbiter.examples(task).arrow()
    areas = (f"{name} {area(judge, table):.2f}" for name, judge in judges.items() if judge.prune)
    print(f"area under the ROC curve: {', '.join(areas)}\n")
    print("| share | arbiter | density | GER rate | random | oracle | p | SWCD | random | oracle |")
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for share in shares:
        for name, judge in judges.items():
            runs = [drawn(task, judge, share, seed) for seed in range(draws)]
            rows = runs[0]
            chance = {score: statistics.mean(run["random"][score] for run in runs) for score in ("ger_rate", "swcd")}
            p = statistics.median(run["arbiter"]["ger_p"] for run in runs)
            worse = "" if rows["arbiter"]["ger_rate"] < chance["ger_rate"] else " (worse)"
            print(
                f"| {share:.0%} | {name} | {rows['arbiter']['density']:.2f} | {rows['arbiter']['ger_rate']:.1%} "
                f"| {chance['ger_rate']:.1%} | {rows['oracle']['ger_rate']:.1%} | {p:.2g}{worse} "
                f"| {rows['arbiter']['swcd']:.3f} | {chance['swcd']:.3f} | {rows['oracle']['swcd']:.3f} |",
                flush=True,
            )


def area(judge: Arbiter, table: pa.Table) -> float:
    """Area under the ROC curve, over the examples that have a label."""
    from sklearn.metrics import roc_auc_score

    if judge.label == "tau":
        table = table.filter(pc.is_valid(table["label"]))
    prune = pc.equal(table["label"], arbiter.PRUNE) if judge.label == "tau" else pc.invert(table["on_oracle_path"])
    return float(roc_auc_score(prune.to_numpy(), judge.log_odds(table)))


def drawn(task: Task, judge: Arbiter, share: float, seed: int) -> dict[str, dict[str, Any]]:
    """The rows of one draw by how lattices are pruned."""
    return {row["pruning"]: row for row in arbiter.apply(task, judge, PruningCut(share=share), seed=seed).rows()}


if __name__ == "__main__":
    main()
