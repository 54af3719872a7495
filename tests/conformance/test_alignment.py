"""Word alignments and parallel treebanks against the numbers of other scorers, and of independent counts."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import treesql
from tests.conformance.cases import CASES, needs
from tests.readers.reading import read_rows
from treesql.errors import InvalidInput, TreesqlWarning
from treesql.readers import Notation, Options

ALIGN = CASES / "align"
WA, PTS = ALIGN / "wa", ALIGN / "pts"
pytestmark = [needs(ALIGN), pytest.mark.filterwarnings("ignore::treesql.TreesqlWarning")]

SYSTEMS = [
    "awesome",
    *(f"eflomal-{name}" for name in ("fwd", "gdfa", "inter", "rev", "union")),
    *(
        f"{tool}-{name}"
        for tool in ("fastalign", "giza")
        for name in ("fwd", "grow-diagonal-final", "grow-diagonal", "intersection", "reverse", "union")
    ),
]
NAMES = {
    "precision": "precision",
    "recall": "recall",
    "aer": "aer",
    "sure_p": "sure_precision",
    "sure_r": "sure_recall",
    "sure_f": "sure_f1",
    "poss_p": "possible_precision",
    "poss_r": "possible_recall",
    "poss_f": "possible_f1",
}
EXACT = 1e-15
"""Whoever divides in another order may differ in the last digit."""


def case(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def score(gold: Path, *systems: Path, **how: Any) -> list[dict[str, Any]]:
    return treesql.score("alignment", gold=gold, systems=systems, **how).rows()


def test_eighteen_systems() -> None:
    """As published, so that the two target-source files are scored as they stand, without lengths."""
    expected = case(WA / "enfr.expected.json")["results"]
    assert set(expected) == set(SYSTEMS)
    found = score(WA / "enfr.gold.sp0", *(WA / f"enfr.{name}.ph0" for name in SYSTEMS))
    for name, row in zip(SYSTEMS, found, strict=True):
        counts, exact = expected[name]["counts"], expected[name]["exact"]
        assert (row["proposed"], row["sure"], row["possible"]) == (counts["A"], counts["S"], counts["P"])
        for key, column in NAMES.items():
            assert row[column] == pytest.approx(exact[key], rel=EXACT, abs=EXACT), (name, column)
        script = expected[name]["wa_eval_align"]
        assert [round(row[NAMES[key]], 4) for key in ("sure_p", "sure_r", "sure_f", "aer")] == [
            script[key] for key in ("sure_p", "sure_r", "sure_f", "aer")
        ]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Texts whose sentences have the lengths of the originals."""
    folder = tmp_path_factory.mktemp("texts")
    for name, side in (("source", 0), ("target", 1)):
        lengths = [pair[side] for pair in case(WA / "enfr.expected.json")["lengths"]]
        (folder / f"{name}.txt").write_text("".join(" ".join("w" * n) + "\n" for n in lengths))
    return str(folder / "source.txt"), str(folder / "target.txt")


@pytest.mark.parametrize("name", ["fastalign-reverse", "giza-reverse"])
def test_a_wrong_direction_is_told(name: str, texts: tuple[str, str]) -> None:
    gold, system = WA / "enfr.gold.sp0", WA / f"enfr.{name}.ph0"
    outside = case(WA / "enfr.expected.json")["system_links_outside"][name]
    with pytest.raises(
        InvalidInput, match=f"links outside of their sentences: {outside:,} of .*; with reverse=True it would be none"
    ):
        score(gold, system, source=texts[0], target=texts[1])
    [turned] = score(gold, system, source=texts[0], target=texts[1], reverse=True)
    assert turned["aer"] < 0.2


@pytest.mark.slow
def test_lengths_are_kept_by_all_others(texts: tuple[str, str]) -> None:
    names = [name for name in SYSTEMS if "reverse" not in name]
    systems = [WA / f"enfr.{name}.ph0" for name in names]
    assert len(score(WA / "enfr.gold.sp0", *systems, source=texts[0], target=texts[1], metric="aer")) == 16


