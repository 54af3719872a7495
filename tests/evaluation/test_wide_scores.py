"""Systems side by side: scores, differences and p by hand, and as of `compare` for every kind, group and treebank."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import treesql
from tests.conftest import FIXTURES, conllu, heard, thorough_but
from treesql.engines.duckdb import DuckDB
from treesql.errors import UnknownName, UsageError
from treesql.evaluation import evaluate, sources
from treesql.results.result import render
from treesql.scoring import sums
from treesql.significance.wide_scores import WideScores

few = pytest.mark.filterwarnings("ignore:.*(only .* sentences?|differ in . of . sentence)")

GOLD = ["a:2:det b:0:root c:2:obj", "d:2:det e:0:root", "f:0:root g:1:obj h:2:det", "i:2:det j:0:root k:2:obj"]
A = ["a:2:obj b:0:root c:2:det", "d:2:obj e:0:root", "f:0:root g:1:det h:2:obj", "i:2:obj j:0:root k:2:obj"]
B = ["a:2:det b:0:root c:2:obj", "d:2:det e:0:root", "f:0:root g:1:obj h:2:det", "i:2:det j:0:root k:2:det"]
"""A has no det right, and one obj of three; B all of det, and two obj: the one of the last sentence is A's."""


def holm(p: Sequence[float]) -> list[float]:
    """Holm's method, as its paper has it: the smallest p times their number, the next times one less; never falling."""
    corrected = [0.0] * len(p)
    largest = 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        largest = max(largest, min(1.0, (len(p) - rank) * p[at]))
        corrected[at] = largest
    return corrected


def share_of_exchanges(a: Sequence[int], b: Sequence[int]) -> float:
    """The share of all exchanges of sentences after which the sums of two systems are as far apart as they are."""
    differences = np.subtract(a, b)
    signs = np.array(list(itertools.product((1, -1), repeat=len(differences))))
    return float(np.mean(np.abs(signs @ differences) >= abs(differences.sum())))


@pytest.fixture
def treebank() -> dict[str, Any]:
    return {"gold": conllu(*GOLD), "systems": {"a": conllu(*A), "b": conllu(*B), "c": conllu(*GOLD)}}


@few
def test_values_by_hand(treebank: dict[str, Any]) -> None:
    wide = treesql.score("dependency", **treebank, by="deprel", wide=True)
    assert wide.columns == [
        "deprel", "n", "las:a", "las:b", "las:c", "difference:b", "p:b", "difference:c", "p:c",
    ]  # fmt: skip
    assert wide["deprel"] == ["det", "obj", "root", "all"]
    assert wide["n"] == [4, 3, 4, 11]
    assert wide["las:a"] == [0, 1 / 3, 1, 5 / 11]
    assert wide["las:b"] == [1, 2 / 3, 1, 10 / 11]
    assert wide["las:c"] == [1, 1, 1, 1]
    assert wide["difference:b"] == pytest.approx([1, 1 / 3, 0, 5 / 11])
    assert wide["difference:c"] == pytest.approx([1, 2 / 3, 0, 6 / 11])
    by_hand = [  # right edges by sentence
        share_of_exchanges([0, 0, 0, 0], [1, 1, 1, 1]), share_of_exchanges([0, 0, 0, 0], [1, 1, 1, 1]),
        share_of_exchanges([0, 0, 1], [1, 1, 0]), share_of_exchanges([0, 0, 1], [1, 1, 1]),
        1.0, 1.0,
        share_of_exchanges([1, 1, 1, 2], [3, 2, 3, 2]), share_of_exchanges([1, 1, 1, 2], [3, 2, 3, 3]),
    ]  # fmt: skip
    assert by_hand[:2] == [1 / 8, 1 / 8]  # all differ in one direction: two of sixteen exchanges
    shown = [row[name] for row in wide.rows() for name in ("p:b", "p:c")]
    assert shown == pytest.approx(holm(by_hand))


def test_text_has_the_daggers_and_p_values_of_documents() -> None:
    table = pa.table({
        "n": [5, 5, 5], "las:a": [0.25, 1.0, None], "las:b": [0.5, 1.0, None],
        "difference:b": [0.25, 0.0, None], "p:b": [3.80792e-18, 1.0, None],
    })  # fmt: skip
    shares = frozenset({"las:a", "las:b", "difference:b"})
    wide = WideScores(table, percent=shares, scored=(("a", "las:a"), ("b", "las:b")))
    assert render(wide) == (
        " n     las:a      las:b   difference:b       p:b\n"
        " ───────────────────────────────────────────────\n"
        " 5    25.00%    50.00%†         25.00%   <0.0001\n"
        " 5   100.00%   100.00%           0.00%    1.0000\n"
        " 5         -         -               -         -\n"
    )
    assert all("50.00%†" in text and "<0.0001" in text for text in (render(wide), render(wide, screen=80)))


