"""Scores of translations and tests of their differences, compared with sacrebleu and jiwer.

    python benchmarks/translation.py HYPOTHESES REFERENCES --other HYPOTHESES --seconds 60

Prints Markdown. Texts of a sentence a line are repeated until the other library needs so many seconds; both read files,
in one warm process, in turn; CPU seconds. Tests are 10,000 shuffles, without intervals: the whole from files to p, and
what of it comes after the counts of every sentence. Needs sacrebleu and jiwer.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from measure import machine, table, target

import treesql
from treesql import significance

LEAST = {"wer": 5, "bleu": 0, "chrf": 10, "ter": 20}
"""How many times faster a score is to be."""

LEAST_OF_TESTS = 50
RUNS = 10_000

Lines = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("hypotheses", type=Path)
    parser.add_argument("references", type=Path)
    parser.add_argument("--other", type=Path, help="a second system, for tests")
    parser.add_argument("--metric", choices=LEAST, action="append")
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    warnings.simplefilter("ignore", treesql.TreesqlWarning)
    rows, reached = [], []
    with tempfile.TemporaryDirectory() as folder:
        for metric in given.metric or LEAST:
            for others in [(), (given.other,)] if given.other else [()]:
                texts = (given.hypotheses, given.references, *others)
                if len(others) and metric == "wer":
                    continue  # jiwer has no tests
                least = LEAST_OF_TESTS if others else LEAST[metric]
                for row, ratio in measure(metric, texts, given.seconds, Path(folder)):
                    rows.append(row)
                    print(row, flush=True)
                    what, ratio_text = f"{row[0]}, at least {least} times", f"{ratio:.1f} times"
                    reached += [target(what, ratio_text, ratio >= least)] * (least > 0)
    print(table(["", "lines", "treesql, s", "peer, s", "times"], rows))
    print("\n".join(reached))
    print(f"\n{machine('sacrebleu', 'jiwer', 'rapidfuzz')}")


def measure(metric: str, texts: Sequence[Path], wanted: float, folder: Path) -> Iterator[tuple[list[str], float]]:
    """Rows of the table, and how many times faster treesql is. texts: hypotheses, references, those of another."""
    ours, theirs = contenders(metric, tests=len(texts) > 2)
    ours(texts)
    theirs(texts)  # imports
    once = cpu_seconds(partial(theirs, texts))
    times = max(1, math.ceil(wanted / once))
    repeated = [folder / f"{number}.txt" for number in range(len(texts))]
    for path, copy in zip(texts, repeated, strict=True):
        copy.write_text(path.read_text("utf-8") * times, "utf-8")
    of_tests.clear()
    mine, peer = cpu_seconds(partial(ours, repeated)), cpu_seconds(partial(theirs, repeated))
    name = metric.upper().replace("CHRF", "chrF")
    what = f"{RUNS:,} shuffles of {name}, scores included" if len(texts) > 2 else name
    n = len(repeated[0].read_text("utf-8").splitlines())
    yield [what, f"{n:,}", f"{mine:.2f}", f"{peer:.1f}", f"{peer / mine:.1f}"], peer / mine
    if of_tests:
        mine, peer = of_tests
        what = f"— the {RUNS:,} shuffles alone"
        yield [what, f"{n:,}", f"{mine:.3f}", f"{peer:.1f}", f"{peer / mine:.1f}"], peer / mine


of_tests: list[float] = []
"""CPU seconds of the parts of both libraries that begin with the counts of every sentence."""


def contenders(metric: str, *, tests: bool) -> tuple[Callable[[Sequence[Path]], object], ...]:
    """What scores or tests by a metric: treesql, and the other library."""
    if tests:
        return partial(_compare, metric), partial(_sacrebleu_test, metric)
    return partial(_score, metric), _jiwer if metric == "wer" else partial(_sacrebleu, metric)


def cpu_seconds(call: Callable[[], object]) -> float:
    """The CPU seconds of a call, of all threads."""
    began = time.process_time()
    call()
    return time.process_time() - began


def _score(metric: str, texts: Sequence[Path]) -> object:
    return treesql.score("translation", systems=[texts[0]], reference=texts[1], metric=metric)


def _compare(metric: str, texts: Sequence[Path]) -> object:
    systems = {"a": texts[0], "b": texts[2]}
    test = partial(_timed, significance.compare.compare_counted)
    with mock.patch.object(significance.compare, "compare_counted", test):
        return treesql.compare("translation", systems=systems, reference=texts[1], metric=metric, runs=RUNS, ci=False)


def _jiwer(texts: Sequence[Path]) -> object:
    import jiwer

    hypotheses, references = map(_lines, texts)
    return jiwer.process_words(references, hypotheses).wer


def _sacrebleu(metric: str, texts: Sequence[Path]) -> object:
    hypotheses, references = map(_lines, texts)
    return _peer(metric).corpus_score(hypotheses, [references]).score


def _sacrebleu_test(metric: str, texts: Sequence[Path]) -> object:
    from sacrebleu.significance import PairedTest

    hypotheses, references, others = map(_lines, texts)
    systems = [("a", hypotheses), ("b", others)]
    peer = _peer(metric)
    test = PairedTest(systems, {metric: peer}, [references], test_type="ar", n_samples=RUNS)  # counts the first system
    counts = peer._extract_corpus_statistics(others, [references])
    with mock.patch.object(peer, "_extract_corpus_statistics", return_value=counts):
        return _timed(test)


def _timed(test: Callable[..., object], *given: object) -> object:
    """What a test returns, whose CPU seconds are added to `of_tests`."""
    results = []
    of_tests.append(cpu_seconds(lambda: results.append(test(*given))))
    return results[0]


def _peer(metric: str) -> Any:
    from sacrebleu.metrics import BLEU, CHRF, TER

    return {"bleu": partial(BLEU, tokenize="none", force=True), "chrf": CHRF, "ter": TER}[metric]()


def _lines(path: Path) -> Lines:
    return path.read_text("utf-8").splitlines()


if __name__ == "__main__":
    main()
