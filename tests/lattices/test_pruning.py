"""Lattices that are pruned and written: what the report tells is what scores of the written files say."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treesql
from tests.conftest import FIXTURES, thorough_but
from tests.kernels import lattices as slow
from tests.kernels import pruning as definitions
from tests.lattice_tasks import by_distance, lattice_task
from treesql import lattices
from treesql.errors import Diagnostic, Incomparable, UnknownName, UsageError
from treesql.evaluation.evaluate import evaluate
from treesql.evaluation.task import Task
from treesql.lattices import pruning
from treesql.lattices.pruning import PruningInput, prune

LETTERS = "abcde"
PLF = str(FIXTURES / "lattices.plf")
REFERENCES = [str(FIXTURES / "lattices.txt"), str(FIXTURES / "lattices-2.txt")]


def task(**how: Any) -> Task:
    return lattice_task([PLF], REFERENCES[:1], phrases=True, **how)


def row(found: treesql.Result) -> dict[str, Any]:
    [only] = found.rows()
    return only


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(folder: Path, lattices: list[slow.Lattice], references: list[slow.Words]) -> Task:
    texts = [
        json.dumps({"n_nodes": n, "edges": [[start, to, [LETTERS[w] for w in words]] for start, to, words in edges]})
        for n, edges in lattices
    ]
    (folder / "a.jsonl").write_text("".join(f"{line}\n" for line in texts))
    (folder / "a.txt").write_text("".join(" ".join(LETTERS[word] for word in text) + "\n" for text in references))
    return lattice_task([str(folder / "a.jsonl")], [str(folder / "a.txt")])


@pytest.mark.slow
def test_a_worked_example(tmp_path: Path) -> None:
    """Of the first lattice a, hat, cats and sits are pruned: the cat sat is left, which is its reference."""
    found = row(prune(task(), by_distance(), tmp_path / "out.jsonl"))
    written = lines(tmp_path / "out.jsonl")
    assert written[0] == {"n_nodes": 4, "edges": [[0, 1, ["the"], -0.2], [1, 2, ["cat"], -0.4], [2, 3, ["sat"], -0.3]]}
    # The third has no `not`; of I don't do know no the words of the reference are left.
    assert [edge[2] for edge in written[2]["edges"]] == [["I"], ["do"], ["know"]]
    n_edges = sum(len(lattice["edges"]) for lattice in written)
    assert found["edges_before"] == 25
    assert found["edges_after"] == n_edges
    assert found["pruned"] + found["trimmed"] == 25 - n_edges
    assert (found["lattices"], found["n_nodes"], found["ger_before"], found["ger_after"]) == (3, 15, 1, 1)
    assert (found["density_before"], found["density_after"]) == (25 / 15, n_edges / 15)
    assert found["oracle_edges"] == 3 + 5 + 3
    assert found["oracle_pruned_share"] == found["oracle_edges_pruned"] / 11


@pytest.mark.parametrize(
    ("greedy", "low", "threshold"),
    thorough_but(
        [
            (False, 1.0, 0.0),
            (False, 0.0, 3.0),
            (False, 0.5, -1.0),
            (True, 1.0, 0.0),
            (True, 0.5, 3.0),
            (True, 0.0, -1.0),
        ],
        (True, 1.0, 0.0),
    ),
)
@pytest.mark.slow
def test_the_report_is_what_scores_of_the_written_file_say(
    tmp_path: Path, greedy: bool, low: float, threshold: float
) -> None:
    given = lattice_task([PLF], REFERENCES, phrases=True)
    decide = by_distance(threshold, greedy=greedy, min_redundancy=low)
    found = row(prune(given, decide, tmp_path / "out.jsonl", min_redundancy=low))
    columns = ["n_nodes", "n_edges", "density", "ger", "swcd"]
    for when, path in (("before", PLF), ("after", str(tmp_path / "out.jsonl"))):
        scored = lattice_task([path], REFERENCES, metric=columns, min_redundancy=low, phrases=True)
        scores = row(evaluate(scored))
        told = [found["n_nodes"], *(found[f"{name}_{when}"] for name in ("edges", "density", "ger", "swcd"))]
        assert told == [pytest.approx(scores[name], rel=1e-12) for name in columns]


# No tau is just one of these but 0, where rounding would decide.
thresholds = st.sampled_from(
    [Fraction(0), Fraction(-1000003, 10**6), Fraction(500009, 10**6), Fraction(2000003, 10**6)]
)
batches = st.lists(st.tuples(slow.lattices(), slow.words.filter(bool)), min_size=1, max_size=8)


def by_density(items: list[tuple[slow.Lattice, slow.Words]], density: Fraction) -> set[Fraction]:
    """The density where as few edges fail, by tau and the number of edges, as leave at most this one; empty if none."""
    taus = [[definitions.tau(lattice, [text], Fraction(1), edge) for edge in range(len(lattice[1]))]
            for lattice, text in items]  # fmt: skip
    order = sorted((t * len(of), at, edge) for at, of in enumerate(taus) for edge, t in enumerate(of) if t < math.inf)
    n_nodes = sum(lattice[0] for lattice, _ in items)
    for n in range(len(order) + 1):
        left = 0
        for at, (lattice, _) in enumerate(items):
            failing = {edge for _, owner, edge in order[:n] if owner == at}
            equal = taus[at] if all(map(math.isfinite, taus[at])) else [Fraction(0)] * len(taus[at])
            left += len(definitions.trimmed(lattice, definitions.prune(lattice, failing, equal)[0]))
        if left <= density * n_nodes:
            return {Fraction(left, n_nodes)}
    return set()


def test_a_density_is_the_largest_below(tmp_path: Path) -> None:
    """Two lattices with different numbers of edges, at every other density that there is, between, above and below."""
    edges = ((0, 1, (0,)), (0, 1, (3,)), (1, 2, (1,)), (1, 2, (4, 4)), (2, 3, (2,)), (1, 3, (3, 4)))
    items = [((4, edges), (0, 1, 2)), ((2, ((0, 1, (0, 1)), (0, 1, (1,)), (0, 1, (4,)))), (0, 1))]
    given = write(tmp_path, items_of(items, 0), items_of(items, 1))
    files = {"reference": str(tmp_path / "a.txt")}
    wanted = {Fraction(twelfths, 12): by_density(items, Fraction(twelfths, 12)) for twelfths in range(0, 22)}
    least, _, second, *rest = [density for density, left in wanted.items() if density in left]
    below = max(density for density, left in wanted.items() if not left)
    seen = set()
    for density in (below, least, second, second + Fraction(1, 12), *rest[1::2], max(wanted)):
        expected = wanted[density]
        if not expected:
            with pytest.raises(UsageError, match=r"a path of every lattice remains, 0\.5"):
                lattices.prune(str(tmp_path / "a.jsonl"), density=float(density), **files)  # type: ignore[arg-type]
            continue
        found = row(prune(given, pruning.to_density(float(density), pruning.distance_measure())))
        assert {Fraction(found["density_after"]).limit_denominator(100)} == expected
        assert found["bad_edges"] == found["edges_before"] - found["oracle_edges"]
        kept_good = found["oracle_edges"] - found["oracle_edges_pruned"]
        assert found["bad_edges_kept"] == found["edges_after"] - kept_good
        seen |= expected
    assert len(seen) > 3


def items_of(items: list[Any], part: int) -> list[Any]:
    return [item[part] for item in items]


def test_a_density_of_posteriors_and_of_nothing(tmp_path: Path) -> None:
    """The six edges with the least posteriors of the fixture are pruned: 19 are at most 1.3 for each of 15 nodes."""
    found = row(lattices.prune(PLF, density=1.3, criterion="posterior"))
    assert (found["edges_after"], found["density_after"], found["bad_edges_kept"]) == (19, 19 / 15, None)
    whole = row(lattices.prune(PLF, density=2, criterion="posterior"))
    assert (whole["edges_after"], whole["pruned"]) == (25, 0)
    for beside in ({"threshold": 0}, {"greedy": True}):
        with pytest.raises(UsageError, match="and other rules; give one of them"):
            lattices.prune(PLF, reference=REFERENCES[0], density=1, **beside)  # type: ignore[arg-type]
    for density in (-1.0, math.nan):
        with pytest.raises(UsageError, match="a density is a number from 0 on"):
            lattices.prune(PLF, reference=REFERENCES[0], density=density)


@pytest.mark.slow
@given(batches, thresholds, st.booleans(), st.booleans())
@settings(deadline=None, max_examples=2)
def test_files_against_slow_definitions(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[tuple[slow.Lattice, slow.Words]],
    threshold: Fraction,
    raw: bool,
    greedy: bool,
) -> None:
    folder = tmp_path_factory.mktemp("pruned")
    given = write(folder, [lattice for lattice, _ in items], [text for _, text in items])
    found = row(prune(given, by_distance(float(threshold), raw=raw, greedy=greedy), folder / "out.jsonl"))
    spared_edges, pruned = 0, 0
    for (lattice, text), written in zip(items, lines(folder / "out.jsonl"), strict=True):
        n, low = len(lattice[1]), Fraction(1)
        if greedy:
            left, spared = definitions.greedy(lattice, [text], low, threshold, not raw)
        else:
            taus = [definitions.tau(lattice, [text], low, edge) for edge in range(n)]
            failing = {edge for edge in range(n) if taus[edge] < (threshold if raw else threshold / n)}
            equal = taus if all(map(math.isfinite, taus)) else [Fraction(0)] * n
            left, _ = definitions.prune(lattice, failing, equal)
            spared = left & failing
        expected = [lattice[1][edge] for edge in sorted(definitions.trimmed(lattice, left))]
        assert written["n_nodes"] == lattice[0]
        assert written["edges"] == [[start, to, [LETTERS[w] for w in words]] for start, to, words in expected]
        spared_edges, pruned = spared_edges + len(spared), pruned + n - len(left)
    assert (found["kept_path_edges"], found["pruned"]) == (spared_edges, pruned)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "form"), [("a.plf", "plf"), ("a.fst.txt", "openfst"), ("a.jsonl.gz", "jsonl")])
def test_every_format(tmp_path: Path, name: str, form: str) -> None:
    told: list[Diagnostic] = []
    prune(task(warn=told.append), by_distance(), tmp_path / name)
    prune(task(), by_distance(), tmp_path / "exact.jsonl")
    assert [one.what for one in told if "word by word" in one.what] == (
        [] if form == "jsonl" else ["phrases of 1 lattice are written word by word, with nodes in between"]
    )
    given = [lattice_task([str(tmp_path / file)], REFERENCES[:1], metric=["ger"]) for file in (name, "exact.jsonl")]
    assert row(evaluate(given[0]))["ger"] == row(evaluate(given[1]))["ger"]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")
def test_line_ends_are_those_of_the_file(tmp_path: Path) -> None:
    plain = (FIXTURES / "lattices.plf").read_bytes()
    (tmp_path / "crlf.plf").write_bytes(plain.replace(b"\n", b"\r\n"))
    (tmp_path / "plain.plf").write_bytes(plain)
    options: dict[str, Any] = {"reference": FIXTURES / "lattices.txt", "phrases": True}
    treesql.lattices.prune(tmp_path / "crlf.plf", out=tmp_path / "a.plf", **options)
    treesql.lattices.prune(tmp_path / "plain.plf", out=tmp_path / "b.plf", **options)
    assert (tmp_path / "a.plf").read_bytes() == (tmp_path / "b.plf").read_bytes().replace(b"\n", b"\r\n")


@pytest.mark.slow
def test_a_data_set_keeps_all_and_has_a_digest_of_its_own(tmp_path: Path) -> None:
    prune(task(), by_distance(), tmp_path / "data")
    prune(task(), by_distance(), tmp_path / "a.jsonl")
    with treesql.connect() as db:
        db.load(PLF, corpus="whole", phrases=True)
        db.load(tmp_path / "data")
        db.load(tmp_path / "a.jsonl", corpus="lines")
        columns = {
            "lattices": "sentence, n_nodes, n_edges, dead_edges",
            "lattice_edges": "sentence, edge, from_node, to_node, edge_words, scores",
            "lattice_words": "sentence, edge, position, form",
        }
        for table, names in columns.items():
            one, other = (
                db.sql(f"SELECT {names} FROM {table} WHERE corpus = '{corpus}' ORDER BY ALL").rows()
                for corpus in ("lattices.plf", "lines")
            )
            assert one == other
        digests = {record["corpus"]: record["sha256"] for record in db.sql("FROM corpora").rows()}
        assert digests["lattices.plf"] != digests["whole"]


@pytest.mark.thorough
def test_lattices_that_lack_nothing_keep_their_digest(tmp_path: Path) -> None:
    prune(task(), by_distance(-1e6), tmp_path / "data")
    with treesql.connect() as db:
        db.load(PLF, corpus="whole", phrases=True)
        db.load(tmp_path / "data")
        assert db.sql("SELECT count(*) AS corpora, count(DISTINCT c.sha256) AS digests FROM corpora AS c").rows() == [
            {"corpora": 2, "digests": 1}
        ]


@pytest.mark.slow
def test_corpora_of_a_database(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    with treesql.connect(path) as db:
        db.load(PLF, corpus="lattices", phrases=True)
        db.load(REFERENCES[0], corpus="references")
    given = lattice_task(["lattices"], ["references"], database=path)
    found = row(prune(given, by_distance(), tmp_path / "from-database.jsonl"))
    expected = row(prune(task(), by_distance(), tmp_path / "from-file.jsonl"))
    assert {**found, "system": "lattices.plf"} == expected
    assert (tmp_path / "from-database.jsonl").read_text() == (tmp_path / "from-file.jsonl").read_text()


@pytest.mark.thorough
def test_a_reference_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    path = str(tmp_path / "a.duckdb")
    with treesql.connect(path) as db:
        db.load(PLF, corpus="lattices", phrases=True)
        db.load(REFERENCES[0], corpus="r")
    once, twice = (row(prune(lattice_task(["lattices"], ["r"] * n, database=path), by_distance())) for n in (1, 2))
    assert once == twice


def test_others_may_decide(tmp_path: Path) -> None:
    """Everything fails, and a preference says which path is left; references are not needed."""

    def decide(asked: PruningInput) -> pruning.EdgeDecisions:
        n = len(asked.lattices.from_node)
        return pruning.decide_edges(asked.lattices, np.ones(n, dtype=bool), -np.arange(n, dtype=np.float64))

    found = row(prune(lattice_task([PLF], [], phrases=True), decide, tmp_path / "a.jsonl"))
    assert [[edge[2] for edge in lattice["edges"]] for lattice in lines(tmp_path / "a.jsonl")] == [
        [["the"], ["cats"]],
        # of all paths those with fewest edges
        [["it", "was", "a", "big"], ["red", "house"]],
        [["I"], ["don't"], ["know"]],
    ]
    assert (found["edges_after"], found["kept_path_edges"], found["ger_before"], found["swcd_after"]) == (
        7,
        7,
        None,
        None,
    )
    for failing, preference in ((np.ones(3, dtype=bool), np.zeros(3)), (np.ones(25, dtype=bool), np.full(25, np.nan))):
        with pytest.raises(ValueError, match=r"25 edges have 3 decisions|a preference is not a number"):
            prune(
                lattice_task([PLF], [], phrases=True),
                lambda asked, fails=failing, prefers=preference: pruning.decide_edges(asked.lattices, fails, prefers),  # type: ignore[misc]
            )


@pytest.mark.slow
def test_what_leaves_nothing_to_prune(tmp_path: Path) -> None:
    """One path, however bad; a lattice of one node; only empty phrases; an empty reference."""
    lattices: list[slow.Lattice] = [
        (3, ((0, 1, (1, 1)), (1, 2, (2,)))),
        (1, ()),
        (2, ((0, 1, ()), (0, 1, ()))),
        (2, ((0, 1, (0,)), (0, 1, (1,)))),
    ]
    told: list[Diagnostic] = []
    given = write(tmp_path, lattices, [(0,), (0,), (0,), ()])
    given = replace(given, warn=told.append)
    for greedy in (False, True):
        found = row(prune(given, by_distance(greedy=greedy), tmp_path / "out.jsonl"))
        assert [len(lattice["edges"]) for lattice in lines(tmp_path / "out.jsonl")] == [2, 0, 2, 2]
        assert (found["pruned"], found["kept_path_edges"]) == (0, 2)
    assert told[0].what == "1 lattice has an empty reference, from which no distance is defined"
    assert row(prune(given, by_distance(1e9)))["edges_after"] == 2 + 0 + 1 + 2


@pytest.mark.parametrize("threshold", [math.nan, math.inf, -math.inf])
def test_thresholds_that_are_none(threshold: float) -> None:
    with pytest.raises(UsageError, match=r"a threshold is a finite number, not -?(nan|inf)"):
        by_distance(threshold)


@pytest.mark.parametrize("low", [math.nan, math.inf, -1.0])
def test_least_redundancies_that_are_none(low: float) -> None:
    with pytest.raises(UsageError, match=r"min_redundancy is .*; it is a number, 0 or more"):
        by_distance(min_redundancy=low)


def test_references_that_do_not_correspond(tmp_path: Path) -> None:
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("the cat sat\n")
    with pytest.raises(Incomparable, match=r"lattice 2 of lattices\.plf has no counterpart in fewer\.txt"):
        prune(lattice_task([PLF], [str(fewer)], phrases=True), by_distance(), tmp_path / "out.jsonl")
    with pytest.raises(UsageError, match="name at least one reference"):
        prune(lattice_task([PLF], [], phrases=True), by_distance(), tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "data").mkdir()
    for name, message in {
        "folder.jsonl": "exists; remove it, or choose another name",
        "data": "exists; remove it, or choose another name",
        "nowhere/out.jsonl": "there is no folder",
        "out.txt": "its ending is of no format",
    }.items():
        with pytest.raises(UsageError, match=message):
            prune(task(), by_distance(), tmp_path / name)
    with pytest.raises(UnknownName, match="unknown export format 'pen'"):
        prune(task(), by_distance(), tmp_path / "a.jsonl", "pen")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "folder.jsonl"]


@pytest.mark.slow
def test_a_file_that_is_there_gives_way_only_to_a_whole_one(tmp_path: Path) -> None:
    out = tmp_path / "a.fst.txt"
    out.write_text("before\n")
    (tmp_path / "bad.jsonl").write_text('{"n_nodes": 2, "edges": [[0, 1, ["new york"]]]}\n')
    (tmp_path / "bad.txt").write_text("a\n")
    bad = lattice_task([str(tmp_path / "bad.jsonl")], [str(tmp_path / "bad.txt")])
    with pytest.raises(treesql.errors.InvalidInput, match="`new york` cannot be a symbol"):
        prune(bad, by_distance(), out)
    assert out.read_text() == "before\n"
    prune(task(), by_distance(), out)
    assert out.read_text().startswith("0\t1\tthe\tthe\t0.2\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.fst.txt", "bad.jsonl", "bad.txt"]
    prune(task(), by_distance(), Path("/dev/null"), "jsonl")
    assert Path("/dev/null").is_char_device()
