"""What taking an edge out of a lattice changes, in SQL: by hand, against real removal, and where nothing is defined."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.kernels import lattices as slow
from tests.kernels import pruning
from treesql.errors import Incomparable
from treesql.lattices.pruning import PruningInput, encode_texts, read

LETTERS = "abcde"


def loaded(
    db: treesql.Database, folder: Path, lattices: Sequence[slow.Lattice], references: Sequence[Sequence[slow.Words]]
) -> dict[str, str]:
    """Lattices and their references, of which all have the same number; returns the parameters of queries."""
    lines = [
        json.dumps({"n_nodes": n, "edges": [[start, to, [LETTERS[w] for w in words]] for start, to, words in edges]})
        for n, edges in lattices
    ]
    (folder / "lattices.jsonl").write_text("".join(f"{line}\n" for line in lines))
    db.load(folder / "lattices.jsonl", corpus="lattices")
    for at in range(len(references[0])):
        texts = [" ".join(LETTERS[word] for word in of_one[at]) for of_one in references]
        (folder / f"{at}.txt").write_text("".join(f"{text}\n" for text in texts))
        db.load(folder / f"{at}.txt", corpus=f"r{at}")
    others = ",".join(f"r{at}" for at in range(1, len(references[0])))
    return {"lattice_corpus": "lattices", "reference_corpus": "r0", "other_corpora": others}


def rows(db: treesql.Database, name: str, **given: object) -> list[dict[str, Any]]:
    return db.query(name, **given).pl().sort("sentence", *["edge"] * (name == "edge_effects")).rows(named=True)


def test_by_hand(examples: treesql.Database) -> None:
    """the a cat hat cats sat sits against the cat sat: lambda is 1, sigma squared 4.

    Without `the` lambda would be 2/3, which the bound keeps at 1: sigma squared is 5, tau 5/4 - 1. Without `a` it is 3.
    """
    found = rows(examples, "edge_effects", lattice_corpus="lattices", reference_corpus="references")[:7]
    assert [row["tau"] for row in found] == [0.25, -0.25, 0.25, -0.25, -0.25, 0.25, -0.25]
    assert [row["tau_normalised"] for row in found] == [7 * row["tau"] for row in found]
    assert [row["delta_sigma2"] for row in found] == [1, -1, 1, -1, -1, 1, -1]
    assert [row["delta_redundancy"] for row in found] == [-1 / 3, 0, -1 / 3, 0, 0, -1 / 3, 0]
    assert [row["hits"] for row in found] == [1, 0, 1, 0, 0, 1, 0]
    assert [row["edge"] for row in found if row["on_oracle_path"]] == [0, 2, 5]
    free = rows(examples, "edge_effects", lattice_corpus="lattices", reference_corpus="references", min_redundancy=0.0)
    # Without `the` lambda is 2/3, and sigma squared 4 + 2/9 + 4/9.
    assert free[0]["delta_sigma2"] == pytest.approx(2 / 3)
    assert free[0]["tau"] == pytest.approx(14 / 12 - 4 / 9)


def test_span_and_quantiles_by_hand(examples: treesql.Database) -> None:
    given = {"lattice_corpus": "lattices", "reference_corpus": "references"}
    found = rows(examples, "tau_span", **given)
    assert found[0] == {
        "sentence": 0, "n_nodes": 4, "n_edges": 7, "edges_per_node": 1.75, "smallest_tau": -0.25, "largest_tau": 0.25,
        "span": 0.5, "span_normalised": 3.5,
    }  # fmt: skip
    taus = sorted(row["tau_normalised"] for row in rows(examples, "edge_effects", **given))
    quantiles = examples.query("tau_quantiles", **given).rows()
    assert [row["quantile"] for row in quantiles] == [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]
    assert [quantiles[at]["tau_normalised"] for at in (0, 4, 5, 6, 10)] == [taus[at] for at in (0, 6, 12, 18, 24)]


full = st.lists(st.integers(0, 4), min_size=1, max_size=5).map(tuple)


@pytest.mark.slow
@given(st.lists(st.tuples(slow.lattices(), full, full), min_size=1, max_size=9), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
@settings(deadline=None, max_examples=4)
@pytest.mark.filterwarnings("ignore::treesql.errors.TreesqlWarning")
def test_against_real_removal(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[slow.Lattice, slow.Words, slow.Words]], low: float
) -> None:
    lattices, references = [item[0] for item in items], [item[1:] for item in items]
    with treesql.connect() as db:
        given = loaded(db, tmp_path_factory.mktemp("effects"), lattices, references)
        found = rows(db, "edge_effects", min_redundancy=low, **given)
        spans = rows(db, "tau_span", min_redundancy=low, **given)
        paths = {row["sentence"]: row["path_edges"] for row in db.query("oracle_paths", **given).rows()}
    places = [(at, edge) for at, (_, edges) in enumerate(lattices) for edge in range(len(edges))]
    assert [(row["sentence"], row["edge"]) for row in found] == places
    for row in found:
        at, edge = row["sentence"], row["edge"]
        lattice, bound = lattices[at], Fraction(low)
        tau = pruning.tau(lattice, references[at], bound, edge)
        with_edge = pruning.distance(lattice, references[at], bound)
        rest = set(range(len(lattice[1]))) - {edge}
        without = pruning.distance(lattice, references[at], bound, rest)
        redundancies = [pruning.distance(lattice, references[at], Fraction(0), alive)[0] for alive in (None, rest)]
        assert row["tau"] == pytest.approx(float(tau), rel=1e-9, abs=1e-9)
        assert (row["tau"] < 0, row["tau"] > 0) == (tau < 0, tau > 0)
        assert row["tau_normalised"] == pytest.approx(len(lattice[1]) * float(tau))
        assert row["delta_sigma2"] == pytest.approx(float(without[1] - with_edge[1]), abs=1e-9)
        assert row["delta_redundancy"] == pytest.approx(float(redundancies[1] - redundancies[0]))
        assert row["hits"] == sum(any(word in one for one in references[at]) for word in lattice[1][edge][2])
        assert row["on_oracle_path"] == (edge in paths[at])
    for span in spans:
        taus = [row["tau"] for row in found if row["sentence"] == span["sentence"] and math.isfinite(row["tau"])]
        assert span["span"] == (pytest.approx(max(taus) - min(taus)) if taus else None)


@pytest.mark.spread(3)
@pytest.mark.parametrize("low", [0.0, 0.3, 1.0])
def test_the_kernel_has_the_same_doubles(examples: treesql.Database, low: float) -> None:
    from treesql.kernels.lattices.lattice_pruning import edge_taus

    given = {"lattice_corpus": "lattices", "reference_corpus": "references", "other_corpora": "references-2"}
    found = rows(examples, "edge_effects", min_redundancy=low, **given)
    asked = PruningInput(examples.engine, given, read(examples.engine, "lattices"))
    worth = edge_taus(encode_texts(asked), low)
    assert [row["tau"] for row in found] == worth.tau.tolist()


def test_where_tau_is_infinite_or_undefined(db: treesql.Database, tmp_path: Path) -> None:
    """A lattice that is its reference, one that shares no word with it, and one whose reference is empty."""
    lattices: list[slow.Lattice] = [(2, ((0, 1, (0, 1)),)), (2, ((0, 1, (0,)), (0, 1, (2,)))), (2, ((0, 1, (3,)),))]
    given = loaded(db, tmp_path, lattices, [[(1, 0)], [(4,)], [()]])
    bounded = rows(db, "edge_effects", **given)
    free = rows(db, "edge_effects", min_redundancy=0.0, **given)
    # Bounded, `a c` against `e` has sigma squared 3, and 2 without either edge.
    assert [row["tau"] for row in bounded] == [math.inf, pytest.approx(2 / 3 - 1), pytest.approx(2 / 3 - 1), None]
    assert [row["tau"] for row in free] == [math.inf, -math.inf, -math.inf, None]
    assert [row["delta_sigma2"] for row in bounded][3] is None
    assert [row["span"] for row in rows(db, "tau_span", min_redundancy=0.0, **given)] == [None, None, None]
    assert all(row["tau"] is None for row in db.query("tau_quantiles", min_redundancy=0.0, **given).rows())


def test_references_that_are_missing(db: treesql.Database, tmp_path: Path) -> None:
    lattices: list[slow.Lattice] = [(2, ((0, 1, (0,)),)), (2, ((0, 1, (0,)),))]
    given = loaded(db, tmp_path, lattices, [[(0,)]])
    for name in ("edge_effects", "tau_span", "tau_quantiles"):
        with pytest.raises(Incomparable, match="lattice 2 of lattices has no counterpart in r0"):
            db.query(name, **given)
