"""The cases of lattice/: numbers of brute force, OpenFst, a mixed integer program, jiwer and sacrebleu."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import treesql
from tests.conformance.cases import needs
from tests.conformance.lattices import FOLDER, corpus_row, expected_rows, near, write_lattices, write_texts
from tests.conftest import thorough_but
from tests.readers.reading import faults_of, read_rows
from treesql.kernels.lattices import lattice_oracles
from treesql.kernels.lattices.lattices import LatticeBatch
from treesql.kernels.lattices.position_independent import nearest_paths_as_bags
from treesql.readers import Options, State, format_of
from treesql.results.result import Result

FORMATS = FOLDER / "formats"
MALFORMED = FORMATS / "malformed"
TAKEN = {"double_quoted.plf": 0, "unreachable_node.plf": 1}
"""Malformed files that are taken, with their number of warnings."""

LEVELS = [("fisher", 1), ("fisher", 4), ("fisher", 16), ("pud", 1), ("pud", 4), ("pud", 16), ("pud", 64)]
ALL = [*LEVELS, ("fisher", 64)]
"""The largest set is given to the kernels alone."""

IN_CI = (("fisher", 4), ("pud", 16))
EACH_LEVEL = pytest.mark.parametrize(("name", "k"), thorough_but(LEVELS, *IN_CI))
"""All levels by hand; a level of each set, one with several references, otherwise."""

large = pytest.mark.compiled
"""Of tests on hundreds of lattices. Those of small lattices, samples of formats and malformed files run by default."""

pytestmark = [needs(FOLDER), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]


@cache
def small() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "small" / "lattices.jsonl").read_text().splitlines()]


SmallScores = Callable[..., Result]
"""Scores of the small lattices: the metrics, how many references (all if not said), and how they are grouped."""

PATHS = ("graph_error", "graph_word_error", "word_set_graph_error", "word_set_graph_error_rate")


@pytest.fixture(scope="module")
def small_scores(tmp_path_factory: pytest.TempPathFactory) -> SmallScores:
    folder = tmp_path_factory.mktemp("small")
    n = max(len(case["refs"]) for case in small())
    # A lattice with fewer references has its last one again, which changes no score.
    texts = [[case["refs"][min(at, len(case["refs"]) - 1)] for case in small()] for at in range(n)]
    references = [str(write_texts(folder / f"{at}.txt", one)) for at, one in enumerate(texts)]

    @cache
    def score(*metrics: str, n_references: int = n, by: str | None = None) -> Result:
        return treesql.score(
            "lattice", reference=references[:n_references], systems=[FOLDER / "small" / "lattices.jsonl"],
            metric=list(metrics), by=by,
        )  # fmt: skip

    return score


def quotient(text: str | None) -> float | None:
    if text is None:
        return None
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


def test_small_lattices_against_the_first_reference(small_scores: SmallScores) -> None:
    for case, row in zip(small(), small_scores(*PATHS, n_references=1, by="sentence").rows(), strict=True):
        assert row["ger"] == case["ger"][0]
        assert row["pmed"] == case["pmed"][0]
        assert row["gwer"] == near(quotient(case["gwer"][0]))
        assert row["gper"] == near(quotient(case["gper"][0]))
        assert row["proven"] == row["gper_proven"] == 1


@pytest.mark.slow
def test_small_lattices_against_all_references(small_scores: SmallScores) -> None:
    found = small_scores(*PATHS, "lattice_size", "word_count_distance", "edge_n_grams", by="sentence")
    for case, row in zip(small(), found.rows(), strict=True):
        assert row["ger"] == min(case["ger"])
        assert row["pmed"] == min(case["pmed"])
        assert row["gwer"] == near(min((quotient(one) for one in case["gwer"] if one), default=None))
        assert row["gper"] == near(min((quotient(one) for one in case["gper"] if one), default=None))
        assert row["swcd"] * case["n_nodes"] == near(case["bounded1"]["score"])
        unbounded = case["unbounded"]["score"]
        assert row["swcd_unbounded"] == near(unbounded and unbounded / case["n_nodes"])
        assert row["redundancy"] == near(quotient(case["unbounded"]["lambda_hat"]))
        for order, (found, total) in enumerate(case["edge_ngram_hits"], 1):
            assert row[f"edge_precision_{order}"] == (near(found / total) if total else None)


def test_small_lattices_together(small_scores: SmallScores) -> None:
    expected = json.loads((FOLDER / "small" / "corpus.json").read_text())
    [row] = small_scores("lattice_size", "word_count_distance").rows()
    assert (row["lattices"], row["n_nodes"], row["n_edges"]) == (expected["n"], expected["nodes"], expected["edges"])
    assert row["density"] == near(expected["density_micro"])
    assert row["density_macro"] == near(expected["density_macro"])
    assert row["swcd"] == near(expected["swcd_bounded1"])
    assert row["swcd_unbounded"] is None
    first = small_scores(*PATHS, n_references=1, by="sentence")
    assert sum(one["ger"] for one in first.rows()) == expected["ger_sum_first_ref"]


Levels = Callable[[str, int], treesql.Database]
"""The database with the lattices of a level, their references and decoded paths, loaded once asked for."""


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Levels]:
    folder = tmp_path_factory.mktemp("sets")
    with treesql.connect() as db:

        @cache
        def load_references(name: str) -> pl.DataFrame:
            lattices = pl.read_parquet(FOLDER / name / "lattices.parquet").sort("lattice_id")
            for at in range(len(lattices["refs"][0])):
                texts = [one[at] for one in lattices["refs"].to_list()]
                db.load(write_texts(folder / f"{name}.{at}.txt", texts), corpus=f"{name}-{at}")
            return lattices

        @cache
        def load(name: str, k: int) -> treesql.Database:
            edges = pl.read_parquet(FOLDER / name / "edges.parquet").filter(pl.col("rank") < k)
            grouped = edges.sort("lattice_id", "edge_id").group_by("lattice_id", maintain_order=True)
            packed = grouped.agg("src", "dst", "words")
            rows = [
                (n, list(zip(one["src"], one["dst"], one["words"], strict=True)))
                for n, one in zip(load_references(name)["n_nodes"], packed.iter_rows(named=True), strict=True)
            ]
            db.load(write_lattices(folder / f"{name}{k}.jsonl", rows), corpus=f"{name}{k}")
            decoded = expected_rows(name, k)["onebest"].to_list()
            db.load(write_texts(folder / f"{name}{k}.txt", decoded), corpus=f"{name}{k}-decoded")
            return db

        yield load


def references(name: str) -> dict[str, object]:
    return {"reference_corpus": f"{name}-0", "other_corpora": "fisher-1,fisher-2,fisher-3" if name == "fisher" else ""}


@large
@EACH_LEVEL
def test_sizes(levels: Levels, name: str, k: int) -> None:
    database = levels(name, k)
    [row] = database.score("lattice_size", lattice_corpus=f"{name}{k}").rows()
    expected = corpus_row(name, k)
    assert (row["n_nodes"], row["n_edges"]) == (expected["nodes"], expected["edges"])
    assert row["density"] == near(expected["density_micro"])
    assert row["density_macro"] == near(expected["density_macro"])


@large
@EACH_LEVEL
def test_paths(levels: Levels, name: str, k: int) -> None:
    database = levels(name, k)
    expected, row = expected_rows(name, k), corpus_row(name, k)
    given = {"lattice_corpus": f"{name}{k}", "reference_corpus": f"{name}-0"}
    found = database.score("graph_error", "graph_word_error", by="sentence", **given).pl()
    assert found["ger"].to_list() == expected["ger"].to_list()
    assert found["gwer"].to_list() == near((expected["gwer_num"] / expected["gwer_den"]).to_list())
    costs = database.score("graph_error", by="sentence", substitution_cost=0.99, **given).pl()
    assert costs["ger_cost"].to_list() == expected["ger_sub099"].round(6).to_list()
    [cost] = database.score("graph_error", substitution_cost=0.99, **given).rows()
    assert cost["ger_cost"] == round(expected["ger_sub099"].sum(), 6)
    [whole] = database.score("graph_error", "graph_word_error", **given).rows()
    assert whole["ger_rate"] == near(row["ger_sum"] / row["ref_words"])
    assert whole["gwer"] == near(row["gwer_macro"])
    assert whole["gwer_micro"] == near(row["gwer_micro_num"] / row["gwer_micro_den"])
    several = {"lattice_corpus": f"{name}{k}", **references(name)}
    nearest = database.score("graph_error", by="sentence", **several).pl()
    assert nearest["ger"].to_list() == expected["ger_min_over_refs"].to_list()


@cache
def batch(name: str, k: int) -> LatticeBatch:
    """Lattices and first references as the kernels take them."""
    lattices = pl.read_parquet(FOLDER / name / "lattices.parquet").sort("lattice_id")
    edges = pl.read_parquet(FOLDER / name / "edges.parquet").filter(pl.col("rank") < k).sort("lattice_id", "edge_id")
    texts = lattices["refs"].list.get(0)
    forms = pl.concat([edges["words"].explode(), texts.explode()]).drop_nulls()
    numbers = forms.rank("dense").to_numpy().astype(np.int64)
    n_words = int(edges["words"].list.len().sum())
    of_lattice = edges["lattice_id"].to_numpy()
    return LatticeBatch(
        lattices["n_nodes"].to_numpy().astype(np.int64),
        np.searchsorted(of_lattice, np.append(lattices["lattice_id"].to_numpy(), np.iinfo(np.int64).max)),
        edges["src"].to_numpy().astype(np.int64),
        edges["dst"].to_numpy().astype(np.int64),
        np.append(0, np.cumsum(edges["words"].list.len().to_numpy())).astype(np.int64),
        numbers[:n_words],
        np.append(0, np.cumsum(texts.list.len().to_numpy())).astype(np.int64),
        numbers[n_words:],
    )


@large
@pytest.mark.parametrize(("name", "k"), thorough_but(ALL, *IN_CI, ("fisher", 64)))
def test_the_kernels(name: str, k: int) -> None:
    expected, given = expected_rows(name, k), batch(name, k)
    assert lattice_oracles.nearest_paths(given).edits.tolist() == expected["ger"].to_list()
    nearest = lattice_oracles.nearest_paths_per_word(given)
    assert (nearest.edits * expected["gwer_den"].to_numpy()).tolist() == (
        nearest.n_words * expected["gwer_num"].to_numpy()
    ).tolist()
    bags = nearest_paths_as_bags(given)
    assert bags.errors.tolist() == expected["pmed"].to_list()
    assert bags.proven.all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), thorough_but([level for level in LEVELS if level[1] < 64], *IN_CI))
def test_bags_for_each_word(name: str, k: int) -> None:
    expected = expected_rows(name, k)
    found = nearest_paths_as_bags(batch(name, k), quotient=True)
    errors, words = expected["gper_num"].to_numpy(), expected["gper_den"].to_numpy()
    certain = found.proven
    assert (found.errors * words)[certain].tolist() == (errors * found.n_words)[certain].tolist()
    assert (found.errors * words >= errors * found.n_words).all()
    assert (found.bound <= errors / words + 1e-9).all()
    assert certain.mean() >= 0.98


@large
@pytest.mark.parametrize(
    ("name", "k"), thorough_but([("fisher", 1), ("fisher", 4), ("pud", 4), ("pud", 16)], ("fisher", 4), ("pud", 16))
)
def test_paths_whatever_the_order_of_words(levels: Levels, name: str, k: int) -> None:
    database = levels(name, k)
    expected = expected_rows(name, k)
    given = {"lattice_corpus": f"{name}{k}", "reference_corpus": f"{name}-0"}
    found = database.score("word_set_graph_error", "word_set_graph_error_rate", by="sentence", **given).pl()
    assert found["pmed"].to_list() == expected["pmed"].to_list()
    assert found["gper"].to_list() == near((expected["gper_num"] / expected["gper_den"]).to_list())
    assert found["proven"].to_list() == found["gper_proven"].to_list() == [1] * len(expected)


@large
@EACH_LEVEL
def test_word_counts(levels: Levels, name: str, k: int) -> None:
    database = levels(name, k)
    expected, row = expected_rows(name, k), corpus_row(name, k)
    given = {"lattice_corpus": f"{name}{k}", "reference_corpus": f"{name}-0"}
    found = database.query("word_count_distance", **given).pl().sort("sentence")
    assert found["products"].to_list() == expected["P"].to_list()
    assert found["lattice_squares"].to_list() == expected["Q"].to_list()
    assert found["reference_squares"].to_list() == expected["D"].to_list()
    assert found["redundancy_estimate"].to_list() == near(expected["lambda_hat"].to_list())
    bounded = expected["sigma2_bounded1"].sqrt() / expected["lambda_hat"].clip(lower_bound=1)
    assert found["deviation"].to_list() == near(bounded.to_list())
    [whole] = database.score("word_count_distance", "edge_n_grams", **given).rows()
    assert whole["swcd"] == near(row["swcd_bounded1"])
    unbounded = row["swcd_unbounded"]
    assert whole["swcd_unbounded"] == near(unbounded)
    assert whole["redundancy"] == near(row["lambda_mean"])
    assert [whole[f"edge_precision_{order}"] for order in (1, 2, 3, 4)] == near(row["edge_precision"])
    several = {"lattice_corpus": f"{name}{k}", **references(name)}
    [all_references] = database.score("word_count_distance", **several).rows()
    assert all_references["swcd"] == near(row["swcd_bounded1_multi"])


@large
@EACH_LEVEL
def test_decoded_paths(levels: Levels, name: str, k: int) -> None:
    database = levels(name, k)
    expected, row = expected_rows(name, k), corpus_row(name, k)
    given = {"hypothesis_corpus": f"{name}{k}-decoded", "reference_corpus": f"{name}-0"}
    metrics = ("edit_operations", "position_independent_errors", "n_gram_matches")
    [whole] = database.score(*metrics, **given).rows()
    assert whole["wer"] == near(row["onebest_jiwer_wer"])
    assert whole["wer_hypothesis"] == near(row["onebest_wer_hyp_length_micro"])
    assert whole["per_hypothesis"] == near(row["onebest_per_micro"])
    assert 100 * whole["bleu"] == near(row["onebest_sacrebleu"])
    precisions = [100 * whole[f"n_gram_precision_{order}"] for order in (1, 2, 3, 4)]
    assert precisions == near(row["onebest_sacrebleu_precisions"])
    assert whole["brevity_penalty"] == near(row["onebest_sacrebleu_bp"])
    if name == "fisher":
        several = {"hypothesis_corpus": f"{name}{k}-decoded", **references(name)}
        [all_references] = database.score("n_gram_matches", **several).rows()
        assert 100 * all_references["bleu"] == near(row["onebest_sacrebleu_4refs"])
    found = database.query("edit_operations", **given).pl().group_by("sentence").agg(pl.col("edits").sum())
    edits = dict(found.iter_rows())
    assert [edits.get(at, 0) for at in range(len(expected))] == expected["onebest_edits"].to_list()


@large
def test_lattices_of_a_recogniser(db: treesql.Database) -> None:
    cases = [json.loads(line) for line in (FOLDER / "asr" / "expected.jsonl").read_text().splitlines()]
    row = json.loads((FOLDER / "asr" / "corpus.json").read_text())
    db.load(FOLDER / "asr" / "lattices.plf.gz", corpus="lattices")
    db.load(FOLDER / "asr" / "oracle.txt.gz", corpus="transcript")
    db.load(FOLDER / "asr" / "onebest.txt.gz", corpus="decoded")
    found = db.sql("SELECT n_nodes, n_edges FROM lattices ORDER BY sentence").rows()
    assert found == [{"n_nodes": case.get("n_nodes", 1), "n_edges": case.get("n_edges", 0)} for case in cases]
    given = {"lattice_corpus": "lattices", "reference_corpus": "transcript"}
    scores = db.score("graph_error", "graph_word_error", by="sentence", **given).rows()
    lattices = [at for at, case in enumerate(cases) if case["kind"] == "lattice"]
    assert sum(scores[at]["ger"] for at in lattices) == row["ger_sum"]
    for at in lattices:
        assert scores[at]["ger"] == cases[at]["ger_oracle_text"] == cases[at]["ger_oracle_text_openfst"]
        if cases[at]["gwer_den"]:
            assert scores[at]["gwer"] == near(cases[at]["gwer_num"] / cases[at]["gwer_den"])
    decoded = db.score("graph_error", by="sentence", lattice_corpus="lattices", reference_corpus="decoded").rows()
    assert [decoded[at]["ger"] for at in lattices] == [cases[at]["ger_onebest_text"] for at in lattices]


SAMPLES = {
    "cdec_compound_split.plf": None, "cdec_test.plf": None, "fisher_asr.plf": None, "moses_manual.plf": None,
    "openfst_ids.fst.txt": "openfst.syms", "openfst_symbols.fst.txt": "openfst.syms",
    "theanolm.kaldi.lat": "theanolm.words.txt", "theanolm.slf": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    thorough_but(SAMPLES, "fisher_asr.plf", "openfst_ids.fst.txt", "theanolm.kaldi.lat", "theanolm.slf"),
)
def test_samples_of_every_format(db: treesql.Database, tmp_path: Path, name: str) -> None:
    expected = json.loads((FORMATS / "expected.json").read_text())[name]["lattices"]
    symbols = SAMPLES[name]
    db.load(FORMATS / name, corpus="lattices", symbols=None if symbols is None else FORMATS / symbols)
    found = db.sql("SELECT n_nodes, n_edges FROM lattices ORDER BY sentence").rows()
    assert found == [{"n_nodes": one.get("n_nodes", 1), "n_edges": one.get("n_edges", 0)} for one in expected]
    texts = [one.get("ref", "").split() for one in expected]
    db.load(write_texts(tmp_path / "references.txt", texts), corpus="references")
    scores = db.score("graph_error", by="sentence", lattice_corpus="lattices", reference_corpus="references").rows()
    assert all(row["ger"] == one["ger"] for row, one in zip(scores, expected, strict=True) if "ger" in one)


@pytest.mark.parametrize(
    "name", sorted(json.loads((MALFORMED / "expected.json").read_text())) if MALFORMED.exists() else []
)
def test_malformed_files(name: str) -> None:
    path = MALFORMED / name
    options = Options(symbols=str(FORMATS / "openfst.syms") if name.startswith("unknown_symbol") else None)
    if name in TAKEN:
        state = State()
        assert read_rows(path, format_of([name], None), state=state, options=options)["lattices"]
        assert len(state.warnings) == TAKEN[name]
        return
    faults = faults_of(path, format_of([name], None), options=options)
    assert len(faults) == 1
    assert faults[0].what
    assert faults[0].hint


def scored_lattices(k: int) -> list[tuple[int, list[Any]]]:
    """The lattices of a level of fisher with the scores of their edges."""
    edges = (
        pl.read_parquet(FOLDER / "fisher" / "edges.parquet").filter(pl.col("rank") < k).sort("lattice_id", "edge_id")
    )
    nodes = pl.read_parquet(FOLDER / "fisher" / "lattices.parquet").sort("lattice_id")
    rows = edges.group_by("lattice_id", maintain_order=True).agg(
        pl.struct("src", "dst", "words", "score").alias("edges")
    )
    return [
        (n, [[edge["src"], edge["dst"], edge["words"], edge["score"]] for edge in listed])
        for n, listed in zip(nodes["n_nodes"].to_list(), rows["edges"].to_list(), strict=True)
    ]


@large
@pytest.mark.parametrize(("k", "search_errors"), [(1, 145), (4, 190), (16, 191)])
def test_search_errors(tmp_path: Path, k: int, search_errors: int) -> None:
    """The beam search behind `onebest` has a bigram model beside the scores of edges."""
    file = write_lattices(tmp_path / "lattices.jsonl", scored_lattices(k))
    output = write_texts(tmp_path / "output.txt", expected_rows("fisher", k)["onebest"].to_list())
    [row] = treesql.score("lattice", file, hypothesis=output, metric="decoder_search").rows()
    assert [row[name] for name in ("search_errors", "outside_lattice")] == [search_errors, 0]
    assert row["search_error_share"] == search_errors / 200


@large
@pytest.mark.parametrize("objective", ["bleu", "ger"])
def test_tuned_weights(tmp_path: Path, objective: str) -> None:
    """On the first hundred lattices no step makes the objective worse."""
    nodes = pl.read_parquet(FOLDER / "fisher" / "lattices.parquet").sort("lattice_id")
    file = write_lattices(tmp_path / "lattices.jsonl", scored_lattices(4)[:100])
    text = write_texts(tmp_path / "r.txt", [references[0] for references in nodes["refs"].to_list()[:100]])
    rows = treesql.lattices.tune(file, reference=text, objective=objective).rows()
    gains = [row["bleu"] if objective == "bleu" else -row["best_error_rate"] for row in rows]
    assert gains == sorted(gains)
    assert gains[-1] > gains[0] + 0.005
    assert rows[-1]["density"] < rows[0]["density"]
