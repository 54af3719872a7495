"""The tables of errors against every table that eval07.pl and eval.pl print for real parser outputs.

The scripts compare whole relations and leave punctuation out by its form: eval07.pl with `-p`, eval.pl without it.
Their recall and precision are NaN where ours are NULL. They print a row for every direction and distance, we for those
that occur. Of the frames they print those found five times or more, of words and contexts the few with most errors;
these must be all that we find above the smallest of the counts printed, and no others.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs, of_one_pair

FOLDER = CASES / "dependency"
pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

RAW = "udpipe_raw"
"""The system whose words differ from the gold words; the scripts refuse it."""

FRAMES_FROM = 5
"""eval07.pl prints frames that are confused this often or more."""


def pairs() -> list[str]:
    return [path.stem for path in sorted(FOLDER.glob("expected/*.json")) if not path.stem.endswith(RAW)]


def runs() -> Iterator[Any]:
    """Every run of one of the two scripts: its pair, how it treats punctuation, and what it printed."""
    for pair in pairs():
        for run in json.loads((FOLDER / "expected" / f"{pair}.json").read_text())["runs"]:
            if run["script"] in ("eval07.pl", "eval.pl"):
                leaves_out = ("-p" in run["options"]) == (run["script"] == "eval07.pl")
                name = f"{pair}-{run['script']}{run['options']}".replace(" ", "")
                yield pytest.param(pair, "form" if leaves_out else "all", run["results"], id=name)


def texts() -> Iterator[Any]:
    """Every text that eval07.pl printed, with its pair and how it treats punctuation."""
    for pair in pairs():
        for option, punctuation in (("default", "all"), ("p", "form")):
            yield pytest.param(
                pair, punctuation, FOLDER / "raw" / f"{pair}.eval07.pl.{option}.txt.gz", id=f"{pair}-{option}"
            )


RUNS, TEXTS = of_one_pair(runs(), every=3), of_one_pair(texts(), every=3)


Table = Callable[[str, str, str], list[dict[str, Any]]]
"""The rows of a query for a pair of corpora, punctuation left out or not."""


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """Runs every query once for a pair, as a macro (which does not audit the pair again), and loads every file once."""
    with treesql.connect() as db:

        @cache
        def load(corpus: str) -> str:
            db.load(FOLDER / "pairs" / f"{corpus}.conllu.gz", corpus=corpus)
            return corpus

        @cache
        def rows(name: str, pair: str, punctuation: str) -> list[dict[str, Any]]:
            gold, system = load(pair.split(".")[0] + ".gold"), load(pair)
            return db.sql(
                f"FROM {name}('{gold}', '{system}', relations := 'full', punctuation := '{punctuation}')"
            ).rows()

        yield rows


def percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)


TABLES = {
    "PR of DEPREL": ("relation_agreement", "relation", "correct_relations", "relation"),
    "PR of DEPREL + ATTACHMENT": ("relation_agreement", "relation", "correct_edges", "edge"),
    "PR of binned HEAD direction": ("head_directions", "direction", "correct_directions", "direction"),
    "PR of binned HEAD distance": ("head_distances", "distance", "correct_distances", "distance"),
}
"""A table of the scripts: its query, the column of its labels, that of its correct words, the prefix of its shares."""


@pytest.mark.parametrize("metric", TABLES)
@pytest.mark.parametrize(("pair", "punctuation", "results"), RUNS)
def test_recall_and_precision(
    table: Table, pair: str, punctuation: str, results: list[dict[str, Any]], metric: str
) -> None:
    query, label, correct, prefix = TABLES[metric]
    printed = {
        row["label"]: (row["gold"], row["correct"], row["system"], row["recall"], row["precision"])
        for row in results
        if row["metric"] == metric and (row["gold"] or row["system"] or label == "relation")
    }
    found = {
        row[label]: (
            row["gold_words"], row[correct], row["system_words"],
            percent(row[f"{prefix}_recall"]), percent(row[f"{prefix}_precision"]),
        )
        for row in table(query, pair, punctuation)
    }  # fmt: skip
    assert len(printed) >= 3
    assert found == printed


@pytest.mark.parametrize(("pair", "punctuation", "results"), RUNS)
def test_accuracy_by_part_of_speech(table: Table, pair: str, punctuation: str, results: list[dict[str, Any]]) -> None:
    printed = {
        row["label"]: (row["words"], row["right_head"], row["right_dep"], row["both_right"])
        for row in results
        if row["metric"] == "accuracy by CPOSTAG"
    }
    total = printed.pop("total")
    rows = table("upos_accuracy", pair, punctuation)
    counts = ("words", "correct_heads", "correct_relations", "correct_edges")
    assert {row["upos"]: tuple(row[count] for count in counts) for row in rows} == printed
    assert tuple(sum(row[count] for row in rows) for count in counts) == total
    shares = (("head_accuracy", 1), ("relation_accuracy", 2), ("edge_accuracy", 3))
    assert all(row[share] == printed[row["upos"]][i] / row["words"] for row in rows for share, i in shares)


@pytest.mark.parametrize(("pair", "punctuation", "results"), RUNS)
def test_confusions_add_up_to_the_words_right(
    table: Table, pair: str, punctuation: str, results: list[dict[str, Any]]
) -> None:
    """Neither script prints the confusions themselves, but their sums are LA and LAS."""
    printed = {row["metric"]: row for row in results if row["metric"] in ("LA", "LAS", "UAS")}
    rows = table("relation_confusions", pair, punctuation)
    right = [row for row in rows if row["gold_relation"] == row["system_relation"]]
    assert sum(row["words"] for row in rows) == printed["LA"]["total"]
    assert sum(row["words"] for row in right) == printed["LA"]["correct"]
    assert sum(row["correct_heads"] for row in right) == printed["LAS"]["correct"]
    assert sum(row["correct_heads"] for row in rows) == printed["UAS"]["correct"]


@cache
def text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def section(path: Path, title: str) -> list[str]:
    """The lines of a part of what eval07.pl printed, which end before two blank ones."""
    _, _, rest = text(path).partition(title)
    assert rest, f"{path} has no {title}"
    return rest.partition("\n\n\n")[0].split("\n")[1:]


@pytest.mark.parametrize(("pair", "punctuation", "path"), TEXTS)
def test_frame_confusions(table: Table, pair: str, punctuation: str, path: Path) -> None:
    printed = {}
    for line in section(path, "Frame confusions"):
        if line.strip():
            count, frames = line[:5], line[5:]
            gold, system = frames.split("/ ")
            printed[gold.strip(), system.strip()] = int(count)
    rows = table("frame_confusions", pair, punctuation)
    found = {(row["gold_frame"], row["system_frame"]): row["frames"] for row in rows}
    assert len(found) == len(rows)
    assert len(printed) > 5
    assert {frames: count for frames, count in found.items() if count >= FRAMES_FROM} == printed


COUNTS = ("errors", "head_errors", "relation_errors", "both_errors")
ROW = re.compile(r"^ *(\S.*?) +\| +(\d+) \| +(\d+) \| +(\d+) \| +(\d+) *$")
"""A label and the counts of any, head, relation and both errors."""


def printed_rows(lines: list[str]) -> dict[str, tuple[int, ...]]:
    return {m[1]: tuple(map(int, m.groups()[1:])) for m in map(ROW.match, lines) if m}


def most(found: dict[str, tuple[int, ...]], printed: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """What has as many errors as the last that is printed."""
    least = min(counts[0] for counts in printed.values())
    return {label: counts for label, counts in found.items() if counts[0] >= least}


@pytest.mark.parametrize(("pair", "punctuation", "path"), TEXTS)
def test_focus_words(table: Table, pair: str, punctuation: str, path: Path) -> None:
    printed = printed_rows(section(path, "focus words where most"))
    announced = re.search(r"(\d+) focus words where most", text(path))
    assert announced is not None
    assert len(printed) == int(announced[1]) >= 5
    rows = table("error_words", pair, punctuation)
    found = {f"{row['form']} / {row['upos']}": tuple(row[count] for count in COUNTS) for row in rows}
    assert len(found) == len(rows)
    assert most(found, printed) == printed
    assert all(row["words"] >= row["errors"] for row in rows)


@pytest.mark.parametrize(("context", "title"), [("before", "one-token preceeding"), ("after", "one-token following")])
@pytest.mark.parametrize(("pair", "punctuation", "path"), TEXTS)
def test_contexts(table: Table, pair: str, punctuation: str, path: Path, context: str, title: str) -> None:
    """To the left of `||` by part of speech, to the right by word; the ends of a sentence are in the former alone."""
    halves = [line.partition("||") for line in section(path, title)]
    by_upos, by_word = (printed_rows([half[side] for half in halves]) for side in (0, 2))
    assert len(by_upos) >= 3
    assert len(by_word) >= 3
    sums: dict[str, Counter[str]] = {}
    words = {}
    for row in table("error_contexts", pair, punctuation):
        if row["context"] == context:
            counts = {count: row[count] for count in COUNTS}
            sums.setdefault(row["upos"] or row["form"], Counter()).update(counts)
            if row["upos"]:
                words[f"{row['form']} / {row['upos']}"] = tuple(counts.values())
    assert most({upos: tuple(counts[c] for c in COUNTS) for upos, counts in sums.items()}, by_upos) == by_upos
    assert most(words, by_word) == by_word


@pytest.mark.parametrize(("pair", "punctuation", "path"), TEXTS)
def test_sentences_with_most_errors(table: Table, pair: str, punctuation: str, path: Path) -> None:
    rows = table("attachment_errors", pair, punctuation)
    errors: dict[int, Counter[str]] = {}
    for row in rows:
        wrong = {"head": 1 - row["correct_head"], "dependency": 1 - row["correct_relation"], "word": 1}
        errors.setdefault(row["sentence"] + 1, Counter()).update(wrong)
    pattern = (
        r"highest number of (word|head|dependency) errors:\s+"
        r"Sentence (\d+) line \d+, (\d+) head errors, (\d+) dependency errors, (\d+) word errors"
    )
    printed = re.findall(pattern, text(path))
    assert len(printed) == 3
    for kind, sentence, *counts in printed:
        found = errors[int(sentence)]
        assert [found["head"], found["dependency"], found["word"]] == [int(count) for count in counts]
        assert found[kind] == max(counts[kind] for counts in errors.values())
    assert all(row["sentence_errors"] == errors[row["sentence"] + 1]["word"] for row in rows)
    assert [(-row["sentence_errors"], row["sentence"], row["word"]) for row in rows] == sorted(
        (-row["sentence_errors"], row["sentence"], row["word"]) for row in rows
    )