@few
def test_the_baseline_is_the_one_that_is_named(treebank: dict[str, Any]) -> None:
    wide = treesql.score("dependency", **treebank, by="deprel", wide=True, baseline="b")
    assert wide.columns[-4:] == ["difference:a", "p:a", "difference:c", "p:c"]
    assert wide["difference:a"] == pytest.approx([-1, -1 / 3, 0, -5 / 11])
    other = treesql.score("dependency", **treebank, by="deprel", wide=True)
    assert wide["p:a"][2] == other["p:b"][2] == 1.0
    assert any("from b, in points" in note for note in wide.notes)


F = str(FIXTURES) + "/"
KINDS: dict[str, tuple[list[str], dict[str, Any], dict[str, Any], str]] = {
    "alignment": ([F + "links.pharaoh"], {"a": F + "links-a.pharaoh", "b": F + "links.pharaoh"}, {}, "distance"),
    "constituency": ([F + "gold.mrg"], {"a": F + "test.mrg", "b": F + "gold.mrg"}, {}, "label"),
    "dependency": ([F + "gold.conllu"], {"a": F + "parser-a.conllu", "b": F + "parser-b.conllu"}, {}, "upos"),
    "lattice": (
        [], {"a": F + "lattices.plf", "b": F + "lattices.plf"}, {"reference": F + "lattices.txt"}, "lattice_nodes",
    ),
    "newick": ([F + "trees.nwk"], {"a": F + "trees.nwk", "b": F + "trees.nwk"}, {}, "n_leaves"),
    "parallel": (
        [F + "gold.conllu", F + "gold.conllu", F + "links.pharaoh"],
        {
            "a": [F + "parser-a.conllu", F + "parser-b.conllu", F + "links-a.pharaoh"],
            "b": [F + "parser-b.conllu", F + "parser-a.conllu", F + "links.pharaoh"],
        },
        {}, "part",
    ),
    "paths": (
        [F + "reference.conllu"],
        {
            "a": [F + "hypothesis.conllu", F + "reference-hypothesis.align"],
            "b": [F + "hypothesis.conllu", F + "reference-hypothesis.align"],
        },
        {}, "n_words",
    ),
    "translation": (
        [], {"a": F + "hypotheses.txt", "b": F + "lattices.txt"}, {"reference": F + "lattices.txt"}, "n_words",
    ),
    "trees": ([F + "reference.conllu"], {"a": F + "hypothesis.conllu", "b": F + "reference.conllu"}, {}, "n_words"),
}  # fmt: skip
"""By kind: inputs, systems, options, and a column of groups."""


def of_compare(kind: str, wide: treesql.Result, by: str, **request: Any) -> Iterator[dict[str, Any]]:
    """The rows of `compare` for the groups of a table; scores of None where it has nothing to compare."""
    score = wide.columns[2].partition(":")[0]
    for label in wide[by]:
        where = None if label == "all" else f"{by} IS NULL" if label is None else f"CAST({by} AS VARCHAR) = '{label}'"
        inputs = request.get("inputs", [])
        options = {key: value for key, value in request.items() if key != "inputs"}
        try:
            found = treesql.compare(kind, *inputs, metric=score, where=where, ci=False, **options)
        except UsageError:
            yield {"p": None}
            continue
        yield next(row for row in found if (row["system_a"], row["system_b"]) == ("a", "b"))


@few
@pytest.mark.spread(12, rest="slow")
@pytest.mark.parametrize("kind", thorough_but(KINDS, "alignment", "constituency", "dependency", "lattice"))
def test_groups_are_those_of_compare(kind: str) -> None:
    inputs, systems, options, by = KINDS[kind]
    wide = treesql.score(kind, *inputs, systems=systems, by=by, wide=True, **options)
    score = wide.columns[2].partition(":")[0]
    compared = list(of_compare(kind, wide, by, inputs=inputs, systems=systems, **options))
    known = [row["p"] for row in compared if row["p"] is not None]
    corrected = iter(holm(known))
    assert wide["p:b"] == [None if row["p"] is None else pytest.approx(next(corrected)) for row in compared]
    for row, other in zip(wide.rows(), compared, strict=True):
        if other["p"] is not None:
            assert (row[f"{score}:a"], row[f"{score}:b"]) == (other["score_a"], other["score_b"])
            assert row["difference:b"] == pytest.approx(-other["difference"])
    missing = len(compared) - len(known)
    assert any("no p" in note for note in wide.notes) == bool(missing)
    alone = treesql.score(kind, *inputs, systems=systems, **options)
    assert [wide[f"{score}:{name}"][-1] for name in systems] == alone[score]


