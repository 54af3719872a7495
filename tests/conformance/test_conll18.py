"""Every number that the scorers of the CoNLL 2017 and 2018 shared tasks and udeval print for real system outputs.

The scorer of 2017 compares FEATS and lemmas as they stand, and its CLAS leaves out a list of relations (below) where
that of 2018 has a list of those that count.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs, of_one_pair
from treesql import catalog
from treesql.engines import Engine
from treesql.errors import InvalidInput
from treesql.readers import Options
from treesql.scoring import relation_tables, scores
from treesql.storage import corpus_plans, loading

FOLDER = CASES / "dependency"
pytestmark = needs(FOLDER)

METRICS = (
    "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS", "CLAS", "MLAS", "BLEX",
)  # fmt: skip
FIELDS = ("precision", "recall", "f1", "aligned_accuracy")
COUNTS = {"correct": "correct", "gold": "gold_total", "system": "system_total", "aligned": "aligned_total"}
SHARED_2017 = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UAS", "LAS")
"""What the scorer of 2017 counts as that of 2018 does."""

LEFT_OUT_2017 = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"})
"""Relations of no weight in the CLAS of 2017; unlike in that of 2018, all others count, whatever they are called."""

LIGHT_2017 = {relation: 0.0 if relation == "punct" else 0.1 for relation in LEFT_OUT_2017}
"""The weights file of the shared task of 2017, in which all others weigh 1."""

AS_THEY_STAND = """
SELECT count(*) AS aligned, count(*) FILTER (WHERE g.feats IS NOT DISTINCT FROM s.feats) AS "Feats",
       count(*) FILTER (WHERE (g.upos, g.xpos, g.feats) IS NOT DISTINCT FROM (s.upos, s.xpos, s.feats)) AS "AllTags",
       count(*) FILTER (WHERE g.lemma IS NOT DISTINCT FROM s.lemma) AS "Lemmas"