def test_symmetrisation_is_that_of_atools(db: treesql.Database) -> None:
    methods = {"grow-diag-final-and": "gdfa", "intersection": "inter", "union": "union"}
    for corpus in ("fwd", "rev", *methods.values()):
        db.load(WA / f"enfr.eflomal-{corpus}.ph0", corpus=corpus, format="pharaoh")
    for method, name in methods.items():
        found = db.query("symmetrised", forward_corpus="fwd", backward_corpus="rev", method=method).rows()
        sql = "SELECT sentence, source, target FROM alignments WHERE corpus = $name ORDER BY ALL"
        assert found == db.sql(sql, {"name": name}).rows(), method


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "name"), [("grow-diag", "grow-diagonal"), ("grow-diag-final-and", "grow-diagonal-final")]
)
def test_both_words_of_links_are_new_in_published_alignments(method: str, name: str) -> None:
    """In the six other sentences, of two links that exclude each other another one is visited first."""
    published = (WA / f"enfr.fastalign-{name}.ph0").read_text().splitlines()
    for variant, n_equal in (("both", 441), ("either", 21)):
        found = treesql.symmetrise(
            WA / "enfr.fastalign-fwd.ph0", WA / "enfr.fastalign-reverse.ph0", reverse=True, method=method,
            variant=variant, format="pharaoh",
        )  # fmt: skip
        lines = found.content.decode().splitlines()
        assert sum(set(a.split()) == set(b.split()) for a, b in zip(lines, published, strict=True)) == n_equal


FORMATS = [
    ("pharaoh0", "pharaoh", {}),
    ("talp1", "talp", {}),
    ("talp1", "pharaoh", {"base": 1}),
    ("pharaoh0", "talp", {"base": 0}),
    ("pharaoh_question", "pharaoh", {}),
    ("pharaoh_colon", "pharaoh", {}),
    ("reversed0", "pharaoh", {"reverse": True}),
    ("wpt", "wpt", {}),
]


@pytest.mark.parametrize(("notation", "form", "how"), FORMATS)
def test_formats(tmp_path: Path, notation: str, form: str, how: dict[str, Any]) -> None:
    cases = case(ALIGN / "formats.json")
    items = cases["items"]
    text = cases["wpt"] if notation == "wpt" else "".join(item[notation] + "\n" for item in items)
    (tmp_path / "links").write_text(text)
    tables = read_rows(tmp_path / "links", form, options=Options(notation=Notation(**how)))
    expected = [
        (at, i + 1, j + 1, letter == "S") for at, item in enumerate(items) for i, j, letter in sorted(item["links"])
    ]
    assert [(r["sentence"], r["source"], r["target"], r["sure"]) for r in tables["alignments"]] == expected
    assert len(tables["sentences"]) == len(items)


def test_giza(tmp_path: Path) -> None:
    cases = case(ALIGN / "formats.json")
    (tmp_path / "links").write_text(cases["giza_a3"])
    rows = read_rows(tmp_path / "links", "giza")["alignments"]
    expected = [(at, i + 1, j + 1) for at, item in enumerate(cases["items"]) for i, j in sorted(item["a3_links"])]
    assert [(r["sentence"], r["source"], r["target"]) for r in rows] == expected


EMPTY = "where nothing can be counted a score is NULL, and the AER of an empty submission is 1"
LETTERS = "letters of a submission are ignored, where the script's sure figures take its sure links alone"
ONCE = "a link given as sure and as possible is one link"
NULLS = "links to word 0 are left out"
LENIENT = "lower-case letters and confidences with a sign or an exponent are read, where the script loses such lines"
DIFFERENT = {
    "empty submission": (EMPTY, {"sure_p": None, "prob_p": None, "aer": 1.0}),
    "link as S and as P in gold": (ONCE, {"prob_r": 0.2857, "prob_f": 0.4444}),
    "link as S and as P in submission": (ONCE, {"prob_r": 0.2857, "prob_f": 0.4444, "aer": 0.4286}),
    "zero-padded sentence number in submission": (
        "0001 and 1 are the same sentence",
        {
            "sure_p": 1.0,
            "sure_r": 0.4,
            "sure_f": 0.5714,
            "prob_p": 1.0,
            "prob_r": 0.2857,
            "prob_f": 0.4444,
            "aer": 0.4286,
        },
    ),
    "null links in both": (
        NULLS,
        {"sure_r": 0.2, "sure_f": 0.3333, "prob_r": 0.1429, "prob_f": 0.25, "aer": 0.6667},
    ),
    "null link in submission only": (
        NULLS,
        {"sure_p": 1.0, "sure_f": 0.3333, "prob_p": 1.0, "prob_f": 0.25, "aer": 0.6667},
    ),
    "S + confidence": (LETTERS, {"sure_p": 0.5, "sure_f": 0.2857}),
    "confidence + S (order swapped)": (LETTERS, {"sure_p": 0.5, "sure_f": 0.2857}),
    "all P submission": (LETTERS, {"sure_p": 1.0, "sure_r": 0.6, "sure_f": 0.75}),
    **dict.fromkeys(
        ("lower-case s", "negative confidence", "exponent confidence"),
        (LENIENT, {"sure_r": 0.4, "sure_f": 0.5714, "prob_r": 0.2857, "prob_f": 0.4444, "aer": 0.4286}),
    ),
    "gold all P": (EMPTY, {"sure_r": None}),
    "gold all P, all wrong": (EMPTY, {"sure_r": None}),
}  # fmt: skip
SCRIPT = {
    "sure_p": "sure_precision",
    "sure_r": "sure_recall",
    "sure_f": "sure_f1",
    "prob_p": "possible_precision",
    "prob_r": "possible_recall",
    "prob_f": "possible_f1",
    "aer": "aer",
}