@few
def test_random_exchanges_are_those_of_compare() -> None:
    """With more than 13 sentences that differ, a score that is not linear is shuffled at random."""
    random = np.random.default_rng(4)
    relations = ("det", "obj", "punct")
    gold = [f"r:0:root {' '.join(f'w{random.integers(9)}:1:{relations[n % 3]}' for n in range(6))}" for _ in range(40)]

    def parsed(rate: float) -> bytes:
        words = map(str.split, gold)
        return conllu(
            *(" ".join(f"{word}x" if random.random() < rate else word for word in sentence) for sentence in words)
        )

    request: dict[str, Any] = {"gold": conllu(*gold), "systems": {"a": parsed(0.4), "b": parsed(0.2)}}
    wide = treesql.score("dependency", **request, by="deprel", metric="wlas", where="deprel <> 'obj'", wide=True)
    assert wide["deprel"] == ["det", "punct", "root", "all"]
    compared = [
        treesql.compare("dependency", **request, metric="wlas", where=where, ci=False)[0]
        for where in ("deprel = 'det'", "deprel = 'punct'", "deprel <> 'obj'")
    ]
    assert {row["test"] for row in compared} == {"stratified shuffling"}
    first, second, last = holm([row["p"] for row in compared])
    assert first < second < 1
    assert wide["p:b"] == [first, second, None, last]  # all roots are one word, which has no weight


@few
def test_treebanks_and_their_macro_average(tmp_path: Path) -> None:
    for name in ("gold", "a", "b"):
        (tmp_path / name).mkdir()
    for treebank, part in {"one": slice(0, 2), "two": slice(2, 4)}.items():
        for name, sentences in {"gold": GOLD, "a": A, "b": B}.items():
            (tmp_path / name / f"{treebank}.conllu").write_bytes(conllu(*sentences[part]))
    folders = [str(tmp_path / name) for name in ("gold", "a", "b")]
    wide = treesql.score("dependency", *folders, wide=True)
    assert wide["treebank"] == ["one", "two", "macro"]
    assert wide["n"] == [5, 6, 11]
    assert wide["las:a"] == pytest.approx([2 / 5, 3 / 6, (2 / 5 + 3 / 6) / 2])
    compared = {row["treebank"]: row["p"] for row in treesql.compare("dependency", *folders, metric="las", ci=False)}
    assert wide["p:b"] == pytest.approx(holm([compared[name] for name in wide["treebank"]]))
    groups = treesql.score("dependency", *folders, by="deprel", wide=True)
    assert groups["deprel"] == ["det", "obj", "root", "all"]
    assert groups["n"] == [4, 3, 4, 11]
    assert groups["las:b"] == pytest.approx([1, (1 + 1 / 2) / 2, 1, (1 + 5 / 6) / 2])
    assert groups["las:b"][-1] == wide["las:b"][-1]
    assert "macro-averages over 2 treebanks" in groups.notes[0]


@few
def test_a_treebank_without_a_group_does_not_count_in_its_average(tmp_path: Path) -> None:
    """EVALB's F1 of nothing is 0."""
    for name in ("gold", "a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.mrg").write_text("(TOP (S (NP (N x)) (VP (V y) (V z))))\n")
        (tmp_path / name / "two.mrg").write_text("(TOP (S (N x) (VP (V y) (V z))))\n")
    folders = [str(tmp_path / name) for name in ("gold", "a", "b")]
    wide = treesql.score("constituency", *folders, by="label", wide=True)
    assert dict(zip(wide["label"], wide["f1:a"], strict=True))["NP"] == 1
    scored = treesql.score("constituency", *folders, by="label", metric="f1")
    macro = {row["label"]: row["f1"] for row in scored if (row["system"], row["treebank"]) == ("a", "macro")}
    assert dict(zip(wide["label"], wide["f1:a"], strict=True)) == {**macro, "all": 1}
    with heard():
        compared = treesql.compare("constituency", *folders, metric="f1", where="label = 'NP'", ci=False)
    p = {row["treebank"]: row["p"] for row in compared}
    assert dict(zip(wide["label"], wide["p:b"], strict=True))["NP"] == p["macro"] == 1


