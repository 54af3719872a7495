"""What a score of a few sentences takes when a process has scored some before, in milliseconds of processor time.

    python benchmarks/calls.py [--runs 20] [--only bleu,wer]

All threads of one process, five sentences of `fixtures/`, from files, from lists, and as batches of scorers: the first
ones, and those after a hundred; medians. Then 2,000 lines from lists, against sacrebleu and jiwer where they are
installed.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import treesql

FIXTURES = Path(__file__).parent.parent / "fixtures"

N_SENTENCES = 5
N_LINES = 2_000
N_WARM = 3
N_BATCHES = 100

REFERENCES = [
    "the cat is on the mat", "the dog barked at a man", "he reads a book every day", "it often rains in spring",
    "we are going home now",
]  # fmt: skip
HYPOTHESES = [
    "the cat sat on the mat", "a dog barked at the man", "he reads books every day", "it rains in spring",
    "we go home now",
]  # fmt: skip

Call = Callable[[], object]


def calls(gold: Mapping[str, Any], system: Mapping[str, Any]) -> dict[str, Call]:
    """Scores by name. gold, system: inputs by kind."""

    def score(kind: str, role: str = "gold", **options: Any) -> Call:
        options |= {role: gold[kind], "systems": {"system": system[kind]}}
        return lambda: treesql.score(kind, **options)

    links = {} if isinstance(gold["alignment"], str) else {"gold_format": "pharaoh", "format": "pharaoh"}
    return {
        "attachment": score("dependency", metric="attachment"),
        "dependency, all by default": score("dependency"),
        "alignment": score("alignment", **links),
        "EVALB": score("constituency", metric="evalb"),
        "constituency, all by default": score("constituency"),
        "BLEU": score("translation", "reference", metric="bleu"),
        "WER": score("translation", "reference", metric="wer"),
        "TER": score("translation", "reference", metric="ter"),
        "translation, all by default": score("translation", "reference"),
    }


def sentences() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Gold and system sentences by kind, in the notation of their format."""

    def first(name: str, end: str = "\n") -> list[str]:
        return (FIXTURES / name).read_text("utf-8").strip().split(end)[:N_SENTENCES]

    gold = {
        "dependency": [f"{tree}\n" for tree in first("gold.conllu", "\n\n")], "alignment": first("links.pharaoh"),
        "constituency": first("gold.mrg"), "translation": REFERENCES,
    }  # fmt: skip
    system = {
        "dependency": [f"{tree}\n" for tree in first("parser-a.conllu", "\n\n")], "alignment": first("links-a.pharaoh"),
        "constituency": first("test.mrg"), "translation": HYPOTHESES,
    }  # fmt: skip
    return gold, system


def write(folder: Path, side: str, of_kinds: Mapping[str, list[str]]) -> dict[str, str]:
    """Files of the sentences, by kind."""
    endings = {"dependency": "conllu", "alignment": "pharaoh", "constituency": "mrg", "translation": "txt"}
    paths = {kind: folder / f"{side}.{ending}" for kind, ending in endings.items()}
    for kind, path in paths.items():
        path.write_text("".join(f"{sentence}\n" for sentence in of_kinds[kind]), "utf-8")
    return {kind: str(path) for kind, path in paths.items()}


def updates(gold: Mapping[str, Any], system: Mapping[str, Any]) -> dict[str, Call]:
    """Batches of scorers by the names of the metrics. gold, system: inputs by kind."""

    def update(kind: str, metric: str, *roles: str, **options: Any) -> Call:
        batch = dict(zip(roles, (gold[kind], system[kind]), strict=True))
        add = treesql.Scorer(kind, metric, **options).update
        return lambda: add(**batch)

    links = {"gold_format": "pharaoh", "format": "pharaoh"}
    return {
        "attachment": update("dependency", "attachment", "gold", "system"),
        "alignment": update("alignment", "agreement", "gold", "system", **links),
        "EVALB": update("constituency", "evalb", "gold", "system"),
        "BLEU": update("translation", "bleu", "reference", "hypothesis"),
        "WER": update("translation", "wer", "reference", "hypothesis"),
    }


def milliseconds(call: Call, runs: int, n_warm: int = N_WARM) -> float:
    """The median of the processor time of a call, without the first ones."""
    for _ in range(n_warm):
        call()
    spent = []
    for _ in range(runs):
        began = time.process_time()
        call()
        spent.append(time.process_time() - began)
    return 1000 * statistics.median(spent)


def longer() -> dict[str, tuple[Call, Call | None]]:
    """Calls for 2,000 lines, each with that of a peer, None where it is not installed."""
    hypotheses = [f"{line} {number % 7} and more" for number in range(N_LINES // 5) for line in HYPOTHESES]
    references = [f"{line} {number % 11} and more" for number in range(N_LINES // 5) for line in REFERENCES]

    def score(metric: str) -> Call:
        return lambda: treesql.score("translation", reference=references, systems={"a": hypotheses}, metric=metric)

    def peer(module: str, call: Callable[[Any], object]) -> Call | None:
        try:
            imported = importlib.import_module(module)
        except ImportError:
            return None
        return lambda: call(imported)

    bleu = peer("sacrebleu", lambda sacrebleu: sacrebleu.corpus_bleu(hypotheses, [references]))
    wer = peer("jiwer", lambda jiwer: jiwer.wer(references, hypotheses))
    return {"BLEU, against sacrebleu": (score("bleu"), bleu), "WER, against jiwer": (score("wer"), wer)}


def main() -> None:
    """Print tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="calls of each kind  [default: 20]")
    parser.add_argument("--only", default="", help="names of calls, separated by commas  [default: all]")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    only = {name.lower() for name in options.only.split(",") if name}
    gold, system = sentences()
    print("| score | files | lists | Scorer.update: first | then |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        from_files = calls(write(Path(folder), "gold", gold), write(Path(folder), "system", system))
        from_lists, batches = calls(gold, system), updates(gold, system)
        for name in from_files:
            if not only or name.lower() in only:
                columns = ((from_files, N_WARM), (from_lists, N_WARM), (batches, N_WARM), (batches, N_BATCHES))
                spent = [
                    f"{milliseconds(calls_of[name], options.runs, n_warm):.0f}" if name in calls_of else ""
                    for calls_of, n_warm in columns
                ]
                print(f"| {name} | {' | '.join(spent)} |", flush=True)
    if only:
        return
    print(f"\n| {N_LINES:,} lines | treesql | peer |\n|---|--:|--:|")
    for name, (ours, theirs) in longer().items():
        runs = max(options.runs // 4, 1)
        peers = "" if theirs is None else f"{milliseconds(theirs, runs):.0f}"
        print(f"| {name} | {milliseconds(ours, runs):.0f} | {peers} |", flush=True)


if __name__ == "__main__":
    main()