FROM words AS g
JOIN aligned_words AS a ON a.sentence = g.sentence AND a.word = g.word
JOIN words AS s ON s.sentence = a.system_sentence AND s.word = a.system_word
WHERE g.corpus = $gold_corpus AND s.corpus = $system_corpus
"""

Rows = dict[str, dict[str, Any]]
"""By metric, what the scorers print as the columns of conll18."""

Compute = Callable[[str], Rows]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(FOLDER.glob("expected/*.json")):
        yield path.stem, json.loads(path.read_text())


def runs(script: str, *, refused: bool = False) -> Iterator[Any]:
    """The runs of a script that printed numbers, or those that it refused."""
    for pair, case in cases():
        for number, run in enumerate(case["runs"]):
            if run["script"].startswith(script) and bool(run.get("results")) != refused:
                yield pytest.param(pair, run, id=f"{pair}-{number}")


@pytest.fixture(scope="module")
def opened() -> Iterator[Callable[[str], Engine]]:
    """The gold corpus `gold` of a language and its systems, read once."""
    queries = [catalog.query(name) for name in ("conll18", "weighted_attachment", "word_entropy")]
    with ExitStack() as stack:

        @cache
        def open_language(language: str) -> Engine:
            paths = sorted(FOLDER.glob(f"pairs/{language}.*.conllu.gz"))
            wanted = [
                one for path in paths for one in corpus_plans.plan_loads([str(path)], path.name.split(".")[1], None)
            ]
            engine, _ = loading.load_into_memory(wanted, Options(columns=catalog.columns_read(queries)))
            stack.enter_context(engine)
            names = engine.rows("SELECT DISTINCT udeprel FROM words WHERE udeprel IS NOT NULL")
            for weights, light in (("CLAS", dict.fromkeys(LEFT_OUT_2017, 0.0)), ("WeightedLAS", LIGHT_2017)):
                relation_tables.install_weights(engine, weights, [(name, light.get(name, 1.0)) for (name,) in names])
            return engine

        yield open_language


def corpora(pair: str) -> dict[str, str]:
    return {"gold_corpus": "gold", "system_corpus": pair.split(".")[1]}


@pytest.fixture(scope="module")
def conll18(opened: Callable[[str], Engine]) -> Compute:
    """The table conll18 of a pair."""

    @cache
    def compute(pair: str) -> Rows:
        engine = opened(pair.split(".")[0])
        rows = scores.run_statistic(engine, "conll18", corpora(pair)).rows()
        assert [row["metric"] for row in rows] == list(METRICS)
        return {row["metric"]: row for row in rows}

    return compute


def printed(run: dict[str, Any]) -> dict[tuple[str, str], float]:
    found = {(row["metric"], row["field"]): row["value"] for row in run["results"]}
    assert len(found) == len(run["results"])
    return found


def percentages(rows: Rows) -> dict[tuple[str, str], float]:
    """Everything that is not NULL, as it is printed."""
    shares = {(metric, field): row[field] for metric, row in rows.items() for field in FIELDS}
    return {place: round(100 * share, 2) for place, share in shares.items() if share is not None}


def test_every_system_is_there() -> None:
    assert len(list(cases())) == 16
    assert len(list(runs("conll18"))) == 20
    assert len(list(runs("udeval"))) == 26
    assert len(list(runs("conll17"))) == 10


@pytest.mark.parametrize(("pair", "run"), of_one_pair([*runs("conll18"), *runs("udeval")], every=7))
def test_the_scorers_of_2018_and_of_universal_dependencies(conll18: Compute, pair: str, run: dict[str, Any]) -> None:
    if "-c" in run["options"].split():
        rows = conll18(pair)
        found = {
            (metric, field): row[column]
            for metric, row in rows.items()
            for field, column in COUNTS.items()
            if row[column] is not None
        }
        # the scorer counts aligned words beside Words, where it prints no accuracy
        found["Words", "aligned"] = rows["Words"]["correct"]
        assert found == printed(run)
    else:
        assert percentages(conll18(pair)) == printed(run)


@pytest.mark.spread(2)
@pytest.mark.parametrize(("pair", "run"), list(runs("conll17")))
@pytest.mark.slow
def test_the_scorer_of_2017(conll18: Compute, opened: Callable[[str], Engine], pair: str, run: dict[str, Any]) -> None:
    engine = opened(pair.split(".")[0])
    found = {metric: conll18(pair)[metric] for metric in SHARED_2017}
    gold, system = (found["UPOS"][column] for column in ("gold_total", "system_total"))
    expressions, _ = catalog.expand_together([catalog.query("aligned_words")])
    sql = catalog.Statement(expressions, AS_THEY_STAND).sql
    [same] = engine.table(sql, corpora(pair)).to_pylist()
    for metric in ("Feats", "AllTags", "Lemmas"):
        correct = same[metric]
        shares = (correct / system, correct / gold, 2 * correct / (gold + system), correct / same["aligned"])
        found[metric] = dict(zip(FIELDS, shares, strict=True))
    for metric in ("CLAS", "WeightedLAS"):
        values = {**corpora(pair), "weights": metric}
        [row] = scores.score(engine, ["weighted_attachment"], values, sums=True).rows()
        both = "gold_deprel IS NOT NULL AND system_deprel IS NOT NULL"
        [aligned] = scores.score(engine, ["weighted_attachment"], values, where=both).rows()
        right, *sides = (row[f"weighted_attachment__{name}_weight"] for name in ("correct", "gold", "system"))
        shares = (row["wlas_precision"], row["wlas_recall"], 2 * right / sum(sides), aligned["wlas_recall"])
        found[metric] = dict(zip(FIELDS, shares, strict=True))
        assert row["wlas"] == (shares[2] if pair.endswith("_raw") else shares[1])
    assert percentages(found) == printed(run)


def test_clas_of_2017_is_another_on_older_labels(conll18: Compute) -> None:
    """It counts auxpass, neg and mwe, which that of 2018 does not know."""
    [run] = [run.values[1] for run in runs("conll17") if run.values[0] == "Croatian.udpipe"]
    assert printed(run)["CLAS", "f1"] == 60.39
    assert round(100 * conll18("Croatian.udpipe")["CLAS"]["f1"], 2) == 60.82


@pytest.mark.parametrize(("pair", "run"), list(runs("conll18_ud_eval.py", refused=True))[::2])
def test_several_roots_are_refused_where_the_scorer_stops(pair: str, run: dict[str, Any]) -> None:
    """It names the blank line behind the first such sentence, treesql the sentence's first line."""
    told = re.search(r"There are (\d+) roots in a sentence at line (\d+)", run["error"])
    assert told is not None
    path = FOLDER / run["system"]
    with pytest.raises(InvalidInput) as caught:
        treesql.score("dependency", gold=FOLDER / run["gold"], systems=[path], strict=True)
    first = caught.value.faults[0]
    assert str(first).startswith(f"{path}:{first.line}: {told[1]} roots")
    assert all("\n" not in str(fault) for fault in caught.value.faults)
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    assert lines.index("", first.line) + 1 == int(told[2])