@few
def test_documents_mark_the_best_and_what_differs() -> None:
    gold = conllu(*["a:2:det b:0:root c:2:obj"] * 12)
    worse = conllu(*["a:2:obj b:0:root c:2:obj"] * 12)
    wide = treesql.score("dependency", gold, systems={"a": worse, "b": gold, "c": worse}, by="deprel", wide=True)
    lines = wide.markdown().splitlines()
    cells = {cells[0]: cells for line in lines[2:6] for cells in [[cell.strip() for cell in line.split("|")[1:-1]]]}
    assert lines[0].count("(%)") == 5
    assert cells["det"][2:5] == ["0.00", "**100.00**†", "0.00"]
    assert cells["obj"][2:5] == ["**100.00**", "**100.00**", "**100.00**"]
    assert cells["all"][2:5] == ["66.67", "**100.00**†", "66.67"]
    assert [cells["det"][6], cells["det"][8], cells["obj"][6]] == ["0.0039", "1.0000", "1.0000"]  # 8 * 2 / 2 ** 12
    assert r"\textbf{100.00}\textdagger{}" in wide.latex()
    assert r"100.00 & 0.0039 & 0.00 & 1.0000 \\" in wide.latex()
    assert "<caption" in wide.html()
    assert wide.head(1).markdown().count("†") == 2  # in a cell, and in the line that explains it
    lower = treesql.score(
        "translation", systems={"a": FIXTURES / "hypotheses.txt", "b": FIXTURES / "lattices.txt"},
        reference=FIXTURES / "lattices.txt", wide=True,
    )  # fmt: skip
    assert "**0.00**" in lower.markdown()
    surer = treesql.score("dependency", gold * 2, systems={"a": worse * 2, "b": gold * 2}, by="deprel", wide=True)
    assert r"& 100.00 & \textless{}0.0001 \\" in surer.latex()  # 4 * 2 / 2 ** 24


def test_one_system_has_no_differences(treebank: dict[str, Any]) -> None:
    with heard() as warnings:
        wide = treesql.score("dependency", gold=treebank["gold"], systems={"a": conllu(*A)}, by="deprel", wide=True)
    assert not warnings, "few sentences matter for p alone"
    assert wide.columns == ["deprel", "n", "las:a"]
    assert wide.notes[-1] == "There are no differences and no p of one system alone."
    assert "**" not in wide.markdown()


@few
def test_groups_are_in_the_order_of_their_values(treebank: dict[str, Any]) -> None:
    words = " ".join(f"w{at}:{min(at, 1)}:all" for at in range(12))
    gold = conllu("a:0:root", words, *GOLD)
    wide = treesql.score("dependency", gold, systems={"a": gold, "b": gold}, by="n_words/5,deprel", wide=True)
    assert list(zip(wide["n_words/5"], wide["deprel"], strict=True)) == [
        ("0..4", "det"), ("0..4", "obj"), ("0..4", "root"), ("10..14", "all"), ("all", None),
    ]  # fmt: skip
    named = treesql.score("dependency", gold, systems={"a": gold, "b": gold}, by="deprel", wide=True)
    assert named["deprel"] == ["all", "det", "obj", "root", "(all)"]


def test_words_that_differ_are_aligned_for_all_systems() -> None:
    gold, other = conllu("ab:2:det c:0:root", "d:0:root"), conllu("a:3:det b:3:det c:0:root", "d:0:root")
    with heard() as warnings:
        wide = treesql.score("dependency", gold, systems={"a": gold, "b": other}, wide=True)
    assert any("aligned by their characters" in warning for warning in warnings)
    assert wide["las:b"] == pytest.approx([2 * 2 / (3 + 4)])
    assert wide["las:a"] == [1]


@few
@pytest.mark.filterwarnings("ignore:.*aligned by their characters")
def test_one_that_has_the_words_of_gold_is_scored_as_one_that_has_not() -> None:
    """Content words weigh 1: gold has 4, a 5, of which 4 are right, b 3; alone, a is compared word by word."""
    gold = conllu("ab:2:det c:0:root e:2:obj", "d:0:root f:1:obj")
    a = conllu("ab:2:obj c:0:root e:2:obj", "d:0:root f:1:obj")
    b = conllu("a:3:det b:3:det c:0:root e:3:obj", "d:0:root f:1:det")
    assert treesql.score("dependency", gold, systems={"a": a}, metric="wlas", wide=True)["wlas:a"] == [1]
    [row] = treesql.score("dependency", gold, systems={"a": a, "b": b}, metric="wlas", wide=True)
    assert (row["wlas:a"], row["wlas:b"]) == pytest.approx((2 * 4 / (4 + 5), 2 * 3 / (4 + 3)))