@pytest.mark.slow
def test_odd_files_of_the_shared_tasks(tmp_path: Path) -> None:
    """As wa_eval_align.pl has it, but for what DIFFERENT gives a reason for."""
    seen = set()
    for one in case(ALIGN / "wpt_edge.json")["cases"]:
        name, gold, system = one["name"], tmp_path / "gold.wpt", tmp_path / "system.wpt"
        gold.write_text(one["gold"])
        system.write_text(one["submission"])
        if "error" in one["wa_eval_align"]:
            with pytest.raises(InvalidInput):
                score(gold, system)
            continue
        [row] = score(gold, system)
        found = {key: None if row[column] is None else round(row[column], 4) for key, column in SCRIPT.items()}
        expected = {**one["wa_eval_align"], **DIFFERENT.get(name, ("", {}))[1]}
        assert found == expected, name
        seen.add(name)
    assert set(DIFFERENT) <= seen


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trees as CoNLL-U, with a form for punctuation and one for all other words."""
    folder = tmp_path_factory.mktemp("trees")
    for language in ("en", "de"):
        marks = (PTS / f"{language}.punct").read_text().split("\n")
        for name in ("gold", "sysA", "sysB", "sysC", "sysD"):
            rows = []
            for line, mark in zip((PTS / f"{language}.{name}").read_text().splitlines(), marks, strict=False):
                for at, (token, point) in enumerate(zip(line.split(), mark, strict=True), 1):
                    head, relation = token.split(":", 1)
                    rows.append(f"{at}\t{'.' if point == '1' else 'w'}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_\n")
                rows.append("\n")
            (folder / f"{language}.{name}.conllu").write_text("".join(rows))
    return folder


@pytest.fixture(scope="module")
def database(trees: Path) -> str:
    """All trees and links, loaded."""
    path = str(trees / "parallel.duckdb")
    with treesql.connect(path) as db, warnings.catch_warnings():
        warnings.simplefilter("ignore", TreesqlWarning)  # several roots
        for file in trees.glob("*.conllu"):
            db.load(file, corpus=file.stem)
        for name in ("gold.sp0", "fwd.ph0", "gdfa.ph0", "inter.ph0"):
            links = name.split(".")[0]
            corpora = {"source_corpus": "en.gold", "target_corpus": "de.gold"}
            db.load(PTS / f"ende.{name}", corpus=links, format="pharaoh", **corpora)
    return path


@pytest.mark.spread(4)
@pytest.mark.parametrize("aligner", ["fwd", "gdfa", "inter"])
@pytest.mark.parametrize(
    ("weights", "rule"), [("1,1,1", "form"), ("1,1,2", "form"), ("1,1,1", "all"), ("1,1,2", "all")]
)
@pytest.mark.slow
def test_parallel_treebank_score(database: str, aligner: str, weights: str, rule: str) -> None:
    expected = case(PTS / "expected.json")
    systems = {name: (f"en.sys{name}", f"de.sys{name}", aligner) for name in "ABCD"}
    gold = {"gold_a": "en.gold", "gold_b": "de.gold", "gold_links": "gold"}
    parameters = dict(zip(("weight_a", "weight_b", "weight_links"), map(float, weights.split(",")), strict=True))
    found = treesql.score("parallel", **gold, systems=systems, **parameters, punctuation=rule, db=database)
    for row in found.rows():
        pts = expected["pts"][f"{row['system']}|{aligner}|{weights}|{'nopunct' if rule == 'form' else 'all'}"]
        assert row["pts"] == pytest.approx(pts, rel=4 * EXACT)
        assert row["aer"] == pytest.approx(expected["alignment"][aligner]["aer"], rel=EXACT)
        parsing = expected["parsing"][f"en.{row['system']}"]
        assert row["uas_a"] == (parsing["nopunct"] if rule == "form" else parsing)["uas"]