@few
def test_the_size_is_a_count_of_gold_or_else_the_number_of_sentences() -> None:
    """What a metric counts of a system, such as its edits, is no size of the row; words of both trees are."""
    for kind, metric, n, count in (
        ("translation", "wer", 13, "reference_words"), ("translation", "cer", 3, "sentences with scored items"),
        ("trees", (), 31, "edited_words"),
    ):  # fmt: skip
        inputs, systems, options, _ = KINDS[kind]
        wide = treesql.score(kind, *inputs, systems=systems, **options, metric=metric, wide=True)
        assert wide["n"] == [n]
        assert wide.notes[0].startswith(f"n: {count}. ")


def test_in_a_database(tmp_path: Path, treebank: dict[str, Any]) -> None:
    with treesql.connect() as db:
        for name, content in {"gold": treebank["gold"], **treebank["systems"]}.items():
            db.load(content, corpus=name, format="conllu")
        with heard():
            wide = db.score("dependency", "gold", "a", "b", "c", by="deprel", wide=True)
            from_files = treesql.score("dependency", **treebank, by="deprel", wide=True)
    assert wide.rows() == from_files.rows()


@pytest.mark.slow
@few
def test_blocks_of_files_and_ranges_of_a_database(
    tmp_path: Path, treebank: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = treesql.score("dependency", **treebank, by="deprel", wide=True)
    files = {name: tmp_path / f"{name}.conllu" for name in ("gold", *treebank["systems"])}
    for name, path in files.items():
        path.write_bytes(treebank["gold"] if name == "gold" else treebank["systems"][name])
    monkeypatch.setattr(evaluate, "MIN_BYTES", 0)
    opened = []

    def open_in_blocks(task: Any) -> Any:
        opened.append(task)
        return real(task)

    real = sources.open_in_blocks
    monkeypatch.setattr(sources, "open_in_blocks", open_in_blocks)
    gold = files.pop("gold")
    assert treesql.score("dependency", gold, systems=files, by="deprel", wide=True).rows() == whole.rows()
    assert len(opened) == 1
    for name, value in {"MAX_SIZE_AT_ONCE": 1, "SIZE_OF_RANGE": 1, "SENTENCES_OF_STEP": 2}.items():
        monkeypatch.setattr(sums, name, value)
    monkeypatch.setattr(DuckDB, "is_small", False)
    with treesql.connect() as db:
        for name, path in {"gold": gold, **files}.items():
            db.load(path, corpus=name)
        found = db.score("dependency", "gold", *files, by="deprel", wide=True)
    assert found.rows() == whole.rows()


@few
@pytest.mark.filterwarnings("ignore:.*no item meets")
def test_a_condition_that_nothing_meets(treebank: dict[str, Any]) -> None:
    wide = treesql.score("dependency", **treebank, by="deprel", where="upos = 'X'", wide=True)
    assert wide.rows()[0] | {"deprel": None} == dict.fromkeys(wide.columns) | {"n": 0}
    assert "2 differences have no p" in wide.notes[-1]


def test_signatures_cite_test_and_systems() -> None:
    request: dict[str, Any] = {"systems": {"a": FIXTURES / "parser-a.conllu", "b": FIXTURES / "parser-b.conllu"}}
    with heard():
        wide = treesql.score("dependency", FIXTURES / "gold.conllu", **request, by="upos", wide=True)
    assert set(wide.signatures) == {"las:a", "las:b", "p:b"}
    assert "by:upos" in wide.signatures["las:a"]
    assert "test:shuffling|runs:10000|seed:12345|correction:holm" in wide.signatures["p:b"]


@pytest.mark.parametrize(
    ("options", "error", "what"),
    [
        ({"wide": True, "ci": True}, UsageError, "leave out ci"),
        ({"wide": True, "metric": "uas,las"}, UsageError, "uas and las are several"),
        ({"wide": True, "metric": "words"}, UsageError, "no score"),
        ({"wide": True, "by": "sentence"}, UsageError, "nothing to exchange"),
        ({"wide": True, "errors": True}, UsageError, "tables"),
        ({"wide": True, "baseline": "z"}, UnknownName, "z"),
        ({"baseline": "a"}, UsageError, "side by side"),
    ],
)
def test_what_cannot_be_side_by_side(
    treebank: dict[str, Any], options: dict[str, Any], error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        treesql.score("dependency", **treebank, **options)


def test_a_parameter_with_several_values_has_one() -> None:
    with pytest.raises(UsageError, match="give one value"):
        treesql.score(
            "lattice", systems={"a": FIXTURES / "lattices.plf"}, reference=FIXTURES / "lattices.txt",
            edge_weights=["1", "2"], wide=True,
        )  # fmt: skip
